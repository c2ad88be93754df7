// SPDX-License-Identifier: Apache-2.0
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/wallclock.h"
#include "comm/comm.h"
#include "file/durable.h"
#include "file/libraries.h"
#include "model/ledger.h"
#include "model/soundness.h"
#include "model/state.h"
#include "model/tower.h"
#include "run/barriers.h"
#include "run/checkpoints.h"
#include "run/run_folder.h"
#include "run/state_files.h"
#include "run/writer.h"
#include "scenario/vent_facts.h"
#include "setup/outflow.h"
#include "setup/setup.h"
#include "sim/agenda.h"
#include "store/run_json.h"
#include "store/snapshot_hdf5.h"
#include "terrain/dem_gdal.h"

/** The first warning of a kind; NULL: there is none. */
static const struct sciara_run_warning *run_json_warning(const struct sciara_run_json *r, const char *kind) {
  for (size_t k = 0; k < r->warning_count; k++)
    if (strcmp(r->warnings[k].kind, kind) == 0) return &r->warnings[k];
  return NULL;
}

/** Adds a warning that is a text alone, unless there is one of its kind. */
static enum sciara_status warn(struct sciara_run_json *run_json, const char *kind, const char *text) {
  if (run_json_warning(run_json, kind)) return SCIARA_OK;
  return sciara_run_json_warn(
      run_json, &(struct sciara_run_warning){.kind = (char *)(uintptr_t)kind, .text = (char *)(uintptr_t)text});
}

/** Notes that the cells were made of much larger ones. */
static enum sciara_status warn_coarse(const struct sciara_problem *p, struct sciara_run_json *run_json) {
  const double coarse = p->site->origin.coarse_m;
  if (!(coarse > 0) || run_json_warning(run_json, SCIARA_WARNING_DEM)) return SCIARA_OK;
  char *text = sciara_dem_coarse_text(p->source->scenario.dem.path, coarse, p->site->grid.cell_size);
  if (!text) return sciara_no_memory("a warning");
  const enum sciara_status status = sciara_run_json_warn(
      run_json,
      &(struct sciara_run_warning){.kind = (char *)(uintptr_t)SCIARA_WARNING_DEM, .coarse_m = coarse, .text = text});
  free(text);
  return status;
}

/** Adds the warnings about the ground and the lava observed on it to run.json, unless it has them or none is needed. */
static enum sciara_status ground_warn(const struct sciara_problem *p, struct sciara_run_json *run_json) {
  char text[SCIARA_MISFIT_TEXT];
  SCIARA_TRY(warn_coarse(p, run_json));
  if (p->source->observed_warning) SCIARA_TRY(warn(run_json, SCIARA_WARNING_OBSERVED, p->source->observed_warning));
  if (!sciara_params_misfit(&p->params, p->grid.cell_size)) return SCIARA_OK;
  sciara_misfit_print(p->grid.cell_size, text);
  return warn(run_json, SCIARA_WARNING_CELLS, text);
}

/**
 * Adds a warning if the state has a tower of a kind that run.json does not have yet (setup/outflow.h).
 *
 * @param new_text set to its text, which belongs to run.json, or NULL
 */
static enum sciara_status tower_warn(const struct sciara_problem *p, const struct sciara_state *state,
                                     const struct sciara_touched *touched, struct sciara_run_json *run_json,
                                     const char **new_text) {
  struct sciara_run_warning tower;
  *new_text = NULL;
  SCIARA_TRY(sciara_tower_watch(p, state, touched, run_json_warning(run_json, SCIARA_WARNING_VENT),
                                run_json_warning(run_json, SCIARA_WARNING_TOWER), &tower));
  if (!tower.kind) return SCIARA_OK;
  const enum sciara_status status = sciara_run_json_warn(run_json, &tower);
  free(tower.text);
  if (status == SCIARA_OK) *new_text = run_json->warnings[run_json->warning_count - 1].text;
  return status;
}

/** Whether run.json has a warning about a tower. */
static bool tower_is_noticed(const struct sciara_run_json *run_json) {
  return run_json_warning(run_json, SCIARA_WARNING_VENT) || run_json_warning(run_json, SCIARA_WARNING_TOWER);
}

/** Adds and logs a warning, whose text is released; NULL: there is none. */
static enum sciara_status say(struct sciara_run_json *run_json, const char *kind, char *text) {
  if (!text) return SCIARA_OK;
  sciara_log(SCIARA_LOG_WARNING, "%s", text);
  const enum sciara_status status = warn(run_json, kind, text);
  free(text);
  return status;
}

/** Warns if the observed lava with which a run begins runs off. */
static enum sciara_status run_off_warn(const struct sciara_problem *p, struct sciara_run_json *run_json) {
  char *text;
  SCIARA_TRY(sciara_observed_run_off(p, &text));
  return say(run_json, SCIARA_WARNING_OBSERVED, text);
}

/** Warns if the run has ended with the front at rest and its vents emit lava later. */
static enum sciara_status rest_warn(const struct sciara_simulation *s, struct sciara_run_json *run_json) {
  char *text;
  if (s->finished != SCIARA_STOP_FRONT) return SCIARA_OK;
  SCIARA_TRY(sciara_front_rest_text(s->problem.vents, s->progress.time, &text));
  return say(run_json, SCIARA_WARNING_EFFUSION, text);
}

// --------------------------------------------------------------------------------------------------------- the profile

// The time of the steps of a run: a CSV file with one row for each K steps (docs/formats.md).

/** Zero-initialise; release with profile_close. */
struct sciara_profile {
  char *path;
  int fd;      ///< valid while `path` is not NULL
  bool is_new; ///< the file was made by profile_open
  bool begun;  ///< the header is written
  uint64_t every;
  uint64_t row_step;                 ///< step of the last row, initially that of the start
  struct sciara_engine_profile last; ///< profile of the engine for that row
};

static const char header[] = "step,time_s,clock_s,active_cells,launched_threads,eta,vents_s,time_evaluation_s,flows_s,"
                             "mass_and_momentum_s,temperature_s,other_s,timed_steps\n";

static enum sciara_status io_failure(const char *path, const char *doing) {
  return sciara_fail(SCIARA_ERR_IO, "%s: cannot %s: %s", path, doing, strerror(errno));
}

// ------------------------------------------------------------------------------------------------------------- file

/** Checks that a file is a profile or empty: only such a file may be replaced. */
static enum sciara_status check_replaceable(int fd, const char *path) {
  char found[sizeof header] = "";
  struct stat about;
  if (fstat(fd, &about) != 0) return io_failure(path, "examine");
  if (!S_ISREG(about.st_mode)) return sciara_fail(SCIARA_ERR_INPUT, "%s: is not a regular file", path);
  const ssize_t length = pread(fd, found, sizeof found - 1, 0);
  if (length < 0) return io_failure(path, "read");
  if (length == 0 || strcmp(found, header) == 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: is not a profile; --overwrite replaces only a profile", path);
}

/** Opens a new file, or with `overwrite` an existing one. */
static enum sciara_status open_file(const char *path, bool overwrite, int *fd, bool *is_new) {
  *fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  *is_new = *fd >= 0;
  if (*is_new) return SCIARA_OK;
  if (errno != EEXIST) return io_failure(path, "open");
  if (!overwrite) return sciara_fail(SCIARA_ERR_INPUT, "%s: already exists; --overwrite replaces it", path);
  *fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  return *fd >= 0 ? SCIARA_OK : io_failure(path, "open");
}

/**
 * Opens the file for a row every `every` steps; nothing is written yet.
 *
 * SCIARA_ERR_INPUT if it already exists, unless `overwrite` is set and it is a profile; SCIARA_ERR_IO if it cannot be
 * opened.
 */
static enum sciara_status profile_open(struct sciara_profile *p, const char *path, uint64_t every, bool overwrite) {
  *p = (struct sciara_profile){.every = every};
  int fd;
  bool is_new;
  SCIARA_TRY(open_file(path, overwrite, &fd, &is_new));
  enum sciara_status status = is_new ? SCIARA_OK : check_replaceable(fd, path);
  char *copy = status == SCIARA_OK ? sciara_format("%s", path) : NULL;
  if (status == SCIARA_OK && !copy) status = sciara_no_memory("the path of a profile");
  if (status != SCIARA_OK) {
    close(fd);
    if (is_new) unlink(path);
    return status;
  }
  p->fd = fd;
  p->path = copy;
  p->is_new = is_new;
  return SCIARA_OK;
}

/** Closes the file; a new file without a header is removed. */
static void profile_close(struct sciara_profile *p) {
  if (!p->path) return;
  close(p->fd);
  if (p->is_new && !p->begun) unlink(p->path);
  free(p->path);
  *p = (struct sciara_profile){0};
}

/**
 * Writes complete lines at once, so that readers of the growing file never see a partial line, unless the disk is full.
 */
static enum sciara_status append(const struct sciara_profile *p, const char *text, size_t length) {
  while (length > 0) {
    const ssize_t written = write(p->fd, text, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return io_failure(p->path, "write");
    text += written;
    length -= (size_t)written;
  }
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------------- rows

/** The profile of the engine so far; zeros if it has none. */
static enum sciara_status ask(const struct sciara_simulation *s, struct sciara_engine_profile *out) {
  *out = (struct sciara_engine_profile){.timed_steps = 0};
  return s->ops->profile ? s->ops->profile(s->engine, out) : SCIARA_OK;
}

/** Replaces the contents of the file by the header; the first row will count from the current step. */
static enum sciara_status profile_begin(struct sciara_profile *p, const struct sciara_simulation *s) {
  SCIARA_TRY(ask(s, &p->last));
  p->row_step = s->progress.step;
  p->begun = true;
  if (ftruncate(p->fd, 0) != 0) return io_failure(p->path, "write");
  return append(p, header, sizeof header - 1);
}

/** The step of the next row; UINT64_MAX if the profile is not open. */
static uint64_t profile_next(const struct sciara_profile *p) {
  if (!p->path) return UINT64_MAX;
  return p->every < UINT64_MAX - p->row_step ? p->row_step + p->every : UINT64_MAX;
}

/** launched_threads and eta: both empty if no threads are launched. */
static enum sciara_status print_launched(struct sciara_text *row, double launched, double active) {
  if (!(launched > 0)) return sciara_text_append(row, ",,");
  SCIARA_TRY(sciara_text_append(row, ",%.12g,", launched));
  return launched > active ? sciara_text_append(row, "%.9g", active / (launched - active)) : SCIARA_OK;
}

static enum sciara_status print_row(const struct sciara_profile *p, const struct sciara_engine_progress *at,
                                    const struct sciara_engine_profile *now, struct sciara_text *row) {
  const uint64_t timed = now->timed_steps - p->last.timed_steps;
  const double launched = (double)(now->launched - p->last.launched) / (double)(at->step - p->row_step);
  SCIARA_TRY(
      sciara_text_append(row, "%" PRIu64 ",%.17g,%.17g,%" PRId64, at->step, at->time, at->clock, at->liquid_cells));
  SCIARA_TRY(print_launched(row, launched, (double)at->liquid_cells));
  for (int k = 0; k < SCIARA_PROCESSES; k++)
    SCIARA_TRY(timed ? sciara_text_append(row, ",%.9g", now->seconds[k] - p->last.seconds[k])
                     : sciara_text_append(row, ","));
  return sciara_text_append(row, ",%" PRIu64 "\n", timed);
}

/** Appends a row for the steps since the last one, if there are any. Does nothing without an open profile. */
static enum sciara_status profile_add(struct sciara_profile *p, const struct sciara_simulation *s) {
  if (!p->path || s->progress.step == p->row_step) return SCIARA_OK;
  struct sciara_engine_profile now;
  struct sciara_text row = {0};
  SCIARA_TRY(ask(s, &now));
  enum sciara_status status = print_row(p, &s->progress, &now, &row);
  if (status == SCIARA_OK) status = append(p, row.data, row.length);
  sciara_text_free(&row);
  p->row_step = s->progress.step;
  p->last = now;
  return status;
}

struct run {
  struct sciara_simulation *simulation;
  const struct sciara_run_options *options;
  const char *folder;
  struct sciara_snapshot_context context;
  struct sciara_run_json run_json;
  struct sciara_profile profile;
  struct sciara_writer *writer; ///< writes the snapshots; while it works run.json belongs to it
  uint64_t ground;              ///< the part of the checksums that lava does not change
  size_t changes_done;          ///< changes of the ground in it
  uint64_t last_snapshot;       ///< step of the last snapshot; UINT64_MAX: none yet
  struct sciara_checkpoints checkpoints;
  struct sciara_agenda agenda;
  bool drift_reported;  ///< the effect of rounding on the volume; used by the thread that runs the simulation
  double begin;         ///< monotonic seconds
  double output_wait_s; ///< seconds in which the steps waited for snapshots
  int lock;             ///< descriptor of the locked folder, or -1
};

// --------------------------------------------------------------------------------------------------------- run.json

static enum sciara_status begin_record(struct run *r) {
  const struct sciara_problem *p = &r->simulation->problem;
  struct sciara_run_json *run_json = &r->run_json;
  run_json->status = SCIARA_RUN_RUNNING;
  run_json->dem_hash = p->site->origin.hash;
  run_json->threads = r->simulation->threads;
  if (!*run_json->started_utc) sciara_date_now(run_json->started_utc);
  SCIARA_TRY(
      sciara_scenario_emission_of(&p->source->scenario, p->vents, p->source->emission_from_s, &run_json->emission));
  SCIARA_TRY(sciara_run_json_set(&run_json->scenario, p->source->scenario.path));
  SCIARA_TRY(sciara_run_json_set(&run_json->model_rule, sciara_rule_name(p->params.rule)));
  run_json->rule_edition = sciara_rule_edition(p->params.rule);
  SCIARA_TRY(sciara_run_json_set(&run_json->model_preset, p->source->scenario.model));
  SCIARA_TRY(sciara_run_json_set(&run_json->engine, r->simulation->ops->name));
  SCIARA_TRY(sciara_run_json_set(&run_json->precision, r->context.precision));
  SCIARA_TRY(sciara_run_json_set(&run_json->program_version, SCIARA_VERSION));
  SCIARA_TRY(sciara_run_json_set(&run_json->git_hash, SCIARA_GIT_HASH));
  SCIARA_TRY(sciara_run_json_set(&run_json->hdf5_version, sciara_hdf5_version()));
  return sciara_run_json_set(&run_json->gdal_version, sciara_gdal_version());
}

/** Updates run.json and writes it to the disk: the progress of the simulation, and its seconds up to then. */
static enum sciara_status write_record(struct run *r, enum sciara_run_status status,
                                       const struct sciara_engine_progress *p, double compute_s, double output_wait_s) {
  struct sciara_run_json *run_json = &r->run_json;
  run_json->status = status;
  if (status != SCIARA_RUN_FAILED) { // otherwise it describes the last valid state, like its ledger
    run_json->step = p->step;
    run_json->time_s = p->time;
    run_json->clock_s = p->clock;
    run_json->liquid_cells = p->liquid_cells;
  }
  run_json->wall_s = sciara_wallclock() - r->begin;
  run_json->compute_s = compute_s;
  run_json->output_wait_s = output_wait_s;
  sciara_date_now(run_json->updated_utc);
  if (status != SCIARA_RUN_RUNNING) sciara_date_now(run_json->ended_utc);
  char *path;
  SCIARA_TRY(sciara_path_in(r->folder, SCIARA_RUN_JSON, &path));
  const enum sciara_status result = sciara_run_json_write(run_json, path);
  free(path);
  return result;
}

static enum sciara_status write_record_of_now(struct run *r, enum sciara_run_status status) {
  return write_record(r, status, &r->simulation->progress, r->simulation->compute_s, r->output_wait_s);
}

// -------------------------------------------------------------------------------------------------------- snapshots

/** Writes series.nc over all snapshots so far. */
static enum sciara_status write_series(struct run *r) {
  const size_t count = r->run_json.snapshot_count;
  const char **names = NULL;
  double *times = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(names, count, "names of the snapshots"));
  SCIARA_TRY_GOTO(SCIARA_NEW(times, count, "times of the snapshots"));
  for (size_t k = 0; k < count; k++) {
    names[k] = r->run_json.snapshots[k].name;
    times[k] = r->run_json.snapshots[k].time_s;
  }
  SCIARA_TRY_GOTO(
      sciara_series_write(&r->context, &r->simulation->problem.state->grid, r->folder, names, times, count));
cleanup:
  sciara_free(names);
  sciara_free(times);
  return status;
}

/**
 * Whether series.nc is rewritten after this snapshot. Doing so each time would cost the square of the number of
 * snapshots, and it can wait while another snapshot is to be written.
 */
static bool is_series_due(size_t count, bool another) {
  return count == 1 || count % 100 == 0 || (count < 100 && !another);
}

/** Writes an output: the file, then run.json, which acknowledges it. */
static enum sciara_status write_output(struct run *r, struct sciara_output *o) {
  char name[64];
  snprintf(name, sizeof name, "snapshots/%08" PRIu64 ".nc", o->progress.step);
  char *path;
  SCIARA_TRY(sciara_path_in(r->folder, name, &path));
  struct sciara_touched touched;
  const char *notice; // a warning about the state, if there is reason for one
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_touched_find(o->state, r->context.threads, &touched));
  sciara_ledger_form_over(o->state, &touched, r->simulation->problem.rounding, &o->ledger);
  const uint64_t checksum = sciara_state_checksum_over(o->state, r->ground, &touched);
  SCIARA_TRY_GOTO(sciara_snapshot_write(&r->context, o->state, &touched, &o->ledger, checksum, path));
  r->run_json.ledger = o->ledger;
  SCIARA_TRY_GOTO(tower_warn(&r->simulation->problem, o->state, &touched, &r->run_json, &notice));
  snprintf(o->notice, sizeof o->notice, "%s", notice ? notice : "");
  SCIARA_TRY_GOTO(sciara_run_json_add(&r->run_json, name, o->progress.step, o->progress.time, checksum));
  SCIARA_TRY_GOTO(write_record(r, SCIARA_RUN_RUNNING, &o->progress, o->compute_s, o->output_wait_s));
  const bool another = r->writer && sciara_writer_is_behind(r->writer);
  if (is_series_due(r->run_json.snapshot_count, another)) SCIARA_TRY_GOTO(write_series(r));
  o->path = path;
  path = NULL;
cleanup:
  sciara_touched_release(&touched);
  free(path);
  return status;
}

/** Writes the parts of an output. A checkpoint counts the snapshots before it, so it comes last. */
static enum sciara_status write_due(struct run *r, struct sciara_output *o) {
  enum sciara_status status = SCIARA_OK;
  if (o->due.snapshot) SCIARA_TRY(write_output(r, o));
  if (o->due.checkpoint) status = sciara_checkpoints_write(&r->checkpoints, o, r->run_json.snapshot_count);
  if (status != SCIARA_OK) o->due.checkpoint = false; // the snapshot is still acknowledged
  if (!o->path) o->path = sciara_checkpoint_path(r->checkpoints.folder, o->progress.step);
  return status == SCIARA_OK && !o->path ? sciara_no_memory("the name of a file") : status;
}

/** Writes an output that the engine may have captured. */
static enum sciara_status write_kept(void *context, struct sciara_output *o) {
  SCIARA_TRY(sciara_simulation_collect(((const struct run *)context)->simulation, o->buffer, o->state));
  return write_due((struct run *)context, o);
}

/** Relative change of the volume by rounding from which on it is reported. */
static const double DRIFT = 1e-5;

/** Warns of a residual: of a defect each time, of the effect of rounding once. */
static void report_ledger(struct run *r, const struct sciara_output *o) {
  const struct sciara_ledger *l = &o->ledger;
  const double drift = sciara_ledger_drift(l);
  if (!sciara_ledger_closes(l)) {
    sciara_log(SCIARA_LOG_WARNING,
               "step %" PRIu64 ": the mass balance has a residual of %g m3, the bound of rounding is %g m3",
               o->progress.step, l->residual_m3, l->bound_m3);
  } else if (drift > DRIFT && !r->drift_reported) {
    r->drift_reported = true;
    sciara_log(SCIARA_LOG_WARNING, "step %" PRIu64 ": %g m3 of lava, %.2g %% of all, %s in rounding%s",
               o->progress.step, fabs(l->residual_m3), 100 * drift, l->residual_m3 > 0 ? "were lost" : "were gained",
               r->simulation->problem.engine.single_precision ? "; use double precision" : "");
  }
}

/** Notifies the observer: the output is on the disk and in run.json. */
static void report_written(void *context, const struct sciara_output *o) {
  struct run *r = (struct run *)context;
  if (o->due.checkpoint)
    sciara_log(o->due.request ? SCIARA_LOG_INFO : SCIARA_LOG_DEBUG, "checkpoint of step %" PRIu64, o->progress.step);
  if (!o->due.snapshot) return;
  report_ledger(r, o);
  if (*o->notice) sciara_log(SCIARA_LOG_WARNING, "%s", o->notice);
  if (r->options->observer.acknowledged) r->options->observer.acknowledged(r->options->observer.context, o->path);
}

/** The progress of the simulation, for an output. */
static void describe_output(const struct run *r, struct sciara_due due, struct sciara_output *o) {
  const struct sciara_simulation *s = r->simulation;
  o->due = due;
  o->next_snapshot_s = r->agenda.snapshot;
  o->progress = s->progress;
  o->wall_s = sciara_wallclock() - r->begin;
  o->compute_s = s->compute_s;
  o->output_wait_s = r->output_wait_s;
}

/** Writes the current state before it returns. */
static enum sciara_status write_now(struct run *r, struct sciara_due due) {
  struct sciara_simulation *s = r->simulation;
  struct sciara_output output = {.state = s->problem.state};
  describe_output(r, due, &output);
  SCIARA_TRY(sciara_simulation_sync(s));
  const enum sciara_status status = write_due(r, &output);
  if (due.snapshot) r->last_snapshot = s->progress.step;
  if (output.path) report_written(r, &output);
  free(output.path);
  return status;
}

/** Writes the final state: first a checkpoint, if the run can be resumed, then a snapshot if there is none yet. */
static enum sciara_status take_last(struct run *r, bool checkpoint) {
  if (r->writer) SCIARA_TRY(sciara_writer_flush(r->writer));
  if (checkpoint) SCIARA_TRY(write_now(r, (struct sciara_due){.checkpoint = true}));
  if (r->last_snapshot == r->simulation->progress.step) return SCIARA_OK;
  return write_now(r, (struct sciara_due){.snapshot = true});
}

/** Hands the current state to the writer; waits while two others are being written, and for what `keep` waits for. */
static enum sciara_status give_to_writer(struct run *r, struct sciara_due due) {
  struct sciara_simulation *s = r->simulation;
  const struct sciara_writer_work work = {
      .context = r, .fetches = sciara_simulation_keeps(s), .write = write_kept, .written = report_written};
  const double begin = sciara_wallclock();
  struct sciara_output *output;
  if (!r->writer) SCIARA_TRY(sciara_writer_start(s->problem.state, &work, &r->writer));
  SCIARA_TRY(sciara_writer_borrow(r->writer, &output));
  SCIARA_TRY(sciara_simulation_keep(s, output->buffer, output->state));
  r->output_wait_s += sciara_wallclock() - begin;
  describe_output(r, due, output);
  sciara_writer_give(r->writer);
  if (due.snapshot) r->last_snapshot = s->progress.step;
  return SCIARA_OK;
}

static enum sciara_status take_outputs(struct run *r) {
  const struct sciara_due due = sciara_agenda_take(&r->agenda, r->simulation->progress.time);
  if (!due.snapshot && !due.checkpoint) return SCIARA_OK;
  // A run in which only a signal requests checkpoints has no memory for captured states.
  return r->simulation->keeps ? give_to_writer(r, due) : write_now(r, due);
}

/** Between slices of work: reports what was written, and stops the run if writing failed or a stop was requested. */
static bool tick(void *context, const struct sciara_simulation *s) {
  struct run *r = (struct run *)context;
  const struct sciara_run_observer *o = &r->options->observer;
  if (r->writer && !sciara_writer_poll(r->writer)) r->agenda.stop = true;
  const bool interrupted = sciara_agenda_interrupts(&r->agenda);
  if (o->tick) o->tick(o->context, s);
  return interrupted;
}

// -------------------------------------------------------------------------------------------------------------- run

/** Looks for towers in the current state, in which a cell has much lava. Once one is found the samples end. */
static enum sciara_status notice_towers(struct run *r) {
  struct sciara_simulation *s = r->simulation;
  struct sciara_touched touched;
  const char *text;
  SCIARA_TRY(sciara_simulation_sync(s));
  if (r->writer) SCIARA_TRY(sciara_writer_flush(r->writer)); // then run.json is free
  SCIARA_TRY(sciara_touched_find(s->problem.state, r->context.threads, &touched));
  enum sciara_status status = tower_warn(&s->problem, s->problem.state, &touched, &r->run_json, &text);
  sciara_touched_release(&touched);
  r->agenda.tower.over = tower_is_noticed(&r->run_json);
  if (status == SCIARA_OK && text) {
    sciara_log(SCIARA_LOG_WARNING, "%s", text);
    status = write_record_of_now(r, SCIARA_RUN_RUNNING);
  }
  return status;
}

/** The engine gets another state: what it has captured is written first, and the states of the writer go. */
static enum sciara_status before_change(void *context) {
  struct run *r = (struct run *)context;
  const enum sciara_status status = r->writer ? sciara_writer_flush(r->writer) : SCIARA_OK;
  sciara_writer_stop(r->writer);
  r->writer = NULL;
  return status;
}

/** The checksums of states on other ground, if it has changed. */
static void follow_ground(struct run *r) {
  const struct sciara_problem *p = &r->simulation->problem;
  if (r->changes_done == p->site->changes_done) return;
  r->changes_done = p->site->changes_done;
  r->ground = r->checkpoints.header.identity.inputs.hash[SCIARA_INPUT_GROUND] = sciara_site_checksum(p->site);
}

/** Runs from one advance limit to the next. */
static enum sciara_status run_to_limits(struct run *r) {
  struct sciara_simulation *s = r->simulation;
  const double least = sciara_tower_least(&s->problem.params, s->problem.grid.cell_size);
  if (!tower_is_noticed(&r->run_json) && sciara_has_towers(&s->problem.params))
    sciara_agenda_sample_towers(&r->agenda, least, s->progress.step);
  for (;;) {
    const uint64_t row = profile_next(&r->profile);
    struct sciara_advance_limit limit = sciara_agenda_next(&r->agenda, s->progress.step);
    if (row < limit.step) limit.step = row;
    limit.tick = tick;
    limit.tick_context = r;
    limit.before_change = before_change;
    SCIARA_TRY(sciara_simulation_advance(s, &limit));
    follow_ground(r);
    const bool over = s->finished != SCIARA_STOP_NONE || sciara_agenda_is_over(&r->agenda, &s->progress);
    if (over || s->progress.step >= row) SCIARA_TRY(profile_add(&r->profile, s));
    if (over) return SCIARA_OK;
    const bool much = sciara_agenda_towers_due(&r->agenda, &s->progress);
    if (much) SCIARA_TRY(notice_towers(r));
    sciara_agenda_towers_done(&r->agenda, &s->progress, much);
    SCIARA_TRY(take_outputs(r));
  }
}

/** The end of a failed run: records the failure in run.json, if possible. */
static void record_failure(struct run *r, enum sciara_status status) {
  if (!r->run_json.engine) return; // it failed before run.json existed
  struct sciara_failure why = {0};
  sciara_failure_keep(&why, status);
  sciara_run_json_set(&r->run_json.stop_reason, why.text);
  const enum sciara_status ignored = write_record_of_now(r, SCIARA_RUN_FAILED);
  (void)ignored; // the first failure is the one to report
  sciara_failure_status(&why);
  sciara_failure_free(&why);
}

/** Whether the run continues in its original folder. */
static bool is_continued(const struct run *r) { return r->options->resume && !r->options->resume->branch; }

/** run.json and the lock of the continued run, as they were at the checkpoint. */
static enum sciara_status take_over(struct run *r) {
  struct sciara_resume *resume = r->options->resume;
  r->lock = resume->lock;
  resume->lock = -1;
  r->run_json = resume->run_json;
  resume->run_json = (struct sciara_run_json){.status = SCIARA_RUN_RUNNING};
  sciara_run_json_cut(&r->run_json, resume->from.snapshots);
  sciara_run_json_forget(&r->run_json, resume->from.time_s);
  *r->run_json.ended_utc = '\0';
  return sciara_run_json_set(&r->run_json.stop_reason, NULL);
}

/** The origin of the run, for run.json. */
static enum sciara_status record_descent(struct run *r) {
  const struct sciara_resume *resume = r->options->resume;
  if (is_continued(r)) return sciara_run_json_resume(&r->run_json, resume->from.step, r->simulation->ops->name);
  r->run_json.parent_step = resume->from.step;
  r->run_json.parent_checksum = resume->from.checksum;
  return sciara_run_json_set(&r->run_json.parent, resume->folder);
}

/** Prepares the folder, with run.json as its first file: from then on it holds a run. */
static enum sciara_status begin(struct run *r) {
  const struct sciara_scenario_spec *scenario = &r->simulation->problem.source->scenario;
  const struct sciara_run_options *o = r->options;
  const char *const inputs[] = {scenario->path,
                                scenario->dem.path,
                                scenario->dem.sea.path,
                                scenario->initial_thickness.path,
                                scenario->initial_temperature.path,
                                scenario->observed.outline,
                                scenario->observed.thickness.path,
                                scenario->observed.temperature.path,
                                scenario->observed.dem,
                                o->resume ? o->resume->path : NULL};
  if (o->profile) SCIARA_TRY(profile_open(&r->profile, o->profile, o->profile_every, o->overwrite));
  if (is_continued(r))
    SCIARA_TRY(take_over(r));
  else
    SCIARA_TRY(sciara_run_folder_prepare(r->folder, o->overwrite, inputs, sizeof inputs / sizeof *inputs, &r->lock));
  r->ground = sciara_state_checksum_of_ground(r->simulation->problem.state);
  r->changes_done = r->simulation->problem.site->changes_done;
  SCIARA_TRY(begin_record(r));
  if (o->resume) SCIARA_TRY(record_descent(r));
  SCIARA_TRY(sciara_simulation_ledger(r->simulation, &r->run_json.ledger));
  SCIARA_TRY(ground_warn(&r->simulation->problem, &r->run_json));
  if (!o->resume) SCIARA_TRY(run_off_warn(&r->simulation->problem, &r->run_json));
  r->run_json.has_sea = r->simulation->problem.site->sea_cells > 0;
  SCIARA_TRY(sciara_checkpoints_begin(&r->checkpoints, r->simulation, r->folder, r->ground, o->history,
                                      r->run_json.started_utc));
  if (o->resume && is_continued(r)) SCIARA_TRY(sciara_checkpoints_found(&r->checkpoints, o->resume->from.step));
  SCIARA_TRY(write_record_of_now(r, SCIARA_RUN_RUNNING));
  if (o->observer.prepared) o->observer.prepared(o->observer.context, r->folder);
  if (o->profile) SCIARA_TRY(profile_begin(&r->profile, r->simulation));
  SCIARA_TRY(sciara_folder_make_in(r->folder, "snapshots"));
  if (is_continued(r)) // the series is without those that will be written again
    return r->run_json.snapshot_count > 0 ? write_series(r) : SCIARA_OK;
  char *dem;
  SCIARA_TRY(sciara_path_in(r->folder, SCIARA_RUN_DEM, &dem));
  const enum sciara_status status = sciara_ground_write(&r->simulation->problem, NULL, dem);
  free(dem);
  if (status != SCIARA_OK || o->resume || !isfinite(r->agenda.snapshot)) return status;
  const bool mapped = r->simulation->problem.source->scenario.observed.outline; // the first frame is the map
  return mapped ? write_now(r, (struct sciara_due){.snapshot = true}) : SCIARA_OK;
}

/** Removes snapshots of the interrupted run that were not written again. */
static enum sciara_status sweep(const struct run *r) {
  const size_t count = r->run_json.snapshot_count;
  uint64_t *steps;
  SCIARA_TRY(SCIARA_NEW(steps, count, "steps of the snapshots"));
  for (size_t k = 0; k < count; k++) steps[k] = r->run_json.snapshots[k].step;
  const enum sciara_status status = sciara_run_folder_sweep(r->folder, steps, count);
  sciara_free(steps);
  return status;
}

/** Writes the files after the last step, except the end of run.json. */
static enum sciara_status write_end(struct run *r, enum sciara_stop_reason reason) {
  const struct sciara_problem *p = &r->simulation->problem;
  SCIARA_TRY(sciara_simulation_sync(r->simulation));
  SCIARA_TRY(sciara_state_check_sound(p->state, &p->params));
  const bool resumable = reason == SCIARA_STOP_CANCEL || reason == SCIARA_STOP_THICK;
  SCIARA_TRY(take_last(r, resumable || sciara_agenda_has_checkpoints(&r->agenda)));
  SCIARA_TRY(write_series(r));
  const struct sciara_run_observer *o = &r->options->observer;
  SCIARA_TRY(sciara_simulation_write_maps(r->simulation, r->folder, o->written, o->context));
  return is_continued(r) && reason != SCIARA_STOP_CANCEL ? sweep(r) : SCIARA_OK;
}

/**
 * Adds the barriers of a problem to run.json, and reports each as a message: edits of the ground that are a line with a
 * height or crest, or a file, and were done. The state must be current.
 */
static enum sciara_status barriers_report(const struct sciara_problem *p, struct sciara_run_json *run_json) {
  SCIARA_TRY(sciara_barriers_find(p, run_json));
  for (size_t k = 0; k < run_json->barrier_count; k++) {
    const struct sciara_run_barrier *barrier = &run_json->barriers[k];
    char text[SCIARA_BARRIER_TEXT];
    sciara_barrier_describe(barrier, p->source->scenario.start, text);
    sciara_log(SCIARA_LOG_INFO, "barrier %s: %s", barrier->name, text);
  }
  return SCIARA_OK;
}

static enum sciara_status end(struct run *r, enum sciara_stop_reason reason) {
  SCIARA_TRY(write_end(r, reason));
  SCIARA_TRY(barriers_report(&r->simulation->problem, &r->run_json));
  SCIARA_TRY(rest_warn(r->simulation, &r->run_json));
  r->run_json.lost_from_s = sciara_lost_from(r->simulation->problem.state, SCIARA_CELL_RIM, NULL);
  SCIARA_TRY(sciara_run_json_set(&r->run_json.stop_reason, sciara_end_name(reason)));
  return write_record_of_now(r, reason == SCIARA_STOP_CANCEL ? SCIARA_RUN_STOPPED : SCIARA_RUN_COMPLETE);
}

/**
 * The run has failed, but its last step is valid: writes the files of the end of a run before the failure is recorded.
 */
static enum sciara_status end_stuck(struct run *r, enum sciara_stop_reason reason, enum sciara_status failed) {
  struct sciara_failure why = {0};
  sciara_failure_keep(&why, failed);
  enum sciara_status status = write_end(r, reason);
  if (status == SCIARA_OK) status = sciara_failure_status(&why);
  sciara_failure_free(&why);
  return status;
}

/** When outputs are due. */
static void make_agenda(struct run *r) {
  const struct sciara_scenario_spec *s = &r->simulation->problem.source->scenario;
  r->agenda = (struct sciara_agenda){.snapshot_every = s->output.every_s,
                                     .checkpoint_every = s->output.checkpoint_every_s,
                                     .checkpoint_wall = s->output.checkpoint_wall_s,
                                     .cancel = r->options->cancel,
                                     .request = r->options->checkpoint};
  sciara_agenda_begin(&r->agenda, r->simulation->progress.time);
}

enum sciara_status sciara_run_to_end(struct sciara_simulation *s, const struct sciara_run_options *options,
                                     struct sciara_run_result *result) {
  struct run r = {.simulation = s,
                  .options = options,
                  .folder = s->problem.source->scenario.output.folder,
                  .last_snapshot = UINT64_MAX,
                  .lock = -1,
                  .begin = sciara_wallclock()};
  r.context = sciara_simulation_snapshots(r.simulation, r.options->history);
  make_agenda(&r);
  if (is_continued(&r)) {
    r.agenda.snapshot = options->resume->from.next_snapshot_s;
    r.begin -= options->resume->from.wall_s;
    r.output_wait_s = options->resume->from.output_wait_s;
  }
  enum sciara_status status = begin(&r);
  if (status == SCIARA_OK) status = run_to_limits(&r);
  if (status == SCIARA_OK)
    status = end(&r, sciara_simulation_ended(s).reason);
  else if (sciara_simulation_is_stuck(s))
    status = end_stuck(&r, s->finished, status);
  sciara_writer_stop(r.writer); // pending outputs are written and reported, even if the run has failed
  r.writer = NULL;
  const bool lost = s->problem.comm && sciara_comm_is_lost(s->problem.comm);
  if (status == SCIARA_ERR_NUMERIC || lost) sciara_checkpoints_attribute(&r.checkpoints, status);
  if (status != SCIARA_OK) record_failure(&r, status);
  *result = (struct sciara_run_result){
      .end = sciara_simulation_ended(s), .ledger = r.run_json.ledger, .wall_s = sciara_wallclock() - r.begin};
  sciara_checkpoints_end(&r.checkpoints);
  profile_close(&r.profile);
  sciara_run_json_free(&r.run_json);
  if (r.lock >= 0) close(r.lock);
  return status;
}
