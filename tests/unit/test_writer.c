// SPDX-License-Identifier: Apache-2.0
// Outputs that a thread writes: all of them, in their order, each as it was given, however slow the disk; none after
// one that failed.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "base/text.h"
#include "run/writer.h"
#include "setup/size_estimate.h"
#include "support/owned.h"

enum { MOST = 100, NEVER = -1 };

/** The calls of a disk, and how it behaves. */
struct disk {
  sem_t go;     ///< a write waits for it if `gated`
  bool gated;   ///< a write does not end until `go` is posted
  int fails_at; ///< the number of the write that fails; NEVER
  int slow_ms;  ///< each write takes that long
  bool fetches; ///< a state comes from `kept` when it is written
  double kept[SCIARA_BUFFERS];
  int under_way; ///< atomic: given and not written yet
  int most_under_way;
  int written;          ///< atomic
  double content[MOST]; ///< h of the first cell of each, when its write began ...
  double later[MOST];   ///< ... and when it ended
  int reported;
  uint64_t reported_step[MOST];
  pthread_t caller;
  bool reported_elsewhere; ///< by another thread than the caller's
};

static void pause_ms(int ms) {
  const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
  nanosleep(&t, NULL);
}

static enum sciara_status write_one(void *context, struct sciara_output *o) {
  struct disk *d = (struct disk *)context;
  const int number = __atomic_load_n(&d->written, __ATOMIC_ACQUIRE);
  if (d->fetches) o->state->h[0] = d->kept[o->buffer];
  d->content[number] = o->state->h[0];
  if (d->gated) sem_wait(&d->go);
  if (d->slow_ms) pause_ms(d->slow_ms);
  if (number == d->fails_at) return sciara_fail(SCIARA_ERR_IO, "out/snapshot: No space left on device");
  d->later[number] = o->state->h[0];
  o->path = sciara_format("%d", number);
  __atomic_fetch_sub(&d->under_way, 1, __ATOMIC_ACQ_REL);
  __atomic_store_n(&d->written, number + 1, __ATOMIC_RELEASE);
  return SCIARA_OK;
}

static void on_written(void *context, const struct sciara_output *o) {
  struct disk *d = (struct disk *)context;
  ck_assert_int_eq(atoi(o->path), d->reported);
  d->reported_step[d->reported++] = o->progress.step;
  if (!pthread_equal(pthread_self(), d->caller)) d->reported_elsewhere = true;
}

static struct sciara_state *small_state(void) {
  const struct sciara_grid grid = {.rows = 3, .cols = 4, .cell_size = 10};
  const double altitude[12] = {0};
  uint8_t valid[12];
  struct sciara_state *s;
  for (int k = 0; k < 12; k++) valid[k] = 1;
  expect_ok(sciara_state_create(&grid, altitude, valid, 0, &s));
  return s;
}

static struct sciara_writer *start(struct disk *d) {
  const struct sciara_writer_work work = {
      .context = d, .fetches = d->fetches, .write = write_one, .written = on_written};
  OWNED(destroy_state) struct sciara_state *like = small_state();
  struct sciara_writer *w;
  sem_init(&d->go, 0, 0);
  d->caller = pthread_self();
  expect_ok(sciara_writer_start(like, &work, &w));
  return w;
}

/** Gives the output of a step: a snapshot, or a checkpoint alone. */
static enum sciara_status give_one(struct sciara_writer *w, struct disk *d, uint64_t step, bool snapshot) {
  struct sciara_output *o;
  SCIARA_TRY(sciara_writer_borrow(w, &o));
  *(d->fetches ? &d->kept[o->buffer] : &o->state->h[0]) = (double)step;
  o->due = (struct sciara_due){.snapshot = snapshot, .checkpoint = !snapshot};
  o->progress = (struct sciara_engine_progress){.step = step};
  const int now = __atomic_add_fetch(&d->under_way, 1, __ATOMIC_ACQ_REL);
  if (now > d->most_under_way) d->most_under_way = now;
  sciara_writer_give(w);
  return SCIARA_OK;
}

static enum sciara_status give(struct sciara_writer *w, struct disk *d, uint64_t step) {
  return give_one(w, d, step, true);
}

static void expect_all(const struct disk *d, int count) {
  ck_assert_int_eq(d->reported, count);
  ck_assert(!d->reported_elsewhere);
  for (int k = 0; k < count; k++) {
    ck_assert_uint_eq(d->reported_step[k], (uint64_t)k + 1);
    ck_assert_double_eq(d->content[k], k + 1.0);
    ck_assert_double_eq(d->later[k], k + 1.0); // nobody wrote into a buffer that was being written
  }
}

// The writer knows whether it is behind while it writes: not with one output, with the second one it is.
TEST(behind) {
  struct disk d = {.fails_at = NEVER, .gated = true};
  struct sciara_writer *w = start(&d);
  ck_assert(!sciara_writer_is_behind(w));
  expect_ok(give(w, &d, 1));
  ck_assert(!sciara_writer_is_behind(w));
  expect_ok(give(w, &d, 2));
  ck_assert(sciara_writer_is_behind(w));
  sem_post(&d.go);
  for (int ms = 0; sciara_writer_is_behind(w) && ms < 10000; ms++) pause_ms(1);
  ck_assert(!sciara_writer_is_behind(w));
  sem_post(&d.go);
  expect_ok(sciara_writer_flush(w));
  ck_assert(!sciara_writer_is_behind(w));
  expect_all(&d, 2);
  sciara_writer_stop(w);
  sem_destroy(&d.go);
}

// A waiting checkpoint is no reason to postpone the series: the next snapshot may be a long time away.
TEST(checkpoint_behind) {
  struct disk d = {.fails_at = NEVER, .gated = true};
  struct sciara_writer *w = start(&d);
  expect_ok(give_one(w, &d, 1, true));
  expect_ok(give_one(w, &d, 2, false));
  ck_assert(!sciara_writer_is_behind(w));
  for (int k = 0; k < 2; k++) sem_post(&d.go);
  expect_ok(sciara_writer_flush(w));
  expect_all(&d, 2);
  sciara_writer_stop(w);
  sem_destroy(&d.go);
}

TEST_EACH(slow_disk, 6) {
  struct disk d = {.fails_at = NEVER, .slow_ms = _i / 2, .fetches = _i % 2 == 1};
  struct sciara_writer *w = start(&d);
  for (uint64_t step = 1; step <= 40; step++) expect_ok(give(w, &d, step));
  expect_ok(sciara_writer_flush(w));
  expect_all(&d, 40);
  ck_assert(sciara_writer_poll(w));
  sciara_writer_stop(w);
  expect_all(&d, 40); // none is reported twice
}

static void *open_gate(void *context) {
  struct disk *d = (struct disk *)context;
  pause_ms(50);
  for (int k = 0; k < 3; k++) sem_post(&d->go);
  return NULL;
}

TEST(third_waits) {
  struct disk d = {.fails_at = NEVER, .gated = true};
  struct sciara_writer *w = start(&d);
  pthread_t opener;
  expect_ok(give(w, &d, 1));
  expect_ok(give(w, &d, 2)); // does not wait while the first is written
  ck_assert(sciara_writer_poll(w));
  ck_assert_int_eq(d.reported, 0);
  ck_assert_int_eq(pthread_create(&opener, NULL, open_gate, &d), 0);
  expect_ok(give(w, &d, 3));
  ck_assert_int_ge(__atomic_load_n(&d.written, __ATOMIC_ACQUIRE), 1);
  pthread_join(opener, NULL);
  expect_ok(sciara_writer_flush(w));
  ck_assert_int_eq(d.most_under_way, 2);
  expect_all(&d, 3);
  sciara_writer_stop(w);
}

TEST(stop_writes_what_was_given) {
  struct disk d = {.fails_at = NEVER, .slow_ms = 10};
  struct sciara_writer *w = start(&d);
  expect_ok(give(w, &d, 1));
  expect_ok(give(w, &d, 2));
  sciara_writer_stop(w);
  expect_all(&d, 2);
}

TEST(nothing_after_a_failure) {
  struct disk d = {.fails_at = 1};
  struct sciara_writer *w = start(&d);
  uint64_t given = 0;
  while (given < 50 && give(w, &d, given + 1) == SCIARA_OK) given++;
  ck_assert_uint_ge(given, 2);
  ck_assert_uint_le(given, 3); // the failure is reported no later than with the second one after it
  ck_assert_str_eq(sciara_last_error(), "out/snapshot: No space left on device");
  ck_assert(!sciara_writer_poll(w));
  ck_assert_int_eq(sciara_writer_flush(w), SCIARA_ERR_IO);
  ck_assert_int_eq(d.written, 1);
  sciara_writer_stop(w);
  ck_assert_int_eq(d.reported, 1);
  ck_assert_uint_eq(d.reported_step[0], 1);
}

TEST(memory_is_predicted) {
  const struct sciara_grid grid = {.rows = 30, .cols = 40, .cell_size = 10};
  ck_assert_uint_eq(sciara_size_estimate_waiting(&grid, 0, false), 2 * sciara_state_memory(&grid, 0));
  ck_assert_uint_eq(sciara_size_estimate_waiting(&grid, 0, true), sciara_state_memory(&grid, 0));
  ck_assert_uint_gt(sciara_size_estimate_waiting(&grid, SCIARA_RECORD_MAX_SPEED, false),
                    sciara_size_estimate_waiting(&grid, 0, false));
  sciara_writer_stop(NULL);
}

RUN_TESTS()
