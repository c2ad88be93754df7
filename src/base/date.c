// SPDX-License-Identifier: Apache-2.0
#include "base/date.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

enum { DAY = 86400 };

static bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

static int days_of_month(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month - 1] + (month == 2 && is_leap(year));
}

/** Days from 0001-01-01 to the first day of a year. */
static int64_t days_before(int year) {
  const int64_t y = year - 1;
  return 365 * y + y / 4 - y / 100 + y / 400;
}

static int64_t days_since_1970(int year, int month, int day) {
  int64_t days = days_before(year) - days_before(1970) + day - 1;
  for (int m = 1; m < month; m++) days += days_of_month(year, m);
  return days;
}

/** Exactly `digits` digits at *text, which moves behind them. */
static bool take(const char **text, int digits, int *out) {
  *out = 0;
  for (; digits > 0; digits--, (*text)++) {
    if (**text < '0' || **text > '9') return false;
    *out = 10 * *out + (**text - '0');
  }
  return true;
}

static bool take_char(const char **text, char c) {
  if (**text != c) return false;
  (*text)++;
  return true;
}

/** "23:30", "23:30:05", "23:30:05.25". */
static bool take_time(const char **text, double *seconds) {
  int hour, minute, second = 0;
  double fraction = 0;
  if (!take(text, 2, &hour) || !take_char(text, ':') || !take(text, 2, &minute)) return false;
  if (take_char(text, ':')) {
    if (!take(text, 2, &second)) return false;
    if (take_char(text, '.')) {
      double scale = 0.1;
      int digit;
      if (**text < '0' || **text > '9') return false;
      for (; take(text, 1, &digit); scale *= 0.1) fraction += scale * digit;
    }
  }
  *seconds = 3600 * hour + 60 * minute + second + fraction;
  return hour < 24 && minute < 60 && second < 60;
}

/** What follows a time of day; the offset in seconds is to be subtracted. */
static bool take_zone(const char *text, double *offset, bool *zoned) {
  int hours, minutes;
  *zoned = *text != '\0';
  *offset = 0;
  if (!*zoned || strcmp(text, "Z") == 0) return true;
  if (*text == ' ') text++;
  if (strcmp(text, "GMT") == 0 || (strncmp(text, "UTC", 3) == 0 && !*(text += 3))) return true;
  const char sign = *text;
  if ((sign != '+' && sign != '-') || (text++, !take(&text, 2, &hours))) return false;
  minutes = 0; // "+02", as PostgreSQL writes it
  if ((take_char(&text, ':') || *text) && !take(&text, 2, &minutes)) return false;
  if (*text || hours > 14 || minutes > 59) return false;
  *offset = (sign == '-' ? -60 : 60) * (60 * hours + minutes);
  return true;
}

bool sciara_parse_date(const char *text, double *seconds, bool *zoned) {
  int year, month, day;
  double time = 0, offset = 0;
  *zoned = false;
  if (!take(&text, 4, &year) || !take_char(&text, '-') || !take(&text, 2, &month) || !take_char(&text, '-') ||
      !take(&text, 2, &day))
    return false;
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_of_month(year, month)) return false;
  if (take_char(&text, 'T') || take_char(&text, ' ')) {
    if (!take_time(&text, &time) || !take_zone(text, &offset, zoned)) return false;
  } else if (*text) {
    return false;
  }
  *seconds = (double)(days_since_1970(year, month, day) * DAY) + time - offset;
  return true;
}

void sciara_print_date(double seconds, char text[SCIARA_DATE_SIZE]) {
  text[0] = '\0';
  const double first = (double)(days_since_1970(1, 1, 1) * DAY), end = (double)(days_since_1970(10000, 1, 1) * DAY);
  if (!(seconds >= first && seconds < end)) return;
  const int64_t whole = (int64_t)floor(seconds), days = (whole >= 0 ? whole : whole - DAY + 1) / DAY;
  const int rest = (int)(whole - days * DAY);
  int year = 1970 + (int)(days / (days < 0 ? 365 : 366)) - (days < 0), month = 1; // not after the true year
  while (days_since_1970(year + 1, 1, 1) <= days) year++;
  while (month < 12 && days_since_1970(year, month + 1, 1) <= days) month++;
  const unsigned day = (unsigned)(days - days_since_1970(year, month, 1)) + 1;
  snprintf(text, SCIARA_DATE_SIZE, "%04u-%02u-%02uT%02u:%02u:%02uZ", (unsigned)year % 10000, (unsigned)month % 100,
           day % 100, (unsigned)rest / 3600 % 24, (unsigned)rest / 60 % 60, (unsigned)rest % 60);
}

bool sciara_date_after(const char *start, double seconds, char text[SCIARA_DATE_SIZE]) {
  double from;
  bool zoned;
  text[0] = '\0';
  if (start && sciara_parse_date(start, &from, &zoned)) sciara_print_date(from + floor(seconds), text);
  return text[0] != '\0';
}

double sciara_date_at(const char *start, double seconds) {
  double from;
  bool zoned;
  return start && seconds >= 0 && seconds < 1e12 && sciara_parse_date(start, &from, &zoned) ? from + seconds : 0;
}

static struct {
  double offset;
  char name[sizeof "UTC+02:00"];
} zone = {0, "UTC"};

double sciara_shown_zone(void) { return zone.offset; }

const char *sciara_shown_zone_name(void) { return zone.name; }

enum sciara_status sciara_show_zone(const char *text) {
  double offset;
  bool zoned;
  if (strcmp(text, "Z") == 0 || !take_zone(text, &offset, &zoned) || !zoned)
    return sciara_fail(SCIARA_ERR_USAGE, "--time-zone: expected UTC or an offset such as +02:00, found \"%s\"", text);
  zone.offset = offset;
  snprintf(zone.name, sizeof zone.name, "UTC");
  const unsigned minutes = (unsigned)(fabs(offset) / 60);
  if (minutes > 0)
    snprintf(zone.name, sizeof zone.name, "UTC%c%02u:%02u", offset < 0 ? '-' : '+', minutes / 60 % 100, minutes % 60);
  return SCIARA_OK;
}

bool sciara_minute_after(const char *start, double seconds, char text[SCIARA_MINUTE_SIZE]) {
  char date[SCIARA_DATE_SIZE];
  text[0] = '\0';
  if (sciara_date_after(start, (seconds < 3600 ? seconds : 60 * round(seconds / 60)) + zone.offset, date))
    snprintf(text, SCIARA_MINUTE_SIZE, "%.10s %.5s %s", date, date + sizeof "2026-05-11", zone.name);
  return text[0] != '\0';
}

bool sciara_zoned_after(const char *start, double seconds, char text[SCIARA_MINUTE_SIZE]) {
  char date[SCIARA_DATE_SIZE];
  text[0] = '\0';
  if (sciara_date_after(start, seconds + zone.offset, date))
    snprintf(text, SCIARA_MINUTE_SIZE, "%.19s%s", date, zone.name[3] ? zone.name + 3 : "Z");
  return text[0] != '\0';
}

void sciara_append_minute(const char *start, double seconds, char *text, size_t capacity) {
  const size_t used = strlen(text);
  char date[SCIARA_MINUTE_SIZE];
  if (sciara_minute_after(start, seconds, date)) snprintf(text + used, capacity - used, " (%s)", date);
}

const char *sciara_print_moment(const char *start, double seconds, char text[SCIARA_MOMENT_SIZE]) {
  sciara_print_duration(seconds, text, SCIARA_MOMENT_SIZE);
  sciara_append_minute(start, seconds, text, SCIARA_MOMENT_SIZE);
  return text;
}

enum sciara_status sciara_take_time(const char *option, const char *text, const char *start, const char *whose,
                                    double *seconds) {
  double date, from;
  bool zoned;
  if (sciara_parse_date(text, &date, &zoned)) {
    if (!start || !sciara_parse_date(start, &from, &zoned))
      return sciara_fail(SCIARA_ERR_USAGE,
                         "%s: expected a simulated time such as \"6 h\", for %s has no date (run.start); found \"%s\"",
                         option, whose, text);
    *seconds = date - from;
    if (*seconds > 0) return SCIARA_OK;
    return sciara_fail(SCIARA_ERR_USAGE, "%s: expected a date after %s, from which times of %s count; found \"%s\"",
                       option, start, whose, text);
  }
  if (sciara_parse_duration(text, seconds) && *seconds > 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE,
                     "%s: expected a time above 0 such as \"6 h\", or a date such as 2006-07-14T12:00Z, found \"%s\"",
                     option, text);
}

void sciara_date_now(char text[SCIARA_DATE_SIZE]) { sciara_print_date((double)time(NULL), text); }
