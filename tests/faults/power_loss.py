# SPDX-License-Identifier: Apache-2.0
"""A loss of power after each call of a run: every disk that may then be found (lib/disk.py) contains what was acknowledged,
and no broken file with a final name. And a program that forgets to sync is caught."""
import os
import shutil

import bed
import disk
import shim
import whole


class PowerLoss(bed.Bed):
    rounds = bed.pick(40, 4)

    def recorded(self, *more, keep=False):
        """The calls of an undisturbed run."""
        outcome, state = self.attempt(args=(*bed.RUN, *more), keep=keep, log=self.path("log"))
        self.assertEqual(outcome.code, 0, outcome.stderr)
        self.right, self.last = whole.right_of(state), whole.last_fields(state)
        return shim.read_log(self.path("log"))

    def look_at(self, records, check, start=None):
        """Calls `check(how, files, announced)` for every disk; returns their number."""
        out = self.path("root", "out") + os.sep

        def look(number, description, files, announced, published):
            inside = {os.path.relpath(name, "out"): data for name, data in files.items()}
            said = [line.removeprefix(out) for line in announced]
            how = f"power lost after call {number} ({records[number].kind} {records[number].path}), {description}"
            check(how, inside, said)
            for name, data in files.items():
                if not whole.is_promised(os.path.relpath(name, "out")):
                    continue
                self.assertIn(data, published.get(name, ()), f"{how}: {name} contains bytes that never had that name")

        calls, disks = disk.replay(records, self.path("root"), look, self.rounds, start=start)
        self.assertGreater(calls, 50)
        self.runs += disks
        return disks

    def assert_kept(self, how, files, said):
        self.assertEqual(whole.faults(files, said, self.right), [], how)

    def test_after_every_call(self):
        self.look_at(self.recorded(), self.assert_kept)

    def test_while_a_run_is_replaced(self):
        """The earlier run is on the disk for good when the second one begins."""
        self.recorded()
        start = whole.load(self.path("root"))
        self.look_at(self.recorded("--overwrite", keep=True), self.assert_kept, start)

    def test_the_program_reads_what_is_left(self):
        """`sciara info` on some of these disks: a run, or no run folder; never a crash or a broken snapshot."""
        seen = set()

        def read(how, files, said):
            del said
            key = (files.get("run.json"), frozenset(files))
            if key in seen or not files:
                return
            seen.add(key)
            place = self.path("left", str(len(seen)))
            whole.save(files, place)
            outcome = shim.run_in_fork(["info", place], self.work, self.path("root"))
            self.assertEqual(outcome.code, 0 if "run.json" in files else 3, f"{how}\n{outcome.stdout}{outcome.stderr}")
            self.assertNotRegex(outcome.stdout + outcome.stderr, "damaged|missing: [1-9]", how)

        self.rounds = 0
        self.look_at(self.recorded(), read)
        self.assertGreater(len(seen), 10)

    def test_with_checkpoints(self):
        """Every disk is sound; and `sciara resume` on it (in the short form, on every second of those that differ in the
        files that it reads) is bit-identical to the undisturbed run."""
        seen, resumed = set(), 0

        def look(how, files, said):
            nonlocal resumed
            self.assert_kept(how, files, said)
            key = whole.resumable(files)
            if key in seen:
                return
            seen.add(key)
            if len(seen) % bed.pick(1, 2):
                return
            shutil.rmtree(self.path("root", "out"), ignore_errors=True)
            whole.save(files, self.path("root", "out"))
            resumed += self.assert_resumes(how)

        records = self.recorded(*bed.CHECKPOINTS)
        self.look_at(records, look)
        self.assertGreater(len(seen), 15)
        self.assertGreater(resumed, bed.pick(10, 5))


class Found(Exception):
    """A fault that was looked for."""


class Caught(bed.Bed):
    """Logs of less careful programs: the replay detects each of them."""

    def replay(self, records, expected):
        """Checks every disk; returns the faults, or raises Found at the first one that `expected` accepts."""
        out = self.path("root", "out") + os.sep
        found = []

        def look(_, description, files, announced, published):
            del description, published
            inside = {os.path.relpath(name, "out"): data for name, data in files.items()}
            for fault in whole.faults(inside, [line.removeprefix(out) for line in announced], self.right):
                found.append(fault)
                if expected(fault):
                    raise Found(fault)

        disk.replay(records, self.path("root"), look)
        return found

    def recorded(self, *more):
        """The calls of an undisturbed run."""
        outcome, state = self.attempt(args=(*bed.RUN, *more), log=self.path("log"))
        self.assertEqual(outcome.code, 0, outcome.stderr)
        self.right = whole.right_of(state)
        return shim.read_log(self.path("log"))

    def expect_found(self, *words, forget, more=()):
        """Without the calls for which `forget` is true, a fault with one of the words is found."""
        records, opened = [], {}
        for record in self.recorded(*more):
            if record.kind == "O":
                opened[record.fd] = record.path
            if not forget(record, opened.get(record.fd, "")):
                records.append(record)
        with self.assertRaises(Found):
            self.fail(self.replay(records, lambda fault: any(word in fault for word in words)))

    def test_nothing_forgotten(self):
        self.assertEqual(self.replay(self.recorded(), lambda fault: False), [])

    def test_no_sync_of_snapshots(self):
        self.expect_found("snapshots/", forget=lambda r, path: r.kind == "S" and path.endswith(".nc.part"))

    def test_no_sync_of_folders(self):
        for name in ("out", "snapshots", "maps", "root"):
            with self.subTest(name=name):
                self.expect_found("lost", "run.json",
                                  forget=lambda r, path, name=name: r.kind == "S" and path.endswith(f"/{name}"))
