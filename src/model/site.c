// SPDX-License-Identifier: Apache-2.0
#include "model/site.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "model/ground_change.h"

/** A site and its memory; texts are from malloc. */
struct sciara_site_owner {
  struct sciara_site site;
  double *z0;
  uint8_t *kind;
  struct sciara_site_identity identity;
  uint16_t *edit;
  struct sciara_ground_changes changes; ///< of a site that is no copy
  const struct sciara_site *unchanged;  ///< of a copy, one reference; NULL: it is none
  size_t references;                    ///< changed atomically
};

static void destroy(struct sciara_site_owner *o) {
  if (!o) return;
  sciara_free(o->z0);
  sciara_free(o->kind);
  free(o->site.origin.crs_wkt);
  free(o->site.origin.crs_name);
  sciara_site_identity_free(&o->identity);
  sciara_free(o->edit);
  sciara_ground_changes_free(&o->changes);
  sciara_site_release(o->unchanged);
  sciara_free(o);
}

static enum sciara_status copy_edits(const uint16_t *edit, size_t cells, struct sciara_site_owner *o) {
  if (!edit) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(o->edit, cells, "the edits of the ground"));
  memcpy(o->edit, edit, cells * sizeof *edit);
  o->site.origin.edit = o->edit;
  return SCIARA_OK;
}

/** Marks the cells of the sea, whose neighbours are classified already. */
static void mark_sea(const uint8_t *sea, const uint8_t *valid, size_t cells, struct sciara_site_owner *o) {
  for (size_t i = 0; sea && i < cells; i++) {
    if (!sea[i] || !valid[i]) continue;
    o->kind[i] = SCIARA_CELL_SEA;
    o->site.sea_cells++;
  }
}

static enum sciara_status copy_origin(const struct sciara_site_origin *from, struct sciara_site_owner *o) {
  if (!from) return SCIARA_OK;
  o->site.origin.hash = from->hash;
  o->site.origin.coarse_m = from->coarse_m;
  o->site.origin.window = from->window;
  SCIARA_TRY(sciara_copy(from->crs_wkt, "the texts of a site", &o->site.origin.crs_wkt));
  SCIARA_TRY(sciara_copy(from->crs_name, "the texts of a site", &o->site.origin.crs_name));
  if (!from->identity) return SCIARA_OK;
  o->site.origin.identity = &o->identity;
  return sciara_site_identity_copy(from->identity, &o->identity);
}

/** The site of an owner whose arrays are complete, with its first reference. */
static const struct sciara_site *hand_out(struct sciara_site_owner *o, const struct sciara_grid *grid) {
  o->site.grid = *grid;
  o->site.z0 = o->z0;
  o->site.kind = o->kind;
  o->site.owner = o;
  o->references = 1;
  return &o->site;
}

enum sciara_status sciara_site_adopt(const struct sciara_grid *grid, double **altitude, const uint8_t *valid,
                                     const struct sciara_site_origin *origin, const struct sciara_site **out) {
  enum sciara_status status;
  struct sciara_site_owner *o = NULL;
  size_t cells;
  *out = NULL;
  SCIARA_TRY_GOTO(sciara_size_mul((size_t)grid->rows, (size_t)grid->cols, &cells));
  SCIARA_TRY_GOTO(SCIARA_NEW(o, 1, "site"));
  SCIARA_TRY_GOTO(SCIARA_NEW(o->kind, cells, "kinds of the cells"));
  SCIARA_TRY_GOTO(copy_origin(origin, o));
  SCIARA_TRY_GOTO(copy_edits(origin ? origin->edit : NULL, cells, o));
  sciara_grid_classify(grid, valid, o->kind);
  mark_sea(origin ? origin->sea : NULL, valid, cells, o);
  o->z0 = *altitude;
  *altitude = NULL;
  for (size_t i = 0; i < cells; i++)
    if (!valid[i]) o->z0[i] = SCIARA_NODATA_ALTITUDE;
  if (origin && origin->changes && origin->changes->count > 0) {
    o->changes = *origin->changes;
    *origin->changes = (struct sciara_ground_changes){0};
    o->site.changes = &o->changes;
  }
  *out = hand_out(o, grid);
  return SCIARA_OK;
cleanup:
  destroy(o);
  return status;
}

enum sciara_status sciara_site_create(const struct sciara_grid *grid, const double *altitude, const uint8_t *valid,
                                      const struct sciara_site_origin *origin, const struct sciara_site **out) {
  size_t cells;
  double *copy;
  *out = NULL;
  SCIARA_TRY(sciara_size_mul((size_t)grid->rows, (size_t)grid->cols, &cells));
  SCIARA_TRY(SCIARA_NEW(copy, cells, "altitudes of a site"));
  memcpy(copy, altitude, cells * sizeof *copy);
  const enum sciara_status status = sciara_site_adopt(grid, &copy, valid, origin, out);
  sciara_free(copy);
  return status;
}

enum sciara_status sciara_site_blank(const struct sciara_grid *grid, double **z0, uint8_t **kind,
                                     const struct sciara_site **out) {
  enum sciara_status status;
  struct sciara_site_owner *o = NULL;
  const int64_t cells = sciara_grid_cells(grid);
  *out = NULL;
  SCIARA_TRY_GOTO(SCIARA_NEW(o, 1, "site"));
  SCIARA_TRY_GOTO(SCIARA_NEW(o->z0, cells, "altitudes of a part of a site"));
  SCIARA_TRY_GOTO(SCIARA_NEW(o->kind, cells, "kinds of the cells of a part of a site"));
  *z0 = o->z0;
  *kind = o->kind;
  *out = hand_out(o, grid);
  return SCIARA_OK;
cleanup:
  destroy(o);
  return status;
}

enum sciara_status sciara_site_cut(const struct sciara_site *site, int64_t row, int64_t col, int64_t rows, int64_t cols,
                                   uint8_t **kind, const struct sciara_site **out) {
  const struct sciara_grid *g = &site->grid;
  const struct sciara_grid part = {.rows = rows,
                                   .cols = cols,
                                   .cell_size = g->cell_size,
                                   .west = g->west + (double)col * g->cell_size,
                                   .north = g->north - (double)row * g->cell_size};
  double *z0;
  SCIARA_TRY(sciara_site_blank(&part, &z0, kind, out));
  struct sciara_site *made = &(*out)->owner->site;
  for (int64_t r = 0; r < rows; r++) {
    const int64_t from = (row + r) * g->cols + col;
    memcpy(z0 + r * cols, site->z0 + from, (size_t)cols * sizeof *z0);
    memcpy(*kind + r * cols, site->kind + from, (size_t)cols);
  }
  for (int64_t i = 0; i < rows * cols; i++) made->sea_cells += (*kind)[i] == SCIARA_CELL_SEA;
  return SCIARA_OK;
}

enum sciara_status sciara_site_copy(const struct sciara_site *site, double **z0, const struct sciara_site **out) {
  const size_t cells = (size_t)sciara_grid_cells(&site->grid);
  struct sciara_site_owner *o = NULL;
  enum sciara_status status;
  *out = NULL;
  SCIARA_TRY_GOTO(SCIARA_NEW(o, 1, "site"));
  SCIARA_TRY_GOTO(SCIARA_NEW(o->z0, cells, "altitudes of a site"));
  SCIARA_TRY_GOTO(SCIARA_NEW(o->kind, cells, "kinds of the cells"));
  SCIARA_TRY_GOTO(copy_origin(&site->origin, o));
  SCIARA_TRY_GOTO(copy_edits(site->origin.edit, cells, o));
  memcpy(o->z0, site->z0, cells * sizeof *o->z0);
  memcpy(o->kind, site->kind, cells);
  o->unchanged = sciara_site_retain(sciara_site_unchanged(site));
  o->site.sea_cells = site->sea_cells;
  o->site.changes = site->changes;
  o->site.changes_done = site->changes_done + 1;
  *z0 = o->z0;
  *out = hand_out(o, &site->grid);
  return SCIARA_OK;
cleanup:
  destroy(o);
  return status;
}

const struct sciara_site *sciara_site_unchanged(const struct sciara_site *site) {
  return site->owner->unchanged ? site->owner->unchanged : site;
}

const struct sciara_site *sciara_site_retain(const struct sciara_site *site) {
  __atomic_fetch_add(&site->owner->references, 1, __ATOMIC_RELAXED);
  return site;
}

void sciara_site_release(const struct sciara_site *site) {
  if (site && __atomic_sub_fetch(&site->owner->references, 1, __ATOMIC_ACQ_REL) == 0) destroy(site->owner);
}

size_t sciara_site_memory(const struct sciara_grid *grid) {
  return (size_t)sciara_grid_cells(grid) * (sizeof(double) + sizeof(uint8_t));
}

enum sciara_status sciara_site_sea(const struct sciara_site *site, uint8_t **out) {
  const int64_t cells = sciara_grid_cells(&site->grid);
  *out = NULL;
  if (site->sea_cells == 0) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(*out, (size_t)cells, "the sea"));
  for (int64_t i = 0; i < cells; i++) (*out)[i] = site->kind[i] == SCIARA_CELL_SEA;
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------------ identity

void sciara_dem_spec_free(struct sciara_dem_spec *spec) {
  for (size_t k = 0; k < spec->edit_count; k++) sciara_edit_free(&spec->edits[k]);
  sciara_free(spec->edits);
  free(spec->path);
  free(spec->crs);
  free(spec->sea.path);
  free(spec->edits_json);
  *spec = (struct sciara_dem_spec){0};
}

void sciara_site_identity_free(struct sciara_site_identity *identity) {
  sciara_dem_spec_free(&identity->dem);
  sciara_free(identity->around);
  *identity = (struct sciara_site_identity){0};
}

static enum sciara_status copy_points(const struct sciara_point *from, size_t count, struct sciara_point **to) {
  *to = NULL;
  if (count == 0) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(*to, count, "points that decide the ground"));
  memcpy(*to, from, count * sizeof *from);
  return SCIARA_OK;
}

/** `to` is a copy of the members of `from`. */
static enum sciara_status copy_edit(const struct sciara_edit *from, struct sciara_edit *to) {
  to->name = to->path = to->raster = to->layer = to->place = NULL;
  to->points = NULL;
  SCIARA_TRY(sciara_copy(from->name, "the texts of a site", &to->name));
  SCIARA_TRY(sciara_copy(from->path, "the texts of a site", &to->path));
  SCIARA_TRY(sciara_copy(from->raster, "the texts of a site", &to->raster));
  SCIARA_TRY(sciara_copy(from->layer, "the texts of a site", &to->layer));
  SCIARA_TRY(sciara_copy(from->place, "the texts of a site", &to->place));
  return copy_points(from->points, from->point_count, &to->points);
}

/** `to` is a copy of the members of `from`; its texts and edits become its own. */
static enum sciara_status copy_dem(const struct sciara_dem_spec *from, struct sciara_dem_spec *to) {
  to->path = to->crs = to->sea.path = to->edits_json = NULL;
  to->edits = NULL;
  to->edit_count = 0;
  SCIARA_TRY(sciara_copy(from->path, "the texts of a site", &to->path));
  SCIARA_TRY(sciara_copy(from->crs, "the texts of a site", &to->crs));
  SCIARA_TRY(sciara_copy(from->sea.path, "the texts of a site", &to->sea.path));
  SCIARA_TRY(sciara_copy(from->edits_json, "the texts of a site", &to->edits_json));
  if (from->edit_count > 0) SCIARA_TRY(SCIARA_NEW(to->edits, from->edit_count, "the edits of the ground"));
  for (size_t k = 0; k < from->edit_count; k++) {
    to->edits[to->edit_count++] = from->edits[k];
    SCIARA_TRY(copy_edit(&from->edits[k], &to->edits[k]));
  }
  return SCIARA_OK;
}

enum sciara_status sciara_site_identity_copy(const struct sciara_site_identity *from, struct sciara_site_identity *to) {
  *to = *from;
  to->around = NULL;
  SCIARA_TRY(copy_dem(&from->dem, &to->dem));
  return copy_points(from->around, from->around_count, &to->around);
}
