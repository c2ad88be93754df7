# SPDX-License-Identifier: Apache-2.0
"""sciara ensemble run: slices, workers, restarts and SIGKILL at random times give the same batches but for the seconds, and
the checksum of each member is that of `sciara run`. What belongs to another plan is refused."""
import os
import random
import shutil
import signal
import subprocess
import sys
import time

sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli", "lib")
import case
from case import Case

KILLS = 50 if os.environ.get("SCIARA_TORTURE") else 5
X, Y = 500200, 4177220
EVENTS = [{"name": "a", "weight": 3, "volume_m3": 9000, "duration": "30 min"},
          {"name": "b", "weight": 1, "slot": "15 min", "rates_m3_s": [4, 6]}]
VARY = [{"key": "model.relaxation", "values": [0.30 + 0.005 * k for k in range(40)]}]


def batches(folder):
    path = os.path.join(folder, "batches")
    return {name: case.read_bytes(path, name) for name in sorted(os.listdir(path)) if name.endswith(".h5")}


class Ensemble(Case):
    def prepare_test(self):
        effusion = {"slot": "10 min", "rates_m3_s": [4]}
        self.write_scenario("base.json", vents=[{"name": "v", "x": X, "y": Y, "effusion": effusion}])
        case.write_text(self.path("vents.csv"), "name,x,y,p\none,500200,4177220,1\ntwo,500100.5,4177150,3\n")
        case.write_json(self.path("e.json"), {"base": "base.json", "sample": {"method": "full"}, "events": EVENTS, "vary": VARY,
                                              "vents": {"table": "vents.csv", "weights": {"column": "p"}}})
        self.sciara("ensemble", "plan", "e.json", "-o", "plan", "--no-estimate")

    def folder(self, name):
        shutil.copytree(self.path("plan"), self.path(name))
        return self.path(name)

    def compute(self, name, *args, code=0):
        return self.sciara("ensemble", "run", name, *args, code=code)

    def assert_same_batches(self, folder, whole):
        """A difference of seconds is at most 8 bytes of each member, and 16 of the checksum of the table."""
        found = batches(folder)
        self.assertEqual(list(found), list(whole))
        for name, bytes_ in found.items():
            self.assertEqual(len(bytes_), len(whole[name]), name)
            differ = [k for k, (a, b) in enumerate(zip(bytes_, whole[name])) if a != b]
            clusters = sum(1 for a, b in zip(differ, differ[1:]) if b - a > 8 * 64) + 1  # the column, the checksum
            self.assertLessEqual(clusters, 2, name)
            self.assertLessEqual(len(differ), 8 * 80 + 16, name)
        self.assertEqual(os.listdir(os.path.join(folder, "members")), [])

    def test_any_way_gives_the_same(self):
        self.folder("one")
        self.compute("one", "-j", "1")
        whole = batches(self.path("one"))
        self.assertGreater(len(whole), 1)
        for name, runs in {"two": [["-j", "2"]], "seven": [["-j", "7"]],
                           "slices": [["--part", "2/2"], ["--members", "0-1"], ["--part", "1/2"], []],
                           "serial": [["--engine", "serial"]]}.items():
            self.folder(name)
            for args in runs:
                self.compute(name, *args)
            self.assert_same_batches(self.path(name), whole)
        log = {row["id"]: row for row in case.read_rows(self.path("one", "log.csv"))}
        for member in ("0", "77", "159"):
            self.sciara("ensemble", "member", "one", member, "--output", f"m{member}.json")
            run = case.record(self.run_scenario(f"run{member}", name=f"m{member}.json"))
            self.assertEqual(run["snapshots"][-1]["checksum"], log[member]["checksum"])
        self.assertIn("160 of 160 finished, 0 failed, 0 censored", self.sciara("ensemble", "status", "one").stdout)

    def test_two_processes_at_once(self):
        self.folder("one")
        self.compute("one")
        self.folder("both")
        both = [self.start("both", "-j", "2") for _ in range(2)]
        self.assertEqual([p.wait() for p in both], [0, 0])
        self.assert_same_batches(self.path("both"), batches(self.path("one")))

    def start(self, *args):
        return subprocess.Popen([os.environ["SCIARA_PROGRAM"], "ensemble", "run", *args], cwd=self.work,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_kills(self):
        self.folder("one")
        begin = time.monotonic()
        self.compute("one", "-j", "2")
        wall = time.monotonic() - begin
        whole = batches(self.path("one"))
        draw = random.Random(26)
        self.folder("killed")
        stored = set()
        for _ in range(KILLS):
            process = self.start("killed", "-j", "2")
            time.sleep(draw.uniform(0, 0.5 * wall))
            process.send_signal(signal.SIGKILL)
            process.wait()
            names = [n for _, _, files in os.walk(self.path("killed", "members")) for n in files if n.endswith(".h5")]
            made = os.path.isdir(self.path("killed", "batches"))
            now = {int(n[:-3]) for n in names}
            for name in batches(self.path("killed")) if made else ():
                now |= set(range(64 * int(name[:6]), min(64 * int(name[:6]) + 64, 160)))
            self.assertEqual(stored - now, set(), "a finished member was lost")
            stored = now
        self.compute("killed", "-j", "2")
        shutil.rmtree(self.path("killed", "members"), ignore_errors=True)  # parts of files that a kill has left
        os.makedirs(self.path("killed", "members"))
        self.assert_same_batches(self.path("killed"), whole)

    def test_a_damaged_member_is_computed_again(self):
        self.folder("one")
        self.compute("one")
        whole = batches(self.path("one"))
        self.folder("hurt")
        process = self.start("hurt", "-j", "2")
        place = self.path("hurt", "members", "000000")
        end = time.monotonic() + 60
        while time.monotonic() < end and not (os.path.isdir(place) and [n for n in os.listdir(place) if n.endswith(".h5")]):
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        for name in os.listdir(place):
            with open(os.path.join(place, name), "r+b") as f:
                f.truncate(1000)
        self.assertIn("is computed again", self.compute("hurt").stderr)
        for name in os.listdir(place) if os.path.isdir(place) else []:
            os.remove(os.path.join(place, name))
        self.assertEqual(list(batches(self.path("hurt"))), list(whole))

    def checkpoints(self, folder):
        return sorted(n for _, _, files in os.walk(self.path(folder, "members")) for n in files if n.endswith(".checkpoint.h5"))

    def test_a_long_member_continues(self):
        """Ended by SIGKILL and by Ctrl-C on its way, a member continues from its checkpoint, and its results are the same."""
        effusion = {"slot": "300 h", "rates_m3_s": [4]}
        self.write_scenario("long.json", vents=[{"name": "v", "x": X, "y": Y, "effusion": effusion}])
        case.write_json(self.path("l.json"), {"base": "long.json", "sample": {"method": "full"},
                                              "vary": [{"key": "model.relaxation", "values": [0.3, 0.31]}]})
        self.sciara("ensemble", "plan", "l.json", "-o", "plan", "--no-estimate", "--overwrite")
        self.folder("one")
        self.compute("one")
        self.folder("ended")
        for how, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
            before = {n: os.stat(self.path("ended", "members", "000000", n)).st_ino for n in self.checkpoints("ended")}
            process = self.start("ended", "-j", "2", "--checkpoint-every", "0.05 wall")
            end = time.monotonic() + 60
            while time.monotonic() < end and process.poll() is None:
                now = self.checkpoints("ended")
                try:
                    if len(now) == 2 and all(os.stat(self.path("ended", "members", "000000", n)).st_ino != before.get(n) for n in now):
                        break
                except FileNotFoundError:
                    pass
                time.sleep(0.01)
            process.send_signal(how)
            self.assertEqual(process.wait(), code)
            self.assertEqual(self.checkpoints("ended"), ["0.checkpoint.h5", "1.checkpoint.h5"])
        status = self.sciara("ensemble", "status", "ended").stdout
        self.assert_parts(status, "0 of 2 finished", "begun:    2 members continue from their checkpoints")
        info = self.sciara("info", "ended/members/000000/0.checkpoint.h5").stdout
        self.assertIn("member 0", info)
        self.assertIn("a member of an ensemble", self.sciara("run", "long.json", "--set",
                                                             'initial={"checkpoint": "ended/members/000000/0.checkpoint.h5"}',
                                                             "-o", "x", code=3).stderr)
        said = self.compute("ended", "-j", "2").stderr
        for member in range(2):
            self.assertRegex(said, f"member {member}: continues from step [1-9]")
        self.assertEqual(self.checkpoints("ended"), [])
        shutil.rmtree(self.path("ended", "members"), ignore_errors=True)  # parts of files that a kill has left
        os.makedirs(self.path("ended", "members"))
        self.assert_same_batches(self.path("ended"), batches(self.path("one")))

    def test_what_belongs_to_another_plan(self):
        self.folder("one")
        self.compute("one", "--part", "1/2")
        other = case.read_bytes(self.path("one", "batches", "000000.h5"))
        self.folder("two")
        os.makedirs(self.path("two", "batches"))
        case.write_bytes(self.path("two", "batches", "000001.h5"), other)
        self.assertIn("another row of members.csv", self.compute("two", code=3).stderr)
        os.remove(self.path("two", "batches", "000001.h5"))
        vary = [VARY[0] | {"values": [v + 0.001 for v in VARY[0]["values"]]}]  # the same ids
        case.write_json(self.path("o.json"), case.read_json(self.path("e.json")) | {"vary": vary})
        self.sciara("ensemble", "plan", "o.json", "-o", "other", "--no-estimate")
        self.compute("other", "--part", "1/2")
        shutil.copy(self.path("other", "batches", "000000.h5"), self.path("two", "batches", "000000.h5"))
        self.assertIn("found 64 that were computed with another row of members.csv: 0, 1, 2", self.compute("two", code=3).stderr)
        os.remove(self.path("two", "batches", "000000.h5"))
        case.write_bytes(self.path("two", "batches", "000001.h5"), other[:5000])
        self.assertIn("000001.h5", self.compute("two", code=3).stderr)
        for args, text in ((("--part", "3/2"), "1 <= I <= N"), (("--members", "5-2"), "A <= B"), (("-j", "0"), "1 to 4096"),
                           (("--checkpoint-every", "6 h"), "10 min wall"), (("--members", "900-999"), "ids of members from 0 to 159"), (("--engine", "nonsense"), "nonsense")):
            self.assertIn(text, self.compute("one", *args, code=2).stderr)
