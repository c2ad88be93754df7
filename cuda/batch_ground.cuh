// SPDX-License-Identifier: Apache-2.0
// What the pieces of engine cuda-batch that depend on the rule (batch_fv3.cuh, batch_bingham.cuh) share with the others.
//
// Each defines
//   batch_edges          arrays of flows; by cell or entry too, what belongs to all flows of a donor
//   batch_choose         time evaluation of a cell: whether it is quiescent, else where its lava will flow
//   BATCH_HAS_FLOW_PASS  whether outflows are computed in a pass of their own
//   BATCH_USES_MOMENTUM  whether the momentum that a step leaves has an effect on later ones; if not, it is computed where
//                        it is read: by the check of all lava, for the largest speed, and at the end of a launch
#ifndef SCIARA_CUDA_BATCH_GROUND_CUH
#define SCIARA_CUDA_BATCH_GROUND_CUH

#include "arena.h"
#include "device_fields.h"

namespace sciara_gpu {

enum { BATCH_DIRECTIONS = 8 };

/** Altitude and thickness of a cell, read in one access. */
struct alignas(2 * sizeof(real)) batch_ground {
  real z, h; ///< m
};

/** The ground of a cell's neighbours. */
struct batch_around {
  const batch_ground *ground;
  int cell;
  int64_t stride;
  __device__ int at(int n) const { return cell + (int)sciara_moore_offset(n, stride); }
  __device__ batch_ground operator()(int n) const { return ground[at(n)]; }
  __device__ real z(int n) const { return ground[at(n)].z; }
  __device__ real h(int n) const { return ground[at(n)].h; }
};

/** A cell in time evaluation. */
struct batch_subject {
  batch_ground own;
  real T, px, py; ///< K, m2/s
};

/** Momentum of a cell to the east and to the north. */
struct batch_momentum {
  real x, y; ///< m2/s
};

/** The result for a cell. */
struct batch_choice {
  bool quiet;         ///< it is quiescent
  bool bad;           ///< a number is invalid
  unsigned survivors; ///< bit n: lava will flow to neighbour n
};

} // namespace sciara_gpu

#endif
