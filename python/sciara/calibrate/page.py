# SPDX-License-Identifier: Apache-2.0
"""What the page says of a search, as JSON (docs/page.md); the library adds the maps."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import support

if TYPE_CHECKING:
    from .search import Search

MOST_DRAWN = 2000  # rows


def _number(value: float) -> Optional[float]:
    return float(value) if math.isfinite(value) else None


def _numbers(values: Any) -> list[Optional[float]]:
    return [_number(value) for value in values]


def describe(search: Search) -> dict[str, Any]:
    """What is said of a search that has a best set."""
    asked, table, best = search.asked, search.table, search.best
    assert best is not None
    accepted = search.accepted()
    found, together = support.supports(asked.unknowns, table.values[:table.count], accepted)
    drawn = np.arange(min(table.count, MOST_DRAWN)) * table.count // min(table.count, MOST_DRAWN)
    stopped = table.status == "stopped"
    said: dict[str, Any] = {"name": asked.name} if asked.name else {}
    said.update({
        "rule": asked.rule, "design": search.calibration.design, "evaluations": table.count, "budget": asked.budget,
        "without_score": search.failed, "stopped": int(stopped.sum()), "best": best + 1, "score": table.score[best],
        "accepted": int(accepted.sum()), "accepted_part": support.ACCEPTED, "accepted_least": support.LEAST,
        "together": support.TOGETHER})
    if search.effects:
        said.update({"effects": list(search.effects.names), "effects_used": search.effects.used, "effects_of": search.effects.of})
    said["pairs"] = [{**pair, "jaccard": _number(j)} for pair, j in zip(search.calibration.pairs, table.jaccard[best])]
    said["progress"] = _progress(table.score[:table.count], stopped[:table.count])
    said["restarts"] = [restart["evaluations"] for restart in search.restarts]
    said["unknowns"] = []
    for k, unknown in enumerate(asked.unknowns):
        one = found[k] if found else support.Support(*[math.nan] * 4)
        said["unknowns"].append({
            "correlation": _numbers(together[k]), "key": unknown.key, **({} if unknown.disc is None else {"disc": unknown.disc}),
            "min": unknown.low, "max": unknown.high, "log": unknown.log, "best": table.values[best, k],
            **{name: _number(getattr(one, name)) for name in ("median", "low", "high", "spread")},
            **({"effects": _numbers(search.effects.values[k])} if search.effects else {}),
            **({"identifiable": support.SHORT[one.word]} if found else {}), "values": _numbers(table.values[drawn, k])})
    said["scores"] = _numbers(np.where(stopped, np.nan, table.score)[drawn])
    said["numbers"] = [int(row) + 1 for row in drawn]
    said["bounds"] = _numbers(np.where(stopped, table.score, np.nan)[drawn])
    return said


def _progress(scores: np.ndarray, stopped: np.ndarray) -> list[list[float]]:
    """The evaluations at which the score became better: [number, score]."""
    best, found = -math.inf, []
    for row, score in enumerate(scores):
        if not stopped[row] and score > best:
            best = float(score)
            found.append([row + 1, best])
    return found
