// SPDX-License-Identifier: Apache-2.0
#include "map/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/text.h"
#include "model/field.h"

static const struct {
  const char *code;
  char decimal;
} languages[SCIARA_LANGUAGES] = {
#define SCIARA_LANGUAGE(ID, code, decimal) {code, decimal[0]},
#include "map/words.def"
};

static const char *const words[SCIARA_WORDS][SCIARA_LANGUAGES] = {
#define SCIARA_WORD(ID, en, it, fr, es, is) {en, it, fr, es, is},
#include "map/words.def"
};

static const char *const ids[SCIARA_WORDS] = {
#define SCIARA_WORD(ID, en, it, fr, es, is) #ID,
#include "map/words.def"
};

static const struct {
  enum sciara_word heading, long_name;
} of_field[SCIARA_FIELD_COUNT] = {
#define SCIARA_OUTPUT_FIELD(NAME, member, QUANTITY, name, unit, long_name, standard_name) \
  [SCIARA_FIELD_##NAME] = {SCIARA_WORD_FIELD_##NAME, SCIARA_WORD_LONG_##NAME},
#include "model/fields.def"
};

enum sciara_status sciara_language_parse(const char *code, enum sciara_language *out) {
  for (int k = 0; k < SCIARA_LANGUAGES; k++)
    if (strcmp(languages[k].code, code) == 0) {
      *out = (enum sciara_language)k;
      return SCIARA_OK;
    }
  return sciara_fail(SCIARA_ERR_USAGE, "expected a language of %s, found \"%s\"", SCIARA_LANGUAGE_CODES, code);
}

const char *sciara_language_code(enum sciara_language language) { return languages[language].code; }

char sciara_language_decimal(enum sciara_language language) { return languages[language].decimal; }

const char *sciara_word(enum sciara_language language, enum sciara_word word) { return words[word][language]; }

const char *sciara_word_id(enum sciara_word word) { return ids[word]; }

const char *sciara_word_of_field(enum sciara_language language, const char *field) {
  const enum sciara_field f = sciara_field_find(field);
  return f == SCIARA_FIELD_COUNT ? NULL : words[of_field[f].heading][language];
}

const char *sciara_word_of_field_long(enum sciara_language language, const char *field) {
  const enum sciara_field f = sciara_field_find(field);
  return f == SCIARA_FIELD_COUNT ? NULL : words[of_field[f].long_name][language];
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

void sciara_word_numbers(enum sciara_language language, char *text) {
  for (char *c = text; *c; c++)
    if (*c == '.' && c > text && is_digit(c[-1]) && is_digit(c[1])) *c = languages[language].decimal;
}

// --------------------------------------------------------------------------------------------------------- quantities

const char *sciara_word_of_param(enum sciara_language language, const char *key,
                                 const struct sciara_param_info **info) {
  static const enum sciara_word of_param[] = {
#define SCIARA_PARAM(member, ...) SCIARA_WORD_PARAM_##member,
#include "model/params.def"
#undef SCIARA_PARAM
  };
  size_t count;
  const struct sciara_param_info *table = sciara_param_table(&count);
  if (strncmp(key, "model.", strlen("model.")) == 0) key += strlen("model.");
  for (size_t k = 0; k < count; k++)
    if (strcmp(table[k].key, key) == 0) {
      *info = &table[k];
      return words[of_param[k]][language];
    }
  return NULL;
}

void sciara_word_duration(enum sciara_language language, double seconds, char *buffer, size_t capacity) {
  char text[64];
  sciara_print_duration(seconds, text, sizeof text);
  const char *end = strstr(text, " d"); // days come first
  if (end && (end[2] == ' ' || end[2] == '\0'))
    snprintf(buffer, capacity, "%.*s %s%s", (int)(end - text), text, words[SCIARA_WORD_DAY][language], end + 2);
  else
    snprintf(buffer, capacity, "%s", text);
  sciara_word_numbers(language, buffer);
}

bool sciara_word_clock(enum sciara_language language, const char *start, double seconds, char *buffer,
                       size_t capacity) {
  char date[SCIARA_MINUTE_SIZE];
  const char *month = words[SCIARA_WORD_MONTHS][language];
  if (!sciara_zoned_after(start, round(seconds), date)) return false;
  for (long k = strtol(date + sizeof "2026", NULL, 10); k > 1; k--) month = strchr(month, ' ') + 1;
  const char *time = date + sizeof "2026-05-11";
  snprintf(buffer, capacity, "%ld %.*s %.*s", strtol(date + sizeof "2026-05", NULL, 10), (int)strcspn(month, " "),
           month, strncmp(time + 5, ":00", 3) == 0 ? 5 : 8, time);
  return true;
}

void sciara_word_volume(enum sciara_language language, double m3, char *buffer, size_t capacity) {
  if (m3 >= 99999.5)
    snprintf(buffer, capacity, "%.4g\u00A0\u00D7\u00A010\u2076\u00A0m\u00B3", 1e-6 * m3);
  else
    snprintf(buffer, capacity, m3 >= 1000 ? "%.0f\u00A0m\u00B3" : "%.4g\u00A0m\u00B3", m3);
  sciara_word_numbers(language, buffer);
}

void sciara_word_area(enum sciara_language language, double m2, char *buffer, size_t capacity) {
  const long whole = lround(m2);
  if (m2 >= 99999.5 || whole < 1000) {
    snprintf(buffer, capacity, m2 >= 99999.5 ? "%.4g\u00A0km\u00B2" : "%.4g\u00A0m\u00B2",
             m2 >= 99999.5 ? 1e-6 * m2 : m2);
    sciara_word_numbers(language, buffer);
  } else {
    snprintf(buffer, capacity, "%ld%s%03ld\u00A0m\u00B2", whole / 1000,
             languages[language].decimal == '.' ? "," : "\u202F", whole % 1000);
  }
}

void sciara_word_lava(enum sciara_language language, double m3, double liquid_m3, double solid_m3,
                      char text[SCIARA_WORD_LAVA_SIZE]) {
  const char *colon = words[SCIARA_WORD_COLON][language];
  const double lava = liquid_m3 + solid_m3;
  char volume[64], share[32];
  sciara_word_volume(language, m3, volume, sizeof volume);
  snprintf(share, sizeof share, "%.3g\u00A0%%", lava > 0 ? 100 * liquid_m3 / lava : 0);
  sciara_word_numbers(language, share);
  snprintf(text, SCIARA_WORD_LAVA_SIZE, "%s%s%s. %s%s%s", words[SCIARA_WORD_LAVA_UNTIL][language], colon, volume,
           words[SCIARA_WORD_STILL_LIQUID][language], colon, share);
}

void sciara_word_share(enum sciara_language language, double m3, double emitted_m3, double other_m3, char *buffer,
                       size_t capacity) {
  const double all = emitted_m3 + other_m3;
  *buffer = '\0';
  if (!(all > 0)) return;
  snprintf(buffer, capacity, " (%.3g\u00A0%% %s)", 100 * m3 / all,
           words[other_m3 > 0 ? SCIARA_WORD_OF_ALL_LAVA : SCIARA_WORD_OF_EMITTED][language]);
  sciara_word_numbers(language, buffer);
}

/** "1.5 × 10⁷", or as many digits as people read. */
static void print_number(double value, char *buffer, size_t capacity) {
  static const char *const raised[] = {"\u2070", "\u00B9", "\u00B2", "\u00B3", "\u2074",
                                       "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  const double size = fabs(value);
  int power = 0;
  char text[40];
  if (size == 0 || (size >= 1e-3 && size < 1e6)) {
    snprintf(buffer, capacity, size >= 1000 ? "%.0f" : "%.4g", value);
    return;
  }
  snprintf(text, sizeof text, "%.3e", value);
  char *e = strchr(text, 'e');
  if (e) {
    power = (int)strtol(e + 1, NULL, 10);
    *e = '\0';
    while (e[-1] == '0') *--e = '\0';
    if (e[-1] == '.') e[-1] = '\0';
  }
  snprintf(buffer, capacity, "%s\u00A0\u00D7\u00A010%s%s%s", text, power < 0 ? "\u207B" : "",
           abs(power) > 9 ? raised[abs(power) / 10 % 10] : "", raised[abs(power) % 10]);
}

void sciara_word_quantity(enum sciara_language language, double value, const char *unit, char *buffer,
                          size_t capacity) {
  const char *power = strpbrk(unit, "23"); // m2, kg/m3
  char number[64];
  print_number(value, number, sizeof number);
  if (strcmp(unit, "1") == 0)
    snprintf(buffer, capacity, "%s", number);
  else
    snprintf(buffer, capacity, "%s\u00A0%.*s%s", number, (int)strcspn(unit, "23"), unit,
             !power          ? ""
             : *power == '2' ? "\u00B2"
                             : "\u00B3");
  sciara_word_numbers(language, buffer);
}

void sciara_word_parameters(struct sciara_text *out, enum sciara_language language, const char *model,
                            const struct sciara_params *params) {
  static const char changed[] = "; changed: ";
  const char *key = strstr(model, changed);
  sciara_text_append_bytes(out, model, key ? (size_t)(key - model) : strlen(model));
  if (!key) return;
  for (key += strlen(changed); *key;) {
    char name[64], value[64];
    const size_t length = strcspn(key, ",");
    const struct sciara_param_info *info = NULL;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), key);
    const char *word = sciara_word_of_param(language, name, &info);
    if (word) {
      double number;
      memcpy(&number, (const char *)params + info->offset, sizeof number);
      sciara_word_quantity(language, number, info->unit, value, sizeof value);
      sciara_text_append(out, "; %s %s", word, value);
    }
    key += length;
    key += strspn(key, ", ");
  }
}

void sciara_word_emission(struct sciara_text *out, enum sciara_language language, const struct sciara_emission *e) {
  char volume[64], duration[64], rate[64], time[64];
  const char *const pairs[] = {"volume", volume, "duration", duration, "rate", rate, "time", time, NULL};
  sciara_word_duration(language, e->from_s, time, sizeof time);
  sciara_word_fill(out, words[e->from_s > 0 ? SCIARA_WORD_EMISSION_FROM : SCIARA_WORD_EMISSION][language], pairs);
  sciara_text_append(out, "%s", words[SCIARA_WORD_COLON][language]);
  if (!isfinite(e->volume_m3)) {
    sciara_text_append(out, "%s", words[SCIARA_WORD_PAGE_UNKNOWN][language]);
    return;
  }
  sciara_word_volume(language, e->volume_m3, volume, sizeof volume);
  sciara_word_duration(language, e->end_s - e->begin_s, duration, sizeof duration);
  snprintf(rate, sizeof rate, "%.3g\u00A0m\u00B3/s", e->peak_m3_s);
  sciara_word_numbers(language, rate);
  sciara_word_fill(out, words[SCIARA_WORD_EMISSION_OF][language], pairs);
}

void sciara_word_begin_earlier(struct sciara_text *out, enum sciara_language language, double time_s) {
  char time[64];
  const char *const pairs[] = {"time", time, NULL};
  sciara_word_duration(language, time_s, time, sizeof time);
  sciara_word_fill(out, words[SCIARA_WORD_BEGIN_EARLIER][language], pairs);
  sciara_text_append(out, ".");
}

void sciara_word_begin_observed(struct sciara_text *out, enum sciara_language language, const char *path, double time_s,
                                const char *start) {
  char time[64 + SCIARA_MINUTE_SIZE];
  const char *const pairs[] = {"name", sciara_path_name(path), "time", time, NULL};
  sciara_word_duration(language, fmax(time_s, 0), time, sizeof time);
  sciara_append_minute(start, fmax(time_s, 0), time, sizeof time);
  sciara_word_fill(out, words[SCIARA_WORD_BEGIN_OBSERVED][language], pairs);
  sciara_text_append(out, ".");
}

// ---------------------------------------------------------------------------------------------------------------- forms

/** The text of the placeholder at `form`, "{name}"; NULL: there is none. */
static const char *text_of(const char *form, const char *const *pairs, size_t *length) {
  for (; *pairs; pairs += 2) {
    *length = strlen(*pairs);
    if (strncmp(form + 1, *pairs, *length) == 0 && form[1 + *length] == '}') return pairs[1];
  }
  return NULL;
}

enum sciara_status sciara_word_fill(struct sciara_text *out, const char *form, const char *const *pairs) {
  while (*form) {
    size_t length = 0;
    const char *text = *form == '{' ? text_of(form, pairs, &length) : NULL;
    if (text) {
      sciara_text_append(out, "%s", text);
      form += length + 2;
    } else {
      length = 1 + strcspn(form + 1, "{");
      sciara_text_append_bytes(out, form, length);
      form += length;
    }
  }
  return out->failed;
}

/** Appends a form with numbers in the language. */
static enum sciara_status fill_numbers(struct sciara_text *out, enum sciara_language language, enum sciara_word form,
                                       const char *const *pairs) {
  const size_t before = out->length;
  SCIARA_TRY(sciara_word_fill(out, words[form][language], pairs));
  sciara_word_numbers(language, out->data + before);
  return SCIARA_OK;
}

enum sciara_status sciara_word_coarse(struct sciara_text *out, enum sciara_language language, double coarse_m,
                                      double cell_size) {
  char coarse[32], cell[32];
  snprintf(coarse, sizeof coarse, "%.3g", coarse_m);
  snprintf(cell, sizeof cell, "%.10g", cell_size);
  return fill_numbers(out, language, SCIARA_WORD_WARNING_DEM,
                      (const char *const[]){"coarse", coarse, "cell", cell, NULL});
}

void sciara_word_misfit(struct sciara_text *out, enum sciara_language language, const struct sciara_params *params,
                        double cell_size) {
  char cell[32], least[32], most[32];
  if (!sciara_params_misfit(params, cell_size)) return;
  snprintf(cell, sizeof cell, "%.6g", cell_size);
  snprintf(least, sizeof least, "%g", SCIARA_CELL_LEAST);
  snprintf(most, sizeof most, "%g", SCIARA_CELL_MOST);
  sciara_text_append(out, " ");
  fill_numbers(out, language, SCIARA_WORD_WARNING_CELLS,
               (const char *const[]){"cell", cell, "least", least, "most", most, NULL});
  sciara_text_append(out, ".");
}

enum sciara_status sciara_word_outside(struct sciara_text *out, enum sciara_language language,
                                       const struct sciara_dem_window *window) {
  char metres[32];
  snprintf(metres, sizeof metres, "%.10g", window->margin_m);
  return fill_numbers(out, language,
                      window->margin_m > 0 ? SCIARA_WORD_PLACE_BEYOND_MARGIN
                      : window->key        ? SCIARA_WORD_PLACE_BEYOND_WINDOW
                                           : SCIARA_WORD_PLACE_OUTSIDE,
                      (const char *const[]){"metres", metres, NULL});
}

// ----------------------------------------------------------------------------------------------------- edits of the ground

enum { EDITS_SAID = 6 }; // of more, the number of the others is said

/** Appends a form with one placeholder. */
static void put_form(struct sciara_text *out, enum sciara_language language, enum sciara_word form, const char *name,
                     const char *text) {
  const char *const pairs[] = {name, text, NULL};
  sciara_word_fill(out, sciara_word(language, form), pairs);
}

/** What an edit does: a value, or the file that holds it. */
static void put_change(struct sciara_text *out, enum sciara_language language, const struct sciara_edit *e) {
  static const enum sciara_word form[SCIARA_EDIT_VALUES] = {
      [SCIARA_EDIT_HEIGHT] = SCIARA_WORD_EDIT_HEIGHT, [SCIARA_EDIT_CREST] = SCIARA_WORD_EDIT_CREST,
      [SCIARA_EDIT_DEPTH] = SCIARA_WORD_EDIT_DEPTH,   [SCIARA_EDIT_RAISE] = SCIARA_WORD_EDIT_RAISE,
      [SCIARA_EDIT_LEVEL] = SCIARA_WORD_EDIT_LEVEL,
  };
  const char *file = e->raster ? e->raster : e->path;
  for (int k = SCIARA_EDIT_WIDTH + 1; k < SCIARA_EDIT_VALUES; k++) {
    char metres[32];
    if (isnan(e->value[k])) continue;
    snprintf(metres, sizeof metres, "%.6g", e->value[k]);
    sciara_word_numbers(language, metres);
    put_form(out, language, form[k], "metres", metres);
    return;
  }
  if (file) put_form(out, language, SCIARA_WORD_EDIT_FILE, "name", sciara_path_name(file));
}

/** "dam: 8 m above the ground, from 1 d 14 h (2026-11-28 12:00 UTC)". */
static void put_edit(struct sciara_text *out, enum sciara_language language, const struct sciara_edit *edit,
                     const char *start) {
  char time[64 + SCIARA_MINUTE_SIZE];
  sciara_text_append(out, "%s%s", edit->name, sciara_word(language, SCIARA_WORD_COLON));
  put_change(out, language, edit);
  if (!(edit->from_s > 0)) return;
  sciara_word_duration(language, edit->from_s, time, sizeof time);
  sciara_append_minute(start, edit->from_s, time, sizeof time);
  sciara_text_append(out, ", ");
  put_form(out, language, SCIARA_WORD_EDIT_FROM, "time", time);
}

void sciara_word_edits(struct sciara_text *out, enum sciara_language language, const struct sciara_edit *edits,
                       size_t count, const char *start,
                       void (*fate)(struct sciara_text *out, enum sciara_language language, size_t k,
                                    const void *context),
                       const void *context) {
  for (size_t k = 0; k < count && k < EDITS_SAID; k++) {
    sciara_text_append(out, "\n");
    put_edit(out, language, &edits[k], start);
    if (fate) fate(out, language, k, context);
    sciara_text_append(out, ".");
  }
  if (count > EDITS_SAID)
    sciara_text_append(out, "\n%s: \u2026 +%zu", sciara_word(language, SCIARA_WORD_EDITS), count - EDITS_SAID);
}

/** Whether the scenario gave no name to edit k. */
static bool is_unnamed(const struct sciara_edit *e, size_t k) {
  char own[32];
  snprintf(own, sizeof own, "edit %zu", k + 1);
  return strcmp(e->name, own) == 0;
}

enum sciara_status sciara_word_title(struct sciara_text *out, enum sciara_language language, const char *title,
                                     const struct sciara_edit *edits, size_t count) {
  enum { NAMES = 3 };
  size_t names = 0;
  if (title) sciara_text_append(out, "%s", title);
  if (count == 0) return out->failed;
  sciara_text_append(out, "%s%s", title ? " (" : "", sciara_word(language, SCIARA_WORD_EDITS));
  for (size_t k = 0; k < count && names <= NAMES; k++) {
    if (is_unnamed(&edits[k], k)) continue;
    sciara_text_append(out, "%s%s", names ? ", " : sciara_word(language, SCIARA_WORD_COLON),
                       names < NAMES ? edits[k].name : "\u2026");
    names++;
  }
  return sciara_text_append(out, title ? ")" : "");
}
