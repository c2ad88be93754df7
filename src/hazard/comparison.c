// SPDX-License-Identifier: Apache-2.0
#include "hazard/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "file/durable.h"
#include "map/raster_gdal.h"

enum { MEMORY = 640 << 20 };

void sciara_comparison_free(struct sciara_comparison *c) {
  sciara_reduction_free(&c->a);
  sciara_reduction_free(&c->b);
  sciara_pois_free(&c->file);
  sciara_free(c->paired);
  sciara_free(c->other);
  *c = (struct sciara_comparison){0};
}

/** Opens the second ensemble for its members that the first has finished, then the first for those of the second. */
static enum sciara_status open_pair(const char *folder_a, const char *folder_b, struct sciara_comparison *c) {
  struct sciara_reduction whole = {0};
  static const struct sciara_poi none;
  struct sciara_reduction_options options = {.threads = c->threads, .all = true, .poi = &none};
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_reduction_open(folder_a, &options, &whole));
  options.paired = &whole;
  SCIARA_TRY_GOTO(sciara_reduction_open(folder_b, &options, &c->b));
  if (!sciara_grid_same(&whole.dem.grid, &c->b.dem.grid)) {
    status = sciara_fail(SCIARA_ERR_INPUT, "%s and %s: expected maps of the same grid, found different ones", folder_a,
                         folder_b);
    goto cleanup;
  }
  options.paired = &c->b;
  options.own_weights = options.again = true;
  SCIARA_TRY_GOTO(sciara_reduction_open(folder_a, &options, &c->a));
cleanup:
  sciara_reduction_free(&whole);
  return status;
}

static bool is_hit_of(const struct sciara_reduction *r, size_t poi, size_t member) {
  return sciara_poi_is_hit(sciara_poi_hit(&r->pois, poi, member), 0);
}

/**
 * The 95 % interval of a difference: from its error, enlarged by the largest weight as that of a probability is; or, where no pair
 * differs, from the bound of a share without hits.
 */
static struct sciara_interval interval_of(const struct sciara_sample *s, const struct sciara_paired *p) {
  const double half =
      p->spared + p->added > 0 ? s->critical * hypot(p->error, s->largest) : sciara_sample_zero_bound(s);
  if (!isfinite(half)) return (struct sciara_interval){NAN, NAN};
  return (struct sciara_interval){fmax(-1, p->difference - half), fmin(1, p->difference + half)};
}

/** Compares place `poi` of the reductions; `value` has room for the members of a, and `x` is for their sample. */
static void compare_poi(const struct sciara_comparison *c, size_t poi, double *value, struct sciara_sample_scratch *x,
                        struct sciara_paired *out) {
  const struct sciara_sample *s = &c->a.sample;
  double unused, delay = 0, weight = 0, low = -s->open, high = s->open;
  out->where = sciara_poi_where(&c->a.poi_ground[poi]);
  if (out->where == SCIARA_POI_ON_LAND) out->where = sciara_poi_where(&c->b.poi_ground[poi]);
  for (size_t m = 0; m < s->count; m++) {
    const size_t k = c->other[m];
    value[m] = 0;
    if (k == SIZE_MAX || !sciara_sample_counts(s, m)) continue;
    const bool a = is_hit_of(&c->a, poi, m), b = is_hit_of(&c->b, poi, k);
    const double share = s->weight[m] / s->done;
    value[m] = b - a;
    low += s->planned[m] * (b - (c->a.batches.member[m].censored ? 1 : a));
    high += s->planned[m] * ((c->b.batches.member[k].censored ? 1 : b) - a);
    if (a) out->a += share;
    if (b) out->b += share;
    out->spared += a && !b;
    out->added += b && !a;
    if (a && !b) out->spared_share += share;
    if (b && !a) out->added_share += share;
    if (!a || !b) continue;
    delay += s->weight[m] * ((double)sciara_poi_hit(&c->b.pois, poi, k)->arrival -
                             (double)sciara_poi_hit(&c->a.pois, poi, m)->arrival);
    weight += s->weight[m];
    out->both++;
  }
  out->error = NAN;
  if (out->spared + out->added > 0) sciara_sample_mean(s, value, x, &unused, &out->error);
  out->difference = out->b - out->a;
  out->low = low / s->all;
  out->high = high / s->all;
  out->interval = interval_of(s, out);
  out->delay_s = weight > 0 ? delay / weight : NAN;
}

/** Compares all places, as many at a time as there is memory for. */
static enum sciara_status compare_pois(struct sciara_comparison *c) {
  struct sciara_sample_scratch x = {0};
  double *value = NULL;
  enum sciara_status status;
  struct sciara_reduction *const both[] = {&c->a, &c->b};
  const size_t members = c->a.ensemble.members.count + c->b.ensemble.members.count;
  const size_t block = sciara_reduction_places(members);
  SCIARA_TRY_GOTO(SCIARA_NEW(c->paired, c->pois + 1, "the places of an ensemble"));
  SCIARA_TRY_GOTO(SCIARA_NEW(value, c->a.sample.count + 1, "the members of an ensemble"));
  SCIARA_TRY_GOTO(sciara_sample_scratch_make(&c->a.sample, &x));
  for (size_t begin = 0; begin < c->pois; begin += block) {
    const size_t count = c->pois - begin < block ? c->pois - begin : block;
    for (int k = 0; k < 2; k++) {
      SCIARA_TRY_GOTO(sciara_reduction_place(both[k], c->poi + begin, count));
      SCIARA_TRY_GOTO(sciara_reduction_visit_pois(both[k], c->threads));
    }
    for (size_t k = 0; k < count; k++) {
      if (c->file.elsewhere && c->file.elsewhere[begin + k]) c->a.poi_ground[k].all = 1; // it lies there, outside
      compare_poi(c, k, value, &x, &c->paired[begin + k]);
    }
  }
cleanup:
  sciara_sample_scratch_free(&x);
  sciara_free(value);
  return status;
}

static enum sciara_status find_others(struct sciara_comparison *c) {
  const struct sciara_members *a = &c->a.ensemble.members;
  SCIARA_TRY(SCIARA_NEW(c->other, a->count, "the members of an ensemble"));
  for (size_t m = 0; m < a->count; m++) c->other[m] = sciara_members_find(&c->b.ensemble.members, a->id[m]);
  c->pairs = c->a.sample.finished;
  c->members = a->count - c->a.sample.zero;
  if (c->pairs < c->members)
    sciara_log(SCIARA_LOG_INFO,
               "%zu of %zu members are not finished in both: the pairs of their strata have their weight, and each "
               "difference has a lower and an upper bound",
               c->members - c->pairs, c->members);
  if (c->a.sample.lost)
    sciara_log(
        SCIARA_LOG_WARNING,
        "%zu strata, with %.3g %% of the weight, have no pair: differences are those of the others, and only the "
        "bounds cover them",
        c->a.sample.lost, 100 * c->a.sample.lost_weight);
  return SCIARA_OK;
}

/** The places of a file, or those of the first ensemble. */
static enum sciara_status choose_pois(const struct sciara_pois_request *request, struct sciara_comparison *c) {
  const struct sciara_ensemble_result *result = &c->a.ensemble.result;
  c->poi = result->pois;
  c->pois = result->poi_count;
  if (!request) return SCIARA_OK;
  struct sciara_pois_request q = *request;
  q.grid = &c->a.dem.grid;
  q.crs_wkt = c->a.dem.georef.crs_wkt;
  SCIARA_TRY(sciara_pois_read(&q, &c->file));
  c->poi = c->file.poi;
  c->pois = c->file.count;
  return SCIARA_OK;
}

enum sciara_status sciara_comparison_make(const char *folder_a, const char *folder_b,
                                          const struct sciara_pois_request *request, int threads,
                                          struct sciara_comparison *out) {
  enum sciara_status status;
  *out = (struct sciara_comparison){.threads = threads};
  SCIARA_TRY_GOTO(open_pair(folder_a, folder_b, out));
  SCIARA_TRY_GOTO(find_others(out));
  SCIARA_TRY_GOTO(choose_pois(request, out));
  SCIARA_TRY_GOTO(compare_pois(out));
cleanup:
  if (status != SCIARA_OK) sciara_comparison_free(out);
  return status;
}

// --------------------------------------------------------------------------------------------------------------- maps

/** Both ensembles as one with twice the members: first those of the first, then, in the same order, those of the second. */
struct both {
  const struct sciara_comparison *c;
  size_t members;              ///< of the first
  struct sciara_sample sample; ///< of all; its groups are those of the first
  struct sciara_sample half[2];
  struct sciara_layers layers;
  double *cut[2]; ///< per layer: weight of the members of each ensemble that are censored before its time
  struct sciara_footprint_source source[2];
  size_t *first; ///< of each member of the second, its index in `sample`; SIZE_MAX: none
};

static void both_free(struct both *b) {
  sciara_free(b->sample.weight);
  sciara_free(b->sample.planned);
  sciara_free(b->sample.state);
  sciara_free(b->sample.end_s);
  sciara_free(b->layers.layer);
  for (int k = 0; k < 2; k++) sciara_free(b->cut[k]);
  sciara_free(b->first);
}

/** Doubles the members of the first; returns how many are censored in the second. */
static enum sciara_status double_members(struct both *b, size_t *censored) {
  const struct sciara_comparison *c = b->c;
  const struct sciara_sample *a = &c->a.sample;
  static const char what[] = "the members of two ensembles";
  const size_t n = a->count;
  b->sample = *a;
  b->sample.weight = b->sample.planned = b->sample.end_s = NULL;
  b->sample.state = NULL;
  b->sample.count = 2 * n;
  b->sample.finished = 2 * a->finished;
  SCIARA_TRY(SCIARA_NEW(b->sample.weight, 2 * n, what));
  SCIARA_TRY(SCIARA_NEW(b->sample.planned, 2 * n, what));
  SCIARA_TRY(SCIARA_NEW(b->sample.end_s, 2 * n, what));
  SCIARA_TRY(SCIARA_NEW(b->sample.state, 2 * n, what));
  SCIARA_TRY(SCIARA_NEW(b->first, c->b.ensemble.members.count, what));
  for (size_t k = 0; k < c->b.ensemble.members.count; k++) b->first[k] = SIZE_MAX;
  *censored = 0;
  for (size_t m = 0; m < n; m++) {
    const bool open = a->state[m] == SCIARA_MEMBER_OPEN;
    const struct sciara_footprint *f = open ? NULL : &c->b.batches.member[c->other[m]];
    b->sample.weight[m] = b->sample.weight[n + m] = a->weight[m];
    b->sample.planned[m] = b->sample.planned[n + m] = a->planned[m];
    b->sample.state[m] = a->state[m];
    b->sample.state[n + m] = (uint8_t)(open          ? SCIARA_MEMBER_OPEN
                                       : f->censored ? SCIARA_MEMBER_CENSORED
                                                     : SCIARA_MEMBER_COMPLETE);
    b->sample.end_s[m] = a->end_s[m];
    b->sample.end_s[n + m] = open ? 0 : f->end_s;
    *censored += !open && f->censored;
    if (c->other[m] != SIZE_MAX) b->first[c->other[m]] = n + m;
  }
  for (size_t k = 0; k < 2; k++)
    b->half[k] = (struct sciara_sample){.count = n,
                                        .weight = b->sample.weight + k * n,
                                        .planned = b->sample.planned + k * n,
                                        .end_s = b->sample.end_s + k * n,
                                        .state = b->sample.state + k * n};
  return SCIARA_OK;
}

/** The probabilities of the first ensemble, with bounds if any member of the two needs them. */
static enum sciara_status make_layers(struct both *b, size_t censored) {
  const struct sciara_ensemble_result *result = &b->c->a.ensemble.result;
  struct sciara_sample sample = b->c->a.sample;
  size_t count = 0;
  sample.censored += censored;
  SCIARA_TRY(sciara_layers_make(result, &sample, &b->layers));
  for (size_t k = 0; k < b->layers.count; k++) {
    const struct sciara_layer *l = &b->layers.layer[k];
    if (l->kind == SCIARA_LAYER_PROBABILITY || l->kind == SCIARA_LAYER_REACHED) b->layers.layer[count++] = *l;
  }
  b->layers.count = count;
  for (int h = 0; h < 2; h++) {
    size_t unused;
    SCIARA_TRY(SCIARA_NEW(b->cut[h], count + 1, "the maps of two ensembles"));
    for (size_t k = 0; k < count; k++)
      b->cut[h][k] = sciara_sample_censored(&b->half[h], sciara_layer_until(result, &b->layers.layer[k]), &unused);
  }
  return SCIARA_OK;
}

static bool is_hit(const struct sciara_ensemble_result *r, const struct sciara_layer *l,
                   const struct sciara_cell_hits *hits, size_t k) {
  if (l->kind == SCIARA_LAYER_REACHED) return (double)hits->arrival[k] <= r->within_s[l->index];
  return r->deposit_m[l->index] == 0 || (double)hits->max_deposit[k] > r->deposit_m[l->index];
}

/** A layer at a cell, as compare_site; `value` is of each member of the first. */
static void compare_cell(const struct both *b, size_t layer, const struct sciara_cell_hits *hits,
                         struct sciara_hazard_scratch *x, struct sciara_paired *out) {
  const struct sciara_ensemble_result *r = &b->c->a.ensemble.result;
  const struct sciara_layer *l = &b->layers.layer[layer];
  const struct sciara_sample *s = &b->c->a.sample;
  double sum = 0, own = 0, unsure[2] = {b->cut[0][layer], b->cut[1][layer]};
  bool differ = false;
  for (size_t k = 0; k < hits->count; k++) {
    if (!is_hit(r, l, hits, k)) continue;
    const size_t of = hits->member[k] >= b->members, m = hits->member[k] - of * b->members;
    x->value[m] += of ? 1 : -1;
    sum += of ? s->weight[m] : -s->weight[m];
    own += of ? s->planned[m] : -s->planned[m];
    if (b->half[of].state[m] == SCIARA_MEMBER_CENSORED && b->half[of].end_s[m] < sciara_layer_until(r, l))
      unsure[of] -= s->planned[m];
  }
  for (size_t k = 0; k < hits->count; k++) differ |= x->value[hits->member[k] % b->members] != 0;
  *out = (struct sciara_paired){.difference = sum / s->done,
                                .low = fmax(-1, (own - s->open - fmax(0, unsure[0])) / s->all),
                                .high = fmin(1, (own + s->open + fmax(0, unsure[1])) / s->all),
                                .error = NAN};
  if (differ) sciara_sample_mean(s, x->value, &x->sample, &sum, &out->error);
  for (size_t k = 0; k < hits->count; k++) x->value[hits->member[k] % b->members] = 0;
}

static enum sciara_status compute_cell(const struct sciara_hazard_rule *rule, const struct sciara_cell_hits *hits,
                                       struct sciara_hazard_scratch *x, float *values) {
  const struct both *b = rule->context;
  struct sciara_paired p = {0};
  for (size_t k = 0; k < b->layers.count; k++) {
    const struct sciara_layer *l = &b->layers.layer[k];
    if (l->part == SCIARA_PART_VALUE) compare_cell(b, k, hits, x, &p); // its other parts follow
    const double value = l->part == SCIARA_PART_LOW     ? p.low
                         : l->part == SCIARA_PART_HIGH  ? p.high
                         : l->part == SCIARA_PART_ERROR ? p.error
                                                        : p.difference;
    values[k] = isfinite(value) ? (float)value : (float)SCIARA_NODATA_ALTITUDE;
  }
  return SCIARA_OK;
}

/** A visit of the second ensemble: its members have places of their own. */
struct shifted {
  const struct both *b;
  sciara_footprint_visit *visit;
  void *context;
};

static enum sciara_status visit_shifted(void *context, size_t member, const struct sciara_footprint *f) {
  const struct shifted *s = context;
  const size_t at = s->b->first[member];
  return at == SIZE_MAX ? SCIARA_OK : s->visit(s->context, at, f);
}

static enum sciara_status read_both(void *context, size_t piece, sciara_footprint_visit *visit, void *visit_context) {
  const struct both *b = context;
  struct shifted shifted = {b, visit, visit_context};
  if (piece < b->source[0].pieces) return b->source[0].read(b->source[0].context, piece, visit, visit_context);
  return b->source[1].read(b->source[1].context, piece - b->source[0].pieces, visit_shifted, &shifted);
}

static enum sciara_status make_maps(struct both *b, struct sciara_hazard *out) {
  const struct sciara_comparison *c = b->c;
  const struct sciara_hazard_options how = {.threads = c->threads, .bytes = MEMORY};
  const struct sciara_hazard_rule rule = {
      .sample = &b->sample, .result = &c->a.ensemble.result, .layers = &b->layers, .cell = compute_cell, .context = b};
  size_t entries = 0, censored;
  b->members = c->a.sample.count;
  SCIARA_TRY(double_members(b, &censored));
  SCIARA_TRY(make_layers(b, censored));
  b->source[0] = sciara_batches_source(&c->a.batches);
  b->source[1] = sciara_batches_source(&c->b.batches);
  const struct sciara_footprint_source source = {b, b->source[0].pieces + b->source[1].pieces, read_both};
  for (size_t m = 0; m < c->a.sample.count; m++)
    if (sciara_sample_counts(&c->a.sample, m))
      entries += (size_t)(c->a.batches.member[m].count + c->b.batches.member[c->other[m]].count);
  return sciara_hazard_make(&rule, &source, c->a.dem.grid.rows, c->a.dem.grid.cols, entries, &how, out);
}

static enum sciara_status add_facts(const struct sciara_comparison *c, const struct sciara_layer *l,
                                    struct sciara_map_facts *out) {
  char pairs[96];
  snprintf(pairs, sizeof pairs, "%zu of %zu members, with the weights of the first ensemble", c->pairs, c->members);
  SCIARA_TRY(sciara_map_facts_add(out, "meaning", l->long_name));
  SCIARA_TRY(sciara_map_facts_add(out, "difference", "second ensemble minus first"));
  SCIARA_TRY(sciara_map_facts_add(out, "pairs", pairs));
  struct sciara_text condition = {0};
  enum sciara_status status = sciara_reduction_condition(&c->a, NULL, &condition);
  if (status == SCIARA_OK) status = sciara_map_facts_add(out, "condition", condition.data);
  sciara_text_free(&condition);
  return status;
}

/** Writes one map; `values` is memory, and `valid` is 0 where one of the ensembles has no ground. */
static enum sciara_status write_difference_layer(const struct both *b, const struct sciara_hazard *h, size_t layer,
                                                 const uint8_t *valid, const char *folder, double *values) {
  static const char *const names[] = {"difference", "difference_low", "difference_high", "difference_error"};
  const struct sciara_layer *l = &b->layers.layer[layer];
  struct sciara_map_facts facts = {0};
  char *path = sciara_format("%s/difference_%s.tif", folder, l->name);
  const struct sciara_map map = {.grid = &b->c->a.dem.grid,
                                 .georef = &b->c->a.dem.georef,
                                 .values = values,
                                 .nodata = SCIARA_NODATA_ALTITUDE,
                                 .name = names[l->part],
                                 .ramp = l->part == SCIARA_PART_ERROR ? "probability" : "difference",
                                 .unit = l->unit,
                                 .title = l->long_name,
                                 .facts = &facts};
  enum sciara_status status = path ? SCIARA_OK : sciara_no_memory("the path of a map");
  sciara_hazard_fill(h, layer, valid, sciara_grid_cells(&b->c->a.dem.grid), values);
  if (status == SCIARA_OK) status = add_facts(b->c, l, &facts);
  if (status == SCIARA_OK) status = sciara_map_write_cog(&map, path);
  sciara_map_facts_free(&facts);
  free(path);
  return status;
}

enum sciara_status sciara_comparison_write(struct sciara_comparison *c, const char *folder) {
  const int64_t cells = sciara_grid_cells(&c->a.dem.grid);
  struct both b = {.c = c};
  struct sciara_hazard hazard = {0};
  uint8_t *valid = NULL;
  double *values = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(make_maps(&b, &hazard));
  SCIARA_TRY_GOTO(sciara_folder_make(folder));
  SCIARA_TRY_GOTO(SCIARA_NEW(values, cells, "a map"));
  SCIARA_TRY_GOTO(SCIARA_NEW(valid, cells, "a map"));
  for (int64_t i = 0; i < cells; i++) valid[i] = c->a.dem.valid[i] && c->b.dem.valid[i];
  for (size_t k = 0; k < b.layers.count; k++)
    SCIARA_TRY_GOTO(write_difference_layer(&b, &hazard, k, valid, folder, values));
cleanup:
  sciara_hazard_free(&hazard);
  both_free(&b);
  sciara_free(values);
  sciara_free(valid);
  return status;
}
