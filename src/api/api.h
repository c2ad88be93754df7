// SPDX-License-Identifier: Apache-2.0
// What the files of the public interface share; see sciara.h.
#ifndef SCIARA_API_API_H
#define SCIARA_API_API_H

#include "run/resume.h"
#include "sim/simulation.h"

/** A copy of a field for sciara_view_field. */
struct sciara_view {
  double *values;  ///< rows x cols, or NULL
  bool is_current; ///< of the state as it is
};

struct sciara {
  struct sciara_simulation *simulation;
  int cancel; ///< set atomically
  struct sciara_view view[SCIARA_FIELD_COUNT];
};

/** SCIARA_ERR_USAGE, naming the function, when an argument is NULL. */
enum sciara_status sciara_api_check_pointer(const char *function, const char *argument, const void *pointer);

/** SCIARA_ERR_USAGE, naming the function, unless the simulation has that field. */
enum sciara_status sciara_api_check_field(const char *function, const struct sciara *s, enum sciara_field field);

#endif
