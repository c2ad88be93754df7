// SPDX-License-Identifier: Apache-2.0
// The fields of a checkpoint. A word is the 64 bits of a value, exclusive-or those of the bare ground: 0 wherever lava
// has changed nothing, so that most chunks are empty, are not stored, and are read as 0.
#include "store/checkpoint_hdf5.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "file/hdf5_file.h"
#include "model/detmath.h"
#include "store/checkpoint_header.h"

enum {
  CHUNK_SIDE = 256,
#define SCIARA_REAL_FIELD(member) +1
#define SCIARA_DOUBLE_FIELD(member) +1
  ALWAYS = 0
#include "model/fields.def"
  , // what is recorded on request follows
  FIELDS = ALWAYS + (int)SCIARA_RECORDED_FIELDS
};

/** More than fits in any memory, and few enough chunks to check each of them. */
static const double most_cells = 1e11;

static const char *const names[FIELDS] = {
#define SCIARA_REAL_FIELD(member) #member,
#define SCIARA_DOUBLE_FIELD(member) #member,
#define SCIARA_RECORDED_FIELD(member, NAME, ...) #member,
#include "model/fields.def"
};

/** An open file, and the data for it. */
struct access {
  const char *path;
  hid_t file;
  const struct sciara_grid *grid;
  uint64_t *chunk;        ///< CHUNK_SIDE^2 words
  struct sciara_state *s; ///< to take words from or put them into; NULL: they are only summed
  uint64_t sum;
};

/** One field of it. */
struct field {
  struct access *at;
  uint64_t number;
  double *values; ///< of the state; NULL: the state has none
  hid_t dataset, space;
  struct sciara_chunk_guard guard; ///< when it is read
};

static double *values_of(struct sciara_state *s, int number) {
  double *const all[FIELDS] = {
#define SCIARA_REAL_FIELD(member) s->member,
#define SCIARA_DOUBLE_FIELD(member) s->member,
#define SCIARA_RECORDED_FIELD(member, NAME, ...) s->member,
#include "model/fields.def"
  };
  return all[number];
}

/** The word of a cell that lava has never reached. */
static uint64_t bare_bits(const struct field *f, int64_t i) {
  if (f->values == f->at->s->z) return sciara_double_bits(f->at->s->z0[i]);
  return f->values == f->at->s->arrival ? sciara_double_bits(SCIARA_NEVER) : 0;
}

/** A part of the map: at most CHUNK_SIDE rows and columns. */
struct part {
  int64_t row, col, rows, cols;
};

static struct part part_at(const struct sciara_grid *g, int64_t row, int64_t col) {
  return (struct part){.row = row,
                       .col = col,
                       .rows = g->rows - row < CHUNK_SIDE ? g->rows - row : CHUNK_SIDE,
                       .cols = g->cols - col < CHUNK_SIDE ? g->cols - col : CHUNK_SIDE};
}

static void add_to_sum(const struct field *f, int64_t cell, uint64_t word) {
  if (word) f->at->sum += sciara_hash_word(f->number, (uint64_t)cell, word);
}

/** State to chunk; whether there is anything to store. */
static bool pack(const struct field *f, const struct part *p) {
  const int64_t stride = f->at->grid->cols;
  uint64_t any = 0;
  for (int64_t r = 0; r < p->rows; r++) {
    const int64_t first = (p->row + r) * stride + p->col;
    uint64_t *to = f->at->chunk + r * p->cols;
    uint64_t in_row = 0;
    for (int64_t c = 0; c < p->cols; c++)
      in_row |= to[c] = sciara_double_bits(f->values[first + c]) ^ bare_bits(f, first + c);
    for (int64_t c = 0; in_row && c < p->cols; c++) add_to_sum(f, first + c, to[c]);
    any |= in_row;
  }
  return any != 0;
}

/** Chunk to sum and, where there is one, to state. */
static void unpack(const struct field *f, const struct part *p) {
  const int64_t stride = f->at->grid->cols;
  for (int64_t r = 0; r < p->rows; r++)
    for (int64_t c = 0; c < p->cols; c++) {
      const int64_t i = (p->row + r) * stride + p->col + c;
      const uint64_t word = f->at->chunk[r * p->cols + c];
      add_to_sum(f, i, word);
      if (f->values) f->values[i] = sciara_double_from_bits(word ^ bare_bits(f, i));
    }
}

/** The part of the dataset, selected; H5I_INVALID_HID when that fails. To be closed. */
static hid_t select_part(const struct field *f, const struct part *p) {
  const hsize_t start[2] = {(hsize_t)p->row, (hsize_t)p->col}, count[2] = {(hsize_t)p->rows, (hsize_t)p->cols};
  if (H5Sselect_hyperslab(f->space, H5S_SELECT_SET, start, NULL, count, NULL) < 0) return H5I_INVALID_HID;
  return H5Screate_simple(2, count, NULL);
}

static enum sciara_status store(const struct field *f, const struct part *p) {
  enum sciara_status status = SCIARA_OK;
  const hid_t memory = select_part(f, p);
  if (memory < 0 || H5Dwrite(f->dataset, H5T_NATIVE_UINT64, memory, f->space, H5P_DEFAULT, f->at->chunk) < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_IO, f->at->path, "cannot write %s", names[f->number]);
  if (memory >= 0) H5Sclose(memory);
  return status;
}

/** A chunk that is not stored is not read: it holds nothing. */
static enum sciara_status fetch(const struct field *f, const struct part *p, bool *stored) {
  const hsize_t start[2] = {(hsize_t)p->row, (hsize_t)p->col};
  SCIARA_TRY(sciara_chunk_guard_look(&f->guard, start, stored));
  if (!*stored) return SCIARA_OK;
  enum sciara_status status = SCIARA_OK;
  const hid_t memory = select_part(f, p);
  if (memory < 0 || H5Dread(f->dataset, H5T_NATIVE_UINT64, memory, f->space, H5P_DEFAULT, f->at->chunk) < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_INPUT, f->at->path, "damaged: cannot read %s", names[f->number]);
  if (memory >= 0) H5Sclose(memory);
  return status;
}

static void close_field(struct field *f) {
  sciara_chunk_guard_close(&f->guard);
  if (f->dataset >= 0) H5Dclose(f->dataset);
  if (f->space >= 0) H5Sclose(f->space);
  f->dataset = f->space = H5I_INVALID_HID;
}

// ---------------------------------------------------------------------------------------------------------- writing

static enum sciara_status create_field(struct field *f) {
  const struct sciara_grid *g = f->at->grid;
  const hsize_t dims[2] = {(hsize_t)g->rows, (hsize_t)g->cols};
  const struct part first = part_at(g, 0, 0);
  const hsize_t sides[2] = {(hsize_t)first.rows, (hsize_t)first.cols};
  const uint64_t fill = 0; // stated: an unset fill value leaves another mark in the file
  const hid_t plist = sciara_hdf5_chunked_plist(2, sides, 1, H5T_NATIVE_UINT64, &fill);
  enum sciara_status status = SCIARA_OK;
  f->space = H5Screate_simple(2, dims, NULL);
  if (plist >= 0 && f->space >= 0)
    f->dataset = H5Dcreate2(f->at->file, names[f->number], H5T_STD_U64LE, f->space, H5P_DEFAULT, plist, H5P_DEFAULT);
  if (f->dataset < 0) status = sciara_hdf5_fail(SCIARA_ERR_IO, f->at->path, "cannot create %s", names[f->number]);
  if (plist >= 0) H5Pclose(plist);
  return status;
}

static enum sciara_status write_field(struct access *at, int number) {
  struct field f = {.at = at,
                    .number = (uint64_t)number,
                    .values = values_of(at->s, number),
                    .dataset = H5I_INVALID_HID,
                    .space = H5I_INVALID_HID};
  if (!f.values) return SCIARA_OK;
  enum sciara_status status = create_field(&f);
  for (int64_t r = 0; r < at->grid->rows && status == SCIARA_OK; r += CHUNK_SIDE)
    for (int64_t c = 0; c < at->grid->cols && status == SCIARA_OK; c += CHUNK_SIDE) {
      const struct part part = part_at(at->grid, r, c);
      if (pack(&f, &part)) status = store(&f, &part);
    }
  close_field(&f);
  return status;
}

/** What the header says of the state and of the program. */
static enum sciara_status take_over(struct sciara_checkpoint *c, const struct sciara_state *s) {
  free(c->program_version);
  free(c->git_hash);
  c->program_version = strdup(SCIARA_VERSION);
  c->git_hash = strdup(SCIARA_GIT_HASH);
  if (!c->program_version || !c->git_hash) return sciara_no_memory("a checkpoint");
  c->step = s->step;
  c->time_s = s->time;
  c->clock_s = s->clock;
  c->initial_m3 = s->initial;
  c->emitted_m3 = s->emitted;
  c->added_m3 = s->added;
  c->removed_m3 = s->removed;
  c->solidifications = s->solidifications;
  struct sciara_touched touched;
  SCIARA_TRY(sciara_touched_find(s, &touched));
  c->rule_edition = (uint64_t)sciara_rule_edition(c->identity.params.rule);
  c->checksum = sciara_state_checksum_over(s, c->identity.inputs.hash[SCIARA_INPUT_GROUND], &touched);
  sciara_touched_release(&touched);
  return SCIARA_OK;
}

static enum sciara_status write_file(struct sciara_checkpoint *c, struct access *at,
                                     struct sciara_hdf5_session *session) {
  enum sciara_status status = sciara_hdf5_image_create(at->path, &at->file);
  if (status != SCIARA_OK) return status;
  for (int k = 0; k < FIELDS && status == SCIARA_OK; k++) status = write_field(at, k);
  c->words = at->sum;
  if (status == SCIARA_OK) status = sciara_checkpoint_header_put(at->file, at->path, c);
  if (status == SCIARA_OK && c->identity.of_member)
    return sciara_hdf5_image_publish_shared(at->file, at->path, true, session);
  if (status == SCIARA_OK) return sciara_hdf5_image_publish(at->file, at->path);
  H5Fclose(at->file);
  return status;
}

enum sciara_status sciara_checkpoint_write(struct sciara_checkpoint *c, const struct sciara_state *s,
                                           const char *path) {
  struct sciara_state alias = *s;
  struct access at = {.path = path, .grid = &s->grid, .s = &alias};
  SCIARA_TRY(take_over(c, s));
  SCIARA_TRY(SCIARA_NEW(at.chunk, CHUNK_SIDE * CHUNK_SIDE, "a chunk to write"));
  struct sciara_hdf5_session session;
  const size_t bytes = (size_t)sciara_grid_cells(&s->grid) * FIELDS * sizeof *at.chunk;
  sciara_write_enter(bytes);
  sciara_hdf5_begin(&session);
  const enum sciara_status status = write_file(c, &at, &session);
  sciara_hdf5_end(&session);
  sciara_write_leave(bytes);
  sciara_free(at.chunk);
  return status;
}

size_t sciara_checkpoint_memory(const struct sciara_grid *grid) {
  (void)grid;
  return CHUNK_SIDE * CHUNK_SIDE * sizeof(uint64_t);
}

// ---------------------------------------------------------------------------------------------------------- reading

/** Its chunks must be those that are checked one by one. */
static enum sciara_status guard_field(struct field *f) {
  const struct part first = part_at(f->at->grid, 0, 0);
  const hsize_t side[2] = {(hsize_t)first.rows, (hsize_t)first.cols};
  return sciara_chunk_guard_open(&f->guard, f->dataset, f->at->path, names[f->number], side);
}

static enum sciara_status open_field(struct field *f) {
  const struct sciara_grid *g = f->at->grid;
  hsize_t dims[2] = {0, 0};
  SCIARA_TRY(sciara_hdf5_dataset_open(f->at->file, f->at->path, names[f->number], SCIARA_HDF5_IN_CHUNKS, &f->dataset));
  f->space = H5Dget_space(f->dataset);
  const hid_t type = H5Dget_type(f->dataset);
  const bool fits = f->space >= 0 && H5Sget_simple_extent_ndims(f->space) == 2 &&
                    H5Sget_simple_extent_dims(f->space, dims, NULL) == 2 && dims[0] == (hsize_t)g->rows &&
                    dims[1] == (hsize_t)g->cols && type >= 0 && H5Tequal(type, H5T_STD_U64LE) > 0;
  if (type >= 0) H5Tclose(type);
  if (fits) return guard_field(f);
  return sciara_fail(SCIARA_ERR_INPUT, "%s: damaged: %s is not a field of %" PRId64 " x %" PRId64 " words", f->at->path,
                     names[f->number], g->rows, g->cols);
}

static enum sciara_status read_field(struct access *at, int number) {
  struct field f = {.at = at, .number = (uint64_t)number, .dataset = H5I_INVALID_HID, .space = H5I_INVALID_HID};
  if (at->s) f.values = values_of(at->s, number);
  enum sciara_status status = open_field(&f);
  for (int64_t r = 0; r < at->grid->rows && status == SCIARA_OK; r += CHUNK_SIDE)
    for (int64_t c = 0; c < at->grid->cols && status == SCIARA_OK; c += CHUNK_SIDE) {
      const struct part part = part_at(at->grid, r, c);
      bool stored = false;
      status = fetch(&f, &part, &stored);
      if (status == SCIARA_OK && stored) unpack(&f, &part);
    }
  close_field(&f);
  return status;
}

static enum sciara_status read_fields(struct access *at, const struct sciara_checkpoint *c) {
  const struct sciara_grid *g = &c->identity.grid;
  if (g->rows < 1 || g->cols < 1 || (double)g->rows * (double)g->cols > most_cells)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: damaged: its grid has %" PRId64 " rows x %" PRId64 " columns", at->path,
                       g->rows, g->cols);
  at->grid = g;
  for (int k = 0; k < FIELDS; k++) {
    const bool there = k < ALWAYS || (c->identity.record >> (k - ALWAYS) & 1u);
    if (there) SCIARA_TRY(read_field(at, k));
  }
  if (at->sum == c->words) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: damaged: its fields have the checksum %016" PRIx64 ", its header says %016" PRIx64, at->path,
                     at->sum, c->words);
}

enum sciara_status sciara_checkpoint_read_header(const char *path, struct sciara_checkpoint *out) {
  struct sciara_hdf5_session session;
  hid_t file;
  memset(out, 0, sizeof *out);
  sciara_hdf5_begin(&session);
  enum sciara_status status = sciara_hdf5_file_open(path, &file);
  if (status == SCIARA_OK) {
    status = sciara_checkpoint_header_get(file, path, out);
    H5Fclose(file);
  }
  sciara_hdf5_end(&session);
  return status;
}

/** Reads all fields into a state, or only checks them. */
static enum sciara_status read_all(const char *path, const struct sciara_checkpoint *c, struct sciara_state *s) {
  struct access at = {.path = path, .s = s};
  SCIARA_TRY(SCIARA_NEW(at.chunk, CHUNK_SIDE * CHUNK_SIDE, "a chunk to read"));
  struct sciara_hdf5_session session;
  sciara_hdf5_begin(&session);
  enum sciara_status status = sciara_hdf5_file_open(path, &at.file);
  if (status == SCIARA_OK) {
    status = read_fields(&at, c);
    H5Fclose(at.file);
  }
  sciara_hdf5_end(&session);
  sciara_free(at.chunk);
  return status;
}

enum sciara_status sciara_checkpoint_verify(const char *path, struct sciara_checkpoint *out) {
  SCIARA_TRY(sciara_checkpoint_read_header(path, out));
  const enum sciara_status status = read_all(path, out, NULL);
  if (status != SCIARA_OK) sciara_checkpoint_free(out);
  return status;
}

enum sciara_status sciara_checkpoint_read_state(const char *path, const struct sciara_checkpoint *c,
                                                struct sciara_state *s) {
  if (c->identity.grid.rows != s->grid.rows || c->identity.grid.cols != s->grid.cols)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: another DEM: expected %" PRId64 " rows x %" PRId64 " columns, found %" PRId64 " x %" PRId64,
                       path, c->identity.grid.rows, c->identity.grid.cols, s->grid.rows, s->grid.cols);
  SCIARA_TRY(read_all(path, c, s));
  s->step = c->step;
  s->time = c->time_s;
  s->clock = c->clock_s;
  s->initial = c->initial_m3;
  s->emitted = c->emitted_m3;
  s->added = c->added_m3;
  s->removed = c->removed_m3;
  s->solidifications = c->solidifications;
  const uint64_t found = sciara_state_checksum(s);
  if (found == c->checksum) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: the state has the checksum %016" PRIx64 ", its header says %016" PRIx64,
                     path, found, c->checksum);
}
