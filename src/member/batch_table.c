// SPDX-License-Identifier: Apache-2.0
#include "member/batch_table.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "file/hdf5_file.h"

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

enum sciara_status sciara_batch_table_write(const struct sciara_batch_table *t, const struct sciara_footprint *f,
                                            uint64_t *hash) {
  SCIARA_TRY(put_columns(t, f, hash));
  return put_texts(t, f, hash);
}

// ---------------------------------------------------------------------------------------------------------- reading

enum sciara_status sciara_batch_column_length(const char *path, const char *name, hid_t dataset, hid_t type,
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
  enum sciara_status status = sciara_batch_column_length(t->path, name, dataset, in_file, &found);
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

enum sciara_status sciara_batch_table_read(struct sciara_batch_table *t, struct sciara_footprint **f, uint64_t *hash) {
  SCIARA_TRY(get_columns(t, f, hash));
  return get_texts(t, *f, hash);
}
