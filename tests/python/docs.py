# SPDX-License-Identifier: Apache-2.0
"""The Python blocks of docs/python.md and python/README.md run, and the page names the whole interface."""
import os
import re

import setup
import case

import sciara

PAGE = os.path.join(setup.SOURCE, "docs", "python.md")


class Documentation(case.Case):
    def run_blocks(self, text):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("python3-matplotlib is not installed (tools/setup --tests)")
        matplotlib.use("Agg")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.work)
        blocks, names = re.findall(r"(?ms)^```python\n(.*?)^```$", text), {}
        for block in blocks:
            exec(compile(block, "example", "exec"), names)  # pylint: disable=exec-used
        return blocks, names

    def test_page(self):
        for folder in ("config", "datasets"):
            os.symlink(os.path.join(setup.SOURCE, folder), self.path(folder))
        blocks, names = self.run_blocks(case.read_text(PAGE))
        self.assertEqual(len(blocks), 7)
        self.assertTrue(os.path.exists(self.path("deposit.tif")) and os.path.exists(self.path("state.nc")))
        self.assertEqual(names["ensemble"].status().finished, 8)
        self.assertGreater(names["answer"].thickness[0].value, 0)
        self.assertGreater(names["run"].ledger.emitted, names["other"].ledger.emitted)

    def test_readme(self):
        case.write_scenario(self.work, "etna.json")
        self.assertEqual(len(self.run_blocks(case.read_text(os.path.join(setup.PACKAGE, "README.md")))[0]), 1)

    def test_everything_is_named(self):
        text = case.read_text(PAGE)
        for name in set(sciara.__all__) - {"Engine", "Grid", "Ledger", "Progress", "VentInfo", "LavaAccessor", "Score",
                                           "__version__"}:
            self.assertRegex(text, rf"\b{name}\b")
        for name in filter(lambda name: not name.startswith("_"), dir(sciara.Run)):
            self.assertRegex(text, rf"`{name}\b")
        for name in filter(lambda name: not name.startswith("_"), dir(sciara.ensemble.Ensemble) + ["folder"]):
            self.assertRegex(text, rf"`{name}\b")
