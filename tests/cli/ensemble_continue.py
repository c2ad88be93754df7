# SPDX-License-Identifier: Apache-2.0
"""Members of an ensemble that continue from their checkpoints: in a moved folder, too; never from the state of something else."""
import os
import signal
import subprocess
import time

import case
from case import Case

HOURS = "15 h" if case.SANITIZED else "40 h"  # a member takes less than a second
VENT = {"row": 8, "col": 20, "effusion": {"slot": "100 h", "rates_m3_s": [4]}}


def without(hash_, last):
    """FNV-1a of what comes before the 64 bits `last`."""
    found, inverse = int(hash_, 16), pow(0x100000001b3, -1, 1 << 64)
    for byte in reversed(int(last, 16).to_bytes(8, "little")):
        found = found * inverse % (1 << 64) ^ byte
    return f"{found:016x}"


class Continue(Case):
    """Two members, stopped as soon as they have checkpoints."""

    def plan(self, folder, *args, code=0, dem=None, **parts):
        """Plans an ensemble with a base of these parts, on a DEM of this size."""
        self.write_scenario("base.json", **{"vents": [VENT], "run": {"until": HOURS}} | parts)
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
            self.wait_for("a checkpoint of both", process, lambda: both <= set(self.stored(folder)))
            process.send_signal(how)
            self.assertNotEqual(process.wait(), 0)
        self.assertLessEqual(both, set(self.stored(folder)))

    def results(self, folder):
        rows = {int(row["id"]): row for row in case.read_rows(self.path(folder, "log.csv"))}
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
        self.assertEqual([line for line in said.splitlines() if not line.startswith("sciara: ") or line.count("sciara: ") > 1], [],
                         "messages of two threads are mixed")
        self.plan("fresh", dem=(30, 40))
        self.compute("fresh")
        self.assertEqual(self.results("d"), self.results("fresh"))

    def write_lava(self, thickness):
        case.write_grid(self.path("lava.asc"), lambda row, col: thickness if 10 < row < 14 and 20 < col < 25 else 0)

    def test_other_initial_lava(self):
        """The content of the rasters belongs to the plan: neither checkpoints nor batches are used with another one."""
        lava = {"initial": {"thickness": "lava.asc", "temperature": 1300}}
        self.write_lava(2.5)
        self.plan("d", **lava)
        self.begin("d")
        self.write_lava(1.5)
        said = self.compute("d", code=3)
        self.assertRegex(said, r"lava\.asc: expected the initial lava [0-9a-f]{16} of the plan, found [0-9a-f]{16}")
        self.assertEqual(self.stored("d"), ["0.checkpoint.h5", "1.checkpoint.h5"])
        self.assertIn("found another base, DEM, initial lava or batch size", self.plan("d", code=3, **lava).stderr)
        self.plan("d", "--overwrite", **lava)
        self.assertIn("found that of a member with other initial lava; the member starts from its beginning", self.compute("d"))
        self.plan("fresh", **lava)
        self.compute("fresh")
        self.assertEqual(self.results("d"), self.results("fresh"))
        self.write_lava(2.5)
        for args in (("run", "d"), ("plan", "e.json", "-o", "d", "--no-estimate", "--overwrite")):
            self.assertIn("initial lava", self.sciara("ensemble", *args, code=3).stderr)
        self.write_lava(1.5)
        self.assertIn("0 by this run", self.compute("d"))

    def test_a_plan_of_an_earlier_version(self):
        """It does not say what the rasters held: it is used as it is, also when it is planned again."""
        lava = {"initial": {"thickness": "lava.asc", "temperature": 1300}, "run": {"until": "1 h"}}
        self.write_lava(2.5)
        self.plan("d", **lava)
        path = self.path("d", "ensemble.json")
        plan = case.read_json(path)
        case.write_json(path, plan | {"hash": without(plan["hash"], plan.pop("initial_hash"))})
        self.compute("d")
        self.write_lava(1.5)
        self.assertIn("0 by this run", self.compute("d"))
        self.assertIn("holds the same members", self.plan("d", **lava).stderr)
        self.assertNotIn("initial_hash", case.read_json(path))
        self.assertIn("2 of 2 finished", self.sciara("ensemble", "status", "d").stdout)

    def write_junk(self, folder):
        """What writers that were killed have left, also of another host, and a process that was slower."""
        os.makedirs(self.path(folder, "members", "000000"), exist_ok=True)
        for name in ("0.h5.other-12-3.part", "1.checkpoint.h5.other-12-4.part", "0.checkpoint.h5", "1.h5"):
            case.write_bytes(self.path(folder, "members", "000000", name), b"part")

    def test_nothing_is_left(self):
        """When a batch is whole, the files of its members are removed; later ones by the next run."""
        self.plan("d", run={"until": "1 h"})
        self.write_junk("d")
        self.compute("d")
        self.assertEqual(os.listdir(self.path("d", "members")), [])
        self.write_junk("d")
        self.assertNotIn("begun", self.sciara("ensemble", "status", "d").stdout)
        self.assertIn("0 by this run", self.compute("d"))
        self.assertEqual(os.listdir(self.path("d", "members")), [])

    def test_a_slower_process(self):
        """Another process makes the batch and removes the folder of its members: nothing is stored there again."""
        self.plan("d")
        command = [case.PROGRAM, "ensemble", "run", "d", "-j", "2", "--checkpoint-every", "1e-9 wall"]
        with subprocess.Popen(command, cwd=self.work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            self.wait_for("a checkpoint", process, lambda: "0.checkpoint.h5" in self.stored("d"))
            process.send_signal(signal.SIGSTOP)
            try:
                self.compute("d")
                self.assertEqual(os.listdir(self.path("d", "members")), [])
                process.send_signal(signal.SIGCONT)
                time.sleep(0.2)  # it stores its members after each slice
                process.send_signal(signal.SIGINT)
                said = process.communicate(timeout=60)[1]
            finally:
                process.kill()
        self.assertIn(process.returncode, (0, 128 + signal.SIGINT), said)
        self.assertEqual(os.listdir(self.path("d", "members")), [])

    def test_a_plan_while_members_are_computed(self):
        """Another plan does not replace the one that a process works on; afterwards it does."""
        self.plan("d")
        command = [case.PROGRAM, "ensemble", "run", "d", "-j", "2", "--checkpoint-every", "1e-9 wall"]
        other = ["plan", "other.json", "-o", "d", "--no-estimate", "--overwrite"]
        case.write_json(self.path("other.json"), case.read_json(self.path("e.json")) | {
            "vary": [{"key": "model.relaxation", "values": [0.4, 0.41]}]})
        with subprocess.Popen(command, cwd=self.work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            self.wait_for("a checkpoint", process, lambda: "0.checkpoint.h5" in self.stored("d"))
            process.send_signal(signal.SIGSTOP)
            os.waitpid(process.pid, os.WUNTRACED)
            try:
                before = case.tree(self.path("d"))
                done = self.sciara("ensemble", *other, code=3)
                self.assertIn("d: a process computes members of the ensemble in this folder, or plans it; end it first", done.stderr)
                self.plan("d")  # the same one once more: only weights and results are replaced
                self.assertEqual(case.tree(self.path("d")), before)
            finally:
                process.kill()
        self.sciara("ensemble", *other)
        said = self.sciara("ensemble", "status", "d").stdout
        self.assertIn("0 of 2 finished", said)
        self.assertNotIn("begun", said)

    def test_the_log_of_another_plan(self):
        """Speed is that of members of this plan."""
        self.plan("d", run={"until": "1 h"})
        self.compute("d")
        self.assertRegex(self.sciara("ensemble", "status", "d").stdout, r"members/h \(2 in \d+ s, of the last hour\)")
        os.remove(self.path("d", "batches", "000000.h5"))
        self.plan("d", "--overwrite", run={"until": "2 h"})
        self.assertIn("no member in the last hour", self.sciara("ensemble", "status", "d").stdout)

    def test_the_stop_rule_leaves_no_checkpoints(self):
        """A member that it ends will not continue, and is not stored; one that was stored before is forgotten."""
        self.write_scenario("base.json", vents=[VENT | {"effusion": {"slot": "2 h", "rates_m3_s": [4]}}])
        case.write_json(self.path("e.json"), {
            "base": "base.json", "sample": {"method": "random", "count": 40, "seed": 1}, "batch_size": 8,
            "vary": [{"key": "model.relaxation", "values": [0.3, 0.31, 0.32]}],
            "stop": {"standard_error": 0.4, "thickness_m": 0}, "result": {"sites": [{"name": "v", "x": 500205, "y": 4177215}]}})
        self.sciara("ensemble", "plan", "e.json", "-o", "d", "--no-estimate")
        said = self.compute("d", "--checkpoint-every", "1e-9 wall")
        self.assertIn("the stop rule holds after 1 batch", said)
        self.assertEqual([n for n in self.stored("d") if "checkpoint" in n], [])
        self.assertNotIn("begun", self.sciara("ensemble", "status", "d").stdout)
