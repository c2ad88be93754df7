// SPDX-License-Identifier: Apache-2.0
// The rectangular bounding box of the lava, rounded outward to whole blocks. The box lives on the device: it is what the
// last step left liquid and the vents, one cell wider on each side.
#include "check.h"
#include "device_engine.h"
#include "processes.cuh"

namespace {

/** Rows and columns of the grid, both ends included; empty when row_end < row_begin. */
struct box {
  int row_begin, row_end, col_begin, col_end;
};

/** A box takes in a cell; called by many threads at once. */
__device__ void take_in(box *b, int row, int col) {
  atomicMin(&b->row_begin, row);
  atomicMax(&b->row_end, row);
  atomicMin(&b->col_begin, col);
  atomicMax(&b->col_end, col);
}

__device__ box empty_box() { return {0x7fffffff, -1, 0x7fffffff, -1}; }

/** The box dilated by one cell, in tiles of the block's shape that start at multiples of it; blocks share the tiles. */
struct boxed {
  const box *now;

  template <class Visit> __device__ void for_each(const sciara_device &d, Visit visit) const {
    const int w = (int)blockDim.x, h = (int)blockDim.y;
    const int row_begin = max(now->row_begin - 1, 0) / h * h, col_begin = max(now->col_begin - 1, 0) / w * w;
    const int row_end = min(now->row_end + 2, (int)d.rows), col_end = min(now->col_end + 2, (int)d.cols);
    if (row_end <= row_begin || col_end <= col_begin || now->row_end < 0) return;
    const int across = (col_end - col_begin + w - 1) / w, tiles = across * ((row_end - row_begin + h - 1) / h);
    for (int tile = (int)blockIdx.x; tile < tiles; tile += (int)gridDim.x) {
      const int row = row_begin + tile / across * h + (int)threadIdx.y;
      const int col = col_begin + tile % across * w + (int)threadIdx.x;
      if (row < d.rows && col < d.cols) visit((row + 1) * d.f.stride + col + 1);
    }
  }
};

struct rbb {
  sciara_device_engine base;
  box *boxes; ///< on the device: now, next
};

/** The vents' cells join the box; what the last step left is in `next`. */
__global__ void begin_box(sciara_device d, box *boxes) {
  if (sciara_gpu::is_over(d)) return;
  boxes[0] = boxes[1];
  boxes[1] = empty_box();
  for (int64_t k = 0; k < d.vents.count; k++) {
    const int64_t i = d.vents.cell[k];
    if (d.f.h[i] != 0) take_in(&boxes[0], (int)(i / d.f.stride) - 1, (int)(i % d.f.stride) - 1);
  }
}

__global__ void temperature_and_solidification(sciara_device d, boxed space, box *next) {
  if (sciara_gpu::is_over(d) || d.control->bad_before != SCIARA_NO_CELL) return;
  box mine = empty_box();
  sciara_gpu::settle_all(d, space, [&](int64_t i) {
    const int row = (int)(i / d.f.stride) - 1, col = (int)(i % d.f.stride) - 1;
    mine = {min(mine.row_begin, row), max(mine.row_end, row), min(mine.col_begin, col), max(mine.col_end, col)};
  });
  mine.row_begin = __reduce_min_sync(~0u, mine.row_begin);
  mine.row_end = __reduce_max_sync(~0u, mine.row_end);
  mine.col_begin = __reduce_min_sync(~0u, mine.col_begin);
  mine.col_end = __reduce_max_sync(~0u, mine.col_end);
  if (!sciara_gpu::is_lane_0() || mine.row_end < 0) return;
  take_in(next, mine.row_begin, mine.col_begin);
  take_in(next, mine.row_end, mine.col_end);
}

__global__ void end_of_step(sciara_device d) {
  if (!sciara_gpu::is_over(d)) sciara_gpu::finish_step(d);
}

/** The box of the state as it was uploaded. */
enum sciara_status prepare(void *engine) {
  rbb *e = static_cast<rbb *>(engine);
  const sciara_host_fields *hf = &e->base.hf;
  box found = {0x7fffffff, -1, 0x7fffffff, -1};
  for (int64_t i = 0; i < hf->count; i++) {
    if (hf->f.h[i] <= 0) continue; // a NaN is in the box, so that the first step finds it
    int64_t row, col;
    sciara_host_cell(hf, i, &row, &col);
    if (row < found.row_begin) found.row_begin = (int)row;
    if (row > found.row_end) found.row_end = (int)row;
    if (col < found.col_begin) found.col_begin = (int)col;
    if (col > found.col_end) found.col_end = (int)col;
  }
  const box both[2] = {found, found};
  SCIARA_CUDA_TRY(cudaMalloc(&e->boxes, sizeof both));
  SCIARA_CUDA_TRY(cudaMemcpy(e->boxes, both, sizeof both, cudaMemcpyHostToDevice));
  return SCIARA_OK;
}

void release(void *engine) {
  rbb *e = static_cast<rbb *>(engine);
  if (e->boxes) cudaFree(e->boxes);
  e->boxes = nullptr;
}

enum sciara_status launch(void *engine, cudaStream_t stream) {
  rbb *e = static_cast<rbb *>(engine);
  const sciara_device &d = e->base.device;
  const dim3 block(32, 4);
  const unsigned grid = (unsigned)(8 * e->base.multiprocessors);
  const boxed space = {e->boxes};
  sciara_gpu::vents<<<1, 1, 0, stream>>>(d);
  begin_box<<<1, 1, 0, stream>>>(d, e->boxes);
  sciara_gpu::time_evaluation<<<grid, block, 0, stream>>>(d, space);
  sciara_gpu::flow_computing<<<grid, block, 0, stream>>>(d, space);
  sciara_gpu::mass_and_momentum<<<grid, block, 0, stream>>>(d, space);
  temperature_and_solidification<<<grid, block, 0, stream>>>(d, space, e->boxes + 1);
  end_of_step<<<1, 1, 0, stream>>>(d);
  SCIARA_CUDA_TRY(cudaGetLastError());
  return SCIARA_OK;
}

const sciara_device_strategy strategy = {"cuda-rbb", sizeof(rbb), prepare, release, launch};

enum sciara_status create(const struct sciara_engine_setup *setup, void **engine) {
  return sciara_device_create(&strategy, setup, engine);
}

} // namespace

extern "C" const struct sciara_engine_ops SCIARA_NAME(sciara_engine_cuda_rbb);
const struct sciara_engine_ops SCIARA_NAME(sciara_engine_cuda_rbb) = {
    .name = "cuda-rbb",
    .summary = "GPU: the rectangular bounding box of the lava, rounded to whole blocks",
    .capabilities = SCIARA_CAN_DEVICE,
    .determinism = SCIARA_EXACT,
    .create = create,
    .destroy = sciara_device_destroy,
    .upload = sciara_device_upload,
    .download = sciara_device_download,
    .advance = sciara_device_advance,
    .probe = sciara_device_probe,
    .memory = sciara_device_memory,
};
