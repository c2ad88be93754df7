# SPDX-License-Identifier: Apache-2.0
"""Every mistake ends with the exit code of its kind and a helpful message, and leaves no file behind."""
import os
import re
import subprocess

import case
from case import Case

COMMANDS = ("init", "check", "run", "export", "info", "compare", "import", "engines", "bench", "schema", "doc")
UNTIL = ('--until: expected a time above 0 such as "6 h", "3 d" or seconds, a date such as 2026-05-11T10:00Z, "solidified" or '
         '"front at rest"; found ')


class Usage(Case):
    def setUp(self):
        super().setUp()
        self.write("dem.asc", case.SLOPE_ASC)
        case.write_json(self.path("s.json"), {
            "dem": {"path": "dem.asc", "crs": "EPSG:32633"},
            "vents": [{"row": 2, "col": 2, "effusion": {"slot": "1 h", "rates_m3_s": [1]}}]})

    def write(self, name, text):
        with open(self.path(name), "w", encoding="ascii") as f:
            f.write(text)

    def listing(self):
        paths = [self.work] + [os.path.join(at, name) for at, folders, files in os.walk(self.work) for name in folders + files]
        return {path: (os.lstat(path).st_size, os.lstat(path).st_mtime_ns) for path in paths}

    def expect(self, code, pattern, *args):
        """That exit code, a line on stderr (on stdout for code 0) that the pattern matches, nothing on the other one, and no file
        made, changed or removed."""
        before = self.listing()
        done = self.sciara(*args, code=code)
        message, silent = (done.stdout, done.stderr) if code == 0 else (done.stderr, done.stdout)
        self.assertRegex(message, re.compile(pattern, re.MULTILINE), args)
        self.assertEqual((silent, self.listing()), ("", before), args)

    def test_help_and_version(self):
        for words in (["--help"], ["-h"], ["help"]):
            self.expect(0, "^usage: sciara COMMAND", *words)
        self.expect(0, r"^sciara [0-9]+\.[0-9]+\.[0-9]+ \(.+\), HDF5 1\.[0-9.]+, GDAL [0-9.]+", "--version")
        for command in COMMANDS:
            self.expect(0, f"^  {command} +[a-z]", "--help")
            self.expect(0, rf"^usage: sciara {command} \[OPTION\]", command, "--help")
            self.expect(0, "^  -h, --help", command, "-h")
            self.expect(0, rf"^usage: sciara {command} \[OPTION\]", "help", command)
        self.expect(0, "^serial +yes +exact ", "engines")

    def test_without_a_command_the_help_is_printed(self):
        done = self.sciara(code=2)
        self.assertRegex(done.stdout + done.stderr, "(?m)^usage: sciara COMMAND")

    def test_the_command_line_is_wrong(self):
        for pattern, *args in (
                (r'there is no command "rnu"; did you mean "run"\?', "rnu", "s.json"),
                ('there is no command "xyzzy".*--help', "xyzzy"),
                ('there is no command ""', ""),
                ("there is no option --foo before the command; usage: sciara COMMAND", "--foo"),
                ("there is no option -q before the command", "-q", "run", "s.json"),
                (r"there is no option --hlep; did you mean --help\?", "--hlep"),
                (r"there is no option --versoin; did you mean --version\?", "--versoin"),
                (r"there is no option --stepz; did you mean --steps\?", "run", "s.json", "--stepz", "3"),
                (r"there is no option --stepz; did you mean --steps\?", "run", "--stepz=3", "s.json"),
                ("there is no option --xyzzy; 'sciara run --help'", "run", "s.json", "--xyzzy"),
                ("there is no option -Z", "run", "s.json", "-Z"),
                ("there is no option -X", "info", "--quiet", "-Xq", "s.json"),
                ("--quiet takes no value", "run", "s.json", "--quiet=3"),
                ("--steps needs a value", "run", "s.json", "--steps"),
                ("-n needs a value", "run", "s.json", "-n"),
                *((f"{option}: expected a value that is not empty", "run", "s.json", option, "") for option in
                  ("--steps", "--engine", "--precision", "--until", "--threads", "--output", "--set")),
                ("too few arguments; usage: sciara run .* SCENARIO", "run"),
                ("too few arguments; usage: sciara compare .* A B", "compare", "s.out"),
                ("too few arguments", "export", "--format", "cog"),
                ("too few arguments", "info"),
                ("too few arguments", "import", "-o", "x"),
                ('unexpected argument "more"; usage: sciara run', "run", "s.json", "more"),
                ('unexpected argument "c"', "compare", "a", "b", "c"),
                ('unexpected argument "more"', "engines", "more"),
                ("--output is missing", "import", "x.cfg"),
                (r'there is no page "bsh"; did you mean "bash"\?', "doc", "bsh"),
                ('--steps: expected a whole number >= 1, found "-1"', "run", "s.json", "--steps=-1"),
                ('--steps: expected a whole number >= 1, found "1.5"', "run", "s.json", "--steps", "1.5"),
                ('--steps: expected a whole number >= 1, found "many"', "run", "s.json", "-n", "many"),
                ('--steps: expected a whole number >= 1, found "0"', "run", "s.json", "--steps", "0"),
                ('--threads: expected a whole number >= 0, found "-2"', "run", "s.json", "--threads", "-2"),
                *((f'{UNTIL}"{text}"', "run", "s.json", "--until", text) for text in ("soon", "0", "-5 s")),
                ('--precision: expected double or single, found "half"', "run", "s.json", "--precision", "half"),
                ('--set: expected KEY=VALUE, found "novalue"', "run", "s.json", "--set", "novalue"),
                (r'there is no engine "seral"; did you mean "serial"\?', "run", "s.json", "--engine", "seral"),
                ('there is no engine "xyzzy"', "run", "s.json", "--engine", "xyzzy")):
            with self.subTest(args=args):
                self.expect(2, pattern, *args)

    def test_what_is_given_is_wrong(self):
        for text, pattern in (
                ('{ "dem": { "path": "dem.asc" },\n  "vents": [{ "row": 1 "col": 2 }] }\n', r"bad\.json:2:24: expected .*found "),
                ('{ "dem": { "path": "dem.asc" }, "vents": [] } x', r"bad\.json:1:47: expected .*found .*x"),
                ('{ "dem": { "path": "dem.asc" }, "dem": { "path": "dem.asc" }, "vents": [] }',
                 r"bad\.json: .*dem.*twice|bad\.json:1:33: .*dem"),
                ("", r"bad\.json")):
            with self.subTest(text=text):
                self.write("bad.json", text)
                self.expect(3, pattern, "run", "bad.json")
        for pattern, setting in (
                (r's\.json: output\.evry: unknown key, .*did you mean "every"\?', "output.evry=3"),
                (r's\.json: .*ventz.* unknown key, .*did you mean "vents"\?', "ventz=3"),
                (r"s\.json: output\.every: expected above 0 to 1e12 s; found -3", "output.every=-3"),
                (r"s\.json: model\.emissivity: expected 0 to 1; found 2", "model.emissivity=2"),
                (r's\.json: boundary: expected "open" or "closed"; found "ajar"', "boundary=ajar"),
                (r"s\.json: run\.max_steps: expected 1 to 9007199254740991; found 0", "run.max_steps=0"),
                (r"s\.json: cannot be opened as a raster \(formats allowed: GTiff, ", "dem.path=s.json"),
                (r"s\.json: vents\[0\] .*expected a cell whose 8 neighbours are valid, found a cell on the rim of the domain in row "
                 "0, column 2", "vents.0.row=0"),
                (r"s\.json: vents\[0\] .*expected row 0 to 4 .*found row 5, column 2", "vents.0.row=5"),
                ('CRS "EPSG:999999" is not known', "dem.crs=EPSG:999999")):
            with self.subTest(setting=setting):
                self.expect(3, pattern, "run", "s.json", "--set", setting)
        self.expect(3, r"s\.json: engine\.threads: expected 0 to 1024; found 3000", "run", "s.json", "--threads", "3000")
        self.expect(3, r"x\.txt: expected NAME\.cfg", "import", "x.txt", "-o", "imported")
        self.expect(3, r"\.: is not a run folder", "compare", ".", ".")

    def test_a_file_cannot_be_read_or_written(self):
        self.expect(4, "no scenarios are installed with this program", "doc", "examples")
        self.expect(4, r"none\.json: cannot open: No such file or directory", "run", "none.json")
        self.expect(3, r"\.: is a folder, expected a file", "run", ".")
        self.expect(4, r"error: .*s\.json/sub: .*Not a directory", "run", "s.json", "--output", "s.json/sub")
        self.expect(4, r"error: .*s\.json: ", "run", "s.json", "--output", "s.json")
        self.expect(4, r"none\.asc: No such file or directory", "run", "s.json", "--set", "dem.path=none.asc")
        self.expect(4, r"none\.nc: cannot open: No such file or directory", "info", "none.nc")

    def test_a_full_disk_at_standard_output(self):
        """It is reported by every command that prints a result."""
        self.sciara("run", "s.json", "-q", "-n", 5, "-o", "run")
        for words in ("schema", "schema --manual", "doc bash", "engines", "--version", "--help", "run --help", "info run",
                      "compare run run", "export run -f cog"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([case.PROGRAM, *words.split()], cwd=self.work, stdin=subprocess.DEVNULL, stdout=full,
                                      stderr=subprocess.PIPE, encoding="utf-8", check=False)
            self.assertEqual(done.returncode, 4, words)
            self.assertIn("standard output", done.stderr, words)
