// SPDX-License-Identifier: Apache-2.0
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

const struct sciara_meaning sciara_environment[] = {
    {"NO_COLOR", "if set and not empty: no colours on a terminal"},
    {"LC_CTYPE, LC_ALL, LANG", "encoding of file names; numbers always have a decimal point"},
    {"OMP_NUM_THREADS", "largest number of threads of a CPU engine if neither --threads nor engine.threads gives one"},
    {"SCIARA_ETNA2006", "folder with the files of the 2006 Etna eruption, for the command bench"},
    {0},
};

const struct sciara_option *sciara_command_option(const struct sciara_command *command, size_t k) {
  const struct sciara_option *o = command->options;
  while (o->name && k > 0) o++, k--;
  if (o->name) return o;
  for (o = sciara_common_options; o->name && k > 0; k--) o++;
  return o->name ? o : NULL;
}
