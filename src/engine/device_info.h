// SPDX-License-Identifier: Apache-2.0
// What GPU there is, for records of measurements.
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

/** The GPU that the CUDA engines use. False: there is none here, or this program was built without CUDA. */
bool sciara_device_describe(struct sciara_device_info *out);

SCIARA_END_DECLS
#endif
