// SPDX-License-Identifier: Apache-2.0
// Step 1 of the tutorial: open a scenario file, run it for six simulated hours, print where the lava is.
//
//   cc 1_open_and_run.c $(pkg-config --cflags --libs sciara) -o 1_open_and_run && ./1_open_and_run scenario.json
#include <inttypes.h>
#include <math.h>
#include <sciara.h>
#include <stdio.h>

static int failed(const char *what, enum sciara_status status) {
  fprintf(stderr, "%s: %s\n", what, sciara_last_error());
  return (int)status;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s SCENARIO\n", argv[0]);
    return SCIARA_ERR_USAGE;
  }
  struct sciara *s;
  enum sciara_status status = sciara_open(argv[1], NULL, 0, &s);
  if (status != SCIARA_OK) return failed("cannot open", status);

  struct sciara_advance_options until = {0};
  until.time_s = 6 * 3600.0;
  status = sciara_advance(s, &until);
  if (status != SCIARA_OK) return failed("cannot advance", status);

  struct sciara_progress now;
  struct sciara_ledger ledger;
  sciara_read_progress(s, &now);
  status = sciara_read_ledger(s, &ledger);
  if (status != SCIARA_OK) return failed("no ledger", status);
  printf("step %" PRIu64 ", simulated %.1f s, %" PRId64 " liquid cells\n", now.step, now.time_s, now.liquid_cells);
  printf("emitted %.1f m3 = liquid %.1f + solid %.1f + lost %.1f m3\n", ledger.emitted_m3, ledger.liquid_m3,
         ledger.solid_m3, ledger.lost_m3);
  sciara_close(s);
  // All lava must be accounted for: a mass balance that does not close is a failure.
  return fabs(ledger.residual_m3) <= ledger.bound_m3 ? SCIARA_OK : SCIARA_ERR_NUMERIC;
}
