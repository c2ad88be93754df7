// SPDX-License-Identifier: Apache-2.0
// What every CUDA engine that steps by kernels has in common; an engine adds its iteration space and its launches.
#ifndef SCIARA_CUDA_DEVICE_ENGINE_H
#define SCIARA_CUDA_DEVICE_ENGINE_H

#include <cuda_runtime.h>

#include "device_fields.h"
#include "engine/clockwork.h"
#include "engine/host_fields.h"

/** What an engine brings. `engine` is its struct, which begins with a struct sciara_device_engine. */
struct sciara_device_strategy {
  const char *name;
  size_t size;                                                     ///< of the engine's struct
  enum sciara_status (*prepare)(void *engine);                     ///< after an upload; NULL: nothing to do
  void (*release)(void *engine);                                   ///< what prepare took; NULL: nothing to do
  enum sciara_status (*launch)(void *engine, cudaStream_t stream); ///< the kernels of one step
};

struct sciara_device_engine {
  const struct sciara_device_strategy *strategy;
  struct sciara_engine_setup setup;
  struct sciara_clockwork clockwork;
  struct sciara_host_fields hf; ///< where fields are staged
  struct sciara_device device;
  void *memory;                          ///< one block that holds all arrays of `device`
  struct sciara_device_control *control; ///< pinned, on the host
  struct sciara_device_stop *stop;       ///< the same as device.stop
  cudaStream_t stream;
  cudaGraphExec_t batch; ///< SCIARA_BATCH steps
  int multiprocessors;
};

enum { SCIARA_BATCH = 32 }; ///< steps between two looks of the host

#define sciara_device_create SCIARA_NAME(sciara_device_create)
#define sciara_device_destroy SCIARA_NAME(sciara_device_destroy)
#define sciara_device_upload SCIARA_NAME(sciara_device_upload)
#define sciara_device_download SCIARA_NAME(sciara_device_download)
#define sciara_device_advance SCIARA_NAME(sciara_device_advance)
#define sciara_device_memory SCIARA_NAME(sciara_device_memory)

enum sciara_status sciara_device_create(const struct sciara_device_strategy *strategy,
                                        const struct sciara_engine_setup *setup, void **engine);
void sciara_device_destroy(void *engine);
enum sciara_status sciara_device_upload(void *engine, const struct sciara_state *state);
enum sciara_status sciara_device_download(void *engine, struct sciara_state *state);
enum sciara_status sciara_device_advance(void *engine, const struct sciara_stop *stop,
                                         struct sciara_engine_progress *progress);
void sciara_device_memory(const struct sciara_grid *grid, unsigned record, size_t *host, size_t *device);

/** Why no CUDA engine can run here, or NULL. */
const char *sciara_device_probe(void);

#endif
