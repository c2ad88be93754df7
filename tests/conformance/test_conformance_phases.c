// SPDX-License-Identifier: Apache-2.0
// Steps in phases: those of a whole map are bit-identical to `advance` of the same engine. A map divided into bands,
// with one engine for each, gives the fields and totals of the whole map. test_conformance_phases [ENGINE...]: the
// engines named, else all that are available and have phases.
#include "engine/stop_rule.h"
#include "support/conformance.h"
#include "support/owned.h"
#include "support/writable.h"

enum { MAXIMA = SCIARA_RECORD_EVERYTHING };

static void expect_progress(const struct sciara_engine_progress *a, const struct sciara_engine_progress *b,
                            const char *context) {
  const struct {
    const char *name;
    uint64_t a, b;
  } counts[] = {{"step", a->step, b->step},
                {"liquid_cells", (uint64_t)a->liquid_cells, (uint64_t)b->liquid_cells},
                {"solidifications", a->solidifications, b->solidifications},
                {"losses", a->losses, b->losses},
                {"sea_losses", a->sea_losses, b->sea_losses},
                {"cell_steps", a->cell_steps, b->cell_steps},
                {"bad.step", 0, b->bad.step}};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
    ck_assert_msg(counts[k].a == counts[k].b, "%s: %s is %llu, expected %llu", context, counts[k].name,
                  (unsigned long long)counts[k].b, (unsigned long long)counts[k].a);
  const double expected[] = {a->time, a->clock, a->emitted}, found[] = {b->time, b->clock, b->emitted};
  ck_assert_msg(memcmp(expected, found, sizeof found) == 0,
                "%s: time, clock and emitted are %.17g, %.17g and %.17g, expected %.17g, %.17g and %.17g", context,
                b->time, b->clock, b->emitted, a->time, a->clock, a->emitted);
}

static void expect_state(const struct sciara_state *expected, const struct sciara_state *found, const char *context) {
  char text[256];
  ck_assert_msg(!states_differ(expected, found, text, sizeof text), "%s: %s", context, text);
}

// --------------------------------------------------------------------------------------------------------- whole maps

/** On a GPU, where small maps take as long as large ones, there are fewer steps, unless SCIARA_TORTURE is set. */
static bool few_steps(void) { return engine_tested[0]->capabilities & SCIARA_CAN_DEVICE && !getenv("SCIARA_TORTURE"); }

/** A step in phases. */
static void run_phases(struct run *r) {
  double t_opt = NAN;
  expect_ok(r->ops->phases->evaluate(r->engine, 0, &t_opt));
  expect_ok(r->ops->phases->move(r->engine, t_opt, &r->at));
  ck_assert_int_eq(r->at.reason, SCIARA_STOP_NONE);
}

/** Whether `advance` to that step would do another step: with steps in phases the caller applies the stop rule. */
static bool continues(const struct scene *s, const struct sciara_engine_progress *at, uint64_t steps) {
  const struct sciara_stop_rule rule = {
      .steps = steps, .time = INFINITY, .vents_end = sciara_vents_end(s->vents), .solidified = true};
  return sciara_stop_test(&rule, at->step, at->time, at->clock, at->liquid_cells != 0, false) == SCIARA_STOP_NONE;
}

/** Continues both runs to a step: one by `advance`, the other in phases, with every `mixed`-th step by `advance`. */
static void run_both(const struct scene *s, struct run *whole, struct run *phased, uint64_t steps, uint64_t mixed,
                     const char *context) {
  run_to_step(whole, whole->at.step);
  run_to_step(phased, whole->at.step);
  while (continues(s, &phased->at, steps)) {
    run_to_step(whole, whole->at.step + 1);
    if (mixed && whole->at.step % mixed == 0)
      run_to_step(phased, whole->at.step);
    else
      run_phases(phased);
    expect_progress(&whole->at, &phased->at, context);
  }
  ck_assert(!continues(s, &whole->at, steps));
}

static void run_whole(const struct conformance_case *c, enum sciara_precision p, int threads, uint64_t mixed,
                      uint64_t most) {
  struct pair both;
  c->build(&both.scene, c->variant, MAXIMA);
  scene_finish(&both.scene, p);
  pair_start(&both, p, engine_tested[p], NULL, threads);
  for (int k = 0; k < 4 && c->steps[k]; k++) {
    char context[160];
    snprintf(context, sizeof context, "%s, %s, %s, %d threads, to step %d", both.tested.ops->name, precision_name(p),
             c->name, threads, (int)c->steps[k]);
    run_both(&both.scene, &both.serial, &both.tested, c->steps[k] < most ? c->steps[k] : most, mixed, context);
    pair_is_equal(&both, context);
  }
  pair_end(&both);
}

TEST_EACH(whole_map, 2 * conformance_case_count()) {
  size_t count;
  const struct conformance_case *c = &conformance_cases(&count)[_i / 2];
  run_whole(c, (enum sciara_precision)(_i % 2), 1, _i % 5 ? 0 : 3, few_steps() ? 300 : UINT64_MAX);
}

static const struct conformance_case *case_of(const char *name) {
  size_t cases, k = 0;
  const struct conformance_case *list = conformance_cases(&cases);
  while (k < cases && strcmp(list[k].name, name) != 0) k++;
  ck_assert_uint_lt(k, cases);
  return &list[k];
}

// Each phase of each step starts the threads again: few steps, but enough for a new distribution of the work.
TEST_EACH(with_threads, 2 * 2) {
  static const char *const names[] = {"lake that freezes", "31 x 37"};
  if (!(engine_tested[0]->capabilities & SCIARA_CAN_THREADS)) return; // one thread: whole_map
  run_whole(case_of(names[_i / 2]), (enum sciara_precision)(_i % 2), 3, 0, 70);
}

// -------------------------------------------------------------------------------------------------------------- bands

enum { MOST_BANDS = 3 };

/** A band of a scene: its own rows are [first, first + count) of the map. */
struct band {
  struct scene scene; ///< the own rows and the halo
  struct run run;
  int64_t first, count, north, south; ///< north, south: rows of the halo
};

/** A scene in bands. */
struct bands {
  int count;
  struct band band[MOST_BANDS];
  void *rows; ///< buffer for rows sent from a band to the next
  double emitted;
};

static void copy_row(struct sciara_state *to, int64_t to_row, const struct sciara_state *from, int64_t from_row) {
  const int64_t cols = from->grid.cols, a = to_row * cols, b = from_row * cols;
  memcpy(writable_kind(to) + a, from->kind + b, (size_t)cols);
  memcpy(writable_ground(to) + a, from->z0 + b, (size_t)cols * sizeof(double));
#define SCIARA_REAL_FIELD(member) memcpy(to->member + a, from->member + b, (size_t)cols * sizeof(double));
#define SCIARA_DOUBLE_FIELD(member) SCIARA_REAL_FIELD(member)
#define SCIARA_RECORDED_FIELD(member, NAME, ...) SCIARA_REAL_FIELD(member)
#include "model/fields.def"
}

/** Makes a scene of the rows of a band and its halo. Kinds are those of the map. */
static void cut_scene(const struct scene *s, struct band *b) {
  struct sciara_grid grid = s->state->grid;
  const int64_t top = b->first - b->north;
  grid.rows = b->north + b->count + b->south;
  grid.north -= (double)top * grid.cell_size;
  b->scene = (struct scene){.params = s->params, .boundary = s->boundary, .vents = sciara_vents_create()};
  uint8_t *valid = calloc((size_t)sciara_grid_cells(&grid), 1);
  expect_ok(sciara_state_create(&grid, s->state->z0, valid, MAXIMA, &b->scene.state));
  free(valid);
  for (int64_t r = 0; r < grid.rows; r++) copy_row(b->scene.state, r, s->state, top + r);
  b->scene.state->clock = s->state->clock;
  const struct sciara_vents *v = s->vents;
  for (int64_t k = 0; k < v->count; k++) {
    double edges[64];
    const int64_t slot = v->first[k], slots = v->first[k + 1] - slot;
    if (v->row[k] < top || v->row[k] >= top + grid.rows) continue;
    memcpy(edges, v->begin + slot, (size_t)slots * sizeof *edges);
    edges[slots] = v->end[slot + slots - 1];
    expect_ok(sciara_vents_add(b->scene.vents, v->row[k] - top, v->col[k], slots, edges, v->rate + slot));
  }
}

static void start_band(const struct scene *s, struct band *b, const struct sciara_engine_ops *ops, int threads) {
  cut_scene(s, b);
  const struct sciara_engine_setup setup = {.params = &b->scene.params,
                                            .vents = b->scene.vents,
                                            .boundary = b->scene.boundary,
                                            .threads = threads,
                                            .options = ops == engine_tested[0] || ops == engine_tested[1]
                                                           ? engine_options
                                                           : (struct sciara_engine_options){0},
                                            .halo_north = b->north,
                                            .halo_south = b->south};
  b->run = (struct run){.ops = ops};
  expect_ok(ops->create(&setup, &b->run.engine));
  expect_ok(ops->upload(b->run.engine, b->scene.state));
}

/** Creates bands that begin in the rows `first` of the map; the first one runs on engine `northern`. */
static void bands_start(struct bands *b, const struct scene *s, int threads, const struct sciara_engine_ops *northern,
                        const struct sciara_engine_ops *ops, int count, const int64_t *first) {
  *b = (struct bands){.count = count};
  for (int n = 0; n < count; n++) {
    const int64_t end = n + 1 < count ? first[n + 1] : s->state->grid.rows;
    b->band[n].first = first[n];
    b->band[n].count = end - first[n];
    b->band[n].north = n > 0 ? SCIARA_HALO_ROWS : 0;
    b->band[n].south = n + 1 < count ? SCIARA_HALO_ROWS : 0;
    start_band(s, &b->band[n], n == 0 ? northern : ops, threads);
  }
  const struct run *r = &b->band[0].run, *last = &b->band[count - 1].run;
  ck_assert_uint_eq(r->ops->phases->row_bytes(r->engine), last->ops->phases->row_bytes(last->engine));
  b->rows = malloc(SCIARA_HALO_ROWS * r->ops->phases->row_bytes(r->engine));
  ck_assert_ptr_nonnull(b->rows);
}

static void bands_end(struct bands *b) {
  for (int n = 0; n < b->count; n++) {
    run_end(&b->band[n].run);
    scene_free(&b->band[n].scene);
  }
  free(b->rows);
}

/** Copies halo rows: from row `from` of one band to row `to` of another. */
static void send_rows(struct bands *b, const struct band *giver, int64_t from, const struct band *receiver,
                      int64_t to) {
  expect_ok(giver->run.ops->phases->pack(giver->run.engine, from, SCIARA_HALO_ROWS, b->rows));
  expect_ok(receiver->run.ops->phases->unpack(receiver->run.engine, to, SCIARA_HALO_ROWS, b->rows));
}

/** A step of all bands. The emitted volume is summed up here, in file order, because no band has all vents. */
static void bands_step(struct bands *b, const struct scene *s) {
  double t_opt = INFINITY;
  const struct sciara_state *start = s->state;
  const struct sciara_engine_progress *at = &b->band[0].run.at;
  const double time = at->step ? at->time : start->time, clock = at->step ? at->clock : start->clock;
  for (int64_t k = 0; k < s->vents->count; k++) {
    const struct sciara_vents *v = s->vents;
    b->emitted += sciara_vent_volume(v->begin, v->end, v->rate, v->first[k], v->first[k + 1], time, clock);
  }
  for (int n = 0; n + 1 < b->count; n++) {
    const struct band *north = &b->band[n], *south = &b->band[n + 1];
    send_rows(b, north, north->north + north->count - SCIARA_HALO_ROWS, south, 0);
    send_rows(b, south, south->north, north, north->north + north->count);
  }
  for (int n = 0; n < b->count; n++) {
    double mine = NAN;
    expect_ok(b->band[n].run.ops->phases->evaluate(b->band[n].run.engine, 0, &mine));
    ck_assert(mine > 0 && mine <= s->params.t_max);
    t_opt = mine < t_opt ? mine : t_opt;
  }
  for (int n = 0; n < b->count; n++) {
    struct run *r = &b->band[n].run;
    expect_ok(r->ops->phases->move(r->engine, t_opt, &r->at));
  }
}

/** Time, clock and the sums of the counts. */
static struct sciara_engine_progress bands_progress(const struct bands *b) {
  struct sciara_engine_progress sum = b->band[0].run.at;
  double emitted = sum.emitted;
  for (int n = 1; n < b->count; n++) {
    const struct sciara_engine_progress *at = &b->band[n].run.at;
    ck_assert_double_eq(at->time, sum.time);
    ck_assert_double_eq(at->clock, sum.clock);
    emitted += at->emitted;
    sum.liquid_cells += at->liquid_cells;
    sum.solidifications += at->solidifications;
    sum.losses += at->losses;
    sum.sea_losses += at->sea_losses;
    sum.cell_steps += at->cell_steps;
  }
  // Each vent belongs to one band, so the sums are rounded differently.
  ck_assert_msg(fabs(emitted - b->emitted) <= 1e-12 * b->emitted, "the bands emitted %.17g m3, the vents %.17g",
                emitted, b->emitted);
  sum.emitted = b->emitted;
  return sum;
}

/** The state of the map. */
static struct sciara_state *bands_state(const struct bands *b, const struct scene *s) {
  const struct sciara_engine_progress sum = bands_progress(b);
  struct sciara_state *map;
  expect_ok(sciara_state_clone(s->state, &map));
  for (int n = 0; n < b->count; n++) {
    const struct band *band = &b->band[n];
    OWNED(destroy_state) struct sciara_state *mine;
    expect_ok(sciara_state_clone(band->scene.state, &mine));
    expect_ok(band->run.ops->download(band->run.engine, mine));
    ck_assert_uint_eq(mine->solidifications, band->run.at.solidifications);
    for (int64_t r = 0; r < band->count; r++) copy_row(map, band->first + r, mine, band->north + r);
  }
  map->time = sum.time;
  map->clock = sum.clock;
  map->step = sum.step;
  map->emitted = sum.emitted;
  map->solidifications = sum.solidifications;
  return map;
}

static bool is_reached(const struct sciara_state *s, int64_t first, int64_t count) {
  bool reached = false;
  for (int64_t i = first * s->grid.cols; i < (first + count) * s->grid.cols; i++) reached |= s->arrival[i] >= 0;
  return reached;
}

/** Compares at most `most` steps of a scene, whole and in bands. Returns whether every band has lava at the end. */
static bool run_bands(const struct conformance_case *c, enum sciara_precision p, int threads, uint64_t most,
                      const struct sciara_engine_ops *northern, int count, const int64_t *first) {
  struct scene s;
  struct run whole;
  struct bands b;
  char context[160];
  c->build(&s, c->variant, MAXIMA);
  scene_finish(&s, p);
  run_start(&whole, engine_tested[p], &s, 1);
  bands_start(&b, &s, threads, northern, engine_tested[p], count, first);
  snprintf(context, sizeof context, "%s, %s, %s, %d bands, the second from row %d on", whole.ops->name,
           precision_name(p), c->name, count, (int)first[1]);
  bool everywhere = true;
  for (int k = 0; k < 4 && c->steps[k]; k++) {
    run_to_step(&whole, whole.at.step); // progress at the start
    while (continues(&s, &whole.at, c->steps[k] < most ? c->steps[k] : most)) {
      run_to_step(&whole, whole.at.step + 1);
      bands_step(&b, &s);
      const struct sciara_engine_progress all = bands_progress(&b);
      expect_progress(&whole.at, &all, context);
    }
    OWNED(destroy_state) struct sciara_state *a = run_state(&whole, s.state), *map = bands_state(&b, &s);
    expect_state(a, map, context);
    everywhere = true;
    for (int n = 0; n < count; n++) everywhere = everywhere && is_reached(a, b.band[n].first, b.band[n].count);
  }
  bands_end(&b);
  run_end(&whole);
  scene_free(&s);
  return everywhere;
}

/** Rows and the first vent of a case. */
static int64_t rows_of(const struct conformance_case *c, int64_t *vent) {
  OWNED(scene_free) struct scene s;
  c->build(&s, c->variant, 0);
  const int64_t rows = s.state->grid.rows;
  *vent = s.vents->count ? s.vents->row[0] : rows / 2;
  return rows;
}

// Cuts in the middle of the map and near the first vent, so that the vent lies in each row near a cut and in the halos.
TEST_EACH(two_bands, 2 * conformance_case_count()) {
  size_t cases;
  const enum sciara_precision p = (enum sciara_precision)(_i % 2);
  const struct conformance_case *c = &conformance_cases(&cases)[_i / 2];
  int64_t vent;
  const int64_t rows = rows_of(c, &vent);
  const int64_t cuts[] = {rows / 2, vent - 2, vent - 1, vent, vent + 1, vent + 2, vent + 3};
  for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
    const int64_t first[] = {0, cuts[k]};
    const struct sciara_engine_ops *northern = k % 2 ? engine_serial(p) : engine_tested[p];
    if (cuts[k] < SCIARA_HALO_ROWS || rows - cuts[k] < SCIARA_HALO_ROWS) continue;
    run_bands(c, p, 1, k && few_steps() ? 40 : 200, northern, 2, first);
  }
}

// Lava flows through all three bands; the middle one has a halo on each side.
TEST_EACH(three_bands, 2 * 7) {
  static const struct {
    const char *name;
    int64_t first[MOST_BANDS];
  } scenes[] = {{"ramp", {0, 5, 9}},
                {"hole", {0, 6, 9}},
                {"31 x 37", {0, 10, 12}},
                {"fissure", {0, 7, 11}},
                {"converging flows", {0, 13, 40}},
                {"lake that freezes", {0, 18, 20}},
                {"initial lava and vents", {0, 9, 12}}};
  const int n = _i / 2;
  const struct conformance_case *c = case_of(scenes[n].name);
  const enum sciara_precision p = (enum sciara_precision)(_i % 2);
  ck_assert_msg(run_bands(c, p, 1, 300, engine_tested[p], MOST_BANDS, scenes[n].first), "%s: a band is without lava",
                c->name);
  if (engine_tested[p]->capabilities & SCIARA_CAN_THREADS)
    run_bands(c, p, 2, 20, engine_tested[p], MOST_BANDS, scenes[n].first);
}

// ----------------------------------------------------------------------------------------------------------- contract

// Wrong calls are errors and change nothing.
TEST_EACH(wrong_calls, 2) {
  const enum sciara_precision p = (enum sciara_precision)_i;
  const struct sciara_engine_phases *phases = engine_tested[p]->phases;
  OWNED(scene_free) struct scene s;
  struct bands b;
  conformance_build("ramp", p, MAXIMA, &s);
  bands_start(&b, &s, 1, engine_tested[p], engine_tested[p], 3, (const int64_t[]){0, 10, 20});
  void *engine = b.band[1].run.engine; // rows 2 to 11 of 14 are own
  struct sciara_engine_progress at;
  double t_opt;
  const struct sciara_stop stop = {.steps = 1, .time = INFINITY};
  ck_assert_int_eq(engine_tested[p]->advance(engine, &stop, &at), SCIARA_ERR_INTERNAL);
  ck_assert_int_eq(phases->move(engine, 1, &at), SCIARA_ERR_INTERNAL);
  const int64_t never_packed[][2] = {{1, 2}, {11, 2}, {2, -1}, {-1, 1}, {14, 1}, {2, INT64_MAX}};
  const int64_t never_unpacked[][2] = {{1, 2}, {2, 1}, {11, 1}, {13, 2}, {0, -1}, {-1, 1}, {12, INT64_MAX}, {0, 14}};
  for (size_t k = 0; k < sizeof never_packed / sizeof *never_packed; k++)
    ck_assert_int_eq(phases->pack(engine, never_packed[k][0], never_packed[k][1], b.rows), SCIARA_ERR_INTERNAL);
  for (size_t k = 0; k < sizeof never_unpacked / sizeof *never_unpacked; k++)
    ck_assert_int_eq(phases->unpack(engine, never_unpacked[k][0], never_unpacked[k][1], b.rows), SCIARA_ERR_INTERNAL);
  expect_ok(phases->evaluate(engine, 0, &t_opt));
  ck_assert_int_eq(phases->evaluate(engine, 0, &t_opt), SCIARA_ERR_INTERNAL);
  ck_assert_int_eq(phases->pack(engine, 2, 2, b.rows), SCIARA_ERR_INTERNAL);
  ck_assert_int_eq(phases->unpack(engine, 0, 2, b.rows), SCIARA_ERR_INTERNAL);
  ck_assert_int_eq(phases->move(engine, NAN, &at), SCIARA_ERR_INTERNAL);
  ck_assert_int_eq(phases->move(engine, 0, &at), SCIARA_ERR_INTERNAL);
  expect_ok(phases->move(engine, t_opt, &at));
  bands_end(&b);
  OWNED(run_end) struct run r;
  run_start(&r, engine_tested[p], &s, 1);
  expect_ok(phases->evaluate(r.engine, 0, &t_opt));
  ck_assert_int_eq(r.ops->advance(r.engine, &stop, &at), SCIARA_ERR_INTERNAL);
}

TEST_EACH(wrong_halo, 2) {
  static const int64_t halos[][2] = {{1, 0}, {0, 1}, {3, 0}, {-2, 0}, {2, 2}, {0, -1}};
  const enum sciara_precision p = (enum sciara_precision)_i;
  const struct sciara_engine_ops *ops = engine_tested[p];
  OWNED(scene_free) struct scene s;
  scene_make(&s, 4, 7, 0, relief_flat, 0);
  scene_finish(&s, p);
  for (size_t k = 0; k < sizeof halos / sizeof *halos; k++) {
    const struct sciara_engine_setup setup = {
        .params = &s.params, .vents = s.vents, .halo_north = halos[k][0], .halo_south = halos[k][1]};
    void *engine;
    expect_ok(ops->create(&setup, &engine));
    ck_assert_int_eq(ops->upload(engine, s.state), SCIARA_ERR_INTERNAL);
    ops->destroy(engine);
  }
}

// `move` reports invalid numbers like `advance`.
TEST_EACH(bad_number, 2) {
  const enum sciara_precision p = (enum sciara_precision)_i;
  const struct sciara_stop stop = {.steps = 1, .time = INFINITY};
  OWNED(scene_free) struct scene s;
  OWNED(run_end) struct run whole, phased;
  double t_opt;
  conformance_build("flat pool", p, MAXIMA, &s);
  s.state->h[10 * 23 + 11] = NAN;
  run_start(&whole, engine_tested[p], &s, 1);
  run_start(&phased, engine_tested[p], &s, 1);
  ck_assert_int_eq(whole.ops->advance(whole.engine, &stop, &whole.at), SCIARA_ERR_NUMERIC);
  expect_ok(phased.ops->phases->evaluate(phased.engine, 0, &t_opt));
  ck_assert_int_eq(phased.ops->phases->move(phased.engine, t_opt, &phased.at), SCIARA_ERR_NUMERIC);
  ck_assert_uint_eq(phased.at.bad.step, 1);
  ck_assert_int_eq(phased.at.bad.row, whole.at.bad.row);
  ck_assert_int_eq(phased.at.bad.col, whole.at.bad.col);
}

int main(int argc, char **argv) { return conformance_main_in_phases(argc, argv, &tests_here); }
