// SPDX-License-Identifier: Apache-2.0
// Common parts of all HDF5 files of this program: errors with the cause given by the library, small attributes, and
// files that are built in memory and written at once.
#ifndef SCIARA_FILE_HDF5_UTIL_H
#define SCIARA_FILE_HDF5_UTIL_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/status.h"

/** The state of HDF5's error printing and of its loading of plugins; both are off between begin and end. */
struct sciara_hdf5_session {
  H5E_auto2_t print;
  void *context;
  unsigned plugins; ///< kinds that may be loaded
  bool plugins_known;
};

/**
 * Silences HDF5 for this thread, disables plugins, and excludes other threads of this program (not every HDF5 build is
 * thread-safe).
 */
void sciara_hdf5_begin(struct sciara_hdf5_session *session);

/** Restores error printing and plugins. */
void sciara_hdf5_end(const struct sciara_hdf5_session *session);

/**
 * Stores "path: doing: cause", where the cause is the innermost message of HDF5's error stack, and returns `status`
 * (SCIARA_ERR_MEMORY instead if HDF5 ran out of memory).
 */
enum sciara_status sciara_hdf5_fail(enum sciara_status status, const char *path, const char *format, ...)
    SCIARA_PRINTF(3, 4);

/** A new file in memory, created with creation-order tracking. `path` only names it in errors. */
enum sciara_status sciara_hdf5_image_create(const char *path, hid_t *file);

/**
 * Writes the finished image as the atomic file `path`, and closes the HDF5 file, also on failure. HDF5 itself never
 * writes to the disk: if it is full, a plain write() fails, whose error names the cause and leaves nothing half closed.
 */
enum sciara_status sciara_hdf5_image_publish(hid_t file, const char *path);

/**
 * The same with sciara_file_replace_shared: other processes may write the same path. Leaves the session while it writes,
 * so that other threads can use HDF5 meanwhile.
 */
enum sciara_status sciara_hdf5_image_publish_shared(hid_t file, const char *path, bool synced,
                                                    struct sciara_hdf5_session *session);

/** For new datasets: attribute creation order tracked, no time stamps (same data, same bytes); < 0 on failure. */
hid_t sciara_hdf5_dataset_plist(void);

/** The same for chunks of the given sides: shuffled, deflated, each with a checksum. No fill value: HDF5's own, zero. */
hid_t sciara_hdf5_chunked_plist(int rank, const hsize_t *sides, unsigned level, hid_t fill_type, const void *fill);

/** A scalar, fixed-length, NUL-terminated UTF-8 attribute; NULL writes none. `path` is for the error. */
enum sciara_status sciara_hdf5_put_text(hid_t object, const char *path, const char *name, const char *text);

/** The value as 16 hexadecimal digits. */
enum sciara_status sciara_hdf5_put_hex(hid_t object, const char *path, const char *name, uint64_t value);

/** One-element attributes of native double and int64. */
enum sciara_status sciara_hdf5_put_double(hid_t object, const char *path, const char *name, double value);
enum sciara_status sciara_hdf5_put_doubles(hid_t object, const char *path, const char *name, const double *values,
                                           size_t count);
enum sciara_status sciara_hdf5_put_int64(hid_t object, const char *path, const char *name, int64_t value);

/** A one-element attribute whose file type is `type`; `value` is a native double. */
enum sciara_status sciara_hdf5_put_number(hid_t object, const char *path, const char *name, hid_t type, double value);

/** Reads a text attribute, malloc'd; *out is NULL if there is none. Damage is SCIARA_ERR_INPUT. */
enum sciara_status sciara_hdf5_get_text(hid_t object, const char *path, const char *name, char **out);

/** Reads a text of 16 hexadecimal digits; absent or another text is SCIARA_ERR_INPUT and named. */
enum sciara_status sciara_hdf5_get_hex(hid_t object, const char *path, const char *name, uint64_t *out);

/** Reads a one-element number; absent or of another shape is SCIARA_ERR_INPUT and named. */
enum sciara_status sciara_hdf5_get_double(hid_t object, const char *path, const char *name, double *out);
enum sciara_status sciara_hdf5_get_int64(hid_t object, const char *path, const char *name, int64_t *out);

// Threads that write files which they first build in memory take turns, so that all of them together need little memory.

/** Bytes that all writers of this program may need at a time; a larger file is written when there is no other. */
enum { SCIARA_WRITE_BUDGET = 64 << 20 };

/** Waits until there is room for a file that needs so many bytes. Writers enter in the order of their calls. */
void sciara_write_enter(size_t bytes);

/** Ends what sciara_write_enter has begun, with the same number. */
void sciara_write_leave(size_t bytes);

#endif
