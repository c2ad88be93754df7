# SPDX-License-Identifier: Apache-2.0
"""The disk is full after a number of bytes: the message says so, the exit code is 4, and what was acknowledged stays. On a
file system of that size where one may be mounted, and with the shim everywhere."""
import errno
import os
import shutil
import subprocess

import bed
import shim
import whole

SIZES = bed.pick(40, 20)
IO = 4
# Mounts a file system of $1 KiB at $2, runs the rest, and copies its files to $3; visible to this process only.
ON_TMPFS = """mount -t tmpfs -o size="$1"k none "$2" || exit 77
place=$2 kept=$3; shift 3
"$@"; code=$?
cp -r "$place/." "$kept"; exit $code"""


class FullDisk(bed.Bed):
    def sizes(self, most, unit):
        """From zero to a little less than a run needs."""
        return [most * k // (SIZES * unit) for k in range(SIZES)]

    def check(self, outcome, state, how):
        self.assert_lives(outcome, how, (IO,))
        self.assertIn(os.strerror(errno.ENOSPC), outcome.stderr, how)
        self.assertIn("out", outcome.stderr, how)
        self.assert_whole(outcome, state, how)
        self.assertEqual([name for name in state if name.endswith(".part")], [], how)

    def test_a_budget_of_bytes(self):
        _, state = self.undisturbed()
        # A run needs a little less than it leaves behind: run.log may be cut, because nobody waits for it.
        most = sum(len(data) for name, data in state.items() if name != "run.log")
        for size in self.sizes(most, 1):
            outcome, state = self.attempt(f"budget {size}")
            self.check(outcome, state, f"{size} of {most} bytes")
        outcome, state = self.attempt(f"budget {2 * most}")
        self.assertEqual((outcome.code, whole.right_of(state)), (0, self.right))

    def test_an_earlier_run_in_the_folder(self):
        """--overwrite on a full disk: never a mixture of both runs."""
        self.undisturbed()
        for size in (0, 20000, 60000):
            self.attempt()
            outcome, state = self.attempt(f"budget {size}", args=(*bed.RUN, "--overwrite"), keep=True)
            self.assert_whole(outcome, state, f"{size} bytes")

    def test_a_file_system_of_that_size(self):
        allowed = subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", self.path("root")],
                                 stderr=subprocess.PIPE, encoding="utf-8", check=False)
        if allowed.returncode != 0:
            self.skipTest(f"no file system may be mounted here: {allowed.stderr.strip()}")
        _, state = self.undisturbed()
        pages = sum(-(-len(data) // 4096) + 1 for data in state.values()) + 4  # and a page for each folder
        full = 0
        for kib in self.sizes(pages * 4096, 1024):
            kib = max(kib, 4)  # 0 means without limit
            kept = self.path("kept")
            shutil.rmtree(kept, ignore_errors=True)
            os.mkdir(kept)
            self.runs += 1
            outcome = shim.run(bed.RUN, self.work, self.path("root"), before=(
                "unshare", "-rm", "sh", "-c", ON_TMPFS, "sh", str(kib), self.path("root"), kept))
            how = f"{kib} KiB"
            if outcome.code == 0:
                continue
            full += 1
            self.check(outcome, whole.load(os.path.join(kept, "out")), how)
        self.assertGreater(full, SIZES // 2)
