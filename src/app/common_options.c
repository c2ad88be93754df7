// SPDX-License-Identifier: Apache-2.0
#include "app/common_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "base/text.h"
#include "export/picture_look.h"
#include "file/csv.h"
#include "file/durable.h"
#include "model/field.h"

enum sciara_checksum_rule sciara_checksum_rule(const struct sciara_arguments *a) {
  return sciara_argument_given(a, SCIARA_ALLOW_MISSING_CHECKSUM) ? SCIARA_CHECKSUM_OPTIONAL : SCIARA_CHECKSUM_REQUIRED;
}

enum sciara_status sciara_observed_request(const struct sciara_arguments *a, const char *drivers[SCIARA_MOST_GIVEN],
                                           struct sciara_observation_request *out) {
  *out = (struct sciara_observation_request){.path = sciara_argument(a, "observed"),
                                             .layer = sciara_argument(a, "observed-layer"),
                                             .extra_drivers = drivers,
                                             .extra_driver_count = sciara_arguments_all(a, "allow-driver", drivers)};
  if (out->path) return SCIARA_OK;
  if (out->layer) return sciara_fail(SCIARA_ERR_USAGE, "--observed-layer: allowed only with --observed FILE");
  if (out->extra_driver_count == 0 || sciara_argument(a, "background") || sciara_argument(a, "assets"))
    return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE, "--allow-driver: allowed only with --observed FILE");
}

struct sciara_pois_request sciara_assets_request(const struct sciara_arguments *a,
                                                 const char *drivers[SCIARA_MOST_GIVEN]) {
  return (struct sciara_pois_request){.path = sciara_argument(a, "assets"),
                                      .layer = sciara_argument(a, "layer"),
                                      .name_column = sciara_argument(a, "names"),
                                      .extra_drivers = drivers,
                                      .extra_driver_count = sciara_arguments_all(a, "allow-driver", drivers)};
}

enum sciara_status sciara_take_whole(const char *option, const char *text, double least, double most, double *value) {
  if (!text || (sciara_parse_double(text, value) && *value >= least && *value <= most && *value == floor(*value)))
    return SCIARA_OK;
  if (most >= 0x1p52)
    return sciara_fail(SCIARA_ERR_USAGE, "--%s: expected a whole number >= %.0f, found \"%s\"", option, least, text);
  return sciara_fail(SCIARA_ERR_USAGE, "--%s: expected a whole number from %.0f to %.0f, found \"%s\"", option, least,
                     most, text);
}

enum sciara_status sciara_take_workers(const struct sciara_arguments *a, int *workers) {
  const char *text = sciara_argument(a, "workers");
  int64_t count = 0;
  if (text && (!sciara_csv_size(text, &count) || count < 1 || count > 4096))
    return sciara_fail(SCIARA_ERR_USAGE, "--workers: expected 1 to 4096, found \"%s\"", text);
  *workers = (int)count;
  return SCIARA_OK;
}

enum sciara_status sciara_take_min_thickness(const struct sciara_arguments *a, double *metres) {
  const char *text = sciara_argument(a, "min-thickness");
  if (!text || (sciara_parse_double(text, metres) && *metres >= 0)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE, "--min-thickness: expected a number >= 0 (m), found \"%s\"", text);
}

enum sciara_status sciara_check_extension(const char *option, const char *path, const char *const *extensions) {
  struct sciara_text all = {0};
  for (const char *const *e = extensions; *e; e++) {
    if (sciara_has_extension(path, *e)) {
      sciara_text_free(&all);
      return SCIARA_OK;
    }
    sciara_text_append(&all, "%s.%s", e == extensions ? "" : " or ", *e);
  }
  sciara_fail(SCIARA_ERR_USAGE, "--%s: expected a name that ends in %s, found \"%s\"", option,
              all.data ? all.data : "another extension", path);
  sciara_text_free(&all);
  return SCIARA_ERR_USAGE;
}

/** Short names of some fields. */
static const char *unalias(const char *name) {
  if (strcmp(name, "liquid") == 0) return sciara_field_name(SCIARA_FIELD_THICKNESS);
  if (strcmp(name, "solid") == 0) return sciara_field_name(SCIARA_FIELD_SOLID_THICKNESS);
  if (strcmp(name, "arrival") == 0) return sciara_field_name(SCIARA_FIELD_ARRIVAL_TIME);
  return name;
}

enum sciara_status sciara_field_parse(const char *name, enum sciara_field *out) {
  *out = sciara_field_find(unalias(name));
  if (*out != SCIARA_FIELD_COUNT) return SCIARA_OK;
  const char *names[SCIARA_FIELD_COUNT];
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) names[f] = sciara_field_name((enum sciara_field)f);
  const char *closest = sciara_closest_name(name, names, SCIARA_FIELD_COUNT);
  if (closest) return sciara_fail(SCIARA_ERR_USAGE, "there is no field \"%s\"; did you mean \"%s\"?", name, closest);
  struct sciara_text all = {0};
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) sciara_text_append(&all, "%s%s", f ? ", " : "", names[f]);
  sciara_fail(SCIARA_ERR_USAGE, "there is no field \"%s\"; the fields are %s", name, all.data ? all.data : "others");
  sciara_text_free(&all);
  return SCIARA_ERR_USAGE;
}

// -------------------------------------------------------------------------------------------------------------- places

/** A number, and the letter behind it (E, W, N, S), or 0. False: it is none. */
static bool parse_number(const char *text, size_t length, double *value, char *letter) {
  char copy[64];
  while (length > 0 && *text == ' ') text++, length--;
  while (length > 0 && text[length - 1] == ' ') length--;
  if (length == 0 || length >= sizeof copy) return false;
  snprintf(copy, sizeof copy, "%.*s", (int)length, text);
  *letter = '\0';
  if (strchr("EWNSewns", copy[length - 1])) {
    *letter = (char)(copy[length - 1] & ~0x20); // a capital
    copy[--length] = '\0';
  }
  return sciara_parse_double(copy, value);
}

/** Puts a number in degrees into its point. False: the letters do not make a pair, or the number has a sign as well. */
static bool put_degree(double value, char letter, bool taken[2], struct sciara_point *p) {
  const int axis = letter == 'N' || letter == 'S';
  if (taken[axis] || value < 0) return false;
  taken[axis] = true;
  *(axis ? &p->y : &p->x) = letter == 'W' || letter == 'S' ? -value : value;
  return true;
}

enum sciara_place_text sciara_place_parse(const char *text, size_t count, struct sciara_point *points) {
  bool taken[2] = {false}, degrees = false;
  for (size_t k = 0; k < 2 * count; k++) {
    const char *comma = strchr(text, ',');
    double value;
    char letter;
    if (!comma != (k + 1 == 2 * count) ||
        !parse_number(text, comma ? (size_t)(comma - text) : strlen(text), &value, &letter))
      return SCIARA_PLACE_NAME;
    if (k % 2 == 0) taken[0] = taken[1] = false;
    if (k > 0 && degrees != (letter != '\0')) return SCIARA_PLACE_NAME;
    degrees = letter != '\0';
    if (degrees && !put_degree(value, letter, taken, &points[k / 2])) return SCIARA_PLACE_NAME;
    if (!degrees) *(k % 2 ? &points[k / 2].y : &points[k / 2].x) = value;
    text = comma ? comma + 1 : text;
  }
  return degrees ? SCIARA_PLACE_DEGREES : SCIARA_PLACE_METRES;
}

// ------------------------------------------------------------------------------------------------------------ pictures

static enum sciara_status parse_width(const struct sciara_arguments *a, int64_t *width) {
  const char *text = sciara_argument(a, "width");
  double value;
  *width = 0;
  if (!text) return SCIARA_OK;
  if (!sciara_parse_double(text, &value) || value != (double)(int64_t)value || value < SCIARA_PICTURE_NARROWEST ||
      value > SCIARA_PICTURE_WIDEST)
    return sciara_fail(SCIARA_ERR_USAGE, "--width: expected a whole number of pixels from %d to %d, found \"%s\"",
                       SCIARA_PICTURE_NARROWEST, SCIARA_PICTURE_WIDEST, text);
  *width = (int64_t)value;
  return SCIARA_OK;
}

static void parse_extent(const char *text, struct sciara_picture_look *out) {
  struct sciara_point corner[2];
  out->extent = SCIARA_PICTURE_OF_LAVA;
  if (!text || strcmp(text, "lava") == 0) return;
  out->extent = SCIARA_PICTURE_OF_DEM;
  if (strcmp(text, "dem") == 0) return;
  const enum sciara_place_text is = sciara_place_parse(text, 2, corner);
  const bool degrees = is == SCIARA_PLACE_DEGREES; // of any two corners
  out->extent = is == SCIARA_PLACE_METRES ? SCIARA_PICTURE_OF_BOX
                : degrees                 ? SCIARA_PICTURE_OF_DEGREES
                                          : SCIARA_PICTURE_OF_PLACE;
  out->place = text;
  if (is == SCIARA_PLACE_NAME) return;
  out->box[0] = degrees ? fmin(corner[0].x, corner[1].x) : corner[0].x;
  out->box[1] = degrees ? fmin(corner[0].y, corner[1].y) : corner[0].y;
  out->box[2] = degrees ? fmax(corner[0].x, corner[1].x) : corner[1].x;
  out->box[3] = degrees ? fmax(corner[0].y, corner[1].y) : corner[1].y;
}

/** A date, or a date and a time in UTC, as it is to be written; *out is the moment, s since 1970. */
static enum sciara_status parse_date(const struct sciara_arguments *a, const char *option, char shown[32],
                                     double *out) {
  const char *text = sciara_argument(a, option);
  bool zoned;
  shown[0] = '\0';
  if (!text) return SCIARA_OK;
  if (sciara_parse_date(text, out, &zoned)) {
    if (strlen(text) == sizeof "2026-05-10" - 1)
      snprintf(shown, 32, "%s", text);
    else
      sciara_minute_after(text, 0, shown);
  }
  if (*shown) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE,
                     "--%s: expected a date such as 2026-05-10, or with a time in UTC such as 2026-05-10T04:00Z; found "
                     "\"%s\"",
                     option, text);
}

static enum sciara_status parse_validity(const struct sciara_arguments *a, struct sciara_picture_look *out) {
  double issued = 0, until = 0;
  SCIARA_TRY(parse_date(a, "issued", out->issued, &issued));
  SCIARA_TRY(parse_date(a, "valid-until", out->valid_until, &until));
  if (out->issued[0] && out->valid_until[0] && until < issued)
    return sciara_fail(SCIARA_ERR_USAGE, "--valid-until: expected a date after --issued %s, found %s", out->issued,
                       out->valid_until);
  return SCIARA_OK;
}

static enum sciara_status check_texts(const struct sciara_arguments *a) {
  static const char *const options[] = {"title", "credits", "stamp"};
  for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
    const char *text = sciara_argument(a, options[k]);
    if (text && !sciara_is_utf8(text)) // other bytes would be replaced silently
      return sciara_fail(SCIARA_ERR_USAGE, "--%s: expected UTF-8, found \"%s\"", options[k], text);
  }
  return SCIARA_OK;
}

enum sciara_status sciara_picture_options_read(const struct sciara_arguments *a, const char *const *drivers,
                                               size_t driver_count, struct sciara_picture_look *out) {
  const char *language = sciara_argument(a, "language");
  *out = (struct sciara_picture_look){.title = sciara_argument(a, "title"),
                                      .credits = sciara_argument(a, "credits"),
                                      .stamp = sciara_argument(a, "stamp"),
                                      .logo = sciara_argument(a, "logo"),
                                      .background = sciara_argument(a, "background"),
                                      .graticule = sciara_argument_given(a, "graticule"),
                                      .extra_drivers = drivers,
                                      .extra_driver_count = driver_count};
  SCIARA_TRY(check_texts(a));
  if (language) SCIARA_TRY(sciara_fail_context(sciara_language_parse(language, &out->language), "--language"));
  parse_extent(sciara_argument(a, "extent"), out);
  SCIARA_TRY(parse_validity(a, out));
  return parse_width(a, &out->width);
}
