// SPDX-License-Identifier: Apache-2.0
// Unpacks the data of the page; docs/page.md describes how they are packed.

/** Bytes of a zlib stream in base64. */
async function unpack(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Numbers of `frames` x `cells`, from the bytes of their folded differences. */
function undoDifferences(bytes, frames, cells) {
  const count = frames * cells;
  const numbers = new Uint16Array(count);
  for (let i = 0; i < count; i++) {
    const folded = bytes[i] | (bytes[count + i] << 8);
    numbers[i] = (folded >> 1) ^ -(folded & 1);
    if (i >= cells) numbers[i] += numbers[i - cells];
  }
  return numbers;
}

/** Pixels from their differences from the plane through their neighbours. */
function undoPlanes(pixels, cols) {
  for (let i = 1; i < pixels.length; i++) {
    const west = i % cols > 0 ? pixels[i - 1] : 0;
    const north = i >= cols ? pixels[i - cols] : 0;
    pixels[i] += west + north - (i % cols > 0 && i >= cols ? pixels[i - cols - 1] : 0);
  }
  return pixels;
}

/** For each cell of the box its index among the cells with lava, or -1; and how many those are. */
function indicesOf(bits, size) {
  const indices = new Int32Array(size).fill(-1);
  let count = 0;
  for (let i = 0; i < size; i++) if ((bits[i >> 3] >> (i & 7)) & 1) indices[i] = count++;
  return { indices, count };
}

/** All data that the page shows. */
class Frames {
  static async read(data) {
    const frames = new Frames();
    frames.data = data;
    if (data.zone) [ZONE.seconds, ZONE.name] = data.zone;
    frames.times = data.frames.map((frame) => frame.time_s);
    const [, , rows, cols] = data.box;
    Object.assign(frames, indicesOf(await unpack(data.covered), rows * cols));
    frames.shade = undoPlanes(await unpack(data.shade.data), data.shade.cols);
    const { altitude } = data;
    altitude.levels = undoDifferences(await unpack(altitude.data), altitude.rows, altitude.cols);
    for (const key of ["observed", "edits", "region"]) frames[key] = data[key] ? await unpack(data[key]) : null;
    for (const field of data.fields) {
      field.levels = undoDifferences(await unpack(field.data), field.once ? 1 : data.frames.length, frames.count);
      field.decimals = Math.min(20, Math.max(0, Math.ceil(-Math.log10(field.step) - 1e-9)));
    }
    for (const { levels, like } of data.fields.filter((field) => field.like >= 0)) {
      const other = data.fields[like].levels;
      for (let i = 0; i < levels.length; i++) levels[i] += other[i];
    }
    return frames;
  }

  /** Index of a cell of the grid among those with lava, or -1. */
  index(row, col) {
    const [top, left, rows, cols] = this.data.box;
    const r = row - top;
    const c = col - left;
    return r >= 0 && c >= 0 && r < rows && c < cols ? this.indices[r * cols + c] : -1;
  }

  /** Level of a field in a frame; 0: no lava. A field that is stored once is not shown before its time. */
  level(field, frame, index) {
    if (index < 0) return 0;
    if (!field.once) return field.levels[frame * this.count + index];
    const level = field.levels[index];
    return level > 0 && valueOf(field, level) <= this.times[frame] + field.step / 2 ? level : 0;
  }
}

/** The value that a level stands for. */
function valueOf(field, level) {
  return field.base + (level - 1) * field.step;
}

const SEA_SHADE = 128; // of a pixel of the ground that is sea

/** Shade of the ground under a cell of the window, 0..1; -1 outside the DEM. */
function lightAt(frames, row, col) {
  const { scale, cols } = frames.data.shade;
  const shade = frames.shade[Math.floor(row / scale) * cols + Math.floor(col / scale)];
  return shade === 0 || shade === SEA_SHADE ? -1 : (shade - 1) / 126;
}

/** Altitude of the ground in a cell of the grid, m; null outside the DEM and outside the window. */
function altitudeOf(data, row, col) {
  const { scale, rows, cols, levels, base, step } = data.altitude;
  const r = Math.floor((row - data.window[0]) / scale);
  const c = Math.floor((col - data.window[1]) / scale);
  const level = r >= 0 && c >= 0 && r < rows && c < cols ? levels[r * cols + c] : 0;
  return level === 0 ? null : base + (level - 1) * step;
}

/** Longitude and latitude of the centre of a cell, in degrees, between the nodes of the lattice; null without a CRS. */
function lonLatOf(data, row, col) {
  if (!data.lonlat) return null;
  const { nodes, values } = data.lonlat;
  const [top, left, rows, cols] = data.window;
  const down = ((row + 0.5 - top) / rows) * (nodes - 1);
  const right = ((col + 0.5 - left) / cols) * (nodes - 1);
  const i = Math.max(0, Math.min(Math.floor(down), nodes - 2));
  const j = Math.max(0, Math.min(Math.floor(right), nodes - 2));
  const at = (r, c, k) => values[2 * (r * nodes + c) + k];
  const between = (k) => {
    const corners = [at(i, j, k), at(i, j + 1, k), at(i + 1, j, k), at(i + 1, j + 1, k)];
    if (corners.includes(null)) return NaN;
    const [a, b, c, d] = corners.map((value) => value + 360 * Math.round((corners[0] - value) / 360)); // across 180 degrees
    const [v, u] = [down - i, right - j];
    return (a * (1 - u) + b * u) * (1 - v) + (c * (1 - u) + d * u) * v;
  };
  const [lon, lat] = [between(0), between(1)];
  return Number.isNaN(lon + lat) ? null : [lon - 360 * Math.round(lon / 360), lat];
}

/** "37.12345\u00b0 N, 15.12345\u00b0 E, altitude 1234 m", as far as it is known. */
function placeText(data, row, col) {
  const lonlat = lonLatOf(data, row, col);
  const altitude = altitudeOf(data, row, col);
  const words = [];
  if (lonlat) {
    const [lon, lat] = lonlat;
    const [north, east, south, west] = say("PAGE_COMPASS");
    const degrees = (value) => `${number(Math.abs(value).toFixed(5))}\u00b0`;
    words.push(`${degrees(lat)} ${lat < 0 ? south : north}`, `${degrees(lon)} ${lon < 0 ? west : east}`);
  }
  const metres = altitude === null ? null : number(altitude.toFixed(data.grid.decimals));
  words.push(metres === null ? say("PAGE_NO_ALTITUDE") : say("PAGE_ALTITUDE", { metres }));
  return words.join(WORDS.decimal === "," ? "; " : ", ");
}

const UNITS = { "m s-1": "m/s", "m2 s-1": "m\u00b2/s" };

/** The unit in which a field is shown, and its size in the unit of the field. */
function unitOf(field) {
  if (field.unit !== "s") return { name: UNITS[field.unit] || field.unit, size: 1, decimals: field.decimals };
  const [name, size] = timeUnit(field.high);
  return { name, size, decimals: Math.max(0, Math.ceil(Math.log10(size / field.step))) };
}

/** "3.42 m", with as many digits as the step justifies. */
function valueText(field, value) {
  const unit = unitOf(field);
  return `${number((value / unit.size).toFixed(unit.decimals))} ${unit.name}`;
}

/** "3 d 4 h 5 min", "12 min 30 s": as the program prints a duration, from an hour on rounded to minutes. */
function durationText(seconds) {
  const whole = Math.floor(seconds), minutes = seconds < 3600 ? Math.floor(whole / 60) : Math.round(seconds / 60);
  const parts = [[Math.floor(minutes / 1440), say("DAY")], [Math.floor(minutes / 60) % 24, "h"], [minutes % 60, "min"],
    [seconds < 3600 ? whole % 60 : 0, "s"]];
  return parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`).join(" ") || "0 s";
}

const ZONE = { seconds: 0, name: "UTC" }; // in which dates are shown

/** " (2026-05-11 04:00 UTC)": the date of durationText(seconds) after the start; "" where that has none. */
function dateText(start, seconds) {
  const shown = seconds < 3600 ? Math.floor(seconds) : 60 * Math.round(seconds / 60);
  const date = new Date(start ? Date.parse(start) + 1000 * (shown + ZONE.seconds) : NaN);
  return Number.isNaN(date.getTime()) ? "" : ` (${date.toISOString().slice(0, 16).replace("T", " ")} ${ZONE.name})`;
}

/** A volume with four digits: "4.700 \u00d7 10\u2076 m\u00b3". */
function volumeText(value) {
  const size = Math.abs(value);
  if (size >= 1e6) return `${number((value / 1e6).toPrecision(4))} \u00d7 10\u2076 m\u00b3`;
  return `${size >= 1e4 ? longNumber(Math.round(value)) : rounded(value, 4)} m\u00b3`;
}
