// SPDX-License-Identifier: Apache-2.0
// A NetCDF file as DEM: its axes, their order and units. The input is the file.
#include "fuzz.h"
#include "fuzz_dem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_dem(fuzz_file("dem.nc", (struct fuzz_part){.data = data ? data : (const uint8_t *)"", .size = size}));
  return 0;
}
