# SPDX-License-Identifier: Apache-2.0
"""HDF5 files of unknown origin: none of them makes the program open, read or show another file (docs/security.md).

Each hostile file refers to a file whose bytes are known. Every command that reads it must refuse it with exit code 3 and a
message that names the file and the dataset, write nothing, and show none of those bytes. If the other file is a
FIFO, the program must not even open it: that would block for ever."""
import os
import re
import shutil

import case
import hostile
from hostile import Hostile

import h5py
import numpy as np


class Snapshots(Hostile):
    def lone(self):
        shutil.copy(self.path("good", self.names[1]), self.path("lone.nc"))
        return self.path("lone.nc")

    @staticmethod
    def commands(path):
        return [("info", path), ("export", path, "-q", "-f", "nc")]

    def test_a_field(self):
        self.assert_each(hostile.LEADS_AWAY, self.lone, self.commands, "deposit")

    def test_an_axis(self):
        hows = [hostile.external_storage, hostile.external_link, hostile.soft_link, hostile.virtual_dataset,
                hostile.compact]
        for axis in ("x", "time"):
            self.assert_each(hows, self.lone, self.commands, axis)

    def test_the_crs(self):
        for how in (hostile.external_link, hostile.soft_link, hostile.group):
            self.spoil(self.lone(), how, "crs")
            for command in self.commands("lone.nc"):
                self.refused(*command, says=("lone.nc", "crs"))

    def test_every_command(self):
        """The last snapshot of a run, and one in the middle."""
        for how in (hostile.external_storage, hostile.virtual_dataset):
            for which in (1, -1):
                self.setUp()
                run = self.copy()
                self.spoil(os.path.join(run, self.names[which]), how, "deposit")
                self.fifos()
                says = (os.path.basename(self.names[which]), "deposit")
                self.refused("info", "run", says=says)
                for kind in hostile.FORMATS:
                    if which == -1 or kind in ("frames", "nc", "csv", "html"):
                        with self.subTest(how=how.__name__, which=which, kind=kind):
                            self.refused("export", "run", "-q", "-f", kind, "-o", hostile.MADE[kind], says=says)
                if which == -1:
                    self.refused("compare", "run", "good", says=says)
                    self.refused("compare", "good", "run", says=says)
                    self.refused("compare", "run", "--observed", "good/maps/deposit.tif", says=says)

    def test_a_user_block_changes_nothing(self):
        for size in (512, 4096):
            hostile.put_user_block(self.lone(), size)
            self.sciara("info", "lone.nc")
            self.spoil(self.path("lone.nc"), hostile.storage_next_to_it, "deposit")
            self.refused("info", "lone.nc", says=("lone.nc", "next_to_it"))

    def test_texts_of_variable_length(self):
        with h5py.File(self.lone(), "r+") as f:
            f.attrs["title"] = "of variable length"
        self.refused("info", "lone.nc", says=("lone.nc", "title"))

    def test_a_crs_that_names_a_file(self):
        """PROJ would open it as a grid of shifts, to find the position of the lava on a map."""
        self.fifos()
        with h5py.File(self.lone(), "r+") as f:
            wkt = f["crs"].attrs["crs_wkt"].decode()
            at = wkt.rindex(",AUTHORITY")
            hostile_wkt = f'{wkt[:at]},EXTENSION["PROJ4","+proj=utm +zone=33 +nadgrids={self.secret}"]{wkt[at:]}'
            f["crs"].attrs.create("crs_wkt", np.bytes_(hostile_wkt))
        for command in (("info", "lone.nc"), *(("export", "lone.nc", "-q", "-f", kind) for kind in ("cog", "kml", "geojson"))):
            self.refused(*command, says=("lone.nc", "its CRS names a file"))

    def test_a_scenario_that_names_other_files(self):
        """A snapshot contains its scenario: no table of rates is opened to find the vents in it."""
        self.fifos()
        for name in (self.secret, "../" + os.path.basename(self.work) + "/secret"):
            rates = {"csv": name}
            scenario = case.scenario(vents=[{"row": 8, "col": 20, "effusion": rates}], dem={"path": self.secret})
            with h5py.File(self.lone(), "r+") as f:
                text = np.bytes_(case.json.dumps(scenario))
                f.attrs.create("scenario_json", text)
            for kind in ("csv", "html"):
                done = self.sciara("export", "lone.nc", "-q", "-f", kind, "-o", hostile.MADE[kind], "--overwrite", timeout=60)
                self.assertEqual(done.stderr, "")
            front = case.read_text(self.path("made.csv")).splitlines()[1].split(",")[5]
            self.assertGreater(float(front), 0, "the vents were not found")
            self.sciara("compare", "lone.nc", "--observed", "good/maps/deposit.tif", timeout=60)


class Plugins(Hostile):
    def test_none_is_loaded(self):
        """A folder of plugins is not read, whatever a file requires."""
        if not shutil.which("strace"):
            self.skipTest("strace is not installed")
        shutil.copy(self.path("good", self.names[-1]), self.path("lone.nc"))
        self.spoil(self.path("lone.nc"), hostile.plugin_filter, "deposit")
        os.mkdir(self.path("plugins"))
        env = {**os.environ, "HDF5_PLUGIN_PATH": self.path("plugins"), "LSAN_OPTIONS": "detect_leaks=0"}  # which do not work in a traced program
        done = self.tool("strace", "-f", "-e", "trace=file", case.PROGRAM, "info", "lone.nc", code=3, env=env)
        self.assertNotIn(self.path("plugins"), re.sub(r'execve\(.*', "", done.stderr))
