// SPDX-License-Identifier: Apache-2.0
// Texts of CRS from files: they may name other files (grids, init files), which PROJ would open.
#ifndef SCIARA_FILE_CRS_TEXT_H
#define SCIARA_FILE_CRS_TEXT_H

#include "base/status.h"

/**
 * SCIARA_ERR_INPUT if `text` (WKT, a PROJ string, or anything that holds one) names a file by a path:
 * "+nadgrids=/tmp/x", PARAMETERFILE["...","../x"]. Names without a folder are allowed: PROJ searches for them among its
 * own files.
 *
 * @param where the start of the message: a file or a key
 */
enum sciara_status sciara_crs_text_check(const char *where, const char *text);

#endif
