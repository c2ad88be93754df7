// SPDX-License-Identifier: Apache-2.0
// The public interface (sciara.h): files of the current state, and scores.
#include <math.h>

#include "analysis/compare.h"
#include "analysis/exposure.h"
#include "analysis/observation.h"
#include "api/api.h"
#include "base/date.h"
#include "base/mem.h"
#include "file/durable.h"
#include "model/field.h"
#include "model/soundness.h"
#include "model/state.h"
#include "run/state_files.h"
#include "store/checkpoint_hdf5.h"

static const char HISTORY[] = "libsciara " SCIARA_VERSION;

static enum sciara_status check(const char *function, const struct sciara *s, const char *path) {
  SCIARA_TRY(sciara_api_check_pointer(function, "the simulation", s));
  return sciara_api_check_pointer(function, "the path", path);
}

/** Brings the state up to date and writes it as a snapshot. */
static enum sciara_status write_snapshot(struct sciara_simulation *s, const char *path) {
  struct sciara_touched touched;
  struct sciara_ledger ledger;
  SCIARA_TRY(sciara_simulation_ledger(s, &ledger));
  const struct sciara_snapshot_context context = sciara_simulation_snapshots(s, HISTORY);
  const struct sciara_state *state = s->problem.state;
  SCIARA_TRY(sciara_touched_find(state, 1, &touched));
  const uint64_t checksum = sciara_state_checksum(state);
  const enum sciara_status status = sciara_snapshot_write(&context, state, &touched, &ledger, checksum, path);
  sciara_touched_release(&touched);
  return status;
}

enum sciara_status sciara_write_snapshot(struct sciara *s, const char *path) {
  SCIARA_TRY(check("sciara_write_snapshot", s, path));
  if (!sciara_has_extension(path, "nc"))
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_write_snapshot: expected the name of a file NAME.nc, found %s", path);
  return write_snapshot(s->simulation, path);
}

static enum sciara_status write_checkpoint(struct sciara_simulation *s, const char *path) {
  enum sciara_status status;
  struct sciara_checkpoint h = {0};
  const struct sciara_state *state = s->problem.state;
  char now[SCIARA_DATE_SIZE];
  sciara_date_now(now);
  SCIARA_TRY(sciara_simulation_sync(s));
  SCIARA_TRY_GOTO(sciara_state_check_sound(state, &s->problem.params));
  SCIARA_TRY_GOTO(sciara_checkpoint_describe(s, sciara_state_checksum_of_ground(state), HISTORY, now, &h));
  h.losses = s->progress.losses;
  h.next_snapshot_s = INFINITY;
  h.compute_s = s->compute_s;
  SCIARA_TRY_GOTO(sciara_checkpoint_write(&h, state, path));
cleanup:
  sciara_checkpoint_free(&h);
  return status;
}

enum sciara_status sciara_write_checkpoint(struct sciara *s, const char *path) {
  SCIARA_TRY(check("sciara_write_checkpoint", s, path));
  return write_checkpoint(s->simulation, path);
}

enum sciara_status sciara_write_map(struct sciara *s, enum sciara_field field, const char *path) {
  SCIARA_TRY(check("sciara_write_map", s, path));
  SCIARA_TRY(sciara_api_check_field("sciara_write_map", s, field));
  const bool as_picture = sciara_has_extension(path, "png");
  if (!as_picture && !sciara_has_extension(path, "tif"))
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_write_map: expected the name of a file NAME.tif or NAME.png, found %s",
                       path);
  return sciara_simulation_write_map(s->simulation, field, as_picture, path);
}

// ------------------------------------------------------------------------------------------------------------- scores

/** The extents of a simulation, an array each; release with sciara_free. */
struct masks {
  double *deposit;
  uint8_t *run, *vents;
};

static enum sciara_status make_masks(const struct sciara_problem *p, double min_thickness_m, struct masks *m) {
  const int64_t cells = sciara_grid_cells(&p->grid);
  SCIARA_TRY(SCIARA_NEW(m->deposit, cells, "the deposit"));
  SCIARA_TRY(SCIARA_NEW(m->run, cells, "the extent of the deposit"));
  SCIARA_TRY(SCIARA_NEW(m->vents, cells, "the cells of the vents"));
  sciara_field_derive(p->state, SCIARA_FIELD_DEPOSIT, m->deposit);
  for (int64_t i = 0; i < cells; i++) {
    if (m->deposit[i] == SCIARA_NODATA_ALTITUDE) m->deposit[i] = 0; // outside the DEM
    m->run[i] = m->deposit[i] > min_thickness_m;
  }
  for (int64_t k = 0; k < p->vents->count; k++) m->vents[p->vents->row[k] * p->grid.cols + p->vents->col[k]] = 1;
  return SCIARA_OK;
}

static struct sciara_scores scores_of(const struct sciara_extent_scores *e) {
  return (struct sciara_scores){.hits = e->hits,
                                .misses = e->misses,
                                .excess = e->excess,
                                .jaccard = e->jaccard,
                                .sensitivity = e->tpr,
                                .precision = e->ppv,
                                .f1 = e->f1,
                                .area_ratio = e->area_ratio,
                                .run_out_ratio = e->run_out_ratio,
                                .hausdorff_m = e->hausdorff_m};
}

enum sciara_status sciara_score(struct sciara *s, const char *observed, const char *layer, double min_thickness_m,
                                struct sciara_scores *out) {
  SCIARA_TRY(check("sciara_score", s, observed));
  SCIARA_TRY(sciara_api_check_pointer("sciara_score", "out", out));
  if (!(min_thickness_m >= 0) || !isfinite(min_thickness_m))
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_score: min_thickness_m: expected 0 m or more, found %g m",
                       min_thickness_m);
  SCIARA_TRY(sciara_simulation_sync(s->simulation));
  const struct sciara_problem *p = &s->simulation->problem;
  const struct sciara_observation_request request = {.path = observed,
                                                     .layer = layer,
                                                     .grid = &p->grid,
                                                     .crs_wkt = p->source->georef.crs_wkt,
                                                     .when = sciara_date_at(p->source->scenario.start, p->state->time),
                                                     .min_thickness_m = min_thickness_m};
  struct sciara_observation observation = {0};
  struct masks m = {0};
  struct sciara_extent_scores scores;
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_observation_read(&request, &observation));
  SCIARA_TRY_GOTO(make_masks(p, min_thickness_m, &m));
  const struct sciara_extents extents = {.grid = &p->grid,
                                         .run = m.run,
                                         .observed = observation.covered,
                                         .vents = m.vents,
                                         .run_thickness = m.deposit,
                                         .observed_thickness = observation.thickness};
  SCIARA_TRY_GOTO(sciara_extents_score(&extents, &scores));
  *out = scores_of(&scores);
cleanup:
  sciara_observation_free(&observation);
  sciara_free(m.deposit);
  sciara_free(m.run);
  sciara_free(m.vents);
  return status;
}

// ----------------------------------------------------------------------------------------------------------- exposure

/** Places and what they point to. */
struct assets {
  struct sciara_assets shown; ///< first: the caller's pointer
  struct sciara_asset *asset;
  struct sciara_pois pois;
  struct sciara_exposure exposure;
};

/** The lava of a simulation, an array each; release with sciara_free. */
struct lava {
  double *arrival, *deposit, *most;
};

static enum sciara_status copy_field(const struct sciara *s, enum sciara_field field, bool required, double **out) {
  const struct sciara_state *state = s->simulation->problem.state;
  if (!required && sciara_field_record(field) & ~sciara_state_record(state)) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(*out, sciara_grid_cells(&state->grid), "the lava of a simulation"));
  sciara_field_derive(state, field, *out);
  return SCIARA_OK;
}

static enum sciara_status compute_exposure(const struct sciara *s, const struct sciara_pois_request *request,
                                           const double *times, size_t time_count, struct assets *all) {
  const struct sciara_problem *p = &s->simulation->problem;
  struct lava l = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(copy_field(s, SCIARA_FIELD_DEPOSIT, true, &l.deposit));
  SCIARA_TRY_GOTO(copy_field(s, SCIARA_FIELD_ARRIVAL_TIME, false, &l.arrival));
  SCIARA_TRY_GOTO(copy_field(s, SCIARA_FIELD_MAX_DEPOSIT, false, &l.most));
  const struct sciara_exposure_lava lava = {.grid = &p->grid,
                                            .kind = p->site->kind,
                                            .arrival = l.arrival,
                                            .deposit = l.deposit,
                                            .max_deposit = l.most,
                                            .mapped = p->source->observed};
  SCIARA_TRY_GOTO(sciara_exposure_read(&lava, request, 0, times, time_count, &all->pois, &all->exposure));
cleanup:
  sciara_free(l.arrival);
  sciara_free(l.deposit);
  sciara_free(l.most);
  return status;
}

static enum sciara_status list_assets(struct assets *all) {
  const struct sciara_exposure *e = &all->exposure;
  SCIARA_TRY(SCIARA_NEW(all->asset, e->count + 1, "places"));
  for (size_t k = 0; k < e->count; k++) {
    const struct sciara_exposed *p = &e->place[k];
    all->asset[k] = (struct sciara_asset){.name = all->pois.poi[k].name,
                                          .kind = sciara_poi_kind_name(all->pois.poi[k].kind),
                                          .state = sciara_exposed_state(p),
                                          .arrival_s = p->arrival_s,
                                          .deposit_m = p->deposit_m,
                                          .max_deposit_m = p->max_deposit_m,
                                          .covered = p->where == SCIARA_POI_ON_LAND ? p->covered : (double)NAN,
                                          .all = p->ground.all,
                                          .land = p->ground.land,
                                          .covered_by = e->by + k * e->time_count};
  }
  all->shown = (struct sciara_assets){all->asset, e->count};
  return SCIARA_OK;
}

enum sciara_status sciara_expose(struct sciara *s, const char *file, const char *layer, const double *times,
                                 size_t time_count, const struct sciara_assets **out) {
  struct assets *all;
  if (out) *out = NULL;
  SCIARA_TRY(check("sciara_expose", s, file));
  SCIARA_TRY(sciara_api_check_pointer("sciara_expose", "out", out));
  if (time_count > SCIARA_EXPOSURE_MOST_TIMES || (time_count > 0 && !times))
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_expose: expected at most %d times, found %zu%s",
                       SCIARA_EXPOSURE_MOST_TIMES, time_count, times ? "" : " and NULL");
  for (size_t k = 0; k < time_count; k++)
    if (!isfinite(times[k]) || (k > 0 && times[k] <= times[k - 1]))
      return sciara_fail(SCIARA_ERR_USAGE, "sciara_expose: expected ascending times, found %g s as number %zu",
                         times[k], k);
  SCIARA_TRY(sciara_simulation_sync(s->simulation));
  const struct sciara_pois_request request = {
      .path = file, .layer = layer, .crs_wkt = s->simulation->problem.source->georef.crs_wkt};
  SCIARA_TRY(SCIARA_NEW(all, 1, "places"));
  enum sciara_status status = compute_exposure(s, &request, times, time_count, all);
  if (status == SCIARA_OK) status = list_assets(all);
  if (status == SCIARA_OK)
    *out = &all->shown; // NOLINT(clang-analyzer-core.NullDereference): NULL was refused
  else
    sciara_assets_release(&all->shown);
  return status;
}

void sciara_assets_release(const struct sciara_assets *assets) {
  struct assets *all = (struct assets *)assets;
  if (!all) return;
  sciara_exposure_free(&all->exposure);
  sciara_pois_free(&all->pois);
  sciara_free(all->asset);
  sciara_free(all);
}
