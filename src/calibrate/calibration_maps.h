// SPDX-License-Identifier: Apache-2.0
// The maps of the page of a calibration: the best set of each search with each observed extent.
// Included by this room alone.
#ifndef SCIARA_CALIBRATE_CALIBRATION_MAPS_H
#define SCIARA_CALIBRATE_CALIBRATION_MAPS_H

#include "calibrate/calibration_page.h"
#include "page/page_html.h"
#include "scenario/vent_places.h"

/** Around all lava and all observed extents of each scenario: first row, first column, rows, columns; 0 without any. */
struct sciara_calibration_boxes {
  int64_t (*box)[4];
};

/** Zero-initialise; release in any case. */
enum sciara_status sciara_calibration_boxes_make(const struct sciara_calibration_page *page,
                                                 struct sciara_calibration_boxes *out);
void sciara_calibration_boxes_free(struct sciara_calibration_boxes *b);

/** A map. It must stay where it was made. */
struct sciara_calibration_map {
  struct sciara_page page; ///< as of sciara_page_map_print
  size_t like;             ///< the map that has what this one lacks
  struct sciara_page_frames frames;
  struct sciara_page_frame frame;
  uint8_t *sea;
  struct sciara_vent_marks marks;
  struct sciara_page_vent *vent;
  struct sciara_text scenario;
};

/** Makes map number `pair` x searches + `search`. Zero-initialise; release in any case. */
enum sciara_status sciara_calibration_map_make(const struct sciara_calibration_page *page,
                                               const struct sciara_calibration_boxes *boxes, size_t index,
                                               struct sciara_calibration_map *out);
void sciara_calibration_map_free(struct sciara_calibration_map *m);

#endif
