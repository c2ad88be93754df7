// SPDX-License-Identifier: Apache-2.0
#include "fuzz_hdf5.h"

#include <hdf5.h>

#include "fuzz.h"

// HDF5 1.10 does not release all of its memory on a damaged file, nor does netCDF 4.9 when it finds no dimensions.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5\nleak:libnetcdf"; }

void fuzz_check_hdf5_closed(void) {
  FUZZ_REQUIRE(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE | H5F_OBJ_DATASET | H5F_OBJ_GROUP | H5F_OBJ_ATTR) == 0);
}
