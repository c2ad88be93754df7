# SPDX-License-Identifier: Apache-2.0
"""What the command-line tests share: the program, a temporary folder, small scenarios, functions to examine a run."""
import csv
import datetime
import hashlib
import importlib.util
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

import server

PROGRAM = os.environ["SCIARA_PROGRAM"]
SOURCE = os.environ["SCIARA_SOURCE_DIR"]
SANITIZED = bool(os.environ.get("SCIARA_SANITIZE"))
LONG = os.environ.get("SCIARA_TORTURE") == "1"  # the long form of a test (tools/test --nightly)

ROWS, COLS, CELL, WEST, SOUTH = 30, 40, 10, 500000, 4177000
NORTH = SOUTH + ROWS * CELL
NODATA = -9999
VENT = (8, 20)  # row, column
# Lava of rule bingham that flows on this small map, whatever the presets are.
SHEET = {"rule": "bingham", "viscosity_vent_Pa_s": 6.7e5, "viscosity_sol_Pa_s": 1.5e7, "yield_strength_vent_Pa": 4250,
         "yield_strength_sol_Pa": 8000, "radiating_share": 0.047}
FIELDS = ["thickness", "altitude", "temperature", "deposit", "arrival_time"]
# A DEM as ESRI ASCII: an even slope of 5 x 5 cells, for tests of what is refused.
SLOPE_ASC = """ncols 5
nrows 5
xllcorner 500000
yllcorner 4177000
cellsize 10
NODATA_value -9999
105 104 103 102 101
106 105 104 103 102
107 106 105 104 103
108 107 106 105 104
109 108 107 106 105
"""


def is_sea(row, col):
    """A corner of the DEM is NODATA."""
    return row < 3 and col < 4


def altitude(row, col):
    """Altitude of the test DEM: a slope to the south-east, rough enough to divide the lava; exact in three decimals."""
    return 1000 + 3 * (ROWS - row) - 0.5 * col + ((row * 7 + col * 3) % 5) * 0.25


def write_grid(path, value, rows=ROWS, cols=COLS, cell=CELL):
    """An ESRI ASCII grid of value(row, column), which names no CRS."""
    with open(path, "w", encoding="ascii") as f:
        f.write(f"ncols {cols}\nnrows {rows}\nxllcorner {WEST}\nyllcorner {SOUTH}\ncellsize {cell}\n")
        f.write(f"NODATA_value {NODATA}\n")
        f.writelines(" ".join(str(value(row, col)) for col in range(cols)) + "\n" for row in range(rows))


def write_dem(path, rows=ROWS, cols=COLS):
    write_grid(path, lambda row, col: NODATA if is_sea(row, col) else altitude(row, col), rows, cols)


def scenario(**changes):
    """6,000 m3 in 20 minutes that cool a hundred times as fast as on Etna: solid after about 2 hours, 500 steps."""
    base = {
        "title": "slope",
        "dem": {"path": "dem.asc", "crs": "EPSG:32633"},
        "vents": [{"row": VENT[0], "col": VENT[1], "effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}}],
        "model": {"cooling": 150},
        "output": {"fields": FIELDS, "dtype": "float64"},
    }
    base.update(changes)
    return base


def write_scenario(folder, name="s.json", **changes):
    """dem.asc and the scenario in one folder."""
    write_dem(os.path.join(folder, "dem.asc"))
    write_json(os.path.join(folder, name), scenario(**changes))


ENDLESS = {  # takes longer than any test waits: lava for 30 years that never cools, clocks of seconds
    "vents": [{"row": VENT[0], "col": VENT[1], "effusion": {"slot": "10000 d", "rates_m3_s": [5]}}],
    "model": {"cooling": 0},
}


def run_limited(command, options, **more):
    """subprocess.run. A program with limits would cut the counts of a coverage build short, so it writes none."""
    options = {**options, **more}
    limited = "preexec_fn" in options
    if limited:
        options["env"] = {**(options.get("env") or os.environ), "GCOV_PREFIX": "/dev/null"}
    if "input" not in options:
        options["stdin"] = subprocess.DEVNULL
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False, **options)
    if limited:
        done.stderr = re.sub("^profiling:.*\n", "", done.stderr, flags=re.MULTILINE)
    return done


def run_to_any_end(*args, cwd, **options):
    """`sciara ARGS`; the result has its exit code, stdout and stderr as text. `input`: standard input, a text."""
    command = [PROGRAM, *map(str, args)]
    if not server.can_run(command, options):
        return run_limited(command, options, cwd=cwd)
    done = subprocess.CompletedProcess(command, *server.run(command, cwd, options.get("timeout"), options.get("input", "").encode()))
    done.stdout, done.stderr = (text.decode("utf-8") for text in (done.stdout, done.stderr))
    return done


def run_program(*args, cwd, code=0, **options):
    """`sciara ARGS`; fails when the exit code is not `code`. The result has stdout and stderr as text."""
    done = run_to_any_end(*args, cwd=cwd, **options)
    if done.returncode != code:
        raise AssertionError(f"sciara {' '.join(map(str, args))}: expected exit code {code}, found {done.returncode}\n"
                             f"stdout: {done.stdout}stderr: {done.stderr}")
    return done


def all_fields():
    """The names of all fields, in the order of the table."""
    schema = json.loads(run_program("schema", cwd=SOURCE).stdout)
    return schema["properties"]["output"]["properties"]["fields"]["items"]["enum"]


class Case(unittest.TestCase):
    """A test with a folder `self.work` of its own, which is the current folder of the program."""

    maxDiff = None
    scenario = None  # keys that differ from those of scenario(): each test then begins with dem.asc and s.json

    def setUp(self):
        self.work = os.path.realpath(tempfile.mkdtemp(prefix="sciara-cli-"))
        self.addCleanup(shutil.rmtree, self.work, True)
        if self.scenario is not None:
            self.write_scenario(**self.scenario)
        self.prepare_test()

    def prepare_test(self):
        """What each test of a class begins with."""

    def path(self, *names):
        return os.path.join(self.work, *names)

    def write(self, name, text):
        write_text(self.path(name), text)

    def table(self, *names):
        """The rows of a table in the folder."""
        return read_rows(self.work, *names)

    def write_scenario(self, name="s.json", **changes):
        write_scenario(self.work, name, **changes)

    def sciara(self, *args, code=0, cwd=None, **options):
        """Runs the program in self.work; see run_program."""
        return run_program(*args, code=code, cwd=cwd or self.work, **options)

    def tool(self, *command, code=0, **options):
        """Runs another program, by default in self.work, to this exit code."""
        done = run_limited([*map(str, command)], {"cwd": self.work, **options})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def run_scenario(self, folder, *args, name="s.json", **options):
        """Runs `sciara run` quietly; returns the path of the run folder."""
        self.sciara("run", name, "-q", "-o", folder, *args, **options)
        return self.path(folder)

    def wait_for(self, what, process, claim, seconds=60):
        """Until the claim holds, while the process runs."""
        limit = time.monotonic() + seconds
        while not claim():
            self.assertIsNone(process.poll(), f"the process ended before there was {what}")
            self.assertLess(time.monotonic(), limit, f"no {what} yet")
            time.sleep(0.005)

    @staticmethod
    def kill(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def assert_parts(self, text, *parts):
        for part in parts:
            self.assertIn(part, text)

    def assert_identical(self, a, b):
        done = self.sciara("compare", a, b)
        self.assertEqual(done.stdout.splitlines()[-1], "bit-identical", f"{a} and {b}:\n{done.stdout}")

    def assert_same_run(self, whole, found, but=("history",)):
        """The snapshots of `found` are the last ones of `whole`, bit by bit, and so is the end of both. Without xarray
        (tools/device-check, where there may be Python alone) the program compares them, without attributes."""
        a, b = record(self.path(whole)), record(self.path(found))
        self.assertEqual((a["status"], a["stop_reason"], a["state"], a["ledger"], a["dem_hash"]),
                         (b["status"], b["stop_reason"], b["state"], b["ledger"], b["dem_hash"]))
        self.assertGreater(len(b["snapshots"]), 0)
        self.assertEqual(a["snapshots"][-len(b["snapshots"]):], b["snapshots"])
        for entry in b["snapshots"]:
            if has_xarray():
                self.assert_same_files(entry["name"], whole, found, but)
            else:
                self.assert_identical(self.path(whole, entry["name"]), self.path(found, entry["name"]))
        self.assertEqual(sorted(os.listdir(self.path(found, "snapshots"))),
                         [os.path.basename(entry["name"]) for entry in b["snapshots"]], "files of snapshots")
        if has_xarray():
            self.assertEqual(list(open_snapshot(self.path(found, "series.nc")).time.values),
                             [entry["time_s"] for entry in b["snapshots"]])

    def assert_same_files(self, name, whole, found, but):
        """Fields and attributes of a snapshot in both runs."""
        x, y = (open_snapshot(self.path(folder, name)) for folder in (whole, found))
        self.assertTrue(x.drop_attrs().identical(y.drop_attrs()) if hasattr(x, "drop_attrs") else x.equals(y),
                        f"{name}: fields")
        for variable in x.variables:
            self.assertEqual(x[variable].values.tobytes(), y[variable].values.tobytes(), f"{name}: {variable}")
            self.assertEqual(str(x[variable].attrs), str(y[variable].attrs), f"{name}: {variable}")
        for attribute in set(x.attrs) | set(y.attrs):
            if attribute not in but:
                self.assertEqual(x.attrs.get(attribute), y.attrs.get(attribute), f"{name}: {attribute}")


class ScenarioCase(Case):
    """Each test begins with dem.asc and s.json."""

    scenario = {}


class SharedCase(Case):
    """Tests that only read what `prepare` made; it runs once, in the folder `work` of the class."""

    @classmethod
    def setUpClass(cls):
        cls.work = os.path.realpath(tempfile.mkdtemp(prefix="sciara-cli-"))
        cls.addClassCleanup(shutil.rmtree, cls.work, True)
        cls.prepare()

    @classmethod
    def prepare(cls):
        raise NotImplementedError

    def setUp(self):
        pass


def write_text(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def read_text(*names):
    with open(os.path.join(*names), encoding="utf-8") as f:
        return f.read()


def write_bytes(path, data):
    with open(path, "wb") as f:
        f.write(data)


def read_bytes(*names):
    with open(os.path.join(*names), "rb") as f:
        return f.read()


def read_rows(*names):
    """The rows of a table, each a dict of texts."""
    with open(os.path.join(*names), encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def write_json(path, value):
    write_text(path, json.dumps(value, ensure_ascii=False))
    return path


def write_features(path, *features, epsg=32633):
    """GeoJSON of features: (properties, kind, coordinates), in the CRS of the DEM or in another one."""
    made = [{"type": "Feature", "properties": properties, "geometry": {"type": kind, "coordinates": at}} for properties, kind, at in features]
    return write_json(path, {"type": "FeatureCollection", "features": made,
                             "crs": {"type": "name", "properties": {"name": f"urn:ogc:def:crs:EPSG::{epsg}"}}})


def write_cells(path, *extents, west=WEST, north=NORTH, cell=CELL):
    """A square for each cell that is covered; each extent, perhaps with its properties, is a feature."""
    def square(x, y):
        return [[[x, y], [x, y - cell], [x + cell, y - cell], [x + cell, y], [x, y]]]
    write_features(path, *((properties, "MultiPolygon", [square(west + cell * col, north - cell * row) for row, line in enumerate(covered)
                                                         for col, is_in in enumerate(line) if is_in])
                           for covered, properties in (one if isinstance(one, tuple) else (one, {}) for one in extents)))


def read_json(*names):
    return json.loads(read_text(*names))


def record(folder):
    return read_json(folder, "run.json")


def tree(folder):
    """Every path below a folder, with the hash of its file (None for a folder)."""
    found = {}
    for at, folders, files in os.walk(folder):
        for name in folders:
            found[os.path.relpath(os.path.join(at, name), folder)] = None
        for name in files:
            found[os.path.relpath(os.path.join(at, name), folder)] = hashlib.sha256(read_bytes(at, name)).hexdigest()
    return found


def files(folder):
    return sorted(name for name, content in tree(folder).items() if content)


def clock_after(start, seconds, zone=0):
    """The name of a front: the clock in a zone so many minutes ahead of UTC."""
    date = datetime.datetime.fromisoformat(start.replace("Z", "+00:00")) + datetime.timedelta(minutes=zone, seconds=round(seconds))
    return f"{date.day} {date:%b %H:%M}" + (f":{date:%S}" if date.second else "")


def minute_after(start, seconds):
    """The date of a duration as it is printed: from an hour on rounded to minutes."""
    date = datetime.datetime.fromisoformat(start.replace("Z", "+00:00"))
    date += datetime.timedelta(seconds=math.floor(seconds) if seconds < 3600 else 60 * math.floor(seconds / 60 + 0.5))
    return date.strftime("%Y-%m-%d %H:%M UTC")


def processor_time(process):
    """Processor time that a process of subprocess has used, s."""
    fields = read_text(f"/proc/{process.pid}/stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def open_snapshot(path):
    """The file as read by xarray, values as stored."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="numpy.ndarray size changed")  # harmless, says NumPy
        import xarray  # it takes a second: only where it is needed
        with xarray.open_dataset(path, mask_and_scale=False, decode_times=False) as data:
            return data.load()


def has_xarray():
    """Whether xarray is installed, with a package that reads NetCDF-4."""
    there = [importlib.util.find_spec(name) is not None for name in ("xarray", "netCDF4", "h5netcdf")]
    return there[0] and any(there[1:])


def listed_engines():
    """What `sciara engines` prints."""
    return subprocess.run([PROGRAM, "engines"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout


def exact_engines():
    """Names of the available engines that must be bit-identical to serial."""
    rows = [line.split() for line in listed_engines().splitlines()[1:]]
    return [row[0] for row in rows if row[1:3] == ["yes", "exact"]]


def gpu_engines():
    """Those of them that run on a GPU. Without one the test is skipped, with the reason."""
    found = [name for name in exact_engines() if name.startswith("cuda")]
    if not found:
        why = re.search(r"(?m)^(cuda-\S+) +no +(?:-|\S+ .*\n +not available:) +(.*)$", listed_engines())
        raise unittest.SkipTest(": ".join(why.groups()))
    return found


def skip_without(condition, what):
    """Ends a script, which ctest counts as skipped."""
    if not condition:
        print(f"skipped: {what}")
        sys.exit(77)


def main():
    unittest.main(verbosity=2)
