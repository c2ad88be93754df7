// SPDX-License-Identifier: Apache-2.0
#include "setup/setup.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/choose_engine.h"
#include "store/checkpoint_hdf5.h"

static enum sciara_status set(char **held, const char *text) {
  free(*held);
  *held = text ? strdup(text) : NULL;
  return text && !*held ? sciara_no_memory("a checkpoint") : SCIARA_OK;
}

enum sciara_status sciara_checkpoint_identify(const struct sciara_problem *p, uint64_t ground,
                                              struct sciara_checkpoint_identity *out) {
  *out = (struct sciara_checkpoint_identity){.grid = p->state->grid,
                                             .inputs = sciara_inputs_of(p->site, ground, p->vents),
                                             .params = p->params,
                                             .boundary = p->boundary,
                                             .record = sciara_scenario_record(&p->source->scenario)};
  return set(&out->precision, sciara_precision_name(sciara_chosen_precision(&p->engine)));
}

enum sciara_status sciara_checkpoint_describe(const struct sciara_simulation *s, uint64_t ground, const char *history,
                                              const char *started_utc, struct sciara_checkpoint *h) {
  const struct sciara_problem *p = &s->problem;
  h->dem_hash = p->site->origin.hash;
  h->emission_from_s = p->source->emission_from_s;
  SCIARA_TRY(sciara_checkpoint_identify(p, ground, &h->identity));
  SCIARA_TRY(set(&h->georef.crs_wkt, p->source->georef.crs_wkt));
  SCIARA_TRY(set(&h->georef.crs_name, p->source->georef.crs_name));
  SCIARA_TRY(set(&h->engine, s->ops->name));
  SCIARA_TRY(set(&h->scenario_path, p->source->scenario.path));
  SCIARA_TRY(set(&h->scenario_folder, p->source->scenario.folder));
  SCIARA_TRY(set(&h->scenario_json, p->source->scenario.json));
  SCIARA_TRY(set(&h->history, history));
  return set(&h->started_utc, started_utc);
}
