#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sciara import: the files of an earlier SCIARA become a scenario that runs; what is wrong is refused whole."""
import os
import sys

sys.dont_write_bytecode = True
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
import case
from case import Case, read_json, record

import numpy
from osgeo import gdal

gdal.UseExceptions()
ROWS, COLS = 9, 12
RATES = {1: [2.5, 1.25, 0], 2: [0.75]}
CELLS = {1: (4, 5), 2: (6, 3)}
SLOT = 3600  # s


def altitude(row, col):
    return 0 if row == 0 and col < 3 else 500 + 4.125 * (ROWS - row) + 0.5 * col


def grid(values, nodata):
    lines = [f"ncols         {COLS}", f"nrows         {ROWS}", "xllcorner     499900.5", "yllcorner     4177000.25",
             "cellsize      10.0", f"NODATA_value  {nodata}"]
    lines += [" ".join(str(values(row, col)) for col in range(COLS)) for row in range(ROWS)]
    return "\n".join(lines) + "\n"


class Import(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("old files"))
        self.write(".cfg", "maximum_steps_(0_for_loop)\t0\nstopping_threshold\t-1\nPac\t 120.0\nPtsol\t1143\n")
        self.write("_Morphology.stt", grid(altitude, "0.0"))
        place = {cell: vent for vent, cell in CELLS.items()}
        self.write("_Vents.stt", grid(lambda row, col: place.get((row, col), 0), -9999))
        self.write("_RealEvent.stt", grid(lambda row, col: int(row > 3 and 2 < col < 7), -9999))
        vents = "".join(f"[VENT_ID]\t{vent}\n[EMISSION_RATE]\n" + "\n".join(map(str, rates)) + "\n"
                        for vent, rates in RATES.items())
        self.write("_EmissionRate.txt", f"[TIME]\t{SLOT}\n{vents}[END]\n")

    def write(self, suffix, text):
        with open(self.path("old files", "eruption" + suffix), "w", encoding="ascii") as f:
            f.write(text)

    def run_import(self, *args, code=0):
        return self.sciara("import", "old files/eruption.cfg", *args, code=code)

    def test_files(self):
        self.run_import("-o", "new", "--crs", "EPSG:32633")
        self.assertEqual(case.files(self.path("new")), ["dem.tif", "observed.tif", "scenario.json"])
        dem = gdal.Open(self.path("new", "dem.tif"))
        expected = [[altitude(r, c) or case.NODATA for c in range(COLS)] for r in range(ROWS)]
        numpy.testing.assert_array_equal(dem.ReadAsArray(), expected)
        self.assertEqual(dem.GetGeoTransform(), (499900.5, 10, 0, 4177090.25, 0, -10))
        self.assertEqual(dem.GetSpatialRef().GetAuthorityCode(None), "32633")
        self.assertEqual(dem.GetRasterBand(1).GetNoDataValue(), case.NODATA)
        observed = gdal.Open(self.path("new", "observed.tif"))
        numpy.testing.assert_array_equal(observed.ReadAsArray(),
                                         [[int(r > 3 and 2 < c < 7) for c in range(COLS)] for r in range(ROWS)])
        self.assertEqual(observed.GetGeoTransform(), dem.GetGeoTransform())

    def test_scenario(self):
        self.run_import("-o", "new", "--crs", "EPSG:32633")
        scenario = read_json(self.path("new", "scenario.json"))
        self.assertEqual(scenario["dem"]["path"], "dem.tif")
        self.assertNotIn("model", scenario, "the parameters of the old model")
        for vent, found in zip(RATES, scenario["vents"], strict=True):
            row, col = CELLS[vent]
            self.assertEqual((found["x"], found["y"]), (499900.5 + 10 * col + 5, 4177090.25 - 10 * row - 5))
            self.assertEqual(found["effusion"], {"slot": f"{SLOT} s", "rates_m3_s": RATES[vent]})

    def test_report(self):
        done = self.run_import("-o", "new", "--crs", "EPSG:32633")
        for line in ("eruption imported to new", "  dem.tif: 9 rows x 12 columns of 10 m, 3 cells NODATA",
                     "    the file declares 0 as NODATA: cells at altitude 0 are outside the DEM",
                     "    CRS: WGS 84 / UTM zone 33N (EPSG:32633)", "  observed.tif: 20 cells covered",
                     "  scenario.json: 2 vents, 16200 m3 in all",
                     "    vent 1: row 4, column 5, 3 slots of 3600 s, 13500 m3",
                     "    vent 2: row 6, column 3, 1 slots of 3600 s, 2700 m3"):
            self.assertIn(line, done.stdout.splitlines())
        ignored = done.stdout.split("ignored, ")[1].splitlines()[1:]
        self.assertEqual([" ".join(line.split()) for line in ignored],
                         ["maximum_steps_(0_for_loop) 0", "stopping_threshold -1", "Pac 120.0", "Ptsol 1143"])

    def test_the_scenario_runs(self):
        self.run_import("-o", "new", "--crs", "EPSG:32633")
        self.sciara("run", "new/scenario.json", "-q", "-n", 200)
        r = record(self.path("new", "scenario.out"))
        time = r["state"]["time_s"]
        self.assertLess(time, SLOT)
        self.assertAlmostEqual(r["ledger"]["emitted_m3"], (2.5 + 0.75) * time, delta=1e-6)

    def test_without_crs_and_observed_extent(self):
        os.remove(self.path("old files", "eruption_RealEvent.stt"))
        done = self.run_import("-o", "new")
        self.assertIn("CRS: none", done.stdout)
        self.assertIn("no observed extent", done.stdout)
        self.assertEqual(case.files(self.path("new")), ["dem.tif", "scenario.json"])
        said = self.sciara("run", "new/scenario.json", "-n", 1).stderr
        self.assertRegex(said, "warning: .*CRS")

    def test_what_is_there_stays(self):
        os.mkdir(self.path("new"))
        case.write_json(self.path("new", "scenario.json"), {"mine": True})
        before = case.tree(self.path("new"))
        self.assertIn("new: is not empty", self.run_import("-o", "new", code=3).stderr)
        self.assertEqual(case.tree(self.path("new")), before)
        self.run_import("-o", "new", "--overwrite")
        self.assertIn("vents", read_json(self.path("new", "scenario.json")))

    def check_refused(self, message, *args):
        done = self.run_import("-o", "new", *args, code=3)
        self.assertRegex(done.stderr, message)
        self.assertEqual(done.stdout, "")
        self.assertFalse(os.path.exists(self.path("new")), "something was written")

    def test_missing_files(self):
        for suffix in ("_Morphology.stt", "_Vents.stt", "_EmissionRate.txt"):
            with self.subTest(missing=suffix):
                os.rename(self.path("old files", "eruption" + suffix), self.path("away"))
                self.check_refused(rf"old files/eruption{suffix}: No such file or directory")
                os.rename(self.path("away"), self.path("old files", "eruption" + suffix))
        os.remove(self.path("old files", "eruption.cfg"))
        self.check_refused("eruption.cfg: No such file or directory")

    def test_files_that_do_not_fit(self):
        self.write("_EmissionRate.txt", f"[TIME] {SLOT}\n[VENT_ID] 1\n[EMISSION_RATE]\n1\n[END]\n")
        self.check_refused(r"eruption_Vents.stt: vent 2 at row 6, column 3 has no rates")
        self.write("_EmissionRate.txt", f"[TIME] {SLOT}\n[VENT_ID] 1\n[EMISSION_RATE]\n1 fast\n[END]\n")
        self.check_refused(r"eruption_EmissionRate.txt:4: found .*fast.*effusion rate")
        self.setUp()
        self.write("_Vents.stt", grid(lambda row, col: 0, -9999).replace(f"nrows         {ROWS}", "nrows 8"))
        self.check_refused("eruption_Vents.stt")
        self.setUp()
        self.write("_Morphology.stt", grid(altitude, "0.0").replace("502.0", "x02.0", 1).rsplit(" ", 1)[0])
        self.check_refused("eruption_Morphology.stt:")

    def test_a_crs_that_is_none(self):
        self.check_refused('CRS "EPSG:999999" is not known', "--crs", "EPSG:999999")


if __name__ == "__main__":
    case.main()
