// SPDX-License-Identifier: Apache-2.0
// GDAL reads a word that is no number in an ASCII grid as 0, an altitude like any other, and stops at the last cell
// that the header promises, however many values are left. So the words are looked at here.
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "file/input_file.h"
#include "terrain/dem_source.h"

/** Passes digits; false if there are none. */
static bool pass_digits(const char **at) {
  const size_t count = strspn(*at, "0123456789");
  *at += count;
  return count > 0;
}

/** Digits with at most one decimal mark, a point or a comma, and an exponent; or "not a number" and "infinite". */
static bool is_number(const char *word) {
  static const char *const others[] = {"nan", "inf", "infinity", "1.#qnan", "1.#ind", "1.#inf"};
  const char *at = word + (*word == '-' || *word == '+');
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcasecmp(at, others[i]) == 0) return true;
  bool digits = pass_digits(&at);
  if (*at == '.' || *at == ',') {
    at++;
    digits |= pass_digits(&at);
  }
  if (digits && (*at == 'e' || *at == 'E')) {
    at += 1 + (at[1] == '-' || at[1] == '+');
    digits = pass_digits(&at);
  }
  return digits && !*at;
}

/** Whether the comma of a number may stand between thousands: 1 to 3 digits before it, not 0 alone, and 3 after it. */
static bool may_be_thousands(const char *word) {
  word += *word == '-' || *word == '+';
  const size_t before = strspn(word, "0123456789");
  return before >= 1 && before <= 3 && *word != '0' && word[before] == ',' &&
         strspn(word + before + 1, "0123456789") == 3 && !word[before + 4];
}

/** The words of a file while they are read. */
struct words {
  FILE *f;
  const char *path;
  int64_t line;
  char mark;      ///< of decimals: '.' or ','; 0 until one was seen
  char word[500]; ///< longer ones end in "...", which is no number
};

/** Reads the next word. False at the end of the file. */
static bool next_word(struct words *w) {
  const size_t most = sizeof w->word - 1;
  int c = getc_unlocked(w->f);
  for (; c != EOF && isspace(c); c = getc_unlocked(w->f)) w->line += c == '\n';
  size_t length = 0;
  for (; c != EOF && !isspace(c); c = getc_unlocked(w->f))
    if (length++ < most) w->word[length - 1] = (char)c;
  w->word[length < most ? length : most] = '\0';
  if (length > most) memcpy(w->word + 20, "...", 4);
  if (c != EOF) ungetc(c, w->f);
  return length > 0;
}

static enum sciara_status refuse(const struct words *w, const char *expected) {
  return sciara_fail(SCIARA_ERR_INPUT, "%s:%" PRId64 ": expected %s, found \"%s\"", w->path, w->line, expected,
                     w->word);
}

static enum sciara_status check_number(struct words *w) {
  if (!is_number(w->word)) return refuse(w, "a number");
  const char *mark = strpbrk(w->word, ".,");
  if (!mark || strchr(w->word, '#')) return SCIARA_OK;
  if (w->mark && w->mark != *mark)
    return refuse(w, *mark == ',' ? "a decimal point, as before" : "a decimal comma, as before");
  if (may_be_thousands(w->word))
    return refuse(w, "a decimal point (sed 's/,/./g') or no mark between thousands (sed 's/,//g')");
  w->mark = *mark;
  return SCIARA_OK;
}

static bool is_header_key(const char *word) {
  static const char *const keys[] = {"ncols",     "nrows",    "xllcorner", "yllcorner",    "xllcenter",
                                     "yllcenter", "cellsize", "dx",        "dy",           "xdim",
                                     "ydim",      "nbits",    "byteorder", "nodata_value", "nodata"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcasecmp(word, keys[i]) == 0) return true;
  return false;
}

/** The value of a key of the header, whose decimal mark may be another than that of the altitudes. */
static enum sciara_status check_header_value(struct words *w) {
  const bool is_text = strcasecmp(w->word, "byteorder") == 0;
  if (!next_word(w) || is_text) return SCIARA_OK;
  const enum sciara_status status = check_number(w);
  w->mark = 0;
  return status;
}

static enum sciara_status check_values(struct words *w, int64_t rows, int64_t cols) {
  const int64_t promised = rows * cols; // GDAL's sizes are int
  int64_t values = 0;
  bool header = true;
  while (next_word(w)) {
    header = header && is_header_key(w->word);
    SCIARA_TRY(header ? check_header_value(w) : check_number(w));
    values += !header;
    if (values > promised)
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s:%" PRId64 ": expected %" PRId64 " rows x %" PRId64
                         " columns of values, as the header says; found more",
                         w->path, w->line, rows, cols);
  }
  if (values == promised) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: incomplete, possibly truncated: expected %" PRId64 " rows x %" PRId64
                     " columns of values, as the header says; found %" PRId64 " values",
                     w->path, rows, cols, values);
}

enum sciara_status sciara_ascii_grid_check(const char *path, int64_t rows, int64_t cols) {
  struct words words = {.path = path, .line = 1};
  SCIARA_TRY(sciara_input_stream(path, &words.f));
  const enum sciara_status status = check_values(&words, rows, cols);
  fclose(words.f);
  return status;
}
