// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "app/export.h"
#include "app/messages.h"
#include "app/observed.h"
#include "app/output.h"
#include "base/log.h"
#include "base/text.h"
#include "model/field.h"
#include "run/run_folder.h"

static const struct sciara_option options[] = {
    {"format", 'f', "cog|png|frames|nc|gpkg|geojson|kml|csv|html", "what to make, see below"},
    {"field", 0, "F", "what to map (default: deposit if the snapshot holds it, else thickness)"},
    {"classes", 0, "M,M,...", "edges of the thickness classes in m (default: 0.5,1,2,5,10)"},
    {"isochrones", 0, "T", "time from one isochrone to the next: \"6 h\", \"1 d\" (default: a dozen or fewer)"},
    {"layer", 0, "L", "outline, thickness_classes or arrival: what a GeoJSON file holds (default: outline)"},
    {"frames", 0, "N", "most snapshots in a page; more are thinned evenly (default: 60)"},
    SCIARA_OBSERVED_OPTIONS("png, frames, html: draw the outline of an observed extent: polygons or a raster"),
    {"stamp", 0, "TEXT", "png, frames: write this across the map, such as UNVERIFIED"},
    {"width", 0, "PIXELS", "png, frames: width of the picture (default: by the size of the grid, 720 to some 4200)"},
    {"output", 'o', "FILE", "where to (default: in maps/ of the run folder, or beside a lone snapshot)"},
    {"overwrite", 0, NULL, "replace FILE if it is there"},
    SCIARA_CHECKSUM_OPTION,
    {0},
};

static const struct sciara_export_format *const formats[] = {
    &sciara_export_cog,     &sciara_export_png, &sciara_export_frames, &sciara_export_nc,  &sciara_export_gpkg,
    &sciara_export_geojson, &sciara_export_kml, &sciara_export_csv,    &sciara_export_html};

static const size_t format_count = sizeof formats / sizeof formats[0];

/** "a, b or c"; NULL: no memory. */
static char *format_names(void) {
  struct sciara_text all = {0};
  for (size_t k = 0; k < format_count; k++)
    sciara_text_append(&all, "%s%s", k == 0 ? "" : k + 1 < format_count ? ", " : " or ", formats[k]->name);
  return all.data;
}

static enum sciara_status find_format(const char *name, const struct sciara_export_format **out) {
  for (size_t k = 0; name && k < format_count; k++)
    if (strcmp(formats[k]->name, name) == 0) {
      *out = formats[k];
      return SCIARA_OK;
    }
  char *names = format_names();
  const char *allowed = names ? names : "others";
  if (name)
    sciara_fail(SCIARA_ERR_USAGE, "--format: found \"%s\", allowed %s", name, allowed);
  else
    sciara_fail(SCIARA_ERR_USAGE, "--format is missing, allowed %s", allowed);
  free(names);
  return SCIARA_ERR_USAGE;
}

/** An option that the format does not follow is refused, not ignored. */
static enum sciara_status check_options(const struct sciara_export_format *format, const struct sciara_arguments *a) {
  for (size_t k = 0; k < a->given_count; k++) {
    const char *name = a->given[k].option->name;
    bool general = strcmp(name, "format") == 0 || strcmp(name, "output") == 0 || strcmp(name, "overwrite") == 0 ||
                   strcmp(name, SCIARA_ALLOW_MISSING_CHECKSUM) == 0;
    for (const struct sciara_option *o = sciara_common_options; o->name; o++) general |= strcmp(name, o->name) == 0;
    if (!general && !sciara_export_follows(format, name))
      return sciara_fail(SCIARA_ERR_USAGE, "--format %s knows no --%s", format->name, name);
  }
  return SCIARA_OK;
}

/** A folder must not look like a file of another format. */
static enum sciara_status check_folder_name(const struct sciara_export_format *format, const char *path) {
  for (size_t k = 0; k < format_count; k++)
    for (const char *const *e = formats[k]->extensions; !formats[k]->is_folder && *e; e++)
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

static enum sciara_status choose_field(const struct sciara_export_format *format, struct sciara_export_job *job) {
  const char *name = sciara_argument(job->arguments, "field");
  if (name) return sciara_field_parse(name, &job->field);
  const bool has_deposit = sciara_snapshot_has(&job->target->snapshot, SCIARA_FIELD_DEPOSIT);
  job->field = has_deposit ? SCIARA_FIELD_DEPOSIT : SCIARA_FIELD_THICKNESS;
  if (sciara_export_follows(format, "field"))
    sciara_log(SCIARA_LOG_INFO, "no --field given: %s", sciara_field_name(job->field));
  return SCIARA_OK;
}

/** malloc'd; NULL: no memory. */
static char *default_output(const struct sciara_export_format *format, const struct sciara_export_job *job) {
  const struct sciara_target *t = job->target;
  const char *name = format->stem ? format->stem(job) : sciara_field_name(job->field);
  if (t->folder) return sciara_format("%s/maps/%s.%s", t->folder, name, *format->extensions);
  const size_t stem =
      strlen(t->path) - (strlen(t->path) > 3 && strcmp(t->path + strlen(t->path) - 3, ".nc") == 0 ? 3 : 0);
  return sciara_format("%.*s.%s.%s", (int)stem, t->path, name, *format->extensions);
}

static enum sciara_status write_product(const struct sciara_export_format *format, struct sciara_export_job *job) {
  SCIARA_TRY(choose_field(format, job));
  const char *given = sciara_argument(job->arguments, "output");
  char *path = given ? sciara_format("%s", given) : default_output(format, job);
  if (!path) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a path");
  enum sciara_status status = SCIARA_OK;
  if (!given && job->target->folder) status = sciara_run_folder_refuse_links(job->target->folder);
  if (status == SCIARA_OK) status = sciara_refuse_existing(path, job->overwrite);
  if (status == SCIARA_OK) status = format->write(job, path);
  if (status == SCIARA_OK) sciara_print("%s\n", path);
  free(path);
  return status;
}

static enum sciara_status execute(const struct sciara_arguments *a) {
  const struct sciara_export_format *format = NULL;
  enum sciara_field field;
  SCIARA_TRY(find_format(sciara_argument(a, "format"), &format));
  SCIARA_TRY(check_options(format, a));
  SCIARA_TRY(check_output(format, sciara_argument(a, "output")));
  if (sciara_argument_given(a, "field")) SCIARA_TRY(sciara_field_parse(sciara_argument(a, "field"), &field));
  struct sciara_target target;
  SCIARA_TRY(sciara_target_open(a->operand[0], sciara_checksum_rule(a), &target));
  struct sciara_export_job job = {
      .target = &target, .arguments = a, .overwrite = sciara_argument_given(a, "overwrite")};
  const enum sciara_status status = write_product(format, &job);
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
  for (size_t k = 0; k < format_count; k++) sciara_print("  %-10s %s\n", formats[k]->name, formats[k]->summary);
}

const struct sciara_command sciara_cmd_export = {
    .name = "export",
    .summary = "make maps and tables of a run or a snapshot",
    .operands = "RUN|SNAPSHOT",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details = "Of a run folder the last snapshot is mapped; nc, csv and frames take all of them. Cells without lava "
               "are NODATA "
               "(-9999).\nPrints the path of what was made.\n",
    .print_more = print_formats,
    .run = run,
};
