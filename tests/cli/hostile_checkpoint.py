# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of unknown origin, and snapshots without their checksums (docs/security.md)."""
import os
import re
import shutil

import case
import hostile
from case import record
from hostile import Hostile

import h5py
import numpy as np


class Checksums(Hostile):
    """A field without its checksum is read if the user allows it, and only then."""

    def test_refused(self):
        run = self.copy()
        for which in (1, -1):
            self.spoil(os.path.join(run, self.names[which]), hostile.no_checksum, "deposit")
        says = (os.path.basename(self.names[-1]), "deposit", "sciara_checksum", "--allow-missing-checksum")
        for command in (("info", os.path.join("run", self.names[-1])), ("info", "run"), ("compare", "run", "good")):
            self.refused(*command, says=says)
        for kind in hostile.FORMATS:
            self.refused("export", "run", "-q", "-f", kind, "-o", hostile.MADE[kind], says=says)

    def test_allowed(self):
        run = self.copy()
        for name in self.names:
            self.spoil(os.path.join(run, name), hostile.no_checksum, "deposit")
        said = self.sciara("info", "run", "--allow-missing-checksum")
        self.assertRegex(said.stdout, r"\n  deposit +\d+ cells, .* m, no checksum\n")
        self.assertRegex(said.stdout, r"\n  thickness +\d+ cells, .* m\n")
        self.sciara("compare", "run", "good", "--allow-missing-checksum")
        self.sciara("compare", "run", "--observed", "good/maps/deposit.tif", "--allow-missing-checksum")
        for kind in hostile.FORMATS:
            self.sciara("export", "run", "-q", "-f", kind, "-o", hostile.MADE[kind], "--allow-missing-checksum")
            self.assertTrue(os.path.exists(self.path(hostile.MADE[kind])))

    def test_it_allows_nothing_else(self):
        for how in hostile.LEADS_AWAY:
            with self.subTest(how=how.__name__):
                self.setUp()
                shutil.copy(self.path("good", self.names[-1]), self.path("lone.nc"))
                self.spoil(self.path("lone.nc"), how, "deposit")
                self.refused("info", "lone.nc", "--allow-missing-checksum", says=("lone.nc",))

    def test_a_wrong_checksum(self):
        shutil.copy(self.path("good", self.names[-1]), self.path("lone.nc"))
        with h5py.File(self.path("lone.nc"), "r+") as f:
            f["deposit"].attrs["sciara_checksum"] = np.bytes_("0" * 16)
        self.refused("info", "lone.nc", "--allow-missing-checksum", says=("lone.nc", "deposit is damaged"))


class Checkpoints(Hostile):
    def lone(self):
        shutil.copy(self.path("good", "checkpoints", self.checkpoints[-1]), self.path("lone.h5"))
        return self.path("lone.h5")

    def test_each(self):
        self.assert_each(hostile.LEADS_AWAY, self.lone, lambda path: [("info", path)], "h")

    def test_a_crs_that_names_a_file(self):
        self.fifos()
        with h5py.File(self.lone(), "r+") as f:
            f.attrs["crs_wkt"] = np.bytes_('LOCAL_CS["x",EXTENSION["PROJ4","+nadgrids=/secret"]]')
        said = self.refused("info", "lone.h5", says=("the checksum of its header is",)).stderr
        with h5py.File(self.path("lone.h5"), "r+") as f:  # the author of such a file also writes the right checksum
            f.attrs["header_checksum"] = np.bytes_(re.search(r"the checksum of its header is ([0-9a-f]{16})", said).group(1))
        self.refused("info", "lone.h5", says=("lone.h5", "its CRS names a file"))

    def test_resume(self):
        """With a hostile newest checkpoint a run is resumed from the one before; with two hostile ones it is not."""
        for how in (hostile.external_storage, hostile.virtual_dataset, hostile.external_link, hostile.link_next_to_it):
            with self.subTest(how=how.__name__):
                self.setUp()
                run = self.copy()
                case.write_json(os.path.join(run, "run.json"), {**record(run), "status": "stopped"})
                newest, older = (os.path.join(run, "checkpoints", name) for name in reversed(self.checkpoints))
                self.spoil(newest, how, "h")
                os.remove(self.secret_hdf5)
                kept = self.copy("kept")
                shutil.copy(newest, os.path.join(kept, "checkpoints"))
                self.spoil(older, how, "h")
                self.fifos()
                says = tuple(os.path.basename(path) for path in (newest, older))
                self.refused("info", "run", says=says)
                self.refused("resume", "run", "-q", "-o", "more", "--until", "6 min", says=("none of its 2 checkpoints",))
                error = self.sciara("resume", "run", code=3, timeout=60).stderr
                for name in says:
                    self.assertIn(name, error)
                done = self.sciara("resume", "kept", "-o", "more", "--until", "6 min", timeout=60)
                self.assertIn("the previous one is used", done.stderr)
                self.assertNotIn("secret of", done.stdout + done.stderr)
