// SPDX-License-Identifier: Apache-2.0
// Claims about the list of engines: every line follows the contract, a typo gets a suggestion, "auto" is an engine.
#include "engine/engine.h"

TEST(entries) {
  size_t count;
  const struct sciara_engine_entry *list = sciara_engine_list(&count);
  ck_assert_uint_ge(count, 3);
  for (size_t k = 0; k < count; k++) {
    ck_assert(list[k].name && *list[k].name);
    ck_assert_str_ne(list[k].name, "auto");
    for (size_t m = 0; m < k; m++) ck_assert_str_ne(list[k].name, list[m].name);
    ck_assert((list[k].ops[SCIARA_RULE_FV3][SCIARA_DOUBLE] != NULL) ==
              (list[k].ops[SCIARA_RULE_FV3][SCIARA_SINGLE_PRECISION] != NULL));
    ck_assert((list[k].ops[SCIARA_RULE_FV3][SCIARA_DOUBLE] != NULL) ==
              (list[k].why_not == NULL)); // a reason where there is no engine
    for (int p = 0; p < SCIARA_PRECISIONS; p++) {
      const struct sciara_engine_ops *ops = list[k].ops[SCIARA_RULE_FV3][p];
      if (!ops) continue;
      ck_assert_str_eq(ops->name, list[k].name);
      ck_assert(ops->summary && *ops->summary && !strchr(ops->summary, '\n'));
      ck_assert(ops->create && ops->destroy && ops->upload && ops->download && ops->advance);
      ck_assert(ops->determinism ==
                (p == SCIARA_FAST_MATH ? SCIARA_TOLERANCE : list[k].ops[SCIARA_RULE_FV3][0]->determinism));
      ck_assert(p != SCIARA_FAST_MATH || ops->capabilities & SCIARA_CAN_DEVICE); // the CPU has none
      ops->destroy(NULL);
    }
    if (list[k].ops[SCIARA_RULE_FV3][0] &&
        list[k].ops[SCIARA_RULE_FV3][1]) { // the precisions are two engines of one kind
      ck_assert_ptr_ne(list[k].ops[SCIARA_RULE_FV3][0], list[k].ops[SCIARA_RULE_FV3][1]);
      ck_assert_uint_eq(list[k].ops[SCIARA_RULE_FV3][0]->capabilities, list[k].ops[SCIARA_RULE_FV3][1]->capabilities);
    }
  }
}

TEST(find) {
  size_t count;
  const struct sciara_engine_entry *list = sciara_engine_list(&count);
  for (size_t k = 0; k < count; k++)
    for (int p = 0; p < 2; p++) {
      const struct sciara_engine_ops *ops = list[0].ops[SCIARA_RULE_FV3][0];
      const enum sciara_status status =
          sciara_engine_find(list[k].name, SCIARA_RULE_FV3, (enum sciara_precision)p, &ops);
      if (status == SCIARA_OK) {
        ck_assert_ptr_eq(ops, list[k].ops[SCIARA_RULE_FV3][p]);
        continue;
      }
      ck_assert_int_eq(status, SCIARA_ERR_DEVICE); // it exists, but not on this machine
      ck_assert_ptr_null(ops);
      expect_said(list[k].name, "not available");
    }
  const char *const always[] = {"serial", "openmp", "checked"};
  for (int k = 0; k < 3; k++) {
    const struct sciara_engine_ops *ops;
    expect_ok(sciara_engine_find(always[k], SCIARA_RULE_FV3, SCIARA_DOUBLE, &ops));
    ck_assert_int_eq(ops->determinism, SCIARA_EXACT);
  }
}

TEST(fast_math) { // of the CUDA engines alone
  const char *const cpu[] = {"serial", "openmp", "checked"};
  for (int k = 0; k < 3; k++) {
    const struct sciara_engine_ops *ops;
    ck_assert_int_eq(sciara_engine_find(cpu[k], SCIARA_RULE_FV3, SCIARA_FAST_MATH, &ops), SCIARA_ERR_USAGE);
    ck_assert_ptr_null(ops);
    char expected[96];
    snprintf(expected, sizeof expected, "engine \"%s\" has no fast math; the CUDA engines have it", cpu[k]);
    ck_assert_str_eq(sciara_last_error(), expected);
  }
  ck_assert_str_eq(sciara_precision_name(SCIARA_DOUBLE), "double");
  ck_assert_str_eq(sciara_precision_name(SCIARA_SINGLE_PRECISION), "single");
  ck_assert_str_eq(sciara_precision_name(SCIARA_FAST_MATH), "single, fast math");
}

/** Each option with an engine that supports it, and with one that does not. */
TEST(options) {
  const struct {
    struct sciara_engine_options options;
    const char *follows, *not ;
    const char *name;
  } cases[] = {
      {{.memory = SCIARA_MEMORY_SHARED}, "memory", "boxes isa", "memory"},
      {{.block_width = 32, .block_height = 8}, "block_width block_height", "block_height memory", "block_width"},
      {{.block_width = 32, .block_height = 8}, "block_width block_height isa", "block_width", "block_height"},
      {{.boxes = 2}, "memory boxes refit_every", "memory refit_every", "boxes"},
      {{.refit_every = 10}, "boxes refit_every", "boxes refit refit_everyone", "refit_every"},
      {{.sort_every = 100}, "sort_every", "", "sort_every"},
      {{.isa = SCIARA_ISA_GENERIC}, "isa", NULL, "isa"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct sciara_engine_ops ops = {.name = "any", .options = cases[k].follows};
    expect_ok(sciara_engine_options_check(&ops, &cases[k].options));
    ops.options = cases[k].not ;
    ck_assert_int_eq(sciara_engine_options_check(&ops, &cases[k].options), SCIARA_ERR_USAGE);
    char expected[96];
    snprintf(expected, sizeof expected, "engine \"any\" has no option %s", cases[k].name);
    ck_assert_str_eq(sciara_last_error(), expected);
  }
  const struct sciara_engine_ops bare = {.name = "bare"};
  expect_ok(sciara_engine_options_check(&bare, &(struct sciara_engine_options){0}));
  expect_ok(sciara_engine_options_check(
      &bare, &(struct sciara_engine_options){.memory = SCIARA_MEMORY_GLOBAL})); // options of every engine
}

/** Every name that an engine lists is an option, so that a misspelt one does not switch an option off. */
TEST(listed) {
  size_t count;
  const struct sciara_engine_entry *list = sciara_engine_list(&count);
  for (size_t k = 0; k < count; k++)
    for (int p = 0; p < SCIARA_PRECISIONS; p++) {
      const char *name = list[k].ops[SCIARA_RULE_FV3][p] ? list[k].ops[SCIARA_RULE_FV3][p]->options : NULL;
      for (; name && *name; name += strspn(name, " ")) {
        const size_t n = strcspn(name, " ");
        ck_assert_msg(sciara_setting_find(sciara_engine_settings(), name, n), "%s: %s", list[k].name, name);
        name += n;
      }
    }
  const struct sciara_settings table = sciara_engine_settings();
  for (size_t k = 0; k < table.count; k++) {
    const struct sciara_setting *s = &table.setting[k];
    ck_assert(s->description &&
              (s->type == SCIARA_SETTING_CHOICE ? s->choices != NULL : s->low >= 1 && s->low < s->high));
    ck_assert(!s->needs || sciara_setting_find(table, s->needs, strlen(s->needs)));
  }
}

TEST(parsing) {
  struct sciara_engine_options o = {0};
  const char *const good[] = {"memory=shared",       "block=16x8",   "boxes=4",
                              "refit_every=1000000", "sort_every=1", "isa=v3"};
  for (size_t k = 0; k < sizeof good / sizeof *good; k++) expect_ok(sciara_engine_option_parse(good[k], &o));
  ck_assert(o.memory == SCIARA_MEMORY_SHARED && o.block_width == 16 && o.block_height == 8 && o.boxes == 4);
  ck_assert(o.refit_every == 1000000 && o.sort_every == 1 && o.isa == SCIARA_ISA_V3);
  expect_ok(sciara_engine_option_parse("block_width=64", &o));
  ck_assert_int_eq(o.block_width, 64);
  expect_ok(sciara_engine_option_parse("memory=global", &o));
  ck_assert_int_eq(o.memory, SCIARA_MEMORY_GLOBAL);
  for (int isa = SCIARA_ISA_GENERIC; isa < SCIARA_ISA_COUNT; isa++) { // the choices are the enumeration, in its order
    char text[32];
    snprintf(text, sizeof text, "isa=%s", sciara_isa_name((enum sciara_isa)isa));
    expect_ok(sciara_engine_option_parse(text, &o));
    ck_assert_int_eq(o.isa, isa);
  }
  const char *const bad[] = {"",         "boxes",    "boxes=",    "boxes=0",   "boxes=5",      "boxes=1.5",
                             "boxes=x",  "box=2",    "boxess=2",  "memory=",   "memory=share", "memory=global|shared",
                             "isa=best", "block=32", "block=32x", "block=0x8", "block=8x8x",   "sort_every=1000001",
                             "threads=2"};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    ck_assert_msg(sciara_engine_option_parse(bad[k], &o) == SCIARA_ERR_USAGE, "%s", bad[k]);
    expect_said("memory=global|shared", "boxes=1 to 4");
  }
}

TEST(blocks) {
  const struct {
    int width, height;
    bool good;
  } cases[] = {{32, 1, true},   {1, 32, true},   {8, 4, true},         {1024, 1, true}, {32, 32, true},
               {33, 1, false},  {8, 2, false},   {64, 32, false},      {32, 0, false},  {0, 32, false},
               {-8, -4, false}, {32, 33, false}, {65536, 65536, false}};
  const struct sciara_engine_ops ops = {.name = "any", .options = "block_width block_height"};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const struct sciara_engine_options o = {.block_width = cases[k].width, .block_height = cases[k].height};
    ck_assert_int_eq(sciara_engine_options_check(&ops, &o), cases[k].good ? SCIARA_OK : SCIARA_ERR_USAGE);
    char expected[128];
    snprintf(expected, sizeof expected,
             "found a block of %d x %d threads, expected 32 to 1024 threads, a multiple of 32", o.block_width,
             o.block_height);
    if (!cases[k].good) ck_assert_str_eq(sciara_last_error(), expected);
  }
}

TEST(unknown) {
  const struct {
    const char *typed, *meant; ///< NULL: none is close
  } names[] = {{"seria", "\"serial\""},  {"Serial", "\"serial\""},  {"opnemp", "\"openmp\""},
               {"openMP", "\"openmp\""}, {"cheked", "\"checked\""}, {"", NULL},
               {"warp-drive", NULL}};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const struct sciara_engine_ops *ops;
    ck_assert_int_eq(sciara_engine_find(names[k].typed, SCIARA_RULE_FV3, SCIARA_DOUBLE, &ops), SCIARA_ERR_USAGE);
    ck_assert_ptr_null(ops);
    char named[64];
    snprintf(named, sizeof named, "\"%s\"", names[k].typed);
    expect_said(named);
    const bool hinted = strstr(sciara_last_error(), "did you mean") != NULL;
    ck_assert_msg(hinted == (names[k].meant != NULL), "%s: %s", names[k].typed, sciara_last_error());
    if (names[k].meant) expect_said(names[k].meant);
  }
}

TEST(automatic) {
  const struct sciara_engine_ops *chosen, *named;
  expect_ok(sciara_engine_find(sciara_engine_auto(SCIARA_RULE_FV3), SCIARA_RULE_FV3, SCIARA_DOUBLE, &named));
  expect_ok(sciara_engine_find("auto", SCIARA_RULE_FV3, SCIARA_DOUBLE, &chosen));
  ck_assert_ptr_eq(chosen, named);
  ck_assert_uint_eq(chosen->capabilities & SCIARA_FOR_TESTS, 0);
}

TEST(memory) { // the announced memory grows with the grid and with the recorded fields
  size_t count;
  const struct sciara_engine_entry *list = sciara_engine_list(&count);
  const struct sciara_grid small = {.rows = 100, .cols = 100}, large = {.rows = 1000, .cols = 1000};
  for (size_t k = 0; k < count; k++)
    for (int p = 0; p < 2; p++) {
      const struct sciara_engine_ops *ops = list[k].ops[SCIARA_RULE_FV3][p];
      if (!ops || !ops->memory) continue;
      size_t host[3], device[3];
      ops->memory(&small, 0, &host[0], &device[0]);
      ops->memory(&large, 0, &host[1], &device[1]);
      ops->memory(&large, SCIARA_RECORD_EVERYTHING, &host[2], &device[2]);
      ck_assert_uint_gt(host[0] + device[0], 0);
      ck_assert_uint_gt(host[1] + device[1], 50 * (host[0] + device[0]));
      ck_assert_uint_gt(host[2] + device[2], host[1] + device[1]);
    }
}

RUN_TESTS(.one_process = true)
