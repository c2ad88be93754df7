// SPDX-License-Identifier: Apache-2.0
// Requests and results of evaluations as lines of JSON.
#ifndef SCIARA_CALIBRATE_EVALUATE_JSON_H
#define SCIARA_CALIBRATE_EVALUATE_JSON_H

#include "calibrate/evaluate.h"

/** Longest line, bytes. */
enum { SCIARA_EVALUATE_LINE_MOST = 1 << 20 };

/**
 * Adds the request of a line {"id": ..., "set": {"model.relaxation": 0.5, ...}}, named "line NUMBER"; `id` is a number or a
 * text, null if it is absent. A line of another form gives an invalid result with what was found and what is expected.
 *
 * @param text terminated: text[length] is 0; longer than SCIARA_EVALUATE_LINE_MOST: it is refused unread
 * @return as sciara_evaluator_put
 */
enum sciara_status sciara_evaluate_line(struct sciara_evaluator *e, uint64_t number, const char *text, size_t length);

/**
 * Appends a result as a line. With one scenario and one observed extent it has the scores; with more the mean of J, and
 * the scores in "parts".
 *
 * @param options with which the evaluator was opened
 */
enum sciara_status sciara_evaluate_print(const struct sciara_evaluate_options *options,
                                         const struct sciara_evaluation *result, struct sciara_text *out);

#endif
