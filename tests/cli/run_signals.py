# SPDX-License-Identifier: Apache-2.0
"""sciara run: a signal ends it, and its state is written; while it runs, run.json says so."""
import os
import signal
import subprocess

import case
from case import ScenarioCase, open_snapshot, record

PATIENCE = 60  # s, for a slow machine


class Signals(ScenarioCase):
    scenario = case.ENDLESS

    def start(self, *args):
        """A run under way: since its record it has used 0.2 s of processor time, however busy the machine is."""
        process = subprocess.Popen([case.PROGRAM, "run", "s.json", "-o", "out", *args], cwd=self.work,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   encoding="utf-8")
        self.addCleanup(self.kill, process)
        self.wait_for("run.json", process, lambda: os.path.exists(self.path("out", "run.json")))
        begun = case.processor_time(process)
        self.wait_for("a step", process, lambda: case.processor_time(process) >= begun + 0.2)
        return process

    def check_stopped(self, which, code, *args):
        process = self.start(*args)
        r = record(self.path("out"))
        self.assertEqual((r["status"], r["stop_reason"], r["timing"]["ended_utc"]), ("running", None, None))
        process.send_signal(which)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, code, f"exit code after {which.name}; stderr: {err}")
        r = record(self.path("out"))
        self.assertEqual((r["status"], r["stop_reason"]), ("stopped", "cancel"))
        self.assertGreater(r["state"]["step"], 0, "steps done")
        last = r["snapshots"][-1]
        self.assertEqual(last["step"], r["state"]["step"], "the state at the signal is a snapshot")
        self.assertEqual(out.splitlines()[-1], self.path("out", last["name"]))
        data = open_snapshot(self.path("out", last["name"]))
        self.assertEqual((data.attrs["step"], data.attrs["checksum"]), (last["step"], last["checksum"]))
        self.assertGreater(data.thickness.max(), 0)
        self.assertEqual(open_snapshot(self.path("out", "series.nc")).time.values[-1], last["time_s"])
        self.assertEqual([f for f in case.files(self.path("out")) if f.endswith(".part")], [])
        self.assertIn("out, stopped: cancel\n", self.sciara("info", "out").stdout)
        return last["step"]

    def test_sigint(self):
        self.check_stopped(signal.SIGINT, 130)

    def test_sigterm(self):
        self.check_stopped(signal.SIGTERM, 143)

    def test_the_state_is_one_of_the_uninterrupted_run(self):
        step = self.check_stopped(signal.SIGTERM, 143, "--engine", "serial")
        self.run_scenario("whole", "--engine", "serial", "--steps", step)
        self.assert_identical("out", "whole")

    def test_snapshots_before_the_signal_stay(self):
        self.check_stopped(signal.SIGINT, 130, "--set", "output.every=1000")
        done = record(self.path("out"))["snapshots"]
        self.assertGreaterEqual(len(done), 1)
        times = [s["time_s"] for s in done]
        self.assertEqual(times, sorted(set(times)), "times of the snapshots")

    def test_killed_without_warning(self):
        """The snapshots in run.json after SIGKILL exist and are complete."""
        process = self.start("--set", "output.every=200")
        process.kill()
        out, _ = process.communicate(timeout=PATIENCE)
        r = record(self.path("out"))
        self.assertEqual(r["status"], "running")
        for snapshot in r["snapshots"]:
            data = open_snapshot(self.path("out", snapshot["name"]))
            self.assertEqual(data.attrs["checksum"], snapshot["checksum"], snapshot["name"])
        listed = [self.path("out", s["name"]) for s in r["snapshots"]]
        self.assertEqual([line for line in out.splitlines() if line not in listed], [], "printed, but not in run.json")
