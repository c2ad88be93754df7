// SPDX-License-Identifier: Apache-2.0
// The page is a skeleton (src/page) with one hole: the data, as JSON.
#include "page/page_html.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "base/mem.h"
#include "file/durable.h"
#include "file/georef.h"
#include "map/colour_ramp.h"
#include "map/zones.h"
#include "model/field.h"
#include "page/page_parts.h"

// ---------------------------------------------- the ground: grid, shown part, light, altitudes, longitude and latitude

enum {
  MAX_SHADE = 1 << 20,     // pixels of the ground
  SEA_SHADE = 128,         // of a pixel that is sea
  MAX_ALTITUDES = 1 << 18, // under the pointer
  NODES = 17               // of the lattice of longitude and latitude, each way
};

/** The part of the grid that is shown: the box of the frames with half its length around it; all of it without a box. */
static void find_window(const struct sciara_page_frames *f, int64_t window[4]) {
  const int64_t length = f->box[2] > f->box[3] ? f->box[2] : f->box[3], margin = length / 2 > 32 ? length / 2 : 32;
  const int64_t size[2] = {f->grid.rows, f->grid.cols};
  for (int i = 0; i < 2; i++) {
    const int64_t first = f->box[2] > 0 && f->box[i] > margin ? f->box[i] - margin : 0;
    const int64_t end =
        f->box[2] > 0 && size[i] - (f->box[i] + f->box[i + 2]) > margin ? f->box[i] + f->box[i + 2] + margin : size[i];
    window[i] = first;
    window[i + 2] = end - first;
  }
}

/** One pixel of the ground: the mean light of its cells as 1..127; SEA_SHADE where they are sea, 0 where none is in the DEM. */
static uint8_t shade_pixel(const struct sciara_page *p, const int64_t window[4], int64_t scale, int64_t row,
                           int64_t col) {
  const struct sciara_grid *g = &p->frames->grid;
  double light = 0;
  int64_t count = 0, sea = 0;
  for (int64_t r = window[0] + row * scale; r < window[0] + (row + 1) * scale && r < window[0] + window[2]; r++)
    for (int64_t c = window[1] + col * scale; c < window[1] + (col + 1) * scale && c < window[1] + window[3]; c++) {
      const bool wet = p->sea && p->sea[r * g->cols + c];
      sea += wet;
      if (wet || p->altitude[r * g->cols + c] == SCIARA_NODATA_ALTITUDE) continue;
      light += sciara_hillshade(g, p->altitude, r, c);
      count++;
    }
  if (count == 0 || sea > count) return sea > 0 ? SEA_SHADE : 0;
  return (uint8_t)(1 + lround(126 * fmin(light / (double)count, 1)));
}

static enum sciara_status append_shade(struct sciara_text *t, const struct sciara_page *p, const int64_t window[4]) {
  int64_t scale = 1;
  while (((window[2] + scale - 1) / scale) * ((window[3] + scale - 1) / scale) > MAX_SHADE) scale++;
  const int64_t rows = (window[2] + scale - 1) / scale, cols = (window[3] + scale - 1) / scale;
  uint8_t *pixels = NULL;
  SCIARA_TRY(SCIARA_NEW(pixels, rows * cols, "the ground of a page"));
  for (int64_t i = 0; i < rows * cols; i++) pixels[i] = shade_pixel(p, window, scale, i / cols, i % cols);
  // Each as its difference from the plane through its neighbours in the west, the north and between: packs better.
  for (int64_t i = rows * cols - 1; i > 0; i--) {
    const int west = i % cols > 0 ? pixels[i - 1] : 0, north = i >= cols ? pixels[i - cols] : 0;
    const int between = i % cols > 0 && i >= cols ? pixels[i - cols - 1] : 0;
    pixels[i] = (uint8_t)(pixels[i] - west - north + between);
  }
  enum sciara_status status = sciara_text_append(
      t, "\"shade\":{\"scale\":%" PRId64 ",\"rows\":%" PRId64 ",\"cols\":%" PRId64 ",\"data\":\"", scale, rows, cols);
  if (status == SCIARA_OK) status = sciara_page_pack(t, pixels, (size_t)(rows * cols));
  if (status == SCIARA_OK) status = sciara_text_append(t, "\"},\n");
  sciara_free(pixels);
  return status;
}

/** Mean altitude of the cells of a block; NAN where none is in the DEM. */
static double mean_altitude(const struct sciara_page *p, const int64_t window[4], int64_t scale, int64_t row,
                            int64_t col) {
  const struct sciara_grid *g = &p->frames->grid;
  const int64_t top = window[0] + row * scale, left = window[1] + col * scale;
  double sum = 0;
  int64_t count = 0;
  for (int64_t r = top; r < top + scale && r < g->rows; r++)
    for (int64_t c = left; c < left + scale && c < g->cols; c++) {
      const double z = p->altitude[r * g->cols + c];
      if (z == SCIARA_NODATA_ALTITUDE) continue;
      sum += z;
      count++;
    }
  return count ? sum / (double)count : NAN;
}

/** Altitudes as levels: 0 outside the DEM, else base + (level - 1) step. */
static enum sciara_status append_altitudes(struct sciara_text *t, const struct sciara_page *p,
                                           const int64_t window[4]) {
  enum { LEVELS = 65000 };
  const struct sciara_grid *g = &p->frames->grid;
  int64_t scale = 1;
  while (((window[2] + scale - 1) / scale) * ((window[3] + scale - 1) / scale) > MAX_ALTITUDES) scale++;
  const int64_t rows = (window[2] + scale - 1) / scale, cols = (window[3] + scale - 1) / scale;
  double *altitude = NULL, low = INFINITY, high = -INFINITY;
  uint16_t *levels = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(altitude, rows * cols, "the altitudes of a page"));
  SCIARA_TRY_GOTO(SCIARA_NEW(levels, rows * cols, "the altitudes of a page"));
  for (int64_t i = 0; i < rows * cols; i++) {
    altitude[i] = mean_altitude(p, window, scale, i / cols, i % cols);
    if (isnan(altitude[i])) continue;
    low = fmin(low, altitude[i]);
    high = fmax(high, altitude[i]);
  }
  const double base = low <= high ? floor(low) : 0, step = fmax(0.1 * fmin(1, g->cell_size), (high - base) / LEVELS);
  for (int64_t i = 0; i < rows * cols; i++)
    levels[i] = isnan(altitude[i]) ? 0 : (uint16_t)(1 + lround((altitude[i] - base) / step));
  SCIARA_TRY_GOTO(sciara_text_append(t,
                                     "\"altitude\":{\"scale\":%" PRId64 ",\"rows\":%" PRId64 ",\"cols\":%" PRId64
                                     ",\"base\":%.15g,\"step\":%.15g,\"data\":\"",
                                     scale, rows, cols, base, step));
  SCIARA_TRY_GOTO(sciara_page_pack_levels(t, levels, NULL, rows, cols));
  SCIARA_TRY_GOTO(sciara_text_append(t, "\"},\n"));
cleanup:
  sciara_free(altitude);
  sciara_free(levels);
  return status;
}

/** Longitude and latitude at NODES x NODES places of the window, from its north-western to its south-eastern corner. */
static enum sciara_status append_lonlat(struct sciara_text *t, const struct sciara_page *p, const int64_t window[4]) {
  const struct sciara_grid *g = &p->frames->grid;
  double x[NODES * NODES], y[NODES * NODES];
  if (!p->crs_wkt) return sciara_text_append(t, "\"lonlat\":null,\n");
  for (int k = 0; k < NODES * NODES; k++) {
    const int row = k / NODES, col = k % NODES;
    const double down = (double)row / (NODES - 1), right = (double)col / (NODES - 1);
    x[k] = g->west + ((double)window[1] + right * (double)window[3]) * g->cell_size;
    y[k] = g->north - ((double)window[0] + down * (double)window[2]) * g->cell_size;
  }
  SCIARA_TRY(sciara_georef_to_lonlat(p->crs_wkt, NODES * NODES, x, y));
  SCIARA_TRY(sciara_text_append(t, "\"lonlat\":{\"nodes\":%d,\"values\":[", NODES));
  for (int k = 0; k < NODES * NODES; k++) {
    if (!isfinite(x[k]) || !isfinite(y[k]))
      SCIARA_TRY(sciara_text_append(t, "%snull,null", k ? "," : ""));
    else
      SCIARA_TRY(sciara_text_append(t, "%s%.8f,%.8f", k ? "," : "", x[k], y[k]));
  }
  return sciara_text_append(t, "]},\n");
}

/** Appends the keys of the ground, each with a comma after it. */
static enum sciara_status print_ground(struct sciara_text *t, const struct sciara_page *p) {
  const struct sciara_page_frames *f = p->frames;
  const struct sciara_grid *g = &f->grid;
  int64_t window[4];
  find_window(f, window);
  SCIARA_TRY(sciara_text_append(t,
                                "\"grid\":{\"rows\":%" PRId64 ",\"cols\":%" PRId64
                                ",\"cell_m\":%.15g,\"decimals\":%d,\"west_m\":%.15g,\"north_m\":%.15g},\n",
                                g->rows, g->cols, g->cell_size, sciara_grid_decimals(g), g->west, g->north));
  SCIARA_TRY(sciara_text_append(t, "\"window\":[%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "],\n", window[0],
                                window[1], window[2], window[3]));
  SCIARA_TRY(sciara_text_append(t, "\"box\":[%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "],\n", f->box[0], f->box[1],
                                f->box[2], f->box[3]));
  SCIARA_TRY(append_shade(t, p, window));
  SCIARA_TRY(append_altitudes(t, p, window));
  return append_lonlat(t, p, window);
}

// ------------------------------------------------------------------------------------------------------------ the page

static enum sciara_status append_text(struct sciara_text *t, const char *key, const char *text) {
  SCIARA_TRY(sciara_text_append(t, "\"%s\":", key));
  if (!text) return sciara_text_append(t, "null,\n");
  SCIARA_TRY(sciara_text_append_json(t, text));
  return sciara_text_append(t, ",\n");
}

/** null: not known. JSON has no infinity. */
static enum sciara_status append_number(struct sciara_text *t, double value) {
  return isfinite(value) ? sciara_text_append(t, "%.15g", value) : sciara_text_append(t, "null");
}

/** Places of the CRS in cells of the window. */
static enum sciara_status append_points(struct sciara_text *t, const struct sciara_page *p,
                                        const struct sciara_point *points, size_t count) {
  const struct sciara_grid *g = &p->frames->grid;
  int64_t window[4];
  find_window(p->frames, window);
  SCIARA_TRY(sciara_text_append(t, "\"points\":["));
  for (size_t j = 0; j < count; j++) {
    SCIARA_TRY(sciara_text_append(t, "%s[", j ? "," : ""));
    SCIARA_TRY(append_number(t, (points[j].x - g->west) / g->cell_size - (double)window[1]));
    SCIARA_TRY(sciara_text_append(t, ","));
    SCIARA_TRY(append_number(t, (g->north - points[j].y) / g->cell_size - (double)window[0]));
    SCIARA_TRY(sciara_text_append(t, "]"));
  }
  return sciara_text_append(t, "]");
}

/** The parts of a place: points, lines or rings. */
static enum sciara_status append_parts(struct sciara_text *t, const struct sciara_page *p,
                                       const struct sciara_poi *poi) {
  SCIARA_TRY(sciara_text_append(t, "\"kind\":\"%s\",\"parts\":[", sciara_poi_kind_name(poi->kind)));
  for (size_t k = 0, begin = 0; k < sciara_poi_parts(poi); k++) {
    const size_t end = sciara_poi_end(poi, k);
    SCIARA_TRY(sciara_text_append(t, k ? ",{" : "{"));
    SCIARA_TRY(append_points(t, p, poi->points + begin, end - begin));
    SCIARA_TRY(sciara_text_append(t, "}"));
    begin = end;
  }
  return sciara_text_append(t, "]");
}

static enum sciara_status append_vents(struct sciara_text *t, const struct sciara_page *p) {
  SCIARA_TRY(sciara_text_append(t, "\"vents\":["));
  for (size_t k = 0; k < p->vents; k++) {
    SCIARA_TRY(sciara_text_append(t, "%s{", k ? "," : ""));
    SCIARA_TRY(append_text(t, "name", p->vent[k].name));
    if (p->vent[k].weight > 0) SCIARA_TRY(sciara_text_append(t, "\"weight\":%.6g,", p->vent[k].weight));
    SCIARA_TRY(append_points(t, p, p->vent[k].points, p->vent[k].count));
    SCIARA_TRY(sciara_text_append(t, "}"));
  }
  return sciara_text_append(t, "],\n");
}

/** A set of the cells of a rectangle of the grid: one bit each, row by row, the lowest bit of a byte first. */
static enum sciara_status append_bits(struct sciara_text *t, const char *key, const struct sciara_grid *g,
                                      const int64_t box[4], const uint8_t *set) {
  const int64_t cells = box[2] * box[3];
  uint8_t *bits = NULL;
  SCIARA_TRY(SCIARA_NEW(bits, cells / 8 + 1, "cells of a page"));
  for (int64_t i = 0; i < cells; i++) {
    const int64_t at = (box[0] + i / box[3]) * g->cols + box[1] + i % box[3];
    if (set[at]) bits[i / 8] = (uint8_t)(bits[i / 8] | 1u << i % 8);
  }
  enum sciara_status status = sciara_text_append(t, "\"%s\":\"", key);
  if (status == SCIARA_OK) status = sciara_page_pack(t, bits, (size_t)(cells / 8 + 1));
  if (status == SCIARA_OK) status = sciara_text_append(t, "\",\n");
  sciara_free(bits);
  return status;
}

static enum sciara_status append_ramp(struct sciara_text *t, const char *name) {
  const struct sciara_ramp *ramp = sciara_ramp_for(name);
  SCIARA_TRY(sciara_text_append(t, "\"ramp\":["));
  for (int i = 0; i < SCIARA_RAMP_STOPS; i++)
    SCIARA_TRY(
        sciara_text_append(t, "%s[%d,%d,%d]", i ? "," : "", ramp->stops[i][0], ramp->stops[i][1], ramp->stops[i][2]));
  return sciara_text_append(t, "],\n");
}

/** Fronts of a map of times with dates: time, at most that of the last frame of a run or the end of the members, and name. */
static enum sciara_status append_fronts(struct sciara_text *t, const struct sciara_page *p, const char *unit,
                                        double largest) {
  struct sciara_zones zones = {0};
  enum sciara_status status = sciara_text_append(t, "\"fronts\":[");
  const bool dated = p->start && strcmp(unit, "s") == 0;
  const double step = sciara_isochrone_step(&largest, 1, NAN);
  const double latest = p->hazard ? p->hazard->end_s : p->frames->frames[p->frames->frame_count - 1].time_s;
  if (dated && status == SCIARA_OK) status = sciara_zones_isochrones(&largest, 1, NAN, step, p->start, &zones);
  sciara_zones_name_ends(&zones, p->language, p->start, latest, false);
  for (size_t k = 0; k < zones.count && status == SCIARA_OK; k++)
    status =
        sciara_text_append(t, "%s[%.15g,\"%s\"]", k ? "," : "", fmin(zones.zone[k].upper, latest), zones.zone[k].label);
  sciara_zones_free(&zones);
  return status == SCIARA_OK ? sciara_text_append(t, "],\n") : status;
}

static enum sciara_status append_field(struct sciara_text *t, const struct sciara_page *p,
                                       const struct sciara_page_field *f) {
  const struct sciara_page_frames *frames = p->frames;
  const struct sciara_field_info *info = sciara_field_describe(f->field);
  const bool scaled = p->scale_to_m > 0 && strcmp(info->unit, "m") == 0; // the altitude is no field of a page
  SCIARA_TRY(sciara_text_append(t, "{"));
  SCIARA_TRY(append_text(t, "name", info->name));
  SCIARA_TRY(append_text(t, "long_name", info->long_name));
  SCIARA_TRY(append_text(t, "label", sciara_word_of_field(p->language, info->name)));
  SCIARA_TRY(append_text(t, "about", sciara_word_of_field_long(p->language, info->name)));
  SCIARA_TRY(append_text(t, "unit", info->unit));
  SCIARA_TRY(append_fronts(t, p, info->unit, f->high));
  SCIARA_TRY(sciara_text_append(t, "\"once\":%s,\"base\":%.15g,\"step\":%.15g,\"high\":%.15g,\n",
                                f->once ? "true" : "false", f->base, f->step, scaled ? p->scale_to_m : f->high));
  SCIARA_TRY(sciara_text_append(t, "\"beyond\":%s,\n", scaled && f->high > p->scale_to_m ? "true" : "false"));
  SCIARA_TRY(append_ramp(t, info->name));
  SCIARA_TRY(sciara_text_append(t, "\"like\":%d,\"data\":\"", f->like));
  const uint16_t *like = f->like >= 0 ? frames->fields[f->like].levels : NULL;
  SCIARA_TRY(sciara_page_pack_levels(t, f->levels, like, f->once ? 1 : (int64_t)frames->frame_count, frames->cells));
  return sciara_text_append(t, "\"}");
}

static enum sciara_status append_frames(struct sciara_text *t, const struct sciara_page_frames *frames) {
  SCIARA_TRY(sciara_text_append(t, "\"frames\":["));
  for (size_t k = 0; k < frames->frame_count; k++) {
    const struct sciara_page_frame *f = &frames->frames[k];
    const double numbers[] = {f->time_s,          f->ledger.initial_m3, f->ledger.emitted_m3,  f->ledger.liquid_m3,
                              f->ledger.solid_m3, f->ledger.lost_m3,    f->ledger.residual_m3, f->ledger.bound_m3};
    const char *const names[] = {"time_s",   "initial_m3", "emitted_m3",  "liquid_m3",
                                 "solid_m3", "lost_m3",    "residual_m3", "bound_m3"};
    SCIARA_TRY(sciara_text_append(t, "%s{\"step\":%" PRIu64 ",\"liquid_cells\":%" PRId64 ",\"covered_cells\":",
                                  k ? ",\n" : "", f->step, f->liquid_cells));
    SCIARA_TRY(append_number(t, f->covered_cells < 0 ? NAN : (double)f->covered_cells));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
      SCIARA_TRY(sciara_text_append(t, ",\"%s\":", names[i]));
      SCIARA_TRY(append_number(t, numbers[i]));
    }
    if (f->ledger.added_m3 > 0 || f->ledger.removed_m3 > 0)
      SCIARA_TRY(
          sciara_text_append(t, ",\"added_m3\":%.15g,\"removed_m3\":%.15g", f->ledger.added_m3, f->ledger.removed_m3));
    if (f->ledger.sea_m3 > 0) SCIARA_TRY(sciara_text_append(t, ",\"sea_m3\":%.15g", f->ledger.sea_m3));
    SCIARA_TRY(sciara_text_append(t, "}"));
  }
  return sciara_text_append(t, "],\n");
}

static enum sciara_status append_observed(struct sciara_text *t, const struct sciara_page *p) {
  const struct sciara_grid *g = &p->frames->grid;
  int64_t window[4];
  find_window(p->frames, window);
  char name[256 + SCIARA_MINUTE_SIZE];
  snprintf(name, sizeof name, "%.255s", p->observed && p->observed_name ? p->observed_name : "");
  if (p->observed_s) sciara_append_minute(p->start, *p->observed_s, name, sizeof name);
  SCIARA_TRY(append_text(t, "observed_name", *name ? name : NULL));
  if (p->region) SCIARA_TRY(append_bits(t, "region", g, window, p->region));
  return p->observed ? append_bits(t, "observed", g, window, p->observed)
                     : sciara_text_append(t, "\"observed\":null,\n");
}

/** The cells of the window whose ground is edited, if there are some. */
static enum sciara_status append_edits(struct sciara_text *t, const struct sciara_page *p) {
  const struct sciara_grid *g = &p->frames->grid;
  const int64_t cells = sciara_grid_cells(g);
  uint8_t *set = NULL;
  int64_t window[4];
  if (!p->edits) return SCIARA_OK;
  find_window(p->frames, window);
  SCIARA_TRY(SCIARA_NEW(set, cells, "the edited ground of a page"));
  for (int64_t i = 0; i < cells; i++) set[i] = p->edits[i] > 0;
  const enum sciara_status status = append_bits(t, "edits", g, window, set);
  sciara_free(set);
  return status;
}

/** Warnings about lava; the page knows their words. */
static enum sciara_status append_warnings(struct sciara_text *t, const struct sciara_page *p) {
  const char *glue = "";
  SCIARA_TRY(sciara_text_append(t, "\"warnings\":["));
  for (size_t k = 0; k < p->warning_count; k++) {
    const struct sciara_run_warning *w = &p->warnings[k];
    if (!sciara_run_warning_has_cell(w)) continue;
    SCIARA_TRY(sciara_text_append(t, "%s{", glue));
    glue = ",";
    SCIARA_TRY(append_text(t, "kind", w->kind));
    SCIARA_TRY(append_text(t, "text", w->text));
    SCIARA_TRY(sciara_text_append(t, "\"row\":%" PRId64 ",\"col\":%" PRId64 ",\"time_s\":", w->row, w->col));
    SCIARA_TRY(append_number(t, w->time_s));
    SCIARA_TRY(sciara_text_append(t, ",\"height_m\":"));
    SCIARA_TRY(append_number(t, w->height_m));
    SCIARA_TRY(sciara_text_append(t, "}"));
  }
  return sciara_text_append(t, "],\n");
}

/** In the language of the page: the warning about the ground, and where a place outside the window of the DEM lies. */
static enum sciara_status append_ground_texts(struct sciara_text *t, const struct sciara_page *p) {
  struct sciara_text warning = {0}, outside = {0};
  enum sciara_status status = sciara_word_outside(&outside, p->language, &p->window);
  for (size_t k = 0; k < p->warning_count && status == SCIARA_OK && !warning.data; k++)
    if (strcmp(p->warnings[k].kind, SCIARA_WARNING_DEM) == 0)
      status = sciara_word_coarse(&warning, p->language, p->warnings[k].coarse_m, p->frames->grid.cell_size);
  if (status == SCIARA_OK) status = append_text(t, "outside", outside.data);
  if (status == SCIARA_OK) status = append_text(t, "ground_warning", warning.data);
  sciara_text_free(&outside);
  sciara_text_free(&warning);
  return status;
}

/** Names of fields are written with the fields; those of parameters stand in texts. */
static bool is_of_field(const char *id) {
  return strncmp(id, "FIELD_", 6) == 0 || strncmp(id, "LONG_", 5) == 0 || strncmp(id, "PARAM_", 6) == 0;
}

static enum sciara_status append_words(struct sciara_text *t, enum sciara_language language) {
  SCIARA_TRY(sciara_text_append(t, "\"decimal\":\"%c\",\n\"words\":{\n", sciara_language_decimal(language)));
  for (int w = 0; w < SCIARA_WORDS; w++)
    if (!is_of_field(sciara_word_id((enum sciara_word)w)))
      SCIARA_TRY(append_text(t, sciara_word_id((enum sciara_word)w), sciara_word(language, (enum sciara_word)w)));
  return sciara_text_append(t, "\"language\":\"%s\"},\n", sciara_language_code(language));
}

// ----------------------------------------------------------------------------------------------------- an ensemble

static enum sciara_status append_named(struct sciara_text *t, const char *key, double value) {
  SCIARA_TRY(sciara_text_append(t, "\"%s\":", key));
  SCIARA_TRY(append_number(t, value));
  return sciara_text_append(t, ",");
}

static enum sciara_status append_flag(struct sciara_text *t, const char *key, bool value) {
  return sciara_text_append(t, "\"%s\":%s,", key, value ? "true" : "false");
}

static enum sciara_status append_layer(struct sciara_text *t, const struct sciara_page *p,
                                       const struct sciara_page_layer *l) {
  SCIARA_TRY(sciara_text_append(t, "{"));
  SCIARA_TRY(append_text(t, "name", l->name));
  SCIARA_TRY(append_text(t, "unit", l->unit));
  SCIARA_TRY(append_fronts(t, p, l->unit, l->shown ? l->high : -1));
  SCIARA_TRY(append_text(t, "word", sciara_word_id(l->word)));
  SCIARA_TRY(append_text(t, "value_unit", l->value_unit));
  SCIARA_TRY(append_named(t, "value", l->value));
  SCIARA_TRY(append_named(t, "years", l->years));
  SCIARA_TRY(append_named(t, "elsewhere", l->elsewhere));
  SCIARA_TRY(append_named(t, "zero_bound", l->zero_bound));
  SCIARA_TRY(append_named(t, "base", l->base));
  SCIARA_TRY(append_named(t, "step", l->step));
  SCIARA_TRY(append_named(t, "high", l->high));
  SCIARA_TRY(append_ramp(t, l->ramp));
  SCIARA_TRY(append_flag(t, "of_hits", l->of_hits));
  SCIARA_TRY(sciara_text_append(t, "\"edges\":["));
  for (size_t k = 0; k < l->edges; k++) SCIARA_TRY(sciara_text_append(t, "%s%.10g", k ? "," : "", l->edge[k]));
  SCIARA_TRY(sciara_text_append(t, "],"));
  SCIARA_TRY(sciara_text_append(
      t, "\"once\":false,\"like\":-1,\"of_end\":%s,\"shown\":%s,\"zero_is_empty\":%s,\"data\":\"",
      l->of_end ? "true" : "false", l->shown ? "true" : "false", l->zero_is_empty ? "true" : "false"));
  SCIARA_TRY(sciara_page_pack_levels(t, l->levels, NULL, 1, p->frames->cells));
  return sciara_text_append(t, "\"}");
}

/** Where place k lies, and of one outside whether that is beyond the raster of which the DEM is a window. */
static enum sciara_status begin_place(struct sciara_text *t, const struct sciara_page *p, size_t k, int64_t row,
                                      int64_t col, const struct sciara_poi *poi, const char *state) {
  SCIARA_TRY(sciara_text_append(t, "%s{\"row\":%" PRId64 ",\"col\":%" PRId64 ",", k ? ",\n" : "", row, col));
  SCIARA_TRY(append_text(t, "name", poi->name));
  SCIARA_TRY(append_text(t, "where", state));
  return append_flag(t, "beyond", sciara_poi_where_of(poi, SCIARA_POI_OUTSIDE, &p->window) == SCIARA_POI_BEYOND);
}

static enum sciara_status append_pois(struct sciara_text *t, const struct sciara_page *p) {
  SCIARA_TRY(sciara_text_append(t, "\"sites\":["));
  for (size_t k = 0; k < p->hazard->pois; k++) {
    const struct sciara_page_poi *s = &p->hazard->poi[k];
    SCIARA_TRY(begin_place(t, p, k, s->row, s->col, s->poi, sciara_poi_where_name(s->where)));
    SCIARA_TRY(append_named(t, "arrival", s->arrival));
    SCIARA_TRY(append_flag(t, "at_start", s->at_start));
    SCIARA_TRY(sciara_text_append(t, "\"chances\":["));
    for (size_t c = 0; c < p->hazard->chances; c++) {
      SCIARA_TRY(sciara_text_append(t, c ? "," : ""));
      SCIARA_TRY(append_number(t, s->chance[c]));
    }
    SCIARA_TRY(sciara_text_append(t, "],"));
    SCIARA_TRY(append_parts(t, p, s->poi));
    SCIARA_TRY(sciara_text_append(t, "}"));
  }
  SCIARA_TRY(sciara_text_append(t, "],\n\"site_columns\":["));
  for (size_t c = 0; c < p->hazard->chances; c++)
    SCIARA_TRY(sciara_text_append(t, "%s\"%s\"", c ? "," : "", p->hazard->chance[c]));
  return sciara_text_append(t, "],\n");
}

/** The places of a run, an array. */
static enum sciara_status append_exposure(struct sciara_text *t, const struct sciara_page *p) {
  SCIARA_TRY(sciara_text_append(t, ",\n\"places\":["));
  for (size_t k = 0; k < p->places; k++) {
    const struct sciara_page_place *s = &p->place[k];
    SCIARA_TRY(begin_place(t, p, k, s->row, s->col, s->poi, s->state));
    SCIARA_TRY(append_named(t, "arrival", s->arrival_s));
    SCIARA_TRY(append_named(t, "deposit", s->deposit_m));
    SCIARA_TRY(append_named(t, "covered", s->covered));
    SCIARA_TRY(append_named(t, "land", s->land));
    SCIARA_TRY(append_flag(t, "mapped", s->mapped));
    SCIARA_TRY(append_parts(t, p, s->poi));
    SCIARA_TRY(sciara_text_append(t, "}"));
  }
  return sciara_text_append(t, "]");
}

static enum sciara_status append_shares(struct sciara_text *t, const char *key, const struct sciara_page_shares *s,
                                        int64_t blocks) {
  SCIARA_TRY(sciara_text_append(t, "\"%s\":{\"names\":[", key));
  for (size_t k = 0; k < s->count; k++) {
    if (k) SCIARA_TRY(sciara_text_append(t, ","));
    SCIARA_TRY(sciara_text_append_json(t, s->name[k]));
  }
  SCIARA_TRY(sciara_text_append(t, "],\"data\":\""));
  if (s->count > 0) SCIARA_TRY(sciara_page_pack_levels(t, s->ranked, NULL, 2 * SCIARA_PAGE_RANKS, blocks));
  return sciara_text_append(t, "\"},\n");
}

static enum sciara_status append_hazard(struct sciara_text *t, const struct sciara_page *p) {
  const struct sciara_page_hazard *h = p->hazard;
  SCIARA_TRY(sciara_text_append(t, ",\n\"hazard\":{"));
  SCIARA_TRY(sciara_text_append(t, "\"finished\":%zu,\"members\":%zu,\"stopped\":%s,\"observed\":%s,\"full\":%s,\n",
                                h->finished, h->members, h->stopped ? "true" : "false", h->observed ? "true" : "false",
                                h->full ? "true" : "false"));
  SCIARA_TRY(append_text(t, "condition", sciara_word_id(h->condition)));
  SCIARA_TRY(append_text(t, "after", sciara_word_id(h->after)));
  SCIARA_TRY(append_named(t, "time_zero_s", h->time_zero_s));
  SCIARA_TRY(sciara_text_append(t, "\"censored\":%zu,\"liquid\":{\"members\":%zu,", h->censored, h->liquid));
  SCIARA_TRY(append_named(t, "from_s", h->liquid_s[0]));
  SCIARA_TRY(sciara_text_append(t, "\"to_s\":%.15g},\n", h->liquid > 0 ? h->liquid_s[1] : 0));
  SCIARA_TRY(append_pois(t, p));
  SCIARA_TRY(append_shares(t, "vents", &h->vents, h->block_rows * h->block_cols));
  SCIARA_TRY(append_shares(t, "events", &h->events, h->block_rows * h->block_cols));
  SCIARA_TRY(append_named(t, "site_quantile", h->poi_quantile));
  SCIARA_TRY(sciara_text_append(t, "\"verification\":%s,\n", h->verification ? h->verification : "null"));
  return sciara_text_append(
      t, "\"ranks\":%d,\"share\":%d,\"block\":%" PRId64 ",\"block_rows\":%" PRId64 ",\"block_cols\":%" PRId64 "}",
      SCIARA_PAGE_RANKS, SCIARA_PAGE_SHARE, h->block, h->block_rows, h->block_cols);
}

/** The cells with lava and their values. */
static enum sciara_status append_lava(struct sciara_text *t, const struct sciara_page *p) {
  const struct sciara_page_frames *f = p->frames;
  SCIARA_TRY(append_bits(t, "covered", &f->grid, f->box, f->covered));
  SCIARA_TRY(append_frames(t, f));
  SCIARA_TRY(sciara_text_append(t, "\"fields\":["));
  for (size_t k = 0; k < f->field_count; k++) {
    if (k) SCIARA_TRY(sciara_text_append(t, ",\n"));
    SCIARA_TRY(append_field(t, p, &f->fields[k]));
  }
  for (size_t k = 0; p->hazard && k < p->hazard->layers; k++) {
    if (k) SCIARA_TRY(sciara_text_append(t, ",\n"));
    SCIARA_TRY(append_layer(t, p, &p->hazard->layer[k]));
  }
  return sciara_text_append(t, "]");
}

enum sciara_status sciara_page_map_print(struct sciara_text *t, const struct sciara_page *p, size_t like) {
  SCIARA_TRY(sciara_text_append(t, "{"));
  if (p->altitude) {
    SCIARA_TRY(append_text(t, "crs", p->crs_name));
    SCIARA_TRY(print_ground(t, p));
  }
  if (p->scenario_json) {
    SCIARA_TRY(append_text(t, "scenario", p->scenario_json));
    SCIARA_TRY(append_vents(t, p));
  }
  SCIARA_TRY(append_observed(t, p));
  if (p->frames->field_count > 0) {
    SCIARA_TRY(append_lava(t, p));
    SCIARA_TRY(sciara_text_append(t, ",\n"));
  }
  if (!p->region) SCIARA_TRY(sciara_text_append(t, "\"region\":null,"));
  return sciara_text_append(t, "\"like\":%zu}", like);
}

static enum sciara_status append_data(struct sciara_text *t, const struct sciara_page *p) {
  SCIARA_TRY(sciara_text_append(t, "{\"format\":1,\n"));
  SCIARA_TRY(append_text(t, "title", p->title));
  SCIARA_TRY(append_text(t, "stamp", p->stamp));
  SCIARA_TRY(append_text(t, "credits", p->credits));
  SCIARA_TRY(append_text(t, "issued", p->issued));
  SCIARA_TRY(append_text(t, "valid_until", p->valid_until));
  SCIARA_TRY(append_text(t, "assumed", p->assumed));
  SCIARA_TRY(append_text(t, "source", p->source));
  SCIARA_TRY(append_text(t, "engine", p->engine));
  SCIARA_TRY(append_text(t, "precision", p->precision));
  SCIARA_TRY(append_text(t, "start", p->start));
  SCIARA_TRY(sciara_text_append(t, "\"zone\":[%.15g,\"%s\"],\n", sciara_shown_zone(), sciara_shown_zone_name()));
  SCIARA_TRY(append_text(t, "crs", p->crs_name));
  SCIARA_TRY(append_warnings(t, p));
  SCIARA_TRY(append_ground_texts(t, p));
  SCIARA_TRY(append_words(t, p->language));
  SCIARA_TRY(append_text(t, "scenario", p->scenario_json));
  SCIARA_TRY(sciara_text_append(t, "\"snapshots\":%zu,\n", p->snapshot_count));
  SCIARA_TRY(print_ground(t, p));
  SCIARA_TRY(append_vents(t, p));
  SCIARA_TRY(append_observed(t, p));
  SCIARA_TRY(append_edits(t, p));
  SCIARA_TRY(append_lava(t, p));
  if (p->places) SCIARA_TRY(append_exposure(t, p));
  if (p->hazard) SCIARA_TRY(append_hazard(t, p));
  if (p->calibration) SCIARA_TRY(sciara_text_append(t, ",\n\"calibration\":%s", p->calibration));
  return sciara_text_append(t, "}\n");
}

/** In JSON "<" stands in texts only. Written as \u003c no text of a user can end the script element it lies in. */
static enum sciara_status append_escaped(struct sciara_text *page, const struct sciara_text *json) {
  const char *from = json->data, *end = json->data + json->length;
  while (from < end) {
    const char *found = memchr(from, '<', (size_t)(end - from));
    SCIARA_TRY(sciara_text_append_bytes(page, from, (size_t)((found ? found : end) - from)));
    if (!found) break;
    SCIARA_TRY(sciara_text_append(page, "\\u003c"));
    from = found + 1;
  }
  return SCIARA_OK;
}

/** The text for a hole of the skeleton, "LANGUAGE" or the ID of a word; NULL: there is none. */
static const char *text_of_hole(enum sciara_language language, const char *id, size_t length) {
  if (length == 8 && strncmp(id, "LANGUAGE", length) == 0) return sciara_language_code(language);
  for (int w = 0; w < SCIARA_WORDS; w++) {
    const char *one = sciara_word_id((enum sciara_word)w);
    if (strlen(one) == length && strncmp(one, id, length) == 0) return sciara_word(language, (enum sciara_word)w);
  }
  return NULL;
}

/** Appends a part of the skeleton, its holes "@ID@" filled with words, none of which needs an escape in HTML. */
static enum sciara_status append_skeleton(struct sciara_text *page, enum sciara_language language, const char *from,
                                          size_t size) {
  const char *end = from + size;
  while (from < end) {
    const char *hole = memchr(from, '@', (size_t)(end - from));
    size_t length = 0;
    SCIARA_TRY(sciara_text_append_bytes(page, from, (size_t)((hole ? hole : end) - from)));
    if (!hole) break;
    from = hole + 1;
    while (from + length < end && (from[length] == '_' || (from[length] >= 'A' && from[length] <= 'Z'))) length++;
    if (length == 0 || from + length == end || from[length] != '@') { // of a style
      SCIARA_TRY(sciara_text_append(page, "@"));
      continue;
    }
    const char *text = text_of_hole(language, from, length);
    if (!text)
      return sciara_fail(SCIARA_ERR_INTERNAL, "the page has a hole \"%.*s\", which is no word", (int)length, from);
    SCIARA_TRY(sciara_text_append(page, "%s", text));
    from += length + 1;
  }
  return SCIARA_OK;
}

enum sciara_status sciara_page_write(const struct sciara_page *p, const char *path) {
  const struct sciara_page_skeleton *around = p->hazard        ? &sciara_page_skeleton_ensemble
                                              : p->calibration ? &sciara_page_skeleton_calibration
                                                               : &sciara_page_skeleton_run;
  struct sciara_text json = {0}, page = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(append_data(&json, p));
  SCIARA_TRY_GOTO(append_skeleton(&page, p->language, (const char *)around->head, around->head_size));
  SCIARA_TRY_GOTO(append_escaped(&page, &json));
  SCIARA_TRY_GOTO(append_skeleton(&page, p->language, (const char *)around->tail, around->tail_size));
  SCIARA_TRY_GOTO(sciara_file_replace(path, page.data, page.length));
cleanup:
  sciara_text_free(&json);
  sciara_text_free(&page);
  return status;
}

// ----------------------------------------------------------------------------------------------------- numbers as text

enum { BEST = 9 };

enum sciara_status sciara_page_pack(struct sciara_text *out, const void *bytes, size_t count) {
  size_t length = 0;
  void *packed = CPLZLibDeflate(bytes, count, BEST, NULL, 0, &length);
  if (!packed || length > INT_MAX / 2) {
    VSIFree(packed);
    return sciara_fail(SCIARA_ERR_MEMORY, "%zu bytes of a page cannot be compressed", count);
  }
  char *text = CPLBase64Encode((int)length, (const GByte *)packed);
  const enum sciara_status status = sciara_text_append(out, "%s", text);
  CPLFree(text);
  VSIFree(packed);
  return status;
}

enum sciara_status sciara_page_pack_levels(struct sciara_text *out, const uint16_t *levels, const uint16_t *like,
                                           int64_t frames, int64_t cells) {
  const int64_t count = frames * cells;
  uint8_t *planes = NULL;
  SCIARA_TRY(SCIARA_NEW(planes, 2 * count, "frames of a page"));
  for (int64_t i = 0; i < count; i++) {
    unsigned left = levels[i];
    if (like) left -= like[i];
    if (i >= cells) left -= levels[i - cells];
    if (like && i >= cells) left += like[i - cells];
    const unsigned folded = left << 1 ^ (left & 0x8000u ? 0xffffu : 0);
    planes[i] = (uint8_t)(folded & 0xffu);
    planes[count + i] = (uint8_t)(folded >> 8 & 0xffu);
  }
  const enum sciara_status status = sciara_page_pack(out, planes, (size_t)(2 * count));
  sciara_free(planes);
  return status;
}
