// SPDX-License-Identifier: Apache-2.0
// Writes synthetic batches for a planned ensemble, to test and measure `sciara ensemble reduce` without computing lava.
// A member covers about CELLS cells below its place: ellipses whose centre depends on its vent, size on its id.
//
// usage: sciara_ensemble_synthetic DIR CELLS [--open N] [--censored N] [--failed N]
//   DIR         folder of `sciara ensemble plan`
//   --open N    leaves every N-th batch out
//   --censored N, --failed N   every N-th member is
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "ensemble/ensemble.h"
#include "file/durable.h"
#include "member/batch_file.h"
#include "terrain/dem_gdal.h"

struct options {
  double cells;
  int64_t open, censored, failed;
};

/** A number from 0 to 1 that depends on the member and on `what`. */
static double chance(int64_t id, uint64_t what) {
  return (double)(sciara_hash_mix((uint64_t)id * 64 + what + 1) >> 11) * 0x1p-53;
}

/** The middle of the footprint: near the vent, or anywhere if the vent is not known. */
static struct sciara_point middle_of(const struct sciara_ensemble *e, const struct sciara_grid *g, size_t member) {
  const int64_t vent = e->members.vent[member], id = e->members.id[member];
  struct sciara_point p = {chance(id, 0) * (double)g->cols, chance(id, 1) * (double)g->rows};
  if (vent >= 0 && (size_t)vent < e->vent_count) {
    p.x = (e->vents[vent].points[0].x - g->west) / g->cell_size;
    p.y = (g->north - e->vents[vent].points[0].y) / g->cell_size;
  }
  return p;
}

/** Adds a cell at a squared distance d2 from the middle (1 on the border of the ellipse). */
static void add_cell(struct sciara_footprint *f, int64_t cell, double d2, double slow, double thick) {
  f->cell[f->count] = cell;
  f->arrival[f->count] = (float)(slow * sqrt(d2));
  f->max_deposit[f->count] = (float)(thick * (1 - d2) + 0.01);
  f->deposit[f->count] = (float)(0.9 * thick * (1 - d2) + 0.01);
  f->count++;
}

static enum sciara_status make_footprint(const struct sciara_ensemble *e, const struct sciara_grid *g, size_t member,
                                         const struct options *o, struct sciara_footprint *f) {
  const int64_t id = e->members.id[member];
  const struct sciara_point p = middle_of(e, g, member);
  const double area = o->cells * (0.5 + chance(id, 2)), flat = 0.5 + chance(id, 3);
  const double b = sqrt(area / 3.141592653589793 / flat), a = flat * b;
  const double slow = 3600 * (1 + 200 * chance(id, 4)), thick = 0.2 + 10 * chance(id, 5);
  const size_t most = (size_t)((2 * a + 3) * (2 * b + 3));
  SCIARA_TRY(sciara_footprint_make_cells(f, (int64_t)most));
  for (int64_t r = (int64_t)(p.y - b); r <= (int64_t)(p.y + b); r++)
    for (int64_t c = (int64_t)(p.x - a); c <= (int64_t)(p.x + a); c++) {
      const double x = ((double)c + 0.5 - p.x) / a, y = ((double)r + 0.5 - p.y) / b, d2 = x * x + y * y;
      if (r >= 0 && c >= 0 && r < g->rows && c < g->cols && d2 < 1) add_cell(f, r * g->cols + c, d2, slow, thick);
    }
  f->end_s = 2 * slow;
  if (o->censored && id % o->censored == 0) {
    f->censored = true;
    f->stop = SCIARA_STOP_STEPS;
    f->end_s = slow;
  }
  if (chance(id, 6) < 0.1) f->ledger.lost_m3 = 1000;
  if (chance(id, 7) < 0.2) f->ledger.sea_m3 = 500;
  return SCIARA_OK;
}

static enum sciara_status make_member(const struct sciara_ensemble *e, const struct sciara_grid *g, size_t member,
                                      const struct options *o, struct sciara_footprint *f) {
  const int64_t id = e->members.id[member];
  *f = (struct sciara_footprint){
      .id = id, .row_hash = e->members.hash[member], .stop = SCIARA_STOP_SOLIDIFIED, .steps = 1, .cell_steps = 1};
  if (!o->failed || id % o->failed != 0) return make_footprint(e, g, member, o, f);
  f->failed = true;
  f->stop = SCIARA_STOP_NONE;
  f->error = strdup("synthetic failure");
  return f->error ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for a text");
}

static enum sciara_status write_batch(const struct sciara_ensemble *e, const struct sciara_grid *g, size_t batch,
                                      const struct options *o) {
  const size_t first = batch * e->batch_size, left = e->members.count - first;
  const size_t count = left < e->batch_size ? left : e->batch_size;
  const struct sciara_batch_header h = {e->hash, e->site_hash, g->rows, g->cols, (int64_t)batch};
  struct sciara_footprint *f;
  char *path = sciara_format("%s/" SCIARA_ENSEMBLE_BATCHES "/%06zu.h5", e->folder, batch);
  if (!path) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of a batch");
  enum sciara_status status = SCIARA_NEW(f, count, "the members of a batch");
  for (size_t k = 0; k < count && status == SCIARA_OK; k++) status = make_member(e, g, first + k, o, &f[k]);
  if (status == SCIARA_OK) status = sciara_batch_write(path, &h, f, count, false);
  sciara_batch_release(f, count);
  free(path);
  return status;
}

static enum sciara_status make(const char *folder, const struct options *o) {
  struct sciara_ensemble e = {0};
  struct sciara_dem dem = {0};
  char *path = sciara_format("%s/" SCIARA_ENSEMBLE_DEM, folder),
       *batches = sciara_format("%s/" SCIARA_ENSEMBLE_BATCHES, folder);
  enum sciara_status status =
      path && batches ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of a file");
  const struct sciara_dem_request request = {.path = path, .band = 1, .marked = true};
  if (status == SCIARA_OK) status = sciara_ensemble_open(folder, &e);
  if (status == SCIARA_OK) status = sciara_dem_read(&request, &dem);
  if (status == SCIARA_OK) status = sciara_folder_make(batches);
  for (size_t b = 0; b < e.batch_count && status == SCIARA_OK; b++)
    if (!o->open || (int64_t)(b + 1) % o->open != 0) status = write_batch(&e, &dem.grid, b, o);
  sciara_dem_free(&dem);
  sciara_ensemble_free(&e);
  free(path);
  free(batches);
  return status;
}

int main(int argc, char **argv) {
  struct options o = {0};
  const struct {
    const char *name;
    int64_t *value;
  } named[] = {{"--open", &o.open}, {"--censored", &o.censored}, {"--failed", &o.failed}};
  bool good = argc >= 3 && sciara_parse_double(argv[2], &o.cells) && o.cells >= 1;
  for (int k = 3; k + 1 < argc && good; k += 2) {
    good = false;
    for (size_t n = 0; n < sizeof named / sizeof *named; n++)
      if (strcmp(argv[k], named[n].name) == 0) good = (*named[n].value = atoll(argv[k + 1])) > 0;
  }
  if (!good || argc % 2 == 0) {
    fprintf(stderr, "usage: sciara_ensemble_synthetic DIR CELLS [--open N] [--censored N] [--failed N]\n");
    return SCIARA_ERR_USAGE;
  }
  const enum sciara_status status = make(argv[1], &o);
  if (status != SCIARA_OK) fprintf(stderr, "sciara_ensemble_synthetic: %s\n", sciara_last_error());
  return (int)status;
}
