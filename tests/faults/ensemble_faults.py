# SPDX-License-Identifier: Apache-2.0
"""`sciara ensemble run` on a full disk, after a loss of power and after SIGKILL: a batch with its final name is whole, and the
next run ends with the rasters of an undisturbed one."""
import errno
import os
import re
import shutil
import signal
import time

import bed
import case
import disk
import shim
import whole

IO = 4
RUN = ("ensemble", "run", "root/e", "-q", "--engine", "serial", "-j", "1")
STORED = RUN + ("--checkpoint-every", "1e-9 wall")  # members are stored after each slice
MEMBERS = 6
SITE = {"name": "vent", "x": 500200, "y": 4177220}


class Ensemble(bed.Bed):
    """Six members in three batches."""

    def setUp(self):
        super().setUp()
        effusion = {"slot": "5 min", "rates_m3_s": [4]}
        self.write_scenario("base.json", vents=[{"name": "v", "x": SITE["x"], "y": SITE["y"], "effusion": effusion}])
        values = [0.40 + 0.02 * k for k in range(MEMBERS)]
        case.write_json(self.path("e.json"), {
            "base": "base.json", "sample": {"method": "full"}, "batch_size": 2, "result": {"thickness_m": [0, 0.5], "sites": [SITE]},
            "vary": [{"key": "model.relaxation", "values": values}]})
        self.sciara("ensemble", "plan", "e.json", "-o", "root/e", "--no-estimate")
        self.planned = whole.load(self.path("root"))

    def restore(self, state):
        shutil.rmtree(self.path("root", "e"), ignore_errors=True)
        whole.save(state, self.path("root"))

    def compute(self, plan=None, command=STORED, **options):
        self.runs += 1
        run = shim.run if set(options) - {"log"} else shim.run_in_fork
        return run(command, self.work, self.path("root"), plan, **options)

    def rasters(self):
        self.sciara("ensemble", "reduce", "root/e", "--no-pictures", "--threads", "1")
        found = whole.load(self.path("root", "e"))
        return {name: data for name, data in found.items() if name.startswith("maps/") or name == "sites.csv"}

    def undisturbed(self, **options):
        outcome = self.compute(**options)
        self.assertEqual(outcome.code, 0, outcome.stderr)
        state = whole.load(self.path("root"))
        self.right = self.rasters()
        self.assertIn("maps/probability_0.5m.tif", self.right)
        return outcome, state

    def assert_continues(self, how):
        """Another run ends well, with the right rasters."""
        outcome = self.compute()
        self.assertEqual(outcome.code, 0, f"{how}, again\n{outcome.stderr}")
        found = self.rasters()
        self.assertEqual(sorted(found), sorted(self.right), how)
        self.assertEqual([name for name in found if found[name] != self.right[name]], [], how)

    def batches(self, state):
        return {name: data for name, data in state.items() if re.fullmatch(r"e/batches/\d{6}\.h5", name)}

    def test_full_disk(self):
        for command in (RUN, STORED):
            with self.subTest(command=command):
                self.restore(self.planned)
                self.fill_disk(command)

    def fill_disk(self, command):
        log = self.path("log")
        self.undisturbed(log=log, command=command)
        most = sum(len(record.data) for record in shim.read_log(log) if record.kind == "W")
        sizes = bed.pick(40, 4)
        left, full = set(), 0
        for k in range(sizes):
            self.restore(self.planned)
            size = most * k // sizes
            how = f"{size} of {most} bytes"
            outcome = self.compute(f"budget {size}", command=command)
            self.assert_lives(outcome, how, (0, IO))  # removed files make room
            if outcome.code:
                self.assertIn(os.strerror(errno.ENOSPC), outcome.stderr, how)
                full += 1
            left.add(len(self.batches(whole.load(self.path("root")))))
            self.assert_continues(how)
        if command == RUN:
            self.assertGreater(len(left), 1)
        self.assertGreater(full, sizes // 2 if command == RUN else 0)  # a checkpoint is removed with its member

    def test_power_loss(self):
        """The bytes of each batch are those that were given its name; on some of the disks, those with different files, the
        next run ends well."""
        log = self.path("log")
        self.undisturbed(log=log)
        seen, disks = {}, 0

        def look(number, description, files, announced, published):
            nonlocal disks
            del announced
            disks += 1
            how = f"power lost after call {number}, {description}"
            for name, data in self.batches(files).items():
                self.assertIn(data, published.get(name, ()), f"{how}: {name} contains bytes that never had that name")
            key = frozenset((name, data) for name, data in files.items() if name.endswith(".h5"))
            seen.setdefault(key, (how, files))

        disk.replay(shim.read_log(log), self.path("root"), look, bed.pick(20, 2), start=self.planned)
        self.assertGreater(disks, 100)
        states = list(seen.values())
        self.assertGreater(len(states), 10)
        self.assertTrue(any(self.batches(files) for _, files in states))
        for how, files in states[::max(1, len(states) // bed.pick(200, 4))]:
            self.restore(files)
            self.assert_continues(how)

    def test_a_result_replaces_a_checkpoint(self):
        """The checkpoint of a finished member is removed when its result is on the disk."""
        log = self.path("log")
        self.undisturbed(log=log)
        opened, synced, removed, early = {}, set(), 0, None
        for record in shim.read_log(log):
            if record.kind == "O":
                opened[record.fd] = record.path
            elif record.kind == "S":
                synced.add(opened[record.fd])
            elif record.kind == "R":
                synced.discard(record.path2)
                if record.path in synced:
                    synced.add(record.path2)
                if early is None and "/batches/" in record.path2:
                    early = removed
            elif record.kind == "U" and record.path.endswith(".checkpoint.h5"):
                removed += 1
                self.assertIn(record.path.replace(".checkpoint", ""), synced)
        self.assertGreater(removed, MEMBERS // 2)
        self.assertGreater(early, 0, "before the batch is whole")

    def test_killed_at_calls(self):
        """SIGKILL at a call that changes the disk, or in the middle of a write."""
        log = self.path("log")
        self.undisturbed(log=log)
        calls = [number for number, _, _ in shim.numbered(shim.read_log(log))]
        for n, k in enumerate(calls[::max(1, len(calls) // bed.pick(200, 4))]):
            self.restore(self.planned)
            how = f"{('kill', 'torn')[n % 2]} {k}"
            self.assert_killed(self.compute(how), how)
            self.assert_continues(how)

    def test_plan_killed_at_calls(self):
        """The next plan takes over what is left; the ensemble begins with a checkpoint."""
        self.run_scenario("run", "--steps", 20, "--checkpoint-every", "1 d", name="base.json")
        (name,) = os.listdir(self.path("run", "checkpoints"))
        case.write_json(self.path("e.json"), {**case.read_json(self.path("e.json")), "base": f"run/checkpoints/{name}"})
        command, log = ("ensemble", "plan", "e.json", "-o", "root/e", "--no-estimate"), self.path("log")
        self.restore({})
        self.assertEqual(self.compute(command=command, log=log).code, 0)
        right = whole.load(self.path("root"))
        calls = [number for number, _, _ in shim.numbered(shim.read_log(log))]
        taken = 0
        for n, k in enumerate(calls[::max(1, len(calls) // bed.pick(200, 15))]):
            self.restore({})
            how = f"{('kill', 'torn')[n % 2]} {k}"
            self.assert_killed(self.compute(how, command), how)
            outcome = self.compute(command=command)
            self.assertEqual(outcome.code, 0, f"{how}\n{outcome.stderr}")
            taken += "a plan that was interrupted" in outcome.stderr
            self.assertEqual(whole.load(self.path("root")), right, how)
        self.assertGreater(taken, 5)

    def test_killed_at_random(self):
        begin = time.monotonic()
        self.assertEqual(self.compute(after=lambda process: None).code, 0)
        wall = time.monotonic() - begin
        self.right = self.rasters()
        chance = bed.dice(26)
        killed, kills = 0, bed.pick(50, 3)
        for n in range(kills):
            self.restore(self.planned)
            delay = chance.uniform(n / kills, (n + 1) / kills) * 0.9 * wall

            def strike(process, delay=delay):
                time.sleep(delay)
                process.send_signal(signal.SIGKILL)

            how = f"kill {n} after {delay:.3f} s"
            code = self.compute(after=strike).code
            self.assertIn(code, (0, -signal.SIGKILL), how)
            killed += code != 0
            self.assert_continues(how)
        self.assertGreater(killed, kills // 2)
