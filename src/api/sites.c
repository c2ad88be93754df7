// SPDX-License-Identifier: Apache-2.0
// The public interface (sciara.h): sites, engines and messages.
#include <math.h>

#include "api/api.h"
#include "base/log.h"
#include "base/text.h"
#include "setup/scenario_site.h"

// ------------------------------------------------------------------------------------------------------------- sites

enum sciara_status sciara_site_open(const char *scenario, const char *const *overrides, size_t count,
                                    const struct sciara_site **out) {
  if (out) *out = NULL;
  SCIARA_TRY(sciara_api_check_open("sciara_site_open", scenario, overrides, count, out));
  const struct sciara_problem_options options = {.overrides = overrides, .override_count = count};
  struct sciara_scenario_spec s;
  sciara_scenario_declare_options(sciara_engine_settings());
  SCIARA_TRY(sciara_scenario_read(scenario, overrides, count, NULL, &s));
  const enum sciara_status status = sciara_scenario_site_read(&s, &options, out);
  sciara_scenario_free(&s);
  return status;
}

/** The scenario of a DEM without lava. */
static enum sciara_status describe_dem(const char *path, const char *crs, double cell_size_m, bool single_precision,
                                       struct sciara_text *out) {
  SCIARA_TRY(sciara_text_append(out, "{\"vents\": [], \"initial\": {\"thickness\": 0}, \"dem\": {\"path\": \""));
  SCIARA_TRY(sciara_text_append_json(out, path));
  SCIARA_TRY(sciara_text_append(out, "\""));
  if (crs) {
    SCIARA_TRY(sciara_text_append(out, ", \"crs\": \""));
    SCIARA_TRY(sciara_text_append_json(out, crs));
    SCIARA_TRY(sciara_text_append(out, "\""));
  }
  if (cell_size_m != 0) SCIARA_TRY(sciara_text_append(out, ", \"cell_size_m\": %.17g", cell_size_m));
  return sciara_text_append(out, "}, \"engine\": {\"precision\": \"%s\"}}", single_precision ? "single" : "double");
}

enum sciara_status sciara_site_from_dem(const char *path, const char *crs, double cell_size_m, bool single_precision,
                                        const struct sciara_site **out) {
  if (out) *out = NULL;
  SCIARA_TRY(sciara_api_check_open("sciara_site_from_dem", path, NULL, 0, out));
  if (!(cell_size_m >= 0) || !isfinite(cell_size_m))
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_site_from_dem: cell_size_m: expected 0 m or more, found %g m",
                       cell_size_m);
  struct sciara_text text = {0};
  struct sciara_scenario_spec s = {0};
  struct sciara_diagnostics diagnostics = {0};
  const struct sciara_problem_options options = {0};
  sciara_scenario_declare_options(sciara_engine_settings());
  enum sciara_status status = describe_dem(path, crs, cell_size_m, single_precision, &text);
  sciara_diagnostics_add(&diagnostics, status);
  if (status == SCIARA_OK)
    sciara_scenario_parse("sciara_site_from_dem", text.data, text.length, NULL, 0, &s, &diagnostics);
  status = sciara_diagnostics_status(&diagnostics);
  if (status == SCIARA_OK) status = sciara_scenario_site_read(&s, &options, out);
  sciara_scenario_free(&s);
  sciara_diagnostics_free(&diagnostics);
  sciara_text_free(&text);
  return status;
}

enum sciara_status sciara_site_from_array(const struct sciara_grid_info *grid, const char *crs, const double *altitude,
                                          bool single_precision, const struct sciara_site **out) {
  if (out) *out = NULL;
  SCIARA_TRY(sciara_api_check_pointer("sciara_site_from_array", "out", out));
  SCIARA_TRY(sciara_api_check_pointer("sciara_site_from_array", "grid", grid));
  SCIARA_TRY(sciara_api_check_pointer("sciara_site_from_array", "altitude", altitude));
  const struct sciara_grid g = {.rows = grid->rows,
                                .cols = grid->cols,
                                .cell_size = grid->cell_size_m,
                                .west = grid->west_m,
                                .north = grid->north_m};
  return sciara_memory_site_make(&g, crs, altitude, single_precision, out);
}

// ----------------------------------------------------------------------------------------------------------- engines

_Static_assert(SCIARA_RULES < sizeof((struct sciara_engine_info){0}.rules) / sizeof(char *), "a place for NULL");

enum sciara_status sciara_read_engine(size_t k, struct sciara_engine_info *out) {
  SCIARA_TRY(sciara_api_check_pointer("sciara_read_engine", "out", out));
  *out = (struct sciara_engine_info){.why_not = ""};
  size_t count;
  const struct sciara_engine_entry *list = sciara_engine_list(&count);
  if (k >= count)
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_read_engine: expected one of %zu engines, from 0; found engine %zu",
                       count, k);
  out->name = list[k].name;
  size_t rules = 0;
  enum sciara_rule_kind some = SCIARA_RULE_FV3; // what is said of an engine holds with any of its rules
  for (int rule = 0; rule < SCIARA_RULES; rule++) {
    if (!(list[k].rules >> rule & 1u)) continue;
    some = (enum sciara_rule_kind)rule;
    out->rules[rules++] = sciara_rule_name(some);
  }
  const struct sciara_engine_ops *ops = NULL, *known = list[k].ops[some][SCIARA_DOUBLE];
  out->available = sciara_engine_find(list[k].name, some, SCIARA_DOUBLE, &ops) == SCIARA_OK;
  if (!out->available) out->why_not = sciara_last_error();
  out->summary = known ? known->summary : "not part of this build";
  out->exact = known && known->determinism == SCIARA_EXACT;
  return SCIARA_OK;
}

// ---------------------------------------------------------------------------------------------------------- messages

static struct {
  void (*receive)(void *context, enum sciara_message kind, const char *text);
  void *context;
} receiver;

static void pass_on(void *context, enum sciara_log_level level, const char *message) {
  static const enum sciara_message kind[] = {[SCIARA_LOG_DEBUG] = SCIARA_MESSAGE_DETAIL,
                                             [SCIARA_LOG_INFO] = SCIARA_MESSAGE_INFO,
                                             [SCIARA_LOG_WARNING] = SCIARA_MESSAGE_WARNING,
                                             [SCIARA_LOG_ERROR] = SCIARA_MESSAGE_ERROR};
  (void)context;
  receiver.receive(receiver.context, kind[level], message);
}

void sciara_set_log(void (*receive)(void *context, enum sciara_message kind, const char *text), void *context) {
  sciara_log_set_sink(NULL, NULL);
  receiver.receive = receive;
  receiver.context = context;
  if (receive) sciara_log_set_sink(pass_on, NULL);
}
