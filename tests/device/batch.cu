// SPDX-License-Identifier: Apache-2.0
// Batches: each member has the bits and the totals of `serial`, whatever its slot, the other members and the lengths of
// the calls; an error in one slot changes nothing in the others, nor do calls for them; a slot stops next to its ring.
#include "device_engine.h"
#include "suite.h"

#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

const enum sciara_precision precision = sizeof(real) == sizeof(double) ? SCIARA_DOUBLE : SCIARA_SINGLE_PRECISION;
const sciara_engine_ops *tested; ///< an engine with batches

int device; ///< of the batches

enum { SLOTS = 17, PASSES = 2, SIDE = 64 };

/** The k-th number of a fixed sequence, in [0, 1). */
double draw(uint64_t k) {
  uint64_t x = (k + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  return (double)((x ^ x >> 32) >> 11) / 9007199254740992.0;
}

/** A member: a scene with parameters of its own, and how it ends. */
struct batch_member {
  scene s;
  sciara_stop stop;
  const char *name;
};

sciara_stop stop_of(uint64_t number, uint64_t steps) {
  sciara_stop stop = {};
  stop.steps = number % 4 == 1 ? UINT64_MAX : steps;
  stop.time = number % 4 == 1 ? 40 + 400 * draw(number) : INFINITY;
  stop.solidified = true;
  stop.thickness = number % 4 == 2 ? 2 + 6 * draw(number) : 0;
  stop.max_wall_ms = 1 + (unsigned)(number % 3);
  return stop;
}

/** All cases of that boundary, PASSES times, with parameters and rates varied by 10 %. */
std::vector<batch_member> make_members(enum sciara_boundary boundary) {
  std::vector<batch_member> members;
  size_t count;
  const conformance_case *list = conformance_cases(&count);
  for (uint64_t n = 0; n < PASSES * count; n++) {
    const conformance_case *c = &list[n % count];
    batch_member m = {};
    c->build(&m.s, c->variant, SCIARA_RECORD_EVERYTHING);
    if (m.s.boundary != boundary) {
      scene_free(&m.s);
      continue;
    }
    const auto vary = [&](double *x, uint64_t which) { *x *= 0.9 + 0.2 * draw(8 * n + which); };
    vary(&m.s.params.relaxation, 1);
    m.s.params.relaxation = std::fmin(m.s.params.relaxation, 1);
    vary(&m.s.params.cooling, 2);
    vary(&m.s.params.dP_vent, 3);
    vary(&m.s.params.hc_sol, 4);
    vary(&m.s.params.viscosity_vent, 6); // 0 in the other rule, as those above in this one
    vary(&m.s.params.yield_sol, 7);
    vary(&m.s.params.radiating, 2);
    m.s.params.radiating = std::fmin(m.s.params.radiating, 1);
    for (int64_t k = 0; k < m.s.vents->slots; k++) vary(&m.s.vents->rate[k], 5);
    scene_finish(&m.s, precision);
    uint64_t steps = 0;
    for (int k = 0; k < 4 && c->steps[k]; k++) steps = c->steps[k];
    m.stop = stop_of(n, steps);
    m.name = c->name;
    members.push_back(m);
  }
  return members;
}

/** The same member by `serial`. An advance with an error is one too: it must be the same error. */
void expect_like_serial(const batch_member &m, const sciara_engine_progress &found, const sciara_state *state) {
  run r;
  run_start(&r, engine_serial(precision), &m.s, 1);
  sciara_stop stop = m.stop;
  stop.max_wall_ms = 1000000;
  ck_assert_msg(r.ops->advance(r.engine, &stop, &r.at) == SCIARA_OK, "%s: %s", m.name, sciara_last_error());
  ck_assert_msg(found.reason == r.at.reason, "%s: reason %d, serial has %d", m.name, found.reason, r.at.reason);
  sciara_state *serial = run_state(&r, m.s.state);
  char text[256];
  ck_assert_msg(!states_differ(serial, state, text, sizeof text), "%s: %s", m.name, text);
  ck_assert_uint_eq(found.step, r.at.step);
  ck_assert_uint_eq(found.cell_steps, r.at.cell_steps);
  ck_assert_uint_eq(found.solidifications, r.at.solidifications);
  ck_assert_uint_eq(found.losses, r.at.losses);
  ck_assert_uint_eq(found.sea_losses, r.at.sea_losses);
  ck_assert_int_eq(found.liquid_cells, r.at.liquid_cells);
  ck_assert(found.time == r.at.time && found.clock == r.at.clock && found.emitted == r.at.emitted);
  sciara_state_destroy(serial);
  run_end(&r);
}

void *make_batch(enum sciara_boundary boundary, int slots, int threads, unsigned record = SCIARA_RECORD_EVERYTHING) {
  sciara_slots_setup setup = {};
  setup.boundary = boundary;
  setup.device = device;
  setup.slots = slots;
  setup.record = record;
  setup.cells = 900; // some scenes are larger
  setup.options.block_width = threads;
  setup.options.block_height = threads ? 1 : 0;
  void *batch = nullptr;
  ck_assert_msg(tested->slots->create(&setup, &batch) == SCIARA_OK, "%s", sciara_last_error());
  return batch;
}

void load_into(void *batch, int slot, const scene &s, unsigned sides) {
  ck_assert_msg(tested->slots->load(batch, slot, &s.params, s.vents, s.state, sides) == SCIARA_OK, "%s",
                sciara_last_error());
}

sciara_state *state_of(void *batch, int slot, const scene &s) {
  sciara_state *state = nullptr;
  ck_assert_int_eq(sciara_state_clone(s.state, &state), SCIARA_OK);
  ck_assert_msg(tested->slots->download(batch, slot, state) == SCIARA_OK, "%s", sciara_last_error());
  return state;
}

/** Runs all members: the next one takes the slot of one that has ended. Returns their number. */
int run_files(enum sciara_boundary boundary, int threads) {
  std::vector<batch_member> members = make_members(boundary);
  void *batch = make_batch(boundary, SLOTS, threads);
  int of_slot[SLOTS], loaded = 0;
  size_t next = 0, ended = 0;
  sciara_stop stops[SLOTS] = {};
  sciara_engine_progress progress[SLOTS] = {};
  for (int &member : of_slot) member = -1;
  while (ended < members.size()) {
    for (int k = 0; k < SLOTS && next < members.size(); k++) {
      if (of_slot[k] >= 0) continue;
      of_slot[k] = (int)next++;
      stops[k] = members[(size_t)of_slot[k]].stop;
      load_into(batch, k, members[(size_t)of_slot[k]].s, 0);
      loaded++;
    }
    ck_assert_msg(tested->slots->advance(batch, nullptr, stops, progress) == SCIARA_OK, "%s", sciara_last_error());
    for (int k = 0; k < SLOTS; k++) {
      if (of_slot[k] < 0 || progress[k].reason == SCIARA_STOP_WALL) continue;
      const batch_member &m = members[(size_t)of_slot[k]];
      sciara_state *state = state_of(batch, k, m.s);
      ck_assert_uint_eq(progress[k].bad.step, 0);
      expect_like_serial(m, progress[k], state);
      sciara_state_destroy(state);
      if (k % 2) tested->slots->clear(batch, k); // else the next member takes the place of this one
      of_slot[k] = -1;
      ended++;
    }
  }
  tested->slots->destroy(batch);
  for (batch_member &m : members) scene_free(&m.s);
  return loaded;
}

START_TEST(members) {
  const int threads[] = {0, 64, 256, 512, 768, 1024};
  const int open = run_files(SCIARA_BOUNDARY_OPEN, threads[_i]);
  const int closed = run_files(SCIARA_BOUNDARY_CLOSED, threads[_i]);
  printf("blocks of %d threads (0: the default): %d and %d members as serial\n", threads[_i], open, closed);
  ck_assert_int_ge(open, 40);
  ck_assert_int_ge(closed, 10);
}
END_TEST

// Members on another device than that of the calling thread.
START_TEST(on_the_last_device) {
  int count = 0;
  ck_assert_int_eq(cudaGetDeviceCount(&count), cudaSuccess);
  device = count - 1;
  const int loaded = run_files(SCIARA_BOUNDARY_OPEN, 0);
  printf("device %d of %d: %d members as serial\n", device, count, loaded);
  device = 0;
  int now = -1;
  ck_assert_int_eq(cudaGetDevice(&now), cudaSuccess);
  ck_assert_int_eq(now, 0);
}
END_TEST

double sloping(int64_t r, int64_t c, int v) { return 900 - 2 * (double)r - (double)((c * (v + 3)) % 7); }

/** So much lava that a few such slots have a cluster each. @param k gives the thicknesses */
void make_much_lava(scene *s, int k) {
  enum { MOST = 1000 };
  scene_make(s, SIDE, SIDE, SCIARA_RECORD_EVERYTHING, sloping, k % 4);
  for (int64_t r = 4; r < SIDE - 4; r++)
    for (int64_t c = 4; c < SIDE - 4; c++) scene_lava(s, r, c, 1 + 4 * draw((uint64_t)(k * MOST + r * SIDE + c)), 1350);
  scene_finish(s, precision);
}

// A NaN in the member of slot 1: slots 0 and 2 are as serial, and slot 1 works again after another load. With little lava
// and with much.
START_TEST(error_in_a_slot) {
  void *batch = make_batch(SCIARA_BOUNDARY_OPEN, 3, 0);
  batch_member m = {}, broken = {};
  m.name = _i ? "much lava" : "31 x 37";
  if (_i) {
    make_much_lava(&m.s, 0);
    make_much_lava(&broken.s, 1);
  } else {
    conformance_build("31 x 37", precision, SCIARA_RECORD_EVERYTHING, &m.s);
    conformance_build("flat pool", precision, SCIARA_RECORD_EVERYTHING, &broken.s);
  }
  broken.s.state->T[9 * broken.s.state->grid.cols + 11] = NAN;
  m.stop = stop_of(0, 300);
  sciara_stop stops[3] = {m.stop, m.stop, m.stop};
  sciara_engine_progress progress[3] = {};
  load_into(batch, 0, m.s, 0);
  load_into(batch, 1, broken.s, 0);
  load_into(batch, 2, m.s, 0);
  for (int pass = 0; pass < 2; pass++) {
    do {
      ck_assert_msg(tested->slots->advance(batch, nullptr, stops, progress) == SCIARA_OK, "%s", sciara_last_error());
    } while (progress[0].reason == SCIARA_STOP_WALL || progress[2].reason == SCIARA_STOP_WALL ||
             (pass == 1 && progress[1].reason == SCIARA_STOP_WALL));
    if (pass == 0) {
      ck_assert_uint_eq(progress[1].bad.step, 1);
      ck_assert(std::abs((int)progress[1].bad.row - 9) <= 1 && std::abs((int)progress[1].bad.col - 11) <= 1);
      load_into(batch, 1, m.s, 0);
    }
  }
  for (int k = 0; k < 3; k++) {
    sciara_state *state = state_of(batch, k, m.s);
    expect_like_serial(m, progress[k], state);
    sciara_state_destroy(state);
  }
  tested->slots->destroy(batch);
  scene_free(&m.s);
  scene_free(&broken.s);
}
END_TEST

bool is_near_ring(const sciara_state *s, unsigned sides) {
  for (int64_t r = 0; r < s->grid.rows; r++)
    for (int64_t c = 0; c < s->grid.cols; c++) {
      const bool near = ((sides & SCIARA_SIDE_NORTH) && r == 1) || ((sides & SCIARA_SIDE_WEST) && c == 1) ||
                        ((sides & SCIARA_SIDE_SOUTH) && r == s->grid.rows - 2) ||
                        ((sides & SCIARA_SIDE_EAST) && c == s->grid.cols - 2);
      if (near && s->h[r * s->grid.cols + c] > 0) return true;
    }
  return false;
}

uint64_t reached_by_flow(const scene &s, const sciara_state *now) {
  uint64_t count = 0;
  for (int64_t i = 0; i < sciara_grid_cells(&now->grid); i++)
    count += now->arrival[i] >= 0 && !(s.state->arrival[i] >= 0);
  for (int64_t k = 0; k < s.vents->count; k++)
    count -= now->arrival[s.vents->row[k] * now->grid.cols + s.vents->col[k]] >= 0;
  return count;
}

double inclined(int64_t r, int64_t c, int v) {
  const double sign = v & 1 ? 1 : -1;
  return 500 + sign * 1.5 * (double)(v & 2 ? r : c);
}

// The slot stops at the end of the first step in which lava has flowed into so many cells, and of that with lava next to
// the ring; before the first step if there is some already. The last scene has much lava and no vent.
START_TEST(ring) {
  const unsigned side[] = {SCIARA_SIDE_EAST, SCIARA_SIDE_WEST, SCIARA_SIDE_SOUTH, SCIARA_SIDE_NORTH, SCIARA_SIDE_SOUTH};
  batch_member m = {};
  const bool much = _i == 4;
  const double rate = 25;
  if (much) {
    make_much_lava(&m.s, 0);
  } else {
    scene_make(&m.s, 30, 30, SCIARA_RECORD_EVERYTHING, inclined, _i);
    scene_vent(&m.s, 15, 15, 3600, 1, &rate);
    scene_finish(&m.s, precision);
  }
  m.name = "ring";
  run r;
  run_start(&r, engine_serial(precision), &m.s, 1);
  uint64_t first = 0, reached = 0, later = 0; // cells reached by flow, and the first step with LATER
  enum { LATER = 20 };
  for (bool near = false; !near && first < 3000;) {
    run_to_step(&r, ++first);
    sciara_state *state = run_state(&r, m.s.state);
    near = is_near_ring(state, side[_i]);
    reached = reached_by_flow(m.s, state);
    if (!later && reached >= LATER) later = first;
    sciara_state_destroy(state);
  }
  run_end(&r);
  ck_assert_uint_lt(first, 3000);
  void *batch = make_batch(SCIARA_BOUNDARY_OPEN, 1, 0);
  sciara_stop stop = stop_of(0, 5000);
  sciara_engine_progress progress = {};
  load_into(batch, 0, m.s, side[_i]);
  if (!much) ck_assert(later > 0 && later < first);
  for (int k = much ? 2 : 0; k < 4; k++) { // each twice: the second time no step is done
    stop.reached = k < 2 ? LATER : 0;
    do {
      ck_assert_msg(tested->slots->advance(batch, nullptr, &stop, &progress) == SCIARA_OK, "%s", sciara_last_error());
    } while (progress.reason == SCIARA_STOP_WALL);
    ck_assert_int_eq(progress.reason, k < 2 ? SCIARA_STOP_REACHED : SCIARA_STOP_RING);
    ck_assert_uint_eq(progress.step, k < 2 ? later : first);
  }
  ck_assert_uint_eq(progress.reached, reached);
  sciara_state *state = state_of(batch, 0, m.s);
  m.stop = stop_of(0, first);
  progress.reason = SCIARA_STOP_STEPS;
  expect_like_serial(m, progress, state);
  if (!much) {
    m.s.vents->row[0] = m.s.vents->col[0] = side[_i] & (SCIARA_SIDE_EAST | SCIARA_SIDE_SOUTH) ? 28 : 1;
    ck_assert_int_eq(tested->slots->load(batch, 0, &m.s.params, m.s.vents, m.s.state, side[_i]), SCIARA_ERR_INTERNAL);
  }
  sciara_state_destroy(state);
  tested->slots->destroy(batch);
  scene_free(&m.s);
}
END_TEST

double rough(int64_t r, int64_t c, int v) {
  return 900 - (1 + v) * (double)r + 6 * draw((uint64_t)(1000 * v + r * SIDE + c));
}

// Thin and thick lava on rough ground: ridges that would run dry within a step, and directions in doubt. Nothing is recorded,
// so that momentum is computed only where it is needed.
START_TEST(rough_ground) {
  enum { MEMBERS = 4 };
  batch_member list[MEMBERS] = {};
  sciara_stop stops[MEMBERS] = {};
  sciara_engine_progress progress[MEMBERS] = {};
  void *batch = make_batch(SCIARA_BOUNDARY_OPEN, MEMBERS, 0, SCIARA_RECORD_NOTHING);
  for (int k = 0; k < MEMBERS; k++) {
    batch_member &m = list[k];
    scene_make(&m.s, SIDE, SIDE, SCIARA_RECORD_NOTHING, rough, k);
    for (int64_t r = 2; r < SIDE - 2; r++)
      for (int64_t c = 2; c < SIDE - 2; c++)
        scene_lava(&m.s, r, c, std::exp(3 * draw((uint64_t)(r * SIDE + c + k)) - 2),
                   1200 + 150 * draw((uint64_t)(c * SIDE + r)));
    scene_finish(&m.s, precision);
    m.name = "rough ground";
    m.stop = stop_of(0, 50 + 20 * (uint64_t)k);
    stops[k] = m.stop;
    load_into(batch, k, m.s, 0);
  }
  bool waiting = true;
  while (waiting) {
    ck_assert_msg(tested->slots->advance(batch, nullptr, stops, progress) == SCIARA_OK, "%s", sciara_last_error());
    waiting = false;
    for (const sciara_engine_progress &p : progress) waiting |= p.reason == SCIARA_STOP_WALL;
  }
  for (int k = 0; k < MEMBERS; k++) {
    sciara_state *state = state_of(batch, k, list[k].s);
    expect_like_serial(list[k], progress[k], state);
    sciara_state_destroy(state);
    scene_free(&list[k].s);
  }
  tested->slots->destroy(batch);
}
END_TEST

// More slots with much lava than multiprocessors take turns, few have several each; each is as serial, and all get on.
START_TEST(much_lava) {
  enum { MOST_CALLS = 1000 };
  int multiprocessors = 0;
  ck_assert_int_eq(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  const int counts[] = {multiprocessors + 9, multiprocessors / 3, 5}, slots = counts[_i];
  std::vector<batch_member> list((size_t)slots);
  std::vector<sciara_stop> stops((size_t)slots);
  std::vector<sciara_engine_progress> progress((size_t)slots);
  void *batch = make_batch(SCIARA_BOUNDARY_OPEN, slots, 0);
  for (int k = 0; k < slots; k++) {
    batch_member &m = list[(size_t)k];
    make_much_lava(&m.s, k);
    m.name = "much lava";
    m.stop = stop_of(0, 120);
    stops[(size_t)k] = m.stop;
    load_into(batch, k, m.s, 0);
  }
  int calls = 0, waiting = slots;
  for (; waiting > 0 && calls < MOST_CALLS; calls++) {
    ck_assert_msg(tested->slots->advance(batch, nullptr, stops.data(), progress.data()) == SCIARA_OK, "%s",
                  sciara_last_error());
    waiting = 0;
    for (const sciara_engine_progress &p : progress) waiting += p.reason == SCIARA_STOP_WALL;
  }
  printf("%d slots with much lava: %d calls\n", slots, calls);
  ck_assert_int_eq(waiting, 0);
  for (int k = 0; k < slots; k++) {
    sciara_state *state = state_of(batch, k, list[(size_t)k].s);
    expect_like_serial(list[(size_t)k], progress[(size_t)k], state);
    sciara_state_destroy(state);
    scene_free(&list[(size_t)k].s);
  }
  tested->slots->destroy(batch);
}
END_TEST

// While some slots advance, another thread loads, reads and empties the others, with grids of several sizes.
START_TEST(calls_meanwhile) {
  enum { PAIRS = 3 };
  const char *const names[PAIRS] = {"31 x 37", "flat pool", "31 x 37"};
  batch_member list[PAIRS] = {};
  bool first_half[2 * PAIRS] = {}, second_half[2 * PAIRS] = {};
  sciara_stop stops[2 * PAIRS];
  sciara_engine_progress progress[2 * PAIRS] = {};
  void *batch = make_batch(SCIARA_BOUNDARY_OPEN, 2 * PAIRS, 0);
  for (int k = 0; k < PAIRS; k++) {
    conformance_build(names[k], precision, SCIARA_RECORD_EVERYTHING, &list[k].s);
    list[k].name = names[k];
    list[k].stop = stops[k] = stops[PAIRS + k] = stop_of(0, 4000);
    first_half[k] = second_half[PAIRS + k] = true;
    load_into(batch, k, list[k].s, 0);
  }
  bool ended = false;
  const auto advance = [&](const bool *part, int first) {
    sciara_status status;
    bool waits;
    do {
      status = tested->slots->advance(batch, part, stops, progress);
      waits = false;
      for (int k = first; k < first + PAIRS; k++) waits |= progress[k].reason == SCIARA_STOP_WALL;
    } while (status == SCIARA_OK && waits);
    __atomic_store_n(&ended, true, __ATOMIC_RELEASE);
    return status;
  };
  sciara_status status = SCIARA_ERR_INTERNAL;
  std::thread steps([&] { status = advance(first_half, 0); });
  int calls = 0;
  while (calls < 2 * PAIRS || !__atomic_load_n(&ended, __ATOMIC_ACQUIRE)) {
    const int slot = PAIRS + calls % PAIRS, of = calls++ * 7 / 3 % PAIRS;
    load_into(batch, slot, list[of].s, 0);
    sciara_state *state = state_of(batch, slot, list[of].s);
    char text[256];
    const bool differs = states_differ(list[of].s.state, state, text, sizeof text);
    sciara_state_destroy(state);
    if (calls % 2) tested->slots->clear(batch, slot);
    if (!differs) continue;
    steps.join();
    ck_abort_msg("what was loaded is not what is read: %s", text);
  }
  steps.join();
  ck_assert_int_eq(status, SCIARA_OK);
  printf("%d loads while others advanced\n", calls);
  for (int k = 0; k < PAIRS; k++) load_into(batch, PAIRS + k, list[k].s, 0);
  ck_assert_int_eq(advance(second_half, PAIRS), SCIARA_OK);
  for (int k = 0; k < 2 * PAIRS; k++) {
    const batch_member &m = list[k % PAIRS];
    sciara_state *state = state_of(batch, k, m.s);
    expect_like_serial(m, progress[k], state);
    sciara_state_destroy(state);
  }
  tested->slots->destroy(batch);
  for (batch_member &m : list) scene_free(&m.s);
}
END_TEST

// Wrong calls are refused, and the limits of memory are kept.
START_TEST(refused) {
  scene s;
  void *batch = make_batch(SCIARA_BOUNDARY_OPEN, 2, 0);
  conformance_build("flat pool", precision, SCIARA_RECORD_MAX_SPEED, &s);
  for (int slot = -1; slot <= 2; slot++)
    ck_assert_int_eq(tested->slots->load(batch, slot, &s.params, s.vents, s.state, 0), SCIARA_ERR_INTERNAL);
  ck_assert_int_eq(tested->slots->rule, rule_tested);
  sciara_params of_other_rule = s.params;
  of_other_rule.rule = (sciara_rule_kind)((rule_tested + 1) % SCIARA_RULES);
  void *all_recorded = make_batch(SCIARA_BOUNDARY_OPEN, 1, 0);
  scene full;
  conformance_build("flat pool", precision, SCIARA_RECORD_EVERYTHING, &full);
  ck_assert_int_eq(tested->slots->load(all_recorded, 0, &of_other_rule, full.vents, full.state, 0),
                   SCIARA_ERR_INTERNAL);
  load_into(all_recorded, 0, full, 0);
  tested->slots->destroy(all_recorded);
  scene_free(&full);
  ck_assert_int_eq(tested->slots->download(batch, 0, s.state), SCIARA_ERR_INTERNAL);
  tested->slots->destroy(batch);
  sciara_slots_setup setup = {};
  setup.slots = 1;
  setup.record = SCIARA_RECORD_MAX_SPEED;
  setup.device_bytes = 1000;
  ck_assert_int_eq(tested->slots->create(&setup, &batch), SCIARA_OK);
  ck_assert_int_eq(tested->slots->load(batch, 0, &s.params, s.vents, s.state, 0), SCIARA_ERR_MEMORY);
  tested->slots->destroy(batch);
  size_t bytes = 0;
  ck_assert_int_gt(tested->slots->count(0, 100000, &bytes), 0);
  ck_assert_uint_gt(bytes, 100000);
  scene_free(&s);
}
END_TEST

void add(TCase *tc) {
  tcase_add_loop_test(tc, members, 0, 6);
  tcase_add_test(tc, on_the_last_device);
  tcase_add_loop_test(tc, error_in_a_slot, 0, 2);
  tcase_add_loop_test(tc, ring, 0, 5);
  tcase_add_loop_test(tc, much_lava, 0, 3);
  tcase_add_test(tc, rough_ground);
  tcase_add_test(tc, calls_meanwhile);
  tcase_add_test(tc, refused);
}

} // namespace

int main() {
  int status = 0;
  for (int rule = 0; rule < SCIARA_RULES && status == 0; rule++) {
    rule_tested = (sciara_rule_kind)rule;
    printf("rule %s\n", sciara_rule_name(rule_tested));
    fflush(stdout);
    if (sciara_device_probe() == NULL &&
        (sciara_engine_find("cuda-batch", rule_tested, precision, &tested) != SCIARA_OK || !tested->slots))
      return 1;
    status = run_on_device("device: batches", add);
  }
  return status;
}
