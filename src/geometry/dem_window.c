// SPDX-License-Identifier: Apache-2.0
#include "geometry/dem_window.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const char around_vents[] = "dem.window_margin_m", of_raster[] = " of ";

void sciara_dem_window_print(const struct sciara_dem_window *w, char text[SCIARA_DEM_WINDOW_TEXT]) {
  const double *r = w->raster;
  int used;
  if (w->margin_m > 0)
    used = snprintf(text, SCIARA_DEM_WINDOW_TEXT, "%s=%.17g", around_vents, w->margin_m);
  else
    used = snprintf(text, SCIARA_DEM_WINDOW_TEXT, "%s", w->key ? w->key : "");
  if (w->key && r[2] > r[0])
    snprintf(text + used, SCIARA_DEM_WINDOW_TEXT - (size_t)used, "%s%.15g %.15g %.15g %.15g", of_raster, r[0], r[1],
             r[2], r[3]);
}

/** The numbers of a box; false: there are no four of them, or it has no area. */
static bool parse_box(char *text, double box[4]) {
  for (int k = 0; k < 4; k++) {
    const char *number = strsep(&text, " ");
    if (!number || !sciara_parse_double(number, &box[k])) return false;
  }
  return !text && box[2] > box[0] && box[3] > box[1];
}

struct sciara_dem_window sciara_dem_window_parse(const char *text) {
  static const char *const boxes[] = {"dem.window", "dem.window_xy", "dem.window_lonlat"};
  const size_t length = sizeof around_vents - 1;
  struct sciara_dem_window w = {.key = NULL};
  char name[SCIARA_DEM_WINDOW_TEXT];
  double box[4];
  snprintf(name, sizeof name, "%s", text ? text : "");
  char *of = strstr(name, of_raster);
  if (of) *of = '\0';
  for (size_t k = 0; k < sizeof boxes / sizeof *boxes; k++)
    if (strcmp(name, boxes[k]) == 0) w.key = boxes[k];
  if (strncmp(name, around_vents, length) == 0 && name[length] == '=' &&
      sciara_parse_double(name + length + 1, &w.margin_m) && w.margin_m > 0)
    w.key = around_vents;
  else
    w.margin_m = 0;
  if (w.key && of && parse_box(of + strlen(of_raster), box)) memcpy(w.raster, box, sizeof box);
  return w;
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
