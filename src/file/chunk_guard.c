// SPDX-License-Identifier: Apache-2.0
// The stored chunks of a dataset.
#include "file/hdf5_file.h"

#include <zlib.h>

#include "base/mem.h"

enum { FLETCHER = 4 }; // bytes that the filter fletcher32 adds

static enum sciara_status refuse_chunk(const struct sciara_chunk_guard *g, const char *what) {
  return sciara_fail(SCIARA_ERR_INPUT, "%s: %s is damaged: %s", g->path, g->name, what);
}

static enum sciara_status take_chunks(struct sciara_chunk_guard *g, hid_t plist, size_t item, const hsize_t *side) {
  enum { FEWEST = 16 }; // values in a chunk, unless the dataset has fewer: each check of a chunk takes time
  unsigned options = 0;
  if (H5Pget_chunk(plist, g->rank, g->side) != g->rank) return refuse_chunk(g, "it is not stored in chunks");
  if (H5Pget_chunk_opts(plist, &options) < 0 || options != 0) return refuse_chunk(g, "it has chunks without filters");
  hsize_t all = 1;
  g->bytes = item;
  for (int k = 0; k < g->rank; k++) {
    if (side && g->side[k] != side[k]) return refuse_chunk(g, "its chunks have another size");
    if (g->side[k] < 1 || g->side[k] > g->dims[k] || g->side[k] > UINT32_MAX / g->bytes)
      return refuse_chunk(g, "its chunks are larger than the dataset");
    g->bytes *= g->side[k];
    all = g->dims[k] < FEWEST ? all * g->dims[k] : FEWEST;
    if (all > FEWEST) all = FEWEST;
  }
  if (g->bytes / item < all) return refuse_chunk(g, "its chunks are too small");
  g->room = compressBound(g->bytes) + g->bytes / 4 + 1024; // independent pieces need slightly more
  return SCIARA_OK;
}

static enum sciara_status take_shape(struct sciara_chunk_guard *g, hid_t plist, hid_t space, size_t item,
                                     const hsize_t *side) {
  g->rank = H5Sget_simple_extent_ndims(space);
  if (g->rank < 1 || g->rank > SCIARA_GUARD_RANK || H5Sget_simple_extent_dims(space, g->dims, NULL) != g->rank ||
      item == 0)
    return refuse_chunk(g, "it does not have the shape of a field");
  return take_chunks(g, plist, item, side);
}

enum sciara_status sciara_chunk_guard_open(struct sciara_chunk_guard *g, hid_t dataset, const char *path,
                                           const char *name, const hsize_t *side) {
  *g = (struct sciara_chunk_guard){.dataset = dataset, .path = path, .name = name};
  enum sciara_status status;
  const hid_t plist = H5Dget_create_plist(dataset), space = H5Dget_space(dataset), type = H5Dget_type(dataset);
  if (plist < 0 || space < 0 || type < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_INPUT, path, "%s is damaged", name);
  else
    status = take_shape(g, plist, space, H5Tget_size(type), side);
  if (plist >= 0) H5Pclose(plist);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (status == SCIARA_OK) status = SCIARA_NEW(g->stored, g->room, "a stored chunk");
  return status;
}

/**
 * Bytes that a zlib stream inflates to, or some number above `most`. A truncated stream counts as `most`: HDF5 itself
 * detects that, after it has compared the checksum of the bytes.
 */
static enum sciara_status inflated_size(const unsigned char *bytes, size_t count, size_t most, size_t *size) {
  unsigned char piece[16384];
  z_stream stream = {.next_in = (unsigned char *)bytes, .avail_in = (uInt)count};
  *size = 0;
  if (inflateInit(&stream) != Z_OK) return sciara_fail(SCIARA_ERR_MEMORY, "no memory to inflate a chunk");
  int said = Z_OK;
  while (said == Z_OK && *size <= most) {
    stream.next_out = piece;
    stream.avail_out = sizeof piece;
    said = inflate(&stream, Z_NO_FLUSH);
    *size += sizeof piece - stream.avail_out;
  }
  inflateEnd(&stream);
  if (said == Z_MEM_ERROR) return sciara_fail(SCIARA_ERR_MEMORY, "no memory to inflate a chunk");
  if (said != Z_STREAM_END && *size <= most) *size = most;
  return SCIARA_OK;
}

/**
 * Checks the filters of `count` stored bytes in reverse order. HDF5 leaves out deflate, as its bit in `mask` shows, if
 * it would make the chunk longer; it never leaves out the others.
 */
static enum sciara_status check_length(const struct sciara_chunk_guard *g, uint32_t mask, size_t count) {
  if (mask & ~(1u << SCIARA_GUARD_DEFLATE)) return refuse_chunk(g, "a chunk leaves out its checksum");
  if (count < FLETCHER) return refuse_chunk(g, "a chunk is shorter than its checksum");
  count -= FLETCHER;
  if (!(mask >> SCIARA_GUARD_DEFLATE & 1u)) SCIARA_TRY(inflated_size(g->stored, count, g->bytes, &count));
  return count == g->bytes ? SCIARA_OK : refuse_chunk(g, "a chunk does not hold the bytes of a chunk");
}

enum sciara_status sciara_chunk_guard_look(const struct sciara_chunk_guard *g, const hsize_t *start, bool *stored) {
  hsize_t size = 0;
  uint32_t mask = 0;
  // Its length as found by reading; other functions read another part of a damaged list.
  *stored = H5Dget_chunk_storage_size(g->dataset, start, &size) >= 0 && size > 0;
  if (!*stored) return SCIARA_OK;
  if (size > g->room) return refuse_chunk(g, "a chunk does not hold the bytes of a chunk");
  if (H5Dread_chunk(g->dataset, H5P_DEFAULT, start, &mask, g->stored) < 0)
    return sciara_hdf5_fail(SCIARA_ERR_INPUT, g->path, "%s is damaged", g->name);
  return check_length(g, mask, (size_t)size);
}

enum sciara_status sciara_chunk_guard_look_at_all(const struct sciara_chunk_guard *g) {
  hsize_t start[SCIARA_GUARD_RANK] = {0};
  for (int k = 0; k >= 0;) {
    bool stored;
    SCIARA_TRY(sciara_chunk_guard_look(g, start, &stored));
    // The next one: the last dimension first.
    for (k = g->rank - 1; k >= 0; k--) {
      start[k] += g->side[k];
      if (start[k] < g->dims[k]) break;
      start[k] = 0;
    }
  }
  return SCIARA_OK;
}

void sciara_chunk_guard_close(struct sciara_chunk_guard *g) {
  sciara_free(g->stored);
  g->stored = NULL;
}
