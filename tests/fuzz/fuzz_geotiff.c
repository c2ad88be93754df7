// SPDX-License-Identifier: Apache-2.0
// A GeoTIFF as DEM: the input is the file.
#include "fuzz.h"
#include "fuzz_dem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_dem(fuzz_file("dem.tif", (struct fuzz_part){.data = data ? data : (const uint8_t *)"", .size = size}));
  return 0;
}
