// SPDX-License-Identifier: Apache-2.0
// What the lava of a run does to places: when it first arrives, how thick it lies there, how much of them it covers by when.
#ifndef SCIARA_ANALYSIS_EXPOSURE_H
#define SCIARA_ANALYSIS_EXPOSURE_H

#include "file/georef.h"
#include "terrain/poi_file.h"

enum { SCIARA_EXPOSURE_MOST_TIMES = 200 };

/** The lava of a run, rows x cols each. */
struct sciara_exposure_lava {
  const struct sciara_grid *grid;
  const uint8_t *kind;       ///< enum sciara_cell_kind
  const double *arrival;     ///< s; SCIARA_NODATA_ALTITUDE where lava never was; NULL: not known
  const double *deposit;     ///< m, at the end
  const double *max_deposit; ///< m, its largest value at any time; NULL: not known
  const uint8_t *mapped; ///< 1 in the outline of initial.observed: covered, whatever lies there; NULL: there is none
};

/** What happens at a place. Amounts are points, m or m2; what lies in the sea or on NODATA is never covered. */
struct sciara_exposed {
  struct sciara_poi_ground ground;
  enum sciara_poi_where where;
  bool reached;
  bool mapped;          ///< a part of it lies in the outline of initial.observed
  double arrival_s;     ///< of its first cell; NAN: not reached, or not known
  double deposit_m;     ///< largest deposit of its cells at the end; NAN: not reached
  double max_deposit_m; ///< largest deposit of its cells at any time; NAN: not reached, or not known
  double covered;       ///< at the end
};

/** Zero-initialise; release with sciara_exposure_free. */
struct sciara_exposure {
  struct sciara_exposed *place; ///< of each place
  size_t count;
  double zero_s;       ///< simulated time from which these count, s
  const double *times; ///< s, ascending: the caller's
  size_t time_count;
  double *by; ///< count x time_count: covered by each time; NAN off the land, or if arrivals are not known
};

/** "reached", "not reached", or why lava cannot come: "sea", "NODATA", "outside", "empty". */
const char *sciara_exposed_state(const struct sciara_exposed *e);

void sciara_exposure_free(struct sciara_exposure *e);

/**
 * Reads the places of a file, whose request lacks the grid, and computes it: a place is reached when lava covers any of its
 * cells.
 *
 * @param zero_s simulated time from which the times count, s
 * @param times ascending, s; at most SCIARA_EXPOSURE_MOST_TIMES
 * @param pois to be released with sciara_pois_free
 */
enum sciara_status sciara_exposure_read(const struct sciara_exposure_lava *lava,
                                        const struct sciara_pois_request *request, double zero_s, const double *times,
                                        size_t time_count, struct sciara_pois *pois, struct sciara_exposure *out);

/** What two runs, a and b, do at a place: without and with a barrier, say. */
enum sciara_exposure_change {
  SCIARA_CHANGE_BOTH,    ///< both reach it
  SCIARA_CHANGE_SPARED,  ///< a alone reaches it
  SCIARA_CHANGE_ADDED,   ///< b alone reaches it
  SCIARA_CHANGE_NEITHER, ///< none reaches it, up to the end of the run that ends first
  SCIARA_CHANGE_UNKNOWN, ///< one reaches it after the other has ended with liquid lava
  SCIARA_CHANGE_NONE,    ///< it is not on land in both
  SCIARA_CHANGES
};

/** "reached in both", "spared", "newly reached", "not reached", "unknown"; NULL for SCIARA_CHANGE_NONE. */
const char *sciara_exposure_change_name(enum sciara_exposure_change change);

/** @param ends of a and b: the simulated time up to which each is known, s; INFINITY: no lava flows any more */
enum sciara_exposure_change sciara_exposure_change(const struct sciara_exposed *a, const struct sciara_exposed *b,
                                                   const double ends[2]);

/** What the files say besides. */
struct sciara_exposure_file {
  const struct sciara_poi *pois;
  const char *start; ///< of the run ("2006-07-14T23:30:00Z"): arrivals have a date too; NULL: they have not
  const struct sciara_grid *grid;
  const struct sciara_georef *georef;
  const char *title; ///< for people; may be NULL
};

/** A row for each place; an atomic file. Columns: docs/formats.md. */
enum sciara_status sciara_exposure_write_csv(const struct sciara_exposure *e, const struct sciara_exposure_file *of,
                                             const char *path);

/** The columns of the CSV file in the layers points, lines and zones of a GeoPackage, with styles by state; an atomic file. */
enum sciara_status sciara_exposure_write_gpkg(const struct sciara_exposure *e, const struct sciara_exposure_file *of,
                                              const char *path);

#endif
