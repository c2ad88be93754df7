// SPDX-License-Identifier: Apache-2.0
// The parts "events" and "vents" of an ensemble file as values; "vary" is in variation.h.
// Included by this room alone.
#ifndef SCIARA_PLAN_ENSEMBLE_FILE_H
#define SCIARA_PLAN_ENSEMBLE_FILE_H

#include "ensemble/ensemble.h"
#include "ensemble/ensemble_json.h"
#include "model/site.h"
#include "plan/variation.h"

// -------------------------------------------------------------------------------------------------------------- events

enum sciara_curve_kind {
  SCIARA_CURVE_CONSTANT,
  SCIARA_CURVE_BELL,        ///< rises from 0 to the peak and falls to 0, each as u^2 (3 - 2 u)
  SCIARA_CURVE_EXPONENTIAL, ///< exp(-x / decay)
  SCIARA_CURVE_WANING,      ///< rises linearly to the peak, then falls as exp(-(x - peak) / decay)
  SCIARA_CURVE_TABLE,       ///< a table of rates
};

/** A shape over the share x of the duration, 0 to 1. */
struct sciara_curve {
  enum sciara_curve_kind kind;
  double peak;                 ///< bell, waning: share at which the rate is largest, 0 to 1
  double decay;                ///< exponential, waning: share in which the rate falls by the factor e, above 0
  const double *edges, *rates; ///< table: count + 1 ascending times and count rates, any units; the sum is above 0
  size_t count;
};

/** The share of the volume emitted until the share x of the duration; 0 at 0, exactly 1 at 1. */
double sciara_curve_share(const struct sciara_curve *c, double x);

/**
 * The rates of `slots` equal parts of the duration: each has the volume of its part of the curve, whatever their
 * number. The sum of rate * duration / slots is `volume` up to the rounding of the sum.
 */
void sciara_curve_rates(const struct sciara_curve *c, double volume_m3, double duration_s, size_t slots,
                        double *rates_m3_s);

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

// --------------------------------------------------------------------------------------------------------------- vents

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
