// SPDX-License-Identifier: Apache-2.0
// The map: ground, lava, outlines and the chosen cell on one canvas, in cells of the window.

const SEA = [170, 205, 230];
const NO_DATA = [238, 238, 234];
const VENT = "#00c8d7";
const PLACE = "#0b57d0";
const EDITS = "#8c00a0";
const OBSERVED = "#006d2c";
const FRONT = "#004d33";
const MOST_PIXELS_PER_CELL = 60;

/** 256 colours of a field, from the least to the largest of its scale. */
function paletteOf(field) {
  const palette = new Uint8Array(256 * 3);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (field.ramp.length - 1);
    const low = Math.min(Math.floor(at), field.ramp.length - 2);
    const [from, to] = [field.ramp[low], field.ramp[low + 1]];
    for (let k = 0; k < 3; k++) palette[3 * i + k] = Math.round(from[k] + (to[k] - from[k]) * (at - low));
  }
  return palette;
}

/** The same in the classes of a field; where it has none, by where a value lies on its scale. Returns colour(level). */
function coloursOf(field) {
  const palette = paletteOf(field);
  const at = (share) => palette.subarray(3 * Math.round(255 * share)).subarray(0, 3);
  const most = (field.high - field.base) / field.step || 1;
  const { edges = [] } = field;
  if (edges.length === 0) return (level) => at(Math.min(1, (level - 1) / most));
  const classes = edges.map((_, k) => at((k + 0.5) / (edges.length + 1))).concat([at(1 - 0.5 / (edges.length + 1))]);
  return (level) => classes[edges.filter((edge) => edge <= valueOf(field, level) + field.step / 1e6).length];
}

/** The sides of cells between inside and outside, as one path in cells from the corner of rows x cols. */
function outlineOf(inside, rows, cols) {
  const path = new Path2D();
  const is = (r, c) => r >= 0 && c >= 0 && r < rows && c < cols && inside(r, c);
  const side = (differs, length, draw) => {
    for (let i = 0, begin = -1; i <= length; i++) {
      const here = i < length && differs(i);
      if (here && begin < 0) begin = i;
      if (!here && begin >= 0) {
        draw(begin, i);
        begin = -1;
      }
    }
  };
  for (let r = 0; r <= rows; r++) {
    side((c) => is(r - 1, c) !== is(r, c), cols, (a, b) => (path.moveTo(a, r), path.lineTo(b, r)));
  }
  for (let c = 0; c <= cols; c++) {
    side((r) => is(r, c - 1) !== is(r, c), rows, (a, b) => (path.moveTo(c, a), path.lineTo(c, b)));
  }
  return path;
}

function pictureOf(width, height) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, width);
  canvas.height = Math.max(1, height);
  const context = canvas.getContext("2d");
  return { canvas, context, pixels: context.createImageData(canvas.width, canvas.height) };
}

/** About how far vents are apart, in cells: as if they were spread evenly over their extent. A few are never too close. */
function spacingOf(vents) {
  const points = vents.map((vent) => vent.points[0]).filter((point) => !point.includes(null));
  if (points.length < 10) return Infinity;
  const sides = [0, 1].map((axis) => {
    const values = points.map((point) => point[axis]);
    const least = values.reduce((a, b) => Math.min(a, b));
    return values.reduce((a, b) => Math.max(a, b)) - least;
  });
  const [shorter, longer] = sides.sort((a, b) => a - b);
  return Math.max(Math.sqrt((shorter * longer) / points.length), longer / points.length);
}

/** Whether two boxes [left, top, right, bottom] have points in common. */
function overlap(a, b) {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

class LavaMap {
  constructor(frames, canvas) {
    this.frames = frames;
    this.canvas = canvas;
    [this.top, this.left, this.rows, this.cols] = frames.data.window;
    const [top, left, rows, cols] = frames.data.box;
    this.box = { row: top - this.top, col: left - this.left, rows, cols };
    this.ground = this.drawGround();
    this.lava = pictureOf(cols, rows);
    this.extent = outlineOf((r, c) => frames.indices[r * cols + c] >= 0, rows, cols);
    this.observed = this.outlineOf(frames.observed);
    this.region = this.outlineOf(frames.region);
    this.edits = this.outlineOf(frames.edits);
    this.fronts = [];
    this.view = { x: 0, y: 0, scale: 1 };
    this.ventsApart = spacingOf(frames.data.vents);
    this.shows = { extent: false, observed: Boolean(frames.observed), edits: Boolean(frames.edits), vents: true };
    this.chosen = null;
  }

  /** Around the cells of the window of which a bit is set; null without bits. */
  outlineOf(bits) {
    const bit = (i) => (bits[i >> 3] >> (i & 7)) & 1;
    return bits && outlineOf((r, c) => bit(r * this.cols + c) === 1, this.rows, this.cols);
  }

  drawGround() {
    const { rows, cols } = this.frames.data.shade;
    const picture = pictureOf(cols, rows);
    for (let i = 0; i < rows * cols; i++) {
      const shade = this.frames.shade[i];
      const grey = 50 + (205 * (shade - 1)) / 126;
      for (let k = 0; k < 3; k++) {
        picture.pixels.data[4 * i + k] = shade === 0 ? NO_DATA[k] : shade === SEA_SHADE ? SEA[k] : grey;
      }
      picture.pixels.data[4 * i + 3] = 255;
    }
    picture.context.putImageData(picture.pixels, 0, 0);
    return picture.canvas;
  }

  /** Where the front was at the times of a field, and the cell that lava reached farthest from the vents until then. */
  frontsOf(field, frame) {
    const { rows, cols } = this.box;
    const shown = this.frames.data.hazard ? Infinity : this.frames.times[frame] + field.step / 2;
    const times = Float64Array.from(this.frames.indices, (index) => {
      const level = this.frames.level(field, frame, index);
      return level > 0 ? valueOf(field, level) : Infinity;
    });
    const vents = this.frames.data.vents.map(({ points }) => points[0]).slice(0, 40);
    const apart = (i) => Math.min(...vents.map(([x, y]) => Math.hypot((i % cols) + this.box.col - x, Math.floor(i / cols) + this.box.row - y)));
    return field.fronts.map(([until, label], k) => {
      const from = k > 0 ? field.fronts[k - 1][0] : -Infinity;
      const last = k === field.fronts.length - 1; // until the last arrival itself
      const reached = (i) => times[i] < until || (last && times[i] < Infinity);
      let [at, most] = [-1, -1];
      for (let i = 0; until <= shown && i < times.length; i++) {
        if (times[i] < from || !reached(i) || apart(i) <= most) continue;
        [at, most] = [i, apart(i)];
      }
      const points = [[(at % cols) + this.box.col + 0.5, Math.floor(at / cols) + this.box.row + 0.5]];
      const path = at < 0 ? null : outlineOf((r, c) => reached(r * cols + c), rows, cols);
      return { path, name: label, kind: "point", parts: [{ points }] };
    }).filter(({ path }) => path);
  }

  /** Colours the cells with lava. */
  paint(field, frame) {
    this.fronts = this.frontsOf(field, frame);
    const { row, col, rows, cols } = this.box;
    const colourOf = coloursOf(field);
    const out = this.lava.pixels.data;
    for (let i = 0; i < rows * cols; i++) {
      const level = this.frames.level(field, frame, this.frames.indices[i]);
      out[4 * i + 3] = level > 0 ? 255 : 0;
      if (level === 0) continue;
      const colour = colourOf(level);
      const light = lightAt(this.frames, row + Math.floor(i / cols), col + (i % cols));
      const factor = light < 0 ? 1 : 0.5 + 0.7 * light; // flat ground keeps the colour
      for (let k = 0; k < 3; k++) out[4 * i + k] = colour[k] * factor;
    }
    this.lava.context.putImageData(this.lava.pixels, 0, 0);
    this.draw();
  }

  /** Takes the size that the page gives; shows the whole window. */
  resize() {
    const width = this.canvas.clientWidth;
    const height = Math.max(220, Math.min((width * this.rows) / this.cols, window.innerHeight * 0.75));
    const ratio = window.devicePixelRatio || 1;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.size = { width, height, ratio };
    this.whole();
  }

  whole() {
    const { width, height } = this.size;
    const scale = Math.min(width / this.cols, height / this.rows);
    this.least = scale;
    this.view = { x: (this.cols - width / scale) / 2, y: (this.rows - height / scale) / 2, scale };
    this.draw();
  }

  /** Zooms by a factor around a point of the canvas, or around its middle. */
  zoom(factor, x = this.size.width / 2, y = this.size.height / 2) {
    const { view } = this;
    const scale = Math.max(this.least, Math.min(view.scale * factor, Math.max(MOST_PIXELS_PER_CELL, this.least)));
    if (scale === this.least) {
      this.whole();
      return;
    }
    view.x += x / view.scale - x / scale;
    view.y += y / view.scale - y / scale;
    view.scale = scale;
    this.draw();
  }

  pan(x, y) {
    const { view, size } = this;
    // The middle of the canvas stays on the map.
    const within = (value, half, count) => Math.max(-half, Math.min(value, count - half));
    view.x = within(view.x - x / view.scale, size.width / view.scale / 2, this.cols);
    view.y = within(view.y - y / view.scale, size.height / view.scale / 2, this.rows);
    this.draw();
  }

  get isZoomed() {
    return this.view.scale > this.least;
  }

  /** Brings a cell of the grid into sight. */
  reveal({ row, col }) {
    const { view, size } = this;
    const x = (col - this.left + 0.5 - view.x) * view.scale;
    const y = (row - this.top + 0.5 - view.y) * view.scale;
    if (x >= 0 && y >= 0 && x <= size.width && y <= size.height) return;
    this.pan(size.width / 2 - x, size.height / 2 - y);
  }

  /** The cell of a place, or null outside the window. */
  cellOf({ row, col }) {
    const within = row >= this.top && col >= this.left && row < this.top + this.rows && col < this.left + this.cols;
    return within ? { row, col } : null;
  }

  /** The cell of the grid at a point of the canvas, or null outside the window. */
  cellAt(x, y) {
    const col = Math.floor(this.view.x + x / this.view.scale);
    const row = Math.floor(this.view.y + y / this.view.scale);
    return this.cellOf({ row: row + this.top, col: col + this.left });
  }

  draw() {
    const context = this.canvas.getContext("2d");
    const { view, size } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = "#fff"; // beyond what the page holds
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    const scale = view.scale * size.ratio;
    context.setTransform(scale, 0, 0, scale, -view.x * scale, -view.y * scale);
    const { scale: thinning, rows, cols } = this.frames.data.shade;
    context.imageSmoothingEnabled = scale < 1;
    context.save(); // the last pixels of a thinned ground reach beyond the window
    context.beginPath();
    context.rect(0, 0, this.cols, this.rows);
    context.clip();
    context.drawImage(this.ground, 0, 0, cols * thinning, rows * thinning);
    context.restore();
    const { box } = this;
    if (this.frames.count > 0) context.drawImage(this.lava.canvas, box.col, box.row, box.cols, box.rows);
    if (this.shows.observed && this.region) this.stroke(context, this.region, "#555", 1);
    if (this.shows.observed) this.stroke(context, this.observed, OBSERVED);
    if (this.shows.edits) this.stroke(context, this.edits, EDITS);
    context.translate(box.col, box.row);
    for (const { path } of this.fronts) this.stroke(context, path, FRONT, 1, 1.2);
    if (this.shows.extent) this.stroke(context, this.extent, "#111");
    context.translate(-box.col, -box.row);
    this.drawNames(context, [...this.fronts].reverse(), FRONT);
    if (this.shows.vents) this.drawVents(context);
    if (this.placesShown()) this.drawPlaces(context, this.placesShown());
    if (this.chosen) this.drawChosen(context);
  }

  placesShown() {
    return this.frames.data.places;
  }

  /** How large marks of vents are: 1, or less where many would hide the map between them. */
  markSize() {
    const apart = this.ventsApart * this.view.scale; // pixels
    return Math.max(0.25, Math.min(1, apart / 28));
  }

  /** Triangles, or circles by their weight, of one size at every zoom unless there are many of them, and lines. */
  drawVents(context) {
    const { scale } = this.view;
    const mark = this.markSize();
    for (const { points, weight } of this.frames.data.vents) {
      const part = Math.sqrt(weight ?? 1);
      const path = new Path2D();
      if (points.some((point) => point.includes(null))) continue;
      if (points.length > 1) {
        points.forEach(([x, y], i) => (i ? path.lineTo(x, y) : path.moveTo(x, y)));
        this.stroke(context, path, "#111", 5 * mark * part);
        this.stroke(context, path, VENT, 2.5 * mark * part);
        continue;
      }
      const [x, y] = points[0];
      const size = Math.max((weight === undefined ? 8 : 5.2) * mark * part, 1) / scale; // a circle as large as a triangle
      if (weight === undefined) {
        path.moveTo(x, y - size);
        path.lineTo(x + 0.87 * size, y + 0.5 * size);
        path.lineTo(x - 0.87 * size, y + 0.5 * size);
        path.closePath();
      } else {
        path.arc(x, y, size, 0, 2 * Math.PI);
      }
      context.fillStyle = VENT;
      this.stroke(context, path, "#111", 1.8 * mark, 2.2 * mark);
      context.fill(path);
    }
  }

  /** Places: circles, lines and outlines, and the names for which there is room. */
  drawPlaces(context, places) {
    const { scale } = this.view;
    const drawn = places.filter(({ parts }) => parts.length > 0 && !parts.some(({ points }) => points.flat().includes(null)));
    for (const { kind, parts } of drawn) {
      const path = new Path2D();
      for (const { points } of parts) {
        if (kind === "point") {
          path.moveTo(points[0][0] + 6 / scale, points[0][1]);
          path.arc(...points[0], 6 / scale, 0, 2 * Math.PI);
          continue;
        }
        points.forEach(([x, y], i) => (i ? path.lineTo(x, y) : path.moveTo(x, y)));
        if (kind === "zone") path.closePath();
      }
      this.stroke(context, path, PLACE, 3);
    }
    this.drawNames(context, drawn);
  }

  /** The box of a place on the canvas, in pixels. */
  boxOf({ parts }) {
    const { view } = this;
    const points = parts.flatMap(({ points: some }) => some);
    const ends = (axis, from) => {
      const values = points.map((point) => (point[axis] - from) * view.scale);
      return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
    };
    const [[left, right], [top, bottom]] = [ends(0, view.x), ends(1, view.y)];
    return [left, top, right, bottom];
  }

  /**
   * Where a name may stand, the best first: right or left of the first or last point of its place, above or below it, or in
   * its middle.
   */
  nameBoxes(place, width) {
    const { view, size } = this;
    const { points } = place.parts[0];
    const [left, top, right, bottom] = this.boxOf(place);
    const around = (x, y) => [x - width / 2, y - 7.5, x + width / 2, y + 7.5];
    const beside = [points[0], points[points.length - 1]].flatMap(([col, row]) => {
      const [x, y] = [(col - view.x) * view.scale, (row - view.y) * view.scale];
      return [around(x + 10 + width / 2, y), around(x - 10 - width / 2, y)];
    });
    const middle = (left + right) / 2;
    const over = [around(middle, top - 14), around(middle, bottom + 14)];
    const inside = right - left > width + 8 && bottom - top > 20 ? [around(middle, (top + bottom) / 2)] : [];
    const all = place.kind === "zone" ? [...inside, ...over, ...beside] : [...beside, ...over];
    return all.filter((box) => box[0] >= 0 && box[1] >= 0 && box[2] <= size.width && box[3] <= size.height);
  }

  /** Each name stands where it hides no other one and no button, and if it can no other place. */
  drawNames(context, places, colour = PLACE) {
    const { size } = this;
    const taken = this.buttonBoxes();
    const marks = new Map(places.map((place) => [place, this.boxOf(place)]));
    context.save();
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 3;
    context.strokeStyle = "#ffffffd0";
    context.fillStyle = colour;
    for (const place of places) {
      const { name } = place;
      const boxes = this.nameBoxes(place, context.measureText(name).width)
        .filter((one) => !taken.some((other) => overlap(one, other)));
      const others = [...marks].filter(([other]) => other !== place && other.kind !== "line").map(([, [left, top, right, bottom]]) =>
        [left - 7, top - 7, right + 7, bottom + 7]);
      const box = boxes.find((one) => !others.some((other) => overlap(one, other))) || boxes[0];
      if (!box) continue;
      taken.push(box);
      context.strokeText(name, box[0], box[1] + 7.5);
      context.fillText(name, box[0], box[1] + 7.5);
    }
    context.restore();
  }

  /** What lies over the map: buttons and scale, in pixels of the page from its corner. */
  buttonBoxes() {
    const map = this.canvas.getBoundingClientRect();
    return [...this.canvas.parentElement.querySelectorAll(".zoom, .scale")].map((one) => {
      const { left, top, right, bottom } = one.getBoundingClientRect();
      return [left - map.left, top - map.top, right - map.left, bottom - map.top];
    });
  }

  /** A line of two pixels on a paler one, so that it is seen on any ground. */
  stroke(context, path, colour, thickness = 1.8, paler = 2.2) {
    for (const [style, width] of [["#ffffffb0", thickness + paler], [colour, thickness]]) {
      context.strokeStyle = style;
      context.lineWidth = width / this.view.scale;
      context.stroke(path);
    }
  }

  drawChosen(context) {
    const pad = 3 / this.view.scale;
    const path = new Path2D();
    path.rect(this.chosen.col - this.left - pad, this.chosen.row - this.top - pad, 1 + 2 * pad, 1 + 2 * pad);
    this.stroke(context, path, "#111");
  }
}
