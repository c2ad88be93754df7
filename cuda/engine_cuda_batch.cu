// SPDX-License-Identifier: Apache-2.0
// Many simulations at a time, each by one thread block or one cluster (batch_steps.cuh). As an ordinary engine: one
// simulation on one block. In slots: each is such an engine, of which only memory, upload and download are used; all
// slots advance in one kernel. Loading and reading a slot starts no kernel, and so does not wait for the others.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <vector>

#include "base/mem.h"
#include "base/wallclock.h"
#include "batch_steps.cuh"
#include "cuda_check.h"
#include "device_engine.h"

namespace {

using namespace sciara_gpu;

enum { PRESET_THREADS = 512, LAUNCH_MS = 100, SLOTS_OF_MULTIPROCESSOR = 2 };
// Liquid cells per slot between which one large block on each multiprocessor is faster than two of PRESET_THREADS: the
// slots of two blocks do not fit the L2 cache, those of one do (docs/performance.md). A slot that is alone on its
// multiprocessor has a large block from MUCH_OF_ONE on.
const bool IS_DOUBLE = sizeof(real) == sizeof(double);
const unsigned LARGE_THREADS = IS_DOUBLE ? 768 : 1024;
const unsigned MUCH_OF_TWO = IS_DOUBLE ? 1900 : 2800, TOO_MUCH = IS_DOUBLE ? 5600 : ~0u, MUCH_OF_ONE = 1000;
const double LAUNCH_SECONDS = 0.02; // intended duration of a launch for one simulation

struct batch_engine {
  sciara_device_engine base;
  batch_slot slot;
  batch_slot *on_device;
  batch_times *times; ///< pinned; NULL without a profile
  unsigned sides;     ///< of the member
};

batch_engine *engine_of(void *engine) { return static_cast<batch_engine *>(engine); }

void layout(void *engine, sciara_arena *arena) {
  batch_engine *e = engine_of(engine);
  e->slot.lay_out(arena, e->base.hf.count);
  e->on_device = arena->take<batch_slot>(1);
}

sciara_status prepare(void *engine) {
  batch_engine *e = engine_of(engine);
  const int64_t cells = e->base.hf.count;
  if (cells > BATCH_MOST_CELLS)
    return sciara_fail(SCIARA_ERR_MEMORY, "engine cuda-batch: expected at most %lld cells, found %lld",
                       (long long)BATCH_MOST_CELLS, (long long)cells);
  e->slot.d = e->base.device;
  e->slot.sides = e->sides;
  e->slot.edges.prepare(e->base.setup.params);
  if (e->base.setup.profile && !e->times) SCIARA_CUDA_TRY(cudaMallocHost(&e->times, sizeof *e->times));
  if (!e->base.setup.profile) e->slot.times = nullptr;
  return sciara_device_put(&e->base, e->on_device, &e->slot, sizeof e->slot);
}

/** Threads of a block: a multiple of 32. @param preset number of threads if the options give none */
unsigned threads_of(const sciara_engine_options *options, unsigned preset) {
  const unsigned given = (unsigned)(options->block_width * options->block_height);
  return given ? (given + 31) / 32 * 32 : preset;
}

typedef void batch_kernel(const batch_slot *slots, unsigned long long nanoseconds_given);

/** The kernel for this number of threads, with as many registers as `each` blocks on a multiprocessor leave. */
batch_kernel *kernel_for(unsigned threads, size_t each) {
  if (threads <= 256) return each <= 2 ? batch_steps<256, 2, 1> : batch_steps<256, 3, 1>;
  if (threads <= 512) return each <= 1 ? batch_steps<512, 1, 1> : batch_steps<512, 2, 1>;
  return threads <= 768 ? batch_steps<768, 1, 1> : batch_steps<1024, 1, 1>;
}

/** The kernel for clusters of `blocks` blocks with BATCH_MOST_THREADS each. */
batch_kernel *cluster_kernel_for(unsigned blocks) {
  return blocks == 2 ? batch_steps<BATCH_MOST_THREADS, 1, 2> : batch_steps<BATCH_MOST_THREADS, 1, 4>;
}

/** The configuration of a launch; `attribute` must outlive the result. @param blocks of a cluster; 1: no clusters */
cudaLaunchConfig_t configuration(size_t grid, unsigned threads, unsigned blocks, cudaLaunchAttribute *attribute) {
  attribute->id = cudaLaunchAttributeClusterDimension;
  attribute->val.clusterDim.x = blocks;
  attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3((unsigned)grid);
  config.blockDim = dim3(threads);
  config.attrs = attribute;
  config.numAttrs = blocks > 1;
  return config;
}

/**
 * Clusters of so many large blocks that the device can run at a time; 0: it has none, or SCIARA_NO_CLUSTERS is in the
 * environment.
 */
size_t count_clusters(unsigned blocks) {
  cudaLaunchAttribute attribute = {};
  const cudaLaunchConfig_t config = configuration(blocks, BATCH_MOST_THREADS, blocks, &attribute);
  int count = 0;
  cudaFuncAttributes is;
  const bool known = !getenv("SCIARA_NO_CLUSTERS") &&
                     cudaFuncGetAttributes(&is, cluster_kernel_for(blocks)) == cudaSuccess && is.ptxVersion >= 90 &&
                     cudaOccupancyMaxActiveClusters(&count, cluster_kernel_for(blocks), &config) == cudaSuccess;
  if (!known) cudaGetLastError(); // clears the error
  return known ? (size_t)count : 0;
}

sciara_status run(void *engine) {
  batch_engine *e = engine_of(engine);
  const bool much = e->base.control->liquid > MUCH_OF_ONE;
  const unsigned threads = threads_of(&e->base.setup.options, much ? LARGE_THREADS : (unsigned)PRESET_THREADS);
  const double left = e->base.step_control.wall_until - sciara_wallclock(); // for max_wall_ms
  const double seconds = std::max(0.0, std::min(LAUNCH_SECONDS, left));
  kernel_for(threads, 1)<<<1, threads, 0, e->base.stream>>>(e->on_device, (unsigned long long)(seconds * 1e9));
  SCIARA_CUDA_TRY(cudaGetLastError());
  if (e->slot.times)
    SCIARA_CUDA_TRY(cudaMemcpyAsync(e->times, e->slot.times, sizeof *e->times, cudaMemcpyDeviceToHost, e->base.stream));
  return SCIARA_OK;
}

sciara_status done(void *engine) {
  batch_engine *e = engine_of(engine);
  if (!e->slot.times) return SCIARA_OK;
  sciara_engine_profile *p = &e->base.profile;
  const int process[] = {SCIARA_PROCESS_TIME_EVALUATION, SCIARA_PROCESS_MASS_AND_MOMENTUM, SCIARA_PROCESS_OTHER};
  for (int k = 0; k < 3; k++) p->seconds[process[k]] = (double)e->times->seconds[k] * 1e-9;
  p->timed_steps = e->times->timed_steps;
  return SCIARA_OK;
}

void release(void *engine) {
  batch_engine *e = engine_of(engine);
  if (e->times) cudaFreeHost(e->times);
  e->times = nullptr;
}

const sciara_device_strategy strategy = {.name = "cuda-batch",
                                         .size = sizeof(batch_engine),
                                         .exchange = SCIARA_OWN_EXCHANGE,
                                         .block_width = 0,
                                         .block_height = 0,
                                         .layout = layout,
                                         .prepare = prepare,
                                         .before = nullptr,
                                         .launch = nullptr,
                                         .run = run,
                                         .done = done,
                                         .release = release,
                                         .scratch = nullptr};

// --------------------------------------------------------------------------------------------------------------- batch

/** What the kernel reads and writes: one entry for each block, contiguous. */
struct launch_lists {
  batch_slot *slot;
  sciara_stop_rule *stop;
  sciara_device_control *control;
};

struct member {
  batch_engine *engine; ///< NULL: the slot was never used
  bool loaded, failed;
};

/** Host memory for fast copies. */
struct pinned_block {
  char *data;
  size_t bytes;
};

struct batch {
  sciara_slots_setup setup;
  std::vector<member> members;
  std::vector<int> active; ///< slots with steps to do; those of the next launch are the first
  int turn;                ///< slot with which the next `advance` begins
  int multiprocessors;
  size_t clusters[BATCH_MOST_BLOCKS + 1]; ///< [n]: slots that can advance at a time on n multiprocessors each; n = 2, 4
  cudaStream_t stream;
  launch_lists host, device;  ///< pinned; on the device
  sciara_host_fields staging; ///< of the last grid; lent to the engine of a slot for an upload or a download
  unsigned record_of_staging;
  pinned_block staging_block; ///< the arrays of `staging`
  pinned_block zeros;
  size_t bytes_of_slot; ///< taken for a slot at once; 0: only what its grid needs
};

batch *batch_of(void *b) { return static_cast<batch *>(b); }

/** Calls visit(array, bytes) for every array of these fields. */
template <class Visit> void for_each_array(sciara_host_fields *hf, Visit visit) {
  const size_t n = (size_t)hf->count;
#define SCIARA_REAL_FIELD(member) visit(hf->f.member, n * sizeof(real));
#define SCIARA_GROUND_FIELD(member) visit(hf->f.member, n * sizeof(real));
#define SCIARA_DOUBLE_FIELD(member) visit(hf->f.member, n * sizeof(double));
#define SCIARA_RECORDED_FIELD(member, ...) visit(hf->f.member, n * sizeof(real));
#include "model/fields.def"
  visit(hf->kind, n);
}

size_t aligned(size_t bytes) { return (bytes + SCIARA_ALIGNMENT - 1) / SCIARA_ALIGNMENT * SCIARA_ALIGNMENT; }

/** Makes the first `bytes` of a block 0; it is made larger if necessary. */
sciara_status take_pinned(pinned_block *block, size_t bytes) {
  if (block->bytes < bytes) {
    if (block->data) cudaFreeHost(block->data);
    *block = {};
    SCIARA_CUDA_TRY(cudaMallocHost(&block->data, bytes));
    block->bytes = bytes;
  }
  memset(block->data, 0, bytes);
  return SCIARA_OK;
}

/** Makes the arrays of the staging area, for a grid and the recorded fields of a state. */
sciara_status make_staging(batch *b, const sciara_state *s) {
  sciara_host_fields hf;
  size_t bytes = 0;
  b->staging = {};
  SCIARA_TRY(sciara_host_fields_create(&hf, s));
  for_each_array(&hf, [&](void *array, size_t size) { bytes += array ? aligned(size) : 0; });
  const sciara_status status = take_pinned(&b->staging_block, bytes);
  if (status != SCIARA_OK) {
    sciara_host_fields_destroy(&hf);
    return status;
  }
  char *next = b->staging_block.data;
  for_each_array(&hf, [&](auto &array, size_t size) {
    if (!array) return;
    sciara_free(array);
    array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(next);
    next += aligned(size);
  });
  hf.f.kind = hf.kind;
  b->staging = hf;
  b->record_of_staging = sciara_state_record(s);
  return SCIARA_OK;
}

/** Gives the staging area to an engine. */
sciara_status lend_staging(batch *b, sciara_device_engine *e, const sciara_state *s) {
  const sciara_grid *is = &b->staging.grid;
  if (!b->staging.f.z || is->rows != s->grid.rows || is->cols != s->grid.cols ||
      b->record_of_staging != sciara_state_record(s))
    SCIARA_TRY(make_staging(b, s));
  b->staging.grid = s->grid;
  e->hf = b->staging;
  return SCIARA_OK;
}

void take_staging_back(sciara_device_engine *e) {
  e->hf.kind = nullptr;
  const int64_t stride = e->hf.f.stride;
  e->hf.f = {};
  e->hf.f.stride = stride;
}

void destroy_batch(void *which) {
  batch *b = batch_of(which);
  if (!b) return;
  const sciara_on_device scope(b->setup.device);
  for (member &m : b->members) sciara_device_destroy(m.engine);
  void *const pinned[] = {b->zeros.data, b->staging_block.data, b->host.slot, b->host.stop, b->host.control};
  void *const on_device[] = {b->device.slot, b->device.stop, b->device.control};
  for (void *p : pinned)
    if (p) cudaFreeHost(p);
  for (void *p : on_device)
    if (p) cudaFree(p);
  if (b->stream) cudaStreamDestroy(b->stream);
  delete b;
}

/** Device memory of a slot for a grid of so many cells. */
size_t bytes_for(unsigned record, int64_t cells) {
  sciara_grid grid = {};
  grid.rows = (int64_t)std::sqrt((double)cells) + 1;
  grid.cols = cells / grid.rows + 1;
  size_t host = 0, device = 0;
  sciara_device_memory(&strategy, &grid, record, &host, &device);
  return device;
}

/**
 * Memory that each slot takes at once, for to exchange it later for more would wait for the slots that advance: that of
 * the grid of the setup, if all slots together then have at most half of what is free.
 */
sciara_status find_bytes_of_slot(batch *b) {
  size_t free_bytes = 0, total = 0;
  if (b->setup.cells <= 0 || b->setup.device_bytes) return SCIARA_OK;
  SCIARA_CUDA_TRY(cudaMemGetInfo(&free_bytes, &total));
  const size_t bytes = bytes_for(b->setup.record, b->setup.cells);
  if (bytes <= free_bytes / 2 / b->members.size()) b->bytes_of_slot = bytes;
  return SCIARA_OK;
}

void take_at_once(const batch *b, batch_engine *e) {
  if (e->base.memory || !b->bytes_of_slot) return;
  if (cudaMalloc(&e->base.memory, b->bytes_of_slot) == cudaSuccess) {
    e->base.memory_bytes = b->bytes_of_slot;
  } else {
    e->base.memory = nullptr; // what the grid needs is taken later
    cudaGetLastError();       // clears the error
  }
}

sciara_status take_lists(batch *b) {
  const size_t n = b->members.size();
  SCIARA_WITH_DEVICE(b->setup.device);
  SCIARA_CUDA_TRY(cudaDeviceGetAttribute(&b->multiprocessors, cudaDevAttrMultiProcessorCount, b->setup.device));
  for (unsigned blocks = 2; blocks <= BATCH_MOST_BLOCKS; blocks *= 2) b->clusters[blocks] = count_clusters(blocks);
  SCIARA_TRY(find_bytes_of_slot(b));
  SCIARA_CUDA_TRY(cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking));
  SCIARA_CUDA_TRY(cudaMallocHost(&b->host.slot, n * sizeof(batch_slot)));
  SCIARA_CUDA_TRY(cudaMallocHost(&b->host.stop, n * sizeof(sciara_stop_rule)));
  SCIARA_CUDA_TRY(cudaMallocHost(&b->host.control, n * sizeof(sciara_device_control)));
  SCIARA_CUDA_TRY(cudaMalloc(&b->device.slot, n * sizeof(batch_slot)));
  SCIARA_CUDA_TRY(cudaMalloc(&b->device.stop, n * sizeof(sciara_stop_rule)));
  SCIARA_CUDA_TRY(cudaMalloc(&b->device.control, n * sizeof(sciara_device_control)));
  return SCIARA_OK;
}

sciara_status create_batch(const sciara_slots_setup *setup, void **out) {
  if (setup->slots < 1) return sciara_fail(SCIARA_ERR_INTERNAL, "%d slots; expected at least 1", setup->slots);
  batch *b = new (std::nothrow) batch();
  if (!b) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the slots of engine cuda-batch");
  b->setup = *setup;
  sciara_status status = SCIARA_OK;
  try {
    b->members.resize((size_t)setup->slots);
    b->active.reserve(2 * (size_t)setup->slots); // a slot is added again before it is removed
  } catch (const std::bad_alloc &) {
    status = sciara_fail(SCIARA_ERR_MEMORY, "no memory for %d slots of engine cuda-batch", setup->slots);
  }
  if (status == SCIARA_OK) status = take_lists(b);
  if (status == SCIARA_OK)
    *out = b;
  else
    destroy_batch(b);
  return status;
}

sciara_status find_member(batch *b, int slot, bool must_be_loaded, member **out) {
  if (slot < 0 || (size_t)slot >= b->members.size())
    return sciara_fail(SCIARA_ERR_INTERNAL, "slot %d; expected 0 to %zu", slot, b->members.size() - 1);
  *out = &b->members[(size_t)slot];
  if (must_be_loaded && !(*out)->loaded) return sciara_fail(SCIARA_ERR_INTERNAL, "slot %d is empty", slot);
  return SCIARA_OK;
}

void clear_slot(void *which, int slot) {
  batch *b = batch_of(which);
  member *m = nullptr;
  if (find_member(b, slot, false, &m) != SCIARA_OK) return;
  m->loaded = m->failed = false; // its memory is for the next member
}

/** Releases the device memory of empty slots other than `m`; returns whether there was any. */
bool release_idle(batch *b, const member *m) {
  bool any = false;
  for (member &other : b->members) {
    if (&other == m || other.loaded || !other.engine) continue;
    sciara_device_destroy(other.engine);
    other = {};
    any = true;
  }
  return any;
}

/** Whether a vent could bring lava to the ring in the step in which it emits. */
sciara_status check_vents(const sciara_vents *v, const sciara_grid *g, unsigned sides) {
  for (int64_t k = 0; k < v->count; k++) {
    const bool near =
        ((sides & SCIARA_SIDE_NORTH) && v->row[k] < 2) || ((sides & SCIARA_SIDE_SOUTH) && v->row[k] >= g->rows - 2) ||
        ((sides & SCIARA_SIDE_WEST) && v->col[k] < 2) || ((sides & SCIARA_SIDE_EAST) && v->col[k] >= g->cols - 2);
    if (near)
      return sciara_fail(SCIARA_ERR_INTERNAL,
                         "vent %lld in row %lld, column %lld: expected at least two cells up to the ring", (long long)k,
                         (long long)v->row[k], (long long)v->col[k]);
  }
  return SCIARA_OK;
}

/** What must be 0 before the first launch. Copied, for a kernel would wait for the slots that advance. */
sciara_status clear_arrays(batch *b, const batch_engine *e) {
  const size_t cells = (size_t)e->base.hf.count;
  SCIARA_TRY(take_pinned(&b->zeros, cells * sizeof(int)));
  SCIARA_TRY(sciara_device_put(&e->base, e->slot.ready, b->zeros.data, sizeof(int)));
  SCIARA_TRY(sciara_device_put(&e->base, e->slot.link, b->zeros.data, cells * sizeof(int)));
  SCIARA_TRY(sciara_device_put(&e->base, e->slot.mail, b->zeros.data, cells + 3));
  return sciara_device_put(&e->base, e->slot.calm, b->zeros.data, cells);
}

/** SCIARA_ERR_MEMORY if the slots would need more than the setup allows. Memory of empty slots is released first. */
sciara_status check_memory(batch *b, member *m, const sciara_grid *grid) {
  size_t host = 0, device = 0, used = 0, idle = 0;
  for (const member &other : b->members)
    if (&other != m && other.engine) (other.loaded ? used : idle) += other.engine->base.memory_bytes;
  sciara_device_memory(&strategy, grid, b->setup.record, &host, &device);
  const size_t own = m->engine ? std::max(device, m->engine->base.memory_bytes) : device;
  const size_t limit = b->setup.device_bytes ? b->setup.device_bytes : SIZE_MAX;
  if (used + idle + own > limit) release_idle(b, m);
  if (used + own > limit && m->engine) {
    sciara_device_destroy(m->engine);
    m->engine = nullptr;
  }
  if (b->setup.host_bytes && host > b->setup.host_bytes)
    return sciara_fail(SCIARA_ERR_MEMORY, "the slots need %zu MiB of memory; expected at most %zu MiB", host >> 20,
                       b->setup.host_bytes >> 20);
  if (used + device > limit)
    return sciara_fail(SCIARA_ERR_MEMORY, "the slots need %zu MiB of device memory; expected at most %zu MiB",
                       (used + device) >> 20, b->setup.device_bytes >> 20);
  return SCIARA_OK;
}

sciara_status load_member(batch *b, member *m, const sciara_params *params, const sciara_vents *vents,
                          const sciara_state *state, unsigned sides) {
  sciara_engine_setup setup = {};
  setup.params = params;
  setup.vents = vents;
  setup.boundary = b->setup.boundary;
  setup.device = b->setup.device;
  setup.options = b->setup.options;
  SCIARA_TRY(check_vents(vents, &state->grid, sides));
  SCIARA_TRY(check_memory(b, m, &state->grid));
  void *engine = m->engine;
  if (!engine) SCIARA_TRY(sciara_device_create(&strategy, &setup, &engine));
  m->engine = engine_of(engine);
  m->engine->base.setup.params = params;
  m->engine->base.setup.vents = vents;
  m->engine->sides = sides;
  m->engine->base.reuses = true;
  take_at_once(b, m->engine);
  SCIARA_TRY(lend_staging(b, &m->engine->base, state));
  sciara_status status = sciara_device_upload(engine, state);
  if (status == SCIARA_ERR_MEMORY && release_idle(b, m)) status = sciara_device_upload(engine, state);
  if (status == SCIARA_OK) status = clear_arrays(b, m->engine);
  take_staging_back(&m->engine->base);
  m->engine->base.setup.params = nullptr; // are the caller's
  m->engine->base.setup.vents = nullptr;
  return status;
}

sciara_status load(void *which, int slot, const sciara_params *params, const sciara_vents *vents,
                   const sciara_state *state, unsigned sides) {
  batch *b = batch_of(which);
  member *m = nullptr;
  SCIARA_TRY(find_member(b, slot, false, &m));
  if (sciara_state_record(state) != b->setup.record)
    return sciara_fail(SCIARA_ERR_INTERNAL, "a state that records %u in slots that record %u",
                       sciara_state_record(state), b->setup.record);
  if (params->rule != SCIARA_RULE_HERE)
    return sciara_fail(SCIARA_ERR_INTERNAL, "parameters of rule \"%s\" in slots of rule \"%s\"",
                       sciara_rule_name(params->rule), sciara_rule_name(SCIARA_RULE_HERE));
  m->loaded = m->failed = false;
  SCIARA_WITH_DEVICE(b->setup.device);
  const sciara_status status = load_member(b, m, params, vents, state, sides);
  if (status != SCIARA_OK)
    clear_slot(b, slot);
  else
    m->loaded = true;
  return status;
}

sciara_status download_slot(void *which, int slot, sciara_state *state) {
  batch *b = batch_of(which);
  member *m = nullptr;
  SCIARA_TRY(find_member(b, slot, true, &m));
  const sciara_on_device scope(b->setup.device);
  sciara_device_engine *e = &m->engine->base;
  SCIARA_TRY(lend_staging(b, e, state));
  for (int64_t r = 0; r < state->grid.rows; r++)
    memcpy(e->hf.kind + sciara_host_index(&e->hf, r, 0), state->kind + r * state->grid.cols, (size_t)state->grid.cols);
  const sciara_status status = sciara_device_download(e, state);
  take_staging_back(e);
  return status;
}

/** Whether a slot takes part in an `advance`. Others may change meanwhile: nothing of them is read. */
bool is_in(const batch *b, size_t slot, const bool takes_part[]) {
  return (!takes_part || takes_part[slot]) && b->members[slot].loaded;
}

/** Begins an `advance`: lists the slots that have steps to do; returns the longest max_wall_ms. */
unsigned begin_advance(batch *b, const bool takes_part[], const sciara_stop stops[]) {
  unsigned most = 0;
  b->active.clear();
  for (size_t n = 0; n < b->members.size(); n++) {
    const size_t k = ((size_t)b->turn + n) % b->members.size();
    member *m = &b->members[k];
    if (!is_in(b, k, takes_part)) continue;
    most = std::max(most, stops[k].max_wall_ms ? stops[k].max_wall_ms : 100);
    if (m->failed || !sciara_step_control_begin(&m->engine->base.step_control, &stops[k])) continue;
    b->active.push_back((int)k);
  }
  return most;
}

bool is_cancelled(const batch *b, const bool takes_part[], const sciara_stop stops[]) {
  for (size_t k = 0; k < b->members.size(); k++)
    if (is_in(b, k, takes_part) && stops[k].cancel && __atomic_load_n(stops[k].cancel, __ATOMIC_RELAXED)) return true;
  return false;
}

/** The blocks of a launch. */
struct launch_shape {
  size_t slots;     ///< the first of the active ones
  unsigned threads; ///< of a block
  unsigned blocks;  ///< of a slot
};

/**
 * With much lava, one slot on each multiprocessor advances at a time; the others wait for their turn. Few slots with much
 * lava advance on several multiprocessors each.
 */
launch_shape choose_shape(const batch *b) {
  const size_t n = b->active.size(), room = (size_t)b->multiprocessors;
  double liquid = 0;
  for (const int slot : b->active) liquid += (double)b->members[(size_t)slot].engine->base.control->liquid / (double)n;
  bool large = n > room ? liquid > MUCH_OF_TWO && liquid <= TOO_MUCH : liquid > MUCH_OF_ONE;
  if (threads_of(&b->setup.options, 0)) large = false; // the options give the shape
  for (unsigned blocks = BATCH_MOST_BLOCKS; large && blocks > 1; blocks /= 2)
    if (n <= b->clusters[blocks]) return {n, BATCH_MOST_THREADS, blocks};
  return {large ? std::min(n, room) : n,
          threads_of(&b->setup.options, large ? LARGE_THREADS : (unsigned)PRESET_THREADS), 1};
}

/** The data of the first `slots` active slots. */
void fill_lists(batch *b, size_t slots, const sciara_stop stops[]) {
  for (size_t n = 0; n < slots; n++) {
    batch_engine *e = b->members[(size_t)b->active[n]].engine;
    b->host.control[n] = *e->base.control;
    b->host.control[n].reason = SCIARA_STOP_NONE;
    b->host.stop[n] = sciara_step_control_rule(&e->base.step_control, &stops[b->active[n]]);
    b->host.slot[n] = e->slot;
    b->host.slot[n].d.control = b->device.control + n;
    b->host.slot[n].d.stop = b->device.stop + n;
  }
}

/** The first active slots advance for about `seconds` together. */
sciara_status launch(batch *b, const launch_shape &shape, double seconds) {
  const size_t n = shape.slots, grid = n * shape.blocks;
  const unsigned threads = shape.threads;
  batch_kernel *const kernel =
      shape.blocks > 1 ? cluster_kernel_for(shape.blocks)
                       : kernel_for(threads, (n + (size_t)b->multiprocessors - 1) / (size_t)b->multiprocessors);
  int resident = 0;
  SCIARA_CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, (int)threads, 0));
  const size_t room = (size_t)std::max(resident, 1) * (size_t)b->multiprocessors, waves = (grid + room - 1) / room;
  SCIARA_CUDA_TRY(
      cudaMemcpyAsync(b->device.slot, b->host.slot, n * sizeof(batch_slot), cudaMemcpyHostToDevice, b->stream));
  SCIARA_CUDA_TRY(
      cudaMemcpyAsync(b->device.stop, b->host.stop, n * sizeof(sciara_stop_rule), cudaMemcpyHostToDevice, b->stream));
  SCIARA_CUDA_TRY(cudaMemcpyAsync(b->device.control, b->host.control, n * sizeof(sciara_device_control),
                                  cudaMemcpyHostToDevice, b->stream));
  cudaLaunchAttribute attribute = {};
  cudaLaunchConfig_t config = configuration(grid, threads, shape.blocks, &attribute);
  config.stream = b->stream;
  SCIARA_CUDA_TRY(cudaLaunchKernelEx(&config, kernel, (const batch_slot *)b->device.slot,
                                     (unsigned long long)(seconds * 1e9 / (double)waves)));
  SCIARA_CUDA_TRY(cudaMemcpyAsync(b->host.control, b->device.control, n * sizeof(sciara_device_control),
                                  cudaMemcpyDeviceToHost, b->stream));
  SCIARA_CUDA_TRY(cudaStreamSynchronize(b->stream));
  return SCIARA_OK;
}

/** Reads the result of the n-th block; returns whether its slot has more steps to do. */
bool take_result(batch *b, size_t n, const sciara_stop stops[]) {
  const int slot = b->active[n];
  member *m = &b->members[(size_t)slot];
  sciara_device_engine *e = &m->engine->base;
  *e->control = b->host.control[n];
  sciara_device_read_control(e);
  m->failed = e->control->failed != 0;
  if (m->failed) return false;
  const bool over = sciara_step_control_stop(&e->step_control, &stops[slot]);
  sciara_stop_reason *reason = &e->step_control.now.reason;
  const bool waits = *reason == SCIARA_STOP_NONE || *reason == SCIARA_STOP_WALL || *reason == SCIARA_STOP_CANCEL;
  if (waits && e->control->reason == SCIARA_STOP_RING) {
    *reason = SCIARA_STOP_RING;
    return false;
  }
  return !over;
}

/** Ends an `advance` before its active slots have stopped. */
void end_advance(batch *b, sciara_stop_reason why) {
  b->turn = b->active.front();
  for (const int slot : b->active) b->members[(size_t)slot].engine->base.step_control.now.reason = why;
  b->active.clear();
}

sciara_status advance_batch(void *which, const bool takes_part[], const sciara_stop stops[],
                            sciara_engine_progress progress[]) {
  batch *b = batch_of(which);
  SCIARA_WITH_DEVICE(b->setup.device);
  const unsigned most = begin_advance(b, takes_part, stops);
  const double until = sciara_wallclock() + 1e-3 * most;
  std::vector<int> &active = b->active;
  while (!active.empty()) {
    const launch_shape shape = choose_shape(b);
    fill_lists(b, shape.slots, stops);
    const double share = (double)shape.slots / (double)active.size();
    const double slice = std::min(1e-3 * LAUNCH_MS * share, until - sciara_wallclock());
    SCIARA_TRY(launch(b, shape, std::max(slice, 1e-3)));
    for (size_t n = 0; n < shape.slots; n++) {
      const int slot = active[n];
      if (take_result(b, n, stops)) active.push_back(slot); // its next turn is after that of the others
    }
    active.erase(active.begin(), active.begin() + (ptrdiff_t)shape.slots);
    const bool cancelled = is_cancelled(b, takes_part, stops), late = sciara_wallclock() >= until;
    if (!active.empty() && (cancelled || late)) end_advance(b, cancelled ? SCIARA_STOP_CANCEL : SCIARA_STOP_WALL);
  }
  for (size_t k = 0; k < b->members.size(); k++)
    if (is_in(b, k, takes_part)) progress[k] = b->members[k].engine->base.step_control.now;
  return SCIARA_OK;
}

int count_slots(int device, int64_t cells, size_t *bytes) {
  size_t free_bytes = 0, total = 0;
  int multiprocessors = 0;
  *bytes = bytes_for(SCIARA_RECORD_EVERYTHING, cells);
  const sciara_on_device scope(device);
  if (scope.error != cudaSuccess || cudaMemGetInfo(&free_bytes, &total) != cudaSuccess ||
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess) {
    cudaGetLastError(); // clears the error
    return 0;
  }
  const size_t fit = free_bytes / 10 * 9 / *bytes;
  return (int)std::min(fit, (size_t)multiprocessors * SLOTS_OF_MULTIPROCESSOR);
}

/** Estimated seconds of a step of a member, and of one of its liquid cells (docs/performance.md). */
struct step_cost {
  double step, cell;
};
const step_cost ON_BLOCK = {3e-6, 14.5e-9}, ON_FUSED = {6.3e-6, 1e-9}; // H200
const step_cost ON_CLUSTER = {5e-6, 4.3e-9};                           // of BATCH_MOST_BLOCKS; H100

bool is_outgrown(const void *which, const int64_t liquid[], int count) {
  const batch *b = static_cast<const batch *>(which);
  const bool clusters = !threads_of(&b->setup.options, 0) && (size_t)count <= b->clusters[BATCH_MOST_BLOCKS];
  const step_cost here = clusters ? ON_CLUSTER : ON_BLOCK;
  double slowest = 0, fused = 0;
  for (int k = 0; k < count; k++) {
    slowest = std::max(slowest, here.step + here.cell * (double)liquid[k]);
    fused += ON_FUSED.step + ON_FUSED.cell * (double)liquid[k];
  }
  return fused < slowest;
}

const sciara_engine_slots table = {.create = create_batch,
                                   .destroy = destroy_batch,
                                   .load = load,
                                   .advance = advance_batch,
                                   .download = download_slot,
                                   .clear = clear_slot,
                                   .count = count_slots,
                                   .outgrown = is_outgrown,
                                   .successor = "cuda-fused",
                                   .rule = SCIARA_RULE_HERE,
                                   .single_precision = !IS_DOUBLE};

} // namespace

SCIARA_DEVICE_ENGINE_WITH(cuda_batch, "cuda-batch",
                          "GPU: one block or cluster per simulation, many simulations at a time",
                          "block_width block_height", SCIARA_GATHER_CLASS, nullptr, &table);
