// SPDX-License-Identifier: Apache-2.0
// Kinds of processors: the levels of the x86-64 ABI. Code is compiled for several of them, and the program chooses one
// when it runs.
#ifndef SCIARA_BASE_ISA_H
#define SCIARA_BASE_ISA_H

#include <stdbool.h>

#include "base/portable.h"

SCIARA_BEGIN_DECLS

enum sciara_isa {
  SCIARA_ISA_BEST,    ///< the best one for this processor
  SCIARA_ISA_GENERIC, ///< the compiler's default; the only one on processors other than x86-64
  SCIARA_ISA_V2,      ///< SSE 4.2
  SCIARA_ISA_V3,      ///< AVX2
  SCIARA_ISA_V4,      ///< AVX-512
  SCIARA_ISA_COUNT
};

/** "generic", "v2", "v3", "v4"; "best" for SCIARA_ISA_BEST. */
const char *sciara_isa_name(enum sciara_isa isa);

/** Whether this program contains code for that kind and this processor can run it. */
bool sciara_isa_runs(enum sciara_isa isa);

/** The highest kind that runs here; never SCIARA_ISA_BEST. */
enum sciara_isa sciara_isa_best(void);

SCIARA_END_DECLS
#endif
