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

/** Why no lava can come to a place of a page with this data; "": it can. */
function unreachable({ where }, { dem_window: window, dem_margin_m: metres }) {
  if (where === "outside" && metres) return say("PLACE_BEYOND_MARGIN", { metres: number(metres) });
  if (where === "outside" && window) return say("PLACE_BEYOND_WINDOW");
  const id = { sea: "PLACE_SEA", NODATA: "PLACE_NODATA", outside: "PLACE_OUTSIDE", empty: "PLACE_EMPTY" }[where];
  return id ? say(id) : "";
}

/** Gives a number as JavaScript writes it the decimal sign of the language. */
function number(value) {
  return String(value).replace(".", WORDS.decimal);
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
