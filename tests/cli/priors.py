# SPDX-License-Identifier: Apache-2.0
"""Priors, joint distributions of the parameters of a rule: listed, drawn by ensembles, searched by calibrations. Distributions
and correlations are compared with those of SciPy, values with those of the same keys written out."""
import json
import os
import re
import shutil

import jsonschema
import numpy
from scipy import stats

import case
from calibration import CalibrationCase
from case import Case

VENT, SOL = "model.yield_strength_vent_Pa", "model.yield_strength_sol_Pa"
VISCOSITY, COLD = "model.viscosity_vent_Pa_s", "model.viscosity_sol_Pa_s"
SHARE = "model.radiating_share"
KEYS = [VENT, SOL, VISCOSITY, COLD, SHARE]
# What is drawn for each key, and by which key it is multiplied.
BASALT = {VENT: ([500, 1e5], None), SOL: ([1, 4], VENT), VISCOSITY: ([1e4, 3e7], None), COLD: ([1, 100], VISCOSITY),
          SHARE: ([1e-4, 0.1], None)}
PAIRS = {(VENT, VISCOSITY): 0.7, (VENT, SHARE): -0.6, (VISCOSITY, SHARE): -0.42}
SHEET = {"rule": "bingham"}


def distribution(of):
    """A distribution of SciPy for an entry of a list of priors."""
    if "log_uniform" in of:
        return stats.loguniform(*of["log_uniform"]).cdf
    whole = stats.lognorm(of["lognormal"]["sd_log"], scale=of["lognormal"]["median"]).cdf
    low, high = (whole(x) for x in of["truncate"])
    return lambda x: (whole(x) - low) / (high - low)


def drawn(prior, values):
    """{key: what was drawn for it}, from the values of all keys."""
    return {of["key"]: values[of["key"]] / values[of["times"]] if "times" in of else values[of["key"]] for of in prior["vary"]}


class PriorCase:
    def prior(self, name):
        return next(p for p in json.loads(self.sciara("presets", "--json").stdout)["priors"] if p["name"] == name)

    def assert_distributed(self, prior, values, alpha=1e-3):
        """Independent draws have the distributions and correlations of a prior."""
        scores = {}
        for of in prior["vary"]:
            x, cdf = drawn(prior, values)[of["key"]], distribution(of)
            self.assertGreater(stats.kstest(x, cdf).pvalue, alpha, of)
            low, high = of.get("truncate") or of["log_uniform"]
            self.assertTrue(numpy.all((x >= low * (1 - 1e-15)) & (x <= high * (1 + 1e-15))), of)
            scores[of["key"]] = stats.norm.ppf(cdf(x))
        pairs = {frozenset((p["first"], p["second"])): p["coefficient"] for p in prior["correlation"]}
        for a in scores:
            for b in scores:
                if a < b:
                    expected = pairs.get(frozenset((a, b)), 0)
                    found = numpy.arctanh(numpy.corrcoef(scores[a], scores[b])[0, 1]) - numpy.arctanh(expected)
                    self.assertLess(abs(found), 4 / numpy.sqrt(len(scores[a]) - 3), (a, b))


class Priors(PriorCase, Case):
    def setUp(self):
        super().setUp()
        self.write_scenario("base.json", model=SHEET)
        self.write_scenario("fv3.json")

    def write_plan(self, **parts):
        sample = {"method": "random", "count": 2000, "seed": 4}
        case.write_json(self.path("e.json"), {"base": "base.json", "vary": [{"prior": "basalt"}], "sample": sample, **parts})

    def plan(self, **parts):
        """{column: numbers} of members.csv."""
        self.write_plan(**parts)
        folder = f"out{len(os.listdir(self.work))}"
        self.sciara("ensemble", "plan", "e.json", "-o", folder, "--no-estimate", "-q")
        rows = case.read_rows(self.path(folder, "members.csv"))
        return {key: numpy.array([float(row[key]) for row in rows]) for key in rows[0] if key.startswith("model.")}

    def test_list(self):
        """Its numbers are those of docs/rules.md, and the text has what the JSON has."""
        prior = self.prior("basalt")
        self.assertEqual(prior["rule"], "bingham")
        self.assertEqual({of["key"]: (of["log_uniform"], of.get("times")) for of in prior["vary"]}, BASALT)
        self.assertEqual({(p["first"], p["second"]): p["coefficient"] for p in prior["correlation"]}, PAIRS)
        text = self.sciara("presets").stdout
        for line in ("  prior of rule: bingham", f"  source:        {prior['source']}",
                     "  viscosity_sol_Pa_s       log_uniform 1 to 100, times viscosity_vent_Pa_s",
                     "  correlation of yield_strength_vent_Pa and viscosity_vent_Pa_s: 0.7"):
            self.assertIn(line, text.splitlines())

    def test_draws(self):
        for name in ("basalt", "aa"):
            with self.subTest(name):
                values = self.plan(vary=[{"prior": name}])
                self.assertEqual(sorted(values), sorted(KEYS))
                self.assert_distributed(self.prior(name), values)

    def test_designs(self):
        """A Latin hypercube has each part of a key that nothing is correlated with once; Sobol' points are even, too."""
        for method, replicates in (("lhs", 8), ("sobol", 8)):
            values = self.plan(sample={"method": method, "count": 64, "replicates": replicates, "seed": 4})
            ratios = drawn(self.prior("basalt"), values)
            for key in (SOL, COLD):
                u = stats.loguniform(*BASALT[key][0]).cdf(ratios[key]).reshape(replicates, 64)
                for part in u:
                    self.assertEqual(sorted(numpy.minimum(63, part * 64).astype(int)), list(range(64)), (method, key))

    def test_same_as_its_keys(self):
        """Values are those of the same keys and correlations written out; what multiplies another key is what is drawn for it alone."""
        values = self.plan()
        self.write_scenario("base.json", model={**SHEET, "viscosity_sol_Pa_s": 1e15})
        alone = self.plan(vary=[{"key": key, "log_uniform": BASALT[key][0]} for key in (SHARE, VISCOSITY, VENT)],
                          correlation=[{"first": a, "second": b, "coefficient": c} for (a, b), c in PAIRS.items()])
        for key in (VENT, VISCOSITY, SHARE):
            numpy.testing.assert_array_equal(values[key], alone[key])
        self.write_scenario("base.json", model={**SHEET, "viscosity_vent_Pa_s": 1e-3})
        ratios = self.plan(vary=[{"key": key, "log_uniform": BASALT[key][0]} for key in (SOL, COLD)])
        for key in (SOL, COLD):
            numpy.testing.assert_array_equal(values[key], ratios[key] * values[BASALT[key][1]])

    def test_what_draws_depend_on(self):
        """On the seed, the key and the place in the plan; not on the number of members, other keys, or the order of entries."""
        few = {"method": "random", "count": 20, "seed": 4}
        values = self.plan(sample=few)
        for parts in ({}, {"sample": few, "vary": [{"key": "model.relaxation", "uniform": [0.4, 0.6]}, {"prior": "basalt"}]}):
            for key, found in self.plan(**parts).items():
                if key in KEYS:
                    numpy.testing.assert_array_equal(found[:20], values[key])
        self.assertFalse(numpy.any(self.plan(sample={**few, "seed": 5})[VENT] == values[VENT]))

    def test_members_run(self):
        """Every draw is a valid scenario, also at the ends; a correlation with another key is possible."""
        self.write_scenario("base.json", model=SHEET, run={"max_steps": 3})
        self.write_plan(vary=[{"prior": "basalt"}, {"key": "rate_scale", "log_uniform": [0.5, 2]}],
                        sample={"method": "random", "count": 30, "seed": 1},
                        correlation=[{"first": VENT, "second": "rate_scale", "coefficient": 0.5}])
        self.sciara("ensemble", "run", "e.json", "-o", "e", "-q")
        self.assertIn("30 of 30 finished, 0 failed", self.sciara("ensemble", "status", "e").stdout)
        self.sciara("ensemble", "member", "e", "7", "-o", "m.json", "-q")
        member = case.read_json(self.path("m.json"))["model"]
        row = case.read_rows(self.path("e", "members.csv"))[7]
        self.assertEqual({f"model.{key}": value for key, value in member.items() if f"model.{key}" in KEYS},
                         {key: float(row[key]) for key in KEYS})
        declared = {r["key"]: (r["low"], r["high"]) for r in case.read_json(self.path("e", "ensemble.json"))["declared"]["ranges"]}
        self.assertEqual(declared, {VENT: (500, 1e5), VISCOSITY: (1e4, 3e7), SHARE: (1e-4, 0.1), "rate_scale": (0.5, 2)})

    def test_refused(self):
        own = {"key": "model.radiating_share", "log_uniform": [0.01, 0.1]}
        for parts, message in (
                ({"base": "fv3.json"}, 'e.json: vary[0].prior: expected a prior of rule fv3, which the base has, or a base of the other '
                 'rule; found "basalt", a prior of rule bingham'),
                ({"vary": [{"prior": "basalt"}, own]}, 'e.json: vary[1].key: expected each key once; prior "basalt" has it; found '
                 "model.radiating_share"),
                ({"vary": [{"prior": "basalt"}, {"prior": "aa"}]}, "e.json: vary[1].prior: expected one prior; found a second one"),
                ({"vary": [{"prior": "basalt", "truncate": [1, 2]}]},
                 'e.json: vary[0].truncate: expected the key only together with "key"; found it alone'),
                ({"correlation": [{"first": VENT, "second": VISCOSITY, "coefficient": 0.1}]},
                 "e.json: correlation[0]: expected each pair once; found a pair given twice"),
                ({"vary": [{"prior": "basalt"}, {"key": "rate_scale", "uniform": [1, 2]}],
                  "correlation": [{"first": VENT, "second": "rate_scale", "coefficient": 0.9},
                                  {"first": VISCOSITY, "second": "rate_scale", "coefficient": -0.9}]},
                 "e.json: correlation: expected coefficients that can hold together")):
            with self.subTest(message):
                self.write_plan(**parts)
                said = self.sciara("ensemble", "check", "e.json", "--no-estimate", code=3).stderr
                self.assertIn(message, said)
                self.assertEqual(len(re.findall("sciara: error", said)), 1, said)

    def test_schema(self):
        schema = json.loads(self.sciara("ensemble", "schema").stdout)
        self.write_plan()
        jsonschema.validate(case.read_json(self.path("e.json")), schema)
        for entry in ({"prior": "andesite"}, {"prior": "aa", "key": VENT, "uniform": [1, 2]}, {"key": VENT}, {}):
            self.write_plan(vary=[entry])
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate(case.read_json(self.path("e.json")), schema)


class Calibrations(PriorCase, CalibrationCase):
    @classmethod
    def prepare(cls):
        cls.prepare_inputs()
        case.write_scenario(cls.work, "sheet.json", model=SHEET, run={"until": "front at rest", "max_time": "20 min"})
        cls.write_search("lhs.json", design="lhs", budget=300)
        case.run_program("calibrate", "lhs.json", "-q", "-o", "lhs", cwd=cls.work)

    @classmethod
    def write_search(cls, name, **changes):
        cls.write(name, **{"pairs": [{"scenario": "sheet.json", "observed": "mapped.tif"}], "unknowns": [{"prior": "basalt"}], **changes})

    def columns(self, folder):
        rows = self.rows(folder)
        return {key: numpy.array([row[key] for row in rows]) for key in (*KEYS, "score")}

    def test_points(self):
        """Points of a design have the prior; best.json and calibration.json have the ordinary keys."""
        values = self.columns("lhs")
        self.assert_distributed(self.prior("basalt"), values)
        best = self.record("lhs")["best"]["values"]
        at = numpy.argmax(values["score"])
        self.assertEqual(best, {key: values[key][at] for key in KEYS})
        model = case.read_json(self.path("lhs", "best.json"))["model"]
        self.assertEqual({key: model[key.removeprefix("model.")] for key in KEYS}, best)

    def test_spread(self):
        """The spread of the accepted sets is that in proportion to all points, whose logarithms a prior need not fill evenly."""
        page = json.loads(re.search(r'(?s)<script type="application/json" id="data">(.*?)</script>', case.read_text(self.path("lhs", "page.html")))[1])
        values = self.columns("lhs")
        accepted = values["score"] >= 0.9 * values["score"].max()
        unknowns = {u["key"]: u for u in page["calibration"]["searches"][0]["unknowns"]}
        ends = {VENT: (500, 1e5), SOL: (500, 4e5), VISCOSITY: (1e4, 3e7), COLD: (1e4, 3e9), SHARE: (1e-4, 0.1)}
        for key, u in unknowns.items():
            logs = numpy.log(values[key])
            self.assertEqual(((u["min"], u["max"]), u["log"]), (ends[key], True))
            self.assertAlmostEqual(u["spread"], logs[accepted].std(ddof=1) / logs.std(ddof=1), delta=1e-9)

    def test_search_and_resume(self):
        """A search begins in the prior and stays in it; after any end it goes on with the same rows."""
        self.write_search("c.json", unknowns=[{"key": "rate_scale", "min": 0.8, "max": 1.2}, {"prior": "basalt"}], budget=40)
        self.sciara("calibrate", "c.json", "-q", "-o", "whole")
        values = self.columns("whole")
        for key, x in drawn(self.prior("basalt"), values).items():
            low, high = BASALT[key][0]
            self.assertTrue(numpy.all((x >= low * (1 - 1e-15)) & (x <= high * (1 + 1e-15))), key)
        rows = case.read_bytes(self.path("whole", "evaluations.csv"))
        shutil.copytree(self.path("whole"), self.path("part"))
        case.write_bytes(self.path("part", "evaluations.csv"), rows[:len(rows) // 2])
        self.sciara("calibrate", "c.json", "-q", "-o", "part", "--resume")
        for name in ("evaluations.csv", "best.json"):
            self.assertEqual(case.read_bytes(self.path("whole", name)), case.read_bytes(self.path("part", name)), name)

    def test_refused(self):
        own = {"key": "model.radiating_share", "min": 0.01, "max": 0.1}
        sheet = {"name": "a", "model": SHEET, "unknowns": [{"prior": "basalt"}]}
        for changes, message in (
                ({"pairs": [{"scenario": "s.json", "observed": "mapped.tif"}]}, "bad.json: unknowns[0].prior: expected a prior of rule fv3, "
                 'which ./s.json has; found "basalt", a prior of rule bingham'),
                ({"unknowns": None, "searches": [sheet, {**sheet, "name": "b", "model": {"rule": "fv3"}}]},
                 "bad.json: searches[1].unknowns[0].prior: expected a prior of rule fv3, which searches[1].model has; found "),
                ({"unknowns": [own, {"prior": "basalt"}]}, 'bad.json: unknowns[1].prior: expected each key once; found "basalt", which has '
                 "model.radiating_share"),
                ({"design": "morris", "budget": 60}, 'bad.json: unknowns[0].prior: expected the design "cma-es", "lhs" or "sobol": effects and '
                 'indices are those of unknowns that are independent; found it with the design "morris"')):
            with self.subTest(message):
                self.write_search("bad.json", **changes)
                said = self.sciara("calibrate", "bad.json", "-o", "bad", code=3).stderr
                self.assertIn(message, said)
                self.assertEqual(len(re.findall("sciara: error", said)), 1, said)

    def test_schema(self):
        schema = json.loads(self.sciara("schema", "--calibration").stdout)
        self.write_search("c.json")
        jsonschema.validate(case.read_json(self.path("c.json")), schema)
        for unknown in ({"prior": "magma"}, {"prior": "aa", "key": VENT, "min": 1, "max": 2}, {"key": VENT}, {}):
            self.write_search("c.json", unknowns=[unknown])
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate(case.read_json(self.path("c.json")), schema)
