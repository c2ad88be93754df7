# SPDX-License-Identifier: Apache-2.0
"""A small run that is disturbed in every way: what the tests of this folder share.

SCIARA_TORTURE=1 selects the long form of each test (tools/torture).
"""
import os
import random
import re
import shutil
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.environ["SCIARA_SOURCE_DIR"], "tests", "cli", "lib"))
import case
import shim
import whole

LONG = os.environ.get("SCIARA_TORTURE") == "1"
SKIPPED = 77
RUN = ("run", "s.json", "-q", "-o", "root/out", "--engine", "serial")
CHECKPOINTS = ("--checkpoint-every", "13 min")  # four in a run, between snapshots

if not shim.LIBRARY:
    print("skipped: the shim is not built here (sanitizers must be the first in a process)")
    sys.exit(SKIPPED)


def pick(long_form, short_form):
    return long_form if LONG else short_form


class Bed(case.Case):
    """Runs into root/out, with snapshots, a series and a map; three snapshots in about 400 steps."""

    changes = {"output": {"fields": case.FIELDS, "every": "20 min", "maps": ["deposit"]}, "run": {"until": "1 h"}}

    def prepare_test(self):
        os.mkdir(self.path("root"))
        self.write_scenario(**self.changes)
        self.resume = ("resume", self.path("root", "out"), "-q", "--engine", "serial")
        self.began = time.monotonic()
        self.runs = 0
        self.addCleanup(self.report)

    def report(self):
        """For the table of tools/torture."""
        name = self.id().split(".")[-1].removeprefix("test_").replace("_", " ")
        print(f"torture: {name} | {self.runs} | {time.monotonic() - self.began:.1f}", flush=True)

    def attempt(self, plan=None, args=RUN, keep=False, **options):
        """One run; returns its outcome and the files in root/out."""
        self.runs += 1
        if not keep:
            shutil.rmtree(self.path("root", "out"), ignore_errors=True)
        run = shim.run if set(options) - {"log"} else shim.run_in_fork
        outcome = run(args, self.work, self.path("root"), plan, **options)
        return outcome, whole.load(self.path("root", "out"))

    def restore(self, state):
        """Makes root/out what it was after an attempt."""
        shutil.rmtree(self.path("root", "out"))
        whole.save(state, self.path("root", "out"))

    def calls(self, log, kinds=""):
        """(number, record, path) of the calls to be tried in a log, in order. In the long form all; otherwise the first and
        the last of each kind on each kind of file: every snapshot gets the same calls."""
        calls = [call for call in shim.numbered(shim.read_log(log)) if not kinds or call[1].kind in kinds]
        if LONG:
            return calls
        first, last = {}, {}
        for number, record, path in calls:
            site = record.kind, re.sub(r"\d+", "#", os.path.relpath(path, self.work))
            first.setdefault(site, number)
            last[site] = number
        chosen = {*first.values(), *last.values()}
        return [call for call in calls if call[0] in chosen]

    def names(self, outcome):
        """The files that a run announced, as names below its folder."""
        return [os.path.relpath(line, self.path("root", "out")) for line in outcome.announced]

    def undisturbed(self, **options):
        """Outcome and files of an undisturbed run; self.right holds its checksums."""
        outcome, state = self.attempt(**options)
        self.assertEqual(outcome.code, 0, outcome.stderr)
        self.right, self.last = whole.right_of(state), whole.last_fields(state)
        self.assertEqual(whole.faults(state, self.names(outcome), self.right), [])
        self.assertGreaterEqual(len(self.right), 3)
        return outcome, state

    def assert_whole(self, outcome, state, how):
        self.assertEqual(whole.faults(state, self.names(outcome), self.right), [], f"{how}\n{outcome.stderr}")

    def assert_resumes(self, how):
        """`sciara resume` of root/out ends like the undisturbed run, bit by bit, and True is returned; or it
        reports that there is no checkpoint yet, and there is none."""
        how = f"{how}, resumed"
        before = whole.load(self.path("root", "out"))
        outcome, state = self.attempt(args=self.resume, keep=True)
        if outcome.code == 3:
            self.assertRegex(outcome.stderr, "there is no checkpoint|is not a run folder", how)
            self.assertEqual(whole.checkpoints(before), [], how)
            return False
        self.assertEqual(outcome.code, 0, f"{how}\n{outcome.stderr}")
        self.assert_whole(outcome, state, how)
        self.assertEqual(whole.right_of(state), self.right, how)
        self.assertEqual(whole.last_fields(state), self.last, how)
        return True

    def assert_killed(self, outcome, how):
        self.assertEqual(outcome.code, -signal.SIGKILL, f"{how}\n{outcome.stderr}")

    def assert_lives(self, outcome, how, codes):
        """It ended on its own with one of these codes and, unless that is 0, with a message."""
        self.assertIsNotNone(outcome.code, f"{how}: it hung")
        self.assertIn(outcome.code, codes, f"{how}\n{outcome.stderr}")
        if outcome.code != 0:
            self.assertRegex(outcome.stderr, r"(?m)^sciara: error: .+$", how)


def dice(seed):
    return random.Random(seed)
