// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "file/csv.h"
#include "file/durable.h"
#include "file/json_strict.h"
#include "verify/trace_csv.h"

// Incremented when the rule itself is changed: older records are then of another model.
enum { MODEL = 1 };

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
  if ((r->count & (r->count - 1)) == 0) { // 0, 1, 2, 4...: the array is full
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

static bool take_precision(const char *text, enum sciara_precision *out) {
  *out = strcmp(text, "single") == 0 ? SCIARA_SINGLE_PRECISION : SCIARA_DOUBLE;
  return strcmp(text, sciara_precision_name(*out)) == 0;
}

static const char *take_row(void *context, char *const *column, const char **found, enum sciara_status *status) {
  struct sciara_bench_records *out = (struct sciara_bench_records *)context;
  struct sciara_bench_record row = {.rows = 0};
  const struct {
    bool good;
    const char *expected;
  } check[] = {
      {*column[0] && strlen(column[0]) < sizeof row.name, "a name of 1 to 23 bytes"},
      {sciara_csv_size(column[1], &row.rows), "a whole number of rows"},
      {sciara_csv_size(column[2], &row.cols), "a whole number of columns"},
      {sciara_csv_whole(column[3], &row.start), "a step"},
      {take_precision(column[4], &row.precision), "double or single"},
      {sciara_csv_hash(column[5], &row.problem), "16 hexadecimal digits"},
      {sciara_csv_whole(column[6], &row.step) && row.step >= row.start, "a step, not before the start"},
      {sciara_csv_whole(column[7], &row.cell_steps), "a whole number of cell-steps"},
      {sciara_parse_double(column[8], &row.clock), "a clock"},
      {sciara_csv_size(column[9], &row.liquid_cells), "a whole number of cells"},
      {sciara_parse_double(column[10], &row.residual), "a residual"},
      {sciara_csv_hash(column[11], &row.checksum), "16 hexadecimal digits"},
  };
  for (size_t k = 0; k < sizeof check / sizeof *check; k++) {
    *found = column[k];
    if (!check[k].good) return check[k].expected;
  }
  *found = column[6];
  if (sciara_bench_record_find(out, row.problem, row.precision, row.step)) return "each step of a problem once";
  snprintf(row.name, sizeof row.name, "%s", column[0]);
  *status = sciara_bench_record_add(out, &row);
  return NULL;
}

enum sciara_status sciara_bench_records_read(const char *path, struct sciara_bench_records *out) {
  const struct sciara_csv_table table = {.header = header, .row = take_row, .context = out};
  *out = (struct sciara_bench_records){0};
  const enum sciara_status status = sciara_csv_read(path, &table);
  if (status != SCIARA_OK) sciara_bench_records_free(out);
  return status;
}
