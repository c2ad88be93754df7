// SPDX-License-Identifier: Apache-2.0
#include "legacy/legacy_read.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"

enum { WORD = 64 };
static const double farthest = 1e9; // m: coordinates of grids

/** A file cut into words; lines are counted from 1. */
struct scanner {
  const char *path;
  char *text;
  size_t length, next;
  int64_t line;
  char word[WORD]; ///< the current word; "" at the end of the file
};

static enum sciara_status scanner_open(struct scanner *s, const char *path, size_t limit) {
  *s = (struct scanner){.path = path, .line = 1};
  return sciara_file_read(path, limit, &s->text, &s->length);
}

/** Moves to the next word. A word too long for any number is cut, which no later check accepts. */
static void advance(struct scanner *s) {
  for (; s->next < s->length && isspace((unsigned char)s->text[s->next]); s->next++)
    s->line += s->text[s->next] == '\n';
  size_t length = 0;
  for (; s->next < s->length && !isspace((unsigned char)s->text[s->next]); s->next++)
    if (length < WORD - 1) s->word[length++] = s->text[s->next];
  if (length == WORD - 1) s->word[0] = '#';
  s->word[length] = '\0';
}

static const char *shown(const struct scanner *s) { return s->word[0] ? s->word : "the end of the file"; }

static enum sciara_status fail_word(const struct scanner *s, const char *allowed) {
  return sciara_fail(SCIARA_ERR_INPUT, "%s:%" PRId64 ": expected %s, found %s", s->path, s->line, allowed, shown(s));
}

static enum sciara_status number(struct scanner *s, const char *what, double low, double high, double *out) {
  advance(s);
  if (sciara_parse_double(s->word, out) && *out >= low && *out <= high) return SCIARA_OK;
  char allowed[160];
  snprintf(allowed, sizeof allowed, "%s from %g to %g", what, low, high);
  return fail_word(s, allowed);
}

static enum sciara_status whole(struct scanner *s, const char *what, double low, double high, int64_t *out) {
  double value;
  SCIARA_TRY(number(s, what, low, high, &value));
  if (value != floor(value)) return fail_word(s, what);
  *out = (int64_t)value;
  return SCIARA_OK;
}

/** What a header may give; the two corners may be those of the cell's centre. */
struct header {
  bool cols, rows, west, south, cell, west_centre, south_centre;
};

static enum sciara_status read_key(struct scanner *s, struct sciara_legacy_grid *g, struct header *have) {
  char key[WORD];
  memcpy(key, s->word, sizeof key);
  if (strcasecmp(key, "ncols") == 0) {
    have->cols = true;
    return whole(s, "a whole number of columns", 3, INT_MAX, &g->cols);
  }
  if (strcasecmp(key, "nrows") == 0) {
    have->rows = true;
    return whole(s, "a whole number of rows", 3, INT_MAX, &g->rows);
  }
  if (strcasecmp(key, "xllcorner") == 0 || strcasecmp(key, "xllcenter") == 0) {
    have->west = true;
    have->west_centre = strcasecmp(key, "xllcenter") == 0;
    return number(s, "a coordinate", -farthest, farthest, &g->west);
  }
  if (strcasecmp(key, "yllcorner") == 0 || strcasecmp(key, "yllcenter") == 0) {
    have->south = true;
    have->south_centre = strcasecmp(key, "yllcenter") == 0;
    return number(s, "a coordinate", -farthest, farthest, &g->south);
  }
  if (strcasecmp(key, "cellsize") == 0) {
    have->cell = true;
    return number(s, "a cell size in m", 1e-6, 1e6, &g->cell_size);
  }
  if (strcasecmp(key, "nodata_value") == 0) {
    g->has_nodata = true;
    return number(s, "a number", -1e300, 1e300, &g->nodata);
  }
  return fail_word(s, "ncols, nrows, xllcorner, yllcorner, cellsize, NODATA_value, then numbers");
}

/** A scenario names no point farther out. */
static enum sciara_status check_reach(const struct scanner *s, const struct sciara_legacy_grid *g) {
  double east = g->west + (double)g->cols * g->cell_size, north = g->south + (double)g->rows * g->cell_size;
  if (g->west >= -farthest && g->south >= -farthest && east <= farthest && north <= farthest) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s:%" PRId64
                     ": expected coordinates from %g to %g; found a grid from %.10g, %.10g to %.10g, %.10g",
                     s->path, s->line, -farthest, farthest, g->west, g->south, east, north);
}

/** Whether a word starts with a letter, as the keys of a header do. */
static bool at_key(struct scanner s) {
  advance(&s);
  return isalpha((unsigned char)s.word[0]) && strcasecmp(s.word, "nan") != 0 && strcasecmp(s.word, "inf") != 0;
}

static enum sciara_status compare_header(const struct scanner *s, const struct sciara_legacy_grid *known,
                                         const struct sciara_legacy_grid *g) {
  const double slack = 1e-6 * g->cell_size / (double)(g->rows + g->cols);
  if (g->rows == known->rows && g->cols == known->cols && fabs(g->cell_size - known->cell_size) <= slack)
    return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: its header says %" PRId64 " rows x %" PRId64 " columns of %.10g m, PARAMETERS.cfg %" PRId64
                     " x %" PRId64 " of %.10g",
                     s->path, g->rows, g->cols, g->cell_size, known->rows, known->cols, known->cell_size);
}

/** Leaves the scanner before the first value. */
static enum sciara_status read_header(struct scanner *s, const struct sciara_legacy_grid *known,
                                      struct sciara_legacy_grid *g) {
  struct header have = {0};
  if (known && !at_key(*s)) {
    *g = *known;
    return isnan(g->west) ? SCIARA_OK : check_reach(s, g);
  }
  g->has_header = true;
  for (;;) {
    struct scanner before = *s;
    advance(s);
    if (!isalpha((unsigned char)s->word[0])) {
      *s = before;
      break;
    }
    SCIARA_TRY(read_key(s, g, &have));
  }
  if (!have.cols || !have.rows || !have.west || !have.south || !have.cell)
    return sciara_fail(SCIARA_ERR_INPUT, "%s:%" PRId64 ": the header of the grid lacks %s", s->path, s->line,
                       !have.cols   ? "ncols"
                       : !have.rows ? "nrows"
                       : !have.west ? "xllcorner"
                       : have.south ? "cellsize"
                                    : "yllcorner");
  if (have.west_centre) g->west -= 0.5 * g->cell_size;
  if (have.south_centre) g->south -= 0.5 * g->cell_size;
  SCIARA_TRY(check_reach(s, g));
  return known ? compare_header(s, known, g) : SCIARA_OK;
}

static enum sciara_status read_values(struct scanner *s, struct sciara_legacy_grid *g) {
  size_t cells;
  SCIARA_TRY(sciara_size_mul((size_t)g->rows, (size_t)g->cols, &cells));
  if (cells > s->length / 2 + 1) // a value takes a digit and a blank: no memory for what cannot be there
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: %s promises %" PRId64 " x %" PRId64 " values, the file has only %zu bytes", s->path,
                       g->has_header ? "the header" : "PARAMETERS.cfg", g->rows, g->cols, s->length);
  SCIARA_TRY(SCIARA_NEW(g->values, cells, s->path));
  for (size_t i = 0; i < cells; i++) {
    advance(s);
    if (sciara_parse_double(s->word, &g->values[i])) continue;
    return sciara_fail(SCIARA_ERR_INPUT, "%s:%" PRId64 ": row %zu, column %zu: expected a finite number, found %s",
                       s->path, s->line, i / (size_t)g->cols, i % (size_t)g->cols, shown(s));
  }
  advance(s);
  return s->word[0] ? fail_word(s, "the end of the file: all rows and columns are there") : SCIARA_OK;
}

enum sciara_status sciara_legacy_grid_read(const char *path, const struct sciara_legacy_grid *known,
                                           struct sciara_legacy_grid *out) {
  *out = (struct sciara_legacy_grid){0};
  struct scanner s;
  enum sciara_status status = scanner_open(&s, path, (size_t)1 << 30);
  if (status == SCIARA_OK) status = read_header(&s, known, out);
  if (status == SCIARA_OK) status = read_values(&s, out);
  if (status != SCIARA_OK) sciara_legacy_grid_free(out);
  free(s.text);
  return status;
}

void sciara_legacy_grid_free(struct sciara_legacy_grid *g) {
  sciara_free(g->values);
  g->values = NULL;
}

/** Inserts the vent by its id, at *index; leaves the scanner on [EMISSION_RATE]. */
static enum sciara_status insert_vent(struct scanner *s, struct sciara_legacy_rates *r, size_t *index) {
  struct sciara_legacy_vent vent = {.row = -1, .col = -1};
  SCIARA_TRY(whole(s, "a vent id, a whole number", 1, 1e9, &vent.id));
  vent.line = s->line;
  size_t at = r->count;
  while (at > 0 && r->vents[at - 1].id >= vent.id) at--;
  if (at < r->count && r->vents[at].id == vent.id)
    return sciara_fail(SCIARA_ERR_INPUT, "%s:%" PRId64 ": vent %" PRId64 " has its rates at line %" PRId64 " already",
                       s->path, s->line, vent.id, r->vents[at].line);
  struct sciara_legacy_vent *more = (struct sciara_legacy_vent *)realloc(r->vents, (r->count + 1) * sizeof *more);
  if (!more) return sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for %zu vents", s->path, r->count + 1);
  r->vents = more;
  memmove(more + at + 1, more + at, (r->count - at) * sizeof *more);
  more[at] = vent;
  r->count++;
  *index = at;
  advance(s);
  return strcasecmp(s->word, "[EMISSION_RATE]") == 0 ? SCIARA_OK : fail_word(s, "[EMISSION_RATE] after the vent's id");
}

/** The numbers after [EMISSION_RATE]; leaves the scanner on the word after them. */
static enum sciara_status read_rates(struct scanner *s, struct sciara_legacy_vent *vent) {
  size_t capacity = 0;
  for (;;) {
    advance(s);
    if (s->word[0] == '[' || s->word[0] == '\0') break;
    double rate;
    if (!sciara_parse_double(s->word, &rate) || rate < 0 || rate > 1e6)
      return fail_word(s, "an effusion rate from 0 to 1e6 m3/s");
    if (vent->count == capacity) {
      capacity = capacity ? 2 * capacity : 64;
      double *more = (double *)realloc(vent->rates, capacity * sizeof *more);
      if (!more) return sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for %zu rates", s->path, capacity);
      vent->rates = more;
    }
    vent->rates[vent->count++] = rate;
  }
  if (vent->count > 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s:%" PRId64 ": vent %" PRId64 " has no rates", s->path, s->line, vent->id);
}

static enum sciara_status read_sections(struct scanner *s, struct sciara_legacy_rates *r) {
  advance(s);
  while (strcasecmp(s->word, "[END]") != 0) {
    if (strcasecmp(s->word, "[TIME]") == 0) {
      if (r->slot > 0) return fail_word(s, "one [TIME] in the file");
      SCIARA_TRY(number(s, "the length of a slot in s", 1e-3, 1e9, &r->slot));
      advance(s);
    } else if (strcasecmp(s->word, "[VENT_ID]") == 0) {
      size_t index = 0;
      SCIARA_TRY(insert_vent(s, r, &index));
      SCIARA_TRY(read_rates(s, &r->vents[index]));
    } else {
      return fail_word(s, "[TIME], [VENT_ID] or [END]"); // the end of the file without [END] too: rates may be missing
    }
  }
  if (!(r->slot > 0)) return sciara_fail(SCIARA_ERR_INPUT, "%s: has no [TIME], the length of a slot in s", s->path);
  if (r->count == 0) return sciara_fail(SCIARA_ERR_INPUT, "%s: has no [VENT_ID]", s->path);
  return SCIARA_OK;
}

enum sciara_status sciara_legacy_rates_read(const char *path, struct sciara_legacy_rates *out) {
  *out = (struct sciara_legacy_rates){0};
  struct scanner s;
  enum sciara_status status = scanner_open(&s, path, (size_t)64 << 20);
  if (status == SCIARA_OK) status = read_sections(&s, out);
  if (status != SCIARA_OK) sciara_legacy_rates_free(out);
  free(s.text);
  return status;
}

void sciara_legacy_rates_free(struct sciara_legacy_rates *r) {
  for (size_t i = 0; i < r->count; i++) free(r->vents[i].rates);
  free(r->vents);
  *r = (struct sciara_legacy_rates){0};
}

enum sciara_status sciara_legacy_parameters_list(const char *path, struct sciara_text *out) {
  char *text;
  size_t length;
  SCIARA_TRY(sciara_file_read(path, (size_t)1 << 20, &text, &length));
  enum sciara_status status = SCIARA_OK;
  int64_t line = 0, found = 0;
  char *rest = text;
  for (char *row = strsep(&rest, "\n"); row && status == SCIARA_OK; row = strsep(&rest, "\n")) {
    line++;
    char *key = row + strspn(row, " \t\r");
    size_t size = strcspn(key, " \t\r"), end = strlen(key);
    if (size == 0) continue;
    char *value = key + size + strspn(key + size, " \t\r");
    while (end > 0 && isspace((unsigned char)key[end - 1])) key[--end] = '\0';
    found++;
    status = *value ? sciara_text_append(out, "    %.*s %s\n", (int)size, key, value)
                    : sciara_fail(SCIARA_ERR_INPUT, "%s:%" PRId64 ": expected a key and a value, found \"%s\"", path,
                                  line, key);
  }
  if (status == SCIARA_OK && found == 0) status = sciara_fail(SCIARA_ERR_INPUT, "%s: holds no line KEY VALUE", path);
  free(text);
  return status;
}

// ---------------------------------------------------------------------------------------------------- the older layout

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
