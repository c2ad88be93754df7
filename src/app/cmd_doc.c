// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bundled.h"
#include "app/command.h"
#include "app/doc.h"
#include "app/output.h"
#include "file/durable.h"
#include "map/colour_ramp.h"
#include "model/field.h"

static const struct sciara_option options[] = {
    {"output", 'o', "DIR", "with all (required): the folder, laid out like PREFIX/share; existing files are replaced"},
    {0},
};

/** A function that makes a text; `command` is NULL except for the page of a command. */
typedef void maker(const struct sciara_command *command, FILE *out);

static void make_bash(const struct sciara_command *command, FILE *out) {
  (void)command;
  sciara_doc_bash(out);
}

static void make_zsh(const struct sciara_command *command, FILE *out) {
  (void)command;
  sciara_doc_zsh(out);
}

static void make_fish(const struct sciara_command *command, FILE *out) {
  (void)command;
  sciara_doc_fish(out);
}

/** The text of `make`; release with free. */
static enum sciara_status make_text(maker *make, const struct sciara_command *command, char **bytes, size_t *count) {
  *bytes = NULL;
  FILE *text = open_memstream(bytes, count);
  bool whole = text != NULL;
  if (text) {
    make(command, text);
    whole = !ferror(text);
    whole = fclose(text) == 0 && whole;
  }
  return whole ? SCIARA_OK : sciara_no_memory("a page");
}

static enum sciara_status print_doc_text(maker *make, const struct sciara_command *command) {
  char *text;
  size_t count;
  const enum sciara_status status = make_text(make, command, &text, &count);
  if (status == SCIARA_OK) sciara_print_raw(text);
  free(text);
  return status;
}

static enum sciara_status print_page(const char *name) {
  const struct sciara_command *command;
  for (size_t k = 0; name && (command = sciara_command_at(k)); k++) {
    char page[64];
    sciara_command_join(command, '-', page, sizeof page);
    if (strcmp(page, name) == 0) return print_doc_text(sciara_doc_man, command);
  }
  return name ? sciara_command_unknown(NULL, name) : print_doc_text(sciara_doc_man, NULL);
}

static enum sciara_status print_examples(void) {
  struct sciara_text text = {0};
  return sciara_print_text(sciara_bundled_list(&text), &text);
}

// ------------------------------------------------------------------------------------------- files of an installation

/** DIR/WAY/NAME. */
static enum sciara_status write_file(const char *folder, const char *way, const char *name, maker *make,
                                     const struct sciara_command *command) {
  char *bytes = NULL, *into, *path;
  size_t count = 0;
  SCIARA_TRY(sciara_path_in(folder, way, &into));
  enum sciara_status status = sciara_path_in(into, name, &path);
  if (status == SCIARA_OK) status = make_text(make, command, &bytes, &count);
  if (status == SCIARA_OK) status = sciara_folder_make(into);
  if (status == SCIARA_OK) status = sciara_file_replace(path, bytes, count);
  free(bytes);
  free(path);
  free(into);
  return status;
}

/** Styles for QGIS in which a value has the same colour on every map; those of export fit one map only. */
static const struct {
  double low, high; // in the unit of the quantity; both 0: no style
} styles[SCIARA_QUANTITY_COUNT] = {
    [SCIARA_QUANTITY_THICKNESS] = {0, 10},
    [SCIARA_QUANTITY_TEMPERATURE] = {1143, 1360},
    [SCIARA_QUANTITY_TIME] = {0, 604800},
    [SCIARA_QUANTITY_SPEED] = {0, 1},
};

static enum sciara_status write_style(const char *folder, const struct sciara_field_info *field) {
  const double low = styles[field->quantity].low, high = styles[field->quantity].high;
  if (!(low < high)) return SCIARA_OK;
  struct sciara_text text = {0};
  char name[64], *into, *path;
  snprintf(name, sizeof name, "%s.qml", field->name);
  SCIARA_TRY(sciara_path_in(folder, "sciara/styles", &into));
  enum sciara_status status = sciara_path_in(into, name, &path);
  if (status == SCIARA_OK) status = sciara_folder_make(into);
  if (status == SCIARA_OK) status = sciara_ramp_qml(sciara_ramp_for(field->name), low, high, field->unit, &text);
  if (status == SCIARA_OK) status = sciara_file_replace(path, text.data, text.length);
  sciara_text_free(&text);
  free(path);
  free(into);
  return status;
}

static enum sciara_status write_all(const char *folder) {
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    SCIARA_TRY(write_style(folder, sciara_field_describe((enum sciara_field)f)));
  SCIARA_TRY(write_file(folder, "man/man1", "sciara.1", sciara_doc_man, NULL));
  const struct sciara_command *command;
  for (size_t k = 0; (command = sciara_command_at(k)); k++) {
    char page[48], name[64];
    sciara_command_join(command, '-', page, sizeof page);
    snprintf(name, sizeof name, "sciara-%s.1", page);
    SCIARA_TRY(write_file(folder, "man/man1", name, sciara_doc_man, command));
  }
  SCIARA_TRY(write_file(folder, "bash-completion/completions", "sciara", make_bash, NULL));
  SCIARA_TRY(write_file(folder, "zsh/site-functions", "_sciara", make_zsh, NULL));
  return write_file(folder, "fish/vendor_completions.d", "sciara.fish", make_fish, NULL);
}

// ------------------------------------------------------------------------------------------------------- the command

static enum sciara_status execute_doc(const struct sciara_arguments *a) {
  static const char *const topics[] = {"man", "bash", "zsh", "fish", "examples", "all"};
  const char *topic = a->operand[0], *name = a->operand_count > 1 ? a->operand[1] : NULL,
             *folder = sciara_argument(a, "output");
  const bool is_man = strcmp(topic, "man") == 0, is_all = strcmp(topic, "all") == 0;
  if (name && !is_man) return sciara_fail(SCIARA_ERR_USAGE, "unexpected \"%s\": only man takes a COMMAND", name);
  if (is_all != (folder != NULL))
    return sciara_fail(SCIARA_ERR_USAGE, is_all ? "--output is missing: the folder to write to"
                                                : "--output: allowed only with all; the others are printed");
  if (is_man) return print_page(name);
  if (is_all) return write_all(folder);
  if (strcmp(topic, "examples") == 0) return print_examples();
  if (strcmp(topic, "bash") == 0) return print_doc_text(make_bash, NULL);
  if (strcmp(topic, "zsh") == 0) return print_doc_text(make_zsh, NULL);
  if (strcmp(topic, "fish") == 0) return print_doc_text(make_fish, NULL);
  const char *closest = sciara_closest_name(topic, topics, sizeof topics / sizeof *topics);
  if (closest) return sciara_fail(SCIARA_ERR_USAGE, "there is no page \"%s\"; did you mean \"%s\"?", topic, closest);
  return sciara_fail(SCIARA_ERR_USAGE, "there is no page \"%s\", expected man, bash, zsh, fish, examples or all",
                     topic);
}

const struct sciara_command sciara_cmd_doc = {
    .name = "doc",
    .summary = "print man pages, shell completions, and the paths of the examples",
    .operands = "man|bash|zsh|fish|examples|all [COMMAND]",
    .operand_min = 1,
    .operand_max = 2,
    .options = options,
    .details =
        "man: the page of COMMAND, or of the program. bash, zsh, fish: completions for that shell. examples: the "
        "paths of the\n"
        "scenarios that are installed with the program. all: every page, completion and QGIS style as a file, laid "
        "out like\n"
        "PREFIX/share. Pages and completions are made from the tables with which the options are parsed.\n",
    .execute = execute_doc,
};
