# SPDX-License-Identifier: Apache-2.0
"""Names of files to be written: "-" is not a name, an option is not a name, the extension belongs to the format, and
anything but a file is not replaced."""
import os
import re

import case
from case import SharedCase

EXTENSIONS = {"cog": ["tif", "tiff"], "png": ["png"], "nc": ["nc"], "gpkg": ["gpkg"], "geojson": ["geojson", "json"],
              "kml": ["kml"], "csv": ["csv"], "html": ["html", "htm"]}
OPERANDS = {"init": ["dem.asc"], "check": ["s.json"], "run": ["s.json"], "resume": ["out"], "export": ["out"], "info": ["out"],
            "compare": ["out", "out"], "import": ["x.cfg"], "validate": ["s.json"], "bench": ["s.json"], "doc": ["all"]}


def names(folder):
    """Every path below a folder, with its size and when it was written."""
    found = {}
    for at, folders, files in os.walk(folder):
        for name in folders + files:
            about = os.lstat(os.path.join(at, name))
            found[os.path.join(at, name)] = (about.st_size, about.st_mtime_ns)
    return found


class Names(SharedCase):
    @classmethod
    def prepare(cls):
        case.write_scenario(cls.work)
        case.run_program("run", "s.json", "-q", "-n", 30, "-o", "out", cwd=cls.work)

    def refused(self, message, *args, code=2):
        before = names(self.work)
        done = self.sciara(*args, code=code)
        self.assertEqual(done.stdout, "")
        self.assertIn(f"sciara: error: {message}", done.stderr)
        self.assertEqual(names(self.work), before, f"files after {args}")

    def file_options(self, command):
        """The options of a command that name a file or a folder, according to its help."""
        return re.findall(r"(?m)^  (?:-(\w), |    )--([\w-]+) (?:FILE|DIR) ", self.sciara(command, "--help").stdout)

    def test_a_dash_is_not_a_file(self):
        found = 0
        for command, operands in OPERANDS.items():
            for letter, name in self.file_options(command):
                found += 1
                for words, what in (([f"-{letter}" if letter else f"--{name}", "-"], '"-": standard input'),
                                    ([f"--{name}=-x.tif"], '"-x.tif"; a file of that name is ./-x.tif')):
                    self.refused(f"--{name}: expected a name, found {what}", command, *operands, *words)
        self.refused('--output: expected a name, found "--overwrite"; a file', "run", "s.json", "-o", "--overwrite")
        self.assertGreaterEqual(found, 18, "options that name a file")

    def test_a_dash_is_not_an_operand(self):
        for command, operands in OPERANDS.items():
            if command != "doc":
                self.refused('expected a name, found "-": standard input', command, *operands[1:], "-")
        self.refused('expected a name, found "-": standard input', "check", "--", "-")

    def test_a_dash_is_not_a_folder_of_a_scenario(self):
        self.refused('s.json: output.folder: expected the name of a folder, found "-"', "run", "s.json", "--set",
                     "output.folder=-", code=3)

    def test_names_that_begin_with_a_dash(self):
        self.sciara("export", "out", "-q", "-f", "cog", "-o", "./-x.tif")
        self.sciara("compare", "-q", "--observed", "./-x.tif", "out")
        os.symlink("s.json", self.path("-s.json"))
        self.sciara("info", "-q", "--", "-s.json")

    def test_extensions_of_another_format(self):
        kinds = list(EXTENSIONS)
        for k, (kind, own) in enumerate(EXTENSIONS.items()):
            expected = " or ".join(f".{e}" for e in own)
            for name in (f"new.{EXTENSIONS[kinds[k - 1]][0]}", "new", f"new.{own[0]}2", f"x.{own[0]}/n"):
                self.refused(f'--format {kind}: --output: expected a name that ends in {expected}, found "{name}"', "export",
                             "out", "-f", kind, "-o", name)
        for name in (".tif", "new.", "new.jpg", "new.tif/"):
            self.refused(f'--format cog: --output: expected a name that ends in .tif or .tiff, found "{name}"', "export", "out", "-f",
                         "cog", "-o", name)
        for kind, own in EXTENSIONS.items():
            for e in own[1:] + [own[0].upper()]:
                self.assertEqual(self.sciara("export", "out", "-q", "-f", kind, "-o", f"good.{e}", "--overwrite").stdout,
                                 f"good.{e}\n")

    def test_folders_of_frames(self):
        for e in ("png", "PNG", "html"):
            self.refused(f'--output: expected the name of a folder for --format frames, found "film.{e}"', "export", "out",
                         "-f", "frames", "-o", f"film.{e}")
        for name in ("film", "film.2026", "film.frames"):
            self.sciara("export", "out", "-q", "-f", "frames", "-o", name, "--width", 320)

    def test_extensions_of_other_commands(self):
        self.refused('--png: expected a name that ends in .png, found "p.tif"', "compare", "out", "--observed", "good.tif", "--png",
                     "p.tif")
        self.refused('--output: expected a name that ends in .json, found "s.tif"', "init", "dem.asc", "--vent",
                     f"{case.WEST + 205},{case.NORTH - 85}", "--rate", 5, "--duration", "1 h", "-o", "s.tif")
        self.refused('--csv: expected a name that ends in .csv, found "b.json"', "bench", "s.json", "--csv", "b.json")
        self.refused('--json: expected a name that ends in .json, found "b.csv"', "bench", "s.json", "--json", "b.csv")

    def test_anything_but_a_file(self):
        for name in ("pipe.tif", "pipe.csv", "pipe.kml"):
            os.mkfifo(self.path(name))
            kind = {"tif": "cog"}.get(name[5:], name[5:])
            for more in ([], ["--overwrite"]):
                self.refused(f"{name}: is a device, a pipe or a socket, and is not replaced by a file", "export", "out", "-q", "-f",
                             kind, "-o", name, *more, code=3)
        os.mkfifo(self.path("trace.csv"))
        done = self.sciara("validate", "s.json", "-q", "-n", 2, "--engines", "serial", "--record", "trace.csv", code=4)
        self.assertIn("trace.csv: is a device, a pipe or a socket", done.stderr)
        for name in ("pipe.tif", "pipe.csv", "pipe.kml", "trace.csv"):
            self.assertFalse(os.path.isfile(self.path(name)))
            os.remove(self.path(name))

    def test_layers(self):
        """`compare` and `export` read an observed extent with the same options."""
        self.sciara("export", "out", "-q", "-f", "gpkg", "-o", "seen.gpkg")
        for words in (["compare", "out"], ["export", "out", "-f", "png", "-o", "p.png"], ["export", "out", "-f", "html", "-o", "p.html"],
                      ["export", "out", "-f", "frames", "-o", "p"]):
            self.refused("seen.gpkg: has 3 layers of polygons, \"outline\", \"thickness_classes\", \"arrival\"; --observed-layer", *words, "--observed", "seen.gpkg")
            self.refused('--observed-layer: expected a layer of seen.gpkg, found "outlin"', *words, "--observed", "seen.gpkg",
                         "--observed-layer", "outlin")
            done = self.sciara(*words, "--observed", "seen.gpkg", "--observed-layer", "outline")
            self.assertNotEqual(done.stdout, "")
        self.refused("--layer: not allowed with --observed; did you mean --observed-layer?", "compare", "out", "--observed", "seen.gpkg",
                     "--layer", "outline")
        for option in (["--observed-layer", "x"], ["--allow-driver", "GTiff"]):
            self.refused(f"{option[0]}: allowed only with --observed FILE", "export", "out", "-f", "png", "-o", "q.png",
                         *option)
