# SPDX-License-Identifier: Apache-2.0
"""sciara run --overwrite replaces a run and nothing else; and defects that a review found."""
import fcntl
import os
import shutil

from case import Case, record, tree


class Overwrite(Case):
    """The output folder is not empty."""

    def refused(self, what, *args):
        before = tree(self.work)
        done = self.sciara("run", "s.json", "-q", "--overwrite", "-n", 2, *args, code=3)
        self.assertIn(what, done.stderr)
        self.assertEqual(tree(self.work), before, "something was written or removed")

    def test_a_folder_that_holds_no_run(self):
        self.write_scenario()
        self.refused("is not empty and holds no run", "-o", ".")

    def test_a_dem_that_is_a_product(self):
        self.write_scenario()
        self.run_scenario("out", "-n", 2)
        self.refused("the run reads this file", "-o", "out", "--set", "dem.path=out/dem.tif")

    def test_files_of_others(self):
        self.write_scenario()
        self.run_scenario("out", "-n", 2, "--set", 'output.maps=["deposit"]')
        for suffix in ("gpkg", "geojson", "kml", "nc", "csv", "frames"):
            self.sciara("export", "out", "-q", "-f", suffix)
        mine = ["deposit.old.tif", "mine.tif", "outline.txt", "series"]
        for name in (*(f"maps/{name}" for name in mine), "snapshots/notes.txt", "note"):
            shutil.copy(self.path("dem.asc"), self.path("out", name))
        with open(self.path("out", "maps", "series.nc.part"), "wb"):
            pass
        self.assertEqual(len(os.listdir(self.path("out", "maps"))), len(mine) + 10)
        self.run_scenario("out", "-n", 3, "--overwrite")
        self.assertEqual(sorted(os.listdir(self.path("out", "maps"))), mine)
        self.assertEqual(sorted(os.listdir(self.path("out", "snapshots"))), ["00000003.nc", "notes.txt"])
        self.assertTrue(os.path.isfile(self.path("out", "note")))

    def test_two_runs_in_one_folder(self):
        self.write_scenario()
        self.run_scenario("out", "-n", 2)
        folder = os.open(self.path("out"), os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        self.refused("another run is writing", "-o", "out")
        os.close(folder)
        self.run_scenario("out", "-n", 3, "--overwrite")


class Reviewed(Case):
    """Defects of earlier versions."""

    def test_outputs_closer_than_the_precision_of_the_time(self):
        self.write_scenario()
        folder = self.run_scenario("out", "-n", 3, "--set", "output.every=1e-20", timeout=60)
        self.assertEqual(len(record(folder)["snapshots"]), 3)

    def test_lava_that_does_not_cool(self):
        self.write_scenario(model={"cooling": 0})
        for precision in ("double", "single"):
            for engine in ("serial", "checked"):
                self.run_scenario(f"{engine}-{precision}", "-n", 60, "--engine", engine, "--precision", precision)
            self.assert_identical(f"serial-{precision}", f"checked-{precision}")

    def test_initial_lava_at_a_temperature_that_float_rounds_up(self):
        self.write_scenario(model={"T_vent_K": 1360.3}, initial={"thickness": 1})
        self.run_scenario("out", "-n", 3, "--precision", "single")

    def test_numbers_of_options_in_other_forms(self):
        self.write_scenario()
        self.assertEqual(record(self.run_scenario("out", "--steps", "+5"))["state"]["step"], 5)

    def test_nothing_to_compare(self):
        self.write_scenario()
        self.run_scenario("a", "-n", 20, "--set", 'output.fields=["thickness"]')
        self.run_scenario("b", "-n", 20, "--set", 'output.fields=["temperature"]')
        self.run_scenario("c", "-n", 20, "--set", 'output.fields=["thickness", "temperature"]')
        self.assertIn("no field in common", self.sciara("compare", "a", "b", "--tolerance", 0, code=3).stderr)
        self.sciara("compare", "a", "c", "--tolerance", 0, code=1)
        self.sciara("compare", "c", "c", "--tolerance", 0)
