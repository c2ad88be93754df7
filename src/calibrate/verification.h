// SPDX-License-Identifier: Apache-2.0
// What an ensemble said, judged by what was mapped later: its probabilities that lava has reached a cell by some time, those
// of its maps, against an observed extent of that time. docs/validation.md defines the scores.
#ifndef SCIARA_CALIBRATE_VERIFICATION_H
#define SCIARA_CALIBRATE_VERIFICATION_H

#include "analysis/observation.h"
#include "base/date.h"

/** Classes of probabilities: 0, above 0 and below 10 %, 10 to below 20 %, ..., 90 to below 100 %, 100 %. */
enum { SCIARA_SAID_CLASSES = 12, SCIARA_SAID_CELLS = 200 };

/** A class of SCIARA_SAID_CELLS cells or more is off if what was said and what was observed differ by more. */
#define SCIARA_SAID_OFF 0.2

/** What to judge, and by what. */
struct sciara_verification_request {
  const char *folder;                         ///< of the ensemble
  struct sciara_observation_request observed; ///< path, layer and drivers of the mapped extent
  const char *option, *since_option;          ///< what `at` and `since` are called in errors: "--at"
  const char *at;     ///< its simulated time ("2 d") or date; NULL: see sciara_verification_make
  const char *since;  ///< time or date of an earlier outline of that file, which stays if nothing moves; NULL: the lava
                      ///< with which the members begin does
  const char *dates;  ///< field with the dates of its outlines; NULL: the only one with dates
  const char *region; ///< only cells of these polygons, or this raster, are judged; NULL: all
  int threads;        ///< at most
};

/** What was said of the cells of a class; the means are NAN without a cell. */
struct sciara_said {
  int64_t cells, observed;
  double from, to; ///< probabilities; equal: this one alone, else `to` does not belong to it
  double mean;     ///< of what was said
  double share;    ///< of the cells that were covered
  bool off;
};

/** Scores over some cells; what is not defined is NAN. */
struct sciara_verification_scores {
  int64_t cells, observed;
  int64_t likely;                  ///< cells of a probability of 0.5 or more
  double area_ratio;               ///< of these, to those observed
  double jaccard, still_jaccard;   ///< of these; of the lava at the start, if nothing moves
  double brier;                    ///< mean square of probability - observed (0 or 1)
  double still_brier, share_brier; ///< of the lava at the start; of the observed share of the cells, said of each
  double still_skill, share_skill; ///< 1 - brier / that of the two
  double sharpness;                ///< share of the cells with a probability below 0.1 or above 0.9
  struct sciara_said said[SCIARA_SAID_CLASSES];
};

/** What was observed among what the members have, by their weights. NAN: not known. */
struct sciara_verification_rank {
  double observed, least, median, most;
  double below, equal; ///< share of the weight of the members that have less, or as much
};

enum sciara_verification_time {
  SCIARA_VERIFICATION_GIVEN,
  SCIARA_VERIFICATION_OF_FILE, ///< the last date of the extent that the members reach
  SCIARA_VERIFICATION_END,     ///< the end of the members
};

/** Zero-initialise; release with sciara_verification_free. */
struct sciara_verification {
  char *said;                  ///< members, weights and conditions, as products say them
  size_t members, finished;    ///< of weight above 0
  size_t early;                ///< ended at a limit before the time: what they had reached counts
  double at_s;                 ///< simulated time; INFINITY: members end at rest
  double since_s;              ///< of the earlier outline; NAN: none was asked for
  char date[SCIARA_DATE_SIZE]; ///< of it; "": not known
  enum sciara_verification_time at;
  char *driver;                             ///< GDAL's short name of the format of the extent
  int64_t polygons;                         ///< of the extent; 0: it is a raster
  int64_t left_out;                         ///< observed cells that are sea or have no altitude
  double cell_m;                            ///< side of a cell
  bool begun;                               ///< members begin with lava, or there is an earlier outline
  struct sciara_verification_scores whole;  ///< of all cells
  struct sciara_verification_scores beyond; ///< of those without lava at the start; as `whole` unless `begun`
  struct sciara_verification_rank area_m2, run_out_m;
};

/**
 * Judges the members that count for maps. The cells are those of the land in the region; without one, those of the land that a
 * member or the observation reaches by the time. Without `at` the extent is that of the last date in its file up to the end of
 * the members, and without dates there or in the ensemble that of their end.
 *
 * @return SCIARA_ERR_USAGE for a time that is none, or before the members begin; SCIARA_ERR_INPUT if no member is finished, if
 *         members end before the time by a stop rule of their own, or if no cell of the land is observed
 */
enum sciara_status sciara_verification_make(const struct sciara_verification_request *request,
                                            struct sciara_verification *out);
void sciara_verification_free(struct sciara_verification *v);

// ----------------------------------------------------------------------------------------------------------- its files

/** Appends it as JSON. */
enum sciara_status sciara_verification_print(const struct sciara_verification_request *request,
                                             const struct sciara_verification *v, struct sciara_text *out);

/** Writes verification.json and verification.csv, the classes, into the folder of the ensemble, each whole. */
enum sciara_status sciara_verification_write(const struct sciara_verification_request *request,
                                             const struct sciara_verification *v);

#endif
