// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>

#include "base/log.h"
#include "ensemble/rate_keys.h"
#include "plan/planning.h"

/** Sets the effusion of a member, in the columns from `first` on. */
static enum sciara_status set_rates(const struct sciara_scenario_spec *base, size_t i, size_t first,
                                    struct sciara_members *m) {
  const char *key[2], *value[2];
  char text[2][40];
  struct sciara_key_set set = {0};
  size_t count = 0;
  for (int d = SCIARA_DRAWN_RATE_SCALE; d <= SCIARA_DRAWN_RATE_SHAPE; d++) {
    if (isnan(m->drawn[d][i])) continue;
    sciara_json_number(m->drawn[d][i], text[count], sizeof text[count]);
    key[count] = sciara_drawn_names[d];
    value[count] = text[count];
    count++;
  }
  enum sciara_status status = sciara_key_set_make(key, value, count, base, &set);
  for (size_t k = 0; k < set.count && status == SCIARA_OK; k++) {
    if (m->key_count == first) status = sciara_members_extend(m, (const char *const *)set.key, set.count);
    if (status == SCIARA_OK) status = sciara_members_set(m, i, first + k, set.value[k]);
  }
  sciara_key_set_free(&set);
  return status == SCIARA_OK ? status : sciara_fail_context(status, "member %" PRId64, m->id[i]);
}

enum sciara_status sciara_plan_table_rates(const char *file, const struct sciara_scenario_spec *base,
                                           struct sciara_members *m) {
  const size_t first = m->key_count;
  const char *column = sciara_members_have_drawn(m, SCIARA_DRAWN_RATE_SCALE)   ? SCIARA_RATE_SCALE
                       : sciara_members_have_drawn(m, SCIARA_DRAWN_RATE_SHAPE) ? SCIARA_RATE_SHAPE
                                                                               : NULL;
  const char *other = NULL;
  if (!column) return SCIARA_OK;
  for (size_t k = 0; k < m->key_count; k++) {
    bool whole;
    if (!sciara_key_has_rates(m->key[k], &whole)) continue;
    other = m->key[k];
    if (!whole) continue;
    sciara_log(
        SCIARA_LOG_WARNING,
        "%s: members: the column \"%s\" replaces the rates of the base, later ones too; \"%s\" is for statistics "
        "alone, without that column it changes the rates of the base",
        file, other, column);
    return SCIARA_OK;
  }
  if (other)
    return sciara_fail(SCIARA_ERR_INPUT, "the column \"%s\": expected no other key of rates; found %.80s", column,
                       other);
  for (size_t i = 0; i < m->count; i++) SCIARA_TRY(set_rates(base, i, first, m));
  sciara_members_hash(m);
  return SCIARA_OK;
}
