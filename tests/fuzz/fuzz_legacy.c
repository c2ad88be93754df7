// SPDX-License-Identifier: Apache-2.0
// The files of earlier SCIARA programs. The input is, with separators between them: NAME.cfg, NAME_Morphology.stt,
// NAME_Vents.stt, NAME_EmissionRate.txt, NAME_RealEvent.stt; those at the end may be absent. An input that begins with
// a separator is a set of the older layout: PARAMETERS.cfg, MORPHOLOGY.stt, VENTS.stt, EMISSIONS_RATE.stt.
#include "fuzz.h"
#include "legacy/legacy_sciara.h"
#include "scenario/scenario.h"
#include "terrain/dem_gdal.h"

/** The program can read what was written. */
static void check_output(const struct sciara_legacy_report *report) {
  struct sciara_scenario_spec s;
  FUZZ_REQUIRE(sciara_scenario_read(fuzz_path("out/scenario.json"), NULL, 0, NULL, &s) == SCIARA_OK);
  FUZZ_REQUIRE((int64_t)s.vent_count == report->vents);
  struct sciara_dem dem;
  FUZZ_REQUIRE(sciara_dem_read(&(struct sciara_dem_request){.path = s.dem.path, .band = 1}, &dem) == SCIARA_OK);
  FUZZ_REQUIRE(dem.grid.rows == report->rows && dem.grid.cols == report->cols);
  sciara_dem_free(&dem);
  sciara_scenario_free(&s);
}

enum { FILES = 5 };
static const char *const newer[FILES] = {"e.cfg", "e_Morphology.stt", "e_Vents.stt", "e_EmissionRate.txt",
                                         "e_RealEvent.stt"};
static const char *const older[FILES] = {"PARAMETERS.cfg", "MORPHOLOGY.stt", "VENTS.stt", "EMISSIONS_RATE.stt",
                                         "unknown.stt"};

static void import(const struct sciara_legacy_request *request) {
  struct sciara_legacy_report report;
  enum sciara_status status = sciara_legacy_import(request, &report);
  fuzz_check_status(status);
  if (status == SCIARA_OK) check_output(&report);
  sciara_legacy_report_free(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const double corner[2] = {500000, 4178000.25};
  bool is_older = size > 0 && data[0] == FUZZ_SEPARATOR;
  const char *const *names = is_older ? older : newer;
  struct fuzz_part parts[FILES];
  fuzz_split(data ? data + is_older : (const uint8_t *)"", size - is_older, parts, FILES);
  for (int i = 0; i < FILES; i++) fuzz_file(names[i], parts[i]);
  struct sciara_legacy_request request = {.cfg_path = fuzz_path(names[0]),
                                          .output_folder = fuzz_path("out"),
                                          .crs = "EPSG:32633",
                                          .corner = is_older ? corner : NULL,
                                          .overwrite = true};
  import(&request);
  request.corner = NULL;
  if (is_older) import(&request);
  return 0;
}
