#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Members of an ensemble that continue from their checkpoints: in a moved folder, too; never from the state of something else."""
import csv
import os
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
import case
from case import Case

VENT = {"row": 8, "col": 20, "effusion": {"slot": "100 h", "rates_m3_s": [4]}}


class Continue(Case):
    """Two members that each take about a second."""

    def plan(self, folder, *args, code=0, dem=None, **parts):
        """Plans an ensemble with a base of these parts, on a DEM of this size."""
        self.write_scenario("base.json", **{"vents": [VENT], "run": {"until": "100 h"}} | parts)
        if dem:
            case.write_dem(self.path("dem.asc"), *dem)
        case.write_json(self.path("e.json"), {"base": "base.json", "sample": {"method": "full"},
                                              "vary": [{"key": "model.relaxation", "values": [0.3, 0.31]}]})
        return self.sciara("ensemble", "plan", "e.json", "-o", folder, "--no-estimate", *args, code=code)

    def compute(self, folder, *args, code=0):
        return self.sciara("ensemble", "run", folder, "-j", "2", *args, code=code).stderr

    def stored(self, folder):
        """The files of members that are not in a batch."""
        return sorted(n for _, _, files in os.walk(self.path(folder, "members")) for n in files)

    def begin(self, folder, how=signal.SIGKILL):
        """Ends a run as soon as both members have a checkpoint."""
        command = [case.PROGRAM, "ensemble", "run", folder, "-j", "2", "--checkpoint-every", "0.05 wall"]
        both = {"0.checkpoint.h5", "1.checkpoint.h5"}
        with subprocess.Popen(command, cwd=self.work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            end = time.monotonic() + 60
            while time.monotonic() < end and process.poll() is None and not both <= set(self.stored(folder)):
                time.sleep(0.005)
            process.send_signal(how)
            self.assertNotEqual(process.wait(), 0)
        self.assertLessEqual(both, set(self.stored(folder)))

    def results(self, folder):
        with open(self.path(folder, "log.csv"), encoding="utf-8", newline="") as f:
            rows = {int(row["id"]): row for row in csv.DictReader(f)}
        return [[rows[m][key] for key in ("stop", "end_s", "steps", "cell_steps", "checksum")] for m in sorted(rows)]

    def assert_continues(self, said):
        for member in range(2):
            self.assertRegex(said, f"member {member}: continues from step [1-9]")

    def test_a_moved_folder(self):
        self.plan("d")
        self.begin("d")
        os.rename(self.path("d"), self.path("moved"))
        self.assertIn("2 members continue from their checkpoints", self.sciara("ensemble", "status", "moved").stdout)
        self.assert_continues(self.compute("moved"))
        self.assertEqual(self.stored("moved"), [])

    def test_another_ground(self):
        """A plan in the same folder, whose DEM differs only where no lava comes."""
        self.plan("d", dem=(30, 26))
        self.begin("d")
        self.plan("d", "--overwrite", dem=(30, 40))
        said = self.compute("d")
        for member in range(2):
            self.assertIn(f"expected the state of member {member} of this ensemble, found that of a member on another ground; "
                          "the member starts from its beginning", said)
        self.plan("fresh", dem=(30, 40))
        self.compute("fresh")
        self.assertEqual(self.results("d"), self.results("fresh"))


if __name__ == "__main__":
    case.main()
