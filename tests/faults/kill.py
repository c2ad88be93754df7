# SPDX-License-Identifier: Apache-2.0
"""SIGKILL: at each call that changes the disk, in the middle of each write, and at random times. A file with its final name
is complete, what was acknowledged exists, and the folder can be used again."""
import os
import signal
import time

import bed
import case
import shim


class Kill(bed.Bed):
    def run_again(self, how):
        """With --overwrite, as a user would do it: the result is that of an uninterrupted run."""
        outcome, state = self.attempt(args=(*bed.RUN, "--overwrite"), keep=True)
        self.assertEqual(outcome.code, 0, f"{how}, again:\n{outcome.stderr}")
        self.assert_whole(outcome, state, f"{how}, again")
        self.assertEqual([name for name in state if name.endswith(".part")], [], f"{how}, again")

    def test_at_every_call(self):
        log = self.path("log")
        calls = self.undisturbed(log=log)[0].calls
        self.assertEqual(calls, sum(1 for _ in shim.numbered(shim.read_log(log))))
        for n, (k, _, _) in enumerate(self.calls(log)):
            outcome, state = self.attempt(f"kill {k}")
            self.assert_killed(outcome, f"call {k}")
            self.assert_whole(outcome, state, f"killed at call {k} of {calls}")
            if bed.LONG or n % 9 == 1:
                self.run_again(f"killed at call {k}")

    def test_in_every_write(self):
        log = self.path("log")
        self.undisturbed(log=log)
        torn = 0
        for k, _, _ in self.calls(log, "W"):
            outcome, state = self.attempt(f"torn {k}")
            self.assert_killed(outcome, f"call {k}")
            self.assert_whole(outcome, state, f"torn at call {k}")
            torn += 1
        self.assertGreater(torn, 8)

    def test_while_a_run_is_replaced(self):
        """Killed while --overwrite removes the earlier run, and after that."""
        args = (*bed.RUN, "--overwrite")
        earlier, before = self.undisturbed()
        for k in range(1, earlier.calls, bed.pick(1, 8)):
            self.restore(before)
            outcome, state = self.attempt(f"kill {k}", args=args, keep=True)
            self.assert_killed(outcome, f"call {k}")
            self.assert_whole(outcome, state, f"killed at call {k} of the second run")
            if bed.LONG or k % 3 == 1:
                self.run_again(f"killed at call {k} of the second run")


class KillAndResume(bed.Bed):
    """Runs with checkpoints: a killed run is resumed, and ends like an uninterrupted one."""

    args = (*bed.RUN, *bed.CHECKPOINTS)

    def test_with_checkpoints(self):
        calls = self.undisturbed(args=self.args)[0].calls
        resumed, tried = 0, range(1, calls + 1, bed.pick(1, 7))
        for k in tried:
            outcome, state = self.attempt(f"kill {k}", args=self.args)
            self.assert_killed(outcome, f"call {k}")
            self.assert_whole(outcome, state, f"killed at call {k} of {calls}")
            resumed += self.assert_resumes(f"killed at call {k} of {calls}")
        self.assertGreater(resumed, len(tried) // 2)
        self.assertLess(resumed, len(tried))

    def test_while_it_is_resumed(self):
        """Killed after two checkpoints, and again at each call of `sciara resume`."""
        log = self.path("log")
        self.undisturbed(args=self.args, log=log)
        records = [r for r in shim.read_log(log) if r.kind == "R" and r.path2.endswith(".h5")]
        self.assertGreater(len(records), 2)
        left = self.left_after(records[1].path2)
        self.restore(left)
        calls = self.attempt(args=self.resume, keep=True)[0].calls
        for k in range(1, calls + 1, bed.pick(1, 7)):
            self.restore(left)
            outcome, state = self.attempt(f"kill {k}", args=self.resume, keep=True)
            self.assert_killed(outcome, f"call {k}")
            self.assert_whole(outcome, state, f"killed at call {k} of {calls} of sciara resume")
            self.assertTrue(self.assert_resumes(f"killed at call {k} of {calls} of sciara resume"))

    def left_after(self, checkpoint):
        """The folder of a run that is killed as soon as this checkpoint has its name."""
        name = os.path.relpath(checkpoint, self.path("root", "out"))
        low, high = 1, self.attempt(args=self.args)[0].calls
        while low < high:
            middle = (low + high) // 2
            _, state = self.attempt(f"kill {middle}", args=self.args)
            low, high = (low, middle) if name in state else (middle + 1, high)
        return self.attempt(f"kill {low}", args=self.args)[1]


class KillAtRandom(bed.Bed):
    changes = {**case.ENDLESS, "output": {"fields": case.FIELDS, "every": "2 min", "maps": ["deposit"]}}

    def test_at_random_times(self):
        """Long after the start and just after it; without the shim's lock the system orders the threads."""
        chance = bed.dice(20)
        self.right = None
        acknowledged, least = 0, bed.pick(200, 16)
        for n in range(4 * least):  # a busy machine writes few snapshots in these times
            if n >= least and acknowledged > 20:
                break
            delay = chance.uniform(0, 0.25) if n % 2 else chance.uniform(0.1, bed.pick(3, 0.6))

            def strike(process, delay=delay):
                time.sleep(delay)
                process.send_signal(signal.SIGKILL)

            outcome, state = self.attempt(after=strike)
            self.assert_killed(outcome, f"after {delay:.3f} s")
            self.assert_whole(outcome, state, f"killed after {delay:.3f} s")
            acknowledged += len(outcome.announced)
        self.assertGreater(acknowledged, 20, "snapshots before the end")
