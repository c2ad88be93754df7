// SPDX-License-Identifier: Apache-2.0
#include "file/first_bytes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/text.h"
#include "file/gdal_support.h"
#include "file/input_file.h"

static const char again[] = "copy or download it again";

/** Files that are recognised by how they begin. `command` is applied to the path and writes the file that is needed. */
static const struct {
  const char *begin;
  size_t length;
  const char *is, *cure, *command, *suffix; ///< the suffix that the command's file does not have
} kinds[] = {
    {"\x1f\x8b", 2, "is compressed by gzip", "unpack it with", "gzip -dc", ".gz"},
    {"BZh", 3, "is compressed by bzip2", "unpack it with", "bzip2 -dc", ".bz2"},
    {"\xfd"
     "7zXZ",
     5, "is compressed by xz", "unpack it with", "xz -dc", ".xz"},
    {"\x28\xb5\x2f\xfd", 4, "is compressed by zstd", "unpack it with", "zstd -dc", ".zst"},
    {"PK\x03\x04", 4, "is a ZIP archive; unpack it, and name the file in it", NULL, NULL, NULL},
    {"7z\xbc\xaf", 4, "is a 7-Zip archive; unpack it, and name the file in it", NULL, NULL, NULL},
    {"Rar!", 4, "is a RAR archive; unpack it, and name the file in it", NULL, NULL, NULL},
    {"%PDF", 4, "is a PDF document", NULL, NULL, NULL},
    {"version https://git-lfs.", 24, "is a Git LFS pointer, not the file itself; fetch that with: git lfs pull", NULL,
     NULL, NULL},
    {"\xef\xbb\xbf", 3, "begins with a byte order mark (UTF-8)", "remove it with", "tail -c +4", NULL},
    {"\xff\xfe", 2, "is text in UTF-16", "convert it with", "iconv -f UTF-16 -t ASCII", NULL},
    {"\xfe\xff", 2, "is text in UTF-16", "convert it with", "iconv -f UTF-16 -t ASCII", NULL},
    {"n\0c\0o\0l\0", 8, "is text in UTF-16", "convert it with", "iconv -f UTF-16LE -t ASCII", NULL},
    {"\0n\0c\0o\0l", 8, "is text in UTF-16", "convert it with", "iconv -f UTF-16BE -t ASCII", NULL},
};

static bool begins_as(const char *text, const char *word) { return strncasecmp(text, word, strlen(word)) == 0; }

/** A file of text, after a byte order mark and blanks; NULL: nothing is remarkable. */
static const char *explain_text(const char *text) {
  if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
  while (isspace((unsigned char)*text)) text++;
  if (begins_as(text, "<!doctype html") || begins_as(text, "<html") || begins_as(text, "<head"))
    return "is a web page (HTML), perhaps of a login or of an error";
  return begins_as(text, "<?xml") ? "is an XML document, perhaps the error of a server" : NULL;
}

/** Whether the header of an ASCII grid has commas or semicolons where blanks are needed. */
static bool is_grid_with_commas(const char *text) {
  static const char key[] = "ncols";
  return begins_as(text, key) && strpbrk(text + strlen(key), ",;\n") && *strpbrk(text + strlen(key), ",;\n") != '\n';
}

/** " 'PATH' > 'TARGET'": the path without the suffix, or with "-plain" before its extension. */
static enum sciara_status append_files(const char *path, const char *suffix, struct sciara_text *out) {
  const size_t length = strlen(path), end = suffix ? strlen(suffix) : 0, stem = sciara_path_stem(path);
  char *target = end && length > end && strcasecmp(path + length - end, suffix) == 0
                     ? sciara_format("%.*s", (int)(length - end), path)
                     : sciara_format("%.*s-plain%s", (int)stem, path, path + stem);
  if (!target) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a command");
  enum sciara_status status = sciara_text_append(out, " ");
  if (status == SCIARA_OK) status = sciara_shell_quote(out, path);
  if (status == SCIARA_OK) status = sciara_text_append(out, " > ");
  if (status == SCIARA_OK) status = sciara_shell_quote(out, target);
  free(target);
  return status;
}

enum sciara_status sciara_first_bytes_explain(const char *path, struct sciara_text *out) {
  char text[256] = {0};
  int fd;
  SCIARA_TRY(sciara_input_open(path, &fd));
  const ssize_t length = pread(fd, text, sizeof text - 1, 0);
  close(fd);
  if (length < 0) return SCIARA_OK; // the reader has its own message
  if (length == 0) return sciara_text_append(out, "is empty (0 bytes); %s", again);
  const char *found = explain_text(text);
  if (found) return sciara_text_append(out, "%s; %s", found, again);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if ((size_t)length < kinds[k].length || memcmp(text, kinds[k].begin, kinds[k].length) != 0) continue;
    SCIARA_TRY(sciara_text_append(out, "%s", kinds[k].is));
    if (!kinds[k].command) return SCIARA_OK;
    SCIARA_TRY(sciara_text_append(out, "; %s: %s", kinds[k].cure, kinds[k].command));
    return append_files(path, kinds[k].suffix, out);
  }
  if (!is_grid_with_commas(text)) return SCIARA_OK;
  SCIARA_TRY(sciara_text_append(out, "has commas or semicolons in the header of an ASCII grid; replace them with: "
                                     "sed '/^[a-zA-Z]/s/[,;]/ /'"));
  return append_files(path, NULL, out);
}
