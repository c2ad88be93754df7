// SPDX-License-Identifier: Apache-2.0
// What decides the ground of a site: the key "dem" of a scenario and the precision. Compared by value.
#ifndef SCIARA_MODEL_SITE_IDENTITY_H
#define SCIARA_MODEL_SITE_IDENTITY_H

#include "model/ground_edit.h"
#include "model/ground_error.h"

SCIARA_BEGIN_DECLS

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
