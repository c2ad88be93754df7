// SPDX-License-Identifier: Apache-2.0
// The position of a vent within a radius around its place in the scenarios: two unknowns. A search has them as a point of the
// unit square, which becomes a point of the disc with equal areas, then the centre of its cell.
// Included by this room alone.
#ifndef SCIARA_CALIBRATE_VENT_DISC_H
#define SCIARA_CALIBRATE_VENT_DISC_H

#include "model/site.h"
#include "scenario/scenario.h"

enum { SCIARA_DISC_KEY = 40 }; ///< size of a key

struct sciara_vent_disc {
  size_t vent; ///< its number in every scenario
  double radius_m;
  enum sciara_vent_place way;      ///< how scenarios give its place: x and y, longitude and latitude, column and row
  struct sciara_point given;       ///< its place there
  char column[2][SCIARA_DISC_KEY]; ///< of evaluations.csv: "vents.0.x", "vents.0.y"; or of longitude and latitude
  char key[2][SCIARA_DISC_KEY];    ///< of a scenario: the same, or "vents.0.col", "vents.0.row"
  struct sciara_grid grid;         ///< of the first scenario; without rows: not known yet
  struct sciara_point centre;      ///< of the disc in that grid
  const char *crs_wkt;             ///< of that grid; belongs to its site
};

/** Whether a key is the position of a vent, "vents.0.position". */
bool sciara_vent_disc_names(const char *key, size_t *vent);

/** Whether a key that is not known was probably meant as one. */
bool sciara_vent_disc_is_near(const char *key);

/** Whether a key is a coordinate of the vent. */
bool sciara_vent_disc_has(const struct sciara_vent_disc *d, const char *key);

/**
 * Takes the place of the vent from the first scenario, or compares it with that of another.
 *
 * @param found   what is there in place of what is expected; "": nothing is wrong
 * @param allowed what is expected
 */
void sciara_vent_disc_take(struct sciara_vent_disc *d, const struct sciara_scenario_spec *scenario, bool first,
                           char found[160], char allowed[400]);

/**
 * Takes the ground of the first scenario, or compares it with that of another. Every cell that the disc touches must be one
 * that can have a vent, and there must be several.
 *
 * @param name of the scenario
 * @return SCIARA_ERR_INPUT, without the file and the key
 */
enum sciara_status sciara_vent_disc_open(struct sciara_vent_disc *d, const struct sciara_site *site, bool first,
                                         const char *name);

/** The ends of each coordinate of its cells, as in evaluations.csv. */
enum sciara_status sciara_vent_disc_bounds(const struct sciara_vent_disc *d, double low[2], double high[2]);

/** The position at a point of the unit square, as in evaluations.csv: the centre of a cell. */
enum sciara_status sciara_vent_disc_at(const struct sciara_vent_disc *d, const double point[2], double out[2]);

/** The value of `key[axis]` in a scenario for a coordinate of evaluations.csv. */
double sciara_vent_disc_value(const struct sciara_vent_disc *d, int axis, double coordinate);

#endif
