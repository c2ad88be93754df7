// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "app/command.h"
#include "app/messages.h"
#include "io/legacy_sciara.h"

static const struct sciara_option options[] = {
    {"output", 'o', "DIR", "folder for scenario.json, dem.tif and observed.tif (required)"},
    {"crs", 0, "EPSG:n", "CRS of the grids, which the files do not name"},
    {"overwrite", 0, NULL, "replace these files in a folder that is not empty"},
    {0},
};

static enum sciara_status execute(const struct sciara_arguments *a) {
  const char *output = sciara_argument(a, "output");
  if (!output) return sciara_fail(SCIARA_ERR_USAGE, "--output is missing: the folder to import to");
  struct sciara_legacy_report report;
  SCIARA_TRY(sciara_legacy_import(a->operand[0], output, sciara_argument(a, "crs"),
                                  sciara_argument_given(a, "overwrite"), &report));
  if (report.text.data) fputs(report.text.data, stdout);
  sciara_legacy_report_free(&report);
  return SCIARA_OK;
}

static int run(const struct sciara_command *command, int argc, char **argv) {
  struct sciara_arguments arguments;
  const int code = sciara_arguments_parse(command, argc, argv, &arguments);
  return code < 0 ? sciara_report(execute(&arguments)) : code;
}

const struct sciara_command sciara_cmd_import = {
    .name = "import",
    .summary = "make a scenario of the files of earlier SCIARA programs",
    .operands = "NAME.cfg",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details = "Reads NAME.cfg, NAME_Morphology.stt, NAME_Vents.stt, NAME_EmissionRate.txt and, if there, "
               "NAME_RealEvent.stt. The model\n"
               "parameters of NAME.cfg belong to SCIARA-fv2: they are listed, not taken.\n",
    .run = run,
};
