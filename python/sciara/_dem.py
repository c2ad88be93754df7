# SPDX-License-Identifier: Apache-2.0
"""A DEM from an array, as the library takes it: rows x cols doubles, the northern row first."""
from __future__ import annotations

import dataclasses
import logging
import math
from typing import Any, Optional

import numpy
import xarray

from ._errors import UsageError
from ._library import ffi
from ._values import describe, number_of

_log = logging.getLogger("sciara")
_UNKNOWN = object()  # no CRS was named; None says that there is none


@dataclasses.dataclass(frozen=True)
class Grid:
    """Size and place of a grid. `west`, `north`: outer corner of the north-western cell, m, in the CRS of the DEM."""

    rows: int
    cols: int
    cell_size: float
    west: float
    north: float

    @property
    def x(self) -> numpy.ndarray:
        """Eastings of the cell centres, m: `cols` numbers, ascending."""
        return self.west + (numpy.arange(self.cols) + 0.5) * self.cell_size

    @property
    def y(self) -> numpy.ndarray:
        """Northings of the cell centres, m: `rows` numbers, descending."""
        return self.north - (numpy.arange(self.rows) + 0.5) * self.cell_size

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, cols)"""
        return self.rows, self.cols

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """(west, east, south, north) of the outer edges, m, as `extent` of matplotlib's imshow."""
        return (self.west, self.west + self.cols * self.cell_size, self.north - self.rows * self.cell_size, self.north)


def grid_of(info: Any) -> Grid:
    """From a struct sciara_grid_info."""
    return Grid(info.rows, info.cols, info.cell_size_m, info.west_m, info.north_m)


@dataclasses.dataclass(frozen=True)
class Dem:
    """Altitudes (m, rows x cols, northern row first, NaN outside the DEM), their grid, and the CRS or None."""

    altitude: numpy.ndarray
    grid: Grid
    crs: Optional[str]

    def c_grid(self) -> Any:
        return ffi.new("struct sciara_grid_info *", [self.grid.rows, self.grid.cols, self.grid.cell_size,
                                                     self.grid.west, self.grid.north])

    def c_altitude(self) -> Any:
        return ffi.from_buffer("double[]", self.altitude)


def dem_of(data: Any, cell_size: Any, west: Any, north: Any, crs: Any) -> Dem:
    """A DEM from a numpy array or an xarray.DataArray."""
    if isinstance(data, (xarray.DataArray, xarray.Dataset)):
        return _of_data_array(data, cell_size, west, north, crs)
    altitude = _altitudes(data)
    missing = [name for name, value in (("cell_size", cell_size), ("west", west), ("north", north)) if value is None]
    if missing:
        raise UsageError(f"dem: expected the place of the array, found none: pass {', '.join(missing)} too (cell_size: "
                         "side of the cells, m; west, north: outer corner of the north-western cell, m)")
    if crs is _UNKNOWN:
        raise UsageError('dem: expected a CRS, found none: pass crs="EPSG:32633" or another one, or crs=None if it is '
                         "unknown")
    return Dem(altitude, _grid(altitude.shape, cell_size, west, north), crs)


def layer_of(data: Any, what: str) -> numpy.ndarray:
    """Values on the grid of a DEM: rows x cols doubles, the northern row first; NaN where data are missing."""
    if isinstance(data, (xarray.DataArray, xarray.Dataset)):
        return place_of(data, what)[0]
    return _values_of(data, what)


def grid_of_layer(data: Any, what: str) -> Optional[Grid]:
    """The grid of a DataArray; None of an array without coordinates."""
    return place_of(data, what)[1] if isinstance(data, xarray.DataArray) else None


def _grid(shape: tuple[int, ...], cell_size: Any, west: Any, north: Any) -> Grid:
    if isinstance(cell_size, (tuple, list)):
        raise UsageError(f"cell_size: expected one number, because cells are square, found {describe(cell_size)}")
    return Grid(shape[0], shape[1], number_of(cell_size, "cell_size"), number_of(west, "west"),
                number_of(north, "north"))


def _altitudes(data: Any) -> numpy.ndarray:
    altitude = _values_of(data, "dem")
    if not numpy.isfinite(altitude).any():
        raise UsageError("dem: expected altitudes, found no finite number in the whole array")
    return altitude


def _values_of(data: Any, what: str) -> numpy.ndarray:
    """Two-dimensional doubles, contiguous."""
    if isinstance(data, numpy.ma.MaskedArray):
        data = numpy.ma.filled(data.astype(float), numpy.nan) if data.dtype.kind in "iuf" else data.data
    array = numpy.asarray(data)
    if array.dtype.kind not in "iuf":
        raise UsageError(f"{what}: expected real numbers (float or int), found an array of dtype {array.dtype}")
    if array.ndim != 2:
        raise UsageError(f"{what}: expected 2 dimensions (rows, columns), found {array.ndim}: shape {array.shape}")
    if 0 in array.shape:
        raise UsageError(f"{what}: expected at least one cell, found shape {array.shape}")
    return numpy.ascontiguousarray(array, dtype=numpy.float64)


def _of_data_array(data: Any, cell_size: Any, west: Any, north: Any, crs: Any) -> Dem:
    if (cell_size, west, north) != (None, None, None):
        raise UsageError("dem: expected no cell_size, west or north, because an xarray.DataArray has its own "
                         "coordinates; found one of them")
    altitude, grid = place_of(data, "dem")
    if not numpy.isfinite(altitude).any():
        raise UsageError("dem: expected altitudes, found no finite number in the whole array")
    return Dem(altitude, grid, _crs_of(data) if crs is _UNKNOWN else crs)


def place_of(data: Any, what: str) -> tuple[numpy.ndarray, Grid]:
    """Values (northern row first, NaN where data are missing) and grid of a DataArray."""
    if isinstance(data, xarray.Dataset):
        raise UsageError(f"{what}: expected an array, found an xarray.Dataset: take one of its variables, "
                         f"{', '.join(map(str, data.data_vars)) or 'it has none'}")
    data = data.squeeze([name for name in data.dims if name not in ("x", "y") and data.sizes[name] == 1], drop=True)
    if set(data.dims) != {"x", "y"}:
        raise UsageError(f"{what}: expected a DataArray with the dimensions y and x, found "
                         f"{', '.join(map(str, data.dims)) or 'none'}: rename or select them"
                         + (", and project longitude and latitude to metres" if "lon" in map(str, data.dims) else ""))
    data = data.transpose("y", "x")
    for name in ("x", "y"):
        check_coordinate(data, name, what)
    values = _in_metres(data, _values_of(decoded(data), what), what)
    columns, rows = data["x"].values, data["y"].values
    transform = _transform_of(data)
    dx = spacing(columns, f"{what}: the coordinate x", transform[1] if transform else None)
    dy = spacing(rows, f"{what}: the coordinate y", transform[5] if transform else None)
    if not math.isclose(abs(dx), abs(dy), rel_tol=1e-6):
        raise UsageError(f"{what}: expected square cells, found {abs(dx):g} x {abs(dy):g}: resample it, or give the "
                         "path of the DEM and cell_size, and it is warped")
    if dx < 0:
        values, columns = values[:, ::-1], columns[::-1]
    if dy > 0:  # south first
        values, rows = values[::-1], rows[::-1]
    size = abs(dx)
    grid = Grid(len(rows), len(columns), size, float(columns[0]) - size / 2, float(rows[0]) + size / 2)
    return numpy.ascontiguousarray(values), grid


# Names of units of length in lower case, and their metres: as the library reads them in files (src/terrain/dem_gdal.c).
_METRES = ("", "1", "m", "metre", "metres", "meter", "meters")
_LENGTHS = {"dm": 0.1, "decimetre": 0.1, "decimeter": 0.1, "cm": 0.01, "centimetre": 0.01, "centimeter": 0.01, "mm": 1e-3,
            "millimetre": 1e-3, "millimeter": 1e-3, "km": 1e3, "kilometre": 1e3, "kilometer": 1e3, "yd": 0.9144, "yard": 0.9144,
            "in": 0.0254, "inch": 0.0254, "fathom": 1.8288, "pied": 0.3048, "piede": 0.3048, "piedi": 0.3048, "pie": 0.3048}


def _length_of(unit: str) -> Optional[float]:
    """The metres of a unit of length that is not the metre; None of any other unit."""
    lower = unit.lower()
    if any(word in lower for word in ("ft", "foot", "feet")):
        return 1200 / 3937 if "us" in lower or "survey" in lower else 0.3048
    return _LENGTHS.get(lower, _LENGTHS.get(lower.rstrip("s")))


def _unit_of(data: xarray.DataArray) -> str:
    return next((str(data.attrs[name]).strip() for name in ("units", "unit") if name in data.attrs), "")


def check_coordinate(data: xarray.DataArray, name: str, what: str) -> None:
    """Refuses a coordinate that is missing, or names another unit than the metre."""
    if name not in data.coords:
        raise UsageError(f"{what}: expected the coordinate {name}, found none: add the centres of the cells, in metres")
    unit = _unit_of(data[name])
    metres = _length_of(unit)
    if metres:
        raise UsageError(f'{what}: the coordinate {name}: expected metres, found "{unit}": change both with '
                         f".assign_coords(x=data.x * {metres:.10g}, y=data.y * {metres:.10g})")
    if "degree" in unit.lower():
        raise UsageError(f'{what}: the coordinate {name}: expected metres, found "{unit}": project longitude and latitude, '
                         "or give the path of the DEM with crs and cell_size, and it is warped")


def decoded(data: xarray.DataArray) -> Any:
    """Values as the attributes say that they are stored: NaN where data are missing, scaled."""
    values = data.values
    if values.dtype.kind not in "iuf":
        return values
    stored = values
    for name in ("_FillValue", "missing_value", "nodata"):
        for fill in numpy.atleast_1d(numpy.asarray(data.attrs.get(name, numpy.nan))):
            if isinstance(fill, numpy.number) and not numpy.isnan(fill):
                values = numpy.where(stored == fill, numpy.nan, values)
    scale, offset = (number_of(_single(data.attrs.get(name, value)), f"the attribute {name}")
                     for name, value in (("scale_factor", 1), ("add_offset", 0)))
    return values if (scale, offset) == (1, 0) else values * scale + offset


def _single(value: Any) -> Any:
    """The element of an array of one, as files have it; anything else as it is."""
    array = numpy.asarray(value)
    return array.reshape(-1)[0].item() if array.size == 1 and array.dtype.kind in "iuf" else value


def _in_metres(data: xarray.DataArray, values: numpy.ndarray, what: str) -> numpy.ndarray:
    """The values, unless they are in a unit that is not that of a field of this kind."""
    unit = _unit_of(data)
    metres = _length_of(unit)
    temperature = what.endswith("temperature")
    if metres:
        known = values[numpy.isfinite(values)]
        found = f" ({known.min():.6g} to {known.max():.6g})" if known.size else ""
        factor = f"{metres:.10g}"
        raise UsageError(f'{what}: its values{found} are in "{unit}" by its attribute units; metres are needed. If they are: '
                         f'(data * {factor}).assign_attrs({{**data.attrs, "units": "m"}})' +
                         ("" if _is_plain(data) else " after xarray has decoded scale_factor and add_offset") +
                         '; if they are metres already: data.assign_attrs(units="m")')
    if temperature and unit.lower() in ("degc", "celsius", "degree_celsius", "degrees_celsius", "\u00b0c", "c"):
        raise UsageError(f'{what}: its values are in "{unit}" by its attribute units; kelvin are needed: data + 273.15')
    if not temperature and unit.lower() not in _METRES:
        _log.warning('%s: the unit of its values is "%s"; they are taken to be metres', what, unit)
    return values


def _is_plain(data: xarray.DataArray) -> bool:
    return not any(name in data.attrs for name in ("scale_factor", "add_offset"))


def spacing(centres: numpy.ndarray, name: str, exact: Optional[float] = None, tolerance: float = 1e-4) -> float:
    """Distance of two centres, negative where they descend."""
    if centres.dtype.kind not in "iuf" or not numpy.isfinite(centres).all():
        raise UsageError(f"{name}: expected finite numbers, metres")
    if len(centres) < 2:
        raise UsageError(f"{name}: expected at least 2 cells, found {len(centres)}")
    steps = numpy.diff(centres.astype(float))
    mean = float(centres[-1] - centres[0]) / (len(centres) - 1)
    if mean == 0 or not numpy.allclose(steps, mean, rtol=tolerance, atol=0):
        raise UsageError(f"{name}: expected equal distances, found {steps.min():g} to {steps.max():g}: keep all rows and "
                         "columns (where() without drop=True), or resample it to a regular grid")
    if exact and math.isclose(abs(exact), abs(mean), rel_tol=1e-6):
        return math.copysign(exact, mean)
    rounded = float(f"{mean:.9g}")  # of coordinates that are rounded themselves
    return rounded if math.isclose(rounded, mean, rel_tol=1e-9) else mean


def _mapping_of(data: xarray.DataArray) -> dict[Any, Any]:
    """Attributes of the grid mapping, in the style of CF; empty if there is none."""
    name = data.attrs.get("grid_mapping") or data.encoding.get("grid_mapping")
    for candidate in (name, "spatial_ref", "crs"):
        if candidate in data.coords:
            return dict(data.coords[candidate].attrs)
    return {}


def _transform_of(data: xarray.DataArray) -> Optional[list[float]]:
    """Six numbers of GDAL's geotransform, if the grid mapping has them."""
    try:
        numbers = [float(part) for part in str(_mapping_of(data).get("GeoTransform", "")).split()]
    except ValueError:
        return None
    return numbers if len(numbers) == 6 else None


def _crs_of(data: xarray.DataArray) -> str:
    mapping = _mapping_of(data)
    for attributes in (mapping, data.attrs):
        for name in ("crs_wkt", "spatial_ref", "crs"):
            if isinstance(attributes.get(name), str) and attributes[name]:
                return str(attributes[name])
    raise UsageError('dem: expected a CRS, found none in the DataArray: pass crs="EPSG:32633" or another one, or '
                     "crs=None if it is unknown")
