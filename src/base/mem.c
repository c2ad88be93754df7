// SPDX-License-Identifier: Apache-2.0
#include "base/mem.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum sciara_status sciara_size_mul(size_t a, size_t b, size_t *out) {
  if (b != 0 && a > (size_t)INT64_MAX / b)
    return sciara_fail(SCIARA_ERR_MEMORY, "a size of %zu x %zu bytes is more than any machine has", a, b);
  *out = a * b;
  return SCIARA_OK;
}

/** Bytes for count * size and for aligning them; 0 for none. */
static enum sciara_status size_of_block(size_t count, size_t size, const char *what, size_t *out) {
  size_t bytes = 0;
  SCIARA_TRY(sciara_fail_context(sciara_size_mul(count, size, &bytes), "%s", what));
  if (bytes > SIZE_MAX - 2 * SCIARA_ALIGNMENT)
    return sciara_fail(SCIARA_ERR_MEMORY, "%s: %zu bytes are more than any machine has", what, bytes);
  const size_t rounded = (bytes + SCIARA_ALIGNMENT - 1) / SCIARA_ALIGNMENT * SCIARA_ALIGNMENT;
  *out = bytes ? rounded + SCIARA_ALIGNMENT : 0;
  return SCIARA_OK;
}

static size_t shift_of(const unsigned char *block) {
  return SCIARA_ALIGNMENT - (uintptr_t)block % SCIARA_ALIGNMENT; // 16 .. 128: room for the address of the block
}

static void *aligned_in(unsigned char *block) {
  unsigned char *aligned = block + shift_of(block);
  memcpy(aligned - sizeof block, &block, sizeof block);
  return aligned;
}

static unsigned char *block_of(void *aligned) {
  unsigned char *block;
  memcpy(&block, (unsigned char *)aligned - sizeof block, sizeof block);
  return block;
}

enum sciara_status sciara_alloc(void **out, size_t count, size_t size, const char *what) {
  *out = NULL;
  size_t bytes = 0;
  SCIARA_TRY(size_of_block(count, size, what, &bytes));
  if (bytes == 0) return SCIARA_OK;
  // calloc leaves untouched pages of large arrays unmapped; aligned_alloc with memset would map them.
  unsigned char *block = (unsigned char *)calloc(1, bytes);
  if (!block) return sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for %zu bytes", what, count * size);
  *out = aligned_in(block);
  return SCIARA_OK;
}

enum sciara_status sciara_resize(void **block, size_t used, size_t count, size_t size, const char *what) {
  if (!*block) return sciara_alloc(block, count, size, what);
  size_t bytes = 0;
  SCIARA_TRY(size_of_block(count, size, what, &bytes));
  if (bytes == 0) {
    sciara_free(*block);
    *block = NULL;
    return SCIARA_OK;
  }
  unsigned char *old = block_of(*block);
  const size_t shift = shift_of(old);
  unsigned char *moved = (unsigned char *)realloc(old, bytes);
  if (!moved) return sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for %zu bytes", what, count * size);
  if (shift_of(moved) != shift) memmove(moved + shift_of(moved), moved + shift, used * size);
  *block = aligned_in(moved);
  return SCIARA_OK;
}

void sciara_free(void *p) {
  if (p) free(block_of(p));
}

static size_t machine_available(void) {
  FILE *f = fopen("/proc/meminfo", "r");
  if (!f) return 0;
  char line[256];
  uint64_t kib = 0;
  while (fgets(line, sizeof line, f))
    if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1) break;
  fclose(f);
  return (size_t)kib * 1024;
}

size_t sciara_address_space_left(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  FILE *f = fopen("/proc/self/statm", "r");
  uint64_t pages = 0;
  if (f) {
    if (fscanf(f, "%" SCNu64, &pages) != 1) pages = 0;
    fclose(f);
  }
  const uint64_t taken = pages * (uint64_t)sysconf(_SC_PAGESIZE);
  return limit.rlim_cur > taken ? (size_t)(limit.rlim_cur - taken) : 0;
}

size_t sciara_memory_available(void) {
  const size_t machine = machine_available(), space = sciara_address_space_left();
  if (space == SIZE_MAX) return machine;
  const size_t ours = space > SCIARA_ADDRESS_SPACE_RESERVE ? space - SCIARA_ADDRESS_SPACE_RESERVE : 1; // 0: unknown
  return machine > 0 && machine < ours ? machine : ours;
}

/** Bytes of address space that a thread needs: its stack and the guard page. */
static size_t thread_space(void) {
  pthread_attr_t attributes;
  size_t stack = 0, guard = 0;
  if (pthread_attr_init(&attributes) == 0) {
    pthread_attr_getstacksize(&attributes, &stack);
    pthread_attr_getguardsize(&attributes, &guard);
    pthread_attr_destroy(&attributes);
  }
  return stack > 0 ? stack + guard : (size_t)8 << 20;
}

int sciara_threads_with_room(int requested) {
  const size_t left = sciara_address_space_left();
  if (left == SIZE_MAX) return requested;
  const size_t others =
      left > SCIARA_ADDRESS_SPACE_RESERVE ? (left - SCIARA_ADDRESS_SPACE_RESERVE) / thread_space() : 0;
  return requested > 1 && others < (size_t)requested - 1 ? (int)others + 1 : requested;
}
