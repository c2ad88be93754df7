// SPDX-License-Identifier: Apache-2.0
#include "engine/host_fields.h"

#include <string.h>

#include "base/mem.h"

enum { Z, H, T, PX, PY, MAX_H, MAX_SPEED, FLOATS };
enum { LOST, ARRIVAL, DOUBLES };

static int64_t stride_of(int64_t cols) {
  const int64_t line = SCIARA_ALIGNMENT / (int64_t)sizeof(real);
  return (cols + 2 + line - 1) / line * line;
}

size_t sciara_host_fields_memory(const struct sciara_grid *grid, unsigned record) {
  const size_t reals =
      5u + (record & SCIARA_RECORD_MAX_THICKNESS ? 1u : 0u) + (record & SCIARA_RECORD_MAX_SPEED ? 1u : 0u);
  return (size_t)(grid->rows + 2) * (size_t)stride_of(grid->cols) *
         (reals * sizeof(real) + DOUBLES * sizeof(double) + 1);
}

enum sciara_status sciara_host_fields_create(struct sciara_host_fields *hf, const struct sciara_state *like) {
  enum sciara_status status;
  *hf = (struct sciara_host_fields){.grid = like->grid, .f.stride = stride_of(like->grid.cols)};
  size_t count;
  SCIARA_TRY_GOTO(sciara_size_mul((size_t)like->grid.rows + 2, (size_t)hf->f.stride, &count));
  hf->count = (int64_t)count;
  SCIARA_TRY_GOTO(SCIARA_NEW(hf->kind, count, "kinds of the engine's cells"));
  for (int k = 0; k < FLOATS; k++)
    if ((k != MAX_H || like->max_h) && (k != MAX_SPEED || like->max_speed))
      SCIARA_TRY_GOTO(SCIARA_NEW(hf->floats[k], count, "a field of the engine"));
  for (int k = 0; k < DOUBLES; k++) SCIARA_TRY_GOTO(SCIARA_NEW(hf->doubles[k], count, "a field of the engine"));
  hf->f = (struct sciara_fields){.stride = hf->f.stride,
                                 .kind = hf->kind,
                                 .z = hf->floats[Z],
                                 .h = hf->floats[H],
                                 .T = hf->floats[T],
                                 .px = hf->floats[PX],
                                 .py = hf->floats[PY],
                                 .lost = hf->doubles[LOST],
                                 .arrival = hf->doubles[ARRIVAL],
                                 .max_h = hf->floats[MAX_H],
                                 .max_speed = hf->floats[MAX_SPEED]};
  return SCIARA_OK;
cleanup:
  sciara_host_fields_destroy(hf);
  return status;
}

void sciara_host_fields_destroy(struct sciara_host_fields *hf) {
  for (int k = 0; k < FLOATS; k++) sciara_free(hf->floats[k]);
  for (int k = 0; k < DOUBLES; k++) sciara_free(hf->doubles[k]);
  sciara_free(hf->kind);
  *hf = (struct sciara_host_fields){0};
}

void sciara_host_fields_upload(struct sciara_host_fields *hf, const struct sciara_state *s,
                               enum sciara_boundary boundary) {
  const struct sciara_fields *f = &hf->f;
  for (int64_t i = 0; i < hf->count; i++) {
    f->z[i] = SCIARA_WALL;
    f->arrival[i] = SCIARA_NEVER;
  }
  for (int64_t r = 0; r < s->grid.rows; r++)
    for (int64_t c = 0; c < s->grid.cols; c++) {
      const int64_t from = r * s->grid.cols + c, to = sciara_host_index(hf, r, c);
      const uint8_t kind = s->kind[from];
      const bool wall = kind == SCIARA_CELL_NODATA || (kind == SCIARA_CELL_RIM && boundary == SCIARA_BOUNDARY_CLOSED);
      hf->kind[to] = kind;
      if (!wall) f->z[to] = (real)s->z[from];
      f->h[to] = (real)s->h[from];
      f->T[to] = (real)s->T[from];
      f->px[to] = (real)s->px[from];
      f->py[to] = (real)s->py[from];
      f->lost[to] = s->lost[from];
      f->arrival[to] = s->arrival[from];
      if (f->max_h) f->max_h[to] = (real)s->max_h[from];
      if (f->max_speed) f->max_speed[to] = (real)s->max_speed[from];
    }
}

static void copy_row(double *to, const real *from, int64_t cols) {
  for (int64_t c = 0; c < cols; c++) to[c] = (double)from[c];
}

/** Rock forms in the interior alone; elsewhere the altitude stays. */
static void copy_altitudes(double *to, const real *from, const uint8_t *kind, int64_t cols) {
  for (int64_t c = 0; c < cols; c++) {
    const double was = to[c], is = (double)from[c];
    to[c] = kind[c] == SCIARA_CELL_INTERIOR ? is : was;
  }
}

// A row of one field after the other: that is what vector instructions are for, and it waits for memory alone.
void sciara_host_fields_download(const struct sciara_host_fields *hf, struct sciara_state *s) {
  const struct sciara_fields *f = &hf->f;
  const int64_t cols = s->grid.cols;
  for (int64_t r = 0; r < s->grid.rows; r++) {
    const int64_t first = r * cols, begin = sciara_host_index(hf, r, 0);
    copy_altitudes(s->z + first, f->z + begin, hf->kind + begin, cols);
    copy_row(s->h + first, f->h + begin, cols);
    copy_row(s->T + first, f->T + begin, cols);
    copy_row(s->px + first, f->px + begin, cols);
    copy_row(s->py + first, f->py + begin, cols);
    memcpy(s->lost + first, f->lost + begin, (size_t)cols * sizeof(double));
    memcpy(s->arrival + first, f->arrival + begin, (size_t)cols * sizeof(double));
    if (f->max_h) copy_row(s->max_h + first, f->max_h + begin, cols);
    if (f->max_speed) copy_row(s->max_speed + first, f->max_speed + begin, cols);
  }
}
