// SPDX-License-Identifier: Apache-2.0
// From vents, events and distributions to the table of members.
#include "plan/planning.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "model/random.h"
#include "plan/points.h"

enum { MOST_VARIED = 64, MOST_DIMENSIONS = MOST_VARIED + 4 };

/** The columns of the table and where they come from. */
struct columns {
  char *name[2 + SCIARA_MEMBER_KEYS_MOST];
  size_t count;
  size_t place;    ///< of "vents.0.x" and "vents.0.y", or of "vents.0.line"
  size_t effusion; ///< of "vents.0.effusion", the further vents of the base follow; SIZE_MAX: none
  size_t effusions;
  size_t varied[MOST_VARIED]; ///< of each varied key; SIZE_MAX: it acts on the effusion
};

/** What a member changes in its effusion. */
struct emission {
  double scale, volume_m3, duration_s;
};

/** The effusion of the last member of a class: members seldom differ in it unless it is varied. */
struct last_effusion {
  struct emission of;
  struct sciara_text text; ///< empty: there was no member
};

/** A table of members that is being made. */
struct work {
  struct sciara_expansion *x;
  struct columns columns;
  struct sciara_members *m;
  size_t at; ///< members so far
  size_t vents, events;
  size_t pairs; ///< of vent and event that have members
  double vent_sum, event_sum;
  struct last_effusion *last; ///< of each class
};

// ----------------------------------------------------------------------------------------------------------- columns

static enum sciara_status add_expanded_column(struct columns *c, char *name) {
  if (!name) return sciara_no_memory("the members");
  if (c->count == sizeof c->name / sizeof *c->name) {
    free(name);
    return sciara_fail(SCIARA_ERR_INPUT, "expected at most %d keys that differ, found more", SCIARA_MEMBER_KEYS_MOST);
  }
  c->name[c->count++] = name;
  return SCIARA_OK;
}

/** Whether something acts on the rates of the base itself. */
static bool scales_rates(const struct sciara_variation *v) {
  for (size_t k = 0; k < v->count; k++)
    if (v->vary[k].target == SCIARA_VARY_RATE) return true;
  return false;
}

static enum sciara_status make_columns(struct sciara_expansion *x, struct columns *c) {
  const bool scaled = x->event_count == 0 && scales_rates(&x->variation);
  c->effusion = SIZE_MAX;
  c->effusions = x->event_count > 0 ? 1 : scaled ? x->base->vent_count : 0;
  c->place = c->count;
  if (x->vents.count > 0 && x->vents.lines) SCIARA_TRY(add_expanded_column(c, sciara_format("vents.0.line")));
  if (x->vents.count > 0 && !x->vents.lines) {
    SCIARA_TRY(add_expanded_column(c, sciara_format("vents.0.x")));
    SCIARA_TRY(add_expanded_column(c, sciara_format("vents.0.y")));
  }
  if (c->effusions > 0) c->effusion = c->count;
  for (size_t k = 0; k < c->effusions; k++) SCIARA_TRY(add_expanded_column(c, sciara_format("vents.%zu.effusion", k)));
  for (size_t k = 0; k < x->variation.count; k++) {
    c->varied[k] = SIZE_MAX;
    const struct sciara_vary_spec *v = &x->variation.vary[k];
    if (v->target != SCIARA_VARY_KEY && v->target != SCIARA_VARY_GROUND) continue;
    c->varied[k] = c->count;
    SCIARA_TRY(add_expanded_column(c, sciara_format("%s", v->target == SCIARA_VARY_GROUND ? "dem.error" : v->key)));
  }
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------- one member

/** What was drawn for a member. */
struct draw {
  size_t vent, event; ///< SIZE_MAX: those of the base
  int64_t stratum, replicate;
  double weight;
  double shift_x, shift_y; ///< m
  const double *u;         ///< a share for each varied key, by rank; NULL: `choice`
  const size_t *choice;    ///< the value of each varied key in a full plan
};

static enum sciara_status set_number(struct sciara_members *m, size_t member, size_t key, double value) {
  char number[40];
  sciara_json_number(value, number, sizeof number);
  return sciara_members_set(m, member, key, number);
}

static enum sciara_status set_line(struct work *w, const struct sciara_ensemble_vent *v, const struct draw *d) {
  struct sciara_text line = {0};
  char x[40], y[40];
  sciara_text_append(&line, "[");
  for (size_t k = 0; k < v->point_count; k++) {
    sciara_json_number(v->points[k].x + d->shift_x, x, sizeof x);
    sciara_json_number(v->points[k].y + d->shift_y, y, sizeof y);
    sciara_text_append(&line, "%s[%s, %s]", k ? ", " : "", x, y);
  }
  enum sciara_status status = sciara_text_append(&line, "]");
  if (status == SCIARA_OK) status = sciara_members_set(w->m, w->at, w->columns.place, line.data);
  sciara_text_free(&line);
  return status;
}

static enum sciara_status set_place(struct work *w, const struct draw *d) {
  if (d->vent == SIZE_MAX) return SCIARA_OK;
  const struct sciara_ensemble_vent *v = &w->x->vents.vent[d->vent];
  if (w->x->vents.lines) return set_line(w, v, d);
  SCIARA_TRY(set_number(w->m, w->at, w->columns.place, v->points[0].x + d->shift_x));
  return set_number(w->m, w->at, w->columns.place + 1, v->points[0].y + d->shift_y);
}

/** The index of the value of VALUES at the share u. */
static size_t vary_choice(const struct sciara_vary_spec *v, double u) {
  double sum = 0;
  size_t last = 0;
  for (size_t k = 0; k < v->count; k++) {
    sum += v->share[k];
    if (v->share[k] > 0) last = k;
    if (u < sum && v->share[k] > 0) return k;
  }
  return last;
}

/** The value of a varied key; a number is also returned in *number. */
static enum sciara_status set_varied(struct work *w, const struct draw *d, size_t k, double *number) {
  const struct sciara_vary_spec *v = &w->x->variation.vary[k];
  char text[40];
  const char *value = text;
  if (v->kind == SCIARA_DIST_VALUES) {
    value = v->value[d->choice ? d->choice[k] : vary_choice(v, d->u[v->rank])];
    if (v->target != SCIARA_VARY_KEY && !sciara_parse_double(value, number))
      return sciara_fail(SCIARA_ERR_INTERNAL, "%s: a value that is no number", v->key);
  } else {
    if (!d->u) return sciara_fail(SCIARA_ERR_INTERNAL, "%s: no list of values in a full sample", v->key);
    *number = sciara_variation_number(&w->x->variation, k, d->u);
    sciara_json_number(*number, text, sizeof text);
  }
  return v->target == SCIARA_VARY_KEY ? sciara_members_set(w->m, w->at, w->columns.varied[k], value) : SCIARA_OK;
}

/** The errors of altitudes of a member; its seed depends on that of the sample and on its place in the table alone. */
static enum sciara_status set_ground(struct work *w, size_t k, double sd_m) {
  const struct sciara_draw draw = {.seed = w->x->sample.seed, .stream = SCIARA_STREAM_SEED, .index = w->at};
  char sd[40], length[40];
  sciara_json_number(sd_m, sd, sizeof sd);
  sciara_json_number(w->x->variation.vary[k].correlation_m, length, sizeof length);
  char *text = sciara_format("{\"sd_m\": %s, \"correlation_m\": %s, \"seed\": %" PRIu64 "}", sd, length,
                             sciara_draw_bits(draw) >> 11);
  const enum sciara_status status =
      text ? sciara_members_set(w->m, w->at, w->columns.varied[k], text) : sciara_no_memory("the members");
  free(text);
  return status;
}

/** The effusion of a class as text, which belongs to `w`. */
static enum sciara_status find_effusion_text(struct work *w, size_t event, const struct emission *e, const char **out) {
  struct last_effusion *last = &w->last[event];
  const struct emission *of = &last->of;
  enum sciara_status status = SCIARA_OK;
  if (last->text.length == 0 || of->scale != e->scale || of->volume_m3 != e->volume_m3 ||
      of->duration_s != e->duration_s) {
    sciara_text_free(&last->text);
    *last = (struct last_effusion){.of = *e};
    status = sciara_event_effusion(&w->x->events[event], e->volume_m3, e->duration_s, e->scale, &last->text);
  }
  *out = last->text.data;
  return status;
}

static enum sciara_status set_effusion(struct work *w, const struct draw *d, const struct emission *e) {
  const struct columns *c = &w->columns;
  for (size_t k = 0; k < c->effusions; k++) {
    struct sciara_text text = {0};
    const struct sciara_vent_spec *vent = &w->x->base->vents[k];
    const char *value = NULL;
    enum sciara_status status =
        d->event != SIZE_MAX ? find_effusion_text(w, d->event, e, &value)
                             : sciara_rates_effusion(vent->edges, vent->rates, vent->rate_count, e->scale, &text);
    if (status == SCIARA_OK) status = sciara_members_set(w->m, w->at, c->effusion + k, value ? value : text.data);
    sciara_text_free(&text);
    if (status != SCIARA_OK) return sciara_fail_context(status, "%s: member %zu", w->x->r->file, w->at);
  }
  return SCIARA_OK;
}

static enum sciara_status add_member(struct work *w, const struct draw *d) {
  const struct sciara_event_spec *event = d->event == SIZE_MAX ? NULL : &w->x->events[d->event];
  struct emission e = {1, event ? event->volume_m3 : 0, event ? event->duration_s : 0};
  struct sciara_members *m = w->m;
  m->stratum[w->at] = d->stratum;
  m->replicate[w->at] = d->replicate;
  m->vent[w->at] = d->vent == SIZE_MAX ? -1 : (int64_t)d->vent;
  m->event[w->at] = d->event == SIZE_MAX ? -1 : (int64_t)d->event;
  m->weight[w->at] = d->weight;
  SCIARA_TRY(set_place(w, d));
  for (size_t k = 0; k < w->x->variation.count; k++) {
    const struct sciara_vary_spec *v = &w->x->variation.vary[k];
    double number = 0;
    SCIARA_TRY(set_varied(w, d, k, &number));
    if (v->target == SCIARA_VARY_GROUND) SCIARA_TRY(set_ground(w, k, number));
    if (v->target == SCIARA_VARY_RATE) e.scale = number;
    if (v->target == SCIARA_VARY_VOLUME && v->event == d->event) e.volume_m3 = number;
    if (v->target == SCIARA_VARY_DURATION && v->event == d->event) e.duration_s = number;
  }
  SCIARA_TRY(set_effusion(w, d, &e));
  if (event) m->drawn[SCIARA_DRAWN_VOLUME][w->at] = e.volume_m3;
  if (event) m->drawn[SCIARA_DRAWN_DURATION][w->at] = e.duration_s;
  if (scales_rates(&w->x->variation)) m->drawn[SCIARA_DRAWN_RATE_SCALE][w->at] = e.scale;
  w->at++;
  return SCIARA_OK;
}

// ----------------------------------------------------------------------------------------------------------- methods

static double vent_share(const struct work *w, size_t k) {
  return w->x->vents.count ? w->x->vents.vent[k].weight / w->vent_sum : 1;
}

static double event_share(const struct work *w, size_t k) {
  return w->x->event_count ? w->x->events[k].weight / w->event_sum : 1;
}

/** The pair of a stratum; SIZE_MAX for what is of the base. */
static struct draw draw_of(const struct work *w, size_t vent, size_t event) {
  return (struct draw){.vent = w->x->vents.count ? vent : SIZE_MAX,
                       .event = w->x->event_count ? event : SIZE_MAX,
                       .stratum = (int64_t)(vent * w->events + event),
                       .replicate = 0,
                       .weight = vent_share(w, vent) * event_share(w, event)};
}

/** Advances to the next combination of values, the last key fastest; false after the last. */
static bool next_choice(const struct sciara_variation *v, size_t *choice) {
  for (size_t k = v->count; k-- > 0;) {
    if (++choice[k] < v->vary[k].count) return true;
    choice[k] = 0;
  }
  return false;
}

static enum sciara_status add_full(struct work *w, struct draw d) {
  const struct sciara_variation *v = &w->x->variation;
  const double weight = d.weight;
  size_t choice[MOST_VARIED] = {0};
  d.choice = choice;
  do {
    d.weight = weight;
    for (size_t k = 0; k < v->count; k++) d.weight *= v->vary[k].share[choice[k]];
    if (d.weight > 0)
      SCIARA_TRY(add_member(w, &d));
    else
      w->x->skipped++;
  } while (next_choice(v, choice));
  return SCIARA_OK;
}

/** The index at a share of weights. */
static size_t pick(const struct work *w, size_t count, double (*share)(const struct work *, size_t), double u) {
  double sum = 0;
  size_t last = 0;
  for (size_t k = 0; k < count; k++) {
    const double part = share(w, k);
    sum += part;
    if (part > 0) last = k;
    if (part > 0 && u < sum) return k;
  }
  return last;
}

/** A seed for each coordinate of a point: of vent and event if they are drawn, of the place, of each varied key. */
static void seed_dimensions(const struct work *w, size_t first, size_t after, uint64_t seed[MOST_DIMENSIONS]) {
  static const char *const drawn[] = {"vent", "event"}, *const place[] = {"jitter x", "jitter y"}; // no key is named so
  const struct sciara_variation *v = &w->x->variation;
  for (size_t k = 0; k < MOST_DIMENSIONS; k++) seed[k] = 0; // columns of sets share one of theirs
  for (size_t k = 0; k < after; k++)
    seed[k] = sciara_points_seed(w->x->sample.seed, k < first ? drawn[k] : place[k - first]);
  for (size_t k = 0; k < v->count; k++)
    seed[after + v->vary[k].rank] = sciara_points_seed(w->x->sample.seed, v->vary[k].name);
}

/**
 * One set of points: for one pair of vent and event, or, if these are drawn, for all members of a replicate.
 *
 * Its members are not next to each other: point i of all pairs comes before point i + 1 of any. So the first part of an
 * ensemble is a smaller sample of the whole, with which the stop rule may hold.
 *
 * @param pair index of the pair among those that have members
 */
static enum sciara_status add_points(struct work *w, struct draw d, uint32_t design, size_t pair) {
  const struct sciara_sample_spec *s = &w->x->sample;
  const struct sciara_variation *v = &w->x->variation;
  const bool jitter = w->x->vents.jitter_m > 0;
  const size_t first = s->drawn ? 2 : 0, after = first + (jitter ? 2 : 0), dimensions = after + v->count;
  uint64_t seed[MOST_DIMENSIONS];
  size_t values;
  double *u = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_size_mul(s->count, dimensions, &values));
  SCIARA_TRY_GOTO(SCIARA_NEW(u, values + 1, "points of a sample")); // 0 dimensions if nothing is drawn
  seed_dimensions(w, first, after, seed);
  SCIARA_TRY_GOTO(sciara_points_make(s->method, seed, design, s->count, dimensions, u));
  for (size_t i = 0; i < s->count; i++) {
    double *at = u + i * dimensions;
    if (s->drawn) {
      const int64_t replicate = d.replicate;
      d = draw_of(w, pick(w, w->vents, vent_share, at[0]), pick(w, w->events, event_share, at[1]));
      d.replicate = replicate;
      d.stratum = 0;
      d.weight = 1 / ((double)s->count * (double)s->replicates);
    }
    if (jitter) {
      d.shift_x = (2 * at[first] - 1) * w->x->vents.jitter_m;
      d.shift_y = (2 * at[first + 1] - 1) * w->x->vents.jitter_m;
    }
    sciara_variation_correlate(v, at + after);
    d.u = at + after;
    w->at = ((size_t)d.replicate * s->count + i) * w->pairs + pair;
    SCIARA_TRY_GOTO(add_member(w, &d));
  }
cleanup:
  sciara_free(u);
  return status;
}

/** @param pair number of the pairs before this one that have members; counted up if it has some */
static enum sciara_status add_pair(struct work *w, size_t vent, size_t event, size_t *pair) {
  const struct sciara_sample_spec *s = &w->x->sample;
  struct draw d = draw_of(w, vent, event);
  if (s->method == SCIARA_SAMPLE_FULL) return add_full(w, d);
  if (!(d.weight > 0)) {
    w->x->skipped += s->count * s->replicates;
    return SCIARA_OK;
  }
  d.weight /= (double)s->count * (double)s->replicates;
  for (size_t k = 0; k < s->replicates; k++) {
    d.replicate = (int64_t)k;
    SCIARA_TRY(add_points(w, d, (uint32_t)((size_t)d.stratum * s->replicates + k), *pair));
  }
  ++*pair;
  return SCIARA_OK;
}

static enum sciara_status add_all(struct work *w) {
  const struct sciara_sample_spec *s = &w->x->sample;
  size_t pair = 0;
  w->pairs = s->drawn;
  for (size_t vent = 0; !s->drawn && vent < w->vents; vent++)
    for (size_t event = 0; event < w->events; event++) w->pairs += vent_share(w, vent) * event_share(w, event) > 0;
  for (size_t k = 0; s->drawn && k < s->replicates; k++)
    SCIARA_TRY(add_points(w, (struct draw){.replicate = (int64_t)k}, (uint32_t)k, 0));
  for (size_t vent = 0; !s->drawn && vent < w->vents; vent++)
    for (size_t event = 0; event < w->events; event++) SCIARA_TRY(add_pair(w, vent, event, &pair));
  if (s->method != SCIARA_SAMPLE_FULL) w->at = w->pairs * s->count * s->replicates;
  return SCIARA_OK;
}

enum { MANY_MEMBERS = 50000 };

/** `count` members of each pair are seldom meant where pairs are many. */
static enum sciara_status check_count(const struct work *w, double members) {
  const struct sciara_sample_spec *s = &w->x->sample;
  const double pairs = (double)w->vents * (double)w->events;
  if (s->method == SCIARA_SAMPLE_FULL || s->drawn || pairs < 2) return SCIARA_OK;
  if (s->chosen || members <= MANY_MEMBERS) {
    sciara_log(SCIARA_LOG_INFO, "%s: sample: %.0f members of each of %.0f pairs of vent and event, %.0f in all",
               w->x->r->file, members / pairs, pairs, members);
    return SCIARA_OK;
  }
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: sample.vents: expected \"drawn\", with which there are %.0f members in all, or \"all\", with "
                     "%.0f members of each of %.0f pairs of vent and event: %.0f in all. Found neither",
                     w->x->r->file, members / pairs, members / pairs, pairs, members);
}

/** The largest number of members: without those of weight 0. */
static enum sciara_status count_members(const struct work *w, size_t *out) {
  const struct sciara_sample_spec *s = &w->x->sample;
  double count = s->drawn ? 1 : (double)w->vents * (double)w->events;
  if (s->method != SCIARA_SAMPLE_FULL) count *= (double)s->count * (double)s->replicates;
  for (size_t k = 0; s->method == SCIARA_SAMPLE_FULL && k < w->x->variation.count; k++)
    count *= (double)w->x->variation.vary[k].count;
  *out = count <= SCIARA_MEMBERS_MOST ? (size_t)count : 0;
  SCIARA_TRY(check_count(w, count));
  if (count <= SCIARA_MEMBERS_MOST) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected at most %d members, found %.6g", w->x->r->file,
                     SCIARA_MEMBERS_MOST, count);
}

/** A sample in which nothing is drawn is allowed; computing it is a waste. */
static void report_copies(const struct work *w) {
  const struct sciara_sample_spec *s = &w->x->sample;
  if (s->method == SCIARA_SAMPLE_FULL || s->drawn || w->x->vents.jitter_m > 0 || w->x->variation.count > 0) return;
  if (s->count * s->replicates > 1)
    sciara_log(SCIARA_LOG_WARNING, "%s: sample: nothing is drawn: all %zu members of a vent and an event are the same",
               w->x->r->file, s->count * s->replicates);
}

/** Bytes of the table itself, and of typical values. */
static enum sciara_status check_expanded_memory(const struct work *w, size_t members) {
  size_t effusion = 64;
  for (size_t k = 0; k < w->x->event_count; k++) {
    const struct sciara_event_spec *e = &w->x->events[k];
    const size_t size = 64 + 24 * (e->by_volume ? e->slots : 2 * e->rate_count);
    effusion = size > effusion ? size : effusion;
  }
  const double needed = (double)members * (double)(128 + 48 * w->columns.count + effusion * w->columns.effusions);
  const size_t available = sciara_memory_available();
  if (available == 0 || needed <= (double)available) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_MEMORY, "%s: a table of %zu members: expected %s of free memory, found %s",
                     w->x->r->file, members, SCIARA_BYTES(needed), SCIARA_BYTES((double)available));
}

enum sciara_status sciara_expand(struct sciara_expansion *x, struct sciara_members *out) {
  struct work w = {
      .x = x, .m = out, .vents = x->vents.count ? x->vents.count : 1, .events = x->event_count ? x->event_count : 1};
  size_t most;
  enum sciara_status status;
  *out = (struct sciara_members){0};
  for (size_t k = 0; k < x->vents.count; k++) w.vent_sum += x->vents.vent[k].weight;
  for (size_t k = 0; k < x->event_count; k++) w.event_sum += x->events[k].weight;
  SCIARA_TRY(count_members(&w, &most));
  report_copies(&w);
  SCIARA_TRY_GOTO(SCIARA_NEW(w.last, x->event_count + 1, "the effusions of the classes"));
  SCIARA_TRY_GOTO(make_columns(x, &w.columns));
  SCIARA_TRY_GOTO(check_expanded_memory(&w, most));
  SCIARA_TRY_GOTO(sciara_members_create(most, (const char *const *)w.columns.name, w.columns.count, out));
  SCIARA_TRY_GOTO(add_all(&w));
  out->count = w.at;
  sciara_members_hash(out);
cleanup:
  for (size_t k = 0; k < w.columns.count; k++) free(w.columns.name[k]);
  for (size_t k = 0; w.last && k < x->event_count; k++) sciara_text_free(&w.last[k].text);
  sciara_free(w.last);
  if (status != SCIARA_OK) sciara_members_free(out);
  return status;
}
