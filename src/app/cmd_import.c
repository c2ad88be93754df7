// SPDX-License-Identifier: Apache-2.0

#include "app/command.h"
#include "app/common_options.h"
#include "app/output.h"
#include "legacy/legacy_sciara.h"

static const struct sciara_option options[] = {
    {"output", 'o', "DIR", "folder for scenario.json, dem.tif and observed.tif (required)"},
    {"crs", 0, "EPSG:n", "CRS of the grids (the files do not name it)"},
    {"corner", 0, "X,Y", "lower left corner of grids without a header, in m"},
    {"overwrite", 0, NULL, "replace these files if the folder is not empty"},
    {0},
};

static enum sciara_status execute_import(const struct sciara_arguments *a) {
  const char *output = sciara_argument(a, "output");
  if (!output) return sciara_fail(SCIARA_ERR_USAGE, "--output is missing: the folder to import to");
  const char *text = sciara_argument(a, "corner");
  struct sciara_point corner;
  if (text && sciara_place_parse(text, 1, &corner) != SCIARA_PLACE_METRES)
    return sciara_fail(SCIARA_ERR_USAGE, "--corner: expected two numbers X,Y; found \"%s\"", text);
  const struct sciara_legacy_request request = {.cfg_path = a->operand[0],
                                                .output_folder = output,
                                                .crs = sciara_argument(a, "crs"),
                                                .corner = text ? (const double[]){corner.x, corner.y} : NULL,
                                                .overwrite = sciara_argument_given(a, "overwrite")};
  struct sciara_legacy_report report;
  return sciara_print_text(sciara_legacy_import(&request, &report), &report.text);
}

const struct sciara_command sciara_cmd_import = {
    .name = "import",
    .summary = "make a scenario from the files of earlier SCIARA programs",
    .operands = "NAME.cfg",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details = "Reads NAME.cfg, NAME_Morphology.stt, NAME_Vents.stt, NAME_EmissionRate.txt and, if it exists, "
               "NAME_RealEvent.stt.\n"
               "If NAME.cfg is PARAMETERS.cfg: MORPHOLOGY.stt, VENTS.stt and EMISSIONS_RATE.stt, an older layout whose "
               "grids have no header.\n"
               "PARAMETERS.cfg then holds ncols, nrows and Pc (the side of a cell). --corner is needed unless a file "
               "*_RealEvent.stt\n"
               "(the observed extent) lies next to it, whose header names the corner.\n"
               "The model parameters of the .cfg belong to SCIARA-fv2: they are listed, not used.\n",
    .execute = execute_import,
};
