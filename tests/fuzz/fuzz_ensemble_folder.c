// SPDX-License-Identifier: Apache-2.0
// Whatever an ensemble folder holds, nothing outside of it is opened, written or removed.
#include "fuzz_ensemble_folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "ensemble/batch_folder.h"
#include "ensemble/ensemble_folder.h"
#include "ensemble/execute.h"
#include "file/durable.h"
#include "fuzz_hdf5.h"
#include "hazard/reduction.h"
#include "plan/plan.h"

enum { MOST_CHANGES = 8, LONGEST = 2048, BATCH = 2, MEMBERS = 4 };

static const char plan_text[] = "{\"base\": \"base.json\", \"sample\": {\"method\": \"full\"}, \"batch_size\": 2,"
                                "\"vary\": [{\"key\": \"model.relaxation\", \"values\": [0.3, 0.4, 0.5, 0.6]}]}",
                  other_text[] = "{\"base\": \"base.json\", \"sample\": {\"method\": \"full\"}, \"batch_size\": 2,"
                                 "\"vary\": [{\"key\": \"model.relaxation\", \"values\": [0.7, 0.8]}]}";

/** What may be changed, and what a change may name. */
static const char *const names[] = {
    "ensemble.json",
    "members.csv",
    "weights.csv",
    "dem.tif",
    "checkpoint.h5",
    "log.csv",
    "run.lock",
    "maps",
    "batches",
    "batches/000000.h5",
    "batches/000001.h5",
    "members",
    "members/000000",
    "members/000001",
    "members/000000/0.h5",
    "members/000001/2.h5",
    "members/000001/2.checkpoint.h5",
    "members/000001/3.h5",
    "members/000001/3.h5.part",
};
enum { NAMES = sizeof names / sizeof *names };

/** Files of somebody else, named like those that the program removes. */
static const char *const outside[] = {"outside/000000.h5", "outside/0.h5", "outside/2.checkpoint.h5",
                                      "outside/3.h5.host-1-1.part", "outside/text"};

static struct kept {
  char *bytes;
  size_t count;
} kept[NAMES]; ///< the files of the folder; bytes is NULL: absent, or a folder

static int watch = -1; ///< reports what happens outside

// --------------------------------------------------------------------------------------------------------- the folder

static char *path_of(const char *name) { return sciara_format("%s/%s", fuzz_path("ensemble"), name); }

static void put(const char *name, const char *text) {
  fuzz_file(name, (struct fuzz_part){.data = (const uint8_t *)text, .size = strlen(text)});
}

static bool is_plain(const char *path, mode_t kind) {
  struct stat about;
  return lstat(path, &about) == 0 && (about.st_mode & S_IFMT) == kind;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place) {
  (void)about;
  (void)kind;
  (void)place;
  return remove(path);
}

/** Removes a file, a link or a folder with all that it holds; links are not followed. */
static void clear(const char *path) { nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

static void make_folder(const char *name) {
  char *path = path_of(name);
  FUZZ_REQUIRE(path && (mkdir(path, 0777) == 0 || errno == EEXIST));
  free(path);
}

static void write_bytes(const char *path, const char *bytes, size_t count) {
  FILE *f = fopen(path, "w");
  FUZZ_REQUIRE(f && fwrite(bytes, 1, count, f) == count && fclose(f) == 0);
}

/** A batch, a finished member of the other one, and nothing of the last member. */
static void compute(void) {
  struct sciara_ensemble e;
  size_t missing = 0;
  FUZZ_REQUIRE(sciara_ensemble_open(fuzz_path("ensemble"), &e) == SCIARA_OK);
  FUZZ_REQUIRE(e.members.count == MEMBERS && e.batch_size == BATCH);
  const struct sciara_batch_folder folder = {.ensemble = &e, .rows = 8, .cols = 8};
  make_folder("batches");
  make_folder("members");
  for (size_t m = 0; m + 1 < MEMBERS; m++) {
    struct sciara_footprint f = {.stop = SCIARA_STOP_TIME};
    FUZZ_REQUIRE(sciara_member_store(&folder, m, &f) == SCIARA_OK);
  }
  FUZZ_REQUIRE(sciara_batch_join(&folder, 0, &missing) == SCIARA_OK && missing == SIZE_MAX);
  sciara_ensemble_free(&e);
}

static void make(void) {
  struct sciara_diagnostics diagnostics = {0};
  put("plan.json", plan_text);
  put("other.json", other_text);
  sciara_ensemble_plan(fuzz_path("plan.json"), fuzz_path("ensemble"), NULL, NULL, &diagnostics);
  FUZZ_REQUIRE(diagnostics.count == 0);
  compute();
  for (size_t k = 0; k < NAMES; k++) {
    char *path = path_of(names[k]);
    if (is_plain(path, S_IFREG))
      FUZZ_REQUIRE(sciara_file_read(path, 1 << 24, &kept[k].bytes, &kept[k].count) == SCIARA_OK);
    free(path);
  }
  FUZZ_REQUIRE(mkdir(fuzz_path("outside"), 0777) == 0);
  for (size_t k = 0; k < sizeof outside / sizeof *outside; k++) put(outside[k], "of somebody else");
  watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  FUZZ_REQUIRE(watch >= 0 &&
               inotify_add_watch(watch, fuzz_path("outside"), IN_OPEN | IN_CREATE | IN_DELETE | IN_MOVE) >= 0);
}

static void restore(void) {
  static const char *const folders[] = {"", "batches", "members", "members/000001"};
  clear(fuzz_path("ensemble"));
  for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) make_folder(folders[k]);
  for (size_t k = 0; k < NAMES; k++) {
    char *path = path_of(names[k]);
    if (kept[k].bytes) write_bytes(path, kept[k].bytes, kept[k].count);
    free(path);
  }
}

// ------------------------------------------------------------------------------------------------------------ changes

static size_t find_name(const char *name) {
  for (size_t k = 0; k < NAMES; k++)
    if (strcmp(names[k], name) == 0) return k;
  return NAMES;
}

/** Whether the folders above a name are folders: no change is made through a link. */
static bool is_reachable(const char *name) {
  bool reachable = true;
  for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
    char *above = sciara_format("%s/%.*s", fuzz_path("ensemble"), (int)(slash - name), name);
    reachable = reachable && is_plain(above, S_IFDIR);
    free(above);
  }
  return reachable;
}

/** A name of the folder, of the files outside, or one that leads nowhere. */
static char *target_of(const char *word) {
  for (size_t k = 0; k < sizeof outside / sizeof *outside; k++)
    if (strcmp(outside[k], word) == 0 || strcmp("outside", word) == 0) return sciara_format("%s", fuzz_path(word));
  return find_name(word) < NAMES ? path_of(word) : sciara_format("%s", fuzz_path("absent"));
}

/** Writes a text over the bytes from an offset on: "OFFSET TEXT". */
static void patch(const char *path, const char *argument) {
  char *text = NULL;
  const long offset = strtol(argument, &text, 10) & 0xffff;
  FILE *f = fopen(path, "r+");
  FUZZ_REQUIRE(f && fseek(f, offset, SEEK_SET) == 0);
  if (*text) FUZZ_REQUIRE(fputs(text + 1, f) >= 0);
  FUZZ_REQUIRE(fclose(f) == 0);
}

static void change(const char *path, const char *what, const char *argument) {
  const size_t from = find_name(argument);
  char *target = target_of(argument);
  if (strcmp(what, "patch") == 0 && is_plain(path, S_IFREG)) {
    patch(path, argument);
  } else if (strcmp(what, "cut") == 0 && is_plain(path, S_IFREG)) {
    FUZZ_REQUIRE(truncate(path, atoi(argument) & 0xffff) == 0);
  } else {
    clear(path);
    if (strcmp(what, "link") == 0) FUZZ_REQUIRE(symlink(target, path) == 0);
    if (strcmp(what, "fifo") == 0) FUZZ_REQUIRE(mkfifo(path, 0666) == 0);
    if (strcmp(what, "folder") == 0) FUZZ_REQUIRE(mkdir(path, 0777) == 0);
    if (strcmp(what, "text") == 0) write_bytes(path, argument, strlen(argument));
    if (strcmp(what, "copy") == 0 && from < NAMES && kept[from].bytes)
      write_bytes(path, kept[from].bytes, kept[from].count);
  }
  free(target);
}

/** In a text "\n" is the end of a line. */
static void unescape(char *text) {
  char *to = text;
  for (const char *from = text; *from; from++, to++) {
    const bool end = from[0] == '\\' && from[1] == 'n';
    *to = end ? '\n' : *from;
    from += end;
  }
  *to = '\0';
}

static void edit(struct fuzz_part script) {
  char text[LONGEST + 1];
  const size_t size = script.size < LONGEST ? script.size : LONGEST;
  memcpy(text, script.data, size);
  text[size] = '\0';
  char *rest = text;
  for (int k = 0; k < MOST_CHANGES && rest; k++) {
    char *line = strsep(&rest, "\n"), *name = strsep(&line, " "), *what = strsep(&line, " ");
    if (find_name(name) == NAMES || !what || !is_reachable(name)) continue;
    if (line) unescape(line);
    char *path = path_of(name);
    change(path, what, line ? line : "");
    free(path);
  }
}

// ---------------------------------------------------------------------------------------------------------------- use

/** What status and run do with the files of members and batches. */
static void use_members(const struct sciara_ensemble *e) {
  const struct sciara_batch_folder folder = {.ensemble = e, .rows = 8, .cols = 8};
  struct sciara_ensemble_status s;
  fuzz_check_status(sciara_ensemble_read_status(e, &s));
  for (size_t b = 0; b < e->batch_count; b++) {
    size_t missing = SIZE_MAX;
    bool whole = false;
    fuzz_check_status(sciara_batch_is_whole(&folder, b, NULL, &whole));
    for (size_t m = sciara_batch_begin(e, b); m < sciara_batch_end(e, b) && !whole; m++) {
      struct sciara_member_done state = {0};
      struct sciara_footprint f = {.stop = SCIARA_STOP_TIME};
      fuzz_check_status(sciara_member_find(&folder, m, &state));
      fuzz_check_status(sciara_member_folder_make(&folder, m));
      if (!state.finished) fuzz_check_status(sciara_member_store(&folder, m, &f));
    }
    sciara_batch_sweep(&folder, b, whole);
    fuzz_check_status(sciara_batch_join(&folder, b, &missing));
  }
}

static void use(void) {
  const struct sciara_reduction_options reduction = {.threads = 1, .bytes = 1 << 24};
  const struct sciara_ensemble_plan_options overwrite = {.overwrite = true};
  struct sciara_diagnostics diagnostics = {0};
  struct sciara_ensemble e;
  struct sciara_reduction r;
  int lock = -1;
  enum sciara_status status = sciara_ensemble_open_to_run(fuzz_path("ensemble"), &e, &lock);
  fuzz_check_status(status);
  if (status == SCIARA_OK) {
    use_members(&e);
    sciara_ensemble_unlock(lock);
    sciara_ensemble_free(&e);
  }
  status = sciara_reduction_open(fuzz_path("ensemble"), &reduction, &r);
  fuzz_check_status(status);
  if (status == SCIARA_OK) sciara_reduction_free(&r);
  sciara_ensemble_plan(fuzz_path("other.json"), fuzz_path("ensemble"), &overwrite, NULL, &diagnostics);
  fuzz_check_status(sciara_diagnostics_status(&diagnostics));
  sciara_diagnostics_free(&diagnostics);
}

void fuzz_ensemble_folder(struct fuzz_part script) {
  char events[4096];
  if (watch < 0) make();
  restore();
  edit(script);
  use();
  fuzz_check_hdf5_closed();
  FUZZ_REQUIRE(read(watch, events, sizeof events) < 0 && errno == EAGAIN);
}
