// SPDX-License-Identifier: Apache-2.0
// sites.csv and sites.gpkg: the results at the places; in the table also the chance that lava leaves the map or enters the sea.
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "file/durable.h"
#include "hazard/poi_table.h"
#include "hazard/products.h"

/** The rows of the places. Zero-initialise; release with rows_free. */
struct rows {
  struct sciara_poi_columns columns;
  const char *(*text)[SCIARA_POI_TEXTS]; ///< of each place
  double *value;                         ///< (places + 1) x columns: the last row is for others
};

static void rows_free(struct rows *rows) {
  sciara_poi_columns_free(&rows->columns);
  sciara_free(rows->text);
  sciara_free(rows->value);
}

static enum sciara_status rows_make(const struct sciara_reduction *r, struct rows *out) {
  const size_t count = r->pois.pois;
  size_t size;
  SCIARA_TRY(sciara_poi_columns_make(r, &out->columns));
  SCIARA_TRY(sciara_size_mul(count + 1, out->columns.count, &size));
  SCIARA_TRY(SCIARA_NEW(out->text, count + 1, "a table of sites"));
  SCIARA_TRY(SCIARA_NEW(out->value, size, "a table of sites"));
  for (size_t k = 0; k < count; k++) {
    const struct sciara_poi *poi = &r->ensemble.result.pois[k];
    out->text[k][0] = sciara_poi_kind_name(poi->kind);
    out->text[k][1] = sciara_poi_where_name(sciara_poi_where(&r->poi_ground[k]));
    SCIARA_TRY(sciara_poi_row(r, poi, k, out->value + k * out->columns.count));
  }
  return SCIARA_OK;
}

static enum sciara_status write_csv(const struct sciara_reduction *r, const struct rows *rows, const char *path) {
  static const char *const chances[] = {"lava leaves the map", "lava enters the sea"};
  const struct sciara_poi_columns *c = &rows->columns;
  double *other = rows->value + r->pois.pois * c->count;
  struct sciara_text t = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_poi_header_append(c, "site", &t));
  for (size_t k = 0; k < r->pois.pois; k++) {
    const char *name = r->ensemble.result.pois[k].name;
    SCIARA_TRY_GOTO(sciara_poi_row_append(r, c, name ? name : "", rows->text[k][0], rows->text[k][1],
                                          rows->value + k * c->count, &t));
  }
  for (size_t k = 0; k < r->ensemble.result.left_count; k++) {
    const struct sciara_ensemble_left *left = &r->ensemble.result.left[k];
    sciara_poi_left_row(r, other);
    SCIARA_TRY_GOTO(sciara_poi_row_append(r, c, left->name, sciara_poi_kind_name(left->kind),
                                          sciara_poi_where_name(left->where), other, &t));
  }
  for (int sea = 0; sea < 2; sea++) {
    SCIARA_TRY_GOTO(sciara_poi_chance_row(r, sea, other));
    SCIARA_TRY_GOTO(sciara_poi_row_append(r, c, chances[sea], "map", "", other, &t));
  }
  SCIARA_TRY_GOTO(sciara_file_replace(path, t.data, t.length));
cleanup:
  sciara_text_free(&t);
  return status;
}

enum sciara_status sciara_products_pois(const struct sciara_reduction *r) {
  struct rows rows = {0};
  char *csv = sciara_path_join(r->ensemble.folder, "sites.csv");
  char *gpkg = sciara_path_join(r->ensemble.folder, "sites.gpkg");
  enum sciara_status status =
      csv && gpkg ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of a file");
  if (status == SCIARA_OK) status = rows_make(r, &rows);
  if (status == SCIARA_OK) status = write_csv(r, &rows, csv);
  if (status == SCIARA_OK && r->pois.pois > 0)
    status = sciara_poi_gpkg_write(r, &rows.columns, r->ensemble.result.pois, r->pois.pois, &rows.text[0][0],
                                   rows.value, gpkg);
  else if (status == SCIARA_OK && gpkg)
    unlink(gpkg); // of an earlier reduction, whose plan had sites
  rows_free(&rows);
  free(csv);
  free(gpkg);
  return status;
}
