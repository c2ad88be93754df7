// SPDX-License-Identifier: Apache-2.0
/**
 * @file sciara.h
 * The public interface of libsciara: describe an eruption (a scenario), the ground (a site), and compute the lava flow
 * (a simulation) step by step; read and write fields, the ledger and checkpoints; score against an observed lava field.
 *
 * Errors. Every function that can fail returns an `enum sciara_status`; sciara_last_error() then gives the reason in
 * one sentence, for the calling thread. After a failure each `out` of an opening function is NULL and nothing was
 * written.
 *
 * Threads. A scenario or a simulation may be used by one thread at a time. A site never changes: simulations in any
 * number of threads may share it. Simulations that share nothing but a site do not affect each other. Only
 * sciara_cancel may be called from another thread, or a signal handler, while a simulation is in use.
 *
 * The library prints nothing and never exits: messages go to the function that sciara_set_log names.
 *
 * Units are SI; times are simulated seconds since the start of the run, unless a comment says otherwise. Fields are
 * arrays of rows x cols doubles, row-major, the northern row first; cells outside the DEM hold -9999.
 */
#ifndef SCIARA_H
#define SCIARA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined __GNUC__
#define SCIARA_API __attribute__((visibility("default")))
#else
#define SCIARA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The result of a call. The values are the exit codes of the program. */
enum sciara_status {
  SCIARA_OK = 0,
  SCIARA_ERR_USAGE = 2,     /**< a wrong argument of a call or of the command line */
  SCIARA_ERR_INPUT = 3,     /**< a scenario, a DEM or another input is invalid */
  SCIARA_ERR_IO = 4,        /**< reading or writing failed */
  SCIARA_ERR_NUMERIC = 5,   /**< a number that is not finite, or an invariant of the model is broken */
  SCIARA_ERR_MEMORY = 6,    /**< not enough memory */
  SCIARA_ERR_DEVICE = 7,    /**< the engine or its device is not available here */
  SCIARA_ERR_INTERNAL = 70, /**< a defect of the library */
};

/** The fields of a simulation, each of rows x cols doubles, row-major, northern row first. */
enum sciara_field {
  SCIARA_FIELD_THICKNESS,       /**< liquid lava, m */
  SCIARA_FIELD_ALTITUDE,        /**< ground, solidified lava included, m a.s.l. */
  SCIARA_FIELD_TEMPERATURE,     /**< of the liquid lava, K; 0 where there is none */
  SCIARA_FIELD_MOMENTUM_X,      /**< eastward, per unit area and density, m2/s */
  SCIARA_FIELD_MOMENTUM_Y,      /**< northward, per unit area and density, m2/s */
  SCIARA_FIELD_SOLID_THICKNESS, /**< solidified lava, m */
  SCIARA_FIELD_DEPOSIT,         /**< liquid and solidified lava, m */
  SCIARA_FIELD_ARRIVAL_TIME,    /**< simulated time of the first lava, s; -9999 where it never was, as in files */
  SCIARA_FIELD_MAX_THICKNESS,   /**< largest liquid thickness at the end of a step, m */
  SCIARA_FIELD_MAX_SPEED,       /**< largest speed at the end of a step, m/s */
  SCIARA_FIELD_SPEED,           /**< m/s; 0 where there is no liquid lava */
  SCIARA_FIELD_MAX_DEPOSIT,     /**< largest liquid and solidified lava at the end of a step, m */
  SCIARA_FIELD_COUNT
};

/** Where the lava is: the mass balance. Volumes in m3. initial + emitted + added - removed = liquid + solid + lost + sea,
    up to rounding. */
struct sciara_ledger {
  double initial_m3; /**< liquid lava given with the scenario */
  double emitted_m3; /**< by the vents so far */
  double liquid_m3;
  double solid_m3;
  double lost_m3;     /**< left the map, through an open rim */
  double residual_m3; /**< initial + emitted + added - removed - (liquid + solid + lost + sea) */
  double bound_m3;    /**< the largest |residual| that rounding explains */
  double sea_m3;      /**< entered the sea (dem.sea of a scenario) */
  double added_m3;    /**< by a correction of a checkpoint with observed lava (initial.observed of a scenario) */
  double removed_m3;  /**< the same, and rock that edits of the ground replaced */
};

/** Where a simulation is. */
struct sciara_progress {
  uint64_t step;        /**< steps done */
  double time_s;        /**< simulated time: lava has been emitted up to here */
  double clock_s;       /**< length of the time step found in the last step (the first clock before any step) */
  int64_t liquid_cells; /**< cells with liquid lava at the end of the last step */
  bool solidified;      /**< nothing is liquid and no vent will emit again */
  bool finished;        /**< the scenario's own stop rule has been met */
};

/** The grid of a simulation. */
struct sciara_grid_info {
  int64_t rows, cols;
  double cell_size_m;
  double west_m, north_m; /**< outer corner of the north-western cell, in the CRS of the DEM */
};

/** A scenario: what is to be simulated. Checked when a simulation is made of it. */
struct sciara_scenario;

/** A site: the ground of simulations, a DEM that was read and classified once. It never changes. */
struct sciara_site;

/** A simulation: a scenario on a site, computed by an engine. */
struct sciara;

/** Version of the library, "MAJOR.MINOR.PATCH". */
SCIARA_API const char *sciara_version(void);

/**
 * One sentence about the last failure in this thread; "" if there was none. Valid until the next call in this thread.
 * It quotes names and texts of files unchanged, with any control characters in them.
 */
SCIARA_API const char *sciara_last_error(void);

/** The standard name of a field ("thickness"), or NULL for a number that is no field. */
SCIARA_API const char *sciara_field_name(enum sciara_field field);

/** The unit of a field ("m s-1"), or NULL for a number that is no field. */
SCIARA_API const char *sciara_field_unit(enum sciara_field field);

/** What a field is, as in files ("thickness of liquid lava"), or NULL for a number that is no field. */
SCIARA_API const char *sciara_field_description(enum sciara_field field);

/** What a message is about. */
enum sciara_message { SCIARA_MESSAGE_DETAIL, SCIARA_MESSAGE_INFO, SCIARA_MESSAGE_WARNING, SCIARA_MESSAGE_ERROR };

/**
 * Names the function that receives the messages of the library: what is assumed, and warnings. One for the whole
 * process; NULL, the default: no messages. It may be called from any thread that uses the library, and must not call
 * the library.
 *
 * @param text one line without a newline; valid during the call
 */
SCIARA_API void sciara_set_log(void (*receive)(void *context, enum sciara_message kind, const char *text),
                               void *context);

/** An engine: one way to compute the steps. */
struct sciara_engine_info {
  const char *name;     /**< "openmp": the value of the key engine.name */
  const char *summary;  /**< one line */
  bool exact;           /**< bit-identical to the engine "serial" of the same precision */
  bool available;       /**< here, with this hardware and this build */
  const char *why_not;  /**< reason, where it is not available; else "" */
  const char *rules[8]; /**< "fv3": names of the rules that it has, values of the key model.rule; then NULL */
};

/**
 * The k-th engine, from 0. Texts are constant but why_not, which is valid until the next call in this thread.
 *
 * @return SCIARA_ERR_USAGE behind the last engine
 */
SCIARA_API enum sciara_status sciara_read_engine(size_t k, struct sciara_engine_info *out);

/* ------------------------------------------------------------------------------------------------------- scenarios
 *
 * The keys are those of docs/scenario.md. A scenario is text until a simulation is made of it; only then are values
 * checked, and errors name the key.
 */

/**
 * A scenario from a JSON file. Files that it names are relative to its folder.
 *
 * @return SCIARA_ERR_IO when it cannot be read; SCIARA_ERR_INPUT when it is not JSON
 */
SCIARA_API enum sciara_status sciara_scenario_open(const char *path, struct sciara_scenario **out);

/**
 * A scenario from JSON text.
 *
 * @param folder files that the text names are relative to it; NULL: the current folder
 */
SCIARA_API enum sciara_status sciara_scenario_from_json(const char *json, const char *folder,
                                                        struct sciara_scenario **out);

/** An empty scenario: no vents, the default of every other key. Files are relative to the current folder. */
SCIARA_API enum sciara_status sciara_scenario_create(struct sciara_scenario **out);

/**
 * Sets a key, as `sciara run --set KEY=VALUE` does: sciara_scenario_set(s, "run.until", "2 d").
 *
 * @param key   "a.b"; items of arrays by number: "vents.0.name"
 * @param value JSON; what is not JSON is taken as text
 * @return SCIARA_ERR_INPUT for a key that does not exist
 */
SCIARA_API enum sciara_status sciara_scenario_set(struct sciara_scenario *s, const char *key, const char *value);

/** sciara_scenario_set with a number, exactly. SCIARA_ERR_USAGE unless it is finite. */
SCIARA_API enum sciara_status sciara_scenario_set_number(struct sciara_scenario *s, const char *key, double value);

/** How the place of a vent is given. */
enum sciara_vent_place {
  SCIARA_VENT_XY,     /**< x (easting) and y (northing) in the CRS of the DEM, m */
  SCIARA_VENT_LONLAT, /**< longitude and latitude, WGS 84, degrees */
  SCIARA_VENT_ROWCOL, /**< column and row of the grid, from 0 in the north-west */
  SCIARA_VENT_LINE    /**< a fissure: two or more points x, y in the CRS of the DEM, m; rates are of the whole line */
};

/** A vent and its effusion rates. */
struct sciara_vent {
  const char *name; /**< NULL: "vent 1" and so on */
  enum sciara_vent_place place;
  const double *points;     /**< x and y of each point: 2 x point_count numbers */
  size_t point_count;       /**< 1, or the number of vertices of a line */
  const double *times_s;    /**< rate_count + 1 ascending times from 0 on */
  const double *rates_m3_s; /**< rate k applies from times_s[k] to times_s[k + 1]; before and after the table it is 0 */
  size_t rate_count;
  double radius_m; /**< of a point: the key vents[].radius_m; 0: one cell */
  double width_m;  /**< of a line: the key vents[].width_m; 0: the cells that it crosses */
};

/** Adds a vent; copies what it points to. SCIARA_ERR_USAGE for missing or unordered numbers. */
SCIARA_API enum sciara_status sciara_scenario_add_vent(struct sciara_scenario *s, const struct sciara_vent *vent);

/**
 * Liquid lava at the start of the simulations, in place of the keys of "initial". Copies the arrays, which are rows x cols,
 * northern row first; NaN and -9999: no lava. Values are checked when a simulation is made.
 *
 * @param rows, cols  those of the DEM
 * @param thickness   m, 0 to 1000; lava only in cells whose 8 neighbours are valid
 * @param temperature K, above T_sol_K to T_vent_K where there is lava; NULL: T_vent_K
 * @return SCIARA_ERR_USAGE unless there is at least one row and column
 */
SCIARA_API enum sciara_status sciara_scenario_set_initial_lava(struct sciara_scenario *s, int64_t rows, int64_t cols,
                                                               const double *thickness, const double *temperature);

/** The scenario as JSON text. Arrays are not part of it: it says "memory" in their place. Valid until the next call with this scenario. */
SCIARA_API enum sciara_status sciara_scenario_json(struct sciara_scenario *s, const char **out);

/** Releases a scenario; NULL is allowed. Simulations made of it do not need it. */
SCIARA_API void sciara_scenario_close(struct sciara_scenario *s);

/* ----------------------------------------------------------------------------------------------------------- sites */

/**
 * Reads the DEM that a scenario file names, for any number of simulations on that ground: see sciara_open_on.
 *
 * @param scenario  as of sciara_open; only its keys "dem" and "engine.precision" matter, but all must be valid
 * @param overrides as of sciara_open
 * @param out       receives the site, to be released
 */
SCIARA_API enum sciara_status sciara_site_open(const char *scenario, const char *const *overrides, size_t count,
                                               const struct sciara_site **out);

/**
 * Reads a DEM: any raster format of docs/formats.md.
 *
 * @param crs         as the key dem.crs; NULL: that of the raster
 * @param cell_size_m warp to cells of this side, m; 0: that of the raster
 * @param single_precision for simulations in single precision: altitudes are rounded to float
 */
SCIARA_API enum sciara_status sciara_site_from_dem(const char *path, const char *crs, double cell_size_m,
                                                   bool single_precision, const struct sciara_site **out);

/**
 * A site from an array in memory, which is copied.
 *
 * @param grid     rows, columns, side of the cells (m) and outer corner of the north-western cell
 * @param crs      projected, in metres ("EPSG:32633", WKT or PROJ text); NULL: unknown, maps will have no CRS
 * @param altitude m, rows x cols, northern row first; NaN and -9999: outside the DEM
 * @param single_precision as of sciara_site_from_dem
 * @return SCIARA_ERR_INPUT names the first cell whose altitude no place has, or what is wrong with the grid or the CRS
 */
SCIARA_API enum sciara_status sciara_site_from_array(const struct sciara_grid_info *grid, const char *crs,
                                                     const double *altitude, bool single_precision,
                                                     const struct sciara_site **out);

/** Size and place of the grid of a site. */
SCIARA_API void sciara_site_read_grid(const struct sciara_site *site, struct sciara_grid_info *out);

/** The CRS: WKT, and a name for people; both NULL when unknown. Valid until the site is released. */
SCIARA_API void sciara_site_read_crs(const struct sciara_site *site, const char **wkt, const char **name);

/** Releases the caller's reference to a site, once for each site opened, in any thread; NULL is allowed. */
SCIARA_API void sciara_site_release(const struct sciara_site *site);

/* ----------------------------------------------------------------------------------------------------- simulations */

/**
 * Opens a scenario file and the DEM it names, ready for the first step. Writes nothing.
 *
 * @param scenario  path of a scenario JSON file
 * @param overrides `count` strings "a.b=value" that replace keys of the scenario; may be NULL when count is 0
 */
SCIARA_API enum sciara_status sciara_open(const char *scenario, const char *const *overrides, size_t count,
                                          struct sciara **out);

/**
 * sciara_open on a site: the DEM is not read again, the ground is held once, and results are bit-identical. Several
 * threads may call it with one site at the same time. The simulation keeps the site until it is closed, whether the
 * caller has released it or not.
 *
 * @return SCIARA_ERR_INPUT when the keys "dem" or "engine.precision" of the scenario differ from those of the site; all
 *         other keys may differ
 */
SCIARA_API enum sciara_status sciara_open_on(const struct sciara_site *site, const char *scenario,
                                             const char *const *overrides, size_t count, struct sciara **out);

/**
 * A simulation of a scenario. Engine, threads and device are its keys engine.name, engine.threads and engine.device.
 *
 * @param scenario not changed; it may be closed, or used for further simulations
 * @param site     NULL: the DEM that the scenario names is read. Else the scenario may omit the key "dem"; if it names
 *                 one, it must be that of the site. With a site from an array its "dem" may have the keys sea and edits,
 *                 which apply to a copy of the ground
 */
SCIARA_API enum sciara_status sciara_create(const struct sciara_scenario *scenario, const struct sciara_site *site,
                                            struct sciara **out);

/**
 * Continues the run in a run folder of `sciara run` from its newest intact checkpoint. The folder is not changed.
 *
 * @param overrides `count` strings "a.b=value" for keys of vents, run, output and engine; may be NULL when count is 0
 */
SCIARA_API enum sciara_status sciara_open_run(const char *folder, const char *const *overrides, size_t count,
                                              struct sciara **out);

/**
 * Continues from a checkpoint file.
 *
 * @param site      the same ground; NULL: the DEM that the scenario of the checkpoint names is read again
 * @param overrides as of sciara_open_run
 * @return SCIARA_ERR_INPUT when the file is damaged, or the ground differs
 */
SCIARA_API enum sciara_status sciara_open_checkpoint(const char *path, const struct sciara_site *site,
                                                     const char *const *overrides, size_t count, struct sciara **out);

/** Releases the simulation; NULL is allowed. */
SCIARA_API void sciara_close(struct sciara *s);

/** Does `steps` steps, or fewer if the scenario's stop rule is met first. */
SCIARA_API enum sciara_status sciara_step(struct sciara *s, uint64_t steps);

/** Runs until the scenario's own stop rule is met. Writes no file. */
SCIARA_API enum sciara_status sciara_run(struct sciara *s);

/** Where sciara_advance returns, and what it calls meanwhile. Zero-initialise; members that stay 0 have no effect. */
struct sciara_advance_options {
  uint64_t step; /**< after this step of the run; 0: no limit */
  double time_s; /**< after the first step that reaches this simulated time; 0: no limit */
  /** Called about every 0.1 s by the thread that called sciara_advance; false: cancel. May be NULL. It may not use the
   *  simulation. */
  bool (*progress)(void *context, const struct sciara_progress *now);
  void *context;
};

/**
 * Steps until `options` (NULL: no limit), the scenario's stop rule, or a cancellation, whichever comes first. A
 * cancelled call ends after a whole step and is no error; the simulation can continue. For a limit
 * that has been reached already no step is done: a step may end far behind the limit of the previous call. A message says
 * so when the limit lies in the past.
 */
SCIARA_API enum sciara_status sciara_advance(struct sciara *s, const struct sciara_advance_options *options);

/** Ends the sciara_step, sciara_run or sciara_advance in progress after its current step, or else the next one. */
SCIARA_API void sciara_cancel(struct sciara *s);

/**
 * Changes the effusion rate of a vent, or of a whole fissure, from now on.
 *
 * @param vent       its name, as in the scenario ("vent 1" if it has none)
 * @param rate_m3_s  0 to 1e6 m3/s, from the present simulated time
 * @param until_s    the rate ends here; later than now. What the scenario said about times after now no longer applies
 */
SCIARA_API enum sciara_status sciara_set_rate(struct sciara *s, const char *vent, double rate_m3_s, double until_s);

/** Where the simulation is. */
SCIARA_API void sciara_read_progress(const struct sciara *s, struct sciara_progress *out);

/** Size and place of the grid. */
SCIARA_API void sciara_read_grid(const struct sciara *s, struct sciara_grid_info *out);

/** The CRS: WKT, and a name for people; both NULL when unknown. Valid until the simulation is closed. */
SCIARA_API void sciara_read_crs(const struct sciara *s, const char **wkt, const char **name);

/** Name of the engine that computes ("serial"). */
SCIARA_API const char *sciara_read_engine_name(const struct sciara *s);

/** Name of the rule by which lava moves: the key model.rule ("fv3"). */
SCIARA_API const char *sciara_read_rule_name(const struct sciara *s);

/** Simulated time at which the scenario ends the simulation at the latest (run.until, run.max_time), s; INFINITY: no limit. */
SCIARA_API double sciara_read_end_time(const struct sciara *s);

/**
 * Name of the k-th vent, from 0, and simulated time (s) at which its table of rates ends, also with rates of 0. The name is
 * valid until the simulation is closed.
 *
 * @return SCIARA_ERR_USAGE behind the last vent
 */
SCIARA_API enum sciara_status sciara_read_vent(const struct sciara *s, size_t k, const char **name, double *end_s);

/**
 * The present effusion rate of the k-th vent (of a whole fissure), from 0: the one that applies from the present simulated
 * time on, m3/s. 0 before and after its emission.
 *
 * @return SCIARA_ERR_USAGE behind the last vent
 */
SCIARA_API enum sciara_status sciara_read_rate(const struct sciara *s, size_t k, double *rate_m3_s);

/**
 * Copies a field.
 *
 * @param out      rows x cols doubles
 * @param capacity doubles that `out` can take; SCIARA_ERR_USAGE if fewer than rows x cols
 * @return SCIARA_ERR_USAGE for a field that is not recorded: output.fields of the scenario must name it
 */
SCIARA_API enum sciara_status sciara_read_field(struct sciara *s, enum sciara_field field, double *out,
                                                size_t capacity);

/**
 * A field without a copy of the caller's: rows x cols doubles that belong to the simulation. They are valid, and do not
 * change, until the next call that steps, changes or closes the simulation.
 */
SCIARA_API enum sciara_status sciara_view_field(struct sciara *s, enum sciara_field field, const double **out);

/** The current ledger of the lava. */
SCIARA_API enum sciara_status sciara_read_ledger(struct sciara *s, struct sciara_ledger *out);

/** 64 bits over the whole state: equal for equal states, whatever the engine, device or number of threads. */
SCIARA_API enum sciara_status sciara_checksum(struct sciara *s, uint64_t *out);

/* ---------------------------------------------------------------------------------------------------------- outputs
 *
 * Files are written completely or not at all, and are on the disk when the call returns. An earlier file is replaced.
 */

/** Writes the fields output.fields of the scenario as a CF NetCDF-4 file. @param path NAME.nc */
SCIARA_API enum sciara_status sciara_write_snapshot(struct sciara *s, const char *path);

/** Writes the exact state: sciara_open_checkpoint continues from it with bit-identical results. */
SCIARA_API enum sciara_status sciara_write_checkpoint(struct sciara *s, const char *path);

/** Writes a map of a field. @param path NAME.tif (GeoTIFF, with a QGIS style next to it) or NAME.png (a picture) */
SCIARA_API enum sciara_status sciara_write_map(struct sciara *s, enum sciara_field field, const char *path);

/** The deposit of a simulation compared with an observed lava field. What has no value is NaN. */
struct sciara_scores {
  int64_t hits, misses, excess; /**< cells: of both; only observed; only simulated */
  double jaccard;               /**< hits / (hits + misses + excess) */
  double sensitivity;           /**< hits / (hits + misses) */
  double precision;             /**< hits / (hits + excess) */
  double f1;                    /**< 2 hits / (2 hits + misses + excess) */
  double area_ratio;            /**< simulated / observed */
  double run_out_ratio;         /**< greatest distance from a vent, simulated / observed */
  double hausdorff_m;           /**< greatest distance of a cell of one from the nearest cell of the other */
};

/**
 * Scores the present deposit.
 *
 * @param observed        polygons or a raster, in any CRS; formats: docs/gis.md
 * @param layer           of a file with several layers of polygons; NULL: it has one
 * @param min_thickness_m more than this counts as covered, of the simulation and of an observed thickness; >= 0
 */
SCIARA_API enum sciara_status sciara_score(struct sciara *s, const char *observed, const char *layer,
                                           double min_thickness_m, struct sciara_scores *out);

/** What lava does to a place, a feature of a vector file. What has no value is NaN. */
struct sciara_asset {
  const char *name;
  const char *kind;     /**< "point", "line" or "zone" */
  const char *state;    /**< "reached", "not reached", or why lava cannot come: "sea", "NODATA", "outside", "empty" */
  double arrival_s;     /**< simulated time of the first lava in one of its cells; NaN also if it is not recorded */
  double deposit_m;     /**< largest deposit in its cells */
  double max_deposit_m; /**< the same at any time; NaN also if it is not recorded */
  double covered;       /**< points, m or m2 in covered cells; NaN where lava cannot come */
  double all, land;     /**< how much there is of it; on land */
  const double *covered_by; /**< by each of the times; NaN also if arrivals are not recorded */
};

struct sciara_assets {
  const struct sciara_asset *asset; /**< in the order of the file */
  size_t count;
};

/**
 * Tells what the present lava of a simulation does to the features of a vector file, as `sciara exposure` does.
 *
 * @param file  points, lines and polygons in any CRS; formats and names: docs/cli.md
 * @param layer of a file with several; NULL: it has one
 * @param times simulated times, s, ascending, at most 200; may be NULL when time_count is 0
 * @param out   to be released with sciara_assets_release
 */
SCIARA_API enum sciara_status sciara_expose(struct sciara *s, const char *file, const char *layer, const double *times,
                                            size_t time_count, const struct sciara_assets **out);

/** NULL is allowed. */
SCIARA_API void sciara_assets_release(const struct sciara_assets *assets);

/* ----------------------------------------------------------------------------------------------------- evaluations
 *
 * Parameters in, scores out: scenarios with changed keys, computed as many at a time as the machine carries, and compared with
 * observed extents, as `sciara evaluate` does: docs/cli.md, docs/calibration.md. One thread at a time uses an object.
 */

/** An observed extent. Zero-initialise; members that stay 0 have no effect. */
struct sciara_observed {
  const char *path;   /**< polygons or a raster, in any CRS; formats: docs/gis.md */
  const char *layer;  /**< of a file with several layers of polygons; NULL: it has one */
  const char *region; /**< only cells that this file covers are compared; NULL: all */
  size_t scenario;    /**< number of its scenario */
  double at_s;        /**< simulated time: what lava has reached by then counts; 0: the end of the run */
  double weight;      /**< in the mean of J, at most 1e6; 0: 1; of each date */
  const char *date;   /**< instead of at_s: its date, "2006-07-14T12:00Z", of a scenario with run.start; NULL: none */
  /** A field of the file, which has a polygon or more for each date in it: these are compared at their dates, as so many
      extents. "auto": its only field of dates; NULL: none */
  const char *dates;
};

/** What is evaluated. Zero-initialise. */
struct sciara_evaluations_setup {
  const char *const *scenarios; /**< paths */
  size_t scenario_count;
  const struct sciara_observed *observed; /**< at least one of each scenario */
  size_t observed_count;
  double min_thickness_m; /**< more than this counts as covered, of runs and of an observed thickness; >= 0 */
  const char *engine;     /**< NULL: that of the first scenario, where auto is openmp */
  int workers;            /**< evaluations at a time, at most 4096; 0: one per core, or one per GPU */
};

struct sciara_evaluations;

/**
 * Reads scenarios, grounds and observed extents, and starts threads that wait for work. What the setup points to must stay
 * valid until the evaluations are closed.
 *
 * @return SCIARA_ERR_INPUT for an invalid scenario, and for an extent off the ground
 */
SCIARA_API enum sciara_status sciara_evaluations_open(const struct sciara_evaluations_setup *setup,
                                                      struct sciara_evaluations **out);

/**
 * Computes and compares: a line of JSON for each, as of `sciara evaluate`. A line that is invalid is no error: its result
 * says so. A cancelled call is none either: *out has the results of the first lines, and the next call opens everything again.
 *
 * @param lines    {"id": ..., "set": {"model.relaxation": 0.5, ...}}, separated by newlines
 * @param progress called about every 0.05 s and at the end by the thread that called, with the number of results; false:
 *                 cancel. May be NULL
 * @param out      the results in the order of the lines, valid until the next call with `e`
 */
SCIARA_API enum sciara_status sciara_evaluations_run(struct sciara_evaluations *e, const char *lines,
                                                     bool (*progress)(void *context, size_t done), void *context,
                                                     const char **out);

/** Ends the threads. NULL is allowed. */
SCIARA_API void sciara_evaluations_close(struct sciara_evaluations *e);

/* ----------------------------------------------------------------------------------------------------- calibrations
 *
 * What a search of parameters needs of this library: a calibration file (docs/calibration.md) read and checked, the values of
 * its unknowns at points that an optimiser proposes, their scores, and files that are made of scenarios. `sciara calibrate`,
 * which is Python, is made of these functions. A file has one search or several, numbered from 0. One thread at a time uses an
 * object. Texts that a call gives are valid until the next call with the same object.
 */

/** Zero-initialise. */
struct sciara_calibration_setup {
  const char *file;
  const char *const *drivers; /**< names of further GDAL drivers that may read observed extents */
  size_t driver_count;
  const char *engine;                               /**< as in struct sciara_evaluations_setup */
  int workers;                                      /**< likewise */
  void (*problem)(void *context, const char *text); /**< receives each problem of the file; may be NULL */
  void *context;
};

struct sciara_calibration;

/**
 * Reads a calibration file and its scenarios, and checks them. What the setup points to must stay valid until it is closed.
 *
 * @return SCIARA_ERR_INPUT: the file has problems, of which sciara_last_error is the first
 */
SCIARA_API enum sciara_status sciara_calibration_open(const struct sciara_calibration_setup *setup,
                                                      struct sciara_calibration **out);

/** The file as JSON: as it is written ("file"), and as it is understood: design, seed, searches, unknowns, pairs. */
SCIARA_API enum sciara_status sciara_calibration_describe(struct sciara_calibration *c, const char **out);

/**
 * Reads grounds and observed extents for a search, and starts threads that wait for work; those of another search end. *out is
 * JSON: hashes of all that the search reads, and the bounds of its unknowns.
 *
 * @return SCIARA_ERR_INPUT also for a position of a vent, of any search, that has no cell for it
 */
SCIARA_API enum sciara_status sciara_calibration_begin(struct sciara_calibration *c, size_t search, const char **out);

/** The values of all unknowns at points of the unit cube: arrays of count x unknowns. After the first sciara_calibration_begin. */
SCIARA_API enum sciara_status sciara_calibration_values(struct sciara_calibration *c, size_t search,
                                                        const double *points, size_t count, double *values);

/** The result of a set of values. */
struct sciara_calibration_score {
  size_t row;         /**< of its set */
  const char *status; /**< "ok", "rested", "stopped", "failed", "invalid" */
  const char *error;  /**< of the last two; else NULL */
  double jaccard;     /**< the mean of the pairs that are not held out; stopped: its upper bound; NAN without a score */
  const double *pair; /**< J of each pair; NULL without, and when it was stopped */
  const double *runout; /**< run-out ratios likewise; NAN: undefined */
};

/** Sets of values that are computed. Zero-initialise. */
struct sciara_calibration_rows {
  const double *values; /**< count x unknowns */
  size_t count;
  size_t first; /**< row of the first set, from 0: errors say "evaluation 1" */
  double least; /**< above 0: runs may end early, whose J cannot be as much, or whose front rests; 0: none does */
  bool last;    /**< no others follow: runs that are left may continue in a faster way */
  bool keep;    /**< the maps of the last set are kept for best.json and the page */
  /** Receives the results in their order, one at a time, from any thread; false: no more. */
  bool (*receive)(void *context, const struct sciara_calibration_score *score);
  /** Called about every 0.05 s by the thread that called; false: cancel. May be NULL. */
  bool (*go_on)(void *context);
  void *context;
};

/** Computes sets for the search that was begun last. After a cancellation, which is no error, nothing more is computed. */
SCIARA_API enum sciara_status sciara_calibration_compute(struct sciara_calibration *c,
                                                         const struct sciara_calibration_rows *rows);

/** Writes best.json to a folder: the scenario of the first pair with a set of values, its paths absolute. */
SCIARA_API enum sciara_status sciara_calibration_write_best(struct sciara_calibration *c, size_t search,
                                                            const double *values, const char *folder);

/**
 * Writes accepted.csv to a folder: sets as a table of members for an ensemble.
 *
 * @param rows   ascending: the members are numbered row + 1
 * @param values count x unknowns
 */
SCIARA_API enum sciara_status sciara_calibration_write_sets(struct sciara_calibration *c, size_t search,
                                                            const size_t *rows, const double *values, size_t count,
                                                            const char *folder);

/**
 * Writes page.html to a folder, with the maps of searches that were kept (`keep`), the best search first.
 *
 * @param searches what is said of them: a JSON array as in docs/page.md
 * @param language "en", ...
 */
SCIARA_API enum sciara_status sciara_calibration_write_page(struct sciara_calibration *c, const size_t *search,
                                                            size_t count, const char *searches, const char *language,
                                                            const char *folder);

/** Ends the threads. NULL is allowed. */
SCIARA_API void sciara_calibration_close(struct sciara_calibration *c);

/* ------------------------------------------------------------------------------------------------------- ensembles
 *
 * Many runs of one scenario, its members, and the hazard maps made of them: docs/ensembles.md. An ensemble is a folder;
 * each function takes its path and keeps nothing open. One thread at a time may plan, run or reduce an ensemble; others
 * may read its progress and query it meanwhile. Threads that use different ensembles do not affect each other.
 */

/**
 * Plans an ensemble as `sciara ensemble plan` does: reads a file of docs/ensembles.md, and writes the folder with the
 * table of members, their weights and the DEM. A folder with the same members retains its results. Nothing is written
 * if there is a problem.
 *
 * @param overwrite replace an ensemble with other members, if it has no results yet and no process computes them
 * @return SCIARA_ERR_INPUT for an invalid file, and for a folder with other members
 */
SCIARA_API enum sciara_status sciara_ensemble_make_plan(const char *file, const char *folder, bool overwrite);

/** How far an ensemble, or the part of it that is computed, is. */
struct sciara_ensemble_progress {
  size_t total;    /**< members */
  size_t finished; /**< of them, by this call or before; failed and censored ones are finished */
  size_t failed;   /**< they have no result */
  size_t censored; /**< they ended before their own stop rule, or have a tower: what they reached is a lower bound */
  size_t now;      /**< finished by this call; 0 from sciara_ensemble_read_progress */
  double per_hour; /**< members; of this call, or at the speed of the last hour; 0: unknown */
  double to_go_s;  /**< wall-clock time, s; 0: all are finished, or the stop rule holds; negative: unknown */
};

/** Which members are computed, and how. Zero-initialise; members that stay 0 have no effect. */
struct sciara_ensemble_run_options {
  bool has_ids;              /**< only the batches that hold an id from first_id to last_id */
  int64_t first_id, last_id; /**< as in members.csv, >= 0 */
  size_t part, parts;        /**< only part 1 to `parts` of the batches */
  int workers;               /**< members at a time, at most 4096; 0: one per core, or one per GPU */
  const char *engine;        /**< NULL: that of the base scenario, where auto is openmp */
  /** Called about every 0.2 s and at the end by the thread that called; false: cancel. May be NULL. */
  bool (*progress)(void *context, const struct sciara_ensemble_progress *now);
  void *context;
};

/**
 * Computes the members that are not finished. A cancelled call is no error; a later one continues, and computes no
 * finished member again. A member that fails does not end the call: see sciara_ensemble_progress.
 *
 * @param options NULL: all members
 * @param out     progress at the end; may be NULL
 * @return SCIARA_ERR_USAGE for ids that no member has; SCIARA_ERR_INPUT for batches of another ensemble; SCIARA_ERR_IO
 *         for a folder without an ensemble, and if the disk has no room
 */
SCIARA_API enum sciara_status sciara_ensemble_run(const char *folder, const struct sciara_ensemble_run_options *options,
                                                  struct sciara_ensemble_progress *out);

/** The progress of a whole ensemble, from its folder, also while it is computed. */
SCIARA_API enum sciara_status sciara_ensemble_read_progress(const char *folder, struct sciara_ensemble_progress *out);

/** How an ensemble is reduced. Zero-initialise; members that stay 0 have no effect. */
struct sciara_ensemble_reduce_options {
  bool all;      /**< all finished members, also where the stop rule of the ensemble holds earlier */
  bool pictures; /**< also PNG pictures of the maps */
  int threads;   /**< 1 to 1024; 0: one per core */
};

/**
 * Makes maps/, hazard.nc, the vector files and sites.csv in the folder, of the batches that are whole so far.
 *
 * @param options NULL: none
 * @return SCIARA_ERR_INPUT if no batch is whole, or one is damaged
 */
SCIARA_API enum sciara_status sciara_ensemble_reduce(const char *folder,
                                                     const struct sciara_ensemble_reduce_options *options);

/** A probability, conditional on the model and on the plan. NaN: there is none. */
struct sciara_ensemble_probability {
  double limit;     /**< what it is about: a max deposit above this, m (0: any lava), or arrival until this time, s */
  double value;     /**< 0 to 1, from the finished members */
  double low, high; /**< whatever members that are not finished, failed or censored would do */
  double error;     /**< standard error, or the grid difference of a full plan; NaN also without hits */
  size_t hits;      /**< members */
};

/** The 95 % interval of a probability as far as it is due to the draws: docs/ensemble-statistics.md. NaN: none. */
struct sciara_ensemble_interval {
  double low, high;
};

/** P_T: the probability of lava in some years, from the rates of eruptions in the ensemble file. */
struct sciara_ensemble_years {
  double years;
  double limit; /**< a max deposit above this, m (0: any lava) */
  double value; /**< 0 to 1, from the finished members; NaN, as its ends: none of them lies in a zone of the rates */
  double low, high;  /**< ends of the interval of the rates, with the bounds of the probability of an eruption */
  double zero_bound; /**< upper 95 % bound without hits; NaN: none, as in sciara_ensemble_answer */
  size_t hits;       /**< members */
};

/** A quantile over the members that reach a place; NaN if fewer than 10 do. */
struct sciara_ensemble_quantile {
  double quantile;  /**< 0 to 1 */
  double arrival_s; /**< of the first lava, since the start of the eruption */
  double deposit_m; /**< at the end */
};

/** What the members of a vent, of a class of eruptions, or of both do at a place. */
struct sciara_ensemble_contribution {
  const char *vent, *event; /**< names, or numbers where there is no name; "-": any */
  size_t members, hits;     /**< finished members; those that reach the place */
  double weight;            /**< share of all weight */
  double probability;       /**< P(place is reached | vent, class) */
  double share;             /**< P(vent, class | place is reached) */
  double arrival_s;         /**< weighted median over hits; NaN if fewer than 10 */
};

/** What an ensemble says about a place: the results that its file asks for. Later versions append members. */
struct sciara_ensemble_answer {
  size_t members, finished, censored; /**< of weight above 0 */
  double zero_bound; /**< upper 95 % bound of a probability without hits; NaN unless members were drawn, with equal
                          weights in a stratum */
  double earliest_s; /**< of all members; NaN: none reaches the place */
  const struct sciara_ensemble_probability *thickness,
      *within; /**< H of the max deposit, F of the arrival; in ascending order of their limits */
  size_t thickness_count, within_count;
  const struct sciara_ensemble_quantile *quantiles;
  size_t quantile_count;
  const struct sciara_ensemble_contribution *by_vent, *by_event, *by_both; /**< only those with hits */
  size_t by_vent_count, by_event_count, by_both_count;
  bool grid_difference; /**< errors are the grid difference of a full plan, which is no standard error */
  const struct sciara_ensemble_interval *thickness_interval, *within_interval; /**< of `thickness` and `within` */
  const struct sciara_ensemble_years *years; /**< by years, then by limit; none without rates of eruptions */
  size_t years_count;
};

/**
 * Asks the members of all whole batches about the cell of a place.
 *
 * @param x_m, y_m easting and northing in the CRS of the DEM
 * @param out      receives the answer, which never changes; to be released
 * @return SCIARA_ERR_INPUT for a place that no member can reach: outside the grid, in the sea, without an altitude; or if no
 *         batch is whole
 */
SCIARA_API enum sciara_status sciara_ensemble_query(const char *folder, double x_m, double y_m,
                                                    const struct sciara_ensemble_answer **out);

/** What the members of an ensemble do to a place, a feature of a vector file. */
struct sciara_ensemble_asset {
  const char *name;
  const char *kind;  /**< "point", "line" or "zone" */
  const char *state; /**< "land", or why no member can reach it: "sea", "NODATA", "outside", "empty" */
  const struct sciara_ensemble_answer *answer; /**< without contributions; NULL unless it is on land */
};

struct sciara_ensemble_assets {
  const struct sciara_ensemble_asset *asset; /**< in the order of the file */
  size_t count;
};

/**
 * Asks the members of all whole batches about the features of a vector file, as `sciara exposure` does.
 *
 * @param file, layer as of sciara_expose
 * @param out to be released with sciara_ensemble_assets_release
 */
SCIARA_API enum sciara_status sciara_ensemble_expose(const char *folder, const char *file, const char *layer,
                                                     const struct sciara_ensemble_assets **out);

/** NULL is allowed. */
SCIARA_API void sciara_ensemble_assets_release(const struct sciara_ensemble_assets *assets);

/** What judges an ensemble. Zero-initialise; what stays NULL is as `sciara verify` has it by default. */
struct sciara_ensemble_verify_options {
  const char *observed; /**< the mapped extent, polygons or a raster in any CRS; not NULL */
  const char *layer;    /**< of a file with several layers of polygons */
  const char *at;       /**< its simulated time, such as "2 d", or its date */
  const char *since;    /**< time or date of an earlier outline of the file, which stays if nothing moves */
  const char *dates;    /**< field of the file with the dates of its outlines; without `at` */
  const char *region;   /**< only cells of these polygons, or this raster, are judged */
  int threads;          /**< 1 to 1024; 0: one per core */
};

/**
 * Judges the probabilities of an ensemble by what was mapped later, as `sciara verify` does: writes verification.json and
 * verification.csv into the folder.
 *
 * @return SCIARA_ERR_USAGE for a time that is none, or before the members begin; SCIARA_ERR_INPUT if no member is finished, if
 *         members end before the time by a stop rule of their own, or if no cell of the land is observed
 */
SCIARA_API enum sciara_status sciara_ensemble_verify(const char *folder,
                                                     const struct sciara_ensemble_verify_options *options);

/** Releases an answer; NULL is allowed. */
SCIARA_API void sciara_ensemble_release(const struct sciara_ensemble_answer *answer);

#ifdef __cplusplus
}
#endif
#endif
