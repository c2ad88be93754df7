// SPDX-License-Identifier: Apache-2.0
// The interface between the simulation and the engines that execute its steps.
//
// A new engine needs one source file that ends in its ops table, one line in engine_list.def and one line in CMake. The
// command line, the tests and the benchmark then include it automatically (docs/engines.md).
#ifndef SCIARA_ENGINE_ENGINE_H
#define SCIARA_ENGINE_ENGINE_H

#include "base/isa.h"
#include "base/setting.h"
#include "model/params.h"
#include "model/state.h"
#include "model/terms.h"
#include "model/vents.h"
#include "model/window.h"

SCIARA_BEGIN_DECLS

struct sciara_comm;
struct sciara_engine_ops;

/**
 * How close the results of an engine are to those of `serial` in the same precision; checked by the conformance suite.
 */
enum sciara_determinism {
  SCIARA_EXACT,     ///< bit-identical
  SCIARA_TOLERANCE, ///< within a tolerance: floating-point atomics or fast math
};

enum sciara_capability {
  SCIARA_CAN_THREADS = 1, ///< uses sciara_engine_setup.threads
  SCIARA_CAN_DEVICE = 2,  ///< runs on a GPU
  SCIARA_FOR_TESTS = 4,   ///< correct but slow: never chosen by "auto"
};

/** The memory from which the threads of a block read data that several of them need. */
enum sciara_memory_path { SCIARA_MEMORY_DEFAULT, SCIARA_MEMORY_GLOBAL, SCIARA_MEMORY_SHARED };

/** How the bands of engine cuda-bands exchange rows and agree. */
enum sciara_band_exchange {
  SCIARA_EXCHANGE_DEFAULT, ///< the first of these that works here
  SCIARA_EXCHANGE_PEER,    ///< the GPUs write into each other's memory
  SCIARA_EXCHANGE_NCCL,
  SCIARA_EXCHANGE_HOST, ///< through memory of the host
};

/** The order in which the donors of engine scatter add to their neighbours. */
enum sciara_scatter_order {
  SCIARA_SCATTER_DEFAULT, ///< by rows
  SCIARA_SCATTER_ROWS,
  SCIARA_SCATTER_COLUMNS,
  SCIARA_SCATTER_ROWS_BACKWARD,
  SCIARA_SCATTER_COLUMNS_BACKWARD,
  SCIARA_SCATTER_MIXED,                        ///< another one in each step, as with atomic additions
  SCIARA_SCATTER_ORDERS = SCIARA_SCATTER_MIXED ///< number of orders
};

/**
 * The options of an engine: one int for each line of engine_options.def; 0: the engine's default. The values of
 * `memory` are enum sciara_memory_path, those of `isa` enum sciara_isa, those of `order` enum sciara_scatter_order, those of `exchange` enum
 * sciara_band_exchange.
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

/** The cost of the steps since an upload. */
struct sciara_engine_profile {
  double seconds[SCIARA_PROCESSES]; ///< of the timed steps
  uint64_t timed_steps;             ///< an engine may time only some of the steps
  uint64_t launched;                ///< GPU threads launched for time evaluation, summed over all steps; 0 on the CPU
};

/** The setup of an engine. The pointers must outlive the engine. */
struct sciara_engine_setup {
  const struct sciara_params *params;
  const struct sciara_vents *vents;
  enum sciara_boundary boundary;
  int threads; ///< 0: as many as are worthwhile, at most as many as `threads` below
  int device;  ///< number of the GPU, for engines that use one (engine/device_info.h)
  struct sciara_engine_options options;
  int64_t halo_north, halo_south; ///< for a band, the rows of other bands, see struct sciara_engine_phases; else 0
  bool profile;                   ///< `profile` will be called: the engine times the steps
  bool keeps;                     ///< `keep` will be called: the engine reserves memory for it
  struct sciara_comm *comm;       ///< of a banded engine (engine/banded.h): its ranks; else NULL
  const struct sciara_engine_ops *inner; ///< of a banded engine: that of each band; else NULL
};

/** Why `advance` returned. Which of these end a simulation, with their texts: sim/end.h. */
enum sciara_stop_reason {
  SCIARA_STOP_NONE,
  SCIARA_STOP_STEPS,
  SCIARA_STOP_TIME,
#define SCIARA_STOP(IDENTIFIER, ...) SCIARA_STOP_##IDENTIFIER,
  SCIARA_EACH_STOP_RULE(SCIARA_STOP) // those that engines do not test are set by their caller (sim/end.h)
#undef SCIARA_STOP
  SCIARA_STOP_STALLED,  ///< the clock is lost in the rounding of the simulated time, so the time stands still: an error
  SCIARA_STOP_THICK,    ///< a cell is thicker than the given thickness: an error for a run
  SCIARA_STOP_WALL,     ///< max_wall_ms has passed: call again
  SCIARA_STOP_CANCEL,   ///< *cancel was set
  SCIARA_STOP_RING,     ///< of a slot: lava has come next to the ring of its grid, see struct sciara_engine_slots
  SCIARA_STOP_REACHED,  ///< of a slot: stop.reached
  SCIARA_STOP_OUTGROWN, ///< of a pool: the member continues faster in another engine (member/crew.h)
};

/**
 * Whether a step of `clock` s changes the simulated time, s. If it does not, later steps do not either: lava would flow
 * while no time passes, and the stop rule for time would never apply. NaN: no.
 */
SCIARA_HD bool sciara_time_grows(double time, double clock) { return time + clock > time; }

/** When `advance` has to return; tested at the end of each step and before the first. */
struct sciara_stop {
  uint64_t steps;       ///< if progress.step >= steps; UINT64_MAX: never
  double time;          ///< if simulated time >= time, s; INFINITY: never
  bool solidified;      ///< if no cell is liquid and no vent will emit again
  double thickness;     ///< if a cell has more liquid lava than this at the end of a step, m; 0: never. Not tested
                        ///< before the first step
  uint64_t reached;     ///< of a slot: if progress.reached >= reached; 0: never
  unsigned max_wall_ms; ///< after this wall-clock time; 0: 100
  const int *cancel;    ///< if *cancel (read atomically) is not 0; may be NULL
};

/** Progress of an engine. `bad` describes the error of a failed `advance`. */
struct sciara_engine_progress {
  uint64_t step;
  double time;    ///< s
  double clock;   ///< s
  double emitted; ///< m3
  int64_t liquid_cells;
  uint64_t solidifications; ///< cells whose lava solidified
  uint64_t losses;          ///< number of times that lava left through a rim cell
  uint64_t sea_losses;      ///< number of times that lava entered a cell of the sea
  uint64_t reached;         ///< of a slot: cells into which lava has flowed for the first time, since it was loaded
  uint64_t cell_steps;      ///< since upload: liquid cells after emission, summed over the steps (the unit of cost)
  enum sciara_stop_reason reason;
  bool thick; ///< a cell had more lava than stop.thickness at the end of the last step; false if it was not given
  struct {
    uint64_t step;    ///< the step in which the error was found, counted from 1
    int64_t row, col; ///< the first bad cell in row-major order; -1 if no single cell is bad
  } bad;
};

/** Rows on one side of a halo: one from which lava flows into the band, and one on which this flow depends. */
enum { SCIARA_HALO_ROWS = 2 };

/**
 * A step in phases, for callers that divide a map into bands of rows with one engine per band, or that need t_opt
 * before the lava moves. Each step consists of: `unpack` if the grid has a halo, `evaluate`, the minimum of t_opt over
 * all bands, `move` with this minimum, `pack`. A whole map is one band without a halo. Its steps in phases are
 * bit-identical to those of `advance`, and the caller may alternate between both.
 *
 * A band is a grid that consists of its own rows and of a halo: SCIARA_HALO_ROWS rows on each side on which the map
 * continues in another band (setup.halo_north, setup.halo_south). In the state for `upload` each cell has the kind that
 * it has in the whole map, not one classified within the band. setup.vents has all vents in the rows of the grid,
 * including the halo. The engine computes the own rows and reads the halo. From `move` to the next `unpack` the
 * contents of the halo rows are undefined; `download` may copy them anyway. Totals in progress and in the state include
 * the own rows only. `advance` on a band with a halo is SCIARA_ERR_INTERNAL.
 *
 * A call in the wrong order or with wrong rows is SCIARA_ERR_INTERNAL and changes nothing. Between `evaluate` and
 * `move` only `upload` and `destroy` may be called. After SCIARA_ERR_MEMORY, SCIARA_ERR_DEVICE and SCIARA_ERR_NUMERIC
 * the state is undefined.
 */
struct sciara_engine_phases {
  /**
   * gamma, then s = s + t with the clock of the last step, then time evaluation. *t_opt: the smallest time of the cells
   * of the band, s, at most t_max, and t_max without lava; not relaxed. Invalid numbers are reported by `move`.
   * `thickness`, m: `move` sets progress->thick if a cell has more liquid lava; 0: never.
   */
  enum sciara_status (*evaluate)(void *engine, double thickness, double *t_opt);
  /**
   * The rest of the step, with the clock relaxation * t_opt, computed in the engine's precision. `t_opt`, s: the
   * smallest result of `evaluate` of all bands. `progress` is as after an `advance` of one step, with the reason
   * SCIARA_STOP_NONE: the caller applies the stop rule (engine/stop_rule.h). SCIARA_ERR_NUMERIC: see progress->bad.
   */
  enum sciara_status (*move)(void *engine, double t_opt, struct sciara_engine_progress *progress);
  /** Bytes of a packed row of the uploaded grid: its z, h, T, px and py. Equal for all engines of a precision. */
  size_t (*row_bytes)(const void *engine);
  /**
   * Writes the own rows [row, row + count) into a host buffer of count * row_bytes bytes, aligned as from malloc. To be
   * called between steps.
   */
  enum sciara_status (*pack)(void *engine, int64_t row, int64_t count, void *buffer);
  /** Reads rows [row, row + count), of one side of the halo, from such a buffer. To be called between steps. */
  enum sciara_status (*unpack)(void *engine, int64_t row, int64_t count, const void *buffer);
  int64_t tile_rows; ///< bands begin at multiples of so many rows where the map has enough of them; at least 1
};

/** The setup of slots. */
struct sciara_slots_setup {
  enum sciara_boundary boundary;
  int device;      ///< number of the GPU, for engines that use one
  int slots;       ///< the largest number of members at a time, at least 1
  unsigned record; ///< bits of enum sciara_record: what every state records
  int64_t cells;   ///< of a grid for which memory of each slot may be taken at once; 0: not known
  struct sciara_engine_options options;
  size_t host_bytes, device_bytes; ///< limits of the memory of all slots; 0: none
};

/**
 * Many simulations at a time, called members: each in a slot of its own, with its own grid, parameters, vents, clock
 * and stop rule. A member has the bits that the engine gives it alone. One thread at a time may call these functions
 * for the slots of one `create`, with one exception: while a thread is in `advance` with `takes_part`, another one may
 * call load, download or clear for slots that do not take part.
 */
struct sciara_engine_slots {
  enum sciara_status (*create)(const struct sciara_slots_setup *setup, void **slots);
  void (*destroy)(void *slots);
  /**
   * Loads a member into a slot, in place of the one that was there. The arguments are read during the call only.
   *
   * `sides`: bits of enum sciara_side, those on which the map continues beyond the grid. The slot stops at the end
   * of the step in which a cell next to the outermost row or column of such a side becomes liquid, and before the first
   * step if one is liquid already, with the reason SCIARA_STOP_RING: lava moves one cell in a step, so up to then the
   * steps are those of the whole map. SCIARA_ERR_INTERNAL for a slot that does not exist, a state that does not record
   * what the setup says, parameters of another rule, or a vent so close to such a side. After an error the slot is empty.
   */
  enum sciara_status (*load)(void *slots, int slot, const struct sciara_params *params,
                             const struct sciara_vents *vents, const struct sciara_state *state, unsigned sides);
  /**
   * Advances the loaded slots that take part until a condition of stops[slot] is true, or lava is next to its ring, or until
   * about the longest max_wall_ms of these slots has passed (SCIARA_STOP_WALL: call again); *cancel of one slot stops all.
   * Returning early and continuing later never changes a bit. All arrays have an entry for each slot; `takes_part` may
   * be NULL: all loaded ones do. Entries of other slots are neither read nor written. An error in a slot is not one of
   * the others: progress[slot].bad.step is not 0, or the reason is SCIARA_STOP_STALLED. The state is then as after `advance`
   * of an engine, and the slot does not advance until it is loaded again.
   */
  enum sciara_status (*advance)(void *slots, const bool takes_part[], const struct sciara_stop stops[],
                                struct sciara_engine_progress progress[]);
  /** Writes fields, time, clock, step and totals of a loaded slot into a state of the same grid. */
  enum sciara_status (*download)(void *slots, int slot, struct sciara_state *state);
  /** Empties a slot. */
  void (*clear)(void *slots, int slot);
  /**
   * Number of slots for grids of `cells` cells with which the device is well used and which fit its free memory.
   * *bytes: device memory of one such slot that records everything. 0: the device cannot be used.
   */
  int (*count)(int device, int64_t cells, size_t *bytes);
  /**
   * Whether `count` members with so many liquid cells, the only ones left, end sooner in engines of the kind `successor`,
   * one step of each alternately. Absent, as `successor`: never.
   */
  bool (*outgrown)(const void *slots, const int64_t liquid[], int count);
  const char *successor;      ///< name of that engine, of the same device, if it has the rule
  enum sciara_rule_kind rule; ///< of all members
  bool single_precision;      ///< of all members
};

/** Number of states that an engine can keep at a time, each in a buffer. */
enum { SCIARA_BUFFERS = 2 };

/** A typed table of functions. `engine` is the result of `create`. */
struct sciara_engine_ops {
  const char *name;
  const char *summary; ///< one line for the user
  unsigned capabilities;
  enum sciara_determinism determinism;
  const char *options; ///< names of the lines of engine_options.def that it supports, separated by blanks; NULL: none

  // Required.
  enum sciara_status (*create)(const struct sciara_engine_setup *setup, void **engine);
  void (*destroy)(void *engine);
  /** Loads a state: fields, time, clock, step, totals. May be called again. */
  enum sciara_status (*upload)(void *engine, const struct sciara_state *state);
  /** Writes fields, time, clock, step and totals into a state of the same grid. */
  enum sciara_status (*download)(void *engine, struct sciara_state *state);
  /**
   * Executes steps until a condition of `stop` is true, without returning in between. Returning early and continuing
   * later never changes a bit. SCIARA_ERR_NUMERIC: see progress->bad. The state is then undefined, unless
   * progress->reason is SCIARA_STOP_STALLED: then it is the state at the end of the last step.
   */
  enum sciara_status (*advance)(void *engine, const struct sciara_stop *stop, struct sciara_engine_progress *progress);

  // Optional.
  /**
   * The largest number of threads for a request of `requested`; 0: as many as environment or cores allow. Absent: one.
   */
  int (*threads)(int requested);
  /** Why the engine cannot run on this machine, or NULL if it can. Absent: it always can. */
  const char *(*probe)(void);
  /** Bytes of host and device memory for a grid. Absent: unknown. */
  void (*memory)(const struct sciara_grid *grid, unsigned record, size_t *host, size_t *device);
  /**
   * Largest number of bytes of host memory for each liquid cell, in addition to those of `memory`. Absent: none.
   */
  size_t (*memory_of_lava)(unsigned record);
  /** The cost of the steps so far; needs setup.profile. Absent: unknown. */
  enum sciara_status (*profile)(void *engine, struct sciara_engine_profile *out);
  /**
   * Keeps a copy of the current state in buffer 0 or 1, which must be free; needs setup.keeps. Returns before the copy
   * has left the device: the following steps do not wait for it and do not change it. This function and the next two
   * may be absent: then the caller uses `download`, and the steps wait.
   */
  enum sciara_status (*keep)(void *engine, int buffer);
  /**
   * Waits for the kept state to arrive and writes it into `state`; the buffer is then free. Another thread may call this
   * function during steps, but not during upload or destroy.
   */
  enum sciara_status (*collect)(void *engine, int buffer, struct sciara_state *state);
  /** Bytes that setup.keeps needs in addition to those of `memory`. */
  void (*keep_memory)(const struct sciara_grid *grid, unsigned record, size_t *host, size_t *device);
  /** A step in phases. Absent: only `advance`, on whole maps. */
  const struct sciara_engine_phases *phases;
  /** Many simulations at a time. Absent: the caller uses an engine for each. */
  const struct sciara_engine_slots *slots;
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
  /// By rule and enum sciara_precision; NULL if not compiled, or if the engine does not have the rule.
  const struct sciara_engine_ops *ops[SCIARA_RULES][SCIARA_PRECISIONS];
  unsigned rules;      ///< bits 1 << enum sciara_rule_kind of the rules that it has
  const char *why_not; ///< why it was not compiled; NULL if it was
};

/** The list of engines, compiled or not, in the order of engine_list.def. */
const struct sciara_engine_entry *sciara_engine_list(size_t *count);

/**
 * Finds an engine by name.
 *
 * SCIARA_ERR_USAGE for an unknown name (with a similar name as a suggestion) or an engine without the rule (with those
 * that have it), SCIARA_ERR_DEVICE if the engine is not compiled or cannot run here.
 */
enum sciara_status sciara_engine_find(const char *name, enum sciara_rule_kind rule, enum sciara_precision precision,
                                      const struct sciara_engine_ops **out);

/** Largest number of threads that an engine (NULL: not known yet) uses for `requested`; 0: as sciara_engine_ops.threads. */
static inline int sciara_engine_threads(const struct sciara_engine_ops *ops, int requested) {
  return ops && ops->threads ? ops->threads(requested) : 1;
}

/** The options of all engines, compiled or not: offsets are those in struct sciara_engine_options. */
struct sciara_settings sciara_engine_settings(void);

/** Whether the engine supports the option of that name. */
bool sciara_engine_follows(const struct sciara_engine_ops *ops, const char *option);

/**
 * Sets one option from "NAME=VALUE", or both sides of a block from "block=WIDTHxHEIGHT". The message of
 * SCIARA_ERR_USAGE states what was found and what is expected.
 */
enum sciara_status sciara_engine_option_parse(const char *text, struct sciara_engine_options *out);

/**
 * SCIARA_ERR_USAGE if the engine does not support one of the given options, or for a block that no GPU can launch.
 * SCIARA_ERR_DEVICE for instructions that this processor does not support.
 */
enum sciara_status sciara_engine_options_check(const struct sciara_engine_ops *ops,
                                               const struct sciara_engine_options *options);

/** "double", "single" or "single, fast math". */
const char *sciara_precision_name(enum sciara_precision precision);

/** The engine that "auto" means without a GPU. It has every rule. */
#define SCIARA_ENGINE_AUTO_HOST "openmp"

/**
 * The engine that "auto" means for a rule on this machine: the fused CUDA engine if it is compiled and there is a GPU,
 * else SCIARA_ENGINE_AUTO_HOST.
 */
const char *sciara_engine_auto(enum sciara_rule_kind rule);

SCIARA_END_DECLS
#endif
