// SPDX-License-Identifier: Apache-2.0
// Rectangular boxes around the lava, rounded outward to whole blocks. The grid is divided into regions, one per box. A
// box covers the part of its region with lava and neighbours of lava. The box of a cell depends only on the position of
// the cell, not on the cell that made it active, so boxes are disjoint. They are stored on the device: each step
// computes those of the next step.
#ifndef SCIARA_CUDA_SPACE_BOXES_CUH
#define SCIARA_CUDA_SPACE_BOXES_CUH

#include "engine/host_fields.h"
#include "processes.cuh"

namespace sciara_gpu {

enum { MAX_BOXES = 4 };
constexpr unsigned long long NEVER = ~0ull;

/** A range of rows and columns, without the ends. */
struct rect {
  int row_begin, row_end, col_begin, col_end;
};

__host__ __device__ inline rect nothing() { return {0x7fffffff, 0, 0x7fffffff, 0}; }
__host__ __device__ inline bool is_empty(const rect &r) { return r.row_end <= r.row_begin || r.col_end <= r.col_begin; }

__host__ __device__ inline rect common(const rect &a, const rect &b) {
  return {a.row_begin > b.row_begin ? a.row_begin : b.row_begin, a.row_end < b.row_end ? a.row_end : b.row_end,
          a.col_begin > b.col_begin ? a.col_begin : b.col_begin, a.col_end < b.col_end ? a.col_end : b.col_end};
}

__host__ __device__ inline rect hull(const rect &a, const rect &b) {
  return {a.row_begin < b.row_begin ? a.row_begin : b.row_begin, a.row_end > b.row_end ? a.row_end : b.row_end,
          a.col_begin < b.col_begin ? a.col_begin : b.col_begin, a.col_end > b.col_end ? a.col_end : b.col_end};
}

/** A cell and its eight neighbours. */
__host__ __device__ inline rect around(int64_t row, int64_t col) {
  return {(int)row - 1, (int)row + 2, (int)col - 1, (int)col + 2};
}

/** The boxes, on the device. */
struct boxes {
  int count;
  rect region[MAX_BOXES]; ///< together they cover the grid; their sides lie between blocks
  rect now[MAX_BOXES];    ///< boxes of the step in progress
  rect next[MAX_BOXES];
  unsigned long long last_fit; ///< the step of the last fit, or NEVER
};

/** The tiles of a list of boxes; each tile has the shape of a block. */
struct tiling {
  int width, height;
  int across[MAX_BOXES]; ///< tiles in a row of the box
  int first[MAX_BOXES + 1];
  int row[MAX_BOXES], col[MAX_BOXES]; ///< of the first tile

  __device__ tiling(const rect *box, int count) : width((int)blockDim.x), height((int)blockDim.y) {
    first[0] = 0;
    SCIARA_UNROLL
    for (int k = 0; k < MAX_BOXES; k++) {
      first[k + 1] = first[k];
      if (k >= count || is_empty(box[k])) continue;
      row[k] = box[k].row_begin / height * height;
      col[k] = box[k].col_begin / width * width;
      across[k] = (box[k].col_end - col[k] + width - 1) / width;
      first[k + 1] += across[k] * ((box[k].row_end - row[k] + height - 1) / height);
    }
  }
  __device__ int tiles() const { return first[MAX_BOXES]; }
};

/** The iteration space: the tiles of the boxes, divided among the blocks. */
struct boxed {
  boxes *b;
  int block_width, block_height;

  template <class Visit> __device__ void for_each_tile_of(const rect *box, Visit visit) const {
    const tiling t(box, b->count);
    for (int tile = (int)blockIdx.x; tile < t.tiles(); tile += (int)gridDim.x) {
      SCIARA_UNROLL
      for (int k = 0; k < MAX_BOXES; k++) {
        if (tile < t.first[k] || tile >= t.first[k + 1]) continue;
        const int number = tile - t.first[k];
        visit((int64_t)t.row[k] + number / t.across[k] * t.height, (int64_t)t.col[k] + number % t.across[k] * t.width);
      }
    }
  }

  template <class Visit> __device__ void for_each_tile(const sciara_device &, Visit visit) const {
    for_each_tile_of(b->now, visit);
  }

  template <class Visit> __device__ void for_each_of(const sciara_device &d, const rect *box, Visit visit) const {
    for_each_tile_of(box, [&](int64_t row, int64_t col) {
      const int64_t r = row + threadIdx.y, c = col + threadIdx.x;
      if (r < d.rows && c < d.cols) visit((r + 1) * d.f.stride + c + 1);
    });
  }

  template <class Visit> __device__ void for_each(const sciara_device &d, Visit visit) const {
    for_each_of(d, b->now, visit);
  }

  /** Called by one thread, whose block does not have the shape of the tiles. */
  __device__ unsigned long long launched(const sciara_device &) const {
    unsigned long long threads = 0;
    for (int k = 0; k < b->count; k++) {
      const rect &r = b->now[k];
      if (is_empty(r)) continue;
      const int rows = (r.row_end + block_height - 1) / block_height - r.row_begin / block_height;
      const int cols = (r.col_end + block_width - 1) / block_width - r.col_begin / block_width;
      threads += (unsigned long long)rows * cols * block_width * block_height;
    }
    return threads;
  }

  /** Makes the boxes computed in the last step those of this step, and adds the vents that have emitted. */
  __device__ void begin(const sciara_device &d) const {
    for (int k = 0; k < b->count; k++) {
      b->now[k] = b->next[k];
      b->next[k] = nothing();
    }
    for (int64_t v = 0; v < d.vents.count; v++) {
      const int64_t i = d.vents.cell[v];
      if (d.f.h[i] == 0) continue;
      const rect mine = around(i / d.f.stride - 1, i % d.f.stride - 1);
      for (int k = 0; k < b->count; k++) {
        const rect part = common(mine, b->region[k]);
        if (!is_empty(part)) b->now[k] = hull(b->now[k], part);
      }
    }
  }

  /** The part of each box that is needed in the next step for the cells that remain liquid. */
  struct notes {
    rect mine[MAX_BOXES] = {nothing(), nothing(), nothing(), nothing()};

    __device__ void add(const sciara_device &d, const boxed &space, int64_t i) {
      const rect all = around(i / d.f.stride - 1, i % d.f.stride - 1);
      const boxes *b = space.b;
      SCIARA_UNROLL
      for (int k = 0; k < MAX_BOXES; k++) {
        if (k >= b->count) break;
        const rect part = common(all, b->region[k]);
        if (!is_empty(part)) mine[k] = hull(mine[k], part);
      }
    }

    __device__ void flush(const boxed &space) {
      SCIARA_UNROLL
      for (int k = 0; k < MAX_BOXES; k++) {
        if (k >= space.b->count) break;
        if (!__any_sync(~0u, !is_empty(mine[k]))) continue;
        const int row_begin = warp_reduce(mine[k].row_begin, smaller<int>);
        const int row_end = warp_reduce(mine[k].row_end, larger<int>);
        const int col_begin = warp_reduce(mine[k].col_begin, smaller<int>);
        const int col_end = warp_reduce(mine[k].col_end, larger<int>);
        if (!is_lane_0()) continue;
        rect *next = &space.b->next[k];
        atomicMin(&next->row_begin, row_begin);
        atomicMax(&next->row_end, row_end);
        atomicMin(&next->col_begin, col_begin);
        atomicMax(&next->col_end, col_end);
      }
    }
  };
};

/** One region, the whole grid, with the box of the lava that was uploaded. */
inline boxes one_box(const sciara_host_fields *hf) {
  boxes b = {};
  b.count = 1;
  b.last_fit = NEVER;
  b.region[0] = {0, (int)hf->grid.rows, 0, (int)hf->grid.cols};
  rect found = nothing();
  for (int64_t i = 0; i < hf->count; i++) {
    if (hf->f.h[i] == 0) continue; // invalid thicknesses are in the box too, so that the first step finds them
    int64_t row, col;
    sciara_host_cell(hf, i, &row, &col);
    found = hull(found, common(around(row, col), b.region[0]));
  }
  for (int k = 0; k < MAX_BOXES; k++) b.now[k] = b.next[k] = nothing();
  b.next[0] = found;
  return b;
}

} // namespace sciara_gpu

#endif
