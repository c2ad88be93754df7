// SPDX-License-Identifier: Apache-2.0
// The formats of `sciara export` and `sciara ensemble export`, of which export_formats.def is the table, and what they
// share.
#ifndef SCIARA_EXPORT_EXPORT_H
#define SCIARA_EXPORT_EXPORT_H

#include "analysis/observation.h"
#include "base/text.h"
#include "export/picture_look.h"
#include "export/target.h"
#include "map/raster_gdal.h"
#include "map/zones.h"
#include "run/run_facts.h"
#include "terrain/poi_file.h"

enum { SCIARA_EXPORT_MOST_EDGES = 100, SCIARA_EXPORT_FRAMES = 60, SCIARA_EXPORT_MOST_FRAMES = 1000 };

/** The layers of vector files: polygons first. */
enum sciara_export_layer {
  SCIARA_EXPORT_OUTLINE,
  SCIARA_EXPORT_CLASSES,
  SCIARA_EXPORT_ARRIVAL,
  SCIARA_EXPORT_EDITS, // the last one of zones
  SCIARA_EXPORT_FRONT_LINES,
  SCIARA_EXPORT_RUN_OUT,
  SCIARA_EXPORT_FISSURES,
  SCIARA_EXPORT_VENTS,
  SCIARA_EXPORT_LAYERS ///< all of them
};

/** "outline", "thickness_classes", "arrival", "edits", "front_lines", "run_out", "fissures", "vents". */
extern const char *const sciara_export_layer_names[SCIARA_EXPORT_LAYERS];

/** What is to be made of what. Each format follows some of these. */
struct sciara_export_job {
  const char *source; ///< path of a run, a snapshot or an ensemble
  bool overwrite;
  bool all;                            ///< members of an ensemble: also those after the stop rule held
  enum sciara_checksum_rule checksums; ///< of snapshots
  struct sciara_target *target;        ///< the open run or snapshot; NULL for an ensemble. Set by sciara_export_make
  bool whole_run;          ///< of all snapshots, for formats that hold several; else of target->path. Set too
  enum sciara_field field; ///< to be mapped

  // Polygons.
  double edges[SCIARA_EXPORT_MOST_EDGES]; ///< of the thickness classes, m, ascending
  size_t edge_count;                      ///< 0: the usual ones, which a message states
  double isochrones_s;                    ///< from one isochrone to the next; 0: chosen, which a message states
  const char *layer;                      ///< of a GeoJSON file

  // Pictures and pages.
  struct sciara_observation_request observed; ///< path NULL: none; grid and crs_wkt are set here
  struct sciara_picture_look look;
  double scale_to_m;                 ///< end of the colours of thicknesses, m; 0: the largest value
  const char *assets, *assets_layer; ///< vector file of places that are shown; NULL: none
  size_t frames;                     ///< most snapshots in a page; 0: SCIARA_EXPORT_FRAMES

  struct sciara_text *note; ///< what the user is to be given with the path: a line of text
};

struct sciara_export_format {
  const char *name;          ///< "cog"
  bool of_ensemble;          ///< it is made of an ensemble; else of a run or a snapshot
  bool needs_folder;         ///< a snapshot alone is not enough
  bool is_folder;            ///< it makes a folder, whose name may have any extension but that of a file
  const char *extensions[3]; ///< of the file, without dots; the first is that of the default name; ends with NULL
  const char *stem;          ///< the default name without its extension; NULL: that of the layer or field
  const char *options;       ///< those that not all formats have, separated by blanks; NULL: none
  const char *summary;       ///< one line for people
  /**
   * Writes `path`, atomically. It was not there, or may be replaced, when the command began; other files are checked
   * with sciara_refuse_existing. The folder is made with sciara_export_make_folder once all is read.
   */
  enum sciara_status (*write)(const struct sciara_export_job *job, const char *path);
};

/** All formats; ends with a NULL name. */
extern const struct sciara_export_format sciara_export_formats[];

#define SCIARA_EXPORT_OF_RUN(name, ...) \
  enum sciara_status sciara_export_##name(const struct sciara_export_job *job, const char *path);
#define SCIARA_EXPORT_OF_ENSEMBLE(name, ...) \
  enum sciara_status sciara_export_ensemble_##name(const struct sciara_export_job *job, const char *path);
#include "export/export_formats.def"

/** The layer of that name; SCIARA_EXPORT_LAYERS if there is none. */
enum sciara_export_layer sciara_export_layer_find(const char *name);

/**
 * The cells that edits of the ground changed, one zone for each edit (the key dem.edits of the scenario), as stored in
 * dem.tif of the run. *out stays without a name where there are none; SCIARA_ERR_INPUT if they are `required`.
 */
enum sciara_status sciara_export_edits(const struct sciara_target *target, bool required, struct sciara_zones *out);

/**
 * Makes the product of job->source. Chooses the default field (deposit if the snapshot holds it, else thickness) when
 * `field` is SCIARA_FIELD_COUNT, and the default path when `given` is NULL: in maps/ of the folder, or next to a lone
 * snapshot.
 *
 * @param path where it was made; release with free
 */
enum sciara_status sciara_export_make(const struct sciara_export_format *format, struct sciara_export_job *job,
                                      const char *given, char **path);

/** What a map of a snapshot says of itself. Zero-initialise; release with sciara_map_facts_free. */
enum sciara_status sciara_export_facts(const struct sciara_snapshot *s, enum sciara_field field, const char *title,
                                       struct sciara_map_facts *out);

/** Whether the table says that the format follows the option of that name. */
bool sciara_export_follows(const struct sciara_export_format *format, const char *option);

/** Makes the folder that `path` lies in. */
enum sciara_status sciara_export_make_folder(const char *path);

/** Paths of snapshots, in the order of time. Release with sciara_export_snapshots_free. */
struct sciara_export_snapshots {
  char **paths;
  size_t count, all; ///< all: of which they were chosen
};

/** The snapshots of the whole run, at most `most` of them, evenly chosen, the last one always among them; else the target's. */
enum sciara_status sciara_export_snapshots(const struct sciara_export_job *job, size_t most,
                                           struct sciara_export_snapshots *out);
void sciara_export_snapshots_free(struct sciara_export_snapshots *s);

/**
 * The map of job->field; NODATA where there is nothing to show. map->values is to be released with sciara_free as
 * *values; the rest belongs to the target.
 */
enum sciara_status sciara_export_read_map(const struct sciara_export_job *job, struct sciara_map *map, double **values);

/**
 * The observed extent of the job on the grid of the snapshot; *out stays as it is without one. Zero-initialise and free
 * it.
 */
enum sciara_status sciara_export_read_observed(const struct sciara_export_job *job,
                                               const struct sciara_snapshot *snapshot, struct sciara_observation *out);

/** Vents of the scenario that a snapshot carries, and their cells; what the run assumes. */
enum sciara_status sciara_export_vents(const struct sciara_target *t, const struct sciara_map *map,
                                       struct sciara_map_picture *picture, struct sciara_map_dressing *dressing,
                                       struct sciara_vent_cells *cells);

/**
 * Says which places are not on a map, and why.
 *
 * @param shown the part of the grid that it shows; NULL: all
 */
enum sciara_status sciara_export_tell_left_out(const struct sciara_pois *pois, const struct sciara_grid *grid,
                                               const struct sciara_map_window *shown,
                                               const struct sciara_dem_window *window);

/** Cells of the ground that pictures and pages mark. */
struct sciara_export_marks {
  uint8_t *sea;        ///< rows x cols, 0 or 1; NULL: none is declared
  uint16_t *edit;      ///< rows x cols, number of the last edit of the cell, or 0; NULL: none
  uint8_t *observed;   ///< rows x cols, 1 in the outline of the lava with which the run began; NULL: none
  char *observed_name; ///< of its file; NULL: none
};

/** The marks in dem.tif of a run whose scenario has some; none for a snapshot alone. Release with sciara_export_marks_free. */
enum sciara_status sciara_export_read_marks(const struct sciara_target *target, struct sciara_export_marks *out);
void sciara_export_marks_free(struct sciara_export_marks *marks);

#endif
