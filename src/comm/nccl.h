// SPDX-License-Identifier: Apache-2.0
// The functions of NCCL with which the GPUs of one process exchange rows and agree. The library is loaded when asked for:
// neither it nor its headers are needed to build the program or to run another engine. Types are those of its documented
// binary interface.
#ifndef SCIARA_COMM_NCCL_H
#define SCIARA_COMM_NCCL_H

#include "base/status.h"

SCIARA_BEGIN_DECLS

/** Values of ncclDataType_t and ncclRedOp_t. */
enum { SCIARA_NCCL_BYTE = 1, SCIARA_NCCL_WORD = 5, SCIARA_NCCL_LARGEST = 2, SCIARA_NCCL_SMALLEST = 3 };

/** Results are 0, or an error that `explain` knows. Streams are those of CUDA. */
struct sciara_nccl {
  int (*version)(int *version);                                       ///< 22703: 2.27.3
  int (*init_all)(void **communicator, int count, const int *device); ///< one for each GPU
  int (*destroy)(void *communicator);
  int (*send)(const void *data, size_t count, int type, int rank, void *communicator, void *stream);
  int (*receive)(void *data, size_t count, int type, int rank, void *communicator, void *stream);
  int (*all_reduce)(const void *own, void *all, size_t count, int type, int operation, void *communicator,
                    void *stream);
  int (*group_begin)(void);
  int (*group_end)(void);
  const char *(*explain)(int error);
};

/**
 * Loads libnccl.so.2, or the file that SCIARA_NCCL in the environment names, once. NULL, with the reason: it cannot be. NVLink
 * multicast is left off unless NCCL_NVLS_ENABLE says otherwise.
 */
const struct sciara_nccl *sciara_nccl_load(char *why, size_t size);

/** SCIARA_ERR_DEVICE, with the name of the call, unless `error` is 0. */
enum sciara_status sciara_nccl_check(const struct sciara_nccl *nccl, int error, const char *call);

SCIARA_END_DECLS
#endif
