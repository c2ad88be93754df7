// SPDX-License-Identifier: Apache-2.0
// The page of an ensemble.
// Included by this room alone.
#ifndef SCIARA_EXPORT_EXPORT_ENSEMBLE_PAGE_H
#define SCIARA_EXPORT_EXPORT_ENSEMBLE_PAGE_H

#include "export/export.h"
#include "hazard/reduction.h"

/** Writes the page of a reduction whose maps are made. */
enum sciara_status sciara_export_ensemble_page(const struct sciara_reduction *r, const struct sciara_export_job *job,
                                               const char *path);

#endif
