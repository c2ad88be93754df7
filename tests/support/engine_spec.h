// SPDX-License-Identifier: Apache-2.0
// Engines in the arguments of tests: NAME[:KEY=VALUE,...], with the options of the engine
// (src/engine/engine_options.def), block=WxH, math=fast, rule=NAME and ranks=N: in bands of so many threads.
#ifndef SCIARA_TESTS_ENGINE_SPEC_H
#define SCIARA_TESTS_ENGINE_SPEC_H

#include "engine/engine.h"

struct engine_spec {
  char name[64];
  enum sciara_rule_kind rule;
  bool fast_math; ///< fast math instead of single precision
  int ranks;      ///< 0: the engine itself
  struct sciara_engine_options options;
};

/** SCIARA_ERR_USAGE for an invalid text. */
enum sciara_status engine_spec_parse(const char *text, struct engine_spec *out);

/** The engine in that precision; it supports the options. */
enum sciara_status engine_spec_find(const struct engine_spec *spec, enum sciara_precision precision,
                                    const struct sciara_engine_ops **out);

#endif
