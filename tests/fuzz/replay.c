// SPDX-License-Identifier: Apache-2.0
// usage: fuzz_TARGET_replay FOLDER-OR-FILE...
// Passes files to a target without libFuzzer, so that every compiler and every build tries what the fuzzers have found.
#include <dirent.h>

#include "fuzz.h"

static char *read_whole(const char *path, size_t *size) {
  FILE *f = fopen(path, "r");
  if (!f || fseek(f, 0, SEEK_END) != 0) return NULL;
  long length = ftell(f);
  rewind(f);
  // Exactly as long as the input, so that a read beyond its end is detected.
  char *bytes = length < 0 ? NULL : (char *)malloc(length ? (size_t)length : 1);
  *size = bytes ? fread(bytes, 1, (size_t)length, f) : 0;
  fclose(f);
  return bytes;
}

static int replay_file(const char *path) {
  size_t size;
  char *bytes = read_whole(path, &size);
  if (!bytes) {
    fprintf(stderr, "%s: cannot be read\n", path);
    exit(2);
  }
  fprintf(stderr, "%s\n", path); // the last line before a crash names the input
  LLVMFuzzerTestOneInput((const uint8_t *)bytes, size);
  free(bytes);
  return 1;
}

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static int replay(const char *path) {
  struct dirent **entries;
  int count = scandir(path, &entries, is_visible, alphasort), replayed = 0;
  if (count < 0) return replay_file(path);
  for (int i = 0; i < count; i++) {
    char inside[4096];
    snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
    replayed += replay_file(inside);
    free(entries[i]);
  }
  free(entries);
  return replayed;
}

int main(int argc, char **argv) {
  int replayed = 0;
  for (int i = 1; i < argc; i++) replayed += replay(argv[i]);
  printf("%d inputs\n", replayed);
  return replayed > 0 ? 0 : 2;
}
