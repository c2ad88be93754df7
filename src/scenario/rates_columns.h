// SPDX-License-Identifier: Apache-2.0
// The first line of a table of effusion rates: what its columns hold, in which units. Private to rates_*.c.
#ifndef SCIARA_SCENARIO_RATES_COLUMNS_H
#define SCIARA_SCENARIO_RATES_COLUMNS_H

#include "base/text.h"

enum { SCIARA_RATES_MAX_COLUMNS = 64, SCIARA_RATES_NAME = 48 };

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
  const char *unit;             ///< as shown: "h"
  bool unit_assumed;            ///< the file names none
  char name[SCIARA_RATES_NAME]; ///< as in the file, cut
};

struct sciara_rates_columns {
  char separator; ///< ',', ';', '\t', or ' ' for any number of blanks
  size_t count;
  struct sciara_rates_column column[SCIARA_RATES_QUANTITIES];
};

/**
 * Cuts a line into cells, in place: blanks and quotes around them are removed.
 *
 * @return number of cells, SCIARA_RATES_MAX_COLUMNS + 1 if there are more
 */
size_t sciara_rates_cut(char *line, char separator, char *cells[SCIARA_RATES_MAX_COLUMNS]);

/**
 * Interprets a header; `line` is split in place. Columns that are not understood are named in `unused`.
 *
 * @return SCIARA_ERR_INPUT, starting with "expected": `line` is no header, lacks a column, or has one twice
 */
enum sciara_status sciara_rates_columns_read(char *line, struct sciara_rates_columns *out, struct sciara_text *unused);

#endif
