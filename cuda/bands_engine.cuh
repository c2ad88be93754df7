// SPDX-License-Identifier: Apache-2.0
// A band of a map on a GPU, and the bands of an engine (engine_cuda_bands.cu).
#ifndef SCIARA_CUDA_BANDS_ENGINE_CUH
#define SCIARA_CUDA_BANDS_ENGINE_CUH

#include "comm/nccl.h"
#include "cuda_check.h"
#include "device_engine.h"
#include "engine/band_rows.h"
#include "fused_bands.cuh"

namespace sciara_gpu {

enum { NORTH, SOUTH, SIDES };
enum { LAUNCHES = 2 }; ///< that are queued at a time: while one runs the next one is ready

/** What the host learns of a launch. */
struct band_report {
  sciara_device_control control;
  fused_control list;
};

struct band {
  sciara_device_engine base;
  patch_space patches;
  band_report *report; ///< [LAUNCHES], pinned
  cudaEvent_t reported[LAUNCHES];
  fused_control seen;        ///< the control of the list in the last report
  void *scratch;             ///< separate device memory, because it grows with the lava
  unsigned long long *words; ///< that bands write on other GPUs: [BAND_TOPICS][MOST_BANDS], and [SIDES]
  unsigned *work;            ///< of each padded row, when the map is cut again
  band_border border;
  band_meeting all;
  sciara_vents vents;   ///< those of the map, their rows counted from the first one of the band's grid
  int64_t first, count; ///< own rows, in the map
  bool of_map;          ///< counts all vents; else only those in its own rows
  bool everywhere;      ///< there is no list yet: search the whole grid for lava
  bool begins_early;    ///< kernels of a step may begin before the last one has ended
};

struct bands_engine {
  band lead; ///< the first band
  band *bands[MOST_BANDS];
  int made, count; ///< bands; those in use, fewer on a map of few rows
  bool take_turns; ///< two bands share a GPU and its stream
  sciara_band_exchange exchange;
  const sciara_nccl *nccl;        ///< NULL unless bands exchange through it
  void *communicator[MOST_BANDS]; ///< of NCCL, one for each band in use
  int communicators;              ///< that were made
  char *mail;                     ///< pinned host memory through which bands exchange; NULL: they do not
  size_t mail_bytes;
  sciara_engine_setup setup; ///< of all bands; its halo is that of the engine
  const sciara_vents *vents;
  sciara_step_control control; ///< of the map
  sciara_step_control kept[SCIARA_BUFFERS];
  int on_the_way; ///< atomic: states that are kept and not yet collected
  unsigned record;
  sciara_grid grid;                       ///< of the map, or of the band of it that the engine has
  unsigned long long steps;               ///< of the next launch
  unsigned queued, read;                  ///< launches since the upload: queued, and reported
  unsigned long long in_launch[LAUNCHES]; ///< their steps
  double at;           ///< wall-clock time of the last report, or at which the only launch was queued, s
  double waste, price; ///< time that imbalance has cost since the last cut, and that this cut took, s
};

inline bands_engine *engine_of(void *engine) { return static_cast<bands_engine *>(engine); }

/** Restores the current GPU at the end of the scope. */
class sciara_same_device {
public:
  sciara_same_device() { cudaGetDevice(&before); }
  ~sciara_same_device() { cudaSetDevice(before); }
  sciara_same_device(const sciara_same_device &) = delete;
  sciara_same_device &operator=(const sciara_same_device &) = delete;

private:
  int before = 0;
};

/** Calls do_it(band) for the bands in use, north to south, with the band's GPU as the current one. */
template <class Do> sciara_status for_bands(const bands_engine *e, Do do_it) {
  for (int k = 0; k < e->count; k++) {
    SCIARA_CUDA_TRY(cudaSetDevice(e->bands[k]->base.setup.device));
    do_it(e->bands[k]);
  }
  return SCIARA_OK;
}

/** Calls a function that may fail for each band. */
template <class Try> sciara_status try_bands(const bands_engine *e, Try try_it) {
  for (int k = 0; k < e->count; k++) {
    SCIARA_CUDA_TRY(cudaSetDevice(e->bands[k]->base.setup.device));
    SCIARA_TRY(try_it(e->bands[k]));
  }
  return SCIARA_OK;
}

inline sciara_status wait_for_all(const bands_engine *e) {
  return try_bands(e, [](band *b) {
    SCIARA_CUDA_TRY(cudaStreamSynchronize(b->base.stream));
    return SCIARA_OK;
  });
}

/** The row of the map that is the first of the grid of a band. */
inline int64_t top_of(const band *b) { return b->first - b->base.setup.halo_north; }
inline int64_t rows_of(const band *b) { return b->base.setup.halo_north + b->count + b->base.setup.halo_south; }

/** The own rows next to a border, `rows` of them. */
inline sciara_cells own_edge(const band *b, int side, int64_t rows) {
  const sciara_cells own = b->base.device.band.own;
  const int64_t cells = rows * b->base.device.f.stride;
  return side == NORTH ? sciara_cells{own.begin, own.begin + cells} : sciara_cells{own.end - cells, own.end};
}

/** The rows of the neighbour beyond that border. */
inline sciara_cells halo_of(const band *b, int side, int64_t rows) {
  const sciara_cells own = b->base.device.band.own;
  const int64_t cells = rows * b->base.device.f.stride;
  return side == NORTH ? sciara_cells{own.begin - cells, own.begin} : sciara_cells{own.end, own.end + cells};
}

} // namespace sciara_gpu

#endif
