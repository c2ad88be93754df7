# SPDX-License-Identifier: Apache-2.0
"""`sciara run --profile`: the rows, their sums, that the results do not change, and what is refused."""
import csv
import os
import resource
import signal
import subprocess

import case
from case import ScenarioCase, record

COLUMNS = ["step", "time_s", "clock_s", "active_cells", "launched_threads", "eta", "vents_s", "time_evaluation_s",
           "flows_s", "mass_and_momentum_s", "temperature_s", "other_s", "timed_steps"]
PROCESSES = COLUMNS[6:12]
LONG = {"model": {"cooling": 0}}  # the lava stays liquid: any number of steps


class Profile(ScenarioCase):
    scenario = LONG

    def run_profiled(self, folder, *args, profile="p.csv", **options):
        self.run_scenario(folder, "--profile", profile, *args, **options)
        return self.rows(profile)

    def rows(self, name="p.csv"):
        with open(self.path(name), encoding="ascii", newline="") as f:
            rows = list(csv.reader(f))
        self.assertEqual(rows[0], COLUMNS)
        self.assertEqual({len(row) for row in rows}, {len(COLUMNS)}, "columns")
        return [dict(zip(COLUMNS, row)) for row in rows[1:]]

    def test_rows(self):
        for engine, threads in (("serial", 1), ("openmp", 1), ("openmp", 3)):
            with self.subTest(engine=engine, threads=threads):
                name = f"{engine}{threads}"
                rows = self.run_profiled(name, "-e", engine, "-t", threads, "-n", 450, "--profile-every", 100,
                                         profile=name + ".csv")
                self.assertEqual([row["step"] for row in rows], ["100", "200", "300", "400", "450"])
                self.assertEqual([row["timed_steps"] for row in rows], ["100"] * 4 + ["50"])
                self.assertEqual({(row["launched_threads"], row["eta"]) for row in rows}, {("", "")}, "no GPU threads")
                seconds = [[float(row[process]) for process in PROCESSES] for row in rows]
                self.assertTrue(all(s >= 0 for row in seconds for s in row))
                self.assertTrue(all(sum(row) > 0 for row in seconds))
                total, compute = sum(map(sum, seconds)), record(self.path(name))["timing"]["compute_s"]
                self.assertLessEqual(total, compute)
                if not case.SANITIZED and threads == 1:  # the rest is the stop rule and other processes
                    self.assertGreater(total, 0.2 * compute)

    def test_states(self):
        """A row contains the values of a snapshot at the same step."""
        rows = self.run_profiled("long", "-n", 300, "--profile-every", 100)
        for row in rows:
            folder = self.run_scenario("at" + row["step"], "-n", row["step"])
            state = record(folder)["state"]
            self.assertEqual(int(row["active_cells"]), state["liquid_cells"])
            self.assertEqual(float(row["time_s"]), state["time_s"])
            self.assertEqual(float(row["clock_s"]), state["clock_s"])
            data = case.open_snapshot(os.path.join(folder, record(folder)["snapshots"][-1]["name"]))
            self.assertEqual(int(row["active_cells"]), int((data["thickness"].values > 0).sum()))

    def test_results_do_not_change(self):
        self.write_scenario(output={"every": "5 min", "fields": case.FIELDS, "dtype": "float64"}, **LONG)
        for engine, threads in (("serial", 1), ("openmp", 3), ("checked", 1)):
            with self.subTest(engine=engine, threads=threads):
                options = ("-e", engine, "-t", threads, "-n", 300)
                plain = self.run_scenario("plain", "--overwrite", *options)
                self.run_profiled("profiled", "--overwrite", "--profile-every", 7, *options)
                profiled = self.path("profiled")
                self.assertEqual(record(profiled)["snapshots"], record(plain)["snapshots"])
                self.assertGreater(len(record(plain)["snapshots"]), 3)
                self.assertEqual(record(profiled)["ledger"], record(plain)["ledger"])

    def test_default_is_a_row_every_1000_steps(self):
        rows = self.run_profiled("out", "-n", 2000)
        self.assertEqual([row["step"] for row in rows], ["1000", "2000"])

    def test_an_engine_without_a_profile(self):
        rows = self.run_profiled("out", "-e", "checked", "-n", 20, "--profile-every", 10)
        self.assertEqual([row["step"] for row in rows], ["10", "20"])
        self.assertEqual([row["timed_steps"] for row in rows], ["0", "0"])
        self.assertEqual({row[process] for row in rows for process in PROCESSES}, {""})
        self.assertGreater(int(rows[1]["active_cells"]), 0)

    def test_an_existing_file(self):
        self.run_profiled("out", "-n", 20)
        before = case.tree(self.work)
        done = self.sciara("run", "s.json", "-q", "-o", "other", "--profile", "p.csv", code=3)
        self.assertEqual(done.stderr, "sciara: error: p.csv: already exists; --overwrite replaces it\n")
        self.assertEqual(case.tree(self.work), before)
        rows = self.run_profiled("out", "-n", 10, "--overwrite")
        self.assertEqual([row["step"] for row in rows], ["10"])

    def test_overwrite_replaces_only_a_profile(self):
        self.run_profiled("out", "-n", 20)
        before = case.tree(self.work)
        for name in ("s.json", "dem.asc", "out/run.json", "out/series.nc"):
            with self.subTest(name=name):
                done = self.sciara("run", "s.json", "-q", "-o", "out", "--profile", name, "--overwrite", code=3)
                self.assertEqual(done.stderr,
                                 f"sciara: error: {name}: is not a profile; --overwrite replaces only a profile\n")
                self.assertEqual(case.tree(self.work), before)

    def test_a_refused_run_keeps_the_earlier_profile(self):
        self.run_profiled("out", "-n", 20)
        os.mkdir(self.path("foreign"))
        case.write_text(self.path("foreign", "a.txt"), "mine\n")
        before = case.tree(self.work)
        self.sciara("run", "s.json", "-q", "-o", "foreign", "--profile", "p.csv", "--overwrite", code=3)
        self.assertEqual(case.tree(self.work), before)

    def test_no_room(self):
        if "thread" in os.environ.get("SCIARA_SANITIZE", ""):
            self.skipTest("ThreadSanitizer itself needs large files")
        done = self.sciara("run", "s.json", "-q", "-n", 10000, "--profile", "p.csv", "--profile-every", 1, code=4,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (400000,) * 2))
        self.assertEqual(done.stderr, "sciara: error: p.csv: cannot write: File too large\n")
        self.assertEqual(record(self.path("s.out"))["status"], "failed")

    def test_a_stopped_run_has_its_last_row(self):
        self.write_scenario(**case.ENDLESS)
        command = [case.PROGRAM, "run", "s.json", "-q", "-o", "out", "--profile", "p.csv", "--profile-every", "100"]
        with subprocess.Popen(command, cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as run:
            size = len(",".join(COLUMNS)) + 200
            self.wait_for("a row", run, lambda: os.path.exists(self.path("p.csv")) and os.path.getsize(self.path("p.csv")) > size)
            run.send_signal(signal.SIGINT)
        self.assertEqual(run.returncode, 130)
        rows = self.rows()
        self.assertEqual([int(row["step"]) for row in rows[:-1]], [100 * (k + 1) for k in range(len(rows) - 1)])
        self.assertEqual(int(rows[-1]["step"]), record(self.path("out"))["state"]["step"])
