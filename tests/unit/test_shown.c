// SPDX-License-Identifier: Apache-2.0
// Claims about printable text (base/text.h): what a terminal would execute is escaped, all else stays; formats as of printf.
#include "base/text.h"
#include "support/owned.h"

static char *show(const char *text) {
  struct sciara_text t = {0};
  expect_ok(sciara_text_append(&t, "x"));
  expect_ok(sciara_text_show(&t, text));
  return t.data; // of one byte and what was shown
}

TEST(texts) {
  const struct {
    const char *text, *shown;
  } cases[] = {
      {"", ""},
      {"Bocca Nuova, \"2006\"", "Bocca Nuova, \"2006\""},
      {"\xc3\x84tna \xe5\x9c\xb0 \xf0\x9f\x8c\x8b \xd7\xa9\xd7\x9c",
       "\xc3\x84tna \xe5\x9c\xb0 \xf0\x9f\x8c\x8b \xd7\xa9\xd7\x9c"},
      {"\xe2\x80\x8d\xe2\x80\x8c", "\xe2\x80\x8d\xe2\x80\x8c"}, // joiners are part of spelling
      {"\xc2\xa0\xc2\xad", "\xc2\xa0\xc2\xad"},                 // the first beyond C1
      {"a\nb\tc\r", "a\\x0ab\\x09c\\x0d"},
      {"\033[2J\033]0;t\a", "\\x1b[2J\\x1b]0;t\\x07"},
      {"\x7f", "\\x7f"},
      {"\xc2\x9b"
       "31m",
       "\\u009b31m"}, // C1: the same as ESC [
      {"\xc2\x80 \xc2\x9f", "\\u0080 \\u009f"},
      {"a\xe2\x80\xae"
       "b",
       "a\\u202eb"},
      {"\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", "\\u061c\\u200e\\u200f"},
      {"\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
      {"\xe2\x80\xaa\xe2\x80\xab\xe2\x80\xac\xe2\x80\xad", "\\u202a\\u202b\\u202c\\u202d"},
      {"\xe2\x81\xa6\xe2\x81\xa7\xe2\x81\xa8\xe2\x81\xa9", "\\u2066\\u2067\\u2068\\u2069"},
      {"\xe4tna", "\\xe4tna"},
      {"\x9b"
       "31m",
       "\\x9b31m"},
      {"\xe2\x80", "\\xe2\\x80"},
      {"\xc0\x9b", "\\xc0\\x9b"},
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    OWNED(free_memory) char *shown = show(cases[k].text);
    ck_assert_str_eq(shown + 1, cases[k].shown);
  }
}

// Every character once: the result has no control character and is UTF-8.
TEST(all_characters) {
  size_t escaped = 0;
  for (uint32_t code = 1; code < 0x3000; code++) {
    char text[8] = {0};
    if (code < 0x80)
      text[0] = (char)code;
    else if (code < 0x800)
      snprintf(text, sizeof text, "%c%c", (int)(0xc0 | code >> 6), (int)(0x80 | (code & 0x3f)));
    else
      snprintf(text, sizeof text, "%c%c%c", (int)(0xe0 | code >> 12), (int)(0x80 | (code >> 6 & 0x3f)),
               (int)(0x80 | (code & 0x3f)));
    uint32_t found = 0;
    ck_assert_uint_eq(sciara_utf8_next(text, &found), strlen(text));
    ck_assert_uint_eq(found, code);
    OWNED(free_memory) char *shown = show(text);
    if (strcmp(shown + 1, text) != 0) {
      escaped++;
      ck_assert(sciara_is_control(code));
      for (const char *p = shown; *p; p++) ck_assert_int_ge(*p, 0x20);
    }
  }
  ck_assert_uint_eq(escaped, 31 + 33 + 1 + 2 + 7 + 10);
}

#define SAME(...)                                        \
  do {                                                   \
    struct sciara_text mine = {0}, theirs = {0};         \
    expect_ok(sciara_text_showf(&mine, __VA_ARGS__));    \
    expect_ok(sciara_text_append(&theirs, __VA_ARGS__)); \
    ck_assert_str_eq(mine.data, theirs.data);            \
    sciara_text_free(&mine);                             \
    sciara_text_free(&theirs);                           \
  } while (0)

TEST(formats) {
  SAME("plain, with a newline\nand 100 %%");
  SAME("%d|%5d|%-5d|%05d|%+d|% d|%.3d", 7, -7, 7, -7, 7, 7, 7);
  SAME("%u %x %X %o %#x %#o", 4000000000u, 255u, 255u, 8u, 255u, 8u);
  SAME("%ld %lu %lld %llu %zu %hd %hhu", -5000000000L, 5000000000UL, -6LL, 6ULL, SIZE_MAX, (short)-3,
       (unsigned char)200);
  SAME("%" PRId64 " %" PRIu64 " %016" PRIx64 " %10" PRId64 "|%-10" PRIu64 "|", INT64_MIN, UINT64_MAX,
       UINT64_C(0xa91e9a41510ca133), INT64_C(-1), UINT64_C(1));
  SAME("%f %.2f %8.3f %-9.4g| %.17g %e %G %10.5g", 1.5, 2.345, -1.0, 0.00012345, 0.1, 1e300, 1e-9, 3.0);
  SAME("%g %g %g", (double)INFINITY, -(double)INFINITY, 1e15);
  SAME("%s|%5s|%-5s|%.2s|%-6.3s|%*s|%-*s|%.*s", "ab", "ab", "ab", "abc", "abcd", 4, "x", 4, "y", 1, "zz");
  SAME("%c%5c%-3c|", 'a', 'b', 'c');
  SAME("%*d|%-*d|%.*f|%*.*g", 6, 42, 6, 42, 2, 3.14159, 9, 3, 2.0);
  SAME("%s%s", "", "");
}

TEST(formats_show) {
  struct sciara_text t = {0};
  expect_ok(sciara_text_showf(&t, "a\t%s\n%c", "b\033[1m\n", '\a'));
  ck_assert_str_eq(t.data, "a\tb\\x1b[1m\\x0a\n\\x07");
  sciara_text_free(&t);
  expect_ok(sciara_text_showf(&t, "%-5s|%5s|%.3s", "\xc3\xa8", "\xe2\x80\xae", "ab\xc3\xa8"));
  ck_assert_str_eq(t.data, "\xc3\xa8    |\\u202e|ab\\xc3");
  sciara_text_free(&t);
}

TEST(unknown_conversion) {
  OWNED(sciara_text_free) struct sciara_text t = {0};
  const char *volatile format = "%p"; // otherwise the compiler would notice
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
  ck_assert_int_eq(sciara_text_showf(&t, format, (void *)&t), SCIARA_ERR_INTERNAL);
  format = "%";
  ck_assert_int_eq(sciara_text_showf(&t, format), SCIARA_ERR_INTERNAL);
#pragma GCC diagnostic pop
}

static const char *printed(const char *format, ...) {
  static char out[200];
  va_list args;
  va_start(args, format);
  const int n = sciara_vprint(out, sizeof out, format, args);
  va_end(args);
  ck_assert_int_eq(n, (int)strlen(out));
  return out;
}

TEST(limits_cut_between_characters) {
  ck_assert_str_eq(printed("\"%.20s\"", "twenty characters..."), "\"twenty characters...\"");
  ck_assert_str_eq(printed("%.20s|%d", "twenty characters....", 7), "twenty characters...\u2026|7");
  const char *wide = "\u044f\u044f\u044f\u044f\u044f\u044f\u044f\u044f\u044f\u044f\u044f";
  ck_assert_str_eq(printed("a%.21s %s %5.1f %-3zu| %lld %c%%", wide, "b", 2.25, (size_t)9, -5ll, 'c'),
                   "a\u044f\u044f\u044f\u044f\u044f\u044f\u044f\u044f\u044f\u044f\u2026 b   2.2 9  | -5 c%");
  ck_assert_str_eq(printed("%.21s", wide + 1),
                   "\x8f\u044f\u044f\u044f\u044f\u044f\u044f\u044f\u044f\u044f\u044f"); // no UTF-8
  ck_assert_str_eq(printed("%.4s-%.2s", "20260510", "05"), "2026-05");                  // a part, not a limit
  ck_assert_str_eq(printed("%.*s %.20s", 3, wide, "b"), "\u044f\xd1 b");
  sciara_fail(SCIARA_ERR_INPUT, "found \"%.60s\"",
              "\u5bcc\u58eb\u5bae\u5e02\u7acb\u5927\u5bcc\u58eb\u5c0f\u5b66\u6821\u4f53\u80b2\u9928\u5225\u9928\u4e8c"
              "\u968e\u5165\u53e3\u524d\u5e83\u5834");
  ck_assert(sciara_is_utf8(sciara_last_error()));
  expect_said("\u2026\"");
}

TEST(what_has_no_room_ends_in_an_ellipsis) {
  char out[12];
  sciara_fit(out, sizeof out, "%s", "eleven char");
  ck_assert_str_eq(out, "eleven char");
  sciara_fit(out, sizeof out, "%s", "twelve chars");
  ck_assert_str_eq(out, "twelve c\u2026");
  sciara_fit(out, sizeof out, "%s-%d", "a\u044f\u044f\u044f\u044f\u044f", 7);
  ck_assert_str_eq(out, "a\u044f\u044f\u044f\u2026");
  sciara_fit(out, sizeof out, "%s", "\u5bcc\u58eb\u5bae\u5e02");
  ck_assert_str_eq(out, "\u5bcc\u58eb\u2026");
  sciara_fit(out, 2, "%s", "ab");
  ck_assert_str_eq(out, "a");
}

RUN_TESTS(.one_process = true)
