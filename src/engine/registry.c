// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "engine/device_info.h"
#include "engine/engine.h"

// The ops of an engine, declared and then listed, of each rule that it has: of ALL, or of those of kind SLOPES.
#define DECLARE(identifier, rule)                                                  \
  extern const struct sciara_engine_ops sciara_engine_##identifier##_##rule##_f64, \
      sciara_engine_##identifier##_##rule##_f32;
#define DECLARE_IF_SLOPES(identifier, rule) DECLARE(identifier, rule)
#define DECLARE_IF_SHEET(identifier, rule)
#define DECLARE_ALL(IDENTIFIER, rule, edition, KIND, published, identifier) DECLARE(identifier, rule)
#define DECLARE_SLOPES(IDENTIFIER, rule, edition, KIND, published, identifier) DECLARE_IF_##KIND(identifier, rule)
#define OPS(identifier, rule) {&sciara_engine_##identifier##_##rule##_f64, &sciara_engine_##identifier##_##rule##_f32},
#define OPS_IF_SLOPES(identifier, rule) OPS(identifier, rule)
#define OPS_IF_SHEET(identifier, rule) {NULL},
#define OPS_ALL(IDENTIFIER, rule, edition, KIND, published, identifier) OPS(identifier, rule)
#define OPS_SLOPES(IDENTIFIER, rule, edition, KIND, published, identifier) OPS_IF_##KIND(identifier, rule)

#define SCIARA_ENGINE(identifier, name_, RULES) SCIARA_EACH_RULE(DECLARE_##RULES, identifier)
#ifdef SCIARA_HAVE_CUDA
#define SCIARA_CUDA_ENGINE(identifier, name_, RULES) \
  SCIARA_ENGINE(identifier, name_, RULES)            \
  extern const struct sciara_engine_ops sciara_engine_##identifier##_fv3_fast;
#else
#define SCIARA_CUDA_ENGINE(identifier, name_, RULES)
#endif
#include "engine/engine_list.def"
#undef SCIARA_ENGINE
#undef SCIARA_CUDA_ENGINE

static const struct sciara_engine_entry entries[] = {
#define SCIARA_ENGINE(identifier, name_, RULES) \
  {.name = name_, .ops = {SCIARA_EACH_RULE(OPS_##RULES, identifier)}, .rules = SCIARA_RULES_##RULES},
#ifdef SCIARA_HAVE_CUDA
#define SCIARA_CUDA_ENGINE(identifier, name_, RULES)                                 \
  {.name = name_,                                                                    \
   .ops = {SCIARA_EACH_RULE(OPS_##RULES, identifier)},                               \
   .ops[SCIARA_RULE_FV3][SCIARA_FAST_MATH] = &sciara_engine_##identifier##_fv3_fast, \
   .rules = SCIARA_RULES_##RULES},
#else
#define SCIARA_CUDA_ENGINE(identifier, name_, RULES) \
  {.name = name_, .rules = SCIARA_RULES_##RULES, .why_not = "this program was built without CUDA"},
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

static enum sciara_status lacks_rule(const struct sciara_engine_entry *entry, enum sciara_rule_kind rule) {
  char names[512] = "";
  for (size_t i = 0; i < ENTRIES; i++) {
    const size_t length = strlen(names);
    if (entries[i].rules >> rule & 1u)
      snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", entries[i].name);
  }
  return sciara_fail(SCIARA_ERR_USAGE, "engine \"%s\" does not have rule \"%s\"; these engines have it: %s",
                     entry->name, sciara_rule_name(rule), names);
}

static enum sciara_status find(const struct sciara_engine_entry *entry, enum sciara_rule_kind rule,
                               enum sciara_precision precision, const struct sciara_engine_ops **out) {
  if (!(entry->rules >> rule & 1u)) return lacks_rule(entry, rule);
  const struct sciara_engine_ops *ops = entry->ops[rule][precision];
  if (!ops && entry->ops[rule][SCIARA_DOUBLE] && rule != SCIARA_RULE_FV3)
    return sciara_fail(SCIARA_ERR_USAGE, "rule \"%s\" has no fast math; expected engine.math \"exact\"",
                       sciara_rule_name(rule));
  if (!ops && entry->ops[rule][SCIARA_DOUBLE])
    return sciara_fail(SCIARA_ERR_USAGE, "engine \"%s\" has no fast math; the CUDA engines have it", entry->name);
  if (!ops)
    return sciara_fail(SCIARA_ERR_DEVICE, "engine \"%s\" is not available: %s", entry->name,
                       entry->why_not ? entry->why_not : "not compiled");
  const char *why = ops->probe ? ops->probe() : NULL;
  if (why) return sciara_fail(SCIARA_ERR_DEVICE, "engine \"%s\" is not available: %s", entry->name, why);
  *out = ops;
  return SCIARA_OK;
}

enum sciara_status sciara_engine_find(const char *name, enum sciara_rule_kind rule, enum sciara_precision precision,
                                      const struct sciara_engine_ops **out) {
  *out = NULL;
  if (strcmp(name, "auto") == 0) name = sciara_engine_auto(rule);
  for (size_t i = 0; i < ENTRIES; i++)
    if (strcmp(name, entries[i].name) == 0) return find(&entries[i], rule, precision, out);
  return unknown(name);
}

static const struct sciara_setting options[] = {
#define SCIARA_ENGINE_OPTION(name_, ...) \
  {.name = #name_, .offset = offsetof(struct sciara_engine_options, name_), __VA_ARGS__},
#include "engine/engine_options.def"
#undef SCIARA_ENGINE_OPTION
};
enum { OPTIONS = sizeof options / sizeof *options };
_Static_assert((int)OPTIONS <= (int)SCIARA_MOST_SETTINGS, "raise SCIARA_MOST_SETTINGS");

struct sciara_settings sciara_engine_settings(void) {
  return (struct sciara_settings){.setting = options, .count = OPTIONS};
}

bool sciara_engine_follows(const struct sciara_engine_ops *ops, const char *option) {
  return ops->options && sciara_has_word(ops->options, option);
}

static int *option_in(struct sciara_engine_options *o, size_t k) { return (int *)((char *)o + options[k].offset); }

static enum sciara_status refuse_option(const char *text) {
  char allowed[512] = "block=WIDTHxHEIGHT";
  for (size_t k = 0; k < OPTIONS; k++) {
    const size_t length = strlen(allowed);
    snprintf(allowed + length, sizeof allowed - length, ", ");
    sciara_setting_allowed(&options[k], allowed + length + 2, sizeof allowed - length - 2);
  }
  return sciara_fail(SCIARA_ERR_USAGE, "found the engine option \"%s\", expected one of %s", text, allowed);
}

enum sciara_status sciara_engine_option_parse(const char *text, struct sciara_engine_options *out) {
  int end = 0;
  if (sscanf(text, "block=%4dx%4d%n", &out->block_width, &out->block_height, &end) == 2 && !text[end] &&
      out->block_width > 0 && out->block_height > 0)
    return SCIARA_OK;
  const size_t length = strcspn(text, "=");
  const struct sciara_setting *s = sciara_setting_find(sciara_engine_settings(), text, length);
  if (!s || !text[length] || !sciara_setting_parse(s, text + length + 1, option_in(out, (size_t)(s - options))))
    return refuse_option(text);
  return SCIARA_OK;
}

static enum sciara_status check_block(int width, int height) {
  const int64_t threads = (int64_t)width * height;
  if (width >= 1 && height >= 1 && threads <= 1024 && threads % 32 == 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE,
                     "found a block of %d x %d threads, expected 32 to 1024 threads, a multiple of 32", width, height);
}

enum sciara_status sciara_engine_options_check(const struct sciara_engine_ops *ops,
                                               const struct sciara_engine_options *o) {
  struct sciara_engine_options given = *o;
  if (o->block_width || o->block_height) SCIARA_TRY(check_block(o->block_width, o->block_height));
  for (size_t k = 0; k < OPTIONS; k++) {
    const int value = *option_in(&given, k);
    if (value && value != options[k].common && !sciara_engine_follows(ops, options[k].name))
      return sciara_fail(SCIARA_ERR_USAGE, "engine \"%s\" has no option %s", ops->name, options[k].name);
  }
  // Two arrays of doubles with a halo of one cell, in the 48 KiB that every GPU has for a block.
  if (o->memory == SCIARA_MEMORY_SHARED && (o->block_width + 2) * (o->block_height + 2) * 16 > 49152)
    return sciara_fail(SCIARA_ERR_USAGE, "a block of %d x %d threads with its halo does not fit shared memory (48 KiB)",
                       o->block_width, o->block_height);
  if (!sciara_isa_runs((enum sciara_isa)o->isa))
    return sciara_fail(SCIARA_ERR_DEVICE, "isa: found \"%s\", this processor and this program allow %s at most",
                       sciara_isa_name((enum sciara_isa)o->isa), sciara_isa_name(sciara_isa_best()));
  return SCIARA_OK;
}

const char *sciara_precision_name(enum sciara_precision precision) {
  return precision == SCIARA_DOUBLE ? "double" : precision == SCIARA_SINGLE_PRECISION ? "single" : "single, fast math";
}

const char *sciara_engine_auto(enum sciara_rule_kind rule) {
  for (size_t i = 0; i < ENTRIES; i++) {
    const struct sciara_engine_ops *ops = entries[i].ops[rule][SCIARA_DOUBLE];
    if (strcmp(entries[i].name, "cuda-fused") == 0 && ops && !(ops->probe && ops->probe())) return entries[i].name;
  }
  return SCIARA_ENGINE_AUTO_HOST;
}

#ifndef SCIARA_HAVE_CUDA // with CUDA these functions are in cuda/probe.cu

int sciara_devices(void) { return 0; }

const char *sciara_device_code(void) { return ""; }

uint64_t sciara_device_identity(int device) {
  (void)device;
  return 0;
}

bool sciara_device_describe(int device, struct sciara_device_info *out) {
  (void)device;
  *out = (struct sciara_device_info){.name = ""};
  return false;
}

#endif
