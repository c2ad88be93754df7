# SPDX-License-Identifier: Apache-2.0
"""Fields of a run as arrays with coordinates, units and CRS."""
from __future__ import annotations

from typing import Any, Optional

import numpy
import xarray

from ._dem import Grid
from ._errors import UsageError
from ._library import ffi, lib
from ._values import describe

#: Names of the fields, in the order of enum sciara_field.
NAMES = tuple(ffi.string(lib.sciara_field_name(k)).decode() for k in range(lib.SCIARA_FIELD_COUNT))
UNITS = {name: ffi.string(lib.sciara_field_unit(k)).decode() for k, name in enumerate(NAMES)}
DESCRIPTIONS = {name: ffi.string(lib.sciara_field_description(k)).decode() for k, name in enumerate(NAMES)}
NODATA = -9999.0
MAPPING = "crs"  # name of the grid mapping, as in the files


def number_of_field(name: Any) -> int:
    """enum sciara_field"""
    if name not in NAMES:
        raise UsageError(f"expected a field, one of {', '.join(NAMES)}; found {describe(name)}")
    return NAMES.index(name)


def coordinates(grid: Grid, time_s: float, wkt: Optional[str], crs_name: Optional[str]) -> dict[str, xarray.Variable]:
    """x, y, time and, if there is a CRS, the grid mapping."""
    found = {
        "y": xarray.Variable("y", grid.y, {"standard_name": "projection_y_coordinate", "units": "m",
                                           "long_name": "y of the cell centre"}),
        "x": xarray.Variable("x", grid.x, {"standard_name": "projection_x_coordinate", "units": "m",
                                           "long_name": "x of the cell centre"}),
        "time": xarray.Variable((), time_s, {"long_name": "simulated time", "units": "s"}),
    }
    if wkt:
        transform = (grid.west, grid.cell_size, 0, grid.north, 0, -grid.cell_size)
        found[MAPPING] = xarray.Variable((), numpy.int32(0), {
            "long_name": "coordinate reference system of x and y", "crs_name": crs_name or "", "crs_wkt": wkt,
            "spatial_ref": wkt, "GeoTransform": " ".join(repr(float(number)) for number in transform)})
    return found


def data_array(name: str, values: numpy.ndarray, outside: numpy.ndarray,
               coords: dict[str, xarray.Variable]) -> xarray.DataArray:
    """`values` (changed in place) with NaN where there is nothing to show."""
    values[outside] = numpy.nan
    if name == "arrival_time":
        values[values == NODATA] = numpy.nan  # lava never was there
    elif name == "temperature":
        values[values == 0] = numpy.nan  # no liquid lava
    attributes = {"units": UNITS[name], "long_name": DESCRIPTIONS[name]}
    if MAPPING in coords:
        attributes["grid_mapping"] = MAPPING
    return xarray.DataArray(values, coords=coords, dims=("y", "x"), name=name, attrs=attributes)
