// SPDX-License-Identifier: Apache-2.0
// The data of a slot of engine cuda-batch on the device: one simulation, on which one block or cluster works.
//
// During a launch the state of the lava is kept twice. What neighbours read, altitude and thickness, is in `ground`,
// by cell. What only the cell itself needs is in arrays by entry: a cell that gets lava takes the next free entry and
// keeps it until the end of the launch. Places are given in the order of the map at the start of each launch, so threads
// of a warp work on cells side by side. At the end of a launch the fields are written back.
#ifndef SCIARA_CUDA_BATCH_SLOT_CUH
#define SCIARA_CUDA_BATCH_SLOT_CUH

#include "device_fields.h"

#if SCIARA_SHEET
#include "batch_bingham.cuh"
#else
#include "batch_fv3.cuh"
#endif

namespace sciara_gpu {

/** Most cells of a padded array: the number of a flow has 32 bits. */
#define BATCH_MOST_CELLS ((int64_t)1 << 28)

/** Marks of an entry. */
enum {
  BATCH_TAKES = 1,   ///< sciara_takes_lava
  BATCH_SEA = 2,     ///< the cell is sea
  BATCH_ARRIVED = 4, ///< its arrival is set
  BATCH_EDGE = 8,    ///< it lies next to the ring
  BATCH_FRESH = 16,  ///< its maxima are not known to be recorded
};

/** The time of the phases of a step, if it is measured. */
struct batch_times {
  unsigned long long seconds[3]; ///< ns: time evaluation; flows, mass, momentum and temperature; between steps
  unsigned long long timed_steps;
};

struct batch_slot {
  sciara_device d;
  unsigned sides; ///< bits of enum sciara_side
  int *ready;     ///< whether `ground` has been set since the upload
  // By cell. link, mail and calm are 0 between launches.
  batch_ground *ground;
  int *link; ///< entry of the cell + 1; 0: none
  uint8_t *
      mail; ///< of the flows of this step, bit n - 1: to neighbour n (bingham); from neighbour n, written by words (fv3)
  uint8_t *calm; ///< the cell was quiescent when it was evaluated, and nothing has changed here and around since
  // By entry.
  int *cell;    ///< padded index
  int *pending; ///< not by entry: the entries of the cells to be evaluated
  real *T, *px, *py;
  uint8_t *marks;
  batch_edges edges; ///< by flow
  batch_times *times;

  void lay_out(sciara_arena *arena, int64_t cells) {
    ready = arena->take<int>(1);
    ground = arena->take<batch_ground>(cells);
    link = arena->take<int>(cells);
    mail = arena->take<uint8_t>(cells + 3); // whole words
    calm = arena->take<uint8_t>(cells);
    cell = arena->take<int>(cells);
    pending = arena->take<int>(cells);
    real **entries[] = {&T, &px, &py};
    for (real **array : entries) *array = arena->take<real>(cells);
    marks = arena->take<uint8_t>(cells);
    edges.lay_out(arena, cells);
    times = arena->take<batch_times>(1);
  }
};

} // namespace sciara_gpu

#endif
