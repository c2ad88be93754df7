// SPDX-License-Identifier: Apache-2.0
#include "app/common_options.h"

#include <math.h>
#include <string.h>

#include "base/date.h"
#include "base/text.h"
#include "export/picture_look.h"

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
