// SPDX-License-Identifier: Apache-2.0
// What the host queues for the steps of bands, and what it learns of them (engine_cuda_bands.cu).
#ifndef SCIARA_CUDA_BANDS_STEPS_CUH
#define SCIARA_CUDA_BANDS_STEPS_CUH

#include "bands_exchange.cuh"
#include "tile_scratch.cuh"

namespace sciara_gpu {

const unsigned BLOCKS_OF_ROWS = 16; ///< that fetch rows from the host

/** As many blocks as tiles in the last list at most: further blocks would only cost time. */
inline unsigned blocks_of(const band *b) {
  const unsigned listed = b->seen.inner + b->seen.outer, most = (unsigned)b->base.multiprocessors * 64;
  return listed && listed < most ? listed : most;
}

inline sciara_status queue_lists(const bands_engine *e) {
  return for_bands(e, [](band *b) {
    const unsigned blocks = (unsigned)b->base.multiprocessors * 8;
    queue_inner(b->base.device, b->patches, b->everywhere, blocks, b->base.stream);
    list_halo<<<8, 128, 0, b->base.stream>>>(b->base.device, b->patches);
    queue_outer(b->patches, blocks, b->base.stream);
    b->everywhere = false;
  });
}

/** Queues a kernel of a step, which may begin early. */
template <class... Parameters, class... Arguments>
void queue_of_band(const band *b, void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                   const Arguments &...arguments) {
  queue_early(b->base.stream, b->begins_early, kernel, blocks, threads, arguments...);
}

/** Queues a kernel over the patches of every band; threads: of a block. */
template <class Kernel>
sciara_status queue_patches(const bands_engine *e, Kernel kernel, unsigned threads = patch_space::CELLS) {
  return for_bands(e, [kernel, threads](band *b) {
    queue_of_band(b, kernel, blocks_of(b), threads, b->base.device, b->patches, b->border);
  });
}

/** The time of the first band, whose steps are those of all. */
inline void queue_watch(const bands_engine *e, int which) {
  const band *b = &e->lead;
  if (!b->base.setup.profile) return;
  cudaSetDevice(b->base.setup.device);
  watch_patches<<<1, 1, 0, b->base.stream>>>(b->base.device, b->patches, which);
}

/** Queues the part of a step after time evaluation, from the clock on. */
inline sciara_status queue_movement(const bands_engine *e) {
  SCIARA_TRY(queue_meeting(e, SMALLEST_WORD, false, [](band *b, int how) {
    queue_of_band(b, agree_on_clock, 1, 32, b->base.device, b->patches, b->all, how);
  }));
  SCIARA_TRY(queue_patches(e, move_in_patches<band_border>, patch_space::WITH_HALO));
  SCIARA_TRY(queue_patches(e, settle_patches<band_border>));
  queue_watch(e, 1);
  if (e->mail)
    SCIARA_TRY(queue_meeting(e, ALL_FLAGS, false, [](band *b, int how) {
      queue_of_band(b, fetch_rows, BLOCKS_OF_ROWS, 256, b->base.device, b->patches, b->border, how);
    }));
  SCIARA_TRY(queue_meeting(e, ALL_FLAGS, true, [](band *b, int how) {
    queue_of_band(b, turn_band, 1, THREADS_OF_VENTS, b->base.device, b->patches, b->all, how);
  }));
  queue_watch(e, 2);
  return SCIARA_OK;
}

/** Queues the lists of the next `steps` steps, and what comes before the first of them. */
inline sciara_status queue_begin(const bands_engine *e, unsigned long long steps) {
  SCIARA_TRY(queue_lists(e));
  SCIARA_TRY(queue_meeting(e, SMALLEST_WORD, false, [e, steps](band *b, int how) {
    begin_band<<<1, THREADS_OF_VENTS, 0, b->base.stream>>>(b->base.device, b->patches, b->all, how, e->queued, steps);
  }));
  queue_watch(e, -1);
  return SCIARA_OK;
}

/** Queues the report of a launch. */
inline sciara_status queue_report(bands_engine *e) {
  const unsigned slot = e->queued % LAUNCHES;
  SCIARA_CUDA_TRY(cudaGetLastError());
  e->queued++;
  return try_bands(e, [slot](band *b) {
    band_report *to = &b->report[slot];
    cudaStream_t stream = b->base.stream;
    SCIARA_CUDA_TRY(
        cudaMemcpyAsync(&to->control, b->base.device.control, sizeof to->control, cudaMemcpyDeviceToHost, stream));
    SCIARA_CUDA_TRY(cudaMemcpyAsync(&to->list, b->patches.c, sizeof to->list, cudaMemcpyDeviceToHost, stream));
    SCIARA_CUDA_TRY(cudaEventRecord(b->reported[slot], stream));
    return SCIARA_OK;
  });
}

/** Waits for the report of the oldest launch. */
inline sciara_status receive_report(bands_engine *e) {
  const unsigned slot = e->read % LAUNCHES;
  SCIARA_TRY(try_bands(e, [slot](band *b) {
    SCIARA_CUDA_TRY(cudaEventSynchronize(b->reported[slot]));
    *b->base.control = b->report[slot].control;
    b->seen = b->report[slot].list;
    return SCIARA_OK;
  }));
  e->read++;
  return SCIARA_OK;
}

/** The totals of the map after a launch, and its first invalid cell. */
inline sciara_status read_totals(bands_engine *e) {
  sciara_engine_progress *now = &e->control.now;
  const sciara_device_control *c = e->lead.base.control;
  unsigned long long before = SCIARA_NO_CELL, after = SCIARA_NO_CELL, launched = 0;
  for (int k = 0; k < e->count; k++)
    if (e->bands[k]->seen.late)
      return sciara_fail(SCIARA_ERR_DEVICE, "engine cuda-bands: GPU %d waited for another one for %g s in vain",
                         e->bands[k]->base.setup.device, LATE_SECONDS);
  if (c->step == now->step && !c->failed) return SCIARA_OK; // the launch had no room for its lists
  now->step = c->step;
  now->time = c->time;
  now->clock = (double)c->t;
  now->emitted = c->emitted;
  now->thick = c->thick != 0;
  now->liquid_cells = 0;
  now->solidifications = now->losses = now->sea_losses = now->cell_steps = 0;
  double emitted = 0;
  for (int k = 0; k < e->count; k++) {
    const band *b = e->bands[k];
    c = b->base.control;
    now->liquid_cells += (int64_t)c->liquid;
    now->solidifications += c->solidifications;
    now->losses += c->losses;
    now->sea_losses += c->sea_losses;
    now->cell_steps += c->cell_steps;
    launched += c->launched;
    emitted += c->emitted;
    if (c->bad_before < before) before = c->bad_before;
    if (c->bad_after < after) after = c->bad_after;
  }
  if (!e->lead.base.device.vents.of_map) now->emitted = emitted; // each band counts its own vents
  sciara_engine_profile *p = &e->lead.base.profile;
  const int process[] = {SCIARA_PROCESS_TIME_EVALUATION, SCIARA_PROCESS_MASS_AND_MOMENTUM, SCIARA_PROCESS_OTHER};
  for (int k = 0; k < 3; k++) p->seconds[process[k]] = (double)e->lead.seen.timer[k] * 1e-9;
  p->timed_steps = e->lead.seen.timed_steps;
  p->launched = launched;
  if (!c->failed) return SCIARA_OK;
  const int64_t bad = (int64_t)(before != SCIARA_NO_CELL ? before : after), stride = e->lead.base.hf.f.stride;
  sciara_step_control_report(&e->control, bad / stride - 1, bad % stride - 1);
  return SCIARA_OK;
}

inline bool has_room(const bands_engine *e) {
  for (int k = 0; k < e->count; k++)
    if (e->bands[k]->seen.inner + e->bands[k]->seen.outer > e->bands[k]->patches.capacity) return false;
  return true;
}

/** Gives lists that have grown a larger scratch. No launch is queued. */
inline sciara_status make_room(const bands_engine *e) {
  return try_bands(e, [](band *b) {
    const unsigned count = b->seen.inner + b->seen.outer;
    if (count <= b->patches.capacity) return SCIARA_OK;
    b->patches.capacity = 0;
    return take_scratch(&b->base, &b->scratch, &b->patches, count, (uint64_t)count * 3 / 2);
  });
}

} // namespace sciara_gpu

#endif
