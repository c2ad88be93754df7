// SPDX-License-Identifier: Apache-2.0
// sciara ensemble export: the page of an ensemble. Maps and tables are written by reduce.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/common_options.h"
#include "app/ensemble.h"
#include "app/ensemble_page.h"
#include "app/messages.h"
#include "app/output.h"
#include "base/text.h"
#include "export/export.h"
#include "file/durable.h"
#include "file/output_name.h"

static enum sciara_status check_format(const struct sciara_arguments *a) {
  const char *name = sciara_argument(a, "format");
  if (!name) return sciara_fail(SCIARA_ERR_USAGE, "--format is missing, expected html");
  if (strcmp(name, "html") != 0)
    return sciara_fail(
        SCIARA_ERR_USAGE,
        "--format: expected html, found \"%s\"; 'sciara ensemble reduce' writes GeoTIFF, NetCDF, GeoPackage, "
        "PNG and CSV",
        name);
  return SCIARA_OK;
}

static enum sciara_status read_look(const struct sciara_arguments *a, struct sciara_hazard_page_look *out) {
  const char *language = sciara_argument(a, "language");
  out->title = sciara_argument(a, "title");
  out->stamp = sciara_argument(a, "stamp");
  if (language) SCIARA_TRY(sciara_fail_context(sciara_language_parse(language, &out->language), "--language"));
  if ((out->title && !sciara_is_utf8(out->title)) || (out->stamp && !sciara_is_utf8(out->stamp)))
    return sciara_fail(SCIARA_ERR_USAGE, "--title and --stamp: expected UTF-8");
  return SCIARA_OK;
}

static enum sciara_status write_page(const struct sciara_arguments *a, const struct sciara_hazard_page_look *look,
                                     const char *path) {
  const struct sciara_reduction_options options = {
      .threads = sciara_reduction_threads(0), .bytes = SCIARA_REDUCTION_BYTES, .all = sciara_argument_given(a, "all")};
  struct sciara_reduction r;
  enum sciara_status status;
  SCIARA_TRY(sciara_refuse_existing(path, sciara_argument_given(a, "overwrite")));
  SCIARA_TRY(sciara_reduction_open(a->operand[0], &options, &r));
  SCIARA_TRY_GOTO(sciara_reduction_make_maps(&r, &options));
  SCIARA_TRY_GOTO(sciara_export_make_folder(path));
  SCIARA_TRY_GOTO(sciara_ensemble_page_write(&r, look, path));
  sciara_print("%s\n", path);
cleanup:
  sciara_reduction_free(&r);
  return status;
}

static enum sciara_status export(const struct sciara_arguments *a) {
  const char *given = sciara_argument(a, "output"); struct sciara_hazard_page_look look = {0};
  SCIARA_TRY(check_format(a));
  SCIARA_TRY(read_look(a, &look));
  if (given) SCIARA_TRY(sciara_check_extension("output", given, sciara_export_html.extensions));
  char *path = given ? sciara_format("%s", given)
                     : sciara_format("%s/" SCIARA_ENSEMBLE_MAPS "/page.html", a->operand[0]);
  if (!path) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of a page");
  const enum sciara_status status = write_page(a, &look, path);
  free(path);
  return status;
}

static int run_export(const struct sciara_command *command, int argc, char **argv) {
  struct sciara_arguments arguments;
  const int code = sciara_arguments_parse(command, argc, argv, &arguments);
  return code < 0 ? sciara_report(export(&arguments)) : code;
}

static const struct sciara_option options[] = {
    {"format", 'f', "html", "one page for a browser, without server and network"},
    {"language", 0, SCIARA_LANGUAGE_CODES, "language of what is written (default: en)"},
    {"title", 0, "TEXT", "title instead of that of the ensemble"},
    {"stamp", 0, "TEXT", "write this across the map, such as EXERCISE or UNVERIFIED"},
    {"all", 0, NULL, "all finished members, also where the stop rule holds earlier"},
    {"output", 'o', "FILE", "the page (default: maps/page.html of the ensemble)"},
    {"overwrite", 0, NULL, "replace FILE if it exists"},
    {0},
};

const struct sciara_command sciara_cmd_ensemble_export = {
    .name = "ensemble export",
    .summary = "make a page that shows probabilities and what threatens a place",
    .operands = "DIR",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details =
        "A click on a place shows how likely and how soon lava arrives, and from which vents and classes.\n"
        "'sciara ensemble reduce' writes the maps and tables in formats of GIS. Every number is conditional on fv3 and "
        "on the plan.\n",
    .run = run_export,
};
