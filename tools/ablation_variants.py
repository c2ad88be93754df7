# SPDX-License-Identifier: Apache-2.0
"""The variants of tools/ablation: techniques left out or chosen otherwise, and some that lost and live here alone."""

FUSED, NAIVE = "cuda-fused", "cuda-naive"
ON_GPU = (FUSED, NAIVE, "cuda-rbb", "cuda-multi-rbb", "cuda-lac", "cuda-atomic", "cuda-lac-atomic")
ON_CPU = ("serial", "openmp")
ENGINE, PATCHES, PROCESSES = "cuda/engine_cuda_fused.cu", "cuda/fused_patches.cuh", "cuda/processes.cuh"
COPIED = ("const __grid_constant__ sciara_device d, const __grid_constant__ patch_space space) {\n  __shared__",
          "const sciara_device d, const patch_space space) {\n  __shared__")
SMALL, STEP = "cuda/fused_small.cuh", "cuda/fused_step.cuh"

# As much room for lava as blocks of all multiprocessors have: fewer of them need more each, of 227 KiB since 9.0.
SIXTEEN_BLOCKS = (
    (ENGINE, "  e->blocks = (unsigned)e->base.multiprocessors;\n", "  e->blocks = 16;\n"),
    (SMALL, "    TILES = 20, ///< most tiles of a block: 88 KiB, which GPUs give a block since compute capability 8.0\n",
     "    TILES = 64,\n"),
    (SMALL, "static_assert(sizeof(small_block) <= 99 * 1024 - 8192,", "static_assert(sizeof(small_block) <= 227 * 1024 - 8192,"),
)

# Instead of a word in global memory that counts the blocks: a barrier in hardware. What a block brings, its warp 0 writes
# to the shared memory of all before it comes to the barrier, a lane a block; each warp finds the smallest itself.
#
# Warp 0 comes with a release, after the block's threads have met: it stands for what all of them wrote. All warps wait with
# an acquire, which throws out level 1. Who comes to a meeting has read what was brought to the last but one, for the block's
# threads have met since: two places in turn are enough. No block writes to one that has ended: what it brings is there
# before it comes, and without it nobody goes on.
CLUSTER_MEETING = r"""
enum { CLUSTER = 16 };

/** What a block needs for its meetings, in shared memory. */
struct cluster_block {
  unsigned long long brought[2][CLUSTER]; ///< [turn][block]
  unsigned long long of_warp[32];
  unsigned flags; ///< every thread has to have seen it cleared
};

/** A thread's part in the meetings of a grid that is one cluster. */
struct cluster_meeting {
  cluster_block *block;
  unsigned turn; ///< starts as 0

  /** All blocks have begun: their shared memory is there. */
  __device__ void begin() const {
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  }

  /** Comes with what the block brings, which warp 0 knows. After a meeting of the block. */
  __device__ void come(unsigned long long brought) const {
    const unsigned lane = thread_in_block() % 32;
    if (thread_in_block() >= 32) {
      asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
      return;
    }
    if (lane < CLUSTER) {
      const unsigned here = (unsigned)__cvta_generic_to_shared(&block->brought[turn][blockIdx.x]);
      asm volatile("{.reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; st.shared::cluster.u64 [there], %2;}" ::"r"(here),
                   "r"(lane), "l"(brought)
                   : "memory");
    }
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  }

  /** Waits until all blocks have come: what block lane % CLUSTER brought. */
  __device__ unsigned long long wait() {
    __syncwarp();
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    unsigned long long brought;
    const unsigned here = (unsigned)__cvta_generic_to_shared(&block->brought[turn][thread_in_block() % CLUSTER]);
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(brought) : "r"(here) : "memory");
    turn ^= 1;
    return brought;
  }

  __device__ unsigned long long least(unsigned long long mine) {
    const int lane = thread_in_block() % 32, warp = thread_in_block() / 32, warps = threads_of_block() / 32;
    mine = warp_least(mine);
    if (lane == 0) block->of_warp[warp] = mine;
    __syncthreads();
    if (warp == 0) mine = warp_least(lane < warps ? block->of_warp[lane] : ~0ull);
    come(mine);
    return warp_least(wait());
  }

  template <class Meantime> __device__ unsigned any(unsigned mine, Meantime meantime) {
    mine = warp_any(mine);
    if (is_lane_0() && mine) atomicOr(&block->flags, mine);
    __syncthreads();
    come(thread_in_block() < 32 ? block->flags : 0);
    meantime(thread_in_block(), threads_of_block());
    __syncthreads();
    if (is_first()) block->flags = 0;
    return warp_any((unsigned)wait());
  }
};

/** Makes all points ready. One thread. */
"""

# The same meetings without that barrier: each block has a word in shared memory that all blocks count down, and its warp 0
# alone waits for it, as for the word in global memory. Two words in turn: who has come to both of them has left the first.
COUNTED_MEETING = r"""
enum { CLUSTER = 16 };

/** What a block needs for its meetings, in shared memory. */
struct cluster_block {
  unsigned long long brought[2][CLUSTER]; ///< [turn % 2][block]
  unsigned long long missing[2];          ///< [turn % 2]: mbarriers of the blocks that have not come
  unsigned long long of_warp[32];
  unsigned flags; ///< every thread has to have seen it cleared
};

/** A thread's part in the meetings of a grid that is one cluster. */
struct cluster_meeting {
  cluster_block *block;
  unsigned turn; ///< starts as 0; modulo 4

  /** All blocks have begun: their shared memory is there, and their counts. */
  __device__ void begin() const {
    if (is_first()) {
      for (int k = 0; k < 2; k++)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(&block->missing[k])), "r"((unsigned)CLUSTER) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  }

  static __device__ unsigned address(const void *of_shared) { return (unsigned)__cvta_generic_to_shared(of_shared); }

  /** Comes with what the block brings, and waits until all blocks have come. Warp 0, after a meeting of the block. */
  __device__ void meet(unsigned long long mine) const {
    const unsigned lane = thread_in_block() % 32, place = turn % 2;
    const unsigned missing = address(&block->missing[place]);
    if (lane < CLUSTER)
      asm volatile("{.reg .b32 slot, count; mapa.shared::cluster.u32 slot, %0, %2; mapa.shared::cluster.u32 count, %1, %2; "
                   "st.shared::cluster.u64 [slot], %3; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [count];}" ::
                       "r"(address(&block->brought[place][blockIdx.x])),
                   "r"(missing), "r"(lane), "l"(mine)
                   : "memory");
    __syncwarp();
    unsigned all = 0;
    while (!all)
      asm volatile("{.reg .pred all; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 all, [%1], %2; "
                   "selp.u32 %0, 1, 0, all;}"
                   : "=r"(all)
                   : "r"(missing), "r"(turn / 2)
                   : "memory");
    __syncwarp();
  }

  /** What block lane % CLUSTER brought. After the meeting, and one of the block. */
  __device__ unsigned long long brought() {
    unsigned long long value;
    asm volatile("ld.shared.u64 %0, [%1];"
                 : "=l"(value)
                 : "r"(address(&block->brought[turn % 2][thread_in_block() % CLUSTER]))
                 : "memory");
    turn = (turn + 1) % 4;
    return value;
  }

  __device__ unsigned long long least(unsigned long long mine) {
    const int lane = thread_in_block() % 32, warp = thread_in_block() / 32, warps = threads_of_block() / 32;
    mine = warp_least(mine);
    if (lane == 0) block->of_warp[warp] = mine;
    __syncthreads();
    if (warp == 0) meet(warp_least(lane < warps ? block->of_warp[lane] : ~0ull));
    __syncthreads();
    return warp_least(brought());
  }

  template <class Meantime> __device__ unsigned any(unsigned mine, Meantime meantime) {
    mine = warp_any(mine);
    if (is_lane_0() && mine) atomicOr(&block->flags, mine);
    __syncthreads();
    if (thread_in_block() >= 32) {
      meantime(thread_in_block() - 32, threads_of_block() - 32);
    } else {
      meet(block->flags);
      if (is_first()) block->flags = 0;
    }
    __syncthreads();
    return warp_any((unsigned)brought());
  }
};

/** Makes all points ready. One thread. */
"""


def cluster_of(threads, meeting=CLUSTER_MEETING):
    return (
        *SIXTEEN_BLOCKS,
        ("cuda/grid_barrier.cuh", "\n/** Makes all points ready. One thread. */\n", meeting),
        (STEP, "  __shared__ block_meeting block;\n", "  __shared__ cluster_block block;\n"),
        (STEP, "  grid_meeting all_blocks = {space.points, &block, 0};\n",
         "  cluster_meeting all_blocks = {&block, 0};\n  all_blocks.begin();\n"),
        (SMALL, "__launch_bounds__(512, 1)", f"__launch_bounds__({threads}, 1)"),
        (ENGINE, "  SCIARA_CUDA_TRY(\n      cudaFuncSetAttribute(fused_small,",
         "  SCIARA_CUDA_TRY(cudaFuncSetAttribute(fused_small, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));\n"
         "  SCIARA_CUDA_TRY(\n      cudaFuncSetAttribute(fused_small,"),
        (ENGINE, "  SCIARA_CUDA_TRY(cudaLaunchCooperativeKernel((const void *)fused_small, dim3(e->blocks), dim3(512), "
         "arguments,\n                                              sizeof(small_block), stream));\n",
         "  cudaLaunchAttribute cluster = {};\n  cluster.id = cudaLaunchAttributeClusterDimension;\n"
         "  cluster.val.clusterDim.x = CLUSTER;\n  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;\n"
         "  cudaLaunchConfig_t launch = {};\n  launch.gridDim = dim3(e->blocks);\n"
         f"  launch.blockDim = dim3({threads});\n  launch.dynamicSmemBytes = sizeof(small_block);\n"
         "  launch.stream = stream;\n  launch.attrs = &cluster;\n  launch.numAttrs = 1;\n"
         "  SCIARA_CUDA_TRY(cudaLaunchKernelExC(&launch, (const void *)fused_small, arguments));\n"),
    )


# Beyond the counted meeting: a step reads and writes no global memory but for what is rare (rock, lava that dries up or
# is lost, arrivals) and the maxima. The state lies in shared memory alone until the launch ends. So do the flows, which
# leave a block room for 16 tiles: 256 altogether.
#
# What a block lets others see, and when (E: time evaluation, M: move, with the vents; `least` is between E and M, `any`
# between M and E, and before the first E). In `meantime` a block touches nothing of it but to read its own h.
#   z, h         written in M, read by others in E
#   flow, donor  written in E, read by others in M
#   inbox        others write in E, each sender a byte of its own; the block reads and clears it in M
# Each is written in one phase and read in the other, with a meeting in between both ways: release and acquire of the
# cluster, by a warp 0 that the rest of its block has met before and meets after. `keep` and T cannot stand for `donor`:
# they change while other blocks may still move lava.
STATE_IN_CLUSTER = (
    (SMALL, "    TILES = 64,\n", "    TILES = 16,\n"),
    (PROCESSES, "  extern __shared__ double sciara_shared_memory[];\n",
     "  extern __shared__ __align__(32) double sciara_shared_memory[];\n"),
    (SMALL, "  int64_t first[TILES];  ",
     "  fused_flow flow[CELLS * DIRECTIONS];                     ///< where something is sent\n"
     "  fused_donor donor[CELLS];                                ///< of cells that send something\n"
     "  unsigned long long inbox[CELLS]; ///< byte i - 1: its bit i - 1: neighbour i sends lava; 0 between steps\n"
     "  int64_t first[TILES];  "),
    (SMALL, "      my.h[id] = exists ? d.f.h[i] : 0;\n",
     "      my.h[id] = exists ? d.f.h[i] : 0;\n      my.inbox[id] = 0;\n"),
    (SMALL, "  /** Where in the scratch this thread's neighbour of a cell lies. */\n", r"""
  /** The block that holds the cell at `there` in the scratch. */
  static __device__ small_block &holder_of(int64_t there) {
    const unsigned rank = (unsigned)there / TILE_CELLS % CLUSTER;
    small_block *mine = &the_block();
    return *(rank == blockIdx.x ? mine : (small_block *)__cluster_map_shared_rank(mine, rank));
  }

  /** The cell's id there. */
  static __device__ unsigned id_of(int64_t there) {
    return (unsigned)there / (TILE_CELLS * CLUSTER) * TILE_CELLS + (unsigned)there % TILE_CELLS;
  }

  /** Tells the cell at `there` that lava comes from its neighbour `from`. */
  static __device__ void post(int64_t there, int from) {
    if (there < 0) return;
    unsigned char *box = (unsigned char *)&holder_of(there).inbox[id_of(there)];
    box[from - 1] = (unsigned char)(1u << (from - 1));
  }

  /** What came for a cell, which from now on is nothing: bit i - 1: from neighbour i. */
  static __device__ unsigned take_post(unsigned id) {
    small_block &my = the_block();
    unsigned long long post = my.inbox[id];
    if (post) my.inbox[id] = 0;
    post |= post >> 32;
    post |= post >> 16;
    return (unsigned)(post | post >> 8) & 0xffu;
  }

  /** Where in the scratch this thread's neighbour of a cell lies. */
"""),
    (SMALL, "    const int64_t neighbour = index_of(id) + sciara_moore_offset((int)n, d.f.stride);\n"
     "    const real zn = d.f.z[neighbour], hn = d.f.h[neighbour], h = my.h[id];\n", r"""
    const int64_t there = scratch_of_mine(id);
    const real h = my.h[id];
    real zn, hn;
    if (there >= 0) {
      const small_block &its = holder_of(there);
      zn = its.z[id_of(there)];
      hn = its.h[id_of(there)];
    } else {
      const int64_t neighbour = index_of(id) + sciara_moore_offset((int)n, d.f.stride);
      zn = d.f.z[neighbour];
      hn = d.f.h[neighbour];
    }
"""),
    (SMALL, "space.donor[scratch_of(id)] = {my.keep[id], my.T[id]};", "my.donor[id] = {my.keep[id], my.T[id]};"),
    (SMALL, "    const small_block &my = the_block();\n"
     "    space.flow[scratch_of(id) * DIRECTIONS + n - 1] = {slope, share};\n"
     "    announce(space, scratch_of_mine(id), sciara_moore_reverse((int)n));\n",
     "    small_block &my = the_block();\n    my.flow[id * DIRECTIONS + n - 1] = {slope, share};\n"
     "    post(scratch_of_mine(id), sciara_moore_reverse((int)n));\n"),
    (SMALL, "take_mail(space, scratch_of(id))", "take_post(id)"),
    (SMALL, "out = space.flow[scratch_of(id) * DIRECTIONS + n - 1];", "out = my.flow[id * DIRECTIONS + n - 1];"),
    (SMALL, "      const fused_flow in = space.flow[there * DIRECTIONS + sciara_moore_reverse((int)n) - 1];\n"
     "      const fused_donor donor = space.donor[there];\n",
     "      const small_block &its = holder_of(there);\n"
     "      const fused_flow in = its.flow[id_of(there) * DIRECTIONS + (unsigned)sciara_moore_reverse((int)n) - 1];\n"
     "      const fused_donor donor = its.donor[id_of(there)];\n"),
    (SMALL, "    sciara_pass_store(&d.f, i, fate, parcel, T);\n",
     "    if (fate != SCIARA_FATE_LIQUID) sciara_pass_store(&d.f, i, fate, parcel, T);\n"),
    (SMALL, "    d.f.h[i] = my.h[id] = sciara_cell_emit(", "    my.h[id] = sciara_cell_emit("),
    (SMALL, "    d.f.T[i] = my.T[id] = d.T_vent;\n", "    my.T[id] = d.T_vent;\n"),
    (SMALL, "  /** Cells that this thread answers for. */\n", r"""
  /** After the last meeting: stores the liquid cells. No block ends while another may look into its shared memory. */
  __device__ void leave() const {
    const small_block &my = the_block();
    for (unsigned k = thread; k < my.live_count; k += threads) {
      const unsigned id = my.live[k];
      const int64_t i = index_of(id);
      d.f.h[i] = my.h[id];
      d.f.T[i] = my.T[id];
      d.f.px[i] = my.px[id];
      d.f.py[i] = my.py[id];
    }
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  }

  /** Cells that this thread answers for. */
"""),
    (STEP, "  add_up(d, work, tally);\n", "  work.leave();\n  add_up(d, work, tally);\n"),
)


# name, what the program does instead, which engines and scenes show it, (file, text, instead)...
VARIANTS = (
    ("frame", "neighbours beyond the map are told by tests; there is no frame to read", [(NAIVE, "etna"), (NAIVE, "dense")],
     (PROCESSES, "  const sciara_fields &f;\n  int64_t i;\n  __device__ real z(int n) const { return f.z[i + "
      "sciara_moore_offset(n, f.stride)]; }\n  __device__ real h(int n) const { return f.h[i + "
      "sciara_moore_offset(n, f.stride)]; }\n",
      "  const sciara_fields &f;\n  int64_t i, rows, cols;\n  __device__ bool within(int n) const {\n"
      "    const int64_t r = i / f.stride + sciara_moore_row(n), c = i % f.stride + sciara_moore_col(n);\n"
      "    return r >= 1 && r <= rows && c >= 1 && c <= cols;\n  }\n"
      "  __device__ real z(int n) const { return within(n) ? f.z[i + sciara_moore_offset(n, f.stride)] : SCIARA_WALL; }\n"
      "  __device__ real h(int n) const { return within(n) ? f.h[i + sciara_moore_offset(n, f.stride)] : 0; }\n"),
     (PROCESSES, "visit(i, global_ground{d.f, i});", "visit(i, global_ground{d.f, i, d.rows, d.cols});")),
    ("row-padding", "rows are padded to 64 bytes, not to 128", [(NAIVE, "dense"), (FUSED, "dense"), (FUSED, "etna")],
     ("src/engine/host_fields.c", "SCIARA_ALIGNMENT / (int64_t)sizeof(real);", "64 / (int64_t)sizeof(real);")),
    ("tile-4x8", "tiles of 4 x 8 cells, not 8 x 4", [(FUSED, "etna")],
     ("cuda/fused_space.cuh", "TILE_WIDTH = 8,", "TILE_WIDTH = 4,"),
     ("cuda/fused_space.cuh", "TILE_HEIGHT = 4,", "TILE_HEIGHT = 8,")),
    ("tile-16x2", "tiles of 16 x 2 cells, not 8 x 4", [(FUSED, "etna")],
     ("cuda/fused_space.cuh", "TILE_WIDTH = 8,", "TILE_WIDTH = 16,"),
     ("cuda/fused_space.cuh", "TILE_HEIGHT = 4,", "TILE_HEIGHT = 2,")),
    ("patch-16x16", "patches of 16 x 16 cells, not 32 x 8", [(FUSED, "dense")],
     (PATCHES, "struct patch_space : tile_list<32, 8> {", "struct patch_space : tile_list<16, 16> {")),
    ("patch-32x4", "patches of 32 x 4 cells, not 32 x 8", [(FUSED, "dense")],
     (PATCHES, "struct patch_space : tile_list<32, 8> {", "struct patch_space : tile_list<32, 4> {"),
     (PATCHES, "enum { EVALUATING = 4, MOVING = 4 };", "enum { EVALUATING = 8, MOVING = 8 };")),
    ("packing", "what gathers in a cell lies in four arrays, not in one of 32 bytes a cell", [(FUSED, "dense")],
     (PATCHES, "    space.parcel[(int64_t)p * patch_space::CELLS + k] = parcel;\n",
      "    real *lot = (real *)space.parcel + (int64_t)p * patch_space::CELLS * 4 + k;\n"
      "    lot[0] = parcel.h, lot[patch_space::CELLS] = parcel.px, lot[2 * patch_space::CELLS] = parcel.py,\n"
      "    lot[3 * patch_space::CELLS] = parcel.heat;\n"),
     (PATCHES, "    const sciara_parcel parcel = space.parcel[(int64_t)p * patch_space::CELLS + k];\n",
      "    const real *lot = (const real *)space.parcel + (int64_t)p * patch_space::CELLS * 4 + k;\n"
      "    const sciara_parcel parcel = {lot[0], lot[patch_space::CELLS], lot[2 * patch_space::CELLS],\n"
      "                                  lot[3 * patch_space::CELLS]};\n")),
    ("cells-per-thread", "a thread has two cells, not one", [(NAIVE, "etna"), (NAIVE, "dense")],
     ("cuda/engine_cuda_naive.cu", "visit((int64_t)blockIdx.x / across * blockDim.y,",
      "visit((int64_t)blockIdx.x / across * (2 * blockDim.y),"),
     ("cuda/engine_cuda_naive.cu", "      if (r < d.rows && c < d.cols) visit((r + 1) * d.f.stride + c + 1);\n",
      "      for (int64_t q = r; q <= r + blockDim.y; q += blockDim.y)\n"
      "        if (q < d.rows && c < d.cols) visit((q + 1) * d.f.stride + c + 1);\n"),
     ("cuda/engine_cuda_naive.cu", "const shape how = one_block_a_tile(e);",
      "shape how = one_block_a_tile(e);\n  const unsigned across = (unsigned)((e->device.cols + how.block.x - 1) / how.block.x);\n"
      "  how.blocks = (how.blocks / across + 1) / 2 * across;")),
    ("recompute", "who gets lava, and the average, are found again where it moves, not stored", [(FUSED, "dense")],
     (PATCHES, "    const real of_cell = d.f.T[i], average = space.average[there];\n",
      "    const real of_cell = d.f.T[i];\n"),
     (PATCHES, "    const unsigned to = space.sent[there];\n",
      "    real tops[SCIARA_MOORE], average = 0;\n    unsigned open = 0;\n    tops[0] = 0;\n"
      "    const real hc = sciara_critical_height(&d.rule, of_cell);\n    SCIARA_UNROLL\n"
      "    for (int n = 1; n < SCIARA_MOORE; n++) {\n      sciara_slope any;\n      tops[n] = donor.top(n);\n"
      "      if (donor.look(n, hc, tops[n], &any)) open |= 1u << n;\n    }\n"
      "    const unsigned to = open ? sciara_minimise(open | SCIARA_SELF, donor.h, tops, &average) >> 1 : 0;\n")),
    ("graph", "kernels are launched one by one, not as a graph of 32 steps", [(NAIVE, "etna")],
     ("cuda/device_engine.cu", "  SCIARA_CUDA_TRY(cudaGraphLaunch(e->batch, e->stream));\n",
      "  for (int k = 0; k < SCIARA_BATCH; k++) SCIARA_TRY(e->strategy->launch(e, e->stream));\n")),
    ("persistent", "three kernels a step for little lava too, not many steps in one", [(FUSED, "etna")],
     (ENGINE, "  e->how = e->blocks ? SMALL : PATCHES;\n", "  e->blocks = 0;\n  e->how = PATCHES;\n")),
    ("sixteen-blocks", "as many blocks as a cluster can have, 16, with more room each, not one a multiprocessor",
     [(FUSED, "etna")], *SIXTEEN_BLOCKS),
    ("cluster", "a cluster of 16 blocks, and its barrier and shared memory, not the grid's", [(FUSED, "etna")],
     *cluster_of(512)),
    ("cluster-1024", "a cluster of 16 blocks of 1,024 threads, not of 512", [(FUSED, "etna")], *cluster_of(1024)),
    ("cluster-counted", "a cluster of 16 blocks that count each other in shared memory, without its barrier",
     [(FUSED, "etna")], *cluster_of(512, COUNTED_MEETING)),
    ("cluster-state", "the state of little lava lies in the distributed shared memory of one cluster of 16 blocks: "
     "what neighbours hold is read from the block that holds it", [(FUSED, "etna")],
     *cluster_of(512, COUNTED_MEETING), *STATE_IN_CLUSTER),
    ("list-every-step", "the list is made anew in every step", [(FUSED, "etna"), (FUSED, "dense")],
     (ENGINE, "(fit < 1 ? 1 : fit > 1e6 ? 1e6 : fit);", "1;")),
    ("list-every-8", "the list is made anew every eight steps at the latest", [(FUSED, "etna"), (FUSED, "dense")],
     (ENGINE, "(fit < 1 ? 1 : fit > 1e6 ? 1e6 : fit);", "(fit < 1 ? 1 : fit > 8 ? 8 : fit);")),
    ("parameters-copied", "each thread copies the kernels' parameters, which otherwise stay where they are",
     [(FUSED, "dense")],
     (PATCHES, "evaluate_patches(" + COPIED[0], "evaluate_patches(" + COPIED[1]),
     (PATCHES, "move_in_patches(" + COPIED[0], "move_in_patches(" + COPIED[1])),
    ("constant-memory", "the rule's numbers lie in constant memory, not among the parameters", [(FUSED, "dense")],
     (PATCHES, "/** What a liquid cell needs to compute flows. */\n",
      "__constant__ sciara_rule rule_in_constant_memory;\n\n/** What a liquid cell needs to compute flows. */\n"),
     (PATCHES, "return sciara_slope_open_with(&d.rule,", "return sciara_slope_open_with(&rule_in_constant_memory,"),
     (PATCHES, "keep(1 - sciara_dissipation(&d_.rule, T))", "keep(1 - sciara_dissipation(&rule_in_constant_memory, T))"),
     (PATCHES, "sciara_slope_time(&d.rule,", "sciara_slope_time(&rule_in_constant_memory,"),
     (PATCHES, "sciara_pass_settle(&d.rule,", "sciara_pass_settle(&rule_in_constant_memory,"),
     (ENGINE, "  begin_patches<<<1, 1, 0, stream>>>",
      "  SCIARA_CUDA_TRY(cudaMemcpyToSymbolAsync(rule_in_constant_memory, &d.rule, sizeof d.rule, 0, "
      "cudaMemcpyHostToDevice, stream));\n  begin_patches<<<1, 1, 0, stream>>>")),
    ("minimum", "each warp brings its smallest time to the clock by itself, not each block", [(FUSED, "dense")],
     (PATCHES, "  const unsigned long long bits = block_min((unsigned long long)__double_as_longlong((double)t_opt));\n"
      "  if (!is_first()) return;\n  atomicMin(&d.control->clock_bits, bits);\n",
      "  const unsigned long long bits = warp_reduce((unsigned long long)__double_as_longlong((double)t_opt),\n"
      "                                              smaller<unsigned long long>);\n"
      "  if (is_lane_0()) atomicMin(&d.control->clock_bits, bits);\n  if (!is_first()) return;\n")),
    ("looks", "the numbers of all lava are never looked at, neither in the first step nor every 64 steps",
     [(engine, scene) for engine in ON_GPU for scene in ("etna", "dense")]
     + [(engine, scene) for engine in ON_CPU for scene in ("etna", "dense-512")],
     (PROCESSES, "return (d.control->step - d.control->first) % SCIARA_LOOK_EVERY == 0;", "return (void)d, false;"),
     (SMALL, "const bool looks = (my.since_look + steps) % SCIARA_LOOK_EVERY == 0;", "const bool looks = false;"),
     ("src/engine/clockwork.h", "return (c->now.step - c->first) % SCIARA_LOOK_EVERY == 0;", "return (void)c, false;"),
     ("src/engine/engine_openmp.c", "p->looks = (e->step - FIRST_STEP) % SCIARA_LOOK_EVERY == 0;", "p->looks = false;")),
)
