// SPDX-License-Identifier: Apache-2.0
// What the conformance tests share: small eruptions, an engine at work on one of them, and the comparison of two states.
// Everything here asserts with Check.
#ifndef SCIARA_TESTS_CONFORMANCE_H
#define SCIARA_TESTS_CONFORMANCE_H

#include <check.h>

#include "engine/engine.h"

/** A small eruption, ready to be uploaded. */
struct scene {
  struct sciara_params params;
  enum sciara_boundary boundary;
  struct sciara_vents *vents;
  struct sciara_state *state; ///< at the start
};

/** Altitude of a cell, m; NAN outside the DEM. `variant` is what the scene was made with. */
typedef double scene_altitude(int64_t row, int64_t col, int variant);

/** Makes a scene of 10 m cells with default parameters, an open boundary, no vent and no lava. */
void scene_make(struct scene *s, int64_t rows, int64_t cols, unsigned record, scene_altitude *altitude, int variant);

/** Adds a vent with `n` rates, m3/s, of `slot` seconds each, the first from 0 s on. */
void scene_vent(struct scene *s, int64_t row, int64_t col, double slot, int64_t n, const double *rates);

/** Puts liquid lava on a cell. */
void scene_lava(struct scene *s, int64_t row, int64_t col, double h, double T);

/** The scene as an engine of that precision can hold it: altitudes and lava rounded, `initial` formed. Call it last. */
void scene_finish(struct scene *s, enum sciara_precision precision);
void scene_free(struct scene *s);

/** One case of the suite. */
struct conformance_case {
  const char *name;
  void (*build)(struct scene *s, int variant, unsigned record); ///< all but scene_finish
  int variant;
  /** Whether the case showed what it is there for; `end` is the state of `serial` after the last of `steps`. */
  void (*claim)(const struct scene *start, const struct sciara_state *end, int variant);
  uint64_t steps[4]; ///< states are compared after so many steps; ascending, then 0
};

const struct conformance_case *conformance_cases(size_t *count);

/** Builds the case of that name. */
void conformance_build(const char *name, enum sciara_precision precision, unsigned record, struct scene *s);

/** The engine under test, by precision; set by conformance_main. */
extern const struct sciara_engine_ops *engine_tested[2];

/** The options that the engine under test gets; set by conformance_main. */
extern struct sciara_engine_options engine_options;

/** `serial` of that precision. */
const struct sciara_engine_ops *engine_serial(enum sciara_precision precision);

/** DBL_EPSILON or FLT_EPSILON. */
double precision_epsilon(enum sciara_precision precision);

/** "double" or "single". */
const char *precision_name(enum sciara_precision precision);

/** An engine at work on a scene. */
struct run {
  const struct sciara_engine_ops *ops;
  void *engine;
  struct sciara_engine_progress at;
};

/** Makes the engine and uploads the scene's state. */
void run_start(struct run *r, const struct sciara_engine_ops *ops, const struct scene *s, int threads);

/** Goes on until `stop` is met; comes back again and again after max_wall_ms. Returns how often that was. */
int run_until(struct run *r, struct sciara_stop stop);

/** run_until that many steps are done or nothing is liquid and no vent will emit again. */
void run_to_step(struct run *r, uint64_t steps);

/** The engine's state in a clone of `like`, which has the same grid; what progress and state both tell must agree. */
struct sciara_state *run_state(struct run *r, const struct sciara_state *like);
void run_end(struct run *r);

/**
 * No NaN, then the ledger, then the comparison that the engine's determinism asks for. `context` says what was compared.
 */
void expect_conforms(const struct sciara_engine_ops *ops, enum sciara_precision precision,
                     const struct sciara_state *serial, const struct sciara_state *found, const char *context);

/** Where two states differ, bit by bit: false, or true and what differs first in `text`. */
bool states_differ(const struct sciara_state *serial, const struct sciara_state *found, char *text, size_t capacity);

/** Runs the suite for the engines named in the arguments (support/engine_spec.h), else for all that are available. 77: skipped. */
int conformance_main(int argc, char **argv, Suite *(*make)(void));

/** The same, but an engine under test for which why_not() gives a reason ("has no ...") is skipped. */
int conformance_main_unless(int argc, char **argv, Suite *(*make)(void), const char *(*why_not)(void));

#endif
