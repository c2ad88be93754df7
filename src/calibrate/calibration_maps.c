// SPDX-License-Identifier: Apache-2.0
#include "calibrate/calibration_maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static enum sciara_status no_memory(void) { return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a page"); }

// --------------------------------------------------------------------------------------------------------------- boxes

static void add_cell(int64_t box[4], int64_t row, int64_t col) {
  if (box[2] == 0) memcpy(box, (int64_t[4]){row, col, 1, 1}, 4 * sizeof *box);
  const int64_t at[2] = {row, col};
  for (int k = 0; k < 2; k++) {
    const int64_t end = at[k] >= box[k] + box[k + 2] ? at[k] + 1 : box[k] + box[k + 2];
    if (at[k] < box[k]) box[k] = at[k];
    box[k + 2] = end - box[k];
  }
}

enum sciara_status sciara_calibration_boxes_make(const struct sciara_calibration_page *page,
                                                 struct sciara_calibration_boxes *out) {
  const struct sciara_calibration_file *f = page->found->record.search->file;
  SCIARA_TRY(SCIARA_NEW(out->box, f->scenario_count, "the maps of a page"));
  for (size_t n = 0; n < f->scenario_count; n++) {
    const int64_t cols = sciara_evaluator_site(page->evaluator, n)->grid.cols;
    for (size_t k = 0; k < page->count; k++) {
      const struct sciara_footprint *lava = &page->found[k].map[n];
      for (int64_t i = 0; i < lava->count; i++)
        if ((double)lava->max_deposit[i] > f->min_thickness_m)
          add_cell(out->box[n], lava->cell[i] / cols, lava->cell[i] % cols);
    }
  }
  for (size_t k = 0; k < f->pair_count; k++) {
    const size_t n = f->observed[k].scenario;
    const struct sciara_grid *g = &sciara_evaluator_site(page->evaluator, n)->grid;
    const uint8_t *covered = sciara_evaluator_covered(page->evaluator, k);
    for (int64_t i = 0; i < sciara_grid_cells(g); i++)
      if (covered[i]) add_cell(out->box[n], i / g->cols, i % g->cols);
  }
  return SCIARA_OK;
}

void sciara_calibration_boxes_free(struct sciara_calibration_boxes *b) { sciara_free(b->box); }

// ---------------------------------------------------------------------------------------------------------------- parts

/** A field of the cells that count: `counts` of each cell of the footprint. */
static enum sciara_status add_field(struct sciara_calibration_map *m, enum sciara_field field, const float *value,
                                    const bool *counts, int64_t count) {
  struct sciara_page_field *to = &m->frames.fields[m->frames.field_count++];
  int64_t at = 0;
  *to = (struct sciara_page_field){.field = field, .like = -1};
  for (int64_t n = 0; n < count; n++)
    if (counts[n]) to->high = fmax(to->high, (double)value[n]);
  to->step = sciara_page_step(fmax(to->high, 1e-9), SCIARA_PAGE_STEPS);
  SCIARA_TRY(SCIARA_NEW(to->levels, m->frames.cells, "a map of a page"));
  for (int64_t n = 0; n < count; n++)
    if (counts[n]) to->levels[at++] = (uint16_t)(1 + lround((double)value[n] / to->step));
  return SCIARA_OK;
}

/** What is compared with an observed extent: lava at the end, or what lava has reached at its time. */
static enum sciara_status take_cells(const struct sciara_footprint *f, double at_s, double least,
                                     struct sciara_calibration_map *m) {
  const bool at_end = !(at_s < (double)INFINITY);
  bool *counts = NULL;
  enum sciara_status status;
  m->frames.frames = &m->frame;
  m->frames.frame_count = 1;
  m->frame.time_s = at_end ? f->end_s : at_s;
  m->frame.covered_cells = -1;
  SCIARA_TRY_GOTO(SCIARA_NEW(counts, f->count, "the cells of a page"));
  SCIARA_TRY_GOTO(SCIARA_NEW(m->frames.covered, sciara_grid_cells(&m->frames.grid), "the cells of a page"));
  for (int64_t n = 0; n < f->count; n++) {
    counts[n] =
        at_end ? (double)f->deposit[n] > least : (double)f->arrival[n] <= at_s && (double)f->max_deposit[n] > least;
    m->frames.covered[f->cell[n]] = counts[n];
    m->frames.cells += counts[n];
  }
  if (at_end) SCIARA_TRY_GOTO(add_field(m, SCIARA_FIELD_DEPOSIT, f->deposit, counts, f->count));
  SCIARA_TRY_GOTO(add_field(m, SCIARA_FIELD_ARRIVAL_TIME, f->arrival, counts, f->count));
cleanup:
  sciara_free(counts);
  return status;
}

static enum sciara_status take_sea(const struct sciara_site *site, struct sciara_calibration_map *m) {
  if (site->sea_cells == 0) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(m->sea, sciara_grid_cells(&site->grid), "the sea of a page"));
  for (int64_t i = 0; i < sciara_grid_cells(&site->grid); i++) m->sea[i] = site->kind[i] == SCIARA_CELL_SEA;
  return SCIARA_OK;
}

static enum sciara_status take_vents(const char *path, const char *scenario, const struct sciara_site *site,
                                     struct sciara_calibration_map *m) {
  const struct sciara_georef georef = {.crs_wkt = site->origin.crs_wkt, .crs_name = site->origin.crs_name};
  struct sciara_scenario_spec spec = {0};
  struct sciara_diagnostics diagnostics = {0}; // it has been computed: places are all that is looked at
  sciara_scenario_parse_alone(path, scenario, &spec, &diagnostics);
  enum sciara_status status = diagnostics.no_memory ? no_memory() : SCIARA_OK;
  if (status == SCIARA_OK) status = sciara_vent_marks_make(&spec, &site->grid, &georef, &m->marks);
  if (status == SCIARA_OK) status = SCIARA_NEW(m->vent, m->marks.count, "the vents of a page");
  for (size_t k = 0; k < m->marks.count && status == SCIARA_OK; k++)
    m->vent[k] = (struct sciara_page_vent){
        .name = m->marks.mark[k].name, .points = m->marks.mark[k].points, .count = m->marks.mark[k].count};
  sciara_diagnostics_free(&diagnostics);
  sciara_scenario_free(&spec);
  return status;
}

// ----------------------------------------------------------------------------------------------------------------- all

/** What a map has of its own; the rest is that of an earlier one. */
struct own {
  bool ground, scenario, lava;
};

/** Maps of a scenario have its ground; those of a search also its best values; those of a time also the lava. */
static struct own find_like(const struct sciara_calibration_page *page, size_t pair, size_t search, size_t *like) {
  const struct sciara_evaluate_observed *o = page->found->record.search->file->observed;
  size_t of_scenario = pair, of_time = pair; // the first pairs
  for (size_t k = pair; k-- > 0;) {
    if (o[k].scenario != o[pair].scenario) continue;
    of_scenario = k;
    if (sciara_evaluator_time(page->evaluator, k) == sciara_evaluator_time(page->evaluator, pair)) of_time = k;
  }
  const size_t first = of_time < pair ? of_time : of_scenario;
  const struct own own = {.ground = first == pair && search == 0, .scenario = first == pair, .lava = of_time == pair};
  *like = own.ground ? 0 : first * page->count + (first < pair ? search : 0);
  return own;
}

enum sciara_status sciara_calibration_map_make(const struct sciara_calibration_page *page,
                                               const struct sciara_calibration_boxes *boxes, size_t index,
                                               struct sciara_calibration_map *out) {
  const size_t pair = index / page->count, search = index % page->count;
  const struct sciara_calibration_found *found = &page->found[search];
  const struct sciara_calibration_file *f = found->record.search->file;
  const size_t n = f->observed[pair].scenario;
  const struct sciara_site *site = sciara_evaluator_site(page->evaluator, n);
  const struct own own = find_like(page, pair, search, &out->like);
  out->frames.grid = site->grid;
  memcpy(out->frames.box, boxes->box[n], sizeof out->frames.box);
  if (own.scenario) {
    SCIARA_TRY(sciara_calibration_best_print(&found->record, n, &out->scenario));
    SCIARA_TRY(take_vents(f->scenario[n], out->scenario.data, site, out));
  }
  if (own.ground) SCIARA_TRY(take_sea(site, out));
  if (own.lava)
    SCIARA_TRY(take_cells(&found->map[n], sciara_evaluator_time(page->evaluator, pair), f->min_thickness_m, out));
  out->page = (struct sciara_page){.language = page->language,
                                   .frames = &out->frames,
                                   .altitude = own.ground ? site->z0 : NULL,
                                   .observed = sciara_evaluator_covered(page->evaluator, pair),
                                   .observed_name = sciara_path_name(f->observed[pair].path),
                                   .region = sciara_evaluator_region(page->evaluator, pair),
                                   .sea = out->sea,
                                   .vent = out->vent,
                                   .vents = out->marks.count,
                                   .crs_wkt = site->origin.crs_wkt,
                                   .crs_name = site->origin.crs_name,
                                   .snapshot_count = 1,
                                   .scenario_json = own.scenario ? out->scenario.data : NULL,
                                   .source = "sciara " SCIARA_VERSION};
  return SCIARA_OK;
}

void sciara_calibration_map_free(struct sciara_calibration_map *m) {
  for (size_t k = 0; k < m->frames.field_count; k++) sciara_free(m->frames.fields[k].levels);
  sciara_free(m->frames.covered);
  sciara_free(m->sea);
  sciara_vent_marks_free(&m->marks);
  sciara_free(m->vent);
  sciara_text_free(&m->scenario);
}
