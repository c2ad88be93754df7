// SPDX-License-Identifier: Apache-2.0
// Its contents, and writing them. run_json_read.c reads it back.
#include "store/run_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "file/durable.h"
#include "file/json_strict.h"

const char *sciara_run_status_name(enum sciara_run_status status) {
  static const char *const names[] = {"running", "complete", "stopped", "failed"};
  return (unsigned)status < sizeof names / sizeof names[0] ? names[status] : NULL;
}

static void free_warning(struct sciara_run_warning *w) {
  free(w->kind);
  free(w->text);
}

static void free_barriers(struct sciara_run_json *r) {
  for (size_t i = 0; i < r->barrier_count; i++) free(r->barriers[i].name);
  free(r->barriers);
  r->barriers = NULL;
  r->barrier_count = 0;
}

void sciara_run_json_free(struct sciara_run_json *r) {
  char *owned[] = {r->stop_reason, r->scenario,     r->engine,       r->precision,    r->parent,    r->program_version,
                   r->git_hash,    r->hdf5_version, r->gdal_version, r->model_preset, r->model_rule};
  for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) free(owned[i]);
  for (size_t i = 0; i < r->snapshot_count; i++) free(r->snapshots[i].name);
  for (size_t i = 0; i < r->resumption_count; i++) free(r->resumptions[i].engine);
  for (size_t i = 0; i < r->warning_count; i++) free_warning(&r->warnings[i]);
  free(r->warnings);
  free_barriers(r);
  free(r->resumptions);
  free(r->snapshots);
  memset(r, 0, sizeof *r);
}

enum sciara_status sciara_run_json_set(char **held, const char *text) {
  char *copy = NULL;
  if (text && !(copy = strdup(text))) return sciara_no_memory("the record of the run");
  free(*held);
  *held = copy;
  return SCIARA_OK;
}

enum sciara_status sciara_run_json_add(struct sciara_run_json *r, const char *name, uint64_t step, double time_s,
                                       uint64_t checksum) {
  if (r->snapshot_count == r->snapshot_capacity) {
    size_t capacity = r->snapshot_capacity ? 2 * r->snapshot_capacity : 16;
    struct sciara_run_snapshot *more = realloc(r->snapshots, capacity * sizeof *more);
    if (!more) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a list of %zu snapshots", capacity);
    r->snapshots = more;
    r->snapshot_capacity = capacity;
  }
  char *copy = strdup(name);
  if (!copy) return sciara_no_memory("the record of the run");
  r->snapshots[r->snapshot_count++] =
      (struct sciara_run_snapshot){.name = copy, .step = step, .time_s = time_s, .checksum = checksum};
  return SCIARA_OK;
}

enum sciara_status sciara_run_json_barrier(struct sciara_run_json *r, const struct sciara_run_barrier *barrier,
                                           const char *name) {
  struct sciara_run_barrier *more = realloc(r->barriers, (r->barrier_count + 1) * sizeof *more);
  if (!more) return sciara_no_memory("a record of a run");
  r->barriers = more;
  more[r->barrier_count] = *barrier;
  more[r->barrier_count].name = NULL;
  return sciara_run_json_set(&more[r->barrier_count++].name, name);
}

enum sciara_status sciara_run_json_warn(struct sciara_run_json *r, const struct sciara_run_warning *warning) {
  struct sciara_run_warning *more = realloc(r->warnings, (r->warning_count + 1) * sizeof *more);
  if (!more) return sciara_no_memory("the record of the run");
  r->warnings = more;
  struct sciara_run_warning *last = &more[r->warning_count++];
  *last = *warning;
  last->kind = last->text = NULL;
  SCIARA_TRY(sciara_run_json_set(&last->kind, warning->kind));
  return sciara_run_json_set(&last->text, warning->text);
}

const struct sciara_run_warning *sciara_run_json_warning(const struct sciara_run_json *r, const char *kind) {
  for (size_t k = 0; k < r->warning_count; k++)
    if (strcmp(r->warnings[k].kind, kind) == 0) return &r->warnings[k];
  return NULL;
}

bool sciara_run_warning_has_cell(const struct sciara_run_warning *w) {
  return strcmp(w->kind, SCIARA_WARNING_DEM) != 0 && strcmp(w->kind, SCIARA_WARNING_CELLS) != 0 &&
         strcmp(w->kind, SCIARA_WARNING_OBSERVED) != 0 && strcmp(w->kind, SCIARA_WARNING_EFFUSION) != 0;
}

void sciara_run_json_forget(struct sciara_run_json *r, double time_s) {
  size_t kept = 0;
  for (size_t i = 0; i < r->warning_count; i++)
    if (r->warnings[i].time_s <= time_s)
      r->warnings[kept++] = r->warnings[i];
    else
      free_warning(&r->warnings[i]);
  r->warning_count = kept;
  free_barriers(r);
}

void sciara_run_json_cut(struct sciara_run_json *r, size_t count) {
  while (r->snapshot_count > count) free(r->snapshots[--r->snapshot_count].name);
}

enum sciara_status sciara_run_json_resume(struct sciara_run_json *r, uint64_t step, const char *engine) {
  struct sciara_run_resumption *more = realloc(r->resumptions, (r->resumption_count + 1) * sizeof *more);
  if (!more) return sciara_no_memory("the record of the run");
  r->resumptions = more;
  struct sciara_run_resumption *last = &more[r->resumption_count];
  *last = (struct sciara_run_resumption){.step = step};
  sciara_date_now(last->utc);
  SCIARA_TRY(sciara_run_json_set(&last->engine, engine));
  r->resumption_count++;
  return SCIARA_OK;
}

/* Building a tree: the first allocation that fails is remembered, so that the steps need no checks of their own. */
struct builder {
  bool out_of_memory;
};

/** Returns the item that is added; NULL: there is no memory. */
static cJSON *add(struct builder *b, cJSON *object, const char *key, cJSON *value) {
  if (object && value && cJSON_AddItemToObjectCS(object, key, value)) return value;
  cJSON_Delete(value);
  b->out_of_memory = true;
  return NULL;
}

static void add_text(struct builder *b, cJSON *object, const char *key, const char *text) {
  add(b, object, key, text && *text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

static void add_number(struct builder *b, cJSON *object, const char *key, double value) {
  add(b, object, key, isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

static void add_hex(struct builder *b, cJSON *object, const char *key, uint64_t value) {
  char text[17];
  snprintf(text, sizeof text, "%016" PRIx64, value);
  add_text(b, object, key, text);
}

static void add_head(struct builder *b, cJSON *root, const struct sciara_run_json *r) {
  add_number(b, root, "format", SCIARA_RUN_FORMAT);
  add_text(b, root, "status", sciara_run_status_name(r->status));
  add_text(b, root, "stop_reason", r->stop_reason);
  add_text(b, root, "scenario", r->scenario);
  add_hex(b, root, "dem_hash", r->dem_hash);
  if (r->model_rule) add_text(b, root, "model_rule", r->model_rule);
  if (r->rule_edition > 1) add_number(b, root, "model_rule_edition", (double)r->rule_edition);
  if (r->model_preset) add_text(b, root, "model_preset", r->model_preset);
  cJSON *engine = add(b, root, "engine", cJSON_CreateObject());
  add_text(b, engine, "name", r->engine);
  add_text(b, engine, "precision", r->precision);
  add_number(b, engine, "threads", r->threads);
  cJSON *versions = add(b, root, "versions", cJSON_CreateObject());
  add_text(b, versions, "sciara", r->program_version);
  add_text(b, versions, "git", r->git_hash);
  add_text(b, versions, "hdf5", r->hdf5_version);
  add_text(b, versions, "gdal", r->gdal_version);
  cJSON *timing = add(b, root, "timing", cJSON_CreateObject());
  add_text(b, timing, "started_utc", r->started_utc);
  add_text(b, timing, "updated_utc", r->updated_utc);
  add_text(b, timing, "ended_utc", r->ended_utc);
  add_number(b, timing, "wall_s", r->wall_s);
  add_number(b, timing, "compute_s", r->compute_s);
  add_number(b, timing, "output_wait_s", r->output_wait_s);
}

/* The origin of a run that is a branch or was resumed. */
static void add_descent(struct builder *b, cJSON *root, const struct sciara_run_json *r) {
  if (r->parent) {
    cJSON *parent = add(b, root, "parent", cJSON_CreateObject());
    add_text(b, parent, "folder", r->parent);
    add_number(b, parent, "step", (double)r->parent_step);
    add_hex(b, parent, "checksum", r->parent_checksum);
  }
  if (r->resumption_count == 0) return;
  cJSON *list = add(b, root, "resumed", cJSON_CreateArray());
  for (size_t i = 0; i < r->resumption_count && !b->out_of_memory; i++) {
    cJSON *item = sciara_json_put(list, NULL, cJSON_CreateObject());
    add_text(b, item, "utc", r->resumptions[i].utc);
    add_number(b, item, "step", (double)r->resumptions[i].step);
    add_text(b, item, "engine", r->resumptions[i].engine);
  }
}

static void add_emission(struct builder *b, cJSON *root, const struct sciara_run_json *r) {
  if (!isfinite(r->emission.volume_m3)) return;
  cJSON *emission = add(b, root, "emission", cJSON_CreateObject());
  add_number(b, emission, "volume_m3", r->emission.volume_m3);
  add_number(b, emission, "begin_s", r->emission.begin_s);
  add_number(b, emission, "end_s", r->emission.end_s);
  add_number(b, emission, "peak_m3_s", r->emission.peak_m3_s);
  if (r->emission.from_s > 0) add_number(b, emission, "from_s", r->emission.from_s);
}

static void add_state(struct builder *b, cJSON *root, const struct sciara_run_json *r) {
  cJSON *state = add(b, root, "state", cJSON_CreateObject());
  add_number(b, state, "step", (double)r->step);
  add_number(b, state, "time_s", r->time_s);
  add_number(b, state, "clock_s", r->clock_s);
  add_number(b, state, "liquid_cells", (double)r->liquid_cells);
  cJSON *ledger = add(b, root, "ledger", cJSON_CreateObject());
  add_number(b, ledger, "initial_m3", r->ledger.initial_m3);
  add_number(b, ledger, "emitted_m3", r->ledger.emitted_m3);
  if (r->ledger.added_m3 > 0 || r->ledger.removed_m3 > 0) {
    add_number(b, ledger, "added_m3", r->ledger.added_m3);
    add_number(b, ledger, "removed_m3", r->ledger.removed_m3);
  }
  add_number(b, ledger, "liquid_m3", r->ledger.liquid_m3);
  add_number(b, ledger, "solid_m3", r->ledger.solid_m3);
  add_number(b, ledger, "lost_m3", r->ledger.lost_m3);
  if (r->ledger.lost_m3 > 0 && isfinite(r->lost_from_s)) add_number(b, ledger, "lost_from_s", r->lost_from_s);
  if (r->has_sea) add_number(b, ledger, "sea_m3", r->ledger.sea_m3);
  add_number(b, ledger, "residual_m3", r->ledger.residual_m3);
  add_number(b, ledger, "bound_m3", r->ledger.bound_m3);
}

static void add_warnings(struct builder *b, cJSON *root, const struct sciara_run_json *r) {
  if (r->warning_count == 0) return;
  cJSON *list = add(b, root, "warnings", cJSON_CreateArray());
  for (size_t i = 0; i < r->warning_count && !b->out_of_memory; i++) {
    const struct sciara_run_warning *w = &r->warnings[i];
    const double cell[] = {(double)w->row, (double)w->col};
    cJSON *item = sciara_json_put(list, NULL, cJSON_CreateObject());
    add_text(b, item, "kind", w->kind);
    if (strcmp(w->kind, SCIARA_WARNING_DEM) == 0) {
      add_number(b, item, "coarse_m", w->coarse_m);
    } else if (sciara_run_warning_has_cell(w)) {
      add(b, item, "cell", cJSON_CreateDoubleArray(cell, 2));
      add_number(b, item, "x", w->x);
      add_number(b, item, "y", w->y);
      add_number(b, item, "time_s", w->time_s);
      add_number(b, item, "height_m", w->height_m);
    }
    add_text(b, item, "text", w->text);
  }
}

static void add_barriers(struct builder *b, cJSON *root, const struct sciara_run_json *r) {
  if (r->barrier_count == 0) return;
  cJSON *list = add(b, root, "barriers", cJSON_CreateArray());
  for (size_t i = 0; i < r->barrier_count && !b->out_of_memory; i++) {
    const struct sciara_run_barrier *one = &r->barriers[i];
    cJSON *item = sciara_json_put(list, NULL, cJSON_CreateObject());
    add_text(b, item, "name", one->name);
    add_number(b, item, "edit", (double)one->edit);
    add_number(b, item, "cells", (double)one->cells);
    add_number(b, item, "overtopped_s", one->overtopped_s);
    add_number(b, item, "freeboard_m", one->freeboard_m);
    add_number(b, item, "x", one->x);
    add_number(b, item, "y", one->y);
  }
}

static void add_snapshots(struct builder *b, cJSON *root, const struct sciara_run_json *r) {
  cJSON *list = add(b, root, "snapshots", cJSON_CreateArray());
  for (size_t i = 0; i < r->snapshot_count && !b->out_of_memory; i++) {
    const struct sciara_run_snapshot *s = &r->snapshots[i];
    cJSON *item = sciara_json_put(list, NULL, cJSON_CreateObject());
    add_text(b, item, "name", s->name);
    add_number(b, item, "step", (double)s->step);
    add_number(b, item, "time_s", s->time_s);
    add_hex(b, item, "checksum", s->checksum);
  }
}

static enum sciara_status build_text(const struct sciara_run_json *r, const char *path, struct sciara_text *text) {
  struct builder b = {.out_of_memory = false};
  cJSON *root = cJSON_CreateObject();
  add_head(&b, root, r);
  add_descent(&b, root, r);
  add_emission(&b, root, r);
  add_state(&b, root, r);
  add_warnings(&b, root, r);
  add_barriers(&b, root, r);
  add_snapshots(&b, root, r);
  enum sciara_status status;
  if (b.out_of_memory)
    status = sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for a record of %zu snapshots", path, r->snapshot_count);
  else
    status = sciara_json_print(root, text);
  cJSON_Delete(root);
  if (status == SCIARA_OK) status = sciara_text_append(text, "\n");
  return status;
}

static enum sciara_status check_counts(const struct sciara_run_json *r, const char *path) {
  const uint64_t limit = UINT64_C(1) << 53; // what a JSON number holds exactly
  bool fits = r->step <= limit && r->parent_step <= limit && r->liquid_cells >= 0 && (uint64_t)r->liquid_cells <= limit;
  for (size_t i = 0; i < r->snapshot_count && fits; i++) fits = r->snapshots[i].step <= limit;
  for (size_t i = 0; i < r->resumption_count && fits; i++) fits = r->resumptions[i].step <= limit;
  if (!fits || !sciara_run_status_name(r->status))
    return sciara_fail(SCIARA_ERR_INTERNAL, "%s: a step, a number of cells or the status of the run is invalid", path);
  return SCIARA_OK;
}

enum sciara_status sciara_run_json_write(const struct sciara_run_json *run_json, const char *path) {
  SCIARA_TRY(check_counts(run_json, path));
  struct sciara_text text = {0};
  enum sciara_status status = build_text(run_json, path, &text);
  if (status == SCIARA_OK && text.length > SCIARA_JSON_MAX_BYTES)
    status = sciara_fail(SCIARA_ERR_IO, "%s: a record of %zu snapshots has %zu bytes, expected at most %d", path,
                         run_json->snapshot_count, text.length, SCIARA_JSON_MAX_BYTES);
  if (status == SCIARA_OK) status = sciara_file_replace(path, text.data, text.length);
  sciara_text_free(&text);
  return status;
}
