# SPDX-License-Identifier: Apache-2.0
"""sciara calibrate with several searches in one file: each is what a calibration of its own would be, any end and resume, bad input."""
import os
import shutil
import signal

import case
from calibration import PAIRS, UNKNOWNS, CalibrationCase

SHEET = {**case.SHEET, "yield_strength_vent_Pa": 1000}
OF_SHEET = [{"key": "model.viscosity_vent_Pa_s", "min": 1e3, "max": 1e6, "log": True},
            {"key": "model.radiating_share", "min": 0, "max": 1}, {"key": "rate_scale", "min": 0.8, "max": 1.2}]
SEARCHES = [{"name": "fv3", "unknowns": UNKNOWNS, "share": 0.4}, {"name": "sheet", "model": SHEET, "unknowns": OF_SHEET, "share": 0.6}]
BUDGETS = {"fv3": 14, "sheet": 21}
FILES = ["best.json", "calibration.json", "evaluations.csv", "page.html"]


class CalibrateSearches(CalibrationCase):
    @classmethod
    def prepare(cls):
        cls.prepare_inputs()
        cls.write_searches("m.json")
        case.run_program("calibrate", "m.json", "-q", "-o", "whole", cwd=cls.work)

    @classmethod
    def write_searches(cls, name, **changes):
        cls.write(name, **{"unknowns": None, "searches": SEARCHES, "budget": 35, **changes})

    def write_alone(self, search, name, **changes):
        """The calibration of one search: its model is that of scenarios of their own, beside the others."""
        os.makedirs(self.path(name), exist_ok=True)
        for file in ("s.json", "b.json"):
            scenario = case.read_json(self.path(file))
            case.write_json(self.path(name, file), {**scenario, "model": search["model"]} if "model" in search else scenario)
        for file in ("dem.asc", "mapped.tif", "early.tif"):
            shutil.copy(self.path(file), self.path(name, file))
        self.write(f"{name}/c.json", unknowns=search["unknowns"], budget=BUDGETS[search["name"]], **changes)

    def test_each_is_a_calibration_of_its_own(self):
        """Bit by bit, whatever the others are."""
        self.assertEqual(sorted(os.listdir(self.path("whole"))), ["best.json", "calibration.json", "fv3", "page.html", "sheet"])
        for search in SEARCHES:
            name = search["name"]
            self.write_alone(search, f"alone-{name}")
            self.sciara("calibrate", f"alone-{name}/c.json", "-q", "-o", f"{name}-alone")
            self.assertEqual(sorted(os.listdir(self.path("whole", name))), FILES)
            self.assertEqual(self.rows(f"whole/{name}"), self.rows(f"{name}-alone"))
            best, alone = (case.read_json(self.path(folder, "best.json")) for folder in (f"whole/{name}", f"{name}-alone"))
            alone["dem"]["path"] = best["dem"]["path"]
            self.assertEqual(best, alone)
            record, alone = self.record(f"whole/{name}"), self.record(f"{name}-alone")
            self.assertEqual((record["search"], record["file"]), (name, case.read_json(self.path("m.json"))))
            for key in ("evaluations", "without_score", "stopped", "rested", "restarts"):
                self.assertEqual(record[key], alone[key], key)
            self.assertEqual(record["best"]["values"], alone["best"]["values"])

    def test_the_best_of_all(self):
        rows = {name: self.rows(f"whole/{name}") for name in BUDGETS}
        self.assertEqual({name: len(those) for name, those in rows.items()}, BUDGETS)
        scores = {name: max(row["score"] for row in those) for name, those in rows.items()}
        record = self.record("whole")
        self.assertEqual([(one["name"], one["rule"], one["budget"], one["evaluations"], one["score"], one["status"])
                          for one in record["searches"]],
                         [("fv3", "fv3", 14, 14, scores["fv3"], "finished"), ("sheet", "bingham", 21, 21, scores["sheet"], "finished")])
        best = max(scores, key=scores.get)
        self.assertEqual(record["best"], {**self.record(f"whole/{best}")["best"], "search": best})
        self.assertEqual(case.read_bytes(self.path("whole", "best.json")), case.read_bytes(self.path("whole", best, "best.json")))
        err = self.sciara("calibrate", "m.json", "-o", "whole", "--resume").stderr
        self.assertIn("35 of 35 evaluations are finished (0 by this run", err)
        number = next(row["number"] for row in rows[best] if row["score"] == scores[best])
        self.assertIn(f"best score {scores[best]:.6f}, evaluation {number:.0f} of search {best}", err)

    def test_shares(self):
        """Without shares equal parts, rounded so that nothing is left."""
        three = [{**SEARCHES[0], "name": name, "share": None} for name in ("a", "B-2", "c_3")]
        for searches in (three, [{**search, "share": share} for search, share in zip(three, (0.34, 0.36, 0.3))]):
            searches = [{key: value for key, value in search.items() if value is not None} for search in searches]
            self.write_searches("three.json", searches=searches, budget=25, population=4)
            self.sciara("calibrate", "three.json", "-q", "-o", "three")
            counts = [len(self.rows(f"three/{search['name']}")) for search in searches]
            self.assertEqual(counts, [9, 9, 7] if "share" in searches[0] else [8, 9, 8])
            scores = [max(row["score"] for row in self.rows(f"three/{search['name']}")) for search in searches]
            self.assertEqual(self.record("three")["best"]["search"], searches[scores.index(max(scores))]["name"], "of equal ones the first")
            shutil.rmtree(self.path("three"))

    def test_any_end(self):
        """Killed in the second search, then ended in the first, then resumed: the same bytes."""
        self.write_searches("long.json", budget=2000, searches=[{**search, "share": share} for search, share in zip(SEARCHES, (0.005, 0.995))])
        with self.start("long.json", "-q", "-o", "killed") as program:
            self.wait_for_rows("killed/sheet", 8)
            self.assertIn("fv3/evaluations.csv: another process writes it",
                          self.sciara("calibrate", "long.json", "-o", "killed", "--resume", code=3).stderr)
            program.kill()
            self.assertEqual(program.wait(), -signal.SIGKILL)
        self.assertEqual(self.record("killed/fv3")["status"], "finished")
        self.assertEqual([one["status"] for one in self.record("killed")["searches"]], ["finished", "running"])
        with self.start("long.json", "-o", "killed", "--resume") as program:
            self.wait_for_rows("killed/sheet", len(self.rows("killed/sheet")) + 5)
            program.send_signal(signal.SIGINT)
            err = program.communicate(timeout=60)[1]
            self.assertEqual(program.returncode, 130, err)
        rows = self.rows("killed/sheet")
        self.assert_parts(err, f"{10 + len(rows)} of 2000 evaluations are finished", "the same command with --resume continues killed")
        record = self.record("killed")
        self.assertEqual((record["status"], [one["status"] for one in record["searches"]]), ("interrupted", ["finished", "interrupted"]))
        common = min(21, len(rows))
        self.assertEqual(rows[:common], self.rows("whole/sheet")[:common], "the share alone is another")

    def test_resume(self):
        whole = case.tree(self.path("whole"))
        for kept in ([], ["fv3/evaluations.csv"], ["calibration.json"], ["calibration.json", "fv3/evaluations.csv"],
                     ["calibration.json", "fv3/calibration.json"],
                     ["calibration.json", "fv3/calibration.json", "fv3/evaluations.csv", "sheet/evaluations.csv"],
                     ["calibration.json", "fv3/calibration.json", "fv3/evaluations.csv", "sheet/calibration.json"]):
            shutil.rmtree(self.path("part"), ignore_errors=True)
            os.makedirs(self.path("part"))
            for name in kept:
                os.makedirs(os.path.dirname(self.path("part", name)), exist_ok=True)
                shutil.copy(self.path("whole", name), self.path("part", name))
                if name.endswith("evaluations.csv"):
                    with open(self.path("part", name), "rb+") as f:
                        f.truncate(0 if len(kept) < 4 or name.startswith("sheet") else 300)
            self.sciara("calibrate", "m.json", "-q", "-o", "part", "--resume", "-j", "1")
            self.assertEqual(case.tree(self.path("part")), whole, kept)

    def test_bad_input(self):
        one, other = SEARCHES
        cases = [
            ({"unknowns": UNKNOWNS}, "bad.json: searches: expected one of the two: each search has its own unknowns; found them together with "
             "unknowns"),
            ({"searches": [one, {**other, "name": "FV3"}]}, 'bad.json: searches[1].name: expected each name once, in upper or lower case; '
             'found "FV3"'),
            *(({"searches": [one, {**other, "name": name}]},
               f'bad.json: searches[1].name: expected the name of a folder: 1 to 64 letters from a to z, digits, - and _; found "{name}"')
              for name in ("../x", "best.json", "x" * 65)),
            ({"searches": [one, {**other, "share": 0}]}, "bad.json: searches[1].share: expected above 0 to 1; found 0"),
            ({"searches": [one, {**other, "share": 0.5}]}, "bad.json: searches: expected shares whose sum is 1; found a sum of 0.9"),
            ({"searches": [one, {key: value for key, value in other.items() if key != "share"}]},
             "bad.json: searches: expected share in all searches, or in none, which then have equal parts of the budget; found share in some "
             "of them"),
            ({"budget": 16}, "bad.json: searches[0].share: expected at least a generation, 7; found 6 of the budget of 16"),
            ({"searches": [{**one, "unknowns": OF_SHEET}, other]},
             'bad.json: searches[0].unknowns[0].key: expected a key of rule fv3, which ./s.json has; found "model.viscosity_vent_Pa_s", a key '
             'of rule bingham'),
        ]
        for changes, message in cases:
            self.write_searches("bad.json", **changes)
            self.assertIn(message, self.sciara("calibrate", "bad.json", "-o", "bad", code=3).stderr)
            self.assertFalse(os.path.exists(self.path("bad")), message)

    def test_engine(self):
        """That of every search is looked for before the first begins."""
        self.write_scenario("slow.json", engine={"name": "slow"})
        self.write_searches("slow-fit.json", pairs=[{**PAIRS[0], "scenario": "slow.json"}])
        for args, code, scenario, name in ((["m.json", "--engine", "fast"], 2, "s.json", "fast"), (["slow-fit.json"], 3, "slow.json", "slow")):
            self.assertIn(f'./{scenario}: engine.name (search fv3): there is no engine "{name}"',
                          self.sciara("calibrate", *args, "-o", "none-made", code=code).stderr)
            self.assertFalse(os.path.exists(self.path("none-made")))

    def test_no_score(self):
        """One search without a score: the other is kept, and the end says so."""
        far = [{"key": "vents.0.x", "min": 1, "max": 2}]
        self.write_scenario("place.json", vents=[{"x": case.WEST + 205, "y": case.NORTH - 85, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}}])
        self.write_searches("none.json", pairs=[{"scenario": "place.json", "observed": "mapped.tif"}], budget=14,
                            searches=[{"name": "far", "unknowns": far}, {"name": "near", "unknowns": UNKNOWNS}])
        err = self.sciara("calibrate", "none.json", "-o", "none", code=3).stderr
        self.assert_parts(err, "far: evaluation 1: ./place.json: vents[0]", "far/evaluations.csv: no evaluation has a score")
        record = self.record("none")
        self.assertEqual(([one["score"] for one in record["searches"]][0], record["best"]["search"]), (None, "near"))
        self.assertEqual(sorted(os.listdir(self.path("none", "near"))), FILES)
