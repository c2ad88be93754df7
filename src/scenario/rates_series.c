// SPDX-License-Identifier: Apache-2.0
// The rows of a file of effusion rates, and the table that they become.
#include <math.h>
#include <string.h>

#include "base/date.h"
#include "base/mem.h"
#include "scenario/rates_lines.h"

// ------------------------------------------------------------------------------------------------------------- lines

enum sciara_status sciara_rates_take(struct sciara_rates_lines *l, char *value[SCIARA_RATES_MAX_COLUMNS],
                                     size_t *count) {
  l->line = l->csv.line;
  return sciara_csv_take_row(&l->csv, SCIARA_RATES_MAX_COLUMNS, value, count);
}

const char *sciara_rates_shown(const char *text, char buffer[64]) {
  size_t n = 0;
  for (; n < 60 && text[n]; n++) buffer[n] = (unsigned char)text[n] < 0x20 || text[n] == 0x7F ? '?' : text[n];
  memcpy(buffer + n, text[n] ? "..." : "", text[n] ? 4 : 1);
  return buffer;
}

enum sciara_status sciara_rates_refuse(const struct sciara_rates_lines *l, const char *found, const char *allowed) {
  char buffer[64];
  return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected %s, found \"%s\"", l->path, l->line, allowed,
                     sciara_rates_shown(found, buffer));
}

// -------------------------------------------------------------------------------------------------------------- rows

enum sciara_status sciara_rates_series_begin(const struct sciara_rates_lines *l, struct sciara_rates_series *s) {
  const size_t lines = sciara_csv_lines(&l->csv);
  *s = (struct sciara_rates_series){
      .path = l->path, .notes = l->notes, .capacity = lines < SCIARA_RATES_MAX_ROWS ? lines : SCIARA_RATES_MAX_ROWS};
  SCIARA_TRY(SCIARA_NEW(s->times, s->capacity + 1, l->path));
  return SCIARA_NEW(s->rates, s->capacity + 1, l->path);
}

void sciara_rates_series_free(struct sciara_rates_series *s) {
  sciara_free(s->times);
  sciara_free(s->rates);
  *s = (struct sciara_rates_series){0};
}

enum sciara_status sciara_rates_series_add(const struct sciara_rates_lines *l, struct sciara_rates_series *s,
                                           double time, double rate) {
  if (s->count == s->capacity)
    return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected at most %d rows, found more", l->path, l->line,
                       SCIARA_RATES_MAX_ROWS);
  if (s->count > 0 && !(time > s->times[s->count - 1]))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s:%zu: expected a time after that of the previous row, %.17g s; found %.17g s", l->path,
                       l->line, s->times[s->count - 1], time);
  if (isnan(rate) && s->first_gap_line == 0) s->first_gap_line = l->line;
  s->times[s->count] = time;
  s->rates[s->count++] = rate;
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------ what is assumed

/** A time for people: a date in a dated table. */
static const char *time_text(double start, double time, char buffer[40]) {
  char date[SCIARA_DATE_SIZE] = "";
  if (!isnan(start)) sciara_print_date(start + time, date);
  if (*date)
    snprintf(buffer, 40, "%s", date);
  else
    snprintf(buffer, 40, "%.10g s", time);
  return buffer;
}

/** Reports intervals that are longer than the usual one of a regular table; that before a last rate of 0 is as it is meant. */
static void report_missing_rows(const struct sciara_rates_series *s, double start) {
  const size_t intervals = s->count - 1;
  const bool closing = !(s->rates[intervals] > 0);
  double usual = INFINITY;
  size_t regular = 0, longer = 0, first = 0;
  for (size_t k = 0; k < intervals; k++) usual = fmin(usual, s->times[k + 1] - s->times[k]);
  for (size_t k = intervals; k-- > 0;) {
    const double interval = s->times[k + 1] - s->times[k];
    regular += interval <= usual * (1 + 1e-6);
    if (!(interval > 1.5 * usual) || (closing && k == intervals - 1)) continue;
    longer++;
    first = k;
  }
  if (intervals < 3 || 2 * regular <= intervals || longer == 0) return;
  char from[40], to[40], every[48], gaps[48] = "";
  sciara_print_duration(usual, every, sizeof every);
  if (longer > 1) snprintf(gaps, sizeof gaps, ", the first of %zu gaps", longer);
  sciara_note(s->notes, SCIARA_LOG_WARNING,
              "%s: rows are %s apart, but there is none between %s and %s%s: the rate before a gap lasts until its end",
              s->path, every, time_text(start, s->times[first], from), time_text(start, s->times[first + 1], to), gaps);
}

/** Rows without a rate: those before the first rate and between rates are left out, the last one ends the table. */
static void close_gaps(struct sciara_rates_series *s) {
  size_t kept = 0, before = 0, between = 0;
  for (size_t k = 0; k < s->count; k++) {
    const bool missing = isnan(s->rates[k]);
    if (missing && kept == 0) before++;
    if (missing && kept > 0 && k + 1 < s->count) between++;
    if (missing && (kept == 0 || k + 1 < s->count)) continue;
    s->times[kept] = s->times[k];
    s->rates[kept++] = missing ? 0 : s->rates[k];
    if (missing)
      sciara_note(s->notes, SCIARA_LOG_INFO, "%s: the last row has no rate: it is taken as the end", s->path);
  }
  s->count = kept;
  if (before > 0)
    sciara_note(s->notes, SCIARA_LOG_WARNING,
                "%s:%zu: %zu %s before the first rate %s none: nothing is emitted until then", s->path,
                s->first_gap_line, before, sciara_plural(before, "row", "rows"), sciara_plural(before, "has", "have"));
  if (between > 0)
    sciara_note(s->notes, SCIARA_LOG_WARNING, "%s:%zu: %zu %s no rate: the rate before %s is taken", s->path,
                s->first_gap_line, between, sciara_plural(between, "row has", "rows have"),
                sciara_plural(between, "it", "them"));
}

/** A last rate that is not 0 lasts as long as the row before it. */
static void close_end(struct sciara_rates_series *s, double before, double start) {
  const size_t last = s->count - 1;
  if (s->rates[last] == 0) return;
  const double from = s->times[last], interval = from - before;
  char begin[40], end[40];
  s->times[s->count] = from + interval;
  s->rates[s->count++] = 0;
  sciara_note(
      s->notes, SCIARA_LOG_WARNING,
      "%s: the last rate, %.6g m3/s from %s on, has no end: it is assumed to last as long as the row before it, "
      "%.10g s, until %s; a last row with the rate 0 says when",
      s->path, s->rates[last], time_text(start, from, begin), interval, time_text(start, from + interval, end));
}

/** Reports the table as understood. */
static void report(const struct sciara_rates_series *s, const struct sciara_rate_table *t, double start,
                   const char *understood) {
  double total = 0, peak = 0, longest = 0;
  char from[40], to[40];
  for (size_t k = 0; k < t->count; k++) {
    const double interval = t->edges[k + 1] - t->edges[k];
    total += t->rates[k] * interval;
    peak = fmax(peak, t->rates[k]);
    longest = fmax(longest, interval);
  }
  sciara_note(s->notes, SCIARA_LOG_INFO,
              "%s: %s; %zu %s from %s to %s, each until the next one (at most %.10g s), at most %.6g m3/s, "
              "%.6g m3 in all",
              s->path, understood, t->count, sciara_plural(t->count, "rate", "rates"),
              time_text(start, t->edges[0], from), time_text(start, t->edges[t->count], to), longest, peak, total);
}

enum sciara_status sciara_rates_series_end(struct sciara_rates_series *s, double start, const char *understood,
                                           struct sciara_rate_table *out) {
  if (s->count < 2)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected at least 2 rows (the last one ends the table), found %zu",
                       s->path, s->count);
  const double before = s->times[s->count - 2]; // of the last row, with or without a rate
  report_missing_rows(s, start);
  close_gaps(s);
  if (s->count == 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected effusion rates, found rows without any", s->path);
  close_end(s, before, start);
  if (s->count < 2)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a rate before the last row, found none", s->path);
  *out =
      (struct sciara_rate_table){.edges = s->times, .rates = s->rates, .count = s->count - 1, .dated = !isnan(start)};
  report(s, out, start, understood);
  s->times = s->rates = NULL;
  return SCIARA_OK;
}
