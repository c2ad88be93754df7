// SPDX-License-Identifier: Apache-2.0
// The options of `sciara export`, as numbers.
#ifndef SCIARA_APP_EXPORT_OPTIONS_H
#define SCIARA_APP_EXPORT_OPTIONS_H

#include "app/command.h"
#include "export/export.h"

/** Reads the options into the job. `drivers` has room for SCIARA_MOST_GIVEN names; the job points to it. */
enum sciara_status sciara_export_options_read(const struct sciara_arguments *a, const char **drivers,
                                              struct sciara_export_job *job);

#endif
