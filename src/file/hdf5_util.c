// SPDX-License-Identifier: Apache-2.0
#include "file/hdf5_file.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "file/csv.h"
#include "file/durable.h"

enum {
  IMAGE_INCREMENT = 1 << 18, // bytes by which a file in memory grows
  TEXT_LIMIT = 256 << 20,    // longest text attribute that is accepted
};

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void sciara_hdf5_begin(struct sciara_hdf5_session *session) {
  pthread_mutex_lock(&one_at_a_time);
  session->print = NULL;
  session->context = NULL;
  H5Eget_auto2(H5E_DEFAULT, &session->print, &session->context);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  session->plugins_known = H5PLget_loading_state(&session->plugins) >= 0;
  H5PLset_loading_state(0);
}

void sciara_hdf5_end(const struct sciara_hdf5_session *session) {
  if (session->plugins_known) H5PLset_loading_state(session->plugins);
  H5Eset_auto2(H5E_DEFAULT, session->print, session->context);
  pthread_mutex_unlock(&one_at_a_time);
}

struct cause {
  char text[512];
  bool memory;
};

/* The system's own message inside that of a driver: "... errno = 5, error message = 'Input/output error', buf = ..." */
static void keep_system_words(char *text) {
  static const char mark[] = "error message = '";
  char *start = strstr(text, mark);
  if (!start) return;
  start += sizeof mark - 1;
  char *end = strchr(start, '\'');
  if (!end) return;
  memmove(text, start, (size_t)(end - start));
  text[end - start] = '\0';
}

static herr_t take_innermost(unsigned n, const H5E_error2_t *error, void *data) {
  struct cause *cause = (struct cause *)data;
  if (error->maj_num == H5E_RESOURCE && error->min_num == H5E_NOSPACE) cause->memory = true;
  if (n == 0 && error->desc) {
    snprintf(cause->text, sizeof cause->text, "%s", error->desc);
    keep_system_words(cause->text);
  }
  return 0;
}

enum sciara_status sciara_hdf5_fail(enum sciara_status status, const char *path, const char *format, ...) {
  struct cause cause = {.text = "HDF5 gives no cause", .memory = false};
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, &cause);
  char doing[512];
  va_list args;
  va_start(args, format);
  sciara_vprint(doing, sizeof doing, format, args);
  va_end(args);
  return sciara_fail(cause.memory ? SCIARA_ERR_MEMORY : status, "%s: %s: %s", path, doing, cause.text);
}

/* The format of HDF5 1.8: it has creation order and attributes beyond 64 KiB, and every netCDF-4 reader supports it. */
static hid_t image_access_plist(void) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access >= 0 && H5Pset_fapl_core(access, IMAGE_INCREMENT, false) >= 0 &&
      H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST) >= 0 &&
      H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
    return access;
  if (access >= 0) H5Pclose(access);
  return H5I_INVALID_HID;
}

static hid_t image_creation_plist(void) {
  const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
  hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  if (creation >= 0 && H5Pset_link_creation_order(creation, order) >= 0 &&
      H5Pset_attr_creation_order(creation, order) >= 0 && H5Pset_obj_track_times(creation, false) >= 0)
    return creation;
  if (creation >= 0) H5Pclose(creation);
  return H5I_INVALID_HID;
}

enum sciara_status sciara_hdf5_image_create(const char *path, hid_t *file) {
  enum sciara_status status = SCIARA_OK;
  *file = H5I_INVALID_HID;
  // HDF5 first tries to open a file of the name, also for a file in memory. None can exist with this name, and no other
  // thread can have opened it.
  static uint64_t serial;
  const uint64_t number = __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
  char *name = sciara_format("/dev/null/%" PRIu64 "/%s", number, path);
  if (!name) return sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for a name", path);
  hid_t access = image_access_plist(), creation = image_creation_plist();
  if (access >= 0 && creation >= 0) *file = H5Fcreate(name, H5F_ACC_TRUNC, creation, access);
  if (*file < 0) status = sciara_hdf5_fail(SCIARA_ERR_IO, path, "cannot make an HDF5 file in memory");
  if (access >= 0) H5Pclose(access);
  if (creation >= 0) H5Pclose(creation);
  free(name);
  return status;
}

/** A file in memory, complete; NULL: it cannot be completed. */
static const void *complete(hid_t file, size_t *count) {
  void **handle = NULL;
  ssize_t size = -1;
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&handle) >= 0)
    size = H5Fget_file_image(file, NULL, 0);
  *count = size > 0 ? (size_t)size : 0;
  return size > 0 ? *handle : NULL;
}

static enum sciara_status incomplete(const char *path) {
  return sciara_hdf5_fail(SCIARA_ERR_IO, path, "cannot complete the HDF5 file in memory");
}

static enum sciara_status close_image(hid_t file, const char *path, enum sciara_status status) {
  if (H5Fclose(file) < 0 && status == SCIARA_OK) status = sciara_hdf5_fail(SCIARA_ERR_IO, path, "cannot close");
  return status;
}

enum sciara_status sciara_hdf5_image_publish(hid_t file, const char *path) {
  size_t count;
  const void *bytes = complete(file, &count);
  return close_image(file, path, bytes ? sciara_file_replace(path, bytes, count) : incomplete(path));
}

enum sciara_status sciara_hdf5_image_publish_shared(hid_t file, const char *path, bool synced,
                                                    struct sciara_hdf5_session *session) {
  size_t count;
  const void *bytes = complete(file, &count);
  if (!bytes) return close_image(file, path, incomplete(path));
  sciara_hdf5_end(session); // the bytes stay where they are until the file is closed
  const enum sciara_status status = sciara_file_replace_shared(path, bytes, count, synced);
  sciara_hdf5_begin(session);
  return close_image(file, path, status);
}

hid_t sciara_hdf5_dataset_plist(void) {
  const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
  enum {
    COMPACT = 64
  }; // attributes: HDF5 1.10 cannot delete one that it stores in a B-tree, which it would do from 9 on
  hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
  if (plist >= 0 &&
      (H5Pset_attr_creation_order(plist, order) < 0 || H5Pset_attr_phase_change(plist, COMPACT, COMPACT) < 0 ||
       H5Pset_obj_track_times(plist, false) < 0)) {
    H5Pclose(plist);
    return H5I_INVALID_HID;
  }
  return plist;
}

hid_t sciara_hdf5_chunked_plist(int rank, const hsize_t *sides, unsigned level, hid_t fill_type, const void *fill) {
  hid_t plist = sciara_hdf5_dataset_plist();
  if (plist >= 0 && H5Pset_chunk(plist, rank, sides) >= 0 && H5Pset_shuffle(plist) >= 0 &&
      H5Pset_deflate(plist, level) >= 0 && H5Pset_fletcher32(plist) >= 0 &&
      (!fill || H5Pset_fill_value(plist, fill_type, fill) >= 0))
    return plist;
  if (plist >= 0) H5Pclose(plist);
  return H5I_INVALID_HID;
}

static enum sciara_status put_attribute(hid_t object, const char *path, const char *name, hid_t file_type,
                                        hid_t memory_type, hid_t space, const void *value) {
  hid_t attribute = space < 0 ? H5I_INVALID_HID : H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
  enum sciara_status status = SCIARA_OK;
  if (attribute < 0 || H5Awrite(attribute, memory_type, value) < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_IO, path, "cannot write attribute %s", name);
  if (attribute >= 0 && H5Aclose(attribute) < 0 && status == SCIARA_OK)
    status = sciara_hdf5_fail(SCIARA_ERR_IO, path, "cannot close attribute %s", name);
  if (space >= 0) H5Sclose(space);
  return status;
}

enum sciara_status sciara_hdf5_put_text(hid_t object, const char *path, const char *name, const char *text) {
  if (!text) return SCIARA_OK;
  // The length without the NUL, as netCDF-4 itself writes it: tools then show no NUL at the end.
  size_t length = text[0] == '\0' ? 1 : strlen(text);
  hid_t type = H5Tcopy(H5T_C_S1);
  enum sciara_status status;
  if (type < 0 || H5Tset_size(type, length) < 0 || H5Tset_strpad(type, H5T_STR_NULLTERM) < 0 ||
      H5Tset_cset(type, H5T_CSET_UTF8) < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_IO, path, "cannot make the type of attribute %s", name);
  else
    status = put_attribute(object, path, name, type, type, H5Screate(H5S_SCALAR), text);
  if (type >= 0) H5Tclose(type);
  return status;
}

enum sciara_status sciara_hdf5_put_hex(hid_t object, const char *path, const char *name, uint64_t value) {
  char digits[17];
  snprintf(digits, sizeof digits, "%016" PRIx64, value);
  return sciara_hdf5_put_text(object, path, name, digits);
}

static hid_t one_element(void) {
  const hsize_t one = 1;
  return H5Screate_simple(1, &one, NULL);
}

enum sciara_status sciara_hdf5_put_number(hid_t object, const char *path, const char *name, hid_t type, double value) {
  return put_attribute(object, path, name, type, H5T_NATIVE_DOUBLE, one_element(), &value);
}

enum sciara_status sciara_hdf5_put_double(hid_t object, const char *path, const char *name, double value) {
  return sciara_hdf5_put_number(object, path, name, H5T_IEEE_F64LE, value);
}

enum sciara_status sciara_hdf5_put_doubles(hid_t object, const char *path, const char *name, const double *values,
                                           size_t count) {
  const hsize_t size = count;
  return put_attribute(object, path, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, H5Screate_simple(1, &size, NULL), values);
}

enum sciara_status sciara_hdf5_put_int64(hid_t object, const char *path, const char *name, int64_t value) {
  return put_attribute(object, path, name, H5T_STD_I64LE, H5T_NATIVE_INT64, one_element(), &value);
}

static enum sciara_status read_text(hid_t attribute, const char *path, const char *name, char **out) {
  hid_t type = H5Aget_type(attribute);
  size_t size = type < 0 ? 0 : H5Tget_size(type);
  bool fixed = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
  enum sciara_status status = SCIARA_OK;
  if (!fixed || size == 0 || size > TEXT_LIMIT || H5Aget_storage_size(attribute) != size)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: attribute %s is not one text of fixed length", path, name);
  else if (!(*out = (char *)calloc(1, size + 1)))
    status = sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for the %zu bytes of attribute %s", path, size, name);
  else if (H5Aread(attribute, type, *out) < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_INPUT, path, "cannot read attribute %s", name);
  if (type >= 0) H5Tclose(type);
  return status;
}

enum sciara_status sciara_hdf5_get_text(hid_t object, const char *path, const char *name, char **out) {
  *out = NULL;
  htri_t exists = H5Aexists(object, name);
  if (exists == 0) return SCIARA_OK;
  hid_t attribute = exists < 0 ? H5I_INVALID_HID : H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0) return sciara_hdf5_fail(SCIARA_ERR_INPUT, path, "cannot open attribute %s", name);
  enum sciara_status status = read_text(attribute, path, name, out);
  H5Aclose(attribute);
  if (status != SCIARA_OK) {
    free(*out);
    *out = NULL;
  }
  return status;
}

enum sciara_status sciara_hdf5_get_hex(hid_t object, const char *path, const char *name, uint64_t *out) {
  char *text;
  enum sciara_status status = SCIARA_OK;
  SCIARA_TRY(sciara_hdf5_get_text(object, path, name, &text));
  if (!text || !sciara_csv_hash(text, out))
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: attribute %s: expected 16 hexadecimal digits, found %s", path, name,
                         text ? text : "nothing");
  free(text);
  return status;
}

static enum sciara_status get(hid_t object, const char *path, const char *name, H5T_class_t expected, hid_t memory_type,
                              void *out) {
  htri_t exists = H5Aexists(object, name);
  if (exists == 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: there is no attribute %s: not a snapshot of this program", path, name);
  hid_t attribute = exists < 0 ? H5I_INVALID_HID : H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0) return sciara_hdf5_fail(SCIARA_ERR_INPUT, path, "cannot open attribute %s", name);
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  enum sciara_status status = SCIARA_OK;
  if (type < 0 || space < 0 || H5Tget_class(type) != expected || H5Sget_simple_extent_npoints(space) != 1)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: attribute %s is not one %s", path, name,
                         expected == H5T_FLOAT ? "floating-point number" : "integer");
  else if (H5Aread(attribute, memory_type, out) < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_INPUT, path, "cannot read attribute %s", name);
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  H5Aclose(attribute);
  return status;
}

enum sciara_status sciara_hdf5_get_double(hid_t object, const char *path, const char *name, double *out) {
  return get(object, path, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, out);
}

enum sciara_status sciara_hdf5_get_int64(hid_t object, const char *path, const char *name, int64_t *out) {
  return get(object, path, name, H5T_INTEGER, H5T_NATIVE_INT64, out);
}

// ------------------------------------------------------------------------------------------------------------- turns

static pthread_mutex_t turns = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static size_t in_use;             // bytes
static uint64_t came, next_to_go; // writers that have come; the number of the one that enters next

void sciara_write_enter(size_t bytes) {
  pthread_mutex_lock(&turns);
  const uint64_t number = came++;
  while (number != next_to_go || (in_use > 0 && (in_use > SCIARA_WRITE_BUDGET || bytes > SCIARA_WRITE_BUDGET - in_use)))
    pthread_cond_wait(&changed, &turns);
  in_use += bytes;
  next_to_go++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&turns);
}

void sciara_write_leave(size_t bytes) {
  pthread_mutex_lock(&turns);
  in_use -= bytes;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&turns);
}
