# SPDX-License-Identifier: Apache-2.0
"""Vents with an area, "front at rest", the limit of thickness, and warnings about towers, from scenario to files."""
import json
import math
import os
import re

import case
from case import Case, ScenarioCase, open_snapshot, record

VENT = {"row": 8, "col": 20, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}}
REST = ("--until", "front at rest", "--set", "run.front_at_rest=10 min")


class Areas(Case):
    def test_the_rate_is_that_of_the_whole_vent(self):
        self.write_scenario(vents=[{**VENT, "radius_m": 25}])
        done = self.sciara("check", "s.json")
        self.assertIn("from 21 cells, of which this is the first", done.stdout)
        checksums = set()
        for engine in case.exact_engines():
            run = record(self.run_scenario(engine, "-e", engine, "--until", "30 min"))
            self.assertAlmostEqual(run["ledger"]["emitted_m3"], 6000, delta=6e-9)
            checksums.add(run["snapshots"][-1]["checksum"])
        self.assertEqual(len(checksums), 1, "engines differ")

    def test_cells_in_the_sea_are_left_out(self):
        """Some of a disc of 30 m around a vent on the coast, as the altitudes have it; the whole of one far out in the sea is refused."""
        level = case.altitude(20, 20)
        disc = [(r, c) for r in range(case.ROWS) for c in range(case.COLS) if (r - 19) ** 2 + (c - 20) ** 2 <= 9]
        wet = [cell for cell in disc if case.altitude(*cell) <= level]
        self.assertTrue(0 < len(wet) < len(disc))
        self.write_scenario(vents=[{**VENT, "row": 19, "col": 20, "radius_m": 30}], dem={"path": "dem.asc", "crs": "EPSG:32633", "sea": level})
        done = self.sciara("check", "s.json")
        self.assertIn(f"vent 1: {len(wet)} of the {len(disc)} cells of its area are left out: 0 on the rim of the domain, {len(wet)} in the sea, "
                      "0 NODATA; the others emit the whole rate", done.stderr)
        self.assertIn(f"from {len(disc) - len(wet)} cells", done.stdout)
        done = self.sciara("check", "s.json", "--set", "vents.0.row=26", code=3)
        self.assertIn("expected a cell whose 8 neighbours are valid in the area of the vent, found 0 on the rim of the domain, "
                      f"{len(disc)} in the sea, 0 NODATA", done.stderr)


class FrontAtRest(ScenarioCase):
    def test_same_step_on_every_engine_and_after_a_resume(self):
        whole = record(self.run_scenario("whole", "-e", "serial", *REST))
        self.assertEqual((whole["status"], whole["stop_reason"]), ("complete", "front at rest"))
        full = record(self.run_scenario("full", "-e", "serial"))
        self.assertLess(whole["state"]["step"], full["state"]["step"])
        for engine in case.exact_engines():
            found = record(self.run_scenario(engine, "-e", engine, *REST, "--set", "output.every=7 min"))
            self.assertEqual(found["state"], whole["state"], engine)
        last = float(open_snapshot(self.path("whole", whole["snapshots"][-1]["name"])).arrival_time.max())
        self.assertTrue(0 <= whole["state"]["time_s"] - (last + 600) < 120, "less than a clock after 10 min without a new cell")
        for name, part in (("early", whole["state"]["step"] // 2), ("late", whole["state"]["step"] - 1)):
            self.run_scenario(name, "-e", "serial", *REST, "--steps", part, "--checkpoint-every", "1000 d")
            self.sciara("resume", name, "-q", "-o", name + "-rest", "--set", "run.max_steps=null")
            rest = record(self.path(name + "-rest"))
            self.assertEqual((rest["state"], rest["stop_reason"]), (whole["state"], "front at rest"))
            self.assertEqual(rest["snapshots"][-1]["checksum"], whole["snapshots"][-1]["checksum"])
        before = record(self.path("whole"))
        self.sciara("resume", "whole", "-q")  # complete: no step is done
        self.assertEqual(record(self.path("whole"))["state"], before["state"])

    def test_lava_that_is_still_to_come_is_a_warning(self):
        """A pause between two rates is longer than the rule waits: run, info and member say what is emitted after it."""
        pause = {**VENT, "effusion": {"slot": "10 min", "rates_m3_s": [4, 0, 0, 0, 6]}}
        self.write_scenario(vents=[pause])
        done = self.sciara("run", "s.json", "-o", "out", *REST)
        run = record(self.path("out"))
        left = 600 * (4 + 6) - run["ledger"]["emitted_m3"]
        self.assertEqual((run["stop_reason"], round(left)), ("front at rest", 3600))
        text = ("the front is at rest, but the vents emit another 3600 m3 after the end of the run, until simulated time 50 min: "
                'that lava may cover more cells; expected a longer run.front_at_rest, or run.until "solidified"')
        self.assertEqual(run["warnings"], [{"kind": "effusion", "text": text}])
        self.assertIn("warning: " + text, done.stderr)
        self.assertIn(text, self.sciara("info", "out").stdout)
        for cure in (("--set", "run.front_at_rest=1 h", *REST[:2]), ("--until", "solidified")):
            cured = record(self.run_scenario("cured", *cure, "--overwrite"))
            self.assertNotIn("warnings", cured)
            self.assertAlmostEqual(cured["ledger"]["emitted_m3"], 6000, delta=6e-9)
        self.sciara("export", "out", "-q", "-f", "cog", "--field", "deposit", "-o", "lava.tif")
        keys = {"run.until": "front at rest", "run.front_at_rest": "10 min"}
        done = self.sciara("evaluate", "s.json", "-q", "--observed", "lava.tif", input=json.dumps({"set": keys}))
        self.assertEqual(json.loads(done.stdout)["warnings"], [text])
        self.write_scenario(vents=[pause], run={"until": "front at rest", "front_at_rest": "10 min"})
        case.write_json(self.path("e.json"), {"base": "s.json", "sample": {"method": "full"}})
        self.sciara("ensemble", "plan", "e.json", "-q", "-o", "e", "--no-estimate")
        self.assertIn("censored: they ended before their own stop rule", self.sciara("ensemble", "run", "e").stderr)

    def test_check_names_it(self):
        done = self.sciara("check", "s.json", "--until", "front at rest")
        self.assertIn("end:           when no cell has become newly covered for 2 d", done.stdout)


class MaxThickness(ScenarioCase):
    def test_exit_and_state(self):
        states = set()
        for engine in case.exact_engines():
            done = self.sciara("run", "s.json", "-q", "-e", engine, "-o", engine, "--set", "run.max_thickness_m=2.5", code=5)
            self.assertRegex(done.stderr, r"row 8, column 20 has 2\.\d+ m of liquid lava, run\.max_thickness_m allows 2\.5 m; "
                                          r"the state is that of this step\. .*vents\[\]\.radius_m")
            run = record(self.path(engine))
            self.assertEqual(run["status"], "failed")
            self.assertIn("run.max_thickness_m", run["stop_reason"])
            self.assertLessEqual(abs(run["ledger"]["residual_m3"]), run["ledger"]["bound_m3"])
            self.assertEqual(run["snapshots"][-1]["step"], run["state"]["step"])
            states.add((run["state"]["step"], run["snapshots"][-1]["checksum"]))
            self.assertEqual(os.listdir(self.path(engine, "checkpoints")), [f"{run['state']['step']:08d}.h5"])
        self.assertEqual(len(states), 1, "engines differ")

    def test_resume(self):
        self.sciara("run", "s.json", "-q", "-o", "out", "--set", "run.max_thickness_m=2.5", code=5)
        done = self.sciara("resume", "out", "-q", code=5)  # at once, with the same error
        self.assertIn("run.max_thickness_m allows 2.5 m", done.stderr)
        self.sciara("resume", "out", "-q", "-o", "free", "--set", "run.max_thickness_m=null")
        whole = record(self.run_scenario("whole"))
        self.assertEqual(record(self.path("free"))["snapshots"][-1]["checksum"], whole["snapshots"][-1]["checksum"])


def of_towers(folder):
    """The warnings of a run but for the one about cells of 1 m, for which the parameters of fv3 were not made."""
    return [warning for warning in record(folder).get("warnings", []) if warning["kind"] != "cells"]


class Towers(Case):
    def prepare_test(self):
        case.write_grid(self.path("flat.asc"), lambda row, col: 100, 41, 41, 1)
        self.write(3)

    def write(self, rate, **vent):
        vents = [{"row": 20, "col": 20, "effusion": {"slot": "1 h", "rates_m3_s": [rate]}, **vent}]
        case.write_json(self.path("s.json"), {"dem": {"path": "flat.asc", "crs": "EPSG:32633"}, "vents": vents,
                                              "run": {"until": "3 min"}, "output": {"every": "1 min", "maps": ["deposit"]}})

    def test_check_says_so(self):
        done = self.sciara("check", "s.json")
        self.assertIn("    x = 1.3 at the peak rate of 3 m3/s, piles up without bound; x = 0.2 with radius_m = ", done.stdout)
        self.assertRegex(done.stderr, r"warning: vents\[0\] \(vent 1\): x = 1\.3 at its peak rate of 3 m3/s: .* without bound")
        self.write(1)
        done = self.sciara("check", "s.json")
        self.assertIn("    x = 0.43 at the peak rate of 1 m3/s, stands about 1.8 m above flat ground; x = 0.2 with ",
                      done.stdout)
        self.assertNotIn("warning: vents", done.stderr)
        self.write(1, radius_m=2)
        done = self.sciara("check", "s.json")
        self.assertIn("    x = 0.039 at the peak rate of 1 m3/s, stands about 0.41 m above flat ground\n", done.stdout)

    def test_a_run_notices_once(self):
        found = set()
        for engine in case.exact_engines():
            done = self.sciara("run", "s.json", "-e", engine, "-o", engine)
            self.assertEqual(done.stderr.count("stands "), 1, done.stderr)
            self.assertEqual([w["kind"] for w in record(self.path(engine))["warnings"]], ["cells", "vent"])
            warnings = of_towers(self.path(engine))
            found.add(str(warnings))
            self.assertEqual((warnings[0]["cell"], warnings[0]["x"], warnings[0]["y"]), ([20, 20], 500020.5, 4177020.5))
            info = self.sciara("info", engine).stdout
            self.assertIn(f"warning:       {warnings[0]['text']}\n", info)
        self.assertEqual(len(found), 1, "engines differ")
        self.sciara("export", "serial", "-q", "-f", "html", "-o", "page.html")
        data = json.loads(re.search(r'id="data">(.*?)</script>', case.read_text(self.path("page.html")), re.S)[1])
        self.assertEqual([(w["kind"], w["row"], w["col"]) for w in data["warnings"]], [("vent", 20, 20)])
        self.assertAlmostEqual(data["warnings"][0]["height_m"], of_towers(self.path("serial"))[0]["height_m"])
        self.assertRegex(data["warnings"][0]["text"], rf"stands {data['warnings'][0]['height_m']:.3g} m above ")

    def test_low_rates_have_another_cure(self):
        """While no lava flows, all lava of a step of 60 s comes up at once: 6 m of it."""
        self.write(0.1)
        line = "    up to 6 m come up at once in a cell while no lava flows; one side of a cell with model.clock_max_s = 20\n"
        self.assertIn(line, self.sciara("check", "s.json").stdout)
        long = ["--until", "30 min", "--set", "output.every=null"]
        warning, = of_towers(self.run_scenario("low", *long))
        self.assertIn("brings up to 6 m into a cell", warning["text"])
        self.assertIn("set model.clock_max_s to 20 or less", warning["text"])
        self.assertEqual(of_towers(self.run_scenario("cured", *long, "--set", "model.clock_max_s=20")), [])
        self.write(2)
        self.assertNotIn("clock_max_s", self.sciara("check", "s.json").stdout)  # it is too much for the cell at any clock

    def test_vents_of_a_cell_add_up(self):
        def vent(row, col, rate, slots=None, **more):
            return {"row": row, "col": col, "effusion": {"slot": "1 h", "rates_m3_s": slots or [rate]}, **more}

        def loads(*vents):
            case.write_json(self.path("s.json"), {"dem": {"path": "flat.asc", "crs": "EPSG:32633"}, "vents": list(vents)})
            done = self.sciara("check", "--no-estimate", "s.json")
            self.warnings = " ".join(done.stderr.split())
            return [line.strip() for line in done.stdout.split("\n") if line.startswith("    x = ")]

        one, = loads(vent(20, 20, 3))
        self.assertIn("x = 1.3 at the peak rate of 3 m3/s, piles", one)
        for line in loads(vent(20, 20, 1), vent(20, 20, 2)):  # in one cell: as one vent of their sum
            self.assertIn("x = 1.3 at the peak rate of 3 m3/s of the 2 vents in this cell, piles", line)
        self.assertIn("vents[1] (vent 2) with the other 1 in its cell: x = 1.3 at", self.warnings)
        for line in loads(vent(20, 20, 0, [0, 3]), vent(20, 20, 0, [3, 0])):  # one after the other
            self.assertIn("x = 1.3 at the peak rate of 3 m3/s of the 2", line)
        for line in loads(vent(20, 20, 1), vent(20, 21, 1), vent(20, 9, 0, [3, 1], **{"from": "1 h"}), vent(20, 3, 0, [1, 3], until="1 h")):
            self.assertIn("x = 0.43 at the peak rate of 1 m3/s, stands", line)
        line = {"line": [[500030.5, 4177020.5], [500036.5, 4177020.5]], "width_m": 5, "effusion": {"slot": "1 h", "rates_m3_s": [3]}}
        for found, perimeter in zip(loads(vent(20, 15, 3, radius_m=3), line), (2 * math.pi * 3, 2 * (6 + 5))):
            load = 3 / (8 / 9 * 9.81 * 0.685 * 0.5 * (4 / (9.81 * 0.685)) ** 0.5) / (0.875 * perimeter)  # docs/model.md
            self.assertAlmostEqual(float(found.split()[2]), load, delta=0.03 * load)

    def test_what_check_prints_suffices(self):
        """With the radius, width or cell size that check prints, larger cells of a line included, x is 0.2 at most."""
        line, point = [[500015.5, 4177020.5], [500025.5, 4177020.5]], {"x": 500020.5, "y": 4177020.5}
        for place, rate in ((point, 2), (point, 3), (point, 7), ({**point, "radius_m": 3}, 12), ({"line": line}, 9), ({"line": line, "width_m": 4}, 20)):
            case.write_json(self.path("s.json"), {"dem": {"path": "flat.asc", "crs": "EPSG:32633"},
                                                  "vents": [{**place, "effusion": {"slot": "1 h", "rates_m3_s": [rate]}}]})
            cures = re.findall(r"(radius_m|width_m|dem\.cell_size_m) = ([0-9.]+)", self.sciara("check", "--no-estimate", "s.json").stdout)
            self.assertEqual(len(cures), 2)
            for key, value in cures:
                key = key if key.startswith("dem") else f"vents.0.{key}"
                cured = self.sciara("check", "--no-estimate", "s.json", "--set", f"{key}={value}").stdout
                self.assertLessEqual(float(re.search("x = ([0-9.]+) at", cured)[1]), 0.2, (place, rate, key, value))

    def test_a_resumed_run_has_the_same_warning(self):
        whole = record(self.run_scenario("whole"))
        self.run_scenario("half", "--steps", whole["state"]["step"] - 9, "--checkpoint-every", "1000 d")
        self.sciara("resume", "half", "-q", "-o", "rest", "--set", "run.max_steps=null")
        self.assertEqual([w["kind"] for w in of_towers(self.path("rest"))], ["vent"])

    def test_nothing_to_notice(self):
        self.write(3, radius_m=4)
        self.assertEqual(of_towers(self.run_scenario("wide")), [])
        self.write_scenario()
        self.assertNotIn("warnings", record(self.run_scenario("usual")))


class Estimate(Case):
    def estimate(self, *args):
        report = self.sciara("check", "s.json", *args).stdout
        lines = report.splitlines()
        return [line for line in lines if line.startswith("estimate:")]

    def test_a_short_run_is_exact(self):
        self.write_scenario()
        before = case.tree(self.work)
        found = self.estimate("-e", "serial")
        self.assertEqual(case.tree(self.work), before, "files of the folder")
        run = record(self.run_scenario("out", "-e", "serial"))
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0], rf"^estimate:      {run['state']['step']} steps, simulated .*; a probe computed all of it in [0-9.]+ s with up to \d+ threads?$")
        self.assertEqual(self.estimate("--no-estimate"), [])

    def test_a_long_run_is_extrapolated(self):
        """To the next thing that is known to come (unit.time_estimate)."""
        self.write_scenario(**case.ENDLESS)
        speed = r"at the speed of the first \d+ steps \(simulated [0-9.]+ \S+\), longer as lava spreads; with up to 1 thread"
        for args, known in ((("--until", "3000 d"), r"the end \(3000 d\)"), (("-n", 10**7), r"run\.max_steps")):
            self.assertRegex("\n".join(self.estimate("-e", "serial", *args)), rf"^estimate:      [0-9.]+ \S+ until {known}, {speed}$")
        self.assertRegex(self.estimate("-e", "serial")[0], "^estimate:      .* until the end of the emission ")
