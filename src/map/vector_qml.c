// SPDX-License-Identifier: Apache-2.0
#include "map/vector_qml.h"

static const char head[] = "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n"
                           "<qgis version=\"3.22\" styleCategories=\"Symbology|Labeling\">\n";

void sciara_qml_begin(struct sciara_text *t, const char *field) {
  struct sciara_text escaped = {0};
  if (sciara_text_append_xml(&escaped, field) != SCIARA_OK) t->failed = escaped.failed;
  sciara_text_append(t, "%s <renderer-v2 type=\"categorizedSymbol\" attr=\"%s\" forceraster=\"0\">\n  <categories>\n",
                     head, escaped.data ? escaped.data : "");
  sciara_text_free(&escaped);
}

void sciara_qml_category(struct sciara_text *t, size_t number, const char *value) {
  struct sciara_text text = {0};
  if (sciara_text_append_xml(&text, value) != SCIARA_OK) t->failed = text.failed;
  const char *shown = text.data ? text.data : "";
  sciara_text_append(t, "   <category symbol=\"%zu\" value=\"%s\" label=\"%s\" render=\"true\"/>\n", number, shown,
                     shown);
  sciara_text_free(&text);
}

void sciara_qml_symbols(struct sciara_text *t) { sciara_text_append(t, "  </categories>\n  <symbols>\n"); }

void sciara_qml_single(struct sciara_text *t) {
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

void sciara_qml_symbol(struct sciara_text *t, size_t number, enum sciara_qml_symbol kind, const uint8_t rgb[3]) {
  static const struct {
    const char *type, *layer;
  } names[] = {[SCIARA_QML_AREA] = {"fill", "SimpleFill"},
               [SCIARA_QML_BORDER] = {"fill", "SimpleFill"},
               [SCIARA_QML_LINE] = {"line", "SimpleLine"},
               [SCIARA_QML_TRIANGLE] = {"marker", "SimpleMarker"},
               [SCIARA_QML_CIRCLE] = {"marker", "SimpleMarker"}};
  sciara_text_append(t, "   <symbol name=\"%zu\" type=\"%s\" alpha=\"1\">\n    <layer class=\"%s\">\n", number,
                     names[kind].type, names[kind].layer);
  if (kind == SCIARA_QML_AREA || kind == SCIARA_QML_BORDER) {
    area(t, rgb, kind == SCIARA_QML_AREA);
  } else if (kind == SCIARA_QML_LINE) {
    colour(t, "line_color", rgb, 1, 255);
    property(t, "line_width", "0.6");
  } else {
    marker(t, rgb, kind == SCIARA_QML_TRIANGLE ? "triangle" : "circle");
  }
  sciara_text_append(t, "    </layer>\n   </symbol>\n");
}

/** Dark text with a light border; beside points, along lines, in polygons. */
static void labels(struct sciara_text *t, const char *field, enum sciara_qml_symbol kind) {
  enum { PARALLEL = 2, HORIZONTAL = 4, AROUND = 6 }; // of QGIS: QgsPalLayerSettings::Placement
  const int placement = kind == SCIARA_QML_LINE                                ? PARALLEL
                        : kind == SCIARA_QML_AREA || kind == SCIARA_QML_BORDER ? HORIZONTAL
                                                                               : AROUND;
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

void sciara_qml_end(struct sciara_text *t, const char *label, enum sciara_qml_symbol kind) {
  sciara_text_append(t, "  </symbols>\n </renderer-v2>\n");
  if (label) labels(t, label, kind);
  sciara_text_append(t, " <blendMode>0</blendMode>\n</qgis>\n");
}
