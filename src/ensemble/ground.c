// SPDX-License-Identifier: Apache-2.0
#include "ensemble/ground.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"
#include "file/durable.h"
#include "setup/scenario_site.h"

/** The DEM of the folder must still be that of the plan. */
static enum sciara_status check_hash(const struct sciara_ensemble *e, uint64_t found) {
  if (found == e->site_hash) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s/%s: expected the ground %016" PRIx64 " of the plan, found %016" PRIx64
                     "; put back the file of the plan ('sciara ensemble plan' in another folder writes it), or a file "
                     "that dem.sea or dem.edits of its base names",
                     e->folder, SCIARA_ENSEMBLE_DEM, e->site_hash, found);
}

enum sciara_status sciara_ensemble_site_read(const struct sciara_ensemble *e, const struct sciara_notes *notes,
                                             const struct sciara_site **out) {
  struct sciara_scenario_spec spec = {0};
  struct sciara_diagnostics diagnostics = {0};
  char name[SCIARA_MEMBER_NAME];
  const struct sciara_scenario_member first = sciara_ensemble_member(e, 0, name);
  sciara_scenario_member_read(&first, false, notes, &spec, &diagnostics);
  enum sciara_status status = sciara_diagnostics_status(&diagnostics);
  spec.dem.error = (struct sciara_ground_error){0};
  if (status == SCIARA_OK) status = sciara_scenario_site_read(&spec, &(struct sciara_problem_options){0}, out);
  if (status == SCIARA_OK) status = check_hash(e, (*out)->origin.hash);
  sciara_scenario_free(&spec);
  sciara_diagnostics_free(&diagnostics);
  return status;
}

/** Compares the hash of the DEM; of a site with a sea or with edits at simulated times it is another one. */
static enum sciara_status check_ground(const struct sciara_ensemble *e, const struct sciara_dem *dem) {
  const struct sciara_site *site = NULL;
  if (dem->hash == e->site_hash) return SCIARA_OK;
  const enum sciara_status status = sciara_ensemble_site_read(e, &sciara_no_notes, &site);
  sciara_site_release(site);
  return status;
}

enum sciara_status sciara_ensemble_dem_read(const struct sciara_ensemble *e, struct sciara_dem *out) {
  char *path;
  SCIARA_TRY(sciara_path_in(e->folder, SCIARA_ENSEMBLE_DEM, &path));
  const struct sciara_dem_request request = {.path = path, .band = 1, .own = true, .marked = true};
  enum sciara_status status = sciara_dem_read(&request, out);
  if (status == SCIARA_OK) status = check_ground(e, out);
  free(path);
  return status;
}
