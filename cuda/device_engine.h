// SPDX-License-Identifier: Apache-2.0
// The common part of all CUDA engines; an engine adds its iteration space and its kernel launches.
#ifndef SCIARA_CUDA_DEVICE_ENGINE_H
#define SCIARA_CUDA_DEVICE_ENGINE_H

#include <cuda_runtime.h>

#include "arena.h"
#include "device_fields.h"
#include "engine/host_fields.h"
#include "engine/step_control.h"

/** How outflows reach the neighbours; determines the arrays that exist. */
enum sciara_exchange { SCIARA_GATHER, SCIARA_SCATTER, SCIARA_OWN_EXCHANGE };

/** The specific part of an engine. `engine` is its struct, which begins with a struct sciara_device_engine. */
struct sciara_device_strategy {
  const char *name;
  size_t size; ///< of the engine's struct
  enum sciara_exchange exchange;
  int block_width, block_height;                            ///< the defaults of the options
  void (*layout)(void *engine, struct sciara_arena *arena); ///< allocates its own device arrays; NULL: none
  enum sciara_status (*prepare)(void *engine);              ///< initialises them after an upload; NULL: nothing to do
  enum sciara_status (*before)(void *engine, cudaStream_t stream); ///< kernels before a graph of steps; NULL: none
  enum sciara_status (*launch)(void *engine, cudaStream_t stream); ///< the kernels of one step
  // Instead of `before` and `launch`, in engines whose steps are not sequences of kernels:
  enum sciara_status (*run)(void *engine) = nullptr;  ///< queues some steps
  enum sciara_status (*done)(void *engine) = nullptr; ///< called after these steps, when the control has been read
  void (*release)(void *engine) = nullptr;            ///< releases memory that is not from `layout`; called twice
  size_t (*scratch)(void *engine) = nullptr; ///< bytes of this memory at the start; may be called without a device
};

enum { SCIARA_GRAPH_STEPS = 32 }; ///< steps between two checks by the host

/** A kept state, in transfer to the host or already there. */
struct sciara_device_buffer {
  char *bytes;                             ///< pinned, on the host: the fields one after the other
  cudaEvent_t arrived;                     ///< recorded when the transfer is complete
  struct sciara_step_control step_control; ///< as it was when the state was kept
};

struct sciara_device_engine {
  const struct sciara_device_strategy *strategy;
  struct sciara_engine_setup setup; ///< its options are filled in
  struct sciara_step_control step_control;
  struct sciara_host_fields hf; ///< staging area for fields
  struct sciara_device device;
  void *memory;        ///< one block that holds all arrays on the device
  size_t memory_bytes; ///< of this block
  /**
   * An upload uses this block again if it is large enough, and arrays of `hf` that the caller has set. The block is not
   * cleared: the caller sets what no copy fills.
   */
  bool reuses;
  struct sciara_arena arena;             ///< the layout of this block
  struct sciara_device_control *control; ///< pinned, on the host
  struct sciara_stop_rule *stop;         ///< the same as device.stop
  cudaStream_t stream;
  cudaGraphExec_t graph; ///< SCIARA_GRAPH_STEPS steps
  int multiprocessors;
  uint64_t ahead;                         ///< steps up to the one after which `advance` returns at the latest
  bool marking;                           ///< true while the timed step is captured
  cudaEvent_t mark[SCIARA_PROCESSES + 1]; ///< the beginning of that step and the end of each process in it
  struct sciara_engine_profile profile;
  char *kept;           ///< on the device: a copy of the fields, in transfer to the host; NULL: states are not kept
  cudaStream_t carrier; ///< the stream of this transfer
  cudaEvent_t copied;   ///< recorded when the copy is complete
  struct sciara_device_buffer buffer[SCIARA_BUFFERS];
};

#define sciara_device_create SCIARA_NAME(sciara_device_create)
#define sciara_device_destroy SCIARA_NAME(sciara_device_destroy)
#define sciara_device_upload SCIARA_NAME(sciara_device_upload)
#define sciara_device_download SCIARA_NAME(sciara_device_download)
#define sciara_device_advance SCIARA_NAME(sciara_device_advance)
#define sciara_device_evaluate SCIARA_NAME(sciara_device_evaluate)
#define sciara_device_move SCIARA_NAME(sciara_device_move)
#define sciara_device_row_bytes SCIARA_NAME(sciara_device_row_bytes)
#define sciara_device_pack SCIARA_NAME(sciara_device_pack)
#define sciara_device_unpack SCIARA_NAME(sciara_device_unpack)
#define sciara_device_memory SCIARA_NAME(sciara_device_memory)
#define sciara_device_profile SCIARA_NAME(sciara_device_profile)
#define sciara_device_keep SCIARA_NAME(sciara_device_keep)
#define sciara_device_collect SCIARA_NAME(sciara_device_collect)
#define sciara_device_keep_memory SCIARA_NAME(sciara_device_keep_memory)
#define sciara_device_take_buffers SCIARA_NAME(sciara_device_take_buffers)
#define sciara_device_leave_buffers SCIARA_NAME(sciara_device_leave_buffers)
#define sciara_device_count SCIARA_NAME(sciara_device_count)
#define sciara_device_kept_bytes SCIARA_NAME(sciara_device_kept_bytes)
#define sciara_device_check_guards SCIARA_NAME(sciara_device_check_guards)
#define sciara_device_mark SCIARA_NAME(sciara_device_mark)
#define sciara_device_put SCIARA_NAME(sciara_device_put)
#define sciara_device_read_control SCIARA_NAME(sciara_device_read_control)
#define sciara_device_set_stop SCIARA_NAME(sciara_device_set_stop)
#define sciara_device_fetch_control SCIARA_NAME(sciara_device_fetch_control)
#define sciara_device_relay SCIARA_NAME(sciara_device_relay)
#define sciara_device_download_own SCIARA_NAME(sciara_device_download_own)
#define sciara_device_download_with SCIARA_NAME(sciara_device_download_with)

enum sciara_status sciara_device_create(const struct sciara_device_strategy *strategy,
                                        const struct sciara_engine_setup *setup, void **engine);
void sciara_device_destroy(void *engine);
enum sciara_status sciara_device_upload(void *engine, const struct sciara_state *state);
enum sciara_status sciara_device_download(void *engine, struct sciara_state *state);
enum sciara_status sciara_device_advance(void *engine, const struct sciara_stop *stop,
                                         struct sciara_engine_progress *progress);
void sciara_device_memory(const struct sciara_device_strategy *strategy, const struct sciara_grid *grid,
                          unsigned record, size_t *host, size_t *device);
enum sciara_status sciara_device_profile(void *engine, struct sciara_engine_profile *out);
enum sciara_status sciara_device_keep(void *engine, int buffer);
enum sciara_status sciara_device_collect(void *engine, int buffer, struct sciara_state *state);
void sciara_device_keep_memory(const struct sciara_grid *grid, unsigned record, size_t *host, size_t *device);

/** The phases of a step around the kernels that `launch` queues; struct sciara_engine_phases. */
enum sciara_status sciara_device_evaluate(void *engine, enum sciara_status (*launch)(void *engine), double thickness,
                                          double *t_opt);
enum sciara_status sciara_device_move(void *engine, enum sciara_status (*launch)(void *engine), double t_opt,
                                      struct sciara_engine_progress *progress);
size_t sciara_device_row_bytes(const void *engine);
enum sciara_status sciara_device_pack(void *engine, int64_t row, int64_t count, void *buffer);
enum sciara_status sciara_device_unpack(void *engine, int64_t row, int64_t count, const void *buffer);

/** Number of cells of an array for a grid, including frame and padding. */
int64_t sciara_device_count(const struct sciara_grid *grid);

/** Bytes of a kept state with `count` cells. `record`: bits of enum sciara_record. */
size_t sciara_device_kept_bytes(int64_t count, unsigned record);

/** Allocates the host memory and the stream for keeping states of that many bytes. */
enum sciara_status sciara_device_take_buffers(struct sciara_device_engine *e, size_t bytes);

/** Waits for transfers in progress and releases this memory and the stream. */
void sciara_device_leave_buffers(struct sciara_device_engine *e);

/** For tests: SCIARA_ERR_INTERNAL if something was written between two arrays. */
enum sciara_status sciara_device_check_guards(void *engine);

/**
 * Copies from the host into an array on the device and waits for the copy. It is in the engine's stream: plain
 * cudaMemcpy may return before pageable memory has arrived, and kernels of another stream do not wait for it.
 */
enum sciara_status sciara_device_put(const struct sciara_device_engine *e, void *to, const void *from, size_t bytes);

/** Reads the totals and the error of the last steps from e->control. */
void sciara_device_read_control(struct sciara_device_engine *e);

/** Writes the stop rule and clears the stop reason, so that steps can begin. */
enum sciara_status sciara_device_set_stop(struct sciara_device_engine *e, const struct sciara_stop *stop);

/** Waits for the launched steps and copies the control to the host. */
enum sciara_status sciara_device_fetch_control(struct sciara_device_engine *e);

/**
 * Takes a new block of memory for a grid of so many rows, with cleared arrays and the vents of the setup. The old block
 * stays as it is: it is the caller's. `record`: bits of enum sciara_record.
 */
enum sciara_status sciara_device_relay(struct sciara_device_engine *e, int64_t rows, unsigned record);

/** Copies fields on the host, of the own rows of the band, into a state of the grid of the engine. */
void sciara_device_download_own(const struct sciara_device_engine *e, const struct sciara_host_fields *from,
                                struct sciara_state *state);

/** sciara_device_download through arrays of that grid; its GPU is the current one. */
enum sciara_status sciara_device_download_with(struct sciara_device_engine *e, struct sciara_host_fields *staging,
                                               struct sciara_state *state);

/** Called by `launch` after the kernels of each process, in order: marks the end of the time of this process. */
enum sciara_status sciara_device_mark(struct sciara_device_engine *e, enum sciara_process process, cudaStream_t stream);

/** Why no CUDA engine can run here, or NULL. */
const char *sciara_device_probe(void);

#ifdef SCIARA_FAST
#define SCIARA_GATHER_CLASS SCIARA_TOLERANCE
#else
#define SCIARA_GATHER_CLASS SCIARA_EXACT
#endif

/**
 * The table of an engine, at the end of its file: the identifier, its name, one line for the user, the names of its
 * options other than the shape of a block ("memory boxes", "" for none), class.
 */
#define SCIARA_DEVICE_ENGINE(identifier, name_, summary_, options_, class_) \
  SCIARA_DEVICE_ENGINE_OF(identifier, name_, summary_, "block_width block_height " options_, class_, nullptr)

/** SCIARA_DEVICE_ENGINE for an engine with phases. */
#define SCIARA_DEVICE_ENGINE_IN_PHASES(identifier, name_, summary_, options_, class_, phases_) \
  SCIARA_DEVICE_ENGINE_OF(identifier, name_, summary_, "block_width block_height " options_, class_, phases_)

/** SCIARA_DEVICE_ENGINE with all options listed, and phases or nullptr. */
#define SCIARA_DEVICE_ENGINE_OF(identifier, name_, summary_, options_, class_, phases_) \
  SCIARA_DEVICE_ENGINE_WITH(identifier, name_, summary_, options_, class_, phases_, nullptr)

/** SCIARA_DEVICE_ENGINE_OF with the table for slots, or nullptr. */
#define SCIARA_DEVICE_ENGINE_WITH(identifier, name_, summary_, options_, class_, phases_, slots_)              \
  static enum sciara_status create_engine(const struct sciara_engine_setup *setup, void **engine) {            \
    return sciara_device_create(&strategy, setup, engine);                                                     \
  }                                                                                                            \
  static void estimate_memory(const struct sciara_grid *grid, unsigned record, size_t *host, size_t *device) { \
    sciara_device_memory(&strategy, grid, record, host, device);                                               \
  }                                                                                                            \
  extern "C" const struct sciara_engine_ops SCIARA_NAME(sciara_engine_##identifier);                           \
  const struct sciara_engine_ops SCIARA_NAME(sciara_engine_##identifier) = {                                   \
      .name = name_,                                                                                           \
      .summary = summary_,                                                                                     \
      .capabilities = SCIARA_CAN_DEVICE,                                                                       \
      .determinism = class_,                                                                                   \
      .options = options_,                                                                                     \
      .create = create_engine,                                                                                 \
      .destroy = sciara_device_destroy,                                                                        \
      .upload = sciara_device_upload,                                                                          \
      .download = sciara_device_download,                                                                      \
      .advance = sciara_device_advance,                                                                        \
      .threads = nullptr,                                                                                      \
      .probe = sciara_device_probe,                                                                            \
      .memory = estimate_memory,                                                                               \
      .memory_of_lava = nullptr,                                                                               \
      .profile = sciara_device_profile,                                                                        \
      .keep = sciara_device_keep,                                                                              \
      .collect = sciara_device_collect,                                                                        \
      .keep_memory = sciara_device_keep_memory,                                                                \
      .phases = phases_,                                                                                       \
      .slots = slots_,                                                                                         \
  }

#endif
