// SPDX-License-Identifier: Apache-2.0
#include "model/params.h"

#include <math.h>
#include <string.h>

static const struct sciara_param_info table[] = {
#define SCIARA_PARAM(member_, key_, unit_, preset_, low_, low_allowed_, high_, text_) \
  {.key = key_,                                                                       \
   .unit = unit_,                                                                     \
   .description = text_,                                                              \
   .offset = offsetof(struct sciara_params, member_),                                 \
   .preset = preset_,                                                                 \
   .low = low_,                                                                       \
   .high = high_,                                                                     \
   .low_allowed = low_allowed_},
#include "model/params.def"
#undef SCIARA_PARAM
};

const struct sciara_param_info *sciara_param_table(size_t *count) {
  *count = sizeof table / sizeof *table;
  return table;
}

struct sciara_params sciara_params_default(void) {
  struct sciara_params p = {0};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    memcpy((char *)&p + table[i].offset, &table[i].preset, sizeof(double));
  return p;
}

enum sciara_status sciara_params_check(const struct sciara_params *p) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const struct sciara_param_info *info = &table[i];
    double v;
    memcpy(&v, (const char *)p + info->offset, sizeof v);
    bool above = info->low_allowed ? v >= info->low : v > info->low;
    if (!isfinite(v) || !above || v > info->high)
      return sciara_fail(SCIARA_ERR_INPUT, "model.%s: found %.17g, expected %s%g to %g %s", info->key, v,
                         info->low_allowed ? "" : "above ", info->low, info->high, info->unit);
  }
  if (!(p->T_sol < p->T_vent))
    return sciara_fail(SCIARA_ERR_INPUT, "model.T_sol_K: found %.17g, expected below model.T_vent_K = %.17g", p->T_sol,
                       p->T_vent);
  return SCIARA_OK;
}
