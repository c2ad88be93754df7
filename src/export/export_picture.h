// SPDX-License-Identifier: Apache-2.0
// What pictures and frames have in common: options, ground, marks, values of a snapshot.
// Included by this room alone.
#ifndef SCIARA_EXPORT_EXPORT_PICTURE_H
#define SCIARA_EXPORT_EXPORT_PICTURE_H

#include "analysis/front.h"
#include "analysis/observation.h"
#include "export/export.h"
#include "picture/map_picture.h"
#include "run/run_facts.h"

/** A picture that is being made. Zero-initialise; release with sciara_export_picture_free. */
struct sciara_export_picture {
  struct sciara_map map;
  struct sciara_map_picture picture; ///< refers to `map`
  double *values, *thickness, *altitude;
  double fronts_s; ///< from one front that is drawn to the next; 0: none are drawn
  struct sciara_observation observed;
  struct sciara_export_marks marks;
  struct sciara_pois places;
  struct sciara_vent_cells vents;
  struct sciara_map_dressing dressing;
  struct sciara_picture_parts parts;
  struct sciara_map_facts facts;
};

/**
 * Takes ground, vents and the observed extent. Then the values come, with sciara_export_picture_read, of all snapshots that
 * are to be shown in one frame, and sciara_export_picture_look.
 */
enum sciara_status sciara_export_picture_prepare(const struct sciara_export_job *job,
                                                 struct sciara_export_picture *out);

/** Values, time, lava and volumes of a snapshot on the same grid. */
enum sciara_status sciara_export_picture_read(const struct sciara_export_job *job, struct sciara_snapshot *snapshot,
                                              struct sciara_export_picture *p);

/** Takes the options of the job: the part that is shown is that of all lava read so far. */
enum sciara_status sciara_export_picture_look(const struct sciara_export_job *job, struct sciara_export_picture *p);
void sciara_export_picture_free(struct sciara_export_picture *p);

/** Vents of the scenario that a snapshot carries, and their cells; what the run assumes. */
enum sciara_status sciara_export_vents(const struct sciara_target *t, const struct sciara_map *map,
                                       struct sciara_map_picture *picture, struct sciara_map_dressing *dressing,
                                       struct sciara_vent_cells *cells);

#endif
