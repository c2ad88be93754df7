// SPDX-License-Identifier: Apache-2.0
// The scenarios of an evaluation on their grounds, with what was observed; one of them, with changed keys, computed and
// compared.
#ifndef SCIARA_CALIBRATE_CASES_H
#define SCIARA_CALIBRATE_CASES_H

#include "base/date.h"
#include "calibrate/evaluate.h"
#include "ensemble/members.h"
#include "map/run_out.h"
#include "member/compute.h"
#include "model/inputs.h"
#include "scenario/scenario.h"
#include "setup/cost.h"

/** Rows north .. south - 1, columns west .. east - 1; none if south is 0. */
struct sciara_case_box {
  int64_t north, south, west, east;
};

/** Extends a rectangle by a cell. */
void sciara_case_box_add(struct sciara_case_box *b, int64_t row, int64_t col);

/** An observed extent on the grid of its scenario. */
struct sciara_case_observed {
  uint8_t *covered, *region;  ///< rows x cols; region NULL: the whole grid. Nothing is covered outside the region
  struct sciara_case_box box; ///< around the covered cells
  int64_t count;              ///< covered cells
  double at_s;                ///< simulated time, s; INFINITY: the end of the run
  double after_s;             ///< at_s as footprints count: after the state with which the run begins
};

/** A scenario. */
struct sciara_case {
  const char *path;
  struct sciara_scenario_base *base;
  struct sciara_scenario_spec spec;  ///< of the scenario without changes
  struct sciara_compute_setup setup; ///< without slot, device and cancel
  struct sciara_inputs inputs;       ///< of the scenario without changes
  struct sciara_vent_cells vents;    ///< of the scenario without changes
  double begin_s;                    ///< simulated time of the state with which it begins; 0: without lava
  double end_s;                      ///< of the run without changes, at the latest; INFINITY: no key gives one
  char start[SCIARA_DATE_SIZE];      ///< the date of its start; "": unknown
};

/** Zero-initialise; constant from when it is made. Release with sciara_cases_free. */
struct sciara_cases {
  const struct sciara_evaluate_options *options; ///< must outlive it
  struct sciara_case *scenario;                  ///< as many as the options name, like `observed`
  struct sciara_case_observed *observed;
  const struct sciara_engine_ops *ops; ///< engine and options of the first scenario
  struct sciara_engine_options engine_options;
  struct sciara_member_need need; ///< the most of any scenario
};

/** Reads everything. SCIARA_ERR_INPUT as of sciara_evaluator_open. */
enum sciara_status sciara_cases_open(const struct sciara_evaluate_options *options, struct sciara_cases *out);
void sciara_cases_free(struct sciara_cases *c);

/** Those of an evaluator, until it is closed: grounds, extents and times of observation. */
const struct sciara_cases *sciara_evaluator_cases(const struct sciara_evaluator *e);

/** Whether lava covers the n-th cell of a footprint at the time of an observation. */
bool sciara_case_covers(const struct sciara_cases *c, const struct sciara_case_observed *o,
                        const struct sciara_footprint *f, int64_t n);

/** One scenario with changed keys. */
struct sciara_case_job {
  size_t scenario;
  const char *const *key, *const *value;
  size_t key_count;
  double least;                  ///< as of struct sciara_evaluate_request
  struct sciara_pool_slot *slot; ///< NULL: an engine of its own
  int device;
  const int *cancel; ///< enum sciara_cancel
};

/** Where the results of a scenario go. */
struct sciara_case_result {
  struct sciara_evaluate_run *run;     ///< all 0; its warnings belong to the caller
  struct sciara_extent_scores *scores; ///< of all observed extents; those of this scenario are set
  struct sciara_footprint *footprint;  ///< all 0; belongs to the caller; NULL: not kept
};

/**
 * Computes a scenario and compares it with the extents that were observed of it.
 *
 * @param verdict   what became of it; unless SCIARA_EVALUATE_OK the stored sentence says why
 * @param cancelled set to whether *job->cancel ended it; nothing else is then set
 * @return what says nothing about the changes
 */
enum sciara_status sciara_case_compute(const struct sciara_cases *c, const struct sciara_case_job *job,
                                       const struct sciara_case_result *result, enum sciara_evaluate_status *verdict,
                                       bool *cancelled);

#endif
