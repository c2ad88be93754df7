// SPDX-License-Identifier: Apache-2.0
#include "engine/device_info.h"

#ifndef SCIARA_HAVE_CUDA // else these functions are in cuda/probe.cu

int sciara_devices(void) { return 0; }

const char *sciara_device_code(void) { return ""; }

uint64_t sciara_device_identity(int device) {
  (void)device;
  return 0;
}

bool sciara_device_describe(int device, struct sciara_device_info *out) {
  (void)device;
  *out = (struct sciara_device_info){.name = ""};
  return false;
}

#else
typedef int sciara_device_info_is_elsewhere; // C does not allow an empty source file
#endif
