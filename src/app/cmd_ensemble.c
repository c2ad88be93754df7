// SPDX-License-Identifier: Apache-2.0
// sciara ensemble SUBCOMMAND: the table of its subcommands.
#include "app/ensemble.h"
#include "app/subcommands.h"

static const struct sciara_option options[] = {{0}};

static const struct sciara_command *const subcommands[] = {
    &sciara_cmd_ensemble_check,  &sciara_cmd_ensemble_plan,   &sciara_cmd_ensemble_member,
    &sciara_cmd_ensemble_run,    &sciara_cmd_ensemble_status, &sciara_cmd_ensemble_reweight,
    &sciara_cmd_ensemble_reduce, &sciara_cmd_ensemble_query,  &sciara_cmd_ensemble_compare,
    &sciara_cmd_ensemble_export, &sciara_cmd_ensemble_schema, NULL,
};

const struct sciara_command sciara_cmd_ensemble = {
    .name = "ensemble",
    .ranks = SCIARA_NO_RANKS,
    .summary = "compute many eruptions, and the probability that lava reaches a place",
    .operands = "SUBCOMMAND",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .subcommands = subcommands,
    .run = sciara_subcommands_run,
};
