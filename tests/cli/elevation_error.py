# SPDX-License-Identifier: Apache-2.0
"""Random errors of altitudes: compared with an independent generator and kernel; the same in runs, resumed runs, members."""
import csv
import json
import math
import os
import statistics
import subprocess
import sys

import case
from case import CELL, COLS, NODATA, ROWS, Case, altitude, is_sea

M32, M64 = (1 << 32) - 1, (1 << 64) - 1
ERROR = {"sd_m": 1.5, "correlation_m": 25, "seed": 12345678901}
TO_TEXT = "from osgeo import gdal; import json, sys; gdal.UseExceptions(); d = gdal.Open(sys.argv[1]); " \
    "print(json.dumps(d.GetRasterBand(1).ReadAsArray().tolist()))"


def philox(counter, key):
    """Philox4x32-10, as src/model/random.h documents it."""
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & M32, a >> 32 ^ c[3] ^ k[1], a & M32]
        k = [(k[0] + 0x9E3779B9) & M32, (k[1] + 0xBB67AE85) & M32]
    return c


def noise(seed, row, col):
    """Standard normal; stream 4 of the generator is that of the ground."""
    index = col & M64
    bits = philox([index & M32, index >> 32, row & M32, 4], [seed & M32, seed >> 32])
    return statistics.NormalDist().inv_cdf((((bits[1] << 32 | bits[0]) >> 12) + 0.5) * 2.0 ** -52)


def errors(e):
    """Noise under a Gaussian kernel in two dimensions, whose squares have the sum 1."""
    width = e["correlation_m"] / 2 / CELL
    reach = math.ceil(3 * width)
    near = range(-reach, reach + 1)
    kernel = {k: math.exp(-(k / width) ** 2 / 2) if width else 1.0 for k in near}
    scale = e["sd_m"] / sum(g * g for g in kernel.values())
    white = {(r, c): noise(e["seed"], r, c) for r in range(-reach, ROWS + reach) for c in range(-reach, COLS + reach)}
    return [[scale * math.fsum(kernel[a] * kernel[b] * white[r + a, c + b] for a in near for b in near) for c in range(COLS)]
            for r in range(ROWS)]


class ElevationError(Case):
    def ground(self, folder):
        done = subprocess.run([sys.executable, "-c", TO_TEXT, self.path(folder, "dem.tif")], stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    def test_values(self):
        """The ground of a run is the DEM with the errors; NODATA stays, and so does the sea."""
        for error in (ERROR, {"sd_m": 0.25, "correlation_m": 0, "seed": 3}):
            self.write_scenario("s.json", dem={"path": "dem.asc", "crs": "EPSG:32633", "error": error, "sea": 1004})
            self.run_scenario("run", "--steps", 10, "--overwrite")
            sea = 0
            for row, (found, expected) in enumerate(zip(self.ground("run"), errors(error))):
                for col in range(COLS):
                    is_low = not is_sea(row, col) and altitude(row, col) <= 1004 and found[col] == altitude(row, col)
                    sea += is_low
                    if is_sea(row, col):
                        self.assertEqual(found[col], NODATA)
                    elif not is_low:
                        self.assertAlmostEqual(found[col], altitude(row, col) + expected[col], delta=1e-9)
            self.assertGreater(sea, 20)
            self.assertLess(sea, 200)

    def test_no_error(self):
        """A standard deviation of 0 is no error."""
        self.write_scenario("s.json", dem={"path": "dem.asc", "crs": "EPSG:32633", "error": ERROR | {"sd_m": 0}})
        self.run_scenario("zero", "--steps", 50)
        self.write_scenario("s.json")
        self.run_scenario("none", "--steps", 50)
        self.assert_identical("zero", "none")
        self.sciara("run", "s.json", "-q", "-o", "other", "--steps", 50, "--set", f"dem.error={json.dumps(ERROR)}")
        self.sciara("compare", "none", "other", code=1)

    def test_resumed(self):
        """The errors are part of the ground that a run folder keeps: they are not added again."""
        dem = {"path": "dem.asc", "crs": "EPSG:32633", "error": ERROR}
        self.write_scenario("s.json", dem=dem)
        self.run_scenario("whole")
        self.sciara("run", "s.json", "-q", "-o", "part", "--steps", 100, "--checkpoint-every", "5 min")
        self.sciara("resume", "part", "-q", "-o", "rest", "--steps", 1000000)
        self.assert_identical("whole", "rest")
        self.assertEqual(self.ground("whole"), self.ground("rest"))

    def test_report(self):
        self.write_scenario("s.json", dem={"path": "dem.asc", "crs": "EPSG:32633", "error": {"sd_m": 2, "correlation_m": 60}})
        text = "standard deviation 2 m, correlation length 60 m, seed 1"
        self.assertIn(text, self.sciara("check", "s.json").stdout)
        self.assertIn(text, self.sciara("run", "s.json", "-o", "run", "--steps", 1).stderr)

    def test_refused(self):
        for error, text in (({"sd_m": 1}, "dem.error.correlation_m"), ({"sd_m": -1, "correlation_m": 5}, "dem.error.sd_m"),
                            ({"sd_m": 1, "correlation_m": 5001}, "expected at most 5000 m on cells of 10 m, found 5001"),
                            ({"sd_m": 1, "correlation_m": 5, "sede": 1}, "did you mean \"seed\"")):
            with self.subTest(text):
                self.write_scenario("s.json", dem={"path": "dem.asc", "crs": "EPSG:32633", "error": error})
                self.assertIn(text, self.sciara("run", "s.json", "-o", "run", code=3).stderr)
                self.assertFalse(os.path.exists(self.path("run")))


class Members(Case):
    def plan(self, folder, vary, code=0, base=None, **sample):
        dem = {"path": "dem.asc", "crs": "EPSG:32633"}
        vents = [{"x": 500200, "y": 4177220, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}}]
        self.write_scenario("base.json", **({"dem": dem, "vents": vents} | (base or {})))
        whole = {"base": "base.json", "vary": vary, "sample": sample or {"method": "random", "count": 5, "seed": 3}, "batch_size": 2}
        case.write_json(self.path("e.json"), whole)
        done = self.sciara("ensemble", "plan", "e.json", "-o", folder, "--no-estimate", code=code)
        return done.stderr if code else self.table(folder, "members.csv")

    def checksums(self, folder):
        return [row["checksum"] for row in sorted(self.table(folder, "log.csv"), key=lambda row: int(row["id"]))]

    def test_members(self):
        """Each member has errors of its own, and the checksum of its run: any workers, and with lava at the start."""
        vary = [{"key": "elevation_error", "uniform": [0.5, 2], "correlation_m": 30}]
        for name, base in (("bare", {}), ("lava", {"initial": {"thickness": "lava.asc"}})):
            case.write_grid(self.path("lava.asc"), lambda row, col: 2 if 7 < row < 11 and 17 < col < 22 else 0)
            rows = self.plan(name, vary, base=base)
            each = [json.loads(row["dem.error"]) for row in rows]
            self.assertEqual(len({e["seed"] for e in each}), 5)
            self.assertTrue(all(0.5 <= e["sd_m"] <= 2 and e["correlation_m"] == 30 for e in each))
            self.sciara("ensemble", "run", name, "-j", 2)
            found = self.checksums(name)
            self.assertEqual(len(set(found)), 5)
            for member in (0, 3):
                self.sciara("ensemble", "member", name, member, "-o", f"{name}{member}.json")
                run = case.record(self.run_scenario(f"{name}-run{member}", name=f"{name}{member}.json"))
                self.assertEqual(run["snapshots"][-1]["checksum"], found[member])
            self.plan(name + "1", vary, base=base)
            self.sciara("ensemble", "run", name + "1", "-j", 1)
            self.assertEqual(self.checksums(name + "1"), found)
        self.assertIn("1 of 1", self.sciara("ensemble", "run", self.single(rows[0]), "--no-estimate").stdout)

    def single(self, row):
        """A table of another program with the first member."""
        with open(self.path("t.csv"), "w", encoding="utf-8", newline="") as f:
            csv.writer(f).writerows([["id", "dem.error"], ["4", row["dem.error"]]])
        return case.write_json(self.path("t.json"), {"base": "base.json", "members": "t.csv"})

    def test_refused(self):
        entry = {"key": "elevation_error", "values": [1], "correlation_m": 30}
        for text, parts in (("a method that draws the errors", {"vary": [entry], "method": "full"}),
                            ("a base whose altitudes have no errors", {"vary": [entry], "base": {"dem": {"path": "dem.asc", "crs": "EPSG:32633", "error": ERROR}}}),
                            ("vary[0].correlation_m: expected the distance", {"vary": [{"key": "elevation_error", "values": [1]}]}),
                            ("it only with the key elevation_error", {"vary": [{"key": "model.cooling", "values": [1], "correlation_m": 3}]}),
                            ("0 to 1000", {"vary": [{"key": "elevation_error", "values": [-1], "correlation_m": 30}]})):
            with self.subTest(text):
                self.assertIn(text, self.plan("out", parts.pop("vary"), code=3, **parts))
