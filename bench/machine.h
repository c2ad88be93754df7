// SPDX-License-Identifier: Apache-2.0
// The environment of a measurement: program, compiler, processor, GPU, libraries; and what the processor itself can do.
#ifndef SCIARA_BENCH_MACHINE_H
#define SCIARA_BENCH_MACHINE_H

#include "engine/device_info.h"
#include "store/run_json.h"

/** Unknown texts are "", unknown numbers 0. */
struct sciara_machine {
  char date[SCIARA_DATE_SIZE]; ///< UTC
  const char *version, *git_hash, *compiler;
  char system[256]; ///< kernel and its release, hardware
  char cpu[256];
  double cpu_mhz; ///< of the first core at that moment
  int cores;      ///< that this process may use
  size_t memory;  ///< bytes
  bool has_gpu;
  struct sciara_device_info gpu;
  char gpu_driver[64]; ///< "550.54.15"
  const char *hdf5, *gdal;
};

void sciara_machine_describe(struct sciara_machine *out);

/** Resets the highest resident memory of this process, if the system supports it. */
void sciara_peak_memory_reset(void);

/** The highest resident memory of this process, bytes; 0: unknown. */
size_t sciara_peak_memory(void);

/**
 * Additions and multiplications in double precision per second of a loop that stays in registers, on so many threads
 * (0: all cores): the median of five runs. No engine can scale better than this on a processor whose clock rate falls
 * with the number of busy cores, or whose cores are shared.
 */
enum sciara_status sciara_register_loop(int threads, double *operations_per_s);

#endif
