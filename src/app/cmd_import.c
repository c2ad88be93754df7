// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "app/messages.h"
#include "app/output.h"
#include "base/text.h"
#include "legacy/legacy_sciara.h"

static const struct sciara_option options[] = {
    {"output", 'o', "DIR", "folder for scenario.json, dem.tif and observed.tif (required)"},
    {"crs", 0, "EPSG:n", "CRS of the grids (the files do not name it)"},
    {"corner", 0, "X,Y", "lower left corner of grids without a header, in m"},
    {"overwrite", 0, NULL, "replace these files if the folder is not empty"},
    {0},
};

/** Two numbers separated by a comma. */
static enum sciara_status read_corner(const char *text, double corner[2]) {
  char x[64];
  const char *comma = strchr(text, ',');
  const size_t length = comma ? (size_t)(comma - text) : sizeof x;
  if (length < sizeof x) {
    snprintf(x, sizeof x, "%.*s", (int)length, text);
    if (sciara_parse_double(x, &corner[0]) && sciara_parse_double(comma + 1, &corner[1])) return SCIARA_OK;
  }
  return sciara_fail(SCIARA_ERR_USAGE, "--corner: expected two numbers X,Y; found \"%s\"", text);
}

static enum sciara_status execute(const struct sciara_arguments *a) {
  const char *output = sciara_argument(a, "output");
  if (!output) return sciara_fail(SCIARA_ERR_USAGE, "--output is missing: the folder to import to");
  const char *text = sciara_argument(a, "corner");
  double corner[2];
  if (text) SCIARA_TRY(read_corner(text, corner));
  const struct sciara_legacy_request request = {.cfg_path = a->operand[0],
                                                .output_folder = output,
                                                .crs = sciara_argument(a, "crs"),
                                                .corner = text ? corner : NULL,
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
    .execute = execute,
};
