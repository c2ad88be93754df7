# SPDX-License-Identifier: Apache-2.0
"""sciara calibrate with the designs morris and saltelli: the points, sensitivity.csv from evaluations.csv by NumPy, any
number of workers, resume, evaluations without a score, bad input."""
import math
import os
import shutil

import numpy

import case
from case import SharedCase

UNKNOWNS = [{"key": "model.cooling", "min": 20, "max": 400},
            {"key": "model.critical_height_vent_m", "min": 0.3, "max": 4, "log": True},
            {"key": "run.max_time", "min": 600, "max": 2400}]
PLACE = [{"key": "vents.0.x", "min": case.WEST + 100, "max": case.WEST + case.COLS * case.CELL + 5}, UNKNOWNS[0]]
PAIRS = [{"scenario": "s.json", "observed": "mapped.tif", "weight": 2},
         {"scenario": "s.json", "observed": "early.tif", "at": "10 min"}]
GROUPS = {"morris": 8, "saltelli": 32}
SALTELLI = ["first_order", "first_order_low", "first_order_high", "total", "total_low", "total_high"]
SEED = 3


def indices(a, b, changed):
    """First order and total: for each unknown (row, unknown) scores of A with its column of B."""
    both = numpy.concatenate([a, b])
    first = ((b - both.mean())[:, None] * (changed - a[:, None])).mean(axis=0) / both.var()
    return first, ((a[:, None] - changed) ** 2).mean(axis=0) / 2 / both.var()


class Sensitivity(SharedCase):
    @classmethod
    def prepare(cls):
        case.write_scenario(cls.work)
        case.write_scenario(cls.work, "place.json", vents=[{"x": case.WEST + 205, "y": case.NORTH - 85, "effusion": {
            "slot": "10 min", "rates_m3_s": [4, 6]}}], run={"max_time": "5 min"})
        for name, until in (("mapped", "30 min"), ("early", "10 min")):
            case.run_program("run", "s.json", "-q", "-o", name, "--set", f"run.until={until}", cwd=cls.work)
            case.run_program("export", name, "-q", "--format", "cog", "--output", f"{name}.tif", cwd=cls.work)
        for design, groups in GROUPS.items():
            cls.write(f"{design}.json", design, groups)
            case.run_program("calibrate", f"{design}.json", "-q", "-o", design, cwd=cls.work)

    @classmethod
    def write(cls, name, design, groups, **changes):
        unknowns = changes.get("unknowns", UNKNOWNS)
        value = {"pairs": PAIRS, "unknowns": unknowns, "design": design, "seed": SEED,
                 "budget": groups * (len(unknowns) + {"morris": 1, "saltelli": 2}[design]), **changes}
        case.write_json(os.path.join(cls.work, name), value)

    def evaluations(self, folder, design, unknowns=None):
        """Coordinates (group, point, unknown) from 0 to 1, and scores (group, point), NAN where there is none."""
        unknowns = unknowns or UNKNOWNS
        rows, columns = self.table(folder, "evaluations.csv"), []
        for unknown in unknowns:
            shape = math.log if unknown.get("log") else float
            low, high = shape(unknown["min"]), shape(unknown["max"])
            columns.append([(shape(float(row[unknown["key"]])) - low) / (high - low) for row in rows])
        size = len(unknowns) + {"morris": 1, "saltelli": 2}[design]
        scores = [float(row["score"] or "nan") for row in rows]
        return numpy.array(columns).T.reshape(-1, size, len(unknowns)), numpy.array(scores).reshape(-1, size)

    def check_table(self, folder, unknowns, used, count, values):
        """sensitivity.csv has these columns: (name, values of all unknowns), to the last digits."""
        rows = self.table(folder, "sensitivity.csv")
        self.assertEqual(list(rows[0]), ["unknown", used] + [name for name, _ in values])
        self.assertEqual([(row["unknown"], row[used]) for row in rows], [(unknown["key"], str(count)) for unknown in unknowns])
        for name, expected in values:
            found = [float(row[name]) for row in rows]
            numpy.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13, err_msg=name)

    def check_morris(self, folder, unknowns):
        """All numbers of a Morris design; the trajectories that have all scores."""
        points, scores = self.evaluations(folder, "morris", unknowns)
        levels = 3 * points
        numpy.testing.assert_allclose(levels, numpy.round(levels), atol=1e-9)
        steps, changes = numpy.round(numpy.diff(levels, axis=1)) / 3, numpy.diff(scores, axis=1)
        numpy.testing.assert_allclose(numpy.abs(steps).sum(axis=2), 2 / 3, err_msg="a step of one unknown")
        numpy.testing.assert_allclose(numpy.abs(steps).sum(axis=1), 2 / 3, err_msg="each unknown once")
        effects = (changes[:, :, None] * steps).sum(axis=1) / (2 / 3) ** 2
        whole = effects[~numpy.isnan(scores).any(axis=1)]
        self.check_table(folder, unknowns, "trajectories", len(whole), [
            ("mu", whole.mean(axis=0)), ("mu_star", numpy.abs(whole).mean(axis=0)), ("sigma", whole.std(axis=0, ddof=1))])
        return len(whole)

    def test_morris(self):
        self.assertEqual(self.check_morris("morris", UNKNOWNS), GROUPS["morris"])
        self.assertTrue(all(float(row["mu_star"]) > 0 for row in self.table("morris", "sensitivity.csv")))

    def test_saltelli(self):
        points, scores = self.evaluations("saltelli", "saltelli")
        count = GROUPS["saltelli"]
        for k in range(len(UNKNOWNS)):
            for i in range(len(UNKNOWNS)):
                numpy.testing.assert_allclose(points[:, 2 + k, i], points[:, 1 if i == k else 0, i], atol=1e-12)
            for matrix in (0, 1):  # a point in each of the intervals
                self.assertEqual(sorted((points[:, matrix, k] * count).astype(int)), list(range(count)))
        a, b, changed = scores[:, 0], scores[:, 1], scores[:, 2:]
        first, total = indices(a, b, changed)
        random = numpy.random.default_rng(SEED)
        drawn = [random.integers(count, size=count) for _ in range(1000)]
        again = numpy.array([indices(a[rows], b[rows], changed[rows]) for rows in drawn])
        low, high = numpy.percentile(again, [2.5, 97.5], axis=0)
        self.check_table("saltelli", UNKNOWNS, "rows", count, list(zip(SALTELLI, (
            first, low[0], high[0], total, low[1], high[1]))))
        self.assertGreater(total.max(), 0.3)

    def test_any_number_of_workers(self):
        for design in GROUPS:
            self.sciara("calibrate", f"{design}.json", "-q", "-o", f"{design}-1", "-j", "1")
            self.assertEqual(case.tree(self.path(f"{design}-1")), case.tree(self.path(design)))

    def test_resume(self):
        for design in GROUPS:
            whole = case.read_bytes(self.path(design, "evaluations.csv"))
            ends = [k for k, byte in enumerate(whole) if byte == ord("\n")]
            for size in (ends[-3] - 2, ends[-1] + 1):
                folder = f"{design}-{size}"
                os.makedirs(self.path(folder))
                shutil.copy(self.path(design, "calibration.json"), self.path(folder))
                case.write_bytes(self.path(folder, "evaluations.csv"), whole[:size])
                self.sciara("calibrate", f"{design}.json", "-q", "-o", folder, "--resume")
                self.assertEqual(case.tree(self.path(folder)), case.tree(self.path(design)), size)
        self.write("other.json", "morris", GROUPS["morris"], seed=4)
        self.assertIn("other.json: seed: expected 3 as when the calibration of morris began, found 4",
                      self.sciara("calibrate", "other.json", "-q", "-o", "morris", "--resume", code=3).stderr)

    def test_left_out(self):
        """A vent at the eastern bound lies outside the DEM."""
        pairs = [{"scenario": "place.json", "observed": "mapped.tif"}]
        self.write("left.json", "morris", 12, unknowns=PLACE, pairs=pairs)
        err = self.sciara("calibrate", "left.json", "-o", "left").stderr
        used = self.check_morris("left", PLACE)
        self.assertTrue(4 <= used < 12, used)
        self.assertIn(f"left/sensitivity.csv: {12 - used} of 12 trajectories are left out, for an evaluation of each has no score",
                      err)
        self.assertIn("it has no score", err)
        self.assertNotIn("counts as the worst", err)
        self.assertNotIn("no values", err)
        self.write("few.json", "saltelli", 32, unknowns=PLACE, pairs=pairs)
        err = self.sciara("calibrate", "few.json", "-o", "few").stderr
        used = int((~numpy.isnan(self.evaluations("few", "saltelli", PLACE)[1]).any(axis=1)).sum())
        self.assertTrue(0 < used < 32, used)
        rows = self.table("few", "sensitivity.csv")
        self.assertEqual(rows, [{"unknown": unknown["key"], "rows": str(used), **dict.fromkeys(SALTELLI, "")} for unknown in PLACE])
        self.assertIn(f"few/sensitivity.csv: {32 - used} of 32 rows are left out", err)
        self.assertIn(f"few/sensitivity.csv: no values, for which 32 rows with all scores are needed; {used} are there", err)

    def test_bad_input(self):
        for design, budget, message in (
                ("morris", 30, "a multiple of 4, the evaluations of a trajectory, at least 16; nearest: 28 or 32; found 30"),
                ("saltelli", 155, "a multiple of 5, the evaluations of a row, at least 160; nearest: 160; found 155"),
                ("saltelli", 999999, "a multiple of 5, the evaluations of a row, at least 160; nearest: 999995 or 1000000; found")):
            self.write("bad.json", design, 1, budget=budget)
            self.assertIn(f"bad.json: budget: expected {message}", self.sciara("calibrate", "bad.json", "-o", "bad", code=3).stderr)
        self.write("bad.json", "morris", 1, unknowns=UNKNOWNS[:2], budget=1000000)
        self.assertIn("at least 12; nearest: 999999; found 1000000",
                      self.sciara("calibrate", "bad.json", "-o", "bad", code=3).stderr)
        vents = [{"x": case.WEST + 205, "y": case.SOUTH + 105, "effusion": {"slot": "10 min", "rates_m3_s": [1]}}] * 10
        self.write_scenario("vents.json", vents=vents)
        many = [{"key": f"vents.{k // 2}.{'xy'[k % 2]}", "min": low, "max": low + 200}
                for k in range(19) for low in [(case.WEST, case.SOUTH)[k % 2] + 50]]
        self.write("bad.json", "saltelli", 32, unknowns=many, pairs=[{"scenario": "vents.json", "observed": "mapped.tif"}])
        self.assertIn('bad.json: unknowns: expected at most 18 with the design "saltelli"; found 19',
                      self.sciara("calibrate", "bad.json", "-o", "bad", code=3).stderr)
        self.write("bad.json", "morris", 4, population=8)
        self.assertIn('bad.json: population: expected it only with the design "cma-es"',
                      self.sciara("calibrate", "bad.json", "-o", "bad", code=3).stderr)
        self.assertFalse(os.path.exists(self.path("bad")))
