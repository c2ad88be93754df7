// SPDX-License-Identifier: Apache-2.0
// Versions at run time of the libraries, for provenance.
#ifndef SCIARA_FILE_VERSIONS_H
#define SCIARA_FILE_VERSIONS_H

/** "1.10.8". */
const char *sciara_hdf5_version(void);

/** "3.6.2". */
const char *sciara_gdal_version(void);

/** "9.1.1". */
const char *sciara_proj_version(void);

/** Call first in main: prevents HDF5 from closing its files at exit, which turns a full disk into a crash. */
void sciara_hdf5_no_atexit(void);

#endif
