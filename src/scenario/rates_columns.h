// SPDX-License-Identifier: Apache-2.0
// The first line of a table of effusion rates: what its columns hold, in which units.
// Included by this room alone.
#ifndef SCIARA_SCENARIO_RATES_COLUMNS_H
#define SCIARA_SCENARIO_RATES_COLUMNS_H

#include "base/text.h"

enum { SCIARA_RATES_MAX_COLUMNS = 64, SCIARA_RATES_NAME = 48, SCIARA_RATES_UNIT = 16 };

/** The quantities that a column may hold. */
enum sciara_rates_quantity {
  SCIARA_RATES_TIME, ///< since the start of the table, or a date
  SCIARA_RATES_DAY,  ///< a date, if another column holds the time of day
  SCIARA_RATES_MEAN, ///< effusion rate, the only one or the best estimate
  SCIARA_RATES_LOW,
  SCIARA_RATES_HIGH,
  SCIARA_RATES_POWER, ///< radiative power
  SCIARA_RATES_QUANTITIES,
  SCIARA_RATES_NOTHING = SCIARA_RATES_QUANTITIES ///< is not used
};

/** A column that is used. */
struct sciara_rates_column {
  bool given;
  size_t at;                    ///< its number, from 0
  double factor;                ///< to s, m3/s or W
  char unit[SCIARA_RATES_UNIT]; ///< as shown: "h"
  bool unit_assumed;            ///< the file names none
  bool of_dates;                ///< the name says that it holds dates, not times since the start
  bool bare;                    ///< the name is that of a unit: "hour"
  char name[SCIARA_RATES_NAME]; ///< as in the file, cut
};

struct sciara_rates_columns {
  size_t count;
  struct sciara_rates_column column[SCIARA_RATES_QUANTITIES];
};

/**
 * Interprets the names of a header. Columns that are not understood are named in `unused`.
 *
 * @return SCIARA_ERR_INPUT, starting with "expected": `names` are no header, lack a column, or have one twice
 */
enum sciara_status sciara_rates_columns_read(char *const *names, size_t count, struct sciara_rates_columns *out,
                                             struct sciara_text *unused);

#endif
