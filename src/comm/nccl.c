// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Stores a function of the library where `out`, a pointer to a function, lies; false, with the reason: it has none. */
static bool find(void *library, const char *name, void *out, char *why, size_t size) {
  void *found = dlsym(library, name);
  if (!found) snprintf(why, size, "%s; expected NCCL 2.7 or newer", dlerror());
  memcpy(out, &found, sizeof found);
  return found != NULL;
}

static bool find_all(void *library, struct sciara_nccl *n, char *why, size_t size) {
  return find(library, "ncclGetVersion", &n->version, why, size) &&
         find(library, "ncclCommInitAll", &n->init_all, why, size) &&
         find(library, "ncclCommDestroy", &n->destroy, why, size) && find(library, "ncclSend", &n->send, why, size) &&
         find(library, "ncclRecv", &n->receive, why, size) &&
         find(library, "ncclAllReduce", &n->all_reduce, why, size) &&
         find(library, "ncclGroupStart", &n->group_begin, why, size) &&
         find(library, "ncclGroupEnd", &n->group_end, why, size) &&
         find(library, "ncclGetErrorString", &n->explain, why, size);
}

const struct sciara_nccl *sciara_nccl_load(char *why, size_t size) {
  static struct sciara_nccl functions;
  static bool loaded;
  static void *library; // stays loaded
  const char *name = getenv("SCIARA_NCCL");
  if (loaded) return &functions;
  setenv("NCCL_NVLS_ENABLE", "0", 0);
  library = dlopen(name ? name : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(why, size, "%s", dlerror());
    return NULL;
  }
  loaded = find_all(library, &functions, why, size);
  if (loaded) return &functions;
  dlclose(library);
  library = NULL;
  return NULL;
}

enum sciara_status sciara_nccl_check(const struct sciara_nccl *nccl, int error, const char *call) {
  return error == 0 ? SCIARA_OK : sciara_fail(SCIARA_ERR_DEVICE, "NCCL: %s: %s", call, nccl->explain(error));
}
