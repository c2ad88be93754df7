# SPDX-License-Identifier: Apache-2.0
"""Distributions, volumes and curves of an ensemble, compared with Python's own statistics and with numerical integrals."""
import json
import math
import os
import statistics

import case
from case import SOUTH, WEST, Case

COUNT = 50
NORMAL = statistics.NormalDist()


class Draws(Case):
    def prepare_test(self):
        self.write_scenario("base.json", vents=[{"x": WEST + 205, "y": SOUTH + 225, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}}])

    def plan(self, **parts):
        case.write_json(self.path("e.json"), {"base": "base.json", "sample": {"method": "full"}, **parts})
        folder = f"out{len(os.listdir(self.work))}"
        self.sciara("ensemble", "plan", "e.json", "-o", folder, "--no-estimate")
        return case.read_rows(self.path(folder, "members.csv"))

    def assert_stratified(self, values, share, truncate=(-math.inf, math.inf)):
        """Each Latin hypercube has one value in each of COUNT parts with the same probability."""
        low, high = (share(x) for x in truncate)
        for first in range(0, len(values), COUNT):
            part = [(share(x) - low) / (high - low) for x in values[first:first + COUNT]]
            self.assertEqual(sorted(min(COUNT - 1, int(u * COUNT)) for u in part), list(range(COUNT)))

    def test_distributions(self):
        """Values have the distribution that the file names, also where it is truncated."""
        def uniform(x):
            return min(1, max(0, (x - 1200) / 200))

        def log_uniform(x):
            return math.log(min(4, max(0.5, x)) / 0.5) / math.log(8)

        def normal(x):
            return NORMAL.cdf((x - 1300) / 30)

        def lognormal(x):
            return NORMAL.cdf(math.log(x / 1.5) / 0.6) if x > 0 else 0
        key = "model.T_vent_K"
        for entry, share, truncate in (({"key": key, "uniform": [1200, 1400], "truncate": [1280, 1380]}, uniform, (1280, 1380)),
                                       ({"key": key, "normal": {"mean": 1300, "sd": 30}, "truncate": [1280, 1e4]}, normal, (1280, 1e4)),
                                       ({"key": "model.cooling", "log_uniform": [0.5, 4]}, log_uniform, (0.5, 4)),
                                       ({"key": "model.cooling", "lognormal": {"median": 1.5, "sd_log": 0.6}}, lognormal, (0, math.inf)),
                                       ({"key": "model.cooling", "lognormal": {"median": 1.5, "sd_log": 0.6}, "truncate": [0.1, 2]}, lognormal, (0.1, 2))):
            with self.subTest(entry):
                rows = self.plan(vary=[entry], sample={"method": "lhs", "count": COUNT, "replicates": 8, "seed": 2})
                values = [float(r[entry["key"]]) for r in rows]
                self.assertEqual(len(set(values)), 8 * COUNT)
                self.assert_stratified(values, share, truncate)
                self.assertTrue(all(truncate[0] <= x <= truncate[1] for x in values))

    def test_sets(self):
        """A member takes a row of a table whole, by its weight; what else is drawn keeps its values; rates are times rate_scale."""
        relaxation = {"key": "model.relaxation", "uniform": [0.4, 0.6]}
        case.write_text(self.path("sets.csv"), "id,weight,model.cooling,rate_scale\n0,1,2.5,0.5\n4,3,1.25,2\n5,0,5,1.5\n")
        for sample in ({"method": "random", "count": 400, "seed": 3}, {"method": "sobol", "count": 64, "replicates": 8, "seed": 3}):
            rows = self.plan(vary=[{"sets": "sets.csv"}, relaxation], sample=sample)
            found = [(float(r["model.cooling"]), float(r["rate_scale"])) for r in rows]
            self.assertEqual(set(found), {(2.5, 0.5), (1.25, 2)})
            self.assertAlmostEqual(found.count((1.25, 2)) / len(found), 0.75, delta=0.07)
            for row, (_, scale) in zip(rows, found):
                self.assertEqual([rate for _, rate in json.loads(row["vents.0.effusion"])["table"]], [4 * scale, 6 * scale, 0])
            if sample["method"] == "random":
                self.assertEqual([r["model.relaxation"] for r in rows], [r["model.relaxation"] for r in self.plan(vary=[relaxation], sample=sample)])
        case.write_text(self.path("holes.csv"), "id,model.cooling\n0,1\n1,\n")
        case.write_text(self.path("shape.csv"), "id,rate_shape\n0,1\n")
        for vary, sample, said in (([{"sets": "sets.csv"}], {"method": "full"}, "found sets"), ([{"sets": "holes.csv"}], None, "found a set without a value"),
                                   ([{"sets": "shape.csv"}], None, "found rate_shape"), ([{"sets": "sets.csv"}] * 2, None, "one table of sets"),
                                   ([{"sets": "sets.csv"}, {"key": "model.cooling", "values": [1]}], None, "each key once")):
            case.write_json(self.path("e.json"), {"base": "base.json", "vary": vary, "sample": sample or {"method": "random", "count": 2, "seed": 1}})
            self.assertIn(said, self.sciara("ensemble", "check", "e.json", "--no-estimate", code=3).stderr)

    def test_share_that_is_cut_off(self):
        """Outside the range of the key (an emissivity is at most 1), and outside truncate: said in percent."""
        normal = {"mean": 0.9, "sd": 0.1}
        share = statistics.NormalDist(0.9, 0.1).cdf
        for truncate, text in (({}, f"{100 * (1 - share(1)):.3g} % of the distribution lies outside the range of the key (0 to 1)"),
                               ({"truncate": [0.85, 5]}, f"{100 * (1 - share(1) + share(0.85)):.3g} % of the distribution lies outside 0.85 to 1 (truncate, "),
                               ({"truncate": [0.8, 0.95]}, f"{100 * (1 - share(0.95) + share(0.8)):.3g} % of the distribution lies outside 0.8 to 0.95 (truncate, ")):
            case.write_json(self.path("e.json"), {"base": "base.json", "sample": {"method": "random", "count": 2},
                                                  "vary": [{"key": "model.emissivity", "normal": normal, **truncate}]})
            said = self.sciara("ensemble", "check", "e.json", "--no-estimate").stderr
            self.assertIn(f"vary[0] (model.emissivity): {text}", said)
            self.assertEqual(said.count("is cut off"), 1)

    def test_draws_belong_to_keys(self):
        """In another order, or written in another way, keys have the same values, with each method; one more key changes none
        but those of Sobol' points."""
        vary = [{"key": "model.relaxation", "uniform": [0.4, 0.6]}, {"key": "events.0.duration", "uniform": [600, 1200]},
                {"key": "vents.0.start", "uniform": [0, 100]}, {"key": "model.cooling", "values": [1, 2, 3]}]
        more = [{"key": "model.emissivity", "uniform": [0.8, 1]}, *vary]
        self.write("vents.csv", "x,y,w\n500150,4177180,1\n500203,4177141,4\n")
        parts = {"events": [{"volume_m3": 3000, "duration": "10 min"}], "vents": {"table": "vents.csv", "jitter_m": 3},
                 "correlation": [{"first": "vents.0.start", "second": "model.relaxation", "coefficient": 0.7},
                                 {"first": "events.0.duration", "second": "model.relaxation", "coefficient": -0.5}]}
        columns = ["model.relaxation", "vents.0.effusion", "vents.0.start", "model.cooling", "vents.0.x", "vents.0.y"]
        for method, drawn in (("random", "all"), ("lhs", "all"), ("sobol", "drawn")):
            with self.subTest(method):
                sample = {"method": method, "count": 16, "seed": 5, "vents": drawn}
                rows = self.plan(vary=vary, sample=sample, **parts)
                values = [[r[c] for c in columns] for r in rows]
                turned = [dict(v, key=v["key"].replace("vents.0.start", "vents[0].start")) for v in reversed(vary)]
                found = [{c.replace("vents[0].", "vents.0."): v for c, v in r.items()} for r in self.plan(vary=turned, sample=sample, **parts)]
                self.assertEqual([[r[c] for c in columns] for r in found], values)
                if method != "sobol":
                    self.assertEqual([[r[c] for c in columns] for r in self.plan(vary=more, sample=sample, **parts)], values)
                x, y = ([float(r["vents.0.x"]) % 1 for r in rows], [float(r["model.relaxation"]) for r in rows])
                self.assertEqual((len(set(x)), len(set(y))), (len(rows), len(rows)))

    def test_plan_of_an_earlier_version(self):
        """Its members are others than those that are drawn now, which is said; its table remains valid."""
        parts = {"vary": [{"key": "model.relaxation", "uniform": [0.4, 0.6]}], "sample": {"method": "random", "count": 3, "seed": 2}}
        self.plan(**parts)
        again = ("ensemble", "plan", "e.json", "-o", "old", "--no-estimate")
        said = "was planned by an earlier version, whose random numbers depended on the order of the keys in vary"
        self.sciara(*again)
        path = self.path("old", "ensemble.json")
        plan = case.read_json(path)
        self.assertEqual(plan["sample"].pop("draws"), "by key")
        case.write_json(path, plan)
        self.sciara("ensemble", "status", "old")
        self.assertNotIn(said, self.sciara(*again).stderr)  # the same members
        case.write_json(path, plan)
        case.write_json(self.path("e.json"), {"base": "base.json", **parts, "sample": parts["sample"] | {"seed": 3}})
        done = self.sciara(*again, code=3)
        self.assert_parts(done.stderr, said, "3 rows that differ")

    def test_lognormal_is_positive(self):
        """Also far out, where the exponential is smaller than any number with a sign would be."""
        rows = self.plan(vary=[{"key": "model.cooling", "lognormal": {"median": 1e-3, "sd_log": 20}}],
                         sample={"method": "random", "count": 300, "seed": 2})
        self.assertTrue(all(0 < float(r["model.cooling"]) < math.inf for r in rows))

    def emission(self, row, volume, duration):
        """Time and rates of a member with slots; its volume and duration must be these."""
        e = json.loads(row["vents.0.effusion"])
        self.assertAlmostEqual(e["slot"] * len(e["rates_m3_s"]), duration, delta=1e-9 * duration)
        self.assertAlmostEqual(e["slot"] * math.fsum(e["rates_m3_s"]), volume, delta=1e-12 * volume)
        return e["slot"], e["rates_m3_s"]

    def test_curves(self):
        """Each slot emits V times the integral of the documented formula over it."""
        self.write("shape.csv", "time_s,rate_m3_s\n0,1\n10,5\n25,2\n40,0\n")
        self.write("dated.csv", "date;rate (m3/s)\n2018-05-03T17:00:00-10:00;1\n2018-05-04T03:00:10Z;5\n2018-05-04T03:00:25Z;2\n2018-05-04T03:00:40Z;0\n")

        def s(u):
            return u * u * (3 - 2 * u)
        table = [(0, 10, 1), (10, 25, 5), (25, 40, 2)]

        def of_table(x):
            return next(rate for begin, end, rate in table if begin <= 40 * x < end)
        for part, rate in (({}, lambda x: 1),
                           ({"curve": "bell"}, lambda x: s(x / 0.25) if x < 0.25 else s((1 - x) / 0.75)),
                           ({"curve": "bell", "peak": 1}, s),
                           ({"curve": "exponential", "decay": 0.1}, lambda x: math.exp(-x / 0.1)),
                           ({"curve": "waning"}, lambda x: x / 0.25 if x < 0.25 else math.exp(-(x - 0.25) / 0.25)),
                           ({"curve": "waning", "peak": 0.1, "decay": 0.6, "slots": 7}, lambda x: x / 0.1 if x < 0.1 else math.exp(-(x - 0.1) / 0.6)),
                           ({"curve": "csv", "shape": "shape.csv", "slots": 8}, of_table), ({"curve": "csv", "shape": "dated.csv", "slots": 8}, of_table)):
            with self.subTest(part):
                rows = self.plan(events=[{"volume_m3": 5000, "duration": "2 h", **part}])
                slot, rates = self.emission(rows[0], 5000, 7200)
                n = len(rates)
                self.assertEqual(n, part.get("slots", 20 if "curve" in part else n))
                steps = 4000  # midpoints; 1/n of them in each slot
                value = [math.fsum(rate((k + (i + 0.5) / steps) / n) for i in range(steps)) for k in range(n)]
                for found, expected in zip(rates, value):
                    self.assertAlmostEqual(found * slot / 5000, expected / math.fsum(value), delta=1e-7)
        effusion, dated = (json.loads(self.plan(events=[{"csv": name}])[0]["vents.0.effusion"]) for name in ("shape.csv", "dated.csv"))
        self.assertEqual((effusion, dated["table"]), (dated, [[0, 1], [10, 5], [25, 2], [40, 0]]))

    def test_volumes_and_durations(self):
        """events.N.volume_m3 and events.N.duration change that event alone; rate_scale multiplies all rates."""
        events = [{"name": "a", "volume_m3": 3000, "duration": "10 min", "curve": "bell"},
                  {"name": "b", "volume_m3": 5000, "duration": "1 h", "curve": "waning"}]
        draw = {"method": "lhs", "count": COUNT, "replicates": 8, "seed": 4}
        rows = self.plan(events=events, sample=draw, vary=[{"key": "events.1.volume_m3", "log_uniform": [1000, 8000]},
                                                          {"key": "events.1.duration", "uniform": [1000, 3000]}])
        volumes, durations = [], []
        for row in rows:
            e = json.loads(row["vents.0.effusion"])
            self.emission(row, float(row["volume_m3"]), float(row["duration_s"]))
            self.assertNotIn("rate_scale", row)
            if row["event"] == "0":
                self.emission(row, 3000, 600)
            else:
                volumes.append(e["slot"] * math.fsum(e["rates_m3_s"]))
                durations.append(e["slot"] * len(e["rates_m3_s"]))
        self.assert_stratified(volumes, lambda v: math.log(v / 1000) / math.log(8), (1000, 8000))
        self.assert_stratified(durations, lambda t: (t - 1000) / 2000, (1000, 3000))
        rows = self.plan(events=events, vary=[{"key": "rate_scale", "values": [1, 2.5]}])
        for row, volume, duration in zip(rows, (3000, 7500, 5000, 12500), (600, 600, 3600, 3600)):
            self.emission(row, volume, duration)
            scale = float(row["rate_scale"])
            self.assertEqual((float(row["volume_m3"]) * scale, float(row["duration_s"])), (volume, duration))
        rows = self.plan(vary=[{"key": "rate_scale", "uniform": [0.5, 2]}], sample=draw)
        for row in rows:
            self.assertAlmostEqual(json.loads(row["vents.0.effusion"])["table"][0][1], 4 * float(row["rate_scale"]), places=12)
            self.assertNotIn("volume_m3", row)
        vents = [{"row": 8, "col": col, "effusion": {"slot": "10 min", "rates_m3_s": [rate]}} for col, rate in ((20, 4), (22, 7))]
        self.write_scenario("base.json", vents=vents)
        [row] = self.plan(vary=[{"key": "rate_scale", "values": [2.5]}])
        self.assertEqual([json.loads(row[f"vents.{k}.effusion"])["table"][0][1] for k in range(2)], [10, 17.5])
        rows = self.plan(vary=[{"key": "model.cooling", "values": [1, 2]}])
        self.assertFalse({"volume_m3", "duration_s", "rate_scale"} & set(rows[0]))

    def test_nothing_drawn(self):
        case.write_json(self.path("e.json"), {"base": "base.json", "sample": {"method": "random", "count": 9}})
        done = self.sciara("ensemble", "plan", "e.json", "-o", "out", "--no-estimate")
        self.assertIn("nothing is drawn: all 9 members of a vent and an event are the same", done.stderr)

    def test_no_seed(self):
        """1 is used, which is said; not where one is given or nothing is drawn."""
        vary = [{"key": "model.cooling", "log_uniform": [0.5, 4]}]
        drawn = {}
        for name, sample in (("none", {"method": "random", "count": 9}), ("one", {"method": "random", "count": 9, "seed": 1}),
                             ("two", {"method": "random", "count": 9, "seed": 2}), ("full", {"method": "full"})):
            one = vary if name != "full" else [{"key": "model.cooling", "values": [1, 2]}]
            case.write_json(self.path(f"{name}.json"), {"base": "base.json", "sample": sample, "vary": one})
            for command in (("check",), ("plan", "-o", name)):
                said = self.sciara("ensemble", command[0], f"{name}.json", *command[1:], "--no-estimate").stderr
                self.assertEqual(f"{name}.json: sample: no seed given: 1 is used\n" in said, name == "none", said)
                self.assertEqual("seed" in said, name == "none", said)
            drawn[name] = case.read_text(self.path(name, "members.csv"))
        self.assertEqual(drawn["none"], drawn["one"])
        self.assertNotEqual(drawn["none"], drawn["two"])

    def test_values_and_their_weights(self):
        """Drawn values occur as often as their weights say; the bound is five standard deviations."""
        rows = self.plan(vary=[{"key": "model.relaxation", "values": [0.4, 0.5, 0.6], "weights": [1, 0, 3]}],
                         sample={"method": "random", "count": 4000, "seed": 9})
        found = [r["model.relaxation"] for r in rows]
        self.assertEqual(found.count("0.5"), 0)
        self.assertLess(abs(found.count("0.6") - 3000), 5 * math.sqrt(4000 * 0.75 * 0.25))

    def test_drawn_vents_and_events(self):
        """Vents and events are drawn with their weights; each member then has the weight 1/n."""
        self.write("vents.csv", "x,y,w\n500150,4177180,1\n500203,4177141,4\n500290,4177100,0\n")
        events = [{"name": "a", "weight": 3, "volume_m3": 3000, "duration": "10 min"},
                  {"name": "b", "weight": 1, "volume_m3": 5000, "duration": "1 h"}]
        rows = self.plan(vents={"table": "vents.csv", "weights": {"column": "w"}}, events=events,
                         sample={"method": "random", "vents": "drawn", "count": 3000, "seed": 6})
        self.assertEqual({float(r["weight"]) for r in rows}, {1 / 3000})
        for vent, event, p in ((0, 0, 0.15), (0, 1, 0.05), (1, 0, 0.6), (1, 1, 0.2), (2, 0, 0), (2, 1, 0)):
            n = sum((r["vent"], r["event"]) == (str(vent), str(event)) for r in rows)
            self.assertLessEqual(abs(n - 3000 * p), 5 * math.sqrt(3000 * p * (1 - p)), (vent, event))
