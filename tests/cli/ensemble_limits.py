# SPDX-License-Identifier: Apache-2.0
"""Limits of an ensemble: disk and memory that are not there, parts and slices, what an earlier run has left, and results that
belong to another plan."""
import os
import resource
import shutil
import subprocess

import case
from case import Case

MEMBERS = 130  # three batches
SPACES = 400, 1500  # MiB of address space: for no member of a million cells, and for fewer than eight
# Mounts a file system of $1 KiB at $2 and runs the rest; visible to this process only.
ON_TMPFS = """mount -t tmpfs -o size="$1"k none "$2" || exit 77
cp -r "$3" "$2/e"; cd "$2"; shift 3; exec "$@\""""


def count_lines(path):
    with open(path, encoding="utf-8") as f:
        return len(f.readlines()) - 1


class Limits(Case):
    def prepare_test(self):
        self.write_base()
        self.write_ensemble()

    def write_base(self, volume=300, **changes):
        effusion = {"slot": "100 s", "rates_m3_s": [volume / 100]}
        self.write_scenario("base.json", vents=[{"name": "v", "x": 500200, "y": 4177220, "effusion": effusion}], **changes)

    def write_ensemble(self, **changes):
        values = [0.3 + 0.001 * k for k in range(MEMBERS)]
        whole = {"base": "base.json", "sample": {"method": "full"}, "vary": [{"key": "model.relaxation", "values": values}]}
        case.write_json(self.path("e.json"), whole | changes)

    def ensemble(self, *args, **options):
        return self.sciara("ensemble", *args, **options)

    def plan(self, folder):
        self.ensemble("plan", "e.json", "-o", folder, "--no-estimate")

    def computed(self, folder):
        return count_lines(self.path(folder, "log.csv"))

    def batches(self, folder):
        return sorted(os.listdir(self.path(folder, "batches")))

    def test_parts_do_not_overlap(self):
        self.plan("e")
        for part, members in ((1, 64), (2, 128), (3, 130)):
            self.ensemble("run", "e", "--part", f"{part}/3")
            self.assertEqual((self.computed("e"), len(self.batches("e"))), (members, part))

    def test_order(self):
        """A very long member is computed first, then batch follows batch, in each of them the longest first: the one with most
        lava, that cools slowest or has the smallest clock."""
        for key, last, others in (("rate_scale", 8, [1 + 0.001 * k for k in range(MEMBERS - 1)]),
                                  ("model.cooling", 0.2, [2 - 0.001 * k for k in range(MEMBERS - 1)]),
                                  ("model.relaxation", 0.05, [0.5 - 0.001 * k for k in range(MEMBERS - 1)])):
            with self.subTest(key):
                self.write_ensemble(vary=[{"key": key, "values": [*others, last]}])
                self.plan(key)
                self.ensemble("run", key, "-j", "1")
                found = [int(row["id"]) for row in case.read_rows(self.path(key, "log.csv"))]
                self.assertEqual(found, [MEMBERS - 1, *range(63, -1, -1), *range(127, 63, -1), MEMBERS - 2])

    def test_a_slice_is_whole_batches(self):
        self.plan("e")
        self.ensemble("run", "e", "--members", "63-63")
        self.assertEqual(self.batches("e"), ["000000.h5"])
        self.ensemble("run", "e", "--members", "128-500")
        self.assertEqual(self.batches("e"), ["000000.h5", "000002.h5"])

    def test_a_slice_has_no_stop_rule(self):
        site = {"name": "vent", "x": 500200, "y": 4177220}
        self.write_ensemble(sample={"method": "random", "count": MEMBERS, "seed": 1}, stop={"standard_error": 0.4},
                            vary=[{"key": "model.relaxation", "uniform": [0.3, 0.4]}], result={"sites": [site]})
        self.plan("e")
        self.ensemble("run", "e", "--part", "1/1")
        self.assertEqual(self.computed("e"), MEMBERS)
        self.plan("whole")
        self.ensemble("run", "whole")
        self.assertLess(self.computed("whole"), MEMBERS)

    def test_members_that_a_run_has_left(self):
        """A run ends when it cannot write a batch, whose members are finished: the next one computes none of them again, but
        one that is damaged."""
        self.plan("whole")
        self.ensemble("run", "whole", "--part", "1/3")
        size = os.path.getsize(self.path("whole", "batches", "000000.h5"))
        self.plan("e")
        left = self.path("e", "members", "000000")
        for damage, computed in ((False, 64), (True, 129)):
            shutil.rmtree(self.path("e", "batches"), ignore_errors=True)
            done = self.ensemble("run", "e", "--part", "1/3", code=4,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size - 1,) * 2))
            self.assertIn("000000.h5", done.stderr)
            self.assertEqual(len([name for name in os.listdir(left) if name.endswith(".h5")]), 64)
            if not damage:
                self.check_another_plan()
            if damage:
                with open(os.path.join(left, "17.h5"), "r+b") as f:
                    f.truncate(900)
            done = self.ensemble("run", "e", "--part", "1/3")
            self.assertEqual("the member is computed again" in done.stderr, damage)
            self.assertEqual((self.batches("e"), self.computed("e")), (["000000.h5"], computed))
            self.assertEqual(os.path.getsize(self.path("e", "batches", "000000.h5")), size)
            self.assertFalse(os.path.exists(left))

    def check_another_plan(self):
        """Finished members without a batch are results: no other plan replaces theirs, and elsewhere they count as nothing."""
        shutil.copyfile(self.path("e.json"), self.path("mine.json"))
        self.write_ensemble(vary=[{"key": "model.relaxation", "values": [0.5 + 0.001 * k for k in range(MEMBERS)]}])
        before = case.tree(self.path("e"))
        done = self.ensemble("plan", "e.json", "-o", "e", "--no-estimate", "--overwrite", code=3)
        self.assertIn("the folder has results, which --overwrite does not remove: e: expected the table as it was planned, found "
                      "130 rows that differ", done.stderr)
        after = case.tree(self.path("e"))
        self.assertEqual({name: after[name] for name in before}, before)
        self.plan("other")
        shutil.copytree(self.path("e", "members"), self.path("other", "members"))
        before = case.tree(self.path("other"))
        said = self.ensemble("status", "other").stdout
        self.assert_parts(said, "members:  0 of 130 finished", "unusable: 64 files of members, damaged or of another plan")
        self.assertEqual(case.tree(self.path("other")), before)
        os.replace(self.path("mine.json"), self.path("e.json"))
        said = self.ensemble("status", "e").stdout
        self.assertIn("members:  64 of 130 finished, 0 failed, 0 censored\nbatches:  0 of 3 written, 0 bytes; 64 finished members of others", said)
        self.assertNotIn("unusable", said)

    def test_results_of_another_ground_or_base(self):
        self.plan("e")
        self.ensemble("run", "e", "--part", "1/3")
        lower = self.path("lower.asc")
        text = case.read_text(self.path("dem.asc"))
        first = text.splitlines()[6].split()[10]
        case.write_text(lower, text.replace(f" {first} ", f" {float(first) - 1} ", 1))
        for name, changes, message in (("ground", {"dem": {"path": "lower.asc", "crs": "EPSG:32633"}}, "results on the ground"),
                                       ("model", {"model": {"cooling": 151}}, "its base scenario, its initial lava or another batch differs")):
            self.write_base(**changes)
            self.plan(name)
            shutil.copytree(self.path("e", "batches"), self.path(name, "batches"))
            for command in ("run", "status"):
                self.assertIn(message, self.ensemble(command, name, code=3).stderr)
        self.plan("moved")
        shutil.copyfile(self.path("ground", "dem.tif"), self.path("moved", "dem.tif"))
        self.assertIn("expected the ground", self.ensemble("run", "moved", code=3).stderr)

    def test_memory(self):
        """There are as many workers as there is memory for; not even one: refused before anything is computed."""
        self.write_scenario("base.json", dem={"path": "big.asc", "crs": "EPSG:32633"}, vents=[
            {"name": "v", "x": 510000, "y": 4187000, "effusion": {"slot": "10000 s", "rates_m3_s": [1e6]}}])
        case.write_grid(self.path("big.asc"), lambda row, col: 100, 1000, 1000, 20)
        self.write_ensemble(vary=[{"key": "model.relaxation", "values": [0.4 + 0.01 * k for k in range(8)]}])
        self.plan("e")
        refused, said = self.limited(SPACES[0] << 20)
        self.assertEqual(refused, 6, said)
        self.assertRegex(said, r"error: e: a member needs about [\d.]+ [MG]B of memory, [\d.]+ [MG]B are free")
        _, said = self.limited(SPACES[1] << 20)
        self.assertRegex(said, r" [MG]B of memory are free, and a member may need [\d.]+ [MG]B: [1-7] members at a time, not 8\n")
        self.assertRegex(said, r"engine: serial; [1-7] members? at a time")
        self.assertFalse(os.path.exists(self.path("e", "log.csv")))

    def limited(self, size):
        """With `size` bytes of address space, until it says how many members are computed at a time: exit code and messages."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (size,) * 2)
            resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
        with subprocess.Popen([case.PROGRAM, "ensemble", "run", "e", "-j", "8", "--engine", "serial"], cwd=self.work,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8",
                              preexec_fn=limit, env={**os.environ, "GCOV_PREFIX": "/dev/null"}) as process:
            said = ""
            for line in process.stderr:
                said += line
                if "engine: serial" in line:
                    process.kill()
        return process.returncode, said

    def test_disk(self):
        allowed = subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", self.work], stderr=subprocess.PIPE,
                                 encoding="utf-8", check=False)
        if allowed.returncode != 0:
            self.skipTest(f"no file system may be mounted here: {allowed.stderr.strip()}")
        self.plan("e")
        size = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(self.path("e")) for name in names)
        # Not for the members; not for the checkpoints of so many at a time; for one.
        for free, workers, code in ((100, 1, 4), (4000, 64, 4), (4000, 1, 0)):
            with self.subTest(free=free, workers=workers):
                folder = self.path(f"small{free}-{workers}")
                os.mkdir(folder)
                done = self.tool("unshare", "-rm", "sh", "-c", ON_TMPFS, "sh", size // 1024 + free, folder, self.path("e"), case.PROGRAM, "ensemble",
                                 "run", "e", "-j", workers, code=code)
                if code:
                    self.assertRegex(done.stderr, r"the 130 members to be computed need about [\d.]+ [kMG]B on the disk, [\d.]+ [kMG]B are free")
