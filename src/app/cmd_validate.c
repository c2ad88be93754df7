// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/common_options.h"
#include "app/messages.h"
#include "app/output.h"
#include "app/ranks.h"
#include "base/log.h"
#include "base/text.h"
#include "engine/banded.h"
#include "sim/choose_engine.h"
#include "verify/validate.h"

static const struct sciara_option options[] = {
    SCIARA_SCENARIO_OPTIONS,
    {"engines", 0, "LIST", "engines to validate, separated by commas, or all (the default; without those for tests)"},
    {"every", 0, "M", "steps between two comparisons; default: a tenth of --steps"},
    {"record", 0, "FILE",
     "write the trace of serial, a CSV file: checksum, clock and mass balance at every comparison"},
    {"against", 0, "FILE", "compare with a recorded trace instead of running serial"},
    {"json", 0, NULL, "print the result as JSON"},
    {0},
};

enum { EXIT_DIFFER = 1, MOST = 64 };

struct job {
  struct sciara_candidate candidate[MOST];
  char *why_not[MOST]; ///< of those that are not available, as in the list of engines
  size_t count;
  char *words; ///< the list of engines, split at the commas
  bool all;
  struct sciara_trace recorded;
};

static enum sciara_status add_engine(struct job *j, const char *name, const struct sciara_problem *p) {
  struct sciara_candidate c = {.name = name, .options = sciara_chosen_options(&p->engine)};
  if (j->count == MOST) return sciara_fail(SCIARA_ERR_USAGE, "--engines: found more than %d engines", MOST);
  const enum sciara_status found =
      sciara_engine_find(name, p->params.rule, sciara_chosen_precision(&p->engine), &c.ops);
  if (found != SCIARA_OK) {
    if (!j->all) return found;
    c.ops = NULL;
    c.why_not = j->why_not[j->count] = sciara_format("%s", sciara_last_error());
  } else if (sciara_engine_options_check(c.ops, &c.options) != SCIARA_OK) {
    if (!j->all) return SCIARA_ERR_USAGE;
    sciara_log(SCIARA_LOG_INFO, "%s; it runs without options", sciara_last_error());
    c.options = (struct sciara_engine_options){0};
  }
  if (c.ops) c.name = c.ops->name;
  j->candidate[j->count++] = c;
  return SCIARA_OK;
}

/** All engines but those for tests, or those of a list; a name in a list must be available. */
static enum sciara_status choose(struct job *j, const char *list, const struct sciara_problem *p) {
  j->all = !list || strcmp(list, "all") == 0;
  if (j->all) {
    size_t count;
    const struct sciara_engine_entry *entry = sciara_engine_list(&count);
    for (size_t k = 0; k < count; k++) {
      const struct sciara_engine_ops *ops = entry[k].ops[p->params.rule][SCIARA_DOUBLE];
      if (!ops || !(ops->capabilities & SCIARA_FOR_TESTS)) SCIARA_TRY(add_engine(j, entry[k].name, p));
    }
    return SCIARA_OK;
  }
  SCIARA_TRY(sciara_copy(list, "an option", &j->words));
  char *rest = j->words;
  // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): j->words keeps the text, and is freed by its owner
  for (char *name = strsep(&rest, ","); name; name = strsep(&rest, ",")) SCIARA_TRY(add_engine(j, name, p));
  return SCIARA_OK;
}

/** On several processes: the one engine of the list in bands, compared with serial in this process. */
static enum sciara_status divide(struct job *j) {
  static struct sciara_engine_ops banded;
  struct sciara_candidate *c = &j->candidate[0];
  if (j->count != 1 || !c->ops || !c->ops->phases)
    return sciara_fail(
        SCIARA_ERR_USAGE,
        "on %d processes: expected --engines with one engine that computes bands; 'sciara engines' lists "
        "them after \"bands:\"",
        sciara_ranks()->size);
  c->inner = c->ops;
  banded = sciara_banded_ops(c->inner);
  c->ops = &banded;
  sciara_log(SCIARA_LOG_INFO, "engine %s in bands on %d ranks", c->name, sciara_ranks()->size);
  return SCIARA_OK;
}

// --------------------------------------------------------------------------------------------------------------- text

static const char *word_of(const struct sciara_engine_result *v) {
  return v->skipped ? "skipped" : v->passed ? "passed" : "FAILED";
}

/** The limits for tolerance engines. */
static void print_spread(const struct sciara_validation *v) {
  const struct sciara_tolerance *s = &v->spread, allowed = sciara_validation_allowed(v);
  bool any = false;
  for (size_t k = 0; k < v->count; k++)
    any = any || (!v->result[k].skipped && v->result[k].determinism == SCIARA_TOLERANCE);
  if (!any) return;
  sciara_print(
      "different orders of additions, at the same simulated time: Jaccard index at least %.6f, at most %.2g of the "
      "lava elsewhere; limits %.6f and %.2g\n",
      1 - s->covered, s->misplaced, 1 - allowed.covered, allowed.misplaced);
}

static void print_validation_text(const struct sciara_validation *v) {
  sciara_print("%-16s %-9s %-7s %9s %9s %10s %8s %8s %8s %9s %9s %9s\n", "engine", "class", "result", "steps",
               "differ at", "max abs m", "in 10 %", "in 1 %", "in 1e-9", "Jaccard", "ledger", "compute s");
  for (size_t k = 0; k < v->count; k++) {
    const struct sciara_engine_result *e = &v->result[k];
    sciara_print("%-16s %-9s %-7s", e->engine,
                 e->skipped                       ? "-"
                 : e->determinism == SCIARA_EXACT ? "exact"
                                                  : "tolerance",
                 word_of(e));
    if (e->skipped) {
      sciara_print(" %s\n", e->why ? e->why : "");
      continue;
    }
    char at[24] = "never";
    if (e->first_differing) snprintf(at, sizeof at, "%" PRIu64, e->first_differing);
    sciara_print(" %9" PRIu64 " %9s", e->step, at);
    if (v->against)
      sciara_print(" %10s %8s %8s %8s %9s", "-", "-", "-", "-", "-");
    else
      sciara_print(" %10.3g %8.4f %8.4f %8.4f %9.6f", e->last.max_absolute, e->last.covered_within[0],
                   e->last.covered_within[1], e->last.covered_within[2], e->last.jaccard);
    sciara_print(" %9.2g %9.2f\n", e->ledger_relative, e->compute_s);
    if (e->first_differing && e->first.row >= 0)
      sciara_print("  first difference, found after step %" PRIu64 ": %s in row %" PRId64 ", column %" PRId64
                   "; %zu %s after that step, %zu at the end\n",
                   e->first_differing, e->first.field, e->first.row, e->first.col, e->first.differing,
                   sciara_plural(e->first.differing, "cell differs", "cells differ"), e->last.differing);
    if (e->first_differing)
      sciara_print("  at the end: clock %.17g s, reference %.17g s; simulated time %.17g s, reference %.17g s\n",
                   e->clock, e->reference_clock, e->time, e->reference_time);
    if (e->why) sciara_print("  %s\n", e->why);
  }
  if (v->against) {
    sciara_print("for tolerance engines only the mass balance is compared with a trace\n");
    return;
  }
  print_spread(v);
  sciara_print("serial: %.2f s; compared every %" PRIu64 " steps\n", v->reference_s, v->every);
}

// --------------------------------------------------------------------------------------------------------------- JSON

static void put_shares(struct sciara_text *t, const char *key, const double share[SCIARA_DIFFERENCE_LIMITS]) {
  sciara_text_append(t, ", \"%s\": [%.9g, %.9g, %.9g]", key, share[0], share[1], share[2]);
}

static void put_engine(struct sciara_text *t, const struct sciara_validation *v, const struct sciara_engine_result *e) {
  sciara_text_append(t, "    {\"engine\": \"%s\"", e->engine);
  sciara_put_json_text(t, ", ", "result", word_of(e));
  sciara_put_json_text(t, ", ", "why", e->why);
  if (!e->skipped) {
    sciara_put_json_text(t, ", ", "class", e->determinism == SCIARA_EXACT ? "exact" : "tolerance");
    sciara_put_json_number(t, ", ", "step", (double)e->step);
    if (e->first_differing) {
      sciara_text_append(t, ", \"first_difference\": {\"seen_after_step\": %" PRIu64, e->first_differing);
      sciara_put_json_text(t, ", ", "field", e->first.field);
      sciara_put_json_number(t, ", ", "row", (double)e->first.row);
      sciara_put_json_number(t, ", ", "col", (double)e->first.col);
      sciara_text_append(t, "}");
    } else {
      sciara_put_json_text(t, ", ", "first_difference", NULL);
    }
    sciara_put_json_number(t, ", ", "time_s", e->time);
    sciara_put_json_number(t, ", ", "clock_s", e->clock);
    sciara_put_json_number(t, ", ", "reference_time_s", e->reference_time);
    sciara_put_json_number(t, ", ", "reference_clock_s", e->reference_clock);
    sciara_put_json_number(t, ", ", "ledger_residual_m3", e->ledger.residual_m3);
    sciara_put_json_number(t, ", ", "ledger_relative", e->ledger_relative);
    sciara_put_json_number(t, ", ", "compute_s", e->compute_s);
  }
  if (!e->skipped && !v->against) {
    sciara_put_json_number(t, ", ", "cells_differing", (double)e->last.differing);
    sciara_put_json_number(t, ", ", "max_abs_m", e->last.max_absolute);
    sciara_put_json_number(t, ", ", "max_rel", e->last.max_relative);
    put_shares(t, "covered_within", e->last.covered_within);
    put_shares(t, "all_within", e->last.all_within);
    sciara_put_json_number(t, ", ", "jaccard", e->last.jaccard);
    sciara_put_json_number(t, ", ", "misplaced", e->last.misplaced);
  }
  sciara_text_append(t, "}");
}

static enum sciara_status print_validation_json(const struct sciara_validation *v) {
  struct sciara_text t = {0};
  sciara_text_append(&t, "{\n  \"precision\": \"%s\"", sciara_precision_name(v->precision));
  sciara_put_json_number(&t, ", ", "steps", (double)v->steps);
  sciara_put_json_number(&t, ", ", "every", (double)v->every);
  sciara_put_json_number(&t, ", ", "reference_compute_s", v->reference_s);
  const struct sciara_tolerance allowed = sciara_validation_allowed(v);
  sciara_put_json_number(&t, ", ", "allowed_jaccard", 1 - allowed.covered);
  sciara_put_json_number(&t, ", ", "allowed_misplaced", allowed.misplaced);
  sciara_text_append(&t, ",\n  \"engines\": [\n");
  for (size_t k = 0; k < v->count; k++) {
    put_engine(&t, v, &v->result[k]);
    sciara_text_append(&t, k + 1 < v->count ? ",\n" : "\n");
  }
  return sciara_print_text(sciara_text_append(&t, "  ]\n}\n"), &t);
}

// ---------------------------------------------------------------------------------------------------------- the whole

static enum sciara_status take_steps(const struct sciara_arguments *arguments, struct sciara_validation *v,
                                     const struct sciara_trace *recorded) {
  const struct sciara_scenario_spec *s = &v->problem->source->scenario;
  v->steps = s->run.max_steps;
  if (v->against && v->steps == UINT64_MAX) v->steps = recorded->row[recorded->count - 1].step;
  if (v->steps == UINT64_MAX)
    return sciara_fail(SCIARA_ERR_USAGE, "--steps N is missing (the scenario has no run.max_steps)");
  double number = (double)(v->steps / 10 > 0 ? v->steps / 10 : 1);
  SCIARA_TRY(sciara_take_whole("every", sciara_argument(arguments, "every"), 1, 0x1p53, &number));
  v->every = (uint64_t)number;
  return SCIARA_OK;
}

/** SCIARA_ERR_INPUT, naming the difference, if two traces are of different computations. */
static enum sciara_status trace_same(const struct sciara_trace *mine, const struct sciara_trace *file,
                                     const char *path) {
  const char *what = mine->dem != file->dem                          ? "DEM"
                     : strcmp(mine->precision, file->precision) != 0 ? "precision"
                     : mine->parameters != file->parameters          ? "set of parameters"
                     : mine->vents != file->vents                    ? "set of vents"
                     : mine->start != file->start                    ? "state at the start"
                                                                     : NULL;
  if (!what) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: the %s of the trace differs from that of the scenario", path, what);
}

static enum sciara_status validate(const struct sciara_arguments *arguments, const struct sciara_problem *p,
                                   struct job *j, bool *passed) {
  const char *record = sciara_argument(arguments, "record"), *against = sciara_argument(arguments, "against");
  struct sciara_validation v = {.problem = p, .precision = sciara_chosen_precision(&p->engine)};
  if (sciara_argument_given(arguments, "engine"))
    return sciara_fail(SCIARA_ERR_USAGE, "--engine: validate takes several engines: --engines LIST");
  if (record && against)
    return sciara_fail(SCIARA_ERR_USAGE, "--record and --against: expected only one of them, found both");
  if (v.precision == SCIARA_DOUBLE && p->engine.fast_math)
    return sciara_fail(SCIARA_ERR_USAGE, "--fast-math: allowed only with --precision single");
  SCIARA_TRY(choose(j, sciara_argument(arguments, "engines"), p));
  if (sciara_ranks()) SCIARA_TRY(divide(j));
  if (against) {
    struct sciara_trace mine;
    SCIARA_TRY(sciara_trace_read(against, &j->recorded));
    sciara_trace_begin(p, v.precision, &mine);
    SCIARA_TRY(trace_same(&mine, &j->recorded, against));
    v.against = &j->recorded;
  }
  SCIARA_TRY(take_steps(arguments, &v, &j->recorded));
  enum sciara_status status = sciara_validate(&v, j->candidate, j->count);
  if (status == SCIARA_OK) {
    if (sciara_argument_given(arguments, "json"))
      status = print_validation_json(&v);
    else
      print_validation_text(&v);
  }
  *passed = true;
  for (size_t k = 0; k < v.count; k++) *passed = *passed && (v.result[k].passed || v.result[k].skipped);
  if (status == SCIARA_OK && record) status = sciara_trace_write(&v.trace, record);
  sciara_validation_free(&v);
  return status;
}

static int run_validate(const struct sciara_arguments *arguments) {
  struct sciara_scenario_additions additions;
  struct sciara_diagnostics diagnostics = {0};
  struct sciara_problem problem = {0};
  struct job job = {.count = 0};
  bool passed = false;
  int code = sciara_report(sciara_additions_make(arguments, &additions));
  if (code == SCIARA_OK) {
    struct sciara_problem_options how = sciara_additions_options(&additions);
    how.any_engine = true; // --engines says which ones
    sciara_problem_open_all(arguments->operand[0], &how, &problem, &diagnostics);
    code = sciara_report_all(&diagnostics);
  }
  problem.comm = sciara_ranks();
  if (code == SCIARA_OK) code = sciara_report(validate(arguments, &problem, &job, &passed));
  sciara_trace_free(&job.recorded);
  for (size_t k = 0; k < job.count; k++) free(job.why_not[k]);
  free(job.words);
  sciara_problem_free(&problem);
  sciara_diagnostics_free(&diagnostics);
  sciara_additions_free(&additions);
  return code == SCIARA_OK && !passed ? EXIT_DIFFER : code;
}

const struct sciara_command sciara_cmd_validate = {
    .name = "validate",
    .ranks = SCIARA_ALL_RANKS,
    .summary = "run engines and compare their results with those of serial",
    .operands = "SCENARIO",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details =
        "Exit code 0: every engine that was run passed; 1: an exact engine is not bit-identical to serial of the same "
        "precision,\n"
        "or a tolerance engine differs by more than its limits. Writes no file except that of --record.\n",
    .run = run_validate,
};
