// SPDX-License-Identifier: Apache-2.0
#include "ensemble/stop_rule.h"

#include "base/mem.h"
#include "ensemble/ensemble_sample.h"

enum sciara_status sciara_stop_find(const struct sciara_ensemble *e, const struct sciara_site *site, size_t *batches) {
  struct sciara_batches done = {0};
  struct sciara_poi_hits hits = {0};
  uint8_t *sea = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_batches_open(e, &done));
  SCIARA_TRY_GOTO(sciara_site_sea(site, &sea));
  done.sea = sea;
  SCIARA_TRY_GOTO(sciara_poi_hits_make(e->result.pois, e->result.poi_count, &site->grid, e->members.count, &hits));
  const struct sciara_footprint_source source = sciara_batches_source(&done);
  SCIARA_TRY_GOTO(sciara_footprints_visit(&source, 1, sciara_poi_hits_visit, &hits));
  SCIARA_TRY_GOTO(sciara_stop_prefix(e, &done, &hits, batches));
cleanup:
  sciara_poi_hits_free(&hits);
  sciara_free(sea);
  sciara_batches_free(&done);
  return status;
}
