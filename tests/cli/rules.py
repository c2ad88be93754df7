# SPDX-License-Identifier: Apache-2.0
"""A rule beside the default: in the JSON Schema, in `validate`, with every stop rule, in ensembles; what it refuses."""
import importlib.util
import json
import os
import shutil
import warnings

import h5py

import case
from case import Case, ScenarioCase, record
from geo import gdal

SHEET = {**case.SHEET, "radiating_share": 1}  # solid after 400 steps
NAMES = {"fv3": "thesis-etna-2006", "bingham": "aa"}


class Schema(Case):
    """An editor that knows the schema refuses what the program refuses."""

    def prepare_test(self):
        if not importlib.util.find_spec("jsonschema"):
            self.skipTest("python3-jsonschema is not installed")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import jsonschema
        schema = json.loads(self.sciara("schema").stdout)
        jsonschema.Draft7Validator.check_schema(schema)
        self.validator = jsonschema.Draft7Validator(schema)
        self.keys = {p["rule"]: p["model"] for p in json.loads(self.sciara("presets", "--json").stdout)["presets"]}

    def places(self, model):
        """The keys of "model" at which the schema is broken."""
        errors = self.validator.iter_errors(case.scenario(model=model))
        return {error.absolute_path[1] for error in errors if len(error.absolute_path) > 1 and error.absolute_path[0] == "model"}

    def test_examples_of_both_rules(self):
        for name in ("volcano.json", "volcano-rim.json", "plane.json", "hazard-base.json"):
            scenario = case.read_json(case.SOURCE, "config", name)
            for rule, keys in self.keys.items():
                with self.subTest(name=name, rule=rule):
                    scenario["model"] = {"rule": rule, "preset": NAMES[rule], **keys}
                    self.assertEqual([e.message for e in self.validator.iter_errors(scenario)], [])

    def test_keys_of_the_other_rule(self):
        """However the rule is named: by itself, by its preset, or as the default."""
        references = {"cooling_reference_cell_m": None, "critical_height_reference_cell_m": None}
        values = {**self.keys["bingham"], **self.keys["fv3"], **references}
        for rule, heads in {"fv3": ({}, {"rule": "fv3"}, {"preset": NAMES["fv3"]}, {"rule": "fv3", "preset": NAMES["fv3"]}),
                            "bingham": ({"rule": "bingham"}, {"preset": NAMES["bingham"]},
                                        {"rule": "bingham", "preset": NAMES["bingham"]})}.items():
            own = {*self.keys[rule], *(references if rule == "fv3" else ())}
            for head in heads:
                with self.subTest(head=head):
                    self.assertEqual({key for key in values if self.places({**head, key: values[key]})}, {*values} - own)
        for rule, other in (("fv3", "bingham"), ("bingham", "fv3")):
            self.assertEqual(self.places({"rule": rule, "preset": NAMES[other]}), {"preset"})
        self.assertEqual(self.places({"rule": "magflow", "cooling": 1}), {"rule"}, "and nothing about keys")

    def test_the_program_agrees(self):
        for model in ({"friction": 1}, {"rule": "bingham", "cooling_reference_cell_m": None}, {"preset": NAMES["bingham"], "cooling": 1},
                      {"rule": "bingham", "preset": NAMES["fv3"]}, {"rule": "bingham", "friction": 1}, {"cooling_reference_cell_m": None}):
            self.write_scenario(model=model)
            self.sciara("check", "s.json", code=3 if self.places(model) else 0)


class Refused(Case):
    def refused(self, message, *args, code=3):
        done = self.sciara(*args, code=code)
        self.assertIn(message, done.stderr)
        self.assertFalse(os.path.exists(self.path("out")), "nothing is written")

    def test_what_single_precision_cannot_compute(self):
        """The least values are computed with, thick lava too; less is refused, also where it is a normal number."""
        self.write_scenario(model={"rule": "bingham", "viscosity_sol_Pa_s": 1e15})
        keys = {"viscosity_vent_Pa_s": "Pa s ", "friction": "", "density_kg_m3": "kg/m3 "}
        for key, unit in keys.items():
            self.refused(f"model.{key}: found 9.09e-13, expected at least 9.09495e-13 {unit}in single precision",
                         "run", "s.json", "-o", "out", "-p", "single", "--set", f"model.{key}=9.09e-13")
            self.sciara("check", "s.json", "--set", f"model.{key}=9.09e-13")
        for rule, precision in (("bingham", "single"), ("bingham", "double"), ("fv3", "single")):
            model = json.dumps({"rule": rule})
            done = self.sciara("check", "s.json", "--set", f"engine.precision={precision}", "--set", f"model={model}")
            self.assertEqual("in single precision cooling" in done.stderr, (rule, precision) == ("bingham", "single"), done.stderr)
        least = [f"--set=model.{key}=9.1e-13" for key in (*keys, "viscosity_sol_Pa_s")]
        for thickness in (0, 1000):
            self.sciara("run", "s.json", "-q", "-p", "single", "-e", "serial", "-n", 30, "--overwrite", *least, "--set",
                        f"initial.thickness={thickness}", "-o", "least")

    def test_a_file_of_the_other_rule(self):
        """What init writes has all keys of its rule: they are one error, and what it says is run to its end."""
        case.write_dem(self.path("dem.asc"))
        words = ["init", "dem.asc", "--vent", f"{case.WEST + 205},{case.NORTH - 85}", "--rate", 1, "--duration", 60, "--overwrite"]
        self.sciara(*words, "--rule", "fv3")
        done = self.sciara("check", "dem.json", "--set", "model.rule=bingham", code=3)
        errors = [line for line in done.stderr.splitlines() if "error: " in line]
        fv3 = [key for key in case.read_json(self.path("dem.json"))["model"] if key not in self.keys_of("bingham") | {"rule", "preset"}]
        self.assertEqual(errors, [
            "sciara: error: dem.json: model: expected keys of rule \"bingham\" (write the file anew: 'sciara init DEM ... --set "
            "model.rule=bingham'; or remove those of the other rule); found 8 keys of another rule: " + ", ".join([*fv3, "preset"])])
        self.sciara(*words, "--set", "model.rule=bingham")
        self.sciara("check", "dem.json", "--no-estimate")
        scenario = case.read_json(self.path("dem.json"))
        for key in self.keys_of("bingham"):
            scenario["model"].pop(key, None)
        scenario["model"] |= {"rule": "bingham"}
        case.write_json(self.path("dem.json"), scenario)
        self.sciara("check", "dem.json", "--no-estimate")

    def keys_of(self, rule):
        return {key for p in json.loads(self.sciara("presets", "--json").stdout)["presets"] if p["rule"] == rule for key in p["model"]}

    def test_varied_keys(self):
        """Once for the key, not for each member; members may have rules of their own."""
        vary = [{"key": "model.T_sol_K", "uniform": [1100, 1150]}, {"key": "model.friction", "uniform": [0.1, 0.2]}]
        self.write_scenario(model={})
        plan = {"base": "s.json", "sample": {"method": "random", "count": 50, "seed": 1}, "vary": vary}
        case.write_json(self.path("e.json"), plan)
        done = self.sciara("ensemble", "plan", "e.json", "-o", "out", code=3)
        self.assertIn('e.json: vary[1].key: expected a key of rule fv3, which the base has, or a base of the other rule; found '
                      '"model.friction", a key of rule bingham', done.stderr)
        self.assertEqual(done.stderr.count("error: "), 1)
        self.assertFalse(os.path.exists(self.path("out")))
        case.write_json(self.path("e.json"), {**plan, "vary": [*vary, {"key": "model.rule", "values": ["fv3", "bingham"]}]})
        found = self.sciara("ensemble", "plan", "e.json", "-o", "out", code=3).stderr
        self.assertRegex(found, r'member \d+: model.friction: expected a key of rule "fv3", or "rule": "bingham"')
        case.write_json(self.path("e.json"), {**plan, "sample": {"method": "full"},
                                              "vary": [{"key": "model.rule", "values": ["fv3", "bingham"]}]})
        self.sciara("ensemble", "plan", "e.json", "-o", "out")

    def test_members_of_a_checkpoint(self):
        """A forecast from a checkpoint has its rule in every member."""
        self.write_scenario(model={})
        folder = self.run_scenario("a", "-n", 20, "--checkpoint-every", "1000 d")
        checkpoint, = os.listdir(os.path.join(folder, "checkpoints"))
        self.write_scenario("base.json", model={}, initial={"checkpoint": f"a/checkpoints/{checkpoint}"}, run={"until": "20 min"})
        plan = {"base": "base.json", "sample": {"method": "full"}, "vary": [{"key": "model.rule", "values": ["fv3", "bingham"]}]}
        case.write_json(self.path("e.json"), plan)
        self.refused('e.json: member 1: model.rule: expected "fv3", with which initial.checkpoint of the base was computed; found '
                     '"bingham"', "ensemble", "plan", "e.json", "-o", "out")
        plan["vary"][0]["values"].pop()
        case.write_json(self.path("e.json"), plan)
        self.sciara("ensemble", "plan", "e.json", "-o", "out", "--no-estimate")


class Checked(ScenarioCase):
    scenario = {"model": SHEET}

    def test_bench(self):
        """The engines of the scenario's rule are measured."""
        self.sciara("bench", "s.json", "-q", "--engines", "serial,openmp", "--start", 10, "--warm-up", 0, "--steps", 5, "--json", "b.json")
        rows = case.read_json(self.path("b.json"))
        self.assertEqual([row["result"] for row in rows["cases"][0]["engines"]], ["verified"] * len(rows["cases"][0]["engines"]))

    def test_validate(self):
        """Engines with the rule pass, the others are skipped for this reason; a trace of the other rule is refused."""
        done = self.sciara("validate", "-q", "s.json", "--json", "--steps", 60, "--every", 20, "--record", "t.csv")
        has = {e["name"]: e["rules"] for e in json.loads(self.sciara("engines", "--json").stdout)["engines"]}
        results = {e["engine"]: e for e in json.loads(done.stdout)["engines"]}
        self.assertEqual((results["openmp"]["result"], results["openmp"]["step"]), ("passed", 60))
        for name, result in results.items():
            if "bingham" not in has[name]:
                self.assertIn("bingham", result["why"])
        self.sciara("validate", "-q", "s.json", "--against", "t.csv", "--engines", "openmp,scatter")
        found = self.sciara("validate", "-q", "s.json", "--against", "t.csv", "--set", "model.rule=fv3", "--engines", "openmp", "--set",
                            "model.radiating_share=1", code=3)
        self.assertIn('model: expected keys of rule "fv3"', found.stderr)
        self.write_scenario(model={})
        found = self.sciara("validate", "-q", "s.json", "--against", "t.csv", "--engines", "openmp", code=3)
        self.assertIn("the set of parameters of the trace differs", found.stderr)

    def test_other_ends(self):
        solid = record(self.run_scenario("solid"))
        self.assertEqual((solid["stop_reason"], solid["state"]["liquid_cells"]), ("solidified", 0))
        self.assertLessEqual(abs(solid["ledger"]["residual_m3"]), solid["ledger"]["bound_m3"])
        self.assertAlmostEqual(solid["ledger"]["solid_m3"] + solid["ledger"]["lost_m3"], 6000, delta=1e-6)
        for until, limit in (("10 min", "1 h"), ("solidified", "10 min")):
            run = record(self.run_scenario("time", "--until", until, "--set", f"run.max_time={limit}", "--overwrite"))
            self.assertEqual(run["stop_reason"], "time")
            self.assertTrue(600 <= run["state"]["time_s"] < 700, run["state"])
        done = self.sciara("run", "s.json", "-q", "-o", "thick", "--set", "run.max_thickness_m=0.5", code=5)
        self.assertIn("run.max_thickness_m allows 0.5 m", done.stderr)

    def test_a_checkpoint_of_the_rule(self):
        """It is not resumed with the other rule, and continues as if there had been no end."""
        self.write_scenario(model={"rule": "bingham"})
        self.run_scenario("a", "-n", 20, "--checkpoint-every", "1000 d")
        self.assertIn('.h5: model.rule: found "fv3", the checkpoint was computed with "bingham"',
                      self.sciara("resume", "a", "-o", "b", "--set", "model.rule=fv3", code=3).stderr)
        self.assertFalse(os.path.exists(self.path("b")))
        self.sciara("resume", "a", "-q", "-o", "b", "-n", 30)
        whole = record(self.run_scenario("whole", "-n", 30))
        self.assertEqual(record(self.path("b"))["snapshots"][-1]["checksum"], whole["snapshots"][-1]["checksum"])


class Edition(Case):
    """What an earlier edition of a rule computed is read, and never continued; new files name their edition."""

    SAID = 'computed with edition 1 of rule bingham, expected edition 2'

    def prepare_test(self):
        for name in ("run", "ensemble"):
            shutil.copytree(os.path.join(case.SOURCE, "tests", "golden", "editions", "bingham-1", name), self.path(name))
        self.before = case.tree(self.path("run"))
        self.checkpoint = os.path.join("run", "checkpoints", "00000028.h5")

    def test_results_are_read(self):
        self.assertIn("rule:          bingham, edition 1: not that of this program", self.sciara("info", "run").stdout)
        self.assertIn(", undamaged", self.sciara("info", self.checkpoint).stdout)
        self.sciara("export", "run", "-q", "-f", "nc", "-o", "all.nc")
        with h5py.File(self.path("all.nc")) as f:
            self.assertNotIn("model_rule_edition", f.attrs)
        self.assertIn("bit-identical", self.sciara("compare", "run", "run").stdout)
        self.sciara("ensemble", "reduce", "ensemble", "-q")
        with h5py.File(self.path("ensemble", "hazard.nc")) as f:
            self.assertNotIn("model_rule_edition", f.attrs)

    def test_a_run_is_not_continued(self):
        self.assertIn(self.SAID, self.sciara("resume", "run", "-q", "-o", "more", code=3).stderr)
        case.write_json(self.path("run", "run.json"), {**record(self.path("run")), "status": "stopped"})
        self.assertIn(self.SAID, self.sciara("resume", "run", "-q", code=3).stderr)
        self.assertEqual({**case.tree(self.path("run")), "run.json": None}, {**self.before, "run.json": None})

    def test_its_lava_is_not_taken(self):
        base = {"dem": {"path": "run/dem.tif"}, "model": {"rule": "bingham"}, "initial": {"checkpoint": self.checkpoint},
                "vents": [{"name": "v", "row": 5, "col": 7, "effusion": {"slot": "1 d", "rates_m3_s": [3]}}],
                "run": {"until": "20 min"}}
        case.write_json(self.path("s.json"), base)
        self.assertIn(self.SAID, self.sciara("run", "s.json", "-q", "-o", "out", code=3).stderr)

    def test_an_ensemble_is_not_continued(self):
        self.assertIn("planned with edition 1 of rule bingham, expected edition 2",
                      self.sciara("ensemble", "run", "ensemble", "-q", code=3).stderr)

    def test_new_files_name_it(self):
        for rule, edition in (("bingham", 2), ("fv3", None)):
            self.write_scenario(model={"rule": rule})
            run = record(self.run_scenario(rule, "-n", 3, "--checkpoint-every", "1000 d"))
            self.assertEqual(run.get("model_rule_edition"), edition)
            with h5py.File(self.path(rule, "snapshots", "00000003.nc")) as f:
                self.assertEqual(f.attrs.get("model_rule_edition"), edition)
            with h5py.File(self.path(rule, "checkpoints", "00000003.h5")) as f:
                self.assertEqual(f.attrs.get("model.rule_edition"), edition)


class Ensemble(Case):
    def assert_named(self, folder, rules, title):
        """Maps, hazard.nc and the page name the rules of the members."""
        self.assertEqual(gdal.Open(self.path(folder, "maps", "probability_0m.tif")).GetMetadata()["rule"], rules)
        with h5py.File(self.path(folder, "hazard.nc")) as f:
            self.assertEqual(f.attrs["model_rule"].decode(), rules)
            self.assertTrue(f.attrs["source"].decode().endswith(f"), {title}"), f.attrs["source"])
            self.assertEqual([who in f.attrs["references"].decode() for who in ("Spataro", "Vicari")],
                             ["fv3" in rules, "bingham" in rules])
        self.sciara("ensemble", "export", folder, "-f", "html", "-q")
        plan = case.read_json(self.path(folder, "ensemble.json"))
        self.assertRegex(case.read_text(self.path(folder, "maps", "page.html")), rf'"source":"sciara [0-9.]+(-rc[0-9]+)?, {title}, DEM {plan["site_hash"]}"')

    def test_members_of_both_rules(self):
        """Each is what `sciara run` computes with its rule; what is made of them names both."""
        self.write_scenario("base.json", model={}, run={"until": "20 min"})
        for rules in (["fv3", "bingham"], ["fv3"]):
            case.write_json(self.path("e.json"), {"base": "base.json", "sample": {"method": "full"}, "result": {"thickness_m": [0]},
                                                  "vary": [{"key": "model.rule", "values": rules}]})
            self.sciara("ensemble", "run", "e.json", "-o", rules[-1], "-q", "--no-estimate", "--no-pictures")
            names = {"fv3": "-fv3", "bingham": ", rules fv3 bingham"}
            self.assert_named(rules[-1], ", ".join(rules), f"cellular automaton SCIARA{names[rules[-1]]}")
        found = {int(row["id"]): row["checksum"] for row in case.read_rows(self.path("bingham", "log.csv"))}
        for k, rule in enumerate(("fv3", "bingham")):
            run = record(self.run_scenario(rule + "-run", "--set", f"model.rule={rule}", name="base.json"))
            self.assertEqual(found[k], run["snapshots"][-1]["checksum"])
