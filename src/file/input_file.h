// SPDX-License-Identifier: Apache-2.0
// Opening every file that is read: only regular files (also through symbolic links) are opened, so that a named pipe, a
// device or a socket instead of an input is an immediate error, and the program never waits for it.
#ifndef SCIARA_FILE_INPUT_FILE_H
#define SCIARA_FILE_INPUT_FILE_H

#include <stdio.h>
#include <sys/types.h>

#include "base/status.h"

/** "folder", "named pipe", "device", "socket", "file", for messages. */
const char *sciara_file_kind(mode_t mode);

/**
 * Checks that `path` is a regular file that can be read, for libraries that open it by its path. SCIARA_ERR_IO if it
 * cannot be reached, SCIARA_ERR_INPUT if it is not a regular file.
 */
enum sciara_status sciara_input_check(const char *path);

/** Opens a regular file for reading. The file that was checked is the one that is open. */
enum sciara_status sciara_input_open(const char *path, int *fd);

/** An input file as a stream; close it with fclose. */
enum sciara_status sciara_input_stream(const char *path, FILE **out);

// --------------------------------------------------------------------- the header of a NetCDF file, in netcdf_header.c

// The header of NetCDF's classic formats, as Unidata's "NetCDF Classic Format Specification" and its extension for CDF-5 describe it
// (docs.unidata.ucar.edu/netcdf-c, appendix "File Format Specifications"). libnetcdf trusts many of the numbers in it and
// crashes on others, so it is checked before GDAL opens the file. NetCDF-4 files are HDF5 (hdf5_file.h).

/**
 * Checks a file that another library will open: every list fits in the file, names have 1 to 256 bytes, dimensions
 * exist, types belong to the format, and the values of every variable lie after the header and in the file. A file that
 * does not begin like CDF-1, CDF-2 or CDF-5 passes. SCIARA_ERR_INPUT names the byte, what was found and what is
 * expected; SCIARA_ERR_IO: the file cannot be read.
 */
enum sciara_status sciara_netcdf_check_header(const char *path);

#endif
