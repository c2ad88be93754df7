// SPDX-License-Identifier: Apache-2.0
// The available GPUs.
#ifndef SCIARA_ENGINE_DEVICE_INFO_H
#define SCIARA_ENGINE_DEVICE_INFO_H

#include <stdint.h>

#include "base/status.h"

SCIARA_BEGIN_DECLS

struct sciara_device_info {
  char name[256];
  int multiprocessors;
  int clock_mhz;               ///< the highest clock of the multiprocessors
  int runtime, driver_runtime; ///< CUDA version of this program, and the newest that the driver supports: 12040 is 12.4
  size_t memory, free_memory;  ///< bytes
};

/** What this program has for GPUs: "CUDA 13.0 for compute capability 7.5 8.0"; "": it was built without CUDA. */
const char *sciara_device_code(void);

/** Number of GPUs that this program can use; they are numbered 0, 1, ... */
int sciara_devices(void);

/** A number that no other GPU has, not even on another host; 0: there is no such GPU here. Does not start the GPU. */
uint64_t sciara_device_identity(int device);

/** Describes a GPU. False: there is no GPU with this number, or this program was built without CUDA. */
bool sciara_device_describe(int device, struct sciara_device_info *out);

SCIARA_END_DECLS
#endif
