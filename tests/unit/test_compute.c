// SPDX-License-Identifier: Apache-2.0
// A member computed in a window that grows equals the run on the whole map: checksum, ledger and every cell.
#include "member/compute.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "engine/engine.h"
#include "member/crew.h"
#include "model/field.h"
#include "model/window.h"
#include "setup/scenario_site.h"
#include "setup/setup.h"
#include "store/checkpoint_hdf5.h"
#include "support/folder.h"
#include "support/owned.h"

enum { ROWS = 150, COLS = 170 };

static const struct sciara_grid grid = {.rows = ROWS, .cols = COLS, .cell_size = 10, .west = 0, .north = 10 * ROWS};

/** A slope with bumps, so that lava branches. */
static const struct sciara_site *make_site(bool single) {
  const struct sciara_site *site;
  OWNED(free_aligned) double *z;
  expect_ok(SCIARA_NEW(z, ROWS * COLS, "altitudes"));
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLS; c++) z[r * COLS + c] = 2000 - 2.5 * r - 1.1 * c + 3 * sin(r * 0.31) * cos(c * 0.23);
  for (int k = 0; k < 6; k++) z[(70 + k) * COLS + 60] = SCIARA_NODATA_ALTITUDE;
  expect_ok(sciara_memory_site_make(&grid, NULL, z, single, &site));
  return site;
}

/** Cases: engine, precision, boundary, vents. */
static const struct scene {
  const char *engine, *precision, *boundary, *vents, *run;
} scenes[] = {
#define VENT(row, col, rate)                                                                                          \
  "{\"row\": " #row ", \"col\": " #col ", \"effusion\": {\"slot\": \"15 min\", \"rates_m3_s\": [" #rate ", 5, " #rate \
  "]"                                                                                                                 \
  "}"                                                                                                                 \
  "}"
    {"serial", "double", "open", VENT(40, 40, 60), "{\"until\": \"1 h\"}"},
    {"openmp", "double", "open", VENT(40, 40, 60), "{\"until\": \"1 h\"}"},
    {"openmp", "single", "open", VENT(40, 40, 60) "," VENT(30, 110, 27), "{\"until\": \"1 h\"}"},
    {"serial", "single", "closed", VENT(60, 50, 60), "{\"until\": \"45 min\"}"},
    {"openmp", "double", "open", VENT(144, 150, 60) "," VENT(20, 3, 45), "{\"until\": \"45 min\"}"},
    {"openmp", "double", "closed", VENT(144, 150, 27), "{\"until\": \"45 min\"}"},
    {"openmp", "double", "open", VENT(40, 40, 60), "{\"until\": \"front at rest\", \"front_at_rest\": \"30 min\"}"},
    {"serial", "double", "open", VENT(40, 40, 60), "{\"max_steps\": 700}"},
};

enum { SCENES = sizeof scenes / sizeof *scenes };

#if defined __has_feature
#if __has_feature(thread_sanitizer)
enum { ONLY_THREADS = true }; ///< of a pool
#define SCIARA_ONLY_THREADS
#endif
#endif
#ifndef SCIARA_ONLY_THREADS
enum { ONLY_THREADS = false };
#endif

static char *scenario_of(const struct scene *s) {
  char *text = sciara_format(
      "{\"dem\": {\"path\": \"memory\"}, \"vents\": [%s], \"run\": %s, \"engine\": {\"name\": \"%s\", \"precision\": "
      "\"%s\"}, \"boundary\": \"%s\", \"output\": {\"fields\": [\"deposit\", \"max_deposit\"]}}",
      s->vents, s->run, s->engine, s->precision, s->boundary);
  ck_assert_ptr_nonnull(text);
  return text;
}

/** Rows that lava has reached. */
static int64_t extent_of(const struct sciara_footprint *f) {
  return f->cell[f->count - 1] / COLS - f->cell[0] / COLS + 1;
}

/** Computes a member that is its base. */
static enum sciara_status compute(const struct sciara_compute_setup *setup, const char *json,
                                  struct sciara_footprint *out, bool *cancelled) {
  struct sciara_scenario_member member = {.name = "x.json"};
  struct sciara_scenario_base *base;
  cJSON *tree;
  expect_ok(sciara_json_parse("x.json", json, strlen(json), &tree));
  expect_ok(sciara_scenario_base_make(tree, &base));
  member.base = base;
  const enum sciara_status status = sciara_compute_member(setup, &member, out, cancelled);
  sciara_scenario_base_free(base);
  return status;
}

/** The same run on the whole map. */
static struct sciara_simulation *whole_run(const struct sciara_site *site, const char *json) {
  struct sciara_problem p;
  struct sciara_diagnostics d = {0};
  struct sciara_simulation *s;
  const struct sciara_problem_options options = {.site = site};
  const struct sciara_advance_limit end = {.time = INFINITY, .step = UINT64_MAX};
  sciara_problem_begin(&p, &d);
  sciara_scenario_parse("x.json", json, strlen(json), NULL, 0, &p.source->scenario, &d);
  sciara_problem_place(&p, &options, &d);
  ck_assert_msg(d.count == 0, "%s", d.count ? d.sentence[0] : "");
  expect_ok(sciara_simulation_create(&p, false, &s));
  expect_ok(sciara_simulation_advance(s, &end));
  expect_ok(sciara_simulation_sync(s));
  return s;
}

static void assert_same_cells(const struct sciara_state *s, const struct sciara_footprint *f) {
  int64_t n = 0;
  for (int64_t i = 0; i < ROWS * COLS; i++) {
    if (!(s->arrival[i] >= 0)) continue;
    ck_assert_int_lt(n, f->count);
    ck_assert_int_eq(f->cell[n], i);
    ck_assert(f->arrival[n] == (float)s->arrival[i]);
    ck_assert(f->max_deposit[n] == (float)s->max_deposit[i]);
    ck_assert(f->deposit[n] == (float)sciara_deposit(s->h[i], s->z[i], s->z0[i]));
    n++;
  }
  ck_assert_int_eq(n, f->count);
  ck_assert_int_gt(n, 100);
}

TEST_EACH(equals_the_whole_map, ONLY_THREADS ? 0 : SCENES) {
  const struct scene *scene = &scenes[_i];
  const struct sciara_site *site = make_site(strcmp(scene->precision, "single") == 0);
  OWNED(free_memory) char *json = scenario_of(scene);
  OWNED(destroy_simulation) struct sciara_simulation *s = whole_run(site, json);
  const struct sciara_compute_setup setup = {
      .site = site, .ground = sciara_site_checksum(site), .threads = 1, .device = -1};
  OWNED(sciara_footprint_free) struct sciara_footprint f;
  struct sciara_ledger ledger;
  bool cancelled;
  ck_assert_uint_eq(setup.ground, sciara_state_checksum_of_ground(s->problem.state));
  expect_ok(compute(&setup, json, &f, &cancelled));
  ck_assert(!cancelled);
  ck_assert_msg(!f.failed, "%s", f.error);
  ck_assert_uint_eq(f.checksum, sciara_state_checksum(s->problem.state));
  ck_assert_uint_eq(f.steps, s->progress.step);
  ck_assert_uint_eq(f.cell_steps, s->progress.cell_steps);
  sciara_ledger_form(s->problem.state, s->problem.rounding, &ledger);
  ck_assert_mem_eq(&ledger, &f.ledger, sizeof ledger);
  if (s->finished != SCIARA_STOP_STEPS) assert_same_cells(s->problem.state, &f);
  if (_i < 4) ck_assert_int_gt(extent_of(&f), 49); // lava has left the first window
  ck_assert_int_eq(f.censored, s->finished == SCIARA_STOP_STEPS);
  sciara_site_release(site);
}

// ------------------------------------------------------------------------------------------------------------- slots

/** Lava that has left a window is noticed on its side, and only where it would have flowed on in the map. */
TEST(each_side_is_noticed) {
  OWNED(release_site) const struct sciara_site *map = make_site(false), *site;
  const struct sciara_window w = sciara_window_make(&grid, 20, 80, 30, 40);
  OWNED(destroy_state) struct sciara_state *s;
  ck_assert_uint_eq(w.sides, 15);
  expect_ok(sciara_window_site(map, &w, SCIARA_BOUNDARY_OPEN, &site));
  for (int64_t r = 0; r < w.rows; r++)
    for (int64_t c = 0; c < w.cols; c++) {
      const bool ring = r == 0 || c == 0 || r == w.rows - 1 || c == w.cols - 1;
      ck_assert_int_eq(site->kind[r * w.cols + c], ring ? SCIARA_CELL_RIM : SCIARA_CELL_INTERIOR);
    }
  expect_ok(sciara_state_create_on(site, 0, &s));
  ck_assert_uint_eq(sciara_window_crossed(s, &w, map), 0);
  const int64_t at[SCIARA_SIDES] = {7, (w.rows - 1) * w.cols + 7, 7 * w.cols, 7 * w.cols + w.cols - 1};
  for (int side = 0; side < SCIARA_SIDES; side++) {
    s->lost[at[side]] = 1e-3;
    ck_assert_uint_eq(sciara_window_crossed(s, &w, map), 1u << side);
    s->lost[at[side]] = 0;
  }
  s->lost[8 * w.cols + 8] = 1; // in a hole of the map
  ck_assert_uint_eq(sciara_window_crossed(s, &w, map), 0);
}

/** Slots that are engines of their own: they stop at rings as the contract says. */
struct test_slot {
  const struct sciara_engine_ops *ops;
  void *engine;
  struct sciara_params params;
  struct sciara_vents *vents;
  struct sciara_state *state;
  unsigned sides;
  int64_t covered; ///< cells, when it was loaded
};

enum { SLOTS = 3, STEPS_OF_ADVANCE = 40, MUCH = 100 };
static struct test_slot test_slots[SLOTS];
static int rings_met, most_loaded, outgrown_at;
static bool slow_loads;    ///< the second load lasts until the first member has advanced with much lava
static int advances_much;  ///< calls with much lava, atomic
static bool left_too_soon; ///< a member was to leave meanwhile
static uint64_t fails_at;  ///< step that fails in every slot; 0: none
static struct sciara_slots_setup test_setup;

static enum sciara_status test_create(const struct sciara_slots_setup *setup, void **slots) {
  test_setup = *setup;
  *slots = test_slots;
  return SCIARA_OK;
}

static void test_destroy(void *slots) { (void)slots; }

static void test_clear(void *slots, int slot) {
  struct test_slot *s = (struct test_slot *)slots + slot;
  if (s->engine) s->ops->destroy(s->engine);
  sciara_vents_destroy(s->vents);
  sciara_state_destroy(s->state);
  *s = (struct test_slot){0};
}

/** Until a member has advanced twice with as much lava as test_outgrown needs, before it meets a ring; at most 20 s. */
static void wait_for_advances(void) {
  const struct timespec pause = {.tv_nsec = 1000000};
  for (int k = 0; k < 20000 && __atomic_load_n(&advances_much, __ATOMIC_RELAXED) < 2; k++) nanosleep(&pause, NULL);
  left_too_soon = __atomic_load_n(&advances_much, __ATOMIC_RELAXED) < 2;
}

static int64_t covered_cells(const struct sciara_state *s) {
  int64_t count = 0;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) count += s->arrival[i] >= 0;
  return count;
}

/** A member that ends with so many covered cells, atomic: how often that was asked. */
enum { ENOUGH = 300 };
static int asked;
static bool test_ends(void *context, const struct sciara_compute_view *view, struct sciara_compute_wait *wait) {
  (void)context;
  __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
  *wait = (struct sciara_compute_wait){ENOUGH - covered_cells(view->state), INFINITY};
  return wait->cells <= 0;
}

/** One member has room next to another, not two. */
static enum sciara_status test_load(void *slots, int slot, const struct sciara_params *params,
                                    const struct sciara_vents *vents, const struct sciara_state *state,
                                    unsigned sides) {
  struct test_slot *s = (struct test_slot *)slots + slot;
  const struct sciara_window all = {.rows = state->grid.rows, .cols = state->grid.cols};
  int loaded = 0;
  test_clear(slots, slot);
  for (int k = 0; k < SLOTS; k++) loaded += test_slots[k].engine != NULL;
  if (slow_loads && loaded == 1) wait_for_advances();
  if (loaded == 2) return sciara_fail(SCIARA_ERR_MEMORY, "no room");
  if (loaded + 1 > most_loaded) most_loaded = loaded + 1;
  SCIARA_TRY(sciara_window_vents(vents, &all, &s->vents));
  SCIARA_TRY(sciara_state_clone(state, &s->state));
  SCIARA_TRY(sciara_engine_find("serial", SCIARA_RULE_FV3, SCIARA_DOUBLE, &s->ops));
  s->params = *params;
  s->sides = sides;
  s->covered = covered_cells(state);
  const struct sciara_engine_setup setup = {.params = &s->params, .vents = s->vents, .boundary = test_setup.boundary};
  SCIARA_TRY(s->ops->create(&setup, &s->engine));
  return s->ops->upload(s->engine, state);
}

static bool near_ring(const struct sciara_state *s, unsigned sides) {
  const int64_t rows = s->grid.rows, cols = s->grid.cols;
  bool found = false;
  for (int64_t r = 1; r < rows - 1; r++)
    for (int64_t c = 1; c < cols - 1; c++)
      found |= s->h[r * cols + c] > 0 &&
               ((sides & SCIARA_SIDE_NORTH && r == 1) || (sides & SCIARA_SIDE_SOUTH && r == rows - 2) ||
                (sides & SCIARA_SIDE_WEST && c == 1) || (sides & SCIARA_SIDE_EAST && c == cols - 2));
  return found;
}

static enum sciara_status test_advance(void *slots, const bool takes_part[], const struct sciara_stop stops[],
                                       struct sciara_engine_progress progress[]) {
  for (int k = 0; k < SLOTS; k++) {
    struct test_slot *s = (struct test_slot *)slots + k;
    if (!takes_part[k] || !s->engine) continue;
    for (int n = 0; n < STEPS_OF_ADVANCE; n++) {
      struct sciara_stop one = stops[k];
      SCIARA_TRY(s->ops->download(s->engine, s->state));
      if (one.steps > s->state->step + 1) one.steps = s->state->step + 1;
      SCIARA_TRY(s->ops->advance(s->engine, &one, &progress[k]));
      if (fails_at && progress[k].step == fails_at) { // always in the same cell of the map
        progress[k].bad.step = fails_at;
        progress[k].bad.row = 41 - (int64_t)((grid.north - s->state->grid.north) / grid.cell_size);
        progress[k].bad.col = 40 - (int64_t)((s->state->grid.west - grid.west) / grid.cell_size);
        break;
      }
      SCIARA_TRY(s->ops->download(s->engine, s->state));
      progress[k].reached = (uint64_t)(covered_cells(s->state) - s->covered);
      if (progress[k].reason != SCIARA_STOP_STEPS || progress[k].step >= stops[k].steps) break;
      const bool enough = stops[k].reached && progress[k].reached >= stops[k].reached;
      progress[k].reason = enough ? SCIARA_STOP_REACHED : SCIARA_STOP_WALL;
      if (enough) break;
      if (!near_ring(s->state, s->sides)) continue;
      progress[k].reason = SCIARA_STOP_RING;
      rings_met++;
      break;
    }
    if (progress[k].liquid_cells >= MUCH) __atomic_add_fetch(&advances_much, 1, __ATOMIC_RELAXED);
  }
  return SCIARA_OK;
}

static enum sciara_status test_download(void *slots, int slot, struct sciara_state *state) {
  const struct test_slot *s = (const struct test_slot *)slots + slot;
  return s->ops->download(s->engine, state);
}

/** A member that is left alone with a hundred liquid cells. */
static bool test_outgrown(const void *slots, const int64_t liquid[], int count) {
  (void)slots;
  if (count != 1 || liquid[0] < MUCH) return false;
  outgrown_at++;
  return true;
}

static const struct sciara_engine_slots test_table = {.create = test_create,
                                                      .destroy = test_destroy,
                                                      .load = test_load,
                                                      .advance = test_advance,
                                                      .download = test_download,
                                                      .clear = test_clear,
                                                      .outgrown = test_outgrown,
                                                      .successor = "openmp"};

static void assert_same_result(const struct sciara_footprint *a, const struct sciara_footprint *b) {
  ck_assert(!b->failed);
  ck_assert_uint_eq(a->checksum, b->checksum);
  ck_assert_uint_eq(a->steps, b->steps);
  ck_assert_uint_eq(a->cell_steps, b->cell_steps);
  ck_assert_int_eq(a->stop, b->stop);
  ck_assert_int_eq(a->censored, b->censored);
  ck_assert_int_eq(a->count, b->count);
  ck_assert_mem_eq(a->cell, b->cell, (size_t)a->count * sizeof *a->cell);
  ck_assert_mem_eq(a->arrival, b->arrival, (size_t)a->count * sizeof *a->arrival);
  ck_assert_mem_eq(a->max_deposit, b->max_deposit, (size_t)a->count * sizeof *a->max_deposit);
  ck_assert_mem_eq(&a->ledger, &b->ledger, sizeof a->ledger);
  ck_assert_str_eq(a->warnings, b->warnings);
}

/** A member computed by a thread of its own. */
struct slot_member {
  pthread_t thread;
  struct sciara_compute_setup setup;
  char *json;
  struct sciara_footprint footprint;
  enum sciara_status status;
};

static void *compute_in_slot(void *context) {
  struct slot_member *m = (struct slot_member *)context;
  bool cancelled;
  m->status = compute(&m->setup, m->json, &m->footprint, &cancelled);
  return NULL;
}

/**
 * The last of three members may leave its slot, as time allows; a single one leaves it early, or it cannot, for there is no
 * such engine; no member leaves while another one is being loaded; slots of the other precision take no member; members
 * that end early are asked less often.
 */
enum { STAYS, EARLY, LEAVES, NO_SUCCESSOR, ALONE, SLOW_LOAD, OTHER_PRECISION, SLOT_CASES };

/** Members in slots, of which two fit at a time, equal those with an engine of their own. */
TEST_EACH(slots_equal_engines, SLOT_CASES) {
  const bool single = _i == NO_SUCCESSOR || _i == ALONE;
  const int count = single ? 1 : _i == SLOW_LOAD ? 2 : SLOTS;
  rings_met = most_loaded = outgrown_at = advances_much = asked = 0;
  slow_loads = _i == SLOW_LOAD;
  left_too_soon = false;
  static const char *const runs[SLOTS] = {"{\"until\": \"1 h\"}", "{\"max_steps\": 500}",
                                          "{\"until\": \"front at rest\", \"front_at_rest\": \"30 min\"}"};
  OWNED(release_site) const struct sciara_site *site = make_site(false);
  const struct sciara_slots_setup setup = {
      .boundary = SCIARA_BOUNDARY_OPEN, .slots = SLOTS, .record = SCIARA_RECORD_MAX_DEPOSIT};
  struct slot_member members[SLOTS] = {0};
  struct sciara_pool *pool;
  struct sciara_engine_slots table = test_table;
  if (_i == NO_SUCCESSOR) table.successor = "none";
  table.single_precision = _i == OTHER_PRECISION;
  expect_ok(sciara_pool_create(&table, &setup, &pool));
  for (int k = 0; k < count; k++) {
    struct scene scene = scenes[0];
    scene.run = runs[k];
    members[k].json = scenario_of(&scene);
    members[k].setup = (struct sciara_compute_setup){.site = site,
                                                     .ground = sciara_site_checksum(site),
                                                     .threads = 1,
                                                     .device = -1,
                                                     .slot = sciara_pool_slot(pool, k),
                                                     .ends = _i == EARLY ? test_ends : NULL};
    sciara_pool_reserve(members[k].setup.slot);
  }
  if (_i > EARLY) sciara_pool_drain(pool);
  for (int k = 0; k < count; k++)
    ck_assert_int_eq(pthread_create(&members[k].thread, NULL, compute_in_slot, &members[k]), 0);
  for (int k = 0; k < count; k++) pthread_join(members[k].thread, NULL);
  sciara_pool_destroy(pool);
  slow_loads = false;
  ck_assert(!left_too_soon);
  if (_i != LEAVES && _i != SLOW_LOAD && _i != OTHER_PRECISION) ck_assert_int_eq(outgrown_at > 0, single);
  if (_i == STAYS) ck_assert_int_gt(rings_met, 0);
  const int asked_in_slots = asked;
  if (_i == LEAVES || _i == SLOW_LOAD) // the others may begin when one has left
    ck_assert_int_le(most_loaded, 2);
  else
    ck_assert_int_eq(most_loaded, _i == OTHER_PRECISION ? 0 : single ? 1 : 2);
  for (int k = 0; k < count; k++) {
    struct slot_member alone = members[k];
    ck_assert_int_eq(members[k].status, SCIARA_OK);
    ck_assert_ptr_null(test_slots[k].engine);
    alone.setup.slot = NULL;
    compute_in_slot(&alone);
    assert_same_result(&alone.footprint, &members[k].footprint);
    sciara_footprint_free(&alone.footprint);
    sciara_footprint_free(&members[k].footprint);
    free(members[k].json);
  }
  if (_i == EARLY) ck_assert(asked_in_slots > 0 && 3 * asked_in_slots < asked);
}

// -------------------------------------------------------------------------------------------------------- checkpoints

/** Cancels a member as soon as its checkpoint has been written again. */
struct watch {
  const char *path;
  int cancel, ends;
};

static ino_t inode_of(const char *path) {
  struct stat about;
  return path && stat(path, &about) == 0 ? about.st_ino : 0;
}

static void *watch_checkpoint(void *context) {
  struct watch *w = (struct watch *)context;
  const ino_t before = inode_of(w->path);
  while (!__atomic_load_n(&w->ends, __ATOMIC_RELAXED))
    if (inode_of(w->path) != before) __atomic_store_n(&w->cancel, 1, __ATOMIC_RELAXED);
  return NULL;
}

/** Computes a member until it ends, or until it has written a checkpoint if `stops`. */
static bool compute_part(struct sciara_compute_setup setup, const char *json, bool stops, struct sciara_footprint *f) {
  struct watch watch = {.path = setup.checkpoint, .ends = !stops};
  pthread_t thread;
  bool cancelled;
  setup.cancel = &watch.cancel;
  ck_assert_int_eq(pthread_create(&thread, NULL, watch_checkpoint, &watch), 0);
  expect_ok(compute(&setup, json, f, &cancelled));
  __atomic_store_n(&watch.ends, 1, __ATOMIC_RELAXED);
  pthread_join(thread, NULL);
  return !cancelled;
}

enum { IN_SLOT = 3, WITH_TOWER, CONTINUED };

static int continued;
static char continued_text[4096];

static void note_continued(void *context, enum sciara_log_level level, const char *message) {
  (void)context, (void)level;
  if (!strstr(message, "continues from step ") && !strstr(message, "starts from its beginning") &&
      !strstr(message, "checkpoint.h5"))
    return;
  continued++;
  snprintf(continued_text, sizeof continued_text, "%s", message);
}

/** A member that is ended again and again, and continues from its checkpoint, equals one that is not. */
TEST_FROM(a_member_continues, ONLY_THREADS ? IN_SLOT : 0, ONLY_THREADS ? IN_SLOT + 1 : CONTINUED) {
  static const struct scene tower = {"serial", "double", "open", VENT(40, 40, 4000), "{\"until\": \"7 min\"}"};
  static const int of_scenes[] = {0, 3, 6};
  const bool in_slot = _i == IN_SLOT, has_tower = _i == WITH_TOWER;
  const struct scene *scene = has_tower ? &tower : &scenes[in_slot ? 0 : of_scenes[_i]];
  const struct sciara_site *site = make_site(strcmp(scene->precision, "single") == 0);
  const struct sciara_slots_setup slots = {
      .boundary = SCIARA_BOUNDARY_OPEN, .slots = SLOTS, .record = SCIARA_RECORD_MAX_DEPOSIT};
  struct sciara_compute_setup setup = {.site = site,
                                       .ground = sciara_site_checksum(site),
                                       .threads = 1,
                                       .device = -1,
                                       .ensemble_hash = 1,
                                       .row_hash = 2};
  struct sciara_pool *pool = NULL;
  struct sciara_footprint whole, parts;
  folder_make();
  OWNED(free_memory) char *json = scenario_of(scene);
  const char *path = in_folder("7.checkpoint.h5");
  ck_assert(compute_part(setup, json, false, &whole));
  ck_assert_int_eq(strstr(whole.warnings, "stands") != NULL, has_tower);
  ck_assert_int_eq(whole.censored, has_tower);
  if (in_slot) expect_ok(sciara_pool_create(&test_table, &slots, &pool));
  if (in_slot) setup.slot = sciara_pool_slot(pool, 1);
  setup.checkpoint = path;
  setup.checkpoint_wall_s = 1e-9;
  sciara_log_set_sink(note_continued, NULL);
  continued = 0;
  for (int k = 0; k < 2 && !compute_part(setup, json, true, &parts); k++) {
  }
  sciara_footprint_free(&parts); // it may have ended
  const int before = continued;
  ck_assert(compute_part(setup, json, false, &parts)); // the last checkpoint is still there
  ck_assert_int_eq(continued, before + 1);
  ck_assert_msg(!strstr(continued_text, "from step 0 "), "%s", continued_text);
  ck_assert_ptr_nonnull(strstr(continued_text, "x.json: continues from step "));
  assert_same_result(&whole, &parts);
  sciara_footprint_free(&parts);
  if (in_slot) { // it has been stored soon after each start, to its end
    ck_assert(compute_part(setup, json, false, &parts));
    assert_same_result(&whole, &parts);
    sciara_footprint_free(&parts);
    const char *step = strstr(continued_text, "from step ");
    ck_assert_ptr_nonnull(step);
    ck_assert_uint_ge(strtoull(step + strlen("from step "), NULL, 10) + 2 * STEPS_OF_ADVANCE, whole.steps);
  }
  // A checkpoint of something else, or a damaged one, is not used.
  static const char *const found[] = {"that of another member;", "that of a member of another ensemble;",
                                      "that of a member on another ground;", "7.checkpoint.h5"};
  for (int k = 0; k < (int)(sizeof found / sizeof *found); k++) {
    struct scene other = *scene;
    other.run = "{\"until\": \"6 min\"}";
    if (k == 0) setup.row_hash++;
    if (k == 1) setup.ensemble_hash++;
    if (k == 2) setup.ground++;
    if (k == 3) ck_assert_int_eq(truncate(path, 5000), 0);
    OWNED(free_memory) char *text = scenario_of(&other);
    OWNED(sciara_footprint_free) struct sciara_footprint alone;
    ck_assert(compute_part(setup, text, false, &parts));
    ck_assert_msg(strstr(continued_text, found[k]) && strstr(continued_text, "starts from its beginning"), "%s",
                  continued_text);
    struct sciara_compute_setup plain = setup;
    plain.checkpoint = NULL;
    ck_assert(compute_part(plain, text, false, &alone));
    assert_same_result(&alone, &parts);
    sciara_footprint_free(&parts);
  }
  sciara_log_set_sink(NULL, NULL);
  sciara_pool_destroy(pool);
  sciara_footprint_free(&whole);
  sciara_site_release(site);
  folder_remove();
}

/** A checkpoint whose window reaches beyond an edge of the map, or lies outside of it, is not used. */
TEST(a_window_off_the_map) {
  static const struct scene scene = {"serial", "double", "open", VENT(100, 120, 60), "{\"until\": \"6 min\"}"};
  const struct sciara_site *site = make_site(false), *part;
  struct sciara_compute_setup setup = {
      .site = site, .ground = sciara_site_checksum(site), .threads = 1, .device = -1, .checkpoint_wall_s = 1e-9};
  struct sciara_checkpoint c;
  struct sciara_footprint whole, found;
  struct sciara_state *state;
  folder_make();
  OWNED(free_memory) char *json = scenario_of(&scene);
  const char *path = in_folder("7.checkpoint.h5");
  ck_assert(compute_part(setup, json, false, &whole));
  setup.checkpoint = path;
  ck_assert(compute_part(setup, json, false, &found)); // the last checkpoint is still there
  sciara_footprint_free(&found);
  expect_ok(sciara_checkpoint_read_header(path, &c));
  const struct sciara_grid g = c.identity.grid;
  const uint64_t row = c.window_row, col = c.window_col;
  ck_assert(row > 0 && col > 0 && row + (uint64_t)g.rows < ROWS && col + (uint64_t)g.cols < COLS);
  const struct sciara_window w = sciara_window_make(&grid, (int64_t)row, (int64_t)col, g.rows, g.cols);
  expect_ok(sciara_window_site(site, &w, SCIARA_BOUNDARY_OPEN, &part));
  expect_ok(sciara_state_create_on(part, SCIARA_RECORD_MAX_DEPOSIT, &state));
  expect_ok(sciara_checkpoint_read_state(path, &c, state));
  const uint64_t places[][2] = {{row, col},
                                {row, (uint64_t)(COLS - g.cols + 1)},
                                {(uint64_t)(ROWS - g.rows + 1), col},
                                {row, COLS},
                                {ROWS, col},
                                {INT64_MAX, col}};
  setup.checkpoint_wall_s = (double)INFINITY;
  sciara_log_set_sink(note_continued, NULL);
  for (int k = 0; k < (int)(sizeof places / sizeof *places); k++) {
    c.window_row = places[k][0];
    c.window_col = places[k][1];
    expect_ok(sciara_checkpoint_write(&c, state, path));
    ck_assert(compute_part(setup, json, false, &found));
    const char *said =
        k == 0 ? "x.json: continues from step " : "expected a window of a map of 150 rows x 170 columns, ";
    ck_assert_msg(strstr(continued_text, said) != NULL, "%d: %s", k, continued_text);
    assert_same_result(&whole, &found);
    sciara_footprint_free(&found);
  }
  sciara_log_set_sink(NULL, NULL);
  sciara_checkpoint_free(&c);
  sciara_state_destroy(state);
  sciara_site_release(part);
  sciara_site_release(site);
  sciara_footprint_free(&whole);
  folder_remove();
}

/** As if other files were open, so that no other one can be. */
static void allow_files(bool allowed) {
  struct rlimit limit;
  ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  if (!allowed) { // the lowest number that is free
    const int next = dup(0);
    ck_assert_int_ge(next, 0);
    close(next);
    limit.rlim_cur = (rlim_t)next;
  }
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/** A checkpoint that cannot be read is kept, and ends the member; a damaged one is kept until there is a new one. */
TEST(a_checkpoint_is_kept) {
  const struct sciara_site *site = make_site(false);
  struct sciara_compute_setup setup = {.site = site, .threads = 1, .device = -1, .ensemble_hash = 1};
  struct sciara_footprint f;
  const int cancel = 1;
  bool cancelled;
  setup.ground = sciara_site_checksum(site);
  folder_make();
  OWNED(free_memory) char *json = scenario_of(&scenes[0]);
  const char *path = in_folder("7.checkpoint.h5");
  setup.checkpoint = path;
  setup.checkpoint_wall_s = 1e-9;
  ck_assert(compute_part(setup, json, false, &f));
  sciara_footprint_free(&f);
  const ino_t inode = inode_of(path);
  setup.checkpoint_wall_s = 1e9;
  setup.cancel = &cancel;
  sciara_log_set_sink(note_continued, NULL);
  for (int k = 0; k < 2; k++) { // no file can be opened; links that end nowhere
    char *other = sciara_format("%s.other", path);
    if (k == 0) allow_files(false);
    if (k == 1) {
      ck_assert_int_eq(rename(path, other), 0);
      ck_assert_int_eq(symlink(path, path), 0);
    }
    expect_error(compute(&setup, json, &f, &cancelled), SCIARA_ERR_IO, path);
    if (k == 0) allow_files(true);
    if (k == 1) ck_assert_int_eq(rename(other, path), 0);
    free(other);
    continued = 0;
    expect_ok(compute(&setup, json, &f, &cancelled));
    ck_assert(cancelled && continued == 1 && strstr(continued_text, "continues from step"));
    ck_assert_uint_eq(inode_of(path), inode);
  }
  ck_assert_int_eq(truncate(path, 5000), 0);
  expect_ok(compute(&setup, json, &f, &cancelled));
  ck_assert_msg(strstr(continued_text, "starts from its beginning") != NULL, "%s", continued_text);
  ck_assert_uint_eq(inode_of(path), inode);
  sciara_log_set_sink(NULL, NULL);
  ck_assert_int_eq(unlink(path), 0);
  ck_assert_int_eq(rmdir(folder), 0);
  sciara_site_release(site);
}

/** Whether files may have more than a few bytes. */
static void allow_bytes(bool allowed) {
  struct rlimit limit;
  ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
  ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = allowed ? limit.rlim_max : 100;
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/** A checkpoint that cannot be written is a warning, given once and when the member is ended; one whose folder is gone, none. */
TEST(a_checkpoint_cannot_be_written) {
  const struct sciara_site *site = make_site(false);
  struct sciara_compute_setup setup = {.site = site, .ground = sciara_site_checksum(site), .threads = 1, .device = -1};
  struct sciara_footprint whole, f;
  int unstored = 0, cancel = SCIARA_CANCEL_STORE;
  bool cancelled;
  folder_make();
  OWNED(free_memory) char *json = scenario_of(&scenes[0]);
  const char *path = in_folder("7.checkpoint.h5");
  ck_assert(compute_part(setup, json, false, &whole));
  setup.checkpoint = path;
  setup.checkpoint_wall_s = 1e-9;
  setup.unstored = &unstored;
  sciara_log_set_sink(note_continued, NULL);
  continued = 0;
  allow_bytes(false);
  for (int k = 0; k < 2; k++) {
    ck_assert(compute_part(setup, json, false, &f));
    assert_same_result(&whole, &f);
    sciara_footprint_free(&f);
    ck_assert_int_eq(continued, 1);
    ck_assert_msg(strstr(continued_text, "7.checkpoint.h5") && strstr(continued_text, "members continue without"), "%s",
                  continued_text);
  }
  setup.cancel = &cancel;
  expect_ok(compute(&setup, json, &f, &cancelled));
  ck_assert(cancelled && continued == 2);
  ck_assert_ptr_nonnull(strstr(continued_text, "since its last checkpoint is lost"));
  cancel = SCIARA_CANCEL_DROP; // nothing is stored
  expect_ok(compute(&setup, json, &f, &cancelled));
  ck_assert(cancelled && continued == 2);
  allow_bytes(true);
  expect_ok(compute(&setup, json, &f, &cancelled));
  ck_assert_int_eq(inode_of(path), 0);
  ck_assert_int_eq(rmdir(folder), 0); // empty
  cancel = SCIARA_CANCEL_STORE;
  expect_ok(compute(&setup, json, &f, &cancelled));
  ck_assert(cancelled && continued == 2 && inode_of(folder) == 0);
  sciara_log_set_sink(NULL, NULL);
  sciara_footprint_free(&whole);
  sciara_site_release(site);
}

/** The bytes of a batch with this member alone. */
static char *bytes_of(struct sciara_footprint *f, size_t *count) {
  const struct sciara_batch_header header = {.rows = ROWS, .cols = COLS};
  const char *path = in_folder("000000.h5");
  f->seconds = 0;
  expect_ok(sciara_batch_write(path, &header, f, 1, true));
  char *bytes = read_bytes(path, count);
  sciara_footprint_free(f);
  ck_assert_int_eq(unlink(path), 0);
  return bytes;
}

/** The record of a member that fails is the same wherever its parts end, and after it has continued. */
TEST(a_failed_member_is_the_same_in_parts) {
  enum { FAILS_AT = 700 };
  const struct sciara_site *site = make_site(false);
  const struct sciara_slots_setup slots = {
      .boundary = SCIARA_BOUNDARY_OPEN, .slots = SLOTS, .record = SCIARA_RECORD_MAX_DEPOSIT};
  struct sciara_compute_setup setup = {.site = site, .ground = sciara_site_checksum(site), .threads = 1, .device = -1};
  struct sciara_footprint f;
  struct sciara_pool *pool;
  char *whole = NULL;
  size_t count = 0, length;
  folder_make();
  OWNED(free_memory) char *json = scenario_of(&scenes[0]);
  const char *path = in_folder("7.checkpoint.h5");
  expect_ok(sciara_pool_create(&test_table, &slots, &pool));
  setup.slot = sciara_pool_slot(pool, 0);
  fails_at = FAILS_AT;
  for (int k = 0; k < 3; k++) { // without a checkpoint; with one after each part; continued
    setup.checkpoint = k > 0 ? path : NULL;
    setup.checkpoint_wall_s = 1e-9;
    ck_assert(compute_part(setup, json, false, &f));
    ck_assert(f.failed);
    ck_assert_ptr_nonnull(strstr(f.error, "step 700: row 41, column 40: "));
    ck_assert_uint_eq(f.steps, FAILS_AT);
    char *bytes = bytes_of(&f, &length);
    if (k == 0) {
      whole = bytes;
      count = length;
      continue;
    }
    ck_assert_uint_eq(length, count);
    ck_assert_mem_eq(bytes, whole, count);
    free(bytes);
  }
  ck_assert_int_eq(unlink(path), 0);
  ck_assert_int_eq(rmdir(folder), 0);
  fails_at = 0;
  sciara_pool_destroy(pool);
  sciara_site_release(site);
  free(whole);
}

RUN_TESTS()
