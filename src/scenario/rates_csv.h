// SPDX-License-Identifier: Apache-2.0
// Effusion rates in a CSV file: the header "time_s,rate_m3_s", then one row for each change of the rate.
#ifndef SCIARA_SCENARIO_RATES_CSV_H
#define SCIARA_SCENARIO_RATES_CSV_H

#include "base/status.h"

enum {
  SCIARA_RATES_MAX_ROWS = 1000000,
  SCIARA_RATES_MAX_BYTES = 64 << 20,
};
#define SCIARA_RATE_MAX 1e6 ///< largest effusion rate that a scenario may give, m3/s

/** The rate is rates[k] during [edges[k], edges[k + 1]). */
struct sciara_rate_table {
  double *edges; ///< count + 1 strictly ascending times, s; release with sciara_rate_table_free
  double *rates; ///< count rates, m3/s
  size_t count;
};

/**
 * Reads a table. Each row gives a time >= 0 (seconds, or text such as "6 h") and the rate from then until the next row;
 * the rate of the last row is 0 and ends the table. Times are strictly ascending, rates are 0 to SCIARA_RATE_MAX. Lines
 * that start with # and blank lines at the end are skipped; LF or CRLF.
 *
 * @return SCIARA_ERR_INPUT with "FILE:LINE: expected ..., found ..."
 */
enum sciara_status sciara_rates_csv_read(const char *path, struct sciara_rate_table *out);
void sciara_rate_table_free(struct sciara_rate_table *table);

#endif
