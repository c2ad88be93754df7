# SPDX-License-Identifier: Apache-2.0
"""A run that is killed or stopped at any moment and then resumed ends like an uninterrupted one."""
import atexit
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time

import case
from case import Case, record

PATIENCE = 60  # s, for a slow machine
FIELDS = ["thickness", "temperature", "deposit", "arrival_time", "max_thickness", "max_speed"]
HOUR = 2 if case.LONG else 1  # of simulated time: the short form takes half as long
SLOW = {  # 35,000 steps, a second of computing: enough time for three signals on a machine that is several times as fast
    "vents": [{"row": case.VENT[0], "col": case.VENT[1], "effusion": {"slot": f"{9 * HOUR} h", "rates_m3_s": [2, 5, 1]}}],
    "model": {"cooling": 3},
    "run": {"until": f"{28 * HOUR} h"},
    "output": {"fields": FIELDS, "dtype": "float64", "every": f"{4 * HOUR} h", "maps": ["deposit"]},
}
CHECKPOINTS = ("--checkpoint-every", f"{1.5 * HOUR:g} h")
OTHERS = ("history", "engine", "scenario_json")


class Cut(Case):
    undisturbed = {}  # engine: folder of an uninterrupted run, for all tests

    def prepare_test(self):
        self.write_scenario(**SLOW)
        self.random = random.Random(20)

    def link_whole(self, engine):
        """The run "whole" is an uninterrupted one; only its files are read."""
        if engine not in Cut.undisturbed:
            kept = tempfile.mkdtemp(prefix="sciara-cli-")
            atexit.register(shutil.rmtree, kept, True)
            shutil.move(self.run_scenario("whole", "-e", engine), kept)
            Cut.undisturbed[engine] = os.path.join(kept, "whole")
        os.symlink(Cut.undisturbed[engine], self.path("whole"))

    def start(self, *args):
        process = subprocess.Popen([case.PROGRAM, *args], cwd=self.work, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(self.kill, process)
        return process

    def checkpoints(self, folder="out"):
        where = self.path(folder, "checkpoints")
        return sorted(n for n in os.listdir(where) if n.endswith(".h5")) if os.path.isdir(where) else []

    def wait_for_checkpoint(self, process, folder="out"):
        self.wait_for("a checkpoint", process, lambda: self.checkpoints(folder))

    def check_whole(self, but=("history", "scenario_json"), folder="out"):
        self.assert_same_run("whole", folder, but)
        self.assertEqual(len(record(self.path("whole"))["snapshots"]), len(record(self.path(folder))["snapshots"]))
        self.assertLessEqual(len(self.checkpoints(folder)), 2)
        self.assertEqual([f for f in case.files(self.path(folder)) if f.endswith(".part")], [])
        with open(self.path("whole", "maps", "deposit.tif"), "rb") as a, \
                open(self.path(folder, "maps", "deposit.tif"), "rb") as b:
            self.assertEqual(a.read(), b.read(), "the map")


class Killed(Cut):
    def kill_until_done(self, first, again):
        """Kills every program after a while, until one ends normally; returns how many were killed."""
        process, killed = self.start(*first), 0
        self.wait_for_checkpoint(process)
        while True:
            try:
                process.communicate(timeout=PATIENCE if killed == 8 else self.random.uniform(0.02, 0.4) * (killed > 0))
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                killed += 1
                process = self.start(*again)
        self.assertEqual(process.returncode, 0)
        return killed

    def check(self, engine, *every):
        self.link_whole(engine)
        killed = self.kill_until_done(("run", "s.json", "-q", "-o", "out", "-e", engine, *every), ("resume", "out", "-q"))
        self.assertGreater(killed, 0, "none was killed: the run is too short")
        self.check_whole()
        self.assertEqual(record(self.path("out"))["status"], "complete")

    def test_serial(self):
        self.check("serial", *CHECKPOINTS)

    def test_openmp_by_the_clock_of_the_machine(self):
        self.check("openmp", "--checkpoint-every", "0.2 s wall")

    def test_rule_bingham(self):
        """Killed once, between two checkpoints: with clocks of at most 12 s, 7,000 steps."""
        self.write_scenario(**{**SLOW, "model": {**case.SHEET, "clock_max_s": 12}, "run": {"until": "12 h"}})
        self.run_scenario("whole", "-e", "serial")
        process = self.start("run", "s.json", "-q", "-o", "out", "-e", "serial", *CHECKPOINTS)
        self.wait_for("two checkpoints", process, lambda: len(self.checkpoints()) > 1)
        self.kill(process)
        self.assertNotEqual(record(self.path("out"))["status"], "complete")
        self.sciara("resume", "out", "-q")
        self.check_whole()
        found = record(self.path("out"))
        self.assertEqual((found["status"], found["model_rule"]), ("complete", "bingham"))
        self.assertLessEqual(abs(found["ledger"]["residual_m3"]), found["ledger"]["bound_m3"])

    def test_gpu(self):
        for engine in case.gpu_engines():
            with self.subTest(engine=engine):
                if os.path.islink(self.path("whole")):
                    os.remove(self.path("whole"))
                shutil.rmtree(self.path("out"), ignore_errors=True)
                self.check(engine, "--checkpoint-every", "0.2 s wall")

    def test_before_the_first_checkpoint(self):
        process = self.start("run", "s.json", "-q", "-o", "out", "--checkpoint-every", "900 d")
        self.wait_for("run.json", process, lambda: os.path.exists(self.path("out", "run.json")))
        time.sleep(0.1)
        process.kill()
        process.communicate()
        error = self.sciara("resume", "out", code=3).stderr
        self.assertIn("out: there is no checkpoint: the run ended before the first one was written; start it again", error)


class Stopped(Cut):
    def stop(self, which, code, *command, ready=None):
        process = self.start(*command)
        ready(process) if ready else self.wait_for("run.json", process,
                                                   lambda: os.path.exists(self.path("out", "run.json")))
        begin = time.monotonic()
        process.send_signal(which)
        _, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, code, err)
        return err, time.monotonic() - begin

    def test_a_signal_leaves_a_checkpoint(self):
        """Without --checkpoint-every, three times in a row, each time resumed by another engine."""
        self.link_whole("serial")
        err, _ = self.stop(signal.SIGTERM, 143, "run", "s.json", "-o", "out", "-e", "serial")
        self.assertIn("'sciara resume", err)
        r = record(self.path("out"))
        self.assertEqual(r["status"], "stopped")
        self.assertEqual(self.checkpoints(), [f"{r['state']['step']:08d}.h5"])
        for times, engine in enumerate(("openmp", "serial")):
            def under_way(process, count=times + 1):
                self.wait_for("run.json", process, lambda: len(record(self.path("out")).get("resumed", [])) == count)
            self.stop(signal.SIGINT, 130, "resume", "out", "-e", engine, ready=under_way)
            self.assertEqual(record(self.path("out"))["engine"]["name"], engine)
            self.assertGreaterEqual(len(self.checkpoints()), 1)
        self.sciara("resume", "out", "-q", "-e", "openmp")
        self.check_whole(OTHERS)
        done = record(self.path("out"))
        self.assertEqual([x["engine"] for x in done["resumed"]], ["openmp", "serial", "openmp"])
        self.assertEqual(done["timing"]["started_utc"], r["timing"]["started_utc"])
        self.assertGreaterEqual(done["timing"]["compute_s"], r["timing"]["compute_s"])
        log = case.read_text(self.path("out", "run.log"))
        self.assertEqual((log.count("end (cancel)"), log.count("end (time)")), (3, 1), "run.log is continued")
        history = case.open_snapshot(self.path("out", done["snapshots"][-1]["name"])).attrs["history"].splitlines()
        self.assertEqual([line.split(": ", 1)[1].split()[1] for line in history], ["run"] + 3 * ["resume"])

    def test_no_new_step_for_long(self):
        """It stops within two seconds, whatever has to be written."""
        self.write_scenario(**case.ENDLESS)
        _, seconds = self.stop(signal.SIGTERM, 143, "run", "s.json", "-q", "-o", "out")
        self.assertLess(seconds, 2 if not case.SANITIZED else 20)

    def test_a_run_under_way_is_left_alone(self):
        self.write_scenario(**case.ENDLESS)
        process = self.start("run", "s.json", "-q", "-o", "out", "--checkpoint-every", "0.2 s wall")
        self.wait_for_checkpoint(process)
        self.assertIn("out: another run is writing to this folder", self.sciara("resume", "out", code=3).stderr)
        self.sciara("resume", "out", "-o", "new", "-q", "--until", "1 min", "--set", "run.max_steps=null")
        self.assertIsNone(process.poll())

    def test_usr1(self):
        """Writes a checkpoint and continues: with and without a writer thread, and with the same result."""
        self.link_whole("openmp")
        for folder, more in (("out", ()), ("lone", ("--set", "output.every=null"))):
            process = self.start("run", "s.json", "-o", folder, "-e", "openmp", *more)
            self.wait_for("run.log", process, lambda f=folder: os.path.exists(self.path(f, "run.log")))
            process.send_signal(signal.SIGUSR1)
            self.wait_for_checkpoint(process, folder)
            process.send_signal(signal.SIGUSR1)
            self.wait_for("a second", process, lambda f=folder: len(self.checkpoints(f)) == 2)
            _, err = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 0)
            self.assertEqual(err.count("checkpoint of step"), 2)
        self.assert_identical("whole", "lone")
        self.check_whole()
