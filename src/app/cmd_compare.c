// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/compare.h"
#include "app/command.h"
#include "app/common_options.h"
#include "app/compare_observed.h"
#include "app/messages.h"
#include "app/observed.h"
#include "app/output.h"
#include "app/picture_options.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "export/target.h"
#include "model/field.h"

static const struct sciara_option options[] = {
    {"tolerance", 0, "X", "equal if |a - b| <= X max(1, |a|) for every field in every cell, and for the time"},
    SCIARA_OBSERVED_OPTIONS("compare one run with an observed extent: polygons or a raster"),
    {"min-thickness", 0, "M", "thickness up to M metres counts as no lava (default: 0)"},
    {"json", 0, NULL, "print the scores as JSON"},
    {"png", 0, "FILE", "draw hits, misses and excess on the hillshade"},
    SCIARA_PICTURE_OPTIONS("png: "),
    {"overwrite", 0, NULL, "replace the picture if it exists"},
    SCIARA_CHECKSUM_OPTION,
    {0},
};

enum { EXIT_DIFFER = 1 };

static bool same_grid(const struct sciara_grid *a, const struct sciara_grid *b) {
  return a->rows == b->rows && a->cols == b->cols && a->cell_size == b->cell_size && a->west == b->west &&
         a->north == b->north;
}

static void print_difference(const struct sciara_grid *g, const char *name, bool as_double,
                             const struct sciara_difference *d) {
  sciara_print("%-16s %-8s %10zu  %-12.6g %-12.6g %.6f", name, as_double ? "float64" : "float32", d->differing,
               d->max_absolute, d->max_relative, d->jaccard);
  if (d->differing > 0)
    sciara_print("   first in row %" PRId64 ", column %" PRId64, (int64_t)d->first / g->cols,
                 (int64_t)d->first % g->cols);
  sciara_print("\n");
}

/**
 * Compares the fields that both hold; *differ is the number of differing cells, *beyond of those outside the tolerance.
 */
static enum sciara_status compare_fields(struct sciara_target *a, struct sciara_target *b, double tolerance,
                                         size_t *differ, size_t *beyond, size_t *alone, size_t *compared) {
  const struct sciara_grid *g = &a->snapshot.grid;
  const size_t cells = (size_t)sciara_grid_cells(g);
  const bool as_double = a->snapshot.as_double && b->snapshot.as_double;
  double *va = NULL, *vb = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(va, cells, "a field"));
  SCIARA_TRY_GOTO(SCIARA_NEW(vb, cells, "a field"));
  sciara_print("%-16s %-8s %10s  %-12s %-12s %s\n", "field", "compared", "differing", "max abs", "max rel", "Jaccard");
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) {
    const bool in_a = a->snapshot.fields >> f & 1u, in_b = b->snapshot.fields >> f & 1u;
    if (in_a != in_b) (*alone)++;
    if (in_a != in_b)
      sciara_print("%-16s only in %s\n", sciara_field_name((enum sciara_field)f), in_a ? a->path : b->path);
    if (!in_a || !in_b) continue;
    SCIARA_TRY_GOTO(sciara_target_read(a, (enum sciara_field)f, va));
    SCIARA_TRY_GOTO(sciara_target_read(b, (enum sciara_field)f, vb));
    for (size_t i = 0; i < cells && !as_double; i++) { // one of the two was rounded when it was written
      va[i] = (double)(float)va[i];
      vb[i] = (double)(float)vb[i];
    }
    const struct sciara_difference d = sciara_compare_values(va, vb, cells, tolerance);
    print_difference(g, sciara_field_name((enum sciara_field)f), as_double, &d);
    (*compared)++;
    *differ += d.differing;
    *beyond += d.beyond;
  }
cleanup:
  sciara_free(va);
  sciara_free(vb);
  return status;
}

static enum sciara_status compare(struct sciara_target *a, struct sciara_target *b, const double *tolerance,
                                  bool *same) {
  if (!same_grid(&a->snapshot.grid, &b->snapshot.grid))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s and %s have different grids: %" PRId64 " x %" PRId64 " cells of %g m, %" PRId64 " x %" PRId64
                       " of %g m",
                       a->path, b->path, a->snapshot.grid.cols, a->snapshot.grid.rows, a->snapshot.grid.cell_size,
                       b->snapshot.grid.cols, b->snapshot.grid.rows, b->snapshot.grid.cell_size);
  const bool equal = a->snapshot.checksum == b->snapshot.checksum;
  sciara_print("a: %s (step %" PRIu64 ", %.17g s, %s %s)\nb: %s (step %" PRIu64 ", %.17g s, %s %s)\n", a->path,
               a->snapshot.step, a->snapshot.time_s, a->snapshot.engine ? a->snapshot.engine : "?",
               a->snapshot.precision ? a->snapshot.precision : "?", b->path, b->snapshot.step, b->snapshot.time_s,
               b->snapshot.engine ? b->snapshot.engine : "?", b->snapshot.precision ? b->snapshot.precision : "?");
  sciara_print("checksum of the whole state: %016" PRIx64 " and %016" PRIx64 ", %s\n", a->snapshot.checksum,
               b->snapshot.checksum, equal ? "the same" : "different");
  size_t differ = 0, beyond = 0, alone = 0, compared = 0;
  SCIARA_TRY(compare_fields(a, b, tolerance ? *tolerance : 0, &differ, &beyond, &alone, &compared));
  if (compared == 0) return sciara_fail(SCIARA_ERR_INPUT, "%s and %s have no field in common", a->path, b->path);
  const double ta = a->snapshot.time_s, tb = b->snapshot.time_s;
  const bool near = tolerance && beyond == 0 && alone == 0 && fabs(ta - tb) <= *tolerance * fmax(1, fabs(ta));
  *same = tolerance ? near : equal && differ == 0;
  sciara_print("%s\n", *same       ? (tolerance ? "equal within the tolerance" : "bit-identical")
                       : tolerance ? "different beyond the tolerance"
                                   : "different");
  return SCIARA_OK;
}

static enum sciara_status execute(const struct sciara_arguments *arguments, bool *same) {
  const char *text = sciara_argument(arguments, "tolerance");
  double tolerance = 0;
  if (text && (!sciara_parse_double(text, &tolerance) || tolerance < 0))
    return sciara_fail(SCIARA_ERR_USAGE, "--tolerance: expected a number >= 0, found \"%s\"", text);
  struct sciara_target a, b;
  SCIARA_TRY(sciara_target_open(arguments->operand[0], sciara_checksum_rule(arguments), &a));
  enum sciara_status status = sciara_target_open(arguments->operand[1], sciara_checksum_rule(arguments), &b);
  if (status == SCIARA_OK) {
    status = compare(&a, &b, text ? &tolerance : NULL, same);
    sciara_target_free(&b);
  }
  sciara_target_free(&a);
  return status;
}

extern const struct sciara_command sciara_cmd_compare;

/** A comparison of two states has one option, a comparison with an observation all the others. */
static enum sciara_status check_options(const struct sciara_arguments *a) {
  const bool observed = sciara_argument_given(a, "observed");
  for (size_t k = 0; k < a->given_count; k++) {
    const char *name = a->given[k].option->name;
    bool common = strcmp(name, "observed") == 0 || strcmp(name, SCIARA_ALLOW_MISSING_CHECKSUM) == 0;
    for (const struct sciara_option *o = sciara_common_options; o->name; o++)
      common = common || strcmp(name, o->name) == 0;
    if (!common && (strcmp(name, "tolerance") == 0) == observed)
      return sciara_fail(SCIARA_ERR_USAGE,
                         observed ? "--%s: not allowed with --observed" : "--%s: allowed with --observed FILE only",
                         name);
  }
  if (observed && a->operand_count != 1)
    return sciara_fail(SCIARA_ERR_USAGE, "unexpected \"%s\": with --observed only one run or snapshot is compared",
                       a->operand[1]);
  if (!observed && a->operand_count != 2)
    return sciara_fail(SCIARA_ERR_USAGE, "too few arguments; usage: sciara compare [OPTION]... %s",
                       sciara_cmd_compare.operands);
  return SCIARA_OK;
}

static int run(const struct sciara_command *command, int argc, char **argv) {
  struct sciara_arguments arguments;
  int code = sciara_arguments_parse(command, argc, argv, &arguments);
  if (code >= 0) return code;
  const enum sciara_status status = check_options(&arguments);
  if (status != SCIARA_OK) return sciara_report(status);
  if (sciara_argument_given(&arguments, "observed")) return sciara_report(sciara_compare_observed(&arguments));
  bool same = false;
  code = sciara_report(execute(&arguments, &same));
  return code == SCIARA_OK && !same ? EXIT_DIFFER : code;
}

const struct sciara_command sciara_cmd_compare = {
    .name = "compare",
    .summary = "compare two snapshots, the last ones of two runs, or one with an observed extent",
    .operands = "A B | RUN --observed FILE",
    .operand_min = 1,
    .operand_max = 2,
    .options = options,
    .details = "First the checksums of the complete states are compared, then every field that both have. Exit code 0: "
               "bit-identical\n"
               "(with --tolerance: equal within it); 1: different.\n"
               "With --observed the deposit of a run is compared with the observed extent; the exit code is then 0, "
               "whatever the\n"
               "scores.\n",
    .run = run,
};
