// SPDX-License-Identifier: Apache-2.0
// Claims about file/json_strict.h: what is refused, the position of the error, and that printing loses no bit.
#include "base/log.h"
#include "file/json_strict.h"
#include "support/owned.h"
#include "support/random.h"

/** A text and its expected diagnostic. */
struct diagnostic {
  const char *text, *place, *found;
};

static const struct diagnostic diagnostics[] = {
    {"", "t:1:1: ", "found the end of the text"},
    {"{\"a\": 1", "t:1:8: ", "',' or '}'"},
    {"{\"a\": 1,}", "t:1:9: ", "expected a key in double quotes, found '}'"},
    {"[1,]", "t:1:4: ",
     "expected a value (an object, an array, a string in double quotes, a number, true, false or null), found ']'"},
    {"[1 2]", "t:1:4: ", "expected ',' or ']', found '2'"},
    {"{\n  \"a\": 01\n}", "t:2:8: ", "leading zero"},
    {"+1", "t:1:1: ", "found '+'"},
    {".5", "t:1:1: ", "found '.'"},
    {"1.", "t:1:3: ", "a digit after the decimal point"},
    {"1e", "t:1:3: ", "a digit of the exponent"},
    {"-", "t:1:2: ", "expected a digit"},
    {"0x10", "t:1:2: ", "expected nothing after the end of the JSON value, found 'x'"},
    {"[\n1,\n 1e999]", "t:3:2: ", "expected a finite number (up to 1.797e308), found 1e999"},
    {"NaN", "t:1:1: ",
     "expected a value (an object, an array, a string in double quotes, a number, true, false or null), found 'N'"},
    {"nul", "t:1:1: ", "found 'n'"},
    {"{} x", "t:1:4: ", "expected nothing after the end of the JSON value, found 'x'"},
    {"\"abc", "t:1:1: ", "found a string without an end"},
    {"\"a\\", "t:1:3: ", "unknown escape"},
    {"\"a\nb\"", "t:1:3: ", "expected an escape (\\n, \\t, \\u000A), found the control character 0x0A"},
    {"\"a\tb\"", "t:1:3: ", "expected an escape (\\n, \\t, \\u0009), found the control character 0x09"},
    {"\"a\\u0000b\"", "t:1:3: ", "found \\u0000"},
    {"{\"\\u0000\": 1}", "t:1:3: ", "found \\u0000"},
    {"\"\\u12G4\"", "t:1:2: ", "t:1:2: expected \\u and 4 hexadecimal digits, found an invalid \\u escape"},
    {"\"\\uD800\"", "t:1:2: ", "half of a surrogate pair"},
    {"\"\\uD800\\u0041\"", "t:1:2: ", "half of a surrogate pair"},
    {"\"\xFF\"", "t:1:2: ", "found the byte 0xFF that is not UTF-8"},
    {"\"\xC0\x80\"", "t:1:2: ", "0xC0"},                // overlong NUL
    {"\"\xED\xA0\x80\"", "t:1:2: ", "0xED"},            // surrogate
    {"\"\xF4\x90\x80\x80\"", "t:1:2: ", "0xF4"},        // above U+10FFFF
    {"\"\x80\"", "t:1:2: ", "0x80"},                    // continuation alone
    {"\"\xC3\xA9\xC3\xA9\" 1", "t:1:6: ", "found '1'"}, // columns count characters
    {"\xFF\xFE{", "t:1:1: ", "found the byte 0xFF"},    // UTF-16
    {"{}\x01", "t:1:3: ", "found the byte 0x01"},
};

TEST_EACH(test_refused, sizeof diagnostics / sizeof *diagnostics) {
  const struct diagnostic *r = &diagnostics[_i];
  cJSON *tree;
  ck_assert_int_eq(sciara_json_parse("t", r->text, strlen(r->text), &tree), SCIARA_ERR_INPUT);
  ck_assert_ptr_null(tree);
  ck_assert_msg(strncmp(sciara_last_error(), r->place, strlen(r->place)) == 0, "%s: \"%s\" does not start with \"%s\"",
                r->text, sciara_last_error(), r->place);
  ck_assert_msg(strstr(sciara_last_error(), r->found), "%s: \"%s\" lacks \"%s\"", r->text, sciara_last_error(),
                r->found);
}

static const char *const accepted[] = {
    "0",
    "-12.5e-2",
    "[-0, 0.5, 1e3, 1E+3, 1e-3, 1.7976931348623157e308, 1e-999, true, false]",
    "null",
    "\"\"",
    " \t\r\n[ ] \r\n",
    "{ }",
    "[[], {}, \"\"]",
    "\"\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u00e9 \\uD83C\\uDF0B\"",
    "\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8C\x8B \x7F\"",
    "{\"a\": {\"a\": {\"a\": 1}}, \"A\": 2}",
    "[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]", // 16 levels
};

TEST_EACH(test_accepted, sizeof accepted / sizeof *accepted) {
  cJSON *tree;
  enum sciara_status status = sciara_json_parse("t", accepted[_i], strlen(accepted[_i]), &tree);
  ck_assert_msg(status == SCIARA_OK, "%s: %s", accepted[_i], sciara_last_error());
  cJSON_Delete(tree);
}

TEST(test_depth) {
  const char *text = "{\"a\": [[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}"; // 17 levels
  expect_error(sciara_json_scan("t", text, strlen(text)), SCIARA_ERR_INPUT,
               "t:1:22: expected at most 16 nested levels, found more");
  static char deep[100000]; // must not eat the stack
  memset(deep, '[', sizeof deep);
  expect_error(sciara_json_scan("t", deep, sizeof deep), SCIARA_ERR_INPUT, "t:1:17: ");
}

static void refused_as(const char *text, const char *message) {
  cJSON *tree;
  ck_assert_int_eq(sciara_json_parse("t", text, strlen(text), &tree), SCIARA_ERR_INPUT);
  ck_assert_str_eq(sciara_last_error(), message);
}

TEST(test_duplicates) {
  refused_as("{\"a\": 1, \"b\": 2, \"a\": 1}", "t: a: expected each key once in an object, found it twice");
  refused_as("{\"v\": [{}, {\"e\": {\"x\": 1, \"x\": 2}}]}",
             "t: v[1].e.x: expected each key once in an object, found it twice");
  refused_as("{\"a\": 1, \"\\u0061\": 2}",
             "t: a: expected each key once in an object, found it twice"); // the same once decoded
  refused_as("{\"\": 1, \"\": 2}", "t: \"\": expected each key once in an object, found it twice");
  refused_as("{\"\\u001b[2J\": 1, \"\\u001b[2J\": 2}", // no control characters on a terminal
             "t: \\u001B[2J: expected each key once in an object, found it twice");
}

TEST(test_numbers_and_sizes) {
  char number[80];
  memset(number, '1', sizeof number);
  expect_ok(sciara_json_scan("t", number, 63));
  ck_assert_int_eq(sciara_json_scan("t", number, 64), SCIARA_ERR_INPUT); // cJSON would read 63 of them
  expect_said("expected a number of at most 63 characters, found 64");

  size_t size = (size_t)SCIARA_JSON_MAX_BYTES + 1;
  char *text = malloc(size), message[80];
  ck_assert_ptr_nonnull(text);
  memset(text, ' ', size);
  snprintf(message, sizeof message, "t: expected at most %d bytes, found %zu", SCIARA_JSON_MAX_BYTES, size);
  ck_assert_int_eq(sciara_json_scan("t", text, size), SCIARA_ERR_INPUT);
  ck_assert_str_eq(sciara_last_error(), message);
  size = 2 * (size_t)SCIARA_JSON_MAX_VALUES + 10;
  for (size_t i = 0; i + 1 < size; i += 2) memcpy(text + i, "0,", 2);
  memcpy(text, "[ 1,", 4);
  expect_error(sciara_json_scan("t", text, size), SCIARA_ERR_INPUT, "expected at most 4000000 values, found more");
  free(text);
}

TEST(test_nul_in_text) {
  ck_assert_int_eq(sciara_json_scan("t", "{}\0{}", 5), SCIARA_ERR_INPUT);
  ck_assert_str_eq(sciara_last_error(), "t:1:3: expected nothing after the end of the JSON value, found the byte 0x00");
  expect_error(sciara_json_scan("t", "\"a\0b\"", 5), SCIARA_ERR_INPUT,
               "t:1:3: expected an escape (\\n, \\t, \\u0000), found the control character 0x00");
}

static char notice[256];

static void keep_notice(void *context, enum sciara_log_level level, const char *message) {
  (void)context;
  (void)level;
  snprintf(notice, sizeof notice, "%s", message);
}

TEST(test_byte_order_mark) {
  sciara_log_set_sink(keep_notice, NULL);
  cJSON *tree;
  const char *text = "\xEF\xBB\xBF{\"a\": 1}";
  expect_ok(sciara_json_parse("t", text, strlen(text), &tree));
  ck_assert_double_eq(cJSON_GetObjectItemCaseSensitive(tree, "a")->valuedouble, 1);
  cJSON_Delete(tree);
  ck_assert_str_eq(notice, "t: a UTF-8 byte order mark is skipped");
  sciara_log_set_sink(NULL, NULL);
  expect_error(sciara_json_scan("t", "\xEF\xBB\xBF{x", 5), SCIARA_ERR_INPUT, "t:1:2: ");
}

TEST(test_read_file) {
  cJSON *tree;
  expect_error(sciara_json_read("/nonexistent/demo.json", &tree), SCIARA_ERR_IO, "/nonexistent/demo.json");
  char path[] = "/tmp/sciara-json-XXXXXX";
  int file = mkstemp(path);
  ck_assert_int_ge(file, 0);
  ck_assert_int_eq((int)write(file, "{\n \"a\" 1}", 9), 9);
  close(file);
  expect_error(sciara_json_read(path, &tree), SCIARA_ERR_INPUT, ":2:6: expected ':' after the key, found '1'");
  ck_assert_int_eq(strncmp(sciara_last_error(), path, strlen(path)), 0);
  unlink(path);
}

/** cJSON alone prints 0.1 + 0.2 as 0.3. */
TEST(test_print_keeps_bits) {
  const double values[] = {0.1 + 0.2,          1.0 / 3, 4177617.5, 1e22, 5e-324, 1.7976931348623157e308, -0.0,
                           9007199254740991.0, 1e6,     0};
  cJSON *tree = cJSON_CreateDoubleArray(values, (int)(sizeof values / sizeof *values)), *again;
  OWNED(sciara_text_free) struct sciara_text text = {0};
  expect_ok(sciara_json_print(tree, &text));
  expect_ok(sciara_json_parse("t", text.data, text.length, &again));
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    double back = cJSON_GetArrayItem(again, (int)i)->valuedouble;
    ck_assert_msg(memcmp(&back, &values[i], sizeof back) == 0, "%a came back as %a from %s", values[i], back,
                  text.data);
  }
  cJSON_Delete(tree);
  cJSON_Delete(again);
}

/** As few digits as are read back bit-identical, from 6 on: tried one after the other. */
static void assert_shortest(double value) {
  char found[40], expected[40];
  double back = 0;
  for (int digits = 6; digits <= 17 && memcmp(&back, &value, sizeof back) != 0; digits++) {
    snprintf(expected, sizeof expected, "%.*g", digits, value);
    back = strtod(expected, NULL);
  }
  char *exponent = strchr(expected, 'e');
  if (exponent) snprintf(exponent + 1, 8, "%d", atoi(exponent + 1));
  sciara_json_number(value, found, sizeof found);
  ck_assert_str_eq(found, expected);
}

TEST(test_number_is_shortest) {
  const double values[] = {
      1, -2.5, 1e22, 1e23, 1e-7, 123456, 1234567, 5e-324, 2.2250738585072014e-308, 9007199254740993};
  for (size_t k = 0; k < sizeof values / sizeof *values; k++) assert_shortest(values[k]);
  for (int k = 0; k < 20000; k++) {
    char decimal[40];
    const uint64_t bits = random_bits(), power = (random_bits() % 2046 + 1) << 52;
    double any, binade;
    memcpy(&any, &bits, sizeof any);
    memcpy(&binade, &power, sizeof binade);
    if (!isfinite(any)) continue;
    snprintf(decimal, sizeof decimal, "%.*e", (int)(random_bits() % 17), any); // some are 0 or infinite
    assert_shortest(any);
    assert_shortest(binade);
    if (isfinite(strtod(decimal, NULL)) && strtod(decimal, NULL) != 0) assert_shortest(strtod(decimal, NULL));
    assert_shortest((double)(bits >> 11) / 0x1p53 + 1);
    assert_shortest(-ldexp((double)(bits >> 11), (int)(power >> 52) % 80 - 70)); // 1e-5 to 1e18, without an exponent
    assert_shortest((double)(bits >> 40 | 1) / 1024);                            // often halfway between decimals
    const double decade = pow(10, k % 22 - 4);
    assert_shortest(k % 3 == 0 ? decade : nextafter(decade, k % 3 == 1 ? 0 : HUGE_VAL));
  }
}

TEST(test_print_form) {
  const char *source = "{\"a\":{\"tab\\t\":[1000000,0.5]},\"b\":null}";
  cJSON *tree;
  expect_ok(sciara_json_parse("t", source, strlen(source), &tree));
  OWNED(sciara_text_free) struct sciara_text text = {0};
  expect_ok(sciara_json_print(tree, &text));
  ck_assert_str_eq(text.data, "{\n  \"a\": {\n    \"tab\\t\": [1e6, 0.5]\n  },\n  \"b\": null\n}");
  cJSON_Delete(tree);
}

/** The text of a tree leaves it as it is: its numbers are still numbers. */
TEST(test_text_of_tree) {
  cJSON *tree = cJSON_CreateObject();
  OWNED(free_memory) char *text, *again;
  ck_assert_ptr_nonnull(sciara_json_put(tree, "a", cJSON_CreateNumber(0.1 + 0.2)));
  ck_assert_ptr_nonnull(sciara_json_put(tree, "b", cJSON_CreateTrue()));
  ck_assert_ptr_nonnull(sciara_json_replace(tree, "a", cJSON_CreateNumber(1.5)));
  ck_assert_ptr_nonnull(sciara_json_replace(tree, "c", cJSON_CreateNull()));
  ck_assert_ptr_null(sciara_json_replace(tree, "c", NULL));
  expect_ok(sciara_json_text(tree, &text));
  ck_assert_str_eq(text, "{\n  \"b\": true,\n  \"a\": 1.5\n}");
  ck_assert(cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(tree, "a")));
  expect_ok(sciara_json_text(tree, &again));
  ck_assert_str_eq(again, text);
  cJSON_Delete(tree);
}

TEST(test_words) {
  char buffer[128];
  const struct {
    const char *text, *words;
  } cases[] = {{"-2", "-2"},        {"\"a\\u001b\"", "\"a\\u001B\""},
               {"null", "null"},    {"true", "true"},
               {"false", "false"},  {"[1,2]", "an array of 2"},
               {"{}", "an object"}, {"0.1", "0.1"},
               {"1e-7", "1e-7"},    {"1e300", "1e300"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cJSON *tree;
    expect_ok(sciara_json_parse("t", cases[i].text, strlen(cases[i].text), &tree));
    sciara_json_describe(tree, buffer, sizeof buffer);
    ck_assert_str_eq(buffer, cases[i].words);
    cJSON_Delete(tree);
  }
  struct sciara_json_path root = {.key = "vents"}, item = {.parent = &root, .index = 12},
                          leaf = {.parent = &item, .key = "x"};
  sciara_json_path_print(&leaf, buffer, sizeof buffer);
  ck_assert_str_eq(buffer, "vents[12].x");
  sciara_json_path_print(&leaf, buffer, 8);
  ck_assert_str_eq(buffer, "vent...");
  sciara_json_path_print(NULL, buffer, sizeof buffer);
  ck_assert_str_eq(buffer, "top level");
}

RUN_TESTS()
