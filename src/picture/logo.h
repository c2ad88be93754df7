// SPDX-License-Identifier: Apache-2.0
// The logo of a picture, from a PNG file.
#ifndef SCIARA_PICTURE_LOGO_H
#define SCIARA_PICTURE_LOGO_H

#include "picture/map_picture.h"

enum { SCIARA_LOGO_LONGEST = 2000, SCIARA_LOGO_BYTES = 4 << 20 };

/** Zero-initialise; release with sciara_logo_free. */
struct sciara_logo {
  uint8_t *rgba;
  struct sciara_map_image image; ///< refers to rgba
};

/**
 * Reads a PNG file of at most SCIARA_LOGO_BYTES and SCIARA_LOGO_LONGEST pixels each way; both are checked before memory is
 * taken, and nothing else is opened. SCIARA_ERR_INPUT for anything else, SCIARA_ERR_IO if it is not there.
 */
enum sciara_status sciara_logo_read(const char *path, struct sciara_logo *out);
void sciara_logo_free(struct sciara_logo *logo);

#endif
