# SPDX-License-Identifier: Apache-2.0
"""sciara info: of runs, snapshots and scenarios; it finds every missing or damaged snapshot."""
import datetime
import os
import re
import shutil

import case
from case import SharedCase, open_snapshot, record
from geo import gdal

import h5py
import numpy


class Info(SharedCase):
    @classmethod
    def prepare(cls):
        output = {"fields": case.FIELDS, "dtype": "float64", "every": "10 min"}
        case.write_scenario(cls.work, output=output)
        case.run_program("run", "s.json", "-q", "-o", "run", cwd=cls.work)
        cls.record = record(os.path.join(cls.work, "run"))
        cls.names = [s["name"] for s in cls.record["snapshots"]]

    def copy(self, name):
        """A copy of the run, to be damaged."""
        shutil.copytree(self.path("run"), self.path(name))
        return self.path(name)

    def value(self, text, key):
        found = re.search(rf"(?m)^{key}: +(.*)$", text)
        self.assertIsNotNone(found, f'no line "{key}:" in\n{text}')
        return found.group(1)

    def test_run(self):
        text = self.sciara("info", "run").stdout
        r = self.record
        self.assertEqual(self.value(text, "run"), "run, complete: solidified")
        self.assertEqual(self.value(text, "snapshots"), str(len(self.names)))
        self.assertEqual(self.value(text, "snapshot"), f"run/{self.names[-1]}")
        self.check_snapshot(text, r["snapshots"][-1])

    def check_snapshot(self, text, entry):
        self.assertEqual(self.value(text, "title"), "slope")
        self.assertRegex(self.value(text, "time"), rf"^step {entry['step']}, simulated {entry['time_s']:.10g} s ")
        self.assertEqual(self.value(text, "grid"),
                         "30 rows x 40 columns of 10 m, x 500000 to 500400, y 4177000 to 4177300")
        self.assertEqual(self.value(text, "CRS"), "WGS 84 / UTM zone 33N (EPSG:32633)")
        self.assertEqual(self.value(text, "checksum"), entry["checksum"])
        self.assert_parts(text, ": closed\n", "\nfields (float64):\n")
        deposit = open_snapshot(self.path("run", entry["name"])).deposit.values
        lava = deposit[deposit > 0]
        self.assertRegex(text, rf"\n  deposit +{lava.size} cells, {lava.min():.7g} to {lava.max():.7g} m\n")

    def test_lava_that_left_the_map(self):
        """When it did first is the earliest arrival on the rim, however often the run is written; so it is for the sea."""
        vent = {"row": 24, "col": 30, "effusion": {"slot": "1 h", "rates_m3_s": [9]}}
        for sea in (False, True):
            dem = {"path": "dem.asc", "crs": "EPSG:32633", **({"sea": 995} if sea else {})}
            case.write_scenario(self.work, "out.json", dem=dem, vents=[{**vent, "row": 20} if sea else vent], run={"until": "1 h"}, output={"fields": case.FIELDS, "dtype": "float64"})
            for name, every in (("once", "null"), ("often", '"1 min"'), ("seldom", '"17 min"')):
                folder = f"{name}-{sea}"
                said = self.sciara("run", "out.json", "-o", folder, "--set", f"output.every={every}").stderr
                data = open_snapshot(self.path(folder, record(self.path(folder))["snapshots"][-1]["name"]))
                arrival = data["arrival_time"].values[0]
                rows, cols = numpy.indices(arrival.shape)
                edge = (rows == 0) | (rows == arrival.shape[0] - 1) | (cols == 0) | (cols == arrival.shape[1] - 1)
                dem_tif = gdal.Open(self.path(folder, "dem.tif"))
                where = dem_tif.GetRasterBand(2).ReadAsArray() == 1 if sea else edge
                first = arrival[where & (arrival >= 0)].min()
                self.assertGreater(first, 60)
                what = "has entered the sea" if sea else "leaves the domain"
                self.assertIn(f"{what} (simulated time {first:.0f} s)", said)
                text, ledger = self.sciara("info", folder).stdout, record(self.path(folder))["ledger"]
                if not sea:
                    self.assertEqual(ledger["lost_from_s"], first)
                    minutes, seconds = divmod(int(first), 60)
                    self.assertEqual(self.value(text, "left the map"), f"{ledger['lost_m3']:.6g} m3 of lava from simulated time {minutes} min"
                                     f"{f' {seconds} s' if seconds else ''} ({first:.10g} s) on: its front and area beyond the rim are not known")
        self.assertNotIn("left the map", self.sciara("info", "run").stdout)

    def test_snapshot(self):
        text = self.sciara("info", f"run/{self.names[1]}").stdout
        self.assertNotIn("run: ", text)
        self.check_snapshot(text, self.record["snapshots"][1])

    def test_date(self):
        """If the start is known the end of a run and `info` say the date of the simulated time, across midnight; else none."""
        start = datetime.datetime(2026, 12, 31, 23, 30)
        said = self.sciara("run", "s.json", "-o", "dated", "--until", "40 min", "--set", f'run.start="{start:%Y-%m-%dT%H:%M:%SZ}"').stderr
        state = record(self.path("dated"))["state"]
        date = f"{start + datetime.timedelta(seconds=int(state['time_s'])):%Y-%m-%dT%H:%M:%SZ}"
        self.assertTrue(date.startswith("2027-01-01T00:1"), date)
        time = f"{int(state['time_s']) // 60} min" + (f" {int(state['time_s']) % 60} s" if int(state["time_s"]) % 60 else "")
        self.assertIn(f"end (time): step {state['step']}, simulated {time} until {date}, wall-clock time ", said)
        shown = rf"^step {state['step']}, simulated {state['time_s']:.10g} s \({time}, {date}\), clock "
        for name in ("dated", f"dated/{record(self.path('dated'))['snapshots'][-1]['name']}"):
            self.assertRegex(self.value(self.sciara("info", name).stdout, "time"), shown)
        here = f"{start + datetime.timedelta(hours=-3.5, seconds=int(state['time_s'])):%Y-%m-%dT%H:%M:%S}-03:30"
        self.assertIn(f" s ({time}, {here}), clock ", self.sciara("info", "dated", "--time-zone", "-03:30").stdout)
        said = self.sciara("run", "s.json", "-o", "undated", "--until", "40 min").stderr
        self.assertIn(f"simulated {time}, wall-clock time ", said)
        self.assertRegex(self.value(self.sciara("info", "undated").stdout, "time"), rf" s \({time}\), clock ")

    def test_scenario(self):
        text = self.sciara("info", "s.json").stdout
        self.assertEqual(self.value(text, "scenario"), "s.json")
        self.assertEqual(self.value(text, "vents"), "1 cell, 6000 m3 in all, until 1200 s")
        self.assertEqual(os.path.normpath(self.value(text, "output folder")), "s.out")
        self.assertFalse(os.path.exists(self.path("s.out")), "info made the output folder")

    def assert_spoilt(self, name, spoilt, also=""):
        done = self.sciara("info", name, code=3)
        self.assertRegex(done.stderr, rf"error: {name}/{re.escape(spoilt)}: .*{also}")

    def test_each_missing_snapshot_is_named(self):
        folder = self.copy("several")
        for k in (0, 2, 5):
            os.remove(os.path.join(folder, self.names[k]))
        done = self.sciara("info", "several", code=3)
        for k in (0, 2, 5):
            self.assertIn(f"several/{self.names[k]}: ", done.stderr)
        self.assertIn(f"3 of {len(self.names)} snapshots are missing or damaged", done.stderr)

    def test_a_snapshot_that_was_cut_short(self):
        os.truncate(os.path.join(self.copy("short"), self.names[2]), 9000)
        self.assert_spoilt("short", self.names[2])
        self.sciara("info", f"short/{self.names[2]}", code=3)

    def test_a_snapshot_of_another_run(self):
        folder = self.copy("swapped")
        shutil.copy(os.path.join(folder, self.names[1]), os.path.join(folder, self.names[2]))
        self.assert_spoilt("swapped", self.names[2], "checksum")

    def flip_a_byte(self, path):
        """Offset of a byte within the values of `deposit`."""
        with h5py.File(path, "r") as f:
            chunk = f["deposit"].id.get_chunk_info(0)
        with open(path, "r+b") as f:
            f.seek(chunk.byte_offset + chunk.size // 2)
            byte = f.read(1)[0]
            f.seek(-1, os.SEEK_CUR)
            f.write(bytes([byte ^ 0xFF]))

    def test_a_snapshot_with_a_wrong_byte(self):
        path = os.path.join(self.copy("byte"), self.names[-1])
        self.flip_a_byte(path)
        self.assert_spoilt("byte", self.names[-1], "deposit is damaged")
        self.sciara("info", f"byte/{self.names[-1]}", code=3)

    def test_paths_that_are_not_runs(self):
        os.makedirs(self.path("bare"))
        case.write_json(self.path("e.json"), {"base": "s.json", "sample": {"method": "full"}, "vary": [{"key": "model.relaxation", "values": [0.4, 0.5]}]})
        self.sciara("ensemble", "plan", "e.json", "-q", "-o", "ensemble", "--no-estimate")
        self.sciara("ensemble", "status", "ensemble")  # which the message names
        for name, code, message in (("bare", 3, "bare: is not a run folder: it holds no run.json\n"),
                                    ("ensemble", 3, "holds no run.json; it is the folder of an ensemble, of which 'sciara ensemble status' tells\n"),
                                    ("none", 4, "none: cannot open: No such file"),
                                    ("dem.asc", 3, "dem.asc: .*HDF5"),
                                    ("run/series.nc", 3, "run/series.nc: .*found a virtual dataset, .* name its folder")):
            with self.subTest(name=name):
                done = self.sciara("info", name, code=code)
                self.assertRegex(done.stderr, message)
                self.assertEqual(done.stdout, "")

    def test_a_damaged_run_json(self):
        folder = self.copy("record")
        with open(os.path.join(folder, "run.json"), "r+", encoding="utf-8") as f:
            text = f.read()
            f.seek(0)
            f.truncate()
            f.write(text[:len(text) // 2])
        self.assertIn("record/run.json", self.sciara("info", "record", code=3).stderr)
