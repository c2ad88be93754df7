# SPDX-License-Identifier: Apache-2.0
"""The synthetic volcano at 1, 2, 5, 10 and 30 m, from a DEM to a map, by the commands that the program names: init, check,
run, export. No manual is needed: every line that is typed stands in a message of the command before it."""
import os
import re

import case
from case import Case
from geo import gdal

VOLCANO = os.path.join(case.SOURCE, "datasets", "volcano.tif")
X, Y = 448585, 4348110
SIDE = 60  # cells of each DEM, which lies around the vent


class FirstMap(Case):
    def dem(self, cell):
        """The volcano resampled as a user would, by gdalwarp."""
        half = SIDE * cell / 2
        bounds = [X - half, Y - half, X + half, Y + half]
        self.tool("gdalwarp", "-q", "-overwrite", "-r", "cubicspline", "-tr", cell, cell, "-te", *bounds, VOLCANO, "my_dem.tif")

    def next_command(self, said, *words):
        """The command that a message names, which begins with these words."""
        found = re.search(rf"'(sciara {' '.join(words)}[^']*)'", said)
        self.assertTrue(found, f"no command \"{' '.join(words)}\" in: {said}")
        return found[1].split()[1:]

    def check_way(self, cell):
        self.dem(cell)
        lacking = ["init", "my_dem.tif"]
        for message, more in (("--vent is missing", ["--vent", f"{X},{Y}"]), ("--rate is missing", ["--rate", "2"]),
                              ("--duration is missing", ["--duration", "2 min"])):
            self.assertIn(message, self.sciara(*lacking, code=2).stderr)
            lacking += more
        said = self.sciara(*lacking, "--until", "3 min", "--overwrite").stderr
        report = self.sciara(*self.next_command(said, "check"))
        self.assert_parts(report.stdout, f"grid:          {SIDE} rows x {SIDE} columns of {cell} m", "vents:         1, 240 m3 in all, until 2 min")
        self.assertTrue(report.stdout.endswith("no problem found\n"))
        done = self.sciara(*self.next_command(said, "run"))
        export = self.next_command(done.stderr, "export")
        self.sciara(*export)
        maps = os.listdir(self.path("my_dem.out", "maps"))
        self.assertEqual([name[-4:] for name in maps], [".png"])
        self.assertGreater(gdal.Open(self.path("my_dem.out", "maps", maps[0])).RasterXSize, 100)
        ledger = case.record(self.path("my_dem.out"))["ledger"]
        self.assertAlmostEqual(ledger["emitted_m3"], 240, delta=1e-6)

    def test_1_m(self):
        self.check_way(1)

    def test_2_m(self):
        self.check_way(2)

    def test_5_m(self):
        self.check_way(5)

    def test_10_m(self):
        self.check_way(10)

    def test_30_m(self):
        self.check_way(30)
