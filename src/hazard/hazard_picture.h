// SPDX-License-Identifier: Apache-2.0
// A map of an ensemble as a picture: vents by their weight, places with names, classes, and what was assumed.
#ifndef SCIARA_HAZARD_HAZARD_PICTURE_H
#define SCIARA_HAZARD_HAZARD_PICTURE_H

#include "ensemble/used_vents.h"
#include "hazard/reduction.h"
#include "map/raster_gdal.h"
#include "picture/map_picture.h"

/** Zero-initialise; release with sciara_hazard_picture_free. */
struct sciara_hazard_picture {
  struct sciara_map map;
  struct sciara_map_picture picture; ///< refers to the other members, and to the reduction
  struct sciara_map_bounds bounds;   ///< of what any member reaches, the vents and the places
  double *values;
  struct sciara_used_vents used;
  struct sciara_map_vent *vent; ///< refers to `used`
  struct sciara_text about, note, title;
  struct sciara_map_facts facts;
  struct sciara_zones fronts; ///< of a layer of arrival times with dates
};

/**
 * The edges of the classes in which a layer is drawn, in the unit of pictures: percent, m, and s, which fit the last arrival of
 * all maps. Returns their number; 0: continuous colours.
 */
size_t sciara_hazard_classes(const struct sciara_reduction *r, const struct sciara_layer *layer, const double **edges);

/** Layer `k` of a reduction whose maps are made. @param title NULL: that of the ensemble */
enum sciara_status sciara_hazard_picture_make(const struct sciara_reduction *r, size_t k, enum sciara_language language,
                                              const char *title, struct sciara_hazard_picture *out);
void sciara_hazard_picture_free(struct sciara_hazard_picture *p);

// -------------------------------------------------------------------------------------------------- words, in assumed.c

/** Appends what an ensemble assumes, as a line that maps and pages show. */
enum sciara_status sciara_hazard_assumed(const struct sciara_reduction *r, enum sciara_language language,
                                         struct sciara_text *out);

/** "Lava arrives within 50 years", "Max deposit above 2 m in 1 year" */
enum sciara_word sciara_hazard_years_word(double deposit_m, double years);

/** What every number is conditional on. */
enum sciara_word sciara_hazard_condition(const struct sciara_reduction *r, const struct sciara_layer *l);

/** The title: that of the ensemble, of a forecast else that of its base. */
const char *sciara_hazard_name(const struct sciara_reduction *r, enum sciara_language language);

/** Appends the title, with its edits of the ground. */
enum sciara_status sciara_hazard_title(const struct sciara_reduction *r, enum sciara_language language,
                                       struct sciara_text *out);

#endif
