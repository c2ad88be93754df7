// SPDX-License-Identifier: Apache-2.0
#include "member/member.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/text.h"
#include "file/durable.h"
#include "member/footprint.h"
#include "model/ground_change.h"
#include "model/soundness.h"
#include "sim/choose_engine.h"
#include "sim/outflow.h"
#include "sim/problem.h"
#include "sim/simulation.h"
#include "store/checkpoint_hdf5.h"

/** What a checkpoint says of a member, apart from its state. */
struct progress {
  struct sciara_window window;
  uint64_t cell_steps;           ///< up to the state
  struct sciara_run_json towers; ///< its warnings; release with sciara_run_json_free
};

/** Whether there is no such file or folder; it may be there but out of reach. */
static bool is_absent(const char *path) { return access(path, F_OK) != 0 && errno == ENOENT; }

/** What a member must have in common with its checkpoint. Free `precision` of the result. */
static enum sciara_status identify(const struct sciara_problem *p, const struct sciara_vents *vents,
                                   const struct sciara_state *state, struct sciara_checkpoint_identity *out) {
  const char *precision = sciara_precision_name(sciara_scenario_precision(&p->scenario));
  *out = (struct sciara_checkpoint_identity){
      .grid = state->grid,
      .inputs = sciara_inputs_of(state->site, sciara_state_checksum_of_ground(state), vents),
      .params = p->scenario.params,
      .boundary = p->scenario.boundary,
      .record = SCIARA_FOOTPRINT_RECORD,
      .precision = strdup(precision),
      .of_member = true};
  return out->precision ? SCIARA_OK : sciara_no_memory("a checkpoint");
}

// ---------------------------------------------------------------------------------------------------------- writing

static const char *warning_of(const struct sciara_run_json *r, const char *kind) {
  const struct sciara_run_warning *w = sciara_run_json_warning(r, kind);
  return w ? w->text : NULL;
}

static enum sciara_status describe(const struct sciara_member *m, const char *scenario, struct sciara_checkpoint *c) {
  const struct sciara_problem *p = &m->simulation->problem;
  SCIARA_TRY(identify(p, p->vents, m->kept, &c->identity));
  c->ensemble_hash = m->identity.ensemble;
  c->row_hash = m->identity.row;
  c->site_hash = m->identity.site;
  c->initial_hash = m->identity.initial;
  c->dem_hash = m->kept->site->origin.hash;
  c->window_row = (uint64_t)m->window.row;
  c->window_col = (uint64_t)m->window.col;
  c->cell_steps = m->cell_steps;
  SCIARA_TRY(sciara_run_json_set(&c->vent_warning, warning_of(&m->towers, SCIARA_WARNING_VENT)));
  SCIARA_TRY(sciara_run_json_set(&c->tower_warning, warning_of(&m->towers, SCIARA_WARNING_TOWER)));
  SCIARA_TRY(sciara_run_json_set(&c->engine, p->scenario.engine.name));
  SCIARA_TRY(sciara_run_json_set(&c->scenario_path, p->scenario.path));
  SCIARA_TRY(sciara_run_json_set(&c->scenario_folder, "."));
  SCIARA_TRY(sciara_run_json_set(&c->history, ""));
  SCIARA_TRY(sciara_run_json_set(&c->started_utc, ""));
  return sciara_run_json_set(&c->scenario_json, scenario);
}

static enum sciara_status write_file(const struct sciara_member *m, const char *scenario) {
  const struct sciara_problem *problem = &m->simulation->problem;
  const char *path = m->setup->checkpoint;
  struct sciara_checkpoint c = {0};
  enum sciara_status status = sciara_state_check_sound(m->kept, &problem->scenario.params);
  if (status == SCIARA_ERR_NUMERIC) return SCIARA_OK;
  char *folder = sciara_path_folder(path);
  SCIARA_TRY_GOTO(status);
  SCIARA_TRY_GOTO(folder ? SCIARA_OK : sciara_no_memory("the name of a folder"));
  if (is_absent(folder)) goto cleanup;
  SCIARA_TRY_GOTO(describe(m, scenario, &c));
  SCIARA_TRY_GOTO(sciara_checkpoint_write(&c, m->kept, path));
cleanup:
  if (status == SCIARA_ERR_IO && is_absent(folder)) status = SCIARA_OK; // since
  sciara_checkpoint_free(&c);
  free(folder);
  return status;
}

/** The state could not be stored. The member continues, for its result is stored in any case. */
static void warn_unstored(const struct sciara_member *m, bool cancelled) {
  int *known = m->setup->unstored;
  const bool again = known && __atomic_exchange_n(known, 1, __ATOMIC_RELAXED);
  if (again && !cancelled) return;
  sciara_log(SCIARA_LOG_WARNING, "%s; %s", sciara_last_error(),
             cancelled ? "what the member has done since its last checkpoint is lost"
                       : "members continue without new checkpoints until they can be written again");
}

enum sciara_status sciara_member_checkpoint_write(struct sciara_member *m, bool cancelled) {
  const int *cancel = m->setup->cancel;
  if (cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED) == SCIARA_CANCEL_DROP) return SCIARA_OK;
  if (!m->setup->checkpoint || !sciara_agenda_wall_due(&m->agenda, cancelled)) return SCIARA_OK;
  struct sciara_text scenario = {0};
  enum sciara_status status = sciara_scenario_member_print(m->scenario, &scenario);
  if (status == SCIARA_OK) status = write_file(m, scenario.data);
  sciara_text_free(&scenario);
  sciara_agenda_checkpoint_done(&m->agenda, m->kept->time, status == SCIARA_OK);
  if (status != SCIARA_ERR_IO && status != SCIARA_ERR_MEMORY) return status;
  warn_unstored(m, cancelled);
  return SCIARA_OK;
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
  const enum sciara_status status = sciara_checkpoint_check(c, path, &identity, 0);
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
                                    struct progress *progress) {
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
  SCIARA_TRY_GOTO(vents ? SCIARA_OK : sciara_no_memory("vents"));
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

static enum sciara_status read_checkpoint(struct sciara_member *m, const struct sciara_problem *problem,
                                          struct sciara_state **state, struct progress *progress) {
  const char *path = m->setup->checkpoint;
  if (is_absent(path)) return SCIARA_OK;
  const enum sciara_status status = read_file(path, problem, &m->identity, &m->map, m->vents, state, progress);
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

enum sciara_status sciara_member_checkpoint_read(struct sciara_member *m, const struct sciara_problem *p,
                                                 const struct sciara_site **site, struct sciara_state **state) {
  struct progress from = {0};
  struct sciara_state *found = NULL;
  char simulated[48];
  if (!m->setup->checkpoint) return SCIARA_OK;
  m->identity = (struct sciara_member_identity){
      .ensemble = m->setup->ensemble_hash,
      .row = m->setup->row_hash,
      .site = sciara_hash_word(m->map->origin.hash, m->ground, (uint64_t)p->scenario.boundary),
      .initial = sciara_initial_lava_hash(p)};
  const enum sciara_status status = read_checkpoint(m, p, &found, &from);
  if (found && m->map->changes_done > 0) m->ground = sciara_site_checksum(m->map);
  if (found) {
    sciara_print_duration(found->time - m->time_zero, simulated, sizeof simulated);
    sciara_log(SCIARA_LOG_INFO, "%s: continues from step %" PRIu64 " (%s)", p->scenario.path, found->step, simulated);
  }
  if (!found) return status;
  sciara_state_destroy(*state);
  sciara_site_release(*site);
  *state = found;
  *site = sciara_site_retain(found->site);
  m->window = from.window;
  m->cell_steps = m->cell_steps_before = from.cell_steps;
  m->towers = from.towers;
  const struct sciara_engine_progress now = {.step = found->step, .time = found->time};
  sciara_agenda_towers_done(&m->agenda, &now, false);
  return SCIARA_OK;
}
