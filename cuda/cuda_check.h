// SPDX-License-Identifier: Apache-2.0
// Every CUDA call is checked: its error becomes a status with a sentence.
#ifndef SCIARA_CUDA_CUDA_CHECK_H
#define SCIARA_CUDA_CUDA_CHECK_H

#include <cuda_runtime.h>

#include "base/status.h"

/** SCIARA_ERR_MEMORY when the device has no memory left, else SCIARA_ERR_DEVICE; names the call. */
enum sciara_status sciara_cuda_fail(cudaError_t error, const char *call);

/** Returns from the calling function when a CUDA call fails. */
#define SCIARA_CUDA_TRY(call)                                                                  \
  do {                                                                                         \
    const cudaError_t sciara_cuda_error_ = (call);                                             \
    if (sciara_cuda_error_ != cudaSuccess) return sciara_cuda_fail(sciara_cuda_error_, #call); \
  } while (0)

#endif
