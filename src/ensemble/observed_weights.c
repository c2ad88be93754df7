// SPDX-License-Identifier: Apache-2.0
// The table weights-observed.csv: weights of members that agree with an observed extent.
#include "ensemble/members.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "file/csv.h"
#include "file/durable.h"
#include "file/json_strict.h"

enum { COLUMNS = 4 };
static const char *const columns[COLUMNS] = {"id", "weight", "planned_weight", "jaccard"};

// ------------------------------------------------------------------------------------------------------------- writing

static enum sciara_status append_weight_row(const struct sciara_members *m, size_t i, double weight, double jaccard,
                                            struct sciara_text *t) {
  char number[3][40] = {"", "", ""};
  sciara_json_number(weight, number[0], sizeof number[0]);
  sciara_json_number(m->weight[i], number[1], sizeof number[1]);
  if (!isnan(jaccard)) sciara_json_number(jaccard, number[2], sizeof number[2]);
  return sciara_text_append(t, "%" PRId64 ",%s,%s,%s\n", m->id[i], number[0], number[1], number[2]);
}

enum sciara_status sciara_observed_weights_write(const char *path, const struct sciara_members *m, const double *weight,
                                                 const double *jaccard, const char *sentence) {
  struct sciara_text t = {0};
  enum sciara_status status = sciara_text_append(&t, "# %s\nid,weight,planned_weight,jaccard\n", sentence);
  for (size_t i = 0; i < m->count && status == SCIARA_OK; i++)
    status = append_weight_row(m, i, weight[i], jaccard[i], &t);
  if (status == SCIARA_OK) status = sciara_file_replace(path, t.data, t.length);
  sciara_text_free(&t);
  return status;
}

// ------------------------------------------------------------------------------------------------------------- reading

static enum sciara_status refuse_weights(const struct sciara_csv_rows *r, size_t line, const char *expected,
                                         const char *found) {
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s:%zu: expected %s, found \"%.40s\"; make the file again with 'sciara ensemble reweight', or "
                     "remove it: then the planned weights are used",
                     r->name, line, expected, found);
}

/** Member i: a row for each, in their order. */
static enum sciara_status take_weight_row(struct sciara_csv_rows *r, size_t i, struct sciara_members *m,
                                          double *jaccard) {
  const size_t line = r->line;
  char *value[COLUMNS] = {NULL}, expected[64];
  size_t count = 0;
  int64_t id;
  double weight, planned;
  SCIARA_TRY(sciara_csv_take_row(r, COLUMNS, value, &count));
  if (count != COLUMNS) return refuse_weights(r, line, "id, weight, planned_weight and jaccard", value[0]);
  snprintf(expected, sizeof expected, "the id %" PRId64, m->id[i]);
  if (!sciara_csv_size(value[0], &id) || id != m->id[i]) return refuse_weights(r, line, expected, value[0]);
  if (!sciara_parse_double(value[1], &weight) || !(weight >= 0))
    return refuse_weights(r, line, "a weight, 0 or more", value[1]);
  snprintf(expected, sizeof expected, "%.17g, the planned weight now", m->weight[i]);
  if (!sciara_parse_double(value[2], &planned) || planned != m->weight[i])
    return refuse_weights(r, line, expected, value[2]);
  jaccard[i] = NAN;
  if (*value[3] && (!sciara_parse_double(value[3], &jaccard[i]) || !(jaccard[i] >= 0 && jaccard[i] <= 1)))
    return refuse_weights(r, line, "a Jaccard index, 0 to 1, or nothing", value[3]);
  m->weight[i] = weight;
  return SCIARA_OK;
}

static enum sciara_status read_observed_rows(struct sciara_csv_rows *r, struct sciara_members *m, double *jaccard) {
  char *value[COLUMNS] = {NULL};
  size_t count = 0, line = r->line;
  double sum = 0;
  if (sciara_csv_has_row(r)) SCIARA_TRY(sciara_csv_take_row(r, COLUMNS, value, &count));
  for (size_t k = 0; k < COLUMNS; k++)
    if (count != COLUMNS || strcmp(value[k], columns[k]) != 0)
      return refuse_weights(r, line, "the line \"id,weight,planned_weight,jaccard\"", count > 0 ? value[0] : "");
  for (size_t i = 0; i < m->count; i++) {
    line = r->line;
    if (!sciara_csv_has_row(r)) return refuse_weights(r, line, "a row for each member", "the end of the file");
    SCIARA_TRY(take_weight_row(r, i, m, jaccard));
    sum += m->weight[i];
  }
  line = r->line;
  if (sciara_csv_has_row(r)) return refuse_weights(r, line, "one row for each member", "more");
  return sum > 0 && sum <= 1e300 ? SCIARA_OK : refuse_weights(r, 1, "weights with a finite sum above 0", "another sum");
}

enum sciara_status sciara_observed_weights_read(const char *path, struct sciara_members *m, double **jaccard,
                                                char **sentence) {
  struct sciara_csv_rows r = {.name = path};
  char *text = NULL;
  size_t length = 0;
  enum sciara_status status;
  *sentence = NULL;
  *jaccard = NULL;
  SCIARA_TRY_GOTO(sciara_file_read(path, SCIARA_MEMBERS_BYTES_MOST, &text, &length));
  const char *end = strchr(text, '\n');
  if (strncmp(text, "# ", 2) != 0 || !end) {
    status = refuse_weights(&r, 1, "a line that begins with # and says how the weights were made", "another line");
    goto cleanup;
  }
  *sentence = sciara_format("%.*s", (int)(end - text - 2), text + 2);
  if (!*sentence) {
    status = sciara_no_memory("the weights of the members");
    goto cleanup;
  }
  SCIARA_TRY_GOTO(SCIARA_NEW(*jaccard, m->count + 1, "the weights of the members"));
  SCIARA_TRY_GOTO(sciara_csv_begin(path, &text, length, &r));
  status = read_observed_rows(&r, m, *jaccard);
cleanup:
  free(text);
  return status;
}
