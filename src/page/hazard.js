// SPDX-License-Identifier: Apache-2.0
// The page of an ensemble: probabilities instead of snapshots, and what threatens the chosen place.

/** "24 h", "90 min", "2 d": a time in the largest unit that it is a multiple of. */
function timeText(seconds) {
  const [name, size] = [[say("DAY"), 86400], ["h", 3600], ["min", 60]].find(([, one]) => seconds % one === 0) || ["s", 1];
  return `${number(seconds / size)} ${name}`;
}

/** When members end whose lava is still liquid: {time: "1 d" or "6 h\u20131 d", after: what, date: that of a single time}. */
function endText({ start, hazard: { after, liquid: { from_s: from, to_s: to } } }) {
  const times = [...new Set([durationText(from), durationText(to)])];
  return { time: times.join("\u2013"), after: say(after), date: times.length === 1 ? dateText(start, to) : "" };
}

/** Gives each layer its name in the language of the page. */
function labelLayers(data) {
  const { liquid } = data.hazard;
  for (const layer of data.fields) {
    const value = layer.value_unit === "s" ? timeText(layer.value) + dateText(data.start, layer.value) : number(layer.value);
    const map = say(layer.word, { value, years: number(layer.years) });
    const ends = liquid.members > 0 && layer.of_end;
    layer.label = layer.about = ends ? say("HAZARD_UNTIL", { map, ...endText(data) }) : map;
  }
}

/** The vents and classes with the largest fractions, by blocks of cells. */
class Threats {
  static async read(data) {
    const threats = new Threats();
    const { hazard } = data;
    Object.assign(threats, { hazard, box: data.box });
    for (const kind of ["vents", "events"]) {
      const { names, data: packed } = hazard[kind];
      const blocks = hazard.block_rows * hazard.block_cols;
      threats[kind] = names.length > 0 ? undoDifferences(await unpack(packed), 2 * hazard.ranks, blocks) : null;
    }
    return threats;
  }

  /** [{name, share}] in percent, the largest first, for a cell of the grid. */
  at(kind, { row, col }) {
    const { hazard, box } = this;
    const r = Math.floor((row - box[0]) / hazard.block);
    const c = Math.floor((col - box[1]) / hazard.block);
    if (!this[kind] || r < 0 || c < 0 || r >= hazard.block_rows || c >= hazard.block_cols) return [];
    const blocks = hazard.block_rows * hazard.block_cols;
    const level = (rank) => this[kind][rank * blocks + r * hazard.block_cols + c];
    const found = [];
    for (let rank = 0; rank < hazard.ranks && level(rank) > 0; rank++) {
      const share = (100 * level(hazard.ranks + rank)) / hazard.share;
      found.push({ name: hazard[kind].names[level(rank) - 1], share });
    }
    const left = 100 - found.reduce((sum, one) => sum + one.share, 0);
    if (found.length === hazard.ranks && left > 0.05) found.push({ name: say("HAZARD_OTHERS"), share: left });
    return found;
  }
}

/** Circles, by their cells, at what was said of classes of probabilities and the share that was covered; equal on the diagonal. */
function drawReliability(classes, text) {
  const side = 180;
  const x = (share) => CHART.left + side * share;
  const y = (share) => CHART.top + side * (1 - share);
  const height = CHART.top + side + 36;
  const label = say("HAZARD_VERIFIED");
  const picture = svg("svg", { viewBox: `0 0 ${CHART.width} ${height}`, role: "img", "aria-label": label });
  for (const share of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
    picture.append(svg("path", { class: "axis", d: `M${x(0)},${y(share)}h${side}M${x(share)},${y(0)}v${-side}` }));
    picture.append(svg("text", { x: x(0) - 4, y: y(share) + 4, "text-anchor": "end" }, 100 * share));
    picture.append(svg("text", { x: x(share), y: y(0) + 14, "text-anchor": "middle" }, 100 * share));
  }
  picture.append(svg("path", { class: "now", d: `M${x(0)},${y(0)}L${x(1)},${y(1)}` }));
  picture.append(svg("text", { x: CHART.left, y: 11 }, say("HAZARD_VERIFIED_COVERED")));
  picture.append(svg("text", { x: x(1), y: height - 5, "text-anchor": "end" }, say("HAZARD_VERIFIED_SAID")));
  const most = Math.max(...classes.map((one) => one.cells));
  for (const one of classes) {
    const r = 2 + 7 * Math.sqrt(one.cells / most);
    const place = { cx: x(one.mean).toFixed(1), cy: y(one.observed).toFixed(1), r: r.toFixed(1) };
    const mark = svg("circle", { class: one.off ? "series-1" : "series-2", fill: "currentColor", "fill-opacity": 0.6, ...place });
    mark.append(svg("title", {}, text(one)));
    picture.append(mark);
  }
  return picture;
}

class HazardMap extends LavaMap {
  placesShown() {
    return this.frames.data.hazard.sites;
  }
}

class HazardPage extends StillPage {
  constructor(frames, threats) {
    super(frames);
    this.threats = threats;
    this.map = new HazardMap(frames, byId("map"));
    this.layers = new Map(this.data.fields.map((layer) => [layer.name, layer]));
    this.allFields = this.data.fields;
  }

  start() {
    document.body.classList.add("of-ensemble");
    this.data.fields = this.allFields.filter((layer) => layer.shown);
    super.start();
  }

  tellAbout() {
    super.tellAbout();
    const { grid, crs, hazard } = this.data;
    const { finished, liquid, censored } = hazard;
    document.title = byId("title").textContent = this.data.title;
    const cells = say("PAGE_GRID", { rows: grid.rows, cols: grid.cols, cell: number(grid.cell_m) });
    byId("subtitle").textContent = `${cells}, ${crs || say("NO_CRS")}`;
    byId("members").textContent = [
      say("HAZARD_MEMBERS", { finished: longNumber(hazard.finished), members: longNumber(hazard.members) }),
      ...(hazard.stopped ? [say("HAZARD_ENOUGH")] : []),
      ...(hazard.full ? [say("HAZARD_FULL")] : []),
      ...this.tellStart(),
      ...(liquid.members > 0 ? [say("HAZARD_LIQUID", { members: liquid.members, finished, ...endText(this.data) })] : []),
      ...(censored > 0 ? [say("HAZARD_CENSORED", { censored, finished })] : []),
    ].join(" ");
    if (this.data.vents.some((vent) => vent.weight !== undefined)) {
      byId("vents_key").classList.add("weighted");
      byId("vents_name").textContent = say("VENT_WEIGHTED");
    }
    byId("vents_label").hidden = this.data.vents.length === 0 && hazard.sites.length === 0;
    this.showKey(hazard.sites);
    this.tellVerification();
  }

  /** What `sciara verify` found: which share of each class of probabilities was covered. */
  tellVerification() {
    const { start, hazard: { verification: found, time_zero_s: zero } } = this.data;
    if (!found) return;
    const scores = found.beyond_start || found.all;
    const classes = scores.said.filter((one) => one.cells > 0);
    const digits = (share) => number((100 * share).toFixed(1));
    const name = (one) => (one.from === one.to ? `${100 * one.from} %` : say("HAZARD_BOUNDS", { low: 100 * one.from, high: 100 * one.to }));
    const text = (one) => [
      say("HAZARD_VERIFIED_CLASS", { share: digits(one.observed), cells: longNumber(one.cells) }),
      ...(one.off ? [say("HAZARD_VERIFIED_OFF")] : []),
    ].join("; ");
    const score = (value) => number(value.toFixed(4));
    const time = found.at_s === null ? "\u221e" : durationText(found.at_s) + dateText(start, found.at_s - zero);
    const said = [
      say("HAZARD_VERIFIED_BY", { name: found.observed, time }),
      ...(found.beyond_start ? [say("HAZARD_VERIFIED_BEYOND")] : []),
      say("HAZARD_VERIFIED_SCORES", {
        brier: score(scores.brier), still: score(scores.brier_nothing_moves), share: score(scores.brier_base_rate),
      }),
    ];
    byId("verified").replaceChildren(
      html("h2", say("HAZARD_VERIFIED")), html("p", said.join(" "), "note"),
      drawReliability(classes, (one) => `${name(one)}${say("COLON")}${text(one)}`),
      pairsOf(classes.map((one) => [name(one), text(one)])),
    );
  }

  /** From when times count, where that is no simulated time 0 without a date. */
  tellStart() {
    const { start, hazard } = this.data;
    const zero = hazard.time_zero_s;
    const date = dateText(start, 0);
    const from = hazard.after === "AFTER_OUTLINE" ? "HAZARD_TIME_OUTLINE" : "HAZARD_TIME_ZERO";
    if (zero > 0) return [say(from, { time: durationText(zero) + date })];
    return date ? [say("HAZARD_DATE_ZERO", { time: date.slice(2, -1) })] : [];
  }

  showField() {
    super.showField();
    const step = `${number(this.field.step)} ${this.field.unit}`;
    const steps = say("HAZARD_STEPS", { field: this.field.label, step });
    byId("quantisation").textContent = this.field.of_hits ? `${steps} ${say("HAZARD_OF_HITS")}` : steps;
    byId("condition").textContent = say(this.field.years > 0 ? "YEARS_CONDITION" : this.data.hazard.condition);
    this.showClasses();
    this.showSites();
  }

  /** The bar in classes, with their edges below it. */
  showClasses() {
    const { field } = this;
    const { edges } = field;
    byId("edges").hidden = edges.length === 0;
    if (edges.length === 0) return;
    const colours = coloursOf(field);
    const level = (value) => 1 + (value - field.base) / field.step;
    const middle = (k) => (k === 0 ? edges[0] / 2 : k < edges.length ? (edges[k - 1] + edges[k]) / 2 : 2 * edges[k - 1]);
    const stops = [...edges, 0].flatMap((_, k) => [k, k + 1].map((end) => `rgb(${[...colours(level(middle(k)))]}) ${(100 * end) / (edges.length + 1)}%`));
    byId("ramp").style.background = `linear-gradient(to right, ${stops})`;
    byId("low").textContent = byId("high").textContent = "";
    const text = (value) => (field.unit === "s" ? timeText(value) : `${number(value)} ${field.unit}`);
    byId("edges").replaceChildren(...edges.map((edge) => html("span", text(edge))), html("span", ""));
  }

  /** The value of a layer at a cell; null: there is none. */
  valueAt(layer, cell) {
    const index = this.frames.index(cell.row, cell.col);
    if (index < 0) return layer.elsewhere;
    const level = this.frames.level(layer, 0, index);
    if (level > 0) return valueOf(layer, level);
    return layer.zero_is_empty ? 0 : null;
  }

  textAt(layer, cell) {
    const value = this.valueAt(layer, cell);
    if (value === null) return this.frames.index(cell.row, cell.col) < 0 ? say("NO_LAVA") : say("HAZARD_FEW");
    if (layer.unit !== "%") return valueText(layer, value);
    const part = (name) => {
      const other = this.layers.get(`${layer.name}_${name}`);
      return other ? this.valueAt(other, cell) : null;
    };
    return this.chanceText({
      value, low: part("low"), high: part("high"), from: part("interval_95_low"), to: part("interval_95_high"),
      difference: part("grid_difference"), bound: layer.zero_bound,
    });
  }

  /** "12.50 % [95 %: 8.10 to 18.20 %] (10.00 to 15.00 %)", as far as it is known; of 0 the bound. All in percent. */
  chanceText({ value, low, high, from, to, difference, bound }) {
    const digits = (percent) => number(percent.toFixed(2));
    const range = (least, most) => say("HAZARD_BOUNDS", { low: digits(least), high: digits(most) });
    const words = [`${digits(value)} %`];
    if (value > 0 && from !== null && to !== null) words.push(`[95 %: ${range(from, to)}]`);
    if (low !== null && high !== null && (low !== 0 || high !== 0)) words.push(`(${range(low, high)})`);
    const notes = [words.join(" ")];
    if (value > 0 && difference !== null) notes.push(say("HAZARD_GRID_DIFFERENCE", { value: digits(difference) }));
    if (value === 0) notes.push(bound === null ? say("HAZARD_NO_BOUND") : say("HAZARD_ZERO_BOUND", { bound: digits(bound) }));
    return notes.join("; ");
  }

  showCell() {
    byId("threats").replaceChildren();
    const cell = this.map.chosen;
    if (!cell) return;
    const { hazard, grid } = this.data;
    const said = [];
    if (this.frames.index(cell.row, cell.col) < 0) said.push(html("p", say("HAZARD_NONE")));
    const reached = said.length === 0;
    let some = false;
    for (const [kind, word] of [["vents", "HAZARD_VENTS"], ["events", "HAZARD_EVENTS"]]) {
      const list = reached ? this.threats.at(kind, cell) : [];
      if (list.length === 0) continue;
      some = true;
      const table = pairsOf(list.map(({ name, share }) => [name, `${number(share.toFixed(2))} %`]));
      table.id = `threat-${kind}`;
      said.push(html("h2", say(word)), table);
    }
    const metres = number(hazard.block * grid.cell_m);
    if (some) said.push(html("p", say("HAZARD_BLOCK", { metres, ranks: hazard.ranks }), "note"));
    byId("threats").replaceChildren(...said);
  }

  /** What the table of sites is about: the map, or where that is no probability the first one. */
  siteLayer() {
    return this.field.unit === "%" ? this.field : this.allFields.find((layer) => layer.shown && layer.unit === "%");
  }

  /** The numbers of a site for a layer, as in sites.csv. */
  siteText(site, layer) {
    const { site_columns: columns } = this.data.hazard;
    const part = (suffix) => {
      const found = site.chances[columns.indexOf(`${layer.name}${suffix}`)] ?? null;
      return found === null ? null : 100 * found;
    };
    const value = part("");
    if (value === null) return unreachable(site, this.data);
    const [low, high] = part("_low") === part("_high") ? [null, null] : [part("_low"), part("_high")];
    return this.chanceText({
      value, low, high, from: part("_interval_95_low"), to: part("_interval_95_high"),
      difference: part("_grid_difference"), bound: layer.zero_bound,
    });
  }

  showSites() {
    const { sites, site_quantile: quantile } = this.data.hazard;
    const layer = this.siteLayer();
    if (sites.length === 0 || !layer) return;
    const table = pairsOf(sites.map((site) => {
      const time = site.arrival === null ? "" : durationText(site.arrival) + dateText(this.data.start, site.arrival);
      const arrival = site.at_start ? say("PLACE_AT_START") : time;
      return [this.placeButton(site), [this.siteText(site, layer), arrival].filter(Boolean).join("; ")];
    }));
    const map = `${say("HAZARD_CHANCE")}${say("COLON")}${layer.label}`;
    const soon = sites.some((site) => site.arrival !== null);
    const about = soon ? say("HAZARD_SITE_COLUMNS", { map, value: number(100 * quantile) }) : map;
    const rates = layer.years > 0 ? `. ${say("HAZARD_SITE_YEARS")}` : "";
    byId("sites").replaceChildren(html("h2", say("HAZARD_SITES")), html("p", about + rates, "note"), table);
  }
}
