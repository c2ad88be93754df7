// SPDX-License-Identifier: Apache-2.0
#include "map/words_edit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "base/text.h"

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

void sciara_word_edit(struct sciara_text *out, enum sciara_language language, const struct sciara_edit *edit,
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
  for (size_t k = 0; k < count && k < SCIARA_EDITS_SAID; k++) {
    sciara_text_append(out, "\n");
    sciara_word_edit(out, language, &edits[k], start);
    if (fate) fate(out, language, k, context);
    sciara_text_append(out, ".");
  }
  if (count > SCIARA_EDITS_SAID)
    sciara_text_append(out, "\n%s: \u2026 +%zu", sciara_word(language, SCIARA_WORD_EDITS), count - SCIARA_EDITS_SAID);
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
