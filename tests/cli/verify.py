# SPDX-License-Identifier: Apache-2.0
"""`sciara verify`: every number of it computed again with numpy from the footprints of members, with weights and a region; a case
computed by hand; times and dates; what is refused."""
import itertools
import json
import os
import sys

import case
from case import CELL, COLS, NORTH, ROWS, SOUTH, WEST, SharedCase

try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

START = "2026-05-10T12:00:00Z"
ZERO, UNTIL, AT = 1200, 7200, 3600  # s: of the outline with which members begin, of their end, of the time that is judged
MEMBERS = 12
LAND = np.array([[not case.is_sea(r, c) for c in range(COLS)] for r in range(ROWS)])
LAVA = np.zeros((ROWS, COLS), bool)
LAVA[9:14, 17:23] = True


def write_cells(path, *features):
    """Outlines of cells, each with its properties."""
    made = []
    for covered, properties in features:
        squares = []
        for row, col in np.argwhere(covered):
            x, y = WEST + CELL * float(col), NORTH - CELL * float(row)
            squares.append([[[x, y], [x, y - CELL], [x + CELL, y - CELL], [x + CELL, y], [x, y]]])
        made.append({"type": "Feature", "properties": properties, "geometry": {"type": "MultiPolygon", "coordinates": squares}})
    case.write_json(path, {"type": "FeatureCollection", "features": made,
                           "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32633"}}})


def plan(work, name, base="base.json", count=MEMBERS, **more):
    case.write_json(os.path.join(work, f"{name}.json"), {
        "base": base, "vary": [{"key": "rate_scale", "log_uniform": [0.3, 3]}, {"key": "model.cooling", "log_uniform": [40, 600]}],
        "sample": {"method": "random", "count": count, "seed": 3}, "result": {"thickness_m": [0], "within": ["40 min"]}, **more})
    case.run_program("ensemble", "plan", f"{name}.json", "-o", name, "--no-estimate", "-q", cwd=work)


def footprints(folder):
    """Arrival in each cell, by member, s after their start; infinite: never."""
    found = []
    for name in sorted(os.listdir(os.path.join(folder, "batches"))):
        with h5py.File(os.path.join(folder, "batches", name)) as f:
            first = 0
            for count in f["cells"][:]:
                arrival = np.full(ROWS * COLS, np.inf)
                arrival[np.cumsum(f["cell"][first:first + count])] = f["arrival"][first:first + count]
                first += count
                found.append(arrival.reshape(ROWS, COLS))
    return np.array(found)


def class_of(p):
    """The twelve classes: 0, nine tenths and their ends, 1."""
    tenths = np.arange(10, dtype=np.float32) / np.float32(10)
    k = np.searchsorted(tenths, p, side="right")
    return np.where(p == 0, 0, np.where(p == 1, 11, k))


def scores(p, still, observed, judged):
    p, still, o = p[judged].astype(float), still[judged].astype(float), observed[judged].astype(float)
    likely, was, n = p >= 0.5, still >= 0.5, len(o)
    jaccard = lambda mask: (mask & (o > 0)).sum() / (mask | (o > 0)).sum()
    share = o.mean()
    brier = [((q - o) ** 2).mean() for q in (p, still, share)]
    found = {"cells": n, "observed_cells": o.sum(), "likely_cells": likely.sum(), "area_ratio": likely.sum() / o.sum(), "jaccard": jaccard(likely),
             "jaccard_nothing_moves": jaccard(was), "brier": brier[0], "brier_nothing_moves": brier[1], "brier_base_rate": brier[2],
             "skill_nothing_moves": 1 - brier[0] / brier[1], "skill_base_rate": 1 - brier[0] / brier[2],
             "sharpness": ((p < np.float32(0.1)) | (p > np.float32(0.9))).mean()}
    of, said = class_of(p.astype(np.float32)), []
    for k in range(12):
        mine = of == k
        mean, share = (p[mine].mean(), o[mine].mean()) if mine.any() else (None, None)
        said.append({"from": max(0, k - 1) / 10, "to": min(k, 10) / 10, "cells": mine.sum(), "mean": mean, "observed": share,
                     "off": bool(mine.sum() >= 200 and abs(mean - share) > 0.2)})
    return found, said


def rank(values, weight, observed):
    order = np.argsort(values, kind="stable")
    median = values[order][np.searchsorted(np.cumsum(weight[order]), 0.5 - 1e-9)]
    return {"observed": observed, "least": values.min(), "median": median, "most": values.max(), "below": weight[values < observed].sum(),
            "equal": weight[values == observed].sum()}


class Verify(SharedCase):
    @classmethod
    def prepare(cls):
        work = cls.work
        write_cells(os.path.join(work, "start.json"), (LAVA, {}))
        base = {"vents": [{"row": 10, "col": 20, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6, 5, 5, 3, 2]}}],
                "run": {"start": START, "until": UNTIL}, "initial": {"observed": {"outline": "start.json", "time": ZERO}}}
        case.write_scenario(work, "base.json", **base)
        case.write_scenario(work, "base-undated.json", **base | {"run": {"until": UNTIL}})
        plan(work, "e")
        case.run_program("ensemble", "run", "e", "-q", cwd=work)
        cls.arrival = footprints(os.path.join(work, "e"))
        # What was observed: what the fourth member has at the time, a lobe that no member makes, and the sea.
        cls.observed = cls.arrival[3] <= AT - ZERO
        cls.observed[20:27, 2:9] = True
        cls.observed[:2, :2] = True
        cls.later = cls.observed | (cls.arrival[3] < np.inf)
        write_cells(os.path.join(work, "later.json"), (cls.observed, {}))
        dates = ["2026-05-10T12:20:00Z", "2026-05-10T13:00:00Z", "2026-05-10T14:00:00Z", "2026-05-10T15:00:00Z"]
        write_cells(os.path.join(work, "dated.json"),
                    *((mask, {"when": date, "name": "lava"}) for mask, date in zip((LAVA, cls.observed, cls.later, LAND), dates)))

    def verify(self, *args, folder="e", observed="later.json", **options):
        return self.sciara("verify", folder, "--observed", observed, *args, **options)

    def judged(self, *args, **options):
        return json.loads(self.verify(*args, "--json", "-q", **options).stdout)

    def check(self, found, said, expected):
        np.testing.assert_allclose([found[k] for k in expected], list(expected.values()), rtol=1e-12)
        self.assertEqual(list(found)[:-1], list(expected))
        for a, b in zip(found["said"], said, strict=True):
            self.assertEqual([a[k] for k in ("from", "to", "cells", "off")], [b[k] for k in ("from", "to", "cells", "off")])
            if b["mean"] is not None:
                np.testing.assert_allclose([a["mean"], a["observed"]], [b["mean"], b["observed"]], rtol=1e-12)
            else:
                self.assertEqual([a["mean"], a["observed"]], [None, None])

    def check_all(self, found, weight, observed, after, region=None):
        """Everything, from the arrivals of members."""
        weight = weight / weight.sum()
        p = np.tensordot(weight, self.arrival <= after, 1).astype(np.float32)
        still = np.tensordot(weight, self.arrival <= 0, 1).astype(np.float32)
        self.assertEqual(((still > 0) ^ LAVA).sum(), 0)
        where = LAND if region is None else LAND & region
        observed = observed & where
        judged = where & ((p > 0) | observed) if region is None else where
        for name, cells in (("all", judged), ("beyond_start", judged & (still < 0.5))):
            expected, said = scores(p, still, observed, cells)
            self.check(found[name], said, expected)
        reached = (self.arrival <= after) & where
        row, col = np.mgrid[:ROWS, :COLS]
        far = CELL * np.hypot(row - 10, col - 20)
        for name, values, of in (("area_m2", CELL ** 2 * reached.sum(axis=(1, 2)).astype(float), float(CELL ** 2 * observed.sum())),
                                 ("run_out_m", (reached * far).max(axis=(1, 2)), (observed * far).max())):
            counts = weight > 0
            expected = rank(values[counts], weight[counts], of)
            np.testing.assert_allclose([found[name][k] for k in expected], list(expected.values()), rtol=1e-9, atol=1e-12, err_msg=name)

    def test_equal_weights(self):
        """P at a time is the map of that time, bit by bit; all that is printed is what JSON has."""
        found = self.judged("--at", AT)
        self.check_all(found, np.ones(MEMBERS), self.observed, AT - ZERO)
        self.assertEqual([found[k] for k in ("observed", "driver", "region", "at_s", "date", "at", "members", "finished", "ended_early", "cell_m", "left_out_cells")],
                         ["later.json", "GeoJSON", None, AT, "2026-05-10T13:00:00Z", "given", MEMBERS, MEMBERS, 0, CELL, 4])
        self.assertEqual(json.loads(case.read_text(self.path("e", "verification.json"))), found)
        rows = self.table("e", "verification.csv")
        self.assertEqual([(r["cells"], r["count"], r["mean"], r["observed"], r["off"]) for r in rows],
                         [(name, str(s["cells"]), *("" if s[k] is None else str(s[k]) for k in ("mean", "observed")), str(int(s["off"])))
                          for name in ("all", "beyond_start") for s in found[name]["said"]])
        self.sciara("ensemble", "reduce", "e", "--no-pictures", "-q")
        with h5py.File(self.path("e", "hazard.nc")) as f:
            p = f["reached_within_40min"][:]
        mine = LAND & ((p > 0) | self.observed)
        for k, s in enumerate(found["all"]["said"]):
            values = p[mine][class_of(p[mine]) == k].astype(float)
            self.assertEqual((s["cells"], s["mean"]), (len(values), sum(values) / len(values) if len(values) else None))

    def test_printed(self):
        printed, found = self.verify("--at", "1 h").stdout, self.judged("--at", AT)
        a, b = found["all"], found["beyond_start"]
        km2 = CELL ** 2 / 1e6
        for label, form, values in (
                ("observed, km2", ".4g", [s["observed_cells"] * km2 for s in (a, b)]),
                ("  of the cells, %", ".1f", [100 * s["observed_cells"] / s["cells"] for s in (a, b)]),
                ("probability of 50 % or more, km2", ".4g", [s["likely_cells"] * km2 for s in (a, b)]),
                ("  its area / observed", ".3f", [s["area_ratio"] for s in (a, b)]),
                ("  its Jaccard index J with the observed", ".3f", [s["jaccard"] for s in (a, b)]),
                ("  J if nothing moves", ".3f", [s["jaccard_nothing_moves"] for s in (a, b)]),
                ("Brier score of the probabilities (0: perfect)", ".4f", [s["brier"] for s in (a, b)]),
                ("  if nothing moves", ".4f", [s["brier_nothing_moves"] for s in (a, b)]),
                ("  if the observed share is said of each cell", ".4f", [s["brier_base_rate"] for s in (a, b)]),
                ("skill against nothing moves (above 0: better)", "+.3f", [s["skill_nothing_moves"] for s in (a, b)]),
                ("skill against the observed share", "+.3f", [s["skill_base_rate"] for s in (a, b)]),
                ("sharpness: cells below 10 or above 90 %, %", ".1f", [100 * s["sharpness"] for s in (a, b)])):
            self.assertIn(f"\n{label} ", printed)
            line = next(x for x in printed.splitlines() if x.startswith(label))
            self.assertEqual(line[len(label):].split(), [format(v, form) for v in values], label)
        lines = printed.splitlines()
        at = next(k for k, line in enumerate(lines) if line.startswith("probability said"))
        said = [s for s in b["said"] if s["cells"]]
        names = ["0 %"] + [f"{10 * k} to {10 * k + 10} %" for k in range(10)] + ["100 %"]
        for s, line in zip(b["said"], itertools.count()):
            s["name"] = names[line]
        for s, line in zip(said, lines[at + 1:]):
            self.assertEqual(line.split("  off")[0].split(), [*s["name"].split(), str(s["cells"]), f"{100 * s['mean']:.1f}", "%",
                                                              f"{100 * s['observed']:.1f}", "%"])
        self.assertIn(f"{sum(s['off'] for s in said)} classes of 200 cells or more are off by more than 20 points\n", printed)
        for name, label, unit in (("area_m2", "area", "km2"), ("run_out_m", "run-out from the vents", "m")):
            r = {k: v / (1e6 if unit == "km2" and k not in ("below", "equal") else 1) for k, v in found[name].items()}
            tail = ("all members have less" if r["observed"] > r["most"] else
                    f"{100 * r['below']:.3g} % of them (by weight) have less, {100 * r['equal']:.3g} % as much")
            self.assertIn(f"{label}: observed {r['observed']:.4g} {unit}; members {r['least']:.4g} to {r['most']:.4g} {unit}, median "
                          f"{r['median']:.4g} {unit}; {tail}\n", printed)
        self.assertIn("observed: later.json (GeoJSON), compared at 1 h (2026-05-10 13:00 UTC)\n", printed)
        self.assertIn("left out: 4 observed cells in the sea or without an altitude\n", printed)

    def test_weights(self):
        """Weights of members, one of them 0; a region."""
        path = self.path("e", "weights.csv")
        before = case.read_text(path)
        weight = np.arange(MEMBERS) ** 2.0
        region = np.zeros((ROWS, COLS), bool)
        region[1:24, 1:30] = True
        write_cells(self.path("region.json"), (region, {}))
        case.write_text(path, "id,weight\n" + "".join(f"{k},{w:g}\n" for k, w in enumerate(weight)))
        try:
            self.check_all(self.judged("--at", AT), weight, self.observed, AT - ZERO)
            found = self.judged("--at", AT, "--region", "region.json")
            self.check_all(found, weight, self.observed, AT - ZERO, region)
        finally:
            case.write_text(path, before)
        self.assertEqual((found["region"], found["finished"]), ("region.json", MEMBERS - 1))

    def test_by_hand(self):
        """Lava that stands still: 30 cells are said, with certainty; 30 and 270 others are observed."""
        still = {"critical_height_vent_m": 999, "critical_height_sol_m": 1000, "cooling": 0}
        case.write_scenario(self.work, "base-still.json", run={"until": "1 h"}, model=still, vents=[{"row": 10, "col": 20, "start": "1 d", "effusion": {
            "slot": "10 min", "rates_m3_s": [1]}}], initial={"observed": {"outline": "start.json", "volume_m3": 9000, "time": "10 min"}})
        plan(self.work, "still", "base-still.json", 2, vary=[{"key": "rate_scale", "uniform": [1, 2]}])
        self.sciara("ensemble", "run", "still", "-q")
        more = LAVA.copy()
        more[15:24, 2:32] = True
        write_cells(self.path("more.json"), (more, {}))
        found = self.judged(folder="still", observed="more.json")
        self.assertEqual((found["at"], found["at_s"], found["date"]), ("end", 3600, None))
        for name, cells, jaccard in (("all", 300, 0.1), ("beyond_start", 270, 0)):
            s, wrong = found[name], 270 / cells
            self.assertEqual([s[k] for k in ("cells", "observed_cells", "jaccard", "jaccard_nothing_moves", "brier", "brier_nothing_moves",
                                             "skill_nothing_moves", "brier_base_rate", "skill_base_rate", "sharpness")],
                             [cells, cells, jaccard, jaccard, wrong, wrong, 0, 0, None, 1])
            self.assertEqual([(c["cells"], c["observed"], c["off"]) for c in s["said"] if c["cells"]],
                             [(270, 1, True), (30, 1, False)][:1 + (cells == 300)])
        self.assertEqual((found["area_m2"]["below"], found["area_m2"]["equal"], found["area_m2"]["median"]), (1, 0, 3000))
        self.assertIn("0 %                 270       0.0 %     100.0 %  off: too little was said\n1 class of 200 cells or more is off",
                      self.verify(folder="still", observed="more.json").stdout)

    def test_times(self):
        """A date is a simulated time from run.start; without one the last date of the file that the members reach counts."""
        for at in ("1 h", "2026-05-10T13:00Z", "2026-05-10T15:00+02:00"):
            self.assertEqual(self.judged("--at", at, observed="dated.json")["all"], self.judged("--at", AT)["all"])
        found = self.judged(observed="dated.json")
        self.assertEqual((found["at"], found["at_s"], found["date"]), ("file", UNTIL, "2026-05-10T14:00:00Z"))
        self.check_all(found, np.ones(MEMBERS), self.later, UNTIL - ZERO)
        self.assertIn("compared at 2 h (2026-05-10 14:00 UTC), the last date of that file that the members reach",
                      self.verify("--dates", "when", observed="dated.json").stdout)
        found = self.judged()
        self.assertEqual((found["at"], found["at_s"]), ("end", UNTIL))
        self.check_all(found, np.ones(MEMBERS), self.observed, 1e9)
        write_cells(self.path("two.json"), (self.later, {"when": "2026-05-10T14:00Z", "sent": "2026-05-11"}))
        self.assertIn('found "when", "sent"', self.verify(observed="two.json", code=2).stderr)
        self.assertEqual(self.judged("--dates", "when", observed="two.json")["at_s"], UNTIL)

    def test_refusals(self):
        def refused(words, *args, code=3, **more):
            said = self.verify(*args, code=code, **more).stderr
            for text in (words,) if isinstance(words, str) else words:
                self.assertIn(text, said)

        self.assertIn("--observed is missing", self.sciara("verify", "e", code=2).stderr)
        refused("--at: expected a simulated time after 20 min (2026-05-10 12:20 UTC), when the members of e begin", "--at", "20 min", code=2)
        refused("--at: expected a date after 2026-05-10T12:00:00Z", "--at", "2026-05-09", code=2)
        refused("--at: expected a time above 0", "--at", "soon", code=2)
        refused("--dates: expected it without a time", "--at", AT, "--dates", "when", observed="dated.json", code=2)
        refused("--dates: expected a field of dated.json, found \"date\"", "--dates", "date", observed="dated.json", code=2)
        refused(("member 0 ends at", "expected an observation up to then, found 3 h"), "--at", "3 h")
        refused("expected those of 2026-05-10T12:40:00Z; without a time the last one", "--at", "40 min", observed="dated.json")
        write_cells(self.path("early.json"), (LAVA, {"when": "2026-05-10T12:20:00Z"}))
        refused(("expected an outline of a date after 2026-05-10T12:20:00Z, when the members of e begin, up to their end, 2026-05-10T14:00:00Z",
                 "found dates from 2026-05-10T12:20:00Z to 2026-05-10T12:20:00Z in its field \"when\"; --at says of which time it is"),
                observed="early.json")
        sea = np.zeros((ROWS, COLS), bool)
        sea[0, 0] = True
        write_cells(self.path("sea.json"), (sea, {}))
        refused("sea.json: expected an extent with the centre of a cell of the land, found none", observed="sea.json")
        refused("later.json: expected an extent with the centre of a cell of the land in sea.json, found none", "--region", "sea.json")
        case.write_text(self.path("far.json"), case.read_text(self.path("later.json")).replace("EPSG::32633", "EPSG::32634"))
        refused("far.json: is outside the grid of the run", observed="far.json")
        refused("absent.json", observed="absent.json", code=4)
        plan(self.work, "undated", "base-undated.json")
        refused("expected at least one finished member", folder="undated")
        self.sciara("ensemble", "run", "undated", "-q")
        refused("undated has no date (run.start)", "--at", "2026-05-10T13:00Z", folder="undated", code=2)
        self.assertEqual(os.path.exists(self.path("undated", "verification.json")), False)
        refused("base.json", folder="base.json", code=4)

