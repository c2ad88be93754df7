# SPDX-License-Identifier: Apache-2.0
"""What the accepted sets of a design that fills the bounds say of the unknowns: how wide they lie, and which go together."""
from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from .file import Unknown

ACCEPTED = 0.9  # sets of at least this part of the best score are accepted
LEAST = 10      # accepted sets without which nothing is estimated
TOGETHER = 0.7  # from this correlation on neither of two unknowns is identifiable without the other
WORDS = ("identifiable", "weakly identifiable", "not identifiable")
SHORT = dict(zip(WORDS, ("yes", "weakly", "no")))


@dataclasses.dataclass(frozen=True)
class Support:
    """An unknown in the accepted sets. spread: standard deviation of its coordinate, divided by that of all points"""
    median: float
    low: float
    high: float
    spread: float

    @property
    def word(self) -> str:
        """Whether the observed extents determine it."""
        return WORDS[0] if self.spread < 0.5 else WORDS[1] if self.spread < 0.9 else WORDS[2]


def supports(unknowns: Sequence[Unknown], values: np.ndarray, accepted: np.ndarray) -> tuple[list[Support], np.ndarray]:
    """Of each unknown, and correlations. values: rows x unknowns. No supports with fewer than LEAST accepted rows."""
    count = len(unknowns)
    if accepted.sum() < LEAST:
        return [], np.full((count, count), np.nan)
    found, places = [], []
    for unknown, column in zip(unknowns, values.T):
        place = unknown.coordinate(column)
        filled = place.std(ddof=1) if unknown.of_prior or unknown.disc is not None else np.sqrt(1 / 12)
        places.append(place[accepted])
        low, median, high = (unknown.value(float(x)) for x in np.percentile(places[-1], [5, 50, 95]))
        found.append(Support(median, low, high, float(places[-1].std(ddof=1) / filled)))
    with np.errstate(invalid="ignore", divide="ignore"):  # of an unknown with one value
        return found, np.corrcoef(places).reshape(count, count)


def sentence(folder: str, unknowns: Sequence[Unknown], values: np.ndarray, accepted: np.ndarray) -> str:
    """Which unknowns are identifiable, and which are not."""
    count = int(accepted.sum())
    if count < LEAST:
        return f"{folder}: {count} accepted {'set' if count == 1 else 'sets'}; which unknowns are identifiable is said from {LEAST} on"
    found, together = supports(unknowns, values, accepted)
    parts = [f"{folder}: {count} accepted sets"]
    for word in WORDS:
        keys = [unknown.key for unknown, one in zip(unknowns, found) if one.word == word]
        if keys:
            parts.append(f"{word}: {', '.join(keys)}")
    for a, first in enumerate(unknowns):
        for b in range(a + 1, len(unknowns)):
            if abs(together[a, b]) >= TOGETHER:
                parts.append(f"neither of {first.key} and {unknowns[b].key} without the other (correlation {together[a, b]:.2f})")
    return "; ".join(parts)
