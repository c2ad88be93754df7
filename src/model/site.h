// SPDX-License-Identifier: Apache-2.0
// The site of simulations: what stays as it is while lava flows. Any number of states, in any threads, share one.
#ifndef SCIARA_MODEL_SITE_H
#define SCIARA_MODEL_SITE_H

#include <stddef.h>

#include "model/grid.h"
#include "sciara.h"

SCIARA_BEGIN_DECLS

/** Where a site comes from, for files and messages: the model itself reads none of it. All may be NULL. */
struct sciara_site_origin {
  uint64_t hash;    ///< of the DEM as it was read; 0: none was
  char *crs_wkt;    ///< as in struct sciara_georef
  char *crs_name;   ///< the same
  const char *keys; ///< the keys of the scenario on which the ground depends, as text; see run/scenario_site.h
};

/** Made by sciara_site_create or sciara_site_adopt; nothing of it changes until it is released. */
struct sciara_site {
  struct sciara_grid grid;
  const double *z0;    ///< altitude before the eruption, m, rows x cols; SCIARA_NODATA_ALTITUDE outside the DEM
  const uint8_t *kind; ///< enum sciara_cell_kind, rows x cols
  struct sciara_site_origin origin;
  struct sciara_site_owner *owner; ///< the memory, and the number of references to it; for site.c alone
};

/**
 * A site with one reference, from copies of `altitude` and `valid` (rows x cols) and of what `origin` points to.
 *
 * @param altitude m; what it holds where `valid` is 0 does not matter
 * @param origin   NULL: unknown
 */
enum sciara_status sciara_site_create(const struct sciara_grid *grid, const double *altitude, const uint8_t *valid,
                                      const struct sciara_site_origin *origin, const struct sciara_site **out);

/** The same without a copy of the altitudes: takes over *altitude, from sciara_alloc, and sets it to NULL if it succeeds. */
enum sciara_status sciara_site_adopt(const struct sciara_grid *grid, double **altitude, const uint8_t *valid,
                                     const struct sciara_site_origin *origin, const struct sciara_site **out);

/** One reference more, to be released; any thread that has one may call it. Returns the site. */
const struct sciara_site *sciara_site_retain(const struct sciara_site *site);

/** Bytes that the arrays of a site take. */
size_t sciara_site_memory(const struct sciara_grid *grid);

SCIARA_END_DECLS
#endif
