// SPDX-License-Identifier: Apache-2.0
#include "support/conformance.h"

#include "model/ledger.h"
#include "support/engine_spec.h"
#include "support/every_field.h"
#include "support/writable.h"

const struct sciara_engine_ops *engine_tested[2];
enum sciara_rule_kind rule_tested;
struct sciara_engine_options engine_options;
static const struct sciara_engine_options no_options;

const struct sciara_engine_ops *engine_serial(enum sciara_precision precision) {
  const struct sciara_engine_ops *ops;
  expect_ok(sciara_engine_find("serial", rule_tested, precision, &ops));
  return ops;
}

double precision_epsilon(enum sciara_precision precision) {
  return precision == SCIARA_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON;
}

const char *precision_name(enum sciara_precision precision) { return precision == SCIARA_DOUBLE ? "double" : "single"; }

// ------------------------------------------------------------------------------------------------------------ scenes

/** Makes lava of rule bingham as mobile on 10 m cells as that of fv3; the default is for flows of a whole event. */
static void make_runny(struct sciara_params *p) {
  if (p->rule != SCIARA_RULE_BINGHAM) return;
  p->viscosity_vent = 2e4;
  p->viscosity_sol = 2e6;
  p->yield_vent = 800;
  p->yield_sol = 6000;
  p->radiating = 0.047;
}

void scene_make(struct scene *s, int64_t rows, int64_t cols, unsigned record, scene_altitude *altitude, int variant) {
  const struct sciara_grid grid = {.rows = rows, .cols = cols, .cell_size = 10, .west = 500000, .north = 4180000};
  double *z = malloc((size_t)(rows * cols) * sizeof *z);
  uint8_t *valid = malloc((size_t)(rows * cols));
  ck_assert(z && valid);
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < cols; c++) {
      z[r * cols + c] = altitude(r, c, variant);
      valid[r * cols + c] = !isnan(z[r * cols + c]);
    }
  *s = (struct scene){
      .params = sciara_params_of_rule(rule_tested), .boundary = SCIARA_BOUNDARY_OPEN, .vents = sciara_vents_create()};
  make_runny(&s->params);
  expect_ok(sciara_state_create(&grid, z, valid, record, &s->state));
  free(z);
  free(valid);
}

double by_rule(double fv3, double bingham) { return rule_tested == SCIARA_RULE_BINGHAM ? bingham : fv3; }

void scene_cooling(struct scene *s, double delta) {
  struct sciara_params *p = &s->params;
  const double w = s->state->grid.cell_size, share = delta / (w * w);
  p->cooling = delta;
  if (p->rule != SCIARA_RULE_BINGHAM) return;
  p->radiating = fmin(share, 1);
  p->c_v = sciara_params_of_rule(rule_tested).c_v / fmax(share, 1);
}

void scene_vent(struct scene *s, int64_t row, int64_t col, double slot, int64_t n, const double *rates) {
  double edges[64];
  ck_assert_int_lt(n, 64);
  for (int64_t k = 0; k <= n; k++) edges[k] = (double)k * slot;
  expect_ok(sciara_vents_add(s->vents, row, col, n, edges, rates));
}

void scene_lava(struct scene *s, int64_t row, int64_t col, double h, double T) {
  const int64_t i = row * s->state->grid.cols + col;
  ck_assert_uint_eq(s->state->kind[i], SCIARA_CELL_INTERIOR);
  s->state->h[i] = h;
  s->state->T[i] = T;
  s->state->arrival[i] = 0;
}

void scene_finish(struct scene *s, enum sciara_precision precision) {
  struct sciara_state *state = s->state;
  double sum = 0;
  for (int64_t i = 0; i < sciara_grid_cells(&state->grid); i++) {
    if (precision == SCIARA_SINGLE_PRECISION) {
      state->z[i] = writable_ground(state)[i] = (double)(float)state->z[i];
      state->h[i] = (double)(float)state->h[i];
      state->T[i] = (double)(float)state->T[i];
    }
    sum += state->h[i];
  }
  state->initial = state->grid.cell_size * state->grid.cell_size * sum;
  state->clock = s->params.t_first;
  expect_ok(sciara_params_check(&s->params));
  expect_ok(sciara_vents_check(s->vents, &state->grid, state->kind));
}

void scene_free(struct scene *s) {
  sciara_state_destroy(s->state);
  sciara_vents_destroy(s->vents);
}

void conformance_build(const char *name, enum sciara_precision precision, unsigned record, struct scene *s) {
  size_t count;
  const struct conformance_case *list = conformance_cases(&count);
  for (size_t k = 0; k < count; k++) {
    if (strcmp(list[k].name, name) != 0) continue;
    list[k].build(s, list[k].variant, record);
    scene_finish(s, precision);
    return;
  }
  ck_abort_msg("there is no case \"%s\"", name);
}

// -------------------------------------------------------------------------------------------------------------- runs

void run_start(struct run *r, const struct sciara_engine_ops *ops, const struct scene *s, int threads) {
  const struct sciara_engine_setup setup = {
      .params = &s->params,
      .vents = s->vents,
      .boundary = s->boundary,
      .threads = threads,
      .options = ops == engine_tested[0] || ops == engine_tested[1] ? engine_options : no_options};
  *r = (struct run){.ops = ops};
  expect_ok(ops->create(&setup, &r->engine));
  expect_ok(ops->upload(r->engine, s->state));
}

int run_until(struct run *r, struct sciara_stop stop) {
  int pauses = 0;
  for (;; pauses++) {
    const enum sciara_status status = r->ops->advance(r->engine, &stop, &r->at);
    ck_assert_msg(status == SCIARA_OK, "%s: %s", r->ops->name, sciara_last_error());
    ck_assert_msg(r->at.reason != SCIARA_STOP_NONE, "%s returned without a reason", r->ops->name);
    ck_assert_uint_eq(r->at.bad.step, 0);
    if (r->at.reason != SCIARA_STOP_WALL) return pauses;
  }
}

void run_to_step(struct run *r, uint64_t steps) {
  run_until(r, (struct sciara_stop){.steps = steps, .time = INFINITY, .solidified = true});
}

struct sciara_state *run_state(struct run *r, const struct sciara_state *like) {
  struct sciara_state *state;
  expect_ok(sciara_state_clone(like, &state));
  expect_ok(r->ops->download(r->engine, state));
  if (r->at.reason == SCIARA_STOP_NONE) return state; // not yet advanced
  ck_assert_uint_eq(state->step, r->at.step);
  ck_assert_double_eq(state->time, r->at.time);
  ck_assert_double_eq(state->clock, r->at.clock);
  ck_assert_double_eq(state->emitted, r->at.emitted);
  ck_assert_uint_eq(state->solidifications, r->at.solidifications);
  ck_assert_int_eq(sciara_state_liquid_cells(state), r->at.liquid_cells);
  return state;
}

void run_end(struct run *r) {
  r->ops->destroy(r->engine);
  r->engine = NULL;
}

// -------------------------------------------------------------------------------------------------------- comparison

enum { FIELDS = EVERY_FIELD + 1 };

struct named_field {
  const char *name;
  const double *value;
};

static void fields_of(const struct sciara_state *s, struct named_field out[FIELDS]) {
  for (int k = 0; k < EVERY_FIELD; k++) out[k] = (struct named_field){every_field_name(k), every_field(s, k)};
  out[EVERY_FIELD] = (struct named_field){"z0", s->z0};
}

static bool bit_identical(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static bool totals_differ(const struct sciara_state *a, const struct sciara_state *b, char *text, size_t capacity) {
  const struct {
    const char *name;
    double a, b;
  } totals[] = {{"step", (double)a->step, (double)b->step},
                {"clock", a->clock, b->clock},
                {"time", a->time, b->time},
                {"initial", a->initial, b->initial},
                {"emitted", a->emitted, b->emitted},
                {"solidifications", (double)a->solidifications, (double)b->solidifications}};
  for (size_t k = 0; k < sizeof totals / sizeof *totals; k++)
    if (!bit_identical(totals[k].a, totals[k].b)) {
      snprintf(text, capacity, "%s is %.17g, serial has %.17g", totals[k].name, totals[k].b, totals[k].a);
      return true;
    }
  return false;
}

bool states_differ(const struct sciara_state *serial, const struct sciara_state *found, char *text, size_t capacity) {
  const int64_t cells = sciara_grid_cells(&serial->grid);
  if (totals_differ(serial, found, text, capacity)) return true;
  struct named_field a[FIELDS], b[FIELDS];
  fields_of(serial, a);
  fields_of(found, b);
  for (int f = 0; f < FIELDS; f++) {
    if (!a[f].value || !b[f].value) continue;
    if (memcmp(a[f].value, b[f].value, (size_t)cells * sizeof(double)) == 0) continue;
    int64_t i = 0;
    while (bit_identical(a[f].value[i], b[f].value[i])) i++;
    snprintf(text, capacity, "%s in row %lld, column %lld is %.17g, serial has %.17g", a[f].name,
             (long long)(i / serial->grid.cols), (long long)(i % serial->grid.cols), b[f].value[i], a[f].value[i]);
    return true;
  }
  if (memcmp(serial->kind, found->kind, (size_t)cells) != 0) {
    snprintf(text, capacity, "the kinds of the cells differ");
    return true;
  }
  if (sciara_state_record(serial) == sciara_state_record(found) &&
      sciara_state_checksum(serial) != sciara_state_checksum(found)) {
    snprintf(text, capacity, "only the checksums differ");
    return true;
  }
  return false;
}

static void expect_numbers(const struct sciara_state *s, const char *context) {
  struct named_field field[FIELDS];
  fields_of(s, field);
  for (int f = 0; f < FIELDS; f++)
    for (int64_t i = 0; field[f].value && i < sciara_grid_cells(&s->grid); i++)
      if (isnan(field[f].value[i])) // an assertion per cell would take longer than the engine
        ck_abort_msg("%s: %s in row %lld, column %lld is not a number", context, field[f].name,
                     (long long)(i / s->grid.cols), (long long)(i % s->grid.cols));
  ck_assert_msg(isfinite(s->time) && isfinite(s->clock) && isfinite(s->emitted), "%s: a total is not finite", context);
}

// Clocks that are not bit-identical drift apart, so the volume emitted in the same number of steps differs a little
// too.
static void expect_tolerance(const struct sciara_state *serial, const struct sciara_state *found,
                             enum sciara_precision precision, const char *context) {
  const double relative = precision == SCIARA_DOUBLE ? 1e-9 : 1e-5, share = precision == SCIARA_DOUBLE ? 0.99 : 0.95;
  const double area = serial->grid.cell_size * serial->grid.cell_size, emitted = found->emitted - serial->emitted;
  int64_t both = 0, either = 0;
  double volume = 0, reference = 0;
  for (int64_t i = 0; i < sciara_grid_cells(&serial->grid); i++) {
    const double a = serial->h[i] + (serial->z[i] - serial->z0[i]), b = found->h[i] + (found->z[i] - found->z0[i]);
    both += a > 0 && b > 0;
    either += a > 0 || b > 0;
    reference += area * (a + serial->lost[i]);
    volume += area * (b + found->lost[i]);
  }
  ck_assert_msg((double)both >= share * (double)either, "%s: %lld cells in common of %lld", context, (long long)both,
                (long long)either);
  ck_assert_msg(fabs(emitted) <= 0.01 * serial->emitted, "%s: %.17g m3 emitted, serial has %.17g", context,
                found->emitted, serial->emitted);
  ck_assert_msg(fabs(volume - emitted - reference) <= relative * reference,
                "%s: %.17g m3 of lava, %.17g emitted, serial has %.17g and %.17g", context, volume, found->emitted,
                reference, serial->emitted);
}

void expect_conforms(const struct sciara_engine_ops *ops, enum sciara_precision precision,
                     const struct sciara_state *serial, const struct sciara_state *found, const char *context) {
  expect_numbers(found, context);
  struct sciara_ledger l;
  sciara_ledger_form(found, sciara_rounding_usual(precision_epsilon(precision)), &l);
  ck_assert_msg(sciara_ledger_closes(&l), "%s: the residual of the ledger is %g m3, rounding explains %g m3", context,
                l.residual_m3, l.bound_m3);
  if (ops->determinism == SCIARA_TOLERANCE) {
    expect_tolerance(serial, found, precision, context);
    return;
  }
  char text[256];
  ck_assert_msg(!states_differ(serial, found, text, sizeof text), "%s: %s", context, text);
}

// ------------------------------------------------------------------------------------------------------------- pairs

void pair_start(struct pair *p, enum sciara_precision precision, const struct sciara_engine_ops *serial,
                const struct sciara_engine_ops *tested, int threads) {
  p->precision = precision;
  run_start(&p->serial, serial ? serial : engine_serial(precision), &p->scene, 1);
  run_start(&p->tested, tested ? tested : engine_tested[precision], &p->scene, threads);
}

void pair_to_step(struct pair *p, uint64_t steps) {
  run_to_step(&p->serial, steps);
  run_to_step(&p->tested, steps);
}

void pair_conforms(struct pair *p, const char *context) {
  struct sciara_state *a = run_state(&p->serial, p->scene.state), *b = run_state(&p->tested, p->scene.state);
  expect_conforms(p->tested.ops, p->precision, a, b, context);
  sciara_state_destroy(a);
  sciara_state_destroy(b);
}

void pair_is_equal(struct pair *p, const char *context) {
  char text[256];
  struct sciara_state *a = run_state(&p->serial, p->scene.state), *b = run_state(&p->tested, p->scene.state);
  ck_assert_msg(!states_differ(a, b, text, sizeof text), "%s: %s", context, text);
  sciara_state_destroy(a);
  sciara_state_destroy(b);
}

void pair_end(struct pair *p) {
  run_end(&p->serial);
  run_end(&p->tested);
  scene_free(&p->scene);
}

// -------------------------------------------------------------------------------------------------------------- main

/** Why the bits of this engine's steps in phases are not compared, or NULL. */
static const char *no_phases(const struct sciara_engine_ops *engine) {
  return engine->determinism != SCIARA_EXACT ? "is not exact" : engine->phases ? NULL : "has no phases";
}

static int run_engine(const char *name, const struct tests *tests, bool in_phases) {
  struct engine_spec spec;
  if (engine_spec_parse(name, &spec) != SCIARA_OK) {
    printf("failed: %s\n", sciara_last_error());
    return 1;
  }
  engine_options = spec.options;
  rule_tested = spec.rule;
  for (int p = 0; p < 2; p++) {
    const enum sciara_status status = engine_spec_find(&spec, (enum sciara_precision)p, &engine_tested[p]);
    if (status != SCIARA_OK)
      printf("%s: %s\n", status == SCIARA_ERR_DEVICE ? "skipped" : "failed", sciara_last_error());
    if (status != SCIARA_OK) return status == SCIARA_ERR_DEVICE ? 77 : 1;
  }
  for (int p = 0; p < 2 && in_phases; p++)
    if (no_phases(engine_tested[p])) {
      printf("skipped: engine %s %s\n", name, no_phases(engine_tested[p]));
      return 77;
    }
  if (spec.options.isa != SCIARA_ISA_BEST && (enum sciara_isa)spec.options.isa == sciara_isa_best()) {
    printf("skipped: engine %s: engine openmp chooses these kernels here\n", name);
    return 77;
  }
  printf("engine %s\n", name);
  fflush(stdout);
  return tests_run(tests, (struct tests_setting){.one_process = true});
}

static int main_of(int argc, char **argv, const struct tests *tests, bool in_phases) {
  size_t count = (size_t)(argc - 1);
  const struct sciara_engine_entry *list = argc > 1 ? NULL : sciara_engine_list(&count);
  int failed = 0, skipped = 0;
  for (size_t k = 0; k < count; k++) {
    const int result = run_engine(list ? list[k].name : argv[k + 1], tests, in_phases);
    skipped += result == 77;
    failed += result == 1;
  }
  return failed ? 1 : (size_t)skipped == count ? 77 : 0;
}

int conformance_main(int argc, char **argv, const struct tests *tests) { return main_of(argc, argv, tests, false); }

int conformance_main_in_phases(int argc, char **argv, const struct tests *tests) {
  return main_of(argc, argv, tests, true);
}
