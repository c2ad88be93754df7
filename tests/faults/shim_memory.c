// SPDX-License-Identifier: Apache-2.0
// malloc and related functions: counts the memory of the process, and refuses one request that comes from the program
// itself or from libsciara (not from another library, whose behaviour without memory is not tested, unless
// SCIARA_SHIM_LIBRARY names that library). SCIARA_SHIM_FOREIGN names code that is linked into libsciara, or into a program
// with libsciara inside (SCIARA_SHIM_LATE), but is not its own, the runtime of CUDA: "BEGIN-END,...", hexadecimal addresses
// in the file.
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *p);

enum { FOREIGN = 16 };

static struct { uintptr_t begin, end; } code[2], foreign[FOREIGN]; ///< of the program and of the library
static int code_count;
static int foreign_count;

/** Reads SCIARA_SHIM_FOREIGN; `base`: where the library was loaded. Too many are a defect of the test. */
static void find_foreign(uintptr_t base) {
  char *text = getenv("SCIARA_SHIM_FOREIGN");
  while (text && *text) {
    if (foreign_count == FOREIGN) abort();
    foreign[foreign_count].begin = base + strtoul(text, &text, 16);
    if (*text == '-') foreign[foreign_count].end = base + strtoul(text + 1, &text, 16);
    foreign_count++;
    if (*text == ',') text++;
  }
}

static int find_code(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  (void)context;
  const char *other = getenv("SCIARA_SHIM_LIBRARY"), *library = other ? other : "/libsciara.so.";
  const bool is_library = strstr(info->dlpi_name, library), is_program = !other && !*info->dlpi_name && !code_count;
  if (!is_library && !is_program) return 0;
  if (is_library || (is_program && getenv("SCIARA_SHIM_LATE"))) find_foreign(info->dlpi_addr);
  for (int k = 0; k < info->dlpi_phnum; k++) {
    const ElfW(Phdr) *h = &info->dlpi_phdr[k];
    if (h->p_type != PT_LOAD || !(h->p_flags & PF_X)) continue;
    code[code_count].begin = info->dlpi_addr + h->p_vaddr;
    code[code_count].end = code[code_count].begin + h->p_memsz;
  }
  code_count++;
  return is_library; // the program is the first object
}

void shim_find_code(void) { dl_iterate_phdr(find_code, NULL); }

__attribute__((constructor)) static void begin(void) {
  shim_begin();
  if (!shim_is_late()) shim_find_code();
}

/** Records where the program requests memory, so that each place can be tried once. */
static void note_site(uintptr_t address, uint64_t number) {
  struct shim_counts *c = shim_counts;
  uint64_t k = 0;
  while (k < c->sites && c->site[k].address != address) k++;
  if (k == SHIM_SITES) return;
  if (k == c->sites) {
    c->sites++;
    c->site[k].address = address;
    c->site[k].first = number;
  }
  c->site[k].last = number;
}

/** Whether this request fails. */
static bool refuse(const void *caller) {
  const uintptr_t from = (uintptr_t)caller;
  int part = 0;
  while (part < code_count && (from < code[part].begin || from >= code[part].end)) part++;
  if (part == code_count) return false;
  for (int k = 0; k < foreign_count; k++)
    if (from >= foreign[k].begin && from < foreign[k].end) return false;
  shim_enter();
  static uint64_t requests;
  requests++;
  const bool refused = shim_word == SHIM_MALLOC && requests == shim_number;
  if (shim_counts) {
    shim_counts->mallocs = requests;
    shim_counts->done += refused;
    note_site(from - code[part].begin + ((uintptr_t)part << 32), requests);
  }
  shim_leave();
  if (refused) errno = ENOMEM;
  return refused;
}

static void *take(void *p) {
  if (!p || !shim_counts) return p;
  const uint64_t live = __atomic_add_fetch(&shim_counts->live, malloc_usable_size(p), __ATOMIC_RELAXED);
  if (live > __atomic_load_n(&shim_counts->peak, __ATOMIC_RELAXED))
    __atomic_store_n(&shim_counts->peak, live, __ATOMIC_RELAXED);
  return p;
}

static void give(void *p) {
  if (p && shim_counts) __atomic_sub_fetch(&shim_counts->live, malloc_usable_size(p), __ATOMIC_RELAXED);
}

void *malloc(size_t size) { return refuse(__builtin_return_address(0)) ? NULL : take(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) {
  return refuse(__builtin_return_address(0)) ? NULL : take(__libc_calloc(count, size));
}

void *realloc(void *p, size_t size) {
  if (refuse(__builtin_return_address(0))) return NULL;
  const size_t before = p ? malloc_usable_size(p) : 0;
  void *moved = __libc_realloc(p, size);
  if (moved && shim_counts) __atomic_sub_fetch(&shim_counts->live, before, __ATOMIC_RELAXED);
  return take(moved);
}

void free(void *p) {
  give(p);
  __libc_free(p);
}

static void *aligned(size_t alignment, size_t size, const void *caller) {
  return refuse(caller) ? NULL : take(__libc_memalign(alignment, size));
}

void *memalign(size_t alignment, size_t size) { return aligned(alignment, size, __builtin_return_address(0)); }
void *aligned_alloc(size_t alignment, size_t size) { return aligned(alignment, size, __builtin_return_address(0)); }

int posix_memalign(void **out, size_t alignment, size_t size) {
  void *p = aligned(alignment, size, __builtin_return_address(0));
  if (!p) return ENOMEM;
  *out = p;
  return 0;
}
