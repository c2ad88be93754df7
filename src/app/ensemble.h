// SPDX-License-Identifier: Apache-2.0
// The subcommands of `sciara ensemble`.
#ifndef SCIARA_APP_ENSEMBLE_H
#define SCIARA_APP_ENSEMBLE_H

#include "app/command.h"

extern const struct sciara_command sciara_cmd_ensemble_check, sciara_cmd_ensemble_plan, sciara_cmd_ensemble_member,
    sciara_cmd_ensemble_reduce, sciara_cmd_ensemble_query, sciara_cmd_ensemble_compare, sciara_cmd_ensemble_schema;

extern const struct sciara_command sciara_cmd_ensemble_run, sciara_cmd_ensemble_status;

#endif
