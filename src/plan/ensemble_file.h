// SPDX-License-Identifier: Apache-2.0
// The parts "events" and "vents" of an ensemble file as values.
// Included by this room alone.
#ifndef SCIARA_PLAN_ENSEMBLE_FILE_H
#define SCIARA_PLAN_ENSEMBLE_FILE_H

#include "ensemble/ensemble_reading.h"
#include "model/site.h"
#include "plan/curve.h"

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

/** Vents of a plan; release with sciara_vent_list_free. */
struct sciara_vent_list {
  struct sciara_ensemble_vent *vent; ///< weight: as given, not yet divided by the sum
  char **where;                      ///< place in the file that made it, for messages: "vents.csv:17"
  size_t count;
  double jitter_m;
  bool lines;     ///< they are fissures
  double outside; ///< share of the density of openings for which no vent stands
};

/**
 * The vents of the part "vents" on a site, and their weights. Each vent that cannot lie where it does is one problem,
 * named by its row.
 */
void sciara_vent_list_read(const struct sciara_ensemble_reading *r, const cJSON *vents, const struct sciara_site *site,
                           struct sciara_vent_list *out);
void sciara_vent_list_free(struct sciara_vent_list *l);

#endif
