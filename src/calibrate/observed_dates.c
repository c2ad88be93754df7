// SPDX-License-Identifier: Apache-2.0
#include "calibrate/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/log.h"
#include "base/mem.h"
#include "scenario/scenario_base.h"
#include "scenario/scenario_keys.h"

void sciara_observed_list_free(struct sciara_observed_list *list) {
  for (size_t k = 0; k < list->text_count; k++) free(list->text[k]);
  sciara_free(list->text);
  sciara_free(list->item);
  *list = (struct sciara_observed_list){0};
}

static enum sciara_status add_item(struct sciara_observed_list *list, const struct sciara_evaluate_observed *item) {
  SCIARA_TRY(sciara_resize((void **)&list->item, list->count, list->count + 1, sizeof *list->item, "observed extents"));
  list->item[list->count++] = *item;
  return SCIARA_OK;
}

/** Keeps a copy of a text; NULL: no memory. */
static const char *keep(struct sciara_observed_list *list, const char *text) {
  char *copy = NULL;
  if (sciara_resize((void **)&list->text, list->text_count, list->text_count + 1, sizeof *list->text,
                    "observed extents") == SCIARA_OK)
    copy = strdup(text);
  if (copy) list->text[list->text_count++] = copy;
  return copy;
}

/**
 * The dates of the outline with which the run of a scenario begins, and of its end at the latest; infinite: not known, or the scenario
 * has errors, which are found later.
 */
struct dates {
  double first, last;
};

static struct dates dates_of(const char *path) {
  struct sciara_scenario_spec spec;
  struct dates out = {-INFINITY, INFINITY};
  if (sciara_scenario_read(path, NULL, 0, &sciara_no_notes, &spec) != SCIARA_OK) return out;
  const double begin = sciara_date_at(spec.start, fmax(spec.observed.time_s, 0));
  const double end = sciara_date_at(spec.start, sciara_limits_end(&spec.run));
  if (spec.observed.outline && begin > 0) out.first = begin;
  if (end > 0) out.last = end;
  sciara_scenario_free(&spec);
  return out;
}

/** Warns of dates that are left out, if there are any: "2 of its 5 dates are later than ..., when the run of s.json ends" */
static void warn_of(const char *path, const char *scenario, size_t left_out, size_t count, const char *are, double date,
                    const char *what) {
  char text[SCIARA_DATE_SIZE];
  if (left_out == 0) return;
  sciara_print_date(date, text);
  sciara_log(SCIARA_LOG_WARNING, "%s: %zu of its %zu dates are %s %s, when the run of %s %s: they are left out", path,
             left_out, count, are, text, scenario, what);
}

enum sciara_status sciara_observed_add(struct sciara_observed_list *list, const struct sciara_evaluate_observed *given,
                                       const char *scenario, const char *dates, const char *const *extra_drivers,
                                       size_t extra_driver_count) {
  const struct sciara_observation_request request = {.path = given->path,
                                                     .layer = given->layer,
                                                     .json_path = given->json_path,
                                                     .date_field = dates,
                                                     .extra_drivers = extra_drivers,
                                                     .extra_driver_count = extra_driver_count};
  struct sciara_observation_dates found;
  if (!dates) return add_item(list, given);
  SCIARA_TRY(sciara_observation_dates_read(&request, &found));
  const char *field = keep(list, found.field);
  enum sciara_status status = field ? SCIARA_OK : sciara_no_memory("observed extents");
  const struct dates of = dates_of(scenario);
  size_t first = 0, end = found.count;
  while (first < end && found.date[first] <= of.first) first++;
  while (end > first && found.date[end - 1] > of.last) end--;
  if (first == end) { // no date is left: the error says when the run begins or ends
    first = 0;
    end = found.count;
  }
  for (size_t k = first; k < end && status == SCIARA_OK; k++) {
    struct sciara_evaluate_observed one = *given;
    char text[SCIARA_DATE_SIZE];
    sciara_print_date(found.date[k], text);
    one.date_field = field;
    one.at_date = keep(list, text);
    status = one.at_date ? add_item(list, &one) : sciara_no_memory("observed extents");
    sciara_log(SCIARA_LOG_INFO, "%s: field \"%s\": outline of %s", given->path, field, text);
  }
  if (status == SCIARA_OK) warn_of(given->path, scenario, first, found.count, "not after", of.first, "begins");
  if (status == SCIARA_OK)
    warn_of(given->path, scenario, found.count - end, found.count, "later than", of.last, "ends");
  sciara_observation_dates_free(&found);
  return status;
}
