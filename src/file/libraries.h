// SPDX-License-Identifier: Apache-2.0
// Other libraries: their versions at run time, for provenance; their data that a portable release has beside this one
// (packaging/portable).
#ifndef SCIARA_FILE_LIBRARIES_H
#define SCIARA_FILE_LIBRARIES_H

#include <limits.h>
#include <stdbool.h>

/** "1.10.8". */
const char *sciara_hdf5_version(void);

/** "3.6.2". */
const char *sciara_gdal_version(void);

/** "9.1.1". */
const char *sciara_proj_version(void);

/** Call first in main: prevents HDF5 from closing its files at exit, which turns a full disk into a crash. */
void sciara_hdf5_no_atexit(void);

/** The folder ../share/sciara/`name`, seen from the folder of this library. False: there is none. Takes no memory. */
bool sciara_own_data(const char *name, char path[PATH_MAX]);

#endif
