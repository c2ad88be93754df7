// SPDX-License-Identifier: Apache-2.0
// Dates of ISO 8601 in the Gregorian calendar, as seconds since 1970-01-01T00:00:00Z without leap seconds.
#ifndef SCIARA_BASE_DATE_H
#define SCIARA_BASE_DATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/** Size of a text that holds "2006-07-14T23:30:00Z". */
enum { SCIARA_DATE_SIZE = 24 };

/** Size of a text that holds " (2026-05-11 04:00 UTC+02:00)". */
enum { SCIARA_MINUTE_SIZE = 32 };

/**
 * "2006-07-14", "2006-07-14T23:30", "2006-07-14 23:30:05.5": years 1 to 9999, the whole text. A zone may follow a time of
 * day: Z, UTC or an offset such as +02:00 or +02; without one it is UTC, which *zoned says.
 */
bool sciara_parse_date(const char *text, double *seconds, bool *zoned);

/** "2006-07-14T23:30:00Z"; fractions of a second are cut off. Years before 1 or after 9999: "". */
void sciara_print_date(double seconds, char text[SCIARA_DATE_SIZE]);

/**
 * The date `seconds` after `start`, a text as above; false, and "", if `start` is NULL or no such text, or the date is
 * outside of these years.
 */
bool sciara_date_after(const char *start, double seconds, char text[SCIARA_DATE_SIZE]);

/** The date of sciara_date_after in seconds, as of sciara_parse_date; 0: it is not known. */
double sciara_date_at(const char *start, double seconds);

/** From now on dates for people are in this zone: UTC, as before, or an offset such as +02:00. SCIARA_ERR_USAGE for others. */
enum sciara_status sciara_show_zone(const char *text);

/** The zone: seconds to add to UTC, and "UTC" or "UTC+02:00". */
double sciara_shown_zone(void);
const char *sciara_shown_zone_name(void);

/** The date of sciara_date_after for people, to the minute as sciara_print_duration has `seconds`: "2026-05-11 04:00 UTC". */
bool sciara_minute_after(const char *start, double seconds, char text[SCIARA_MINUTE_SIZE]);

/** The date of sciara_minute_after for programs, to the second: "2026-05-11T06:00:00+02:00". */
bool sciara_zoned_after(const char *start, double seconds, char text[SCIARA_MINUTE_SIZE]);

/** Appends " (2026-05-11 04:00 UTC)", the date `seconds` after `start`, to a text; nothing where there is none, as above. */
void sciara_append_minute(const char *start, double seconds, char *text, size_t capacity);

/** Size of a text that holds "2 d (2026-05-12 04:00 UTC)". */
enum { SCIARA_MOMENT_SIZE = 48 + SCIARA_MINUTE_SIZE };

/** A simulated time as of sciara_print_duration, and its date as of sciara_append_minute, if there is one. Returns `text`. */
const char *sciara_print_moment(const char *start, double seconds, char text[SCIARA_MOMENT_SIZE]);

/** That text, until the block of the caller ends. */
#define SCIARA_MOMENT(start, seconds) sciara_print_moment(start, seconds, (char[SCIARA_MOMENT_SIZE]){0})

/**
 * A simulated time above 0, or the date of it, s.
 *
 * @param option "--at", for the error
 * @param start  the date from which times count, as of sciara_parse_date; NULL or "": it is not known, and dates are refused
 * @param whose  start that is: "run.out"
 */
enum sciara_status sciara_take_time(const char *option, const char *text, const char *start, const char *whose,
                                    double *seconds);

/** The date of the clock of the machine. */
void sciara_date_now(char text[SCIARA_DATE_SIZE]);

#endif
