// SPDX-License-Identifier: Apache-2.0
#include "ensemble/comparison.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "file/durable.h"
#include "map/raster_gdal.h"

enum { MEMORY = 640 << 20 };

void sciara_comparison_free(struct sciara_comparison *c) {
  sciara_reduction_free(&c->a);
  sciara_reduction_free(&c->b);
  sciara_free(c->site);
  *c = (struct sciara_comparison){0};
}

static bool same_grid(const struct sciara_grid *a, const struct sciara_grid *b) {
  return a->rows == b->rows && a->cols == b->cols && a->cell_size == b->cell_size && a->west == b->west &&
         a->north == b->north;
}

/** Opens the second ensemble for its members that the first has finished, then the first for those of the second. */
static enum sciara_status open_pair(const char *folder_a, const char *folder_b, struct sciara_comparison *c) {
  struct sciara_reduction whole = {0};
  struct sciara_reduction_options options = {.threads = c->threads, .all = true};
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_reduction_open(folder_a, &options, &whole));
  options.paired = &whole;
  options.site = whole.ensemble.result.sites; // in both ensembles the sites of the first
  options.site_count = whole.ensemble.result.site_count;
  SCIARA_TRY_GOTO(sciara_reduction_open(folder_b, &options, &c->b));
  if (!same_grid(&whole.dem.grid, &c->b.dem.grid)) {
    status = sciara_fail(SCIARA_ERR_INPUT, "%s and %s: expected maps of the same grid, found different ones", folder_a,
                         folder_b);
    goto cleanup;
  }
  options.paired = &c->b;
  options.own_weights = true;
  SCIARA_TRY_GOTO(sciara_reduction_open(folder_a, &options, &c->a));
cleanup:
  sciara_reduction_free(&whole);
  return status;
}

static double hit_of(const struct sciara_reduction *r, size_t site, size_t member) {
  return sciara_site_is_hit(sciara_site_hit(&r->sites, site, member), 0);
}

/** Compares one site; `value` has room for the members of a, and `x` is for their sample. */
static void compare_site(const struct sciara_comparison *c, size_t site, double *value, struct sciara_sample_scratch *x,
                         struct sciara_paired *out) {
  double unused, delay = 0, weight = 0;
  for (size_t m = 0; m < c->a.sample.count; m++) {
    const size_t k = sciara_members_find(&c->b.ensemble.members, c->a.ensemble.members.id[m]);
    value[m] = 0;
    if (k == SIZE_MAX || !sciara_sample_counts(&c->a.sample, m)) continue;
    const double a = hit_of(&c->a, site, m), b = hit_of(&c->b, site, k);
    value[m] = b - a;
    out->a += c->a.sample.weight[m] * a / c->a.sample.done;
    out->b += c->a.sample.weight[m] * b / c->a.sample.done;
    if (a == 0 || b == 0) continue;
    delay += c->a.sample.weight[m] * ((double)sciara_site_hit(&c->b.sites, site, k)->arrival -
                                      (double)sciara_site_hit(&c->a.sites, site, m)->arrival);
    weight += c->a.sample.weight[m];
    out->both++;
  }
  sciara_sample_mean(&c->a.sample, value, x, &unused, &out->error);
  out->difference = out->b - out->a;
  out->delay_s = weight > 0 ? delay / weight : NAN;
}

enum sciara_status sciara_comparison_make(const char *folder_a, const char *folder_b, int threads,
                                          struct sciara_comparison *out) {
  struct sciara_sample_scratch x = {0};
  double *value = NULL;
  enum sciara_status status;
  *out = (struct sciara_comparison){.threads = threads};
  SCIARA_TRY_GOTO(open_pair(folder_a, folder_b, out));
  out->pairs = out->a.sample.finished;
  out->sites = out->a.sites.sites;
  SCIARA_TRY_GOTO(sciara_reduction_visit_sites(&out->a, threads));
  SCIARA_TRY_GOTO(sciara_reduction_visit_sites(&out->b, threads));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->site, out->sites + 1, "the sites of an ensemble"));
  SCIARA_TRY_GOTO(SCIARA_NEW(value, out->a.sample.count + 1, "the members of an ensemble"));
  SCIARA_TRY_GOTO(sciara_sample_scratch_make(&out->a.sample, &x));
  for (size_t k = 0; k < out->sites; k++) compare_site(out, k, value, &x, &out->site[k]);
cleanup:
  sciara_sample_scratch_free(&x);
  sciara_free(value);
  if (status != SCIARA_OK) sciara_comparison_free(out);
  return status;
}

/** Writes b - a of one layer of the first, if the second has it too. `values` and `other` are memory. */
static enum sciara_status write_layer(const struct sciara_comparison *c, size_t layer, const char *folder,
                                      double *values, double *other) {
  const struct sciara_layer *l = &c->a.layers.layer[layer], *same = sciara_layers_find(&c->b.layers, l->name);
  const int64_t cells = sciara_grid_cells(&c->a.dem.grid);
  if (!same) return SCIARA_OK;
  sciara_hazard_fill(&c->a.hazard, layer, c->a.dem.valid, cells, values);
  sciara_hazard_fill(&c->b.hazard, (size_t)(same - c->b.layers.layer), c->b.dem.valid, cells, other);
  for (int64_t i = 0; i < cells; i++)
    if (values[i] != SCIARA_NODATA_ALTITUDE)
      values[i] = other[i] == SCIARA_NODATA_ALTITUDE ? other[i] : other[i] - values[i];
  struct sciara_map_facts facts = {0};
  char *path = sciara_format("%s/difference_%s.tif", folder, l->name);
  const struct sciara_map map = {.grid = &c->a.dem.grid,
                                 .georef = &c->a.dem.georef,
                                 .values = values,
                                 .nodata = SCIARA_NODATA_ALTITUDE,
                                 .name = "difference",
                                 .ramp = "difference",
                                 .unit = l->unit,
                                 .title = l->long_name,
                                 .facts = &facts};
  enum sciara_status status = path ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of a map");
  if (status == SCIARA_OK) status = sciara_map_facts_add(&facts, "condition", SCIARA_ENSEMBLE_CONDITION);
  if (status == SCIARA_OK) status = sciara_map_write_cog(&map, path);
  sciara_map_facts_free(&facts);
  free(path);
  return status;
}

enum sciara_status sciara_comparison_write(struct sciara_comparison *c, const char *folder) {
  const struct sciara_reduction_options options = {.threads = c->threads, .bytes = MEMORY};
  double *values = NULL, *other = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_reduction_make_maps(&c->a, &options));
  SCIARA_TRY_GOTO(sciara_reduction_make_maps(&c->b, &options));
  SCIARA_TRY_GOTO(sciara_folder_make(folder));
  SCIARA_TRY_GOTO(SCIARA_NEW(values, sciara_grid_cells(&c->a.dem.grid), "a map"));
  SCIARA_TRY_GOTO(SCIARA_NEW(other, sciara_grid_cells(&c->a.dem.grid), "a map"));
  for (size_t k = 0; k < c->a.layers.count; k++) {
    const struct sciara_layer *l = &c->a.layers.layer[k];
    if ((l->kind == SCIARA_LAYER_PROBABILITY || l->kind == SCIARA_LAYER_REACHED) && l->part == SCIARA_PART_VALUE)
      SCIARA_TRY_GOTO(write_layer(c, k, folder, values, other));
  }
cleanup:
  sciara_free(values);
  sciara_free(other);
  return status;
}
