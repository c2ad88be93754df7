// SPDX-License-Identifier: Apache-2.0

#include "app/command.h"
#include "app/output.h"
#include "base/text.h"
#include "comm/comm.h"
#include "comm/nccl.h"
#include "engine/device_info.h"
#include "engine/engine.h"

static const struct sciara_option options[] = {
    {"json", 0, NULL, "print the list as JSON"},
    {0},
};

/** One line: the options of the engine, and their values. */
static void print_engine_options(const struct sciara_engine_ops *ops) {
  const struct sciara_settings table = sciara_engine_settings();
  bool first = true;
  for (size_t k = 0; k < table.count; k++) {
    char allowed[96];
    if (!sciara_engine_follows(ops, table.setting[k].name)) continue;
    sciara_setting_allowed(&table.setting[k], allowed, sizeof allowed);
    if (first) sciara_print("%-15s options:", "");
    sciara_print("%s %s", first ? "" : ",", allowed);
    first = false;
  }
  if (!first) sciara_print("\n");
}

/** One line for each GPU. */
static void print_devices(void) {
  struct sciara_device_info gpu;
  for (int k = 0; k < sciara_devices(); k++)
    if (sciara_device_describe(k, &gpu))
      sciara_print("device %d: %s, %.1f GB, %.1f GB free\n", k, gpu.name, 1e-9 * (double)gpu.memory,
                   1e-9 * (double)gpu.free_memory);
}

/** What runs here of an engine: any of its rules, for they are compiled together. NULL: it is not compiled. */
static const struct sciara_engine_ops *ops_of(const struct sciara_engine_entry *entry) {
  for (int rule = 0; rule < SCIARA_RULES; rule++)
    if (entry->ops[rule][SCIARA_DOUBLE]) return entry->ops[rule][SCIARA_DOUBLE];
  return NULL;
}

/** Why an engine is not available; NULL: it is. */
static const char *reason_against(const struct sciara_engine_entry *entry) {
  const struct sciara_engine_ops *ops = ops_of(entry);
  return !ops ? entry->why_not : ops->probe ? ops->probe() : NULL;
}

/** One line, unless the engine has all rules. */
static void print_rules(const struct sciara_engine_entry *entry) {
  char names[SCIARA_RULES_TEXT];
  if (entry->rules != SCIARA_RULES_ALL) sciara_print("%-15s rules: %s\n", "", sciara_rules_name(entry->rules, names));
}

static void print_engine(const struct sciara_engine_entry *entry) {
  const struct sciara_engine_ops *ops = ops_of(entry);
  const char *why = reason_against(entry);
  sciara_print("%-15s %-10s %-9s %s\n", entry->name, why ? "no" : "yes",
               !ops                               ? "-"
               : ops->determinism == SCIARA_EXACT ? "exact"
                                                  : "tolerance",
               ops ? ops->summary : entry->why_not);
  if (ops && why) sciara_print("%-15s not available: %s\n", "", why);
  print_rules(entry);
  if (ops) print_engine_options(ops);
}

/** The engine that "auto" means, for each rule. */
static void print_auto(void) {
  sciara_print("auto: %s\n", sciara_engine_auto(SCIARA_RULE_DEFAULT));
  for (int rule = SCIARA_RULE_DEFAULT + 1; rule < SCIARA_RULES; rule++)
    sciara_print("auto with rule %s: %s\n", sciara_rule_name((enum sciara_rule_kind)rule),
                 sciara_engine_auto((enum sciara_rule_kind)rule));
}

/** The engines that compute bands of a map, and the library through which several processes do. */
static void print_engine_bands(const struct sciara_engine_entry *list, size_t count) {
  const char *separator = " ";
  char why[512];
  sciara_print("bands:");
  for (size_t k = 0; k < count; k++) {
    const struct sciara_engine_ops *ops = ops_of(&list[k]);
    if (!ops || !ops->phases) continue;
    sciara_print("%s%s", separator, list[k].name);
    separator = ", ";
  }
  const char *mpi = sciara_comm_mpi_version(why, sizeof why);
  sciara_print(mpi ? "; through %s\n" : "; no MPI: %s\n", mpi ? mpi : why);
}

/** Whether NCCL can be loaded, if an engine can use it. */
static void print_nccl(const struct sciara_engine_entry *list, size_t count) {
  char why[512];
  int version = 0;
  bool wanted = false;
  for (size_t k = 0; k < count; k++)
    wanted = wanted || (ops_of(&list[k]) && sciara_engine_follows(ops_of(&list[k]), "exchange"));
  if (!wanted) return;
  const struct sciara_nccl *nccl = sciara_nccl_load(why, sizeof why);
  if (nccl && nccl->version(&version) == 0)
    sciara_print("NCCL: %d.%d.%d\n", version / 10000, version / 100 % 100, version % 100);
  else
    sciara_print("no NCCL: %s\n", nccl ? "its version is unknown" : why);
}

static void append_engine(struct sciara_text *t, const struct sciara_engine_entry *entry) {
  const struct sciara_engine_ops *ops = ops_of(entry);
  const char *why = reason_against(entry), *separator = "";
  sciara_text_append(t, "{\"name\": \"%s\", \"available\": %s, \"bands\": %s, \"exact\": %s, \"rules\": [", entry->name,
                     why ? "false" : "true", ops && ops->phases ? "true" : "false",
                     !ops                               ? "null"
                     : ops->determinism == SCIARA_EXACT ? "true"
                                                        : "false");
  for (int rule = 0; rule < SCIARA_RULES; rule++) {
    if (!(entry->rules >> rule & 1u)) continue;
    sciara_text_append(t, "%s\"%s\"", separator, sciara_rule_name((enum sciara_rule_kind)rule));
    separator = ", ";
  }
  sciara_put_json_text(t, "], ", "summary", ops ? ops->summary : "");
  sciara_put_json_text(t, ", ", "why_not", why ? why : "");
  sciara_text_append(t, "}");
}

static enum sciara_status print_engines_json(const struct sciara_engine_entry *list, size_t count) {
  struct sciara_text text = {0};
  sciara_text_append(&text, "{\"auto\": {");
  for (int rule = 0; rule < SCIARA_RULES; rule++)
    sciara_text_append(&text, "%s\"%s\": \"%s\"", rule ? ", " : "", sciara_rule_name((enum sciara_rule_kind)rule),
                       sciara_engine_auto((enum sciara_rule_kind)rule));
  sciara_text_append(&text, "}, \"engines\": [");
  for (size_t k = 0; k < count; k++) {
    if (k > 0) sciara_text_append(&text, ", ");
    append_engine(&text, &list[k]);
  }
  return sciara_print_text(sciara_text_append(&text, "]}\n"), &text);
}

static enum sciara_status execute_engines(const struct sciara_arguments *arguments) {
  size_t count;
  const struct sciara_engine_entry *list = sciara_engine_list(&count);
  if (sciara_argument_given(arguments, "json")) return print_engines_json(list, count);
  sciara_print("%-15s %-10s %-9s %s\n", "engine", "available", "bits", "description");
  for (size_t k = 0; k < count; k++) print_engine(&list[k]);
  print_devices();
  print_auto();
  print_engine_bands(list, count);
  print_nccl(list, count);
  sciara_print("isa: %s of", sciara_isa_name(sciara_isa_best()));
  for (int isa = SCIARA_ISA_GENERIC; isa < SCIARA_ISA_COUNT; isa++)
    if (sciara_isa_runs((enum sciara_isa)isa)) sciara_print(" %s", sciara_isa_name((enum sciara_isa)isa));
  sciara_print("\n");
  return SCIARA_OK;
}

const struct sciara_command sciara_cmd_engines = {
    .name = "engines",
    .summary = "list the engines and show which are available here",
    .operands = "",
    .options = options,
    .details =
        "exact: bit-identical to serial of the same precision; tolerance: close to it.\n"
        "options: of the engine, for 'sciara run --option NAME=VALUE' or the key engine.NAME of a scenario.\n"
        "rules: those that the engine has (key model.rule); without this line it has all.\n"
        "device: number of a GPU, for 'sciara run --device N' or the key engine.device.\n"
        "bands: engines that compute one eruption on several processes (mpirun -n 4 sciara run ...), each a part of\n"
        "the map, and the MPI library that is there for it.\n"
        "NCCL: the version of the library that cuda-bands uses with 'exchange=nccl'; SCIARA_NCCL can name its file.\n"
        "isa: the instruction set that openmp uses, and those that this processor has.\n",
    .execute = execute_engines,
};
