// SPDX-License-Identifier: Apache-2.0
// How long the members of a plan will take, from some of them.
#include "plan/planning.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "engine/engine.h"
#include "ensemble/task_list.h"
#include "member/compute.h"
#include "model/window.h"
#include "sim/cost.h"

static const double GOLDEN = 0.6180339887498949; ///< its multiples are spread evenly, and follow no period of the table

/** A member of the sample. */
struct item {
  size_t member;
  double length; ///< sciara_member_need
};

/** What was found about a member. */
struct probed {
  struct item item;
  struct sciara_compute_probe probe;
};

struct work {
  const struct sciara_ensemble *e;
  struct sciara_compute_setup setup;
  double bytes_per_cell;
  struct item item[SCIARA_COST_SAMPLE];
  size_t items;
  struct probed probed[SCIARA_COST_PROBES];
  size_t probes;
};

static enum sciara_status measure(const struct work *w, size_t member, struct sciara_member_need *out) {
  const struct sciara_task_estimate how = {
      .ensemble = w->e, .setup = &w->setup, .bytes_per_cell = w->bytes_per_cell, .threads = 1};
  struct sciara_diagnostics diagnostics = {0};
  sciara_member_estimate(&how, member, out, &diagnostics);
  const enum sciara_status status = sciara_diagnostics_status(&diagnostics);
  sciara_diagnostics_free(&diagnostics);
  return status;
}

static int by_length(const void *a, const void *b) {
  const struct item *p = (const struct item *)a, *q = (const struct item *)b;
  if (p->length != q->length) return p->length < q->length ? -1 : 1;
  return p->member < q->member ? -1 : p->member > q->member;
}

static enum sciara_status draw(struct work *w, double *bytes) {
  const size_t count = w->e->members.count;
  w->items = count < SCIARA_COST_SAMPLE ? count : SCIARA_COST_SAMPLE;
  for (size_t k = 0; k < w->items; k++) {
    struct sciara_member_need need = {0};
    const double turn = ((double)k + 0.5) * GOLDEN;
    const size_t member = count <= SCIARA_COST_SAMPLE ? k : (size_t)((turn - floor(turn)) * (double)count);
    SCIARA_TRY(measure(w, member, &need));
    w->item[k] = (struct item){member, need.length};
    *bytes = fmax(*bytes, need.memory);
  }
  return SCIARA_OK;
}

/** Probes the members in the middle of equal parts of the sample, the shortest first: it leaves time for the others. */
static enum sciara_status probe_members(struct work *w, double seconds) {
  w->probes = w->items < SCIARA_COST_PROBES ? w->items : SCIARA_COST_PROBES;
  for (size_t k = 0; k < w->probes; k++) {
    struct probed *p = &w->probed[k];
    struct sciara_compute_setup setup = w->setup;
    struct sciara_footprint f = {0};
    bool cancelled = false;
    p->item = w->item[(2 * k + 1) * w->items / (2 * w->probes)];
    p->probe.seconds = 0.5 * fmax(seconds, 0); // half of what is left
    setup.probe = &p->probe;
    char name[SCIARA_MEMBER_NAME];
    const struct sciara_scenario_member scenario = sciara_ensemble_member(w->e, p->item.member, name);
    const enum sciara_status status = sciara_compute_member(&setup, &scenario, &f, &cancelled);
    seconds -= p->probe.cpu_s;
    sciara_footprint_free(&f);
    SCIARA_TRY(status);
  }
  return SCIARA_OK;
}

/**
 * Each part of the sample costs what its probe does, in proportion to their lengths. Of a probe that did not come to its end only
 * a lower bound is known, however it went so far: the time is unknown if such members are more than a small part of it.
 */
static void add_up(const struct work *w, double seconds, struct sciara_plan_time *out) {
  double unit[SCIARA_COST_PROBES], unfinished = 0, least_s = 0, mean = 0, squares = 0;
  for (size_t k = 0; k < w->probes; k++) {
    const struct probed *p = &w->probed[k];
    unit[k] = p->probe.cpu_s / (p->item.length > 0 ? p->item.length : 1);
    if (!p->probe.whole || !(unit[k] > 0)) continue;
    mean += log(unit[k]);
    squares += log(unit[k]) * log(unit[k]);
    out->whole++;
  }
  const double known = fmax((double)out->whole, 1);
  mean /= known;
  squares /= known;
  for (size_t k = 0; k < w->probes; k++) {
    const size_t first = k * w->items / w->probes, end = (k + 1) * w->items / w->probes;
    const bool whole = w->probed[k].probe.whole && unit[k] > 0;
    double part = 0;
    for (size_t i = first; i < end; i++)
      part += (w->item[i].length > 0 ? w->item[i].length : 1) * (whole ? unit[k] : fmax(exp(mean), unit[k]));
    out->core_s += part;
    least_s += whole ? part : w->probed[k].probe.cpu_s * (double)(end - first);
    if (!whole) unfinished += part;
  }
  const double share = out->core_s > 0 ? unfinished / out->core_s : 0;
  const double drawn = w->probes < w->e->members.count ? 2 * sqrt(fmax(squares - mean * mean, 0) / known) : 0;
  const double left = share * log(SCIARA_COST_SPREAD_OF_REST);
  const double spread = fmax(exp(sqrt(drawn * drawn + left * left)), SCIARA_COST_SPREAD_LEAST);
  const double all = (double)w->e->members.count / (double)w->items;
  char least[48];
  out->core_s *= all;
  out->low_s = out->core_s / spread;
  out->high_s = out->core_s * spread;
  out->made = out->whole > 0 && share <= SCIARA_COST_UNFINISHED_MOST;
  if (out->made) return;
  sciara_print_about(least_s * all, least, sizeof least);
  snprintf(out->why, sizeof out->why,
           "%zu of %zu members ended in %g s; all take more than %s on one core; 'run' shows the time left when some "
           "have ended",
           out->whole, w->probes, seconds, least);
}

enum sciara_status sciara_plan_time_make(const struct sciara_ensemble *e, const struct sciara_problem *base,
                                         double seconds, struct sciara_plan_time *out) {
  const struct sciara_engine_ops *ops;
  struct work *w;
  *out = (struct sciara_plan_time){.made = false};
  const enum sciara_rule_kind rule = base->scenario.params.rule;
  const char *engine_name = SCIARA_ENGINE_AUTO_HOST; // on one thread
  SCIARA_TRY(sciara_engine_find(
      engine_name, rule, base->scenario.engine.single_precision ? SCIARA_SINGLE_PRECISION : SCIARA_DOUBLE, &ops));
  SCIARA_TRY(SCIARA_NEW(w, 1, "an estimate"));
  w->e = e;
  w->bytes_per_cell = sciara_member_bytes_per_cell(ops, SCIARA_FOOTPRINT_RECORD);
  w->setup = (struct sciara_compute_setup){
      .site = base->site, .planned = true, .engine = engine_name, .threads = 1, .device = -1};
  enum sciara_status status = draw(w, &out->member_bytes);
  if (status == SCIARA_OK && seconds > 0) {
    qsort(w->item, w->items, sizeof *w->item, by_length);
    w->setup.ground = sciara_site_checksum(base->site);
    status = probe_members(w, seconds);
  }
  out->probed = w->probes;
  if (status == SCIARA_OK && w->probes > 0) add_up(w, seconds, out);
  if (status != SCIARA_OK) snprintf(out->why, sizeof out->why, "%s", sciara_last_error());
  sciara_free(w);
  return status;
}
