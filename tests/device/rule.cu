// SPDX-License-Identifier: Apache-2.0
// The rule on the device is bit-identical to the rule on the host: random cells, every output compared.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "model/cell.h"

namespace {

struct input {
  real z, h, T, px, py, t;
  real zn[SCIARA_MOORE], hn[SCIARA_MOORE];
};

struct output {
  real t_opt, residual, T;
  unsigned survivors, bad;
  struct sciara_outflows out;
  struct sciara_inflow inflow;
};

__host__ __device__ void apply(const sciara_rule &rule, const input &in, output *o) {
  sciara_evaluation p;
  memset(&p, 0, sizeof p);
  bool bad = false;
  o->t_opt = sciara_cell_evaluate(&rule, in.z, in.h, in.T, in.px, in.py, in.zn, in.hn, &p, &bad);
  o->survivors = p.survivors;
  o->residual = sciara_cell_flow(&p, in.h, in.t, &o->out, &bad);
  o->inflow = sciara_cell_stays(&p, &o->out, o->residual, in.t, in.T);
  for (int i = 1; i < SCIARA_MOORE; i++) sciara_inflow_add(&o->inflow, i, o->out.to[sciara_moore_reverse(i)], in.T);
  o->T = sciara_cool(&rule, in.t, in.h, in.T);
  o->bad = bad;
}

__global__ void apply_all(sciara_rule rule, const input *in, output *out, int count) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) apply(rule, in[k], &out[k]);
}

/** A number of either sign and any size from 2^-30 to 2^30. */
__device__ real random_number(unsigned long long k) {
  for (int round = 0; round < 3; round++) {
    k = (k ^ k >> 29) * 0xbf58476d1ce4e5b9ull;
    k ^= k >> 32;
  }
  const double mantissa = 1 + (double)(k >> 12) * 0x1p-52;
  return (real)ldexp(k & 1 ? mantissa : -mantissa, (int)(k >> 1 & 1023) % 61 - 30);
}

/** A number of any size, the smallest included: its bits are random, or it is a small multiple of the smallest. */
__device__ real random_bits(unsigned long long k) {
  const unsigned long long bits = (k ^ k >> 31) * 0x94d049bb133111ebull ^ k << 7;
  const bool small = k % 4 == 0;
#ifdef SCIARA_SINGLE
  return __uint_as_float((unsigned)(bits >> 32) & (small ? 0x800000ffu : ~0u));
#else
  return __longlong_as_double((long long)(bits & (small ? 0x80000000000000ffull : ~0ull)));
#endif
}

__device__ bool bit_identical(real a, real b) {
#ifdef SCIARA_SINGLE
  return __float_as_uint(a) == __float_as_uint(b) || (a != a && b != b);
#else
  return __double_as_longlong(a) == __double_as_longlong(b) || (a != a && b != b);
#endif
}

/** Compares division by a known reciprocal with plain division, for the divisors of the rule and for random ones. */
__global__ void divide_all(unsigned long long *wrong) {
  const unsigned long long k = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  const real a = random_number(2 * k), any = random_number(2 * k + 1);
  const real divisors[] = {(real)(2 * 9.81), 10, 120, 3, 5, 6, 7, 9, any};
  for (const real b : divisors)
    if (!(sciara_real_div_by(a, b, 1 / b) == a / b)) atomicAdd(wrong, 1ull);
  const real other = random_bits(k), thickness[] = {any, -any, 1, 2, (real)0.5, (real)1.5, random_bits(~k)};
  for (const real dividend : {a, other})
    for (const real b : thickness)
      if (!bit_identical(sciara_real_div_tiny(dividend, b, 1 / b, sciara_is_usual_divisor(b)), dividend / b))
        atomicAdd(wrong, 1ull);
}

uint64_t seed = 88172645463325252u;
double uniform(double low, double high) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

input draw() {
  input in;
  memset(&in, 0, sizeof in);
  const double slope = uniform(0, 20);
  in.z = (real)uniform(0, 3000);
  in.h = (real)pow(10, uniform(-1, 1.7));
  in.T = (real)uniform(1143.001, 1360);
  in.px = (real)(uniform(-3, 3) * in.h), in.py = (real)(uniform(-3, 3) * in.h);
  in.t = (real)uniform(0.01, 60);
  for (int i = 1; i < SCIARA_MOORE; i++) {
    in.zn[i] = (real)(in.z + uniform(-slope, slope));
    in.hn[i] = uniform(0, 1) < 0.5 ? (real)0 : (real)uniform(0, 5);
  }
  return in;
}

#define CUDA(call)                                                    \
  do {                                                                \
    cudaError_t error_ = (call);                                      \
    if (error_ != cudaSuccess) {                                      \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_)); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

/** Number of wrong quotients among 1,500 million. */
unsigned long long wrong_quotients() {
  unsigned long long *wrong_d, wrong = 0;
  CUDA(cudaMalloc(&wrong_d, sizeof wrong));
  CUDA(cudaMemset(wrong_d, 0, sizeof wrong));
  divide_all<<<1 << 18, 256>>>(wrong_d);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(&wrong, wrong_d, sizeof wrong, cudaMemcpyDeviceToHost));
  CUDA(cudaFree(wrong_d));
  return wrong;
}

} // namespace

int main() {
  enum { COUNT = 1 << 20, SKIPPED = 77 };
  int devices = 0;
  const cudaError_t probe = cudaGetDeviceCount(&devices);
  if (probe != cudaSuccess || devices == 0) {
    printf("skipped: no GPU here (%s)\n", cudaGetErrorString(probe));
    return SKIPPED;
  }
  const sciara_params params = sciara_params_of_rule(SCIARA_RULE_HERE);
  const sciara_rule rule = sciara_rule_make(&params, 10);
  std::vector<input> in(COUNT);
  std::vector<output> host(COUNT), device(COUNT);
  memset(host.data(), 0, COUNT * sizeof(output));
  for (input &one : in) one = draw();
  for (int k = 0; k < COUNT; k++) apply(rule, in[k], &host[k]);
  input *in_d;
  output *out_d;
  CUDA(cudaMalloc(&in_d, COUNT * sizeof(input)));
  CUDA(cudaMalloc(&out_d, COUNT * sizeof(output)));
  CUDA(cudaMemset(out_d, 0, COUNT * sizeof(output)));
  CUDA(cudaMemcpy(in_d, in.data(), COUNT * sizeof(input), cudaMemcpyHostToDevice));
  apply_all<<<COUNT / 256, 256>>>(rule, in_d, out_d, COUNT);
  CUDA(cudaGetLastError());
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaMemcpy(device.data(), out_d, COUNT * sizeof(output), cudaMemcpyDeviceToHost));
  CUDA(cudaFree(in_d));
  CUDA(cudaFree(out_d));
  long differ = 0, flowing = 0;
  for (int k = 0; k < COUNT; k++) {
    host[k].out.to[0] = device[k].out.to[0] = {}; // entry 0 is unused
    differ += memcmp(&host[k], &device[k], sizeof(output)) != 0;
    flowing += host[k].survivors != 0;
  }
  printf("%d cells, %ld of them flowing, %ld differ between host and device\n", COUNT, flowing, differ);
  const unsigned long long wrong = wrong_quotients();
  printf("%llu of 1,500 million quotients by a known reciprocal differ from plain division\n", wrong);
  return wrong == 0 && differ == 0 && flowing > COUNT / 4 ? 0 : 1;
}
