# SPDX-License-Identifier: Apache-2.0
"""Scores of many sets of parameters against observed extents, for calibration; docs/calibration.md."""
from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Callable, Optional, Union

from ._errors import UsageError, check
from ._library import ffi, lib
from ._values import Duration, PathLike, describe, json_of, number_of, path_of, seconds_of, text_of, utf8_of, whole_of


@dataclasses.dataclass(frozen=True)
class Observed:
    """An observed extent.

    path: polygons or a raster, in any CRS
    layer: of a file with several layers of polygons
    region: only cells that this file covers are compared
    at: simulated time; what lava has reached by then counts. None: the end of the run
    weight: in the mean of J, above 0; of each date
    date: instead of `at` its date, "2006-07-14T12:00Z", of a scenario with run.start
    dates: the file has a polygon or more for each date in this field, which are compared at these dates as so many extents;
        "auto": its only field of dates
    """
    path: PathLike
    layer: Optional[str] = None
    region: Optional[PathLike] = None
    at: Optional[Duration] = None
    weight: float = 1.0
    date: Optional[str] = None
    dates: Optional[str] = None


ObservedLike = Union[PathLike, Observed]


def _above_zero(value: float, what: str) -> float:
    if not value > 0:
        raise UsageError(f"{what}: expected more than 0, found {value:g}")
    return value


def _list_of(value: Any, what: str) -> list[Any]:
    """One path, or several."""
    if isinstance(value, (str, bytes, os.PathLike, Observed)) or not isinstance(value, Sequence):
        return [value]
    if not value:
        raise UsageError(f"{what}: expected at least one, found none")
    return list(value)


def _release(handle: Any, process: int) -> None:
    if os.getpid() == process:  # the threads of the library are not in the child of a fork
        lib.sciara_evaluations_close(handle)


class Evaluator:
    """Computes a scenario with changed keys, as many at a time as the machine carries, and compares it with observed extents.

    scenario: the path of a file, or several
    observed: a path, an Observed, or several. With several scenarios each has one, in the same order
    min_thickness: more than this counts as covered, m
    engine: one of sciara.engines(); None: that of the first scenario, where auto is openmp
    workers: evaluations at a time; None: one per core, or one per GPU

    Ground and extents are read once. One thread at a time uses an evaluator; the GIL is released while the library computes.
    """

    def __init__(self, scenario: Union[PathLike, Sequence[PathLike]], observed: Union[ObservedLike, Sequence[ObservedLike]],
                 *, min_thickness: float = 0.0, engine: Optional[str] = None, workers: Optional[int] = None) -> None:
        scenarios, extents = _list_of(scenario, "scenario"), _list_of(observed, "observed")
        if len(scenarios) > 1 and len(scenarios) != len(extents):
            raise UsageError(f"expected an observed extent for each of {len(scenarios)} scenarios, found {len(extents)}")
        self._kept: list[Any] = []  # what the library points to
        setup = ffi.new("struct sciara_evaluations_setup *")
        setup.scenarios = self._keep("const char *[]", [self._text(path_of(s, "scenario")) for s in scenarios])
        setup.scenario_count = len(scenarios)
        setup.observed = items = self._keep("struct sciara_observed[]", len(extents))
        setup.observed_count = len(extents)
        for k, extent in enumerate(extents):
            of = extent if isinstance(extent, Observed) else Observed(extent)
            items[k].path = self._text(path_of(of.path, "observed"))
            items[k].layer = self._text(None if of.layer is None else text_of(of.layer, "layer"))
            items[k].region = self._text(None if of.region is None else path_of(of.region, "region"))
            items[k].scenario = k if len(scenarios) > 1 else 0
            items[k].at_s = 0 if of.at is None else _above_zero(seconds_of(of.at, "at"), "at")
            items[k].date = self._text(None if of.date is None else text_of(of.date, "date"))
            items[k].dates = self._text(None if of.dates is None else text_of(of.dates, "dates"))
            items[k].weight = _above_zero(number_of(of.weight, "weight"), "weight")
        setup.min_thickness_m = number_of(min_thickness, "min_thickness")
        setup.engine = self._text(None if engine is None else text_of(engine, "engine"))
        setup.workers = 0 if workers is None else min(whole_of(workers, "workers"), 2 ** 31 - 1)
        out = ffi.new("struct sciara_evaluations **")
        check(lib.sciara_evaluations_open(setup, out))
        self._lock = threading.Lock()
        self._owner: Optional[int] = None
        self._handle, self._process = out[0], os.getpid()
        self._finalizer = weakref.finalize(self, _release, self._handle, self._process)

    def _keep(self, kind: str, value: Any) -> Any:
        self._kept.append(ffi.new(kind, value))
        return self._kept[-1]

    def _text(self, value: Optional[bytes]) -> Any:
        return ffi.NULL if value is None else self._keep("char[]", value)

    @contextlib.contextmanager
    def _use(self) -> Iterator[None]:
        """The handle is for this thread alone."""
        if os.getpid() != self._process:
            raise UsageError("the evaluator cannot be used in the child of a fork")
        if self._owner == threading.get_ident():
            raise UsageError("the evaluator is computing: a progress function or a signal handler may not use it, but may "
                             "raise")
        with self._lock:
            self._owner = threading.get_ident()
            try:
                yield
            finally:
                self._owner = None

    def scores(self, sets: Iterable[Mapping[str, Any]],
               progress: Optional[Callable[[int], Any]] = None) -> list[dict[str, Any]]:
        """The results for sets of keys, {"model.relaxation": 0.5, ...}, in their order: the keys of docs/cli.md#evaluate.

        progress: a function that is called about every 0.05 s with the number of results, and may raise to end the call

        A set that is invalid has the status "error" in its result. Ctrl-C ends the call and raises KeyboardInterrupt; the
        evaluator can be used again.
        """
        lines = []
        for k, changes in enumerate(sets):
            if not isinstance(changes, Mapping):
                raise UsageError(f"sets[{k}]: expected keys and values, found {describe(changes)}")
            lines.append(json_of({"set": dict(changes)}, f"sets[{k}]"))
        caught: list[BaseException] = []

        def tick(_context: Any, done: int) -> bool:
            if progress is not None:
                progress(done)
            return True

        # An exception, also that of Ctrl-C, cancels: cffi returns `error` for the function.
        c_tick = ffi.callback("bool(void *, size_t)", tick, error=False,
                              onerror=lambda _kind, error, _traceback: caught.append(error))
        out = ffi.new("const char **")
        with self._use():
            if not self._finalizer.alive:
                raise UsageError("the evaluator is closed")
            status = lib.sciara_evaluations_run(self._handle, ffi.new("char[]", utf8_of("\n".join(lines), "sets")), c_tick,
                                                ffi.NULL, out)
            if caught:
                raise caught[0]
            check(status)
            text = ffi.string(out[0]).decode("utf-8")
        results = [json.loads(line) for line in text.split("\n") if line]
        for result in results:
            del result["id"]
        return results

    def close(self) -> None:
        """Ends the threads and releases the memory; in the child of a fork nothing."""
        if os.getpid() != self._process:
            return
        with self._use():
            self._finalizer()

    def __enter__(self) -> Evaluator:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def evaluate(scenario: Union[PathLike, Sequence[PathLike]], observed: Union[ObservedLike, Sequence[ObservedLike]],
             sets: Iterable[Mapping[str, Any]], *, min_thickness: float = 0.0, engine: Optional[str] = None,
             workers: Optional[int] = None) -> list[dict[str, Any]]:
    """The results for sets of keys; see Evaluator, which reads ground and extents once for many calls."""
    with Evaluator(scenario, observed, min_thickness=min_thickness, engine=engine, workers=workers) as evaluator:
        return evaluator.scores(sets)
