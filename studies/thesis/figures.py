# SPDX-License-Identifier: Apache-2.0
"""Tables (Markdown, standard output) and pictures (SVG) from what studies/thesis-figures measured.

usage: figures.py MEASURED FIGURES"""

import csv
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

# The SCIARA-fv3 thesis as docs/validation.md cites it: against one core of an i7-2600, float,
# fast math, double; Etna, plane.
THESIS = {
    ("GTX 480", "shared"): ((14.29, 14.2, 9.0), (27.12, 28.1, 19.4)),
    ("GTX 480", "global"): ((12.55, 12.56, 8.13), (23.83, 24.56, 17.41)),
    ("GTX 580", "shared"): ((15.6, 15.8, 10), (29, 31, 21)),
    ("GTX 580", "global"): ((13.8, 13.6, 9.3), (28, 29, 20.4)),
    ("GTX 680", "shared"): ((8.3, 8.3, 6.6), (19.5, 19.3, 14)),
    ("GTX 680", "global"): ((7.3, 7.3, 6.6), (18.5, 17.6, 12.3)),
}
THESIS_OTHERS = {"GTX 480": ((19.9, 21.5), (27.3, 26.5)), "GTX 680": ((12.3, 14.3), (21.7, 20.8))}  # atomic, list; float

COLOURS = {"naive": "#999999", "rbb": "#d55e00", "boxes-1": "#d55e00", "boxes-2": "#e69f00", "boxes-3": "#b8860b",
           "boxes-4": "#8c510a", "lac": "#0072b2", "lac-atomic": "#56b4e9", "atomic": "#009e73", "multi-rbb": "#e69f00"}
PRECISIONS = ("single", "fast math", "double")
SCENARIOS = {"etna": "Etna 2006, 517 × 378", "plane": "plane, 401 × 401"}


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def save(figure, folder, name):
    figure.tight_layout()
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": "studies/thesis-figures"})
    pyplot.close(figure)


# ------------------------------------------------------------------------------------------------------------- speedup

def thesis_tables():
    print("The thesis, one core of an i7-2600 = 1:\n")
    rows = [(card, memory, *(" / ".join(f"{x:g}" for x in speedups) for speedups in both))
            for (card, memory), both in THESIS.items()]
    table(("GPU", "memory", "Etna: float / fast math / double", "plane: float / fast math / double"), rows)
    rows = [(card, *(" / ".join(f"{x:g}" for x in speedups) for speedups in both)) for card, both in THESIS_OTHERS.items()]
    table(("GPU", "Etna: atomic / list, float", "plane: atomic / list, float"), rows)


def speedup_table(rows):
    hours = sorted({float(r["simulated_h"]) for r in rows})
    found = {(r["engine"], r["memory"], float(r["simulated_h"]), r["precision"]): r for r in rows}
    for r in rows:
        if r["bits"] != "same" and r["precision"] != "fast math" and "atomic" not in r["engine"]:
            sys.exit(f"{r['engine']}, {r['precision']}: not bit-identical to serial")
    lines = []
    for engine, memory in dict.fromkeys((r["engine"], r["memory"]) for r in rows):
        cells = [" / ".join(f"{float(found[engine, memory, h, p]['speedup']):.1f}" for p in PRECISIONS) for h in hours]
        lines.append((f"`{engine}`", memory if "lac" not in engine else "", *cells))
    table(("engine", "memory", *(f"{h:g} h: float / fast math / double" for h in hours)), lines)
    lines = []
    for h in hours:
        at = {p: next(r for r in rows if float(r["simulated_h"]) == h and r["precision"] == p) for p in PRECISIONS}
        fastest = {p: min(float(r["seconds"]) for r in rows if float(r["simulated_h"]) == h and r["precision"] == p)
                    for p in PRECISIONS}
        lines.append((f"{h:g} h", at["double"]["step"], at["double"]["liquid_cells"],
                      " / ".join(f"{1e6 * float(r['serial_seconds']) / int(r['steps']):.0f}" for r in at.values()),
                      " / ".join(f"{1e6 * fastest[p] / int(at[p]['steps']):.0f}" for p in PRECISIONS)))
    table(("", "step", "liquid cells", "`serial`, µs per step: float / float at the fast-math state / double",
           "the fastest strategy, µs per step: float / fast math / double"), lines)


def speedup_picture(measured, folder):
    names = [n for n in SCENARIOS if (measured / f"speedup-{n}.csv").exists()]
    figure, axes = pyplot.subplots(1, len(names), figsize=(5 * len(names), 4), squeeze=False, sharey=True)
    for axis, name in zip(axes[0], names):
        rows = [r for r in rows_of(measured / f"speedup-{name}.csv") if r["precision"] == "double"]
        for engine, memory in dict.fromkeys((r["engine"], r["memory"]) for r in rows):
            mine = [r for r in rows if (r["engine"], r["memory"]) == (engine, memory)]
            axis.plot([float(r["simulated_h"]) for r in mine], [float(r["speedup"]) for r in mine], marker="o",
                      linestyle="--" if memory == "shared" else "-", color=COLOURS[engine.removeprefix("cuda-")],
                      label=engine + (", shared" if memory == "shared" else ""))
        axis.set(title=SCENARIOS[name], xlabel="simulated time, h", ylabel="speedup against serial, double")
        axis.set_ylim(bottom=0)
    axes[0][-1].legend(fontsize=7)
    save(figure, folder, "speedup")


# ----------------------------------------------------------------------------------------------------------------- eta

def eta_of(row):
    """Active cells over idle threads of a row of a profile."""
    return float(row["eta"]) if row.get("eta") else float("nan")


def eta_picture(measured, folder):
    names = [n for n in SCENARIOS if list(measured.glob(f"eta-{n}-*.csv"))]
    figure, axes = pyplot.subplots(1, len(names), figsize=(5 * len(names), 4), squeeze=False, sharey=True)
    lines = []
    for axis, name in zip(axes[0], names):
        for label in COLOURS:
            path = measured / f"eta-{name}-{label}.csv"
            if not path.exists():
                continue
            rows = rows_of(path)
            hours = [float(r["time_s"]) / 3600 for r in rows]
            axis.semilogy(hours, [eta_of(r) for r in rows], label=label, color=COLOURS[label],
                          linestyle="--" if label == "boxes-1" else "-")
            cells = []
            for h in (6, 24, 60):
                row = min(rows, key=lambda r: abs(float(r["time_s"]) / 3600 - h))
                cells.append(f"{eta_of(row):.3g}")
            lines.append((SCENARIOS[name], label, *cells))
        axis.set(title=SCENARIOS[name], xlabel="simulated time, h", ylabel="η = active / (launched − active)")
    axes[0][-1].legend(fontsize=7)
    save(figure, folder, "eta")
    table(("", "strategy", "η at 6 h", "24 h", "60 h"), lines)


# --------------------------------------------------------------------------------------------------------------- error

def error_tables(measured, folder):
    path = next(iter(sorted(measured.glob("error-*.csv"))))
    rows = rows_of(path)
    steps = sorted({int(r["step"]) for r in rows})
    pairs = list(dict.fromkeys((r["question"], r["a"], r["b"]) for r in rows))
    found = {(r["question"], r["a"], r["b"], int(r["step"])): r for r in rows}
    print(f"{path.stem}: cells covered by lava that agree within 10 %, of those that either covers; differing cells at the end\n")
    lines = []
    for pair in pairs:
        mine = [found.get((*pair, s)) for s in steps]
        last = [r for r in mine if r][-1]
        lines.append((pair[0], pair[1], pair[2], *(f"{100 * float(r['covered_within_10']):.1f} %" if r else "" for r in mine),
                      last["differing"], f"{float(last['max_absolute_m']):.2g}", f"{float(last['jaccard']):.4f}"))
    table(("", "a", "b", *(f"{s:,} steps" for s in steps), "differ at the end", "largest, m", "Jaccard"), lines)
    last = max(steps)
    print(f"Of all cells of the grid, after {last:,} steps within 10 %:\n")
    table(("", "a", "b", "all cells within 10 %"),
          [(*pair, f"{100 * float(found[(*pair, last)]['all_within_10']):.2f} %") for pair in pairs if (*pair, last) in found])
    figure, axis = pyplot.subplots(figsize=(9, 4.5))
    questions = list(dict.fromkeys(q for q, _, _ in pairs))
    named = set()
    for question, a, b in pairs:
        mine = [found[(question, a, b, s)] for s in steps if (question, a, b, s) in found]
        largest = [float(r["max_absolute_m"]) for r in mine]
        if max(largest) == 0:
            continue
        precision = "double" if "double" in a and "double" in b else "single"
        label = f"{question}" + ("" if question.startswith(("float", "fast")) else f", {precision}")
        axis.loglog([int(r["step"]) for r in mine], [max(x, 1e-17) for x in largest], marker="o", markersize=3,
                    color=f"C{questions.index(question)}", linestyle="-" if precision == "double" else "--",
                    label=None if label in named else label)
        named.add(label)
    axis.set(xlabel="steps", ylabel="largest difference of the deposit, m")
    axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    save(figure, folder, "error")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    measured, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    matplotlib.rcParams["svg.hashsalt"] = "sciara"
    print((measured / "machine.txt").read_text())
    thesis_tables()
    for name, title in SCENARIOS.items():
        path = measured / f"speedup-{name}.csv"
        if path.exists():
            print(f"{title}:\n")
            speedup_table(rows_of(path))
    speedup_picture(measured, folder)
    eta_picture(measured, folder)
    error_tables(measured, folder)


if __name__ == "__main__":
    main()
