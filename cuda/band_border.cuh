// SPDX-License-Identifier: Apache-2.0
// What the kernels of a step know of the other bands of a map (engine_cuda_bands.cu): which cells they compute, where
// the neighbours keep copies of them, and how all bands agree. Memory of other GPUs is written, never read: a word that
// another band waits for lies in the memory of that band.
#ifndef SCIARA_CUDA_BAND_BORDER_CUH
#define SCIARA_CUDA_BAND_BORDER_CUH

#include "early_kernel.cuh"
#include "patch_space.cuh"

namespace sciara_gpu {

/** The border of a map that is not divided: there is none. */
struct whole_map {
  /** Before all else. */
  __device__ void begin() const { wait_for_last_kernel(); }
  /** Whether lava of cell i may flow into cells of the band. */
  __device__ bool flows(const sciara_device &, int64_t) const { return true; }
  /** Whether the band computes cell i. */
  __device__ bool owns(const sciara_device &, int64_t) const { return true; }
  /** The padded index of cell i in the map. */
  __device__ unsigned long long in_map(int64_t i) const { return (unsigned long long)i; }
  /** Tells the neighbours that the rows of the halo are no longer read in this step. */
  __device__ void has_moved(const sciara_device &) const {}
  /** Waits until neighbours no longer read their copies of the rows of a patch. All threads of the block. */
  __device__ void wait_for_neighbours(const sciara_device &, fused_control *, int64_t) const {}
  /** Sends cell i, which has settled, to the bands that have a copy of it. */
  __device__ void send(const sciara_device &, int64_t) const {}
};

enum { MOST_BANDS = 32 }; ///< a lane of a warp for each

const double LATE_SECONDS = 30; ///< a band that has not answered after this time is lost

__device__ inline void store_for_others(unsigned long long *word, unsigned long long value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

__device__ inline unsigned long long load_of_others(const unsigned long long *word) {
  unsigned long long value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}

/** Waits until there(value of the word); returns the value, or sets c->late. One thread. */
template <class There>
__device__ unsigned long long wait_for_others(const unsigned long long *word, fused_control *c, There there) {
  const unsigned long long begin = nanoseconds();
  unsigned long long value = load_of_others(word);
  while (!there(value) && !c->late) {
    if ((double)(nanoseconds() - begin) > 1e9 * LATE_SECONDS) c->late = 1;
    value = load_of_others(word);
  }
  return value;
}

/** The copies that a neighbour has of rows of this band. */
struct band_copies {
  real *z, *h, *T, *px, *py;
  int64_t shift;             ///< from a padded index of this band to that of the neighbour
  unsigned long long *moved; ///< in the neighbour's memory: the last step in which this band no longer reads its halo
};

/** Rows of a neighbour that come by way of host memory, where GPUs cannot write into each other's. */
struct band_parcel {
  const real *z, *h, *T, *px, *py; ///< in host memory, where the neighbour has its `copies`
  sciara_cells halo, nearer;       ///< where z and h, and where the others belong
  const unsigned long long *sent;  ///< in host memory: the last step whose rows are there; NULL: there are no parcels
  unsigned long long *sends;       ///< the same for the rows of this band
};

/** The border of a band: north and south. */
struct band_border {
  int64_t before;                     ///< cells of the map before the arrays of the band
  sciara_cells edge[2];               ///< own rows of which the neighbour has copies; empty: no neighbour
  sciara_cells outermost[2];          ///< that of them from which lava flows to the neighbour
  band_copies copies[2];              ///< of the neighbours
  const unsigned long long *moved[2]; ///< written by the neighbours; NULL: the order of the kernels ensures it
  band_parcel parcels[2];

  __device__ void begin() const { wait_for_last_kernel(); }

  __device__ bool flows(const sciara_device &d, int64_t i) const {
    return i >= d.band.adjacent[0].begin && i < d.band.adjacent[1].end;
  }

  __device__ bool owns(const sciara_device &d, int64_t i) const { return sciara_cells_have(d.band.own, i); }

  __device__ unsigned long long in_map(int64_t i) const { return (unsigned long long)(before + i); }

  __device__ void has_moved(const sciara_device &d) const {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    for (const band_copies &to : copies)
      if (to.moved) store_for_others(to.moved, d.control->step + 1);
  }

  __device__ void wait_for_neighbours(const sciara_device &d, fused_control *c, int64_t row) const {
    for (int side = 0; side < 2; side++) {
      const int64_t first = row * d.f.stride, end = first + patch_space::HEIGHT * d.f.stride;
      if (!moved[side] || first >= edge[side].end || end <= edge[side].begin) continue;
      if (threadIdx.x == 0) {
        const unsigned long long step = d.control->step + 1;
        wait_for_others(moved[side], c, [&](unsigned long long value) { return value >= step; });
      }
      __syncthreads();
    }
  }

  __device__ void send(const sciara_device &d, int64_t i) const {
    for (int side = 0; side < 2; side++) {
      if (!sciara_cells_have(edge[side], i)) continue;
      const band_copies &to = copies[side];
      const int64_t there = i + to.shift;
      to.z[there] = d.f.z[i];
      to.h[there] = d.f.h[i];
      if (!sciara_cells_have(outermost[side], i)) continue;
      to.T[there] = d.f.T[i];
      to.px[there] = d.f.px[i];
      to.py[there] = d.f.py[i];
    }
  }
};

// ------------------------------------------------------------------------------------------------------------ meetings

/** What a meeting is about. There is one about something else between two about the same. */
enum band_topic {
  MEET_TO_BEGIN,     ///< every second launch
  MEET_TO_BEGIN_TOO, ///< the others: a launch may have no other meeting
  MEET_FOR_CLOCK,
  MEET_TO_TURN,
  BAND_TOPICS
};

/**
 * What a kernel does in a meeting. Bands of one GPU first all send and then all wait, because they take turns. So do bands
 * whose words NCCL combines.
 */
enum { BAND_SENDS = 1, BAND_WAITS = 2 };

/** Means "nothing has been sent": no word of a meeting. */
#define SCIARA_NO_WORD (~0ull)

/** All bands exchange a word. */
struct band_meeting {
  int me, count;
  unsigned long long *mine;               ///< [topic][band], in the memory of this band or of the host
  unsigned long long *theirs[MOST_BANDS]; ///< the same of all bands
  unsigned long long
      *combined; ///< word of this band, then of all: NCCL combines them between two kernels; NULL: as above

  /**
   * Combines the words of all bands; the result is in lane 0 of the only warp that calls this. The word of each band is
   * received as soon as it arrives, and its buffer is empty again before this band sends its next word.
   */
  template <class Combine>
  __device__ unsigned long long meet(fused_control *c, int topic, int how, unsigned long long word,
                                     Combine combine) const {
    const int band = (int)threadIdx.x;
    if (combined) {
      if (how & BAND_SENDS && band == 0) *combined = word;
      return how & BAND_WAITS ? *combined : word;
    }
    const bool other = band < count && band != me;
    if (how & BAND_SENDS && other) store_for_others(theirs[band] + topic * count + me, word);
    if (how & BAND_WAITS && other) {
      unsigned long long *from = mine + topic * count + band;
      const unsigned long long found =
          wait_for_others(from, c, [](unsigned long long value) { return value != SCIARA_NO_WORD; });
      *from = SCIARA_NO_WORD;
      word = combine(word, found);
    }
    return warp_reduce(word, combine);
  }
};

} // namespace sciara_gpu

#endif
