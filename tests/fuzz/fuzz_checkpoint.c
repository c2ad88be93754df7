// SPDX-License-Identifier: Apache-2.0
// The input is a checkpoint file. An input that begins with a separator is a list of changes that HDF5 itself makes to a
// good checkpoint (fuzz_checkpoint_edit.c): HDF5's checksums are right then, and the program's own must detect the change.
#include "fuzz_checkpoint.h"

#include <sys/stat.h>

#include "file/durable.h"
#include "fuzz.h"
#include "fuzz_hdf5.h"
#include "run/resume.h"

enum { ROWS = 12, COLS = 16, CELLS = ROWS * COLS };

static struct sciara_state *bare, *written; ///< the ground, and the state in the good checkpoint
static struct sciara_checkpoint header;     ///< its header
static struct fuzz_part whole;              ///< its bytes

/** Lava on a part of the ground; all numbers differ. */
static void add_lava(struct sciara_state *s) {
  for (int64_t i = 3 * COLS; i < 6 * COLS; i++) {
    const double v = (double)i / 7;
    s->h[i] = i % 5 ? 1 + v / 10 : 0;
    s->T[i] = s->h[i] > 0 ? 1143 + v : 0;
    s->px[i] = s->h[i] > 0 ? -v / 1e5 : 0;
    s->py[i] = s->h[i] > 0 ? v / 1e6 : 0;
    s->z[i] += i % 5 ? 0 : 0.3;
    s->lost[i] = v / 1e9;
    s->arrival[i] = v;
    s->max_h[i] = v / 1e3;
    s->max_speed[i] = v / 1e4;
  }
  s->time = 3600.5;
  s->clock = 1.0 / 3.0;
  s->step = 100;
  s->emitted = 8.1;
}

/** FOLDER/run/checkpoints with a good checkpoint in it, of step 100. The input is that of step 123. */
static void make_good(void) {
  const struct sciara_grid grid = {.rows = ROWS, .cols = COLS, .cell_size = 10, .west = 500000, .north = 4180000};
  double altitude[CELLS];
  uint8_t valid[CELLS];
  for (int i = 0; i < CELLS; i++) {
    altitude[i] = 1000 + i / 3.0;
    valid[i] = i > 5;
  }
  FUZZ_REQUIRE(sciara_state_create(&grid, altitude, valid, 3, &bare) == SCIARA_OK);
  FUZZ_REQUIRE(sciara_state_clone(bare, &written) == SCIARA_OK);
  add_lava(written);
  header = (struct sciara_checkpoint){.identity = {.grid = grid,
                                                   .inputs = {{sciara_state_checksum_of_ground(bare), 75, 76, 77}},
                                                   .params = sciara_params_default(),
                                                   .record = 3,
                                                   .precision = strdup("double")},
                                      .dem_hash = 99,
                                      .engine = strdup("serial"),
                                      .scenario_path = strdup("x.json"),
                                      .scenario_folder = strdup("/nowhere"),
                                      .scenario_json = strdup("{\"title\": \"x\"}"),
                                      .next_snapshot_s = INFINITY};
  FUZZ_REQUIRE(mkdir(fuzz_path("run"), 0700) == 0 && mkdir(fuzz_path("run/checkpoints"), 0700) == 0);
  const char *path = fuzz_path("run/checkpoints/00000100.h5");
  FUZZ_REQUIRE(sciara_checkpoint_write(&header, written, path) == SCIARA_OK);
  char *bytes;
  FUZZ_REQUIRE(sciara_file_read(path, 1 << 20, &bytes, &whole.size) == SCIARA_OK);
  whole.data = (const uint8_t *)bytes;
}

/** Restores it on the ground. The caller destroys the state; NULL: it was refused. */
static struct sciara_state *restore(const char *path, const struct sciara_checkpoint *c) {
  struct sciara_state *s;
  FUZZ_REQUIRE(sciara_state_clone(bare, &s) == SCIARA_OK);
  const enum sciara_status status = sciara_checkpoint_read_state(path, c, s);
  FUZZ_REQUIRE(status == SCIARA_OK || status == SCIARA_ERR_INPUT || status == SCIARA_ERR_MEMORY);
  fuzz_check_status(status);
  if (status == SCIARA_OK) return s;
  sciara_state_destroy(s);
  return NULL;
}

/** A checkpoint that is accepted is complete, and restores the state that it claims to contain. Returns its step, or 0. */
static uint64_t check_alone(const char *path) {
  struct sciara_checkpoint c;
  const enum sciara_status status = sciara_checkpoint_verify(path, &c);
  FUZZ_REQUIRE(status == SCIARA_OK || status == SCIARA_ERR_INPUT || status == SCIARA_ERR_MEMORY);
  fuzz_check_status(status);
  if (status != SCIARA_OK) {
    FUZZ_REQUIRE(!c.engine && !c.scenario_json && !c.identity.precision && !c.georef.crs_wkt);
    return 0;
  }
  const struct sciara_grid *g = &c.identity.grid;
  FUZZ_REQUIRE(c.scenario_json && c.scenario_path && c.scenario_folder && c.identity.precision);
  FUZZ_REQUIRE(g->rows >= 1 && g->cols >= 1);
  struct sciara_state *s = g->rows == ROWS && g->cols == COLS ? restore(path, &c) : NULL;
  FUZZ_REQUIRE(!s || (sciara_state_checksum(s) == c.checksum && s->step == c.step));
  sciara_state_destroy(s);
  fuzz_check_status(sciara_checkpoint_check(&c, path, &header.identity, 0));
  const uint64_t step = c.step;
  sciara_checkpoint_free(&c);
  return step;
}

/** With the header of the good checkpoint: refused, or every bit is the written one. */
static void check_fields(const char *path) {
  struct sciara_state *s = restore(path, &header);
  if (!s) return;
  const double *const found[] = {s->z, s->h, s->T, s->px, s->py, s->lost, s->arrival, s->max_h, s->max_speed};
  const double *const right[] = {written->z,    written->h,       written->T,     written->px,       written->py,
                                 written->lost, written->arrival, written->max_h, written->max_speed};
  for (size_t k = 0; k < sizeof found / sizeof *found; k++)
    FUZZ_REQUIRE(memcmp(found[k], right[k], CELLS * sizeof(double)) == 0);
  sciara_state_destroy(s);
}

/** Whatever the newest checkpoint contains, a run can be resumed: from it, or from the good one before it. */
static void check_resume(uint64_t step) {
  struct sciara_resume r = {.folder = strdup(fuzz_path("run")), .lock = -1, .run_json = {.dem_hash = header.dem_hash}};
  FUZZ_REQUIRE(sciara_resume_find(&r) == SCIARA_OK);
  FUZZ_REQUIRE(r.from.step == written->step || r.from.step == step);
  sciara_resume_close(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char name[] = "run/checkpoints/00000123.h5";
  if (!written) make_good();
  const bool edits = size > 0 && data[0] == FUZZ_SEPARATOR;
  const struct fuzz_part input = {.data = data ? data : (const uint8_t *)"", .size = size};
  const char *path = fuzz_file(name, edits ? whole : input);
  if (edits) fuzz_checkpoint_edit(path, data + 1, size - 1);
  const uint64_t step = check_alone(path);
  check_fields(fuzz_path(name));
  check_resume(step);
  fuzz_check_hdf5_closed();
  return 0;
}
