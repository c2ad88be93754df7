#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Processing script for QGIS: qgis_process runs a scenario with it, the maps are loaded with styles, and a run can be
cancelled. Needs QGIS with Python (tools/setup --qgis)."""
import os
import shutil
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
import case
import qgis_case
from case import record
from qgis_case import PLUGINS, core

SCRIPTS = os.path.join(case.SOURCE, "tools", "qgis")


class Script(qgis_case.QgisCase):
    def setUp(self):
        super().setUp()
        os.environ["HOME"] = self.path("home")  # a fresh profile
        os.environ["XDG_RUNTIME_DIR"] = self.path("home")
        os.mkdir(self.path("home"), 0o700)
        os.environ["SCIARA_PROGRAM"] = case.PROGRAM
        self.write_scenario()

    def test_qgis_process(self):
        scripts = self.path("home", ".local", "share", "QGIS", "QGIS3", "profiles", "default", "processing", "scripts")
        shutil.copytree(SCRIPTS, scripts)
        self.process("plugins", "enable", "processing")
        self.assertIn("Run a SCIARA scenario", self.process("list"))
        out = self.path("out")
        said = self.process("run", "script:sciara_run", "--", "SCENARIO=" + self.path("s.json"), "ENGINE=serial",
                            "STEPS=200", "FIELDS=deposit", "FIELDS=arrival_time", f"FOLDER={out}")
        self.assertEqual((record(out)["state"]["step"], record(out)["engine"]["name"]), (200, "serial"), said)
        self.assertRegex(said, r"LAYERS:\tdeposit_\w+, arrival_time_\w+")
        for name in ("deposit", "arrival_time"):
            self.assertTrue(os.path.exists(os.path.join(out, "maps", name + ".tif")), name)
        # A diagnostic of the program is shown, and is an error.
        said = self.process("run", "script:sciara_run", "--", "SCENARIO=" + self.path("s.json"), f"FOLDER={out}",
                            code=1)
        self.assertRegex(said, "out: .*--overwrite")
        self.process("run", "script:sciara_run", "--", "SCENARIO=" + self.path("s.json"), f"FOLDER={out}", "STEPS=7",
                     "OVERWRITE=1")
        self.assertEqual(record(out)["state"]["step"], 7)

    def run_here(self, **parameters):
        """Runs the algorithm in this process; returns context, feedback, and the results or the exception."""
        sys.path[:0] = [PLUGINS, SCRIPTS]
        import sciara_run
        algorithm = sciara_run.RunScenario().create()
        context, feedback = core.QgsProcessingContext(), core.QgsProcessingFeedback(False)
        context.setProject(core.QgsProject.instance())
        seen = []
        feedback.progressChanged.connect(seen.append)
        timer = parameters.pop("cancel_after", None)
        if timer:
            def cancel():
                while not os.path.exists(os.path.join(parameters["FOLDER"], "run.json")):
                    time.sleep(0.01)
                time.sleep(timer)
                feedback.cancel()
            threading.Thread(target=cancel, daemon=True).start()
        results, good = algorithm.run(parameters, context, feedback)
        self.assertTrue(good, feedback.textLog())
        return context, seen, results

    def test_layers_are_styled(self):
        context, seen, results = self.run_here(SCENARIO=self.path("s.json"), FOLDER=self.path("out"), STEPS=300,
                                               FIELDS=["deposit", "temperature"], ENGINE="serial")
        self.assertEqual(seen[-1], 100)
        to_load = context.layersToLoadOnCompletion()
        self.assertEqual(sorted(details.name for details in to_load.values()), ["deposit", "temperature"])
        self.assertEqual(sorted(to_load), sorted(results["LAYERS"]))
        for name in to_load:
            layer = context.getMapLayer(name)
            self.assertTrue(layer.isValid())
            self.assertEqual(layer.renderer().type(), "singlebandpseudocolor", "the style next to the map was read")
            self.assertEqual(layer.crs().authid(), "EPSG:32633")
        self.assertTrue(os.path.exists(results["SERIES"]))

    def test_cancel(self):
        self.write_scenario(**case.ENDLESS)
        begun = time.monotonic()
        _, seen, results = self.run_here(SCENARIO=self.path("s.json"), FOLDER=self.path("out"), FIELDS=["deposit"],
                                         STEPS=10**6,
                                         ENGINE="serial", cancel_after=3)
        self.assertLess(time.monotonic() - begun, 60)
        self.assertEqual(record(self.path("out"))["status"], "stopped")
        self.assertEqual(len(results["LAYERS"]), 1, "the map of the last state")
        self.assertGreater(len([p for p in seen if 0 < p < 100]), 0, "progress was reported")


if __name__ == "__main__":
    qgis_case.main()
