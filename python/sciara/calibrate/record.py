# SPDX-License-Identifier: Apache-2.0
"""calibration.json: of which file, inputs and packages the evaluations of a folder are. Whether a folder is new, or that of the
same calibration."""
from __future__ import annotations

import json
import os
from typing import Any, Optional

from .._errors import FileError, InputError
from .._library import ffi, lib
from .._process import logger
from .file import Calibration, Inputs
from .files import number_text, write_json
from .table import NAME as TABLE

NAME = "calibration.json"
FORMAT = "sciara calibration"
PROGRAM = ffi.string(lib.sciara_version()).decode()


def begin(calibration: Calibration, status: str, search: Optional[str] = None) -> dict[str, Any]:
    """The beginning of a record."""
    return {"format": FORMAT, "version": 1, "program": PROGRAM, "status": status, **({"search": search} if search else {}),
            "file": calibration.tree}


def write(folder: str, record: dict[str, Any]) -> None:
    """Writes a record to its folder."""
    write_json(os.path.join(folder, NAME), record)


# ------------------------------------------------------------------------------------------------------------- folders

def is_new(folder: str, inner: Optional[str] = None) -> bool:
    """Whether a folder is missing, empty, or holds only what a start leaves that was killed before its record was written.

    inner: the folder of the first of several searches in it
    """
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return True
    except OSError as error:
        raise FileError(f"{folder}: cannot read this folder: {error.strerror}") from None
    return all(name == NAME + ".part" or (inner is None and name == TABLE)
               or (name == inner and is_new(os.path.join(folder, name))) for name in names)


def check_is_folder(folder: str) -> None:
    """Nothing is written through a link in place of the folder of one of several searches."""
    if os.path.lexists(folder) and (os.path.islink(folder) or not os.path.isdir(folder)):
        found = "a symbolic link" if os.path.islink(folder) else "a file"
        raise InputError(f"{folder}: expected a folder, found {found}")


# ------------------------------------------------------------------------------------------------------------ the same

def _describe(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return f"an array of {len(value)}"
    if isinstance(value, (dict, bool)) or value is None:
        return "an object" if isinstance(value, dict) else json.dumps(value)
    return number_text(value)


_NOTHING = object()


def _difference(was: Any, now: Any, path: str) -> Optional[tuple[str, str, str]]:
    """The first difference of two values: where, what was, what is."""
    pairs: list[tuple[Any, Any, str]] = []
    if isinstance(was, dict) and isinstance(now, dict):
        keys = [*was, *(key for key in now if key not in was)]
        pairs = [(was.get(key, _NOTHING), now.get(key, _NOTHING), f"{path}.{key}" if path else key) for key in keys]
    elif isinstance(was, list) and isinstance(now, list):
        pairs = [((was[k] if k < len(was) else _NOTHING), (now[k] if k < len(now) else _NOTHING), f"{path}[{k}]")
                 for k in range(max(len(was), len(now)))]
    elif was is _NOTHING or now is _NOTHING or isinstance(was, bool) != isinstance(now, bool) or was != now:
        return (path, *("nothing" if value is _NOTHING else _describe(value) for value in (was, now)))  # type: ignore[return-value]
    return next((found for found in (_difference(*pair) for pair in pairs) if found), None)


def read(folder: str) -> dict[str, Any]:
    """The record of a folder."""
    path = os.path.join(folder, NAME)
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{path}: expected JSON, found {error}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError(f'{path}: format: expected "{FORMAT}", found something else')
    return found


def check(calibration: Calibration, folder: str) -> dict[str, Any]:
    """The record of a folder, which must be of the same file."""
    old = read(folder)
    found = _difference(old.get("file", _NOTHING), calibration.tree, "")
    if found:
        path, was, now = found
        raise InputError(f"{calibration.path}: {path}: expected {was} as when the calibration of {folder} began, found {now}")
    return old


def check_inputs(folder: str, old: dict[str, Any], inputs: Inputs) -> None:
    """The contents of scenarios and extents. An earlier version noted fewer of them."""
    edition, here = old.get("rule_edition", 1), inputs.hashes["rule_edition"]
    if edition != here:
        raise InputError(f"{folder}: evaluated with edition {edition:g} of its rule, expected edition {here:g}, which is that of this "
                         "program: begin another calibration")
    parts = [("scenarios", "hash", "the scenario and its rates"), *(("scenarios", key, name) for key, name in inputs.names.items()),
             ("extents", "cells", "the observed extent and its region"), ("extents", "date", "the date of the observed extent")]
    for part, key, name in parts:
        was = old.get(part)
        for k, now in enumerate(inputs.hashes[part]):
            before = was[k] if isinstance(was, list) and k < len(was) and isinstance(was[k], dict) else None
            if before is None or (key in before and before[key] != now.get(key)):
                raise InputError(f"{now['path']}: expected {name} as when the calibration of {folder} began, found a change")


def warn_of_versions(folder: str, old: dict[str, Any]) -> None:
    """The same search may then give other points."""
    if old.get("program") != PROGRAM:
        logger.warning("%s: the calibration began with another version of the program", os.path.join(folder, NAME))
