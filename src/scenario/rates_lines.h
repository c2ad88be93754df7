// SPDX-License-Identifier: Apache-2.0
// The lines of a text file of effusion rates: what the first one says of the columns, and the rows that are read from it.
// Included by this room alone.
#ifndef SCIARA_SCENARIO_RATES_LINES_H
#define SCIARA_SCENARIO_RATES_LINES_H

#include "file/csv.h"
#include "scenario/rates_csv.h"

// ------------------------------------------------------------------------------------- columns, in rates_columns.c

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

// ---------------------------------------------------------------------------------------------------------------- rows

/** A file, and the row last read. */
struct sciara_rates_lines {
  const char *path;
  const struct sciara_notes *notes; ///< receive what is assumed; NULL: the log
  struct sciara_csv_rows csv;
  size_t line; ///< of the row, from 1
};

/** The next row. Blank lines before it are an error, unless it is the first; *count is that of its values. */
enum sciara_status sciara_rates_take(struct sciara_rates_lines *l, char *value[SCIARA_RATES_MAX_COLUMNS],
                                     size_t *count);

/** A printable copy of a text of the file, cut to 60 bytes. */
const char *sciara_rates_shown(const char *text, char buffer[64]);

/** Fails with "FILE:LINE: expected ALLOWED, found "FOUND"". */
enum sciara_status sciara_rates_refuse(const struct sciara_rates_lines *l, const char *found, const char *allowed);

/** The rows of a file: each rate holds from its time on. */
struct sciara_rates_series {
  const char *path;
  const struct sciara_notes *notes;
  double *times;         ///< ascending, s
  double *rates;         ///< m3/s; NAN: none is given
  size_t count;          ///< at most capacity
  size_t capacity;       ///< both arrays have room for one more
  size_t first_gap_line; ///< line of the first row without a rate
};

/**
 * Makes room for as many rows as the file has lines, at most SCIARA_RATES_MAX_ROWS. Arrays of a series that failed are
 * released by sciara_rates_series_free.
 */
enum sciara_status sciara_rates_series_begin(const struct sciara_rates_lines *l, struct sciara_rates_series *s);
void sciara_rates_series_free(struct sciara_rates_series *s);

/** Appends a row whose time is after that of the one before it. */
enum sciara_status sciara_rates_series_add(const struct sciara_rates_lines *l, struct sciara_rates_series *s,
                                           double time, double rate);

/**
 * Closes the table: a row without a rate continues the one before it, and a last rate other than 0 lasts as long as the
 * one before it. What is assumed is reported, then what the table holds, after `understood`.
 *
 * @param start    UTC in seconds that time 0 stands for, with dated tables; otherwise NAN
 * @param out      takes the arrays over
 */
enum sciara_status sciara_rates_series_end(struct sciara_rates_series *s, double start, const char *understood,
                                           struct sciara_rate_table *out);

#endif
