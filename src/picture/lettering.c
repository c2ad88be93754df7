// SPDX-License-Identifier: Apache-2.0
#include "picture/picture.h"

#include <fontconfig/fontconfig.h>
#include <pthread.h>
#include <signal.h>

#include "base/mem.h"
#include "base/text.h"
#include "file/libraries.h"

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
