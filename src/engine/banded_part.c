// SPDX-License-Identifier: Apache-2.0
#include "engine/banded_part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/wallclock.h"
#include "comm/vote.h"
#include "engine/device_info.h"
#include "engine/stop_rule.h"

/** Keeps the first failure of a command in the report. */
static void note_failure(struct sciara_banded_part *p, enum sciara_status status) {
  if (status == SCIARA_OK || p->report.status != SCIARA_OK) return;
  p->report.status = status;
  snprintf(p->report.text, sizeof p->report.text, "%s", sciara_last_error());
}

/** *well: no rank has failed so far in this command. */
static enum sciara_status are_all_well(struct sciara_banded_part *p, bool *well) {
  uint64_t all = sciara_vote_make(1, p->report.status == SCIARA_OK ? 0 : SCIARA_VOTE_ERROR);
  const enum sciara_status status = p->comm->ops->vote(p->comm, p->comm->size, &all);
  *well = !(all & SCIARA_VOTE_ERROR);
  return status;
}

// -------------------------------------------------------------------------------------------------------------- create

/** The list of vents of rank 0: as many as the command says. */
static enum sciara_status receive_vents(struct sciara_banded_part *p, const struct sciara_banded_command *command,
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
static enum sciara_status find_inner(struct sciara_banded_part *p, const struct sciara_banded_command *command) {
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
static enum sciara_status choose_device(struct sciara_banded_part *p, int first) {
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

static enum sciara_status create_part(struct sciara_banded_part *p, const struct sciara_banded_command *command,
                                      const struct sciara_banded_root *root) {
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

static void release_band(struct sciara_banded_part *p) {
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
static enum sciara_status prepare_band(struct sciara_banded_part *p, const struct sciara_cuts *cuts,
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
static enum sciara_status start_engine(struct sciara_banded_part *p, struct sciara_state *state) {
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
static void forget_counts(struct sciara_banded_part *p) {
  p->now = (struct sciara_engine_progress){
      .step = p->now.step, .time = p->now.time, .clock = p->now.clock, .bad = {.row = -1, .col = -1}};
}

/** Moves the rows of `from` to a new division of the map, and starts an engine with them. */
static enum sciara_status divide(struct sciara_banded_part *p, const struct sciara_rows *from,
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

static enum sciara_status upload_part(struct sciara_banded_part *p, const struct sciara_banded_command *command,
                                      struct sciara_banded_root *root) {
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
static enum sciara_status download_band(struct sciara_banded_part *p, struct sciara_state **state) {
  *state = NULL;
  if (!p->engine) return SCIARA_OK;
  SCIARA_TRY(sciara_state_create_on(p->site, p->record, state));
  return p->inner->download(p->engine, *state);
}

static enum sciara_status download_part(struct sciara_banded_part *p, const struct sciara_banded_root *root) {
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
static enum sciara_status count_rows(struct sciara_banded_part *p, struct sciara_banded_root *root) {
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

static enum sciara_status cut(struct sciara_banded_part *p, const struct sciara_banded_root *root) {
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
static enum sciara_status exchange_halo(struct sciara_banded_part *p) {
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
static enum sciara_status vote(struct sciara_banded_part *p, double t_opt, unsigned flags, uint64_t *out) {
  if (p->report.status != SCIARA_OK) flags |= SCIARA_VOTE_ERROR;
  // A time that no vote holds comes from numbers that lava cannot have: `move` finds them.
  *out = sciara_vote_make(sciara_vote_holds(t_opt) ? t_opt : 0x1p-126, flags);
  return p->comm->ops->vote(p->comm, p->cuts.count, out);
}

/** Whether rank 0 wants to return at the end of this step. */
static bool wants_stop(const struct sciara_banded_root *root) {
  return root &&
         ((root->cancel && __atomic_load_n(root->cancel, __ATOMIC_RELAXED)) || sciara_wallclock() >= root->until);
}

/** Adds what all vents emit in the next step, in the order of the engines. */
static void add_emitted(const struct sciara_banded_part *p, struct sciara_banded_root *root) {
  const struct sciara_vents *v = p->map_vents;
  for (int64_t n = 0; n < v->count; n++) {
    const double volume =
        sciara_vent_volume(v->begin, v->end, v->rate, v->first[n], v->first[n + 1], p->now.time, p->now.clock);
    if (volume > 0) root->emitted = root->emitted + volume;
  }
}

/** `move`; a rank that fails continues to count, so that it leaves with the others. */
static void move_bands(struct sciara_banded_part *p, double t_opt) {
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
static enum sciara_status step_bands(struct sciara_banded_part *p, const struct sciara_banded_command *command,
                                     const struct sciara_stop_rule *rule, struct sciara_banded_root *root,
                                     uint64_t *agreed) {
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
static enum sciara_status advance_part(struct sciara_banded_part *p, const struct sciara_banded_command *command,
                                       struct sciara_banded_root *root) {
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
static enum sciara_status votes(struct sciara_banded_part *p, int count) {
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
static enum sciara_status messages(struct sciara_banded_part *p, char *data, size_t bytes, int count) {
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
static enum sciara_status measure_part(struct sciara_banded_part *p, const struct sciara_banded_command *command) {
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

void sciara_banded_release(struct sciara_banded_part *p) {
  release_band(p);
  sciara_vents_destroy(p->map_vents);
  p->map_vents = NULL;
}

enum sciara_status sciara_banded_obey(struct sciara_banded_part *p, const struct sciara_banded_command *command,
                                      struct sciara_banded_root *root) {
  p->report = (struct sciara_banded_report){.now = {.bad = {.row = -1, .col = -1}}};
  enum sciara_status lost = SCIARA_OK;
  switch (command->kind) {
    case SCIARA_BANDED_CREATE: lost = create_part(p, command, root); break;
    case SCIARA_BANDED_UPLOAD: lost = upload_part(p, command, root); break;
    case SCIARA_BANDED_ADVANCE: lost = advance_part(p, command, root); break;
    case SCIARA_BANDED_DOWNLOAD: lost = download_part(p, root); break;
    case SCIARA_BANDED_COUNT: lost = count_rows(p, root); break;
    case SCIARA_BANDED_CUT: lost = cut(p, root); break;
    case SCIARA_BANDED_MEASURE: lost = measure_part(p, command); break;
    case SCIARA_BANDED_DESTROY: sciara_banded_release(p); break;
    case SCIARA_BANDED_DISMISS: break;
  }
  const int64_t row = p->report.now.bad.row, col = p->report.now.bad.col;
  const uint64_t step = p->report.now.bad.step;
  p->report.now = p->now;
  p->report.now.bad.step = step;
  p->report.now.bad.row = row < 0 ? row : row + sciara_cuts_rows(&p->cuts, p->comm->rank, SCIARA_HALO_ROWS).begin;
  p->report.now.bad.col = col;
  return lost;
}
