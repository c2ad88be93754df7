// SPDX-License-Identifier: Apache-2.0
#include "app/place_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/** A number, and the letter behind it (E, W, N, S), or 0. False: it is none. */
static bool parse_number(const char *text, size_t length, double *value, char *letter) {
  char copy[64];
  while (length > 0 && *text == ' ') text++, length--;
  while (length > 0 && text[length - 1] == ' ') length--;
  if (length == 0 || length >= sizeof copy) return false;
  snprintf(copy, sizeof copy, "%.*s", (int)length, text);
  *letter = '\0';
  if (strchr("EWNSewns", copy[length - 1])) {
    *letter = (char)(copy[length - 1] & ~0x20); // a capital
    copy[--length] = '\0';
  }
  return sciara_parse_double(copy, value);
}

/** Puts a number in degrees into its point. False: the letters do not make a pair, or the number has a sign as well. */
static bool put_degree(double value, char letter, bool taken[2], struct sciara_point *p) {
  const int axis = letter == 'N' || letter == 'S';
  if (taken[axis] || value < 0) return false;
  taken[axis] = true;
  *(axis ? &p->y : &p->x) = letter == 'W' || letter == 'S' ? -value : value;
  return true;
}

enum sciara_place_text sciara_place_parse(const char *text, size_t count, struct sciara_point *points) {
  bool taken[2] = {false}, degrees = false;
  for (size_t k = 0; k < 2 * count; k++) {
    const char *comma = strchr(text, ',');
    double value;
    char letter;
    if (!comma != (k + 1 == 2 * count) ||
        !parse_number(text, comma ? (size_t)(comma - text) : strlen(text), &value, &letter))
      return SCIARA_PLACE_NAME;
    if (k % 2 == 0) taken[0] = taken[1] = false;
    if (k > 0 && degrees != (letter != '\0')) return SCIARA_PLACE_NAME;
    degrees = letter != '\0';
    if (degrees && !put_degree(value, letter, taken, &points[k / 2])) return SCIARA_PLACE_NAME;
    if (!degrees) *(k % 2 ? &points[k / 2].y : &points[k / 2].x) = value;
    text = comma ? comma + 1 : text;
  }
  return degrees ? SCIARA_PLACE_DEGREES : SCIARA_PLACE_METRES;
}
