// SPDX-License-Identifier: Apache-2.0
// The differences between the C compilers and nvcc. The only file that tests __CUDACC__.
#ifndef SCIARA_BASE_PORTABLE_H
#define SCIARA_BASE_PORTABLE_H

#ifdef __CUDACC__
#define SCIARA_HD __host__ __device__ static inline
#define SCIARA_RESTRICT __restrict__
#else
#define SCIARA_HD static inline
#define SCIARA_RESTRICT restrict
#endif

#ifdef __CUDA_ARCH__ // the device pass; the host compiler does not know this pragma
#define SCIARA_ON_DEVICE 1
#define SCIARA_UNROLL _Pragma("unroll")
#else
#define SCIARA_ON_DEVICE 0
#ifdef SCIARA_VECTOR_LOOPS // so that the loop around it can be vectorised
#ifdef __clang__
#define SCIARA_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SCIARA_UNROLL _Pragma("GCC unroll 16")
#endif
#else
#define SCIARA_UNROLL
#endif
#endif

#if defined(__GNUC__) || defined(__clang__)
#define SCIARA_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define SCIARA_MUST_CHECK __attribute__((warn_unused_result))
#else
#define SCIARA_PRINTF(text, first)
#define SCIARA_MUST_CHECK
#endif

#ifdef __cplusplus
#define SCIARA_BEGIN_DECLS extern "C" {
#define SCIARA_END_DECLS }
#else
#define SCIARA_BEGIN_DECLS
#define SCIARA_END_DECLS
#endif

#endif
