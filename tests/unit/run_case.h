// SPDX-License-Identifier: Apache-2.0
// For the tests of runs: a temporary folder with a small eruption of 120 steps, and its simulation by any engine.
#ifndef SCIARA_TESTS_RUN_CASE_H
#define SCIARA_TESTS_RUN_CASE_H

#include "file/durable.h"
#include "run/resume.h"
#include "run/run_folder.h"
#include "store/run_json.h"
#include "support/folder.h"

static char out[96]; ///< the run's output, FOLDER/out

/** Makes the folder with dem.asc and s.json; `output`: keys of the scenario's output in addition to the folder, as JSON. */
static inline void run_case_make(const char *output) {
  char dem[1 << 14], scenario[512];
  int n = snprintf(dem, sizeof dem, "ncols 40\nnrows 30\nxllcorner 500000\nyllcorner 4177000\ncellsize 10\n");
  for (int row = 0; row < 30; row++)
    for (int col = 0; col < 40; col++)
      n += snprintf(dem + n, sizeof dem - (size_t)n, "%g%c",
                    1000 - 3 * row - 0.5 * col + (row * 7 + col * 3) % 5 * 0.25, col == 39 ? '\n' : ' ');
  snprintf(scenario, sizeof scenario,
           "{\"dem\": {\"path\": \"dem.asc\", \"crs\": \"EPSG:32633\"}, \"run\": {\"max_steps\": 120},"
           " \"vents\": [{\"row\": 8, \"col\": 20, \"effusion\": {\"slot\": \"1 d\", \"rates_m3_s\": [5]}}],"
           " \"output\": {\"folder\": \"out\", %s}}",
           output);
  folder_make();
  snprintf(out, sizeof out, "%s/out", folder);
  write_text(in_folder("dem.asc"), dem);
  write_text(in_folder("s.json"), scenario);
}

/** The simulation of s.json by that engine. */
static inline struct sciara_simulation *run_case_open(const char *engine) {
  char name[64];
  snprintf(name, sizeof name, "engine.name=%s", engine);
  const char *const overrides[] = {name};
  const struct sciara_problem_options options = {.overrides = overrides, .override_count = 1};
  struct sciara_problem problem;
  struct sciara_simulation *s;
  expect_ok(sciara_problem_open(in_folder("s.json"), &options, &problem));
  expect_ok(sciara_simulation_create(&problem, sciara_scenario_writes_on_the_way(&problem.source->scenario), &s));
  return s;
}

/** Of run_case_fail: the engine's table except for `advance`. */
static struct {
  struct sciara_engine_ops ops;
  enum sciara_status (*advance)(void *, const struct sciara_stop *, struct sciara_engine_progress *);
  uint64_t step;
  bool stalls;
} run_case_failing;

static inline enum sciara_status run_case_advance(void *engine, const struct sciara_stop *stop,
                                                  struct sciara_engine_progress *p) {
  struct sciara_stop before = *stop;
  if (before.steps > run_case_failing.step) before.steps = run_case_failing.step;
  const enum sciara_status status = run_case_failing.advance(engine, &before, p);
  if (status != SCIARA_OK || p->step < run_case_failing.step) return status;
  if (run_case_failing.stalls) p->reason = SCIARA_STOP_STALLED;
  return sciara_fail(SCIARA_ERR_NUMERIC, "step %llu: planted", (unsigned long long)run_case_failing.step);
}

/** The engine fails from that step on; `stalls`: because the time does not advance. */
static inline void run_case_fail(struct sciara_simulation *s, bool stalls, uint64_t step) {
  run_case_failing.ops = *s->ops;
  run_case_failing.advance = s->ops->advance;
  run_case_failing.ops.advance = run_case_advance;
  run_case_failing.step = step;
  run_case_failing.stalls = stalls;
  s->ops = &run_case_failing.ops;
}

static inline struct sciara_progress progress_of(const struct sciara *s) {
  struct sciara_progress p;
  sciara_read_progress(s, &p);
  return p;
}

/** Finds the checkpoint from which the run in `out` is resumed, in its folder or as a branch. */
static inline void run_case_find(bool branch, struct sciara_resume *resume) {
  expect_ok(sciara_resume_open(out, branch, resume));
  expect_ok(sciara_resume_find(resume));
}

/** The simulation resumed from there by any engine; the result goes into `output`, or into the same folder (NULL). */
static inline struct sciara_simulation *run_case_resume(struct sciara_resume *resume, const char *engine,
                                                        const char *output) {
  char name[64], where[160];
  snprintf(name, sizeof name, "engine.name=%s", engine);
  snprintf(where, sizeof where, "output.folder=%s", output ? output : "");
  const char *const overrides[] = {name, where};
  const struct sciara_problem_options options = {.overrides = overrides, .override_count = output ? 2 : 1};
  struct sciara_diagnostics diagnostics = {0};
  struct sciara_problem problem;
  struct sciara_simulation *s;
  sciara_resume_problem(resume, &options, &problem, &diagnostics);
  ck_assert_msg(diagnostics.count == 0, "%s", sciara_last_error());
  expect_ok(
      sciara_resume_simulation(resume, &problem, sciara_scenario_writes_on_the_way(&problem.source->scenario), &s));
  sciara_diagnostics_free(&diagnostics);
  return s;
}

/** run.json of a run; release with sciara_run_json_free. */
static inline struct sciara_run_json run_case_record(const char *run_folder) {
  struct sciara_run_json r;
  char *path = sciara_path_join(run_folder, SCIARA_RUN_JSON);
  expect_ok(sciara_run_json_read(path, &r));
  free(path);
  return r;
}

#endif
