# SPDX-License-Identifier: Apache-2.0
"""sciara run: when it stops, and what the options change."""
import json
import os
import subprocess
import time

import case
from case import Case, ScenarioCase, open_snapshot, record

import numpy


class Stops(ScenarioCase):
    def stopped(self, *args):
        folder = self.path(f"run{len(os.listdir(self.work))}")
        self.run_scenario(folder, *args)
        r = record(folder)
        self.assertEqual(r["status"], "complete")
        self.assertEqual(r["snapshots"][-1]["step"], r["state"]["step"], "the state at stop is a snapshot")
        return r

    def test_steps(self):
        r = self.stopped("--steps", 37)
        self.assertEqual((r["state"]["step"], r["stop_reason"]), (37, "steps"))
        self.assertEqual([s["name"] for s in r["snapshots"]], ["snapshots/00000037.nc"])

    def check_time(self, limit, *args):
        r = self.stopped(*args)
        self.assertEqual(r["stop_reason"], "time")
        self.assertGreaterEqual(r["state"]["time_s"], limit)
        before = self.stopped("--steps", r["state"]["step"] - 1)
        self.assertLess(before["state"]["time_s"], limit, "one step earlier")

    def test_until(self):
        self.check_time(1500, "--until", "25 min")

    def test_max_time(self):
        self.check_time(1200, "--set", "run.max_time=20 min")

    def test_the_earliest_limit_counts(self):
        r = self.stopped("--until", "10 min", "--set", "run.max_time=5 min", "--steps", 100000)
        self.assertEqual(r["stop_reason"], "time")
        self.assertTrue(300 <= r["state"]["time_s"] < 360 + 1e-9, r["state"])
        r = self.stopped("--until", "10 min", "--steps", 5)
        self.assertEqual((r["stop_reason"], r["state"]["step"]), ("steps", 5))

    def test_solidified(self):
        r = self.stopped()
        self.assertEqual((r["stop_reason"], r["state"]["liquid_cells"]), ("solidified", 0))
        self.assertEqual(r["ledger"]["liquid_m3"], 0)
        before = self.stopped("--steps", r["state"]["step"] - 1)
        self.assertGreater(before["state"]["liquid_cells"], 0, "one step earlier")

    def test_a_snapshot_that_is_due_at_the_stop(self):
        """It is taken once."""
        r = self.stopped("--until", "10 min", "--set", "output.every=10 min")
        self.assertEqual(len(r["snapshots"]), 1, r["snapshots"])

    def test_every_shorter_than_the_clock(self):
        """Each step is a snapshot then, and none is written twice."""
        folder = self.run_scenario("fast", "--set", "output.every=0.001", "--steps", 12)
        self.assertEqual([s["step"] for s in record(folder)["snapshots"]], list(range(1, 13)))


class Options(ScenarioCase):
    def test_quick(self):
        """Cells of 40 m as with --set, and a warning of what that costs; init writes them."""
        at = ("-s", "vents.0.row=3", "-s", "vents.0.col=5")
        checksum = lambda *args: record(self.run_scenario("q", "-n", 20, "--overwrite", *at, *args))["snapshots"][-1]["checksum"]
        self.assertEqual(checksum("--quick"), checksum("--set", "dem.cell_size_m=40"))
        self.assertIn("warning: --quick: cells of 40 m; with rule", self.sciara("check", "s.json", "--quick", "--no-estimate", *at).stderr)
        self.sciara("init", "dem.asc", "--vent", "500205,4177215", "--rate", 1, "--duration", "1 h", "--quick", "-q", "-o", "q.json")
        self.assertEqual(case.read_json(self.path("q.json"))["dem"]["cell_size_m"], 40)

    def test_set_overrides_keys(self):
        folder = self.run_scenario("set", "-n", 5, "--set", "vents.0.effusion.rates_m3_s=[8, 0.5]", "--set",
                                   "title=größer", "--set", 'output.fields=["speed"]', "-s", "output.dtype=float32")
        data = open_snapshot(os.path.join(folder, record(folder)["snapshots"][0]["name"]))
        self.assertEqual(list(data.data_vars), ["crs", "speed"])
        self.assertEqual((data.speed.dtype, data.attrs["title"]), (numpy.float32, "größer"))
        ran = json.loads(data.attrs["scenario_json"])
        self.assertEqual(ran["vents"][0]["effusion"]["rates_m3_s"], [8, 0.5])
        time = record(folder)["state"]["time_s"]
        self.assertAlmostEqual(record(folder)["ledger"]["emitted_m3"], 8 * time, delta=1e-6)

    def test_precision(self):
        folder = self.run_scenario("single", "--precision", "single", "-n", 20)
        r = record(folder)
        self.assertEqual(r["engine"]["precision"], "single")
        data = open_snapshot(os.path.join(folder, r["snapshots"][0]["name"]))
        self.assertEqual(data.attrs["precision"], "single")
        thickness = data.thickness.values
        self.assertEqual(thickness.dtype, numpy.float64, "output.dtype")
        numpy.testing.assert_array_equal(thickness, thickness.astype("float32"), "every value is a float")

    def test_lava_lost_in_rounding(self):
        """3000 vents in one cell add less than an ulp each in single precision: reported once; the ledger closes."""
        vents = [{"row": case.VENT[0], "col": case.VENT[1], "effusion": {"slot": "1 d", "rates_m3_s": [0.002]}}] * 3000
        case.write_scenario(self.work, vents=vents, output={"every": "2 s"})
        lost = {}
        for precision in "single", "double":
            done = self.sciara("run", "s.json", "-o", precision, "-p", precision, "-e", "serial", "--steps", 150,
                               "--set", "model.relaxation=0.001")
            lost[precision] = done.stderr.count("were lost in rounding; use double precision")
            self.assertGreater(len(case.record(self.path(precision))["snapshots"]), 2)
            self.assertNotIn("the mass balance has a residual", done.stderr)
            ledger = case.record(self.path(precision))["ledger"]
            self.assertLessEqual(abs(ledger["residual_m3"]), ledger["bound_m3"])
        self.assertEqual(lost, {"single": 1, "double": 0})

    def test_auto_engine_is_named(self):
        said = self.sciara("run", "s.json", "-o", "auto", "-n", 3).stderr
        engine = record(self.path("auto"))["engine"]["name"]
        self.assertIn(f"engine: {engine} (chosen by auto)", said)
        self.assertNotEqual(engine, "auto")


class Georeference(Case):
    def test_a_dem_without_crs_is_warned_of(self):
        self.write_scenario(dem={"path": "dem.asc"})
        said = self.sciara("run", "s.json", "-n", 2, "-o", "out").stderr
        self.assertRegex(said, r"(?m)^sciara: warning: .*dem\.asc.*CRS")
        data = open_snapshot(self.path("out", "snapshots", "00000002.nc"))
        self.assertNotIn("crs_wkt", data.crs.attrs)
        self.assertIn("\nCRS:           none\n", self.sciara("info", "out").stdout)
        silent = self.sciara("run", "s.json", "-n", 2, "-o", "quiet", "-q").stderr
        self.assertEqual(silent, "", "stderr with -q")


class Threads(Case):
    """How many threads engine openmp may use: run.json and the message state it, and no more are started."""

    def threads_of(self, name, omp, *args):
        environment = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
        if omp is not None:
            environment["OMP_NUM_THREADS"] = omp
        done = self.sciara("run", "s.json", "-n", 3, "-o", name, *args, env=environment)
        line = next(line for line in done.stderr.splitlines() if line.startswith("sciara: engine: "))
        return record(self.path(name))["engine"]["threads"], line

    def test_omp_num_threads(self):
        self.write_scenario()
        cores = len(os.sched_getaffinity(0))
        cases = [(None, [], cores, False), ("", [], cores, False), ("3", [], 3, True), ("1", [], 1, True), ("5,2", [], 5, True),
                 ("5000", [], 1024, False), ("3", ["-t", "2"], 2, False), ("3", ["--set", "engine.threads=4"], 4, False),
                 ("3", ["-t", "0"], 3, True), ("3", ["-e", "serial"], 1, False)]
        for k, (omp, args, expected, named) in enumerate(cases):
            threads, line = self.threads_of(f"run{k}", omp, "-e", "openmp", *args)
            self.assertEqual(threads, expected, f"{omp} {args}")
            self.assertEqual("(OMP_NUM_THREADS)" in line, named, line)
            self.assertRegex(line, f" {expected} thread{'s' * (expected != 1)}( |$)")
            self.assertEqual("up to" in line, expected > 1 and args in ([], ["-t", "0"]), line)
        self.write_scenario(engine={"threads": 2})
        self.assertEqual(self.threads_of("key", "3", "-e", "openmp")[0], 2, "the key of the scenario wins")

    def test_threads_that_are_started(self):
        """With lava on every cell there is work for more than two threads."""
        case.write_dem(self.path("large.asc"), rows=200, cols=200)
        case.write_json(self.path("large.json"), case.scenario(
            dem={"path": "large.asc", "crs": "EPSG:32633"}, initial={"thickness": 2, "temperature": 1300},
            model={"cooling": 0}))
        for omp in (1, 4):
            process = subprocess.Popen([case.PROGRAM, "run", "large.json", "-q", "-e", "openmp", "-n", "150", "-o", f"large{omp}"],
                                       cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       env={**os.environ, "OMP_NUM_THREADS": str(omp)})
            most = 0
            while process.poll() is None:
                try:
                    most = max(most, len(os.listdir(f"/proc/{process.pid}/task")))
                except FileNotFoundError:
                    pass
                time.sleep(0.01)
            self.assertEqual(process.returncode, 0)
            (self.assertGreaterEqual if omp == 4 else self.assertLess)(most, 4, f"OMP_NUM_THREADS={omp}")
