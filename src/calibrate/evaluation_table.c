// SPDX-License-Identifier: Apache-2.0
// The table evaluations.csv: a row is appended when an evaluation is answered, and read again to resume.
#include "calibrate/calibration_record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "file/csv_forms.h"
#include "file/csv_table.h"
#include "file/durable.h"

enum { MOST_BYTES = 1 << 30, MOST_COLUMNS = 320 };

static const char *const words[] = {[SCIARA_EVALUATE_OK] = "ok",
                                    [SCIARA_EVALUATE_FAILED] = "failed",
                                    [SCIARA_EVALUATE_INVALID] = "invalid",
                                    [SCIARA_EVALUATE_RESTED] = "rested",
                                    [SCIARA_EVALUATE_STOPPED] = "stopped"};

static enum sciara_status io_failure(const struct sciara_evaluation_table *t, const char *doing) {
  return sciara_fail(SCIARA_ERR_IO, "%s: cannot %s: %s", t->path, doing, strerror(errno));
}

enum sciara_status sciara_evaluation_table_make(const struct sciara_calibration_search *s,
                                                struct sciara_evaluation_table *out) {
  *out =
      (struct sciara_evaluation_table){.fd = -1, .unknown_count = s->unknown_count, .pair_count = s->file->pair_count};
  SCIARA_TRY(SCIARA_NEW(out->value, s->budget * s->unknown_count, "the evaluations"));
  SCIARA_TRY(SCIARA_NEW(out->jaccard, s->budget * s->file->pair_count, "the evaluations"));
  SCIARA_TRY(SCIARA_NEW(out->run_out, s->budget * s->file->pair_count, "the evaluations"));
  SCIARA_TRY(SCIARA_NEW(out->score, s->budget, "the evaluations"));
  return SCIARA_NEW(out->status, s->budget, "the evaluations");
}

void sciara_evaluation_table_close(struct sciara_evaluation_table *t) {
  if (t->fd >= 0 && t->path) close(t->fd);
  free(t->path);
  sciara_free(t->value);
  sciara_free(t->jaccard);
  sciara_free(t->run_out);
  sciara_free(t->score);
  sciara_free(t->status);
  *t = (struct sciara_evaluation_table){.fd = -1};
}

// ------------------------------------------------------------------------------------------------------------- writing

/** @param shorter without run-out ratios, as earlier versions wrote it */
static enum sciara_status append_head(const struct sciara_calibration_search *s, bool shorter,
                                      struct sciara_text *out) {
  sciara_text_append(out, "number");
  for (size_t k = 0; k < s->unknown_count; k++) sciara_text_append(out, ",%s", s->unknown[k].key);
  sciara_text_append(out, ",score");
  for (size_t k = 0; k < s->file->pair_count; k++) sciara_text_append(out, ",jaccard_%zu", k);
  sciara_text_append(out, ",status");
  for (size_t k = 0; k < s->file->pair_count && !shorter; k++) sciara_text_append(out, ",runout_ratio_%zu", k);
  return sciara_text_append(out, "\n");
}

static void append_number(struct sciara_text *out, double value) {
  char number[40] = "";
  if (!isnan(value)) sciara_json_number(value, number, sizeof number);
  sciara_text_append(out, ",%s", number);
}

static enum sciara_status write_text(const struct sciara_evaluation_table *t, const struct sciara_text *text) {
  for (size_t done = 0; done < text->length;) {
    const ssize_t n = write(t->fd, text->data + done, text->length - done);
    if (n < 0 && errno != EINTR) return io_failure(t, "write");
    if (n > 0) done += (size_t)n;
  }
  return SCIARA_OK;
}

enum sciara_status sciara_evaluation_table_add(struct sciara_evaluation_table *t) {
  const size_t row = t->count;
  struct sciara_text text = {0};
  sciara_text_append(&text, "%zu", row + 1);
  for (size_t k = 0; k < t->unknown_count; k++) append_number(&text, t->value[row * t->unknown_count + k]);
  append_number(&text, t->score[row]);
  for (size_t k = 0; k < t->pair_count; k++) append_number(&text, t->jaccard[row * t->pair_count + k]);
  sciara_text_append(&text, ",%s", words[t->status[row]]);
  for (size_t k = 0; k < t->pair_count && !t->shorter; k++) append_number(&text, t->run_out[row * t->pair_count + k]);
  enum sciara_status status = sciara_text_append(&text, "\n");
  if (status == SCIARA_OK) status = write_text(t, &text);
  sciara_text_free(&text);
  if (status == SCIARA_OK) t->count++;
  return status;
}

enum sciara_status sciara_evaluation_table_sync(const struct sciara_evaluation_table *t) {
  return fsync(t->fd) == 0 ? SCIARA_OK : io_failure(t, "sync to disk");
}

// ------------------------------------------------------------------------------------------------------------- reading

static enum sciara_status refuse(const struct sciara_evaluation_table *t, size_t line, const char *expected,
                                 const char *found) {
  return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected %s, found \"%.80s\"", t->path, line, expected, found);
}

/** A number, or nothing where there is no score. */
static bool read_number(const char *text, bool ok, double *out) {
  *out = (double)NAN;
  return ok ? sciara_parse_double(text, out) : !*text;
}

static enum sciara_status read_row(struct sciara_evaluation_table *t, size_t line, char *const *cell) {
  const size_t row = t->count, n = t->unknown_count, p = t->pair_count;
  const char *word = cell[n + p + 2];
  size_t status = 0;
  int64_t number = 0;
  while (status < sizeof words / sizeof *words && strcmp(word, words[status]) != 0) status++;
  if (status == sizeof words / sizeof *words) return refuse(t, line, "ok, rested, stopped, failed or invalid", word);
  t->status[row] = (enum sciara_evaluate_status)status;
  const bool ok = t->status[row] == SCIARA_EVALUATE_OK || t->status[row] == SCIARA_EVALUATE_RESTED;
  const bool scored = ok || t->status[row] == SCIARA_EVALUATE_STOPPED;
  if (!sciara_csv_size(cell[0], &number) || (size_t)number != row + 1)
    return refuse(t, line, "the number of the evaluation", cell[0]);
  for (size_t k = 0; k < n; k++)
    if (!read_number(cell[1 + k], true, &t->value[row * n + k])) return refuse(t, line, "a number", cell[1 + k]);
  if (!read_number(cell[n + 1], scored, &t->score[row])) return refuse(t, line, "a score", cell[n + 1]);
  for (size_t k = 0; k < p; k++)
    if (!read_number(cell[n + 2 + k], ok, &t->jaccard[row * p + k])) return refuse(t, line, "a score", cell[n + 2 + k]);
  for (size_t k = 0; k < p && !t->shorter; k++) {
    const char *text = cell[n + p + 3 + k]; // of a row with scores empty where it is undefined
    if (!read_number(text, ok && *text, &t->run_out[row * p + k])) return refuse(t, line, "a run-out ratio", text);
  }
  t->count++;
  return SCIARA_OK;
}

/** Whether a text begins with the first line of a table. */
static enum sciara_status has_head(const struct sciara_calibration_search *s, bool shorter, const char *text,
                                   size_t length, struct sciara_text *head, bool *has) {
  sciara_text_free(head);
  *head = (struct sciara_text){0};
  SCIARA_TRY(append_head(s, shorter, head));
  *has = length >= head->length && memcmp(text, head->data, head->length) == 0;
  return SCIARA_OK;
}

/** Reads text[0..length), which is whole lines. */
static enum sciara_status read_rows(struct sciara_evaluation_table *t, const struct sciara_calibration_search *s,
                                    char *text, size_t length) {
  struct sciara_text head = {0};
  struct sciara_csv_rows rows;
  char *cell[MOST_COLUMNS];
  size_t columns, count;
  bool known;
  enum sciara_status status;
  SCIARA_TRY_GOTO(has_head(s, true, text, length, &head, &t->shorter));
  if (!t->shorter) SCIARA_TRY_GOTO(has_head(s, false, text, length, &head, &known));
  if (!t->shorter && !known) {
    text[strcspn(text, "\r\n")] = '\0';
    head.data[head.length - 1] = '\0';
    status =
        sciara_fail(SCIARA_ERR_INPUT, "%s:1: expected the line \"%s\", found \"%.400s\"", t->path, head.data, text);
    goto cleanup;
  }
  columns = t->unknown_count + (t->shorter ? 1 : 2) * t->pair_count + 3;
  SCIARA_TRY_GOTO(sciara_csv_rows_begin(t->path, text + head.length, length - head.length, &rows));
  while (sciara_csv_has_row(&rows)) {
    const size_t line = rows.line + 1;
    SCIARA_TRY_GOTO(sciara_csv_take_row(&rows, MOST_COLUMNS, cell, &count));
    if (t->count == s->budget || count != columns) {
      status = refuse(t, line, t->count == s->budget ? "no row after the budget" : "a value for each column", cell[0]);
      goto cleanup;
    }
    SCIARA_TRY_GOTO(read_row(t, line, cell));
  }
cleanup:
  sciara_text_free(&head);
  return status;
}

/** Writes the first line of a table; its name is then permanent. */
static enum sciara_status begin_file(const struct sciara_evaluation_table *t,
                                     const struct sciara_calibration_search *s) {
  struct sciara_text head = {0};
  enum sciara_status status = append_head(s, false, &head);
  if (status == SCIARA_OK) status = write_text(t, &head);
  if (status == SCIARA_OK) status = sciara_evaluation_table_sync(t);
  if (status == SCIARA_OK) status = sciara_folder_of_file_sync(t->path);
  sciara_text_free(&head);
  return status;
}

/** Whether a text without a line is the beginning of the first line, or nothing. */
static bool is_half_a_head(const struct sciara_calibration_search *s, const char *text, size_t length) {
  struct sciara_text head = {0};
  const bool is =
      append_head(s, false, &head) == SCIARA_OK && length < head.length && memcmp(text, head.data, length) == 0;
  sciara_text_free(&head);
  return is;
}

/** Takes the whole lines of the file; what follows them is half a line. */
static enum sciara_status read_file(struct sciara_evaluation_table *t, const struct sciara_calibration_search *s) {
  char *text = NULL;
  size_t bytes = 0;
  SCIARA_TRY(sciara_file_read(t->path, MOST_BYTES, &text, &bytes));
  size_t length = bytes;
  while (length > 0 && text[length - 1] != '\n') length--;
  const bool begins = length == 0 && is_half_a_head(s, text, bytes);
  if (length > 0) text[length] = '\0';
  enum sciara_status status = begins ? SCIARA_OK : read_rows(t, s, text, length);
  free(text);
  if (status == SCIARA_OK && ftruncate(t->fd, (off_t)length) != 0) status = io_failure(t, "cut");
  return status == SCIARA_OK && begins ? begin_file(t, s) : status;
}

enum sciara_status sciara_evaluation_table_open(struct sciara_evaluation_table *t, const char *path,
                                                const struct sciara_calibration_search *s) {
  struct stat about;
  t->path = sciara_format("%s", path);
  if (!t->path) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a name");
  t->fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (t->fd < 0) return io_failure(t, "open");
  if (fstat(t->fd, &about) != 0 || !S_ISREG(about.st_mode))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a file, found something else", path);
  if (flock(t->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) // elsewhere there are no locks
    return sciara_fail(SCIARA_ERR_INPUT, "%s: another process writes it; end that first", path);
  return read_file(t, s);
}
