// SPDX-License-Identifier: Apache-2.0
// QGIS styles of layers of polygons, lines and points.
// Included by this room alone.
#ifndef SCIARA_MAP_VECTOR_QML_H
#define SCIARA_MAP_VECTOR_QML_H

#include "base/text.h"

enum sciara_qml_symbol {
  SCIARA_QML_AREA,   ///< a see-through area with a darker border
  SCIARA_QML_BORDER, ///< a border alone
  SCIARA_QML_LINE,
  SCIARA_QML_TRIANGLE,
  SCIARA_QML_CIRCLE
};

/** A style with a symbol for each value of `field`, an attribute or an expression: begin, a category for each value, symbols, a symbol for each,
 *  end. Errors are kept in the text. */
void sciara_qml_begin(struct sciara_text *t, const char *field);
void sciara_qml_category(struct sciara_text *t, size_t number, const char *value);
void sciara_qml_symbols(struct sciara_text *t);

/** A style with one symbol, number 0: it, then end. */
void sciara_qml_single(struct sciara_text *t);

void sciara_qml_symbol(struct sciara_text *t, size_t number, enum sciara_qml_symbol kind, const uint8_t rgb[3]);

/** @param label the attribute that is written at each feature; NULL: none */
void sciara_qml_end(struct sciara_text *t, const char *label, enum sciara_qml_symbol kind);

#endif
