# SPDX-License-Identifier: Apache-2.0
"""bench/run, bench/summary, bench/roofline, bench/auto-choice and studies/cell-size: a suite from the package to the summary, targets that are
reached and missed, the output of NVIDIA's profiler, and runs that take too long."""
import json
import os
import shlex
import sys

import case
from case import Case

BENCH = os.path.join(case.SOURCE, "bench")
STUDIES = os.path.join(case.SOURCE, "studies")
HERE = {key: value for key, value in os.environ.items() if key != "SCIARA_ETNA2006"}

# As `ncu --csv --page raw --print-units base --print-metric-instances details` prints: the program's own lines between those
# of ncu, a line of units, thousands with commas, and empty cells for metrics that a kernel does not have.
RAW = '''==PROF== Connected to process 4711 (/somewhere/sciara)
dense: 4096 x 4096 cells, "all" of them liquid
==PROF== Profiling "step" - 1: 0%....50%....100% - 9 passes
"ID","Process ID","Kernel Name","Grid Size","dram__bytes_read.sum","dram__bytes_write.sum","gpu__time_duration.sum",\
"lts__t_bytes.sum","sass__thread_inst_executed_true_per_opcode_with_modifier_all",\
"sm__throughput.avg.pct_of_peak_sustained_elapsed","smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",\
"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum","smsp__sass_thread_inst_executed_op_dmul_pred_on.sum"
"","","","","byte","byte","ns","byte","inst","%","inst","inst","inst"
"0","4711","void step(params, fields)","(132, 1, 1)","1,000,000","500,000","2,000","3,000,000","900 (DADD: 500; \
MUFU.RCP64H: 4,000; MUFU.RSQ64H: 1,000; LDG.E.64: 7)","50.5","10,000","20,000","30,000"
"1","4711","list","(1, 1, 1)","0","500,000","1,000","n/a","3 (IADD3: 3)","10","0","0","0"
'''


class Roofline(Case):
    def roofline(self, *args, code=0, env=None):
        return self.tool(sys.executable, os.path.join(BENCH, "roofline"), *args, code=code, env=env or HERE)

    def parse(self, text, *args, code=0):
        case.write_text(self.path("ncu.csv"), text)
        return self.roofline("--parse", "ncu.csv", "--cell-steps", 1000, *args, code=code)

    def count(self, text, name, *args):
        line = next(line for line in self.parse(text, *args).stdout.splitlines() if line.startswith(f"  {name:14} "))
        return line[16:].split()

    def test_sums_over_the_launches(self):
        self.assertIn("2 launches, 1000 cell-steps", self.parse(RAW).stdout)
        for name, value in (("DRAM read", "1000"), ("DRAM written", "1000"), ("L2", "3000")):
            self.assertEqual(self.count(RAW, name), [value, "B"])
        for name, value in (("fp64 add", "10"), ("fp64 mul", "30"), ("fp64 fma", "20"), ("fp64 all", "60"),
                            ("divisions", "4"), ("square roots", "1")):
            self.assertEqual(self.count(RAW, name)[0], value)

    def test_floors_and_shares(self):
        """3 us for 1000 cell-steps; 2 MB at 1e12 B/s are 2 us; 4000 divisions at 4e9/s are 1 us."""
        self.assertEqual(self.count(RAW, "DRAM", "--dram", 1e12), ["2000", "B", "2000", "66.7", "%"])
        self.assertEqual(self.count(RAW, "divisions", "--division", 4e9), ["4", "1000", "33.3", "%"])
        self.assertEqual(self.count(RAW, "square roots", "--root", 1e9), ["1", "1000", "33.3", "%"])
        self.assertEqual(self.count(RAW, "fp64 all", "--fp64", 6e10), ["60", "1000", "33.3", "%"])
        self.assertEqual(self.count(RAW, "time")[:3], ["3000", "100.0", "%"])
        self.assertIn("= 3.333e+08 cell-steps/s", self.parse(RAW).stdout)
        self.assertIn("1 x void step(params, fields): 2 us, 50.5 % of", self.parse(RAW).stdout)


def row(engine, us, ns, options=None, **more):
    return {"engine": engine, "options": options, "result": "verified", "us_per_step": {"median": us},
            "ns_per_cell_step": {"median": ns}, "cell_steps_per_s": 1e9 / ns, "speedup": 100 / ns, "steps": 8,
            "device_bytes": 15.5e9, **more}


class CellSize(Case):
    def cell_size(self, *args, code=0):
        env = {**HERE, "SCIARA_RUN": shlex.quote(case.PROGRAM)}
        return self.tool(sys.executable, os.path.join(STUDIES, "cell-size"), *args, code=code, env=env)

    def rows(self):
        return case.read_rows(self.path("d", "results.csv"))

    def test_runs_are_measured_limited_and_kept(self):
        os.makedirs(self.path("d"))
        with open(self.path("d", "flank.tif"), "w", encoding="ascii"):
            pass
        case.write_scenario(self.path("d"), "fv3-40.json")
        case.write_scenario(self.path("d"), "fv3-20.json", **case.ENDLESS)
        case.write_scenario(self.path("d"), "fv3-10.json", boundary="ajar")
        self.cell_size("run", "d", "--engine", "serial", "--only", "fv3-40")
        self.sciara("run", "d/fv3-40.json", "-e", "serial", "-o", "again", "-q")
        self.sciara("export", "again", "-f", "cog", "-o", "extent.tif", "-q")
        expected = json.loads(self.sciara("compare", "again", "--observed", "extent.tif", "--json", "-q").stdout)
        row = self.rows()[0]
        self.assertEqual((row["status"], float(row["area_m2"]), row["step"]), ("ok", expected["run_m2"], str(expected["step"])))
        self.assertAlmostEqual(float(row["run_out_m"]), expected["run_out_m"], 9)
        self.assertFalse(os.path.exists(self.path("d", "fv3-40.out")))
        done = self.cell_size("run", "d", "--engine", "serial", "--limit", 3, code=1)
        self.assertEqual([(row["case"], row["status"]) for row in self.rows()],
                         [("fv3-40", "ok"), ("fv3-20", "skipped: longer than 3 s"),
                          ("fv3-10", "failed: exit code 3 of sciara run")])
        self.assertIn('boundary: expected "open" or "closed"', done.stderr)
        self.assertIn("| 20 m | skipped: longer than 3 s |", done.stdout)


class Summary(Case):
    def report(self, name, precision, cases, gpu="NVIDIA H200"):
        machine = {"sciara": "0", "git": "abc", "date": "today", "cpu": "a processor", "cores": 16,
                   "gpu": {"name": gpu, "driver": "1", "memory_bytes": 150e9} if gpu else None}
        case.write_json(self.path(name + ".json"), {
            "format": "sciara bench", "suite": "gpu", "precision": precision, "machine": machine,
            "cases": [{"case": key, "engines": rows} for key, rows in cases.items()]})

    def summary(self, code=0):
        done = self.tool(sys.executable, os.path.join(BENCH, "summary"), self.work, code=code)
        table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines() if line[:2] == "| "]
        return [cells for cells in table if len(cells) == 3], [cells for cells in table if len(cells) == 10]

    def expect(self, *results):
        goals, _ = self.summary()
        self.assertEqual([cells[1:] for cells in goals[1:]], [list(v) for v in results])

    def test_reached(self):
        self.report("d", "double", {"etna": [row("cuda-fused", 3.9, 4)], "dense": [row("cuda-fused", 4000, 0.25)],
                                    "sparse": [row("cuda-fused", 100, 0.3, over_tight=1.5)]})
        self.report("s", "single", {"dense": [row("cuda-fused", 2800, 0.175)]})
        self.report("t", "double", {"dense": [row("openmp", 1, 30, "threads=1", scaling=1, loop_scaling=1),
                                              row("openmp", 1, 16, "threads=2", scaling=1.8, loop_scaling=2)]})
        self.expect(("reached", "3.9 us"), ("reached", "4e+09/s"), ("reached", "1.43 times"),
                    ("reported", "27 % of DRAM, 17.5 % of fp64"), ("reached", "1.5 times"),
                    ("reached", "10.3 % of its memory"), ("reached", "3.33 times"), ("not measured", ""),
                    ("reached", "90 % (1.8 of 2 times)"))


# In place of the program: auto is openmp; in "plane" one thread is faster, in "tight" a result is wrong.
FAKE = """import json, sys
if sys.argv[2] == "engines":
    sys.exit(print('{"auto": {"fv3": "openmp", "bingham": "openmp"}, "engines": []}'))
json.dump({"cases": [{"case": name, "engines": [
    {"engine": "openmp", "options": options, "us_per_step": {"min": us}, "result": "failed" if "tight" in name else "verified"}
    for options, us in ((None, 10.5), ("threads=1", 8 if "plane" in name else 10))]} for name in sys.argv[3:-1]]}, open("out.json", "w"))
"""


class Suite(Case):
    def test_choice_of_auto(self):
        self.write("fake", FAKE)
        for most, missed in ((1.1, 2), (1.04, 15), (1.4, 0)):
            lines = self.tool(os.path.join(BENCH, "auto-choice"), "--most", most, code=1,
                              env={**HERE, "SCIARA_RUN": f"{sys.executable} {self.path('fake')}"}).stdout.splitlines()
            self.assertEqual([sum(word in line for line in lines) for word in ("", "MISSED", "not verified: openmp")], [17, missed, 2])
        self.assertIn("fastest openmp threads=1         8.0 us   ratio  1.31", "\n".join(lines))

    def test_from_the_pack_to_the_summary(self):
        if case.SANITIZED:
            self.skipTest("the libraries of a sanitizer are no part of a pack")
        env = {**HERE, "SCIARA_BUILD": os.path.dirname(case.PROGRAM)}
        self.tool(os.path.join(BENCH, "run"), "pack", self.path("p.tar.gz"), env=env)
        os.mkdir(self.path("p"))
        self.tool("tar", "-xzf", self.path("p.tar.gz"), "-C", self.path("p"))
        env = {**HERE, "SCIARA_RUN": "./run", "SCIARA_BENCH_OUT": self.path("out"), "SCIARA_BENCH_THREADS": "1 2"}
        self.tool("bench/run", "quick", cwd=self.path("p"), env=env)
        names = ["quick-double", "quick-single"] + ["quick-threads"] * (len(os.sched_getaffinity(0)) > 1)
        self.assertEqual(sorted(os.listdir(self.path("out"))),
                         sorted([f"{name}.{end}" for name in names for end in ("csv", "json", "txt")] + ["summary.md"]))
        self.assertIn("| dense: at least 4e9 cell-steps/s in double", case.read_text(self.path("out", "summary.md")))
        self.assertEqual(case.read_json(self.path("out", "quick-single.json"))["precision"], "single")
