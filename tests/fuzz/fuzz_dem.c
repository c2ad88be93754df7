// SPDX-License-Identifier: Apache-2.0
#include "fuzz_dem.h"

#include <gdal.h>

#include "fuzz.h"
#include "terrain/dem_gdal.h"

// The reader's own check sees a small machine, so that headers that declare much data are refused and not followed.
enum { FREE_MEMORY = 4 << 20 };
size_t __wrap_sciara_memory_available(void); // in place of the real one, by the linker (CMakeLists.txt)
size_t __wrap_sciara_memory_available(void) { return FREE_MEMORY; }

/** Before the first input: memory that GDAL keeps for itself must not look like endless growth. */
static void prepare_gdal(void) {
  static bool done;
  if (done) return;
  done = true;
  setenv("PROJ_NETWORK", "OFF", 1);
  GDALSetCacheMax64(32 << 20);
}

static void check_dem(const struct sciara_dem *d) {
  const struct sciara_grid *g = &d->grid;
  FUZZ_REQUIRE(g->rows >= 3 && g->cols >= 3 && g->rows * g->cols <= FREE_MEMORY);
  FUZZ_REQUIRE(g->cell_size > 0 && isfinite(g->west) && isfinite(g->west + g->cell_size * (double)g->cols));
  FUZZ_REQUIRE(isfinite(g->north) && isfinite(g->north - g->cell_size * (double)g->rows));
  FUZZ_REQUIRE(d->driver != NULL);
  int64_t valid = 0;
  for (int64_t i = 0; i < g->rows * g->cols; i++) {
    FUZZ_REQUIRE(d->valid[i] <= 1);
    valid += d->valid[i];
    if (d->valid[i])
      FUZZ_REQUIRE(d->altitude[i] >= -12000 && d->altitude[i] <= 1e5);
    else
      FUZZ_REQUIRE(d->altitude[i] == SCIARA_NODATA_ALTITUDE);
  }
  FUZZ_REQUIRE(valid > 0);
}

static enum sciara_status read_dem(const struct sciara_dem_request *request, struct sciara_dem *out) {
  enum sciara_status status = sciara_dem_read(request, out);
  fuzz_check_status(status);
  if (status == SCIARA_OK)
    check_dem(out);
  else
    FUZZ_REQUIRE(!out->altitude && !out->valid && !out->driver && !out->georef.crs_wkt);
  return status;
}

/** The south-eastern corner of 3 x 3 cells, read alone, has the same values. */
static void check_corner(const char *path, const struct sciara_dem *whole) {
  const struct sciara_grid *g = &whole->grid;
  const int64_t window[4] = {g->rows - 3, g->cols - 3, 3, 3};
  struct sciara_dem part;
  if (read_dem(&(struct sciara_dem_request){.path = path, .band = 1, .window = window}, &part) != SCIARA_OK) return;
  for (int64_t i = 0; i < 9; i++) {
    int64_t same = (window[0] + i / 3) * g->cols + window[1] + i % 3;
    FUZZ_REQUIRE(part.valid[i] == whole->valid[same]);
    FUZZ_REQUIRE(memcmp(&part.altitude[i], &whole->altitude[same], sizeof(double)) == 0);
  }
  sciara_dem_free(&part);
}

void fuzz_dem(const char *path) {
  prepare_gdal();
  struct sciara_dem dem;
  if (read_dem(&(struct sciara_dem_request){.path = path, .band = 1}, &dem) == SCIARA_OK) check_corner(path, &dem);
  sciara_dem_free(&dem);
  struct sciara_dem_request warp = {.path = path, .band = 1, .crs = "EPSG:32633", .cell_size_m = 25};
  read_dem(&warp, &dem);
  sciara_dem_free(&dem);
}
