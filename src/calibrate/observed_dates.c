// SPDX-License-Identifier: Apache-2.0
#include "calibrate/evaluate.h"

#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/log.h"
#include "base/mem.h"

static enum sciara_status no_memory(void) { return sciara_fail(SCIARA_ERR_MEMORY, "no memory for observed extents"); }

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

enum sciara_status sciara_observed_add(struct sciara_observed_list *list, const struct sciara_evaluate_observed *given,
                                       const char *dates, const char *const *extra_drivers, size_t extra_driver_count) {
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
  enum sciara_status status = field ? SCIARA_OK : no_memory();
  for (size_t k = 0; k < found.count && status == SCIARA_OK; k++) {
    struct sciara_evaluate_observed one = *given;
    char text[SCIARA_DATE_SIZE];
    sciara_print_date(found.date[k], text);
    one.date_field = field;
    one.at_date = keep(list, text);
    status = one.at_date ? add_item(list, &one) : no_memory();
    sciara_log(SCIARA_LOG_INFO, "%s: field \"%s\": outline of %s", given->path, field, text);
  }
  sciara_observation_dates_free(&found);
  return status;
}
