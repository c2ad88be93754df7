// SPDX-License-Identifier: Apache-2.0
#include "verify/trace_csv.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "file/csv.h"
#include "file/durable.h"
#include "file/json_strict.h"
#include "model/state.h"

static const char header[] =
    "precision,dem,start,parameters,vents,step,time_s,clock_s,emitted_m3,liquid_cells,residual_m3,checksum";

// ------------------------------------------------------------------------------------------------------------- writing

enum sciara_status sciara_trace_write(const struct sciara_trace *t, const char *path) {
  struct sciara_text text = {0};
  sciara_text_append(&text, "%s\n", header);
  for (size_t k = 0; k < t->count; k++) {
    const struct sciara_trace_row *r = &t->row[k];
    const double numbers[] = {r->time, r->clock, r->emitted, r->residual};
    char number[4][40];
    for (int i = 0; i < 4; i++) sciara_json_number(numbers[i], number[i], sizeof number[i]);
    sciara_text_append(&text, "%s,%016" PRIx64 ",%016" PRIx64 ",%016" PRIx64 ",%016" PRIx64, t->precision, t->dem,
                       t->start, t->parameters, t->vents);
    sciara_text_append(&text, ",%" PRIu64 ",%s,%s,%s,%" PRId64 ",%s,%016" PRIx64 "\n", r->step, number[0], number[1],
                       number[2], r->liquid_cells, number[3], r->checksum);
  }
  return sciara_text_write(path, text.failed, &text);
}

// ------------------------------------------------------------------------------------------------------------- reading

static enum sciara_status add_row(struct sciara_trace *t, const struct sciara_trace_row *row) {
  if ((t->count & (t->count - 1)) == 0) { // 0, 1, 2, 4...: the array is full
    struct sciara_trace_row *more = realloc(t->row, (t->count ? 2 * t->count : 1) * sizeof *more);
    if (!more) return sciara_no_memory("a trace");
    t->row = more;
  }
  t->row[t->count++] = *row;
  return SCIARA_OK;
}

/** Whether the row describes the same computation as the previous rows. */
static bool same_head(const struct sciara_trace *a, const struct sciara_trace *b) {
  return strcmp(a->precision, b->precision) == 0 && a->dem == b->dem && a->start == b->start &&
         a->parameters == b->parameters && a->vents == b->vents;
}

static const char *take_row(void *context, char *const *value, const char **found, enum sciara_status *status) {
  static const char hexadecimal[] = "16 hexadecimal digits";
  struct sciara_trace *t = (struct sciara_trace *)context, head = {.count = 0};
  struct sciara_trace_row row = {0};
  const struct {
    bool good;
    const char *expected;
  } check[] = {
      {*value[0] && strlen(value[0]) < sizeof head.precision, "a precision"},
      {sciara_csv_hash(value[1], &head.dem), hexadecimal},
      {sciara_csv_hash(value[2], &head.start), hexadecimal},
      {sciara_csv_hash(value[3], &head.parameters), hexadecimal},
      {sciara_csv_hash(value[4], &head.vents), hexadecimal},
      {sciara_csv_whole(value[5], &row.step) && (t->count == 0 || row.step > t->row[t->count - 1].step),
       "steps that ascend"},
      {sciara_parse_double(value[6], &row.time), "a time"},
      {sciara_parse_double(value[7], &row.clock), "a clock"},
      {sciara_parse_double(value[8], &row.emitted), "a volume"},
      {sciara_csv_size(value[9], &row.liquid_cells), "a whole number of cells"},
      {sciara_parse_double(value[10], &row.residual), "a residual"},
      {sciara_csv_hash(value[11], &row.checksum), hexadecimal},
  };
  for (size_t k = 0; k < sizeof check / sizeof *check; k++) {
    *found = value[k];
    if (!check[k].good) return check[k].expected;
  }
  snprintf(head.precision, sizeof head.precision, "%s", value[0]);
  *found = "another precision or hash";
  if (t->count > 0 && !same_head(t, &head)) return "those of the first row";
  if (t->count == 0) *t = head;
  *status = add_row(t, &row);
  return NULL;
}

/** A member of a file of version 1, a text or a number, as in the table. */
static enum sciara_status append_value(struct sciara_text *out, const cJSON *value, const char *after) {
  char number[40] = "";
  const double v = cJSON_IsNumber(value) ? value->valuedouble : 0;
  if (cJSON_IsNumber(value) && v == floor(v) && fabs(v) <= 0x1p53)
    snprintf(number, sizeof number, "%.0f", v);
  else if (cJSON_IsNumber(value))
    sciara_json_number(v, number, sizeof number);
  return sciara_text_append(out, "%s%s", cJSON_IsString(value) ? value->valuestring : number, after);
}

/** Version 1, before the tables, was JSON: the same values, with those of the head only once. */
static enum sciara_status table_of_json(const char *path, const char *text, size_t length, struct sciara_text *out) {
  static const char *const heads[] = {"precision", "dem", "start", "parameters", "vents"};
  cJSON *root = NULL;
  SCIARA_TRY(sciara_json_parse(path, text, length, &root));
  const cJSON *row, *value, *version = cJSON_GetObjectItemCaseSensitive(root, "version");
  sciara_text_append(out, "%s\n", header);
  cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(root, "rows")) {
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
      append_value(out, cJSON_GetObjectItemCaseSensitive(root, heads[k]), ",");
    cJSON_ArrayForEach(value, row) append_value(out, value, value->next ? "," : "\n");
  }
  enum sciara_status status = out->failed;
  if (status == SCIARA_OK && !(cJSON_IsNumber(version) && version->valuedouble == 1))
    status =
        sciara_fail(SCIARA_ERR_INPUT, "%s: is not a trace: expected a table that begins with \"%s\"", path, header);
  cJSON_Delete(root);
  return status;
}

static enum sciara_status read_rows(const char *path, struct sciara_text *text, struct sciara_trace *out) {
  const struct sciara_csv_table table = {.header = header, .row = take_row, .context = out};
  if (text->length > 0 && text->data[0] == '{') {
    struct sciara_text rows = {0};
    const enum sciara_status status = table_of_json(path, text->data, text->length, &rows);
    sciara_text_free(text);
    *text = rows;
    SCIARA_TRY(status);
  }
  SCIARA_TRY(sciara_csv_parse(path, text->data, text->length, &table));
  if (out->count == 0) return sciara_fail(SCIARA_ERR_INPUT, "%s: expected one or more rows, found none", path);
  return SCIARA_OK;
}

enum sciara_status sciara_trace_read(const char *path, struct sciara_trace *out) {
  struct sciara_text text = {0};
  *out = (struct sciara_trace){0};
  SCIARA_TRY(sciara_file_read(path, SCIARA_CSV_BYTES_MOST, &text.data, &text.length));
  const enum sciara_status status = read_rows(path, &text, out);
  sciara_text_free(&text);
  if (status != SCIARA_OK) sciara_trace_free(out);
  return status;
}

void sciara_trace_free(struct sciara_trace *t) {
  free(t->row);
  *t = (struct sciara_trace){0};
}

void sciara_trace_begin(const struct sciara_problem *p, enum sciara_precision precision, struct sciara_trace *out) {
  const struct sciara_vents *v = p->vents;
  const size_t cells = (size_t)v->count * sizeof *v->row, slots = (size_t)v->slots * sizeof *v->rate;
  *out = (struct sciara_trace){.dem = p->site->origin.hash, .start = sciara_checksum_in_parallel(p->state)};
  out->parameters = sciara_params_hash(SCIARA_HASH_BEGIN, &p->params);
  out->parameters = sciara_hash_bytes(out->parameters, &p->boundary, sizeof p->boundary);
  out->vents = sciara_hash_bytes(sciara_hash_bytes(SCIARA_HASH_BEGIN, v->row, cells), v->col, cells);
  out->vents = sciara_hash_bytes(sciara_hash_bytes(sciara_hash_bytes(out->vents, v->begin, slots), v->end, slots),
                                 v->rate, slots);
  snprintf(out->precision, sizeof out->precision, "%s", sciara_precision_name(precision));
}

enum sciara_status sciara_trace_add(struct sciara_trace *t, const struct sciara_state *s,
                                    const struct sciara_ledger *ledger) {
  const struct sciara_trace_row row = {.step = s->step,
                                       .time = s->time,
                                       .clock = s->clock,
                                       .emitted = s->emitted,
                                       .liquid_cells = sciara_state_liquid_cells(s),
                                       .residual = ledger->residual_m3,
                                       .checksum = sciara_checksum_in_parallel(s)};
  return add_row(t, &row);
}
