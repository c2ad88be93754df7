// SPDX-License-Identifier: Apache-2.0
#include "engine/banded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/wallclock.h"
#include "engine/banded_part.h"
#include "engine/step_control.h"

enum {
  MOST_UNEVEN = 110,  ///< largest band, in per cent of the mean, above which bands are cut again
  WORTH_CUTTING = 64, ///< least mean of liquid cells for this
  SHARE_OF_CUTS = 20  ///< cutting takes at most one part of so many of the time
};

/** The engine of rank 0. */
struct banded {
  struct sciara_banded_part part;
  struct sciara_banded_root root;
  struct sciara_step_control control;   ///< of the whole map
  struct sciara_engine_progress before; ///< counts before the last division of the map
  struct sciara_banded_report *report;  ///< of each rank
  int engine, precision;                ///< of the inner engine: its number in the list of engines
  struct sciara_engine_setup setup;
  uint64_t cuts;           ///< since the upload
  double cut_at, cut_took; ///< sciara_wallclock of the last cut; s of it
};

static struct sciara_comm *comm_of(const struct banded *b) { return b->part.comm; }

// ------------------------------------------------------------------------------------------------------------ commands

/** Sends a command to all, or receives it. */
static enum sciara_status tell(struct sciara_comm *c, struct sciara_banded_command *command) {
  return sciara_comm_broadcast(c, command, sizeof *command);
}

/** The error of a command: that of the first bad cell, else of the first rank that failed. */
static enum sciara_status result_banded(struct banded *b) {
  const struct sciara_banded_report *failed = NULL;
  struct sciara_step_control *c = &b->control;
  for (int k = 0; k < comm_of(b)->size; k++) {
    const struct sciara_banded_report *r = &b->report[k];
    if (r->now.bad.step != 0) {
      c->now.step = r->now.bad.step - 1;
      sciara_step_control_report(c, r->now.bad.row, r->now.bad.col);
    } else if (r->status != SCIARA_OK && !failed) {
      failed = r;
    }
  }
  if (c->now.bad.step != 0) return sciara_step_control_status(c);
  if (!failed) return SCIARA_OK;
  const int rank = (int)(failed - b->report);
  return rank == 0 ? sciara_fail(failed->status, "%s", failed->text)
                   : sciara_fail(failed->status, "rank %d: %s", rank, failed->text);
}

/** Tells all ranks a command, carries out the part of rank 0, and collects the answers in b->report. */
static enum sciara_status command(struct banded *b, struct sciara_banded_command *what) {
  struct sciara_comm *c = comm_of(b);
  if (sciara_comm_is_lost(c)) return sciara_fail(SCIARA_ERR_DEVICE, "another rank was lost before");
  SCIARA_TRY(tell(c, what));
  SCIARA_TRY(sciara_banded_obey(&b->part, what, &b->root));
  SCIARA_TRY(sciara_comm_gather(c, &b->part.report, sizeof b->part.report, b->report));
  return result_banded(b);
}

enum sciara_status sciara_banded_serve(struct sciara_comm *c) {
  struct sciara_banded_part part = {.comm = c};
  struct sciara_banded_command what = {.kind = SCIARA_BANDED_DESTROY};
  enum sciara_status status = SCIARA_OK;
  while (status == SCIARA_OK && what.kind != SCIARA_BANDED_DISMISS) {
    const struct sciara_comm_message order = {.receive = true, .data = &what, .bytes = sizeof what};
    const struct sciara_comm_message answer = {.data = &part.report, .bytes = sizeof part.report};
    SCIARA_TRY_GOTO(c->ops->start(c, &order, 1));
    SCIARA_TRY_GOTO(c->ops->finish(c, (double)INFINITY)); // rank 0 may be writing files
    if (what.kind == SCIARA_BANDED_DISMISS) break;
    SCIARA_TRY_GOTO(sciara_banded_obey(&part, &what, NULL));
    SCIARA_TRY_GOTO(c->ops->start(c, &answer, 1));
    SCIARA_TRY_GOTO(c->ops->finish(c, (double)INFINITY)); // a rank without rows answers before the others
  }
cleanup:
  sciara_banded_release(&part);
  return status;
}

enum sciara_status sciara_banded_dismiss(struct sciara_comm *c) {
  struct sciara_banded_command what = {.kind = SCIARA_BANDED_DISMISS};
  return sciara_comm_is_lost(c) || c->size == 1 ? SCIARA_OK : tell(c, &what);
}

enum sciara_status sciara_banded_measure(struct sciara_comm *c, size_t bytes, int count, double *seconds) {
  struct sciara_banded_part part = {.comm = c};
  struct sciara_banded_command what = {.kind = SCIARA_BANDED_MEASURE, .bytes = bytes, .count = count};
  struct sciara_banded_report *all;
  SCIARA_TRY(SCIARA_NEW(all, c->size, "reports of the ranks"));
  const double begin = sciara_wallclock();
  enum sciara_status status = tell(c, &what);
  if (status == SCIARA_OK) status = sciara_banded_obey(&part, &what, NULL);
  if (status == SCIARA_OK) status = sciara_comm_gather(c, &part.report, sizeof part.report, all);
  *seconds = count > 0 ? part.report.seconds : sciara_wallclock() - begin;
  for (int k = 0; k < c->size && status == SCIARA_OK; k++)
    if (all[k].status != SCIARA_OK) status = sciara_fail(all[k].status, "rank %d: %s", k, all[k].text);
  sciara_free(all);
  return status;
}

// ------------------------------------------------------------------------------------------------- create and destroy

static void destroy_banded(void *engine) {
  struct banded *b = (struct banded *)engine;
  if (!b) return;
  struct sciara_banded_command what = {.kind = SCIARA_BANDED_DESTROY};
  const enum sciara_status ignored = sciara_comm_is_lost(comm_of(b)) ? SCIARA_OK : command(b, &what);
  (void)ignored; // nothing can be done about it
  sciara_banded_release(&b->part);
  sciara_free(b->report);
  sciara_free(b);
}

/** The number of the inner engine in the list of engines, which is the same for all ranks. */
static enum sciara_status find_place(struct banded *b, const struct sciara_engine_ops *inner,
                                     enum sciara_rule_kind rule) {
  size_t count;
  const struct sciara_engine_entry *list = sciara_engine_list(&count);
  for (size_t k = 0; k < count; k++)
    for (int p = 0; p < SCIARA_PRECISIONS; p++)
      if (list[k].ops[rule][p] == inner) {
        b->engine = (int)k;
        b->precision = p;
        return SCIARA_OK;
      }
  return sciara_fail(SCIARA_ERR_INTERNAL, "the inner engine of bands is not in the list of engines");
}

static enum sciara_status create_banded(const struct sciara_engine_setup *setup, void **engine) {
  struct banded *b;
  enum sciara_status status;
  if (!setup->inner->phases)
    return sciara_fail(SCIARA_ERR_USAGE, "engine \"%s\" cannot compute bands: it has no phases", setup->inner->name);
  SCIARA_TRY(SCIARA_NEW(b, 1, "bands"));
  b->setup = *setup;
  b->part.comm = setup->comm;
  SCIARA_TRY_GOTO(SCIARA_NEW(b->report, setup->comm->size, "reports of the ranks"));
  SCIARA_TRY_GOTO(find_place(b, setup->inner, setup->params->rule));
  b->root.vents = setup->vents;
  struct sciara_banded_command what = {.kind = SCIARA_BANDED_CREATE,
                                       .engine = b->engine,
                                       .precision = b->precision,
                                       .threads = setup->threads,
                                       .device = setup->device,
                                       .boundary = setup->boundary,
                                       .options = setup->options,
                                       .params = *setup->params,
                                       .vents = setup->vents->count,
                                       .slots = setup->vents->slots};
  status = command(b, &what);
  if (status != SCIARA_OK) {
    destroy_banded(b);
    return status;
  }
  *engine = b;
  return SCIARA_OK;
cleanup:
  sciara_free(b->report);
  sciara_free(b);
  return status;
}

// --------------------------------------------------------------------------------------------------------------- rows

/** Weights of the rows: their liquid cells, and a little for the cells that are not. */
static void weigh(int64_t rows, int64_t cols, int64_t *liquid) {
  for (int64_t r = 0; r < rows; r++) liquid[r] = 1024 * liquid[r] + cols;
}

enum sciara_status sciara_banded_cuts(const struct sciara_state *state, int ranks, int64_t tile_rows,
                                      struct sciara_cuts *out) {
  const int64_t rows = state->grid.rows, cols = state->grid.cols;
  int64_t *weight;
  SCIARA_TRY(SCIARA_NEW(weight, rows, "liquid cells of the rows"));
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < cols; c++) weight[r] += state->h[r * cols + c] != 0;
  weigh(rows, cols, weight);
  *out = sciara_cuts_make(rows, weight, ranks, tile_rows);
  sciara_free(weight);
  return SCIARA_OK;
}

static enum sciara_status upload_banded(void *engine, const struct sciara_state *state) {
  struct banded *b = (struct banded *)engine;
  SCIARA_TRY(sciara_banded_cuts(state, comm_of(b)->size, b->setup.inner->phases->tile_rows, &b->root.cuts));
  sciara_step_control_load(&b->control, state, b->setup.vents);
  b->before = b->control.now;
  b->root.from = state;
  b->root.emitted = state->emitted;
  b->cuts = 0;
  b->cut_at = sciara_wallclock();
  b->cut_took = 0;
  struct sciara_banded_command what = {.kind = SCIARA_BANDED_UPLOAD,
                                       .precision = b->precision,
                                       .map = state->grid,
                                       .record = sciara_state_record(state),
                                       .time = state->time,
                                       .clock = state->clock,
                                       .step = state->step};
  return command(b, &what);
}

static enum sciara_status download_banded(void *engine, struct sciara_state *state) {
  struct banded *b = (struct banded *)engine;
  struct sciara_banded_command what = {.kind = SCIARA_BANDED_DOWNLOAD};
  b->root.to = state;
  SCIARA_TRY(command(b, &what));
  sciara_step_control_store(&b->control, state);
  return SCIARA_OK;
}

// -------------------------------------------------------------------------------------------------------------- steps

/** Time, clock, step and totals of the map from the answers of all bands. */
static void add_up(struct banded *b) {
  struct sciara_engine_progress *now = &b->control.now;
  const struct sciara_engine_progress *first = &b->report[0].now;
  if (first->step == now->step) return; // no step was done
  now->step = first->step;
  now->time = first->time;
  now->clock = first->clock;
  now->emitted = b->root.emitted;
  now->liquid_cells = 0;
  now->solidifications = b->before.solidifications;
  now->losses = b->before.losses;
  now->sea_losses = b->before.sea_losses;
  now->cell_steps = b->before.cell_steps;
  now->thick = b->report[0].reason == SCIARA_STOP_THICK;
  for (int k = 0; k < b->part.cuts.count; k++) {
    const struct sciara_engine_progress *band = &b->report[k].now;
    now->liquid_cells += band->liquid_cells;
    now->solidifications += band->solidifications;
    now->losses += band->losses;
    now->sea_losses += band->sea_losses;
    now->cell_steps += band->cell_steps;
  }
}

static double uneven(const struct banded *b) {
  int64_t most = 0;
  for (int k = 0; k < b->part.cuts.count; k++)
    if (b->report[k].now.liquid_cells > most) most = b->report[k].now.liquid_cells;
  const int64_t all = b->control.now.liquid_cells;
  return all > 0 ? (double)most * b->part.cuts.count / (double)all : 1;
}

/** Divides the map again by the liquid cells of its rows. */
static enum sciara_status cut_again(struct banded *b) {
  const int64_t rows = b->part.map.rows;
  struct sciara_banded_command count = {.kind = SCIARA_BANDED_COUNT};
  struct sciara_banded_command cut = {.kind = SCIARA_BANDED_CUT};
  const double begin = sciara_wallclock();
  SCIARA_TRY(SCIARA_NEW(b->root.liquid, rows, "liquid cells of the rows"));
  const enum sciara_status status = command(b, &count);
  weigh(rows, b->part.map.cols, b->root.liquid);
  b->root.cuts = sciara_cuts_make(rows, b->root.liquid, comm_of(b)->size, b->setup.inner->phases->tile_rows);
  sciara_free(b->root.liquid);
  b->root.liquid = NULL;
  SCIARA_TRY(status);
  const size_t size = (size_t)(b->part.cuts.count + 1) * sizeof *b->root.cuts.first;
  if (memcmp(b->root.cuts.first, b->part.cuts.first, size) != 0) {
    SCIARA_TRY(command(b, &cut));
    b->before = b->control.now;
    b->cuts++;
  }
  b->cut_at = sciara_wallclock();
  b->cut_took = b->cut_at - begin;
  return SCIARA_OK;
}

/** Whether a new division would pay for itself. */
static bool is_cut_due(const struct banded *b) {
  const int bands = b->part.cuts.count;
  return bands > 1 && b->control.now.liquid_cells >= WORTH_CUTTING * (int64_t)bands && 100 * uneven(b) > MOST_UNEVEN &&
         sciara_wallclock() - b->cut_at >= SHARE_OF_CUTS * b->cut_took;
}

static enum sciara_status advance_banded(void *engine, const struct sciara_stop *stop,
                                         struct sciara_engine_progress *progress) {
  struct banded *b = (struct banded *)engine;
  struct sciara_step_control *c = &b->control;
  struct sciara_banded_command what = {
      .kind = SCIARA_BANDED_ADVANCE, .stop = *stop, .liquid = c->now.liquid_cells != 0};
  enum sciara_status status = SCIARA_OK;
  if (sciara_step_control_begin(c, stop)) {
    b->root.cancel = stop->cancel;
    b->root.until = c->wall_until;
    status = command(b, &what);
    if (status == SCIARA_OK) {
      add_up(b);
      c->now.reason = b->report[0].reason;
      if (c->now.reason == SCIARA_STOP_NONE) sciara_step_control_stop(c, stop); // cancelled, or the wall
      if (c->now.reason == SCIARA_STOP_NONE) c->now.reason = SCIARA_STOP_WALL;
      if (is_cut_due(b)) status = cut_again(b);
    }
  }
  *progress = c->now;
  return status == SCIARA_OK ? sciara_step_control_status(c) : status;
}

struct sciara_banded_facts sciara_banded_facts_of(const void *engine) {
  const struct banded *b = (const struct banded *)engine;
  return (struct sciara_banded_facts){.bands = b->part.cuts.count, .cuts = b->cuts};
}

struct sciara_engine_ops sciara_banded_ops(const struct sciara_engine_ops *inner) {
  struct sciara_engine_ops ops = *inner;
  ops.create = create_banded;
  ops.destroy = destroy_banded;
  ops.upload = upload_banded;
  ops.download = download_banded;
  ops.advance = advance_banded;
  ops.profile = NULL;
  ops.keep = NULL;
  ops.collect = NULL;
  ops.keep_memory = NULL;
  ops.phases = NULL;
  ops.slots = NULL;
  return ops;
}
