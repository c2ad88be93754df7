// SPDX-License-Identifier: Apache-2.0
// A batch has a table with one value per member in each of its columns, the texts of the members, and the cells of all
// members one after the other. The columns are protected by a checksum over all of them, the cells by those of HDF5.
#include "member/batch_file.h"

#include <hdf5.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "file/hdf5_file.h"
#include "store/chunk.h"

// ------------------------------------------------------------------------------------------------ the table of a batch

// The table of a batch: one value per member in each of its columns, and the texts.

/** The table of a file that is written or read. */
struct sciara_batch_table {
  const char *path;
  hid_t file;
  size_t count; ///< members
};

enum { TEXTS_MOST = 256 << 20 }; // bytes of all texts

static const char texts_name[] = "texts";

// ---------------------------------------------------------------------------------------------------------- columns

enum kind { INTEGER, WORD, REAL, FLAG, STOP };

/** A column of the table: one value of 8 bytes per member. */
static const struct column {
  const char *name;
  enum kind kind;
  size_t offset;
} columns[] = {
#define COLUMN(name, kind, member) \
  { name, kind, offsetof(struct sciara_footprint, member) }
    COLUMN("id", INTEGER, id),
    COLUMN("row_hash", WORD, row_hash),
    COLUMN("cells", INTEGER, count),
    COLUMN("stop", STOP, stop),
    COLUMN("failed", FLAG, failed),
    COLUMN("censored", FLAG, censored),
    COLUMN("end_s", REAL, end_s),
    COLUMN("steps", WORD, steps),
    COLUMN("cell_steps", WORD, cell_steps),
    COLUMN("checksum", WORD, checksum),
    COLUMN("initial_m3", REAL, ledger.initial_m3),
    COLUMN("emitted_m3", REAL, ledger.emitted_m3),
    COLUMN("liquid_m3", REAL, ledger.liquid_m3),
    COLUMN("solid_m3", REAL, ledger.solid_m3),
    COLUMN("lost_m3", REAL, ledger.lost_m3),
    COLUMN("sea_m3", REAL, ledger.sea_m3),
    COLUMN("residual_m3", REAL, ledger.residual_m3),
    COLUMN("bound_m3", REAL, ledger.bound_m3),
    COLUMN("seconds", REAL, seconds),
#undef COLUMN
};

enum { COLUMNS = sizeof columns / sizeof *columns };

/** A value of a footprint as 64 bits. */
static uint64_t take(const struct column *c, const struct sciara_footprint *f) {
  const void *value = (const char *)f + c->offset;
  uint64_t bits;
  switch (c->kind) {
    case FLAG: return *(const bool *)value;
    case STOP: return sciara_end_number(*(const enum sciara_stop_reason *)value);
    case INTEGER:
    case WORD:
    case REAL: break;
  }
  memcpy(&bits, value, sizeof bits);
  return bits;
}

static void put(const struct column *c, uint64_t bits, struct sciara_footprint *f) {
  void *value = (char *)f + c->offset;
  if (c->kind == FLAG)
    *(bool *)value = bits != 0;
  else if (c->kind == STOP)
    *(enum sciara_stop_reason *)value = sciara_end_of_number(bits);
  else
    memcpy(value, &bits, sizeof bits);
}

static hid_t file_type(enum kind kind) {
  return kind == REAL ? H5T_IEEE_F64LE : kind == WORD ? H5T_STD_U64LE : H5T_STD_I64LE;
}

static hid_t memory_type(enum kind kind) {
  return kind == REAL ? H5T_NATIVE_DOUBLE : kind == WORD ? H5T_NATIVE_UINT64 : H5T_NATIVE_INT64;
}

// ---------------------------------------------------------------------------------------------------------- writing

/** A dataset in one piece. */
static enum sciara_status put_piece(const struct sciara_batch_table *t, const char *name, hid_t in_file,
                                    hid_t in_memory, size_t count, const void *values) {
  const hsize_t size = count;
  const hid_t plist = sciara_hdf5_dataset_plist(), space = H5Screate_simple(1, &size, NULL);
  hid_t dataset = H5I_INVALID_HID;
  enum sciara_status status = SCIARA_OK;
  if (plist >= 0 && space >= 0) dataset = H5Dcreate2(t->file, name, in_file, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  if (dataset < 0 || H5Dwrite(dataset, in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_IO, t->path, "cannot write %s", name);
  if (dataset >= 0) H5Dclose(dataset);
  if (space >= 0) H5Sclose(space);
  if (plist >= 0) H5Pclose(plist);
  return status;
}

static enum sciara_status put_columns(const struct sciara_batch_table *t, const struct sciara_footprint *f,
                                      uint64_t *hash) {
  uint64_t *bits;
  enum sciara_status status = SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(bits, t->count, "a column of a batch"));
  for (int c = 0; c < COLUMNS && status == SCIARA_OK; c++) {
    for (size_t k = 0; k < t->count; k++) bits[k] = take(&columns[c], &f[k]);
    *hash = sciara_hash_bytes(*hash, bits, t->count * sizeof *bits);
    status = put_piece(t, columns[c].name, file_type(columns[c].kind), memory_type(columns[c].kind), t->count, bits);
  }
  sciara_free(bits);
  return status;
}

static const char *text_or_empty(const char *text) { return text ? text : ""; }

/** For each member error and warnings, each with its terminator. */
static enum sciara_status put_texts(const struct sciara_batch_table *t, const struct sciara_footprint *f,
                                    uint64_t *hash) {
  struct sciara_text all = {0};
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; k < t->count && status == SCIARA_OK; k++) {
    const char *const texts[] = {text_or_empty(f[k].error), text_or_empty(f[k].warnings)};
    for (int n = 0; n < 2; n++) status = sciara_text_append_bytes(&all, texts[n], strlen(texts[n]) + 1);
  }
  if (status == SCIARA_OK && all.length > TEXTS_MOST)
    status = sciara_fail(SCIARA_ERR_IO, "%s: expected at most %d bytes of warnings, found %zu", t->path, TEXTS_MOST,
                         all.length);
  if (status == SCIARA_OK) {
    *hash = sciara_hash_bytes(*hash, all.data, all.length);
    status = put_piece(t, texts_name, H5T_STD_U8LE, H5T_NATIVE_UINT8, all.length, all.data);
  }
  sciara_text_free(&all);
  return status;
}

/** Writes columns and texts. *hash, of what the checksum covers before them, becomes that with them. */
static enum sciara_status batch_table_write(const struct sciara_batch_table *t, const struct sciara_footprint *f,
                                            uint64_t *hash) {
  SCIARA_TRY(put_columns(t, f, hash));
  return put_texts(t, f, hash);
}

// ---------------------------------------------------------------------------------------------------------- reading

/** The length of a dataset with one dimension; SCIARA_ERR_INPUT: it has another shape or type. */
static enum sciara_status batch_column_length(const char *path, const char *name, hid_t dataset, hid_t type,
                                              size_t *count) {
  hsize_t size = 0;
  const hid_t space = H5Dget_space(dataset), found = H5Dget_type(dataset);
  const bool fits = space >= 0 && found >= 0 && H5Tequal(found, type) > 0 && H5Sget_simple_extent_ndims(space) == 1 &&
                    H5Sget_simple_extent_dims(space, &size, NULL) == 1;
  if (space >= 0) H5Sclose(space);
  if (found >= 0) H5Tclose(found);
  *count = (size_t)size;
  return fits ? SCIARA_OK
              : sciara_fail(SCIARA_ERR_INPUT, "%s: %s is damaged: it does not have the shape of a column", path, name);
}

/** Whether a column can hold this value: FLAG and STOP have few, and numbers are finite. */
static bool is_possible(const struct column *c, const struct sciara_footprint *f, uint64_t bits) {
  if (c->kind == REAL) return isfinite(*(const double *)(const void *)((const char *)f + c->offset));
  return take(c, f) == bits;
}

/** Reads a dataset in one piece; *count 0: sets it to its length, else it must have that one. */
static enum sciara_status get_piece(const struct sciara_batch_table *t, const char *name, hid_t in_file,
                                    hid_t in_memory, size_t most, size_t item, size_t *count, void **values) {
  hid_t dataset;
  size_t found;
  *values = NULL;
  SCIARA_TRY(sciara_hdf5_dataset_open(t->file, t->path, name, SCIARA_HDF5_IN_ONE_PIECE, &dataset));
  enum sciara_status status = batch_column_length(t->path, name, dataset, in_file, &found);
  if (status == SCIARA_OK && (found < 1 || found > most || (*count && found != *count)))
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: %s: expected %zu values, found %zu", t->path, name,
                         *count ? *count : most, found);
  if (status == SCIARA_OK) status = sciara_alloc(values, found, item, "a column of a batch");
  if (status == SCIARA_OK && H5Dread(dataset, in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_INPUT, t->path, "damaged: cannot read %s", name);
  H5Dclose(dataset);
  if (status == SCIARA_OK) *count = found; // not otherwise: what was allocated before has the old length
  return status;
}

static enum sciara_status get_columns(struct sciara_batch_table *t, struct sciara_footprint **f, uint64_t *hash) {
  enum sciara_status status = SCIARA_OK;
  for (int c = 0; c < COLUMNS && status == SCIARA_OK; c++) {
    const struct column *column = &columns[c];
    uint64_t *bits;
    status = get_piece(t, column->name, file_type(column->kind), memory_type(column->kind), SCIARA_BATCH_MEMBERS_MOST,
                       sizeof *bits, &t->count, (void **)&bits);
    if (status == SCIARA_OK && !*f) status = SCIARA_NEW(*f, t->count, "the members of a batch");
    if (status == SCIARA_OK) *hash = sciara_hash_bytes(*hash, bits, t->count * sizeof *bits);
    for (size_t k = 0; k < t->count && status == SCIARA_OK; k++) {
      put(column, bits[k], &(*f)[k]);
      if (!is_possible(column, &(*f)[k], bits[k]))
        status = sciara_fail(SCIARA_ERR_INPUT, "%s: %s: member %zu has an invalid value: %s", t->path, column->name, k,
                             column->kind == REAL ? "a number that is not finite" : "a number that has no meaning");
    }
    sciara_free(bits);
  }
  return status;
}

/** The next text of `left` bytes at *at. */
static enum sciara_status next_text(const struct sciara_batch_table *t, const char **at, size_t *left, char **out) {
  const size_t length = strnlen(*at, *left);
  if (length == *left) return sciara_fail(SCIARA_ERR_INPUT, "%s: %s are damaged: one has no end", t->path, texts_name);
  *out = strdup(*at);
  *at += length + 1;
  *left -= length + 1;
  return *out ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for a text", t->path);
}

static enum sciara_status get_texts(const struct sciara_batch_table *t, struct sciara_footprint *f, uint64_t *hash) {
  char *bytes;
  size_t left = 0;
  enum sciara_status status =
      get_piece(t, texts_name, H5T_STD_U8LE, H5T_NATIVE_UINT8, TEXTS_MOST, 1, &left, (void **)&bytes);
  if (status == SCIARA_OK) *hash = sciara_hash_bytes(*hash, bytes, left);
  const char *at = bytes;
  for (size_t k = 0; k < t->count && status == SCIARA_OK; k++) {
    status = next_text(t, &at, &left, &f[k].error);
    if (status == SCIARA_OK) status = next_text(t, &at, &left, &f[k].warnings);
  }
  if (status == SCIARA_OK && left > 0)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: %s are damaged: expected 2 for each member, found more", t->path,
                         texts_name);
  sciara_free(bytes);
  return status;
}

enum {
  CHUNK = 16384, // cells in a chunk
  LEVEL = 4,     // of deflate
};

static const double most_cells = 1e11; ///< of a map, as in checkpoints

static const char format_name[] = "sciara_batch_format", checksum_name[] = "table_checksum";

void sciara_batch_release(struct sciara_footprint *f, size_t count) {
  for (size_t k = 0; f && k < count; k++) sciara_footprint_free(&f[k]);
  sciara_free(f);
}

static uint64_t hash_of_header(const struct sciara_batch_header *h) {
  uint64_t hash = sciara_hash_bytes(SCIARA_HASH_BEGIN, &h->ensemble_hash, sizeof h->ensemble_hash);
  hash = sciara_hash_bytes(hash, &h->site_hash, sizeof h->site_hash);
  hash = sciara_hash_bytes(hash, &h->rows, sizeof h->rows);
  hash = sciara_hash_bytes(hash, &h->cols, sizeof h->cols);
  return sciara_hash_bytes(hash, &h->batch, sizeof h->batch);
}

// ------------------------------------------------------------------------------------------------------------ cells

/** The datasets of cells: their numbers, then the values. */
enum { CELL, FIRST_VALUE, DATASETS = FIRST_VALUE + SCIARA_FOOTPRINT_VALUES };

static const char *name_of(int d) { return d == CELL ? "cell" : sciara_footprint_values[d - FIRST_VALUE].name; }

/** A chunk of a file that is written. */
struct stored_chunk {
  size_t size;
  unsigned char *bytes;
};

/** A file that is written or read. */
struct batch {
  char *path;
  hid_t file;
  struct sciara_batch_header header;
  size_t count;
  int64_t *first; ///< count + 1: cells of the members before each
  hid_t dataset[DATASETS], space[DATASETS];
  struct sciara_chunk_guard guard[DATASETS];
  uint8_t *checked[DATASETS];            ///< per chunk: it has been checked
  struct stored_chunk *stored[DATASETS]; ///< of a file that is written
};

/** Chunks of each dataset of cells. */
static size_t chunks_of(const struct batch *b) { return ((size_t)b->first[b->count] + CHUNK - 1) / CHUNK; }

/** Values in a chunk. */
static size_t chunk_length(const struct batch *b) {
  return b->first[b->count] < CHUNK ? (size_t)b->first[b->count] : CHUNK;
}

static void release_stored(const struct batch *b, int d) {
  for (size_t c = 0; b->stored[d] && c < chunks_of(b); c++) sciara_free(b->stored[d][c].bytes);
  sciara_free(b->stored[d]);
}

static void release(struct batch *b) {
  struct sciara_hdf5_session session;
  if (!b) return;
  for (int d = 0; d < DATASETS; d++) release_stored(b, d);
  sciara_hdf5_begin(&session);
  for (int d = 0; d < DATASETS; d++) {
    sciara_chunk_guard_close(&b->guard[d]);
    sciara_free(b->checked[d]);
    if (b->space[d] >= 0) H5Sclose(b->space[d]);
    if (b->dataset[d] >= 0) H5Dclose(b->dataset[d]);
  }
  if (b->file >= 0) H5Fclose(b->file);
  sciara_hdf5_end(&session);
  sciara_free(b->first);
  free(b->path);
  sciara_free(b);
}

static enum sciara_status make(const char *path, struct batch **out) {
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(*out, 1, "a batch"));
  struct batch *b = *out;
  b->file = H5I_INVALID_HID;
  for (int d = 0; d < DATASETS; d++) b->dataset[d] = b->space[d] = H5I_INVALID_HID;
  b->path = strdup(path);
  if (!b->path) status = sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for a name", path);
cleanup:
  return status;
}

// ---------------------------------------------------------------------------------------------------------- writing

static enum sciara_status cannot_write(const struct batch *b, const char *name) {
  return sciara_hdf5_fail(SCIARA_ERR_IO, b->path, "cannot write %s", name);
}

static enum sciara_status put_header(const struct batch *b) {
  const struct sciara_batch_header *h = &b->header;
  SCIARA_TRY(sciara_hdf5_put_int64(b->file, b->path, format_name, SCIARA_BATCH_FORMAT));
  SCIARA_TRY(sciara_hdf5_put_hex(b->file, b->path, "ensemble_hash", h->ensemble_hash));
  SCIARA_TRY(sciara_hdf5_put_hex(b->file, b->path, "site_hash", h->site_hash));
  SCIARA_TRY(sciara_hdf5_put_int64(b->file, b->path, "rows", h->rows));
  SCIARA_TRY(sciara_hdf5_put_int64(b->file, b->path, "cols", h->cols));
  return sciara_hdf5_put_int64(b->file, b->path, "batch", h->batch);
}

static hid_t value_type(int d, bool in_file) {
  if (d == CELL) return in_file ? H5T_STD_I64LE : H5T_NATIVE_INT64;
  return in_file ? H5T_IEEE_F32LE : H5T_NATIVE_FLOAT;
}

static size_t item_of(int d) { return d == CELL ? sizeof(int64_t) : sizeof(float); }

static enum sciara_status create_values(struct batch *b, int d) {
  const hsize_t size = (hsize_t)b->first[b->count], chunk = chunk_length(b);
  const hid_t plist = sciara_hdf5_chunked_plist(1, &chunk, LEVEL, H5I_INVALID_HID, NULL);
  b->space[d] = H5Screate_simple(1, &size, NULL);
  if (plist >= 0 && b->space[d] >= 0)
    b->dataset[d] = H5Dcreate2(b->file, name_of(d), value_type(d, true), b->space[d], H5P_DEFAULT, plist, H5P_DEFAULT);
  if (plist >= 0) H5Pclose(plist);
  return b->dataset[d] >= 0 ? SCIARA_OK : cannot_write(b, name_of(d));
}

/** The part of a dataset that belongs to member k, selected; H5I_INVALID_HID when that fails. To be closed. */
static hid_t select_member(const struct batch *b, int d, size_t k) {
  const hsize_t start = (hsize_t)b->first[k], count = (hsize_t)(b->first[k + 1] - b->first[k]);
  if (H5Sselect_hyperslab(b->space[d], H5S_SELECT_SET, &start, NULL, &count, NULL) < 0) return H5I_INVALID_HID;
  return H5Screate_simple(1, &count, NULL);
}

/**
 * Values of a member, from its i-th cell on, as stored. Of cells, the difference of each to the one before it: small
 * numbers, which deflate well.
 */
static void lay_out(const struct sciara_footprint *f, int d, int64_t i, size_t count, char *to) {
  if (d != CELL) {
    memcpy(to, f->value[d - FIRST_VALUE] + i, count * sizeof(float));
    return;
  }
  for (size_t n = 0; n < count; n++, i++, to += sizeof(int64_t)) {
    const int64_t step = f->cell[i] - (i > 0 ? f->cell[i - 1] : 0);
    memcpy(to, &step, sizeof step);
  }
}

/** Fills a chunk, from value `begin` on. *k: a member at or before that value; then that of the last value. */
static void lay_out_chunk(const struct batch *b, const struct sciara_footprint *f, int d, int64_t begin, size_t *k,
                          char *to) {
  const size_t item = item_of(d), length = chunk_length(b);
  const int64_t all = b->first[b->count], end = begin + (int64_t)length < all ? begin + (int64_t)length : all;
  memset(to, 0, length * item);
  for (int64_t at = begin; at < end;) {
    while (b->first[*k + 1] <= at) ++*k;
    const int64_t next = b->first[*k + 1] < end ? b->first[*k + 1] : end;
    lay_out(&f[*k], d, at - b->first[*k], (size_t)(next - at), to + (size_t)(at - begin) * item);
    at = next;
  }
}

/** Encodes the chunks of a dataset. */
static enum sciara_status encode(struct batch *b, const struct sciara_footprint *f, int d) {
  const size_t item = item_of(d), length = chunk_length(b), bytes = length * item;
  char *values = NULL;
  unsigned char *shuffled = NULL, *room = NULL;
  size_t k = 0;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(b->stored[d], chunks_of(b), "the chunks of a batch"));
  SCIARA_TRY_GOTO(SCIARA_NEW(values, bytes, "a chunk to write"));
  SCIARA_TRY_GOTO(SCIARA_NEW(shuffled, bytes, "a chunk to write"));
  SCIARA_TRY_GOTO(SCIARA_NEW(room, sciara_filtered_room(bytes), "a chunk to write"));
  for (size_t c = 0; c < chunks_of(b); c++) {
    struct stored_chunk *chunk = &b->stored[d][c];
    lay_out_chunk(b, f, d, (int64_t)(c * length), &k, values);
    SCIARA_TRY_GOTO(sciara_filter_chunk(values, length, item, LEVEL, shuffled, room, &chunk->size));
    SCIARA_TRY_GOTO(SCIARA_NEW(chunk->bytes, chunk->size, "a chunk to write"));
    memcpy(chunk->bytes, room, chunk->size);
  }
cleanup:
  sciara_free(values);
  sciara_free(shuffled);
  sciara_free(room);
  return status;
}

/** Writes the encoded chunks of a dataset, and releases them. */
static enum sciara_status put_chunks(struct batch *b, int d) {
  SCIARA_TRY(create_values(b, d));
  bool written = true;
  for (size_t c = 0; c < chunks_of(b) && written; c++) {
    struct stored_chunk *chunk = &b->stored[d][c];
    const hsize_t start = c * chunk_length(b);
    written = H5Dwrite_chunk(b->dataset[d], H5P_DEFAULT, 0, &start, chunk->size, chunk->bytes) >= 0;
    sciara_free(chunk->bytes);
    chunk->bytes = NULL;
  }
  if (!written) return cannot_write(b, name_of(d));
  const bool closed = H5Dclose(b->dataset[d]) >= 0;
  b->dataset[d] = H5I_INVALID_HID;
  return closed ? SCIARA_OK : cannot_write(b, name_of(d));
}

static enum sciara_status sum_cells(struct batch *b, const struct sciara_footprint *f) {
  SCIARA_TRY(SCIARA_NEW(b->first, b->count + 1, "the cells of a batch"));
  for (size_t k = 0; k < b->count; k++) {
    if (f[k].count < 0 || (double)f[k].count > most_cells)
      return sciara_fail(SCIARA_ERR_INPUT, "%s: member %" PRId64 ": expected 0 to %g cells, found %" PRId64, b->path,
                         f[k].id, most_cells, f[k].count);
    b->first[k + 1] = b->first[k] + f[k].count;
  }
  return SCIARA_OK;
}

static enum sciara_status fill(struct batch *b, const struct sciara_footprint *f) {
  uint64_t hash = hash_of_header(&b->header);
  SCIARA_TRY(sciara_hdf5_image_create(b->path, &b->file));
  SCIARA_TRY(put_header(b));
  const struct sciara_batch_table table = {.path = b->path, .file = b->file, .count = b->count};
  SCIARA_TRY(batch_table_write(&table, f, &hash));
  SCIARA_TRY(sciara_hdf5_put_hex(b->file, b->path, checksum_name, hash));
  for (int d = 0; d < DATASETS && b->first[b->count] > 0; d++) SCIARA_TRY(put_chunks(b, d));
  return SCIARA_OK;
}

/** What takes time, without HDF5, so that other threads can use it meanwhile. */
static enum sciara_status prepare(struct batch *b, const struct sciara_footprint *f) {
  SCIARA_TRY(sum_cells(b, f));
  for (int d = 0; d < DATASETS && b->first[b->count] > 0; d++) SCIARA_TRY(encode(b, f, d));
  return SCIARA_OK;
}

/** Builds the file in memory and writes it. */
static enum sciara_status build(struct batch *b, const struct sciara_footprint *f, bool synced) {
  struct sciara_hdf5_session session;
  SCIARA_TRY(prepare(b, f));
  sciara_hdf5_begin(&session);
  enum sciara_status status = fill(b, f);
  if (status == SCIARA_OK) {
    for (int d = 0; d < DATASETS; d++) {
      if (b->space[d] >= 0) H5Sclose(b->space[d]);
      b->space[d] = H5I_INVALID_HID;
    }
    status = sciara_hdf5_image_publish_shared(b->file, b->path, synced, &session);
    b->file = H5I_INVALID_HID; // closed in any case
  }
  sciara_hdf5_end(&session);
  return status;
}

/** Bytes of the encoded chunks, and of the file in memory: at most about so many. */
static size_t bytes_to_write(const struct sciara_footprint *f, size_t count) {
  enum { OF_MEMBER = 1024, OF_FILE = 65536 };
  size_t bytes = OF_FILE + count * OF_MEMBER;
  for (size_t k = 0; k < count; k++) bytes += f[k].count > 0 ? (size_t)f[k].count * SCIARA_FOOTPRINT_CELL : 0;
  return bytes;
}

enum sciara_status sciara_batch_write(const char *path, const struct sciara_batch_header *h,
                                      const struct sciara_footprint *f, size_t count, bool synced) {
  struct batch *b = NULL;
  if (count < 1 || count > SCIARA_BATCH_MEMBERS_MOST)
    return sciara_fail(SCIARA_ERR_INTERNAL, "%s: expected 1 to %d members, found %zu", path, SCIARA_BATCH_MEMBERS_MOST,
                       count);
  const size_t bytes = bytes_to_write(f, count);
  sciara_write_enter(bytes);
  enum sciara_status status = make(path, &b);
  if (status == SCIARA_OK) {
    b->header = *h;
    b->count = count;
    status = build(b, f, synced);
  }
  release(b);
  sciara_write_leave(bytes);
  return status;
}

// ---------------------------------------------------------------------------------------------------------- reading

static enum sciara_status get_header(struct batch *b) {
  struct sciara_batch_header *h = &b->header;
  int64_t format = 0;
  if (H5Aexists(b->file, format_name) <= 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: there is no attribute %s: not a batch of an ensemble", b->path,
                       format_name);
  SCIARA_TRY(sciara_hdf5_get_int64(b->file, b->path, format_name, &format));
  if (format != SCIARA_BATCH_FORMAT)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: %s: expected %d, found %" PRId64 ": another version of the program wrote it", b->path,
                       format_name, SCIARA_BATCH_FORMAT, format);
  SCIARA_TRY(sciara_hdf5_get_hex(b->file, b->path, "ensemble_hash", &h->ensemble_hash));
  SCIARA_TRY(sciara_hdf5_get_hex(b->file, b->path, "site_hash", &h->site_hash));
  SCIARA_TRY(sciara_hdf5_get_int64(b->file, b->path, "rows", &h->rows));
  SCIARA_TRY(sciara_hdf5_get_int64(b->file, b->path, "cols", &h->cols));
  SCIARA_TRY(sciara_hdf5_get_int64(b->file, b->path, "batch", &h->batch));
  if (h->rows >= 1 && h->cols >= 1 && (double)h->rows * (double)h->cols <= most_cells && h->batch >= 0)
    return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: expected a map of at most %g cells and a batch from 0, found %" PRId64 " rows, %" PRId64
                     " columns and batch %" PRId64,
                     b->path, most_cells, h->rows, h->cols, h->batch);
}

static enum sciara_status check_stored_member(const struct batch *b, const struct sciara_footprint *f,
                                              const int64_t *before) {
  const char *fault = NULL;
  if (f->id < 0 || (before && f->id <= *before)) fault = "ids that do not ascend from 0";
  if (f->count < 0 || f->count > b->header.rows * b->header.cols) fault = "more cells than the map has";
  if (f->failed && f->count > 0) fault = "cells of a member that failed";
  if (f->failed != (f->stop == SCIARA_STOP_NONE)) fault = "a stop reason that does not fit";
  return fault ? sciara_fail(SCIARA_ERR_INPUT, "%s: member %" PRId64 ": found %s", b->path, f->id, fault) : SCIARA_OK;
}

static enum sciara_status open_values(struct batch *b, int d) {
  size_t count;
  if (d != CELL && sciara_footprint_values[d - FIRST_VALUE].unknown && H5Lexists(b->file, name_of(d), H5P_DEFAULT) == 0)
    return SCIARA_OK;
  SCIARA_TRY(sciara_hdf5_dataset_open(b->file, b->path, name_of(d), SCIARA_HDF5_IN_CHUNKS, &b->dataset[d]));
  SCIARA_TRY(batch_column_length(b->path, name_of(d), b->dataset[d], value_type(d, true), &count));
  if (count != (size_t)b->first[b->count])
    return sciara_fail(SCIARA_ERR_INPUT, "%s: %s: expected %" PRId64 " values, found %zu", b->path, name_of(d),
                       b->first[b->count], count);
  const hsize_t chunk = count < CHUNK ? count : CHUNK;
  SCIARA_TRY(sciara_chunk_guard_open(&b->guard[d], b->dataset[d], b->path, name_of(d), &chunk));
  SCIARA_TRY(SCIARA_NEW(b->checked[d], (count + CHUNK - 1) / CHUNK, "the chunks of a batch"));
  b->space[d] = H5Dget_space(b->dataset[d]);
  return b->space[d] >= 0 ? SCIARA_OK : sciara_hdf5_fail(SCIARA_ERR_INPUT, b->path, "%s is damaged", name_of(d));
}

static enum sciara_status read_all(struct batch *b, struct sciara_footprint **f) {
  SCIARA_TRY(sciara_hdf5_file_open(b->path, &b->file));
  SCIARA_TRY(get_header(b));
  uint64_t hash = hash_of_header(&b->header), expected = 0;
  struct sciara_batch_table table = {.path = b->path, .file = b->file};
  const enum sciara_status status = get_columns(&table, f, &hash); // an array from sciara_alloc, also after an error
  b->count = table.count;
  SCIARA_TRY(status);
  SCIARA_TRY(get_texts(&table, *f, &hash));
  SCIARA_TRY(sciara_hdf5_get_hex(b->file, b->path, checksum_name, &expected));
  if (hash != expected)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: damaged: the checksum of its members is %016" PRIx64 ", but the file states %016" PRIx64,
                       b->path, hash, expected);
  for (size_t k = 0; k < b->count; k++) SCIARA_TRY(check_stored_member(b, &(*f)[k], k > 0 ? &(*f)[k - 1].id : NULL));
  SCIARA_TRY(sum_cells(b, *f));
  for (int d = 0; d < DATASETS && b->first[b->count] > 0; d++) SCIARA_TRY(open_values(b, d));
  return SCIARA_OK;
}

enum sciara_status sciara_batch_open(const char *path, struct sciara_batch_header *h, struct sciara_footprint **f,
                                     size_t *count, void **file) {
  struct batch *b = NULL;
  struct sciara_hdf5_session session;
  *f = NULL;
  *count = 0;
  *file = NULL;
  sciara_hdf5_begin(&session);
  enum sciara_status status = make(path, &b);
  if (status == SCIARA_OK) status = read_all(b, f);
  sciara_hdf5_end(&session);
  if (status != SCIARA_OK) {
    sciara_batch_release(*f, b ? b->count : 0);
    *f = NULL;
    release(b);
    return status;
  }
  *h = b->header;
  *count = b->count;
  *file = b;
  return SCIARA_OK;
}

void sciara_batch_close(void *file) { release((struct batch *)file); }

/** Checks the chunks in which the cells of member k lie, each once. */
static enum sciara_status check_chunks(struct batch *b, int d, size_t k) {
  for (int64_t chunk = b->first[k] / CHUNK; chunk * CHUNK < b->first[k + 1]; chunk++) {
    const hsize_t start = (hsize_t)chunk * CHUNK;
    bool stored;
    if (b->checked[d][chunk]) continue;
    SCIARA_TRY(sciara_chunk_guard_look(&b->guard[d], &start, &stored));
    if (!stored) return sciara_fail(SCIARA_ERR_INPUT, "%s: %s is damaged: a chunk is missing", b->path, name_of(d));
    b->checked[d][chunk] = 1;
  }
  return SCIARA_OK;
}

static enum sciara_status read_values(struct batch *b, int d, size_t k, void *values) {
  enum sciara_status status = SCIARA_OK;
  SCIARA_TRY(check_chunks(b, d, k));
  const hid_t memory = select_member(b, d, k);
  if (memory < 0 || H5Dread(b->dataset[d], value_type(d, false), memory, b->space[d], H5P_DEFAULT, values) < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_INPUT, b->path, "damaged: cannot read %s", name_of(d));
  if (memory >= 0) H5Sclose(memory);
  return status;
}

/** The first value of a cell that is not possible, or -1. */
static int find_impossible(const struct sciara_footprint *f, int64_t i) {
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++) {
    const float value = f->value[v][i];
    if (!(value >= 0 && isfinite(value)) && !(isnan(value) && sciara_footprint_values[v].unknown)) return v;
  }
  return -1;
}

/** From differences to cells, which must ascend within the map; and that all values are possible. */
static enum sciara_status decode(const struct batch *b, const struct sciara_footprint *f) {
  const int64_t cells = b->header.rows * b->header.cols;
  for (int64_t i = 0; i < f->count; i++) {
    const int64_t before = i > 0 ? f->cell[i - 1] : 0, step = f->cell[i];
    const int v = find_impossible(f, i);
    if (step < (i > 0) || step >= cells - before)
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s: damaged: member %" PRId64 ": value %" PRId64
                         " of its cells: expected cells of the map in ascending order; found a step of %" PRId64
                         " after cell %" PRId64,
                         b->path, f->id, i, step, i > 0 ? before : -1);
    if (v >= 0)
      return sciara_fail(
          SCIARA_ERR_INPUT,
          "%s: damaged: member %" PRId64 ": value %" PRId64 " of %s: expected a number from 0 on, found %g %s", b->path,
          f->id, i, sciara_footprint_values[v].name, (double)f->value[v][i], sciara_footprint_values[v].unit);
    f->cell[i] = before + step;
  }
  return SCIARA_OK;
}

enum sciara_status sciara_batch_cells(void *file, size_t k, struct sciara_footprint *f) {
  struct batch *b = (struct batch *)file;
  struct sciara_hdf5_session session;
  enum sciara_status status;
  sciara_footprint_free_cells(f);
  if (k >= b->count || f->count != b->first[k + 1] - b->first[k])
    return sciara_fail(SCIARA_ERR_INTERNAL, "%s: member %zu does not have %" PRId64 " cells", b->path, k, f->count);
  if (f->count == 0) return SCIARA_OK;
  sciara_hdf5_begin(&session);
  SCIARA_TRY_GOTO(sciara_footprint_make_cells(f, f->count));
  SCIARA_TRY_GOTO(read_values(b, CELL, k, f->cell));
  for (int v = 0; v < SCIARA_FOOTPRINT_VALUES; v++)
    if (b->dataset[FIRST_VALUE + v] >= 0) SCIARA_TRY_GOTO(read_values(b, FIRST_VALUE + v, k, f->value[v]));
  SCIARA_TRY_GOTO(decode(b, f));
cleanup:
  sciara_hdf5_end(&session);
  if (status != SCIARA_OK) sciara_footprint_free_cells(f);
  return status;
}
