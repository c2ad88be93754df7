// SPDX-License-Identifier: Apache-2.0
// Whether the folder of a calibration is new, or that of the same one.
// Included by this room alone.
#ifndef SCIARA_CALIBRATE_CALIBRATION_RESUME_H
#define SCIARA_CALIBRATE_CALIBRATION_RESUME_H

#include "calibrate/calibration_record.h"

/**
 * Whether a folder holds nothing, or only what a start leaves that was killed before its record was written.
 *
 * @param inner  the folder of the first of several searches in it; NULL: it is that of a search
 * @param exists whether there is anything of that name
 */
enum sciara_status sciara_calibration_folder_is_new(const char *folder, const char *inner, bool *exists, bool *is_new);

/** SCIARA_ERR_INPUT for a symbolic link, or a file, in place of the folder of one of several searches. */
enum sciara_status sciara_calibration_folder_is_own(const char *folder);

/** SCIARA_ERR_INPUT, with the first difference, unless the folder has a record of the same file and inputs. */
enum sciara_status sciara_calibration_record_check(const struct sciara_calibration_record *r);

/** The same of the record that several searches have in common, which has no inputs. */
enum sciara_status sciara_calibration_file_check(const struct sciara_calibration_file *f, const char *folder);

#endif
