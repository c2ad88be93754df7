# SPDX-License-Identifier: Apache-2.0
"""`sciara verify`: every number of it computed again with numpy from the footprints of members, with weights and a region; a case
computed by hand; times and dates; what is refused."""
import json
import os

import case
from case import CELL, COLS, ROWS, SharedCase

import batches
import h5py
import numpy as np

ZERO, UNTIL, AT = 1200, 7200, 3600  # s: of the outline with which members begin, of their end, of the time that is judged
MEMBERS, VARY = 12, [{"key": "rate_scale", "log_uniform": [0.3, 3]}, {"key": "model.cooling", "log_uniform": [40, 600]}]
LAND = np.array([[not case.is_sea(r, c) for c in range(COLS)] for r in range(ROWS)])
CLASSES = ["0 %", *(f"{10 * k} to {10 * k + 10} %" for k in range(10)), "100 %"]


def box(south, north, west, east):
    covered = np.zeros((ROWS, COLS), bool)
    covered[south:north, west:east] = True
    return covered


LAVA = box(9, 14, 17, 23)


def plan(work, name, base="base.json", count=MEMBERS, **more):
    case.write_json(os.path.join(work, f"{name}.json"), {"base": base, "vary": VARY, "sample": {"method": "random", "count": count, "seed": 3},
                                                         "result": {"thickness_m": [0], "within": ["40 min"]}, **more})
    case.run_program("ensemble", "plan", f"{name}.json", "-o", name, "--no-estimate", "-q", cwd=work)


def class_of(p):
    """The twelve classes: 0, nine tenths and their ends, 1."""
    k = np.searchsorted(np.arange(10, dtype=np.float32) / np.float32(10), p, side="right")
    return np.where(p == 0, 0, np.where(p == 1, 11, k))


def scores(p, still, observed, judged):
    of = class_of(p[judged])
    p, still, o = p[judged].astype(float), still[judged].astype(float), observed[judged].astype(float)
    likely, was, share = p >= 0.5, still >= 0.5, o.mean()
    jaccard = lambda mask: (mask & (o > 0)).sum() / (mask | (o > 0)).sum()
    brier = [((q - o) ** 2).mean() for q in (p, still, share)]
    found = {"cells": len(o), "observed_cells": o.sum(), "likely_cells": likely.sum(), "area_ratio": likely.sum() / o.sum(), "jaccard": jaccard(likely),
             "jaccard_nothing_moves": jaccard(was), "brier": brier[0], "brier_nothing_moves": brier[1], "brier_base_rate": brier[2],
             "skill_nothing_moves": 1 - brier[0] / brier[1], "skill_base_rate": 1 - brier[0] / brier[2],
             "sharpness": ((p < np.float32(0.1)) | (p > np.float32(0.9))).mean()}
    said = []
    for k in range(12):
        mean, share = (values[of == k].mean() if (of == k).any() else None for values in (p, o))
        said.append([max(0, k - 1) / 10, min(k, 10) / 10, (of == k).sum(), mean, share, bool((of == k).sum() >= 200 and abs(mean - share) > 0.2)])
    return found, said


def rank(values, weight, observed):
    order = np.argsort(values, kind="stable")
    median = values[order][np.searchsorted(np.cumsum(weight[order]), 0.5 - 1e-9)]
    return [observed, values.min(), median, values.max(), weight[values < observed].sum(), weight[values == observed].sum()]


class Verify(SharedCase):
    @classmethod
    def prepare(cls):
        work = cls.work
        case.write_cells(os.path.join(work, "start.json"), LAVA)
        base = {"vents": [{"row": 10, "col": 20, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6, 5, 5, 3, 2]}}],
                "run": {"start": "2026-05-10T12:00:00Z", "until": UNTIL}, "initial": {"observed": {"outline": "start.json", "time": ZERO}}}
        for name, run in (("base.json", base["run"]), ("base-undated.json", {"until": UNTIL})):
            case.write_scenario(work, name, **base | {"run": run})
        plan(work, "e")
        case.run_program("ensemble", "run", "e", "-q", cwd=work)
        cls.arrival = batches.arrivals(os.path.join(work, "e"), ROWS * COLS).reshape(-1, ROWS, COLS)
        # What was observed: what the fourth member has at the time, a lobe that no member makes, and the sea.
        cls.observed = (cls.arrival[3] <= AT - ZERO) | box(20, 27, 2, 9) | box(0, 2, 0, 2)
        cls.later = cls.observed | (cls.arrival[3] < np.inf)
        case.write_cells(os.path.join(work, "later.json"), cls.observed)
        dates = [f"2026-05-10T{time}:00Z" for time in ("12:20", "13:00", "14:00", "15:00")]
        case.write_cells(os.path.join(work, "dated.json"), *((mask, {"when": date, "name": "lava"}) for mask, date in
                                                             zip((LAVA, cls.observed, cls.later, LAND), dates)))

    def verify(self, *args, folder="e", observed="later.json", **options):
        return self.sciara("verify", folder, "--observed", observed, *args, **options)

    def judged(self, *args, **options):
        return json.loads(self.verify(*args, "--json", "-q", **options).stdout)

    def check(self, found, weight, observed, after, region=None):
        """Everything, from the arrivals of members."""
        weight = weight / weight.sum()
        p, still = (np.tensordot(weight, self.arrival <= by, 1).astype(np.float32) for by in (after, 0))
        np.testing.assert_array_equal(still > 0, LAVA)
        where = LAND if region is None else LAND & region
        observed = observed & where
        judged = where & ((p > 0) | observed) if region is None else where
        for name, cells in (("all", judged), ("beyond_start", judged & ~LAVA)):
            expected, said = scores(p, still, observed, cells)
            self.assertEqual(list(found[name]), [*expected, "said"])
            np.testing.assert_allclose([found[name][key] for key in expected], list(expected.values()), rtol=1e-12)
            np.testing.assert_allclose(np.array([list(s.values()) for s in found[name]["said"]], float), np.array(said, float), rtol=1e-12)
        counts = weight > 0
        reached, row, col = (self.arrival[counts] <= after) & where, *np.mgrid[:ROWS, :COLS]
        far = CELL * np.hypot(row - 10, col - 20)
        for name, values, of in (("area_m2", CELL ** 2 * reached.sum(axis=(1, 2)), CELL ** 2 * observed.sum()),
                                 ("run_out_m", (reached * far).max(axis=(1, 2)), (observed * far).max())):
            np.testing.assert_allclose(list(found[name].values()), rank(values, weight[counts], of), rtol=1e-9, atol=1e-12, err_msg=name)

    def test_equal_weights(self):
        """P at a time is the map of that time, bit by bit; the files have what --json prints."""
        found = self.judged("--at", AT)
        self.check(found, np.ones(MEMBERS), self.observed, AT - ZERO)
        self.assertEqual([found[k] for k in ("observed", "driver", "region", "at_s", "date", "at", "members", "finished", "ended_early", "cell_m", "left_out_cells")],
                         ["later.json", "GeoJSON", None, AT, "2026-05-10T13:00:00Z", "given", MEMBERS, MEMBERS, 0, CELL, 4])
        self.assertEqual(case.read_json(self.path("e", "verification.json")), found)
        self.assertEqual([list(row.values()) for row in self.table("e", "verification.csv")],
                         [[name, *("" if s[k] is None else f"{s[k]:.17g}" if s[k] == int(s[k]) else str(s[k]) for k in s)]
                          for name in ("all", "beyond_start") for s in found[name]["said"]])
        self.sciara("ensemble", "reduce", "e", "--no-pictures", "-q")
        with h5py.File(self.path("e", "hazard.nc")) as f:
            p = f["reached_within_40min"][:][LAND & ((f["reached_within_40min"][:] > 0) | self.observed)]
        for k, s in enumerate(found["all"]["said"]):
            values = p[class_of(p) == k].astype(float)
            self.assertEqual((s["cells"], s["mean"]), (len(values), sum(values) / len(values) if len(values) else None))

    def test_printed(self):
        """All that is printed is what JSON has."""
        printed, found = self.verify("--at", "1 h").stdout, self.judged("--at", AT)
        both, km2 = (found["all"], found["beyond_start"]), CELL ** 2 / 1e6
        for label, form, value in (("observed, km2", ".4g", lambda s: s["observed_cells"] * km2),
                                   ("  of the cells, %", ".1f", lambda s: 100 * s["observed_cells"] / s["cells"]),
                                   ("probability of 50 % or more, km2", ".4g", lambda s: s["likely_cells"] * km2),
                                   ("  its area / observed", ".3f", lambda s: s["area_ratio"]),
                                   ("  its Jaccard index J with the observed", ".3f", lambda s: s["jaccard"]),
                                   ("  J if nothing moves", ".3f", lambda s: s["jaccard_nothing_moves"]),
                                   ("Brier score of the probabilities (0: perfect)", ".4f", lambda s: s["brier"]),
                                   ("  if nothing moves", ".4f", lambda s: s["brier_nothing_moves"]),
                                   ("  if the observed share is said of each cell", ".4f", lambda s: s["brier_base_rate"]),
                                   ("skill against nothing moves (above 0: better)", "+.3f", lambda s: s["skill_nothing_moves"]),
                                   ("skill against the observed share", "+.3f", lambda s: s["skill_base_rate"]),
                                   ("sharpness: cells below 10 or above 90 %, %", ".1f", lambda s: 100 * s["sharpness"])):
            line = next(x for x in printed.splitlines() if x.startswith(label))
            self.assertEqual(line[len(label):].split(), [format(value(s), form) for s in both], label)
        lines = printed.splitlines()
        first = 1 + next(k for k, line in enumerate(lines) if line.startswith("probability said"))
        said = [f"{name} {s['cells']} {100 * s['mean']:.1f} % {100 * s['observed']:.1f} %" for name, s in zip(CLASSES, both[1]["said"]) if s["cells"]]
        self.assertEqual([" ".join(line.split()) for line in lines[first:first + len(said) + 1]],
                         [*said, "0 classes of 200 cells or more are off by more than 20 points"])
        for name, label, unit, scale in (("area_m2", "area", "km2", 1e6), ("run_out_m", "run-out from the vents", "m", 1)):
            r = found[name]
            observed, least, median, most = (f"{r[key] / scale:.4g}" for key in ("observed", "least", "median", "most"))
            tail = "all members have less" if r["observed"] > r["most"] else f"{100 * r['below']:.3g} % of them (by weight) have less, {100 * r['equal']:.3g} % as much"
            self.assertIn(f"{label}: observed {observed} {unit}; members {least} to {most} {unit}, median {median} {unit}; {tail}\n", printed)
        cells, start = both[0]["cells"], LAVA.sum()
        self.assertIn(f"\nobserved: later.json (GeoJSON), compared at 1 h (2026-05-10 13:00 UTC)\ncells: the {cells} of the land that a member or the "
                      f"observation reaches by then, {cells * km2:.3g} km2\nstart: the lava with which the members begin covers {start} of them, "
                      f"{start * km2:.3g} km2\nleft out: 4 observed cells in the sea ", printed)

    def test_weights(self):
        """Weights of members, one of them 0; a region."""
        path = self.path("e", "weights.csv")
        before, weight, region = case.read_text(path), np.arange(MEMBERS) ** 2.0, box(1, 24, 1, 30)
        case.write_cells(self.path("region.json"), region)
        case.write_text(path, "id,weight\n" + "".join(f"{k},{w:g}\n" for k, w in enumerate(weight)))
        self.addCleanup(case.write_text, path, before)
        self.check(self.judged("--at", AT), weight, self.observed, AT - ZERO)
        self.check(self.judged("--at", AT, "--region", "region.json"), weight, self.observed, AT - ZERO, region)

    def test_by_hand(self):
        """Lava that stays where it is: 30 cells of the start, or the cell of the vent, are said with certainty, of 300 that are observed."""
        still = {"critical_height_vent_m": 999, "critical_height_sol_m": 1000, "cooling": 0}
        vents = [{"row": 10, "col": 20, "effusion": {"slot": "10 min", "rates_m3_s": [1]}}]
        case.write_cells(self.path("more.json"), LAVA | box(15, 24, 2, 32))
        for name, initial, said, begin in (("still", {"observed": {"outline": "start.json", "volume_m3": 9000, "time": "10 min"}}, 30, 30), ("none", {}, 1, 0)):
            case.write_scenario(self.work, f"base-{name}.json", run={"until": "1 h"}, model=still, vents=vents, initial=initial)
            plan(self.work, name, f"base-{name}.json", 2, vary=[{"key": "rate_scale", "uniform": [1, 2]}])
            self.sciara("ensemble", "run", name, "-q")
            printed, found = self.verify(folder=name, observed="more.json").stdout, self.judged(folder=name, observed="more.json")
            self.assertEqual((found["at"], found["at_s"], found["date"]), ("end", 3600, None))
            brier = [(300 - said) / 300, (300 - begin) / 300]
            for s, expected in ((found["all"], [300, 300, said, said / 300, said / 300, begin / 300, *brier, 0, 1 - brier[0] / brier[1], None]),
                                (found["beyond_start"], [270, 270, 0, 0, 0, 0, 1, 1, 0, 0, None] if begin else None)):
                self.assertEqual(s and list(s.values())[:-2], expected)
            self.assertEqual((found["area_m2"]["below"], found["area_m2"]["median"]), (1, 100 * said))
            self.assertRegex(printed, rf"\n0 % +{300 - said} +0\.0 % +100\.0 %  off: too little was said\n(.*\n)?1 class of 200 cells or more is off by more than 20 points\n")
            self.assertEqual("start: the members begin without lava\n" in printed, not begin)

    def test_times(self):
        """A date is a simulated time from run.start; without one the last date of the file that the members reach counts."""
        self.assertEqual(self.judged("--at", "2026-05-10T15:00+02:00", observed="dated.json")["all"], self.judged("--at", "1 h")["all"])
        found = self.judged(observed="dated.json")
        self.assertEqual((found["at"], found["at_s"], found["date"]), ("file", UNTIL, "2026-05-10T14:00:00Z"))
        self.check(found, np.ones(MEMBERS), self.later, UNTIL - ZERO)
        self.assertIn("compared at 2 h (2026-05-10 14:00 UTC), the last date of that file that the members reach",
                      self.verify("--dates", "when", observed="dated.json").stdout)
        self.assertIn(" (2026-05-10 19:45 UTC+05:45), the last date", self.verify("--time-zone", "+05:45", observed="dated.json").stdout)
        found = self.judged()
        self.assertEqual((found["at"], found["at_s"]), ("end", UNTIL))
        self.check(found, np.ones(MEMBERS), self.observed, 1e9)
        case.write_cells(self.path("two.json"), (self.later, {"when": "2026-05-10T14:00Z", "sent": "2026-05-11"}))
        self.assertIn('found "when", "sent"', self.verify(observed="two.json", code=2).stderr)
        self.assertEqual(self.judged("--dates", "when", observed="two.json")["at_s"], UNTIL)

    def test_since(self):
        """An earlier outline stays if nothing moves: the same as the lava with which members begin; another one."""
        p = (self.arrival <= UNTIL - ZERO).mean(0).astype(np.float32)
        for at, lava in (("20 min", LAVA), ("2026-05-10T13:00Z", self.observed & LAND)):
            found, expected = self.judged("--since", at, observed="dated.json"), scores(p, lava, self.later, LAND & ((p > 0) | self.later))[0]
            for key in ("brier_nothing_moves", "jaccard_nothing_moves", "cells"):
                self.assertAlmostEqual(found["all"][key], expected[key], 12)
        self.assertEqual((found["since_s"], found["beyond_start"]["cells"]), (AT, expected["cells"] - (self.observed & LAND).sum()))
        self.assertIn("--since: expected a time before that of the observation", self.verify("--since", "2 h", observed="dated.json", code=2).stderr)

    def test_ends(self):
        """Vents count from when they erupt; members at rest before the observation count, of those at a limit it is said."""
        base = case.read_json(self.path("base.json"))
        base["vents"].append({"row": 23, "col": 5, "start": "2 h", "effusion": {"slot": "10 min", "rates_m3_s": [3]}})
        case.write_json(self.path("base-ends.json"), base | {"run": base["run"] | {"until": "solidified"}})
        for name, limits in (("ends", [8000, 1e6]), ("limits", [8000])):
            plan(self.work, name, "base-ends.json", vary=[{"key": "run.max_time", "values": limits}], sample={"method": "full"})
            self.sciara("ensemble", "run", name, "-q")
        far = CELL * np.hypot(*(np.mgrid[:ROWS, :COLS] - [[[10]], [[20]]]))
        reached = batches.arrivals(self.path("ends"), ROWS * COLS).reshape(-1, ROWS, COLS) <= AT - ZERO
        found = self.judged("--at", AT, folder="ends")
        self.assertEqual([found["run_out_m"][key] for key in ("observed", "least", "most")], [far[self.observed & LAND].max(), *[far[reached[0] & LAND].max()] * 2])
        self.assertIn("1 member ended at a limit before", " ".join(self.verify("--at", "90 d", folder="ends").stderr.split()))
        self.assertEqual(case.read_json(self.path("ends", "verification.json"))["ended_early"], 1)
        self.assertIn("expected members that reach the time of the observation, 90 d, found none", self.verify("--at", "90 d", folder="limits", code=3).stderr)
        self.assertIn(", compared at the end of the members, for no date was given", self.verify(folder="ends").stdout)
        self.assertEqual([case.read_json(self.path("ends", "verification.json"))[key] for key in ("at", "at_s", "ended_early")], ["end", None, 1])

    def test_refusals(self):
        def refused(words, *args, code=3, **more):
            self.assertIn(words, self.verify(*args, code=code, **more).stderr)

        refused("--at: expected a simulated time after 20 min (2026-05-10 12:20 UTC), when the members of e begin", "--at", "20 min", code=2)
        refused("--at: expected a date after 2026-05-10T12:00:00Z", "--at", "2026-05-09", code=2)
        refused("--dates: expected it without a time", "--at", AT, "--dates", "when", observed="dated.json", code=2)
        refused("member 0 ends at 2 h", "--at", "3 h")
        refused("expected those of 2026-05-10T12:40:00Z; without a time the last one", "--at", "40 min", observed="dated.json")
        case.write_cells(self.path("early.json"), (LAVA, {"when": "2026-05-10T12:20:00Z"}))
        refused("expected an outline of a date after 2026-05-10T12:20:00Z, when the members of e begin, up to their end, 2026-05-10T14:00:00Z; found dates "
                'from 2026-05-10T12:20:00Z to 2026-05-10T12:20:00Z in its field "when"; --at says of which time it is', observed="early.json")
        case.write_cells(self.path("sea.json"), box(0, 1, 0, 1))
        refused("sea.json: expected an extent with the centre of a cell of the land, found none", observed="sea.json")
        refused("later.json: expected an extent with the centre of a cell of the land in sea.json, found none", "--region", "sea.json")
        case.write_text(self.path("far.json"), case.read_text(self.path("later.json")).replace("EPSG::32633", "EPSG::32634"))
        refused("far.json: is outside the grid of the run", observed="far.json")
        plan(self.work, "undated", "base-undated.json")
        refused("expected at least one finished member", folder="undated")
        self.sciara("ensemble", "run", "undated", "-q")
        refused("undated has no date (run.start)", "--at", "2026-05-10T13:00Z", folder="undated", code=2)
        self.assertIn("--observed is missing", self.sciara("verify", "e", code=2).stderr)
