// SPDX-License-Identifier: Apache-2.0
// sciara ensemble check, plan, member, schema, and the table of all its subcommands.
#include <inttypes.h>
#include <unistd.h>

#include "app/ensemble.h"
#include "app/messages.h"
#include "app/output.h"
#include "engine/engine.h"
#include "file/csv.h"
#include "file/durable.h"
#include "plan/plan.h"

// --------------------------------------------------------------------------------------------------- check and plan

static const double PROBE_SECONDS = 6;

static const struct sciara_option check_options[] = {
    {"no-estimate", 0, NULL, "do not compute some members, for 6 s, for an estimate of the time"},
    {0},
};

static const struct sciara_option plan_options[] = {
    {"output", 'o', "DIR", "the folder of the ensemble (required)"},
    {"overwrite", 0, NULL, "replace an ensemble in the folder that has no results yet"},
    {"no-estimate", 0, NULL, "do not compute some members, for 6 s, for an estimate of the time"},
    {0},
};

static void print_estimate(const struct sciara_ensemble_estimate *e) {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  sciara_print("members:  %zu in %zu %s\n", e->members, e->batches, sciara_plural(e->batches, "batch", "batches"));
  if (e->time.made) {
    const double n = (double)(cores > 0 ? cores : 1);
    const double seconds[] = {e->time.core_s, e->time.core_s / n, e->time.low_s / n, e->time.high_s / n};
    char text[4][48];
    for (int k = 0; k < 4; k++) sciara_print_about(seconds[k], text[k], sizeof text[k]);
    sciara_print("time:     about %s on one core, %s on the %ld of this machine (%s to %s; from %zu %s, %zu of them to "
                 "the end)\n",
                 text[0], text[1], cores, text[2], text[3], e->time.probed,
                 sciara_plural(e->time.probed, "member", "members"), e->time.whole);
  } else {
    sciara_print("time:     no estimate%s%s\n", *e->time.why ? ": " : "", e->time.why);
  }
  char size[48];
  sciara_print_bytes(e->time.member_bytes, size, sizeof size);
  if (e->time.member_bytes > 0)
    sciara_print("memory:   at most about %s for each member at a time\n", size);
  else
    sciara_print("memory:   not known\n");
  sciara_print_bytes(e->bytes, size, sizeof size);
  sciara_print("disk:     at most about %s", size);
  sciara_print_bytes(e->free_bytes, size, sizeof size);
  sciara_print(e->free_bytes > 0 ? ", %s are free\n" : "\n", size);
}

int sciara_ensemble_plan_into(const char *file, const char *folder, bool overwrite, bool with_estimate) {
  struct sciara_diagnostics diagnostics = {0};
  struct sciara_ensemble_estimate estimate;
  const struct sciara_ensemble_plan_options options = {.overwrite = overwrite,
                                                       .probe_s = with_estimate ? PROBE_SECONDS : 0};
  sciara_ensemble_plan(file, folder, &options, &estimate, &diagnostics);
  const int code = sciara_report_all(&diagnostics);
  if (code == SCIARA_OK) print_estimate(&estimate);
  sciara_diagnostics_free(&diagnostics);
  return code;
}

static int run_check(const struct sciara_arguments *a) {
  const int code = sciara_ensemble_plan_into(a->operand[0], NULL, false, !sciara_argument_given(a, "no-estimate"));
  if (code == SCIARA_OK) sciara_print("no problem found\n");
  return code;
}

static int run_plan(const struct sciara_arguments *arguments) {
  const char *folder = sciara_argument(arguments, "output");
  if (!folder) return sciara_report(sciara_fail(SCIARA_ERR_USAGE, "--output is missing: the folder of the ensemble"));
  return sciara_ensemble_plan_into(arguments->operand[0], folder, sciara_argument_given(arguments, "overwrite"),
                                   !sciara_argument_given(arguments, "no-estimate"));
}

const struct sciara_command sciara_cmd_ensemble_check = {
    .name = "ensemble check",
    .summary = "find all problems of an ensemble file, and estimate its members",
    .operands = "FILE",
    .operand_min = 1,
    .operand_max = 1,
    .options = check_options,
    .details = "Reads the file, its base scenario, the DEM and all tables, makes the members and checks each of them.\n"
               "All problems are reported at once, those of vents with the row of their table. Writes no file.\n",
    .run = run_check,
};

const struct sciara_command sciara_cmd_ensemble_plan = {
    .name = "ensemble plan",
    .summary = "write the folder of an ensemble: its members, their weights and the DEM",
    .operands = "FILE",
    .operand_min = 1,
    .operand_max = 1,
    .options = plan_options,
    .details =
        "Checks the file as 'sciara ensemble check' does, and writes ensemble.json, members.csv, weights.csv and\n"
        "dem.tif. A folder that has the same members retains its results: only weights, sites and maps to make\n"
        "are replaced.\n",
    .run = run_plan,
};

// ----------------------------------------------------------------------------------------------------------- member

static const struct sciara_option member_options[] = {
    {"output", 'o', "FILE", "the scenario to write (required)"},
    {"overwrite", 0, NULL, "replace an existing file"},
    {0},
};

static enum sciara_status write_member(const struct sciara_arguments *a) {
  const char *path = sciara_argument(a, "output");
  int64_t id;
  if (!path) return sciara_fail(SCIARA_ERR_USAGE, "--output is missing: the scenario to write");
  if (!sciara_csv_size(a->operand[1], &id))
    return sciara_fail(SCIARA_ERR_USAGE, "expected the id of a member, found \"%s\"", a->operand[1]);
  SCIARA_TRY(sciara_refuse_existing(path, sciara_argument_given(a, "overwrite")));
  struct sciara_ensemble e;
  struct sciara_text json = {0};
  SCIARA_TRY(sciara_ensemble_open(a->operand[0], &e));
  const size_t member = sciara_members_find(&e.members, id);
  enum sciara_status status = member == SIZE_MAX
                                  ? sciara_fail(SCIARA_ERR_INPUT, "%s: expected an id of %s, found %" PRId64,
                                                a->operand[0], SCIARA_ENSEMBLE_MEMBERS, id)
                                  : sciara_ensemble_scenario(&e, member, &json);
  if (status == SCIARA_OK) status = sciara_file_replace(path, json.data, json.length);
  if (status == SCIARA_OK) sciara_print("%s\n", path);
  sciara_text_free(&json);
  sciara_ensemble_free(&e);
  return status;
}

const struct sciara_command sciara_cmd_ensemble_member = {
    .name = "ensemble member",
    .summary = "write the scenario of one member",
    .operands = "DIR ID",
    .operand_min = 2,
    .operand_max = 2,
    .options = member_options,
    .details =
        "ID is that of members.csv. 'sciara run' of the scenario computes this member, with the same checksum.\n",
    .execute = write_member,
};

// ----------------------------------------------------------------------------------------------------------- schema

static const struct sciara_option no_options[] = {{0}};

static enum sciara_status print_schema(const struct sciara_arguments *arguments) {
  (void)arguments;
  struct sciara_text text = {0};
  return sciara_print_text(sciara_ensemble_schema(&text), &text);
}

const struct sciara_command sciara_cmd_ensemble_schema = {
    .name = "ensemble schema",
    .summary = "print the JSON Schema of an ensemble file",
    .operands = "",
    .options = no_options,
    .execute = print_schema,
};

// ------------------------------------------------------------------------------------------------------- subcommands

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
    .options = no_options,
    .subcommands = subcommands,
};
