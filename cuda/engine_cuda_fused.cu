// SPDX-License-Identifier: Apache-2.0
// Works on the tiles with lava and their neighbours. If they fit the shared memory of all multiprocessors, many steps
// run in one kernel and eight lanes work on a cell (fused_small.cuh): on one cluster of multiprocessors if the tiles
// are few, else on all. If they do not fit, a step consists of three kernels with one thread per cell
// (fused_patches.cuh). The choice is made between launches and changes no bit.
#include <cstdlib>

#include "base/wallclock.h"
#include "cuda_check.h"
#include "device_engine.h"
#include "fused_patches.cuh"
#include "fused_small.cuh"
#include "tile_scratch.cuh"

namespace {

using namespace sciara_gpu;

const double LAUNCH_SECONDS = 0.02; // intended duration of a launch: `advance` can return between two launches

/** Ways to execute steps. Little lava: many steps in one kernel; much lava: three kernels per step. */
enum way { SMALL, PATCHES };

const unsigned UNKNOWN = ~0u;

/** Up to this number of tiles one cluster is faster than all blocks, on an H200 (docs/performance.md, cluster-256). */
const unsigned MOST_CLUSTER_TILES = 112;

struct fused_engine {
  sciara_device_engine base;
  fused_space space;
  patch_space patches;
  fused_control *seen;      ///< pinned, [SMALL] and [PATCHES]: the control after the last launch of each way
  void *scratch;            ///< separate device memory, because it grows with the lava
  unsigned blocks;          ///< of the kernel for little lava; 0: it cannot run on this GPU
  bool has_clusters;        ///< whether it can run as a cluster
  bool begins_early;        ///< the kernels of `patches` may begin before the last one has ended
  way how;                  ///< of the next launch
  bool everywhere;          ///< there is no list yet: search the whole grid for lava
  unsigned few;             ///< up to this number of inner patches the lava may fit `small` again; UNKNOWN: not set yet
  unsigned long long steps; ///< of the next launch, unless `advance` has fewer ahead
  unsigned long long queued; ///< steps of the last launch
  unsigned long long begun;  ///< step at which the last launch began
  double at;                 ///< wall-clock time at which it began, s
};

fused_engine *engine_of(void *engine) { return static_cast<fused_engine *>(engine); }

void layout(void *engine, sciara_arena *arena) {
  fused_engine *e = engine_of(engine);
  const int64_t rows = e->base.hf.grid.rows + 2, stride = e->base.hf.count / rows;
  e->space.lay_out(arena, rows, stride);
  e->patches.lay_out(arena, rows, stride);
  e->space.slots = arena->take<barrier_slot>(BARRIER_SLOTS);
}

/** Releases the old scratch and takes one, of one way or the other. */
template <class Space> sciara_status take_room(fused_engine *e, Space *s, uint64_t needed, uint64_t preferred) {
  e->space.capacity = e->patches.capacity = 0; // until there is a new one
  return take_scratch(&e->base, &e->scratch, s, needed, preferred);
}

/** Bytes allocated at the start in addition to those of `layout`. */
size_t first_scratch(void *engine) {
  fused_space copy = engine_of(engine)->space;
  return size_scratch(&copy, first_tiles(&copy));
}

/** The configuration to launch a kernel as one cluster; `attribute` must outlive the result. */
cudaLaunchConfig_t one_cluster(cudaLaunchAttribute *attribute, cudaStream_t stream) {
  *attribute = {};
  attribute->id = cudaLaunchAttributeClusterDimension;
  attribute->val.clusterDim.x = CLUSTER;
  attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(CLUSTER);
  config.blockDim = dim3(SMALL_THREADS);
  config.dynamicSmemBytes = sizeof(small_block<true>);
  config.stream = stream;
  config.attrs = attribute;
  config.numAttrs = 1;
  return config;
}

/**
 * Whether the kernel for little lava can run as a cluster; `shared`: shared memory available to a block, bytes. If one
 * of the calls fails, the GPU does not support such a cluster. With SCIARA_NO_CLUSTERS in the environment the result is
 * false, so that tests can run the other ways on every GPU.
 */
bool has_clusters(cudaStream_t stream, size_t shared) {
  cudaFuncAttributes is = {};
  cudaLaunchAttribute attribute;
  const cudaLaunchConfig_t config = one_cluster(&attribute, stream);
  const int bytes = (int)sizeof(small_block<true>);
  int clusters = 0;
  const bool supported =
      !getenv("SCIARA_NO_CLUSTERS") && cudaFuncGetAttributes(&is, fused_cluster) == cudaSuccess &&
      is.ptxVersion >= 90 && shared >= (size_t)bytes && // below 9.0 the kernel is empty
      cudaFuncSetAttribute(fused_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess &&
      cudaFuncSetAttribute(fused_cluster, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) == cudaSuccess &&
      cudaOccupancyMaxActiveClusters(&clusters, fused_cluster, &config) == cudaSuccess;
  if (!supported) cudaGetLastError(); // clears the error, so that it is not reported for a later call
  return supported && clusters > 0;
}

/** Finds how many blocks of the kernel for little lava can run at the same time, and whether those for much may begin early. */
sciara_status find_occupancy(fused_engine *e) {
  int device = 0, shared = 0;
  SCIARA_CUDA_TRY(cudaGetDevice(&device));
  SCIARA_CUDA_TRY(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const void *const kernels[] = {(const void *)evaluate_patches<whole_map>, (const void *)move_in_patches<whole_map>,
                                 (const void *)settle_patches<whole_map>, (const void *)turn_patches};
  SCIARA_TRY(find_early(device, kernels, &e->begins_early));
  const int spare = 8192; // static shared memory, and the part reserved by the driver
  e->blocks = 0;
  if ((size_t)(shared - spare) < sizeof(small_block<false>)) return SCIARA_OK;
  e->blocks = (unsigned)e->base.multiprocessors;
  SCIARA_CUDA_TRY(
      cudaFuncSetAttribute(fused_small, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(small_block<false>)));
  e->has_clusters = has_clusters(e->base.stream, (size_t)(shared - spare));
  return SCIARA_OK;
}

/** Number of tiles that fit `small`. */
uint64_t most_small_tiles(const fused_engine *e) { return (uint64_t)small_block<false>::TILES * e->blocks; }

sciara_status prepare(void *engine) {
  fused_engine *e = engine_of(engine);
  if (!e->seen) SCIARA_CUDA_TRY(cudaMallocHost(&e->seen, 2 * sizeof *e->seen));
  e->seen[SMALL] = e->seen[PATCHES] = {};
  e->everywhere = true;
  e->steps = 64;
  e->begun = e->base.step_control.now.step;
  SCIARA_TRY(find_occupancy(e));
  e->how = e->blocks ? SMALL : PATCHES;
  e->few = UNKNOWN;
  const uint64_t first = first_tiles(&e->space);
  if (e->how == PATCHES) return take_room(e, &e->patches, first, first);
  return take_room(e, &e->space, first, first);
}

/** Whether the next launch for little lava uses a cluster, according to the last list. */
bool in_cluster(const fused_engine *e) {
  return e->has_clusters && e->seen[SMALL].inner + e->seen[SMALL].outer <= MOST_CLUSTER_TILES;
}

/** Queues the kernels that make the list of the next launch. */
template <class Space> sciara_status make_list(fused_engine *e, const Space &space) {
  const unsigned blocks = (unsigned)e->base.multiprocessors * (e->everywhere || e->how == PATCHES ? 8 : 1);
  const unsigned order_for = e->how == SMALL && e->seen[SMALL].inner > e->blocks ? e->blocks : 0;
  queue_inner(e->base.device, space, e->everywhere, blocks, e->base.stream);
  if (order_for) order_inner<<<1, 512, 0, e->base.stream>>>(space, order_for);
  queue_outer(space, blocks, e->base.stream);
  SCIARA_CUDA_TRY(cudaGetLastError());
  e->everywhere = false;
  return SCIARA_OK;
}

/** Queues steps as one kernel. */
sciara_status run_fused(fused_engine *e) {
  cudaStream_t stream = e->base.stream;
  fused_orders orders = {e->queued, e->base.setup.profile};
  SCIARA_TRY(make_list(e, e->space));
  clear_slots<<<1, 1, 0, stream>>>(e->space.slots);
  void *arguments[] = {&e->base.device, &e->space, &orders};
  if (in_cluster(e)) {
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config = one_cluster(&attribute, stream);
    SCIARA_CUDA_TRY(cudaLaunchKernelExC(&config, (const void *)fused_cluster, arguments));
  } else {
    SCIARA_CUDA_TRY(cudaLaunchCooperativeKernel((const void *)fused_small, dim3(e->blocks), dim3(SMALL_THREADS),
                                                arguments, sizeof(small_block<false>), stream));
  }
  SCIARA_CUDA_TRY(cudaMemcpyAsync(&e->seen[SMALL], e->space.c, sizeof *e->seen, cudaMemcpyDeviceToHost, stream));
  return SCIARA_OK;
}

/** Queues steps as separate kernels. Kernels after the last step do nothing. */
sciara_status run_patches(fused_engine *e) {
  const sciara_device &d = e->base.device;
  const patch_space &space = e->patches;
  cudaStream_t stream = e->base.stream;
  const bool profile = e->base.setup.profile, early = e->begins_early;
  const auto watch = [&](int which) {
    if (profile) watch_patches<<<1, 1, 0, stream>>>(d, space, which);
  };
  SCIARA_TRY(make_list(e, space));
  // At most as many blocks as tiles in the last list: further blocks would only cost time.
  const unsigned listed = e->seen[PATCHES].inner + e->seen[PATCHES].outer;
  const unsigned most = (unsigned)e->base.multiprocessors * 64, blocks = listed && listed < most ? listed : most;
  begin_patches<<<1, THREADS_OF_VENTS, 0, stream>>>(d, space, e->queued);
  watch(-1);
  for (unsigned long long k = 0; k < e->queued; k++) {
    queue_early(stream, early, evaluate_patches<whole_map>, blocks, patch_space::CELLS, d, space, whole_map{});
    watch(0);
    queue_early(stream, early, move_in_patches<whole_map>, blocks, patch_space::WITH_HALO, d, space, whole_map{});
    queue_early(stream, early, settle_patches<whole_map>, blocks, patch_space::CELLS, d, space, whole_map{});
    watch(1);
    queue_early(stream, early, turn_patches, 1, THREADS_OF_VENTS, d, space);
    watch(2);
  }
  SCIARA_CUDA_TRY(cudaGetLastError());
  SCIARA_CUDA_TRY(cudaMemcpyAsync(&e->seen[PATCHES], space.c, sizeof *e->seen, cudaMemcpyDeviceToHost, stream));
  return SCIARA_OK;
}

sciara_status run(void *engine) {
  fused_engine *e = engine_of(engine);
  e->at = sciara_wallclock();
  e->begun = e->base.step_control.now.step;
  e->queued = e->base.ahead < e->steps ? e->base.ahead : e->steps;
  return e->how == PATCHES ? run_patches(e) : run_fused(e);
}

/** Sets the number of steps of the next launch. */
void set_pace(fused_engine *e) {
  const unsigned long long did = e->base.step_control.now.step - e->begun;
  const double took = sciara_wallclock() - e->at, steps = (double)e->steps;
  if (!did) return;
  double fit = LAUNCH_SECONDS * (double)did / (took > 1e-6 ? took : 1e-6);
  if (e->how == PATCHES) { // launched steps that are not executed cost time too
    const bool short_list = did < e->queued || e->seen[PATCHES].entered;
    const double most = short_list ? (double)patch_space::STEPS_OF_GRACE + 1 : 2 * steps;
    if (fit > most) fit = most;
  } else if (did < e->queued && fit > steps / 4) {
    return; // the launch ended early: its time is no good estimate
  }
  if (fit > 4 * steps) fit = 4 * steps;
  e->steps = (unsigned long long)(fit < 1 ? 1 : fit > 1e6 ? 1e6 : fit);
}

/** Uses another way from the next launch on, with a new list from the whole grid. */
void change_way(fused_engine *e, way how) {
  e->how = how;
  e->everywhere = true;
  e->steps = how == PATCHES ? patch_space::STEPS_OF_GRACE + 1 : 64;
}

/** Allocates a larger scratch if the list does not fit. */
template <class Space> sciara_status make_room(fused_engine *e, Space *space, unsigned count) {
  return count > space->capacity ? take_room(e, space, count, (uint64_t)count * 3 / 2) : SCIARA_OK;
}

/** Prepares the next launch according to the result of the last one. */
sciara_status done(void *engine) {
  fused_engine *e = engine_of(engine);
  sciara_engine_profile *p = &e->base.profile;
  const int process[] = {SCIARA_PROCESS_TIME_EVALUATION, SCIARA_PROCESS_MASS_AND_MOMENTUM, SCIARA_PROCESS_OTHER};
  for (int k = 0; k < 3; k++)
    p->seconds[process[k]] = (double)(e->seen[SMALL].timer[k] + e->seen[PATCHES].timer[k]) * 1e-9;
  p->timed_steps = e->seen[SMALL].timed_steps + e->seen[PATCHES].timed_steps;
  const fused_control *c = &e->seen[e->how];
  const unsigned count = c->inner + c->outer;
  if (e->base.control->failed && e->how != PATCHES) // the step was not completed: announced flows were not received
    SCIARA_CUDA_TRY(
        cudaMemsetAsync(e->space.inbox, 0, (size_t)e->space.capacity * TILE_CELLS * sizeof(unsigned), e->base.stream));
  set_pace(e);
  if (e->how == PATCHES) {
    if (e->few == UNKNOWN) e->few = c->inner / 4 * 3; // fewer, so as not to change back immediately
    if (c->inner > e->few || !e->blocks) return make_room(e, &e->patches, count);
    change_way(e, SMALL);
    return make_room(e, &e->space, (unsigned)most_small_tiles(e));
  }
  if (count <= most_small_tiles(e)) {
    e->how = SMALL;
    return make_room(e, &e->space, count);
  }
  change_way(e, PATCHES);
  const uint64_t most = (uint64_t)e->patches.tiles_x * e->patches.tiles_y;
  const uint64_t guess = (uint64_t)count * TILE_CELLS * 2 / patch_space::CELLS; // the list gives the exact number
  e->few = UNKNOWN;
  return take_room(e, &e->patches, guess < most ? guess : most, guess < most ? guess : most);
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

SCIARA_DEVICE_ENGINE_OF(cuda_fused, "cuda-fused", "GPU: many steps in one kernel, on the tiles with lava", "",
                        SCIARA_GATHER_CLASS, nullptr);
