// SPDX-License-Identifier: Apache-2.0
// A calibration: the input is the JSON text, then, after a separator, lines for `sciara evaluate`.
#include <time.h>

#include "calibrate/calibration_file.h"
#include "calibrate/evaluate.h"
#include "fuzz.h"
#include "sciara.h"

enum { PATIENCE_MS = 200 }; // for what a line asks to be computed

static const char scenario[] =
    "{\"dem\": {\"path\": \"dem.asc\"}, \"vents\": [{\"x\": 45, \"y\": 45, \"effusion\": {\"slot\": \"1 h\", "
    "\"rates_m3_s\": [2, 1]}}], \"run\": {\"max_steps\": 3, \"start\": \"2006-07-12T22:00:00Z\"}, \"engine\": "
    "{\"name\": "
    "\"serial\"}}";
static const char dem[] = "ncols 8\nnrows 8\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n"
                          "8 7 6 5 4 3 2 1\n8 7 6 5 4 3 2 1\n8 7 6 5 4 3 2 1\n8 7 6 5 4 3 2 1\n"
                          "8 7 6 5 4 3 2 1\n8 7 6 5 4 3 2 1\n8 7 6 5 4 3 2 1\n8 7 6 5 4 3 2 1\n";
static const char observed[] = "{\"type\": \"Polygon\", \"coordinates\": [[[30, 30], [60, 30], [60, 60], [30, 30]]]}";

static const char *put(const char *name, const char *text) {
  return fuzz_file(name, (struct fuzz_part){.data = (const uint8_t *)text, .size = strlen(text)});
}

/** Everything but the evaluations: the file, and the values of each search in the middle and at an end of its bounds. */
static void check_file(struct fuzz_part text) {
  static double points[2 * SCIARA_UNKNOWNS_MOST], values[2 * SCIARA_UNKNOWNS_MOST];
  const char *said;
  struct sciara_calibration *c;
  char file[512];
  snprintf(file, sizeof file, "%s", fuzz_file("fit.json", text));
  const struct sciara_calibration_setup setup = {.file = file, .workers = 1};
  enum sciara_status status = sciara_calibration_open(&setup, &c);
  fuzz_check_status(status);
  FUZZ_REQUIRE((status == SCIARA_OK) == (c != NULL));
  if (!c) return;
  FUZZ_REQUIRE(sciara_calibration_describe(c, &said) == SCIARA_OK && said[0] == '{');
  for (size_t k = 0; k < SCIARA_UNKNOWNS_MOST; k++) points[k] = 0.5;
  for (size_t k = 0; status == SCIARA_OK && k < SCIARA_SEARCHES_MOST; k++) {
    status = sciara_calibration_begin(c, k, &said);
    if (status == SCIARA_OK) status = sciara_calibration_values(c, k, points, 1, values);
    if (status == SCIARA_OK)
      status = sciara_calibration_values(c, k, points + SCIARA_UNKNOWNS_MOST, 1, values + SCIARA_UNKNOWNS_MOST);
  }
  FUZZ_REQUIRE(status != SCIARA_OK); // behind the last search; a vent without a cell, a region that is missing
  fuzz_check_status(status);
  sciara_calibration_close(c);
}

/** Lines on their way. */
struct lines {
  struct sciara_evaluate_options options;
  struct timespec began;
  uint64_t given;
};

static bool go_on(void *context) {
  const struct lines *l = (const struct lines *)context;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec - l->began.tv_sec) * 1000 + (now.tv_nsec - l->began.tv_nsec) / 1000000 < PATIENCE_MS;
}

/** A result is a line of JSON, in the order of the requests. */
static bool take(void *context, const struct sciara_evaluation *result) {
  struct lines *l = (struct lines *)context;
  struct sciara_text text = {0};
  FUZZ_REQUIRE(result->index == l->given++);
  FUZZ_REQUIRE(sciara_evaluate_print(&l->options, result, &text) == SCIARA_OK);
  FUZZ_REQUIRE(text.data[0] == '{' && strchr(text.data, '\n') == text.data + text.length - 1);
  FUZZ_REQUIRE((result->error != NULL) == (result->status != SCIARA_EVALUATE_OK));
  sciara_text_free(&text);
  return true;
}

static void check_lines(struct fuzz_part text) {
  static char paths[2][512];
  const char *scenarios[1] = {paths[0]};
  snprintf(paths[0], sizeof paths[0], "%s", fuzz_path("s.json"));
  snprintf(paths[1], sizeof paths[1], "%s", fuzz_path("o.geojson"));
  const struct sciara_evaluate_observed extent = {.path = paths[1], .at_s = 1e300 * 1e300, .weight = 1};
  struct lines l = {.options = {.scenarios = scenarios,
                                .scenario_count = 1,
                                .observed = &extent,
                                .observed_count = 1,
                                .workers = 1,
                                .go_on = go_on,
                                .done = take,
                                .context = &l}};
  struct sciara_evaluator *e;
  uint64_t number = 0;
  FUZZ_REQUIRE(sciara_evaluator_open(&l.options, &e) == SCIARA_OK);
  clock_gettime(CLOCK_MONOTONIC, &l.began);
  for (size_t at = 0; at < text.size && go_on(&l);) {
    const char *line = (const char *)text.data + at, *end = memchr(line, '\n', text.size - at);
    const size_t length = end ? (size_t)(end - line) : text.size - at;
    char copy[4096];
    if (length < sizeof copy) {
      memcpy(copy, line, length);
      copy[length] = '\0';
      fuzz_check_status(sciara_evaluate_line(e, ++number, copy, length));
    }
    at += length + 1;
  }
  fuzz_check_status(sciara_evaluator_wait(e, true));
  FUZZ_REQUIRE(l.given <= number);
  sciara_evaluator_close(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_part parts[2];
  fuzz_split(data ? data : (const uint8_t *)"", size, parts, 2);
  put("dem.asc", dem);
  put("s.json", scenario);
  put("o.geojson", observed);
  check_file(parts[0]);
  if (parts[1].data) check_lines(parts[1]);
  return 0;
}
