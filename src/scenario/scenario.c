// SPDX-License-Identifier: Apache-2.0
// Reading a scenario: parse, override, check, store the text, add the defaults, convert the values. Problems are
// collected; valid parts are still converted, so that later checks can use them.
#include "scenario/scenario.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "file/durable.h"
#include "model/field.h"
#include "model/params.h"
#include "model/range.h"
#include "scenario/scenario_keys.h"

// Completes a checked tree: adds the defaults of absent keys.
static enum sciara_status fill_object(cJSON *object, const char *schema);

enum sciara_rule_kind sciara_scenario_rule_of(const cJSON *model) {
  const cJSON *rule = cJSON_GetObjectItemCaseSensitive(model, "rule");
  const cJSON *preset = cJSON_GetObjectItemCaseSensitive(model, "preset");
  enum sciara_rule_kind out = SCIARA_RULE_DEFAULT;
  if (cJSON_IsString(rule) && sciara_rule_find(rule->valuestring, &out)) return out;
  const struct sciara_preset *set = cJSON_IsString(preset) ? sciara_preset_find(preset->valuestring) : NULL;
  return set ? set->params.rule : SCIARA_RULE_DEFAULT;
}

/** Adds rule and preset to the object "model": one follows from the other. */
static enum sciara_status fill_rule(cJSON *model) {
  const enum sciara_rule_kind rule = sciara_scenario_rule_of(model);
  if (!cJSON_HasObjectItem(model, "rule") && !cJSON_AddStringToObject(model, "rule", sciara_rule_name(rule)))
    return sciara_scenario_no_memory();
  if (!cJSON_HasObjectItem(model, "preset") &&
      !cJSON_AddStringToObject(model, "preset", sciara_preset_of_rule(rule)->name))
    return sciara_scenario_no_memory();
  return SCIARA_OK;
}

/** An object that is filled. */
struct filling {
  cJSON *object;
  const cJSON *last;                 ///< of its children as given; those after it were added, and have other names
  enum sciara_rule_kind rule;        ///< of an object with keys of rules
  const struct sciara_preset *model; ///< the preset of "model"; NULL: another object
};

static struct filling filling_of(cJSON *object, const char *schema) {
  struct filling f = {.object = object,
                      .last = object->child ? object->child->prev : NULL}; // of the first it is the last
  f.rule = sciara_scenario_rule_of(object);
  const cJSON *preset = strcmp(schema, "model") == 0 ? cJSON_GetObjectItemCaseSensitive(object, "preset") : NULL;
  if (preset && cJSON_IsString(preset)) f.model = sciara_preset_find(preset->valuestring);
  return f;
}

static cJSON *given_child(const struct filling *f, const char *name) {
  for (cJSON *child = f->object->child; child; child = child != f->last ? child->next : NULL)
    if (*child->string == *name && strcmp(child->string, name) == 0) return child;
  return NULL;
}

/** The value of a parameter in the preset of the object "model"; false for any other key. */
static bool value_of_preset(const struct filling *f, const char *name, double *out) {
  size_t count;
  const struct sciara_param_info *table = sciara_param_table(&count);
  for (size_t k = 0; f->model && k < count; k++)
    if (*table[k].key == *name && strcmp(table[k].key, name) == 0) {
      memcpy(out, (const char *)&f->model->params + table[k].offset, sizeof *out);
      return true;
    }
  return false;
}

/** Adds the default of an absent key, or descends into a present one. */
static enum sciara_status fill_key(const struct filling *f, const struct sciara_scenario_key *key, const char *name) {
  cJSON *child = given_child(f, name);
  if (key->type == SCIARA_KEY_OBJECT && !child && !(child = cJSON_AddObjectToObject(f->object, name)))
    return sciara_scenario_no_memory();
  if (key->type == SCIARA_KEY_OBJECT) return fill_object(child, key->path);
  if (key->type == SCIARA_KEY_OBJECTS) {
    cJSON *item;
    cJSON_ArrayForEach(item, child) SCIARA_TRY(fill_object(item, sciara_scenario_key_items(key)->path));
    return SCIARA_OK;
  }
  if (child || !key->preset) return SCIARA_OK;
  if (key->rules && !sciara_scenario_key_is_of(key, f->rule)) return SCIARA_OK;
  double value;
  if (value_of_preset(f, name, &value))
    return cJSON_AddNumberToObject(f->object, name, value) ? SCIARA_OK : sciara_scenario_no_memory();
  SCIARA_TRY(sciara_json_parse(key->path, key->preset, strlen(key->preset), &child));
  return sciara_json_put(f->object, name, child) ? SCIARA_OK : sciara_scenario_no_memory();
}

static enum sciara_status fill_object(cJSON *object, const char *schema) {
  if (!cJSON_IsObject(object)) return SCIARA_OK; // of the wrong type, or a vent that was removed
  if (strcmp(schema, "model") == 0) SCIARA_TRY(fill_rule(object));
  const struct filling f = filling_of(object, schema);
  size_t count;
  const struct sciara_scenario_key *keys = sciara_scenario_keys(&count);
  for (size_t i = 0; i < count; i++) {
    const char *name = sciara_scenario_key_name(&keys[i], schema);
    if (name) SCIARA_TRY(fill_key(&f, &keys[i], name));
  }
  return SCIARA_OK;
}

enum sciara_status sciara_scenario_fill(cJSON *root) { return fill_object(root, ""); }

/** sciara_scenario_fill for a tree that has some branches of its own; all others are references to those of a filled tree. */
static enum sciara_status scenario_fill_from(cJSON *root, cJSON *filled) {
  cJSON *child;
  const struct filling f = filling_of(root, "");
  cJSON_ArrayForEach(child, root) {
    const struct sciara_scenario_key *key = sciara_scenario_key_find("", child->string);
    if (key && !(child->type & cJSON_IsReference)) SCIARA_TRY(fill_key(&f, key, child->string));
  }
  cJSON_ArrayForEach(child, filled) {
    const bool there = cJSON_GetObjectItemCaseSensitive(root, child->string) != NULL;
    if (!there && !cJSON_AddItemReferenceToObject(root, child->string, child)) return sciara_scenario_no_memory();
  }
  return SCIARA_OK;
}

/** The value of a key of an object of a filled tree; NULL when it is null, or absent without a default. */
static const cJSON *get_item(const cJSON *object, const char *name) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
  return cJSON_IsNull(value) ? NULL : value;
}

static bool item_says(const cJSON *value, const char *text) {
  return cJSON_IsString(value) && strcmp(value->valuestring, text) == 0;
}

/** A copy of a text or, with a folder, of a path, resolved against that; NULL if there is none. */
static enum sciara_status take_text(const cJSON *value, const char *folder, char **out) {
  *out = NULL;
  if (!value) return SCIARA_OK;
  return sciara_path_in(folder ? folder : "", value->valuestring, out);
}

/** The part of the DEM by coordinates; at most one key chooses it. */
static enum sciara_status take_box(const cJSON *dem, struct sciara_scenario_spec *s) {
  const cJSON *xy = get_item(dem, "window_xy"), *lonlat = get_item(dem, "window_lonlat"), *item;
  const cJSON *margin = get_item(dem, "window_margin_m");
  const int given = (xy != NULL) + (lonlat != NULL) + (margin != NULL) + s->dem.has_window;
  if (given > 1)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: dem: expected at most one of window, window_xy, window_lonlat, window_margin_m, found %d",
                       s->path, given);
  s->dem.has_box = xy || lonlat;
  s->dem.box_is_lonlat = lonlat != NULL;
  s->dem.margin_m = margin ? margin->valuedouble : 0;
  size_t i = 0;
  const cJSON *box = xy ? xy : lonlat;
  cJSON_ArrayForEach(item, box) s->dem.box[i++] = item->valuedouble;
  return SCIARA_OK;
}

static enum sciara_status take_dem(const cJSON *root, const char *folder, struct sciara_scenario_spec *s) {
  const cJSON *dem = get_item(root, "dem");
  SCIARA_TRY(take_text(get_item(dem, "path"), folder, &s->dem.path));
  SCIARA_TRY(take_text(get_item(dem, "crs"), NULL, &s->dem.crs));
  s->dem.band = (int)get_item(dem, "band")->valuedouble;
  const cJSON *window = get_item(dem, "window"), *cell_size = get_item(dem, "cell_size_m"), *item;
  s->dem.has_window = window != NULL;
  size_t i = 0;
  cJSON_ArrayForEach(item, window) s->dem.window[i++] = (int64_t)item->valuedouble;
  s->dem.cell_size_m = cell_size ? cell_size->valuedouble : 0;
  return take_box(dem, s);
}

// ------------------------------------------------------------------------------------------------------------- ground

static enum sciara_status take_sea(const cJSON *value, const char *folder, struct sciara_sea *out) {
  if (!value) return SCIARA_OK;
  if (cJSON_IsNumber(value)) {
    *out = (struct sciara_sea){.rule = SCIARA_SEA_LEVEL, .level = value->valuedouble};
    return SCIARA_OK;
  }
  out->rule = strcmp(value->valuestring, "nodata") == 0 ? SCIARA_SEA_NODATA : SCIARA_SEA_FILE;
  return out->rule == SCIARA_SEA_FILE ? take_text(value, folder, &out->path) : SCIARA_OK;
}

static enum sciara_status take_points(const cJSON *array, struct sciara_edit *edit) {
  const size_t count = (size_t)cJSON_GetArraySize(array);
  const cJSON *point;
  if (!array) return SCIARA_OK;
  if (edit->closed && count < 3)
    return sciara_fail(SCIARA_ERR_INPUT, "polygon: expected at least 3 points, found %zu", count);
  SCIARA_TRY(SCIARA_NEW(edit->points, count, "the points of an edit"));
  cJSON_ArrayForEach(point, array) {
    edit->points[edit->point_count++] =
        (struct sciara_point){point->child->valuedouble, point->child->next->valuedouble};
  }
  return SCIARA_OK;
}

/** Rejects values that the form of an edit does not have. */
static enum sciara_status check_values(const struct sciara_edit *e) {
  enum sciara_edit_value what;
  if (e->path || e->raster) return SCIARA_OK; // its features decide, or its cells
  SCIARA_TRY(sciara_edit_choose(e->value, e->closed, &what));
  for (int k = 0; k < SCIARA_EDIT_VALUES; k++)
    if (!isnan(e->value[k]) && (k >= SCIARA_EDIT_RAISE) != e->closed)
      return sciara_fail(SCIARA_ERR_INPUT, "expected %s for a %s, found %s",
                         e->closed ? "raise_m or level_m" : "width_m and one of height_m, crest_m, depth_m",
                         e->closed ? "polygon" : "line", sciara_edit_value_name((enum sciara_edit_value)k));
  return SCIARA_OK;
}

static enum sciara_status take_edit(const cJSON *item, const char *folder, size_t index, struct sciara_edit *out) {
  const cJSON *polygon = get_item(item, "polygon");
  out->closed = polygon != NULL;
  for (int k = 0; k < SCIARA_EDIT_VALUES; k++) {
    const cJSON *value = get_item(item, sciara_edit_value_name((enum sciara_edit_value)k));
    out->value[k] = value ? value->valuedouble : (double)NAN;
  }
  SCIARA_TRY(take_text(get_item(item, "name"), NULL, &out->name));
  if (!out->name) out->name = sciara_format("edit %zu", index + 1);
  if (!out->name) return sciara_scenario_no_memory();
  SCIARA_TRY(take_text(get_item(item, "layer"), NULL, &out->layer));
  SCIARA_TRY(take_text(get_item(item, "place"), NULL, &out->place));
  out->lonlat = cJSON_IsTrue(get_item(item, "lonlat"));
  SCIARA_TRY(take_text(get_item(item, "file"), folder, &out->path));
  SCIARA_TRY(take_text(get_item(item, "dem"), folder, &out->raster));
  const cJSON *from = get_item(item, "from");
  if (from) out->from_s = sciara_scenario_seconds(from);
  SCIARA_TRY(take_points(polygon ? polygon : get_item(item, "line"), out));
  return check_values(out);
}

/** The edits in one line, with absolute paths: scenarios in other folders may use it. */
static enum sciara_status print_edits(const cJSON *edits, struct sciara_scenario_spec *s) {
  struct sciara_text text = {0};
  cJSON *copy = cJSON_Duplicate(edits, true), *item;
  enum sciara_status status = copy ? SCIARA_OK : sciara_scenario_no_memory();
  size_t k = 0;
  cJSON_ArrayForEach(item, copy) {
    const struct sciara_edit *edit = &s->dem.edits[k++];
    const char *path = edit->raster ? edit->raster : edit->path, *name = edit->raster ? "dem" : "file";
    char *real = path ? realpath(path, NULL) : NULL;
    if (path && !cJSON_ReplaceItemInObjectCaseSensitive(item, name, cJSON_CreateString(real ? real : path)))
      status = sciara_scenario_no_memory();
    free(real);
  }
  if (status == SCIARA_OK) status = sciara_json_print(copy, &text);
  for (char *c = text.data; c && *c; c++)
    if (*c == '\n') *c = ' ';
  cJSON_Delete(copy);
  s->dem.edits_json = text.data;
  return status;
}

/** The edits are listed in the order of their times. */
static enum sciara_status check_order(const struct sciara_scenario_spec *s, size_t k) {
  const struct sciara_edit *edit = &s->dem.edits[k];
  if (k == 0 || edit->from_s >= edit[-1].from_s) return SCIARA_OK;
  return sciara_fail(
      SCIARA_ERR_INPUT,
      "from: expected %.10g s, the time of the edit before it, or later: edits are listed in the order of "
      "their times; found %.10g s%s",
      edit[-1].from_s, edit->from_s, edit->from_s > 0 ? "" : " (before the run)");
}

static enum sciara_status take_edits(const cJSON *edits, const char *folder, struct sciara_scenario_spec *s,
                                     struct sciara_diagnostics *diagnostics) {
  const size_t before = diagnostics->count;
  const cJSON *item;
  if (!edits || cJSON_GetArraySize(edits) == 0) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(s->dem.edits, cJSON_GetArraySize(edits), "the edits of the ground"));
  cJSON_ArrayForEach(item, edits) {
    const size_t k = s->dem.edit_count++;
    enum sciara_status status = take_edit(item, folder, k, &s->dem.edits[k]);
    if (status == SCIARA_OK) status = check_order(s, k);
    sciara_diagnostics_add(diagnostics, sciara_fail_context(status, "%s: dem.edits[%zu]", s->path, k));
  }
  return diagnostics->count == before ? print_edits(edits, s) : SCIARA_OK;
}

static void take_error(const cJSON *error, struct sciara_ground_error *out) {
  const cJSON *sd = get_item(error, "sd_m"), *length = get_item(error, "correlation_m"),
              *seed = get_item(error, "seed");
  if (!sd || !length) return; // not given, or reported
  *out = (struct sciara_ground_error){
      .sd_m = sd->valuedouble, .correlation_m = length->valuedouble, .seed = seed ? (uint64_t)seed->valuedouble : 1};
}

/** The keys dem.nodata, dem.sea, dem.edits and dem.error. */
static void take_ground(const cJSON *root, const char *folder, struct sciara_scenario_spec *s,
                        struct sciara_diagnostics *diagnostics) {
  const cJSON *dem = get_item(root, "dem");
  const cJSON *nodata = get_item(dem, "nodata");
  s->dem.has_nodata = nodata != NULL;
  s->dem.nodata = nodata ? nodata->valuedouble : 0;
  take_error(get_item(dem, "error"), &s->dem.error);
  sciara_diagnostics_add(diagnostics, take_sea(get_item(dem, "sea"), folder, &s->dem.sea));
  sciara_diagnostics_add(diagnostics, take_edits(get_item(dem, "edits"), folder, s, diagnostics));
}

// ----------------------------------------------------------------------------------------------------- what lies on it

static enum sciara_status take_layer(const cJSON *value, const char *folder, struct sciara_layer_spec *out) {
  *out = (struct sciara_layer_spec){.given = value != NULL};
  if (cJSON_IsString(value)) return take_text(value, folder, &out->path);
  if (value) out->value = value->valuedouble;
  return SCIARA_OK;
}

/** The name of the preset, and the parameters that differ from it: "thesis-etna-2006; changed: cooling". */
static enum sciara_status describe_model(const struct sciara_preset *preset, struct sciara_scenario_spec *s) {
  size_t count, changed = 0;
  const struct sciara_param_info *table = sciara_param_table(&count);
  struct sciara_text text = {0};
  enum sciara_status status = sciara_text_append(&text, "%s", preset->name);
  for (size_t i = 0; i < count && status == SCIARA_OK; i++) {
    const size_t at = table[i].offset;
    if (sciara_param_is_of(&table[i], s->params.rule) &&
        memcmp((const char *)&s->params + at, (const char *)&preset->params + at, sizeof(double)) != 0)
      status = sciara_text_append(&text, "%s%s", changed++ ? ", " : "; changed: ", table[i].key);
  }
  s->model = text.data;
  return status;
}

static enum sciara_status take_model(const cJSON *root, struct sciara_scenario_spec *s) {
  size_t count, references;
  const struct sciara_param_info *table = sciara_param_table(&count), *of_cells = sciara_reference_table(&references);
  const cJSON *model = get_item(root, "model");
  s->params = (struct sciara_params){.rule = sciara_scenario_rule_of(model)};
  const cJSON *item = NULL;
  for (size_t i = 0; i < count; i++)
    if (sciara_param_is_of(&table[i], s->params.rule)) {
      item = item ? item->next : NULL; // defaults are in the order of the table
      if (!item || strcmp(item->string, table[i].key) != 0) item = get_item(model, table[i].key);
      memcpy((char *)&s->params + table[i].offset, &item->valuedouble, sizeof(double));
    }
  for (size_t i = 0; i < references; i++) {
    const cJSON *reference = get_item(model, of_cells[i].key);
    if (reference) memcpy((char *)&s->params + of_cells[i].offset, &reference->valuedouble, sizeof(double));
  }
  SCIARA_TRY(describe_model(sciara_preset_find(get_item(model, "preset")->valuestring), s));
  return sciara_fail_context(sciara_params_check(&s->params), "%s", s->path);
}

static enum sciara_status check_temperature(const struct sciara_scenario_spec *s, const char *key,
                                            const struct sciara_layer_spec *t) {
  if (t->given && !t->path && !(t->value > s->params.T_sol && t->value <= s->params.T_vent))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: %s: expected above model.T_sol_K = %.17g to model.T_vent_K = %.17g, found %.17g", s->path,
                       key, s->params.T_sol, s->params.T_vent, t->value);
  return SCIARA_OK;
}

static enum sciara_status take_start(const cJSON *start, struct sciara_scenario_spec *s) {
  char date[SCIARA_DATE_SIZE];
  s->start = NULL;
  if (!start) return SCIARA_OK;
  sciara_scenario_date(start->valuestring, date);
  if (!s->alone && strcmp(date, start->valuestring) != 0)
    sciara_note(s->notes, SCIARA_LOG_INFO, "%s: run.start: \"%s\" is taken as %s", s->path, start->valuestring, date);
  s->start = sciara_format("%s", date);
  return s->start ? SCIARA_OK : sciara_scenario_no_memory();
}

static enum sciara_status take_run(const cJSON *root, struct sciara_scenario_spec *s) {
  const cJSON *run = get_item(root, "run");
  const cJSON *until = get_item(run, "until"), *max_time = get_item(run, "max_time"),
              *max_steps = get_item(run, "max_steps"), *thickest = get_item(run, "max_thickness_m");
  s->run.until = cJSON_IsString(until) ? sciara_until_of(until->valuestring) : SCIARA_UNTIL_TIME;
  s->run.rest_s = s->run.until == SCIARA_UNTIL_FRONT ? sciara_scenario_seconds(get_item(run, "front_at_rest")) : 0;
  s->run.thickest_m = thickest ? thickest->valuedouble : 0;
  s->run.until_s = s->run.until == SCIARA_UNTIL_TIME ? sciara_scenario_seconds(until) : 0;
  s->run.max_time_s = max_time ? sciara_scenario_seconds(max_time) : (double)INFINITY;
  s->run.max_steps = max_steps ? (uint64_t)max_steps->valuedouble : UINT64_MAX;
  return take_start(get_item(run, "start"), s);
}

static unsigned field_bits(const cJSON *names) {
  unsigned bits = 0;
  const cJSON *name;
  cJSON_ArrayForEach(name, names) bits |= 1u << sciara_field_find(name->valuestring);
  return bits;
}

/** NAME.out next to NAME.json. */
static char *default_folder(const char *scenario) {
  size_t length = strlen(scenario);
  if (length > 5 && strcmp(scenario + length - 5, ".json") == 0 && scenario[length - 6] != '/') length -= 5;
  return sciara_format("%.*s.out", (int)length, scenario);
}

static enum sciara_status take_output(const cJSON *root, const char *folder, struct sciara_scenario_spec *s) {
  const cJSON *output = get_item(root, "output");
  if (item_says(get_item(output, "folder"), "-")) // standard output is not a folder
    return sciara_fail(SCIARA_ERR_INPUT, "%s: output.folder: expected the name of a folder, found \"-\"", s->path);
  SCIARA_TRY(take_text(get_item(output, "folder"), folder, &s->output.folder));
  if (!s->output.folder) s->output.folder = default_folder(s->path);
  if (!s->output.folder) return sciara_scenario_no_memory();
  s->output.every_s = sciara_scenario_seconds(get_item(output, "every"));
  s->output.checkpoint_every_s = sciara_scenario_seconds(get_item(output, "checkpoint_every"));
  s->output.checkpoint_wall_s = sciara_scenario_seconds(get_item(output, "checkpoint_wall"));
  s->output.keep_all = item_says(get_item(output, "keep_checkpoints"), "all");
  s->output.keep_every_s = s->output.keep_all ? 0 : sciara_scenario_seconds(get_item(output, "keep_checkpoints"));
  if (!(s->output.checkpoint_every_s > 0)) s->output.checkpoint_every_s = s->output.keep_every_s;
  s->output.fields = field_bits(get_item(output, "fields"));
  s->output.as_double = item_says(get_item(output, "dtype"), "float64");
  s->output.maps = field_bits(get_item(output, "maps"));
  return SCIARA_OK;
}

bool sciara_scenario_writes_on_the_way(const struct sciara_scenario_spec *s) {
  return s->output.every_s > 0 || s->output.checkpoint_every_s > 0 || s->output.checkpoint_wall_s > 0;
}

/** A whole number of "engine"; 0 for null. */
static int whole(const cJSON *engine, const char *name) {
  const cJSON *item = get_item(engine, name);
  return cJSON_IsNumber(item) ? (int)item->valuedouble : 0;
}

static enum sciara_status take_engine(const cJSON *root, struct sciara_scenario_spec *s) {
  const cJSON *engine = get_item(root, "engine");
  s->engine.source = s->path;
  s->engine.single_precision = item_says(get_item(engine, "precision"), "single");
  s->engine.fast_math = item_says(get_item(engine, "math"), "fast");
  s->engine.threads = whole(engine, "threads");
  s->engine.device = whole(engine, "device");
  const struct sciara_settings options = sciara_scenario_declared_options();
  for (size_t k = 0; k < options.count; k++) {
    const cJSON *value = get_item(engine, options.setting[k].name);
    if (cJSON_IsNumber(value)) s->engine.option[k] = (int)value->valuedouble;
    if (cJSON_IsString(value)) sciara_setting_parse(&options.setting[k], value->valuestring, &s->engine.option[k]);
  }
  return take_text(get_item(engine, "name"), NULL, &s->engine.name);
}

static enum sciara_status take_checkpoint(const cJSON *initial, const char *folder, struct sciara_scenario_spec *s) {
  const cJSON *path = get_item(initial, "checkpoint");
  if (!path) return SCIARA_OK;
  if (s->initial_thickness.given || s->initial_thickness.path)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: initial: expected either thickness or checkpoint, found both", s->path);
  SCIARA_TRY(take_text(path, folder, &s->initial_checkpoint));
  return take_text(get_item(initial, "checksum"), NULL, &s->initial_checksum);
}

/** Lava as it was mapped. */
static enum sciara_status take_observed(const cJSON *initial, const char *folder, struct sciara_scenario_spec *s) {
  const cJSON *all = get_item(initial, "observed"), *outline = get_item(all, "outline"),
              *volume = get_item(all, "volume_m3"), *dem = get_item(all, "dem"), *time = get_item(all, "time");
  struct sciara_observed_spec *o = &s->observed;
  o->time_s = time ? sciara_scenario_seconds(time) : -1;
  if (!outline) return SCIARA_OK;
  SCIARA_TRY(take_text(outline, folder, &o->outline));
  SCIARA_TRY(take_text(get_item(all, "layer"), NULL, &o->layer));
  SCIARA_TRY(take_text(dem, folder, &o->dem));
  SCIARA_TRY(take_layer(get_item(all, "thickness"), folder, &o->thickness));
  SCIARA_TRY(take_layer(get_item(all, "temperature"), folder, &o->temperature));
  o->volume_m3 = volume ? volume->valuedouble : 0;
  const int given = (volume != NULL) + (dem != NULL) + o->thickness.given;
  if (given > 1)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: initial.observed: expected at most one of volume_m3, thickness and dem, found %d of them",
                       s->path, given);
  if (s->initial_thickness.given)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: initial: expected either thickness or observed, found both", s->path);
  return SCIARA_OK;
}

/** A run that begins with mapped lava must end after that. */
static enum sciara_status check_observed_time(const struct sciara_scenario_spec *s) {
  if (!s->observed.outline || s->observed.time_s < sciara_limits_end(&s->run)) return SCIARA_OK;
  char end[SCIARA_MINUTE_SIZE] = "", observed[SCIARA_MINUTE_SIZE] = "";
  sciara_append_minute(s->start, sciara_limits_end(&s->run), end, sizeof end);
  sciara_append_minute(s->start, s->observed.time_s, observed, sizeof observed);
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: initial.observed.time: expected a time before the end of the run (run.until, run.max_time), "
                     "%.10g s%s; found %.10g s%s. Times count from the start of the run, not from the observation",
                     s->path, sciara_limits_end(&s->run), end, s->observed.time_s, observed);
}

/**
 * The values of a filled tree.
 *
 * @param model_passed whether "model" is as given by the user, instead of defaults for a rejected one
 */
static void take_values(const cJSON *root, const char *folder, bool model_passed, struct sciara_scenario_spec *s,
                        struct sciara_diagnostics *diagnostics) {
  const cJSON *initial = get_item(root, "initial");
  sciara_diagnostics_add(diagnostics, take_text(get_item(root, "title"), NULL, &s->title));
  sciara_diagnostics_add(diagnostics, take_dem(root, folder, s));
  take_ground(root, folder, s, diagnostics);
  sciara_scenario_vents(folder, root, s, diagnostics);
  sciara_diagnostics_add(diagnostics, take_layer(get_item(initial, "thickness"), folder, &s->initial_thickness));
  sciara_diagnostics_add(diagnostics, take_layer(get_item(initial, "temperature"), folder, &s->initial_temperature));
  sciara_diagnostics_add(diagnostics, take_checkpoint(initial, folder, s));
  sciara_diagnostics_add(diagnostics, take_observed(initial, folder, s));
  const enum sciara_status model = take_model(root, s);
  sciara_diagnostics_add(diagnostics, model);
  if (model == SCIARA_OK && model_passed) {
    sciara_diagnostics_add(diagnostics, check_temperature(s, "initial.temperature", &s->initial_temperature));
    sciara_diagnostics_add(diagnostics, check_temperature(s, "initial.observed.temperature", &s->observed.temperature));
  }
  s->boundary = item_says(get_item(root, "boundary"), "closed") ? SCIARA_BOUNDARY_CLOSED : SCIARA_BOUNDARY_OPEN;
  sciara_diagnostics_add(diagnostics, take_run(root, s));
  sciara_diagnostics_add(diagnostics, check_observed_time(s));
  sciara_diagnostics_add(diagnostics, take_output(root, folder, s));
  sciara_diagnostics_add(diagnostics, take_engine(root, s));
  if (model == SCIARA_OK && model_passed)
    sciara_diagnostics_add(
        diagnostics,
        sciara_fail_context(sciara_params_check_range(&s->params, s->engine.single_precision), "%s", s->path));
}

/** @param folder receives that of the path as written, malloc'd */
static enum sciara_status take_place(const char *path, char **folder, struct sciara_scenario_spec *out) {
  *folder = sciara_path_folder(path);
  out->path = sciara_format("%s", path);
  if (!*folder || !out->path) return sciara_scenario_no_memory();
  out->folder = realpath(*folder, NULL);
  if (!out->folder) out->folder = sciara_format("%s", *folder);
  return out->folder ? SCIARA_OK : sciara_scenario_no_memory();
}

static enum sciara_status drop_refused_vents(cJSON *vents, const struct sciara_scenario_key *items) {
  for (cJSON *vent = vents->child, *next; vent; vent = next) {
    next = vent->next;
    if (sciara_scenario_passes(items, vent)) continue;
    cJSON *null = cJSON_CreateNull();
    if (!null || !cJSON_ReplaceItemViaPointer(vents, vent, null)) {
      cJSON_Delete(null);
      return sciara_scenario_no_memory();
    }
  }
  return SCIARA_OK;
}

static void drop_refused_keys(cJSON *object, const char *schema) {
  for (cJSON *child = object->child, *next; child; child = next) {
    next = child->next;
    const struct sciara_scenario_key *key = sciara_scenario_key_find(schema, child->string);
    if (!key || !sciara_scenario_passes(key, child)) cJSON_Delete(cJSON_DetachItemViaPointer(object, child));
  }
}

/**
 * Removes the branches of a tree that do not pass the check, so that the others can be checked further: an invalid vent
 * becomes null, so that the numbers of the others do not change; of "run" single keys are removed, for its start gives the
 * dates of others their times; any other key of the top level is removed completely.
 */
static enum sciara_status drop_refused(cJSON *root) {
  for (cJSON *child = root->child, *next; child; child = next) {
    next = child->next;
    if (child->type & cJSON_IsReference) continue;
    const struct sciara_scenario_key *key = sciara_scenario_key_find("", child->string);
    if (key && key->type == SCIARA_KEY_OBJECTS && cJSON_IsArray(child))
      SCIARA_TRY(drop_refused_vents(child, sciara_scenario_key_items(key)));
    else if (key && strcmp(key->path, "run") == 0 && cJSON_IsObject(child))
      drop_refused_keys(child, key->path);
    else if (!key || !sciara_scenario_passes(key, child))
      cJSON_Delete(cJSON_DetachItemViaPointer(root, child));
  }
  return SCIARA_OK;
}

/**
 * From the tree with the overrides to the values.
 *
 * @param filled tree to whose branches that of a member refers; NULL: there is none
 * @param text   receives the text of the tree, malloc'd; NULL: it is not wanted
 */
static void read_tree(cJSON *root, cJSON *filled, const char *folder, char **text, struct sciara_scenario_spec *s,
                      struct sciara_diagnostics *diagnostics) {
  const size_t before = diagnostics->count;
  bool model_passed = true;
  double start;
  enum sciara_status status = sciara_scenario_place_dates(root);
  sciara_scenario_check(s->path, root, diagnostics);
  if (!cJSON_IsObject(root)) return;
  if (status == SCIARA_OK && text) status = sciara_json_text(root, text);
  const bool valid = diagnostics->count == before;
  s->start_refused = !valid && sciara_scenario_start(root, &start) == SCIARA_START_REFUSED;
  if (status == SCIARA_OK && !valid) {
    const bool given = cJSON_HasObjectItem(root, "model");
    status = drop_refused(root);
    model_passed = given == cJSON_HasObjectItem(root, "model");
  }
  if (status == SCIARA_OK) status = valid && filled ? scenario_fill_from(root, filled) : sciara_scenario_fill(root);
  sciara_diagnostics_add(diagnostics, status);
  if (status == SCIARA_OK) take_values(root, folder, model_passed, s, diagnostics);
}

void sciara_scenario_take(const char *path, cJSON *root, cJSON *filled, struct sciara_scenario_spec *out,
                          struct sciara_diagnostics *diagnostics) {
  char *folder;
  const enum sciara_status status = take_place(path, &folder, out);
  sciara_diagnostics_add(diagnostics, status);
  if (status == SCIARA_OK) read_tree(root, filled, folder, NULL, out, diagnostics);
  free(folder);
}

/** Notes which keys of "engine" were set by an override. */
static void note_override(const char *text, struct sciara_scenario_spec *s) {
  const bool whole_object = strncmp(text, "engine=", strlen("engine=")) == 0;
  if (!whole_object && strncmp(text, "engine.", strlen("engine.")) != 0) return;
  if (whole_object || strncmp(text, "engine.name=", strlen("engine.name=")) == 0) s->engine.name_overridden = true;
  if (strncmp(text, "engine.threads=", strlen("engine.threads=")) != 0) s->engine.overridden = true;
}

void sciara_scenario_parse(const char *path, const char *text, size_t length, const char *const *overrides,
                           size_t override_count, struct sciara_scenario_spec *out,
                           struct sciara_diagnostics *diagnostics) {
  cJSON *root = NULL;
  char *folder;
  enum sciara_status status = take_place(path, &folder, out);
  if (status == SCIARA_OK) status = sciara_json_parse_all(path, text, length, diagnostics, &root);
  sciara_diagnostics_add(diagnostics, status);
  if (status == SCIARA_OK) {
    for (size_t i = 0; i < override_count; i++) {
      sciara_diagnostics_add(diagnostics, sciara_scenario_override(path, root, overrides[i]));
      note_override(overrides[i], out);
    }
    read_tree(root, NULL, folder, &out->json, out, diagnostics);
  }
  cJSON_Delete(root);
  free(folder);
}

void sciara_scenario_read_all(const char *path, const char *const *overrides, size_t override_count,
                              const struct sciara_notes *notes, struct sciara_scenario_spec *out,
                              struct sciara_diagnostics *diagnostics) {
  char *text = NULL;
  size_t length = 0;
  *out = (struct sciara_scenario_spec){.notes = notes};
  const enum sciara_status status = sciara_file_read(path, SCIARA_JSON_MAX_BYTES, &text, &length);
  sciara_diagnostics_add(diagnostics, status);
  if (status == SCIARA_OK) sciara_scenario_parse(path, text, length, overrides, override_count, out, diagnostics);
  free(text);
}

enum sciara_status sciara_scenario_read(const char *path, const char *const *overrides, size_t override_count,
                                        const struct sciara_notes *notes, struct sciara_scenario_spec *out) {
  struct sciara_diagnostics diagnostics = {0};
  sciara_scenario_read_all(path, overrides, override_count, notes, out, &diagnostics);
  const enum sciara_status status = sciara_diagnostics_end(&diagnostics);
  if (status != SCIARA_OK) sciara_scenario_free(out);
  return status;
}

void sciara_scenario_free(struct sciara_scenario_spec *s) {
  for (size_t i = 0; i < s->vent_count; i++) {
    free(s->vents[i].name);
    sciara_free(s->vents[i].points);
    free(s->vents[i].file);
    free(s->vents[i].layer);
    free(s->vents[i].feature);
    sciara_free(s->vents[i].edges);
    sciara_free(s->vents[i].rates);
  }
  sciara_free(s->vents);
  sciara_dem_spec_free(&s->dem);
  char *texts[] = {s->path,
                   s->folder,
                   s->title,
                   s->json,
                   s->model,
                   s->initial_thickness.path,
                   s->initial_temperature.path,
                   s->initial_checkpoint,
                   s->initial_checksum,
                   s->observed.outline,
                   s->observed.layer,
                   s->observed.thickness.path,
                   s->observed.temperature.path,
                   s->observed.dem,
                   s->start,
                   s->output.folder,
                   s->engine.name};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
  *s = (struct sciara_scenario_spec){0};
}
