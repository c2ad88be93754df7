# SPDX-License-Identifier: Apache-2.0
"""A run writes only inside its output folder: a symbolic link in the folder does not lead out of it, and a scenario names
no other place."""
import os
import shutil

import case


class Links(case.Case):
    def prepare_test(self):
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
                case.write_text(kept, "mine")
                if os.path.lexists(self.path("out", name)):
                    os.remove(self.path("out", name))
                os.symlink(kept, self.path("out", name))
                self.run_scenario("out", "-n", 3, "--overwrite")
                self.assertFalse(os.path.islink(self.path("out", name)))
                self.assertEqual(case.read_text(kept), "mine")

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


class Ensembles(case.Case):
    """The folder of an ensemble: nothing is read, written or removed through a link in it."""

    def prepare_test(self):
        self.write_scenario("base.json", vents=[{"name": "v", "x": 500200, "y": 4177220,
                                                 "effusion": {"slot": "100 s", "rates_m3_s": [3]}}])
        for name, first in (("e.json", 0.3), ("other.json", 0.4)):
            case.write_json(self.path(name), {"base": "base.json", "sample": {"method": "full"},
                                              "vary": [{"key": "model.relaxation", "values": [first, first + 0.05]}],
                                              "result": {"thickness_m": [0], "within": ["1 d"], "quantiles": [0.5]}})
        self.sciara("ensemble", "run", "e.json", "--no-estimate", "--no-pictures")
        os.makedirs(self.path("e", "members", "000000"))
        os.mkdir(self.path("elsewhere"))

    def lead_away(self, name):
        """A link in place of a file or folder of the ensemble. Its target is what was there, and holds files of somebody else."""
        place, target = self.path("e", name), self.path("elsewhere", "target")
        shutil.rmtree(self.path("elsewhere"))
        os.mkdir(self.path("elsewhere"))
        if os.path.lexists(place):
            os.rename(place, target)
        elif "." in name:
            shutil.copy(self.path("dem.asc"), target)
        if os.path.isdir(target):
            for kept in ("0.h5", "1.h5.host-1-1.part", "0.checkpoint.h5", "000000.h5"):
                with open(os.path.join(target, kept), "ab") as f:
                    f.write(b"mine")
        os.symlink(target, place)

    def test_links_are_refused(self):
        commands = {"run": ["run", "e"], "other": ["plan", "other.json", "-o", "e", "--no-estimate", "--overwrite"]}
        more = {"status": ["status", "e"], "plan": ["plan", "e.json", "-o", "e", "--no-estimate"], "reduce": ["reduce", "e"],
                "query": ["query", "e", "--at", "500200,4177220"], "html": ["export", "e", "-f", "html", "--overwrite"],
                "member": ["member", "e", 0, "-o", "m.json"], "first": ["compare", "e", "copy"], "second": ["compare", "copy", "e"]}
        shutil.copytree(self.path("e"), self.path("copy"))
        for name in ("members", "batches", "maps", "members/000000", "members/000000/0.h5", "members/000000/0.checkpoint.h5",
                     "batches/000000.h5", "ensemble.json", "members.csv", "weights.csv", "dem.tif", "checkpoint.h5", "log.csv",
                     "run.lock"):
            shutil.rmtree(self.path("e"))
            shutil.copytree(self.path("copy"), self.path("e"))
            self.lead_away(name)
            before = case.tree(self.work)
            for command in (commands | more if name == "members" else commands).values():
                with self.subTest(name=name, command=command):
                    self.assertIn(f"e/{name}: expected a file or folder of the ensemble, found a symbolic link",
                                  self.sciara("ensemble", *command, code=3).stderr)
                    self.assertEqual(case.tree(self.work), before, "something was written or removed")

    def test_links_that_lead_nowhere(self):
        """What is not there yet is not made elsewhere, and a table that cannot be found is not taken as absent."""
        shutil.copytree(self.path("e"), self.path("copy"))
        for name in ("members", "maps", "members/000000", "weights.csv", "log.csv", "run.lock"):
            place = self.path("e", name)
            if os.path.isdir(place):
                shutil.rmtree(place)
            else:
                os.remove(place)
            os.symlink(self.path("elsewhere", "absent"), place)
            with self.subTest(name=name):
                self.sciara("ensemble", "run", "e", code=3)
                self.sciara("ensemble", "reduce", "e", code=3)
                self.assertEqual(os.listdir(self.path("elsewhere")), [])
            shutil.rmtree(self.path("e"))
            shutil.copytree(self.path("copy"), self.path("e"))

    def test_a_link_instead_of_a_product(self):
        """It is replaced; one with the name of a file that is being written is refused. Its target stays."""
        kept = self.path("elsewhere", "kept")

        def link(*names):
            for place in (self.path("e", name) for name in names):
                if os.path.lexists(place):
                    os.remove(place)
                os.symlink(kept, place)
        case.write_text(kept, "mine")
        names = ("maps/probability_0m.tif", "maps/probability_0m.qml", "maps/probability_0m.png", "sites.csv", "hazard.nc",
                 "outlines.gpkg")
        link(*names)
        self.sciara("ensemble", "reduce", "e")
        self.assertEqual([name for name in names if os.path.islink(self.path("e", name))], [])
        for name in ("maps/probability_0m.tif.part", "hazard.nc.part"):
            link(name)
            self.assertIn(f"e/{name}: this is a symbolic link; remove it",
                          self.sciara("ensemble", "reduce", "e", "--no-pictures", code=4).stderr)
            os.remove(self.path("e", name))
        self.assertEqual(case.read_text(kept), "mine")

    def test_the_folder_itself(self):
        """The user names it, so it may be a link; the one that `run` finds for itself may not."""
        shutil.rmtree(self.path("e"))
        os.symlink(self.path("elsewhere"), self.path("e"))
        done = self.sciara("ensemble", "run", "e.json", "--no-estimate", "--no-pictures", code=2)
        self.assertIn("e: expected a folder, found a symbolic link; to follow it, name it with --output", done.stderr)
        self.assertEqual(os.listdir(self.path("elsewhere")), [])
        self.sciara("ensemble", "run", "e.json", "-o", "e", "--no-estimate", "--no-pictures")
        self.assertIn("2 of 2 finished", self.sciara("ensemble", "status", "e").stdout)
        self.assertIn("ensemble.json", os.listdir(self.path("elsewhere")))

    def test_no_program_waits_for_a_pipe(self):
        shutil.rmtree(self.path("e", "batches"))
        for name, code in (("run.lock", 3), ("log.csv", 4)):
            os.remove(self.path("e", name))
            os.mkfifo(self.path("e", name))
            with self.subTest(name=name):
                self.assertIn(f"e/{name}: ", self.sciara("ensemble", "run", "e", code=code, timeout=60).stderr)
            os.remove(self.path("e", name))


class Names(case.Case):
    """Keys that name products take names from a list, not paths."""

    def test_paths_instead_of_names(self):
        for key in ("maps", "fields"):
            for name in ("../deposit", "/tmp/deposit", "deposit/../../x"):
                with self.subTest(key=key, name=name):
                    self.write_scenario(output={key: [name]})
                    self.assertIn(name, self.sciara("run", "s.json", "-q", "-n", 1, code=3).stderr)
                    self.assertEqual(sorted(os.listdir(self.work)), ["dem.asc", "s.json"])
