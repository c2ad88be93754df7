// SPDX-License-Identifier: Apache-2.0
#include "picture/frames.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "file/durable.h"
#include "file/gdal_support.h"

#define PREFIX "frame_"
enum { DIGITS = 5, FRAMES_A_SECOND = 10 };

char *sciara_frame_path(const char *folder, size_t number) {
  return sciara_format("%s/" PREFIX "%0*zu.png", folder, DIGITS, number);
}

static bool is_frame(const char *name) {
  const size_t prefix = sizeof PREFIX - 1;
  if (strncmp(name, PREFIX, prefix) != 0 || strspn(name + prefix, "0123456789") != DIGITS) return false;
  const char *end = name + prefix + DIGITS;
  return strcmp(end, ".png") == 0 || strcmp(end, ".png.part") == 0;
}

enum sciara_status sciara_frames_clear(const char *folder) {
  enum sciara_status status = SCIARA_OK;
  DIR *dir = opendir(folder);
  if (!dir)
    return errno == ENOENT ? SCIARA_OK : sciara_fail(SCIARA_ERR_IO, "%s: cannot be read: %s", folder, strerror(errno));
  for (struct dirent *entry; status == SCIARA_OK && (entry = readdir(dir));) {
    if (is_frame(entry->d_name)) status = sciara_file_remove(folder, entry->d_name);
  }
  closedir(dir);
  return status;
}

/** The folder's name for ffmpeg: "%" begins a number there, and "a:b" a protocol. */
static enum sciara_status append_folder(const char *folder, bool pattern, struct sciara_text *out) {
  if (folder[0] != '/') SCIARA_TRY(sciara_text_append(out, "./"));
  for (const char *c = folder; *c; c++)
    SCIARA_TRY(pattern && *c == '%' ? sciara_text_append(out, "%%%%") : sciara_text_append_bytes(out, c, 1));
  return SCIARA_OK;
}

enum sciara_status sciara_frames_command(const char *folder, struct sciara_text *out) {
  struct sciara_text frames = {0}, film = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(append_folder(folder, true, &frames));
  SCIARA_TRY_GOTO(sciara_text_append(&frames, "/" PREFIX "%%0%dd.png", DIGITS));
  SCIARA_TRY_GOTO(append_folder(folder, false, &film));
  while (film.length > 1 && film.data[film.length - 1] == '/') film.data[--film.length] = '\0';
  const size_t suffix = strlen(".frames");
  if (film.length > suffix && strcmp(film.data + film.length - suffix, ".frames") == 0)
    film.data[film.length -= suffix] = '\0';
  SCIARA_TRY_GOTO(sciara_text_append(&film, ".mp4"));
  SCIARA_TRY_GOTO(sciara_text_append(out, "ffmpeg -framerate %d -i ", FRAMES_A_SECOND));
  SCIARA_TRY_GOTO(sciara_shell_quote(out, frames.data));
  SCIARA_TRY_GOTO(sciara_text_append(out, " -c:v libx264 -pix_fmt yuv420p "));
  SCIARA_TRY_GOTO(sciara_shell_quote(out, film.data));
cleanup:
  sciara_text_free(&frames);
  sciara_text_free(&film);
  return status;
}
