// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "export/export_picture.h"
#include "file/durable.h"
#include "map/colour_ramp.h"
#include "picture/frames.h"
#include "run/run_folder.h"

/** Opens a snapshot of the run and takes its values; close it. */
static enum sciara_status open_frame(const struct sciara_export_job *job, size_t k, struct sciara_export_picture *p,
                                     struct sciara_snapshot *out) {
  char *path;
  SCIARA_TRY(sciara_run_file(job->target->folder, job->target->run_json.snapshots[k].name, &path));
  enum sciara_status status = sciara_snapshot_open_as(path, job->target->snapshot.rule, out);
  free(path);
  if (status != SCIARA_OK) return status;
  status = sciara_export_picture_read(job, out, p);
  if (status != SCIARA_OK) sciara_snapshot_close(out);
  return status;
}

/** The range of all snapshots, so that a colour means the same in every frame; their lava is the part that is shown. */
static enum sciara_status find_range(const struct sciara_export_job *job, struct sciara_export_picture *p) {
  double ends[2] = {INFINITY, -INFINITY}; // lowest and highest value; sciara_ramp_range leaves out what is not finite
  for (size_t k = 0; k < job->target->run_json.snapshot_count; k++) {
    struct sciara_snapshot snapshot;
    SCIARA_TRY(open_frame(job, k, p, &snapshot));
    for (int64_t i = 0; i < sciara_grid_cells(p->map.grid); i++) {
      if (!isfinite(p->values[i]) || p->values[i] == p->map.nodata) continue;
      ends[0] = fmin(ends[0], p->values[i]);
      ends[1] = fmax(ends[1], p->values[i]);
    }
    sciara_snapshot_close(&snapshot);
  }
  p->dressing.volumes.always_left_map = p->dressing.volumes.left_map > 0;
  p->dressing.volumes.always_entered_sea = p->dressing.volumes.entered_sea > 0;
  if (!(job->scale_to_m > 0))
    sciara_ramp_range(sciara_ramp_for(p->map.name), ends, 2, p->map.nodata, &p->picture.low, &p->picture.high);
  return SCIARA_OK;
}

static enum sciara_status write_frames(const struct sciara_export_job *job, struct sciara_export_picture *p,
                                       const char *folder) {
  for (size_t k = 0; k < job->target->run_json.snapshot_count; k++) {
    struct sciara_snapshot snapshot;
    SCIARA_TRY(open_frame(job, k, p, &snapshot));
    char *path = sciara_frame_path(folder, k + 1);
    const enum sciara_status status = path ? sciara_map_write_png(&p->picture, path) : sciara_no_memory("a path");
    free(path);
    sciara_snapshot_close(&snapshot);
    SCIARA_TRY(status);
  }
  return SCIARA_OK;
}

enum sciara_status sciara_export_frames(const struct sciara_export_job *job, const char *folder) {
  struct sciara_export_picture p = {0};
  struct sciara_text command = {0};
  enum sciara_status status = SCIARA_OK;
  if (job->target->run_json.snapshot_count > SCIARA_FRAMES_MOST)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: has %zu snapshots: expected at most %d for frames", job->target->folder,
                       job->target->run_json.snapshot_count, SCIARA_FRAMES_MOST);
  SCIARA_TRY_GOTO(sciara_export_picture_prepare(job, &p));
  SCIARA_TRY_GOTO(find_range(job, &p));
  SCIARA_TRY_GOTO(sciara_export_picture_look(job, &p));
  if (job->overwrite) SCIARA_TRY_GOTO(sciara_frames_clear(folder)); // a longer film's last frames would stay
  SCIARA_TRY_GOTO(sciara_folder_make(folder));
  SCIARA_TRY_GOTO(write_frames(job, &p, folder));
  SCIARA_TRY_GOTO(sciara_frames_command(folder, &command));
  SCIARA_TRY_GOTO(sciara_text_append(job->note, "%s", command.data));
cleanup:
  sciara_text_free(&command);
  sciara_export_picture_free(&p);
  return status;
}
