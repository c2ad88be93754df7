// SPDX-License-Identifier: Apache-2.0
/**
 * @file sciara.h
 * The public interface of libsciara: open an eruption scenario, run or step it, read its fields and its ledger.
 *
 * Every function that can fail returns a `enum sciara_status`; sciara_last_error() then tells why in one sentence,
 * for the calling thread. Nothing here prints or exits. Any number of simulations may live in one process, each used by one
 * thread at a time; simulations in different threads may share a site.
 */
#ifndef SCIARA_H
#define SCIARA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a call came to. The values are the exit codes of the program. */
enum sciara_status {
  SCIARA_OK = 0,
  SCIARA_ERR_USAGE = 2,     /**< the call or the command line makes no sense */
  SCIARA_ERR_INPUT = 3,     /**< a scenario, a DEM or another input is invalid */
  SCIARA_ERR_IO = 4,        /**< reading or writing failed */
  SCIARA_ERR_NUMERIC = 5,   /**< a NaN, or an invariant of the model broken */
  SCIARA_ERR_MEMORY = 6,    /**< memory could not be had */
  SCIARA_ERR_DEVICE = 7,    /**< the engine or its device is not available here */
  SCIARA_ERR_INTERNAL = 70, /**< a defect of this program */
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

/** Where the lava is. Volumes in m3. initial + emitted = liquid + solid + lost, up to rounding. */
struct sciara_ledger {
  double initial_m3; /**< liquid lava given with the scenario */
  double emitted_m3; /**< by the vents so far */
  double liquid_m3;
  double solid_m3;
  double lost_m3;     /**< left the domain through an open rim */
  double residual_m3; /**< initial + emitted - (liquid + solid + lost) */
  double bound_m3;    /**< the largest |residual| that rounding explains */
};

/** Where a simulation stands. */
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

/** A simulation opened from a scenario. */
struct sciara;

/** The ground of simulations: a DEM that was read and classified once. It never changes, so that any number of them share it. */
struct sciara_site;

/** Program and library version, "MAJOR.MINOR.PATCH". */
const char *sciara_version(void);

/**
 * One sentence on what the last failing call of this thread found; "" if none failed. It quotes names and texts of files as
 * they are, with any control characters they hold.
 */
const char *sciara_last_error(void);

/** The standard name of a field ("thickness"), or NULL for a number that is none. */
const char *sciara_field_name(enum sciara_field field);

/**
 * Reads the scenario file and the DEM it names and makes ready to run; writes nothing.
 *
 * @param scenario  path of a scenario JSON file
 * @param overrides `count` strings "a.b=value" that replace keys of the scenario; may be NULL when count is 0
 * @param out       receives the simulation; NULL on failure
 */
enum sciara_status sciara_open(const char *scenario, const char *const *overrides, size_t count, struct sciara **out);

/**
 * Reads the scenario file and the DEM it names, for any number of simulations on that ground: see sciara_open_on.
 *
 * @param scenario  as of sciara_open; only its keys "dem" and "engine.precision" matter, but all must be valid
 * @param overrides as of sciara_open
 * @param out       receives the site, to be released; NULL on failure
 */
enum sciara_status sciara_site_open(const char *scenario, const char *const *overrides, size_t count,
                                    const struct sciara_site **out);

/**
 * sciara_open on a site: neither reads the DEM nor holds the ground again, and computes the same bits. Several threads may
 * call it with one site at the same time. The simulation keeps the site until it is closed, whether the caller has
 * released it or not.
 *
 * SCIARA_ERR_INPUT when the keys "dem" or "engine.precision" of the scenario differ from those with which the site was
 * read. All other keys may differ.
 */
enum sciara_status sciara_open_on(const struct sciara_site *site, const char *scenario, const char *const *overrides,
                                  size_t count, struct sciara **out);

/** Releases the caller's reference to a site, once for each sciara_site_open, in any thread; NULL is allowed. */
void sciara_site_release(const struct sciara_site *site);

/** Does `steps` steps, or fewer if the scenario's stop rule is met first. */
enum sciara_status sciara_step(struct sciara *s, uint64_t steps);

/** Runs until the scenario's own stop rule is met. Writes no file. */
enum sciara_status sciara_run(struct sciara *s);

/** Where the simulation stands. */
void sciara_read_progress(const struct sciara *s, struct sciara_progress *out);

/** Size and place of the grid. */
void sciara_read_grid(const struct sciara *s, struct sciara_grid_info *out);

/**
 * Copies a field into `out`, rows x cols doubles, row-major, northern row first. Cells outside the DEM hold -9999.
 *
 * @param capacity doubles that `out` can take; SCIARA_ERR_USAGE if fewer than rows x cols
 */
enum sciara_status sciara_read_field(struct sciara *s, enum sciara_field field, double *out, size_t capacity);

/** The ledger of the lava as it stands. */
enum sciara_status sciara_read_ledger(struct sciara *s, struct sciara_ledger *out);

/** 64 bits over the whole double state: the same for the same state, whatever the engine or thread count. */
enum sciara_status sciara_checksum(struct sciara *s, uint64_t *out);

/** Releases the simulation; NULL is allowed. */
void sciara_close(struct sciara *s);

#ifdef __cplusplus
}
#endif
#endif
