// SPDX-License-Identifier: Apache-2.0
// Kernels that may begin before the last one in their stream has ended, so that no launch costs time between them
// (programmatic dependent launch). Each waits for that end itself.
#ifndef SCIARA_CUDA_EARLY_KERNEL_CUH
#define SCIARA_CUDA_EARLY_KERNEL_CUH

#include "cuda_check.h"

namespace sciara_gpu {

/** At the start of such a kernel: lets the next one begin too, and waits for the end of the last one. */
__device__ inline void wait_for_last_kernel() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}

/**
 * Whether kernels may begin early on a GPU: those for GPUs before compute capability 9.0 do not wait. They are loaded too.
 */
template <size_t count> sciara_status find_early(int device, const void *const (&kernels)[count], bool *begin_early) {
  int major = 0;
  SCIARA_CUDA_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  *begin_early = major >= 9;
  for (const void *kernel : kernels) {
    cudaFuncAttributes found;
    SCIARA_CUDA_TRY(cudaFuncGetAttributes(&found, kernel));
    *begin_early = *begin_early && found.ptxVersion >= 90;
  }
  return SCIARA_OK;
}

/** Queues a kernel that may begin early. */
template <class... Parameters, class... Arguments>
void queue_early(cudaStream_t stream, bool begins_early, void (*kernel)(Parameters...), unsigned blocks,
                 unsigned threads, const Arguments &...arguments) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = begins_early;
  cudaLaunchKernelEx(&config, kernel, arguments...); // an error is found by the caller, who asks for the last one
}

} // namespace sciara_gpu

#endif
