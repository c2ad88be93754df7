// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/common_options.h"
#include "app/messages.h"
#include "app/output.h"
#include "app/ranks.h"
#include "app/session.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "engine/banded.h"
#include "engine/device_info.h"
#include "file/durable.h"
#include "model/tower.h"
#include "setup/cost.h"
#include "setup/outflow.h"
#include "sim/choose_engine.h"

static const struct sciara_option options[] = {
    {"ranks", 0, "N",
     "processes of MPI that will compute it: show their bands; default: those that the launcher started"},
    {"no-estimate", 0, NULL, "do not run a short probe to estimate steps and time of the run"},
    SCIARA_SCENARIO_OPTIONS,
    {0},
};

// ------------------------------------------------------------------------------------------------------------ vents

/** Volume of the cells first .. first + count - 1, m3. */
static double volume_of(const struct sciara_vents *v, const struct sciara_placement *at) {
  double sum = 0;
  for (int64_t k = v->first[at->first]; k < v->first[at->first + at->count]; k++)
    sum += v->rate[k] * (v->end[k] - v->begin[k]);
  return sum;
}

/** Whether the cells of a vent can pass on what it emits. */
static void print_outflow(const struct sciara_problem *p, size_t k, const struct sciara_outflow *o) {
  const char *key = p->source->scenario.vents[k].place == SCIARA_VENT_LINE ? "width_m" : "radius_m";
  sciara_print("    x = %.2g at the peak rate of %.6g m3/s", o->x, o->peak);
  if (o->group > 1) sciara_print(" of the %zu vents in this cell", o->group);
  if (isfinite(o->height))
    sciara_print(", stands about %.2g m above flat ground", o->height);
  else
    sciara_print(", piles up without bound");
  if (o->x > SCIARA_TOWER_AIM)
    sciara_print("; x = %g with %s = %.3g or dem.cell_size_m = %.3g", SCIARA_TOWER_AIM, key, o->reach, o->cell_size);
  sciara_print("\n");
  if (sciara_outflow_surges(p, o))
    sciara_print("    up to %.2g m come up at once in a cell while no lava flows; one side of a cell with "
                 "model.clock_max_s = %.3g\n",
                 o->surge, o->clock_max);
}

/** @param outflow NULL: the rule has no towers, or nothing is known */
static void print_vent(const struct sciara_problem *p, size_t k, const struct sciara_outflow *outflow) {
  const struct sciara_placement *at = &p->source->placed[k];
  const struct sciara_grid *g = &p->grid;
  if (at->count == 0) return; // already reported as a problem
  const int64_t row = p->vents->row[at->first], col = p->vents->col[at->first];
  sciara_print("  %-16s row %5" PRId64 ", column %5" PRId64 ", x %.10g, y %.10g, altitude %.7g m, %.6g m3",
               p->source->scenario.vents[k].name, row, col, g->west + ((double)col + 0.5) * g->cell_size,
               g->north - ((double)row + 0.5) * g->cell_size, at->altitude, volume_of(p->vents, at));
  if (p->source->scenario.vents[k].place == SCIARA_VENT_LINE || p->source->scenario.vents[k].reach_m > 0)
    sciara_print(" from %" PRId64 " %s, of which this is the first", at->count,
                 sciara_plural((uint64_t)at->count, "cell", "cells"));
  sciara_print("\n");
  if (outflow) print_outflow(p, k, outflow);
}

static void print_vents(const struct sciara_problem *p, struct sciara_diagnostics *diagnostics) {
  char in_run[SCIARA_SESSION_EMISSION];
  struct sciara_outflow *outflow = NULL;
  sciara_session_emission(p, in_run);
  sciara_print("vents:         %zu, %.6g m3 in all, until %s%s\n", p->source->scenario.vent_count,
               sciara_vents_total(p->vents), SCIARA_DURATION(sciara_vents_end(p->vents)), in_run);
  if (sciara_has_towers(&p->params)) sciara_diagnostics_add(diagnostics, sciara_outflows_of(p, &outflow));
  for (size_t k = 0; k < p->source->scenario.vent_count; k++) print_vent(p, k, outflow ? &outflow[k] : NULL);
  sciara_free(outflow);
}

// ----------------------------------------------------------------------------------------------------------- memory

static void print_size(const char *what, size_t bytes) {
  sciara_print("  %-12s %10.1f MB\n", what, (double)bytes * 1e-6);
}

/** Memory of a GPU, and what is free on the fullest of those that the engine takes. */
static void print_device(const struct sciara_problem *p) {
  const struct sciara_size_estimate *f = &p->source->size;
  const int first = p->engine.device, count = f->gpus > 1 ? f->gpus : 1;
  struct sciara_device_info gpu;
  size_t least = SIZE_MAX;
  if (f->device == 0) {
    sciara_print("device memory: none\n");
    return;
  }
  sciara_print("device memory: %.1f MB", (double)f->device * 1e-6);
  if (f->gpus > 1) sciara_print(" on each of %d GPUs", f->gpus);
  for (int k = first; k < first + count; k++)
    if (sciara_device_describe(k, &gpu) && gpu.free_memory < least) least = gpu.free_memory;
  if (least < SIZE_MAX)
    sciara_print(", %.0f MB are free%s", (double)least * 1e-6, f->device > least ? ": it does not fit" : "");
  sciara_print("\n");
}

/** The bands of several processes: their rows at the start, and what each of them takes. */
static void print_band_sizes(const struct sciara_problem *p) {
  const struct sciara_size_estimate *f = &p->source->size;
  const struct sciara_engine_ops *ops;
  struct sciara_cuts cuts;
  int64_t least = INT64_MAX, most = 0;
  if (f->ranks < 2 || sciara_engine_choose(&p->engine, p->params.rule, p->notes, &ops) != SCIARA_OK || !p->state)
    return;
  if (f->band == 0) {
    sciara_print("bands:         none: engine auto computes in one of the %d processes\n", f->ranks);
    return;
  }
  if (sciara_banded_cuts(p->state, f->ranks, ops->phases->tile_rows, &cuts) != SCIARA_OK) return;
  for (int k = 0; k < cuts.count; k++) {
    const int64_t rows = cuts.first[k + 1] - cuts.first[k];
    if (rows < least) least = rows;
    if (rows > most) most = rows;
  }
  sciara_print("bands:         %d on %d processes, of %" PRId64, cuts.count, f->ranks, least);
  if (most > least) sciara_print(" to %" PRId64, most);
  sciara_print(" rows at the start\n");
  print_size("process 0", sciara_size_estimate_host(f));
  print_size("each other", f->band);
  print_size("all", sciara_size_estimate_host(f) + (size_t)(f->ranks - 1) * f->band);
}

static void print_memory(const struct sciara_problem *p) {
  const struct sciara_size_estimate *f = &p->source->size;
  const char *name = p->engine.name;
  sciara_print("engine:        %s%s%s, %s precision\n",
               strcmp(name, "auto") == 0 ? sciara_engine_auto(p->params.rule) : name,
               strcmp(name, "auto") == 0 ? " (chosen by auto)" : "", f->engine_known ? "" : " (its memory is unknown)",
               sciara_precision_name(sciara_chosen_precision(&p->engine)));
  sciara_print("host memory:   %.1f MB at most, ", (double)sciara_size_estimate_host(f) * 1e-6);
  if (f->available > 0)
    sciara_print("%.0f MB are free\n", (double)f->available * 1e-6);
  else
    sciara_print("free memory unknown\n");
  print_size("program", f->program);
  print_size("ground", f->site);
  print_size("state", f->state);
  print_size("engine", f->engine);
  print_size("files", f->writing);
  print_device(p);
  print_band_sizes(p);
}

// ---------------------------------------------------------------------------------------------------------- outputs

static void print_names(const char *title, unsigned fields, const char *suffix) {
  const char *glue = "";
  sciara_print("%s", title);
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) {
    if (!(fields >> f & 1u)) continue;
    sciara_print("%s%s", glue, sciara_field_name((enum sciara_field)f));
    glue = ", ";
  }
  sciara_print("%s%s\n", fields ? "" : "none", suffix);
}

static void print_end(const struct sciara_scenario_spec *s) {
  const struct sciara_until_rule at = {.before = "", .after = ""},
                                 *rule = s->run.until == SCIARA_UNTIL_TIME ? &at : &sciara_until_rules[s->run.until];
  sciara_print("end:           %s%s%s", rule->before,
               rule == &at || *rule->after ? SCIARA_DURATION(rule == &at ? s->run.until_s : s->run.rest_s) : "",
               rule->after);
  if (isfinite(s->run.max_time_s)) sciara_print(", at the latest after %s", SCIARA_DURATION(s->run.max_time_s));
  if (s->run.max_steps != UINT64_MAX)
    sciara_print(", at the latest after %" PRIu64 " %s", s->run.max_steps,
                 sciara_plural(s->run.max_steps, "step", "steps"));
  sciara_print("\n");
}

static void print_snapshots(const struct sciara_scenario_spec *s, const struct sciara_size_estimate *f) {
  const char *every = SCIARA_DURATION(s->output.every_s);
  if (!(s->output.every_s > 0))
    sciara_print("snapshots:     1, of the final state\n");
  else if (isfinite(f->snapshots))
    sciara_print("snapshots:     at most %.0f, one every %s and one at the end\n", f->snapshots, every);
  else
    sciara_print("snapshots:     one every %s and one at the end, %.0f of them while the vents emit\n", every,
                 f->snapshots_while_vent);
  print_names("  fields       ", s->output.fields, s->output.as_double ? " (float64)" : " (float32)");
  sciara_print("  size         about %.2f MB each once all lava has been emitted, at most %.2f MB\n",
               (double)f->snapshot * 1e-6, (double)f->snapshot_most * 1e-6);
  if (isfinite(f->snapshots) && f->snapshots > 1)
    sciara_print("  total        about %.1f MB\n", f->snapshots * (double)f->snapshot * 1e-6);
}

/** Warns of more snapshots than the disk of the folder has room for. */
static void warn_disk(const struct sciara_problem *p) {
  const struct sciara_scenario_spec *s = &p->source->scenario;
  const double room = sciara_disk_free(s->output.folder),
               need = p->source->size.snapshots * (double)p->source->size.snapshot;
  if (!(room > 0) || !isfinite(need) || need <= room) return;
  sciara_log(SCIARA_LOG_WARNING,
             "%s: output.every: the snapshots do not fit on the disk: with one at each interval they take about %s, "
             "and %s are free; expected a longer interval, or fewer output.fields",
             s->path, SCIARA_BYTES(need), SCIARA_BYTES(room));
}

static void print_checkpoint_size(const struct sciara_scenario_spec *s, const struct sciara_size_estimate *f) {
  const double every = s->output.checkpoint_every_s, wall = s->output.checkpoint_wall_s;
  if (!(every > 0) && !(wall > 0))
    sciara_print("checkpoints:   when a signal stops the run or requests one");
  else
    sciara_print("checkpoints:   every %s%s%s%s, the last two are retained", every > 0 ? SCIARA_DURATION(every) : "",
                 every > 0 && wall > 0 ? " and every " : "", wall > 0 ? SCIARA_DURATION(wall) : "",
                 wall > 0 ? " of wall-clock time" : "");
  if (s->output.keep_all || s->output.keep_every_s > 0)
    sciara_print(" and %s%s", s->output.keep_all ? "all others" : "one every ",
                 s->output.keep_all ? "" : SCIARA_DURATION(s->output.keep_every_s));
  sciara_print("; about %.2f MB each once all lava has been emitted\n", (double)f->checkpoint * 1e-6);
}

static void print_outputs(const struct sciara_problem *p) {
  const struct sciara_scenario_spec *s = &p->source->scenario;
  bool exists = false, empty = true;
  const bool usable = sciara_folder_is_empty(s->output.folder, &exists, &empty) == SCIARA_OK;
  sciara_print("output folder: %s%s\n", s->output.folder,
               !usable   ? " (not usable as a folder: run will fail)"
               : !exists ? ""
               : empty   ? " (exists, empty)"
                         : " (not empty: run will require --overwrite)");
  print_snapshots(s, &p->source->size);
  print_checkpoint_size(s, &p->source->size);
  print_names("maps:          ", s->output.maps, "");
  sciara_print("other files:   run.json, run.log, dem.tif, series.nc\n");
}

/** Describes the run of a scenario whose size is known: in others defaults replace what was wrong. */
static void print_report(const struct sciara_problem *p, struct sciara_diagnostics *diagnostics) {
  const struct sciara_scenario_spec *s = &p->source->scenario;
  sciara_print("scenario:      %s\n", s->path);
  if (s->title) sciara_print("title:         %s\n", s->title);
  sciara_print("rule:          %s\n", sciara_rule_name(s->params.rule));
  sciara_print("DEM:           %s\n", s->dem.path);
  if (s->dem.error.sd_m > 0)
    sciara_print("               with random errors: standard deviation %g m, correlation length %g m, seed %" PRIu64
                 "\n",
                 s->dem.error.sd_m, s->dem.error.correlation_m, s->dem.error.seed);
  sciara_print_grid(&p->grid, &p->source->georef);
  print_vents(p, diagnostics);
  print_memory(p);
  print_end(s);
  print_outputs(p);
}

static const double PROBE_SECONDS = 1;

/** A duration of some seconds to days, with two digits: "1.5 s", "12 min", "3 h", "2.1 d". */
static void print_short(double seconds, char *text, size_t size) {
  static const struct {
    double least, unit;
    const char *name;
  } units[] = {{2 * 86400, 86400, "d"}, {2 * 3600, 3600, "h"}, {120, 60, "min"}, {0, 1, "s"}};
  int k = 0;
  while (seconds < units[k].least) k++;
  snprintf(text, size, "%.2g %s", seconds / units[k].unit, units[k].name);
  if (seconds / units[k].unit >= 99.5) snprintf(text, size, "%.0f %s", seconds / units[k].unit, units[k].name);
}

/** Steps and time of the run, whose problem is used up; an estimate that cannot be made is no problem of the scenario. */
static void print_time_estimate(struct sciara_problem *p) {
  struct sciara_time_estimate e;
  const enum sciara_status status = sciara_time_estimate_make(p, PROBE_SECONDS, &e);
  if (!e.made) {
    sciara_print("estimate:      none (%s)\n",
                 status != SCIARA_OK ? sciara_last_error() : "the DEM is too large for a short probe");
    return;
  }
  static const char *const until[] = {
      [SCIARA_ESTIMATE_NOTHING] = "",
      [SCIARA_ESTIMATE_END] = "the end",
      [SCIARA_ESTIMATE_STEPS] = "run.max_steps",
      [SCIARA_ESTIMATE_VENTS] = "the end of the emission",
      [SCIARA_ESTIMATE_GROUND] = "the last change of the ground",
  };
  char time[48], simulated[48], then[48], what[96];
  print_short(e.until == SCIARA_ESTIMATE_NOTHING ? e.wall : e.until_wall_s, time, sizeof time);
  print_short(e.time, simulated, sizeof simulated);
  print_short(e.until_s, then, sizeof then);
  snprintf(what, sizeof what, "%s", until[e.until]);
  if (e.until != SCIARA_ESTIMATE_STEPS) snprintf(what, sizeof what, "%s (%s)", until[e.until], then);
  if (e.whole)
    sciara_print("estimate:      %" PRIu64 " steps, simulated %s; a probe computed all of it in %s", e.steps, simulated,
                 time);
  else if (e.until == SCIARA_ESTIMATE_NOTHING)
    sciara_print("estimate:      unknown; the first %" PRIu64 " steps (simulated %s) took %s", e.steps, simulated,
                 time);
  else
    sciara_print("estimate:      %s until %s, at the speed of the first %" PRIu64
                 " steps (simulated %s), longer as lava spreads;",
                 time, what, e.steps, simulated);
  sciara_print(" with up to %d %s\n", e.threads, sciara_plural((uint64_t)e.threads, "thread", "threads"));
}

/** The processes of the option, else those that the launcher started. 0: the option is no number of processes. */
static int ranks_of(const struct sciara_arguments *arguments, int launched) {
  const char *text = sciara_argument(arguments, "ranks");
  double value;
  if (!text) return launched > 1 ? launched : 1;
  if (sciara_parse_double(text, &value) && value >= 1 && value <= SCIARA_MOST_BANDS && value == floor(value))
    return (int)value;
  sciara_error("--ranks: expected a whole number, 1 to %d, found \"%s\"", SCIARA_MOST_BANDS, text);
  return 0;
}

static int check_scenario(const struct sciara_arguments *arguments, const struct sciara_scenario_additions *additions) {
  struct sciara_problem problem;
  struct sciara_diagnostics diagnostics = {0};
  struct sciara_problem_options how = sciara_ranks_options(sciara_additions_options(additions));
  how.ranks = ranks_of(arguments, how.ranks);
  if (how.ranks == 0) return SCIARA_ERR_USAGE;
  sciara_problem_open_all(arguments->operand[0], &how, &problem, &diagnostics);
  problem.comm = sciara_ranks();
  if (problem.source && problem.source->size.made) {
    print_report(&problem, &diagnostics);
    sciara_diagnostics_add(&diagnostics, sciara_outflow_warn(&problem));
    warn_disk(&problem);
  }
  sciara_output_flush();
  const int code = sciara_report_all(&diagnostics);
  if (code == SCIARA_OK && !sciara_argument_given(arguments, "no-estimate")) {
    sciara_observed_run_off_log(&problem, "");
    print_time_estimate(&problem);
  }
  if (code == SCIARA_OK) sciara_print("no problem found\n");
  sciara_problem_free(&problem);
  sciara_diagnostics_free(&diagnostics);
  return code;
}

static int run_check_command(const struct sciara_arguments *arguments) {
  struct sciara_scenario_additions additions;
  int code = sciara_report(sciara_additions_make(arguments, &additions));
  if (code == SCIARA_OK) code = check_scenario(arguments, &additions);
  sciara_additions_free(&additions);
  return code;
}

const struct sciara_command sciara_cmd_check = {
    .name = "check",
    .ranks = SCIARA_ALL_RANKS,
    .summary = "find all problems of a scenario, and estimate its run",
    .operands = "SCENARIO",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details = "Reads scenario, DEM and rates like 'sciara run' and reports all problems at once. For a valid scenario "
               "it shows the\n"
               "grid, the vents on the map, memory, outputs and their size, and estimates steps and time of the run\n"
               "from a probe of a second. Writes no file. The other options are those of 'sciara run'.\n",
    .run = run_check_command,
};
