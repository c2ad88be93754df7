// SPDX-License-Identifier: Apache-2.0
#include "terrain/dem_source.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "file/durable.h"
#include "file/hdf5_file.h"

// -------------------------------------------------------------------------------------------------------------- NetCDF

// GDAL takes the last dimension of a NetCDF variable for x and the one before for y, whatever they are, and places the
// cells only if attributes say which is which. So the dimensions are looked at here.

/** A dimension of the variable: 'x', 'y', or 0 where nothing says which. */
struct axis {
  char name[64], unit[32];
  char is;
};

static bool is_one_of(const char *word, const char *const *list) {
  for (; *list; list++)
    if (strcasecmp(word, *list) == 0) return true;
  return false;
}

static void describe_axis(GDALDimensionH dimension, struct axis *out) {
  static const char *const xs[] = {"x", "lon", "longitude", "easting", "eastings", "col", "column", "cols", NULL};
  static const char *const ys[] = {"y", "lat", "latitude", "northing", "northings", "row", "rows", NULL};
  const char *type = GDALDimensionGetType(dimension);
  GDALMDArrayH values = GDALDimensionGetIndexingVariable(dimension);
  *out = (struct axis){0};
  snprintf(out->name, sizeof out->name, "%s", GDALDimensionGetName(dimension));
  if (values) snprintf(out->unit, sizeof out->unit, "%s", GDALMDArrayGetUnit(values));
  if (strcmp(type, GDAL_DIM_TYPE_HORIZONTAL_X) == 0 || is_one_of(out->name, xs)) out->is = 'x';
  if (strcmp(type, GDAL_DIM_TYPE_HORIZONTAL_Y) == 0 || (!out->is && is_one_of(out->name, ys))) out->is = 'y';
  if (values) GDALMDArrayRelease(values);
}

/** The last two dimensions of the variable; returns how many it has, or 0 if they are not known. */
static size_t find_axes(const struct sciara_source *s, const char *variable, struct axis *y, struct axis *x) {
  static const char *const drivers[] = {"netCDF", NULL};
  const unsigned how = GDAL_OF_MULTIDIM_RASTER | GDAL_OF_READONLY;
  char *plain = sciara_gdal_plain_path(s->path);
  GDALDatasetH data = plain ? GDALOpenEx(plain, how, drivers, NULL, NULL) : NULL;
  GDALGroupH root = data ? GDALDatasetGetRootGroup(data) : NULL;
  GDALMDArrayH array = root ? *variable == '/' ? GDALGroupOpenMDArrayFromFullname(root, variable, NULL)
                                               : GDALGroupOpenMDArray(root, variable, NULL)
                            : NULL;
  size_t count = 0;
  GDALDimensionH *dimensions = array ? GDALMDArrayGetDimensions(array, &count) : NULL;
  if (count >= 2) {
    describe_axis(dimensions[count - 2], y);
    describe_axis(dimensions[count - 1], x);
  }
  GDALReleaseDimensions(dimensions, count);
  if (array) GDALMDArrayRelease(array);
  if (root) GDALGroupRelease(root);
  if (data) GDALClose(data);
  free(plain);
  return count >= 2 ? count : 0;
}

static enum sciara_status refuse_order(const struct sciara_source *s, const char *variable, size_t count,
                                       const struct axis *y, const struct axis *x) {
  struct sciara_text path = {0}, exchange = {0}, quoted = {0};
  enum sciara_status status;
  if (count != 2)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected the last dimensions of %s in the order y, x; found %s, %s",
                       s->path, variable, y->name, x->name);
  SCIARA_TRY_GOTO(sciara_shell_quote(&path, s->path));
  SCIARA_TRY_GOTO(sciara_text_append(&exchange, "name=%s,transpose=[1,0]", variable));
  SCIARA_TRY_GOTO(sciara_shell_quote(&quoted, exchange.data)); // the name is the file's: it may hold quotes
  status = sciara_fail(SCIARA_ERR_INPUT,
                       "%s: expected the dimensions of %s in the order y, x; found %s, %s. Exchange them with: "
                       "gdalmdimtranslate -array %s %s exchanged.tif",
                       s->path, variable, y->name, x->name, quoted.data, path.data);
cleanup:
  sciara_text_free(&path);
  sciara_text_free(&exchange);
  sciara_text_free(&quoted);
  return status;
}

static enum sciara_status refuse_unplaced(const struct sciara_source *s, const struct axis *y, const struct axis *x) {
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: has no geotransform: its cells have no size and no place. Its axes %s and %s need the "
                     "attribute standard_name, \"projection_y_coordinate\" and \"projection_x_coordinate\" (in m) or "
                     "\"latitude\" and \"longitude\", and equal steps; or place it with: gdal_translate -a_ullr WEST "
                     "NORTH EAST SOUTH",
                     s->path, y->name, x->name);
}

/** A CRS in km has such a unit itself; without a CRS the numbers would be taken to be metres. */
static enum sciara_status refuse_km(const struct sciara_source *s, const struct axis *x, const double t[6]) {
  struct sciara_text path = {0};
  const double m = 1000;
  enum sciara_status status = sciara_shell_quote(&path, s->path);
  if (status == SCIARA_OK)
    status =
        sciara_fail(SCIARA_ERR_INPUT,
                    "%s: its axis %s is in \"%s\", expected m; convert it with: gdal_translate -a_ullr %.10g %.10g "
                    "%.10g %.10g %s in-metres.tif",
                    s->path, x->name, x->unit, t[0] * m, t[3] * m, (t[0] + t[1] * (double)s->cols) * m,
                    (t[3] + t[5] * (double)s->rows) * m, path.data);
  sciara_text_free(&path);
  return status;
}

/** Whether the dimensions of a NetCDF variable are y, x, in metres or with a CRS. */
static enum sciara_status netcdf_check_axes(struct sciara_gdal_scope *scope, const struct sciara_source *s) {
  static const char *const km[] = {"km", "kilometre", "kilometres", "kilometer", "kilometers", NULL};
  const char *variable = GDALGetMetadataItem(s->band, "NETCDF_VARNAME", NULL);
  struct axis y = {0}, x = {0};
  double t[6];
  const size_t count = variable ? find_axes(s, variable, &y, &x) : 0;
  sciara_gdal_reset(scope); // what the other view of the file lacks is no failure of this one
  if (count == 0) return SCIARA_OK;
  if (y.is == 'x' || x.is == 'y') return refuse_order(s, variable, count, &y, &x);
  if (GDALGetGeoTransform(s->dataset, t) != CE_None) return refuse_unplaced(s, &y, &x);
  return !s->srs && is_one_of(x.unit, km) ? refuse_km(s, &x, t) : SCIARA_OK;
}

// --------------------------------------------------------------------------------------------------------- ASCII grids

// GDAL reads a word that is no number in an ASCII grid as 0, an altitude like any other, and stops at the last cell
// that the header promises, however many values are left. So the words are looked at here.

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

static enum sciara_status refuse_source(const struct words *w, const char *expected) {
  return sciara_fail(SCIARA_ERR_INPUT, "%s:%" PRId64 ": expected %s, found \"%s\"", w->path, w->line, expected,
                     w->word);
}

static enum sciara_status check_number(struct words *w) {
  if (!is_number(w->word)) return refuse_source(w, "a number");
  const char *mark = strpbrk(w->word, ".,");
  if (!mark || strchr(w->word, '#')) return SCIARA_OK;
  if (w->mark && w->mark != *mark)
    return refuse_source(w, *mark == ',' ? "a decimal point, as before" : "a decimal comma, as before");
  if (may_be_thousands(w->word))
    return refuse_source(w, "a decimal point (sed 's/,/./g') or no mark between thousands (sed 's/,//g')");
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

/** Whether rows x cols words, each a number (or NaN, or infinite), follow the header of an ESRI ASCII grid. */
static enum sciara_status ascii_grid_check(const char *path, int64_t rows, int64_t cols) {
  struct words words = {.path = path, .line = 1};
  SCIARA_TRY(sciara_input_stream(path, &words.f));
  const enum sciara_status status = check_values(&words, rows, cols);
  fclose(words.f);
  return status;
}

// GDAL's other drivers open URLs, or files that name other files.
static const char *const built_in[] = {"GTiff", "AAIGrid", "EHdr", "SRTMHGT", "HFA", "netCDF", "GPKG", NULL};
// The drivers for a file that is no raw raster by its name. EHdr reads any file next to a header of its name, in any format.
static const char *const built_in_named[] = {"GTiff", "AAIGrid", "SRTMHGT", "HFA", "netCDF", "GPKG", NULL};
static const char *const raw_names[] = {"bil", "bip", "bsq", "flt", "raw", "dem", "bin", "dat", "img", NULL};
// Their libraries open files themselves, by a path.
static const char *const by_path[] = {"netCDF", NULL};

/** A File Geodatabase is a folder, of whose many files each could be anything. */
static enum sciara_status fail_geodatabase(const char *path) {
  struct sciara_text text = {0};
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  char *folder = sciara_format("%.*s", (int)length, path),
       *made = folder ? sciara_format("%.*s.gpkg", (int)length - 4, folder) : NULL;
  enum sciara_status status = made ? sciara_text_append(&text, "ogr2ogr ") : sciara_no_memory("a command");
  if (status == SCIARA_OK) status = sciara_shell_quote(&text, made);
  if (status == SCIARA_OK) status = sciara_text_append(&text, " ");
  if (status == SCIARA_OK) status = sciara_shell_quote(&text, folder);
  if (status == SCIARA_OK)
    status =
        sciara_fail(SCIARA_ERR_INPUT,
                    "%s: is a folder (a File Geodatabase), expected a file. Make one of its layers with: %s (and the "
                    "name of a layer, for this one alone)",
                    path, text.data);
  sciara_text_free(&text);
  free(folder);
  free(made);
  return status;
}

static bool is_geodatabase(const char *path) {
  struct stat about;
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  return length > 4 && strncasecmp(path + length - 4, ".gdb", 4) == 0 && stat(path, &about) == 0 &&
         S_ISDIR(about.st_mode);
}

enum sciara_status sciara_source_check_file(const char *path) {
  if (is_geodatabase(path)) return fail_geodatabase(path);
  if (access(path, F_OK) == 0) return sciara_input_check(path);
  const char *hint = strstr(path, ":") || strncmp(path, "/vsi", 4) == 0
                         ? " (GDAL connection strings, URLs and /vsi file systems are not read)"
                         : "";
  return sciara_fail(SCIARA_ERR_IO, "%s: %s%s", path, strerror(errno), hint);
}

enum sciara_status sciara_source_check_driver(const char *name) {
  if (GDALGetDriverByName(name)) return SCIARA_OK;
  int count = GDALGetDriverCount();
  const char **names = (const char **)calloc((size_t)count + 1, sizeof *names);
  if (!names) return sciara_no_memory("the list of GDAL drivers");
  for (int i = 0; i < count; i++) names[i] = GDALGetDriverShortName(GDALGetDriver(i));
  const char *near = sciara_closest_name(name, names, (size_t)count);
  enum sciara_status status =
      sciara_fail(SCIARA_ERR_USAGE, "GDAL has no driver \"%s\"%s%s%s", name, near ? "; did you mean \"" : "",
                  near ? near : "", near ? "\"?" : " (gdalinfo --formats lists them)");
  free(names);
  return status;
}

/** The names of all drivers that may be used; release with CSLDestroy. */
static char **allowed_drivers(const char *const *extra, size_t extra_count) {
  char **drivers = NULL;
  for (const char *const *name = built_in; *name; name++) drivers = CSLAddString(drivers, *name);
  for (size_t i = 0; i < extra_count; i++) drivers = CSLAddString(drivers, extra[i]);
  return drivers;
}

/** Whether the file may be one whose header is another file, by its name. */
static bool is_raw_name(const char *path) {
  const char *dot = strrchr(sciara_path_name(path), '.');
  return dot && CSLFindString((CSLConstList)raw_names, dot + 1) >= 0;
}

static enum sciara_status fail_unopened_raster(struct sciara_gdal_scope *scope, const struct sciara_source *s,
                                               const char *const *extra, size_t extra_count) {
  struct sciara_text list = {0}, found = {0};
  char **drivers = allowed_drivers(extra, extra_count);
  enum sciara_status status = sciara_source_explain(s->path, &found);
  for (int i = 0; drivers[i] && status == SCIARA_OK; i++)
    status = sciara_text_append(&list, "%s%s", i ? ", " : "", drivers[i]);
  char reason[sizeof scope->message];
  snprintf(reason, sizeof reason, "%s", sciara_gdal_message(scope));
  const enum sciara_status cause = sciara_gdal_status(scope, SCIARA_ERR_INPUT);
  GDALDriverH looks = GDALIdentifyDriver(s->name, NULL);
  const char *name = looks ? GDALGetDriverShortName(looks) : NULL;
  if (status == SCIARA_OK && found.length)
    status = sciara_fail(cause, "%s: cannot be opened as a raster: it %s", s->path, found.data);
  else if (status == SCIARA_OK && name && strcmp(name, "EHdr") == 0 && !is_raw_name(s->path))
    status = sciara_fail(cause,
                         "%s: cannot be opened as a raster: the .hdr of its name is not taken for its header, because "
                         "it does not end in .bil, .bip, .bsq, .flt, .raw, .dem, .bin, .dat or .img",
                         s->path);
  else if (status == SCIARA_OK && name && CSLFindString(drivers, name) < 0)
    status =
        sciara_fail(SCIARA_ERR_INPUT, "%s: format %s is not among those allowed (%s); --allow-driver %s would allow it",
                    s->path, name, list.data, name);
  else if (status == SCIARA_OK)
    status =
        sciara_fail(cause, "%s: cannot be opened as a raster (formats allowed: %s): %s", s->path, list.data, reason);
  sciara_text_free(&list);
  sciara_text_free(&found);
  CSLDestroy(drivers);
  return status;
}

static bool is_driver(GDALDatasetH dataset, const char *name) {
  return dataset && strcasecmp(GDALGetDriverShortName(GDALGetDatasetDriver(dataset)), name) == 0;
}

static const unsigned how = GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR;

/** Opens the file in the file system of gdal_support.h, where its siblings can be no other datasets. */
static GDALDatasetH open_confined(const char *name) {
  const char *const *drivers = is_raw_name(name) ? built_in : built_in_named;
  GDALDatasetH dataset = GDALOpenEx(name, how, drivers, NULL, NULL);
  if (!is_driver(dataset, "AAIGrid")) return dataset;
  // GDAL reads ASCII grids as float by default: altitudes would not be those of the file.
  static const char *const options[] = {"DATATYPE=Float64", NULL};
  GDALClose(dataset);
  return GDALOpenEx(name, how, drivers, options, NULL);
}

/** Opens the file by its path, with drivers whose libraries need that, or which the user vouches for. */
static GDALDatasetH open_by_path(const char *path, const char *const *drivers) {
  char *plain = sciara_gdal_plain_path(path);
  GDALDatasetH dataset = NULL;
  if (plain && GDALIdentifyDriverEx(plain, GDAL_OF_RASTER, drivers, NULL))
    dataset = GDALOpenEx(plain, how, drivers, NULL, NULL);
  free(plain);
  return dataset;
}

/** The whole number after a key of the .hdr; 0 if it is absent. */
static int64_t header_number(char **lines, const char *key) {
  const size_t length = strlen(key);
  for (int k = 0; k < CSLCount(lines); k++)
    if (strncasecmp(lines[k], key, length) == 0 && strchr(" \t", lines[k][length]))
      return strtoll(lines[k] + length, NULL, 10);
  return 0;
}

/** The bytes that the .hdr of a raw raster describes; 0 if it leaves gaps between bands. */
static int64_t described_size(const struct sciara_source *s, int64_t bands, int64_t bytes) {
  char **lines = CSLLoad2(CPLResetExtension(s->name, "hdr"), 1000, 1000, NULL);
  if (!lines) lines = CSLLoad2(CPLResetExtension(s->name, "HDR"), 1000, 1000, NULL);
  const int64_t rows = GDALGetRasterYSize(s->dataset), cols = GDALGetRasterXSize(s->dataset);
  const int64_t skipped = header_number(lines, "SKIPBYTES"), line = header_number(lines, "TOTALROWBYTES"),
                gap = header_number(lines, "BANDGAPBYTES");
  int64_t size = rows * cols * bands * bytes;
  // A line holds all bands or, band after band, one.
  if (line > cols * bytes && line < INT64_MAX / 2 / (rows * bands)) size = rows * bands * line;
  CSLDestroy(lines);
  return gap != 0 || skipped < 0 || skipped > INT64_MAX / 2 ? 0 : size + skipped;
}

/** The header of a raw raster may belong to another file of the same name: the file must be as large as it says. */
static enum sciara_status check_raw_size(const struct sciara_source *s) {
  GDALRasterBandH band = GDALGetRasterBand(s->dataset, 1);
  struct sciara_text found = {0};
  struct stat about;
  if (stat(s->path, &about) != 0 || !band) return SCIARA_OK; // said later
  enum sciara_status status = sciara_source_explain(s->path, &found);
  if (status == SCIARA_OK && found.length)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: expected a raw raster, as the .hdr of its name says, but it %s",
                         s->path, found.data);
  sciara_text_free(&found);
  if (status != SCIARA_OK || GDALGetMetadataItem(band, "NBITS", "IMAGE_STRUCTURE")) return status;
  const int64_t size =
      described_size(s, GDALGetRasterCount(s->dataset), GDALGetDataTypeSizeBytes(GDALGetRasterDataType(band)));
  if (size == 0 || about.st_size <= size) return SCIARA_OK; // a part of it is missed when it is read
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: expected %" PRId64 " bytes, as the .hdr of its name says, found %" PRId64
                     "; that header may belong to another file",
                     s->path, size, (int64_t)about.st_size);
}

static enum sciara_status open_dataset(struct sciara_gdal_scope *scope, const char *const *extra, size_t extra_count,
                                       struct sciara_source *out) {
  SCIARA_TRY(sciara_source_check_file(out->path));
  SCIARA_TRY(sciara_hdf5_check_foreign(out->path));
  for (size_t i = 0; i < extra_count; i++) SCIARA_TRY(sciara_source_check_driver(extra[i]));
  SCIARA_TRY(sciara_gdal_files_allow(out->path, &out->name));
  if (GDALIdentifyDriverEx(out->name, GDAL_OF_RASTER, by_path, NULL))
    out->dataset = open_by_path(out->path, by_path);
  else
    out->dataset = open_confined(out->name);
  if (!out->dataset && extra_count > 0) {
    char **drivers = allowed_drivers(extra, extra_count);
    out->dataset = open_by_path(out->path, (const char *const *)drivers + CSLCount(drivers) - extra_count);
    CSLDestroy(drivers);
  }
  if (!out->dataset) return fail_unopened_raster(scope, out, extra, extra_count);
  if (is_driver(out->dataset, "EHdr")) return check_raw_size(out);
  if (!is_driver(out->dataset, "AAIGrid")) return SCIARA_OK;
  return ascii_grid_check(out->path, GDALGetRasterYSize(out->dataset), GDALGetRasterXSize(out->dataset));
}

static enum sciara_status fail_no_band(const struct sciara_source *s, int band) {
  int count = GDALGetRasterCount(s->dataset);
  if (count > 0) return sciara_fail(SCIARA_ERR_INPUT, "%s: expected band 1 to %d, found band %d", s->path, count, band);
  char **parts = GDALGetMetadata(s->dataset, "SUBDATASETS");
  const char *first = CSLFetchNameValue(parts, "SUBDATASET_1_NAME");
  if (!first) return sciara_fail(SCIARA_ERR_INPUT, "%s: holds no raster", s->path);
  struct sciara_text command = {0};
  char *name = sciara_format("%s", first);
  if (!name) return sciara_no_memory("a command");
  sciara_gdal_files_strip(name);
  enum sciara_status status = sciara_text_append(&command, "gdal_translate ");
  if (status == SCIARA_OK) status = sciara_shell_quote(&command, name);
  free(name);
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: holds %d rasters; take one out with, for example: %s dem.tif", s->path,
                         CSLCount(parts) / 2, command.data);
  sciara_text_free(&command);
  return status;
}

static enum sciara_status check_band(const struct sciara_source *s, int band) {
  GDALDataType type = GDALGetRasterDataType(s->band);
  if (GDALDataTypeIsComplex(type))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: band %d holds complex numbers (%s); real ones are needed", s->path, band,
                       GDALGetDataTypeName(type));
  GDALColorInterp colour = GDALGetRasterColorInterpretation(s->band);
  if (colour == GCI_AlphaBand)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: band %d is an alpha band, which says where there are values", s->path,
                       band);
  if (type == GDT_Byte && colour >= GCI_PaletteIndex && colour <= GCI_BlackBand)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: band %d is a colour channel of a picture (%s), not a quantity", s->path,
                       band, GDALGetColorInterpretationName(colour));
  return SCIARA_OK;
}

static enum sciara_status fail_with_warp(const struct sciara_source *s, const char *found) {
  struct sciara_text command = {0};
  enum sciara_status status = sciara_source_suggest_warp(s, NULL, 0, &command);
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: %s; make it so with: %s", s->path, found, command.data);
  sciara_text_free(&command);
  return status;
}

/** The command of the message turns the raster; its values and cells stay as they are. */
static enum sciara_status fail_mirrored(const struct sciara_source *s, const double t[6]) {
  const double x[2] = {t[0], t[0] + t[1] * (double)s->cols}, y[2] = {t[3], t[3] + t[5] * (double)s->rows};
  struct sciara_text command = {0};
  enum sciara_status status =
      sciara_text_append(&command, "gdalwarp -te %.12g %.12g %.12g %.12g -ts %d %d ", fmin(x[0], x[1]),
                         fmin(y[0], y[1]), fmax(x[0], x[1]), fmax(y[0], y[1]), (int)s->cols, (int)s->rows);
  if (status == SCIARA_OK) status = sciara_source_append_paths(s->path, "-north-up", &command);
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: is mirrored: its columns run from east to west; turn it with: %s",
                         s->path, command.data);
  sciara_text_free(&command);
  return status;
}

static enum sciara_status locate(struct sciara_source *s) {
  double t[6];
  if (GDALGetGeoTransform(s->dataset, t) != CE_None) {
    if (GDALGetGCPCount(s->dataset) == 0)
      return sciara_fail(SCIARA_ERR_INPUT, "%s: has no geotransform: its cells have no size and no place", s->path);
    s->dx = s->dy = 0;
    return fail_with_warp(s, "is placed by ground control points; a geotransform with north up is needed");
  }
  for (int i = 0; i < 6; i++)
    if (!isfinite(t[i]))
      return sciara_fail(SCIARA_ERR_INPUT, "%s: number %d of its geotransform is %g", s->path, i, t[i]);
  double east = hypot(t[1], t[4]), south = hypot(t[2], t[5]);
  if (!(east > 0) || !(south > 0))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a cell size above 0, found %g x %g", s->path, east, south);
  s->dx = east;
  s->dy = south;
  if (fabs(t[2]) * (double)s->rows > SCIARA_SOURCE_SLACK * east ||
      fabs(t[4]) * (double)s->cols > SCIARA_SOURCE_SLACK * south)
    return fail_with_warp(s, "is rotated; north must be up");
  if (t[1] < 0) return fail_mirrored(s, t);
  s->south_up = t[5] > 0;
  s->west = t[0];
  s->north = s->south_up ? t[3] + t[5] * (double)s->rows : t[3];
  return SCIARA_OK;
}

/** The band, size and CRS of an open dataset. */
static enum sciara_status describe(int band, struct sciara_source *out) {
  if (band < 1 || band > GDALGetRasterCount(out->dataset)) return fail_no_band(out, band);
  out->band = GDALGetRasterBand(out->dataset, band);
  out->rows = GDALGetRasterYSize(out->dataset);
  out->cols = GDALGetRasterXSize(out->dataset);
  OGRSpatialReferenceH srs = GDALGetSpatialRef(out->dataset);
  if (!srs || !GDALGetProjectionRef(out->dataset)[0]) return SCIARA_OK; // an empty CRS is none
  out->srs = OSRClone(srs);
  OSRSetAxisMappingStrategy(out->srs, OAMS_TRADITIONAL_GIS_ORDER);
  return sciara_srs_check(out->path, out->srs);
}

/** Finds the alpha band, and says what hides cells apart from a NODATA value. */
static void find_mask(struct sciara_source *s) {
  const int flags = GDALGetMaskFlags(s->band);
  for (int k = 1; k <= GDALGetRasterCount(s->dataset) && !s->alpha; k++)
    if (GDALGetRasterColorInterpretation(GDALGetRasterBand(s->dataset, k)) == GCI_AlphaBand)
      s->alpha = GDALGetRasterBand(s->dataset, k);
  if (s->alpha)
    sciara_note(s->notes, SCIARA_LOG_INFO, "%s: band %d is an alpha band: cells where it is 0 are NODATA", s->path,
                GDALGetBandNumber(s->alpha));
  else if (!(flags & (GMF_ALL_VALID | GMF_NODATA)))
    sciara_note(s->notes, SCIARA_LOG_INFO, "%s: has a mask: cells where it is 0 are NODATA", s->path);
}

enum sciara_status sciara_source_open(struct sciara_gdal_scope *scope, const char *path, int band,
                                      const char *const *extra_drivers, size_t extra_count,
                                      const struct sciara_notes *notes, struct sciara_source *out) {
  *out = (struct sciara_source){.path = path, .notes = notes};
  enum sciara_status status = SCIARA_OK;
  SCIARA_TRY_GOTO(open_dataset(scope, extra_drivers, extra_count, out));
  SCIARA_TRY_GOTO(describe(band, out));
  SCIARA_TRY_GOTO(check_band(out, band));
  find_mask(out);
  if (is_driver(out->dataset, "netCDF")) SCIARA_TRY_GOTO(netcdf_check_axes(scope, out));
  SCIARA_TRY_GOTO(locate(out));
  return SCIARA_OK;
cleanup:
  sciara_source_close(out);
  return status;
}

enum sciara_status sciara_source_open_image(struct sciara_gdal_scope *scope, const char *path,
                                            const char *const *extra_drivers, size_t extra_count,
                                            struct sciara_source *out) {
  *out = (struct sciara_source){.path = path};
  enum sciara_status status = SCIARA_OK;
  SCIARA_TRY_GOTO(open_dataset(scope, extra_drivers, extra_count, out));
  SCIARA_TRY_GOTO(describe(1, out));
  SCIARA_TRY_GOTO(locate(out));
  return SCIARA_OK;
cleanup:
  sciara_source_close(out);
  return status;
}

void sciara_source_close(struct sciara_source *s) {
  if (s->dataset) GDALClose(s->dataset);
  OSRRelease(s->srs);
  sciara_gdal_files_forbid(s->name);
  s->dataset = NULL;
  s->srs = NULL;
  s->name = NULL;
}

void sciara_source_scale_of(const struct sciara_source *s, double *scale, double *offset) {
  int has_scale = 0, has_offset = 0;
  *scale = GDALGetRasterScale(s->band, &has_scale);
  *offset = GDALGetRasterOffset(s->band, &has_offset);
  if (!has_scale) *scale = 1;
  if (!has_offset) *offset = 0;
}

void sciara_source_scale(const struct sciara_source *s, size_t cells, double *values) {
  double scale, offset;
  sciara_source_scale_of(s, &scale, &offset);
  if (scale == 1 && offset == 0) return;
  sciara_note(s->notes, SCIARA_LOG_INFO, "%s: its scale %g and offset %g are applied", s->path, scale, offset);
  for (size_t i = 0; i < cells; i++) values[i] = values[i] * scale + offset;
}

static void flip_rows(int64_t rows, int64_t cols, double *values, uint8_t *valid) {
  for (int64_t r = 0; r < rows / 2; r++)
    for (int64_t c = 0; c < cols; c++) {
      int64_t a = r * cols + c, b = (rows - 1 - r) * cols + c;
      double value = values[a];
      uint8_t flag = valid[a];
      values[a] = values[b];
      valid[a] = valid[b];
      values[b] = value;
      valid[b] = flag;
    }
}

/** Clears valid where the alpha band is 0; GDAL's own mask does so only for some types and numbers of bands. */
static CPLErr apply_alpha(const struct sciara_source *s, int x, int y, int cols, int rows, uint8_t *valid) {
  double *line = (double *)CPLMalloc((size_t)cols * sizeof *line);
  CPLErr result = CE_None;
  for (int r = 0; r < rows && result == CE_None; r++) {
    result = GDALRasterIO(s->alpha, GF_Read, x, y + r, cols, 1, line, cols, 1, GDT_Float64, 0, 0);
    for (int c = 0; c < cols && result == CE_None; c++)
      if (line[c] == 0) valid[(size_t)r * (size_t)cols + (size_t)c] = 0;
  }
  CPLFree(line);
  return result;
}

/** Clears valid where a stored value is `nodata` as the type of the band holds it. */
static void hide(const struct sciara_source *s, double nodata, size_t cells, const double *values, uint8_t *valid) {
  if (GDALGetRasterDataType(s->band) == GDT_Float32) nodata = (double)(float)nodata;
  for (size_t i = 0; i < cells; i++)
    if (values[i] == nodata || (isnan(nodata) && isnan(values[i]))) valid[i] = 0;
}

enum sciara_status sciara_source_read_stored(struct sciara_gdal_scope *scope, const struct sciara_source *s,
                                             const int64_t window[4], const double *nodata, double *values,
                                             uint8_t *valid) {
  int cols = (int)window[3], rows = (int)window[2], x = (int)window[1];
  int y = (int)(s->south_up ? s->rows - window[0] - window[2] : window[0]);
  size_t cells = (size_t)rows * (size_t)cols;
  sciara_gdal_reset(scope);
  // A failing read leaves the rest of the buffer as it was: the result is checked, and an error raised on the way too.
  CPLErr result = GDALRasterIO(s->band, GF_Read, x, y, cols, rows, values, cols, rows, GDT_Float64, 0, 0);
  if (result == CE_None && GDALGetMaskFlags(s->band) & GMF_ALL_VALID)
    memset(valid, 1, cells);
  else if (result == CE_None)
    result = GDALRasterIO(GDALGetMaskBand(s->band), GF_Read, x, y, cols, rows, valid, cols, rows, GDT_Byte, 0, 0);
  if (result == CE_None && s->alpha) result = apply_alpha(s, x, y, cols, rows, valid);
  if (result != CE_None || scope->failed)
    return sciara_fail(sciara_gdal_status(scope, SCIARA_ERR_INPUT), "%s: cannot be read whole, it may be truncated: %s",
                       s->path, sciara_gdal_message(scope));
  for (size_t i = 0; i < cells; i++) valid[i] = valid[i] != 0;
  int has = 0;
  const double declared = GDALGetRasterNoDataValue(s->band, &has);
  if (has) hide(s, declared, cells, values, valid);
  if (nodata) hide(s, *nodata, cells, values, valid);
  if (s->south_up) flip_rows(rows, cols, values, valid);
  return SCIARA_OK;
}

enum sciara_status sciara_source_read(struct sciara_gdal_scope *scope, const struct sciara_source *s,
                                      const int64_t window[4], double *values, uint8_t *valid) {
  SCIARA_TRY(sciara_source_read_stored(scope, s, window, NULL, values, valid));
  sciara_source_scale(s, (size_t)(window[2] * window[3]), values);
  return SCIARA_OK;
}
