// SPDX-License-Identifier: Apache-2.0
// Two passes over the snapshots: first the cells and the ranges, then the levels. So only one field of one snapshot is
// in memory.
#include "page/page_html.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "model/field.h"

enum { MAX_BYTES = 256 << 20 }; // levels unpacked in a browser

struct reader {
  struct sciara_page_frames *out;
  enum sciara_checksum_rule rule;
  double *values, *thickness; // one field of one snapshot, and its thickness
  double low[SCIARA_FIELD_COUNT];
};

double sciara_page_step(double range, int steps) {
  double decade = pow(10, floor(log10(range / steps)));
  const int factors[] = {1, 2, 5, 10, 20}; // the last: log10 may be rounded down to the decade below
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
    if (range / (factors[i] * decade) <= steps) return factors[i] * decade;
  return 50 * decade;
}

/** Reads a field into r->values; every value is finite then. */
static enum sciara_status read_field(struct reader *r, struct sciara_snapshot *s, enum sciara_field field) {
  if (!sciara_snapshot_has(s, field))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: has no field \"%s\", unlike other snapshots of the run", s->path,
                       sciara_field_name(field));
  SCIARA_TRY(sciara_snapshot_obtain(s, field, r->values));
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++)
    if (!isfinite(r->values[i]))
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s: %s: cell row %" PRId64 ", column %" PRId64 " is %g, expected a finite number", s->path,
                         sciara_field_name(field), i / s->grid.cols, i % s->grid.cols, r->values[i]);
  return SCIARA_OK;
}

/** The thickness that says where lava is, for a field that is 0 also where lava stands still. */
static enum sciara_status read_thickness(struct reader *r, struct sciara_snapshot *s) {
  if (sciara_snapshot_has(s, SCIARA_FIELD_THICKNESS))
    return sciara_snapshot_read(s, SCIARA_FIELD_THICKNESS, r->thickness);
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) r->thickness[i] = 1; // not known: shown wherever not NODATA
  return SCIARA_OK;
}

static bool is_empty(const struct reader *r, enum sciara_field field, int64_t i) {
  return r->values[i] == SCIARA_NODATA_ALTITUDE || sciara_field_is_empty(field, r->values[i], r->thickness[i]);
}

/** Cells that lava has reached by then. */
static enum sciara_status count_covered(struct reader *r, struct sciara_snapshot *s, int64_t *count) {
  const enum sciara_field field =
      sciara_snapshot_has(s, SCIARA_FIELD_DEPOSIT) ? SCIARA_FIELD_DEPOSIT : SCIARA_FIELD_ARRIVAL_TIME;
  *count = -1;
  if (!sciara_snapshot_has(s, field)) return SCIARA_OK;
  SCIARA_TRY(read_field(r, s, field));
  *count = 0;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) *count += !is_empty(r, field, i);
  return SCIARA_OK;
}

/** The cells that are shown so far, and the rectangle around them. */
static void find_box(struct sciara_page_frames *out) {
  const struct sciara_grid *g = &out->grid;
  out->cells = 0;
  int64_t top = g->rows, left = g->cols, bottom = -1, right = -1;
  for (int64_t i = 0; i < sciara_grid_cells(g); i++) {
    if (!out->covered[i]) continue;
    const int64_t row = i / g->cols, col = i % g->cols;
    out->cells++;
    if (row < top) top = row;
    if (col < left) left = col;
    if (row > bottom) bottom = row;
    if (col > right) right = col;
  }
  if (out->cells == 0) return;
  const int64_t box[4] = {top, left, bottom - top + 1, right - left + 1};
  memcpy(out->box, box, sizeof box);
}

/** Refuses what no browser holds. */
static enum sciara_status check_size(const struct sciara_page_frames *out) {
  int64_t frames = 0;
  for (size_t f = 0; f < out->field_count; f++) frames += out->fields[f].once ? 1 : (int64_t)out->frame_count;
  if (out->cells * frames > MAX_BYTES / (int64_t)sizeof(uint16_t))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%" PRId64 " cells with lava in %" PRId64 " frames of fields are too many for a browser: "
                       "expected at most %d values; use fewer frames",
                       out->cells, frames, MAX_BYTES / (int)sizeof(uint16_t));
  return SCIARA_OK;
}

/** First time: what the frame says of itself, where it shows something, and between which values. */
static enum sciara_status survey(struct reader *r, struct sciara_snapshot *s, size_t k) {
  struct sciara_page_frames *out = r->out;
  out->frames[k] = (struct sciara_page_frame){
      .time_s = s->time_s, .step = s->step, .liquid_cells = s->liquid_cells, .ledger = s->ledger};
  SCIARA_TRY(count_covered(r, s, &out->frames[k].covered_cells));
  for (size_t f = 0; f < out->field_count; f++) {
    struct sciara_page_field *field = &out->fields[f];
    if (field->once && k + 1 < out->frame_count) continue;
    SCIARA_TRY(read_field(r, s, field->field));
    for (int64_t i = 0; i < sciara_grid_cells(&out->grid); i++) {
      if (is_empty(r, field->field, i)) continue;
      out->covered[i] = 1;
      r->low[f] = fmin(r->low[f], r->values[i]);
      field->high = fmax(field->high, r->values[i]);
    }
  }
  find_box(out);
  return check_size(out); // before the other snapshots are read
}

/** Second time: the levels. */
static enum sciara_status fill(struct reader *r, struct sciara_snapshot *s, size_t k) {
  struct sciara_page_frames *out = r->out;
  for (size_t f = 0; f < out->field_count; f++) {
    struct sciara_page_field *field = &out->fields[f];
    if (field->once && k + 1 < out->frame_count) continue;
    SCIARA_TRY(read_field(r, s, field->field));
    uint16_t *level = field->levels + (field->once ? 0 : (int64_t)k * out->cells);
    for (int64_t i = 0; i < sciara_grid_cells(&out->grid); i++) {
      if (!out->covered[i]) continue;
      *level++ = is_empty(r, field->field, i) ? 0 : (uint16_t)(1 + lround((r->values[i] - field->base) / field->step));
    }
  }
  return SCIARA_OK;
}

static enum sciara_status each_snapshot(struct reader *r, const char *const *paths,
                                        enum sciara_status (*look)(struct reader *, struct sciara_snapshot *, size_t)) {
  const struct sciara_grid *grid = &r->out->grid;
  for (size_t k = 0; k < r->out->frame_count; k++) {
    struct sciara_snapshot s;
    SCIARA_TRY(sciara_snapshot_open_as(paths[k], r->rule, &s));
    enum sciara_status status = SCIARA_OK;
    if (!sciara_grid_same(&s.grid, grid))
      status =
          sciara_fail(SCIARA_ERR_INPUT, "%s: %" PRId64 " x %" PRId64 " cells of %g m: the grid differs from that of %s",
                      s.path, s.grid.rows, s.grid.cols, s.grid.cell_size, paths[0]);
    if (status == SCIARA_OK) status = read_thickness(r, &s);
    if (status == SCIARA_OK) status = look(r, &s, k);
    sciara_snapshot_close(&s);
    SCIARA_TRY(status);
  }
  return SCIARA_OK;
}

static int index_of(const struct sciara_page_frames *frames, enum sciara_field field) {
  for (size_t f = 0; f < frames->field_count; f++)
    if (frames->fields[f].field == field) return (int)f;
  return -1;
}

/** Most lava of a deposit is liquid while it flows: on one scale the two hardly differ. */
static void pair_fields(struct reader *r) {
  const int deposit = index_of(r->out, SCIARA_FIELD_DEPOSIT), thickness = index_of(r->out, SCIARA_FIELD_THICKNESS);
  if (deposit < 0 || thickness < 0) return;
  struct sciara_page_field *whole = &r->out->fields[deposit], *part = &r->out->fields[thickness];
  part->like = deposit;
  whole->high = part->high = fmax(whole->high, part->high);
  r->low[deposit] = r->low[thickness] = fmin(r->low[deposit], r->low[thickness]);
}

static int most_steps(const struct sciara_page_field *field) {
  if (field->once) return SCIARA_PAGE_STEPS_ONCE;
  return field->field == SCIARA_FIELD_TEMPERATURE ? SCIARA_PAGE_STEPS_HEAT : SCIARA_PAGE_STEPS;
}

static enum sciara_status choose_step(struct sciara_page_field *field, double low) {
  if (!(field->high >= low)) low = field->high = 0; // nothing to show
  if (field->field != SCIARA_FIELD_TEMPERATURE && low > 0) low = 0;
  // Steps that double precision can still distinguish; a single value needs none.
  const double range = fmax(field->high - low, 1e-9 * fmax(1, fabs(field->high)));
  if (!isfinite(range))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: values from %g to %g are too far apart to be drawn",
                       sciara_field_name(field->field), low, field->high);
  field->step = sciara_page_step(range, most_steps(field));
  field->base = floor(low / field->step) * field->step;
  return SCIARA_OK;
}

/** Step and base of each field, and room for its levels. */
static enum sciara_status choose_steps(struct reader *r) {
  struct sciara_page_frames *out = r->out;
  pair_fields(r);
  for (size_t f = 0; f < out->field_count; f++) {
    struct sciara_page_field *field = &out->fields[f];
    SCIARA_TRY(choose_step(field, r->low[f]));
    SCIARA_TRY(SCIARA_NEW(field->levels, out->cells * (field->once ? 1 : (int64_t)out->frame_count), "frames"));
  }
  return SCIARA_OK;
}

enum sciara_status sciara_page_frames_read(const char *const *paths, size_t count, enum sciara_checksum_rule rule,
                                           const enum sciara_field *fields, size_t field_count,
                                           struct sciara_page_frames *out) {
  struct reader r = {.out = out, .rule = rule};
  struct sciara_snapshot first;
  enum sciara_status status;
  *out = (struct sciara_page_frames){.frame_count = count, .field_count = field_count};
  SCIARA_TRY(sciara_snapshot_open_as(paths[0], rule, &first));
  out->grid = first.grid;
  sciara_snapshot_close(&first);
  for (size_t f = 0; f < field_count; f++) {
    out->fields[f] = (struct sciara_page_field){
        .field = fields[f], .once = fields[f] == SCIARA_FIELD_ARRIVAL_TIME, .high = -INFINITY, .like = -1};
    r.low[f] = INFINITY;
  }
  const int64_t cells = sciara_grid_cells(&out->grid);
  SCIARA_TRY_GOTO(SCIARA_NEW(out->frames, count, "frames"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->covered, cells, "cells with lava"));
  SCIARA_TRY_GOTO(SCIARA_NEW(r.values, cells, "a field"));
  SCIARA_TRY_GOTO(SCIARA_NEW(r.thickness, cells, "thickness"));
  SCIARA_TRY_GOTO(each_snapshot(&r, paths, survey));
  SCIARA_TRY_GOTO(choose_steps(&r));
  if (out->cells > 0) SCIARA_TRY_GOTO(each_snapshot(&r, paths, fill));
cleanup:
  sciara_free(r.values);
  sciara_free(r.thickness);
  if (status != SCIARA_OK) sciara_page_frames_free(out);
  return status;
}

void sciara_page_frames_free(struct sciara_page_frames *frames) {
  for (size_t f = 0; f < SCIARA_FIELD_COUNT; f++) sciara_free(frames->fields[f].levels);
  sciara_free(frames->covered);
  sciara_free(frames->frames);
  *frames = (struct sciara_page_frames){0};
}
