// SPDX-License-Identifier: Apache-2.0
// Edits of the ground: the input is text, one shape per line, which is applied to a small DEM.
//   line WIDTH VALUE NUMBER X Y X Y ...      VALUE: height, crest or depth; a width below 0 is taken as positive
//   polygon VALUE NUMBER X Y X Y ...         VALUE: raise or level
//   sea X Y X Y ...                          a polygon that may lie anywhere
//   sea-level NUMBER
// "turns N" in place of a point adds N points of a spiral. Numbers are those of strtod: nan, inf and 1e300 too.
#include "base/mem.h"
#include "fuzz.h"
#include "terrain/dem_gdal.h"

enum { ROWS = 24, COLS = 32, CELLS = ROWS * COLS, MOST_EDITS = 12, MOST_POINTS = 6000 };
static const struct sciara_grid grid = {.rows = ROWS, .cols = COLS, .cell_size = 10, .west = 1000, .north = 2000};

struct shapes {
  struct sciara_edit edits[MOST_EDITS];
  size_t count;
  struct sciara_point points[MOST_EDITS + 1][MOST_POINTS]; ///< the last one: of the sea
  size_t sea_count;
  struct sciara_sea sea;
};

static double next_number(char **words) {
  const char *word = strtok_r(NULL, " ", words);
  return word ? strtod(word, NULL) : (double)NAN;
}

static size_t spiral(struct sciara_point *points, size_t count, long turns) {
  for (long k = 0; k < turns && count < MOST_POINTS; k++) {
    const double angle = 0.1 * (double)k, radius = 110 * (double)k / (double)turns;
    points[count++] = (struct sciara_point){1160 + radius * cos(angle), 1880 + radius * sin(angle)};
  }
  return count;
}

static size_t take_points(struct sciara_point *points, char **words) {
  size_t count = 0;
  for (const char *word; count < MOST_POINTS && (word = strtok_r(NULL, " ", words));) {
    if (strcmp(word, "turns") == 0) {
      const double turns = next_number(words);
      count = spiral(points, count, turns >= 1 && turns <= MOST_POINTS ? (long)turns : 0);
    } else {
      points[count].x = strtod(word, NULL);
      points[count++].y = next_number(words);
    }
  }
  return count;
}

static void take_edit(struct shapes *s, bool closed, char **words) {
  static char name[] = "fuzz";
  struct sciara_edit *e = &s->edits[s->count];
  *e = (struct sciara_edit){.name = name, .closed = closed, .points = s->points[s->count]};
  for (int k = 0; k < SCIARA_EDIT_VALUES; k++) e->value[k] = NAN;
  if (!closed) e->value[SCIARA_EDIT_WIDTH] = fabs(next_number(words)); // a scenario with another one is refused
  const char *what = strtok_r(NULL, " ", words);
  const double value = next_number(words);
  for (int k = SCIARA_EDIT_HEIGHT; what && k < SCIARA_EDIT_VALUES; k++)
    if (strncmp(what, sciara_edit_value_name((enum sciara_edit_value)k), strlen(what)) == 0) e->value[k] = value;
  e->point_count = take_points(e->points, words);
  if (e->point_count > 0) s->count++;
}

static void parse(char *text, struct shapes *s) {
  char *lines, *words;
  s->count = s->sea_count = 0;
  s->sea = (struct sciara_sea){.rule = SCIARA_SEA_NONE};
  for (char *line = strtok_r(text, "\n", &lines); line; line = strtok_r(NULL, "\n", &lines)) {
    const char *word = strtok_r(line, " ", &words);
    if (!word) continue;
    if (strcmp(word, "sea") == 0) s->sea_count = take_points(s->points[MOST_EDITS], &words);
    if (strcmp(word, "sea-level") == 0)
      s->sea = (struct sciara_sea){.rule = SCIARA_SEA_LEVEL, .level = next_number(&words)};
    if (s->count < MOST_EDITS && (strcmp(word, "line") == 0 || strcmp(word, "polygon") == 0))
      take_edit(s, word[0] == 'p', &words);
  }
}

/** A slope with hills, a low corner, and a column without altitudes. */
static void make_ground(double *altitude) {
  for (int i = 0; i < CELLS; i++) {
    const int row = i / COLS, col = i % COLS;
    altitude[i] = col == 20 ? SCIARA_NODATA_ALTITUDE : row > 18 && col < 6 ? 0 : 100 + 2 * row + (7 * col) % 11;
  }
}

// --------------------------------------------------------------------- the same by definition, cell by cell, for all points

static bool is_in_polygon(double column, double y, const struct sciara_point *points, size_t count) {
  bool inside = false;
  for (size_t k = 0; k < count; k++) {
    const struct sciara_point a = points[k], b = points[k + 1 < count ? k + 1 : 0];
    if ((a.y <= y) == (b.y <= y)) continue;
    const double x = a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x);
    inside ^= column >= (x - grid.west) / grid.cell_size - 0.5;
  }
  return inside;
}

static bool is_near_line(double x, double y, const struct sciara_edit *e) {
  const double reach = 0.5 * e->value[SCIARA_EDIT_WIDTH];
  for (size_t k = 1; k < e->point_count; k++) {
    const struct sciara_point a = e->points[k - 1], b = e->points[k];
    const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
    const double along = length > 0 ? fmin(fmax(((x - a.x) * dx + (y - a.y) * dy) / length, 0), 1) : 0;
    const double ex = x - (a.x + along * dx), ey = y - (a.y + along * dy);
    if (ex * ex + ey * ey <= reach * reach) return true;
  }
  return false;
}

static void expected_cells(const struct sciara_edit *e, uint8_t *mask) {
  struct sciara_crossing *crossing = NULL;
  size_t count = 0;
  memset(mask, 0, CELLS);
  for (int i = 0; i < CELLS; i++) {
    const double col = i % COLS, x = grid.west + (col + 0.5) * grid.cell_size;
    const double y = grid.north - ((double)(i / COLS) + 0.5) * grid.cell_size;
    mask[i] = e->closed ? is_in_polygon(col, y, e->points, e->point_count) : is_near_line(x, y, e);
  }
  if (e->closed) return;
  FUZZ_REQUIRE(sciara_polyline_cells(&grid, e->points, e->point_count, &crossing, &count) == SCIARA_OK);
  for (size_t k = 0; k < count; k++) mask[crossing[k].row * COLS + crossing[k].col] = 1;
  sciara_free(crossing);
}

/** The altitudes and the numbers of the edits are those that the accepted edits give, one after the other. */
static void check_ground(const struct shapes *s, const struct sciara_dem *dem) {
  static double altitude[CELLS];
  static uint8_t mask[CELLS];
  static uint16_t last[CELLS];
  make_ground(altitude);
  memset(last, 0, sizeof last);
  for (size_t k = 0; k < s->count; k++) {
    enum sciara_edit_value what;
    FUZZ_REQUIRE(sciara_edit_choose(s->edits[k].value, s->edits[k].closed, &what) == SCIARA_OK);
    expected_cells(&s->edits[k], mask);
    for (int i = 0; i < CELLS; i++) {
      if (!mask[i] || altitude[i] == SCIARA_NODATA_ALTITUDE) continue;
      const double before = altitude[i];
      altitude[i] = sciara_edit_apply(what, s->edits[k].value[what], before);
      FUZZ_REQUIRE(altitude[i] >= SCIARA_ALTITUDE_MIN && altitude[i] <= SCIARA_ALTITUDE_MAX);
      if (altitude[i] != before) last[i] = (uint16_t)(k + 1);
    }
  }
  for (int i = 0; i < CELLS; i++) {
    FUZZ_REQUIRE(dem->altitude[i] == altitude[i] && dem->valid[i] == (altitude[i] != SCIARA_NODATA_ALTITUDE));
    FUZZ_REQUIRE(dem->edit ? dem->edit[i] == last[i] : s->count == 0);
    FUZZ_REQUIRE(!dem->sea || !dem->sea[i] || (dem->valid[i] && altitude[i] <= s->sea.level));
  }
}

/** A polygon of any points: as by definition if they are not extreme, and never a cell outside the rows of its points. */
static void check_sea(const struct sciara_point *points, size_t count) {
  static uint8_t mask[CELLS];
  const size_t ends[] = {count / 2, count};
  double south = INFINITY, north = -INFINITY;
  bool sound = true;
  for (size_t k = 0; k < count; k++) {
    south = fmin(south, points[k].y), north = fmax(north, points[k].y);
    sound &= fabs(points[k].x) <= 1e9 && fabs(points[k].y) <= 1e9; // false for NaN
  }
  memset(mask, 0, sizeof mask);
  FUZZ_REQUIRE(sciara_mark_polygon(&grid, points, ends, 2, mask) == SCIARA_OK);
  for (int i = 0; i < CELLS; i++) {
    const double y = grid.north - ((double)(i / COLS) + 0.5) * grid.cell_size;
    FUZZ_REQUIRE(mask[i] <= 1 && (!mask[i] || (y >= south && y <= north)));
    if (sound)
      FUZZ_REQUIRE(mask[i] == (is_in_polygon(i % COLS, y, points, ends[0]) ^
                               is_in_polygon(i % COLS, y, points + ends[0], count - ends[0])));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct shapes s;
  static double altitude[CELLS];
  char *text = strndup(data ? (const char *)data : "", size);
  struct sciara_dem dem;
  FUZZ_REQUIRE(text != NULL);
  parse(text, &s);
  free(text);
  make_ground(altitude);
  FUZZ_REQUIRE(sciara_dem_from_values(&grid, NULL, altitude, &dem) == SCIARA_OK);
  const struct sciara_ground_request request = {.edits = s.edits, .edit_count = s.count, .sea = &s.sea};
  const enum sciara_status status = sciara_dem_shape_ground(&request, &dem);
  fuzz_check_status(status);
  FUZZ_REQUIRE(status == SCIARA_OK || status == SCIARA_ERR_INPUT);
  if (status == SCIARA_OK) check_ground(&s, &dem);
  sciara_dem_free(&dem);
  if (s.sea_count > 0) check_sea(s.points[MOST_EDITS], s.sea_count);
  return 0;
}
