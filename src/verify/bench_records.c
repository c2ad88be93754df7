// SPDX-License-Identifier: Apache-2.0
#include "verify/bench_records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "file/durable.h"
#include "file/json_strict.h"
#include "verify/trace.h"

// Raised when the rule itself is changed: what was recorded before is then of another model.
enum { MODEL = 1 };

enum { COLUMNS = 12, MOST_BYTES = 16 << 20 };

static const char header[] =
    "case,rows,cols,start,precision,problem,step,cell_steps,clock_s,liquid_cells,residual_m3,checksum";

uint64_t sciara_bench_fingerprint(const struct sciara_problem *p, enum sciara_precision precision) {
  struct sciara_trace t;
  sciara_trace_begin(p, precision, &t); // not its hash of the DEM: the altitudes are in that of the state
  uint64_t side;
  memcpy(&side, &p->grid.cell_size, sizeof side);
  const uint64_t parts[] = {MODEL, t.start, t.parameters, t.vents, side, p->state->solidifications};
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
    for (int shift = 0; shift < 64; shift += 8) hash = (hash ^ (parts[k] >> shift & 0xff)) * UINT64_C(0x100000001b3);
  return hash;
}

const struct sciara_bench_record *sciara_bench_record_find(const struct sciara_bench_records *r, uint64_t problem,
                                                           enum sciara_precision precision, uint64_t step) {
  for (size_t k = 0; k < r->count; k++)
    if (r->row[k].problem == problem && r->row[k].precision == precision && r->row[k].step == step) return &r->row[k];
  return NULL;
}

enum sciara_status sciara_bench_record_add(struct sciara_bench_records *r, const struct sciara_bench_record *row) {
  if ((r->count & (r->count - 1)) == 0) { // 0, 1, 2, 4...: there is no room for another
    struct sciara_bench_record *more = realloc(r->row, (r->count ? 2 * r->count : 1) * sizeof *more);
    if (!more) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a record");
    r->row = more;
  }
  r->row[r->count++] = *row;
  return SCIARA_OK;
}

static bool same_case(const struct sciara_bench_record *a, const struct sciara_bench_record *b) {
  return strcmp(a->name, b->name) == 0 && a->rows == b->rows && a->cols == b->cols && a->start == b->start &&
         a->precision == b->precision;
}

void sciara_bench_records_drop(struct sciara_bench_records *r, const struct sciara_bench_record *like) {
  struct sciara_bench_records kept = {0};
  const struct sciara_bench_record copy = *like; // it may be one of the rows
  for (size_t k = 0; k < r->count; k++)
    if (!same_case(&r->row[k], &copy)) r->row[kept.count++] = r->row[k];
  r->count = kept.count;
}

void sciara_bench_records_free(struct sciara_bench_records *r) {
  free(r->row);
  *r = (struct sciara_bench_records){0};
}

// ------------------------------------------------------------------------------------------------------------- writing

#define ORDER(x, y)           \
  do {                        \
    if ((x) < (y)) return -1; \
    if ((x) > (y)) return 1;  \
  } while (0)

static int in_order(const void *left, const void *right) {
  const struct sciara_bench_record *a = (const struct sciara_bench_record *)left;
  const struct sciara_bench_record *b = (const struct sciara_bench_record *)right;
  const int names = strcmp(a->name, b->name);
  if (names) return names;
  ORDER(a->rows, b->rows);
  ORDER(a->cols, b->cols);
  ORDER(a->start, b->start);
  ORDER(a->precision, b->precision);
  ORDER(a->step, b->step);
  return 0;
}

enum sciara_status sciara_bench_records_write(struct sciara_bench_records *r, const char *path) {
  struct sciara_text t = {0};
  if (r->count) qsort(r->row, r->count, sizeof *r->row, in_order);
  enum sciara_status status = sciara_text_append(&t, "%s\n", header);
  for (size_t k = 0; status == SCIARA_OK && k < r->count; k++) {
    const struct sciara_bench_record *row = &r->row[k];
    char clock[40], residual[40];
    sciara_json_number(row->clock, clock, sizeof clock);
    sciara_json_number(row->residual, residual, sizeof residual);
    status =
        sciara_text_append(&t,
                           "%s,%" PRId64 ",%" PRId64 ",%" PRIu64 ",%s,%016" PRIx64 ",%" PRIu64 ",%" PRIu64
                           ",%s,%" PRId64 ",%s,%016" PRIx64 "\n",
                           row->name, row->rows, row->cols, row->start, sciara_precision_name(row->precision),
                           row->problem, row->step, row->cell_steps, clock, row->liquid_cells, residual, row->checksum);
  }
  if (status == SCIARA_OK) status = sciara_file_replace(path, t.data, t.length);
  sciara_text_free(&t);
  return status;
}

// ------------------------------------------------------------------------------------------------------------- reading

static bool take_hash(const char *text, uint64_t *out) {
  if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16) return false;
  *out = strtoull(text, NULL, 16);
  return true;
}

static bool take_whole(const char *text, uint64_t *out) {
  if (!*text || strlen(text) > 18 || strspn(text, "0123456789") != strlen(text)) return false;
  *out = strtoull(text, NULL, 10);
  return true;
}

static bool take_size(const char *text, int64_t *out) {
  uint64_t value;
  if (!take_whole(text, &value)) return false;
  *out = (int64_t)value;
  return true;
}

static bool take_precision(const char *text, enum sciara_precision *out) {
  *out = strcmp(text, "single") == 0 ? SCIARA_SINGLE_PRECISION : SCIARA_DOUBLE;
  return strcmp(text, sciara_precision_name(*out)) == 0;
}

/** Cuts the line at its commas; NULL, or what is allowed in the place of *found. */
static const char *take_row(char *line, struct sciara_bench_record *row, const char **found) {
  char *column[COLUMNS + 1] = {NULL};
  size_t count = 0;
  for (char *rest = line; rest && count <= COLUMNS;) column[count++] = strsep(&rest, ",");
  *row = (struct sciara_bench_record){.rows = 0};
  *found = "another number of values";
  if (count != COLUMNS) return "12";
  const struct {
    bool good;
    const char *allowed;
  } check[COLUMNS] = {
      {*column[0] && strlen(column[0]) < sizeof row->name, "a name of 1 to 23 bytes"},
      {take_size(column[1], &row->rows), "a whole number of rows"},
      {take_size(column[2], &row->cols), "a whole number of columns"},
      {take_whole(column[3], &row->start), "a step"},
      {take_precision(column[4], &row->precision), "double or single"},
      {take_hash(column[5], &row->problem), "16 hexadecimal digits"},
      {take_whole(column[6], &row->step) && row->step >= row->start, "a step, not before the start"},
      {take_whole(column[7], &row->cell_steps), "a whole number of cell-steps"},
      {sciara_parse_double(column[8], &row->clock), "a clock"},
      {take_size(column[9], &row->liquid_cells), "a whole number of cells"},
      {sciara_parse_double(column[10], &row->residual), "a residual"},
      {take_hash(column[11], &row->checksum), "16 hexadecimal digits"},
  };
  for (size_t k = 0; k < COLUMNS; k++) {
    *found = column[k];
    if (!check[k].good) return check[k].allowed;
  }
  snprintf(row->name, sizeof row->name, "%s", column[0]);
  return NULL;
}

static enum sciara_status take_line(const char *path, size_t number, char *line, struct sciara_bench_records *out) {
  struct sciara_bench_record row;
  const char *found;
  if (number == 1) {
    if (strcmp(line, header) == 0) return SCIARA_OK;
    return sciara_fail(SCIARA_ERR_INPUT, "%s:1: found another first line, allowed \"%s\"", path, header);
  }
  const char *allowed = take_row(line, &row, &found);
  if (allowed)
    return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: found \"%.60s\", allowed %s", path, number, found, allowed);
  if (sciara_bench_record_find(out, row.problem, row.precision, row.step))
    return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: found step %" PRIu64 " of the same problem again, allowed once", path,
                       number, row.step);
  return sciara_bench_record_add(out, &row);
}

enum sciara_status sciara_bench_records_read(const char *path, struct sciara_bench_records *out) {
  char *text = NULL;
  size_t length = 0, number = 0;
  *out = (struct sciara_bench_records){0};
  SCIARA_TRY(sciara_file_read(path, MOST_BYTES, &text, &length));
  enum sciara_status status = SCIARA_OK;
  char *rest = text;
  if (memchr(text, '\0', length)) status = sciara_fail(SCIARA_ERR_INPUT, "%s: found a NUL byte, allowed text", path);
  for (char *line = strsep(&rest, "\n"); status == SCIARA_OK && line; line = strsep(&rest, "\n"))
    if (*line || number == 0) status = take_line(path, ++number, line, out);
  free(text);
  if (status != SCIARA_OK) sciara_bench_records_free(out);
  return status;
}
