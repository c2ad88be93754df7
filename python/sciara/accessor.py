# SPDX-License-Identifier: Apache-2.0
"""`DataArray.sciara`: plot, area, volume and outline of lava in a field with the coordinates x and y."""
from __future__ import annotations

from typing import Any, Optional

import numpy
import xarray

from ._dem import check_coordinate, decoded, spacing
from ._errors import UsageError
from ._values import number_of


@xarray.register_dataarray_accessor("sciara")
class LavaAccessor:
    """Of a DataArray with the dimensions y and x, in metres, of one time: a field of a run or of a snapshot."""

    def __init__(self, data: xarray.DataArray) -> None:
        self._data = data

    def _field(self) -> xarray.DataArray:
        """(y, x), both coordinates ascending to the east and descending to the south."""
        data = self._data
        data = data.squeeze([name for name in data.dims if name not in ("x", "y") and data.sizes[name] == 1], drop=True)
        if set(data.dims) != {"x", "y"}:
            raise UsageError("sciara: expected a DataArray with the dimensions y and x, found "
                             f"{', '.join(map(str, data.dims)) or 'none'}: select one time, for instance with [-1]")
        return data.transpose("y", "x").sortby("x").sortby("y", ascending=False)

    @staticmethod
    def _sides(data: xarray.DataArray) -> tuple[float, float]:
        """Width and height of a cell, m."""
        for name in ("x", "y"):
            check_coordinate(data, name, "sciara")
        # Coordinates in single precision are half a metre off; beside a gap a distance is a third off the mean, or more.
        width, height = (abs(spacing(data[name].values, f"sciara: the coordinate {name}", tolerance=0.3)) for name in ("x", "y"))
        return width, height

    @staticmethod
    def _covered(data: xarray.DataArray, threshold: float) -> numpy.ndarray:
        with numpy.errstate(invalid="ignore"):  # NaN is not covered
            return numpy.asarray(decoded(data) > number_of(threshold, "threshold"))

    def plot(self, **options: Any) -> Any:
        """DataArray.plot() without the coordinate of the CRS, whose value, 0, would stand in the title."""
        mapping = self._data.attrs.get("grid_mapping") or self._data.encoding.get("grid_mapping")
        drawn = self._data.drop_vars([mapping] if mapping in self._data.coords else [])
        return drawn.plot(**options)

    def area(self, threshold: float = 0.0) -> float:
        """Area of the cells above `threshold` (in the unit of the field), m2."""
        data = self._field()
        width, height = self._sides(data)
        return float(self._covered(data, threshold).sum()) * width * height

    def volume(self) -> float:
        """Sum of the field (a thickness, m) times the area of a cell, m3."""
        data = self._field()
        if data.attrs.get("units", "m") != "m":
            raise UsageError(f"volume: expected a thickness in m, found {data.name or 'a field'} in "
                             f"{data.attrs['units']}")
        width, height = self._sides(data)
        return float(numpy.nansum(decoded(data))) * width * height

    def outline(self, threshold: float = 0.0) -> dict[str, Any]:
        """The cells above `threshold` as a GeoJSON geometry: a MultiPolygon along edges of cells, CRS that of x and y.

        Cells that only touch at a corner belong to different polygons. Outer rings run counter-clockwise, holes
        clockwise. Its area is that of `area(threshold)`. shapely.geometry.shape() reads it.
        """
        data = self._field()
        width, height = self._sides(data)
        west = float(data["x"].values[0]) - width / 2
        north = float(data["y"].values[0]) + height / 2
        outers: list[list[_Corner]] = []
        holes: list[list[_Corner]] = []
        for ring in _rings(self._covered(data, threshold)):
            (outers if _double_area(ring) > 0 else holes).append(ring)
        polygons = [[ring] for ring in sorted(outers, key=_double_area)]
        for hole in holes:
            # The smallest outer ring around the covered cell at the first edge of the hole: rings may be nested.
            point = _cell_left_of(hole[0], hole[1])
            next(polygon for polygon in polygons if _contains(polygon[0], point)).append(hole)
        return {"type": "MultiPolygon",
                "coordinates": [[[[west + col * width, north - row * height] for row, col in ring] for ring in polygon]
                                for polygon in polygons]}


_Corner = tuple[int, int]  # (row, column) of a corner of cells, (0, 0) in the north-west


def _rings(covered: numpy.ndarray) -> list[list[_Corner]]:
    """Closed rings of corners with the covered cells on the left; corners on straight lines are left out."""
    framed = numpy.pad(covered, 1)
    inner = framed[1:-1, 1:-1]
    ends: dict[_Corner, list[_Corner]] = {}  # of the edges that begin at a corner: two where cells touch there

    def add(free: numpy.ndarray, begin: _Corner, end: _Corner) -> None:
        for row, col in zip(*(index.tolist() for index in numpy.nonzero(inner & ~free))):
            ends.setdefault((row + begin[0], col + begin[1]), []).append((row + end[0], col + end[1]))

    add(framed[:-2, 1:-1], (0, 1), (0, 0))  # northern edges run west
    add(framed[2:, 1:-1], (1, 0), (1, 1))   # southern ones east
    add(framed[1:-1, :-2], (0, 0), (1, 0))  # western ones south
    add(framed[1:-1, 2:], (1, 1), (0, 1))   # eastern ones north
    rings = []
    while ends:
        first = at = next(iter(ends))
        ring = [first]
        heading: Optional[_Corner] = None
        while True:
            end = _take(ends, at, heading)
            if heading != _direction(at, end):
                heading = _direction(at, end)
                ring[-1:] = [at, end]
            else:
                ring[-1] = end
            at = end
            if at == first and _closes(ends, at, heading, ring):
                break
        if _direction(ring[0], ring[1]) == heading:  # the first corner lies on a straight line
            ring = [*ring[1:-1], ring[1]]
        rings.append(ring)
    return rings


def _direction(begin: _Corner, end: _Corner) -> _Corner:
    """Of a straight line, as steps of rows and columns."""
    rows, cols = end[0] - begin[0], end[1] - begin[1]
    return (rows > 0) - (rows < 0), (cols > 0) - (cols < 0)


def _left_of(heading: _Corner) -> _Corner:
    return -heading[1], heading[0]


def _closes(ends: dict[_Corner, list[_Corner]], at: _Corner, heading: Optional[_Corner],
            ring: list[_Corner]) -> bool:
    """Whether a ring ends at its first corner: where cells touch there, if it turns into its first edge."""
    return at not in ends or heading is None or _direction(ring[0], ring[1]) == _left_of(heading)


def _take(ends: dict[_Corner, list[_Corner]], begin: _Corner, heading: Optional[_Corner]) -> _Corner:
    """Removes an edge; where there are two, the one to the left, which stays with the same cell."""
    found = ends[begin]
    end = found[0]
    if len(found) == 2 and heading is not None and _direction(begin, end) != _left_of(heading):
        end = found[1]
    found.remove(end)
    if not found:
        del ends[begin]
    return end


def _points(ring: list[_Corner]) -> tuple[numpy.ndarray, numpy.ndarray]:
    """x to the east, y to the north."""
    corners = numpy.asarray(ring, dtype=float)
    return corners[:, 1], -corners[:, 0]


def _double_area(ring: list[_Corner]) -> float:
    """Twice the area, positive if the ring runs counter-clockwise."""
    x, y = _points(ring)
    return float(numpy.sum(x[:-1] * y[1:] - x[1:] * y[:-1]))


def _cell_left_of(begin: _Corner, end: _Corner) -> tuple[float, float]:
    """x and y of the centre of the cell to the left of the begin of an edge."""
    heading = _direction(begin, end)
    left = _left_of(heading)
    return begin[1] + 0.5 * (heading[1] + left[1]), -(begin[0] + 0.5 * (heading[0] + left[0]))


def _contains(ring: list[_Corner], point: tuple[float, float]) -> bool:
    """Whether a ring is around a point that is not on it: edges north and south that a ray to the east crosses."""
    x, y = _points(ring)
    crossed = (x[1:] > point[0]) & (numpy.minimum(y[1:], y[:-1]) < point[1]) & (numpy.maximum(y[1:], y[:-1]) > point[1])
    return bool(crossed.sum() % 2)
