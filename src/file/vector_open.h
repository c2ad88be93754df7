// SPDX-License-Identifier: Apache-2.0
// Opening a vector file from anywhere: only with drivers that open nothing else. Its layers, their CRS, and the dates of their
// features.
#ifndef SCIARA_FILE_VECTOR_OPEN_H
#define SCIARA_FILE_VECTOR_OPEN_H

#include <gdal.h>
#include <ogr_api.h>

#include "base/log.h"
#include "file/gdal_support.h"

/** All drivers that may be used, those of the caller last; release with CSLDestroy. */
char **sciara_vector_allowed(const char *const *extra, size_t extra_count);

/**
 * Opens a file in the file system of the inputs (gdal_support.h), or, with the drivers that the user vouches for, by its path.
 *
 * @param name    of the file, from sciara_gdal_files_allow
 * @param looks   receives the driver whose format the file has; NULL: of no driver that may be used
 * @param dataset receives the file; NULL: it has no driver, or is damaged
 */
enum sciara_status sciara_vector_open(const char *path, const char *name, const char *const *extra, size_t extra_count,
                                      GDALDriverH *looks, GDALDatasetH *dataset);

/** Geometry that a reader wants. */
enum sciara_vector_kind { SCIARA_VECTOR_POINTS = 1, SCIARA_VECTOR_LINES = 2, SCIARA_VECTOR_POLYGONS = 4 };

/** The layer of a file that is read. Release `names` with sciara_text_free. */
struct sciara_vector_layer {
  OGRLayerH layer;          ///< NULL: none is called so, or several are suitable, or none
  int suitable, count;      ///< layers that may hold such geometry; all layers
  struct sciara_text names; ///< "roads", "houses": of the suitable ones, or without these of all
};

/**
 * Finds the requested layer, or the only one that may hold geometry of a kind: a GeoPackage also has layers without geometry, such
 * as the styles of QGIS.
 *
 * @param name  NULL: none is requested
 * @param kinds enum sciara_vector_kind, together
 */
enum sciara_status sciara_vector_find_layer(GDALDatasetH dataset, const char *name, unsigned kinds,
                                            struct sciara_vector_layer *out);

/** Appends the names of the file that a command makes of this one, "houses-placed.gpkg", and of this one. */
enum sciara_status sciara_vector_append_names(struct sciara_text *out, const char *path, const char *suffix);

/**
 * The CRS of a layer; NULL: it names none, or an undefined one, as GeoPackages do that have none, unless its coordinates may be
 * degrees.
 */
OGRSpatialReferenceH sciara_vector_srs(OGRLayerH layer);

/**
 * Refuses a layer in degrees whose coordinates are metres, or have latitude before longitude, and one without a CRS whose
 * coordinates look like degrees, with the command that cures it.
 *
 * @param crs_wkt of the grid; NULL: nothing is refused
 * @param box     west, south, east and north of the grid; NULL: only metres are noticed
 */
enum sciara_status sciara_vector_check_degrees(const char *path, OGRLayerH layer, const char *crs_wkt,
                                               const double *box);

// ------------------------------------------------------------------------------------------------- dates of features

// An agency may map the outlines of a flow one after the other.

/** The date of a feature, s, as of sciara_parse_date; without a zone it is UTC. False: it has none. */
bool sciara_vector_date_of(OGRFeatureH feature, int field, double *date);

/** Which features of a layer are taken: those of one date, or all. */
struct sciara_vector_date {
  int field; ///< negative: all features
  double date;
};

/** Whether a feature is taken. */
bool sciara_vector_has_date(OGRFeatureH feature, const struct sciara_vector_date *of);

/**
 * Chooses the outlines of one time in a layer that has some of several dates, which are not one outline: those of the date `when`,
 * or, if it has days, of that day, with a message. SCIARA_ERR_INPUT, with a cure, if there are none of that time.
 *
 * @param when as of sciara_parse_date; 0: not known
 * @param hint the way in which a command chooses a date itself, after the list of dates; "": it has none
 */
enum sciara_status sciara_vector_choose_date(const char *path, OGRLayerH layer, double when, const char *hint,
                                             const struct sciara_notes *notes, struct sciara_vector_date *out);

#endif
