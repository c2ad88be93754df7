// SPDX-License-Identifier: Apache-2.0
// Step 3 of the tutorial: no files. A valley in an array, a vent and parameters by calls.
//
//   cc 3_from_memory.c $(pkg-config --cflags --libs sciara) -lm -o 3_from_memory && ./3_from_memory
#include <inttypes.h>
#include <math.h>
#include <sciara.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 200, COLS = 120 };

static void check(enum sciara_status status) {
  if (status == SCIARA_OK) return;
  fprintf(stderr, "3_from_memory: %s\n", sciara_last_error());
  exit((int)status);
}

/** What the library assumes, and its warnings. */
static void print_message(void *context, enum sciara_message kind, const char *text) {
  (void)context;
  if (kind >= SCIARA_MESSAGE_INFO) fprintf(stderr, "%s%s\n", kind == SCIARA_MESSAGE_WARNING ? "warning: " : "", text);
}

int main(void) {
  sciara_set_log(print_message, NULL);

  // The ground: a valley that falls to the south, 10 m cells, in UTM zone 33N.
  struct sciara_grid_info grid = {0};
  grid.rows = ROWS;
  grid.cols = COLS;
  grid.cell_size_m = 10;
  grid.west_m = 500000;
  grid.north_m = 4180000;
  double *altitude = (double *)malloc(ROWS * COLS * sizeof *altitude);
  if (!altitude) return SCIARA_ERR_MEMORY;
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLS; c++) altitude[r * COLS + c] = 2000 - 2.0 * r + 0.02 * (c - 60) * (c - 60);
  const struct sciara_site *site;
  check(sciara_site_from_array(&grid, "EPSG:32633", altitude, false, &site));
  free(altitude); // the site has a copy

  // The eruption: one vent, 8 m3/s for two hours, then 3 m3/s for four.
  const double place[] = {500605, 4179795}, times[] = {0, 7200, 21600}, rates[] = {8, 3};
  struct sciara_vent vent = {0};
  vent.name = "main vent";
  vent.place = SCIARA_VENT_XY;
  vent.points = place;
  vent.point_count = 1;
  vent.times_s = times;
  vent.rates_m3_s = rates;
  vent.rate_count = 2;
  struct sciara_scenario *scenario;
  check(sciara_scenario_create(&scenario));
  check(sciara_scenario_add_vent(scenario, &vent));
  check(sciara_scenario_set_number(scenario, "model.T_vent_K", 1350));
  check(sciara_scenario_set(scenario, "run.until", "12 h"));

  struct sciara *s;
  check(sciara_create(scenario, site, &s));
  sciara_scenario_close(scenario); // the simulation needs neither of them
  sciara_site_release(site);
  check(sciara_run(s));

  struct sciara_progress now;
  struct sciara_ledger ledger;
  uint64_t checksum;
  sciara_read_progress(s, &now);
  check(sciara_read_ledger(s, &ledger));
  check(sciara_checksum(s, &checksum));
  printf("step %" PRIu64 ", simulated %.1f s, emitted %.1f m3, checksum %016" PRIx64 "\n", now.step, now.time_s,
         ledger.emitted_m3, checksum);
  sciara_close(s);
  return fabs(ledger.emitted_m3 - (8 * 7200.0 + 3 * 14400.0)) < 1e-3 ? SCIARA_OK : SCIARA_ERR_NUMERIC;
}
