// SPDX-License-Identifier: Apache-2.0
// A table of effusion rates: the input is the file, read with several options.
#include "fuzz.h"
#include "scenario/rates_csv.h"

static void check_table(const char *path, const struct sciara_rates_options *options) {
  struct sciara_rate_table table;
  enum sciara_status status = sciara_rates_csv_read(path, options, &table);
  fuzz_check_status(status);
  FUZZ_REQUIRE(status == SCIARA_OK ? table.count > 0 : !table.edges && !table.rates && table.count == 0);
  for (size_t i = 0; i < table.count; i++) {
    FUZZ_REQUIRE(table.edges[i] >= 0 && table.edges[i] < table.edges[i + 1]);
    FUZZ_REQUIRE(table.rates[i] >= 0 && table.rates[i] <= SCIARA_RATE_MAX);
  }
  FUZZ_REQUIRE(!table.dated || options->run_start);
  sciara_rate_table_free(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const struct sciara_rates_options options[] = {
      {.choice = SCIARA_RATES_TAKE_MEAN},
      {.choice = SCIARA_RATES_TAKE_LOW, .run_start = "2001-09-09T00:00:00Z"},
      {.run_start = "1999-12-31T23:59:59Z", .radiant_density = 2e8, .background = 0.5}};
  char date[SCIARA_DATE_SIZE];
  const char *path =
      fuzz_file("rates.csv", (struct fuzz_part){.data = data ? data : (const uint8_t *)"", .size = size});
  for (size_t k = 0; k < sizeof options / sizeof *options; k++) check_table(path, &options[k]);
  sciara_rates_csv_first_date(path, date);
  return 0;
}
