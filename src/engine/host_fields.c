// SPDX-License-Identifier: Apache-2.0
#include "engine/host_fields.h"

#include <string.h>

#include "base/mem.h"

enum {
#define SCIARA_REAL_FIELD(member) +1
  REALS = 0
#include "model/fields.def"
  ,
#define SCIARA_GROUND_FIELD(member) +1
  GROUNDS = 0
#include "model/fields.def"
  ,
#define SCIARA_DOUBLE_FIELD(member) +1
  DOUBLES = 0
#include "model/fields.def"
};

static int64_t stride_of(int64_t cols) {
  const int64_t line = SCIARA_ALIGNMENT / (int64_t)sizeof(real);
  return (cols + 2 + line - 1) / line * line;
}

size_t sciara_host_fields_memory(const struct sciara_grid *grid, unsigned record) {
  const size_t reals = REALS + sciara_record_count(record) + (record & SCIARA_RECORD_OF_GROUND ? GROUNDS : 0);
  return (size_t)(grid->rows + 2) * (size_t)stride_of(grid->cols) *
         (reals * sizeof(real) + DOUBLES * sizeof(double) + 1);
}

enum sciara_status sciara_host_fields_create(struct sciara_host_fields *hf, const struct sciara_state *like) {
  enum sciara_status status;
  const unsigned record = sciara_state_record(like);
  *hf = (struct sciara_host_fields){.grid = like->grid, .f.stride = stride_of(like->grid.cols)};
  size_t count;
  SCIARA_TRY_GOTO(sciara_size_mul((size_t)like->grid.rows + 2, (size_t)hf->f.stride, &count));
  hf->count = (int64_t)count;
  SCIARA_TRY_GOTO(SCIARA_NEW(hf->kind, count, "kinds of the engine's cells"));
  hf->f.kind = hf->kind;
#define SCIARA_REAL_FIELD(member) \
  SCIARA_TRY_GOTO(SCIARA_NEW(hf->f.member, count + SCIARA_HOST_SLACK, "a field of the engine"));
#define SCIARA_GROUND_FIELD(member) \
  if (record & SCIARA_RECORD_OF_GROUND) SCIARA_REAL_FIELD(member)
#define SCIARA_DOUBLE_FIELD(member) SCIARA_REAL_FIELD(member)
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (record & SCIARA_RECORD_##NAME) SCIARA_REAL_FIELD(member)
#include "model/fields.def"
  return SCIARA_OK;
cleanup:
  sciara_host_fields_destroy(hf);
  return status;
}

void sciara_host_fields_destroy(struct sciara_host_fields *hf) {
#define SCIARA_REAL_FIELD(member) sciara_free(hf->f.member);
#define SCIARA_GROUND_FIELD(member) sciara_free(hf->f.member);
#define SCIARA_DOUBLE_FIELD(member) sciara_free(hf->f.member);
#define SCIARA_RECORDED_FIELD(member, NAME, ...) sciara_free(hf->f.member);
#include "model/fields.def"
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
#define SCIARA_GROUND_FIELD(member) \
  if (f->member && !wall) f->member[to] = (real)s->member[from];
#define SCIARA_DOUBLE_FIELD(member) f->member[to] = s->member[from];
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (f->member) f->member[to] = (real)s->member[from];
#include "model/fields.def"
    }
}

static void copy_row(double *to, const real *from, int64_t cols) {
  for (int64_t c = 0; c < cols; c++) to[c] = (double)from[c];
}

/** Rock forms only in the interior; elsewhere the altitude never changes. */
static void copy_altitudes(double *to, const real *from, const uint8_t *kind, int64_t cols) {
  for (int64_t c = 0; c < cols; c++) {
    const double was = to[c], is = (double)from[c];
    to[c] = kind[c] == SCIARA_CELL_INTERIOR ? is : was;
  }
}

// One row of one field at a time: this uses vector instructions and is limited by memory bandwidth only.
void sciara_host_fields_download_rows(const struct sciara_host_fields *hf, int64_t row, int64_t count,
                                      struct sciara_state *s) {
  const struct sciara_fields *f = &hf->f;
  const int64_t cols = s->grid.cols;
  for (int64_t r = row; r < row + count; r++) {
    const int64_t first = r * cols, begin = sciara_host_index(hf, r, 0);
    copy_altitudes(s->z + first, f->z + begin, s->kind + first, cols);
    copy_row(s->h + first, f->h + begin, cols);
    copy_row(s->T + first, f->T + begin, cols);
    copy_row(s->px + first, f->px + begin, cols);
    copy_row(s->py + first, f->py + begin, cols);
#define SCIARA_DOUBLE_FIELD(member) memcpy(s->member + first, f->member + begin, (size_t)cols * sizeof(double));
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (f->member) copy_row(s->member + first, f->member + begin, cols);
#include "model/fields.def"
  }
}

void sciara_host_fields_download(const struct sciara_host_fields *hf, struct sciara_state *s) {
  sciara_host_fields_download_rows(hf, 0, s->grid.rows, s);
}

size_t sciara_host_fields_row_bytes(const struct sciara_host_fields *hf) {
  return (size_t)hf->grid.cols * REALS * sizeof(real);
}

/** Packs one field of a row; returns the next position in the buffer. */
static char *pack_field(char *to, const real *from, size_t bytes) {
  memcpy(to, from, bytes);
  return to + bytes;
}

static const char *unpack_field(real *to, const char *from, size_t bytes) {
  memcpy(to, from, bytes);
  return from + bytes;
}

void sciara_host_fields_pack(const struct sciara_host_fields *hf, int64_t row, int64_t count, void *buffer) {
  const size_t bytes = (size_t)hf->grid.cols * sizeof(real);
  char *to = (char *)buffer;
  for (int64_t r = row; r < row + count; r++) {
    const int64_t first = sciara_host_index(hf, r, 0);
#define SCIARA_REAL_FIELD(member) to = pack_field(to, hf->f.member + first, bytes);
#include "model/fields.def"
  }
}

void sciara_host_fields_unpack(const struct sciara_host_fields *hf, int64_t row, int64_t count, const void *buffer) {
  const size_t bytes = (size_t)hf->grid.cols * sizeof(real);
  const char *from = (const char *)buffer;
  for (int64_t r = row; r < row + count; r++) {
    const int64_t first = sciara_host_index(hf, r, 0);
#define SCIARA_REAL_FIELD(member) from = unpack_field(hf->f.member + first, from, bytes);
#include "model/fields.def"
  }
}
