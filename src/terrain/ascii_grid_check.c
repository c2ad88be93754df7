// SPDX-License-Identifier: Apache-2.0
// GDAL reads a word that is no number in an ASCII grid as 0, an altitude like any other, and stops at the last cell
// that the header promises, however many values are left. So the words are looked at here.
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "file/input_file.h"
#include "terrain/dem_source.h"

/** Made of the characters of numbers, or one of the ways to write "not a number" and "infinite". */
static bool looks_like_number(const char *word) {
  static const char *const others[] = {"nan", "inf", "infinity", "1.#qnan", "1.#ind", "1.#inf"};
  if (strspn(word, "0123456789+-.,eE") == strlen(word))
    return isdigit((unsigned char)word[strcspn(word, "0123456789")]);
  word += *word == '-' || *word == '+';
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcasecmp(word, others[i]) == 0) return true;
  return false;
}

/** Reads the next word; `line` counts the line ends passed. False at the end of the file. */
static bool next_word(FILE *f, char *word, size_t capacity, int64_t *line) {
  int c = getc_unlocked(f);
  for (; c != EOF && isspace(c); c = getc_unlocked(f)) *line += c == '\n';
  size_t length = 0;
  for (; c != EOF && !isspace(c); c = getc_unlocked(f))
    if (length < capacity - 1) word[length++] = (char)c;
  word[length] = '\0';
  if (c != EOF) ungetc(c, f);
  return length > 0;
}

static bool is_header_key(const char *word) {
  static const char *const keys[] = {"ncols",     "nrows",    "xllcorner", "yllcorner",    "xllcenter",
                                     "yllcenter", "cellsize", "dx",        "dy",           "xdim",
                                     "ydim",      "nbits",    "byteorder", "nodata_value", "nodata"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcasecmp(word, keys[i]) == 0) return true;
  return false;
}

enum sciara_status sciara_ascii_grid_check(const char *path, int64_t rows, int64_t cols) {
  enum { WORD = 64 };
  char word[WORD];
  int64_t line = 1, values = 0;
  const int64_t promised = rows * cols; // GDAL's sizes are int
  FILE *f;
  SCIARA_TRY(sciara_input_stream(path, &f));
  enum sciara_status status = SCIARA_OK;
  bool header = true;
  while (status == SCIARA_OK && next_word(f, word, sizeof word, &line)) {
    if (header && is_header_key(word) && next_word(f, word, sizeof word, &line)) continue;
    header = false;
    if (!looks_like_number(word))
      status = sciara_fail(SCIARA_ERR_INPUT, "%s:%" PRId64 ": expected a number, found \"%s\"", path, line, word);
    else if (++values > promised)
      status = sciara_fail(SCIARA_ERR_INPUT,
                           "%s:%" PRId64 ": expected %" PRId64 " rows x %" PRId64
                           " columns of values, as the header says; found more",
                           path, line, rows, cols);
  }
  fclose(f);
  if (status == SCIARA_OK && values < promised)
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: incomplete, possibly truncated: expected %" PRId64 " rows x %" PRId64
                         " columns of values, as the header says; found %" PRId64 " values",
                         path, rows, cols, values);
  return status;
}
