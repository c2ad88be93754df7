// SPDX-License-Identifier: Apache-2.0
#include "device_engine.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/mem.h"
#include "cuda_check.h"

namespace {

/** Lays out all arrays on the device. `record`: bits of enum sciara_record. */
void lay_out(sciara_device_engine *e, sciara_arena *c, unsigned record, int64_t vents, int64_t vent_slots) {
  sciara_device *d = &e->device;
  const int64_t count = e->hf.count;
#define SCIARA_REAL_FIELD(member) d->f.member = c->take<real>(count);
#define SCIARA_GROUND_FIELD(member) d->f.member = record & SCIARA_RECORD_OF_GROUND ? c->take<real>(count) : nullptr;
#define SCIARA_DOUBLE_FIELD(member) d->f.member = c->take<double>(count);
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  d->f.member = record & SCIARA_RECORD_##NAME ? c->take<real>(count) : nullptr;
#include "model/fields.def"
  d->f.kind = c->take<uint8_t>(count);
  if (e->strategy->exchange == SCIARA_GATHER) {
    for (real *&slot : d->slots.out) slot = c->take<real>(count);
#if !SCIARA_SHEET
    for (int n = 1; n < SCIARA_MOORE; n++) d->slots.speed[n] = c->take<real>(count);
#endif
    d->slots.px = c->take<real>(count);
    d->slots.py = c->take<real>(count);
    d->slots.heat = c->take<real>(count);
    d->slots.stamp = c->take<unsigned>(count);
  } else if (e->strategy->exchange == SCIARA_SCATTER) {
    real **sums[] = {&d->sums.h, &d->sums.px, &d->sums.py, &d->sums.heat};
    for (real **field : sums) *field = c->take<real>(count);
  }
  d->vents.cell = c->take<int64_t>(vents);
  d->vents.first = c->take<int64_t>(vents + 1);
  d->vents.begin = c->take<double>(vent_slots);
  d->vents.end = c->take<double>(vent_slots);
  d->vents.rate = c->take<double>(vent_slots);
  d->vents.volume = c->take<double>(vents);
  d->control = c->take<sciara_device_control>(1);
  d->stop = e->stop = c->take<sciara_stop_rule>(1);
  e->kept = e->setup.keeps ? c->take<char>((int64_t)sciara_device_kept_bytes(count, record)) : nullptr;
  if (e->strategy->layout) e->strategy->layout(e, c);
}

void release(sciara_device_engine *e) {
  sciara_device_leave_buffers(e); // before the release of memory that the carrier reads
  if (e->graph) cudaGraphExecDestroy(e->graph);
  if (e->memory) cudaFree(e->memory);
  if (e->strategy->release) e->strategy->release(e);
  sciara_host_fields_destroy(&e->hf);
  e->graph = nullptr;
  e->memory = nullptr;
  e->memory_bytes = 0;
}

template <class T> sciara_status copy_in(const sciara_device_engine *e, const T *to, const void *from, int64_t count) {
  return sciara_device_put(e, const_cast<T *>(to), from, (size_t)count * sizeof(T));
}

template <class T> sciara_status copy_out(const sciara_device_engine *e, T *to, const T *from, int64_t count) {
  SCIARA_CUDA_TRY(cudaMemcpyAsync(to, from, (size_t)count * sizeof(T), cudaMemcpyDeviceToHost, e->stream));
  return SCIARA_OK;
}

/** Makes e->memory at least that large; `kept`: bytes of it for kept states. */
sciara_status take_block(sciara_device_engine *e, size_t bytes, size_t kept) {
  if (e->memory && e->memory_bytes >= bytes) return SCIARA_OK;
  if (e->memory) cudaFree(e->memory);
  e->memory = nullptr;
  e->memory_bytes = 0;
  size_t free_bytes = 0, total = 0;
  SCIARA_CUDA_TRY(cudaMemGetInfo(&free_bytes, &total));
  if (bytes > free_bytes)
    return sciara_fail(
        SCIARA_ERR_MEMORY,
        "engine %s needs %zu MiB of device memory (%zu MiB of it for snapshots on the way), %zu MiB are free",
        e->strategy->name, bytes >> 20, kept >> 20, free_bytes >> 20);
  SCIARA_CUDA_TRY(cudaMalloc(&e->memory, bytes));
  e->memory_bytes = bytes;
  return SCIARA_OK;
}

sciara_status take_memory(sciara_device_engine *e, unsigned record) {
  const sciara_vents *v = e->setup.vents;
  sciara_arena size = {};
  lay_out(e, &size, record, v->count, v->slots);
  const size_t kept = e->setup.keeps ? sciara_device_kept_bytes(e->hf.count, record) : 0;
  SCIARA_TRY(take_block(e, size.used, kept));
  if (!e->reuses) SCIARA_CUDA_TRY(cudaMemsetAsync(e->memory, 0, size.used, e->stream));
  e->arena = {};
  e->arena.base = static_cast<char *>(e->memory);
  lay_out(e, &e->arena, record, v->count, v->slots);
  return kept ? sciara_device_take_buffers(e, kept) : SCIARA_OK;
}

sciara_status upload_vents(sciara_device_engine *e) {
  const sciara_vents *v = e->setup.vents;
  sciara_device_vents *d = &e->device.vents;
  int64_t *cell = nullptr;
  SCIARA_TRY(SCIARA_NEW(cell, v->count, "the cells of the vents"));
  for (int64_t k = 0; k < v->count; k++) cell[k] = sciara_host_index(&e->hf, v->row[k], v->col[k]);
  const sciara_status status = copy_in(e, d->cell, cell, v->count);
  sciara_free(cell);
  SCIARA_TRY(status);
  d->count = v->count;
  SCIARA_TRY(copy_in(e, d->first, v->first, v->count + 1));
  SCIARA_TRY(copy_in(e, d->begin, v->begin, v->slots));
  SCIARA_TRY(copy_in(e, d->end, v->end, v->slots));
  return copy_in(e, d->rate, v->rate, v->slots);
}

sciara_status upload_fields(sciara_device_engine *e) {
  const sciara_fields *to = &e->device.f, *from = &e->hf.f;
  const int64_t n = e->hf.count;
#define SCIARA_REAL_FIELD(member) SCIARA_TRY(copy_in(e, to->member, from->member, n));
#define SCIARA_GROUND_FIELD(member) \
  if (to->member) SCIARA_TRY(copy_in(e, to->member, from->member, n));
#define SCIARA_DOUBLE_FIELD(member) SCIARA_TRY(copy_in(e, to->member, from->member, n));
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (to->member) SCIARA_TRY(copy_in(e, to->member, from->member, n));
#include "model/fields.def"
  return copy_in(e, to->kind, from->kind, n);
}

sciara_status upload_control(sciara_device_engine *e) {
  const sciara_engine_progress *now = &e->step_control.now;
  sciara_device_control *c = e->control;
  memset(c, 0, sizeof *c);
  c->time = now->time;
  c->emitted = now->emitted;
  c->t = (real)now->clock;
  c->step = now->step;
  c->solidifications = now->solidifications;
  c->liquid = (unsigned long long)now->liquid_cells;
  c->bad_before = c->bad_after = SCIARA_NO_CELL;
  return copy_in(e, e->device.control, c, 1);
}

sciara_status record_mark(sciara_device_engine *e, int mark, cudaStream_t stream) {
  SCIARA_CUDA_TRY(cudaEventRecordWithFlags(e->mark[mark], stream, cudaEventRecordExternal));
  return SCIARA_OK;
}

/** Adds the times of the timed step, the last one of a graph. */
sciara_status read_marks(sciara_device_engine *e) {
  e->profile.timed_steps++;
  for (int p = 0; p < SCIARA_PROCESSES; p++) {
    float ms = 0;
    SCIARA_CUDA_TRY(cudaEventElapsedTime(&ms, e->mark[p], e->mark[p + 1]));
    e->profile.seconds[p] += (double)ms * 1e-3;
  }
  return SCIARA_OK;
}

/** A graph of SCIARA_GRAPH_STEPS steps, launched as one. */
sciara_status capture_steps(sciara_device_engine *e) {
  cudaGraph_t graph = nullptr;
  SCIARA_CUDA_TRY(cudaStreamBeginCapture(e->stream, cudaStreamCaptureModeThreadLocal));
  sciara_status status = SCIARA_OK;
  if (e->strategy->before) status = e->strategy->before(e, e->stream);
  for (int k = 0; status == SCIARA_OK && k < SCIARA_GRAPH_STEPS; k++) {
    e->marking = e->setup.profile && k == SCIARA_GRAPH_STEPS - 1;
    if (e->marking) status = record_mark(e, 0, e->stream);
    if (status == SCIARA_OK) status = e->strategy->launch(e, e->stream);
  }
  e->marking = false;
  const cudaError_t ended = cudaStreamEndCapture(e->stream, &graph);
  if (status == SCIARA_OK && ended != cudaSuccess) status = sciara_cuda_fail(ended, "cudaStreamEndCapture");
  if (status == SCIARA_OK) {
    const cudaError_t made = cudaGraphInstantiate(&e->graph, graph, 0);
    if (made != cudaSuccess) status = sciara_cuda_fail(made, "cudaGraphInstantiate");
  }
  if (graph) cudaGraphDestroy(graph);
  return status;
}

sciara_status launch_steps(sciara_device_engine *e) {
  SCIARA_CUDA_TRY(cudaGraphLaunch(e->graph, e->stream));
  return SCIARA_OK;
}

sciara_status take_device(sciara_device_engine *e) {
  SCIARA_WITH_DEVICE(e->setup.device);
  SCIARA_CUDA_TRY(cudaDeviceGetAttribute(&e->multiprocessors, cudaDevAttrMultiProcessorCount, e->setup.device));
  SCIARA_CUDA_TRY(cudaStreamCreateWithFlags(&e->stream, cudaStreamNonBlocking));
  SCIARA_CUDA_TRY(cudaMallocHost(&e->control, sizeof *e->control));
  if (e->setup.profile)
    for (cudaEvent_t &mark : e->mark) SCIARA_CUDA_TRY(cudaEventCreate(&mark));
  return SCIARA_OK;
}

/** Sets the options that were not given to the engine's defaults. */
void fill_options(const sciara_device_strategy *strategy, sciara_engine_options *o) {
  if (!o->block_width) {
    o->block_width = strategy->block_width;
    o->block_height = strategy->block_height;
  }
  if (!o->boxes) o->boxes = 2;
  if (!o->refit_every) o->refit_every = SCIARA_GRAPH_STEPS;
}

} // namespace

void sciara_device_read_control(struct sciara_device_engine *e) {
  sciara_engine_progress *now = &e->step_control.now;
  const sciara_device_control *c = e->control;
  now->step = c->step;
  now->time = c->time;
  now->clock = (double)c->t;
  now->emitted = c->emitted;
  now->liquid_cells = (int64_t)c->liquid;
  now->thick = c->thick != 0;
  now->solidifications = c->solidifications;
  now->losses = c->losses;
  now->sea_losses = c->sea_losses;
  now->cell_steps = c->cell_steps;
  now->reached = c->reached;
  e->profile.launched = c->launched;
  if (!c->failed) return;
  int64_t row, col;
  sciara_host_cell(&e->hf, (int64_t)(c->bad_before != SCIARA_NO_CELL ? c->bad_before : c->bad_after), &row, &col);
  sciara_step_control_report(&e->step_control, row, col);
}

enum sciara_status sciara_device_put(const struct sciara_device_engine *e, void *to, const void *from, size_t bytes) {
  if (bytes == 0) return SCIARA_OK;
  SCIARA_CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, e->stream));
  SCIARA_CUDA_TRY(cudaStreamSynchronize(e->stream));
  return SCIARA_OK;
}

enum sciara_status sciara_device_set_stop(struct sciara_device_engine *e, const struct sciara_stop *stop) {
  const sciara_stop_rule on_device = sciara_step_control_rule(&e->step_control, stop);
  const int none = SCIARA_STOP_NONE;
  SCIARA_TRY(copy_in(e, e->stop, &on_device, 1));
  SCIARA_TRY(copy_in(e, &e->device.control->thick, &none, 1));
  return copy_in(e, &e->device.control->reason, &none, 1);
}

enum sciara_status sciara_device_fetch_control(struct sciara_device_engine *e) {
  SCIARA_CUDA_TRY(
      cudaMemcpyAsync(e->control, e->device.control, sizeof *e->control, cudaMemcpyDeviceToHost, e->stream));
  SCIARA_CUDA_TRY(cudaStreamSynchronize(e->stream));
  return SCIARA_OK;
}

enum sciara_status sciara_device_create(const struct sciara_device_strategy *strategy,
                                        const struct sciara_engine_setup *setup, void **engine) {
  sciara_device_engine *e = static_cast<sciara_device_engine *>(calloc(1, strategy->size));
  if (!e) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for engine %s", strategy->name);
  e->strategy = strategy;
  e->setup = *setup;
  fill_options(strategy, &e->setup.options);
  const sciara_status status = take_device(e);
  if (status != SCIARA_OK) {
    sciara_device_destroy(e);
    return status;
  }
  *engine = e;
  return SCIARA_OK;
}

void sciara_device_destroy(void *engine) {
  sciara_device_engine *e = static_cast<sciara_device_engine *>(engine);
  if (!e) return;
  const sciara_on_device scope(e->setup.device);
  release(e);
  if (e->control) cudaFreeHost(e->control);
  for (cudaEvent_t mark : e->mark)
    if (mark) cudaEventDestroy(mark);
  if (e->stream) cudaStreamDestroy(e->stream);
  free(e);
}

enum sciara_status sciara_device_upload(void *engine, const struct sciara_state *state) {
  sciara_device_engine *e = static_cast<sciara_device_engine *>(engine);
  SCIARA_WITH_DEVICE(e->setup.device);
  if (!e->reuses) release(e);
  SCIARA_TRY(sciara_band_check(&e->setup, &state->grid));
  if (!e->hf.f.z) SCIARA_TRY(sciara_host_fields_create(&e->hf, state));
  sciara_host_fields_upload(&e->hf, state, e->setup.boundary);
  e->device.f.stride = e->hf.f.stride;
  e->device.rows = state->grid.rows;
  e->device.cols = state->grid.cols;
  e->device.band = sciara_band_of(&e->setup, state->grid.rows, e->hf.f.stride);
  e->device.cell_size = state->grid.cell_size;
  e->device.T_vent = (real)e->setup.params->T_vent;
  e->device.rule = sciara_rule_make(e->setup.params, state->grid.cell_size);
  sciara_step_control_load(&e->step_control, state, e->setup.vents);
  e->profile = {};
  SCIARA_TRY(take_memory(e, sciara_state_record(state)));
  SCIARA_TRY(upload_vents(e));
  SCIARA_TRY(upload_fields(e));
  SCIARA_TRY(upload_control(e));
  if (e->strategy->prepare) SCIARA_TRY(e->strategy->prepare(e));
  return e->strategy->run ? SCIARA_OK : capture_steps(e);
}

enum sciara_status sciara_device_relay(struct sciara_device_engine *e, int64_t rows, unsigned record) {
  e->memory = nullptr;
  e->memory_bytes = 0;
  e->hf.grid.rows = rows;
  e->hf.count = sciara_device_count(&e->hf.grid);
  e->device.rows = rows;
  e->device.band = sciara_band_of(&e->setup, rows, e->hf.f.stride);
  SCIARA_TRY(take_memory(e, record));
  return upload_vents(e);
}

void sciara_device_download_own(const struct sciara_device_engine *e, const struct sciara_host_fields *from,
                                struct sciara_state *state) {
  const int64_t north = e->setup.halo_north, south = e->setup.halo_south;
  sciara_host_fields_download_rows(from, north, state->grid.rows - north - south, state);
}

enum sciara_status sciara_device_download_with(struct sciara_device_engine *e, struct sciara_host_fields *staging,
                                               struct sciara_state *state) {
  const sciara_fields *from = &e->device.f, *to = &staging->f;
  const int64_t n = e->hf.count;
#define SCIARA_REAL_FIELD(member) SCIARA_TRY(copy_out(e, to->member, from->member, n));
#define SCIARA_DOUBLE_FIELD(member) SCIARA_TRY(copy_out(e, to->member, from->member, n));
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (to->member) SCIARA_TRY(copy_out(e, to->member, from->member, n));
#include "model/fields.def"
  SCIARA_CUDA_TRY(cudaStreamSynchronize(e->stream));
  sciara_device_download_own(e, staging, state);
  sciara_step_control_store(&e->step_control, state);
  return SCIARA_OK;
}

enum sciara_status sciara_device_download(void *engine, struct sciara_state *state) {
  sciara_device_engine *e = static_cast<sciara_device_engine *>(engine);
  SCIARA_WITH_DEVICE(e->setup.device);
  return sciara_device_download_with(e, &e->hf, state);
}

enum sciara_status sciara_device_advance(void *engine, const struct sciara_stop *stop,
                                         struct sciara_engine_progress *progress) {
  sciara_device_engine *e = static_cast<sciara_device_engine *>(engine);
  SCIARA_TRY(sciara_band_check_whole(&e->setup));
  SCIARA_TRY(sciara_step_control_between_steps(&e->step_control));
  SCIARA_WITH_DEVICE(e->setup.device);
  sciara_step_control *c = &e->step_control;
  bool done = !sciara_step_control_begin(c, stop);
  if (!done) SCIARA_TRY(sciara_device_set_stop(e, stop));
  while (!done) {
    e->ahead = stop->steps - c->now.step;
    SCIARA_TRY(e->strategy->run ? e->strategy->run(e) : launch_steps(e));
    SCIARA_TRY(sciara_device_fetch_control(e));
    const bool whole = e->graph && e->control->step == c->now.step + SCIARA_GRAPH_STEPS;
    sciara_device_read_control(e);
    if (e->strategy->done) SCIARA_TRY(e->strategy->done(e));
    if (e->setup.profile && whole) SCIARA_TRY(read_marks(e));
    done = sciara_step_control_stop(c, stop) || e->control->failed;
  }
  *progress = c->now;
  return sciara_step_control_status(c);
}

enum sciara_status sciara_device_evaluate(void *engine, enum sciara_status (*launch)(void *engine), double thickness,
                                          double *t_opt) {
  sciara_device_engine *e = static_cast<sciara_device_engine *>(engine);
  sciara_stop never = {};
  never.steps = UINT64_MAX;
  never.time = INFINITY;
  never.thickness = thickness;
  SCIARA_TRY(sciara_step_control_evaluate(&e->step_control, thickness));
  SCIARA_WITH_DEVICE(e->setup.device);
  SCIARA_TRY(sciara_device_set_stop(e, &never));
  SCIARA_TRY(launch(e));
  SCIARA_CUDA_TRY(cudaGetLastError());
  SCIARA_TRY(sciara_device_fetch_control(e));
  memcpy(t_opt, &e->control->clock_bits, sizeof *t_opt);
  return SCIARA_OK;
}

enum sciara_status sciara_device_move(void *engine, enum sciara_status (*launch)(void *engine), double t_opt,
                                      struct sciara_engine_progress *progress) {
  sciara_device_engine *e = static_cast<sciara_device_engine *>(engine);
  unsigned long long bits = 0;
  memcpy(&bits, &t_opt, sizeof bits);
  SCIARA_TRY(sciara_step_control_move(&e->step_control, t_opt));
  SCIARA_WITH_DEVICE(e->setup.device);
  SCIARA_TRY(copy_in(e, &e->device.control->clock_bits, &bits, 1));
  SCIARA_TRY(launch(e));
  SCIARA_CUDA_TRY(cudaGetLastError());
  SCIARA_TRY(sciara_device_fetch_control(e));
  sciara_device_read_control(e);
  *progress = e->step_control.now;
  return sciara_step_control_status(&e->step_control);
}

size_t sciara_device_row_bytes(const void *engine) {
  return sciara_host_fields_row_bytes(&static_cast<const sciara_device_engine *>(engine)->hf);
}

// A packed row has the fields one after the other, so the stride between rows of one field is a whole packed row.
enum sciara_status sciara_device_pack(void *engine, int64_t row, int64_t count, void *buffer) {
  const sciara_device_engine *e = static_cast<const sciara_device_engine *>(engine);
  SCIARA_TRY(sciara_step_control_between_steps(&e->step_control));
  SCIARA_TRY(sciara_band_check_pack(&e->setup, &e->hf.grid, row, count));
  if (count == 0) return SCIARA_OK;
  SCIARA_WITH_DEVICE(e->setup.device);
  const sciara_fields *f = &e->device.f;
  const size_t line = (size_t)e->hf.grid.cols * sizeof(real), packed = sciara_host_fields_row_bytes(&e->hf);
  const int64_t first = sciara_host_index(&e->hf, row, 0);
  char *to = static_cast<char *>(buffer);
#define SCIARA_REAL_FIELD(member)                                                                          \
  SCIARA_CUDA_TRY(cudaMemcpy2DAsync(to, packed, f->member + first, (size_t)f->stride * sizeof(real), line, \
                                    (size_t)count, cudaMemcpyDeviceToHost, e->stream));                    \
  to += line;
#include "model/fields.def"
  SCIARA_CUDA_TRY(cudaStreamSynchronize(e->stream));
  return SCIARA_OK;
}

enum sciara_status sciara_device_unpack(void *engine, int64_t row, int64_t count, const void *buffer) {
  const sciara_device_engine *e = static_cast<const sciara_device_engine *>(engine);
  SCIARA_TRY(sciara_step_control_between_steps(&e->step_control));
  SCIARA_TRY(sciara_band_check_unpack(&e->setup, &e->hf.grid, row, count));
  if (count == 0) return SCIARA_OK;
  SCIARA_WITH_DEVICE(e->setup.device);
  const sciara_fields *f = &e->device.f;
  const size_t line = (size_t)e->hf.grid.cols * sizeof(real), packed = sciara_host_fields_row_bytes(&e->hf);
  const int64_t first = sciara_host_index(&e->hf, row, 0);
  const char *from = static_cast<const char *>(buffer);
#define SCIARA_REAL_FIELD(member)                                                                            \
  SCIARA_CUDA_TRY(cudaMemcpy2DAsync(f->member + first, (size_t)f->stride * sizeof(real), from, packed, line, \
                                    (size_t)count, cudaMemcpyHostToDevice, e->stream));                      \
  from += line;
#include "model/fields.def"
  SCIARA_CUDA_TRY(cudaStreamSynchronize(e->stream)); // the caller may use the buffer again
  return SCIARA_OK;
}

enum sciara_status sciara_device_mark(struct sciara_device_engine *e, enum sciara_process process,
                                      cudaStream_t stream) {
  return e->marking ? record_mark(e, process + 1, stream) : SCIARA_OK;
}

enum sciara_status sciara_device_check_guards(void *engine) {
  const sciara_device_engine *e = static_cast<sciara_device_engine *>(engine);
  SCIARA_WITH_DEVICE(e->setup.device);
  for (int k = 0; k < e->arena.pieces; k++) {
    unsigned char band[SCIARA_GUARD];
    SCIARA_CUDA_TRY(cudaMemcpy(band, e->arena.base + e->arena.guard[k], sizeof band, cudaMemcpyDeviceToHost));
    for (size_t b = 0; b < sizeof band; b++)
      if (band[b])
        return sciara_fail(SCIARA_ERR_INTERNAL, "engine %s wrote %zu bytes behind array %d", e->strategy->name, b, k);
  }
  return SCIARA_OK;
}

enum sciara_status sciara_device_profile(void *engine, struct sciara_engine_profile *out) {
  *out = static_cast<sciara_device_engine *>(engine)->profile;
  return SCIARA_OK;
}

void sciara_device_memory(const struct sciara_device_strategy *strategy, const struct sciara_grid *grid,
                          unsigned record, size_t *host, size_t *device) {
  *host = sciara_host_fields_memory(grid, record);
  *device = 0;
  sciara_device_engine *e = static_cast<sciara_device_engine *>(calloc(1, strategy->size));
  if (!e) return;
  e->strategy = strategy;
  fill_options(strategy, &e->setup.options);
  e->hf.grid = *grid;
  e->hf.count = sciara_device_count(grid);
  sciara_arena size = {};
  lay_out(e, &size, record, 0, 0);
  *device = size.used + (strategy->scratch ? strategy->scratch(e) : 0);
  free(e);
}
