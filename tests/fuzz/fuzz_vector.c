// SPDX-License-Identifier: Apache-2.0
// A vector file with outlines: the input is GeoJSON, placed on the grids of three projections; with dates, each of them.
#include <ogr_srs_api.h>

#include "analysis/observation.h"
#include "fuzz.h"

enum { SIDE = 20 };
static const struct {
  int epsg;
  struct sciara_grid grid;
} places[] = {{32633, {.rows = SIDE, .cols = SIDE, .cell_size = 50, .west = 499500, .north = 4177500}},
              {3031, {.rows = SIDE, .cols = SIDE, .cell_size = 100, .west = 305000, .north = -1293000}},
              {32601, {.rows = SIDE, .cols = SIDE, .cell_size = 500, .west = 207000, .north = 5755000}}};

static const char *wkt_of(int epsg) {
  OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);
  char *wkt = NULL;
  FUZZ_REQUIRE(OSRImportFromEPSG(srs, epsg) == OGRERR_NONE && OSRExportToWkt(srs, &wkt) == OGRERR_NONE);
  OSRDestroySpatialReference(srs);
  return wkt;
}

/** An outline has polygons and covers cells of the grid, each once. */
static void check_outline(const struct sciara_observation_request *request) {
  struct sciara_observation o = {.covered = NULL};
  const enum sciara_status status = sciara_observation_read(request, &o);
  fuzz_check_status(status);
  FUZZ_REQUIRE((status == SCIARA_OK) == (o.covered != NULL));
  int covered = 0;
  for (int k = 0; o.covered && k < SIDE * SIDE; k++) {
    FUZZ_REQUIRE(o.covered[k] <= 1);
    covered += o.covered[k];
  }
  FUZZ_REQUIRE(covered == 0 || o.polygons > 0);
  sciara_observation_free(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *wkt[sizeof places / sizeof *places];
  const char *path =
      fuzz_file("outline.geojson", (struct fuzz_part){.data = data ? data : (const uint8_t *)"", .size = size});
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    if (!wkt[k]) wkt[k] = wkt_of(places[k].epsg);
    struct sciara_observation_request q = {.path = path, .grid = &places[k].grid, .crs_wkt = wkt[k]};
    struct sciara_observation_dates dates = {.field = NULL};
    check_outline(&q);
    q.date_field = SCIARA_OBSERVATION_DATES_AUTO;
    const enum sciara_status status = sciara_observation_dates_read(&q, &dates);
    fuzz_check_status(status);
    for (size_t n = 0; status == SCIARA_OK && n < dates.count && n < 3; n++) {
      FUZZ_REQUIRE(n == 0 || dates.date[n] > dates.date[n - 1]);
      q.date_field = dates.field;
      q.date = dates.date[n];
      check_outline(&q);
    }
    sciara_observation_dates_free(&dates);
  }
  return 0;
}
