// SPDX-License-Identifier: Apache-2.0
// Dates in place of simulated times: they are replaced by the seconds from run.start, so that only the check knows of dates.
#include <math.h>
#include <string.h>

#include "scenario/scenario_keys.h"

bool sciara_scenario_date_valid(const char *text) {
  char utc[SCIARA_DATE_SIZE];
  double seconds;
  bool zoned;
  if (!sciara_parse_date(text, &seconds, &zoned)) return false;
  sciara_print_date(seconds, utc); // with an offset it may lie in another year
  return *utc != '\0';
}

void sciara_scenario_date(const char *text, char date[SCIARA_DATE_SIZE]) {
  double seconds = 0;
  bool zoned;
  sciara_parse_date(text, &seconds, &zoned);
  sciara_print_date(seconds, date);
}

/** The seconds from run.start to a valid date; false: this is none, or it is too early for the key. */
static bool place_date(const struct sciara_scenario_key *key, const cJSON *value, double start, double *out) {
  bool zoned;
  if (!key->dated || !cJSON_IsString(value) || !sciara_scenario_date_valid(value->valuestring)) return false;
  sciara_parse_date(value->valuestring, out, &zoned);
  *out -= start;
  return key->low_allowed ? *out >= key->low : *out > key->low;
}

static enum sciara_status place_in(cJSON *object, const char *schema, double start) {
  double seconds;
  for (cJSON *child = cJSON_IsObject(object) ? object->child : NULL, *next, *item; child; child = next) {
    const struct sciara_scenario_key *key = sciara_scenario_key_find(schema, child->string);
    next = child->next;
    if (!key || child->type & cJSON_IsReference) continue;
    if (key->type == SCIARA_KEY_OBJECT) SCIARA_TRY(place_in(child, key->path, start));
    if (key->type == SCIARA_KEY_OBJECTS && cJSON_IsArray(child))
      cJSON_ArrayForEach(item, child) SCIARA_TRY(place_in(item, sciara_scenario_key_items(key)->path, start));
    if (!place_date(key, child, start, &seconds)) continue;
    cJSON *number = cJSON_CreateNumber(seconds);
    if (number && cJSON_ReplaceItemInObjectCaseSensitive(object, child->string, number)) continue;
    cJSON_Delete(number);
    return sciara_scenario_no_memory();
  }
  return SCIARA_OK;
}

enum sciara_start sciara_scenario_start(const cJSON *root, double *seconds) {
  const cJSON *start = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, "run"), "start");
  bool zoned;
  *seconds = 0;
  if (!start || cJSON_IsNull(start)) return SCIARA_START_ABSENT;
  if (!cJSON_IsString(start) || !sciara_scenario_date_valid(start->valuestring)) return SCIARA_START_REFUSED;
  sciara_parse_date(start->valuestring, seconds, &zoned);
  *seconds = floor(*seconds); // as files have it
  return SCIARA_START_GIVEN;
}

enum sciara_status sciara_scenario_place_dates(cJSON *root) {
  double start;
  return sciara_scenario_start(root, &start) == SCIARA_START_GIVEN ? place_in(root, "", start) : SCIARA_OK;
}
