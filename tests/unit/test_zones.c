// SPDX-License-Identifier: Apache-2.0
#include "map/zones.h"

enum { CELLS = 8 };
static const double nothing = -9999;

static void check_zone(const struct sciara_zones *z, size_t k, double lower, double upper, int64_t cells,
                       const char *label) {
  ck_assert_double_eq(z->zone[k].lower, lower);
  if (isinf(upper))
    ck_assert_double_infinite(z->zone[k].upper);
  else
    ck_assert_double_eq(z->zone[k].upper, upper);
  ck_assert_int_eq(z->zone[k].cells, cells);
  ck_assert_str_eq(z->zone[k].label, label);
}

TEST(an_edge_belongs_to_the_class_above) {
  const double edges[] = {0.5, 1},
               values[CELLS] = {nothing, 0.5, nextafter(0.5, 0), nextafter(0.5, 1), 1e-300, 1, 1e9, nextafter(1, 0)};
  const int32_t expected_zone[CELLS] = {0, 2, 1, 2, 1, 3, 3, 2};
  OWNED(sciara_zones_free) struct sciara_zones z;
  expect_ok(sciara_zones_classes(values, CELLS, nothing, edges, 2, &z));
  ck_assert_uint_eq(z.count, 3);
  check_zone(&z, 0, 0, 0.5, 2, "below 0.5 m");
  check_zone(&z, 1, 0.5, 1, 3, "0.5 to 1 m");
  check_zone(&z, 2, 1, INFINITY, 2, "1 m and more");
  for (int i = 0; i < CELLS; i++) ck_assert_msg(z.member[i] == expected_zone[i], "cell %d: zone %d", i, z.member[i]);
}

/** Probabilities are those of a map in float32, where 0.01 is a little less. */
TEST(a_probability_at_an_edge_is_above_it) {
  const double edges[] = {0.01, 0.5}, values[4] = {0.01F, nextafterf(0.01F, 0), 0.5, nextafterf(0.5F, 0)};
  OWNED(sciara_zones_free) struct sciara_zones z;
  expect_ok(sciara_zones_at_least("p", values, 4, nothing, edges, 2, &z));
  const int32_t expected_zone[4] = {1, 0, 2, 1};
  for (int i = 0; i < 4; i++) ck_assert_int_eq(z.member[i], expected_zone[i]);
}

TEST(the_outline_is_all_that_is_not_nodata) {
  const double values[CELLS] = {nothing, 0, 1, nothing, -1, 2, nothing, 3};
  OWNED(sciara_zones_free) struct sciara_zones z;
  expect_ok(sciara_zones_outline(values, CELLS, nothing, &z));
  ck_assert_uint_eq(z.count, 1);
  ck_assert_int_eq(z.zone[0].cells, 5);
  for (int i = 0; i < CELLS; i++) ck_assert_int_eq(z.member[i], values[i] != nothing);
}

TEST(isochrones_begin_with_their_time) {
  const double values[CELLS] = {0, nothing, 3600, nextafter(3600, 0), 7199.5, 7200, 1, 14400};
  const int32_t expected_zone[CELLS] = {1, 0, 2, 1, 2, 3, 1, 5};
  OWNED(sciara_zones_free) struct sciara_zones z;
  expect_ok(sciara_zones_isochrones(values, CELLS, nothing, 3600, NULL, &z));
  ck_assert_uint_eq(z.count, 5);
  check_zone(&z, 0, 0, 3600, 3, "0 to 1 h");
  check_zone(&z, 3, 10800, 14400, 0, "3 to 4 h");
  check_zone(&z, 4, 14400, 18000, 1, "4 to 5 h");
  for (int i = 0; i < CELLS; i++) ck_assert_msg(z.member[i] == expected_zone[i], "cell %d: zone %d", i, z.member[i]);
}

/** 0.3 / 0.1 is rounded to 3 or just below: the edges that are printed count. */
TEST(isochrones_keep_their_edges_where_quotients_are_rounded) {
  double values[CELLS];
  for (double step = 0.1; step < 40; step *= 1.7) {
    for (int i = 0; i < CELLS; i++) values[i] = (i % 2 ? nextafter((i + 1) * step, 0) : (i + 1) * step);
    OWNED(sciara_zones_free) struct sciara_zones z;
    expect_ok(sciara_zones_isochrones(values, CELLS, nothing, step, NULL, &z));
    for (int i = 0; i < CELLS; i++) {
      const struct sciara_zone *zone = &z.zone[z.member[i] - 1];
      ck_assert_msg(zone->lower <= values[i] && values[i] < zone->upper, "%.17g in %.17g to %.17g", values[i],
                    zone->lower, zone->upper);
    }
  }
}

TEST(units_of_labels) {
  const double values[1] = {1};
  const struct {
    double step;
    const char *label;
  } cases[] = {
      {86400, "0 to 1 d"}, {43200, "0 to 12 h"}, {5400, "0 to 90 min"}, {90, "0 to 90 s"}, {2.5, "0 to 2.5 s"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    OWNED(sciara_zones_free) struct sciara_zones z;
    expect_ok(sciara_zones_isochrones(values, 1, nothing, cases[k].step, NULL, &z));
    ck_assert_str_eq(z.zone[0].label, cases[k].label);
  }
}

TEST(nothing_makes_no_isochrone) {
  const double values[2] = {nothing, nothing}, edge = 1;
  struct sciara_zones z;
  expect_ok(sciara_zones_isochrones(values, 2, nothing, 60, NULL, &z));
  ck_assert_uint_eq(z.count, 0);
  sciara_zones_free(&z);
  expect_ok(sciara_zones_classes(values, 2, nothing, &edge, 1, &z));
  ck_assert_int_eq(z.zone[0].cells + z.zone[1].cells, 0);
  sciara_zones_free(&z);
  ck_assert_double_eq(sciara_isochrone_step(values, 2, nothing), 1);
}

TEST(too_many_isochrones) {
  const double values[2] = {nothing, SCIARA_ZONES_MOST * 60.0 - 1};
  struct sciara_zones z;
  expect_ok(sciara_zones_isochrones(values, 2, nothing, 60, NULL, &z));
  ck_assert_uint_eq(z.count, SCIARA_ZONES_MOST);
  sciara_zones_free(&z);
  ck_assert_int_eq(sciara_zones_isochrones(values, 2, nothing, 59.9, NULL, &z), SCIARA_ERR_USAGE);
  ck_assert_str_eq(sciara_last_error(),
                   "isochrones every 59.9 s: the last lava arrives after 59999 s, expected at most 1000 isochrones");
  ck_assert_ptr_null(z.member);
  const double last[1] = {SCIARA_ZONES_MOST * 60.0}; // the first moment beyond
  ck_assert_int_eq(sciara_zones_isochrones(last, 1, nothing, 60, NULL, &z), SCIARA_ERR_USAGE);
}

TEST(a_dozen_isochrones_or_fewer) {
  const struct {
    double last, step;
  } cases[] = {
      {0, 1}, {11.9, 1}, {12, 10}, {86399, 3 * 3600}, {86400, 3 * 3600}, {9e5, 86400}, {360 * 86400.0, 60 * 86400.0}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const double step = sciara_isochrone_step(&cases[k].last, 1, nothing);
    ck_assert_msg(step == cases[k].step, "last %g s: every %g s", cases[k].last, step);
    OWNED(sciara_zones_free) struct sciara_zones z;
    expect_ok(sciara_zones_isochrones(&cases[k].last, 1, nothing, step, NULL, &z));
    ck_assert_uint_le(z.count, 12);
  }
}

RUN_TESTS()
