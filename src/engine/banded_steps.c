// SPDX-License-Identifier: Apache-2.0
// The steps of a rank: halos, evaluation, vote, move. All ranks with rows are in the same step, and leave it together.
#include <math.h>

#include "base/wallclock.h"
#include "comm/vote.h"
#include "engine/banded_part.h"
#include "engine/stop_rule.h"

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
      sciara_banded_note(p, phases->pack(p->engine, own[side], SCIARA_HALO_ROWS, p->halo[side][0]));
    m[count++] = (struct sciara_comm_message){.rank = other, .data = p->halo[side][0], .bytes = bytes};
    m[count++] = (struct sciara_comm_message){.rank = other, .receive = true, .data = p->halo[side][1], .bytes = bytes};
  }
  SCIARA_TRY(sciara_comm_exchange(p->comm, m, count));
  for (int side = 0; side < 2; side++)
    if (has[side] && p->report.status == SCIARA_OK)
      sciara_banded_note(p, phases->unpack(p->engine, halo[side], SCIARA_HALO_ROWS, p->halo[side][1]));
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
  sciara_banded_note(p, status);
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
    sciara_banded_note(p, p->inner->phases->evaluate(p->engine, command->stop.thickness, &t_opt));
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

enum sciara_status sciara_banded_steps(struct sciara_banded_part *p, const struct sciara_banded_command *command,
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
