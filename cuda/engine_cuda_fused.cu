// SPDX-License-Identifier: Apache-2.0
// Many steps in one kernel, on the tiles that lava is in or next to. Where they fit the shared memory of all
// multiprocessors eight lanes share a cell, else a thread has one; it is chosen between launches and changes no bit.
#include "base/wallclock.h"
#include "cuda_check.h"
#include "device_engine.h"
#include "fused_large.cuh"
#include "fused_small.cuh"

namespace {

using namespace sciara_gpu;

const double LAUNCH_SECONDS = 0.02; // a launch aims at: `advance` comes back between two

struct fused_engine {
  sciara_device_engine base;
  fused_space space;
  fused_control *seen;      ///< pinned: as the last launch left it
  void *scratch;            ///< device memory of its own, for it grows with the lava
  unsigned blocks[2];       ///< of the kernels for little and for much lava
  bool everywhere;          ///< no list yet: look for lava in the whole grid
  bool large;               ///< the second kernel is to be used
  unsigned long long steps; ///< of the next launch
  unsigned long long begun; ///< step at which the last one began
  double at;                ///< and when
};

fused_engine *engine_of(void *engine) { return static_cast<fused_engine *>(engine); }

/** Tiles of the padded arrays: their rows are padded to whole tiles. */
uint32_t tiles_down(const sciara_device_engine *e) {
  return (uint32_t)((e->hf.grid.rows + 2 + TILE_HEIGHT - 1) / TILE_HEIGHT);
}

void layout(void *engine, sciara_carver *carver) {
  fused_engine *e = engine_of(engine);
  fused_space *s = &e->space;
  s->tiles_y = tiles_down(&e->base);
  s->tiles_x = (uint32_t)(e->base.hf.count / (e->base.hf.grid.rows + 2) / TILE_WIDTH);
  const int64_t tiles = (int64_t)s->tiles_x * s->tiles_y;
  s->c = carver->take<fused_control>(1);
  for (uint32_t *&list : s->list) list = carver->take<uint32_t>(tiles);
  for (unsigned **field : {&s->listed, &s->held, &s->place}) *field = carver->take<unsigned>(tiles);
  s->found = carver->take<uint32_t>(tiles);
  s->points = carver->take<meeting_point>(MEETING_POINTS);
}

/** Tiles that have what the kernel for little lava needs beside the rest. */
unsigned few_of(const fused_space *s) { return smaller(s->capacity, (unsigned)FEW_TILES); }

/** Lays the scratch out. */
void lay_out_scratch(fused_space *s, sciara_carver *c) {
  s->around = c->take<int>((int64_t)s->capacity * 9);
  const int64_t few = few_of(s);
  s->inbox[0] = c->take<unsigned>((int64_t)s->capacity * TILE_CELLS);
  s->inbox[1] = c->take<unsigned>(few * TILE_CELLS);
  s->sent = c->take<unsigned>((int64_t)s->capacity * TILE_CELLS);
  s->donor = c->take<fused_donor>((int64_t)s->capacity * TILE_CELLS);
  s->flow = c->take<fused_flow>((int64_t)s->capacity * TILE_CELLS * 8);
  s->surface = c->take<fused_surface>(few * TILE_CELLS);
  s->signals = c->take<fused_signal>(MOST_BLOCKS);
}

/** Bytes of scratch for so many tiles, at most those of the grid; `capacity` becomes their number. */
size_t size_scratch(fused_space *s, uint64_t tiles) {
  const uint64_t all = (uint64_t)s->tiles_x * s->tiles_y;
  s->capacity = (unsigned)(tiles < all ? tiles : all);
  sciara_carver carver = {};
  lay_out_scratch(s, &carver);
  return carver.used;
}

/** Takes scratch for `wanted` tiles if there is memory, else for `needed`; before that the old one is given back. */
sciara_status take_scratch(fused_engine *e, uint64_t needed, uint64_t wanted) {
  fused_space *s = &e->space;
  if (e->scratch) SCIARA_CUDA_TRY(cudaFree(e->scratch));
  e->scratch = nullptr;
  size_t free_bytes = 0, total = 0, bytes = size_scratch(s, wanted);
  cudaError_t error = cudaMemGetInfo(&free_bytes, &total);
  if (bytes > free_bytes) bytes = size_scratch(s, needed);
  const unsigned capacity = s->capacity;
  s->capacity = 0; // as long as there is none
  if (error == cudaSuccess && bytes > free_bytes)
    return sciara_fail(SCIARA_ERR_MEMORY,
                       "engine cuda-fused needs another %zu MiB of device memory for %u tiles, %zu MiB are free",
                       bytes >> 20, capacity, free_bytes >> 20);
  if (error == cudaSuccess) error = cudaMalloc(&e->scratch, bytes);
  if (error == cudaSuccess) error = cudaMemsetAsync(e->scratch, 0, bytes, e->base.stream);
  if (error != cudaSuccess) return sciara_cuda_fail(error, "scratch of engine cuda-fused");
  s->capacity = capacity;
  sciara_carver carver = {};
  carver.base = static_cast<char *>(e->scratch);
  lay_out_scratch(s, &carver);
  return SCIARA_OK;
}

/** Tiles that the first scratch has room for: a sixteenth of the grid's, but at least 64 and at most 4096. */
uint64_t first_tiles(const fused_space *s) {
  const uint64_t share = (uint64_t)s->tiles_x * s->tiles_y / 16;
  return share < 64 ? 64 : share > 4096 ? 4096 : share;
}

/** What is taken at the begin beside `layout`. */
size_t first_scratch(void *engine) {
  fused_space copy = engine_of(engine)->space;
  return size_scratch(&copy, first_tiles(&copy));
}

/** Blocks of each kernel that run at once. */
sciara_status ask_occupancy(fused_engine *e) {
  int device = 0, shared = 0, of_multiprocessor = 0;
  SCIARA_CUDA_TRY(cudaGetDevice(&device));
  SCIARA_CUDA_TRY(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const int spare = 8192; // static shared memory, and what the driver keeps
  e->blocks[0] = (unsigned)(e->base.multiprocessors < MOST_BLOCKS ? e->base.multiprocessors : MOST_BLOCKS);
  if ((size_t)(shared - spare) < sizeof(small_block))
    e->blocks[0] = 0; // always the other one
  else
    SCIARA_CUDA_TRY(
        cudaFuncSetAttribute(fused_small, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(small_block)));
  SCIARA_CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_multiprocessor, fused_large, large_work::BLOCK, 0));
  e->blocks[1] = (unsigned)(e->base.multiprocessors * of_multiprocessor);
  return SCIARA_OK;
}

sciara_status prepare(void *engine) {
  fused_engine *e = engine_of(engine);
  if (!e->seen) SCIARA_CUDA_TRY(cudaMallocHost(&e->seen, sizeof *e->seen));
  *e->seen = {};
  e->everywhere = true;
  e->steps = 64;
  e->begun = e->base.clockwork.now.step;
  SCIARA_TRY(ask_occupancy(e));
  e->large = e->blocks[0] == 0;
  const uint64_t first = first_tiles(&e->space);
  return take_scratch(e, first, first);
}

sciara_status make_list(fused_engine *e, cudaStream_t stream) {
  const unsigned blocks = (unsigned)e->base.multiprocessors * (e->everywhere ? 8 : 1);
  begin_list<<<1, 1, 0, stream>>>(e->space);
  find_inner<<<blocks, 256, 0, stream>>>(e->base.device, e->space, e->everywhere);
  order_inner<<<blocks, 256, 0, stream>>>(e->space);
  list_outer<<<blocks, 256, 0, stream>>>(e->space);
  tell_places<<<blocks, 256, 0, stream>>>(e->space);
  SCIARA_CUDA_TRY(cudaGetLastError());
  return SCIARA_OK;
}

sciara_status run(void *engine) {
  fused_engine *e = engine_of(engine);
  cudaStream_t stream = e->base.stream;
  const unsigned long long step = e->base.clockwork.now.step;
  fused_orders orders = {e->steps, e->base.setup.profile};
  e->at = sciara_wallclock();
  e->begun = step;
  SCIARA_TRY(make_list(e, stream));
  e->everywhere = false;
  ready_points<<<1, 1, 0, stream>>>(e->space.points);
  void *arguments[] = {&e->base.device, &e->space, &orders};
  if (e->large) {
    SCIARA_CUDA_TRY(cudaLaunchCooperativeKernel((const void *)fused_large, dim3(e->blocks[1]), dim3(large_work::BLOCK),
                                                arguments, 0, stream));
  } else {
    SCIARA_CUDA_TRY(cudaLaunchCooperativeKernel((const void *)fused_small, dim3(e->blocks[0]), dim3(SMALL_BLOCK),
                                                arguments, sizeof(small_block), stream));
  }
  SCIARA_CUDA_TRY(cudaMemcpyAsync(e->seen, e->space.c, sizeof *e->seen, cudaMemcpyDeviceToHost, stream));
  return SCIARA_OK;
}

/** How many steps the next launch shall do. */
void set_pace(fused_engine *e) {
  const unsigned long long did = e->base.clockwork.now.step - e->begun;
  const double took = sciara_wallclock() - e->at, steps = (double)e->steps;
  if (!did) return;
  double fit = LAUNCH_SECONDS * (double)did / (took > 1e-6 ? took : 1e-6);
  if (did < e->steps && fit > steps / 4) return; // it was cut short: it tells less
  if (fit > 4 * steps) fit = 4 * steps;
  e->steps = (unsigned long long)(fit < 1 ? 1 : fit > 1e6 ? 1e6 : fit);
}

sciara_status empty_inboxes(fused_engine *e) {
  const fused_space *s = &e->space;
  const size_t few = few_of(s), tile = TILE_CELLS * sizeof(unsigned);
  SCIARA_CUDA_TRY(cudaMemsetAsync(s->inbox[0], 0, s->capacity * tile, e->base.stream));
  SCIARA_CUDA_TRY(cudaMemsetAsync(s->inbox[1], 0, few * tile, e->base.stream));
  return SCIARA_OK;
}

/** What the next launch has to be. */
sciara_status done(void *engine) {
  fused_engine *e = engine_of(engine);
  const fused_control *c = e->seen;
  const unsigned count = c->inner + c->outer;
  sciara_engine_profile *p = &e->base.profile;
  const int process[] = {SCIARA_PROCESS_TIME_EVALUATION, SCIARA_PROCESS_MASS_AND_MOMENTUM, SCIARA_PROCESS_OTHER};
  for (int k = 0; k < 3; k++) p->seconds[process[k]] = (double)c->timer[k] * 1e-9;
  p->timed_steps = c->timed_steps;
  e->large = !e->blocks[0] || count > most_small_tiles(e->blocks[0]);
  if (e->base.control->failed) // the step was not ended: what was announced was not taken
    SCIARA_TRY(empty_inboxes(e));
  set_pace(e);
  return count > e->space.capacity ? take_scratch(e, count, (uint64_t)count * 3 / 2) : SCIARA_OK;
}

void release(void *engine) {
  fused_engine *e = engine_of(engine);
  if (e->scratch) cudaFree(e->scratch);
  if (e->seen) cudaFreeHost(e->seen);
  e->scratch = nullptr;
  e->seen = nullptr;
}

const sciara_device_strategy strategy = {.name = "cuda-fused",
                                         .size = sizeof(fused_engine),
                                         .exchange = SCIARA_OWN_EXCHANGE,
                                         .block_width = 32,
                                         .block_height = 8,
                                         .layout = layout,
                                         .prepare = prepare,
                                         .before = nullptr,
                                         .launch = nullptr,
                                         .run = run,
                                         .done = done,
                                         .release = release,
                                         .scratch = first_scratch};

} // namespace

SCIARA_DEVICE_ENGINE_OF(cuda_fused, "cuda-fused", "GPU: many steps in one kernel, on the tiles with lava", 0,
                        SCIARA_GATHER_CLASS);
