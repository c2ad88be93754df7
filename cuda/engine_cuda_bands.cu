// SPDX-License-Identifier: Apache-2.0
// A map in bands of rows, each on a GPU of its own: the steps for much lava of cuda-fused (fused_patches.cuh), in which
// the bands exchange the rows next to their borders and agree on the clock and on the end of each step without waiting for
// the host (fused_bands.cuh, bands_exchange.cuh). Bands follow the lava: when one has too much of it, the map is cut again.
//
// A band is the common part of a CUDA engine for its own rows and a halo, with padded indices of its own. The engine is
// its first band, which knows the others.
#include <cmath>

#include "bands_phases.cuh"
#include "base/mem.h"
#include "base/wallclock.h"

namespace {

using namespace sciara_gpu;

const double LAUNCH_SECONDS = 0.01; ///< intended duration of a launch: `advance` can return between two launches
const double MOST_IMBALANCE = 1.03; ///< of the work of a band to the mean; above it the map may be cut again
const double BETTER = 1.02;         ///< by how much another cut must relieve the band with most work

// ---------------------------------------------------------------------------------------------------------- one band

void layout(void *engine, sciara_arena *arena) {
  band *b = static_cast<band *>(engine);
  const int64_t rows = b->base.hf.grid.rows + 2;
  b->patches.lay_out(arena, rows, b->base.hf.count / rows);
  b->words = arena->take<unsigned long long>(BAND_TOPICS * MOST_BANDS + SIDES);
  b->work = arena->take<unsigned>(rows);
}

size_t first_scratch(void *engine) {
  patch_space copy = static_cast<band *>(engine)->patches;
  return size_scratch(&copy, first_tiles(&copy));
}

/** Empties the words of the meetings of a band. Those about its halo are 0, as before all steps. */
sciara_status clear_words(const band *b) {
  static_assert(SCIARA_NO_WORD == ~0ull, "all bytes are 0xff");
  SCIARA_CUDA_TRY(cudaMemsetAsync(b->words, 0xff, BAND_TOPICS * MOST_BANDS * sizeof *b->words, b->base.stream));
  return SCIARA_OK;
}

sciara_status prepare(void *engine) {
  band *b = static_cast<band *>(engine);
  if (!b->report) SCIARA_CUDA_TRY(cudaMallocHost(&b->report, LAUNCHES * sizeof *b->report));
  for (cudaEvent_t &event : b->reported)
    if (!event) SCIARA_CUDA_TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  b->seen = {};
  b->everywhere = true;
  b->base.device.vents.of_map = b->of_map;
  SCIARA_TRY(clear_words(b));
  const uint64_t first = first_tiles(&b->patches);
  return take_scratch(&b->base, &b->scratch, &b->patches, first, first);
}

void release(void *engine) {
  band *b = static_cast<band *>(engine);
  if (b->scratch) cudaFree(b->scratch);
  if (b->report) cudaFreeHost(b->report);
  for (cudaEvent_t &event : b->reported) {
    if (event) cudaEventDestroy(event);
    event = nullptr;
  }
  b->scratch = nullptr;
  b->report = nullptr;
}

constexpr sciara_device_strategy strategy_of(size_t size) {
  return {.name = "cuda-bands",
          .size = size,
          .exchange = SCIARA_OWN_EXCHANGE,
          .block_width = 32,
          .block_height = 8,
          .layout = layout,
          .prepare = prepare,
          .before = nullptr,
          .launch = nullptr,
          .run = prepare, // not called: bands advance together
          .done = nullptr,
          .release = release,
          .scratch = first_scratch};
}

const sciara_device_strategy strategy = strategy_of(sizeof(bands_engine)), of_others = strategy_of(sizeof(band));

/** Rows of the halo, and the row of the map that is the first of the band's grid. */
void take_rows(const bands_engine *e, int k, int64_t first, int64_t count) {
  band *b = e->bands[k];
  b->first = first;
  b->count = count;
  b->base.setup.halo_north = k > 0 ? (int64_t)SCIARA_HALO_ROWS : e->setup.halo_north;
  b->base.setup.halo_south = k + 1 < e->count ? (int64_t)SCIARA_HALO_ROWS : e->setup.halo_south;
  for (int64_t v = 0; v < b->vents.count; v++) b->vents.row[v] = e->vents->row[v] - (first - b->base.setup.halo_north);
}

/** The part of the state of a map that a band computes, with its halo. */
sciara_state part_of(const sciara_state *map, const band *b) {
  sciara_state part = *map;
  const int64_t before = top_of(b) * map->grid.cols;
  part.grid.rows = rows_of(b);
  part.grid.north -= (double)top_of(b) * map->grid.cell_size;
  part.kind += before;
#define SCIARA_REAL_FIELD(member) part.member += before;
#define SCIARA_GROUND_FIELD(member) SCIARA_REAL_FIELD(member)
#define SCIARA_DOUBLE_FIELD(member) SCIARA_REAL_FIELD(member)
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (part.member) part.member += before;
#include "model/fields.def"
  return part;
}

/** Frees the fields on the host, which are needed during transfers only. */
void drop_staging(band *b) {
  sciara_host_fields *hf = &b->base.hf;
  const sciara_host_fields was = *hf;
  sciara_host_fields_destroy(hf);
  hf->grid = was.grid;
  hf->count = was.count;
  hf->f.stride = was.f.stride;
}

/**
 * Cuts rows begin .. end - 1 into bands with about the same work, or fewer if they are few. Bands of a map that is large
 * enough have the patches of the map, so that their work does not depend on the cut: the first row of their grid, which
 * is one of the halo, begins a row of patches.
 */
sciara_status cut(const unsigned *work, int64_t begin, int64_t end, int bands, sciara_cuts *cuts) {
  enum { WORK = 4096 }; // a row without lava is a small part of a cell, so that dry maps are divided too
  const int64_t halo = bands > 1 && end - begin > 2 * SCIARA_HALO_ROWS ? (int64_t)SCIARA_HALO_ROWS : 0,
                rows = end - begin - halo;
  int64_t *weight = nullptr;
  SCIARA_TRY(SCIARA_NEW(weight, rows, "the work of the rows of a map"));
  for (int64_t r = 0; r < rows; r++) weight[r] = 1 + WORK * (int64_t)work[begin + halo + r];
  *cuts = sciara_cuts_make(rows, weight, bands, patch_space::HEIGHT);
  for (int k = 1; k <= cuts->count; k++) cuts->first[k] += begin + halo;
  cuts->first[0] = begin;
  sciara_free(weight);
  return SCIARA_OK;
}

/** The work of the band that has most. */
double most_work(const unsigned *work, int count, const int64_t *first) {
  double most = 0;
  for (int k = 0; k < count; k++) {
    double sum = 0;
    for (int64_t r = first[k]; r < first[k + 1]; r++) sum += work[r];
    if (sum > most) most = sum;
  }
  return most;
}

/** Adds the work of a patch of a map, which begins in this row and column, to its rows. */
void weigh_patch(const sciara_state *map, int64_t row0, int64_t col0, unsigned *work) {
  const int64_t end = row0 + patch_space::HEIGHT < map->grid.rows ? row0 + patch_space::HEIGHT : map->grid.rows,
                col_end = col0 + patch_space::WIDTH < map->grid.cols ? col0 + patch_space::WIDTH : map->grid.cols;
  unsigned any = 0;
  for (int64_t r = row0 < 0 ? 0 : row0; r < end; r++) {
    unsigned liquid = 0;
    for (int64_t c = col0 < 0 ? 0 : col0; c < col_end; c++) liquid += map->h[r * map->grid.cols + c] != 0;
    work[r] += liquid;
    any |= liquid;
  }
  for (int64_t r = row0 < 0 ? 0 : row0; any && r < end; r++) work[r] += WORK_OF_PATCH / patch_space::HEIGHT;
}

/** The work of each row of a map: as weigh_rows, before there are lists. Patches begin in the frame. */
void weigh_map(const sciara_state *map, unsigned *work) {
  for (int64_t row = -1; row < map->grid.rows; row += patch_space::HEIGHT)
    for (int64_t col = -1; col < map->grid.cols; col += patch_space::WIDTH) weigh_patch(map, row, col, work);
}

// -------------------------------------------------------------------------------------------------------------- create

/** Loads all kernels: a kernel that is loaded while another one waits for a band would wait for that one. */
sciara_status load_kernels(int device, bool *begins_early) {
  const void *const kernels[] = {(const void *)begin_list<patch_space>,
                                 (const void *)list_inner<patch_space>,
                                 (const void *)list_halo,
                                 (const void *)list_outer<patch_space>,
                                 (const void *)set_entries<patch_space>,
                                 (const void *)begin_band,
                                 (const void *)evaluate_patches<band_border>,
                                 (const void *)agree_on_clock,
                                 (const void *)move_in_patches<band_border>,
                                 (const void *)settle_patches<band_border>,
                                 (const void *)fetch_rows,
                                 (const void *)turn_band,
                                 (const void *)watch_patches};
  return find_early(device, kernels, begins_early);
}

/** Makes band k on a GPU. Bands of one GPU share a stream, so that none of them waits for one that cannot begin. */
sciara_status make_band(bands_engine *e, int k, const sciara_engine_setup *setup, int first_gpu, int gpus) {
  band *b = e->bands[k];
  void *made = b;
  if (k > 0) SCIARA_TRY(sciara_device_create(&of_others, setup, &made));
  b = e->bands[k] = static_cast<band *>(made);
  e->made = k + 1;
  if (k > 0 && e->bands[k - 1]->base.setup.device == setup->device) {
    SCIARA_CUDA_TRY(cudaStreamDestroy(b->base.stream));
    b->base.stream = e->bands[k - 1]->base.stream;
  }
  b->of_map = setup->halo_north + setup->halo_south == 0;
  b->vents = *e->vents;
  b->vents.row = nullptr;
  SCIARA_TRY(SCIARA_NEW(b->vents.row, e->vents->count, "rows of the vents of a band"));
  b->base.setup.vents = &b->vents;
  SCIARA_CUDA_TRY(cudaSetDevice(setup->device));
  SCIARA_TRY(load_kernels(setup->device, &b->begins_early));
  return e->exchange == SCIARA_EXCHANGE_PEER ? open_peers(setup->device, first_gpu, gpus) : SCIARA_OK;
}

void destroy(void *engine) {
  bands_engine *e = engine_of(engine);
  if (!e) return;
  const sciara_same_device scope;
  e->count = e->made;
  wait_for_all(e); // the first of them would free what others still write to
  close_nccl(e);
  close_mail(e);
  for (int k = e->made - 1; k >= 0; k--) {
    band *b = e->bands[k];
    if (k > 0 && e->bands[k - 1]->base.stream == b->base.stream) b->base.stream = nullptr; // of the other
    sciara_free(b->vents.row);
    b->vents.row = nullptr;
    sciara_device_destroy(b);
  }
}

sciara_status create(const sciara_engine_setup *setup, void **engine) {
  const sciara_same_device scope;
  sciara_band_exchange exchange;
  const sciara_nccl *nccl = nullptr;
  int gpus = 0, count = 0;
  SCIARA_TRY(choose_gpus(setup, &gpus, &exchange));
  SCIARA_TRY(choose_bands(setup, gpus, exchange, &count));
  if (exchange == SCIARA_EXCHANGE_NCCL) SCIARA_TRY(find_nccl(&nccl));
  SCIARA_TRY(sciara_device_create(&strategy, setup, engine));
  bands_engine *e = engine_of(*engine);
  e->setup = *setup;
  e->vents = setup->vents;
  e->exchange = exchange;
  e->nccl = nccl;
  e->bands[0] = &e->lead;
  sciara_status status = SCIARA_OK;
  for (int k = 0; status == SCIARA_OK && k < count; k++) {
    sciara_engine_setup own = *setup;
    own.device = setup->device + k * gpus / count;
    status = make_band(e, k, &own, setup->device, gpus);
  }
  if (status == SCIARA_OK) return SCIARA_OK;
  destroy(e);
  *engine = nullptr;
  return status;
}

// ----------------------------------------------------------------------------------------------------------- transfers

sciara_status upload_band(bands_engine *e, int k, const sciara_state *map) {
  band *b = e->bands[k];
  sciara_state part = part_of(map, b);
  if (k > 0) part.solidifications = 0; // the bands' counts are added up
  if (k > 0 && !b->of_map) part.emitted = 0;
  SCIARA_TRY(sciara_device_upload(b, &part));
  drop_staging(b);
  return SCIARA_OK;
}

sciara_status upload(void *engine, const sciara_state *map) {
  bands_engine *e = engine_of(engine);
  const sciara_same_device scope;
  SCIARA_TRY(sciara_band_check(&e->setup, &map->grid));
  const int64_t rows = map->grid.rows;
  unsigned *work = nullptr;
  sciara_cuts cuts;
  sciara_step_control_load(&e->control, map, e->vents);
  e->grid = map->grid;
  e->record = sciara_state_record(map);
  e->steps = patch_space::STEPS_OF_GRACE + 1;
  e->queued = e->read = 0;
  e->waste = e->price = 0;
  e->on_the_way = 0;
  SCIARA_TRY(SCIARA_NEW(work, rows, "the work of the rows of a map"));
  weigh_map(map, work);
  const sciara_status status = cut(work, e->setup.halo_north, rows - e->setup.halo_south, e->made, &cuts);
  sciara_free(work);
  SCIARA_TRY(status);
  e->count = cuts.count;
  for (int k = 0; k < e->count; k++) {
    take_rows(e, k, cuts.first[k], cuts.first[k + 1] - cuts.first[k]);
    SCIARA_TRY(upload_band(e, k, map));
  }
  return connect(e);
}

/** Writes the own rows of a band into the state of a map; its GPU is the current one. */
sciara_status download_band(band *b, sciara_state *map) {
  sciara_state part = part_of(map, b);
  sciara_host_fields staging = {};
  SCIARA_TRY(sciara_host_fields_create(&staging, &part));
  const sciara_status status = sciara_device_download_with(&b->base, &staging, &part);
  sciara_host_fields_destroy(&staging);
  return status;
}

sciara_status download(void *engine, sciara_state *map) {
  bands_engine *e = engine_of(engine);
  const sciara_same_device scope;
  SCIARA_TRY(try_bands(e, [map](band *b) { return download_band(b, map); }));
  sciara_step_control_store(&e->control, map);
  return SCIARA_OK;
}

sciara_status keep(void *engine, int buffer) {
  bands_engine *e = engine_of(engine);
  for (int k = 0; k < e->count; k++) SCIARA_TRY(sciara_device_keep(e->bands[k], buffer));
  e->kept[buffer] = e->control;
  __atomic_fetch_add(&e->on_the_way, 1, __ATOMIC_ACQ_REL);
  return SCIARA_OK;
}

sciara_status collect(void *engine, int buffer, sciara_state *map) {
  bands_engine *e = engine_of(engine);
  for (int k = 0; k < e->count; k++) {
    sciara_state part = part_of(map, e->bands[k]);
    SCIARA_TRY(sciara_device_collect(e->bands[k], buffer, &part));
  }
  sciara_step_control_store(&e->kept[buffer], map);
  __atomic_fetch_sub(&e->on_the_way, 1, __ATOMIC_ACQ_REL);
  return SCIARA_OK;
}

// ----------------------------------------------------------------------------------------------------- another cut

/** A band before another cut. */
struct old_band {
  sciara_device_engine base;
  patch_space patches;
  unsigned long long *words;
  unsigned *work;
  int64_t first, count, north;
};

/** Copies the rows that the grid of a band has from those of an old one. Its GPU is the current one. */
sciara_status copy_rows(const band *b, const old_band *old) {
  const int64_t begin = top_of(b) > old->first ? top_of(b) : old->first, old_end = old->first + old->count,
                end = top_of(b) + rows_of(b) < old_end ? top_of(b) + rows_of(b) : old_end;
  if (begin >= end) return SCIARA_OK;
  const sciara_fields *to = &b->base.device.f, *from = &old->base.device.f;
  const int64_t stride = to->stride, cells = (end - begin) * stride, at = (begin - top_of(b) + 1) * stride,
                was_at = (begin - (old->first - old->north) + 1) * stride;
#define SCIARA_COPY(member)                                                           \
  if (to->member)                                                                     \
    SCIARA_CUDA_TRY(cudaMemcpyAsync((void *)(to->member + at), from->member + was_at, \
                                    (size_t)cells * sizeof *to->member, cudaMemcpyDefault, b->base.stream));
#define SCIARA_REAL_FIELD(member) SCIARA_COPY(member)
#define SCIARA_GROUND_FIELD(member) SCIARA_COPY(member)
#define SCIARA_DOUBLE_FIELD(member) SCIARA_COPY(member)
#define SCIARA_RECORDED_FIELD(member, NAME, ...) SCIARA_COPY(member)
#include "model/fields.def"
  SCIARA_COPY(kind)
#undef SCIARA_COPY
  return SCIARA_OK;
}

/** Walls above and below the rows of new memory; those on the left and right are part of the rows. */
__global__ void make_frame(const __grid_constant__ sciara_device d) {
  const int64_t row = blockIdx.y == 0 ? 0 : d.rows + 1, col = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (col < d.f.stride) d.f.z[row * d.f.stride + col] = SCIARA_WALL;
}

/** Fills the new memory of band k from the old bands: fields, control, stop rule, the counts of its list. */
sciara_status fill(bands_engine *e, int k, const old_band *old) {
  band *b = e->bands[k];
  sciara_device *d = &b->base.device;
  cudaStream_t stream = b->base.stream;
  make_frame<<<dim3((unsigned)((d->f.stride + 255) / 256), 2), 256, 0, stream>>>(*d);
  SCIARA_CUDA_TRY(cudaGetLastError());
  for (int n = 0; n < e->count; n++) SCIARA_TRY(copy_rows(b, &old[n]));
  const old_band *was = &old[k];
  SCIARA_CUDA_TRY(cudaMemcpyAsync(d->control, was->base.device.control, sizeof *d->control, cudaMemcpyDefault, stream));
  SCIARA_CUDA_TRY(cudaMemcpyAsync(b->base.stop, was->base.stop, sizeof *b->base.stop, cudaMemcpyDefault, stream));
  SCIARA_CUDA_TRY(cudaMemcpyAsync(b->patches.c, was->patches.c, sizeof *b->patches.c, cudaMemcpyDefault, stream));
  SCIARA_CUDA_TRY(cudaMemsetAsync(&b->patches.c->valid, 0, sizeof b->patches.c->valid, stream));
  b->everywhere = true;
  return clear_words(b);
}

/** Gives the bands their old memory again. */
sciara_status put_back(bands_engine *e, const old_band *old) {
  for (int k = 0; k < e->count; k++) {
    band *b = e->bands[k];
    if (b->base.memory != old[k].base.memory) {
      sciara_device_leave_buffers(&b->base);
      if (b->base.memory) cudaFree(b->base.memory);
    }
    b->base = old[k].base;
    b->patches = old[k].patches;
    b->words = old[k].words;
    b->work = old[k].work;
    take_rows(e, k, old[k].first, old[k].count);
  }
  return try_bands(e, [e](band *b) {
    if (!b->base.kept) return SCIARA_OK;
    return sciara_device_take_buffers(&b->base, sciara_device_kept_bytes(b->base.hf.count, e->record));
  });
}

/** Gives the bands these rows; they keep theirs if there is not enough memory for both at a time. No state is kept. */
sciara_status cut_again(bands_engine *e, const int64_t *first) {
  old_band old[MOST_BANDS];
  sciara_status status = SCIARA_OK;
  for (int k = 0; k < e->count; k++) {
    band *b = e->bands[k];
    sciara_device_leave_buffers(&b->base);
    old[k] = {b->base, b->patches, b->words, b->work, b->first, b->count, b->base.setup.halo_north};
  }
  for (int k = 0; status == SCIARA_OK && k < e->count; k++) {
    take_rows(e, k, first[k], first[k + 1] - first[k]);
    SCIARA_CUDA_TRY(cudaSetDevice(e->bands[k]->base.setup.device));
    status = sciara_device_relay(&e->bands[k]->base, rows_of(e->bands[k]), e->record);
  }
  if (status == SCIARA_ERR_MEMORY) {
    e->price = (double)INFINITY; // never again
    return put_back(e, old);
  }
  for (int k = 0; status == SCIARA_OK && k < e->count; k++) {
    SCIARA_CUDA_TRY(cudaSetDevice(e->bands[k]->base.setup.device));
    status = fill(e, k, old);
  }
  if (status == SCIARA_OK) status = connect(e);
  for (int k = 0; k < e->count; k++) cudaFree(old[k].base.memory);
  return status;
}

/** The work of the rows of the map, by the lists of the last launch. */
sciara_status weigh(bands_engine *e, unsigned *work) {
  SCIARA_TRY(for_bands(e, [](band *b) {
    const unsigned blocks = (unsigned)b->base.multiprocessors * 8;
    cudaMemsetAsync(b->work, 0, (size_t)(b->base.device.rows + 2) * sizeof *b->work, b->base.stream);
    weigh_rows<<<blocks, patch_space::CELLS, 0, b->base.stream>>>(b->base.device, b->patches, b->work);
  }));
  return try_bands(e, [work](band *b) {
    SCIARA_CUDA_TRY(cudaMemcpyAsync(work + b->first, b->work + 1 + b->base.setup.halo_north,
                                    (size_t)b->count * sizeof *work, cudaMemcpyDeviceToHost, b->base.stream));
    SCIARA_CUDA_TRY(cudaStreamSynchronize(b->base.stream));
    return SCIARA_OK;
  });
}

/** Cuts the map again if that leaves less work to the band with most. */
sciara_status try_cut(bands_engine *e) {
  unsigned *work = nullptr;
  int64_t was[MOST_BANDS + 1];
  sciara_cuts cuts;
  SCIARA_TRY(SCIARA_NEW(work, e->grid.rows, "the work of the rows of a map"));
  sciara_status status = weigh(e, work);
  for (int k = 0; k < e->count; k++) was[k] = e->bands[k]->first;
  was[e->count] = e->grid.rows;
  if (status == SCIARA_OK) status = cut(work, 0, e->grid.rows, e->count, &cuts);
  const bool better =
      status == SCIARA_OK && most_work(work, e->count, cuts.first) * BETTER < most_work(work, e->count, was);
  sciara_free(work);
  return better ? cut_again(e, cuts.first) : status;
}

/** Adds the time that the imbalance of the bands has cost in a launch that took `took` s. */
void add_waste(bands_engine *e, double took) {
  double all = 0, most = 0;
  for (int k = 0; k < e->count; k++) {
    const double patches = (double)e->bands[k]->seen.inner;
    const double work = WORK_OF_PATCH * patches + (double)e->bands[k]->base.control->liquid;
    all += work;
    if (work > most) most = work;
  }
  if (most * e->count > MOST_IMBALANCE * all) e->waste += took * (1 - all / (most * e->count));
}

/** Whether imbalance has cost more time than the last cut took, and no kept state has the rows of that cut. */
bool is_wasteful(const bands_engine *e) {
  return e->waste > e->price && !__atomic_load_n(&e->on_the_way, __ATOMIC_ACQUIRE);
}

/** Cuts the map again if that helps, and notes what it took. */
sciara_status balance(bands_engine *e) {
  const double begin = sciara_wallclock();
  SCIARA_TRY(try_cut(e));
  const double price = sciara_wallclock() - begin;
  if (price > e->price) e->price = price;
  e->waste = 0;
  return SCIARA_OK;
}

// --------------------------------------------------------------------------------------------------------------- steps

/** Queues a launch of `steps` steps, and its report. Kernels after the last step do nothing. */
sciara_status queue_launch(bands_engine *e, unsigned long long steps) {
  if (e->queued == e->read) e->at = sciara_wallclock();
  SCIARA_TRY(queue_begin(e, steps));
  for (unsigned long long k = 0; k < steps; k++) {
    SCIARA_TRY(queue_patches(e, evaluate_patches<band_border>));
    queue_watch(e, 0);
    SCIARA_TRY(queue_movement(e));
  }
  e->in_launch[e->queued % LAUNCHES] = steps;
  return queue_report(e);
}

/** Sets the number of steps of the next launch. `did`: steps of the last one, which took `took` s. */
void set_pace(bands_engine *e, unsigned long long did, double took) {
  bool entered = false;
  if (!did) return;
  for (int k = 0; k < e->count; k++) entered = entered || e->bands[k]->seen.entered;
  const double most = entered ? (double)patch_space::STEPS_OF_GRACE + 1 : 2 * (double)e->steps;
  const double fit = LAUNCH_SECONDS * (double)did / (took > 1e-6 ? took : 1e-6);
  e->steps = (unsigned long long)(fit > most ? most : fit < 1 ? 1 : fit);
}

/** Waits for the report of the oldest launch and reads it. */
sciara_status read_launch(bands_engine *e) {
  const unsigned long long begun = e->control.now.step;
  SCIARA_TRY(receive_report(e));
  SCIARA_TRY(read_totals(e));
  const double now = sciara_wallclock(), took = now - e->at;
  e->at = now;
  set_pace(e, e->control.now.step - begun, took);
  if (e->count > 1) add_waste(e, took);
  return SCIARA_OK;
}

sciara_status read_all(bands_engine *e) {
  while (e->read != e->queued) SCIARA_TRY(read_launch(e));
  return SCIARA_OK;
}

/** Queues launches up to the step at which `stop` applies. */
sciara_status queue_launches(bands_engine *e, const sciara_stop *stop) {
  while (e->queued - e->read < LAUNCHES) {
    unsigned long long planned = e->control.now.step;
    for (unsigned k = e->read; k != e->queued; k++) planned += e->in_launch[k % LAUNCHES];
    if (planned >= stop->steps) return SCIARA_OK;
    const unsigned long long left = stop->steps - planned;
    SCIARA_TRY(queue_launch(e, left < e->steps ? left : e->steps));
  }
  return SCIARA_OK;
}

sciara_status advance(void *engine, const sciara_stop *stop, sciara_engine_progress *progress) {
  bands_engine *e = engine_of(engine);
  const sciara_same_device scope;
  SCIARA_TRY(sciara_band_check_whole(&e->setup));
  SCIARA_TRY(sciara_step_control_between_steps(&e->control));
  sciara_step_control *c = &e->control;
  bool done = !sciara_step_control_begin(c, stop);
  if (!done) SCIARA_TRY(try_bands(e, [stop](band *b) { return sciara_device_set_stop(&b->base, stop); }));
  while (!done) {
    SCIARA_TRY(queue_launches(e, stop));
    SCIARA_TRY(read_launch(e));
    done = sciara_step_control_stop(c, stop) || c->now.bad.step;
    if (done || !has_room(e) || is_wasteful(e)) {
      SCIARA_TRY(read_all(e)); // they do nothing if a step has ended the simulation
      done = sciara_step_control_stop(c, stop) || c->now.bad.step;
    }
    if (done || e->read != e->queued) continue;
    SCIARA_TRY(make_room(e));
    if (is_wasteful(e)) SCIARA_TRY(balance(e));
  }
  *progress = c->now;
  return sciara_step_control_status(c);
}

void estimate_memory(const sciara_grid *grid, unsigned record, size_t *host, size_t *device) {
  sciara_device_memory(&of_others, grid, record, host, device);
}

} // namespace

extern "C" const struct sciara_engine_ops SCIARA_NAME(sciara_engine_cuda_bands);
const struct sciara_engine_ops SCIARA_NAME(sciara_engine_cuda_bands) = {
    .name = "cuda-bands",
    .summary = "GPU: bands of the map on several GPUs of one host",
    .capabilities = SCIARA_CAN_DEVICE,
    .determinism = SCIARA_GATHER_CLASS,
    .options = "gpus bands exchange",
    .create = create,
    .destroy = destroy,
    .upload = upload,
    .download = download,
    .advance = advance,
    .threads = nullptr,
    .probe = sciara_device_probe,
    .memory = estimate_memory,
    .memory_of_lava = nullptr,
    .profile = sciara_device_profile,
    .keep = keep,
    .collect = collect,
    .keep_memory = sciara_device_keep_memory,
    .phases = &bands_phases,
    .slots = nullptr,
};
