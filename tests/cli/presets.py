# SPDX-License-Identifier: Apache-2.0
"""Named sets of parameters: listed, chosen, changed, and recorded in the files of a run; the accepted sets of a preset."""
import json
import os
import re

import h5py
import numpy

import case
from case import Case
from geo import gdal


NAME, SHEET = "thesis-etna-2006", "aa"
OTHERS = ["lapalma-2021-volcflow", "fluid"]


class Presets(Case):
    def preset(self):
        listed = json.loads(self.sciara("presets", "--json").stdout)
        self.assertEqual(listed["default"], NAME)
        return next(p for p in listed["presets"] if p["name"] == NAME)

    def test_list(self):
        preset = self.preset()
        schema = json.loads(self.sciara("schema").stdout)["properties"]["model"]["properties"]
        self.assertEqual(schema["preset"]["enum"], [NAME, SHEET, *OTHERS])
        self.assertEqual(schema["preset"]["default"], NAME)
        self.assertEqual(preset["model"], {k: v["default"] for k, v in schema.items() if k in preset["model"]})
        self.assertEqual((preset["cell_size_m"], preset["eruption"]), (10, "Etna, July 2006"))
        lines = [" ".join(line.split()) for line in self.sciara("presets").stdout.splitlines()]
        for line in (NAME, "cell size: 10 m", "eruption: Etna, July 2006", f"source: {preset['source']}", "cooling 1.507 m2",
                     "relaxation 0.5", f"default: {NAME}"):
            self.assertIn(line, lines)
        self.assertFalse([line for line in self.sciara("presets").stdout.splitlines() if line.endswith(" ")])
        self.assertIn("unexpected", self.sciara("presets", "x", code=2).stderr)

    def records(self, name):
        record = case.record(self.path(name))
        with h5py.File(self.path(name, record["snapshots"][-1]["name"])) as f:
            self.assertEqual(f.attrs["model_preset"].decode(), record["model_preset"])
        return record["model_preset"], record["snapshots"][-1]["checksum"]

    def run_with(self, name, *words):
        self.sciara("run", "s.json", "-q", "-n", 40, "-o", name, *words)
        return self.records(name)

    def test_recorded(self):
        self.write_scenario(model={})
        plain = self.run_with("plain")
        self.assertEqual(plain[0], NAME)
        self.assertEqual(self.run_with("named", "--set", f"model.preset={NAME}"), plain, "the default has a name")
        same = [f"--set=model.{key}={value}" for key, value in self.preset()["model"].items()]
        self.assertEqual(self.run_with("same", *same), plain, "its own values change nothing")
        changed = self.run_with("changed", "--set", f"model.preset={NAME}", "--set", "model.cooling=3", "--set",
                                "model.T_sol_K=1100")
        self.assertEqual(changed[0], f"{NAME}; changed: T_sol_K, cooling")
        self.assertNotEqual(changed[1], plain[1])
        self.sciara("export", "changed", "-f", "nc", "-q", "-o", "merged.nc")
        with h5py.File(self.path("merged.nc")) as f:
            self.assertEqual(f.attrs["model_preset"].decode(), changed[0])

    def test_unknown(self):
        self.write_scenario(model={"preset": "etna"})
        self.assertIn(f'model.preset: expected "{NAME}", "{SHEET}", "{OTHERS[0]}" or "{OTHERS[1]}"; found "etna"', self.sciara("check", "s.json", code=3).stderr)

    def test_written_by_init(self):
        case.write_dem(self.path("dem.asc"))
        self.sciara("init", "dem.asc", "--vent", f"{case.WEST + 205},{case.NORTH - 85}", "--rate", 1, "--duration", 60,
                    "--rule", "fv3", "--set", "model.cooling=2")
        self.assertEqual(case.read_json(self.path("dem.json"))["model"], {**self.preset()["model"], "rule": "fv3", "preset": NAME, "cooling": 2, "cooling_reference_cell_m": None,
                          "critical_height_reference_cell_m": None})

    def test_rule(self):
        """A preset names its rule, and a rule its preset; the keys of the other rule are not written."""
        case.write_dem(self.path("dem.asc"))
        vent = ["--vent", f"{case.WEST + 205},{case.NORTH - 85}", "--rate", 1, "--duration", 60]
        sheet, = (p for p in json.loads(self.sciara("presets", "--json").stdout)["presets"] if p["name"] == SHEET)
        self.assertEqual((sheet["rule"], self.preset()["rule"]), ("bingham", "fv3"))
        for words in ("model.rule=bingham", f"model.preset={SHEET}"):
            self.sciara("init", "dem.asc", *vent, "--overwrite", "--set", words)
            self.assertEqual(case.read_json(self.path("dem.json"))["model"], {**sheet["model"], "rule": "bingham", "preset": SHEET})
        self.assertIn('model.cooling: expected a key of rule "bingham", or "rule": "fv3"; found a key of rule "fv3"',
                      self.sciara("check", "dem.json", "--set", "model.cooling=1", code=3).stderr)

    def test_no_warning_of_the_other_rule(self):
        """Towers and the size of the cells are no matter of rule bingham, whose estimate is that of a probe."""
        self.write_scenario(model={}, vents=[{"row": case.VENT[0], "col": case.VENT[1], "effusion": {"slot": "1 h", "rates_m3_s": [900]}}],
                            run={"until": "front at rest"})
        words = ("x = ", "piles up without bound")
        done = self.sciara("check", "s.json")
        for word in words:
            self.assertIn(word, done.stdout)
        self.assertIn("Towers", done.stderr)
        done = self.sciara("check", "s.json", "--set", "model.rule=bingham")
        for word in words + ("Towers",):
            self.assertNotIn(word, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"rule: +bingham\n(.*\n)*estimate: +(\d+ steps, simulated .*; a probe |unknown; the first \d+ steps|.* until the end of the emission )")
        done = self.sciara("run", "s.json", "--set", "model.rule=bingham", "-n", 200, "-o", "sheet")
        self.assertNotIn("Towers", done.stderr)
        self.assertEqual(case.record(self.path("sheet")).get("warnings", []), [])

    def test_rule_is_named(self):
        """init --rule is as --set model.rule, bingham as none, with a sentence; run.json, snapshots, series, info and the tags of maps name the rule."""
        case.write_dem(self.path("dem.asc"))
        vent = ["--vent", f"{case.WEST + 205},{case.NORTH - 85}", "--rate", 1, "--duration", 60, "--set", 'output.maps=["deposit"]']
        self.sciara("init", "dem.asc", *vent, "-o", "a.json", "--set", "model.rule=bingham")
        self.sciara("init", "dem.asc", *vent, "-o", "b.json", "--rule", "bingham")
        done = self.sciara("init", "dem.asc", *vent, "-o", "none.json")
        self.assertIn("rule bingham: its preset, fitted to the outlines of two eruptions, matches them better", done.stderr)
        self.sciara("init", "dem.asc", *vent, "-o", "preset.json", "--set", "model.preset=aa")
        for name in ("b", "none", "preset"):
            self.assertEqual(case.read_json(self.path("a.json")), case.read_json(self.path(f"{name}.json")))
        self.assertIn('--rule: expected a name of a rule, one of fv3, bingham; found "magflow"',
                      self.sciara("init", "dem.asc", *vent, "-o", "c.json", "--rule", "magflow", code=2).stderr)
        self.sciara("init", "dem.asc", *vent, "-o", "fv3.json", "--rule", "fv3")
        os.rename(self.path("b.json"), self.path("bingham.json"))
        parameters = {p["rule"]: p["model"] for p in json.loads(self.sciara("presets", "--json").stdout)["presets"]}
        for rule, title in (("fv3", "cellular automaton SCIARA-fv3"), ("bingham", "cellular automaton SCIARA, rule bingham")):
            self.sciara("run", f"{rule}.json", "-q", "-n", 5, "-o", rule)
            r = case.record(self.path(rule))
            self.assertEqual(r["model_rule"], rule)
            self.sciara("export", rule, "-f", "nc", "-q", "-o", f"{rule}.nc")
            snapshot = self.path(rule, r["snapshots"][-1]["name"])
            for name in (snapshot, self.path(f"{rule}.nc")):
                with h5py.File(name) as f:
                    self.assertEqual(f.attrs["model_rule"].decode(), rule)
                    self.assertTrue(f.attrs["source"].decode().endswith(f"), {title}"), name)
                    self.assertEqual({who: who in f.attrs["references"].decode() for who in ("Spataro", "Vicari", "Del Negro")},
                                     {"Spataro": rule == "fv3", "Vicari": rule == "bingham", "Del Negro": rule == "bingham"})
            for name in (rule, snapshot):
                self.assertRegex(self.sciara("info", name).stdout, f"(?m)^rule: +{rule}$")
            self.sciara("export", rule, "-f", "html", "-q", "-o", f"{rule}.html")
            page = json.loads(re.search(r'(?s)<script type="application/json"[^>]*>(.*?)</script>', case.read_text(self.path(f"{rule}.html")))[1])
            self.assertTrue(page["source"].endswith(f"), {title}"), page["source"])
            model = json.loads(page["scenario"])["model"]
            self.assertEqual((model["rule"], "friction" in model, "cooling" in model), (rule, rule == "bingham", rule == "fv3"))
            self.sciara("export", rule, "-f", "cog", "-q", "-o", f"{rule}.tif")
            for name in (self.path(rule, "maps", "deposit.tif"), self.path(f"{rule}.tif")):
                tags = gdal.Open(name).GetMetadata()
                self.assertEqual(tags["Rule"], rule)
                self.assertEqual({name: float(value) for name, value in (word.split("=") for word in tags["Parameters"].split())},
                                 {key: model[key] for key in parameters[rule]})
                self.assertTrue(tags["Software"].endswith(title), tags)

    def accepted(self):
        """Keys, and the values of the accepted sets as they are in config/: (set, key)."""
        rows = case.read_rows(os.path.join(case.SOURCE, "config", "aa-sets.csv"))
        keys = [key for key in rows[0] if key.startswith("model.")]
        return keys, numpy.array([[float(row[key]) for key in keys] for row in rows])

    def test_prior_of_the_accepted_sets(self):
        """Prior "aa" is what the accepted sets say: the middle and the spread of what is drawn, its ends, and correlations; the preset
        lies within."""
        keys, values = self.accepted()
        columns = dict(zip(keys, values.T))
        listed = json.loads(self.sciara("presets", "--json").stdout)
        prior, = (p for p in listed["priors"] if p["name"] == "aa")
        sheet, = (p for p in listed["presets"] if p["name"] == SHEET)
        preset = {f"model.{key}": value for key, value in sheet["model"].items()}
        drawn = {}
        for of in prior["vary"]:
            key, times = of["key"], of.get("times")
            x = drawn[key] = columns[key] / (columns[times] if times else 1)
            ends = of.get("truncate") or of["log_uniform"]
            self.assertEqual(ends, [float(f"{end:.2g}") for end in (x.min(), x.max())], key)
            if "lognormal" in of:
                self.assertEqual(of["lognormal"], {"median": float(f"{numpy.median(x):.3g}"),
                                                   "sd_log": float(f"{numpy.log(x).std(ddof=1):.2g}")}, key)
            self.assertTrue(ends[0] <= preset[key] / (preset[times] if times else 1) <= ends[1], key)
        self.assertEqual(sorted(drawn), sorted(keys))
        correlations = numpy.corrcoef([numpy.log(x) for x in drawn.values()])
        expected = {(a, b): float(f"{correlations[i, k]:.1f}") for i, a in enumerate(drawn) for k, b in enumerate(drawn)
                    if i < k and abs(correlations[i, k]) >= 0.35}
        self.assertEqual({(p["first"], p["second"]): p["coefficient"] for p in prior["correlation"]}, expected)

    def test_tables_of_the_accepted_sets(self):
        """docs/calibration.md has their median and ends, docs/rules.md the ends as those of the prior."""
        keys, values = self.accepted()
        columns = dict(zip(keys, values.T))
        pages = {}
        for page in ("calibration", "rules"):
            pages[page] = case.read_text(os.path.join(case.SOURCE, "docs", f"{page}.md")).replace("·10", "e").replace("⁻", "-").translate(str.maketrans("⁴⁵⁶⁷", "4567"))
        self.assertIn(f"of which {len(values)} are accepted", pages["calibration"].replace("\n", " "))
        number = r"([-0-9.e]+)"
        for key, times in (("yield_strength_vent_Pa", None), ("yield_strength_sol_Pa", "yield_strength_vent_Pa"), ("viscosity_vent_Pa_s", None),
                           ("viscosity_sol_Pa_s", "viscosity_vent_Pa_s"), ("radiating_share", None)):
            x = columns[f"model.{key}"] / (columns[f"model.{times}"] if times else 1)
            expected = [float(f"{numpy.median(x):.3g}"), float(f"{x.min():.2g}"), float(f"{x.max():.2g}")]
            line, = re.findall(rf"(?m)^\| `{key}`(?: over that)? \| {number} \| {number} to {number} \|$", pages["calibration"])
            self.assertEqual([float(shown) for shown in line], expected, key)
            line, = re.findall(rf"(?m)^\| `{key}` \| (?:the former times )?log-uniform, {number} to {number} \|$", pages["rules"])
            self.assertEqual([float(shown) for shown in line], expected[1:], key)

    def test_engines_of_a_rule(self):
        listed = json.loads(self.sciara("engines", "--json").stdout)
        rules = {engine["name"]: engine["rules"] for engine in listed["engines"]}
        text = self.sciara("engines").stdout
        self.assertEqual(rules["serial"], ["fv3", "bingham"])
        for rule, name in listed["auto"].items():
            self.assertIn(rule, rules[name])
        self.assertIn(f"auto: {listed['auto']['fv3']}\nauto with rule bingham: {listed['auto']['bingham']}\n", text)
        self.write_scenario(model={"rule": "bingham"})
        for engine in listed["engines"]:
            shown = re.search(rf"(?m)^{engine['name']} .*\n(?: +not available.*\n)?( +rules: (.*)\n)?", text)
            self.assertEqual(shown[2], None if len(engine["rules"]) == 2 else ", ".join(engine["rules"]))
            if "bingham" in engine["rules"]:
                continue
            found = self.sciara("run", "s.json", "-e", engine["name"], "-o", "x", code=2).stderr
            those = ", ".join(name for name, has in rules.items() if "bingham" in has)
            self.assertIn(f"engine \"{engine['name']}\" does not have rule \"bingham\"; these engines have it: {those}", found)

    def test_bad_values(self):
        self.write_scenario(model=case.SHEET)
        for words, message in (
                (["viscosity_sol_Pa_s=1000"], "expected at least model.viscosity_vent_Pa_s = 670000"),
                (["yield_strength_vent_Pa=0"], "expected a yield strength above 0 at both temperatures, or 0 at both (Newtonian lava)"),
                (["yield_strength_sol_Pa=0"], "expected a yield strength above 0 at both temperatures, or 0 at both (Newtonian lava)"),
                (["radiating_share=1.5"], "model.radiating_share: expected 0 to 1; found 1.5"),
                (["dissipation_vent=0.3"], 'a key of rule "fv3"')):
            self.assertIn(message, self.sciara("check", "s.json", *(f"--set=model.{word}" for word in words), code=3).stderr)
        self.sciara("check", "s.json", "--set=model.yield_strength_vent_Pa=0", "--set=model.yield_strength_sol_Pa=0")
        for word in ("viscosity_vent_Pa_s=1e-20", "yield_strength_vent_Pa=1e-40", "radiating_share=1e-30", "friction=1e-20"):
            self.assertIn("in single precision", self.sciara("check", "s.json", f"--set=model.{word}", "-p", "single", code=3).stderr)
            self.sciara("check", "s.json", f"--set=model.{word}")
        self.assertIn('rule "bingham" has no fast math; expected engine.math "exact"',
                      self.sciara("check", "s.json", "-e", "serial", "-p", "single", "--fast-math", code=2).stderr)

    def test_a_checkpoint_has_a_rule(self):
        self.write_scenario(model={})
        self.sciara("run", "s.json", "-q", "-n", 20, "-o", "a", "--checkpoint-every", "10000 d")
        found = self.sciara("resume", "a", "-o", "b", "--set", "model.rule=bingham", code=3).stderr
        self.assertIn('model.rule: found "bingham", the checkpoint was computed with "fv3"', found)
        checkpoint = next(name for name in os.listdir(self.path("a", "checkpoints")))
        case.write_json(self.path("t.json"), {**case.read_json(self.path("s.json")), "model": {"rule": "bingham"}, "vents": [],
                                              "initial": {"checkpoint": f"a/checkpoints/{checkpoint}"}})
        self.assertIn('initial.checkpoint: ', self.sciara("check", "t.json", code=3).stderr)
        self.assertIn('computed with rule "fv3", found model.rule "bingham"; expected "model.rule": "fv3", or initial.thickness and '
                      "initial.temperature", self.sciara("check", "t.json", code=3).stderr)
        self.sciara("check", "t.json", "--set", "model.rule=fv3")
