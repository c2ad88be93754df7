// SPDX-License-Identifier: Apache-2.0
// A plan that is being made, and the steps of making it: expand.c, plan_places.c, plan_check.c, plan_folder.c.
// Included by this room alone.
#ifndef SCIARA_PLAN_PLANNING_H
#define SCIARA_PLAN_PLANNING_H

#include "ensemble/ensemble.h"
#include "ensemble/ensemble_json.h"
#include "plan/ensemble_file.h"
#include "setup/setup.h"

/** The part "sample". */
struct sciara_sample_spec {
  enum sciara_sample_method method;
  bool drawn;  ///< vents and events are drawn from their weights
  bool chosen; ///< the file says whether they are
  size_t count, replicates;
  uint64_t seed;
};

/** Everything of which members are made. */
struct sciara_expansion {
  const struct sciara_ensemble_reading *r;
  struct sciara_sample_spec sample;
  struct sciara_vent_list vents; ///< none: those of the base
  struct sciara_event_spec *events;
  size_t event_count; ///< 0: the effusion of the base
  struct sciara_variation variation;
  const struct sciara_scenario_spec *base;
  size_t skipped; ///< members left out because their weight is 0
};

/**
 * Makes the members: w = a_v p_k / n_vk, where a_v and p_k are the weights of vent and event divided by their sums and
 * n_vk the number of members drawn for both; in a full plan times the probabilities of the values; 1/n if vents and
 * events are drawn. Members whose vent, event or value has the weight 0 are left out. The sum of the weights is 1.
 */
enum sciara_status sciara_expand(struct sciara_expansion *x, struct sciara_members *out);

/** A plan that is being made. */
struct sciara_planning {
  struct sciara_ensemble_reading r;
  char *folder; ///< of the ensemble file
  cJSON *root;
  struct sciara_problem base;
  struct sciara_expansion x;
  struct sciara_ensemble e; ///< its base is the one with the DEM where it is now
  double covered;           ///< sum over the members: cells with lava in the end
};

/**
 * Replaces, in a tree that has passed the check, the keys lon, lat and lonlat, and file, layer and place, of result.sites,
 * result.eruptions_per_year, vents.grid and vents.line by coordinates of the base; a site that is a file by one site for each of
 * its places. What cannot be read is a problem, and its object is removed. So ensemble.json, which has the result, needs no file.
 */
void sciara_plan_places_resolve(const struct sciara_ensemble_reading *r, const struct sciara_problem *base,
                                cJSON *root);

/**
 * Whether the members can be computed: adds a problem for each one that is not a valid scenario on the site of the base.
 *
 * @param file the ensemble file, for messages
 * @param end_s the latest simulated time at which a member ends by run.until, s; INFINITY if one ends otherwise
 * @return the cells that all members together cover in the end: at most about so many
 */
double sciara_plan_check_members(const struct sciara_ensemble *e, const struct sciara_problem *base, const char *file,
                                 struct sciara_diagnostics *d, double *end_s);

/** Whether it is known which members erupt in which zone of result.eruptions_per_year, and any does. */
enum sciara_status sciara_plan_check_zones(const struct sciara_ensemble *e, const struct sciara_problem *base,
                                           const char *file);

/**
 * The tree of the base scenario as members use it, without what belongs to a single run: effusion tables in place of CSV
 * files, paths absolute, no "output". With vents or events of the plan its one vent is the template of those.
 *
 * @param m   the members: effusion of which they change "slot" or "rates_m3_s" keeps these keys
 * @param dem the path of the DEM; NULL: the key "dem" of the base, its path absolute. With a path the DEM is the ground
 *            of the site: edits, window and CRS are left out. A checkpoint of the base is then next to it
 */
enum sciara_status sciara_plan_base_make(const struct sciara_problem *base, const struct sciara_expansion *x,
                                         const struct sciara_members *m, const char *dem, cJSON **out);

/** Writes a plan without problems. A folder with the same members keeps its results. */
enum sciara_status sciara_plan_write(struct sciara_planning *p, const char *folder, bool overwrite);

#endif
