// SPDX-License-Identifier: Apache-2.0
#include "member/member_checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "file/durable.h"
#include "member/footprint.h"
#include "model/ground_change.h"
#include "model/soundness.h"
#include "sim/checkpoint_content.h"
#include "sim/choose_engine.h"
#include "sim/tower_watch.h"
#include "store/checkpoint_hdf5.h"

/** Whether there is no such file or folder; it may be there but out of reach. */
static bool is_absent(const char *path) { return access(path, F_OK) != 0 && errno == ENOENT; }

/** What a member must have in common with its checkpoint. Free `precision` of the result. */
static enum sciara_status identify(const struct sciara_problem *p, const struct sciara_vents *vents,
                                   const struct sciara_state *state, struct sciara_checkpoint_identity *out) {
  const char *precision = sciara_precision_name(sciara_scenario_precision(&p->scenario));
  *out = (struct sciara_checkpoint_identity){.grid = state->grid,
                                             .ground = sciara_state_checksum_of_ground(state),
                                             .vents = sciara_vents_hash(vents),
                                             .params = p->scenario.params,
                                             .boundary = p->scenario.boundary,
                                             .record = SCIARA_FOOTPRINT_RECORD,
                                             .precision = strdup(precision),
                                             .of_member = true};
  return out->precision ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for a checkpoint");
}

// ---------------------------------------------------------------------------------------------------------- writing

static const char *warning_of(const struct sciara_run_json *r, const char *kind) {
  const struct sciara_run_warning *w = sciara_run_json_warning(r, kind);
  return w ? w->text : NULL;
}

static enum sciara_status copy(char **slot, const char *text) { return sciara_run_json_set(slot, text); }

static enum sciara_status describe(const struct sciara_problem *p, const struct sciara_member_identity *identity,
                                   const char *scenario, const struct sciara_state *state,
                                   const struct sciara_member_progress *progress, struct sciara_checkpoint *c) {
  SCIARA_TRY(identify(p, p->vents, state, &c->identity));
  c->ensemble_hash = identity->ensemble;
  c->row_hash = identity->row;
  c->site_hash = identity->site;
  c->initial_hash = identity->initial;
  c->dem_hash = state->site->origin.hash;
  c->window_row = (uint64_t)progress->window.row;
  c->window_col = (uint64_t)progress->window.col;
  c->cell_steps = progress->cell_steps;
  SCIARA_TRY(copy(&c->vent_warning, warning_of(&progress->towers, SCIARA_WARNING_VENT)));
  SCIARA_TRY(copy(&c->tower_warning, warning_of(&progress->towers, SCIARA_WARNING_TOWER)));
  SCIARA_TRY(copy(&c->engine, p->scenario.engine.name));
  SCIARA_TRY(copy(&c->scenario_path, p->scenario.path));
  SCIARA_TRY(copy(&c->scenario_folder, "."));
  SCIARA_TRY(copy(&c->history, ""));
  SCIARA_TRY(copy(&c->started_utc, ""));
  return copy(&c->scenario_json, scenario);
}

enum sciara_status sciara_member_checkpoint_write(const char *path, const struct sciara_problem *problem,
                                                  const struct sciara_member_identity *identity, const char *scenario,
                                                  const struct sciara_state *state,
                                                  const struct sciara_member_progress *progress) {
  struct sciara_checkpoint c = {0};
  enum sciara_status status = sciara_state_check_sound(state, &problem->scenario.params);
  if (status == SCIARA_ERR_NUMERIC) return SCIARA_OK;
  char *folder = sciara_path_folder(path);
  SCIARA_TRY_GOTO(status);
  SCIARA_TRY_GOTO(folder ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for the name of a folder"));
  if (is_absent(folder)) goto cleanup;
  SCIARA_TRY_GOTO(describe(problem, identity, scenario, state, progress, &c));
  SCIARA_TRY_GOTO(sciara_checkpoint_write(&c, state, path));
cleanup:
  if (status == SCIARA_ERR_IO && is_absent(folder)) status = SCIARA_OK; // since
  sciara_checkpoint_free(&c);
  free(folder);
  return status;
}

// ---------------------------------------------------------------------------------------------------------- reading

/** No path is compared: the folder of an ensemble may be moved. */
static enum sciara_status check_member(const char *path, const struct sciara_checkpoint *c,
                                       const struct sciara_problem *p, const struct sciara_member_identity *m) {
  const char *found = !c->identity.of_member            ? "a run"
                      : c->site_hash != m->site         ? "a member on another ground"
                      : c->initial_hash != m->initial   ? "a member with other initial lava"
                      : c->row_hash != m->row           ? "another member"
                      : c->ensemble_hash != m->ensemble ? "a member of another ensemble"
                                                        : NULL;
  if (!found) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected the state of %s of this ensemble, found that of %s", path,
                     p->scenario.path, found);
}

/** The window of a checkpoint must lie on the map. */
static enum sciara_status find_window(const char *path, const struct sciara_checkpoint *c,
                                      const struct sciara_grid *map, struct sciara_window *out) {
  const struct sciara_grid *g = &c->identity.grid;
  const uint64_t rows = (uint64_t)map->rows, cols = (uint64_t)map->cols;
  const bool fits = c->window_row < rows && c->window_col < cols && g->rows > 0 && g->cols > 0 &&
                    (uint64_t)g->rows <= rows - c->window_row && (uint64_t)g->cols <= cols - c->window_col;
  if (!fits)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: expected a window of a map of %" PRIu64 " rows x %" PRIu64 " columns, found %" PRId64
                       " x %" PRId64 " at row %" PRIu64 ", column %" PRIu64,
                       path, rows, cols, g->rows, g->cols, c->window_row, c->window_col);
  *out = sciara_window_make(map, (int64_t)c->window_row, (int64_t)c->window_col, g->rows, g->cols);
  return SCIARA_OK;
}

static enum sciara_status add_warning(struct sciara_run_json *r, const char *kind, char *text) {
  if (!text) return SCIARA_OK;
  return sciara_run_json_warn(r, &(struct sciara_run_warning){.kind = (char *)(uintptr_t)kind, .text = text});
}

static enum sciara_status check(const struct sciara_checkpoint *c, const char *path, const struct sciara_problem *p,
                                const struct sciara_vents *vents, const struct sciara_state *state) {
  struct sciara_checkpoint_identity identity;
  SCIARA_TRY(identify(p, vents, state, &identity));
  identity.boundary = SCIARA_BOUNDARY_OPEN; // as in every window
  const enum sciara_status status = sciara_checkpoint_check(c, path, &identity, true);
  free(identity.precision);
  return status;
}

/** The ground of the map at a simulated time, s, with one reference. */
static enum sciara_status ground_at(const struct sciara_site *map, double time, const struct sciara_site **out) {
  *out = sciara_site_retain(map);
  while (sciara_site_next_change(*out) <= time) {
    const struct sciara_site *next = NULL;
    const enum sciara_status status = sciara_site_change(*out, &next);
    sciara_site_release(*out);
    *out = next;
    SCIARA_TRY(status);
  }
  return SCIARA_OK;
}

static enum sciara_status read_file(const char *path, const struct sciara_problem *p,
                                    const struct sciara_member_identity *identity, const struct sciara_site **given,
                                    const struct sciara_vents *all, struct sciara_state **state,
                                    struct sciara_member_progress *progress) {
  struct sciara_checkpoint c = {0};
  struct sciara_vents *vents = NULL;
  const struct sciara_site *site = NULL, *map = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_checkpoint_read_header(path, &c));
  SCIARA_TRY_GOTO(check_member(path, &c, p, identity));
  SCIARA_TRY_GOTO(ground_at(*given, c.time_s, &map));
  SCIARA_TRY_GOTO(find_window(path, &c, &map->grid, &progress->window));
  SCIARA_TRY_GOTO(sciara_window_site(map, &progress->window, p->scenario.boundary, &site));
  if (sciara_window_vents(all, &progress->window, &vents) == SCIARA_ERR_INTERNAL)
    SCIARA_TRY_GOTO(sciara_fail_context(SCIARA_ERR_INPUT, "%s", path));
  SCIARA_TRY_GOTO(vents ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for vents"));
  SCIARA_TRY_GOTO(sciara_state_create_on(site, SCIARA_FOOTPRINT_RECORD, state));
  SCIARA_TRY_GOTO(check(&c, path, p, vents, *state));
  SCIARA_TRY_GOTO(sciara_checkpoint_read_state(path, &c, *state));
  SCIARA_TRY_GOTO(sciara_state_check_sound(*state, &p->scenario.params));
  // In the order in which they were found: with a vent's tower no other one is looked for.
  SCIARA_TRY_GOTO(add_warning(&progress->towers, SCIARA_WARNING_TOWER, c.tower_warning));
  SCIARA_TRY_GOTO(add_warning(&progress->towers, SCIARA_WARNING_VENT, c.vent_warning));
  progress->cell_steps = c.cell_steps;
  sciara_site_release(*given);
  *given = sciara_site_retain(map);
cleanup:
  sciara_site_release(map);
  sciara_vents_destroy(vents);
  sciara_site_release(site);
  sciara_checkpoint_free(&c);
  return status;
}

/** Whether an error says something about the content of the file: its bytes can be read. */
static enum sciara_status read_bytes(const char *path) {
  char *bytes = NULL;
  size_t count;
  const enum sciara_status status = sciara_file_read(path, SIZE_MAX, &bytes, &count);
  free(bytes);
  return status == SCIARA_ERR_INPUT ? SCIARA_OK : status;
}

enum sciara_status sciara_member_checkpoint_read(const char *path, const struct sciara_problem *problem,
                                                 const struct sciara_member_identity *identity,
                                                 const struct sciara_site **map, const struct sciara_vents *vents,
                                                 struct sciara_state **state, struct sciara_member_progress *progress) {
  *state = NULL;
  *progress = (struct sciara_member_progress){0};
  if (is_absent(path)) return SCIARA_OK;
  const enum sciara_status status = read_file(path, problem, identity, map, vents, state, progress);
  if (status == SCIARA_OK) return SCIARA_OK;
  sciara_state_destroy(*state);
  sciara_run_json_free(&progress->towers);
  *state = NULL;
  if (is_absent(path)) return SCIARA_OK; // another process has finished the member
  if (status != SCIARA_ERR_INPUT && status != SCIARA_ERR_NUMERIC) return status;
  SCIARA_TRY(read_bytes(path));
  sciara_log(SCIARA_LOG_WARNING, "%s; the member starts from its beginning", sciara_last_error());
  return SCIARA_OK;
}
