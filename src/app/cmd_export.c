// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "app/common_options.h"
#include "app/export_options.h"
#include "app/messages.h"
#include "app/observed.h"
#include "app/output.h"
#include "app/picture_options.h"
#include "base/text.h"
#include "file/output_name.h"
#include "run/run_folder.h"

static const struct sciara_option options[] = {
    {"format", 'f', "cog|png|frames|nc|gpkg|geojson|kml|csv|html|ground", "format of the product, see below"},
    {"field", 0, "F", "field to map (default: deposit if the snapshot holds it, else thickness)"},
    {"classes", 0, "M,M,...", "edges of the thickness classes in m (default: 0.5,1,2,5,10)"},
    {"isochrones", 0, "T", "interval of the isochrones: \"6 h\", \"1 d\" (default: one that gives at most a dozen)"},
    {"layer", 0, "L",
     "layer of a GeoJSON file: outline, thickness_classes, arrival, front_lines, run_out, fissures or vents "
     "(default: outline)"},
    {"frames", 0, "N", "largest number of snapshots in a page; of more, evenly spaced ones are taken (default: 60)"},
    SCIARA_OBSERVED_OPTIONS("png, frames, html: draw the outline of an observed extent: polygons or a raster"),
    SCIARA_PICTURE_OPTIONS("png, frames: ", "png, frames, html: "),
    {"output", 'o', "FILE", "product (default: in maps/ of the run folder, or next to a snapshot without a run)"},
    {"overwrite", 0, NULL, "replace FILE if it exists"},
    SCIARA_CHECKSUM_OPTION,
    {0},
};

/** "a, b or c"; NULL: no memory. */
static char *format_names(void) {
  struct sciara_text all = {0};
  for (size_t k = 0; sciara_export_formats[k]; k++)
    sciara_text_append(&all, "%s%s",
                       k == 0                         ? ""
                       : sciara_export_formats[k + 1] ? ", "
                                                      : " or ",
                       sciara_export_formats[k]->name);
  return all.data;
}

static enum sciara_status find_format(const char *name, const struct sciara_export_format **out) {
  for (size_t k = 0; name && sciara_export_formats[k]; k++)
    if (strcmp(sciara_export_formats[k]->name, name) == 0) {
      *out = sciara_export_formats[k];
      return SCIARA_OK;
    }
  char *names = format_names();
  const char *allowed = names ? names : "others";
  if (name)
    sciara_fail(SCIARA_ERR_USAGE, "--format: expected %s; found \"%s\"", allowed, name);
  else
    sciara_fail(SCIARA_ERR_USAGE, "--format is missing, expected %s", allowed);
  free(names);
  return SCIARA_ERR_USAGE;
}

/** Rejects an option that the format does not have. */
static enum sciara_status check_options(const struct sciara_export_format *format, const struct sciara_arguments *a) {
  for (size_t k = 0; k < a->given_count; k++) {
    const char *name = a->given[k].option->name;
    bool general = strcmp(name, "format") == 0 || strcmp(name, "output") == 0 || strcmp(name, "overwrite") == 0 ||
                   strcmp(name, SCIARA_ALLOW_MISSING_CHECKSUM) == 0;
    for (const struct sciara_option *o = sciara_common_options; o->name; o++) general |= strcmp(name, o->name) == 0;
    if (!general && !sciara_export_follows(format, name))
      return sciara_fail(SCIARA_ERR_USAGE, "--format %s has no option --%s", format->name, name);
  }
  return SCIARA_OK;
}

/** The name of a folder must not look like that of a file of another format. */
static enum sciara_status check_folder_name(const struct sciara_export_format *format, const char *path) {
  for (const struct sciara_export_format *const *f = sciara_export_formats; *f; f++)
    for (const char *const *e = (*f)->extensions; !(*f)->is_folder && *e; e++)
      if (sciara_has_extension(path, *e))
        return sciara_fail(SCIARA_ERR_USAGE, "--output: expected the name of a folder for --format %s, found \"%s\"",
                           format->name, path);
  return SCIARA_OK;
}

static enum sciara_status check_output(const struct sciara_export_format *format, const char *path) {
  if (!path) return SCIARA_OK;
  if (format->is_folder) return check_folder_name(format, path);
  const enum sciara_status status = sciara_check_extension("output", path, format->extensions);
  return status == SCIARA_OK ? SCIARA_OK : sciara_fail_context(status, "--format %s", format->name);
}

static enum sciara_status make(const struct sciara_export_format *format, struct sciara_export_job *job,
                               const char *given) {
  char *path = NULL;
  const enum sciara_status status = sciara_export_make(format, job, given, &path);
  if (status == SCIARA_OK && job->note->data) sciara_print("%s\n", job->note->data);
  if (status == SCIARA_OK) sciara_print("%s\n", path);
  free(path);
  return status;
}

static enum sciara_status execute(const struct sciara_arguments *a) {
  const struct sciara_export_format *format = NULL;
  const char *drivers[SCIARA_MOST_GIVEN];
  struct sciara_target target;
  struct sciara_text note = {0};
  struct sciara_export_job job = {.target = &target, .whole_run = sciara_is_folder(a->operand[0]), .note = &note};
  SCIARA_TRY(find_format(sciara_argument(a, "format"), &format));
  SCIARA_TRY(check_options(format, a));
  SCIARA_TRY(check_output(format, sciara_argument(a, "output")));
  SCIARA_TRY(sciara_export_options_read(a, drivers, &job));
  SCIARA_TRY(sciara_target_open(a->operand[0], sciara_checksum_rule(a), &target));
  const enum sciara_status status = make(format, &job, sciara_argument(a, "output"));
  sciara_text_free(&note);
  sciara_target_free(&target);
  return status;
}

static int run(const struct sciara_command *command, int argc, char **argv) {
  struct sciara_arguments arguments;
  const int code = sciara_arguments_parse(command, argc, argv, &arguments);
  return code < 0 ? sciara_report(execute(&arguments)) : code;
}

static void print_formats(void) {
  sciara_print("\nformats:\n");
  for (const struct sciara_export_format *const *f = sciara_export_formats; *f; f++)
    sciara_print("  %-10s %s\n", (*f)->name, (*f)->summary);
}

const struct sciara_command sciara_cmd_export = {
    .name = "export",
    .summary = "make maps and tables from a run or a snapshot",
    .operands = "RUN|SNAPSHOT",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details =
        "For a run folder the last snapshot is mapped; nc, csv, frames and html use all snapshots. Cells without "
        "lava are NODATA\n"
        "(-9999). Prints the path of the product.\n",
    .print_more = print_formats,
    .run = run,
};
