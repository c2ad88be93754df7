// SPDX-License-Identifier: Apache-2.0
#include "scenario/rates_lines.h"

#include <ctype.h>
#include <string.h>

#include "file/csv.h"

// ------------------------------------------------------------------------------------------------------------- words

enum { TEXT = 128 };

/** Characters of units that are not ASCII, and what is read for them. */
static const struct {
  const char *from, *to;
} signs[] = {{"\xC2\xB3", "3"},     {"\xC2\xB9", "1"}, {"\xE2\x81\xBB", "-"}, {"\xC2\xB7", " "}, {"\xE2\x88\x92", "-"},
             {"\xE2\x81\xB6", "6"}, {"\xC2\xB1", "+"}, {"\xC2\xA0", " "},     {"\xC3\x97", "x"}};

/** "m3 per s" is "m3/s". */
static void replace_per(char *text) {
  for (char *per; (per = strstr(text, " per "));) {
    *per = '/';
    memmove(per + 1, per + 5, strlen(per + 5) + 1);
  }
}

/** Lower case, words separated by one blank, brackets and underscores as blanks: "Rate [m³/s]" is "rate m3/s". */
static void normalise(const char *text, char out[TEXT]) {
  size_t n = 0;
  while (*text && n < TEXT - 4) {
    char letter = (char)tolower((unsigned char)*text);
    size_t taken = 1;
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
      if (strncmp(text, signs[k].from, strlen(signs[k].from)) == 0) {
        letter = *signs[k].to;
        taken = strlen(signs[k].from);
      }
    text += taken;
    if (letter == '^') continue;
    if (strchr("_()[]{}.,;:=\"'*|\t\r\n", letter)) letter = ' ';
    if ((letter == ' ' || letter == '+') && n > 0 && out[n - 1] != ' ') out[n++] = ' ';
    if (letter != ' ') out[n++] = letter;
    if (letter == '+') out[n++] = ' '; // a word of its own: "±TADR", "+/-"
  }
  while (n > 0 && out[n - 1] == ' ') n--;
  out[n] = '\0';
  replace_per(out);
}

enum measure { OF_TIME, OF_RATE, OF_POWER };

/** A unit as understood. */
struct unit {
  enum measure measure;
  double factor; ///< to s, m3/s or W
  char shown[SCIARA_RATES_UNIT];
};

/** Names of units and what they are in s, m3 or W. */
struct unit_name {
  const char *name;
  double factor;
  const char *shown;
};
static const struct unit_name times[] = {
    {"s", 1, "s"},       {"sec", 1, "s"},     {"secs", 1, "s"},      {"second", 1, "s"},     {"seconds", 1, "s"},
    {"min", 60, "min"},  {"mins", 60, "min"}, {"minute", 60, "min"}, {"minutes", 60, "min"}, {"h", 3600, "h"},
    {"hr", 3600, "h"},   {"hrs", 3600, "h"},  {"hour", 3600, "h"},   {"hours", 3600, "h"},   {"d", 86400, "d"},
    {"day", 86400, "d"}, {"days", 86400, "d"}};
static const struct unit_name volumes[] = {
    {"m3", 1, "m3"},           {"l", 1e-3, "l"},          {"dm3", 1e-3, "dm3"},
    {"mm3", 1e6, "Mm3"},       {"km3", 1e9, "km3"},       {"103 m3", 1e3, "1e3 m3"},
    {"1e3 m3", 1e3, "1e3 m3"}, {"106 m3", 1e6, "1e6 m3"}, {"1e6 m3", 1e6, "1e6 m3"}};
static const struct unit_name powers[] = {{"w", 1, "W"},        {"kw", 1e3, "kW"},    {"mw", 1e6, "MW"},
                                          {"gw", 1e9, "GW"},    {"106 w", 1e6, "MW"}, {"1e6 w", 1e6, "MW"},
                                          {"109 w", 1e9, "GW"}, {"1e9 w", 1e9, "GW"}};
static const struct unit_name masses[] = {{"kg", 1, "kg"},    {"t", 1e3, "t"},      {"ton", 1e3, "t"},
                                          {"tons", 1e3, "t"}, {"tonnes", 1e3, "t"}, {"kt", 1e6, "kt"},
                                          {"mt", 1e9, "Mt"}};
#define COUNT(array) (sizeof(array) / sizeof *(array))

/** The entry that is text[0..length). */
static const struct unit_name *find(const struct unit_name *names, size_t count, const char *text, size_t length) {
  for (size_t k = 0; k < count; k++)
    if (strlen(names[k].name) == length && strncmp(names[k].name, text, length) == 0) return &names[k];
  return NULL;
}

/** "m3/s", "m3 s-1", "m3s", "l/s", "mm3/d": one of the amounts, of which the first is the usual one, in a time. */
static bool parse_rate(const char *text, const struct unit_name *amounts, size_t count, struct unit *out) {
  for (size_t k = 0; k < count; k++) {
    const size_t n = strlen(amounts[k].name), length = strlen(text);
    if (strncmp(text, amounts[k].name, n) != 0) continue;
    const char *rest = text + n + (text[n] == '/' || text[n] == ' ');
    const bool inverse = length > n + 2 && strcmp(text + length - 2, "-1") == 0, divided = text[n] == '/';
    if (!(inverse || divided || k == 0)) continue; // "m3 s" lost the sign of its exponent
    const struct unit_name *time = find(times, COUNT(times), rest, strlen(rest) - (inverse ? 2 : 0));
    if (!time || (inverse && divided)) continue;
    *out = (struct unit){.measure = OF_RATE, .factor = amounts[k].factor / time->factor};
    snprintf(out->shown, sizeof out->shown, "%s/%s", amounts[k].shown, time->shown);
    return true;
  }
  return false;
}

/** A sign of multiplication before a power of ten, "x103 m3/h", is not read. */
static bool parse_unit(const char *text, struct unit *out) {
  if (strncmp(text, "x10", 3) == 0 || strncmp(text, "x1e", 3) == 0) text++;
  const size_t length = strlen(text);
  if (strcmp(text, "cumecs") == 0) text = "m3/s";
  if (parse_rate(text, volumes, COUNT(volumes), out)) return true;
  const struct unit_name *time = find(times, COUNT(times), text, length),
                         *power = find(powers, COUNT(powers), text, length), *name = time ? time : power;
  if (!name) return false;
  *out = (struct unit){.measure = time ? OF_TIME : OF_POWER, .factor = name->factor};
  snprintf(out->shown, sizeof out->shown, "%s", name->shown);
  return true;
}

/** Cuts the unit from the end of a normalised text, the longest that fits; false: it has none. */
static bool cut_unit(char *text, struct unit *out) {
  size_t end = 0;
  while (!parse_unit(text + end, out)) {
    end += strcspn(text + end, " ");
    if (!text[end]) return false;
    end++;
  }
  while (end > 0 && text[end - 1] == ' ') end--;
  if (end > 1 && text[end - 1] == '/' && text[end - 2] == ' ') end -= 2; // "rate / (m3/s)"
  text[end] = '\0';
  return true;
}

/** Whether a word may stand for a number that multiplies the unit after it, or for a logarithm. */
static bool is_scale(const char *word, size_t n) {
  static const char words[] =
      " k m g kilo mega giga hundred thousand thousands million millions billion mil mila mille milioni "
      "millones milliers tausend millionen log log10 ln lg ";
  char between[TEXT + 2];
  snprintf(between, sizeof between, " %.*s ", (int)n, word);
  const size_t sign = n > 0 && (*word == 'x' || *word == '-' || *word == '/');
  return strstr(words, between) || (n > sign && isdigit((unsigned char)word[sign]));
}

/** Such a word that stands last in a name from which the unit was cut, or a logarithm anywhere in it. */
static void find_scale(const char *name, char out[SCIARA_RATES_UNIT]) {
  *out = '\0';
  for (const char *at = name; *at; at += strspn(at, " ")) {
    const size_t n = strcspn(at, " ");
    const bool last = strspn(at + n, " x") == strlen(at + n), logarithm = at[0] == 'l';
    if ((last || logarithm) && is_scale(at, n)) snprintf(out, SCIARA_RATES_UNIT, "%.*s", (int)n, at);
    at += n;
  }
}

/** The unit of a time that stands elsewhere, written out: "days since onset". */
static bool find_unit(const char *text, struct unit *out) {
  for (const char *at = text; *at; at += strspn(at, " ")) {
    const size_t n = strcspn(at, " ");
    const struct unit_name *time = n >= 3 ? find(times, COUNT(times), at, n) : NULL;
    at += n;
    if (!time) continue;
    *out = (struct unit){.measure = OF_TIME, .factor = time->factor};
    snprintf(out->shown, sizeof out->shown, "%s", time->shown);
    return true;
  }
  return false;
}

/** What a word of a name means; "" for one that means nothing here. */
enum word {
  FILLER = 1,
  WORD_TIME = 2,
  WORD_DAY = 4,
  WORD_RATE = 8,
  WORD_POWER = 16,
  WORD_LOW = 32,
  WORD_HIGH = 64,
  WORD_MEAN = 128,
  WORD_ZONE = 256,
  WORD_STAMP = 512,     ///< date and time of day
  WORD_SINCE = 1024,    ///< counted from a date, so that it is none
  WORD_PART = 2048,     ///< a part of a date
  WORD_ERROR = 4096,    ///< of a rate
  WORD_END = 8192,      ///< of a rate
  WORD_HOUR = 16384,    ///< a time of day
  WORD_OFFSET = 32768,  ///< from UTC
  WORD_LASTING = 65536, ///< of a rate, beside any other word
  WORD_DENSE = 131072,  ///< of rock without vesicles
  UNKNOWN = 262144
};

static const struct {
  unsigned means;
  const char *words; ///< each between blanks
} dictionary[] = {
    {WORD_TIME, " time t seconds minutes hours days "},
    {WORD_TIME | WORD_STAMP, " datetime timestamp "},
    {WORD_TIME | WORD_SINCE, " elapsed "},
    {WORD_SINCE, " since after from "},
    {WORD_PART, " year yr yyyy month doy jday julian "},
    {WORD_ERROR, " error errors err uncertainty unc sigma std stdev sd standard deviation + "},
    {WORD_DAY, " date "},
    {WORD_RATE, " rate rates effusion tadr mor er edr discharge output flux q "},
    {WORD_POWER, " vrp frp power radiative radiant "},
    {WORD_LOW, " low lower lo min minimum "},
    {WORD_HIGH, " high higher upper hi max maximum "},
    {WORD_MEAN, " mean average averaged avg best "},
    {WORD_ZONE, " utc gmt z ut iso "},
    {WORD_END, " end ends ended ending endtime enddate stop until till to finish fin fine ende hasta bis "},
    {UNKNOWN | WORD_LASTING, " duration dur durata duracion duraci\xC3\xB3n dur\xC3\xA9"
                             "e duree dauer durasi "},
    {UNKNOWN | WORD_HOUR,
     " hour hh hhmm hhmmss clock ora ore orario heure heures hora horas uhr uhrzeit zeit stunde jam waktu "},
    {UNKNOWN | WORD_OFFSET, " tz timezone offset "},
    {UNKNOWN | WORD_DENSE, " dre dense "},
    {FILLER, " start of the begin beginning in per volcanic lava eruption onset and acq acquisition "},
};

static unsigned meaning_of(const char *name) {
  unsigned found = 0;
  char word[TEXT + 2];
  while (*name) {
    const size_t n = strcspn(name, " /-");
    if (n > 0) {
      unsigned means = UNKNOWN;
      snprintf(word, sizeof word, " %.*s ", (int)n, name);
      for (size_t k = 0; k < sizeof dictionary / sizeof *dictionary; k++)
        if (strstr(dictionary[k].words, word)) means = dictionary[k].means;
      found |= means;
    }
    name += n + (name[n] != '\0');
  }
  return found;
}

/** The estimate of a rate that a name stands for. */
static enum sciara_rates_quantity estimate_of(unsigned meaning) {
  return meaning & WORD_LOW ? SCIARA_RATES_LOW : meaning & WORD_HIGH ? SCIARA_RATES_HIGH : SCIARA_RATES_MEAN;
}

/** What a column without a unit holds. */
static enum sciara_rates_quantity quantity_of_words(unsigned meaning) {
  const unsigned of_a_rate = WORD_RATE | WORD_LOW | WORD_HIGH | WORD_MEAN;
  if (meaning & (UNKNOWN | WORD_PART | WORD_ERROR | WORD_END)) return SCIARA_RATES_NOTHING;
  if (meaning & WORD_POWER) return SCIARA_RATES_POWER;
  if (meaning & of_a_rate) return estimate_of(meaning);
  if (meaning & WORD_TIME) return SCIARA_RATES_TIME;
  return meaning & WORD_DAY ? SCIARA_RATES_DAY : meaning & WORD_ZONE ? SCIARA_RATES_TIME : SCIARA_RATES_NOTHING;
}

static enum sciara_rates_quantity quantity_of(const struct unit *unit, unsigned meaning) {
  const bool estimate = (meaning & (WORD_RATE | WORD_POWER)) != 0;
  if (!unit) return quantity_of_words(meaning);
  if (meaning & WORD_ERROR) return SCIARA_RATES_NOTHING;
  if (unit->measure == OF_RATE) return estimate_of(meaning);
  if (unit->measure == OF_POWER) return meaning & (WORD_LOW | WORD_HIGH) ? SCIARA_RATES_NOTHING : SCIARA_RATES_POWER;
  return estimate || (meaning & (UNKNOWN | WORD_PART | WORD_END)) ? SCIARA_RATES_NOTHING : SCIARA_RATES_TIME;
}

/** What a column that is not used may hold; `meaning` is that of its name without a unit. */
static enum sciara_rates_hint hint_of(const struct unit *unit, unsigned meaning) {
  const bool of_error = meaning & WORD_ERROR && !(meaning & WORD_ZONE); // "UTC+2" has a sign
  if (of_error || meaning & (WORD_RATE | WORD_POWER) || (unit && unit->measure != OF_TIME))
    return SCIARA_RATES_HINT_NONE;
  if (meaning & WORD_LASTING || (meaning & WORD_END && !(meaning & UNKNOWN))) return SCIARA_RATES_HINT_END;
  if (meaning & WORD_OFFSET) return SCIARA_RATES_HINT_ZONE;
  if (meaning & (WORD_HOUR | WORD_TIME) && !(unit && unit->factor == 1)) return SCIARA_RATES_HINT_HOUR;
  return SCIARA_RATES_HINT_NONE;
}

// ----------------------------------------------------------------------------------------------------------- columns

/** A column as understood from its own name. */
static enum sciara_rates_quantity read_name(const char *name, struct sciara_rates_column *c) {
  char text[TEXT];
  normalise(name, text);
  char *blank = strrchr(text, ' ');
  if (blank && strcmp(blank, " min") == 0) { // "tadr min" is the lowest rate, "time min" a time in minutes
    *blank = '\0';
    const bool of_a_rate = (meaning_of(text) & (WORD_RATE | WORD_MEAN)) != 0;
    *blank = ' ';
    if (of_a_rate) memcpy(blank + 1, "low", 3);
  }
  blank = strrchr(text, ' ');
  const bool dense = blank && strcmp(blank, " dre") == 0; // behind the unit: "m3/s DRE"
  if (dense) *blank = '\0';
  struct unit unit;
  bool has_unit = cut_unit(text, &unit);
  const unsigned meaning = meaning_of(text) | (dense ? UNKNOWN | WORD_DENSE : 0);
  const enum sciara_rates_quantity quantity = quantity_of(has_unit ? &unit : NULL, meaning);
  const bool of_time = quantity == SCIARA_RATES_TIME || quantity == SCIARA_RATES_DAY;
  if (!has_unit && of_time) has_unit = find_unit(text, &unit);
  *c = (struct sciara_rates_column){.given = true, .at = c->at, .factor = has_unit ? unit.factor : 1};
  c->unit_assumed = !has_unit;
  c->dense = meaning & WORD_DENSE;
  c->of_dates = of_time && !(meaning & WORD_SINCE) && meaning & (WORD_DAY | WORD_STAMP | WORD_ZONE);
  c->bare = has_unit && !*text;
  c->hint = hint_of(has_unit ? &unit : NULL, meaning);
  if (has_unit && unit.measure != OF_TIME) find_scale(text, c->scale);
  snprintf(c->unit, sizeof c->unit, "%s", has_unit ? unit.shown : of_time ? "s" : "m3/s");
  snprintf(c->name, sizeof c->name, "%s", name);
  return quantity;
}

/** Whether a name is that of a part of a date: "year", "day of year". */
static bool is_part(const char *name) {
  char text[TEXT];
  struct unit unit;
  normalise(name, text);
  const unsigned meaning = meaning_of(text);
  if (meaning & WORD_PART && !(meaning & (UNKNOWN | WORD_RATE))) return true;
  return strncmp(text, "day of year", 11) == 0 || (meaning & WORD_PART && cut_unit(text, &unit)); // "julian day"
}

/** Puts a column where it belongs. */
static enum sciara_status assign(const struct sciara_rates_column *c, enum sciara_rates_quantity quantity,
                                 struct sciara_rates_columns *out) {
  static const char *const names[] = {"times", "dates", "effusion rates", "lowest rates", "highest rates", "power"};
  if (quantity == SCIARA_RATES_NOTHING) {
    out->unused[out->unused_count++] = *c;
    return SCIARA_OK;
  }
  if (quantity == SCIARA_RATES_POWER && c->unit_assumed)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "expected the unit of the power in the header, such as \"%s [MW]\"; found \"%s\"", c->name,
                       c->name);
  if (*c->scale)
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "expected a unit such as m3/s, m3/h, 10^3 m3/h, Mm3/d or MW in the name of a column of %s; found \"%s\", "
        "where \"%s\" before %s may be a factor",
        names[quantity], c->name, c->scale, c->unit);
  struct sciara_rates_column *to = &out->column[quantity];
  if (to->given && to->dense != c->dense) { // the same rate twice
    out->unused[out->unused_count++] = c->dense ? *c : *to;
    if (to->dense) *to = *c;
    return SCIARA_OK;
  }
  if (to->given)
    return sciara_fail(SCIARA_ERR_INPUT, "expected one column of %s, found two, \"%s\" and \"%s\"", names[quantity],
                       to->name, c->name);
  *to = *c;
  return SCIARA_OK;
}

/** Next to a column of times a column "min" holds the lowest rates; without one it holds minutes. */
static bool is_lowest(const char *name, const struct sciara_rates_columns *out) {
  char text[TEXT];
  normalise(name, text);
  return strcmp(text, "min") == 0 && (out->column[SCIARA_RATES_TIME].given || out->column[SCIARA_RATES_DAY].given);
}

/** Whether a column of times is "hour" next to columns such as "year": a part of a date, not a time since the start. */
static bool is_part_too(const struct sciara_rates_column *time) {
  return !time->given || (!time->of_dates && (time->bare || time->unit_assumed));
}

static enum sciara_status refuse_parts(const struct sciara_rates_columns *c, char *const *names, size_t count) {
  const struct sciara_rates_column *time = &c->column[SCIARA_RATES_TIME];
  struct sciara_text parts = {0};
  for (size_t k = 0; k < count; k++)
    if (is_part(names[k]) || (time->given && time->at == k))
      sciara_text_append(&parts, "%s\"%.40s\"", parts.length ? ", " : "", names[k]);
  const enum sciara_status status =
      parts.failed
          ? parts.failed
          : sciara_fail(SCIARA_ERR_INPUT,
                        "expected whole dates such as 2006-07-14T20:00 in a column \"date\", or times since the "
                        "start in one such as \"time (h)\"; found parts of dates, %s",
                        parts.data);
  sciara_text_free(&parts);
  return status;
}

/** Whether a normalised name ends in a mass per time. */
static bool has_mass(const char *text, struct unit *out) {
  while (*text && !parse_rate(text, masses, COUNT(masses), out)) {
    text += strcspn(text, " ");
    text += *text == ' ';
  }
  return *text != '\0';
}

/** Appends what may be wrong with a column that could hold the rates; nothing if none could. */
static enum sciara_status append_cure(struct sciara_text *out, char *const *names, size_t count) {
  for (size_t k = 0; k < count; k++) {
    char text[TEXT], factor[32] = "";
    struct unit mass;
    normalise(names[k], text);
    const unsigned meaning = meaning_of(text);
    if (has_mass(text, &mass)) {
      if (mass.factor != 1) snprintf(factor, sizeof factor, " times %.6g", mass.factor);
      return sciara_text_append(out,
                                "; \"%.60s\" is a rate of mass in %s: write one in m3/s, its values%s divided by the "
                                "density of the lava with its vesicles, kg/m3",
                                names[k], mass.shown, factor);
    }
    if (meaning & (WORD_RATE | WORD_DENSE) && !(meaning & (WORD_ERROR | WORD_PART | WORD_END)))
      return sciara_text_append(out,
                                "; \"%.60s\" has words or a unit that are not understood: expected at its end a volume "
                                "(m3, l, dm3, Mm3, km3) per s, min, h or d, such as [m3/s]",
                                names[k]);
  }
  return SCIARA_OK;
}

/** Appends what may be wrong with a column that could hold the times; nothing if none could. */
static enum sciara_status append_time_cure(struct sciara_text *out, char *const *names, size_t count) {
  for (size_t k = 0; k < count; k++) {
    char text[TEXT];
    normalise(names[k], text);
    const unsigned meaning = meaning_of(text);
    if (meaning & (WORD_DAY | WORD_STAMP) && meaning & UNKNOWN)
      return sciara_text_append(
          out,
          "; \"%.60s\" has words that are not understood: call it \"date\", and write a zone that "
          "is not UTC behind each date, such as 2006-07-14T23:30+02:00",
          names[k]);
  }
  return SCIARA_OK;
}

/** The rules about several columns. */
static enum sciara_status check(struct sciara_rates_columns *out, char *const *names, size_t count) {
  struct sciara_rates_column *c = out->column;
  struct sciara_text found = {0}, cure = {0};
  bool parts = false;
  if (c[SCIARA_RATES_DAY].given && !c[SCIARA_RATES_TIME].given) {
    c[SCIARA_RATES_TIME] = c[SCIARA_RATES_DAY];
    c[SCIARA_RATES_DAY].given = false;
  }
  for (size_t k = 0; k < count; k++) parts |= is_part(names[k]);
  if (parts && !c[SCIARA_RATES_DAY].given && is_part_too(&c[SCIARA_RATES_TIME])) return refuse_parts(out, names, count);
  const bool rates = c[SCIARA_RATES_MEAN].given || c[SCIARA_RATES_LOW].given || c[SCIARA_RATES_HIGH].given ||
                     c[SCIARA_RATES_POWER].given;
  if (c[SCIARA_RATES_TIME].given && rates) return SCIARA_OK;
  enum sciara_status status = sciara_csv_append_names(&found, names, count);
  if (status == SCIARA_OK)
    status = c[SCIARA_RATES_TIME].given ? append_cure(&cure, names, count) : append_time_cure(&cure, names, count);
  if (status == SCIARA_OK)
    status = sciara_fail(
        SCIARA_ERR_INPUT,
        "expected a header such as \"time_s,rate_m3_s\" or \"date;TADR [m3/s]\", found no column of %s in %.300s%s",
        c[SCIARA_RATES_TIME].given ? "effusion rates" : "times", found.data, cure.length ? cure.data : "");
  sciara_text_free(&cure);
  sciara_text_free(&found);
  return status;
}

enum sciara_status sciara_rates_columns_read(char *const *names, size_t count, struct sciara_rates_columns *out) {
  *out = (struct sciara_rates_columns){.count = count};
  if (count > SCIARA_RATES_MAX_COLUMNS)
    return sciara_fail(SCIARA_ERR_INPUT, "expected at most %d columns, found more", SCIARA_RATES_MAX_COLUMNS);
  for (size_t k = 0; k < count; k++) {
    struct sciara_rates_column c = {.at = k};
    enum sciara_rates_quantity quantity = read_name(names[k], &c);
    if (is_lowest(names[k], out)) {
      quantity = SCIARA_RATES_LOW;
      c = (struct sciara_rates_column){.given = true, .at = k, .factor = 1, .unit = "m3/s", .unit_assumed = true};
      snprintf(c.name, sizeof c.name, "%s", names[k]);
    }
    SCIARA_TRY(assign(&c, quantity, out));
  }
  return check(out, names, count);
}
