// SPDX-License-Identifier: Apache-2.0
// Which GPUs there are.
#ifndef SCIARA_ENGINE_DEVICE_INFO_H
#define SCIARA_ENGINE_DEVICE_INFO_H

#include "base/status.h"

SCIARA_BEGIN_DECLS

struct sciara_device_info {
  char name[256];
  int multiprocessors;
  int clock_mhz;               ///< the highest clock of the multiprocessors
  int runtime, driver_runtime; ///< CUDA of this program, and the newest that the driver knows: 12040 is 12.4
  size_t memory, free_memory;  ///< bytes
};

/** GPUs that this program can use: their numbers are 0, 1, ... */
int sciara_devices(void);

/** The GPU of that number. False: there is none, or this program was built without CUDA. */
bool sciara_device_describe(int device, struct sciara_device_info *out);

SCIARA_END_DECLS
#endif
