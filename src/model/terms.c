// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "model/terms.h"

#define RULE(IDENTIFIER, name, number, before, after, meaning, needs) {name, before, after},
const struct sciara_until_rule sciara_until_rules[SCIARA_UNTIL_TIME] = {SCIARA_EACH_STOP_RULE(RULE)};
#undef RULE

enum sciara_until sciara_until_of(const char *name) {
  int k = 0;
  while (k < SCIARA_UNTIL_TIME && strcmp(sciara_until_rules[k].name, name) != 0) k++;
  return (enum sciara_until)k;
}
