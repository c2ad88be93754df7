// SPDX-License-Identifier: Apache-2.0
// The folder of a film: which files are frames, and that all others stay.
#include "picture/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/durable.h"

static char folder[64];

static void setup(void) {
  snprintf(folder, sizeof folder, "/tmp/sciara-frames-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  ck_assert_int_eq(system(command), 0);
}

TEST(frames_are_removed_and_nothing_else) {
  static const struct {
    const char *name;
    bool is_frame;
  } files[] = {{"frame_00001.png", true},      {"frame_99999.png", true},   {"frame_00002.png.part", true},
               {"frame_0001.png", false},      {"frame_000001.png", false}, {"frame_00001.tif", false},
               {"frame_00001.png.bak", false}, {"frame_00001", false},      {"frames_00001.png", false},
               {"my_frame_00001.png", false},  {"frame_0000x.png", false},  {"frame_00001.png.part.part", false}};
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    char *path = sciara_path_join(folder, files[k].name);
    ck_assert_int_eq(sciara_file_replace(path, "x", 1), SCIARA_OK);
    free(path);
  }
  ck_assert_msg(sciara_frames_clear(folder) == SCIARA_OK, "%s", sciara_last_error());
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    char *path = sciara_path_join(folder, files[k].name);
    ck_assert_msg((access(path, F_OK) != 0) == files[k].is_frame, "%s", path);
    free(path);
  }
}

TEST(no_folder_is_an_empty_one) {
  char *none = sciara_path_join(folder, "none"), *file = sciara_path_join(folder, "file");
  ck_assert_int_eq(sciara_frames_clear(none), SCIARA_OK);
  ck_assert_int_eq(sciara_file_replace(file, "x", 1), SCIARA_OK);
  ck_assert_int_eq(sciara_frames_clear(file), SCIARA_ERR_IO);
  free(none);
  free(file);
}

TEST(names) {
  char *first = sciara_frame_path("a.frames", 1), *last = sciara_frame_path("/b", SCIARA_FRAMES_MOST);
  ck_assert_str_eq(first, "a.frames/frame_00001.png");
  ck_assert_str_eq(last, "/b/frame_99999.png");
  free(first);
  free(last);
}

RUN_TESTS(.setup = setup, .teardown = teardown)
