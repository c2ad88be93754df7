// SPDX-License-Identifier: Apache-2.0
#include "legacy/legacy_read.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "file/durable.h"

bool sciara_legacy_is_older(const char *cfg_path) {
  return strcmp(sciara_path_name(cfg_path), SCIARA_LEGACY_OLDER_CFG) == 0;
}

/** The three keys that the size of a grid needs. */
static const struct {
  const char *key, *is;
  double low, high;
  bool whole;
} sizes[] = {{"ncols", "number of columns", 3, INT_MAX, true},
             {"nrows", "number of rows", 3, INT_MAX, true},
             {"Pc", "side of a cell in m", 1e-6, 1e6, false}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/** The value of a key in lines "KEY VALUE", with blanks around them; NULL when it is absent. `from` moves behind it. */
static const char *find_value(const char **from, const char *key) {
  const size_t length = strlen(key);
  for (const char *line = *from; *line;) {
    const char *end = line + strcspn(line, "\n"), *word = line + strspn(line, " \t\r");
    line = *end ? end + 1 : end;
    if (strncmp(word, key, length) != 0 || !strchr(" \t", word[length])) continue;
    *from = line;
    return word + length + strspn(word + length, " \t");
  }
  return NULL;
}

static enum sciara_status read_size(const char *cfg_path, size_t k, const char *value, double *out) {
  char word[64];
  snprintf(word, sizeof word, "%.*s", (int)strcspn(value, " \t\r\n"), value);
  if (sciara_parse_double(word, out) && *out >= sizes[k].low && *out <= sizes[k].high &&
      (!sizes[k].whole || *out == floor(*out)))
    return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: %s: expected the %s, %s%g to %g, found %s", cfg_path, sizes[k].key,
                     sizes[k].is, sizes[k].whole ? "a whole number, " : "", sizes[k].low, sizes[k].high, word);
}

static enum sciara_status read_sizes(const char *cfg_path, const char *parameters, double value[SIZES],
                                     struct sciara_text *missing) {
  for (size_t k = 0; k < SIZES; k++) {
    const char *rest = parameters, *text = find_value(&rest, sizes[k].key);
    if (!text)
      SCIARA_TRY(sciara_text_append(missing, "%s%s (%s)", missing->length ? ", " : "", sizes[k].key, sizes[k].is));
    else if (find_value(&rest, sizes[k].key))
      return sciara_fail(SCIARA_ERR_INPUT, "%s: %s: expected one line, found two", cfg_path, sizes[k].key);
    else
      SCIARA_TRY(read_size(cfg_path, k, text, &value[k]));
  }
  if (!missing->length) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: lacks %s; its grids have no header: add a line \"KEY VALUE\" for each",
                     cfg_path, missing->data);
}

enum sciara_status sciara_legacy_older_size(const char *cfg_path, const char *parameters, const double *corner,
                                            struct sciara_legacy_grid *out) {
  double value[SIZES] = {0};
  struct sciara_text missing = {0};
  const enum sciara_status status = read_sizes(cfg_path, parameters, value, &missing);
  sciara_text_free(&missing);
  if (status != SCIARA_OK) return status; // a size that was refused may fit no integer
  *out = (struct sciara_legacy_grid){.cols = (int64_t)value[0],
                                     .rows = (int64_t)value[1],
                                     .west = corner ? corner[0] : NAN,
                                     .south = corner ? corner[1] : NAN,
                                     .cell_size = value[2],
                                     .nodata = SCIARA_LEGACY_OLDER_NODATA,
                                     .has_nodata = true};
  return SCIARA_OK;
}

static bool is_observed(const char *name) {
  static const char suffix[] = "_RealEvent.stt";
  const size_t length = strlen(name), end = sizeof suffix - 1;
  return length > end && strcmp(name + length - end, suffix) == 0;
}

/** The first name in alphabetical order, so that messages do not depend on the order of the folder. */
static enum sciara_status find_names(const char *folder, char **first, char **second) {
  DIR *d = opendir(folder);
  if (!d) return sciara_fail(SCIARA_ERR_IO, "%s: cannot open: %s", folder, strerror(errno));
  enum sciara_status status = SCIARA_OK;
  for (const struct dirent *entry; status == SCIARA_OK && (entry = readdir(d));) {
    if (!is_observed(entry->d_name)) continue;
    char *name = sciara_format("%s", entry->d_name);
    if (!name) status = sciara_no_memory("the import of legacy files");
    if (name && (!*first || strcmp(name, *first) < 0)) {
      free(*second);
      *second = *first;
      *first = name;
    } else if (name && (!*second || strcmp(name, *second) < 0)) {
      free(*second);
      *second = name;
    } else {
      free(name);
    }
  }
  closedir(d);
  return status;
}

enum sciara_status sciara_legacy_older_observed(const char *cfg_path, char **out) {
  char *folder = sciara_path_folder(cfg_path), *first = NULL, *second = NULL;
  *out = NULL;
  enum sciara_status status = folder ? find_names(folder, &first, &second) : sciara_no_memory("a path");
  if (status == SCIARA_OK && second)
    status =
        sciara_fail(SCIARA_ERR_INPUT, "%s: expected one file *_RealEvent.stt, found %s and %s", folder, first, second);
  if (status == SCIARA_OK && first) status = sciara_path_in(folder, first, out);
  free(second);
  free(first);
  free(folder);
  return status;
}
