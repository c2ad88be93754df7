# SPDX-License-Identifier: Apache-2.0
"""sciara calibrate: ended at random times and resumed, as if it had not been; folders of another search; packages that are missing."""
import json
import os
import random
import shutil
import signal
import sys
import time

import case
from calibration import KEYS, UNKNOWNS, CalibrationCase

import numpy


class CalibrateResume(CalibrationCase):
    def test_killed_at_random_times(self):
        """Rows are never lost: each table begins with that of the end before, and the last folder is that of one run."""
        self.write("long.json", budget=120)
        self.sciara("calibrate", "long.json", "-q", "-o", "long")
        chance, before, kills = random.Random(7), b"", 0
        while before.count(b"\n") <= 80:
            with self.start("long.json", "-q", "-o", "killed", *(["--resume"] if before else [])) as program:
                self.wait_for_rows("killed", before.count(b"\n") + chance.randrange(40))
                time.sleep(chance.uniform(0, 0.02))
                program.kill()
                self.assertEqual(program.wait(), -signal.SIGKILL)
            table = case.read_bytes(self.path("killed", "evaluations.csv"))
            self.assertTrue(table.startswith(before[:before.rfind(b"\n") + 1]))
            before, kills = table, kills + 1
        self.assertGreater(kills, 2)
        self.sciara("calibrate", "long.json", "-q", "-o", "killed", "--resume")
        self.assertEqual(case.tree(self.path("killed")), case.tree(self.path("long")))

    def test_search_of_another_version(self):
        """Its rows are not what this one asks for. The error says so, and the folder stays as it is."""
        shutil.copytree(self.path("whole"), self.path("other"))
        lines = [line.split(",")[:-1] for line in case.read_text(self.path("other", "evaluations.csv")).splitlines()]
        lines[3][1] = "0.25"
        case.write_text(self.path("other", "evaluations.csv"), "".join(",".join(line) + "\n" for line in lines))
        data = self.record("other")
        self.assertEqual(list(data["libraries"]), ["numpy", "cmaes"])
        for libraries, program, words in (({"numpy": "1.0", "cmaes": "0.1"}, data["program"], "with numpy 1.0, cmaes 0.1 where this one has numpy "),
                                          (None, "0.9.0", "of sciara 0.9.0, which had a search of its own: ")):
            changed = {**data, "program": program, "libraries": libraries}
            case.write_json(self.path("other", "calibration.json"), {key: value for key, value in changed.items() if value})
            before = case.tree(self.path("other"))
            err = self.sciara("calibrate", "c.json", "-o", "other", "--resume", code=3).stderr
            self.assert_parts(err, "other/evaluations.csv: evaluation 3: model.dissipation_vent: expected ", "which the search gives; found 0.25 of sciara",
                              words, "begin another calibration in a new folder; this one keeps its table and results")
            self.assertEqual("began with another version" in err, program != data["program"])
            self.assertEqual(case.tree(self.path("other")), before)

    def test_packages(self):
        """One that is missing is named, and nothing is written."""
        for name, design, changes in (("cmaes", "cma-es", {}), ("scipy", "sobol", {"budget": 16}), ("numpy", "morris", {"budget": 16})):
            os.makedirs(self.path(f"no-{name}"))
            case.write_text(self.path(f"no-{name}", f"{name}.py"), f'raise ModuleNotFoundError("No module named {name}", name="{name}")\n')
            self.write("needs.json", design=design, **changes)
            err = self.sciara("calibrate", "needs.json", "-o", "needs", code=4, env={**os.environ, "PYTHONPATH": self.path(f"no-{name}")}).stderr
            self.assert_parts(err, "sciara: error: ", f"the Python package {name}", f'"apt-get install python3-{name}"')
            self.assertFalse(os.path.exists(self.path("needs")))
        case.write_text(self.path("numpy.py"), "raise SystemExit('of the current folder')\n")
        self.write("here.json", budget=7)
        self.sciara("calibrate", "here.json", "-q", "-o", "here")
        os.remove(self.path("numpy.py"))

    def test_messages_as_json(self):
        """Progress too: numbers of the whole work, as in the table."""
        self.write("steps.json", budget=400, early_stop=False)
        err = self.sciara("calibrate", "steps.json", "-o", "steps", "--log-json", "--progress-every", "0.1").stderr
        lines = [json.loads(line) for line in err.splitlines()]
        self.assertTrue(all(list(line)[:3] == ["time", "level", "message"] for line in lines))
        shown = [line["progress"] for line in lines if "progress" in line]
        rows = self.rows("steps")
        self.assertGreater(len(shown), 1)
        for progress in shown:
            done = rows[:progress["finished"]]
            self.assertEqual((progress["evaluations"], progress["without_score"]), (400, 0))
            self.assertEqual(progress["best"], round(max(row["score"] for row in done), 6) if done else None)

    def test_one_unknown(self):
        """The package searches two or more: with one there is a second one without effect."""
        self.write("one.json", unknowns=UNKNOWNS[1:2], budget=40)
        self.sciara("calibrate", "one.json", "-q", "-o", "one")
        rows = self.rows("one")
        self.assertEqual(list(rows[0])[:3], ["number", KEYS[1], "score"])
        at = numpy.log([row[KEYS[1]] for row in rows])
        self.assertLess(at[-12:].std(), 0.5 * at[:12].std(), "it narrows")
        self.assertAlmostEqual(rows[int(numpy.argmax([row["score"] for row in rows]))][KEYS[1]], 1.5, delta=0.3)


class Strategy(case.SharedCase):
    """The search without a library: the optimum of known functions, and restarts."""

    @classmethod
    def prepare(cls):
        sys.path.insert(0, os.path.join(case.SOURCE, "python"))

    def search(self, function, unknowns, budget, seed):
        from sciara.calibrate.designs import Strategy as Search
        search, best, done, restarts = Search(unknowns, 4 + int(3 * numpy.log(unknowns)), seed), 0, 0, []
        while done < budget:
            points = search.ask()
            self.assertTrue(((points >= 0) & (points <= 1)).all())
            scores = numpy.array([function(point) for point in points])
            best = max(best, scores.max())
            done += len(points)
            reason = search.tell(scores)
            restarts += [(done, reason, search.population)] if reason else []
        return best, restarts

    def test_known_functions(self):
        goal = numpy.array([0.3, 0.62, 0.9])
        ridge = numpy.array([1, 30, 900])
        self.assertGreater(self.search(lambda x: 1 - (ridge * (x - goal) ** 2).sum() / 1000, 3, 700, 2)[0], 1 - 1e-9)
        waves = lambda x: 1 - (1 - numpy.cos(6 * numpy.pi * (x - 0.4))).sum() / 16 - ((x - 0.4) ** 2).sum()
        best, restarts = self.search(waves, 2, 4000, 3)
        self.assertGreater(best, 1 - 1e-9)
        populations = [population for _, _, population in restarts]
        self.assertEqual(populations, [12 * 2 ** k for k in range(len(populations))])
        self.assertGreater(len(populations), 1)

    def test_reasons(self):
        best, restarts = self.search(lambda x: 0.5, 2, 400, 1)
        self.assertEqual((best, restarts[0][1]), (0.5, "equal scores"))
        noise = numpy.random.default_rng(1)
        _, restarts = self.search(lambda x: noise.uniform(), 2, 3000, 1)
        self.assertIn("no better scores", {reason for _, reason, _ in restarts})
        self.assertEqual(self.search(lambda x: float("nan"), 2, 400, 1)[1][0][1], "equal scores")
        started = time.monotonic()
        self.assertGreater(self.search(lambda x: 1 - abs(x - 0.5).max(), 12, 2000, 5)[0], 0.99)
        self.assertLess(time.monotonic() - started, 60)
