// SPDX-License-Identifier: Apache-2.0
#include "file/crs_text.h"

#include <ctype.h>
#include <string.h>

/** The text before the name of a file in a CRS, and the end of the name. */
static const struct {
  const char *word;
  char end;        ///< ' ': at a space or quote; ']': at the end of the node of WKT; '*': the word alone is enough
  bool whole_word; ///< must not be part of a longer word: "t_init=" is something else
} naming[] = {{"init=", ' ', true},    {"grids=", ' ', false},      {"file=", ' ', true},
              {"catalog=", ' ', true}, {"PROJ4_GRIDS", ']', false}, {"PARAMETERFILE", ']', false},
              {"defmodel", '*', false}}; // not a CRS, but PROJ opens its model when it checks the text

static bool begins_with(const char *text, const char *word) {
  for (; *word; text++, word++)
    if (tolower((unsigned char)*text) != tolower((unsigned char)*word)) return false;
  return true;
}

static bool is_end(char c, char end) {
  return c == '\0' || c == end || (end == ' ' && (isspace((unsigned char)c) || c == '"'));
}

/** Whether names up to `end` lead out of the folders of PROJ. The "@" of optional grids is not part of a name. */
static bool names_path(const char *text, char end) {
  if (end == '*') return true;
  for (; !is_end(*text, end); text++)
    if (*text == '/' || *text == '\\' || *text == '~') return true;
  return false;
}

enum sciara_status sciara_crs_text_check(const char *where, const char *text) {
  for (const char *at = text; *at; at++)
    for (size_t k = 0; k < sizeof naming / sizeof *naming; k++) {
      const char before = at > text ? at[-1] : ' ';
      if (!begins_with(at, naming[k].word)) continue;
      if (naming[k].whole_word && (isalnum((unsigned char)before) || before == '_')) continue;
      const char *value = at + strlen(naming[k].word);
      if (names_path(value, naming[k].end))
        return sciara_fail(SCIARA_ERR_INPUT,
                           "%s: its CRS names a file by a path (%.80s); only names of PROJ's own files "
                           "are allowed",
                           where, at);
    }
  return SCIARA_OK;
}
