// SPDX-License-Identifier: Apache-2.0
// The older layout of SCIARA's files, one folder for each case: PARAMETERS.cfg, MORPHOLOGY.stt, VENTS.stt and
// EMISSIONS_RATE.stt. Its grids have no header: PARAMETERS.cfg holds their size, nothing holds their place unless an
// observed extent of the other layout lies next to them.
// Included by this room alone.
#ifndef SCIARA_LEGACY_LEGACY_OLDER_H
#define SCIARA_LEGACY_LEGACY_OLDER_H

#include "legacy/legacy_read.h"

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
