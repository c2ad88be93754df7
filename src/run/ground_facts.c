// SPDX-License-Identifier: Apache-2.0
#include "run/ground_facts.h"

#include <stdint.h>
#include <stdlib.h>

#include "file/json_strict.h"
#include "terrain/dem_gdal.h"

enum sciara_status sciara_ground_warn(const struct sciara_problem *p, struct sciara_run_json *run_json) {
  const double coarse = p->site->origin.coarse_m;
  if (!(coarse > 0) || sciara_run_json_warning(run_json, SCIARA_WARNING_DEM)) return SCIARA_OK;
  char *text = sciara_dem_coarse_text(p->scenario.dem.path, coarse, p->site->grid.cell_size);
  if (!text) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a warning");
  const enum sciara_status status = sciara_run_json_warn(
      run_json,
      &(struct sciara_run_warning){.kind = (char *)(uintptr_t)SCIARA_WARNING_DEM, .coarse_m = coarse, .text = text});
  free(text);
  return status;
}

enum sciara_status sciara_ground_facts(const struct sciara_site *site, struct sciara_map_facts *facts) {
  char text[40], window[SCIARA_DEM_WINDOW_TEXT];
  sciara_dem_window_print(&site->origin.window, window);
  SCIARA_TRY(sciara_map_facts_add(facts, SCIARA_DEM_WINDOW, window));
  if (!(site->origin.coarse_m > 0)) return SCIARA_OK;
  sciara_json_number(site->origin.coarse_m, text, sizeof text);
  return sciara_map_facts_add(facts, SCIARA_DEM_COARSE, text);
}
