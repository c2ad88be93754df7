// SPDX-License-Identifier: Apache-2.0
// What vector files are made of: polygons of cells, and QGIS styles of layers of zones, marks and places, whose errors
// are kept in the text; release it.
// Included by this room alone.
#ifndef SCIARA_MAP_VECTOR_PARTS_H
#define SCIARA_MAP_VECTOR_PARTS_H

#include <ogr_api.h>

#include "base/text.h"
#include "file/gdal_support.h"
#include "map/vector_ogr.h"

/**
 * The multipolygon of each zone, in the coordinates of the grid: cells with a common edge are one polygon. Takes an
 * array of zones->count; the entry of a zone without cells is NULL. Release with sciara_polygons_free.
 */
enum sciara_status sciara_polygonize(struct sciara_gdal_scope *scope, const struct sciara_grid *grid,
                                     const struct sciara_zones *zones, const char *path, OGRGeometryH *out);

/** Destroys the geometries and leaves NULL. */
void sciara_polygons_free(OGRGeometryH *polygons, size_t count);

/** The colour of zone k. */
void sciara_qml_colour(const struct sciara_zones *z, size_t k, uint8_t rgb[3]);

/**
 * A colour for each zone.
 *
 * @param label the attribute that is written at each feature of a layer with names
 * @param lines the features are the borders of the zones
 */
struct sciara_text sciara_qml_zones(const struct sciara_zones *z, const char *label, bool lines);

/** One symbol for all; `label` as above. */
struct sciara_text sciara_qml_marks(const struct sciara_vector_marks *marks, const char *label);

/** A colour for each state, or for each class of probabilities; the layer has the places of one kind. */
struct sciara_text sciara_qml_places(const struct sciara_vector_places *places, enum sciara_poi_kind kind);

#endif
