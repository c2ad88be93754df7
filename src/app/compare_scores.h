// SPDX-License-Identifier: Apache-2.0
// What `sciara compare RUN --observed FILE` prints.
#ifndef SCIARA_APP_COMPARE_SCORES_H
#define SCIARA_APP_COMPARE_SCORES_H

#include "export/run_scores.h"

/** Prints a table of the scores. @param png the picture that was drawn; NULL: none */
void sciara_print_scores(const struct sciara_run_scores *scores, const char *png);

/** Prints the scores as JSON; a score that is not defined is null. */
enum sciara_status sciara_print_scores_json(const struct sciara_run_scores *scores, const char *png);

#endif
