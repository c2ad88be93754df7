// SPDX-License-Identifier: Apache-2.0
// The page of a calibration: the best maps with the observed extents, how the score grew, each unknown against the score,
// and what the extents support; of several searches side by side.

const VERDICTS = { yes: "FIT_FIXED", weakly: "FIT_LOOSE", no: "FIT_FREE" };
const AT_BOUND = 0.01; // of the width of the bounds

/** Four digits, without an exponent where that is short. */
function fourDigits(value) {
  if (value === null) return "";
  const size = Math.abs(value);
  return number(size !== 0 && (size >= 1e6 || size < 1e-4) ? value.toExponential(3) : Number(value.toPrecision(4)));
}

function lastName(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** "scenario.json, observed.gpkg, 2006-07-16T00:00:00Z, within region.gpkg". */
function pairText(pair) {
  const words = [lastName(pair.scenario), lastName(pair.observed)];
  if (pair.date) words.push(pair.date);
  else if (pair.at_s !== null) words.push(durationText(pair.at_s));
  if (pair.region) words.push(say("FIT_REGION", { name: lastName(pair.region) }));
  return words.join(", ");
}

/** The mean J of the extents that are held out, by their weights. */
function heldOutOf(search) {
  const held = search.pairs.filter((pair) => pair.hold_out);
  const sum = (value) => held.reduce((all, pair) => all + value(pair), 0);
  return sum((pair) => pair.weight * pair.jaccard) / sum((pair) => pair.weight);
}

/** Where a value lies between the bounds of its unknown, 0 to 1. */
function coordinateOf({ min, max, log }, value) {
  return log ? Math.log(value / min) / Math.log(max / min) : (value - min) / (max - min);
}

/** Axes of a chart whose vertical axis is the score; `x` gives a share from 0 to 1. */
function scoreChart(label, scores, axes, ticks) {
  const inner = { width: CHART.width - CHART.left - CHART.right, height: CHART.height - CHART.top - CHART.bottom };
  const rows = ticksTo(Math.max(...scores.filter((score) => score !== null)), 3);
  const high = rows[rows.length - 1];
  const x = (share) => CHART.left + inner.width * share;
  const y = (score) => CHART.top + inner.height * (1 - score / high);
  const picture = svg("svg", { viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: "img", "aria-label": label });
  for (const tick of rows) {
    picture.append(svg("path", { class: "axis", d: `M${CHART.left},${y(tick)}h${inner.width}` }));
    const attributes = { x: CHART.left - 4, y: y(tick) + 4, "text-anchor": "end" };
    picture.append(svg("text", attributes, rounded(tick, 6)));
  }
  for (const [share, text] of ticks) {
    const anchor = share === 0 ? "start" : share === 1 ? "end" : "middle";
    picture.append(svg("text", { x: x(share), y: CHART.height - 5, "text-anchor": anchor }, text));
  }
  picture.append(svg("text", { x: CHART.left, y: 11 }, axes));
  return { picture, x, y };
}

/** The best score after each evaluation, and the evaluations after which the search began again. */
function progressChart(search) {
  const { progress, evaluations, restarts } = search;
  const share = (evaluation) => evaluation / evaluations;
  const ticks = ticksTo(evaluations, 5).filter((tick) => tick <= evaluations && Number.isInteger(tick));
  const scores = progress.map(([, score]) => score);
  const { picture, x, y } = scoreChart(say("FIT_PROGRESS"), scores, say("FIT_PROGRESS_AXES"),
    ticks.map((tick) => [share(tick), longNumber(tick)]));
  for (const restart of restarts) {
    picture.append(svg("path", { class: "now", d: `M${x(share(restart)).toFixed(1)},${CHART.top}V${y(0).toFixed(1)}` }));
  }
  const path = progress.map(([evaluation, score], i) =>
    `${i ? "H" : "M"}${x(share(evaluation)).toFixed(2)}${i ? "V" : ","}${y(score).toFixed(2)}`).join("");
  picture.append(svg("path", { class: "curve series-1", d: `${path}H${x(1).toFixed(2)}` }));
  return picture;
}

/** A value of an unknown: where its bounds are close together, as of coordinates, to about a thousandth of their distance. */
function unknownText({ min, max, log }, value) {
  if (value === null || log || max - min > 0.01 * Math.max(Math.abs(min), Math.abs(max))) return fourDigits(value);
  return longNumber(Number(value.toFixed(Math.max(0, Math.ceil(3 - Math.log10(max - min))))));
}

/** The keys whose best value lies at a bound; of a position both of them, at the rim of its disc. */
function keysAtBound(unknowns) {
  const found = new Map();
  for (const one of unknowns) {
    const name = one.disc ?? one.key, [keys, square] = found.get(name) ?? [[], 0];
    found.set(name, [[...keys, one.key], square + (2 * coordinateOf(one, one.best) - 1) ** 2]);
  }
  return [...found.values()].filter(([, square]) => Math.sqrt(square) > 1 - 2 * AT_BOUND).map(([keys]) => keys.join(", "));
}

/** The values of an unknown and their scores; of a design that fills the bounds accepted sets are stronger. */
function unknownChart(search, unknown) {
  const { scores, bounds, score, accepted, accepted_part: part } = search;
  const middle = unknown.log ? Math.sqrt(unknown.min * unknown.max) : (unknown.min + unknown.max) / 2;
  const ticks = [unknown.min, middle, unknown.max].map((value, i) => [i / 2, unknownText(unknown, value)]);
  const { picture, x, y } = scoreChart(say("FIT_SCATTER_AXES", { key: unknown.key }), [...scores, score],
    say("FIT_SCATTER_AXES", { key: unknown.key }), ticks);
  const paths = { stopped: "", others: "", accepted: "" };
  const add = (kind, i, value) => {
    paths[kind] += `M${x(coordinateOf(unknown, unknown.values[i])).toFixed(2)},${y(value).toFixed(2)}h0`;
  };
  scores.forEach((one, i) => {
    if (bounds[i] !== null) add("stopped", i, bounds[i]);
    if (one !== null) add(accepted > 0 && one >= part * score ? "accepted" : "others", i, one);
  });
  picture.append(svg("path", { class: "dots stopped", d: paths.stopped }));
  picture.append(svg("path", { class: "dots series-2", d: paths.others }));
  picture.append(svg("path", { class: "dots accepted series-1", d: paths.accepted }));
  picture.append(svg("circle", { class: "best", cx: x(coordinateOf(unknown, unknown.best)), cy: y(score), r: 5 }));
  return picture;
}

/** A table of texts, the first row as heads; wide ones scroll. */
function tableOf(id, rows) {
  const table = html("table");
  table.id = id;
  for (const [i, texts] of rows.entries()) {
    const row = html("tr");
    row.append(...texts.map((text, k) => html(i === 0 || k === 0 ? "th" : "td", text)));
    table.append(row);
  }
  const frame = html("div", "", "scroll");
  frame.append(table);
  return frame;
}

/** The best map of each search with each observed extent, unpacked when it is first shown. */
class Maps {
  static async read(data, first) {
    const maps = new Maps();
    maps.list = [data, ...data.calibration.maps];
    maps.count = data.calibration.searches.length; // of each pair
    maps.frames = [first];
    for (let search = 1; search < maps.count; search++) await maps.of(search, 0);
    return maps;
  }

  /** What a map has, and what it has in common with an earlier one. */
  whole(index) {
    const own = this.list[index];
    return index === 0 ? own : { ...this.whole(own.like), ...own };
  }

  async of(search, pair) {
    const index = pair * this.count + search;
    if (!this.frames[index]) this.frames[index] = await Frames.read(this.whole(index));
    return this.frames[index];
  }
}

class CalibrationPage extends StillPage {
  constructor(frames, maps) {
    super(frames);
    this.maps = maps;
    this.searches = this.data.calibration.searches;
    this.shown = { search: 0, pair: 0 };
  }

  get search() {
    return this.searches[this.shown.search];
  }

  get pair() {
    return this.search.pairs[this.shown.pair];
  }

  start() {
    document.body.classList.add("of-calibration");
    super.start();
    this.offerSearches();
    this.offerPairs();
    this.tellSearch();
  }

  tellSearch() {
    byId("search").replaceChildren(...this.aboutScores());
    byId("unknowns").replaceChildren(...this.aboutUnknowns(), ...this.aboutSupport());
  }

  /** Shows the map of a search with an observed extent. */
  async show(search, pair) {
    const shown = { search, pair };
    this.shown = shown;
    const all = await Promise.all(this.searches.map((_, k) => this.maps.of(k, pair)));
    if (this.shown !== shown) return; // another one was chosen meanwhile
    const { shows } = this.map;
    this.frames = all[search];
    this.data = this.frames.data;
    this.field = this.data.fields.find((one) => one.name === this.field.name) || this.data.fields[0];
    this.map = new LavaMap(this.frames, byId("map"));
    this.map.shows = shows;
    this.tellAbout();
    this.offerFields();
    this.map.resize();
    this.showField();
    this.showFrame(0);
    this.zoomed();
    this.tellSearch();
  }

  offerSearches() {
    if (this.searches.length < 2) return;
    byId("searches").replaceChildren(...this.searches.map((search, k) => {
      const label = html("label");
      const button = document.createElement("input");
      Object.assign(button, { type: "radio", name: "search", value: search.name, checked: k === this.shown.search });
      button.addEventListener("change", () => this.show(k, this.shown.pair));
      label.append(button, search.name);
      return label;
    }));
  }

  offerPairs() {
    const { pairs } = this.search;
    if (pairs.length < 2) return;
    const list = document.createElement("select");
    list.setAttribute("aria-label", say("FIT_EXTENTS"));
    list.append(...pairs.map((pair) => new Option(pairText(pair))));
    list.addEventListener("change", () => this.show(this.shown.search, list.selectedIndex));
    byId("pairs_choice").replaceChildren(list);
  }

  /** The searches side by side: their scores, and their maps of the chosen extent. */
  compare() {
    if (this.searches.length < 2) return;
    const held = this.searches[0].pairs.some((pair) => pair.hold_out);
    const heads = [say("FIT_SEARCH_NAME"), say("FIT_RULE"), "J", ...(held ? [say("FIT_HELD_OUT")] : []), say("FIT_COUNT")];
    const rows = this.searches.map((search) => [search.name, search.rule, fourDigits(search.score),
      ...(held ? [fourDigits(heldOutOf(search))] : []), longNumber(search.evaluations)]);
    const maps = html("div", "", "charts");
    maps.append(...this.searches.map((search, k) => this.figure(search, k)));
    byId("compared").replaceChildren(html("h2", say("FIT_SEARCHES")), tableOf("rules", [heads, ...rows]),
      html("p", say("FIT_MAPS_OF", { name: pairText(this.pair) }), "note"), maps);
    for (const [k, canvas] of [...maps.querySelectorAll("canvas")].entries()) this.drawSmall(canvas, k);
  }

  figure(search, k) {
    const one = html("div");
    const { jaccard } = search.pairs[this.shown.pair];
    one.append(html("h3", `${search.name}${say("COLON")}J ${fourDigits(jaccard)}`), document.createElement("canvas"), progressChart(search));
    one.querySelector("canvas").addEventListener("click", () => {
      byId("searches").querySelectorAll("input")[k].click();
    });
    return one;
  }

  /** In the colours of the chosen field, whose scale the maps have in common. */
  drawSmall(canvas, k) {
    const first = this.shown.pair * this.maps.count;
    const all = this.maps.frames.slice(first, first + this.maps.count);
    const fields = all.map(({ data }) => data.fields.find((one) => one.name === this.field.name));
    const map = new LavaMap(all[k], canvas);
    map.resize();
    map.paint({ ...fields[k], high: Math.max(...fields.map((one) => one.high)) }, 0);
    new ResizeObserver(() => canvas.clientWidth !== map.size.width && map.resize()).observe(canvas);
  }

  tellAbout() {
    super.tellAbout();
    const { data, search } = this;
    const { grid } = data;
    document.title = byId("title").textContent = data.title || say("FIT_TITLE");
    const cells = say("PAGE_GRID", { rows: grid.rows, cols: grid.cols, cell: number(grid.cell_m) });
    byId("subtitle").textContent = `${cells}, ${data.crs || say("NO_CRS")}`;
    byId("observed_name").textContent = pairText(this.pair);
    byId("found").textContent = [
      (search.name ? `${search.name}${say("COLON")}` : "") +
        say("FIT_BEST", { score: fourDigits(search.score), number: longNumber(search.best) }),
      say("FIT_EVALUATIONS", {
        finished: longNumber(search.evaluations), budget: longNumber(search.budget), design: search.design,
        failed: longNumber(search.without_score),
      }),
    ].join(" ");
  }

  showField() {
    super.showField();
    const step = valueText(this.field, this.field.step);
    byId("quantisation").textContent = say("HAZARD_STEPS", { field: this.field.about, step });
    this.compare();
  }

  showCell() {}

  aboutScores() {
    const { search } = this;
    const pairs = search.pairs.map((pair) =>
      [pairText(pair), fourDigits(pair.jaccard), pair.hold_out ? say("FIT_HELD_OUT") : fourDigits(pair.weight)]);
    const table = tableOf("pairs", [["", "J", say("FIT_WEIGHT")], ...pairs]);
    return [html("h2", say("FIT_PROGRESS")), progressChart(search), html("h2", say("FIT_EXTENTS")), table];
  }

  aboutUnknowns() {
    const { search } = this;
    const charts = html("div", "", "charts");
    for (const unknown of search.unknowns) {
      const one = html("div");
      one.append(html("h3", unknown.key), unknownChart(search, unknown));
      charts.append(one);
    }
    const notes = [say("FIT_LEGEND")];
    if (search.stopped > 0) notes.push(say("FIT_STOPPED", { count: longNumber(search.stopped) }));
    const shown = search.numbers.length;
    if (shown < search.evaluations) {
      notes.push(say("FIT_DRAWN", { shown: longNumber(shown), all: longNumber(search.evaluations) }));
    }
    return [html("h2", say("FIT_SCATTER")), html("p", notes.join(" "), "note"), charts];
  }

  /** What is not identifiable, in words and numbers. */
  aboutSupport() {
    const { search } = this;
    const { unknowns } = search;
    const known = unknowns[0].spread !== null;
    const sentences = [];
    if (search.design === "cma-es") sentences.push(say("FIT_SEARCH"));
    if (["lhs", "sobol"].includes(search.design)) {
      const accepted = longNumber(search.accepted);
      sentences.push(say("FIT_ACCEPTED", { accepted, part: number(search.accepted_part) }));
      if (!known) sentences.push(say("FIT_FEW", { least: search.accepted_least }));
    }
    for (const key of keysAtBound(unknowns)) sentences.push(say("FIT_AT_BOUND", { key }));
    unknowns.forEach((a, i) => unknowns.slice(0, i).forEach((b, k) => {
      const value = a.correlation[k];
      if (value === null || Math.abs(value) < search.together) return;
      sentences.push(say("FIT_TOGETHER", { a: b.key, b: a.key, value: number(value.toFixed(2)) }));
    }));
    const heads = [say("FIT_UNKNOWN"), say("FIT_BEST_VALUE")];
    if (known) heads.push(say("FIT_MEDIAN"), say("FIT_RANGE"), say("FIT_SPREAD"), "");
    const rows = unknowns.map((one) => this.supportOf(one, known));
    const parts = [html("h2", say("FIT_SUPPORT")), ...sentences.map((text) => html("p", text)), tableOf("support", [heads, ...rows])];
    if (known && unknowns.length > 1) parts.push(...this.correlations());
    if (search.effects) parts.push(...this.effects());
    return parts;
  }

  supportOf(unknown, known) {
    const row = [unknown.key, unknownText(unknown, unknown.best)];
    if (!known) return row;
    const range = `${unknownText(unknown, unknown.low)} \u2013 ${unknownText(unknown, unknown.high)}`;
    return [...row, unknownText(unknown, unknown.median), range, number(unknown.spread.toFixed(2)), say(VERDICTS[unknown.identifiable])];
  }

  correlations() {
    const { unknowns } = this.search;
    const heads = ["", ...unknowns.map((one) => one.key)];
    const text = (value) => (value === null ? "" : number(value.toFixed(2)));
    const rows = unknowns.map((one) => [one.key, ...one.correlation.map(text)]);
    return [html("h2", say("FIT_CORRELATION")), tableOf("correlation", [heads, ...rows])];
  }

  effects() {
    const { search } = this;
    const rows = search.unknowns.map((one) => [one.key, ...one.effects.map(fourDigits)]);
    const values = { used: longNumber(search.effects_used), all: longNumber(search.effects_of) };
    return [html("h2", say("FIT_EFFECTS", values)), tableOf("effects", [[say("FIT_UNKNOWN"), ...search.effects], ...rows])];
  }
}
