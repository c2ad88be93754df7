# SPDX-License-Identifier: Apache-2.0
"""differential_evolution of SciPy (1.9 or later) hands over whole generations. In the folder of mapped.tif (docs/calibration.md)."""
import numpy
from scipy.optimize import differential_evolution

from scores import Scores

KEYS = ["model.critical_height_vent_m", "model.dissipation_vent"]

with Scores("config/volcano.json", "--observed", "mapped.tif") as scores:
    def cost(x):  # (keys, sets) to be minimised; an invalid or failed set costs as much as no overlap
        sets = [{**dict(zip(KEYS, column)), "run.max_steps": 300} for column in numpy.atleast_2d(x.T)]
        return numpy.array([1 - (result["jaccard"] or 0) for result in scores.of(sets)])

    found = differential_evolution(cost, [(0.3, 3), (0.1, 0.6)], seed=1, popsize=6, maxiter=6, polish=False,
                                   vectorized=True, updating="deferred")
print(dict(zip(KEYS, found.x)), 1 - found.fun)
assert found.fun < 0.06 and abs(found.x[0] - 1.014) < 0.2
