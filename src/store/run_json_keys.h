// SPDX-License-Identifier: Apache-2.0
// What the writer and the reader of run.json agree on.
// Included by this room alone.
#ifndef SCIARA_STORE_RUN_JSON_KEYS_H
#define SCIARA_STORE_RUN_JSON_KEYS_H

/** Value of the key "format"; another one is refused by the reader. */
enum { SCIARA_RUN_FORMAT = 1 };

#endif
