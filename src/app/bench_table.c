// SPDX-License-Identifier: Apache-2.0
#include "app/bench_table.h"

#include <inttypes.h>
#include <stdio.h>

#include "app/output.h"

static void print_head(const struct sciara_bench_case *c) {
  sciara_print("%s: %" PRId64 " x %" PRId64 " cells, %" PRId64
               " of them liquid, %s precision; %d repetitions from step %" PRIu64 ", verified against %s\n",
               c->name, c->rows, c->cols, c->liquid_cells, sciara_precision_name(c->precision), c->repeats,
               c->first_step, c->recorded ? "records" : "serial");
  sciara_print("  %-16s %-14s %-8s %7s %7s %12s %12s %12s %9s %10s %9s %8s %8s\n", "engine", "options", "result",
               "warm-up", "steps", "us/step", "least", "most", "ns/cell", "Mcells/s", "speedup", "GPU GB", "peak GB");
}

/** Printed after the result, never before it. */
void sciara_bench_print_row(void *context, const struct sciara_bench_case *c, const struct sciara_bench_row *row) {
  (void)context;
  if (row == c->row) print_head(c);
  sciara_print("  %-16s %-14s %-8s", row->candidate.ops->name,
               *row->candidate.options_text ? row->candidate.options_text : "-", sciara_bench_result_name(row->result));
  if (row->result == SCIARA_BENCH_VERIFIED)
    sciara_print(" %7" PRIu64 " %7" PRIu64 " %12.5g %12.5g %12.5g %9.4g %10.5g %9.4g %8.3f %8.3f\n", row->warm_up,
                 row->steps, row->us_per_step.median, row->us_per_step.least, row->us_per_step.most,
                 row->ns_per_cell_step.median, 1e-6 * row->cell_steps_per_s, row->speedup, 1e-9 * (double)row->device,
                 1e-9 * (double)row->peak);
  else
    sciara_print(" %s\n", row->why ? row->why : "");
  sciara_output_flush();
}

static void print_scaling(const struct sciara_bench_case *c) {
  bool first = true;
  for (size_t n = 0; n < c->count; n++) {
    const struct sciara_bench_row *row = &c->row[n];
    if (row->scaling <= 0) continue;
    if (first)
      sciara_print("%s: scaling relative to the fewest threads, compared with a loop that stays in registers\n",
                   c->name);
    first = false;
    sciara_print("  %-16s %-14s %6.3f times, the loop %6.3f (%.4g operations/s): %.1f %%\n", row->candidate.ops->name,
                 row->candidate.options_text, row->scaling, row->loop_scaling, row->loop_per_s,
                 100 * row->scaling / row->loop_scaling);
  }
}

void sciara_bench_print_ratios(const struct sciara_bench_report *r) {
  for (size_t k = 0; k < r->count; k++) print_scaling(&r->entry[k].measured);
  const struct sciara_bench_case *sparse = sciara_bench_case_find(r, "sparse");
  bool first = true;
  for (size_t n = 0; sparse && n < sparse->count; n++) {
    const double ratio = sciara_bench_sparse_over_tight(r, &sparse->row[n]);
    if (ratio <= 0) continue;
    if (first) sciara_print("sparse divided by tight, ns per cell-step\n");
    first = false;
    sciara_print("  %-16s %-14s %.3f\n", sparse->row[n].candidate.ops->name,
                 *sparse->row[n].candidate.options_text ? sparse->row[n].candidate.options_text : "-", ratio);
  }
}
