# SPDX-License-Identifier: Apache-2.0
"""A checkpoint as the start of runs (initial.checkpoint) and as the base of an ensemble: a forecast from now."""
import glob
import json
import os
import shutil

import case
from case import Case

VENT = {"x": 500205, "y": 4177215, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6, 3]}}


class Checkpoint(Case):
    def prepare_test(self):
        self.write_scenario("s.json", vents=[VENT])
        self.sciara("run", "s.json", "-q", "-o", "part", "--steps", 120, "--checkpoint-every", "10 min")
        shutil.copy(sorted(glob.glob(self.path("part/checkpoints/*.h5")))[-1], self.path("now.h5"))
        self.time = case.record(self.path("part"))["state"]["time_s"]
        self.assertTrue(600 < self.time < 1800, self.time)

    def state(self, folder):
        return case.record(self.path(folder))["snapshots"][-1]["checksum"]

    def test_run(self):
        """A run that begins with a checkpoint ends as the whole run does; other parameters are allowed."""
        self.run_scenario("whole")
        self.write_scenario("c.json", vents=[VENT], initial={"checkpoint": "now.h5"})
        done = self.sciara("run", "c.json", "-o", "rest")
        self.assertIn("the run continues from step 120", done.stderr)
        self.assertEqual(self.state("whole"), self.state("rest"))
        self.sciara("run", "c.json", "-q", "-o", "hot", "--set", "model.cooling=120")
        self.assertNotEqual(self.state("whole"), self.state("hot"))
        self.sciara("run", "c.json", "-q", "-o", "broken", "--steps", 180, "--checkpoint-every", "5 min")
        self.sciara("resume", "broken", "-q", "-o", "resumed", "--steps", 1000000)
        self.assertEqual(self.state("whole"), self.state("resumed"))

    def test_refused_runs(self):
        checksum = "0123456789abcdef"
        for text, changes in (("either thickness or checkpoint", {"initial": {"checkpoint": "now.h5", "thickness": 1}}),
                              (f"expected a state with the checksum {checksum}", {"initial": {"checkpoint": "now.h5", "checksum": checksum}}),
                              ("only together with", {"initial": {"checksum": checksum}}),
                              ("found single, the checkpoint was computed in double", {"engine": {"precision": "single"}}),
                              ("found closed", {"boundary": "closed"}),
                              ("dem", {"dem": {"path": "dem.asc", "crs": "EPSG:32633", "window": [0, 0, 29, 40]}}),
                              ("expected lava above model.T_sol_K = 1300", {"model": {"T_sol_K": 1300, "T_vent_K": 1400, "cooling": 150}}),
                              ("not recorded", {"output": {"fields": ["max_thickness"]}})):
            with self.subTest(text):
                self.write_scenario("c.json", **({"vents": [VENT], "initial": {"checkpoint": "now.h5"}} | changes))
                self.assertIn(text, self.sciara("run", "c.json", "-o", "run", code=3).stderr)
                self.assertFalse(os.path.exists(self.path("run")))
        os.truncate(self.path("now.h5"), os.path.getsize(self.path("now.h5")) // 2)
        self.write_scenario("c.json", vents=[VENT], initial={"checkpoint": "now.h5"})
        self.assertIn("now.h5", self.sciara("run", "c.json", "-o", "run", code=3).stderr)

    def plan(self, folder, code=0, **parts):
        whole = {"base": "now.h5", "sample": {"method": "full"}, "batch_size": 2} | parts
        case.write_json(self.path("e.json"), whole)
        return self.sciara("ensemble", "plan", "e.json", "-o", folder, "--no-estimate", code=code).stderr

    def checksums(self, folder):
        return [row["checksum"] for row in sorted(self.table(folder, "log.csv"), key=lambda row: int(row["id"]))]

    def test_ensemble(self):
        """The member without a change is the rest of the whole run; the folder has all that members need."""
        self.run_scenario("whole")
        said = self.plan("out", vary=[{"key": "rate_scale", "values": [0, 1, 2]}])
        self.assertIn("begin with the state of ./now.h5 at step 120", said)
        self.assertIn("the checkpoint lies at the end of its run; members have run.max_steps=null", said)
        for name in ("now.h5", "dem.asc"):
            os.remove(self.path(name))
        shutil.rmtree(self.path("part"))
        os.rename(self.path("out"), self.path("moved"))
        self.sciara("ensemble", "run", "moved", "-j", 2)
        found = self.checksums("moved")
        self.assertEqual(found[1], self.state("whole"))
        self.assertEqual(len(set(found)), 3)
        for member in (0, 2):
            self.sciara("ensemble", "member", "moved", member, "-o", f"m{member}.json")
            self.run_scenario(f"run{member}", name=f"m{member}.json")
            self.assertEqual(self.state(f"run{member}"), found[member])

    def test_times(self):
        """Arrivals count from now: what is covered has the arrival 0 and is reached by every member."""
        events = [{"volume_m3": 9000, "duration": "20 min"}, {"volume_m3": 100, "duration": "10 min"}]
        self.run_scenario("whole")
        sites = [{"name": "vent", "x": VENT["x"], "y": VENT["y"]}, {"name": "far", "x": 500355, "y": 4177025}]
        self.plan("out", events=events, result={"thickness_m": [0, 0.1], "within": ["1 s", "40 min"], "quantiles": [0.5], "sites": sites})
        self.sciara("ensemble", "run", "out")
        done = self.sciara("ensemble", "reduce", "out", "--no-pictures")
        self.assertRegex(done.stdout + done.stderr, r"times count from the start of the members, simulated time 1\d min \d+ s of the base")
        self.assertNotIn("nan", done.stdout + self.sciara("ensemble", "query", "out", "--at", "500355,4177025").stdout)
        import h5py
        with h5py.File(glob.glob(self.path("out/batches/*.h5"))[0]) as f:
            arrival, ends = f["arrival"][:], f["end_s"][:]
            emitted = f["emitted_m3"][:] if "emitted_m3" in f else None
            deposits = f["max_deposit"][:]
        run = case.open_snapshot(self.path("part", case.record(self.path("part"))["snapshots"][-1]["name"]))
        covered = int((run.arrival_time.values >= 0).sum())
        self.assertEqual((arrival == 0).sum(), 2 * covered)
        self.assertTrue((arrival > 0).any())
        self.assertTrue((deposits[arrival == 0] > 0).all(), deposits[arrival == 0])
        whole = case.record(self.path("whole"))["state"]["time_s"]
        log = {int(row["id"]): float(row["end_s"]) for row in self.table("out", "log.csv")}
        for member in range(2):  # the eruption of a member ends later or sooner than that of the whole run
            self.sciara("ensemble", "member", "out", member, "-o", f"t{member}.json")
            last = case.record(self.run_scenario(f"t{member}", name=f"t{member}.json"))["state"]["time_s"]
            self.assertNotEqual(last, whole)
            self.assertEqual(ends[member], last - self.time)
            self.assertAlmostEqual(log[member], last - self.time, delta=1e-6 * last)
        if emitted is not None:  # what the checkpoint has, and the event from now on
            before = case.record(self.path("part"))["ledger"]["emitted_m3"]
            self.assertAlmostEqual(emitted[0], before + 9000, delta=1e-6)
            self.assertAlmostEqual(emitted[1], before + 100, delta=1e-6)
        vent = self.table("out/sites.csv")[0]
        self.assertEqual(float(vent["reached_within_1s"]), 1)

    def test_limits_of_the_base(self):
        """Those that lie behind the checkpoint end the members at the same simulated time; reached ones are dropped."""
        for name, run, steps, dropped, stop, censored in (
                ("until", {"until": "40 min"}, 120, ["max_steps=null"], "time", "0"),
                ("limit", {"max_time": "40 min"}, 120, ["max_steps=null"], "time", "1"),
                ("passed", {"until": self.time, "max_time": self.time}, 10**6, ["until=solidified", "max_time=null"], "solidified", "0")):
            with self.subTest(name):
                self.write_scenario(name + ".json", vents=[VENT], run=run)
                part = self.run_scenario(name, "--steps", steps, "--checkpoint-every", "10 min", name=name + ".json")
                begun = case.record(part)["state"]
                self.assertEqual(begun["step"], 120)
                base = os.path.join(name, "checkpoints", "00000120.h5")
                said = self.plan(name + "-e", base=base, vary=[{"key": "rate_scale", "values": [1]}])
                self.assertEqual([line.split("members have run.")[1] for line in said.splitlines() if "at the end of its run" in line],
                                 dropped)
                self.sciara("ensemble", "run", name + "-e")
                self.write_scenario(name + ".json", vents=[VENT], run=run if stop == "time" else {})
                whole = case.record(self.run_scenario(name + "-w", name=name + ".json"))
                row, = self.table(name + "-e", "log.csv")
                self.assertEqual((row["stop"], row["censored"], row["checksum"]), (stop, censored, whole["snapshots"][-1]["checksum"]))
                self.assertAlmostEqual(float(row["end_s"]), whole["state"]["time_s"] - begun["time_s"], delta=0.01)

    def test_solid_lava(self):
        """Lava that is solid by now counts with its deposit of now, unless the run has recorded the largest."""
        for name, fields in (("plain", ["thickness"]), ("recorded", ["thickness", "max_deposit"])):
            self.write_scenario("s.json", vents=[VENT], output={"fields": fields})
            self.sciara("run", "s.json", "-q", "-o", name, "--steps", 600, "--checkpoint-every", "10 min")
            shutil.copy(sorted(glob.glob(self.path(name, "checkpoints/*.h5")))[-1], self.path("late.h5"))
            self.plan(name + "-e", base="late.h5", vary=[{"key": "rate_scale", "values": [1]}])
            self.sciara("ensemble", "run", name + "-e")
            import h5py
            with h5py.File(glob.glob(self.path(name + "-e/batches/*.h5"))[0]) as f:
                most, last, arrival = f["max_deposit"][:], f["deposit"][:], f["arrival"][:]
            self.assertGreater(len(last), 30)
            self.assertEqual(arrival.max(), 0)
            self.assertTrue((most >= last).all() and (last > 0).all())
        self.assertTrue((most > last).any(), "a deposit has never been larger than at the end")

    def test_refused_ensembles(self):
        entry = {"key": "elevation_error", "values": [1], "correlation_m": 30}
        refused = self.plan("out", code=3, vary=[entry], sample={"method": "random", "count": 2})
        self.assertIn("elevation_error, and a checkpoint as the base", refused)
        case.write_json(self.path("no.h5"), {})
        self.assertIn("e.json: base", self.plan("out", code=3, base="no.h5"))
        self.assertFalse(os.path.exists(self.path("out")))
        self.plan("out", vary=[{"key": "rate_scale", "values": [0, 1]}])
        self.sciara("run", "s.json", "-q", "-o", "other", "--steps", 150, "--checkpoint-every", "10 min")
        shutil.copy(sorted(glob.glob(self.path("other/checkpoints/*.h5")))[-1], self.path("out/checkpoint.h5"))
        refused = self.sciara("ensemble", "run", "out", code=3)
        self.assertIn("expected a state with the checksum", refused.stderr)

    def test_base_that_names_a_checkpoint(self):
        """A scenario with initial.checkpoint is the same base; its vents may be others."""
        self.write_scenario("c.json", vents=[VENT], initial={"checkpoint": "now.h5"})
        vary = [{"key": "rate_scale", "values": [1, 2]}]
        self.plan("a", vary=vary)
        self.plan("b", vary=vary, base="c.json")
        for folder in "ab":
            self.sciara("ensemble", "run", folder)
        self.assertEqual(self.checksums("a"), self.checksums("b"))
        self.assertEqual(json.loads(json.dumps(case.read_json(self.path("a/ensemble.json"))["base"]["initial"])),
                         case.read_json(self.path("b/ensemble.json"))["base"]["initial"])


class FarLava(Case):
    """Initial lava that lies outside the first window of a member, on each of its sides, belongs to the member."""
    SIDE, LAVA, FAR = 130, range(61, 69), 46  # cells

    def prepare_test(self):
        n, lava = self.SIDE, self.LAVA
        for name, value in (("dem.asc", lambda r, c: 1000 + 0.4 * (n - r) + 0.3 * c + (r * 7 + c * 3) % 5 * 0.25),
                            ("lava.asc", lambda r, c: 2.5 if r in lava and c in lava else 0)):
            case.write_grid(self.path(name), lambda r, c, of=value: f"{of(r, c):g}", n, n)
        self.places = [(64 + down * self.FAR, 64 + right * self.FAR) for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1))]
        case.write_text(self.path("vents.csv"), "x,y\n" + "".join("%.15g,%.15g\n" % self.centre(*place) for place in self.places))
        self.write(run={"until": "10 min"})

    def centre(self, row, col):
        return case.WEST + 10 * col + 5, case.SOUTH + 10 * (self.SIDE - row) - 5

    def write(self, **parts):
        vent = {"row": 64, "col": 64, "effusion": {"slot": "5 min", "rates_m3_s": [2]}}
        case.write_json(self.path("base.json"), {
            "dem": {"path": "dem.asc", "crs": "EPSG:32633"}, "initial": {"thickness": "lava.asc"}, "vents": [vent], **parts})

    def test_each_side(self):
        case.write_json(self.path("e.json"), {"base": "base.json", "vents": {"table": "vents.csv"}, "sample": {"method": "full"}})
        self.sciara("ensemble", "run", "e.json", "-o", "e", "-j", 2, "-q", "--no-estimate", "--no-pictures")
        import h5py
        cells = {r * self.SIDE + c for r in self.LAVA for c in self.LAVA}
        with h5py.File(self.path("e/batches/000000.h5")) as f:
            ends = f["cells"][:].cumsum()
            cell, arrival, initial = f["cell"][:], f["arrival"][:], f["initial_m3"][:]
        self.assertEqual(list(initial), 4 * [2.5 * 100 * len(cells)])
        for member, (row, col) in enumerate(self.places):
            own = slice(ends[member - 1] if member else 0, ends[member])
            at = dict(zip(cell[own].cumsum().tolist(), arrival[own].tolist()))
            self.assertEqual({k for k in at if at[k] == 0} - {row * self.SIDE + col}, cells)
            self.assertIn(row * self.SIDE + col, at, "the vent")
        for r, c in ((61, 61), (61, 68), (68, 61), (68, 68)):
            said = self.sciara("ensemble", "query", "e", "--at", "%.15g,%.15g" % self.centre(r, c)).stdout
            self.assertRegex(said, r"lava arrives +100\.00 %, grid difference 0\.00 %, 4 members\n")
        self.sciara("ensemble", "member", "e", 1, "-o", "m.json")
        whole = case.record(self.run_scenario("m", name="m.json"))["snapshots"][-1]["checksum"]
        self.assertEqual({int(row["id"]): row["checksum"] for row in case.read_rows(self.path("e/log.csv"))}[1], whole)
