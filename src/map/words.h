// SPDX-License-Identifier: Apache-2.0
// The texts on pictures and pages, in several languages: one table, words.def.
#ifndef SCIARA_MAP_WORDS_H
#define SCIARA_MAP_WORDS_H

#include <stddef.h>

#include "base/text.h"
#include "geometry/dem_window.h"
#include "model/ground_edit.h"
#include "model/params.h"
#include "model/vents.h"

enum sciara_language {
#define SCIARA_LANGUAGE(ID, code, decimal) SCIARA_##ID,
#include "map/words.def"
  SCIARA_LANGUAGES
};

enum sciara_word {
#define SCIARA_WORD(ID, en, it, fr, es, is) SCIARA_WORD_##ID,
#include "map/words.def"
  SCIARA_WORDS
};

/** "en|it|fr|es|is", for an option. */
#define SCIARA_LANGUAGE_CODES "en|it|fr|es|is"

/** The language of a code such as "it"; SCIARA_ERR_USAGE names those there are. */
enum sciara_status sciara_language_parse(const char *code, enum sciara_language *out);

/** ISO 639-1 code. */
const char *sciara_language_code(enum sciara_language language);

const char *sciara_word(enum sciara_language language, enum sciara_word word);

/** ID of a word in the table, such as "NO_LAVA". */
const char *sciara_word_id(enum sciara_word word);

/** Sign between the whole and the fraction of a number: '.' or ','. */
char sciara_language_decimal(enum sciara_language language);

/** Heading and long name of the field of that name; NULL: there is no such field. */
const char *sciara_word_of_field(enum sciara_language language, const char *field);
const char *sciara_word_of_field_long(enum sciara_language language, const char *field);

/** The name of the parameter with this key, such as "cooling" or "model.cooling", and its line in the table; NULL: none has it. */
const char *sciara_word_of_param(enum sciara_language language, const char *key, const struct sciara_param_info **info);

/** sciara_print_duration in a language. */
void sciara_word_duration(enum sciara_language language, double seconds, char *buffer, size_t capacity);

/** "27 Sep 18:00", `seconds` after the start, in the zone that is shown; false, and nothing is written: it has no date. */
bool sciara_word_clock(enum sciara_language language, const char *start, double seconds, char *buffer, size_t capacity);

/** "0.35 × 10⁶ m³", "6000 m³". */
void sciara_word_volume(enum sciara_language language, double m3, char *buffer, size_t capacity);

enum { SCIARA_WORD_LAVA_SIZE = 320 };

/** "Lava up to this time: 0.35 × 10⁶ m³. Still liquid, and able to advance: 12 %": the share of liquid and solid lava. */
void sciara_word_lava(enum sciara_language language, double m3, double liquid_m3, double solid_m3,
                      char text[SCIARA_WORD_LAVA_SIZE]);

/** " (3.4 % of the emitted volume)", or of all lava if there is other lava, such as that at the start; "" if there is none. */
void sciara_word_share(enum sciara_language language, double m3, double emitted_m3, double other_m3, char *buffer,
                       size_t capacity);

/** "27,100 m²", "0.3510 km²"; digits in groups as on pages. */
void sciara_word_area(enum sciara_language language, double m2, char *buffer, size_t capacity);

/** A number in a unit of params.def, "150 m²". */
void sciara_word_quantity(enum sciara_language language, double value, const char *unit, char *buffer, size_t capacity);

/**
 * Appends "thesis-etna-2006; cooling parameter 150 m²": a set of parameters, and those that differ from it.
 *
 * @param model as in the files, "thesis-etna-2006; changed: cooling"
 */
void sciara_word_parameters(struct sciara_text *out, enum sciara_language language, const char *model,
                            const struct sciara_params *params);

/** Appends "Assumed eruption: 0.35 × 10⁶ m³ in 12 h, at most 30 m³/s", from when on, or that it is unknown. */
void sciara_word_emission(struct sciara_text *out, enum sciara_language language, const struct sciara_emission *e);

/** Appends "Begins with the lava of an earlier run, simulated time 2 d." */
void sciara_word_begin_earlier(struct sciara_text *out, enum sciara_language language, double time_s);

/** Appends "Begins with the lava mapped in front.geojson, simulated time 2 d (2026-05-11 04:00 UTC)." */
void sciara_word_begin_observed(struct sciara_text *out, enum sciara_language language, const char *path, double time_s,
                                const char *start);

/** Appends that the cells of the DEM were made of much larger ones. */
enum sciara_status sciara_word_coarse(struct sciara_text *out, enum sciara_language language, double coarse_m,
                                      double cell_size);

/** Appends " Warning: cells of 90 m; ...", if sciara_params_misfit. */
void sciara_word_misfit(struct sciara_text *out, enum sciara_language language, const struct sciara_params *params,
                        double cell_size);

/** Appends where something lies that is not on the DEM, as sciara_dem_window_outside. */
enum sciara_status sciara_word_outside(struct sciara_text *out, enum sciara_language language,
                                       const struct sciara_dem_window *window);

/** Appends a form, with the texts of its placeholders: {name, text, ..., NULL}; one that is not listed stays. */
enum sciara_status sciara_word_fill(struct sciara_text *out, const char *form, const char *const *pairs);

/** Gives the numbers in a text the decimal sign of the language, in place: points between two digits. */
void sciara_word_numbers(enum sciara_language language, char *text);

/**
 * Appends "dam: 8 m above the ground, from 1 d 14 h (2026-11-28 12:00 UTC)." of all edits, each on a line, which begins with '\n'.
 *
 * @param start of the run, "2026-11-27T22:00:00Z"; NULL: unknown
 * @param fate  appends what became of edit k; NULL: nothing is known
 */
void sciara_word_edits(struct sciara_text *out, enum sciara_language language, const struct sciara_edit *edits,
                       size_t count, const char *start,
                       void (*fate)(struct sciara_text *out, enum sciara_language language, size_t k,
                                    const void *context),
                       const void *context);

/** Appends the title, and after it, if there are edits, "(Edited ground: dam)". @param title NULL: none */
enum sciara_status sciara_word_title(struct sciara_text *out, enum sciara_language language, const char *title,
                                     const struct sciara_edit *edits, size_t count);

#endif
