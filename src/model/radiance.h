// SPDX-License-Identifier: Apache-2.0
// Published relations between the heat that satellites measure and an effusion rate. Host only.
#ifndef SCIARA_MODEL_RADIANCE_H
#define SCIARA_MODEL_RADIANCE_H

/**
 * Effusion rate in m3/s of the radiative power of lava (VRP, W) and its radiant density (J/m3): D. Coppola et al. (2013),
 * Rheological control on the radiant density of active lava flows and domes, J. Volcanol. Geotherm. Res. 249, 39-48.
 */
static inline double sciara_rate_of_power(double power, double radiant_density) { return power / radiant_density; }

/** Area of a MODIS pixel at nadir, m2. */
#define SCIARA_MODIS_PIXEL_M2 1e6

/**
 * Radiative power in W of a MODIS pixel from its spectral radiance at 4 um and that of its surroundings, W/(m2 sr um): the
 * middle infrared method of M. Wooster et al. (2003), Remote Sens. Environ. 86, 83-107, with its constant for MODIS,
 * 18.9 sr um. 0 for a pixel that is not warmer than its surroundings.
 */
static inline double sciara_power_of_pixel(double radiance, double background) {
  const double excess = radiance - background;
  return excess > 0 ? 18.9 * SCIARA_MODIS_PIXEL_M2 * excess : 0;
}

#endif
