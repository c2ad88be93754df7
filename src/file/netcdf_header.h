// SPDX-License-Identifier: Apache-2.0
// The header of a file in NetCDF's classic formats, as Unidata's "NetCDF Classic Format Specification" and its
// extension for CDF-5 describe it (docs.unidata.ucar.edu/netcdf-c, appendix "File Format Specifications"). libnetcdf
// trusts many of the numbers in it and crashes on others, so it is checked before GDAL opens the file. NetCDF-4 files
// are HDF5 (hdf5_open.h).
// Included by this room alone.
#ifndef SCIARA_FILE_NETCDF_HEADER_H
#define SCIARA_FILE_NETCDF_HEADER_H

#include "base/status.h"

/**
 * Checks a file that another library will open: every list fits in the file, names have 1 to 256 bytes, dimensions
 * exist, types belong to the format, and the values of every variable lie after the header and in the file. A file that
 * does not begin like CDF-1, CDF-2 or CDF-5 passes. SCIARA_ERR_INPUT names the byte, what was found and what is
 * expected; SCIARA_ERR_IO: the file cannot be read.
 */
enum sciara_status sciara_netcdf_check_header(const char *path);

#endif
