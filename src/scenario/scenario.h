// SPDX-License-Identifier: Apache-2.0
// A scenario: what to simulate, as written by a user, checked but not yet combined with a DEM.
#ifndef SCIARA_SCENARIO_SCENARIO_H
#define SCIARA_SCENARIO_SCENARIO_H

#include "base/diagnostics.h"
#include "base/log.h"
#include "base/setting.h"
#include "base/text.h"
#include "geometry/polyline.h"
#include "model/params.h"
#include "model/site.h"
#include "model/terms.h"
#include "model/vents.h"

/** One entry of "vents". Here and below arrays belong to sciara_alloc, texts to malloc. */
struct sciara_vent_spec {
  char *name; ///< owned; "vent 1" if the scenario gives none
  enum sciara_vent_place place;
  struct sciara_point *points; ///< x/y, lon/lat or column/row; one, or the vertices of a line (x/y)
  size_t point_count;
  bool lonlat;                  ///< the vertices are longitude and latitude (WGS 84)
  char *file, *layer, *feature; ///< of a vector file, whose feature has the points; file NULL: they are given
  double reach_m; ///< of a vent with an area: the radius of a point, half the width of a line; 0: it has none
  double *edges;  ///< rate_count + 1 times from the start of the run, s, "start" included
  double *rates;  ///< m3/s
  size_t rate_count;
};

/** A constant or a raster; both unset: absent. */
struct sciara_layer_spec {
  char *path;   ///< resolved, or NULL
  double value; ///< used if path is NULL and `given`
  bool given;
};

/** Lava as it was mapped: the key "initial.observed". At most one of volume, thickness and DEM is given. */
struct sciara_observed_spec {
  char *outline;    ///< resolved; NULL: nothing is observed
  char *layer;      ///< of the outline; NULL: its only one
  double volume_m3; ///< 0: not given
  struct sciara_layer_spec thickness, temperature;
  char *dem;     ///< resolved; may be NULL
  double time_s; ///< -1: not given
};

/** The name by which a scenario calls an array of the program (docs/formats.md). */
#define SCIARA_MEMORY_LAYER "memory"

/** Arrays of liquid lava at the start, rows x cols, northern row first; NaN and -9999: none. NULL: there is no array. */
struct sciara_initial_lava {
  int64_t rows, cols;
  double *thickness;   ///< m
  double *temperature; ///< K
};

struct sciara_scenario_spec {
  char *path;   ///< of the file
  char *folder; ///< absolute, if there is such a folder: paths in `json` are relative to it
  char *title;  ///< may be NULL
  char *
      json; ///< the scenario as run, overrides applied, as text (defaults are not written out); NULL: a member of a base
  const struct sciara_notes *notes; ///< receive the messages about it and its simulation; NULL: the log
  bool alone;                       ///< no CSV file of rates was read: vents with one have neither edges nor rates

  struct sciara_dem_spec dem; ///< its paths resolved against the folder of the scenario

  struct sciara_vent_spec *vents;
  size_t vent_count;
  struct sciara_layer_spec initial_thickness, initial_temperature;
  char *initial_checkpoint; ///< resolved against the scenario's folder; may be NULL
  char *initial_checksum;   ///< of its state; may be NULL
  struct sciara_observed_spec observed;

  struct sciara_params params;
  char *model; ///< where they come from: "thesis-etna-2006; changed: cooling"
  enum sciara_boundary boundary;

  struct sciara_limits run;
  char *start;        ///< ISO 8601 UTC; may be NULL
  bool start_refused; ///< it is NULL because what is given is no date

  struct {
    char *folder;   ///< resolved against the scenario's folder; by default NAME.out next to the scenario NAME.json
    double every_s; ///< 0: only the final state
    double checkpoint_every_s; ///< simulated time between checkpoints; 0: none by simulated time
    double checkpoint_wall_s;  ///< wall-clock time between checkpoints; 0: none by wall-clock time
    double keep_every_s;       ///< simulated time between checkpoints that are kept; 0: none
    bool keep_all;             ///< all checkpoints are kept
    unsigned fields;           ///< bits (1u << enum sciara_field)
    bool as_double;
    unsigned maps; ///< bits (1u << enum sciara_field)
  } output;

  struct sciara_engine_choice engine;
};

/**
 * Declares the options of the engines, which become the keys "engine.NAME" of every scenario, of the schema and of the
 * manual. To be called before a scenario is read; only the first call has an effect. The table must be constant.
 */
void sciara_scenario_declare_options(struct sciara_settings options);

/**
 * Reads a scenario and adds all its problems to `diagnostics`: each names the file, the JSON path, what is expected and
 * what was found. Text that is not JSON is one diagnostic, because nothing after it can be interpreted.
 *
 * @param overrides "a.b=value": the value is JSON; other text is taken as a string; a.0.b indexes arrays
 * @param notes     receive its messages; NULL: the log
 * @param out       without a diagnostic the complete scenario. Otherwise its valid parts, for further checks: dem.path
 *                  may be NULL and a vent may have no points, no rates or neither; other invalid keys have their
 *                  defaults. Release in any case.
 */
void sciara_scenario_read_all(const char *path, const char *const *overrides, size_t override_count,
                              const struct sciara_notes *notes, struct sciara_scenario_spec *out,
                              struct sciara_diagnostics *diagnostics);

/**
 * sciara_scenario_read_all for a text, as if it were the file `path`; text[length] is 0.
 *
 * @param out zero, but for what it says about reading: notes, and alone for the scenario stored in a file of results, of
 *            which no other file that it names is opened
 */
void sciara_scenario_parse(const char *path, const char *text, size_t length, const char *const *overrides,
                           size_t override_count, struct sciara_scenario_spec *out,
                           struct sciara_diagnostics *diagnostics);

/** sciara_scenario_read_all, all or nothing: the first diagnostic is the error. */
enum sciara_status sciara_scenario_read(const char *path, const char *const *overrides, size_t override_count,
                                        const struct sciara_notes *notes, struct sciara_scenario_spec *out);
void sciara_scenario_free(struct sciara_scenario_spec *s);

/** What a change replaced. */
struct sciara_effusion_change {
  size_t vent;
  struct sciara_vent_spec before; ///< edges, rates and their number
  char *json;
};

/**
 * Vent k emits `rate` m3/s from `now` to `until` (s), and nothing after that; before `now` its table stays. The text of the
 * scenario follows. End with one of the two functions below.
 *
 * @return SCIARA_ERR_USAGE for a rate, or times, that no table has; nothing has changed then
 */
enum sciara_status sciara_scenario_change_effusion(struct sciara_scenario_spec *s, size_t k, double now, double rate,
                                                   double until, struct sciara_effusion_change *out);

/** Releases what the change replaced. */
void sciara_scenario_release_effusion(struct sciara_effusion_change *change);

/** Whether a thread writes states while the run continues: snapshots or checkpoints at their times. */
bool sciara_scenario_writes_on_the_way(const struct sciara_scenario_spec *s);

enum sciara_schema_of { SCIARA_SCHEMA_SCENARIO, SCIARA_SCHEMA_ENSEMBLE, SCIARA_SCHEMA_CALIBRATION };

/** Appends the JSON Schema (draft-07) of a scenario, an ensemble file or a calibration file. */
enum sciara_status sciara_schema(enum sciara_schema_of of, struct sciara_text *out);

/** Appends the tables of docs/scenario.md: every key with type, unit, range, default and meaning. */
enum sciara_status sciara_scenario_manual(struct sciara_text *out);

/** The path of the k-th key that an override may set without an index ("run.max_time"), or NULL after the last. */
const char *sciara_scenario_settable_key(size_t k);

// A first scenario for a DEM: the required values, and every default written out.

enum { SCIARA_DEFAULT_MOST_POINTS = 32 };

/** A vent of one cell, or a fissure: x and y in the CRS of the DEM, or longitude and latitude in degrees. */
struct sciara_default_vent {
  struct sciara_point at[SCIARA_DEFAULT_MOST_POINTS];
  size_t count; ///< of points: 1 for a vent
  bool lonlat;
};

struct sciara_default_request {
  const char *dem;    ///< path of the DEM as written in the scenario
  const char *schema; ///< URL of the JSON Schema, for editors; NULL: left out
  const char *title;  ///< may be NULL
  const struct sciara_default_vent *vents;
  size_t vent_count;
  double width;         ///< of the fissures, m; 0: left out
  double rate;          ///< effusion rate of each vent, m3/s
  const char *duration; ///< of the effusion, "3 d"; NULL, and rates as well: none is given
  const char *rates;    ///< path of a file of rates as written in the scenario, instead of both; NULL: none
};

/** The name in messages of a scenario that is not written yet. */
#define SCIARA_NEW_SCENARIO "the new scenario"

/**
 * Appends the scenario as JSON text; "a.b=value" overrides are applied before the defaults are filled in. Vents that an
 * override gives without "effusion" receive that of the request.
 */
enum sciara_status sciara_scenario_default(const struct sciara_default_request *request, const char *const *overrides,
                                           size_t override_count, struct sciara_text *out);

// A scenario that a program builds (sciara.h): a tree of JSON, checked only when a simulation is made of it.

/** As if it lay in a file; see sciara_scenario_open and its sisters. */
struct sciara_scenario {
  char *path;                         ///< "scenario" in the current folder when it was not read from a file
  void *root;                         ///< a tree of cJSON: the values as given
  struct sciara_text print;           ///< what sciara_scenario_json returned last
  struct sciara_initial_lava initial; ///< what sciara_scenario_set_initial_lava received last; owned
};

/**
 * Appends the scenario as text.
 *
 * @param dem for a scenario whose DEM has no path: the value of the key "dem" as JSON text, of which only the path is taken
 *            if the scenario has the key; NULL: none is added
 */
enum sciara_status sciara_scenario_draft_text(const struct sciara_scenario *s, const char *dem,
                                              struct sciara_text *out);

/** Refuses one without a DEM where no site is given, and one that names a DEM for a site that was made from an array. */
enum sciara_status sciara_scenario_draft_check_dem(const struct sciara_scenario *s, bool has_site, bool of_memory);

#endif
