// SPDX-License-Identifier: Apache-2.0
// The site of simulations: everything that does not change during a run. Any number of states, in any threads, may use
// it. And its identity, what decides its ground: the key "dem" of a scenario and the precision, compared by value.
#ifndef SCIARA_MODEL_SITE_H
#define SCIARA_MODEL_SITE_H

#include <stddef.h>

#include "geometry/dem_window.h"
#include "geometry/grid.h"
#include "model/ground_edit.h"
#include "sciara.h"

SCIARA_BEGIN_DECLS

struct sciara_ground_changes; // model/ground_change.h

/** Origin of a site, for files and messages; the model itself uses none of it. All pointers may be NULL. */
struct sciara_site_origin {
  uint64_t hash;                               ///< of the DEM as it was read; 0: there is none
  char *crs_wkt;                               ///< as in struct sciara_georef
  char *crs_name;                              ///< as in struct sciara_georef, too
  const struct sciara_site_identity *identity; ///< NULL: not read for a scenario
  const uint8_t *sea;   ///< rows x cols: 1 where a valid cell is sea; for sciara_site_create only, NULL in a site
  const uint16_t *edit; ///< rows x cols: number of the last ground edit of a cell, from 1, or 0; NULL: no edits
  struct sciara_ground_changes *changes; ///< at simulated times, taken over; NULL: none. NULL in a site
  double coarse_m; ///< side of the much larger cells from which its cells were made, m; 0: there are none
  struct sciara_dem_window window; ///< of the DEM
};

/** Created by sciara_site_create or sciara_site_adopt; constant until it is released. */
struct sciara_site {
  struct sciara_grid grid;
  const double *z0;    ///< altitude before the eruption, m, rows x cols; SCIARA_NODATA_ALTITUDE outside the DEM
  const uint8_t *kind; ///< enum sciara_cell_kind, rows x cols
  int64_t sea_cells;   ///< cells of kind SCIARA_CELL_SEA; 0: no sea is declared
  const struct sciara_ground_changes *changes; ///< of the ground at simulated times; NULL: none
  size_t changes_done;                         ///< of them: they are part of z0
  struct sciara_site_origin origin;
  struct sciara_site_owner *owner; ///< the memory and the number of references to it; only for site.c
};

/**
 * A site with one reference, from copies of `altitude` and `valid` (rows x cols) and of what `origin` points to.
 *
 * @param altitude m; ignored where `valid` is 0
 * @param origin   NULL: unknown
 */
enum sciara_status sciara_site_create(const struct sciara_grid *grid, const double *altitude, const uint8_t *valid,
                                      const struct sciara_site_origin *origin, const struct sciara_site **out);

/**
 * sciara_site_create without a copy of the altitudes: takes over *altitude, from sciara_alloc, and on success sets it to NULL.
 */
enum sciara_status sciara_site_adopt(const struct sciara_grid *grid, double **altitude, const uint8_t *valid,
                                     const struct sciara_site_origin *origin, const struct sciara_site **out);

/**
 * A rectangle of a site as a site of its own, with one reference: a copy of its ground and kinds, without edits and identity.
 *
 * @param kind receives the kinds of its cells, which the caller may change before anybody else uses the site
 */
enum sciara_status sciara_site_cut(const struct sciara_site *site, int64_t row, int64_t col, int64_t rows, int64_t cols,
                                   uint8_t **kind, const struct sciara_site **out);

/**
 * A site of this grid with one reference, whose ground and kinds the caller fills in before anybody else uses it. Seas
 * are not counted.
 */
enum sciara_status sciara_site_blank(const struct sciara_grid *grid, double **z0, uint8_t **kind,
                                     const struct sciara_site **out);

/**
 * A copy of a site after its next change, with one reference.
 *
 * @param z0 receives its altitudes, which the caller may change before anybody else uses the site
 */
enum sciara_status sciara_site_copy(const struct sciara_site *site, double **z0, const struct sciara_site **out);

/** The site before any change, without a reference: it lives as long as `site`. */
const struct sciara_site *sciara_site_unchanged(const struct sciara_site *site);

/** Adds a reference, to be released later. Any thread that has a reference may call it. Returns the site. */
const struct sciara_site *sciara_site_retain(const struct sciara_site *site);

/** Bytes that the arrays of a site take. */
size_t sciara_site_memory(const struct sciara_grid *grid);

/** Where the sea is, rows x cols, 0 or 1; NULL if there is none. Release with sciara_free. */
enum sciara_status sciara_site_sea(const struct sciara_site *site, uint8_t **out);

// -------------------------------------------------------------------------------------------------------- its identity

/** The key "dem" of a scenario. Texts are from malloc, arrays from sciara_alloc. */
struct sciara_dem_spec {
  char *path; ///< NULL: refused
  int band;
  bool has_window;
  int64_t window[4]; ///< first row, first column, rows, columns
  bool has_box, box_is_lonlat;
  double box[4];         ///< west, south, east, north; in the CRS of the grid, or degrees
  double margin_m;       ///< around the vents; 0 if not given
  bool margin_of_others; ///< of a member that is tried: around the vents of its base, on whose ground it lies
  char *crs;             ///< may be NULL
  double cell_size_m;    ///< 0 if not given
  bool has_nodata;
  double nodata; ///< m
  struct sciara_sea sea;
  struct sciara_edit *edits;
  size_t edit_count;
  char *edits_json; ///< the key "dem.edits" in one line, its paths absolute; NULL: there are none
  struct sciara_ground_error error;
};

void sciara_dem_spec_free(struct sciara_dem_spec *spec);

struct sciara_site_identity {
  struct sciara_dem_spec dem; ///< with absolute paths; of a site of values in memory only the error is set
  bool of_memory;             ///< made of values in memory
  bool single_precision;
  struct sciara_point *around; ///< the points of the vents, on which the ground depends with dem.margin_m; else none
  size_t around_count;
};

/** A copy of all that `from` points to. Release it in any case. */
enum sciara_status sciara_site_identity_copy(const struct sciara_site_identity *from, struct sciara_site_identity *to);
void sciara_site_identity_free(struct sciara_site_identity *identity);

SCIARA_END_DECLS
#endif
