// SPDX-License-Identifier: Apache-2.0
// The file system /vsisciara/.
#include "file/gdal_support.h"

#include <cpl_minixml.h>
#include <cpl_vsi.h>
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "file/durable.h"

enum { MOST_TEXT = 16 << 20 }; // bytes of a .prj or .aux.xml

/**
 * Extensions of files that belong to an input of the same name: CRS and world file; header of a .bil or .flt; raw part
 * of an .img; parts of a Shapefile and of a MapInfo file. Overviews are not among them: they are separate datasets in
 * any format, and are not needed.
 */
static const char *const siblings[] = {"prj", "tfw", "tifw", "tiffw", "wld", "hdr", "stx", "clr",
                                       "ige", "shp", "shx",  "dbf",   "cpg", "qix", "sbn", "sbx",
                                       "tab", "dat", "map",  "id",    "ind", "mif", "mid"};
// After the complete name:
static const char described[] = ".aux.xml"; ///< statistics, CRS and the like, by GDAL
static const char mask[] = ".msk";          ///< NODATA, as a GeoTIFF; GDAL would take any format

/** An input that is being read. */
struct input {
  char *name;     ///< for GDAL
  char used[256]; ///< names of its siblings that GDAL has opened, each after ", "
  struct input *next;
};

static struct {
  pthread_mutex_t lock;
  struct input *first;
} inputs = {.lock = PTHREAD_MUTEX_INITIALIZER};

/** Whether the file `base` belongs to the input whose name is `input`, both without their folder. */
static bool belongs(const char *input, const char *base) {
  const size_t whole = strlen(input), stem = sciara_path_stem(input);
  const char *rest = base + whole;
  if (strncmp(base, input, whole) == 0 && (!*rest || strcmp(rest, described) == 0 || strcmp(rest, mask) == 0))
    return true;
  if (strncmp(base, input, stem) != 0 || base[stem] != '.') return false;
  for (size_t i = 0; i < sizeof siblings / sizeof *siblings; i++)
    if (strcasecmp(base + stem + 1, siblings[i]) == 0) return true;
  return false;
}

/** Whether `path` is an input that is being read, or a sibling of one. */
static bool is_allowed(const char *path) {
  bool found = false;
  const char *base = sciara_path_name(path);
  pthread_mutex_lock(&inputs.lock);
  for (const struct input *f = inputs.first; f && !found; f = f->next) {
    const char *input = f->name + strlen(SCIARA_GDAL_FILES), *input_base = sciara_path_name(input);
    found = base - path == input_base - input && strncmp(path, input, (size_t)(base - path)) == 0 &&
            belongs(input_base, base);
  }
  pthread_mutex_unlock(&inputs.lock);
  return found;
}

/** Notes that GDAL has opened a file; names that do not fit are left out. */
static void note_opened(const char *path) {
  const char *base = sciara_path_name(path);
  pthread_mutex_lock(&inputs.lock);
  for (struct input *f = inputs.first; f; f = f->next) {
    const char *input = f->name + strlen(SCIARA_GDAL_FILES), *input_base = sciara_path_name(input);
    const size_t used = strlen(f->used);
    if (strcmp(path, input) == 0 || base - path != input_base - input ||
        strncmp(path, input, (size_t)(base - path)) != 0 || !belongs(input_base, base) || strstr(f->used, base))
      continue;
    if (used + strlen(base) + 3 <= sizeof f->used) snprintf(f->used + used, sizeof f->used - used, ", %s", base);
  }
  pthread_mutex_unlock(&inputs.lock);
}

static bool is_mask(const char *path) {
  const size_t length = strlen(path), suffix = strlen(mask);
  return length > suffix && strcmp(path + length - suffix, mask) == 0;
}

/** Whether a file begins like a TIFF or a BigTIFF. */
static bool is_tiff(int fd) {
  char found[4];
  return pread(fd, found, sizeof found, 0) == (ssize_t)sizeof found &&
         (memcmp(found, "II*", 4) == 0 || memcmp(found, "MM\0*", 4) == 0 || memcmp(found, "II+", 4) == 0 ||
          memcmp(found, "MM\0+", 4) == 0);
}

static int stat_file(void *unused, const char *path, VSIStatBufL *out, int flags) {
  (void)unused;
  (void)flags;
  struct stat about;
  if (!is_allowed(path) || stat(path, &about) != 0 || !S_ISREG(about.st_mode)) {
    errno = ENOENT;
    return -1;
  }
  out->st_mode = about.st_mode;
  out->st_size = about.st_size;
  out->st_mtime = about.st_mtime;
  return 0;
}

/**
 * A file that GDAL reads. They are not allocated: GDAL treats a sibling that cannot be opened like a missing one, so a
 * lack of memory would not be noticed.
 */
struct open_file {
  int fd;
  bool used, at_end;
};
enum { MOST_OPEN = 256 };
static struct open_file files[MOST_OPEN]; ///< guarded by inputs.lock

static struct open_file *take_entry(int fd) {
  struct open_file *f = NULL;
  pthread_mutex_lock(&inputs.lock);
  for (size_t k = 0; k < MOST_OPEN && !f; k++)
    if (!files[k].used) f = &files[k];
  if (f) *f = (struct open_file){.fd = fd, .used = true};
  pthread_mutex_unlock(&inputs.lock);
  return f;
}

static void *open_file(void *unused, const char *path, const char *access) {
  (void)unused;
  int fd;
  if (strpbrk(access, "wa+")) {
    errno = EROFS;
    return NULL;
  }
  if (is_allowed(path) && sciara_input_open(path, &fd) == SCIARA_OK) {
    struct open_file *f = is_mask(path) && !is_tiff(fd) ? NULL : take_entry(fd);
    if (f) {
      note_opened(path);
      return f;
    }
    close(fd);
  }
  errno = ENOENT;
  return NULL;
}

static int close_file(void *file) {
  struct open_file *f = (struct open_file *)file;
  const int result = close(f->fd);
  pthread_mutex_lock(&inputs.lock);
  f->used = false;
  pthread_mutex_unlock(&inputs.lock);
  return result;
}

static vsi_l_offset position_in_file(void *file) {
  return (vsi_l_offset)lseek(((const struct open_file *)file)->fd, 0, SEEK_CUR);
}

static int seek_file(void *file, vsi_l_offset offset, int whence) {
  struct open_file *f = (struct open_file *)file;
  f->at_end = false;
  return lseek(f->fd, (off_t)offset, whence) < 0 ? -1 : 0;
}

static size_t read_file(void *file, void *buffer, size_t size, size_t count) {
  struct open_file *f = (struct open_file *)file;
  size_t done = 0, whole;
  if (size == 0 || __builtin_mul_overflow(size, count, &whole)) return 0;
  while (done < whole) {
    const ssize_t n = read(f->fd, (char *)buffer + done, whole - done);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) f->at_end = true;
    if (n <= 0) break;
    done += (size_t)n;
  }
  return done / size;
}

static int is_at_end(void *file) { return ((const struct open_file *)file)->at_end; }

void sciara_gdal_files_install(void) {
  VSIFilesystemPluginCallbacksStruct *calls = VSIAllocFilesystemPluginCallbacksStruct();
  if (!calls) return; // then no input can be opened
  calls->stat = stat_file;
  calls->open = open_file;
  calls->close = close_file;
  calls->tell = position_in_file;
  calls->seek = seek_file;
  calls->read = read_file;
  calls->eof = is_at_end;
  VSIInstallPluginHandler(SCIARA_GDAL_FILES, calls);
  VSIFreeFilesystemPluginCallbacksStruct(calls);
}

/** Checks every text of an XML document as GDAL will see it, with entities replaced. */
static enum sciara_status check_xml(const char *path, const CPLXMLNode *node) {
  for (; node; node = node->psNext) {
    if (node->pszValue) SCIARA_TRY(sciara_crs_text_check(path, node->pszValue));
    SCIARA_TRY(check_xml(path, node->psChild));
  }
  return SCIARA_OK;
}

static enum sciara_status check_mask(const char *path) {
  int fd;
  SCIARA_TRY(sciara_input_open(path, &fd));
  const bool good = is_tiff(fd);
  close(fd);
  return good ? SCIARA_OK
              : sciara_fail(SCIARA_ERR_INPUT, "%s: expected a TIFF for the mask of a raster, found another format",
                            path);
}

/** Checks that a sibling is a file, and contains no CRS that would make PROJ open another file. */
static enum sciara_status check_sibling(const char *path, bool is_xml, bool has_crs) {
  char *text = NULL;
  size_t length;
  if (is_mask(path)) return check_mask(path);
  SCIARA_TRY(sciara_input_check(path));
  if (!has_crs) return SCIARA_OK;
  SCIARA_TRY(sciara_file_read(path, MOST_TEXT, &text, &length));
  CPLXMLNode *root = is_xml ? CPLParseXMLString(text) : NULL; // GDAL also ignores what is not XML
  const enum sciara_status status = is_xml ? check_xml(path, root) : sciara_crs_text_check(path, text);
  CPLDestroyXMLNode(root);
  free(text);
  return status;
}

/**
 * Checks the file whose name is the first `stem` characters of `path` and `suffix`, if there is one; `name` has room.
 */
static enum sciara_status check_if_there(const char *path, size_t stem, const char *suffix, char *name) {
  struct stat about;
  memcpy(name, path, stem);
  memcpy(name + stem, suffix, strlen(suffix) + 1);
  if (strcmp(name, path) == 0 || lstat(name, &about) != 0) return SCIARA_OK;
  const bool is_xml = strcmp(suffix, described) == 0;
  return check_sibling(name, is_xml, is_xml || strcasecmp(suffix, ".prj") == 0);
}

static enum sciara_status check_siblings(const char *path) {
  const size_t whole = strlen(path), stem = sciara_path_stem(path);
  char suffix[16], *name = (char *)malloc(whole + sizeof suffix);
  if (!name) return sciara_no_memory("a path");
  enum sciara_status status = check_if_there(path, whole, described, name);
  if (status == SCIARA_OK) status = check_if_there(path, whole, mask, name);
  for (size_t i = 0; status == SCIARA_OK && i < sizeof siblings / sizeof *siblings; i++) {
    snprintf(suffix, sizeof suffix, ".%s", siblings[i]);
    status = check_if_there(path, stem, suffix, name);
    for (char *c = suffix; *c; c++) *c = (char)toupper((unsigned char)*c);
    if (status == SCIARA_OK) status = check_if_there(path, stem, suffix, name);
  }
  free(name);
  return status;
}

/** Reads the first bytes of a file; fewer if it is shorter. */
static enum sciara_status read_start(const char *path, char *out, size_t size) {
  int fd;
  memset(out, 0, size);
  SCIARA_TRY(sciara_input_open(path, &fd));
  const ssize_t n = pread(fd, out, size, 0);
  close(fd);
  return n >= 0 ? SCIARA_OK : sciara_fail(SCIARA_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
}

static enum sciara_status fail_log(const char *path, const char *suffix) {
  struct sciara_text text = {0};
  const int stem = (int)sciara_path_stem(path);
  char *copy = sciara_format("%.*s-whole.gpkg", stem, path), *raster = sciara_format("%.*s-whole.tif", stem, path);
  enum sciara_status status = copy && raster ? sciara_text_append(&text, "ogr2ogr ") : SCIARA_ERR_MEMORY;
  if (status == SCIARA_OK) status = sciara_shell_quote(&text, copy);
  if (status == SCIARA_OK) status = sciara_text_append(&text, " ");
  if (status == SCIARA_OK) status = sciara_shell_quote(&text, path);
  if (status == SCIARA_OK) status = sciara_text_append(&text, "; of a raster: gdal_translate ");
  if (status == SCIARA_OK) status = sciara_shell_quote(&text, path);
  if (status == SCIARA_OK) status = sciara_text_append(&text, " ");
  if (status == SCIARA_OK) status = sciara_shell_quote(&text, raster);
  if (status == SCIARA_OK)
    status =
        sciara_fail(SCIARA_ERR_INPUT,
                    "%s: its latest changes are in %s%s: another program, such as QGIS, has it open or has not ended "
                    "properly. Close the file there, or make a copy with them: %s",
                    path, sciara_path_name(path), suffix, text.data);
  sciara_text_free(&text);
  free(copy);
  free(raster);
  return status;
}

/** Whether a regular file begins with these bytes; false if there is none. */
static bool begins(const char *path, size_t count, const char *with) {
  char start[16];
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode) && read_start(path, start, sizeof start) == SCIARA_OK &&
         memcmp(start, with, count) == 0;
}

/**
 * A GeoPackage is a database of SQLite, whose latest changes may be in a file beside it: a log of what is to be written, or a
 * journal of what has been overwritten (sqlite.org/fileformat2.html, 3 and 4). GDAL does not get to see that file here, and would
 * read an old or a broken state.
 */
static enum sciara_status check_log(const char *path) {
  static const struct {
    const char *suffix, *start;
    size_t count;
  } logs[] = {{"-wal", "\x37\x7f\x06\x82", 4},
              {"-wal", "\x37\x7f\x06\x83", 4},
              {"-journal", "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8}};
  enum sciara_status status = SCIARA_OK;
  if (!begins(path, 16, "SQLite format 3")) return SCIARA_OK;
  for (size_t k = 0; k < sizeof logs / sizeof *logs && status == SCIARA_OK; k++) {
    char *log = sciara_format("%s%s", path, logs[k].suffix);
    if (!log) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of %s", path);
    if (begins(log, logs[k].count, logs[k].start)) status = fail_log(path, logs[k].suffix);
    free(log);
  }
  return status;
}

static enum sciara_status add_input(const char *path, char **name) {
  struct input *input = (struct input *)malloc(sizeof *input);
  char *plain = sciara_gdal_plain_path(path);
  *name = plain ? sciara_format(SCIARA_GDAL_FILES "%s", plain) : NULL;
  free(plain);
  if (!input || !*name) {
    free(input);
    free(*name);
    *name = NULL;
    return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of %s", path);
  }
  *input = (struct input){.name = *name};
  pthread_mutex_lock(&inputs.lock);
  input->next = inputs.first;
  inputs.first = input;
  pthread_mutex_unlock(&inputs.lock);
  return SCIARA_OK;
}

enum sciara_status sciara_gdal_files_allow(const char *path, char **name) {
  *name = NULL;
  SCIARA_TRY(sciara_input_check(path));
  SCIARA_TRY(sciara_netcdf_check_header(path)); // also of a file that GDAL will open by its path
  SCIARA_TRY(check_siblings(path));
  SCIARA_TRY(check_log(path));
  return add_input(path, name);
}

void sciara_gdal_files_opened(const char *name, char *out, size_t capacity) {
  *out = '\0';
  pthread_mutex_lock(&inputs.lock);
  for (const struct input *f = inputs.first; f; f = f->next)
    if (f->name == name) snprintf(out, capacity, "%s", f->used);
  pthread_mutex_unlock(&inputs.lock);
}

void sciara_gdal_files_forbid(char *name) {
  if (!name) return;
  pthread_mutex_lock(&inputs.lock);
  struct input **link = &inputs.first, *found;
  while (*link && (*link)->name != name) link = &(*link)->next;
  found = *link;
  if (found) *link = found->next;
  pthread_mutex_unlock(&inputs.lock);
  free(found);
  free(name);
}

void sciara_gdal_files_strip(char *text) {
  const size_t prefix = strlen(SCIARA_GDAL_FILES);
  for (char *at = text; (at = strstr(at, SCIARA_GDAL_FILES));) memmove(at, at + prefix, strlen(at + prefix) + 1);
}
