// SPDX-License-Identifier: Apache-2.0
// What a run will take and leave: memory before it is taken, snapshots before they are written.
#ifndef SCIARA_RUN_FORECAST_H
#define SCIARA_RUN_FORECAST_H

#include "engine/engine.h"
#include "scenario/scenario.h"

/** All sizes in bytes. */
struct sciara_forecast {
  bool made;        ///< false: a scenario was refused before there was anything to predict
  size_t available; ///< host memory that was free before the DEM was read; 0: unknown

  // Host memory at its highest: the sum of these.
  size_t program; ///< the program, GDAL, PROJ and HDF5
  size_t site;    ///< ground and kinds of the cells, which all states share; 0: in memory before
  size_t state;   ///< the state between the engine and the files
  size_t engine;  ///< of the engine, with the lava as wide as it may come to be; 0 when it does not tell
  size_t writing; ///< the largest of a snapshot, a checkpoint and a map; and the states on their way to the disk

  size_t checkpoint; ///< part of `writing`: what a checkpoint takes, which a signal may ask for at any time

  size_t device; ///< memory of the GPU that the engine takes
  bool engine_tells;

  double wet; ///< cells that the lava may come to cover

  // Snapshots.
  double snapshots;            ///< at most so many; INFINITY: no end of the run is given
  double snapshots_while_vent; ///< at least so many until the last vent is silent, unless the run is ended before
  size_t snapshot;             ///< of this order once all lava is out
  size_t snapshot_most;        ///< no larger than this
};

/** Host memory in all. */
size_t sciara_forecast_host(const struct sciara_forecast *f);

/** Host memory of an engine, bytes, with lava on `wet` cells. @param device of the GPU; may be NULL. 0 where it does not tell. */
size_t sciara_forecast_engine(const struct sciara_engine_ops *ops, const struct sciara_grid *grid, unsigned record,
                              double wet, size_t *device);

/** Which optional fields of the state a scenario records: bits of enum sciara_record. */
unsigned sciara_scenario_record(const struct sciara_scenario *s);

/**
 * Predicts a run.
 *
 * @param ops NULL: the engine is not known, its part is left out
 */
struct sciara_forecast sciara_forecast_make(const struct sciara_scenario *s, const struct sciara_grid *grid,
                                            const struct sciara_vents *vents, const struct sciara_engine_ops *ops,
                                            size_t available);

/** SCIARA_ERR_MEMORY when what the run has yet to take is more than what is free; `name` is that of the scenario. */
enum sciara_status sciara_forecast_check(const struct sciara_forecast *f, const char *name);

#endif
