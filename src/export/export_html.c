// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "analysis/front.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "export/export.h"
#include "export/run_exposure.h"
#include "map/words.h"
#include "page/page_html.h"
#include "run/run_facts.h"
#include "scenario/vent_facts.h"

/** The requested field comes first; the others are those of a page, if the snapshot has them. */
static enum sciara_status choose_fields(const struct sciara_export_job *job, enum sciara_field *fields, size_t *count) {
  static const enum sciara_field usual[] = {SCIARA_FIELD_DEPOSIT, SCIARA_FIELD_THICKNESS, SCIARA_FIELD_TEMPERATURE,
                                            SCIARA_FIELD_ARRIVAL_TIME};
  if (job->field == SCIARA_FIELD_ALTITUDE)
    return sciara_fail(SCIARA_ERR_USAGE,
                       "--field: expected a field other than the altitude, which a page shows as its ground");
  *count = 0;
  if (!sciara_snapshot_has(&job->target->snapshot, job->field))
    return sciara_target_read(job->target, job->field, NULL); // says so, and what there is
  fields[(*count)++] = job->field;
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (usual[i] != job->field && sciara_snapshot_has(&job->target->snapshot, usual[i])) fields[(*count)++] = usual[i];
  return SCIARA_OK;
}

/** The vents of a page, what the run assumes, and its title. Zero-initialise; release with free_vents. */
struct page_vents {
  struct sciara_vent_marks marks;
  struct sciara_page_vent *vent; ///< refers to marks
  struct sciara_text assumed, title;
  double observed_s; ///< of the outline with which the run begins; below 0: not known
};

static void free_vents(struct page_vents *v) {
  sciara_vent_marks_free(&v->marks);
  sciara_free(v->vent);
  sciara_text_free(&v->assumed);
  sciara_text_free(&v->title);
}

static enum sciara_status read_page_vents(const struct sciara_target *t, enum sciara_language language,
                                          struct page_vents *out) {
  const struct sciara_snapshot *s = &t->snapshot;
  struct sciara_scenario_spec scenario;
  if (!s->scenario_json) return SCIARA_OK;
  enum sciara_status status = sciara_computed_scenario(s->path, s->scenario_json, "its vents", &scenario);
  if (status == SCIARA_OK) status = sciara_vent_marks_make(&scenario, &s->grid, &s->georef, &out->marks);
  if (status == SCIARA_OK) status = sciara_run_assumed(&scenario, &t->run_json, &s->grid, language, &out->assumed);
  if (status == SCIARA_OK)
    status = sciara_word_title(&out->title, language, s->title, scenario.dem.edits, scenario.dem.edit_count);
  out->observed_s = scenario.observed.time_s;
  sciara_scenario_free(&scenario);
  if (status == SCIARA_OK && out->marks.count > 0)
    status = SCIARA_NEW(out->vent, out->marks.count, "the vents of a page");
  for (size_t k = 0; k < out->marks.count && status == SCIARA_OK; k++)
    out->vent[k] = (struct sciara_page_vent){
        .name = out->marks.mark[k].name, .points = out->marks.mark[k].points, .count = out->marks.mark[k].count};
  return status;
}

enum { MOST_PLACES = 1000 };

/** The places of a page. */
struct page_places {
  struct sciara_run_exposure exposure;
  struct sciara_page_place *place;
  size_t count;
};

/** Reached places come first, the earliest of them before the others; then in the order of the file. */
static int by_arrival(const void *a, const void *b) {
  const struct sciara_page_place *p = (const struct sciara_page_place *)a, *q = (const struct sciara_page_place *)b;
  const double x = isfinite(p->deposit_m) ? isfinite(p->arrival_s) ? p->arrival_s : 0 : INFINITY;
  const double y = isfinite(q->deposit_m) ? isfinite(q->arrival_s) ? q->arrival_s : 0 : INFINITY;
  if (x < y || y < x) return x < y ? -1 : 1;
  return (p->poi > q->poi) - (p->poi < q->poi);
}

static enum sciara_status read_page_places(const struct sciara_export_job *job, struct page_places *out) {
  const struct sciara_grid *g = &job->target->snapshot.grid;
  const struct sciara_pois_request request = {.path = job->assets,
                                              .layer = job->assets_layer,
                                              .extra_drivers = job->observed.extra_drivers,
                                              .extra_driver_count = job->observed.extra_driver_count};
  const double end = job->target->snapshot.time_s;
  if (!job->assets) return SCIARA_OK;
  SCIARA_TRY(sciara_run_exposure_make(job->target, &request, &end, 1, &out->exposure));
  const struct sciara_pois *pois = &out->exposure.pois;
  SCIARA_TRY(sciara_export_tell_left_out(pois, g, NULL, &out->exposure.window));
  SCIARA_TRY(SCIARA_NEW(out->place, pois->count + 1, "the places of a page"));
  for (size_t k = 0; k < pois->count; k++) {
    const struct sciara_exposed *e = &out->exposure.exposure.place[k];
    const struct sciara_point at =
        pois->poi[k].point_count ? pois->poi[k].points[0] : (struct sciara_point){g->west, g->north + 1};
    int64_t row = -1, col = -1;
    sciara_grid_cell_of(g, at, &row, &col);
    out->place[k] = (struct sciara_page_place){.poi = &pois->poi[k],
                                               .state = sciara_exposed_state(e),
                                               .row = row,
                                               .col = col,
                                               .arrival_s = e->arrival_s,
                                               .deposit_m = e->deposit_m,
                                               .covered = e->covered,
                                               .land = e->ground.land,
                                               .mapped = e->mapped};
  }
  qsort(out->place, pois->count, sizeof *out->place, by_arrival);
  out->count = pois->count < MOST_PLACES ? pois->count : MOST_PLACES;
  if (out->count < pois->count)
    sciara_log(SCIARA_LOG_INFO,
               "%zu of %zu places are on the page, those that lava reaches first; 'sciara exposure' lists all",
               out->count, pois->count);
  return SCIARA_OK;
}

static enum sciara_status write_run_page(const struct sciara_export_job *job, const struct sciara_page_frames *frames,
                                         size_t snapshots, const char *path) {
  const struct sciara_snapshot *s = &job->target->snapshot;
  struct sciara_observation observation = {0};
  struct sciara_page page = {.frames = frames,
                             .snapshot_count = snapshots,
                             .title = job->look.title ? job->look.title : s->title,
                             .stamp = job->look.stamp,
                             .credits = job->look.credits,
                             .issued = *job->look.issued ? job->look.issued : NULL,
                             .valid_until = *job->look.valid_until ? job->look.valid_until : NULL,
                             .scale_to_m = job->scale_to_m,
                             .language = job->look.language,
                             .crs_wkt = s->georef.crs_wkt,
                             .start = s->start,
                             .crs_name = s->georef.crs_name,
                             .scenario_json = s->scenario_json,
                             .source = s->source,
                             .engine = s->engine,
                             .precision = s->precision};
  struct page_vents vents = {0};
  struct page_places places = {0};
  struct sciara_export_marks marks = {0};
  double *altitude = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_picture_look_check(&job->look, s->start));
  SCIARA_TRY_GOTO(read_page_vents(job->target, job->look.language, &vents));
  if (!job->look.title && vents.title.data) page.title = vents.title.data;
  page.assumed = vents.assumed.data;
  page.vent = vents.vent;
  page.vents = vents.marks.count;
  SCIARA_TRY_GOTO(sciara_target_read_ground(job->target, &altitude));
  SCIARA_TRY_GOTO(sciara_export_read_observed(job, s, &observation));
  page.altitude = altitude;
  SCIARA_TRY_GOTO(sciara_export_read_marks(job->target, &marks));
  page.sea = marks.sea;
  page.edits = marks.edit;
  page.warnings = job->target->run_json.warnings;
  page.warning_count = job->target->run_json.warning_count;
  page.observed = observation.covered ? observation.covered : marks.observed;
  const char *observed = observation.covered ? job->observed.path : marks.observed_name;
  page.observed_name = observed ? sciara_path_name(observed) : NULL;
  if (marks.observed && !observation.covered && vents.observed_s >= 0) page.observed_s = &vents.observed_s;
  SCIARA_TRY_GOTO(read_page_places(job, &places));
  page.place = places.place;
  page.places = places.count;
  page.window = places.exposure.window;
  SCIARA_TRY_GOTO(sciara_export_make_folder(path));
  SCIARA_TRY_GOTO(sciara_page_write(&page, path));
cleanup:
  free_vents(&vents);
  sciara_run_exposure_free(&places.exposure);
  sciara_free(places.place);
  sciara_free(altitude);
  sciara_observation_free(&observation);
  sciara_export_marks_free(&marks);
  return status;
}

enum sciara_status sciara_export_html(const struct sciara_export_job *job, const char *path) {
  enum sciara_field fields[SCIARA_FIELD_COUNT];
  struct sciara_page_frames frames = {0};
  struct sciara_export_snapshots s = {0};
  size_t field_count = 0;
  enum sciara_status status;
  SCIARA_TRY_GOTO(choose_fields(job, fields, &field_count));
  SCIARA_TRY_GOTO(sciara_export_snapshots(job, job->frames > 0 ? job->frames : SCIARA_EXPORT_FRAMES, &s));
  if (s.count < s.all)
    sciara_log(SCIARA_LOG_INFO, "%zu evenly spaced %s of %zu snapshots %s used (--frames)", s.count,
               sciara_plural(s.count, "one", "ones"), s.all, sciara_plural(s.count, "is", "are"));
  SCIARA_TRY_GOTO(sciara_page_frames_read((const char *const *)s.paths, s.count, job->target->snapshot.rule, fields,
                                          field_count, &frames));
  SCIARA_TRY_GOTO(write_run_page(job, &frames, s.all, path));
cleanup:
  sciara_export_snapshots_free(&s);
  sciara_page_frames_free(&frames);
  return status;
}
