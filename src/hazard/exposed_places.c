// SPDX-License-Identifier: Apache-2.0
#include "hazard/exposed_places.h"

enum sciara_status sciara_exposed_open(const char *folder, const struct sciara_pois_request *request, int threads,
                                       struct sciara_exposed_places *out) {
  static const struct sciara_poi none;
  const struct sciara_reduction_options options = {.threads = threads, .poi = &none, .poi_count = 0};
  struct sciara_pois_request q = *request;
  *out = (struct sciara_exposed_places){.threads = threads};
  SCIARA_TRY(sciara_reduction_open(folder, &options, &out->r));
  q.grid = &out->r.dem.grid;
  q.crs_wkt = out->r.dem.georef.crs_wkt;
  const enum sciara_status status = sciara_pois_read(&q, &out->pois);
  if (status != SCIARA_OK) sciara_exposed_close(out);
  return status;
}

void sciara_exposed_close(struct sciara_exposed_places *e) {
  sciara_pois_free(&e->pois);
  sciara_reduction_free(&e->r);
}

enum sciara_status sciara_exposed_visit(struct sciara_exposed_places *e, sciara_exposed_take *take, void *context) {
  const struct sciara_pois *pois = &e->pois;
  const size_t block = sciara_reduction_places(e->r.ensemble.members.count);
  for (size_t begin = 0; begin < pois->count; begin += block) {
    const size_t count = pois->count - begin < block ? pois->count - begin : block;
    SCIARA_TRY(sciara_reduction_place(&e->r, pois->poi + begin, count));
    for (size_t k = 0; k < count; k++)
      if (pois->elsewhere[begin + k]) e->r.poi_ground[k].all = 1; // something lies there, outside
    SCIARA_TRY(sciara_reduction_visit_pois(&e->r, e->threads));
    for (size_t k = 0; k < count; k++) SCIARA_TRY(take(context, &e->r, &pois->poi[begin + k], begin + k, k));
  }
  return SCIARA_OK;
}

// --------------------------------------------------------------------------------------------------------------- files

/** A table that is being made. */
struct table {
  struct sciara_poi_rows rows;
  struct sciara_poi_chance *chance;
  size_t reached;
};

static enum sciara_status take_row(void *context, const struct sciara_reduction *r, const struct sciara_poi *poi,
                                   size_t number, size_t place) {
  struct table *t = (struct table *)context;
  struct sciara_poi_chance *chance = &t->chance[number];
  bool reached = false;
  for (size_t m = 0; m < r->sample.count; m++) {
    if (r->sample.state[m] == SCIARA_MEMBER_OPEN) continue;
    reached |= sciara_poi_is_hit(sciara_poi_hit(&r->pois, place, m), 0);
  }
  t->reached += reached;
  SCIARA_TRY(sciara_poi_rows_set(r, &t->rows, number, poi, place));
  *chance = sciara_poi_row_chance(r, t->rows.value + number * t->rows.columns.count);
  chance->reached = reached;
  chance->at_start = sciara_poi_at_start(r, place);
  chance->where = sciara_poi_where_of(poi, sciara_poi_where(&r->poi_ground[place]), &r->dem.window);
  return SCIARA_OK;
}

enum sciara_status sciara_exposed_write(struct sciara_exposed_places *e, const char *csv, const char *gpkg,
                                        struct sciara_poi_chance *chance, size_t *reached) {
  struct table t = {.chance = chance};
  enum sciara_status status = sciara_poi_rows_make(&e->r, e->pois.count, &t.rows);
  if (status == SCIARA_OK) status = sciara_exposed_visit(e, take_row, &t);
  *reached = t.reached;
  if (status == SCIARA_OK) status = sciara_poi_rows_write(&e->r, &t.rows, e->pois.poi, e->pois.count, false, csv, gpkg);
  sciara_poi_rows_free(&t.rows);
  return status;
}
