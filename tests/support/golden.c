// SPDX-License-Identifier: Apache-2.0
#include "support/golden.h"

#include <stdarg.h>

static void die(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  exit(1);
}

static FILE *open_case(const char *suffix) {
  char path[4096];
  snprintf(path, sizeof path, SCIARA_SOURCE_DIR "/tests/golden/%s", suffix);
  FILE *f = fopen(path, "rb");
  if (!f) die("cannot open %s", path);
  return f;
}

static FILE *open_file(const char *name, const char *rest) {
  char suffix[256];
  snprintf(suffix, sizeof suffix, "%s%s", name, rest);
  return open_case(suffix);
}

/** The name of the files of a case: that of the rule, unless it is fv3, before that of the case. */
static struct case_name { char text[64]; } name_in(enum sciara_rule_kind rule, const char *name) {
  struct case_name out;
  snprintf(out.text, sizeof out.text, "%s%s%s", rule == SCIARA_RULE_FV3 ? "" : sciara_rule_name(rule),
           rule == SCIARA_RULE_FV3 ? "" : "_", name);
  return out;
}

static double number(FILE *f) {
  double v;
  if (fscanf(f, "%lf", &v) != 1) die("a golden file ends early");
  return v;
}

static void load_dem(const char *name, unsigned record, struct scene *c) {
  FILE *f = open_file(name, ".asc");
  struct sciara_grid grid = {0};
  double south = 0, nodata = 0;
  for (int k = 0; k < 6; k++) {
    char key[32];
    if (fscanf(f, "%31s", key) != 1) die("%s.asc: short header", name);
    const double v = number(f);
    if (!strcmp(key, "ncols"))
      grid.cols = (int64_t)v;
    else if (!strcmp(key, "nrows"))
      grid.rows = (int64_t)v;
    else if (!strcmp(key, "xllcorner"))
      grid.west = v;
    else if (!strcmp(key, "yllcorner"))
      south = v;
    else if (!strcmp(key, "cellsize"))
      grid.cell_size = v;
    else
      nodata = v;
  }
  grid.north = south + (double)grid.rows * grid.cell_size;
  const size_t cells = (size_t)sciara_grid_cells(&grid);
  double *z = malloc(cells * sizeof *z);
  uint8_t *valid = malloc(cells);
  for (size_t i = 0; i < cells; i++) {
    z[i] = number(f);
    valid[i] = z[i] != nodata;
  }
  fclose(f);
  if (sciara_state_create(&grid, z, valid, record, &c->state) != SCIARA_OK) die("%s", sciara_last_error());
  free(z);
  free(valid);
}

static void load_params(const char *name, enum sciara_rule_kind rule, struct scene *c) {
  static const struct {
    const char *key;
    size_t offset;
  } keys[] = {
      {"del", offsetof(struct sciara_params, cooling)},      {"hs", offsetof(struct sciara_params, hc_sol)},
      {"hv", offsetof(struct sciara_params, hc_vent)},       {"dPs", offsetof(struct sciara_params, dP_sol)},
      {"dPv", offsetof(struct sciara_params, dP_vent)},      {"ev", offsetof(struct sciara_params, viscosity_vent)},
      {"es", offsetof(struct sciara_params, viscosity_sol)}, {"yv", offsetof(struct sciara_params, yield_vent)},
      {"ys", offsetof(struct sciara_params, yield_sol)},     {"share", offsetof(struct sciara_params, radiating)},
      {"Cf", offsetof(struct sciara_params, friction)}};
  c->params = sciara_params_of_rule(rule);
  c->boundary = SCIARA_BOUNDARY_OPEN;
  FILE *f = open_file(name_in(rule, name).text, "_params.txt");
  char key[32];
  while (fscanf(f, "%31s", key) == 1) {
    const double v = number(f);
    bool known = !strcmp(key, "closed") || (!strcmp(key, "rule") && (int)v == (int)rule);
    if (!strcmp(key, "closed")) c->boundary = v ? SCIARA_BOUNDARY_CLOSED : SCIARA_BOUNDARY_OPEN;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
      if (!strcmp(key, keys[k].key)) {
        memcpy((char *)&c->params + keys[k].offset, &v, sizeof v);
        known = true;
      }
    if (!known) die("%s_params.txt: unknown key %s", name, key);
  }
  fclose(f);
}

static void load_vents(const char *name, struct scene *c) {
  FILE *f = open_file(name, "_vents.txt");
  const double slot = number(f);
  const int vents = (int)number(f);
  c->vents = sciara_vents_create();
  for (int v = 0; v < vents; v++) {
    const int64_t row = (int64_t)number(f), col = (int64_t)number(f), slots = (int64_t)number(f);
    double edges[64], rates[64];
    if (slots > 63) die("%s_vents.txt: too many slots", name);
    for (int64_t k = 0; k < slots; k++) rates[k] = number(f);
    for (int64_t k = 0; k <= slots; k++) edges[k] = (double)k * slot;
    if (sciara_vents_add(c->vents, row, col, slots, edges, rates) != SCIARA_OK) die("%s", sciara_last_error());
  }
  fclose(f);
}

void golden_load(const char *name, enum sciara_rule_kind rule, unsigned record, struct scene *out) {
  load_dem(name, record, out);
  load_params(name, rule, out);
  load_vents(name, out);
  out->state->clock = out->params.t_first;
}

double *golden_read(const char *name, enum sciara_rule_kind rule, int steps, const char *what, size_t *count) {
  char rest[64];
  snprintf(rest, sizeof rest, "_%d_%s.f64", steps, what);
  FILE *f = open_file(name_in(rule, name).text, rest);
  fseek(f, 0, SEEK_END);
  const long bytes = ftell(f);
  rewind(f);
  double *values = malloc((size_t)bytes + 1);
  *count = (size_t)bytes / sizeof *values;
  if (fread(values, sizeof *values, *count, f) != *count) die("%s%s: short", name, rest);
  fclose(f);
  return values;
}
