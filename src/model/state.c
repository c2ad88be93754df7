// SPDX-License-Identifier: Apache-2.0
#include "model/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/detmath.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/share.h"

enum {
#define SCIARA_REAL_FIELD(member) +1
#define SCIARA_GROUND_FIELD(member) +1
#define SCIARA_DOUBLE_FIELD(member) +1
  SUMMED = 0
#include "model/fields.def"
  ,
#define SCIARA_REAL_FIELD(member) +1
#define SCIARA_DOUBLE_FIELD(member) +1
  ALWAYS_OWNED = 0
#include "model/fields.def"
  , // the fields recorded on request follow; they are not part of the checksum
  OWNED = ALWAYS_OWNED + (int)SCIARA_RECORDED_FIELDS
};

/** The fields of the checksum, in the order of their numbers there. */
static void summed_of(const struct sciara_state *s, const double *field[SUMMED]) {
  const double *all[SUMMED] = {
#define SCIARA_REAL_FIELD(member) s->member,
#define SCIARA_GROUND_FIELD(member) s->member,
#define SCIARA_DOUBLE_FIELD(member) s->member,
#include "model/fields.def"
  };
  memcpy(field, all, sizeof all);
}

/** The fields that a state owns; those that are not recorded are NULL. */
static void owned_of(struct sciara_state *s, double **field[OWNED]) {
  double **all[OWNED] = {
#define SCIARA_REAL_FIELD(member) &s->member,
#define SCIARA_DOUBLE_FIELD(member) &s->member,
#define SCIARA_RECORDED_FIELD(member, NAME, ...) &s->member,
#include "model/fields.def"
  };
  memcpy(field, all, sizeof all);
}

unsigned sciara_state_record(const struct sciara_state *s) {
  unsigned record = SCIARA_RECORD_NOTHING;
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (s->member) record |= SCIARA_RECORD_##NAME;
#include "model/fields.def"
  return record;
}

static enum sciara_status take_memory(const struct sciara_site *site, unsigned record, struct sciara_state **out) {
  enum sciara_status status;
  struct sciara_state *s = NULL;
  const int64_t cells = sciara_grid_cells(&site->grid);
  *out = NULL;
  SCIARA_TRY_GOTO(SCIARA_NEW(s, 1, "simulation state"));
  s->site = sciara_site_retain(site);
  s->grid = site->grid;
  s->kind = site->kind;
  s->z0 = site->z0;
  double **field[OWNED];
  owned_of(s, field);
  for (int f = 0; f < OWNED; f++) {
    if (f >= ALWAYS_OWNED && !(record >> (f - ALWAYS_OWNED) & 1u)) continue;
    SCIARA_TRY_GOTO(SCIARA_NEW(*field[f], cells, "a field of the simulation state"));
  }
  *out = s;
  return SCIARA_OK;
cleanup:
  sciara_state_destroy(s);
  return status;
}

enum sciara_status sciara_state_create_on(const struct sciara_site *site, unsigned record, struct sciara_state **out) {
  SCIARA_TRY(take_memory(site, record, out));
  struct sciara_state *s = *out;
  const int64_t cells = sciara_grid_cells(&s->grid);
  for (int64_t i = 0; i < cells; i++) {
    s->z[i] = s->z0[i];
    s->arrival[i] = SCIARA_NEVER;
  }
  return SCIARA_OK;
}

enum sciara_status sciara_state_create(const struct sciara_grid *grid, const double *altitude, const uint8_t *valid,
                                       unsigned record, struct sciara_state **out) {
  const struct sciara_site *site;
  *out = NULL;
  SCIARA_TRY(sciara_site_create(grid, altitude, valid, NULL, &site));
  const enum sciara_status status = sciara_state_create_on(site, record, out);
  sciara_site_release(site);
  return status;
}

size_t sciara_state_memory(const struct sciara_grid *grid, unsigned record) {
  return (size_t)sciara_grid_cells(grid) * (ALWAYS_OWNED + sciara_record_count(record)) * sizeof(double);
}

void sciara_state_destroy(struct sciara_state *s) {
  if (!s) return;
  double **field[OWNED];
  owned_of(s, field);
  for (int f = 0; f < OWNED; f++) sciara_free(*field[f]);
  sciara_site_release(s->site);
  sciara_free(s);
}

/** Copies what belongs to no cell. */
static void copy_totals(const struct sciara_state *from, struct sciara_state *to) {
  to->time = from->time;
  to->clock = from->clock;
  to->step = from->step;
  to->initial = from->initial;
  to->emitted = from->emitted;
  to->added = from->added;
  to->removed = from->removed;
  to->solidifications = from->solidifications;
}

enum sciara_status sciara_state_clone(const struct sciara_state *s, struct sciara_state **out) {
  *out = NULL;
  struct sciara_state *copy;
  SCIARA_TRY(take_memory(s->site, sciara_state_record(s), &copy));
  struct sciara_state source = *s;
  const size_t cells = (size_t)sciara_grid_cells(&s->grid);
  double **from[OWNED], **to[OWNED];
  owned_of(&source, from);
  owned_of(copy, to);
  for (int f = 0; f < OWNED; f++)
    if (*from[f]) memcpy(*to[f], *from[f], cells * sizeof(double));
  copy_totals(s, copy);
  *out = copy;
  return SCIARA_OK;
}

void sciara_state_copy_at(const struct sciara_state *from, int64_t row, int64_t col, struct sciara_state *to) {
  struct sciara_state source = *from;
  double **fields[OWNED], **targets[OWNED];
  const int64_t first_row = row < 0 ? -row : 0, first_col = col < 0 ? -col : 0;
  const int64_t end_row = to->grid.rows - row < from->grid.rows ? to->grid.rows - row : from->grid.rows;
  const int64_t end_col = to->grid.cols - col < from->grid.cols ? to->grid.cols - col : from->grid.cols;
  owned_of(&source, fields);
  owned_of(to, targets);
  for (int f = 0; f < OWNED && end_col > first_col; f++)
    for (int64_t r = first_row; *targets[f] && *fields[f] && r < end_row; r++)
      memcpy(*targets[f] + (row + r) * to->grid.cols + col + first_col, *fields[f] + r * from->grid.cols + first_col,
             (size_t)(end_col - first_col) * sizeof(double));
  copy_totals(from, to);
}

static uint64_t word(uint64_t field, uint64_t cell, double value) {
  return sciara_hash_word(field, cell, sciara_double_bits(value));
}

static uint64_t word_of_shape(const struct sciara_grid *g) {
  return sciara_hash_mix((uint64_t)g->rows) + sciara_hash_mix(~(uint64_t)g->cols);
}

static uint64_t words_of_totals(const struct sciara_state *s) {
  const double scalars[] = {s->time, s->clock, (double)s->step, s->initial, s->emitted};
  uint64_t sum = 0;
  const double correction[] = {s->added, s->removed}; // a part of it since there are corrections
  for (uint64_t k = 0; k < sizeof scalars / sizeof *scalars; k++) sum += word(1000 + k, 0, scalars[k]);
  for (uint64_t k = 0; k < 2; k++)
    if (correction[k] > 0) sum += word(1100 + k, 0, correction[k]);
  return sum;
}

static uint64_t words_of_cells(const struct sciara_state *s, int64_t begin, int64_t end) {
  const double *field[SUMMED];
  summed_of(s, field);
  uint64_t sum = 0;
  for (uint64_t f = 0; f < SUMMED; f++)
    for (int64_t i = begin; i < end; i++) sum += word(f, (uint64_t)i, field[f][i]);
  return sum;
}

uint64_t sciara_state_checksum(const struct sciara_state *s) {
  return word_of_shape(&s->grid) + words_of_totals(s) + words_of_cells(s, 0, sciara_grid_cells(&s->grid));
}

/** Work on a state in several threads. */
struct shared {
  const struct sciara_state *state;
  uint64_t sum; ///< summed atomically
  struct sciara_touched *touched;
};

/** So many threads that each has `least` cells. */
static int worth(int threads, int64_t cells, int64_t least) {
  return threads < cells / least + 1 ? threads : (int)(cells / least + 1);
}

static void add_words(void *context, int64_t begin, int64_t end) {
  struct shared *w = (struct shared *)context;
  __atomic_fetch_add(&w->sum, words_of_cells(w->state, begin, end), __ATOMIC_RELAXED);
}

uint64_t sciara_checksum_in_parallel(const struct sciara_state *s) {
  const int64_t cells = sciara_grid_cells(&s->grid);
  struct shared w = {.state = s, .sum = word_of_shape(&s->grid) + words_of_totals(s)};
  sciara_share(worth(sciara_usable_cores(), cells, 1 << 20), cells, add_words, &w);
  return w.sum;
}

// Lava changes few cells of a map, and the checksum is a sum: that of the bare ground plus, for each value that has
// changed, the difference of two words.

/** The value of a field in a cell i that lava never reached. */
static double bare(const struct sciara_state *s, const double *field, int64_t i) {
  return field == s->z || field == s->z0 ? s->z0[i] : field == s->arrival ? SCIARA_NEVER : 0.0;
}

uint64_t sciara_state_checksum_of_ground(const struct sciara_state *s) {
  const double *field[SUMMED];
  summed_of(s, field);
  const int64_t cells = sciara_grid_cells(&s->grid);
  uint64_t sum = word_of_shape(&s->grid);
  for (uint64_t f = 0; f < SUMMED; f++)
    for (int64_t i = 0; i < cells; i++) sum += word(f, (uint64_t)i, bare(s, field[f], i));
  return sum;
}

/** What lava adds to the checksum in `count` cells from `first` on, which on the map are those from `on_map` on. */
static uint64_t change_of(const struct sciara_state *s, int64_t first, int64_t count, int64_t on_map) {
  const double *field[SUMMED];
  uint64_t sum = 0;
  summed_of(s, field);
  for (uint64_t f = 0; f < SUMMED; f++)
    for (int64_t k = 0; k < count; k++) {
      const double was = bare(s, field[f], first + k), is = field[f][first + k];
      if (sciara_double_bits(was) != sciara_double_bits(is))
        sum += word(f, (uint64_t)(on_map + k), is) - word(f, (uint64_t)(on_map + k), was);
    }
  return sum;
}

uint64_t sciara_state_checksum_over(const struct sciara_state *s, uint64_t ground,
                                    const struct sciara_touched *touched) {
  uint64_t sum = ground;
  for (int64_t r = 0; r < s->grid.rows; r++) {
    const struct sciara_span *span = &touched->rows[r];
    const int64_t first = r * s->grid.cols + span->begin;
    sum += change_of(s, first, span->end - span->begin, first);
  }
  return sum + words_of_totals(s);
}

uint64_t sciara_state_checksum_at(const struct sciara_state *s, uint64_t ground, int64_t first, int64_t cols) {
  uint64_t sum = ground;
  for (int64_t r = 0; r < s->grid.rows; r++) sum += change_of(s, r * s->grid.cols, s->grid.cols, first + r * cols);
  return sum + words_of_totals(s);
}

// What lava has touched

enum { BLOCK = 64 }; // cells that are compared together, with vector instructions

/** All bits that are set in any of the cells [first, end). */
static uint64_t bits_in(const double *field, int64_t first, int64_t end) {
  uint64_t bits = 0;
  for (int64_t i = first; i < end; i++) bits |= sciara_double_bits(field[i]);
  return bits;
}

/** Whether the cells [first, end) differ in any bit from bare ground. */
static bool is_touched(const struct sciara_state *s, int64_t first, int64_t end) {
  uint64_t touched = 0;
  for (int64_t i = first; i < end; i++)
    touched |= (sciara_double_bits(s->z[i]) ^ sciara_double_bits(s->z0[i])) |
               (sciara_double_bits(s->arrival[i]) ^ sciara_double_bits(SCIARA_NEVER)) | sciara_double_bits(s->h[i]) |
               sciara_double_bits(s->T[i]) | sciara_double_bits(s->px[i]) | sciara_double_bits(s->py[i]) |
               sciara_double_bits(s->lost[i]);
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

int64_t sciara_state_liquid_cells(const struct sciara_state *s) { return liquid_in(s, 0, sciara_grid_cells(&s->grid)); }

static void add_touched(void *context, int64_t first_row, int64_t end_row) {
  const struct shared *w = (const struct shared *)context;
  const struct sciara_state *s = w->state;
  const int64_t cols = s->grid.cols;
  int64_t liquid = 0;
  for (int64_t r = first_row; r < end_row; r++) {
    struct sciara_span *span = &w->touched->rows[r];
    for (int64_t begin = 0; begin < cols; begin += BLOCK) {
      const int64_t end = begin + BLOCK < cols ? begin + BLOCK : cols;
      if (!is_touched(s, r * cols + begin, r * cols + end)) continue;
      if (span->end == 0) span->begin = begin;
      span->end = end;
      liquid += liquid_in(s, r * cols + begin, r * cols + end);
    }
  }
  __atomic_fetch_add(&w->touched->liquid_cells, liquid, __ATOMIC_RELAXED);
}

enum sciara_status sciara_touched_find(const struct sciara_state *s, int threads, struct sciara_touched *out) {
  struct shared w = {.state = s, .touched = out};
  *out = (struct sciara_touched){0};
  SCIARA_TRY(SCIARA_NEW(out->rows, s->grid.rows, "the rows that lava has touched"));
  sciara_share(worth(threads, sciara_grid_cells(&s->grid), 1 << 15), s->grid.rows, add_touched, &w);
  return SCIARA_OK;
}

void sciara_touched_release(struct sciara_touched *touched) {
  sciara_free(touched->rows);
  *touched = (struct sciara_touched){0};
}
