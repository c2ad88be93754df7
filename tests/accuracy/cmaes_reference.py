#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The optimiser needs as many values as python3-cmaes on the same functions from the same start: medians over 25 seeds (of
Rastrigin's function, which takes restarts, means) are less than 1.2 times the reference's. cmaes_reference.py CMAES_RACE"""
import statistics
import subprocess
import sys

import numpy as np
from cmaes import CMA

SEEDS, GOAL = 25, 1e-8
FUNCTIONS = {  # of points in [-5, 5]^n; the smallest value is 0, at (1, ..., 1)
    "sphere": lambda x: ((x - 1) ** 2).sum(),
    "ellipsoid": lambda x: (1e6 ** (np.arange(len(x)) / (len(x) - 1)) * (x - 1) ** 2).sum(),
    "rosenbrock": lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(),
    "rastrigin": lambda x: (10 + (x - 1) ** 2 - 10 * np.cos(2 * np.pi * (x - 1))).sum(),
}
CASES = [("sphere", 5, statistics.median), ("ellipsoid", 5, statistics.median), ("rosenbrock", 5, statistics.median),
         ("rastrigin", 3, statistics.mean)]
MOST = 100000


def reference(function, n, seed):
    """Values that python3-cmaes needs, with restarts from a random mean with twice the population."""
    random, bounds = np.random.RandomState(seed), np.array([[0, 1]] * n)
    start = {"sigma": 0.2, "bounds": bounds}
    optimiser, values, restarts = CMA(mean=np.full(n, 0.3), seed=seed, **start), 0, 0
    while values < MOST:
        told = []
        for _ in range(optimiser.population_size):
            x = optimiser.ask()
            told.append((x, FUNCTIONS[function](10 * x - 5)))
            values += 1
            if told[-1][1] < GOAL:
                return values
        optimiser.tell(told)
        if optimiser.should_stop():
            restarts += 1
            optimiser = CMA(mean=random.uniform(0, 1, n), seed=1000 * restarts + seed,
                            population_size=2 * optimiser.population_size, **start)
    raise AssertionError(f"{function}, {n}: the reference does not reach the goal")


def main(race):
    failed = False
    for function, n, average in CASES:
        lines = subprocess.run([race, function, str(n), str(SEEDS), str(MOST)], check=True, stdout=subprocess.PIPE,
                               encoding="utf-8").stdout.split("\n")[:-1]
        ours = [int(line.split()[0]) for line in lines if line.endswith(" 1")]
        theirs = [reference(function, n, seed) for seed in range(1, SEEDS + 1)]
        ratio = average(ours) / average(theirs) if len(ours) == SEEDS else float("inf")
        print(f"{function}, {n} dimensions: {average.__name__} of {len(ours)} seeds {average(ours):.0f}, of python3-cmaes "
              f"{average(theirs):.0f}, ratio {ratio:.2f}")
        failed |= not ratio < 1.2
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
