// SPDX-License-Identifier: Apache-2.0
#include "map/colour_ramp.h"

#include <math.h>
#include <string.h>

#include "geometry/grid.h"
#include "model/field.h"

// Thin lava is pale and thick lava dark; hot lava is bright, as one sees it; early arrival is dark, late is light.
// In each the lightness changes monotonically, so it shows the order also to colour-blind people.
#define LAVA                                                                    \
  {                                                                             \
    {255, 237, 160}, {254, 178, 76}, {240, 80, 35}, {177, 0, 38}, { 92, 0, 48 } \
  }
#define GLOW                                                                    \
  {                                                                             \
    {64, 0, 20}, {160, 12, 12}, {232, 88, 8}, {252, 184, 44}, { 255, 250, 200 } \
  }
#define TIME                                                                       \
  {                                                                                \
    {48, 10, 90}, {130, 30, 120}, {205, 70, 90}, {248, 150, 60}, { 250, 240, 120 } \
  }
#define SPEED                                                                       \
  {                                                                                 \
    {222, 235, 247}, {130, 186, 219}, {50, 130, 190}, {10, 80, 160}, { 8, 40, 100 } \
  }
#define GROUND                                                                      \
  {                                                                                 \
    {38, 70, 60}, {85, 115, 70}, {150, 150, 95}, {205, 185, 145}, { 250, 248, 240 } \
  }
#define DIFFERENCE                                                                    \
  {                                                                                   \
    {20, 70, 150}, {130, 180, 220}, {245, 245, 245}, {240, 150, 110}, { 165, 15, 30 } \
  }
#define OTHER                                                                   \
  {                                                                             \
    {68, 2, 86}, {58, 82, 140}, {34, 145, 140}, {95, 202, 97}, { 252, 230, 40 } \
  }

static const struct sciara_ramp ramps[SCIARA_QUANTITY_COUNT] = {
    [SCIARA_QUANTITY_THICKNESS] = {true, LAVA},    [SCIARA_QUANTITY_ALTITUDE] = {false, GROUND},
    [SCIARA_QUANTITY_TEMPERATURE] = {false, GLOW}, [SCIARA_QUANTITY_MOMENTUM] = {false, OTHER},
    [SCIARA_QUANTITY_TIME] = {false, TIME},        [SCIARA_QUANTITY_SPEED] = {true, SPEED},
};

static const struct sciara_ramp probability = {true, LAVA}, difference = {false, DIFFERENCE};

const struct sciara_ramp *sciara_ramp_for(const char *field) {
  static const struct sciara_ramp other = {false, OTHER};
  if (field && strcmp(field, "probability") == 0) return &probability;
  if (field && strcmp(field, "difference") == 0) return &difference;
  const struct sciara_field_info *info = field ? sciara_field_describe(sciara_field_find(field)) : NULL;
  return info ? &ramps[info->quantity] : &other;
}

void sciara_ramp_colour(const struct sciara_ramp *ramp, double t, uint8_t rgb[3]) {
  double at = (t > 0 ? (t < 1 ? t : 1) : 0) * (SCIARA_RAMP_STOPS - 1);
  int low = (int)at < SCIARA_RAMP_STOPS - 2 ? (int)at : SCIARA_RAMP_STOPS - 2;
  for (int i = 0; i < 3; i++) {
    double from = ramp->stops[low][i], to = ramp->stops[low + 1][i];
    rgb[i] = (uint8_t)lround(from + (to - from) * (at - low));
  }
}

void sciara_ramp_range(const struct sciara_ramp *ramp, const double *values, int64_t count, double nodata, double *low,
                       double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (int64_t i = 0; i < count; i++) {
    if (!isfinite(values[i]) || values[i] == nodata) continue;
    if (values[i] < *low) *low = values[i];
    if (values[i] > *high) *high = values[i];
  }
  if (*low > *high) {
    *low = 0;
    *high = 1;
  }
  if (ramp->from_zero && *low > 0) *low = 0;
  if (*low == *high) *high = *low + 1;
}

/** What is not drawn: a probability of 0, no difference. */
static const char *transparency(const struct sciara_ramp *ramp) {
  if (ramp != &probability && ramp != &difference) return "   <rasterTransparency/>\n";
  return "   <rasterTransparency>\n    <singleValuePixelList>\n     <pixelListEntry min=\"0\" max=\"0\" "
         "percentTransparent=\"100\"/>\n    </singleValuePixelList>\n   </rasterTransparency>\n";
}

/** How a value is written for people: a probability in percent, a time in the unit that suits `high`. */
struct labels {
  double factor;
  const char *unit; ///< "" for a number alone
};

static struct labels labels_for(const struct sciara_ramp *ramp, double high, const char *unit) {
  enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };
  if (strcmp(unit, "1") == 0 && (ramp == &probability || ramp == &difference)) return (struct labels){100, "%"};
  if (strcmp(unit, "1") == 0) return (struct labels){1, ""};
  if (strcmp(unit, "s") != 0 || high < 2 * MINUTE) return (struct labels){1, unit};
  return high < 2 * HOUR  ? (struct labels){1.0 / MINUTE, "min"}
         : high < 2 * DAY ? (struct labels){1.0 / HOUR, "h"}
                          : (struct labels){1.0 / DAY, "d"};
}

static void append_unit(struct sciara_text *out, const struct labels *l) {
  if (l->unit[0]) sciara_text_append(out, " ");
  sciara_text_append_xml(out, l->unit);
}

enum sciara_status sciara_ramp_qml(const struct sciara_ramp *ramp, double low, double high, const char *unit,
                                   struct sciara_text *out) {
  SCIARA_TRY(sciara_text_append(out, "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n"
                                     "<qgis version=\"3.22\" styleCategories=\"Symbology\">\n <pipe>\n"));
  SCIARA_TRY(sciara_text_append(
      out,
      "  <rasterrenderer type=\"singlebandpseudocolor\" band=\"1\" opacity=\"0.85\" alphaBand=\"-1\" "
      "nodataColor=\"\" classificationMin=\"%.9g\" classificationMax=\"%.9g\">\n%s",
      low, high, transparency(ramp)));
  SCIARA_TRY(sciara_text_append(
      out,
      "   <rastershader>\n    <colorrampshader colorRampType=\"INTERPOLATED\" classificationMode=\"1\" "
      "clip=\"0\" minimumValue=\"%.9g\" maximumValue=\"%.9g\">\n",
      low, high));
  const struct labels l = labels_for(ramp, fmax(fabs(low), fabs(high)), unit);
  for (int i = 0; i < SCIARA_RAMP_STOPS; i++) {
    double value = low + (high - low) * i / (SCIARA_RAMP_STOPS - 1);
    const uint8_t *c = ramp->stops[i];
    SCIARA_TRY(sciara_text_append(out, "     <item value=\"%.9g\" alpha=\"255\" color=\"#%02x%02x%02x\" label=\"%.4g",
                                  value, c[0], c[1], c[2], l.factor * value));
    append_unit(out, &l);
    SCIARA_TRY(sciara_text_append(out, "\"/>\n"));
  }
  return sciara_text_append(out, "    </colorrampshader>\n   </rastershader>\n  </rasterrenderer>\n </pipe>\n"
                                 " <blendMode>0</blendMode>\n</qgis>\n");
}

enum sciara_status sciara_ramp_classes_qml(const struct sciara_ramp *ramp, const double *edges, size_t count,
                                           const char *unit, struct sciara_text *out) {
  sciara_text_append(out,
                     "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n"
                     "<qgis version=\"3.22\" styleCategories=\"Symbology\">\n <pipe>\n"
                     "  <rasterrenderer type=\"singlebandpseudocolor\" band=\"1\" opacity=\"0.85\" alphaBand=\"-1\" "
                     "nodataColor=\"\">\n%s"
                     "   <rastershader>\n    <colorrampshader colorRampType=\"DISCRETE\" classificationMode=\"1\" "
                     "clip=\"0\">\n",
                     transparency(ramp));
  const struct labels l = labels_for(ramp, edges[count - 1], unit);
  for (size_t k = 0; k <= count; k++) {
    uint8_t c[3];
    sciara_ramp_colour(ramp, ((double)k + 0.5) / (double)(count + 1), c);
    if (k < count)
      sciara_text_append(out, "     <item value=\"%.9g\"", edges[k]);
    else
      sciara_text_append(out, "     <item value=\"inf\"");
    sciara_text_append(out, " alpha=\"255\" color=\"#%02x%02x%02x\" label=\"", c[0], c[1], c[2]);
    if (k == 0)
      sciara_text_append(out, "up to %.4g", l.factor * edges[0]);
    else if (k < count)
      sciara_text_append(out, "%.4g to %.4g", l.factor * edges[k - 1], l.factor * edges[k]);
    else
      sciara_text_append(out, "more than %.4g", l.factor * edges[count - 1]);
    append_unit(out, &l);
    sciara_text_append(out, "\"/>\n");
  }
  return sciara_text_append(out, "    </colorrampshader>\n   </rastershader>\n  </rasterrenderer>\n </pipe>\n"
                                 " <blendMode>0</blendMode>\n</qgis>\n");
}

// ------------------------------------------------------------------------------------------------------- shaded ground

static bool known(const struct sciara_grid *g, const double *z, int64_t r, int64_t c) {
  return r >= 0 && c >= 0 && r < g->rows && c < g->cols && z[r * g->cols + c] != SCIARA_NODATA_ALTITUDE;
}

/**
 * Altitude of a neighbour; beyond the border the slope is extrapolated from the opposite side, so that no dark frame
 * appears.
 */
static double neighbour(const struct sciara_grid *g, const double *z, int64_t r, int64_t c, int64_t down,
                        int64_t right) {
  double here = z[r * g->cols + c];
  if (known(g, z, r + down, c + right)) return z[(r + down) * g->cols + c + right];
  return known(g, z, r - down, c - right) ? 2 * here - z[(r - down) * g->cols + c - right] : here;
}

double sciara_hillshade(const struct sciara_grid *g, const double *z, int64_t r, int64_t c) {
  const double sun[3] = {-0.5, 0.5, 0.70710678118654752}; // east, north, up
  double a[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a[i][j] = neighbour(g, z, r, c, i - 1, j - 1);
  double run = 8 * g->cell_size;
  double east = (a[0][2] + 2 * a[1][2] + a[2][2] - a[0][0] - 2 * a[1][0] - a[2][0]) / run;
  double north = (a[0][0] + 2 * a[0][1] + a[0][2] - a[2][0] - 2 * a[2][1] - a[2][2]) / run;
  double light = (sun[2] - sun[0] * east - sun[1] * north) / sqrt(1 + east * east + north * north);
  return light > 0 ? light : 0;
}
