// SPDX-License-Identifier: Apache-2.0
// For the tests of DEMs: reads a DEM and checks its values.
#ifndef SCIARA_TESTS_DEM_FIXTURE_H
#define SCIARA_TESTS_DEM_FIXTURE_H

#include "gdal_fixture.h"
#include "terrain/dem_gdal.h"

static struct sciara_dem dem; ///< the last one that was read

static enum sciara_status read_dem(const struct sciara_dem_request *request) {
  sciara_dem_free(&dem);
  return sciara_dem_read(request, &dem);
}

static enum sciara_status read_path(const char *path) {
  return read_dem(&(struct sciara_dem_request){.path = path, .band = 1});
}

static void assert_read(const char *path) { expect_ok(read_path(path)); }

static void assert_fails(enum sciara_status status, const char *path, const char *part) {
  ck_assert_msg(read_path(path) == status, "%s was not refused with %d", path, (int)status);
  expect_said(path, part);
}

static void assert_refused(const char *path, const char *part) { assert_fails(SCIARA_ERR_INPUT, path, part); }

/** Runs the command that the last diagnostic proposes, and reads its output. */
static inline void read_with_command(const char *result) {
  char *command = strdup(strstr(sciara_last_error(), "gdalwarp "));
  free(output_of("%s", command));
  free(command);
  assert_read(result);
}

static double centre_x(int64_t c) { return dem.grid.west + ((double)c + 0.5) * dem.grid.cell_size; }
static double centre_y(int64_t r) { return dem.grid.north - ((double)r + 0.5) * dem.grid.cell_size; }

/** Every valid cell lies on the plane; returns how many there are. */
static inline int64_t assert_plane(double tolerance) {
  int64_t valid = 0;
  for (int64_t r = 0; r < dem.grid.rows; r++)
    for (int64_t c = 0; c < dem.grid.cols; c++) {
      double z = dem.altitude[r * dem.grid.cols + c], expected = plane(centre_x(c), centre_y(r));
      if (!dem.valid[r * dem.grid.cols + c]) {
        ck_assert_double_eq(z, SCIARA_NODATA_ALTITUDE);
        continue;
      }
      ck_assert_msg(fabs(z - expected) <= tolerance, "row %d col %d: %.17g, expected %.17g", (int)r, (int)c, z,
                    expected);
      valid++;
    }
  return valid;
}

static const char *header = "ncols 3\nnrows 3\nxllcorner 100\nyllcorner 200\ncellsize 10\nNODATA_value 0.0\n";

__attribute__((unused)) static const char *write_grid(const char *name, const char *values) {
  char text[512];
  snprintf(text, sizeof text, "%s%s", header, values);
  write_text(in_folder(name), text);
  return in_folder(name);
}

__attribute__((unused)) static const double degrees[6] = {15.0, 1.0 / 3600, 0, 37.8, 0, -1.0 / 3600};

#endif
