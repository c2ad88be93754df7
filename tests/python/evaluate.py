# SPDX-License-Identifier: Apache-2.0
"""Scores of sets of parameters: those of the program, generations, progress and Ctrl-C, forks, wrong use."""
import json
import os
import signal
import subprocess
import threading

import setup
import case

import numpy

import sciara

SETS = [{}, {"model.relaxation": 0.3}, {"model.relaxation": 7},
        {"vents.0.effusion.rates_m3_s": numpy.array([2.0, 3.0]), "run.until": "30 min"}]
LONG = {"model.cooling": 0, "model.clock_max_s": 0.01, "run.until": "4000 d"}


class Scores(case.SharedCase):
    @classmethod
    def prepare(cls):
        case.write_scenario(cls.work)
        case.write_scenario(cls.work, "b.json", model={"rule": "bingham"})
        run = sciara.open(cls.at("s.json"), {"model.relaxation": 0.3})
        run.run()
        run.write_map("deposit", cls.at("mapped.tif"))

    @classmethod
    def at(cls, name):
        return os.path.join(cls.work, name)

    def of_program(self, sets, *args):
        lines = "".join(json.dumps({"set": {k: getattr(v, "tolist", lambda v=v: v)() for k, v in s.items()}}) + "\n" for s in sets)
        done = subprocess.run([case.PROGRAM, "evaluate", "-q", *args], input=lines, cwd=self.work, stdout=subprocess.PIPE,
                              encoding="utf-8", check=False)
        results = [json.loads(line) for line in done.stdout.splitlines()]
        for result in results:
            del result["id"]
        return results

    def without_folder(self, results):
        return json.loads(json.dumps(results).replace(self.work + "/", ""))

    def test_same_as_the_program(self):
        found = sciara.evaluate(self.at("s.json"), self.at("mapped.tif"), SETS)
        self.assertEqual(self.without_folder(found), self.of_program(SETS, "s.json", "--observed", "mapped.tif"))
        self.assertEqual([result["status"] for result in found], ["ok", "ok", "error", "ok"])
        self.assertEqual(found[1]["jaccard"], 1)
        run = sciara.open(self.at("s.json"))
        run.run()
        self.assertEqual(found[0]["jaccard"], sciara.score(run, self.at("mapped.tif")).jaccard)
        self.assertLess(found[0]["jaccard"], 1)

    def test_extents_and_scenarios(self):
        early = sciara.Observed(self.at("mapped.tif"), at="10 min", weight=2)
        part = sciara.Observed(self.at("mapped.tif"), region=self.at("mapped.tif"))
        self.assertEqual(
            self.without_folder(sciara.evaluate(self.at("s.json"), [early, part], SETS[:1], min_thickness=0.5, workers=1)),
            self.of_program(SETS[:1], "s.json", "--observed", "mapped.tif", "--at", "10 min", "--weight", "2", "--observed",
                            "mapped.tif", "--region", "mapped.tif", "--min-thickness", "0.5"))
        self.assertEqual(
            self.without_folder(sciara.evaluate([self.at("s.json"), self.at("b.json")], 2 * [self.at("mapped.tif")], SETS[:2],
                                                engine="serial")),
            self.of_program(SETS[:2], "s.json", "b.json", "--observed", "mapped.tif", "--observed", "mapped.tif"))

    def test_ctrl_c_and_exceptions(self):
        with sciara.Evaluator(self.at("s.json"), self.at("mapped.tif"), workers=1) as evaluator:
            timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            self.assertRaises(KeyboardInterrupt, evaluator.scores, [LONG])
            timer.join()

            def leave(done):
                if done > 0:
                    raise LookupError("enough")
            self.assertRaisesRegex(LookupError, "enough", evaluator.scores, [{"run.max_steps": 5}, LONG], leave)
            self.assertEqual(evaluator.scores([SETS[1]])[0]["jaccard"], 1)

    def test_use_while_it_computes(self):
        """A progress function cannot wait for the call that waits for it."""
        with sciara.Evaluator(self.at("s.json"), self.at("mapped.tif")) as evaluator:
            for use in (evaluator.close, lambda: evaluator.scores([{}])):
                with self.assertRaisesRegex(sciara.UsageError, "a progress function or a signal handler may not use it"):
                    evaluator.scores([SETS[1]], lambda done, use=use: use())
            self.assertEqual(evaluator.scores([SETS[1]])[0]["jaccard"], 1)

    def test_fork_while_it_computes(self):
        evaluator = sciara.Evaluator(self.at("s.json"), self.at("mapped.tif"), workers=1)
        begun, ended = threading.Event(), threading.Event()

        def tick(_done):
            begun.set()
            if ended.is_set():
                raise LookupError
        thread = threading.Thread(target=lambda: self.assertRaises(LookupError, evaluator.scores, [LONG], tick))
        thread.start()
        begun.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(20)  # where it waits for a thread that is not here
            try:
                evaluator.close()
                evaluator.scores([{}])
            except sciara.UsageError as e:
                os._exit(17 if "child of a fork" in str(e) else 1)
            os._exit(2)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        ended.set()
        thread.join()
        self.assertEqual(code, 17)

    def test_wrong_use(self):
        path, mapped = self.at("s.json"), self.at("mapped.tif")
        for error, words, call in (
                (sciara.UsageError, "expected an observed extent for each of 2 scenarios, found 1",
                 lambda: sciara.Evaluator([path, path], mapped)),
                (sciara.UsageError, "scenario: expected at least one, found none", lambda: sciara.Evaluator([], mapped)),
                (sciara.UsageError, "observed: expected a path, found int 5", lambda: sciara.Evaluator(path, 5)),
                (sciara.UsageError, "at: expected more than 0, found 0",
                 lambda: sciara.Evaluator(path, sciara.Observed(mapped, at=0))),
                (sciara.UsageError, "weight: expected more than 0, found -1",
                 lambda: sciara.Evaluator(path, sciara.Observed(mapped, weight=-1))),
                (sciara.UsageError, "min_thickness of 0 m|min_thickness_m of 0 m",
                 lambda: sciara.Evaluator(path, mapped, min_thickness=-1)),
                (sciara.UsageError, "0 to 4096 workers", lambda: sciara.Evaluator(path, mapped, workers=5000)),
                (sciara.FileError, "gone.tif", lambda: sciara.Evaluator(path, self.at("gone.tif"))),
                (sciara.UsageError, r"sets\[1\]: expected keys and values, found int 3",
                 lambda: sciara.evaluate(path, mapped, [{}, 3])),
                (sciara.UsageError, r"sets\[0\]: expected a value that JSON can hold",
                 lambda: sciara.evaluate(path, mapped, [{"model.relaxation": float("nan")}]))):
            self.assertRaisesRegex(error, words, call)
