// SPDX-License-Identifier: Apache-2.0
// Import of the files of earlier SCIARA programs: NAME.cfg, NAME_Morphology.stt, NAME_Vents.stt, NAME_EmissionRate.txt,
// and NAME_RealEvent.stt where there is one; or the older PARAMETERS.cfg, MORPHOLOGY.stt, VENTS.stt,
// EMISSIONS_RATE.stt.
#ifndef SCIARA_LEGACY_LEGACY_SCIARA_H
#define SCIARA_LEGACY_LEGACY_SCIARA_H

#include "base/text.h"

/** What was imported; `text` says it in lines for people. Release with sciara_legacy_report_free. */
struct sciara_legacy_report {
  struct sciara_text text;
  int64_t rows, cols, nodata_cells;
  int64_t vents;
  double volume_m3;       ///< that the vents emit in all
  int64_t observed_cells; ///< of the observed extent; -1 when there is none
};

struct sciara_legacy_request {
  const char *cfg_path;      ///< .../NAME.cfg or .../PARAMETERS.cfg; the other files are in the same folder
  const char *output_folder; ///< made if missing
  const char *crs;           ///< CRS of the grids, which the files do not name ("EPSG:32633"); NULL: none
  const double *corner;      ///< lower left corner x, y of grids without a header, m; NULL: the headers name it
  bool overwrite;            ///< whether the folder may hold something already (SCIARA_ERR_INPUT otherwise)
};

/**
 * Writes scenario.json, dem.tif (doubles, as in the file) and observed.tif (bytes 0, 1) to the output folder. All input
 * is read and checked before anything is written; each file is written atomically, scenario.json last.
 * The model parameters of the .cfg belong to another model: they are not taken, but listed in the report.
 *
 * @return SCIARA_ERR_INPUT naming the file and what is missing or wrong in it
 */
enum sciara_status sciara_legacy_import(const struct sciara_legacy_request *request,
                                        struct sciara_legacy_report *report);

void sciara_legacy_report_free(struct sciara_legacy_report *report);

// ------------------------------------------------------------------------------------------------------- older layout
// One folder for each case: PARAMETERS.cfg, MORPHOLOGY.stt, VENTS.stt and EMISSIONS_RATE.stt. Its grids have no header:
// PARAMETERS.cfg holds their size, nothing holds their position unless an observed extent of the other layout lies next to them.

/** An ESRI ASCII grid as in the file. */
struct sciara_legacy_grid {
  int64_t rows, cols;
  double west, south; ///< outer corner
  double cell_size, nodata;
  bool has_nodata;
  bool has_header; ///< the members above are from the file itself
  double *values;  ///< rows x cols, northern row first
};

#define SCIARA_LEGACY_OLDER_CFG "PARAMETERS.cfg"

/** Whether a path names the PARAMETERS.cfg of the older layout. */
bool sciara_legacy_is_older(const char *cfg_path);

/**
 * Rows, columns and cell size of the grids from the list of parameters, NODATA, and
 * the corner if it is known.
 *
 * @param corner outer lower left corner x, y in m, or NULL
 * @return SCIARA_ERR_INPUT naming every key that is missing, or what is wrong with one
 */
enum sciara_status sciara_legacy_older_size(const char *cfg_path, const char *parameters, const double *corner,
                                            struct sciara_legacy_grid *out);

#endif
