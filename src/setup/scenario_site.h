// SPDX-License-Identifier: Apache-2.0
// The site of a scenario: its DEM, read and classified once for all simulations on it.
#ifndef SCIARA_SIM_SCENARIO_SITE_H
#define SCIARA_SIM_SCENARIO_SITE_H

#include "model/site.h"
#include "setup/setup.h"

/** Reads the DEM of a scenario, or that of options->ground; in single precision the altitudes are rounded to float. */
enum sciara_status sciara_scenario_site_read(const struct sciara_scenario_spec *s,
                                             const struct sciara_problem_options *options,
                                             const struct sciara_site **out);

/**
 * A site of values in memory.
 *
 * @param grid, crs, altitude as of sciara_dem_from_values
 */
enum sciara_status sciara_memory_site_make(const struct sciara_grid *grid, const char *crs, const double *altitude,
                                           bool single_precision, const struct sciara_site **out);

/**
 * A reference to options->site, which has passed sciara_scenario_site_check. If it was made of values in memory and the
 * scenario has edits or a sea, then a copy of it with them: in double precision the same as from a file with these values.
 * If it has no dem.error, but the scenario does, then a copy with the errors, unless options->stateless is set.
 */
enum sciara_status sciara_scenario_site_share(const struct sciara_scenario_spec *s,
                                              const struct sciara_problem_options *options,
                                              const struct sciara_site **out);

/** The hash that its ground at the start has when it is written and read again: in single precision, of rounded altitudes. */
enum sciara_status sciara_site_hash(const struct sciara_site *site, uint64_t *out);

/**
 * Whether a path of a scenario, which may be NULL, is the name of an array, as dem.path of a run on values in memory. A file of
 * this name has an ending.
 */
bool sciara_path_is_of_memory(const char *path);

/** Whether a site was made of values in memory. */
bool sciara_site_is_of_memory(const struct sciara_site *site);

/**
 * SCIARA_ERR_INPUT, with the key, what was found and what is expected, when the ground of this scenario has another identity
 * than that of the site; SCIARA_ERR_USAGE when the site was not read from a DEM. No file is opened. Of a site of values in
 * memory the precision alone is compared; errors of altitudes may be added to a site that has none.
 */
enum sciara_status sciara_scenario_site_check(const struct sciara_scenario_spec *s, const struct sciara_site *site);

/** Appends the key "dem" as JSON, for a scenario without it, which may lie in any folder. */
enum sciara_status sciara_site_append_dem(const struct sciara_site *site, struct sciara_text *out);

#endif
