// SPDX-License-Identifier: Apache-2.0
#include "ensemble/members.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/order.h"
#include "file/csv.h"
#include "file/durable.h"
#include "file/json_strict.h"

const char *const sciara_drawn_names[SCIARA_DRAWN_COUNT] = {"volume_m3", "duration_s", "rate_scale", "rate_shape"};

static char nothing[] = ""; ///< the value that is not set
static const char WHOLE[] = "a whole number of at most 18 digits";

void sciara_members_free(struct sciara_members *m) {
  for (size_t k = 0; m->owned && m->key && k < m->key_count; k++) free(m->key[k]);
  for (size_t k = 0; m->owned && m->value && k < m->count * m->key_count; k++)
    if (m->value[k] != nothing) free(m->value[k]);
  void *blocks[] = {m->key, m->value, m->id, m->stratum, m->replicate, m->vent, m->event, m->weight, m->hash};
  for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) sciara_free(blocks[k]);
  for (size_t k = 0; k < SCIARA_DRAWN_COUNT; k++) sciara_free(m->drawn[k]);
  free(m->text);
  *m = (struct sciara_members){0};
}

/** The columns of `count` members; key and value are zero. */
static enum sciara_status allocate(struct sciara_members *m, size_t count, size_t key_count) {
  size_t values;
  SCIARA_TRY(sciara_size_mul(count, key_count, &values));
  SCIARA_TRY(SCIARA_NEW(m->key, key_count, "the keys of the members"));
  SCIARA_TRY(SCIARA_NEW(m->value, values, "the values of the members"));
  SCIARA_TRY(SCIARA_NEW(m->weight, count, "the weights of the members"));
  SCIARA_TRY(SCIARA_NEW(m->hash, count, "the hashes of the members"));
  int64_t **columns[] = {&m->id, &m->stratum, &m->replicate, &m->vent, &m->event};
  for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
    SCIARA_TRY(SCIARA_NEW(*columns[k], count, "the members"));
    for (size_t i = 0; i < count; i++) (*columns[k])[i] = k == 0 ? (int64_t)i : -1;
  }
  for (size_t k = 0; k < SCIARA_DRAWN_COUNT; k++) {
    SCIARA_TRY(SCIARA_NEW(m->drawn[k], count, "the members"));
    for (size_t i = 0; i < count; i++) m->drawn[k][i] = NAN;
  }
  for (size_t i = 0; i < values; i++) m->value[i] = nothing;
  m->count = count;
  m->key_count = key_count;
  return SCIARA_OK;
}

enum sciara_status sciara_members_create(size_t count, const char *const *keys, size_t key_count,
                                         struct sciara_members *out) {
  *out = (struct sciara_members){.owned = true, .weights_given = true};
  enum sciara_status status = allocate(out, count, key_count);
  for (size_t k = 0; k < key_count && status == SCIARA_OK; k++) {
    out->key[k] = sciara_format("%s", keys[k]);
    if (!out->key[k]) status = sciara_no_memory("the members");
  }
  if (status != SCIARA_OK) sciara_members_free(out);
  return status;
}

enum sciara_status sciara_members_extend(struct sciara_members *m, const char *const *keys, size_t key_count) {
  const char *all[SCIARA_MEMBER_KEYS_MOST];
  const size_t before = m->key_count, count = before + key_count;
  struct sciara_members out;
  if (count > SCIARA_MEMBER_KEYS_MOST)
    return sciara_fail(SCIARA_ERR_INPUT, "expected at most %d keys that differ, found %zu", SCIARA_MEMBER_KEYS_MOST,
                       count);
  for (size_t k = 0; k < count; k++) all[k] = k < before ? m->key[k] : keys[k - before];
  enum sciara_status status = sciara_members_create(m->count, all, count, &out);
  for (size_t i = 0; i < m->count && status == SCIARA_OK; i++) {
    const int64_t *from[] = {m->id, m->stratum, m->replicate, m->vent, m->event};
    int64_t *const to[] = {out.id, out.stratum, out.replicate, out.vent, out.event};
    for (size_t k = 0; k < sizeof to / sizeof *to; k++) to[k][i] = from[k][i];
    for (size_t k = 0; k < SCIARA_DRAWN_COUNT; k++) out.drawn[k][i] = m->drawn[k][i];
    out.weight[i] = m->weight[i];
    for (size_t k = 0; k < before && status == SCIARA_OK; k++)
      status = sciara_members_set(&out, i, k, m->value[i * before + k]);
  }
  if (status != SCIARA_OK) {
    sciara_members_free(&out);
    return status;
  }
  out.weights_given = m->weights_given;
  sciara_members_free(m);
  *m = out;
  return SCIARA_OK;
}

enum sciara_status sciara_members_set(struct sciara_members *m, size_t member, size_t key, const char *value) {
  char **at = &m->value[member * m->key_count + key], *copy = *value ? sciara_format("%s", value) : nothing;
  if (!copy) return sciara_no_memory("the members");
  if (*at != nothing) free(*at);
  *at = copy;
  return SCIARA_OK;
}

bool sciara_members_have_drawn(const struct sciara_members *m, enum sciara_drawn kind) {
  for (size_t i = 0; i < m->count; i++)
    if (!isnan(m->drawn[kind][i])) return true;
  return false;
}

void sciara_members_hash(struct sciara_members *m) {
  for (size_t i = 0; i < m->count; i++) {
    uint64_t hash = sciara_hash_bytes(SCIARA_HASH_BEGIN, &m->id[i], sizeof m->id[i]);
    for (size_t k = 0; k < m->key_count; k++) {
      const char *value = m->value[i * m->key_count + k];
      if (!*value) continue;
      hash = sciara_hash_bytes(hash, m->key[k], strlen(m->key[k]) + 1); // with their ends, which separate them
      hash = sciara_hash_bytes(hash, value, strlen(value) + 1);
    }
    m->hash[i] = hash;
  }
}

size_t sciara_members_find(const struct sciara_members *m, int64_t id) {
  const size_t low = (size_t)sciara_lower_bound(m->id, 0, (int64_t)m->count, id);
  return low < m->count && m->id[low] == id ? low : SIZE_MAX;
}

// ---------------------------------------------------------------------------------------------------------- reading

/** What a column holds. */
enum column { ID, STRATUM, REPLICATE, VENT, EVENT, WEIGHT, DRAWN, KEY = DRAWN + SCIARA_DRAWN_COUNT };

struct header {
  enum column kind[SCIARA_MEMBER_KEYS_MOST + KEY];
  char *name[SCIARA_MEMBER_KEYS_MOST + KEY];
  size_t count, keys;
};

static enum column kind_of_column(const char *name) {
  static const char *const names[] = {[ID] = "id",     [STRATUM] = "stratum", [REPLICATE] = "replicate",
                                      [VENT] = "vent", [EVENT] = "event",     [WEIGHT] = "weight"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strcmp(names[k], name) == 0) return (enum column)k;
  for (size_t k = 0; k < SCIARA_DRAWN_COUNT; k++)
    if (strcmp(sciara_drawn_names[k], name) == 0) return (enum column)(DRAWN + k);
  return KEY;
}

static enum sciara_status add_column(const struct sciara_csv_rows *r, char *name, struct header *h) {
  const enum column kind = kind_of_column(name);
  if (h->count == sizeof h->name / sizeof *h->name || h->keys == SCIARA_MEMBER_KEYS_MOST)
    return sciara_fail(SCIARA_ERR_INPUT, "%s:1: expected at most %d columns with keys, found more", r->name,
                       SCIARA_MEMBER_KEYS_MOST);
  for (size_t k = 0; k < h->count; k++)
    if (strcmp(h->name[k], name) == 0 || (kind == KEY && sciara_member_key_same(h->name[k], name)))
      return sciara_fail(SCIARA_ERR_INPUT, "%s:1: expected each column once, found \"%.80s\" and \"%.80s\"", r->name,
                         h->name[k], name);
  if (kind == KEY) {
    SCIARA_TRY(sciara_fail_context(sciara_member_key_check(name, NULL), "%s:1", r->name));
    h->keys++;
  }
  h->kind[h->count] = kind;
  h->name[h->count++] = name;
  return SCIARA_OK;
}

static enum sciara_status read_header(struct sciara_csv_rows *r, struct header *h) {
  bool last = false, has_id = false;
  char *name;
  if (!sciara_csv_has_row(r))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a line of names, found nothing", r->name);
  while (!last) {
    SCIARA_TRY(sciara_csv_take(r, &name, &last));
    SCIARA_TRY(add_column(r, name, h));
    has_id |= h->kind[h->count - 1] == ID;
  }
  if (has_id) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s:1: expected a column \"id\", found none", r->name);
}

static enum sciara_status refuse_members(const struct sciara_csv_rows *r, size_t line, const char *allowed,
                                         const char *found) {
  return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected %s, found \"%.60s\"", r->name, line, allowed, found);
}

static bool parse_weight(struct sciara_csv_rows *r, const char *text, double *out) {
  const char *expected, *number = r->forgiving ? sciara_csv_point(r, text, &expected) : text;
  return number && sciara_parse_double(number, out) && *out >= 0;
}

/** A value of a column other than a key. */
static enum sciara_status take_cell(struct sciara_csv_rows *r, size_t line, enum column kind, const char *text,
                                    size_t i, struct sciara_members *m) {
  if (kind == WEIGHT) {
    if (parse_weight(r, text, &m->weight[i])) return SCIARA_OK;
    return refuse_members(r, line, "a weight, 0 or more", text);
  }
  if (kind >= DRAWN) {
    if (!*text || parse_weight(r, text, &m->drawn[kind - DRAWN][i])) return SCIARA_OK;
    return refuse_members(r, line, "a number, 0 or more, or nothing", text);
  }
  int64_t *const columns[] = {m->id, m->stratum, m->replicate, m->vent, m->event};
  if (kind != ID && (!*text || strcmp(text, "-1") == 0)) return SCIARA_OK; // not given
  if (!sciara_csv_size(text, &columns[kind][i])) return refuse_members(r, line, WHOLE, text);
  if (kind == ID && i > 0 && m->id[i] <= m->id[i - 1])
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s:%zu: expected an id above %" PRId64 ", that of the previous row; found %" PRId64, r->name,
                       line, m->id[i - 1], m->id[i]);
  return SCIARA_OK;
}

/** The value of a key; a number with a decimal comma, which JSON does not have, gets a point. */
static char *with_point(const struct sciara_csv_rows *r, char *value) {
  char *comma = strchr(value, ',');
  if (r->separator == ',' || !comma || strspn(value, "+-0123456789,eE") != strlen(value)) return value;
  double number;
  *comma = '.';
  if (!sciara_parse_double(value, &number)) *comma = ',';
  return value;
}

static enum sciara_status take_member_row(struct sciara_csv_rows *r, const struct header *h, size_t i,
                                          struct sciara_members *m) {
  const size_t line = r->line;
  size_t key = 0, column = 0;
  char *value;
  for (bool last = false; !last; column++) {
    SCIARA_TRY(sciara_csv_take(r, &value, &last));
    if (column == h->count || (last && column + 1 < h->count))
      return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected %zu values, found %s", r->name, line, h->count,
                         column == h->count ? "more" : "fewer");
    if (h->kind[column] != KEY)
      SCIARA_TRY(take_cell(r, line, h->kind[column], value, i, m));
    else
      m->value[i * m->key_count + key++] = with_point(r, value);
  }
  return SCIARA_OK;
}

static enum sciara_status read_table(struct sciara_csv_rows *r, struct sciara_members *m) {
  struct header h = {.count = 0};
  SCIARA_TRY(read_header(r, &h));
  const size_t most = sciara_csv_lines(r);
  if (most > SCIARA_MEMBERS_MOST)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected at most %d members, found %zu lines", r->name,
                       SCIARA_MEMBERS_MOST, most);
  SCIARA_TRY(allocate(m, most, h.keys));
  m->count = 0;
  for (size_t k = 0, key = 0; k < h.count; k++) {
    m->weights_given |= h.kind[k] == WEIGHT;
    if (h.kind[k] == KEY) m->key[key++] = h.name[k];
  }
  for (; sciara_csv_has_row(r); m->count++) {
    m->weight[m->count] = 1;
    SCIARA_TRY(take_member_row(r, &h, m->count, m));
  }
  return m->count > 0 ? SCIARA_OK
                      : sciara_fail(SCIARA_ERR_INPUT, "%s: expected at least one member, found none", r->name);
}

// ---------------------------------------------------------------------------------------------------------- weights

/** A row of weights.csv; `seen` marks the members that have one. */
static enum sciara_status take_weight(struct sciara_csv_rows *r, size_t line, char *const value[2],
                                      struct sciara_members *m, uint8_t *seen) {
  int64_t id;
  double weight;
  if (!sciara_csv_size(value[0], &id)) return refuse_members(r, line, WHOLE, value[0]);
  const size_t i = sciara_members_find(m, id);
  if (i == SIZE_MAX) return refuse_members(r, line, "the id of a member", value[0]);
  if (seen[i]) return refuse_members(r, line, "each id once", value[0]);
  if (!parse_weight(r, value[1], &weight)) return refuse_members(r, line, "a weight, 0 or more", value[1]);
  m->weight[i] = weight;
  seen[i] = 1;
  return SCIARA_OK;
}

/** The values of a row of two columns. */
static enum sciara_status take_pair(struct sciara_csv_rows *r, size_t line, char *value[2]) {
  size_t count;
  SCIARA_TRY(sciara_csv_take_row(r, 2, value, &count));
  if (count == 2) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected two values, found %s", r->name, line,
                     count < 2 ? "one" : "more");
}

static enum sciara_status read_weight_rows(struct sciara_csv_rows *r, struct sciara_members *m, uint8_t *seen) {
  char *value[2] = {nothing, nothing};
  size_t line = r->line;
  if (sciara_csv_has_row(r)) SCIARA_TRY(take_pair(r, line, value));
  if (strcmp(value[0], "id") != 0 || strcmp(value[1], "weight") != 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected the line \"id,weight\", found \"%.40s,%.40s\"", r->name,
                       line, value[0], value[1]);
  while (sciara_csv_has_row(r)) {
    line = r->line;
    SCIARA_TRY(take_pair(r, line, value));
    SCIARA_TRY(take_weight(r, line, value, m, seen));
  }
  for (size_t i = 0; i < m->count; i++)
    if (!seen[i])
      return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a weight for each member, found none for id %" PRId64, r->name,
                         m->id[i]);
  return SCIARA_OK;
}

/** The table "id,weight", which people edit; decoding may replace the text. */
static enum sciara_status read_weights(const char *name, char **text, size_t length, struct sciara_members *m) {
  struct sciara_csv_rows r;
  uint8_t *seen = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_csv_begin(name, text, length, &r));
  sciara_csv_report_encoding(&r, NULL);
  SCIARA_TRY_GOTO(SCIARA_NEW(seen, m->count, "the weights of the members"));
  SCIARA_TRY_GOTO(read_weight_rows(&r, m, seen));
cleanup:
  sciara_free(seen);
  m->weights_given = true;
  return status;
}

static enum sciara_status check_weights(const char *name, const struct sciara_members *m) {
  double sum = 0;
  for (size_t i = 0; i < m->count; i++) sum += m->weight[i];
  if (sum > 0 && sum <= 1e300) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected weights with a finite sum above 0, found the sum %g", name, sum);
}

/** Reads the rows, and checks the whole. */
static enum sciara_status parse_rows(const char *name, struct sciara_csv_rows *r, const char *weights_name,
                                     char **weights, size_t weights_length, struct sciara_members *out) {
  enum sciara_status status = read_table(r, out);
  if (status == SCIARA_OK && weights_name) status = read_weights(weights_name, weights, weights_length, out);
  if (status == SCIARA_OK) status = check_weights(weights_name ? weights_name : name, out);
  if (status == SCIARA_OK && !out->weights_given)
    sciara_log(SCIARA_LOG_INFO, "%s: has no column \"weight\": each member has the weight 1", name);
  if (status == SCIARA_OK) sciara_members_hash(out);
  return status;
}

enum sciara_status sciara_members_read_table(const char *path, struct sciara_members *out) {
  struct sciara_csv_rows r;
  *out = (struct sciara_members){0};
  enum sciara_status status = sciara_csv_open(path, SCIARA_MEMBERS_BYTES_MOST, &out->text, &r);
  sciara_csv_report_encoding(&r, NULL);
  if (status == SCIARA_OK) status = parse_rows(path, &r, NULL, NULL, 0, out);
  if (status != SCIARA_OK) sciara_members_free(out);
  return status;
}

enum sciara_status sciara_members_read(const char *members_csv, const char *weights_csv, struct sciara_members *out) {
  struct sciara_csv_rows r;
  char *weights = NULL;
  size_t length = 0, weights_length = 0;
  enum sciara_status status;
  *out = (struct sciara_members){0};
  SCIARA_TRY_GOTO(sciara_file_read(members_csv, SCIARA_MEMBERS_BYTES_MOST, &out->text, &length));
  if (weights_csv) SCIARA_TRY_GOTO(sciara_file_read(weights_csv, SCIARA_WEIGHTS_BYTES_MOST, &weights, &weights_length));
  SCIARA_TRY_GOTO(sciara_csv_rows_begin(members_csv, out->text, length, &r));
  status = parse_rows(members_csv, &r, weights_csv, &weights, weights_length, out);
cleanup:
  free(weights);
  if (status != SCIARA_OK) sciara_members_free(out);
  return status;
}

// ---------------------------------------------------------------------------------------------------------- writing

static enum sciara_status append_member_row(const struct sciara_members *m, const bool drawn[SCIARA_DRAWN_COUNT],
                                            size_t i, struct sciara_text *t) {
  char number[40];
  sciara_json_number(m->weight[i], number, sizeof number);
  SCIARA_TRY(sciara_text_append(t, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%s", m->id[i],
                                m->stratum[i], m->replicate[i], m->vent[i], m->event[i], number));
  for (size_t k = 0; k < SCIARA_DRAWN_COUNT; k++) {
    if (!drawn[k]) continue;
    *number = '\0';
    if (!isnan(m->drawn[k][i])) sciara_json_number(m->drawn[k][i], number, sizeof number);
    SCIARA_TRY(sciara_text_append(t, ",%s", number));
  }
  for (size_t k = 0; k < m->key_count; k++) {
    SCIARA_TRY(sciara_text_append_bytes(t, ",", 1));
    SCIARA_TRY(sciara_csv_append_value(t, m->value[i * m->key_count + k]));
  }
  return sciara_text_append_bytes(t, "\n", 1);
}

static enum sciara_status write_members(const struct sciara_members *m, const char *path) {
  struct sciara_text t = {0};
  bool drawn[SCIARA_DRAWN_COUNT];
  sciara_text_append(&t, "id,stratum,replicate,vent,event,weight");
  for (size_t k = 0; k < SCIARA_DRAWN_COUNT; k++) {
    drawn[k] = sciara_members_have_drawn(m, (enum sciara_drawn)k);
    if (drawn[k]) sciara_text_append(&t, ",%s", sciara_drawn_names[k]);
  }
  for (size_t k = 0; k < m->key_count; k++) sciara_text_append(&t, ",%s", m->key[k]);
  enum sciara_status status = sciara_text_append(&t, "\n");
  for (size_t i = 0; i < m->count && status == SCIARA_OK; i++) status = append_member_row(m, drawn, i, &t);
  return sciara_text_write(path, status, &t);
}

static enum sciara_status write_weights(const struct sciara_members *m, const char *path) {
  struct sciara_text t = {0};
  enum sciara_status status = sciara_text_append(&t, "id,weight\n");
  for (size_t i = 0; i < m->count && status == SCIARA_OK; i++) {
    char weight[40];
    sciara_json_number(m->weight[i], weight, sizeof weight);
    status = sciara_text_append(&t, "%" PRId64 ",%s\n", m->id[i], weight);
  }
  return sciara_text_write(path, status, &t);
}

enum sciara_status sciara_members_write(const struct sciara_members *m, const char *members_csv,
                                        const char *weights_csv) {
  if (members_csv) SCIARA_TRY(write_members(m, members_csv));
  return weights_csv ? write_weights(m, weights_csv) : SCIARA_OK;
}

// ------------------------------------------------------------------------- weights that follow from an observed extent

enum { COLUMNS = 4 };
static const char *const columns[COLUMNS] = {"id", "weight", "planned_weight", "jaccard"};

// ------------------------------------------------------------------------------------------------------------- writing

static enum sciara_status append_weight_row(const struct sciara_members *m, size_t i, double weight, double jaccard,
                                            struct sciara_text *t) {
  char number[3][40] = {"", "", ""};
  sciara_json_number(weight, number[0], sizeof number[0]);
  sciara_json_number(m->weight[i], number[1], sizeof number[1]);
  if (!isnan(jaccard)) sciara_json_number(jaccard, number[2], sizeof number[2]);
  return sciara_text_append(t, "%" PRId64 ",%s,%s,%s\n", m->id[i], number[0], number[1], number[2]);
}

enum sciara_status sciara_observed_weights_write(const char *path, const struct sciara_members *m, const double *weight,
                                                 const double *jaccard, const char *sentence) {
  struct sciara_text t = {0};
  enum sciara_status status = sciara_text_append(&t, "# %s\nid,weight,planned_weight,jaccard\n", sentence);
  for (size_t i = 0; i < m->count && status == SCIARA_OK; i++)
    status = append_weight_row(m, i, weight[i], jaccard[i], &t);
  return sciara_text_write(path, status, &t);
}

// ------------------------------------------------------------------------------------------------------------- reading

static enum sciara_status refuse_weights(const struct sciara_csv_rows *r, size_t line, const char *expected,
                                         const char *found) {
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s:%zu: expected %s, found \"%.40s\"; make the file again with 'sciara ensemble reweight', or "
                     "remove it: then the planned weights are used",
                     r->name, line, expected, found);
}

/** Member i: a row for each, in their order. */
static enum sciara_status take_weight_row(struct sciara_csv_rows *r, size_t i, struct sciara_members *m,
                                          double *jaccard) {
  const size_t line = r->line;
  char *value[COLUMNS] = {NULL}, expected[64];
  size_t count = 0;
  int64_t id;
  double weight, planned;
  SCIARA_TRY(sciara_csv_take_row(r, COLUMNS, value, &count));
  if (count != COLUMNS) return refuse_weights(r, line, "id, weight, planned_weight and jaccard", value[0]);
  snprintf(expected, sizeof expected, "the id %" PRId64, m->id[i]);
  if (!sciara_csv_size(value[0], &id) || id != m->id[i]) return refuse_weights(r, line, expected, value[0]);
  if (!sciara_parse_double(value[1], &weight) || !(weight >= 0))
    return refuse_weights(r, line, "a weight, 0 or more", value[1]);
  snprintf(expected, sizeof expected, "%.17g, the planned weight now", m->weight[i]);
  if (!sciara_parse_double(value[2], &planned) || planned != m->weight[i])
    return refuse_weights(r, line, expected, value[2]);
  jaccard[i] = NAN;
  if (*value[3] && (!sciara_parse_double(value[3], &jaccard[i]) || !(jaccard[i] >= 0 && jaccard[i] <= 1)))
    return refuse_weights(r, line, "a Jaccard index, 0 to 1, or nothing", value[3]);
  m->weight[i] = weight;
  return SCIARA_OK;
}

static enum sciara_status read_observed_rows(struct sciara_csv_rows *r, struct sciara_members *m, double *jaccard) {
  char *value[COLUMNS] = {NULL};
  size_t count = 0, line = r->line;
  double sum = 0;
  if (sciara_csv_has_row(r)) SCIARA_TRY(sciara_csv_take_row(r, COLUMNS, value, &count));
  for (size_t k = 0; k < COLUMNS; k++)
    if (count != COLUMNS || strcmp(value[k], columns[k]) != 0)
      return refuse_weights(r, line, "the line \"id,weight,planned_weight,jaccard\"", count > 0 ? value[0] : "");
  for (size_t i = 0; i < m->count; i++) {
    line = r->line;
    if (!sciara_csv_has_row(r)) return refuse_weights(r, line, "a row for each member", "the end of the file");
    SCIARA_TRY(take_weight_row(r, i, m, jaccard));
    sum += m->weight[i];
  }
  line = r->line;
  if (sciara_csv_has_row(r)) return refuse_weights(r, line, "one row for each member", "more");
  return sum > 0 && sum <= 1e300 ? SCIARA_OK : refuse_weights(r, 1, "weights with a finite sum above 0", "another sum");
}

enum sciara_status sciara_observed_weights_read(const char *path, struct sciara_members *m, double **jaccard,
                                                char **sentence) {
  struct sciara_csv_rows r = {.name = path};
  char *text = NULL;
  size_t length = 0;
  enum sciara_status status;
  *sentence = NULL;
  *jaccard = NULL;
  SCIARA_TRY_GOTO(sciara_file_read(path, SCIARA_MEMBERS_BYTES_MOST, &text, &length));
  const char *end = strchr(text, '\n');
  if (strncmp(text, "# ", 2) != 0 || !end) {
    status = refuse_weights(&r, 1, "a line that begins with # and says how the weights were made", "another line");
    goto cleanup;
  }
  *sentence = sciara_format("%.*s", (int)(end - text - 2), text + 2);
  if (!*sentence) {
    status = sciara_no_memory("the weights of the members");
    goto cleanup;
  }
  SCIARA_TRY_GOTO(SCIARA_NEW(*jaccard, m->count + 1, "the weights of the members"));
  SCIARA_TRY_GOTO(sciara_csv_begin(path, &text, length, &r));
  status = read_observed_rows(&r, m, *jaccard);
cleanup:
  free(text);
  return status;
}
