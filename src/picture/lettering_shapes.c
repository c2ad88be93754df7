// SPDX-License-Identifier: Apache-2.0
// The shapes of the letters, and of what each code point is made up.
#include <string.h>

#include "picture/lettering.h"

enum { DOTLESS_I = 0x131, DOTLESS_J = 0x237 };

static const struct sciara_letter_shape shapes[] = {
    {' ', 4, ""},
    {'A', 16, "M0 0 L8 20 L16 0 M3 7 L13 7"},
    {'B', 13, "M7 20 L0 20 L0 0 L8 0 A8 5 5 5 -90 90 L0 10 M7 20 A7 15 5 5 90 -90"},
    {'C', 15, "a9 10 9 10 50 310"},
    {'D', 15, "M6 20 L0 20 L0 0 L6 0 A6 10 9 10 -90 90"},
    {'E', 12, "M12 0 L0 0 L0 20 L12 20 M0 10 L10 10"},
    {'F', 11, "M0 0 L0 20 L11 20 M0 10 L9 10"},
    {'G', 17, "a9 10 9 10 50 330 L17 9 L10 9"},
    {'H', 14, "M0 0 L0 20 M14 0 L14 20 M0 10 L14 10"},
    {'I', 0, "M0 0 L0 20"},
    {'J', 9, "M9 20 L9 5 A4 5 5 5 0 -150"},
    {'K', 13, "M0 0 L0 20 M13 20 L0 7 M4 11 L13 0"},
    {'L', 11, "M0 20 L0 0 L11 0"},
    {'M', 18, "M0 0 L0 20 L9 4 L18 20 L18 0"},
    {'N', 14, "M0 0 L0 20 L14 0 L14 20"},
    {'O', 18, "a9 10 9 10 0 360"},
    {'P', 12, "M0 0 L0 20 L7 20 A7 15 5 5 90 -90 L0 10"},
    {'Q', 18, "a9 10 9 10 0 360 M11 5 L18 -2"},
    {'R', 13, "M0 0 L0 20 L7 20 A7 15 5 5 90 -90 L0 10 M7 10 L13 0"},
    {'S', 14, "a7 15 6 5 30 270 A7 5 7 5 90 -150"},
    {'T', 14, "M0 20 L14 20 M7 20 L7 0"},
    {'U', 14, "M0 20 L0 7 A7 7 7 7 180 360 L14 20"},
    {'V', 16, "M0 20 L8 0 L16 20"},
    {'W', 22, "M0 20 L5 0 L11 18 L17 0 L22 20"},
    {'X', 14, "M0 0 L14 20 M0 20 L14 0"},
    {'Y', 14, "M0 20 L7 10 L14 20 M7 10 L7 0"},
    {'Z', 14, "M0 20 L14 20 L0 0 L14 0"},
    {'a', 12, "a6 7 6 7 0 360 M12 14 L12 0"},
    {'b', 12, "M0 20 L0 0 a6 7 6 7 0 360"},
    {'c', 10, "a6 7 6 7 50 310"},
    {'d', 12, "a6 7 6 7 0 360 M12 20 L12 0"},
    {'e', 12, "M0 7 L12 7 A6 7 6 7 0 310"},
    {'f', 8, "M3 0 L3 16 A7 16 4 4 180 80 M0 13 L8 13"},
    {'g', 12, "a6 7 6 7 0 360 M12 14 L12 -1 A6 -1 6 6 0 -150"},
    {'h', 12, "M0 20 L0 0 M0 8 A6 8 6 6 180 0 L12 0"},
    {'i', 1, "M0 0 L0 14 M0 19 L0 20"},
    {'j', 4, "M4 14 L4 -3 A0 -3 4 4 0 -80 M4 19 L4 20"},
    {'k', 11, "M0 20 L0 0 M10 14 L0 5 M4 9 L11 0"},
    {'l', 4, "M0 20 L0 4 A4 4 4 4 180 260"}, // with a foot: not a capital I
    {'m', 20, "M0 14 L0 0 M0 9 A5 9 5 5 180 0 L10 0 M10 9 A15 9 5 5 180 0 L20 0"},
    {'n', 12, "M0 14 L0 0 M0 8 A6 8 6 6 180 0 L12 0"},
    {'o', 12, "a6 7 6 7 0 360"},
    {'p', 12, "M0 14 L0 -7 a6 7 6 7 0 360"},
    {'q', 12, "a6 7 6 7 0 360 M12 14 L12 -7"},
    {'r', 7, "M0 14 L0 0 M0 8 A6 8 6 6 180 80"},
    {'s', 10, "a5 11 5 3 30 270 A5 4 5 4 90 -150"},
    {'t', 8, "M3 19 L3 4 A7 4 4 4 180 270 M0 14 L8 14"},
    {'u', 12, "M0 14 L0 6 A6 6 6 6 180 360 M12 14 L12 0"},
    {'v', 12, "M0 14 L6 0 L12 14"},
    {'w', 18, "M0 14 L4 0 L9 13 L14 0 L18 14"},
    {'x', 11, "M0 14 L11 0 M0 0 L11 14"},
    {'y', 12, "M0 14 L6 0 M12 14 L3 -7"},
    {'z', 11, "M0 14 L11 14 L0 0 L11 0"},
    {'0', 12, "a6 10 6 10 0 360"},
    {'1', 12, "M3 16 L7 20 L7 0"}, // figures are equally wide
    {'2', 12, "a6 14 6 6 160 -30 L0 0 L12 0"},
    {'3', 12, "a6 15 5 5 150 -90 A6 5 6 5 90 -150"},
    {'4', 12, "M9 0 L9 20 L0 6 L12 6"},
    {'5', 12, "M11 20 L2 20 L1 11 A6 7 6 7 140 -140"},
    {'6', 12, "a6 6 6 6 0 360 a12 6 12 14 180 110"},
    {'7', 12, "M0 20 L12 20 L4 0"},
    {'8', 12, "a6 15 5 5 0 360 a6 5 6 5 0 360"},
    {'9', 12, "a6 14 6 6 0 360 a0 14 12 14 0 -70"},
    {'.', 2, "M1 0 L1 1"},
    {',', 2, "M2 1 L2 0 L0 -4"},
    {':', 2, "M1 0 L1 1 M1 11 L1 12"},
    {';', 2, "M2 11 L2 12 M2 1 L2 0 L0 -4"},
    {'!', 2, "M1 20 L1 6 M1 0 L1 1"},
    {'?', 10, "a5 15 5 5 170 -60 L5 8 L5 6 M5 0 L5 1"},
    {'\'', 2, "M1 20 L1 14"},
    {'"', 4, "M0 20 L0 14 M4 20 L4 14"},
    {'(', 4, "a10 8 10 16 130 230"},
    {')', 4, "a-6 8 10 16 50 -50"},
    {'[', 4, "M4 22 L0 22 L0 -4 L4 -4"},
    {']', 4, "M0 22 L4 22 L4 -4 L0 -4"},
    {'{', 5, "M5 22 L3 20 L3 11 L0 9 L3 7 L3 -2 L5 -4"},
    {'}', 5, "M0 22 L2 20 L2 11 L5 9 L2 7 L2 -2 L0 -4"},
    {'-', 8, "M0 8 L8 8"},
    {'+', 12, "M0 8 L12 8 M6 2 L6 14"},
    {'=', 12, "M0 5 L12 5 M0 11 L12 11"},
    {'_', 12, "M0 -3 L12 -3"},
    {'/', 9, "M0 -2 L9 22"},
    {'\\', 9, "M0 22 L9 -2"},
    {'|', 0, "M0 22 L0 -4"},
    {'*', 10, "M5 19 L5 9 M1 16 L9 12 M1 12 L9 16"},
    {'#', 16, "M4 0 L7 20 M10 0 L13 20 M1 6 L15 6 M2 14 L16 14"},
    {'$', 14, "a7 15 6 5 30 270 A7 5 7 5 90 -150 M7 23 L7 -3"},
    {'%', 18, "a3 16 3 4 0 360 a15 4 3 4 0 360 M15 20 L3 0"},
    {'&', 16, "M16 0 L5 13 A8 16 4 4 220 -40 L2 8 A6 5 6 5 150 360 L14 9"},
    {'<', 12, "M12 14 L0 8 L12 2"},
    {'>', 12, "M0 14 L12 8 L0 2"},
    {'@', 19, "a9 8 4 5 0 360 M13 13 L13 5 A16 5 3 2 180 360 L19 8 A10 8 9 12 0 300"},
    {'^', 10, "M0 12 L5 20 L10 12"},
    {'`', 4, "M0 20 L4 15"},
    {'~', 12, "a3 7 3 3 180 0 A9 7 3 3 180 360"},
    {0xB0, 6, "a3 17 3 3 0 360"}, // degree
    {0xB7, 2, "M1 8 L1 9"},       // middle dot
    {0xD7, 12, "M1 3 L11 13 M1 13 L11 3"},
    {0xF7, 12, "M0 8 L12 8 M6 2 L6 3 M6 13 L6 14"},
    {0xB1, 12, "M0 10 L12 10 M6 4 L6 16 M0 0 L12 0"},
    {0xB5, 12, "M0 14 L0 -6 M0 6 A6 6 6 6 180 360 M12 14 L12 0"}, // micro
    {0xB9, 5, "M1 18 L4 20 L4 10"},
    {0xB2, 6, "a3 17 3 3 160 -30 L0 10 L6 10"},
    {0xB3, 6, "a3 18 3 2 150 -90 A3 13 3 3 90 -150"},
    {0xDF, 12, "M0 0 L0 15 A5 15 5 5 180 -60 L4 10 A6 5 6 5 90 -120"}, // sharp s
    {0xDE, 12, "M0 0 L0 20 M0 16 L7 16 A7 10 5 6 90 -90 L0 4"},        // Thorn
    {0xFE, 12, "M0 20 L0 -7 a6 7 6 7 0 360"},                          // thorn
    {0xF0, 12, "a6 6 6 6 0 360 M12 6 A2 7 10 13 0 90 M2 15 L9 20"},    // eth
    {DOTLESS_I, 1, "M0 0 L0 14"},
    {DOTLESS_J, 4, "M4 14 L4 -3 A0 -3 4 4 0 -80"},
};

// Accents of a small letter around its middle; a capital has them 6 higher. Those from the cedilla on stay where they are.
static const struct {
  char mark;
  const char *path;
} marks[] = {
    {'`', "M-3 21 L1 17"},
    {'\'', "M3 21 L-1 17"},
    {'^', "M-4 17 L0 21 L4 17"},
    {'v', "M-4 21 L0 17 L4 21"},
    {'~', "a-2 18 2 2 180 0 A2 18 2 2 180 360"},
    {':', "M-3 18 L-3 19 M3 18 L3 19"},
    {'o', "a0 19 2 2 0 360"},
    {'-', "M-3 18 L3 18"},
    {'u', "a0 21 4 4 180 360"},
    {'"', "M0 21 L-3 17 M5 21 L2 17"},
    {'.', "M0 18 L0 19"},
    {',', "M0 0 L0 -2 L2 -4 L-1 -6"}, // cedilla
    {';', "M2 0 A4 -3 4 3 120 270"},  // ogonek
    {'/', "M-7 -2 L7 16"},            // stroke through a small letter, and
    {'\\', "M-10 -1 L10 21"},         // through a capital
    {'=', "M-9 10 L0 10"},            // bar
    {'t', "M1 17 L9 17"},             // bar of the stem of d
    {'h', "M-9 17 L-1 17"},           // bar of the stem of h
};

/** The letters of U+00C0..U+017F: what they are drawn over, and with which accent; '#': not so, see `spelt`. */
static const char bases[] = "AAAAAA#CEEEEIIIIDNOOOOO#OUUUUY##aaaaaa#ceeeeiiii#nooooo#ouuuuy#y"
                            "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiI###JjKk#LlLlLl##LlNnNnNn###OoOoOo##"
                            "RrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZz#";
static const char accents[] = "`'^~:o#,`'^:`'^:=~`'^~:#\\`'^:'##`'^~:o#,`'^:`'^:#~`'^~:#/`'^:'#:"
                              "--uu;;''^^..vvvv=t--uu..;;vv^^uu..,,^^=h~~--uu;;.###^^,,#'',,vv##=='',,vv###--uu\"\"##"
                              "'',,vv''^^,,vv,,vv==~~--uuoo\"\";;^^^^:''..vv#";

/** What is spelt with other letters. */
static const struct {
  uint32_t code;
  const char *text;
} spelt[] = {
    {0xA0, " "},    {0xA1, "!"},     {0xA2, "c"},    {0xA3, "GBP"},   {0xA4, "*"},    {0xA5, "JPY"},  {0xA6, "|"},
    {0xA7, "S."},   {0xA8, "\""},    {0xA9, "(c)"},  {0xAA, "a"},     {0xAB, "\""},   {0xAC, "-"},    {0xAD, "-"},
    {0xAE, "(R)"},  {0xAF, "-"},     {0xB4, "'"},    {0xB6, "P."},    {0xB8, ","},    {0xBA, "o"},    {0xBB, "\""},
    {0xBC, "1/4"},  {0xBD, "1/2"},   {0xBE, "3/4"},  {0xBF, "?"},     {0xC6, "AE"},   {0xE6, "ae"},   {0x132, "IJ"},
    {0x133, "ij"},  {0x138, "k"},    {0x13F, "L."},  {0x140, "l."},   {0x149, "'n"},  {0x14A, "Ng"},  {0x14B, "ng"},
    {0x152, "OE"},  {0x153, "oe"},   {0x17F, "s"},   {0x2BB, "'"},    {0x2BC, "'"},   {0x2010, "-"},  {0x2011, "-"},
    {0x2012, "-"},  {0x2013, "-"},   {0x2014, "-"},  {0x2018, "'"},   {0x2019, "'"},  {0x201A, ","},  {0x201C, "\""},
    {0x201D, "\""}, {0x201E, "\""},  {0x2022, "*"},  {0x2026, "..."}, {0x202F, " "},  {0x2009, " "},  {0x2032, "'"},
    {0x2033, "\""}, {0x20AC, "EUR"}, {0x2192, "->"}, {0x2212, "-"},   {0x2264, "<="}, {0x2265, ">="}, {0x1E9E, "SS"},
    {0x218, "S"},   {0x219, "s"},    {0x21A, "T"},   {0x21B, "t"},
};

/** Accents that follow their letter. */
static const struct {
  uint32_t code;
  char mark;
} combining[] = {{0x300, '`'}, {0x301, '\''}, {0x302, '^'}, {0x303, '~'}, {0x304, '-'}, {0x306, 'u'}, {0x307, '.'},
                 {0x308, ':'}, {0x30A, 'o'},  {0x30B, '"'}, {0x30C, 'v'}, {0x326, ','}, {0x327, ','}, {0x328, ';'}};

const struct sciara_letter_shape *sciara_letter_shape(uint32_t code) {
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    if (shapes[k].code == code) return &shapes[k];
  return NULL;
}

const char *sciara_letter_mark(char mark) {
  for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
    if (marks[k].mark == mark) return marks[k].path;
  return "";
}

static struct sciara_letter with_accent(uint32_t code) {
  struct sciara_letter letter = {(unsigned char)bases[code - 0xC0], accents[code - 0xC0]};
  const bool above = strchr("`'^v~:o-u\".", letter.mark) != NULL;
  if (letter.base == 'i' && above) letter.base = DOTLESS_I; // the accent takes the place of the dot
  if (letter.base == 'j' && above) letter.base = DOTLESS_J;
  return letter;
}

int sciara_letters_of(uint32_t code, struct sciara_letter letters[SCIARA_LETTERS_MOST]) {
  if (code < ' ' || code == 0x7F) code = ' '; // a line break in a title
  if (sciara_letter_shape(code)) {
    letters[0] = (struct sciara_letter){code, 0};
    return 1;
  }
  if (code >= 0xC0 && code < 0xC0 + sizeof bases - 1 && bases[code - 0xC0] != '#') {
    letters[0] = with_accent(code);
    return 1;
  }
  for (size_t k = 0; k < sizeof combining / sizeof *combining; k++)
    if (combining[k].code == code) {
      letters[0] = (struct sciara_letter){0, combining[k].mark};
      return 1;
    }
  for (size_t k = 0; k < sizeof spelt / sizeof *spelt; k++)
    if (spelt[k].code == code) {
      int count = 0;
      for (const char *c = spelt[k].text; *c; c++) letters[count++] = (struct sciara_letter){(unsigned char)*c, 0};
      if (code >= 0x218 && code <= 0x21B) letters[0].mark = ','; // comma below
      return count;
    }
  return 0;
}
