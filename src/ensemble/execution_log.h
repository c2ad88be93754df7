// SPDX-License-Identifier: Apache-2.0
// log.csv of an ensemble: who computed which member, when, and how it ended (docs/formats.md).
// Included by this room alone.
#ifndef SCIARA_ENSEMBLE_EXECUTION_LOG_H
#define SCIARA_ENSEMBLE_EXECUTION_LOG_H

#include "ensemble/ensemble.h"
#include "member/batch_file.h"

/** Adds a line. Several threads and processes may do so: the file is locked, so that one of them writes the head. */
enum sciara_status sciara_execution_log_add(const struct sciara_ensemble *e, size_t member,
                                            const struct sciara_footprint *f);

#endif
