// SPDX-License-Identifier: Apache-2.0
// Parameters in, scores out: scenarios with changed keys are computed, as many at a time as the machine carries, and
// compared with what was observed of their eruptions. The results do not depend on how many that are.
#ifndef SCIARA_CALIBRATE_EVALUATE_H
#define SCIARA_CALIBRATE_EVALUATE_H

#include "analysis/compare.h"
#include "analysis/observation.h"
#include "engine/engine.h"
#include "member/footprint.h"

/** The largest weight, with which sums of scores stay finite. */
#define SCIARA_EVALUATE_WEIGHT_MOST 1e6

/** An observed extent. */
struct sciara_evaluate_observed {
  size_t scenario;        ///< number of the scenario of its eruption
  const char *path;       ///< as for sciara_observation_read
  const char *layer;      ///< may be NULL
  const char *json_path;  ///< as in struct sciara_observation_request
  const char *region;     ///< only cells that these polygons, or this raster, cover are compared; NULL: all
  double at_s;            ///< simulated time of the observation, s after the start; INFINITY: the end of the run
  const char *at_date;    ///< or its date, as of sciara_parse_date; NULL: at_s counts
  const char *date_field; ///< only polygons of that date in this field count; NULL: all
  double weight;          ///< above 0, at most SCIARA_EVALUATE_WEIGHT_MOST
  bool held_out;          ///< scored, but not part of the mean
};

enum sciara_evaluate_status {
  SCIARA_EVALUATE_OK,
  SCIARA_EVALUATE_FAILED,  ///< a step failed
  SCIARA_EVALUATE_INVALID, ///< the changes do not give a scenario that can be computed
  SCIARA_EVALUATE_RESTED,  ///< a run ended because its front rested: the scores are those of that time
  SCIARA_EVALUATE_STOPPED, ///< a run ended because the mean cannot be as much as asked for: it is a bound
};

/** How the run of a scenario ended. */
struct sciara_evaluate_run {
  enum sciara_stop_reason end;
  double end_s; ///< simulated time, s
  uint64_t steps;
  double volume_m3;                  ///< of lava on the map at the end, liquid and solid
  char *warnings;                    ///< "" or lines
  enum sciara_evaluate_status early; ///< OK: it was not ended early; RESTED, STOPPED
};

/** The result of one request. */
struct sciara_evaluation {
  uint64_t index; ///< of the request, from 0
  const char *id; ///< of the request
  enum sciara_evaluate_status status;
  const char *error; ///< NULL unless it has failed or is invalid; there are then no scores
  double jaccard; ///< the mean over the extents that are not held out, by their weights, or its bound; NAN: undefined
  const struct sciara_extent_scores *scores; ///< of each observed extent; NULL if a run was stopped, too
  const struct sciara_evaluate_run *runs;    ///< of each scenario
  struct sciara_footprint *footprints; ///< of each scenario, if the request keeps them, else NULL; `done` may take
                                       ///< one over and leave zeros
};

struct sciara_evaluate_options {
  const char *const *scenarios; ///< paths
  size_t scenario_count;
  const char *model; ///< JSON in place of "model" of every scenario; NULL: each keeps its own
  const struct sciara_evaluate_observed *observed; ///< each scenario has at least one
  size_t observed_count;
  double min_thickness_m; ///< thickness up to here is none, of runs and of observations
  const char *const *extra_drivers;
  size_t extra_driver_count;
  const char *engine; ///< NULL: that of the first scenario; "auto" is openmp
  int workers;        ///< scenarios computed at a time; 0: one per core or GPU, or as many as GPUs have slots for
  /** Called about every 0.05 s by the thread that puts or waits; false: a cancellation. May be NULL. */
  bool (*go_on)(void *context);
  /**
   * Receives the results in the order of the requests, one call at a time, from any thread, as soon as a result and all
   * before it are there. false: no more are wanted, as after a cancellation.
   */
  bool (*done)(void *context, const struct sciara_evaluation *result);
  void *context;
};

/** What to evaluate. Everything is copied. */
struct sciara_evaluate_request {
  const char *name;         ///< of the request, for errors: "line 7"
  const char *id;           ///< for `done`
  const char *const *key;   ///< "model.relaxation", "vents.0.effusion.rates_m3_s", "rate_scale"; of each scenario
  const char *const *value; ///< as JSON
  size_t key_count;
  const char *refused; ///< NULL, or why there is nothing to compute: the result is invalid with this error
  bool keep;           ///< the result has the footprints
  /**
   * Above 0: runs may end early. A run is stopped when the mean can no longer be as much as this, for J is at most |R| / |R and
   * S so far|, R the observed and S the simulated extent; and ended when all vents have, and no cell was newly covered
   * since, for run.front_at_rest. Other runs of the same request do not matter. 0: never.
   */
  double least;
};

struct sciara_evaluator;

/**
 * Reads scenarios, grounds and observed extents, and starts the workers. Messages about them go to the log. Keys of
 * `output` have no effect.
 *
 * @return SCIARA_ERR_INPUT: a scenario or an extent is invalid, an extent has no cell to compare
 */
enum sciara_status sciara_evaluator_open(const struct sciara_evaluate_options *options, struct sciara_evaluator **out);

/**
 * Adds a request; waits while many are on the way. Nothing happens after a cancellation.
 *
 * @return what ended the work: it says nothing about a request
 */
enum sciara_status sciara_evaluator_put(struct sciara_evaluator *e, const struct sciara_evaluate_request *request);

/**
 * Waits until all requests have been answered, or for a cancellation.
 *
 * @param last no request will follow: members that are left in the slots of a GPU may continue in faster engines
 * @return as sciara_evaluator_put
 */
enum sciara_status sciara_evaluator_wait(struct sciara_evaluator *e, bool last);

/** Ends the workers, and gives back what they had; grounds and extents remain. No request may follow. */
void sciara_evaluator_stop(struct sciara_evaluator *e);

/** Ends all; what is not finished is dropped. NULL is allowed. */
void sciara_evaluator_close(struct sciara_evaluator *e);

// ------------------------------------------------------------------------ observed extents of files with several dates

/** Zero-initialise; release with sciara_observed_list_free. */
struct sciara_observed_list {
  struct sciara_evaluate_observed *item; ///< texts that it does not own belong to who added them
  size_t count;
  char **text; ///< owned
  size_t text_count;
};

/**
 * Adds an extent, or with `dates` one for each date of the file, in their order, with the weight of `given` each. A message says
 * which field has the dates. Those after the end of the run of the scenario are left out, with a message.
 *
 * @param scenario the file of the scenario
 * @param dates a field of the file, or SCIARA_OBSERVATION_DATES_AUTO; NULL: it is one extent
 * @return as sciara_observation_dates_read
 */
enum sciara_status sciara_observed_add(struct sciara_observed_list *list, const struct sciara_evaluate_observed *given,
                                       const char *scenario, const char *dates, const char *const *extra_drivers,
                                       size_t extra_driver_count);
void sciara_observed_list_free(struct sciara_observed_list *list);

// ----------------------------------------------------------- requests and results as lines of JSON, in evaluate_json.c

/** Longest line, bytes. */
enum { SCIARA_EVALUATE_LINE_MOST = 1 << 20 };

/**
 * Adds the request of a line {"id": ..., "set": {"model.relaxation": 0.5, ...}, "least": 0.5}, named "line NUMBER"; `id` is a
 * number or a text, null if it is absent; `least` is 0 then. A line of another form gives an invalid result with what was
 * found and what is expected.
 *
 * @param text terminated: text[length] is 0; longer than SCIARA_EVALUATE_LINE_MOST: it is refused unread
 * @return as sciara_evaluator_put
 */
enum sciara_status sciara_evaluate_line(struct sciara_evaluator *e, uint64_t number, const char *text, size_t length);

/**
 * Appends a result as a line. With one scenario and one observed extent it has the scores; with more the mean of J, and
 * the scores in "parts". If a run was stopped there are no scores.
 *
 * @param options with which the evaluator was opened
 */
enum sciara_status sciara_evaluate_print(const struct sciara_evaluate_options *options,
                                         const struct sciara_evaluation *result, struct sciara_text *out);

#endif
