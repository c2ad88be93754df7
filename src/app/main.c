// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/command.h"
#include "app/doc.h"
#include "app/messages.h"
#include "app/output.h"
#include "app/ranks.h"
#include "base/mem.h"
#include "base/text.h"
#include "engine/device_info.h"
#include "engine/engine.h"
#include "file/versions.h"
#include "scenario/scenario.h"

extern const struct sciara_command sciara_cmd_init, sciara_cmd_check, sciara_cmd_run, sciara_cmd_resume,
    sciara_cmd_export, sciara_cmd_exposure, sciara_cmd_info, sciara_cmd_compare, sciara_cmd_import, sciara_cmd_presets,
    sciara_cmd_engines, sciara_cmd_validate, sciara_cmd_bench, sciara_cmd_ensemble, sciara_cmd_evaluate,
    sciara_cmd_verify, sciara_cmd_calibrate, sciara_cmd_schema, sciara_cmd_doc;

const struct sciara_command *const sciara_commands[] = {
    &sciara_cmd_init,     &sciara_cmd_check,     &sciara_cmd_run,     &sciara_cmd_resume,   &sciara_cmd_export,
    &sciara_cmd_exposure, &sciara_cmd_info,      &sciara_cmd_compare, &sciara_cmd_import,   &sciara_cmd_presets,
    &sciara_cmd_engines,  &sciara_cmd_validate,  &sciara_cmd_bench,   &sciara_cmd_ensemble, &sciara_cmd_verify,
    &sciara_cmd_evaluate, &sciara_cmd_calibrate, &sciara_cmd_schema,  &sciara_cmd_doc,      NULL};

static void print_help(void) {
  sciara_print(
      "sciara: lava-flow simulation with the SCIARA-fv3 cellular automaton\n\nusage: sciara COMMAND [OPTION]... "
      "[FILE]...\n\n");
  for (const struct sciara_command *const *c = sciara_commands; *c; c++)
    sciara_print("  %-10s %s\n", (*c)->name, (*c)->summary);
  sciara_print("\n'sciara COMMAND --help' shows details. Exit codes:\n\n");
  for (const struct sciara_meaning *m = sciara_exit_codes; m->name; m++)
    sciara_print("  %-14s %s\n", m->name, m->meaning);
}

/** No command, or an option before it. */
static enum sciara_status unknown(const char *name) {
  static const char *const names[] = {"--help", "--version"};
  if (*name != '-') return sciara_command_unknown(NULL, name);
  const char *closest = sciara_closest_name(name, names, sizeof names / sizeof *names);
  if (closest) return sciara_fail(SCIARA_ERR_USAGE, "there is no option %s; did you mean %s?", name, closest);
  return sciara_fail(SCIARA_ERR_USAGE,
                     "there is no option %s before the command; usage: sciara COMMAND [OPTION]... [FILE]...", name);
}

/** Whether messages are to be JSON. Known before the options are parsed, because errors in them are messages too. */
static bool json_requested(int argc, char **argv) {
  for (int k = 1; k < argc && strcmp(argv[k], "--") != 0; k++)
    if (strcmp(argv[k], "--log-json") == 0) return true;
  return false;
}

/** Checks that everything printed was written: a full disk under standard output is an error. */
static int finish(int code) {
  int error;
  if (!sciara_output_end(&error)) {
    sciara_error("standard output cannot be written: %s", strerror(error));
    if (code == SCIARA_OK) code = error == ENOMEM ? SCIARA_ERR_MEMORY : SCIARA_ERR_IO;
  }
  sciara_messages_end();
  return code;
}

// Blocks of at least this many bytes are returned to the system when they are freed. By default malloc raises this
// limit up to 32 MiB, and growing arrays would leave holes: a tenth more memory than estimated.
enum { LARGE = 1 << 20 };

// HDF5 crashes if it gets no memory, so the program does not start without a reserve.
static bool has_address_space(void) {
  const size_t left = sciara_address_space_left();
  if (left >= SCIARA_ADDRESS_SPACE_RESERVE) return true;
  sciara_error("not enough memory for the libraries: the limit of the address space (ulimit -v) leaves %.0f MB, "
               "expected %.0f MB or more",
               (double)left * 1e-6, SCIARA_ADDRESS_SPACE_RESERVE * 1e-6);
  return false;
}

static void end_without_memory(void) {
  static const char sentence[] = "sciara: error: no memory: a library could not continue without more\n";
  const ssize_t written = write(STDERR_FILENO, sentence, sizeof sentence - 1);
  (void)written; // there is no other way to report it
  _exit(SCIARA_ERR_MEMORY);
}

// Without memory, a library aborts, or GLib traps, which it does for hardly any other reason. Both are exit code 6. An
// abort for any other reason remains an abort.
static void on_abort(int signal_number) {
  // NOLINTNEXTLINE(bugprone-signal-handler,cert-sig30-c): POSIX lets a handler read errno
  if (signal_number == SIGTRAP || errno == ENOMEM) end_without_memory();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

// The C++ libraries below GDAL do not survive their own exceptions everywhere: PROJ 9.1 aborts, or returns no coordinate
// system, which GDAL 3.6 uses. So the program ends where a request of theirs is refused. std::set_new_handler by its
// name in the C++ ABI: GDAL has loaded its library.
static void end_where_new_fails(void) {
  void (*(*set_new_handler)(void (*)(void)))(void);
  *(void **)&set_new_handler = dlsym(RTLD_DEFAULT, "_ZSt15set_new_handlerPFvvE");
  if (set_new_handler) set_new_handler(end_without_memory);
}

int main(int argc, char **argv) {
  sciara_output_begin();
  sciara_hdf5_no_atexit();
  signal(SIGABRT, on_abort); // NOLINT(bugprone-signal-handler,cert-sig30-c): as above
  signal(SIGTRAP, on_abort);
  end_where_new_fails();
  sciara_scenario_declare_options(sciara_engine_settings());
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, LARGE);
  if (sciara_address_space_left() != SIZE_MAX)
    mallopt(M_ARENA_MAX, 1); // an arena for each thread would take 64 MiB of it
#endif
  signal(SIGXFSZ, SIG_IGN); // a file size limit is then an error of write, not a fatal signal
  setlocale(LC_CTYPE, "");  // for file names; numbers remain those of the C locale
  sciara_messages_begin();
  sciara_messages_configure(false, false, json_requested(argc, argv));
  if (!has_address_space()) return finish(SCIARA_ERR_MEMORY);
  if (argc < 2) {
    print_help();
    return finish(SCIARA_ERR_USAGE);
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
    const struct sciara_command *command = argc > 2 ? sciara_command_find(sciara_commands, argv[2]) : NULL;
    char option[] = "--help", *help[] = {argv[0], option, NULL};
    if (command) return finish(sciara_command_run(command, 2, help));
    print_help();
    return finish(SCIARA_OK);
  }
  if (strcmp(argv[1], "--version") == 0) {
    const char *code = sciara_device_code();
    sciara_print("sciara %s (%s), HDF5 %s, GDAL %s, PROJ %s%s%s\n", SCIARA_VERSION, SCIARA_GIT_HASH,
                 sciara_hdf5_version(), sciara_gdal_version(), sciara_proj_version(), *code ? ", " : "", code);
    return finish(SCIARA_OK);
  }
  const struct sciara_command *command = sciara_command_find(sciara_commands, argv[1]);
  if (!command) return finish(sciara_report(unknown(argv[1])));
  const int served = sciara_ranks_begin(command);
  return finish(served >= 0 ? served : sciara_ranks_end(sciara_command_run(command, argc - 1, argv + 1)));
}
