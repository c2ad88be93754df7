// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/text.h"
#include "engine/engine.h"

#define SCIARA_ENGINE(identifier, name_) \
  extern const struct sciara_engine_ops sciara_engine_##identifier##_f64, sciara_engine_##identifier##_f32;
#ifdef SCIARA_HAVE_CUDA
#define SCIARA_CUDA_ENGINE(identifier, name_) \
  SCIARA_ENGINE(identifier, name_)            \
  extern const struct sciara_engine_ops sciara_engine_##identifier##_fast;
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
#define SCIARA_CUDA_ENGINE(identifier, name_)                                                                         \
  {.name = name_,                                                                                                     \
   .ops = {&sciara_engine_##identifier##_f64, &sciara_engine_##identifier##_f32, &sciara_engine_##identifier##_fast}, \
   .why_not = NULL},
#else
#define SCIARA_CUDA_ENGINE(identifier, name_) {.name = name_, .why_not = "this program was built without CUDA"},
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
    if (!ops && entries[i].ops[SCIARA_DOUBLE])
      return sciara_fail(SCIARA_ERR_USAGE, "engine \"%s\" has no fast math; the CUDA engines have it", name);
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

static enum sciara_status not_followed(const struct sciara_engine_ops *ops, const char *option) {
  return sciara_fail(SCIARA_ERR_USAGE, "engine \"%s\" does not follow the option %s", ops->name, option);
}

static enum sciara_status check_block(int width, int height) {
  const int64_t threads = (int64_t)width * height;
  if (width >= 1 && height >= 1 && threads <= 1024 && threads % 32 == 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE, "found a block of %d x %d threads, allowed 32 to 1024 threads, a multiple of 32",
                     width, height);
}

enum sciara_status sciara_engine_options_check(const struct sciara_engine_ops *ops,
                                               const struct sciara_engine_options *o) {
  const unsigned can = ops->capabilities;
  const bool block = o->block_width || o->block_height;
  if (block) SCIARA_TRY(check_block(o->block_width, o->block_height));
  if (block && !(can & SCIARA_CAN_BLOCK)) return not_followed(ops, "block");
  if (o->memory == SCIARA_MEMORY_SHARED && !(can & SCIARA_CAN_SHARED_MEMORY)) return not_followed(ops, "memory");
  // Two arrays of doubles with a halo of one cell, in the 48 KiB that every GPU gives a block.
  if (o->memory == SCIARA_MEMORY_SHARED && (o->block_width + 2) * (o->block_height + 2) * 16 > 49152)
    return sciara_fail(SCIARA_ERR_USAGE, "a block of %d x %d threads with its halo does not fit shared memory (48 KiB)",
                       o->block_width, o->block_height);
  if (o->boxes && !(can & SCIARA_CAN_BOXES)) return not_followed(ops, "boxes");
  if (o->refit_every && !(can & SCIARA_CAN_BOXES)) return not_followed(ops, "refit_every");
  if (o->sort_every && !(can & SCIARA_CAN_SORT)) return not_followed(ops, "sort_every");
  if (o->isa && !(can & SCIARA_CAN_ISA)) return not_followed(ops, "isa");
  if (!sciara_isa_runs(o->isa))
    return sciara_fail(SCIARA_ERR_DEVICE, "isa: found \"%s\", this processor and this program allow %s at most",
                       sciara_isa_name(o->isa), sciara_isa_name(sciara_isa_best()));
  return SCIARA_OK;
}

const char *sciara_precision_name(enum sciara_precision precision) {
  return precision == SCIARA_DOUBLE ? "double" : precision == SCIARA_SINGLE_PRECISION ? "single" : "single, fast math";
}

const char *sciara_engine_auto(void) {
  for (size_t i = 0; i < ENTRIES; i++) {
    const struct sciara_engine_ops *ops = entries[i].ops[SCIARA_DOUBLE];
    if (strcmp(entries[i].name, "cuda-fused") == 0 && ops && !(ops->probe && ops->probe())) return entries[i].name;
  }
  return "openmp";
}
