// SPDX-License-Identifier: Apache-2.0
// An ensemble as planned: its folder with ensemble.json, members.csv, weights.csv and dem.tif.
#ifndef SCIARA_ENSEMBLE_ENSEMBLE_H
#define SCIARA_ENSEMBLE_ENSEMBLE_H

#include "base/date.h"
#include "ensemble/members.h"
#include "file/json_strict.h"
#include "geometry/poi.h"
#include "model/ground_edit.h"
#include "scenario/scenario_base.h"

#define SCIARA_ENSEMBLE_JSON "ensemble.json"
#define SCIARA_ENSEMBLE_MEMBERS "members.csv"
#define SCIARA_ENSEMBLE_WEIGHTS "weights.csv"
#define SCIARA_ENSEMBLE_DEM "dem.tif"
#define SCIARA_ENSEMBLE_LEFT_OUT "left_out" ///< in ensemble.json, the places of files that are no sites
#define SCIARA_ENSEMBLE_CHECKPOINT "checkpoint.h5"
#define SCIARA_ENSEMBLE_BATCHES "batches"
#define SCIARA_ENSEMBLE_MAPS "maps"
#define SCIARA_ENSEMBLE_LOG "log.csv"
#define SCIARA_ENSEMBLE_LOCK "run.lock"
#define SCIARA_ENSEMBLE_FINISHED "members"
#define SCIARA_ENSEMBLE_VERIFICATION "verification" ///< .json, .csv

struct sciara_dem;
struct sciara_notes;
struct sciara_site;

enum { SCIARA_BATCH_SMALLEST = 64, SCIARA_BATCH_LARGEST = 256, SCIARA_MEMBER_NAME = 64 };

enum sciara_sample_method {
  SCIARA_SAMPLE_FULL,   ///< every vent with every event and every combination of values: no sampling error
  SCIARA_SAMPLE_RANDOM, ///< independent draws
  SCIARA_SAMPLE_LHS,    ///< Latin hypercubes, one per replicate
  SCIARA_SAMPLE_SOBOL,  ///< Sobol' points scrambled independently for each replicate
  SCIARA_SAMPLE_TABLE,  ///< a table of members made by another program
};

enum { SCIARA_SAMPLE_METHODS = SCIARA_SAMPLE_TABLE + 1 };

extern const char *const sciara_sample_methods[SCIARA_SAMPLE_METHODS]; ///< "full", ... "table"

/** How often eruptions occur in a zone of vents. */
struct sciara_ensemble_rate {
  char *name;
  struct sciara_point *points; ///< corners of the zone; NULL: all vents
  size_t point_count;
  double per_year;  ///< > 0
  double low, high; ///< interval of per_year; equal to it if none was given
};

/** A place of a file of sites that lava cannot reach, for it has no cells on the DEM. */
struct sciara_ensemble_left {
  char *name, *reason; ///< "lies outside the DEM"
  enum sciara_poi_kind kind;
  enum sciara_poi_where where;
};

/** What `reduce` makes. */
struct sciara_ensemble_result {
  double *
      deposit_m; ///< thresholds of the largest deposit, for probability maps, ascending, >= 0; 0: any lava. thickness_m in files
  size_t deposit_count;
  double *within_s; ///< times of the maps "reached within", ascending, > 0
  size_t within_count;
  double *quantiles; ///< of arrival and deposit, ascending, in (0, 1)
  size_t quantile_count;
  struct sciara_poi *pois;
  size_t poi_count;
  struct sciara_ensemble_left *left;
  size_t left_count;
  struct sciara_ensemble_rate *rates; ///< eruptions_per_year
  size_t rate_count;
  double rate_outside; ///< share of the eruptions of rates without a zone for which no vent stands
  double *years;       ///< lengths of time of P_T, ascending, > 0
  size_t year_count;
};

/** When enough members are done; tested only after whole batches in their order. */
struct sciara_ensemble_stop {
  double standard_error; ///< largest standard error of H at each place; 0: there is no such rule
  double deposit_m;      ///< threshold of the largest deposit, for H; thickness_m in files
};

/** A vent of the plan; members.vent counts them from 0. */
struct sciara_ensemble_vent {
  char *name;
  struct sciara_point *points; ///< CRS of the grid, m
  size_t point_count;          ///< 1: a point; 2 or more: a fissure
  double weight;               ///< a_v; the sum over all vents is 1
};

/** A class of eruptions; members.event counts them from 0. */
struct sciara_ensemble_event {
  char *name;
  double weight; ///< p_k; the sum over all events is 1
  double volume_m3, duration_s;
};

/** A varied key whose values are drawn from a range. */
struct sciara_declared_range {
  char *key; ///< as sciara_member_key_plain
  double low, high;
};

/** What a plan says of its base beyond what members are computed from, for maps and pages. */
struct sciara_declared {
  char *dem;                 ///< name of its file without folders; NULL: not known, of a plan of an earlier version
  struct sciara_edit *edits; ///< names, files, values and times
  size_t edit_count;
  struct sciara_declared_range *range;
  size_t range_count;
  double density_outside; ///< share of the density of vent openings for which no vent stands
};

/** Zero-initialise; release with sciara_ensemble_free. */
struct sciara_ensemble {
  char *folder;
  char *title; ///< may be NULL
  char *base;  ///< JSON text of the base scenario as in ensemble.json: its DEM is dem.tif of the folder
  struct sciara_scenario_base *scenario; ///< the base with absolute paths, for the members; NULL: not yet opened
  double time_zero_s; ///< simulated time of the checkpoint with which members begin; arrivals count from it; 0: none
  struct sciara_members members;
  char *observed;                 ///< how the weights follow from an observed extent; NULL: they are the planned ones
  double *jaccard;                ///< of each member with that extent, NAN: it was not finished then; NULL: as above
  size_t batch_size, batch_count; ///< batch b: members [b * batch_size, min((b + 1) * batch_size, count))
  uint64_t hash;         ///< of base, batch size, initial_hash and the hashes of all rows; not of weights and results
  int64_t rule_edition;  ///< of the members' rules, when it was planned; 1 in files of earlier versions
  uint64_t initial_hash; ///< sciara_initial_lava_hash of every member; 0: no rasters, or planned without it
  uint64_t site_hash;    ///< of the ground, as sciara_site_hash of every member
  enum sciara_sample_method method;
  bool vents_drawn;  ///< vent and event of a member were drawn from their weights: one stratum
  bool draws_by_key; ///< random numbers belong to keys; false: to their places in "vary", as in earlier versions
  size_t replicates;
  uint64_t seed;
  struct sciara_ensemble_result result;
  struct sciara_ensemble_stop stop;
  struct sciara_ensemble_vent *vents; ///< none with SCIARA_SAMPLE_TABLE, or if the vents are those of the base
  size_t vent_count;
  struct sciara_ensemble_event *events;
  size_t event_count;
  struct sciara_declared declared;
};

/**
 * Opens a planned ensemble.
 *
 * @return SCIARA_ERR_INPUT if members.csv is no longer the planned table: the message names the rows that differ
 */
enum sciara_status sciara_ensemble_open(const char *folder, struct sciara_ensemble *out);

/** sciara_ensemble_open with the planned weights, also if there are others that follow from an observed extent. */
enum sciara_status sciara_ensemble_open_planned(const char *folder, struct sciara_ensemble *out);

/** sciara_ensemble_open, and keeps the folder from being planned anew until sciara_ensemble_unlock(*lock). */
enum sciara_status sciara_ensemble_open_to_run(const char *folder, struct sciara_ensemble *out, int *lock);
void sciara_ensemble_free(struct sciara_ensemble *e);

/**
 * A simulated time after that with which the members begin, s, or its date: as of sciara_take_time.
 *
 * @param when receives its date, as of sciara_parse_date; 0: not known
 */
enum sciara_status sciara_ensemble_take_time(const struct sciara_ensemble *e, const char *option, const char *text,
                                             double *at_s, double *when);

/** A member (index in the table) of an ensemble that stays open. Its name goes to `name`: "member 7". */
struct sciara_scenario_member sciara_ensemble_member(const struct sciara_ensemble *e, size_t member,
                                                     char name[SCIARA_MEMBER_NAME]);

/** Whether a key of members can change the rule. */
bool sciara_members_have_rules(const struct sciara_members *m);

/**
 * The rules of all members, bits 1 << enum sciara_rule_kind, of an ensemble that stays open. Members are read only if one of
 * their own keys can change the rule.
 */
enum sciara_status sciara_ensemble_rules(const struct sciara_ensemble *e, unsigned *out);

/** First member of a batch, and the one after its last. */
size_t sciara_batch_begin(const struct sciara_ensemble *e, size_t batch);
size_t sciara_batch_end(const struct sciara_ensemble *e, size_t batch);

/** The path of its file, malloc'd; NULL: no memory. */
char *sciara_batch_path(const struct sciara_ensemble *e, size_t batch);

// ---------------------------------------------------------------------------------------------------------- its folder

/**
 * SCIARA_ERR_INPUT, naming the link, if a file or folder of the ensemble is a symbolic link: through it, files would be
 * read, written and removed where the user has not said so. The folder itself may be a link. Products that are replaced
 * as a whole (maps, tables) are not looked at.
 */
enum sciara_status sciara_ensemble_refuse_links(const char *folder);

/** Whether it holds results: a batch or a finished member. */
bool sciara_ensemble_has_results(const char *folder);

/** Keeps other processes from computing members; SCIARA_ERR_INPUT if one is at work. */
enum sciara_status sciara_ensemble_lock_to_plan(const char *folder, int *lock);

void sciara_ensemble_unlock(int lock);

// ----------------------------------------------------- its ground, from dem.tif: refused if it is not that of the plan

/**
 * Reads the site of the members, without the errors of the ground that each of them adds.
 *
 * @param notes receive what is noticed of the ground; NULL: the log
 */
enum sciara_status sciara_ensemble_site_read(const struct sciara_ensemble *e, const struct sciara_notes *notes,
                                             const struct sciara_site **out);

/** Reads dem.tif, with the bands "sea", "edit" and "observed", where it has them. */
enum sciara_status sciara_ensemble_dem_read(const struct sciara_ensemble *e, const struct sciara_notes *notes,
                                            struct sciara_dem *out);

// ---------------------------------------------------------------------------- what a plan declares, in ensemble_json.c

/** Copies of the DEM's name and of the edits. */
enum sciara_status sciara_declared_take(const char *dem, const struct sciara_edit *edits, size_t count,
                                        struct sciara_declared *out);

/** Adds a range, with a copy of the key. There is room for range_count + 1. */
enum sciara_status sciara_declared_add_range(struct sciara_declared *d, const char *key, double low, double high);

#endif
