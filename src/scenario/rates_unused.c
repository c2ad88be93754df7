// SPDX-License-Identifier: Apache-2.0
// Columns of a file of effusion rates that are not used must not say when lava is emitted.
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/date.h"
#include "base/text.h"
#include "scenario/rates_lines.h"

bool sciara_rates_is_missing(const char *text) {
  static const char *const words[] = {"", "nan", "na", "n/a", "#n/a", "null", "none", "-", "--"};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (strcasecmp(text, words[k]) == 0) return true;
  return false;
}

bool sciara_rates_compact_date(const char *text, char out[SCIARA_DATE_SIZE]) {
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
static bool is_date(const char *text) {
  char compact[SCIARA_DATE_SIZE];
  double seconds;
  bool zoned;
  if (sciara_rates_compact_date(text, compact)) return sciara_parse_date(compact, &seconds, &zoned);
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
  if (sciara_rates_is_missing(text)) return NOTHING;
  if (c->hint == SCIARA_RATES_HINT_END) return END;
  if (is_clock(text)) return DAYTIME;
  if (is_date(text)) return DATE;
  if (is_duration(text)) return DURATION;
  if (dated && (is_zone(text) || (c->hint == SCIARA_RATES_HINT_ZONE && !is_utc(text)))) return ZONE;
  return c->hint == SCIARA_RATES_HINT_HOUR && day_only && is_number(text) ? DAYTIME : NOTHING;
}

static enum sciara_status refuse(const struct sciara_rates_lines *l, const struct sciara_rates_column *c,
                                 const char *text, enum said said, const char *cure) {
  static const char *const names[] = {[DAYTIME] = "a time of day",
                                      [DATE] = "a date",
                                      [ZONE] = "a zone",
                                      [DURATION] = "a duration",
                                      [END] = "an end or a duration"};
  char buffer[64];
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s:%zu: \"%s\" is not used: expected nothing in it about times, found %s, \"%s\"; %s", l->path,
                     l->line, c->name, names[said], sciara_rates_shown(text, buffer), cure);
}

enum sciara_status sciara_rates_check_unused(const struct sciara_rates_lines *l, const struct sciara_rates_columns *c,
                                             char *const *cells, bool dated) {
  const bool day_only = dated && has_day_only(c, cells);
  for (size_t k = 0; k < c->unused_count; k++) {
    const struct sciara_rates_column *u = &c->unused[k];
    const enum said said = read_cell(u, cells[u->at], dated, day_only);
    if (said == NOTHING) continue;
    return refuse(
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
