# SPDX-License-Identifier: Apache-2.0
"""sciara compare: every exact engine is bit-identical to serial with any number of threads; what differs is named."""
import os
import re
import shutil

import case
import numpy
from case import SharedCase, record

ALL_FIELDS = case.all_fields()
STEPS = 300  # lava is liquid, has solidified in part, and has left the domain


class Compare(SharedCase):
    """serial, double: the reference of all; `other` has another rate, `single` another precision."""

    @classmethod
    def prepare(cls):
        output = {"fields": ALL_FIELDS, "dtype": "float64", "every": "20 min"}
        vents = [{"row": 26, "col": 20, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}},
                 {"line": [[500105, 4177205], [500145, 4177215]], "effusion": {"slot": 200, "rates_m3_s": [9]}}]
        case.write_scenario(cls.work, output=output, vents=vents, run={"max_steps": STEPS})
        for name, options in {"serial": [], "single": ["-p", "single"], "float32": ["--set", "output.dtype=float32"],
                              "other": ["--set", "vents.0.effusion.rates_m3_s=[4, 6.0001]"],
                              "fewer": ["--set", 'output.fields=["thickness", "max_thickness", "max_speed"]'],
                              "window": ["--set", "dem.window=[0, 0, 30, 39]"]}.items():
            cls.simulate(name, "-e", "serial", *options)

    @classmethod
    def simulate(cls, name, *options):
        case.run_program("run", "s.json", "-q", "-o", name, *options, cwd=cls.work)

    def rows(self, text):
        """{field: (type compared, cells that differ)} of the table that compare prints."""
        found = re.findall(r"(?m)^(\w+) +(float64|float32) +(\d+) ", text)
        return {name: (dtype, int(count)) for name, dtype, count in found}

    def test_the_run_is_worth_comparing(self):
        ledger = record(self.path("serial"))["ledger"]
        for part in ("liquid_m3", "solid_m3", "lost_m3"):
            self.assertGreater(ledger[part], 0, part)

    def test_engines_and_threads(self):
        engines = case.exact_engines()
        self.assertLessEqual({"serial", "openmp", "checked"}, set(engines))
        for precision, reference in (("double", "serial"), ("single", "single")):
            for engine in engines:
                for threads in (1, 2, 3, 7) if engine == "openmp" else (1,):
                    name = f"{engine}-{precision}-{threads}"
                    with self.subTest(run=name):
                        self.simulate(name, "-e", engine, "-p", precision, "-t", threads)
                        self.assert_identical(reference, name)
                        found = [(s["name"], s["checksum"]) for s in record(self.path(name))["snapshots"]]
                        expected = [(s["name"], s["checksum"]) for s in record(self.path(reference))["snapshots"]]
                        self.assertEqual(found, expected, "snapshots and their checksums")

    def test_every_field_is_compared(self):
        text = self.sciara("compare", "serial", "serial").stdout
        self.assertEqual(self.rows(text), {name: ("float64", 0) for name in ALL_FIELDS})

    def test_another_scenario_differs(self):
        text = self.sciara("compare", "serial", "other", code=1).stdout
        self.assertEqual(text.splitlines()[-1], "different")
        rows = self.rows(text)
        self.assertEqual(list(rows), ALL_FIELDS)
        for field in ("thickness", "temperature", "deposit"):
            self.assertGreater(rows[field][1], 0, f"cells of {field} that differ")
        first, second = re.search(r"checksum of the whole state: (\w{16}) and (\w{16}), different", text).groups()
        recorded = [record(self.path(name))["snapshots"][-1]["checksum"] for name in ("serial", "other")]
        self.assertEqual([first, second], recorded)

    def test_the_first_cell_that_differs(self):
        text = self.sciara("compare", "serial", "other", code=1).stdout
        a, b = (case.open_snapshot(self.path(name, f"snapshots/{STEPS:08d}.nc")).thickness.values[0]
                for name in ("serial", "other"))
        row, col = (int(axis[0]) for axis in (a != b).nonzero())
        self.assertRegex(text, rf"thickness +float64 +{(a != b).sum()} .* first in row {row}, column {col} \(x {case.WEST + 10 * col + 5}, y {case.NORTH - 10 * row - 5}\)\n")
        x, y = (case.open_snapshot(self.path(name, f"snapshots/{STEPS:08d}.nc")).deposit.values[0] > 0 for name in ("serial", "other"))
        self.assertIn(f"lava covers {100 * x.sum()} m2 in a, {100 * y.sum()} m2 in b: {100 * (x & y).sum()} m2 in both, "
                      f"{100 * (x & ~y).sum()} m2 in a alone, {100 * (y & ~x).sum()} m2 in b alone\n", text)
        found = re.search(r"thickness +float64 +\d+ +(\S+) +(\S+) +(\S+)", text).groups()
        jaccard = ((a > 0) & (b > 0)).sum() / ((a > 0) | (b > 0)).sum()
        self.assertAlmostEqual(float(found[0]) / abs(a - b).max(), 1, 5, "max abs")
        self.assertAlmostEqual(float(found[2]), jaccard, 6, "Jaccard")

    def test_what_is_no_value_differs_by_no_amount(self):
        """Where lava came in one run alone there is no difference of arrivals and temperatures; how many such cells there are is said."""
        self.simulate("short", "-e", "serial", "--set", "vents.0.effusion.rates_m3_s=[20, 20]")
        text = self.sciara("compare", "serial", "short", code=1).stdout
        data = [case.open_snapshot(self.path(name, record(self.path(name))["snapshots"][-1]["name"])) for name in ("serial", "short")]
        alone = []
        for field, missing in (("arrival_time", case.NODATA), ("temperature", 0), ("thickness", case.NODATA)):
            a, b = (values[field].values[0] for values in data)
            has = [(values != missing) & (values != case.NODATA) for values in (a, b)]
            both, one = has[0] & has[1], has[0] ^ has[1]
            most = abs(a - b)[both].max()
            line = re.search(rf"(?m)^{field} +float64 +(\d+) +(\S+) +(\S+) .*$", text)
            self.assertEqual(int(line[1]), (a != b).sum(), field)
            self.assertEqual(float(line[2]), float(f"{most:.6g}"), field)
            relative = (abs(a - b) / numpy.maximum(abs(a), abs(b)).clip(1e-300))[both].max()
            self.assertEqual(float(line[3]), float(f"{relative:.6g}"), field)
            self.assertEqual(re.findall(r"only one has a value in (\d+) cells?", line[0]), [str(one.sum())] if one.any() else [], field)
            alone.append(one.sum())
        self.assertGreater(min(alone[:2]), 0)

    def test_single_is_not_double(self):
        self.sciara("compare", "serial", "single", code=1)

    def test_tolerance(self):
        for tolerance, code in (("0", 1), ("1e-15", 1), ("1e9", 0)):
            with self.subTest(tolerance=tolerance):
                done = self.sciara("compare", "serial", "other", "--tolerance", tolerance, code=code)
                last = done.stdout.splitlines()[-1]
                self.assertEqual(last, "different beyond the tolerance" if code else "equal within the tolerance")
        self.sciara("compare", "serial", "serial", "--tolerance", "0")

    def test_tolerance_of_the_time(self):
        """Without lava only the time differs; the tolerance is relative to the first."""
        late = [{"row": 8, "col": 20, "start": "1 d", "effusion": {"slot": 60, "rates_m3_s": [5]}}]
        case.write_json(self.path("late.json"), case.scenario(vents=late))
        for name, steps in (("earlier", 2), ("later", 3)):
            self.sciara("run", "late.json", "-q", "-o", name, "--steps", steps)
        earlier, later = (record(self.path(name))["state"]["time_s"] for name in ("earlier", "later"))
        share = (later - earlier) / (0.5 * (earlier + later))  # relative to a time between the two
        for a, b, code in (("earlier", "later", 1), ("later", "earlier", 0)):
            last = self.sciara("compare", a, b, "--tolerance", share, code=code).stdout.splitlines()[-1]
            self.assertEqual(last, "different beyond the tolerance" if code else "equal within the tolerance")

    def test_invalid_tolerances(self):
        for tolerance in ("-1", "nan", "abc", "1e999"):
            with self.subTest(tolerance=tolerance):
                done = self.sciara("compare", "serial", "other", "--tolerance", tolerance, code=2)
                self.assertIn(f'--tolerance: expected a number >= 0, found "{tolerance}"', done.stderr)
                self.assertEqual(done.stdout, "")

    def test_rounded_files_of_the_same_state(self):
        """float32 against float64: the checksums are those of the state, the values are compared as float."""
        text = self.sciara("compare", "serial", "float32").stdout
        self.assertEqual(self.rows(text), {name: ("float32", 0) for name in ALL_FIELDS})

    def test_fields_that_one_lacks(self):
        text = self.sciara("compare", "serial", "fewer").stdout
        self.assertEqual(list(self.rows(text)), ["thickness", "max_thickness", "max_speed"])
        self.assertRegex(text, r"deposit +only in serial/snapshots/")

    def test_snapshots_and_folders(self):
        last = f"snapshots/{STEPS:08d}.nc"
        shutil.copy(self.path("serial", last), self.path("copy.nc"))
        for a, b in ((f"serial/{last}", "serial"), ("serial/", f"serial/{last}"), ("copy.nc", "serial")):
            with self.subTest(a=a, b=b):
                self.assert_identical(a, b)
        first = record(self.path("serial"))["snapshots"][0]
        text = self.sciara("compare", f"serial/{first['name']}", "serial", code=1).stdout
        self.assertIn(f"(step {first['step']}, ", text)

    def test_other_grids_are_refused(self):
        done = self.sciara("compare", "serial", "window", code=3)
        self.assertIn("different grids: 40 x 30 cells of 10 m, 39 x 30 of 10 m", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_what_is_missing(self):
        self.assertIn("none: cannot open", self.sciara("compare", "serial", "none", code=4).stderr)
        os.makedirs(self.path("bare"), exist_ok=True)
        self.assertIn("bare: is not a run folder", self.sciara("compare", "bare", "serial", code=3).stderr)
