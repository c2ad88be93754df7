// SPDX-License-Identifier: Apache-2.0
// A minimal program with libsciara: open a scenario, execute a thousand steps, read where the lava is.
//
//   cc minimal.c $(pkg-config --static --cflags --libs sciara) -o minimal && ./minimal scenario.json
#include <inttypes.h>
#include <math.h>
#include <sciara.h>
#include <stdio.h>
#include <stdlib.h>

static int failed(const char *what, enum sciara_status status) {
  fprintf(stderr, "%s: %s\n", what, sciara_last_error());
  return (int)status;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: minimal SCENARIO\n");
    return SCIARA_ERR_USAGE;
  }
  struct sciara *s;
  enum sciara_status status = sciara_open(argv[1], NULL, 0, &s);
  if (status != SCIARA_OK) return failed("cannot open", status);
  status = sciara_step(s, 1000);
  if (status != SCIARA_OK) return failed("cannot step", status);

  struct sciara_grid_info grid;
  struct sciara_progress now;
  struct sciara_ledger ledger;
  sciara_read_grid(s, &grid);
  sciara_read_progress(s, &now);
  status = sciara_read_ledger(s, &ledger);
  if (status != SCIARA_OK) return failed("no ledger", status);

  const size_t cells = (size_t)(grid.rows * grid.cols);
  double *deposit = malloc(cells * sizeof *deposit), thickest = 0;
  if (!deposit) return SCIARA_ERR_MEMORY;
  status = sciara_read_field(s, SCIARA_FIELD_DEPOSIT, deposit, cells);
  if (status != SCIARA_OK) return failed("no deposit", status);
  for (size_t i = 0; i < cells; i++) thickest = fmax(thickest, deposit[i]);

  printf("step %" PRIu64 ", simulated %.1f s, %" PRId64 " liquid cells, deposit up to %.2f m\n", now.step, now.time_s,
         now.liquid_cells, thickest);
  printf("emitted %.1f m3 = liquid %.1f + solid %.1f + lost %.1f m3\n", ledger.emitted_m3, ledger.liquid_m3,
         ledger.solid_m3, ledger.lost_m3);
  free(deposit);
  sciara_close(s);
  // All lava must be accounted for: a mass balance that does not close is a failure.
  return fabs(ledger.residual_m3) <= ledger.bound_m3 && now.step == 1000 ? SCIARA_OK : SCIARA_ERR_NUMERIC;
}
