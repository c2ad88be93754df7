// SPDX-License-Identifier: Apache-2.0
#include "app/common_options.h"

#include <string.h>

#include "base/text.h"
#include "file/output_name.h"
#include "model/field.h"

enum sciara_checksum_rule sciara_checksum_rule(const struct sciara_arguments *a) {
  return sciara_argument_given(a, SCIARA_ALLOW_MISSING_CHECKSUM) ? SCIARA_CHECKSUM_OPTIONAL : SCIARA_CHECKSUM_REQUIRED;
}

enum sciara_status sciara_check_extension(const char *option, const char *path, const char *const *extensions) {
  struct sciara_text all = {0};
  for (const char *const *e = extensions; *e; e++) {
    if (sciara_has_extension(path, *e)) {
      sciara_text_free(&all);
      return SCIARA_OK;
    }
    sciara_text_append(&all, "%s.%s", e == extensions ? "" : " or ", *e);
  }
  sciara_fail(SCIARA_ERR_USAGE, "--%s: expected a name that ends in %s, found \"%s\"", option,
              all.data ? all.data : "another extension", path);
  sciara_text_free(&all);
  return SCIARA_ERR_USAGE;
}

/** Short names of some fields. */
static const char *unalias(const char *name) {
  if (strcmp(name, "liquid") == 0) return sciara_field_name(SCIARA_FIELD_THICKNESS);
  if (strcmp(name, "solid") == 0) return sciara_field_name(SCIARA_FIELD_SOLID_THICKNESS);
  if (strcmp(name, "arrival") == 0) return sciara_field_name(SCIARA_FIELD_ARRIVAL_TIME);
  return name;
}

enum sciara_status sciara_field_parse(const char *name, enum sciara_field *out) {
  *out = sciara_field_find(unalias(name));
  if (*out != SCIARA_FIELD_COUNT) return SCIARA_OK;
  const char *names[SCIARA_FIELD_COUNT];
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) names[f] = sciara_field_name((enum sciara_field)f);
  const char *closest = sciara_closest_name(name, names, SCIARA_FIELD_COUNT);
  if (closest) return sciara_fail(SCIARA_ERR_USAGE, "there is no field \"%s\"; did you mean \"%s\"?", name, closest);
  struct sciara_text all = {0};
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) sciara_text_append(&all, "%s%s", f ? ", " : "", names[f]);
  sciara_fail(SCIARA_ERR_USAGE, "there is no field \"%s\"; the fields are %s", name, all.data ? all.data : "others");
  sciara_text_free(&all);
  return SCIARA_ERR_USAGE;
}
