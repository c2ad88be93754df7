// SPDX-License-Identifier: Apache-2.0
// The host part of an engine with a list of active cells.
#ifndef SCIARA_CUDA_LISTED_ENGINE_CUH
#define SCIARA_CUDA_LISTED_ENGINE_CUH

#include <cstdlib>

#include "space_list.cuh"
#include "step.cuh"

namespace sciara_gpu {

struct listed_engine {
  sciara_device_engine base;
  listed space;
};

inline int64_t words_of_map(const listed_engine *e) {
  const int64_t words = e->base.hf.count / 32 + 2; // set_bits may access the word after the last one
  return (words + WORDS_PER_CHUNK - 1) / WORDS_PER_CHUNK * WORDS_PER_CHUNK;
}

inline void listed_layout(void *engine, sciara_arena *arena) {
  listed_engine *e = static_cast<listed_engine *>(engine);
  const int64_t cells = e->base.hf.count, words = words_of_map(e);
  e->space.c = arena->take<list_control>(1);
  e->space.cells[0] = arena->take<uint32_t>(cells);
  e->space.cells[1] = arena->take<uint32_t>(cells);
  e->space.map = arena->take<unsigned>(words);
  e->space.chunk = arena->take<unsigned>(words / WORDS_PER_CHUNK);
  e->space.mark = arena->take<unsigned>(cells);
}

/** Marks a cell and its neighbours, in an array with one byte per cell of the padded arrays. */
inline void mark_around(uint8_t *active, int64_t i, int64_t stride) {
  for (int n = 0; n < SCIARA_MOORE; n++) active[i + sciara_moore_offset(n, stride)] = 1;
}

/** Makes the first list, in order: the uploaded lava and the vents, with their neighbours. */
inline sciara_status listed_prepare(void *engine) {
  listed_engine *e = static_cast<listed_engine *>(engine);
  const sciara_host_fields *hf = &e->base.hf;
  const sciara_vents *v = e->base.setup.vents;
  const sciara_engine_options &o = e->base.setup.options;
  uint8_t *active = static_cast<uint8_t *>(calloc((size_t)hf->count, 1));
  uint32_t *list = static_cast<uint32_t *>(malloc((size_t)hf->count * sizeof *list));
  sciara_status status = active && list ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for a list of cells");
  list_control c = {};
  c.low = ~0u;
  if (status == SCIARA_OK) {
    for (int64_t row = 0; row < hf->grid.rows; row++)
      for (int64_t col = 0; col < hf->grid.cols; col++) {
        const int64_t i = sciara_host_index(hf, row, col);
        if (hf->f.h[i] != 0) mark_around(active, i, hf->f.stride); // invalid thicknesses are listed too
      }
    for (int64_t k = 0; k < v->count; k++)
      mark_around(active, sciara_host_index(hf, v->row[k], v->col[k]), hf->f.stride);
    for (int64_t i = 0; i < hf->count; i++)
      if (active[i] && hf->kind[i] != SCIARA_CELL_NODATA) list[c.count[0]++] = (uint32_t)i;
    status = sciara_device_put(&e->base, e->space.cells[0], list, c.count[0] * sizeof *list);
    if (status == SCIARA_OK) status = sciara_device_put(&e->base, e->space.c, &c, sizeof c);
  }
  e->space.threads = o.block_width * o.block_height;
  free(active);
  free(list);
  return status;
}

/** A step; every `sort_every` steps the list is made in order, 0: never. */
template <class Exchange> sciara_status listed_step(listed_engine *e, int sort_every, cudaStream_t stream) {
  e->space.sort_every = sort_every;
  const shape how = persistent(&e->base);
  SCIARA_TRY((elementary_processes<false, Exchange>(&e->base, e->space, how, stream)));
  if (sort_every > 0) {
    count_chunks<<<how.blocks, WORDS_PER_CHUNK, 0, stream>>>(e->base.device, e->space);
    write_list<<<how.blocks, WORDS_PER_CHUNK, 0, stream>>>(e->base.device, e->space);
  }
  change_lists<<<1, 1, 0, stream>>>(e->base.device, e->space);
  return end_step(&e->base, stream);
}

} // namespace sciara_gpu

#endif
