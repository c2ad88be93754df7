// SPDX-License-Identifier: Apache-2.0
#include "calibrate/evaluate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "file/json_strict.h"
#include "sim/end.h"

// --------------------------------------------------------------------------------------------------------------- lines

/** A line as it is read. Texts and arrays are owned; the keys belong to the tree. */
struct line {
  cJSON *tree;
  const char **key;
  char **value;
  size_t count;
  char *id;
  double least; ///< as of struct sciara_evaluate_request
};

static void line_free(struct line *l) {
  for (size_t k = 0; l->value && k < l->count; k++) free(l->value[k]);
  sciara_free(l->key);
  sciara_free(l->value);
  free(l->id);
  cJSON_Delete(l->tree);
}

static enum sciara_status refuse_request(const char *key, const char *expected, const cJSON *found) {
  char text[128];
  sciara_json_describe(found, text, sizeof text);
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected %s; found %s", key, expected, text);
}

static const double LARGEST_ID = 9007199254740991; // larger whole numbers are not all doubles

static enum sciara_status take_id(struct line *l, const cJSON *id) {
  struct sciara_text text = {0};
  if (id && !cJSON_IsNumber(id) && !cJSON_IsString(id) && !cJSON_IsNull(id))
    return refuse_request("id", "a number or a text", id);
  if (id && cJSON_IsNumber(id) && fabs(id->valuedouble) > LARGEST_ID)
    return refuse_request("id", "a number up to 9007199254740991, which comes back unchanged, or a text", id);
  const enum sciara_status status = !id ? sciara_text_append(&text, "null")
                                    : cJSON_IsString(id) // no terminal is to execute it
                                        ? sciara_text_append_json(&text, id->valuestring)
                                        : sciara_json_text(id, &text.data);
  if (status != SCIARA_OK) {
    sciara_text_free(&text);
    return status;
  }
  free(l->id);
  l->id = text.data;
  return SCIARA_OK;
}

static enum sciara_status take_set(struct line *l, const cJSON *set) {
  const cJSON *child;
  const size_t count = (size_t)cJSON_GetArraySize(set);
  SCIARA_TRY(SCIARA_NEW(l->key, count, "a request"));
  SCIARA_TRY(SCIARA_NEW(l->value, count, "a request"));
  cJSON_ArrayForEach(child, set) {
    l->key[l->count] = child->string;
    SCIARA_TRY(sciara_json_text(child, &l->value[l->count++]));
  }
  return SCIARA_OK;
}

/** SCIARA_ERR_INPUT says why there is nothing to compute; l->id is set if the line has one. */
static enum sciara_status read_line(const char *text, size_t length, struct line *l) {
  const cJSON *child, *set = NULL, *least = NULL;
  if (length > SCIARA_EVALUATE_LINE_MOST)
    return sciara_fail(SCIARA_ERR_INPUT, "expected at most %d bytes, found more", (int)SCIARA_EVALUATE_LINE_MOST);
  SCIARA_TRY(sciara_json_parse("JSON", text, length, &l->tree));
  if (!cJSON_IsObject(l->tree)) return refuse_request("top level", "an object with \"id\" and \"set\"", l->tree);
  SCIARA_TRY(take_id(l, cJSON_GetObjectItemCaseSensitive(l->tree, "id")));
  cJSON_ArrayForEach(child, l->tree) {
    if (strcmp(child->string, "set") == 0)
      set = child;
    else if (strcmp(child->string, "least") == 0)
      least = child;
    else if (strcmp(child->string, "id") != 0)
      return sciara_fail(SCIARA_ERR_INPUT, "expected the keys \"id\", \"set\" and \"least\", found \"%.80s\"",
                         child->string);
  }
  if (set && !cJSON_IsObject(set))
    return refuse_request("set", "an object of keys such as \"model.relaxation\" and values", set);
  if (least && !(cJSON_IsNumber(least) && least->valuedouble >= 0 && least->valuedouble <= 1))
    return refuse_request("least", "a number from 0 to 1, the least J that is wanted", least);
  if (least) l->least = least->valuedouble;
  return set ? take_set(l, set) : SCIARA_OK;
}

enum sciara_status sciara_evaluate_line(struct sciara_evaluator *e, uint64_t number, const char *text, size_t length) {
  struct line l = {0};
  char name[32], *refused = NULL;
  snprintf(name, sizeof name, "line %" PRIu64, number);
  enum sciara_status status = take_id(&l, NULL);
  if (status == SCIARA_OK) status = read_line(text, length, &l);
  if (status == SCIARA_ERR_INPUT) {
    refused = sciara_format("%s", sciara_last_error());
    status = refused ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for an error");
  }
  if (status == SCIARA_OK) {
    const struct sciara_evaluate_request request = {.name = name,
                                                    .id = l.id,
                                                    .key = l.key,
                                                    .value = (const char *const *)l.value,
                                                    .key_count = l.count,
                                                    .refused = refused,
                                                    .least = l.least};
    status = sciara_evaluator_put(e, &request);
  }
  free(refused);
  line_free(&l);
  return status;
}

// ------------------------------------------------------------------------------------------------------------- results

static void put_evaluation_number(struct sciara_text *t, const char *key, double value) {
  char number[40] = "null";
  if (!isnan(value)) sciara_json_number(value, number, sizeof number);
  sciara_text_append(t, ",\"%s\":%s", key, number);
}

static void put_evaluation_text(struct sciara_text *t, const char *key, const char *value) {
  sciara_text_append(t, ",\"%s\":", key);
  sciara_text_append_json(t, value);
}

static void put_evaluation_scores(struct sciara_text *t, const struct sciara_extent_scores *s) {
  put_evaluation_number(t, "e1", s->e1);
  put_evaluation_number(t, "tpr", s->tpr);
  put_evaluation_number(t, "ppv", s->ppv);
  put_evaluation_number(t, "area_ratio", s->area_ratio);
  put_evaluation_number(t, "runout_ratio", s->run_out_ratio);
  put_evaluation_number(t, "hausdorff_m", s->hausdorff_m);
}

/** Each line of a text as an item of an array. */
static void put_lines(struct sciara_text *t, const char *key, const char *lines) {
  const char *separator = "";
  sciara_text_append(t, ",\"%s\":[", key);
  while (*lines) {
    const size_t length = strcspn(lines, "\n");
    char *line = strndup(lines, length);
    if (!line) t->failed = sciara_fail(SCIARA_ERR_MEMORY, "no memory for a result");
    sciara_text_append(t, "%s", separator);
    if (line) sciara_text_append_json(t, line);
    free(line);
    lines += length + (lines[length] == '\n');
    separator = ",";
  }
  sciara_text_append(t, "]");
}

static void put_run(struct sciara_text *t, const struct sciara_evaluate_run *r) {
  put_evaluation_number(t, "volume_m3", r->volume_m3);
  sciara_text_append(t, ",\"steps\":%" PRIu64, r->steps);
  if (r->early == SCIARA_EVALUATE_OK) put_evaluation_text(t, "end", sciara_end_name(r->end));
  put_evaluation_number(t, "end_s", r->end_s);
  put_lines(t, "warnings", r->warnings);
}

static void put_parts(struct sciara_text *t, const struct sciara_evaluate_options *o,
                      const struct sciara_evaluation *r) {
  sciara_text_append(t, ",\"parts\":[");
  for (size_t k = 0; k < o->observed_count; k++) {
    const struct sciara_evaluate_observed *observed = &o->observed[k];
    sciara_text_append(t, "%s{\"scenario\":", k > 0 ? "," : "");
    sciara_text_append_json(t, o->scenarios[observed->scenario]);
    put_evaluation_text(t, "observed", observed->path);
    if (observed->at_date) put_evaluation_text(t, "date", observed->at_date);
    put_evaluation_number(t, "weight", observed->weight);
    put_evaluation_number(t, "jaccard", r->scores[k].jaccard);
    put_evaluation_scores(t, &r->scores[k]);
    put_run(t, &r->runs[observed->scenario]);
    sciara_text_append(t, "}");
  }
  sciara_text_append(t, "]");
}

enum sciara_status sciara_evaluate_print(const struct sciara_evaluate_options *o, const struct sciara_evaluation *r,
                                         struct sciara_text *out) {
  static const char *const status[] = {[SCIARA_EVALUATE_OK] = "ok",
                                       [SCIARA_EVALUATE_FAILED] = "failed",
                                       [SCIARA_EVALUATE_INVALID] = "error",
                                       [SCIARA_EVALUATE_RESTED] = "rested",
                                       [SCIARA_EVALUATE_STOPPED] = "stopped"};
  sciara_text_append(out, "{\"id\":%s", r->id);
  put_evaluation_text(out, "status", status[r->status]);
  put_evaluation_number(out, "jaccard", r->jaccard);
  if (r->error) {
    put_evaluation_text(out, "error", r->error);
  } else if (o->observed_count > 1 && r->scores) {
    put_parts(out, o, r);
  } else if (o->observed_count == 1) {
    if (r->scores) put_evaluation_scores(out, r->scores);
    put_run(out, r->runs);
  }
  return sciara_text_append(out, "}\n");
}
