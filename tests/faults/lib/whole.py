# SPDX-License-Identifier: Apache-2.0
"""What is guaranteed for a run folder in every case: a file with its final name is complete and readable, and what was
acknowledged (listed in run.json, or printed on standard output) exists and contains the right state.

A folder is a dict, path below it -> bytes, so that states of a simulated disk can be checked too. For another kind of
file add a line to KINDS; for another guarantee about a whole folder add a function to PROMISES.
"""
import functools
import io
import json
import os
import re
import warnings
import xml.etree.ElementTree

import h5py
import numpy
from osgeo import gdal

gdal.UseExceptions()


def check_json(data):
    record = json.loads(data.decode("utf-8"))
    for key in ("status", "snapshots", "state", "timing"):
        record[key]


def check_snapshot(data):
    with h5py.File(io.BytesIO(data), "r") as f:
        fields = [name for name in f if f[name].ndim == 3]
        assert fields, "no field"
        for name in fields:
            assert numpy.isfinite(f[name][...]).all(), name
        assert re.fullmatch("[0-9a-f]{16}", checksum_of(f)), "checksum"


def checksum_of(f):
    text = f.attrs["checksum"]
    return text.decode() if isinstance(text, bytes) else str(text)


def check_series(data):
    assert sources(data), "no snapshot in it"


@functools.cache
def sources(data):
    """The files that a series refers to."""
    with h5py.File(io.BytesIO(data), "r") as f:
        names = {source.file_name for name in f if f[name].is_virtual for source in f[name].virtual_sources()}
    return {os.path.normpath(name) for name in names}


def check_raster(data):
    said = []
    gdal.FileFromMemBuffer("/vsimem/checked", data)
    gdal.PushErrorHandler(lambda kind, number, text: said.append(text))
    try:
        dataset = gdal.Open("/vsimem/checked")
        dataset.ReadAsArray()
        del dataset
    finally:
        gdal.PopErrorHandler()
        gdal.Unlink("/vsimem/checked")
    assert not said, said  # nor a warning


def check_xml(data):
    xml.etree.ElementTree.fromstring(data)


def check_checkpoint(data):
    with h5py.File(io.BytesIO(data), "r") as f:
        assert f.attrs["step"] > 0, "no step"
        for name in f:
            f[name][...]


def check_nothing(_):
    pass


# Names below the folder, and what is guaranteed for them; the first that matches counts.
KINDS = [
    (r".*\.part(\..*)?", check_nothing),
    (r".*\.part\..*|maps/.*\.tmp", check_nothing),
    (r"run\.log", check_nothing),
    (r"run\.json", check_json),
    (r"snapshots/\d{8,}\.nc", check_snapshot),
    (r"series\.nc", check_series),
    (r"checkpoints/\d{8,}\.h5", check_checkpoint),
    (r"dem\.tif|maps/\w+\.tif|maps/\w+\.png", check_raster),
    (r"maps/\w+\.qml", check_xml),
]
ACKNOWLEDGED = re.compile(r"snapshots/\d{8,}\.nc")  # run.json must list these once they are announced

known = {}  # (check, bytes) -> fault: most states contain the same files


def check_of(name):
    return next((check for pattern, check in KINDS if re.fullmatch(pattern, name)), None)


def is_promised(name):
    """Whether a file of that name must be complete."""
    return check_of(name) is not check_nothing


def fault_of(name, data):
    """What is wrong with a file, or None."""
    check = check_of(name)
    if check is None:
        return "nobody knows this kind of file"
    if check is check_nothing:
        return None
    if (check, data) not in known:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(data)
            known[check, data] = None
        except Exception as error:  # any error of a reader about a broken file
            known[check, data] = f"{type(error).__name__}: {error}"
    return known[check, data]

checksums = {}


def checksum(data):
    if data not in checksums:
        with h5py.File(io.BytesIO(data), "r") as f:
            checksums[data] = checksum_of(f)
    return checksums[data]


def check_record(state, announced, right):
    """run.json lists what was announced; the listed files exist, and are those of an undisturbed run."""
    listed = {}
    if "run.json" in state and not fault_of("run.json", state["run.json"]):
        listed = {s["name"]: s["checksum"] for s in json.loads(state["run.json"])["snapshots"]}
    for name, sum_ in listed.items():
        if name not in state:
            yield f"{name}: in run.json, and lost"
        elif not fault_of(name, state[name]) and checksum(state[name]) != sum_:
            yield f"{name}: another checksum than in run.json"
        if right and right.get(name) != sum_:
            yield f"{name}: not the state of an undisturbed run"
    for name in announced:
        if name not in state:
            yield f"{name}: announced, and lost"
        elif ACKNOWLEDGED.fullmatch(name) and name not in listed:
            yield f"{name}: announced, and not in run.json"


def check_sources(state, announced, right):
    """series.nc of a run refers to existing snapshots."""
    del announced, right
    if "run.json" in state and "series.nc" in state and not fault_of("series.nc", state["series.nc"]):
        for name in sorted(sources(state["series.nc"]) - set(state)):
            yield f"series.nc: refers to {name}, which is lost"

counted = {}


def counts(data):
    """The number of snapshots before a checkpoint, and its step."""
    if data not in counted:
        with h5py.File(io.BytesIO(data), "r") as f:
            counted[data] = int(f.attrs["snapshots"][0]), int(f.attrs["step"][0])
    return counted[data]


def check_checkpoints(state, announced, right):
    """A run can be resumed from its newest checkpoint: run.json lists the snapshots that it counts."""
    del announced, right
    newest = max(checkpoints(state), default=None)
    if newest is None or "run.json" not in state or any(fault_of(n, state[n]) for n in (newest, "run.json")):
        return
    count, step = counts(state[newest])
    listed = json.loads(state["run.json"])["snapshots"]
    if count > len(listed) or count and listed[count - 1]["step"] > step:
        yield f"{newest}: was written after {count} snapshots, and run.json lists {len(listed)}"
    if "dem.tif" not in state:
        yield f"{newest}: the ground, dem.tif, is lost"


PROMISES = [check_record, check_sources, check_checkpoints]


def faults(state, announced=(), right=None):
    """The violated guarantees. announced: names below the folder. right: name -> checksum in an undisturbed run."""
    found = [f"{name}: {fault}" for name, data in sorted(state.items()) if (fault := fault_of(name, data))]
    for promise in PROMISES:
        found += promise(state, announced, right)
    return found


def load(folder):
    state = {}
    for at, _, files in os.walk(folder):
        for name in files:
            with open(os.path.join(at, name), "rb") as f:
                state[os.path.relpath(os.path.join(at, name), folder)] = f.read()
    return state


def save(state, folder):
    for name, data in state.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)


def checkpoints(state):
    return [name for name in state if check_of(name) is check_checkpoint]


def resumable(state):
    """The files of a folder that `sciara resume` reads."""
    return frozenset((name, state[name]) for name in ("run.json", "dem.tif", *checkpoints(state)) if name in state)


def last_fields(state):
    """Name of the last snapshot that run.json lists, and the bytes of its variables."""
    name = json.loads(state["run.json"])["snapshots"][-1]["name"]
    with h5py.File(io.BytesIO(state[name]), "r") as f:
        return name, {key: f[key][()].tobytes() for key in f}


def right_of(state):
    """Names and checksums of an undisturbed run."""
    return {s["name"]: s["checksum"] for s in json.loads(state["run.json"])["snapshots"]}
