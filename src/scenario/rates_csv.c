// SPDX-License-Identifier: Apache-2.0
#include "scenario/rates_csv.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/date.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/radiance.h"
#include "scenario/rates_lines.h"

// The rows of a file of effusion rates, and the table that they become.
/** A file, and the row last read. */
struct rates_lines {
  const char *path;
  const struct sciara_notes *notes; ///< receive what is assumed; NULL: the log
  struct sciara_csv_rows csv;
  size_t line; ///< of the row, from 1
};

/** The rows of a file: each rate holds from its time on. */
struct rates_series {
  const char *path;
  const struct sciara_notes *notes;
  double *times;         ///< ascending, s
  double *rates;         ///< m3/s; NAN: none is given
  size_t count;          ///< at most capacity
  size_t capacity;       ///< both arrays have room for one more
  size_t first_gap_line; ///< line of the first row without a rate
};

// ------------------------------------------------------------------------------------------------------------- lines

/** The next row. Blank lines before it are an error, unless it is the first; *count is that of its values. */
static enum sciara_status rates_take(struct rates_lines *l, char *value[SCIARA_RATES_MAX_COLUMNS], size_t *count) {
  l->line = l->csv.line;
  return sciara_csv_take_row(&l->csv, SCIARA_RATES_MAX_COLUMNS, value, count);
}

/** A printable copy of a text of the file, cut to 60 bytes. */
static const char *rates_shown(const char *text, char buffer[64]) {
  size_t n = 0;
  for (; n < 60 && text[n]; n++) buffer[n] = (unsigned char)text[n] < 0x20 || text[n] == 0x7F ? '?' : text[n];
  memcpy(buffer + n, text[n] ? "..." : "", text[n] ? 4 : 1);
  return buffer;
}

/** Fails with "FILE:LINE: expected ALLOWED, found "FOUND"". */
static enum sciara_status rates_refuse(const struct rates_lines *l, const char *found, const char *allowed) {
  char buffer[64];
  return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected %s, found \"%s\"", l->path, l->line, allowed,
                     rates_shown(found, buffer));
}

// -------------------------------------------------------------------------------------------------------------- rows

/**
 * Makes room for as many rows as the file has lines, at most SCIARA_RATES_MAX_ROWS. Arrays of a series that failed are
 * released by rates_series_free.
 */
static enum sciara_status rates_series_begin(const struct rates_lines *l, struct rates_series *s) {
  const size_t lines = sciara_csv_lines(&l->csv);
  *s = (struct rates_series){
      .path = l->path, .notes = l->notes, .capacity = lines < SCIARA_RATES_MAX_ROWS ? lines : SCIARA_RATES_MAX_ROWS};
  SCIARA_TRY(SCIARA_NEW(s->times, s->capacity + 1, l->path));
  return SCIARA_NEW(s->rates, s->capacity + 1, l->path);
}

static void rates_series_free(struct rates_series *s) {
  sciara_free(s->times);
  sciara_free(s->rates);
  *s = (struct rates_series){0};
}

/** Appends a row whose time is after that of the one before it. */
static enum sciara_status rates_series_add(const struct rates_lines *l, struct rates_series *s, double time,
                                           double rate) {
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
static void report_missing_rows(const struct rates_series *s, double start) {
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
  char from[40], to[40], gaps[48] = "";
  if (longer > 1) snprintf(gaps, sizeof gaps, ", the first of %zu gaps", longer);
  sciara_note(s->notes, SCIARA_LOG_WARNING,
              "%s: rows are %s apart, but there is none between %s and %s%s: the rate before a gap lasts until its end",
              s->path, SCIARA_DURATION(usual), time_text(start, s->times[first], from),
              time_text(start, s->times[first + 1], to), gaps);
}

/** Rows without a rate: those before the first rate and between rates are left out, the last one ends the table. */
static void close_gaps(struct rates_series *s) {
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
static void close_end(struct rates_series *s, double before, double start) {
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
static void report(const struct rates_series *s, const struct sciara_rate_table *t, double start,
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

/**
 * Closes the table: a row without a rate continues the one before it, and a last rate other than 0 lasts as long as the
 * one before it. What is assumed is reported, then what the table holds, after `understood`.
 *
 * @param start    UTC in seconds that time 0 stands for, with dated tables; otherwise NAN
 * @param out      takes the arrays over
 */
static enum sciara_status rates_series_end(struct rates_series *s, double start, const char *understood,
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

// --------------------------------------------------------------------------------------------------- alerts of MODVOLC

// R. Wright et al., 2004, J. Volcanol. Geotherm. Res. 135, 29-49: one line for each hot pixel of MODIS, values separated by
// blanks, the first two the UNIX time and the satellite (A or T), the 10th the radiance in band 21. The site delivers them
// with or without a line of names.

enum { TIME = 0, SATELLITE = 1, RADIANCE = 9, FEWEST = 14 };
static const char first_name[] = "UNIX_Time", band[] = "B21";
static const double brightest = 1e3; ///< radiance in band 21, W/(m2 sr um): more than any lava emits

static bool is_satellite(const char *word) { return (word[0] == 'A' || word[0] == 'T') && word[1] == '\0'; }

static bool rates_has_names(const char *line) {
  return strncmp(line + strspn(line, " \t"), first_name, sizeof first_name - 1) == 0;
}

/** Whether a text begins like such a list, and whether with the names of its columns. */
static bool rates_is_modvolc(const char *line) {
  char word[16];
  line += strspn(line, " \t");
  if (rates_has_names(line)) return true;
  const size_t digits = strspn(line, "0123456789");
  const char *next = line + digits + strspn(line + digits, " \t");
  snprintf(word, sizeof word, "%.*s", (int)strcspn(next, " \t\r\n"), next);
  return digits >= 8 && digits <= 10 && next > line + digits && is_satellite(word);
}

/** One line: time and radiance. */
static enum sciara_status read_radiance_line(const struct rates_lines *l, char *const *cells, size_t count,
                                             double *time, double *radiance) {
  if (count < FEWEST || count > SCIARA_RATES_MAX_COLUMNS)
    return rates_refuse(l, count ? cells[0] : "", "a line of MODVOLC, 14 or more values separated by blanks");
  if (!is_satellite(cells[SATELLITE])) return rates_refuse(l, cells[SATELLITE], "the satellite, A or T");
  if (!sciara_parse_double(cells[TIME], time) || !(*time >= 0 && *time < 1e10))
    return rates_refuse(l, cells[TIME], "a UNIX time in s");
  if (!sciara_parse_double(cells[RADIANCE], radiance) || !(*radiance > 0 && *radiance <= brightest))
    return rates_refuse(l, cells[RADIANCE], "the radiance in band 21, above 0 to 1000 W/(m2 sr um)");
  return SCIARA_OK;
}

static enum sciara_status check_options(const struct rates_lines *l, const struct sciara_rates_options *o) {
  if (o->radiant_density > 0 && o->background > 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: is a list of MODVOLC's alerts, which holds radiances: expected radiant_density_J_m3 and "
                     "background_radiance_W_m2_sr_um next to \"csv\", with which they become effusion rates; found %s",
                     l->path,
                     o->radiant_density > 0 ? "the first only"
                     : o->background > 0    ? "the second only"
                                            : "neither");
}

static bool has_band(char *const *cells, size_t count) {
  for (size_t k = 0; k < count && k < SCIARA_RATES_MAX_COLUMNS; k++)
    if (strcmp(cells[k], band) == 0) return true;
  return false;
}

/** Reads a list of alerts of MODVOLC. Times become seconds since 1970. */
static enum sciara_status rates_modvolc_read(struct rates_lines *l, const struct sciara_rates_options *options,
                                             struct rates_series *s, struct sciara_text *understood) {
  char *cells[SCIARA_RATES_MAX_COLUMNS];
  size_t pixels = 0, cold = 0, count;
  SCIARA_TRY(check_options(l, options));
  l->csv.separator = ' ';
  if (rates_has_names(l->csv.at)) {
    SCIARA_TRY(rates_take(l, cells, &count));
    if (!has_band(cells, count)) return rates_refuse(l, cells[0], "the names of MODVOLC's columns");
  }
  while (sciara_csv_has_row(&l->csv)) {
    double time = 0, radiance = 0;
    SCIARA_TRY(rates_take(l, cells, &count));
    if (count == 1 && !*cells[0]) continue;
    SCIARA_TRY(read_radiance_line(l, cells, count, &time, &radiance));
    const double power = sciara_power_of_pixel(radiance, options->background);
    const double rate = sciara_rate_of_power(power, options->radiant_density);
    pixels++;
    cold += power == 0;
    if (s->count > 0 && time == s->times[s->count - 1])
      s->rates[s->count - 1] += rate;
    else
      SCIARA_TRY(rates_series_add(l, s, time, rate));
    if (!(s->rates[s->count - 1] <= SCIARA_RATE_MAX))
      return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected a rate of 0 to 1e6 m3/s, found %.6g m3/s", l->path,
                         l->line, s->rates[s->count - 1]);
  }
  return sciara_text_append(
      understood,
      "alerts of MODVOLC, %zu %s, %zu of them not above %g W/(m2 sr um); rate = sum of 18.9e6 m2 sr um x (band 21 - "
      "background) / (%g J/m3), Wooster et al. 2003 and Coppola et al. 2013, pixels of 1 km2",
      pixels, sciara_plural(pixels, "pixel", "pixels"), cold, options->background, options->radiant_density);
}

// ------------------------------------------------------------------------------------------- columns that are not used

// They must not say when lava is emitted.

/** Whether a cell says that there is no value. */
static bool rates_is_missing(const char *text) {
  static const char *const words[] = {"", "nan", "na", "n/a", "#n/a", "null", "none", "-", "--"};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (strcasecmp(text, words[k]) == 0) return true;
  return false;
}

/** Whether a text is a day such as "20060714", written to `out` as "2006-07-14". */
static bool rates_compact_date(const char *text, char out[SCIARA_DATE_SIZE]) {
  if (strlen(text) != 8 || strspn(text, "0123456789") != 8) return false;
  snprintf(out, SCIARA_DATE_SIZE, "%.4s-%.2s-%.2s", text, text + 4, text + 6);
  return true;
}

static size_t digits(const char *text) { return strspn(text, "0123456789"); }

static bool is_number(const char *text) { return digits(text) && strspn(text, "0123456789.,") == strlen(text); }

/** Whether a text is "14:30", "14:30:00", "2:30 pm", "14h30", "14:30+02:00" or "14:30 CEST". */
static bool is_clock(const char *text) {
  static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const size_t hours = digits(text);
  if (hours < 1 || hours > 2 || !text[hours] || !strchr(":hH", text[hours])) return false;
  text += hours + 1;
  if (digits(text) != 2) return false;
  text += 2 + strspn(text + 2, "0123456789:.,");
  text += *text == ' ';
  return *text == '+' || *text == '-' || strspn(text, upper) == strlen(text) ||
         sciara_has_word("am pm a.m. p.m. local h Uhr", text);
}

/** Whether a text begins as "2006-07-14", "14/7/2006", "14.07.06" or "14 July 2006", and no words follow. */
static bool is_rate_date(const char *text) {
  char compact[SCIARA_DATE_SIZE];
  double seconds;
  bool zoned;
  if (rates_compact_date(text, compact)) return sciara_parse_date(compact, &seconds, &zoned);
  const size_t first = digits(text);
  const char separator = text[first];
  if (first < 1 || first == 3 || first > 4 || !separator || !strchr("-/. ", separator)) return false;
  text += first + 1;
  const size_t word = strcspn(text, "0123456789-/. "), middle = word ? word : digits(text); // the name of a month
  if (text[middle] != separator || (word ? word < 3 : middle < 1 || middle > 2 || separator == ' ')) return false;
  text += middle + 1;
  const size_t last = digits(text);
  text += last;
  if (first == 4 ? last < 1 || last > 2 : last != 4 && (last != 2 || word)) return false;
  return !*text || (strchr("T ", *text) && digits(text + 1));
}

/** Whether a text is "6 h" or "3 d". */
static bool is_duration(const char *text) {
  double seconds;
  return !is_number(text) && isalpha((unsigned char)text[strlen(text) - 1]) && sciara_parse_duration(text, &seconds);
}

/** Whether a zone is UTC, which is assumed anyway. */
static bool is_utc(const char *text) {
  if (strncasecmp(text, "utc", 3) == 0 || strncasecmp(text, "gmt", 3) == 0) text += 3;
  return strcasecmp(text, "z") == 0 || strcasecmp(text, "ut") == 0 || strspn(text, "+-0: ") == strlen(text);
}

/** Whether a text is a zone other than UTC: "+02:00", "UTC+2", "CEST", "Europe/Rome". */
static bool is_zone(const char *text) {
  static const char names[] =
      "CET CEST MET MEST MEZ MESZ WET WEST EET EEST BST IST MSK HST AKST AKDT PST PDT MST MDT CST CDT "
      "EST EDT AST ADT JST KST PHT WIB WITA WIT NZST NZDT AEST AEDT CLT CLST ECT PET COT ART CAT EAT",
                    areas[] = "Africa America Antarctica Asia Atlantic Australia Europe Indian Pacific Etc";
  char area[16];
  const bool from_utc = strncasecmp(text, "utc", 3) == 0 || strncasecmp(text, "gmt", 3) == 0;
  if (is_utc(text)) return false;
  if (from_utc) text += 3 + strspn(text + 3, " ");
  if (*text == '+' || *text == '-') {
    const size_t hours = digits(text + 1), rest = strlen(text + 1) - hours;
    const bool minutes = rest == 3 && text[1 + hours] == ':' && digits(text + 2 + hours) == 2;
    return hours > 0 && hours <= 2 && (minutes || (from_utc && rest == 0));
  }
  if (strcasecmp(text, "local") == 0 || sciara_has_word(names, text)) return true;
  snprintf(area, sizeof area, "%.*s", (int)strcspn(text, "/"), text);
  return strchr(text, '/') && sciara_has_word(areas, area);
}

/** Whether a row gives a day without a time of day. */
static bool has_day_only(const struct sciara_rates_columns *c, char *const *cells) {
  return !c->column[SCIARA_RATES_DAY].given && strlen(cells[c->column[SCIARA_RATES_TIME].at]) <= strlen("2006-07-14");
}

/** What a cell of a column that is not used says of when lava is emitted. */
enum said { NOTHING, DAYTIME, DATE, ZONE, DURATION, END };

static enum said read_cell(const struct sciara_rates_column *c, const char *text, bool dated, bool day_only) {
  if (rates_is_missing(text)) return NOTHING;
  if (c->hint == SCIARA_RATES_HINT_END) return END;
  if (is_clock(text)) return DAYTIME;
  if (is_rate_date(text)) return DATE;
  if (is_duration(text)) return DURATION;
  if (dated && (is_zone(text) || (c->hint == SCIARA_RATES_HINT_ZONE && !is_utc(text)))) return ZONE;
  return c->hint == SCIARA_RATES_HINT_HOUR && day_only && is_number(text) ? DAYTIME : NOTHING;
}

static enum sciara_status refuse_rates(const struct rates_lines *l, const struct sciara_rates_column *c,
                                       const char *text, enum said said, const char *cure) {
  static const char *const names[] = {[DAYTIME] = "a time of day",
                                      [DATE] = "a date",
                                      [ZONE] = "a zone",
                                      [DURATION] = "a duration",
                                      [END] = "an end or a duration"};
  char buffer[64];
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s:%zu: \"%s\" is not used: expected nothing in it about times, found %s, \"%s\"; %s", l->path,
                     l->line, c->name, names[said], rates_shown(text, buffer), cure);
}

/**
 * Refuses a row that says when lava is emitted in a column that is not used: a time of day, a date, a zone other than UTC, a
 * duration or an end. Values decide, and of plain numbers the name of the column.
 *
 * @param dated the times of the row are dates
 */
static enum sciara_status rates_check_unused(const struct rates_lines *l, const struct sciara_rates_columns *c,
                                             char *const *cells, bool dated) {
  const bool day_only = dated && has_day_only(c, cells);
  for (size_t k = 0; k < c->unused_count; k++) {
    const struct sciara_rates_column *u = &c->unused[k];
    const enum said said = read_cell(u, cells[u->at], dated, day_only);
    if (said == NOTHING) continue;
    return refuse_rates(
        l, u, cells[u->at], said,
        said == ZONE ? "write it behind each time of day, such as 14:30+02:00 (without a zone it is UTC), and "
                       "remove the column"
        : said == DAYTIME && day_only
            ? "name the two columns \"date\" and \"time\", and write the zone behind each time, such as "
              "14:30+02:00 (without a zone it is UTC)"
            : "if a rate ends then, say so in a row of its own with the rate 0, for each lasts until the next "
              "row; then remove the column");
  }
  return SCIARA_OK;
}

/** A table that is being read. */
struct reading {
  struct rates_lines lines;
  const struct sciara_rates_options *options;
  struct sciara_rates_columns columns;
  struct rates_series series;
  struct sciara_text understood;
  bool from_first;        ///< dates are counted from the first one
  double start;           ///< UTC in seconds that time 0 stands for; NAN until there is a date
  bool unzoned, unitless; ///< some date has no zone; some time is a bare number
  bool clocks;            ///< some times of day are "0035"
  bool compact;           ///< some date has no hyphens
};

// ------------------------------------------------------------------------------------------------------------- cells

/** A cell with a point for its decimal mark, or NULL if it was refused. */
static const char *with_point(struct reading *r, const char *text, enum sciara_status *status) {
  const char *allowed, *number = sciara_csv_point(&r->lines.csv, text, &allowed);
  *status = number ? SCIARA_OK : rates_refuse(&r->lines, text, allowed);
  return number;
}

static bool looks_like_date(const char *text) { return strspn(text, "0123456789") == 4 && text[4] == '-'; }

/** Where dates are counted from; `first` is the first one. */
static enum sciara_status find_start(struct reading *r, const char *text, double first) {
  bool zoned;
  if (r->series.count > 0) return rates_refuse(&r->lines, text, "a duration, as in the row before");
  if (r->from_first) {
    r->start = floor(first);
    return SCIARA_OK;
  }
  if (!r->options->run_start)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s:%zu: has dates: expected run.start in the scenario, the date from which they are counted; "
                       "found none (the first date is \"%s\")",
                       r->lines.path, r->lines.line, text);
  if (sciara_parse_date(r->options->run_start, &r->start, &zoned)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INTERNAL, "\"%s\" is not a date", r->options->run_start);
}

static enum sciara_status read_date(struct reading *r, const char *text, double *time) {
  double seconds;
  bool zoned;
  if (!sciara_parse_date(text, &seconds, &zoned))
    return rates_refuse(&r->lines, text, "a date such as 2006-07-14, 2006-07-14T23:30 or 2006-07-14T23:30:00Z");
  if (isnan(r->start)) SCIARA_TRY(find_start(r, text, seconds));
  r->unzoned = r->unzoned || !zoned;
  *time = seconds - r->start;
  char allowed[96], date[SCIARA_DATE_SIZE];
  const size_t rows = r->series.count;
  if (rows > 0 && !(*time > r->series.times[rows - 1])) {
    sciara_print_date(r->start + r->series.times[rows - 1], date);
    snprintf(allowed, sizeof allowed, "a date after that of the previous row, %s, for times ascend", date);
    return rates_refuse(&r->lines, text, allowed);
  }
  if (*time >= 0) return SCIARA_OK;
  sciara_print_date(r->start, date);
  snprintf(allowed, sizeof allowed, "a date from %s (run.start) on", date);
  return rates_refuse(&r->lines, text, allowed);
}

/** "20060714" in a column of dates as "2006-07-14". */
static const char *with_hyphens(struct reading *r, const char *text, char out[SCIARA_DATE_SIZE]) {
  if (!rates_compact_date(text, out)) return text;
  r->compact = true;
  return out;
}

/** "0035" beside a date, as satellites have it, as "00:35"; any other text as it is. */
static const char *with_colon(struct reading *r, const char *text, char out[8]) {
  const size_t length = strlen(text);
  if ((length != 3 && length != 4) || strspn(text, "0123456789") != length) return text;
  snprintf(out, 8, "%s%.*s:%s", length == 3 ? "0" : "", (int)length - 2, text, text + length - 2);
  r->clocks = true;
  return out;
}

/** What a number that should be a date or a time since the start may mean, for the message. */
static void guess_date(double value, char *out, size_t capacity) {
  static const struct {
    double low, high, day_1970, per_day;
    const char *name;
  } forms[] = {{20000, 80000, 25569, 1, "a day number of Excel"},
               {600000, 800000, 719529, 1, "a day number of Matlab"},
               {2400000, 2500000, 2440587.5, 1, "a Julian date"},
               {1e8, 1e10, 0, 86400, "a Unix time"},
               {1e11, 1e13, 0, 86400e3, "a Unix time in ms"}};
  char date[SCIARA_DATE_SIZE];
  snprintf(out, capacity, "%s", value >= 1800 && value < 2200 ? ", perhaps a decimal year" : "");
  for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
    if (value >= forms[k].low && value < forms[k].high) {
      sciara_print_date((value / forms[k].per_day - forms[k].day_1970) * 86400, date);
      snprintf(out, capacity, ", perhaps %s, %s", forms[k].name, date);
    }
}

/** A number in a column whose name says that it holds dates. */
static enum sciara_status refuse_number(const struct reading *r, const char *text, double value) {
  char guess[80];
  guess_date(value, guess, sizeof guess);
  return sciara_fail(
      SCIARA_ERR_INPUT,
      "%s:%zu: \"%s\" is a column of dates: expected one such as 2006-07-14 or 2006-07-14T23:30:00Z, found "
      "the number %.40s%s; name a column of times since the start by its unit, such as \"time (d)\"",
      r->lines.path, r->lines.line, r->columns.column[SCIARA_RATES_TIME].name, text, guess);
}

/** No run begins with years without lava: such a first time counts from another origin, as Unix times since 1980 do. */
static enum sciara_status check_first_time(const struct reading *r, const char *text, const char *number, double time) {
  static const double longest = 10 * 365.25 * 86400;
  char guess[80] = "", buffer[64];
  double value;
  if (r->series.count > 0 || !(time > longest)) return SCIARA_OK;
  if (sciara_parse_double(number, &value)) guess_date(value, guess, sizeof guess);
  return sciara_fail(
      SCIARA_ERR_INPUT,
      "%s:%zu: \"%s\": expected times since the start, the first at most 10 years (%.0f s), found \"%s\"%s; "
      "write dates such as 2006-07-14T23:30:00Z, or subtract the time of the start",
      r->lines.path, r->lines.line, r->columns.column[SCIARA_RATES_TIME].name, longest, rates_shown(text, buffer),
      guess);
}

/** Whether a text is "23:30" or "23:30:00". */
static bool is_time_of_day(const char *text) {
  return strchr(text, ':') && strspn(text, "0123456789:.,") == strlen(text);
}

static enum sciara_status read_duration(struct reading *r, char *text, double *time) {
  const struct sciara_rates_column *c = &r->columns.column[SCIARA_RATES_TIME];
  enum sciara_status status;
  if (is_time_of_day(text))
    return rates_refuse(&r->lines, text,
                        "a time since the start, such as 90 min or a number in a column \"time (h)\", or a column "
                        "\"date\" next to the time of day");
  const char *number = with_point(r, text, &status);
  if (!number) return status;
  if (c->of_dates && sciara_parse_double(number, time)) return refuse_number(r, text, *time);
  if (!isnan(r->start)) return rates_refuse(&r->lines, text, "a date, as in the row before");
  if (c->factor != 1 && sciara_parse_double(number, time))
    *time *= c->factor;
  else if (!sciara_parse_duration(number, time))
    return rates_refuse(&r->lines, text,
                        "a time: seconds, text such as 6 h or 3 d, or a date such as 2006-07-14T23:30");
  r->unitless = r->unitless || (c->unit_assumed && strspn(text, "0123456789.,") == strlen(text));
  return *time >= 0 ? check_first_time(r, text, number, *time) : rates_refuse(&r->lines, text, "a time of 0 s or more");
}

/** The time of a row, which may be spread over two columns. */
static enum sciara_status read_time(struct reading *r, char *const *cells, double *time) {
  const struct sciara_rates_column *day = &r->columns.column[SCIARA_RATES_DAY],
                                   *at = &r->columns.column[SCIARA_RATES_TIME];
  char both[64], whole[SCIARA_DATE_SIZE], clock[8];
  if (!day->given) {
    const char *text = at->of_dates ? with_hyphens(r, cells[at->at], whole) : cells[at->at];
    return looks_like_date(text) ? read_date(r, text, time) : read_duration(r, cells[at->at], time);
  }
  if (snprintf(both, sizeof both, "%sT%s", with_hyphens(r, cells[day->at], whole),
               with_colon(r, cells[at->at], clock)) >= (int)sizeof both)
    return rates_refuse(&r->lines, cells[day->at], "a date such as 2006-07-14");
  return read_date(r, both, time);
}

/** A rate in m3/s from a cell of a column; NAN: the cell is empty. */
static enum sciara_status read_rate(struct reading *r, enum sciara_rates_quantity quantity, char *text, double *rate) {
  const struct sciara_rates_column *c = &r->columns.column[quantity];
  enum sciara_status status;
  *rate = NAN;
  if (rates_is_missing(text)) return SCIARA_OK;
  const char *number = with_point(r, text, &status);
  if (!number) return status;
  const bool is_number = sciara_parse_double(number, rate);
  *rate *= c->factor;
  if (quantity == SCIARA_RATES_POWER) {
    if (!is_number || !(*rate >= 0)) return rates_refuse(&r->lines, text, "a power of 0 W or more");
    *rate = sciara_rate_of_power(*rate, r->options->radiant_density);
  }
  if (is_number && *rate >= 0 && *rate <= SCIARA_RATE_MAX) return SCIARA_OK;
  return rates_refuse(&r->lines, text,
                      quantity == SCIARA_RATES_POWER ? "a power that gives a rate of 0 to 1e6 m3/s"
                                                     : "a rate of 0 to 1e6 m3/s");
}

// -------------------------------------------------------------------------------------------------------------- rows

/** The rates of which those of a row are made: one column, or two of which the mean is taken. */
static enum sciara_status find_rates(const struct reading *r, enum sciara_rates_quantity from[2], size_t *count) {
  static const enum sciara_rates_quantity estimates[] = {[SCIARA_RATES_TAKE_MEAN] = SCIARA_RATES_MEAN,
                                                         [SCIARA_RATES_TAKE_LOW] = SCIARA_RATES_LOW,
                                                         [SCIARA_RATES_TAKE_HIGH] = SCIARA_RATES_HIGH};
  const struct sciara_rates_column *c = r->columns.column;
  const enum sciara_rates_choice choice = r->options->choice;
  *count = 1;
  from[0] = estimates[choice];
  if (c[from[0]].given) return SCIARA_OK;
  if (choice == SCIARA_RATES_TAKE_MEAN && c[SCIARA_RATES_LOW].given && c[SCIARA_RATES_HIGH].given) {
    from[0] = SCIARA_RATES_LOW;
    from[1] = SCIARA_RATES_HIGH;
    *count = 2;
    return SCIARA_OK;
  }
  if (choice != SCIARA_RATES_TAKE_MEAN || c[SCIARA_RATES_LOW].given || c[SCIARA_RATES_HIGH].given)
    return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected a column of %s rates, as \"choose\" says; found none",
                       r->lines.path, r->lines.line,
                       choice == SCIARA_RATES_TAKE_MEAN  ? "mean or of low and high"
                       : choice == SCIARA_RATES_TAKE_LOW ? "low"
                                                         : "high");
  from[0] = SCIARA_RATES_POWER;
  if (r->options->radiant_density > 0) return SCIARA_OK;
  return sciara_fail(
      SCIARA_ERR_INPUT,
      "%s:%zu: \"%s\" is a radiative power: expected radiant_density_J_m3 next to \"csv\", with which it "
      "becomes an effusion rate (1e8 to 4e8 J/m3 for basalt, Coppola et al. 2013); found none",
      r->lines.path, r->lines.line, c[SCIARA_RATES_POWER].name);
}

static enum sciara_status read_row(struct reading *r, char *const *cells, const enum sciara_rates_quantity *from,
                                   size_t count) {
  double time, rate = 0;
  SCIARA_TRY(read_time(r, cells, &time));
  SCIARA_TRY(rates_check_unused(&r->lines, &r->columns, cells, !isnan(r->start)));
  for (size_t k = 0; k < count; k++) {
    double part;
    SCIARA_TRY(read_rate(r, from[k], cells[r->columns.column[from[k]].at], &part));
    rate += part;
  }
  return rates_series_add(&r->lines, &r->series, time, count == 2 ? 0.5 * rate : rate);
}

static enum sciara_status read_rows(struct reading *r, const enum sciara_rates_quantity *from, size_t count) {
  char *cells[SCIARA_RATES_MAX_COLUMNS];
  size_t blank = 0, found; // line of the first blank one since the last row
  while (sciara_csv_has_row(&r->lines.csv)) {
    if (!blank) blank = r->lines.csv.blank;
    SCIARA_TRY(rates_take(&r->lines, cells, &found));
    if (found <= SCIARA_RATES_MAX_COLUMNS && sciara_csv_is_empty(cells, found)) {
      if (!blank) blank = r->lines.line;
      continue;
    }
    if (blank)
      return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: blank lines are allowed only at the end of the file", r->lines.path,
                         blank);
    if (found != r->columns.count)
      return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected %zu values separated by %s, as in the header; found %zu",
                         r->lines.path, r->lines.line, r->columns.count, sciara_csv_separators(&r->lines.csv), found);
    SCIARA_TRY(read_row(r, cells, from, count));
  }
  return SCIARA_OK;
}

// ---------------------------------------------------------------------------------------------------- what is understood

static enum sciara_status describe_column(struct reading *r, const char *what, enum sciara_rates_quantity quantity,
                                          bool dated) {
  const struct sciara_rates_column *c = &r->columns.column[quantity];
  SCIARA_TRY(sciara_text_append(&r->understood, "%s\"%s\" is %s", r->understood.length ? ", " : "", c->name, what));
  if (dated) return SCIARA_OK;
  return sciara_text_append(&r->understood, " in %s", c->unit);
}

static enum sciara_status describe(struct reading *r, const enum sciara_rates_quantity *from, size_t count) {
  static const char *const names[] = {[SCIARA_RATES_MEAN] = "the effusion rate",
                                      [SCIARA_RATES_LOW] = "the lowest effusion rate",
                                      [SCIARA_RATES_HIGH] = "the highest effusion rate",
                                      [SCIARA_RATES_POWER] = "the radiative power"};
  const struct sciara_rates_column *c = r->columns.column;
  const bool dated = !isnan(r->start);
  if (c[SCIARA_RATES_DAY].given) SCIARA_TRY(describe_column(r, "the date", SCIARA_RATES_DAY, true));
  SCIARA_TRY(describe_column(r,
                             c[SCIARA_RATES_DAY].given ? "the time of day"
                             : dated                   ? "a date"
                                                       : "the time",
                             SCIARA_RATES_TIME, dated));
  for (size_t k = 0; k < count; k++) SCIARA_TRY(describe_column(r, names[from[k]], from[k], false));
  if (count == 2) SCIARA_TRY(sciara_text_append(&r->understood, ", the mean of both is taken"));
  if (from[0] == SCIARA_RATES_POWER)
    SCIARA_TRY(sciara_text_append(&r->understood, ", rate = power / (%g J/m3) (Coppola et al. 2013)",
                                  r->options->radiant_density));
  return sciara_text_append(&r->understood, "; separated by %s%s", sciara_csv_separators(&r->lines.csv),
                            r->lines.csv.mark == ',' ? ", decimal commas" : "");
}

static void report_assumed(const struct reading *r, const enum sciara_rates_quantity *from) {
  const struct sciara_rates_column *rate = &r->columns.column[from[0]];
  const char *path = r->lines.path;
  if (r->options->radiant_density > 0 && from[0] != SCIARA_RATES_POWER)
    sciara_note(r->lines.notes, SCIARA_LOG_WARNING,
                "%s: radiant_density_J_m3 is not used: \"%s\" is an effusion rate, which goes before a power", path,
                rate->name);
  if (r->unzoned) sciara_note(r->lines.notes, SCIARA_LOG_INFO, "%s: dates without a zone are taken as UTC", path);
  if (r->compact)
    sciara_note(r->lines.notes, SCIARA_LOG_INFO, "%s: dates such as 20060714 are taken as 2006-07-14", path);
  if (r->clocks) sciara_note(r->lines.notes, SCIARA_LOG_INFO, "%s: times of day such as 0035 are taken as 00:35", path);
  if (r->unitless)
    sciara_note(r->lines.notes, SCIARA_LOG_INFO, "%s: \"%s\" names no unit: numbers are taken as seconds", path,
                r->columns.column[SCIARA_RATES_TIME].name);
  if (rate->unit_assumed)
    sciara_note(r->lines.notes, SCIARA_LOG_INFO, "%s: \"%s\" names no unit: m3/s is assumed", path, rate->name);
  if (rate->dense)
    sciara_note(r->lines.notes, SCIARA_LOG_WARNING,
                "%s: \"%s\" is of dense rock, and is taken as it is; lava of the simulation has its volume on the "
                "ground, with vesicles: divide the rates by 1 - vesicularity",
                path, rate->name);
}

static enum sciara_status report_unused(const struct reading *r, const enum sciara_rates_quantity *from) {
  const struct sciara_rates_column *power = &r->columns.column[SCIARA_RATES_POWER];
  struct sciara_text names = {0};
  enum sciara_status status = SCIARA_OK;
  if (power->given && from[0] != SCIARA_RATES_POWER) status = sciara_text_append(&names, "\"%s\"", power->name);
  for (size_t k = 0; k < r->columns.unused_count && status == SCIARA_OK; k++)
    status = sciara_text_append(&names, "%s\"%s\"", names.length ? ", " : "", r->columns.unused[k].name);
  if (status == SCIARA_OK && names.length)
    sciara_note(r->lines.notes, SCIARA_LOG_INFO, "%s: columns that are not used: %s", r->lines.path, names.data);
  sciara_text_free(&names);
  return status;
}

static enum sciara_status read_header(struct reading *r) {
  char *names[SCIARA_RATES_MAX_COLUMNS];
  size_t count;
  SCIARA_TRY(rates_take(&r->lines, names, &count));
  return sciara_rates_columns_read(names, count, &r->columns);
}

static enum sciara_status read_columns(struct reading *r) {
  enum sciara_rates_quantity from[2];
  size_t count;
  const enum sciara_status status = read_header(r); // whose line is known afterwards
  SCIARA_TRY(sciara_fail_context(status, "%s:%zu", r->lines.path, r->lines.line));
  SCIARA_TRY(find_rates(r, from, &count));
  SCIARA_TRY(read_rows(r, from, count));
  SCIARA_TRY(describe(r, from, count));
  if (r->series.count < 2) return SCIARA_OK;
  report_assumed(r, from);
  return report_unused(r, from);
}

/** A list of alerts counts from 1970: moves it to the start of the run. */
static enum sciara_status read_alerts(struct reading *r) {
  struct rates_series *s = &r->series;
  char first[SCIARA_DATE_SIZE];
  SCIARA_TRY(rates_modvolc_read(&r->lines, r->options, s, &r->understood));
  if (s->count == 0) return SCIARA_OK;
  const size_t count = s->count;
  sciara_print_date(s->times[0], first);
  s->count = 0;
  SCIARA_TRY(find_start(r, first, s->times[0]));
  s->count = count;
  for (size_t k = 0; k < count; k++) s->times[k] -= r->start;
  if (s->times[0] >= 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected alerts from run.start, %s, on; found one at %s", r->lines.path,
                     r->options->run_start, first);
}

static enum sciara_status read_rate_table(struct reading *r, struct sciara_rate_table *out) {
  SCIARA_TRY(rates_series_begin(&r->lines, &r->series));
  if (!sciara_csv_has_row(&r->lines.csv))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: expected a header such as \"time_s,rate_m3_s\" and rows of time and rate; found no rows",
                       r->lines.path);
  SCIARA_TRY(rates_is_modvolc(r->lines.csv.at) ? read_alerts(r) : read_columns(r));
  return rates_series_end(&r->series, r->start, r->understood.data, out);
}

static enum sciara_status open_file(const char *path, struct reading *r, char **text) {
  r->lines.path = path;
  r->start = (double)NAN;
  return sciara_csv_open(path, SCIARA_RATES_MAX_BYTES, text, &r->lines.csv);
}

static void reading_free(struct reading *r, char *text) {
  rates_series_free(&r->series);
  sciara_text_free(&r->understood);
  free(text);
}

enum sciara_status sciara_rates_csv_read(const char *path, const struct sciara_rates_options *options,
                                         struct sciara_rate_table *out) {
  static const struct sciara_rates_options none;
  *out = (struct sciara_rate_table){0};
  struct reading r = {.options = options ? options : &none};
  char *text;
  r.lines.notes = r.options->notes;
  enum sciara_status status = open_file(path, &r, &text);
  sciara_csv_report_encoding(&r.lines.csv, r.lines.notes);
  if (status == SCIARA_OK) status = read_rate_table(&r, out);
  reading_free(&r, text);
  return status;
}

/** Finds the date in the first row; leaves `start` unset if there is none. */
static enum sciara_status read_first(struct reading *r) {
  char *cells[SCIARA_RATES_MAX_COLUMNS];
  double time;
  size_t count;
  if (!sciara_csv_has_row(&r->lines.csv)) return SCIARA_OK;
  if (rates_is_modvolc(r->lines.csv.at)) {
    if (rates_has_names(r->lines.csv.at)) SCIARA_TRY(rates_take(&r->lines, cells, &count));
    if (sciara_csv_has_row(&r->lines.csv)) r->start = strtod(r->lines.csv.at, NULL);
    return SCIARA_OK;
  }
  SCIARA_TRY(read_header(r));
  if (!sciara_csv_has_row(&r->lines.csv)) return SCIARA_OK;
  SCIARA_TRY(rates_take(&r->lines, cells, &count));
  return count == r->columns.count ? read_time(r, cells, &time) : SCIARA_OK;
}

void sciara_rates_csv_first_date(const char *path, char date[SCIARA_DATE_SIZE]) {
  struct reading r = {.from_first = true};
  char *text;
  enum sciara_status status = open_file(path, &r, &text);
  date[0] = '\0';
  if (status == SCIARA_OK) status = read_first(&r);
  if (status == SCIARA_OK) sciara_print_date(r.start, date);
  if (status != SCIARA_OK) sciara_error_clear(); // reported when the table is read
  reading_free(&r, text);
}

void sciara_rate_table_free(struct sciara_rate_table *table) {
  sciara_free(table->edges);
  sciara_free(table->rates);
  *table = (struct sciara_rate_table){0};
}
