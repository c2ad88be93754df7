#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The time of a step on P ranks, T = C n + T_launch + votes T_vote + T_halo, fitted on P = 1 and 2 and two sizes and judged on all other
measurements (docs/scaling.md).

usage: model.py MEASURED.csv [EXCHANGE.txt] [--fit SIZE,SIZE] [--predict RANKS,RANKS...]

MEASURED.csv  what sciara_band_steps printed, one after the other; several files may be joined
EXCHANGE.txt  what `sciara bench --suite comm` printed; without it votes and halos take no time"""
import argparse
import csv
import math
import statistics
import sys


def read_measured(path):
    with open(path, encoding="utf-8", newline="") as f:
        lines = [line for line in f if line.strip()]
    rows = [row for row in csv.DictReader(lines) if row["scene"] != "scene"]
    for row in rows:
        for name in ("size", "ranks", "cols", "cells", "steps"):
            row[name] = int(row[name])
        row["us"] = float(row["us_least"])
    return rows


def check_bits(rows):
    """The state does not depend on the number of ranks."""
    seen = {}
    for row in rows:
        key = tuple(row[k] for k in ("scene", "size", "rule", "steps"))
        if seen.setdefault(key, row["checksum"]) != row["checksum"]:
            sys.exit(f"{key}: checksum {row['checksum']} on {row['ranks']} ranks, elsewhere {seen[key]}")


def read_exchange(path):
    """(us of a vote, [(bytes, us)] of a halo)."""
    if not path:
        return 0.0, [(1, 0.0)]
    with open(path, encoding="utf-8") as f:
        rows = [line.split() for line in f if line.startswith("  ")]
    vote = next(float(row[2]) for row in rows if row[0] == "vote")
    return vote, sorted((int(row[1]), float(row[2])) for row in rows if row[0] == "halo")


def interpolate(halo, size):
    """Linear between the sizes that were measured; below the first one that of the first."""
    if size <= halo[0][0] or len(halo) == 1:
        return halo[0][1]
    for (a, t), (b, u) in zip(halo, halo[1:]):
        if size <= b or (b, u) == halo[-1]:
            return t + (u - t) * (size - a) / (b - a)


class Model:
    def __init__(self, vote, halo):
        self.vote, self.halo = vote, halo
        self.cost, self.launch = {}, 0.0  # ns of a cell by (scene, rule, engine); us of a step

    def exchange(self, ranks, cols):
        """us of a step: two rows of five doubles each way, and a vote in log2(P) rounds, measured with two ranks."""
        return 0.0 if ranks == 1 else self.vote * math.ceil(math.log2(ranks)) + interpolate(self.halo, 2 * 5 * 8 * cols)

    def predict(self, kind, cells, ranks, cols):
        return 1e-3 * self.cost[kind] * cells / ranks + self.launch + self.exchange(ranks, cols)

    def fit(self, rows):
        """Least squares of relative errors: a cost for each kind, one launch for all."""
        kinds = sorted({kind_of(row) for row in rows})
        size = len(kinds) + 1
        a = [[0.0] * (size + 1) for _ in range(size)]
        for row in rows:
            terms = [1e-3 * row["cells"] / row["ranks"] if kind == kind_of(row) else 0.0 for kind in kinds] + [1.0]
            rest, weight = row["us"] - self.exchange(row["ranks"], row["cols"]), row["us"] ** -2
            for i in range(size):
                for j in range(size):
                    a[i][j] += weight * terms[i] * terms[j]
                a[i][size] += weight * terms[i] * rest
        solution = solve(a)
        self.cost.update(zip(kinds, solution))
        self.launch = solution[-1]

    def add_kind(self, row):
        """The cost of another kind from its smallest measurement on one rank."""
        self.cost[kind_of(row)] = 1e3 * (row["us"] - self.launch) / row["cells"]


def solve(a):
    """Gauss with pivots; a has the right side in its last column."""
    n = len(a)
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[p] = a[p], a[k]
        if a[k][k] == 0:
            sys.exit("the measurements do not determine the model: two sizes on one rank are needed")
        for i in range(n):
            if i != k:
                factor = a[i][k] / a[k][k]
                a[i] = [x - factor * y for x, y in zip(a[i], a[k])]
    return [a[k][n] / a[k][k] for k in range(n)]


def kind_of(row):
    return row["scene"], row["rule"], row["engine"]


def break_even(model, kind, ranks, cols):
    """Liquid cells from which on `ranks` are faster than one."""
    return model.exchange(ranks, cols) / (1e-3 * model.cost[kind] * (1 - 1 / ranks))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured")
    parser.add_argument("exchange", nargs="?")
    parser.add_argument("--fit", default="", help="the two sizes, default the smallest and the largest of the first kind")
    parser.add_argument("--predict", default="4,8,64")
    options = parser.parse_args()
    rows = read_measured(options.measured)
    check_bits(rows)
    model, first = Model(*read_exchange(options.exchange)), kind_of(rows[0])
    sizes = sorted({row["size"] for row in rows if kind_of(row) == first})
    chosen = {int(s) for s in options.fit.split(",")} if options.fit else {sizes[0], sizes[-1]}
    fitted = [row for row in rows if kind_of(row) == first and row["ranks"] <= 2 and row["size"] in chosen]
    model.fit(fitted)
    held_out = [row for row in rows if row not in fitted]
    for kind in sorted({kind_of(row) for row in held_out} - {first}):
        alone = min((row for row in held_out if kind_of(row) == kind and row["ranks"] == 1), key=lambda row: row["size"])
        model.add_kind(alone)
        held_out.remove(alone)
    print(f"launch {model.launch:.3g} us, vote {model.vote:.3g} us; " +
          ", ".join(f"{'/'.join(kind)} {ns:.3g} ns/cell" for kind, ns in model.cost.items()))
    errors = []
    print(f"{'case':40} {'ranks':>5} {'measured us':>12} {'model us':>12} {'error %':>8}")
    for row in fitted + held_out:
        expected = model.predict(kind_of(row), row["cells"], row["ranks"], row["cols"])
        error = 100 * (expected / row["us"] - 1)
        if row in held_out:
            errors.append(abs(error))
        mark = "" if row in held_out else " fitted"
        print(f"{'/'.join(kind_of(row))} {row['size']}{mark:20}"[:40].ljust(40),
              f"{row['ranks']:5} {row['us']:12.5g} {expected:12.5g} {error:8.2f}")
    if errors:
        print(f"held out: {len(errors)} cases, median error {statistics.median(errors):.2f} %, largest {max(errors):.2f} %")
    largest = max((row for row in rows if kind_of(row) == first), key=lambda row: row["size"])
    for ranks in map(int, options.predict.split(",")):
        strong = model.predict(first, largest["cells"], 1, largest["cols"]) / model.predict(first, largest["cells"], ranks,
                                                                                          largest["cols"])
        weak = model.predict(first, largest["cells"], 1, largest["cols"]) / model.predict(first, ranks * largest["cells"],
                                                                                        ranks, largest["cols"])
        print(f"predicted, {ranks} ranks: strong {strong:.2f} times, weak {weak:.3f}; "
              f"break-even {break_even(model, first, ranks, largest['cols']):.0f} liquid cells")


if __name__ == "__main__":
    main()
