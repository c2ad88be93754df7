// SPDX-License-Identifier: Apache-2.0
// What pictures and frames have in common: options, ground, values of a snapshot.
#ifndef SCIARA_EXPORT_EXPORT_PICTURE_H
#define SCIARA_EXPORT_EXPORT_PICTURE_H

#include "analysis/observation.h"
#include "export/export.h"
#include "picture/map_picture.h"

/** A picture that is being made. Zero-initialise; release with sciara_export_picture_free. */
struct sciara_export_picture {
  struct sciara_map map;
  struct sciara_map_picture picture; ///< refers to `map`
  double *values, *thickness, *altitude;
  struct sciara_observation observed;
};

/** Takes the options, the ground and the observed extent; the values come with the next function. */
enum sciara_status sciara_export_picture_prepare(const struct sciara_export_job *job,
                                                 struct sciara_export_picture *out);

/** Values and time of a snapshot on the same grid. */
enum sciara_status sciara_export_picture_read(const struct sciara_export_job *job, struct sciara_snapshot *snapshot,
                                              struct sciara_export_picture *p);
void sciara_export_picture_free(struct sciara_export_picture *p);

/** The options that both follow; ends with NULL. */
extern const char *const sciara_export_picture_options[];

#endif
