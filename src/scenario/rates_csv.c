// SPDX-License-Identifier: Apache-2.0
#include "scenario/rates_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"

static const char header[] = "time_s,rate_m3_s";

/** A file; `next` is the remaining text, which is split into lines in place. */
struct reader {
  const char *path;
  char *next, *end;
  size_t line, row_line; ///< of the line last cut, of the row last read
};

/** The next line without its end, or NULL at the end of the file. */
static char *next_line(struct reader *r) {
  if (r->next >= r->end) return NULL;
  char *line = r->next, *stop = (char *)memchr(line, '\n', (size_t)(r->end - line));
  if (!stop) stop = r->end; // the byte after the end is a NUL that was added
  r->next = stop + 1;
  r->line++;
  if (stop > line && stop[-1] == '\r') stop--;
  *stop = '\0';
  return line;
}

/** Removes spaces and tabs around the text, in place. */
static char *trim(char *text) {
  while (*text == ' ' || *text == '\t') text++;
  char *end = text + strlen(text);
  while (end > text && (end[-1] == ' ' || end[-1] == '\t')) end--;
  *end = '\0';
  return text;
}

/** A printable copy of a text of the file, cut to 60 bytes. */
static const char *shown(const char *text, char buffer[64]) {
  size_t n = 0;
  for (; n < 60 && text[n]; n++) buffer[n] = (unsigned char)text[n] < 0x20 || text[n] == 0x7F ? '?' : text[n];
  memcpy(buffer + n, text[n] ? "..." : "", text[n] ? 4 : 1);
  return buffer;
}

static enum sciara_status refuse(const struct reader *r, const char *found, const char *allowed) {
  char buffer[64];
  return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected %s, found \"%s\"", r->path, r->line, allowed,
                     shown(found, buffer));
}

static enum sciara_status read_header(struct reader *r) {
  char *line = next_line(r);
  while (line && line[0] == '#') line = next_line(r);
  if (!line)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected the header \"%s\" and rows of time and rate; found no rows",
                       r->path, header);
  if (strcmp(trim(line), header) != 0) return refuse(r, line, "the header \"time_s,rate_m3_s\"");
  return SCIARA_OK;
}

static enum sciara_status read_row(const struct reader *r, char *line, double *time, double *rate) {
  char *comma = strchr(line, ',');
  if (!comma || strchr(comma + 1, ',')) return refuse(r, line, "two values, time and rate, separated by one comma");
  *comma = '\0';
  char *first = trim(line), *second = trim(comma + 1);
  if (!sciara_parse_duration(first, time)) return refuse(r, first, "a time: seconds, or text such as 6 h or 3 d");
  if (!(*time >= 0)) return refuse(r, first, "a time of 0 s or more");
  if (!sciara_parse_double(second, rate) || !(*rate >= 0 && *rate <= SCIARA_RATE_MAX))
    return refuse(r, second, "a rate of 0 to 1e6 m3/s");
  return SCIARA_OK;
}

/** Whether nothing but blank lines is left; a blank line between rows is an error. */
static bool only_blank_left(const struct reader *r) {
  for (const char *p = r->next; p < r->end; p++)
    if (!strchr(" \t\r\n", *p) || *p == '\0') return false;
  return true;
}

/** Reads all rows into arrays of `capacity`; the rate of the last row is checked by the caller. */
static enum sciara_status read_rows(struct reader *r, double *times, double *rates, size_t capacity, size_t *count) {
  size_t n = 0;
  for (char *line = next_line(r); line; line = next_line(r)) {
    if (line[0] == '#') continue;
    if (*trim(line) == '\0') {
      if (only_blank_left(r)) break;
      return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: blank lines are allowed only at the end of the file", r->path,
                         r->line);
    }
    if (n == capacity)
      return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected at most %d rows, found more", r->path, r->line,
                         SCIARA_RATES_MAX_ROWS);
    SCIARA_TRY(read_row(r, line, &times[n], &rates[n]));
    if (n > 0 && !(times[n] > times[n - 1]))
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s:%zu: expected a time after that of the previous row, %.17g s; found %.17g s", r->path,
                         r->line, times[n - 1], times[n]);
    r->row_line = r->line;
    n++;
  }
  *count = n;
  return SCIARA_OK;
}

static size_t lines_in(const char *text, size_t length) {
  size_t lines = 1;
  for (const char *p = text; (p = (const char *)memchr(p, '\n', length - (size_t)(p - text))); p++) lines++;
  return lines;
}

static enum sciara_status read_table(struct reader *r, struct sciara_rate_table *out) {
  size_t capacity = lines_in(r->next, (size_t)(r->end - r->next)), rows = 0;
  if (capacity > SCIARA_RATES_MAX_ROWS) capacity = SCIARA_RATES_MAX_ROWS;
  SCIARA_TRY(read_header(r));
  SCIARA_TRY(SCIARA_NEW(out->edges, capacity, r->path));
  SCIARA_TRY(SCIARA_NEW(out->rates, capacity, r->path));
  SCIARA_TRY(read_rows(r, out->edges, out->rates, capacity, &rows));
  if (rows < 2)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected at least 2 rows (the last one ends the table), found %zu",
                       r->path, rows);
  if (out->rates[rows - 1] != 0)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s:%zu: expected the rate 0 in the last row, which ends the table; found %.17g", r->path,
                       r->row_line, out->rates[rows - 1]);
  out->count = rows - 1;
  return SCIARA_OK;
}

enum sciara_status sciara_rates_csv_read(const char *path, struct sciara_rate_table *out) {
  *out = (struct sciara_rate_table){0};
  char *text = NULL;
  size_t length = 0;
  SCIARA_TRY(sciara_file_read(path, SCIARA_RATES_MAX_BYTES, &text, &length));
  struct reader r = {.path = path, .next = text, .end = text + length};
  enum sciara_status status = SCIARA_OK;
  if (memchr(text, '\0', length)) status = sciara_fail(SCIARA_ERR_INPUT, "%s: expected text, found a NUL byte", path);
  if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
    sciara_log(SCIARA_LOG_INFO, "%s: a UTF-8 byte order mark is skipped", path);
    r.next += 3;
  }
  if (status == SCIARA_OK) status = read_table(&r, out);
  free(text);
  if (status != SCIARA_OK) sciara_rate_table_free(out);
  return status;
}

void sciara_rate_table_free(struct sciara_rate_table *table) {
  sciara_free(table->edges);
  sciara_free(table->rates);
  *table = (struct sciara_rate_table){0};
}
