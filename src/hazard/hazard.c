// SPDX-License-Identifier: Apache-2.0
// The maps strip by strip: the footprints in some rows are loaded, then threads take blocks of these rows.
#include "hazard/hazard.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/share.h"
#include "base/status.h"

/** Footprints of all members in the cells first to end - 1. The cells of a member lie together, and ascend. */
struct strip {
  const struct sciara_sample *sample;
  int64_t first, end;
  size_t capacity, used;
  uint32_t *cell; ///< - first
  float *value[SCIARA_FOOTPRINT_VALUES];
  size_t *begin, *count; ///< per member
  uint8_t *reached;      ///< per cell
  pthread_mutex_t lock;
  const struct sciara_hazard_options *options; ///< NULL: no more visits
};

static void strip_free(struct strip *s) {
  sciara_free(s->cell);
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) sciara_free(s->value[v]);
  sciara_free(s->begin);
  sciara_free(s->count);
  sciara_free(s->reached);
  pthread_mutex_destroy(&s->lock);
}

static enum sciara_status strip_make(struct strip *s, size_t entries) {
  static const char what[] = "the footprints of an ensemble";
  pthread_mutex_init(&s->lock, NULL);
  s->capacity = entries;
  SCIARA_TRY(SCIARA_NEW(s->cell, entries + 1, what));
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) SCIARA_TRY(SCIARA_NEW(s->value[v], entries + 1, what));
  SCIARA_TRY(SCIARA_NEW(s->begin, s->sample->count, what));
  SCIARA_TRY(SCIARA_NEW(s->count, s->sample->count, what));
  return SCIARA_NEW(s->reached, s->end - s->first, what);
}

/** Reserves room for a member. */
static enum sciara_status reserve(struct strip *s, size_t member, size_t count) {
  enum sciara_status status = SCIARA_OK;
  pthread_mutex_lock(&s->lock);
  s->begin[member] = s->used;
  s->count[member] = count;
  if (count > s->capacity - s->used)
    status = sciara_fail(SCIARA_ERR_INPUT, "the batches of the ensemble changed while they were read");
  else
    s->used += count;
  pthread_mutex_unlock(&s->lock);
  return status;
}

static enum sciara_status load(void *context, size_t member, const struct sciara_footprint *f) {
  struct strip *s = (struct strip *)context;
  if (s->options && s->options->visit) SCIARA_TRY(s->options->visit(s->options->visit_context, member, f));
  if (!sciara_sample_counts(s->sample, member)) return SCIARA_OK;
  const int64_t from = sciara_lower_bound(f->cell, 0, f->count, s->first),
                to = sciara_lower_bound(f->cell, 0, f->count, s->end);
  SCIARA_TRY(reserve(s, member, (size_t)(to - from)));
  const size_t at = s->begin[member], count = s->count[member];
  if (count == 0) return SCIARA_OK; // then there may be no arrays
  for (size_t k = 0; k < count; k++) s->cell[at + k] = (uint32_t)(f->cell[from + (int64_t)k] - s->first);
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++)
    memcpy(s->value[v] + at, f->value[v] + from, count * sizeof *s->value[v]);
  return SCIARA_OK;
}

// --------------------------------------------------------------------------------------------------------- one strip

enum { BLOCK = 8 }; // rows that a thread takes at a time

/** The values of a strip, being computed by several threads. */
struct computation {
  const struct sciara_hazard_rule *rule;
  const struct strip *strip;
  struct sciara_hazard_part *part;
  size_t *row_start; ///< per row of the strip: reached cells before it
  int64_t rows, cols;
  atomic_int_fast64_t next;
};

/** The memory of a thread: the hits in one row, sorted by cell. */
struct worker {
  struct computation *c;
  struct sciara_hazard_scratch scratch;
  size_t *cursor;   ///< per member
  size_t *start;    ///< per column + 1: hits before it
  uint32_t *member; //
  float *value[SCIARA_FOOTPRINT_VALUES];
  size_t capacity;
  float *result; ///< per layer
};

static void worker_free(struct worker *w) {
  sciara_hazard_scratch_free(&w->scratch);
  sciara_free(w->cursor);
  sciara_free(w->start);
  sciara_free(w->member);
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) sciara_free(w->value[v]);
  sciara_free(w->result);
}

static enum sciara_status worker_make(struct worker *w) {
  const struct computation *c = w->c;
  SCIARA_TRY(sciara_hazard_scratch_make(c->rule->sample, c->rule->cell != NULL, &w->scratch));
  SCIARA_TRY(SCIARA_NEW(w->cursor, c->rule->sample->count, "the members of an ensemble"));
  SCIARA_TRY(SCIARA_NEW(w->start, c->cols + 2, "the hits of a row"));
  return SCIARA_NEW(w->result, c->rule->layers->count + 1, "the values of a cell");
}

/** Grows the lists; their contents are lost. */
static enum sciara_status make_room(struct worker *w, size_t hits) {
  if (hits <= w->capacity) return SCIARA_OK;
  sciara_free(w->member);
  w->member = NULL;
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) {
    sciara_free(w->value[v]);
    w->value[v] = NULL;
  }
  w->capacity = hits + hits / 2;
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++)
    SCIARA_TRY(SCIARA_NEW(w->value[v], w->capacity, "the hits of a row"));
  return SCIARA_NEW(w->member, w->capacity, "the hits of a row");
}

/** Sets the cursor of each member to its first cell in a row of the strip or later. */
static void seek(struct worker *w, int64_t row) {
  const struct strip *s = w->c->strip;
  const uint32_t cell = (uint32_t)(row * w->c->cols);
  for (size_t m = 0; m < s->sample->count; m++) {
    size_t low = s->begin[m], high = low + s->count[m];
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (s->cell[middle] < cell)
        low = middle + 1;
      else
        high = middle;
    }
    w->cursor[m] = low;
  }
}

/** Counts the hits of each column of a row; start[c] becomes the hits before column c. Returns their sum. */
static size_t count_row(struct worker *w, int64_t row) {
  const struct strip *s = w->c->strip;
  const int64_t cols = w->c->cols, base = row * cols;
  memset(w->start, 0, ((size_t)cols + 2) * sizeof *w->start);
  for (size_t m = 0; m < s->sample->count; m++)
    for (size_t k = w->cursor[m], end = s->begin[m] + s->count[m]; k < end && s->cell[k] < base + cols; k++)
      w->start[s->cell[k] - base + 2]++;
  for (int64_t c = 2; c <= cols + 1; c++) w->start[c] += w->start[c - 1];
  return w->start[cols + 1];
}

/** Moves the hits of a row into the lists, by column and member. Afterwards start[c + 1] is the end of column c. */
static void gather_row(struct worker *w, int64_t row) {
  const struct strip *s = w->c->strip;
  const int64_t cols = w->c->cols, base = row * cols;
  for (size_t m = 0; m < s->sample->count; m++) {
    const size_t end = s->begin[m] + s->count[m];
    for (; w->cursor[m] < end && s->cell[w->cursor[m]] < base + cols; w->cursor[m]++) {
      const size_t k = w->cursor[m], at = w->start[s->cell[k] - base + 1]++;
      w->member[at] = (uint32_t)m;
      for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) w->value[v][at] = s->value[v][k];
    }
  }
}

static enum sciara_status compute_row(struct worker *w, int64_t row) {
  const struct computation *c = w->c;
  struct sciara_hazard_part *part = c->part;
  SCIARA_TRY(make_room(w, count_row(w, row)));
  gather_row(w, row);
  size_t at = c->row_start[row];
  for (int64_t col = 0; col < c->cols; col++) {
    const size_t from = col == 0 ? 0 : w->start[col], to = w->start[col + 1];
    if (from == to) continue;
    struct sciara_cell_hits hits = {.count = to - from, .member = w->member + from};
    for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) hits.value[v] = w->value[v] + from;
    SCIARA_TRY(sciara_hazard_cell(c->rule, &hits, &w->scratch, w->result));
    part->cell[at] = c->strip->first + row * c->cols + col;
    for (size_t k = 0; k < c->rule->layers->count; k++) part->value[k * part->count + at] = w->result[k];
    at++;
  }
  return SCIARA_OK;
}

static enum sciara_status compute_blocks(struct worker *w) {
  struct computation *c = w->c;
  SCIARA_TRY(worker_make(w));
  for (;;) {
    const int64_t begin = BLOCK * atomic_fetch_add(&c->next, 1);
    if (begin >= c->rows) return SCIARA_OK;
    seek(w, begin);
    for (int64_t row = begin; row < begin + BLOCK && row < c->rows; row++) SCIARA_TRY(compute_row(w, row));
  }
}

/** What a thread does. */
static enum sciara_status compute(void *context, size_t thread) {
  struct worker w = {.c = (struct computation *)context};
  (void)thread;
  const enum sciara_status status = compute_blocks(&w);
  worker_free(&w);
  return status;
}

/** Counts the reached cells of each row; returns all of them. */
static size_t count_reached(const struct strip *s, int64_t rows, int64_t cols, size_t *row_start) {
  size_t sum = 0;
  for (int64_t r = 0; r < rows; r++) {
    row_start[r] = sum;
    for (int64_t c = 0; c < cols; c++) sum += s->reached[r * cols + c];
  }
  return sum;
}

static enum sciara_status compute_strip(const struct sciara_hazard_rule *rule, struct strip *strip, int64_t cols,
                                        int threads, struct sciara_hazard_part *part) {
  struct computation c = {
      .rule = rule, .strip = strip, .part = part, .rows = (strip->end - strip->first) / cols, .cols = cols};
  size_t values;
  enum sciara_status status;
  for (size_t k = 0; k < strip->used; k++) strip->reached[strip->cell[k]] = 1;
  SCIARA_TRY(SCIARA_NEW(c.row_start, c.rows + 1, "the rows of a map"));
  part->count = count_reached(strip, c.rows, cols, c.row_start);
  SCIARA_TRY_GOTO(sciara_size_mul(part->count, rule->layers->count, &values));
  SCIARA_TRY_GOTO(SCIARA_NEW(part->cell, part->count, "the cells that lava reaches"));
  SCIARA_TRY_GOTO(SCIARA_NEW(part->value, values, "the maps of an ensemble"));
  status = sciara_share_pieces(threads, (size_t)(threads > 1 ? threads : 1), compute, &c);
cleanup:
  sciara_free(c.row_start);
  return status;
}

// --------------------------------------------------------------------------------------------------------- all strips

/** Counts the cells of the footprints in each row. */
struct histogram {
  const struct sciara_sample *sample;
  int64_t cols;
  atomic_size_t *row;
};

static enum sciara_status count_rows(void *context, size_t member, const struct sciara_footprint *f) {
  struct histogram *h = (struct histogram *)context;
  if (!sciara_sample_counts(h->sample, member)) return SCIARA_OK;
  for (int64_t k = 0; k < f->count;) {
    const int64_t row = f->cell[k] / h->cols, end = sciara_lower_bound(f->cell, 0, f->count, (row + 1) * h->cols);
    atomic_fetch_add_explicit(&h->row[row], (size_t)(end - k), memory_order_relaxed);
    k = end;
  }
  return SCIARA_OK;
}

enum { ENTRY = sizeof(uint32_t) + SCIARA_FOOTPRINT_VALUES * sizeof(float), STRIP_CELLS_MOST = INT32_MAX };

/** The end of the strip that begins at `row`: as many rows as fit, but at least one. */
static int64_t strip_end(const atomic_size_t *per_row, int64_t row, int64_t rows, int64_t cols, size_t most,
                         size_t *entries) {
  *entries = 0;
  int64_t end = row;
  do {
    *entries += per_row[end++];
  } while (end < rows && *entries + per_row[end] <= most && (end - row + 1) * cols <= STRIP_CELLS_MOST);
  return end;
}

/** What sciara_hazard_make works on. */
struct making {
  const struct sciara_hazard_rule *rule;
  const struct sciara_footprint_source *source;
  const struct sciara_hazard_options *options;
  int64_t rows, cols;
  bool visited; ///< the options' visit has seen all
};

static enum sciara_status make_strip(struct making *m, int64_t begin, int64_t end, size_t entries,
                                     struct sciara_hazard_part *part) {
  struct strip s = {.sample = m->rule->sample,
                    .first = begin * m->cols,
                    .end = end * m->cols,
                    .options = m->visited ? NULL : m->options};
  enum sciara_status status = strip_make(&s, entries);
  if (status == SCIARA_OK) status = sciara_footprints_visit(m->source, m->options->threads, load, &s);
  m->visited = true;
  if (status == SCIARA_OK) status = compute_strip(m->rule, &s, m->cols, m->options->threads, part);
  strip_free(&s);
  return status;
}

static enum sciara_status make_parts(struct making *m, const atomic_size_t *per_row, size_t most,
                                     struct sciara_hazard *out) {
  for (int64_t row = 0; row < m->rows;) {
    size_t entries;
    const int64_t end = strip_end(per_row, row, m->rows, m->cols, most, &entries);
    if (entries > 0) {
      SCIARA_TRY(make_strip(m, row, end, entries, &out->part[out->parts++]));
      out->cells += out->part[out->parts - 1].count;
    }
    row = end;
  }
  return SCIARA_OK;
}

static enum sciara_status make_elsewhere(const struct sciara_hazard_rule *rule, struct sciara_hazard *out) {
  struct sciara_hazard_scratch x;
  const struct sciara_cell_hits none = {0};
  SCIARA_TRY(SCIARA_NEW(out->elsewhere, rule->layers->count + 1, "the values of a cell"));
  SCIARA_TRY(sciara_hazard_scratch_make(rule->sample, rule->cell != NULL, &x));
  const enum sciara_status status = sciara_hazard_cell(rule, &none, &x, out->elsewhere);
  sciara_hazard_scratch_free(&x);
  return status;
}

enum sciara_status sciara_hazard_make(const struct sciara_hazard_rule *rule,
                                      const struct sciara_footprint_source *source, int64_t rows, int64_t cols,
                                      size_t entries, const struct sciara_hazard_options *options,
                                      struct sciara_hazard *out) {
  struct making m = {.rule = rule, .source = source, .options = options, .rows = rows, .cols = cols};
  struct histogram h = {.sample = rule->sample, .cols = cols};
  const size_t most = options->bytes / ENTRY;
  enum sciara_status status;
  *out = (struct sciara_hazard){.layers = *rule->layers};
  SCIARA_TRY_GOTO(make_elsewhere(rule, out));
  if (cols > STRIP_CELLS_MOST) {
    status =
        sciara_fail(SCIARA_ERR_INPUT, "expected at most %d columns, found %lld", STRIP_CELLS_MOST, (long long)cols);
    goto cleanup;
  }
  if (entries <= most && rows * cols <= STRIP_CELLS_MOST) {
    SCIARA_TRY_GOTO(SCIARA_NEW(out->part, 1, "the maps of an ensemble"));
    out->parts = 1;
    SCIARA_TRY_GOTO(make_strip(&m, 0, rows, entries, &out->part[0]));
    out->cells = out->part[0].count;
    return SCIARA_OK;
  }
  SCIARA_TRY_GOTO(SCIARA_NEW(h.row, rows, "the rows of a map"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->part, rows, "the maps of an ensemble"));
  SCIARA_TRY_GOTO(sciara_footprints_visit(source, options->threads, count_rows, &h));
  SCIARA_TRY_GOTO(make_parts(&m, h.row, most, out));
cleanup:
  sciara_free(h.row);
  if (status != SCIARA_OK) sciara_hazard_free(out);
  return status;
}

void sciara_hazard_free(struct sciara_hazard *h) {
  for (size_t k = 0; k < h->parts; k++) {
    sciara_free(h->part[k].cell);
    sciara_free(h->part[k].value);
  }
  sciara_free(h->part);
  sciara_free(h->elsewhere);
  *h = (struct sciara_hazard){0};
}

void sciara_hazard_fill(const struct sciara_hazard *h, size_t layer, const uint8_t *valid, int64_t cells, double *out) {
  for (int64_t i = 0; i < cells; i++) out[i] = valid[i] ? (double)h->elsewhere[layer] : SCIARA_NODATA_ALTITUDE;
  for (size_t k = 0; k < h->parts; k++) {
    const struct sciara_hazard_part *p = &h->part[k];
    for (size_t i = 0; i < p->count; i++)
      if (valid[p->cell[i]]) out[p->cell[i]] = (double)p->value[layer * p->count + i];
  }
}
