// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "calibrate/verification.h"
#include "ensemble/ensemble_json.h"
#include "file/durable.h"

#define FORMAT "sciara-verification"
enum { VERSION = 1 };

/** Adds a text, or null. */
static bool put_verified_text(cJSON *object, const char *name, const char *text) {
  return text && *text ? sciara_json_put_plain(object, name, text) : cJSON_AddNullToObject(object, name) != NULL;
}

static bool put_said(cJSON *scores, const struct sciara_said *said) {
  cJSON *list = cJSON_AddArrayToObject(scores, "said");
  bool made = list;
  for (int k = 0; k < SCIARA_SAID_CLASSES && made; k++) {
    const struct sciara_said *s = &said[k];
    cJSON *item = sciara_json_push(list);
    made = item && sciara_json_put_number(item, "from", s->from) && sciara_json_put_number(item, "to", s->to) &&
           sciara_json_put_number(item, "cells", (double)s->cells) && sciara_json_put_number(item, "mean", s->mean) &&
           sciara_json_put_number(item, "observed", s->share) && cJSON_AddBoolToObject(item, "off", s->off);
  }
  return made;
}

static bool put_verified_scores(cJSON *root, const char *name, const struct sciara_verification_scores *s) {
  cJSON *item = cJSON_AddObjectToObject(root, name);
  return item && sciara_json_put_number(item, "cells", (double)s->cells) &&
         sciara_json_put_number(item, "observed_cells", (double)s->observed) &&
         sciara_json_put_number(item, "likely_cells", (double)s->likely) &&
         sciara_json_put_number(item, "area_ratio", s->area_ratio) &&
         sciara_json_put_number(item, "jaccard", s->jaccard) &&
         sciara_json_put_number(item, "jaccard_nothing_moves", s->still_jaccard) &&
         sciara_json_put_number(item, "brier", s->brier) &&
         sciara_json_put_number(item, "brier_nothing_moves", s->still_brier) &&
         sciara_json_put_number(item, "brier_base_rate", s->share_brier) &&
         sciara_json_put_number(item, "skill_nothing_moves", s->still_skill) &&
         sciara_json_put_number(item, "skill_base_rate", s->share_skill) &&
         sciara_json_put_number(item, "sharpness", s->sharpness) && put_said(item, s->said);
}

static bool put_rank(cJSON *root, const char *name, const struct sciara_verification_rank *r) {
  cJSON *item = cJSON_AddObjectToObject(root, name);
  return item && sciara_json_put_number(item, "observed", r->observed) &&
         sciara_json_put_number(item, "least", r->least) && sciara_json_put_number(item, "median", r->median) &&
         sciara_json_put_number(item, "most", r->most) && sciara_json_put_number(item, "below", r->below) &&
         sciara_json_put_number(item, "equal", r->equal);
}

static bool fill(const struct sciara_verification_request *request, const struct sciara_verification *v, cJSON *root) {
  static const char *const at[] = {"given", "file", "end"};
  return sciara_json_put_plain(root, "format", FORMAT) && sciara_json_put_number(root, "version", VERSION) &&
         sciara_json_put_plain(root, "program", SCIARA_VERSION) &&
         put_verified_text(root, "observed", sciara_path_name(request->observed.path)) &&
         put_verified_text(root, "driver", v->driver) &&
         put_verified_text(root, "region", request->region ? sciara_path_name(request->region) : NULL) &&
         sciara_json_put_number(root, "since_s", v->since_s) && sciara_json_put_number(root, "at_s", v->at_s) &&
         put_verified_text(root, "date", v->date) && put_verified_text(root, "at", at[v->at]) &&
         put_verified_text(root, "condition", v->said) && sciara_json_put_number(root, "members", (double)v->members) &&
         sciara_json_put_number(root, "finished", (double)v->finished) &&
         sciara_json_put_number(root, "ended_early", (double)v->early) &&
         sciara_json_put_number(root, "cell_m", v->cell_m) &&
         sciara_json_put_number(root, "left_out_cells", (double)v->left_out) &&
         put_verified_scores(root, "all", &v->whole) &&
         (v->begun ? put_verified_scores(root, "beyond_start", &v->beyond)
                   : cJSON_AddNullToObject(root, "beyond_start") != NULL) &&
         put_rank(root, "area_m2", &v->area_m2) && put_rank(root, "run_out_m", &v->run_out_m);
}

enum sciara_status sciara_verification_print(const struct sciara_verification_request *request,
                                             const struct sciara_verification *v, struct sciara_text *out) {
  cJSON *root = cJSON_CreateObject();
  enum sciara_status status = root && fill(request, v, root)
                                  ? sciara_json_print(root, out)
                                  : sciara_fail(SCIARA_ERR_MEMORY, "no memory for a verification");
  if (status == SCIARA_OK) status = sciara_text_append(out, "\n");
  cJSON_Delete(root);
  return status;
}

static void append_verified_number(struct sciara_text *t, double value) {
  char number[40] = "";
  if (isfinite(value)) sciara_json_number(value, number, sizeof number);
  sciara_text_append(t, ",%s", number);
}

static void append_rows(struct sciara_text *t, const char *cells, const struct sciara_verification_scores *s) {
  for (int k = 0; k < SCIARA_SAID_CLASSES; k++) {
    sciara_text_append(t, "%s", cells);
    append_verified_number(t, s->said[k].from);
    append_verified_number(t, s->said[k].to);
    append_verified_number(t, (double)s->said[k].cells);
    append_verified_number(t, s->said[k].mean);
    append_verified_number(t, s->said[k].share);
    sciara_text_append(t, ",%d\n", s->said[k].off);
  }
}

static enum sciara_status write_verification_text(const char *folder, const char *name,
                                                  const struct sciara_text *text) {
  char *path;
  SCIARA_TRY(text->failed);
  SCIARA_TRY(sciara_path_in(folder, name, &path));
  const enum sciara_status status = sciara_file_replace(path, text->data, text->length);
  free(path);
  return status;
}

enum sciara_status sciara_verification_write(const struct sciara_verification_request *request,
                                             const struct sciara_verification *v) {
  struct sciara_text json = {0}, csv = {0};
  sciara_text_append(&csv, "cells,from,to,count,mean,observed,off\n");
  append_rows(&csv, "all", &v->whole);
  if (v->begun) append_rows(&csv, "beyond_start", &v->beyond);
  enum sciara_status status = sciara_verification_print(request, v, &json);
  if (status == SCIARA_OK)
    status = write_verification_text(request->folder, SCIARA_ENSEMBLE_VERIFICATION ".json", &json);
  if (status == SCIARA_OK) status = write_verification_text(request->folder, SCIARA_ENSEMBLE_VERIFICATION ".csv", &csv);
  sciara_text_free(&json);
  sciara_text_free(&csv);
  return status;
}
