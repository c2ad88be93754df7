// SPDX-License-Identifier: Apache-2.0
#include "app/program.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/messages.h"
#include "app/output.h"
#include "base/mem.h"
#include "base/text.h"
#include "engine/engine.h"
#include "file/durable.h"
#include "file/json_strict.h"
#include "file/libraries.h"
#include "scenario/scenario.h"

// ----------------------------------------------------------------------------------------------- its beginning and end

/** Whether messages are to be JSON. Known before the options are parsed, because errors in them are messages too. */
static bool json_requested(int argc, char **argv) {
  for (int k = 1; k < argc && strcmp(argv[k], "--") != 0; k++)
    if (strcmp(argv[k], "--log-json") == 0) return true;
  return false;
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

/** Before any file is opened: otherwise that file could get the number of a standard stream that is closed. */
static void hold_streams(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) { // open takes the lowest free number; writing to a folder fails
      const int taken = open("/", O_RDONLY | O_DIRECTORY);
      (void)taken; // on failure there is nothing to protect
    }
}

int sciara_program_begin(int argc, char **argv) {
  signal(SIGPIPE, SIG_IGN); // a closed pipe is then an error of write
  hold_streams();
  sciara_hdf5_no_atexit();
  signal(SIGABRT, on_abort); // NOLINT(bugprone-signal-handler,cert-sig30-c): as above
  signal(SIGTRAP, on_abort);
  end_where_new_fails();
  sciara_scenario_declare_options(sciara_engine_settings());
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, LARGE);
  mallopt(M_TRIM_THRESHOLD, 4 * LARGE); // HDF5 clears 0.5 MB for each file, new pages if the last ones were given back
  if (sciara_address_space_left() != SIZE_MAX)
    mallopt(M_ARENA_MAX, 1); // an arena for each thread would take 64 MiB of it
#endif
  signal(SIGXFSZ, SIG_IGN); // a file size limit is then an error of write, not a fatal signal
  setlocale(LC_CTYPE, "");  // for file names; numbers remain those of the C locale
  sciara_messages_begin();
  sciara_messages_configure(false, false, json_requested(argc, argv));
  return has_address_space() ? SCIARA_OK : SCIARA_ERR_MEMORY;
}

int sciara_program_end(int code) {
  int error;
  if (!sciara_output_end(&error)) {
    sciara_error("standard output cannot be written: %s", strerror(error));
    if (code == SCIARA_OK) code = error == ENOMEM ? SCIARA_ERR_MEMORY : SCIARA_ERR_IO;
  }
  sciara_messages_end();
  return code;
}

// ------------------------------------------------------------------------------------------ signals that end a command

static int stopped_by; // the signal, or 0

static void on_signal(int signal_number) {
  __atomic_store_n(&stopped_by, signal_number, __ATOMIC_RELAXED);
  signal(signal_number, SIG_DFL); // a second one ends the program at once
}

void sciara_stop_signals_catch(void) {
  const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
}

const int *sciara_stop_signal(void) { return &stopped_by; }

int sciara_stop_signal_code(int code) {
  const int by = __atomic_load_n(&stopped_by, __ATOMIC_RELAXED);
  return code == 0 && by ? 128 + by : code;
}

// ----------------------------------------------------------------------------------------------- where it is installed

#define BESIDE "/libexec/sciara" // of PREFIX, and of a build

/**
 * PREFIX of the running program, which is PREFIX/bin/sciara, PREFIX/sciara of a build, or in PREFIX/libexec/sciara:
 * malloc'd; NULL: not known.
 */
static char *program_prefix(void) {
  char program[4096];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length < 0) return NULL;
  program[length] = '\0';
  char *folder = sciara_path_folder(program), *beside = folder ? sciara_format("%s" BESIDE, folder) : NULL;
  const size_t count = folder ? strlen(folder) : 0, tail = strlen(BESIDE);
  if (count >= tail && strcmp(folder + count - tail, BESIDE) == 0)
    folder[count - tail] = '\0';
  else if (beside && access(beside, F_OK) != 0)
    *strrchr(folder, '/') = '\0';
  free(beside);
  return folder;
}

enum sciara_status sciara_program_become(const struct sciara_command *command, char **words) {
  char *prefix = program_prefix();
  char *path = prefix ? sciara_format("%s" BESIDE "/sciara-%s", prefix, command->name) : NULL;
  enum sciara_status status = path ? SCIARA_ERR_IO : sciara_no_memory("a path");
  if (path) {
    words[0] = path;
    execv(path, words);
    sciara_fail(status, "%s: %s; 'sciara %s' is this program, of the package %s", path,
                errno == ENOENT ? "not installed" : strerror(errno), command->name, command->package);
  }
  free(path);
  free(prefix);
  return status;
}

// ----------------------------------------------------------------------------------------- the files that come with it

/** PREFIX/share/sciara/config; NULL if there is no such folder. */
static char *installed_folder(void) {
  char *prefix = program_prefix(), *config = prefix ? sciara_format("%s/share/sciara/config", prefix) : NULL;
  char *real = config ? realpath(config, NULL) : NULL;
  free(config);
  free(prefix);
  return real;
}

enum sciara_status sciara_bundled_find(const char *name, char **path) {
  SCIARA_TRY(sciara_path_in("config", name, path));
  if (access(*path, R_OK) == 0) return SCIARA_OK;
  free(*path);
  *path = NULL;
  char *folder = installed_folder();
  if (!folder) return SCIARA_OK;
  const enum sciara_status status = sciara_path_in(folder, name, path);
  free(folder);
  if (status != SCIARA_OK || access(*path, R_OK) == 0) return status;
  free(*path);
  *path = NULL;
  return SCIARA_OK;
}

/** NAME.json, not NAME.schema.json. */
static int is_scenario(const struct dirent *entry) {
  const size_t length = strlen(entry->d_name);
  return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0 && !strstr(entry->d_name, ".schema.");
}

/** Whether a file is an ensemble file: JSON with the key "base". False for one that cannot be read. */
static bool is_ensemble_file(const char *path) {
  cJSON *root = NULL;
  const bool found =
      sciara_json_read(path, &root) == SCIARA_OK && cJSON_IsString(cJSON_GetObjectItemCaseSensitive(root, "base"));
  cJSON_Delete(root);
  sciara_error_clear();
  return found;
}

enum sciara_status sciara_bundled_list(struct sciara_text *out) {
  char *folder = installed_folder();
  struct dirent **entry = NULL;
  const int count = folder ? scandir(folder, &entry, is_scenario, alphasort) : 0;
  enum sciara_status status = SCIARA_OK;
  for (int k = 0; k < count; k++) {
    char *path = NULL;
    if (status == SCIARA_OK) status = sciara_path_in(folder, entry[k]->d_name, &path);
    if (status == SCIARA_OK && !is_ensemble_file(path)) status = sciara_text_showf(out, "%s\n", path);
    free(path);
    free(entry[k]);
  }
  free((void *)entry);
  free(folder);
  if (status == SCIARA_OK && count <= 0)
    status = sciara_fail(SCIARA_ERR_IO, "no scenarios are installed with this program (PREFIX/share/sciara/config)");
  return status;
}
