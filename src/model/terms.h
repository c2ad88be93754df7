// SPDX-License-Identifier: Apache-2.0
// On which terms a problem is stepped, as a scenario says it: up to when, and in which engine.
#ifndef SCIARA_MODEL_TERMS_H
#define SCIARA_MODEL_TERMS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/setting.h"
#include "model/stop_rules.def"

/** The stop rules, and a simulated time in place of one. */
enum sciara_until {
#define SCIARA_UNTIL(IDENTIFIER, ...) SCIARA_UNTIL_##IDENTIFIER,
  SCIARA_EACH_STOP_RULE(SCIARA_UNTIL) SCIARA_UNTIL_TIME
#undef SCIARA_UNTIL
};

struct sciara_until_rule {
  const char *name;   ///< as run.until has it
  const char *before; ///< when it is met, in words
  const char *after;  ///< "", or what follows to that after rest_s of struct sciara_limits
};
extern const struct sciara_until_rule sciara_until_rules[SCIARA_UNTIL_TIME];

/** The rule with this name; SCIARA_UNTIL_TIME: there is none. */
enum sciara_until sciara_until_of(const char *name);

struct sciara_limits {
  enum sciara_until until;
  double until_s;     ///< with SCIARA_UNTIL_TIME
  double rest_s;      ///< with SCIARA_UNTIL_FRONT: how long no cell becomes newly covered; else 0
  double thickest_m;  ///< largest thickness of liquid lava; 0: no limit
  double max_time_s;  ///< INFINITY if not given
  uint64_t max_steps; ///< UINT64_MAX if not given
};

/** Simulated time at which the steps end at the latest, s; INFINITY: no limit gives one. */
static inline double sciara_limits_end(const struct sciara_limits *l) {
  return fmin(l->until == SCIARA_UNTIL_TIME ? l->until_s : (double)INFINITY, l->max_time_s);
}

struct sciara_engine_choice {
  char *name;         ///< "auto" by default
  const char *source; ///< the scenario that makes the choice, for messages
  bool single_precision;
  bool fast_math;
  int device;                       ///< number of the GPU of a CUDA engine
  int threads;                      ///< 0: chosen by the amount of lava
  int option[SCIARA_MOST_SETTINGS]; ///< in the order of the declared options; 0: default of the engine
  bool name_overridden, overridden; ///< set by an override: the name; any key except the threads
  bool profile;                     ///< time the elementary processes; not a key of the file
};

#endif
