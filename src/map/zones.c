// SPDX-License-Identifier: Apache-2.0
#include "map/zones.h"

#include <math.h>
#include <stdio.h>

#include "base/date.h"
#include "base/mem.h"

const double sciara_zones_shares[SCIARA_ZONES_SHARES] = {0.01, 0.05, 0.1, 0.25, 0.5, 0.75};

void sciara_zones_free(struct sciara_zones *z) {
  sciara_free(z->member);
  sciara_free(z->zone);
  *z = (struct sciara_zones){0};
}

/** Memory for the zones; on failure there are none. */
static enum sciara_status make(struct sciara_zones *z, int64_t cells, size_t count) {
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(z->member, cells, "the zones of a map"));
  SCIARA_TRY_GOTO(SCIARA_NEW(z->zone, count, "the zones of a map"));
  z->count = count;
cleanup:
  if (status != SCIARA_OK) sciara_zones_free(z);
  return status;
}

static void put(struct sciara_zones *z, int64_t cell, size_t zone) {
  z->member[cell] = (int32_t)zone + 1;
  z->zone[zone].cells++;
}

enum sciara_status sciara_zones_outline(const double *values, int64_t cells, double nodata, struct sciara_zones *out) {
  *out = (struct sciara_zones){.name = "outline"};
  SCIARA_TRY(make(out, cells, 1));
  out->zone[0] = (struct sciara_zone){.lower = NAN, .upper = NAN, .label = "lava"};
  for (int64_t i = 0; i < cells; i++)
    if (values[i] != nodata) put(out, i, 0);
  return SCIARA_OK;
}

enum sciara_status sciara_zones_numbered(const char *name, const uint16_t *number, int64_t cells,
                                         const char *const *labels, size_t count, struct sciara_zones *out) {
  *out = (struct sciara_zones){.name = name, .named = true};
  SCIARA_TRY(make(out, cells, count));
  for (size_t k = 0; k < count; k++) {
    out->zone[k] = (struct sciara_zone){.lower = NAN, .upper = NAN};
    snprintf(out->zone[k].label, sizeof out->zone[k].label, "%s", labels[k]);
  }
  for (int64_t i = 0; i < cells; i++)
    if (number[i] > 0 && number[i] <= count) put(out, i, number[i] - 1);
  return SCIARA_OK;
}

static void describe_class(struct sciara_zone *zone, double lower, double upper) {
  *zone = (struct sciara_zone){.lower = lower, .upper = upper};
  if (lower == 0)
    snprintf(zone->label, sizeof zone->label, "below %.9g m", upper);
  else if (isinf(upper))
    snprintf(zone->label, sizeof zone->label, "%.9g m and more", lower);
  else
    snprintf(zone->label, sizeof zone->label, "%.9g to %.9g m", lower, upper);
}

enum sciara_status sciara_zones_classes(const double *values, int64_t cells, double nodata, const double *edges,
                                        size_t count, struct sciara_zones *out) {
  *out = (struct sciara_zones){.name = "thickness_classes", .lower = "lower_m", .upper = "upper_m", .ramp = "deposit"};
  SCIARA_TRY(make(out, cells, count + 1));
  for (size_t k = 0; k <= count; k++)
    describe_class(&out->zone[k], k == 0 ? 0 : edges[k - 1], k == count ? INFINITY : edges[k]);
  for (int64_t i = 0; i < cells; i++) {
    if (values[i] == nodata) continue;
    size_t k = 0;
    while (k < count && values[i] >= edges[k]) k++;
    put(out, i, k);
  }
  return SCIARA_OK;
}

void sciara_zones_nest(struct sciara_zones *z, enum sciara_zones_nesting nesting) {
  z->nesting = nesting;
  for (size_t k = 1; k < z->count; k++) {
    if (nesting == SCIARA_ZONES_AND_ABOVE) z->zone[z->count - 1 - k].cells += z->zone[z->count - k].cells;
    if (nesting == SCIARA_ZONES_AND_BELOW) z->zone[k].cells += z->zone[k - 1].cells;
  }
}

enum sciara_status sciara_zones_at_least(const char *name, const double *values, int64_t cells, double nodata,
                                         const double *edges, size_t count, struct sciara_zones *out) {
  *out = (struct sciara_zones){.name = name, .lower = "probability", .ramp = "probability"};
  SCIARA_TRY(make(out, cells, count));
  for (size_t k = 0; k < count; k++) {
    out->zone[k] = (struct sciara_zone){.lower = edges[k], .upper = NAN};
    snprintf(out->zone[k].label, sizeof out->zone[k].label, "%.9g %% and more", 100 * edges[k]);
  }
  for (int64_t i = 0; i < cells; i++) {
    size_t k = 0;
    if (values[i] == nodata) continue;
    while (k < count && (float)values[i] >= (float)edges[k]) k++;
    if (k > 0) put(out, i, k - 1);
  }
  sciara_zones_nest(out, SCIARA_ZONES_AND_ABOVE);
  return SCIARA_OK;
}

static double largest(const double *values, int64_t cells, double nodata) {
  double most = -1;
  for (int64_t i = 0; i < cells; i++)
    if (values[i] != nodata && values[i] > most) most = values[i];
  return most;
}

/** The k with zero + k * step <= value < zero + (k + 1) * step, as these are rounded, which are the reported edges. */
static double interval_of(double value, double zero, double step) {
  double k = floor((value - zero) / step);
  while (k > 0 && zero + k * step > value) k--;
  while (zero + (k + 1) * step <= value) k++;
  return k;
}

/** The midnight before the start, s; 0 without a date. */
static double midnight_before(const char *start) {
  const double day = 86400;
  double from;
  bool zoned;
  if (!start || !sciara_parse_date(start, &from, &zoned)) return 0;
  from += sciara_shown_zone();
  return day * floor(from / day) - from;
}

/**
 * The largest unit in which every edge is a whole number; else seconds. Clock times would be taken for a type of their
 * own.
 */
static const char *label_unit(double step, double *seconds) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
  size_t k = 0;
  while (k < 3 && fmod(step, units[k].seconds) != 0) k++;
  *seconds = units[k].seconds;
  return units[k].name;
}

enum sciara_status sciara_zones_isochrones(const double *values, int64_t cells, double nodata, double step,
                                           const char *start, struct sciara_zones *out) {
  *out = (struct sciara_zones){.name = "arrival", .lower = "from_s", .upper = "until_s", .ramp = "arrival_time"};
  const double most = largest(values, cells, nodata);
  if (most / step >= SCIARA_ZONES_MOST)
    return sciara_fail(SCIARA_ERR_USAGE,
                       "isochrones every %.9g s: the last lava arrives after %.9g s, expected at most %d isochrones",
                       step, most, SCIARA_ZONES_MOST);
  const double zero = midnight_before(start), first = interval_of(0, zero, step);
  SCIARA_TRY(make(out, cells, most < 0 ? 0 : (size_t)(interval_of(most, zero, step) - first) + 1));
  double seconds;
  const char *unit = label_unit(step, &seconds);
  for (size_t k = 0; k < out->count; k++) {
    struct sciara_zone *zone = &out->zone[k];
    *zone = (struct sciara_zone){.lower = fmax(0, zero + (first + (double)k) * step),
                                 .upper = zero + (first + (double)k + 1) * step};
    char from[40], until[40];
    if (sciara_word_clock(SCIARA_ENGLISH, start, zone->lower, from, sizeof from) &&
        sciara_word_clock(SCIARA_ENGLISH, start, zone->upper, until, sizeof until))
      snprintf(zone->label, sizeof zone->label, "%s to %s %s", from, until, sciara_shown_zone_name());
    else
      snprintf(zone->label, sizeof zone->label, "%.9g to %.9g %s", zone->lower / seconds, zone->upper / seconds, unit);
  }
  for (int64_t i = 0; i < cells; i++)
    if (values[i] != nodata) put(out, i, (size_t)(interval_of(values[i], zero, step) - first));
  return SCIARA_OK;
}

void sciara_zones_name_ends(struct sciara_zones *z, enum sciara_language language, const char *start, double latest,
                            bool zone) {
  for (size_t k = 0; k < z->count; k++) {
    const double end = fmin(z->zone[k].upper, latest);
    char clock[48];
    if (!sciara_word_clock(language, start, end, clock, sizeof clock))
      sciara_word_duration(language, end, z->zone[k].label, sizeof z->zone[k].label);
    else
      snprintf(z->zone[k].label, sizeof z->zone[k].label, "%s%s%s", clock, zone ? " " : "",
               zone ? sciara_shown_zone_name() : "");
  }
}

double sciara_isochrone_step(const double *values, int64_t cells, double nodata) {
  enum { DOZEN = 12, MINUTE = 60, HOUR = 3600, DAY = 86400 };
  static const double steps[] = {1,        10,        MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR,     3 * HOUR,
                                 6 * HOUR, 12 * HOUR, DAY,    2 * DAY,     5 * DAY,     10 * DAY, 30 * DAY};
  const size_t count = sizeof steps / sizeof *steps;
  const double most = largest(values, cells, nodata);
  size_t k = 0;
  while (k + 1 < count && most >= DOZEN * steps[k]) k++;
  double step = steps[k];
  while (most >= DOZEN * step) step *= 2;
  return step;
}
