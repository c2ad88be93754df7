// SPDX-License-Identifier: Apache-2.0
// The folder of a film: which files are frames, and that all others stay.
#include "picture/frames.h"

#include "support/folder.h"
#include "support/owned.h"

TEST(frames_are_removed_and_nothing_else) {
  static const struct {
    const char *name;
    bool is_frame;
  } files[] = {{"frame_00001.png", true},      {"frame_99999.png", true},   {"frame_00002.png.part", true},
               {"frame_0001.png", false},      {"frame_000001.png", false}, {"frame_00001.tif", false},
               {"frame_00001.png.bak", false}, {"frame_00001", false},      {"frames_00001.png", false},
               {"my_frame_00001.png", false},  {"frame_0000x.png", false},  {"frame_00001.png.part.part", false}};
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) write_text(in_folder(files[k].name), "x");
  expect_ok(sciara_frames_clear(folder));
  for (size_t k = 0; k < sizeof files / sizeof *files; k++)
    ck_assert_msg((access(in_folder(files[k].name), F_OK) != 0) == files[k].is_frame, "%s", files[k].name);
}

TEST(no_folder_is_an_empty_one) {
  expect_ok(sciara_frames_clear(in_folder("none")));
  write_text(in_folder("file"), "x");
  ck_assert_int_eq(sciara_frames_clear(in_folder("file")), SCIARA_ERR_IO);
}

TEST(names) {
  OWNED(free_memory)
  char *first = sciara_frame_path("a.frames", 1), *last = sciara_frame_path("/b", SCIARA_FRAMES_MOST);
  ck_assert_str_eq(first, "a.frames/frame_00001.png");
  ck_assert_str_eq(last, "/b/frame_99999.png");
}

RUN_TESTS(.setup = folder_make, .teardown = folder_remove)
