// SPDX-License-Identifier: Apache-2.0
// A calibration file: pairs of a scenario and an observed extent; one search or several, each with its unknowns and their
// bounds; how they are searched. The values of the unknowns at a point of the unit cube.
#ifndef SCIARA_CALIBRATE_CALIBRATION_FILE_H
#define SCIARA_CALIBRATE_CALIBRATION_FILE_H

#include "calibrate/evaluate.h"
#include "geometry/grid.h"
#include "plan/variation.h"
#include "scenario/scenario.h"

struct sciara_cases;
struct sciara_ensemble_reading;
struct sciara_key_set;

enum {
  SCIARA_UNKNOWNS_MOST = 64,
  SCIARA_SEARCHES_MOST = 20,
  SCIARA_SEARCH_NAME = 65, ///< size of the name of a search
};

enum sciara_calibration_design {
  SCIARA_DESIGN_CMAES,
  SCIARA_DESIGN_LHS,
  SCIARA_DESIGN_SOBOL,
  SCIARA_DESIGN_MORRIS,
  SCIARA_DESIGN_SALTELLI,
  SCIARA_DESIGNS
};

extern const char *const sciara_calibration_designs[SCIARA_DESIGNS]; ///< as in the file

enum { SCIARA_DISC_KEY = 40 }; ///< size of a key

/**
 * The position of a vent within a radius around that in the scenarios: two unknowns. A search has them as a point of the
 * unit square, which becomes a point of the disc with equal areas, then the centre of its cell.
 */
struct sciara_vent_disc {
  size_t vent; ///< its number in every scenario
  double radius_m;
  enum sciara_vent_place way;      ///< how scenarios give it: x and y, longitude and latitude, column and row
  struct sciara_point given;       ///< as it is there
  char column[2][SCIARA_DISC_KEY]; ///< of evaluations.csv: "vents.0.x", "vents.0.y"; or of longitude and latitude
  char key[2][SCIARA_DISC_KEY];    ///< of a scenario: the same, or "vents.0.col", "vents.0.row"
  struct sciara_grid grid;         ///< of the first scenario; without rows: not known yet
  struct sciara_point centre;      ///< of the disc in that grid
  const char *crs_wkt;             ///< of that grid; belongs to its site
};

/** A key that is searched, alone or as one of the prior, or a coordinate of the position of a vent. */
struct sciara_unknown {
  const char *key;               ///< as in the file; that of a coordinate is its column in evaluations.csv
  double min, max;               ///< of a coordinate not known before sciara_unknowns_place
  bool log;                      ///< equal ratios are equal steps
  bool of_prior;                 ///< its values are those of the prior of the search, its bounds their ends
  size_t entry;                  ///< its number in the file
  struct sciara_vent_disc *disc; ///< NULL: a key; else of this unknown and its neighbour
  int axis;                      ///< of `disc`: 0, then 1
};

/** A search. */
struct sciara_calibration_search {
  const struct sciara_calibration_file *file;
  const char *name;           ///< of its folder; NULL: it is the only one, and the file has its keys
  char path[32];              ///< of its keys in the file: "searches[1]."; "": the file has them
  char *model;                ///< JSON, in place of "model" of every scenario; NULL: each keeps its own
  enum sciara_rule_kind rule; ///< of the first scenario
  struct sciara_unknown *unknown;
  size_t unknown_count; ///< a position counts as two
  struct sciara_vent_disc *disc;
  size_t disc_count;
  struct sciara_variation prior; ///< its keys are the unknowns from `prior_first` on; count 0: there is none
  size_t prior_first;
  size_t budget;  ///< its part of that of the file
  int population; ///< evaluations in a generation of cma-es
};

/** Zero-initialise; release with sciara_calibration_file_free. */
struct sciara_calibration_file {
  const char *path;
  cJSON *tree;     ///< as written; texts that are not owned belong to it
  char **scenario; ///< resolved paths, each once
  uint64_t *hash;  ///< of the text of each scenario and of its rates
  size_t scenario_count;
  char **name; ///< of each pair: paths of extent and region (may be NULL), "FILE: pairs[0]"
  size_t name_count;
  struct sciara_observed_list extents;             ///< one for each pair, or for each date of one
  const struct sciara_evaluate_observed *observed; ///< of these
  size_t pair_count;
  struct sciara_calibration_search *search;
  size_t search_count;
  enum sciara_calibration_design design;
  size_t budget;  ///< of all searches
  int population; ///< 0: default
  uint64_t seed;
  double min_thickness_m;
  double run_out_penalty; ///< power of the run-out ratio in the score; 0: the score is J
  bool early_stop;        ///< runs may end early
};

/**
 * Reads and checks a file: its keys, the keys that it searches in each scenario, their bounds, and that the middle of the
 * bounds gives valid scenarios; the dates of outlines are read. Problems are added to `diagnostics`.
 */
void sciara_calibration_file_read(const char *path, const char *const *extra_drivers, size_t extra_driver_count,
                                  struct sciara_calibration_file *out, struct sciara_diagnostics *diagnostics);
void sciara_calibration_file_free(struct sciara_calibration_file *f);

/**
 * The keys of a set of values, one for each unknown, as a scenario takes them; the model of the search is the first.
 *
 * @param out zero-initialised; to be released also after an error
 */
enum sciara_status sciara_calibration_set(const struct sciara_calibration_search *s, const double *value,
                                          const struct sciara_scenario_spec *scenario, struct sciara_key_set *out);

/** Reads scenario `n` again. SCIARA_ERR_INPUT if its text or its rates have changed. */
enum sciara_status sciara_calibration_scenario(const struct sciara_calibration_file *f, size_t n,
                                               struct sciara_scenario_spec *out);

// -------------------------------------------------- unknowns: reading them, and their values at a point, in unknowns.c

/** Reads the array "unknowns" of a search. Problems of its items are added to the diagnostics. */
enum sciara_status sciara_unknowns_read(const struct sciara_ensemble_reading *r, const cJSON *unknowns,
                                        struct sciara_calibration_search *s);

/** Refuses what a search has for "unknowns", or for the key `name` of an item of it. */
enum sciara_status sciara_unknowns_refuse(const struct sciara_ensemble_reading *r,
                                          const struct sciara_calibration_search *s, size_t index, const char *name,
                                          const char *found, const char *allowed);

/**
 * Places the vents whose positions are searched on the grounds of the scenarios. SCIARA_ERR_INPUT: a disc has a cell that
 * cannot have a vent, or has no other cell.
 */
enum sciara_status sciara_unknowns_place(const struct sciara_calibration_search *s, const struct sciara_cases *c);

/** Takes the positions of the vents that are searched from scenario `n`: of the first one, or compares them with those. */
void sciara_unknowns_take_positions(const struct sciara_ensemble_reading *r, const struct sciara_calibration_search *s,
                                    size_t n, const struct sciara_scenario_spec *scenario);

/** The values in the middle of the bounds; of a prior the median of what is drawn; no positions of vents. */
void sciara_unknowns_middle(const struct sciara_calibration_search *s, double *value);

/** The values of the unknowns at a point whose coordinates are in [0, 1]. */
enum sciara_status sciara_unknowns_values(const struct sciara_calibration_search *s, const double *point,
                                          double *value);

/** Keys and their values, as evaluations take them; returns their number. The position of a vent is left out before its disc is open. */
size_t sciara_unknowns_keys(const struct sciara_calibration_search *s, const double *value,
                            const char *key[SCIARA_UNKNOWNS_MOST], char text[SCIARA_UNKNOWNS_MOST][40]);

#endif
