// SPDX-License-Identifier: Apache-2.0
// Zones of a map: cells grouped by the value they hold. A zone becomes a polygon, a set of zones a layer.
#ifndef SCIARA_MAP_ZONES_H
#define SCIARA_MAP_ZONES_H

#include "base/status.h"
#include "geometry/grid.h"
#include "map/words.h"

enum { SCIARA_ZONES_MOST = 1000 }; ///< zones that one layer may have

enum { SCIARA_ZONES_SHARES = 6 };
extern const double
    sciara_zones_shares[SCIARA_ZONES_SHARES]; ///< the probabilities that bound zones and classes of places

/** The cells with lower <= value < upper. */
struct sciara_zone {
  double lower, upper; ///< upper is INFINITY for the last thickness class; both NAN for the outline
  char label[112];     ///< "0.5 to 1 m"
  int64_t cells;
};

/** Whether the polygon of a zone is that of its cells, or covers also those of the zones above or below it. */
enum sciara_zones_nesting { SCIARA_ZONES_APART, SCIARA_ZONES_AND_ABOVE, SCIARA_ZONES_AND_BELOW };

/** A layer. Zero-initialise; release with sciara_zones_free. */
struct sciara_zones {
  const char *name;          ///< "outline", "thickness_classes", "arrival", "edits"
  const char *lower, *upper; ///< names of the attributes for the edges, with their unit; NULL: it has none
  const char *ramp;          ///< the field whose colours suit it; NULL: a line alone
  int32_t *member;           ///< rows x cols: 0 for no zone, k + 1 for zone k
  struct sciara_zone *zone;
  size_t count;
  enum sciara_zones_nesting nesting;
  bool named; ///< its labels are names, which QGIS writes on the map
};

/**
 * A layer of one zone for each number from 1 to count, with these labels; 0 is no zone.
 *
 * @param number rows x cols, each at most `count`
 */
enum sciara_status sciara_zones_numbered(const char *name, const uint16_t *number, int64_t cells,
                                         const char *const *labels, size_t count, struct sciara_zones *out);

/** One zone: every cell whose value is not `nodata`. */
enum sciara_status sciara_zones_outline(const double *values, int64_t cells, double nodata, struct sciara_zones *out);

/**
 * Thickness classes in m: from 0 to the first edge, between edges, from the last edge on. A value that is an edge belongs
 * to the class above it.
 *
 * @param edges > 0, ascending
 */
enum sciara_status sciara_zones_classes(const double *values, int64_t cells, double nodata, const double *edges,
                                        size_t count, struct sciara_zones *out);

/**
 * Times >= 0 in s: a zone for each interval of this length, up to the largest value; SCIARA_ERR_USAGE if too many.
 *
 * @param start date of the run: intervals count from the midnight before it, in the zone that is shown, and have dates; NULL or "":
 *              they count from time 0
 */
enum sciara_status sciara_zones_isochrones(const double *values, int64_t cells, double nodata, double step,
                                           const char *start, struct sciara_zones *out);

/** Names each of these by its end, at most `latest`: "27 Sep 18:00", with the `zone` "27 Sep 18:00 UTC"; "6 h" without a date. */
void sciara_zones_name_ends(struct sciara_zones *z, enum sciara_language language, const char *start, double latest,
                            bool zone);

/** A step for isochrones that makes a dozen zones or fewer: a minute, 10 minutes, an hour, a day ... */
double sciara_isochrone_step(const double *values, int64_t cells, double nodata);

/** Nests the zones of a layer: each counts the cells of the zones above or below it, too. */
void sciara_zones_nest(struct sciara_zones *z, enum sciara_zones_nesting nesting);

/**
 * A layer of the cells with at least each of the ascending `edges`, nested: "1 % and more". Values are compared as float.
 *
 * @param edges of probabilities, 0 to 1
 */
enum sciara_status sciara_zones_at_least(const char *name, const double *values, int64_t cells, double nodata,
                                         const double *edges, size_t count, struct sciara_zones *out);

void sciara_zones_free(struct sciara_zones *z);

#endif
