// SPDX-License-Identifier: Apache-2.0
#include "analysis/observation.h"

#include "gdal_fixture.h"

enum { ROWS = 4, COLS = 6, CELLS = ROWS * COLS };

// The grid of make_raster: x 500000 to 500060, y 4177960 to 4178000.
static const struct sciara_grid grid = {ROWS, COLS, 10, 500000, 4178000};
static char *utm33;

static void prepare(void) {
  setup();
  OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);
  ck_assert_int_eq(OSRImportFromEPSG(srs, 32633), OGRERR_NONE);
  ck_assert_int_eq(OSRExportToWkt(srs, &utm33), OGRERR_NONE);
  OSRRelease(srs);
}

static void finish(void) {
  CPLFree(utm33);
  folder_remove();
}

static struct sciara_observation_request request(const char *path) {
  return (struct sciara_observation_request){.path = path, .grid = &grid, .crs_wkt = utm33};
}

static struct sciara_observation o;

static void read_as(const struct sciara_observation_request *q) {
  ck_assert_msg(sciara_observation_read(q, &o) == SCIARA_OK, "%s", sciara_last_error());
}

/** The cells covered, rows separated by '/'. */
static void assert_covered(const char *expected) {
  char found[CELLS + ROWS], *c = found;
  for (int i = 0; i < CELLS; i++) {
    if (i > 0 && i % COLS == 0) *c++ = '/';
    *c++ = o.covered[i] ? '#' : '.';
  }
  *c = '\0';
  ck_assert_str_eq(found, expected);
}

static void assert_reads(const char *path, const char *expected) {
  const struct sciara_observation_request q = request(path);
  read_as(&q);
  assert_covered(expected);
  sciara_observation_free(&o);
}

static void assert_refused(const struct sciara_observation_request *q, enum sciara_status status, const char *part) {
  ck_assert_int_eq(sciara_observation_read(q, &o), status);
  expect_said(part);
  ck_assert_ptr_null(o.covered);
}

static const char *geojson(const char *name, const char *epsg, const char *features) {
  char text[8192];
  snprintf(text, sizeof text,
           "{\"type\": \"FeatureCollection\", \"crs\": {\"type\": \"name\", \"properties\": {\"name\": "
           "\"urn:ogc:def:crs:EPSG::%s\"}}, \"features\": [%s]}",
           epsg, features);
  const char *path = in_folder(name);
  write_text(path, text);
  return path;
}

#define FEATURE(type, coordinates)                                                                                   \
  "{\"type\": \"Feature\", \"properties\": {}, \"geometry\": {\"type\": \"" type "\", \"coordinates\": " coordinates \
  "}}"
// Two columns of the three northern rows: their centres lie within x 500008 to 500027 and y 4177972 to 4177997.
#define BOX "[[[500008,4177972],[500027,4177972],[500027,4177997],[500008,4177997],[500008,4177972]]]"
#define BOX_CELLS ".##.../.##.../.##.../......"

// ------------------------------------------------------------------------------------ polygons

TEST(cells_whose_centre_lies_in_a_polygon) {
  const struct sciara_observation_request q = request(geojson("a.geojson", "32633", FEATURE("Polygon", BOX)));
  read_as(&q);
  assert_covered(BOX_CELLS);
  ck_assert_int_eq(o.polygons, 1);
  ck_assert_str_eq(o.driver, "GeoJSON");
  ck_assert_ptr_null(o.thickness);
  sciara_observation_free(&o);
  ck_assert_str_eq(logged, "");
}

TEST(every_format_and_crs) {
  static const char *const formats[][2] = {{"GPKG", "b.gpkg"},
                                           {"ESRI Shapefile", "b.shp"},
                                           {"FlatGeobuf", "b.fgb"},
                                           {"KML", "b.kml"},
                                           {"MapInfo File", "b.tab"}};
  const char *source = geojson("b.geojson", "32633", FEATURE("Polygon", BOX));
  assert_reads(source, BOX_CELLS);
  for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
    char command[512];
    snprintf(command, sizeof command, "ogr2ogr -f '%s' -t_srs EPSG:4326 %s %%s", formats[k][0],
             in_folder(formats[k][1]));
    free(output_of(command, source));
    assert_reads(in_folder(formats[k][1]), BOX_CELLS);
  }
}

// Holes stay holes, and overlapping polygons make none.
TEST(holes_and_overlaps) {
  assert_reads(
      geojson("hole.geojson", "32633",
              FEATURE("Polygon", "[[[500000,4177960],[500060,4177960],[500060,4178000],[500000,4178000],[500000,"
                                 "4177960]],[[500012,4177972],[500028,4177972],[500028,4177988],[500012,4177988],"
                                 "[500012,4177972]]]")),
      "######/#..###/#..###/######");
  assert_reads(geojson("two.geojson", "32633", FEATURE("Polygon", BOX) "," FEATURE("Polygon", BOX)), BOX_CELLS);
  assert_reads(geojson("multi.geojson", "32633", FEATURE("MultiPolygon", "[" BOX "," BOX "]")), BOX_CELLS);
  assert_reads(geojson("collection.geojson", "32633",
                       "{\"type\": \"Feature\", \"properties\": {}, \"geometry\": {\"type\": \"GeometryCollection\", "
                       "\"geometries\": [{\"type\": \"Point\", \"coordinates\": [1, 2]}, {\"type\": \"Polygon\", "
                       "\"coordinates\": " BOX "}]}}"),
               BOX_CELLS);
  assert_contains(logged, "WARNING");
  assert_contains(logged, "1 line or point is left out");
}

// On each side, by a metre, and not at all.
TEST(an_outline_beyond_the_grid) {
  static const struct {
    int west, south, east, north;
    const char *said;
  } boxes[] = {{0, 0, 60, 40, NULL},
               {-1, 0, 60, 40, "(x 499999 to 500060, y 4177960 to 4178000)"},
               {0, -1, 60, 40, "(x 500000 to 500060, y 4177959 to 4178000)"},
               {0, 0, 61, 40, "(x 500000 to 500061, y 4177960 to 4178000)"},
               {0, 0, 60, 41, "(x 500000 to 500060, y 4177960 to 4178001)"}};
  for (size_t k = 0; k < sizeof boxes / sizeof *boxes; k++) {
    const int w = 500000 + boxes[k].west, e = 500000 + boxes[k].east;
    const int bottom = 4177960 + boxes[k].south, top = 4177960 + boxes[k].north;
    char feature[512];
    snprintf(feature, sizeof feature, FEATURE("Polygon", "[[[%d,%d],[%d,%d],[%d,%d],[%d,%d],[%d,%d]]]"), w, bottom, e,
             bottom, e, top, w, top, w, bottom);
    logged[0] = '\0';
    assert_reads(geojson("large.geojson", "32633", feature), "######/######/######/######");
    if (!boxes[k].said) ck_assert_str_eq(logged, "");
    if (boxes[k].said) assert_contains(logged, "WARNING");
    if (boxes[k].said) assert_contains(logged, boxes[k].said);
  }
}

TEST(outlines_that_are_none) {
  struct sciara_observation_request q =
      request(geojson("line.geojson", "32633", FEATURE("LineString", "[[500008,4177972],[500027,4177997]]")));
  assert_refused(&q, SCIARA_ERR_INPUT, "holds no polygon, but 1 line or point;");
  q = request(geojson("none.geojson", "32633", ""));
  assert_refused(&q, SCIARA_ERR_INPUT, "none.geojson");
  q = request(geojson("far.geojson", "32634", FEATURE("Polygon", BOX)));
  assert_refused(&q, SCIARA_ERR_INPUT,
                 "far.geojson: is outside the grid of the run: it has x 1028823.74 to 1028844.38 and y 4194958.95 to "
                 "4194985.21, the grid has x 500000 to 500060 and y 4177960 to 4178000");
  q = request(geojson("infinite.geojson", "32633",
                      FEATURE("Polygon", "[[[500008,4177972],[1e999,4177972],[500027,4177997],[500008,4177972]]]")));
  assert_refused(&q, SCIARA_ERR_INPUT, "feature 1 has coordinates that are not finite");
  q = request(in_folder("cut.geojson"));
  write_text(q.path, "{\"type\": \"FeatureCollection\", \"features\": [");
  assert_refused(&q, SCIARA_ERR_INPUT, "cut.geojson: cannot be opened as GeoJSON");
  q = request(in_folder("text.txt"));
  write_text(q.path, "lava\n");
  assert_refused(&q, SCIARA_ERR_INPUT, "neither a raster nor a file of polygons");
  q = request(in_folder("absent.gpkg"));
  assert_refused(&q, SCIARA_ERR_IO, "No such file");
  q = request("/vsicurl/http://example.org/a.geojson");
  assert_refused(&q, SCIARA_ERR_IO, "URLs and /vsi file systems are not read");
}

TEST(layers) {
  const char *source = geojson("one.geojson", "32633", FEATURE("Polygon", BOX)), *path = in_folder("layers.gpkg");
  const char *part = geojson("part.geojson", "32633",
                             FEATURE("Polygon", "[[[500000,4177990],[500060,4177990],[500060,4178000],[500000,4178000],"
                                                "[500000,4177990]]]"));
  char command[512];
  snprintf(command, sizeof command, "ogr2ogr -f GPKG -nln first %s %%s", path);
  free(output_of(command, source));
  snprintf(command, sizeof command, "ogr2ogr -f GPKG -update -nln second %s %%s", path);
  free(output_of(command, part));
  struct sciara_observation_request q = request(path);
  assert_refused(&q, SCIARA_ERR_USAGE,
                 "has 2 layers of polygons, \"first\", \"second\"; --observed-layer NAME chooses one");
  q.layer = "third";
  assert_refused(&q, SCIARA_ERR_USAGE, "found \"third\"; there are \"first\", \"second\"");
  q.layer = "first";
  read_as(&q);
  assert_covered(BOX_CELLS);
  sciara_observation_free(&o);
  q.layer = "second";
  read_as(&q);
  assert_covered("######/....../....../......");
  sciara_observation_free(&o);
  q.path = make_raster("r.tif", (struct raster){0});
  assert_refused(&q, SCIARA_ERR_USAGE, "--observed-layer: ");
}

// ------------------------------------------------------------------------------------ rasters

static const double marks[CELLS] = {0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, -3};
// Numbers of classes are not metres, unless the band says so; feet are never metres.
TEST(kinds_of_rasters) {
  static const double classes[CELLS] = {1, 2, 3};
  struct sciara_observation_request q =
      request(make_raster("i.tif", (struct raster){.rows = ROWS, .cols = COLS, .values = classes, .type = GDT_Int16}));
  read_as(&q);
  ck_assert_ptr_null(o.thickness);
  assert_covered("###.../....../....../......");
  sciara_observation_free(&o);
  q.path = make_raster("u.tif",
                       (struct raster){.rows = ROWS, .cols = COLS, .values = classes, .type = GDT_Int16, .unit = "m"});
  read_as(&q);
  ck_assert_ptr_nonnull(o.thickness);
  sciara_observation_free(&o);
  q.path = make_raster(
      "f.tif", (struct raster){.rows = ROWS, .cols = COLS, .values = classes, .type = GDT_Float32, .unit = "ft"});
  assert_refused(&q, SCIARA_ERR_INPUT, "its values are in \"ft\"; thickness is needed in m");
}

TEST(a_raster_on_another_grid) {
  // Cells of 5 x 4 m from x 499995, y 4177992: 1 in the one under the centre of row 1, column 2 alone.
  static const double place[6] = {499995, 5, 0, 4177992, 0, -4};
  double values[80] = {0};
  values[1 * 10 + 6] = 7; // x 500025 to 500030, y 4177984 to 4177988
  values[9] = 7;          // x 500040 to 500045: no centre
  const struct sciara_observation_request q = request(make_raster(
      "fine.tif", (struct raster){.rows = 8, .cols = 10, .values = values, .transform = place, .type = GDT_Byte}));
  read_as(&q);
  assert_covered("....../..#.../....../......");
  sciara_observation_free(&o);
  assert_contains(logged, "has no value for 12 cells of the run, taken as not covered");
}

TEST(a_raster_in_degrees) {
  const char *source =
      make_raster("d.tif", (struct raster){.rows = ROWS, .cols = COLS, .values = marks, .type = GDT_Byte});
  char command[512];
  snprintf(command, sizeof command, "gdalwarp -q -t_srs EPSG:4326 -tr 0.000005 0.000005 %%s %s", in_folder("deg.tif"));
  free(output_of(command, source));
  assert_reads(in_folder("deg.tif"), BOX_CELLS);
}

TEST(nodata_is_not_covered) {
  static const double one = 1, nan_value = NAN;
  assert_reads(make_raster("n.tif", (struct raster){.rows = ROWS, .cols = COLS, .values = marks, .nodata = &one}),
               "....../....../....../......");
  assert_contains(logged, "has no value for 6 cells");
  double broken[CELLS] = {1, NAN};
  assert_reads(make_raster("b.tif", (struct raster){.rows = ROWS, .cols = COLS, .values = broken}),
               "#...../....../....../......");
  assert_contains(logged, "b.tif: 1 cell is NaN or infinite, taken as NODATA");
  assert_reads(
      make_raster("nn.tif", (struct raster){.rows = ROWS, .cols = COLS, .values = broken, .nodata = &nan_value}),
      "#...../....../....../......");
}

// Rasters of more than four million cells are read in strips; the grid lies in the second strip.
TEST(a_raster_in_strips) {
  static const double fine[6] = {499000, 1, 0, 4180000, 0, -1};
  assert_reads(
      make_raster("large.tif", (struct raster){.rows = 2100, .cols = 2100, .type = GDT_Byte, .transform = fine}),
      "######/######/######/######");
}

TEST(a_raster_off_the_grid) {
  static const double east[6] = {500060, 10, 0, 4178000, 0, -10};
  struct sciara_observation_request q = request(make_raster("e.tif", (struct raster){.transform = east}));
  assert_refused(&q, SCIARA_ERR_INPUT,
                 "e.tif: is outside the grid of the run: it has x 500060 to 500110 and y 4177960 to 4178000, the grid "
                 "has x 500000 to 500060 and y 4177960 to 4178000");
  static const double touching[6] = {500000, 10, 0, 4178040, 0, -10}; // its southern edge is the northern one
  q.path = make_raster("t.tif", (struct raster){.transform = touching});
  assert_refused(&q, SCIARA_ERR_INPUT,
                 "t.tif: is outside the grid of the run: it has x 500000 to 500050 and y 4178000 to 4178040, the grid "
                 "has x 500000 to 500060 and y 4177960 to 4178000");
  // It covers the grid, but its lava is outside.
  double values[CELLS] = {0};
  values[CELLS - 1] = 1;
  static const double around[6] = {499950, 20, 0, 4178010, 0, -20};
  q.path = make_raster("outside.tif", (struct raster){.rows = 3, .cols = 8, .values = values, .transform = around});
  assert_refused(&q, SCIARA_ERR_INPUT,
                 "outside.tif: is outside the grid of the run: it has x 500100 to 500100 and y 4177960 to 4177960, the "
                 "grid has x 500000 to 500060 and y 4177960 to 4178000");
}

RUN_TESTS(.setup = prepare, .teardown = finish)
