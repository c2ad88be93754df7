#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Named sets of parameters: listed, chosen, changed, and recorded in the files of a run."""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
import h5py

import case
from case import Case

NAME, SHEET = "thesis-etna-2006", "etna-2006-bingham"


class Presets(Case):
    def preset(self):
        listed = json.loads(self.sciara("presets", "--json").stdout)
        self.assertEqual(listed["default"], NAME)
        return next(p for p in listed["presets"] if p["name"] == NAME)

    def test_list(self):
        preset = self.preset()
        schema = json.loads(self.sciara("schema").stdout)["properties"]["model"]["properties"]
        self.assertEqual(schema["preset"]["enum"], [NAME, SHEET])
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
        self.assertIn(f'model.preset: expected "{NAME}" or "{SHEET}"; found "etna"', self.sciara("check", "s.json", code=3).stderr)

    def test_written_by_init(self):
        case.write_dem(self.path("dem.asc"))
        self.sciara("init", "dem.asc", "--vent", f"{case.WEST + 205},{case.NORTH - 85}", "--rate", 1, "--duration", 60,
                    "--set", "model.cooling=2")
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
        """Towers and the size of the cells are no matter of rule bingham; its estimate has a range."""
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
        self.assertRegex(done.stdout, r"rule: +bingham\n(.*\n)*estimate: +[0-9.e+]+( to [0-9.e+]+)? steps")
        done = self.sciara("run", "s.json", "--set", "model.rule=bingham", "-n", 200, "-o", "sheet")
        self.assertNotIn("Towers", done.stderr)
        self.assertEqual(case.record(self.path("sheet")).get("warnings", []), [])


if __name__ == "__main__":
    case.main()
