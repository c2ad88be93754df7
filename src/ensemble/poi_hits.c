// SPDX-License-Identifier: Apache-2.0
// What the members do at the places, which are reached when lava reaches any of their cells.
#include "ensemble/footprints.h"

#include <math.h>

#include "base/mem.h"

void sciara_poi_hits_free(struct sciara_poi_hits *h) {
  for (size_t k = 0; h->place && k < h->pois; k++) sciara_poi_cells_free(&h->place[k]);
  sciara_free(h->place);
  sciara_free(h->hit);
  sciara_free(h->reached);
  *h = (struct sciara_poi_hits){0};
}

enum sciara_status sciara_poi_check(const struct sciara_poi *poi, const struct sciara_poi_cells *cells,
                                    const struct sciara_grid *g, const struct sciara_dem_window *window) {
  const int k = sciara_grid_place_decimals(g);
  if (cells->count > 0) return SCIARA_OK;
  if (poi->point_count == 0 || !(cells->size.all > 0))
    return sciara_fail(SCIARA_ERR_INPUT, "site \"%s\": expected points, a length or an area, found none", poi->name);
  const struct sciara_point middle = sciara_poi_middle(poi);
  const bool windowed = sciara_poi_where_of(poi, SCIARA_POI_OUTSIDE, window) == SCIARA_POI_OUTSIDE;
  char outside[SCIARA_POI_REASON];
  return sciara_fail(
      SCIARA_ERR_INPUT,
      "site \"%s\"%s%s: expected a place %s (x from %.*f to %.*f, y from %.*f to %.*f), found %sx %.*f, y %.*f",
      poi->name, windowed ? " " : "", windowed ? sciara_poi_where_reason(poi, SCIARA_POI_OUTSIDE, window, outside) : "",
      windowed ? "in the window" : "on the DEM", k, g->west, k, g->west + g->cell_size * (double)g->cols, k,
      g->north - g->cell_size * (double)g->rows, k, g->north, poi->point_count > 1 ? "its middle " : "", k, middle.x, k,
      middle.y);
}

/** No lava yet. */
static struct sciara_poi_hit untouched(void) {
  struct sciara_poi_hit h = {.covered = 0};
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) h.value[v] = sciara_footprint_values[v].most ? 0 : INFINITY;
  return h;
}

enum sciara_status sciara_poi_hits_make(const struct sciara_poi *pois, size_t count, const struct sciara_grid *grid,
                                        size_t members, struct sciara_poi_hits *out) {
  size_t size, cells = 0;
  enum sciara_status status;
  *out = (struct sciara_poi_hits){.pois = count, .members = members};
  SCIARA_TRY_GOTO(sciara_size_mul(count, members, &size));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->place, count + 1, "the places of an ensemble"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->hit, size + 1, "what members do at places"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->reached, members + 1, "what members do at places"));
  for (size_t k = 0; k < size; k++) out->hit[k] = untouched();
  for (size_t k = 0; k < count; k++) {
    SCIARA_TRY_GOTO(sciara_poi_cells_make(&pois[k], grid, &out->place[k]));
    cells += out->place[k].count;
    if (cells <= SCIARA_POI_HITS_MOST_CELLS) continue;
    status = sciara_fail(SCIARA_ERR_INPUT, "sites: expected at most %d cells in all of them, found more",
                         SCIARA_POI_HITS_MOST_CELLS);
    goto cleanup;
  }
cleanup:
  if (status != SCIARA_OK) sciara_poi_hits_free(out);
  return status;
}

/** Adds cell k of the footprint, in which `amount` of the place lies. */
static void add_cell(struct sciara_poi_hit *h, const struct sciara_footprint *f, int64_t k, double amount) {
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) {
    const float value = f->value[v][k], so_far = h->value[v];
    const bool beyond = sciara_footprint_values[v].most ? value > so_far : value < so_far;
    if (beyond || isnan(value)) h->value[v] = value; // one that is unknown stays
  }
  h->covered += amount;
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
  h->reached[member] = f->count;
  for (size_t poi = 0; poi < h->pois; poi++) {
    const struct sciara_poi_cells *p = &h->place[poi];
    struct sciara_poi_hit *out = &h->hit[poi * h->members + member];
    *out = untouched();
    int64_t k = 0;
    for (size_t i = 0; i < p->count && k < f->count; i++) {
      if (f->cell[k] < p->cell[i]) k = find_cell(f, k, p->cell[i]);
      if (k < f->count && f->cell[k] == p->cell[i]) add_cell(out, f, k++, p->amount[i]);
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
