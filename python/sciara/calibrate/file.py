# SPDX-License-Identifier: Apache-2.0
"""A calibration file, which the library reads and checks; the sets of values that it computes."""
from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np

from .._errors import SciaraError, check
from .._library import ffi, lib


@dataclasses.dataclass(frozen=True)
class Score:
    """The result of a set of values. score: J, or its upper bound of a run that was stopped; NaN: it has none"""
    row: int
    status: str
    error: Optional[str]
    jaccard: float
    pairs: tuple[float, ...]
    runout: tuple[float, ...]


@dataclasses.dataclass(frozen=True)
class Unknown:
    """A key that is searched, between `low` and `high` when a search has begun.

    disc: number of the vent of whose position it is a coordinate
    of_prior: it has the distribution of a prior
    """
    key: str
    log: bool
    of_prior: bool
    disc: Optional[int]
    low: float = math.nan
    high: float = math.nan

    def _shape(self, value: np.ndarray) -> np.ndarray:
        return np.log(value) if self.log else np.asarray(value)

    def coordinate(self, value: np.ndarray) -> np.ndarray:
        """Where values lie between the bounds, 0 to 1."""
        low, high = self._shape(np.array([self.low, self.high]))
        return (self._shape(value) - low) / (high - low)

    def value(self, coordinate: float) -> float:
        """The value at a coordinate."""
        low, high = (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)
        at = low + coordinate * (high - low)
        return min(max(math.exp(at) if self.log else at, self.low), self.high)


@dataclasses.dataclass
class Asked:
    """A search as the file asks for it. name: None where it is the only one"""
    number: int
    name: Optional[str]
    rule: str
    budget: int
    population: int
    unknowns: list[Unknown]


@dataclasses.dataclass(frozen=True)
class Inputs:
    """Hashes of all that a search reads, as calibration.json has them; what each part is called."""
    hashes: dict[str, Any]
    names: dict[str, str]


class Calibration:
    """The file. After an error `problems` of the exception has a sentence for each."""

    def __init__(self, path: str, *, engine: Optional[str] = None, workers: int = 0, drivers: Sequence[str] = ()) -> None:
        problems: list[str] = []
        setup = ffi.new("struct sciara_calibration_setup *")
        names = [ffi.new("char[]", os.fsencode(name)) for name in drivers]
        receive = ffi.callback("void(void *, const char *)", lambda _context, text: problems.append(_text(text)))
        self._kept: list[Any] = [ffi.new("char[]", os.fsencode(path)), names, ffi.new("const char *[]", names), receive,
                      ffi.NULL if engine is None else ffi.new("char[]", os.fsencode(engine)), setup]
        setup.file, setup.drivers, setup.driver_count = self._kept[0], self._kept[2], len(names)
        setup.engine, setup.workers, setup.problem = self._kept[4], workers, receive
        out = ffi.new("struct sciara_calibration **")
        status = lib.sciara_calibration_open(setup, out)
        try:
            check(status)
        except SciaraError as error:
            error.problems = problems  # type: ignore[attr-defined]
            raise
        self._handle = ffi.gc(out[0], lib.sciara_calibration_close)
        said = self._json(lib.sciara_calibration_describe)
        self.path = path
        self.tree: dict[str, Any] = said["file"]
        self.design: str = said["design"]
        self.budget = int(said["budget"])
        self.seed = int(said["seed"])
        self.early_stop: bool = said["early_stop"]
        self.runout_penalty: float = said["runout_penalty"]
        self.pairs: list[dict[str, Any]] = said["pairs"]
        self.searches = [Asked(k, s.get("name"), s["rule"], int(s["budget"]), int(s["population"]),
                               [Unknown(u["key"], u["log"], u["of_prior"], u.get("disc")) for u in s["unknowns"]])
                         for k, s in enumerate(said["searches"])]

    def _json(self, function: Callable[..., int], *arguments: Any) -> dict[str, Any]:
        out = ffi.new("const char **")
        check(function(self._handle, *arguments, out))
        found: dict[str, Any] = json.loads(ffi.string(out[0]).decode("utf-8"))
        return found

    def close(self) -> None:
        """Ends the threads."""
        ffi.release(self._handle)

    def begin(self, asked: Asked) -> Inputs:
        """Reads grounds and extents for a search, whose unknowns then have bounds."""
        said = self._json(lib.sciara_calibration_begin, asked.number)
        asked.unknowns = [dataclasses.replace(u, low=low, high=high)
                          for u, (low, high) in zip(asked.unknowns, said["bounds"])]
        return Inputs(said["inputs"], said["names"])

    def values(self, asked: Asked, points: np.ndarray) -> np.ndarray:
        """The values of all unknowns at points of the unit cube."""
        points = np.ascontiguousarray(points, dtype=np.float64)
        out = np.empty_like(points)
        check(lib.sciara_calibration_values(self._handle, asked.number, _doubles(points), len(points), _doubles(out)))
        return out

    def compute(self, values: np.ndarray, first: int, receive: Callable[[Score], None], go_on: Callable[[], bool], *,
                least: float = 0.0, last: bool = False, keep: bool = False) -> None:
        """Computes sets for the search that was begun last, from row `first` on; fewer are received when go_on() is False.

        least: a run may end early whose J cannot be as much, or whose front rests; 0: none does
        keep: the maps of the last set are kept
        """
        caught: list[BaseException] = []

        def take(_context: Any, score: Any) -> bool:
            count = len(self.pairs)
            pairs, runout = ((), ()) if score.pair == ffi.NULL else (ffi.unpack(score.pair, count), ffi.unpack(score.runout, count))
            receive(Score(score.row, _text(score.status), None if score.error == ffi.NULL else _text(score.error), score.jaccard,
                          tuple(pairs), tuple(runout)))
            return True

        def catch(_kind: Any, error: BaseException, _traceback: Any) -> None:
            caught.append(error)

        values = np.ascontiguousarray(values, dtype=np.float64)
        c_take = ffi.callback("bool(void *, const struct sciara_calibration_score *)", take, error=False, onerror=catch)
        c_go_on = ffi.callback("bool(void *)", lambda _context: not caught and go_on(), error=False, onerror=catch)
        rows = ffi.new("struct sciara_calibration_rows *", {
            "values": _doubles(values), "count": len(values), "first": first, "least": least, "last": last, "keep": keep,
            "receive": c_take, "go_on": c_go_on})
        status = lib.sciara_calibration_compute(self._handle, rows)
        if caught:
            raise caught[0]
        check(status)

    def write_best(self, asked: Asked, values: np.ndarray, folder: str) -> None:
        """best.json."""
        values = np.ascontiguousarray(values, dtype=np.float64)
        check(lib.sciara_calibration_write_best(self._handle, asked.number, _doubles(values), os.fsencode(folder)))

    def write_accepted(self, asked: Asked, rows: np.ndarray, values: np.ndarray, folder: str) -> None:
        """accepted.csv."""
        rows, values = np.ascontiguousarray(rows, dtype=np.uintp), np.ascontiguousarray(values, dtype=np.float64)
        check(lib.sciara_calibration_write_sets(self._handle, asked.number, ffi.cast("const size_t *", rows.ctypes.data),
                                                _doubles(values), len(rows), os.fsencode(folder)))

    def write_page(self, searches: Sequence[Asked], said: list[dict[str, Any]], language: str, folder: str) -> None:
        """page.html of searches whose maps are kept, with what is said of each."""
        text = json.dumps(said, allow_nan=False, separators=(",", ":"))
        check(lib.sciara_calibration_write_page(self._handle, [s.number for s in searches], len(searches), text.encode("utf-8"),
                                                language.encode("utf-8"), os.fsencode(folder)))


def _doubles(array: np.ndarray) -> Any:
    return ffi.cast("double *", array.ctypes.data)


def _text(text: Any) -> str:
    found: str = ffi.string(text).decode("utf-8", "surrogateescape")
    return found
