// SPDX-License-Identifier: Apache-2.0
// The folder of a planned ensemble: that nothing in it leads out of it, what results it holds, who is at work in it, its
// opening, its members, its ground.
#include "ensemble/ensemble.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "ensemble/ensemble_json.h"
#include "ensemble/members.h"
#include "file/durable.h"
#include "setup/scenario_site.h"
#include "terrain/dem_gdal.h"

// -------------------------------------------------------------------------------------------------------------- links

static enum sciara_status refuse_link(const char *folder, const char *name) {
  return sciara_link_refuse(folder, name, "a file or folder of the ensemble",
                            ", which is not followed; put what it points to in its place");
}

/** What is done with an entry of a folder, by its name; `levels` of folders may follow below it. */
typedef enum sciara_status visit_entry(void *context, const char *folder, const char *name, int levels);

/** Every entry whose name begins with a digit, as those that the program makes; none if the folder is absent. */
static enum sciara_status visit(const char *folder, int levels, visit_entry *entry_of, void *context) {
  const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
  enum sciara_status status = SCIARA_OK;
  const struct dirent *entry;
  if (fd >= 0 && !dir) close(fd);
  while (dir && status == SCIARA_OK && (entry = readdir(dir)))
    if (isdigit((unsigned char)*entry->d_name)) status = entry_of(context, folder, entry->d_name, levels);
  if (dir) closedir(dir);
  return status;
}

/** Visits the folder `name` of this folder. */
static enum sciara_status visit_below(const char *folder, const char *name, int levels, visit_entry *entry_of,
                                      void *context) {
  char *path;
  SCIARA_TRY(sciara_path_in(folder, name, &path));
  const enum sciara_status status = visit(path, levels, entry_of, context);
  free(path);
  return status;
}

static enum sciara_status refuse_entry(void *context, const char *folder, const char *name, int levels) {
  SCIARA_TRY(refuse_link(folder, name));
  return levels > 0 ? visit_below(folder, name, levels - 1, refuse_entry, context) : SCIARA_OK;
}

enum sciara_status sciara_ensemble_refuse_links(const char *folder) {
  static const char *const names[] = {SCIARA_ENSEMBLE_JSON,     SCIARA_ENSEMBLE_MEMBERS,    SCIARA_ENSEMBLE_WEIGHTS,
                                      SCIARA_ENSEMBLE_DEM,      SCIARA_ENSEMBLE_MAPS,       SCIARA_ENSEMBLE_BATCHES,
                                      SCIARA_ENSEMBLE_FINISHED, SCIARA_ENSEMBLE_CHECKPOINT, SCIARA_ENSEMBLE_LOG,
                                      SCIARA_ENSEMBLE_LOCK,     SCIARA_ENSEMBLE_OBSERVED};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) SCIARA_TRY(refuse_link(folder, names[k]));
  SCIARA_TRY(visit_below(folder, SCIARA_ENSEMBLE_BATCHES, 0, refuse_entry, NULL));
  return visit_below(folder, SCIARA_ENSEMBLE_FINISHED, 1, refuse_entry, NULL);
}

// ------------------------------------------------------------------------------------------------------------ results

static enum sciara_status find_result(void *context, const char *folder, const char *name, int levels) {
  bool *found = (bool *)context;
  *found |= strcmp(name + strspn(name, "0123456789"), ".h5") == 0;
  return levels > 0 ? visit_below(folder, name, levels - 1, find_result, context) : SCIARA_OK;
}

bool sciara_ensemble_has_results(const char *folder) {
  bool found = false;
  enum sciara_status status = visit_below(folder, SCIARA_ENSEMBLE_BATCHES, 0, find_result, &found);
  if (status == SCIARA_OK) status = visit_below(folder, SCIARA_ENSEMBLE_FINISHED, 1, find_result, &found);
  return found || status != SCIARA_OK;
}

// --------------------------------------------------------------------------------------------------------------- lock

/** The lock file; *fd is -1 where it can be neither written nor read. */
static enum sciara_status open_lock(const char *folder, int *fd) {
  char *path;
  const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  struct stat about;
  enum sciara_status status = SCIARA_OK;
  *fd = -1;
  SCIARA_TRY(sciara_path_in(folder, SCIARA_ENSEMBLE_LOCK, &path));
  *fd = open(path, O_RDWR | O_CREAT | flags, 0666);
  if (*fd < 0) *fd = open(path, O_RDONLY | flags);
  if (*fd >= 0 && (fstat(*fd, &about) != 0 || !S_ISREG(about.st_mode))) {
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: expected a file, found something else; remove it", path);
    close(*fd);
    *fd = -1;
  }
  free(path);
  return status;
}

/** Whether somebody else holds the lock; file systems that cannot lock hold none. */
static bool is_held(int fd, int operation) {
  int result;
  do {
    result = flock(fd, operation | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  return result != 0 && errno == EWOULDBLOCK;
}

/**
 * Keeps a folder from being planned anew until sciara_ensemble_unlock. Waits while another process does that. A folder
 * that cannot be written, or on a file system without locks, is left unlocked.
 */
static enum sciara_status lock_to_run(const char *folder, int *lock) {
  int result;
  SCIARA_TRY(open_lock(folder, lock));
  if (*lock < 0 || !is_held(*lock, LOCK_SH)) return SCIARA_OK;
  sciara_log(SCIARA_LOG_INFO, "%s: another process plans this ensemble; waiting for it to finish", folder);
  do {
    result = flock(*lock, LOCK_SH);
  } while (result != 0 && errno == EINTR);
  return SCIARA_OK;
}

enum sciara_status sciara_ensemble_lock_to_plan(const char *folder, int *lock) {
  SCIARA_TRY(open_lock(folder, lock));
  if (*lock < 0 || !is_held(*lock, LOCK_EX)) return SCIARA_OK;
  close(*lock);
  *lock = -1;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: a process computes members of the ensemble in this folder, or plans it; end it first",
                     folder);
}

void sciara_ensemble_unlock(int lock) {
  if (lock >= 0) close(lock);
}

// ------------------------------------------------------------------------------------------------------------- opening

static void result_free(struct sciara_ensemble_result *r) {
  for (size_t k = 0; k < r->poi_count; k++) sciara_poi_free(&r->pois[k]);
  for (size_t k = 0; k < r->left_count; k++) {
    free(r->left[k].name);
    free(r->left[k].reason);
  }
  for (size_t k = 0; k < r->rate_count; k++) {
    free(r->rates[k].name);
    sciara_free(r->rates[k].points);
  }
  void *blocks[] = {r->deposit_m, r->within_s, r->quantiles, r->pois, r->left, r->rates, r->years};
  for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) sciara_free(blocks[k]);
  *r = (struct sciara_ensemble_result){0};
}

static void declared_free(struct sciara_declared *d) {
  for (size_t k = 0; k < d->edit_count; k++) sciara_edit_free(&d->edits[k]);
  for (size_t k = 0; k < d->range_count; k++) free(d->range[k].key);
  free(d->dem);
  sciara_free(d->edits);
  sciara_free(d->range);
  *d = (struct sciara_declared){0};
}

void sciara_ensemble_free(struct sciara_ensemble *e) {
  for (size_t k = 0; k < e->vent_count; k++) {
    free(e->vents[k].name);
    sciara_free(e->vents[k].points);
  }
  for (size_t k = 0; k < e->event_count; k++) free(e->events[k].name);
  sciara_free(e->vents);
  sciara_free(e->events);
  result_free(&e->result);
  sciara_members_free(&e->members);
  declared_free(&e->declared);
  free(e->folder);
  free(e->title);
  free(e->base);
  free(e->observed);
  sciara_free(e->jaccard);
  sciara_scenario_base_free(e->scenario);
  *e = (struct sciara_ensemble){0};
}

/** The path of the checkpoint, if members begin with one. */
static enum sciara_status resolve_checkpoint(const char *folder, cJSON *root) {
  cJSON *initial = cJSON_GetObjectItemCaseSensitive(root, "initial");
  if (!cJSON_GetObjectItemCaseSensitive(initial, "checkpoint")) return SCIARA_OK;
  char *path;
  SCIARA_TRY(sciara_path_in(folder, SCIARA_ENSEMBLE_CHECKPOINT, &path));
  cJSON *name = cJSON_CreateString(path);
  free(path);
  if (name && cJSON_ReplaceItemInObjectCaseSensitive(initial, "checkpoint", name)) return SCIARA_OK;
  cJSON_Delete(name);
  return sciara_no_memory("an ensemble");
}

/** Parses the base; the paths of its DEM and of its checkpoint become absolute. */
static enum sciara_status read_ensemble_base(struct sciara_ensemble *e) {
  cJSON *root = NULL;
  char *folder = realpath(e->folder, NULL), *path = NULL;
  enum sciara_status status =
      folder ? sciara_path_in(folder, SCIARA_ENSEMBLE_DEM, &path) : sciara_no_memory("an ensemble");
  if (status == SCIARA_OK) status = sciara_json_parse("the base scenario", e->base, strlen(e->base), &root);
  cJSON *dem = cJSON_GetObjectItemCaseSensitive(root, "dem"), *name = path ? cJSON_CreateString(path) : NULL;
  if (status == SCIARA_OK && !(name && cJSON_ReplaceItemInObjectCaseSensitive(dem, "path", name))) {
    status = sciara_fail(SCIARA_ERR_INPUT, "%s/%s: base.dem.path: expected %s, found nothing", e->folder,
                         SCIARA_ENSEMBLE_JSON, SCIARA_ENSEMBLE_DEM);
    cJSON_Delete(name);
  }
  if (status == SCIARA_OK) status = resolve_checkpoint(folder, root);
  if (status == SCIARA_OK)
    status = sciara_scenario_base_make(root, &e->scenario);
  else
    cJSON_Delete(root);
  free(path);
  free(folder);
  return status;
}

static enum sciara_status read_ensemble_members(struct sciara_ensemble *e, const struct sciara_ensemble_rows *rows) {
  char *members, *weights;
  SCIARA_TRY(sciara_path_in(e->folder, SCIARA_ENSEMBLE_MEMBERS, &members));
  enum sciara_status status = sciara_path_in(e->folder, SCIARA_ENSEMBLE_WEIGHTS, &weights);
  if (status == SCIARA_OK)
    status = sciara_members_read(members, access(weights, F_OK) == 0 ? weights : NULL, &e->members);
  if (status == SCIARA_OK) status = sciara_ensemble_rows_check(members, rows, &e->members);
  if (status == SCIARA_OK) status = sciara_ensemble_columns_check(members, rows, &e->members);
  if (status == SCIARA_OK && !rows->has_columns)
    sciara_log(SCIARA_LOG_INFO,
               "%s: an earlier version planned it: changes of stratum, replicate, vent and event are not noticed; "
               "'sciara ensemble plan' with the same file and folder adds what is missing",
               members);
  free(members);
  free(weights);
  return status;
}

/** Weights that follow from an observed extent, if there are any. */
static enum sciara_status read_observed(struct sciara_ensemble *e) {
  char *path;
  SCIARA_TRY(sciara_path_in(e->folder, SCIARA_ENSEMBLE_OBSERVED, &path));
  enum sciara_status status = SCIARA_OK;
  if (access(path, F_OK) == 0) status = sciara_observed_weights_read(path, &e->members, &e->jaccard, &e->observed);
  free(path);
  return status;
}

static enum sciara_status open_folder(const char *folder, bool planned, struct sciara_ensemble *out) {
  struct sciara_ensemble_rows rows;
  *out = (struct sciara_ensemble){0};
  SCIARA_TRY(sciara_ensemble_refuse_links(folder));
  enum sciara_status status = sciara_ensemble_json_read(folder, out, &rows);
  if (status == SCIARA_OK) status = read_ensemble_members(out, &rows);
  if (status == SCIARA_OK) status = sciara_ensemble_lists_check(out, &rows);
  if (status == SCIARA_OK && !planned) status = read_observed(out);
  sciara_ensemble_rows_free(&rows);
  if (status == SCIARA_OK && out->hash != sciara_ensemble_hash(out))
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s/%s: expected the ensemble as it was planned, found a changed base or batch size", folder,
                         SCIARA_ENSEMBLE_JSON);
  if (status == SCIARA_OK) {
    out->batch_count = (out->members.count + out->batch_size - 1) / out->batch_size;
    status = read_ensemble_base(out);
  }
  if (status != SCIARA_OK) sciara_ensemble_free(out);
  return status;
}

enum sciara_status sciara_ensemble_open(const char *folder, struct sciara_ensemble *out) {
  return open_folder(folder, false, out);
}

enum sciara_status sciara_ensemble_open_planned(const char *folder, struct sciara_ensemble *out) {
  return open_folder(folder, true, out);
}

/** Members go on with the edition of the rules with which they were planned alone. */
static enum sciara_status check_edition(const struct sciara_ensemble *e) {
  char names[SCIARA_RULES_TEXT];
  unsigned rules;
  if (e->rule_edition == sciara_rules_edition(SCIARA_RULES_ALL)) return SCIARA_OK;
  SCIARA_TRY(sciara_ensemble_rules(e, &rules));
  if (e->rule_edition == sciara_rules_edition(rules)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: planned with edition %" PRId64 " of rule %s, expected edition %" PRId64
                     ", which this program has: the lava moves by another law. The results can be read, but not "
                     "continued: plan it again in another folder",
                     e->folder, e->rule_edition, sciara_rules_name(rules, names), sciara_rules_edition(rules));
}

enum sciara_status sciara_ensemble_open_to_run(const char *folder, struct sciara_ensemble *out, int *lock) {
  char *path;
  enum sciara_status status = SCIARA_OK;
  *lock = -1;
  SCIARA_TRY(sciara_path_in(folder, SCIARA_ENSEMBLE_JSON, &path));
  // First: what is read then stays as it is. Nothing is made in a folder that holds no ensemble.
  if (access(path, F_OK) == 0) status = lock_to_run(folder, lock);
  free(path);
  if (status == SCIARA_OK) status = sciara_ensemble_open(folder, out);
  if (status == SCIARA_OK) {
    status = check_edition(out);
    if (status == SCIARA_OK) return SCIARA_OK;
    sciara_ensemble_free(out);
  }
  sciara_ensemble_unlock(*lock);
  *lock = -1;
  return status;
}

// ------------------------------------------------------------------------------------------------------------- members

enum sciara_status sciara_ensemble_take_time(const struct sciara_ensemble *e, const char *option, const char *text,
                                             double *at_s, double *when) {
  char start[SCIARA_DATE_SIZE];
  sciara_date_after(sciara_scenario_base_values(e->scenario)->start, 0, start);
  SCIARA_TRY(sciara_take_time(option, text, start, e->folder, at_s));
  *when = sciara_date_at(start, *at_s);
  if (*at_s > e->time_zero_s) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE,
                     "%s: expected a simulated time after %s, when the members of %s begin; found \"%s\"", option,
                     SCIARA_MOMENT(start, e->time_zero_s), e->folder, text);
}

struct sciara_scenario_member sciara_ensemble_member(const struct sciara_ensemble *e, size_t member,
                                                     char name[SCIARA_MEMBER_NAME]) {
  const struct sciara_members *m = &e->members;
  snprintf(name, SCIARA_MEMBER_NAME, "member %" PRId64, m->id[member]);
  return (struct sciara_scenario_member){
      .base = e->scenario,
      .name = name,
      .key = (const char *const *)m->key,
      .value = m->key_count > 0 ? (const char *const *)m->value + member * m->key_count : NULL,
      .key_count = m->key_count};
}

bool sciara_members_have_rules(const struct sciara_members *m) {
  static const char *const names[] = {"model", "model.rule", "model.preset"};
  char name[256];
  for (size_t k = 0; k < m->key_count; k++)
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
      if (sciara_member_key_plain(m->key[k], name, sizeof name) && strcmp(name, names[n]) == 0) return true;
  return false;
}

enum sciara_status sciara_ensemble_rules(const struct sciara_ensemble *e, unsigned *out) {
  const size_t count = sciara_members_have_rules(&e->members) ? e->members.count : e->members.count > 0;
  *out = 0;
  for (size_t i = 0; i < count && *out != SCIARA_RULES_ALL; i++) {
    char name[SCIARA_MEMBER_NAME];
    const struct sciara_scenario_member m = sciara_ensemble_member(e, i, name);
    struct sciara_scenario_spec scenario = {0};
    const enum sciara_status status = sciara_scenario_member_values(&m, true, NULL, &scenario);
    if (status == SCIARA_OK) *out |= 1u << scenario.params.rule;
    sciara_scenario_free(&scenario);
    if (status == SCIARA_ERR_MEMORY) return status;
  }
  if (*out == 0) *out = SCIARA_RULES_FV3; // planned by an earlier version, with members that are no longer valid
  return SCIARA_OK;
}

size_t sciara_batch_begin(const struct sciara_ensemble *e, size_t batch) { return batch * e->batch_size; }

size_t sciara_batch_end(const struct sciara_ensemble *e, size_t batch) {
  const size_t end = (batch + 1) * e->batch_size;
  return end < e->members.count ? end : e->members.count;
}

char *sciara_batch_path(const struct sciara_ensemble *e, size_t batch) {
  return sciara_format("%s/" SCIARA_ENSEMBLE_BATCHES "/%06zu.h5", e->folder, batch);
}

// ---------------------------------------------------------------------------------------------------------- its ground

/** The DEM of the folder must still be that of the plan. */
static enum sciara_status check_hash(const struct sciara_ensemble *e, uint64_t found) {
  if (found == e->site_hash) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s/%s: expected the ground %016" PRIx64 " of the plan, found %016" PRIx64
                     "; put back the file of the plan ('sciara ensemble plan' in another folder writes it), or a file "
                     "that dem.sea or dem.edits of its base names",
                     e->folder, SCIARA_ENSEMBLE_DEM, e->site_hash, found);
}

enum sciara_status sciara_ensemble_site_read(const struct sciara_ensemble *e, const struct sciara_notes *notes,
                                             const struct sciara_site **out) {
  struct sciara_scenario_spec spec = {0};
  char name[SCIARA_MEMBER_NAME];
  const struct sciara_scenario_member first = sciara_ensemble_member(e, 0, name);
  enum sciara_status status = sciara_scenario_member_values(&first, false, &sciara_no_notes, &spec);
  spec.notes = notes;
  spec.dem.error = (struct sciara_ground_error){0};
  if (status == SCIARA_OK) status = sciara_scenario_site_read(&spec, &(struct sciara_problem_options){0}, out);
  if (status == SCIARA_OK) status = check_hash(e, (*out)->origin.hash);
  sciara_scenario_free(&spec);
  return status;
}

/** Compares the hash of the DEM; of a site with a sea or with edits at simulated times it is another one. */
static enum sciara_status check_ground(const struct sciara_ensemble *e, const struct sciara_dem *dem) {
  const struct sciara_site *site = NULL;
  if (dem->hash == e->site_hash) return SCIARA_OK;
  const enum sciara_status status = sciara_ensemble_site_read(e, &sciara_no_notes, &site);
  sciara_site_release(site);
  return status;
}

enum sciara_status sciara_ensemble_dem_read(const struct sciara_ensemble *e, const struct sciara_notes *notes,
                                            struct sciara_dem *out) {
  char *path;
  SCIARA_TRY(sciara_path_in(e->folder, SCIARA_ENSEMBLE_DEM, &path));
  const struct sciara_dem_request request = {.path = path, .band = 1, .own = true, .marked = true, .notes = notes};
  enum sciara_status status = sciara_dem_read(&request, out);
  if (status == SCIARA_OK) status = check_ground(e, out);
  free(path);
  return status;
}
