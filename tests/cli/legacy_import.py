# SPDX-License-Identifier: Apache-2.0
"""sciara import: the files of an earlier SCIARA become a scenario that runs; a faulty set is refused as a whole."""
import os

import case
from case import Case, read_json, record
from geo import gdal

import numpy

ROWS, COLS = 9, 12
RATES = {2: [0.75], 1: [2.5, 1.25, 0]}
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
    def prepare_test(self):
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
        case.write_text(self.path("old files", "eruption" + suffix), text)

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
        for vent, found in zip(sorted(RATES), scenario["vents"], strict=True):
            row, col = CELLS[vent]
            self.assertEqual((found["x"], found["y"]), (499900.5 + 10 * col + 5, 4177090.25 - 10 * row - 5))
            self.assertEqual(found["effusion"], {"slot": f"{SLOT} s", "rates_m3_s": RATES[vent]})

    def test_another_extension(self):
        os.rename(self.path("old files", "eruption_Morphology.stt"), self.path("old files", "eruption_Morphology.asc"))
        found = self.run_import("-o", "new", code=4).stderr
        self.assertIn("There is old files/eruption_Morphology.asc: rename it if it is this file", found)
        os.rename(self.path("old files", "eruption_Morphology.asc"), self.path("old files", "eruption_Morphology.stt"))
        self.run_import("-o", "new")

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
        self.assert_parts(done.stdout, "CRS: none", "no observed extent")
        self.assertEqual(case.files(self.path("new")), ["dem.tif", "scenario.json"])
        said = self.sciara("run", "new/scenario.json", "-n", 1).stderr
        self.assertRegex(said, "warning: .*CRS")

    def test_existing_files_stay(self):
        os.mkdir(self.path("new"))
        case.write_json(self.path("new", "scenario.json"), {"mine": True})
        before = case.tree(self.path("new"))
        self.assertIn("new: is not empty", self.run_import("-o", "new", code=3).stderr)
        self.assertEqual(case.tree(self.path("new")), before)
        self.run_import("-o", "new", "--overwrite")
        self.assertIn("vents", read_json(self.path("new", "scenario.json")))


class OlderLayout(Case):
    """PARAMETERS.cfg and grids without a header."""

    PARAMETERS = f"nsteps \t100\nncols\t\t{COLS}\nnrows\t\t{ROWS}\nPclock \t60.00\nPc \t10\nPcv \t1150\n"

    def prepare_test(self):
        os.mkdir(self.path("etna_2001"))
        place = {cell: vent for vent, cell in CELLS.items()}
        self.write("PARAMETERS.cfg", self.PARAMETERS)
        self.write("MORPHOLOGY.stt", self.values(lambda row, col: altitude(row, col) or -9999))
        self.write("VENTS.stt", self.values(lambda row, col: place.get((row, col), 0)))
        vents = "".join(f"[VENT_ID]\n{vent}\n\n[EMISSION_RATE]\n" + "\n".join(map(str, rates)) + "\n\n"
                        for vent, rates in RATES.items())
        self.write("EMISSIONS_RATE.stt", f"[TIME]\n{SLOT}\n\n{vents}[END]")

    def write(self, name, text):
        case.write_text(self.path("etna_2001", name), text)

    @staticmethod
    def values(value):
        """As these programs wrote them: a blank after each value."""
        return "".join("".join(f"{value(row, col)} " for col in range(COLS)) + "\n" for row in range(ROWS))

    def run_import(self, *args, code=0):
        return self.sciara("import", "etna_2001/PARAMETERS.cfg", "-o", "new", *args, code=code)

    def test_files_and_report(self):
        done = self.run_import("--crs", "EPSG:32633", "--corner", "499900.5,4177000.25")
        self.assertEqual(case.files(self.path("new")), ["dem.tif", "scenario.json"])
        dem = gdal.Open(self.path("new", "dem.tif"))
        numpy.testing.assert_array_equal(
            dem.ReadAsArray(), [[altitude(r, c) or case.NODATA for c in range(COLS)] for r in range(ROWS)])
        self.assertEqual(dem.GetGeoTransform(), (499900.5, 10, 0, 4177090.25, 0, -10))
        for line in ("etna_2001 imported to new", "  dem.tif: 9 rows x 12 columns of 10 m, 3 cells NODATA",
                     "    the file declares no NODATA: -9999 counts as such, 0 as an altitude",
                     "    vent 1: row 4, column 5, 3 slots of 3600 s, 13500 m3", "    Pclock 60.00"):
            self.assertIn(line, done.stdout.splitlines())

    def test_the_same_set_in_both_layouts_is_the_same_problem(self):
        os.mkdir(self.path("newer"))
        for name, older in (("_EmissionRate.txt", "EMISSIONS_RATE.stt"), (".cfg", "PARAMETERS.cfg")):
            os.link(self.path("etna_2001", older), self.path("newer", "e" + name))
        for name, older, nodata in (("_Morphology.stt", "MORPHOLOGY.stt", -9999), ("_Vents.stt", "VENTS.stt", -9999)):
            values = case.read_text(self.path("etna_2001", older))
            case.write_text(self.path("newer", "e" + name), grid(lambda row, col: 0, nodata).split("\n0")[0] + "\n" + values)
        self.run_import("--corner", "499900.5,4177000.25")
        self.sciara("import", "newer/e.cfg", "-o", "other")
        for folder in ("new", "other"):
            self.sciara("run", f"{folder}/scenario.json", "-q", "-n", 100, "-o", f"{folder}.out")
        self.assert_identical("new.out", "other.out")

    def test_the_observed_extent_and_the_corner_of_it(self):
        covered = lambda row, col: int(row > 3 and 2 < col < 7)
        self.write("etna_RealEvent.stt", grid(covered, 0))
        done = self.run_import("--crs", "EPSG:32633")
        self.assertEqual(case.files(self.path("new")), ["dem.tif", "observed.tif", "scenario.json"])
        self.assertIn("  observed.tif: 20 cells covered\n    the corner of the grids is that in the header of "
                      "etna_2001/etna_RealEvent.stt\n", done.stdout)
        dem, observed = (gdal.Open(self.path("new", name)) for name in ("dem.tif", "observed.tif"))
        self.assertEqual(dem.GetGeoTransform(), (499900.5, 10, 0, 4177090.25, 0, -10))
        self.assertEqual(observed.GetGeoTransform(), dem.GetGeoTransform())
        numpy.testing.assert_array_equal(observed.ReadAsArray(),
                                         [[covered(r, c) for c in range(COLS)] for r in range(ROWS)])
        self.run_import("--crs", "EPSG:32633", "--corner", "499900.5,4177000.25", "--overwrite")

    def refused_with_extent(self, message, *args):
        self.assertIn(message, self.run_import(*args, code=3).stderr)
        self.assertFalse(os.path.exists(self.path("new")), "something was written")

    def test_an_observed_extent_that_does_not_fit(self):
        self.write("etna_RealEvent.stt", grid(lambda row, col: 0, 0))
        self.refused_with_extent("etna_2001/etna_RealEvent.stt: its header names the corner 499900.5, 4177000.25; --corner says "
                            "0, 4177000.25", "--corner", "0,4177000.25")
        self.write("b_RealEvent.stt", "")
        self.refused_with_extent("etna_2001: expected one file *_RealEvent.stt, found b_RealEvent.stt and etna_RealEvent.stt")
        os.remove(self.path("etna_2001", "b_RealEvent.stt"))
        self.write("etna_RealEvent.stt", grid(lambda row, col: 0, 0).replace("cellsize      10", "cellsize 20"))
        self.refused_with_extent("etna_2001/etna_RealEvent.stt: its header says 9 rows x 12 columns of 20 m, PARAMETERS.cfg 9 x "
                            "12 of 10")
