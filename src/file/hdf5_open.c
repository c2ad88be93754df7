// SPDX-License-Identifier: Apache-2.0
// HDF5 files of untrusted sources: what they refer to, how they store values, what their chunks hold.
#include "file/hdf5_file.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"

enum {
  MOST_OBJECTS = 10000, // in a file: groups may contain each other, and a traversal would not end
  MOST_NESTED = 32,     // levels of groups, and of types
};

/** A traversal of a file. */
struct walk {
  const char *path;
  sciara_hdf5_source_rule *rule; ///< NULL: no dataset may be virtual
  hid_t links;                   ///< access list that follows no external link
  const char *at;                ///< path of the group or object being checked; "" is the root
  int nested, objects;
  enum sciara_status status;
};

static enum sciara_status refuse_hdf5(const char *path, const char *name, const char *found, const char *expected) {
  return sciara_fail(SCIARA_ERR_INPUT, "%s: %s: expected %s, found %s", path, name, expected, found);
}

static herr_t follow_no_link(const char *parent_file, const char *parent_group, const char *file, const char *object,
                             unsigned *flags, hid_t access, void *data) {
  (void)parent_file;
  (void)parent_group;
  (void)file;
  (void)object;
  (void)flags;
  (void)access;
  (void)data;
  return -1;
}

/** An access list of this class (of links, or of datasets) that follows no external link. */
static hid_t access_plist(hid_t class) {
  const hid_t plist = H5Pcreate(class);
  if (plist >= 0 && H5Pset_elink_cb(plist, follow_no_link, NULL) >= 0) return plist;
  if (plist >= 0) H5Pclose(plist);
  return H5I_INVALID_HID;
}

static enum sciara_status check_link(const char *path, const char *name, H5L_type_t type) {
  if (type == H5L_TYPE_HARD) return SCIARA_OK;
  const char *found = type == H5L_TYPE_SOFT       ? "a soft link"
                      : type == H5L_TYPE_EXTERNAL ? "an external link, which names another file"
                                                  : "a user-defined link";
  return refuse_hdf5(path, name, found, "an object of this file");
}

/** Axes are attached to fields by references to objects of the same file; other references may name another file. */
static bool is_local_type(hid_t type, int nested) {
  const H5T_class_t class = H5Tget_class(type);
  if (nested > MOST_NESTED || class == H5T_NO_CLASS) return false;
  if (class == H5T_REFERENCE) return H5Tequal(type, H5T_STD_REF_OBJ) > 0;
  const int members = class == H5T_COMPOUND ? H5Tget_nmembers(type) : class == H5T_VLEN || class == H5T_ARRAY ? 1 : 0;
  bool local = members >= 0;
  for (int k = 0; k < members && local; k++) {
    const hid_t member = class == H5T_COMPOUND ? H5Tget_member_type(type, (unsigned)k) : H5Tget_super(type);
    local = member >= 0 && is_local_type(member, nested + 1);
    if (member >= 0) H5Tclose(member);
  }
  return local;
}

/** Closes the type. */
static enum sciara_status check_type(const char *path, const char *name, hid_t type) {
  const bool local = type >= 0 && is_local_type(type, 0);
  if (type >= 0) H5Tclose(type);
  return local ? SCIARA_OK
               : refuse_hdf5(path, name, "a type that refers to something else",
                             "numbers, texts, or references to objects");
}

/** Whether a filter is part of HDF5: others are plugins, which are programs. */
static bool is_built_in(H5Z_filter_t filter) {
  return filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_FLETCHER32 ||
         filter == H5Z_FILTER_SZIP || filter == H5Z_FILTER_NBIT || filter == H5Z_FILTER_SCALEOFFSET;
}

static H5Z_filter_t filter_at(hid_t plist, int k) {
  unsigned flags, config;
  size_t values = 0;
  return H5Pget_filter2(plist, (unsigned)k, &flags, &values, NULL, 0, NULL, &config);
}

static enum sciara_status check_filters(const char *path, const char *name, hid_t plist) {
  const int count = H5Pget_layout(plist) == H5D_CHUNKED ? H5Pget_nfilters(plist) : 0;
  for (int k = 0; k < count; k++) {
    const H5Z_filter_t filter = filter_at(plist, k);
    if (!is_built_in(filter))
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s: %s: expected filters that are part of HDF5, found filter %d, which needs a plugin", path,
                         name, (int)filter);
  }
  return count < 0 ? sciara_hdf5_fail(SCIARA_ERR_INPUT, path, "cannot read the filters of %s", name) : SCIARA_OK;
}

static enum sciara_status has_external_storage(const char *path, const char *name) {
  return refuse_hdf5(path, name, "external storage, that is values in another file", "values in this file");
}

// -------------------------------------------------------------------------------------------------- virtual datasets

/**
 * A text of the property list, by one of HDF5's functions that return its length without a buffer; malloc'd, or NULL
 * with the reason in *why.
 */
static char *source_text(hid_t plist, size_t k, ssize_t (*get)(hid_t, size_t, char *, size_t),
                         enum sciara_status *why) {
  const ssize_t length = get(plist, k, NULL, 0);
  char *text = length < 0 ? NULL : (char *)malloc((size_t)length + 1);
  if (length >= 0 && !text) *why = SCIARA_ERR_MEMORY;
  if (text && get(plist, k, text, (size_t)length + 1) == length) return text;
  free(text);
  return NULL;
}

static enum sciara_status check_source(const struct walk *w, const char *name, hid_t plist, size_t k) {
  enum sciara_status status = SCIARA_OK, why = SCIARA_ERR_INPUT;
  char *file = source_text(plist, k, H5Pget_virtual_filename, &why);
  char *source = source_text(plist, k, H5Pget_virtual_dsetname, &why);
  if (!file || !source)
    status = sciara_hdf5_fail(why, w->path, "cannot read the references of %s", name);
  else if (!w->rule(name, file, source))
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: %s: refers to dataset \"%s\" of \"%s\", expected %s of snapshots/NNNNNNNN.nc of this run",
                         w->path, name, source, file, name);
  free(file);
  free(source);
  return status;
}

static enum sciara_status check_sources(const struct walk *w, const char *name, hid_t plist) {
  size_t count = 0;
  if (!w->rule || strchr(name, '/'))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: %s: expected values in this file, found a virtual dataset, whose values are in other files "
                       "(for a run, name its folder, not series.nc)",
                       w->path, name);
  if (H5Pget_virtual_count(plist, &count) < 0)
    return sciara_hdf5_fail(SCIARA_ERR_INPUT, w->path, "cannot read the references of %s", name);
  for (size_t k = 0; k < count; k++) SCIARA_TRY(check_source(w, name, plist, k));
  return SCIARA_OK;
}

// --------------------------------------------------------------------------------------------------------- the walk

/** Checks where the values are stored. Calls nothing that would make HDF5 open another file. */
static enum sciara_status check_values(const struct walk *w, const char *name, hid_t plist) {
  const H5D_layout_t layout = H5Pget_layout(plist);
  if (H5Pget_external_count(plist) != 0) return has_external_storage(w->path, name);
  if (layout == H5D_VIRTUAL) return check_sources(w, name, plist);
  if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
    return refuse_hdf5(w->path, name, "an unknown layout", "values in this file");
  return check_filters(w->path, name, plist);
}

static enum sciara_status check_dataset(const struct walk *w, const char *name, hid_t dataset) {
  const hid_t plist = H5Dget_create_plist(dataset);
  if (plist < 0) return sciara_hdf5_fail(SCIARA_ERR_INPUT, w->path, "%s is damaged", name);
  enum sciara_status status = check_values(w, name, plist);
  H5Pclose(plist);
  return status == SCIARA_OK ? check_type(w->path, name, H5Dget_type(dataset)) : status;
}

static herr_t visit_attribute(hid_t object, const char *name, const H5A_info_t *info, void *data) {
  struct walk *w = (struct walk *)data;
  (void)info;
  char *full = sciara_format("%s%sattribute %s", w->at, *w->at ? ": " : "", name);
  const hid_t attribute = full ? H5Aopen(object, name, H5P_DEFAULT) : H5I_INVALID_HID;
  if (!full)
    w->status = sciara_no_memory("a name");
  else if (attribute < 0)
    w->status = sciara_hdf5_fail(SCIARA_ERR_INPUT, w->path, "cannot open %s", full);
  else
    w->status = check_type(w->path, full, H5Aget_type(attribute));
  if (attribute >= 0) H5Aclose(attribute);
  free(full);
  return w->status == SCIARA_OK ? 0 : -1;
}

/** A failure that no callback has reported is HDF5's own. */
static enum sciara_status end_of(struct walk *w, herr_t result) {
  if (result < 0 && w->status == SCIARA_OK)
    w->status = sciara_hdf5_fail(SCIARA_ERR_INPUT, w->path, "cannot read %s", *w->at ? w->at : "the root group");
  return w->status;
}

static enum sciara_status check_group(struct walk *w, hid_t group);

static enum sciara_status check_object(struct walk *w, const char *name, hid_t object) {
  const H5I_type_t kind = H5Iget_type(object);
  const char *before = w->at;
  w->at = name;
  enum sciara_status status = end_of(w, H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, visit_attribute, w));
  if (status == SCIARA_OK && kind == H5I_GROUP) status = check_group(w, object);
  w->at = before;
  if (status != SCIARA_OK || kind == H5I_GROUP) return status;
  if (kind == H5I_DATASET) return check_dataset(w, name, object);
  if (kind == H5I_DATATYPE) return check_type(w->path, name, H5Tcopy(object));
  return refuse_hdf5(w->path, name, "an unknown object", "a dataset, a group or a type");
}

static enum sciara_status check_member(struct walk *w, hid_t group, const char *name, const char *full) {
  // HDF5 would interpret a slash in the name of a link as a path through other links.
  if (strchr(name, '/')) return refuse_hdf5(w->path, full, "a slash in a name", "names without a slash");
  if (++w->objects > MOST_OBJECTS)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: %s: expected at most %d objects, found more", w->path, full,
                       MOST_OBJECTS);
  const hid_t object = H5Oopen(group, name, w->links);
  if (object < 0) return sciara_hdf5_fail(SCIARA_ERR_INPUT, w->path, "cannot open %s", full);
  const enum sciara_status status = check_object(w, full, object);
  H5Oclose(object);
  return status;
}

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *info, void *data) {
  struct walk *w = (struct walk *)data;
  char *full = *w->at ? sciara_format("%s/%s", w->at, name) : sciara_format("%s", name);
  w->status = full ? check_link(w->path, full, info->type) : sciara_no_memory("a name");
  if (w->status == SCIARA_OK) w->status = check_member(w, group, name, full);
  free(full);
  return w->status == SCIARA_OK ? 0 : -1;
}

static enum sciara_status check_group(struct walk *w, hid_t group) {
  if (++w->nested > MOST_NESTED)
    w->status = sciara_fail(SCIARA_ERR_INPUT, "%s: %.64s: expected at most %d levels of groups, found more", w->path,
                            w->at, MOST_NESTED);
  else
    end_of(w, H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, visit_link, w));
  w->nested--;
  return w->status;
}

static enum sciara_status check_file(const char *path, hid_t file, sciara_hdf5_source_rule *rule) {
  struct walk w = {.path = path, .rule = rule, .links = access_plist(H5P_LINK_ACCESS), .at = ""};
  const hid_t root = w.links < 0 ? H5I_INVALID_HID : H5Gopen2(file, "/", H5P_DEFAULT);
  enum sciara_status status = SCIARA_OK;
  if (root < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_INPUT, path, "cannot open the root group");
  else
    status = check_object(&w, "", root);
  if (root >= 0) H5Gclose(root);
  if (w.links >= 0) H5Pclose(w.links);
  return status;
}

// ---------------------------------------------------------------------------------------------------------- opening

static hid_t file_access_plist(void) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access >= 0 && H5Pset_fapl_sec2(access) >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
    return access;
  if (access >= 0) H5Pclose(access);
  return H5I_INVALID_HID;
}

enum sciara_status sciara_hdf5_series_open(const char *path, sciara_hdf5_source_rule *rule, hid_t *file) {
  *file = H5I_INVALID_HID;
  SCIARA_TRY(sciara_input_check(path)); // HDF5 would wait for a named pipe
  const htri_t found = H5Fis_hdf5(path);
  if (found < 0) return sciara_hdf5_fail(SCIARA_ERR_IO, path, "cannot read"); // that says nothing about its content
  if (found == 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: is not an HDF5 (NetCDF-4) file, or its beginning is damaged", path);
  const hid_t access = file_access_plist();
  if (access >= 0) *file = H5Fopen(path, H5F_ACC_RDONLY, access);
  enum sciara_status status = SCIARA_OK;
  if (*file < 0) status = sciara_hdf5_fail(SCIARA_ERR_INPUT, path, "cannot open as HDF5");
  if (access >= 0) H5Pclose(access);
  if (status == SCIARA_OK) status = check_file(path, *file, rule);
  if (status == SCIARA_OK || *file < 0) return status;
  H5Fclose(*file);
  *file = H5I_INVALID_HID;
  return status;
}

enum sciara_status sciara_hdf5_file_open(const char *path, hid_t *file) {
  return sciara_hdf5_series_open(path, NULL, file);
}

/** Accepts only the filters that the program writes: others may lack the checksum, or use other code of HDF5. */
static enum sciara_status check_pipeline(const char *path, const char *name, hid_t plist) {
  static const H5Z_filter_t written[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
  enum { WRITTEN = sizeof written / sizeof *written };
  bool same = H5Pget_nfilters(plist) == WRITTEN;
  for (int k = 0; k < WRITTEN && same; k++) same = filter_at(plist, k) == written[k];
  return same ? SCIARA_OK : refuse_hdf5(path, name, "other filters", "shuffle, deflate and fletcher32");
}

static enum sciara_status check_storage(const char *path, const char *name, hid_t dataset,
                                        enum sciara_hdf5_storage storage) {
  const hid_t plist = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
  enum sciara_status status = SCIARA_OK;
  H5D_space_status_t allocated = H5D_SPACE_STATUS_ERROR;
  if (plist < 0 || type < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_INPUT, path, "%s is damaged", name);
  else if (H5Tcommitted(type) != 0)
    status = refuse_hdf5(path, name, "a named type", "a type of its own");
  else if (H5Pget_external_count(plist) != 0)
    status = has_external_storage(path, name);
  else if (storage == SCIARA_HDF5_IN_CHUNKS)
    status = H5Pget_layout(plist) == H5D_CHUNKED ? check_pipeline(path, name, plist)
                                                 : refuse_hdf5(path, name, "values in one piece", "values in chunks");
  else if (H5Pget_layout(plist) != H5D_CONTIGUOUS || H5Dget_space_status(dataset, &allocated) < 0 ||
           allocated != H5D_SPACE_STATUS_ALLOCATED)
    status = refuse_hdf5(path, name, "no values, or values in chunks", "values in one piece");
  if (plist >= 0) H5Pclose(plist);
  if (type >= 0) H5Tclose(type);
  return status;
}

enum sciara_status sciara_hdf5_dataset_open(hid_t file, const char *path, const char *name,
                                            enum sciara_hdf5_storage storage, hid_t *dataset) {
  *dataset = H5I_INVALID_HID;
  H5L_info_t link;
  if (H5Lget_info(file, name, &link, H5P_DEFAULT) < 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: cannot open %s: there is no such dataset", path, name);
  SCIARA_TRY(check_link(path, name, link.type));
  const hid_t access = access_plist(H5P_DATASET_ACCESS);
  if (access >= 0) *dataset = H5Dopen2(file, name, access);
  enum sciara_status status = SCIARA_OK;
  if (*dataset < 0) status = sciara_hdf5_fail(SCIARA_ERR_INPUT, path, "cannot open %s", name);
  if (access >= 0) H5Pclose(access);
  if (status == SCIARA_OK) status = check_storage(path, name, *dataset, storage);
  if (status == SCIARA_OK || *dataset < 0) return status;
  H5Dclose(*dataset);
  *dataset = H5I_INVALID_HID;
  return status;
}

enum sciara_status sciara_hdf5_check_foreign(const char *path) {
  struct sciara_hdf5_session session;
  hid_t file;
  enum sciara_status status = SCIARA_OK;
  sciara_hdf5_begin(&session);
  if (H5Fis_hdf5(path) > 0) {
    status = sciara_hdf5_file_open(path, &file);
    if (status == SCIARA_OK) H5Fclose(file);
  }
  sciara_hdf5_end(&session);
  return status;
}

// ----------------------------------------------------------------------------------------------------- stored chunks

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
