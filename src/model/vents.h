// SPDX-License-Identifier: Apache-2.0
// Vents: each has a cell and a table of effusion rates, constant over each slot. Flat arrays, which can be copied to a
// device.
#ifndef SCIARA_MODEL_VENTS_H
#define SCIARA_MODEL_VENTS_H

#include "geometry/grid.h"

SCIARA_BEGIN_DECLS

/** `count` vents in file order. Slot k of vent v is first[v] <= k < first[v + 1]. */
struct sciara_vents {
  int64_t count, slots;
  int64_t *row, *col;  ///< cell of each vent
  int64_t *first;      ///< count + 1 entries
  double *begin, *end; ///< of each slot, s; a vent's slots ascend and do not overlap
  double *rate;        ///< of each slot, m3/s
};

/** An empty list. */
struct sciara_vents *sciara_vents_create(void);
void sciara_vents_destroy(struct sciara_vents *v);

/**
 * Adds a vent whose rate is rates[k] during [edges[k], edges[k + 1]), 0 outside. Copies its arguments.
 *
 * @param edges n + 1 ascending times, s
 */
enum sciara_status sciara_vents_add(struct sciara_vents *v, int64_t row, int64_t col, int64_t n, const double *edges,
                                    const double *rates);

/** A list of so many vents with so many slots in all, whose arrays the caller fills in. */
enum sciara_status sciara_vents_make(int64_t count, int64_t slots, struct sciara_vents **out);

/** Adds vent k of another list, `rows` rows further south. */
enum sciara_status sciara_vents_add_of(struct sciara_vents *v, const struct sciara_vents *other, int64_t k,
                                       int64_t rows);

/** A copy of a list. */
enum sciara_status sciara_vents_clone(const struct sciara_vents *v, struct sciara_vents **out);

/** Checks that every vent lies on an interior cell of the state; the error names the vent's number and cell. */
enum sciara_status sciara_vents_check(const struct sciara_vents *v, const struct sciara_grid *grid,
                                      const uint8_t *kind);

/** From this simulated time on the integral of every table is 0, s. */
double sciara_vents_end(const struct sciara_vents *v);

/**
 * A vent has emitted if lava was emitted up to a time after its first rate above 0 begins; the latest of these times of
 * all vents that emit at all, s. -INFINITY: no vent emits.
 */
double sciara_vents_begun(const struct sciara_vents *v);

/** Volume of all vents over all time, m3. */
double sciara_vents_total(const struct sciara_vents *v);

/** When vent k emits lava for the first time, s; INFINITY: never. */
double sciara_vents_first(const struct sciara_vents *v, int64_t k);

/** What all vents emit over all time, or in a part of it. */
struct sciara_emission {
  double volume_m3;      ///< NAN: not known
  double begin_s, end_s; ///< the first time of a rate above 0, and from which on there is none
  double peak_m3_s;      ///< the largest rate of all vents together
  double from_s; ///< the run begins with the lava of an earlier one at this time, and emits this from then on to
                 ///< its end; 0: over all time
};

/** What is emitted from one time to another, s, which may be infinite; SCIARA_ERR_MEMORY. from_s of `out` becomes 0. */
enum sciara_status sciara_vents_emission(const struct sciara_vents *v, double from, double until,
                                         struct sciara_emission *out);

/** 64 bits over cells and tables of all vents. */
uint64_t sciara_vents_hash(const struct sciara_vents *v);

/** Volume that vent `v` emits during [s, s + t), m3: the exact integral, slots added in order. */
SCIARA_HD double sciara_vent_volume(const double *begin, const double *end, const double *rate, int64_t first,
                                    int64_t last, double s, double t) {
  double until = s + t, volume = 0.0;
  int64_t low = first, high = last; // the first slot that ends after s
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (end[middle] > s)
      high = middle;
    else
      low = middle + 1;
  }
  for (int64_t k = low; k < last && begin[k] < until; k++) {
    double lo = begin[k] > s ? begin[k] : s, hi = end[k] < until ? end[k] : until;
    if (hi > lo) volume = volume + rate[k] * (hi - lo);
  }
  return volume;
}

SCIARA_END_DECLS
#endif
