// SPDX-License-Identifier: Apache-2.0
// The time of a step on one GPU and on several, as ratios in one run, on scenes made in memory (bench/bench_scenes.h), as CSV that
// studies/scaling/model.py reads.
//
//   sciara_bands_bench PRECISION WARM-UP STEPS REPEATS CASE...
//
// PRECISION  double or single
// STEPS      of a repetition; the median and the least of REPEATS repetitions after WARM-UP steps are printed
// CASE       SCENE,SIZE[,RULE],ENGINE[:OPTION=VALUE]..., such as dense,4096,cuda-fused, dense,4096,cuda-bands:gpus=2 or
//            tight,8192,bingham,cuda-bands:gpus=2:exchange=host; RULE is fv3 if none is given
//
// `ranks` are GPUs, `cells` the liquid cells in the mean of the timed steps, `checksum` that of the state at step `step`, `ratio` is to
// the first case. Each case is compared with the first one of its lava: step, clock, time, cell-steps and liquid cells of all, and the
// checksum of the state for a case of the same scene and size. `sparse` and `tight` of the same size hold the same
// lava, so a grid too large for one GPU is compared with the small one. A case that differs gets no time, and the exit
// status is 1. The state of a scene exists once: it is made anew when a case has another scene or size.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/wallclock.h"
#include "bench/bench_scenes.h"

enum { MOST_CASES = 32, MOST_REPEATS = 99 };

/** Cells up to which the state at the end is compared, bit by bit. */
static const int64_t COMPARED_CELLS = (int64_t)1 << 28;

struct measured {
  char scene[16];
  int64_t size, cols;
  enum sciara_rule_kind rule;
  const char *engine; ///< with its options, as given
  int gpus, exchange; ///< of engine cuda-bands
  struct sciara_engine_progress at;
  uint64_t checksum; ///< 0: not compared
  double cells;      ///< liquid ones, mean of the timed steps
  double us, least;  ///< per step, median and least
};

struct bench {
  enum sciara_precision precision;
  uint64_t warm_up, steps;
  int repeats, count;
  struct sciara_problem problem; ///< of the scene of the last case
  bool pristine;                 ///< its state is that of the start
  struct measured found[MOST_CASES];
};

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static enum sciara_status take_case(const char *text, struct measured *m) {
  char rule[16] = "";
  int read = 0, of_rule = 0;
  if (sscanf(text, "%15[a-z],%" SCNd64 ",%n", m->scene, &m->size, &read) != 2 || !read)
    return sciara_fail(SCIARA_ERR_USAGE, "expected SCENE,SIZE[,RULE],ENGINE[:OPTION=VALUE]..., found \"%s\"", text);
  m->rule = SCIARA_RULE_FV3;
  sscanf(text + read, "%15[a-z0-9],%n", rule, &of_rule);
  if (of_rule && !sciara_rule_find(rule, &m->rule))
    return sciara_fail(SCIARA_ERR_USAGE, "expected a rule, such as fv3 or bingham, found \"%s\"", rule);
  m->engine = text + read + of_rule;
  return SCIARA_OK;
}

static enum sciara_status make_scene(struct bench *b, const struct measured *m) {
  static const char *const names[] = {"dense", "sparse", "tight"};
  int scene = 0;
  while (scene < 3 && strcmp(m->scene, names[scene]) != 0) scene++;
  if (scene == 3) return sciara_fail(SCIARA_ERR_USAGE, "expected scene dense, sparse or tight, found \"%s\"", m->scene);
  sciara_problem_free(&b->problem);
  const double begin = sciara_wallclock();
  SCIARA_TRY(sciara_scene_make((enum sciara_scene)scene, m->size, b->precision, &b->problem));
  if (m->rule != SCIARA_RULE_FV3) b->problem.params = sciara_params_of_rule(m->rule);
  b->pristine = true;
  fprintf(stderr, "%s,%" PRId64 ": made in %.1f s\n", m->scene, m->size, sciara_wallclock() - begin);
  return SCIARA_OK;
}

static enum sciara_status choose_engine(const struct bench *b, struct measured *m, const struct sciara_engine_ops **ops,
                                        struct sciara_engine_options *options) {
  char *words = strdup(m->engine), *rest = words;
  if (!words) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the name of an engine");
  const char *name = strsep(&rest, ":");
  enum sciara_status status = sciara_engine_find(name, m->rule, b->precision, ops);
  for (const char *word = strsep(&rest, ":"); status == SCIARA_OK && word; word = strsep(&rest, ":"))
    status = sciara_engine_option_parse(word, options);
  if (status == SCIARA_OK) status = sciara_engine_options_check(*ops, options);
  if (status == SCIARA_OK && options->gpus == 0 && strcmp(name, "cuda-bands") == 0)
    status = sciara_fail(SCIARA_ERR_USAGE, "expected cuda-bands:gpus=N, found no number of GPUs");
  m->gpus = options->gpus;
  m->exchange = options->exchange;
  free(words);
  return status;
}

static enum sciara_status go_to(const struct sciara_engine_ops *ops, void *engine, uint64_t step,
                                struct sciara_engine_progress *at) {
  const struct sciara_stop stop = {.steps = step, .time = INFINITY, .solidified = true, .max_wall_ms = 600000};
  do SCIARA_TRY(ops->advance(engine, &stop, at));
  while (at->reason == SCIARA_STOP_WALL);
  if (at->step == step) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "nothing is liquid after step %" PRIu64, at->step);
}

static enum sciara_status time_steps(const struct bench *b, const struct sciara_engine_ops *ops, void *engine,
                                     struct measured *m) {
  double us[MOST_REPEATS];
  SCIARA_TRY(go_to(ops, engine, b->warm_up, &m->at));
  const uint64_t before = m->at.cell_steps;
  for (int n = 0; n < b->repeats; n++) {
    const double begin = sciara_wallclock();
    SCIARA_TRY(go_to(ops, engine, b->warm_up + (uint64_t)(n + 1) * b->steps, &m->at));
    us[n] = 1e6 * (sciara_wallclock() - begin) / (double)b->steps;
  }
  qsort(us, (size_t)b->repeats, sizeof *us, ascending);
  m->us = us[b->repeats / 2];
  m->least = us[0];
  m->cells = (double)(m->at.cell_steps - before) / ((double)b->repeats * (double)b->steps);
  return SCIARA_OK;
}

static enum sciara_status measure(struct bench *b, struct measured *m) {
  const struct sciara_engine_ops *ops = NULL;
  struct sciara_engine_options options = {0};
  void *engine = NULL;
  SCIARA_TRY(choose_engine(b, m, &ops, &options));
  if (!ops) return sciara_fail(SCIARA_ERR_INTERNAL, "%s: no engine is chosen", m->engine); // clang's analyzer asks
  const struct measured *last = b->count ? &b->found[b->count - 1] : NULL;
  if (!last || !b->pristine || last->size != m->size || last->rule != m->rule || strcmp(last->scene, m->scene) != 0)
    SCIARA_TRY(make_scene(b, m));
  struct sciara_problem *p = &b->problem;
  m->cols = p->grid.cols;
  const struct sciara_engine_setup setup = {
      .params = &p->params, .vents = p->vents, .boundary = p->boundary, .options = options};
  const double begin = sciara_wallclock();
  enum sciara_status status = ops->create(&setup, &engine);
  if (status == SCIARA_OK) status = ops->upload(engine, p->state);
  fprintf(stderr, "%s: uploaded in %.1f s\n", m->engine, sciara_wallclock() - begin);
  if (status == SCIARA_OK) status = time_steps(b, ops, engine, m);
  struct sciara_state *end = NULL;
  if (status == SCIARA_OK && sciara_grid_cells(&p->grid) <= COMPARED_CELLS) {
    status = sciara_state_clone(p->state, &end);
    if (status == SCIARA_OK) status = ops->download(engine, end);
    if (status == SCIARA_OK) m->checksum = sciara_state_checksum(end);
    sciara_state_destroy(end);
  }
  if (engine) ops->destroy(engine);
  return status;
}

/** Whether the case and an earlier one ended alike. */
static bool agree(const struct measured *a, const struct measured *b) {
  const bool same_map = strcmp(a->scene, b->scene) == 0;
  return a->at.step == b->at.step && a->at.time == b->at.time && a->at.clock == b->at.clock &&
         a->at.cell_steps == b->at.cell_steps && a->at.liquid_cells == b->at.liquid_cells &&
         a->at.solidifications == b->at.solidifications && (!same_map || a->checksum == b->checksum);
}

static bool same_lava(const struct measured *a, const struct measured *b) {
  const bool patches = strcmp(a->scene, "dense") != 0 && strcmp(b->scene, "dense") != 0;
  return a->size == b->size && a->rule == b->rule && (patches || strcmp(a->scene, b->scene) == 0);
}

static void print_row(const struct bench *b, const struct measured *m) {
  static const char *const exchanges[] = {"default", "peer", "nccl", "host"};
  char checksum[20] = "-";
  if (m->checksum) snprintf(checksum, sizeof checksum, "%016" PRIx64, m->checksum);
  printf("%s,%" PRId64 ",%s,%s,%s,%d,%s,%" PRId64 ",%.0f,%" PRIu64 ",%.6g,%.6g,%" PRIu64 ",%s,%.3f\n", m->scene,
         m->size, sciara_rule_name(m->rule), m->engine, b->precision == SCIARA_DOUBLE ? "double" : "single",
         m->gpus > 1 ? m->gpus : 1, m->gpus > 1 ? exchanges[m->exchange] : "-", m->cols, m->cells, b->steps, m->us,
         m->least, m->at.step, checksum, b->found[0].us / m->us);
  fflush(stdout);
}

/** Prints the row of the last case, if it agrees with those before. */
static bool report(const struct bench *b) {
  const struct measured *m = &b->found[b->count - 1];
  for (int k = 0; k < b->count - 1; k++) {
    const struct measured *other = &b->found[k];
    if (!same_lava(other, m) || agree(other, m)) continue;
    fprintf(stderr, "%s,%" PRId64 ",%s: differs from %s,%" PRId64 ",%s\n", m->scene, m->size, m->engine, other->scene,
            other->size, other->engine);
    return false;
  }
  print_row(b, m);
  return true;
}

int main(int argc, char **argv) {
  static struct bench b;
  if (argc < 6 || argc - 5 > MOST_CASES || atoi(argv[4]) < 1 || atoi(argv[4]) > MOST_REPEATS) {
    fprintf(stderr,
            "usage: sciara_bands_bench PRECISION WARM-UP STEPS REPEATS SCENE,SIZE[,RULE],ENGINE[:OPTION=VALUE]...\n");
    return SCIARA_ERR_USAGE;
  }
  b.precision = strcmp(argv[1], "single") == 0 ? SCIARA_SINGLE_PRECISION : SCIARA_DOUBLE;
  b.warm_up = strtoull(argv[2], NULL, 10);
  b.steps = strtoull(argv[3], NULL, 10);
  b.repeats = atoi(argv[4]);
  int failed = 0;
  printf("scene,size,rule,engine,precision,ranks,exchange,cols,cells,steps,us_median,us_least,step,checksum,ratio\n");
  for (int k = 5; k < argc; k++) {
    struct measured *m = &b.found[b.count];
    enum sciara_status status = take_case(argv[k], m);
    if (status == SCIARA_OK) status = measure(&b, m);
    if (status == SCIARA_OK) {
      b.count++;
      failed |= !report(&b);
      continue;
    }
    fprintf(stderr, "%s: %s\n", argv[k], sciara_last_error());
    failed = 1;
    b.pristine = false;
    *m = (struct measured){.size = 0};
  }
  sciara_problem_free(&b.problem);
  return failed;
}
