// SPDX-License-Identifier: Apache-2.0
// A search is deterministic: after the rows of evaluations.csv have been told to it again, it asks for what comes next.
#include "calibrate/search.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "calibrate/calibration_file.h"
#include "calibrate/calibration_record.h"
#include "calibrate/sensitivity.h"
#include "ensemble/members.h"
#include "file/csv.h"
#include "file/durable.h"
#include "plan/points.h"

enum {
  SYNC_EVERY = 64, // rows
  BLOCK = 256,     // points between two looks at what can still be accepted
};

/** Above 0, and no score is below: with it nothing is stopped, but fronts rest. */
static const double LEAST_OF_ALL = 1e-300;

static bool is_search_cancelled(const struct sciara_search *s) {
  return __atomic_load_n(s->cancel, __ATOMIC_RELAXED) != 0;
}

// ----------------------------------------------------------------------------------------------------------- its table

enum { MOST_BYTES = 1 << 30, MOST_COLUMNS = 320 };
enum { SHORTER, UNSUMMED, EDITION }; ///< of its columns: as earlier versions began it, and as it is now

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
  *out = (struct sciara_evaluation_table){
      .fd = -1, .unknown_count = s->unknown_count, .pair_count = s->file->pair_count, .edition = EDITION};
  SCIARA_TRY(SCIARA_NEW(out->value, s->budget * s->unknown_count, "the evaluations"));
  SCIARA_TRY(SCIARA_NEW(out->jaccard, s->budget * s->file->pair_count, "the evaluations"));
  SCIARA_TRY(SCIARA_NEW(out->run_out, s->budget * s->file->pair_count, "the evaluations"));
  SCIARA_TRY(SCIARA_NEW(out->score, s->budget, "the evaluations"));
  return SCIARA_NEW(out->status, s->budget, "the evaluations");
}

static void table_close(struct sciara_evaluation_table *t) {
  if (t->fd >= 0 && t->path) close(t->fd);
  free(t->path);
  sciara_free(t->value);
  sciara_free(t->jaccard);
  sciara_free(t->run_out);
  sciara_free(t->score);
  sciara_free(t->status);
  *t = (struct sciara_evaluation_table){.fd = -1};
}

// -------------------------------------------------------------------------------------------------------- rows written

static enum sciara_status append_head(const struct sciara_calibration_search *s, int edition, struct sciara_text *out) {
  sciara_text_append(out, "number");
  for (size_t k = 0; k < s->unknown_count; k++) sciara_text_append(out, ",%s", s->unknown[k].key);
  sciara_text_append(out, ",score");
  for (size_t k = 0; k < s->file->pair_count; k++) sciara_text_append(out, ",jaccard_%zu", k);
  sciara_text_append(out, ",status");
  for (size_t k = 0; k < s->file->pair_count && edition > SHORTER; k++) sciara_text_append(out, ",runout_ratio_%zu", k);
  if (edition > UNSUMMED) sciara_text_append(out, ",checksum");
  return sciara_text_append(out, "\n");
}

static void append_search_number(struct sciara_text *out, double value) {
  char number[40] = "";
  if (!isnan(value)) sciara_json_number(value, number, sizeof number);
  sciara_text_append(out, ",%s", number);
}

static enum sciara_status write_search_text(const struct sciara_evaluation_table *t, const struct sciara_text *text) {
  for (size_t done = 0; done < text->length;) {
    const ssize_t n = write(t->fd, text->data + done, text->length - done);
    if (n < 0 && errno != EINTR) return io_failure(t, "write");
    if (n > 0) done += (size_t)n;
  }
  return SCIARA_OK;
}

static uint64_t sum_numbers(uint64_t hash, const double *value, size_t count) {
  for (size_t k = 0; k < count; k++) {
    const double plain = isnan(value[k]) ? (double)NAN : value[k] + 0; // one NaN, one zero
    hash = sciara_hash_bytes(hash, &plain, sizeof plain);
  }
  return hash;
}

/** The checksum of row `t->count`, over what it says and the rows before. */
static uint64_t sum_row(const struct sciara_evaluation_table *t) {
  const size_t row = t->count;
  uint64_t hash = sciara_hash_bytes(SCIARA_HASH_BEGIN, &t->sum, sizeof t->sum);
  hash = sum_numbers(hash, &t->value[row * t->unknown_count], t->unknown_count);
  hash = sum_numbers(hash, &t->score[row], 1);
  hash = sum_numbers(hash, &t->jaccard[row * t->pair_count], t->pair_count);
  hash = sum_numbers(hash, &t->run_out[row * t->pair_count], t->pair_count);
  return sciara_hash_bytes(hash, words[t->status[row]], strlen(words[t->status[row]]));
}

/** Appends row `t->count`, whose entries in the arrays are set: it survives the end of the process. */
static enum sciara_status table_add(struct sciara_evaluation_table *t) {
  const size_t row = t->count;
  struct sciara_text text = {0};
  sciara_text_append(&text, "%zu", row + 1);
  for (size_t k = 0; k < t->unknown_count; k++) append_search_number(&text, t->value[row * t->unknown_count + k]);
  append_search_number(&text, t->score[row]);
  for (size_t k = 0; k < t->pair_count; k++) append_search_number(&text, t->jaccard[row * t->pair_count + k]);
  sciara_text_append(&text, ",%s", words[t->status[row]]);
  for (size_t k = 0; k < t->pair_count && t->edition > SHORTER; k++)
    append_search_number(&text, t->run_out[row * t->pair_count + k]);
  const uint64_t sum = sum_row(t);
  if (t->edition > UNSUMMED) sciara_text_append(&text, ",%016" PRIx64, sum);
  enum sciara_status status = sciara_text_append(&text, "\n");
  if (status == SCIARA_OK) status = write_search_text(t, &text);
  sciara_text_free(&text);
  if (status != SCIARA_OK) return status;
  t->sum = sum;
  t->count++;
  return SCIARA_OK;
}

/** The rows survive the end of the machine. */
static enum sciara_status table_sync(const struct sciara_evaluation_table *t) {
  return fsync(t->fd) == 0 ? SCIARA_OK : io_failure(t, "sync to disk");
}

// ----------------------------------------------------------------------------------------------------------- rows read

static enum sciara_status refuse_value(const struct sciara_evaluation_table *t, size_t line, const char *expected,
                                       const char *found) {
  return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected %s, found \"%.80s\"", t->path, line, expected, found);
}

/** A number, or nothing where there is no score. */
static bool read_number(const char *text, bool ok, double *out) {
  *out = (double)NAN;
  return ok ? sciara_parse_double(text, out) : !*text;
}

/** Scores are 0 to 1. */
static bool read_score(const char *text, bool ok, double *out) {
  return read_number(text, ok, out) && (!ok || (*out >= 0 && *out <= 1));
}

static enum sciara_status read_row(struct sciara_evaluation_table *t, size_t line, char *const *cell) {
  const size_t row = t->count, n = t->unknown_count, p = t->pair_count;
  const char *word = cell[n + p + 2];
  size_t status = 0;
  int64_t number = 0;
  while (status < sizeof words / sizeof *words && strcmp(word, words[status]) != 0) status++;
  if (status == sizeof words / sizeof *words)
    return refuse_value(t, line, "ok, rested, stopped, failed or invalid", word);
  t->status[row] = (enum sciara_evaluate_status)status;
  const bool ok = t->status[row] == SCIARA_EVALUATE_OK || t->status[row] == SCIARA_EVALUATE_RESTED;
  const bool scored = ok || t->status[row] == SCIARA_EVALUATE_STOPPED;
  if (!sciara_csv_size(cell[0], &number) || (size_t)number != row + 1)
    return refuse_value(t, line, "the number of the evaluation", cell[0]);
  for (size_t k = 0; k < n; k++)
    if (!read_number(cell[1 + k], true, &t->value[row * n + k])) return refuse_value(t, line, "a number", cell[1 + k]);
  if (!read_score(cell[n + 1], scored, &t->score[row])) return refuse_value(t, line, "a score, 0 to 1", cell[n + 1]);
  for (size_t k = 0; k < p; k++)
    if (!read_score(cell[n + 2 + k], ok, &t->jaccard[row * p + k]))
      return refuse_value(t, line, "a score, 0 to 1", cell[n + 2 + k]);
  for (size_t k = 0; k < p && t->edition > SHORTER; k++) {
    const char *text = cell[n + p + 3 + k]; // of a row with scores empty where it is undefined
    if (!read_number(text, ok && *text, &t->run_out[row * p + k]))
      return refuse_value(t, line, "a run-out ratio", text);
  }
  t->sum = sum_row(t);
  if (t->edition > UNSUMMED) {
    uint64_t found = 0;
    if (!sciara_csv_hash(cell[n + 2 * p + 3], &found) || found != t->sum)
      return refuse_value(t, line, "a row with its checksum, as it was written and after the rows that were before it",
                          cell[n + 2 * p + 3]);
  }
  t->count++;
  return SCIARA_OK;
}

/** Whether a text begins with the first line of a table. */
static enum sciara_status has_head(const struct sciara_calibration_search *s, int edition, const char *text,
                                   size_t length, struct sciara_text *head, bool *has) {
  sciara_text_free(head);
  *head = (struct sciara_text){0};
  SCIARA_TRY(append_head(s, edition, head));
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
  for (t->edition = SHORTER;; t->edition++) {
    SCIARA_TRY_GOTO(has_head(s, t->edition, text, length, &head, &known));
    if (known || t->edition == EDITION) break;
  }
  if (!known) {
    text[strcspn(text, "\r\n")] = '\0';
    head.data[head.length - 1] = '\0';
    status =
        sciara_fail(SCIARA_ERR_INPUT, "%s:1: expected the line \"%s\", found \"%.400s\"", t->path, head.data, text);
    goto cleanup;
  }
  columns = t->unknown_count + (t->edition > SHORTER ? 2 : 1) * t->pair_count + 3 + (t->edition > UNSUMMED);
  SCIARA_TRY_GOTO(sciara_csv_rows_begin(t->path, text + head.length, length - head.length, &rows));
  while (sciara_csv_has_row(&rows)) {
    const size_t line = rows.line + 1;
    SCIARA_TRY_GOTO(sciara_csv_take_row(&rows, MOST_COLUMNS, cell, &count));
    if (t->count == s->budget || count != columns) {
      status =
          refuse_value(t, line, t->count == s->budget ? "no row after the budget" : "a value for each column", cell[0]);
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
  enum sciara_status status = append_head(s, EDITION, &head);
  if (status == SCIARA_OK) status = write_search_text(t, &head);
  if (status == SCIARA_OK) status = table_sync(t);
  if (status == SCIARA_OK) status = sciara_folder_of_file_sync(t->path);
  sciara_text_free(&head);
  return status;
}

/** Whether a text without a line is the beginning of the first line, or nothing. */
static bool is_half_a_head(const struct sciara_calibration_search *s, const char *text, size_t length) {
  struct sciara_text head = {0};
  const bool is =
      append_head(s, EDITION, &head) == SCIARA_OK && length < head.length && memcmp(text, head.data, length) == 0;
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

// -------------------------------------------------------------------------------------------------------------- scores

void sciara_search_count(struct sciara_search *s, size_t row) {
  const struct sciara_evaluation_table *t = &s->table;
  if (isnan(t->score[row])) s->failed++;
  if (t->status[row] == SCIARA_EVALUATE_STOPPED) return; // not the best: others had more before
  if (!isnan(t->score[row]) && (s->best == SIZE_MAX || t->score[row] > t->score[s->best])) s->best = row;
}

/** Takes over the footprints of the best set, the last result. With the lock. */
static void take_maps(struct sciara_search *s, const struct sciara_evaluation *result) {
  for (size_t k = 0; result->footprints && k < s->asked->file->scenario_count; k++) {
    s->map[k] = result->footprints[k];
    result->footprints[k] = (struct sciara_footprint){0};
  }
}

/** min(r, 1/r) of the run-out ratio, to the power that the file asks for; 1 where the ratio is undefined. */
static double run_out_factor(double ratio, double power) {
  return isnan(ratio) ? 1 : pow(fmin(ratio, 1 / ratio), power);
}

/** What is maximised; of a stopped run a bound, for a factor is at most 1. */
static double score_of_candidate(const struct sciara_calibration_file *f, const struct sciara_evaluation *result) {
  if (f->run_out_penalty == 0 || !result->scores) return result->jaccard;
  double sum = 0, weights = 0;
  for (size_t k = 0; k < f->pair_count; k++) {
    if (f->observed[k].held_out) continue;
    const struct sciara_extent_scores *e = &result->scores[k];
    sum += f->observed[k].weight * e->jaccard * run_out_factor(e->run_out_ratio, f->run_out_penalty);
    weights += f->observed[k].weight;
  }
  return sum / weights;
}

/** Adds a row. With the lock. */
static enum sciara_status add_row(struct sciara_search *s, const struct sciara_evaluation *result) {
  struct sciara_evaluation_table *t = &s->table;
  const size_t row = t->count, pairs = s->asked->file->pair_count;
  for (size_t k = 0; k < pairs; k++) {
    t->jaccard[row * pairs + k] = result->scores ? result->scores[k].jaccard : (double)NAN;
    t->run_out[row * pairs + k] = result->scores ? result->scores[k].run_out_ratio : (double)NAN;
  }
  t->status[row] = result->status;
  t->score[row] = score_of_candidate(s->asked->file, result);
  if (result->error && s->failed == 0)
    sciara_log(SCIARA_LOG_WARNING, "%s; it %s", result->error, // the first alone: there may be many
               sciara_calibration_group(s->asked) > 0 ? "has no score" : "counts as the worst");
  enum sciara_status status = table_add(t);
  if (status == SCIARA_OK && t->count % SYNC_EVERY == 0) status = table_sync(t);
  if (status == SCIARA_OK) sciara_search_count(s, row);
  return status;
}

bool sciara_search_take(void *context, const struct sciara_evaluation *result) {
  struct sciara_search *s = (struct sciara_search *)context;
  enum sciara_status status = SCIARA_OK;
  pthread_mutex_lock(s->lock);
  if (s->table.count == s->asked->budget)
    take_maps(s, result);
  else
    status = add_row(s, result);
  sciara_failure_keep(&s->failure, status);
  pthread_mutex_unlock(s->lock);
  return status == SCIARA_OK;
}

static size_t finished(struct sciara_search *s) {
  pthread_mutex_lock(s->lock);
  const size_t count = s->table.count;
  pthread_mutex_unlock(s->lock);
  return count;
}

// ---------------------------------------------------------------------------------------------------------- the search

static enum sciara_status make_points(struct sciara_search *s) {
  const struct sciara_calibration_search *a = s->asked;
  const enum sciara_sample_method method =
      a->file->design == SCIARA_DESIGN_LHS ? SCIARA_SAMPLE_LHS : SCIARA_SAMPLE_SOBOL;
  const size_t n = a->unknown_count, group = sciara_calibration_group(a);
  uint64_t seed[SCIARA_CMAES_DIMENSIONS];
  for (size_t k = 0; k < n; k++) {
    char plain[256] = "";
    sciara_member_key_plain(a->unknown[k].key, plain, sizeof plain);
    seed[k] = sciara_points_seed(a->file->seed, plain);
  }
  SCIARA_TRY(SCIARA_NEW(s->points, a->budget * n, "the points"));
  if (a->file->design == SCIARA_DESIGN_SALTELLI) return sciara_saltelli_points(seed, a->budget / group, n, s->points);
  if (a->file->design != SCIARA_DESIGN_MORRIS) return sciara_points_make(method, seed, 0, a->budget, n, s->points);
  sciara_morris_points(seed, a->budget / group, n, s->points);
  return SCIARA_OK;
}

enum sciara_status sciara_search_begin(struct sciara_search *s) {
  const struct sciara_calibration_search *a = s->asked;
  SCIARA_TRY(SCIARA_NEW(s->map, a->file->scenario_count, "the maps of a search"));
  if (a->file->design != SCIARA_DESIGN_CMAES) return make_points(s);
  const struct sciara_cmaes_setup setup = {
      .dimension = (int)a->unknown_count, .population = a->file->population, .seed = a->file->seed};
  SCIARA_TRY(sciara_cmaes_create(&setup, &s->optimiser));
  const int population = sciara_cmaes_population(s->optimiser);
  if (a->budget < (size_t)population) {
    char allowed[64];
    snprintf(allowed, sizeof allowed, "at least a generation, %d", population);
    return sciara_calibration_refuse_budget(a, allowed);
  }
  return SCIARA_NEW(s->restart, a->budget / (size_t)population, "the restarts");
}

/** Tells the search the scores of a whole generation that began with row `first`. */
static enum sciara_status tell(struct sciara_search *s, size_t first, size_t count) {
  double *values;
  enum sciara_cmaes_end end;
  SCIARA_TRY(SCIARA_NEW(values, count, "a generation"));
  for (size_t k = 0; k < count; k++) values[k] = 1 - s->table.score[first + k];
  const enum sciara_status status = sciara_cmaes_tell(s->optimiser, values, &end);
  sciara_free(values);
  if (status == SCIARA_OK && end != SCIARA_CMAES_GOES_ON)
    s->restart[s->restart_count++] = (struct sciara_calibration_restart){.evaluations = first + count, .reason = end};
  return status;
}

/** Has the values of a row computed. */
static enum sciara_status submit_row(struct sciara_search *s, size_t row, bool keep) {
  const struct sciara_calibration_search *a = s->asked;
  char name[128], text[SCIARA_UNKNOWNS_MOST][40];
  const char *key[SCIARA_UNKNOWNS_MOST], *value[SCIARA_UNKNOWNS_MOST];
  const size_t count = sciara_unknowns_keys(a, &s->table.value[row * a->unknown_count], key, text);
  for (size_t k = 0; k < count; k++) value[k] = text[k];
  snprintf(name, sizeof name, "%s%sevaluation %zu", a->name ? a->name : "", a->name ? ": " : "", row + 1);
  const struct sciara_evaluate_request request = {.name = name,
                                                  .id = "",
                                                  .key = key,
                                                  .value = value,
                                                  .key_count = count,
                                                  .keep = keep,
                                                  .least = keep ? 0 : s->least};
  return sciara_evaluator_put(s->evaluator, &request);
}

/** Asks for an evaluation, or compares it with the row of an earlier process. */
static enum sciara_status ask(struct sciara_search *s, size_t row, const double *point) {
  const struct sciara_calibration_search *a = s->asked;
  const size_t n = a->unknown_count;
  double value[SCIARA_UNKNOWNS_MOST];
  SCIARA_TRY(sciara_unknowns_values(a, point, value));
  for (size_t k = 0; k < n; k++) {
    const double number = value[k];
    if (row < s->earlier && s->table.value[row * n + k] != number)
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s: evaluation %zu: %s: expected %.17g, which the search gives; found %.17g", s->table.path,
                         row + 1, a->unknown[k].key, number, s->table.value[row * n + k]);
    s->table.value[row * n + k] = number;
  }
  return row < s->earlier ? SCIARA_OK : submit_row(s, row, false);
}

/** Computes the rows from `first` on; fewer are there if it was cancelled. */
static enum sciara_status compute_rows(struct sciara_search *s, size_t first, size_t count, const double *points) {
  for (size_t k = 0; k < count && !is_search_cancelled(s); k++)
    SCIARA_TRY(ask(s, first + k, points + k * s->asked->unknown_count));
  SCIARA_TRY(sciara_evaluator_wait(s->evaluator, first + count == s->asked->budget));
  pthread_mutex_lock(s->lock);
  enum sciara_status status = sciara_failure_status(&s->failure);
  if (status == SCIARA_OK) status = table_sync(&s->table);
  pthread_mutex_unlock(s->lock);
  return status;
}

static int descending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/** The score of the last parent in a generation of the search; rows without a score are worse than all others. */
static enum sciara_status find_parent(const struct sciara_search *s, size_t first, size_t count, double *out) {
  double *scores;
  SCIARA_TRY(SCIARA_NEW(scores, count, "a generation"));
  for (size_t k = 0; k < count; k++) scores[k] = isnan(s->table.score[first + k]) ? 0 : s->table.score[first + k];
  qsort(scores, count, sizeof *scores, descending);
  *out = fmax(scores[count / 2 - 1], LEAST_OF_ALL);
  sciara_free(scores);
  return SCIARA_OK;
}

/**
 * What a row of the next generation needs to matter: of a search as much as the last parent of the `before` rows of the
 * generation before; of points what is accepted with the best of those before. No row of it takes part, so the order in which
 * they end does not matter.
 */
static enum sciara_status set_least(struct sciara_search *s, size_t first, size_t before) {
  s->least = s->asked->file->early_stop ? LEAST_OF_ALL : 0;
  if (!s->asked->file->early_stop) return SCIARA_OK;
  if (s->optimiser) return before > 0 ? find_parent(s, first - before, before, &s->least) : SCIARA_OK;
  for (size_t row = 0; row < first; row++)
    if (s->table.status[row] != SCIARA_EVALUATE_STOPPED && s->table.score[row] * SCIARA_ACCEPTED_PART > s->least)
      s->least = s->table.score[row] * SCIARA_ACCEPTED_PART;
  return SCIARA_OK;
}

/** Generations, or blocks of points; the last one may be cut by the budget. */
enum sciara_status sciara_search_run(struct sciara_search *s) {
  const size_t budget = s->asked->budget, points = s->asked->file->early_stop ? BLOCK : budget;
  size_t before = 0; // rows of the generation before, of the same start
  for (size_t first = 0; first < budget;) {
    const size_t whole = s->optimiser ? (size_t)sciara_cmaes_population(s->optimiser) : points;
    const size_t count = whole < budget - first ? whole : budget - first, starts = s->restart_count;
    const double *own = s->optimiser ? sciara_cmaes_ask(s->optimiser) : s->points + first * s->asked->unknown_count;
    SCIARA_TRY(set_least(s, first, before));
    SCIARA_TRY(compute_rows(s, first, count, own));
    if (finished(s) < first + count) return SCIARA_OK;
    if (s->optimiser && count == whole) SCIARA_TRY(tell(s, first, count));
    before = s->restart_count > starts ? 0 : count;
    first += count;
  }
  return SCIARA_OK;
}

enum sciara_status sciara_search_map(struct sciara_search *s) {
  if (s->table.count < s->asked->budget || s->best == SIZE_MAX) return SCIARA_OK;
  SCIARA_TRY(submit_row(s, s->best, true));
  return sciara_evaluator_wait(s->evaluator, true);
}

void sciara_search_free(struct sciara_search *s) {
  for (size_t k = 0; s->map && k < s->asked->file->scenario_count; k++) sciara_footprint_free(&s->map[k]);
  sciara_evaluator_close(s->evaluator);
  table_close(&s->table);
  sciara_cmaes_destroy(s->optimiser);
  sciara_free(s->inputs);
  sciara_free(s->cells);
  sciara_free(s->points);
  sciara_free(s->restart);
  sciara_free(s->map);
  sciara_failure_free(&s->failure);
  free(s->folder);
}
