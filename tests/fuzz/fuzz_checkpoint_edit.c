// SPDX-License-Identifier: Apache-2.0
#include "fuzz_checkpoint.h"

#include <hdf5.h>

#include "file/hdf5_file.h"
#include "fuzz.h"
#include "store/checkpoint_hdf5.h"

enum { MOST_EDITS = 64, FIELDS = 9 };
enum what { NUMBER, LETTER, WORD, NO_ATTRIBUTE, NO_FIELD, OTHER_SHAPE, CORRECT, WHATS };

static const char *const fields[FIELDS] = {"z", "h", "T", "px", "py", "lost", "arrival", "max_h", "max_speed"};

struct edit {
  uint8_t what, which;
  uint16_t where;
  uint64_t value;
};

static bool take(const uint8_t **script, size_t *size, struct edit *out) {
  const uint8_t *s = *script;
  if (*size < 12) return false;
  *out = (struct edit){.what = s[0] % WHATS, .which = s[1], .where = (uint16_t)(s[2] | s[3] << 8)};
  for (int k = 0; k < 8; k++) out->value |= (uint64_t)s[4 + k] << 8 * k;
  *script += 12;
  *size -= 12;
  return true;
}

static hsize_t attribute_count(hid_t file) {
  H5O_info_t about;
  return H5Oget_info2(file, &about, H5O_INFO_NUM_ATTRS) < 0 ? 0 : about.num_attrs;
}

/** A number gets these 64 bits, a text another letter. */
static void change_attribute(hid_t file, const struct edit *e) {
  const hsize_t count = attribute_count(file);
  if (count == 0) return;
  const hid_t attribute =
      H5Aopen_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, e->which % count, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t type = H5Aget_type(attribute);
  const size_t size = H5Tget_size(type);
  const bool is_text = H5Tget_class(type) == H5T_STRING;
  char *bytes = size > 0 ? (char *)malloc(size) : NULL;
  if (bytes && is_text == (e->what == LETTER) && (is_text || size == sizeof e->value) &&
      H5Aread(attribute, type, bytes) >= 0) {
    if (is_text)
      bytes[e->where % size] = (char)e->value;
    else
      memcpy(bytes, &e->value, sizeof e->value);
    H5Awrite(attribute, type, bytes);
  }
  free(bytes);
  H5Tclose(type);
  H5Aclose(attribute);
}

static void change_word(hid_t file, const struct edit *e) {
  const hid_t dataset = H5Dopen2(file, fields[e->which % FIELDS], H5P_DEFAULT);
  if (dataset < 0) return;
  const hid_t space = H5Dget_space(dataset), memory = H5Screate(H5S_SCALAR);
  hsize_t dims[2] = {1, 1};
  if (H5Sget_simple_extent_ndims(space) == 2)
    H5Sget_simple_extent_dims(space, dims, NULL); // an edit may have changed its rank
  const hsize_t at[2] = {e->where / dims[1] % dims[0], e->where % dims[1]};
  if (H5Sselect_elements(space, H5S_SELECT_SET, 1, at) >= 0)
    H5Dwrite(dataset, H5T_NATIVE_UINT64, memory, space, H5P_DEFAULT, &e->value);
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(dataset);
}

/** A field of up to 16 x 16 words, or of another type. */
static void change_shape(hid_t file, const struct edit *e) {
  const char *name = fields[e->which % FIELDS];
  const hsize_t dims[2] = {1 + e->where % 16u, 1 + e->where / 16u % 16u};
  const hid_t types[] = {H5T_STD_U64LE, H5T_STD_U64BE, H5T_IEEE_F64LE, H5T_STD_U32LE};
  const hid_t space = H5Screate_simple(1 + (int)(e->value >> 8 & 1), dims, NULL);
  H5Ldelete(file, name, H5P_DEFAULT);
  const hid_t dataset = H5Dcreate2(file, name, types[e->value % 4], space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (dataset >= 0) H5Dclose(dataset);
  H5Sclose(space);
}

static void change(hid_t file, const struct edit *e) {
  switch ((enum what)e->what) {
    case NUMBER:
    case LETTER: change_attribute(file, e); return;
    case WORD: change_word(file, e); return;
    case NO_ATTRIBUTE: {
      const hsize_t count = attribute_count(file);
      if (count > 0) H5Adelete_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, e->which % count, H5P_DEFAULT);
      return;
    }
    case NO_FIELD: H5Ldelete(file, fields[e->which % FIELDS], H5P_DEFAULT); return;
    case OTHER_SHAPE: change_shape(file, e); return;
    case CORRECT:
    case WHATS: return;
  }
}

static void set_text(const char *path, const char *name, const char *text) {
  struct sciara_hdf5_session session;
  sciara_hdf5_begin(&session);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t attribute = file < 0 ? H5I_INVALID_HID : H5Aopen(file, name, H5P_DEFAULT);
  if (attribute >= 0) {
    const hid_t type = H5Aget_type(attribute);
    if (H5Tget_size(type) == strlen(text)) H5Awrite(attribute, type, text);
    H5Tclose(type);
    H5Aclose(attribute);
  }
  if (file >= 0) H5Fclose(file);
  sciara_hdf5_end(&session);
}

/** Corrects the checksums that a diagnostic names: then a fault must be noticed by other means, or do no harm. */
static void correct_checksums(const char *path) {
  static const char said[] = "the checksum ";
  for (int tries = 0; tries < 3; tries++) {
    struct sciara_checkpoint c;
    if (sciara_checkpoint_verify(path, &c) == SCIARA_OK) {
      sciara_checkpoint_free(&c);
      return;
    }
    const char *at = strstr(sciara_last_error(), said);
    if (!at) return;
    char digits[17];
    snprintf(digits, sizeof digits, "%.16s", at + sizeof said - 1);
    set_text(path, strstr(sciara_last_error(), "fields") ? "words" : "header_checksum", digits);
  }
}

void fuzz_checkpoint_edit(const char *path, const uint8_t *script, size_t size) {
  struct sciara_hdf5_session session;
  struct edit e;
  bool corrects = false;
  sciara_hdf5_begin(&session);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  FUZZ_REQUIRE(file >= 0);
  for (int k = 0; k < MOST_EDITS && take(&script, &size, &e); k++) {
    change(file, &e);
    corrects = corrects || e.what == CORRECT;
  }
  FUZZ_REQUIRE(H5Fclose(file) >= 0);
  sciara_hdf5_end(&session);
  if (corrects) correct_checksums(path);
}
