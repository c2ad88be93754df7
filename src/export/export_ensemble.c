// SPDX-License-Identifier: Apache-2.0
// The formats of ensembles: pictures, KML, GeoJSON; and the page, with its maps in steps, its places, and what threatens
// each block of cells.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "export/export.h"
#include "file/durable.h"
#include "hazard/hazard_picture.h"
#include "hazard/poi_table.h"
#include "hazard/products.h"
#include "hazard/reduction.h"
#include "page/page_html.h"

/** A writer of a format, of a reduction whose maps are made. */
typedef enum sciara_status reduction_writer(const struct sciara_reduction *r, const struct sciara_export_job *job,
                                            const char *path);

/** Makes the maps of the ensemble, and hands them to the writer of the format. */
static enum sciara_status write_reduction(const struct sciara_export_job *job, reduction_writer *writer,
                                          const char *path) {
  const struct sciara_reduction_options options = {
      .threads = sciara_reduction_threads(0), .bytes = SCIARA_REDUCTION_BYTES, .all = job->all};
  struct sciara_reduction r;
  enum sciara_status status;
  SCIARA_TRY(sciara_reduction_open(job->source, &options, &r));
  SCIARA_TRY_GOTO(sciara_reduction_make_maps(&r, &options));
  SCIARA_TRY_GOTO(sciara_export_make_folder(path));
  SCIARA_TRY_GOTO(writer(&r, job, path));
cleanup:
  sciara_reduction_free(&r);
  return status;
}

// ---------------------------------------------------------------------------------------------- pictures, KML, GeoJSON

static enum sciara_status write_kml(const struct sciara_reduction *r, const struct sciara_export_job *job,
                                    const char *path) {
  (void)job;
  return sciara_products_kml(r, path);
}

static enum sciara_status write_geojson(const struct sciara_reduction *r, const struct sciara_export_job *job,
                                        const char *path) {
  return sciara_products_geojson(r, job->layer, path);
}

/** The layer of that name; SCIARA_ERR_USAGE, with the names, if there is none that is drawn. */
static enum sciara_status find_layer(const struct sciara_reduction *r, const char *name, size_t *out) {
  struct sciara_text names = {0};
  for (*out = 0; *out < r->layers.count; (*out)++) {
    const struct sciara_layer *l = &r->layers.layer[*out];
    if (l->kind == SCIARA_LAYER_FRONT) continue;
    if (strcmp(l->name, name) == 0) break;
    if (l->part == SCIARA_PART_VALUE) sciara_text_append(&names, "%s%s", names.length ? ", " : "", l->name);
  }
  enum sciara_status status = SCIARA_OK;
  if (*out == r->layers.count)
    status = sciara_fail(SCIARA_ERR_USAGE,
                         "--layer: expected %s, or one of them with _low, _high or _error; found \"%.80s\"",
                         names.data ? names.data : "a map", name);
  sciara_text_free(&names);
  return status;
}

static enum sciara_status write_png(const struct sciara_reduction *r, const struct sciara_export_job *job,
                                    const char *path) {
  struct sciara_hazard_picture p = {0};
  struct sciara_picture_parts parts = {0};
  size_t layer = 0;
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_picture_look_check(&job->look, *r->start ? r->start : NULL));
  SCIARA_TRY_GOTO(find_layer(r, job->layer, &layer));
  SCIARA_TRY_GOTO(sciara_hazard_picture_make(r, layer, job->look.language, job->look.title, &p));
  SCIARA_TRY_GOTO(sciara_picture_look_apply(&job->look, &p.bounds, &p.picture, &parts));
  SCIARA_TRY_GOTO(sciara_map_write_png(&p.picture, path));
cleanup:
  sciara_picture_parts_free(&parts);
  sciara_hazard_picture_free(&p);
  return status;
}

enum sciara_status sciara_export_ensemble_png(const struct sciara_export_job *job, const char *path) {
  return write_reduction(job, write_png, path);
}

enum sciara_status sciara_export_ensemble_kml(const struct sciara_export_job *job, const char *path) {
  return write_reduction(job, write_kml, path);
}

enum sciara_status sciara_export_ensemble_geojson(const struct sciara_export_job *job, const char *path) {
  return write_reduction(job, write_geojson, path);
}

// ------------------------------------------------------------------------------------------------------------ the page

enum {
  MOST_VALUES = 1 << 26, // of all maps together
  MOST_BLOCKS = 1 << 14,
  MOST_SUMS = 1 << 24, // blocks times vents and classes
  STEPS = 4000
};

static const double percent_step = 0.01;

/** What a layer of the page has of a layer of the ensemble; the error of drawn members gives both ends of the interval. */
enum content { AS_IT_IS, INTERVAL_FROM, INTERVAL_TO };

/** A layer of the page, to be made of layer `k`. */
struct task {
  size_t k;
  enum content content;
};

/** Everything that the page refers to. */
struct making {
  const struct sciara_reduction *r;
  struct sciara_page_frames frames;
  struct sciara_page_frame frame;
  struct sciara_page_hazard hazard;
  struct sciara_page_layer *layer;
  struct task *task;                 ///< of each layer
  struct sciara_poi_columns columns; ///< of sites.csv
  struct sciara_page_poi *poi;
  const char **chance_name;
  double *chance; ///< of each place
  struct sciara_text assumed, title, verification;
  struct sciara_used_vents used;
  struct sciara_page_vent *vent;
  char **vent_name, **event_name;
  double *sum;    ///< blocks x (vents, then classes): weight of the members that reach the block
  uint32_t *last; ///< per block: 1 + the last member that was added
  size_t vents, events;
};

static void making_free(struct making *m) {
  for (size_t k = 0; k < m->hazard.layers; k++) sciara_free(m->layer[k].levels);
  sciara_free(m->layer);
  sciara_free(m->task);
  sciara_poi_columns_free(&m->columns);
  sciara_free(m->poi);
  sciara_free(m->chance_name);
  sciara_free(m->chance);
  sciara_free(m->vent);
  sciara_text_free(&m->assumed);
  sciara_text_free(&m->title);
  sciara_text_free(&m->verification);
  sciara_used_vents_free(&m->used);
  sciara_free(m->vent_name);
  sciara_free(m->event_name);
  sciara_free(m->sum);
  sciara_free(m->last);
  sciara_free(m->hazard.vents.ranked);
  sciara_free(m->hazard.events.ranked);
  sciara_free(m->frames.covered);
}

// -------------------------------------------------------------------------------------------------------------- cells

static void add_points(struct sciara_map_bounds *b, const struct sciara_grid *g, const struct sciara_point *points,
                       size_t count) {
  for (size_t k = 0; k < count; k++) sciara_map_bounds_add_point(b, g, points[k]);
}

/** The cells that any member reaches, in a box that holds the vents and places too. */
static enum sciara_status find_cells(struct making *m) {
  const struct sciara_reduction *r = m->r;
  const struct sciara_ensemble *e = &r->ensemble;
  const struct sciara_grid *g = &r->dem.grid;
  struct sciara_map_bounds b = {0};
  m->frames.grid = *g;
  m->frames.frames = &m->frame;
  m->frames.frame_count = 1;
  SCIARA_TRY(SCIARA_NEW(m->frames.covered, sciara_grid_cells(g), "the cells of a page"));
  for (size_t p = 0; p < r->hazard.parts; p++)
    for (size_t k = 0; k < r->hazard.part[p].count; k++) {
      m->frames.covered[r->hazard.part[p].cell[k]] = 1;
      m->frames.cells++;
    }
  sciara_map_bounds_add_mask(&b, g, m->frames.covered);
  SCIARA_TRY(sciara_used_vents_make(e, &r->sample, g, &r->dem.georef, &m->used));
  for (size_t k = 0; k < m->used.count; k++) add_points(&b, g, m->used.vent[k].points, m->used.vent[k].count);
  for (size_t k = 0; k < e->result.poi_count; k++)
    add_points(&b, g, e->result.pois[k].points, e->result.pois[k].point_count);
  const int64_t box[4] = {b.top, b.left, b.bottom - b.top + 1, b.right - b.left + 1};
  if (b.any) memcpy(m->frames.box, box, sizeof box);
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------------- layers

/** The label of a layer, and whether its values are probabilities. */
static bool describe(const struct sciara_ensemble_result *q, const struct sciara_layer *l,
                     struct sciara_page_layer *out) {
  switch (l->kind) {
    case SCIARA_LAYER_PROBABILITY:
      out->value = q->deposit_m[l->index];
      out->word = out->value > 0 ? SCIARA_WORD_HAZARD_ABOVE : SCIARA_WORD_HAZARD_REACHED;
      return true;
    case SCIARA_LAYER_REACHED:
      out->value = q->within_s[l->index];
      out->value_unit = "s";
      out->word = SCIARA_WORD_HAZARD_WITHIN;
      return true;
    case SCIARA_LAYER_YEARS:
      out->value = q->deposit_m[l->index];
      out->years = q->years[l->second];
      out->word = sciara_hazard_years_word(out->value, out->years);
      return true;
    case SCIARA_LAYER_QUANTILE:
      out->value = 100 * q->quantiles[l->index];
      out->word = l->word;
      return false;
    case SCIARA_LAYER_MEAN:
    case SCIARA_LAYER_LEAST:
    case SCIARA_LAYER_MOST: out->word = l->word; return false;
    case SCIARA_LAYER_HITS:
    case SCIARA_LAYER_FRONT: break;
  }
  return false;
}

static bool is_on_page(const struct sciara_layer *l) {
  return l->kind != SCIARA_LAYER_HITS && l->kind != SCIARA_LAYER_FRONT;
}

static double value_of(float value) {
  return value == (float)SCIARA_NODATA_ALTITUDE || !isfinite(value) ? NAN : (double)value;
}

/** The value of a layer in cell `i` of a part. */
static double value_in(const struct sciara_hazard_part *p, size_t k, size_t i) {
  return value_of(p->value[k * p->count + i]);
}

/** An end of the interval of the probability whose error layer `k` is; NAN where no member hits. */
static double interval_in(const struct making *m, const struct sciara_hazard_part *p, struct task t, size_t i) {
  const struct sciara_sample *s = &m->r->sample;
  size_t value = t.k;
  while (m->r->layers.layer[value].part != SCIARA_PART_VALUE) value--;
  struct sciara_estimate e = {.value = value_in(p, value, i), .error = value_in(p, t.k, i)};
  if (!(e.value > 0)) return NAN;
  e.hits = e.value < 1 ? 1 : s->finished; // of all or of some
  const struct sciara_interval interval = sciara_sample_interval(s, &e);
  return t.content == INTERVAL_FROM ? interval.low : interval.high;
}

/** The values of a layer of the page in all of its cells. */
static void take_values(const struct making *m, struct task t, double factor, double *out) {
  const struct sciara_hazard *h = &m->r->hazard;
  for (size_t p = 0; p < h->parts; p++)
    for (size_t i = 0; i < h->part[p].count; i++)
      *out++ = factor * (t.content == AS_IT_IS ? value_in(&h->part[p], t.k, i) : interval_in(m, &h->part[p], t, i));
}

static enum sciara_status make_levels(const struct making *m, const double *value, struct sciara_page_layer *out) {
  SCIARA_TRY(SCIARA_NEW(out->levels, m->frames.cells, "a map of a page"));
  for (int64_t n = 0; n < m->frames.cells; n++) out->high = fmax(out->high, value[n]); // not NAN
  if (out->high <= 0) out->high = 1;
  out->step = strcmp(out->unit, "%") == 0 ? percent_step : sciara_page_step(out->high, STEPS);
  for (int64_t n = 0; n < m->frames.cells; n++)
    out->levels[n] = isnan(value[n]) || (out->zero_is_empty && value[n] == 0)
                         ? 0
                         : (uint16_t)(1 + lround(fmax(value[n], 0) / out->step));
  return SCIARA_OK;
}

/** "probability_0.5m_error" becomes "probability_0.5m_interval_95_low" and so on, as in sites.csv. */
static void name_layer(const struct making *m, struct task t, char *out, size_t capacity) {
  static const char *const ends[] = {"_grid_difference", "_interval_95_low", "_interval_95_high"};
  const struct sciara_layer *l = &m->r->layers.layer[t.k];
  const bool error = l->part == SCIARA_PART_ERROR;
  const size_t length = strlen(l->name) - (error ? strlen("_error") : 0);
  snprintf(out, capacity, "%.*s%s", (int)length, l->name, error ? ends[t.content] : "");
}

static enum sciara_status make_page_layer(struct making *m, struct task t, struct sciara_page_layer *out) {
  const struct sciara_reduction *r = m->r;
  const struct sciara_layer *l = &r->layers.layer[t.k];
  const bool chance = describe(&r->ensemble.result, l, out);
  const double factor = chance ? 100 : 1;
  double *value;
  name_layer(m, t, out->name, sizeof out->name);
  out->unit = chance ? "%" : l->unit;
  out->ramp = sciara_products_ramp(l);
  out->edges = sciara_hazard_classes(r, l, &out->edge);
  out->shown = l->part == SCIARA_PART_VALUE;
  out->of_end = sciara_layer_is_of_end(l);
  out->of_hits = sciara_layer_is_of_hits(l);
  out->zero_is_empty = chance && out->shown;
  out->elsewhere = t.content == AS_IT_IS ? factor * value_of(r->hazard.elsewhere[t.k]) : NAN;
  out->zero_bound = out->zero_is_empty ? factor * sciara_products_zero_bound(r, l) : NAN;
  SCIARA_TRY(SCIARA_NEW(value, m->frames.cells, "a map of a page"));
  take_values(m, t, factor, value);
  const enum sciara_status status = make_levels(m, value, out);
  sciara_free(value);
  return status;
}

/** The layers of the page; returns their number. @param out NULL: count them */
static size_t list_layers(const struct making *m, struct task *out) {
  const struct sciara_layers *all = &m->r->layers;
  size_t count = 0;
  for (size_t k = 0; k < all->count; k++) {
    const struct sciara_layer *l = &all->layer[k];
    if (!is_on_page(l)) continue;
    const bool interval = l->part == SCIARA_PART_ERROR && m->r->sample.kind != SCIARA_ERROR_GRID;
    for (int c = interval ? INTERVAL_FROM : AS_IT_IS; c <= (interval ? INTERVAL_TO : AS_IT_IS); c++, count++)
      if (out) out[count] = (struct task){k, (enum content)c};
  }
  return count;
}

static enum sciara_status make_layers(struct making *m) {
  const size_t count = list_layers(m, NULL);
  if ((int64_t)count * m->frames.cells > MOST_VALUES)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%" PRId64 " cells in %zu maps are too many for a browser: expected at most %d values; "
                       "request fewer thresholds, times and quantiles",
                       m->frames.cells, count, MOST_VALUES);
  SCIARA_TRY(SCIARA_NEW(m->layer, count + 1, "the maps of a page"));
  SCIARA_TRY(SCIARA_NEW(m->task, count + 1, "the maps of a page"));
  list_layers(m, m->task);
  for (size_t k = 0; k < count; k++) SCIARA_TRY(make_page_layer(m, m->task[k], &m->layer[m->hazard.layers++]));
  m->hazard.layer = m->layer;
  return SCIARA_OK;
}

// -------------------------------------------------------------------------------------------------------------- places

/** Whether a column of sites.csv is a probability, one of its bounds, an end of its interval or its grid difference. */
static bool is_chance(const char *name) {
  static const char *const others[] = {"_error", "_hits", "_half_1", "_half_2"};
  const size_t length = strlen(name);
  if (strncmp(name, "probability_", strlen("probability_")) != 0 && strncmp(name, "reached_", strlen("reached_")) != 0)
    return false;
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (length > strlen(others[k]) && strcmp(name + length - strlen(others[k]), others[k]) == 0) return false;
  return true;
}

/** Place k, whose numbers are those of sites.csv. @param value room for a row of that table */
static enum sciara_status make_poi(struct making *m, size_t k, double *value) {
  const struct sciara_reduction *r = m->r;
  const struct sciara_ensemble_result *q = &r->ensemble.result;
  const struct sciara_poi_cells *place = &r->pois.place[k];
  const int64_t cell = place->count > 0 ? place->cell[place->count / 2] : 0;
  double *chance = m->chance + k * m->hazard.chances;
  char quantile[32], arrival[64];
  SCIARA_TRY(sciara_poi_row(r, &q->pois[k], k, value));
  sciara_layer_quantile(m->hazard.poi_quantile, quantile, sizeof quantile);
  snprintf(arrival, sizeof arrival, "arrival_%s_s", quantile);
  m->poi[k] = (struct sciara_page_poi){.poi = &q->pois[k],
                                       .row = cell / r->dem.grid.cols,
                                       .col = cell % r->dem.grid.cols,
                                       .where = sciara_poi_where(&r->poi_ground[k]),
                                       .chance = chance,
                                       .arrival = NAN,
                                       .at_start = sciara_poi_at_start(r, k)};
  for (size_t c = 0; c < m->columns.count; c++) {
    if (is_chance(m->columns.name[c])) *chance++ = value[c];
    if (strcmp(m->columns.name[c], arrival) == 0) m->poi[k].arrival = value[c];
  }
  return SCIARA_OK;
}

static enum sciara_status make_pois(struct making *m) {
  const struct sciara_ensemble_result *q = &m->r->ensemble.result;
  const size_t count = m->r->pois.pois;
  double *value = NULL;
  enum sciara_status status;
  m->hazard.poi_quantile = q->quantile_count ? q->quantiles[q->quantile_count / 2] : NAN;
  SCIARA_TRY(sciara_poi_columns_make(m->r, &m->columns));
  SCIARA_TRY(SCIARA_NEW(m->chance_name, m->columns.count + 1, "the places of a page"));
  for (size_t c = 0; c < m->columns.count; c++)
    if (is_chance(m->columns.name[c])) m->chance_name[m->hazard.chances++] = m->columns.name[c];
  SCIARA_TRY(SCIARA_NEW(m->poi, count + 1, "the places of a page"));
  SCIARA_TRY(SCIARA_NEW(m->chance, count * m->hazard.chances + 1, "the places of a page"));
  SCIARA_TRY(SCIARA_NEW(value, m->columns.count + 1, "the places of a page"));
  for (size_t k = 0; k < count; k++) SCIARA_TRY_GOTO(make_poi(m, k, value));
  m->hazard.chance = m->chance_name;
  m->hazard.poi = m->poi;
  m->hazard.pois = count;
  status = SCIARA_OK;
cleanup:
  sciara_free(value);
  return status;
}

// ------------------------------------------------------------------------------------------------------------- shares

/** The smallest blocks of which there are not too many. */
static void choose_blocks(struct making *m) {
  const int64_t *box = m->frames.box, things = (int64_t)(m->vents + m->events) + 1;
  struct sciara_page_hazard *h = &m->hazard;
  do {
    h->block++;
    h->block_rows = (box[2] + h->block - 1) / h->block;
    h->block_cols = (box[3] + h->block - 1) / h->block;
  } while (h->block_rows * h->block_cols > MOST_BLOCKS || h->block_rows * h->block_cols * things > MOST_SUMS);
}

/** Adds a member to the blocks that it reaches. One thread calls it, so that the sums run in the order of the members. */
static enum sciara_status add_member(void *context, size_t member, const struct sciara_footprint *f) {
  struct making *m = (struct making *)context;
  const struct sciara_sample *s = &m->r->sample;
  const int64_t vent = m->r->ensemble.members.vent[member], event = m->r->ensemble.members.event[member];
  const int64_t *box = m->frames.box, cols = m->frames.grid.cols;
  if (member >= s->count || s->state[member] == SCIARA_MEMBER_OPEN || s->weight[member] <= 0) return SCIARA_OK;
  for (int64_t k = 0; k < f->count; k++) {
    const int64_t row = (f->cell[k] / cols - box[0]) / m->hazard.block,
                  col = (f->cell[k] % cols - box[1]) / m->hazard.block;
    const size_t block = (size_t)(row * m->hazard.block_cols + col);
    if (m->last[block] == (uint32_t)member + 1) continue;
    m->last[block] = (uint32_t)member + 1;
    double *sum = m->sum + block * (m->vents + m->events);
    if (vent >= 0 && (size_t)vent < m->vents) sum[vent] += s->weight[member];
    if (event >= 0 && (size_t)event < m->events) sum[m->vents + (size_t)event] += s->weight[member];
  }
  return SCIARA_OK;
}

/** The largest of `count` sums, and their fractions of the whole, into column `block` of the table. Each that is taken becomes 0. */
static void rank(double *sum, size_t count, uint16_t *ranked, size_t block, size_t blocks) {
  double all = 0;
  for (size_t k = 0; k < count; k++) all += sum[k];
  for (size_t rank = 0; rank < SCIARA_PAGE_RANKS; rank++) {
    size_t best = 0;
    for (size_t k = 1; k < count; k++)
      if (sum[k] > sum[best]) best = k;
    if (sum[best] <= 0) return;
    ranked[rank * blocks + block] = (uint16_t)(best + 1);
    ranked[(SCIARA_PAGE_RANKS + rank) * blocks + block] = (uint16_t)lround(SCIARA_PAGE_SHARE * sum[best] / all);
    sum[best] = 0;
  }
}

static enum sciara_status make_table(struct making *m, size_t first, size_t count, char **names,
                                     struct sciara_page_shares *out) {
  const size_t blocks = (size_t)(m->hazard.block_rows * m->hazard.block_cols);
  if (count >= UINT16_MAX)
    return sciara_fail(SCIARA_ERR_INPUT, "expected at most %d vents or classes in a page, found %zu", UINT16_MAX - 1,
                       count);
  out->name = names;
  out->count = count;
  SCIARA_TRY(SCIARA_NEW(out->ranked, 2 * SCIARA_PAGE_RANKS * blocks + 1, "what threatens each place"));
  for (size_t k = 0; k < blocks && count > 0; k++)
    rank(m->sum + k * (m->vents + m->events) + first, count, out->ranked, k, blocks);
  return SCIARA_OK;
}

static enum sciara_status make_shares(struct making *m) {
  const struct sciara_ensemble *e = &m->r->ensemble;
  const struct sciara_footprint_source source = sciara_reduction_source(m->r);
  m->vents = e->vent_count;
  m->events = e->event_count;
  SCIARA_TRY(SCIARA_NEW(m->vent_name, m->vents + 1, "the vents of a page"));
  SCIARA_TRY(SCIARA_NEW(m->event_name, m->events + 1, "the classes of a page"));
  for (size_t k = 0; k < m->vents; k++) m->vent_name[k] = e->vents[k].name;
  for (size_t k = 0; k < m->events; k++) m->event_name[k] = e->events[k].name;
  choose_blocks(m);
  const size_t blocks = (size_t)(m->hazard.block_rows * m->hazard.block_cols);
  SCIARA_TRY(SCIARA_NEW(m->sum, blocks * (m->vents + m->events) + 1, "what threatens each place"));
  SCIARA_TRY(SCIARA_NEW(m->last, blocks + 1, "what threatens each place"));
  if (m->vents + m->events > 0) SCIARA_TRY(sciara_footprints_visit(&source, 1, add_member, m));
  SCIARA_TRY(make_table(m, 0, m->vents, m->vent_name, &m->hazard.vents));
  return make_table(m, m->vents, m->events, m->event_name, &m->hazard.events);
}

// --------------------------------------------------------------------------------------------------------------- page

static enum sciara_status make_vents(struct making *m) {
  SCIARA_TRY(SCIARA_NEW(m->vent, m->used.count + 1, "the vents of a page"));
  for (size_t k = 0; k < m->used.count; k++) {
    const struct sciara_used_vent *v = &m->used.vent[k];
    m->vent[k] = (struct sciara_page_vent){v->name, v->points, v->count, m->used.weighted ? v->weight : 0};
  }
  return SCIARA_OK;
}

/** What `sciara verify` found, unless its conditions are not those of the page. */
static enum sciara_status read_verification(struct making *m) {
  static const char name[] = SCIARA_ENSEMBLE_VERIFICATION ".json";
  struct sciara_text condition = {0};
  cJSON *root = NULL;
  char *path;
  enum sciara_status status = sciara_path_in(m->r->ensemble.folder, name, &path);
  if (status != SCIARA_OK || access(path, F_OK) != 0) goto cleanup;
  SCIARA_TRY_GOTO(sciara_json_read(path, &root));
  SCIARA_TRY_GOTO(sciara_reduction_describe(m->r, NULL, &condition));
  const cJSON *found = cJSON_GetObjectItemCaseSensitive(root, "condition");
  if (!cJSON_IsString(found) || strcmp(found->valuestring, condition.data) != 0) {
    sciara_log(SCIARA_LOG_WARNING,
               "%s: is of other members or weights than the page, which leaves it out: repeat 'sciara verify'", path);
    goto cleanup;
  }
  status = sciara_json_print(root, &m->verification);
  m->hazard.verification = m->verification.data;
cleanup:
  cJSON_Delete(root);
  sciara_text_free(&condition);
  free(path);
  return status;
}

static enum sciara_status write_ensemble_page(const struct sciara_reduction *r, const struct sciara_export_job *job,
                                              const char *path) {
  struct making m = {.r = r};
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_picture_look_check(&job->look, *r->start ? r->start : NULL));
  SCIARA_TRY_GOTO(find_cells(&m));
  SCIARA_TRY_GOTO(make_layers(&m));
  SCIARA_TRY_GOTO(make_pois(&m));
  SCIARA_TRY_GOTO(make_shares(&m));
  SCIARA_TRY_GOTO(make_vents(&m));
  SCIARA_TRY_GOTO(read_verification(&m));
  SCIARA_TRY_GOTO(sciara_hazard_assumed(r, job->look.language, &m.assumed));
  SCIARA_TRY_GOTO(sciara_hazard_title(r, job->look.language, &m.title));
  m.hazard.finished = r->sample.finished;
  m.hazard.members = r->used_members - r->sample.zero;
  m.hazard.stopped = r->stopped;
  m.hazard.observed = r->ensemble.observed != NULL;
  m.hazard.condition = sciara_hazard_condition(r, NULL);
  m.hazard.after = r->after;
  m.hazard.time_zero_s = r->ensemble.time_zero_s;
  m.hazard.censored = r->sample.censored;
  m.hazard.liquid = r->liquid.members;
  m.hazard.liquid_s[0] = r->liquid.from_s;
  m.hazard.liquid_s[1] = r->liquid.to_s;
  m.hazard.end_s = r->end_s;
  m.hazard.full = r->sample.kind == SCIARA_ERROR_GRID;
  static const double begin = 0;
  char source[160], rules[SCIARA_RULES_TEXT];
  snprintf(source, sizeof source, "sciara " SCIARA_VERSION ", %s, DEM %016" PRIx64, sciara_rules_title(r->rules, rules),
           r->dem.hash);
  const struct sciara_run_warning coarse = {.kind = (char *)(uintptr_t)SCIARA_WARNING_DEM, .coarse_m = r->dem.coarse_m};
  const struct sciara_page page = {.language = job->look.language,
                                   .frames = &m.frames,
                                   .altitude = r->dem.altitude,
                                   .sea = r->dem.sea,
                                   .window = r->dem.window,
                                   .edits = r->dem.edit,
                                   .observed = r->dem.observed,
                                   .observed_name = r->observed_name,
                                   .observed_s = &begin,
                                   .vent = m.vent,
                                   .vents = m.used.count,
                                   .assumed = m.assumed.data,
                                   .warnings = &coarse,
                                   .warning_count = r->dem.coarse_m > 0,
                                   .stamp = job->look.stamp,
                                   .credits = job->look.credits,
                                   .issued = *job->look.issued ? job->look.issued : NULL,
                                   .valid_until = *job->look.valid_until ? job->look.valid_until : NULL,
                                   .start = *r->start ? r->start : NULL,
                                   .crs_wkt = r->dem.georef.crs_wkt,
                                   .snapshot_count = 1,
                                   .title = job->look.title ? job->look.title : m.title.data,
                                   .crs_name = r->dem.georef.crs_name,
                                   .source = source,
                                   .hazard = &m.hazard};
  SCIARA_TRY_GOTO(sciara_page_write(&page, path));
cleanup:
  making_free(&m);
  return status;
}

enum sciara_status sciara_export_ensemble_html(const struct sciara_export_job *job, const char *path) {
  return write_reduction(job, write_ensemble_page, path);
}
