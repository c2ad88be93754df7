// SPDX-License-Identifier: Apache-2.0
#include "legacy/legacy_sciara.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"
#include "file/gdal_support.h"
#include "map/raster_gdal.h"
#include "terrain/dem_gdal.h"

enum { WORD = 64 };
#define OLDER_NODATA (-9999.0)      ///< of the older programs; their files declare none
static const double farthest = 1e9; // m: coordinates of grids

/** Rates of one vent. */
struct legacy_vent {
  int64_t id;       ///< as in the files, >= 1
  int64_t line;     ///< where it stands in the file of rates
  int64_t row, col; ///< filled in by the importer; -1 until then
  double *rates;    ///< m3/s
  size_t count;
};

/** The file of rates: vents by ascending id. Release with rates_free. */
struct legacy_rates {
  double slot; ///< s
  struct legacy_vent *vents;
  size_t count;
};

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

/**
 * @param known what a grid without a header is, as PARAMETERS.cfg says; NULL: a header is needed. A header that says
 *              something else is refused.
 */
static void grid_free(struct sciara_legacy_grid *g) {
  sciara_free(g->values);
  g->values = NULL;
}

/**
 * @param known what a grid without a header is, as PARAMETERS.cfg says; NULL: a header is needed. A header that says
 *              something else is refused.
 */
static enum sciara_status grid_read(const char *path, const struct sciara_legacy_grid *known,
                                    struct sciara_legacy_grid *out) {
  *out = (struct sciara_legacy_grid){0};
  struct scanner s;
  enum sciara_status status = scanner_open(&s, path, (size_t)1 << 30);
  if (status == SCIARA_OK) status = read_header(&s, known, out);
  if (status == SCIARA_OK) status = read_values(&s, out);
  if (status != SCIARA_OK) grid_free(out);
  free(s.text);
  return status;
}

/** Inserts the vent by its id, at *index; leaves the scanner on [EMISSION_RATE]. */
static enum sciara_status insert_vent(struct scanner *s, struct legacy_rates *r, size_t *index) {
  struct legacy_vent vent = {.row = -1, .col = -1};
  SCIARA_TRY(whole(s, "a vent id, a whole number", 1, 1e9, &vent.id));
  vent.line = s->line;
  size_t at = r->count;
  while (at > 0 && r->vents[at - 1].id >= vent.id) at--;
  if (at < r->count && r->vents[at].id == vent.id)
    return sciara_fail(SCIARA_ERR_INPUT, "%s:%" PRId64 ": vent %" PRId64 " has its rates at line %" PRId64 " already",
                       s->path, s->line, vent.id, r->vents[at].line);
  struct legacy_vent *more = (struct legacy_vent *)realloc(r->vents, (r->count + 1) * sizeof *more);
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
static enum sciara_status read_rates(struct scanner *s, struct legacy_vent *vent) {
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

static enum sciara_status read_sections(struct scanner *s, struct legacy_rates *r) {
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

static void rates_free(struct legacy_rates *r) {
  for (size_t i = 0; i < r->count; i++) free(r->vents[i].rates);
  free(r->vents);
  *r = (struct legacy_rates){0};
}

static enum sciara_status rates_read(const char *path, struct legacy_rates *out) {
  *out = (struct legacy_rates){0};
  struct scanner s;
  enum sciara_status status = scanner_open(&s, path, (size_t)64 << 20);
  if (status == SCIARA_OK) status = read_sections(&s, out);
  if (status != SCIARA_OK) rates_free(out);
  free(s.text);
  return status;
}

/** Appends "    KEY VALUE" for each line of NAME.cfg. */
static enum sciara_status parameters_list(const char *path, struct sciara_text *out) {
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
                                     .nodata = OLDER_NODATA,
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

/**
 * The file of the observed extent next to PARAMETERS.cfg: the only one in the folder whose name ends in _RealEvent.stt.
 * *out is its path, released with free, or NULL if there is none.
 *
 * @return SCIARA_ERR_INPUT naming two of them if there are several
 */
static enum sciara_status older_observed(const char *cfg_path, char **out) {
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

/** How the files of a set are called, after what all their paths begin with. */
struct layout {
  const char *cfg, *ground, *vents, *rates, *observed; ///< observed NULL: such a set has none
};

static const struct layout newer = {.cfg = ".cfg",
                                    .ground = "_Morphology.stt",
                                    .vents = "_Vents.stt",
                                    .rates = "_EmissionRate.txt",
                                    .observed = "_RealEvent.stt"};
static const struct layout older = {
    .cfg = SCIARA_LEGACY_OLDER_CFG, .ground = "MORPHOLOGY.stt", .vents = "VENTS.stt", .rates = "EMISSIONS_RATE.stt"};

/** The files of a set as read. */
struct legacy {
  const struct layout *layout;
  char *older_observed;                              ///< older layout: path of the observed extent; NULL: there is none
  char *base;                                        ///< what the paths begin with: .../NAME, or the folder with its /
  char *name;                                        ///< NAME, or the name of the folder
  struct sciara_text title;                          ///< `name` as it can be shown: a name of a file may be anything
  const double *corner;                              ///< that the user gave; NULL: none
  struct sciara_legacy_grid known;                   ///< what PARAMETERS.cfg says of the grids; older layout only
  struct sciara_legacy_grid ground, vents, observed; ///< observed.values NULL: there is none
  struct legacy_rates rates;
  struct sciara_georef georef;
};

static void legacy_free(struct legacy *l) {
  grid_free(&l->ground);
  grid_free(&l->vents);
  grid_free(&l->observed);
  rates_free(&l->rates);
  sciara_georef_free(&l->georef);
  free(l->older_observed);
  free(l->base);
  free(l->name);
  sciara_text_free(&l->title);
}

/** The set takes the name of its folder. */
static enum sciara_status split_older(const char *cfg_path, struct legacy *l) {
  char *folder = sciara_path_folder(cfg_path), *real = folder ? realpath(folder, NULL) : NULL;
  const char *name = real ? sciara_path_name(real) : "";
  l->layout = &older;
  l->base = sciara_format("%.*s", (int)(strlen(cfg_path) - strlen(SCIARA_LEGACY_OLDER_CFG)), cfg_path);
  l->name = sciara_format("%s", *name ? name : "older SCIARA files");
  free(real);
  free(folder);
  return l->base && l->name ? SCIARA_OK : sciara_no_memory("the import of legacy files");
}

static enum sciara_status split_name(const char *cfg_path, struct legacy *l) {
  if (sciara_legacy_is_older(cfg_path)) return split_older(cfg_path, l);
  l->layout = &newer;
  size_t length = strlen(cfg_path);
  const char *name = sciara_path_name(cfg_path);
  if (strlen(name) < 5 || strcmp(cfg_path + length - 4, ".cfg") != 0)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: expected NAME.cfg, in the same folder as NAME_Morphology.stt and the other files "
                       "(or PARAMETERS.cfg, in the same folder as MORPHOLOGY.stt and the other files)",
                       cfg_path);
  l->base = sciara_format("%.*s", (int)(length - 4), cfg_path);
  l->name = sciara_format("%.*s", (int)(strlen(name) - 4), name);
  return l->base && l->name ? SCIARA_OK : sciara_no_memory("the import of legacy files");
}

/** The absent file of the set; names a file that differs from it in its extension only. */
static enum sciara_status fail_absent(const char *path, const char *holds) {
  static const char *const extensions[] = {"asc", "ASC", "STT", "txt", "dat", "grd", "csv"};
  const int cause = errno;
  const char *dot = strrchr(path, '.');
  for (size_t k = 0; dot && k < sizeof extensions / sizeof *extensions; k++) {
    char *other = sciara_format("%.*s.%s", (int)(dot - path), path, extensions[k]);
    if (!other) return sciara_no_memory("the import of legacy files");
    enum sciara_status status = SCIARA_OK;
    if (access(other, F_OK) == 0)
      status = sciara_fail(SCIARA_ERR_IO, "%s: %s; it holds %s. There is %s: rename it if it is this file", path,
                           strerror(cause), holds, other);
    free(other);
    if (status != SCIARA_OK) return status;
  }
  return sciara_fail(SCIARA_ERR_IO, "%s: %s; it holds %s", path, strerror(cause), holds);
}

/** Path of a file of the set; *out is NULL when it is absent and may be. Release with free. */
static enum sciara_status find_file(const struct legacy *l, const char *suffix, const char *holds, bool needed,
                                    char **out) {
  *out = sciara_format("%s%s", l->base, suffix);
  if (!*out) return sciara_no_memory("the import of legacy files");
  if (access(*out, F_OK) == 0) return SCIARA_OK;
  enum sciara_status status = SCIARA_OK;
  if (needed) status = fail_absent(*out, holds);
  free(*out);
  *out = NULL;
  return status;
}

/** Every other grid has the cells of the DEM. */
static enum sciara_status compare_place(const struct legacy *l, const char *path, const struct sciara_legacy_grid *x) {
  const struct sciara_legacy_grid *g = &l->ground;
  const double slack = 1e-6 * g->cell_size;
  if (x->rows == g->rows && x->cols == g->cols && !(fabs(x->west - g->west) > slack) &&
      !(fabs(x->south - g->south) > slack) &&
      !(fabs(x->cell_size - g->cell_size) * (double)(g->rows + g->cols) > slack))
    return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: %" PRId64 " x %" PRId64 " cells of %.10g from %.12g, %.12g; the DEM has %" PRId64
                     " x %" PRId64 " of %.10g from %.12g, %.12g",
                     path, x->rows, x->cols, x->cell_size, x->west, x->south, g->rows, g->cols, g->cell_size, g->west,
                     g->south);
}

static enum sciara_status read_grid(const struct legacy *l, const char *suffix, const char *holds, bool needed,
                                    struct sciara_legacy_grid *out) {
  char *path;
  SCIARA_TRY(find_file(l, suffix, holds, needed, &path));
  if (!path) return SCIARA_OK;
  enum sciara_status status = grid_read(path, l->layout == &older ? &l->known : NULL, out);
  if (status == SCIARA_OK && out != &l->ground) status = compare_place(l, path, out);
  free(path);
  return status;
}

static bool is_nodata(const struct sciara_legacy_grid *g, int64_t i) {
  return g->has_nodata && g->values[i] == g->nodata;
}

static struct legacy_vent *vent_of_id(struct legacy *l, double id) {
  for (size_t k = 0; k < l->rates.count; k++)
    if ((double)l->rates.vents[k].id == id) return &l->rates.vents[k];
  return NULL;
}

/** Gives the vents their cells: one cell for each id, rates for each cell. */
static enum sciara_status place_vents(struct legacy *l) {
  for (int64_t i = 0; i < l->vents.rows * l->vents.cols; i++) {
    double id = l->vents.values[i];
    int64_t row = i / l->vents.cols, col = i % l->vents.cols;
    if (id == 0 || is_nodata(&l->vents, i)) continue;
    struct legacy_vent *vent = vent_of_id(l, id);
    if (!vent)
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s%s: vent %.10g at row %" PRId64 ", column %" PRId64 " has no rates in %s%s", l->base,
                         l->layout->vents, id, row, col, l->base, l->layout->rates);
    if (vent->row >= 0)
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s%s: vent %" PRId64 " stands at row %" PRId64 ", column %" PRId64 " and at row %" PRId64
                         ", column %" PRId64 "; one cell for each id is allowed",
                         l->base, l->layout->vents, vent->id, vent->row, vent->col, row, col);
    if (is_nodata(&l->ground, i))
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s%s: vent %" PRId64 " at row %" PRId64 ", column %" PRId64 " lies where the DEM is NODATA",
                         l->base, l->layout->vents, vent->id, row, col);
    vent->row = row;
    vent->col = col;
  }
  for (size_t k = 0; k < l->rates.count; k++)
    if (l->rates.vents[k].row < 0)
      return sciara_fail(SCIARA_ERR_INPUT, "%s%s:%" PRId64 ": vent %" PRId64 " has no cell in %s%s", l->base,
                         l->layout->rates, l->rates.vents[k].line, l->rates.vents[k].id, l->base, l->layout->vents);
  return SCIARA_OK;
}

static enum sciara_status read_parameters(const char *cfg_path, struct legacy *l, struct sciara_text *parameters) {
  char *path;
  SCIARA_TRY(find_file(l, l->layout->cfg, "the parameters", true, &path));
  enum sciara_status status = parameters_list(path, parameters);
  free(path);
  if (status == SCIARA_OK && l->layout == &older)
    status = sciara_legacy_older_size(cfg_path, parameters->data, l->corner, &l->known);
  return status;
}

/** The observed extent of the older layout, which may name the corner of the other grids; read before them. */
static enum sciara_status read_older_observed(const char *cfg_path, struct legacy *l) {
  struct sciara_legacy_grid *g = &l->observed;
  SCIARA_TRY(older_observed(cfg_path, &l->older_observed));
  if (!l->older_observed) return SCIARA_OK;
  SCIARA_TRY(grid_read(l->older_observed, &l->known, g));
  if (!g->has_header) return SCIARA_OK;
  const double slack = 1e-6 * g->cell_size;
  if (l->corner && (fabs(l->corner[0] - g->west) > slack || fabs(l->corner[1] - g->south) > slack))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: its header names the corner %.12g, %.12g; --corner says %.12g, %.12g",
                       l->older_observed, g->west, g->south, l->corner[0], l->corner[1]);
  l->known.west = g->west;
  l->known.south = g->south;
  return SCIARA_OK;
}

/** The corner comes from the header or from the user, and from one of them only. */
static enum sciara_status check_corner(const struct legacy *l) {
  if (isnan(l->ground.west))
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "%s%s: has no header that names the lower left corner of the grid, and there is no *_RealEvent.stt with one; "
        "give it with --corner X,Y (m)",
        l->base, l->layout->ground);
  if (l->ground.has_header && l->corner)
    return sciara_fail(SCIARA_ERR_INPUT, "%s%s: its header names the corner %.12g, %.12g: --corner is not allowed",
                       l->base, l->layout->ground, l->ground.west, l->ground.south);
  return SCIARA_OK;
}

static struct sciara_grid grid_of(const struct legacy *l) {
  const struct sciara_legacy_grid *g = &l->ground;
  return (struct sciara_grid){.rows = g->rows,
                              .cols = g->cols,
                              .cell_size = g->cell_size,
                              .west = g->west,
                              .north = g->south + (double)g->rows * g->cell_size};
}

/** As for a DEM: the program would refuse what it has imported. */
static enum sciara_status check_scale(const char *crs, const struct legacy *l) {
  const struct sciara_grid g = grid_of(l);
  const double bounds[4] = {g.west, sciara_grid_south(&g), sciara_grid_east(&g), g.north};
  OGRSpatialReferenceH srs;
  double scale;
  SCIARA_TRY(sciara_srs_parse(crs, &srs));
  const enum sciara_status status = sciara_crs_scale(srs, bounds, &scale);
  OSRRelease(srs);
  if (status != SCIARA_OK) return sciara_fail_context(status, "--crs");
  if (sciara_crs_scale_is_sound(scale)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "--crs: expected a CRS in which 1 m on the ground is %g to %g m (UTM zones: EPSG:326zz north, "
                     "327zz south); found \"%s\", in which it is %.4g m at the DEM",
                     1 - SCIARA_CRS_SCALE_SLACK, 1 + SCIARA_CRS_SCALE_SLACK, crs, scale);
}

static enum sciara_status read_all(const struct sciara_legacy_request *q, struct legacy *l,
                                   struct sciara_text *parameters) {
  char *path;
  SCIARA_TRY(split_name(q->cfg_path, l));
  SCIARA_TRY(sciara_text_show(&l->title, l->name));
  SCIARA_TRY(read_parameters(q->cfg_path, l, parameters));
  if (l->layout == &older) SCIARA_TRY(read_older_observed(q->cfg_path, l));
  if (q->crs) SCIARA_TRY(sciara_georef_from_name(q->crs, &l->georef));
  SCIARA_TRY(read_grid(l, l->layout->ground, "the altitudes", true, &l->ground));
  SCIARA_TRY(check_corner(l));
  if (q->crs) SCIARA_TRY(check_scale(q->crs, l));
  SCIARA_TRY(read_grid(l, l->layout->vents, "the ids of the vents on the grid", true, &l->vents));
  if (l->layout->observed) SCIARA_TRY(read_grid(l, l->layout->observed, "the observed extent", false, &l->observed));
  if (l->older_observed) SCIARA_TRY(compare_place(l, l->older_observed, &l->observed));
  SCIARA_TRY(find_file(l, l->layout->rates, "the effusion rates", true, &path));
  const enum sciara_status status = rates_read(path, &l->rates);
  free(path);
  return status == SCIARA_OK ? place_vents(l) : status;
}

/** Whether the reader of DEMs will take it. */
static bool is_altitude(double z) {
  return z >= SCIARA_ALTITUDE_MIN && z <= SCIARA_ALTITUDE_MAX && z != SCIARA_NODATA_ALTITUDE;
}

/** Refuses altitudes that mark cells without altitude: the DEM that is written could not be read. */
static enum sciara_status check_marks(const struct legacy *l) {
  enum sciara_status status;
  const struct sciara_grid grid = grid_of(l);
  const int64_t cells = l->ground.rows * l->ground.cols;
  struct sciara_text path = {0};
  uint8_t *valid = NULL;
  SCIARA_TRY_GOTO(SCIARA_NEW(valid, cells, "a mask of altitudes"));
  for (int64_t i = 0; i < cells; i++) valid[i] = l->ground.values[i] != SCIARA_NODATA_ALTITUDE;
  SCIARA_TRY_GOTO(sciara_text_append(&path, "%s%s", l->base, l->layout->ground));
  SCIARA_TRY_GOTO(sciara_altitudes_check(path.data, &grid, l->ground.values, valid));
cleanup:
  sciara_text_free(&path);
  sciara_free(valid);
  return status;
}

/** Altitudes with this program's NODATA, the extent as 0 and 1; counts both. */
static enum sciara_status convert_grids(struct legacy *l, struct sciara_legacy_report *report) {
  int64_t cells = l->ground.rows * l->ground.cols;
  report->rows = l->ground.rows;
  report->cols = l->ground.cols;
  report->observed_cells = l->observed.values ? 0 : -1;
  for (int64_t i = 0; i < cells; i++) {
    if (is_nodata(&l->ground, i)) {
      l->ground.values[i] = SCIARA_NODATA_ALTITUDE;
      report->nodata_cells++;
    } else if (!is_altitude(l->ground.values[i])) {
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s%s: expected an altitude from %g to %g m other than %g, or the NODATA_value of the header; "
                         "found %.10g at row %" PRId64 ", column %" PRId64,
                         l->base, l->layout->ground, SCIARA_ALTITUDE_MIN, SCIARA_ALTITUDE_MAX, SCIARA_NODATA_ALTITUDE,
                         l->ground.values[i], i / l->ground.cols, i % l->ground.cols);
    }
    if (!l->observed.values) continue;
    l->observed.values[i] = l->observed.values[i] > 0 && !is_nodata(&l->observed, i);
    report->observed_cells += l->observed.values[i] > 0;
  }
  if (report->nodata_cells == cells)
    return sciara_fail(SCIARA_ERR_INPUT, "%s%s: every cell is NODATA", l->base, l->layout->ground);
  return check_marks(l);
}

static bool add_vent(cJSON *list, const struct legacy *l, const struct legacy_vent *v) {
  struct sciara_grid g = grid_of(l);
  char text[64];
  cJSON *vent = cJSON_CreateObject();
  if (!cJSON_AddItemToArray(list, vent)) return false;
  snprintf(text, sizeof text, "vent %" PRId64, v->id);
  bool good = cJSON_AddStringToObject(vent, "name", text);
  good = good && cJSON_AddNumberToObject(vent, "x", g.west + ((double)v->col + 0.5) * g.cell_size);
  good = good && cJSON_AddNumberToObject(vent, "y", g.north - ((double)v->row + 0.5) * g.cell_size);
  good = good && cJSON_AddStringToObject(vent, "start", "0 s");
  cJSON *effusion = good ? cJSON_AddObjectToObject(vent, "effusion") : NULL;
  snprintf(text, sizeof text, "%.17g s", l->rates.slot);
  cJSON *rates = effusion && cJSON_AddStringToObject(effusion, "slot", text)
                     ? cJSON_AddArrayToObject(effusion, "rates_m3_s")
                     : NULL;
  good = rates != NULL;
  for (size_t k = 0; k < v->count && good; k++) good = cJSON_AddItemToArray(rates, cJSON_CreateNumber(v->rates[k]));
  return good;
}

/** The scenario as text; release with free. NULL when memory is out. */
static char *scenario_text(const struct legacy *l) {
  cJSON *root = cJSON_CreateObject();
  bool good = cJSON_AddStringToObject(root, "title", l->title.data);
  cJSON *dem = good ? cJSON_AddObjectToObject(root, "dem") : NULL;
  good = dem && cJSON_AddStringToObject(dem, "path", "dem.tif");
  cJSON *vents = good ? cJSON_AddArrayToObject(root, "vents") : NULL;
  good = vents != NULL;
  for (size_t k = 0; k < l->rates.count && good; k++) good = add_vent(vents, l, &l->rates.vents[k]);
  cJSON *run = good ? cJSON_AddObjectToObject(root, "run") : NULL;
  good = run && cJSON_AddStringToObject(run, "until", "solidified");
  char *text = good ? cJSON_Print(root) : NULL;
  cJSON_Delete(root);
  return text;
}

static enum sciara_status prepare_folder(const char *folder, bool overwrite) {
  bool exists, empty;
  SCIARA_TRY(sciara_folder_is_empty(folder, &exists, &empty));
  if (exists && !empty && !overwrite)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: is not empty; give another folder, or --overwrite", folder);
  return sciara_folder_make(folder);
}

/** A file of the output folder. */
static enum sciara_status write_raster(const struct legacy *l, const char *folder, const char *name, bool observed) {
  struct sciara_grid grid = grid_of(l);
  struct sciara_map map = {
      .grid = &grid, .georef = &l->georef, .nodata = SCIARA_NODATA_ALTITUDE, .title = l->title.data};
  map.values = observed ? l->observed.values : l->ground.values;
  map.name = observed ? "observed" : "altitude";
  map.unit = observed ? "" : "m";
  char *path;
  SCIARA_TRY(sciara_path_in(folder, name, &path));
  enum sciara_status status = observed ? sciara_map_write_mask(&map, path) : sciara_map_write_geotiff(&map, true, path);
  free(path);
  return status;
}

static enum sciara_status write_all(const struct legacy *l, const char *folder, bool overwrite) {
  SCIARA_TRY(prepare_folder(folder, overwrite));
  char *scenario = NULL, *extent = NULL, *text = scenario_text(l);
  enum sciara_status status;
  if (!text) return sciara_no_memory("the import of legacy files");
  SCIARA_TRY_GOTO(sciara_path_in(folder, "scenario.json", &scenario));
  SCIARA_TRY_GOTO(sciara_path_in(folder, "observed.tif", &extent));
  // Files of an earlier import must not be taken for a part of this one if this one fails.
  unlink(scenario);
  unlink(extent);
  SCIARA_TRY_GOTO(write_raster(l, folder, "dem.tif", false));
  if (l->observed.values) SCIARA_TRY_GOTO(write_raster(l, folder, "observed.tif", true));
  SCIARA_TRY_GOTO(sciara_file_replace(scenario, text, strlen(text)));
cleanup:
  cJSON_free(text);
  free(extent);
  free(scenario);
  return status;
}

static double volume(const struct legacy_rates *r, const struct legacy_vent *v) {
  double sum = 0;
  for (size_t k = 0; k < v->count; k++) sum += v->rates[k] * r->slot;
  return sum;
}

static enum sciara_status describe(const struct legacy *l, const struct sciara_legacy_request *q,
                                   const struct sciara_text *parameters, struct sciara_legacy_report *report) {
  struct sciara_text *t = &report->text;
  SCIARA_TRY(sciara_text_showf(t, "%s imported to %s\n", l->name, q->output_folder));
  SCIARA_TRY(sciara_text_showf(t,
                               "  dem.tif: %" PRId64 " rows x %" PRId64 " columns of %.10g m, %" PRId64 " %s NODATA\n",
                               report->rows, report->cols, l->ground.cell_size, report->nodata_cells,
                               sciara_plural((uint64_t)report->nodata_cells, "cell", "cells")));
  if (l->ground.has_nodata && l->ground.nodata == 0)
    SCIARA_TRY(sciara_text_showf(t, "    the file declares 0 as NODATA: cells at altitude 0 are outside the DEM\n"));
  if (!l->ground.has_header)
    SCIARA_TRY(
        sciara_text_showf(t, "    the file declares no NODATA: %g counts as such, 0 as an altitude\n", OLDER_NODATA));
  SCIARA_TRY(sciara_text_showf(
      t, "    CRS: %s\n", q->crs ? l->georef.crs_name : "none, the files name no CRS; give one with --crs EPSG:CODE"));
  if (report->observed_cells >= 0)
    SCIARA_TRY(sciara_text_showf(t, "  observed.tif: %" PRId64 " %s covered\n", report->observed_cells,
                                 sciara_plural((uint64_t)report->observed_cells, "cell", "cells")));
  if (l->older_observed && l->observed.has_header && !l->ground.has_header)
    SCIARA_TRY(sciara_text_showf(t, "    the corner of the grids is that in the header of %s\n", l->older_observed));
  if (report->observed_cells < 0 && l->layout->observed)
    SCIARA_TRY(sciara_text_showf(t, "  no observed extent: %s%s is absent\n", l->name, l->layout->observed));
  SCIARA_TRY(sciara_text_showf(t, "  scenario.json: %" PRId64 " %s, %.10g m3 in all\n", report->vents,
                               sciara_plural((uint64_t)report->vents, "vent", "vents"), report->volume_m3));
  for (size_t k = 0; k < l->rates.count; k++) {
    const struct legacy_vent *v = &l->rates.vents[k];
    SCIARA_TRY(sciara_text_showf(
        t, "    vent %" PRId64 ": row %" PRId64 ", column %" PRId64 ", %zu %s of %.10g s, %.10g m3\n", v->id, v->row,
        v->col, v->count, sciara_plural(v->count, "slot", "slots"), l->rates.slot, volume(&l->rates, v)));
  }
  SCIARA_TRY(
      sciara_text_append(t, "  ignored, since they belong to another model (SCIARA-fv3 takes its own defaults):\n"));
  for (const char *line = parameters->data, *end; *line; line = end + 1) { // each ends with a newline
    end = strchr(line, '\n');
    SCIARA_TRY(sciara_text_showf(t, "%.*s\n", (int)(end - line), line));
  }
  return SCIARA_OK;
}

enum sciara_status sciara_legacy_import(const struct sciara_legacy_request *request,
                                        struct sciara_legacy_report *report) {
  *report = (struct sciara_legacy_report){0};
  struct legacy l = {.corner = request->corner};
  struct sciara_text parameters = {0};
  enum sciara_status status = SCIARA_OK;
  SCIARA_TRY_GOTO(read_all(request, &l, &parameters));
  SCIARA_TRY_GOTO(convert_grids(&l, report));
  report->vents = (int64_t)l.rates.count;
  for (size_t k = 0; k < l.rates.count; k++) report->volume_m3 += volume(&l.rates, &l.rates.vents[k]);
  SCIARA_TRY_GOTO(write_all(&l, request->output_folder, request->overwrite));
  status = describe(&l, request, &parameters, report);
cleanup:
  if (status != SCIARA_OK) sciara_legacy_report_free(report);
  sciara_text_free(&parameters);
  legacy_free(&l);
  return status;
}

void sciara_legacy_report_free(struct sciara_legacy_report *report) {
  sciara_text_free(&report->text);
  *report = (struct sciara_legacy_report){0};
}
