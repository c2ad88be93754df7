// SPDX-License-Identifier: Apache-2.0
#include "ensemble/used_vents.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "ensemble/members.h"

void sciara_vent_groups_free(struct sciara_vent_groups *g) {
  for (size_t k = 0; k < g->count; k++) sciara_vent_marks_free(&g->marks[k]);
  sciara_free(g->marks);
  sciara_free(g->member);
  sciara_free(g->begin);
  *g = (struct sciara_vent_groups){0};
}

void sciara_used_vents_free(struct sciara_used_vents *v) {
  sciara_vent_groups_free(&v->groups);
  sciara_free(v->vent);
  *v = (struct sciara_used_vents){0};
}

// --------------------------------------------------------------------------------------------------- of the scenarios

/** A member, and a hash of the values that place its vents. */
struct placed {
  uint64_t hash;
  size_t member;
};

static int by_hash(const void *a, const void *b) {
  const struct placed *p = (const struct placed *)a, *q = (const struct placed *)b;
  if (p->hash != q->hash) return p->hash < q->hash ? -1 : 1;
  return (p->member > q->member) - (p->member < q->member);
}

/** Whether a key of members says where vents are, or how many; rates do not. */
static bool places_vents(const char *key) {
  char name[256];
  return sciara_member_key_plain(key, name, sizeof name) && strncmp(name, "vents", strlen("vents")) == 0 &&
         !strstr(name, ".effusion");
}

/** The members that count, or all of them, those with the same vents beside each other. */
static enum sciara_status place_members(const struct sciara_ensemble *e, const struct sciara_sample *s,
                                        struct placed **out, size_t *count) {
  const struct sciara_members *m = &e->members;
  const size_t members = s ? s->count : m->count;
  SCIARA_TRY(SCIARA_NEW(*out, members + 1, "the vents of an ensemble"));
  for (size_t i = 0; i < members; i++)
    if (!s || sciara_sample_counts(s, i)) (*out)[(*count)++] = (struct placed){SCIARA_HASH_BEGIN, i};
  for (size_t k = 0; k < m->key_count; k++) {
    if (!places_vents(m->key[k])) continue;
    for (size_t i = 0; i < *count; i++) {
      const char *value = m->value[(*out)[i].member * m->key_count + k];
      (*out)[i].hash = sciara_hash_bytes((*out)[i].hash, value, strlen(value) + 1);
    }
  }
  qsort(*out, *count, sizeof **out, by_hash);
  return SCIARA_OK;
}

/** The vents of a member. One that is no longer a valid scenario has none. */
static enum sciara_status read_marks(const struct sciara_ensemble *e, size_t member, const struct sciara_grid *grid,
                                     const struct sciara_georef *georef, struct sciara_vent_marks *out) {
  char name[SCIARA_MEMBER_NAME];
  const struct sciara_scenario_member m = sciara_ensemble_member(e, member, name);
  struct sciara_scenario_spec scenario = {0};
  enum sciara_status status = sciara_scenario_member_values(&m, true, NULL, &scenario);
  if (status == SCIARA_OK) status = sciara_vent_marks_make(&scenario, grid, georef, out);
  sciara_scenario_free(&scenario);
  if (status == SCIARA_ERR_INPUT) {
    sciara_error_clear();
    return SCIARA_OK;
  }
  return status;
}

enum sciara_status sciara_vent_groups_make(const struct sciara_ensemble *e, const struct sciara_sample *sample,
                                           const struct sciara_grid *grid, const struct sciara_georef *georef,
                                           struct sciara_vent_groups *out) {
  struct placed *placed = NULL;
  size_t count = 0, groups = 0;
  enum sciara_status status;
  *out = (struct sciara_vent_groups){0};
  SCIARA_TRY_GOTO(place_members(e, sample, &placed, &count));
  for (size_t k = 0; k < count; k++) groups += k == 0 || placed[k].hash != placed[k - 1].hash;
  SCIARA_TRY_GOTO(SCIARA_NEW(out->marks, groups + 1, "the vents of an ensemble"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->begin, groups + 1, "the vents of an ensemble"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->member, count + 1, "the vents of an ensemble"));
  for (size_t k = 0; k < count; k++) {
    out->member[k] = placed[k].member;
    if (k > 0 && placed[k].hash == placed[k - 1].hash) continue;
    out->begin[out->count++] = k;
    SCIARA_TRY_GOTO(read_marks(e, placed[k].member, grid, georef, &out->marks[out->count - 1]));
  }
  out->begin[out->count] = count;
cleanup:
  sciara_free(placed);
  if (status != SCIARA_OK) sciara_vent_groups_free(out);
  return status;
}

static int by_place(const void *a, const void *b) {
  const struct sciara_used_vent *p = (const struct sciara_used_vent *)a, *q = (const struct sciara_used_vent *)b;
  if (p->count != q->count) return p->count < q->count ? -1 : 1;
  return memcmp(p->points, q->points, p->count * sizeof *p->points);
}

/** Vents at the same place become one. */
static void join_vents(struct sciara_used_vents *v) {
  size_t kept = 0;
  qsort(v->vent, v->count, sizeof *v->vent, by_place);
  for (size_t k = 0; k < v->count; k++)
    if (kept > 0 && by_place(&v->vent[kept - 1], &v->vent[k]) == 0)
      v->vent[kept - 1].weight += v->vent[k].weight;
    else
      v->vent[kept++] = v->vent[k];
  v->count = kept;
}

static enum sciara_status take_scenarios(const struct sciara_ensemble *e, const struct sciara_sample *s,
                                         const struct sciara_grid *grid, const struct sciara_georef *georef,
                                         struct sciara_used_vents *out) {
  const struct sciara_vent_groups *groups = &out->groups;
  size_t vents = 0;
  SCIARA_TRY(sciara_vent_groups_make(e, s, grid, georef, &out->groups));
  for (size_t g = 0; g < groups->count; g++) vents += groups->marks[g].count;
  SCIARA_TRY(SCIARA_NEW(out->vent, vents + 1, "the vents of an ensemble"));
  for (size_t g = 0; g < groups->count; g++) {
    double weight = 0;
    for (size_t k = groups->begin[g]; k < groups->begin[g + 1]; k++) weight += s->weight[groups->member[k]];
    for (size_t k = 0; k < groups->marks[g].count; k++) {
      const struct sciara_vent_mark *mark = &groups->marks[g].mark[k];
      out->vent[out->count++] = (struct sciara_used_vent){mark->name, mark->points, mark->count, weight};
    }
  }
  join_vents(out);
  out->weighted = groups->count > 1;
  return SCIARA_OK;
}

// -------------------------------------------------------------------------------------------------------- of the plan

static enum sciara_status take_used_vents(const struct sciara_ensemble *e, const struct sciara_sample *s,
                                          struct sciara_used_vents *out) {
  double *weight;
  SCIARA_TRY(SCIARA_NEW(weight, e->vent_count, "the vents of an ensemble"));
  const enum sciara_status status = SCIARA_NEW(out->vent, e->vent_count, "the vents of an ensemble");
  for (size_t m = 0; m < s->count; m++) {
    const int64_t vent = e->members.vent[m];
    if (vent >= 0 && (size_t)vent < e->vent_count && sciara_sample_counts(s, m)) weight[vent] += s->weight[m];
  }
  for (size_t k = 0; status == SCIARA_OK && k < e->vent_count; k++) {
    const struct sciara_ensemble_vent *v = &e->vents[k];
    if (weight[k] > 0)
      out->vent[out->count++] = (struct sciara_used_vent){v->name, v->points, v->point_count, weight[k]};
  }
  out->weighted = true;
  sciara_free(weight);
  return status;
}

enum sciara_status sciara_used_vents_make(const struct sciara_ensemble *e, const struct sciara_sample *sample,
                                          const struct sciara_grid *grid, const struct sciara_georef *georef,
                                          struct sciara_used_vents *out) {
  double most = 0;
  *out = (struct sciara_used_vents){0};
  const enum sciara_status status =
      e->vent_count > 0 ? take_used_vents(e, sample, out) : take_scenarios(e, sample, grid, georef, out);
  for (size_t k = 0; k < out->count; k++) most = fmax(most, out->vent[k].weight);
  for (size_t k = 0; k < out->count; k++) out->vent[k].weight /= most;
  if (status != SCIARA_OK) sciara_used_vents_free(out);
  return status;
}

// ------------------------------------------------------------------------------------------------------ zones of rates

static bool holds(const struct sciara_ensemble_rate *rate, const struct sciara_point *points, size_t count) {
  return !rate->points ||
         sciara_polygon_contains(rate->points, rate->point_count, sciara_polyline_middle(points, count));
}

/** By the vents of the plan. */
static void find_zones_of_vents(const struct sciara_ensemble *e, const struct sciara_ensemble_rate *rate, size_t count,
                                uint8_t *zone) {
  for (size_t m = 0; m < count; m++) {
    const int64_t vent = e->members.vent[m];
    const bool known = vent >= 0 && (size_t)vent < e->vent_count;
    zone[m] = !rate->points || (known && holds(rate, e->vents[vent].points, e->vents[vent].point_count));
  }
}

/** Whether a zone holds the vents of a scenario: all of them, or none. `id` is that of one of its members. */
static enum sciara_status decide(const struct sciara_ensemble_rate *rate, const struct sciara_vent_marks *vents,
                                 int64_t id, bool *inside) {
  size_t held = 0;
  for (size_t k = 0; k < vents->count; k++) held += holds(rate, vents->mark[k].points, vents->mark[k].count);
  *inside = !rate->points || held > 0;
  if (!rate->points || (vents->count > 0 && (held == 0 || held == vents->count))) return SCIARA_OK;
  if (vents->count == 0)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "result.eruptions_per_year: expected a vent in each member, by which its zone is known, found "
                       "none in member %" PRId64 "; without \"polygon\" a rate counts for all members",
                       id);
  return sciara_fail(SCIARA_ERR_INPUT,
                     "result.eruptions_per_year: expected zones that hold all vents of a member or none of them, found "
                     "%zu of the %zu vents of member %" PRId64
                     " in zone \"%.60s\"; change its polygon, or leave it out: "
                     "then its rate counts for all members",
                     held, vents->count, id, rate->name ? rate->name : "");
}

/** By the vents of each member. */
static enum sciara_status take_groups(const struct sciara_ensemble *e, const struct sciara_ensemble_rate *rate,
                                      const struct sciara_vent_groups *groups, size_t count, uint8_t *zone) {
  for (size_t g = 0; g < groups->count; g++) {
    const size_t *member = groups->member + groups->begin[g], *end = groups->member + groups->begin[g + 1];
    bool inside;
    SCIARA_TRY(decide(rate, &groups->marks[g], e->members.id[*member], &inside));
    for (; member < end; member++)
      if (*member < count) zone[*member] = inside;
  }
  return SCIARA_OK;
}

enum sciara_status sciara_rate_zones_find(const struct sciara_ensemble *e, const struct sciara_grid *grid,
                                          const struct sciara_georef *georef, size_t count, uint8_t *zone) {
  const struct sciara_ensemble_result *result = &e->result;
  struct sciara_vent_groups groups = {0};
  bool polygons = false;
  enum sciara_status status = SCIARA_OK;
  for (size_t z = 0; z < result->rate_count; z++) polygons |= result->rates[z].points != NULL;
  const bool own = polygons && e->vent_count == 0;
  if (own) SCIARA_TRY(sciara_vent_groups_make(e, NULL, grid, georef, &groups));
  for (size_t z = 0; z < result->rate_count && status == SCIARA_OK; z++)
    if (own)
      status = take_groups(e, &result->rates[z], &groups, count, zone + z * count);
    else
      find_zones_of_vents(e, &result->rates[z], count, zone + z * count);
  sciara_vent_groups_free(&groups);
  return status;
}
