// SPDX-License-Identifier: Apache-2.0
#include "model/touched.h"

#include <string.h>

#include "base/mem.h"

enum { BLOCK = 64 }; // cells that are compared together, with vector instructions

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/** All bits that are set in any of the cells [first, end). */
static uint64_t bits_in(const double *field, int64_t first, int64_t end) {
  uint64_t bits = 0;
  for (int64_t i = first; i < end; i++) bits |= bits_of(field[i]);
  return bits;
}

/** Whether the cells [first, end) differ in any bit from bare ground. */
static bool is_touched(const struct sciara_state *s, int64_t first, int64_t end) {
  uint64_t touched = 0;
  for (int64_t i = first; i < end; i++)
    touched |= (bits_of(s->z[i]) ^ bits_of(s->z0[i])) | (bits_of(s->arrival[i]) ^ bits_of(SCIARA_NEVER)) |
               bits_of(s->h[i]) | bits_of(s->T[i]) | bits_of(s->px[i]) | bits_of(s->py[i]) | bits_of(s->lost[i]);
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (s->member) touched |= bits_in(s->member, first, end);
#include "model/fields.def"
  return touched != 0;
}

static int64_t liquid_in(const struct sciara_state *s, int64_t first, int64_t end) {
  int64_t liquid = 0;
  for (int64_t i = first; i < end; i++) liquid += s->h[i] > 0;
  return liquid;
}

enum sciara_status sciara_touched_make(const struct sciara_grid *grid, struct sciara_touched *out) {
  *out = (struct sciara_touched){0};
  return SCIARA_NEW(out->rows, grid->rows, "the rows that lava has touched");
}

void sciara_touched_add(struct sciara_touched *touched, const struct sciara_state *s, int64_t first_row,
                        int64_t end_row) {
  const int64_t cols = s->grid.cols;
  int64_t liquid = 0;
  for (int64_t r = first_row; r < end_row; r++) {
    struct sciara_span *span = &touched->rows[r];
    for (int64_t begin = 0; begin < cols; begin += BLOCK) {
      const int64_t end = begin + BLOCK < cols ? begin + BLOCK : cols;
      if (!is_touched(s, r * cols + begin, r * cols + end)) continue;
      if (span->end == 0) span->begin = begin;
      span->end = end;
      liquid += liquid_in(s, r * cols + begin, r * cols + end);
    }
  }
  __atomic_fetch_add(&touched->liquid_cells, liquid, __ATOMIC_RELAXED);
}

enum sciara_status sciara_touched_find(const struct sciara_state *s, struct sciara_touched *out) {
  SCIARA_TRY(sciara_touched_make(&s->grid, out));
  sciara_touched_add(out, s, 0, s->grid.rows);
  return SCIARA_OK;
}

void sciara_touched_release(struct sciara_touched *touched) {
  sciara_free(touched->rows);
  *touched = (struct sciara_touched){0};
}
