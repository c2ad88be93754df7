#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run writes only inside its output folder: a symbolic link in the folder does not lead out of it, and a scenario names
no other place."""
import os
import shutil
import sys

sys.dont_write_bytecode = True
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
import case


class Links(case.Case):
    def setUp(self):
        super().setUp()
        self.write_scenario(output={"fields": case.FIELDS, "maps": ["deposit"]})
        self.run_scenario("out", "-n", 3)
        os.mkdir(self.path("elsewhere"))

    def lead_away(self, name):
        """A link to elsewhere/target, in place of something in the run; the target is what was there."""
        place, target = self.path("out", name), self.path("elsewhere", "target")
        if os.path.lexists(place):
            os.rename(place, target)
        elif name.endswith(".part"):
            shutil.copy(self.path("out", "run.json"), target)
        else:
            os.mkdir(target)
        os.symlink(target, place)

    def refused(self, *args):
        before = case.tree(self.work)
        done = self.sciara(*args, code=3)
        self.assertEqual(case.tree(self.work), before, "something was written or removed")
        return done.stderr

    def test_a_link_instead_of_a_folder_or_file(self):
        for name in ("snapshots", "maps", "checkpoints", "run.json", "run.json.part", "run.log", "maps/deposit.frames"):
            with self.subTest(name=name):
                shutil.rmtree(self.path("out"))
                self.run_scenario("out", "-n", 3)
                shutil.rmtree(self.path("elsewhere"))
                os.mkdir(self.path("elsewhere"))
                self.lead_away(name)
                error = self.refused("run", "s.json", "-q", "-o", "out", "--overwrite", "-n", 2)
                self.assertIn(f"{self.path('out', name)}: expected a file or folder made by a run, found a symbolic link", error)

    def test_a_link_instead_of_a_product(self):
        """It is removed; its target stays."""
        for name in ("dem.tif", "series.nc", "snapshots/00000003.nc", "maps/deposit.tif", "maps/deposit.png.part"):
            with self.subTest(name=name):
                kept = self.path("elsewhere", "kept")
                with open(kept, "w", encoding="ascii") as f:
                    f.write("mine")
                if os.path.lexists(self.path("out", name)):
                    os.remove(self.path("out", name))
                os.symlink(kept, self.path("out", name))
                self.run_scenario("out", "-n", 3, "--overwrite")
                self.assertFalse(os.path.islink(self.path("out", name)))
                with open(kept, encoding="ascii") as f:
                    self.assertEqual(f.read(), "mine")

    def test_export_to_another_folder(self):
        self.lead_away("maps")
        error = self.refused("export", "out", "-q", "-f", "cog", "--field", "thickness")
        self.assertIn("out/maps: expected a file or folder made by a run, found a symbolic link", error)
        self.sciara("export", "out", "-q", "-f", "cog", "--field", "thickness", "-o", "out/maps/named.tif")
        self.assertTrue(os.path.exists(self.path("elsewhere", "target", "named.tif")))

    def test_the_output_folder_itself(self):
        """The user has named it, so it may be a link."""
        os.symlink(self.path("elsewhere"), self.path("linked"))
        self.run_scenario("linked", "-n", 2)
        self.assertIn("run.json", os.listdir(self.path("elsewhere")))

    def test_everything_lies_in_the_output_folder(self):
        before = case.tree(self.work)
        self.run_scenario("made", "-n", 3, "--set", "title=../../x", "--set", 'output.maps=["deposit","max_speed"]')
        new = set(case.tree(self.work)) - set(before)
        self.assertEqual({name.split(os.sep)[0] for name in new}, {"made"})


class Names(case.Case):
    """Keys that name products take names from a list, not paths."""

    def test_paths_instead_of_names(self):
        for key in ("maps", "fields"):
            for name in ("../deposit", "/tmp/deposit", "deposit/../../x"):
                with self.subTest(key=key, name=name):
                    self.write_scenario(output={key: [name]})
                    self.assertIn(name, self.sciara("run", "s.json", "-q", "-n", 1, code=3).stderr)
                    self.assertEqual(sorted(os.listdir(self.work)), ["dem.asc", "s.json"])


if __name__ == "__main__":
    case.main()
