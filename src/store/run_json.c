// SPDX-License-Identifier: Apache-2.0
// The contents of run.json, and tables of its members, with which it is written, read back and released.
#include "store/run_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "file/csv.h"
#include "file/durable.h"
#include "file/json_strict.h"

const char *sciara_run_status_name(enum sciara_run_status status) {
  static const char *const names[] = {"running", "complete", "stopped", "failed"};
  return (unsigned)status < sizeof names / sizeof names[0] ? names[status] : NULL;
}

bool sciara_run_warning_has_cell(const struct sciara_run_warning *w) {
  return strcmp(w->kind, SCIARA_WARNING_DEM) != 0 && strcmp(w->kind, SCIARA_WARNING_CELLS) != 0 &&
         strcmp(w->kind, SCIARA_WARNING_OBSERVED) != 0 && strcmp(w->kind, SCIARA_WARNING_EFFUSION) != 0;
}

// ------------------------------------------------------------------------------------------------------------ its members

enum kind {
  TEXT,   ///< or null
  WORDS,  ///< a text that is never null
  NAME,   ///< WORDS: a path in the folder of the run
  UTC,    ///< or null
  NUMBER, ///< or null
  SIZE,   ///< a number above 0
  COUNT,  ///< of 64 bits
  THREADS,
  HEX,
  CELL ///< two whole numbers
};

/** A member that files of earlier versions, or those for which `has` does not hold, lack. */
enum absent { NEVER, ELSE_NONE, ELSE_NAN, WITH_LAST };

struct entry {
  const char *key;
  enum kind kind;
  size_t offset;
  bool (*has)(const void *record); ///< whether it is written; NULL: always
  enum absent absent;              ///< NEVER: it is read wherever it is written; WITH_LAST: with the entry above
};

#define R(member) offsetof(struct sciara_run_json, member), NULL, NEVER
#define R_IF(member, has) offsetof(struct sciara_run_json, member), has
#define END \
  { NULL, TEXT, 0, NULL, NEVER }
#define GET(name, type, expression)       \
  static bool name(const void *record) {  \
    const type *r = (const type *)record; \
    return expression;                    \
  }

GET(has_rule, struct sciara_run_json, r->model_rule != NULL)
GET(has_edition, struct sciara_run_json, r->rule_edition > 1)
GET(has_preset, struct sciara_run_json, r->model_preset != NULL)
GET(has_parent, struct sciara_run_json, r->parent != NULL)
GET(has_emission, struct sciara_run_json, isfinite(r->emission.volume_m3))
GET(emits_later, struct sciara_run_json, r->emission.from_s > 0)
GET(is_corrected, struct sciara_run_json, r->ledger.added_m3 > 0 || r->ledger.removed_m3 > 0)
GET(has_lost, struct sciara_run_json, r->ledger.lost_m3 > 0 && isfinite(r->lost_from_s))
GET(has_sea, struct sciara_run_json, r->has_sea)
GET(is_of_dem, struct sciara_run_warning, strcmp(r->kind, SCIARA_WARNING_DEM) == 0)
GET(is_of_cell, struct sciara_run_warning, sciara_run_warning_has_cell(r))

static const struct entry head[] = {
    {"stop_reason", TEXT, R(stop_reason)},
    {"scenario", TEXT, R(scenario)},
    {"dem_hash", HEX, R(dem_hash)},
    {"model_rule", TEXT, R_IF(model_rule, has_rule), ELSE_NONE},
    {"model_rule_edition", COUNT, R_IF(rule_edition, has_edition), ELSE_NONE},
    {"model_preset", TEXT, R_IF(model_preset, has_preset), ELSE_NONE},
    END,
};

static const struct entry engine[] = {
    {"name", TEXT, R(engine)}, {"precision", TEXT, R(precision)}, {"threads", THREADS, R(threads)}, END};

static const struct entry versions[] = {
    {"sciara", TEXT, R(program_version)},
    {"git", TEXT, R(git_hash)},
    {"hdf5", TEXT, R(hdf5_version)},
    {"gdal", TEXT, R(gdal_version)},
    END,
};

static const struct entry timing[] = {
    {"started_utc", UTC, R(started_utc)},
    {"updated_utc", UTC, R(updated_utc)},
    {"ended_utc", UTC, R(ended_utc)},
    {"wall_s", NUMBER, R(wall_s)},
    {"compute_s", NUMBER, R(compute_s)},
    {"output_wait_s", NUMBER, R_IF(output_wait_s, NULL), ELSE_NAN},
    END,
};

static const struct entry parent[] = {
    {"folder", TEXT, R(parent)}, {"step", COUNT, R(parent_step)}, {"checksum", HEX, R(parent_checksum)}, END};

static const struct entry emission[] = {
    {"volume_m3", NUMBER, R(emission.volume_m3)},
    {"begin_s", NUMBER, R(emission.begin_s)},
    {"end_s", NUMBER, R(emission.end_s)},
    {"peak_m3_s", NUMBER, R(emission.peak_m3_s)},
    {"from_s", NUMBER, R_IF(emission.from_s, emits_later), ELSE_NONE},
    END,
};

static const struct entry state[] = {
    {"step", COUNT, R(step)},
    {"time_s", NUMBER, R(time_s)},
    {"clock_s", NUMBER, R(clock_s)},
    {"liquid_cells", COUNT, R(liquid_cells)},
    END,
};

static const struct entry ledger[] = {
    {"initial_m3", NUMBER, R(ledger.initial_m3)},
    {"emitted_m3", NUMBER, R(ledger.emitted_m3)},
    {"added_m3", NUMBER, R_IF(ledger.added_m3, is_corrected), ELSE_NONE},
    {"removed_m3", NUMBER, R_IF(ledger.removed_m3, is_corrected), WITH_LAST},
    {"liquid_m3", NUMBER, R(ledger.liquid_m3)},
    {"solid_m3", NUMBER, R(ledger.solid_m3)},
    {"lost_m3", NUMBER, R(ledger.lost_m3)},
    {"lost_from_s", NUMBER, R_IF(lost_from_s, has_lost), ELSE_NAN},
    {"sea_m3", NUMBER, R_IF(ledger.sea_m3, has_sea), ELSE_NONE},
    {"residual_m3", NUMBER, R(ledger.residual_m3)},
    {"bound_m3", NUMBER, R(ledger.bound_m3)},
    END,
};

#define AT(member) offsetof(struct sciara_run_resumption, member), NULL, NEVER
static const struct entry resumption[] = {
    {"utc", UTC, AT(utc)}, {"step", COUNT, AT(step)}, {"engine", TEXT, AT(engine)}, END};

#undef AT
#define AT(member) offsetof(struct sciara_run_warning, member)
static const struct entry warning[] = {
    {"kind", WORDS, AT(kind), NULL, NEVER},
    {"coarse_m", SIZE, AT(coarse_m), is_of_dem, NEVER},
    {"cell", CELL, AT(row), is_of_cell, NEVER},
    {"x", NUMBER, AT(x), is_of_cell, NEVER},
    {"y", NUMBER, AT(y), is_of_cell, NEVER},
    {"time_s", NUMBER, AT(time_s), is_of_cell, NEVER},
    {"height_m", NUMBER, AT(height_m), is_of_cell, ELSE_NAN},
    {"text", WORDS, AT(text), NULL, NEVER},
    END,
};

#undef AT
#define AT(member) offsetof(struct sciara_run_barrier, member), NULL, NEVER
static const struct entry barrier[] = {
    {"name", WORDS, AT(name)},
    {"edit", COUNT, AT(edit)},
    {"cells", COUNT, AT(cells)},
    {"overtopped_s", NUMBER, AT(overtopped_s)},
    {"freeboard_m", NUMBER, AT(freeboard_m)},
    {"x", NUMBER, AT(x)},
    {"y", NUMBER, AT(y)},
    END,
};

#undef AT
#define AT(member) offsetof(struct sciara_run_snapshot, member), NULL, NEVER
static const struct entry snapshot[] = {{"name", NAME, AT(name)},
                                        {"step", COUNT, AT(step)},
                                        {"time_s", NUMBER, AT(time_s)},
                                        {"checksum", HEX, AT(checksum)},
                                        END};

#define OBJECT(key, entries, has) \
  { key, entries, has, 0, 0, 0 }
#define LIST(key, of)                                                                                     \
  {                                                                                                       \
    key, of, NULL, offsetof(struct sciara_run_json, of##s), offsetof(struct sciara_run_json, of##_count), \
        sizeof(struct sciara_run_##of)                                                                    \
  }

/** The objects of the file in their order, and its lists: with the offset of their array, their number, and a size. */
static const struct part {
  const char *key; ///< NULL: the file itself
  const struct entry *entries;
  bool (*has)(const void *record); ///< NULL: always; a list: if it is not empty
  size_t array, count, size;
} parts[] = {
    OBJECT(NULL, head, NULL),
    OBJECT("engine", engine, NULL),
    OBJECT("versions", versions, NULL),
    OBJECT("timing", timing, NULL),
    OBJECT("parent", parent, has_parent),
    LIST("resumed", resumption),
    OBJECT("emission", emission, has_emission),
    OBJECT("state", state, NULL),
    OBJECT("ledger", ledger, NULL),
    LIST("warnings", warning),
    LIST("barriers", barrier),
    LIST("snapshots", snapshot),
};

enum { PARTS = sizeof parts / sizeof *parts, RESUMED = 5, WARNINGS = 9, BARRIERS, SNAPSHOTS };

static size_t *count_of(struct sciara_run_json *r, const struct part *p) { return (size_t *)((char *)r + p->count); }

static char **array_of(struct sciara_run_json *r, const struct part *p) { return (char **)((char *)r + p->array); }

/** Releases the texts of a record. */
static void release(const struct entry *entries, void *record) {
  for (const struct entry *e = entries; e->key; e++)
    if (e->kind <= NAME) free(*(char **)((char *)record + e->offset));
}

/** Forgets the items of a list from one on. */
static void cut(struct sciara_run_json *r, const struct part *p, size_t left) {
  for (size_t *count = count_of(r, p); *count > left;) release(p->entries, *array_of(r, p) + --*count * p->size);
}

void sciara_run_json_free(struct sciara_run_json *r) {
  for (const struct part *p = parts; p < parts + PARTS; p++) {
    if (!p->size) release(p->entries, r);
    if (!p->size) continue;
    cut(r, p, 0);
    free(*array_of(r, p));
  }
  memset(r, 0, sizeof *r);
}

// --------------------------------------------------------------------------------------------------------- its changes

enum sciara_status sciara_run_json_set(char **held, const char *text) {
  char *copy;
  SCIARA_TRY(sciara_copy(text, "the record of the run", &copy));
  free(*held);
  *held = copy;
  return SCIARA_OK;
}

/** Appends a copy of an item, whose texts are copied too. */
static enum sciara_status append(struct sciara_run_json *r, const struct part *p, const void *item) {
  char **array = array_of(r, p);
  size_t *count = count_of(r, p), bytes;
  if ((*count & (*count - 1)) == 0) { // 0, 1, 2, 4...: the array is full
    SCIARA_TRY(sciara_size_mul(*count ? 2 * *count : 1, p->size, &bytes));
    char *more = realloc(*array, bytes);
    if (!more) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a list of %zu %s", *count + 1, p->key);
    *array = more;
  }
  char *last = *array + *count * p->size;
  memcpy(last, item, p->size);
  for (const struct entry *e = p->entries; e->key; e++)
    if (e->kind <= NAME) *(char **)(last + e->offset) = NULL;
  ++*count;
  for (const struct entry *e = p->entries; e->key; e++)
    if (e->kind <= NAME)
      SCIARA_TRY(sciara_run_json_set((char **)(last + e->offset), *(char *const *)((const char *)item + e->offset)));
  return SCIARA_OK;
}

enum sciara_status sciara_run_json_add(struct sciara_run_json *r, const char *name, uint64_t step, double time_s,
                                       uint64_t checksum) {
  const struct sciara_run_snapshot one = {(char *)(uintptr_t)name, step, time_s, checksum};
  return append(r, &parts[SNAPSHOTS], &one);
}

enum sciara_status sciara_run_json_barrier(struct sciara_run_json *r, const struct sciara_run_barrier *its,
                                           const char *name) {
  struct sciara_run_barrier one = *its;
  one.name = (char *)(uintptr_t)name;
  return append(r, &parts[BARRIERS], &one);
}

enum sciara_status sciara_run_json_warn(struct sciara_run_json *r, const struct sciara_run_warning *one) {
  return append(r, &parts[WARNINGS], one);
}

enum sciara_status sciara_run_json_resume(struct sciara_run_json *r, uint64_t step, const char *with) {
  struct sciara_run_resumption one = {.step = step, .engine = (char *)(uintptr_t)with};
  sciara_date_now(one.utc);
  return append(r, &parts[RESUMED], &one);
}

void sciara_run_json_forget(struct sciara_run_json *r, double time_s) {
  size_t kept = 0;
  for (size_t i = 0; i < r->warning_count; i++)
    if (r->warnings[i].time_s <= time_s)
      r->warnings[kept++] = r->warnings[i];
    else
      release(warning, &r->warnings[i]);
  r->warning_count = kept;
  cut(r, &parts[BARRIERS], 0);
}

void sciara_run_json_cut(struct sciara_run_json *r, size_t count) { cut(r, &parts[SNAPSHOTS], count); }

// -------------------------------------------------------------------------------------------------------------- writing

static const double largest_count = 9007199254740992.0; // 2^53: whole numbers beyond it are not exact in JSON

/** The value of a member; *fits: set to false if JSON cannot hold it. */
static cJSON *value_of_key(const struct entry *e, const void *record, bool *fits) {
  const void *at = (const char *)record + e->offset;
  const char *text = e->kind <= NAME ? *(const char *const *)at : e->kind == UTC ? (const char *)at : NULL;
  char digits[17];
  if (e->kind <= UTC) return text && *text ? cJSON_CreateString(text) : cJSON_CreateNull();
  if (e->kind == NUMBER || e->kind == SIZE)
    return isfinite(*(const double *)at) ? cJSON_CreateNumber(*(const double *)at) : cJSON_CreateNull();
  if (e->kind == THREADS) return cJSON_CreateNumber(*(const int *)at);
  const uint64_t *number = (const uint64_t *)at;
  if (e->kind == CELL) return cJSON_CreateDoubleArray((const double[]){(double)number[0], (double)number[1]}, 2);
  snprintf(digits, sizeof digits, "%016" PRIx64, *number);
  if (e->kind == HEX) return cJSON_CreateString(digits);
  *fits &= *number <= UINT64_C(1) << 53;
  return cJSON_CreateNumber((double)*number);
}

static bool add_record(cJSON *object, const struct entry *entries, const void *record, bool *fits) {
  bool whole = object != NULL;
  for (const struct entry *e = entries; e->key && whole; e++)
    if (!e->has || e->has(record)) whole = sciara_json_put(object, e->key, value_of_key(e, record, fits)) != NULL;
  return whole;
}

/** False: no memory. */
static bool add_part(cJSON *root, const struct part *p, struct sciara_run_json *r, bool *fits) {
  const bool optional = p->size && p != &parts[SNAPSHOTS];
  if (!p->key) return add_record(root, p->entries, r, fits);
  if ((p->has && !p->has(r)) || (optional && *count_of(r, p) == 0)) return true;
  cJSON *made = sciara_json_put(root, p->key, p->size ? cJSON_CreateArray() : cJSON_CreateObject());
  if (!p->size) return add_record(made, p->entries, r, fits);
  bool whole = made != NULL;
  for (size_t k = 0; k < *count_of(r, p) && whole; k++)
    whole =
        add_record(sciara_json_put(made, NULL, cJSON_CreateObject()), p->entries, *array_of(r, p) + k * p->size, fits);
  return whole;
}

static enum sciara_status build_text(struct sciara_run_json *r, const char *path, struct sciara_text *text) {
  const char *name = sciara_run_status_name(r->status);
  bool fits = name != NULL;
  cJSON *root = cJSON_CreateObject();
  bool whole = sciara_json_put(root, "format", cJSON_CreateNumber(SCIARA_RUN_FORMAT)) &&
               sciara_json_put(root, "status", cJSON_CreateString(name ? name : ""));
  for (const struct part *p = parts; p < parts + PARTS && whole; p++) whole = add_part(root, p, r, &fits);
  enum sciara_status status;
  if (!fits)
    status =
        sciara_fail(SCIARA_ERR_INTERNAL, "%s: a step, a number of cells or the status of the run is invalid", path);
  else if (!whole)
    status = sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for a record of %zu snapshots", path, r->snapshot_count);
  else
    status = sciara_json_print(root, text);
  cJSON_Delete(root);
  return status == SCIARA_OK ? sciara_text_append(text, "\n") : status;
}

enum sciara_status sciara_run_json_write(const struct sciara_run_json *run_json, const char *path) {
  struct sciara_text text = {0};
  struct sciara_run_json same = *run_json;
  enum sciara_status status = build_text(&same, path, &text);
  if (status == SCIARA_OK && text.length > SCIARA_JSON_MAX_BYTES)
    status = sciara_fail(SCIARA_ERR_IO, "%s: a record of %zu snapshots has %zu bytes, expected at most %d", path,
                         run_json->snapshot_count, text.length, SCIARA_JSON_MAX_BYTES);
  return sciara_text_write(path, status, &text);
}

// -------------------------------------------------------------------------------------------------------------- reading

/** An object that is read, and its JSON path. */
struct node {
  const char *file;
  const cJSON *object;
  const struct sciara_json_path *path; ///< of the object; NULL is the top level
};

/** @param key NULL: the object itself is wrong */
static enum sciara_status refuse(const struct node *at, const char *key, const cJSON *found, const char *allowed) {
  const struct sciara_json_path path = {.parent = at->path, .key = key};
  char name[256], value[128] = "nothing";
  sciara_json_path_print(key ? &path : at->path, name, sizeof name);
  if (found) sciara_json_describe(found, value, sizeof value);
  return sciara_fail(SCIARA_ERR_INPUT, "%s: %s: expected %s, found %s", at->file, name, allowed, value);
}

static const cJSON *member(const struct node *at, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(at->object, key);
}

static bool is_utc(const char *text) {
  static const char form[] = "0000-00-00T00:00:00Z";
  bool fits = strlen(text) == sizeof form - 1;
  for (size_t i = 0; fits && form[i]; i++)
    fits = form[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == form[i];
  return fits;
}

/** Whether a name points into the run folder, independent of the origin of the file. */
static bool stays_inside(const char *name) {
  if (name[0] == '\0' || name[0] == '/') return false;
  for (const char *part = name; part; part = strchr(part, '/')) {
    if (*part == '/') part++;
    if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return false;
  }
  return true;
}

static bool is_whole(const cJSON *value, double limit) {
  return cJSON_IsNumber(value) && value->valuedouble >= 0 && value->valuedouble <= limit &&
         value->valuedouble == floor(value->valuedouble);
}

/** Reads a value; what is expected instead, or NULL. `room` is for the text. */
static const char *take(const struct entry *e, const cJSON *value, void *at, char room[64],
                        enum sciara_status *status) {
  const double limit = e->kind == COUNT ? largest_count : INT32_MAX, number = value ? value->valuedouble : 0;
  const char *text = value && cJSON_IsString(value) ? value->valuestring : NULL;
  const bool null = cJSON_IsNull(value);
  switch (e->kind) {
    case TEXT:
      if (!text && !null) return "a text or null";
      break;
    case WORDS:
      if (!text) return "a text";
      break;
    case NAME:
      if (!text || !stays_inside(text)) return "a path relative to the run folder, without \"..\"";
      break;
    case UTC:
      if (!null && (!text || !is_utc(text))) return "a time as \"2006-07-14T23:30:00Z\" or null";
      snprintf(at, SCIARA_DATE_SIZE, "%s", text ? text : "");
      return NULL;
    case NUMBER:
      if (!null && !cJSON_IsNumber(value)) return "a number or null";
      *(double *)at = null ? NAN : number;
      return NULL;
    case SIZE:
      if (!cJSON_IsNumber(value) || !(number > 0)) return "a number above 0";
      *(double *)at = number;
      return NULL;
    case COUNT:
    case THREADS:
      snprintf(room, 64, "a whole number from 0 to %.0f", limit);
      if (!is_whole(value, limit)) return room;
      if (e->kind == COUNT)
        *(uint64_t *)at = (uint64_t)number;
      else
        *(int *)at = (int)number;
      return NULL;
    case HEX: return text && sciara_csv_hash(text, (uint64_t *)at) ? NULL : "a text of 16 hexadecimal digits";
    case CELL:
      if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) != 2 || !is_whole(cJSON_GetArrayItem(value, 0), limit) ||
          !is_whole(cJSON_GetArrayItem(value, 1), limit))
        return "[row, column]";
      for (int k = 0; k < 2; k++) ((int64_t *)at)[k] = (int64_t)cJSON_GetArrayItem(value, k)->valuedouble;
      return NULL;
  }
  *status = sciara_run_json_set((char **)at, text);
  return NULL;
}

static enum sciara_status read_record(const struct node *node, const struct entry *entries, void *record) {
  const cJSON *last = NULL, *value = NULL;
  for (const struct entry *e = entries; e->key; e++) {
    last = value;
    value = member(node, e->key);
    void *at = (char *)record + e->offset;
    char room[64];
    enum sciara_status status = SCIARA_OK;
    if (e->absent == NEVER && e->has && !e->has(record)) continue;
    if (e->absent == ELSE_NAN && !value) *(double *)at = NAN;
    if (e->absent != NEVER && !value && !(e->absent == WITH_LAST && last)) continue;
    if (e->absent == WITH_LAST && !last) continue;
    const char *allowed = take(e, value, at, room, &status);
    if (allowed) return refuse(node, e->key, value, allowed);
    SCIARA_TRY(status);
  }
  return SCIARA_OK;
}

static enum sciara_status read_item(const struct node *at, const struct part *p, struct sciara_run_json *r) {
  union {
    struct sciara_run_resumption resumption;
    struct sciara_run_warning warning;
    struct sciara_run_barrier barrier;
    struct sciara_run_snapshot snapshot;
  } item;
  memset(&item, 0, sizeof item);
  if (!cJSON_IsObject(at->object)) return refuse(at, NULL, at->object, "an object");
  enum sciara_status status = read_record(at, p->entries, &item);
  if (status == SCIARA_OK) status = append(r, p, &item);
  release(p->entries, &item);
  return status;
}

static enum sciara_status read_part(const struct node *root, const struct part *p, struct sciara_run_json *r) {
  const cJSON *value = p->key ? member(root, p->key) : root->object, *item;
  const struct sciara_json_path path = {.parent = root->path, .key = p->key};
  const struct node at = {.file = root->file, .object = value, .path = p->key ? &path : NULL};
  size_t index = 0;
  if (!value && (p->has || (p->size && p != &parts[SNAPSHOTS]))) return SCIARA_OK;
  if (!p->size)
    return cJSON_IsObject(value) ? read_record(&at, p->entries, r) : refuse(root, p->key, value, "an object");
  if (!cJSON_IsArray(value)) return refuse(root, p->key, value, "an array of objects");
  cJSON_ArrayForEach(item, value) {
    const struct sciara_json_path here = {.parent = &path, .index = index++};
    const struct node one = {.file = root->file, .object = item, .path = &here};
    SCIARA_TRY(read_item(&one, p, r));
  }
  return SCIARA_OK;
}

static enum sciara_status read_status(const struct node *root, struct sciara_run_json *r) {
  const cJSON *format = member(root, "format"), *status = member(root, "status");
  if (!cJSON_IsNumber(format) || format->valuedouble != SCIARA_RUN_FORMAT)
    return refuse(root, "format", format, "1: no run record, or one of another version of the program");
  for (int s = 0; cJSON_IsString(status) && sciara_run_status_name((enum sciara_run_status)s); s++) {
    if (strcmp(status->valuestring, sciara_run_status_name((enum sciara_run_status)s)) != 0) continue;
    r->status = (enum sciara_run_status)s;
    return SCIARA_OK;
  }
  return refuse(root, "status", status, "running, complete, stopped or failed");
}

static enum sciara_status read_root(const struct node *root, struct sciara_run_json *r) {
  if (!cJSON_IsObject(root->object)) return sciara_fail(SCIARA_ERR_INPUT, "%s: this is no JSON object", root->file);
  SCIARA_TRY(read_status(root, r));
  r->rule_edition = 1;
  r->emission.volume_m3 = NAN; // earlier versions did not write it
  for (const struct part *p = parts; p < parts + PARTS; p++) SCIARA_TRY(read_part(root, p, r));
  r->has_sea = member(&(struct node){.object = member(root, "ledger")}, "sea_m3") != NULL;
  return SCIARA_OK;
}

enum sciara_status sciara_run_json_read(const char *path, struct sciara_run_json *out) {
  memset(out, 0, sizeof *out);
  cJSON *tree;
  SCIARA_TRY(sciara_json_read(path, &tree));
  const struct node root = {.file = path, .object = tree, .path = NULL};
  enum sciara_status status = read_root(&root, out);
  if (status != SCIARA_OK) sciara_run_json_free(out);
  cJSON_Delete(tree);
  return status;
}
