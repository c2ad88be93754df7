#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The DEMs in datasets/ are those that their tool makes, and the scenarios on them show what they are meant to show.

The lava of config/volcano.json is measured by the deposit of the last snapshot:
  covered  cells whose deposit is above 0
  length   largest straight distance from a cell of the highest vent to a covered cell; no longer than any path of lava
  width    covered area / length, the mean
  tongues  the covered cells 0..50 m, 50..100 m, ... from the highest vent are sorted by direction. Where two that
           follow each other are 300 m or more apart, the ring cuts two tongues. Four rings in a row must do so, so
           that both tongues are 200 m long at least."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np
from osgeo import gdal

gdal.UseExceptions()
SOURCE = Path(os.environ["SCIARA_SOURCE_DIR"])
BUILD = Path(os.environ["SCIARA_BUILD_DIR"])
PROGRAM = os.environ["SCIARA_PROGRAM"]
SANITIZED = bool(os.environ.get("SCIARA_SANITIZE"))
LONG = os.environ.get("SCIARA_TORTURE") == "1"  # whole runs; otherwise only the first part (tools/test --nightly)

failures = 0


def check(holds, claim):
    global failures
    print(f"{'ok  ' if holds else 'FAIL'} {claim}")
    failures += not holds


def sciara(*arguments):
    subprocess.run([PROGRAM, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def scenario(name):
    return json.loads((SOURCE / "config" / name).read_text())


class Dem:
    """A raster with its place; rows from the north."""

    def __init__(self, path):
        data = gdal.Open(str(path))
        band = data.GetRasterBand(1)
        self.west, self.cell, _, self.north, _, _ = data.GetGeoTransform()
        self.values = band.ReadAsArray()
        self.valid = self.values != band.GetNoDataValue()

    def cell_of(self, x, y):
        return int((self.north - y) // self.cell), int((x - self.west) // self.cell)

    def cells_of(self, vent):
        """The cells of a vent or a fissure, sampled every 1 m."""
        if "row" in vent:
            return [(vent["row"], vent["col"])]
        points = np.array(vent.get("line") or [[vent["x"], vent["y"]]], float)
        cells = {self.cell_of(*points[0])}
        for a, b in zip(points[:-1], points[1:]):
            steps = int(np.hypot(*(b - a))) + 1
            cells |= {self.cell_of(*(a + (b - a) * k / steps)) for k in range(steps + 1)}
        return sorted(cells)

    def rim(self):
        """Valid cells with a neighbour that is missing or not valid."""
        padded = np.pad(self.valid, 1)
        rows, cols = self.valid.shape
        interior = np.ones_like(self.valid)
        for i in range(3):
            for j in range(3):
                interior &= padded[i:i + rows, j:j + cols]
        return self.valid & ~interior


def check_file(name, shape, work):
    committed, made = SOURCE / "datasets" / f"{name}.tif", work / f"{name}.tif"
    subprocess.run([BUILD / "sciara_make_dem", name, made], check=True)
    a, b = Dem(committed), Dem(made)
    check(np.array_equal(a.values, b.values), f"{name}: sciara_make_dem makes the values of the committed file")
    check((a.west, a.north, a.cell) == (b.west, b.north, b.cell) and a.cell == 10, f"{name}: cells of 10 m, same place")
    check(a.values.shape == shape and a.values.dtype == np.float32, f"{name}: {shape[1]} x {shape[0]} cells, float32")
    check(committed.stat().st_size < 1e6, f"{name}: {committed.stat().st_size} bytes")
    info = subprocess.run(["gdalinfo", "-json", committed], check=True, capture_output=True, text=True).stdout
    check('ID["EPSG",32633]' in json.loads(info)["coordinateSystem"]["wkt"], f"{name}: gdalinfo prints EPSG:32633")
    return a


def check_plane(dem):
    plan = scenario("plane.json")
    check(dem.valid.all() and np.ptp(dem.values) == 0, "plane: flat everywhere")
    vent, = plan["vents"]
    check((vent["row"], vent["col"]) == (200, 200), "plane: one vent, in the middle")
    check(vent["effusion"] == {"slot": "10 d", "rates_m3_s": [5]}, "plane: 5 m3/s for 10 days")


def gap_at(ring, top):
    """Largest distance between consecutive covered cells, in order of direction, m; ring: n x 2 places."""
    ring = ring[np.argsort(np.arctan2(ring[:, 1] - top[1], ring[:, 0] - top[0]))]
    return np.hypot(*(ring[1:] - ring[:-1]).T).max(initial=0)


def check_volcano(dem, work):
    out, begin = work / "volcano.out", time.monotonic()
    if SANITIZED:
        sciara("run", SOURCE / "config/volcano.json", "--output", out, "--overwrite", "-q", "--until", "30 min")
        print("not measured: with sanitizers only the first 30 minutes of volcano.json are run")
        return
    until = [] if LONG else ["--until", "5 h", "--engine", "serial"]
    sciara("run", SOURCE / "config/volcano.json", "--output", out, "--overwrite", "-q", *until)
    print(f"     volcano.json took {time.monotonic() - begin:.1f} s")
    record = json.loads((out / "run.json").read_text())
    check(record["status"] == "complete", "volcano: the run is complete")
    required = 24 if LONG else 5
    check(record["state"]["time_s"] >= 3600 * required,
          f"volcano: {record['state']['time_s'] / 3600:.2f} h simulated, {required} required")
    with h5py.File(out / record["snapshots"][-1]["name"]) as snapshot:
        covered = np.squeeze(snapshot["deposit"]) > 0
    places = np.argwhere(covered) * dem.cell
    vents = [dem.cells_of(v) for v in scenario("volcano.json")["vents"]]
    highest = max(vents, key=lambda cells: max(dem.values[c] for c in cells))
    top = np.array(max(highest, key=lambda c: dem.values[c])) * dem.cell
    away = np.hypot(*(places - top).T)
    width = len(places) * dem.cell**2 / away.max()
    check(len(places) >= 1500, f"volcano: {len(places)} cells covered, 1500 required")
    check(away.max() >= 4 * width, f"volcano: {away.max():.0f} m long, {width:.0f} m wide, 4 times the width required")
    gaps = [gap_at(places[away // 50 == k], top) for k in range(int(away.max() // 50) + 1)]
    longest = max((min(gaps[k:k + 4]) for k in range(len(gaps) - 3)), default=0)
    check(longest >= 300, f"volcano: two tongues {longest:.0f} m apart over 200 m, 300 m required")
    check(all(covered[c] for cells in vents for c in cells), "volcano: every vent gave lava")


def check_rim(dem, work):
    rim = np.argwhere(dem.rim())
    for vent in scenario("volcano-rim.json")["vents"]:
        for cell in dem.cells_of(vent):
            distance = np.abs(rim - cell).max(axis=1).min()
            check(0 < distance <= 25, f"volcano-rim: \"{vent['name']}\" is {distance} cells from the rim, 1..25 required")
    out = work / "rim.out"
    steps = 2000 if SANITIZED else 100000 if LONG else 10000
    sciara("run", SOURCE / "config/volcano-rim.json", "--output", out, "-q", "--steps", steps, "--engine", "serial")
    record = json.loads((out / "run.json").read_text())
    ledger = record["ledger"]
    check(record["state"]["step"] == steps, f"volcano-rim: {record['state']['step']} steps, {steps} required: {record['stop_reason']}")
    check(SANITIZED or ledger["lost_m3"] > 0, f"volcano-rim: {ledger['lost_m3']:.0f} m3 left the map")
    residual = abs(ledger["residual_m3"])
    check(residual <= ledger["bound_m3"], f"volcano-rim: the ledger closes to {residual:.2g} m3")


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        check_plane(check_file("plane", (401, 401), work))
        volcano = check_file("volcano", (378, 517), work)
        sea = 1 - volcano.valid.mean()
        check(0.02 < sea < 0.3, f"volcano: the sea is NODATA, {sea:.0%} of the cells")
        check_volcano(volcano, work)
        check_rim(volcano, work)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
