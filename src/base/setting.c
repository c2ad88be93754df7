// SPDX-License-Identifier: Apache-2.0
#include "base/setting.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

const struct sciara_setting *sciara_setting_find(struct sciara_settings table, const char *name, size_t length) {
  const struct sciara_setting *const end = table.setting + table.count;
  for (const struct sciara_setting *s = table.setting; s != end; s++)
    if (strlen(s->name) == length && strncmp(s->name, name, length) == 0) return s;
  return NULL;
}

static bool parse_choice(const char *choices, const char *text, int *value) {
  const size_t length = strlen(text);
  int number = 0;
  for (const char *choice = choices; choice; choice = strchr(choice, '|')) {
    if (*choice == '|') choice++;
    number++;
    if (length > 0 && strcspn(choice, "|") == length && strncmp(choice, text, length) == 0) {
      *value = number;
      return true;
    }
  }
  return false;
}

bool sciara_setting_parse(const struct sciara_setting *s, const char *text, int *value) {
  double number;
  if (s->type == SCIARA_SETTING_CHOICE) return parse_choice(s->choices, text, value);
  if (!sciara_parse_double(text, &number) || !(number >= s->low && number <= s->high)) return false;
  *value = (int)number;
  return *value == number;
}

void sciara_setting_allowed(const struct sciara_setting *s, char *buffer, size_t capacity) {
  if (s->type == SCIARA_SETTING_CHOICE)
    snprintf(buffer, capacity, "%s=%s", s->name, s->choices);
  else
    snprintf(buffer, capacity, "%s=%d to %d", s->name, s->low, s->high);
}
