# SPDX-License-Identifier: Apache-2.0
"""sciara calibrate: a synthetic truth is found, every number against other commands, any end and resume, bad input."""
import csv
import json
import math
import os
import re
import shutil
import signal

import case
from calibration import KEYS, PAIRS, UNKNOWNS, CalibrationCase


class Calibrate(CalibrationCase):
    def test_truth_is_found(self):
        rows, best = self.rows("whole"), self.record("whole")["best"]
        self.assertEqual([row["number"] for row in rows], list(range(1, 81)))
        self.assertGreaterEqual(best["score"], 0.97)
        self.assertLess(max(row["score"] for row in rows[:7]), 0.9, "not in the first generation")

    def test_every_number(self):
        rows, record = self.rows("whole"), self.record("whole")
        sets = [{key: row[key] for key in KEYS} for row in rows]
        fitted = self.evaluate(sets, "s.json", "--observed", "mapped.tif", "--observed", "early.tif", "--at", "15 min")
        held_out = self.evaluate(sets, "b.json", "--observed", "mapped.tif")
        for k, (row, (mapped, early), (other,)) in enumerate(zip(rows, fitted, held_out)):
            j, score = (row["jaccard_0"], row["jaccard_1"], row["jaccard_2"]), (2 * mapped + early) / 3
            if row["status"] == "stopped":  # a bound, which is too low to be a parent of the generation before
                before = [one["score"] for one in rows[k // 7 * 7 - 7:k // 7 * 7]]
                self.assertEqual(j, (None, None, None))
                self.assertTrue(score - 1e-15 <= row["score"] < sorted(before)[-3])
            else:
                self.assertEqual((j, row["status"]), ((mapped, early, other), "ok"))
                self.assertAlmostEqual(row["score"], score, delta=1e-15)
            for unknown in UNKNOWNS:
                self.assertTrue(unknown["min"] <= row[unknown["key"]] <= unknown["max"])
        stopped = [row for row in rows if row["status"] == "stopped"]
        self.assertTrue(0 < len(stopped) == record["stopped"])
        self.assertEqual((record["restarts"], record["rested"]), ([], 0))
        best = max(rows, key=lambda row: row["score"])
        self.assertEqual(record["best"], {
            "number": best["number"], "score": best["score"], "values": {key: best[key] for key in KEYS},
            "pairs": [{"observed": os.path.join(".", pair["observed"]), "jaccard": best[f"jaccard_{k}"],
                       "hold_out": pair.get("hold_out", False)} for k, pair in enumerate(PAIRS)]})
        self.assertEqual((record["status"], record["evaluations"], record["without_score"]), ("finished", 80, 0))
        self.assertEqual(record["file"], case.read_json(self.path("c.json")))

    def test_what_files_say_is_printed_once(self):
        case.write_text(self.path("flow.csv"), "time (s),rate (m3/s)\n0,4\n1200,0\n")
        case.write_scenario(self.work, "flow-s.json", vents=[{"row": 8, "col": 20, "effusion": {"csv": "flow.csv"}}])
        self.write("flow.json", design="lhs", budget=5, pairs=[{"scenario": "flow-s.json", "observed": "mapped.tif"}])
        said = self.sciara("calibrate", "flow.json", "-o", "flow").stderr
        self.assertEqual((said.count("flow.csv: "), said.count("dem.asc: AAIGrid")), (1, 1), said)

    def test_run_out_penalty(self):
        """J of each pair times min(r, 1/r) to the power, with the r of sciara evaluate; of a stopped run a bound."""
        self.write("far.json", runout_penalty=2, budget=28)
        self.sciara("calibrate", "far.json", "-q", "-o", "far")
        rows = self.rows("far")
        sets = [{key: row[key] for key in KEYS} for row in rows]
        pairs = ["s.json", "--observed", "mapped.tif", "--observed", "early.tif", "--at", "15 min"]
        ratios = self.evaluate(sets, *pairs, score="runout_ratio")
        lower = 0
        for row, j, r in zip(rows, self.evaluate(sets, *pairs), ratios):
            score = (2 * j[0] * min(r[0], 1 / r[0]) ** 2 + j[1] * min(r[1], 1 / r[1]) ** 2) / 3
            if row["status"] == "stopped":
                self.assertGreaterEqual(row["score"] + 1e-15, score)
                continue
            self.assertEqual([row["jaccard_0"], row["jaccard_1"]], j)
            self.assertAlmostEqual(row["score"], score, delta=1e-14)
            lower += score < (2 * j[0] + j[1]) / 3 - 0.01
        self.assertGreater(lower, 5)
        self.assertEqual(self.record("far")["best"]["score"], max(row["score"] for row in rows if row["status"] != "stopped"))
        self.write("far.json", budget=28)
        self.assertIn("far.json: runout_penalty: expected 2 as when the calibration of far began, found nothing",
                      self.sciara("calibrate", "far.json", "-o", "far", "--resume", code=3).stderr)

    def test_any_number_of_workers(self):
        for count in ("1", "3"):
            self.sciara("calibrate", "c.json", "-q", "-o", f"workers-{count}", "-j", count)
            self.assertEqual(case.tree(self.path(f"workers-{count}")), case.tree(self.path("whole")))

    def test_kill_and_resume(self):
        with self.start("c.json", "-q", "-o", "killed") as program:
            self.wait_for_rows("killed", 10)
            program.kill()
            self.assertEqual(program.wait(), -signal.SIGKILL)
        self.assertEqual(self.record("killed")["status"], "running")
        self.assertLess(len(self.rows("killed")), 80)
        self.sciara("calibrate", "c.json", "-q", "-o", "killed", "--resume")
        self.assertEqual(case.tree(self.path("killed")), case.tree(self.path("whole")))

    def test_resume_from_any_byte(self):
        whole = case.read_bytes(self.path("whole", "evaluations.csv"))
        ends = [k for k, byte in enumerate(whole) if byte == ord("\n")]
        for size in (5, ends[0] + 1, ends[7] + 1, ends[40] - 3, len(whole)):
            folder = f"cut-{size}"
            os.makedirs(self.path(folder))
            shutil.copy(self.path("whole", "calibration.json"), self.path(folder))
            case.write_bytes(self.path(folder, "evaluations.csv"), whole[:size])
            self.sciara("calibrate", "c.json", "-q", "-o", folder, "--resume")
            self.assertEqual(case.tree(self.path(folder)), case.tree(self.path("whole")), size)

    def test_signals_keep_everything(self):
        self.write("long.json", budget=1000000)
        rows = []
        for stop, code, extra in ((signal.SIGINT, 130, []), (signal.SIGTERM, 143, ["--resume"])):
            with self.start("long.json", "-o", "stopped", *extra) as program:
                self.wait_for_rows("stopped", len(rows) + 5)  # of its own: it then has the folder
                self.assertIn("evaluations.csv: another process writes it",
                              self.sciara("calibrate", "long.json", "-o", "stopped", "--resume", code=3).stderr)
                program.send_signal(stop)
                err = program.communicate(timeout=60)[1]
                self.assertEqual(program.returncode, code, err)
            rows, record = self.rows("stopped"), self.record("stopped")
            self.assert_parts(err, f"{len(rows)} of 1000000 evaluations are finished", "the same command with --resume continues stopped")
            common = min(len(rows), 80)
            self.assertEqual(rows[:common], self.rows("whole")[:common], "the budget alone is another")
            best = max(rows, key=lambda row: row["score"])
            self.assertEqual((record["status"], record["evaluations"], record["best"]["number"]),
                             ("interrupted", len(rows), best["number"]))
            self.assertEqual(case.read_json(self.path("stopped", "best.json"))["model"]["cooling"], best["model.cooling"])

    def check_even(self, rows, count):
        """One point in each of `count` equal intervals of each unknown."""
        for unknown in UNKNOWNS:
            shape = math.log if unknown.get("log") else float
            low, high = shape(unknown["min"]), shape(unknown["max"])
            places = [(shape(row[unknown["key"]]) - low) / (high - low) for row in rows[:count]]
            self.assertEqual(sorted(int(count * place) for place in places), list(range(count)))

    def test_points_and_accepted(self):
        for design in ("lhs", "sobol"):
            self.write(f"{design}.json", design=design, budget=32, seed=None)
            self.sciara("calibrate", f"{design}.json", "-q", "-o", design)
            rows = self.rows(design)
            self.assertEqual(len(rows), 32)
            self.check_even(rows, 32)
            best = max(row["score"] for row in rows)
            accepted = [row for row in rows if row["score"] >= 0.9 * best]
            self.assertTrue(1 < len(accepted) < 32)
            found = [{key: float(row[key]) for key in ["id"] + KEYS} for row in case.read_rows(self.path(design, "accepted.csv"))]
            self.assertEqual(found, [{"id": row["number"], **{key: row[key] for key in KEYS}} for row in accepted])
        self.check_even(self.rows("sobol"), 8)
        self.assertNotEqual(self.rows("lhs"), self.rows("sobol"))
        case.write_json(self.path("ensemble.json"), {"base": "s.json", "members": "sobol/accepted.csv"})
        self.sciara("ensemble", "run", "ensemble.json", "-q", "--no-estimate", "--no-pictures")
        self.assertEqual(len(self.table("ensemble", "members.csv")), len(accepted))

    def test_rate_scale(self):
        """A factor of all rates, of two scenarios at a time: as if the rates had been multiplied."""
        double = {"vents": [{"row": 8, "col": 20, "effusion": {"slot": "10 min", "rates_m3_s": [8, 12]}}]}
        self.write_scenario("double.json", **double)
        self.write_scenario("late.json", vents=[{"row": 9, "col": 20, "start": "5 min", "effusion": {
            "table": [["0 min", 4], ["10 min", 6], ["20 min", 0]]}}])
        j = {name: self.evaluate([{}], name, "--observed", "mapped.tif")[0] for name in ("s.json", "double.json", "late.json")}
        self.assertNotEqual(j["s.json"], j["double.json"])
        for name, scale, same in (("s.json", 1, "s.json"), ("s.json", 2, "double.json"), ("double.json", 0.5, "s.json"),
                                  ("late.json", 1, "late.json")):
            self.assertEqual(self.evaluate([{"rate_scale": scale}], name, "--observed", "mapped.tif")[0], j[same])
        for values, message in (({"rate_scale": -1}, "rate_scale: expected a number, 0 to 1e6; found -1"),
                                ({"rate_scale": [1]}, "rate_scale: expected a number, 0 to 1e6; found [1]"),
                                ({"rate_scale": 1e6}, "vents[0].effusion.table"),
                                ({"rate_scale": 1, "vents[0].effusion.slot": 60}, "rate_scale: expected no other key of rates; "
                                 "found vents[0].effusion.slot")):
            self.refuse_set(values, message)
        unknowns = [{"key": "rate_scale", "min": 0.5, "max": 2, "log": True},
                    {"key": "rate_shape", "min": 0.1, "max": 10, "log": True}, UNKNOWNS[2]]
        self.write("rates.json", unknowns=unknowns, design="lhs", budget=12, pairs=[
            {"scenario": "double.json", "observed": "mapped.tif"}, {"scenario": "late.json", "observed": "mapped.tif"}])
        self.sciara("calibrate", "rates.json", "-q", "-o", "rates")
        rows = self.rows("rates")
        for k, (name, slots) in enumerate((("double.json", [8, 12]), ("late.json", [4, 6]))):
            rates = [self.shaped(slots, row["rate_shape"], row["rate_scale"]) for row in rows]
            found = self.evaluate([{"vents.0.effusion": {"slot": "10 min", "rates_m3_s": r}, "model.cooling": row["model.cooling"]}
                                   for r, row in zip(rates, rows)], name, "--observed", "mapped.tif")
            self.assertEqual(found, [[row[f"jaccard_{k}"]] for row in rows])
        best = max(self.rows("rates"), key=lambda row: row["score"])
        self.sciara("run", "rates/best.json", "-q")
        scores = json.loads(self.sciara("compare", "rates/best.out", "--observed", "mapped.tif", "--json").stdout)
        self.assertEqual(scores["jaccard"], best["jaccard_0"])
        case.write_json(self.path("scaled.json"), {"base": "double.json", "members": "rates/accepted.csv"})
        self.sciara("ensemble", "plan", "scaled.json", "-q", "--no-estimate", "-o", "scaled")
        for member in self.table("scaled", "members.csv"):
            row = self.rows("rates")[int(member["id"]) - 1]
            self.assertEqual(float(member["rate_scale"]), row["rate_scale"])
            rates = self.shaped([8, 12], row["rate_shape"], row["rate_scale"])
            found = json.loads(member["vents.0.effusion"])["table"]
            self.assertEqual([time for time, _ in found], [0, 600, 1200])
            for (_, rate), expected in zip(found, rates + [0]):
                self.assertAlmostEqual(rate, expected, places=10)

        with open(self.path("rates", "accepted.csv"), encoding="ascii", newline="") as f:
            self.assertEqual(next(csv.reader(f)), ["id", "stratum", "replicate", "vent", "event", "weight", "rate_scale", "rate_shape", "model.cooling"])
        self.write_scenario("later.json", vents=[{"row": 8, "col": 20, "effusion": {"slot": "10 min", "rates_m3_s": [8, 12, 0, 5]}}])
        case.write_json(self.path("forecast.json"), {"base": "later.json", "members": "rates/accepted.csv"})
        self.sciara("ensemble", "plan", "forecast.json", "-q", "--no-estimate", "-o", "forecast")
        for member in self.table("forecast", "members.csv"):
            table = json.loads(member["vents.0.effusion"])["table"]
            self.assertEqual(len(table), 5)
            self.assertAlmostEqual(sum(rate for _, rate in table), 25 * float(member["rate_scale"]), delta=1e-9)

    @staticmethod
    def shaped(rates, shape, scale=1):
        """Rates of equal intervals times shape^x at their middles, of the same volume, times `scale`."""
        factors = [shape ** ((k + 0.5) / len(rates)) for k in range(len(rates))]
        kept = sum(rates) / sum(f * rate for f, rate in zip(factors, rates))
        return [scale * kept * f * rate for f, rate in zip(factors, rates)]

    def test_rate_shape(self):
        """At the same volume more lava comes earlier (below 1) or later; intervals without lava at both ends do not count."""
        slots = [[0, 0, 8, 0, 12, 2], [5, 5]]
        for name, rates in zip(("waits.json", "constant.json"), slots):
            self.write_scenario(name, vents=[{"row": 8, "col": 20, "effusion": {"slot": "5 min", "rates_m3_s": rates + [0]}}])
        for name, rates in zip(("waits.json", "constant.json"), slots):
            lava = rates[2:] if rates[0] == 0 else rates
            found = self.evaluate([{}, {"rate_shape": 1}], name, "--observed", "mapped.tif")
            self.assertEqual(found[0], found[1])
            shapes, both = (0.02, 0.3, 4, 50), []
            for shape in shapes:
                as_rates = [0] * (len(rates) - len(lava)) + self.shaped(lava, shape) + [0]
                self.assertAlmostEqual(sum(as_rates), sum(rates), places=10)
                both += [{"rate_shape": shape}, {"vents.0.effusion.rates_m3_s": as_rates}]
            found = self.evaluate(both, name, "--observed", "mapped.tif")
            self.assertEqual(found[::2], found[1::2])
            j = [value for values in found[::2] for value in values]
            self.assertEqual(len(found), 2 * len(shapes))
            self.assertGreater(len(set(j)), 1)
        for values, message in (
                ({"rate_shape": 0}, "rate_shape: expected a number, 1e-6 to 1e6; found 0"),
                ({"rate_shape": 2, "vents.0.effusion.slot": 60},
                 "rate_shape: expected no other key of rates; found vents.0.effusion.slot")):
            self.refuse_set(values, message, "constant.json")
        self.write_scenario("one.json", vents=[{"row": 8, "col": 20, "effusion": {"slot": "10 min", "rates_m3_s": [8, 0, 0]}}])
        self.refuse_set({"rate_shape": 2}, "rate_shape: expected a vent whose lava has a rate for each of two or more intervals; found "
                        "one interval", "one.json")

    def refuse_set(self, values, message, scenario="s.json"):
        done = self.sciara("evaluate", scenario, "-q", "--observed", "mapped.tif", code=3, input=json.dumps({"set": values}))
        self.assertIn(message, json.loads(done.stdout)["error"])

    def test_a_set_without_lava_is_a_warning(self):
        done = self.sciara("evaluate", "s.json", "-q", "--observed", "mapped.tif", input=json.dumps({"set": {"run.until": "1 h", "vents.0.start": "2 h"}}))
        found = json.loads(done.stdout)
        self.assertEqual((found["volume_m3"], found["warnings"]), (0, ["no vent emits lava before the end of the run"]))

    def test_seed(self):
        for name, seed, same in (("seed-1", 1, True), ("seed-4", 4, False)):
            self.write(f"{name}.json", seed=seed, budget=17, population=6)  # the last generation is cut
            self.sciara("calibrate", f"{name}.json", "-q", "-o", name)
            self.assertEqual(len(self.rows(name)), 17)
            self.assertEqual(self.rows(name)[:6] == self.rows("whole")[:6], same)

    def test_invalid_evaluations(self):
        self.write("edge.json", unknowns=[{"key": "vents.0.x", "min": case.WEST + 50, "max": case.WEST + 550},
                                          {"key": "vents.0.y", "min": case.SOUTH + 50, "max": case.NORTH - 50}], budget=24,
                   pairs=[{"scenario": "place.json", "observed": "mapped.tif"}])
        self.write_scenario("place.json", vents=[{"x": case.WEST + 205, "y": case.NORTH - 85, "effusion": {
            "slot": "10 min", "rates_m3_s": [4, 6]}}])
        err = self.sciara("calibrate", "edge.json", "-o", "edge").stderr
        rows = self.rows("edge")
        bad = [row for row in rows if row["status"] != "ok"]
        self.assertTrue(0 < len(bad) < len(rows))
        for row in rows:
            outside = row["vents.0.x"] >= case.WEST + case.COLS * case.CELL
            self.assertTrue(not outside or row["status"] == "invalid")
            self.assertEqual(row["score"] is None, row["status"] != "ok")
        self.assertEqual(self.record("edge")["without_score"], len(bad))
        self.assertIn(f"evaluation {bad[0]['number']:.0f}: ./place.json: vents[0]", err)
        self.assertIn(f"{len(bad)} evaluations have no score" if len(bad) > 1 else "1 evaluation has no score", err)
        self.write("out.json", unknowns=[{"key": "vents.0.x", "min": 1, "max": 2}], budget=8,
                   pairs=[{"scenario": "place.json", "observed": "mapped.tif"}])
        self.assertIn("evaluations.csv: no evaluation has a score", self.sciara("calibrate", "out.json", "-o", "out", code=3).stderr)
        self.assertFalse(os.path.exists(self.path("out", "best.json")))

    def test_bad_input(self):
        unknown = UNKNOWNS[0]
        far = {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry": {
            "type": "Polygon", "coordinates": [[[1, 1], [2, 1], [2, 2], [1, 1]]]}}]}
        case.write_json(self.path("far.geojson"), far)
        self.write_scenario("dated.json", run={"start": "2006-07-12T22:00:00Z"})
        cases = [
            ({"unknowns": [{**unknown, "key": "model.dissipaton_vent"}]},
             'bad.json: unknowns[0].key: expected a key of vents, model or run, found "model.dissipaton_vent" (did you mean '
             '"model.dissipation_vent"?)'),
            ({"unknowns": [unknown, {"key": "model.relaxation", "min": 0.1, "max": 1.5}]},
             "bad.json: unknowns[1].max: expected a number, above 0 to 1; found 1.5"),
            ({"unknowns": [{"key": "model.viscosity_vent_Pa_s", "min": 1e4, "max": 1e5}]},
             'bad.json: unknowns[0].key: expected a key of rule fv3, which ./s.json has; found "model.viscosity_vent_Pa_s", a key '
             'of rule bingham'),
            ({"unknowns": [{"key": "model.preset", "min": 1, "max": 2}]},
             'bad.json: unknowns[0].key: expected a key whose value is a number or a duration; for several rules or presets "searches", each '
             'with its own "model"; found "model.preset"'),
            ({"unknowns": [{"key": "dem.cell_size_m", "min": 10, "max": 20}]},
             'bad.json: unknowns[0].key: expected a key of vents, model or run, found "dem.cell_size_m": the ground is the same in all simulations'),
            ({"unknowns": [unknown, unknown]}, "bad.json: unknowns[1].key: expected each key once"),
            ({"unknowns": [{"key": "rate_scale", "min": 0.5, "max": 2}, {"key": "vents.0.start", "min": 0, "max": 9}]},
             "in the middle of their bounds: rate_scale: expected no other key of rates; found vents.0.start"),
            ({"budget": 6}, "bad.json: budget: expected at least a generation, 7; found 6"),
            ({"budget": None}, "bad.json: budget: expected a whole number, 1 to 1e6; found nothing (the key is required)"),
            ({"design": "morris", "early_stop": True, "budget": 40},
             'bad.json: early_stop: expected false with the designs "morris" and "saltelli", which need every score; found true'),
            ({"pairs": [{**PAIRS[0], "hold_out": True}]},
             "bad.json: pairs: expected at least one pair that is not a hold_out; found none"),
            ({"pairs": [{**PAIRS[0], "observed": "far.geojson"}]}, "far.geojson: is outside the grid of the run: its polygons lie far from it"),
            ({"pairs": [{**PAIRS[0], "scenario": "dated.json", "date": "2006-07-12T21:59:59Z"}]},
             "./mapped.tif: expected a date after the start of ./dated.json, 2006-07-12T22:00:00Z; found 2006-07-12T21:59:59Z"),
            ({"pairs": [{"scenario": "place2.json", "observed": "mapped.tif"}]}, "place2.json"),
        ]
        for changes, message in cases:
            self.write("bad.json", **changes)
            code = 4 if "place2" in message else 3
            err = self.sciara("calibrate", "bad.json", "-o", "bad", code=code).stderr
            self.assertIn(message, err)
            places = re.findall(r"unknowns\[\d+\]\.\w+", err)
            self.assertEqual(len(places), len(set(places)), "each problem once")
            self.assertFalse(os.path.exists(self.path("bad")), message)

    def test_folder(self):
        before = case.tree(self.path("whole"))
        self.write("other.json", unknowns=[{**UNKNOWNS[0], "max": 0.8}] + UNKNOWNS[1:])
        shutil.copytree(self.path("whole"), self.path("changed"))
        lines = case.read_text(self.path("changed", "evaluations.csv")).splitlines(True)
        lines[5] = "5,0.5" + lines[5][lines[5].index(",", 2):]
        lines = [line[:line.rindex(",")] + "\n" for line in lines]  # as an earlier version wrote it
        case.write_text(self.path("changed", "evaluations.csv"), "".join(lines))
        shutil.copytree(self.path("whole"), self.path("notes"))
        case.write_text(self.path("notes", "evaluations.csv"), "my notes")  # without an end of line
        cases = [
            (["c.json", "-o", "notes", "--resume"], 3, 'evaluations.csv:1: expected the line "number,model.dissipation_vent,'),
            (["c.json", "-o", "whole"], 3, "whole: expected a new or empty folder, or --resume; found one with files"),
            (["c.json", "-o", "nothing", "--resume"], 3, "nothing: expected the folder of a calibration to resume, found none"),
            (["c.json", "-o", "mapped", "--resume"], 4, "calibration.json"),
            (["other.json", "-o", "whole", "--resume"], 3, "other.json: unknowns[0].max: expected 0.9 as when the calibration of "
             "whole began, found 0.8"),
            (["c.json", "-o", "changed", "--resume"], 3, "evaluation 5: model.dissipation_vent: expected"),
            (["c.json"], 2, "--output is missing: the folder of the results"),
            (["c.json", "-o", "nothing", "--progress-every", "0"], 2, '--progress-every: expected 0.1 s or more, found "0"'),
            (["c.json", "-o", "nothing", "-j", "0"], 2, '--workers: expected 1 to 4096, found "0"'),
        ]
        for args, code, message in cases:
            self.assertIn(message, self.sciara("calibrate", *args, code=code).stderr)
        self.assertEqual(case.tree(self.path("whole")), before)
        self.assertEqual(case.read_text(self.path("notes", "evaluations.csv")), "my notes")

    def test_edited_rows(self):
        """A row counts as it was written, and after the rows that were before it. An earlier version wrote no checksums."""
        lines = [line.split(",") for line in case.read_text(self.path("whole", "evaluations.csv")).splitlines()]
        score = len(KEYS) + 1
        best = max(range(1, len(lines)), key=lambda k: float(lines[k][score] or 0))
        def edited(at, *columns, text="0.99"):
            return [[text if k == at and c in columns else value for c, value in enumerate(row)] for k, row in enumerate(lines)]
        os.makedirs(self.path("edited"))
        shutil.copy(self.path("whole", "calibration.json"), self.path("edited"))
        sum_ = "a row with its checksum, as it was written"
        for rows, at, message in ((edited(4, score, text="7"), 4, 'a score, 0 to 1, found "7"'), (edited(4, score, score + 1, score + 2), 4, sum_),
                                  (edited(best, 1, text="0.5"), best, sum_), (edited(9, 0, text="9")[:9] + [["9", *lines[10][1:]]], 9, sum_),
                                  ([row[:-1] for row in edited(4, score, text="7")], 4, "a score, 0 to 1")):
            case.write_text(self.path("edited", "evaluations.csv"), "".join(",".join(row) + "\n" for row in rows))
            self.assertIn(f"evaluations.csv:{at + 1}: expected {message}", self.sciara("calibrate", "c.json", "-o", "edited", "--resume", code=3).stderr)

    def test_inputs_that_changed(self):
        shutil.copytree(self.path("whole"), self.path("inputs"))
        for name, old, new, message in (
                ("s.json", "[4, 6]", "[4, 7]", "./s.json: expected the scenario and its rates as when the calibration of inputs began"),
                ("dem.asc", "1081.25 1081.5", "1081.25 1081.75", "./s.json: expected the ground as when")):
            text = case.read_text(self.path(name))
            self.assertIn(old, text)
            try:
                case.write_text(self.path(name), text.replace(old, new, 1))
                self.assertIn(message, self.sciara("calibrate", "c.json", "-o", "inputs", "--resume", code=3).stderr)
            finally:
                case.write_text(self.path(name), text)
        os.replace(self.path("mapped.tif"), self.path("kept.tif"))
        try:
            shutil.copy(self.path("early.tif"), self.path("mapped.tif"))
            self.assertIn("./mapped.tif: expected the observed extent and its region as when",
                          self.sciara("calibrate", "c.json", "-o", "inputs", "--resume", code=3).stderr)
        finally:
            os.replace(self.path("kept.tif"), self.path("mapped.tif"))

    def write_places(self, name, *places):
        """GeoJSON of (attributes, kind, points in cells from the north-west), in the CRS of the DEM."""
        def at(points):
            return [[case.WEST + case.CELL * (col + 0.5), case.NORTH - case.CELL * (row + 0.5)] for row, col in points]
        shapes = {"Point": lambda points: at(points)[0], "Polygon": lambda points: [at([*points, points[0]])]}
        case.write_features(self.path(name), *((properties, kind, shapes[kind](points)) for properties, kind, points in places))

    def test_files_that_changed(self):
        """Those that say nothing of the altitudes at the start."""
        def square(row, col, **properties):
            return properties, "Polygon", [(row, col), (row, col + 5), (row + 5, col + 5), (row + 5, col)]
        day = [{"date": f"2026-05-01T00:{minute}Z"} for minute in (10, 15, 20)]
        files = (("dam.json", [square(20, 20)], [square(20, 21)], "the edits of the ground at simulated times"),
                 ("coast.json", [square(24, 30)], [square(24, 31)], "the cells of land, sea and NODATA"),
                 ("vents.json", [({"name": "v"}, "Point", [case.VENT])], [({"name": "v"}, "Point", [(8, 21)])], "the cells and rates of the vents"),
                 ("dated.json", [square(8, 20, **day[0]), square(8, 18, **day[1])], [square(8, 20, **day[0]), square(8, 18, **day[2])], "the date of the observed extent"))
        for name, places, _, _ in files:
            self.write_places(name, *places)
        self.write_scenario("files.json", run={"start": "2026-05-01", "until": "30 min"}, dem={
            "path": "dem.asc", "crs": "EPSG:32633", "sea": "coast.json", "edits": [{"file": "dam.json", "raise_m": 2, "from": "20 min"}]},
            vents=[{"file": "vents.json", "place": "v", "effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}}])
        self.write("files-c.json", pairs=[{"scenario": "files.json", "observed": "dated.json", "dates": "date"}], unknowns=UNKNOWNS[2:], budget=4, population=4)
        self.sciara("calibrate", "files-c.json", "-q", "-o", "files")
        self.sciara("calibrate", "files-c.json", "-q", "-o", "files", "--resume")
        for name, places, other, what in files:
            with self.subTest(name):
                self.write_places(name, *other)
                self.assertIn(f"{'dated' if 'dated' in name else 'files'}.json: expected {what} as when the calibration of files began",
                              self.sciara("calibrate", "files-c.json", "-o", "files", "--resume", code=3).stderr)
                self.write_places(name, *places)
        data = self.record("files")
        case.write_json(self.path("files", "calibration.json"), {**data, "rule_edition": 2})
        self.assertIn("files: evaluated with edition 2 of its rule, expected edition 1", self.sciara("calibrate", "files-c.json", "-o", "files", "--resume", code=3).stderr)
        del data["rule_edition"]  # as an earlier version wrote it: what it did not note is not compared
        for item in data["scenarios"]:
            for key in ("cells", "edits", "vents"):
                del item[key]
        case.write_json(self.path("files", "calibration.json"), data)
        self.sciara("calibrate", "files-c.json", "-q", "-o", "files", "--resume")

    def test_best_lies_in_another_folder(self):
        """Every path of the scenario is that of the same file; files of the same names beside best.json are others."""
        def square(row, col):
            return {}, "Polygon", [(row, col), (row, col + 5), (row + 5, col + 5), (row + 5, col)]
        files = {"dam.json": (20, 20), "coast.json": (24, 30), "outline.json": (9, 18)}
        os.makedirs(self.path("home"))
        for folder, shift in ("home", 0), (".", 1):
            for name, (row, col) in files.items():
                self.write_places(f"{folder}/{name}", square(row, col + shift))
            self.write_places(f"{folder}/vent.json", ({"name": "v"}, "Point", [(8, 20 + shift)]))
        case.write_dem(self.path("home/dem.asc"))
        for name in ("mapped.tif", "early.tif"):
            shutil.copy(self.path(name), self.path("home"))
        for k, (layers, key) in enumerate((({"thickness": "mapped.tif"}, None), ({"observed": {"outline": "outline.json", "thickness": "early.tif"}}, "observed"))):
            case.write_json(self.path("home/s.json"), case.scenario(initial=layers, dem={
                "path": "dem.asc", "crs": "EPSG:32633", "sea": "coast.json", "edits": [{"file": "dam.json", "raise_m": 2, "from": "20 min"}]},
                vents=[{"file": "vent.json", "place": "v", "effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}}]))
            self.write("away.json", pairs=[{"scenario": "home/s.json", "observed": "mapped.tif"}], unknowns=UNKNOWNS[2:], budget=4, population=4)
            self.sciara("calibrate", "away.json", "-q", "-o", f"fit{k}")
            best = case.read_json(self.path(f"fit{k}", "best.json"))
            shutil.copy(self.path(f"fit{k}", "best.json"), self.path("best.json"))
            texts = [best["dem"]["path"], best["dem"]["sea"], best["dem"]["edits"][0]["file"], best["vents"][0]["file"]]
            texts += [value for value in (best["initial"][key] if key else best["initial"]).values()]
            self.assertEqual([os.path.dirname(text) for text in texts], [self.path("home")] * len(texts))
            ((found,),) = self.evaluate([{}], "best.json", "--observed", "mapped.tif")
            self.assertEqual(found, self.record(f"fit{k}")["best"]["score"])

    def test_initial_lava_that_changed(self):
        shutil.copy(self.path("mapped.tif"), self.path("lava.tif"))
        self.write_scenario("lava.json", initial={"thickness": "lava.tif"})
        self.write("pool.json", pairs=[{"scenario": "lava.json", "observed": "mapped.tif"}], unknowns=UNKNOWNS[2:], budget=4,
                   population=4)
        self.sciara("calibrate", "pool.json", "-q", "-o", "pool")
        self.sciara("calibrate", "pool.json", "-q", "-o", "pool", "--resume")
        shutil.copy(self.path("early.tif"), self.path("lava.tif"))
        self.assertIn("./lava.json: expected the initial lava as when the calibration of pool began",
                      self.sciara("calibrate", "pool.json", "-o", "pool", "--resume", code=3).stderr)

    def test_scenario_edited_meanwhile(self):
        """What is written at the end is made of the scenario that was computed, or is not written."""
        self.write_scenario("edited.json")
        self.write("meanwhile.json", pairs=[{"scenario": "edited.json", "observed": "mapped.tif"}], budget=1000000)
        with self.start("meanwhile.json", "-q", "-o", "meanwhile") as program:
            self.wait_for_rows("meanwhile", 5)
            self.write_scenario("edited.json", model={"relaxation": 0.4})
            program.send_signal(signal.SIGINT)
            err = program.communicate(timeout=60)[1]
        self.assertEqual(program.returncode, 3, err)
        self.assertIn("./edited.json: expected the scenario and its rates as when the calibration of meanwhile.json began", err)
        self.assertEqual(sorted(os.listdir(self.path("meanwhile"))), ["calibration.json", "evaluations.csv"])

    def test_links(self):
        """Nothing is written through a link."""
        target = self.path("target.txt")
        for name, code in (("evaluations.csv", 4), ("best.json.part", 4), ("calibration.json.part", 4), ("best.json", 0)):
            folder = self.path("linked-" + name)
            shutil.copytree(self.path("whole"), folder)
            case.write_text(target, "kept")
            if os.path.exists(os.path.join(folder, name)):
                os.remove(os.path.join(folder, name))
            os.symlink(target, os.path.join(folder, name))
            self.sciara("calibrate", "c.json", "-q", "-o", folder, "--resume", code=code)
            self.assertEqual(case.read_text(target), "kept", name)
            if code == 0:
                self.assertEqual(case.tree(folder), case.tree(self.path("whole")))

    def test_path_that_is_not_utf8(self):
        folder = os.fsdecode(b"caf\xe9")
        os.makedirs(self.path(folder))
        for name in ("s.json", "dem.asc", "mapped.tif"):
            shutil.copy(self.path(name), self.path(folder))
        self.write(os.path.join(folder, "c.json"), pairs=PAIRS[:1], budget=7)
        for extra in ([], ["--resume"]):
            self.sciara("calibrate", os.path.join(folder, "c.json"), "-q", "-o", "latin", *extra)
        self.assertEqual(self.record("latin")["extents"][0]["path"], "caf\ufffd/mapped.tif")
