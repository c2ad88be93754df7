// SPDX-License-Identifier: Apache-2.0
// Every CUDA call is checked: its error becomes a status with a message.
#ifndef SCIARA_CUDA_CUDA_CHECK_H
#define SCIARA_CUDA_CUDA_CHECK_H

#include <cuda_runtime.h>

#include "base/status.h"

/** SCIARA_ERR_MEMORY if the device has no memory left, else SCIARA_ERR_DEVICE; names the call. */
enum sciara_status sciara_cuda_fail(cudaError_t error, const char *call);

/** Returns from the calling function when a CUDA call fails. */
#define SCIARA_CUDA_TRY(call)                                                                  \
  do {                                                                                         \
    const cudaError_t sciara_cuda_error_ = (call);                                             \
    if (sciara_cuda_error_ != cudaSuccess) return sciara_cuda_fail(sciara_cuda_error_, #call); \
  } while (0)

/**
 * Makes a GPU the current one of this thread during the life of the object, and restores the previous one afterwards.
 * Every function in the table of an engine that calls CUDA begins with one, because the caller and its other
 * simulations may use other GPUs.
 */
class sciara_on_device {
public:
  explicit sciara_on_device(int device) {
    error = cudaGetDevice(&before);
    changed = error == cudaSuccess && before != device;
    if (changed) error = cudaSetDevice(device);
  }
  ~sciara_on_device() {
    if (changed) cudaSetDevice(before);
  }
  sciara_on_device(const sciara_on_device &) = delete;
  sciara_on_device &operator=(const sciara_on_device &) = delete;

  cudaError_t error; ///< why the GPU could not become the current one

private:
  int before = 0;
  bool changed = false;
};

/** Makes `device` the current GPU until the end of the scope; returns from the calling function if that fails. */
#define SCIARA_WITH_DEVICE(device)                    \
  const sciara_on_device sciara_on_device_((device)); \
  if (sciara_on_device_.error != cudaSuccess) return sciara_cuda_fail(sciara_on_device_.error, "cudaSetDevice")

#endif
