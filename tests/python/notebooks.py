# SPDX-License-Identifier: Apache-2.0
"""The notebooks of examples/ run without errors and draw their pictures; they are stored without outputs. The cells of their
scenarios are 20 m wide here, as the volcano of notebook calibrate: with the 10 m of its DEM they take six times as long.

usage: notebooks.py [FOLDER]      also writes the pictures there"""
import base64
import glob
import os
import re
import shutil
import sys

import setup
import case

for module in ("nbclient", "nbformat", "ipykernel", "matplotlib"):
    try:
        __import__(module)
    except ImportError:
        setup.skip(f"python3-{module} is not installed (tools/setup --tests)")

import nbclient
import nbformat

PICTURES = {"first_map": 3, "compare_observed": 2, "hazard_map": 1, "calibrate": 2, "forecast": 1}
FOLDER = sys.argv.pop() if len(sys.argv) > 1 and os.path.isdir(sys.argv[-1]) else None


class Notebooks(case.Case):
    def coarse_config(self):
        """config/ with larger cells; next to it the DEMs."""
        os.symlink(os.path.join(setup.SOURCE, "datasets"), self.path("datasets"))
        shutil.copytree(os.path.join(setup.SOURCE, "config"), self.path("config"))
        for name in ("volcano.json", "hazard-base.json"):
            scenario = case.read_json(self.path("config", name))
            scenario["dem"]["cell_size_m"] = 20
            case.write_json(self.path("config", name), scenario)
        return self.path("config")

    def run_notebook(self, name):
        notebook = nbformat.read(os.path.join(setup.SOURCE, "examples", f"{name}.ipynb"), 4)
        os.environ.update(PYTHONPATH=setup.PACKAGE, PYTHONDONTWRITEBYTECODE="1", TMPDIR=self.work,
                          SCIARA_CONFIG=self.coarse_config(), IPYTHONDIR=self.path("ipython"),
                          PYDEVD_DISABLE_FILE_VALIDATION="1")
        os.environ.pop("MPLBACKEND", None)  # that of notebooks
        os.environ.pop("SCIARA_ETNA2006", None)  # a hundred days of eruption: by hand
        # The kernel is this Python, whatever kernels are installed for the user.
        os.makedirs(self.path("kernels", "python3"))
        case.write_json(self.path("kernels", "python3", "kernel.json"),
                        {"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
                         "display_name": "Python 3", "language": "python"})
        os.environ["JUPYTER_PATH"] = self.work
        nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3",
                                resources={"metadata": {"path": self.work}}).execute()
        outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
        pictures = [output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {})]
        self.assertEqual(len(pictures), PICTURES[name])
        for k, picture in enumerate(pictures):
            data = base64.b64decode(picture)
            self.assertGreater(len(data), 5000)
            if FOLDER:
                case.write_bytes(os.path.join(FOLDER, f"{name}_{k + 1}.png"), data)
        return "".join(output.get("text", "") + str(output.get("data", {}).get("text/plain", "")) + "\n"
                       for output in outputs)

    def test_first_map(self):
        text = self.run_notebook("first_map")
        self.assert_parts(text, "step ", "emitted 432,0", "deposit.tif")
        self.assertNotIn("Traceback", text)

    def test_compare_observed(self):
        text = self.run_notebook("compare_observed")
        self.assertIn("Twin experiment (synthetic)", text)
        self.assertRegex(text, r"jaccard=0\.\d")

    def test_hazard_map(self):
        text = self.run_notebook("hazard_map")
        self.assert_parts(text, "60 members; the sum of their weights is 1.0", "60 of 60 members are finished; 0 have failed")
        self.assertRegex(text, r"probability of lava [1-9]")
        self.assertRegex(text, r"% of that: (small|large) eruptions")
        self.assertNotIn("Traceback", text)

    def test_forecast(self):
        self.assertRegex(self.run_notebook("forecast"), r"64 of 64 members are finished; 0 have failed[^$]*skill 0\.[3-9]")

    def test_calibrate(self):
        """The accepted points hold the truth of the twin experiment, and the preset is one of them."""
        text = self.run_notebook("calibrate")
        found = re.search(r"best J (\S+); (\d+) of 128 points accepted", text)
        self.assertGreater(float(found[1]), 0.8)
        self.assertGreater(float(re.search(r"J of the preset: (\S+)", text)[1]), 0.9 * float(found[1]) - 0.001)
        for low, high, true in re.findall(r"\((\S+) to (\S+)\), true (\S+)", text):
            self.assertTrue(float(low) < float(true) < float(high), (low, true, high))
        count = 4 * min(int(found[2]), 12)
        self.assertIn(f"accepted: {count} of {count} members are finished; 0 have failed", text)
        self.assertIn("preset: 4 of 4 members are finished; 0 have failed", text)
        wide, narrow = map(int, re.findall(r"(\d+) cells can be reached", text))
        self.assertGreater(wide, narrow)
        self.assertNotIn("Traceback", text)

    def test_stored_without_outputs(self):
        names = [os.path.basename(path)[:-6] for path in glob.glob(os.path.join(setup.SOURCE, "examples", "*.ipynb"))]
        self.assertEqual(sorted(names), sorted(PICTURES))
        for name in names:
            for cell in case.read_json(setup.SOURCE, "examples", f"{name}.ipynb")["cells"]:
                self.assertFalse(cell.get("outputs"))
                self.assertIsNone(cell.get("execution_count"))
                self.assertLessEqual(max(map(len, "".join(cell["source"]).split("\n"))), 125)
