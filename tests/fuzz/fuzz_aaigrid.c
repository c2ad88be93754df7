// SPDX-License-Identifier: Apache-2.0
// An ESRI ASCII grid as DEM: the input is the file, then, after a separator, its .prj.
#include "fuzz.h"
#include "fuzz_dem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_part parts[2];
  fuzz_split(data ? data : (const uint8_t *)"", size, parts, 2);
  fuzz_file("dem.prj", parts[1]);
  fuzz_dem(fuzz_file("dem.asc", parts[0]));
  return 0;
}
