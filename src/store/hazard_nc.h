// SPDX-License-Identifier: Apache-2.0
// Maps of one grid in a CF-1.8 NetCDF-4 file without a time axis: hazard.nc of an ensemble.
#ifndef SCIARA_STORE_HAZARD_NC_H
#define SCIARA_STORE_HAZARD_NC_H

#include "file/georef.h"
#include "geometry/grid.h"

/** One map. */
struct sciara_hazard_field {
  const char *name, *long_name,
      *units; ///< the name becomes that of a variable: "probability_0.5m" is "probability_0p5m"
};

/** What the file holds and says. */
struct sciara_hazard_file {
  const struct sciara_grid *grid;
  const struct sciara_georef *georef;
  const char *title, *comment;
  const char *model_rule; ///< as of struct sciara_snapshot_context
  int64_t rule_edition;   ///< likewise
  uint64_t dem_hash;
  const struct sciara_hazard_field *field;
  size_t count;
  void *context;
  /** Fills rows x cols with the values of field k; SCIARA_NODATA_ALTITUDE where there is none. */
  void (*fill)(void *context, size_t k, double *values);
};

/** Writes the file, float32, atomically. */
enum sciara_status sciara_hazard_nc_write(const struct sciara_hazard_file *f, const char *path);

#endif
