// SPDX-License-Identifier: Apache-2.0
// Where the footprints of an ensemble come from, the batches of its folder or a test; and what they do at places.
#ifndef SCIARA_ENSEMBLE_FOOTPRINTS_H
#define SCIARA_ENSEMBLE_FOOTPRINTS_H

#include "ensemble/ensemble.h"
#include "ensemble/sample.h"
#include "geometry/poi.h"
#include "member/batch_file.h"

/** Takes a footprint with its cells; `member` is its index in the table. Any thread may call it, several at a time. */
typedef enum sciara_status sciara_footprint_visit(void *context, size_t member, const struct sciara_footprint *f);

struct sciara_footprint_source {
  void *context;
  size_t pieces; ///< parts that may be read at the same time
  /** Visits the members of one piece that are not failed. */
  enum sciara_status (*read)(void *context, size_t piece, sciara_footprint_visit *visit, void *visit_context);
};

/**
 * Visits all members, in any order. If it fails, the error is that of the first piece that fails.
 *
 * @param threads at most
 */
enum sciara_status sciara_footprints_visit(const struct sciara_footprint_source *source, int threads,
                                           sciara_footprint_visit *visit, void *visit_context);

/** What the batches of an ensemble hold, without cells. Zero-initialise; release with sciara_batches_free. */
struct sciara_batches {
  const struct sciara_ensemble *ensemble;
  struct sciara_footprint *member; ///< of members.count: without cells; id -1: there is none yet
  uint8_t *present;                ///< of batch_count: the batch is there
  int64_t rows, cols;              ///< of the site; 0 while there is no batch
  const uint8_t *sea;              ///< rows x cols, 1 where the sea is: no visit sees these cells; NULL: no sea
  size_t batches, failed;          ///< batches that are there, members that failed
};

/**
 * Reads all batches that are there, but no cells. A batch that is damaged, or belongs to another ensemble, is
 * SCIARA_ERR_INPUT, and all of them are named in a warning each; one that is not there is no error.
 */
enum sciara_status sciara_batches_open(const struct sciara_ensemble *e, struct sciara_batches *out);
void sciara_batches_free(struct sciara_batches *b);

/** The cells of the batches. The source refers to `b`. */
struct sciara_footprint_source sciara_batches_source(const struct sciara_batches *b);

// ----------------------------------------------------------------------------------------------------------- at places

/** What a member does at a place. */
struct sciara_poi_hit {
  union { ///< the smallest or largest value of its cells; of those of which the smallest counts INFINITY: never
    struct {
#define SCIARA_FOOTPRINT_VALUE(name, ...) float name;
#include "member/footprint.def"
    };
    float value[SCIARA_FOOTPRINT_VALUES];
  };
  double covered; ///< points, m or m2 in the cells that are reached
};

/** Zero-initialise; release with sciara_poi_hits_free. */
struct sciara_poi_hits {
  size_t pois, members;
  struct sciara_poi_cells *place;
  struct sciara_poi_hit *hit; ///< places x members
  int64_t *reached;           ///< per member: how many cells lava reaches
};

enum { SCIARA_POI_HITS_MOST_CELLS = 100000000 }; ///< of all places together

/**
 * Finds the cells of the places. One that has none is never reached.
 *
 * @return SCIARA_ERR_INPUT for places of more than SCIARA_POI_HITS_MOST_CELLS cells in all
 */
enum sciara_status sciara_poi_hits_make(const struct sciara_poi *pois, size_t count, const struct sciara_grid *grid,
                                        size_t members, struct sciara_poi_hits *out);

/** SCIARA_ERR_INPUT, with the range of the DEM, if a place has no cell on the grid. @param window of the DEM */
enum sciara_status sciara_poi_check(const struct sciara_poi *poi, const struct sciara_poi_cells *cells,
                                    const struct sciara_grid *grid, const struct sciara_dem_window *window);
void sciara_poi_hits_free(struct sciara_poi_hits *h);

/**
 * A sciara_footprint_visit: takes what a member does at all places, and how many cells it reaches; `context` is a struct
 * sciara_poi_hits.
 */
enum sciara_status sciara_poi_hits_visit(void *context, size_t member, const struct sciara_footprint *f);

static inline const struct sciara_poi_hit *sciara_poi_hit(const struct sciara_poi_hits *h, size_t poi, size_t member) {
  return &h->hit[poi * h->members + member];
}

/** Whether a member has a deposit above deposit_m at a place at any time; 0: any lava. */
bool sciara_poi_is_hit(const struct sciara_poi_hit *h, double deposit_m);

/** Fills `out` with the finished members of weight above 0 that hit a place until a time, s; returns their number. */
size_t sciara_poi_members(const struct sciara_poi_hits *h, const struct sciara_sample *s, size_t poi, double deposit_m,
                          double until_s, uint32_t *out);

#endif
