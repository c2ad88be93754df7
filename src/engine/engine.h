// SPDX-License-Identifier: Apache-2.0
// The contract between the simulation and whatever executes its steps.
//
// Adding an engine: one source file that ends in its ops table, one line in engine_list.def, its line in CMake. The
// command line, the tests and the benchmark follow by themselves (docs/engines.md).
#ifndef SCIARA_ENGINE_ENGINE_H
#define SCIARA_ENGINE_ENGINE_H

#include "base/isa.h"
#include "base/setting.h"
#include "model/params.h"
#include "model/state.h"
#include "model/vents.h"

SCIARA_BEGIN_DECLS

/** How close to `serial` of the same precision an engine's results are; enforced by the conformance suite. */
enum sciara_determinism {
  SCIARA_EXACT,     ///< the same bits
  SCIARA_TOLERANCE, ///< floating-point atomics or fast-math: held to a tolerance
};

enum sciara_capability {
  SCIARA_CAN_THREADS = 1, ///< uses sciara_engine_setup.threads
  SCIARA_CAN_DEVICE = 2,  ///< runs on a GPU
  SCIARA_FOR_TESTS = 4,   ///< correct but slow: never chosen by "auto"
};

/** From where the threads of a block read what several of them need. */
enum sciara_memory_path { SCIARA_MEMORY_DEFAULT, SCIARA_MEMORY_GLOBAL, SCIARA_MEMORY_SHARED };

/** In which order the donors of engine scatter add to their neighbours. */
enum sciara_scatter_order {
  SCIARA_SCATTER_DEFAULT, ///< by rows
  SCIARA_SCATTER_ROWS,
  SCIARA_SCATTER_COLUMNS,
  SCIARA_SCATTER_ROWS_BACKWARD,
  SCIARA_SCATTER_COLUMNS_BACKWARD,
  SCIARA_SCATTER_ORDERS = SCIARA_SCATTER_COLUMNS_BACKWARD ///< how many there are
};

/**
 * How an engine works where it leaves a choice: one int for each line of engine_options.def; 0: the engine's own. The values of
 * `memory` are enum sciara_memory_path, those of `isa` enum sciara_isa, those of `order` enum sciara_scatter_order.
 */
struct sciara_engine_options {
#define SCIARA_ENGINE_OPTION(name, ...) int name;
#include "engine/engine_options.def"
#undef SCIARA_ENGINE_OPTION
};

/** The elementary processes in the order of a step. */
enum sciara_process {
  SCIARA_PROCESS_VENTS,
  SCIARA_PROCESS_TIME_EVALUATION,
  SCIARA_PROCESS_FLOWS,
  SCIARA_PROCESS_MASS_AND_MOMENTUM,
  SCIARA_PROCESS_TEMPERATURE,
  SCIARA_PROCESS_OTHER, ///< bookkeeping: boxes, lists, the clock, the stop rule
  SCIARA_PROCESSES
};

/** What the steps since an upload cost. */
struct sciara_engine_profile {
  double seconds[SCIARA_PROCESSES]; ///< of the timed steps
  uint64_t timed_steps;             ///< an engine may time some steps only
  uint64_t launched;                ///< GPU threads given to time evaluation, summed over all steps; 0 on the CPU
};

/** What an engine is made for. The pointers must outlive the engine. */
struct sciara_engine_setup {
  const struct sciara_params *params;
  const struct sciara_vents *vents;
  enum sciara_boundary boundary;
  int threads; ///< 0: as many as there is work for, at most as many as `threads` below
  int device;  ///< number of the GPU of an engine that runs on one (engine/device_info.h)
  struct sciara_engine_options options;
  int64_t halo_north, halo_south; ///< of a band, see struct sciara_engine_phases: rows of other bands; else 0
  bool profile;                   ///< `profile` will be called: time the steps
  bool keeps;                     ///< `keep` will be called: have room for that
};

/** Why `advance` came back. */
enum sciara_stop_reason {
  SCIARA_STOP_NONE,
  SCIARA_STOP_STEPS,
  SCIARA_STOP_TIME,
  SCIARA_STOP_SOLIDIFIED,
  SCIARA_STOP_STALLED, ///< the clock is lost beside the simulated time, which no step would change: an error
  SCIARA_STOP_WALL,    ///< max_wall_ms is over: call again
  SCIARA_STOP_CANCEL,  ///< *cancel was set
};

/**
 * Whether a step of `clock` s changes the simulated time, s. Where it does not, nor will the next: the stop rule for time is
 * never met, and lava flows in no time. NaN: no.
 */
SCIARA_HD bool sciara_time_grows(double time, double clock) { return time + clock > time; }

/** When `advance` shall come back; tested at the end of each step (and before the first). */
struct sciara_stop {
  uint64_t steps;       ///< when progress.step >= steps; UINT64_MAX: never
  double time;          ///< when simulated time >= time, s; INFINITY: never
  bool solidified;      ///< when no cell is liquid and no vent will emit again
  unsigned max_wall_ms; ///< after this long; 0: 100
  const int *cancel;    ///< when *cancel (read atomically) is not 0; may be NULL
};

/** Where an engine stands. `bad` tells of a failed `advance`. */
struct sciara_engine_progress {
  uint64_t step;
  double time;    ///< s
  double clock;   ///< s
  double emitted; ///< m3
  int64_t liquid_cells;
  uint64_t solidifications; ///< cells that turned to rock
  uint64_t losses;          ///< times that lava left through a rim cell
  uint64_t cell_steps;      ///< since upload: liquid cells after the vents, summed over the steps (the unit of cost)
  enum sciara_stop_reason reason;
  struct {
    uint64_t step;    ///< the step in which it was found, counted from 1
    int64_t row, col; ///< the first bad cell in row-major order; -1 when the whole is bad
  } bad;
};

/** Rows of a halo: those from which lava flows into the rows of a band, and those on which its flow depends. */
enum { SCIARA_HALO_ROWS = 2 };

/**
 * A step in phases, for whoever computes a map in bands of rows, each on an engine of its own, or needs to know t_opt before
 * the lava moves. For each step: `unpack` where the grid has a halo, `evaluate`, the minimum of t_opt over all bands, `move`
 * with it, `pack`. A whole map is one band without a halo; its steps are those of `advance`, bit by bit, and the two may
 * alternate.
 *
 * A band is a grid of its own rows with a halo of SCIARA_HALO_ROWS rows on each side where another band continues the map
 * (setup.halo_north, setup.halo_south). In the state for `upload` each cell has the kind that it has in the whole map, not one
 * classified within the band; setup.vents has all vents in the rows of the grid, those of the halo too. The engine computes its
 * own rows. It reads the halo's, and after `move` they hold nothing of use until the next `unpack`: `download` gives them
 * as they are. Totals in progress and in the state count the own rows alone. `advance` on a band with a halo is
 * SCIARA_ERR_INTERNAL.
 *
 * A call out of order or for other rows than allowed is SCIARA_ERR_INTERNAL and changes nothing; between `evaluate` and `move`
 * no other function of the engine may be called but `upload` and `destroy`. After SCIARA_ERR_MEMORY,
 * SCIARA_ERR_DEVICE and SCIARA_ERR_NUMERIC the state is of no use.
 */
struct sciara_engine_phases {
  /**
   * gamma, then s = s + t, with the clock of the last step; then time evaluation. *t_opt: the time that the lava of the band
   * allows, s, at most t_max, and t_max without lava; not relaxed. Numbers that lava cannot have are reported by `move`.
   */
  enum sciara_status (*evaluate)(void *engine, double *t_opt);
  /**
   * The rest of the step, with the clock relaxation * t_opt, formed in the engine's precision. `t_opt`, s: the smallest that
   * `evaluate` gave, of all bands. `progress` is as after an `advance` of one step, with the reason SCIARA_STOP_NONE: stop rules
   * are the caller's (engine/stop_rule.h). SCIARA_ERR_NUMERIC: see progress->bad.
   */
  enum sciara_status (*move)(void *engine, double t_opt, struct sciara_engine_progress *progress);
  /** Bytes of a packed row of the uploaded grid: its z, h, T, px and py. The same for all engines of a precision. */
  size_t (*row_bytes)(const void *engine);
  /**
   * Writes rows [row, row + count), own ones, into a buffer of the host of count * row_bytes bytes, aligned as from malloc.
   * Between steps.
   */
  enum sciara_status (*pack)(void *engine, int64_t row, int64_t count, void *buffer);
  /** Takes rows [row, row + count), of one side of the halo, from such a buffer. Between steps. */
  enum sciara_status (*unpack)(void *engine, int64_t row, int64_t count, const void *buffer);
};

/** States that an engine keeps at once. */
enum { SCIARA_PLACES = 2 };

/** A typed table of functions. `engine` is what create made. */
struct sciara_engine_ops {
  const char *name;
  const char *summary; ///< one line for people
  unsigned capabilities;
  enum sciara_determinism determinism;
  const char *options; ///< names of the lines of engine_options.def that it follows, with blanks between; NULL: none

  // Required.
  enum sciara_status (*create)(const struct sciara_engine_setup *setup, void **engine);
  void (*destroy)(void *engine);
  /** Takes over a state: fields, time, clock, step, totals. May be called again. */
  enum sciara_status (*upload)(void *engine, const struct sciara_state *state);
  /** Writes fields, time, clock, step and totals into a state of the same grid. */
  enum sciara_status (*download)(void *engine, struct sciara_state *state);
  /**
   * Does steps until `stop` says so, without returning in between. Stopping early and coming back never changes a bit.
   * SCIARA_ERR_NUMERIC: see progress->bad; the state is then of no use, unless progress->reason is SCIARA_STOP_STALLED:
   * then it is that of the end of the last step.
   */
  enum sciara_status (*advance)(void *engine, const struct sciara_stop *stop, struct sciara_engine_progress *progress);

  // Optional.
  /** The most threads it uses if it is to use `requested`; 0: as the environment or the cores allow. Absent: one. */
  int (*threads)(int requested);
  /** Why the engine cannot run here, or NULL when it can. Absent: it always can. */
  const char *(*probe)(void);
  /** Bytes of host and device memory for a grid. Absent: unknown. */
  void (*memory)(const struct sciara_grid *grid, unsigned record, size_t *host, size_t *device);
  /**
   * Bytes of host memory that it takes at its most for each liquid cell, beside what `memory` tells. Absent: none, the
   * lava needs no more.
   */
  size_t (*memory_of_lava)(unsigned record);
  /** What the steps cost so far; needs setup.profile. Absent: not known. */
  enum sciara_status (*profile)(void *engine, struct sciara_engine_profile *out);
  /**
   * Keeps the state as it stands in place 0 or 1, where none is kept; needs setup.keeps. Comes back before the state has
   * left the device: the steps that follow do not wait for it, and do not change it. Absent, with the two below: whoever
   * wants a state calls `download`, and the steps wait.
   */
  enum sciara_status (*keep)(void *engine, int place);
  /**
   * Writes what was kept there into a state, once it has arrived; the place is then free. Another thread may call it
   * while steps are done, but not during upload or destroy.
   */
  enum sciara_status (*collect)(void *engine, int place, struct sciara_state *state);
  /** Bytes that setup.keeps takes beside what `memory` tells. */
  void (*keep_memory)(const struct sciara_grid *grid, unsigned record, size_t *host, size_t *device);
  /** A step in phases. Absent: `advance` alone, on whole maps. */
  const struct sciara_engine_phases *phases;
};

enum sciara_precision {
  SCIARA_DOUBLE,
  SCIARA_SINGLE_PRECISION,
  SCIARA_FAST_MATH, ///< single, with the GPU's approximate functions and contraction
  SCIARA_PRECISIONS
};

/** One line of the list of engines. */
struct sciara_engine_entry {
  const char *name;
  const struct sciara_engine_ops *ops[SCIARA_PRECISIONS]; ///< by enum sciara_precision; NULL when not compiled
  const char *why_not;                                    ///< why it was not compiled; NULL when it was
};

/** The list of engines, compiled or not, in the order of engine_list.def. */
const struct sciara_engine_entry *sciara_engine_list(size_t *count);

/**
 * The engine of that name, available here.
 *
 * SCIARA_ERR_USAGE for an unknown name (the closest is suggested), SCIARA_ERR_DEVICE when it is not compiled or not available.
 */
enum sciara_status sciara_engine_find(const char *name, enum sciara_precision precision,
                                      const struct sciara_engine_ops **out);

/** The options of all engines, compiled or not: offsets are those in struct sciara_engine_options. */
struct sciara_settings sciara_engine_settings(void);

/** Whether the engine follows the option of that name. */
bool sciara_engine_follows(const struct sciara_engine_ops *ops, const char *option);

/**
 * Sets one option from "NAME=VALUE", or both sides of a block from "block=WIDTHxHEIGHT". SCIARA_ERR_USAGE names what was found and
 * what is allowed.
 */
enum sciara_status sciara_engine_option_parse(const char *text, struct sciara_engine_options *out);

/**
 * SCIARA_ERR_USAGE when the engine does not have one of the options given, or for a block no GPU can launch;
 * SCIARA_ERR_DEVICE for instructions that this processor does not have.
 */
enum sciara_status sciara_engine_options_check(const struct sciara_engine_ops *ops,
                                               const struct sciara_engine_options *options);

/** "double", "single" or "single, fast math". */
const char *sciara_precision_name(enum sciara_precision precision);

/** What "auto" stands for here: the fused CUDA engine where there is one and a GPU, else openmp. */
const char *sciara_engine_auto(void);

SCIARA_END_DECLS
#endif
