// SPDX-License-Identifier: Apache-2.0
#include "hazard/exposed_places.h"

#include <math.h>

#include "base/mem.h"
#include "file/durable.h"

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
  const struct sciara_exposed_places *e;
  struct sciara_poi_columns columns;
  const char *(*text)[SCIARA_POI_TEXTS]; ///< of each place
  double *value;                         ///< places x columns
  struct sciara_poi_chance *chance;
  size_t reached;
};

static enum sciara_status take_row(void *context, const struct sciara_reduction *r, const struct sciara_poi *poi,
                                   size_t number, size_t place) {
  struct table *t = (struct table *)context;
  bool reached = false;
  for (size_t m = 0; m < r->sample.count; m++) {
    if (r->sample.state[m] == SCIARA_MEMBER_OPEN) continue;
    reached |= sciara_poi_is_hit(sciara_poi_hit(&r->pois, place, m), 0);
  }
  t->reached += reached;
  t->text[number][0] = sciara_poi_kind_name(poi->kind);
  const enum sciara_poi_where where = sciara_poi_where(&r->poi_ground[place]);
  t->text[number][1] = sciara_poi_where_name(where);
  SCIARA_TRY(sciara_poi_row(r, poi, place, t->value + number * t->columns.count));
  t->chance[number] = sciara_poi_row_chance(r, t->value + number * t->columns.count);
  t->chance[number].reached = reached;
  t->chance[number].at_start = sciara_poi_at_start(r, place);
  t->chance[number].where = sciara_poi_where_of(poi, where, &r->dem.window);
  return SCIARA_OK;
}

static enum sciara_status write_csv(const struct table *t, const char *path) {
  const struct sciara_exposed_places *e = t->e;
  struct sciara_text text = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_poi_header_append(&t->columns, "place", &text));
  for (size_t k = 0; k < e->pois.count; k++)
    SCIARA_TRY_GOTO(sciara_poi_row_append(&e->r, &t->columns, e->pois.poi[k].name, t->text[k][0], t->text[k][1],
                                          t->value + k * t->columns.count, &text));
  SCIARA_TRY_GOTO(sciara_file_replace(path, text.data, text.length));
cleanup:
  sciara_text_free(&text);
  return status;
}

enum sciara_status sciara_exposed_write(struct sciara_exposed_places *e, const char *csv, const char *gpkg,
                                        struct sciara_poi_chance *chance, size_t *reached) {
  struct table t = {.e = e, .chance = chance};
  size_t size;
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_poi_columns_make(&e->r, &t.columns));
  SCIARA_TRY_GOTO(sciara_size_mul(e->pois.count, t.columns.count, &size));
  SCIARA_TRY_GOTO(SCIARA_NEW(t.text, e->pois.count + 1, "a table of places"));
  SCIARA_TRY_GOTO(SCIARA_NEW(t.value, size + 1, "a table of places"));
  SCIARA_TRY_GOTO(sciara_exposed_visit(e, take_row, &t));
  *reached = t.reached;
  if (csv) SCIARA_TRY_GOTO(write_csv(&t, csv));
  if (gpkg)
    SCIARA_TRY_GOTO(sciara_poi_gpkg_write(&e->r, &t.columns, e->pois.poi, e->pois.count, &t.text[0][0], t.value, gpkg));
cleanup:
  sciara_poi_columns_free(&t.columns);
  sciara_free(t.text);
  sciara_free(t.value);
  return status;
}
