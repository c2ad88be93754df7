// SPDX-License-Identifier: Apache-2.0
// A run, or an ensemble, as one page of HTML that needs nothing else: no server, no network, no library.
#ifndef SCIARA_PAGE_PAGE_HTML_H
#define SCIARA_PAGE_PAGE_HTML_H

#include "base/text.h"
#include "geometry/dem_window.h"
#include "geometry/poi.h"
#include "geometry/polyline.h"
#include "map/words.h"
#include "store/run_json.h"
#include "store/snapshot_hdf5.h"

// ------------------------------------------------------------------------ what it shows of snapshots, in page_frames.c

// The snapshots of a run on the cells that lava ever covers, in steps.

/**
 * Most steps between the least and the largest value: of a field of every frame, of temperature, of a field that is
 * stored once.
 */
enum { SCIARA_PAGE_STEPS = 4000, SCIARA_PAGE_STEPS_HEAT = 500, SCIARA_PAGE_STEPS_ONCE = 50000 };

/** One field in all frames. A level 0 is "no lava"; level n > 0 stands for base + (n - 1) step. */
struct sciara_page_field {
  enum sciara_field field;
  bool once;         ///< the last frame contains all others: arrival. `levels` then holds one frame
  double base, step; ///< step: 1, 2 or 5 times a power of ten; no value is further than half of it from its level
  double high;       ///< largest value
  int like;          ///< index of a field of the same base and step and nearly the same values; -1: none
  uint16_t *levels;  ///< frame by frame, cell by cell
};

/** What a snapshot says of the whole. */
struct sciara_page_frame {
  double time_s;
  uint64_t step;
  int64_t liquid_cells;
  int64_t covered_cells; ///< cells that lava has reached; -1 if no field shows it
  struct sciara_ledger ledger;
};

/** Zero-initialise, release with sciara_page_frames_free. */
struct sciara_page_frames {
  struct sciara_grid grid;
  uint8_t *covered; ///< rows x cols of the grid: 1 where some frame has something to show
  int64_t cells;    ///< how many those are
  int64_t box[4];   ///< first row, first column, rows and columns around them; all 0 without any
  size_t frame_count;
  struct sciara_page_frame *frames;
  size_t field_count;
  struct sciara_page_field fields[SCIARA_FIELD_COUNT];
};

/**
 * Reads `count` > 0 snapshots in their order. SCIARA_ERR_INPUT names the snapshot that lies on another grid, lacks a
 * field, or holds a value that is not finite, and says when there is more than a browser can take.
 *
 * @param fields `field_count` different ones; neither altitude, which is the same under no lava, nor a field twice
 */
enum sciara_status sciara_page_frames_read(const char *const *paths, size_t count, enum sciara_checksum_rule rule,
                                           const enum sciara_field *fields, size_t field_count,
                                           struct sciara_page_frames *out);
void sciara_page_frames_free(struct sciara_page_frames *frames);

/** The least of 1, 2, 5 times a power of ten that divides `range` > 0 into at most `steps`. */
double sciara_page_step(double range, int steps);

// ----------------------------------------------------------------------------------------------- what it shows besides

/** A vent: a point, or the vertices of a fissure, in the CRS of the grid. */
struct sciara_page_vent {
  const char *name;
  const struct sciara_point *points;
  size_t count;
  double weight; ///< of an ensemble, up to 1: the area of its mark; 0: it has none
};

/** A place, and what lava does to it. What has no value is NAN. */
struct sciara_page_place {
  const struct sciara_poi *poi;
  const char *state; ///< "reached", "not reached", "sea", ...
  int64_t row, col;  ///< a cell of it, or beyond the grid
  double arrival_s, deposit_m;
  double covered, land; ///< points, m or m2
  bool mapped;          ///< a part of it lies in the outline of initial.observed
};

// ------------------------------------------------------------------------- of an ensemble, instead of snapshots

/** Vents, and classes, that the page names in each block of cells: those with the largest shares. */
enum { SCIARA_PAGE_RANKS = 8 };

/** Parts of a fraction in one: fractions are stored in hundredths of a percent. */
enum { SCIARA_PAGE_SHARE = 10000 };

/**
 * One map on the cells that any member reaches. Level n > 0 stands for base + (n - 1) step; level 0: no value, or of a
 * probability 0.
 */
struct sciara_page_layer {
  char name[128];          ///< "probability_0.5m_low"
  const char *unit;        ///< "%", "s", "m" or "1"
  const char *ramp;        ///< as for sciara_ramp_for
  enum sciara_word word;   ///< its label, with a placeholder {value}
  double value, years;     ///< of the placeholders {value} and {years}
  const char *value_unit;  ///< "s": {value} is a time
  const double *edge;      ///< ascending: its classes, in its unit
  size_t edges;            ///< 0: continuous colours
  bool of_end;             ///< depends on what lava does until the members end
  bool of_hits;            ///< in each cell of the members that reach it
  bool shown;              ///< offered on the map; bounds, intervals and differences are not
  bool zero_is_empty;      ///< a probability: level 0 is 0, and not coloured
  double base, step, high; //
  double elsewhere;        ///< value where no member arrives; NAN: none
  double zero_bound;       ///< upper 95 % bound where the value is 0, in its unit; NAN: none
  uint16_t *levels;        ///< of each cell of the page
};

/** A place. */
struct sciara_page_poi {
  const struct sciara_poi *poi;
  enum sciara_poi_where where;
  int64_t row, col;     ///< a cell of it
  const double *chance; ///< of each of sciara_page_hazard.chance, 0 to 1; NAN: none
  double arrival;       ///< s, of the middle one of the quantiles; NAN: none
  bool at_start;        ///< all finished members have lava there at their start
};

/** The vents, or the classes, with the largest fractions of what reaches each block. */
struct sciara_page_shares {
  char **name;  ///< of `count`
  size_t count; ///< at most 65534
  /** SCIARA_PAGE_RANKS x blocks numbers from 1, 0: none; then as many fractions of SCIARA_PAGE_SHARE. */
  uint16_t *ranked;
};

/** Zero-initialise. */
struct sciara_page_hazard {
  size_t finished, members;
  bool stopped;                      ///< the stop rule holds with the finished ones
  bool observed;                     ///< members are weighted by an observed extent
  bool full;                         ///< every vent and class was computed
  enum sciara_word condition, after; ///< what numbers are conditional on; of what times count
  double time_zero_s;                ///< simulated time from which times count; 0: the beginning
  size_t censored;                   ///< finished members that ended at a limit
  size_t liquid;                     ///< finished members that ended at the time of their stop rule with liquid lava,
  double liquid_s[2];                ///< and the first and the last of these times
  double end_s;                      ///< the latest end of a finished member
  const struct sciara_page_layer *layer;
  size_t layers;
  const struct sciara_page_poi *poi;
  size_t pois;
  double poi_quantile;       ///< of sciara_page_poi.arrival
  const char *const *chance; ///< the columns of sites.csv with probabilities, their bounds, intervals and differences
  size_t chances;
  int64_t block; ///< rows, and columns, of a block; blocks begin at the corner of the page's box
  int64_t block_rows, block_cols;
  struct sciara_page_shares vents, events;
  const char *verification; ///< verification.json; NULL: none
};

// --------------------------------------------------------------------------------------------------------------- page

/** What a page says of a run. Texts may be NULL when unknown; whatever they hold is shown as text. */
struct sciara_page {
  enum sciara_language language;
  const struct sciara_run_warning *warnings; ///< what makes the results doubtful
  size_t warning_count;
  const struct sciara_page_frames *frames; ///< fields[0] is shown first
  const double *altitude;                  ///< of the ground, rows x cols, SCIARA_NODATA_ALTITUDE outside the DEM
  const uint8_t *observed;                 ///< rows x cols, 1 in the observed extent, else 0; NULL: none
  const char *observed_name;
  const double *observed_s; ///< its simulated time; NULL: not known
  const uint8_t *region;    ///< likewise, what is compared with it; NULL: all
  const uint8_t *sea;       ///< rows x cols, 1 where the sea is, else 0; NULL: not declared
  const uint16_t *edits;    ///< rows x cols, above 0 where the ground is edited; NULL: nowhere
  const struct sciara_page_vent *vent;
  size_t vents;
  double scale_to_m;                          ///< end of the colours of thicknesses, m; 0: the largest value
  const char *assumed;                        ///< lines that stand above the map
  const char *stamp;                          ///< above the map
  const char *credits, *issued, *valid_until; ///< dates as they are to be written
  const char *crs_wkt;                        ///< for longitude and latitude
  size_t snapshot_count;                      ///< of the run: those beyond the frames were left out
  const char *title, *start, *crs_name, *scenario_json, *source, *engine, *precision;
  const struct sciara_page_hazard *hazard; ///< NULL: no ensemble; else `frames` has the cells, one frame and no field
  const char *calibration;                 ///< of a calibration, JSON as in docs/page.md; NULL: none
  const struct sciara_page_place *place;   ///< places of a run
  size_t places;
  struct sciara_dem_window window; ///< of the DEM, if there are places
};

/** Writes the page as an atomic file. */
enum sciara_status sciara_page_write(const struct sciara_page *page, const char *path);

/**
 * Appends a further map of a calibration as JSON. What is NULL is that of map `like`: `altitude` for the whole ground,
 * `scenario_json` also for the vents; so are the cells with lava if there is no field. The box of the frames is that of `like`
 * unless there is a ground.
 */
enum sciara_status sciara_page_map_print(struct sciara_text *out, const struct sciara_page *page, size_t like);

/** Appends `count` bytes as a zlib stream in base64, without a line break. */
enum sciara_status sciara_page_pack(struct sciara_text *out, const void *bytes, size_t count);

/**
 * Appends the levels of `frames` x `cells`, packed. From them those of `like` are taken away, if it is not NULL, then
 * from each frame the frame before (all modulo 65536). What is left is near 0 on either side: 0, -1, 1, -2, 2... become
 * 0, 1, 2, 3, 4...; the low bytes of all of them come first and then the high ones.
 */
enum sciara_status sciara_page_pack_levels(struct sciara_text *out, const uint16_t *levels, const uint16_t *like,
                                           int64_t frames, int64_t cells);

#endif
