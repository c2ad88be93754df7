// SPDX-License-Identifier: Apache-2.0
// Curves over the time of the frames, as SVG.

const CHART = { width: 360, height: 160, left: 40, right: 10, top: 20, bottom: 20 };

function svg(name, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** An element of HTML with text; what comes from a file is text here and never anything else. */
function html(name, text = "", className = "") {
  const element = document.createElement(name);
  element.textContent = text;
  if (className) element.className = className;
  return element;
}

/** A table of names, texts or buttons, and values. */
function pairsOf(pairs) {
  const table = html("table");
  for (const [name, value] of pairs) {
    const row = html("tr");
    row.append(html("th"), html("td", value));
    row.firstChild.append(name);
    table.append(row);
  }
  return table;
}

/** At most `count` round steps from 0 that reach `most`. */
function ticksTo(most, count) {
  if (!(most > 0)) return [0, 1];
  const decade = 10 ** Math.floor(Math.log10(most / count));
  const step = [1, 2, 5, 10].map((factor) => factor * decade).find((size) => most / size <= count) || 20 * decade;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, i) => i * step);
}

/** The unit for an axis of time. */
function timeUnit(most) {
  if (most >= 2 * 86400) return ["d", 86400];
  return most >= 7200 ? ["h", 3600] : ["s", 1];
}

/** Gaps are values that are null. */
function curvePath(values, x, y) {
  let path = "";
  values.forEach((value, i) => {
    if (value === null) return;
    path += `${i > 0 && values[i - 1] !== null ? "L" : "M"}${x(i).toFixed(1)},${y(value).toFixed(1)}`;
  });
  return path;
}

/**
 * Curves of the frames in `parent`; a click calls `choose` with the nearest frame. `text` writes a value for people,
 * `missing` stands for one that is null. Returns what moves the mark of the present frame.
 */
function drawChart(parent, times, series, { label, size, unit, text, missing, choose }) {
  const values = series.flatMap((one) => one.values.map((value) => value ?? 0));
  const from = Math.min(0, ...values);
  const ticks = ticksTo(Math.max(...values) / size, 3);
  const end = times[times.length - 1];
  const [timeName, timeSize] = timeUnit(end);
  const timeTicks = ticksTo(end / timeSize, 6);
  const lastTime = Math.max(end, 1e-9);
  const high = ticks[ticks.length - 1] * size;
  const inner = { width: CHART.width - CHART.left - CHART.right, height: CHART.height - CHART.top - CHART.bottom };
  const xOf = (time) => CHART.left + (inner.width * time) / lastTime;
  const x = (i) => xOf(times[i]);
  const y = (value) => CHART.top + inner.height * (1 - (value - from) / (high - from));

  const picture = svg("svg", { viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: "img", "aria-label": label });
  for (const tick of ticks) {
    picture.append(svg("path", { class: "axis", d: `M${CHART.left},${y(tick * size)}h${inner.width}` }));
    const attributes = { x: CHART.left - 4, y: y(tick * size) + 4, "text-anchor": "end" };
    picture.append(svg("text", attributes, rounded(tick, 6)));
  }
  for (const tick of timeTicks.filter((one) => one * timeSize <= lastTime)) {
    const attributes = { x: xOf(tick * timeSize), y: CHART.height - 5, "text-anchor": "middle" };
    picture.append(svg("text", attributes, rounded(tick, 6)));
  }
  picture.append(svg("text", { x: CHART.left, y: 11 }, say("PAGE_AXES", { unit, time: timeName })));
  const now = svg("path", { class: "now" });
  picture.append(now);
  series.forEach((one, i) => {
    picture.append(svg("path", { class: `curve series-${i + 1}`, d: curvePath(one.values, x, y) }));
    one.values.forEach((value, k) => { // a point that has no neighbours is no line
      if (value === null || (one.values[k - 1] ?? one.values[k + 1] ?? null) !== null) return;
      picture.append(svg("circle", { class: `series-${i + 1}`, fill: "currentColor", cx: x(k), cy: y(value), r: 2.5 }));
    });
  });
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    const time = ((((event.clientX - box.left) / box.width) * CHART.width - CHART.left) / inner.width) * lastTime;
    choose(times.reduce((best, one, i) => (Math.abs(one - time) < Math.abs(times[best] - time) ? i : best), 0));
  });

  const legend = html("p", "", "legend");
  const labels = series.map((one, i) => legend.appendChild(html("span", "", `series-${i + 1}`)));
  parent.replaceChildren(picture, legend);
  return (frame) => {
    now.setAttribute("d", `M${x(frame)},${CHART.top}v${inner.height}`);
    series.forEach((one, i) => {
      const value = one.values[frame];
      labels[i].textContent = `${one.name}${say("COLON")}${value === null ? missing : text(value)}`;
    });
  };
}
