// SPDX-License-Identifier: Apache-2.0
#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum sciara_status sciara_size_mul(size_t a, size_t b, size_t *out) {
  if (b != 0 && a > (size_t)INT64_MAX / b)
    return sciara_fail(SCIARA_ERR_MEMORY, "a size of %zu x %zu bytes is more than any machine has", a, b);
  *out = a * b;
  return SCIARA_OK;
}

enum sciara_status sciara_alloc(void **out, size_t count, size_t size, const char *what) {
  *out = NULL;
  size_t bytes = 0;
  enum sciara_status status = sciara_size_mul(count, size, &bytes);
  if (status != SCIARA_OK) return sciara_fail_context(status, "%s", what);
  if (bytes == 0) return SCIARA_OK;
  if (bytes > SIZE_MAX - SCIARA_ALIGNMENT)
    return sciara_fail(SCIARA_ERR_MEMORY, "%s: %zu bytes are more than any machine has", what, bytes);
  size_t rounded = (bytes + SCIARA_ALIGNMENT - 1) / SCIARA_ALIGNMENT * SCIARA_ALIGNMENT;
  // calloc keeps untouched pages of large arrays unmapped, aligned_alloc + memset would not.
  unsigned char *block = (unsigned char *)calloc(1, rounded + SCIARA_ALIGNMENT);
  if (!block) return sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for %zu bytes", what, bytes);
  size_t shift = SCIARA_ALIGNMENT - (uintptr_t)block % SCIARA_ALIGNMENT; // 16 .. 128: room for the block's address
  unsigned char *aligned = block + shift;
  memcpy(aligned - sizeof block, &block, sizeof block);
  *out = aligned;
  return SCIARA_OK;
}

void sciara_free(void *p) {
  if (!p) return;
  unsigned char *block;
  memcpy(&block, (unsigned char *)p - sizeof block, sizeof block);
  free(block);
}

size_t sciara_memory_available(void) {
  FILE *f = fopen("/proc/meminfo", "r");
  if (!f) return 0;
  char line[256];
  uint64_t kib = 0;
  while (fgets(line, sizeof line, f))
    if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1) break;
  fclose(f);
  return (size_t)kib * 1024;
}
