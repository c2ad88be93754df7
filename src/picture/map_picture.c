// SPDX-License-Identifier: Apache-2.0
// The layout of a map's picture: title and time above the map, legend, scale bar and north arrow below it.
#include "picture/map_picture.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/mem.h"
#include "model/field.h"
#include "picture/map_picture_parts.h"

enum {
  MAP_SMALLEST = 1000, // longest side of the map, px: small grids are enlarged to it,
  MAP_LARGEST = 4000,  // large ones reduced
  LEAST_WIDTH = 720,   // of a picture whose width was not asked for
  STEPS_MOST = 8,      // of the legend
  TITLE_LINES = 3
};

/** Where everything is, px. */
struct layout {
  double letter; ///< height of a capital
  double margin, title_letter;
  int title_lines;
  int64_t width, height;
  int64_t map_x, map_y, map_width, map_height;
  double below; ///< y under the map
};

static int64_t even(double v) { return 2 * (int64_t)ceil(0.5 * v); }

/** Size of the map for the width that was asked for, or for its grid. */
static void size_map(const struct sciara_grid *g, int64_t asked, struct layout *l) {
  const double rows = (double)g->rows, cols = (double)g->cols, longest = fmax(rows, cols);
  double zoom = longest < MAP_SMALLEST ? ceil(MAP_SMALLEST / longest) : fmin(1, MAP_LARGEST / longest);
  if (asked) {
    l->width = asked + asked % 2;
    l->letter = fmax(8, (double)l->width / 92);
    l->margin = 2 * l->letter;
    zoom = ((double)l->width - 2 * l->margin) / cols;
    zoom = fmin(zoom, 1.6 * (double)l->width / rows); // a long valley does not make a scroll
  } else {
    l->letter = fmax(8, fmax(LEAST_WIDTH, cols * zoom) / 88);
    l->margin = 2 * l->letter;
    l->width = even(fmax(LEAST_WIDTH, cols * zoom + 2 * l->margin));
  }
  l->map_width = (int64_t)fmax(1, floor(cols * zoom + 1e-6));
  l->map_height = (int64_t)fmax(1, floor(rows * zoom + 1e-6));
  l->map_x = (l->width - l->map_width) / 2;
}

/** The next line of a title, at most `width` wide; what does not fit into the last line ends in "...". */
static const char *next_line(const char *text, double letter, double width, bool last, char *line, size_t capacity) {
  size_t fit = sciara_picture_text_fit(letter, text, width);
  const bool cut = last && text[fit];
  if (cut) fit = sciara_picture_text_fit(letter, text, width - sciara_picture_text_width(letter, " ..."));
  snprintf(line, capacity, "%.*s%s", (int)(fit < capacity ? fit : capacity - 1), text, cut ? "..." : "");
  text += fit;
  while (*text == ' ') text++;
  return text;
}

static int count_lines(const char *title, double letter, double width) {
  int lines = 0;
  char line[1024];
  while (title && *title && lines < TITLE_LINES)
    title = next_line(title, letter, width, ++lines == TITLE_LINES, line, sizeof line);
  return lines;
}

static struct layout lay_out(const struct sciara_map_picture *q) {
  struct layout l = {0};
  size_map(q->map->grid, q->width, &l);
  l.title_letter = 1.5 * l.letter;
  l.title_lines = count_lines(q->map->title, l.title_letter, (double)l.width - 2 * l.margin);
  const double head = l.margin + l.title_lines * 2.1 * l.title_letter + 2.1 * l.letter * (q->time_s ? 2 : 1);
  l.map_y = (int64_t)lround(head);
  l.below = (double)(l.map_y + l.map_height);
  const double strip = (q->observed ? 11.2 : 8.8) * l.letter;
  l.height = even(l.below + strip + l.margin);
  return l;
}

/** "Simulated time 1 d 00:00:06, 2026-05-11 04:00 UTC" */
static void describe_time(const struct sciara_map_picture *q, char *text, size_t capacity) {
  char duration[48], date[48] = "";
  struct tm begin = {0}, now;
  sciara_print_duration(*q->time_s, duration, sizeof duration);
  if (q->start && strptime(q->start, "%Y-%m-%dT%H:%M:%SZ", &begin) && fabs(*q->time_s) < 1e12) {
    const time_t seconds = timegm(&begin) + (time_t)floor(*q->time_s);
    if (gmtime_r(&seconds, &now)) strftime(date, sizeof date, ", %Y-%m-%d %H:%M UTC", &now);
  }
  snprintf(text, capacity, "Simulated time %s%s", duration, date);
}

static void write_line(struct sciara_picture *p, double x, double y, double letter, double weight, const char *text) {
  const struct sciara_pen pen = {.height = letter, .weight = weight, .opacity = 1, .rgb = {30, 30, 30}};
  sciara_picture_text(p, x, y, &pen, text);
}

static bool is_blank(const struct sciara_map *map) {
  for (int64_t i = 0; i < sciara_grid_cells(map->grid); i++)
    if (isfinite(map->values[i]) && map->values[i] != map->nodata) return false;
  return true;
}

static void paint_head(const struct sciara_map_picture *q, const struct layout *l, struct sciara_picture *p) {
  char line[1024];
  double y = l->margin;
  const double width = (double)l->width - 2 * l->margin;
  const char *title = q->map->title;
  for (int k = 1; k <= l->title_lines; k++, y += 2.1 * l->title_letter) {
    title = next_line(title, l->title_letter, width, k == TITLE_LINES, line, sizeof line);
    write_line(p, l->margin, y + l->title_letter, l->title_letter, 0.16, line);
  }
  const enum sciara_field field = sciara_field_find(q->map->name);
  const struct sciara_field_info *info = sciara_field_describe(field);
  snprintf(line, sizeof line, "%s%s", info ? info->long_name : q->map->name, is_blank(q->map) ? ": none" : "");
  line[0] = (char)toupper((unsigned char)line[0]);
  write_line(p, l->margin, y + l->letter, l->letter, 0.12, line);
  if (!q->time_s) return;
  describe_time(q, line, sizeof line);
  write_line(p, l->margin, y + 3.1 * l->letter, l->letter, 0.12, line);
}

/** "Cells of 10 m, WGS 84 / UTM zone 33N (EPSG:32633)" */
static void paint_foot(const struct sciara_map_picture *q, const struct layout *l, struct sciara_picture *p) {
  const char *crs = q->map->georef && q->map->georef->crs_name ? q->map->georef->crs_name : "no CRS";
  const double letter = fmax(7, 0.75 * l->letter), width = (double)l->width - 2 * l->margin;
  char text[512], line[512];
  snprintf(text, sizeof text, "Cells of %.6g m, %s", q->map->grid->cell_size, crs);
  next_line(text, letter, width, true, line, sizeof line);
  const struct sciara_pen pen = {.height = letter, .weight = 0.12, .opacity = 1, .rgb = {90, 90, 90}};
  sciara_picture_text(p, l->margin, (double)l->height - l->letter, &pen, line);
}

static void paint_below(const struct sciara_map_picture *q, const struct sciara_colouring *c, const struct layout *l,
                        struct sciara_picture *p) {
  const double letter = l->letter, y = l->below + 1.4 * letter, room = (double)l->width - 2 * l->margin;
  const double bar = fmin(0.52 * room, 42 * letter), right = (double)l->width - l->margin;
  sciara_paint_legend(q, c, letter, l->margin, y, bar, p);
  const double north = 5.2 * letter;
  sciara_paint_north(right - 0.25 * north, y + north, north, p);
  const double left = l->margin + bar + 3 * letter, end = right - 0.5 * north - 4.5 * letter;
  const double metres_per_px = q->map->grid->cell_size * (double)q->map->grid->cols / (double)l->map_width;
  const double length = fmin(end - left, 22 * letter);
  sciara_paint_scale_bar(metres_per_px, letter, left, y + 0.65 * north, length, p);
  if (!q->observed) return;
  const double at = y + 7.4 * letter;
  const struct sciara_spot from = {l->margin, at}, to = {l->margin + 3 * letter, at};
  sciara_paint_cased(p, from, to, 0.085 * letter, false);
  write_line(p, to.x + letter, at + 0.5 * letter, letter, 0.12, "Observed outline");
}

static struct sciara_colouring colouring_of(const struct sciara_map_picture *q) {
  struct sciara_colouring c = {.ramp = sciara_ramp_for(q->map->name)};
  double low = q->low, high = q->high;
  if (!(low < high))
    sciara_ramp_range(c.ramp, q->map->values, sciara_grid_cells(q->map->grid), q->map->nodata, &low, &high);
  c.scale = sciara_legend_scale(low, high, q->map->unit, STEPS_MOST);
  c.low = sciara_legend_low(&c.scale);
  c.high = sciara_legend_high(&c.scale);
  return c;
}

static void warn_of_letters(const struct sciara_map_picture *q, const char *path) {
  const char *const texts[] = {q->map->title, q->stamp};
  for (int k = 0; k < 2; k++) {
    const size_t count = texts[k] ? sciara_picture_text_unknown(texts[k]) : 0;
    if (count)
      sciara_log(SCIARA_LOG_WARNING, "%s: %zu letters of the %s have no shape here; boxes stand for them", path, count,
                 k ? "stamp" : "title");
  }
}

static enum sciara_status paint(const struct sciara_map_picture *q, const struct layout *l, struct sciara_picture *p) {
  static const uint8_t paper[3] = {255, 255, 255}, frame[3] = {30, 30, 30};
  const struct sciara_colouring c = colouring_of(q);
  const int64_t line = (int64_t)fmax(1, round(l->letter / 12));
  sciara_picture_fill(p, 0, 0, p->width, p->height, paper);
  sciara_picture_fill(p, l->map_x - line, l->map_y - line, l->map_width + 2 * line, l->map_height + 2 * line, frame);
  struct sciara_picture map = sciara_picture_part(p, l->map_x, l->map_y, l->map_width, l->map_height);
  SCIARA_TRY(sciara_paint_ground(q, &c, &map));
  if (q->observed) sciara_paint_outline(q, 0.085 * l->letter, &map);
  if (q->stamp) sciara_paint_stamp(q->stamp, &map);
  paint_head(q, l, p);
  paint_below(q, &c, l, p);
  paint_foot(q, l, p);
  return SCIARA_OK;
}

enum sciara_status sciara_map_write_png(const struct sciara_map_picture *q, const char *path) {
  if (q->width && (q->width < SCIARA_PICTURE_NARROWEST || q->width > SCIARA_PICTURE_WIDEST))
    return sciara_fail(SCIARA_ERR_USAGE, "found a picture of %" PRId64 " pixels in width, allowed %d to %d", q->width,
                       SCIARA_PICTURE_NARROWEST, SCIARA_PICTURE_WIDEST);
  const struct layout l = lay_out(q);
  struct sciara_picture picture = {.width = l.width, .height = l.height, .stride = l.width};
  warn_of_letters(q, path);
  SCIARA_TRY(SCIARA_NEW(picture.rgb, picture.width * picture.height * 3, "pixels of a picture"));
  enum sciara_status status = paint(q, &l, &picture);
  if (status == SCIARA_OK) status = sciara_picture_write_png(&picture, path);
  sciara_free(picture.rgb);
  return status;
}

size_t sciara_map_picture_memory(const struct sciara_grid *grid) {
  struct layout l = {0};
  size_map(grid, 0, &l);
  const size_t pixels = (size_t)l.width * (size_t)(l.map_height + (int64_t)(30 * l.letter));
  return (size_t)sciara_grid_cells(grid) * sizeof(float) + 3 * 3 * pixels; // the picture, its dataset, GDAL's cache
}
