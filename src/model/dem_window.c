// SPDX-License-Identifier: Apache-2.0
#include "model/dem_window.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const char around_vents[] = "dem.window_margin_m";

void sciara_dem_window_print(const struct sciara_dem_window *w, char text[SCIARA_DEM_WINDOW_TEXT]) {
  if (w->margin_m > 0)
    snprintf(text, SCIARA_DEM_WINDOW_TEXT, "%s=%.17g", around_vents, w->margin_m);
  else
    snprintf(text, SCIARA_DEM_WINDOW_TEXT, "%s", w->key ? w->key : "");
}

struct sciara_dem_window sciara_dem_window_parse(const char *text) {
  static const char *const boxes[] = {"dem.window", "dem.window_xy", "dem.window_lonlat"};
  const size_t length = sizeof around_vents - 1;
  double margin;
  for (size_t k = 0; text && k < sizeof boxes / sizeof *boxes; k++)
    if (strcmp(text, boxes[k]) == 0) return (struct sciara_dem_window){boxes[k], 0};
  if (text && strncmp(text, around_vents, length) == 0 && text[length] == '=' &&
      sciara_parse_double(text + length + 1, &margin) && margin > 0)
    return (struct sciara_dem_window){around_vents, margin};
  return (struct sciara_dem_window){NULL, 0};
}

void sciara_dem_window_outside(const struct sciara_dem_window *w, char text[SCIARA_DEM_WINDOW_TEXT]) {
  static const char end[] = "lava is not computed there";
  if (w->margin_m > 0)
    snprintf(text, SCIARA_DEM_WINDOW_TEXT, "outside the window of %.10g m around the vents (%s): %s", w->margin_m,
             around_vents, end);
  else if (w->key)
    snprintf(text, SCIARA_DEM_WINDOW_TEXT, "outside the window of the DEM (%s): %s", w->key, end);
  else
    snprintf(text, SCIARA_DEM_WINDOW_TEXT, "outside the DEM");
}
