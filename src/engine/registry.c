// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/text.h"
#include "engine/engine.h"

#define SCIARA_ENGINE(identifier, name_) \
  extern const struct sciara_engine_ops sciara_engine_##identifier##_f64, sciara_engine_##identifier##_f32;
#ifdef SCIARA_HAVE_CUDA
#define SCIARA_CUDA_ENGINE(identifier, name_) SCIARA_ENGINE(identifier, name_)
#else
#define SCIARA_CUDA_ENGINE(identifier, name_)
#endif
#include "engine/engine_list.def"
#undef SCIARA_ENGINE
#undef SCIARA_CUDA_ENGINE

static const struct sciara_engine_entry entries[] = {
#define SCIARA_ENGINE(identifier, name_) \
  {.name = name_, .ops = {&sciara_engine_##identifier##_f64, &sciara_engine_##identifier##_f32}, .why_not = NULL},
#ifdef SCIARA_HAVE_CUDA
#define SCIARA_CUDA_ENGINE(identifier, name_) SCIARA_ENGINE(identifier, name_)
#else
#define SCIARA_CUDA_ENGINE(identifier, name_) \
  {.name = name_, .why_not = "this program was built without CUDA (no nvcc was found)"},
#endif
#include "engine/engine_list.def"
#undef SCIARA_ENGINE
#undef SCIARA_CUDA_ENGINE
};

enum { ENTRIES = sizeof entries / sizeof *entries };

const struct sciara_engine_entry *sciara_engine_list(size_t *count) {
  *count = ENTRIES;
  return entries;
}

static enum sciara_status unknown(const char *name) {
  const char *names[ENTRIES];
  for (size_t i = 0; i < ENTRIES; i++) names[i] = entries[i].name;
  const char *closest = sciara_closest_name(name, names, ENTRIES);
  if (closest) return sciara_fail(SCIARA_ERR_USAGE, "there is no engine \"%s\"; did you mean \"%s\"?", name, closest);
  return sciara_fail(SCIARA_ERR_USAGE, "there is no engine \"%s\"; 'sciara engines' lists them", name);
}

enum sciara_status sciara_engine_find(const char *name, enum sciara_precision precision,
                                      const struct sciara_engine_ops **out) {
  *out = NULL;
  if (strcmp(name, "auto") == 0) name = sciara_engine_auto();
  for (size_t i = 0; i < ENTRIES; i++) {
    if (strcmp(name, entries[i].name) != 0) continue;
    const struct sciara_engine_ops *ops = entries[i].ops[precision];
    if (!ops)
      return sciara_fail(SCIARA_ERR_DEVICE, "engine \"%s\" is not available: %s", name,
                         entries[i].why_not ? entries[i].why_not : "not compiled");
    const char *why = ops->probe ? ops->probe() : NULL;
    if (why) return sciara_fail(SCIARA_ERR_DEVICE, "engine \"%s\" is not available: %s", name, why);
    *out = ops;
    return SCIARA_OK;
  }
  return unknown(name);
}

const char *sciara_engine_auto(void) {
  for (size_t i = 0; i < ENTRIES; i++) {
    const struct sciara_engine_ops *ops = entries[i].ops[SCIARA_DOUBLE];
    if (strcmp(entries[i].name, "cuda-fused") == 0 && ops && !(ops->probe && ops->probe())) return entries[i].name;
  }
  return "openmp";
}
