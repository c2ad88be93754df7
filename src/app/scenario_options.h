// SPDX-License-Identifier: Apache-2.0
// The options of `run`, `check` and `resume`, as additions to a scenario.
#ifndef SCIARA_APP_SCENARIO_OPTIONS_H
#define SCIARA_APP_SCENARIO_OPTIONS_H

#include "app/command.h"
#include "sim/problem.h"

// clang-format off
/** Entries of a table of options: how the steps are executed. None of them changes the results of an exact engine. */
#define SCIARA_ENGINE_OPTIONS                                                                                         \
  {"engine", 'e', "NAME", "engine that executes the steps (see 'sciara engines'), or auto"},                          \
  {"threads", 't', "N", "threads of a CPU engine; 0: at most OMP_NUM_THREADS, or all cores"},                         \
  {"device", 0, "N", "number of the GPU of a CUDA engine (see 'sciara engines')"},                                    \
  {"option", 0, "K=V", "option of the engine, such as memory=shared or block=32x8 (see 'sciara engines'); may be repeated"}

/** An entry: the intervals of checkpoints. */
#define SCIARA_CHECKPOINT_OPTION                                                                                      \
  {"checkpoint-every", 0, "T", "write a checkpoint every T of simulated time (\"6 h\") or of wall-clock time (\"10 min wall\")"}, \
  {"keep-checkpoints", 0, "T|all", "keep one checkpoint every T of simulated time, or all, beside the two newest"}

/** An entry: additional formats of rasters. */
#define SCIARA_ALLOW_DRIVER_OPTION                                                                                    \
  {"allow-driver", 0, "NAME", "allow GDAL's driver NAME to read rasters; may be repeated"}

/** All of these, and those that define a run. */
#define SCIARA_SCENARIO_OPTIONS                                                                                       \
  SCIARA_ENGINE_OPTIONS,                                                                                              \
  {"precision", 'p', "double|single", "precision of the fields"},                                                     \
  {"fast-math", 0, NULL, "use approximate functions of the GPU; with --precision single"},                                \
  {"steps", 'n', "N", "stop after N steps"},                                                                          \
  {"until", 'u', "T", "stop at simulated time >= T (\"6 h\", \"3 d\", seconds) or a date, \"solidified\" or \"front at rest\""},    \
  {"output", 'o', "DIR", "folder of the run"},                                                                        \
  SCIARA_CHECKPOINT_OPTION,                                                                                           \
  {"set", 's', "K=V", "replace a key of the scenario: run.max_time=\"2 d\"; may be repeated"},                        \
  SCIARA_ALLOW_DRIVER_OPTION
// clang-format on

enum { SCIARA_MOST_OVERRIDES = 300 };

/** Release with sciara_additions_free. */
struct sciara_scenario_additions {
  char *override[SCIARA_MOST_OVERRIDES]; ///< owned, in the order of the command line
  size_t override_count;
  const char *driver[SCIARA_MOST_GIVEN];
  size_t driver_count;
};

/** SCIARA_ERR_USAGE if a text is not a value of the option --until. */
enum sciara_status sciara_until_check(const char *text);

/** SCIARA_ERR_USAGE for an invalid value of an option. Release in any case. */
enum sciara_status sciara_additions_make(const struct sciara_arguments *arguments,
                                         struct sciara_scenario_additions *out);
void sciara_additions_free(struct sciara_scenario_additions *a);

/** The options for sciara_problem_open; they point into `a`. */
struct sciara_problem_options sciara_additions_options(const struct sciara_scenario_additions *a);

#endif
