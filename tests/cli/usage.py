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
    def prepare_test(self):
        self.write("dem.asc", case.SLOPE_ASC)
        case.write_json(self.path("s.json"), {
            "dem": {"path": "dem.asc", "crs": "EPSG:32633"},
            "vents": [{"row": 2, "col": 2, "effusion": {"slot": "1 h", "rates_m3_s": [1]}}]})

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
        self.expect(0, r"^sciara [0-9]+\.[0-9]+\.[0-9]+(-rc[0-9]+)? \(.+\), HDF5 1\.[0-9.]+, GDAL [0-9.]+, PROJ [0-9.]+(, CUDA [0-9.]+ for compute capability( [0-9.]+)+)?$", "--version")
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
                ('there is no command "xyzzy".*--help', "xyzzy"),
                ('there is no command ""', ""),
                ("there is no option --foo before the command; usage: sciara COMMAND", "--foo"),
                ("there is no option -q before the command", "-q", "run", "s.json"),
                (r"there is no option --hlep; did you mean --help\?", "--hlep"),
                (r"there is no option --versoin; did you mean --version\?", "--versoin"),
                (r"there is no option --stepz; did you mean --steps\?", "run", "--stepz=3", "s.json"),
                ("there is no option --xyzzy; 'sciara run --help'", "run", "s.json", "--xyzzy"),
                ("there is no option -Z", "run", "s.json", "-Z"),
                ("there is no option -X", "info", "--quiet", "-Xq", "s.json"),
                ("--quiet takes no value", "run", "s.json", "--quiet=3"),
                ("too few arguments; usage: sciara compare .* A B", "compare", "s.out"),
                ("too few arguments", "export", "--format", "cog"),
                ("too few arguments", "info"),
                ("too few arguments", "import", "-o", "x"),
                ('unexpected argument "c"', "compare", "a", "b", "c"),
                ('unexpected argument "more"', "engines", "more"),
                ("--output is missing", "import", "x.cfg"),
                (r'there is no page "bsh"; did you mean "bash"\?', "doc", "bsh"),
                ('--steps: expected a whole number >= 1, found "0"', "run", "s.json", "--steps", "0"),
                *((f'{UNTIL}"{text}"', "run", "s.json", "--until", text) for text in ("soon", "0", "-5 s")),
                ('--precision: expected double or single, found "half"', "run", "s.json", "--precision", "half"),
                ('there is no engine "xyzzy"', "run", "s.json", "--engine", "xyzzy")):
            with self.subTest(args=args):
                self.expect(2, pattern, *args)

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
