// SPDX-License-Identifier: Apache-2.0
// The places of interest of a vector file: its features, with their names, in the CRS of a DEM.
#ifndef SCIARA_TERRAIN_POI_FILE_H
#define SCIARA_TERRAIN_POI_FILE_H

#include "base/text.h"
#include "geometry/poi.h"

enum { SCIARA_POIS_MOST = 1000000 }; ///< features that a file may have

/** What is read. */
struct sciara_pois_request {
  const char *path;
  const char *layer;              ///< NULL: the only one
  const char *name_column;        ///< NULL: as of sciara_shapes_request
  const char *place;              ///< the place of this name alone; NULL: all
  const char *crs_wkt;            ///< of the DEM; NULL: not known, coordinates are taken as they are
  const struct sciara_grid *grid; ///< of the DEM, to notice swapped coordinates
  const char *const *extra_drivers;
  size_t extra_driver_count;
  size_t most; ///< features; 0: SCIARA_POIS_MOST
};

/** Zero-initialise; release with sciara_pois_free. */
struct sciara_pois {
  struct sciara_poi *poi; ///< one for each feature, all with a name of their own; without points: it has no geometry
  bool *elsewhere;        ///< of each: too far away for the CRS of the DEM; it has no points then
  size_t count;
};

/**
 * Reads the places. A feature without a name is called "feature 7"; of two with the same name the second is called
 * "name (2)". What was assumed is said.
 *
 * @return SCIARA_ERR_INPUT as of sciara_shapes_read, for a feature of points and lines (or other mixtures), for too many
 *         features or points, and if there is no place of the requested name: then the message has names that are similar
 */
enum sciara_status sciara_pois_read(const struct sciara_pois_request *request, struct sciara_pois *out);
void sciara_pois_free(struct sciara_pois *pois);

enum { SCIARA_POIS_NAMED = 5 }; ///< in a message

/** Appends the names of some places, of which `which` is set: the first `most`, and how many more there are. */
enum sciara_status sciara_pois_append_names(const struct sciara_pois *pois, const bool *which, size_t most,
                                            struct sciara_text *out);

#endif
