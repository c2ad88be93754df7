# SPDX-License-Identifier: Apache-2.0
"""sciara run --checkpoint-every, sciara resume: N + N steps are 2N steps, in the folder or as a branch, across engines;
parts that do not belong together are refused, and damaged checkpoints are skipped."""
import json
import os
import re
import shutil
import sys

import case
from case import Case, record, tree

ALL_FIELDS = case.all_fields()
OUTPUT = {"fields": ALL_FIELDS, "dtype": "float64", "every": "10 min"}
OTHERS = ("history", "engine", "scenario_json")  # attributes in which runs of different engines may differ
NEVER = "1000 d"  # longer than any run: one checkpoint, of its end


def checkpoints(folder):
    return sorted(name for name in os.listdir(os.path.join(folder, "checkpoints")))


class Checkpoint(Case):
    scenario = {"output": OUTPUT}

    def branch(self, parent, child, *args, **options):
        return self.sciara("resume", parent, "-q", "-o", child, *args, **options)


class Kept(Checkpoint):
    def test_kept_checkpoints(self):
        """The first one after each interval, and the two newest; all of them; what the option refuses."""
        every = ("--steps", 400, "--checkpoint-every", "2 min")
        folder = self.run_scenario("all", *every, "--keep-checkpoints", "all")
        times = {}
        for name in checkpoints(folder):
            said = self.sciara("info", os.path.join(folder, "checkpoints", name)).stdout
            times[name] = float(re.search(r"simulated ([0-9.]+) s", said)[1])
        self.assertGreater(len(times), 8)
        kept, last = set(sorted(times)[-2:]), 0
        for name in sorted(times):
            if times[name] // 420 > last // 420:
                kept.add(name)
            last = times[name]
        self.assertLess(len(kept), len(times) - 2)
        self.assertEqual(checkpoints(self.run_scenario("some", *every, "--keep-checkpoints", "7 min")), sorted(kept))
        self.assertEqual(checkpoints(self.run_scenario("two", *every)), sorted(times)[-2:])
        self.assertIn('found "often"', self.sciara("run", "s.json", "--keep-checkpoints", "often", code=2).stderr)

    def test_runs_at_a_time(self):
        """The first snapshots at or after it; a time after the end is refused."""
        for name, rate in (("a", 4), ("b", 8)):
            self.run_scenario(name, "--until", "40 min", "--set", f"vents.0.effusion.rates_m3_s=[{rate}, {rate}]")
        said = self.sciara("compare", "a", "b", "--at", "20 min", "--png", "then.png", code=1).stdout
        self.sciara("compare", "a", "b", "--png", "end.png", code=1)
        for name, seconds in (("then", 1200), ("end", 2400)):
            last = min(s["time_s"] for s in record(self.path("b"))["snapshots"] if s["time_s"] >= seconds)
            self.assertIn(b"SimulatedTime_s\0%s" % f"{last:.17g}".encode(), case.read_bytes(self.path(f"{name}.png")), name)
        for name in ("a", "b"):
            right = min(s["time_s"] for s in record(self.path(name))["snapshots"] if s["time_s"] >= 1200)
            self.assertIn(f", {right:.17g} s, ", said)
        self.assertIn("found the last one at 40 min", self.sciara("compare", "a", "b", "--at", "9 h", code=3).stderr)


class Branches(Checkpoint):
    def check_engine(self, engine, precision):
        how = ("-e", engine, "-p", precision)
        name = f"{engine}.{precision}"
        self.run_scenario(f"{name}.whole", *how, "--steps", 400)
        self.run_scenario(f"{name}.half", *how, "--steps", 200, "--checkpoint-every", NEVER)
        self.branch(f"{name}.half", f"{name}.rest", "--steps", 400)
        self.assert_same_run(f"{name}.whole", f"{name}.rest", ("history", "scenario_json"))

    def test_n_and_n_are_2n(self):
        for engine in case.exact_engines():
            for precision in ("double", "single"):
                with self.subTest(engine=engine, precision=precision):
                    self.check_engine(engine, precision)

    def check_ring(self, precision, engines):
        """One run of which each engine computes a part, in one order and back."""
        self.run_scenario(f"whole.{precision}", "-e", "serial", "-p", precision)
        parent = self.run_scenario(f"first.{precision}", "-e", "serial", "-p", precision, "--steps", 30,
                                   "--checkpoint-every", NEVER)
        ring = engines + ["serial"] + engines[::-1]
        for k, engine in enumerate(ring):
            steps = 30 + (k + 1) * 400 // len(ring)
            child = f"part{k}.{precision}"
            self.branch(parent, child, "-e", engine, "--steps", steps)
            self.assertEqual(record(self.path(child))["engine"]["name"], engine)
            parent = child
        self.branch(parent, f"last.{precision}", "-e", "openmp", "--set", "run.max_steps=null")
        self.assert_same_run(f"whole.{precision}", f"last.{precision}", OTHERS)

    def test_every_engine_takes_a_part(self):
        engines = case.exact_engines()
        if not any(engine.startswith("cuda") for engine in engines):
            print("test_every_engine_takes_a_part: without the CUDA engines, which are not available here",
                  file=sys.stderr)
        for precision in ("double", "single"):
            with self.subTest(precision=precision):
                self.check_ring(precision, engines)

    def check_turns(self, precision, cpu, gpus):
        """On the CPU, then on a GPU, then on the CPU again; and from the GPU to the end."""
        whole, half = (self.run_scenario(f"{name}.{cpu}.{precision}", "-e", cpu, "-p", precision, "--steps", steps,
                                         "--checkpoint-every", NEVER) for name, steps in (("whole", 400), ("half", 150)))
        for gpu in gpus:
            with self.subTest(precision=precision, cpu=cpu, gpu=gpu):
                there, back = f"{cpu}.{gpu}.{precision}", f"{cpu}.{gpu}.{cpu}.{precision}"
                self.branch(half, there, "-e", gpu, "--steps", 280)
                self.assertEqual(record(self.path(there))["engine"]["name"], gpu)
                self.branch(there, back, "-e", cpu, "--steps", 400)
                self.assertEqual(record(self.path(back))["engine"]["name"], cpu)
                self.assert_same_run(whole, back, OTHERS)
                self.branch(half, f"{there}.on", "-e", gpu, "--steps", 400)
                self.assert_same_run(whole, f"{there}.on", OTHERS)

    def test_cpu_and_gpu_take_turns(self):
        gpus = case.gpu_engines()
        for precision in ("double", "single"):
            for cpu in ("serial", "openmp"):
                self.check_turns(precision, cpu, gpus)

    def test_other_rates_and_end(self):
        half = self.run_scenario("half", "--steps", 200, "--checkpoint-every", NEVER)
        before = tree(half)
        self.branch(half, "more", "--set", "vents.0.effusion.rates_m3_s=[4, 12]", "--until", "30 min",
                    "--set", "run.max_steps=null")
        self.branch(half, "same", "--until", "30 min", "--set", "run.max_steps=null")
        self.assertEqual(tree(half), before, "the parent is unchanged")
        a, b = record(self.path("more")), record(self.path("same"))
        self.assertGreater(a["ledger"]["emitted_m3"], b["ledger"]["emitted_m3"] + 1000)
        self.assertGreaterEqual(a["state"]["time_s"], 1800)
        self.assertEqual(a["snapshots"][0]["step"] > 200, True)
        first = record(half)["snapshots"][-1]
        self.assertEqual(a["parent"], {"folder": half, "step": 200, "checksum": first["checksum"]})
        self.assertNotIn("parent", record(half))
        self.assertIn(f"branched off:  {half}, step 200", self.sciara("info", "more").stdout)

    def test_a_complete_run_is_left_alone(self):
        half = self.run_scenario("half", "--steps", 100, "--checkpoint-every", NEVER)
        before = tree(half)
        done = self.sciara("resume", "half")
        self.assertIn("half: the run is complete (steps): nothing to resume", done.stderr)
        self.assertEqual((done.stdout, tree(half)), ("", before))

    def end_unrecorded(self, out):
        """As if the run had been killed between its last checkpoint and the end of run.json."""
        path = self.path(out, "run.json")
        text = case.read_text(path)
        self.assertIn('"status": "complete"', text)
        case.write_text(path, text.replace('"status": "complete"', '"status": "running"'))

    def read_log(self, out):
        return case.read_text(os.path.join(out, "run.log"))

    def test_run_log_keeps_the_first_part(self):
        """A run that is resumed in its folder appends to run.log."""
        out = self.run_scenario("out", "--checkpoint-every", "2 min")
        first = self.read_log(out)
        self.assertIn("end (", first)
        os.remove(os.path.join(out, "checkpoints", checkpoints(out)[-1]))
        self.end_unrecorded("out")
        self.sciara("resume", "out", "-q")
        log = self.read_log(out)
        self.assertEqual(log[:len(first)], first, "the lines of the first part are still there")
        self.assertEqual(log.count("end ("), 2, "those of the second part follow")

    def test_none_without_the_option(self):
        self.run_scenario("out", "--steps", 50)
        self.assertFalse(os.path.exists(self.path("out", "checkpoints")))
        error = self.sciara("resume", "out", "-o", "more", code=3).stderr
        self.assertIn("out: there is no checkpoint: the run ended before the first one was written", error)
        self.assertFalse(os.path.exists(self.path("more")))

    def test_overwrite_removes_them(self):
        self.run_scenario("out", "--steps", 50, "--checkpoint-every", NEVER)
        self.run_scenario("out", "--steps", 20, "--overwrite")
        self.assertFalse(os.path.exists(self.path("out", "checkpoints")))

    def test_branch_over_its_parent(self):
        half = self.run_scenario("half", "--steps", 100, "--checkpoint-every", NEVER)
        before = tree(half)
        for more, message in (((), "--overwrite replaces the run in it"),
                              (("--overwrite",), "the run reads this file and would replace it")):
            self.assertIn(message, self.sciara("resume", "half", "-o", "half", *more, code=3).stderr)
            self.assertEqual(tree(half), before)
        self.run_scenario("other", "--steps", 10)
        self.branch(half, "other", "--steps", 150, "--overwrite")
        self.assertEqual(record(self.path("other"))["state"]["step"], 150)

    def test_the_folder_is_sufficient(self):
        """Scenario and DEM are gone, and the folder was moved."""
        self.run_scenario("whole", "-e", "serial")
        self.run_scenario("half", "-e", "serial", "--steps", 200, "--checkpoint-every", NEVER)
        os.makedirs(self.path("elsewhere"))
        shutil.move(self.path("half"), self.path("elsewhere", "moved"))
        os.remove(self.path("s.json"))
        os.remove(self.path("dem.asc"))
        self.sciara("resume", "moved", "-q", "-o", self.path("rest"), "--set", "run.max_steps=null",
                    cwd=self.path("elsewhere"))
        self.assert_same_run("whole", "rest", ("history", "scenario_json"))


class Diagnostics(Checkpoint):
    def setUp(self):
        super().setUp()
        self.half = self.run_scenario("half", "--steps", 100, "--checkpoint-every", "4 min")
        self.newest = os.path.join(self.half, "checkpoints", checkpoints(self.half)[-1])

    def refuse(self, message, *args, code=3, folder="half"):
        done = self.sciara("resume", folder, "-o", "new", *args, code=code)
        self.assertIn(message, done.stderr)
        self.assertFalse(os.path.exists(self.path("new")), "nothing is written")

    def test_what_differs_is_named(self):
        self.refuse("precision: found single, the checkpoint was computed in double", "-p", "single")
        self.refuse("model.cooling: found 3, the checkpoint was computed with 150", "--set", "model.cooling=3")
        self.refuse("model.emissivity: found 0.95, the checkpoint was computed with 0.9\n", "--set", "model.emissivity=0.95")
        self.refuse("boundary: found closed, the checkpoint was computed with open", "--set", "boundary=closed")
        self.refuse("--set: expected a key of vents, run, output or engine, or title; found dem.path=x", "--set", "dem.path=x", code=2)
        self.refuse("; found initial.thickness=1", "--set", "initial.thickness=1", code=2)
        self.refuse('; found dem={"path": "x"}', "--set", 'dem={"path": "x"}', code=2)
        self.refuse('; found initial={"thickness": 1}', "--set", 'initial={"thickness": 1}', code=2)
        self.refuse("; found \"soon\"", "--checkpoint-every", "soon", code=2)
        self.refuse("; found \"0 wall\"", "--checkpoint-every", "0 wall", code=2)

    def test_only_a_branch_may_have_changes(self):
        for option in (("--set", "run.max_steps=7"), ("--steps", "7"), ("--until", "7 h"), ("--overwrite",)):
            error = self.sciara("resume", "half", *option, code=2).stderr
            self.assertIn(f"{option[0]}: allowed only with --output, for a branch", error)

    def test_another_dem(self):
        rows, cols = case.ROWS, case.COLS
        case.write_dem(self.path("other.asc"), rows, cols)
        text = case.read_text(self.path("other.asc")).replace(f" {case.altitude(10, 10)} ", f" {case.altitude(10, 10) + 0.25} ", 1)
        case.write_text(self.path("other.asc"), text)
        case.write_json(self.path("o.json"), case.scenario(dem={"path": "other.asc", "crs": "EPSG:32633"}))
        other = self.run_scenario("other", "--steps", 5, name="o.json")
        shutil.copy(os.path.join(other, "dem.tif"), os.path.join(self.half, "dem.tif"))
        self.refuse("another DEM: expected altitudes with the checksum")
        shutil.copytree(os.path.join(self.half, "checkpoints"), os.path.join(other, "checkpoints"))
        self.refuse("another DEM: expected", folder="other")

    def test_a_checkpoint_of_another_run(self):
        case.write_json(os.path.join(self.half, "run.json"), record(self.half) | {"status": "running", "snapshots": []})
        self.assertIn("after 1 snapshots at step 100, but run.json does not list them", self.sciara("resume", "half").stderr)

    def test_a_maximum_that_was_not_recorded(self):
        self.run_scenario("poor", "--steps", 50, "--checkpoint-every", NEVER, "--set", 'output.fields=["thickness"]')
        for field in (name for name in ALL_FIELDS if name.startswith("max_")):
            self.refuse(f"output: found {field} among the fields, but the checkpoint has not recorded it", "--set",
                        f'output.fields=["{field}"]', folder="poor")
        self.branch(self.half, "less", "--set", 'output.fields=["thickness"]', "--steps", 110)

    def test_rates_that_changed(self):
        case.write_text(self.path("rates.csv"), "time_s,rate_m3_s\n0,4\n1000,0\n")
        scenario = case.scenario(vents=[{"row": 8, "col": 20, "effusion": {"csv": "rates.csv"}}], **{"output": OUTPUT})
        case.write_json(self.path("c.json"), scenario)
        whole = self.run_scenario("whole", name="c.json")
        half = self.run_scenario("csv", "--steps", 60, "--checkpoint-every", NEVER, name="c.json")
        self.branch("csv", "rest", "--set", "run.max_steps=null")
        self.assert_same_run(whole, "rest", ("history", "scenario_json"))
        os.makedirs(self.path("elsewhere"))  # paths remain those of the scenario, however often the run is continued there
        for parent, child, steps in (("csv", "first", 80), ("first", "second", 90)):
            self.branch(self.path(parent), self.path(child), "--steps", steps, cwd=self.path("elsewhere"))
        case.write_text(self.path("rates.csv"), "time_s,rate_m3_s\n0,4\n1000,5\n2000,0\n")
        data = record(half)
        data["status"] = "stopped"  # as if by a signal: then it can be resumed in its folder
        case.write_json(os.path.join(half, "run.json"), data)
        error = self.sciara("resume", "csv", code=3).stderr
        self.assertIn("vents: expected the cells and rates of the vents with the hash", error)
        os.remove(self.path("rates.csv"))
        self.assertIn("rates.csv", self.sciara("resume", "csv", code=4).stderr)

    def test_inputs_that_changed(self):
        """What a run or a branch still needs, and the sea: altitudes and the lava so far say nothing of either."""
        level = {"path": "dem.asc", "crs": "EPSG:32633", "sea": 1005}
        for name, sea in (("low", 1005), ("high", 1010)):
            self.write_scenario(f"{name}.json", dem=level | {"sea": sea})
            self.run_scenario(name, "--steps", 100, "--checkpoint-every", NEVER, name=f"{name}.json")
        first = os.path.join("low", "checkpoints", checkpoints(self.path("low"))[-1])
        self.write_scenario("high.json", dem=level | {"sea": 1010}, initial={"checkpoint": first})
        self.assertIn(f"{first}: dem.sea: expected", self.sciara("run", "high.json", "-o", "new", code=3).stderr)
        self.write_scenario("high.json", dem=level, initial={"checkpoint": first})
        self.run_scenario("same", "--steps", 110, name="high.json")
        shutil.copy(self.path("high", "dem.tif"), self.path("low", "dem.tif"))
        self.refuse("dem.sea: expected", folder="low")
        dam = {"type": "Polygon", "coordinates": [[[15.001, 37.741], [15.003, 37.741], [15.003, 37.7415], [15.001, 37.741]]]}
        case.write_json(self.path("dam.json"), dam)
        self.write_scenario("d.json", dem=level | {"edits": [{"file": "dam.json", "raise_m": 5, "from": "1 h"}]})
        self.run_scenario("dam", "--steps", 100, "--checkpoint-every", NEVER, name="d.json")
        self.branch("dam", "rest", "--steps", 110)
        dam["coordinates"][0][2][1] = 37.742
        case.write_json(self.path("dam.json"), dam)
        self.refuse("dem.edits: expected the edits of the ground at simulated times with the hash", folder="dam")

    def test_another_start(self):
        """The time of the lava so far is dated anew: a branch, and a run from the checkpoint, say so."""
        dated = {"start": "2026-05-10T06:00+02:00", "until": "2026-05-10T05:00Z"}
        self.write_scenario("d.json", run=dated)
        self.run_scenario("dated", "--steps", 60, "--checkpoint-every", NEVER, name="d.json")
        first = os.path.join("dated", "checkpoints", checkpoints(self.path("dated"))[-1])
        said = "warning: run.start: found 2026-05-11T04:00:00Z, the checkpoint was computed with 2026-05-10T04:00:00Z: what lava did so far gets other dates"
        also = ", and so do the times of edits, vents and ends that were given as dates; dates in files of rates are counted from the new one\n"
        for child, start, warned in (("moved", '"2026-05-11T04:00Z"', True), ("same", '"2026-05-10T05:00+01:00"', False), ("none", "null", False)):
            done = self.sciara("resume", "dated", "-o", child, "--steps", 70, "--set", f"run.start={start}")
            self.assertEqual(said + also in done.stderr, warned, done.stderr)
            self.assertEqual("warning: run.start" in done.stderr, warned, done.stderr)
            self.write_scenario(f"{child}.json", run={"start": json.loads(start)}, initial={"checkpoint": first})
            done = self.sciara("run", f"{child}.json", "--steps", 70, "-o", f"{child}-on")
            self.assertEqual(said + "\n" in done.stderr, warned, done.stderr)
        done = self.sciara("resume", "half", "-o", "first", "--steps", 110, "--set", "run.start=2026-05-11")
        self.assertNotIn("warning: run.start", done.stderr, "it had no date")

    def test_no_run(self):
        os.makedirs(self.path("empty"))
        self.refuse("empty: is not a run folder: it holds no run.json", folder="empty")
        self.refuse("nowhere: is not a run folder", folder="nowhere")

    def test_a_damaged_one_is_skipped(self):
        names = checkpoints(self.half)
        whole = self.run_scenario("whole", "--steps", 150)
        with open(self.newest, "r+b") as f:
            f.seek(-2000, os.SEEK_END)
            f.truncate()
        info = self.sciara("info", "half")
        self.assertRegex(info.stderr, f"warning: .*{names[1]}: ")
        self.assertEqual(len(re.findall(rf"(?m)^checkpoint: +step {int(names[0][:8])}, ", info.stdout)), 1, "one is whole")
        done = self.sciara("resume", "half", "-o", "new", "--steps", 150)
        self.assertRegex(done.stderr, f"warning: .*{names[1]}: .*; the previous one is used")
        self.assertIn(f"a branch: from half/checkpoints/{names[0]}", done.stderr)
        self.assert_same_run(whole, "new", ("history", "scenario_json"))
        case.write_text(os.path.join(self.half, "checkpoints", names[0]), "nothing")
        shutil.rmtree(self.path("new"))
        self.refuse("half: none of its 2 checkpoints can be resumed")
        self.assertIn("half: all of its 2 checkpoints are damaged", self.sciara("info", "half", code=3).stderr)

    def test_an_end_that_is_past(self):
        done = self.sciara("resume", "half", "-o", "new", "--until", "1 h")
        self.assertIn("warning: the end of the run is already reached: step 100 of 100", done.stderr)
