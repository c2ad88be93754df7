// SPDX-License-Identifier: Apache-2.0
// A table of effusion rates: the input is the file.
#include "fuzz.h"
#include "scenario/rates_csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct sciara_rate_table table;
  const char *path =
      fuzz_file("rates.csv", (struct fuzz_part){.data = data ? data : (const uint8_t *)"", .size = size});
  enum sciara_status status = sciara_rates_csv_read(path, &table);
  fuzz_check_status(status);
  FUZZ_REQUIRE(status == SCIARA_OK ? table.count > 0 : !table.edges && !table.rates && table.count == 0);
  for (size_t i = 0; i < table.count; i++) {
    FUZZ_REQUIRE(table.edges[i] >= 0 && table.edges[i] < table.edges[i + 1]);
    FUZZ_REQUIRE(table.rates[i] >= 0 && table.rates[i] <= SCIARA_RATE_MAX);
  }
  sciara_rate_table_free(&table);
  return 0;
}
