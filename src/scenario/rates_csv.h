// SPDX-License-Identifier: Apache-2.0
// Effusion rates in a text file: a line of names, then one row for each change of the rate.
#ifndef SCIARA_SCENARIO_RATES_CSV_H
#define SCIARA_SCENARIO_RATES_CSV_H

#include "base/date.h"
#include "base/log.h"

enum {
  SCIARA_RATES_MAX_ROWS = 1000000,
  SCIARA_RATES_MAX_BYTES = 64 << 20,
};
#define SCIARA_RATE_MAX 1e6 ///< largest effusion rate that a scenario may give, m3/s

/** Which rate to take of a file that has several for each time. */
enum sciara_rates_choice { SCIARA_RATES_TAKE_MEAN, SCIARA_RATES_TAKE_LOW, SCIARA_RATES_TAKE_HIGH };

/** What a file does not say. */
struct sciara_rates_options {
  const char *run_start; ///< a date, from which dates are counted; NULL: a file with dates is refused
  enum sciara_rates_choice choice;
  double radiant_density;           ///< of the lava, with which radiative power becomes a rate, J/m3; 0: not given
  const struct sciara_notes *notes; ///< receive what is understood and assumed; NULL: the log
  double background;                ///< radiance of the surroundings in lists of MODVOLC, W/(m2 sr um); 0: not given
};

/** The rate is rates[k] during [edges[k], edges[k + 1]). */
struct sciara_rate_table {
  double *edges; ///< count + 1 strictly ascending times, s; release with sciara_rate_table_free
  double *rates; ///< count rates, m3/s
  size_t count;
  bool dated; ///< the file has dates
};

/**
 * Reads a table. A header names the columns and their units: "time_s,rate_m3_s", "Date;TADR [m3/s]", "t (h)\tmin\tmax";
 * separators are commas, tabs, semicolons or blanks; after the latter three decimals may have commas. Each row gives a
 * time >= 0 (a number in the unit of the column, text such as "6 h", or a date of ISO 8601) and the rate from then until
 * the next row. A rate of 0 in the last row ends the table. Times are strictly ascending, rates are 0 to
 * SCIARA_RATE_MAX. Lines that start with # and blank lines at the end are skipped; LF or CRLF. Lists of MODVOLC's alerts
 * are read too. What is understood and what is assumed (rows without a rate, an end that is not given) is noted.
 *
 * @return SCIARA_ERR_INPUT with "FILE:LINE: expected ..., found ..."
 */
enum sciara_status sciara_rates_csv_read(const char *path, const struct sciara_rates_options *options,
                                         struct sciara_rate_table *out);

/** The first date of such a file, in UTC without fractions; "" if it has none, or cannot be read. Notes nothing. */
void sciara_rates_csv_first_date(const char *path, char date[SCIARA_DATE_SIZE]);

void sciara_rate_table_free(struct sciara_rate_table *table);

#endif
