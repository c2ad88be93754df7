# SPDX-License-Identifier: Apache-2.0
"""Each call on a file fails once: the program names file and reason, ends with code 4, keeps what was acknowledged."""
import errno
import os

import bed
import shim

IO, OK = 4, 0


class Errors(bed.Bed):
    def tried(self):
        """The calls to be tried. Two threads write, but never at once: the order is fixed as long as no snapshot waits for
        another."""
        outcome, _ = self.undisturbed(log=self.path("log"))
        self.assertEqual(sum(1 for _ in shim.numbered(shim.read_log(self.path("log")))), outcome.calls)
        return [(k, record.kind, path) for k, record, path in self.calls(self.path("log"))]

    def check(self, plan, kind, path):
        outcome, state = self.attempt(plan)
        how = f"{plan}: {kind} of {os.path.relpath(path, self.work)}"
        log = path.endswith("run.log")  # for people only; its content is not guaranteed
        harmless = log or kind.islower()  # calls that fail anyway: an existing folder, a missing file to remove
        self.assert_lives(outcome, how, (OK, IO) if harmless else (IO,))
        self.assert_whole(outcome, state, how)
        if outcome.code == IO:
            self.assertIn(self.path("root"), outcome.stderr.replace("sciara: error: root/", f"{self.path('root')}/"), how)
        self.assertEqual(outcome.done >= 1, True, how)
        return outcome

    def test_input_output_error(self):
        for k, kind, path in self.tried():
            outcome = self.check(f"fail {k} {errno.EIO}", kind, path)
            if outcome.code == IO and kind in "SRM":
                self.assertIn(os.strerror(errno.EIO), outcome.stderr, f"call {k}")

    def test_no_space_from_here_on(self):
        for k, kind, path in self.tried()[::bed.pick(1, 3)]:
            self.check(f"fail-on {k} {errno.ENOSPC}", kind, path)

    def test_no_space_once(self):
        for k, kind, path in self.tried()[::bed.pick(1, 4)]:
            self.check(f"fail {k} {errno.ENOSPC}", kind, path)

    def test_short_writes(self):
        """A write that moves half of the bytes is not an error: the rest follows."""
        for k, kind, path in self.tried():
            if kind != "W":
                continue
            outcome, state = self.attempt(f"short {k}")
            how = f"short write {k} of {path}"
            self.assertEqual(outcome.done, 1, how)
            self.assert_lives(outcome, how, (OK,))
            self.assert_whole(outcome, state, how)
            self.assertEqual(self.right, bed.whole.right_of(state), how)
