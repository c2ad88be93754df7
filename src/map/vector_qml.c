// SPDX-License-Identifier: Apache-2.0
#include "map/vector_parts.h"

#include <string.h>

#include "map/colour_ramp.h"

enum symbol {
  AREA,   ///< a see-through area with a darker border
  BORDER, ///< a border alone
  LINE,
  TRIANGLE,
  CIRCLE
};

// A style with a symbol for each value: begin, a category for each, symbols, a symbol for each, end; one with one symbol:
// single, it, end. Errors are kept in the text.

static const char head[] = "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n"
                           "<qgis version=\"3.22\" styleCategories=\"Symbology|Labeling\">\n";

/** @param field an attribute or an expression */
static void begin(struct sciara_text *t, const char *field) {
  struct sciara_text escaped = {0};
  if (sciara_text_append_xml(&escaped, field) != SCIARA_OK) t->failed = escaped.failed;
  sciara_text_append(t, "%s <renderer-v2 type=\"categorizedSymbol\" attr=\"%s\" forceraster=\"0\">\n  <categories>\n",
                     head, escaped.data ? escaped.data : "");
  sciara_text_free(&escaped);
}

static void category(struct sciara_text *t, size_t number, const char *value) {
  struct sciara_text text = {0};
  if (sciara_text_append_xml(&text, value) != SCIARA_OK) t->failed = text.failed;
  const char *shown = text.data ? text.data : "";
  sciara_text_append(t, "   <category symbol=\"%zu\" value=\"%s\" label=\"%s\" render=\"true\"/>\n", number, shown,
                     shown);
  sciara_text_free(&text);
}

static void symbols(struct sciara_text *t) { sciara_text_append(t, "  </categories>\n  <symbols>\n"); }

static void single(struct sciara_text *t) {
  sciara_text_append(t, "%s <renderer-v2 type=\"singleSymbol\" forceraster=\"0\">\n  <symbols>\n", head);
}

static void property(struct sciara_text *t, const char *key, const char *value) {
  sciara_text_append(t, "     <prop k=\"%s\" v=\"%s\"/>\n", key, value);
}

static void colour(struct sciara_text *t, const char *key, const uint8_t rgb[3], int divided_by, int opacity) {
  sciara_text_append(t, "     <prop k=\"%s\" v=\"%d,%d,%d,%d\"/>\n", key, rgb[0] / divided_by, rgb[1] / divided_by,
                     rgb[2] / divided_by, opacity);
}

static void area(struct sciara_text *t, const uint8_t rgb[3], bool filled) {
  colour(t, "color", rgb, 1, 176);
  colour(t, "outline_color", rgb, filled ? 2 : 1, 255);
  property(t, "outline_width", filled ? "0.26" : "0.6");
  property(t, "style", filled ? "solid" : "no");
}

static void marker(struct sciara_text *t, const uint8_t rgb[3], const char *shape) {
  static const uint8_t ink[3] = {30, 30, 30};
  property(t, "name", shape);
  property(t, "size", "4");
  colour(t, "color", rgb, 1, 255);
  colour(t, "outline_color", ink, 1, 255);
}

static void symbol(struct sciara_text *t, size_t number, enum symbol kind, const uint8_t rgb[3]) {
  static const struct {
    const char *type, *layer;
  } names[] = {[AREA] = {"fill", "SimpleFill"},
               [BORDER] = {"fill", "SimpleFill"},
               [LINE] = {"line", "SimpleLine"},
               [TRIANGLE] = {"marker", "SimpleMarker"},
               [CIRCLE] = {"marker", "SimpleMarker"}};
  sciara_text_append(t, "   <symbol name=\"%zu\" type=\"%s\" alpha=\"1\">\n    <layer class=\"%s\">\n", number,
                     names[kind].type, names[kind].layer);
  if (kind == AREA || kind == BORDER) {
    area(t, rgb, kind == AREA);
  } else if (kind == LINE) {
    colour(t, "line_color", rgb, 1, 255);
    property(t, "line_width", "0.6");
  } else {
    marker(t, rgb, kind == TRIANGLE ? "triangle" : "circle");
  }
  sciara_text_append(t, "    </layer>\n   </symbol>\n");
}

/** Dark text with a light border; beside points, along lines, in polygons. */
static void labels(struct sciara_text *t, const char *field, enum symbol kind) {
  enum { PARALLEL = 2, HORIZONTAL = 4, AROUND = 6 }; // of QGIS: QgsPalLayerSettings::Placement
  const int placement = kind == LINE ? PARALLEL : kind == AREA || kind == BORDER ? HORIZONTAL : AROUND;
  sciara_text_append(
      t,
      " <labeling type=\"simple\">\n  <settings calloutType=\"simple\">\n"
      "   <text-style fieldName=\"%s\" isExpression=\"0\" fontSize=\"9\" fontSizeUnit=\"Point\" textOpacity=\"1\" "
      "textColor=\"30,30,30,255\">\n"
      "    <text-buffer bufferDraw=\"1\" bufferSize=\"1\" bufferSizeUnits=\"MM\" bufferOpacity=\"1\" "
      "bufferColor=\"255,255,255,255\"/>\n   </text-style>\n"
      "   <placement placement=\"%d\" placementFlags=\"10\" dist=\"1\" distUnits=\"MM\" offsetType=\"1\" "
      "priority=\"8\" "
      "predefinedPositionOrder=\"TR,TL,BR,BL,R,L,TSR,BSR\"/>\n"
      "   <rendering drawLabels=\"1\" obstacle=\"1\" fontMaxPixelSize=\"10000\"/>\n  </settings>\n </labeling>\n",
      field, placement);
}

/** @param label the attribute that is written at each feature; NULL: none */
static void end(struct sciara_text *t, const char *label, enum symbol kind) {
  sciara_text_append(t, "  </symbols>\n </renderer-v2>\n");
  if (label) labels(t, label, kind);
  sciara_text_append(t, " <blendMode>0</blendMode>\n</qgis>\n");
}

void sciara_qml_colour(const struct sciara_zones *z, size_t k, uint8_t rgb[3]) {
  sciara_ramp_colour(sciara_ramp_for(z->ramp), ((double)k + 0.5) / (double)z->count, rgb);
}

struct sciara_text sciara_qml_zones(const struct sciara_zones *z, const char *label, bool lines) {
  static const uint8_t lava[3] = {200, 20, 20}, named[3] = {140, 0, 160}; // as barriers in pictures
  struct sciara_text t = {0};
  begin(&t, "label");
  for (size_t k = 0; k < z->count; k++) category(&t, k, z->zone[k].label);
  symbols(&t);
  for (size_t k = 0; k < z->count; k++) {
    uint8_t c[3];
    memcpy(c, z->named ? named : lava, sizeof c);
    if (z->ramp) sciara_qml_colour(z, k, c);
    symbol(&t, k, lines ? LINE : z->ramp ? AREA : BORDER, c);
  }
  end(&t, z->named ? label : NULL, lines ? LINE : AREA);
  return t;
}

struct sciara_text sciara_qml_marks(const struct sciara_vector_marks *marks, const char *label) {
  static const uint8_t vent[3] = {0, 200, 215}, run_out[3] = {255, 240, 90};
  const enum symbol kind = marks->lines ? LINE : marks->distant ? CIRCLE : TRIANGLE;
  struct sciara_text t = {0};
  single(&t);
  symbol(&t, 0, kind, marks->distant ? run_out : vent);
  end(&t, marks->named ? label : NULL, kind);
  return t;
}

// -------------------------------------------------------------------------------------------------------------- places

enum { SHARE_CLASSES = SCIARA_ZONES_SHARES + 1, SHARE_LABEL = 64 };

/** The label of a class of probabilities: "below 1 %", "1 to 5 %", "75 % and more". */
static void name_share(size_t k, char label[SHARE_LABEL]) {
  const double *edges = sciara_zones_shares;
  if (k == 0)
    snprintf(label, SHARE_LABEL, "below %.9g %%", 100 * edges[0]);
  else if (k == SCIARA_ZONES_SHARES)
    snprintf(label, SHARE_LABEL, "%.9g %% and more", 100 * edges[k - 1]);
  else
    snprintf(label, SHARE_LABEL, "%.9g to %.9g %%", 100 * edges[k - 1], 100 * edges[k]);
}

static const char no_member[] = "no member";

/** What places are coloured by: their state, or the class of their probability. */
static void append_class(const struct sciara_vector_places *q, struct sciara_text *t) {
  char label[SHARE_LABEL];
  if (!q->share) {
    sciara_text_append(t, "state");
    return;
  }
  sciara_text_append(t, "CASE WHEN \"state\" <> 'land' THEN \"state\" WHEN \"%s\" = 0 THEN '%s'", q->share, no_member);
  for (size_t k = 0; k < SCIARA_ZONES_SHARES; k++) {
    name_share(k, label);
    sciara_text_append(t, " WHEN \"%s\" < %.9g THEN '%s'", q->share, sciara_zones_shares[k], label);
  }
  name_share(SCIARA_ZONES_SHARES, label);
  sciara_text_append(t, " WHEN \"%s\" >= %.9g THEN '%s' END", q->share, sciara_zones_shares[SCIARA_ZONES_SHARES - 1],
                     label);
}

/** A class of places. */
struct place_class {
  char label[SHARE_LABEL];
  uint8_t rgb[3];
};

/** The classes in the order of a legend; their number. */
static size_t list_classes(bool shares, struct place_class out[SHARE_CLASSES + 5]) {
  static const struct place_class reached = {"reached", {200, 20, 20}}, nowhere[] = {{"sea", {130, 130, 130}},
                                                                                     {"NODATA", {130, 130, 130}},
                                                                                     {"outside", {130, 130, 130}}};
  size_t count = 0;
  for (size_t k = SHARE_CLASSES; shares && k-- > 0; count++) {
    name_share(k, out[count].label);
    sciara_ramp_colour(sciara_ramp_for("probability"), ((double)k + 0.5) / SHARE_CLASSES, out[count].rgb);
  }
  if (!shares) out[count++] = reached;
  out[count] = (struct place_class){.rgb = {40, 120, 40}};
  snprintf(out[count].label, sizeof out[count].label, "%s", shares ? no_member : "not reached");
  count++;
  for (size_t k = 0; k < 3; k++) out[count++] = nowhere[k];
  return count;
}

struct sciara_text sciara_qml_places(const struct sciara_vector_places *places, enum sciara_poi_kind kind) {
  static const enum symbol kinds[SCIARA_POI_KINDS] = {CIRCLE, LINE, AREA};
  struct place_class classes[SHARE_CLASSES + 5];
  const size_t count = list_classes(places->share, classes);
  struct sciara_text t = {0}, class = {0};
  append_class(places, &class);
  begin(&t, class.data ? class.data : "");
  if (class.failed != SCIARA_OK) t.failed = class.failed;
  for (size_t k = 0; k < count; k++) category(&t, k, classes[k].label);
  symbols(&t);
  for (size_t k = 0; k < count; k++) symbol(&t, k, kinds[kind], classes[k].rgb);
  end(&t, "name", kinds[kind]);
  sciara_text_free(&class);
  return t;
}
