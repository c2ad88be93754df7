# SPDX-License-Identifier: Apache-2.0
"""What the scores of a design of sensitivity say of each unknown: elementary effects (Morris 1991, Campolongo et al. 2007), and
parts of the variance (Saltelli et al. 2010, Jansen 1999) with bootstrap intervals."""
from __future__ import annotations

import dataclasses

import numpy as np

from .designs import LEAST, group_size

RESAMPLES = 1000


@dataclasses.dataclass(frozen=True)
class Effects:
    """values: unknowns x names, NaN where there is none. groups: what was estimated from `used` of `of`, which are `least` at least"""
    groups: str
    used: int
    of: int
    least: int
    names: tuple[str, ...]
    values: np.ndarray


def effects(design: str, points: np.ndarray, scores: np.ndarray, seed: int) -> Effects:
    """The effects of a whole design; trajectories or rows without all scores are left out."""
    unknowns = points.shape[1]
    size = group_size(design, unknowns)
    points, scores = points.reshape(-1, size, unknowns), scores.reshape(-1, size)
    whole = ~np.isnan(scores).any(axis=1)
    used, enough = int(whole.sum()), whole.sum() >= LEAST[design]
    if design == "morris":
        names: tuple[str, ...] = ("mu", "mu_star", "sigma")
        values = _morris(points[whole], scores[whole]) if enough else np.full((unknowns, 3), np.nan)
        return Effects("trajectories", used, len(scores), LEAST[design], names, values)
    names = ("first_order", "first_order_low", "first_order_high", "total", "total_low", "total_high")
    values = _saltelli(scores[whole], seed) if enough else np.full((unknowns, 6), np.nan)
    return Effects("rows", used, len(scores), LEAST[design], names, values)


def _morris(points: np.ndarray, scores: np.ndarray) -> np.ndarray:
    steps, changes = np.diff(points, axis=1), np.diff(scores, axis=1)
    moved = steps != 0  # one unknown in each step, each in one
    effect = np.where(moved, changes[:, :, None] / np.where(moved, steps, 1), 0).sum(axis=1)
    return np.column_stack([effect.mean(axis=0), np.abs(effect).mean(axis=0), effect.std(axis=0, ddof=1)])


def _indices(scores: np.ndarray) -> np.ndarray:
    """First order and total: 2 x unknowns. Columns of scores: A, B, then A with one unknown of B each."""
    a, b, changed = scores[:, 0], scores[:, 1], scores[:, 2:]
    both = scores[:, :2]
    if both.min() == both.max():
        return np.full((2, changed.shape[1]), np.nan)
    change = changed - a[:, None]
    first = ((b - both.mean())[:, None] * change).mean(axis=0)
    return np.stack([first, (change ** 2).mean(axis=0) / 2]) / both.var()


def _saltelli(scores: np.ndarray, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    again = np.array([_indices(scores[random.integers(len(scores), size=len(scores))]) for _ in range(RESAMPLES)])
    low, high = np.percentile(again, [2.5, 97.5], axis=0)
    return np.stack([_indices(scores), low, high], axis=1).reshape(6, -1).T
