// SPDX-License-Identifier: Apache-2.0
// The formats of `sciara export`: each in its own file export_<name>.c, and what they share.
#ifndef SCIARA_APP_EXPORT_H
#define SCIARA_APP_EXPORT_H

#include "app/command.h"
#include "app/target.h"
#include "map/raster_gdal.h"

/** What is asked for. */
struct sciara_export_job {
  struct sciara_target *target;
  const struct sciara_arguments *arguments;
  enum sciara_field field; ///< the one given, or the default
  bool overwrite;
};

struct sciara_export_format {
  const char *name; ///< "cog"
  /** Of the file, without dots: "tif", "tiff"; the first is that of the default name; ends with NULL. */
  const char *const *extensions;
  bool is_folder;             ///< it makes a folder, whose name may have any extension but that of a file
  const char *summary;        ///< one line for people
  const char *const *options; ///< those it follows beside --format, --output and --overwrite; ends with NULL
  /** The default name without its suffix; NULL: the name of the field. */
  const char *(*stem)(const struct sciara_export_job *job);
  /**
   * Writes `path`, atomically. It was not there, or may be replaced, when the command began; what else is written is
   * asked about with sciara_refuse_existing. The folder is made with sciara_export_make_folder once all is read.
   */
  enum sciara_status (*write)(const struct sciara_export_job *job, const char *path);
};

extern const struct sciara_export_format sciara_export_cog, sciara_export_png, sciara_export_frames, sciara_export_nc,
    sciara_export_gpkg, sciara_export_geojson, sciara_export_kml, sciara_export_csv, sciara_export_html;

/** Whether the format follows the option of that name. */
bool sciara_export_follows(const struct sciara_export_format *format, const char *option);

/** Makes the folder that `path` lies in. */
enum sciara_status sciara_export_make_folder(const char *path);

/** Paths of snapshots, in the order of time. Release with sciara_export_snapshots_free. */
struct sciara_export_snapshots {
  char **paths;
  size_t count;
};

/** Path of the k-th snapshot of the run if a run folder was named; else of the one that was named. Malloc'd. */
enum sciara_status sciara_export_snapshot_path(const struct sciara_export_job *job, size_t k, char **path);

/** Those of the run if a run folder was named; else the one that was named. */
enum sciara_status sciara_export_snapshots(const struct sciara_export_job *job, struct sciara_export_snapshots *out);
void sciara_export_snapshots_free(struct sciara_export_snapshots *s);

/**
 * The map of job->field; NODATA where there is nothing to show. map->values is to be released with sciara_free as
 * *values; the rest belongs to the target.
 */
enum sciara_status sciara_export_read_map(const struct sciara_export_job *job, struct sciara_map *map, double **values);

/**
 * Altitude under the lava, rows x cols: dem.tif of the run, else the snapshot's own altitude; if there is neither, zeros
 * and a warning. Release with sciara_free.
 */
enum sciara_status sciara_export_read_ground(struct sciara_target *target, double **altitude);

#endif
