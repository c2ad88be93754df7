#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The time of a step on P ranks (GPUs, or processes), T = C n / P + T_launch + T_exchange, fitted on P = 1 and 2 and two sizes of the
first scene and judged on all other measurements (README.md).

usage: model.py MEASURED.csv [EXCHANGE.txt] [--fit SIZE,SIZE] [--least] [--newer ONE_RANK.csv] [--predict RANKS,...]
                [--per-host N] [--network US,GB/S]

MEASURED.csv  what sciara_bands_bench or sciara_band_steps printed, one after the other; several files may be joined
EXCHANGE.txt  what `sciara bench --suite comm` printed: the exchange `mpi`, measured alone. Every other exchange is fitted: a latency
              and a time for each byte of the rows
ONE_RANK.csv  times on one rank by newer kernels: each of its kinds is predicted with their cost and launch, and the exchanges of MEASURED"""
import argparse
import csv
import math
import statistics
import sys

HALO_BYTES = 2 * 5 * 8  # of a column: two rows of five doubles
COLUMNS = ("scene", "size", "rule", "engine", "ranks", "cols", "cells", "steps", "us_median", "us_least", "checksum")
ONE_GPU = {"cuda-bands": "cuda-fused"}  # the engine whose kernels it runs


def read_measured(path):
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(line for line in f if line.strip()))
    rows = [row for row in rows if row["scene"] != "scene"]
    if not rows or not set(COLUMNS) <= set(rows[0]):
        sys.exit(f"{path}: expected rows with the columns {', '.join(COLUMNS)}")
    for row in rows:
        for name in ("size", "ranks", "cols", "steps"):
            row[name] = int(row[name])
        for name in ("cells", "us_median", "us_least"):
            row[name] = float(row[name])
        name = row["engine"].split(":")[0]
        row["engine"] = ONE_GPU.get(name, name)
        row["precision"] = row.get("precision") or "double"
        row["exchange"] = "alone" if row["ranks"] == 1 else row.get("exchange") or "mpi"
    return rows


def check_bits(rows):
    """The state does not depend on the number of ranks."""
    seen = {}
    for row in rows:
        key = tuple(row[k] for k in ("scene", "size", "rule", "precision")) + (row.get("step") or row["steps"],)
        if row["checksum"] != "-" and seen.setdefault(key, row["checksum"]) != row["checksum"]:
            sys.exit(f"{key}: checksum {row['checksum']} on {row['ranks']} ranks, elsewhere {seen[key]}")


class Alone:
    """The exchange of MPI as the program measured it: a vote in log2(P) rounds, and rows of some sizes."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            rows = [line.split() for line in f if line.startswith("  ")]
        self.vote = next(float(row[2]) for row in rows if row[0] == "vote")
        self.halo = sorted((int(row[1]), float(row[2])) for row in rows if row[0] == "halo")

    def us(self, ranks, size):
        return self.vote * math.ceil(math.log2(ranks)) + self.interpolate(size)

    def interpolate(self, size):
        """Linear between the sizes that were measured; below the first one that of the first."""
        if size <= self.halo[0][0]:
            return self.halo[0][1]
        for (a, t), (b, u) in zip(self.halo, self.halo[1:]):
            if size <= b or b == self.halo[-1][0]:
                return t + (u - t) * (size - a) / (b - a)

    def __str__(self):
        return f"vote {self.vote:.3g} us, rows of {self.halo[0][0]} bytes {self.halo[0][1]:.3g} us"


class Fitted:
    """Through peer memory and the host each band tells all others at once; NCCL needs log2(P) rounds."""

    def __init__(self, name, latency, byte):
        self.grows, self.latency, self.byte = name not in ("peer", "host"), latency, byte

    def us(self, ranks, size):
        return self.latency * (math.ceil(math.log2(ranks)) if self.grows else 1) + self.byte * size

    def __str__(self):
        return f"{self.latency:.3g} us" + (f" and {1e-3 / self.byte:.3g} GB/s" if self.byte > 0 else "")


class Model:
    def __init__(self, alone):
        self.exchanges = {"mpi": alone} if alone else {}
        self.cost, self.launch = {}, {}  # ns of a cell, us of a step, by kind

    def exchange(self, name, ranks, size):
        return 0.0 if ranks == 1 else self.exchanges[name].us(ranks, size)

    def predict(self, kind, cells, ranks, exchange, size):
        return 1e-3 * self.cost[kind] * cells / ranks + self.launch[kind] + self.exchange(exchange, ranks, size)

    def fit(self, kind, rows):
        """Cost, launch and the exchanges that were not measured alone."""
        fitted = sorted({row["exchange"] for row in rows} - {"alone"} - set(self.exchanges))
        equations = []
        for row in rows:
            terms, rest = {"cost": 1e-3 * row["cells"] / row["ranks"], "launch": 1.0}, row["us"]
            if row["exchange"] in fitted:
                terms[row["exchange"], "latency"], terms[row["exchange"], "byte"] = 1.0, halo_of(row)
            else:
                rest -= self.exchange(row["exchange"], row["ranks"], halo_of(row))
            equations.append((terms, rest, row["us"] ** -2))
        names = ["cost", "launch"]
        for name in fitted:
            sizes = {row["cols"] for row in rows if row["exchange"] == name}
            names += [(name, "latency")] + ([(name, "byte")] if len(sizes) > 1 else [])
        found = least_squares(names, equations)
        self.cost[kind], self.launch[kind] = found["cost"], found.get("launch", 0.0)
        for name in fitted:
            self.exchanges[name] = Fitted(name, found.get((name, "latency"), 0.0), found.get((name, "byte"), 0.0))

    def add_kind(self, kind, first, rows):
        """Another scene, rule or precision: cost and launch from two sizes on one rank; from one size the cost alone."""
        cells = [row["cells"] for row in rows]
        if len(rows) == 1:
            self.launch[kind] = self.launch[first]
            self.cost[kind] = 1e3 * (rows[0]["us"] - self.launch[first]) / cells[0]
            return
        found = least_squares(["cost", "launch"], [({"cost": 1e-3 * row["cells"], "launch": 1.0}, row["us"], row["us"] ** -2)
                                                   for row in rows])
        self.cost[kind], self.launch[kind] = found["cost"], found.get("launch", 0.0)


def least_squares(names, equations):
    """Of relative errors. No time is below 0: the most negative one is left out until there is none, the cost never."""
    names = list(names)
    while True:
        a = [[0.0] * (len(names) + 1) for _ in names]
        for terms, rest, weight in equations:
            for i, one in enumerate(names):
                for j, other in enumerate(names):
                    a[i][j] += weight * terms.get(one, 0.0) * terms.get(other, 0.0)
                a[i][-1] += weight * terms.get(one, 0.0) * rest
        found = dict(zip(names, solve(a)))
        if min(found.values()) >= 0:
            return found
        if len(names) == 1:
            sys.exit("the measurements do not determine the model: no time was measured")
        names.remove(min(names[1:], key=lambda name: found[name] * max(terms.get(name, 0.0) for terms, _, _ in equations)))


def solve(a):
    """Gauss with pivots; a has the right side in its last column."""
    n = len(a)
    scale = [max(abs(a[k][k]), 1e-300) ** 0.5 for k in range(n)]
    a = [[x / scale[i] / (scale[j] if j < n else 1) for j, x in enumerate(row)] for i, row in enumerate(a)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[p] = a[p], a[k]
        if abs(a[k][k]) < 1e-13:
            sys.exit("the measurements do not determine the model: two sizes on one rank are needed")
        for i in range(n):
            if i != k:
                factor = a[i][k] / a[k][k]
                a[i] = [x - factor * y for x, y in zip(a[i], a[k])]
    return [a[k][n] / a[k][k] / scale[k] for k in range(n)]


def kind_of(row):
    return row["scene"], row["rule"], row["engine"], row["precision"]


def halo_of(row):
    """Bytes of the rows that travel to one neighbour."""
    return HALO_BYTES * row["cols"] / (1 if row["precision"] == "double" else 2)


def choose(rows, sizes_wanted):
    """(measurements of the fit, those of other kinds on one rank that give their constants)."""
    first = kind_of(rows[0])
    sizes = sorted({row["size"] for row in rows if kind_of(row) == first})
    chosen = {int(s) for s in sizes_wanted.split(",")} if sizes_wanted else {sizes[0], sizes[-1]}
    fitted = [row for row in rows if kind_of(row) == first and row["ranks"] <= 2 and row["size"] in chosen]
    constants = {}
    for kind in sorted({kind_of(row) for row in rows} - {first}):
        alone = sorted((row for row in rows if kind_of(row) == kind and row["ranks"] == 1), key=lambda row: row["size"])
        if not alone:
            sys.exit(f"{'/'.join(kind)}: expected a measurement on one rank, found none")
        constants[kind] = [alone[0], alone[-1]] if alone[0]["size"] < alone[-1]["size"] else alone[:1]
    return fitted, constants


def take_newer(model, path, options):
    """Predictions from times on one rank alone: those between the smallest and the largest size judge cost and launch."""
    rows = read_measured(path)
    for row in rows:
        row["us"] = row["us_least" if options.least else "us_median"]
    for kind in dict.fromkeys(kind_of(row) for row in rows):
        some = sorted((row for row in rows if kind_of(row) == kind), key=lambda row: row["size"])
        if len(some) < 2:
            sys.exit(f"{path}: {'/'.join(kind)}: expected two sizes, found one")
        model.add_kind(kind, kind, [some[0], some[-1]])
        print(f"newer {'/'.join(kind)}: {model.cost[kind]:.3g} ns a cell, launch {model.launch[kind]:.3g} us")
        print_errors(some, some[1:-1], model)
        print_predictions(model, some[-1], options)


def print_errors(rows, held_out, model):
    print(f"{'case':44} {'ranks':>5} {'exchange':>8} {'measured us':>12} {'model us':>12} {'error %':>8}")
    errors = {}
    for row in rows:
        expected = model.predict(kind_of(row), row["cells"], row["ranks"], row["exchange"], halo_of(row))
        error = 100 * (expected / row["us"] - 1)
        is_held_out = any(row is other for other in held_out)
        if is_held_out:
            errors.setdefault(row["exchange"], []).append(abs(error))
        print(f"{'/'.join(kind_of(row))} {row['size']}".ljust(44), f"{row['ranks']:5} {row['exchange']:>8} {row['us']:12.5g} "
              f"{expected:12.5g} {error:8.2f}" + ("" if is_held_out else " fitted"))
    for name, some in sorted(errors.items()) + [("all", [e for some in errors.values() for e in some])]:
        if some:
            print(f"held out, {name}: {len(some)} case{'s' * (len(some) > 1)}, median error {statistics.median(some):.2f} %, "
                  f"largest {max(some):.2f} %")


def print_predictions(model, largest, options):
    """Strong: the largest map of the first kind is divided; weak: each rank has so much."""
    kind, cells, size = kind_of(largest), largest["cells"], halo_of(largest)
    latency, bandwidth = map(float, options.network.split(","))
    one = model.predict(kind, cells, 1, "alone", size)
    print(f"predicted for {'/'.join(kind)} {largest['size']}, {cells:.3g} liquid cells; between hosts, assumed: {latency:g} us a message, "
          f"{bandwidth:g} GB/s")
    print(f"{'exchange':>8} {'ranks':>5} {'hosts':>5} {'exchange us':>11} {'strong':>8} {'weak':>6} {'break-even cells':>16}")
    for name in sorted(model.exchanges):
        for ranks in map(int, options.predict.split(",")):
            hosts = math.ceil(ranks / options.per_host)
            us = model.exchange(name, ranks, size)
            if hosts > 1:
                us += latency * (1 + math.ceil(math.log2(hosts))) + 1e-3 * size / bandwidth
            interior = 1e-3 * model.cost[kind] * cells
            strong, weak = one / (interior / ranks + model.launch[kind] + us), one / (one + us)
            print(f"{name:>8} {ranks:5} {hosts:5} {us:11.4g} {strong:8.2f} {weak:6.3f} "
                  f"{us / (1e-3 * model.cost[kind] * (1 - 1 / ranks)):16.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured")
    parser.add_argument("exchange", nargs="?")
    parser.add_argument("--fit", default="", help="the two sizes, default the smallest and the largest of the first kind")
    parser.add_argument("--least", action="store_true", help="the least time of a case in place of the median")
    parser.add_argument("--newer", metavar="ONE_RANK.csv", help="times on one rank by newer kernels")
    parser.add_argument("--predict", default="2,4,8,16,64", help="numbers of ranks")
    parser.add_argument("--per-host", type=int, default=8, help="ranks of a host")
    parser.add_argument("--network", default="10,25", help="us of a message between hosts, GB/s")
    options = parser.parse_args()
    rows = read_measured(options.measured)
    for row in rows:
        row["us"] = row["us_least" if options.least else "us_median"]
    check_bits(rows)
    model = Model(Alone(options.exchange) if options.exchange else None)
    fitted, constants = choose(rows, options.fit)
    first = kind_of(rows[0])
    model.fit(first, fitted)
    for kind, some in constants.items():
        model.add_kind(kind, first, some)
    unknown = {row["exchange"] for row in rows} - {"alone"} - set(model.exchanges)
    if unknown:
        sys.exit(f"exchange {min(unknown)}: expected {'/'.join(first)} of a size of the fit on 2 ranks, found none")
    for kind, ns in model.cost.items():
        print(f"{'/'.join(kind)}: {ns:.3g} ns a cell, launch {model.launch[kind]:.3g} us")
    for name, exchange in sorted(model.exchanges.items()):
        print(f"exchange {name}: {exchange}")
    used = fitted + [row for some in constants.values() for row in some]
    print_errors(rows, [row for row in rows if not any(row is other for other in used)], model)
    if options.newer:
        take_newer(model, options.newer, options)
    elif model.exchanges:
        print_predictions(model, max((row for row in rows if kind_of(row) == first), key=lambda row: row["size"]), options)


if __name__ == "__main__":
    main()
