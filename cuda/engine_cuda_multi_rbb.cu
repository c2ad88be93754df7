// SPDX-License-Identifier: Apache-2.0
// One to four disjoint boxes that cover the lava. Every few steps the grid is divided again: of all straight cuts
// between two rows or columns of tiles, the one that saves most tiles is made, until no cut saves any or the largest
// number of boxes is reached. The cuts are found from projections of the tiles with lava on the rows and columns.
#include "boxed_engine.cuh"

namespace {

using namespace sciara_gpu;

/** The grid, divided into tiles of the shape of a block. */
struct tile_map {
  int rows, cols;              ///< tiles
  uint8_t *occupied;           ///< rows x cols: the tile has lava or neighbours of lava
  rect *by_row, *by_col;       ///< bounding box of the occupied tiles of each row and column of a region
  rect *after_row, *after_col; ///< bounding box of the occupied tiles from each row and column on
};

struct multi_engine {
  boxed_engine base;
  tile_map tiles;
};

__device__ bool is_due(const sciara_device &d, const boxes *b, int every) {
  return !is_over(d) && (b->last_fit == NEVER || d.control->step >= b->last_fit + (unsigned)every);
}

__global__ void clear_tiles(sciara_device d, const boxes *b, tile_map m, int every) {
  if (!is_due(d, b, every)) return;
  const int64_t count = (int64_t)m.rows * m.cols;
  for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < count; k += (int64_t)gridDim.x * blockDim.x)
    m.occupied[k] = 0;
}

/** Marks the tiles of the cells with lava and of their neighbours. */
__global__ void mark_tiles(sciara_device d, boxed space, tile_map m, int every) {
  if (!is_due(d, space.b, every)) return;
  space.for_each_of(d, space.b->next, [&](int64_t i) {
    if (d.f.h[i] == 0) return;
    const int row = (int)(i / d.f.stride) - 1, col = (int)(i % d.f.stride) - 1;
    for (int r = row - 1; r <= row + 1; r++)
      for (int c = col - 1; c <= col + 1; c++)
        m.occupied[(int64_t)(r / (int)blockDim.y) * m.cols + c / (int)blockDim.x] = 1; // liquid cells are interior
  });
}

__device__ long long area(const rect &r) {
  return is_empty(r) ? 0 : (long long)(r.row_end - r.row_begin) * (r.col_end - r.col_begin);
}

struct cut {
  long long saved; ///< tiles
  bool by_col;     ///< between columns
  int at;          ///< the first row or column of the second part
};

/** The best cut along one axis. One thread. */
__device__ void best_along(const rect *line, rect *after, int begin, int end, bool by_col, long long whole, cut *best) {
  rect rest = nothing();
  for (int k = end - 1; k >= begin; k--) after[k] = rest = hull(rest, line[k]);
  rect before = nothing();
  for (int k = begin; k + 1 < end; k++) {
    before = hull(before, line[k]);
    const long long saved = whole - area(before) - area(after[k + 1]);
    if (saved > best->saved) *best = {saved, by_col, k + 1};
  }
}

/** Finds the box of a region, in tiles, and its best cut. By all threads of one block. */
__device__ rect find_cut(const tile_map &m, const rect &region, cut *best) {
  __shared__ rect box;
  __syncthreads();
  if (is_first()) box = nothing();
  for (int r = region.row_begin + (int)threadIdx.x; r < region.row_end; r += (int)blockDim.x) m.by_row[r] = nothing();
  for (int c = region.col_begin + (int)threadIdx.x; c < region.col_end; c += (int)blockDim.x) m.by_col[c] = nothing();
  __syncthreads();
  const int across = region.col_end - region.col_begin;
  const int64_t count = (int64_t)across * (region.row_end - region.row_begin);
  for (int64_t k = threadIdx.x; k < count; k += blockDim.x) {
    const int r = region.row_begin + (int)(k / across), c = region.col_begin + (int)(k % across);
    if (!m.occupied[(int64_t)r * m.cols + c]) continue;
    rect *both[2] = {&m.by_row[r], &m.by_col[c]};
    for (rect *line : both) {
      atomicMin(&line->row_begin, r);
      atomicMax(&line->row_end, r + 1);
      atomicMin(&line->col_begin, c);
      atomicMax(&line->col_end, c + 1);
    }
  }
  __syncthreads();
  if (is_first()) {
    for (int r = region.row_begin; r < region.row_end; r++) box = hull(box, m.by_row[r]);
    *best = {0, false, 0};
    if (!is_empty(box)) {
      best_along(m.by_row, m.after_row, box.row_begin, box.row_end, false, area(box), best);
      best_along(m.by_col, m.after_col, box.col_begin, box.col_end, true, area(box), best);
    }
  }
  __syncthreads();
  return box;
}

__device__ rect in_cells(const sciara_device &d, const rect &tiles, const boxed &space) {
  const rect grid = {0, (int)d.rows, 0, (int)d.cols};
  if (is_empty(tiles)) return nothing();
  return common(grid, {tiles.row_begin * space.block_height, tiles.row_end * space.block_height,
                       tiles.col_begin * space.block_width, tiles.col_end * space.block_width});
}

/** Divides the grid again. One block. */
__global__ void fit_boxes(sciara_device d, boxed space, tile_map m, int most, int every) {
  __shared__ rect region[MAX_BOXES], box[MAX_BOXES];
  __shared__ cut best[MAX_BOXES];
  __shared__ int count, chosen;
  boxes *b = space.b;
  if (!is_due(d, b, every)) return;
  if (is_first()) {
    region[0] = {0, m.rows, 0, m.cols};
    count = 1;
  }
  __syncthreads();
  const rect found = find_cut(m, region[0], &best[0]);
  if (is_first()) box[0] = found;
  for (;;) {
    if (is_first()) {
      chosen = -1;
      for (int k = 0; count < most && k < count; k++)
        if (best[k].saved > 0 && (chosen < 0 || best[k].saved > best[chosen].saved)) chosen = k;
      if (chosen >= 0) {
        const cut c = best[chosen];
        region[count] = region[chosen];
        (c.by_col ? region[chosen].col_end : region[chosen].row_end) = c.at;
        (c.by_col ? region[count].col_begin : region[count].row_begin) = c.at;
        count++;
      }
    }
    __syncthreads();
    if (chosen < 0) break;
    const int parts[2] = {chosen, count - 1};
    for (int part : parts) {
      const rect now = find_cut(m, region[part], &best[part]);
      if (is_first()) box[part] = now;
    }
    __syncthreads();
  }
  if (!is_first()) return;
  b->count = count;
  b->last_fit = d.control->step;
  for (int k = 0; k < count; k++) {
    b->region[k] = in_cells(d, region[k], space);
    b->next[k] = in_cells(d, box[k], space);
  }
}

void layout(void *engine, sciara_arena *arena) {
  multi_engine *e = static_cast<multi_engine *>(engine);
  const sciara_device_engine &base = e->base.base;
  const sciara_engine_options &o = base.setup.options;
  boxed_layout(&e->base, arena);
  e->tiles.rows = (int)((base.hf.grid.rows + o.block_height - 1) / o.block_height);
  e->tiles.cols = (int)((base.hf.grid.cols + o.block_width - 1) / o.block_width);
  e->tiles.occupied = arena->take<uint8_t>((int64_t)e->tiles.rows * e->tiles.cols);
  e->tiles.by_row = arena->take<rect>(e->tiles.rows);
  e->tiles.by_col = arena->take<rect>(e->tiles.cols);
  e->tiles.after_row = arena->take<rect>(e->tiles.rows);
  e->tiles.after_col = arena->take<rect>(e->tiles.cols);
}

enum sciara_status before(void *engine, cudaStream_t stream) {
  multi_engine *e = static_cast<multi_engine *>(engine);
  const sciara_device &d = e->base.base.device;
  const sciara_engine_options &o = e->base.base.setup.options;
  const boxed space = space_of(&e->base);
  const shape how = persistent(&e->base.base);
  clear_tiles<<<how.blocks, 256, 0, stream>>>(d, e->base.b, e->tiles, o.refit_every);
  mark_tiles<<<how.blocks, how.block, 0, stream>>>(d, space, e->tiles, o.refit_every);
  fit_boxes<<<1, 256, 0, stream>>>(d, space, e->tiles, o.boxes, o.refit_every);
  SCIARA_CUDA_TRY(cudaGetLastError());
  return SCIARA_OK;
}

const sciara_device_strategy strategy = {.name = "cuda-multi-rbb",
                                         .size = sizeof(multi_engine),
                                         .exchange = SCIARA_GATHER,
                                         .block_width = 32,
                                         .block_height = 4,
                                         .layout = layout,
                                         .prepare = boxed_prepare,
                                         .before = before,
                                         .launch = boxed_launch<gather>};

} // namespace

SCIARA_DEVICE_ENGINE(cuda_multi_rbb, "cuda-multi-rbb",
                     "GPU: up to four disjoint boxes around the lava, fitted again at intervals",
                     "memory boxes refit_every", SCIARA_GATHER_CLASS);
