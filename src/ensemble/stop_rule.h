// SPDX-License-Identifier: Apache-2.0
// The stop rule of an ensemble, from the batches in its folder.
#ifndef SCIARA_ENSEMBLE_STOP_RULE_H
#define SCIARA_ENSEMBLE_STOP_RULE_H

#include "ensemble/ensemble.h"
#include "model/site.h"

/** The number of whole batches, from the first on, with which the rule holds; 0: it does not, or there is none. */
enum sciara_status sciara_stop_find(const struct sciara_ensemble *e, const struct sciara_site *site, size_t *batches);

#endif
