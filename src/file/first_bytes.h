// SPDX-License-Identifier: Apache-2.0
// What a file is that no reader accepts, by its first bytes.
#ifndef SCIARA_FILE_FIRST_BYTES_H
#define SCIARA_FILE_FIRST_BYTES_H

#include "base/text.h"

/**
 * Appends what the file is and what helps: "is compressed by gzip; unpack it with: gzip -dc 'a.tif.gz' > 'a.tif'".
 * Appends nothing if they say nothing.
 */
enum sciara_status sciara_first_bytes_explain(const char *path, struct sciara_text *out);

#endif
