# SPDX-License-Identifier: Apache-2.0
"""Etna 2006, imported from the files of an earlier SCIARA: 20,000 steps against an independent implementation.

SCIARA_ETNA2006 names the folder of the files (docs/data.md states where they come from).
"""
import json
import os
import subprocess

import case
from case import SharedCase, open_snapshot, record

import numpy

case.skip_without(os.path.isfile(os.path.join(os.environ.get("SCIARA_ETNA2006", ""), "2006_000000000000.cfg")),
                  "SCIARA_ETNA2006 does not name the Etna 2006 files")
STEPS = 20000
EXPECTED = {"time_s": 27858.768582599, "clock_s": 1.4276883188, "emitted_m3": 88083.316105901,
            "liquid_m3": 88078.903267373}
LIQUID_CELLS = 928


class Etna2006(SharedCase):
    @classmethod
    def prepare(cls):
        cls.files = os.environ["SCIARA_ETNA2006"]
        cls.imported = case.run_program("import", os.path.join(cls.files, "2006_000000000000.cfg"), "-o", "etna",
                                        "--crs", "EPSG:32633", cwd=cls.work)
        cls.simulate("openmp", "--threads", "2")
        cls.snapshot = os.path.join(cls.work, "openmp", "snapshots", f"{STEPS:08d}.nc")

    @classmethod
    def simulate(cls, engine, *options):
        case.run_program("run", "etna/scenario.json", "-q", "--engine", engine, "-o", engine, "--steps", STEPS,
                         "--set", "output.dtype=float64", "--set", f"output.fields={json.dumps(case.FIELDS)}",
                         "--set", 'output.maps=["deposit"]', *options, cwd=cls.work)

    def header(self):
        """The header of the morphology: key -> number."""
        with open(os.path.join(self.files, "2006_000000000000_Morphology.stt"), encoding="ascii") as f:
            return {key.lower(): float(value) for key, value in (next(f).split() for _ in range(6))}

    def transform(self):
        h = self.header()
        size = h["cellsize"]
        return [h["xllcorner"], size, 0, h["yllcorner"] + h["nrows"] * size, 0, -size]

    def test_figures(self):
        r = record(self.path("openmp"))
        self.assertEqual((r["state"]["step"], r["state"]["liquid_cells"]), (STEPS, LIQUID_CELLS))
        found = {**r["state"], **r["ledger"]}
        for name, value in EXPECTED.items():
            error = abs(found[name] - value) / value
            self.assertLessEqual(error, 1e-9, f"{name}: expected {value}, found {found[name]}")
        self.assertLessEqual(abs(r["ledger"]["residual_m3"]), r["ledger"]["bound_m3"], "the ledger closes")

    def test_serial_is_bit_identical(self):
        if case.SANITIZED:
            self.skipTest("too slow with a sanitizer")
        self.simulate("serial")
        self.assert_identical("serial", "openmp")

    def test_snapshot_in_xarray(self):
        data, r = open_snapshot(self.snapshot), record(self.path("openmp"))
        self.assertEqual((data.attrs["step"], float(data.time[0]), data.attrs["clock_s"], data.attrs["liquid_cells"]),
                         (STEPS, r["state"]["time_s"], r["state"]["clock_s"], LIQUID_CELLS))
        thickness = data.thickness.values[0]
        self.assertEqual(int((thickness > 0).sum()), LIQUID_CELLS)
        area = self.header()["cellsize"] ** 2
        volume = area * thickness[thickness > 0].sum()
        self.assertAlmostEqual(volume / EXPECTED["liquid_m3"], 1, delta=1e-9)
        self.assertAlmostEqual(volume / r["ledger"]["liquid_m3"], 1, delta=1e-12)
        self.assertEqual((data.y.size, data.x.size), (self.header()["nrows"], self.header()["ncols"]))

    def test_snapshot_in_ncdump(self):
        text = subprocess.run(["ncdump", "-h", self.snapshot], stdout=subprocess.PIPE, check=True).stdout.decode()
        for line in ('double thickness(time, y, x) ;', 'thickness:grid_mapping = "crs" ;', ':Conventions = "CF-1.8" ;',
                     f":step = {STEPS}LL ;", f":liquid_cells = {LIQUID_CELLS}LL ;",
                     f':checksum = "{record(self.path("openmp"))["snapshots"][-1]["checksum"]}" ;'):
            self.assertIn(line, text)
        clock = [line for line in text.splitlines() if ":clock_s = " in line][0].split(" = ")[1].rstrip(" ;")
        self.assertAlmostEqual(float(clock) / EXPECTED["clock_s"], 1, delta=1e-9)

    def gdalinfo(self, *args):
        return json.loads(subprocess.run(["gdalinfo", "-json", *args], stdout=subprocess.PIPE, check=True).stdout)

    def test_snapshot_in_gdalinfo(self):
        info = self.gdalinfo(f"NETCDF:{self.snapshot}:thickness")
        numpy.testing.assert_allclose(info["geoTransform"], self.transform(), rtol=1e-12)
        self.assertIn('ID["EPSG",32633]', info["coordinateSystem"]["wkt"])

    def test_map(self):
        info = self.gdalinfo("-stats", self.path("openmp", "maps", "deposit.tif"))
        self.assertEqual(info["geoTransform"], self.transform())
        self.assertIn('ID["EPSG",32633]', info["coordinateSystem"]["wkt"])
        self.assertEqual(info["metadata"]["IMAGE_STRUCTURE"]["LAYOUT"], "COG")
        deposit = open_snapshot(self.snapshot).deposit.values
        self.assertAlmostEqual(info["bands"][0]["maximum"], deposit.max(), places=3)

    def test_comparison_with_the_observed_extent(self):
        """Counted here from the snapshot and from the file of the observed event."""
        with open(os.path.join(self.files, "2006_000000000000_RealEvent.stt"), encoding="ascii") as f:
            observed = numpy.loadtxt(f, skiprows=6) > 0
        covered = open_snapshot(self.snapshot).deposit.values[0] > 0
        found = json.loads(self.sciara("compare", "openmp", "--observed", "etna/observed.tif", "--json").stdout)
        hits, misses, excess = (covered & observed).sum(), (~covered & observed).sum(), (covered & ~observed).sum()
        self.assertEqual([found[f"{name}_cells"] for name in ("hits", "misses", "excess")], [hits, misses, excess])
        self.assertAlmostEqual(found["jaccard"], hits / (hits + misses + excess), places=14)

    def test_import_lists_what_it_ignores(self):
        self.assertIn("ignored, since they belong to another model", self.imported.stdout)
        self.assertIn("the file declares 0 as NODATA", self.imported.stdout)
