// SPDX-License-Identifier: Apache-2.0
// sciara ensemble reweight: weights of members that follow from an observed extent.
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/common_options.h"
#include "app/ensemble.h"
#include "app/output.h"
#include "base/log.h"
#include "base/text.h"
#include "calibrate/reweight.h"
#include "ensemble/ensemble.h"
#include "file/durable.h"
#include "hazard/reduction.h"

static enum sciara_status take_reweight_options(const struct sciara_arguments *a, const char **drivers,
                                                struct sciara_observation_request *request,
                                                struct sciara_reweight_options *o) {
  const char *at = sciara_argument(a, "at"), *share = sciara_argument(a, "min-effective");
  SCIARA_TRY(sciara_observed_request(a, drivers, request));
  if (!request->path) return sciara_fail(SCIARA_ERR_USAGE, "--observed is missing: the observed extent");
  if (!at) return sciara_fail(SCIARA_ERR_USAGE, "--at is missing: the simulated time of the observed extent");
  SCIARA_TRY(sciara_take_min_thickness(a, &o->min_thickness_m));
  if (share && (!sciara_parse_double(share, &o->least_share) || !(o->least_share > 0 && o->least_share <= 1)))
    return sciara_fail(SCIARA_ERR_USAGE, "--min-effective: expected a number above 0 and up to 1, found \"%s\"", share);
  request->min_thickness_m = o->min_thickness_m;
  return SCIARA_OK;
}

/** The observed extent on the grid of the ensemble. */
static enum sciara_status read_observed(const struct sciara_ensemble *e, const struct sciara_batches *b,
                                        struct sciara_observation_request *request, struct sciara_observation *out) {
  struct sciara_dem dem = {0};
  enum sciara_status status = sciara_ensemble_dem_read(e, NULL, &dem);
  bool any = false;
  if (status == SCIARA_OK && b->batches > 0 && (dem.grid.rows != b->rows || dem.grid.cols != b->cols))
    status =
        sciara_fail(SCIARA_ERR_INPUT, "%s: expected the grid of the members, found another one", SCIARA_ENSEMBLE_DEM);
  request->grid = &dem.grid;
  request->crs_wkt = dem.georef.crs_wkt;
  if (status == SCIARA_OK) status = sciara_observation_read(request, out);
  for (int64_t i = 0; status == SCIARA_OK && i < sciara_grid_cells(&dem.grid) && !any; i++) any = out->covered[i] != 0;
  if (status == SCIARA_OK && !any)
    status =
        sciara_fail(SCIARA_ERR_INPUT, "%s: expected an extent with the centre of a cell, found none", request->path);
  request->grid = NULL;
  request->crs_wkt = NULL;
  sciara_dem_free(&dem);
  return status;
}

/** What products say of these weights, in one line. */
static enum sciara_status append_sentence(const struct sciara_reweight *w, const struct sciara_reweight_options *o,
                                          const char *path, struct sciara_text *out) {
  return sciara_text_showf(out, "members weighted by J^%g with the extent observed at %.10g s (%s)", w->exponent,
                           o->at_s, sciara_path_name(path));
}

static void print_weights(const struct sciara_ensemble *e, const struct sciara_reweight *w,
                          const struct sciara_reweight_options *o) {
  const char *at = SCIARA_DURATION(o->at_s);
  size_t of = 0;
  for (size_t k = 0; k < e->members.count; k++) of += e->members.weight[k] > 0;
  if (of > w->finished)
    sciara_log(SCIARA_LOG_WARNING,
               "%zu of %zu members are not finished, or have failed: they have the mean factor of their stratum; "
               "reweight again when they are finished",
               of - w->finished, of);
  if (w->early > 0)
    sciara_log(SCIARA_LOG_WARNING,
               "%zu members ended at a limit before the observation at %s: what they had reached counts", w->early, at);
  sciara_print("observed: %" PRId64 " cells at %s\n", w->observed, at);
  sciara_print("J of %zu finished members: best %.4f (member %" PRId64 "), median %.4f, %zu with J = 0\n", w->finished,
               w->jaccard[w->best], e->members.id[w->best], w->median, w->none);
  sciara_print("beta %g; n_eff %.2f before, %.2f after\n", w->exponent, w->before, w->after);
}

static enum sciara_status reweight_open(const struct sciara_ensemble *e, const struct sciara_batches *b,
                                        struct sciara_observation_request *request, struct sciara_reweight_options *o) {
  struct sciara_observation observed = {0};
  struct sciara_reweight w = {0};
  struct sciara_text sentence = {0};
  char *path;
  SCIARA_TRY(sciara_path_in(e->folder, SCIARA_ENSEMBLE_OBSERVED, &path));
  enum sciara_status status = read_observed(e, b, request, &observed);
  o->covered = observed.covered;
  if (status == SCIARA_OK) status = sciara_reweight_make(e, b, o, &w);
  if (status == SCIARA_OK) status = append_sentence(&w, o, request->path, &sentence);
  if (status == SCIARA_OK)
    status = sciara_observed_weights_write(path, &e->members, w.weight, w.jaccard, sentence.data);
  if (status == SCIARA_OK) {
    print_weights(e, &w, o);
    sciara_print("%s: remove it to go back to the planned weights; 'sciara ensemble reduce' makes the maps\n", path);
  }
  sciara_text_free(&sentence);
  sciara_reweight_free(&w);
  sciara_observation_free(&observed);
  free(path);
  return status;
}

static enum sciara_status reweight(const struct sciara_arguments *a) {
  const char *folder = a->operand[0], *drivers[SCIARA_MOST_GIVEN];
  struct sciara_observation_request request;
  struct sciara_reweight_options options = {.least_share = 0.2, .threads = sciara_reduction_threads(0)};
  struct sciara_ensemble e = {0};
  struct sciara_batches batches = {0};
  int lock = -1;
  SCIARA_TRY(take_reweight_options(a, drivers, &request, &options));
  char *json;
  SCIARA_TRY(sciara_path_in(folder, SCIARA_ENSEMBLE_JSON, &json));
  enum sciara_status status = sciara_ensemble_refuse_links(folder);
  // First: members that end meanwhile would have no score. Nothing is made in a folder that holds no ensemble.
  if (status == SCIARA_OK && access(json, F_OK) == 0) status = sciara_ensemble_lock_to_plan(folder, &lock);
  if (status == SCIARA_OK) status = sciara_ensemble_open_planned(folder, &e);
  if (status == SCIARA_OK)
    status = sciara_ensemble_take_time(&e, "--at", sciara_argument(a, "at"), &options.at_s, &request.when);
  options.zero_s = e.time_zero_s;
  if (status == SCIARA_OK) status = sciara_batches_open(&e, &batches);
  if (status == SCIARA_OK) status = sciara_fail_context(reweight_open(&e, &batches, &request, &options), "%s", folder);
  sciara_batches_free(&batches);
  sciara_ensemble_free(&e);
  sciara_ensemble_unlock(lock);
  free(json);
  return status;
}

static const struct sciara_option options[] = {
    SCIARA_OBSERVED_OPTIONS("the observed extent: polygons or a raster"),
    {"at", 0, "T", "simulated time of that extent (\"2 d\"), or its date: what lava has reached by then counts"},
    {"min-thickness", 0, "M", "thickness up to M metres counts as no lava (default: 0)"},
    {"min-effective", 0, "X", "n_eff of the members stays at or above X of what it was (default: 0.2)"},
    {0},
};

const struct sciara_command sciara_cmd_ensemble_reweight = {
    .name = "ensemble reweight",
    .summary = "weight members by how well they agree with an observed extent",
    .operands = "DIR --observed FILE --at T",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details =
        "A finished member of weight w has then the weight w J^b, J its Jaccard index at that time, b the largest "
        "number up to 50\nfor which n_eff = (sum of weights)^2 / sum of squares is large enough. Writes "
        "weights-observed.csv, which 'reduce',\n'query' and 'export' use until it is removed.\n",
    .execute = reweight,
};
