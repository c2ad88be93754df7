// SPDX-License-Identifier: Apache-2.0
#include "app/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/date.h"
#include "base/log.h"
#include "base/text.h"

enum { SO_FAR = 1 << 16 };

static struct {
  bool quiet, verbose, json;
  bool line_shown;      // a progress line is on the terminal
  char so_far[SO_FAR];  // messages from before there was a file; a fixed array, which cannot fail
  size_t so_far_length; // without the NUL
  int so_far_left_out;  // number of messages that did not fit
  bool unseen;          // standard error cannot be written
  FILE *copy;
} state;

/** Members of an ensemble warn from several threads: a message is whole, on the terminal and in files. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *const level_name[] = {"debug", "info", "warning", "error"};

/** `progress`: the value of that member, or NULL. */
static void print_message_json(enum sciara_log_level level, const char *message, const char *progress) {
  struct sciara_text escaped = {0};
  if (sciara_text_append_json(&escaped, message) != SCIARA_OK) sciara_text_free(&escaped);
  char when[SCIARA_DATE_SIZE];
  sciara_date_now(when);
  fprintf(stderr, "{\"time\":\"%s\",\"level\":\"%s\",\"message\":%s%s%s}\n", when, level_name[level],
          escaped.data ? escaped.data : "\"not enough memory for this message\"", progress ? ",\"progress\":" : "",
          progress ? progress : "");
  sciara_text_free(&escaped);
}

/** Makes a message one line, without control sequences for the terminal. */
static void print_message_line(FILE *f, const char *level, const char *message) {
  char piece[SCIARA_SHOWN_PIECE];
  fputs(level, f);
  while (*message) {
    sciara_shown_next(&message, piece);
    fputs(piece, f);
  }
  fputc('\n', f);
}

static void print_plain(enum sciara_log_level level, const char *message) {
  const char *no_color = getenv("NO_COLOR");
  const bool colour = isatty(STDERR_FILENO) && !(no_color && *no_color);
  const char *on = !colour                       ? ""
                   : level == SCIARA_LOG_ERROR   ? "\033[1;31m"
                   : level == SCIARA_LOG_WARNING ? "\033[1;33m"
                                                 : "";
  const char *off = *on ? "\033[0m" : "";
  char word[64] = "sciara: ";
  if (level == SCIARA_LOG_WARNING || level == SCIARA_LOG_ERROR)
    snprintf(word, sizeof word, "sciara: %s%s%s: ", on, level_name[level], off);
  print_message_line(stderr, word, message);
}

/** Stores a line until there is a file; false: no room. */
static bool keep_line(const char *level, const char *message) {
  char *at = state.so_far + state.so_far_length;
  const char *const end = state.so_far + SO_FAR - SCIARA_SHOWN_PIECE;
  if (at + strlen(level) >= end) return false;
  at = stpcpy(at, level);
  while (*message && at < end) at += sciara_shown_next(&message, at);
  if (at >= end) return false;
  *at++ = '\n';
  state.so_far_length = (size_t)(at - state.so_far);
  return true;
}

static void keep_copy(enum sciara_log_level level, const char *message) {
  char word[16];
  snprintf(word, sizeof word, "%s: ", level_name[level]);
  if (state.copy) {
    print_message_line(state.copy, word, message);
    fflush(state.copy);
  } else if (!keep_line(word, message)) {
    state.so_far_left_out++;
  }
}

static void show_message(enum sciara_log_level level, const char *message, const char *progress) {
  const bool shown = level >= SCIARA_LOG_ERROR || (level == SCIARA_LOG_DEBUG ? state.verbose : !state.quiet);
  if (!shown || state.unseen) return;
  sciara_progress_line(NULL);
  errno = 0;
  state.json ? print_message_json(level, message, progress) : print_plain(level, message);
  if (!ferror(stderr)) return;
  char why[256];
  snprintf(why, sizeof why, "standard error cannot be written (%s): messages are only in this file",
           strerror(errno ? errno : EIO));
  state.unseen = true;
  keep_copy(SCIARA_LOG_WARNING, why);
}

static void say(void *context, enum sciara_log_level level, const char *message) {
  (void)context;
  pthread_mutex_lock(&lock);
  show_message(level, message, NULL);
  keep_copy(level, message);
  pthread_mutex_unlock(&lock);
}

void sciara_messages_progress(const char *message, const char *json, bool keep) {
  pthread_mutex_lock(&lock);
  show_message(SCIARA_LOG_INFO, message, json);
  if (keep) keep_copy(SCIARA_LOG_INFO, message);
  pthread_mutex_unlock(&lock);
}

void sciara_messages_keep(enum sciara_log_level level, const char *format, ...) {
  char message[4096];
  va_list args;
  va_start(args, format);
  sciara_vprint(message, sizeof message, format, args);
  va_end(args);
  pthread_mutex_lock(&lock);
  keep_copy(level, message);
  pthread_mutex_unlock(&lock);
}

void sciara_messages_begin(void) {
  static char line[8192];
  setvbuf(stderr, line, _IOLBF, sizeof line); // one write for a line: those of several processes stay whole
  sciara_log_set_sink(say, NULL);
}

void sciara_messages_configure(bool quiet, bool verbose, bool json) {
  state.quiet = quiet;
  state.verbose = verbose;
  state.json = json;
}

/**
 * NULL if it is not a regular file: a named pipe in a run folder from elsewhere would make the run wait for a reader.
 */
static FILE *open_copy(const char *path, bool append) {
  const int fd =
      open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (append ? O_APPEND : O_TRUNC), 0666);
  struct stat about;
  if (fd < 0) return NULL;
  FILE *copy = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) ? fdopen(fd, append ? "a" : "w") : NULL;
  if (!copy) close(fd);
  return copy;
}

void sciara_messages_copy_to(const char *path, bool append) {
  state.copy = open_copy(path, append);
  if (!state.copy) {
    sciara_log(SCIARA_LOG_WARNING, "%s: cannot be written; messages are not saved", path);
    return;
  }
  fwrite(state.so_far, 1, state.so_far_length, state.copy);
  if (state.so_far_left_out)
    fprintf(state.copy, "warning: %d more %s omitted here\n", state.so_far_left_out,
            sciara_plural((uint64_t)state.so_far_left_out, "message is", "messages are"));
  fflush(state.copy);
  state.so_far_length = 0;
  state.so_far_left_out = 0;
}

void sciara_messages_end(void) {
  sciara_progress_line(NULL);
  if (state.copy) fclose(state.copy);
  state.copy = NULL;
  state.so_far_length = 0;
  state.so_far_left_out = 0;
}

bool sciara_messages_shown(void) { return !state.quiet; }

void sciara_error(const char *format, ...) {
  char message[4096];
  va_list args;
  va_start(args, format);
  sciara_vprint(message, sizeof message, format, args);
  va_end(args);
  say(NULL, SCIARA_LOG_ERROR, message);
}

int sciara_report(enum sciara_status status) {
  if (status != SCIARA_OK) sciara_error("%s", sciara_last_error());
  return (int)status;
}

int sciara_report_all(const struct sciara_diagnostics *r) {
  for (size_t k = 0; k < r->kept; k++) sciara_error("%s", r->sentence[k]);
  if (r->count > 0 && r->kept == 0) return sciara_report(r->first); // not enough memory to store a message
  if (r->count > r->kept) sciara_error("... and %zu more", r->count - r->kept);
  return (int)r->first;
}

bool sciara_messages_have_line(void) { return !state.json && isatty(STDERR_FILENO); }

void sciara_progress_line(const char *line) {
  if (state.line_shown) fputs("\r\033[K", stderr);
  if (line) {
    struct winsize window; // a wrapped line could not be removed completely
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
    fprintf(stderr, "%.*s", known ? window.ws_col - 1 : INT_MAX, line);
  }
  if (line || state.line_shown) fflush(stderr);
  state.line_shown = line != NULL;
}
