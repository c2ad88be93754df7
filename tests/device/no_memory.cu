// SPDX-License-Identifier: Apache-2.0
// Lets each request for memory of the GPU or the host, for a stream, an event or a graph fail, one per run: the engine
// must report it, release everything and work afterwards. The linker replaces CUDA's functions by those below (--wrap,
// tests/CMakeLists.txt). A request that has to fail requests more from CUDA than the device has, so that the error is a
// real one and is also returned by cudaGetLastError. device_no_memory_PRECISION [ENGINE...]: these engines, else all.
#include "cuda_check.h"
#include "device_engine.h"
#include "suite.h"

extern "C" {
#include "base/mem.h"
}

#include <cstdio>
#include <cstring>
#include <map>

// ----------------------------------------------------------------------------------------- instead of CUDA's functions

namespace {

struct {
  bool watching;
  int requests, refused;                     ///< the number of requests, and of the one that fails; 0: none fails
  int device_requests;                       ///< requests for device memory
  std::map<const void *, const char *> held; ///< resources that are not released, and the calls that created them
  const char *stranger;                      ///< a call that releases a resource that does not exist; NULL: none
} watched;

bool is_refused() { return watched.watching && ++watched.requests == watched.refused; }

template <class Status, class Handle> Status note(Status status, Handle handle, const char *call) {
  if (status == Status(0) && handle && watched.watching) watched.held[(const void *)handle] = call;
  return status;
}

void forget(const void *handle, const char *call) {
  if (handle && watched.watching && !watched.held.erase(handle)) watched.stranger = call;
}

} // namespace

// In CUDA's own headers these have C linkage.
extern "C" {
cudaError_t __real_cudaMalloc(void **out, size_t bytes);
}

namespace {

cudaError_t no_memory() {
  size_t free_bytes = 0, total = 0;
  void *none = nullptr;
  ck_assert_int_eq(cudaMemGetInfo(&free_bytes, &total), cudaSuccess);
  const cudaError_t error = __real_cudaMalloc(&none, 4 * total);
  ck_assert_int_eq(error, cudaErrorMemoryAllocation);
  return error;
}

} // namespace

/** `call`, whose first argument receives the handle. */
#define TAKES(call, parameters, arguments)             \
  extern "C" cudaError_t __real_##call parameters;     \
  extern "C" cudaError_t __wrap_##call parameters;     \
  extern "C" cudaError_t __wrap_##call parameters {    \
    if (is_refused()) return no_memory();              \
    const cudaError_t error = __real_##call arguments; \
    return note(error, *out, #call);                   \
  }

/** `call`, which releases a handle. */
#define GIVES_BACK(call, handle)                      \
  extern "C" cudaError_t __real_##call(handle what);  \
  extern "C" cudaError_t __wrap_##call(handle what);  \
  extern "C" cudaError_t __wrap_##call(handle what) { \
    forget((const void *)what, #call);                \
    return __real_##call(what);                       \
  }

TAKES(cudaMallocHost, (void **out, size_t bytes), (out, bytes))
TAKES(cudaHostAlloc, (void **out, size_t bytes, unsigned flags), (out, bytes, flags))
TAKES(cudaStreamCreateWithFlags, (cudaStream_t * out, unsigned flags), (out, flags))
TAKES(cudaEventCreate, (cudaEvent_t * out), (out))
TAKES(cudaEventCreateWithFlags, (cudaEvent_t * out, unsigned flags), (out, flags))
TAKES(cudaGraphInstantiate, (cudaGraphExec_t * out, cudaGraph_t graph, unsigned long long flags), (out, graph, flags))
GIVES_BACK(cudaFree, void *)
GIVES_BACK(cudaFreeHost, void *)
GIVES_BACK(cudaStreamDestroy, cudaStream_t)
GIVES_BACK(cudaEventDestroy, cudaEvent_t)
GIVES_BACK(cudaGraphExecDestroy, cudaGraphExec_t)

extern "C" cudaError_t __wrap_cudaMalloc(void **out, size_t bytes);
extern "C" cudaError_t __wrap_cudaMalloc(void **out, size_t bytes) {
  watched.device_requests += watched.watching;
  if (is_refused()) return no_memory();
  const cudaError_t error = __real_cudaMalloc(out, bytes);
  return note(error, *out, "cudaMalloc");
}

extern "C" sciara_status __real_sciara_alloc(void **out, size_t count, size_t size, const char *what);
extern "C" sciara_status __wrap_sciara_alloc(void **out, size_t count, size_t size, const char *what);
extern "C" sciara_status __wrap_sciara_alloc(void **out, size_t count, size_t size, const char *what) {
  *out = nullptr;
  if (is_refused()) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for %s", what);
  const sciara_status status = __real_sciara_alloc(out, count, size, what);
  return note(status, *out, "sciara_alloc");
}

extern "C" void __real_sciara_free(void *p);
extern "C" void __wrap_sciara_free(void *p);
extern "C" void __wrap_sciara_free(void *p) {
  forget(p, "sciara_free");
  __real_sciara_free(p);
}

// --------------------------------------------------------------------------------------------------------------- tests

namespace {

const enum sciara_precision precision = sizeof(real) == sizeof(double) ? SCIARA_DOUBLE : SCIARA_SINGLE_PRECISION;
int argument_count;
char **argument;

double slope(int64_t row, int64_t col, int) { return 3000 - 3 * (double)(row + col); }

/** A map of the given size, covered with lava except in the lower rows; a vent on dry ground. */
void make_lake(scene *s, int64_t rows, int64_t cols) {
  scene_make(s, rows, cols, SCIARA_RECORD_EVERYTHING, slope, 0);
  for (int64_t r = 1; r < rows - 20; r++)
    for (int64_t c = 1; c < cols - 1; c++) scene_lava(s, r, c, 5, 1300);
  const double rate = 200;
  scene_vent(s, rows - 5, cols / 2, 60, 1, &rate);
  scene_finish(s, precision);
}

/** Executes steps, keeps and collects states, and downloads the last state. Creates the engine if there is none. */
sciara_status work(const sciara_engine_ops *ops, const scene *s, void **engine, sciara_state *end) {
  sciara_engine_setup setup = setup_of(s);
  setup.keeps = true;
  setup.profile = true;
  sciara_stop stop = {};
  stop.steps = 70;
  stop.time = 1e300;
  stop.max_wall_ms = 600000;
  sciara_engine_progress progress = {};
  if (!*engine) SCIARA_TRY(ops->create(&setup, engine));
  SCIARA_TRY(ops->upload(*engine, s->state));
  SCIARA_TRY(ops->advance(*engine, &stop, &progress));
  for (int buffer = 0; buffer < SCIARA_BUFFERS; buffer++) SCIARA_TRY(ops->keep(*engine, buffer));
  for (int buffer = 0; buffer < SCIARA_BUFFERS; buffer++) SCIARA_TRY(ops->collect(*engine, buffer, end));
  return ops->download(*engine, end);
}

void watch(int refused) {
  watched.watching = true;
  watched.requests = watched.device_requests = 0;
  watched.refused = refused;
  watched.held.clear();
  watched.stranger = nullptr;
}

/** After an engine was destroyed, all its resources must be released. */
void expect_nothing_held(const char *engine, int request) {
  watched.watching = false;
  ck_assert_msg(watched.held.empty(), "%s, request %d: keeps %zu, the first of %s", engine, request,
                watched.held.size(), watched.held.begin()->second);
  ck_assert_msg(!watched.stranger, "%s, request %d: %s of what is not held", engine, request, watched.stranger);
}

/** Lets request `k` fail. `again`: an engine that exists is then used again; else it is destroyed. */
void refuse(const sciara_engine_ops *ops, const scene *s, int k, bool again, uint64_t checksum, sciara_state *end) {
  void *engine = nullptr;
  sciara_error_clear();
  watch(k);
  sciara_status status = work(ops, s, &engine, end);
  const char *message = sciara_last_error();
  if (watched.requests >= k) { // how often scratch grows depends on timing
    ck_assert_msg(status == SCIARA_ERR_MEMORY, "%s, request %d: status %d, %s", ops->name, k, status, message);
    ck_assert_msg(strstr(message, "memory") && !strstr(message, "cudaGetLastError"), "%s, request %d: %s", ops->name, k,
                  message);
  }
  if (again) {
    status = work(ops, s, &engine, end);
    ck_assert_msg(status == SCIARA_OK, "%s, after request %d failed: %s", ops->name, k, sciara_last_error());
    if (ops->determinism == SCIARA_EXACT) ck_assert_uint_eq(sciara_state_checksum(end), checksum);
  }
  ops->destroy(engine);
  expect_nothing_held(ops->name, k);
}

/** Returns the number of requests for device memory. */
int try_all(const sciara_engine_ops *ops, const scene *s) {
  void *engine = nullptr;
  sciara_state *end = nullptr;
  ck_assert_int_eq(sciara_state_clone(s->state, &end), SCIARA_OK);
  watch(0);
  ck_assert_msg(work(ops, s, &engine, end) == SCIARA_OK, "%s: %s", ops->name, sciara_last_error());
  ops->destroy(engine);
  const int requests = watched.requests, device_requests = watched.device_requests;
  expect_nothing_held(ops->name, 0);
  ck_assert_uint_eq(end->step, 70);
  const uint64_t checksum = sciara_state_checksum(end);
  for (int k = 1; k <= requests; k++) {
    refuse(ops, s, k, false, checksum, end);
    refuse(ops, s, k, true, checksum, end);
  }
  printf("%s: %d requests, each failed twice; %d of them for device memory\n", ops->name, requests, device_requests);
  ck_assert_int_ge(requests, 20);
  sciara_state_destroy(end);
  return device_requests;
}

bool is_selected(const sciara_engine_ops *ops) {
  if (!ops || !(ops->capabilities & SCIARA_CAN_DEVICE)) return false;
  for (int k = 1; k < argument_count; k++)
    if (strcmp(argument[k], ops->name) == 0) return true;
  return argument_count == 1;
}

size_t free_memory() {
  size_t free_bytes = 0, total = 0;
  ck_assert_int_eq(cudaDeviceSynchronize(), cudaSuccess);
  ck_assert_int_eq(cudaMemGetInfo(&free_bytes, &total), cudaSuccess);
  return free_bytes;
}

START_TEST(each_request_gets_none) {
  size_t count;
  const sciara_engine_entry *list = sciara_engine_list(&count);
  scene pond, lake;
  make_lake(&pond, 80, 90);
  make_lake(&lake, 340, 320); // on this map cuda-fused allocates more memory during the run
  int tried = 0;
  for (size_t k = 0; k < count; k++) {
    const sciara_engine_ops *ops = list[k].ops[SCIARA_RULE_FV3][precision];
    if (!is_selected(ops)) continue;
    try_all(ops, &pond); // kernels are loaded at their first use and remain loaded
    const size_t before = free_memory();
    try_all(ops, &pond);
    if (strcmp(ops->name, "cuda-fused") == 0) ck_assert_int_ge(try_all(ops, &lake), 3);
    const size_t after = free_memory(); // other programs may use it too, so it is not compared if engines are named
    ck_assert_msg(argument_count > 1 || after + (2 << 20) >= before, "%s: the GPU has %zu bytes less", ops->name,
                  before - after);
    tried++;
  }
  ck_assert_int_gt(tried, 0);
  scene_free(&pond);
  scene_free(&lake);
}
END_TEST

void add(TCase *tc) { tcase_add_test(tc, each_request_gets_none); }

} // namespace

int main(int argc, char **argv) {
  argument_count = argc;
  argument = argv;
  return run_on_device("device: no memory", add);
}
