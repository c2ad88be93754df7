// SPDX-License-Identifier: Apache-2.0
// What was observed of an eruption, a mapped outline or a raster, brought to the grid of a run.
#ifndef SCIARA_ANALYSIS_OBSERVATION_H
#define SCIARA_ANALYSIS_OBSERVATION_H

#include "base/text.h"
#include "geometry/grid.h"

/** What to read, and where it is to lie. */
struct sciara_observation_request {
  const char *path;
  const char *layer;      ///< of a file with several layers of polygons; NULL: there is only one
  const char *json_path;  ///< "fit.json: pairs[0]" if a file asks for it, for its errors; NULL: a command line does
  const char *date_field; ///< only polygons whose date in this field of the layer is `date` are taken; NULL: all are
  double date;            ///< s, as of sciara_parse_date
  double when; ///< without date_field: date of the lava that it is compared with, likewise; 0: not known. Of a file
               ///< with outlines of several dates those of that time are taken
  const char *date_hint; ///< how the command chooses a date, for the error of such a file; NULL: it cannot
  bool dates_optional;   ///< sciara_observation_dates_read: a file without any is no error with "auto", count is then 0
  bool region;           ///< polygons are a region, and their dates do not matter
  const struct sciara_grid *grid;
  const char *crs_wkt;              ///< of the grid; NULL: not known
  double min_thickness_m;           ///< thickness up to here is none, where the observation has thickness
  const char *const *extra_drivers; ///< GDAL driver names allowed beyond the built-in lists
  size_t extra_driver_count;
};

/** Zero-initialise; release with sciara_observation_free. */
struct sciara_observation {
  uint8_t *covered;  ///< rows x cols, 0 or 1
  double *thickness; ///< rows x cols, m, 0 where there is none; NULL: the observation has no thickness
  char *driver;      ///< GDAL's short name of the format
  int64_t polygons;  ///< of a vector file; 0: it is a raster
};

/**
 * Reads an outline (polygons in any format of the list, reprojected; a cell is covered if its centre lies in one) or
 * a raster (each cell takes the value at its centre; above 0 is covered). A raster of floating-point numbers, or in
 * metres, with more than one value above 0 holds thickness in m.
 *
 * @return SCIARA_ERR_INPUT when it is neither, holds no polygon, or lies off the grid; SCIARA_ERR_IO when the file is
 *         not there; SCIARA_ERR_USAGE for a driver that does not exist, and without `json_path` (with it SCIARA_ERR_INPUT)
 *         for such a layer
 */
enum sciara_status sciara_observation_read(const struct sciara_observation_request *request,
                                           struct sciara_observation *out);
void sciara_observation_free(struct sciara_observation *o);

/** "auto" as the name of a field: the only field of the layer that holds dates. */
#define SCIARA_OBSERVATION_DATES_AUTO "auto"

/** The dates of a layer, ascending, each once. Zero-initialise; release with sciara_observation_dates_free. */
struct sciara_observation_dates {
  char *field;
  double *date; ///< s, as of sciara_parse_date
  size_t count;
};

/**
 * Finds the dates of the features of a vector file. Fields hold dates if that is their type, or if they are texts as of
 * sciara_parse_date; without a zone dates are UTC.
 *
 * @param request path, layer, json_path and drivers; date_field is a field, or SCIARA_OBSERVATION_DATES_AUTO
 * @return as sciara_observation_read; SCIARA_ERR_INPUT also if a feature has no date, and with "auto" unless one field has dates
 */
enum sciara_status sciara_observation_dates_read(const struct sciara_observation_request *request,
                                                 struct sciara_observation_dates *out);
void sciara_observation_dates_free(struct sciara_observation_dates *d);

#endif
