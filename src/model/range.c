// SPDX-License-Identifier: Apache-2.0
#include "model/range.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "model/pass.h"

static const struct sciara_range ranges[] = {{.name = "double",
                                              .least_normal = DBL_MIN,
                                              .most = DBL_MAX,
                                              .relaxation = 0x1p-26,
                                              .critical_height = 0x1p-41,
                                              .sheet = 0x1p-100,
                                              .least_side = 0x1p-100,
                                              .most_side = 0x1p100},
                                             {.name = "single",
                                              .least_normal = (double)FLT_MIN,
                                              .most = (double)FLT_MAX,
                                              .relaxation = 0x1p-12,
                                              .critical_height = 0x1p-12,
                                              .sheet = 0x1p-40,
                                              .least_side = 0x1p-40,
                                              .most_side = 0x1p40}};

const struct sciara_range *sciara_range_of(bool single) { return &ranges[single]; }

static double rounded(double value, bool single) { return single ? (double)(float)value : value; }

bool sciara_range_holds(const struct sciara_range *range, double value) {
  return value >= range->least_normal && value <= range->most;
}

// ------------------------------------------------------------------------------------------------------- parameters

static enum sciara_status refuse_low(const char *key, double found, double least, const char *unit,
                                     const struct sciara_range *range) {
  const bool bare = strcmp(unit, "1") == 0;
  return sciara_fail(SCIARA_ERR_INPUT, "model.%s: found %.15g, expected at least %.6g%s%s in %s precision", key, found,
                     least, bare ? "" : " ", bare ? "" : unit, range->name);
}

static enum sciara_status check_normal(const struct sciara_params *p, const struct sciara_range *range) {
  size_t count;
  const struct sciara_param_info *table = sciara_param_table(&count);
  for (size_t i = 0; i < count; i++) {
    double value;
    if (!sciara_param_is_of(&table[i], p->rule)) continue;
    memcpy(&value, (const char *)p + table[i].offset, sizeof value);
    if (value == 0 && table[i].low == 0 && table[i].low_allowed) continue;
    if (!sciara_range_holds(range, value))
      return refuse_low(table[i].key, value, range->least_normal, table[i].unit, range);
  }
  return SCIARA_OK;
}

/** What divides in the speed of a sheet. The viscosity at T_sol is not below that at T_vent (sciara_params_check). */
static enum sciara_status check_sheet_range(const struct sciara_params *p, const struct sciara_range *range) {
  const struct {
    const char *key;
    double value;
    const char *unit;
  } divisors[] = {{"viscosity_vent_Pa_s", p->viscosity_vent, "Pa s"},
                  {"friction", p->friction, "1"},
                  {"density_kg_m3", p->density, "kg/m3"}};
  if (!sciara_is_sheet(p->rule)) return SCIARA_OK;
  for (size_t k = 0; k < sizeof divisors / sizeof *divisors; k++)
    if (divisors[k].value < range->sheet)
      return refuse_low(divisors[k].key, divisors[k].value, range->sheet, divisors[k].unit, range);
  return SCIARA_OK;
}

double sciara_largest_clock(const struct sciara_params *p, bool single) {
  return rounded(rounded(p->relaxation, single) * rounded(p->t_max, single), single);
}

/** The second step has to end after the first, whose end is t0. */
static enum sciara_status check_clocks(const struct sciara_params *p, bool single) {
  const struct sciara_range *range = sciara_range_of(single);
  const double first = rounded(p->t_first, single), most = sciara_largest_clock(p, single);
  if (p->t_max < range->least_side) return refuse_low("clock_max_s", p->t_max, range->least_side, "s", range);
  if (first + most > first) return SCIARA_OK;
  return sciara_fail(
      SCIARA_ERR_INPUT,
      "model.clock_max_s: found %.15g, expected a clock that lets the time grow: after the first step of "
      "model.clock_first_s = %.15g s one of at most %.6g s (model.relaxation times model.clock_max_s) "
      "is lost",
      p->t_max, p->t_first, most);
}

enum sciara_status sciara_params_check_range(const struct sciara_params *p, bool single) {
  const struct sciara_range *range = sciara_range_of(single);
  if (p->relaxation < range->relaxation) return refuse_low("relaxation", p->relaxation, range->relaxation, "1", range);
  SCIARA_TRY(check_normal(p, range));
  SCIARA_TRY(check_sheet_range(p, range));
  if (!(rounded(p->T_sol, single) < rounded(p->T_vent, single)))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "model.T_sol_K: found %.15g, expected below model.T_vent_K = %.15g by more than the rounding of "
                       "%s precision",
                       p->T_sol, p->T_vent, range->name);
  return check_clocks(p, single);
}

/** The critical heights of fv3: lava that flows must be thicker than the rounding errors of the altitudes. */
static enum sciara_status check_critical_heights(const struct sciara_params *p, double cell_size, bool single) {
  const struct sciara_range *range = sciara_range_of(single);
  const double least = range->critical_height * cell_size;
  if (sciara_is_sheet(p->rule)) return SCIARA_OK;
  const struct {
    const char *key;
    double value;
  } heights[] = {{"critical_height_vent_m", p->hc_vent}, {"critical_height_sol_m", p->hc_sol}};
  for (size_t k = 0; k < sizeof heights / sizeof *heights; k++)
    if (heights[k].value < least)
      return sciara_fail(SCIARA_ERR_INPUT,
                         "model.%s: found %.15g, expected at least %.6g m in %s precision on cells of %.6g m",
                         heights[k].key, heights[k].value, least, range->name, cell_size);
  return SCIARA_OK;
}

enum sciara_status sciara_cell_size_check(const struct sciara_params *p, double cell_size, bool single) {
  const struct sciara_range *range = sciara_range_of(single);
  if (!(cell_size >= range->least_side && cell_size <= range->most_side))
    return sciara_fail(SCIARA_ERR_INPUT, "found cells of %.6g m, expected %.6g to %.6g m in %s precision", cell_size,
                       range->least_side, range->most_side, range->name);
  SCIARA_TRY(check_critical_heights(p, cell_size, single));
  const double cooling = sciara_cooling_constant(p, cell_size);
  const bool sheet = sciara_is_sheet(p->rule);
  const double parameter = sheet ? p->radiating : p->cooling;
  if (cooling == 0 && (parameter == 0 || p->emissivity == 0)) return SCIARA_OK;
  if (sciara_range_holds(range, cooling)) return SCIARA_OK;
  return sciara_fail(
      SCIARA_ERR_INPUT,
      "model.%s: found %.15g, which makes the constant of cooling %.6g (with model.emissivity, "
      "model.density_kg_m3, model.specific_heat_J_kgK and cells of %.6g m), expected 0 or %.6g to %.6g in "
      "%s precision",
      sheet ? "radiating_share" : "cooling", parameter, cooling, cell_size, range->least_normal, range->most,
      range->name);
}

// ------------------------------------------------------------------------------------------------- times and rates

// s + t > s if t is more than half the distance from s to the next number. This half is at most 2^-53 s.
double sciara_latest_time(const struct sciara_params *p, bool single) {
  return 0x1p53 * sciara_largest_clock(p, single);
}

enum sciara_status sciara_volume_check(double volume, double cell_size) {
  const double most = (double)SCIARA_WALL * (cell_size * cell_size);
  if (volume < most) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "found %.6g m3 of lava in all, expected below %.6g m3 on cells of %.6g m",
                     volume, most, cell_size);
}

/**
 * The shortest duration, s, of the part [lo, hi) of a slot that lies in a step. hi is the end of a step, at least the
 * first clock, or the end of a slot. Either lo is less than half of hi, or hi is at least the next number after lo,
 * which is 2^-53 lo above it.
 */
static double shortest_part(const struct sciara_vents *v, int64_t vent, double first_clock) {
  double least = first_clock;
  for (int64_t k = v->first[vent]; k < v->first[vent + 1]; k++)
    if (v->rate[k] > 0) least = fmin(least, v->end[k]);
  return 0x1p-54 * least;
}

double sciara_least_rate(const struct sciara_vents *v, int64_t vent, const struct sciara_params *p, double cell_size,
                         bool single) {
  const double least_volume = fmax(sciara_range_of(single)->least_normal * (cell_size * cell_size), DBL_MIN);
  return 2 * least_volume / shortest_part(v, vent, rounded(p->t_first, single)); // 2: for the roundings of V / (w w)
}
