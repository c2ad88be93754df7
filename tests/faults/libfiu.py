#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libfiu, an independent tool, makes POSIX calls fail at random: a result or a message, and no broken file."""
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
import bed
import shim
import whole

# The calls that fail, and their probability: each alone, and rarely enough that a run reaches the point where it writes.
FAULTS = [("posix/io/*", 0.005), ("posix/io/rw/write", 0.05), ("posix/io/rw/write", 0.3), ("posix/io/sync/*", 0.05),
          ("posix/io/oc/open", 0.01), ("posix/io/dir/*", 0.05), ("posix/io/rw/*", 0.02)]
CODES = (0, 1, 2, 3, 4, 5, 6)  # 1 is the code of the loader when its own call fails


class Libfiu(bed.Bed):
    def test_random_failures(self):
        if not shutil.which("fiu-run"):
            self.skipTest("fiu-run is missing (apt install fiu-utils)")
        done = self.sciara(*bed.RUN)
        state = whole.load(self.path("root", "out"))
        self.right = whole.right_of(state)
        self.assertEqual(len(done.stdout.splitlines()), 5)
        failed = 0
        for n in range(bed.pick(400, 28)):
            name, probability = FAULTS[n % len(FAULTS)]
            self.runs += 1
            shutil.rmtree(self.path("root", "out"), ignore_errors=True)
            with subprocess.Popen(["fiu-run", "-x", "-c", f"enable_random name={name},probability={probability}",
                                   shim.PROGRAM, *bed.RUN], cwd=self.work, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace") as process:
                out, err = process.communicate(timeout=shim.PATIENCE)
            how = f"round {n}: {name}, probability {probability}: code {process.returncode}\n{err}"
            self.assertIn(process.returncode, CODES, how)
            self.assertEqual(whole.faults(whole.load(self.path("root", "out")),
                                          self.names(shim.Outcome(process.returncode, out, err)), self.right), [], how)
            failed += process.returncode != 0
        self.assertGreater(failed, 4, "nothing went wrong")


if __name__ == "__main__":
    bed.case.main()
