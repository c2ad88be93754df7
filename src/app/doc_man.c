// SPDX-License-Identifier: Apache-2.0
// Pages for man: roff with the macros of man(7).
#include <ctype.h>
#include <string.h>

#include "app/doc.h"

const struct sciara_meaning sciara_exit_codes[] = {
    {"0", "success; compare: equal"},
    {"1", "compare: different; validate, bench: an engine did not pass"},
    {"2", "the command line is invalid"},
    {"3", "an input is invalid, or a file or folder already exists"},
    {"4", "reading or writing failed"},
    {"5", "numerical failure"},
    {"6", "not enough memory"},
    {"7", "the engine or its device is not available"},
    {"70", "internal error: a defect of this program"},
    {"129, 130, 143", "stopped by SIGHUP, SIGINT (Ctrl-C), SIGTERM; the state is saved"},
    {0},
};

static const struct sciara_meaning environment[] = {
    {"NO_COLOR", "if set and not empty: no colours on a terminal"},
    {"LC_CTYPE, LC_ALL, LANG", "encoding of file names; numbers always have a decimal point"},
    {"OMP_NUM_THREADS", "largest number of threads of a CPU engine if neither --threads nor engine.threads gives one"},
    {"SCIARA_ETNA2006", "folder with the files of the 2006 Etna eruption, for the command bench"},
    {0},
};

/** Text on separate lines; escapes what roff would interpret as a request or an escape. */
static void add_man_text(FILE *out, const char *text, size_t count) {
  for (size_t k = 0; k < count; k++) {
    const char c = text[k];
    const bool first = k == 0 || text[k - 1] == '\n';
    if (first && (c == '.' || c == '\'')) fprintf(out, "\\&");
    const char *shown = c == '\\'   ? "\\e"
                        : c == '-'  ? "\\-"
                        : c == '\'' ? "\\(aq"
                        : c == '`'  ? "\\(ga"
                        : c == '^'  ? "\\(ha"
                        : c == '~'  ? "\\(ti"
                                    : NULL;
    shown ? fputs(shown, out) : fputc(c, out);
  }
}

static void add_words(FILE *out, const char *text) { add_man_text(out, text, strlen(text)); }

/** Lines are filled; a line that begins with a blank (a table) is unchanged; an empty line ends a paragraph. */
static void add_paragraphs(FILE *out, const char *text) {
  bool table = false;
  for (const char *line = text; *line;) {
    const size_t length = strcspn(line, "\n");
    if ((*line == ' ') != table) {
      table = !table;
      fprintf(out, table ? ".nf\n" : ".fi\n");
    }
    length == 0 ? (void)fputs(".PP", out) : add_man_text(out, line, length);
    fprintf(out, "\n");
    line += length + (line[length] == '\n');
  }
  if (table) fprintf(out, ".fi\n");
}

/** "SCENARIO" in "[SCENARIO]..." is printed in italics; words in lower case are typed literally. */
static void add_operands(FILE *out, const char *operands) {
  for (const char *p = operands; *p;) {
    const size_t word = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (word > 1 || (word == 1 && !isalpha((unsigned char)p[1]))) {
      fprintf(out, "\\fI%.*s\\fP", (int)word, p);
      p += word;
    } else {
      const size_t rest = 1 + strcspn(p + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
      add_man_text(out, p, rest);
      p += rest;
    }
  }
}

static void add_option(FILE *out, const struct sciara_option *o, const char *help) {
  fprintf(out, ".TP 8\n");
  if (o->letter) fprintf(out, "\\fB\\-%c\\fP, ", o->letter);
  fprintf(out, "\\fB\\-\\-");
  add_words(out, o->name);
  fprintf(out, "\\fP");
  if (o->argument) {
    fprintf(out, " \\fI");
    add_words(out, o->argument);
    fprintf(out, "\\fP");
  } else if (!o->letter && strlen(o->name) == 5) {
    fprintf(out, "\\h'1n'"); // so long that one blank would be left before the help
  }
  fprintf(out, "\n");
  add_words(out, help);
  fprintf(out, "\n");
}

static void add_meanings(FILE *out, const char *heading, const struct sciara_meaning *list) {
  fprintf(out, ".SH %s\n", heading);
  for (; list->name; list++) {
    fprintf(out, ".TP\n.B ");
    add_words(out, list->name);
    fprintf(out, "\n");
    add_words(out, list->meaning);
    fprintf(out, "\n");
  }
}

static void begin(FILE *out, const char *name, const char *summary) {
  fprintf(out, ".\\\" Made by \"sciara doc\" of the tables of options.\n.TH ");
  for (const char *p = name; *p; p++) fprintf(out, *p == '-' ? "\\-" : "%c", toupper((unsigned char)*p));
  fprintf(out, " 1 \"\" \"sciara %s\" \"Lava flows\"\n.SH NAME\n", SCIARA_VERSION);
  add_words(out, name);
  fprintf(out, " \\- ");
  add_words(out, summary);
  fprintf(out, "\n.SH SYNOPSIS\n");
}

static void end(FILE *out, bool of_program) {
  add_meanings(out, "EXIT STATUS", sciara_exit_codes);
  add_meanings(out, "ENVIRONMENT", environment);
  fprintf(out, ".SH SEE ALSO\n");
  if (!of_program) fprintf(out, ".BR sciara (1)\n");
  if (of_program)
    for (const struct sciara_command *const *c = sciara_commands; *c; c++)
      fprintf(out, ".BR sciara\\-%s (1)%s\n", (*c)->name, c[1] ? "," : "");
}

static void man_of_command(const struct sciara_command *command, FILE *out) {
  char name[64];
  snprintf(name, sizeof name, "sciara-");
  sciara_command_join(command, '-', name + strlen(name), sizeof name - strlen(name));
  begin(out, name, command->summary);
  fprintf(out, "\\fBsciara %s\\fP [\\fIOPTION\\fP]...%s", command->name, *command->operands ? " " : "");
  add_operands(out, command->operands);
  fprintf(out, "\n");
  if (command->details) {
    fprintf(out, ".SH DESCRIPTION\n");
    add_paragraphs(out, command->details);
  }
  if (command->subcommands) fprintf(out, ".SH COMMANDS\n");
  for (const struct sciara_command *const *s = command->subcommands; s && *s; s++) {
    char page[64];
    sciara_command_join(*s, '-', page, sizeof page);
    fprintf(out, ".TP\n.BR sciara\\-");
    add_words(out, page);
    fprintf(out, " (1)\n");
    add_words(out, (*s)->summary);
    fprintf(out, "\n");
  }
  fprintf(out, ".SH OPTIONS\n");
  const struct sciara_option *o;
  for (size_t k = 0; (o = sciara_command_option(command, k)); k++) add_option(out, o, sciara_option_help(command, o));
  end(out, false);
}

static void man_of_program(FILE *out) {
  begin(out, "sciara", "lava-flow simulation with the SCIARA-fv3 cellular automaton");
  fprintf(out, "\\fBsciara\\fP \\fICOMMAND\\fP [\\fIOPTION\\fP]... [\\fIFILE\\fP]...\n.br\n"
               "\\fBsciara \\-\\-help\\fP\n.br\n\\fBsciara \\-\\-version\\fP\n.SH DESCRIPTION\n"
               "Simulates lava flows on a digital elevation model. A scenario in JSON states where lava is "
               "emitted and how much; a run\nwrites snapshots (CF NetCDF), maps for GIS programs, and a record "
               "of the run.\n"
               ".PP\nResults (paths of files, tables) go to standard output, messages and progress to "
               "standard error.\n.SH COMMANDS\n");
  for (const struct sciara_command *const *c = sciara_commands; *c; c++) {
    fprintf(out, ".TP\n.BR sciara\\-%s (1)\n", (*c)->name);
    add_words(out, (*c)->summary);
    fprintf(out, "\n");
  }
  fprintf(out, ".SH OPTIONS OF EVERY COMMAND\n");
  for (const struct sciara_option *o = sciara_common_options; o->name; o++) add_option(out, o, o->help);
  fprintf(out, ".SH EXAMPLES\n.nf\nsciara init dem.tif \\-\\-vent 500300,4177600 \\-\\-rate 5 \\-\\-duration "
               "\"3 d\"\nsciara check dem.json\nsciara run dem.json\nsciara export dem.out \\-\\-format cog\n"
               ".fi\n.PP\nThe scenarios that come with the program: \\fBsciara doc examples\\fP\n");
  end(out, true);
}

void sciara_doc_man(const struct sciara_command *command, FILE *out) {
  command ? man_of_command(command, out) : man_of_program(out);
}
