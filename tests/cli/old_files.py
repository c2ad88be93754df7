# SPDX-License-Identifier: Apache-2.0
"""Files of earlier releases (tests/golden/files) are read, exported and resumed, with bit-identical results."""
import os
import shutil

import case
from case import Case, read_json, record, tree

FILES = os.path.join(case.SOURCE, "tests", "golden", "files")


class OldFiles(Case):
    def releases(self):
        names = sorted(name for name in os.listdir(FILES) if os.path.isdir(os.path.join(FILES, name)))
        self.assertGreater(len(names), 0)
        for name in names:
            with self.subTest(release=name):
                run = self.path(name)
                shutil.copytree(os.path.join(FILES, name), run)
                yield run, read_json(run, "expected.json")

    @staticmethod
    def allow(expected):
        return [] if expected.get("checksums_of_fields") else ["--allow-missing-checksum"]

    def test_info(self):
        for run, expected in self.releases():
            said = self.sciara("info", run, *self.allow(expected)).stdout
            self.assertIn(f"checkpoint:    step {expected['checkpoint_step']}, simulated", said)
            self.assertIn(f"checksum:      {expected['checkpoint_checksum']}", said)
            said = self.sciara("info", os.path.join(run, "checkpoints", f"{expected['checkpoint_step']:08d}.h5")).stdout
            self.assert_parts(said, ", undamaged", f"checksum:      {expected['checkpoint_checksum']}")

    def test_export(self):
        for run, expected in self.releases():
            for kind in ("tif", "nc", "csv", "gpkg", "html"):
                out = self.path(f"out.{kind}")
                self.sciara("export", run, "-q", "-f", "cog" if kind == "tif" else kind, "-o", out, "--overwrite", *self.allow(expected))
                self.assertGreater(os.path.getsize(out), 0)

    def test_compare(self):
        for run, expected in self.releases():
            self.sciara("compare", run, run, *self.allow(expected))

    def test_without_the_option(self):
        """A rule that depends on the version in the file could be chosen by a hostile file."""
        for run, expected in self.releases():
            if not expected.get("checksums_of_fields"):
                for command in (("info", run), ("export", run, "-q", "-f", "csv"), ("compare", run, run)):
                    self.assertIn("--allow-missing-checksum", self.sciara(*command, code=3).stderr)

    def test_a_field_that_was_not_recorded(self):
        """Releases up to 0.1.0 had no max_deposit."""
        for run, expected in self.releases():
            for key in ("fields", "maps"):
                done = self.sciara("resume", run, "-q", "-o", self.path("more"), "--set", f'output.{key}=["max_deposit"]',
                                   code=3)
                self.assertIn("output: found max_deposit among the fields, but the checkpoint has not recorded it",
                              done.stderr)
                self.assertFalse(os.path.exists(self.path("more")))
            self.assertIn("holds no field \"max_deposit\"",
                          self.sciara("export", run, "-q", "-f", "cog", "--field", "max_deposit", "-o", "none.tif",
                                      *self.allow(expected), code=3).stderr)

    def test_resume(self):
        """As a branch of the complete run, and in its folder as if it had been stopped."""
        for run, expected in self.releases():
            before = tree(run)
            self.sciara("resume", run, "-q", "-o", self.path("more"), "--steps", expected["step"])
            last = record(self.path("more"))["snapshots"][-1]
            self.assertEqual((last["step"], last["checksum"]), (expected["step"], expected["checksum"]))
            self.assertEqual(tree(run), before)
            data = record(run)
            data["status"] = "stopped"
            case.write_json(os.path.join(run, "run.json"), data)
            self.sciara("resume", run, "-q", "-e", "serial")
            self.assertEqual(record(run)["snapshots"][-1]["checksum"], expected["checkpoint_checksum"])
            self.assertEqual(record(run)["resumed"][0]["step"], expected["checkpoint_step"])
            shutil.rmtree(self.path("more"))
