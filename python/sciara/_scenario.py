# SPDX-License-Identifier: Apache-2.0
"""What is simulated: sites (the ground), vents and scenarios."""
from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy
import xarray

from . import _dem
from ._dem import Grid
from ._errors import UsageError, check
from ._library import ffi, lib
from ._values import (Duration, Overrides, PathLike, crs_of, describe, json_of, number_of, overrides_of, path_of,
                      seconds_of, text_of, utf8_of)

#: A DEM: the path of a raster, rows x cols altitudes in m (northern row first), or an array with coordinates x and y.
DemLike = Union[PathLike, numpy.ndarray, xarray.DataArray]
#: Values on the grid of a DEM: rows x cols, northern row first, or an array with coordinates x and y.
LayerLike = Union[numpy.ndarray, xarray.DataArray]


class Site:
    """The ground of simulations: a DEM that is read once. It never changes; runs in any number of threads may share it.

    dem: path of a raster; or a 2-D array of altitudes (m, rows x cols, northern row first; NaN and -9999: outside the
        DEM); or an xarray.DataArray with the coordinates x and y (cell centres, m; y may ascend or descend)
    cell_size: side of the cells, m; of a raster: warp to it
    west, north: outer corner of the north-western cell, m; of an array without coordinates
    crs: "EPSG:32633", WKT or PROJ text, or a CRS of pyproj or rasterio; of a raster: warp to it, or its
        CRS if none is given. None: unknown
    precision: "double", or "single" for runs in single precision
    """

    def __init__(self, dem: DemLike, *, cell_size: Optional[float] = None, west: Optional[float] = None,
                 north: Optional[float] = None, crs: Any = _dem._UNKNOWN, precision: str = "double") -> None:
        if precision not in ("double", "single"):
            raise UsageError(f'precision: expected "double" or "single", found {describe(precision)}')
        out = ffi.new("const struct sciara_site **")
        single = precision == "single"
        if is_path(dem):
            text = ffi.NULL if crs is None or crs is _dem._UNKNOWN else ffi.new("char[]", crs_of(crs))
            size = 0.0 if cell_size is None else number_of(cell_size, "cell_size")
            refuse_corner(west, north)
            check(lib.sciara_site_from_dem(path_of(dem, "dem"), text, size, single, out))
        else:
            made = _dem.dem_of(dem, cell_size, west, north, crs)
            text = ffi.NULL if made.crs is None else ffi.new("char[]", crs_of(made.crs))
            check(lib.sciara_site_from_array(made.c_grid(), text, made.c_altitude(), single, out))
        self._own(out[0])
        self._precision: Optional[str] = precision

    def _own(self, handle: Any) -> None:
        self._handle = ffi.gc(handle, lib.sciara_site_release)

    @classmethod
    def open(cls, scenario: PathLike, overrides: Overrides = None) -> Site:
        """Reads the DEM that a scenario file names. `overrides`: as of sciara.open."""
        out = ffi.new("const struct sciara_site **")
        check(lib.sciara_site_open(path_of(scenario, "the scenario"), *overrides_of(overrides), out))
        site = cls.__new__(cls)
        site._own(out[0])
        site._precision = None  # of the scenario
        return site

    @property
    def grid(self) -> Grid:
        """Size and place of the grid."""
        info = ffi.new("struct sciara_grid_info *")
        lib.sciara_site_read_grid(self._handle, info)
        return _dem.grid_of(info)

    @property
    def crs(self) -> Optional[str]:
        """The CRS as WKT; None if it is unknown."""
        return self._crs_texts()[0]

    @property
    def crs_name(self) -> Optional[str]:
        """The CRS as people call it: "WGS 84 / UTM zone 33N (EPSG:32633)"; None if it is unknown."""
        return self._crs_texts()[1]

    def _crs_texts(self) -> tuple[Optional[str], Optional[str]]:
        out = ffi.new("const char *[2]")
        lib.sciara_site_read_crs(self._handle, out, out + 1)
        return crs_texts(out)

    def __repr__(self) -> str:
        g = self.grid
        return f"<sciara.Site: {g.rows} x {g.cols} cells of {g.cell_size:g} m>"


def crs_texts(pair: Any) -> tuple[Optional[str], Optional[str]]:
    """WKT, and a name for people."""
    wkt, name = (None if text == ffi.NULL else ffi.string(text).decode("utf-8", "replace") for text in pair)
    return wkt, name


def is_path(dem: Any) -> bool:
    if dem is None:
        raise UsageError("dem: expected a path or an array, found None")
    return isinstance(dem, (str, os.PathLike))


def refuse_corner(west: Any, north: Any) -> None:
    if west is not None or north is not None:
        raise UsageError("west, north: expected none, because a raster has its own place; pass them with an array only")


def site_handle(site: Any) -> Any:
    if site is None:
        return ffi.NULL
    if not isinstance(site, Site):
        raise UsageError(f"site: expected a sciara.Site, found {describe(site)}")
    return site._handle


@dataclasses.dataclass
class Vent:
    """A vent or a fissure, and its effusion rates.

    Exactly one place: `x` and `y` (m, in the CRS of the DEM), `lonlat` (degrees, WGS 84), `rowcol` (of the grid, from 0
    in the north-west), or `line`, two or more points (x, y) of a fissure. `rates` of a line are of the whole line.
    `radius` of a point and `width` of a line (m) give the vent an area, among whose cells the rates are divided.

    Rates: `rate` (m3/s) for `duration` from `start` on; or `rates` (m3/s), of which rate k applies from times[k] to
    times[k + 1], so that there is one time more than rates. Times and durations: seconds, or text such as "6 h".
    """

    x: Optional[float] = None
    y: Optional[float] = None
    rate: Optional[float] = None
    duration: Optional[Duration] = None
    name: Optional[str] = None
    lonlat: Optional[tuple[float, float]] = None
    rowcol: Optional[tuple[int, int]] = None
    line: Optional[Sequence[Sequence[float]]] = None
    times: Optional[Sequence[Duration]] = None
    rates: Optional[Sequence[float]] = None
    start: Duration = 0.0
    radius: Optional[float] = None
    width: Optional[float] = None

    def _points(self, at: str) -> tuple[int, list[float]]:
        """enum sciara_vent_place, and x and y of each point."""
        places = [name for name, given in (("x and y", self.x is not None or self.y is not None),
                                           ("lonlat", self.lonlat is not None), ("rowcol", self.rowcol is not None),
                                           ("line", self.line is not None)) if given]
        if len(places) != 1:
            raise UsageError(f"{at}: expected exactly one of x and y, lonlat, rowcol or line, found "
                             f"{', '.join(places) or 'none'}")
        if self.lonlat is not None:
            return lib.SCIARA_VENT_LONLAT, _pair(self.lonlat, f"{at}: lonlat")
        if self.rowcol is not None:
            return lib.SCIARA_VENT_ROWCOL, _pair(self.rowcol, f"{at}: rowcol")[::-1]
        if self.line is not None:
            points = [_pair(point, f"{at}: line") for point in _sequence(self.line, f"{at}: line")]
            if len(points) < 2:
                raise UsageError(f"{at}: line: expected at least 2 points, found {len(points)}")
            return lib.SCIARA_VENT_LINE, [number for point in points for number in point]
        return lib.SCIARA_VENT_XY, [number_of(self.x, f"{at}: x"), number_of(self.y, f"{at}: y")]

    def _table(self, at: str) -> tuple[list[float], list[float]]:
        """Times (s) and rates (m3/s): one time more than rates."""
        start = seconds_of(self.start, f"{at}: start")
        if self.times is None and self.rates is None:
            if self.rate is None or self.duration is None:
                raise UsageError(f"{at}: expected rate and duration, or times and rates, found "
                                 + ("rate" if self.rate is not None else "duration" if self.duration is not None
                                    else "none"))
            duration = seconds_of(self.duration, f"{at}: duration")
            if duration <= 0:
                raise UsageError(f"{at}: duration: expected more than 0 s, found {duration:g} s")
            return [start, start + duration], [number_of(self.rate, f"{at}: rate")]
        if self.rate is not None or self.duration is not None or self.times is None or self.rates is None:
            raise UsageError(f"{at}: expected either rate and duration, or times and rates")
        times = [start + seconds_of(time, f"{at}: times") for time in _sequence(self.times, f"{at}: times")]
        rates = [number_of(rate, f"{at}: rates") for rate in _sequence(self.rates, f"{at}: rates")]
        if len(times) != len(rates) + 1 or not rates:
            raise UsageError(f"{at}: expected one time more than rates, found {len(times)} times and {len(rates)} "
                             "rates: the last time is the end")
        return times, rates


def _sequence(value: Any, what: str) -> list[Any]:
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
        raise UsageError(f"{what}: expected a list, found {describe(value)}")
    return list(value)


def _pair(value: Any, what: str) -> list[float]:
    numbers = _sequence(value, what)
    if len(numbers) != 2:
        raise UsageError(f"{what}: expected 2 numbers, found {describe(value)}")
    return [number_of(number, what) for number in numbers]


class Scenario:
    """What is to be simulated, with the keys of docs/scenario.md. Values are checked when a run is made of it.

    keys: of the scenario, a.b = value; see `set`
    """

    def __init__(self, keys: Overrides = None) -> None:
        out = ffi.new("struct sciara_scenario **")
        check(lib.sciara_scenario_create(out))
        self._start(out[0], keys)

    def _start(self, handle: Any, keys: Overrides) -> None:
        self._handle = ffi.gc(handle, lib.sciara_scenario_close)
        if keys is not None and not isinstance(keys, Mapping):
            raise UsageError('keys: expected a dict such as {"run.until": "2 d"}, found ' + describe(keys))
        for key, value in (keys or {}).items():
            self.set(key, value)

    @classmethod
    def open(cls, path: PathLike, overrides: Overrides = None) -> Scenario:
        """A scenario from a JSON file. Files that it names are relative to its folder."""
        out = ffi.new("struct sciara_scenario **")
        check(lib.sciara_scenario_open(path_of(path), out))
        scenario = cls.__new__(cls)
        scenario._start(out[0], overrides)
        return scenario

    @classmethod
    def from_json(cls, text: str, folder: Optional[PathLike] = None) -> Scenario:
        """A scenario from JSON text. Files that it names are relative to `folder`, or else to the current one."""
        out = ffi.new("struct sciara_scenario **")
        place = ffi.NULL if folder is None else ffi.new("char[]", path_of(folder, "folder"))
        check(lib.sciara_scenario_from_json(text_of(text, "the scenario"), place, out))
        scenario = cls.__new__(cls)
        scenario._start(out[0], None)
        return scenario

    def _live(self) -> Any:
        if self._handle is None:
            raise UsageError("expected an open scenario, found a closed one")
        return self._handle

    def set(self, key: str, value: Any) -> None:
        """Sets a key: set("run.until", "2 d"), set("model.cooling", 1.5), set("vents.0.name", "north").

        value: a text, a number, a bool, None (null), a list or a dict, as in JSON
        """
        name = text_of(key, "the key")
        if isinstance(value, (float, numpy.floating)):
            check(lib.sciara_scenario_set_number(self._live(), name, number_of(value, key)))
        else:
            check(lib.sciara_scenario_set(self._live(), name, utf8_of(json_of(value, key), key)))

    def add_vent(self, vent: Union[Vent, Mapping[str, Any], None] = None, **members: Any) -> None:
        """Adds a vent: a Vent, a dict of its members, or the members: add_vent(x=500300, y=4177600, rate=4, ...)."""
        if vent is not None and members:
            raise UsageError("add_vent: expected a vent or its members, found both")
        made = vent_of(members if vent is None else vent, "vent")
        place, points = made._points("vent")
        times, rates = made._table("vent")
        name = ffi.NULL if made.name is None else ffi.new("char[]", text_of(made.name, "vent: name"))
        arrays = [ffi.new("double[]", numbers) for numbers in (points, times, rates)]
        c = ffi.new("struct sciara_vent *", {"name": name, "place": place, "points": arrays[0],
                                             "point_count": len(points) // 2, "times_s": arrays[1],
                                             "rates_m3_s": arrays[2], "rate_count": len(rates),
                                             "radius_m": number_of(made.radius or 0.0, "vent: radius"),
                                             "width_m": number_of(made.width or 0.0, "vent: width")})
        check(lib.sciara_scenario_add_vent(self._live(), c))

    def set_initial_lava(self, thickness: LayerLike, temperature: Union[LayerLike, float, None] = None) -> None:
        """Liquid lava at the start of the runs: rows x cols values on the grid of the DEM, northern row first.

        thickness: m; 0 or NaN: no lava. A 2-D array, or an xarray.DataArray with the coordinates x and y
        temperature: K; the same, or one number; None: T_vent_K
        """
        self._set_initial(thickness, temperature, "")

    def _set_initial(self, thickness: LayerLike, temperature: Union[LayerLike, float, None], prefix: str) -> None:
        """prefix: of the names of the arguments in messages"""
        h, name = _dem.layer_of(thickness, f"{prefix}thickness"), f"{prefix}temperature"
        one = None if temperature is None or numpy.ndim(temperature) else number_of(temperature, name)
        T = None if temperature is None or one is not None else _dem.layer_of(temperature, name)
        if T is not None and T.shape != h.shape:
            raise UsageError(f"{name}: expected the shape of {prefix}thickness, {h.shape}; found {T.shape}")
        arrays = [ffi.NULL if layer is None else ffi.from_buffer("double[]", layer) for layer in (h, T)]
        check(lib.sciara_scenario_set_initial_lava(self._live(), *h.shape, *arrays))
        if one is not None:
            self.set("initial.temperature", one)

    def json(self) -> str:
        """The scenario as JSON text. Arrays are not part of it: it says "memory" in their place."""
        out = ffi.new("const char **")
        check(lib.sciara_scenario_json(self._live(), out))
        return ffi.string(out[0]).decode("utf-8", "surrogateescape")

    def to_dict(self) -> dict[str, Any]:
        """The scenario as a dict."""
        return json.loads(self.json())

    def close(self) -> None:
        """Releases the scenario. Runs made of it do not need it."""
        if self._handle is not None:
            ffi.release(self._handle)
            self._handle = None

    def __enter__(self) -> Scenario:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<sciara.Scenario: {'closed' if self._handle is None else json.dumps(self.to_dict())}>"


def vent_of(value: Any, at: str) -> Vent:
    if isinstance(value, Vent):
        return value
    if not isinstance(value, Mapping):
        raise UsageError(f"{at}: expected a sciara.Vent or a dict of its members, found {describe(value)}")
    names = [field.name for field in dataclasses.fields(Vent)]
    for name in value:
        if name not in names:
            raise UsageError(f"{at}: expected members among {', '.join(names)}; found {name!r}")
    return Vent(**value)


def scenario_of(*, vents: Any, params: Any, keys: Mapping[str, Any], overrides: Overrides) -> Scenario:
    """A scenario by parts; None among `keys`: the default."""
    scenario = Scenario({key: value for key, value in keys.items() if value is not None})
    for vent in _sequence(vents, "vents"):
        scenario.add_vent(vent)
    if params is not None and not isinstance(params, Mapping):
        raise UsageError('params: expected a dict such as {"T_sol_K": 1143}, found ' + describe(params))
    for name, value in (params or {}).items():
        scenario.set("model." + text_name(name), number_of(value, f"params: {name}"))
    if overrides is not None and not isinstance(overrides, Mapping):
        raise UsageError('overrides: expected a dict such as {"run.until": "2 d"}, found ' + describe(overrides))
    for key, value in (overrides or {}).items():
        scenario.set(key, value)
    return scenario


def text_name(name: Any) -> str:
    text_of(name, "a name of params")
    return str(name)
