// SPDX-License-Identifier: Apache-2.0
// The padded arrays of CPU engines, and their transfer from and to a host state. Compiled once per precision.
#ifndef SCIARA_ENGINE_HOST_FIELDS_H
#define SCIARA_ENGINE_HOST_FIELDS_H

#include "engine/engine.h"
#include "model/pass.h"

SCIARA_BEGIN_DECLS

enum { SCIARA_HOST_SLACK = 16 }; ///< further numbers in the arrays, so that a vector may begin at any cell

/** Arrays of (rows + 2) x stride cells: a one-cell frame of walls, rows padded to 128 bytes. */
struct sciara_host_fields {
  struct sciara_fields f;
  struct sciara_grid grid;
  int64_t count; ///< cells of each array, frame and padding included
  uint8_t *kind;
};

/** Index of cell (row, col) in the padded arrays. */
static inline int64_t sciara_host_index(const struct sciara_host_fields *hf, int64_t row, int64_t col) {
  return (row + 1) * hf->f.stride + col + 1;
}

/** Row and column of a padded index. */
static inline void sciara_host_cell(const struct sciara_host_fields *hf, int64_t index, int64_t *row, int64_t *col) {
  *row = index / hf->f.stride - 1;
  *col = index % hf->f.stride - 1;
}

#define sciara_host_fields_create SCIARA_HOST_NAME(sciara_host_fields_create)
#define sciara_host_fields_destroy SCIARA_HOST_NAME(sciara_host_fields_destroy)
#define sciara_host_fields_upload SCIARA_HOST_NAME(sciara_host_fields_upload)
#define sciara_host_fields_download SCIARA_HOST_NAME(sciara_host_fields_download)
#define sciara_host_fields_download_rows SCIARA_HOST_NAME(sciara_host_fields_download_rows)
#define sciara_host_fields_row_bytes SCIARA_HOST_NAME(sciara_host_fields_row_bytes)
#define sciara_host_fields_pack SCIARA_HOST_NAME(sciara_host_fields_pack)
#define sciara_host_fields_unpack SCIARA_HOST_NAME(sciara_host_fields_unpack)
#define sciara_host_fields_memory SCIARA_HOST_NAME(sciara_host_fields_memory)

/** Allocates the arrays for the grid of a state, and those of the maxima that the state records. */
enum sciara_status sciara_host_fields_create(struct sciara_host_fields *hf, const struct sciara_state *like);
void sciara_host_fields_destroy(struct sciara_host_fields *hf);

/** Copies a state into the arrays. Frame, NODATA cells and, with a closed boundary, the rim become walls. */
void sciara_host_fields_upload(struct sciara_host_fields *hf, const struct sciara_state *s,
                               enum sciara_boundary boundary);

/** Copies the fields (not time or totals) into a state of the same grid. */
void sciara_host_fields_download(const struct sciara_host_fields *hf, struct sciara_state *s);

/** sciara_host_fields_download for rows [row, row + count). */
void sciara_host_fields_download_rows(const struct sciara_host_fields *hf, int64_t row, int64_t count,
                                      struct sciara_state *s);

/** The functions of struct sciara_engine_phases: bytes of a packed row, packing and unpacking. */
size_t sciara_host_fields_row_bytes(const struct sciara_host_fields *hf);
void sciara_host_fields_pack(const struct sciara_host_fields *hf, int64_t row, int64_t count, void *buffer);
void sciara_host_fields_unpack(const struct sciara_host_fields *hf, int64_t row, int64_t count, const void *buffer);

/** Bytes that sciara_host_fields_create allocates. */
size_t sciara_host_fields_memory(const struct sciara_grid *grid, unsigned record);

SCIARA_END_DECLS
#endif
