// SPDX-License-Identifier: Apache-2.0
#include "run/map_dressing.h"

#include "base/mem.h"
#include "map/words.h"
#include "sciara.h"

enum sciara_status sciara_map_dressing_make(const struct sciara_scenario_spec *scenario,
                                            const struct sciara_run_json *run, const struct sciara_map *map,
                                            struct sciara_map_picture *picture, struct sciara_map_dressing *out) {
  SCIARA_TRY(sciara_vent_marks_make(scenario, map->grid, map->georef, &out->marks));
  if (out->marks.count > 0) SCIARA_TRY(SCIARA_NEW(out->vent, out->marks.count, "the vents of a map"));
  for (size_t k = 0; k < out->marks.count; k++) {
    const struct sciara_vent_mark *mark = &out->marks.mark[k];
    out->vent[k] = (struct sciara_map_vent){.points = mark->points, .count = mark->count, .weight = 1};
    for (size_t j = 0; j < mark->count; j++) sciara_map_bounds_add_point(&out->bounds, map->grid, mark->points[j]);
  }
  SCIARA_TRY(sciara_run_assumed(scenario, run, map->grid, picture->language, &out->assumed));
  SCIARA_TRY(sciara_word_title(&out->title, picture->language, scenario->title, scenario->dem.edits,
                               scenario->dem.edit_count));
  picture->note = out->assumed.data;
  picture->rules = 1u << scenario->params.rule;
  picture->vent = out->vent;
  picture->vents = out->marks.count;
  picture->volumes = &out->volumes;
  return SCIARA_OK;
}

void sciara_map_dressing_lava(struct sciara_map_dressing *d, const struct sciara_vent_cells *vents, double time_s,
                              const double *lava, const struct sciara_ledger *ledger,
                              struct sciara_map_picture *picture) {
  const struct sciara_grid *g = picture->map->grid;
  const struct sciara_run_out out = sciara_run_out_find(vents, time_s, g, lava);
  sciara_map_bounds_add_values(&d->bounds, g, lava);
  d->run_out = (struct sciara_map_run_out){
      {g->west + ((double)out.col + 0.5) * g->cell_size, g->north - ((double)out.row + 0.5) * g->cell_size},
      out.metres};
  picture->run_out = out.found ? &d->run_out : NULL;
  sciara_word_lava(picture->language, ledger->initial_m3 + ledger->emitted_m3 + ledger->added_m3 - ledger->removed_m3,
                   ledger->liquid_m3, ledger->solid_m3, d->volumes.lava);
  d->volumes.emitted = ledger->emitted_m3;
  d->volumes.left_map = ledger->lost_m3;
  d->volumes.entered_sea = ledger->sea_m3;
  d->volumes.added = ledger->added_m3;
  d->volumes.removed = ledger->removed_m3;
}

enum sciara_status sciara_map_dressing_tell(const struct sciara_map_dressing *d, struct sciara_map_facts *facts) {
  SCIARA_TRY(sciara_map_facts_add(facts, "lava", *d->volumes.lava ? d->volumes.lava : NULL));
  return sciara_map_facts_add(facts, "assumptions", d->assumed.data);
}

void sciara_map_dressing_free(struct sciara_map_dressing *d) {
  sciara_text_free(&d->assumed);
  sciara_text_free(&d->title);
  sciara_vent_marks_free(&d->marks);
  sciara_free(d->vent);
  *d = (struct sciara_map_dressing){0};
}
