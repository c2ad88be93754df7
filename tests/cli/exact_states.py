# SPDX-License-Identifier: Apache-2.0
"""Ground that changes at a simulated time, lava as it was mapped, fissures that move: with both rules every exact engine has the
bits of serial, and so has a run that is killed or stopped and then resumed by another engine."""
import fcntl
import glob
import math
import os
import shutil
import signal
import subprocess
import sys
import termios
import time

import case
from case import COLS, ROWS, SOUTH, WEST, Case, record

import geo
import h5py
import numpy as np
from osgeo import gdal

MODELS = {"fv3": {"cooling": 150}, "bingham": {**case.SHEET, "radiating_share": 1}}
RATES = {"effusion": {"slot": "10 min", "rates_m3_s": [4, 6, 3]}}
VENT = {"x": WEST + 205, "y": SOUTH + 215, **RATES}
PARTS = ([[WEST + 165, SOUTH + 235], [WEST + 195, SOUTH + 235]], [[WEST + 195, SOUTH + 225], [WEST + 235, SOUTH + 215]])
FROM = 720  # s: what is dated happens here
OUTPUT = {"fields": ["thickness", "altitude", "solid_thickness", "temperature", "arrival_time"], "dtype": "float64", "every": "4 min"}
CHECKPOINTS = ("--checkpoint-every", "2 min", "--keep-checkpoints", "5 min")
ROW = 14    # of the dam, below the vent
DAM = {"name": "dam", "line": [[WEST + 145, SOUTH + 155], [WEST + 285, SOUTH + 155]], "width_m": 5, "height_m": 6, "from": FROM}
BREACH = {"name": "breach", "polygon": [[WEST + 200, SOUTH + 150], [WEST + 220, SOUTH + 150], [WEST + 220, SOUTH + 160], [WEST + 200, SOUTH + 160]],
          "raise_m": -4, "from": "16 min"}
GROUND = np.array([[case.NODATA if case.is_sea(r, c) else case.altitude(r, c) for c in range(COLS)] for r in range(ROWS)])


def dem(*edits):
    return {"path": "dem.asc", "crs": "EPSG:32633", "edits": list(edits)}


def checkpoints(folder):
    """{name: (checksum of the state, hash of the changes of the ground, checksum of the ground)} of those that a run keeps."""
    found = {}
    for path in glob.glob(os.path.join(folder, "checkpoints", "*.h5")):
        with h5py.File(path) as f:
            found[os.path.basename(path)] = tuple(f.attrs.get(key) for key in ("checksum", "ground_changes", "ground_checksum"))
    return found


class Exact(Case):
    def prepare_test(self):
        places = [[WEST + x, SOUTH + y] for x, y in ((180, 230), (240, 230), (280, 120), (220, 120), (180, 230))]
        case.write_features(self.path("outline.json"), ({}, "Polygon", [places]))

    def check(self, ground=None, at=None, spare=(), before=lambda how: None, plain=None, **changes):
        """All engines, then SIGKILL. `ground`: how much higher it is at the end; `at`: the time of the change, s; `spare`: files that a
        resumed run does not need; before(how): prepares a run with these options; `plain`: what the scenario has without the changes."""
        engines = case.exact_engines()
        turns = 2 * engines  # in each run another one
        for rule, model in MODELS.items():
            for precision in ("double", "single"):
                with self.subTest(rule=rule, precision=precision):
                    self.name = f"{rule}.{precision}"
                    self.how = ("-p", precision)
                    parts = {"model": model, "output": OUTPUT, "run": {"until": "24 min"}, "vents": [VENT]}
                    self.write_scenario("plain.json", **{**parts, **(plain or {})})
                    before(self.how)
                    self.write_scenario(**{**parts, **changes})
                    self.check_engines(engines)
                    if ground is not None:
                        self.check_ground(ground)
                    if precision == "double":
                        self.whole = self.run_scenario(f"{self.name}.whole", "-e", "serial", *self.how, *CHECKPOINTS)
                        for thirds in (1, 2):
                            self.check_killed(thirds, turns[0], turns[1], spare)
                            turns.append(turns.pop(0))
                        if at:
                            self.check_stopped(at)

    def check_engines(self, engines):
        """Checksums of the whole state at every snapshot, the ledger, and each field at the end."""
        self.reference = self.run_scenario(f"{self.name}.serial", "-e", "serial", *self.how)
        a = record(self.reference)
        self.assertLessEqual(abs(a["ledger"]["residual_m3"]), a["ledger"]["bound_m3"])
        for engine in engines:
            if engine != "serial":
                b = record(self.run_scenario(f"{self.name}.{engine}", "-e", engine, *self.how))
                self.assertEqual((a["snapshots"], a["ledger"]), (b["snapshots"], b["ledger"]), engine)
                self.assert_identical(self.reference, f"{self.name}.{engine}")
        if "double" in self.how:
            plain = record(self.run_scenario(f"{self.name}.plain", "-e", "serial", *self.how, name="plain.json"))
            self.assertNotEqual(a["snapshots"][-1]["checksum"], plain["snapshots"][-1]["checksum"], "nothing has happened")

    def check_ground(self, higher):
        end = case.open_snapshot(os.path.join(self.reference, record(self.reference)["snapshots"][-1]["name"]))
        found = (end["altitude"].values - end["solid_thickness"].values).reshape(ROWS, COLS) - GROUND
        there = GROUND != case.NODATA
        np.testing.assert_allclose(found[there], higher[there], rtol=0, atol=1e-9 if "double" in self.name else 1e-3)

    def kill(self, folder, lines, *args):
        """A run that is killed once it has printed the names of some snapshots: it cannot end before, for the pipe holds no more."""
        line = len(self.path(folder, "snapshots", "00000000.nc\n"))
        out, into = os.pipe()
        size = fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, 4096)
        os.write(into, bytes(size - lines * line - line // 2))
        with subprocess.Popen([case.PROGRAM, "run", "s.json", "-q", "-o", folder, *args], cwd=self.work, stdout=into) as process:
            while int.from_bytes(fcntl.ioctl(out, termios.FIONREAD, bytes(4)), sys.byteorder) < size - line // 2:
                self.assertIsNone(process.poll())
                time.sleep(0.002)
            process.kill()
        os.close(out)
        os.close(into)
        self.assertEqual((process.returncode, record(self.path(folder))["status"]), (-signal.SIGKILL, "running"))

    def check_killed(self, thirds, engine, other, spare):
        """After one third of the run, or two, and a checkpoint: the rest, the ledger and the kept checkpoints are those of the whole run."""
        folder = f"{self.name}.killed{thirds}"
        self.kill(folder, math.ceil(len(record(self.whole)["snapshots"]) * thirds / 3), "-e", engine, *self.how, *CHECKPOINTS)
        there = set(checkpoints(self.path(folder)))  # a resumed run that keeps some keeps all that it finds
        for name in spare:
            os.rename(self.path(name), self.path(name + ".away"))
        self.sciara("resume", folder, "-q", "-e", other)
        for name in spare:
            os.rename(self.path(name + ".away"), self.path(name))
        self.assert_same_run(self.whole, folder, ("history", "scenario_json", "engine"))
        kept, found = checkpoints(self.whole), checkpoints(self.path(folder))
        self.assertGreater(len(kept), 3)
        self.assertEqual(kept, {name: found.get(name) for name in kept})
        self.assertLessEqual(set(found), set(kept) | there)

    def check_stopped(self, at):
        """By --steps in the step of the change; then a branch."""
        step = next(s["step"] for s in record(self.whole)["snapshots"] if s["time_s"] >= at)
        self.run_scenario("part", "-e", "serial", *self.how, "--steps", step, "--checkpoint-every", "1 d", "--overwrite")
        self.sciara("resume", "part", "-q", "-o", "rest", "--set", "run.max_steps=null", "--overwrite")
        self.assert_same_run(self.reference, "rest", ("history", "scenario_json"))

    def test_dated_edits(self):
        higher = np.zeros((ROWS, COLS))
        higher[ROW, 14:29] += 6
        higher[ROW, 20:22] -= 4
        self.check(dem=dem(DAM, BREACH), at=FROM, ground=higher)

    def test_dated_dem(self):
        """The whole ground is replaced; another one in its place is refused by a run that is resumed."""
        higher = np.zeros((ROWS, COLS))
        higher[10:20, 5:35] += np.linspace(1, 3, 30)
        def write(more):
            geo.write_raster(self.path("new.tif"), np.where(GROUND == case.NODATA, 0, GROUND + more), gdal.GDT_Float64)
        write(higher)
        self.check(dem=dem({"dem": "new.tif", "from": FROM}), at=FROM, ground=higher)
        self.kill("changed", 2, "-e", "serial", *self.how, *CHECKPOINTS)
        before = case.tree(self.path("changed"))
        write(higher + (higher > 2.9))
        self.assertRegex(self.sciara("resume", "changed", code=3).stderr,
                         r"dem.edits: expected the edits of the ground at simulated times with the hash \w{16}, as in the checkpoint; found \w{16}: has a file changed")
        os.remove(self.path("new.tif"))
        self.assertIn("new.tif", self.sciara("resume", "changed", code=4).stderr)
        self.assertEqual(case.tree(self.path("changed")), before)

    def test_observed(self):
        self.check(initial={"observed": {"outline": "outline.json", "volume_m3": 9000, "time": "10 min"}}, spare=("outline.json",))
        self.assertAlmostEqual(record(self.reference)["ledger"]["initial_m3"], 9000, delta=1)

    def test_correction(self):
        """Of a checkpoint of the model."""
        def before(how):
            self.run_scenario("model", *how, "--until", "10 min", "--checkpoint-every", "1 d", "--overwrite", name="plain.json")
            shutil.copy(glob.glob(self.path("model/checkpoints/*.h5"))[0], self.path("now.h5"))
        self.check(initial={"checkpoint": "now.h5", "observed": {"outline": "outline.json", "volume_m3": 4000}}, before=before,
                   spare=("outline.json", "now.h5"))
        ledger = record(self.reference)["ledger"]
        self.assertTrue(ledger["added_m3"] > 100 and ledger["removed_m3"] > 100, ledger)

    def test_moving_fissure(self):
        lines = [{"line": line, **RATES} for line in PARTS]
        self.check(vents=[lines[0] | {"until": FROM}, lines[1] | {"from": FROM, "until": "20 min"}], at=FROM, plain={"vents": lines})

    def test_hash(self):
        """Times, cells and heights of the changes to come are in the hash of the DEM and of a checkpoint, names are not."""
        found = {}
        for name, edits in {"none": (), "dam": (DAM,), "same": (DAM | {"name": "other"},), "higher": (DAM | {"height_m": 7},),
                            "later": (DAM | {"from": "20 min"},),
                            "shorter": (DAM | {"line": [DAM["line"][0], [WEST + 245, SOUTH + 155]]},)}.items():
            self.write_scenario(vents=[VENT], dem=dem(*edits), output={"every": "30 min"})
            folder = self.run_scenario(name, "--until", "14 min", "--checkpoint-every", "10 min")
            early, late = (state for _, state in sorted(checkpoints(folder).items()))
            self.assertEqual(early[1], late[1])
            self.assertEqual(early[2] == late[2], name in ("none", "later"), "the ground that there is")
            found[name] = late[1], record(folder)["dem_hash"]
        self.assertIsNone(found["none"][0])
        self.assertEqual(found.pop("same"), found["dam"])
        for hashes in zip(*found.values()):
            self.assertEqual(len(set(hashes)), len(found), found)
