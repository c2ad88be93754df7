// SPDX-License-Identifier: Apache-2.0
// Costs of the operations in a step of the fused engine on a GPU: barriers of all blocks, and how long a thread waits for
// an operation. Prints a table.  usage: sciara_device_costs
#include <cooperative_groups.h>

#include <cstdio>
#include <cstdlib>

namespace {

typedef unsigned long long word;

#define CUDA(call)                                                    \
  do {                                                                \
    const cudaError_t error_ = (call);                                \
    if (error_ != cudaSuccess) {                                      \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_)); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

__device__ void put(word *to, word value) {
  asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}

__device__ word get(const word *from) {
  word value;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return value;
}

__device__ void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

enum way { COUNTER, WORDS, ROWS, MASTER, GRID_SYNC, WAYS };
const char *const names[WAYS] = {
    "a counter that all add to, a thread of each block waits for it", "a word a block, all blocks wait for all words",
    "a row of words a block, all blocks write to all rows", "a word a block, block 0 waits for them, the others for it",
    "cooperative_groups::this_grid().sync()"};

/** Passes `barriers` barriers of all blocks; between them each thread writes a number if `dirty`. */
template <way W> __global__ void __launch_bounds__(512, 1) meet(word *words, double *junk, int barriers, bool dirty) {
  const unsigned t = threadIdx.x, blocks = gridDim.x;
  const size_t set = (size_t)blocks * blocks; // two sets, used alternately
  for (int m = 1; m <= barriers; m++) {
    if (dirty) junk[(size_t)blockIdx.x * blockDim.x + t] = m;
    word *const w = words + (m & 1) * set;
    __syncthreads();
    if (W == COUNTER && t == 0) {
      fence();
      atomicAdd(w, 1ull);
      while (get(w) < (word)((m + 1) / 2) * blocks) {
      }
    } else if (W == WORDS) {
      if (t == 0) put(w + blockIdx.x, (word)m);
      if (t < blocks)
        while (get(w + t) != (word)m) {
        }
    } else if (W == ROWS && t < blocks) {
      put(w + (size_t)t * blocks + blockIdx.x, (word)m);
      while (get(w + (size_t)blockIdx.x * blocks + t) != (word)m) {
      }
    } else if (W == MASTER) {
      if (t == 0 && blockIdx.x) put(w + blockIdx.x, (word)m);
      if (blockIdx.x == 0) {
        if (t > 0 && t < blocks)
          while (get(w + t) != (word)m) {
          }
        __syncthreads();
        if (t == 0) put(w, (word)m);
      } else if (t == 0) {
        while (get(w) != (word)m) {
        }
      }
    } else if (W == GRID_SYNC) {
      cooperative_groups::this_grid().sync();
    }
    __syncthreads();
  }
}

template <way W> void time_barriers(unsigned blocks, word *words, double *junk) {
  int barriers = 20000;
  float us[2];
  for (int dirty = 0; dirty < 2; dirty++) {
    bool writes = dirty;
    void *arguments[] = {&words, &junk, &barriers, &writes};
    cudaEvent_t begin, end;
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaMemset(words, 0, 2 * sizeof(word) * blocks * blocks));
    CUDA(cudaEventRecord(begin));
    CUDA(cudaLaunchCooperativeKernel((const void *)meet<W>, dim3(blocks), dim3(512), arguments, 0, nullptr));
    CUDA(cudaEventRecord(end));
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(&us[dirty], begin, end));
    us[dirty] *= 1000 / (float)barriers;
  }
  printf("%-64s %5.2f us, %5.2f us after writes\n", names[W], us[0], us[1]);
}

enum operation { ADD, MULTIPLY_ADD, DIVIDE, ROOT, LOAD, ATOMIC, FENCE, FENCE_AFTER_WRITE, OPERATIONS };
const char *const what[OPERATIONS] = {"fp64 addition",
                                      "fp64 multiplication and addition, fused",
                                      "fp64 division",
                                      "fp64 square root",
                                      "load from level 2",
                                      "atomic addition",
                                      "fence",
                                      "fence after a write"};

/** Clock cycles of an operation that waits for the one before, in one warp. */
template <operation O> __global__ void wait_for(double *numbers, word *chain, word *clocks, double a, double b) {
  double x = a;
  word place = 0;
  const long long begin = clock64();
#pragma unroll 8
  for (int k = 0; k < 256; k++) {
    if (O == ADD) x = x + b;
    if (O == MULTIPLY_ADD) x = __fma_rn(x, b, a);
    if (O == DIVIDE) x = x / b;
    if (O == ROOT) x = sqrt(x);
    if (O == LOAD) place = __ldcg(chain + place);
    if (O == ATOMIC) place = atomicAdd(chain + place, 0ull);
    if (O == FENCE_AFTER_WRITE) numbers[k + 1] = x;
    if (O == FENCE || O == FENCE_AFTER_WRITE) fence();
  }
  clocks[O] = (word)(clock64() - begin) / 256;
  numbers[0] = x + (double)place;
}

template <operation O> void time_operation(double *numbers, word *chain, word *clocks_d) {
  word clocks;
  for (int twice = 0; twice < 2; twice++) wait_for<O><<<1, 32>>>(numbers, chain, clocks_d, 1.0000001, 1.0000002);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(&clocks, clocks_d + O, sizeof clocks, cudaMemcpyDeviceToHost));
  printf("%-64s %5llu clocks\n", what[O], clocks);
}

} // namespace

int main() {
  int devices = 0, device = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    printf("skipped: no GPU here\n");
    return 77;
  }
  cudaDeviceProp properties;
  CUDA(cudaGetDevice(&device));
  CUDA(cudaGetDeviceProperties(&properties, device));
  const unsigned blocks =
      (unsigned)properties.multiProcessorCount < 512 ? (unsigned)properties.multiProcessorCount : 512;
  word *words;
  double *junk;
  CUDA(cudaMalloc(&words, 2 * sizeof(word) * blocks * blocks + sizeof(word) * OPERATIONS));
  CUDA(cudaMalloc(&junk, sizeof(double) * blocks * 512));
  printf("%s, a block of 512 threads on each of %u multiprocessors\n\nbarrier of all blocks:\n", properties.name,
         blocks);
  time_barriers<COUNTER>(blocks, words, junk);
  time_barriers<WORDS>(blocks, words, junk);
  time_barriers<ROWS>(blocks, words, junk);
  time_barriers<MASTER>(blocks, words, junk);
  time_barriers<GRID_SYNC>(blocks, words, junk);
  word *const clocks_d = words + 2 * (size_t)blocks * blocks;
  CUDA(cudaMemset(words, 0, 64));
  printf("\na thread waits for:\n");
  time_operation<ADD>(junk, words, clocks_d);
  time_operation<MULTIPLY_ADD>(junk, words, clocks_d);
  time_operation<DIVIDE>(junk, words, clocks_d);
  time_operation<ROOT>(junk, words, clocks_d);
  time_operation<LOAD>(junk, words, clocks_d);
  time_operation<ATOMIC>(junk, words, clocks_d);
  time_operation<FENCE>(junk, words, clocks_d);
  time_operation<FENCE_AFTER_WRITE>(junk, words, clocks_d);
  CUDA(cudaFree(words));
  CUDA(cudaFree(junk));
  return 0;
}
