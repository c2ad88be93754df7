// SPDX-License-Identifier: Apache-2.0
// Changes to a run folder, each a line "MEMBER CHANGE ARGUMENT" of the input (README.md). They stay inside the folder: none
// is made through a link.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "file/durable.h"
#include "fuzz.h"
#include "fuzz_run_folder.h"

enum { MOST_CHANGES = 8, LONGEST = 2048 };

/** Short names of the files in the folder; a NULL path: the k-th file of the folder, from 0. */
static const struct member {
  const char *name, *folder, *path;
  size_t k;
} members[] = {
    {"run.json", "run", "run.json", 0},        {"dem.tif", "run", "dem.tif", 0},
    {"series.nc", "run", "series.nc", 0},      {"snapshots", "run", "snapshots", 0},
    {"checkpoints", "run", "checkpoints", 0},  {"first.nc", "run/snapshots", NULL, 0},
    {"last.nc", "run/snapshots", NULL, 1},     {"older.h5", "run/checkpoints", NULL, 0},
    {"newest.h5", "run/checkpoints", NULL, 1},
};

static bool is_plain(const char *path, mode_t kind) {
  struct stat about;
  return lstat(path, &about) == 0 && (about.st_mode & S_IFMT) == kind;
}

/** The k-th name in a folder, in alphabetical order; malloc'd or NULL. */
static char *name_in(const char *folder, size_t k) {
  struct dirent **entries;
  const int count = scandir(folder, &entries, NULL, alphasort);
  char *found = NULL;
  size_t seen = 0;
  for (int i = 0; i < count; i++) {
    if (entries[i]->d_name[0] != '.' && seen++ == k) found = sciara_format("%s/%s", folder, entries[i]->d_name);
    free(entries[i]);
  }
  if (count >= 0) free(entries);
  return found;
}

/** The path of the member; malloc'd. NULL: it does not exist, or its folder is no longer a folder. */
static char *path_of(const char *name) {
  for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
    const struct member *m = &members[k];
    if (strcmp(m->name, name) != 0) continue;
    const char *folder = fuzz_path(m->folder);
    if (!is_plain(folder, S_IFDIR)) return NULL;
    return m->path ? sciara_format("%s/%s", folder, m->path) : name_in(folder, m->k);
  }
  return NULL;
}

/** Removes a file, a link, or a folder of files. */
static void clear(const char *path) {
  if (is_plain(path, S_IFDIR))
    for (char *inside; (inside = name_in(path, 0));) {
      const bool gone = unlink(inside) == 0 || rmdir(inside) == 0;
      free(inside);
      if (!gone) break;
    }
  if (unlink(path) != 0) rmdir(path);
}

static void write_bytes(const char *path, const void *bytes, size_t count) {
  clear(path);
  FILE *f = fopen(path, "w");
  FUZZ_REQUIRE(f != NULL);
  FUZZ_REQUIRE(fwrite(bytes, 1, count, f) == count && fclose(f) == 0);
}

/** The bytes of a plain file, or NULL. */
static char *read_bytes(const char *path, size_t *count) {
  char *bytes = NULL;
  if (!is_plain(path, S_IFREG)) return NULL;
  return sciara_file_read(path, 1 << 24, &bytes, count) == SCIARA_OK ? bytes : NULL;
}

/** "OFFSET HEX": replaces bytes there. */
static void patch(const char *path, const char *argument) {
  char *end = NULL;
  size_t count = 0;
  const unsigned long offset = strtoul(argument, &end, 10);
  char *bytes = read_bytes(path, &count);
  unsigned value;
  for (size_t at = count ? offset % count : 0; bytes && at < count && sscanf(end, " %2x", &value) == 1; at++) {
    bytes[at] = (char)value;
    end += strspn(end, " ") + 2;
  }
  if (bytes) write_bytes(path, bytes, count);
  free(bytes);
}

static void cut(const char *path, const char *argument) {
  size_t count = 0;
  char *bytes = read_bytes(path, &count);
  const size_t left = strtoul(argument, NULL, 10);
  if (bytes) write_bytes(path, bytes, left < count ? left : count);
  free(bytes);
}

/** A copy of another file: "secret" and the like outside of the folder, or a member. */
static void make_link(const char *path, const char *argument) {
  static const char *const outside[] = {"secret", "secret.nc", "secret.tif", "secret.json", "absent"};
  char *target = path_of(argument);
  for (size_t k = 0; k < sizeof outside / sizeof *outside && !target; k++)
    if (strcmp(argument, outside[k]) == 0) target = sciara_format("%s", fuzz_path(outside[k]));
  if (target) clear(path);
  if (target) FUZZ_REQUIRE(symlink(target, path) == 0);
  free(target);
}

static void copy(const char *path, const char *argument) {
  char *from = path_of(argument);
  size_t count = 0;
  char *bytes = from ? read_bytes(from, &count) : NULL;
  if (bytes) write_bytes(path, bytes, count);
  free(bytes);
  free(from);
}

/** Replaces the first text "snapshots/..." of a record. */
static void rename_in_record(const char *path, const char *argument) {
  size_t count = 0;
  char *bytes = read_bytes(path, &count), *at = bytes ? strstr(bytes, "\"snapshots/") : NULL;
  char *end = at ? strchr(at + 1, '"') : NULL;
  if (end) {
    char *text = sciara_format("%.*s\"%s%s", (int)(at - bytes), bytes, argument, end);
    FUZZ_REQUIRE(text != NULL);
    write_bytes(path, text, strlen(text));
    free(text);
  }
  free(bytes);
}

static void replace(const char *path, const char *argument) { write_bytes(path, argument, strlen(argument)); }

static void make_fifo(const char *path, const char *argument) {
  (void)argument;
  clear(path);
  FUZZ_REQUIRE(mkfifo(path, 0600) == 0);
}

static void make_folder(const char *path, const char *argument) {
  (void)argument;
  clear(path);
  FUZZ_REQUIRE(mkdir(path, 0700) == 0);
}

static void take_away(const char *path, const char *argument) {
  (void)argument;
  clear(path);
}

/** A user block in front of the file: its signature is at 512 bytes then. */
static void shift(const char *path, const char *argument) {
  (void)argument;
  size_t count = 0;
  char *bytes = read_bytes(path, &count), *longer = bytes ? (char *)calloc(1, count + 512) : NULL;
  if (longer) {
    memcpy(longer + 512, bytes, count);
    write_bytes(path, longer, count + 512);
  }
  free(longer);
  free(bytes);
}

static const struct change {
  const char *name;
  void (*make)(const char *path, const char *argument);
} changes[] = {
    {"content", replace},       {"patch", patch},        {"cut", cut},
    {"remove", take_away},      {"link", make_link},     {"copy", copy},
    {"fifo", make_fifo},        {"folder", make_folder}, {"shift", shift},
    {"name", rename_in_record},
};

static void apply(const char *member, const char *what, const char *argument) {
  char *path = path_of(member);
  bool known = false;
  for (size_t k = 0; path && k < sizeof changes / sizeof *changes; k++)
    if (strcmp(changes[k].name, what) == 0) {
      changes[k].make(path, argument);
      known = true;
    }
  if (path && !known && is_plain(path, S_IFREG)) fuzz_run_edit_hdf5(path, what, argument);
  free(path);
}

void fuzz_run_edit(const uint8_t *script, size_t size) {
  char line[LONGEST];
  for (int k = 0; k < MOST_CHANGES && size > 0; k++) {
    const uint8_t *end = (const uint8_t *)memchr(script, '\n', size);
    const size_t length = end ? (size_t)(end - script) : size;
    snprintf(line, sizeof line, "%.*s", (int)(length < LONGEST ? length : LONGEST - 1), (const char *)script);
    char *rest = line, *member = strsep(&rest, " "), *what = strsep(&rest, " ");
    if (member && what) apply(member, what, rest ? rest : "");
    script += length + (end != NULL);
    size -= length + (end != NULL);
  }
}
