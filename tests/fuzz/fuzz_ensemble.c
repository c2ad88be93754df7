// SPDX-License-Identifier: Apache-2.0
// An ensemble file: the input is the JSON text, then, each after a separator, members.csv, weights.csv and
// vents.csv.
#include "fuzz.h"
#include "plan/plan.h"

size_t __wrap_sciara_memory_available(void);
/** So little that large tables are refused. */
size_t __wrap_sciara_memory_available(void) { return (size_t)120 << 20; }

enum { MEMBERS_MOST = 2000 };

enum sciara_status __real_sciara_members_create(size_t count, const char *const *keys, size_t key_count,
                                                struct sciara_members *out);
enum sciara_status __wrap_sciara_members_create(size_t count, const char *const *keys, size_t key_count,
                                                struct sciara_members *out);
/** Each member is checked: "count": 99999 would take minutes. */
enum sciara_status __wrap_sciara_members_create(size_t count, const char *const *keys, size_t key_count,
                                                struct sciara_members *out) {
  if (count <= MEMBERS_MOST) return __real_sciara_members_create(count, keys, key_count, out);
  return sciara_fail(SCIARA_ERR_MEMORY, "%zu members: more than the fuzzer checks", count);
}

static const char base[] =
    "{\"dem\": {\"path\": \"dem.asc\"}, \"vents\": [{\"x\": 45, \"y\": 45, \"effusion\": {\"slot\": \"1 h\", "
    "\"rates_m3_s\": [2, 1]}}], \"engine\": {\"name\": \"serial\"}}";
static const char dem[] = "ncols 8\nnrows 8\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n"
                          "8 7 6 5 4 3 2 1\n8 7 6 5 4 3 2 1\n8 7 6 5 4 3 2 1\n8 7 6 5 4 3 2 1\n"
                          "8 7 6 5 4 3 2 1\n8 7 6 5 4 3 2 1\n8 7 6 5 4 3 2 1\n8 7 6 5 4 3 2 1\n";
static const char rates[] = "time_s,rate_m3_s\n0,2\n1 h,4\n2 h,0\n";

static void put(const char *name, const char *text) {
  fuzz_file(name, (struct fuzz_part){.data = (const uint8_t *)text, .size = strlen(text)});
}

static void check_members(const struct sciara_members *m) {
  double sum = 0;
  FUZZ_REQUIRE(m->count > 0);
  for (size_t i = 0; i < m->count; i++) {
    FUZZ_REQUIRE(m->id[i] >= 0 && (i == 0 || m->id[i] > m->id[i - 1]) && m->weight[i] >= 0);
    FUZZ_REQUIRE(sciara_members_find(m, m->id[i]) == i);
    sum += m->weight[i];
  }
  FUZZ_REQUIRE(sum > 0);
}

/** A table that was read is written and read again with the same hashes. */
static void check_table(struct fuzz_part weights) {
  struct sciara_members m, again;
  const enum sciara_status status =
      sciara_members_read(fuzz_path("members.csv"), weights.data ? fuzz_file("weights.csv", weights) : NULL, &m);
  fuzz_check_status(status);
  if (status == SCIARA_OK) {
    check_members(&m);
    FUZZ_REQUIRE(sciara_members_write(&m, fuzz_path("again.csv"), fuzz_path("again-weights.csv")) == SCIARA_OK);
    FUZZ_REQUIRE(sciara_members_read(fuzz_path("again.csv"), fuzz_path("again-weights.csv"), &again) == SCIARA_OK);
    FUZZ_REQUIRE(again.count == m.count && memcmp(again.hash, m.hash, m.count * sizeof *m.hash) == 0);
    FUZZ_REQUIRE(memcmp(again.weight, m.weight, m.count * sizeof *m.weight) == 0);
    sciara_members_free(&again);
  }
  sciara_members_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_part parts[4];
  struct sciara_diagnostics diagnostics = {0};
  fuzz_split(data ? data : (const uint8_t *)"", size, parts, 4);
  put("base.json", base);
  put("dem.asc", dem);
  put("rates.csv", rates);
  fuzz_file("members.csv", parts[1]);
  fuzz_file("vents.csv", parts[3]);
  if (parts[1].data) check_table(parts[2]);
  sciara_ensemble_plan(fuzz_file("e.json", parts[0]), NULL, NULL, NULL, &diagnostics);
  fuzz_check_status(sciara_diagnostics_status(&diagnostics));
  sciara_diagnostics_free(&diagnostics);
  return 0;
}
