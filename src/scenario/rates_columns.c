// SPDX-License-Identifier: Apache-2.0
#include "scenario/rates_columns.h"

#include <ctype.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------------------- cells

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/** The text of a cell without blanks and quotes around it, in place. */
static char *bare(char *text) {
  for (int again = 0; again < 2; again++) {
    char *end = text + strlen(text);
    while (is_blank(*text)) text++;
    while (end > text && is_blank(end[-1])) *--end = '\0';
    if (again || end - text < 2 || *text != '"' || end[-1] != '"') break;
    end[-1] = '\0';
    text++;
  }
  return text;
}

size_t sciara_rates_cut(char *line, char separator, char *cells[SCIARA_RATES_MAX_COLUMNS]) {
  size_t count = 0;
  bool quoted = false;
  char *begin = line;
  if (separator == ' ') begin = line = line + strspn(line, " \t");
  for (char *c = line;; c++) {
    if (*c == '"') quoted = !quoted;
    if (*c && (quoted || *c != separator)) continue;
    const bool last = *c == '\0';
    *c = '\0';
    if (last && separator == ' ' && *begin == '\0') return count;
    if (count == SCIARA_RATES_MAX_COLUMNS) return count + 1;
    cells[count++] = bare(begin);
    if (last) return count;
    if (separator == ' ')
      while (is_blank(c[1])) c++;
    begin = c + 1;
  }
}

/** The separator of a line: a tab, else a semicolon, else a comma, else blanks. */
static char separator_of(const char *line) {
  static const char separators[] = "\t;,";
  char best = ' ';
  bool quoted = false;
  for (const char *c = line; *c; c++) {
    if (*c == '"') quoted = !quoted;
    const char *found = quoted ? NULL : strchr(separators, *c);
    if (found && (best == ' ' || found < strchr(separators, best))) best = *c;
  }
  return best;
}

// ------------------------------------------------------------------------------------------------------------- words

enum { TEXT = 128 };

/** Characters of units that are not ASCII, and what is read for them. */
static const struct {
  const char *from, *to;
} signs[] = {{"\xC2\xB3", "3"}, {"\xC2\xB9", "1"}, {"\xE2\x81\xBB", "-"}, {"\xC2\xB7", " "}, {"\xE2\x88\x92", "-"}};

/** Lower case, words separated by one blank, brackets and underscores as blanks: "Rate [m³/s]" is "rate m3/s". */
static void normalise(const char *text, char out[TEXT]) {
  size_t n = 0;
  while (*text && n < TEXT - 2) {
    char letter = (char)tolower((unsigned char)*text);
    size_t taken = 1;
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
      if (strncmp(text, signs[k].from, strlen(signs[k].from)) == 0) {
        letter = *signs[k].to;
        taken = strlen(signs[k].from);
      }
    text += taken;
    if (letter == '^') continue;
    if (strchr("_()[]{}.,;:=\"'*|\t", letter)) letter = ' ';
    if (letter == ' ' && (n == 0 || out[n - 1] == ' ')) continue;
    out[n++] = letter;
  }
  while (n > 0 && out[n - 1] == ' ') n--;
  out[n] = '\0';
}

enum measure { NO_UNIT, OF_TIME, OF_RATE, OF_POWER };

/** The names of units; of two that fit the end of a text the longer one is meant. */
static const struct unit {
  const char *name;
  enum measure measure;
  double factor;
  const char *shown;
} units[] = {
    {"s", OF_TIME, 1, "s"},
    {"sec", OF_TIME, 1, "s"},
    {"secs", OF_TIME, 1, "s"},
    {"second", OF_TIME, 1, "s"},
    {"seconds", OF_TIME, 1, "s"},
    {"min", OF_TIME, 60, "min"},
    {"mins", OF_TIME, 60, "min"},
    {"minute", OF_TIME, 60, "min"},
    {"minutes", OF_TIME, 60, "min"},
    {"h", OF_TIME, 3600, "h"},
    {"hr", OF_TIME, 3600, "h"},
    {"hrs", OF_TIME, 3600, "h"},
    {"hour", OF_TIME, 3600, "h"},
    {"hours", OF_TIME, 3600, "h"},
    {"d", OF_TIME, 86400, "d"},
    {"day", OF_TIME, 86400, "d"},
    {"days", OF_TIME, 86400, "d"},
    {"m3/s", OF_RATE, 1, "m3/s"},
    {"m3/sec", OF_RATE, 1, "m3/s"},
    {"m3 s-1", OF_RATE, 1, "m3/s"},
    {"m3 s", OF_RATE, 1, "m3/s"},
    {"m3s-1", OF_RATE, 1, "m3/s"},
    {"m3s", OF_RATE, 1, "m3/s"},
    {"cumecs", OF_RATE, 1, "m3/s"},
    {"m3/h", OF_RATE, 1 / 3600.0, "m3/h"},
    {"m3/hr", OF_RATE, 1 / 3600.0, "m3/h"},
    {"m3 h-1", OF_RATE, 1 / 3600.0, "m3/h"},
    {"m3 h", OF_RATE, 1 / 3600.0, "m3/h"},
    {"m3/d", OF_RATE, 1 / 86400.0, "m3/d"},
    {"m3/day", OF_RATE, 1 / 86400.0, "m3/d"},
    {"m3 d-1", OF_RATE, 1 / 86400.0, "m3/d"},
    {"m3 d", OF_RATE, 1 / 86400.0, "m3/d"},
    {"w", OF_POWER, 1, "W"},
    {"kw", OF_POWER, 1e3, "kW"},
    {"mw", OF_POWER, 1e6, "MW"},
    {"gw", OF_POWER, 1e9, "GW"},
};

/** Cuts the unit from the end of a normalised text; NULL: it has none. */
static const struct unit *cut_unit(char *text) {
  const struct unit *best = NULL;
  const size_t length = strlen(text);
  for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
    const size_t n = strlen(units[k].name);
    const bool fits =
        n <= length && strcmp(text + length - n, units[k].name) == 0 && (n == length || text[length - n - 1] == ' ');
    if (fits && (!best || n > strlen(best->name))) best = &units[k];
  }
  if (!best) return NULL;
  size_t end = length - strlen(best->name);
  while (end > 0 && text[end - 1] == ' ') end--;
  if (end > 1 && text[end - 1] == '/' && text[end - 2] == ' ') end -= 2; // "rate / (m3/s)"
  text[end] = '\0';
  return best;
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
  UNKNOWN = 512
};

static const struct {
  enum word means;
  const char *words; ///< each between blanks
} dictionary[] = {
    {WORD_TIME, " time t datetime timestamp elapsed seconds hours days "},
    {WORD_DAY, " date "},
    {WORD_RATE, " rate rates effusion tadr mor er edr discharge output flux q "},
    {WORD_POWER, " vrp frp power radiative radiant "},
    {WORD_LOW, " low lower lo min minimum "},
    {WORD_HIGH, " high higher upper hi max maximum "},
    {WORD_MEAN, " mean average averaged avg best "},
    {WORD_ZONE, " utc gmt z ut iso "},
    {FILLER, " since start of the from after begin beginning in per volcanic lava eruption onset and "},
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
  if (meaning & UNKNOWN) return SCIARA_RATES_NOTHING;
  if (meaning & WORD_POWER) return SCIARA_RATES_POWER;
  if (meaning & of_a_rate) return estimate_of(meaning);
  if (meaning & WORD_TIME) return SCIARA_RATES_TIME;
  return meaning & WORD_DAY ? SCIARA_RATES_DAY : meaning & WORD_ZONE ? SCIARA_RATES_TIME : SCIARA_RATES_NOTHING;
}

static enum sciara_rates_quantity quantity_of(const struct unit *unit, unsigned meaning) {
  const bool estimate = (meaning & (WORD_RATE | WORD_POWER)) != 0;
  if (!unit) return quantity_of_words(meaning);
  if (unit->measure == OF_RATE) return estimate_of(meaning);
  if (unit->measure == OF_POWER) return meaning & (WORD_LOW | WORD_HIGH) ? SCIARA_RATES_NOTHING : SCIARA_RATES_POWER;
  return estimate || (meaning & UNKNOWN) ? SCIARA_RATES_NOTHING : SCIARA_RATES_TIME;
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
  const struct unit *unit = cut_unit(text);
  const enum sciara_rates_quantity quantity = quantity_of(unit, meaning_of(text));
  c->given = true;
  c->factor = unit ? unit->factor : 1;
  c->unit = unit ? unit->shown : quantity == SCIARA_RATES_TIME || quantity == SCIARA_RATES_DAY ? "s" : "m3/s";
  c->unit_assumed = !unit;
  snprintf(c->name, sizeof c->name, "%s", name);
  return quantity;
}

/** Puts a column where it belongs. */
static enum sciara_status place(const struct sciara_rates_column *c, enum sciara_rates_quantity quantity,
                                struct sciara_rates_columns *out, struct sciara_text *unused) {
  static const char *const names[] = {"times", "dates", "effusion rates", "lowest rates", "highest rates", "power"};
  if (quantity == SCIARA_RATES_NOTHING)
    return sciara_text_append(unused, "%s\"%s\"", unused->length ? ", " : "", c->name);
  if (quantity == SCIARA_RATES_POWER && c->unit_assumed)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "expected the unit of the power in the header, such as \"VRP [MW]\"; found \"%s\"", c->name);
  struct sciara_rates_column *to = &out->column[quantity];
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

/** The rules about several columns. */
static enum sciara_status check(struct sciara_rates_columns *out) {
  struct sciara_rates_column *c = out->column;
  if (c[SCIARA_RATES_DAY].given && !c[SCIARA_RATES_TIME].given) {
    c[SCIARA_RATES_TIME] = c[SCIARA_RATES_DAY];
    c[SCIARA_RATES_DAY].given = false;
  }
  const bool rates = c[SCIARA_RATES_MEAN].given || c[SCIARA_RATES_LOW].given || c[SCIARA_RATES_HIGH].given ||
                     c[SCIARA_RATES_POWER].given;
  if (c[SCIARA_RATES_TIME].given && rates) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "expected a header such as \"time_s,rate_m3_s\" or \"date;TADR [m3/s]\", found no column of %s",
                     c[SCIARA_RATES_TIME].given ? "effusion rates" : "times");
}

enum sciara_status sciara_rates_columns_read(char *line, struct sciara_rates_columns *out, struct sciara_text *unused) {
  char *cells[SCIARA_RATES_MAX_COLUMNS] = {NULL};
  *out = (struct sciara_rates_columns){.separator = separator_of(line)};
  out->count = sciara_rates_cut(line, out->separator, cells);
  if (out->count > SCIARA_RATES_MAX_COLUMNS)
    return sciara_fail(SCIARA_ERR_INPUT, "expected at most %d columns, found more", SCIARA_RATES_MAX_COLUMNS);
  for (size_t k = 0; k < out->count; k++) {
    struct sciara_rates_column c = {.at = k};
    enum sciara_rates_quantity quantity = read_name(cells[k], &c);
    if (is_lowest(cells[k], out)) {
      quantity = SCIARA_RATES_LOW;
      c = (struct sciara_rates_column){.given = true, .at = k, .factor = 1, .unit = "m3/s", .unit_assumed = true};
      snprintf(c.name, sizeof c.name, "%s", cells[k]);
    }
    SCIARA_TRY(place(&c, quantity, out, unused));
  }
  return check(out);
}
