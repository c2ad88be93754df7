// SPDX-License-Identifier: Apache-2.0
// The files that `reduce` makes of an ensemble. Each of them is atomic.
#ifndef SCIARA_HAZARD_PRODUCTS_H
#define SCIARA_HAZARD_PRODUCTS_H

#include "hazard/reduction.h"
#include "map/raster_gdal.h"

/**
 * Waits until no other process writes the products of this folder, and keeps others out until sciara_products_unlock. Taken
 * before the results are read: who writes last has read last. A folder that cannot be opened or locked is left unlocked.
 */
void sciara_products_lock(const char *folder, int *lock);
void sciara_products_unlock(int lock);

/**
 * Writes all that follows in place of the files of an earlier reduction, each file whole or not at all; then removes those
 * that this one does not have. The maps of `r` are made; up to `threads` of them are written at a time, as fit into
 * SCIARA_REDUCTION_BYTES.
 */
enum sciara_status sciara_products_write(const struct sciara_reduction *r, int threads, bool pictures);

/** All layers of outlines.gpkg, isochrones.gpkg and vents.gpkg in one KML file; SCIARA_ERR_USAGE without a CRS. */
enum sciara_status sciara_products_kml(const struct sciara_reduction *r, const char *path);

/** One layer of outlines.gpkg or isochrones.gpkg as GeoJSON; SCIARA_ERR_USAGE, with the names, if there is none of this name. */
enum sciara_status sciara_products_geojson(const struct sciara_reduction *r, const char *layer, const char *path);

/** sites.csv: a row for each place, and for the chance that lava leaves the map or enters the sea; sites.gpkg if there are places. */
enum sciara_status sciara_products_pois(const struct sciara_reduction *r);

/** What the colours of a layer suit, for sciara_ramp_for; NULL: nothing in particular. */
const char *sciara_products_ramp(const struct sciara_layer *l);

/** The upper 95 % bound of a probability without hits, its own: that of P_T depends on the years. NAN: none. */
double sciara_products_zero_bound(const struct sciara_reduction *r, const struct sciara_layer *l);

/** What a map of the ensemble says of itself, and a map of one layer. Release the facts with sciara_map_facts_free. */
enum sciara_status sciara_products_facts(const struct sciara_reduction *r, const struct sciara_layer *l,
                                         struct sciara_map_facts *out);

#endif
