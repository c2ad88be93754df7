// SPDX-License-Identifier: Apache-2.0
// What the first line of a text file of effusion rates says of the columns.
// Included by this room alone.
#ifndef SCIARA_SCENARIO_RATES_LINES_H
#define SCIARA_SCENARIO_RATES_LINES_H

#include "file/csv.h"

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

/** What the name of a column that is not used says of numbers in it. */
enum sciara_rates_hint {
  SCIARA_RATES_HINT_NONE,
  SCIARA_RATES_HINT_END,  ///< when a rate ends, or how long it lasts
  SCIARA_RATES_HINT_HOUR, ///< a time of day
  SCIARA_RATES_HINT_ZONE
};

/** A column. */
struct sciara_rates_column {
  bool given;
  size_t at;                    ///< its number, from 0
  double factor;                ///< to s, m3/s or W
  char unit[SCIARA_RATES_UNIT]; ///< as shown: "h"
  bool unit_assumed;            ///< the file names none
  bool dense;                   ///< the name says that it is of dense rock
  bool of_dates;                ///< the name says that it holds dates, not times since the start
  bool bare;                    ///< the name is that of a unit: "hour"
  enum sciara_rates_hint hint;  ///< of a column that is not used
  char
      scale[SCIARA_RATES_UNIT]; ///< what stands before the unit and may multiply it, but is not understood; "": nothing
  char name[SCIARA_RATES_NAME]; ///< as in the file, cut
};

struct sciara_rates_columns {
  size_t count;
  struct sciara_rates_column column[SCIARA_RATES_QUANTITIES];
  size_t unused_count;
  struct sciara_rates_column unused[SCIARA_RATES_MAX_COLUMNS]; ///< those that are not understood
};

/**
 * Interprets the names of a header.
 *
 * @return SCIARA_ERR_INPUT, starting with "expected": `names` are no header, lack a column, or have one twice
 */
enum sciara_status sciara_rates_columns_read(char *const *names, size_t count, struct sciara_rates_columns *out);

#endif
