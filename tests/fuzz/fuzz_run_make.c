// SPDX-License-Identifier: Apache-2.0
// A run of some steps, made once, kept in memory, and restored after each input.
#include <dirent.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "file/durable.h"
#include "file/hdf5_file.h"
#include "fuzz.h"
#include "fuzz_run_folder.h"
#include "run/run.h"

enum { ROWS = 12, COLS = 16, MOST_KEPT = 32 };

/** A file of the run, by its path below fuzz_path(). */
static struct kept {
  char *name;
  char *bytes;
  size_t count;
} kept[MOST_KEPT];
static size_t kept_count;

static const char *const folders[] = {"run/snapshots", "run/checkpoints"};

static void write_text(const char *name, const char *text) {
  fuzz_file(name, (struct fuzz_part){.data = (const uint8_t *)text, .size = strlen(text)});
}

/** An ESRI ASCII grid: `secret` everywhere, or a slope. */
static void write_grid(const char *name, double secret) {
  FILE *f = fopen(fuzz_path(name), "w");
  FUZZ_REQUIRE(f != NULL);
  fprintf(f, "ncols %d\nnrows %d\nxllcorner 500000\nyllcorner 4177000\ncellsize 10\n", COLS, ROWS);
  for (int i = 0; i < ROWS * COLS; i++)
    fprintf(f, "%.12g%c", secret > 0 ? secret : 1000 - 3 * (i / COLS) - 0.5 * (i % COLS), (i + 1) % COLS ? ' ' : '\n');
  FUZZ_REQUIRE(fclose(f) == 0);
}

/** Datasets of every name that a snapshot or a checkpoint has, full of secrets. */
static void write_secret_hdf5(void) {
  static const char *const names[] = {
      "thickness", "altitude", "temperature", "deposit", "arrival_time", "x",  "y",    "time",
      "crs",       "z",        "h",           "T",       "px",           "py", "lost", "arrival"};
  const hsize_t dims[3] = {1, ROWS, COLS};
  double values[ROWS * COLS];
  struct sciara_hdf5_session session;
  for (int i = 0; i < ROWS * COLS; i++) values[i] = FUZZ_SECRET;
  sciara_hdf5_begin(&session);
  const hid_t file = H5Fcreate(fuzz_path("secret.nc"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(3, dims, NULL);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const hid_t dataset = H5Dcreate2(file, names[k], H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    FUZZ_REQUIRE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dataset);
  }
  H5Sclose(space);
  FUZZ_REQUIRE(H5Fclose(file) >= 0);
  sciara_hdf5_end(&session);
}

static void write_secrets(void) {
  FILE *f = fopen(fuzz_path("secret"), "w");
  const double value = FUZZ_SECRET;
  FUZZ_REQUIRE(f != NULL);
  for (int i = 0; i < 4096; i++) FUZZ_REQUIRE(fwrite(&value, sizeof value, 1, f) == 1);
  FUZZ_REQUIRE(fputs(FUZZ_SECRET_TEXT, f) >= 0 && fclose(f) == 0);
  write_secret_hdf5();
  write_grid("secret.tif", FUZZ_SECRET);
  write_text("secret.csv", "time_s,rate_m3_s\n0,31415.926535\n10,0\n");
  write_text("secret.json", "{\"title\": \"" FUZZ_SECRET_TEXT "\"}");
}

static void simulate(void) {
  struct sciara_problem problem;
  struct sciara_simulation *s = NULL;
  struct sciara_run_result result;
  write_grid("dem.asc", 0);
  write_text("s.json", "{\"title\": \"fuzz\", \"dem\": {\"path\": \"dem.asc\", \"crs\": \"EPSG:32633\"},"
                       "\"vents\": [{\"row\": 4, \"col\": 6, \"effusion\": {\"slot\": \"1 d\", \"rates_m3_s\": [5]}}],"
                       "\"run\": {\"max_steps\": 60}, \"engine\": {\"name\": \"serial\"},"
                       "\"output\": {\"folder\": \"run\", \"every\": 300, \"checkpoint_every\": 300, \"dtype\": "
                       "\"float64\", \"fields\": [\"thickness\", \"altitude\", \"deposit\"]}}");
  const struct sciara_problem_options options = {.override_count = 0};
  FUZZ_REQUIRE(sciara_problem_open(fuzz_path("s.json"), &options, &problem) == SCIARA_OK);
  FUZZ_REQUIRE(sciara_simulation_create(&problem, sciara_scenario_writes_on_the_way(&problem.scenario), &s) ==
               SCIARA_OK);
  FUZZ_REQUIRE(sciara_run_to_end(s, &(struct sciara_run_options){.history = "fuzz"}, &result) == SCIARA_OK);
  sciara_simulation_destroy(s);
}

static bool is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

/** Stores the files of a folder below fuzz_path(), including subfolders. */
static void keep(const char *folder) {
  DIR *dir = opendir(fuzz_path(folder));
  FUZZ_REQUIRE(dir != NULL);
  for (const struct dirent *entry; (entry = readdir(dir));) {
    char *name = sciara_format("%s/%s", folder, entry->d_name);
    struct stat about;
    FUZZ_REQUIRE(name && stat(fuzz_path(name), &about) == 0);
    if (is_visible(entry) && S_ISDIR(about.st_mode)) keep(name);
    if (!S_ISREG(about.st_mode)) {
      free(name);
      continue;
    }
    FUZZ_REQUIRE(kept_count < MOST_KEPT);
    struct kept *k = &kept[kept_count++];
    k->name = name;
    FUZZ_REQUIRE(sciara_file_read(fuzz_path(name), 1 << 24, &k->bytes, &k->count) == SCIARA_OK);
  }
  closedir(dir);
}

void fuzz_run_make(void) {
  write_secrets();
  simulate();
  keep("run");
  FUZZ_REQUIRE(kept_count >= 7);
}

/** Whether the file is unchanged; changes give it another size or time. */
static bool is_as_it_was(const struct kept *k) {
  struct stat about;
  if (lstat(fuzz_path(k->name), &about) != 0 || !S_ISREG(about.st_mode) || about.st_size != (off_t)k->count)
    return false;
  return about.st_mtim.tv_sec == 3;
}

static void put_back(const struct kept *k) {
  const struct timespec times[2] = {{.tv_sec = 3}, {.tv_sec = 3}};
  const char *path = fuzz_file(k->name, (struct fuzz_part){.data = (const uint8_t *)k->bytes, .size = k->count});
  FUZZ_REQUIRE(utimensat(AT_FDCWD, path, times, 0) == 0);
}

void fuzz_run_restore(void) {
  for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
    struct stat about;
    if (lstat(fuzz_path(folders[k]), &about) == 0 && S_ISDIR(about.st_mode)) continue;
    unlink(fuzz_path(folders[k]));
    mkdir(fuzz_path(folders[k]), 0700);
  }
  for (size_t k = 0; k < kept_count; k++) {
    if (is_as_it_was(&kept[k])) continue;
    if (unlink(fuzz_path(kept[k].name)) != 0) rmdir(fuzz_path(kept[k].name));
    put_back(&kept[k]);
  }
}
