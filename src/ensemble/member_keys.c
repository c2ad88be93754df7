// SPDX-License-Identifier: Apache-2.0
#include "ensemble/members.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/scenario_keys.h"

/** Whether `key` is `object`, or a key in it. */
static bool is_in(const char *key, const char *object) {
  const size_t n = strlen(object);
  return strncmp(key, object, n) == 0 && strchr(".[", key[n]); // strchr also finds the end of the text
}

/** Why a member must not set a key; NULL: it may. */
static const char *reason_against(const char *key) {
  static const struct {
    const char *object, *reason;
  } refused[] = {
      {"dem", "the ground is the same in all simulations"},
      {"boundary", "it is the same in all simulations"},
      {"engine", "all simulations are computed in the same way"},
      {"output", "these simulations have no run folder"},
      {"initial", "of the lava at the start only initial.observed.volume_m3, .thickness and .temperature may differ"},
      {"run.start", "the date is the same in all simulations"},
      {"title", "these simulations have no title"},
      {"$schema", "it is not a property of a simulation"},
  };
  static const char *const allowed[] = {"dem.error", // of the shared altitudes
                                        "initial.observed.volume_m3", "initial.observed.thickness",
                                        "initial.observed.temperature"};
  for (size_t k = 0; k < sizeof allowed / sizeof *allowed; k++)
    if (is_in(key, allowed[k])) return NULL;
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
    if (is_in(key, refused[k].object)) return refused[k].reason;
  return NULL;
}

/** "vents.0.x" or "vents[0].x" as "vents[].x"; false if it is too long or has an empty part. */
static bool to_path(const char *key, char *path, size_t capacity) {
  size_t length = 0;
  for (const char *from = key; *from;) {
    const size_t part = strcspn(from, ".[]"), digits = strspn(from, "0123456789");
    if (part == 0 || length + part + 4 > capacity) return false;
    const bool index = digits == part && from != key;
    if (!index && from != key) path[length++] = '.';
    memcpy(path + length, index ? "[]" : from, index ? 2 : part);
    length += index ? 2 : part;
    from += part;
    if (*from == ']') from++;
    if (*from == '.' || *from == '[') {
      from++;
      if (!*from) return false;
    }
  }
  path[length] = '\0';
  return length > 0;
}

bool sciara_member_key_same(const char *a, const char *b) {
  static const char separators[] = ".[]";
  for (;;) {
    a += strspn(a, separators);
    b += strspn(b, separators);
    while (a[0] == '0' && isdigit((unsigned char)a[1])) a++; // 00 is 0
    while (b[0] == '0' && isdigit((unsigned char)b[1])) b++;
    const size_t part = strcspn(a, separators);
    if (part != strcspn(b, separators) || strncmp(a, b, part) != 0) return false;
    if (part == 0) return true;
    a += part;
    b += part;
  }
}

bool sciara_member_key_plain(const char *key, char *out, size_t capacity) {
  static const char separators[] = ".[]";
  size_t length = 0;
  for (key += strspn(key, separators); *key; key += strspn(key, separators)) {
    while (key[0] == '0' && isdigit((unsigned char)key[1])) key++;
    const size_t part = strcspn(key, separators);
    if (length + part + 2 > capacity) return false;
    if (length > 0) out[length++] = '.';
    memcpy(out + length, key, part);
    length += part;
    key += part;
  }
  out[length] = '\0';
  return true;
}

static enum sciara_status unknown(const char *key) {
  const char *names[512];
  char path[256];
  size_t count = 0, all;
  const struct sciara_scenario_key *keys = sciara_scenario_keys(&all);
  for (size_t k = 0; k < all && count < sizeof names / sizeof *names; k++)
    if (!reason_against(keys[k].path)) names[count++] = keys[k].path;
  const char *closest = to_path(key, path, sizeof path) ? sciara_closest_name(path, names, count) : NULL;
  if (!closest && !strchr(key, '.')) { // "cooling" for "model.cooling"
    for (size_t k = 0; k < count && !closest; k++) {
      const char *dot = strrchr(names[k], '.');
      if (dot && strcmp(dot + 1, key) == 0) closest = names[k];
    }
  }
  if (closest && strstr(closest, "[]")) // as it is written
    return sciara_fail(SCIARA_ERR_INPUT,
                       "expected a key of vents, model or run, found \"%.80s\" (did you mean \"%.*s.0%s\"?)", key,
                       (int)(strstr(closest, "[]") - closest), closest, strstr(closest, "[]") + 2);
  return sciara_fail(SCIARA_ERR_INPUT, "expected a key of vents, model or run, found \"%.80s\"%s%s%s", key,
                     closest ? " (did you mean \"" : "", closest ? closest : "", closest ? "\"?)" : "");
}

enum sciara_status sciara_member_key_check(const char *key, const struct sciara_scenario_key **entry) {
  char path[256];
  const char *reason = reason_against(key);
  if (reason)
    return sciara_fail(SCIARA_ERR_INPUT, "expected a key of vents, model or run, found \"%.80s\": %s", key, reason);
  size_t count;
  const struct sciara_scenario_key *keys = sciara_scenario_keys(&count);
  if (to_path(key, path, sizeof path))
    for (size_t k = 0; k < count; k++)
      if (strcmp(keys[k].path, path) == 0) {
        if (entry) *entry = &keys[k];
        return SCIARA_OK;
      }
  return unknown(key);
}
