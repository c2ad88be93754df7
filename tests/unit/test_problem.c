// SPDX-License-Identifier: Apache-2.0
// How a scenario becomes a problem at the limits. Initial lava: temperature in (T_sol, T_vent], thickness 0 or a
// normal number up to 1000 m, on interior cells alone; given as a number and as a raster. Vents on the edges of the DEM and of
// cells. The first clock.
#include "setup/setup.h"

#include "support/folder.h"

// 6 x 6 cells; the corner in the north-west is outside the DEM, so (0,1), (1,0) and (1,1) are rim cells too.
enum { SIDE = 6, CELLS = SIDE * SIDE, INSIDE = 2 * SIDE + 3, RIM = 1 * SIDE + 1, OUTSIDE = 0 };

static void write_grid(const char *name, const double values[CELLS]) {
  FILE *f = fopen(in_folder(name), "w");
  ck_assert_ptr_nonnull(f);
  fprintf(f, "ncols %d\nnrows %d\nxllcorner 500000\nyllcorner 4177000\ncellsize 10\nNODATA_value -9999\n", SIDE, SIDE);
  for (int i = 0; i < CELLS; i++) fprintf(f, "%.17g%c", values[i], i % SIDE == SIDE - 1 ? '\n' : ' ');
  ck_assert_int_eq(fclose(f), 0);
}

static void setup(void) {
  double altitude[CELLS];
  folder_make();
  for (int i = 0; i < CELLS; i++) altitude[i] = i == OUTSIDE ? -9999 : 1000 + i;
  write_grid("dem.asc", altitude);
}

static enum sciara_status open_with(const char *keys, const char *precision, struct sciara_problem *p) {
  char text[1024];
  snprintf(text, sizeof text,
           "{\"dem\": {\"path\": \"dem.asc\", \"crs\": \"EPSG:32633\"}, %s,"
           " \"engine\": {\"name\": \"serial\", \"precision\": \"%s\"}}",
           keys, precision);
  write_text(in_folder("s.json"), text);
  return sciara_problem_open(in_folder("s.json"), NULL, p);
}

static enum sciara_status open_lava(double h, double T, const char *precision, struct sciara_problem *p) {
  char keys[160];
  snprintf(keys, sizeof keys, "\"vents\": [], \"initial\": {\"thickness\": %.17g, \"temperature\": %.17g}", h, T);
  return open_with(keys, precision, p);
}

/** As numbers for every interior cell. */
static enum sciara_status open_numbers(double h, double T, struct sciara_problem *p) {
  return open_lava(h, T, "double", p);
}

/** As rasters with lava in one cell; elsewhere the temperature is one that lava cannot have. */
static enum sciara_status open_rasters(int cell, double h, double T, struct sciara_problem *p) {
  double thickness[CELLS] = {0}, temperature[CELLS] = {0};
  thickness[cell] = h;
  temperature[cell] = T;
  write_grid("h.asc", thickness);
  write_grid("T.asc", temperature);
  return open_with("\"vents\": [], \"initial\": {\"thickness\": \"h.asc\", \"temperature\": \"T.asc\"}", "double", p);
}

static void expect(enum sciara_status status, bool allowed, struct sciara_problem *p, double h, double T) {
  ck_assert_msg((status == SCIARA_OK) == allowed && (allowed || status == SCIARA_ERR_INPUT), "%.17g m at %.17g K: %s",
                h, T, allowed ? sciara_last_error() : "not refused");
  if (!allowed) return;
  ck_assert_double_eq(p->state->h[INSIDE], h);
  ck_assert_double_eq(p->state->T[INSIDE], h > 0 ? T : 0);
  ck_assert_double_eq(p->state->arrival[INSIDE], h > 0 ? 0 : SCIARA_NEVER);
  for (int i = 0; i < CELLS; i++)
    if (p->state->kind[i] != SCIARA_CELL_INTERIOR)
      ck_assert(p->state->h[i] == 0 && p->state->T[i] == 0 && p->state->arrival[i] == SCIARA_NEVER);
  sciara_problem_free(p);
}

TEST_EACH(temperature, 6) {
  const struct {
    double T;
    bool allowed;
  } cases[] = {{1143, false}, {nextafter(1143, 0), false}, {nextafter(1143, 2000), true},
               {1360, true},  {nextafter(1360, 0), true},  {nextafter(1360, 2000), false}};
  const double T = cases[_i].T;
  struct sciara_problem p;
  expect(open_numbers(2.5, T, &p), cases[_i].allowed, &p, 2.5, T);
  expect(open_rasters(INSIDE, 2.5, T, &p), cases[_i].allowed, &p, 2.5, T);
  if (!cases[_i].allowed) expect_said("initial.temperature: row 2, column 3: expected above 1143 to 1360 K, found");
}

TEST_EACH(thickness, 7) {
  const struct {
    double h;
    bool allowed;
  } cases[] = {{0, true},       {4.9e-324, false}, {nextafter(DBL_MIN, 0), false},
               {DBL_MIN, true}, {1000, true},      {nextafter(1000, 2000), false},
               {-1e-300, false}};
  struct sciara_problem p;
  expect(open_numbers(cases[_i].h, 1300, &p), cases[_i].allowed, &p, cases[_i].h, 1300);
  expect(open_rasters(INSIDE, cases[_i].h, 1300, &p), cases[_i].allowed, &p, cases[_i].h, 1300);
}

TEST(only_inside) {
  struct sciara_problem p;
  expect_error(open_rasters(RIM, 1e-9, 1300, &p), SCIARA_ERR_INPUT,
               "initial.thickness: row 1, column 1: expected lava only in cells "
               "with 8 valid neighbours, found 1e-09 m in a cell on the rim");
  expect_error(open_rasters(OUTSIDE, 1, 1300, &p), SCIARA_ERR_INPUT,
               "initial.thickness: row 0, column 0: expected lava only in cells "
               "with 8 valid neighbours, found 1 m in a NODATA cell");
  expect(open_rasters(RIM, 0, 1300, &p), true, &p, 0, 0); // a temperature without lava is none
}

// The volume is that of the cells with lava, by the area of a cell.
TEST(volume) {
  OWNED(sciara_problem_free) struct sciara_problem p;
  expect_ok(open_numbers(0.5, 1300, &p));
  ck_assert_double_eq(p.state->initial, 15 * 0.5 * 100); // 4 x 4 cells but for (1,1)
  ck_assert_int_eq(sciara_state_liquid_cells(p.state), 15);
}

// In single precision lava is rounded to floats; it is checked as given, and its volume is that of the floats.
TEST(rounded_to_floats) {
  const double h = 0.1, T = nextafter(1360, 0);
  OWNED(sciara_problem_free) struct sciara_problem p;
  expect_ok(open_lava(h, T, "single", &p));
  ck_assert_double_eq(p.state->h[INSIDE], (double)(float)h);
  ck_assert_double_eq(p.state->T[INSIDE], 1360);
  ck_assert_double_eq_tol(p.state->initial, 15 * (double)(float)h * 100, 1e-12);
}

// -------------------------------------------------------------------------------------------------------------- vents

/** A vent at x, y. */
static enum sciara_status open_vent(double x, double y, struct sciara_problem *p) {
  char keys[160];
  snprintf(keys, sizeof keys,
           "\"vents\": [{\"x\": %.17g, \"y\": %.17g, \"effusion\": {\"slot\": 60, \"rates_m3_s\": [1]}}]", x, y);
  return open_with(keys, "double", p);
}

// A cell includes its western and northern edge; the eastern and southern edge of the DEM belong to no cell.
TEST(a_vent_on_an_edge) {
  const double west = 500000, south = 4177000, east = west + 60, north = south + 60;
  const struct {
    double x, y;
    int row, col;
    const char *message; ///< NULL: allowed
  } places[] = {
      {west + 20, south + 25, 3, 2, NULL},
      {nextafter(west + 30, 0), south + 25, 3, 2, NULL},
      {west + 25, north - 20, 2, 2, NULL},
      {west + 25, nextafter(north - 30, 1e9), 2, 2, NULL},
      {east, south + 25, 0, 0,
       "expected x from 500000.000 to below 500060.000 and y from above 4177000.000 to 4177060.000 (the DEM), found x "
       "500060.000, "
       "y 4177025.000"},
      {nextafter(east, 0), south + 25, 0, 0,
       "expected a cell whose 8 neighbours are valid, found a cell on the rim of the domain in row 3, column 5"},
      {west, south + 25, 0, 0,
       "expected a cell whose 8 neighbours are valid, found a cell on the rim of the domain in row 3, column 0"},
      {nextafter(west, 0), south + 25, 0, 0,
       "expected x from 500000.000 to below 500060.000 and y from above 4177000.000 to 4177060.000 (the DEM), found x "
       "500000.000, "
       "y 4177025.000"},
      {west + 25, south, 0, 0,
       "expected x from 500000.000 to below 500060.000 and y from above 4177000.000 to 4177060.000 (the DEM), found x "
       "500025.000, "
       "y 4177000.000"},
      {west + 25, nextafter(south, 1e9), 0, 0,
       "expected a cell whose 8 neighbours are valid, found a cell on the rim of the domain in row 5, column 2"},
      {west + 25, north, 0, 0,
       "expected a cell whose 8 neighbours are valid, found a cell on the rim of the domain in row 0, column 2"},
      {west + 25, nextafter(north, 1e9), 0, 0,
       "expected x from 500000.000 to below 500060.000 and y from above 4177000.000 to 4177060.000 (the DEM), found x "
       "500025.000, "
       "y 4177060.000"}};
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    struct sciara_problem p;
    const enum sciara_status status = open_vent(places[k].x, places[k].y, &p);
    ck_assert_msg(status == (places[k].message ? SCIARA_ERR_INPUT : SCIARA_OK), "%zu: %s", k, sciara_last_error());
    if (places[k].message) {
      ck_assert_msg(strstr(sciara_last_error(), places[k].message), "%zu: %s", k, sciara_last_error());
      continue;
    }
    ck_assert(p.vents->row[0] == places[k].row && p.vents->col[0] == places[k].col);
    sciara_problem_free(&p);
  }
}

// -------------------------------------------------------------------------------------------------------------- clock

TEST(the_first_clock) {
  static const char keys[] = "\"vents\": [], \"initial\": {\"thickness\": 1}, \"model\": {\"clock_first_s\": 0.1}";
  struct sciara_problem p;
  expect_ok(open_with(keys, "double", &p));
  ck_assert_double_eq(p.state->clock, 0.1);
  sciara_problem_free(&p);
  expect_ok(open_with(keys, "single", &p));
  ck_assert_double_eq(p.state->clock, (double)0.1f); // as an engine stores it: what is uploaded is downloaded again
  sciara_problem_free(&p);
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
