// SPDX-License-Identifier: Apache-2.0
#include "verify/trace_json.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/durable.h"
#include "file/json_strict.h"

enum { TRACE_VERSION = 1, COLUMNS = 7 };

// ------------------------------------------------------------------------------------------------------------ writing

static bool add_hex(cJSON *object, const char *key, uint64_t value) {
  char text[20];
  snprintf(text, sizeof text, "%016" PRIx64, value);
  return cJSON_AddStringToObject(object, key, text) != NULL;
}

static bool add_row(cJSON *rows, const struct sciara_trace_row *r) {
  const double numbers[COLUMNS - 1] = {(double)r->step,         r->time,    r->clock, r->emitted,
                                       (double)r->liquid_cells, r->residual};
  char text[20];
  cJSON *row = cJSON_CreateDoubleArray(numbers, COLUMNS - 1);
  snprintf(text, sizeof text, "%016" PRIx64, r->checksum);
  cJSON *checksum = cJSON_CreateString(text);
  return row && checksum && cJSON_AddItemToArray(row, checksum) && cJSON_AddItemToArray(rows, row);
}

enum sciara_status sciara_trace_write(const struct sciara_trace *t, const char *path) {
  cJSON *root = cJSON_CreateObject(), *rows;
  bool made = root && cJSON_AddStringToObject(root, "format", "sciara trace") &&
              cJSON_AddNumberToObject(root, "version", TRACE_VERSION) &&
              cJSON_AddStringToObject(root, "precision", t->precision) && add_hex(root, "dem", t->dem) &&
              add_hex(root, "start", t->start) && add_hex(root, "parameters", t->parameters) &&
              add_hex(root, "vents", t->vents) &&
              cJSON_AddStringToObject(root, "columns",
                                      "step, time s, clock s, emitted m3, liquid cells, residual m3, checksum");
  rows = made ? cJSON_AddArrayToObject(root, "rows") : NULL;
  made = made && rows;
  for (size_t k = 0; made && k < t->count; k++) made = add_row(rows, &t->row[k]);
  struct sciara_text text = {0};
  enum sciara_status status =
      made ? sciara_json_print(root, &text) : sciara_fail(SCIARA_ERR_MEMORY, "no memory for a trace");
  if (status == SCIARA_OK) status = sciara_file_replace(path, text.data, text.length);
  sciara_text_free(&text);
  cJSON_Delete(root);
  return status;
}

// ------------------------------------------------------------------------------------------------------------ reading

static enum sciara_status refuse(const char *path, const char *place, const cJSON *value, const char *allowed) {
  char found[160] = "nothing";
  if (value) sciara_json_describe(value, found, sizeof found);
  return sciara_fail(SCIARA_ERR_INPUT, "%s: %s: found %s, allowed %s", path, place, found, allowed);
}

static bool take_hex(const cJSON *value, uint64_t *out) {
  if (!cJSON_IsString(value) || strlen(value->valuestring) != 16 ||
      strspn(value->valuestring, "0123456789abcdef") != 16)
    return false;
  *out = strtoull(value->valuestring, NULL, 16);
  return true;
}

static bool take_row(const cJSON *item, struct sciara_trace_row *row) {
  double number[COLUMNS - 1];
  if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != COLUMNS) return false;
  for (int k = 0; k < COLUMNS - 1; k++) {
    const cJSON *value = cJSON_GetArrayItem(item, k);
    if (!cJSON_IsNumber(value)) return false;
    number[k] = value->valuedouble;
  }
  if (!(number[0] >= 0 && number[0] <= 0x1p53 && number[0] == floor(number[0]))) return false;
  *row = (struct sciara_trace_row){.step = (uint64_t)number[0],
                                   .time = number[1],
                                   .clock = number[2],
                                   .emitted = number[3],
                                   .liquid_cells = (int64_t)number[4],
                                   .residual = number[5]};
  return fabs(number[4]) <= 0x1p53 && take_hex(cJSON_GetArrayItem(item, COLUMNS - 1), &row->checksum);
}

static enum sciara_status take_head(const char *path, const cJSON *root, struct sciara_trace *t) {
  const cJSON *format = cJSON_GetObjectItemCaseSensitive(root, "format");
  const cJSON *version = cJSON_GetObjectItemCaseSensitive(root, "version");
  const cJSON *precision = cJSON_GetObjectItemCaseSensitive(root, "precision");
  if (!cJSON_IsString(format) || strcmp(format->valuestring, "sciara trace") != 0)
    return refuse(path, "format", format, "\"sciara trace\"");
  if (!cJSON_IsNumber(version) || version->valuedouble != TRACE_VERSION) return refuse(path, "version", version, "1");
  if (!cJSON_IsString(precision)) return refuse(path, "precision", precision, "a text");
  snprintf(t->precision, sizeof t->precision, "%s", precision->valuestring);
  const struct {
    const char *key;
    uint64_t *out;
  } hashes[] = {{"dem", &t->dem}, {"start", &t->start}, {"parameters", &t->parameters}, {"vents", &t->vents}};
  for (size_t k = 0; k < sizeof hashes / sizeof *hashes; k++) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(root, hashes[k].key);
    if (!take_hex(value, hashes[k].out)) return refuse(path, hashes[k].key, value, "16 hexadecimal digits");
  }
  return SCIARA_OK;
}

static enum sciara_status take_rows(const char *path, const cJSON *rows, struct sciara_trace *t) {
  if (!cJSON_IsArray(rows) || cJSON_GetArraySize(rows) == 0) return refuse(path, "rows", rows, "an array of rows");
  t->row = calloc((size_t)cJSON_GetArraySize(rows), sizeof *t->row);
  if (!t->row) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a trace");
  const cJSON *item;
  cJSON_ArrayForEach(item, rows) {
    char place[32];
    snprintf(place, sizeof place, "rows[%zu]", t->count);
    if (!take_row(item, &t->row[t->count])) return refuse(path, place, item, "six numbers and 16 hexadecimal digits");
    if (t->count > 0 && t->row[t->count].step <= t->row[t->count - 1].step)
      return refuse(path, place, cJSON_GetArrayItem(item, 0), "steps that ascend");
    t->count++;
  }
  return SCIARA_OK;
}

enum sciara_status sciara_trace_read(const char *path, struct sciara_trace *out) {
  cJSON *root = NULL;
  *out = (struct sciara_trace){0};
  SCIARA_TRY(sciara_json_read(path, &root));
  enum sciara_status status = take_head(path, root, out);
  if (status == SCIARA_OK) status = take_rows(path, cJSON_GetObjectItemCaseSensitive(root, "rows"), out);
  cJSON_Delete(root);
  if (status != SCIARA_OK) sciara_trace_free(out);
  return status;
}

void sciara_trace_free(struct sciara_trace *t) {
  free(t->row);
  *t = (struct sciara_trace){0};
}
