// SPDX-License-Identifier: Apache-2.0
#include "engine/device_info.h"

#ifndef SCIARA_HAVE_CUDA // cuda/probe.cu has it otherwise

bool sciara_device_describe(struct sciara_device_info *out) {
  *out = (struct sciara_device_info){.name = ""};
  return false;
}

#else
typedef int sciara_device_info_is_elsewhere; // a source must not be empty
#endif
