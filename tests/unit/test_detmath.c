// SPDX-License-Identifier: Apache-2.0
// Claims about base/detmath.h: special values, exactly rounded values, monotonicity, error against MPFR, and the bits.
#include "../accuracy/detmath_ulp.h"

struct known {
  double x, y;
};

// y is the exact value rounded to nearest by MPFR, in the format of the function.
// clang-format off
static const struct known known_exp[] = {
    {0x1p+0, 0x1.5bf0a8b145769p+1}, {-0x1p+0, 0x1.78b56362cef38p-2}, {0x1p-1, 0x1.a61298e1e069cp+0},
    {-0x1p-1, 0x1.368b2fc6f960ap-1}, {0x1p+1, 0x1.d8e64b8d4ddaep+2}, {0x1.999999999999ap-4, 0x1.1aec7b35a00d4p+0},
    {-0x1.999999999999ap-4, 0x1.cf46d99d52b3ap-1}, {0x1.0624dd2f1a9fcp-10, 0x1.0041919b7ee34p+0},
    {-0x1.ba18a998fffap+2, 0x1.0624dd2f1a9fdp-10}, {0x1.ba18a998fffap+2, 0x1.f3ffffffffffep+9},
    {0x1.62e42fefa39efp-2, 0x1.6a09e667f3bccp+0}, {-0x1.62e42fefa39efp-2, 0x1.6a09e667f3bcdp-1},
    {0x1.a666666666666p+1, 0x1.b1cd5e7807b7bp+4}, {-0x1.6cccccccccccdp+2, 0x1.b68ff86d40c58p-9},
    {0x1.b7cdfd9d7bdbbp-34, 0x1.000000006df38p+0}, {-0x1.4p+4, 0x1.1b48655f37267p-29},
    {0x1.4p+5, 0x1.a220d397972ebp+57}, {0x1.9p+6, 0x1.3494a9b171bf5p+144}, {-0x1.2cp+8, 0x1.245639c3a49f7p-433},
    {0x1.5ep+9, 0x1.d945df4f8ec8ep+1009}, {-0x1.5ep+9, 0x1.14f2b0fb9307fp-1010},
};
static const struct known known_expf[] = {
    {0x1p+0, 0x1.5bf0a8p+1}, {-0x1p+0, 0x1.78b564p-2}, {0x1p-1, 0x1.a61298p+0}, {-0x1p-1, 0x1.368b3p-1},
    {0x1p+1, 0x1.d8e64cp+2}, {0x1.99999ap-4, 0x1.1aec7cp+0}, {-0x1.ba18aap+2, 0x1.0624dcp-10},
    {0x1.ba18aap+2, 0x1.f40004p+9}, {0x1.62e43p-2, 0x1.6a09e6p+0}, {0x1.a66666p+1, 0x1.b1cd5ep+4},
    {-0x1.6cccccp+2, 0x1.b68ffep-9}, {0x1.4f8b58p-17, 0x1.0000a8p+0}, {-0x1.4p+4, 0x1.1b4866p-29},
    {0x1.4p+5, 0x1.a220d4p+57}, {0x1.4p+6, 0x1.55779cp+115}, {-0x1.4p+6, 0x1.7fd974p-116},
};
static const struct known known_ln[] = {
    {0x1p+1, 0x1.62e42fefa39efp-1}, {0x1p-1, -0x1.62e42fefa39efp-1}, {0x1.4p+3, 0x1.26bb1bbb55516p+1},
    {0x1.0624dd2f1a9fcp-10, -0x1.ba18a998fffap+2}, {0x1.999999999999ap-5, -0x1.7f7427b73e391p+1},
    {0x1.eb851eb851eb8p-6, -0x1.c0d6e3a1428a6p+1}, {0x1.8p+1, 0x1.193ea7aad030bp+0}, {0x1.ep+2, 0x1.01e85798eb9a3p+1},
    {0x1.9p+6, 0x1.26bb1bbb55516p+2}, {0x1.f4p+9, 0x1.ba18a998fffap+2}, {0x1.ffffffff2419p-1, -0x1.b7ce00005e728p-34},
    {0x1.000000006df38p+0, 0x1.b7cdffffa18d8p-34}, {0x1.8p+0, 0x1.9f323ecbf984cp-2},
    {0x1.6a09e667f3bcdp-1, -0x1.62e42fefa39eep-2}, {0x1.6a09e667f3bcdp+0, 0x1.62e42fefa39fp-2},
    {0x1.56e1fc2f8f359p-997, -0x1.5963447f87fb5p+9}, {0x1.7e43c8800759cp+996, 0x1.5963447f87fb5p+9},
    {0x0.0000000000001p-1022, -0x1.74385446d71c3p+9}, {0x1p-1022, -0x1.6232bdd7abcd2p+9},
};
static const struct known known_cbrt[] = {
    {0x1p+1, 0x1.428a2f98d728bp+0}, {0x1.8p+1, 0x1.7137449123ef6p+0}, {0x1p+2, 0x1.965fea53d6e3dp+0},
    {0x1.cp+2, 0x1.e9b5dba58189ep+0}, {0x1.000001ad7f29bp+0, 0x1.0000008f2a62fp+0}, {0x1.8p+0, 0x1.250bfe1b082f5p+0},
    {0x1.4p+3, 0x1.13c484138704fp+1}, {0x1.9p+6, 0x1.290fca9c761f8p+2}, {0x1.f3cp+9, 0x1.3ff25829f9738p+3},
    {0x1.388p+13, 0x1.58b5a51868c62p+4}, {0x1.e240c9fbe76c9p+16, 0x1.8e58dab7da808p+5}, {0x1.e848p+19, 0x1.9p+6},
    {0x1.dcd65p+29, 0x1.f4p+9}, {0x1.d1a94a2p+39, 0x1.388p+13}, {0x1.999999999999ap-4, 0x1.db4c7760bcff3p-2},
    {0x1.b7cdfd9d7bdbbp-34, 0x1.e6b4b396428e8p-12}, {0x1.56e1fc2f8f359p-997, 0x1.bff2ee48e053p-333},
    {0x1.7e43c8800759cp+996, 0x1.249ad2594c37dp+332}, {0x1.fffffffffffffp+1023, 0x1.428a2f98d728bp+341},
    {0x1p-1022, 0x1.428a2f98d728bp-341}, {0x0.0000000000001p-1022, 0x1p-358},
    {0x0.012688b70e62bp-1022, 0x1.a9d1b0b5d7427p-344}, {-0x1p+1, -0x1.428a2f98d728bp+0}, {-0x1.e848p+19, -0x1.9p+6},
};
static const struct known known_cbrtf[] = {
    {0x1p+1, 0x1.428a3p+0}, {0x1.8p+1, 0x1.713744p+0}, {0x1p+2, 0x1.965feap+0}, {0x1.cp+2, 0x1.e9b5dcp+0},
    {0x1.000002p+0, 0x1p+0}, {0x1.8p+0, 0x1.250bfep+0}, {0x1.4p+3, 0x1.13c484p+1}, {0x1.9p+6, 0x1.290fcap+2},
    {0x1.f3cp+9, 0x1.3ff258p+3}, {0x1.388p+13, 0x1.58b5a6p+4}, {0x1.e240cap+16, 0x1.8e58dap+5},
    {0x1.e848p+19, 0x1.9p+6}, {0x1.dcd65p+29, 0x1.f4p+9}, {0x1.99999ap-4, 0x1.db4c78p-2},
    {0x1.b7cdfep-34, 0x1.e6b4b4p-12}, {0x1.4484cp-100, 0x1.b7cdfep-34}, {0x1.fffffep+127, 0x1.965feap+42},
    {0x1p-126, 0x1p-42}, {0x1p-149, 0x1.428a3p-50}, {0x1.16c2p-133, 0x1.a2139p-45}, {-0x1p+1, -0x1.428a3p+0},
    {-0x1.e848p+19, -0x1.9p+6},
};
// clang-format on

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/** How many numbers of the double format lie between two numbers of the same sign. */
static uint64_t distance(double a, double b) {
  const uint64_t p = sciara_double_bits(a), q = sciara_double_bits(b);
  return p > q ? p - q : q - p;
}

static uint32_t distancef(double a, double b) {
  const uint32_t p = sciara_float_bits((float)a), q = sciara_float_bits((float)b);
  return p > q ? p - q : q - p;
}

#define CHECK_KNOWN(table, function, apart)                                                                   \
  for (int i = 0; i < COUNT(table); i++)                                                                      \
  ck_assert_msg(apart(function(table[i].x), table[i].y) <= 1, #function "(%a) is %a, exactly %a", table[i].x, \
                function(table[i].x), table[i].y)

TEST(known_values_are_within_one_number_of_the_exactly_rounded_one) {
  CHECK_KNOWN(known_exp, sciara_exp, distance);
  CHECK_KNOWN(known_expf, ulp_expf, distancef);
  CHECK_KNOWN(known_ln, sciara_ln, distance);
  CHECK_KNOWN(known_cbrt, sciara_cbrt, distance);
  CHECK_KNOWN(known_cbrtf, ulp_cbrtf, distancef);
}

/** Bit-identical, so that the signs of zeros count. */
#define CHECK_SAME(a, b) ck_assert_msg(distance((a), (b)) == 0, #a " is %a, not " #b, (double)(a))
#define CHECK_SAMEF(a, b) ck_assert_msg(distancef((double)(a), (double)(b)) == 0, #a " is %a, not " #b, (double)(a))

TEST(special_values_of_exp) {
  const double inf = (double)INFINITY;
  CHECK_SAME(sciara_exp(0.0), 1.0);
  CHECK_SAME(sciara_exp(-0.0), 1.0);
  CHECK_SAME(sciara_exp(0x1p-1074), 1.0);
  CHECK_SAME(sciara_exp(inf), inf);
  CHECK_SAME(sciara_exp(-inf), 0.0);
  CHECK_SAME(sciara_exp(0x1.62e42fefa39fp+9), inf); // the first that overflows
  ck_assert(isfinite(sciara_exp(0x1.62e42fefa39efp+9)));
  CHECK_SAME(sciara_exp(-0x1.74910d52d3051p+9), 0x1p-1074); // the last that does not underflow to zero
  CHECK_SAME(sciara_exp(-745.2), 0.0);
  CHECK_SAME(sciara_exp(1e300), inf);
  CHECK_SAME(sciara_exp(-1e300), 0.0);
  ck_assert(isnan(sciara_exp((double)NAN)) && isnan(sciara_exp_normal((double)NAN)));
  CHECK_SAMEF(sciara_expf(0.0f), 1.0f);
  CHECK_SAMEF(sciara_expf(-0.0f), 1.0f);
  CHECK_SAMEF(sciara_expf(INFINITY), INFINITY);
  CHECK_SAMEF(sciara_expf(-INFINITY), 0.0f);
  CHECK_SAMEF(sciara_expf(88.73f), INFINITY);
  ck_assert(isfinite(sciara_expf(0x1.62e42ep+6f)));
  CHECK_SAMEF(sciara_expf(-103.9f), 0x1p-149f);
  CHECK_SAMEF(sciara_expf(-104.0f), 0.0f);
  CHECK_SAMEF(sciara_expf(3e38f), INFINITY);
  CHECK_SAMEF(sciara_expf(-3e38f), 0.0f);
  ck_assert(isnan(sciara_expf(NAN)) && isnan(sciara_expf_normal(NAN)));
}

TEST(special_values_of_ln) {
  const double inf = (double)INFINITY;
  CHECK_SAME(sciara_ln(1.0), 0.0);
  CHECK_SAME(sciara_ln(0.0), -inf);
  CHECK_SAME(sciara_ln(-0.0), -inf);
  CHECK_SAME(sciara_ln(inf), inf);
  ck_assert(isnan(sciara_ln(-1.0)));
  ck_assert(isnan(sciara_ln(-0x1p-1074)));
  ck_assert(isnan(sciara_ln(-inf)));
  ck_assert(isnan(sciara_ln((double)NAN)));
}

TEST(special_values_of_cbrt) {
  const double inf = (double)INFINITY;
  CHECK_SAME(sciara_cbrt(0.0), 0.0);
  CHECK_SAME(sciara_cbrt(-0.0), -0.0);
  CHECK_SAME(sciara_cbrt(inf), inf);
  CHECK_SAME(sciara_cbrt(-inf), -inf);
  ck_assert(isnan(sciara_cbrt((double)NAN)) && isnan(sciara_cbrt_normal((double)NAN)));
  CHECK_SAMEF(sciara_cbrtf(0.0f), 0.0f);
  CHECK_SAMEF(sciara_cbrtf(-0.0f), -0.0f);
  CHECK_SAMEF(sciara_cbrtf(INFINITY), INFINITY);
  CHECK_SAMEF(sciara_cbrtf(-INFINITY), -INFINITY);
  ck_assert(isnan(sciara_cbrtf(NAN)) && isnan(sciara_cbrtf_normal(NAN)));
}

TEST(cubes_of_whole_numbers_and_of_powers_of_two_have_exact_roots) {
  for (int k = 1; k <= 200000; k++) {
    const double cube = (double)k * (double)k * (double)k;
    CHECK_SAME(sciara_cbrt(cube), (double)k);
    CHECK_SAME(sciara_cbrt(-cube), -(double)k);
  }
  for (int k = 1; k <= 256; k++) CHECK_SAMEF(sciara_cbrtf((float)(k * k * k)), (float)k);
  for (int e = -358; e <= 341; e++) CHECK_SAME(sciara_cbrt(ldexp(1.0, 3 * e)), ldexp(1.0, e));
  for (int e = -49; e <= 42; e++) CHECK_SAMEF(sciara_cbrtf(ldexpf(1.0f, 3 * e)), ldexpf(1.0f, e));
}

TEST(square_roots_are_those_of_the_instruction) {
  CHECK_SAME(sciara_sqrt(2.0), 0x1.6a09e667f3bcdp+0);
  CHECK_SAME(sciara_sqrt(-0.0), -0.0);
  CHECK_SAMEF(sciara_sqrtf(2.0f), 0x1.6a09e6p+0f);
  ck_assert(isnan(sciara_sqrt(-1.0)) && isnan(sciara_sqrtf(-1.0f)));
}

TEST(larger_arguments_never_give_smaller_values) {
  for (int k = 0; k < 400000; k++) {
    const double x = -7.0 + k * 0x1.2p-15, next = x + 0x1p-40;
    ck_assert(sciara_exp(next) >= sciara_exp(x));
    ck_assert(sciara_expf((float)(x + 0x1p-18)) >= sciara_expf((float)x));
    const double y = 1.0 + k * 2.5, neighbour = nextafter(y, (double)INFINITY);
    ck_assert(sciara_cbrt(neighbour) >= sciara_cbrt(y));
    ck_assert(sciara_cbrtf(nextafterf((float)y, INFINITY)) >= sciara_cbrtf((float)y));
    ck_assert(sciara_ln(y * (1.0 + 0x1p-48)) >= sciara_ln(y));
  }
}

TEST(the_rare_path_is_bit_identical_to_the_usual_one) {
  for (int k = -40000; k <= 40000; k++) {
    const double x = k * (708.0 / 40000.0);
    CHECK_SAME(sciara_exp_rare(x), sciara_exp_normal(x));
    const float f = (float)k * (87.0f / 40000.0f);
    CHECK_SAMEF(sciara_expf_rare(f), sciara_expf_normal(f));
    const double y = 1e-3 + fabs(x) * 1e9;
    CHECK_SAME(sciara_cbrt_rare(-y), -sciara_cbrt_normal(y));
    CHECK_SAMEF(sciara_cbrtf_rare(-(float)y), -sciara_cbrtf_normal((float)y));
  }
}

TEST(the_functions_of_the_rule_are_those_of_its_precision) {
  const real x = (real)1.37;
  ck_assert(sciara_real_exp(x) == sciara_exp(x));
  ck_assert(sciara_real_cbrt(x) == sciara_cbrt(x));
  ck_assert(sciara_real_sqrt(x) == sciara_sqrt(x));
  ck_assert(sciara_real_div(1, 3) == (real)1 / 3);
}

/** One function against MPFR: _i is its place in the table. accuracy.detmath_mpfr tries a million arguments. */
TEST_EACH(within_one_ulp_of_mpfr, ULP_FUNCTIONS) {
  const struct ulp_worst worst = ulp_measure(&ulp_functions[_i], 100000);
  ck_assert_uint_gt(worst.count, 100000);
  ck_assert_msg(worst.error <= 1.0, "%s(%a) is %.4f ulp off", ulp_functions[_i].name, worst.at, worst.error);
}

/** A hash of the results of one function at 100,000 random arguments. */
static uint64_t fingerprint(const struct ulp_function *f) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325), state = 42;
  for (int k = 0; k < 100000; k++) {
    const double x = ulp_draw(&f->range[k % 3], &state);
    hash = (hash ^ sciara_double_bits(f->value(f->bits == 24 ? (double)(float)x : x))) * UINT64_C(0x100000001b3);
    hash ^= hash >> 32;
  }
  return hash;
}

/** Must be the same with any compiler, optimisation and processor. A deliberate change of a function changes its line. */
TEST(the_bits_are_the_recorded_ones) {
  static const uint64_t recorded[] = {
      UINT64_C(0x53b4d11ee93650c2), // exp
      UINT64_C(0x84d2bfd3082bc5fe), // expf
      UINT64_C(0x990feb2dccc1d0d4), // ln
      UINT64_C(0x59305e4db6e5f378), // cbrt
      UINT64_C(0x4592844cde95398b), // cbrtf
  };
  for (int i = 0; i < COUNT(recorded); i++)
    ck_assert_msg(fingerprint(&ulp_functions[i]) == recorded[i], "%s: 0x%016llx", ulp_functions[i].name,
                  (unsigned long long)fingerprint(&ulp_functions[i]));
}

RUN_TESTS(.seconds = 300)
