// SPDX-License-Identifier: Apache-2.0
// Edits of the ground in words.
#ifndef SCIARA_MAP_WORDS_EDIT_H
#define SCIARA_MAP_WORDS_EDIT_H

#include "map/words.h"
#include "model/ground_edit.h"

enum { SCIARA_EDITS_SAID = 6 }; ///< of more, the number of the others is said

/**
 * Appends "dam: 8 m above the ground, from 1 d 14 h (2026-11-28 12:00 UTC)".
 *
 * @param start of the run, "2026-11-27T22:00:00Z"; NULL: unknown
 */
void sciara_word_edit(struct sciara_text *out, enum sciara_language language, const struct sciara_edit *edit,
                      const char *start);

/** Appends the same of all edits, each on a line, which begins with '\n'; `fate` appends what became of edit k; NULL: nothing is known. */
void sciara_word_edits(struct sciara_text *out, enum sciara_language language, const struct sciara_edit *edits,
                       size_t count, const char *start,
                       void (*fate)(struct sciara_text *out, enum sciara_language language, size_t k,
                                    const void *context),
                       const void *context);

/** Appends the title, and after it, if there are edits, "(Edited ground: dam)". @param title NULL: none */
enum sciara_status sciara_word_title(struct sciara_text *out, enum sciara_language language, const char *title,
                                     const struct sciara_edit *edits, size_t count);

#endif
