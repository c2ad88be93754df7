# SPDX-License-Identifier: Apache-2.0
"""sciara run: every file of a run folder, which message goes where, and when snapshots are taken."""
import json
import os

import case
import geo
from case import SharedCase, open_snapshot, record
from geo import gdal

import numpy

EVERY = 600  # s


class Products(SharedCase):
    """One run with snapshots and maps."""

    @classmethod
    def prepare(cls):
        output = {"every": f"{EVERY} s", "fields": case.FIELDS, "dtype": "float64",
                  "maps": ["deposit", "arrival_time"], "folder": "s.out"}
        case.write_scenario(cls.work, output=output, run={"max_time": "6 h", "start": "2006-07-14T23:30:00Z"})
        cls.done = case.run_program("run", "s.json", "--engine", "serial", cwd=cls.work)
        cls.out = os.path.join(cls.work, "s.out")
        cls.record = record(cls.out)

    def test_stdout_lists_snapshots_and_maps(self):
        lines = [os.path.normpath(line) for line in self.done.stdout.splitlines()]
        snapshots = [f"s.out/{s['name']}" for s in self.record["snapshots"]]
        self.assertGreater(len(snapshots), 8, "snapshots in run.json")
        self.assertEqual(lines, snapshots + [f"s.out/maps/{field}.{kind}" for field in ("deposit", "arrival_time")
                                              for kind in ("tif", "png")])
        for snapshot in self.record["snapshots"]:
            self.assertEqual(snapshot["name"], f"snapshots/{snapshot['step']:08d}.nc")

    def test_files(self):
        expected = ["dem.tif", "run.json", "run.log", "series.nc"] + [s["name"] for s in self.record["snapshots"]]
        expected += [f"maps/{field}.{kind}" for field in ("deposit", "arrival_time") for kind in ("tif", "qml", "png")]
        self.assertEqual(case.files(self.out), sorted(expected), "files of the run folder")

    def test_messages_go_to_stderr_and_the_log(self):
        said = [line.removeprefix("sciara: ") for line in self.done.stderr.splitlines()]
        kept = [line.split(": ", 1)[1] for line in case.read_text(self.out, "run.log").splitlines()]
        self.assertGreater(len(said), 3, "messages on stderr")
        self.assertEqual([line.removeprefix("warning: ") for line in said], kept, "run.log against stderr")
        self.assertIn("engine: serial, double precision, 1 thread", said)

    def test_record(self):
        r = self.record
        self.assertEqual((r["status"], r["stop_reason"]), ("complete", "solidified"))
        self.assertEqual((r["engine"]["name"], r["engine"]["precision"]), ("serial", "double"))
        self.assertEqual(r["scenario"], "s.json")
        self.assertEqual(r["state"]["liquid_cells"], 0)
        ledger = r["ledger"]
        self.assertAlmostEqual(ledger["emitted_m3"], 6000, delta=1e-8)
        self.assertLessEqual(abs(ledger["residual_m3"]), ledger["bound_m3"])
        self.assertEqual(ledger["residual_m3"],
                         ledger["initial_m3"] + ledger["emitted_m3"]
                         - (ledger["liquid_m3"] + ledger["solid_m3"] + ledger["lost_m3"]))
        for key in ("started_utc", "updated_utc", "ended_utc"):
            self.assertRegex(r["timing"][key], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$", key)

    def test_record_agrees_with_the_snapshots(self):
        for entry in self.record["snapshots"]:
            data = open_snapshot(os.path.join(self.out, entry["name"]))
            self.assertEqual(data.attrs["step"], entry["step"], entry["name"])
            self.assertEqual(data.time.values[0], entry["time_s"], entry["name"])
            self.assertEqual(data.attrs["checksum"], entry["checksum"], entry["name"])
        state, last = self.record["state"], data
        self.assertEqual((last.attrs["step"], float(last.time[0]), last.attrs["clock_s"], last.attrs["liquid_cells"]),
                         (state["step"], state["time_s"], state["clock_s"], state["liquid_cells"]))
        for name, value in self.record["ledger"].items():
            self.assertEqual(last.attrs[f"ledger_{name}"], value, name)
        self.assertEqual(last.attrs["dem_hash"], self.record["dem_hash"])
        self.assertEqual(json.loads(last.attrs["scenario_json"])["title"], "slope")
        self.assertEqual(last.time.attrs["units"], "seconds since 2006-07-14 23:30:00 UTC")

    def test_values_of_the_last_snapshot(self):
        data = open_snapshot(os.path.join(self.out, self.record["snapshots"][-1]["name"]))
        self.assertEqual(list(data.data_vars), ["crs"] + case.FIELDS, "fields, in the requested order")
        deposit, ground = data.deposit.values[0], data.altitude.values[0]
        arrival = data.arrival_time.values[0]
        for row in range(case.ROWS):
            for col in range(case.COLS):
                where = f"row {row}, column {col}"
                if case.is_sea(row, col):
                    found = (deposit[row, col], ground[row, col], arrival[row, col])
                    self.assertEqual(found, (case.NODATA,) * 3, where)
                elif deposit[row, col] == 0:
                    self.assertEqual(ground[row, col], case.altitude(row, col), where)
                else:
                    self.assertAlmostEqual(ground[row, col], case.altitude(row, col) + deposit[row, col], 9, where)
                    self.assertTrue(0 <= arrival[row, col] <= self.record["state"]["time_s"], where)
        self.assertEqual(arrival[case.VENT], 0, "arrival at the vent")
        volume = case.CELL**2 * deposit[deposit > 0].sum()
        self.assertAlmostEqual(volume, self.record["ledger"]["solid_m3"], delta=1e-7)
        self.assertEqual((data.x.values[0], data.y.values[0]), (case.WEST + 5, case.NORTH - 5), "first cell centre")

    def test_series_is_the_snapshots(self):
        series = open_snapshot(os.path.join(self.out, "series.nc"))
        self.assertEqual(series.time.values.tolist(), [s["time_s"] for s in self.record["snapshots"]])
        for k, entry in enumerate(self.record["snapshots"]):
            data = open_snapshot(os.path.join(self.out, entry["name"]))
            for field in case.FIELDS:
                numpy.testing.assert_array_equal(series[field].values[k], data[field].values[0], entry["name"])

    def test_dem(self):
        dem = gdal.Open(os.path.join(self.out, "dem.tif"))
        expected = [[case.NODATA if case.is_sea(r, c) else case.altitude(r, c) for c in range(case.COLS)]
                    for r in range(case.ROWS)]
        numpy.testing.assert_array_equal(dem.ReadAsArray(), expected)
        self.assertEqual(dem.GetGeoTransform(), (case.WEST, case.CELL, 0, case.NORTH, 0, -case.CELL))
        self.assertEqual(dem.GetSpatialRef().GetAuthorityCode(None), "32633")

    def test_map_is_the_last_snapshot(self):
        data = open_snapshot(os.path.join(self.out, self.record["snapshots"][-1]["name"]))
        values = data.deposit.values[0]
        expected = numpy.where(values == 0, case.NODATA, values).astype("float32")
        numpy.testing.assert_array_equal(geo.read(os.path.join(self.out, "maps/deposit.tif")), expected)
        arrival = geo.read(os.path.join(self.out, "maps/arrival_time.tif"))
        numpy.testing.assert_array_equal(arrival, data.arrival_time.values[0].astype("float32"))

    def test_cadence(self):
        """A snapshot at the first step with s >= k * every, and no other; the state at the end always."""
        times = [s["time_s"] for s in self.record["snapshots"]]
        due = [k * EVERY for k in range(1, int(times[-1] // EVERY) + 1)]
        self.assertEqual(len(times), len(due) + 1, f"snapshots at {times}; due at {due} and at the end")
        for k, (time, moment) in enumerate(zip(times, due)):
            self.assertTrue(moment <= time < moment + EVERY, f"snapshot {k}: due at {moment} s, is at {time} s")
        for entry, moment in list(zip(self.record["snapshots"], due))[:4]:  # one step earlier was too early
            before = record(self.run_scenario(f"before{moment}", "--steps", entry["step"] - 1))
            self.assertLess(before["state"]["time_s"], moment, f"step {entry['step'] - 1}")
        self.assertEqual(self.record["snapshots"][-1]["step"], self.record["state"]["step"], "the last snapshot")

    def test_cadence_does_not_change_the_run(self):
        plain = self.run_scenario("plain", "--set", "output.every=null")
        self.assertEqual(len(record(plain)["snapshots"]), 1, "snapshots without output.every")
        self.assert_identical(plain, self.out)
