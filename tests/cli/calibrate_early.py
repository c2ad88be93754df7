# SPDX-License-Identifier: Apache-2.0
"""sciara calibrate: runs that end early, run-out ratios, starts that were killed, layers and dates of outlines."""
import os
import shutil
import subprocess

import case
import geo
from calibration import KEYS, PAIRS, UNKNOWNS, CalibrationCase
from extents import greatest_distance

import numpy


class CalibrateEarly(CalibrationCase):
    def early_and_late(self, name, **changes):
        """Rows of a calibration whose runs may end early, and of one whose runs go to their end."""
        for word, early in (("early", None), ("late", False)):
            self.write(f"{name}-{word}.json", early_stop=early, **changes)
            self.sciara("calibrate", f"{name}-{word}.json", "-q", "-o", f"{name}-{word}")
        for file in ("best.json", "accepted.csv"):
            paths = [self.path(f"{name}-{word}", file) for word in ("early", "late")]
            self.assertEqual([os.path.exists(path) for path in paths], [file == "best.json" or "design" in changes] * 2)
            if os.path.exists(paths[0]):
                self.assertEqual(case.read_bytes(paths[0]), case.read_bytes(paths[1]), "nothing good is lost")
        self.assertNotIn("stopped", {row["status"] for row in self.rows(f"{name}-late")})
        return self.rows(f"{name}-early"), self.rows(f"{name}-late")

    def test_points_that_end_early(self):
        """Points that cannot be accepted with the best of the blocks of 256 before."""
        early, late = self.early_and_late("points", design="sobol", budget=320)
        least = 0.9 * max(row["score"] for row in late[:256])
        stopped = 0
        for k, (row, whole) in enumerate(zip(early, late)):
            if row["status"] != "stopped":
                self.assertEqual(row, whole)
                continue
            stopped += 1
            self.assertGreaterEqual(k, 256)
            self.assertTrue(whole["score"] - 1e-15 <= row["score"] < least)
        self.assertTrue(10 < stopped < 64)
        shutil.copytree(self.path("points-early"), self.path("points-one"))
        lines = self.rows_text("points-one").splitlines(True)
        case.write_bytes(self.path("points-one", "evaluations.csv"), b"".join(lines[:270]))
        self.sciara("calibrate", "points-early.json", "-q", "-o", "points-one", "--resume", "-j", "1")
        self.assertEqual(case.tree(self.path("points-one")), case.tree(self.path("points-early")))

    def test_generations_that_end_early(self):
        """In two generations the second alone is cut, after which nothing is searched: the best is the same."""
        early, late = self.early_and_late("two", budget=32, population=16)
        parents = sorted(one["score"] for one in late[:16])
        self.assertEqual(early[:16], late[:16])
        self.assertIn("stopped", {row["status"] for row in early[16:]})
        for row, whole in zip(early, late):
            if row["status"] != "stopped":
                self.assertEqual(row, whole)
                continue
            self.assertEqual([row[key] for key in KEYS], [whole[key] for key in KEYS])
            self.assertTrue(whole["score"] - 1e-15 <= row["score"] < parents[-8])
        self.assertGreater(max(row["score"] for row in early if row["status"] == "stopped"), parents[-9], "no later than that")
        self.write("anew.json", pairs=PAIRS[:1], unknowns=[{"key": "vents.0.position", "radius_m": 60}], budget=120, population=4, seed=8)
        self.sciara("calibrate", "anew.json", "-q", "-o", "anew")
        status, (start,) = [row["status"] for row in self.rows("anew")], self.record("anew")["restarts"]
        self.assertIn("stopped", status[:start["evaluations"]])
        self.assertEqual(status[start["evaluations"]:], ["ok"] * 8, "nothing is known of a new start")

    def covered(self, name):
        return geo.read(self.path(f"{name}.tif")) > 0

    def test_run_out_ratios(self):
        """Of each pair, held-out ones too, by distances on the deposits of runs with the same values; none of a stopped run."""
        rows = self.rows("whole")
        self.assertEqual(list(rows[0])[-5:], ["jaccard_2", "status", *(f"runout_ratio_{k}" for k in range(3))])
        for row in rows:
            self.assertEqual([row[f"runout_ratio_{k}"] is None for k in range(3)], [row["status"] == "stopped"] * 3)
        scored = [row for row in rows if row["status"] == "ok"]
        for row in (scored[0], scored[7], max(scored, key=lambda one: one["score"])):
            for k, (scenario, vent, until, observed) in enumerate((("s.json", (8, 20), [], "mapped"), ("s.json", (8, 20), ["run.until=15 min"], "early"),
                                                                   ("b.json", (9, 20), [], "mapped"))):
                sets = [word for one in [*(f"{key}={row[key]!r}" for key in KEYS), *until] for word in ("--set", one)]
                self.sciara("run", scenario, "-q", "-o", "one", "--overwrite", *sets)
                self.sciara("export", "one", "-q", "--format", "cog", "--output", "one.tif", "--overwrite")
                at = numpy.zeros((case.ROWS, case.COLS), bool)
                at[vent] = True
                ratio = greatest_distance(self.covered("one"), at) / greatest_distance(self.covered(observed), at)
                self.assertAlmostEqual(row[f"runout_ratio_{k}"], ratio, delta=1e-12)

    def test_table_of_an_earlier_version(self):
        """Without checksums, or without run-out ratios too: resumed as it is, with the same results."""
        lines = self.rows_text("whole").splitlines()
        for count, left_out in ((31, 1), (1, 4), (31, 4), (81, 4)):
            shorter = [b",".join(line.split(b",")[:-left_out]) + b"\n" for line in lines]
            folder = f"shorter-{count}-{left_out}"
            os.makedirs(self.path(folder))
            shutil.copy(self.path("whole", "calibration.json"), self.path(folder))
            case.write_bytes(self.path(folder, "evaluations.csv"), b"".join(shorter[:count]))
            self.sciara("calibrate", "c.json", "-q", "-o", folder, "--resume")
            self.assertEqual(self.rows_text(folder), b"".join(shorter))
            found, whole = case.tree(self.path(folder)), case.tree(self.path("whole"))
            self.assertEqual({**found, "evaluations.csv": None}, {**whole, "evaluations.csv": None})
        case.write_bytes(self.path(folder, "evaluations.csv"), b"".join(shorter[:40]) + lines[40] + b"\n")
        self.assertIn("evaluations.csv:41: expected a value for each column",
                      self.sciara("calibrate", "c.json", "-o", folder, "--resume", code=3).stderr)
        case.write_bytes(self.path(folder, "evaluations.csv"), lines[0] + b"\n" + b",".join(lines[1].split(b",")[:-2]) + b",far,0\n")
        self.assertIn('evaluations.csv:2: expected a run-out ratio, found "far"',
                      self.sciara("calibrate", "c.json", "-o", folder, "--resume", code=3).stderr)

    def test_fronts_that_rest(self):
        """The lava lies still for two days and cools for many; two days after the state with which a run begins."""
        self.write_scenario("slow.json", model={"cooling": 0.5}, run={"until": "9 d"})
        pairs = [{"scenario": "slow.json", "observed": "mapped.tif"},
                 {"scenario": "slow.json", "observed": "mapped.tif", "at": "8 d", "hold_out": True}]
        early, late = self.early_and_late("rest", pairs=pairs, unknowns=UNKNOWNS[:2], budget=12, design="lhs")
        rested = [row for row in early if row["status"] == "rested"]
        self.assertTrue(4 <= len(rested) == self.record("rest-early")["rested"])
        for row, whole in zip(early, late):
            self.assertEqual({**row, "status": "ok"}, whole)
        self.sciara("run", "slow.json", "-q", "-o", "still", "--until", "4 d", "--checkpoint-every", "1000 d")
        state, = os.listdir(self.path("still", "checkpoints"))
        self.write_scenario("on.json", model={"cooling": 0.5}, run={"until": "5 d"}, initial={"checkpoint": f"still/checkpoints/{state}"})
        early, late = self.early_and_late("on", pairs=[{"scenario": "on.json", "observed": "mapped.tif"}], unknowns=UNKNOWNS[:2], budget=6, design="lhs")
        self.assertEqual(early, late)

    def test_edits_to_come(self):
        """The ground changes after runs would rest, or takes away lava that was too much: what ends early does so for a reason."""
        line = {"line": [[case.WEST + 105, case.SOUTH + 150], [case.WEST + 325, case.SOUTH + 150]], "width_m": 5}
        dams = [{"height_m": 30, **line}, {"depth_m": 30, "from": "4 d", **line}]
        self.write_scenario("dam.json", model={"cooling": 0.5}, run={"until": "9 d"}, dem={"path": "dem.asc", "crs": "EPSG:32633", "edits": dams})
        early, late = self.early_and_late("dam", pairs=[{"scenario": "dam.json", "observed": "mapped.tif"}], unknowns=UNKNOWNS[:2], budget=8, design="lhs")
        self.assertIn("rested", {row["status"] for row in early})
        self.assertEqual([{**row, "status": "ok"} for row in early], late)
        west, north = case.WEST + 10, case.NORTH - 100
        pit = {"polygon": [[west, north], [west + 380, north], [west + 380, north - 190], [west, north - 190]], "level_m": 900, "from": "170 min"}
        self.write_scenario("pit.json", run={"until": "3 h"}, dem={"path": "dem.asc", "crs": "EPSG:32633", "edits": [pit]})
        mapped = self.covered("mapped").astype(numpy.uint8)
        mapped[10:] = 0
        geo.write_raster(self.path("top.tif"), mapped)
        early, late = self.early_and_late("pit", pairs=[{"scenario": "pit.json", "observed": "top.tif"}], budget=32, population=16, seed=3)
        for row, whole in zip(early, late):
            self.assertGreaterEqual(row["score"], whole["score"] - 1e-15)

    def test_a_region(self):
        """Lava outside it ends no run, nor does lava after an observation that follows a state; another region is another calibration."""
        region = numpy.zeros((case.ROWS, case.COLS), numpy.uint8)
        region[:10] = 1
        geo.write_raster(self.path("region.tif"), region)
        self.write_square("square.geojson", 32633)
        self.write_scenario("state.json", initial={"observed": {"outline": "square.geojson", "thickness": 1, "time": "15 min"}},
                            vents=[{"row": 8, "col": 20, "effusion": {"slot": "10 min", "rates_m3_s": [4, 4, 40]}}])
        for name, pair in (("region", {"scenario": "s.json", "observed": "mapped.tif", "region": "region.tif"}),
                           ("state", {"scenario": "state.json", "observed": "square.geojson", "at": "17 min"})):
            early, late = self.early_and_late(name, pairs=[pair], budget=32, population=16)
            for row, whole in zip(early, late):
                self.assertGreaterEqual(row["score"], whole["score"] - 1e-15)
        region[9, :5] = 0  # where nothing is mapped
        geo.write_raster(self.path("region.tif"), region)
        self.assertIn("the observed extent and its region as when", self.sciara("calibrate", "region-early.json", "-o", "region-early", "--resume", code=3).stderr)

    def test_start_that_was_killed(self):
        """At any moment before its first row: another start takes the folder, and so does --resume."""
        head = self.rows_text("whole").split(b"\n")[0] + b"\n"
        for n, files in enumerate(({}, {"evaluations.csv": b""}, {"evaluations.csv": head[:9]}, {"evaluations.csv": head},
                                   {"evaluations.csv": head, "calibration.json.part": b'{"form'})):
            for extra in ([], ["--resume"]):
                folder = f"start-{n}{''.join(extra)}"
                os.makedirs(self.path(folder))
                for name, content in files.items():
                    case.write_bytes(self.path(folder, name), content)
                self.write("short.json", budget=7)
                self.sciara("calibrate", "short.json", "-q", "-o", folder, *extra)
                self.assertEqual(case.tree(self.path(folder)), case.tree(self.path("start-0")))
        os.remove(self.path("start-0", "calibration.json"))
        for name in ("best.json", "page.html"):
            os.remove(self.path("start-0", name))
        for extra in ([], ["--resume"]):
            self.assertIn("start-0: expected a new or empty folder, or --resume; found one with evaluations",
                          self.sciara("calibrate", "short.json", "-o", "start-0", *extra, code=3).stderr)
        self.assertEqual(os.listdir(self.path("start-0")), ["evaluations.csv"])

    def rows_text(self, folder):
        return case.read_bytes(self.path(folder, "evaluations.csv"))

    def test_layers(self):
        """A layer is a key of the file, not an option."""
        self.write_square("square.geojson", 32633)
        for layer, update in (("first", []), ("second", ["-update"])):
            subprocess.run(["ogr2ogr", *update, "-nln", layer, "layers.gpkg", "square.geojson"], cwd=self.work, check=True)
        for name, layer, message in (
                ("layers.gpkg", "third", 'bad.json: pairs[1].layer: expected a layer of ./layers.gpkg, found "third"; there are "first", "second"'),
                ("layers.gpkg", None, 'bad.json: pairs[1].layer: expected one of the 2 layers of polygons of ./layers.gpkg, "first", '
                 '"second"; found none'),
                ("mapped.tif", "first", "bad.json: pairs[1].layer: ./mapped.tif is a raster and has no layers")):
            pair = {"scenario": "s.json", "observed": name, **({"layer": layer} if layer else {})}
            self.write("bad.json", pairs=[PAIRS[0], pair])
            self.assertIn(message, self.sciara("calibrate", "bad.json", "-o", "bad", code=3).stderr)
            self.assertFalse(os.path.exists(self.path("bad")))
        self.write("good.json", pairs=[{"scenario": "s.json", "observed": "layers.gpkg", "layer": "second"}], budget=7)
        self.sciara("calibrate", "good.json", "-q", "-o", "good")
        sets = [{key: row[key] for key in KEYS} for row in self.rows("good")]
        self.assertEqual(self.evaluate(sets, "s.json", "--observed", "square.geojson"), [[row["jaccard_0"]] for row in self.rows("good")])

    def write_dated(self, name, dates, **more):
        """Squares below the vent, growing, with a date each in the field "day" and what else is given; one file for each date."""
        features, alone = [], {}
        for k, day in enumerate(dates):
            x, y, size = case.WEST + 180, case.NORTH - 100 - 30 * k, 30 + 20 * k
            corners = [[x, y], [x + size, y], [x + size, y + size], [x, y + size], [x, y]]
            features.append(({"day": day, **{key: values[k] for key, values in more.items()}}, "Polygon", [corners]))
            alone.setdefault(day, []).append(({}, "Polygon", [corners]))
        for file, those in [(name, features), *((f"alone-{k}.geojson", those) for k, those in enumerate(alone.values()))]:
            case.write_features(self.path(file), *those)

    def test_dates(self):
        """One file with polygons of two dates: as two files at their times, in evaluate and in calibrate."""
        self.write_scenario("dated.json", run={"start": "2006-07-12T22:00:00Z"})
        days = ["2006-07-12T22:10:00Z", "2006-07-13T00:30:00+02:00", "2006-07-13T00:30:00+02:00"]
        self.write_dated("days.geojson", days, by=["a", "b", "c"])
        sets = [{"model.cooling": cooling} for cooling in (50, 100, 200)]
        alone = self.evaluate(sets, "dated.json", "--observed", "alone-0.geojson", "--at", "10 min", "--weight", "2",
                              "--observed", "alone-1.geojson", "--at", "30 min", "--weight", "2")
        self.assertTrue(all(0 < one < 1 for pair in alone for one in pair) and len(alone[0]) == 2)
        for field in ("auto", "day"):
            self.assertEqual(self.evaluate(sets, "dated.json", "--observed", "days.geojson", "--dates", field), alone)
        subprocess.run(["ogr2ogr", "-lco", "GEOMETRY_NAME=geom", "days.gpkg", "days.geojson"], cwd=self.work, check=True)
        self.assertEqual(self.evaluate(sets, "dated.json", "--observed", "days.gpkg", "--dates", "auto"), alone)
        self.write("days.json", pairs=[{"scenario": "dated.json", "observed": "days.geojson", "dates": "auto", "weight": 2},
                                       {"scenario": "dated.json", "observed": "mapped.tif"}], budget=7)
        err = self.sciara("calibrate", "days.json", "-o", "days").stderr
        for day in ("2006-07-12T22:10:00Z", "2006-07-12T22:30:00Z"):
            self.assertIn(f'./days.geojson: field "day": outline of {day}', err)
        sets = [{key: row[key] for key in KEYS} for row in self.rows("days")]
        alone = self.evaluate(sets, "dated.json", "--observed", "alone-0.geojson", "--at", "10 min", "--observed",
                              "alone-1.geojson", "--at", "30 min", "--observed", "mapped.tif")
        for row, j in zip(self.rows("days"), alone):
            self.assertEqual([row[f"jaccard_{k}"] for k in range(3)], j)
            self.assertAlmostEqual(row["score"], (2 * j[0] + 2 * j[1] + j[2]) / 5, delta=1e-15)
        self.assertEqual([extent.get("date") for extent in self.record("days")["extents"]],
                         ["2006-07-12T22:10:00Z", "2006-07-12T22:30:00Z", None])
        before = case.tree(self.path("days"))
        self.sciara("calibrate", "days.json", "-q", "-o", "days", "--resume")
        self.assertEqual(case.tree(self.path("days")), before)
        self.write_dated("days.geojson", days + ["2006-07-13"], by=["a", "b", "c", "d"])
        self.assertIn("the observed extent and its region as when", self.sciara("calibrate", "days.json", "-o", "days", "--resume",
                                                                               code=3).stderr)

    def test_bad_dates(self):
        self.write_scenario("dated.json", run={"start": "2006-07-12T22:00:00Z"})
        self.write_dated("two.geojson", ["2006-07-13", "2006-07-14"], edited=["2020-01-01", "2020-01-02"], by=["x", "2006-07-13"])
        self.write_dated("some.geojson", ["2006-07-13", "soon"])
        self.write_dated("old.geojson", ["2006-07-13", "2006-07-12"])
        cases = [("two.geojson", "auto", 'expected one field with dates in {}, found "day", "edited"; its fields are "day", "edited", "by"'),
                 ("two.geojson", "date", 'expected a field of {}, found "date"; there are "day", "edited", "by"'),
                 ("some.geojson", "auto", 'expected one field with dates in {}, found none; its fields are "day"'),
                 ("mapped.tif", "auto", "{} is a raster and has no dates")]
        for name, field, message in cases:
            self.assertIn("--dates: " + message.format(name), self.sciara("evaluate", "dated.json", "--observed", name, "--dates", field,
                                                                         code=2).stderr)
            self.write("bad.json", pairs=[{"scenario": "dated.json", "observed": name, "dates": field}])
            self.assertIn("bad.json: pairs[0].dates: " + message.format("./" + name),
                          self.sciara("calibrate", "bad.json", "-o", "bad", code=3).stderr)
        for name, field, message in (("some.geojson", "day", 'some.geojson: feature 2: day: expected a date such as 2006-07-14 or '
                                      '2006-07-14T12:00Z, found "soon"'),
                                     ("old.geojson", "day", "old.geojson: expected a date after the start of dated.json, "
                                      "2006-07-12T22:00:00Z; found 2006-07-12T00:00:00Z")):
            self.assertIn(message, self.sciara("evaluate", "dated.json", "--observed", name, "--dates", field, code=3).stderr)
        self.assertIn("--dates: expected it without --at, which gives two.geojson one time",
                      self.sciara("evaluate", "dated.json", "--observed", "two.geojson", "--dates", "day", "--at", "9 h", code=2).stderr)
        self.write("bad.json", pairs=[{"scenario": "dated.json", "observed": "two.geojson", "dates": "day", "at": 60}])
        self.assertIn("bad.json: pairs[0].dates: expected one of the three; found it together with at or date",
                      self.sciara("calibrate", "bad.json", "-o", "bad", code=3).stderr)
        self.assertFalse(os.path.exists(self.path("bad")))
