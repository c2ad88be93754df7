// SPDX-License-Identifier: Apache-2.0
#include "app/option_values.h"

#include <string.h>

#include "engine/engine.h"
#include "model/field.h"
#include "scenario/scenario.h"

static void print_engines(const char *first, FILE *out) {
  size_t count;
  const struct sciara_engine_entry *list = sciara_engine_list(&count);
  fputs(first, out);
  for (size_t k = 0; k < count; k++) fprintf(out, " %s", list[k].name);
}

static void print_fields(FILE *out) {
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    fprintf(out, "%s%s", f ? " " : "", sciara_field_name((enum sciara_field)f));
}

static void print_keys(FILE *out) {
  const char *key;
  for (size_t k = 0; (key = sciara_scenario_settable_key(k)); k++) fprintf(out, "%s%s", k ? " " : "", key);
}

/**
 * Length of the "a|b|c" at the start of a placeholder, up to a blank; 0 if these are not words to be typed literally.
 */
static size_t choices_length(const char *placeholder) {
  const size_t length = strcspn(placeholder, " ");
  const bool typed = strspn(placeholder, "abcdefghijklmnopqrstuvwxyz0123456789-_|") >= length;
  return typed && memchr(placeholder, '|', length) ? length : 0;
}

static void print_choices(const char *placeholder, FILE *out) {
  const size_t length = choices_length(placeholder);
  for (size_t k = 0; k < length; k++) fputc(placeholder[k] == '|' ? ' ' : placeholder[k], out);
}

static bool is(const struct sciara_option *option, const char *name) { return strcmp(option->name, name) == 0; }

// An option of the same name means the same in every command.
enum sciara_value_kind sciara_option_kind(const struct sciara_option *option) {
  if (!option->argument) return SCIARA_VALUE_NONE;
  if (is(option, "engine") || is(option, "field") || choices_length(option->argument)) return SCIARA_VALUE_WORD;
  if (is(option, "engines")) return SCIARA_VALUE_LIST;
  if (strcmp(option->argument, "K=V") == 0) return SCIARA_VALUE_KEY;
  if (strcmp(option->argument, "FILE") == 0) return SCIARA_VALUE_FILE;
  return strcmp(option->argument, "DIR") == 0 ? SCIARA_VALUE_FOLDER : SCIARA_VALUE_FREE;
}

void sciara_option_words(const struct sciara_option *option, FILE *out) {
  const enum sciara_value_kind kind = sciara_option_kind(option);
  if (kind == SCIARA_VALUE_KEY)
    print_keys(out);
  else if (kind == SCIARA_VALUE_LIST)
    print_engines("all", out);
  else if (kind == SCIARA_VALUE_WORD && is(option, "engine"))
    print_engines("auto", out);
  else if (kind == SCIARA_VALUE_WORD && is(option, "field"))
    print_fields(out);
  else if (kind == SCIARA_VALUE_WORD)
    print_choices(option->argument, out);
}

enum sciara_value_kind sciara_operand_kind(const struct sciara_command *command) {
  if (!*command->operands) return SCIARA_VALUE_NONE;
  return choices_length(command->operands) ? SCIARA_VALUE_WORD : SCIARA_VALUE_FILE;
}

void sciara_operand_words(const struct sciara_command *command, FILE *out) { print_choices(command->operands, out); }
