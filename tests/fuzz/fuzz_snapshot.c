// SPDX-License-Identifier: Apache-2.0
// The input is a snapshot file.
#include "fuzz.h"
#include "fuzz_hdf5.h"
#include "store/snapshot_hdf5.h"

enum { MOST_CELLS = 1 << 20 }; ///< a header may declare more than the test has time for

static void check_field(struct sciara_snapshot *s, enum sciara_field field, double *values) {
  const enum sciara_status status = sciara_snapshot_obtain(s, field, values);
  fuzz_check_status(status);
  if (status != SCIARA_OK) return;
  // The values read are those written, so they are finite: readers rely on it.
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++)
    FUZZ_REQUIRE(isfinite(values[i]) || values[i] == SCIARA_NEVER);
}

static void check_snapshot(struct sciara_snapshot *s) {
  const struct sciara_grid *g = &s->grid;
  FUZZ_REQUIRE(s->fields != 0 && s->fields < 1u << SCIARA_FIELD_COUNT);
  FUZZ_REQUIRE(g->rows >= 1 && g->cols >= 1 && g->cell_size > 0 && isfinite(s->time_s) && s->liquid_cells >= 0);
  if (g->rows > MOST_CELLS || g->cols > MOST_CELLS || g->rows * g->cols > MOST_CELLS) return;
  double *values = (double *)malloc((size_t)(g->rows * g->cols) * sizeof *values);
  FUZZ_REQUIRE(values != NULL);
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    if (sciara_snapshot_has(s, (enum sciara_field)f)) check_field(s, (enum sciara_field)f, values);
  free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path =
      fuzz_file("00000001.nc", (struct fuzz_part){.data = data ? data : (const uint8_t *)"", .size = size});
  struct sciara_snapshot s;
  const enum sciara_status status = sciara_snapshot_open_as(path, SCIARA_CHECKSUM_OPTIONAL, &s);
  fuzz_check_status(status);
  if (status != SCIARA_OK) {
    FUZZ_REQUIRE(!s.path && !s.scenario_json);
    fuzz_check_hdf5_closed();
    return 0;
  }
  check_snapshot(&s);
  sciara_snapshot_close(&s);
  fuzz_check_hdf5_closed();
  return 0;
}
