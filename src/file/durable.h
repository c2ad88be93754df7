// SPDX-License-Identifier: Apache-2.0
// Files that are read, and files that are written: atomic ones, which are complete or absent (written as NAME.part, synced,
// renamed, and the folder synced); their folders, paths and names.
#ifndef SCIARA_FILE_DURABLE_H
#define SCIARA_FILE_DURABLE_H

#include <stdio.h>

#include "base/status.h"
#include "base/text.h"

// ------------------------------------------------------------------------------------------------------- input files

// Every file that is read is opened here: only regular files (also through symbolic links) are, so that a named pipe, a device or
// a socket instead of an input is an immediate error, and the program never waits for it.

/**
 * Checks that `path` is a regular file that can be read, for libraries that open it by its path. SCIARA_ERR_IO if it
 * cannot be reached, SCIARA_ERR_INPUT if it is not a regular file.
 */
enum sciara_status sciara_input_check(const char *path);

/** Opens a regular file for reading. The file that was checked is the one that is open. */
enum sciara_status sciara_input_open(const char *path, int *fd);

/** An input file as a stream; close it with fclose. */
enum sciara_status sciara_input_stream(const char *path, FILE **out);

/**
 * Reads a whole file of at most `limit` bytes; *out is malloc'd and NUL-terminated, *count its length. A larger file is
 * SCIARA_ERR_INPUT and is not read to its end; so is anything but a regular file. SCIARA_ERR_IO if it cannot be opened
 * or read.
 */
enum sciara_status sciara_file_read(const char *path, size_t limit, char **out, size_t *count);

// ------------------------------------------------------------------------------------------------------ atomic files

/** fsync of an existing file by path. SCIARA_ERR_IO names the file and the cause. */
enum sciara_status sciara_file_sync(const char *path);

/**
 * Writes `bytes` as the complete new content of `path`, as an atomic file through path.part. If it fails, the earlier
 * content is intact and path.part is removed. A symbolic link with the name `path` is replaced, one with the name
 * path.part is SCIARA_ERR_IO: nothing is written through a link. One writer per path at a time.
 */
enum sciara_status sciara_file_replace(const char *path, const void *bytes, size_t count);

/** sciara_file_replace with a text, unless making it has failed (`made`), which is then returned; releases the text. */
enum sciara_status sciara_text_write(const char *path, enum sciara_status made, struct sciara_text *text);

/**
 * sciara_file_replace for a path that other processes, also of other hosts, may write at the same time: through a part
 * file with a name of its own, PATH.HOST-PROCESS-N.part. The last one to finish wins; none sees half a file.
 *
 * @param synced false: the file may be lost or damaged when the machine loses power, not when the process is killed
 */
enum sciara_status sciara_file_replace_shared(const char *path, const void *bytes, size_t count, bool synced);

// ------------------------------------------------------------------------------------------------- folders and paths

/** Makes a folder and its missing parents, each synced. An existing folder is fine. */
enum sciara_status sciara_folder_make(const char *path);

/** sciara_folder_make for the folder `name` in a folder. */
enum sciara_status sciara_folder_make_in(const char *folder, const char *name);

/** SCIARA_ERR_INPUT if a name in a folder is a symbolic link: `expected` is what, and `cure` follows what was found. */
enum sciara_status sciara_link_refuse(const char *folder, const char *name, const char *expected, const char *cure);

/** Removes a file of a folder, which need not exist. */
enum sciara_status sciara_file_remove(const char *folder, const char *name);

/** Whether the folder exists, and whether it is empty. A path that names something else is SCIARA_ERR_IO. */
enum sciara_status sciara_folder_is_empty(const char *path, bool *exists, bool *empty);

/** Free bytes on the disk of a folder that need not exist yet; 0: unknown. */
double sciara_disk_free(const char *folder);

/** "folder/name", malloc'd; NULL without memory. An absolute `name` is returned unchanged. */
char *sciara_path_join(const char *folder, const char *name);

/** sciara_path_join into *out, or NULL and SCIARA_ERR_MEMORY. */
enum sciara_status sciara_path_in(const char *folder, const char *name, char **out) SCIARA_MUST_CHECK;

/** The folder part of a path ("." if there is none, "/" for a file in the root), malloc'd; NULL: no memory. */
char *sciara_path_folder(const char *path);

/**
 * `path` relative to `folder`, as written in a file there: "dem.tif", "../data/dem.tif"; malloc'd. Both folders must
 * exist (SCIARA_ERR_IO); their symbolic links are resolved, the last name of `path` is unchanged.
 */
enum sciara_status sciara_path_relative(const char *folder, const char *path, char **out);

// ----------------------------------------------------------------------------------------------- names of output files

/** Rejects a file that already exists, unless `overwrite`; a device, a pipe or a socket is never replaced. */
enum sciara_status sciara_refuse_existing(const char *path, bool overwrite);

/** Whether the name ends in a dot and this extension, in upper or lower case. */
bool sciara_has_extension(const char *path, const char *extension);

#endif
