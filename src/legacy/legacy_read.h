// SPDX-License-Identifier: Apache-2.0
// Parsers of the files of earlier SCIARA programs. Errors name file and line.
// Included by this room alone.
#ifndef SCIARA_LEGACY_LEGACY_READ_H
#define SCIARA_LEGACY_LEGACY_READ_H

#include "base/text.h"

/** An ESRI ASCII grid as in the file. Release with sciara_legacy_grid_free. */
struct sciara_legacy_grid {
  int64_t rows, cols;
  double west, south; ///< outer corner
  double cell_size, nodata;
  bool has_nodata;
  bool has_header; ///< the members above are from the file itself
  double *values;  ///< rows x cols, northern row first
};

/**
 * @param known what a grid without a header is, as PARAMETERS.cfg says; NULL: a header is needed. A header that says
 *              something else is refused.
 */
enum sciara_status sciara_legacy_grid_read(const char *path, const struct sciara_legacy_grid *known,
                                           struct sciara_legacy_grid *out);
void sciara_legacy_grid_free(struct sciara_legacy_grid *g);

/** Rates of one vent. */
struct sciara_legacy_vent {
  int64_t id;       ///< as in the files, >= 1
  int64_t line;     ///< where it stands in the file of rates
  int64_t row, col; ///< filled in by the importer; -1 until then
  double *rates;    ///< m3/s
  size_t count;
};

/** The file of rates: vents by ascending id. Release with sciara_legacy_rates_free. */
struct sciara_legacy_rates {
  double slot; ///< s
  struct sciara_legacy_vent *vents;
  size_t count;
};

enum sciara_status sciara_legacy_rates_read(const char *path, struct sciara_legacy_rates *out);
void sciara_legacy_rates_free(struct sciara_legacy_rates *r);

/** Appends "    KEY VALUE" for each line of NAME.cfg. */
enum sciara_status sciara_legacy_parameters_list(const char *path, struct sciara_text *out);

// ------------------------------------------------------------------------------------------------------- older layout
// One folder for each case: PARAMETERS.cfg, MORPHOLOGY.stt, VENTS.stt and EMISSIONS_RATE.stt. Its grids have no header:
// PARAMETERS.cfg holds their size, nothing holds their position unless an observed extent of the other layout lies next to them.

#define SCIARA_LEGACY_OLDER_CFG "PARAMETERS.cfg"

/** NODATA of the older programs; their files declare none. */
#define SCIARA_LEGACY_OLDER_NODATA (-9999.0)

/** Whether a path names the PARAMETERS.cfg of the older layout. */
bool sciara_legacy_is_older(const char *cfg_path);

/**
 * Rows, columns and cell size of the grids from the list of parameters (see sciara_legacy_parameters_list), NODATA, and
 * the corner if it is known.
 *
 * @param corner outer lower left corner x, y in m, or NULL
 * @return SCIARA_ERR_INPUT naming every key that is missing, or what is wrong with one
 */
enum sciara_status sciara_legacy_older_size(const char *cfg_path, const char *parameters, const double *corner,
                                            struct sciara_legacy_grid *out);

/**
 * The file of the observed extent next to PARAMETERS.cfg: the only one in the folder whose name ends in _RealEvent.stt.
 * *out is its path, released with free, or NULL if there is none.
 *
 * @return SCIARA_ERR_INPUT naming two of them if there are several
 */
enum sciara_status sciara_legacy_older_observed(const char *cfg_path, char **out);

#endif
