// SPDX-License-Identifier: Apache-2.0
#include "engine/band_rows.h"

#include <string.h>

#include "base/mem.h"
#include "engine/engine.h"

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

struct sciara_cuts sciara_cuts_make(int64_t rows, const int64_t *weight, int ranks, int64_t tile_rows) {
  const bool tiled = rows >= ranks * most(tile_rows, SCIARA_HALO_ROWS);
  const int64_t unit = tiled ? tile_rows : 1;
  const int64_t smallest = (most(unit, SCIARA_HALO_ROWS) + unit - 1) / unit * unit;
  const int64_t bands = least(least(ranks, SCIARA_MOST_BANDS), most(rows / smallest, 1));
  struct sciara_cuts cuts = {.count = (int)bands};
  int64_t sum = 0, before = 0, row = 0;
  for (int64_t r = 0; r < rows; r++) sum += weight[r];
  for (int64_t k = 1; k < bands; k++) {
    const int64_t share = sum * k / bands, low = cuts.first[k - 1] + smallest, high = rows - (bands - k) * smallest;
    int64_t cut =
        row; // the last one at which the rows before it have no more than their share, or the next if it is closer
    for (int64_t added = 0; row < rows; row += unit, before += added) {
      added = 0;
      for (int64_t r = row; r < least(row + unit, rows); r++) added += weight[r];
      if (before + added > share) {
        cut = before + added - share < share - before ? row + unit : row;
        break;
      }
      cut = row + unit;
    }
    cuts.first[k] = most(low, least(cut, high / unit * unit));
  }
  cuts.first[bands] = rows;
  return cuts;
}

struct sciara_row_range sciara_cuts_rows(const struct sciara_cuts *cuts, int rank, int64_t halo) {
  if (rank >= cuts->count) return (struct sciara_row_range){0, 0};
  return (struct sciara_row_range){most(cuts->first[rank] - halo, 0),
                                   least(cuts->first[rank + 1] + halo, cuts->first[cuts->count])};
}

// ---------------------------------------------------------------------------------------------------------------- move

/** An array of a state, a value for each cell. */
struct column {
  void *data;
  size_t size;
};

enum {
#define SCIARA_REAL_FIELD(member) +1
#define SCIARA_DOUBLE_FIELD(member) +1
#define SCIARA_RECORDED_FIELD(member, NAME, ...) +1
  COLUMNS = 2
#include "model/fields.def"
};

/** The arrays that travel; returns their number. */
static int columns_of(const struct sciara_rows *rows, unsigned record, bool ground, struct column out[COLUMNS]) {
  const struct sciara_state *s = rows->state;
  int count = 0;
  if (!s) return 0;
#define SCIARA_REAL_FIELD(member) out[count++] = (struct column){s->member, sizeof *s->member};
#define SCIARA_DOUBLE_FIELD(member) SCIARA_REAL_FIELD(member)
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (record & SCIARA_RECORD_##NAME) SCIARA_REAL_FIELD(member)
#include "model/fields.def"
  if (!ground) return count;
  out[count++] = (struct column){rows->z0 ? rows->z0 : (double *)s->z0, sizeof *s->z0};          // the latter is sent
  out[count++] = (struct column){rows->kind ? rows->kind : (uint8_t *)s->kind, sizeof *s->kind}; // likewise
  return count;
}

static struct sciara_row_range common(struct sciara_row_range a, struct sciara_row_range b) {
  return (struct sciara_row_range){most(a.begin, b.begin), least(a.end, b.end)};
}

/** Where some rows begin in an array of this rank. */
static char *rows_at(const struct sciara_rows *rows, int rank, const struct column *column,
                     struct sciara_row_range which) {
  const int64_t top = sciara_cuts_rows(&rows->cuts, rank, rows->halo).begin, cols = rows->state->grid.cols;
  return (char *)column->data + (size_t)((which.begin - top) * cols) * column->size;
}

/** The move of one rank. */
struct move {
  struct sciara_comm *comm;
  const struct sciara_rows *from, *to;
  struct column out[COLUMNS], in[COLUMNS];
  int columns;
  struct sciara_comm_message *message;
  int count;
};

static void add_band(struct move *m, int other, bool receive, struct sciara_row_range which) {
  const struct sciara_rows *mine = receive ? m->to : m->from;
  for (int k = 0; k < m->columns && which.begin < which.end; k++) {
    const struct column *column = receive ? &m->in[k] : &m->out[k];
    const size_t cells = (size_t)((which.end - which.begin) * mine->state->grid.cols);
    m->message[m->count++] = (struct sciara_comm_message){.rank = other,
                                                          .receive = receive,
                                                          .data = rows_at(mine, m->comm->rank, column, which),
                                                          .bytes = cells * column->size};
  }
}

static void copy_own(const struct move *m, struct sciara_row_range which) {
  const int me = m->comm->rank;
  for (int k = 0; k < m->columns && which.begin < which.end; k++) {
    const size_t cells = (size_t)((which.end - which.begin) * m->to->state->grid.cols);
    memcpy(rows_at(m->to, me, &m->in[k], which), rows_at(m->from, me, &m->out[k], which), cells * m->in[k].size);
  }
}

enum sciara_status sciara_rows_move(struct sciara_comm *c, const struct sciara_rows *from, const struct sciara_rows *to,
                                    unsigned record, bool ground) {
  struct move m = {.comm = c, .from = from, .to = to};
  const int mine = columns_of(from, record, ground, m.out), theirs = columns_of(to, record, ground, m.in);
  m.columns = mine > theirs ? mine : theirs;
  SCIARA_TRY(SCIARA_NEW(m.message, 2 * (int64_t)c->size * COLUMNS, "rows that change hands"));
  for (int k = 0; k < c->size; k++) {
    const struct sciara_row_range give =
        common(sciara_cuts_rows(&from->cuts, c->rank, 0), sciara_cuts_rows(&to->cuts, k, to->halo));
    const struct sciara_row_range take =
        common(sciara_cuts_rows(&from->cuts, k, 0), sciara_cuts_rows(&to->cuts, c->rank, to->halo));
    if (k == c->rank) {
      copy_own(&m, give);
      continue;
    }
    add_band(&m, k, false, give);
    add_band(&m, k, true, take);
  }
  const enum sciara_status status = sciara_comm_exchange(c, m.message, m.count);
  sciara_free(m.message);
  return status;
}
