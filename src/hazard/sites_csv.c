// SPDX-License-Identifier: Apache-2.0
// sites.csv: the results at the places, and the chance that lava leaves the map or enters the sea.
#include <stdlib.h>

#include "base/mem.h"
#include "file/durable.h"
#include "hazard/poi_table.h"
#include "hazard/products.h"

static enum sciara_status put_rows(const struct sciara_reduction *r, const struct sciara_poi_columns *c, double *value,
                                   struct sciara_text *t) {
  static const char *const chances[] = {"lava leaves the map", "lava enters the sea"};
  SCIARA_TRY(sciara_poi_header_append(c, "site", t));
  for (size_t k = 0; k < r->pois.pois; k++) {
    const struct sciara_poi *poi = &r->ensemble.result.pois[k];
    SCIARA_TRY(sciara_poi_row(r, poi, k, value));
    SCIARA_TRY(sciara_poi_row_append(r, c, poi->name ? poi->name : "", sciara_poi_kind_name(poi->kind),
                                     sciara_poi_where_name(sciara_poi_where(&r->poi_ground[k])), value, t));
  }
  for (int sea = 0; sea < 2; sea++) {
    SCIARA_TRY(sciara_poi_chance_row(r, sea, value));
    SCIARA_TRY(sciara_poi_row_append(r, c, chances[sea], "map", "", value, t));
  }
  return SCIARA_OK;
}

enum sciara_status sciara_products_pois(const struct sciara_reduction *r) {
  struct sciara_text t = {0};
  struct sciara_poi_columns columns = {0};
  double *value = NULL;
  char *path = sciara_path_join(r->ensemble.folder, "sites.csv");
  enum sciara_status status = SCIARA_OK;
  if (!path) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of a file");
  SCIARA_TRY_GOTO(sciara_poi_columns_make(r, &columns));
  SCIARA_TRY_GOTO(SCIARA_NEW(value, columns.count + 1, "a row of a table"));
  SCIARA_TRY_GOTO(put_rows(r, &columns, value, &t));
  SCIARA_TRY_GOTO(sciara_file_replace(path, t.data, t.length));
cleanup:
  sciara_poi_columns_free(&columns);
  sciara_free(value);
  sciara_text_free(&t);
  free(path);
  return status;
}
