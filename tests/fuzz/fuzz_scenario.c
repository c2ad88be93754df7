// SPDX-License-Identifier: Apache-2.0
// A scenario: the input is the JSON text, then, each after a separator, overrides "a.b=value".
#include "base/diagnostics.h"
#include "fuzz.h"
#include "scenario/scenario.h"

enum { MOST_OVERRIDES = 4 };

/** This holds for a refused scenario too: a vent has its points, its rates, or neither. */
static void check_vent(const struct sciara_vent_spec *v, bool whole) {
  FUZZ_REQUIRE(!whole || (v->name && v->point_count > 0 && v->rate_count > 0));
  FUZZ_REQUIRE(v->point_count == 0 || (v->place == SCIARA_VENT_LINE ? v->point_count >= 2 : v->point_count == 1));
  FUZZ_REQUIRE(v->rate_count == 0 || (v->edges && v->rates));
  for (size_t i = 0; i < v->rate_count; i++) {
    FUZZ_REQUIRE(v->edges[i] >= 0 && v->edges[i] < v->edges[i + 1] && v->edges[i + 1] < 1e300);
    FUZZ_REQUIRE(v->rates[i] >= 0 && v->rates[i] <= 1e6);
  }
}

static void check_scenario(const struct sciara_scenario_spec *s) {
  FUZZ_REQUIRE(s->json && s->dem.path && s->dem.band >= 1 && s->dem.cell_size_m >= 0);
  for (size_t i = 0; i < s->vent_count; i++) check_vent(&s->vents[i], true);
  FUZZ_REQUIRE(s->vent_count > 0 || s->initial_thickness.given);
  FUZZ_REQUIRE(sciara_params_check(&s->params) == SCIARA_OK);
  FUZZ_REQUIRE(s->output.folder && s->output.every_s >= 0 && s->engine.name && s->engine.threads >= 0);
}

/** There is a message for each error, up to the limit. */
static void check_diagnostics(const struct sciara_diagnostics *r) {
  fuzz_check_status(sciara_diagnostics_status(r));
  FUZZ_REQUIRE((r->first == SCIARA_OK) == (r->count == 0));
  FUZZ_REQUIRE(r->kept == (r->count < SCIARA_DIAGNOSTICS_MOST ? r->count : SCIARA_DIAGNOSTICS_MOST));
  for (size_t i = 0; i < r->kept; i++) FUZZ_REQUIRE(r->sentence[i][0] != '\0');
}

/** The scenario that a run stores as text is read back unchanged. */
static void check_kept_text(const char *kept) {
  struct sciara_scenario_spec again;
  struct fuzz_part text = {.data = (const uint8_t *)kept, .size = strlen(kept)};
  FUZZ_REQUIRE(sciara_scenario_read(fuzz_file("kept.json", text), NULL, 0, NULL, &again) == SCIARA_OK);
  FUZZ_REQUIRE(strcmp(again.json, kept) == 0);
  check_scenario(&again);
  sciara_scenario_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char table[] = "time_s,rate_m3_s\n0,2\n1 h,4\n2 h,0\n";
  struct fuzz_part parts[1 + MOST_OVERRIDES];
  fuzz_split(data ? data : (const uint8_t *)"", size, parts, 1 + MOST_OVERRIDES);
  fuzz_file("rates.csv", (struct fuzz_part){.data = (const uint8_t *)table, .size = sizeof table - 1});
  char *overrides[MOST_OVERRIDES];
  size_t count = 0;
  for (; count < MOST_OVERRIDES && parts[count + 1].data; count++)
    FUZZ_REQUIRE(overrides[count] = strndup((const char *)parts[count + 1].data, parts[count + 1].size));
  struct sciara_scenario_spec s;
  struct sciara_diagnostics diagnostics = {0};
  sciara_scenario_read_all(fuzz_file("demo.json", parts[0]), (const char *const *)overrides, count, NULL, &s,
                           &diagnostics);
  check_diagnostics(&diagnostics);
  for (size_t i = 0; i < s.vent_count; i++) check_vent(&s.vents[i], false);
  if (diagnostics.count == 0) {
    check_scenario(&s);
    check_kept_text(s.json);
  }
  sciara_diagnostics_free(&diagnostics);
  sciara_scenario_free(&s);
  for (size_t i = 0; i < count; i++) free(overrides[i]);
  return 0;
}
