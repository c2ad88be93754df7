// SPDX-License-Identifier: Apache-2.0
// The temporary folder of a test, and files in it. All functions assert with Check.
#ifndef SCIARA_TESTS_FOLDER_H
#define SCIARA_TESTS_FOLDER_H

#include <stddef.h>

extern char folder[64];

/** Check fixtures. */
void folder_make(void);
void folder_remove(void);

/** "FOLDER/name"; one of eight rotating buffers. */
const char *in_folder(const char *name);

void write_text(const char *path, const char *text);
void write_bytes(const char *path, const void *bytes, size_t count);

/** All bytes of a file; release with free. */
char *read_bytes(const char *path, size_t *count);
void expect_same_bytes(const char *path, const char *other);

#endif
