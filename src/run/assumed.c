// SPDX-License-Identifier: Apache-2.0
#include "run/assumed.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/date.h"
#include "base/text.h"

/** The lava that the run begins with. */
static void put_begin(const struct sciara_scenario_spec *s, enum sciara_language language, struct sciara_text *t) {
  if (s->observed.outline) {
    sciara_text_append(t, " ");
    sciara_word_begin_observed(t, language, s->observed.outline, s->observed.time_s);
  } else if (s->initial_checkpoint) {
    sciara_text_append(t, " %s.", sciara_word(language, SCIARA_WORD_BEGIN_CHECKPOINT));
  } else if (s->initial_thickness.given || s->initial_thickness.path) {
    sciara_text_append(t, " %s.", sciara_word(language, SCIARA_WORD_BEGIN_LAVA));
  }
}

/** "Model: fv3 (thesis-etna-2006). DEM: etna.tif, 378 × 517. Start: 2006-07-14 23:30 UTC." */
static void put_model(const struct sciara_scenario_spec *s, const struct sciara_grid *g, enum sciara_language language,
                      struct sciara_text *t) {
  const char *colon = sciara_word(language, SCIARA_WORD_COLON);
  char date[SCIARA_DATE_SIZE];
  sciara_text_append(t, "\n%s%s%s", sciara_word(language, SCIARA_WORD_HAZARD_ASSUMED_MODEL), colon,
                     sciara_rule_name(s->params.rule));
  if (s->model) {
    sciara_text_append(t, " (");
    sciara_word_parameters(t, language, s->model, &s->params);
    sciara_text_append(t, ")");
  }
  sciara_text_append(t, ". %s%s", sciara_word(language, SCIARA_WORD_DEM), colon);
  if (s->dem.path) sciara_text_append(t, "%s, ", sciara_path_name(s->dem.path));
  sciara_text_append(t, "%" PRId64 "\u00A0\u00D7\u00A0%" PRId64 ".", g->rows, g->cols);
  if (sciara_minute_after(s->run.start, 0, date))
    sciara_text_append(t, " %s%s%s.", sciara_word(language, SCIARA_WORD_START), colon, date);
}

enum sciara_status sciara_run_assumed(const struct sciara_scenario_spec *scenario,
                                      const struct sciara_emission *emission, const struct sciara_grid *grid,
                                      enum sciara_language language, struct sciara_text *out) {
  struct sciara_emission own;
  SCIARA_TRY(sciara_scenario_emission(scenario, &own));
  sciara_word_emission(out, language, emission && isfinite(emission->volume_m3) ? emission : &own);
  sciara_text_append(out, ". %s%s%zu.", sciara_word(language, SCIARA_WORD_HAZARD_ASSUMED_VENTS),
                     sciara_word(language, SCIARA_WORD_COLON), scenario->vent_count);
  put_begin(scenario, language, out);
  put_model(scenario, grid, language, out);
  return out->failed;
}
