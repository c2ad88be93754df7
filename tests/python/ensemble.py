# SPDX-License-Identifier: Apache-2.0
"""Ensembles: planned, computed with progress and Ctrl-C, reduced, their maps, members and answers; wrong use."""
import json
import math
import os
import re
import subprocess

import setup
import batches
import case
from quantile import student

import numpy

import sciara
from sciara import ensemble

X, Y = setup.VENT_XY
FILE = {
    "base": "base.json", "sample": {"method": "full"},
    "vents": {"table": "vents.csv", "weights": {"column": "p"}},
    "events": [{"name": "small", "weight": 3, "volume_m3": 2000, "duration": "10 min"},
               {"name": "large", "weight": 1, "volume_m3": 9000, "duration": "20 min"}],
    "vary": [{"key": "model.relaxation", "values": [0.4, 0.5]}],
    "result": {"thickness_m": [0, 0.5], "within": ["30 min"]}}
VENTS = f"name,x,y,p\nupper,{X},{Y},1\nlower,{X},{Y - 50},3\n"
MEMBERS = 8


def write_files(folder, **base):
    vents = [{"x": X, "y": Y, "effusion": {"slot": "10 min", "rates_m3_s": [4]}}]
    case.write_scenario(folder, "base.json", **{"vents": vents, **base})
    case.write_json(os.path.join(folder, "e.json"), FILE)
    case.write_text(os.path.join(folder, "vents.csv"), VENTS)


class Finished(case.SharedCase):
    @classmethod
    def prepare(cls):
        write_files(cls.work)
        cls.planned = ensemble.plan(os.path.join(cls.work, "e.json"), os.path.join(cls.work, "e"))
        cls.before = cls.planned.status()
        cls.seen = []
        cls.after = cls.planned.run(cls.seen.append, workers=2)
        cls.planned.reduce()

    def test_status(self):
        self.assertEqual((self.before.total, self.before.finished, self.before.to_go), (MEMBERS, 0, None))
        self.assertEqual((self.after.finished, self.after.now, self.after.failed, self.after.censored),
                         (MEMBERS, MEMBERS, 0, 0))
        self.assertEqual(self.seen[-1].finished, MEMBERS)
        self.assertEqual(self.planned.status().finished, MEMBERS)
        self.assertEqual(self.planned.run(False, first=0, last=MEMBERS - 1, part=(1, 1)).now, 0, "none twice")
        self.assertEqual(ensemble.open(self.planned.folder).status(), self.planned.status())
        self.assertIn("8 of 8 members", repr(self.planned))

    def test_members(self):
        table = self.planned.members
        self.assertEqual(table["id"], list(range(MEMBERS)))
        self.assertAlmostEqual(sum(table["weight"]), 1)
        self.assertEqual(sorted(set(table["model.relaxation"])), [0.4, 0.5])
        self.assertEqual({len(column) for column in table.values()}, {MEMBERS})
        of_small = [weight for weight, event in zip(table["weight"], table["event"]) if event == 0]
        self.assertAlmostEqual(sum(of_small), 0.75)

    def test_weights_after_an_observation(self):
        planned, path = self.planned.members["weight"], self.path("e", "weights-observed.csv")
        rows = (f"{k},{k + 0.5},{weight!r},\n" for k, weight in enumerate(planned))
        case.write_text(path, "# members weighted by hand\nid,weight,planned_weight,jaccard\n" + "".join(rows))
        try:
            self.assertEqual(self.planned.members["weight"], [k + 0.5 for k in range(MEMBERS)])
        finally:
            os.remove(path)
        self.assertEqual(self.planned.members["weight"], planned)

    def test_maps_and_answers(self):
        try:
            import netCDF4  # noqa: F401  # pylint: disable=unused-import
        except ImportError:
            self.skipTest("python3-netcdf4 is not installed (tools/setup --tests)")
        hazard = self.planned.hazard
        self.assertEqual(hazard.probability_0m.dims, ("y", "x"))
        self.assertEqual(hazard.reached_within_30min.long_name, "probability that lava arrives within 30 min")
        self.assertEqual(hazard.probability_0m.shape, (case.ROWS, case.COLS))
        self.assertIn("crs_wkt", hazard.crs.attrs)
        self.assertEqual(hazard.arrival_first.dtype.kind, "f", "seconds, not a time of xarray")
        self.assertTrue(math.isnan(hazard.probability_0m.values[0, 0]), "the sea")
        for x, y in ((X, Y), (X, Y - 50), (X + 20, Y - 80), (X + 60, Y)):
            at, answer = hazard.sel(x=x, y=y), self.planned.query(x, y)
            self.assertEqual([p.limit for p in answer.thickness], [0, 0.5])
            self.assertAlmostEqual(answer.thickness[0].value, float(at.probability_0m), places=6)
            self.assertAlmostEqual(answer.thickness[1].value, float(at.probability_0p5m), places=6)
            self.assertEqual(answer.thickness[0].hits, int(at.hits))
            if answer.thickness[0].hits:
                self.assertAlmostEqual(answer.earliest, float(at.arrival_first), places=2)
                self.assertAlmostEqual(sum(c.share for c in answer.by_both), 1)
            else:
                self.assertTrue(math.isnan(answer.earliest))

    def test_query(self):
        """At the lower vent: all of its members, and those of the upper one that flow there."""
        answer = self.planned.query(X, Y - 50)
        self.assertEqual((answer.members, answer.finished, answer.censored), (MEMBERS, MEMBERS, 0))
        lower, = (c for c in answer.by_vent if c.vent == "lower")
        self.assertEqual((lower.event, lower.members, lower.hits, lower.probability), ("-", 4, 4, 1))
        self.assertAlmostEqual(lower.weight, 0.75)
        self.assertEqual([c.event for c in answer.by_event], ["small", "large"])
        self.assertAlmostEqual(sum(c.weight * c.probability for c in answer.by_event), answer.thickness[0].value)
        self.assertEqual(answer.within[0].limit, 1800)
        self.assertTrue(answer.grid_difference)
        self.assertTrue(math.isnan(answer.zero_bound) and all(map(math.isnan, answer.thickness[0].interval)))
        upper = sum(c.share for c in answer.by_vent if c.vent == "upper") * answer.thickness[0].value / 0.25
        self.assertAlmostEqual(answer.thickness[0].error, abs(1 - upper) / 2, msg="half of the difference of the two vents")
        self.assertEqual(answer.years, (), "no rates of eruptions")
        nothing = self.planned.query(case.WEST + 5, case.SOUTH + 5)
        self.assertEqual((nothing.thickness[0].value, nothing.by_vent, nothing.by_both), (0, (), ()))

    def test_where_no_member_can_come(self):
        """In the sea, whose cells take lava and keep none, and without an altitude: neither an answer nor a value in a map."""
        self.assertTrue(case.is_sea(0, 0))
        level = case.altitude(case.VENT[0] + 8, case.VENT[1])
        write_files(self.work, dem={"path": "dem.asc", "crs": "EPSG:32633", "sea": level})
        planned = ensemble.plan(self.path("e.json"), self.path("coast"))
        planned.run(False)
        cells = {int(cell) for f in batches.members(self.path("coast")) for cell in f["cell"]}
        wet = [cell for cell in sorted(cells) if case.altitude(*divmod(cell, case.COLS)) <= level]
        self.assertTrue(wet, "lava enters the sea")
        for of, cell, text in ((planned, wet[0], "which lies in the sea, on which no lava stays: no member can reach it"),
                               (self.planned, 0, r"which lies where the DEM has no altitude \(NODATA\): no member can reach it")):
            x, y = case.WEST + case.CELL * (cell % case.COLS + 0.5), case.NORTH - case.CELL * (cell // case.COLS + 0.5)
            with self.assertRaisesRegex(sciara.InputError, f"expected a place on land, found x {x:.10g}, y {y:.10g}, {text}"):
                of.query(x, y)

    def test_expose(self):
        """Of a place of a file the answer is that of its point, without contributions."""
        case.write_features(self.path("places.geojson"), ({"name": "vent"}, "Point", [X, Y - 50]), ({"name": "far"}, "Point", [0, 0]))
        near, far = self.planned.expose(self.path("places.geojson"))
        self.assertEqual((near.name, near.kind, near.state), ("vent", "point", "land"))
        self.assertEqual((far.name, far.state, far.answer), ("far", "outside", None))
        answer = self.planned.query(X, Y - 50)
        self.assertEqual((near.answer.thickness[0].value, near.answer.thickness[0].hits, near.answer.earliest, near.answer.within[0].value),
                         (answer.thickness[0].value, answer.thickness[0].hits, answer.earliest, answer.within[0].value))
        self.assertEqual((near.answer.by_vent, near.answer.by_both), ((), ()))

    def test_verify(self):
        """All that the program prints as JSON."""
        case.write_cells(self.path("mapped.json"), [[12 <= row < 20 and 15 <= col < 25 for col in range(case.COLS)] for row in range(case.ROWS)])
        judged = self.planned.verify(self.path("mapped.json"), at=1800)
        found = json.loads(self.sciara("verify", "e", "--observed", "mapped.json", "--at", "30 min", "--json", "-q").stdout)
        self.assertEqual((judged.at, judged.date, judged.chosen, judged.beyond_start, judged.condition), (1800, None, "given", None, found["condition"]))
        said = [[math.nan if value is None else value for value in one.values()] for one in found["all"].pop("said")]
        numpy.testing.assert_array_equal([list(vars(one).values()) for one in judged.all.said], said)
        self.assertEqual([vars(one) for one in (judged.area, judged.run_out)], [found["area_m2"], found["run_out_m"]])
        self.assertEqual({key: getattr(judged.all, key) for key in found["all"]}, found["all"])
        self.assertEqual(self.planned.verify(self.path("mapped.json"), region=self.path("mapped.json")).all.cells, 80)
        with self.assertRaisesRegex(sciara.UsageError, "at: expected a time above 0"):
            self.planned.verify(self.path("mapped.json"), at=0)

    def test_same_as_the_program(self):
        """Both make the same table of sites."""
        shown = self.sciara("ensemble", "query", "e", "--at", f"{X},{Y - 50}").stdout
        answer = self.planned.query(X, Y - 50)
        self.assertIn(f"{100 * answer.thickness[0].value:.2f} %", shown)
        self.assertEqual([row["model.relaxation"] for row in case.read_rows(self.path("e", "members.csv"))],
                         [str(value) for value in self.planned.members["model.relaxation"]])


class Drawn(case.SharedCase):
    """An answer of drawn members, of which some failed and some are censored, is what their footprints and weights say."""

    ZONE = [[X - 50, Y - 100], [X + 50, Y - 100], [X + 50, Y - 25], [X - 50, Y - 25]]  # around "lower"
    LIMITS, TIMES, YEARS = (0, 0.5, 4), (1800, 36000), (10, 50)
    LABELS = ("lava arrives", "max deposit above 0.5 m", "max deposit above 4 m", "lava arrives within 30 min", "lava arrives within 10 h")
    CORNER = {"x": case.WEST + 5, "y": case.SOUTH + 5}  # which no member reaches

    @classmethod
    def prepare(cls):
        write_files(cls.work)
        case.write_json(os.path.join(cls.work, "e.json"), {
            **FILE, "sample": {"method": "random", "count": 5, "seed": 3}, "vary": [],
            "result": {"thickness_m": cls.LIMITS, "within": cls.TIMES, "years": cls.YEARS, "sites": [{"name": "corner", **cls.CORNER}],
                       "eruptions_per_year": [{"name": "lower", "polygon": cls.ZONE, "rate": 0.03, "interval": [0.01, 0.2]},
                                                {"name": "all", "rate": 0.004}]}})
        cls.planned = ensemble.plan(os.path.join(cls.work, "e.json"), os.path.join(cls.work, "e"))
        subprocess.run([os.path.join(os.environ["SCIARA_BUILD_DIR"], "sciara_ensemble_synthetic"), cls.planned.folder, "150",
                        "--failed", "7", "--censored", "4"], check=True, stdout=subprocess.DEVNULL)
        table = cls.planned.members
        cls.w, cls.stratum, cls.lower = (numpy.array(table[name]) for name in ("weight", "stratum", "vent"))
        shape = len(cls.w), case.ROWS * case.COLS
        cls.arrival, cls.peak = numpy.full(shape, numpy.inf), numpy.zeros(shape)
        cls.done, cls.end = numpy.zeros(len(cls.w), bool), numpy.full(len(cls.w), numpy.inf)
        for f in batches.members(cls.planned.folder):
            member, cells = f["id"], f["cell"]
            cls.done[member] = not f["failed"]
            if f["censored"]:
                cls.end[member] = f["end_s"]
            if cls.done[member]:
                cls.arrival[member, cells], cls.peak[member, cells] = f["arrival"], f["max_deposit"]
        cls.restored = cls.restore(numpy.ones(len(cls.w), bool))

    @classmethod
    def restore(cls, part):
        """Weights with which the finished members of a stratum have those of its failed ones; their sum is 1."""
        out = numpy.zeros(len(cls.w))
        for k in numpy.unique(cls.stratum[part]):
            whole = part & (cls.stratum == k)
            out[whole & cls.done] = cls.w[whole].sum() / (whole & cls.done).sum()
        return out / out.sum()

    def bounds(self, hit, until=numpy.inf, part=True):
        """H of some members, and its bounds: what failed and censored ones may do."""
        part = part & numpy.ones(len(self.w), bool)
        unsure = part & ~hit & (~self.done | (self.end < until))
        share = self.w / self.w[part].sum()
        return self.restore(part) @ hit, share @ (hit & part), share @ (hit & part) + share @ unsure

    def interval(self, hit):
        largest, p, variance = self.restored.max(), self.restored @ hit, 0
        if not hit.any():
            return math.nan, 0, min(1, 3 * largest)
        for k in numpy.unique(self.stratum):
            drawn = self.done & (self.stratum == k)
            mean = hit[drawn].mean()
            variance += drawn.sum() / (drawn.sum() - 1) * (self.restored[drawn] ** 2 @ (hit[drawn] - mean) ** 2)
        if hit.sum() == self.done.sum():
            return 0, 1 - min(1, 3 * largest), 1
        t = student(int(self.done.sum() - len(numpy.unique(self.stratum))))
        v = t * t * (variance + largest ** 2) / (p * (1 - p))  # the ends x of Wilson: (x - p)^2 = v x (1 - x)
        low, high = sorted(numpy.roots([1 + v, -(2 * p + v), p * p]).real)
        return math.sqrt(variance), max(0, low), min(1, high)

    def check(self, found, hit, until=numpy.inf):
        error, *interval = self.interval(hit)
        numpy.testing.assert_allclose((found.value, found.low, found.high, found.error),
                                      (*self.bounds(hit, until), error), rtol=1e-10, atol=1e-12)
        numpy.testing.assert_allclose(found.interval, interval, rtol=1e-5, atol=1e-12)  # `student` has six digits
        self.assertEqual(found.hits, hit.sum())

    def check_years(self, found, hit):
        zones = ((0.03, 0.01, 0.2), self.lower == 1), ((0.004,) * 3, numpy.ones(len(self.w), bool))
        each = [self.bounds(hit & zone, part=zone) for _, zone in zones]
        rates = [sum(rate[k] * h[k] for (rate, _), h in zip(zones, each)) for k in range(3)]
        of_member = sum(rate[2] * self.restore(zone) for rate, zone in zones)
        bound = min(0.204, 3 * of_member.max())
        right = [1 - math.exp(-found.years * rate) for rate in (*rates, bound)]
        numpy.testing.assert_allclose((found.value, found.low, found.high, found.zero_bound), right, rtol=1e-9)
        self.assertEqual(found.hits, hit.sum())

    def test_answers(self):
        some = set()
        self.assertTrue(0 < (~self.done).sum() < 4 and (numpy.isfinite(self.end) & self.done).sum() > 2)
        for x, y in ((X, Y), (X, Y - 50), (X + 20, Y - 30), (X, Y + 25), (case.WEST + 5, case.SOUTH + 5)):
            cell = int((case.NORTH - y) / case.CELL) * case.COLS + int((x - case.WEST) / case.CELL)
            answer, arrival, peak = self.planned.query(x, y), self.arrival[:, cell], self.peak[:, cell]
            self.assertEqual((len(answer.thickness), len(answer.within)), (len(self.LIMITS), len(self.TIMES)))
            hits = [numpy.isfinite(arrival) & ((limit == 0) | (peak > limit)) for limit in self.LIMITS]
            for found, limit, hit in zip(answer.thickness, self.LIMITS, hits):
                self.assertEqual(found.limit, limit)
                self.check(found, hit)
                some.add("none" if not hit.any() else "all" if hit.sum() == self.done.sum() else "some")
            for found, until in zip(answer.within, self.TIMES):
                self.check(found, arrival <= until, until)
            self.assertEqual([(p.years, p.limit) for p in answer.years], [(t, m) for t in self.YEARS for m in self.LIMITS])
            for k, found in enumerate(answer.years):
                self.check_years(found, hits[k % len(hits)])
            self.assertFalse(answer.grid_difference)
            self.assertAlmostEqual(answer.zero_bound, min(1, 3 * self.restored.max()), places=12)
        self.assertEqual(some, {"none", "some", "all"})

    def test_same_as_the_program(self):
        """`sciara ensemble query` prints P_T and the intervals."""
        for x, y in ((X, Y - 50), (case.WEST + 5, case.SOUTH + 5)):
            said, answer = self.sciara("ensemble", "query", "e", "--at", f"{x},{y}").stdout, self.planned.query(x, y)
            for p in answer.years:
                above = f" above {p.limit:g} m" if p.limit else ""
                if p.hits > 0:
                    self.assertRegex(said, rf"in {p.years:g} years{above} +{100 * p.value:.2f} % "
                                           rf"\({100 * p.low:.2f} to {100 * p.high:.2f} %\)\n")
                else:
                    self.assertRegex(said, rf"in {p.years:g} years{above} +none of \d+ members \(95 % bound: {100 * p.zero_bound:.2f} %; "
                                           rf"with open and censored members up to {100 * p.high:.2f} %\)\n")
            for p in answer.thickness + answer.within:
                if p.hits:
                    self.assertIn(f"95 %: {100 * p.interval[0]:.2f} to {100 * p.interval[1]:.2f} %", said)

    def test_no_hit(self):
        """Where none arrives `query`, and `reduce` at a site, print the bound, from the weights, or that there is none; never a bare 0."""
        def lines(said):
            return [re.sub(" {2,}", ": ", line.strip()) for line in said.splitlines() if line.startswith("  ")]
        nothing = numpy.zeros(len(self.w), bool)
        highs = [self.bounds(nothing, until)[2] for until in (numpy.inf,) * 3 + self.TIMES]
        self.assertGreater(len(set(highs)), 1)
        drawn = [f"{label}: none of {self.done.sum()} members (95 % bound: {100 * min(1, 3 * self.restored.max()):.2f} %; "
                 f"with open and censored members up to {100 * high:.2f} %)" for label, high in zip(self.LABELS, highs)]
        clean = ensemble.plan(self.path("e.json"), self.path("clean"))
        subprocess.run([os.path.join(os.environ["SCIARA_BUILD_DIR"], "sciara_ensemble_synthetic"), clean.folder, "150"],
                       check=True, stdout=subprocess.DEVNULL)
        weights = numpy.array(clean.members["weight"])
        bound = 300 * weights.max() / weights.sum()
        whole = [f"{label}: none of {len(weights)} members (95 % bound: {bound:.2f} %)" for label in self.LABELS]
        case.write_json(self.path("full.json"), {**FILE, "result": {"thickness_m": self.LIMITS, "within": self.TIMES,
                                                                    "sites": [{"name": "corner", **self.CORNER}]}})
        full = ensemble.plan(self.path("full.json"), self.path("full"))
        subprocess.run([os.path.join(os.environ["SCIARA_BUILD_DIR"], "sciara_ensemble_synthetic"), full.folder, "150"],
                       check=True, stdout=subprocess.DEVNULL)
        every = [f"{label}: none of {MEMBERS} members, no bound" for label in self.LABELS]
        for folder, expected in (("e", drawn), ("clean", whole), ("full", every)):
            asked = lines(self.sciara("ensemble", "query", folder, "--at", "{x},{y}".format(**self.CORNER)).stdout)
            self.assertEqual(asked[:len(expected)], expected, folder)
            made = lines(self.sciara("ensemble", "reduce", folder, "--no-pictures").stdout)
            self.assertEqual(made[:len(expected)], expected, folder)


class Use(case.Case):
    def plan(self, **base):
        write_files(self.work, **base)
        return ensemble.plan(self.path("e.json"), self.path("e"))

    def test_before_there_are_results(self):
        planned = self.plan()
        with self.assertRaisesRegex(sciara.UsageError, "call reduce"):
            planned.hazard  # pylint: disable=pointless-statement
        for call in (planned.reduce, lambda: planned.query(X, Y)):
            with self.assertRaisesRegex(sciara.InputError, "finished"):
                call()

    def test_a_function_that_raises(self):
        planned = self.plan(run={"until": "3000 d"}, model={"cooling": 0, "clock_max_s": 1})
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            planned.run(lambda now: 1 // (now.total - MEMBERS))
        self.assertLess(planned.status().finished, MEMBERS)

    def test_interrupted(self):
        planned = self.plan(run={"until": "3000 d"}, model={"cooling": 0, "clock_max_s": 1})
        setup.interrupt_after(0.5)
        with self.assertRaises(KeyboardInterrupt):
            planned.run(False)
        self.assertLess(planned.status().finished, MEMBERS)

    def test_wrong_use(self):
        planned = self.plan()
        for pattern, options in (("found one of them", {"first": 1}), (r"expected \(i, n\)", {"part": 2}),
                                 ("part 3 of 2", {"part": (3, 2)}), ("at least one part", {"part": (0, 0)}),
                                 ("first_id <= last_id", {"first": 3, "last": 2}), ("workers", {"workers": 5000}),
                                 ("whole number", {"workers": 1.5}), ("steam", {"engine": "steam"}),
                                 ("progress", {"progress": 3})):
            with self.assertRaisesRegex(sciara.UsageError, pattern):
                planned.run(**options)
        with self.assertRaisesRegex(sciara.UsageError, "threads"):
            planned.reduce(threads=5000)
        with self.assertRaisesRegex(sciara.UsageError, "x: expected a finite number"):
            planned.query(math.nan, 0)
        with self.assertRaises(sciara.FileError):
            ensemble.open(self.path("nowhere"))
        with self.assertRaises(sciara.FileError):
            ensemble.plan(self.path("nowhere.json"), self.path("f"))
        case.write_json(self.path("e.json"), {**FILE, "evnts": []})
        with self.assertRaisesRegex(sciara.InputError, "evnts"):
            ensemble.plan(self.path("e.json"), self.path("f"))
        self.assertFalse(os.path.exists(self.path("f")))
        case.write_json(self.path("e.json"), {**FILE, "vary": []})
        with self.assertRaises(sciara.InputError):
            ensemble.plan(self.path("e.json"), self.path("e"))
        self.assertEqual(ensemble.plan(self.path("e.json"), self.path("e"), overwrite=True).status().total, 4)
