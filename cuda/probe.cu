// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "base/hash.h"
#include "cuda_check.h"
#include "device_engine.h"
#include "engine/device_info.h"

enum sciara_status sciara_cuda_fail(cudaError_t error, const char *call) {
  const enum sciara_status status = error == cudaErrorMemoryAllocation ? SCIARA_ERR_MEMORY : SCIARA_ERR_DEVICE;
  cudaGetLastError(); // clears the error, so that it is not reported for the next kernel launch
  return sciara_fail(status, "%s: %s", call, cudaGetErrorString(error));
}

static const int built_for[] = {__CUDA_ARCH_LIST__}; // 750 is compute capability 7.5; the first is the oldest

const char *sciara_device_code(void) {
  static thread_local char text[256];
  int length = snprintf(text, sizeof text, "CUDA %d.%d for compute capability", CUDART_VERSION / 1000,
                        CUDART_VERSION % 1000 / 10);
  for (const int number : built_for) {
    if (length >= static_cast<int>(sizeof text)) break;
    length += snprintf(text + length, sizeof text - length, " %d.%d", number / 100, number % 100 / 10);
  }
  return text;
}

/** The compute capability of a GPU, 900 for 9.0; 0: it is unknown. */
static int capability(int device) {
  int major = 0, minor = 0;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess)
    return 100 * major + 10 * minor;
  cudaGetLastError(); // clears the error
  return 0;
}

const char *sciara_device_probe(void) {
  static thread_local char why[256];
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices > 0) {
    const int here = capability(0);
    if (here >= built_for[0]) return nullptr;
    snprintf(why, sizeof why, "the GPU has compute capability %d.%d, this program has code for %d.%d and later",
             here / 100, here % 100 / 10, built_for[0] / 100, built_for[0] % 100 / 10);
    return why;
  }
  int driver = 0;
  const bool known = cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0;
  cudaGetLastError(); // clears the errors
  if (error == cudaErrorInsufficientDriver && known)
    snprintf(why, sizeof why, "the NVIDIA driver is for CUDA %d.%d, this program needs one for %d.%d", driver / 1000,
             driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  else if (error == cudaErrorInsufficientDriver)
    snprintf(why, sizeof why, "there is no NVIDIA driver here");
  else
    snprintf(why, sizeof why, "no GPU was found (%s)", cudaGetErrorString(error));
  return why;
}

int sciara_devices(void) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess) return devices;
  cudaGetLastError(); // clears the error
  return 0;
}

uint64_t sciara_device_identity(int device) {
  cudaDeviceProp properties;
  if (device < 0 || device >= sciara_devices()) return 0;
  if (cudaGetDeviceProperties(&properties, device) == cudaSuccess)
    return sciara_hash_bytes(SCIARA_HASH_BEGIN, &properties.uuid, sizeof properties.uuid);
  cudaGetLastError(); // clears the error
  return 0;
}

bool sciara_device_describe(int device, struct sciara_device_info *out) {
  *out = {};
  cudaDeviceProp properties;
  int khz = 0;
  if (device < 0 || device >= sciara_devices()) return false;
  const sciara_on_device scope(device);
  if (scope.error != cudaSuccess || cudaGetDeviceProperties(&properties, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device) != cudaSuccess ||
      cudaRuntimeGetVersion(&out->runtime) != cudaSuccess ||
      cudaDriverGetVersion(&out->driver_runtime) != cudaSuccess ||
      cudaMemGetInfo(&out->free_memory, &out->memory) != cudaSuccess) {
    cudaGetLastError(); // clears the error
    return false;
  }
  snprintf(out->name, sizeof out->name, "%s", properties.name);
  out->multiprocessors = properties.multiProcessorCount;
  out->clock_mhz = khz / 1000;
  return true;
}
