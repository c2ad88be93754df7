// SPDX-License-Identifier: Apache-2.0
#include "export/picture_look.h"

#include <string.h>

#include "base/date.h"
#include "base/log.h"
#include "base/mem.h"
#include "file/georef.h"
#include "terrain/background.h"

/** States what is shown unless it is the whole grid. */
static void report(const struct sciara_map_window *w, const struct sciara_grid *g) {
  if (w->rows == g->rows && w->cols == g->cols) return;
  const struct sciara_grid part = sciara_map_window_grid(w, g);
  sciara_log(
      SCIARA_LOG_INFO,
      "the picture shows the lava with a margin, x %.10g to %.10g, y %.10g to %.10g; --extent dem shows the whole "
      "DEM",
      part.west, sciara_grid_east(&part), sciara_grid_south(&part), part.north);
}

/** The place of that name with a margin. */
static enum sciara_status window_of_place(const char *name, const struct sciara_map_picture *q,
                                          struct sciara_map_window *out) {
  struct sciara_map_bounds bounds = {0};
  size_t k = 0;
  while (k < q->poi_count && strcmp(q->pois[k].name, name) != 0) k++;
  if (k == q->poi_count)
    return sciara_fail(SCIARA_ERR_USAGE,
                       "--extent: expected lava, dem, X0,Y0,X1,Y1, degrees such as 14.9E,37.6N,15.1E,37.8N, or the "
                       "name of a place on the map (--assets FILE of a run, a site of an ensemble); found \"%.60s\"",
                       name);
  for (size_t i = 0; i < q->pois[k].point_count; i++)
    sciara_map_bounds_add_point(&bounds, q->map->grid, q->pois[k].points[i]);
  if (!bounds.any) return sciara_fail(SCIARA_ERR_INPUT, "--extent: place \"%.60s\" lies outside the map", name);
  *out = sciara_map_window_around(&bounds, q->map->grid);
  return SCIARA_OK;
}

static enum sciara_status choose_window(const struct sciara_picture_look *look, const struct sciara_map_bounds *bounds,
                                        const struct sciara_map_picture *q, struct sciara_map_window *out) {
  const struct sciara_grid *g = q->map->grid;
  const char *wkt = q->map->georef ? q->map->georef->crs_wkt : NULL;
  double box[4];
  switch (look->extent) {
    case SCIARA_PICTURE_OF_BOX: {
      const struct sciara_point corner = {look->box[0], look->box[1]};
      SCIARA_TRY(sciara_fail_context(sciara_georef_suspect_degrees(wkt, g, corner, "write 14.9E,37.6N,15.1E,37.8N"),
                                     "--extent"));
      return sciara_map_window_of_box(look->box, g, out);
    }
    case SCIARA_PICTURE_OF_DEGREES:
      SCIARA_TRY(sciara_fail_context(sciara_georef_place_box(wkt, NULL, look->box, box), "--extent"));
      return sciara_map_window_of_box(box, g, out);
    case SCIARA_PICTURE_OF_PLACE: return window_of_place(look->place, q, out);
    case SCIARA_PICTURE_OF_DEM: *out = (struct sciara_map_window){0, 0, g->rows, g->cols}; return SCIARA_OK;
    case SCIARA_PICTURE_OF_LAVA: break;
  }
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

enum sciara_status sciara_picture_look_check(const struct sciara_picture_look *look, const char *start) {
  const bool is_day = strlen(look->valid_until) == strlen("2026-05-10"); // valid until its end
  double from = 0, until = 0;
  bool zoned;
  if (!start || !sciara_parse_date(look->valid_until, &until, &zoned) || !sciara_parse_date(start, &from, &zoned))
    return SCIARA_OK;
  if (is_day ? until + 86400 > from : until >= from) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE, "--valid-until: expected a date after the start of the forecast, %s, found %s",
                     start, look->valid_until);
}

enum sciara_status sciara_picture_look_apply(const struct sciara_picture_look *look,
                                             const struct sciara_map_bounds *bounds, struct sciara_map_picture *q,
                                             struct sciara_picture_parts *parts) {
  SCIARA_TRY(sciara_picture_look_check(look, q->start));
  q->language = look->language;
  q->credits = look->credits;
  q->stamp = look->stamp;
  q->issued = look->issued[0] ? look->issued : NULL;
  q->valid_until = look->valid_until[0] ? look->valid_until : NULL;
  q->width = look->width;
  q->graticule = look->graticule;
  SCIARA_TRY(choose_window(look, bounds, q, &parts->window));
  q->window = &parts->window;
  if (look->logo) {
    SCIARA_TRY(sciara_logo_read(look->logo, &parts->logo));
    q->logo = parts->logo;
  }
  return look->background ? read_background(look, q, parts) : SCIARA_OK;
}

void sciara_picture_parts_free(struct sciara_picture_parts *parts) {
  sciara_logo_free(parts->logo);
  sciara_free(parts->rgba);
  *parts = (struct sciara_picture_parts){0};
}
