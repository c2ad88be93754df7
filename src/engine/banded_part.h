// SPDX-License-Identifier: Apache-2.0
// What every rank of a banded engine does when rank 0 commands it.
// Included by this room alone.
#ifndef SCIARA_ENGINE_BANDED_PART_H
#define SCIARA_ENGINE_BANDED_PART_H

#include "engine/band_rows.h"
#include "engine/banded.h"

/** The commands of rank 0. */
enum sciara_banded_kind {
  SCIARA_BANDED_CREATE,
  SCIARA_BANDED_UPLOAD,
  SCIARA_BANDED_ADVANCE,
  SCIARA_BANDED_DOWNLOAD,
  SCIARA_BANDED_COUNT, ///< the liquid cells of each row, for a new cut
  SCIARA_BANDED_CUT,
  SCIARA_BANDED_MEASURE, ///< sciara_banded_measure
  SCIARA_BANDED_DESTROY,
  SCIARA_BANDED_DISMISS
};

/** A command, sent as it is: all ranks are the same program. What the kind does not need is not set. */
struct sciara_banded_command {
  enum sciara_banded_kind kind;
  // CREATE; the vents follow
  int engine, precision, threads, device; ///< engine: number in the list of engines
  enum sciara_boundary boundary;
  struct sciara_engine_options options;
  struct sciara_params params;
  int64_t vents, slots;
  // UPLOAD; the cuts follow, as after CUT
  struct sciara_grid map;
  unsigned record;
  double time, clock;
  uint64_t step;
  // ADVANCE
  struct sciara_stop stop; ///< not its pointer
  bool liquid;             ///< whether any cell of the map is liquid
  // MEASURE
  size_t bytes;
  int count;
};

/** The answer to a command. */
struct sciara_banded_report {
  enum sciara_status status;
  enum sciara_stop_reason reason;    ///< of ADVANCE: why it ended; NONE: rank 0 wanted it
  struct sciara_engine_progress now; ///< of the band; after ADVANCE
  double seconds;                    ///< of MEASURE
  char text[1024];                   ///< of the error
};

/** The part of a banded engine that a rank has. */
struct sciara_banded_part {
  struct sciara_comm *comm;
  const struct sciara_engine_ops *inner;
  struct sciara_engine_setup setup; ///< of the inner engine
  struct sciara_params params;
  struct sciara_vents *map_vents; ///< all
  double vents_end;               ///< of all, s
  struct sciara_grid map;
  unsigned record;
  struct sciara_cuts cuts;
  void *engine;                   ///< NULL: this rank has no rows
  const struct sciara_site *site; ///< the rows of the band with its halo
  double *z0;                     ///< of the site
  uint8_t *kind;                  ///< of the site
  struct sciara_vents *vents;     ///< those in these rows
  char *halo[2][2];               ///< packed rows north and south: sent, received
  struct sciara_engine_progress now;
  struct sciara_banded_report report; ///< of the command in work
};

/** What rank 0 adds to the commands that it carries out itself. */
struct sciara_banded_root {
  const struct sciara_state *from;  ///< UPLOAD
  struct sciara_state *to;          ///< DOWNLOAD
  struct sciara_cuts cuts;          ///< UPLOAD, CUT
  const struct sciara_vents *vents; ///< CREATE
  const int *cancel;                ///< ADVANCE; may be NULL
  double until;                     ///< ADVANCE: sciara_wallclock at which it ends
  double emitted;                   ///< ADVANCE: the running sum of the map, m3
  int64_t *liquid;                  ///< COUNT: liquid cells of each row of the map
};

/**
 * Carries out a command and leaves the answer in p->report. `root`: of rank 0, else NULL. Fails only if another rank is lost.
 */
enum sciara_status sciara_banded_obey(struct sciara_banded_part *p, const struct sciara_banded_command *command,
                                      struct sciara_banded_root *root);

/** Releases what the part owns. */
void sciara_banded_release(struct sciara_banded_part *p);

#endif
