// SPDX-License-Identifier: Apache-2.0
// What a page shows of an ensemble instead of the snapshots of a run.
#ifndef SCIARA_PAGE_PAGE_HAZARD_H
#define SCIARA_PAGE_PAGE_HAZARD_H

#include "base/text.h"
#include "map/words.h"
#include "model/poi.h"

/** Vents, and classes, that the page names in each block of cells: those with the largest shares. */
enum { SCIARA_PAGE_RANKS = 8 };

/** Parts of a fraction in one: fractions are stored in hundredths of a percent. */
enum { SCIARA_PAGE_SHARE = 10000 };

/**
 * One map on the cells that any member reaches. Level n > 0 stands for base + (n - 1) step; level 0: no value, or of a
 * probability 0.
 */
struct sciara_page_layer {
  char name[128];          ///< "probability_0.5m_low"
  const char *unit;        ///< "%", "s", "m" or "1"
  const char *ramp;        ///< as for sciara_ramp_for
  enum sciara_word word;   ///< its label, with a placeholder {value}
  double value, years;     ///< of the placeholders {value} and {years}
  const char *value_unit;  ///< "s": {value} is a time
  bool of_end;             ///< depends on what lava does until the members end
  bool shown;              ///< offered on the map; bounds, intervals and differences are not
  bool zero_is_empty;      ///< a probability: level 0 is 0, and not coloured
  double base, step, high; //
  double elsewhere;        ///< value where no member arrives; NAN: none
  double zero_bound;       ///< upper 95 % bound where the value is 0, in its unit; NAN: none
  uint16_t *levels;        ///< of each cell of the page
};

/** A place. */
struct sciara_page_poi {
  const struct sciara_poi *poi;
  enum sciara_poi_where where;
  int64_t row, col;        ///< a cell of it
  double value, low, high; ///< probability that lava arrives; NAN: none
  double from, to;         ///< its 95 % interval; NAN: none
  double difference;       ///< its grid difference; NAN: none
  double arrival;          ///< s, of the middle one of the quantiles; NAN: none
};

/** The vents, or the classes, with the largest fractions of what reaches each block. */
struct sciara_page_shares {
  char **name;  ///< of `count`
  size_t count; ///< at most 65534
  /** SCIARA_PAGE_RANKS x blocks numbers from 1, 0: none; then as many fractions of SCIARA_PAGE_SHARE. */
  uint16_t *ranked;
};

/** Zero-initialise. */
struct sciara_page_hazard {
  size_t finished, members;
  bool stopped;       ///< the stop rule holds with the finished ones
  bool observed;      ///< members are weighted by an observed extent
  bool full;          ///< every vent and class was computed
  double time_zero_s; ///< simulated time from which times count; 0: the beginning
  size_t censored;    ///< finished members that ended at a limit
  size_t liquid;      ///< finished members that ended at the time of their stop rule with liquid lava,
  double liquid_s[2]; ///< and the first and the last of these times
  const struct sciara_page_layer *layer;
  size_t layers;
  const struct sciara_page_poi *poi;
  size_t pois;
  double poi_quantile; ///< of sciara_page_poi.arrival
  double zero_bound;   ///< upper 95 % bound of the probability that lava arrives, where it is 0; NAN: none
  int64_t block;       ///< rows, and columns, of a block; blocks begin at the corner of the page's box
  int64_t block_rows, block_cols;
  struct sciara_page_shares vents, events;
};

#endif
