# SPDX-License-Identifier: Apache-2.0
"""sciara validate: engines compared with serial, and with a recorded trace."""
import csv
import json
import os

import case
from case import ScenarioCase

DRIVER = r"""#include <dlfcn.h>
int cuInit(unsigned flags) { return flags || VERSION > 90000 ? 100 : 0; }
int cuDriverGetVersion(int *version) { return *version = VERSION, 0; }
int cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long flags, int *found) {
  void *own = dlsym(dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_NOW), name);
  return *function = own && version + flags ? own : (void *)cuInit, found ? *found = 0 : 0;
}
int cuGetProcAddress(const char *name, void **function, int version, unsigned long flags) {
  return cuGetProcAddress_v2(name, function, version, flags, 0);
}"""


class Validate(ScenarioCase):
    def validate(self, *args, code=0):
        return self.sciara("validate", "-q", "s.json", *args, code=code)

    def result(self, *args, code=0):
        return json.loads(self.validate("--json", *args, code=code).stdout)

    def test_exact_engines_pass(self):
        for precision in "double", "single":
            r = self.result("--precision", precision, "--steps", 300, "--every", 100, "--engines", "openmp,checked")
            self.assertEqual((r["precision"], r["steps"], r["every"]), (precision, 300, 100))
            self.assertEqual([e["engine"] for e in r["engines"]], ["openmp", "checked"])
            for e in r["engines"]:
                self.assertEqual((e["result"], e["class"], e["step"]), ("passed", "exact", 300))
                self.assertIsNone(e["first_difference"])
                self.assertEqual(e["clock_s"], e["reference_clock_s"])
                self.assertEqual((e["cells_differing"], e["jaccard"], e["covered_within"]), (0, 1, [1, 1, 1]))

    def test_all_lists_what_is_not_here(self):
        r = self.result("--steps", 50)
        names = {e["engine"]: e for e in r["engines"]}
        self.assertIn("cuda-naive", names)
        self.assertNotIn("checked", names)
        for e in r["engines"]:
            self.assertIn(e["result"], ("passed", "skipped"))
            if e["result"] == "skipped":
                self.assertIn("is not available", e["why"])

    def test_a_trace_is_recorded_and_replayed(self):
        self.validate("--steps", 400, "--every", 50, "--engines", "serial", "--record", "t.csv")
        with open(self.path("t.csv"), encoding="ascii", newline="") as f:
            rows = list(csv.reader(f))
        self.assertEqual([row[5] for row in rows], ["step", *(str(step) for step in range(50, 401, 50))])
        r = self.result("--against", "t.csv", "--engines", "openmp")
        self.assertEqual((r["engines"][0]["result"], r["engines"][0]["step"]), ("passed", 400))

        rows[3][11] = "0" * 16
        with open(self.path("bent.csv"), "w", encoding="ascii", newline="") as f:
            csv.writer(f, lineterminator="\n").writerows(rows)
        r = self.result("--against", "bent.csv", "--engines", "openmp", code=1)
        self.assertEqual(r["engines"][0]["result"], "FAILED")
        self.assertEqual(r["engines"][0]["why"], "checksum differs from the trace after step 150")
        self.assertEqual(r["engines"][0]["first_difference"]["seen_after_step"], 150)

    def test_a_trace_of_an_earlier_version(self):
        """The JSON that was recorded before there were tables, of the same run."""
        r = self.result("--against", os.path.join(case.SOURCE, "tests", "golden", "trace-v1.json"),
                        "--engines", "openmp")
        self.assertEqual((r["engines"][0]["result"], r["engines"][0]["step"]), ("passed", 400))

    def refused(self, message, *args, code):
        done = self.validate(*args, code=code)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_another_trace_is_refused(self):
        self.validate("--steps", 20, "--engines", "serial", "--record", "t.csv")
        for what, change in {"precision": ["--precision", "single"], "set of parameters": ["--set", "model.cooling=10"],
                             "set of vents": ["--set", "vents.0.col=21"], "set of parameters ": ["--set", "boundary=closed"],
                             "state at the start": ["--set", "initial.thickness=0.1"]}.items():
            self.refused(f"the {what.strip()} of the trace differs", "--against", "t.csv", "--engines", "openmp", *change, code=3)

    def test_a_damaged_trace_is_refused(self):
        for text, found in {"": "t.csv:1: expected the header", "{}": "t.csv: is not a trace: expected a table",
                            '{"version": 2}': "t.csv: is not a trace"}.items():
            case.write_text(self.path("t.csv"), text)
            self.assertIn(found, self.validate("--against", "t.csv", code=3).stderr)

    def test_usage(self):
        self.refused('there is no engine "opemp"; did you mean "openmp"?', "--steps", 5, "--engines", "opemp", code=2)
        self.refused("--steps N is missing", code=2)
        self.refused("--every: expected a whole number >= 1, found", "--steps", 5, "--every", "0.5", code=2)
        self.refused("found both", "--steps", 5, "--record", "a", "--against", "b", code=2)
        self.refused("takes several engines", "--steps", 5, "--engine", "serial", code=2)
        self.refused('"openmp" has no option memory', "--steps", 5, "--engines", "openmp", "--option", "memory=shared",
                     code=2)

    def test_a_named_engine_must_be_available(self):
        """A stand-in also plays a driver of NVIDIA for an earlier CUDA, and one without a device; `auto` then computes with openmp."""
        engines, env = self.sciara("engines").stdout, {**os.environ, "LD_LIBRARY_PATH": self.work}
        if "cuda-rbb         yes" in engines:
            self.skipTest("there is a GPU here")
        self.refused('engine "cuda-rbb" is not available: ', "--steps", 5, "--engines", "cuda-rbb", code=7)
        case.write_text(self.path("driver.c"), DRIVER)
        for version, said in (0, "there is no NVIDIA driver here"), (11040, "the NVIDIA driver is for CUDA 11.4, this program needs one for 1"), (99000, "no GPU was found (no"):
            self.tool("cc", "-shared", "-fPIC", f"-DVERSION={version}", "-o", "libcuda.so.1", "driver.c", "-ldl")
            done = self.sciara("run", "-q", "s.json", "--engine", "cuda-rbb", code=7, env=env)
            self.assertIn(f'engine "cuda-rbb" is not available: {"this program was built" if "built without CUDA" in engines else said}', done.stderr)
            self.assertFalse(os.path.exists(self.path("s.out")))
            self.sciara("run", "-q", "s.json", "-n", 5, "-o", f"on-{version}", env=env)
            self.assertEqual(case.record(self.path(f"on-{version}"))["engine"]["name"], "openmp")
