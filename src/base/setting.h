// SPDX-License-Identifier: Apache-2.0
// A setting: a named number or choice with its range and its description. Engines name their options as settings; whoever
// reads scenarios or command lines is given the table of them and needs to know no engine.
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

/** A table of settings holds at most so many. */
enum { SCIARA_MOST_SETTINGS = 32 };

/** One setting. Its value is an int above 0; 0 says that it was not given. */
struct sciara_setting {
  const char *name;
  enum sciara_setting_type type;
  int low, high;           ///< of an integer; low >= 1
  const char *choices;     ///< "global|shared": the values 1, 2, ...
  const char *needs;       ///< name of a setting that must be given as well; NULL: none
  int common;              ///< a value that asks for nothing special; 0: none
  const char *description; ///< for people, with the default: "...; null: 2"
  size_t offset;           ///< of the int in the struct that holds the values
};

/** A table of settings; constant, valid for the life of the program. */
struct sciara_settings {
  const struct sciara_setting *setting;
  size_t count;
};

/** The setting whose name is `name`, `length` characters, or NULL. */
const struct sciara_setting *sciara_setting_find(struct sciara_settings table, const char *name, size_t length);

/** Reads a value; false when it is not one of those allowed. */
bool sciara_setting_parse(const struct sciara_setting *s, const char *text, int *value);

/** Writes what is allowed, for people: "boxes=1 to 4", "memory=global|shared". */
void sciara_setting_allowed(const struct sciara_setting *s, char *buffer, size_t capacity);

SCIARA_END_DECLS
#endif
