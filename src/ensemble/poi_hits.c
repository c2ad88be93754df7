// SPDX-License-Identifier: Apache-2.0
#include "ensemble/poi_hits.h"

#include <math.h>

#include "base/mem.h"
#include "model/ground_edit.h"

void sciara_poi_hits_free(struct sciara_poi_hits *h) {
  for (size_t k = 0; h->place && k < h->pois; k++) sciara_free(h->place[k].cell);
  sciara_free(h->place);
  sciara_free(h->hit);
  *h = (struct sciara_poi_hits){0};
}

static enum sciara_status find_point(const struct sciara_poi *poi, const struct sciara_grid *g,
                                     struct sciara_poi_cells *out) {
  const double col = floor((poi->points[0].x - g->west) / g->cell_size);
  const double row = floor((g->north - poi->points[0].y) / g->cell_size);
  const int k = sciara_grid_place_decimals(g);
  if (!(col >= 0 && row >= 0 && col < (double)g->cols && row < (double)g->rows))
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "site \"%s\": expected a place on the DEM (x from %.*f to %.*f, y from %.*f to %.*f), found x %.*f, y "
        "%.*f",
        poi->name, k, g->west, k, g->west + g->cell_size * (double)g->cols, k,
        g->north - g->cell_size * (double)g->rows, k, g->north, k, poi->points[0].x, k, poi->points[0].y);
  SCIARA_TRY(SCIARA_NEW(out->cell, 1, "the cell of a site"));
  out->cell[0] = (int64_t)row * g->cols + (int64_t)col;
  out->count = 1;
  return SCIARA_OK;
}

static enum sciara_status find_zone(const struct sciara_poi *poi, const struct sciara_grid *g, uint8_t *mask,
                                    struct sciara_poi_cells *out) {
  const int64_t cells = sciara_grid_cells(g);
  const size_t end = poi->point_count;
  for (int64_t i = 0; i < cells; i++) mask[i] = 0;
  SCIARA_TRY(poi->ends ? sciara_mark_polygon(g, poi->points, poi->ends, poi->rings, mask)
                       : sciara_mark_polygon(g, poi->points, &end, 1, mask));
  for (int64_t i = 0; i < cells; i++) out->count += mask[i];
  if (out->count == 0)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "site \"%s\": expected a zone with the centre of at least one cell of the DEM, found none",
                       poi->name);
  SCIARA_TRY(SCIARA_NEW(out->cell, out->count, "the cells of a site"));
  size_t k = 0;
  for (int64_t i = 0; i < cells; i++)
    if (mask[i]) out->cell[k++] = i;
  return SCIARA_OK;
}

/** No lava yet. */
static struct sciara_poi_hit untouched(void) {
  struct sciara_poi_hit h = {.cells = 0};
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) h.value[v] = sciara_footprint_values[v].most ? 0 : INFINITY;
  return h;
}

enum sciara_status sciara_poi_hits_make(const struct sciara_poi *pois, size_t count, const struct sciara_grid *grid,
                                        size_t members, struct sciara_poi_hits *out) {
  uint8_t *mask = NULL;
  size_t size;
  enum sciara_status status;
  *out = (struct sciara_poi_hits){.pois = count, .members = members};
  SCIARA_TRY_GOTO(sciara_size_mul(count, members, &size));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->place, count + 1, "the sites of an ensemble"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->hit, size + 1, "what members do at sites"));
  SCIARA_TRY_GOTO(SCIARA_NEW(mask, sciara_grid_cells(grid), "the cells of a site"));
  for (size_t k = 0; k < size; k++) out->hit[k] = untouched();
  for (size_t k = 0; k < count; k++)
    SCIARA_TRY_GOTO(pois[k].point_count == 1 ? find_point(&pois[k], grid, &out->place[k])
                                             : find_zone(&pois[k], grid, mask, &out->place[k]));
cleanup:
  sciara_free(mask);
  if (status != SCIARA_OK) sciara_poi_hits_free(out);
  return status;
}

static void add_cell(struct sciara_poi_hit *h, const struct sciara_footprint *f, int64_t k) {
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) {
    const float value = f->value[v][k], so_far = h->value[v];
    const bool beyond = sciara_footprint_values[v].most ? value > so_far : value < so_far;
    if (beyond || isnan(value)) h->value[v] = value; // one that is unknown stays
  }
  h->cells++;
}

/** Index of the first cell of the footprint, from `low` on, that is not below `cell`. */
static int64_t find_cell(const struct sciara_footprint *f, int64_t low, int64_t cell) {
  int64_t high = f->count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (f->cell[middle] < cell)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

enum sciara_status sciara_poi_hits_visit(void *context, size_t member, const struct sciara_footprint *f) {
  struct sciara_poi_hits *h = (struct sciara_poi_hits *)context;
  for (size_t poi = 0; poi < h->pois; poi++) {
    const struct sciara_poi_cells *p = &h->place[poi];
    struct sciara_poi_hit *out = &h->hit[poi * h->members + member];
    *out = untouched();
    int64_t k = 0;
    for (size_t i = 0; i < p->count && k < f->count; i++) {
      if (f->cell[k] < p->cell[i]) k = find_cell(f, k, p->cell[i]);
      if (k < f->count && f->cell[k] == p->cell[i]) add_cell(out, f, k++);
    }
  }
  return SCIARA_OK;
}

bool sciara_poi_is_hit(const struct sciara_poi_hit *h, double deposit_m) {
  return isfinite(h->arrival) && (deposit_m == 0 || (double)h->max_deposit > deposit_m);
}

size_t sciara_poi_members(const struct sciara_poi_hits *h, const struct sciara_sample *s, size_t poi, double deposit_m,
                          double until_s, uint32_t *out) {
  size_t count = 0;
  for (size_t m = 0; m < s->count; m++) {
    const struct sciara_poi_hit *hit = sciara_poi_hit(h, poi, m);
    if (s->state[m] == SCIARA_MEMBER_OPEN || s->weight[m] == 0) continue;
    if (sciara_poi_is_hit(hit, deposit_m) && (double)hit->arrival <= until_s) out[count++] = (uint32_t)m;
  }
  return count;
}
