// SPDX-License-Identifier: Apache-2.0
// Files that are complete or absent: written as NAME.part, synced, renamed, and the folder synced.
#ifndef SCIARA_FILE_DURABLE_H
#define SCIARA_FILE_DURABLE_H

#include "base/status.h"

SCIARA_BEGIN_DECLS

/** fsync of an existing file by path. SCIARA_ERR_IO names the file and the cause. */
enum sciara_status sciara_file_sync(const char *path);

/**
 * Gives a finished file its final name: fsync of `part`, rename(part, path), fsync of the folder. After this the file
 * is there for good. When any of it fails `part` is removed; a file that `path` named before stays as it was unless the
 * rename itself was done.
 */
enum sciara_status sciara_file_publish(const char *part, const char *path);

/**
 * Writes `bytes` as a whole new content of `path`, atomically and durably, through path.part. When it fails the
 * earlier content is intact and path.part is removed. A symbolic link that bears the name `path` is replaced, one that
 * bears path.part is SCIARA_ERR_IO: neither is written through. One writer per path at a time.
 */
enum sciara_status sciara_file_replace(const char *path, const void *bytes, size_t count);

/**
 * Reads a whole file of at most `limit` bytes; *out is malloc'd and NUL-terminated, *count its length. A larger file is
 * SCIARA_ERR_INPUT and is not read to its end, and so is what is no regular file; what cannot be opened or read is
 * SCIARA_ERR_IO.
 */
enum sciara_status sciara_file_read(const char *path, size_t limit, char **out, size_t *count);

/** Makes a folder and its missing parents, each synced. One that exists already is fine. */
enum sciara_status sciara_folder_make(const char *path);

/** Whether the folder exists and holds anything. A path that names something else is SCIARA_ERR_IO. */
enum sciara_status sciara_folder_is_empty(const char *path, bool *exists, bool *empty);

/** "folder/name", malloc'd; NULL when memory is out. An absolute `name` is returned as it is. */
char *sciara_path_join(const char *folder, const char *name);

/** The folder part of a path ("." when there is none, "/" for a file in the root), malloc'd; NULL: no memory. */
char *sciara_path_folder(const char *path);

/**
 * How `path` is written in a file that lies in `folder`: "dem.tif", "../data/dem.tif"; malloc'd. Both folders must exist
 * (SCIARA_ERR_IO); their symbolic links are followed, the last name of `path` stays as it is.
 */
enum sciara_status sciara_path_relative(const char *folder, const char *path, char **out);

SCIARA_END_DECLS
#endif
