# SPDX-License-Identifier: Apache-2.0
"""The Basic Model Interface, version 2.0 (https://bmi.csdms.io), of a run.

    model = sciara.Bmi()
    model.initialize("etna.json")
    model.update_until(6 * 3600)
    thickness = model.get_value_ptr("thickness")

Output: the fields of sciara.Run on grid 0, a uniform rectilinear grid. As BMI requires, its origin is the south-western
cell, so values run from south to north, unlike everywhere else in this package. Input: "effusion_rate" (m3/s) of each
vent, on grid 1, points in the order of Run.vents.
"""
from __future__ import annotations

import math
from typing import Any, Optional

import numpy

from . import _fields
from ._errors import UsageError
from ._run import Run, open as open_scenario, title_of_rule
from ._values import describe

_RATE = "effusion_rate"
_FOREVER_S = 1e12  # the latest time that a scenario may name


class Bmi:
    """A lava flow as a component of coupled models. Times are seconds."""

    def __init__(self) -> None:
        self._run: Optional[Run] = None
        self._begin, self._end = 0.0, math.inf
        self._pointers: dict[str, numpy.ndarray] = {}

    @property
    def run(self) -> Run:
        """The run that is driven."""
        if self._run is None:
            raise UsageError("expected an initialised model, found none: call initialize(config_file) first")
        return self._run

    # -------------------------------------------------------------------------------------------------------- control

    def initialize(self, config_file: str) -> None:
        """Opens a scenario file."""
        self.finalize()
        self._run = open_scenario(config_file)
        self._begin, self._end = self._run.time, self._run.end_time

    def update(self) -> None:
        """One step."""
        self.run.advance(steps=1, progress=False)
        self._refresh()

    def update_until(self, time: float) -> None:
        """Steps until the first one that reaches `time`, s."""
        self.run.advance(to=time, progress=False)
        self._refresh()

    def finalize(self) -> None:
        """Releases the run."""
        if self._run is not None:
            self._run.close()
        self._run = None
        self._pointers = {}

    def _refresh(self) -> None:
        for name, values in self._pointers.items():
            values[:] = self._values(name)

    # ---------------------------------------------------------------------------------------------------- information

    def get_component_name(self) -> str:
        """ "SCIARA-fv3"; of an initialised model with another rule its name."""
        return title_of_rule("fv3" if self._run is None else self._run.rule)

    def get_input_item_count(self) -> int:
        return 1

    def get_output_item_count(self) -> int:
        return len(self.get_output_var_names())

    def get_input_var_names(self) -> tuple[str, ...]:
        return (_RATE,)

    def get_output_var_names(self) -> tuple[str, ...]:
        return self.run.fields

    def get_var_grid(self, name: str) -> int:
        return 1 if self._known(name) == _RATE else 0

    def get_var_type(self, name: str) -> str:
        self._known(name)
        return "float64"

    def get_var_units(self, name: str) -> str:
        return "m3 s-1" if self._known(name) == _RATE else _fields.UNITS[name]

    def get_var_itemsize(self, name: str) -> int:
        self._known(name)
        return 8

    def get_var_nbytes(self, name: str) -> int:
        return 8 * self.get_grid_size(self.get_var_grid(name))

    def get_var_location(self, name: str) -> str:
        self._known(name)
        return "node"  # values are those of the points of the grid, which are the centres of the cells

    def _known(self, name: str) -> str:
        if name != _RATE and name not in self.run.fields:
            raise UsageError(f"expected a variable, one of {', '.join((_RATE, *self.run.fields))}; found "
                             f"{describe(name)}")
        return name

    # ----------------------------------------------------------------------------------------------------------- time

    def get_current_time(self) -> float:
        return self.run.time

    def get_start_time(self) -> float:
        """Above 0 if the scenario begins with the lava of a checkpoint or of an outline."""
        return self._begin

    def get_end_time(self) -> float:
        """Infinity if no simulated time ends the run."""
        return self._end

    def get_time_units(self) -> str:
        return "s"

    def get_time_step(self) -> float:
        """Length of the last step: it changes from step to step."""
        return self.run.progress.clock

    # --------------------------------------------------------------------------------------------------------- values

    def _values(self, name: str) -> numpy.ndarray:
        """All values of a variable, flat."""
        if self._known(name) == _RATE:
            return numpy.array([vent.rate for vent in self.run.vents])
        return self.run.field(name).values[::-1].ravel()

    def get_value(self, name: str, dest: numpy.ndarray) -> numpy.ndarray:
        """Copies all values into `dest`, a flat array of doubles."""
        values = self._values(name)
        if dest.shape != values.shape:
            raise UsageError(f"get_value: expected an array of {values.size} values, found shape {dest.shape}")
        dest[:] = values
        return dest

    def get_value_ptr(self, name: str) -> numpy.ndarray:
        """A flat array that every update brings up to date. It is a copy: changes of it do not change the model."""
        if name not in self._pointers:
            self._pointers[name] = self._values(name)
        return self._pointers[name]

    def get_value_at_indices(self, name: str, dest: numpy.ndarray, inds: numpy.ndarray) -> numpy.ndarray:
        dest[:] = self._values(name)[inds]
        return dest

    def set_value(self, name: str, src: Any) -> None:
        """Sets the rate of every vent (m3/s), from now until it is set again."""
        rates = numpy.atleast_1d(numpy.asarray(src, dtype=float))
        count = len(self.run.vents)
        if rates.shape != (count,):
            raise UsageError(f"set_value: expected {count} rates, one for each vent, found shape {rates.shape}")
        self.set_value_at_indices(name, numpy.arange(rates.size), rates)

    def set_value_at_indices(self, name: str, inds: numpy.ndarray, src: numpy.ndarray) -> None:
        if name != _RATE:
            raise UsageError(f'expected "{_RATE}", because other values cannot be set; found {describe(name)}')
        vents = self.run.vents
        for index, rate in zip(numpy.atleast_1d(inds).tolist(), numpy.atleast_1d(src).tolist()):
            self.run.set_rate(vents[index].name, rate, until=_FOREVER_S)
        self._refresh()

    # ---------------------------------------------------------------------------------------------------------- grids

    def get_grid_rank(self, grid: int) -> int:
        return 2 if self._is_field_grid(grid) else 1

    def get_grid_size(self, grid: int) -> int:
        g = self.run.grid
        return g.rows * g.cols if self._is_field_grid(grid) else len(self.run.vents)

    def get_grid_type(self, grid: int) -> str:
        return "uniform_rectilinear" if self._is_field_grid(grid) else "points"

    def get_grid_shape(self, grid: int, shape: numpy.ndarray) -> numpy.ndarray:
        shape[:] = self.run.grid.shape if self._is_field_grid(grid) else (len(self.run.vents),)
        return shape

    def get_grid_spacing(self, grid: int, spacing: numpy.ndarray) -> numpy.ndarray:
        self._need_field_grid(grid, "spacing")
        spacing[:] = self.run.grid.cell_size
        return spacing

    def get_grid_origin(self, grid: int, origin: numpy.ndarray) -> numpy.ndarray:
        """(y, x) of the centre of the south-western cell, m."""
        self._need_field_grid(grid, "origin")
        g = self.run.grid
        origin[:] = g.y[-1], g.x[0]
        return origin

    def get_grid_x(self, grid: int, x: numpy.ndarray) -> numpy.ndarray:
        self._need_field_grid(grid, "x")
        x[:] = self.run.grid.x
        return x

    def get_grid_y(self, grid: int, y: numpy.ndarray) -> numpy.ndarray:
        self._need_field_grid(grid, "y")
        y[:] = self.run.grid.y[::-1]
        return y

    def get_grid_z(self, grid: int, z: numpy.ndarray) -> numpy.ndarray:
        raise NotImplementedError("get_grid_z: no grid has three dimensions")

    def get_grid_node_count(self, grid: int) -> int:
        return self.get_grid_size(grid)

    def get_grid_edge_count(self, grid: int) -> int:
        raise NotImplementedError("get_grid_edge_count: no grid is unstructured")

    def get_grid_face_count(self, grid: int) -> int:
        raise NotImplementedError("get_grid_face_count: no grid is unstructured")

    def get_grid_edge_nodes(self, grid: int, edge_nodes: numpy.ndarray) -> numpy.ndarray:
        raise NotImplementedError("get_grid_edge_nodes: no grid is unstructured")

    def get_grid_face_edges(self, grid: int, face_edges: numpy.ndarray) -> numpy.ndarray:
        raise NotImplementedError("get_grid_face_edges: no grid is unstructured")

    def get_grid_face_nodes(self, grid: int, face_nodes: numpy.ndarray) -> numpy.ndarray:
        raise NotImplementedError("get_grid_face_nodes: no grid is unstructured")

    def get_grid_nodes_per_face(self, grid: int, nodes_per_face: numpy.ndarray) -> numpy.ndarray:
        raise NotImplementedError("get_grid_nodes_per_face: no grid is unstructured")

    def _is_field_grid(self, grid: int) -> bool:
        if grid not in (0, 1):
            raise UsageError(f"expected grid 0 (fields) or 1 (vents), found {describe(grid)}")
        return grid == 0

    def _need_field_grid(self, grid: int, what: str) -> None:
        if not self._is_field_grid(grid):
            raise NotImplementedError(f"get_grid_{what}: the grid of the vents has none")
