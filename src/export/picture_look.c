// SPDX-License-Identifier: Apache-2.0
#include "export/picture_look.h"

#include "base/log.h"
#include "base/mem.h"
#include "terrain/background.h"

/** States what is shown unless it is the whole grid. */
static void report(const struct sciara_map_window *w, const struct sciara_grid *g) {
  if (w->rows == g->rows && w->cols == g->cols) return;
  const struct sciara_grid part = sciara_map_window_grid(w, g);
  sciara_log(
      SCIARA_LOG_INFO,
      "the picture shows the lava with a margin, x %.10g to %.10g, y %.10g to %.10g; --extent dem shows the whole "
      "DEM",
      part.west, part.west + (double)part.cols * part.cell_size, part.north - (double)part.rows * part.cell_size,
      part.north);
}

static enum sciara_status choose_window(const struct sciara_picture_look *look, const struct sciara_map_bounds *bounds,
                                        const struct sciara_grid *g, struct sciara_map_window *out) {
  if (look->extent == SCIARA_PICTURE_OF_BOX) return sciara_map_window_of_box(look->box, g, out);
  *out = (struct sciara_map_window){0, 0, g->rows, g->cols};
  if (look->extent == SCIARA_PICTURE_OF_DEM) return SCIARA_OK;
  *out = sciara_map_window_around(bounds, g);
  report(out, g);
  return SCIARA_OK;
}

static enum sciara_status read_background(const struct sciara_picture_look *look, struct sciara_map_picture *q,
                                          struct sciara_picture_parts *parts) {
  const struct sciara_grid area = sciara_map_window_grid(&parts->window, q->map->grid);
  struct sciara_background_request request = {.path = look->background,
                                              .extra_drivers = look->extra_drivers,
                                              .extra_driver_count = look->extra_driver_count,
                                              .area = &area,
                                              .crs_wkt = q->map->georef ? q->map->georef->crs_wkt : NULL};
  sciara_map_picture_pixels(q, &request.width, &request.height);
  SCIARA_TRY(sciara_background_read(&request, &parts->rgba));
  parts->background = (struct sciara_map_image){parts->rgba, request.width, request.height};
  q->background = &parts->background;
  return SCIARA_OK;
}

enum sciara_status sciara_picture_look_apply(const struct sciara_picture_look *look,
                                             const struct sciara_map_bounds *bounds, struct sciara_map_picture *q,
                                             struct sciara_picture_parts *parts) {
  q->language = look->language;
  q->credits = look->credits;
  q->stamp = look->stamp;
  q->issued = look->issued[0] ? look->issued : NULL;
  q->valid_until = look->valid_until[0] ? look->valid_until : NULL;
  q->width = look->width;
  SCIARA_TRY(choose_window(look, bounds, q->map->grid, &parts->window));
  q->window = &parts->window;
  if (look->logo) {
    SCIARA_TRY(sciara_logo_read(look->logo, &parts->logo));
    q->logo = &parts->logo.image;
  }
  return look->background ? read_background(look, q, parts) : SCIARA_OK;
}

void sciara_picture_parts_free(struct sciara_picture_parts *parts) {
  sciara_logo_free(&parts->logo);
  sciara_free(parts->rgba);
  *parts = (struct sciara_picture_parts){0};
}
