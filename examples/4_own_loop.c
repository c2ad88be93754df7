// SPDX-License-Identifier: Apache-2.0
// Step 4 of the tutorial: a loop of one's own. Reports progress, changes the effusion rate while the lava flows, keeps a
// checkpoint and continues from it.
//
//   cc 4_own_loop.c $(pkg-config --cflags --libs sciara) -o 4_own_loop && ./4_own_loop scenario.json FOLDER
#include <inttypes.h>
#include <sciara.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static const double interval_s = 1200;
static volatile sig_atomic_t interrupted;

static void interrupt(int signal) {
  (void)signal;
  interrupted = 1;
}

static void check(enum sciara_status status) {
  if (status == SCIARA_OK) return;
  fprintf(stderr, "4_own_loop: %s\n", sciara_last_error());
  exit((int)status);
}

/** Called about ten times a second; false ends the call after the current step. */
static bool report(void *context, const struct sciara_progress *now) {
  (void)context;
  fprintf(stderr, "\r%8.2f h, %6" PRId64 " liquid cells", now->time_s / 3600, now->liquid_cells);
  return !interrupted;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s SCENARIO FOLDER\n", argv[0]);
    return SCIARA_ERR_USAGE;
  }
  signal(SIGINT, interrupt);
  struct sciara *s;
  check(sciara_open(argv[1], NULL, 0, &s));
  const char *vent;
  double end_s;
  check(sciara_read_vent(s, 0, &vent, &end_s));

  struct sciara_advance_options options = {0};
  options.progress = report;
  struct sciara_progress now;
  char path[4096];
  snprintf(path, sizeof path, "%s/second.h5", argv[2]);
  for (int report_number = 1; report_number <= 4 && !interrupted; report_number++) {
    options.time_s = report_number * interval_s;
    check(sciara_advance(s, &options));
    sciara_read_progress(s, &now);
    // An observer reports a new rate every twenty minutes: here it falls.
    check(sciara_set_rate(s, vent, 10.0 / report_number, now.time_s + 86400));
    if (report_number == 2) check(sciara_write_checkpoint(s, path));
  }
  uint64_t whole, continued;
  check(sciara_checksum(s, &whole));
  sciara_close(s);
  fprintf(stderr, "\n");
  if (interrupted) return 130;

  // The checkpoint has the rates that were set before it.
  check(sciara_open_checkpoint(path, NULL, NULL, 0, &s));
  check(sciara_read_vent(s, 0, &vent, &end_s)); // names belong to their simulation
  for (int report_number = 3; report_number <= 4; report_number++) {
    options.time_s = report_number * interval_s;
    check(sciara_advance(s, &options));
    sciara_read_progress(s, &now);
    check(sciara_set_rate(s, vent, 10.0 / report_number, now.time_s + 86400));
  }
  check(sciara_checksum(s, &continued));
  sciara_close(s);
  printf("in one run %016" PRIx64 ", continued from the checkpoint %016" PRIx64 "\n", whole, continued);
  return whole == continued ? SCIARA_OK : SCIARA_ERR_NUMERIC;
}
