# SPDX-License-Identifier: Apache-2.0
"""What proposes points of the unit cube: a search that is told scores, and sets of points. The same seed and scores give the
same points with the same versions of the packages, so a table of evaluations is enough to resume."""
from __future__ import annotations

import importlib
import math
import sys
import warnings
from types import ModuleType
from typing import Optional

import numpy as np

from .._errors import FileError

SIGMA = 0.3  # standard deviation at each start
LEAST = {"morris": 4, "saltelli": 32}  # trajectories or rows with all scores, without which nothing is estimated
_MODULES = {"cma-es": "cmaes", "lhs": "scipy.stats.qmc", "sobol": "scipy.stats.qmc", "saltelli": "scipy.stats.qmc"}


def package(name: str) -> ModuleType:
    """A module of a package that may be missing."""
    hidden = name == "cmaes" and "scipy" not in sys.modules
    try:
        if hidden:  # cmaes takes it, if it is there, for a variant that is not used here, and half a second
            sys.modules["scipy"] = None  # type: ignore[assignment]
        return importlib.import_module(name)
    except ImportError as error:
        of = name.split(".", maxsplit=1)[0]
        raise FileError(f"the Python package {of} cannot be imported ({error}): install it with \"apt-get install python3-{of}\" or "
                         f"\"pip install {of}\"") from None
    finally:
        if hidden:
            del sys.modules["scipy"]


def versions(design: str) -> dict[str, str]:
    """The packages on which the points of a design depend."""
    names = ["numpy", *(module.split(".")[0] for module in [_MODULES.get(design)] if module)]
    return {name: str(package(name).__version__) for name in names}


def group_size(design: str, unknowns: int) -> int:
    """Evaluations of a trajectory or a row; 0: the design has none."""
    return {"morris": unknowns + 1, "saltelli": unknowns + 2}.get(design, 0)


def points(design: str, unknowns: int, count: int, seed: int) -> np.ndarray:
    """The points of a design other than cma-es, count x unknowns."""
    if design == "morris":
        return _morris(unknowns, count // (unknowns + 1), np.random.default_rng(seed))
    qmc = package(_MODULES[design])
    if design == "lhs":
        found: np.ndarray = qmc.LatinHypercube(unknowns, seed=seed).random(count)
        return found
    if design == "sobol":
        return _sobol(qmc, unknowns, count, seed)
    rows = count // (unknowns + 2)
    a, b = np.split(_sobol(qmc, 2 * unknowns, rows, seed), 2, axis=1)
    changed = [np.where(np.arange(unknowns) == k, b, a) for k in range(unknowns)]
    return np.stack([a, b, *changed], axis=1).reshape(count, unknowns)


def _sobol(qmc: ModuleType, dimensions: int, count: int, seed: int) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of numbers that are no power of 2, which are allowed
        found: np.ndarray = qmc.Sobol(dimensions, seed=seed).random(count)
    return found


def _morris(unknowns: int, trajectories: int, random: np.random.Generator) -> np.ndarray:
    """Four levels; each unknown moves once, by two thirds of its range, in a random order."""
    before = random.integers(4, size=(trajectories, unknowns))
    after = (before + 2) % 4
    turn = random.permuted(np.tile(np.arange(unknowns), (trajectories, 1)), axis=1)
    step = np.arange(unknowns + 1)[:, None]
    moved = step > turn[:, None, :]
    return np.where(moved, after[:, None, :], before[:, None, :]).reshape(-1, unknowns) / 3


class Strategy:
    """The evolution strategy with covariance matrix adaptation; where scores no longer improve it starts again from a random
    mean with twice the population (Auger and Hansen 2005)."""

    def __init__(self, unknowns: int, population: int, seed: int) -> None:
        self._cma = package("cmaes").CMA
        self._unknowns, self._seed, self.population, self._starts = unknowns, seed, population, 0
        self._size = max(unknowns, 2)  # the package needs two: a second one without effect
        self._start()

    def _start(self) -> None:
        random = np.random.default_rng([self._seed, self._starts])
        mean = random.uniform(size=self._size) if self._starts > 0 else np.full(self._size, 0.5)
        bounds = np.array([[0.0, 1.0]] * self._size)
        self._optimiser = self._cma(mean, SIGMA, bounds=bounds, seed=int(random.integers(2 ** 32)), population_size=self.population)
        self._best: list[float] = []
        self._median: list[float] = []

    def ask(self) -> np.ndarray:
        """The points of a generation, population x unknowns."""
        self._points = [self._optimiser.ask() for _ in range(self.population)]
        return np.array(self._points)[:, :self._unknowns]

    def tell(self, scores: np.ndarray) -> Optional[str]:
        """Takes the scores of the points, 0 to 1, NaN as less than all others; why the start has ended, or None."""
        values = np.where(np.isnan(scores), 2.0, 1 - scores)
        self._optimiser.tell([(point, float(value)) for point, value in zip(self._points, values)])
        self._best.append(float(values.min()))
        self._median.append(float(np.median(values)))
        reason = self._why_it_ends(values)
        if reason is not None:
            self._starts += 1
            self.population *= 2
            self._start()
        return reason

    def _why_it_ends(self, values: np.ndarray) -> Optional[str]:
        last = self._best[-10 - math.ceil(30 * self._size / self.population):]
        if len(last) < len(self._best) and max(*last, *values) - min(last) <= 1e-12:
            return "equal scores"
        if self._stagnates():
            return "no better scores"
        return "converged" if self._optimiser.should_stop() else None

    def _stagnates(self) -> bool:
        """Over the last 120 + 30 n / population generations, or a fifth of all: Hansen 2016, section B.3."""
        count = len(self._best)
        span = int(min(max(120 + 30 * self._size / self.population, 0.2 * count), 20000))
        part = int(max(0.3 * span, 20))
        return count >= span and all(np.median(values[-part:]) >= np.median(values[-span:][:part])
                                     for values in (self._best, self._median))
