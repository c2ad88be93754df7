# SPDX-License-Identifier: Apache-2.0
"""sciara bench and the records of serial: the file in the repository contains the results of serial, and a wrong record
gives no times."""
import csv
import os
import shutil
import tempfile

import case
from case import Case

RECORDS = os.path.join(case.SOURCE, "config", "bench-records.csv")
HERE = {key: value for key, value in os.environ.items() if key != "SCIARA_ETNA2006"}


def rows_of(path):
    """By everything that describes the computation, and the step."""
    rows = [tuple(row.values()) for row in case.read_rows(path)]
    return {row[:7]: row[7:] for row in rows}


class Records(Case):
    def prepare_test(self):
        for name in "config", "datasets":
            os.symlink(os.path.join(case.SOURCE, name), self.path(name))

    def bench(self, *args, code=0, env=None, **options):
        return self.sciara("bench", "-q", *args, code=code, env=env or HERE, **options)

    def expect_recorded_again(self, *args, precisions=("double", "single"), env=None):
        """The current results of serial are those in the file of the repository."""
        again = self.path("again.csv")
        for precision in precisions:
            self.bench("--record", again, "--precision", precision, *args, env=env)
        known, found = rows_of(RECORDS), rows_of(again)
        self.assertGreater(len(found), 0)
        for key, values in found.items():
            self.assertIn(key, known, "another problem: serial, a case or the format has changed")
            self.assertEqual(values, known[key], key)
        return found

    def test_the_quick_suite(self):
        found = self.expect_recorded_again("--suite", "quick")
        self.assertEqual({key[0] for key in found}, {"volcano", "plane", "dense", "sparse", "tight"})

    def test_etna(self):
        files = os.environ.get("SCIARA_ETNA2006")
        if not files:
            self.skipTest("SCIARA_ETNA2006 is not set")
        env = {**HERE, "SCIARA_ETNA2006": files}
        self.expect_recorded_again("--suite", "quick", "--cases", "etna", env=env)

    def spoilt(self, column, row, change):
        """A copy of the repository's file with one value of the last row of plane in the suite quick changed."""
        with open(RECORDS, encoding="utf-8", newline="") as f:
            rows = list(csv.reader(f))
        at = [k for k, values in enumerate(rows) if values[0] == "plane" and values[3] == "500" and values[4] == "double"]
        values = rows[at[row]]
        values[rows[0].index(column)] = change(values[rows[0].index(column)])
        path = self.path("spoilt.csv")
        with open(path, "w", encoding="utf-8", newline="") as f:
            csv.writer(f, lineterminator="\n").writerows(rows)
        return path

    def test_a_wrong_checksum_gives_no_time(self):
        wrong = self.spoilt("checksum", -1, lambda text: format(int(text, 16) ^ 1, "016x"))
        done = self.bench("--suite", "quick", "--cases", "plane", "--engines", "openmp", "--records", wrong, "--csv",
                          "b.csv", code=1)
        self.assertRegex(done.stdout, r"(?m)^  serial +- +FAILED +checksum [0-9a-f]{16}, recorded is [0-9a-f]{16}$")
        self.assertRegex(done.stdout, r"(?m)^  openmp +- +left out serial and the records disagree$")
        for row in case.read_rows(self.path("b.csv")):
            self.assertEqual((row["us_per_step"], row["cell_steps_per_s"], row["speedup"]), ("", "", ""))

    def test_a_problem_that_is_not_recorded(self):
        other = self.spoilt("problem", -1, lambda text: format(int(text, 16) ^ 1, "016x"))
        for args in ["--records", other], ["--no-records"]:
            done = self.bench("--suite", "quick", "--cases", "plane", "--engines", "openmp", *args)
            self.assertIn("verified against serial", done.stdout)
            self.assertRegex(done.stdout, r"(?m)^  openmp +- +verified ")

    def test_one_case_is_recorded_again_and_the_others_stay(self):
        shutil.copy(RECORDS, self.path("mine.csv"))
        self.bench("--suite", "quick", "--cases", "plane", "--record", "mine.csv")
        self.assertEqual(case.read_bytes(RECORDS), case.read_bytes(self.path("mine.csv")))
        spoilt = self.spoilt("checksum", -1, lambda text: "0" * 16)
        self.bench("--suite", "quick", "--cases", "plane", "--record", spoilt)
        self.assertEqual(case.read_bytes(RECORDS), case.read_bytes(spoilt))

    def test_an_installed_program_finds_the_file(self):
        prefix = tempfile.mkdtemp(dir=self.work)
        self.tool("cmake", "--install", os.environ["SCIARA_BUILD_DIR"], "--prefix", prefix)
        done = self.tool(os.path.join(prefix, "bin", "sciara"), "bench", "-q", "--suite", "quick", "--cases", "plane", "--engines", "serial",
                         cwd=prefix, env=HERE)
        self.assertIn("verified against records", done.stdout)

    def test_usage(self):
        for args, message in ((["--record", "r.csv", "--csv", "b.csv"], "--record and --csv contradict each other"),
                              (["--record", "r.csv", "--no-records"], "--record and --no-records contradict"),
                              (["--records", "r.csv", "--no-records"], "--records and --no-records contradict"),
                              (["--record", "r.csv", "--suite", "quick", "--steps", 33],
                               "expected multiples of 32 for etna, found a warm-up of 32 and repetitions of 33 steps"),
                              (["--seconds", -1], "--seconds: expected a whole number from 0 to 86400, found \"-1\"")):
            before = case.tree(self.work)
            done = self.bench(*args, code=2)
            self.assertIn(message, done.stderr)
            self.assertEqual([name for name in case.tree(self.work) if name not in before and name != "r.csv"], [])
        self.assertIn("none.csv: cannot open", self.bench("--records", "none.csv", code=4).stderr)
        case.write_text(self.path("bad.csv"), "plane\n")
        for option in "--records", "--record":
            self.assertIn("bad.csv:1: expected the header", self.bench(option, "bad.csv", code=3).stderr)
