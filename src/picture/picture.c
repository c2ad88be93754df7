// SPDX-License-Identifier: Apache-2.0
#include "picture/picture.h"

#include <glib.h>
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"
#include "map/raster_gdal.h"

enum { PNG_HEADER = 33 }; // bytes

static enum sciara_status append_number(struct sciara_text *out, uint32_t value) {
  const char bytes[4] = {(char)(value >> 24), (char)(value >> 16), (char)(value >> 8), (char)value};
  return sciara_text_append_bytes(out, bytes, sizeof bytes);
}

static enum sciara_status append_fact(const char *name, const char *text, struct sciara_text *out) {
  struct sciara_text body = {0};
  const bool plain = g_str_is_ascii(text);
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_text_append(&body, plain ? "tEXt%s" : "iTXt%s", name));
  // After the name a NUL; in iTXt then: not compressed (2 bytes), no language, no translation of the name.
  SCIARA_TRY_GOTO(sciara_text_append_bytes(&body, "\0\0\0\0\0", plain ? 1 : 5));
  SCIARA_TRY_GOTO(sciara_text_append_bytes(&body, text, strlen(text)));
  SCIARA_TRY_GOTO(append_number(out, (uint32_t)body.length - 4));
  SCIARA_TRY_GOTO(sciara_text_append_bytes(out, body.data, body.length));
  SCIARA_TRY_GOTO(append_number(out, (uint32_t)crc32(0, (const Bytef *)body.data, (uInt)body.length)));
cleanup:
  sciara_text_free(&body);
  return status;
}

/** Appends a chunk for each fact: tEXt where the text is ASCII, else iTXt, which holds UTF-8. They belong behind the header. */
static enum sciara_status append_facts(const struct sciara_map_facts *facts, struct sciara_text *out) {
  for (size_t k = 0; facts && k < facts->count; k++)
    SCIARA_TRY(append_fact(facts->fact[k].name, facts->fact[k].text, out));
  return SCIARA_OK;
}

/** Converts the status of Cairo. */
static enum sciara_status status_of(cairo_status_t said, const char *path) {
  if (said == CAIRO_STATUS_SUCCESS) return SCIARA_OK;
  return sciara_fail(said == CAIRO_STATUS_NO_MEMORY ? SCIARA_ERR_MEMORY : SCIARA_ERR_INTERNAL,
                     "%s: the picture cannot be drawn: %s", path, cairo_status_to_string(said));
}

/** Bytes available for pixels: if the address space is limited, some must be left for text. */
static size_t available_for_pixels(void) {
  enum { FOR_TEXT = 16 << 20 };
  const size_t left = sciara_address_space_left();
  return left == SIZE_MAX ? sciara_memory_available() : left > FOR_TEXT ? left - FOR_TEXT : 1; // 0: unknown
}

/** Limits come before memory is taken: the pixels, and as much again for the file. */
static enum sciara_status check_size(int64_t width, int64_t height, const char *path) {
  if (width < 1 || height < 1 || width > SCIARA_PICTURE_LONGEST || height > SCIARA_PICTURE_LONGEST)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: expected a picture of at most %d pixels each way, found %" PRId64 " x %" PRId64, path,
                       SCIARA_PICTURE_LONGEST, width, height);
  const size_t need = 2 * sizeof(uint32_t) * (size_t)width * (size_t)height, available = available_for_pixels();
  if (available == 0 || need <= available) return SCIARA_OK;
  char needed[32], have[32];
  sciara_print_bytes((double)need, needed, sizeof needed);
  sciara_print_bytes((double)available, have, sizeof have);
  return sciara_fail(SCIARA_ERR_MEMORY,
                     "%s: a picture of %" PRId64 " x %" PRId64 " pixels needs about %s of memory, %s are free", path,
                     width, height, needed, have);
}

enum sciara_status sciara_picture_begin(struct sciara_picture *p, int64_t width, int64_t height, const char *path) {
  SCIARA_TRY(check_size(width, height, path));
  SCIARA_TRY(SCIARA_NEW(p->pixels, width * height, "pixels of a picture"));
  p->width = width;
  p->height = height;
  cairo_surface_t *surface =
      cairo_image_surface_create_for_data((unsigned char *)p->pixels, CAIRO_FORMAT_RGB24, (int)width, (int)height,
                                          (int)(width * (int64_t)sizeof *p->pixels));
  p->cairo = cairo_create(surface);
  cairo_surface_destroy(surface); // the context holds it
  cairo_set_source_rgb(p->cairo, 1, 1, 1);
  cairo_paint(p->cairo);
  return status_of(cairo_status(p->cairo), path);
}

void sciara_picture_touch(struct sciara_picture *p) { cairo_surface_flush(cairo_get_target(p->cairo)); }

void sciara_picture_touched(struct sciara_picture *p) { cairo_surface_mark_dirty(cairo_get_target(p->cairo)); }

void sciara_picture_colour(struct sciara_picture *p, const uint8_t rgb[3], double opacity) {
  cairo_set_source_rgba(p->cairo, rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0, opacity);
}

void sciara_picture_fill(struct sciara_picture *p, double x, double y, double width, double height,
                         const uint8_t rgb[3]) {
  sciara_picture_colour(p, rgb, 1);
  cairo_rectangle(p->cairo, x, y, width, height);
  cairo_fill(p->cairo);
}

void sciara_picture_claim(struct sciara_picture *p, struct sciara_box box) {
  if (p->boxes < SCIARA_PICTURE_BOXES) p->box[p->boxes++] = box;
}

static cairo_status_t append(void *text, const unsigned char *bytes, unsigned int count) {
  const enum sciara_status status =
      sciara_text_append_bytes((struct sciara_text *)text, (const char *)bytes, (size_t)count);
  return status == SCIARA_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_NO_MEMORY;
}

/** The header of the file, the facts, and the rest. */
static enum sciara_status join(const struct sciara_text *file, const struct sciara_map_facts *facts,
                               struct sciara_text *out) {
  if (file->length < PNG_HEADER) return sciara_fail(SCIARA_ERR_INTERNAL, "Cairo made no PNG file");
  SCIARA_TRY(sciara_text_append_bytes(out, file->data, PNG_HEADER));
  SCIARA_TRY(append_facts(facts, out));
  return sciara_text_append_bytes(out, file->data + PNG_HEADER, file->length - PNG_HEADER);
}

enum sciara_status sciara_picture_write_png(struct sciara_picture *p, const struct sciara_map_facts *facts,
                                            const char *path) {
  struct sciara_text file = {0}, whole = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(status_of(cairo_status(p->cairo), path));
  SCIARA_TRY_GOTO(status_of(cairo_surface_write_to_png_stream(cairo_get_target(p->cairo), append, &file), path));
  SCIARA_TRY_GOTO(join(&file, facts, &whole));
  SCIARA_TRY_GOTO(sciara_file_replace(path, whole.data, whole.length));
cleanup:
  sciara_text_free(&file);
  sciara_text_free(&whole);
  return status;
}

void sciara_picture_free(struct sciara_picture *p) {
  if (p->cairo) cairo_destroy(p->cairo);
  sciara_free(p->pixels);
  *p = (struct sciara_picture){0};
}
