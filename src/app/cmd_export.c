// SPDX-License-Identifier: Apache-2.0
// sciara export, and sciara ensemble export: both follow the table of formats (export_formats.def).
#include <stdlib.h>
#include <string.h>

#include "app/common_options.h"
#include "app/ensemble.h"
#include "app/output.h"
#include "base/text.h"
#include "export/export.h"
#include "file/durable.h"
#include "model/field.h"

static bool has_format(const struct sciara_command *command, const struct sciara_export_format *format) {
  return format->of_ensemble == (command == &sciara_cmd_ensemble_export);
}

/** The formats of the command that have the option, or with NULL all: "cog, png or kml". No data: no memory, or none. */
static struct sciara_text list_formats(const struct sciara_command *command, const char *option, const char *last) {
  struct sciara_text all = {0};
  const char *previous = NULL;
  for (const struct sciara_export_format *f = sciara_export_formats; f->name; f++) {
    if (!has_format(command, f) || (option && !sciara_export_follows(f, option))) continue;
    if (previous) sciara_text_append(&all, "%s%s", all.length ? ", " : "", previous);
    previous = f->name;
  }
  if (previous) sciara_text_append(&all, "%s%s", all.length ? last : "", previous);
  return all;
}

static enum sciara_status find_format(const struct sciara_command *command, const char *name,
                                      const struct sciara_export_format **out) {
  for (*out = sciara_export_formats; name && (*out)->name; (*out)++)
    if (has_format(command, *out) && strcmp((*out)->name, name) == 0) return SCIARA_OK;
  struct sciara_text names = list_formats(command, NULL, " or ");
  const char *allowed = names.data ? names.data : "others";
  if (!name)
    sciara_fail(SCIARA_ERR_USAGE, "--format is missing, expected %s", allowed);
  else
    sciara_fail(SCIARA_ERR_USAGE, "--format: expected %s; found \"%s\"%s", allowed, name,
                command == &sciara_cmd_ensemble_export
                    ? "; 'sciara ensemble reduce' writes GeoTIFF, NetCDF, GeoPackage, PNG and CSV"
                    : "");
  sciara_text_free(&names);
  return SCIARA_ERR_USAGE;
}

/** Rejects an option that only other formats have. */
static enum sciara_status check_export_options(const struct sciara_command *command,
                                               const struct sciara_export_format *format,
                                               const struct sciara_arguments *a) {
  for (size_t k = 0; k < a->given_count; k++) {
    const char *name = a->given[k].option->name;
    if (sciara_export_follows(format, name)) continue;
    for (const struct sciara_export_format *f = sciara_export_formats; f->name; f++)
      if (has_format(command, f) && sciara_export_follows(f, name))
        return sciara_fail(SCIARA_ERR_USAGE, "--format %s has no option --%s", format->name, name);
  }
  return SCIARA_OK;
}

/** The name of a folder must not look like that of a file of another format. */
static enum sciara_status check_folder_name(const struct sciara_export_format *format, const char *path) {
  for (const struct sciara_export_format *f = sciara_export_formats; f->name; f++)
    for (const char *const *e = f->extensions; !f->is_folder && *e; e++)
      if (sciara_has_extension(path, *e))
        return sciara_fail(SCIARA_ERR_USAGE, "--output: expected the name of a folder for --format %s, found \"%s\"",
                           format->name, path);
  return SCIARA_OK;
}

static enum sciara_status check_output(const struct sciara_export_format *format, const char *path) {
  if (!path) return SCIARA_OK;
  if (format->is_folder) return check_folder_name(format, path);
  return sciara_fail_context(sciara_check_extension("output", path, format->extensions), "--format %s", format->name);
}

// ------------------------------------------------------------------------------------------------------------ options

static enum sciara_status parse_scale(const char *text, double *metres) {
  if (!text || (sciara_parse_double(text, metres) && *metres > 0 && *metres <= 1e4)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE, "--scale-to: expected a thickness above 0 to 10000 m, found \"%s\"", text);
}

/** "0.5,1,2": ascending numbers above 0. */
static enum sciara_status parse_edges(const char *text, double edges[SCIARA_EXPORT_MOST_EDGES], size_t *count) {
  char *copy = sciara_format("%s", text), *rest = copy;
  if (!copy) return sciara_no_memory("an option");
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

static enum sciara_status refuse_layer(const char *found) {
  struct sciara_text names = {0};
  for (int k = 0; k < SCIARA_EXPORT_LAYERS; k++)
    sciara_text_append(&names, "%s%s",
                       k == 0                         ? ""
                       : k + 1 < SCIARA_EXPORT_LAYERS ? ", "
                                                      : " or ",
                       sciara_export_layer_names[k]);
  sciara_fail(SCIARA_ERR_USAGE, "--layer: expected %s; found \"%s\"", names.data ? names.data : "another", found);
  sciara_text_free(&names);
  return SCIARA_ERR_USAGE;
}

/** The layer of a file of one layer; rejects options of other layers. */
static enum sciara_status read_layer(const struct sciara_arguments *a, const struct sciara_export_format *format,
                                     struct sciara_export_job *job) {
  job->layer = sciara_argument(a, "layer");
  if (!sciara_export_follows(format, "layer")) return SCIARA_OK;
  if (format->of_ensemble && !job->layer)
    return sciara_fail(SCIARA_ERR_USAGE, "--layer is missing: the file holds one map or layer, such as probability_0m");
  if (format->of_ensemble) return SCIARA_OK; // its layers depend on the ensemble
  if (!job->layer) job->layer = sciara_export_layer_names[SCIARA_EXPORT_OUTLINE];
  const enum sciara_export_layer layer = sciara_export_layer_find(job->layer);
  if (layer == SCIARA_EXPORT_LAYERS) return refuse_layer(job->layer);
  if (layer != SCIARA_EXPORT_CLASSES && sciara_argument_given(a, "classes"))
    return sciara_fail(SCIARA_ERR_USAGE, "--classes: allowed only with --layer thickness_classes");
  const bool timed =
      layer == SCIARA_EXPORT_ARRIVAL || layer == SCIARA_EXPORT_FRONT_LINES || layer == SCIARA_EXPORT_RUN_OUT;
  if (!timed && sciara_argument_given(a, "isochrones"))
    return sciara_fail(SCIARA_ERR_USAGE, "--isochrones: allowed only with --layer arrival, front_lines or run_out");
  return SCIARA_OK;
}

/** Short names of some fields. */
static const char *unalias(const char *name) {
  if (strcmp(name, "liquid") == 0) return sciara_field_name(SCIARA_FIELD_THICKNESS);
  if (strcmp(name, "solid") == 0) return sciara_field_name(SCIARA_FIELD_SOLID_THICKNESS);
  if (strcmp(name, "arrival") == 0) return sciara_field_name(SCIARA_FIELD_ARRIVAL_TIME);
  return name;
}

/** The field of that name; liquid, solid and arrival are short names of three. The error suggests the closest name. */
static enum sciara_status field_parse(const char *name, enum sciara_field *out) {
  *out = sciara_field_find(unalias(name));
  if (*out != SCIARA_FIELD_COUNT) return SCIARA_OK;
  const char *names[SCIARA_FIELD_COUNT];
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) names[f] = sciara_field_name((enum sciara_field)f);
  const char *closest = sciara_closest_name(name, names, SCIARA_FIELD_COUNT);
  if (closest) return sciara_fail(SCIARA_ERR_USAGE, "there is no field \"%s\"; did you mean \"%s\"?", name, closest);
  struct sciara_text all = {0};
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) sciara_text_append(&all, "%s%s", f ? ", " : "", names[f]);
  sciara_fail(SCIARA_ERR_USAGE, "there is no field \"%s\"; the fields are %s", name, all.data ? all.data : "others");
  sciara_text_free(&all);
  return SCIARA_ERR_USAGE;
}

/** Reads all options into the job, which points to `drivers`. */
static enum sciara_status read_options(const struct sciara_arguments *a, const struct sciara_export_format *format,
                                       const char *drivers[SCIARA_MOST_GIVEN], struct sciara_export_job *job) {
  const char *field = sciara_argument(a, "field"), *classes = sciara_argument(a, "classes");
  const char *isochrones = sciara_argument(a, "isochrones");
  job->source = a->operand[0];
  job->checksums = sciara_checksum_rule(a);
  job->overwrite = sciara_argument_given(a, "overwrite");
  job->all = sciara_argument_given(a, "all");
  job->field = SCIARA_FIELD_COUNT;
  if (field) SCIARA_TRY(field_parse(field, &job->field));
  SCIARA_TRY(read_layer(a, format, job));
  if (classes) SCIARA_TRY(parse_edges(classes, job->edges, &job->edge_count));
  if (isochrones && !(sciara_parse_duration(isochrones, &job->isochrones_s) && job->isochrones_s > 0))
    return sciara_fail(SCIARA_ERR_USAGE, "--isochrones: expected a time above 0 such as \"6 h\"; found \"%s\"",
                       isochrones);
  SCIARA_TRY(parse_scale(sciara_argument(a, "scale-to"), &job->scale_to_m));
  double frames = SCIARA_EXPORT_FRAMES;
  SCIARA_TRY(sciara_take_whole("frames", sciara_argument(a, "frames"), 1, SCIARA_EXPORT_MOST_FRAMES, &frames));
  job->frames = (size_t)frames;
  job->assets = sciara_argument(a, "assets");
  job->assets_layer = sciara_argument(a, "assets-layer");
  if (job->assets_layer && !job->assets)
    return sciara_fail(SCIARA_ERR_USAGE, "--assets-layer: allowed only with --assets FILE");
  SCIARA_TRY(sciara_observed_request(a, drivers, &job->observed));
  return sciara_picture_options_read(a, drivers, job->observed.extra_driver_count, &job->look);
}

static enum sciara_status make(const struct sciara_export_format *format, struct sciara_export_job job,
                               const char *given) {
  struct sciara_text note = {0};
  char *path = NULL;
  job.note = &note;
  const enum sciara_status status = sciara_export_make(format, &job, given, &path);
  if (status == SCIARA_OK && note.data) sciara_print("%s\n", note.data);
  if (status == SCIARA_OK) sciara_print("%s\n", path);
  sciara_text_free(&note);
  free(path);
  return status;
}

static enum sciara_status execute_export(const struct sciara_arguments *a) {
  const struct sciara_command *command = a->command;
  const struct sciara_export_format *format;
  const char *drivers[SCIARA_MOST_GIVEN], *given = sciara_argument(a, "output");
  struct sciara_export_job job = {0};
  SCIARA_TRY(find_format(command, sciara_argument(a, "format"), &format));
  SCIARA_TRY(check_export_options(command, format, a));
  SCIARA_TRY(check_output(format, given));
  SCIARA_TRY(read_options(a, format, drivers, &job));
  return make(format, job, given);
}

// ----------------------------------------------------------------------------------------------------------- commands

/** The formats that have the option, if not all do, before what it means. */
static const char *help_of(const struct sciara_command *command, const struct sciara_option *option) {
  static char help[512];
  struct sciara_text formats = list_formats(command, option->name, ", ");
  snprintf(help, sizeof help, "%s%s%s", formats.data ? formats.data : "", formats.data ? ": " : "", option->help);
  sciara_text_free(&formats);
  return help;
}

static void print_formats(const struct sciara_command *command) {
  sciara_print("\nformats:\n");
  for (const struct sciara_export_format *f = sciara_export_formats; f->name; f++)
    if (has_format(command, f)) sciara_print("  %-10s %s\n", f->name, f->summary);
}

/** "|cog|..." */
static const char run_formats[] =
#define SCIARA_EXPORT_OF_RUN(name, ...) "|" #name
#include "export/export_formats.def"
    ;

static const struct sciara_option run_options[] = {
    {"format", 'f', run_formats + 1, "format of the product, see below"},
    {"field", 0, "F", "field to map (default: deposit if the snapshot holds it, else thickness)"},
    {"scale-to", 0, "M",
     "colours of thicknesses end at M metres, or the next round number: the same for several maps (default: at the "
     "largest value)"},
    {"classes", 0, "M,M,...", "edges of the thickness classes in m (default: 0.5,1,2,5,10)"},
    {"isochrones", 0, "T",
     "interval of the isochrones: \"6 h\", \"1 d\" (default: one that gives at most a dozen; on pictures: if the field "
     "is "
     "arrival_time and has dates)"},
    {"layer", 0, "L",
     "outline, thickness_classes, arrival, edits, front_lines, run_out, fissures or vents (default: outline)"},
    {"frames", 0, "N",
     "largest number of snapshots in a page, 1 to 1000; of more, evenly spaced ones are taken (default: 60)"},
    SCIARA_OBSERVED_OPTIONS("draw the outline of an observed extent: polygons or a raster"),
    {"assets", 0, "FILE",
     "show the points, lines and polygons of a vector file with their names, on a page also when lava reaches them"},
    {"assets-layer", 0, "NAME", "layer of that file, if it has several"},
    SCIARA_PICTURE_OPTIONS(""),
    {"output", 'o', "FILE", "product (default: in maps/ of the run folder, or next to a snapshot without a run)"},
    {"overwrite", 0, NULL, "replace FILE if it exists"},
    SCIARA_CHECKSUM_OPTION,
    {0},
};

const struct sciara_command sciara_cmd_export = {
    .name = "export",
    .summary = "make maps and tables from a run or a snapshot",
    .operands = "RUN|SNAPSHOT",
    .operand_min = 1,
    .operand_max = 1,
    .options = run_options,
    .details =
        "For a run folder the last snapshot is mapped; nc, csv, frames and html use all snapshots. Cells without "
        "lava are NODATA\n"
        "(-9999). Prints the path of the product.\n",
    .option_help = help_of,
    .print_more = print_formats,
    .execute = execute_export,
};

/** "|html|..." */
static const char ensemble_formats[] =
#define SCIARA_EXPORT_OF_ENSEMBLE(name, ...) "|" #name
#include "export/export_formats.def"
    ;

static const struct sciara_option ensemble_options[] = {
    {"format", 'f', ensemble_formats + 1, "format of the product, see below"},
    {"layer", 0, "NAME", "a map such as probability_0m or arrival_q50; geojson: a layer such as reached_05"},
    SCIARA_PICTURE_OPTIONS(""),
    {"allow-driver", 0, "NAME", "also let GDAL's driver NAME read the background; may be repeated"},
    {"all", 0, NULL, "all finished members, also where the stop rule holds earlier"},
    {"output", 'o', "FILE",
     "default: maps/page.html, maps/hazard.kml, maps/NAME.png or maps/NAME.geojson of the ensemble"},
    {"overwrite", 0, NULL, "replace FILE if it exists"},
    {0},
};

const struct sciara_command sciara_cmd_ensemble_export = {
    .name = "ensemble export",
    .summary = "make a page that shows probabilities and what threatens a place, a picture, KML or GeoJSON",
    .operands = "DIR",
    .operand_min = 1,
    .operand_max = 1,
    .options = ensemble_options,
    .details =
        "A click on a place of the page shows how likely and how soon lava arrives, and from which vents and classes.\n"
        "'sciara ensemble reduce' writes the maps and tables in formats of GIS. Every number is valid only for the "
        "assumed\nvents, eruptions and model, if such an eruption happens.\n",
    .option_help = help_of,
    .print_more = print_formats,
    .execute = execute_export,
};
