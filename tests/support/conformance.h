// SPDX-License-Identifier: Apache-2.0
// The common part of the conformance tests: small eruptions, runs of an engine, and the comparison of two states. All
// functions assert with Check.
#ifndef SCIARA_TESTS_CONFORMANCE_H
#define SCIARA_TESTS_CONFORMANCE_H

#include <check.h>

#include "engine/engine.h"

/** A small eruption that can be uploaded. */
struct scene {
  struct sciara_params params;
  enum sciara_boundary boundary;
  struct sciara_vents *vents;
  struct sciara_state *state; ///< at the start
};

/** Altitude of a cell, m; NAN outside the DEM. `variant`: that of scene_make. */
typedef double scene_altitude(int64_t row, int64_t col, int variant);

/** Makes a scene of 10 m cells with an open boundary, no vent, no lava and default parameters; bingham: runny lava. */
void scene_make(struct scene *s, int64_t rows, int64_t cols, unsigned record, scene_altitude *altitude, int variant);

/** Lets lava cool as fast as the cooling parameter `delta`, m2, does under rule fv3, whatever the rule under test. */
void scene_cooling(struct scene *s, double delta);

/** The number that fits the rule under test: sheets of rule bingham take longer steps than the lava of fv3. */
double by_rule(double fv3, double bingham);

/** Adds a vent with `n` rates, m3/s, of `slot` seconds each, the first from 0 s on. */
void scene_vent(struct scene *s, int64_t row, int64_t col, double slot, int64_t n, const double *rates);

/** Puts liquid lava on a cell. */
void scene_lava(struct scene *s, int64_t row, int64_t col, double h, double T);

/** Completes a scene for engines of a precision: rounds altitudes and lava, and computes `initial`. Call it last. */
void scene_finish(struct scene *s, enum sciara_precision precision);
void scene_free(struct scene *s);

/** One case of the suite. */
struct conformance_case {
  const char *name;
  void (*build)(struct scene *s, int variant, unsigned record); ///< everything except scene_finish
  int variant;
  /** Asserts that the case has tested its purpose; `end` is the state of `serial` after the last of `steps`. */
  void (*claim)(const struct scene *start, const struct sciara_state *end, int variant);
  uint64_t steps[4]; ///< states are compared after these numbers of steps; ascending, then 0
};

const struct conformance_case *conformance_cases(size_t *count);
int conformance_case_count(void);

/** Builds the case of that name. */
void conformance_build(const char *name, enum sciara_precision precision, unsigned record, struct scene *s);

/** An altitude of 100 m everywhere. */
double relief_flat(int64_t row, int64_t col, int variant);

/** The engine under test, by precision; set by conformance_main. */
extern const struct sciara_engine_ops *engine_tested[2];

/** The rule under test; set by conformance_main. */
extern enum sciara_rule_kind rule_tested;

/** The options of the engine under test; set by conformance_main. */
extern struct sciara_engine_options engine_options;

/** `serial` of that precision and the rule under test. */
const struct sciara_engine_ops *engine_serial(enum sciara_precision precision);

/** DBL_EPSILON or FLT_EPSILON. */
double precision_epsilon(enum sciara_precision precision);

/** "double" or "single". */
const char *precision_name(enum sciara_precision precision);

/** A run of an engine on a scene. */
struct run {
  const struct sciara_engine_ops *ops;
  void *engine;
  struct sciara_engine_progress at;
};

/** Creates the engine and uploads the state of the scene. */
void run_start(struct run *r, const struct sciara_engine_ops *ops, const struct scene *s, int threads);

/** Continues until `stop` applies; `advance` may return several times after max_wall_ms. Returns how often it did. */
int run_until(struct run *r, struct sciara_stop stop);

/** Calls run_until with this number of steps, or until nothing is liquid and no vent will emit again. */
void run_to_step(struct run *r, uint64_t steps);

/** The state of the engine in a clone of `like`, which has the same grid. Progress and state must agree. */
struct sciara_state *run_state(struct run *r, const struct sciara_state *like);
void run_end(struct run *r);

/**
 * Checks for NaN, then the ledger, then compares the states as the determinism of the engine requires. `context` is for
 * messages.
 */
void expect_conforms(const struct sciara_engine_ops *ops, enum sciara_precision precision,
                     const struct sciara_state *serial, const struct sciara_state *found, const char *context);

/** A scene, and two runs on it that are compared. */
struct pair {
  enum sciara_precision precision;
  struct scene scene;
  struct run serial, tested; ///< by engine `serial` or another reference; by the engine under test
};

/** Starts both runs on the scene, which is finished; NULL: `serial`, and the engine under test. */
void pair_start(struct pair *p, enum sciara_precision precision, const struct sciara_engine_ops *serial,
                const struct sciara_engine_ops *tested, int threads);

/** run_to_step of both. */
void pair_to_step(struct pair *p, uint64_t steps);

/** expect_conforms of their states. */
void pair_conforms(struct pair *p, const char *context);

/** Their states are equal in every bit, whatever the determinism of the engine. */
void pair_is_equal(struct pair *p, const char *context);
void pair_end(struct pair *p);

/** Whether two states differ in any bit; if so, `text` describes the first difference. */
bool states_differ(const struct sciara_state *serial, const struct sciara_state *found, char *text, size_t capacity);

/**
 * Runs the suite for the engines named in the arguments (support/engine_spec.h), else for all available ones. 77:
 * skipped.
 */
int conformance_main(int argc, char **argv, const struct tests *tests);

/** The same, but skips an engine that is not exact or has no phases. */
int conformance_main_in_phases(int argc, char **argv, const struct tests *tests);

#endif
