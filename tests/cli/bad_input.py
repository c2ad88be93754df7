#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of bad input: each case creates its files, runs one command, and expects exactly this message and exit code.
No file is created, changed or lost.

The cases are in bad_input/*.toml. Keys of a case:

  name      what is wrong
  scenario  text of s.json                                 default: SCENARIO below
  edit      pairs of text [before, after] in s.json
  files     table of more files: name = "text"
  make      bash commands that create the rest, run in the folder of the files
  run       words of the command line after `sciara`       default: run -q s.json
  env       table of variables of the environment
  limit     largest file that can be written, in bytes: stands for a full disk
  user      "nobody": run without the rights of root, for whom no folder is protected
  code      exit code                                      default: 3
  error     all of standard error; "sciara: error: " may be left out of a single line
  stdout    all of standard output                         default: nothing
  left      what stays behind although nothing should, with the reason in `why`

In `error` and `stdout` WORK stands for the temporary folder, <NUMBER> for a number that depends on the machine, <TIME>
for a date, <GDAL> for words of GDAL up to the end of the line, <FIELDS> for the names of all fields.

usage: bad_input.py [--show] [NAME...]      --show prints what the program says, for new cases"""
import hashlib
import os
import re
import resource
import subprocess
import sys
import tomllib
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[0] = os.path.join(HERE, "lib")
import case
import server

SCENARIO = """{
  "dem": { "path": "dem.asc", "crs": "EPSG:32633" },
  "vents": [{ "row": 2, "col": 2, "effusion": { "slot": "1 h", "rates_m3_s": [1] } }],
  "run": { "max_steps": 3 }
}
"""
KEYS = {"name", "scenario", "edit", "files", "make", "run", "env", "limit", "user", "code", "error", "stdout", "left",
        "why"}
NOBODY = 65534


def read_table():
    cases = []
    for name in sorted(os.listdir(os.path.join(HERE, "bad_input"))):
        with open(os.path.join(HERE, "bad_input", name), "rb") as f:
            cases += tomllib.load(f)["case"]
    return cases


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    case.write_text(path, text)


def make_files(entry, folder):
    text = entry.get("scenario", SCENARIO)
    for before, after in entry.get("edit", []):
        if before not in text:
            raise AssertionError(f"{entry['name']}: the scenario holds no {before}")
        text = text.replace(before, after)
    write(folder, "s.json", text)
    write(folder, "dem.asc", case.SLOPE_ASC)
    for name, content in entry.get("files", {}).items():
        write(folder, name, content)
    if "make" in entry:
        environment = {**os.environ, "SCIARA": case.PROGRAM, "PYTHON": sys.executable, "GDAL_PAM_ENABLED": "NO"}
        subprocess.run(["bash", "-euo", "pipefail", "-c", entry["make"]], cwd=folder, env=environment, check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def run(entry, folder):
    """The program run as in the case; stdout and stderr with WORK for the folder."""
    options, environment = {}, {**os.environ, **entry.get("env", {})}
    if entry.get("user") == "nobody" and os.getuid() == 0:
        options = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    if "limit" in entry:
        options["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (entry["limit"],) * 2)
    if options:  # a build for coverage could not write its counts, or would cut them: it must not write any
        environment["GCOV_PREFIX"] = "/dev/null"
    words = [word.replace("WORK", folder) for word in entry.get("run", ["run", "-q", "s.json"])]
    command = [case.PROGRAM, *words]
    if server.can_run(command, {**options, "env": environment}):
        done = subprocess.CompletedProcess(command, *server.run(command, folder))
    else:
        done = subprocess.run(command, cwd=folder, env=environment, timeout=60, stdin=subprocess.DEVNULL, capture_output=True, check=False, **options)
    stderr = re.sub(rb"^profiling:.*\n", b"", done.stderr, flags=re.MULTILINE) if options else done.stderr
    return (done.returncode, *(text.decode("utf-8", "backslashreplace").replace(folder, "WORK")
                               for text in (done.stdout, stderr)))


def expected_error(entry):
    text = entry["error"]
    if "\n" in text or text.startswith("sciara: ") or not text:
        return text
    return f"sciara: error: {text}\n"


TOKENS = {"<FIELDS>": re.escape(", ".join(case.all_fields())), "<NUMBER>": r"[0-9.e+-]+", "<TIME>": r"[0-9TZ:-]+", "<GDAL>": r"[^\n]+"}


def matches(expected, found):
    pattern = re.escape(expected)
    for token, meaning in TOKENS.items():
        pattern = pattern.replace(token, meaning)
    return re.fullmatch(pattern, found) is not None


def content_of(path):
    """The hash of a file, the target of a link, None for a folder; an unreadable file cannot be changed either."""
    if os.path.islink(path):
        return os.readlink(path)
    if os.path.isdir(path):
        return None
    try:
        return hashlib.sha256(case.read_bytes(path)).hexdigest()
    except PermissionError:
        return "closed"


def tree(folder):
    """Every path below a folder, and the folder itself: rights and content."""
    paths = [folder] + [os.path.join(at, name) for at, folders, files in os.walk(folder) for name in folders + files]
    return {os.path.relpath(path, folder): (oct(os.lstat(path).st_mode), content_of(path)) for path in paths}


class BadInput(case.Case):
    """A folder for each case."""

    def check(self, entry):
        if "limit" in entry and "thread" in os.environ.get("SCIARA_SANITIZE", ""):
            self.skipTest("ThreadSanitizer itself needs large files")
        folder = open_folder(self)
        if entry.get("user") == "nobody" and not nobody_can_run(folder):
            self.skipTest("the program lies where only root may go")
        make_files(entry, folder)
        before = tree(folder)
        code, stdout, stderr = run(entry, folder)
        after = tree(folder)
        if not matches(expected_error(entry), stderr):
            self.assertEqual(stderr, expected_error(entry), "standard error")
        if not matches(entry.get("stdout", ""), stdout):
            self.assertEqual(stdout, entry.get("stdout", ""), "standard output")
        self.assertEqual(code, entry.get("code", 3), "exit code")
        for name in entry.get("left", []):
            self.assertIn(name, after, "what stays behind")
            del after[name]
        self.assertEqual(after, before, "the files before and after")


def nobody_can_run(folder):
    if os.getuid() != 0:
        return True
    try:
        return subprocess.run([case.PROGRAM, "engines"], user=NOBODY, group=NOBODY, extra_groups=[], cwd=folder,
                              stdout=subprocess.DEVNULL, check=False).returncode == 0
    except PermissionError:
        return False


def open_folder(one):
    """A folder that anyone may use."""
    folder = one.path("work")
    one.addCleanup(give_back, folder)
    os.mkdir(folder)
    os.chmod(one.work, 0o755)
    os.chmod(folder, 0o777)
    return folder


def give_back(folder):
    """The folder can be removed whatever its rights are."""
    if os.getuid() != 0:
        subprocess.run(["chmod", "-R", "u+rwX", folder], check=False)


class Table(unittest.TestCase):
    """The table itself."""

    def test_keys_and_names(self):
        table = read_table()
        self.assertGreaterEqual(len(table), 80)
        names = [entry["name"] for entry in table]
        self.assertEqual(len(set(names)), len(names), "each name occurs once")
        for entry in table:
            self.assertLessEqual(set(entry), KEYS, entry["name"])
            self.assertEqual("left" in entry, "why" in entry, entry["name"])

    def test_the_scenario_is_valid_unless_a_case_changes_it(self):
        good = case.Case()
        good.setUp()
        self.addCleanup(good.doCleanups)
        make_files({"name": "good"}, good.work)
        good.sciara("run", "-q", "s.json")


def add_tests():
    for number, entry in enumerate(read_table()):
        words = re.sub(r"\W+", "_", entry["name"]).strip("_")
        setattr(BadInput, f"test_{number:03}_{words}", lambda self, entry=entry: self.check(entry))


def show(names):
    for entry in read_table():
        if names and entry["name"] not in names:
            continue
        one = case.Case()
        one.setUp()
        folder = open_folder(one)
        make_files(entry, folder)
        code, stdout, stderr = run(entry, folder)
        one.doCleanups()
        print(f"{entry['name']}: exit code {code}\n{stdout}{stderr}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--show"]:
        show(sys.argv[2:])
    else:
        add_tests()
        case.main()
