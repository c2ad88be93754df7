// SPDX-License-Identifier: Apache-2.0
// Ties map, slider, curves and tables together.

const FRAMES_PER_SECOND = 8;
const MOST_BUTTONS = 6; // fields
const byId = (id) => document.getElementById(id);

class Page {
  constructor(frames) {
    this.frames = frames;
    this.data = frames.data;
    this.frame = this.data.frames.length - 1;
    this.field = this.data.fields[0];
    this.map = new LavaMap(frames, byId("map"));
    this.marks = [];
    this.timer = null;
  }

  start() {
    this.tellAbout();
    this.showPlaces();
    this.offerFields();
    this.drawCurves();
    this.listen();
    this.map.resize();
    this.showField();
    this.showCell();
    this.showFrame(this.frame);
  }

  // ------------------------------------------------------------------------------------------------ what stays

  tellAbout() {
    const { data } = this;
    const { grid } = data;
    if (data.title) document.title = byId("title").textContent = data.title;
    const shown = data.frames.length;
    const some = shown < data.snapshots;
    const frames = say(some ? "PAGE_SOME_SNAPSHOTS" : "PAGE_SNAPSHOTS", { shown, all: data.snapshots });
    const cells = say("PAGE_GRID", { rows: grid.rows, cols: grid.cols, cell: number(grid.cell_m) });
    byId("subtitle").textContent = `${frames}; ${cells}, ${data.crs || say("NO_CRS")}`;
    this.showWarnings();
    const precision = { double: "PAGE_DOUBLE", single: "PAGE_SINGLE" }[data.precision];
    const made = [data.source, data.engine && say("PAGE_ENGINE", { name: data.engine }), precision && say(precision)];
    byId("made").textContent = made.filter(Boolean).join(", ");
    byId("scenario").textContent = this.scenarioText();
    for (const id of ["observed", "edits"]) byId(`${id}_label`).hidden = !data[id];
    byId("vents_label").hidden = data.vents.length === 0;
    this.showKey(data.places || []);
    const dates = [["ISSUED", data.issued], ["VALID_UNTIL", data.valid_until]].filter(([, date]) => date);
    data.validity = dates.map(([word, date]) => `${say(word)} ${date}`).join(". ");
    for (const id of ["assumed", "stamp", "validity", "credits"]) {
      byId(id).hidden = !data[id];
      byId(id).textContent = data[id] || "";
    }
    byId("key_sea").hidden = !this.frames.shade.includes(SEA_SHADE);
    byId("key_no_data").hidden = !this.frames.shade.includes(0);
    byId("observed_name").textContent = data.observed_name || "";
    byId("slider").max = shown - 1;
    byId("play").disabled = shown < 2;
  }

  /** The key has the marks that are on the map. */
  showKey(places) {
    const { vents } = this.data;
    byId("vents_key").hidden = !vents.some(({ points }) => points.length === 1);
    byId("fissures_key").hidden = !vents.some(({ points }) => points.length > 1);
    for (const kind of ["point", "line", "zone"]) {
      byId(`key_${kind}`).hidden = !places.some((place) => place.kind === kind && place.parts.length > 0);
    }
  }

  /** What lava does to places, the earliest first; of a line or a zone how much of it is covered. */
  showPlaces() {
    const { places } = this.data;
    if (!places) return;
    const table = pairsOf(places.map((place) => [this.placeButton(place), this.placeText(place)]));
    const about = html("p", say("PLACE_COLUMNS"), "note");
    byId("places").replaceChildren(html("h2", say("PLACES")), about, table);
  }

  /** The name of a place, which chooses its cell. */
  placeButton(place) {
    const button = html("button", place.name);
    button.type = "button";
    button.disabled = this.map.cellOf(place) === null;
    button.addEventListener("click", () => this.choose(this.map.cellOf(place)));
    return button;
  }

  placeText(place) {
    const { where, kind, arrival, deposit, covered, land, mapped } = place;
    if (where === "not reached") return say("PLACE_NOT_REACHED");
    if (where !== "reached") return unreachable(place, this.data);
    const said = [arrival === null ? "" : durationText(arrival) + dateText(this.data.start, arrival), `${rounded(deposit, 3)} m`];
    const share = rounded((100 * covered) / land, 3);
    const unit = { line: "m", zone: "m\u00b2" }[kind];
    if (unit) said.push(`${longNumber(Math.round(covered))} ${unit} (${share} %)`);
    if (mapped) said.push(say("PLACE_MAPPED"));
    return said.filter(Boolean).join("; ");
  }

  /** What the run noticed. A kind that this page does not know is shown in the words of the program. */
  showWarnings() {
    const { warnings, ground_warning: ground } = this.data;
    const details = warnings.map(({ kind, text, row, col, time_s: time, height_m: height }) => {
      const id = { vent: "WARNING_VENT", tower: "WARNING_TOWER" }[kind];
      const metres = height === null ? "?" : rounded(height, 3);
      return id ? say(id, { row, col, time: durationText(time), height: metres }) : text;
    });
    if (warnings.length > 0) details.unshift(say("WARNING"));
    if (warnings.length > 0) details.push(say("WARNING_CURE", { radius: "radius_m", width: "width_m" }));
    if (ground) details.push(ground);
    byId("warning").hidden = details.length === 0;
    byId("warning").replaceChildren(...details.map((text) => html("p", `${text}.`)));
  }

  scenarioText() {
    try {
      return JSON.stringify(JSON.parse(this.data.scenario), null, 2);
    } catch {
      return this.data.scenario || say("PAGE_UNKNOWN");
    }
  }

  /** A few fields are buttons; more of them are a list, which takes one line of the page. */
  offerFields() {
    const { fields } = this.data;
    const choose = (field) => {
      this.field = field;
      this.showField();
      this.showCell();
      this.showFrame(this.frame);
    };
    byId("fields").replaceChildren(...(fields.length > MOST_BUTTONS ? [this.fieldList(choose)] : this.fieldButtons(choose)));
  }

  fieldButtons(choose) {
    return this.data.fields.map((field) => {
      const label = html("label");
      const button = document.createElement("input");
      Object.assign(button, { type: "radio", name: "field", value: field.name, checked: field === this.field });
      button.addEventListener("change", () => choose(field));
      label.title = field.about;
      label.append(button, field.label);
      return label;
    });
  }

  fieldList(choose) {
    const list = document.createElement("select");
    list.setAttribute("aria-label", byId("fields").getAttribute("aria-label"));
    list.append(...this.data.fields.map((field) => new Option(field.label, field.name, false, field === this.field)));
    list.addEventListener("change", () => choose(this.data.fields[list.selectedIndex]));
    return list;
  }

  drawCurves() {
    const { frames: records, grid } = this.data;
    const { times } = this.frames;
    const choose = (frame) => this.showFrame(frame);
    const column = (key) => records.map((frame) => frame[key]);
    const most = Math.max(...column("emitted_m3"), ...column("initial_m3"));
    const scales = [[1e6, "10\u2076 m\u00b3"], [1e3, "10\u00b3 m\u00b3"], [1, "m\u00b3"]];
    const [size, unit] = scales.find(([one]) => most >= one) || scales[2];
    const curve = (word, values) => ({ name: say(word), values });
    const series = [
      curve("PAGE_EMITTED", column("emitted_m3")), curve("PAGE_LIQUID", column("liquid_m3")), curve("PAGE_SOLID", column("solid_m3")),
      ...[curve("PAGE_LEFT_MAP", column("lost_m3")), curve("PAGE_ENTERED_SEA", records.map((frame) => frame.sea_m3 || 0))]
        .filter(({ values }) => values.some((volume) => volume > 0)),
    ];
    const missing = say("PAGE_UNKNOWN");
    const volume = { label: say("PAGE_VOLUME_CURVE"), size, unit, text: volumeText, missing, choose };
    this.marks.push(drawChart(byId("volume"), times, series, volume));

    const [square, squares] = grid.cell_m < 1 ? [1, "m\u00b2"] : [1e6, "km\u00b2"];
    const cell = grid.cell_m ** 2 / square;
    const area = (key) => column(key).map((cells) => (cells === null ? null : cells * cell));
    const areas = [curve("PAGE_COVERED", area("covered_cells")), curve("PAGE_LIQUID", area("liquid_cells"))];
    if (areas[0].values.every((one) => one === null)) areas.shift();
    const text = (value) => `${rounded(value, 4)} ${squares}`;
    const extent = { label: say("PAGE_AREA_CURVE"), size: 1, unit: squares, text, missing, choose };
    this.marks.push(drawChart(byId("area"), times, areas, extent));
  }

  // --------------------------------------------------------------------------------------- what the user changes

  showField() {
    const { field } = this;
    byId("low").textContent = valueText(field, field.base);
    byId("high").textContent = `${field.beyond ? "\u2265 " : ""}${valueText(field, field.high)}`;
    byId("ramp").style.background = `linear-gradient(to right, ${field.ramp.map((colour) => `rgb(${colour})`)})`;
    const step = field.unit === "s" ? `${number(field.step)} s` : valueText(field, field.step);
    byId("quantisation").textContent = say("PAGE_STEPS", { field: field.about, step });
  }

  showFrame(frame) {
    this.frame = frame;
    const now = this.data.frames[frame];
    byId("slider").value = frame;
    const when = say("PAGE_WHEN", { duration: durationText(now.time_s), step: longNumber(now.step) }) +
      dateText(this.data.start, now.time_s);
    byId("when").textContent = when;
    byId("slider").setAttribute("aria-valuetext", when);
    this.map.paint(this.field, frame);
    this.marks.forEach((mark) => mark(frame));
    if (this.markHistory) this.markHistory(frame);
    this.tellCell();
    this.showLedger(now);
    this.tellHover();
    this.tellScale();
  }

  showLedger(now) {
    const rows = [
      ["PAGE_AT_START", now.initial_m3], ["PAGE_EMITTED", now.emitted_m3], ["PAGE_ADDED", now.added_m3],
      ["PAGE_REMOVED", now.removed_m3], ["PAGE_LIQUID", now.liquid_m3], ["PAGE_SOLID", now.solid_m3],
      ["PAGE_LEFT_MAP", now.lost_m3], ["PAGE_ENTERED_SEA", now.sea_m3 || undefined],
      ["PAGE_RESIDUAL", now.residual_m3], ["PAGE_ROUNDING", now.bound_m3],
    ].filter(([, value]) => value !== undefined);
    const text = (value) => {
      if (value === null) return say("PAGE_UNKNOWN");
      const small = value !== 0 && Math.abs(value) < 0.1;
      return `${small ? number(value.toExponential(2)) : longNumber(value)} m\u00b3`;
    };
    const lava = now.liquid_m3 + now.solid_m3;
    const share = rounded((100 * now.liquid_m3) / lava, 3);
    byId("liquid").textContent = lava > 0 ? `${say("STILL_LIQUID")}${say("COLON")}${share} %` : "";
    byId("ledger").replaceChildren(...pairsOf(rows.map(([word, value]) => [say(word), text(value)])).children);
  }

  /** "3.42 m" of a field in the present frame, or that there is nothing. */
  textAt(field, { row, col }) {
    const level = this.frames.level(field, this.frame, this.frames.index(row, col));
    return level > 0 ? valueText(field, valueOf(field, level)) : say("NO_LAVA");
  }

  choose(cell) {
    this.map.chosen = cell;
    this.map.reveal(cell);
    this.map.draw();
    this.showCell();
    this.tellCell();
    this.tellHover();
  }

  /** The values of the chosen cell. */
  tellCell() {
    const cell = this.map.chosen;
    if (!cell) {
      byId("cell").replaceChildren(html("p", say("PAGE_CHOOSE"), "note"));
      return;
    }
    const { grid } = this.data;
    const x = grid.west_m + (cell.col + 0.5) * grid.cell_m;
    const y = grid.north_m - (cell.row + 0.5) * grid.cell_m;
    const { fields } = this.data;
    const table = pairsOf(fields.map((field) => [field.label, this.textAt(field, cell)]));
    fields.forEach(({ name }, i) => { table.children[i].lastChild.id = `value-${name}`; });
    const where = [say("PAGE_CELL", cell), `x ${number(x)} m, y ${number(y)} m`, placeText(this.data, cell.row, cell.col)];
    byId("cell").replaceChildren(html("p", where.join("; "), "note"), table);
  }

  /** The curve of the chosen cell; of arrival there is none. */
  showCell() {
    const cell = this.map.chosen;
    this.markHistory = null;
    byId("history").replaceChildren();
    if (!cell || this.field.once) return;
    const { field, frames } = this;
    const index = frames.index(cell.row, cell.col);
    const levels = frames.times.map((_, frame) => frames.level(field, frame, index));
    if (levels.every((level) => level === 0)) return;
    const values = levels.map((level) => (level > 0 ? valueOf(field, level) : null));
    const unit = unitOf(field);
    this.markHistory = drawChart(byId("history"), frames.times, [{ name: field.label, values }], {
      label: say("PAGE_CELL_CURVE", { field: field.label }), size: unit.size, unit: unit.name, missing: say("NO_LAVA"),
      text: (value) => valueText(field, value), choose: (frame) => this.showFrame(frame),
    });
    this.markHistory(this.frame);
  }

  /** In the corner of the map: the cell under the pointer, else the chosen one. */
  tellHover() {
    const cell = this.hovered || this.map.chosen;
    byId("hover").hidden = !cell;
    if (!cell) return;
    const where = placeText(this.data, cell.row, cell.col);
    byId("hover").textContent = `${this.textAt(this.field, cell)} \u00b7 ${where} \u00b7 ${say("PAGE_CELL", cell)}`;
  }

  /** A length that is round in metres and at most a quarter of the map. */
  tellScale() {
    const perPixel = this.data.grid.cell_m / this.map.view.scale;
    const most = (this.map.size.width / 4) * perPixel;
    const decade = 10 ** Math.floor(Math.log10(most));
    const length = [5, 2, 1].map((factor) => factor * decade).find((size) => size <= most) || decade;
    byId("rule").style.width = `${length / perPixel}px`;
    byId("length").textContent = (length >= 1000 ? `${length / 1000} km` : `${length} m`) + ", N \u2191";
  }

  play(on) {
    clearInterval(this.timer);
    this.timer = null;
    byId("play").textContent = say(on ? "PAGE_PAUSE" : "PAGE_PLAY");
    byId("play").setAttribute("aria-pressed", String(on));
    if (!on) return;
    const last = this.data.frames.length - 1;
    if (this.frame === last) this.showFrame(0);
    this.timer = setInterval(() => {
      if (this.frame < last) this.showFrame(this.frame + 1);
      if (this.frame === last) this.play(false);
    }, 1000 / FRAMES_PER_SECOND);
  }

  // ------------------------------------------------------------------------------------------------- listening

  listen() {
    byId("slider").addEventListener("input", (event) => this.showFrame(Number(event.target.value)));
    byId("play").addEventListener("click", () => this.play(this.timer === null));
    for (const name of ["extent", "observed", "edits", "vents"]) {
      byId(name).checked = this.map.shows[name];
      byId(name).addEventListener("change", (event) => {
        this.map.shows[name] = event.target.checked;
        this.map.draw();
      });
    }
    const zooms = {
      nearer: () => this.map.zoom(1.5),
      farther: () => this.map.zoom(1 / 1.5),
      whole: () => this.map.whole(),
    };
    for (const [id, zoom] of Object.entries(zooms)) byId(id).addEventListener("click", () => (zoom(), this.zoomed()));
    // Its width also changes without the window's, when a scroll bar appears; a phone that hides its address bar leaves it.
    new ResizeObserver(() => {
      if (!this.map.size || byId("map").clientWidth === this.map.size.width) return;
      this.map.resize();
      this.zoomed();
    }).observe(byId("map"));
    document.addEventListener("keydown", (event) => {
      const busy = event.target.closest("button, input, select, summary, canvas, a");
      if (event.key !== " " || busy || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      if (!byId("play").disabled) this.play(this.timer === null);
    });
    this.listenToMap(byId("map"), zooms);
  }

  /** On a zoomed map a finger moves the map, else the page. */
  zoomed() {
    byId("map").style.touchAction = this.map.isZoomed ? "none" : "pan-y";
    this.tellScale();
  }

  listenToMap(canvas, zooms) {
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const fingers = new Map(); // where each pointer that is down was last
    let moved = 0;
    canvas.addEventListener("pointerdown", (event) => {
      if (fingers.size === 0) moved = 0;
      fingers.set(event.pointerId, at(event));
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      const here = at(event);
      this.hovered = this.map.cellAt(...here);
      this.tellHover();
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const step = [here[0] - before[0], here[1] - before[1]];
      fingers.set(event.pointerId, here);
      moved += Math.hypot(...step);
      const other = [...fingers].find(([id]) => id !== event.pointerId);
      if (other) {
        const distance = (point) => Math.max(1, Math.hypot(point[0] - other[1][0], point[1] - other[1][1]));
        this.map.zoom(distance(here) / distance(before), ...other[1]);
      } else if (this.map.isZoomed && moved > 4) {
        this.map.pan(...step);
      }
      this.zoomed();
    });
    const up = (event) => {
      const was = fingers.delete(event.pointerId);
      if (!was || fingers.size > 0 || moved > 4 || event.type === "pointercancel") return;
      const cell = this.map.cellAt(...at(event));
      if (cell) this.choose(cell);
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("pointerleave", () => {
      this.hovered = null;
      this.tellHover();
    });
    canvas.addEventListener("wheel", (event) => {
      if (!this.map.isZoomed && event.deltaY > 0) return; // all is shown: the page scrolls
      event.preventDefault();
      this.map.zoom(Math.exp(-event.deltaY * 0.002), ...at(event));
      this.zoomed();
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.mapKey(event, zooms));
  }

  mapKey(event, zooms) {
    const ways = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const zoom = { "+": zooms.nearer, "=": zooms.nearer, "-": zooms.farther, 0: zooms.whole }[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey || (!ways[event.key] && !zoom)) return;
    event.preventDefault();
    if (zoom) {
      zoom();
      this.zoomed();
      return;
    }
    const [top, left, rows, cols] = this.data.window;
    const [boxTop, boxLeft, boxRows, boxCols] = this.data.box;
    const from = this.map.chosen || { row: boxTop + (boxRows >> 1), col: boxLeft + (boxCols >> 1) };
    const length = this.map.chosen ? (event.shiftKey ? 10 : 1) : 0;
    const within = (value, first, count) => Math.max(first, Math.min(value, first + count - 1));
    this.choose({
      row: within(from.row + ways[event.key][0] * length, top, rows),
      col: within(from.col + ways[event.key][1] * length, left, cols),
    });
  }
}

/** A page whose maps have no time: without curves, and a frame is shown alone. */
class StillPage extends Page {
  drawCurves() {}

  showFrame(frame) {
    this.frame = frame;
    this.map.paint(this.field, frame);
    this.tellCell();
    this.tellHover();
    this.tellScale();
  }
}
