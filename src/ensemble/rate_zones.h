// SPDX-License-Identifier: Apache-2.0
// Which members erupt in which zone of result.eruptions_per_year.
#ifndef SCIARA_ENSEMBLE_RATE_ZONES_H
#define SCIARA_ENSEMBLE_RATE_ZONES_H

#include "ensemble/ensemble.h"
#include "file/georef.h"

/**
 * Finds them. A fissure belongs to the zones of its middle. The vents are those of the plan, or else those in the scenarios
 * of the members.
 *
 * @param zone receives, for zone z and each of the first `count` members m, 1 in zone[z * count + m] if m belongs to z; else 0
 * @return SCIARA_ERR_INPUT if a member has no vent, or vents in different zones. The message does not name the file
 */
enum sciara_status sciara_rate_zones_find(const struct sciara_ensemble *e, const struct sciara_grid *grid,
                                          const struct sciara_georef *georef, size_t count, uint8_t *zone);

#endif
