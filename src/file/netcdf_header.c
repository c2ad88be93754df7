// SPDX-License-Identifier: Apache-2.0
// The header of NetCDF's classic formats, as Unidata's "NetCDF Classic Format Specification" and its extension for CDF-5 describe it
// (docs.unidata.ucar.edu/netcdf-c, appendix "File Format Specifications"). libnetcdf trusts many of the numbers in it and
// crashes on others, so it is checked before GDAL opens the file. NetCDF-4 files are HDF5 (hdf5_file.h).
#include "file/gdal_support.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"

enum {
  TAG_DIMENSIONS = 10,
  TAG_VARIABLES = 11,
  TAG_ATTRIBUTES = 12,
  LONGEST_NAME = 256, // NC_MAX_NAME and NC_MAX_VAR_DIMS: no library writes more, and readers have arrays of that size
  MOST_DIMENSIONS = 1024,
  CDF5 = 5,
};

/** A header that is being read. Sizes and offsets in the file are in bytes; UINT64_MAX stands for any that overflow. */
struct header {
  const char *path;
  int fd, version;
  uint64_t size, at;  ///< of the file; of the next byte
  uint64_t buffer_at; ///< offset of the first byte of the buffer
  size_t buffered;
  unsigned char buffer[4096];
  char part[96];     ///< what is being read: "attribute 2 of variable 1"
  uint64_t records;  ///< declared
  uint64_t *lengths; ///< of each dimension; 0: the record dimension
  uint64_t dimensions;
  uint64_t first, first_named_at;                          ///< begin of the first values, and where it is stated
  uint64_t record_variables, record_size, one_record_size; ///< with padding; without, of the last record variable
  uint64_t record_end;                                     ///< end of the values of the first record
};

static uint64_t add(uint64_t a, uint64_t b) { return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a; }
static uint64_t multiply(uint64_t a, uint64_t b) { return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a; }
static uint64_t padded(uint64_t size) { return add(size, 3) == UINT64_MAX ? UINT64_MAX : (size + 3) / 4 * 4; }

static enum sciara_status refuse_header(const struct header *h, uint64_t at, const char *format, ...)
    SCIARA_PRINTF(3, 4);

/** The format continues "expected". */
static enum sciara_status refuse_header(const struct header *h, uint64_t at, const char *format, ...) {
  char text[200];
  va_list values;
  va_start(values, format);
  sciara_vprint(text, sizeof text, format, values);
  va_end(values);
  return sciara_fail(SCIARA_ERR_INPUT, "%s: header of a NetCDF file (CDF-%d), byte %" PRIu64 ", %s: expected %s",
                     h->path, h->version, at, h->part, text);
}

/** Width of counts and lengths. */
static int width(const struct header *h) { return h->version == CDF5 ? 8 : 4; }

/** The byte at h->at, which is in the file. */
static enum sciara_status take_byte(struct header *h, unsigned char *out) {
  if (h->at < h->buffer_at || h->at >= h->buffer_at + h->buffered) {
    ssize_t found;
    do {
      found = pread(h->fd, h->buffer, sizeof h->buffer, (off_t)h->at);
    } while (found < 0 && errno == EINTR);
    if (found <= 0)
      return sciara_fail(SCIARA_ERR_IO, "%s: cannot read: %s", h->path, found ? strerror(errno) : "it became shorter");
    h->buffer_at = h->at;
    h->buffered = (size_t)found;
  }
  *out = h->buffer[h->at++ - h->buffer_at];
  return SCIARA_OK;
}

static enum sciara_status skip(struct header *h, uint64_t bytes, const char *what) {
  if (bytes > h->size - h->at) return refuse_header(h, h->at, "%s, found the end of the file", what);
  h->at += bytes;
  return SCIARA_OK;
}

/** A number of `bytes` bytes, the most significant first. */
static enum sciara_status take(struct header *h, int bytes, const char *what, uint64_t *out) {
  const uint64_t at = h->at;
  SCIARA_TRY(skip(h, (uint64_t)bytes, what));
  h->at = at;
  *out = 0;
  for (int k = 0; k < bytes; k++) {
    unsigned char byte = 0;
    SCIARA_TRY(take_byte(h, &byte));
    *out = *out << 8 | byte;
  }
  return SCIARA_OK;
}

/** The number of elements that follow, each of at least `least` bytes. */
static enum sciara_status take_count(struct header *h, uint64_t least, const char *what, uint64_t *out) {
  const uint64_t at = h->at;
  SCIARA_TRY(take(h, width(h), what, out));
  const uint64_t most = (h->size - h->at) / least;
  if (*out <= most) return SCIARA_OK;
  return refuse_header(h, at, "%s up to %" PRIu64 ", for which the file has room, found %" PRIu64, what, most, *out);
}

/** The beginning of a list; one that is absent has the tag 0 and no elements. */
static enum sciara_status take_list(struct header *h, uint64_t tag, uint64_t least, uint64_t *count) {
  const uint64_t at = h->at;
  uint64_t found;
  SCIARA_TRY(take(h, 4, "the tag of a list", &found));
  SCIARA_TRY(take_count(h, least, "a number of elements", count));
  if (found == tag || (found == 0 && *count == 0)) return SCIARA_OK;
  return refuse_header(h, at, "the tag %" PRIu64 " (or 0 and no elements), found %" PRIu64 " and %" PRIu64, tag, found,
                       *count);
}

static enum sciara_status take_name(struct header *h) {
  const uint64_t at = h->at;
  uint64_t length;
  SCIARA_TRY(take_count(h, 1, "a length of the name", &length));
  if (length == 0 || length > LONGEST_NAME)
    return refuse_header(h, at, "a name of 1 to %d bytes, found %" PRIu64, LONGEST_NAME, length);
  for (uint64_t k = 0; k < length; k++) {
    unsigned char byte = 0;
    SCIARA_TRY(take_byte(h, &byte));
    if (byte == 0) return refuse_header(h, h->at - 1, "a name without zero bytes, found one");
  }
  return skip(h, padded(length) - length, "the padding of a name");
}

/** The least size of a name with its length, in any format. */
static uint64_t least_name(const struct header *h) { return (uint64_t)width(h) + 4; }

/** A type, and the size of its values. Unsigned and 64-bit integers are in CDF-5 alone. */
static enum sciara_status take_type(struct header *h, uint64_t *size) {
  static const unsigned char sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
  const uint64_t at = h->at, most = h->version == CDF5 ? 11 : 6;
  uint64_t type;
  SCIARA_TRY(take(h, 4, "a type", &type));
  if (type == 0 || type > most) return refuse_header(h, at, "a type from 1 to %" PRIu64 ", found %" PRIu64, most, type);
  *size = sizes[type];
  return SCIARA_OK;
}

static enum sciara_status read_dimensions(struct header *h) {
  bool has_record = false;
  snprintf(h->part, sizeof h->part, "dimensions");
  SCIARA_TRY(take_list(h, TAG_DIMENSIONS, least_name(h) + (uint64_t)width(h), &h->dimensions));
  SCIARA_TRY(SCIARA_NEW(h->lengths, h->dimensions, "lengths of the dimensions of a NetCDF file"));
  for (uint64_t k = 0; k < h->dimensions; k++) {
    snprintf(h->part, sizeof h->part, "dimension %" PRIu64, k + 1);
    SCIARA_TRY(take_name(h));
    const uint64_t at = h->at;
    SCIARA_TRY(take(h, width(h), "a length", &h->lengths[k]));
    if (h->lengths[k] > INT64_MAX)
      return refuse_header(h, at, "a length of at most 2^63 - 1, found %" PRIu64, h->lengths[k]);
    if (h->lengths[k] == 0 && has_record)
      return refuse_header(h, at, "at most one record dimension, found a second length 0");
    has_record = has_record || h->lengths[k] == 0;
  }
  return SCIARA_OK;
}

/** The attributes of the variable, counted from 1; of the file for 0. */
static enum sciara_status read_attributes(struct header *h, uint64_t variable) {
  uint64_t count = 0, values = 0, size = 1;
  const int numbers = width(h);
  char of[40] = "";
  if (variable) snprintf(of, sizeof of, " of variable %" PRIu64, variable);
  snprintf(h->part, sizeof h->part, "attributes%s", of);
  SCIARA_TRY(take_list(h, TAG_ATTRIBUTES, least_name(h) + 4 + (uint64_t)numbers, &count));
  for (uint64_t k = 0; k < count; k++) {
    snprintf(h->part, sizeof h->part, "attribute %" PRIu64 "%s", k + 1, of);
    SCIARA_TRY(take_name(h));
    SCIARA_TRY(take_type(h, &size));
    SCIARA_TRY(take_count(h, size, "a number of values", &values));
    SCIARA_TRY(skip(h, padded(values * size), "the padding of an attribute"));
  }
  return SCIARA_OK;
}

/** The dimensions of a variable: how many values it has, in each record if its first dimension is that of records. */
static enum sciara_status read_shape(struct header *h, uint64_t *values, bool *in_records) {
  const uint64_t at = h->at;
  uint64_t count, id;
  SCIARA_TRY(take_count(h, (uint64_t)width(h), "a number of dimensions", &count));
  if (count > MOST_DIMENSIONS)
    return refuse_header(h, at, "at most %d dimensions, found %" PRIu64, MOST_DIMENSIONS, count);
  *values = 1;
  *in_records = false;
  for (uint64_t k = 0; k < count; k++) {
    const uint64_t id_at = h->at;
    SCIARA_TRY(take(h, width(h), "a dimension", &id));
    if (id >= h->dimensions)
      return refuse_header(h, id_at, "a dimension below %" PRIu64 ", found %" PRIu64, h->dimensions, id);
    if (h->lengths[id] == 0 && k > 0)
      return refuse_header(h, id_at, "the record dimension first, found it as dimension %" PRIu64, k + 1);
    if (h->lengths[id] == 0)
      *in_records = true;
    else
      *values = multiply(*values, h->lengths[id]);
  }
  return SCIARA_OK;
}

/** What takes too long for the file: it is truncated, or its numbers are damaged. */
static enum sciara_status refuse_size(const struct header *h, uint64_t at, uint64_t end) {
  if (end == UINT64_MAX)
    return refuse_header(h, at, "values in the %" PRIu64 " bytes of the file, found too many", h->size);
  return refuse_header(h, at, "values to byte %" PRIu64 ", found a file of %" PRIu64 " bytes: it may be truncated", end,
                       h->size);
}

static enum sciara_status read_variable(struct header *h, uint64_t number) {
  uint64_t values = 0, size = 0, stated, begin = 0;
  bool in_records = false;
  SCIARA_TRY(take_name(h));
  SCIARA_TRY(read_shape(h, &values, &in_records));
  SCIARA_TRY(read_attributes(h, number));
  snprintf(h->part, sizeof h->part, "variable %" PRIu64, number);
  SCIARA_TRY(take_type(h, &size));
  SCIARA_TRY(take(h, width(h), "a size", &stated)); // redundant, and wrong in some files: libraries ignore it
  const uint64_t at = h->at;
  SCIARA_TRY(take(h, h->version == 1 ? 4 : 8, "the offset of the values", &begin));
  if (begin < h->first) {
    h->first = begin;
    h->first_named_at = at;
  }
  size = multiply(values, size);
  const uint64_t end = add(begin, size);
  if (!in_records) return end > h->size ? refuse_size(h, at, end) : SCIARA_OK;
  h->record_variables++;
  h->one_record_size = size;
  h->record_size = add(h->record_size, padded(size));
  if (end > h->record_end) h->record_end = end;
  return SCIARA_OK;
}

static enum sciara_status read_variables(struct header *h) {
  const uint64_t numbers = (uint64_t)width(h), begin = h->version == 1 ? 4 : 8;
  uint64_t count;
  snprintf(h->part, sizeof h->part, "variables");
  h->first = UINT64_MAX;
  SCIARA_TRY(take_list(h, TAG_VARIABLES, least_name(h) + numbers + 4 + numbers + 4 + numbers + begin, &count));
  for (uint64_t k = 0; k < count; k++) {
    snprintf(h->part, sizeof h->part, "variable %" PRIu64, k + 1);
    SCIARA_TRY(read_variable(h, k + 1));
  }
  if (h->first >= h->at) return SCIARA_OK;
  return refuse_header(h, h->first_named_at,
                       "values after the header, from byte %" PRIu64 ", found them at byte %" PRIu64, h->at, h->first);
}

/** Records follow each other; those of a single variable are not padded. */
static enum sciara_status check_records(struct header *h) {
  if (h->record_variables == 0 || h->records == 0) return SCIARA_OK;
  const uint64_t size = h->record_variables == 1 ? h->one_record_size : h->record_size;
  const uint64_t end = add(h->record_end, multiply(h->records - 1, size));
  snprintf(h->part, sizeof h->part, "number of records");
  if (h->records == (h->version == CDF5 ? UINT64_MAX : UINT32_MAX))
    return refuse_header(h, 4,
                         "a number of records, found the mark of an unknown number (streaming), which cannot be read");
  return end > h->size ? refuse_size(h, 4, end) : SCIARA_OK;
}

static enum sciara_status read_header(struct header *h) {
  h->at = 4;
  snprintf(h->part, sizeof h->part, "number of records");
  SCIARA_TRY(take(h, width(h), "a number", &h->records));
  SCIARA_TRY(read_dimensions(h));
  SCIARA_TRY(read_attributes(h, 0));
  SCIARA_TRY(read_variables(h));
  return check_records(h);
}

enum sciara_status sciara_netcdf_check_header(const char *path) {
  struct header h = {.path = path};
  struct stat about;
  unsigned char magic[4];
  SCIARA_TRY(sciara_input_open(path, &h.fd));
  enum sciara_status status = SCIARA_OK;
  const bool classic = fstat(h.fd, &about) == 0 && pread(h.fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
                       memcmp(magic, "CDF", 3) == 0 && (magic[3] == 1 || magic[3] == 2 || magic[3] == CDF5);
  if (classic) {
    h.version = magic[3];
    h.size = (uint64_t)about.st_size;
    status = read_header(&h);
  }
  sciara_free(h.lengths);
  close(h.fd);
  return status;
}
