# SPDX-License-Identifier: Apache-2.0
"""A plain search: continues from the best of each generation of eight. In the folder of mapped.tif (docs/calibration.md)."""
import random

from scores import Scores

KEY = "model.critical_height_vent_m"
random.seed(1)
best, spread = 3.0, 1.5
with Scores("config/volcano.json", "--observed", "mapped.tif") as scores:
    for generation in range(6):
        sets = [best] + [max(0.1, random.gauss(best, spread)) for _ in range(7)]
        results = scores.of([{KEY: value, "run.max_steps": 300} for value in sets])
        k = max(range(len(sets)), key=lambda k: results[k]["jaccard"])
        best, spread = sets[k], 0.6 * spread
print(best, results[k]["jaccard"])
assert abs(best - 1.014) < 0.2
