# SPDX-License-Identifier: Apache-2.0
"""Run folders of unknown origin: only files inside a folder are used, also by its series (docs/security.md)."""
import os
import shutil

import case
import hostile
from case import record
from hostile import Hostile

import h5py
import numpy as np


class Series(Hostile):
    """series.nc refers to the snapshots of its own folder and to nothing else. The program reads the snapshots themselves;
    `info` reports whether the series is valid, because other programs follow it."""

    def rewrite(self, run, source, dataset="deposit", name="deposit"):
        with h5py.File(os.path.join(run, "series.nc"), "r+") as f:
            shape, dtype = f[name].shape, f[name].dtype
            del f[name]
            layout = h5py.VirtualLayout(shape=shape, dtype=dtype)
            for k in range(shape[0]):
                layout[k] = h5py.VirtualSource(source, dataset, shape=(1,) + shape[1:])[0]
            f.create_virtual_dataset(name, layout, fillvalue=np.nan)

    def test_a_good_one(self):
        self.sciara("info", "good")
        moved = self.copy("moved")
        self.sciara("info", moved)

    def test_sources(self):
        first = self.names[0]
        for source in (self.secret_hdf5, "../secret.h5", "secret.h5", "../good/" + first, "./" + first,
                       "snapshots/../../secret.h5", "snapshots/00000001.nc/../../../secret.nc", os.path.abspath(self.path("run", first)), "snapshots/%%b.nc",
                       "snapshots/00000001.h5", "snapshots/x.nc", "snapshots//00000001.nc", ".", "checkpoints/00000001.nc"):
            with self.subTest(source=source):
                self.setUp()
                self.rewrite(self.copy(), source)
                self.fifos()
                self.refused("info", "run", says=("series.nc", "deposit", f'"{source}"'))

    def test_another_dataset(self):
        self.rewrite(self.copy(), self.names[0], dataset="thickness")
        self.refused("info", "run", says=("series.nc", "deposit", '"thickness"'))

    def test_what_is_no_virtual_dataset(self):
        hows = [h for h in hostile.LEADS_AWAY if not h.__name__.startswith("virtual_") and h is not hostile.soft_link]
        for how in hows + [hostile.virtual_unlimited, hostile.virtual_in_a_group]:
            with self.subTest(how=how.__name__):
                self.setUp()
                run = self.copy()
                self.spoil(os.path.join(run, "series.nc"), how, "deposit")
                self.fifos()
                self.refused("info", "run", says=("series.nc",))

    def test_a_snapshot_that_is_a_link(self):
        run = self.copy()
        place = os.path.join(run, self.names[0])
        os.remove(place)
        os.symlink(self.path("good", self.names[0]), place)
        self.refused("info", "run", says=(self.names[0],))

    def test_as_something_else(self):
        """It is neither a snapshot nor a raster: the message says to name the folder."""
        self.refused("info", "good/series.nc", says=("series.nc", "virtual"))
        self.refused("export", "good/series.nc", "-q", "-f", "nc", "-o", "made.nc", says=("series.nc", "virtual"))
        case.write_scenario(self.work, "t.json", dem={"path": "good/series.nc", "crs": "EPSG:32633"})
        self.refused("check", "t.json", says=("series.nc", "virtual"))


class Folders(Hostile):
    """The files of a run are inside its folder: a link that leads out of it is refused."""

    def stopped(self):
        """A copy of the run that can be resumed."""
        run = self.copy()
        case.write_json(os.path.join(run, "run.json"), {**record(run), "status": "stopped"})
        return run

    def replaced(self, name, target):
        run = self.stopped()
        place = os.path.join(run, name)
        os.remove(place)
        os.symlink(target, place)
        return place

    def test_a_link_instead_of_a_file(self):
        # The files that are read, with the commands that read them.
        commands = {"run.json": [("info", "run"), ("export", "run", "-q", "-f", "nc", "-o", "made.nc"),
                                 ("compare", "run", "good"), ("resume", "run", "-q"),
                                 ("resume", "run", "-q", "-o", "more", "--until", "6 min")],
                    "dem.tif": [("export", "run", "-q", "-f", "png", "-o", "made.png"),
                                ("export", "run", "-q", "-f", "html", "-o", "made.html"),
                                ("export", os.path.join("run", self.names[-1]), "-q", "-f", "png", "-o", "made.png"),
                                ("compare", "run", "--observed", "good/maps/deposit.tif", "--png", "made.png"),
                                ("resume", "run", "-q"),
                                ("resume", "run", "-q", "-o", "more", "--until", "6 min")],
                    self.names[0]: [("info", "run"), ("export", "run", "-q", "-f", "nc", "-o", "made.nc"),
                                    ("export", "run", "-q", "-f", "csv", "-o", "made.csv"),
                                    ("export", "run", "-q", "-f", "html", "-o", "made.html"),
                                    ("export", "run", "-q", "-f", "frames", "-o", "made.frames")],
                    self.names[-1]: [("info", "run"), ("compare", "run", "good"),
                                     ("export", "run", "-q", "-f", "cog", "-o", "made.tif")]}
        for name, list_of_them in commands.items():
            for target in (self.path("good", name), "../good/" + name if "/" not in name else "../../good/" + name,
                           self.secret):
                for command in list_of_them:
                    with self.subTest(name=name, target=target, command=command):
                        self.setUp()
                        self.replaced(name, target)
                        self.refused(*command, says=(os.path.basename(name), "symbolic link"))

    def test_a_link_instead_of_a_checkpoint(self):
        run = self.stopped()
        for name in self.checkpoints:
            place = os.path.join(run, "checkpoints", name)
            os.remove(place)
            os.symlink(self.path("good", "checkpoints", name), place)
        for command in (("info", "run"), ("resume", "run"),
                        ("resume", "run", "-o", "more", "--until", "6 min")):
            done = self.sciara(*command, code=3)
            self.assertIn(f"{self.checkpoints[0]}: expected a file of the run, found a symbolic link", done.stderr)

    def test_a_link_instead_of_a_folder(self):
        for name, command in (("snapshots", ("info", "run")), ("snapshots", ("export", "run", "-q", "-f", "nc", "-o", "n.nc")),
                              ("checkpoints", ("info", "run")),
                              ("checkpoints", ("resume", "run", "-q", "-o", "more", "--until", "6 min"))):
            with self.subTest(name=name, command=command):
                self.setUp()
                run = self.copy()
                shutil.rmtree(os.path.join(run, name))
                os.symlink(self.path("good", name), os.path.join(run, name))
                self.refused(*command, says=("symbolic link",))

    def test_a_folder_with_a_similar_name(self):
        """`runs` is not inside `run`."""
        shutil.copytree(self.path("good"), self.path("runs"))
        self.replaced(self.names[0], self.path("runs", self.names[0]))
        self.refused("info", "run", says=(os.path.basename(self.names[0]), "symbolic link"))

    def test_a_link_that_leads_nowhere(self):
        for name in (self.names[0], "series.nc"):
            self.replaced(name, self.path("absent"))
            self.refused("info", "run", says=(os.path.basename(name), "symbolic link"))

    def test_a_link_within_the_run(self):
        """It stays inside the run, so it does no harm."""
        run = self.copy()
        os.rename(os.path.join(run, self.names[0]), os.path.join(run, "kept.nc"))
        os.symlink("../kept.nc", os.path.join(run, self.names[0]))
        self.sciara("info", "run")
        self.sciara("export", "run", "-q", "-f", "nc", "-o", "made.nc")

    def test_the_run_folder_itself_may_be_a_link(self):
        os.symlink(self.path("good"), self.path("linked"))
        self.sciara("info", "linked")
        self.sciara("export", "linked", "-q", "-f", "csv", "-o", "made.csv")

    def test_names_in_run_json(self):
        run = self.copy()
        data = record(run)
        for name in (self.path("good", self.names[0]), "../good/" + self.names[0], "snapshots/../../good/x.nc"):
            data["snapshots"][0]["name"] = name
            case.write_json(os.path.join(run, "run.json"), data)
            for command in (("info", "run"), ("export", "run", "-q", "-f", "nc", "-o", "made.nc")):
                self.refused(*command, says=("run.json", "snapshots[0].name"))
