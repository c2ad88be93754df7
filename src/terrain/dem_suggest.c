// SPDX-License-Identifier: Apache-2.0
// What a diagnostic proposes: the gdalwarp command, or what helps with a file that is no raster.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/text.h"
#include "file/durable.h"
#include "file/gdal_support.h"
#include "terrain/dem_source.h"

/** Longitude and latitude of the middle of a raster; false if its CRS does not define it. */
static bool middle_lonlat(const struct sciara_source *s, double *lon, double *lat) {
  if (!s->srs) return false;
  double t[6] = {0};
  if (GDALGetGeoTransform(s->dataset, t) != CE_None) return false;
  double c = 0.5 * (double)s->cols, r = 0.5 * (double)s->rows;
  *lon = t[0] + c * t[1] + r * t[2];
  *lat = t[3] + c * t[4] + r * t[5];
  OGRSpatialReferenceH wgs84;
  if (sciara_srs_parse(SCIARA_SOURCE_DEGREES, &wgs84) != SCIARA_OK) return false;
  OGRCoordinateTransformationH change = OCTNewCoordinateTransformation(s->srs, wgs84);
  bool done = change && OCTTransform(change, 1, lon, lat, NULL) && isfinite(*lon) && isfinite(*lat);
  if (change) OCTDestroyCoordinateTransformation(change);
  OSRRelease(wgs84);
  return done && fabs(*lat) <= 90;
}

/** EPSG code of the UTM zone (beyond 84 N and 80 S: of the polar stereographic grid). */
static int utm_code(double lon, double lat) {
  if (lat > 84) return 32661;
  if (lat < -80) return 32761;
  double turned = fmod(lon + 180.0, 360.0);
  if (turned < 0) turned += 360.0;
  return (lat >= 0 ? 32600 : 32700) + (int)(turned / 6.0) + 1;
}

int sciara_source_utm(const struct sciara_source *s) {
  double lon, lat;
  return middle_lonlat(s, &lon, &lat) ? utm_code(lon, lat) : 0;
}

static double suggested_cell_in_metres(const struct sciara_source *s) {
  const double radius = 6371000; // of the Earth: the number is only proposed, then rounded
  double cell = s->dx < s->dy ? s->dx : s->dy;
  if (s->srs && OSRIsGeographic(s->srs)) return s->dy * OSRGetAngularUnits(s->srs, NULL) * radius;
  if (s->scale > 0) return cell / s->scale * (1 + SCIARA_CRS_SCALE_SLACK);
  return s->srs && OSRIsProjected(s->srs) ? cell * OSRGetLinearUnits(s->srs, NULL) : cell;
}

/** A round number not above the cell that keeps its detail: 30.9 gives 30, 10.3 and 9.999 give 10, 2.06 gives 2. */
double sciara_source_round_cell(const struct sciara_source *s) {
  const double cell = suggested_cell_in_metres(s) * 1.01; // just below a round number is that number
  if (cell >= 10) return 5 * floor(cell / 5);
  if (cell >= 1) return floor(cell);
  double decade = pow(10, floor(log10(cell)));
  return decade * floor(cell / decade);
}

enum sciara_status sciara_source_suggest_scale(const struct sciara_source *s, double factor, struct sciara_text *out) {
  double scale, offset;
  sciara_source_scale_of(s, &scale, &offset);
  SCIARA_TRY(sciara_text_append(out, "gdal_translate -ot Float32 -scale 0 1 %.16g %.16g ", offset * factor,
                                (scale + offset) * factor));
  if (scale != 1 || offset != 0)
    SCIARA_TRY(sciara_text_append(out, "-a_scale 1 -a_offset 0 ")); // -scale has applied them
  if (s->srs && OSRIsCompound(s->srs)) {                            // its vertical part would still name the unit
    OGRSpatialReferenceH flat = OSRClone(s->srs);
    OSRStripVertical(flat);
    enum sciara_status status = sciara_text_append(out, "-a_srs ");
    if (status == SCIARA_OK) status = sciara_shell_append_crs(out, flat);
    OSRRelease(flat);
    SCIARA_TRY(status);
    SCIARA_TRY(sciara_text_append(out, " "));
  }
  return sciara_source_append_paths(s->path, SCIARA_SOURCE_METRES, out);
}

enum sciara_status sciara_source_append_target(const char *path, const char *what, struct sciara_text *out) {
  char *target = sciara_format("%.*s%s.tif", (int)sciara_path_stem(path), path, what);
  if (!target) return sciara_no_memory("a command");
  const enum sciara_status status = sciara_shell_quote(out, target);
  free(target);
  return status;
}

enum sciara_status sciara_source_append_paths(const char *path, const char *what, struct sciara_text *out) {
  SCIARA_TRY(sciara_shell_quote(out, path));
  SCIARA_TRY(sciara_text_append(out, " "));
  return sciara_source_append_target(path, what, out);
}

enum sciara_status sciara_source_suggest_warp(const struct sciara_source *s, const char *crs, double cell,
                                              struct sciara_text *out) {
  SCIARA_TRY(sciara_text_append(out, "gdalwarp"));
  if (s->guess) {
    SCIARA_TRY(sciara_text_append(out, " -s_srs "));
    SCIARA_TRY(sciara_shell_quote(out, s->guess));
  }
  if (crs) {
    SCIARA_TRY(sciara_text_append(out, " -t_srs "));
    SCIARA_TRY(sciara_shell_quote(out, crs));
  } else if (s->srs && (!sciara_srs_is_metric(s->srs) || s->scale > 0)) {
    const int utm = sciara_source_utm(s);
    SCIARA_TRY(utm ? sciara_text_append(out, " -t_srs EPSG:%d", utm) : sciara_text_append(out, " -t_srs EPSG:CODE"));
  }
  if (cell == 0 && s->dx > 0) cell = sciara_source_round_cell(s);
  if (cell > 0) SCIARA_TRY(sciara_text_append(out, " -tr %.10g %.10g -tap", cell, cell));
  if (s->srs && OSRIsCompound(s->srs)) SCIARA_TRY(sciara_text_append(out, " -novshift")); // altitudes stay
  SCIARA_TRY(sciara_text_append(out, " -r bilinear -ot Float32 -dstnodata -9999 "));
  return sciara_source_append_paths(s->path, "-metric", out);
}

// ---------------------------------------------------------------------------------------------------------- first bytes

static const char again[] = "copy or download it again";

/** Files that are recognised by how they begin. `command` is applied to the path and writes the file that is needed. */
static const struct {
  const char *begin;
  size_t length;
  const char *is, *cure, *command, *suffix; ///< the suffix that the command's file does not have
} kinds[] = {
    {"\x1f\x8b", 2, "is compressed by gzip", "unpack it with", "gzip -dc", ".gz"},
    {"BZh", 3, "is compressed by bzip2", "unpack it with", "bzip2 -dc", ".bz2"},
    {"\xfd"
     "7zXZ",
     5, "is compressed by xz", "unpack it with", "xz -dc", ".xz"},
    {"\x28\xb5\x2f\xfd", 4, "is compressed by zstd", "unpack it with", "zstd -dc", ".zst"},
    {"PK\x03\x04", 4, "is a ZIP archive; unpack it, and name the file in it", NULL, NULL, NULL},
    {"7z\xbc\xaf", 4, "is a 7-Zip archive; unpack it, and name the file in it", NULL, NULL, NULL},
    {"Rar!", 4, "is a RAR archive; unpack it, and name the file in it", NULL, NULL, NULL},
    {"%PDF", 4, "is a PDF document", NULL, NULL, NULL},
    {"version https://git-lfs.", 24, "is a Git LFS pointer, not the file itself; fetch that with: git lfs pull", NULL,
     NULL, NULL},
    {"\xef\xbb\xbf", 3, "begins with a byte order mark (UTF-8)", "remove it with", "tail -c +4", NULL},
    {"\xff\xfe", 2, "is text in UTF-16", "convert it with", "iconv -f UTF-16 -t ASCII", NULL},
    {"\xfe\xff", 2, "is text in UTF-16", "convert it with", "iconv -f UTF-16 -t ASCII", NULL},
    {"n\0c\0o\0l\0", 8, "is text in UTF-16", "convert it with", "iconv -f UTF-16LE -t ASCII", NULL},
    {"\0n\0c\0o\0l", 8, "is text in UTF-16", "convert it with", "iconv -f UTF-16BE -t ASCII", NULL},
};

static bool begins_as(const char *text, const char *word) { return strncasecmp(text, word, strlen(word)) == 0; }

/** A file of text, after a byte order mark and blanks; NULL: nothing is remarkable. */
static const char *explain_text(const char *text) {
  if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
  while (isspace((unsigned char)*text)) text++;
  if (begins_as(text, "<!doctype html") || begins_as(text, "<html") || begins_as(text, "<head"))
    return "is a web page (HTML), perhaps of a login or of an error";
  return begins_as(text, "<?xml") ? "is an XML document, perhaps the error of a server" : NULL;
}

/** Whether the header of an ASCII grid has commas or semicolons where blanks are needed. */
static bool is_grid_with_commas(const char *text) {
  static const char key[] = "ncols";
  return begins_as(text, key) && strpbrk(text + strlen(key), ",;\n") && *strpbrk(text + strlen(key), ",;\n") != '\n';
}

/** " 'PATH' > 'TARGET'": the path without the suffix, or with "-plain" before its extension. */
static enum sciara_status append_files(const char *path, const char *suffix, struct sciara_text *out) {
  const size_t length = strlen(path), end = suffix ? strlen(suffix) : 0, stem = sciara_path_stem(path);
  char *target = end && length > end && strcasecmp(path + length - end, suffix) == 0
                     ? sciara_format("%.*s", (int)(length - end), path)
                     : sciara_format("%.*s-plain%s", (int)stem, path, path + stem);
  if (!target) return sciara_no_memory("a command");
  enum sciara_status status = sciara_text_append(out, " ");
  if (status == SCIARA_OK) status = sciara_shell_quote(out, path);
  if (status == SCIARA_OK) status = sciara_text_append(out, " > ");
  if (status == SCIARA_OK) status = sciara_shell_quote(out, target);
  free(target);
  return status;
}

enum sciara_status sciara_source_explain(const char *path, struct sciara_text *out) {
  char text[256] = {0};
  int fd;
  SCIARA_TRY(sciara_input_open(path, &fd));
  const ssize_t length = pread(fd, text, sizeof text - 1, 0);
  close(fd);
  if (length < 0) return SCIARA_OK; // the reader has its own message
  if (length == 0) return sciara_text_append(out, "is empty (0 bytes); %s", again);
  const char *found = explain_text(text);
  if (found) return sciara_text_append(out, "%s; %s", found, again);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if ((size_t)length < kinds[k].length || memcmp(text, kinds[k].begin, kinds[k].length) != 0) continue;
    SCIARA_TRY(sciara_text_append(out, "%s", kinds[k].is));
    if (!kinds[k].command) return SCIARA_OK;
    SCIARA_TRY(sciara_text_append(out, "; %s: %s", kinds[k].cure, kinds[k].command));
    return append_files(path, kinds[k].suffix, out);
  }
  if (!is_grid_with_commas(text)) return SCIARA_OK;
  SCIARA_TRY(sciara_text_append(out, "has commas or semicolons in the header of an ASCII grid; replace them with: "
                                     "sed '/^[a-zA-Z]/s/[,;]/ /'"));
  return append_files(path, NULL, out);
}
