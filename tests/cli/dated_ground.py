# SPDX-License-Identifier: Apache-2.0
"""dem.edits with `from`: ground that changes while lava flows. Altitudes, rock and mass balance, computed again with numpy; a run that
begins on the changed ground as an independent truth; a file of edits, members, checkpoints that go on over edited ground. Engines and
resumed runs: exact_states.py."""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import case
from case import COLS, ROWS, SOUTH, WEST, Case, open_snapshot

import geo
import numpy as np
from osgeo import gdal

VENT = {"x": WEST + 205, "y": SOUTH + 215, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6, 3]}}
FROM = 720  # s: lava has then covered part of the dam's line
ROW = 14    # of the dam, below the vent
DAM = {"name": "dam", "line": [[WEST + 145, SOUTH + 155], [WEST + 285, SOUTH + 155]], "width_m": 5, "height_m": 6, "from": "12 min"}
CELLS = [(ROW, col) for col in range(14, 29)]
GROUND = np.array([[case.NODATA if case.is_sea(r, c) else case.altitude(r, c) for c in range(COLS)] for r in range(ROWS)])
BREACH = 10800  # s
BASIN = {"line": [[WEST + 105, SOUTH + 245], [WEST + 105, SOUTH + 145], [WEST + 325, SOUTH + 145], [WEST + 325, SOUTH + 245]], "width_m": 5}
BREACHED = {"name": "dam", "height_m": 40} | BASIN, {"name": "breach", "depth_m": 40, "from": "3 h"} | BASIN
OUTPUT = {"fields": [*case.FIELDS, "solid_thickness", "momentum_x"], "dtype": "float64", "every": "6 min"}


def dem(*edits):
    return {"path": "dem.asc", "crs": "EPSG:32633", "edits": list(edits)}


def states(folder):
    """(attributes, fields) of each snapshot."""
    for entry in case.record(folder)["snapshots"]:
        data = open_snapshot(os.path.join(folder, entry["name"]))
        yield data.attrs, {name: np.array(data[name].values).reshape(ROWS, COLS).astype(float) for name in data.data_vars if data[name].size == ROWS * COLS}


class Dated(Case):
    def write(self, *edits, name="s.json", **more):
        self.write_scenario(name, **({"vents": [VENT], "dem": dem(*edits), "output": OUTPUT} | more))

    def last(self, folder):
        return case.record(self.path(folder))["snapshots"][-1]["checksum"]

    def test_altitudes(self):
        """The ground rises in the first step that ends at or after the time; lava lies on it, and counts as none beside it; the balance
        closes."""
        often = {"output": OUTPUT | {"every": "3 min"}, "run": {"until": "26 min"}}
        self.write(DAM, **often)
        said = self.sciara("run", "s.json", "-o", "out").stderr
        self.write(name="plain.json", **often)
        self.run_scenario("plain", name="plain.json")
        before = after = 0
        for (a, x), (_, y) in zip(states(self.path("out")), states(self.path("plain"))):
            self.assertLessEqual(abs(a["ledger_residual_m3"]), a["ledger_bound_m3"])
            ground = x["altitude"] - x["solid_thickness"]
            expected = GROUND.copy()
            if a["time_s"] >= FROM:
                for cell in CELLS:
                    expected[cell] += 6
                after += 1
            else:
                np.testing.assert_array_equal(x["thickness"], y["thickness"])
                before += 1
            valid = GROUND != case.NODATA
            np.testing.assert_allclose(ground[valid], expected[valid], rtol=0, atol=1e-9)
        self.assertTrue(before >= 3 and after >= 3, (before, after))
        *_, (_, x) = states(self.path("out"))
        top, (dam,) = np.where(x["deposit"] > 0, x["altitude"] + x["thickness"], -np.inf), case.record(self.path("out"))["barriers"]
        top[ROW, 14:29] = -np.inf
        free = min(GROUND[ROW, col] + 6 - top[ROW - 1:ROW + 2, col - 1:col + 2].max() for _, col in CELLS)
        self.assertAlmostEqual(dam["freeboard_m"], free, delta=1e-9)
        self.assertNotEqual(self.last("out"), self.last("plain"))
        self.assertRegex(said, r"dem.edits\[0\] \(dam\): 15 cells are changed by 6 m, 9000 m3 in all at simulated time 12 min\n")
        self.assertRegex(said, r"dem.edits\[0\] \(dam\): done at simulated time 12 min(?: \d+ s)?, step \d+: 15 cells changed by 6 m, 9000 m3 in all; [1-9]\d* of them with liquid lava, 0 m3 of rock replaced\n")
        self.assertNotIn("removed_m3", case.record(self.path("out"))["ledger"])
        first = gdal.Open(self.path("out/dem.tif")).ReadAsArray()[0]  # its second band marks the edits
        np.testing.assert_allclose(first[GROUND != case.NODATA], GROUND[GROUND != case.NODATA], atol=1e-9)

    def test_the_ground_that_a_run_leaves(self):
        """DEM, edits up to the snapshot and deposit, from the numbers of the scenario; without altitudes none is written."""
        late = DAM | {"name": "late", "line": [[WEST + 145, SOUTH + 55], [WEST + 285, SOUTH + 55]], "from": "5 h"}
        valid = GROUND != case.NODATA
        for until, height in (("10 min", 0), ("20 min", 6)):
            self.write(DAM, late, run={"until": until})
            self.sciara("run", "s.json", "-q", "-o", until)
            self.sciara("export", until, "-q", "-f", "ground", "-o", f"{until}.tif")
            *_, (_, x) = states(self.path(until))
            expected = GROUND + x["deposit"]
            for cell in CELLS:
                expected[cell] += height
            np.testing.assert_allclose(gdal.Open(self.path(f"{until}.tif")).ReadAsArray()[valid], expected[valid], rtol=0, atol=1e-9)
        self.write(DAM, run={"until": "20 min"}, output={"every": "10 min"})
        self.sciara("run", "s.json", "-q", "-o", "bare")
        said = self.sciara("export", "bare", "-q", "-f", "ground", "-o", "bare.tif", code=3).stderr
        self.assertRegex(" ".join(said.split()), 'the edit "dam" changed the ground at 720 s, .*expected a snapshot with the fields altitude and thickness')
        self.assertFalse(os.path.exists(self.path("bare.tif")))

    def test_barriers(self):
        """Of each barrier: first lava on it, or its freeboard, from the fields of the last snapshot."""
        high = DAM | {"name": "high", "height_m": 60, "from": 0}
        far = {"name": "far", "line": [[WEST + 345, SOUTH + 35], [WEST + 345, SOUTH + 65]], "width_m": 5, "crest_m": 1050}
        late = far | {"name": "late", "from": "5 h"}
        low = {"name": "low", "line": [[WEST + 165, SOUTH + 195], [WEST + 245, SOUTH + 195]], "width_m": 5, "height_m": 0.5, "from": "5 min"}
        channel = {"name": "channel", "line": [[WEST + 305, SOUTH + 35], [WEST + 305, SOUTH + 65]], "width_m": 5, "depth_m": 2}
        self.write(high, far, channel, low, late, run={"until": "1 h"})
        said = self.sciara("run", "s.json", "-o", "out").stderr
        *_, (_, x) = states(self.path("out"))
        surface = np.where(x["deposit"] > 0, x["altitude"] + x["thickness"], -np.inf)
        ground = x["altitude"] - x["solid_thickness"]
        def beside(row, col):
            around = surface[row - 1:row + 2, col - 1:col + 2].copy()
            if row in (ROW, 10):
                around[1] = -np.inf  # the cells of the dam itself
            return around.max()
        found = {b["name"]: b for b in case.record(self.path("out"))["barriers"]}
        self.assertEqual(sorted(found), ["far", "high", "low"])
        free = {cell: ground[cell] - beside(*cell) for cell in CELLS}
        least = min(free, key=free.get)
        self.assertIsNone(found["high"]["overtopped_s"])
        self.assertEqual((found["high"]["cells"], found["high"]["edit"]), (15, 0))
        self.assertAlmostEqual(found["high"]["freeboard_m"], free[least], delta=1e-9)
        self.assertEqual((found["high"]["x"], found["high"]["y"]), (WEST + 10 * least[1] + 5, case.NORTH - 10 * least[0] - 5))
        self.assertRegex(said, rf"barrier high: not overtopped; {free[least]:.3g} m are left above the lava beside it, at x 500\d\d5, y 4177\d\d5\n")
        arrival = {(10, col): max(x["arrival_time"][10, col], 300) for col in range(16, 25) if x["arrival_time"][10, col] >= 0}
        first = min(arrival, key=arrival.get)
        self.assertEqual(found["low"]["overtopped_s"], arrival[first])
        self.assertEqual(found["low"]["x"], WEST + 10 * first[1] + 5)
        self.assertEqual((found["far"]["overtopped_s"], found["far"]["freeboard_m"], found["far"]["x"]), (None, None, None))
        self.assertIn("barrier far: lava has not reached it\n", said)
        self.assertRegex(self.sciara("info", "out").stdout, r"barrier: +high: not overtopped; .*\n")

    def test_what_maps_say_of_edits(self):
        """Maps, pages and `info` name each edit: what it does, from when, and what became of a barrier, with dates; so does the
        title, unless another one is given."""
        start, west = "2026-11-27T22:00:00Z", {"width_m": 5, "line": [[WEST + 305, SOUTH + 35], [WEST + 305, SOUTH + 65]]}
        high = DAM | {"name": "high", "height_m": 60, "from": 0}
        low = {"name": "low", "line": [[WEST + 165, SOUTH + 195], [WEST + 245, SOUTH + 195]], "width_m": 5, "height_m": 0.5, "from": "5 min"}
        east = west | {"line": [[WEST + 345, SOUTH + 35], [WEST + 345, SOUTH + 65]]}
        others = [east | {"crest_m": 1050.5}, west | {"name": "channel", "depth_m": 2}, low, west | {"name": "late", "height_m": 6, "from": "5 h"}]
        others += [west | {"name": f"groove {k}", "depth_m": 0.1, "from": "5 h"} for k in range(3)]  # two more than are named
        self.write(high, *others, title="Flow", run={"until": "1 h", "start": start}, output=OUTPUT | {"maps": ["deposit"]})
        self.sciara("run", "s.json", "-q", "-o", "out")
        found = {b["name"]: b for b in case.record(self.path("out"))["barriers"]}
        over = found["low"]["overtopped_s"]
        time = f"{int(over // 60)} min{f' {int(over % 60)} s' if over % 60 >= 1 else ''} ({case.minute_after(start, over)})"
        lines = [f"high: 60 m above the ground; at the end of the run not overtopped, {found['high']['freeboard_m']:.3g} m are left.",
                 "edit 2: crest at 1050.5 m; at the end of the run lava has not reached it.", "channel: 2 m below the ground.",
                 f"low: 0.5 m above the ground, from 5 min (2026-11-27 22:05 UTC); lava is on it from {time} on.",
                 "late: 6 m above the ground, from 5 h (2026-11-28 03:00 UTC).", "groove 0: 0.1 m below the ground, from 5 h (2026-11-28 03:00 UTC).", "Edited ground: … +2"]
        self.assertIn(f"low: lava is on it from simulated time {time} on, first", self.sciara("info", "out").stdout)
        for name in ("out.png", "named.png"):
            self.sciara("export", "out", "-q", "-f", "png", "-o", name, *(["--title", "Other"] if name == "named.png" else []))
        self.sciara("export", "out", "-q", "-f", "html", "-o", "out.html", "--language", "it")
        for path, title in (("out.png", "Flow (Edited ground: high, channel, low, …)"), ("named.png", "Other"),
                            ("out/maps/deposit.png", "Flow (Edited ground: high, channel, low, …)")):
            facts = gdal.Open(self.path(path)).GetMetadata()
            self.assertEqual(facts["Title"], title, path)
            self.assertTrue(facts["assumptions"].endswith("Start: 2026-11-27 22:00 UTC. " + " ".join(lines)), facts["assumptions"])
        page = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', Path(self.path("out.html")).read_text(encoding="utf-8"), re.S)[1])
        self.assertEqual(page["title"], "Flow (Terreno modificato: high, channel, low, …)")
        said = page["assumed"].split("\n")[2:]
        self.assertEqual((len(said), said[3]), (7, f"low: 0,5 m sopra il terreno, da 5 min (2026-11-27 22:05 UTC); la lava è su di essa da {time} in poi."))

    def test_against_a_run_on_the_changed_ground(self):
        """From the state at that time, given as rasters to a run whose ground is the changed one from its start."""
        model = {**case.SHEET, "radiating_share": 0, "clock_max_s": 5}
        self.write(DAM, model=model, output=OUTPUT | {"every": FROM})
        self.run_scenario("out", "--until", FROM + 60)
        (a, x), *_ = states(self.path("out"))
        self.assertGreaterEqual(a["time_s"], FROM)
        (b, y) = list(states(self.path("out")))[-1]
        geo.write_raster(self.path("h.tif"), x["thickness"].clip(0), gdal.GDT_Float64)
        rest = [[0, 6], [1200 - a["time_s"], 3], [1800 - a["time_s"], 0]]
        self.write({k: v for k, v in DAM.items() if k != "from"}, name="t.json", model=model | {"clock_first_s": a["clock_s"]},
                   initial={"thickness": "h.tif"}, vents=[VENT | {"effusion": {"table": rest}}])
        self.run_scenario("truth", "--steps", int(b["step"] - a["step"]), name="t.json")
        (c, z) = list(states(self.path("truth")))[-1]
        self.assertAlmostEqual(c["time_s"] + a["time_s"], b["time_s"], delta=1e-6)
        np.testing.assert_allclose(z["thickness"], y["thickness"], rtol=0, atol=1e-9)
        self.assertGreater(np.abs(x["thickness"] - y["thickness"]).max(), 0.3)

    def test_rock(self):
        """Rock stays on ground that is raised, and is replaced where an altitude is set: a line of the mass balance."""
        late, end = "5 h", {k: v for k, v in OUTPUT.items() if k != "every"}
        crest = {"name": "crest", "line": [[WEST + 205, SOUTH + 265], [WEST + 205, SOUTH + 105]], "width_m": 5, "crest_m": 1042, "from": late}
        level = {"name": "level", "polygon": [[WEST + 210, SOUTH + 150], [WEST + 260, SOUTH + 150], [WEST + 260, SOUTH + 200], [WEST + 210, SOUTH + 200]],
                 "level_m": 1030, "from": late}
        lift = {"name": "lift", "polygon": [[WEST + 100, SOUTH + 100], [WEST + 300, SOUTH + 100], [WEST + 300, SOUTH + 250], [WEST + 100, SOUTH + 250]],
                "raise_m": 0.7, "from": late}
        self.write(name="plain.json", output=end, run={"until": "5.5 h"}, vents=[VENT, VENT | {"start": "5.2 h"}])
        self.run_scenario("plain", "--until", late, name="plain.json")
        *_, (a, x) = states(self.path("plain"))
        z, z0 = x["altitude"], x["altitude"] - x["solid_thickness"]
        for precision in ("double", "single"):
            with self.subTest(precision):
                self.write(crest, level, lift, output=end, run={"until": "5.5 h"}, vents=[VENT, VENT | {"start": "5.2 h"}])
                folder = self.run_scenario(precision, "-p", precision, "--until", a["time_s"] + 1)
                *_, (b, y) = states(folder)
                w, w0, lost = z.copy(), z0.copy(), 0
                for target in (w, w0):
                    target[3:20, 20] = np.maximum(target[3:20, 20], 1042)
                rock = (z - z0)[3:20, 20]
                lost += (rock - (w - w0)[3:20, 20]).sum()
                lost += (w - w0)[10:15, 21:26].sum()
                for target in (w, w0):
                    target[10:15, 21:26] = 1030
                    target[5:20, 10:30] += 0.7
                self.assertGreater(lost, 1)
                digits = 1e-8 if precision == "double" else 2e-3
                np.testing.assert_allclose(y["altitude"][4:], w[4:], rtol=0, atol=digits)
                np.testing.assert_allclose(y["solid_thickness"], w - w0, rtol=0, atol=digits)
                ledger = case.record(folder)["ledger"]
                self.assertAlmostEqual(ledger["removed_m3"], 100 * lost, delta=1e-5 if precision == "double" else 2)
                self.assertLessEqual(abs(ledger["residual_m3"]), ledger["bound_m3"])
                said = self.sciara("run", "s.json", "-o", precision + "-said", "-p", precision, "--until", a["time_s"] + 1).stderr
                for text, form in ((said, "observed lava and edits of the ground removed (.*) m3\n"),
                                   (self.sciara("info", folder).stdout, "removed by it and by edits of the ground: (.*) m3\n")):
                    self.assertAlmostEqual(float(re.search(form, text)[1]), 100 * lost, delta=1e-5 if precision == "double" else 2)
                self.sciara("export", folder, "-q", "-f", "html", "-o", precision + ".html")
                self.assertIn('"Removed by edits or an observation"', Path(self.path(precision + ".html")).read_text(encoding="utf-8"))
                self.assertEqual(self.last(precision), self.last(self.run_scenario(precision + "c", "-p", precision, "-e", "checked", "--until", a["time_s"] + 1)))

    def test_new_dem(self):
        new = GROUND.copy()
        new[10:20, 5:35] += 2.5
        new[12, 20] = case.NODATA
        geo.write_raster(self.path("new.tif"), np.where(new == case.NODATA, 0, new), gdal.GDT_Float64)
        self.write({"dem": "new.tif", "from": "15 min"})
        folder = self.run_scenario("out", "--until", "20 min")
        *_, (_, x) = states(folder)
        ground = x["altitude"] - x["solid_thickness"]
        new[12, 20] = GROUND[12, 20]
        valid = GROUND != case.NODATA
        np.testing.assert_allclose(ground[valid], new[valid], atol=1e-9)

    def test_killed(self):
        """In the folder, with a file of edits, which must be the same; the barriers too."""
        case.write_features(self.path("dam.json"), ({"width_m": 5, "height_m": 6}, "LineString", DAM["line"]))
        self.write({"file": "dam.json", "from": "12 min"}, output=OUTPUT | {"every": "1 min", "checkpoint_every": "1 min"}, model={"cooling": 1.5})
        self.run_scenario("whole", "-e", "serial", "--until", "40 min")
        for most, end in ((6, signal.SIGKILL), (16, signal.SIGINT)):
            shutil.rmtree(self.path("part"), ignore_errors=True)
            with subprocess.Popen([case.PROGRAM, "run", "s.json", "-q", "-o", "part", "-e", "serial", "--until", "40 min"], cwd=self.work,
                                  stdout=subprocess.PIPE, encoding="utf-8") as process:
                for k, _ in enumerate(process.stdout):
                    if k == most:
                        process.send_signal(end)
                        break
                process.communicate()
            found = case.record(self.path("part"))
            self.assertEqual((found["status"], len(found.get("barriers", []))), ("stopped", 1) if end == signal.SIGINT else ("running", 0))
            if most == 6:
                os.rename(self.path("dam.json"), self.path("away"))
                self.assertIn("dam.json", self.sciara("resume", "part", code=4).stderr)
                text = json.dumps(case.read_json(self.path("away")))
                case.write_text(self.path("dam.json"), text.replace('"height_m": 6', '"height_m": 7'))
                self.assertIn("dem.edits: expected the edits of the ground", self.sciara("resume", "part", code=3).stderr)
                os.rename(self.path("away"), self.path("dam.json"))
            self.sciara("resume", "part", "-q")
            self.assert_same_run("whole", "part", ("history", "scenario_json"))
            self.assertEqual(case.record(self.path("whole"))["barriers"], case.record(self.path("part"))["barriers"])

    def plan(self, folder, base="s.json", **parts):
        whole = {"base": base, "sample": {"method": "full"}, "vary": [{"key": "rate_scale", "values": [0.5, 1, 2]}]} | parts
        case.write_json(self.path("e.json"), whole)
        return self.sciara("ensemble", "plan", "e.json", "-o", folder, "--no-estimate").stderr

    def check_members(self, folder, count):
        sums = {int(row["id"]): row["checksum"] for row in case.read_rows(self.path(folder, "log.csv"))}
        self.assertEqual(sorted(sums), list(range(count)))
        for member in range(count):
            self.sciara("ensemble", "member", folder, member, "-o", f"{folder}-{member}.json")
            self.run_scenario(f"{folder}-{member}", name=f"{folder}-{member}.json")
            self.assertEqual(self.last(f"{folder}-{member}"), sums[member])

    def test_members(self):
        """Each member is the run of its own file, in both precisions, with edits before the run too, in a moved folder."""
        early = {"line": [[WEST + 100, SOUTH + 105], [WEST + 300, SOUTH + 105]], "width_m": 5, "depth_m": 2}
        for precision in ("double", "single"):
            self.write(early, DAM, DAM | {"name": "top", "height_m": 1}, engine={"precision": precision})  # two at one time
            self.plan(precision)
            os.rename(self.path(precision), self.path(precision + "-moved"))
            self.sciara("ensemble", "run", precision + "-moved", "-q", "-j", 2)
            self.check_members(precision + "-moved", 3)
        self.assertEqual(self.last("single-moved-1"), self.last(self.run_scenario("whole")))

    def kill_member(self, least):
        """Kills a process once its member has a checkpoint of that time; returns the time of the checkpoint."""
        import h5py
        path, at = self.path("e/members/000000/0.checkpoint.h5"), -1
        with subprocess.Popen([case.PROGRAM, "ensemble", "run", "e", "-j", "1", "--checkpoint-every", "1e-9 wall"], cwd=self.work,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and at < least:
                time.sleep(0.005)
                if glob.glob(path):
                    with open(path, "rb") as f, h5py.File(f) as checkpoint:
                        at = float(checkpoint.attrs["time_s"])
            process.kill()
        return at

    def test_members_go_on(self):
        """A member that is interrupted goes on from its checkpoint, before and after the change."""
        self.write(DAM, model={"cooling": 1.5}, run={"until": "60 min"})
        self.plan("e", vary=[{"key": "rate_scale", "values": [3]}])
        self.sciara("ensemble", "member", "e", 0, "-o", "m.json")
        self.run_scenario("whole", name="m.json")
        for least in (1, FROM):
            self.assertGreaterEqual(self.kill_member(least), least)
        said = self.sciara("ensemble", "run", "e", "-j", 1).stderr
        self.assertRegex(said, "member 0: continues from step [1-9]")
        row, = case.read_rows(self.path("e/log.csv"))
        self.assertEqual(row["checksum"], self.last("whole"))

    def test_checkpoint_goes_on_over_edited_ground(self):
        """A dam that the run of the checkpoint did not have: from a later time, or from now if its time has passed."""
        self.write()
        self.run_scenario("part", "--until", FROM, "--checkpoint-every", "1 d")
        shutil.copy(sorted(glob.glob(self.path("part/checkpoints/*.h5")))[-1], self.path("now.h5"))
        state = case.record(self.path("part"))["state"]
        self.write(DAM, name="c.json", initial={"checkpoint": "now.h5"})
        said = self.sciara("run", "c.json", "-o", "c", "--until", "20 min").stderr
        self.assertIn(f"step {state['step']}: 15 cells changed by 6 m", said)
        self.write(DAM)
        self.assertEqual(self.last("c"), self.last(self.run_scenario("whole", "--until", "20 min")))
        self.write(DAM | {"from": "13 min"}, name="c.json", initial={"checkpoint": "now.h5"})
        self.write(DAM | {"from": "13 min"})
        self.assertEqual(self.last(self.run_scenario("later", "--until", "20 min", name="c.json")), self.last(self.run_scenario("whole13", "--until", "20 min")))
        # lava is on a dam from when it was built on: at the start of this run, which is after its time, or, in a run that had it, at its time
        thin = DAM | {"height_m": 0.1, "from": "11 min"}
        self.write(thin, name="c.json", initial={"checkpoint": "now.h5"})
        self.write(thin)
        self.run_scenario("thin", "--until", "15 min", "--checkpoint-every", "1 d")
        shutil.copy(sorted(glob.glob(self.path("thin/checkpoints/*.h5")))[-1], self.path("had.h5"))
        self.write(thin, name="d.json", initial={"checkpoint": "had.h5"})
        for name, built in (("c", state["time_s"]), ("d", 660)):
            *_, (_, x) = states(self.run_scenario("thin-" + name, "--until", "20 min", name=name + ".json"))
            expected = min(max(x["arrival_time"][cell], built) for cell in CELLS if x["arrival_time"][cell] >= 0)
            found, = case.record(self.path("thin-" + name))["barriers"]
            self.assertEqual(found["overtopped_s"], expected)
            self.assertLess(min(x["arrival_time"][cell] for cell in CELLS if x["arrival_time"][cell] >= 0), state["time_s"])
        self.write({k: v for k, v in DAM.items() if k != "from"}, name="c.json", initial={"checkpoint": "now.h5"})
        self.assertRegex(self.sciara("run", "c.json", "-o", "no", code=3).stderr, 'another DEM.*An edit of the ground that its run did not have needs "from"')
        # a checkpoint that has the dam goes on with another edit after it
        self.write(DAM)
        self.run_scenario("dam", "--until", "14 min", "--checkpoint-every", "1 d")
        shutil.copy(sorted(glob.glob(self.path("dam/checkpoints/*.h5")))[-1], self.path("now.h5"))
        more = DAM | {"name": "higher", "height_m": 3, "from": "15 min"}
        self.write(DAM, more, name="c.json", initial={"checkpoint": "now.h5"})
        self.write(DAM, more)
        self.assertEqual(self.last(self.run_scenario("c2", "--until", "20 min", name="c.json")), self.last(self.run_scenario("both", "--until", "20 min")))
        self.plan("e", base="c.json")
        self.sciara("ensemble", "run", "e", "-q")
        self.check_members("e", 3)

    def test_refused(self):
        geo.write_raster(self.path("small.tif"), np.ones((ROWS, COLS), np.float32), gdal.GDT_Float32)
        gdal.Translate(self.path("cut.tif"), self.path("small.tif"), srcWin=[0, 0, 10, 10])
        early = {k: v for k, v in DAM.items() if k != "from"}
        for text, edits in (
                (r"dem.edits\[0\].from: expected 0 to 1e12 s; found -5", [DAM | {"from": -5}]),
                (r"dem.edits\[1\]: from: expected 720 s, the time of the edit before it, or later.*found 600 s", [DAM, DAM | {"from": 600}]),
                (r"dem.edits\[1\]: from: expected 720 s.*found 0 s \(before the run\)", [DAM, early]),
                (r"dem.edits\[0\] \(edit 1\): .*cut.tif: 10 rows", [{"dem": "cut.tif", "from": 60}]),
                (r"none.tif", [{"dem": "none.tif", "from": 60}]),
                (r"dem.edits\[0\].*line, polygon, file", [{"from": 60}]),
                (r"expected an altitude of", [{k: v for k, v in DAM.items() if k != "height_m"} | {"crest_m": 1e5}, DAM])):
            with self.subTest(text):
                self.write(*edits)
                self.assertRegex(self.sciara("run", "s.json", "-o", "out", code=4 if "none" in text else 3).stderr, text)
                self.assertFalse(os.path.exists(self.path("out")))

    def breach(self, cooling, until):
        """Lava that a dam holds for 3 h: no run ends before. Its state at the end, which is that of a resumed run and of a member."""
        run = {"run": {"until": until, "front_at_rest": "30 min"}}
        self.write(*BREACHED, model={"cooling": cooling}, output=OUTPUT | {"every": "1 d"}, **run)
        self.run_scenario("whole")
        self.run_scenario("part", "--until", "90 min", "--checkpoint-every", "1 d")
        self.sciara("resume", "part", "-q", "-o", "rest", "--until", until, "--set", 'run.front_at_rest="30 min"')
        self.assertEqual(self.last("rest"), self.last("whole"))
        self.plan("e", vary=[{"key": "rate_scale", "values": [1]}])
        self.sciara("ensemble", "run", "e", "-q")
        self.assertEqual([row["checksum"] for row in case.read_rows(self.path("e", "log.csv"))], [self.last("whole")])
        self.run_scenario("long", "--until", "5 h")
        found = case.record(self.path("whole"))
        self.assertEqual(found["stop_reason"], until)
        return found["state"], *(list(states(self.path(name)))[-1][1] for name in ("whole", "long"))

    def test_front_at_rest_before_a_breach(self):
        """It is at rest 30 min after the last new cell or the breach, whichever is later; a long run says when that is."""
        state, whole, later = self.breach(0.5, "front at rest")
        early = np.where(later["arrival_time"] <= state["time_s"], later["arrival_time"], -1)
        np.testing.assert_array_equal(whole["arrival_time"] >= 0, early >= 0)
        self.assertGreater(early.max(), BREACH)
        self.assertTrue(0 <= state["time_s"] - (early.max() + 1800) <= 120, (state, early.max()))
        self.assertTrue(((early > BREACH) & (later["arrival_time"] >= 0)).sum() > 20)

    def test_solidified_before_a_breach(self):
        """All lava is solid an hour before; the run ends with the step that does the edit."""
        state, whole, _ = self.breach(1000, "solidified")
        self.assertIn(f"estimate:      {state['step']} steps, simulated 3 h; a probe computed all of it", self.sciara("check", "s.json").stdout)
        self.run_scenario("timed", "--until", "3 h")
        self.assertEqual(state["step"], case.record(self.path("timed"))["state"]["step"])
        valid = (GROUND != case.NODATA) & (whole["arrival_time"] < 0)
        np.testing.assert_allclose((whole["altitude"] - GROUND)[valid], 0, atol=1e-9)  # the dam is gone

    def test_after_the_end(self):
        """Such a dam is legal, for the run may be continued, but whoever mistakes the day learns it."""
        line = [[WEST + 105, SOUTH + 35], [WEST + 245, SOUTH + 35]]
        self.write(DAM, DAM | {"name": "late", "line": line, "from": "2026-05-10T04:20Z"}, run={"start": "2026-05-10T04:00Z", "until": "20 min"})
        said = ("dem.edits[1] (late) is dated 20 min (2026-05-10 04:20 UTC), and the run ends at 20 min (2026-05-10 04:20 UTC): "
                "it changes nothing")
        for command in (("check",), ("run", "-o", "late")):
            err = self.sciara(command[0], "s.json", *command[1:]).stderr
            self.assertEqual((err.count("changes nothing"), said in " ".join(err.split())), (1, True), err)
        self.assertEqual([barrier["name"] for barrier in case.record(self.path("late"))["barriers"]], ["dam"])


class MovingFissure(Case):
    """Parts of a fissure that open and close: vents with one table, each with its time."""

    def write(self, name, *parts):
        lines = ([[WEST + 165, SOUTH + 235], [WEST + 195, SOUTH + 235]], [[WEST + 195, SOUTH + 225], [WEST + 235, SOUTH + 215]])
        self.write_scenario(name, vents=[{"line": line, **part} for line, part in zip(lines, parts)], model={"cooling": 150}, run={"until": "40 min"})

    def test_parts(self):
        """The run of tables that were cut by hand; lava in the second part comes later; members and changed rates follow."""
        case.write_text(self.path("rates.csv"), "time (s),rate (m3/s)\n0,4\n600,6\n1200,3\n1800,0\n")
        csv_file = {"effusion": {"csv": "rates.csv"}}
        self.write("parts.json", {"until": "15 min"} | csv_file, {"from": "15 min", "until": "25 min"} | csv_file)
        self.write("hand.json", {"until": "1 h", "effusion": {"table": [[0, 4], [600, 6], [900, 0]]}}, {"effusion": {"table": [[900, 6], [1200, 3], [1500, 0]]}})
        sums = {name: case.record(self.run_scenario(name, name=name + ".json"))["snapshots"][-1]["checksum"] for name in ("parts", "hand")}
        self.assertEqual(sums["parts"], sums["hand"])
        self.assertAlmostEqual(case.record(self.path("parts"))["ledger"]["emitted_m3"], 600 * 4 + 600 * 6 + 300 * 3, delta=1e-6)
        case.write_json(self.path("e.json"), {"base": "parts.json", "sample": {"method": "full"}, "vary": [{"key": "rate_scale", "values": [1]}]})
        self.sciara("ensemble", "plan", "e.json", "-o", "e", "--no-estimate")
        self.sciara("ensemble", "run", "e", "-q")
        self.assertEqual([row["checksum"] for row in case.read_rows(self.path("e/log.csv"))], [sums["hand"]])
        self.write("none.json", csv_file, {"from": "1 h"} | csv_file)
        self.write("one.json", csv_file, {"effusion": {"table": [[0, 0], [1, 0]]}})
        sums = {case.record(self.run_scenario(name, name=name + ".json"))["snapshots"][-1]["checksum"] for name in ("none", "one")}
        self.assertEqual(len(sums), 1)

    def test_refused(self):
        rates = {"effusion": {"slot": 600, "rates_m3_s": [4]}}
        for text, part in ((r"vents\[1\].until: expected a time after from, 900 s; found 600 s", {"from": 900, "until": 600}),
                           (r"vents\[1\].from: expected 0 to 1e12 s; found -1", {"from": -1})):
            self.write("s.json", rates, rates | part)
            self.assertRegex(self.sciara("run", "s.json", "-o", "out", code=3).stderr, text)
            self.assertFalse(os.path.exists(self.path("out")))
