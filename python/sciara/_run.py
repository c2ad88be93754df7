# SPDX-License-Identifier: Apache-2.0
"""Runs: opened from files, or made from what is in memory; advanced, read, changed, written and scored."""
from __future__ import annotations

import contextlib
import dataclasses
import os
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union

import numpy
import xarray

from . import _dem, _fields
from ._dem import Grid
from ._errors import UsageError, check
from ._library import ffi, lib, name_of as _name
from ._process import logger
from ._progress import ProgressLike, duration_text, make_reporter
from ._scenario import (DemLike, LayerLike, Scenario, Site, Vent, crs_texts, is_path, refuse_corner, scenario_of,
                        site_handle)
from ._values import (Duration, Overrides, PathLike, crs_of, describe, number_of, overrides_of, path_of, seconds_of,
                      text_of, until_of, whole_of)


@dataclasses.dataclass(frozen=True)
class Progress:
    """Where a run is.

    step: steps done
    time: simulated time, s
    clock: length of the last time step, s
    liquid_cells: cells with liquid lava
    solidified: nothing is liquid and no vent will emit again
    finished: the stop rule of the scenario has been met
    """

    step: int
    time: float
    clock: float
    liquid_cells: int
    solidified: bool
    finished: bool


@dataclasses.dataclass(frozen=True)
class Ledger:
    """The mass balance, m3: initial + emitted + added - removed = liquid + solid + lost + sea, up to rounding.

    lost: left the map; sea: entered the sea (dem.sea)
    added, removed: by a correction of a checkpoint with observed lava (initial.observed)
    residual: the left side minus the right side; bound: the largest residual that rounding explains
    """

    initial: float
    emitted: float
    liquid: float
    solid: float
    lost: float
    residual: float
    bound: float
    sea: float = 0.0
    added: float = 0.0
    removed: float = 0.0


@dataclasses.dataclass(frozen=True)
class VentInfo:
    """A vent of a run: its name, the simulated time at which its table of rates ends (s), and its present rate (m3/s).

    The rate is that of a whole fissure, from the present simulated time on.
    """

    name: str
    end: float
    rate: float


@dataclasses.dataclass(frozen=True)
class Score:
    """The deposit of a run compared with an observed lava flow. What has no value is NaN.

    hits, misses, excess: cells of both; only observed; only simulated
    jaccard: hits / (hits + misses + excess)
    sensitivity: hits / (hits + misses)
    precision: hits / (hits + excess)
    f1: 2 hits / (2 hits + misses + excess)
    area_ratio: simulated / observed
    run_out_ratio: greatest distance from a vent, simulated / observed
    hausdorff: greatest distance of a cell of one from the nearest cell of the other, m
    """

    hits: int
    misses: int
    excess: int
    jaccard: float
    sensitivity: float
    precision: float
    f1: float
    area_ratio: float
    run_out_ratio: float
    hausdorff: float


@dataclasses.dataclass(frozen=True)
class Asset:
    """What lava does to a place, a feature of a vector file. What has no value is NaN.

    name, kind: "point", "line" or "zone"
    state: "reached", "not reached", or why lava cannot come: "sea", "NODATA", "outside", "empty"
    arrival: simulated time of the first lava in one of its cells, s
    deposit, max_deposit: largest deposit in its cells, now and at any time, m
    covered: points, m or m2 in covered cells
    total, land: how much there is of it, and of that on land
    covered_by: the same as covered, by each of the times
    """

    name: str
    kind: str
    state: str
    arrival: float
    deposit: float
    max_deposit: float
    covered: float
    total: float
    land: float
    covered_by: tuple[float, ...]


def title_of_rule(rule: str) -> str:
    """The model as files name it."""
    return "SCIARA-fv3" if rule == "fv3" else f"SCIARA, rule {rule}"


def _progress_of(c: Any) -> Progress:
    return Progress(c.step, c.time_s, c.clock_s, c.liquid_cells, c.solidified, c.finished)


class _Field:
    """A field of a run as a property."""

    def __set_name__(self, owner: Any, name: str) -> None:
        self.name = name
        self.__doc__ = f"{_fields.DESCRIPTIONS[name]}, {_fields.UNITS[name]}: DataArray(y, x); see Run.field."

    def __get__(self, run: Any, owner: Any = None) -> xarray.DataArray:
        return self if run is None else run.field(self.name)

    def __set__(self, run: Any, value: Any) -> None:
        raise AttributeError(f"{self.name}: expected no assignment: the fields of a run can only be read")


_RUNS: weakref.WeakSet[Run] = weakref.WeakSet()


def _after_fork() -> None:
    for run in list(_RUNS):
        run._after_fork()


os.register_at_fork(after_in_child=_after_fork)


class Run:
    """A run built from what is in memory. `sciara.open` opens a scenario file instead.

    dem: path of a raster; 2-D array of altitudes (m, rows x cols, northern row first; NaN and -9999: outside the DEM);
        or xarray.DataArray with the coordinates x and y (cell centres, m; y may ascend or descend)
    cell_size, west, north: of an array: side of the cells and outer corner of the north-western cell, m. Of a raster,
        cell_size alone: warp to it
    crs: "EPSG:32633", WKT or PROJ text, or a CRS of pyproj or rasterio; None: unknown
    vents: sciara.Vent objects, or dicts of their members
    rule: how lava moves, "fv3" or "bingham" (docs/rules.md)
    params: parameters of the rule, {"T_sol_K": 1143}; docs/scenario.md lists them
    until: simulated time at which the run is finished, "solidified" or "front at rest"
    engine, threads, device, precision: how it is computed; see sciara.engines()
    fields: names of the fields that are recorded; None: thickness, temperature, deposit, arrival_time. Those that
        follow from the present state can always be read; arrival_time and max_... only if they are recorded
    initial_thickness: liquid lava at the start, m: an array on the grid of the DEM, as `dem`; 0 or NaN: none
    initial_temperature: of it, K: an array or one number; None: T_vent_K
    overrides: any other keys of docs/scenario.md
    site: a sciara.Site instead of dem
    scenario: a sciara.Scenario instead of vents and all other arguments but dem and site

    A run is used by one thread at a time; another thread waits. The GIL is released while the library computes. A child
    of a fork has a copy of each run.
    """

    def __init__(self, dem: Optional[DemLike] = None, *, cell_size: Optional[float] = None,
                 west: Optional[float] = None, north: Optional[float] = None, crs: Any = _dem._UNKNOWN,
                 vents: Sequence[Union[Vent, Mapping[str, Any]]] = (), params: Optional[Mapping[str, float]] = None,
                 until: Optional[Duration] = None, engine: Optional[str] = None, threads: Optional[int] = None,
                 device: Optional[int] = None, precision: Optional[str] = None, fields: Optional[Sequence[str]] = None,
                 initial_thickness: Optional[LayerLike] = None,
                 initial_temperature: Union[LayerLike, float, None] = None, boundary: Optional[str] = None,
                 title: Optional[str] = None, overrides: Overrides = None,
                 site: Optional[Site] = None, scenario: Optional[Scenario] = None,
                 rule: Optional[str] = None) -> None:
        self._start()
        if site is not None and dem is not None:
            raise UsageError("expected dem or site, found both")
        site_handle(site)
        if site is not None and precision is None and scenario is None:
            precision = site._precision
        keys = {"title": title, "boundary": boundary, "model.rule": rule, "engine.name": engine, "engine.threads": threads,
                "engine.device": device, "engine.precision": precision, "output.fields": fields,
                "run.until": None if until is None else until_of(until, "until")}
        if scenario is not None:
            given = [name for name, value in keys.items() if value is not None]
            given += [name for name, value in (("initial_thickness", initial_thickness),
                                               ("initial_temperature", initial_temperature)) if value is not None]
            if given or len(vents) or params or overrides:
                raise UsageError("scenario: expected no other argument but dem and site, found some: set vents, "
                                 "parameters and keys in the scenario, not next to it")
            if not isinstance(scenario, Scenario):
                raise UsageError(f"scenario: expected a sciara.Scenario, found {describe(scenario)}")
        else:
            scenario = scenario_of(vents=vents, params=params, keys=keys, overrides=overrides)
        if initial_thickness is not None:
            scenario._set_initial(initial_thickness, initial_temperature, "initial_")
        elif initial_temperature is not None:
            raise UsageError("initial_temperature: expected initial_thickness too, found None")
        has_dem = "path" in (scenario.to_dict().get("dem") or {})
        if dem is None and site is None and not has_dem:
            raise UsageError("dem: expected a path or an array, or a site, found None")
        if dem is not None and is_path(dem):
            refuse_corner(west, north)
            scenario.set("dem.path", os.path.abspath(path_of(dem, "dem").decode("utf-8", "surrogateescape")))
            if crs is not None and crs is not _dem._UNKNOWN:
                scenario.set("dem.crs", crs_of(crs).decode("utf-8", "surrogateescape"))
            if cell_size is not None:
                scenario.set("dem.cell_size_m", number_of(cell_size, "cell_size"))
        elif dem is not None:
            chosen = scenario.to_dict().get("engine", {}).get("precision", "double")
            site = Site(dem, cell_size=cell_size, west=west, north=north, crs=crs, precision=chosen)
        out = ffi.new("struct sciara **")
        check(lib.sciara_create(scenario._live(), site_handle(site), out))
        self._own(out[0])
        for name, layer in (("initial_thickness", initial_thickness), ("initial_temperature", initial_temperature)):
            self._check_place(_dem.grid_of_layer(layer, name), name)

    def _check_place(self, found: Optional[Grid], name: str) -> None:
        """Initial lava with coordinates of its own must lie on the grid of the DEM."""
        grid = self.grid
        if found is not None and not numpy.allclose(found.extent, grid.extent, rtol=0, atol=1e-3 * grid.cell_size):
            self.close()
            raise UsageError(f"{name}: expected the place of the DEM (west, east, south, north: {grid.extent}), found "
                             f"{found.extent}")

    def _start(self) -> None:
        self._handle: Any = None
        self._lock = threading.Lock()
        self._owner: Optional[int] = None
        self._views = 0
        self._outside: Optional[numpy.ndarray] = None
        self._recorded: Optional[tuple[str, ...]] = None
        self._lost: Any = None
        _RUNS.add(self)

    def _own(self, handle: Any) -> None:
        self._handle = ffi.gc(handle, lib.sciara_close)

    @classmethod
    def _of(cls, handle: Any) -> Run:
        run = cls.__new__(cls)
        run._start()
        run._own(handle)
        return run

    def _after_fork(self) -> None:
        """In a child: the thread that had the lock is not there, and the run may be in the middle of a step."""
        if self._lock.locked() and self._owner != threading.get_ident():
            self._lock, self._owner = threading.Lock(), None
            self._handle, self._lost = None, self._handle  # never released: its memory may be half changed

    # ------------------------------------------------------------------------------------------------------ use, end

    @contextlib.contextmanager
    def _use(self, change: Optional[str] = None) -> Iterator[Any]:
        """The handle, for this thread alone. change: what is done, if it changes the state."""
        if self._owner == threading.get_ident():
            raise UsageError("the run is advancing: a progress function or a signal handler may not use it, but "
                             "cancel() and the Progress that it receives")
        with self._lock:
            self._owner = threading.get_ident()
            try:
                if self._lost is not None:
                    raise UsageError("expected a run that nothing uses, found one that another thread was using when this process "
                                     "was forked: open it again")
                if self._handle is None:
                    raise UsageError("expected an open run, found a closed one")
                if change and self._views:
                    raise UsageError(f"{change}: a view of the run is in use: leave its with block first")
                yield self._handle
            finally:
                self._owner = None

    def close(self) -> None:
        """Releases the run. A further call has no effect; any other use of a closed run is a UsageError."""
        if self._handle is not None:
            with self._use("close"):
                self._handle = None  # arrays of a view that are still alive keep the memory

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._handle is None:
            return "<sciara.Run: closed>"
        if self._lock.locked():
            return "<sciara.Run: advancing>"
        p, g = self.progress, self.grid
        state = ", solidified" if p.solidified else ", finished" if p.finished else ""
        return (f"<sciara.Run: {duration_text(p.time)}, step {p.step}, {p.liquid_cells} liquid cells{state}; "
                f"{g.rows} x {g.cols} cells of {g.cell_size:g} m, engine {self.engine}>")

    # --------------------------------------------------------------------------------------------------------- steps

    def advance(self, duration: Optional[Duration] = None, *, days: Optional[float] = None,
                hours: Optional[float] = None, minutes: Optional[float] = None, seconds: Optional[float] = None,
                steps: Optional[int] = None, to: Optional[Duration] = None, progress: ProgressLike = None) -> Progress:
        """Computes on, until the first of what is given, or until the stop rule of the scenario; returns where it is.

        duration, days, hours, minutes, seconds: simulated time from now on; they add up. It ends with the first step
            that reaches it
        steps: number of steps
        to: simulated time since the start of the run. If it has been reached already no step is done: a step may end far
            behind the limit of the previous call. A message says so when it lies in the past
        progress: None: a bar if somebody sees it; True, False; or a function that is called about every 0.1 s with a
            sciara.Progress and may raise to end the call

        Ctrl-C ends it after the current step and raises KeyboardInterrupt; the run can continue.
        """
        units = ((days, 86400, "days"), (hours, 3600, "hours"), (minutes, 60, "minutes"), (seconds, 1, "seconds"))
        parts = [size * number_of(value, name) for value, size, name in units if value is not None]
        if duration is not None:
            parts.append(seconds_of(duration, "duration"))
        if not parts and steps is None and to is None:
            raise UsageError('advance: expected how far, such as hours=6, "6 h", steps=100 or to="2 d"; run() computes '
                             "until the stop rule of the scenario")
        if min(parts, default=0) < 0:
            raise UsageError(f"advance: expected 0 s or more, found {min(parts):g} s: a run does not step back")
        with self._use("advance") as handle:
            now = self._read_progress(handle)
            times = [now.time + sum(parts)] if parts else []
            times += [seconds_of(to, "to")] if to is not None else []
            step = None if steps is None else now.step + whole_of(steps, "steps")
            time = min(times, default=None)
            if (time is not None and time <= now.time) or step == now.step:
                if time is not None and time < now.time:
                    logger.info("advance: no step is done: the simulated time is %.10g s already, found the limit %.10g s",
                                now.time, time)
                return now
            return self._compute(handle, now, time, step, progress)

    def run(self, progress: ProgressLike = None) -> Progress:
        """Computes until the stop rule of the scenario; returns where it is. progress, Ctrl-C: as of advance."""
        with self._use("run") as handle:
            return self._compute(handle, self._read_progress(handle), None, None, progress)

    def _compute(self, handle: Any, start: Progress, time: Optional[float], step: Optional[int],
                 progress: ProgressLike) -> Progress:
        reporter = make_reporter(progress, start, time, step)
        if reporter is None and threading.current_thread() is not threading.main_thread():
            check(self._compute_unseen(handle, start, time, step))  # no Ctrl-C reaches this thread
            return self._read_progress(handle)
        caught: list[BaseException] = []

        def tick(_context: Any, now: Any) -> bool:
            if reporter is not None:
                reporter(_progress_of(now))
            return True

        # An exception, also that of Ctrl-C, cancels: cffi returns `error` for the function.
        c_tick = ffi.callback("bool(void *, const struct sciara_progress *)", tick, error=False,
                              onerror=lambda _kind, error, _traceback: caught.append(error))
        try:
            status = lib.sciara_advance(handle, self._options(time, step, c_tick))
        finally:
            if reporter is not None:
                reporter.close()
        if caught:
            raise caught[0]
        check(status)
        return self._read_progress(handle)

    @staticmethod
    def _options(time: Optional[float], step: Optional[int], tick: Any) -> Any:
        return ffi.new("struct sciara_advance_options *", {"step": step or 0, "time_s": time or 0.0, "progress": tick})

    def _compute_unseen(self, handle: Any, start: Progress, time: Optional[float], step: Optional[int]) -> int:
        if time is not None:
            return int(lib.sciara_advance(handle, self._options(time, step, ffi.NULL)))
        return int(lib.sciara_run(handle) if step is None else lib.sciara_step(handle, step - start.step))

    def cancel(self) -> None:
        """Ends advance() or run() after the current step, or else the next call. Any thread may call it at any time."""
        handle = self._handle  # keeps the memory if another thread closes the run now
        if handle is None:
            raise UsageError("expected an open run, found a closed one")
        lib.sciara_cancel(handle)

    def set_rate(self, vent: str, rate: float, until: Optional[Duration] = None) -> None:
        """Changes the effusion rate of a vent, or of a whole fissure, from now on.

        vent: its name; see `vents`
        rate: m3/s
        until: simulated time since the start of the run at which the rate ends; None: the end that it has already. What
            the scenario said about times after now no longer applies
        """
        name = text_of(vent, "vent")
        number = number_of(rate, "rate")
        with self._use("set_rate") as handle:
            if until is not None:
                end = seconds_of(until, "until")
            else:
                now = self._read_progress(handle).time
                ends = [info.end for info in self._read_vents(handle) if info.name == vent]
                if ends and ends[0] <= now:
                    raise UsageError(f'set_rate: the emission of "{vent}" ended at {duration_text(ends[0])} and it is '
                                     f'{duration_text(now)}: say until when, until="3 d"')
                end = ends[0] if ends else now + 1  # the library names the vents
            check(lib.sciara_set_rate(handle, name, number, end))

    # --------------------------------------------------------------------------------------------------- where it is

    @staticmethod
    def _read_progress(handle: Any) -> Progress:
        out = ffi.new("struct sciara_progress *")
        lib.sciara_read_progress(handle, out)
        return _progress_of(out)

    @property
    def progress(self) -> Progress:
        """Where the run is."""
        with self._use() as handle:
            return self._read_progress(handle)

    @property
    def step(self) -> int:
        """Steps done."""
        return self.progress.step

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.progress.time

    @property
    def finished(self) -> bool:
        """Whether the stop rule of the scenario has been met."""
        return self.progress.finished

    @property
    def grid(self) -> Grid:
        """Size and place of the grid."""
        with self._use() as handle:
            return self._read_grid(handle)

    @staticmethod
    def _read_grid(handle: Any) -> Grid:
        info = ffi.new("struct sciara_grid_info *")
        lib.sciara_read_grid(handle, info)
        return _dem.grid_of(info)

    @staticmethod
    def _read_crs(handle: Any) -> tuple[Optional[str], Optional[str]]:
        """WKT, and a name for people."""
        out = ffi.new("const char *[2]")
        lib.sciara_read_crs(handle, out, out + 1)
        return crs_texts(out)

    @property
    def crs(self) -> Optional[str]:
        """The CRS as WKT, for rasterio, pyproj and the like; None if it is unknown."""
        with self._use() as handle:
            return self._read_crs(handle)[0]

    @property
    def crs_name(self) -> Optional[str]:
        """The CRS as people call it: "WGS 84 / UTM zone 33N (EPSG:32633)"; None if it is unknown."""
        with self._use() as handle:
            return self._read_crs(handle)[1]

    @property
    def engine(self) -> str:
        """Name of the engine that computes."""
        with self._use() as handle:
            return ffi.string(lib.sciara_read_engine_name(handle)).decode()

    @property
    def rule(self) -> str:
        """Name of the rule by which lava moves."""
        with self._use() as handle:
            return ffi.string(lib.sciara_read_rule_name(handle)).decode()

    @property
    def end_time(self) -> float:
        """Simulated time at which the scenario ends the run at the latest, s; infinite if it has no such limit."""
        with self._use() as handle:
            return float(lib.sciara_read_end_time(handle))

    @property
    def vents(self) -> tuple[VentInfo, ...]:
        """The vents, in the order of the scenario."""
        with self._use() as handle:
            return self._read_vents(handle)

    @staticmethod
    def _read_vents(handle: Any) -> tuple[VentInfo, ...]:
        found: list[VentInfo] = []
        name, end, rate = ffi.new("const char **"), ffi.new("double *"), ffi.new("double *")
        while lib.sciara_read_vent(handle, len(found), name, end) == lib.SCIARA_OK:
            check(lib.sciara_read_rate(handle, len(found), rate))
            found.append(VentInfo(ffi.string(name[0]).decode("utf-8", "surrogateescape"), end[0], rate[0]))
        return tuple(found)

    @property
    def ledger(self) -> Ledger:
        """The mass balance."""
        out = ffi.new("struct sciara_ledger *")
        with self._use() as handle:
            check(lib.sciara_read_ledger(handle, out))
        return Ledger(out.initial_m3, out.emitted_m3, out.liquid_m3, out.solid_m3, out.lost_m3, out.residual_m3,
                      out.bound_m3, out.sea_m3, out.added_m3, out.removed_m3)

    @property
    def checksum(self) -> str:
        """16 hexadecimal digits over the whole state, as in snapshots: equal for equal states, whatever the engine."""
        out = ffi.new("uint64_t *")
        with self._use() as handle:
            check(lib.sciara_checksum(handle, out))
        return f"{out[0]:016x}"

    # -------------------------------------------------------------------------------------------------------- fields

    thickness = _Field()
    altitude = _Field()
    temperature = _Field()
    momentum_x = _Field()
    momentum_y = _Field()
    solid_thickness = _Field()
    deposit = _Field()
    arrival_time = _Field()
    max_thickness = _Field()
    max_speed = _Field()
    speed = _Field()
    max_deposit = _Field()

    def _read(self, handle: Any, name: str) -> numpy.ndarray:
        """A new array, values as stored."""
        grid = self._read_grid(handle)
        values = numpy.empty(grid.shape)
        buffer = ffi.from_buffer("double[]", values, require_writable=True)
        check(lib.sciara_read_field(handle, _fields.number_of_field(name), buffer, values.size))
        return values

    def _mask(self, handle: Any) -> numpy.ndarray:
        """Cells outside the DEM; they never change."""
        if self._outside is None:
            self._outside = self._read(handle, "altitude") == _fields.NODATA
        return self._outside

    def field(self, name: str) -> xarray.DataArray:
        """A field as a DataArray(y, x), a copy. y descends: the northern row is the first; plot() is the right way up.

        Attributes: units, long_name, and grid_mapping, the name of the coordinate with the CRS (`crs_wkt`), as in CF.
        NaN: outside the DEM; arrival_time where lava never was; temperature where there is no liquid lava.
        """
        return self.dataset([name])[name]

    def dataset(self, names: Optional[Sequence[str]] = None) -> xarray.Dataset:
        """Several fields of one time, a copy; None: all that can be read. Details: `field`."""
        if isinstance(names, str):
            raise UsageError(f"dataset: expected a list of names, found {describe(names)}")
        with self._use() as handle:
            outside = self._mask(handle)
            progress = self._read_progress(handle)
            coords = _fields.coordinates(self._read_grid(handle), progress.time, *self._read_crs(handle))
            chosen = self._read_names(handle) if names is None else tuple(names)
            arrays = {name: _fields.data_array(name, self._read(handle, name), outside, coords) for name in chosen}
            engine, rule = (ffi.string(text).decode() for text in (lib.sciara_read_engine_name(handle),
                                                                   lib.sciara_read_rule_name(handle)))
        version = ffi.string(lib.sciara_version()).decode()
        return xarray.Dataset(arrays, attrs={"Conventions": "CF-1.8", "source": f"sciara {version}, {title_of_rule(rule)}",
                                             "model_rule": rule, "engine": engine, "step": progress.step})

    def _read_names(self, handle: Any) -> tuple[str, ...]:
        if self._recorded is None:
            values = numpy.empty(self._read_grid(handle).shape)
            buffer = ffi.from_buffer("double[]", values, require_writable=True)
            found: list[str] = []
            for number, name in enumerate(_fields.NAMES):
                status = lib.sciara_read_field(handle, number, buffer, values.size)
                if status == lib.SCIARA_OK:
                    found.append(name)
                elif status != lib.SCIARA_ERR_USAGE:  # that is: not recorded
                    check(status)
            self._recorded = tuple(found)
        return self._recorded

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields that can be read: max_... and arrival_time only if output.fields names them."""
        with self._use() as handle:
            return self._read_names(handle)

    @contextlib.contextmanager
    def view(self, name: str) -> Iterator[numpy.ndarray]:
        """A field without a copy, read-only: rows x cols doubles, values as stored (-9999 outside the DEM).

            with run.view("thickness") as h:
                volume = h[h > 0].sum() * run.grid.cell_size ** 2

        Inside the block the run can be read, but not be advanced, changed or closed (UsageError). After the block the
        array must not be used: a run that advances may change its values. To keep values, copy them.
        """
        number = _fields.number_of_field(name)
        out = ffi.new("const double **")
        with self._use() as handle:
            grid = self._read_grid(handle)
            check(lib.sciara_view_field(handle, number, out))
            # The destructor keeps the run's memory for as long as an array refers to it.
            pointer = ffi.gc(ffi.cast("double *", out[0]), lambda _pointer, keep=handle: None)
            self._views += 1
        try:
            memory = memoryview(ffi.buffer(pointer, 8 * grid.rows * grid.cols)).toreadonly()
            yield numpy.frombuffer(memory).reshape(grid.shape)
        finally:
            with self._lock:
                self._views -= 1

    # --------------------------------------------------------------------------------------------------------- files

    def write_map(self, field: str, path: PathLike) -> Path:
        """Writes a map of a field: GeoTIFF (.tif, with a QGIS style next to it) or a picture (.png)."""
        with self._use() as handle:
            check(lib.sciara_write_map(handle, _fields.number_of_field(field), path_of(path)))
        return Path(path)

    def write_snapshot(self, path: PathLike) -> Path:
        """Writes the fields output.fields of the scenario as a CF NetCDF-4 file (.nc)."""
        with self._use() as handle:
            check(lib.sciara_write_snapshot(handle, path_of(path)))
        return Path(path)

    def write_checkpoint(self, path: PathLike) -> Path:
        """Writes the exact state: sciara.open_checkpoint continues from it with bit-identical results."""
        with self._use() as handle:
            check(lib.sciara_write_checkpoint(handle, path_of(path)))
        return Path(path)


def open(scenario: PathLike, overrides: Overrides = None, *, site: Optional[Site] = None) -> Run:
    """Opens a scenario file and the DEM that it names, ready for the first step. Writes nothing.

    overrides: keys of docs/scenario.md that replace those of the file: {"run.until": "2 d", "vents.0.x": 500300}
    site: the same DEM, read before: sciara.Site.open
    """
    out = ffi.new("struct sciara **")
    path = path_of(scenario, "the scenario")
    if site is None:
        check(lib.sciara_open(path, *overrides_of(overrides), out))
    else:
        check(lib.sciara_open_on(site_handle(site), path, *overrides_of(overrides), out))
    return Run._of(out[0])


def open_run(folder: PathLike, overrides: Overrides = None) -> Run:
    """Continues the run in a run folder of `sciara run` from its newest intact checkpoint. The folder is not changed.

    overrides: keys of vents, run, output and engine
    """
    out = ffi.new("struct sciara **")
    check(lib.sciara_open_run(path_of(folder, "the run folder"), *overrides_of(overrides), out))
    return Run._of(out[0])


def open_checkpoint(path: PathLike, site: Optional[Site] = None, overrides: Overrides = None) -> Run:
    """Continues from a checkpoint file.

    site: the same ground; None: the DEM that the scenario of the checkpoint names is read again
    overrides: keys of vents, run, output and engine
    """
    out = ffi.new("struct sciara **")
    check(lib.sciara_open_checkpoint(path_of(path, "the checkpoint"), site_handle(site), *overrides_of(overrides), out))
    return Run._of(out[0])


def score(run: Run, observed: PathLike, *, layer: Optional[str] = None, min_thickness: float = 0.0) -> Score:
    """Compares the present deposit of a run with an observed lava flow.

    observed: file of polygons or a raster, in any CRS; formats: docs/gis.md
    layer: of a file with several layers of polygons
    min_thickness: more than this counts as covered, m
    """
    if not isinstance(run, Run):
        raise UsageError(f"score: expected a sciara.Run, found {describe(run)}")
    out = ffi.new("struct sciara_scores *")
    name = ffi.NULL if layer is None else ffi.new("char[]", text_of(layer, "layer"))
    path, least = path_of(observed, "observed"), number_of(min_thickness, "min_thickness")
    with run._use() as handle:
        check(lib.sciara_score(handle, path, name, least, out))
    return Score(out.hits, out.misses, out.excess, out.jaccard, out.sensitivity, out.precision, out.f1, out.area_ratio,
                 out.run_out_ratio, out.hausdorff_m)


def expose(run: Run, assets: PathLike, *, layer: Optional[str] = None, times: Sequence[Duration] = ()) -> tuple[Asset, ...]:
    """Tells what the present lava of a run does to the features of a vector file, as `sciara exposure` does.

    assets: file of points, lines and polygons with names, in any CRS; formats: docs/cli.md
    layer: of a file with several
    times: simulated times, ascending, by which the covered part is wanted
    """
    if not isinstance(run, Run):
        raise UsageError(f"expose: expected a sciara.Run, found {describe(run)}")
    out = ffi.new("const struct sciara_assets **")
    name = ffi.NULL if layer is None else ffi.new("char[]", text_of(layer, "layer"))
    path, seconds = path_of(assets, "assets"), [seconds_of(time, "times") for time in times]
    with run._use() as handle:
        check(lib.sciara_expose(handle, path, name, ffi.new("double[]", seconds), len(seconds), out))
    try:
        return tuple(Asset(_name(a.name), _name(a.kind), _name(a.state), a.arrival_s, a.deposit_m, a.max_deposit_m, a.covered,
                           a.all, a.land, tuple(a.covered_by[0:len(seconds)])) for a in out[0].asset[0:out[0].count])
    finally:
        lib.sciara_assets_release(out[0])
