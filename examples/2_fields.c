// SPDX-License-Identifier: Apache-2.0
// Step 2 of the tutorial: fields as arrays. Runs a scenario, computes the covered area, and writes a map and a snapshot.
//
//   cc 2_fields.c $(pkg-config --cflags --libs sciara) -lm -o 2_fields && ./2_fields scenario.json FOLDER
#include <inttypes.h>
#include <sciara.h>
#include <stdio.h>
#include <stdlib.h>

/** Ends the program with the library's sentence when a call failed. */
static void check(enum sciara_status status) {
  if (status == SCIARA_OK) return;
  fprintf(stderr, "2_fields: %s\n", sciara_last_error());
  exit((int)status);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s SCENARIO FOLDER\n", argv[0]);
    return SCIARA_ERR_USAGE;
  }
  // Keys of the scenario can be replaced, as with `sciara run --set`.
  const char *overrides[] = {"run.max_steps=500", "output.fields=[\"thickness\", \"deposit\", \"arrival_time\"]"};
  struct sciara *s;
  check(sciara_open(argv[1], overrides, 2, &s));
  check(sciara_run(s));

  // A view belongs to the simulation and is valid until its next step; sciara_read_field copies instead.
  struct sciara_grid_info grid;
  const double *deposit;
  sciara_read_grid(s, &grid);
  check(sciara_view_field(s, SCIARA_FIELD_DEPOSIT, &deposit));
  int64_t covered = 0, row = 0, col = 0;
  double thickest = 0;
  for (int64_t i = 0; i < grid.rows * grid.cols; i++) {
    if (deposit[i] > 0) covered++; // -9999 outside the DEM
    if (deposit[i] > thickest) {
      thickest = deposit[i];
      row = i / grid.cols;
      col = i % grid.cols;
    }
  }
  const double cell = grid.cell_size_m, x = grid.west_m + ((double)col + 0.5) * cell,
               y = grid.north_m - ((double)row + 0.5) * cell; // row 0 is the northern row
  const char *crs;
  sciara_read_crs(s, NULL, &crs);
  printf("%.4f km2 are covered; thickest %.2f %s at x %.1f, y %.1f in %s\n", (double)covered * cell * cell / 1e6,
         thickest, sciara_field_unit(SCIARA_FIELD_DEPOSIT), x, y, crs ? crs : "an unknown CRS");

  char path[4096];
  snprintf(path, sizeof path, "%s/deposit.tif", argv[2]);
  check(sciara_write_map(s, SCIARA_FIELD_DEPOSIT, path));
  printf("%s\n", path);
  snprintf(path, sizeof path, "%s/state.nc", argv[2]);
  check(sciara_write_snapshot(s, path));
  printf("%s\n", path);
  sciara_close(s);
  return covered > 0 ? SCIARA_OK : SCIARA_ERR_NUMERIC;
}
