# SPDX-License-Identifier: Apache-2.0
"""A search at work: it asks for evaluations, is told their scores, and writes what it finds to its folder. It is deterministic:
after the rows of its table have been told to it again, it asks for what comes next."""
from __future__ import annotations

import concurrent.futures
import math
import os
from typing import Any, Callable, Optional

import numpy as np

from .._errors import InputError
from .._process import logger
from . import designs, record, sensitivity, support
from .file import Asked, Calibration, Inputs, Score
from .files import make_folder, number_text, replace
from .table import SCORED, Table

BLOCK = 256              # points between two looks at what can still be accepted
LEAST_OF_ALL = 1e-300    # above 0, and no score is below: with it nothing is stopped, but fronts rest
_background = concurrent.futures.ThreadPoolExecutor(1)  # SciPy takes a second, in which the library opens grounds and GPUs
CURE = "begin another calibration in a new folder; this one keeps its table and results"


class Search:
    """A search and its folder. best: row of the best set; failed: rows without a score; earlier: rows of earlier processes"""

    def __init__(self, calibration: Calibration, asked: Asked, folder: str) -> None:
        self.calibration, self.asked, self.folder = calibration, asked, folder
        keys = [unknown.key for unknown in asked.unknowns]
        self.table = Table(os.path.join(folder, "evaluations.csv"), keys, len(calibration.pairs), asked.budget)
        self.libraries = designs.versions(calibration.design)
        self.restarts: list[dict[str, Any]] = []
        self.best: Optional[int] = None
        self.failed = self.earlier = 0
        self.effects: Optional[sensitivity.Effects] = None
        self.has_maps = False
        self._inputs: Optional[Inputs] = None
        self._old: dict[str, Any] = {}
        self._strategy: Optional[designs.Strategy] = None
        if calibration.design == "cma-es":
            self._strategy = designs.Strategy(len(keys), asked.population, calibration.seed)
        else:
            self._points = _background.submit(designs.points, calibration.design, len(keys), asked.budget, calibration.seed)

    @property
    def is_whole(self) -> bool:
        """Whether all its evaluations are finished."""
        return self.table.count == self.asked.budget

    @property
    def score(self) -> float:
        """The best one; NaN: there is none."""
        return math.nan if self.best is None else float(self.table.score[self.best])

    def _count(self, row: int) -> None:
        self.failed += bool(np.isnan(self.table.score[row]))
        if self.table.status[row] in SCORED and not self.table.score[row] <= self.score:
            self.best = row

    # --------------------------------------------------------------------------------------------------------- folder

    def open(self, inputs: Inputs, is_new: bool, others: Callable[[], None]) -> None:
        """The folder with its record and its table, whose lock it has before anything is written. others() writes what comes first."""
        self._inputs = inputs
        if not self._strategy:
            self._points.result()  # an error comes before anything is written
        if is_new:
            make_folder(self.folder)
        else:
            self._old = record.check(self.calibration, self.folder)
            record.check_inputs(self.folder, self._old, inputs)
            if not self.asked.name:
                record.warn_of_versions(self.folder, self._old)
        self.table.open()
        if is_new:
            if not record.is_new(self.folder) or self.table.count > 0:
                raise InputError(f"{self.folder}: expected a new or empty folder, or --resume; found one with evaluations")
            others()
            self.write_record("running")
        self.earlier = self.table.count
        for row in range(self.earlier):
            self._count(row)

    def write_record(self, status: str) -> None:
        """calibration.json."""
        assert self._inputs is not None
        count = self.table.count
        statuses = self.table.status[:count]
        record.write(self.folder, {
            **record.begin(self.calibration, status, self.asked.name), "libraries": self.libraries, **self._inputs.hashes,
            "evaluations": count, "without_score": self.failed, "stopped": int((statuses == "stopped").sum()),
            "rested": int((statuses == "rested").sum()), "restarts": self.restarts, "best": self.best_record()})

    def best_record(self) -> Optional[dict[str, Any]]:
        """The best set in a record."""
        if self.best is None:
            return None
        row, table = self.best, self.table
        values = {unknown.key: float(value) for unknown, value in zip(self.asked.unknowns, table.values[row])}
        pairs = [{"observed": pair["observed"], "jaccard": float(j), "hold_out": pair["hold_out"]}
                 for pair, j in zip(self.calibration.pairs, table.jaccard[row])]
        return {"number": row + 1, "score": self.score, "values": values, "pairs": pairs}

    # ---------------------------------------------------------------------------------------------------- evaluations

    def run(self, go_on: Callable[[], bool]) -> None:
        """Has the evaluations made, in generations or blocks of points; fewer are there than the budget when go_on() is False."""
        budget, early = self.asked.budget, self.calibration.early_stop
        first = before = 0  # rows of the generation before, of the same start
        while first < budget:
            whole = self._strategy.population if self._strategy else BLOCK if early else budget
            count = min(whole, budget - first)
            points = self._strategy.ask()[:count] if self._strategy else self._points.result()[first:first + count]
            least = self._least(first, before) if early else 0.0
            self._compute(first, points, least, go_on)
            if self.table.count < first + count:
                return
            reason = self._strategy.tell(self.table.score[first:first + count]) if self._strategy and count == whole else None
            if reason:
                self.restarts.append({"evaluations": first + count, "reason": reason})
            before = 0 if reason else count
            first += count

    def _least(self, first: int, before: int) -> float:
        """What a row of the next generation needs to matter: of a search as much as the last parent of the `before` rows of the
        generation before; of points what is accepted with the best of those before. No row of it takes part, so the order in
        which they end does not matter."""
        scores = np.nan_to_num(self.table.score[:first])
        if self._strategy:
            parent = np.sort(scores[first - before:])[::-1][before // 2 - 1] if before > 1 else 0.0
            return max(float(parent), LEAST_OF_ALL)
        scored = scores[self.table.status[:first] != "stopped"]
        return max(support.ACCEPTED * float(scored.max(initial=0.0)), LEAST_OF_ALL)

    def _compute(self, first: int, points: np.ndarray, least: float, go_on: Callable[[], bool]) -> None:
        """Computes the rows from `first` on; those of earlier processes must be what the search asks for."""
        values = self.calibration.values(self.asked, points)
        there = min(max(self.earlier - first, 0), len(values))
        self._check_rows(first, values[:there])
        self.table.values[first + there:first + len(values)] = values[there:]
        if there == len(values):
            return
        self.calibration.compute(values[there:], first + there, self._take, go_on, least=least,
                                 last=first + len(values) == self.asked.budget)
        self.table.sync()

    def _check_rows(self, first: int, values: np.ndarray) -> None:
        other = self.table.values[first:first + len(values)] != values
        if not other.any():
            return
        row, k = (int(at) for at in np.argwhere(other)[0])
        there, here = (_shown(versions) for versions in (self._old.get("libraries", {}), self.libraries))
        with_ = f"with {there} where this one has {here}" if there else "which had a search of its own"
        raise InputError(f"{self.table.path}: evaluation {first + row + 1}: {self.asked.unknowns[k].key}: expected "
                         f"{number_text(values[row, k])}, which the search gives; found {number_text(self.table.values[first + row, k])} "
                         f"of sciara {self._old.get('program')}, {with_}: {CURE}")

    def _take(self, score: Score) -> None:
        if score.error is not None and self.failed == 0:  # the first alone: there may be many
            group = designs.group_size(self.calibration.design, len(self.asked.unknowns))
            logger.warning("%s; it %s", score.error, "has no score" if group else "counts as the worst")
        self.table.add(score, self._score_of(score))
        self._count(self.table.count - 1)

    def _score_of(self, score: Score) -> float:
        """What is maximised; of a stopped run a bound, for a factor is at most 1."""
        power = self.calibration.runout_penalty
        if power == 0 or not score.pairs:
            return score.jaccard
        total = weights = 0.0
        for pair, j, ratio in zip(self.calibration.pairs, score.pairs, score.runout):
            if not pair["hold_out"]:
                factor = 1.0 if math.isnan(ratio) else min(ratio, 1 / ratio if ratio > 0 else math.inf) ** power
                total += pair["weight"] * j * factor
                weights += pair["weight"]
        return total / weights

    # -------------------------------------------------------------------------------------------------------- results

    def make_maps(self, go_on: Callable[[], bool]) -> None:
        """Computes the best set again, for its maps."""
        if self.is_whole and self.best is not None:
            found: list[Score] = []
            self.calibration.compute(self.table.values[self.best:self.best + 1], self.best, found.append, go_on, last=True, keep=True)
            self.has_maps = bool(found) and found[0].error is None

    def accepted(self) -> np.ndarray:
        """Of each row, whether its set is accepted: of a design that fills the bounds, at least a part of the best score."""
        table, count = self.table, self.table.count
        even = self.calibration.design in ("lhs", "sobol")
        scores = np.where(table.status[:count] == "stopped", 0, np.nan_to_num(table.score[:count]))
        return (scores > 0) & (scores >= support.ACCEPTED * np.nan_to_num(self.score)) & even

    def write_results(self) -> None:
        """best.json, and of a whole design accepted.csv or sensitivity.csv."""
        if self.best is None:
            return
        values = self.table.values
        self.calibration.write_best(self.asked, values[self.best], self.folder)
        if not self.is_whole or self._strategy:
            return
        if designs.group_size(self.calibration.design, values.shape[1]):
            self._write_effects()
            return
        accepted = self.accepted()
        if accepted.any():
            self.calibration.write_accepted(self.asked, np.flatnonzero(accepted), values[accepted], self.folder)
            logger.info("%s", support.sentence(self.folder, self.asked.unknowns, values, accepted))
        else:
            logger.warning("%s: not written, for no set covers any of what was observed", os.path.join(self.folder, "accepted.csv"))

    def _write_effects(self) -> None:
        path = os.path.join(self.folder, "sensitivity.csv")
        self.effects = found = sensitivity.effects(self.calibration.design, self._points.result(), self.table.score, self.calibration.seed)
        lines = [["unknown", found.groups, *found.names]]
        for unknown, values in zip(self.asked.unknowns, found.values):
            lines.append([unknown.key, str(found.used), *map(number_text, values)])
        replace(path, "".join(",".join(line) + "\n" for line in lines))
        if found.used < found.of:
            logger.warning("%s: %d of %d %s are left out, for an evaluation of each has no score", path, found.of - found.used, found.of,
                           found.groups)
        if found.used < found.least:
            logger.warning("%s: no values, for which %d %s with all scores are needed; %d are there", path, found.least, found.groups,
                           found.used)


def _shown(versions: Any) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items()) if isinstance(versions, dict) else ""
