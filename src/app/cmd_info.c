// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/command.h"
#include "app/common_options.h"
#include "app/messages.h"
#include "app/output.h"
#include "base/date.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "export/target.h"
#include "file/durable.h"
#include "model/field.h"
#include "run/barriers.h"
#include "run/checkpoints.h"
#include "run/run_folder.h"
#include "setup/setup.h"

static const struct sciara_option options[] = {
    SCIARA_ALLOW_DRIVER_OPTION,
    SCIARA_CHECKSUM_OPTION,
    {0},
};

static void print_ledger(const struct sciara_ledger *l, bool has_sea) {
  sciara_print("ledger:        initial %.10g + emitted %.10g = liquid %.10g + solid %.10g + lost %.10g m3\n",
               l->initial_m3, l->emitted_m3, l->liquid_m3, l->solid_m3, l->lost_m3 + l->sea_m3);
  if (l->added_m3 > 0 || l->removed_m3 > 0)
    sciara_print(
        "               added by observed lava: %.10g m3, removed by it and by edits of the ground: %.10g m3\n",
        l->added_m3, l->removed_m3);
  if (has_sea) sciara_print("               %.10g m3 left the map, %.10g m3 entered the sea\n", l->lost_m3, l->sea_m3);
  sciara_print("               residual %.3g m3, bound of rounding %.3g m3: %s\n", l->residual_m3, l->bound_m3,
               fabs(l->residual_m3) <= l->bound_m3 ? "closed" : "OPEN");
}

static enum sciara_status print_stored_fields(struct sciara_target *t) {
  const int64_t cells = sciara_grid_cells(&t->snapshot.grid);
  double *values;
  SCIARA_TRY(SCIARA_NEW(values, cells, "a field"));
  enum sciara_status status = SCIARA_OK;
  for (int f = 0; status == SCIARA_OK && f < SCIARA_FIELD_COUNT; f++) {
    if (!(t->snapshot.fields >> f & 1u)) continue;
    status = sciara_target_read(t, (enum sciara_field)f, values);
    if (status != SCIARA_OK) break;
    double low = INFINITY, high = -INFINITY;
    const char *unchecked = t->snapshot.unchecked >> f & 1u ? ", no checksum" : "";
    int64_t shown = 0;
    for (int64_t i = 0; i < cells; i++) {
      if (values[i] == SCIARA_NODATA_ALTITUDE || (values[i] == 0 && f != SCIARA_FIELD_ARRIVAL_TIME)) continue;
      low = fmin(low, values[i]);
      high = fmax(high, values[i]);
      shown++;
    }
    if (shown > 0)
      sciara_print("  %-16s %10" PRId64 " %-6s %.7g to %.7g %s%s\n", sciara_field_name((enum sciara_field)f), shown,
                   sciara_plural((uint64_t)shown, "cell,", "cells,"), low, high,
                   sciara_field_describe((enum sciara_field)f)->unit, unchecked);
    else
      sciara_print("  %-16s %10d cells%s\n", sciara_field_name((enum sciara_field)f), 0, unchecked);
  }
  sciara_free(values);
  return status;
}

/** The rule of a file, which may be of an edition that this program no longer has. */
static void print_rule(const char *name, int64_t edition) {
  enum sciara_rule_kind rule;
  if (!name) return;
  const bool earlier = sciara_rule_find(name, &rule) && edition != sciara_rule_edition(rule);
  sciara_print("rule:          %s", name);
  if (earlier) sciara_print(", edition %" PRId64 ": not that of this program", edition);
  sciara_print("\n");
}

static enum sciara_status print_snapshot(struct sciara_target *t) {
  const struct sciara_snapshot *s = &t->snapshot;
  char date[SCIARA_MINUTE_SIZE];
  const bool dated = sciara_zoned_after(s->start, s->time_s, date);
  sciara_print("snapshot:      %s\n", t->path);
  if (s->title) sciara_print("title:         %s\n", s->title);
  print_rule(s->model_rule, s->rule_edition);
  sciara_print("made by:       %s, engine %s, %s precision\n", s->source ? s->source : "?", s->engine ? s->engine : "?",
               s->precision ? s->precision : "?");
  sciara_print("time:          step %" PRIu64 ", simulated %.10g s (%s%s%s), clock %.10g s\n", s->step, s->time_s,
               SCIARA_DURATION(s->time_s), dated ? ", " : "", date, s->clock_s);
  sciara_print_grid(&s->grid, &s->georef);
  print_ledger(&s->ledger, s->has_sea);
  sciara_print("liquid cells:  %" PRId64 "\nchecksum:      %016" PRIx64 "\nfields (%s):\n", s->liquid_cells,
               s->checksum, s->as_double ? "float64" : "float32");
  return print_stored_fields(t);
}

/** Reads a complete snapshot to detect damage. */
static enum sciara_status check_snapshot(const char *path, enum sciara_checksum_rule rule, uint64_t checksum) {
  struct sciara_snapshot s;
  double *values = NULL;
  SCIARA_TRY(sciara_snapshot_open_as(path, rule, &s));
  enum sciara_status status = SCIARA_NEW(values, sciara_grid_cells(&s.grid), "a field");
  for (int f = 0; status == SCIARA_OK && f < SCIARA_FIELD_COUNT; f++)
    if (s.fields >> f & 1u) status = sciara_snapshot_read(&s, (enum sciara_field)f, values);
  if (status == SCIARA_OK && s.checksum != checksum)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: expected checksum %016" PRIx64 " as in run.json, found %016" PRIx64,
                         path, checksum, s.checksum);
  sciara_free(values);
  sciara_snapshot_close(&s);
  return status;
}

/** A missing snapshot silently reads as NaN in series.nc, so each one is checked here. */
static enum sciara_status check_snapshots(const char *folder, const struct sciara_run_json *run_json,
                                          enum sciara_checksum_rule rule) {
  size_t bad = 0;
  for (size_t k = 0; k < run_json->snapshot_count; k++) {
    char *path;
    enum sciara_status status = sciara_run_file(folder, run_json->snapshots[k].name, &path);
    if (status == SCIARA_OK) status = check_snapshot(path, rule, run_json->snapshots[k].checksum);
    free(path);
    if (status == SCIARA_ERR_MEMORY) return status; // not a property of the snapshot
    if (status == SCIARA_OK) continue;
    sciara_error("%s", sciara_last_error());
    bad++;
  }
  if (bad == 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: %zu of %zu snapshots %s missing or damaged", folder, bad,
                     run_json->snapshot_count, sciara_plural(bad, "is", "are"));
}

/** The program does not read series.nc, but others follow its references to any file. */
static enum sciara_status check_series(const char *folder) {
  char *path;
  SCIARA_TRY(sciara_run_file(folder, SCIARA_SERIES_NAME, &path));
  const enum sciara_status status = access(path, F_OK) == 0 ? sciara_series_check(path) : SCIARA_OK;
  free(path);
  return status;
}

/** Prints that lava left the map, and from when on. */
static void print_lost(const struct sciara_run_json *r) {
  char from[96] = "";
  if (isfinite(r->lost_from_s))
    snprintf(from, sizeof from, " from simulated time %s (%.10g s) on", SCIARA_DURATION(r->lost_from_s),
             r->lost_from_s);
  sciara_print("left the map:  %.6g m3 of lava%s: its front and area beyond the rim are not known\n", r->ledger.lost_m3,
               from);
}

/** The start of a run, from its last snapshot; "": unknown, or there is no snapshot that can be read. */
static void find_start(const char *folder, const struct sciara_run_json *r, char start[SCIARA_DATE_SIZE]) {
  char *path = NULL;
  struct sciara_snapshot s;
  *start = '\0';
  if (r->snapshot_count == 0) return;
  if (sciara_run_file(folder, r->snapshots[r->snapshot_count - 1].name, &path) == SCIARA_OK &&
      sciara_snapshot_open(path, &s) == SCIARA_OK) {
    snprintf(start, SCIARA_DATE_SIZE, "%s", s.start ? s.start : "");
    sciara_snapshot_close(&s);
  }
  free(path);
}

static void print_barriers(const char *folder, const struct sciara_run_json *r) {
  char text[SCIARA_BARRIER_TEXT], start[SCIARA_DATE_SIZE];
  if (r->barrier_count > 0) find_start(folder, r, start);
  for (size_t k = 0; k < r->barrier_count; k++) {
    sciara_barrier_describe(&r->barriers[k], start, text);
    sciara_print("barrier:       %s: %s\n", r->barriers[k].name, text);
  }
}

static void print_run_json(const char *folder, const struct sciara_run_json *r) {
  sciara_print("run:           %s, %s%s%s\n", folder, sciara_run_status_name(r->status), r->stop_reason ? ": " : "",
               r->stop_reason ? r->stop_reason : "");
  if (r->scenario) sciara_print("scenario:      %s\n", r->scenario);
  print_rule(r->model_rule, r->rule_edition);
  sciara_print("started:       %s%s%s; wall-clock time %.1f s, of which %.1f s computing\n", r->started_utc,
               *r->ended_utc ? ", ended " : "", r->ended_utc, r->wall_s, r->compute_s);
  if (r->parent) sciara_print("branched off:  %s, step %" PRIu64 "\n", r->parent, r->parent_step);
  for (size_t k = 0; k < r->resumption_count; k++)
    sciara_print("resumed:       %s at step %" PRIu64 ", engine %s\n", r->resumptions[k].utc, r->resumptions[k].step,
                 r->resumptions[k].engine ? r->resumptions[k].engine : "?");
  for (size_t k = 0; k < r->warning_count; k++) sciara_print("warning:       %s\n", r->warnings[k].text);
  if (r->ledger.lost_m3 > 0) print_lost(r);
  print_barriers(folder, r);
  sciara_print("snapshots:     %zu\n", r->snapshot_count);
}

/**
 * The checkpoints of a run, each read completely; a damaged one is reported, and is no error while there is another
 * one.
 */
static enum sciara_status print_checkpoint_list(const char *folder) {
  uint64_t *steps = NULL;
  size_t count = 0, good = 0;
  char *where;
  SCIARA_TRY(sciara_run_file(folder, SCIARA_CHECKPOINT_FOLDER, &where));
  enum sciara_status status = sciara_checkpoints_list(where, &steps, &count);
  for (size_t k = 0; status == SCIARA_OK && k < count; k++) {
    struct sciara_checkpoint c;
    char *path = sciara_checkpoint_path(where, steps[k]);
    if (path && sciara_run_file_check(folder, path) == SCIARA_OK && sciara_checkpoint_verify(path, &c) == SCIARA_OK) {
      sciara_print("checkpoint:    step %" PRIu64 ", simulated %.10g s\n", c.step, c.time_s);
      sciara_checkpoint_free(&c);
      good++;
    } else if (path && access(path, F_OK) == 0) { // otherwise a run in progress has removed it meanwhile
      sciara_log(SCIARA_LOG_WARNING, "%s", sciara_last_error());
    }
    free(path);
  }
  if (status == SCIARA_OK && count > 0 && good == 0)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: all of its %zu checkpoints are damaged", folder, count);
  free(steps);
  free(where);
  return status;
}

static enum sciara_status print_checkpoint(const char *path) {
  struct sciara_checkpoint c;
  SCIARA_TRY(sciara_checkpoint_verify(path, &c));
  sciara_print("checkpoint:    %s, undamaged\nscenario:      %s\n", path, c.scenario_path);
  sciara_print("made by:       sciara %s (git %s), engine %s, %s precision\n",
               c.program_version ? c.program_version : "?", c.git_hash ? c.git_hash : "?", c.engine ? c.engine : "?",
               c.identity.precision);
  sciara_print("time:          step %" PRIu64 ", simulated %.10g s (%s), clock %.10g s\n", c.step, c.time_s,
               SCIARA_DURATION(c.time_s), c.clock_s);
  sciara_print_grid(&c.identity.grid, &c.georef);
  sciara_print("snapshots:     %" PRIu64 " before it\nchecksum:      %016" PRIx64 "\n", c.snapshots, c.checksum);
  sciara_checkpoint_free(&c);
  return SCIARA_OK;
}

/** A run: its run.json, whether its snapshots are undamaged, and the contents of the last one. */
static enum sciara_status print_run(const char *folder, enum sciara_checksum_rule rule) {
  struct sciara_run_json run_json;
  SCIARA_TRY(sciara_run_file_json(folder, &run_json));
  print_run_json(folder, &run_json);
  enum sciara_status status = print_checkpoint_list(folder);
  if (status == SCIARA_OK) status = check_snapshots(folder, &run_json, rule);
  if (status == SCIARA_OK) status = check_series(folder);
  const bool has_last = run_json.snapshot_count > 0;
  sciara_run_json_free(&run_json);
  if (status != SCIARA_OK || !has_last) return status;
  struct sciara_target target;
  SCIARA_TRY(sciara_target_open(folder, rule, &target));
  status = print_snapshot(&target);
  sciara_target_free(&target);
  return status;
}

static enum sciara_status print_scenario(const struct sciara_arguments *a) {
  const char *path = a->operand[0], *drivers[SCIARA_MOST_GIVEN];
  const struct sciara_problem_options how = {.any_engine = true,
                                             .extra_drivers = drivers,
                                             .extra_driver_count = sciara_arguments_all(a, "allow-driver", drivers)};
  struct sciara_problem p;
  SCIARA_TRY(sciara_problem_open(path, &how, &p));
  sciara_print("scenario:      %s\n", path);
  if (p.source->scenario.title) sciara_print("title:         %s\n", p.source->scenario.title);
  sciara_print_grid(&p.state->grid, &p.source->georef);
  sciara_print("vents:         %" PRId64 " %s, %.10g m3 in all, until %.10g s\n", p.vents->count,
               sciara_plural((uint64_t)p.vents->count, "cell", "cells"), sciara_vents_total(p.vents),
               sciara_vents_end(p.vents));
  sciara_print("output folder: %s\n", p.source->scenario.output.folder);
  sciara_problem_free(&p);
  return SCIARA_OK;
}

static enum sciara_status execute_info(const struct sciara_arguments *a) {
  const char *path = a->operand[0];
  if (sciara_is_folder(path)) return print_run(path, sciara_checksum_rule(a));
  if (sciara_has_extension(path, "json")) return print_scenario(a);
  if (sciara_has_extension(path, "h5")) return print_checkpoint(path);
  struct sciara_target target;
  SCIARA_TRY(sciara_target_open(path, sciara_checksum_rule(a), &target));
  const enum sciara_status status = print_snapshot(&target);
  sciara_target_free(&target);
  return status;
}

const struct sciara_command sciara_cmd_info = {
    .name = "info",
    .summary = "show the contents of a run folder, a snapshot, a checkpoint or a scenario",
    .operands = "RUN|SNAPSHOT|CHECKPOINT|SCENARIO",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details = "For a run folder every snapshot is read; a missing or damaged one is an error.\n",
    .execute = execute_info,
};
