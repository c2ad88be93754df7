// SPDX-License-Identifier: Apache-2.0
// HDF5 files: what all of this program have in common, errors with the cause given by the library, small attributes, files
// that are built in memory and written at once; and those from untrusted sources, which are checked before they are read.
#ifndef SCIARA_FILE_HDF5_FILE_H
#define SCIARA_FILE_HDF5_FILE_H

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
 * sciara_hdf5_image_publish with sciara_file_replace_shared: other processes may write the same path. Leaves the session
 * while it writes, so that other threads can use HDF5 meanwhile.
 */
enum sciara_status sciara_hdf5_image_publish_shared(hid_t file, const char *path, bool synced,
                                                    struct sciara_hdf5_session *session);

/** For new datasets: attribute creation order tracked, no time stamps (same data, same bytes); < 0 on failure. */
hid_t sciara_hdf5_dataset_plist(void);

/** Properties of a dataset in chunks of the given sides: shuffled, deflated, each with a checksum. No fill value: HDF5's own, zero. */
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

// --------------------------------------------------------------------------------------------- opening, in hdf5_open.c

// An HDF5 file can refer to others: by external and user-defined links, external storage and virtual datasets. Reading such
// a file would read those too, so it is rejected before anything is read (docs/security.md). Every reader of HDF5 uses these
// functions, and every raster is checked before GDAL opens it. Call within a session.

/** How the values of a dataset are stored in its file. */
enum sciara_hdf5_storage {
  SCIARA_HDF5_IN_ONE_PIECE, ///< axes and scalars
  SCIARA_HDF5_IN_CHUNKS,    ///< fields: with the filters shuffle, deflate and fletcher32, in this order
};

/**
 * Opens a file for reading after checking its complete contents: every link in it is a hard link, and no dataset has
 * external storage, values of another file, a filter of a plugin or references to other files. Loads no plugin.
 * SCIARA_ERR_IO: it does not exist or cannot be read; SCIARA_ERR_INPUT: it is not HDF5, is damaged, or refers to
 * something else (named).
 */
enum sciara_status sciara_hdf5_file_open(const char *path, hid_t *file);

/** Opens a dataset of the root group, which must be stored in this way. SCIARA_ERR_INPUT names file and dataset. */
enum sciara_status sciara_hdf5_dataset_open(hid_t file, const char *path, const char *name,
                                            enum sciara_hdf5_storage storage, hid_t *dataset);

/** Whether the virtual dataset `name` may take values from dataset `source` of the file `file`. */
typedef bool sciara_hdf5_source_rule(const char *name, const char *file, const char *source);

/**
 * Opens a file like sciara_hdf5_file_open; datasets of its root group may be virtual if the rule allows all sources.
 */
enum sciara_status sciara_hdf5_series_open(const char *path, sciara_hdf5_source_rule *rule, hid_t *file);

/** Checks a file that another library will open. A file that is not HDF5 passes. Call outside a session. */
enum sciara_status sciara_hdf5_check_foreign(const char *path);

// ---------------------------------------------------------------------------------------------- chunks, in hdf5_open.c

// The stored chunks of a dataset are checked before HDF5 reads them. HDF5 1.10 trusts what a file states about a chunk: it
// reads beyond the end of a chunk whose filters are marked as left out, or that inflates to too few bytes.

enum {
  SCIARA_GUARD_RANK = 3,
  SCIARA_GUARD_DEFLATE = 1, ///< position of deflate among the filters, between shuffle and fletcher32
};

/** A dataset, and the memory to check one of its chunks. */
struct sciara_chunk_guard {
  hid_t dataset;
  const char *path, *name; ///< for errors
  int rank;
  hsize_t dims[SCIARA_GUARD_RANK], side[SCIARA_GUARD_RANK]; ///< of the dataset, of a chunk
  size_t bytes;                                             ///< of a chunk without filters
  size_t room;                                              ///< largest size of a stored chunk
  unsigned char *stored;                                    ///< `room` bytes
};

/**
 * Takes the shape of a dataset of at most SCIARA_GUARD_RANK dimensions that was opened as SCIARA_HDF5_IN_CHUNKS. Its
 * chunks must have the lengths `side`; NULL: any. SCIARA_ERR_INPUT if no version of this program writes such a dataset.
 * To be closed, also after a failure.
 */
enum sciara_status sciara_chunk_guard_open(struct sciara_chunk_guard *g, hid_t dataset, const char *path,
                                           const char *name, const hsize_t *side);

/**
 * Checks the chunk whose first value is at `start`, `rank` numbers; *stored is whether it is stored. SCIARA_ERR_INPUT
 * names a chunk with the wrong number of bytes. A chunk that does not inflate is left to HDF5, which detects that.
 */
enum sciara_status sciara_chunk_guard_look(const struct sciara_chunk_guard *g, const hsize_t *start, bool *stored);

/** Checks every chunk. */
enum sciara_status sciara_chunk_guard_look_at_all(const struct sciara_chunk_guard *g);

void sciara_chunk_guard_close(struct sciara_chunk_guard *g);

#endif
