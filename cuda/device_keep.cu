// SPDX-License-Identifier: Apache-2.0
// States that leave the device while steps continue. In the engine's stream the fields are copied on the device, which
// takes about as long as one or two steps. A second stream transfers this copy to pinned host memory. There is one copy
// on the device, and there are two buffers on the host. The two streams and their events determine the order:
//   the copy waits until the previous one has left the device (`arrived`), the transfer waits until the copy is
//   complete (`copied`), and the caller that collects the state waits until the transfer is complete (`arrived`).
#include "base/mem.h"
#include "cuda_check.h"
#include "device_engine.h"

namespace {

enum {
#define SCIARA_REAL_FIELD(member) +1
  REALS = 0
#include "model/fields.def"
  ,
#define SCIARA_DOUBLE_FIELD(member) +1
  DOUBLES = 0
#include "model/fields.def"
};

unsigned record_of(const sciara_fields *f) {
  unsigned record = SCIARA_RECORD_NOTHING;
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (f->member) record |= SCIARA_RECORD_##NAME;
#include "model/fields.def"
  return record;
}

/** The next array in a block of memory. */
template <class T> T *next(char *&block, int64_t count) {
  T *array = reinterpret_cast<T *>(block);
  block += count * (int64_t)sizeof(T);
  return array;
}

/** The fields of an engine in a block of memory, one after the other. */
sciara_fields in_block(const sciara_device_engine *e, char *block) {
  sciara_fields f = e->device.f;
  const int64_t n = e->hf.count;
#define SCIARA_DOUBLE_FIELD(member) f.member = next<double>(block, n);
#include "model/fields.def"
#define SCIARA_REAL_FIELD(member) f.member = next<real>(block, n);
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (f.member) f.member = next<real>(block, n);
#include "model/fields.def"
  return f;
}

template <class T> sciara_status copy(const sciara_device_engine *e, T *to, const T *from) {
  SCIARA_CUDA_TRY(cudaMemcpyAsync(to, from, (size_t)e->hf.count * sizeof(T), cudaMemcpyDeviceToDevice, e->stream));
  return SCIARA_OK;
}

sciara_status copy_fields(const sciara_device_engine *e) {
  const sciara_fields *from = &e->device.f, to = in_block(e, e->kept);
#define SCIARA_REAL_FIELD(member) SCIARA_TRY(copy(e, to.member, from->member));
#define SCIARA_DOUBLE_FIELD(member) SCIARA_TRY(copy(e, to.member, from->member));
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (to.member) SCIARA_TRY(copy(e, to.member, from->member));
#include "model/fields.def"
  return SCIARA_OK;
}

} // namespace

int64_t sciara_device_count(const struct sciara_grid *grid) {
  const int64_t line = SCIARA_ALIGNMENT / (int64_t)sizeof(real);
  return (grid->rows + 2) * ((grid->cols + 2 + line - 1) / line * line);
}

size_t sciara_device_kept_bytes(int64_t count, unsigned record) {
  return (size_t)count * ((REALS + sciara_record_count(record)) * sizeof(real) + DOUBLES * sizeof(double));
}

void sciara_device_keep_memory(const struct sciara_grid *grid, unsigned record, size_t *host, size_t *device) {
  *device = sciara_device_kept_bytes(sciara_device_count(grid), record);
  *host = SCIARA_BUFFERS * *device;
}

enum sciara_status sciara_device_take_buffers(struct sciara_device_engine *e, size_t bytes) {
  SCIARA_CUDA_TRY(cudaStreamCreateWithFlags(&e->carrier, cudaStreamNonBlocking));
  SCIARA_CUDA_TRY(cudaEventCreateWithFlags(&e->copied, cudaEventDisableTiming));
  for (sciara_device_buffer &buffer : e->buffer) {
    // The waiting thread sleeps: it is not the thread that executes the steps.
    SCIARA_CUDA_TRY(cudaEventCreateWithFlags(&buffer.arrived, cudaEventDisableTiming | cudaEventBlockingSync));
    if (cudaMallocHost(&buffer.bytes, bytes) == cudaSuccess) continue;
    buffer.bytes = nullptr;
    cudaGetLastError(); // clears the error, so that it is not reported for the next call
    return sciara_fail(SCIARA_ERR_MEMORY, "engine %s needs %d times %zu MiB of pinned host memory for snapshots",
                       e->strategy->name, SCIARA_BUFFERS, bytes >> 20);
  }
  return SCIARA_OK;
}

void sciara_device_leave_buffers(struct sciara_device_engine *e) {
  if (e->carrier) cudaStreamSynchronize(e->carrier);
  for (sciara_device_buffer &buffer : e->buffer) {
    if (buffer.bytes) cudaFreeHost(buffer.bytes);
    if (buffer.arrived) cudaEventDestroy(buffer.arrived);
    buffer = {};
  }
  if (e->copied) cudaEventDestroy(e->copied);
  if (e->carrier) cudaStreamDestroy(e->carrier);
  e->copied = nullptr;
  e->carrier = nullptr;
}

enum sciara_status sciara_device_keep(void *engine, int buffer) {
  sciara_device_engine *e = static_cast<sciara_device_engine *>(engine);
  sciara_device_buffer *p = &e->buffer[buffer];
  SCIARA_WITH_DEVICE(e->setup.device);
  if (!e->kept) return sciara_fail(SCIARA_ERR_INTERNAL, "engine %s was not made to keep states", e->strategy->name);
  for (const sciara_device_buffer &before : e->buffer) // waiting for an event that was never recorded does nothing
    SCIARA_CUDA_TRY(cudaStreamWaitEvent(e->stream, before.arrived, 0));
  SCIARA_TRY(copy_fields(e));
  SCIARA_CUDA_TRY(cudaEventRecord(e->copied, e->stream));
  SCIARA_CUDA_TRY(cudaStreamWaitEvent(e->carrier, e->copied, 0));
  const size_t bytes = sciara_device_kept_bytes(e->hf.count, record_of(&e->device.f));
  SCIARA_CUDA_TRY(cudaMemcpyAsync(p->bytes, e->kept, bytes, cudaMemcpyDeviceToHost, e->carrier));
  SCIARA_CUDA_TRY(cudaEventRecord(p->arrived, e->carrier));
  p->step_control = e->step_control;
  return SCIARA_OK;
}

enum sciara_status sciara_device_collect(void *engine, int buffer, struct sciara_state *state) {
  sciara_device_engine *e = static_cast<sciara_device_engine *>(engine);
  const sciara_device_buffer *p = &e->buffer[buffer];
  SCIARA_WITH_DEVICE(e->setup.device);
  SCIARA_CUDA_TRY(cudaEventSynchronize(p->arrived));
  sciara_host_fields arrived = e->hf; // its grid; the fields come from the buffer
  arrived.f = in_block(e, p->bytes);
  sciara_device_download_own(e, &arrived, state);
  sciara_step_control_store(&p->step_control, state);
  return SCIARA_OK;
}
