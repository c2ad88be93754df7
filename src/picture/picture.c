// SPDX-License-Identifier: Apache-2.0
#include "picture/picture.h"

#include <fontconfig/fontconfig.h>
#include <glib.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"
#include "file/libraries.h"
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
  return sciara_fail(SCIARA_ERR_MEMORY,
                     "%s: a picture of %" PRId64 " x %" PRId64 " pixels needs about %s of memory, %s are free", path,
                     width, height, SCIARA_BYTES((double)need), SCIARA_BYTES((double)available));
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

// ---------------------------------------------------------------------------------------------------------------- text

// The first of these that is installed; letters that it lacks come from any other font. Debian has the first by default.
static const char families[] = "DejaVu Sans, Noto Sans, Liberation Sans, sans-serif";
static const double capital_of_size = 0.729; // height of a capital letter of DejaVu Sans

enum { LONGEST = 1000 }; // characters of a text: more than fit into any picture

// Where the address space has a limit. Pango ends the program when it finds no memory, or cannot start one of the threads in which
// it looks for fonts; these need no stack of the usual size.
enum { SPACE_LEAST = 40 << 20, STACK = 1 << 20 };

/** Whether a configuration names folders of fonts. Fontconfig says nothing of a missing one on this way. */
static bool has_font_folders(void) {
  FcConfig *own = FcConfigCreate();
  bool named = false;
  if (own && FcConfigParseAndLoad(own, NULL, FcFalse)) {
    FcStrList *folders = FcConfigGetFontDirs(own);
    named = folders && FcStrListNext(folders);
    if (folders) FcStrListDone(folders);
  }
  if (own) FcConfigDestroy(own);
  return named;
}

/** Fonts of a portable release, and the usual folders. The configuration of this system may be of another version. */
static bool use_own_fonts(void) {
  char folder[PATH_MAX];
  if (!sciara_own_data("fonts", folder)) return false;
  gchar *text = g_markup_printf_escaped("<fontconfig><dir>%s</dir><dir>/usr/share/fonts</dir>"
                                        "<dir>/usr/local/share/fonts</dir>"
                                        "<cachedir prefix=\"xdg\">fontconfig</cachedir></fontconfig>",
                                        folder);
  FcConfig *own = FcConfigCreate();
  const bool used =
      own && FcConfigParseAndLoadFromMemory(own, (const FcChar8 *)text, FcFalse) && FcConfigSetCurrent(own);
  if (own) FcConfigDestroy(own); // the current one is kept by fontconfig
  g_free(text);
  return used;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool own_fonts; ///< set once

static void find_own_fonts(void) { own_fonts = use_own_fonts(); }

/** Asked before Pango is, which takes it for granted that there are some. */
static bool has_fonts(void) {
  pthread_once(&once, find_own_fonts);
  if (!own_fonts && !has_font_folders()) return false;
  const FcFontSet *fonts = FcConfigGetFonts(NULL, FcSetSystem);
  return fonts && fonts->nfont > 0;
}

static PangoContext *make_context(void) {
  PangoContext *context = pango_font_map_create_context(pango_cairo_font_map_get_default());
  cairo_font_options_t *options = cairo_font_options_create(); // not those of somebody's desktop
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_ON);
  pango_cairo_context_set_font_options(context, options);
  cairo_font_options_destroy(options);
  return context;
}

static PangoLayout *lay_out_text(struct sciara_lettering *l, const struct sciara_writing *w) {
  struct sciara_text plain = {0};
  if (!l->context) return NULL;
  const enum sciara_status status = sciara_text_append_plain(&plain, w->text);
  if (status != SCIARA_OK) {
    if (l->failed == SCIARA_OK) l->failed = status;
    return NULL;
  }
  PangoLayout *layout = pango_layout_new(l->context);
  PangoFontDescription *font = pango_font_description_from_string(families);
  pango_font_description_set_absolute_size(font, PANGO_SCALE * w->capital / capital_of_size);
  pango_font_description_set_weight(font, w->bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
  pango_layout_set_font_description(layout, font);
  pango_font_description_free(font);
  const char *end = plain.data ? plain.data : "";
  const char *begin = end;
  for (int k = 0; k < LONGEST && *end; k++) end = g_utf8_next_char(end);
  pango_layout_set_text(layout, begin, (int)(end - begin));
  sciara_text_free(&plain);
  if (w->width > 0) {
    pango_layout_set_width(layout, (int)(PANGO_SCALE * w->width));
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
    pango_layout_set_height(layout, -w->lines);
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
  }
  return layout;
}

/** Stack of the threads that are started from now on, in bytes; returns that of those before. */
static size_t set_stack(size_t bytes) {
  pthread_attr_t usual;
  size_t before = 0;
  if (pthread_getattr_default_np(&usual) != 0) return 0;
  pthread_attr_getstacksize(&usual, &before);
  if (pthread_attr_setstacksize(&usual, bytes) == 0) pthread_setattr_default_np(&usual);
  pthread_attr_destroy(&usual);
  return before;
}

enum sciara_status sciara_lettering_open(struct sciara_lettering *out) {
  const size_t left = sciara_address_space_left();
  if (left < SPACE_LEAST)
    return sciara_fail(SCIARA_ERR_MEMORY,
                       "no memory: a limit of the address space (ulimit -v) leaves %.0f MB, text takes up to %.0f MB",
                       (double)left * 1e-6, SPACE_LEAST * 1e-6);
  if (!has_fonts()) return SCIARA_OK;
  if (left != SIZE_MAX) out->stack = set_stack(STACK);
  sigset_t all, before;
  sigfillset(&all);
  sigdelset(&all, SIGTRAP); // GLib's own, where memory is out
  sigdelset(&all, SIGABRT);
  pthread_sigmask(SIG_SETMASK, &all, &before); // others are not for Pango's threads
  out->context = make_context();
  PangoFontMetrics *metrics = pango_context_get_metrics(out->context, NULL, NULL); // now they are all there
  pango_font_metrics_unref(metrics);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return SCIARA_OK;
}

void sciara_lettering_close(struct sciara_lettering *l) {
  if (l->context) g_object_unref(l->context);
  if (l->stack) set_stack(l->stack);
  *l = (struct sciara_lettering){0};
}

static double px(int units) { return (double)units / PANGO_SCALE; }

struct sciara_box sciara_lettering_measure(struct sciara_lettering *l, const struct sciara_writing *w) {
  struct sciara_box box = {0};
  PangoLayout *layout = lay_out_text(l, w);
  PangoRectangle logical;
  if (!layout) return box;
  pango_layout_get_extents(layout, NULL, &logical);
  box = (struct sciara_box){.width = px(logical.width), .height = px(logical.height)};
  g_object_unref(layout);
  return box;
}

size_t sciara_lettering_unknown(struct sciara_lettering *l, const char *text) {
  PangoLayout *layout = lay_out_text(l, &(struct sciara_writing){.text = text, .capital = 10});
  if (!layout) return 0;
  const int count = pango_layout_get_unknown_glyphs_count(layout);
  g_object_unref(layout);
  return (size_t)count;
}

double sciara_picture_write(struct sciara_picture *p, struct sciara_lettering *l, double x, double y, double anchor,
                            const struct sciara_writing *w) {
  static const uint8_t ink[2][3] = {{30, 30, 30}, {90, 90, 90}};
  PangoLayout *layout = lay_out_text(l, w);
  PangoRectangle inked, logical;
  if (!layout) return 0;
  pango_layout_get_extents(layout, &inked, &logical);
  const double left = x - anchor * px(logical.width), top = y - px(pango_layout_get_baseline(layout));
  sciara_picture_colour(p, ink[w->grey], 1);
  cairo_move_to(p->cairo, left, top);
  pango_cairo_show_layout(p->cairo, layout);
  l->unknown += (size_t)pango_layout_get_unknown_glyphs_count(layout);
  if (inked.width > 0)
    sciara_picture_claim(p,
                         (struct sciara_box){left + px(inked.x), top + px(inked.y), px(inked.width), px(inked.height)});
  g_object_unref(layout);
  return px(logical.height);
}

void sciara_picture_write_up(struct sciara_picture *p, struct sciara_lettering *l, double x, double y,
                             const struct sciara_writing *w) {
  static const uint8_t ink[3] = {30, 30, 30};
  PangoLayout *layout = lay_out_text(l, w);
  PangoRectangle inked, logical;
  if (!layout) return;
  pango_layout_get_extents(layout, &inked, &logical);
  const double below = y + 0.5 * px(logical.width), left = x - px(pango_layout_get_baseline(layout));
  cairo_save(p->cairo);
  cairo_translate(p->cairo, left, below);
  cairo_rotate(p->cairo, -1.57079632679489662);
  sciara_picture_colour(p, ink, 1);
  cairo_move_to(p->cairo, 0, 0);
  pango_cairo_show_layout(p->cairo, layout);
  l->unknown += (size_t)pango_layout_get_unknown_glyphs_count(layout);
  cairo_restore(p->cairo);
  if (inked.width > 0)
    sciara_picture_claim(p, (struct sciara_box){left + px(inked.y), below - px(inked.x) - px(inked.width),
                                                px(inked.height), px(inked.width)});
  g_object_unref(layout);
}

void sciara_picture_text_path(struct sciara_picture *p, struct sciara_lettering *l, const struct sciara_writing *w) {
  PangoLayout *layout = lay_out_text(l, w);
  PangoRectangle inked;
  if (!layout) return;
  pango_layout_get_extents(layout, &inked, NULL);
  cairo_move_to(p->cairo, -px(inked.x) - 0.5 * px(inked.width), -px(inked.y) - 0.5 * px(inked.height));
  pango_cairo_layout_path(p->cairo, layout);
  l->unknown += (size_t)pango_layout_get_unknown_glyphs_count(layout);
  g_object_unref(layout);
}
