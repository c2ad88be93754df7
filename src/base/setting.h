// SPDX-License-Identifier: Apache-2.0
// A setting: a named number or choice with its range and its description. Engines describe their options as settings.
// Code that reads scenarios or command lines gets the table of settings, and need not know any engine.
#ifndef SCIARA_BASE_SETTING_H
#define SCIARA_BASE_SETTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/portable.h"

SCIARA_BEGIN_DECLS

enum sciara_setting_type {
  SCIARA_SETTING_INTEGER, ///< `low` to `high`
  SCIARA_SETTING_CHOICE,  ///< one of `choices`
};

/** Largest number of settings in a table. */
enum { SCIARA_MOST_SETTINGS = 32 };

/** One setting. Its value is an int above 0; 0 means that it was not given. */
struct sciara_setting {
  const char *name;
  enum sciara_setting_type type;
  int low, high;           ///< of an integer; low >= 1
  const char *choices;     ///< "global|shared": the values 1, 2, ...
  const char *needs;       ///< name of another setting that must be given too; NULL: none
  int common;              ///< a value that every engine supports; 0: none
  const char *description; ///< for the user, with the default: "...; null: 2"
  size_t offset;           ///< of the int in the struct that holds the values
};

/** A table of settings; constant, valid for the life of the program. */
struct sciara_settings {
  const struct sciara_setting *setting;
  size_t count;
};

/** The setting whose name is `name`, `length` characters, or NULL. */
const struct sciara_setting *sciara_setting_find(struct sciara_settings table, const char *name, size_t length);

/** Reads a value; false if it is not valid. */
bool sciara_setting_parse(const struct sciara_setting *s, const char *text, int *value);

/** Writes the valid values, for the user: "boxes=1 to 4", "memory=global|shared". */
void sciara_setting_allowed(const struct sciara_setting *s, char *buffer, size_t capacity);

SCIARA_END_DECLS
#endif
