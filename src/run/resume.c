// SPDX-License-Identifier: Apache-2.0
#include "run/resume.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "file/durable.h"
#include "run/checkpoints.h"
#include "run/run_folder.h"
#include "setup/scenario_site.h"
#include "setup/setup.h"
#include "terrain/dem_gdal.h"

void sciara_resume_close(struct sciara_resume *r) {
  sciara_checkpoint_free(&r->from);
  sciara_run_json_free(&r->run_json);
  free(r->folder);
  free(r->path);
  if (r->folder && r->lock >= 0) close(r->lock);
  *r = (struct sciara_resume){.lock = -1};
}

enum sciara_status sciara_resume_open(const char *folder, bool branch, struct sciara_resume *out) {
  enum sciara_status status;
  *out = (struct sciara_resume){.branch = branch, .lock = -1};
  out->folder = sciara_format("%s", folder);
  if (!out->folder) return sciara_no_memory("resuming a run");
  SCIARA_TRY_GOTO(sciara_run_file_json(folder, &out->run_json));
  if (branch) return SCIARA_OK;
  SCIARA_TRY_GOTO(sciara_run_folder_refuse_links(folder));
  SCIARA_TRY_GOTO(sciara_run_folder_lock(folder, &out->lock));
  sciara_run_json_free(&out->run_json); // it may have changed before the folder was locked
  SCIARA_TRY_GOTO(sciara_run_file_json(folder, &out->run_json));
  return SCIARA_OK;
cleanup:
  sciara_resume_close(out);
  return status;
}

// --------------------------------------------------------------------------------------------------- the checkpoint

/** Checks that run.json of the folder belongs to the run that wrote the checkpoint. */
static enum sciara_status check_record(const struct sciara_resume *r) {
  const struct sciara_run_json *run_json = &r->run_json;
  const struct sciara_checkpoint *c = &r->from;
  if (run_json->dem_hash != c->dem_hash)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: another DEM: expected hash %016" PRIx64 " as in the checkpoint, found %016" PRIx64 " in %s",
                       r->path, c->dem_hash, run_json->dem_hash, SCIARA_RUN_JSON);
  const bool fits = c->snapshots <= run_json->snapshot_count &&
                    (c->snapshots == 0 || run_json->snapshots[c->snapshots - 1].step <= c->step);
  if (r->branch || fits) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: it was written after %" PRIu64 " snapshots at step %" PRIu64
                     ", but %s does not list them: one of the two belongs to another run",
                     r->path, c->snapshots, c->step, SCIARA_RUN_JSON);
}

/** Reads a checkpoint that must be undamaged and of this run. */
static enum sciara_status try_one(struct sciara_resume *r, const char *folder, uint64_t step) {
  r->path = sciara_checkpoint_path(folder, step);
  enum sciara_status status = r->path ? sciara_run_file_check(r->folder, r->path) : sciara_no_memory("resuming a run");
  if (status == SCIARA_OK) status = sciara_checkpoint_verify(r->path, &r->from);
  if (status == SCIARA_OK) status = check_record(r);
  if (status == SCIARA_OK) return status;
  sciara_checkpoint_free(&r->from);
  free(r->path);
  r->path = NULL;
  return status;
}

/** Tries the checkpoints one by one, from the newest to the oldest. */
static enum sciara_status try_all(struct sciara_resume *r, const char *folder, const uint64_t *steps, size_t count) {
  for (size_t k = 0; k < count; k++) {
    const enum sciara_status status = try_one(r, folder, steps[k]);
    if (status == SCIARA_OK || status == SCIARA_ERR_MEMORY) return status;
    sciara_log(SCIARA_LOG_WARNING, "%s; %s", sciara_last_error(),
               k + 1 < count ? "the previous one is used" : "there is no previous one");
  }
  if (count > 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: none of its %zu checkpoints can be resumed: start the run again",
                       r->folder, count);
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: there is no checkpoint: the run ended before the first one was written; start it again "
                     "('sciara run --overwrite'), with --checkpoint-every",
                     r->folder);
}

/**
 * A branch may start from a run that is still running and removes its old checkpoints meanwhile: then there are newer
 * ones.
 */
enum { MOST_TRIES = 20 };

static bool is_gone(const char *path) { return path && access(path, F_OK) != 0; }

/** Lists them and tries them; *gone: the newest of the list no longer exists. */
static enum sciara_status find_once(struct sciara_resume *r, bool *gone) {
  uint64_t *steps = NULL;
  size_t count = 0;
  char *folder, *newest = NULL;
  *gone = false;
  SCIARA_TRY(sciara_run_file(r->folder, SCIARA_CHECKPOINT_FOLDER, &folder));
  enum sciara_status status = sciara_checkpoints_list(folder, &steps, &count);
  if (status == SCIARA_OK) status = try_all(r, folder, steps, count);
  if (count > 0) newest = sciara_checkpoint_path(folder, steps[0]);
  *gone = is_gone(newest);
  free(newest);
  free(steps);
  free(folder);
  return status;
}

enum sciara_status sciara_resume_find(struct sciara_resume *r) {
  bool gone = true;
  enum sciara_status status = SCIARA_ERR_INPUT;
  for (int k = 0; k < MOST_TRIES && status == SCIARA_ERR_INPUT && gone; k++) status = find_once(r, &gone);
  return status;
}

// ------------------------------------------------------------------------------------------------------ the problem

/** Replaces an owned text by another one. */
static enum sciara_status replace(char **held, char *text) {
  if (!text) return sciara_no_memory("resuming a run");
  free(*held);
  *held = text;
  return SCIARA_OK;
}

/** Reads the scenario of the checkpoint as if it were in its original folder. */
static enum sciara_status read_scenario(const struct sciara_resume *r, const struct sciara_problem_options *options,
                                        struct sciara_scenario_spec *out, struct sciara_diagnostics *diagnostics) {
  const struct sciara_checkpoint *c = &r->from;
  char *path;
  SCIARA_TRY(sciara_path_in(c->scenario_folder, sciara_path_name(c->scenario_path), &path));
  sciara_scenario_parse(path, c->scenario_json, strlen(c->scenario_json), options->overrides, options->override_count,
                        out, diagnostics);
  free(path);
  SCIARA_TRY(replace(&out->path, sciara_format("%s", c->scenario_path)));
  if (options->override_count == 0) SCIARA_TRY(replace(&out->json, sciara_format("%s", c->scenario_json)));
  return r->branch ? SCIARA_OK : replace(&out->output.folder, sciara_format("%s", r->folder));
}

/** Rejects overrides of what the checkpoint determines: they would have no effect. */
static enum sciara_status check_overrides(const struct sciara_problem_options *options) {
  static const char *const fixed[] = {"dem", "initial"};
  for (size_t k = 0; k < options->override_count; k++)
    for (size_t f = 0; f < sizeof fixed / sizeof *fixed; f++) {
      const size_t n = strlen(fixed[f]);
      const char *o = options->overrides[k];
      if (strncmp(o, fixed[f], n) == 0 && (o[n] == '.' || o[n] == '='))
        return sciara_fail(SCIARA_ERR_USAGE,
                           "--set: expected a key of vents, run, output or engine, or title; found %s. All other keys "
                           "are those of the checkpoint",
                           o);
    }
  return SCIARA_OK;
}

/** Reads the state of the checkpoint into the problem, if they match. */
static enum sciara_status restore_once(const struct sciara_resume *r, struct sciara_problem *p) {
  struct sciara_checkpoint_identity identity;
  SCIARA_TRY(sciara_problem_match_ground(p, r->from.time_s, r->from.identity.inputs.hash[SCIARA_INPUT_GROUND]));
  enum sciara_status status = sciara_checkpoint_identify(p, sciara_state_checksum_of_ground(p->state), &identity);
  if (status == SCIARA_OK)
    status = sciara_checkpoint_check(&r->from, r->path, &identity, r->branch ? 1u << SCIARA_INPUT_VENTS : 0);
  free(identity.precision);
  // Other vents say nothing of the lava that there is.
  const bool same = identity.inputs.hash[SCIARA_INPUT_VENTS] == r->from.identity.inputs.hash[SCIARA_INPUT_VENTS];
  p->source->emission_from_s = same ? r->from.emission_from_s : r->from.time_s;
  if (status == SCIARA_OK) status = sciara_checkpoint_read_state(r->path, &r->from, p->state);
  if (status == SCIARA_OK)
    sciara_checkpoint_warn_of_start(p, r->path, &r->from,
                                    ", and so do the times of edits, vents and ends that were given as dates; dates in "
                                    "files of rates are counted from the new one");
  return status;
}

/** Restores from the checkpoint, or from a newer one if that one no longer exists. */
static enum sciara_status restore(struct sciara_resume *r, struct sciara_problem *p) {
  enum sciara_status status = restore_once(r, p);
  for (int k = 0; k < MOST_TRIES && status != SCIARA_OK && r->branch && is_gone(r->path); k++) {
    sciara_checkpoint_free(&r->from);
    free(r->path);
    r->path = NULL;
    SCIARA_TRY(sciara_resume_find(r));
    status = restore_once(r, p);
  }
  return status;
}

void sciara_resume_problem(struct sciara_resume *r, const struct sciara_problem_options *options,
                           struct sciara_problem *out, struct sciara_diagnostics *diagnostics) {
  char *dem;
  enum sciara_status status = sciara_run_file(r->folder, SCIARA_RUN_DEM, &dem);
  const struct sciara_problem_ground ground = {
      .dem = dem, .grid = &r->from.identity.grid, .georef = &r->from.georef, .dem_hash = r->from.dem_hash};
  struct sciara_problem_options how = *options;
  how.ground = options->site ? NULL : &ground;
  how.bare = true; // also on a site
  if (status == SCIARA_OK) status = check_overrides(options);
  if (sciara_problem_begin(out, diagnostics) && status == SCIARA_OK)
    status = read_scenario(r, options, &out->source->scenario, diagnostics);
  sciara_diagnostics_add(diagnostics, status);
  if (status == SCIARA_OK) sciara_problem_place(out, &how, diagnostics);
  if (diagnostics->count == 0) sciara_diagnostics_add(diagnostics, restore(r, out));
  if (diagnostics->count == 0 && out->source->scenario.observed.outline)
    sciara_diagnostics_add(diagnostics, sciara_dem_observed_read(dem, &out->grid, &out->source->observed));
  free(dem);
}

enum sciara_status sciara_checkpoint_problem(const char *path, const struct sciara_problem_options *options,
                                             struct sciara_resume *r, struct sciara_problem *out) {
  struct sciara_diagnostics diagnostics = {0};
  struct sciara_problem_options how = *options;
  how.bare = true; // arrays of initial lava are not there any more
  *r = (struct sciara_resume){.branch = true, .lock = -1, .path = sciara_format("%s", path)};
  enum sciara_status status = r->path ? sciara_checkpoint_verify(path, &r->from) : sciara_no_memory("resuming a run");
  if (status == SCIARA_OK) status = check_overrides(options);
  const bool begun = sciara_problem_begin(out, &diagnostics);
  if (begun && status == SCIARA_OK) status = read_scenario(r, options, &out->source->scenario, &diagnostics);
  sciara_diagnostics_add(&diagnostics, status);
  if (begun && status == SCIARA_OK && !options->site && sciara_path_is_of_memory(out->source->scenario.dem.path))
    sciara_diagnostics_add(
        &diagnostics,
        sciara_fail(SCIARA_ERR_INPUT, "%s: its run had a DEM in memory: continue on the same site", path));
  if (status == SCIARA_OK && diagnostics.count == 0) sciara_problem_place(out, &how, &diagnostics);
  if (diagnostics.count == 0) sciara_diagnostics_add(&diagnostics, restore_once(r, out));
  if (begun) out->source->checkpoint_checksum = r->from.checksum;
  return sciara_diagnostics_end(&diagnostics);
}

/** Whether lava has entered the sea. */
static bool lava_in_sea(const struct sciara_state *s) {
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++)
    if (s->kind[i] == SCIARA_CELL_SEA && s->lost[i] > 0) return true;
  return false;
}

enum sciara_status sciara_resume_simulation(const struct sciara_resume *r, struct sciara_problem *problem, bool keeps,
                                            struct sciara_simulation **out) {
  SCIARA_TRY(sciara_simulation_create(problem, keeps, out));
  struct sciara_simulation *s = *out;
  s->losses_before = s->progress.losses = r->from.losses;
  s->sea_losses_before = s->progress.sea_losses = lava_in_sea(s->problem.state);
  if (!r->branch) s->compute_s = r->from.compute_s;
  const enum sciara_status status = sciara_simulation_judge(s);
  if (status != SCIARA_OK) {
    sciara_simulation_destroy(s);
    *out = NULL;
    return status;
  }
  if (s->progress.step >= s->until_step)
    sciara_log(SCIARA_LOG_WARNING, "the end of the run is already reached: step %" PRIu64 " of %" PRIu64,
               s->progress.step, s->until_step);
  else if (s->progress.time >= s->until_time)
    sciara_log(SCIARA_LOG_WARNING, "the end of the run is already reached: simulated time %.10g s of %.10g s",
               s->progress.time, s->until_time);
  return SCIARA_OK;
}
