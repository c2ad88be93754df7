// SPDX-License-Identifier: Apache-2.0
#include "engine/banded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/wallclock.h"
#include "comm/vote.h"
#include "engine/band_rows.h"
#include "engine/device_info.h"
#include "engine/step_control.h"
#include "engine/stop_rule.h"

// ---------------------------------------------------------------------------------------------------- what a rank does
// What every rank of a banded engine does when rank 0 commands it.

/** The commands of rank 0. */
enum banded_kind {
  BANDED_CREATE,
  BANDED_UPLOAD,
  BANDED_ADVANCE,
  BANDED_DOWNLOAD,
  BANDED_COUNT, ///< the liquid cells of each row, for a new cut
  BANDED_CUT,
  BANDED_MEASURE, ///< sciara_banded_measure
  BANDED_DESTROY,
  BANDED_DISMISS
};

/** A command, sent as it is: all ranks are the same program. What the kind does not need is not set. */
struct banded_command {
  enum banded_kind kind;
  // CREATE; the vents follow
  int engine, precision, threads, device; ///< engine: number in the list of engines
  enum sciara_boundary boundary;
  struct sciara_engine_options options;
  struct sciara_params params;
  int64_t vents, slots;
  // UPLOAD; the cuts follow, as after CUT
  struct sciara_grid map;
  unsigned record;
  double time, clock;
  uint64_t step;
  // ADVANCE
  struct sciara_stop stop; ///< not its pointer
  bool liquid;             ///< whether any cell of the map is liquid
  // MEASURE
  size_t bytes;
  int count;
};

/** The answer to a command. */
struct banded_report {
  enum sciara_status status;
  enum sciara_stop_reason reason;    ///< of ADVANCE: why it ended; NONE: rank 0 wanted it
  struct sciara_engine_progress now; ///< of the band; after ADVANCE
  double seconds;                    ///< of MEASURE
  char text[1024];                   ///< of the error
};

/** The part of a banded engine that a rank has. */
struct banded_part {
  struct sciara_comm *comm;
  const struct sciara_engine_ops *inner;
  struct sciara_engine_setup setup; ///< of the inner engine
  struct sciara_params params;
  struct sciara_vents *map_vents; ///< all
  double vents_end;               ///< of all, s
  struct sciara_grid map;
  unsigned record;
  struct sciara_cuts cuts;
  void *engine;                   ///< NULL: this rank has no rows
  const struct sciara_site *site; ///< the rows of the band with its halo
  double *z0;                     ///< of the site
  uint8_t *kind;                  ///< of the site
  struct sciara_vents *vents;     ///< those in these rows
  char *halo[2][2];               ///< packed rows north and south: sent, received
  struct sciara_engine_progress now;
  struct banded_report report; ///< of the command in work
};

/** What rank 0 adds to the commands that it carries out itself. */
struct banded_root {
  const struct sciara_state *from;  ///< UPLOAD
  struct sciara_state *to;          ///< DOWNLOAD
  struct sciara_cuts cuts;          ///< UPLOAD, CUT
  const struct sciara_vents *vents; ///< CREATE
  const int *cancel;                ///< ADVANCE; may be NULL
  double until;                     ///< ADVANCE: sciara_wallclock at which it ends
  double emitted;                   ///< ADVANCE: the running sum of the map, m3
  int64_t *liquid;                  ///< COUNT: liquid cells of each row of the map
};

/** Keeps the first failure of a command in the report. */
static void note_failure(struct banded_part *p, enum sciara_status status) {
  if (status == SCIARA_OK || p->report.status != SCIARA_OK) return;
  p->report.status = status;
  snprintf(p->report.text, sizeof p->report.text, "%s", sciara_last_error());
}

/** *well: no rank has failed so far in this command. */
static enum sciara_status are_all_well(struct banded_part *p, bool *well) {
  uint64_t all = sciara_vote_make(1, p->report.status == SCIARA_OK ? 0 : SCIARA_VOTE_ERROR);
  const enum sciara_status status = p->comm->ops->vote(p->comm, p->comm->size, &all);
  *well = !(all & SCIARA_VOTE_ERROR);
  return status;
}

// -------------------------------------------------------------------------------------------------------------- create

/** The list of vents of rank 0: as many as the command says. */
static enum sciara_status receive_vents(struct banded_part *p, const struct banded_command *command,
                                        const struct sciara_vents *root) {
  struct sciara_vents *v;
  enum sciara_status status = SCIARA_OK;
  if (root)
    status = sciara_vents_clone(root, &v);
  else
    status = sciara_vents_make(command->vents, command->slots, &v);
  note_failure(p, status);
  bool well;
  SCIARA_TRY(are_all_well(p, &well));
  if (!well) {
    if (status == SCIARA_OK) sciara_vents_destroy(v);
    return SCIARA_OK;
  }
  p->map_vents = v;
  const size_t vents = (size_t)v->count, slots = (size_t)v->slots;
  SCIARA_TRY(sciara_comm_broadcast(p->comm, v->row, vents * sizeof *v->row));
  SCIARA_TRY(sciara_comm_broadcast(p->comm, v->col, vents * sizeof *v->col));
  SCIARA_TRY(sciara_comm_broadcast(p->comm, v->first, (vents + 1) * sizeof *v->first));
  SCIARA_TRY(sciara_comm_broadcast(p->comm, v->begin, slots * sizeof *v->begin));
  SCIARA_TRY(sciara_comm_broadcast(p->comm, v->end, slots * sizeof *v->end));
  SCIARA_TRY(sciara_comm_broadcast(p->comm, v->rate, slots * sizeof *v->rate));
  p->vents_end = sciara_vents_end(v);
  return SCIARA_OK;
}

int sciara_banded_threads(const struct sciara_engine_ops *inner, const struct sciara_comm *c, int requested) {
  if (requested > 0 || !inner->threads || c->neighbours < 2 || getenv("OMP_NUM_THREADS")) return requested;
  const int share = inner->threads(0) / c->neighbours;
  return share > 1 ? share : 1;
}

/** The inner engine that a command names. */
static enum sciara_status find_inner(struct banded_part *p, const struct banded_command *command) {
  size_t count;
  const struct sciara_engine_entry *entry = &sciara_engine_list(&count)[command->engine];
  const enum sciara_rule_kind rule = command->params.rule;
  p->inner = entry->ops[rule][command->precision];
  const char *why = p->inner->probe ? p->inner->probe() : NULL;
  return why ? sciara_fail(SCIARA_ERR_DEVICE, "engine \"%s\" is not available: %s", entry->name, why) : SCIARA_OK;
}

/** The GPUs of this process. */
static struct sciara_banded_gpus gpus_here(void) {
  struct sciara_banded_gpus here = {.set = SCIARA_HASH_BEGIN, .count = sciara_devices()};
  for (int k = 0; k < here.count; k++) {
    const uint64_t gpu = sciara_device_identity(k);
    here.set = sciara_hash_bytes(here.set, &gpu, sizeof gpu);
  }
  gethostname(here.host, sizeof here.host - 1);
  return here;
}

enum sciara_status sciara_banded_device(const struct sciara_banded_gpus *all, int ranks, int rank, int first, int each,
                                        int *device) {
  const struct sciara_banded_gpus *mine = &all[rank];
  const int usable = mine->count > first ? mine->count - first : 0;
  int before = 0, sharing = 0;
  for (int k = 0; k < ranks; k++) {
    const bool shares = all[k].set == mine->set && strcmp(all[k].host, mine->host) == 0;
    sharing += shares;
    before += shares && k < rank;
  }
  *device = first + before * each;
  if (before < usable / each) return SCIARA_OK;
  return sciara_fail(
      SCIARA_ERR_DEVICE, "%d %s with %d %s each share %d %s of %s, from number %d on; expected at most %d", sharing,
      sciara_plural((uint64_t)sharing, "process", "processes"), each, sciara_plural((uint64_t)each, "GPU", "GPUs"),
      usable, sciara_plural((uint64_t)usable, "GPU", "GPUs"), mine->host, first, usable / each);
}

/** The GPU of this rank, or the first of its GPUs if the engine has several: one, unless its options say more. Called by all. */
static enum sciara_status choose_device(struct banded_part *p, int first) {
  struct sciara_comm *c = p->comm;
  struct sciara_banded_gpus mine = gpus_here(), *all;
  int *gpus = &p->setup.options.gpus;
  const int each = *gpus > 0 ? *gpus : 1;
  if (sciara_engine_follows(p->inner, "gpus")) *gpus = each;
  SCIARA_TRY(SCIARA_NEW(all, c->size, "GPUs of the ranks"));
  enum sciara_status lost = sciara_comm_gather(c, &mine, sizeof mine, all);
  if (lost == SCIARA_OK) lost = sciara_comm_broadcast(c, all, (size_t)c->size * sizeof *all);
  const bool chosen = c->one_process; // threads share a GPU
  if (lost == SCIARA_OK && !chosen)
    note_failure(p, sciara_banded_device(all, c->size, c->rank, first, each, &p->setup.device));
  sciara_free(all);
  return lost;
}

static enum sciara_status create_part(struct banded_part *p, const struct banded_command *command,
                                      const struct banded_root *root) {
  note_failure(p, find_inner(p, command));
  p->params = command->params;
  p->setup = (struct sciara_engine_setup){.boundary = command->boundary,
                                          .threads = sciara_banded_threads(p->inner, p->comm, command->threads),
                                          .device = command->device,
                                          .options = command->options};
  if (p->inner->capabilities & SCIARA_CAN_DEVICE) SCIARA_TRY(choose_device(p, command->device));
  return receive_vents(p, command, root ? root->vents : NULL);
}

// ---------------------------------------------------------------------------------------------------------------- rows

static void release_band(struct banded_part *p) {
  if (p->engine) p->inner->destroy(p->engine);
  p->engine = NULL;
  sciara_vents_destroy(p->vents);
  p->vents = NULL;
  sciara_site_release(p->site);
  p->site = NULL;
  for (int k = 0; k < 4; k++) {
    sciara_free(p->halo[k / 2][k % 2]);
    p->halo[k / 2][k % 2] = NULL;
  }
}

/** The vents in some rows of the map, with their rows there. */
static enum sciara_status vents_in(const struct sciara_vents *all, struct sciara_row_range rows,
                                   struct sciara_vents **out) {
  struct sciara_vents *v = sciara_vents_create();
  enum sciara_status status = v ? SCIARA_OK : SCIARA_ERR_MEMORY;
  for (int64_t k = 0; k < all->count && status == SCIARA_OK; k++)
    if (all->row[k] >= rows.begin && all->row[k] < rows.end) status = sciara_vents_add_of(v, all, k, -rows.begin);
  if (status != SCIARA_OK) {
    sciara_vents_destroy(v);
    v = NULL;
  }
  *out = v;
  return status;
}

/** Site, state and vents for the rows that this rank has in `cuts`; *state is NULL if it has none. */
static enum sciara_status prepare_band(struct banded_part *p, const struct sciara_cuts *cuts,
                                       struct sciara_state **state) {
  const struct sciara_row_range rows = sciara_cuts_rows(cuts, p->comm->rank, SCIARA_HALO_ROWS);
  struct sciara_grid grid = p->map;
  *state = NULL;
  p->cuts = *cuts;
  if (rows.begin == rows.end) return SCIARA_OK;
  grid.rows = rows.end - rows.begin;
  grid.north -= (double)rows.begin * grid.cell_size;
  p->setup.halo_north = cuts->first[p->comm->rank] - rows.begin;
  p->setup.halo_south = rows.end - cuts->first[p->comm->rank + 1];
  SCIARA_TRY(sciara_site_blank(&grid, &p->z0, &p->kind, &p->site));
  SCIARA_TRY(vents_in(p->map_vents, rows, &p->vents));
  return sciara_state_create_on(p->site, p->record, state);
}

/** The inner engine of a band with its rows. */
static enum sciara_status start_engine(struct banded_part *p, struct sciara_state *state) {
  p->setup.params = &p->params;
  p->setup.vents = p->vents;
  state->time = p->now.time;
  state->clock = p->now.clock;
  state->step = p->now.step;
  SCIARA_TRY(p->inner->create(&p->setup, &p->engine));
  SCIARA_TRY(p->inner->upload(p->engine, state));
  const size_t bytes = SCIARA_HALO_ROWS * p->inner->phases->row_bytes(p->engine);
  for (int k = 0; k < 4; k++) SCIARA_TRY(sciara_alloc((void **)&p->halo[k / 2][k % 2], bytes, 1, "rows of a halo"));
  return SCIARA_OK;
}

/** The counts of a band since its last upload; time, clock and step are those of all. */
static void forget_counts(struct banded_part *p) {
  p->now = (struct sciara_engine_progress){
      .step = p->now.step, .time = p->now.time, .clock = p->now.clock, .bad = {.row = -1, .col = -1}};
}

/** Moves the rows of `from` to a new division of the map, and starts an engine with them. */
static enum sciara_status divide(struct banded_part *p, const struct sciara_rows *from,
                                 const struct sciara_cuts *cuts) {
  struct sciara_state *state = NULL;
  bool well;
  note_failure(p, prepare_band(p, cuts, &state));
  enum sciara_status lost = are_all_well(p, &well);
  if (lost == SCIARA_OK && well) {
    const struct sciara_rows to = {
        .cuts = p->cuts, .halo = SCIARA_HALO_ROWS, .state = state, .z0 = p->z0, .kind = p->kind};
    lost = sciara_rows_move(p->comm, from, &to, p->record, true);
    forget_counts(p);
    if (lost == SCIARA_OK && state) note_failure(p, start_engine(p, state));
  }
  sciara_state_destroy(state);
  return lost;
}

/** All rows of the map belong to rank 0. */
static struct sciara_cuts cuts_whole(int64_t rows) { return (struct sciara_cuts){.count = 1, .first = {0, rows}}; }

static enum sciara_status upload_part(struct banded_part *p, const struct banded_command *command,
                                      struct banded_root *root) {
  struct sciara_cuts cuts = {0};
  if (root) cuts = root->cuts;
  SCIARA_TRY(sciara_comm_broadcast(p->comm, &cuts, sizeof cuts));
  release_band(p);
  p->map = command->map;
  p->record = command->record;
  p->now = (struct sciara_engine_progress){
      .step = command->step,
      .time = command->time,
      .clock = command->precision == SCIARA_DOUBLE ? command->clock : (double)(float)command->clock};
  // `from` is only read; that of the other ranks is empty
  const struct sciara_rows from = {.cuts = cuts_whole(p->map.rows),
                                   .state = root ? (struct sciara_state *)root->from : NULL};
  return divide(p, &from, &cuts);
}

/** The state of the band; NULL without rows. */
static enum sciara_status download_band(struct banded_part *p, struct sciara_state **state) {
  *state = NULL;
  if (!p->engine) return SCIARA_OK;
  SCIARA_TRY(sciara_state_create_on(p->site, p->record, state));
  return p->inner->download(p->engine, *state);
}

static enum sciara_status download_part(struct banded_part *p, const struct banded_root *root) {
  struct sciara_state *state;
  bool well;
  note_failure(p, download_band(p, &state));
  enum sciara_status lost = are_all_well(p, &well);
  if (lost == SCIARA_OK && well) {
    const struct sciara_rows from = {.cuts = p->cuts, .halo = SCIARA_HALO_ROWS, .state = state};
    const struct sciara_rows to = {.cuts = cuts_whole(p->map.rows), .state = root ? root->to : NULL};
    lost = sciara_rows_move(p->comm, &from, &to, p->record, false);
  }
  sciara_state_destroy(state);
  return lost;
}

// ----------------------------------------------------------------------------------------------------------------- cut

/** Counts the liquid cells of each own row, and sends them to rank 0. */
static enum sciara_status count_rows(struct banded_part *p, struct banded_root *root) {
  const struct sciara_row_range own = sciara_cuts_rows(&p->cuts, p->comm->rank, 0);
  const int64_t rows = own.end - own.begin, cols = p->map.cols;
  struct sciara_state *state = NULL;
  int64_t *count = NULL;
  struct sciara_comm_message *m = NULL;
  bool well;
  note_failure(p, download_band(p, &state));
  note_failure(p, SCIARA_NEW(count, rows, "liquid cells of the rows"));
  note_failure(p, SCIARA_NEW(m, p->comm->size, "messages"));
  enum sciara_status lost = are_all_well(p, &well);
  if (lost != SCIARA_OK || !well) goto cleanup;
  for (int64_t r = 0; state && r < rows; r++) // without an engine there are no rows
    for (int64_t c = 0; c < cols; c++) count[r] += state->h[(p->setup.halo_north + r) * cols + c] != 0;
  int messages = 0;
  if (root) {
    memcpy(root->liquid, count, (size_t)rows * sizeof *count);
    for (int k = 1; k < p->cuts.count; k++)
      m[messages++] =
          (struct sciara_comm_message){.rank = k,
                                       .receive = true,
                                       .data = root->liquid + p->cuts.first[k],
                                       .bytes = (size_t)(p->cuts.first[k + 1] - p->cuts.first[k]) * sizeof *count};
  } else if (rows > 0) {
    m[messages++] = (struct sciara_comm_message){.rank = 0, .data = count, .bytes = (size_t)rows * sizeof *count};
  }
  lost = sciara_comm_exchange(p->comm, m, messages);
cleanup:
  sciara_state_destroy(state);
  sciara_free(count);
  sciara_free(m);
  return lost;
}

static enum sciara_status cut(struct banded_part *p, const struct banded_root *root) {
  struct sciara_cuts cuts = {0};
  struct sciara_state *state;
  bool well;
  if (root) cuts = root->cuts;
  SCIARA_TRY(sciara_comm_broadcast(p->comm, &cuts, sizeof cuts));
  note_failure(p, download_band(p, &state));
  enum sciara_status lost = are_all_well(p, &well);
  if (lost == SCIARA_OK && well) {
    const struct sciara_rows from = {.cuts = p->cuts, .halo = SCIARA_HALO_ROWS, .state = state};
    release_band(p); // the state has its site
    lost = divide(p, &from, &cuts);
  }
  sciara_state_destroy(state);
  return lost;
}

// --------------------------------------------------------------------------------------------------------------- steps

/** Sends the own rows next to each border and receives the halo. A rank that has failed sends what it sent before. */
static enum sciara_status exchange_halo(struct banded_part *p) {
  const struct sciara_engine_phases *phases = p->inner->phases;
  const int64_t rows = p->site->grid.rows, north = p->setup.halo_north, south = p->setup.halo_south;
  const size_t bytes = SCIARA_HALO_ROWS * phases->row_bytes(p->engine);
  const bool has[2] = {north > 0, south > 0};
  const int64_t own[2] = {north, rows - south - SCIARA_HALO_ROWS}, halo[2] = {0, rows - south};
  struct sciara_comm_message m[4];
  int count = 0;
  for (int side = 0; side < 2; side++) {
    if (!has[side]) continue;
    const int other = p->comm->rank + (side == 0 ? -1 : 1);
    if (p->report.status == SCIARA_OK)
      note_failure(p, phases->pack(p->engine, own[side], SCIARA_HALO_ROWS, p->halo[side][0]));
    m[count++] = (struct sciara_comm_message){.rank = other, .data = p->halo[side][0], .bytes = bytes};
    m[count++] = (struct sciara_comm_message){.rank = other, .receive = true, .data = p->halo[side][1], .bytes = bytes};
  }
  SCIARA_TRY(sciara_comm_exchange(p->comm, m, count));
  for (int side = 0; side < 2; side++)
    if (has[side] && p->report.status == SCIARA_OK)
      note_failure(p, phases->unpack(p->engine, halo[side], SCIARA_HALO_ROWS, p->halo[side][1]));
  return SCIARA_OK;
}

/** What this rank says with its time, s. */
static enum sciara_status vote(struct banded_part *p, double t_opt, unsigned flags, uint64_t *out) {
  if (p->report.status != SCIARA_OK) flags |= SCIARA_VOTE_ERROR;
  // A time that no vote holds comes from numbers that lava cannot have: `move` finds them.
  *out = sciara_vote_make(sciara_vote_holds(t_opt) ? t_opt : 0x1p-126, flags);
  return p->comm->ops->vote(p->comm, p->cuts.count, out);
}

/** Whether rank 0 wants to return at the end of this step. */
static bool wants_stop(const struct banded_root *root) {
  return root &&
         ((root->cancel && __atomic_load_n(root->cancel, __ATOMIC_RELAXED)) || sciara_wallclock() >= root->until);
}

/** Adds what all vents emit in the next step, in the order of the engines. */
static void add_emitted(const struct banded_part *p, struct banded_root *root) {
  const struct sciara_vents *v = p->map_vents;
  for (int64_t n = 0; n < v->count; n++) {
    const double volume =
        sciara_vent_volume(v->begin, v->end, v->rate, v->first[n], v->first[n + 1], p->now.time, p->now.clock);
    if (volume > 0) root->emitted = root->emitted + volume;
  }
}

/** `move`; a rank that fails continues to count, so that it leaves with the others. */
static void move_bands(struct banded_part *p, double t_opt) {
  struct sciara_engine_progress after = p->now;
  const enum sciara_status status = p->inner->phases->move(p->engine, t_opt, &after);
  note_failure(p, status);
  if (status == SCIARA_OK) {
    p->now = after;
    return;
  }
  p->report.now.bad = after.bad;
  p->now.time = p->now.time + p->now.clock;
  p->now.step++;
}

/** A step. *agreed: the votes of its end, whose time counts for nothing; ERROR: a rank has failed before its lava moved. */
static enum sciara_status step_bands(struct banded_part *p, const struct banded_command *command,
                                     const struct sciara_stop_rule *rule, struct banded_root *root, uint64_t *agreed) {
  double t_opt = p->params.t_max;
  uint64_t all;
  SCIARA_TRY(exchange_halo(p));
  if (p->report.status == SCIARA_OK)
    note_failure(p, p->inner->phases->evaluate(p->engine, command->stop.thickness, &t_opt));
  SCIARA_TRY(vote(p, t_opt, wants_stop(root) ? SCIARA_VOTE_STOP : 0, &all));
  *agreed = all | SCIARA_VOTE_LIQUID;
  if (all & SCIARA_VOTE_ERROR) return SCIARA_OK;
  if (root) add_emitted(p, root);
  move_bands(p, sciara_vote_time(all));
  const bool may_solidify = rule->solidified && p->now.time >= rule->vents_end;
  if (!may_solidify && !(rule->thickness < (double)INFINITY)) return SCIARA_OK;
  const unsigned flags = (p->now.liquid_cells != 0 ? SCIARA_VOTE_LIQUID : 0u) | (p->now.thick ? SCIARA_VOTE_THICK : 0u);
  SCIARA_TRY(vote(p, t_opt, flags, agreed));
  *agreed |= all & SCIARA_VOTE_STOP;
  return SCIARA_OK;
}

/** The steps of ADVANCE, until its stop rule, a failure of any rank, or the wish of rank 0. */
static enum sciara_status advance_part(struct banded_part *p, const struct banded_command *command,
                                       struct banded_root *root) {
  const struct sciara_stop *stop = &command->stop;
  const struct sciara_stop_rule rule = {.steps = stop->steps,
                                        .time = stop->time,
                                        .vents_end = p->vents_end,
                                        .thickness = stop->thickness > 0 ? stop->thickness : (double)INFINITY,
                                        .solidified = stop->solidified};
  uint64_t agreed = command->liquid ? SCIARA_VOTE_LIQUID : 0;
  while (p->engine) {
    p->report.reason = sciara_stop_test(&rule, p->now.step, p->now.time, p->now.clock, agreed & SCIARA_VOTE_LIQUID,
                                        agreed & SCIARA_VOTE_THICK);
    if (p->report.reason != SCIARA_STOP_NONE || agreed & (SCIARA_VOTE_STOP | SCIARA_VOTE_ERROR)) break;
    SCIARA_TRY(step_bands(p, command, &rule, root, &agreed));
  }
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------------- measure

/** `count` votes; the smallest time is that of rank 0. */
static enum sciara_status votes(struct banded_part *p, int count) {
  struct sciara_comm *c = p->comm;
  for (int n = 0; n < count; n++) {
    uint64_t vote = sciara_vote_make(1.0 + n + c->rank, c->rank == c->size - 1 ? SCIARA_VOTE_LIQUID : 0);
    SCIARA_TRY(c->ops->vote(c, c->size, &vote));
    if (vote != sciara_vote_make(1.0 + n, SCIARA_VOTE_LIQUID))
      note_failure(p, sciara_fail(SCIARA_ERR_NUMERIC, "a vote is %g s", sciara_vote_time(vote)));
  }
  return SCIARA_OK;
}

/** `count` exchanges with both neighbours. data: sent and received, of two sides. */
static enum sciara_status messages(struct banded_part *p, char *data, size_t bytes, int count) {
  struct sciara_comm *c = p->comm;
  struct sciara_comm_message m[4];
  int messages = 0;
  for (int side = 0; side < 2; side++) {
    const int other = c->rank + (side == 0 ? -1 : 1);
    char *out = data + 2 * (size_t)side * bytes;
    if (other < 0 || other >= c->size) continue;
    m[messages++] = (struct sciara_comm_message){.rank = other, .data = out, .bytes = bytes};
    m[messages++] = (struct sciara_comm_message){.rank = other, .receive = true, .data = out + bytes, .bytes = bytes};
  }
  for (int n = 0; n < count; n++) {
    memset(data, c->rank + n, bytes);
    memset(data + 2 * bytes, c->rank + n, bytes);
    SCIARA_TRY(sciara_comm_exchange(c, m, messages));
    for (int k = 1; k < messages; k += 2) {
      const char *in = (const char *)m[k].data, expected = (char)(m[k].rank + n);
      if (in[0] != expected || in[bytes - 1] != expected)
        note_failure(p, sciara_fail(SCIARA_ERR_NUMERIC, "a message of %zu bytes is not what was sent", bytes));
    }
  }
  return SCIARA_OK;
}

/** MEASURE: the votes or messages of this rank, which no step needs. */
static enum sciara_status measure_part(struct banded_part *p, const struct banded_command *command) {
  char *data = NULL;
  bool well = command->bytes == 0 || sciara_alloc((void **)&data, 4, command->bytes, "messages") == SCIARA_OK;
  if (!well) note_failure(p, SCIARA_ERR_MEMORY);
  uint64_t vote = sciara_vote_make(1, well ? 0 : SCIARA_VOTE_ERROR); // all begin together, or none
  enum sciara_status lost = p->comm->ops->vote(p->comm, p->comm->size, &vote);
  const double begin = sciara_wallclock();
  if (lost == SCIARA_OK && !(vote & SCIARA_VOTE_ERROR))
    lost = command->bytes == 0 ? votes(p, command->count) : messages(p, data, command->bytes, command->count);
  p->report.seconds = command->count > 0 ? (sciara_wallclock() - begin) / command->count : 0;
  sciara_free(data);
  return lost;
}

// ---------------------------------------------------------------------------------------------------------------- obey

/** Releases what the part owns. */
static void banded_release(struct banded_part *p) {
  release_band(p);
  sciara_vents_destroy(p->map_vents);
  p->map_vents = NULL;
}

/**
 * Carries out a command and leaves the answer in p->report. `root`: of rank 0, else NULL. Fails only if another rank is lost.
 */
static enum sciara_status banded_obey(struct banded_part *p, const struct banded_command *command,
                                      struct banded_root *root) {
  p->report = (struct banded_report){.now = {.bad = {.row = -1, .col = -1}}};
  enum sciara_status lost = SCIARA_OK;
  switch (command->kind) {
    case BANDED_CREATE: lost = create_part(p, command, root); break;
    case BANDED_UPLOAD: lost = upload_part(p, command, root); break;
    case BANDED_ADVANCE: lost = advance_part(p, command, root); break;
    case BANDED_DOWNLOAD: lost = download_part(p, root); break;
    case BANDED_COUNT: lost = count_rows(p, root); break;
    case BANDED_CUT: lost = cut(p, root); break;
    case BANDED_MEASURE: lost = measure_part(p, command); break;
    case BANDED_DESTROY: banded_release(p); break;
    case BANDED_DISMISS: break;
  }
  const int64_t row = p->report.now.bad.row, col = p->report.now.bad.col;
  const uint64_t step = p->report.now.bad.step;
  p->report.now = p->now;
  p->report.now.bad.step = step;
  p->report.now.bad.row = row < 0 ? row : row + sciara_cuts_rows(&p->cuts, p->comm->rank, SCIARA_HALO_ROWS).begin;
  p->report.now.bad.col = col;
  return lost;
}

enum {
  MOST_UNEVEN = 110,  ///< largest band, in per cent of the mean, above which bands are cut again
  WORTH_CUTTING = 64, ///< least mean of liquid cells for this
  SHARE_OF_CUTS = 20  ///< cutting takes at most one part of so many of the time
};

/** The engine of rank 0. */
struct banded {
  struct banded_part part;
  struct banded_root root;
  struct sciara_step_control control;   ///< of the whole map
  struct sciara_engine_progress before; ///< counts before the last division of the map
  struct banded_report *report;         ///< of each rank
  int engine, precision;                ///< of the inner engine: its number in the list of engines
  struct sciara_engine_setup setup;
  uint64_t cuts;           ///< since the upload
  double cut_at, cut_took; ///< sciara_wallclock of the last cut; s of it
};

static struct sciara_comm *comm_of(const struct banded *b) { return b->part.comm; }

// ---------------------------------------------------------------------------------------------------- rank 0: commands

/** Sends a command to all, or receives it. */
static enum sciara_status tell(struct sciara_comm *c, struct banded_command *command) {
  return sciara_comm_broadcast(c, command, sizeof *command);
}

/** The error of a command: that of the first bad cell, else of the first rank that failed. */
static enum sciara_status result_banded(struct banded *b) {
  const struct banded_report *failed = NULL;
  struct sciara_step_control *c = &b->control;
  for (int k = 0; k < comm_of(b)->size; k++) {
    const struct banded_report *r = &b->report[k];
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
static enum sciara_status command(struct banded *b, struct banded_command *what) {
  struct sciara_comm *c = comm_of(b);
  if (sciara_comm_is_lost(c)) return sciara_fail(SCIARA_ERR_DEVICE, "another rank was lost before");
  SCIARA_TRY(tell(c, what));
  SCIARA_TRY(banded_obey(&b->part, what, &b->root));
  SCIARA_TRY(sciara_comm_gather(c, &b->part.report, sizeof b->part.report, b->report));
  return result_banded(b);
}

enum sciara_status sciara_banded_serve(struct sciara_comm *c) {
  struct banded_part part = {.comm = c};
  struct banded_command what = {.kind = BANDED_DESTROY};
  enum sciara_status status = SCIARA_OK;
  while (status == SCIARA_OK && what.kind != BANDED_DISMISS) {
    const struct sciara_comm_message order = {.receive = true, .data = &what, .bytes = sizeof what};
    const struct sciara_comm_message answer = {.data = &part.report, .bytes = sizeof part.report};
    SCIARA_TRY_GOTO(c->ops->start(c, &order, 1));
    SCIARA_TRY_GOTO(c->ops->finish(c, (double)INFINITY)); // rank 0 may be writing files
    if (what.kind == BANDED_DISMISS) break;
    SCIARA_TRY_GOTO(banded_obey(&part, &what, NULL));
    SCIARA_TRY_GOTO(c->ops->start(c, &answer, 1));
    SCIARA_TRY_GOTO(c->ops->finish(c, (double)INFINITY)); // a rank without rows answers before the others
  }
cleanup:
  banded_release(&part);
  return status;
}

enum sciara_status sciara_banded_dismiss(struct sciara_comm *c) {
  struct banded_command what = {.kind = BANDED_DISMISS};
  return sciara_comm_is_lost(c) || c->size == 1 ? SCIARA_OK : tell(c, &what);
}

enum sciara_status sciara_banded_measure(struct sciara_comm *c, size_t bytes, int count, double *seconds) {
  struct banded_part part = {.comm = c};
  struct banded_command what = {.kind = BANDED_MEASURE, .bytes = bytes, .count = count};
  struct banded_report *all;
  SCIARA_TRY(SCIARA_NEW(all, c->size, "reports of the ranks"));
  const double begin = sciara_wallclock();
  enum sciara_status status = tell(c, &what);
  if (status == SCIARA_OK) status = banded_obey(&part, &what, NULL);
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
  struct banded_command what = {.kind = BANDED_DESTROY};
  const enum sciara_status ignored = sciara_comm_is_lost(comm_of(b)) ? SCIARA_OK : command(b, &what);
  (void)ignored; // nothing can be done about it
  banded_release(&b->part);
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
  struct banded_command what = {.kind = BANDED_CREATE,
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
  struct banded_command what = {.kind = BANDED_UPLOAD,
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
  struct banded_command what = {.kind = BANDED_DOWNLOAD};
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
  struct banded_command count = {.kind = BANDED_COUNT};
  struct banded_command cut = {.kind = BANDED_CUT};
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
  struct banded_command what = {.kind = BANDED_ADVANCE, .stop = *stop, .liquid = c->now.liquid_cells != 0};
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
