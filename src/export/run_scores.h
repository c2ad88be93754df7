// SPDX-License-Identifier: Apache-2.0
// A run compared with an observed extent.
#ifndef SCIARA_EXPORT_RUN_SCORES_H
#define SCIARA_EXPORT_RUN_SCORES_H

#include "analysis/compare.h"
#include "analysis/observation.h"
#include "export/picture_look.h"
#include "export/target.h"
#include "terrain/poi_file.h"

/** What is compared, and the result. Zero-initialise, set the first members, release with sciara_run_scores_free. */
struct sciara_run_scores {
  struct sciara_target *target;
  struct sciara_observation_request request; ///< path, layer and drivers of the observed extent
  double min_thickness_m; ///< more than this counts as covered, of the run and of an observed thickness

  enum sciara_field field; ///< of the run: its deposit, else what is liquid
  double *thickness;       ///< of the run, m
  uint8_t *run, *vents;    ///< covered cells, cells with a vent
  struct sciara_observation observed;
  struct sciara_extent_scores scores;
};

enum sciara_status sciara_run_scores_make(struct sciara_run_scores *j);

/** Draws both extents over the hillshade, with the scores, as a PNG file. */
enum sciara_status sciara_run_scores_draw(const struct sciara_run_scores *j, const struct sciara_picture_look *look,
                                          const char *path);

/** A picture of two runs on the same grid. */
struct sciara_runs_picture {
  struct sciara_target *run[2];
  const char *label[2];              ///< their names; NULL: those of their folders or files
  double min_thickness_m;            ///< more than this counts as covered
  struct sciara_pois_request places; ///< without a path: none. Grid and CRS are set here
  const struct sciara_picture_look *look;
};

/** Draws what they cover as a PNG file, with ground and marks of the second. */
enum sciara_status sciara_runs_draw(const struct sciara_runs_picture *q, const char *path);

void sciara_run_scores_free(struct sciara_run_scores *j);

#endif
