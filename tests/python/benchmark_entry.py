# SPDX-License-Identifier: Apache-2.0
"""studies/benchmark-entry: its files, and its numbers, which are computed anew from them."""
import math
import os
import sys

import setup
import case
import numpy as np

CASES = {"bm1_dam_break": "dam", "bm1_dam_break_default_clock": "dam", "bm2_inclined": "inc", "bm3_axisymmetric": "axi",
         "bm4_split": "split", "bm4_split_180": "split_180"}


class Entry(case.Case):
    def test_entry(self):
        said = self.tool(sys.executable, os.path.join(case.SOURCE, "studies", "benchmark-entry"), self.work, "--coarser", 4,
                         env={**os.environ, "PYTHONPATH": setup.PACKAGE, "OMP_NUM_THREADS": "1"}).stdout
        grids = {f"Sciara/sciara_{name[4:]}.asc" for name in CASES}
        self.assertEqual(set(case.files(self.work)), grids | {f"inputs/Sciara/{name}.json" for name in CASES} | {
            f"DEMs/topography_dem_{dem}.asc" for dem in CASES.values()} | {"DEMs/thickness_dam.asc", "Sciara/extents.csv"})
        rows = self.table("Sciara", "extents.csv")
        thickness = np.loadtxt(self.path("Sciara", "sciara_inclined.asc"), skiprows=6)
        row, col = np.nonzero(thickness > 1e-4)
        x, y = (-0.3515 + 0.012 * (col.max() + 1)) / math.cos(math.radians(2.5)), 0.4515 - 0.012 * row.min()
        south = 0.012 * (row.max() + 1) - 0.4515
        last = {one["quantity"]: float(one["found_m"]) for one in rows if one["benchmark"] == "bm2_inclined"}
        np.testing.assert_allclose([last["X"], last["Y"]], [x, max(y, south)], atol=2e-6)
        mean = []
        for name, quantity in [("bm1_dam_break", "X"), ("bm2_inclined", "X"), ("bm2_inclined", "Y"), ("bm3_axisymmetric", "R")]:
            found, expected = np.array([[float(one[key]) for key in ("found_m", "expected_m")] for one in rows
                                        if (one["benchmark"], one["quantity"]) == (name, quantity)]).T
            mean.append(100 * np.sqrt(((found - expected) ** 2).mean()) / np.ptp(expected))
            self.assertIn(f"NRMSE of {quantity}, {name}: {mean[-1]:.2f} %\n", said)
            self.assertLess(mean[-1], 20 if quantity == "R" else 10)
        self.assertIn(f"Sciara    {np.mean(mean[1:]):.2f} % on average", said)
        self.sciara("run", "inputs/Sciara/bm3_axisymmetric.json", "-q", "-o", "run")
        again = case.open_snapshot(self.path("run", "snapshots", sorted(os.listdir(self.path("run", "snapshots")))[-1]))
        np.testing.assert_allclose(np.loadtxt(self.path("Sciara", "sciara_axisymmetric.asc"), skiprows=6), again.thickness.values[0], rtol=1e-6)
