# SPDX-License-Identifier: Apache-2.0
"""Observed extents on the grid of case.write_dem, and distances between cells."""
import case
import numpy


def greatest_distance(a, b):
    """The distance of a cell of a from the nearest cell of b, by trying all pairs, m."""
    a, b = numpy.argwhere(a).astype(float), numpy.argwhere(b).astype(float)
    return case.CELL * numpy.sqrt(((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2)).min(axis=1).max()


def expected_scores(run, observed, vent):
    """What validation.md defines, of two masks and the cell of a vent."""
    mark = numpy.zeros_like(run)
    mark[vent] = True
    hits, misses, excess = (run & observed).sum(), (~run & observed).sum(), (run & ~observed).sum()
    j, out = hits / (hits + misses + excess), [greatest_distance(mask, mark) for mask in (run, observed)]
    return {"jaccard": j, "e1": numpy.sqrt(j), "tpr": hits / (hits + misses), "ppv": hits / (hits + excess), "f1": 2 * hits / (2 * hits + misses + excess),
            "area_ratio": (hits + excess) / (hits + misses), "run_out_m": out[0], "observed_run_out_m": out[1], "run_out_ratio": out[0] / out[1],
            "hausdorff_m": max(greatest_distance(run, observed), greatest_distance(observed, run))}
