// SPDX-License-Identifier: Apache-2.0
// Starts the page of a run, that of an ensemble, or that of a calibration.

async function main() {
  try {
    const data = JSON.parse(byId("data").textContent);
    learnWords(data);
    if (data.hazard) labelLayers(data);
    const frames = await Frames.read(data);
    const threats = data.hazard ? await Threats.read(data) : null;
    const maps = data.calibration ? await Maps.read(data, frames) : null;
    byId("content").hidden = false; // nothing is awaited from here on: a page is shown complete
    const page = threats ? new HazardPage(frames, threats) : maps ? new CalibrationPage(frames, maps) : new Page(frames);
    page.start();
  } catch (error) {
    const { old, damaged } = byId("failure").dataset;
    byId("failure").hidden = false;
    byId("failure").textContent = typeof DecompressionStream === "undefined" ? old : `${damaged}: ${error.message}`;
  }
}

main();
