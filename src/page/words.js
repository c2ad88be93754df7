// SPDX-License-Identifier: Apache-2.0
// Texts and numbers in the language of the page, from the table of the program (src/map/words.def).
"use strict";

const WORDS = {};

function learnWords(data) {
  Object.assign(WORDS, data.words, { decimal: data.decimal });
}

/** The text of an ID, what is in braces replaced by values. */
function say(id, values = {}) {
  return WORDS[id].replace(/\{(\w+)\}/g, (hole, name) => (name in values ? values[name] : hole));
}

/** Why no lava can come to a place of a page that says what is `outside` its window; "": it can. */
function unreachable({ where, beyond }, { outside }) {
  const id = { sea: "PLACE_SEA", NODATA: "PLACE_NODATA", empty: "PLACE_EMPTY" }[where];
  if (where === "outside") return beyond ? say("PLACE_OUTSIDE") : outside;
  return id ? say(id) : "";
}

/** Gives a number as JavaScript writes it the decimal sign of the language. */
function number(value) {
  return String(value).replace(".", WORDS.decimal);
}

/** The same with at most so many digits. */
function rounded(value, digits) {
  return number(Number(value.toPrecision(digits)));
}

/**
 * The same with at most 10 digits, in groups: with commas where the decimal sign is a point, else with thin spaces.
 * Browsers do not know the customs of every language.
 */
function longNumber(value) {
  const [whole, fraction] = String(Number(value.toPrecision(10))).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, WORDS.decimal === "." ? "," : "\u202f");
  return fraction ? `${grouped}${WORDS.decimal}${fraction}` : grouped;
}
