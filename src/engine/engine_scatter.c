// SPDX-License-Identifier: Apache-2.0
// A reference for the effect of rounding: one thread, and every donor adds its outflows to its neighbours. `serial`
// adds the inflows of a cell in the order of the neighbours; here the order is that of the donors, which the option
// `order` sets. The difference between two orders shows how the model reacts to a rounding in the last bit, which no
// engine with atomic additions can avoid.
#include "base/hash.h"
#include "base/mem.h"
#include "engine/host_fields.h"
#include "engine/step_control.h"
#include "model/tally.h"

struct box {
  int64_t top, bottom, left, right; ///< includes the last row and column; empty if top > bottom
};

struct scatter {
  struct sciara_engine_setup setup;
  struct sciara_step_control control;
  struct sciara_host_fields hf;
  struct sciara_rule rule;
  struct box lava;
  real t;
  struct sciara_evaluation *evaluation; ///< of each cell
  struct sciara_inflow *sum;            ///< the inflow of each cell; 0 between two steps
};

static const struct box empty = {INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN};

static void extend(struct box *b, int64_t row, int64_t col) {
  if (row < b->top) b->top = row;
  if (row > b->bottom) b->bottom = row;
  if (col < b->left) b->left = col;
  if (col > b->right) b->right = col;
}

static enum sciara_status create_scatter(const struct sciara_engine_setup *setup, void **engine) {
  struct scatter *e;
  SCIARA_TRY(SCIARA_NEW(e, 1, "engine scatter"));
  e->setup = *setup;
  *engine = e;
  return SCIARA_OK;
}

static void release_scatter(struct scatter *e) {
  sciara_host_fields_destroy(&e->hf);
  sciara_free(e->evaluation);
  sciara_free(e->sum);
  e->evaluation = NULL;
  e->sum = NULL;
}

static void destroy_scatter(void *engine) {
  if (!engine) return;
  release_scatter((struct scatter *)engine);
  sciara_free(engine);
}

static enum sciara_status upload_scatter(void *engine, const struct sciara_state *state) {
  struct scatter *e = (struct scatter *)engine;
  release_scatter(e);
  SCIARA_TRY(sciara_host_fields_create(&e->hf, state));
  SCIARA_TRY(SCIARA_NEW(e->evaluation, (size_t)e->hf.count, "evaluations"));
  SCIARA_TRY(SCIARA_NEW(e->sum, (size_t)e->hf.count, "sums"));
  sciara_host_fields_upload(&e->hf, state, e->setup.boundary);
  sciara_step_control_load(&e->control, state, e->setup.vents);
  e->rule = sciara_rule_make(e->setup.params, state->grid.cell_size);
  e->t = (real)state->clock;
  e->lava = empty;
  for (int64_t row = 0; row < state->grid.rows; row++)
    for (int64_t col = 0; col < state->grid.cols; col++)
      // Invalid thicknesses are in the box too, so that the first step finds them.
      if (e->hf.f.h[sciara_host_index(&e->hf, row, col)] != 0) extend(&e->lava, row, col);
  return SCIARA_OK;
}

static enum sciara_status download_scatter(void *engine, struct sciara_state *state) {
  const struct scatter *e = (const struct scatter *)engine;
  sciara_host_fields_download(&e->hf, state);
  sciara_step_control_store(&e->control, state);
  return SCIARA_OK;
}

static void emit_scatter(struct scatter *e) {
  const struct sciara_vents *v = e->setup.vents;
  struct sciara_engine_progress *now = &e->control.now;
  for (int64_t k = 0; k < v->count; k++) {
    const double volume =
        sciara_vent_volume(v->begin, v->end, v->rate, v->first[k], v->first[k + 1], now->time, (double)e->t);
    if (!(volume > 0)) continue;
    sciara_pass_emit(&e->hf.f, sciara_host_index(&e->hf, v->row[k], v->col[k]), volume, e->hf.grid.cell_size,
                     (real)e->setup.params->T_vent, now->time);
    extend(&e->lava, v->row[k], v->col[k]);
    now->emitted = now->emitted + volume;
  }
  now->time = now->time + (double)e->t;
}

static void evaluate_scatter(struct scatter *e) {
  const bool check = sciara_step_control_is_check(&e->control);
  real t_opt = e->rule.clock_max;
  for (int64_t row = e->lava.top; row <= e->lava.bottom; row++)
    for (int64_t col = e->lava.left; col <= e->lava.right; col++) {
      const int64_t i = sciara_host_index(&e->hf, row, col);
      bool bad = false;
      if (e->hf.f.h[i] == 0) continue;
      if (check && !sciara_pass_is_sound(&e->rule, &e->hf.f, i)) bad = true;
      const real t = sciara_pass_evaluate(&e->rule, &e->hf.f, i, &e->evaluation[i], &bad);
      if (t < t_opt) t_opt = t;
      if (bad) sciara_step_control_report(&e->control, row, col);
      e->control.now.cell_steps++;
    }
  e->t = sciara_clock(&e->rule, t_opt);
}

static void add_scatter(struct sciara_inflow *to, struct sciara_inflow inflow) {
  to->h = to->h + inflow.h;
  to->px = to->px + inflow.px;
  to->py = to->py + inflow.py;
  to->heat = to->heat + inflow.heat;
}

/** Adds the residual of cell i to its own sum and its outflows to the sums of its neighbours. */
static void give(struct scatter *e, int64_t i) {
  const struct sciara_evaluation *p = &e->evaluation[i];
  const real T = e->hf.f.T[i];
  struct sciara_outflows out;
  bool bad = false; // evaluate has reported it
  if (!(e->hf.f.h[i] > 0)) return;
  const real h0 = sciara_cell_flow(p, e->hf.f.h[i], e->t, &out, &bad);
  add_scatter(&e->sum[i], sciara_cell_stays(p, &out, h0, e->t, T));
  for (int n = 1; n < SCIARA_MOORE; n++) {
    struct sciara_inflow inflow = {0, 0, 0, 0};
    if (out.to[n].thickness == 0) continue;
    sciara_inflow_add(&inflow, sciara_moore_reverse(n), out.to[n], T);
    add_scatter(&e->sum[i + sciara_moore_offset(n, e->hf.f.stride)], inflow);
  }
}

static int64_t common_divisor(int64_t a, int64_t b) {
  while (b) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/** Processes all donors of the box in an order of this step: cell (first + k stride) modulo the number of cells. */
static void scatter_mixed(struct scatter *e) {
  const struct box b = e->lava;
  const int64_t cols = b.right - b.left + 1, cells = (b.bottom - b.top + 1) * cols;
  const uint64_t drawn = sciara_hash_word(0, e->control.now.step, 1);
  int64_t stride = 1 + (int64_t)(drawn % (uint64_t)cells), at = (int64_t)((drawn >> 32) % (uint64_t)cells);
  while (common_divisor(stride, cells) != 1) stride++;
  for (int64_t k = 0; k < cells; k++) {
    give(e, sciara_host_index(&e->hf, b.top + at / cols, b.left + at % cols));
    at = (at + stride) % cells;
  }
}

/**
 * Processes all donors in the order of the option: by rows or columns, from the north-west corner of the box or towards
 * it, or in an order that changes with the step, as with atomic additions.
 */
static void scatter(struct scatter *e) {
  const struct box b = e->lava;
  const enum sciara_scatter_order order = (enum sciara_scatter_order)e->setup.options.order;
  const bool by_columns = order == SCIARA_SCATTER_COLUMNS || order == SCIARA_SCATTER_COLUMNS_BACKWARD;
  const bool backward = order == SCIARA_SCATTER_ROWS_BACKWARD || order == SCIARA_SCATTER_COLUMNS_BACKWARD;
  if (b.top > b.bottom) return;
  if (order == SCIARA_SCATTER_MIXED) {
    scatter_mixed(e);
    return;
  }
  const int64_t rows = b.bottom - b.top + 1, cols = b.right - b.left + 1;
  const int64_t lines = by_columns ? cols : rows, length = by_columns ? rows : cols;
  for (int64_t n = 0; n < lines; n++)
    for (int64_t m = 0; m < length; m++) {
      const int64_t line = backward ? lines - 1 - n : n, at = backward ? length - 1 - m : m;
      give(e, by_columns ? sciara_host_index(&e->hf, b.top + at, b.left + line)
                         : sciara_host_index(&e->hf, b.top + line, b.left + at));
    }
}

/** Settles every cell that lava may have reached; the box becomes that of the liquid cells. */
static void settle_scatter(struct scatter *e) {
  struct sciara_engine_progress *now = &e->control.now;
  const struct box b = e->lava;
  struct sciara_tally tally = {0, 0, 0};
  e->lava = empty;
  now->liquid_cells = 0;
  now->thick = false;
  if (b.top > b.bottom) return;
  for (int64_t row = b.top - 1; row <= b.bottom + 1; row++)
    for (int64_t col = b.left - 1; col <= b.right + 1; col++) {
      const int64_t i = sciara_host_index(&e->hf, row, col);
      bool bad = false;
      if (e->sum[i].h == 0 && e->hf.f.h[i] == 0) continue;
      const enum sciara_outcome outcome =
          sciara_pass_settle(&e->rule, &e->hf.f, i, e->sum[i], e->t, e->control.now.time, &bad);
      e->sum[i] = (struct sciara_inflow){0, 0, 0, 0};
      sciara_tally_count(&tally, outcome);
      if (bad) sciara_step_control_report(&e->control, row, col);
      if (outcome != SCIARA_OUTCOME_LIQUID) continue;
      now->liquid_cells++;
      now->thick |= sciara_step_control_is_thick(&e->control, (double)e->hf.f.h[i]);
      extend(&e->lava, row, col);
    }
  sciara_step_control_add(&e->control, &tally);
}

static enum sciara_status step_scatter(void *engine) {
  struct scatter *e = (struct scatter *)engine;
  emit_scatter(e);
  evaluate_scatter(e);
  SCIARA_TRY(sciara_step_control_status(&e->control));
  scatter(e);
  settle_scatter(e);
  SCIARA_TRY(sciara_step_control_status(&e->control));
  e->control.now.clock = (double)e->t;
  e->control.now.step++;
  return SCIARA_OK;
}

static enum sciara_status advance_scatter(void *engine, const struct sciara_stop *stop,
                                          struct sciara_engine_progress *progress) {
  return sciara_step_control_run(&((struct scatter *)engine)->control, stop, step_scatter, engine, progress);
}

const struct sciara_engine_ops SCIARA_NAME(sciara_engine_scatter) = {
    .name = "scatter",
    .summary = "for tests: one thread, donors add to their neighbours in a chosen order",
    .capabilities = SCIARA_FOR_TESTS,
    .determinism = SCIARA_TOLERANCE,
    .options = "order",
    .create = create_scatter,
    .destroy = destroy_scatter,
    .upload = upload_scatter,
    .download = download_scatter,
    .advance = advance_scatter,
};
