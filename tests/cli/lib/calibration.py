# SPDX-License-Identifier: Apache-2.0
"""What the tests of sciara calibrate share: a small volcano, a synthetic truth, and a calibration of it."""
import json
import os
import subprocess
import time

import case
from case import SharedCase

TRUTH = {"model.dissipation_vent": 0.4, "model.critical_height_vent_m": 1.5, "model.cooling": 100}
UNKNOWNS = [{"key": "model.dissipation_vent", "min": 0.1, "max": 0.9},
            {"key": "model.critical_height_vent_m", "min": 0.3, "max": 4, "log": True},
            {"key": "model.cooling", "min": 20, "max": 400}]
KEYS = [unknown["key"] for unknown in UNKNOWNS]
PAIRS = [{"scenario": "s.json", "observed": "mapped.tif", "weight": 2},
         {"scenario": "s.json", "observed": "early.tif", "at": "15 min"},
         {"scenario": "b.json", "observed": "mapped.tif", "hold_out": True}]


class CalibrationCase(SharedCase):
    @classmethod
    def prepare(cls):
        cls.prepare_inputs()
        cls.write("c.json")
        case.run_program("calibrate", "c.json", "-q", "-o", "whole", cwd=cls.work)

    @classmethod
    def prepare_inputs(cls):
        case.write_scenario(cls.work)
        case.write_scenario(cls.work, "b.json", vents=[
            {"row": 9, "col": 20, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}}])
        case.write_scenario(cls.work, "bingham.json", model={**case.SHEET, "viscosity_vent_Pa_s": 20000})
        for name, extra in (("mapped", []), ("early", ["--set", "run.until=15 min"])):
            sets = [word for key, value in TRUTH.items() for word in ("--set", f"{key}={value}")]
            case.run_program("run", "s.json", "-q", "-o", name, *sets, *extra, cwd=cls.work)
            case.run_program("export", name, "-q", "--format", "cog", "--output", f"{name}.tif", cwd=cls.work)

    @classmethod
    def write(cls, name, **changes):
        """A calibration file; a key that is None is absent."""
        value = {"pairs": PAIRS, "unknowns": UNKNOWNS, "budget": 80, "seed": 1, **changes}
        case.write_json(os.path.join(cls.work, name), {key: v for key, v in value.items() if v is not None})

    def rows(self, folder):
        """evaluations.csv: a dict for each row, numbers as floats; a score that is missing is None."""
        return [{key: value if key == "status" else float(value) if value else None for key, value in row.items() if key != "checksum"}
                for row in case.read_rows(self.path(folder, "evaluations.csv"))]

    def record(self, folder):
        return case.read_json(self.path(folder, "calibration.json"))

    def start(self, *args):
        return subprocess.Popen([case.PROGRAM, "calibrate", *args], cwd=self.work, stderr=subprocess.PIPE, encoding="utf-8")

    def wait_for_rows(self, folder, count):
        """Until evaluations.csv has so many rows."""
        path, end = self.path(folder, "evaluations.csv"), time.monotonic() + 60
        while time.monotonic() < end:
            if os.path.exists(path):
                with open(path, "rb") as f:
                    if f.read().count(b"\n") > count:
                        return
        self.fail(f"{path} has fewer than {count} rows")

    def evaluate(self, sets, scenario, *observed, score="jaccard"):
        """The Jaccard indices, or another score, of sets of parameters, from sciara evaluate."""
        lines = "".join(json.dumps({"id": k, "set": values}) + "\n" for k, values in enumerate(sets))
        out = self.sciara("evaluate", scenario, "-q", *observed, input=lines).stdout
        return [[part[score] for part in line.get("parts", [line])] for line in map(json.loads, out.splitlines())]

    def write_square(self, name, zone):
        """Some cells below the vent in the CRS of the DEM, declared as that of a zone."""
        x, y = case.WEST + 180, case.NORTH - 200
        corners = [[x, y], [x + 60, y], [x + 60, y + 120], [x, y + 120], [x, y]]
        case.write_features(self.path(name), ({}, "Polygon", [corners]), epsg=zone)
