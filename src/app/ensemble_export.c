// SPDX-License-Identifier: Apache-2.0
// sciara ensemble export: the page of an ensemble, KML and GeoJSON. Maps and tables are written by reduce.
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
#include "hazard/products.h"

/** A format of `sciara ensemble export`; its file is NAME.ENDING in maps/ unless another is given. */
struct format {
  const char *name;
  const struct sciara_export_format *of_run; ///< whose endings of file names it has
  const char *file;                          ///< "page.html"; NULL: that of the layer
};

static const struct format formats[] = {{"html", &sciara_export_html, "page.html"},
                                        {"kml", &sciara_export_kml, "hazard.kml"},
                                        {"geojson", &sciara_export_geojson, NULL}};

static enum sciara_status find_format(const struct sciara_arguments *a, const struct format **out) {
  const char *name = sciara_argument(a, "format");
  if (!name) return sciara_fail(SCIARA_ERR_USAGE, "--format is missing, expected html, kml or geojson");
  for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
    *out = &formats[k];
    if (strcmp(name, formats[k].name) == 0) return SCIARA_OK;
  }
  return sciara_fail(SCIARA_ERR_USAGE,
                     "--format: expected html, kml or geojson, found \"%s\"; 'sciara ensemble reduce' writes GeoTIFF, "
                     "NetCDF, GeoPackage, PNG and CSV",
                     name);
}

/** Options that only one of the formats has. */
static enum sciara_status check_options(const struct sciara_arguments *a, const struct format *f) {
  static const char *const of_page[] = {"language", "title", "stamp"};
  const bool page = f->of_run == &sciara_export_html, layer = sciara_argument_given(a, "layer");
  for (size_t k = 0; k < sizeof of_page / sizeof *of_page && !page; k++)
    if (sciara_argument_given(a, of_page[k]))
      return sciara_fail(SCIARA_ERR_USAGE, "--%s: expected only with --format html, found %s", of_page[k], f->name);
  if (layer && f->file)
    return sciara_fail(SCIARA_ERR_USAGE, "--layer: expected only with --format geojson, found %s", f->name);
  if (!layer && !f->file)
    return sciara_fail(SCIARA_ERR_USAGE, "--layer is missing: a GeoJSON file holds one layer, such as probability_0m");
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

static enum sciara_status write_format(const struct sciara_reduction *r, const struct sciara_arguments *a,
                                       const struct sciara_hazard_page_look *look, const struct format *f,
                                       const char *path) {
  if (f->of_run == &sciara_export_kml) return sciara_products_kml(r, path);
  if (f->of_run == &sciara_export_geojson) return sciara_products_geojson(r, sciara_argument(a, "layer"), path);
  return sciara_ensemble_page_write(r, look, path);
}

static enum sciara_status write_output(const struct sciara_arguments *a, const struct sciara_hazard_page_look *look,
                                       const struct format *f, const char *path) {
  const struct sciara_reduction_options options = {
      .threads = sciara_reduction_threads(0), .bytes = SCIARA_REDUCTION_BYTES, .all = sciara_argument_given(a, "all")};
  struct sciara_reduction r;
  enum sciara_status status;
  SCIARA_TRY(sciara_refuse_existing(path, sciara_argument_given(a, "overwrite")));
  SCIARA_TRY(sciara_reduction_open(a->operand[0], &options, &r));
  SCIARA_TRY_GOTO(sciara_reduction_make_maps(&r, &options));
  SCIARA_TRY_GOTO(sciara_export_make_folder(path));
  SCIARA_TRY_GOTO(write_format(&r, a, look, f, path));
  sciara_print("%s\n", path);
cleanup:
  sciara_reduction_free(&r);
  return status;
}

static enum sciara_status export_ensemble(const struct sciara_arguments *a) {
  const char *given = sciara_argument(a, "output");
  const struct format *f = formats;
  struct sciara_hazard_page_look look = {0};
  SCIARA_TRY(find_format(a, &f));
  SCIARA_TRY(check_options(a, f));
  SCIARA_TRY(read_look(a, &look));
  if (given) SCIARA_TRY(sciara_check_extension("output", given, f->of_run->extensions));
  char *path =
      given     ? sciara_format("%s", given)
      : f->file ? sciara_format("%s/" SCIARA_ENSEMBLE_MAPS "/%s", a->operand[0], f->file)
                : sciara_format("%s/" SCIARA_ENSEMBLE_MAPS "/%s.geojson", a->operand[0], sciara_argument(a, "layer"));
  if (!path) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of a file");
  const enum sciara_status status = write_output(a, &look, f, path);
  free(path);
  return status;
}

static int run_export(const struct sciara_command *command, int argc, char **argv) {
  struct sciara_arguments arguments;
  const int code = sciara_arguments_parse(command, argc, argv, &arguments);
  return code < 0 ? sciara_report(export_ensemble(&arguments)) : code;
}

static const struct sciara_option options[] = {
    {"format", 'f', "html|kml|geojson",
     "html: one page for a browser, without server and network; kml: outlines, isochrones and vents, for Google Earth; "
     "geojson: "
     "one layer of outlines or isochrones"},
    {"layer", 0, "NAME", "geojson: a map of probabilities such as probability_0m, reached_05 or reached_50"},
    {"language", 0, SCIARA_LANGUAGE_CODES, "html: language of what is written (default: en)"},
    {"title", 0, "TEXT", "html: title instead of that of the ensemble"},
    {"stamp", 0, "TEXT", "html: write this across the map, such as EXERCISE or UNVERIFIED"},
    {"all", 0, NULL, "all finished members, also where the stop rule holds earlier"},
    {"output", 'o', "FILE", "default: maps/page.html, maps/hazard.kml or maps/NAME.geojson of the ensemble"},
    {"overwrite", 0, NULL, "replace FILE if it exists"},
    {0},
};

const struct sciara_command sciara_cmd_ensemble_export = {
    .name = "ensemble export",
    .summary = "make a page that shows probabilities and what threatens a place, KML or GeoJSON",
    .operands = "DIR",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details =
        "A click on a place of the page shows how likely and how soon lava arrives, and from which vents and classes.\n"
        "'sciara ensemble reduce' writes the maps and tables in formats of GIS. Every number is conditional on fv3 and "
        "on the plan.\n",
    .run = run_export,
};
