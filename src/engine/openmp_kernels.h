// SPDX-License-Identifier: Apache-2.0
// The kernels of engine `openmp`, one for each kind of processor.
#ifndef SCIARA_ENGINE_OPENMP_KERNELS_H
#define SCIARA_ENGINE_OPENMP_KERNELS_H

#include "base/isa.h"
#include "engine/openmp_part.h"

extern const struct sciara_part_kernel SCIARA_NAME(sciara_part_kernel_generic);
#ifdef SCIARA_HAVE_LEVELS
extern const struct sciara_part_kernel SCIARA_NAME(sciara_part_kernel_v2);
extern const struct sciara_part_kernel SCIARA_NAME(sciara_part_kernel_v3);
extern const struct sciara_part_kernel SCIARA_NAME(sciara_part_kernel_v4);
#endif

/** The kernel for a kind of processor that runs here. */
static inline const struct sciara_part_kernel *sciara_part_kernel_find(enum sciara_isa isa) {
#ifdef SCIARA_HAVE_LEVELS
  switch (isa == SCIARA_ISA_BEST ? sciara_isa_best() : isa) {
    case SCIARA_ISA_V2: return &SCIARA_NAME(sciara_part_kernel_v2);
    case SCIARA_ISA_V3: return &SCIARA_NAME(sciara_part_kernel_v3);
    case SCIARA_ISA_V4: return &SCIARA_NAME(sciara_part_kernel_v4);
    default: break;
  }
#else
  (void)isa;
#endif
  return &SCIARA_NAME(sciara_part_kernel_generic);
}

#endif
