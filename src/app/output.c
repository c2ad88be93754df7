// SPDX-License-Identifier: Apache-2.0
#include "app/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "file/georef.h"
#include "file/json_strict.h"

static struct {
  int failure; // errno of the first call that failed
  bool not_needed;
} state;

static void print_bytes(const char *bytes, size_t count) {
  if (state.failure) return;
  errno = 0;
  if (fwrite(bytes, 1, count, stdout) < count) state.failure = errno ? errno : EIO;
}

void sciara_print(const char *format, ...) {
  struct sciara_text text = {0};
  va_list args;
  va_start(args, format);
  const enum sciara_status status = sciara_text_vshowf(&text, format, args);
  va_end(args);
  if (status == SCIARA_OK)
    print_bytes(text.data, text.length);
  else if (!state.failure)
    state.failure = status == SCIARA_ERR_MEMORY ? ENOMEM : EINVAL;
  sciara_text_free(&text);
}

void sciara_print_raw(const char *text) { print_bytes(text, strlen(text)); }

enum sciara_status sciara_print_text(enum sciara_status made, struct sciara_text *text) {
  if (made == SCIARA_OK && text->data) sciara_print_raw(text->data);
  sciara_text_free(text);
  return made;
}

void sciara_output_flush(void) {
  if (state.failure) return;
  errno = 0;
  if (fflush(stdout) != 0) state.failure = errno ? errno : EIO;
}

int sciara_output_failure(void) { return state.failure; }

void sciara_output_not_needed(void) { state.not_needed = true; }

bool sciara_output_end(int *error) {
  sciara_output_flush();
  *error = state.failure;
  return state.failure == 0 || state.failure == EPIPE || (state.not_needed && state.failure != ENOMEM);
}

void sciara_put_json_text(struct sciara_text *t, const char *lead, const char *key, const char *value) {
  sciara_text_append(t, value ? "%s\"%s\": " : "%s\"%s\": null", lead, key);
  if (value) sciara_text_append_json(t, value);
}

void sciara_put_json_number(struct sciara_text *t, const char *lead, const char *key, double value) {
  char number[40] = "null";
  if (isfinite(value)) sciara_json_number(value, number, sizeof number);
  sciara_text_append(t, "%s\"%s\": %s", lead, key, number);
}

// -------------------------------------------------------------------------------------------------------------- a grid

void sciara_print_grid(const struct sciara_grid *g, const struct sciara_georef *georef) {
  sciara_print("grid:          %" PRId64 " rows x %" PRId64 " columns of %g m, x %.10g to %.10g, y %.10g to %.10g\n",
               g->rows, g->cols, g->cell_size, g->west, sciara_grid_east(g), sciara_grid_south(g), g->north);
  sciara_print("CRS:           %s\n", georef->crs_name  ? georef->crs_name
                                      : georef->crs_wkt ? "given, without a name"
                                                        : "none");
}
