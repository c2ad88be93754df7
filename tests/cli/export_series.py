# SPDX-License-Identifier: Apache-2.0
"""sciara export of whole runs: the merged NetCDF file and the CSV time series."""
import json
import os
import re
import shutil

import case
from case import CELL, COLS, ROWS, VENT, SharedCase, open_snapshot
from geo import gdal, ogr

import h5py
import numpy

COLUMNS = ["time_s", "step", "area_m2", "liquid_m3", "solid_m3", "front_distance_m", "max_thickness_m",
           "mean_effusion_m3_s", "cumulative_volume_m3"]


class ExportSeries(SharedCase):
    @classmethod
    def prepare(cls):
        case.write_scenario(cls.work, run={"start": "2026-11-21T00:00:00Z"})
        command = ["run", "s.json", "-q", "-u", "25 min", "--set", "output.every=5 min", "-o"]
        case.run_program(*command, "run", cwd=cls.work)
        case.run_program(*command, "narrow", "--set", "output.dtype=float32", "--set", 'output.fields=["thickness"]',
                         cwd=cls.work)
        folder = os.path.join(cls.work, "run", "snapshots")
        cls.snapshots = [open_snapshot(os.path.join(folder, name)) for name in sorted(os.listdir(folder))]

    def export(self, *args, code=0, **options):
        return self.sciara("export", *args, code=code, **options)

    def rows(self, path, more=()):
        found = case.read_rows(self.path(path))
        self.assertEqual(list(found[0]), [*COLUMNS, *more])
        return [{k: float(v) if v else None for k, v in row.items()} for row in found]

    def test_merged(self):
        self.assertEqual(self.export("run", "-f", "nc").stdout, "run/maps/series.nc\n")
        shutil.copy(self.path("run", "maps", "series.nc"), self.path("away.nc"))  # it needs no other file
        merged = open_snapshot(self.path("away.nc"))
        self.assertEqual(dict(merged.sizes), {"time": len(self.snapshots), "y": ROWS, "x": COLS})
        self.assertGreaterEqual(len(self.snapshots), 5)
        for field in case.FIELDS:
            expected_values = numpy.stack([s[field].values[0] for s in self.snapshots])
            self.assertEqual(merged[field].values.dtype, expected_values.dtype)
            self.assertEqual(merged[field].values.tobytes(), expected_values.tobytes(), field)
            expected = dict(self.snapshots[0][field].attrs)
            del expected["sciara_checksum"]  # of that snapshot's values
            self.assertEqual(merged[field].attrs, expected)
        self.assertEqual(merged.time.values.tolist(), [float(s.time.values[0]) for s in self.snapshots])
        self.assertEqual(merged.time.attrs, self.snapshots[0].time.attrs)
        self.assertEqual(merged.time.attrs["units"], "seconds since 2026-11-21 00:00:00 UTC")
        for name in ("crs", "x", "y"):
            self.assertEqual(merged[name].attrs, self.snapshots[0][name].attrs)
            self.assertEqual(merged[name].values.tobytes(), self.snapshots[0][name].values.tobytes())
        for name in ("Conventions", "title", "scenario_json", "dem_hash", "engine", "start", "cell_size_m"):
            self.assertEqual(merged.attrs[name], self.snapshots[-1].attrs[name], name)
        with h5py.File(self.path("away.nc")) as f:
            self.assertFalse(any(f[field].is_virtual for field in case.FIELDS))

    def test_merged_in_other_programs(self):
        self.export("run", "-f", "nc", "-o", "opened.nc")
        header = self.tool("ncdump", "-h", self.path("opened.nc")).stdout
        self.assert_parts(header, f"time = {len(self.snapshots)} ;", "double deposit(time, y, x) ;")
        source = gdal.Open(f"NETCDF:{self.path('opened.nc')}:deposit")
        self.assertEqual(source.RasterCount, len(self.snapshots))
        self.assertIn('"EPSG","32633"', source.GetProjection())
        self.assertEqual(source.GetGeoTransform(), (case.WEST, CELL, 0, case.NORTH, 0, -CELL))
        for band, snapshot in enumerate(self.snapshots, 1):
            numpy.testing.assert_array_equal(source.GetRasterBand(band).ReadAsArray(), snapshot.deposit.values[0])

    def test_one_snapshot(self):
        name = sorted(os.listdir(self.path("run", "snapshots")))[1]
        self.export(f"run/snapshots/{name}", "-f", "nc", "-o", "one.nc")
        self.export(f"run/snapshots/{name}", "-f", "csv", "-o", "one.csv")
        self.assertEqual(open_snapshot(self.path("one.nc")).sizes["time"], 1)
        rows = self.rows("one.csv")
        self.assertEqual(len(rows), 1)
        self.assertAlmostEqual(rows[0]["mean_effusion_m3_s"], rows[0]["cumulative_volume_m3"] / rows[0]["time_s"], 12)

    def test_csv(self):
        self.assertEqual(self.export("run", "-f", "csv").stdout, "run/maps/series.csv\n")
        rows = self.rows("run/maps/series.csv")
        self.assertEqual(len(rows), len(self.snapshots))
        time, emitted = 0, 0
        down, right = numpy.mgrid[:ROWS, :COLS]
        away = CELL * numpy.hypot(down - VENT[0], right - VENT[1])
        for row, s in zip(rows, self.snapshots):
            deposit = s.deposit.values[0]
            self.assertEqual((row["time_s"], row["step"]), (float(s.time.values[0]), s.attrs["step"]))
            self.assertEqual(row["area_m2"], (deposit > 0).sum() * CELL * CELL)
            for column, attribute in (("liquid_m3", "ledger_liquid_m3"), ("solid_m3", "ledger_solid_m3"),
                                      ("cumulative_volume_m3", "ledger_emitted_m3")):
                self.assertAlmostEqual(row[column], s.attrs[attribute], delta=1e-14 * max(1, s.attrs[attribute]))
            self.assertAlmostEqual(row["max_thickness_m"], deposit.max(), 12)
            self.assertAlmostEqual(row["front_distance_m"], away[deposit > 0].max(), 9)
            self.assertAlmostEqual(row["mean_effusion_m3_s"],
                                   (s.attrs["ledger_emitted_m3"] - emitted) / (row["time_s"] - time), 9)
            time, emitted = row["time_s"], s.attrs["ledger_emitted_m3"]
        self.assertAlmostEqual(rows[0]["mean_effusion_m3_s"], 4, 9)
        self.assertAlmostEqual(rows[-1]["mean_effusion_m3_s"], 0, 9)
        self.assertGreater(rows[-1]["front_distance_m"], rows[0]["front_distance_m"])

    def test_run_out_is_from_vents_that_have_erupted(self):
        """A vent that begins later, and one that emits nothing, are no origin of lava: in the table, on maps, in layers and in scores.
        An export does not open a file of rates: whether its vent has erupted is seen from the lava in its cell."""
        case.write_text(self.path("rates.csv"), "time_s,rate_m3_s\n0,1\n1500,0\n")
        for name, rates in (("late", {"slot": "25 min", "rates_m3_s": [1]}), ("late-csv", {"csv": "rates.csv"})):
            with self.subTest(name):
                self.assert_run_out_of_late_vents(name, rates)

    def assert_run_out_of_late_vents(self, run, rates):
        first, late = {"row": VENT[0], "col": VENT[1]}, {"row": VENT[0] + 6, "col": VENT[1] + 3}
        vents = [{**first, "effusion": {"slot": "40 min", "rates_m3_s": [4]}},
                 {**late, "start": "15 min", "effusion": rates},
                 {"row": VENT[0] + 7, "col": VENT[1], "effusion": {"slot": "20 min", "rates_m3_s": [0]}}]
        case.write_scenario(self.work, f"{run}.json", vents=vents, run={"until": "40 min"}, output={"every": "10 min", "fields": case.FIELDS, "maps": ["deposit"]})
        self.sciara("run", f"{run}.json", "-q", "-o", run)
        self.export(run, "-f", "csv")
        rows, far, of_all = self.rows(f"{run}/maps/series.csv"), [], []
        down, right = numpy.mgrid[:ROWS, :COLS]
        for row, name in zip(rows, sorted(os.listdir(self.path(run, "snapshots")))):
            covered = open_snapshot(self.path(run, "snapshots", name)).deposit.values[0] > 0
            away = [CELL * numpy.hypot(down - v["row"], right - v["col"])[covered] for v in vents]
            far.append(numpy.min(away[:2 if row["time_s"] > 900 else 1], axis=0).max())
            of_all.append(numpy.min([away[0], away[2]], axis=0).max())
            self.assertAlmostEqual(row["front_distance_m"], far[-1], 9)
        self.assertLess(far[-1], away[0].max(), "the later vent is nearer")
        self.assertTrue(any(f > n for f, n in zip(far, of_all)), "the third vent would be nearer")
        for snapshot, expected in ((0, far[0]), (-1, far[-1])):
            name = sorted(os.listdir(self.path(run, "snapshots")))[snapshot]
            self.export(f"{run}/snapshots/{name}", "-q", "-f", "geojson", "--layer", "run_out", "-o", "far.geojson", "--overwrite")
            found = case.read_json(self.path("far.geojson"))["features"]
            self.assertAlmostEqual(found[-1]["properties"]["run_out_m"], expected, 6)
            self.export(f"{run}/snapshots/{name}", "-q", "-f", "cog", "--field", "deposit", "-o", "deposit.tif", "--overwrite")
            scores = json.loads(self.sciara("compare", f"{run}/snapshots/{name}", "--observed", "deposit.tif", "--json").stdout)
            self.assertAlmostEqual(scores["run_out_m"], expected, 9)
            self.assertAlmostEqual(scores["run_out_ratio"], 1, 9)

    def layer(self, name, layer, *args):
        """[(attributes, geometry)] of a layer of the GeoPackage of a run."""
        self.export(name, "-q", "-f", "gpkg", "-o", "layers.gpkg", "--overwrite", *args)
        source = ogr.Open(self.path("layers.gpkg"))
        return [(f.items(), f.GetGeometryRef().Clone()) for f in source.GetLayerByName(layer)]

    def assert_covered(self, name, row, col, rows):
        """Run-out points and front lines of a run are of the cells with a deposit, `arrival` of all that lava reached."""
        state = open_snapshot(self.path(name, "snapshots", sorted(os.listdir(self.path(name, "snapshots")))[-1]))
        deposit, arrival, latest = state.deposit.values[0] > 0, state.arrival_time.values[0], float(state.time.values[0])
        down, right = numpy.mgrid[:ROWS, :COLS]
        away = CELL * numpy.hypot(down - row, right - col)
        self.assertGreater(away[arrival >= 0].max(), away[deposit].max() + 1, "lava came farther than it lies")
        self.assertAlmostEqual(max(r["front_distance_m"] for r in rows), away[deposit].max(), 9)
        for args in ([], ["--isochrones", "2 min"]):
            self.assertEqual(sum(a["cells"] for a, _ in self.layer(name, "arrival", *args)), (arrival >= 0).sum())
            points, fronts = self.layer(name, "run_out", *args), self.layer(name, "front_lines", *args)
            self.assertEqual([a["time_s"] for a, _ in points], [a["time_s"] for a, _ in fronts])
            for (point, at), (_, lines) in zip(points, fronts):
                covered = deposit & ((arrival < point["time_s"]) | (point["time_s"] == latest))
                inside = numpy.pad(covered, 1).astype(int)
                self.assertEqual(lines.Length(), CELL * sum(abs(numpy.diff(inside, axis=k)).sum() for k in (0, 1)))
                self.assertAlmostEqual(point["run_out_m"], away[covered].max(), 9)
                cell = int((case.NORTH - at.GetY()) // CELL), int((at.GetX() - case.WEST) // CELL)
                self.assertTrue(covered[cell])
                self.assertAlmostEqual(away[cell], point["run_out_m"], 9)
            self.assertAlmostEqual(points[-1][0]["run_out_m"], rows[-1]["front_distance_m"], 9)

    def test_run_out_is_of_cells_with_a_deposit(self):
        """Lava that entered the sea or left the domain has arrived there, but lies nowhere: the layers say what the table says."""
        for name, (row, col), dem, more in (("coast", VENT, {"sea": 1040}, ("left_map_m3", "entered_sea_m3")),
                                            ("rim", (ROWS - 6, VENT[1]), {}, ())):
            case.write_scenario(self.work, f"{name}.json", dem={"path": "dem.asc", "crs": "EPSG:32633", **dem}, output={"every": "5 min", "fields": case.FIELDS, "dtype": "float64"},
                                vents=[{"row": row, "col": col, "effusion": {"slot": "20 min", "rates_m3_s": [6]}}])
            self.sciara("run", f"{name}.json", "-q", "-u", "30 min", "-o", name)
            self.export(name, "-q", "-f", "csv")
            rows = self.rows(f"{name}/maps/series.csv", more)
            with self.subTest(name):
                self.assert_covered(name, row, col, rows)
            with self.subTest(name, arrival="not known"):
                self.sciara("run", f"{name}.json", "-q", "-u", "30 min", "-o", "undated", "--overwrite", "--set", 'output.fields=["thickness", "deposit"]')
                for field in ("deposit", "liquid"):
                    [(point, _)] = self.layer("undated", "run_out", "--field", field)
                    self.assertAlmostEqual(point["run_out_m"], rows[-1]["front_distance_m"], 9)

    def test_rate_of_a_run_that_begins_later(self):
        """From the time of the observed lava on; of a run from a checkpoint, whose time the snapshots do not tell, the first rate is not known."""
        x, y = case.WEST + 205, case.NORTH - 85
        case.write_json(self.path("outline.geojson"), {
            "type": "Feature", "properties": {}, "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32633"}}, "geometry": {"type": "Polygon", "coordinates": [[[x - 30, y - 30], [x + 30, y - 30], [x + 30, y + 30], [x - 30, y + 30], [x - 30, y - 30]]]}})
        observed = {"outline": "outline.geojson", "thickness": 1, "time": "20 min"}
        vents = [{"row": VENT[0], "col": VENT[1], "effusion": {"slot": "20 min", "rates_m3_s": [2, 5]}}]
        case.write_json(self.path("later.json"), case.scenario(vents=vents, initial={"observed": observed}, output={"every": "5 min"}, run={"until": "30 min"}))
        self.sciara("run", "later.json", "-q", "-o", "later", "--set", "output.checkpoint_every=5 min", "--set", "output.keep_checkpoints=all")
        self.export("later", "-f", "csv")
        first, *rows = self.rows("later/maps/series.csv")
        self.assertEqual((first["time_s"], first["mean_effusion_m3_s"]), (1200, None), "the lava of the outline")
        for row in rows:
            self.assertAlmostEqual(row["mean_effusion_m3_s"], 5, 9)
        self.assertGreater(row["time_s"], 1700)
        checkpoint = sorted(os.listdir(self.path("later", "checkpoints")))[0]
        case.write_json(self.path("on.json"), case.scenario(vents=vents, initial={"checkpoint": f"later/checkpoints/{checkpoint}"}, output={"every": "1 min"}, run={"until": "30 min"}))
        self.sciara("run", "on.json", "-q", "-o", "on")
        self.export("on", "-f", "csv")
        rates = [line.split(",")[7] for line in case.read_text(self.path("on", "maps", "series.csv")).splitlines()[1:]]
        self.assertEqual(rates[0], "")
        numpy.testing.assert_allclose([float(rate) for rate in rates[1:]], 5, rtol=1e-9)

    def assert_front(self, name, vents, cells):
        """The distance of the front in a run with these vents, which are in these cells."""
        case.write_scenario(self.work, f"{name}.json", vents=vents)
        self.sciara("run", f"{name}.json", "-q", "-n", 100, "-o", name)
        self.export(name, "-f", "csv", "-o", f"{name}.csv")
        last = open_snapshot(self.path(name, "snapshots", os.listdir(self.path(name, "snapshots"))[-1]))
        down, right = numpy.mgrid[:ROWS, :COLS]
        away = CELL * numpy.min([numpy.hypot(down - r, right - c) for r, c in cells], axis=0)
        expected_values = away[last.deposit.values[0] > 0].max()
        self.assertGreater(expected_values, 0)
        self.assertAlmostEqual(self.rows(f"{name}.csv")[-1]["front_distance_m"], expected_values, 9)

    def test_front_of_vents(self):
        """The nearest vent counts: of x and y, of longitude and latitude, of a fissure."""
        fissure = {"line": [[case.WEST + 105, case.NORTH - 205], [case.WEST + 255, case.NORTH - 205]],
                   "effusion": {"slot": "10 min", "rates_m3_s": [6]}}
        point = {"x": case.WEST + 305, "y": case.NORTH - 55, "effusion": {"slot": "10 min", "rates_m3_s": [2]}}
        degrees = {"lon": 15.0025, "lat": 37.7420, "effusion": {"slot": "10 min", "rates_m3_s": [0.5]}}
        crossed = {(20, col) for col in range(10, 26)}
        self.assert_front("fissure", [fissure], crossed)
        disc = {(5 + r, 30 + c) for r in range(-2, 3) for c in range(-2, 3) if 10 * numpy.hypot(r, c) <= 25}
        self.assert_front("area", [{**point, "radius_m": 25, "effusion": {"slot": "10 min", "rates_m3_s": [40]}}], disc)
        self.assert_front("points", [point, {**point, "x": point["x"] - 150}], {(5, 30), (5, 15)})
        case.write_scenario(self.work, "placed.json", vents=[degrees])
        report = self.sciara("check", "placed.json", "-q").stdout
        row, col = re.search(r"row +(\d+), column +(\d+)", report).groups()
        self.assert_front("degrees", [degrees], {(int(row), int(col))})
        self.assert_front("all", [fissure, point, degrees], crossed | {(5, 30), (int(row), int(col))})

    def test_csv_without_deposit(self):
        done = self.export("narrow", "-f", "csv", "-o", "narrow.csv")
        self.assertEqual(done.stderr.count('holds no field "deposit"'), 1, "reported once")
        for row, s in zip(self.rows("narrow.csv"), self.snapshots):
            self.assertEqual([row[c] for c in ("area_m2", "front_distance_m", "max_thickness_m")], [None] * 3)
            self.assertAlmostEqual(row["liquid_m3"], s.attrs["ledger_liquid_m3"], 9)

    def test_a_snapshot_that_is_missing(self):
        for suffix in ("nc", "csv"):
            folder = self.path(f"holes-{suffix}")
            shutil.copytree(self.path("run"), folder)
            names = sorted(os.listdir(os.path.join(folder, "snapshots")))
            os.remove(os.path.join(folder, "snapshots", names[1]))
            before = case.tree(self.work)
            done = self.export(f"holes-{suffix}", "-f", suffix, "-o", f"holes.{suffix}", code=4)
            self.assertIn(f"{names[1]}: cannot open", done.stderr)
            self.assertEqual(case.tree(self.work), before)

    def test_snapshots_that_do_not_fit(self):
        names = sorted(os.listdir(self.path("run", "snapshots")))
        shutil.copytree(self.path("run"), self.path("mixed"))
        os.remove(self.path("mixed", "snapshots", names[1]))
        shutil.copy(self.path("narrow", "snapshots", names[1]), self.path("mixed", "snapshots", names[1]))
        self.assertIn("have different fields", self.export("mixed", "-f", "nc", "-o", "mixed.nc", code=3).stderr)
        shutil.copy(self.path("run", "snapshots", names[2]), self.path("mixed", "snapshots", names[1]))
        self.assertIn("expected a later time than", self.export("mixed", "-f", "nc", "-o", "mixed.nc", code=3).stderr)
        self.assertFalse(os.path.exists(self.path("mixed.nc")))

    def test_a_damaged_snapshot(self):
        shutil.copytree(self.path("run"), self.path("damaged"))
        name = sorted(os.listdir(self.path("damaged", "snapshots")))[0]
        with h5py.File(self.path("damaged", "snapshots", name)) as f:
            chunk = f["deposit"].id.get_chunk_info(0)
        with open(self.path("damaged", "snapshots", name), "r+b") as f:
            f.seek(chunk.byte_offset + chunk.size // 2)
            byte = f.read(1)[0]
            f.seek(-1, os.SEEK_CUR)
            f.write(bytes([byte ^ 0x55]))
        done = self.export("damaged", "-f", "nc", "-o", "damaged.nc", code=3)
        self.assertIn(f"{name}: deposit is damaged", done.stderr)
        self.assertFalse(os.path.exists(self.path("damaged.nc")))

    def test_overwrite(self):
        for suffix in ("nc", "csv"):
            self.export("run", "-f", suffix, "-o", f"twice.{suffix}")
            first = case.read_bytes(self.path(f"twice.{suffix}"))
            self.assertIn("already exists; --overwrite replaces it",
                          self.export("run", "-f", suffix, "-o", f"twice.{suffix}", code=3).stderr)
            self.export("run", "-f", suffix, "-o", f"twice.{suffix}", "--overwrite")
            self.assertEqual(case.read_bytes(self.path(f"twice.{suffix}")), first, "the same bytes")
