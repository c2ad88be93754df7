// SPDX-License-Identifier: Apache-2.0
#include "run/assumed.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/date.h"

/** Of the rates in the scenario; its volume is NAN if those of a vent are in another file. */
static enum sciara_status find_emission(const struct sciara_scenario_spec *s, struct sciara_emission *out) {
  struct sciara_vents *vents = sciara_vents_create();
  bool known = s->vent_count > 0;
  if (!vents) return SCIARA_ERR_MEMORY;
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; k < s->vent_count && status == SCIARA_OK; k++) {
    const struct sciara_vent_spec *v = &s->vents[k];
    known &= v->edges != NULL;
    if (v->edges) status = sciara_vents_add(vents, 0, 0, (int64_t)v->rate_count, v->edges, v->rates);
  }
  if (status == SCIARA_OK) status = sciara_vents_emission(vents, out);
  if (!known) out->volume_m3 = NAN;
  sciara_vents_destroy(vents);
  return status;
}

/** "Assumed eruption: 0.35 × 10⁶ m³ in 12 h, at most 30 m³/s. Vents: 2." */
static void put_emission(const struct sciara_scenario_spec *s, const struct sciara_emission *e,
                         enum sciara_language language, struct sciara_text *t) {
  char volume[64], duration[64], rate[64];
  const char *const pairs[] = {"volume", volume, "duration", duration, "rate", rate, NULL};
  const char *colon = sciara_word(language, SCIARA_WORD_COLON);
  sciara_text_append(t, "%s%s", sciara_word(language, SCIARA_WORD_EMISSION), colon);
  if (isfinite(e->volume_m3)) {
    sciara_word_volume(language, e->volume_m3, volume, sizeof volume);
    sciara_word_duration(language, e->end_s - e->begin_s, duration, sizeof duration);
    snprintf(rate, sizeof rate, "%.3g\u00A0m\u00B3/s", e->peak_m3_s);
    sciara_word_numbers(language, rate);
    sciara_word_fill(t, sciara_word(language, SCIARA_WORD_EMISSION_OF), pairs);
  } else {
    sciara_text_append(t, "%s", sciara_word(language, SCIARA_WORD_PAGE_UNKNOWN));
  }
  sciara_text_append(t, ". %s%s%zu.", sciara_word(language, SCIARA_WORD_HAZARD_ASSUMED_VENTS), colon, s->vent_count);
}

static const char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/** The lava that the run begins with. */
static void put_begin(const struct sciara_scenario_spec *s, enum sciara_language language, struct sciara_text *t) {
  char time[64];
  const char *const pairs[] = {"name", s->observed.outline ? name_of(s->observed.outline) : "", "time", time, NULL};
  sciara_word_duration(language, fmax(s->observed.time_s, 0), time, sizeof time);
  if (s->observed.outline) {
    sciara_text_append(t, " ");
    sciara_word_fill(t, sciara_word(language, SCIARA_WORD_BEGIN_OBSERVED), pairs);
    sciara_text_append(t, ".");
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
  if (s->dem.path) sciara_text_append(t, "%s, ", name_of(s->dem.path));
  sciara_text_append(t, "%" PRId64 "\u00A0\u00D7\u00A0%" PRId64 ".", g->rows, g->cols);
  if (s->run.start && sciara_date_after(s->run.start, 0, date))
    sciara_text_append(t, " %s%s%.10s %.5s UTC.", sciara_word(language, SCIARA_WORD_START), colon, date,
                       date + sizeof "2026-05-11");
}

enum sciara_status sciara_run_assumed(const struct sciara_scenario_spec *scenario,
                                      const struct sciara_emission *emission, const struct sciara_grid *grid,
                                      enum sciara_language language, struct sciara_text *out) {
  struct sciara_emission own;
  SCIARA_TRY(find_emission(scenario, &own));
  put_emission(scenario, emission && isfinite(emission->volume_m3) ? emission : &own, language, out);
  put_begin(scenario, language, out);
  put_model(scenario, grid, language, out);
  return out->failed;
}
