// SPDX-License-Identifier: Apache-2.0
// The parts of an ensemble file as values. Private to the planning of src/ensemble.
#ifndef SCIARA_ENSEMBLE_ENSEMBLE_FILE_H
#define SCIARA_ENSEMBLE_ENSEMBLE_FILE_H

#include "ensemble/curve.h"
#include "ensemble/ensemble.h"
#include "model/site.h"
#include "scenario/scenario_keys.h"

/** An ensemble file that is being read. Problems are added to `diagnostics`. */
struct sciara_ensemble_reading {
  const char *file, *folder; ///< names are relative to the folder
  struct sciara_diagnostics *diagnostics;
};

/** "FILE: PATH: expected ALLOWED; found FOUND" for the key `name` of an object, or of item `index` of an array. */
enum sciara_status sciara_ensemble_refuse(const struct sciara_ensemble_reading *r, const char *object, size_t index,
                                          const char *name, const char *found, const char *allowed);

/** No index in sciara_ensemble_refuse. */
#define SCIARA_NO_INDEX SIZE_MAX

/** The value of a key, or NULL; the value in a key of an object that may be NULL. */
const cJSON *sciara_json_get(const cJSON *object, const char *name);
double sciara_json_double(const cJSON *object, const char *name, double preset);

/** The path in a text key, resolved; malloc'd. */
enum sciara_status sciara_ensemble_path(const struct sciara_ensemble_reading *r, const cJSON *value, char **out);

/** The points of an array [[x, y], ...]. */
enum sciara_status sciara_json_points(const cJSON *array, struct sciara_point **out, size_t *count);

/** A class of eruptions with what its members emit. */
struct sciara_event_spec {
  char *name;
  double weight;
  bool by_volume;               ///< volume and duration with a curve; else rates
  double volume_m3, duration_s; ///< of rates: their sum, and the end of the last one
  size_t slots;                 ///< by volume: number of slots
  double *part;                 ///< by volume: share of the volume in each slot
  double *edges, *rates;        ///< rates: as in struct sciara_vent_spec
  size_t rate_count;
};

/** Events of "events"; the name of an event without one is "event 1". Release with sciara_events_free. */
void sciara_events_read(const struct sciara_ensemble_reading *r, const cJSON *events, struct sciara_event_spec **out,
                        size_t *count);
void sciara_events_free(struct sciara_event_spec *events, size_t count);

/**
 * The value of the key "effusion" of a vent with this event, its rates multiplied by `scale`, as JSON.
 *
 * @param volume_m3, duration_s of this member; those of the event unless they are varied
 * @return SCIARA_ERR_INPUT if a rate is above SCIARA_RATE_MAX
 */
enum sciara_status sciara_event_effusion(const struct sciara_event_spec *e, double volume_m3, double duration_s,
                                         double scale, struct sciara_text *out);

/** The effusion of a vent of a scenario, its rates multiplied by `scale`, as JSON; times from 0 include its start. */
enum sciara_status sciara_rates_effusion(const double *edges, const double *rates, size_t count, double scale,
                                         struct sciara_text *out);

/** The parts "result" and "stop", which may be NULL: defaults. The tree has passed the check. */
void sciara_result_read(const struct sciara_ensemble_reading *r, const cJSON *result, const cJSON *stop,
                        struct sciara_ensemble_result *out, struct sciara_ensemble_stop *rule);
void sciara_result_free(struct sciara_ensemble_result *r);

/** Vents of a plan; release with sciara_vent_list_free. */
struct sciara_vent_list {
  struct sciara_ensemble_vent *vent; ///< weight: as given, not yet divided by the sum
  char **where;                      ///< place in the file that made it, for messages: "vents.csv:17"
  size_t count;
  double jitter_m;
  bool lines; ///< they are fissures
};

/**
 * The vents of the part "vents" on a site, and their weights. Each vent that cannot lie where it does is one problem,
 * named by its row.
 */
void sciara_vent_list_read(const struct sciara_ensemble_reading *r, const cJSON *vents, const struct sciara_site *site,
                           struct sciara_vent_list *out);
void sciara_vent_list_free(struct sciara_vent_list *l);

#endif
