# SPDX-License-Identifier: Apache-2.0
"""initial.observed: lava as it was mapped, on bare ground and as the correction of a checkpoint; what lies where, computed again
with numpy; members; a forecast against a synthetic truth; refusals. Engines and resumed runs: exact_states.py."""
import decimal
import glob
import json
import os
import re
import shutil
import unittest

import case
from case import CELL, COLS, NORTH, ROWS, SOUTH, WEST, Case, SharedCase, open_snapshot

import geo
import numpy as np
from osgeo import gdal

VENT = {"x": WEST + 205, "y": SOUTH + 215, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6, 3]}}
PAUSED = {**VENT, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6, 0, 0, 0, 0, 0, 0, 3, 2]}}
STEPS = 400  # of the checkpoint
STILL = {"critical_height_vent_m": 999, "critical_height_sol_m": 1000, "cooling": 0}  # lava stays where it is
# An oblique flow with a hole; each coordinate lies between the centres of cells.
RING = [(150, 250), (230, 250), (330, 160), (330, 80), (270, 80), (250, 150), (150, 200)]
HOLE = [(220, 200), (250, 200), (250, 170), (220, 170)]
GROUND = np.array([[case.altitude(r, c) for c in range(COLS)] for r in range(ROWS)])


def write_polygons(path, *rings, epsg=32633, kind="Polygon"):
    """GeoJSON of one polygon with its rings, in metres from the corner of the DEM."""
    places = [[[WEST + x, SOUTH + y] for x, y in (*ring, ring[0])] for ring in rings]
    case.write_features(path, ({}, kind, places if kind == "Polygon" else places[0]), epsg=epsg)


def inside(path):
    """The cells whose centres lie in the polygons, by GDAL."""
    target = gdal.GetDriverByName("MEM").Create("", COLS, ROWS, 1, gdal.GDT_Byte)
    target.SetGeoTransform([WEST, CELL, 0, NORTH, 0, -CELL])
    source = gdal.OpenEx(path, gdal.OF_VECTOR)
    gdal.RasterizeLayer(target, [1], source.GetLayer(), burn_values=[1])
    mask = target.ReadAsArray().astype(bool)
    mask[[0, -1], :] = mask[:, [0, -1]] = False
    return mask


def laid_out(mask, volume):
    """Thickness: a plane fitted to the ground within the mean width of each cell, raised until the volume is reached."""
    sides = sum((mask & ~np.roll(mask, shift, axis)).sum() for shift in (1, -1) for axis in (0, 1))
    reach = max(1, min(24, int(np.floor(2 * mask.sum() / sides + 0.5))))
    above = []
    for row, col in np.argwhere(mask):
        window = [(r, c) for r, c in np.argwhere(mask) if abs(r - row) <= reach and abs(c - col) <= reach]
        matrix = np.array([[1, c - col, r - row] for r, c in window])
        above.append(np.linalg.lstsq(matrix, np.array([GROUND[r, c] for r, c in window]), rcond=None)[0][0] - GROUND[row, col])
    above, need = np.array(above), volume / CELL ** 2
    order = np.sort(above)[::-1]
    for n in range(1, len(order) + 1):  # the n highest surfaces have lava
        level = (need - order[:n].sum()) / n
        if n == len(order) or level + order[n] <= 0:
            break
    thickness = np.zeros(mask.shape)
    thickness[mask] = np.maximum(0, above + level)
    return thickness


def fields(folder, k=-1):
    data = open_snapshot(os.path.join(folder, case.record(folder)["snapshots"][k]["name"]))
    return {name: np.array(data[name].values).reshape(ROWS, COLS) for name in data.data_vars if data[name].size == ROWS * COLS}


def field(folder, name, k=-1):
    values = fields(folder, k)[name].astype(float)
    return np.where(values == case.NODATA, 0 if name != "arrival_time" else -1, values)


class Observed(Case):
    def prepare_test(self):
        write_polygons(self.path("outline.json"), RING, HOLE)
        self.mask = inside(self.path("outline.json"))

    def start(self, observed, name="start", engine=(), **more):
        """The state at the start: one step in which nothing moves and nothing is emitted."""
        quiet = [{**VENT, "start": "1 d"}]
        self.write_scenario(name + ".json", **({"vents": quiet, "model": STILL, "initial": {"observed": {"outline": "outline.json", **observed}}} | more))
        done = self.sciara("run", name + ".json", "-o", name, "--steps", 1, "--overwrite", *engine)
        ledger = case.record(self.path(name))["ledger"]
        self.assertLessEqual(abs(ledger["residual_m3"]), ledger["bound_m3"])
        return done.stderr

    def test_lava_that_runs_off(self):
        for thickness, off in ((1, False), (20, True)):
            said = self.start({"thickness": thickness, "time": "2 h"}, model={"preset": "aa"})
            self.sciara("run", "start.json", "-o", "start", "--until", "3 h", "--overwrite")
            growth = (field(self.path("start"), "arrival_time") >= 0).sum() / self.mask.sum() - 1
            self.assertEqual((growth > 0.05, f"it covers {100 * growth:.0f} % more cells 1 h later" in said), (off, off), said)
            case.write_json(self.path("e.json"), {"base": "start.json", "vary": [{"key": "model.relaxation", "values": [0.5]}], "sample": {"method": "full"}})
            self.assertEqual(f"base: initial.observed: with these parameters the mapped lava runs off: it covers {100 * growth:.0f} %" in
                             self.sciara("ensemble", "check", "e.json", "--no-estimate").stderr, off)

    def test_volume(self):
        self.assertGreater(self.mask.sum(), 100)
        self.assertFalse(self.mask[ROWS - 19, 23], "the hole")
        for volume in (500, 9000, 60000):
            with self.subTest(volume):
                said = self.start({"volume_m3": volume, "time": "2 h"})
                found, expected = field(self.path("start"), "thickness"), laid_out(self.mask, volume)
                np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6)
                self.assertTrue((found[~self.mask] == 0).all())
                record = case.record(self.path("start"))
                self.assertAlmostEqual(record["ledger"]["initial_m3"], volume, delta=1e-9 * volume)
                self.assertEqual(record["state"]["time_s"], 7201)
                self.assertNotIn("added_m3", record["ledger"])
                arrival = field(self.path("start"), "arrival_time")
                self.assertTrue((arrival[self.mask] == 7200).all() and (arrival[~self.mask] == -1).all())
                self.assertTrue((np.abs(field(self.path("start"), "temperature")[found > 0] - 1360) < 1e-9).all())
                self.assertIn(f"{self.mask.sum()} cells, {self.mask.sum() * 100} m2; {volume} m3 of lava", said)
                dry = (self.mask & (found == 0)).sum()
                self.assertIn(f"{dry} of the cells have none", said)
                share = f"{dry} of {self.mask.sum()} cells of the outline get no lava ({100 * dry / self.mask.sum():.1f} %)"
                self.assertEqual(share in said, dry > 0)
                self.assertEqual("get no lava" in said, dry > 0)
                self.assertEqual([w["kind"] for w in record.get("warnings", [])], ["observed"] if dry else [])
                if dry:
                    self.assertIn(share, record["warnings"][0]["text"])
                    self.assertIn(f"warning:       {record['warnings'][0]['text']}\n", self.sciara("info", "start").stdout)
                if volume == 500:  # the cure that the warning names
                    named = decimal.Decimal(re.search(r'"thickness": (\S+) spreads', said)[1])
                    self.assertEqual(named, decimal.Context(3, decimal.ROUND_DOWN).divide(volume, int(self.mask.sum()) * 100))
                    said = self.start({"thickness": float(named), "time": "2 h"}, "even")
                    self.assertNotIn("get no lava", said)
                    self.assertAlmostEqual(case.record(self.path("even"))["ledger"]["initial_m3"],
                                           float(named) * float(self.mask.sum()) * 100, delta=1e-9 * volume)
        self.assertEqual((found == 0).sum(), (~self.mask).sum())

    def test_level_across_the_flow(self):
        """In a valley the surface is level across it and follows its floor."""
        ground = np.array([[500 + 2.0 * (ROWS - r) + 0.02 * (c - 20) ** 2 * 10 for c in range(COLS)] for r in range(ROWS)])
        with open(self.path("valley.asc"), "w", encoding="ascii") as f:
            f.write(f"ncols {COLS}\nnrows {ROWS}\nxllcorner {WEST}\nyllcorner {SOUTH}\ncellsize {CELL}\n")
            f.writelines(" ".join(f"{v:.6f}" for v in row) + "\n" for row in ground)
        write_polygons(self.path("outline.json"), [(180, 30), (180, 270), (230, 270), (230, 30)])
        self.start({"volume_m3": 6000}, dem={"path": "valley.asc", "crs": "EPSG:32633"}, vents=[])
        surface = (ground + field(self.path("start"), "thickness"))[3:27, 18:23]
        self.assertEqual(inside(self.path("outline.json")).sum(), surface.size)
        self.assertLess(np.abs(surface - surface.mean(axis=1, keepdims=True)).max(), 0.06, "the ground rises by 0.8 m")
        np.testing.assert_allclose(np.diff(surface.mean(axis=1)), -2, atol=0.01)

    def test_thickness_dem_and_temperature(self):
        self.start({"thickness": 1.5, "temperature": 1300})
        np.testing.assert_array_equal(field(self.path("start"), "thickness"), 1.5 * self.mask)
        np.testing.assert_array_equal(field(self.path("start"), "temperature"), 1300 * self.mask)
        rng = np.random.default_rng(3)
        thickness = rng.uniform(-0.5, 4, (ROWS, COLS)).clip(0).astype(np.float32)
        heat = rng.uniform(1200, 1350, (ROWS, COLS)).astype(np.float32)
        geo.write_raster(self.path("thickness.tif"), thickness, gdal.GDT_Float32)
        geo.write_raster(self.path("heat.tif"), heat, gdal.GDT_Float32)
        said = self.start({"thickness": "thickness.tif", "temperature": "heat.tif"})
        expected = np.where(self.mask, thickness.astype(float), 0)
        np.testing.assert_array_equal(field(self.path("start"), "thickness"), expected)
        np.testing.assert_array_equal(field(self.path("start"), "temperature"), np.where(expected > 0, heat, 0))
        self.assertIn(f"{100 * thickness[~self.mask].astype(float).sum():.6g} m3 of lava outside the outline are left out", said)
        self.assertTrue(self.mask[12, 25])
        dem = GROUND + rng.uniform(-1, 3, (ROWS, COLS))
        dem[12, 25] = 0  # no altitude
        geo.write_raster(self.path("dem.tif"), dem, gdal.GDT_Float64)
        self.start({"dem": "dem.tif"})
        expected = np.where(self.mask & (dem != 0), (dem - GROUND).clip(0), 0)
        np.testing.assert_allclose(field(self.path("start"), "thickness"), expected, rtol=0, atol=1e-12)

    def test_volume_that_the_vents_have_emitted(self):
        said = self.start({"time": "15 min"}, vents=[VENT], model=STILL)
        self.assertIn("4200 m3 (all lava up to then)", said)
        self.assertAlmostEqual(case.record(self.path("start"))["ledger"]["initial_m3"], 4200, delta=1e-6)
        self.assertNotIn("have been emitted", said)
        said = self.start({"time": "15 min", "volume_m3": 4300}, vents=[VENT], model=STILL)
        self.assertIn("4300 m3 of lava are observed, but only 4200 m3 have been emitted up to 900 s", said)
        self.assertAlmostEqual(case.record(self.path("start"))["ledger"]["emitted_m3"], 6, delta=1e-9)

    def test_refused(self):
        write_polygons(self.path("far.json"), [(x + 5000, y) for x, y in RING])
        write_polygons(self.path("line.json"), RING, kind="LineString")
        case.write_json(self.path("across.json"), {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry": {
            "type": "Polygon", "coordinates": [[[-170, -5], [-160, -5], [-160, 5], [-170, 5], [-170, -5]]]}}]})
        geo.write_raster(self.path("hot.tif"), np.full((ROWS, COLS), 1400, np.float32), gdal.GDT_Float32)
        ok = {"outline": "outline.json", "volume_m3": 9000}
        for text, observed, more in (
                (r"expected at most one of volume_m3, thickness and dem, found 2", ok | {"thickness": 2}, {}),
                (r"observed.outline: expected a text .*the key is required", {"volume_m3": 1}, {}),
                (r"far.json: expected an outline with the centre of a cell of the land in it: the DEM has x from 500000.* x from 505150", ok | {"outline": "far.json"}, {}),
                (r"across.json: expected an outline on the DEM, found polygons that lie far from it", ok | {"outline": "across.json"}, {}),
                (r"line.json: feature 1: expected a polygon, found a line", ok | {"outline": "line.json"}, {}),
                (r"none.json", ok | {"outline": "none.json"}, {}),
                (r"expected volume_m3, thickness or dem, for no vent has emitted up to 0 s; found none of them; time is missing: when the outline was mapped", {"outline": "outline.json"}, {}),
                (r"up to 0 s; found none of them$", {"outline": "outline.json", "time": 0}, {}),
                (r"3600 s \(2026-05-10 05:00 UTC\); found 7200 s \(2026-05-10 06:00 UTC\)\. Times count", ok | {"time": "2026-05-10 06:00"},
                 {"run": {"until": "2026-05-10 05:00", "start": "2026-05-10 04:00"}}),
                (r"expected a time before the end of the run \(run.until, run.max_time\), 3600 s; found 7200 s", ok | {"time": "2 h"}, {"run": {"until": "1 h"}}),
                (r"initial.observed.temperature: expected above model.T_sol_K = 1143", ok | {"temperature": 1000}, {}),
                (r"observed.temperature: row 5, column 15: expected above 1143 to 1360 K, found 1400", ok | {"temperature": "hot.tif"}, {}),
                (r"expected lava of 0 to 1000 m", ok | {"volume_m3": 1e9}, {}),
                (r"expected either thickness or observed", ok, {"initial": {"observed": ok, "thickness": 1}})):
            with self.subTest(text):
                self.write_scenario("s.json", **({"vents": [VENT], "initial": {"observed": observed}} | more))
                self.assertRegex(self.sciara("run", "s.json", "-o", "run", code=4 if "none.json" in text else 3).stderr, re.compile(text, re.MULTILINE))
                self.assertFalse(os.path.exists(self.path("run")))

    def flags(self, page, flag):
        """What a page says of each of its places."""
        data = json.loads(re.search(r'id="data">(.*?)</script>', case.read_text(self.path(page)), re.S)[1])
        return {place["name"]: place[flag] for place in data.get("places") or data["hazard"]["sites"]}

    def test_dry_cells_are_reached(self):
        """Where lava was mapped, places are reached at the time of the observation, also in cells that get none of its volume: in a run,
        in the run beside another, in an ensemble and on its maps; and a barrier that is built there later has no lava on it."""
        dry = self.mask & (laid_out(self.mask, 500) == 0)
        self.assertGreater(dry.sum(), 10)
        cells = {"dry": tuple(np.argwhere(dry)[0]), "wet": tuple(np.argwhere(self.mask & ~dry)[0]), "far": (2, 30)}
        centres = {name: [WEST + CELL * (float(c) + 0.5), NORTH - CELL * (float(r) + 0.5)] for name, (r, c) in cells.items()}
        case.write_features(self.path("places.json"), *(({"name": name}, "Point", at) for name, at in centres.items()))
        quiet = {"vents": [{**VENT, "start": "1 d"}], "model": STILL, "run": {"until": "3 h"}}
        observed = {"observed": {"outline": "outline.json", "volume_m3": 500, "time": "2 h"}}
        x, y = centres["dry"]
        dam = {"crs": "EPSG:32633", "edits": [{"name": "dam", "line": [[x - 4, y], [x + 4, y]], "width_m": 8, "height_m": 3, "from": "150 min"}]}
        for name, dem in (("a", {}), ("dam", {"dem": {"path": "dem.asc", **dam}})):
            self.write_scenario(name + ".json", **quiet, **dem, initial=observed, output={"fields": case.FIELDS + ["max_deposit"]})
            self.run_scenario(name, name=name + ".json")
        self.assertIn("dam: not overtopped", self.sciara("info", "dam").stdout)
        arrival, most = field(self.path("a"), "arrival_time"), field(self.path("a"), "max_deposit")
        np.testing.assert_array_equal(arrival, np.where(self.mask, 7200, -1))
        np.testing.assert_array_equal(most > 0, self.mask & ~dry)
        said = self.sciara("exposure", "a", "--assets", "places.json").stdout
        self.assertIn("3 places: 2 reached, 1 not reached\n", said)
        for name, metres in (("dry", "0.00"), ("wet", f"{most[cells['wet']]:.2f}")):
            self.assertRegex(said, rf"(?m)^2 h +{name} +point +{metres} m  mapped$")
        rows = {row["place"]: row for row in case.read_rows(self.path("a/maps/exposure.csv"))}
        self.assertEqual([(rows[name]["state"], rows[name]["arrival_s"]) for name in cells],
                         [("reached", "7200"), ("reached", "7200"), ("not reached", "")])
        self.assertEqual([row["mapped"] for row in rows.values()], [str(int(self.mask[cells[name]])) for name in rows])
        self.sciara("export", "a", "-q", "-f", "html", "-o", "a.html", "--assets", "places.json")
        self.assertEqual(self.flags("a.html", "mapped"), {name: bool(self.mask[cell]) for name, cell in cells.items()})
        self.assertIn("2 reached in both", self.sciara("compare", "a", "dam", "--assets", "places.json", "-q").stdout)
        self.write_scenario("b.json", **quiet, initial=observed, output={"fields": ["thickness", "deposit"]})
        self.run_scenario("b", name="b.json")  # without arrival times
        self.assertIn("3 places: 2 reached, 1 not reached\n", self.sciara("exposure", "b", "--assets", "places.json").stdout)
        case.write_json(self.path("e.json"), {"base": "a.json", "vary": [{"key": "rate_scale", "values": [1, 2]}], "sample": {"method": "full"},
                                              "result": {"thickness_m": [0, 0.001], "within": ["1 h"], "sites": [{"file": "places.json"}]}})
        self.sciara("ensemble", "run", "e.json", "-o", "e", "-q", "--no-estimate")
        self.sciara("ensemble", "reduce", "e", "-q")
        said = self.sciara("exposure", "e", "--assets", "places.json").stdout
        self.assertIn("2 of 3 places are reached by at least one member", said)
        for name in ("dry", "wet"):
            self.assertRegex(said, rf"(?m)^100\.00 %.* {name} +point  under lava at the start$")
        for table, column in (("e/exposure.csv", "place"), ("e/sites.csv", "site")):
            rows = {row[column]: row for row in case.read_rows(self.path(table))}
            self.assertEqual([[float(rows[name][k]) for k in ("probability_0m", "probability_0.001m", "reached_within_1h")] for name in cells],
                             [[1, 0, 1], [1, 1, 1], [0, 0, 0]])
        self.sciara("ensemble", "export", "e", "-q", "-f", "html", "-o", "e.html")
        self.assertEqual(self.flags("e.html", "at_start"), {name: bool(self.mask[cell]) for name, cell in cells.items()})
        import h5py
        with h5py.File(self.path("e/hazard.nc")) as f:
            found = f["probability_0m"][:].squeeze()
        np.testing.assert_array_equal(found[found != case.NODATA], self.mask[found != case.NODATA])

    def test_said(self):
        """An outline that misses the vent, but not one of a vent to come, leaves the map, or reaches where no lava can lie."""
        self.assertNotIn("misses", self.start({"volume_m3": 3000, "time": "1 h"}, vents=[VENT, {**VENT, "x": WEST + 105, "start": "1 d"}]))
        write_polygons(self.path("outline.json"), [(250, 100), (450, 100), (450, 60), (250, 60)])
        said = self.start({"volume_m3": 3000})
        self.assert_parts(said, "the outline misses 1 of the vents, the first one vents[0] (vent 1), 130 m away from it",
                          "the outline extends beyond the DEM", "4 cells of the outline are left out")

    def test_inputs_are_kept(self):
        """A run folder never replaces its outline."""
        os.mkdir(self.path("run"))
        self.write_scenario("s.json", vents=[VENT], initial={"observed": {"outline": "run/run.json", "volume_m3": 9000}})
        shutil.copy(self.path("outline.json"), self.path("run/run.json"))
        before = case.tree(self.path("run"))
        self.sciara("run", "s.json", "-o", "run", "--overwrite", code=3)
        self.assertEqual(case.tree(self.path("run")), before)

    def test_it_is_drawn(self):
        """The outline is on the maps of the run and of an ensemble, on exports and pages, also after the run was continued without the
        file: as if it had been given to the export."""
        self.write_scenario("s.json", vents=[VENT], output={"fields": case.FIELDS, "maps": ["deposit"]}, run={"max_steps": 60},
                            initial={"observed": {"outline": "outline.json", "volume_m3": 9000}})
        case.write_json(self.path("e.json"), {"base": "s.json", "vary": [{"key": "rate_scale", "values": [1]}], "sample": {"method": "full"}})
        self.run_scenario("whole")
        self.sciara("ensemble", "run", "e.json", "-o", "e", "-q", "--no-estimate")
        self.run_scenario("part", "--steps", 30, "--checkpoint-every", "1 d")
        os.rename(self.path("outline.json"), self.path("away.json"))
        self.sciara("resume", "part", "-q", "-o", "branch", "--steps", 60)
        for folder in ("whole", "part", "branch", "e"):
            file = gdal.Open(self.path(folder, "dem.tif"))
            bands = {file.GetRasterBand(k).GetDescription(): file.GetRasterBand(k) for k in range(1, file.RasterCount + 1)}
            np.testing.assert_array_equal(bands["observed"].ReadAsArray(), self.mask, folder)
        write_polygons(self.path("other.json"), [(180, 230), (240, 230), (280, 120), (220, 120)])
        pictures = {"run": gdal.Open(self.path("whole/maps/deposit.png")).ReadAsArray(),
                    "resumed": gdal.Open(self.path("branch/maps/deposit.png")).ReadAsArray()}
        pages = {}
        for name, folder, how in (("export", "whole", ()), ("given", "whole", ("--observed", "away.json")),
                                  ("other", "whole", ("--observed", "other.json"))):
            self.sciara("export", folder, "-q", "-f", "png", "-o", f"{name}.png", *how)
            self.sciara("export", folder, "-q", "-f", "html", "-o", f"{name}.html", *how)
            pictures[name] = gdal.Open(self.path(f"{name}.png")).ReadAsArray()
            page = case.read_text(self.path(f"{name}.html"))
            pages[name] = re.search(r'"observed":("[^"]+"|null)', page)[1]
            self.assertIn(f'"observed_name":"{how[1] if how else "outline.json"}"', page)
        for name in ("resumed", "export", "given"):
            np.testing.assert_array_equal(pictures[name], pictures["run"], name)
        self.assertFalse(np.array_equal(pictures["other"], pictures["run"]))
        self.assertEqual(pages["export"], pages["given"])
        self.assertNotIn(pages["export"], (pages["other"], "null"))
        layer = ("-f", "png", "--layer", "probability_0m")
        self.sciara("ensemble", "export", "e", *layer, "-o", "e.png", "-q")
        dark = (gdal.Open(self.path("e.png")).ReadAsArray()[:3] < 40).all(axis=0)
        self.write_scenario("plain.json", vents=[VENT], run={"max_steps": 60})
        case.write_json(self.path("p.json"), {"base": "plain.json", "vary": [{"key": "rate_scale", "values": [1]}], "sample": {"method": "full"}})
        self.sciara("ensemble", "run", "p.json", "-o", "p", "-q", "--no-estimate")
        self.sciara("ensemble", "export", "p", *layer, "-o", "p.png", "-q")
        self.assertGreater(dark.sum(), (gdal.Open(self.path("p.png")).ReadAsArray()[:3] < 40).all(axis=0).sum() + 200)

    def test_members_with_lava_of_their_own(self):
        """Volume or thickness, and temperature, are those of the row of the member: in the batch, and in the run of its own file."""
        import h5py
        for key, low, high in (("volume_m3", 2000, 6000), ("thickness", 1, 4)):
            self.write_scenario("b.json", vents=[{**VENT, "start": "1 d"}], model=STILL, run={"max_steps": 3},
                                initial={"observed": {"outline": "outline.json", key: low}})
            case.write_json(self.path(f"{key}.json"), {"base": "b.json", "sample": {"method": "random", "count": 3}, "vary": [
                {"key": f"initial.observed.{key}", "uniform": [low, high]}, {"key": "initial.observed.temperature", "uniform": [1200, 1350]}]})
            self.sciara("ensemble", "run", f"{key}.json", "-q", "-o", key, "--no-pictures")
            with h5py.File(glob.glob(self.path(key, "batches/*.h5"))[0]) as f:
                initial = f["initial_m3"][:]
            for row, given in zip(case.read_rows(self.path(key, "members.csv")), initial):
                value, kelvin = float(row[f"initial.observed.{key}"]), float(row["initial.observed.temperature"])
                self.assertAlmostEqual(given, value * (1 if key == "volume_m3" else 100 * self.mask.sum()), delta=1e-6 * given)
                self.sciara("ensemble", "member", key, row["id"], "-o", f"{key}{row['id']}.json")
                self.run_scenario(f"{key}{row['id']}", "--steps", 1, name=f"{key}{row['id']}.json")
                lava = field(self.path(f"{key}{row['id']}"), "thickness")
                self.assertAlmostEqual(100 * lava.sum(), given, delta=1e-6 * given)
                np.testing.assert_allclose(field(self.path(f"{key}{row['id']}"), "temperature")[lava > 0], kelvin, rtol=1e-6)
            self.assertEqual(len(set(initial)), 3)


class Correction(Case):
    """A checkpoint whose lava is not where lava was mapped."""

    def prepare_test(self):
        write_polygons(self.path("outline.json"), [(180, 230), (240, 230), (280, 120), (220, 120)])
        self.mask = inside(self.path("outline.json"))
        self.write_scenario("s.json", vents=[PAUSED])
        self.run_scenario("part", "--steps", STEPS, "--checkpoint-every", "1 d")
        shutil.copy(sorted(glob.glob(self.path("part/checkpoints/*.h5")))[-1], self.path("now.h5"))
        self.before = {name: field(self.path("part"), name) for name in ("thickness", "deposit", "temperature", "arrival_time")}
        self.rock = self.before["deposit"] - self.before["thickness"]
        self.assertGreater(self.rock[self.mask].max(), 0)
        self.assertGreater(self.before["deposit"][~self.mask].sum(), 5)
        self.time = case.record(self.path("part"))["state"]["time_s"]

    def write(self, name="c.json", observed=None, **more):
        parts = {"outline": "outline.json", "volume_m3": 4000, **(observed or {})}
        self.write_scenario(name, **({"vents": [PAUSED], "initial": {"checkpoint": "now.h5", "observed": parts}} | more))

    def test_ledger(self):
        """What was added and removed is what numpy finds; rock stays as far as the deposit allows; the balance closes."""
        self.write(model=STILL, vents=[{**PAUSED, "start": "1 d"}])
        said = self.sciara("run", "c.json", "-o", "c", "--steps", STEPS + 1, "--checkpoint-every", "1 d").stderr
        expected = laid_out(self.mask, 4000)
        change = expected - self.before["deposit"]
        added, removed = 100 * change.clip(0).sum(), 100 * (-change).clip(0).sum()
        ledger = case.record(self.path("c"))["ledger"]
        self.assertAlmostEqual(ledger["added_m3"], added, delta=1e-3)
        self.assertAlmostEqual(ledger["removed_m3"], removed, delta=1e-3)
        self.assertAlmostEqual(ledger["liquid_m3"] + ledger["solid_m3"], 4000, delta=1e-6)
        self.assertEqual(ledger["emitted_m3"], case.record(self.path("part"))["ledger"]["emitted_m3"])
        self.assertLessEqual(abs(ledger["residual_m3"]), ledger["bound_m3"])
        self.assertIn(f"{added:.6g} m3 are added in {(change > 0).sum()} cells, {removed:.6g} m3 are removed in {(change < 0).sum()}", said)
        np.testing.assert_allclose(field(self.path("c"), "deposit"), expected, rtol=0, atol=1e-6)
        rock = field(self.path("c"), "deposit") - field(self.path("c"), "thickness")
        np.testing.assert_allclose(rock, np.minimum(self.rock, expected), rtol=0, atol=1e-6)
        lava, had = field(self.path("c"), "thickness") > 0, self.before["thickness"] > 0
        mean = (self.before["thickness"] * self.before["temperature"]).sum() / self.before["thickness"].sum()
        np.testing.assert_allclose(field(self.path("c"), "temperature")[lava & ~had], mean, rtol=1e-9)
        np.testing.assert_allclose(field(self.path("c"), "temperature")[lava & had], self.before["temperature"][lava & had], rtol=1e-15)
        arrival = field(self.path("c"), "arrival_time")
        np.testing.assert_array_equal(arrival[self.mask], np.where(self.before["arrival_time"] >= 0, self.before["arrival_time"], self.time)[self.mask])
        self.assertTrue((arrival[~self.mask] == -1).all())
        self.assertIn(f"added by observed lava: {ledger['added_m3']:.10g} m3, removed by it and by edits of the ground: {ledger['removed_m3']:.10g} m3\n",
                      self.sciara("info", self.path("c", case.record(self.path("c"))["snapshots"][-1]["name"])).stdout)
        self.sciara("export", "c", "--format", "html", "-o", "c.html")
        page = case.read_text(self.path("c.html"))
        np.testing.assert_allclose([float(v) for v in re.search(r'"added_m3":([^,]+),"removed_m3":([^,}]+)', page).groups()],
                                   [ledger["added_m3"], ledger["removed_m3"]], rtol=1e-14)
        self.sciara("resume", "c", "-q", "-o", "branch", "--steps", STEPS + 2)  # the outline was that of an earlier run
        for folder, lava in (("c", "mapped in outline.json"), ("branch", "of an earlier run")):
            minutes, seconds = re.search(rf"Begins with the lava {lava}, simulated time (\d+) min (?:(\d+) s)?", self.assumed(folder)).groups()
            self.assertAlmostEqual(60 * int(minutes) + int(seconds or 0), self.time, delta=1)

    def test_balance(self):
        """In both precisions the mass balance is that of the corrected state in every step."""
        for precision in ("double", "single"):
            self.run_scenario("p" + precision, "--steps", STEPS, "--checkpoint-every", "1 d", "-p", precision)
            shutil.copy(sorted(glob.glob(self.path("p" + precision, "checkpoints/*.h5")))[-1], self.path("now.h5"))
            self.write(output={"fields": case.FIELDS, "dtype": "float64", "every": "10 min"})
            folder = self.run_scenario(precision, "-p", precision, "--steps", STEPS + 100, name="c.json")
            for entry in case.record(folder)["snapshots"]:
                a = open_snapshot(os.path.join(folder, entry["name"])).attrs
                given = a["ledger_initial_m3"] + a["ledger_emitted_m3"] + a["ledger_added_m3"] - a["ledger_removed_m3"]
                lies = a["ledger_liquid_m3"] + a["ledger_solid_m3"] + a["ledger_lost_m3"]
                self.assertLessEqual(abs(given - lies), max(a["ledger_bound_m3"], 1e-9 * given))
                self.assertLessEqual(abs(a["ledger_residual_m3"]), a["ledger_bound_m3"])

    def test_time(self):
        """Up to a step before the checkpoint is its time; later moves the state, and what was emitted until then counts."""
        self.write(observed={"time": self.time - 300})
        self.assertIn("take a checkpoint from before the observation", self.sciara("run", "c.json", "-o", "c", code=3).stderr)
        self.assertFalse(os.path.exists(self.path("c")))
        self.write(observed={"time": self.time - 30})
        self.assertIn(f"simulated time {self.time:.10g} s", self.sciara("run", "c.json", "-o", "a", "--steps", STEPS + 1).stderr)
        self.write(observed={"time": self.time + 60, "volume_m3": None})
        self.assertIn("volume_m3", self.sciara("run", "c.json", "-o", "b", "--steps", STEPS + 1, code=3).stderr)
        write = {"outline": "outline.json", "time": self.time + 60}
        self.write_scenario("c.json", vents=[PAUSED], initial={"checkpoint": "now.h5", "observed": write})
        said = self.sciara("run", "c.json", "-o", "b", "--steps", STEPS + 1).stderr
        edges, rates = [600 * k for k in range(11)], PAUSED["effusion"]["rates_m3_s"]
        until = self.time + 60
        emitted = sum(r * max(0, min(until, b) - a) for a, b, r in zip(edges, edges[1:], rates))
        self.assertIn(f"{emitted:.6g} m3 (all lava up to then)", said)
        self.assertGreater(case.record(self.path("b"))["state"]["time_s"], until)
        self.assertTrue(3000 < self.time < 3600, self.time)  # the fixed rates below tell its emission from that of the observation
        vent = {**VENT, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6, 3, 2, 2, 5, 1, 3]}}
        self.write_scenario("c.json", vents=[vent], run={"until": "75 min"},
                            initial={"checkpoint": "now.h5", "observed": write | {"time": "1 h"}})
        self.run_scenario("d", name="c.json")
        self.emits_from_an_hour("d")
        before = case.record(self.path("d"))  # of a version that recorded the time of the checkpoint
        before["emission"] |= {"from_s": self.time, "begin_s": self.time, "volume_m3": 1}
        case.write_json(self.path("d/run.json"), before)
        self.emits_from_an_hour("d", recorded=False)

    def assumed(self, folder):
        self.sciara("export", folder, "-q", "-f", "html", "-o", "page.html", "--overwrite")
        found = re.search(r'<script type="application/json" id="data">(.*?)</script>', case.read_text(self.path("page.html")), re.S)[1]
        return json.loads(found)["assumed"].replace("\xa0", " ")

    def emits_from_an_hour(self, folder, recorded=True):
        """1 m3/s for 10 min and 3 m3/s for 5 min, up to the end of the run: in run.json, and in the line of pages."""
        volume = 600 * 1 + 300 * 3
        found = case.record(self.path(folder))["emission"]
        if recorded:
            self.assertEqual((found["volume_m3"], found["from_s"], found["begin_s"], found["peak_m3_s"]), (volume, 3600, 3600, 3))
        self.assertRegex(self.assumed(folder), f"^Assumed eruption from 1 h on: {volume} m³ in 15 min")

    def test_members(self):
        """Members begin with the corrected state, also in a moved folder without the files of the base; a changed outline is
        refused. Each is the run of its own file."""
        self.write()
        case.write_json(self.path("e.json"), {"base": "c.json", "vary": [{"key": "rate_scale", "values": [1, 2]}], "sample": {"method": "full"}})
        said = self.sciara("ensemble", "plan", "e.json", "-o", "e", "--no-estimate").stderr
        self.assertIn("at step 400, corrected with observed lava; their times count from there", said)
        for name in ("now.h5", "c.json"):
            os.remove(self.path(name))
        self.sciara("ensemble", "run", "e", "-j", 2, "-q")
        sums = {int(row["id"]): row["checksum"] for row in case.read_rows(self.path("e/log.csv"))}
        for member in (0, 1):
            self.sciara("ensemble", "member", "e", member, "-o", f"m{member}.json")
            self.run_scenario(f"m{member}", name=f"m{member}.json")
            self.assertEqual(case.record(self.path(f"m{member}"))["snapshots"][-1]["checksum"], sums[member])
        import h5py
        with h5py.File(glob.glob(self.path("e/batches/*.h5"))[0]) as f:
            given = f["initial_m3"][:] + f["emitted_m3"][:] - f["liquid_m3"][:] - f["solid_m3"][:] - f["lost_m3"][:]
            self.assertTrue((np.abs(given) <= np.maximum(f["bound_m3"][:], 1e-8)).all(), given)
            arrival = f["arrival"][:]
        self.assertEqual((arrival == 0).sum(), 2 * self.mask.sum())
        self.sciara("ensemble", "plan", "e.json", "-o", "again", "--no-estimate", code=4)
        write_polygons(self.path("outline.json"), [(180, 230), (240, 230), (280, 130), (220, 130)])
        shutil.rmtree(self.path("e/batches"))
        self.assertIn("outline.json", self.sciara("ensemble", "run", "e", code=3).stderr)


class Scored(SharedCase):
    @classmethod
    def forecasts(cls, write, observed, second):
        """What forecasts begin with: a checkpoint of the model, the same corrected with the outline, the outline alone."""
        write("model.json")
        case.run_program("run", "model.json", "-q", "-o", "model", "--until", cls.at, "--checkpoint-every", "1 d", cwd=cls.work)
        shutil.copy(sorted(glob.glob(os.path.join(cls.work, "model/checkpoints/*.h5")))[-1], os.path.join(cls.work, "now.h5"))
        for name, initial in (("uncorrected", {"checkpoint": "now.h5"}), ("corrected", {"checkpoint": "now.h5", "observed": observed}),
                              ("fresh", {"observed": {**observed, "time": cls.at}})):
            write(f"{name}-base.json", initial=initial)
            case.write_json(os.path.join(cls.work, f"{name}.json"), {
                "base": f"{name}-base.json", "result": {"thickness_m": [0]}, "sample": {"method": "random", "count": 8, "seed": 3},
                "vary": [{"key": "rate_scale", "log_uniform": [0.6, 1.7]}, second]})

    def scores(self, *names):
        """The Brier scores of the maps of the last extent, over all cells."""
        result = {}
        for name in names:
            self.sciara("ensemble", "plan", f"{name}.json", "-o", name, "--no-estimate", "-q")
            self.sciara("ensemble", "run", name, "-q")
            self.sciara("ensemble", "reduce", name, "--no-pictures", "-q")
            p = gdal.Open(self.path(name, "maps", "probability_0m.tif")).ReadAsArray()
            result[name] = ((np.where(p == case.NODATA, 0, p) - (self.arrival >= 0)) ** 2).mean()
            print(f"Brier score {name}: {result[name]:.5f}")
        return result


class Forecast(Scored):
    """The recipe of docs/tonight.md: a truth that the forecast does not know, an outline of it, two commands."""

    @classmethod
    def prepare(cls):
        truth = {"x": WEST + 205, "y": SOUTH + 225, "effusion": {"slot": "20 min", "rates_m3_s": [5, 5, 5, 5, 4, 4, 3, 3, 2]}}
        model = {**truth, "x": WEST + 185, "effusion": {"slot": "20 min", "rates_m3_s": [3, 3, 5, 5, 4, 4, 3, 3, 2]}}
        end = {"until": "2 h"}
        case.write_scenario(cls.work, "truth.json", vents=[truth], model={"cooling": 60}, run=end,
                            output={"fields": case.FIELDS, "dtype": "float64", "every": "40 min"})
        case.run_program("run", "truth.json", "-q", "-o", "truth", cwd=cls.work)
        cls.arrival = field(os.path.join(cls.work, "truth"), "arrival_time")
        cls.at = case.record(os.path.join(cls.work, "truth"))["snapshots"][0]["time_s"]
        case.write_cells(os.path.join(cls.work, "front.json"), (cls.arrival >= 0) & (cls.arrival <= cls.at))
        cls.forecasts(lambda name, **more: case.write_scenario(cls.work, name, vents=[model], model={"cooling": 150}, run=end, **more),
                      {"outline": "front.json", "volume_m3": 60 * 40 * 5}, {"key": "model.cooling", "log_uniform": [60, 250]})

    def test_forecast(self):
        scores = self.scores("uncorrected", "corrected", "fresh")
        self.assertLess(scores["corrected"], 0.75 * scores["uncorrected"])
        self.assertLess(scores["fresh"], 0.6 * scores["uncorrected"])
        done = self.sciara("ensemble", "export", "corrected", "--format", "html", "-o", "forecast.html")
        self.assertNotIn("error", done.stderr)


@unittest.skipIf(case.SANITIZED, "26 runs of a day take long")
class Day(Scored):
    """24 hours from the outline of 6 h, on the bundled volcano with rule bingham: another vent, rate and viscosity than the truth."""

    @classmethod
    def prepare(cls):
        def write(name, x, first, viscosity, **more):
            case.write_json(os.path.join(cls.work, name), {
                "dem": {"path": os.path.join(case.SOURCE, "datasets", "volcano.tif"), "cell_size_m": 20, "sea": "nodata"},
                "vents": [{"x": x, "y": 4348110, "radius_m": 25, "effusion": {"slot": "6 h", "rates_m3_s": [first, 8.5, 3, 3, 3]}}],
                "model": {**case.SHEET, "viscosity_vent_Pa_s": viscosity, "viscosity_sol_Pa_s": 2e7}, "run": {"until": "30 h"},
                "output": {"fields": case.FIELDS, "dtype": "float64", "every": "6 h"}, **more})

        write("truth.json", 448585, 9, 2e5)
        case.run_program("run", "truth.json", "-q", "-o", "truth", cwd=cls.work)
        snapshots = case.record(os.path.join(cls.work, "truth"))["snapshots"]
        cls.at = snapshots[0]["time_s"]
        data = open_snapshot(os.path.join(cls.work, "truth", snapshots[-1]["name"]))
        cls.arrival = np.array(data["arrival_time"].values, dtype=float)[0]
        case.write_cells(os.path.join(cls.work, "front.json"), (cls.arrival >= 0) & (cls.arrival <= cls.at),
                         west=float(data["x"][0]) - 10, north=float(data["y"][0]) + 10, cell=20)
        cls.forecasts(lambda name, **more: write(name, 448545, 6, 6e5, **more), {"outline": "front.json", "volume_m3": 9 * cls.at},
                      {"key": "model.viscosity_vent_Pa_s", "log_uniform": [1e5, 1e6]})

    def test_day(self):
        scores = self.scores("uncorrected", "corrected", "fresh")
        self.assertLess(scores["corrected"], 0.9 * scores["uncorrected"])
        self.assertLess(scores["fresh"], 0.75 * scores["uncorrected"])
        stays = ((self.arrival >= 0) & (self.arrival > self.at)).mean()
        print(f"Brier score if the lava stayed where it was: {stays:.5f}")
        self.assertLess(scores["fresh"], 0.5 * stays)
