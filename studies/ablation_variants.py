# SPDX-License-Identifier: Apache-2.0
"""The variants of studies/ablation: techniques left out or replaced."""

FUSED, NAIVE = "cuda-fused", "cuda-naive"
ON_GPU = (FUSED, NAIVE, "cuda-rbb", "cuda-multi-rbb", "cuda-lac", "cuda-atomic", "cuda-lac-atomic")
ON_CPU = ("serial", "openmp")
ENGINE, PATCHES, PROCESSES = "cuda/engine_cuda_fused.cu", "cuda/fused_patches.cuh", "cuda/processes.cuh"
SPACE, PATCHES_FV3 = "cuda/patch_space.cuh", "cuda/patches_fv3.cuh"
COPIED = ("const __grid_constant__ sciara_device d, const __grid_constant__ patch_space space,\n",
          "const sciara_device d, const patch_space space,\n")
SMALL = "cuda/fused_small.cuh"


# name, what the program does instead, which engines and scenes show it, (file, text, instead)...
VARIANTS = (
    ("frame", "neighbours beyond the map are found by tests; there is no frame to read", [(NAIVE, "etna"), (NAIVE, "dense")],
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
     (SPACE, "struct patch_space : tile_list<32, 8> {", "struct patch_space : tile_list<16, 16> {")),
    ("patch-32x4", "patches of 32 x 4 cells, not 32 x 8", [(FUSED, "dense")],
     (SPACE, "struct patch_space : tile_list<32, 8> {", "struct patch_space : tile_list<32, 4> {"),
     (SPACE, "enum { EVALUATING = 4, MOVING = sizeof(real) == sizeof(double) ? 3 : 5, SETTLING = 5 };",
      "enum { EVALUATING = 8, MOVING = 6, SETTLING = 10 };")),
    ("packing", "the inflow of a cell is stored in four arrays, not in one of 32 bytes a cell", [(FUSED, "dense")],
     (PATCHES, "    space.inflow[(int64_t)p * patch_space::CELLS + k] = inflow;\n",
      "    real *lot = (real *)space.inflow + (int64_t)p * patch_space::CELLS * 4 + k;\n"
      "    lot[0] = inflow.h, lot[patch_space::CELLS] = inflow.px, lot[2 * patch_space::CELLS] = inflow.py,\n"
      "    lot[3 * patch_space::CELLS] = inflow.heat;\n"),
     (PATCHES, "    const sciara_inflow inflow = space.inflow[(int64_t)p * patch_space::CELLS + k];\n",
      "    const real *lot = (const real *)space.inflow + (int64_t)p * patch_space::CELLS * 4 + k;\n"
      "    const sciara_inflow inflow = {lot[0], lot[patch_space::CELLS], lot[2 * patch_space::CELLS],\n"
      "                                  lot[3 * patch_space::CELLS]};\n")),
    ("cells-per-thread", "a thread computes two cells, not one", [(NAIVE, "etna"), (NAIVE, "dense")],
     ("cuda/engine_cuda_naive.cu", "visit((int64_t)blockIdx.x / across * blockDim.y,",
      "visit((int64_t)blockIdx.x / across * (2 * blockDim.y),"),
     ("cuda/engine_cuda_naive.cu", "      if (r < d.rows && c < d.cols) visit((r + 1) * d.f.stride + c + 1);\n",
      "      for (int64_t q = r; q <= r + blockDim.y; q += blockDim.y)\n"
      "        if (q < d.rows && c < d.cols) visit((q + 1) * d.f.stride + c + 1);\n"),
     ("cuda/engine_cuda_naive.cu", "const shape how = one_block_a_tile(e);",
      "shape how = one_block_a_tile(e);\n  const unsigned across = (unsigned)((e->device.cols + how.block.x - 1) / how.block.x);\n"
      "  how.blocks = (how.blocks / across + 1) / 2 * across;")),
    ("recompute", "the receivers and the average are computed again where lava moves, not stored", [(FUSED, "dense")],
     (PATCHES_FV3, "    const real of_cell = d.f.T[i], average = space.average[there];\n",
      "    const real of_cell = d.f.T[i];\n"),
     (PATCHES_FV3, "    const unsigned to = space.sent[there];\n",
      "    real tops[SCIARA_MOORE], average = 0;\n    unsigned open = 0;\n    tops[0] = 0;\n"
      "    const real hc = sciara_critical_height(&d.rule, of_cell);\n    SCIARA_UNROLL\n"
      "    for (int n = 1; n < SCIARA_MOORE; n++) {\n      sciara_slope any;\n      tops[n] = donor.top(n);\n"
      "      if (donor.find_slope(n, hc, tops[n], &any)) open |= 1u << n;\n    }\n"
      "    const unsigned to = open ? sciara_minimise(open | SCIARA_SELF, donor.h, tops, &average) >> 1 : 0;\n")),
    ("graph", "kernels are launched one by one, not as a graph of 32 steps", [(NAIVE, "etna")],
     ("cuda/device_engine.cu", "  SCIARA_CUDA_TRY(cudaGraphLaunch(e->graph, e->stream));\n",
      "  for (int k = 0; k < SCIARA_GRAPH_STEPS; k++) SCIARA_TRY(e->strategy->launch(e, e->stream));\n")),
    ("persistent", "three kernels a step for little lava too, not many steps in one", [(FUSED, "etna")],
     (ENGINE, "  e->how = e->blocks ? SMALL : PATCHES;\n", "  e->blocks = 0;\n  e->how = PATCHES;\n")),
    ("cluster", "all multiprocessors compute even the least lava, never a cluster", [(FUSED, "etna-begin"), (FUSED, "etna")],
     (ENGINE, "  return supported && clusters > 0;\n", "  return supported && clusters < 0;\n")),
    ("cluster-256", "a cluster computes as many tiles as it has room for", [(FUSED, "etna")],
     (ENGINE, "const unsigned MOST_CLUSTER_TILES = 112;", "const unsigned MOST_CLUSTER_TILES = 256;")),
    ("cooling", "each cell's temperature is computed before the barrier, not while waiting",
     [(FUSED, "etna-begin"), (FUSED, "etna-event")],
     (SMALL, "cools = !rim && sciara_surely_liquid(&d.rule, &inflow, t);", "cools = false;")),
    ("order", "the tiles of little lava are assigned to the blocks in their order, not the fullest first",
     [(FUSED, "etna-event")],
     (ENGINE, "  if (order_for) order_inner<<<", "  if (false) order_inner<<<")),
    ("list-every-step", "the list is made again in every step", [(FUSED, "etna"), (FUSED, "dense")],
     (ENGINE, "(fit < 1 ? 1 : fit > 1e6 ? 1e6 : fit);", "1;")),
    ("list-every-8", "the list is made again every eight steps at the latest", [(FUSED, "etna"), (FUSED, "dense")],
     (ENGINE, "(fit < 1 ? 1 : fit > 1e6 ? 1e6 : fit);", "(fit < 1 ? 1 : fit > 8 ? 8 : fit);")),
    ("parameters-copied", "each thread copies the kernels' parameters, which otherwise stay in place",
     [(FUSED, "dense")],
     (PATCHES, "evaluate_patches(" + COPIED[0], "evaluate_patches(" + COPIED[1]),
     (PATCHES, "move_in_patches(" + COPIED[0], "move_in_patches(" + COPIED[1])),
    ("constant-memory", "the constants of the rule are in constant memory, not among the parameters", [(FUSED, "dense")],
     (PATCHES_FV3, "/** The values of a liquid cell that are needed to compute its flows. */\n",
      "__constant__ sciara_rule rule_in_constant_memory;\n\n/** The values of a liquid cell that are needed to compute its flows. */\n"),
     (PATCHES_FV3, "return sciara_slope_open_with(&d.rule,", "return sciara_slope_open_with(&rule_in_constant_memory,"),
     (PATCHES_FV3, "keep(1 - sciara_dissipation(&d_.rule, T))", "keep(1 - sciara_dissipation(&rule_in_constant_memory, T))"),
     (PATCHES_FV3, "sciara_slope_time(&d.rule,", "sciara_slope_time(&rule_in_constant_memory,"),
     (PATCHES, "sciara_pass_settle(&d.rule,", "sciara_pass_settle(&rule_in_constant_memory,"),
     (ENGINE, "  begin_patches<<<1, THREADS_OF_VENTS, 0, stream>>>",
      "  SCIARA_CUDA_TRY(cudaMemcpyToSymbolAsync(rule_in_constant_memory, &d.rule, sizeof d.rule, 0, "
      "cudaMemcpyHostToDevice, stream));\n  begin_patches<<<1, THREADS_OF_VENTS, 0, stream>>>")),
    ("minimum", "each warp updates the clock with its smallest time, not each block", [(FUSED, "dense")],
     (PATCHES, "  const unsigned long long bits = block_min((unsigned long long)__double_as_longlong((double)t_opt));\n"
      "  if (!is_first()) return;\n  atomicMin(&d.control->clock_bits, bits);\n",
      "  const unsigned long long bits = warp_reduce((unsigned long long)__double_as_longlong((double)t_opt),\n"
      "                                              smaller<unsigned long long>);\n"
      "  if (is_lane_0()) atomicMin(&d.control->clock_bits, bits);\n  if (!is_first()) return;\n")),
    ("looks", "all lava is never checked for validity, neither in the first step nor every 64 steps",
     [(engine, scene) for engine in ON_GPU for scene in ("etna", "dense")]
     + [(engine, scene) for engine in ON_CPU for scene in ("etna", "dense-512")],
     (PROCESSES, "return d.control->step % SCIARA_CHECK_EVERY == 0;", "return (void)d, false;"),
     (SMALL, "const bool checks = (my.since_check + steps) % SCIARA_CHECK_EVERY == 0;", "const bool checks = false;"),
     ("src/engine/step_control.h", "return c->now.step % SCIARA_CHECK_EVERY == 0;", "return (void)c, false;")),
)
