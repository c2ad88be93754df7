// SPDX-License-Identifier: Apache-2.0
// Dates of the features of a vector file, such as the outlines of a flow that an agency maps one after the other.
#ifndef SCIARA_FILE_VECTOR_DATES_H
#define SCIARA_FILE_VECTOR_DATES_H

#include <ogr_api.h>

#include "base/log.h"
#include "base/status.h"

/** The date of a feature, s, as of sciara_parse_date; without a zone it is UTC. False: it has none. */
bool sciara_vector_date_of(OGRFeatureH feature, int field, double *date);

/** Which features of a layer are taken: those of one date, or all. */
struct sciara_vector_date {
  int field; ///< negative: all features
  double date;
};

/** Whether a feature is taken. */
bool sciara_vector_has_date(OGRFeatureH feature, const struct sciara_vector_date *of);

/**
 * Chooses the outlines of one time in a layer that has some of several dates, which are not one outline: those of the date `when`,
 * or, if it has days, of that day, with a message. SCIARA_ERR_INPUT, with a cure, if there are none of that time.
 *
 * @param when as of sciara_parse_date; 0: not known
 * @param hint the way in which a command chooses a date itself, after the list of dates; "": it has none
 */
enum sciara_status sciara_vector_choose_date(const char *path, OGRLayerH layer, double when, const char *hint,
                                             const struct sciara_notes *notes, struct sciara_vector_date *out);

#endif
