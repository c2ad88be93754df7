# SPDX-License-Identifier: Apache-2.0
"""sciara run: where a run is written, names of files, and what happens to existing files."""
import os
import resource
import subprocess
import unittest

import case
from case import Case, ScenarioCase, open_snapshot, read_json, record
from geo import gdal


class Places(Case):
    """Where a run is written, and names of files."""

    def test_output_is_relative_to_the_current_folder(self):
        os.mkdir(self.path("in"))
        os.mkdir(self.path("here"))
        self.write_scenario()
        for name in ("s.json", "dem.asc"):
            os.rename(self.path(name), self.path("in", name))
        done = self.sciara("run", "../in/s.json", "-q", "-n", 2, "--output", "out", cwd=self.path("here"))
        self.assertEqual(record(self.path("here", "out"))["state"]["step"], 2)
        self.assertTrue(os.path.isfile(os.path.join(self.path("here"), done.stdout.strip())), done.stdout)
        self.sciara("run", "../in/s.json", "-q", "-n", 3, "--set", "output.folder=deep/out", cwd=self.path("here"))
        self.assertEqual(record(self.path("in", "deep", "out"))["state"]["step"], 3)
        self.sciara("run", "../in/s.json", "-q", "-n", 4, cwd=self.path("here"))
        self.assertEqual(record(self.path("in", "s.out"))["state"]["step"], 4, "without output.folder")
        self.assertEqual(os.listdir(self.path("here")), ["out"])

    def test_an_empty_folder_is_accepted(self):
        self.write_scenario()
        os.mkdir(self.path("empty"))
        self.run_scenario("empty", "-n", 1)

    def test_an_empty_name_is_refused(self):
        """--output "$NAME" with NAME unset must not fill the current folder."""
        self.write_scenario()
        os.mkdir(self.path("here"))
        self.sciara("run", "../s.json", "-q", "-n", 1, "--output", "", code=2, cwd=self.path("here"))
        self.assertEqual(os.listdir(self.path("here")), [])

    def check_names(self, **options):
        folder = self.path("Ätna 2006 – «prova»")
        os.mkdir(folder)
        case.write_dem(os.path.join(folder, "рельеф 日本.asc"))
        dem = {"path": "рельеф 日本.asc", "crs": "EPSG:32633"}
        output = {"fields": ["deposit"], "maps": ["deposit"]}
        case.write_json(os.path.join(folder, "laguna è.json"),
                        case.scenario(title='così "detta" \\ lava', dem=dem, output=output))
        done = self.sciara("run", "Ätna 2006 – «prova»/laguna è.json", "-n", 3, **options)
        lines = done.stdout.splitlines()
        self.assertEqual(lines, [f"Ätna 2006 – «prova»/laguna è.out/{name}"
                                 for name in ("snapshots/00000003.nc", "maps/deposit.tif", "maps/deposit.png")])
        out = os.path.join(folder, "laguna è.out")
        self.assertEqual(read_json(out, "run.json")["scenario"], "Ätna 2006 – «prova»/laguna è.json")
        data = open_snapshot(os.path.join(out, "snapshots/00000003.nc"))
        self.assertEqual(data.attrs["title"], 'così "detta" \\ lava')
        self.assertIn("laguna è.json", data.attrs["history"])
        self.assertEqual(gdal.Open(os.path.join(out, "maps/deposit.tif")).RasterCount, 1)
        self.sciara("info", "Ätna 2006 – «prova»/laguna è.out", **options)

    def test_names_with_blanks_and_letters_of_other_alphabets(self):
        self.check_names()

    def test_such_names_in_the_c_locale(self):
        self.check_names(env={**os.environ, "LC_ALL": "C"})

    def test_a_name_that_is_not_utf8_is_refused(self):
        self.write_scenario()
        before = case.tree(self.work)
        done = subprocess.run([case.PROGRAM, "run", "s.json", "-q", "-o", b"out\xff"], cwd=self.work,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, b'sciara: error: --output: expected a path in UTF-8, found "' +
                         self.path("out").encode() + b'\\xff"\n')
        self.assertEqual(done.stdout, b"")
        self.assertEqual(case.tree(self.work), before)

    def test_odd_output_names(self):
        self.write_scenario()
        for name, shown in (('a "quoted" \\ name', None), ("tab\tname", "tab\\x09name"), ("x=y", None), ("%s%n", None)):
            with self.subTest(name=name):
                done = self.sciara("run", "s.json", "-q", "-n", 1, "-o", name)
                self.assertEqual(done.stdout, self.path(shown or name, "snapshots", "00000001.nc") + "\n")
                self.assertEqual(record(self.path(name))["state"]["step"], 1)


class Occupied(ScenarioCase):
    """A folder that is not empty."""

    def test_refused_without_overwrite(self):
        old = self.run_scenario("out", "-n", 3, "--set", 'output.maps=["deposit"]')
        before = case.tree(old)
        done = self.sciara("run", "s.json", "-o", "out", "-n", 5, code=3)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"error: .*/out: .*not empty.*--overwrite")
        self.assertEqual(case.tree(old), before, "the folder after the diagnostic")

    def test_one_foreign_file_is_enough(self):
        os.mkdir(self.path("out"))
        case.write_json(self.path("out", "thesis.json"), {"years": 4})
        before = case.tree(self.path("out"))
        self.sciara("run", "s.json", "-o", "out", "-n", 1, code=3)
        self.assertEqual(case.tree(self.path("out")), before)

    def test_overwrite_replaces_the_run_and_nothing_else(self):
        out = self.run_scenario("out", "-n", 12, "--set", "output.every=1", "--set", 'output.maps=["deposit"]')
        foreign = ["notes.txt", "snapshots/notes.txt", "snapshots/mine.nc", "maps/notes.txt", "mine/00000001.nc"]
        os.mkdir(os.path.join(out, "mine"))
        for name in foreign:
            case.write_text(os.path.join(out, name), name)
        case.write_bytes(os.path.join(out, "snapshots", "00000099.nc.part"), b"cut short")
        done = self.sciara("run", "s.json", "-q", "-o", "out", "-n", 5, "--overwrite")
        self.assertEqual(done.stdout, f"{out}/snapshots/00000005.nc\n")
        made = ["dem.tif", "run.json", "run.log", "series.nc", "snapshots/00000005.nc"]
        self.assertEqual(case.files(out), sorted(made + foreign), "files after --overwrite")
        for name in foreign:
            self.assertEqual(case.read_text(os.path.join(out, name)), name)
        self.assertEqual([s["step"] for s in record(out)["snapshots"]], [5])
        self.assertEqual(open_snapshot(os.path.join(out, "series.nc")).time.size, 1)

    def test_nothing_is_removed_for_a_scenario_that_cannot_run(self):
        old = self.run_scenario("out", "-n", 3)
        before = case.tree(old)
        for bad in ("vents.0.row=0", "dem.path=none.asc", "engine.name=seriall", "outptu=1"):
            with self.subTest(bad=bad):
                done = run_whatever(self, "run", "s.json", "-o", "out", "--overwrite", "--set", bad)
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual(case.tree(old), before, "the old run")


@unittest.skipIf("thread" in os.environ.get("SCIARA_SANITIZE", ""), "ThreadSanitizer itself needs large files")
class FullDisk(Case):
    """A limit on the size of files stands for a full disk."""

    def limited(self, size, *args):
        done = run_whatever(self, "run", "s.json", "-q", "-o", "out", *args, preexec_fn=lambda: limit_files(size))
        self.assertEqual(done.returncode, 4, f"exit code; stderr: {done.stderr}")
        self.assertRegex(done.stderr, r"error: .*/out/.*: .*File too large")
        self.assertEqual([name for name in case.files(self.path("out")) if name.endswith(".part")], [])
        return done.stdout.splitlines(), record(self.path("out"))


def limit_files(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def run_whatever(self, *args, **options):
    """Runs the program, with any exit code."""
    return case.run_limited([case.PROGRAM, *map(str, args)], options, cwd=self.work)
