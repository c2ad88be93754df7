#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checksums in tests/golden/checksums.json, one for each case: the results are bit-identical for any compiler, options,
instructions of the processor, engine, threads and GPU. tools/portability runs this with many builds.

`checksums.py --record` writes the results of engine serial of this program; only a change of the model may change them."""
import os
import sys

sys.dont_write_bytecode = True
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
import case
from case import SOURCE, Case, record

FILE = os.path.join(SOURCE, "tests/golden/checksums.json")
CASES = {"volcano": 1500, "plane": 2500}  # steps: lava flows, freezes, and reaches NODATA or spreads on a plain


def checksum(work, name, precision, *options):
    case.run_program("run", os.path.join(SOURCE, "config", name + ".json"), "-q", "-n", CASES[name], "-p", precision,
                     "-o", "out", "--overwrite", "--set", "output.maps=[]", *options, cwd=work)
    return record(os.path.join(work, "out"))["snapshots"][-1]["checksum"]


class Checksums(Case):
    def expect(self, engine, *options, keys=None):
        """Those of the keys, otherwise all that are recorded."""
        for key, expected in case.read_json(FILE).items():
            if keys and key not in keys:
                continue
            name, precision = key.split(", ")
            with self.subTest(case=key, engine=engine, options=options):
                self.assertEqual(checksum(self.work, name, precision, "-e", engine, *options), expected)

    def test_every_case_is_recorded(self):
        self.assertEqual(set(case.read_json(FILE)), {f"{n}, {p}" for n in CASES for p in ("double", "single")})

    def test_serial(self):
        self.expect("serial")

    def test_threads(self):
        for threads in (1, 2, 3, 5, 8) if case.LONG else (3,):
            self.expect("openmp", "-t", threads)

    def test_instructions(self):
        best = case.run_program("engines", cwd=self.work).stdout.split("isa: ")[1].split()[0]
        levels = ["generic", "v2", "v3", "v4"]
        for isa in levels[:levels.index(best) + 1] if best in levels else []:
            self.expect("openmp", "-t", "1", "--set", f"engine.isa={isa}",
                        keys=None if case.LONG else ("volcano, double", "plane, single"))

    def test_gpu(self):
        for engine in case.gpu_engines():
            self.expect(engine)


if __name__ == "__main__":
    if "--record" in sys.argv:
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            case.write_json(FILE, {f"{n}, {p}": checksum(folder, n, p, "-e", "serial")
                                   for n in CASES for p in ("double", "single")})
    else:
        case.main()
