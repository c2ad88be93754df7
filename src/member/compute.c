// SPDX-License-Identifier: Apache-2.0
// The steps are done in slices. After a slice the state is kept, and is that of the whole map as long as no lava has
// crossed the ring of the window. When lava has, the slice is done again from the kept state in a larger window. As the
// front comes near the ring the window grows before that happens, so a slice is seldom lost.
#include "member/compute.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/wallclock.h"
#include "file/durable.h"
#include "member/crew.h"
#include "member/footprint.h"
#include "model/field.h"
#include "model/soundness.h"
#include "model/tower.h"
#include "model/window.h"
#include "setup/outflow.h"
#include "setup/scenario_site.h"
#include "setup/setup.h"
#include "sim/agenda.h"
#include "sim/choose_engine.h"
#include "store/checkpoint_hdf5.h"

// --------------------------------------------------------------------------------------------------------- checkpoints

// The checkpoint of a member that is being computed: its state in its window, so that a member that takes hours continues after a
// kill. Which bits the member ends with does not depend on it.

/** What a member and its checkpoint must have in common: hashes. */
struct sciara_member_identity {
  uint64_t ensemble, row; ///< of the ensemble, and of the row of the member in its table
  uint64_t site;          ///< of the whole map of the member: ground, kinds of cells, boundary
  uint64_t initial;       ///< sciara_initial_lava_hash
};

/** The texts of the warnings of towers, owned; NULL: there is none of that kind. */
struct towers {
  char *vent, *cell;
};

/** A member that is being computed. */
struct sciara_member {
  const struct sciara_compute_setup *setup;
  struct sciara_pool_slot *slot; ///< the engine; NULL: one of its own
  const struct sciara_site *map; ///< that of the setup, or with errors of its own
  uint64_t ground;               ///< sciara_site_checksum of it
  struct sciara_vents *vents;    ///< on the map
  enum sciara_boundary boundary;
  struct sciara_window window;
  struct sciara_simulation *simulation;
  struct sciara_state *kept;              ///< after the last slice that is valid
  struct sciara_margins margins;          ///< of it
  uint64_t losses;                        ///< of the simulation at that time
  uint64_t cell_steps, cell_steps_before; ///< at that time; before the present window
  uint64_t slice;                         ///< steps of the next one
  uint64_t ask;                           ///< step at which it is asked next whether the member ends early
  struct sciara_compute_wait wait;        ///< of the last answer; the cells are those left at the kept state
  uint64_t reached;                       ///< of the progress then
  struct sciara_agenda agenda;
  double time_zero; ///< simulated time at the start, s: that of a checkpoint, or 0
  struct towers towers;
  const struct sciara_scenario_member *scenario;
  struct sciara_member_identity identity; ///< for its checkpoint
  struct sciara_text warnings;
};

/** What a checkpoint says of a member, apart from its state. */
struct progress {
  struct sciara_window window;
  uint64_t cell_steps;  ///< up to the state
  struct towers towers; ///< its warnings
};

/** Whether there is no such file or folder; it may be there but out of reach. */
static bool is_absent(const char *path) { return access(path, F_OK) != 0 && errno == ENOENT; }

/** What a member must have in common with its checkpoint. Free `precision` of the result. */
static enum sciara_status identify(const struct sciara_problem *p, const struct sciara_vents *vents,
                                   const struct sciara_state *state, struct sciara_checkpoint_identity *out) {
  const char *precision = sciara_precision_name(sciara_chosen_precision(&p->engine));
  *out = (struct sciara_checkpoint_identity){
      .grid = state->grid,
      .inputs = sciara_inputs_of(state->site, sciara_state_checksum_of_ground(state), vents),
      .params = p->params,
      .boundary = p->boundary,
      .record = SCIARA_FOOTPRINT_RECORD,
      .precision = strdup(precision),
      .of_member = true};
  return out->precision ? SCIARA_OK : sciara_no_memory("a checkpoint");
}

// ---------------------------------------------------------------------------------------------------------- writing

static enum sciara_status describe_kept(const struct sciara_member *m, const char *scenario,
                                        struct sciara_checkpoint *c) {
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
  struct {
    char **to;
    const char *text;
  } const texts[] = {{&c->vent_warning, m->towers.vent},
                     {&c->tower_warning, m->towers.cell},
                     {&c->engine, p->engine.name},
                     {&c->scenario_path, p->source->scenario.path},
                     {&c->scenario_folder, "."},
                     {&c->history, ""},
                     {&c->started_utc, ""},
                     {&c->scenario_json, scenario}};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    SCIARA_TRY(sciara_copy(texts[k].text, "a checkpoint", texts[k].to));
  return SCIARA_OK;
}

static enum sciara_status write_file(const struct sciara_member *m, const char *scenario) {
  const struct sciara_problem *problem = &m->simulation->problem;
  const char *path = m->setup->checkpoint;
  struct sciara_checkpoint c = {0};
  enum sciara_status status = sciara_state_check_sound(m->kept, &problem->params);
  if (status == SCIARA_ERR_NUMERIC) return SCIARA_OK;
  char *folder = sciara_path_folder(path);
  SCIARA_TRY_GOTO(status);
  SCIARA_TRY_GOTO(folder ? SCIARA_OK : sciara_no_memory("the name of a folder"));
  if (is_absent(folder)) goto cleanup;
  SCIARA_TRY_GOTO(describe_kept(m, scenario, &c));
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

/**
 * Stores the kept state, when it is time or the member is cancelled. One with invalid numbers is not stored: the member will
 * fail. Nor is one whose folder is gone: another process has finished the member. What cannot be written is warned of.
 */
static enum sciara_status member_checkpoint_write(struct sciara_member *m, bool cancelled) {
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
static enum sciara_status check_computed_member(const char *path, const struct sciara_checkpoint *c,
                                                const struct sciara_problem *p,
                                                const struct sciara_member_identity *m) {
  const char *found = !c->identity.of_member            ? "a run"
                      : c->site_hash != m->site         ? "a member on another ground"
                      : c->initial_hash != m->initial   ? "a member with other initial lava"
                      : c->row_hash != m->row           ? "another member"
                      : c->ensemble_hash != m->ensemble ? "a member of another ensemble"
                                                        : NULL;
  if (!found) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected the state of %s of this ensemble, found that of %s", path,
                     p->source->scenario.path, found);
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

static void free_towers(struct towers *t) {
  free(t->vent);
  free(t->cell);
  *t = (struct towers){NULL, NULL};
}

static enum sciara_status check_checkpoint(const struct sciara_checkpoint *c, const char *path,
                                           const struct sciara_problem *p, const struct sciara_vents *vents,
                                           const struct sciara_state *state) {
  struct sciara_checkpoint_identity identity;
  SCIARA_TRY(identify(p, vents, state, &identity));
  identity.boundary = SCIARA_BOUNDARY_OPEN; // as in every window
  const enum sciara_status status = sciara_checkpoint_check(c, path, &identity, 0);
  free(identity.precision);
  return status;
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
  SCIARA_TRY_GOTO(check_computed_member(path, &c, p, identity));
  map = sciara_site_retain(*given);
  while (sciara_site_next_change(map) <= c.time_s)
    SCIARA_TRY_GOTO(sciara_ground_change(&map, NULL, p->boundary, NULL, NULL));
  SCIARA_TRY_GOTO(find_window(path, &c, &map->grid, &progress->window));
  SCIARA_TRY_GOTO(sciara_window_site(map, &progress->window, p->boundary, &site));
  if (sciara_window_vents(all, &progress->window, &vents) == SCIARA_ERR_INTERNAL)
    SCIARA_TRY_GOTO(sciara_fail_context(SCIARA_ERR_INPUT, "%s", path));
  SCIARA_TRY_GOTO(vents ? SCIARA_OK : sciara_no_memory("vents"));
  SCIARA_TRY_GOTO(sciara_state_create_on(site, SCIARA_FOOTPRINT_RECORD, state));
  SCIARA_TRY_GOTO(check_checkpoint(&c, path, p, vents, *state));
  SCIARA_TRY_GOTO(sciara_checkpoint_read_state(path, &c, *state));
  SCIARA_TRY_GOTO(sciara_state_check_sound(*state, &p->params));
  SCIARA_TRY_GOTO(sciara_copy(c.tower_warning, "a checkpoint", &progress->towers.cell));
  SCIARA_TRY_GOTO(sciara_copy(c.vent_warning, "a checkpoint", &progress->towers.vent));
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
  free_towers(&progress->towers);
  *state = NULL;
  if (is_absent(path)) return SCIARA_OK; // another process has finished the member
  if (status != SCIARA_ERR_INPUT && status != SCIARA_ERR_NUMERIC) return status;
  SCIARA_TRY(read_bytes(path));
  sciara_log(SCIARA_LOG_WARNING, "%s; the member starts from its beginning", sciara_last_error());
  return SCIARA_OK;
}

/**
 * Reads the file, if there is one of this member, and replaces window, map, site and state by those of it. A file that is
 * damaged or of another member is not used, with a warning; it stays until it is replaced.
 *
 * @param p     the scenario, on the whole map with its initial state
 * @param site  of the window
 * @param state on it
 * @return only errors that say nothing about the content of the file: SCIARA_ERR_IO if it cannot be read
 */
static enum sciara_status member_checkpoint_read(struct sciara_member *m, const struct sciara_problem *p,
                                                 const struct sciara_site **site, struct sciara_state **state) {
  struct progress from = {0};
  struct sciara_state *found = NULL;
  if (!m->setup->checkpoint) return SCIARA_OK;
  m->identity =
      (struct sciara_member_identity){.ensemble = m->setup->ensemble_hash,
                                      .row = m->setup->row_hash,
                                      .site = sciara_hash_word(m->map->origin.hash, m->ground, (uint64_t)p->boundary),
                                      .initial = sciara_initial_lava_hash(p)};
  const enum sciara_status status = read_checkpoint(m, p, &found, &from);
  if (found && m->map->changes_done > 0) m->ground = sciara_site_checksum(m->map);
  if (found)
    sciara_log(SCIARA_LOG_INFO, "%s: continues from step %" PRIu64 " (%s)", p->source->scenario.path, found->step,
               SCIARA_DURATION(found->time - m->time_zero));
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

enum {
  MARGIN = 24,      // cells around the vents in the first window
  FIRST_SLICE = 64, // steps
  LEAST_GROWTH = 16,
  ASK_EVERY = 64, // steps between two questions whether a member ends early, at least
};

// --------------------------------------------------------------------------------------------------------- messages

/** Adds a line to the warnings of a member, as far as there is room. */
static void warn(struct sciara_text *warnings, const char *text) {
  if (warnings->length + strlen(text) + 2 > SCIARA_COMPUTE_WARNINGS_MOST) return;
  if (sciara_text_append(warnings, "%s%s", warnings->length > 0 ? "\n" : "", text) != SCIARA_OK)
    warnings->failed = SCIARA_OK; // a warning less; the member has its numbers
}

static void take_message(void *context, enum sciara_log_level level, const char *message) {
  if (level >= SCIARA_LOG_WARNING) warn((struct sciara_text *)context, message);
}

// ---------------------------------------------------------------------------------------------------------- placing

/** The engine of a member: that of the setup, or its own. */
static enum sciara_status choose(const struct sciara_compute_setup *setup, struct sciara_scenario_spec *s) {
  const char *name = setup->engine ? setup->engine : s->engine.name;
  if (strcmp(name, "auto") == 0) name = SCIARA_ENGINE_AUTO_HOST;
  char *copy = strdup(name);
  if (!copy) return sciara_no_memory("the name of an engine");
  free(s->engine.name);
  s->engine.name = copy;
  s->engine.name_overridden |= setup->engine != NULL;
  if (setup->threads > 0) s->engine.threads = setup->threads;
  if (setup->device >= 0) s->engine.device = setup->device;
  s->engine.profile = false;
  return SCIARA_OK;
}

void sciara_compute_place(const struct sciara_compute_setup *setup, const struct sciara_scenario_member *scenario,
                          const struct sciara_notes *notes, struct sciara_problem *problem,
                          struct sciara_diagnostics *diagnostics) {
  if (!sciara_problem_begin(problem, diagnostics)) return;
  sciara_scenario_member_read(scenario, false, notes, &problem->source->scenario, diagnostics);
  if (problem->source->scenario.engine.name)
    sciara_diagnostics_add(diagnostics, choose(setup, &problem->source->scenario));
  problem->source->scenario.dem.margin_of_others = setup->planned;
  const struct sciara_problem_options options = {
      .site = setup->site, .stateless = !sciara_scenario_has_initial_lava(&problem->source->scenario)};
  const struct sciara_engine_ops *ops;
  const bool placed = sciara_problem_place_on_map(problem, &options, &ops, diagnostics);
  if (placed && !options.stateless) sciara_diagnostics_add(diagnostics, sciara_problem_start(problem, &options));
}

/** The state of the first window: bare ground, or the initial lava of the map. */
static enum sciara_status first_state(const struct sciara_problem *p, const struct sciara_window *w,
                                      const struct sciara_site *site, struct sciara_state **out) {
  SCIARA_TRY(sciara_state_create_on(site, SCIARA_FOOTPRINT_RECORD, out));
  (*out)->clock = sciara_problem_first_clock(p);
  if (p->state) sciara_state_copy_at(p->state, -w->row, -w->col, *out);
  if (!p->source->scenario.initial_checkpoint || !p->state || p->state->max_deposit) return SCIARA_OK;
  struct sciara_state *s = *out; // the largest deposits so far are not known: those of now
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++)
    if (s->arrival[i] >= 0) s->max_deposit[i] = sciara_deposit(s->h[i], s->z[i], s->z0[i]);
  return SCIARA_OK;
}

/** The ground of the member. A problem without a state was placed on ground without the errors. */
static enum sciara_status take_map(struct sciara_member *m, const struct sciara_problem *p) {
  const struct sciara_problem_options options = {.site = p->site};
  SCIARA_TRY(sciara_scenario_site_share(&p->source->scenario, &options, &m->map));
  m->ground = m->map == m->setup->site ? m->setup->ground : sciara_site_checksum(m->map);
  return SCIARA_OK;
}

/** Makes the problem that of its first window; its vents on the map go to m->vents. */
static enum sciara_status enter_window(struct sciara_member *m, struct sciara_problem *p) {
  const struct sciara_site *site = NULL;
  struct sciara_state *state = NULL;
  enum sciara_status status;
  m->window = sciara_window_first(&p->grid, p->vents, p->state, m->setup->margin > 0 ? m->setup->margin : MARGIN);
  m->boundary = p->boundary;
  m->time_zero = p->state ? p->state->time : 0;
  p->last_change_s = sciara_site_last_change(m->map);
  m->vents = p->vents;
  p->vents = NULL;
  sciara_free(p->source->observed); // of the whole map, for pictures
  p->source->observed = NULL;
  if (sciara_has_towers(&p->params)) sciara_agenda_test_towers(&m->agenda, sciara_vents_end(m->vents));
  SCIARA_TRY_GOTO(sciara_window_site(m->map, &m->window, m->boundary, &site));
  SCIARA_TRY_GOTO(first_state(p, &m->window, site, &state));
  SCIARA_TRY_GOTO(member_checkpoint_read(m, p, &site, &state));
  // In the order in which they were found: with a vent's tower no other one is looked for.
  if (m->towers.cell) warn(&m->warnings, m->towers.cell);
  if (m->towers.vent) warn(&m->warnings, m->towers.vent);
  SCIARA_TRY_GOTO(sciara_state_clone(state, &m->kept));
  SCIARA_TRY_GOTO(sciara_window_vents(m->vents, &m->window, &p->vents));
  sciara_state_destroy(p->state);
  sciara_site_release(p->site);
  p->state = state;
  p->site = site;
  p->grid = site->grid;
  p->row = m->window.row;
  p->col = m->window.col;
  p->boundary = SCIARA_BOUNDARY_OPEN; // a closed rim is NODATA in a window
  m->margins = sciara_window_margins(state);
  return SCIARA_OK;
cleanup:
  sciara_state_destroy(state);
  sciara_site_release(site);
  return status;
}

// ----------------------------------------------------------------------------------------------------------- growth

/** Goes back to the kept state, in a window that is larger by so many cells. */
static enum sciara_status enlarge(struct sciara_member *m, const struct sciara_margins *by) {
  const struct sciara_window to = sciara_window_grow(&m->map->grid, &m->window, by);
  const struct sciara_site *site = NULL;
  struct sciara_state *kept = NULL, *state = NULL;
  struct sciara_vents *vents = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_window_site(m->map, &to, m->boundary, &site));
  SCIARA_TRY_GOTO(sciara_window_vents(m->vents, &to, &vents));
  SCIARA_TRY_GOTO(sciara_window_enlarge(m->kept, &m->window, site, &to, &kept));
  sciara_state_destroy(m->kept);
  m->kept = kept;
  m->window = to;
  SCIARA_TRY_GOTO(sciara_state_clone(kept, &state));
  if (m->slot) sciara_pool_set_sides(m->slot, to.sides);
  m->margins = sciara_window_margins(kept);
  m->losses = m->reached = 0; // the engine counts from its start
  m->cell_steps_before = m->cell_steps;
  sciara_site_release(site);
  return sciara_simulation_move(m->simulation, vents, state, to.row, to.col);
cleanup:
  sciara_vents_destroy(vents);
  sciara_site_release(site);
  return status;
}

static const struct sciara_margins as_it_is = {{0}};

/** Does the changes of the ground that are due at the end of the last slice, and continues on the new ground. */
static enum sciara_status change_ground(struct sciara_member *m) {
  struct sciara_ground_effect effect;
  if (!(sciara_site_next_change(m->map) <= m->kept->time)) return SCIARA_OK;
  while (sciara_site_next_change(m->map) <= m->kept->time)
    SCIARA_TRY(sciara_ground_change(&m->map, &m->window, m->boundary, m->kept, &effect));
  m->ground = sciara_site_checksum(m->map);
  m->wait = (struct sciara_compute_wait){0}; // cells may have got lava
  SCIARA_TRY(enlarge(m, &as_it_is));
  return sciara_simulation_judge(m->simulation);
}

/** Does the last slice again in a window that is twice as large towards these sides. */
static enum sciara_status repeat(struct sciara_member *m, unsigned crossed) {
  const struct sciara_margins by = sciara_window_extent(&m->window, crossed);
  return enlarge(m, &by);
}

// ------------------------------------------------------------------------------------------------------------ steps

static enum sciara_status find_towers(struct sciara_member *m) {
  struct sciara_touched touched;
  struct sciara_run_warning tower;
  SCIARA_TRY(sciara_touched_find(m->kept, 1, &touched));
  const enum sciara_status status =
      sciara_tower_watch(&m->simulation->problem, m->kept, &touched, m->towers.vent, m->towers.cell, &tower);
  if (tower.kind) {
    warn(&m->warnings, tower.text);
    *(strcmp(tower.kind, SCIARA_WARNING_VENT) == 0 ? &m->towers.vent : &m->towers.cell) = tower.text;
  }
  sciara_touched_release(&touched);
  return status;
}

/** Sets *crossed to the sides over which lava has left the window in the slice that has just been done. */
static enum sciara_status find_crossed(struct sciara_member *m, bool valid, unsigned *crossed) {
  struct sciara_simulation *s = m->simulation;
  *crossed = 0;
  if (m->window.sides == 0 || s->progress.losses == m->losses) return SCIARA_OK;
  if (!valid) { // nothing can be read; the cause may lie in the window
    *crossed = m->window.sides;
    return SCIARA_OK;
  }
  SCIARA_TRY(sciara_simulation_sync(s));
  *crossed = sciara_window_crossed(s->problem.state, &m->window, m->map);
  return SCIARA_OK;
}

/** Keeps the state of the slice that has just been done. */
static enum sciara_status accept(struct sciara_member *m) {
  struct sciara_simulation *s = m->simulation;
  SCIARA_TRY(sciara_simulation_sync(s));
  struct sciara_state *state = s->problem.state;
  s->problem.state = m->kept;
  s->state_is_current = false;
  m->kept = state;
  m->losses = s->progress.losses;
  m->wait.cells -= (int64_t)(s->progress.reached - m->reached);
  m->reached = s->progress.reached;
  m->cell_steps = m->cell_steps_before + s->progress.cell_steps;
  m->margins = sciara_window_margins(state);
  if (sciara_agenda_towers_due(&m->agenda, &s->progress)) SCIARA_TRY(find_towers(m));
  sciara_agenda_towers_done(&m->agenda, &s->progress, false); // now, for a test that failed must be made again
  return SCIARA_OK;
}

/** Enlarges the window of a slot where lava has come near its ring. */
static enum sciara_status leave_ring(struct sciara_member *m) {
  unsigned near = 0;
  for (int side = 0; side < SCIARA_SIDES; side++)
    if (m->window.sides >> side & 1u && m->margins.of[side] < LEAST_GROWTH / 2) near |= 1u << side;
  return repeat(m, near ? near : m->window.sides);
}

/** Continues in an engine that has the whole device, for no other member needs the slots. */
static enum sciara_status leave_slot(struct sciara_member *m) {
  struct sciara_simulation *s = m->simulation;
  struct sciara_pool_slot *const slot = m->slot;
  const struct sciara_problem *p = &s->problem;
  const struct sciara_engine_options options = sciara_chosen_options(&p->engine);
  const struct sciara_engine_ops *next = NULL;
  enum sciara_status status =
      sciara_engine_find(sciara_pool_successor(slot), p->params.rule, sciara_chosen_precision(&p->engine), &next);
  if (status == SCIARA_OK) status = sciara_engine_options_check(next, &options);
  if (status != SCIARA_OK) { // not here, or not with these options
    sciara_pool_stay(slot);
    return SCIARA_OK;
  }
  m->slot = NULL;
  sciara_pool_release(slot);
  m->slice = FIRST_SLICE;
  s->problem.ops = next;
  return enlarge(m, &as_it_is);
}

/** The device has no memory for the engine outside the slot: continues in the slot, from the kept state. */
static enum sciara_status return_to_slot(struct sciara_member *m) {
  m->slot = m->setup->slot;
  sciara_pool_reserve(m->slot);
  sciara_pool_stay(m->slot);
  sciara_pool_enter(m->slot);
  m->simulation->problem.ops = &sciara_pool_engine;
  return enlarge(m, &as_it_is);
}

/** Whether an end is possible, so that it has to be asked. Only slots count the cells that lava reaches. */
static bool may_end(const struct sciara_member *m) {
  return m->setup->ends && (!m->slot || m->wait.cells <= 0 || m->kept->time >= m->wait.time);
}

/** Up to what is due, but at most so many steps; *valid: the state is that of the last step. */
static enum sciara_status advance(struct sciara_member *m, uint64_t steps, bool *valid) {
  struct sciara_simulation *s = m->simulation;
  struct sciara_advance_limit limit = sciara_agenda_next(&m->agenda, m->kept->step);
  if (may_end(m)) {
    if (m->ask < limit.step) limit.step = m->ask;
  } else if (m->setup->ends) {
    limit.reached = m->reached + (uint64_t)m->wait.cells;
    limit.time = fmin(limit.time, m->wait.time);
  }
  limit.time = fmin(limit.time, sciara_site_next_change(m->map));
  if (steps < limit.step - m->kept->step) limit.step = m->kept->step + steps;
  if (m->slot) sciara_pool_set_due(m->slot, limit.due);
  const enum sciara_status status = sciara_simulation_advance(s, &limit);
  *valid = status == SCIARA_OK || sciara_simulation_is_stuck(s);
  if (status != SCIARA_OK && status != SCIARA_ERR_NUMERIC) return status;
  if (status != SCIARA_OK && s->finished != SCIARA_STOP_NONE) warn(&m->warnings, sciara_last_error());
  return SCIARA_OK;
}

/** In a slot: up to the next test for towers, the ring, or the end. No lava leaves the window, so nothing is repeated. */
static enum sciara_status one_leg(struct sciara_member *m, bool *failed) {
  const struct sciara_simulation *s = m->simulation;
  bool valid;
  SCIARA_TRY(advance(m, UINT64_MAX, &valid));
  *failed = !valid;
  if (*failed) return SCIARA_OK;
  SCIARA_TRY(accept(m));
  if (s->finished != SCIARA_STOP_NONE) return SCIARA_OK;
  if (s->progress.reason == SCIARA_STOP_OUTGROWN) return leave_slot(m);
  return s->progress.reason == SCIARA_STOP_RING ? leave_ring(m) : SCIARA_OK;
}

static enum sciara_status one_slice(struct sciara_member *m, bool *failed) {
  const struct sciara_simulation *s = m->simulation;
  unsigned crossed;
  bool valid;
  SCIARA_TRY(advance(m, m->slice, &valid));
  SCIARA_TRY(find_crossed(m, valid, &crossed));
  if (crossed) {
    m->slice = m->slice / 4 > FIRST_SLICE ? m->slice / 4 : FIRST_SLICE;
    return repeat(m, crossed);
  }
  *failed = !valid;
  if (*failed) return SCIARA_OK;
  const struct sciara_margins before = m->margins;
  const uint64_t from = m->kept->step;
  SCIARA_TRY(accept(m));
  if (s->finished != SCIARA_STOP_NONE || s->progress.reason == SCIARA_STOP_CANCEL) return SCIARA_OK;
  const uint64_t quarter = m->kept->step / 4;
  m->slice = 2 * m->slice < quarter ? 2 * m->slice : quarter > FIRST_SLICE ? quarter : FIRST_SLICE;
  struct sciara_margins by;
  const bool near =
      sciara_window_look_ahead(&m->window, &before, &m->margins, m->kept->step - from, m->slice, LEAST_GROWTH, &by);
  return near ? enlarge(m, &by) : SCIARA_OK;
}

// -------------------------------------------------------------------------------------------------------- footprint

static enum sciara_status take_texts(struct sciara_member *m, const char *error, struct sciara_footprint *f) {
  f->error = strdup(error);
  f->warnings = strdup(m->warnings.data ? m->warnings.data : "");
  return f->error && f->warnings ? SCIARA_OK : sciara_no_memory("the texts of a member");
}

static enum sciara_status warn_of_end(struct sciara_member *m, struct sciara_footprint *f) {
  char lost[96], *later = NULL;
  snprintf(lost, sizeof lost, "%.6g m3 of lava left the map through its rim", f->ledger.lost_m3);
  if (f->ledger.lost_m3 > 0) warn(&m->warnings, lost);
  if (f->ledger.initial_m3 + f->ledger.emitted_m3 == 0)
    warn(&m->warnings, "no vent emits lava before the end of the run");
  if (f->stop == SCIARA_STOP_FRONT) SCIARA_TRY(sciara_front_rest_text(m->vents, m->kept->time, &later));
  if (later) warn(&m->warnings, later);
  f->censored |= later != NULL; // that lava may go farther
  free(later);
  return SCIARA_OK;
}

/** The result of a member whose run has ended. */
static enum sciara_status describe(struct sciara_member *m, struct sciara_footprint *f) {
  const struct sciara_end end = sciara_simulation_ended(m->simulation);
  const struct sciara_state *s = m->kept;
  SCIARA_TRY(find_towers(m));
  f->stop = end.reason;
  f->censored = end.censored || m->towers.vent || m->towers.cell;
  f->end_s = s->time - m->time_zero;
  f->steps = s->step;
  f->cell_steps = m->cell_steps;
  f->checksum = sciara_window_checksum(s, &m->window, m->map, m->ground);
  sciara_ledger_form(s, m->simulation->problem.rounding, &f->ledger);
  f->ledger.initial_m3 +=
      f->ledger.added_m3 - f->ledger.removed_m3; // what observed lava changed was there at the start
  f->ledger.added_m3 = f->ledger.removed_m3 = 0;
  SCIARA_TRY(warn_of_end(m, f));
  SCIARA_TRY(take_texts(m, "", f));
  return sciara_footprint_take_cells(f, s, &m->window, m->map->grid.cols, m->time_zero);
}

/** The result of a member of which a step failed: nothing in it depends on when its state was last kept or stored. */
static enum sciara_status describe_failure(struct sciara_member *m, struct sciara_footprint *f) {
  const struct sciara_engine_progress *p = &m->simulation->progress;
  char *text = p->bad.row < 0
                   ? strdup(sciara_last_error())
                   : sciara_format("step %" PRIu64 ": row %" PRId64 ", column %" PRId64 ": " SCIARA_UNSOUND_TEXT,
                                   p->bad.step, m->window.row + p->bad.row, m->window.col + p->bad.col);
  if (!text) return sciara_no_memory("an error");
  f->failed = true;
  f->steps = p->bad.step;
  const enum sciara_status status = take_texts(m, text, f);
  free(text);
  return status;
}

/** Notes how far a member has come; whether its time is up. */
static bool is_probed(const struct sciara_member *m, double begin, double cpu, bool failed) {
  struct sciara_compute_probe *p = m->setup->probe;
  p->whole = failed || m->simulation->finished != SCIARA_STOP_NONE;
  p->cpu_s = sciara_thread_time() - cpu;
  return !p->whole && (p->cpu_s >= p->seconds || sciara_wallclock() - begin >= 4 * p->seconds);
}

/** Finds the first step, not before this one, at which it is asked whether the member ends early. */
static void ask_from(struct sciara_member *m, uint64_t step) {
  while (m->ask < step) m->ask += m->ask / 8 > ASK_EVERY ? m->ask / 8 : ASK_EVERY;
}

/** Whether the member ends before its stop rule is met. */
static bool ends_early(struct sciara_member *m) {
  const struct sciara_compute_view view = {.state = m->kept,
                                           .window = &m->window,
                                           .vents = m->vents,
                                           .time_zero = m->time_zero,
                                           .last_change = sciara_site_last_change(m->map)};
  if (!may_end(m)) return false;
  ask_from(m, m->kept->step);
  if (m->kept->step < m->ask) return false;
  ask_from(m, m->kept->step + 1);
  const bool ends = m->setup->ends(m->setup->context, &view, &m->wait);
  m->wait.cells -= m->vents->count; // these are not counted
  return ends;
}

/**
 * The slot for the member: that of the setup, which is released if it is for another rule or precision. NULL: an engine of
 * its own.
 */
static struct sciara_pool_slot *take_slot(const struct sciara_member *m, const struct sciara_problem *p) {
  struct sciara_pool_slot *const slot = m->setup->slot;
  if (!slot || sciara_pool_fits(slot, p->params.rule, p->engine.single_precision)) return slot;
  sciara_pool_release(slot);
  return NULL;
}

static enum sciara_status run(struct sciara_member *m, struct sciara_problem *p, struct sciara_footprint *out,
                              bool *cancelled) {
  bool failed = false;
  const double begin = sciara_wallclock(), cpu = sciara_thread_time();
  m->agenda = (struct sciara_agenda){.checkpoint_wall = m->setup->checkpoint ? m->setup->checkpoint_wall_s : 0,
                                     .cancel = m->setup->cancel};
  sciara_agenda_begin(&m->agenda, 0);
  SCIARA_TRY(take_map(m, p));
  SCIARA_TRY(sciara_initial_lava_check(p, m->setup->initial_hash));
  SCIARA_TRY(enter_window(m, p));
  p->notes = &sciara_no_notes; // in a window they may be wrong: lava at its ring has not left the map
  struct sciara_pool_slot *const slot = take_slot(m, p);
  m->slot = slot;
  if (m->slot) {
    sciara_pool_enter(m->slot);
    sciara_pool_set_sides(m->slot, m->window.sides);
    p->ops = &sciara_pool_engine;
  }
  SCIARA_TRY(sciara_simulation_create(p, false, &m->simulation));
  m->slice = FIRST_SLICE;
  ask_from(m, m->kept->step + 1);
  while (!failed && m->simulation->finished == SCIARA_STOP_NONE) {
    enum sciara_status status = m->slot ? one_leg(m, &failed) : one_slice(m, &failed);
    const bool no_room = status == SCIARA_ERR_MEMORY || status == SCIARA_ERR_DEVICE;
    if (no_room && slot && !m->slot) status = return_to_slot(m);
    SCIARA_TRY(status);
    *cancelled =
        m->simulation->progress.reason == SCIARA_STOP_CANCEL || (m->setup->probe && is_probed(m, begin, cpu, failed));
    if (!failed && m->simulation->finished == SCIARA_STOP_NONE) {
      SCIARA_TRY(change_ground(m));
      if (m->simulation->finished != SCIARA_STOP_NONE) break; // the last change, after which nothing can happen
      SCIARA_TRY(member_checkpoint_write(m, *cancelled));
    }
    if (*cancelled) return SCIARA_OK;
    if (!failed && m->simulation->finished == SCIARA_STOP_NONE && ends_early(m)) break;
  }
  return failed ? describe_failure(m, out) : describe(m, out);
}

/** The result of a member whose scenario is invalid; other errors say nothing about it. */
static enum sciara_status describe_invalid(struct sciara_member *m, const struct sciara_diagnostics *d,
                                           struct sciara_footprint *f) {
  const enum sciara_status status = sciara_diagnostics_status(d);
  if (status != SCIARA_ERR_INPUT && status != SCIARA_ERR_NUMERIC) return status;
  f->failed = true;
  return take_texts(m, sciara_last_error(), f);
}

enum sciara_status sciara_compute_member(const struct sciara_compute_setup *setup,
                                         const struct sciara_scenario_member *scenario, struct sciara_footprint *out,
                                         bool *cancelled) {
  struct sciara_member m = {.setup = setup, .scenario = scenario};
  struct sciara_problem problem = {0};
  struct sciara_diagnostics diagnostics = {0};
  enum sciara_status status;
  const double begin = sciara_wallclock();
  *out = (struct sciara_footprint){0};
  *cancelled = false;
  if (setup->slot) sciara_pool_reserve(setup->slot);
  const struct sciara_notes notes = {take_message, &m.warnings};
  sciara_compute_place(setup, scenario, &notes, &problem, &diagnostics);
  if (diagnostics.count == 0) {
    sciara_outflow_warn(&problem);
    status = run(&m, &problem, out, cancelled);
  } else {
    status = describe_invalid(&m, &diagnostics, out);
  }
  sciara_simulation_destroy(m.simulation);
  if (setup->slot) sciara_pool_release(setup->slot);
  sciara_problem_free(&problem);
  sciara_diagnostics_free(&diagnostics);
  sciara_vents_destroy(m.vents);
  sciara_state_destroy(m.kept);
  sciara_site_release(m.map);
  free_towers(&m.towers);
  sciara_text_free(&m.warnings);
  out->seconds = sciara_wallclock() - begin;
  if (status != SCIARA_OK || *cancelled) sciara_footprint_free(out);
  return status;
}
