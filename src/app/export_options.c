// SPDX-License-Identifier: Apache-2.0
#include "app/export_options.h"

#include <stdlib.h>
#include <string.h>

#include "app/common_options.h"
#include "app/observed.h"
#include "app/picture_options.h"
#include "base/text.h"

static enum sciara_status parse_frames(const char *text, size_t *frames) {
  double value = SCIARA_EXPORT_FRAMES;
  if (text && (!sciara_parse_double(text, &value) || value < 1 || value > SCIARA_EXPORT_MOST_FRAMES ||
               value != (double)(int)value))
    return sciara_fail(SCIARA_ERR_USAGE, "--frames: expected a whole number from 1 to %d, found \"%s\"",
                       SCIARA_EXPORT_MOST_FRAMES, text);
  *frames = (size_t)value;
  return SCIARA_OK;
}

static enum sciara_status parse_layer(const char *name, enum sciara_export_layer *out) {
  for (int k = 0; k < SCIARA_EXPORT_LAYERS; k++)
    if (strcmp(name, sciara_export_layer_names[k]) == 0) {
      *out = (enum sciara_export_layer)k;
      return SCIARA_OK;
    }
  return sciara_fail(SCIARA_ERR_USAGE,
                     "--layer: expected outline, thickness_classes, arrival, front_lines, run_out, fissures or vents; "
                     "found \"%s\"",
                     name);
}

/** "0.5,1,2": ascending numbers above 0. */
static enum sciara_status parse_edges(const char *text, double edges[SCIARA_EXPORT_MOST_EDGES], size_t *count) {
  char *copy = sciara_format("%s", text), *rest = copy;
  if (!copy) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for an option");
  enum sciara_status status = SCIARA_OK;
  *count = 0;
  for (char *word; status == SCIARA_OK && (word = strsep(&rest, ","));) {
    double edge;
    if (*count == SCIARA_EXPORT_MOST_EDGES)
      status = sciara_fail(SCIARA_ERR_USAGE, "--classes: expected at most %d edges", SCIARA_EXPORT_MOST_EDGES);
    else if (!sciara_parse_double(word, &edge) || !(edge > (*count ? edges[*count - 1] : 0)))
      status = sciara_fail(SCIARA_ERR_USAGE,
                           "--classes: expected ascending numbers above 0 (m), found \"%s\" in \"%s\"", word, text);
    else
      edges[(*count)++] = edge;
  }
  free(copy);
  return status;
}

/** Reads the layer, and rejects options of other layers. */
static enum sciara_status read_layer(const struct sciara_arguments *a, struct sciara_export_job *job) {
  const char *layer = sciara_argument(a, "layer"), *format = sciara_argument(a, "format");
  if (layer) SCIARA_TRY(parse_layer(layer, &job->layer));
  if (strcmp(format, "geojson") != 0) return SCIARA_OK;
  if (job->layer != SCIARA_EXPORT_CLASSES && sciara_argument_given(a, "classes"))
    return sciara_fail(SCIARA_ERR_USAGE, "--classes: allowed only with --layer thickness_classes");
  const bool timed = job->layer == SCIARA_EXPORT_ARRIVAL || job->layer == SCIARA_EXPORT_FRONT_LINES ||
                     job->layer == SCIARA_EXPORT_RUN_OUT;
  if (!timed && sciara_argument_given(a, "isochrones"))
    return sciara_fail(SCIARA_ERR_USAGE, "--isochrones: allowed only with --layer arrival, front_lines or run_out");
  return SCIARA_OK;
}

enum sciara_status sciara_export_options_read(const struct sciara_arguments *a, const char **drivers,
                                              struct sciara_export_job *job) {
  const char *field = sciara_argument(a, "field"), *classes = sciara_argument(a, "classes");
  const char *isochrones = sciara_argument(a, "isochrones");
  job->field = SCIARA_FIELD_COUNT;
  job->overwrite = sciara_argument_given(a, "overwrite");
  if (field) SCIARA_TRY(sciara_field_parse(field, &job->field));
  SCIARA_TRY(read_layer(a, job));
  if (classes) SCIARA_TRY(parse_edges(classes, job->edges, &job->edge_count));
  if (isochrones && !(sciara_parse_duration(isochrones, &job->isochrones_s) && job->isochrones_s > 0))
    return sciara_fail(SCIARA_ERR_USAGE, "--isochrones: expected a time above 0 such as \"6 h\"; found \"%s\"",
                       isochrones);
  SCIARA_TRY(parse_frames(sciara_argument(a, "frames"), &job->frames));
  SCIARA_TRY(sciara_observed_request(a, drivers, &job->observed));
  return sciara_picture_options_read(a, drivers, job->observed.extra_driver_count, &job->look);
}
