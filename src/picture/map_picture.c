// SPDX-License-Identifier: Apache-2.0
// The layout of a map's picture: title and time above the map; coordinates, legend, scale bar, north arrow, key and text
// below it.
#include "picture/map_picture.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/date.h"
#include "base/log.h"
#include "base/text.h"
#include "picture/map_picture_parts.h"

enum {
  MAP_SMALLEST = 1000, // longest side of the map, px: small grids are enlarged to it,
  MAP_LARGEST = 4000,  // large ones reduced
  LEAST_WIDTH = 720,   // of a picture without a requested width
  STEPS_MOST = 8,      // of the legend
  TITLE_LINES = 3,
  FOOT_LINES = 3,
  MARGIN = 3, // letters: next to the map, with the coordinates
  LINE_MOST = 512
};

/** What is written, and where everything is, px. */
struct layout {
  double letter;       ///< height of a capital
  double margin, room; ///< between the edges of the picture and what is written; width between both
  struct sciara_map_place map;
  int64_t width, height;
  char about[LINE_MOST], time[LINE_MOST], date[LINE_MOST], foot[LINE_MOST]; ///< "" for a line that there is not
  struct sciara_writing title;
  double head, title_height, logo_width, key_height, lines_height, foot_height;
};

enum { LEGEND_LETTERS = 7, LOGO_HEIGHT = 5, LOGO_WIDTH = 14 }; // in letters

static int64_t even(double v) { return 2 * (int64_t)ceil(0.5 * v); }

/** Size of the map for the requested width, or for its grid. */
static void size_map(const struct sciara_grid *g, int64_t asked, struct layout *l) {
  const double rows = (double)g->rows, cols = (double)g->cols, longest = fmax(rows, cols);
  double zoom = longest < MAP_SMALLEST ? ceil(MAP_SMALLEST / longest) : fmin(1, MAP_LARGEST / longest);
  if (asked) {
    l->width = asked + asked % 2;
    l->letter = fmax(8, (double)l->width / 92);
    l->margin = MARGIN * l->letter;
    zoom = ((double)l->width - 2 * l->margin) / cols;
    zoom = fmin(zoom, 1.6 * (double)l->width / rows); // a long valley does not make a scroll
  } else {
    l->letter = fmax(8, fmax(LEAST_WIDTH, cols * zoom) / 86);
    l->margin = MARGIN * l->letter;
    l->width = even(fmax(LEAST_WIDTH, cols * zoom + 2 * l->margin));
  }
  l->room = (double)l->width - 2 * l->margin;
  l->map.width = (int64_t)fmax(1, floor(cols * zoom + 1e-6));
  l->map.height = (int64_t)fmax(1, floor(rows * zoom + 1e-6));
  l->map.x = (l->width - l->map.width) / 2;
}

// ----------------------------------------------------------------------------------------------------- what is written

static struct sciara_map_window window_of(const struct sciara_map_picture *q) {
  return q->window ? *q->window : (struct sciara_map_window){0, 0, q->map->grid->rows, q->map->grid->cols};
}

static bool is_blank(const struct sciara_map *map) {
  for (int64_t i = 0; i < sciara_grid_cells(map->grid); i++)
    if (isfinite(map->values[i]) && map->values[i] != map->nodata) return false;
  return true;
}

/** "Simulated time 1 d 6 h" and "2026-05-11 04:00 UTC" */
static void describe_time(const struct sciara_map_picture *q, struct layout *l) {
  char duration[48];
  sciara_word_duration(q->language, *q->time_s, duration, sizeof duration);
  snprintf(l->time, sizeof l->time, "%s %s", sciara_word(q->language, SCIARA_WORD_SIMULATED_TIME), duration);
  sciara_minute_after(q->start, *q->time_s, l->date);
}

/** Time and date are one line where the longest one has room: frames of a film are of one size. */
static void join_time(const struct sciara_map_picture *q, struct sciara_lettering *letters, struct layout *l) {
  char longest[LINE_MOST];
  snprintf(longest, sizeof longest, "%s 9999 d 23 h 59 min, 2026-05-11 04:00 UTC",
           sciara_word(q->language, SCIARA_WORD_SIMULATED_TIME));
  const struct sciara_writing w = {.text = longest, .capital = l->letter};
  if (!l->date[0] || sciara_lettering_measure(letters, &w).width > l->head) return;
  const size_t used = strlen(l->time);
  snprintf(l->time + used, sizeof l->time - used, ", %s", l->date);
  l->date[0] = '\0';
}

/** Cell size, CRS, program, credits. */
static void describe_foot(const struct sciara_map_picture *q, struct layout *l) {
  const char *crs = q->map->georef && q->map->georef->crs_name ? q->map->georef->crs_name
                                                               : sciara_word(q->language, SCIARA_WORD_NO_CRS);
  const unsigned rules = q->rules ? q->rules : SCIARA_RULES_FV3;
  char cell[64];
  snprintf(cell, sizeof cell, "%.6g", q->map->grid->cell_size);
  sciara_word_numbers(q->language, cell);
  sciara_fit(l->foot, sizeof l->foot, "%s %s m, %s. %s sciara " SCIARA_VERSION " (SCIARA%s%s)%s%s",
             sciara_word(q->language, SCIARA_WORD_CELLS_OF), cell, crs, sciara_word(q->language, SCIARA_WORD_MADE_WITH),
             rules == SCIARA_RULES_FV3 ? "-" : ", ", sciara_rules_name(rules), q->credits ? ". " : "",
             q->credits ? q->credits : "");
}

static void describe(const struct sciara_map_picture *q, struct sciara_lettering *letters, struct layout *l) {
  const char *name = sciara_word_of_field_long(q->language, q->map->name);
  if (!name) name = q->map->long_name ? q->map->long_name : q->map->name;
  snprintf(l->about, sizeof l->about, "%s%s%s", name,
           is_blank(q->map) ? sciara_word(q->language, SCIARA_WORD_COLON) : "",
           !is_blank(q->map) ? ""
           : q->blank        ? q->blank
                             : sciara_word(q->language, SCIARA_WORD_NO_LAVA));
  if (q->logo) l->logo_width = sciara_logo_width(q->logo, LOGO_WIDTH * l->letter, LOGO_HEIGHT * l->letter);
  l->head = l->room - (q->logo ? l->logo_width + 1.5 * l->letter : 0);
  l->title = (struct sciara_writing){.text = q->map->title ? q->map->title : "",
                                     .capital = 1.5 * l->letter,
                                     .bold = true,
                                     .width = l->head,
                                     .lines = TITLE_LINES};
  describe_foot(q, l);
  if (q->time_s) describe_time(q, l);
  join_time(q, letters, l);
}

// -------------------------------------------------------------------------------------------------------------- layout

static struct sciara_writing foot_of(const struct layout *l) {
  return (struct sciara_writing){
      .text = l->foot, .capital = fmax(7, 0.75 * l->letter), .grey = true, .width = l->room, .lines = FOOT_LINES};
}

/** Upper side of the legend, below the coordinates. */
static double legend_top(const struct layout *l) {
  return (double)(l->map.y + l->map.height) + sciara_map_margin(l->letter) + 1.4 * l->letter;
}

static void lay_out(struct sciara_map_drawing *d, struct layout *l) {
  const struct sciara_map_picture *q = d->q;
  size_map(&d->grid, q->width, l);
  d->letter = l->letter;
  describe(q, &d->lettering, l);
  const struct sciara_writing foot = foot_of(l);
  l->foot_height = sciara_lettering_measure(&d->lettering, &foot).height;
  l->title_height = l->title.text[0] ? sciara_lettering_measure(&d->lettering, &l->title).height + 0.9 * l->letter : 0;
  const int lines = 1 + (l->time[0] != '\0') + (l->date[0] != '\0');
  double head = l->title_height + 2.1 * lines * l->letter;
  if (q->logo) head = fmax(head, (LOGO_HEIGHT + 1) * l->letter);
  l->map.y = (int64_t)lround(l->margin + head);
  l->key_height = sciara_map_key(d, 0, 0, l->room, false);
  l->lines_height = sciara_map_lines(d, 0, 0, l->room, false);
  l->height = even(legend_top(l) + LEGEND_LETTERS * l->letter + l->key_height + l->lines_height + l->foot_height +
                   1.3 * l->letter);
}

static void paint_line(struct sciara_map_drawing *d, const struct layout *l, const char *text, double *y) {
  const struct sciara_writing w = {.text = text, .capital = l->letter, .width = l->head, .lines = 1};
  if (!text[0]) return;
  sciara_picture_write(&d->picture, &d->lettering, l->margin, *y + l->letter, 0, &w);
  *y += 2.1 * l->letter;
}

static void paint_head(struct sciara_map_drawing *d, const struct layout *l) {
  double y = l->margin;
  if (d->q->logo) sciara_paint_logo(d, (double)l->width - l->margin, l->margin, l->logo_width, LOGO_HEIGHT * l->letter);
  if (l->title.text[0]) sciara_picture_write(&d->picture, &d->lettering, l->margin, y + l->title.capital, 0, &l->title);
  y += l->title_height;
  paint_line(d, l, l->about, &y);
  paint_line(d, l, l->time, &y);
  paint_line(d, l, l->date, &y);
}

static void paint_below(struct sciara_map_drawing *d, const struct sciara_colouring *c, const struct layout *l) {
  const double letter = l->letter, y = legend_top(l);
  const double right = (double)l->width - l->margin, north = 5.2 * letter;
  const double legend = sciara_paint_legend(d, c, l->margin, y, fmin(0.52 * l->room, 42 * letter));
  const double arrow = sciara_paint_north(d, right, y + north, north);
  const double left = legend + 2 * letter, end = fmin(right - arrow - 4 * letter, left + 22 * letter);
  sciara_paint_scale_bar(d, left, y + 0.6 * north, end);
  const double key = y + LEGEND_LETTERS * letter;
  sciara_map_key(d, l->margin, key, l->room, true);
  sciara_map_lines(d, l->margin, key + l->key_height, l->room, true);
  const struct sciara_writing foot = foot_of(l);
  const double top = (double)l->height - 1.3 * letter - l->foot_height;
  sciara_picture_write(&d->picture, &d->lettering, l->margin, top + foot.capital, 0, &foot);
}

static struct sciara_colouring colouring_of(const struct sciara_map_picture *q) {
  struct sciara_colouring c = {.ramp = sciara_map_ramp(q->map)};
  double low = q->low, high = q->high;
  if (q->kind) return c;
  if (q->edges) {
    low = 0;
    high = q->edges[q->edge_count - 1];
  }
  if (!(low < high))
    sciara_ramp_range(c.ramp, q->map->values, sciara_grid_cells(q->map->grid), q->map->nodata, &low, &high);
  c.scale = sciara_legend_scale(low, high, q->map->unit, STEPS_MOST);
  c.low = sciara_legend_low(&c.scale);
  c.high = sciara_legend_high(&c.scale);
  for (int64_t i = 0; i < sciara_grid_cells(q->map->grid) && !q->edges && !c.beyond; i++)
    c.beyond = q->map->values[i] != q->map->nodata && q->map->values[i] > c.high;
  return c;
}

// ----------------------------------------------------------------------------------------------------------- the whole

static void warn_of_letters(struct sciara_map_drawing *d, const char *path) {
  const char *const texts[] = {d->q->map->title, d->q->stamp, d->q->credits};
  static const char *const names[] = {"title", "stamp", "credits"};
  if (!d->lettering.context)
    sciara_log(SCIARA_LOG_WARNING, "%s: has no text, because no font is installed; install one such as DejaVu Sans",
               path);
  for (int k = 0; k < 3; k++) {
    const size_t count = texts[k] ? sciara_lettering_unknown(&d->lettering, texts[k]) : 0;
    if (count)
      sciara_log(SCIARA_LOG_WARNING,
                 "%s: no installed font has %zu of the characters of the %s; they are drawn as boxes", path, count,
                 names[k]);
  }
}

/** Warns of names of places, vents and the like. @param written characters that no font has, but for those of the title and the stamp */
static void warn_of_names(struct sciara_map_drawing *d, size_t written, const char *path) {
  const size_t credits = d->q->credits ? sciara_lettering_unknown(&d->lettering, d->q->credits) : 0;
  if (written > credits)
    sciara_log(SCIARA_LOG_WARNING,
               "%s: no installed font has %zu of the characters of the names; they are drawn as boxes", path,
               written - credits);
}

static enum sciara_status paint(struct sciara_map_drawing *d, const struct layout *l, const char *path) {
  static const uint8_t frame[3] = {30, 30, 30};
  const struct sciara_colouring c = colouring_of(d->q);
  const double line = fmax(1, round(l->letter / 12));
  const struct sciara_box around = {(double)l->map.x - line, (double)l->map.y - line, (double)l->map.width + 2 * line,
                                    (double)l->map.height + 2 * line};
  sciara_picture_fill(&d->picture, around.x, around.y, around.width, around.height, frame);
  sciara_picture_claim(&d->picture, around);
  SCIARA_TRY(sciara_paint_ground(d, &c));
  if (d->q->edits) sciara_paint_outline(d, SCIARA_OUTLINE_EDITS);
  if (d->q->observed) sciara_paint_outline(d, SCIARA_OUTLINE_OBSERVED);
  if (d->q->graticule) sciara_paint_graticule(d);
  if (d->q->stamp) sciara_paint_stamp(d); // names and marks stay above it
  d->lettering.unknown = 0;
  sciara_paint_marks(d);
  sciara_paint_coordinates(d);
  const size_t before = d->lettering.unknown;
  paint_head(d, l);
  const size_t title = d->lettering.unknown - before;
  paint_below(d, &c, l);
  warn_of_names(d, d->lettering.unknown - title, path);
  return d->lettering.failed;
}

enum sciara_status sciara_map_draw(const struct sciara_map_picture *q, const char *path,
                                   struct sciara_map_drawing *out) {
  struct layout l = {0};
  if (q->width && (q->width < SCIARA_PICTURE_NARROWEST || q->width > SCIARA_PICTURE_WIDEST))
    return sciara_fail(SCIARA_ERR_USAGE, "expected a picture %d to %d pixels wide, found %" PRId64,
                       SCIARA_PICTURE_NARROWEST, SCIARA_PICTURE_WIDEST, q->width);
  out->q = q;
  out->window = window_of(q);
  out->grid = sciara_map_window_grid(&out->window, q->map->grid);
  SCIARA_TRY(sciara_lettering_open(&out->lettering));
  lay_out(out, &l);
  out->map = l.map;
  SCIARA_TRY(sciara_picture_begin(&out->picture, l.width, l.height, path));
  warn_of_letters(out, path);
  return paint(out, &l, path);
}

void sciara_map_drawing_free(struct sciara_map_drawing *d) {
  sciara_picture_free(&d->picture);
  sciara_lettering_close(&d->lettering);
}

enum sciara_status sciara_map_write_png(const struct sciara_map_picture *q, const char *path) {
  struct sciara_map_drawing d = {0};
  enum sciara_status status = sciara_map_draw(q, path, &d);
  if (status == SCIARA_OK) status = sciara_picture_write_png(&d.picture, q->map->facts, path);
  sciara_map_drawing_free(&d);
  return status;
}

void sciara_map_picture_pixels(const struct sciara_map_picture *q, int64_t *width, int64_t *height) {
  struct layout l = {0};
  const struct sciara_map_window window = window_of(q);
  const struct sciara_grid grid = sciara_map_window_grid(&window, q->map->grid);
  size_map(&grid, q->width, &l);
  *width = l.map.width;
  *height = l.map.height;
}

size_t sciara_map_picture_memory(const struct sciara_grid *grid) {
  struct layout l = {0};
  size_map(grid, 0, &l);
  const size_t pixels = (size_t)l.width * (size_t)(l.map.height + (int64_t)(40 * l.letter));
  return (size_t)sciara_grid_cells(grid) * sizeof(float) + 2 * sizeof(uint32_t) * pixels; // the picture, and its file
}
