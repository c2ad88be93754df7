# SPDX-License-Identifier: Apache-2.0
"""sciara bench: its report as a table, as CSV and as JSON; what it skips, with the reason; what it refuses."""
import csv
import os
import resource
import shutil

import case
from case import ScenarioCase, SharedCase

COLUMNS = ["case", "rows", "cols", "liquid_cells", "precision", "engine", "options", "class", "result", "repeats",
           "first_step", "steps", "us_per_step", "us_per_step_min", "us_per_step_max", "ns_per_cell_step",
           "ns_per_cell_step_min", "ns_per_cell_step_max", "cell_steps_per_s", "speedup", "host_bytes", "device_bytes",
           "peak_rss_bytes", "checksum", "reference", "why", "scaling", "loop_scaling", "over_tight", "date",
           "sciara", "git", "compiler", "hdf5", "gdal", "cpu", "cpu_mhz", "cores", "gpu", "gpu_driver", "gpu_mhz",
           "cuda_runtime"]
TIMES = COLUMNS[12:20]
HERE = {key: value for key, value in os.environ.items() if key != "SCIARA_ETNA2006"}


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.reader(f))
    assert rows[0] == COLUMNS, rows[0]
    assert {len(row) for row in rows} == {len(COLUMNS)}, "columns"
    return [dict(zip(COLUMNS, row)) for row in rows[1:]]


class QuickSuite(SharedCase):
    """The unchanged suite, without Etna."""

    @classmethod
    def prepare(cls):
        for name in "config", "datasets":
            os.symlink(os.path.join(case.SOURCE, name), os.path.join(cls.work, name))
        cls.done = case.run_program("bench", "-q", "--suite", "quick", "--threads", "1,2", "--csv", "b.csv", "--json",
                                    "b.json", cwd=cls.work, env=HERE)
        cls.rows = rows_of(os.path.join(cls.work, "b.csv"))
        cls.result = case.read_json(cls.work, "b.json")

    def test_cases(self):
        measured = [row for row in self.rows if row["result"] != "left out"]
        names = list(dict.fromkeys(row["case"] for row in measured))
        self.assertEqual(names, ["volcano", "plane", "dense", "tight", "sparse"])
        for name in names:
            rows = [row for row in measured if row["case"] == name]
            self.assertEqual(rows[0]["engine"], "serial")
            self.assertEqual([row["options"] for row in rows if row["engine"] == "openmp"], ["threads=1", "threads=2"])
            exact = {row["checksum"] for row in rows if row["class"] == "exact"}
            self.assertEqual(len(exact), 1)
            self.assertRegex(exact.pop(), "^[0-9a-f]{16}$")
        sizes = {row["case"]: (row["rows"], row["cols"], row["liquid_cells"]) for row in measured}
        self.assertEqual(sizes["dense"], ("192", "192", str(190 * 190)))
        self.assertEqual(sizes["sparse"], ("1024", "1024", "1024"))
        self.assertEqual(sizes["tight"], ("176", "96", "1024"))
        self.assertEqual(sizes["volcano"][:2], ("378", "517"))

    def test_numbers(self):
        for row in self.rows:
            if row["result"] == "left out":
                continue
            self.assertEqual((row["result"], row["repeats"], row["why"], row["reference"]),
                             ("verified", "5", "", "record"))
            value = {name: float(row[name]) for name in TIMES}
            for name in "us_per_step", "ns_per_cell_step":
                self.assertTrue(0 < value[name + "_min"] <= value[name] <= value[name + "_max"], row)
            self.assertEqual(bool(row["over_tight"]), row["case"] == "sparse")
            self.assertEqual(bool(row["scaling"]), row["engine"] == "openmp")
            self.assertAlmostEqual(value["cell_steps_per_s"] * value["ns_per_cell_step"] / 1e9, 1, 6)
            if row["engine"] == "serial":
                self.assertEqual(value["speedup"], 1)
            # lava on every cell: a step has at least that many cell-steps
            if row["case"] == "dense":
                self.assertLess(value["ns_per_cell_step_min"], 1000 * value["us_per_step_min"] / (190 * 190) * 1.01)
            self.assertGreater(int(row["host_bytes"]), 0)
            self.assertGreater(int(row["peak_rss_bytes"]), 1000000)

    def test_what_is_skipped_is_reported(self):
        self.assertIn("etna: left out: SCIARA_ETNA2006 is not set", self.done.stdout)
        self.assertEqual([row["case"] for row in self.rows if row["result"] == "left out" and not row["engine"]], ["etna"])
        self.assertIn("SCIARA_ETNA2006", self.result["cases"][0]["left_out"])
        here = self.sciara("engines").stdout
        for absent in self.result["engines_left_out"]:
            self.assertNotRegex(here, f"(?m)^{absent['engine']} +yes")
            self.assertIn("is not available", absent["why"])

    def test_ratios(self):
        sparse, tight = (next(c for c in self.result["cases"] if c["case"] == name) for name in ("sparse", "tight"))
        for a, b in zip(sparse["engines"], tight["engines"]):
            ratio = a["ns_per_cell_step"]["median"] / b["ns_per_cell_step"]["median"]
            self.assertAlmostEqual(a["over_tight"] / ratio, 1, 6)
            if a["class"] == "exact":
                self.assertEqual(a["cell_steps"], b["cell_steps"], "the same lava")
        one, two = (next(e for e in sparse["engines"] if e["options"] == f"threads={n}") for n in (1, 2))
        self.assertEqual((one["scaling"], one["loop_scaling"]), (1, 1))
        self.assertAlmostEqual(two["scaling"] * one["cell_steps_per_s"] / two["cell_steps_per_s"], 1, 6)
        self.assertAlmostEqual(two["loop_scaling"] * one["loop_per_s"] / two["loop_per_s"], 1, 6)
        lines = self.done.stdout.splitlines()
        self.assertIn("sparse divided by tight, ns per cell-step", lines)
        self.assertIn("dense: scaling relative to the fewest threads, compared with a loop that stays in registers", lines)


class Bench(ScenarioCase):
    scenario = {"model": {"cooling": 0}}

    def bench(self, *args, code=0, **options):
        return self.sciara("bench", "-q", "--suite", "quick", *args, code=code, env=HERE, **options)

    def refused(self, message, *args, code):
        before = case.tree(self.work)
        done = self.bench(*args, code=code)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(case.tree(self.work), before)

    def test_a_scenario(self):
        self.bench("s.json", "--start", 300, "--steps", 20, "--repeats", 7, "--engines", "openmp:threads=2,checked",
                   "--precision", "single", "--csv", "b.csv")
        rows = rows_of(self.path("b.csv"))
        self.assertEqual([(row["case"], row["engine"], row["options"]) for row in rows],
                         [("s.json", "serial", ""), ("s.json", "openmp", "threads=2"), ("s.json", "checked", "")])
        for row in rows:
            self.assertEqual((row["precision"], row["repeats"], row["steps"], row["first_step"], row["result"]),
                             ("single", "7", "20", "332", "verified"))

    def test_programs_of_path_and_folder_are_not_run(self):
        self.write("sciara-bench", "#!/bin/sh\necho wrong\n")
        os.chmod(self.path("sciara-bench"), 0o755)
        shutil.copy(case.PROGRAM, self.path("sciara"))
        env = {**HERE, "PATH": f"{self.work}:{os.environ['PATH']}"}
        self.assertIn("usage: sciara bench", self.sciara("help", "bench", env=env).stdout)
        done = self.tool(self.path("sciara"), "bench", "--help", env=env, code=4)
        self.assertEqual((done.stdout, done.stderr.split("; ")[1:]), ("", ["'sciara bench' is this program, of the package sciara\n"]))

    def test_the_checksum_is_that_of_a_run(self):
        self.bench("s.json", "--start", 100, "--steps", 10, "--engines", "serial", "--csv", "b.csv")
        self.run_scenario("out", "--engine", "serial", "--steps", 100 + 32 + 50)
        self.assertEqual(rows_of(self.path("b.csv"))[0]["checksum"],
                         case.record(self.path("out"))["snapshots"][-1]["checksum"])

    def test_usage(self):
        for option, value, message in (("--repeats", 4, "expected a whole number from 5 to 99"),
                                       ("--repeats", 100, "expected a whole number from 5 to 99"),
                                       ("--steps", 0, "expected a whole number >= 1"),
                                       ("--start", "-1", "expected a whole number >= 0"),
                                       ("--precision", "half", "expected double or single"),
                                       ("--threads", "1,many", 'expected whole numbers from 0 to 1024, separated by commas; found "many"')):
            self.refused(message, option, value, code=2)
        self.refused('or threads=0 to 1024', "--engines", "openmp:thread=2", code=2)
        self.refused('found the engine option "boxes=9"', "--engines", "serial:boxes=9", code=2)
        self.refused('"openmp" has no option memory', "--engines", "openmp:memory=shared", code=2)
        self.refused('"serial" has no option threads', "--engines", "serial:threads=2", code=2)

    def test_files(self):
        self.bench("s.json", "--engines", "serial", "--csv", "b.csv")
        self.refused("b.csv: already exists; --overwrite replaces it", "s.json", "--csv", "b.csv", code=3)
        case.write_json(self.path("b.json"), {})
        self.refused("b.json: already exists; --overwrite replaces it", "s.json", "--json", "b.json", code=3)
        self.bench("s.json", "--engines", "serial", "--csv", "b.csv", "--json", "b.json", "--overwrite")
        self.assertEqual(len(rows_of(self.path("b.csv"))), 1)
        done = self.bench("s.json", "--csv", "none/b.csv", code=4)
        self.assertIn("none/b.csv", done.stderr)
        self.assertEqual(done.stdout, "", "it is reported before anything is measured")

    def test_no_room_in_memory(self):
        if case.SANITIZED:
            self.skipTest("a sanitizer maps more than the limit")
        limit = 3 << 30
        done = self.bench("--suite", "cpu", "--cases", "dense,sparse", code=3,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit,) * 2))
        self.assertRegex(done.stdout, "(?m)^dense: left out: .*memory")
        self.assertRegex(done.stdout, "(?m)^sparse: left out: .*memory")
