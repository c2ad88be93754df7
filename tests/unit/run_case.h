// SPDX-License-Identifier: Apache-2.0
// For the tests of runs: a temporary folder with a small eruption of 120 steps, and its simulation by any engine.
#ifndef SCIARA_TESTS_RUN_CASE_H
#define SCIARA_TESTS_RUN_CASE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "file/durable.h"
#include "run/resume.h"
#include "run/run_folder.h"
#include "store/run_json.h"

static char folder[64], out[96]; ///< FOLDER, and the run's output, FOLDER/out

/** Makes the folder with dem.asc and s.json; `output`: keys of the scenario's output in addition to the folder, as JSON. */
static inline void run_case_make(const char *output) {
  char path[96];
  snprintf(folder, sizeof folder, "/tmp/sciara-run-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(out, sizeof out, "%s/out", folder);
  snprintf(path, sizeof path, "%s/dem.asc", folder);
  FILE *f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fprintf(f, "ncols 40\nnrows 30\nxllcorner 500000\nyllcorner 4177000\ncellsize 10\nNODATA_value -9999\n");
  for (int row = 0; row < 30; row++) {
    for (int col = 0; col < 40; col++) fprintf(f, "%g ", 1000 - 3 * row - 0.5 * col + (row * 7 + col * 3) % 5 * 0.25);
    fprintf(f, "\n");
  }
  ck_assert_int_eq(fclose(f), 0);
  snprintf(path, sizeof path, "%s/s.json", folder);
  f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fprintf(f,
          "{\"dem\": {\"path\": \"dem.asc\", \"crs\": \"EPSG:32633\"}, \"run\": {\"max_steps\": 120},"
          " \"vents\": [{\"row\": 8, \"col\": 20, \"effusion\": {\"slot\": \"1 d\", \"rates_m3_s\": [5]}}],"
          " \"output\": {\"folder\": \"out\", %s}}",
          output);
  ck_assert_int_eq(fclose(f), 0);
}

static inline void run_case_remove(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  ck_assert_int_eq(system(command), 0);
}

/** The simulation of s.json by that engine. */
static inline struct sciara_simulation *run_case_open(const char *engine) {
  char scenario[96], name[64];
  snprintf(scenario, sizeof scenario, "%s/s.json", folder);
  snprintf(name, sizeof name, "engine.name=%s", engine);
  const char *const overrides[] = {name};
  const struct sciara_problem_options options = {.overrides = overrides, .override_count = 1};
  struct sciara_problem problem;
  struct sciara_simulation *s;
  ck_assert_msg(sciara_problem_open(scenario, &options, &problem) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert_msg(sciara_simulation_create(&problem, sciara_scenario_writes_on_the_way(&problem.scenario), &s) ==
                    SCIARA_OK,
                "%s", sciara_last_error());
  return s;
}

/** Finds the checkpoint from which the run in `out` is resumed, in its folder or as a branch. */
static inline void run_case_find(bool branch, struct sciara_resume *resume) {
  ck_assert_msg(sciara_resume_open(out, branch, resume) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert_msg(sciara_resume_find(resume) == SCIARA_OK, "%s", sciara_last_error());
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
  ck_assert_msg(sciara_resume_simulation(resume, &problem, sciara_scenario_writes_on_the_way(&problem.scenario), &s) ==
                    SCIARA_OK,
                "%s", sciara_last_error());
  sciara_diagnostics_free(&diagnostics);
  return s;
}

/** run.json of a run; release with sciara_run_json_free. */
static inline struct sciara_run_json run_case_record(const char *run_folder) {
  struct sciara_run_json r;
  char *path = sciara_path_join(run_folder, SCIARA_RUN_JSON);
  ck_assert_msg(sciara_run_json_read(path, &r) == SCIARA_OK, "%s", sciara_last_error());
  free(path);
  return r;
}

#endif
