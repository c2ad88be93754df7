// SPDX-License-Identifier: Apache-2.0
// Pictures of a film in a folder, numbered as ffmpeg requires: FOLDER/frame_00001.png and so on.
#ifndef SCIARA_PICTURE_FRAMES_H
#define SCIARA_PICTURE_FRAMES_H

#include "base/text.h"

/** How many a folder can hold. */
enum { SCIARA_FRAMES_MOST = 99999 };

/** Path of a frame, from 1; malloc'd, NULL when memory is out. */
char *sciara_frame_path(const char *folder, size_t number);

/** Removes the frames (cut short ones too) that a folder holds, and nothing else. No such folder is fine. */
enum sciara_status sciara_frames_clear(const char *folder);

/** Appends the ffmpeg command that makes a film of them: NAME.mp4 for NAME.frames, else FOLDER.mp4. */
enum sciara_status sciara_frames_command(const char *folder, struct sciara_text *out);

#endif
