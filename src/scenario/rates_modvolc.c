// SPDX-License-Identifier: Apache-2.0
// Lists of alerts of MODVOLC (R. Wright et al., 2004, J. Volcanol. Geotherm. Res. 135, 29-49): one line for each hot pixel
// of MODIS, values separated by blanks, the first two the UNIX time and the satellite (A or T), the 10th the radiance in
// band 21. The site delivers them with or without a line of names.
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "model/radiance.h"
#include "scenario/rates_lines.h"

enum { TIME = 0, SATELLITE = 1, RADIANCE = 9, FEWEST = 14 };
static const char names[] = "UNIX_Time", band[] = "B21";
static const double brightest = 1e3; ///< radiance in band 21, W/(m2 sr um): more than any lava emits

static bool is_satellite(const char *word) { return (word[0] == 'A' || word[0] == 'T') && word[1] == '\0'; }

bool sciara_rates_has_names(const char *line) {
  return strncmp(line + strspn(line, " \t"), names, sizeof names - 1) == 0;
}

bool sciara_rates_is_modvolc(const char *line) {
  char word[16];
  line += strspn(line, " \t");
  if (sciara_rates_has_names(line)) return true;
  const size_t digits = strspn(line, "0123456789");
  const char *next = line + digits + strspn(line + digits, " \t");
  snprintf(word, sizeof word, "%.*s", (int)strcspn(next, " \t\r\n"), next);
  return digits >= 8 && digits <= 10 && next > line + digits && is_satellite(word);
}

/** One line: time and radiance. */
static enum sciara_status read_line(const struct sciara_rates_lines *l, char *const *cells, size_t count, double *time,
                                    double *radiance) {
  if (count < FEWEST || count > SCIARA_RATES_MAX_COLUMNS)
    return sciara_rates_refuse(l, count ? cells[0] : "", "a line of MODVOLC, 14 or more values separated by blanks");
  if (!is_satellite(cells[SATELLITE])) return sciara_rates_refuse(l, cells[SATELLITE], "the satellite, A or T");
  if (!sciara_parse_double(cells[TIME], time) || !(*time >= 0 && *time < 1e10))
    return sciara_rates_refuse(l, cells[TIME], "a UNIX time in s");
  if (!sciara_parse_double(cells[RADIANCE], radiance) || !(*radiance > 0 && *radiance <= brightest))
    return sciara_rates_refuse(l, cells[RADIANCE], "the radiance in band 21, above 0 to 1000 W/(m2 sr um)");
  return SCIARA_OK;
}

static enum sciara_status check_options(const struct sciara_rates_lines *l, const struct sciara_rates_options *o) {
  if (o->radiant_density > 0 && o->background > 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: is a list of MODVOLC's alerts, which holds radiances: expected radiant_density_J_m3 and "
                     "background_radiance_W_m2_sr_um next to \"csv\", with which they become effusion rates; found %s",
                     l->path,
                     o->radiant_density > 0 ? "the first only"
                     : o->background > 0    ? "the second only"
                                            : "neither");
}

static bool has_band(char *const *cells, size_t count) {
  for (size_t k = 0; k < count && k < SCIARA_RATES_MAX_COLUMNS; k++)
    if (strcmp(cells[k], band) == 0) return true;
  return false;
}

enum sciara_status sciara_rates_modvolc_read(struct sciara_rates_lines *l, const struct sciara_rates_options *options,
                                             struct sciara_rates_series *s, struct sciara_text *understood) {
  char *cells[SCIARA_RATES_MAX_COLUMNS];
  size_t pixels = 0, cold = 0, count;
  SCIARA_TRY(check_options(l, options));
  l->csv.separator = ' ';
  if (sciara_rates_has_names(l->csv.at)) {
    SCIARA_TRY(sciara_rates_take(l, cells, &count));
    if (!has_band(cells, count)) return sciara_rates_refuse(l, cells[0], "the names of MODVOLC's columns");
  }
  while (sciara_csv_has_row(&l->csv)) {
    double time = 0, radiance = 0;
    SCIARA_TRY(sciara_rates_take(l, cells, &count));
    if (count == 1 && !*cells[0]) continue;
    SCIARA_TRY(read_line(l, cells, count, &time, &radiance));
    const double power = sciara_power_of_pixel(radiance, options->background);
    const double rate = sciara_rate_of_power(power, options->radiant_density);
    pixels++;
    cold += power == 0;
    if (s->count > 0 && time == s->times[s->count - 1])
      s->rates[s->count - 1] += rate;
    else
      SCIARA_TRY(sciara_rates_series_add(l, s, time, rate));
    if (!(s->rates[s->count - 1] <= SCIARA_RATE_MAX))
      return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected a rate of 0 to 1e6 m3/s, found %.6g m3/s", l->path,
                         l->line, s->rates[s->count - 1]);
  }
  return sciara_text_append(
      understood,
      "alerts of MODVOLC, %zu %s, %zu of them not above %g W/(m2 sr um); rate = sum of 18.9e6 m2 sr um x (band 21 - "
      "background) / (%g J/m3), Wooster et al. 2003 and Coppola et al. 2013, pixels of 1 km2",
      pixels, sciara_plural(pixels, "pixel", "pixels"), cold, options->background, options->radiant_density);
}
