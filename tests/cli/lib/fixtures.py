# SPDX-License-Identifier: Apache-2.0
"""A run, and an ensemble that is planned, computed and reduced, made once for all scripts: the ctest fixture `cli`.

As a program (the test fixture.cli) it makes them in the folder that SCIARA_FIXTURES names. A script takes copies:
fixtures.run(folder), fixtures.ensemble(folder). Without that folder, as by hand, they are made for the script alone."""
import atexit
import hashlib
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
import case

START = "2026-05-01T00:00:00Z"
STEPS = 400
SNAPSHOT = f"run/snapshots/{STEPS:08}.nc"
EVENTS = [{"name": "small", "weight": 3, "volume_m3": 1500, "duration": "10 min"},
          {"name": "large", "weight": 1, "volume_m3": 4000, "duration": "20 min"}]
VENTS = "name,x,y\none,500200,4177220\ntwo,500150,4177200\nthree,500250,4177230\n"
SITES = [{"name": "vent", "x": 500200, "y": 4177220}, {"name": "far", "x": 500355, "y": 4177025}]


def write_run(folder):
    case.write_scenario(folder, run={"max_steps": STEPS, "start": START},
                        output={"fields": case.FIELDS + ["max_deposit"], "dtype": "float64"})


def write_base(folder, name="base.json", **parts):
    vents = [{"name": "v", "x": 500200, "y": 4177220, "effusion": {"slot": "10 min", "rates_m3_s": [4]}}]
    case.write_scenario(folder, name, vents=vents, **parts)


def write_ensemble(folder, name="e.json", **parts):
    """An ensemble of 12 members, or with other parts; None leaves one out."""
    whole = {"base": "base.json", "sample": {"method": "full"}, "vents": {"table": "vents.csv"}, "events": EVENTS,
             "vary": [{"key": "model.relaxation", "values": [0.4, 0.5]}],
             "result": {"thickness_m": [0, 0.5], "within": ["30 min"], "quantiles": [0.5], "sites": SITES}}
    case.write_json(os.path.join(folder, name), {k: v for k, v in (whole | parts).items() if v is not None})


def write_plan(folder):
    """The files of the ensemble, without its folder."""
    write_base(folder)
    case.write_text(os.path.join(folder, "vents.csv"), VENTS)
    write_ensemble(folder)


def make(folder):
    """run/ with `run`, ensemble/ with `e`: each with the files that it was made of."""
    for name, write, command in (("run", write_run, ("run", "s.json", "-q", "-o", "run")),
                                 ("ensemble", write_plan, ("ensemble", "run", "e.json", "-q", "-j", "2", "--no-estimate", "--no-pictures"))):
        os.makedirs(os.path.join(folder, name))
        write(os.path.join(folder, name))
        case.run_program(*command, cwd=os.path.join(folder, name))


_own = None


def _made():
    global _own
    shared = os.environ.get("SCIARA_FIXTURES", "")
    if os.path.isdir(os.path.join(shared, "ensemble", "e")):
        return shared
    if _own is None:
        _own = tempfile.mkdtemp(prefix="sciara-fixtures-")
        atexit.register(shutil.rmtree, _own, True)
        make(_own)
    return _own


def run(folder):
    """Copies dem.asc, s.json and the run `run` of 400 steps into a folder; returns the path of its snapshot."""
    return os.path.join(shutil.copytree(os.path.join(_made(), "run"), folder, dirs_exist_ok=True), SNAPSHOT)


def ensemble(folder):
    """Copies dem.asc, base.json, vents.csv, e.json and the ensemble `e` into a folder."""
    shutil.copytree(os.path.join(_made(), "ensemble"), folder, dirs_exist_ok=True)


def main(folder):
    """Makes them anew only for another program or other definitions: tests of another ctest may be copying them."""
    made_by = hashlib.sha256(str(os.stat(case.PROGRAM).st_mtime_ns).encode())
    for module in (__file__, case.__file__):
        made_by.update(case.read_bytes(module))
    stamp = os.path.join(folder, "made-by")
    if not os.path.exists(stamp) or case.read_json(stamp) != made_by.hexdigest():
        shutil.rmtree(folder, True)
        make(folder)
        case.write_json(stamp, made_by.hexdigest())


if __name__ == "__main__":
    main(os.environ["SCIARA_FIXTURES"])
