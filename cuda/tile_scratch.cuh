// SPDX-License-Identifier: Apache-2.0
// The host's part of a list of tiles: the memory for the listed tiles, which grows between launches, and the kernels
// that make the list.
#ifndef SCIARA_CUDA_TILE_SCRATCH_CUH
#define SCIARA_CUDA_TILE_SCRATCH_CUH

#include "cuda_check.h"
#include "device_engine.h"
#include "tile_list.cuh"

namespace sciara_gpu {

/** Bytes of scratch for `tiles` tiles, at most those of the grid; sets `capacity` to their number. */
template <class Space> size_t size_scratch(Space *s, uint64_t tiles) {
  const uint64_t all = (uint64_t)s->tiles_x * s->tiles_y;
  s->capacity = (unsigned)(tiles < all ? tiles : all);
  sciara_arena arena = {};
  s->lay_out_scratch(&arena);
  return arena.used;
}

/** Releases the old scratch and allocates one for `preferred` tiles, or for `needed` if there is not enough memory. */
template <class Space>
sciara_status take_scratch(const sciara_device_engine *e, void **scratch, Space *s, uint64_t needed,
                           uint64_t preferred) {
  if (*scratch) SCIARA_CUDA_TRY(cudaFree(*scratch));
  *scratch = nullptr;
  size_t free_bytes = 0, total = 0, bytes = size_scratch(s, preferred);
  cudaError_t error = cudaMemGetInfo(&free_bytes, &total);
  if (bytes > free_bytes) bytes = size_scratch(s, needed);
  const unsigned capacity = s->capacity;
  s->capacity = 0; // until there is a new one
  if (error == cudaSuccess && bytes > free_bytes)
    return sciara_fail(SCIARA_ERR_MEMORY,
                       "engine %s needs another %zu MiB of device memory for %u tiles, %zu MiB are free",
                       e->strategy->name, bytes >> 20, capacity, free_bytes >> 20);
  if (error == cudaSuccess) error = cudaMalloc(scratch, bytes);
  if (error == cudaSuccess) error = cudaMemsetAsync(*scratch, 0, bytes, e->stream);
  if (error != cudaSuccess) return sciara_cuda_fail(error, "scratch of a list of tiles");
  s->capacity = capacity;
  sciara_arena arena = {};
  arena.base = static_cast<char *>(*scratch);
  s->lay_out_scratch(&arena);
  return SCIARA_OK;
}

/** Number of tiles of the first scratch: a sixteenth of those of the grid, but at least 64 and at most 4096. */
template <class Space> uint64_t first_tiles(const Space *s) {
  const uint64_t share = (uint64_t)s->tiles_x * s->tiles_y / 16;
  return share < 64 ? 64 : share > 4096 ? 4096 : share;
}

/** Queues the kernels that list the inner tiles: of the last list, or of the whole grid. */
template <class Space>
void queue_inner(const sciara_device &d, const Space &space, bool everywhere, unsigned blocks, cudaStream_t stream) {
  begin_list<<<1, 1, 0, stream>>>(space);
  list_inner<<<blocks, 256, 0, stream>>>(d, space, everywhere);
}

/** Queues those that list the outer tiles and the entries of all. */
template <class Space> void queue_outer(const Space &space, unsigned blocks, cudaStream_t stream) {
  list_outer<<<blocks, 256, 0, stream>>>(space);
  set_entries<<<blocks, 256, 0, stream>>>(space);
}

} // namespace sciara_gpu

#endif
