// SPDX-License-Identifier: Apache-2.0
// One step of a part in three pieces, with barriers of all threads between them; once for each kind of processor.
// Included by this room alone.
#ifndef SCIARA_ENGINE_OPENMP_KERNELS_H
#define SCIARA_ENGINE_OPENMP_KERNELS_H

#include "base/isa.h"
#include "engine/openmp_part.h"

struct sciara_part_kernel {
  void (*evaluate)(struct sciara_part *p); ///< tau1, time evaluation: t_opt and edges
  void (*flow)(struct sciara_part *p);     ///< tau1, flow computing
  void (*settle)(struct sciara_part *p);   ///< tau2, rim and tau3 of the cells that were liquid before; needs `inner`
};

#define SCIARA_DECLARE_KERNEL(level)                                      \
  void SCIARA_NAME(sciara_part_evaluate_##level)(struct sciara_part * p); \
  void SCIARA_NAME(sciara_part_flow_##level)(struct sciara_part * p);     \
  void SCIARA_NAME(sciara_part_settle_##level)(struct sciara_part * p);
#define SCIARA_KERNEL(level)                                                          \
  (struct sciara_part_kernel) {                                                       \
    SCIARA_NAME(sciara_part_evaluate_##level), SCIARA_NAME(sciara_part_flow_##level), \
        SCIARA_NAME(sciara_part_settle_##level)                                       \
  }

SCIARA_DECLARE_KERNEL(generic)
#ifdef SCIARA_HAVE_LEVELS
SCIARA_DECLARE_KERNEL(v2)
SCIARA_DECLARE_KERNEL(v3)
SCIARA_DECLARE_KERNEL(v4)
#endif

/** The pieces for a kind of processor that is available here. */
static inline struct sciara_part_kernel sciara_part_kernel_find(enum sciara_isa isa) {
#ifdef SCIARA_HAVE_LEVELS
  switch (isa == SCIARA_ISA_BEST ? sciara_isa_best() : isa) {
    case SCIARA_ISA_V2: return SCIARA_KERNEL(v2);
    case SCIARA_ISA_V3: return SCIARA_KERNEL(v3);
    case SCIARA_ISA_V4: return SCIARA_KERNEL(v4);
    default: break;
  }
#else
  (void)isa;
#endif
  return SCIARA_KERNEL(generic);
}

#ifdef SCIARA_LEVEL // in the sources of the pieces: the names for the kind of processor that is compiled for
#define sciara_part_evaluate SCIARA_NAME(SCIARA_PASTE(sciara_part_evaluate, SCIARA_LEVEL))
#define sciara_part_flow SCIARA_NAME(SCIARA_PASTE(sciara_part_flow, SCIARA_LEVEL))
#define sciara_part_settle SCIARA_NAME(SCIARA_PASTE(sciara_part_settle, SCIARA_LEVEL))
void sciara_part_evaluate(struct sciara_part *p);
void sciara_part_flow(struct sciara_part *p);
void sciara_part_settle(struct sciara_part *p);
#endif

#endif
