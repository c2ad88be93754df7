# SPDX-License-Identifier: Apache-2.0
"""The ground of a run: sea, edits, windows, resampling, and the ground that one run leaves to the next."""
import gzip
import json
import os
import re
import shutil
import sqlite3
import struct
import subprocess

import case
import geo
from case import CELL, COLS, NODATA, NORTH, ROWS, WEST, ScenarioCase, open_snapshot, record
from geo import gdal, ogr

import h5py
import numpy

DEM = {"path": "dem.asc", "crs": "EPSG:32633"}


def read(path, band=1):
    data = gdal.Open(path)
    return data.GetRasterBand(band).ReadAsArray(), data.GetGeoTransform()


def bands(path):
    data = gdal.Open(path)
    return {data.GetRasterBand(k + 1).GetDescription(): data.GetRasterBand(k + 1).ReadAsArray()
            for k in range(data.RasterCount)}


def base():
    return numpy.array([[NODATA if case.is_sea(r, c) else case.altitude(r, c) for c in range(COLS)]
                        for r in range(ROWS)])


def centre(row, col):
    return [WEST + (col + 0.5) * CELL, NORTH - (row + 0.5) * CELL]


def write_tif(path, values, west, north, dx, dy, epsg, nodata=None):
    geo.write_raster(path, values, gdal.GDT_Float64, [west, dx, 0, north, 0, -dy], epsg, nodata)


class Ground(ScenarioCase):
    def write(self, name="s.json", **dem):
        case.write_json(self.path(name), case.scenario(dem={**DEM, **dem}))

    def ground(self, **dem):
        """The bands of dem.tif of a run of one step."""
        self.write(**dem)
        return bands(os.path.join(self.run_scenario("g.out", "--steps", "1", "--overwrite"), "dem.tif"))

    def messages(self, *args, code=0, **dem):
        self.write("m.json", **dem)
        return self.sciara("check", "m.json", *args, code=code).stderr


class Sea(Ground):
    def ledger(self, folder):
        return record(self.path(folder))["ledger"]

    def test_level(self):
        level = 1040
        self.write(sea=level)
        self.write_scenario("dry.json")
        low = base() <= level
        low[0:3, 0:4] = False
        found = bands(os.path.join(self.run_scenario("a"), "dem.tif"))
        self.assertTrue(((found["sea"] == 1) == low).all())  # all of it is connected with the edge
        self.assertNotIn("dem.band", self.messages(path="a/dem.tif", crs=None))  # the other band is no choice
        self.run_scenario("dry", name="dry.json")
        self.assertNotIn("sea_m3", self.ledger("dry"))
        ledger = self.ledger("a")
        self.assertGreater(ledger["sea_m3"], 100)
        self.assertEqual(ledger["lost_m3"], 0)
        self.assertLessEqual(abs(ledger["residual_m3"]), ledger["bound_m3"])
        self.assertAlmostEqual(ledger["solid_m3"] + ledger["liquid_m3"] + ledger["sea_m3"], 6000, delta=1e-6)
        state = open_snapshot(self.path("a", record(self.path("a"))["snapshots"][-1]["name"]))
        self.assertEqual(float(state.attrs["ledger_sea_m3"]), ledger["sea_m3"])
        self.assertEqual(float(state.deposit.values.squeeze()[low].sum()), 0)
        self.assertIn("entered the sea", self.sciara("info", "a").stdout)
        self.assertNotIn("entered the sea", self.sciara("info", "dry").stdout)
        table = self.sciara("export", "a", "-f", "csv", "-o", "a.csv") and open(self.path("a.csv"), encoding="utf-8")
        with table:
            head, *rows = [line.strip().split(",") for line in table]
        self.assertEqual(head[-2:], ["left_map_m3", "entered_sea_m3"])
        for column, key in ((-2, "lost_m3"), (-1, "sea_m3")):
            self.assertAlmostEqual(float(rows[-1][column]), ledger[key], delta=1e-6)

    def test_a_lake_is_no_sea(self):
        values = base()
        values[10:13, 30:33] = 900  # low, but connected with nothing
        values[27:, :] = 900
        write_tif(self.path("lake.tif"), values, WEST, NORTH, CELL, CELL, 32633, NODATA)
        sea = self.ground(path="lake.tif", crs=None, sea=900)["sea"]
        self.assertTrue((sea[27:] == 1).all())
        self.assertEqual(sea[:27].sum(), 0)

    def test_nodata_and_polygons(self):
        sea = self.ground(sea="nodata")["sea"]
        self.assertTrue(((sea == 1) == (base() == NODATA)).all())
        x0, y0 = centre(20, 5)
        x1, y1 = centre(29, 25)
        square = f"POLYGON(({x0} {y0 + 1}, {x1 + 1} {y0 + 1}, {x1 + 1} {y1 - 900}, {x0} {y1 - 900}, {x0} {y0 + 1}))"
        geo.write_features(self.path("sea.gpkg"), [square])
        sea = self.ground(sea="sea.gpkg")["sea"]
        expected = numpy.zeros((ROWS, COLS))
        expected[20:, 6:26] = 1
        expected[20:, 5] = sea[20:, 5]  # a centre on the border may be inside or outside
        self.assertTrue((sea == expected).all())
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = (centre(*place) for place in ((15, 3), (29, 25), (22, 10), (24, 14)))
        ring = lambda a, b, c, d: f"({a - 1} {b + 1}, {c + 1} {b + 1}, {c + 1} {d - 1}, {a - 1} {d - 1}, {a - 1} {b + 1})"
        geo.write_features(self.path("island.gpkg"), [f"POLYGON({ring(x0, y0, x1, y1)}, {ring(x2, y2, x3, y3)})"])
        self.tool("ogr2ogr", "-f", "GeoJSON", "-t_srs", "EPSG:4326", "-lco", "COORDINATE_PRECISION=10", "island.geojson", "island.gpkg")
        expected = numpy.zeros((ROWS, COLS))
        expected[15:30, 3:26] = 1
        expected[22:25, 10:15] = 0  # land within the sea
        for name in ("island.gpkg", "island.geojson"):
            self.assertTrue((self.ground(sea=name)["sea"] == expected).all(), name)

    def test_below_zero(self):
        """Land may lie below 0 m: a level is compared as it is, and sea without altitudes is as low as the lowest land."""
        values = base() - 1045  # from -61 to 45 m
        values[base() == NODATA] = NODATA
        values[5:8, 1:4] = -200  # a hole in the land
        write_tif(self.path("low.tif"), values, WEST, NORTH, CELL, CELL, 32633, NODATA)
        found = self.ground(path="low.tif", crs=None, sea=-20)
        low = (values <= -20) & (values != NODATA)
        low[5:8, 1:4] = False  # connected with nothing
        self.assertTrue(100 < low.sum() < values.size - 100)
        self.assertTrue(((found["sea"] == 1) == low).all())
        found = self.ground(path="low.tif", crs=None, sea="nodata")
        self.assertEqual(found["sea"].sum(), (values == NODATA).sum())
        altitude = found["altitude before the eruption"]
        self.assertEqual(set(altitude[values == NODATA]), {-200})
        self.assertTrue((altitude == values)[values != NODATA].all())

    def test_all_engines_and_resume(self):
        self.write(sea=1040)
        self.run_scenario("a", "--engine", "serial")
        for engine in ("openmp", "checked"):
            self.run_scenario(engine, "--engine", engine)
            a, b = record(self.path("a")), record(self.path(engine))
            self.assertEqual((a["snapshots"], a["state"], a["ledger"]), (b["snapshots"], b["state"], b["ledger"]))
        self.run_scenario("half", "--set", "output.checkpoint_every=600", "--steps", "150")
        os.rename(self.path("dem.asc"), self.path("moved.asc"))  # a run continues without its DEM
        self.sciara("resume", "half", "-q", "-o", "rest", "--steps", "100000")
        self.assertEqual(record(self.path("rest"))["state"], record(self.path("a"))["state"])
        self.assertEqual(self.ledger("rest"), self.ledger("a"))
        self.assertTrue((bands(self.path("rest", "dem.tif"))["sea"] == bands(self.path("a", "dem.tif"))["sea"]).all())

    def test_undeclared(self):
        values = base()
        values[25:, :] = 0
        write_tif(self.path("zero.tif"), values, WEST, NORTH, CELL, CELL, 32633, NODATA)
        self.assertIn('"dem.sea": 0', self.messages(path="zero.tif", crs=None))
        self.assertNotIn('"dem.sea": 0', self.messages(path="zero.tif", crs=None, sea=0))
        self.assertNotIn("dem.sea", self.messages())
        inland = base()
        inland[10:20, 10:20] = 0
        write_tif(self.path("pond.tif"), inland, WEST, NORTH, CELL, CELL, 32633, NODATA)
        self.assertNotIn("dem.sea", self.messages(path="pond.tif", crs=None))
        values[values == NODATA] = -32768
        write_tif(self.path("void.tif"), values, WEST, NORTH, CELL, CELL, 32633)
        self.assertIn("dem.nodata", self.messages(path="void.tif", crs=None, code=3))
        self.messages(path="void.tif", crs=None, nodata=-32768)

    def test_refused(self):
        for sea, part in ((5000, "expected land, found sea"), ("none.gpkg", "dem.sea"), (True, "dem.sea: expected a level"),
                          (1060, "a cell of the sea")):
            self.assertIn(part, self.messages(sea=sea, code=4 if sea == "none.gpkg" else 3))
        geo.write_features(self.path("line.gpkg"), [f"LINESTRING({WEST} {NORTH}, {WEST + 5} {NORTH})"])
        self.assertIn("expected a polygon", self.messages(sea="line.gpkg", code=3))


class Stored(Ground):
    """What GDAL reads without a word: alpha bands, marks of missing values, orders of dimensions, headers of other files."""

    def stored(self, name, values, kind=gdal.GDT_Float32, alpha=None, scale=None):
        geo.write_raster(self.path(name), values if alpha is None else numpy.array([values, alpha]), kind)
        out = gdal.Open(self.path(name), gdal.GA_Update)
        if alpha is not None:
            out.GetRasterBand(2).SetColorInterpretation(gdal.GCI_AlphaBand)
        if scale:
            out.GetRasterBand(1).SetScale(scale)

    def land(self):
        return numpy.array([[case.altitude(r, c) for c in range(COLS)] for r in range(ROWS)])

    def read_back(self, name, **dem):
        self.write(path=name, crs=None, **dem)
        return read(os.path.join(self.run_scenario("g.out", "--steps", "1", "--overwrite"), "dem.tif"))[0]

    def test_alpha(self):
        hidden = numpy.zeros((ROWS, COLS), bool)
        hidden[2:5, 7:9] = hidden[20, 30] = True
        alpha = numpy.where(hidden, 0, 255)
        alpha[10, 10] = 1  # hardly opaque, but not 0
        for kind in (gdal.GDT_UInt16, gdal.GDT_Float32):
            self.stored("a.tif", numpy.where(hidden, 0, self.land()), kind, alpha)
            z = self.read_back("a.tif")
            self.assertTrue(((z == NODATA) == hidden).all())
            self.assertIn("a.tif: band 2 is an alpha band: cells where it is 0 are NODATA", self.messages(path="a.tif", crs=None))
        warped = gdal.Warp("", self.path("a.tif"), format="MEM", dstNodata=NODATA)
        self.assertTrue(((warped.GetRasterBand(1).ReadAsArray() == NODATA) == hidden).all())
        self.assertIn("band 2 is an alpha band, which", self.messages(path="a.tif", crs=None, band=2, code=3))

    MARKS = [(gdal.GDT_UInt16, 65535, None), (gdal.GDT_UInt16, 55537, None), (gdal.GDT_Int16, 32767, None),
             (gdal.GDT_Int16, -32767, None), (gdal.GDT_Float32, 9999, None), (gdal.GDT_Float32, -999, None),
             (gdal.GDT_Int16, -9999, 0.1), (gdal.GDT_Int16, 32767, 0.1), (gdal.GDT_Float64, 99999, None)]

    def test_marks(self):
        """Refused with two cures, of which each makes exactly these cells NODATA."""
        hole = numpy.zeros((ROWS, COLS), bool)
        hole[12:14, 21:26] = True
        for kind, value, scale in self.MARKS:
            self.stored("m.tif", numpy.where(hole, value, self.land() / (scale or 1)), kind, scale=scale)
            found = self.messages(path="m.tif", crs=None, code=3)
            self.assert_parts(found, "m.tif: cell row 12, column 21 has altitude", "probably a NODATA value")
            self.assertEqual("like 9 others" in found, value > -12000)  # lower: refused at the first cell
            self.assertTrue(((self.read_back("m.tif", nodata=value) == NODATA) == hole).all(), (value, scale))
            subprocess.run(["bash", "-c", found.split("declare it with: ")[1].splitlines()[0]], cwd=self.work, check=True, stdout=subprocess.DEVNULL)
            self.assertTrue(((self.read_back("declared.tif") == NODATA) == hole).all(), (value, scale))

    def test_a_value_far_from_all_others(self):
        for value, says in ((0, True), (400, True), (2500, True), (1040.5, False)):
            z = self.land()
            z[12:14, 21:26] = value
            self.stored("h.tif", z)
            gap = numpy.abs(self.land().astype(numpy.float32) - value)
            gap[12:14, 21:26] = numpy.inf
            warning = (f"warning: ./h.tif: 10 cells have an altitude of exactly {value} m, {gap.min():.4g} m from all others; "
                       f"the first is row 12, column 21. If this is no ground, give {value} as dem.nodata")
            self.assertEqual(warning in self.messages(path="h.tif", crs=None), says, value)
            self.assertEqual("from all others" in self.messages(path="h.tif", crs=None), says, value)
        z = self.land() - self.land().min() + 15  # 0 is pointed out at half the distance of other values, 10 m
        z[12:14, 21:26] = 0
        self.stored("low.tif", z)
        self.assertRegex(self.messages(path="low.tif", crs=None), "10 cells have an altitude of exactly 0 m, 1[5-9][.0-9]* m from all others")
        z = self.land() - 999  # the same number as a part of the ground: a slope that passes -999 m
        z[15] = numpy.linspace(-1003, -995, COLS)
        z[15, 3] = -999
        z[0:3] = numpy.linspace(-999.5, z.max(), 3 * COLS).reshape(3, COLS)
        self.stored("deep.tif", z)
        self.assertNotIn("others", self.messages(path="deep.tif", crs=None))

    def netcdf(self, name, order, unit="m", attributes=True):
        axes = {"y": NORTH - (numpy.arange(ROWS) + 0.5) * CELL, "x": WEST + (numpy.arange(COLS) + 0.5) * CELL}
        with h5py.File(self.path(name), "w") as f:
            for key, values in axes.items():
                f.create_dataset(key, data=values * (1e-3 if unit == "km" else 1)).make_scale(key)
                f[key].attrs["units"] = numpy.bytes_(unit)
                if attributes:
                    f[key].attrs["standard_name"] = numpy.bytes_(f"projection_{key}_coordinate")
            band = f.create_dataset("z", data=self.land() if order == "yx" else self.land().T)
            for k, key in enumerate(order):
                band.dims[k].attach_scale(f[key])

    def test_netcdf(self):
        for name, how, says in (("xy.nc", {"order": "xy"}, "expected the dimensions of z in the order y, x; found x, y"),
                                ("km.nc", {"order": "yx", "unit": "km"}, "its axis x is in \"km\", expected m")):
            self.netcdf(name, **how)
            found = self.messages(path=name, code=3)
            self.assertIn(says, found)
            command = found.split(" with: ")[1].splitlines()[0]
            subprocess.run(["bash", "-c", command], cwd=self.work, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.write(path=command.split()[-1])
            z, t = read(os.path.join(self.run_scenario("g.out", "--steps", "1", "--overwrite"), "dem.tif"))
            self.assertTrue((z == self.land()).all())
            self.assertEqual((t[0], t[3]), (WEST, NORTH))
            if how["order"] == "xy":
                with h5py.File(self.path("a.nc"), "w") as f:  # the name of a variable is a word of the command, not a command
                    f.create_dataset("x", data=numpy.arange(40.0)).make_scale("x")
                    f.create_dataset("y", data=numpy.arange(30.0)).make_scale("y")
                    f.create_dataset("z'; touch taken; '", data=self.land().T)
                    f["z'; touch taken; '"].dims[0].attach_scale(f["x"])
                    f["z'; touch taken; '"].dims[1].attach_scale(f["y"])
                found = self.messages(path="a.nc", code=3)
                self.assertIn("name=z", found)
                subprocess.run(["bash", "-c", found.split(" with: ")[1].splitlines()[0]], cwd=self.work, check=False,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.assertFalse(os.path.exists(self.path("taken")))
        self.netcdf("bare.nc", "yx", attributes=False)
        self.assertIn("Its axes y and x need the attribute standard_name", self.messages(path="bare.nc", code=3))
        self.netcdf("bare.nc", "xy", attributes=False)
        self.assertIn("found x, y", self.messages(path="bare.nc", code=3))

    def test_first_bytes(self):
        """The commands that a message gives make a file that is read."""
        plain = case.read_bytes(self.path("dem.asc"))
        head = b"".join(line.replace(b" ", b",", 1) + b"\n" for line in plain.splitlines()[:6])
        files = {"bom.asc": b"\xef\xbb\xbf" + plain, "wide.asc": plain.decode().encode("utf-16"),
                 "big.asc": plain.decode().encode("utf-16-be"), "little.asc": plain.decode().encode("utf-16-le"),
                 "marked.asc": ("\ufeff" + plain.decode()).encode("utf-16-be"),
                 "commas.asc": head + b"\n".join(plain.splitlines()[6:]),
                 "dem.asc.gz": gzip.compress(plain), "packed.asc": gzip.compress(plain)}
        for program, suffix in (("bzip2", "bz2"), ("xz", "xz"), ("zstd", "zst")):
            if shutil.which(program):
                files["dem.asc." + suffix] = subprocess.run([program, "-c"], input=plain, stdout=subprocess.PIPE, check=True).stdout
        for name, content in files.items():
            case.write_bytes(self.path(name), content)
            found = self.messages(path=name, code=3)
            self.assertIn(f"{name}: cannot be opened as a raster: it ", found)
            command = found.split("with: ")[1].splitlines()[0]
            subprocess.run(["bash", "-c", command], cwd=self.work, check=True)
            made = command.split("'")[-2]
            self.messages(path=made)
            self.assertEqual(case.read_bytes(self.path(made)).split(), plain.split(), name)


class Edits(Ground):
    def test_polygons_in_order(self):
        def square(size):
            (x0, y0), (x1, y1) = centre(10, 10), centre(10 + size, 10 + size)
            return [[x0 - 1, y0 + 1], [x1 + 1, y0 + 1], [x1 + 1, y1 - 1], [x0 - 1, y1 - 1]]
        found = self.ground(edits=[{"polygon": square(6), "level_m": 1000}, {"polygon": square(2), "raise_m": -4}])
        z = found["altitude before the eruption"]
        self.assertTrue((z[10:13, 10:13] == 996).all())
        self.assertTrue((z[found["edit"] == 1] == 1000).all())
        self.assertTrue((found["edit"][10:13, 10:13] == 2).all())
        self.assertEqual((found["edit"] == 1).sum(), 49 - 9)
        said = self.messages(edits=[{"polygon": square(6), "level_m": 1000}, {"polygon": square(2), "raise_m": -4}])
        changes = 1000 - base()[10:17, 10:17]
        self.assertTrue(changes.max() - changes.min() > 10 and changes.max() < 0)
        for number, cells, change in ((0, 49, changes), (1, 9, numpy.full(9, -4))):
            numbers = re.search(rf"dem\.edits\[{number}\] \(edit {number + 1}\): {cells} cells are changed by (\S+)(?: to (\S+))? m, "
                                r"(\S+) m3 in all", said)
            self.assertIsNotNone(numbers, said)
            low, high, volume = numbers.groups()
            self.assertEqual(high is None, change.min() == change.max())
            for shown, value in zip((low, high or low, volume), (change.min(), change.max(), change.sum() * CELL * CELL)):
                self.assertAlmostEqual(float(shown) / value, 1, delta=1e-3)

    def test_pieces_are_one_work(self):
        """A dam, a ditch or a fill in pieces, as parts of a feature or as features, in a file or dated, changes the cells that it
        would in one piece, each once; where works of a file differ, the larger one counts."""
        (x0, y0), (x1, _), (x2, y2) = centre(10, 5), centre(10, 20), centre(22, 20)
        whole = f"({x0} {y0},{x1} {y0},{x2} {y2})"
        first, second = f"({x0} {y0},{x1} {y0})", f"({x1} {y0},{x2} {y2})"
        forms = {"whole": [f"LINESTRING{whole}"], "parts": [f"MULTILINESTRING({first},{second})"],
                 "features": [f"LINESTRING{first}", f"LINESTRING{second}"], "twice": [f"LINESTRING{whole}"] * 2}
        for name, geometries in forms.items():
            geo.write_features(self.path(f"{name}.gpkg"), geometries)
        for work in ({"width_m": 10, "height_m": 5}, {"width_m": 35, "height_m": 5}, {"width_m": 35, "depth_m": 2}, {"width_m": 35, "crest_m": 1060}):
            for more in ({}, {"from": "1 h"}):
                said = {}
                for name in forms:
                    found = self.messages("--no-estimate", edits=[{"file": f"{name}.gpkg", **work, **more}])
                    said[name] = re.search(r"dem.edits\[0\] \(edit 1\): (.*)", found)[1]
                self.assertEqual(set(said.values()), {said["whole"]}, work)
        plain = self.ground(edits=[{"file": "whole.gpkg", "width_m": 35, "height_m": 5}])["altitude before the eruption"] - base()
        self.assertEqual(set(numpy.round(plain[3:].ravel(), 6)), {0, 5})
        for name in ("parts", "features", "twice"):
            found = self.ground(edits=[{"file": f"{name}.gpkg", "width_m": 35, "height_m": 5}])["altitude before the eruption"] - base()
            self.assertTrue((found == plain).all(), name)
        box = lambda c0, c1, r0, r1: (f"(({centre(r0, c0)[0] - 1} {centre(r0, c0)[1] + 1},{centre(r0, c1)[0] + 1} {centre(r0, c0)[1] + 1},"
                                      f"{centre(r0, c1)[0] + 1} {centre(r1, c0)[1] - 1},{centre(r0, c0)[0] - 1} {centre(r1, c0)[1] - 1},"
                                      f"{centre(r0, c0)[0] - 1} {centre(r0, c0)[1] + 1}))")
        geo.write_features(self.path("fill.gpkg"), [f"MULTIPOLYGON({box(5, 14, 10, 12)},{box(10, 19, 10, 12)})"])
        self.assertIn("45 cells are changed by 3 m, 13500 m3 in all", self.messages(edits=[{"file": "fill.gpkg", "raise_m": 3}]))
        geo.write_features(self.path("two.gpkg"), [f"POLYGON{box(5, 14, 10, 12)}", f"POLYGON{box(10, 19, 10, 12)}", f"LINESTRING{first}"],
                       [{"raise_m": -2}, {"raise_m": 1}, {"height_m": 7, "width_m": 1}])
        change = self.ground(edits=[{"file": "two.gpkg"}])["altitude before the eruption"] - base()
        self.assertTrue((change[11, 5:15] == -2).all() and (change[11, 15:20] == 1).all())
        self.assertTrue((change[10, 6:15] == 5).all(), "a fill, and then a dam on it")
        self.assertIn("46 cells are changed", self.messages(edits=[{"file": "two.gpkg"}]))
        geo.write_features(self.path("deep.gpkg"), [f"POLYGON{box(5, 20, 10, 10)}"] + [f"LINESTRING{first}"] * 2,
                           [{"raise_m": -2000}, *({"crest_m": crest, "width_m": 1} for crest in (-300, -400))])
        self.assertTrue((self.ground(edits=[{"file": "deep.gpkg"}])["altitude before the eruption"][10, 6:15] == -300).all(), "the higher crest")

    def test_file(self):
        (x0, y0), (x1, y1) = centre(10, 5), centre(10, 35)
        box = f"POLYGON(({x0} {y0 - 50}, {x1} {y0 - 50}, {x1} {y0 - 80}, {x0} {y0 - 80}, {x0} {y0 - 50}))"
        geo.write_features(self.path("w.gpkg"), [f"LINESTRING({x0} {y0}, {x1} {y1})", f"LINESTRING({x0} {y0 - 30}, {x1} {y0 - 30})", box],
                       [{"height_m": 9}, {}, {"raise_m": 2}])
        # GeoJSON of the same in degrees: the columns are read, the CRS is changed
        subprocess.run(["ogr2ogr", "-f", "GeoJSON", "-t_srs", "EPSG:4326", self.path("w.geojson"), self.path("w.gpkg")], check=True)
        for name in ("w.gpkg", "w.geojson"):
            found = self.ground(edits=[{"file": name, "width_m": 2, "depth_m": 5}])
            change = found["altitude before the eruption"] - base()
            self.assertTrue((change[10, 6:35] == 9).all(), name)
            self.assertTrue((change[13, 6:35] == -5).all(), name)
            self.assertTrue((change[16, 6:35] == 2).all(), name)
        self.assertIn("a.txt", self.messages(edits=[{"file": "a.txt", "width_m": 2, "depth_m": 5}], code=4))

    def test_hash_and_products(self):
        a, b = centre(15, 10), centre(15, 30)
        self.run_scenario("plain")
        self.write(edits=[{"name": "dam", "line": [a, b], "width_m": 25, "height_m": 7.5},
                          {"name": "ditch", "line": [centre(20, 12), centre(20, 22)], "width_m": 1, "depth_m": 2}])
        self.run_scenario("dammed")
        self.assertNotEqual(record(self.path("plain"))["dem_hash"], record(self.path("dammed"))["dem_hash"])
        self.sciara("export", "dammed", "-q", "-f", "gpkg", "-o", "a.gpkg")
        source = ogr.Open(self.path("a.gpkg"))
        marks = bands(self.path("dammed", "dem.tif"))["edit"]
        self.assertEqual([(one["label"], one["cells"]) for one in source.GetLayerByName("edits")],
                         [("dam", (marks == 1).sum()), ("ditch", (marks == 2).sum())])
        self.assertGreater((marks == 1).sum(), (marks == 2).sum())
        self.sciara("export", "dammed", "-q", "-f", "geojson", "--layer", "edits", "-o", "a.geojson")
        self.assertEqual([x["properties"]["label"] for x in case.read_json(self.path("a.geojson"))["features"]], ["dam", "ditch"])
        self.assertIn("no dem.edits", self.sciara("export", "plain", "-f", "geojson", "--layer", "edits", "-o", "b.geojson", code=3).stderr)
        self.sciara("export", "plain", "-q", "-f", "gpkg", "-o", "b.gpkg")
        source = ogr.Open(self.path("b.gpkg"))
        self.assertIsNone(source.GetLayerByName("edits"))

    REFUSED = [
        ({"line": [[1, 1], [2, 2]], "width_m": 5, "height_m": 1}, "dem.edits[0] (edit 1): point 0: expected x from"),
        ({"line": [[1, 1], [2, 2]], "width_m": 5}, "dem.edits[0]: expected width_m and exactly one of"),
        ({"line": [[1, 1], [2, 2]], "height_m": 5}, "dem.edits[0]: expected width_m and exactly one of"),
        ({"line": [[1, 1], [2, 2]], "width_m": 5, "height_m": 5, "depth_m": 5}, "found width_m and several of them"),
        ({"line": [[1, 1], [2, 2]], "width_m": 5, "height_m": 5, "raise_m": 5}, "found raise_m"),
        ({"polygon": [[1, 1], [2, 2]], "raise_m": 5}, "dem.edits[0]: polygon: expected at least 3 points"),
        ({"polygon": [[1, 1], [2, 2], [1, 2]]}, "dem.edits[0]: expected exactly one of raise_m, level_m"),
        ({"raise_m": 1}, "dem.edits[0]: expected exactly one of: line, polygon, file"),
        ({"line": [[1, 1], [2, 2]], "width_m": -5, "height_m": 5}, "dem.edits[0].width_m: expected"),
        ({"line": [[1, 1], [2, 2]], "widht_m": 5, "height_m": 5}, "dem.edits[0].widht_m: unknown key"),
        ({"file": "dem.asc", "width_m": 5, "height_m": 5}, "dem.edits[0] (edit 1): ./dem.asc: "),
    ]

    def test_refused(self):
        for edit, part in self.REFUSED:
            self.assertIn(part, self.messages(edits=[edit], code=3))


class FarAway(Ground):
    """Polygons and lines in degrees that reach around the Earth, lie on its other side, or have edges of thousands of kilometres,
    compared with which centres of cells lie in them by longitude and latitude."""

    def setUp(self):
        super().setUp()
        self.place(32633, WEST, NORTH)

    def place(self, epsg, west, north):
        """A DEM in this CRS; longitudes and latitudes of the centres of its cells, 0 to 360."""
        self.epsg = epsg
        write_tif(self.path("dem.tif"), numpy.round(base() % 2000, 2), west, north, CELL, CELL, epsg)
        points = [(west + (c + 0.5) * CELL, north - (r + 0.5) * CELL) for r in range(ROWS) for c in range(COLS)]
        placed = numpy.array(geo.transformation(epsg, 4326).TransformPoints(points))[:, :2]
        self.lon, self.lat = (placed[:, k].reshape(ROWS, COLS) for k in range(2))
        self.middle = self.lon[ROWS // 2, COLS // 2], self.lat[ROWS // 2, COLS // 2]
        first = -180
        if abs(self.middle[0]) > 179:  # a file that counts to 360
            first, self.middle = 0, (self.middle[0] % 360, self.middle[1])
        self.globe = [(first, -90), (first + 360, -90), (first + 360, 90), (first, 90)]

    def inside(self, *rings):
        """Whether each centre lies in an odd number of rings, in any turn."""
        found = numpy.zeros((ROWS, COLS), bool)
        for ring in rings:
            for turn in (-360, 0, 360):
                for (x0, y0), (x1, y1) in zip(ring, ring[1:] + ring[:1]):
                    lon = self.lon + turn
                    between = (self.lat < y0) != (self.lat < y1)
                    if y0 != y1:
                        found ^= between & (lon < x0 + (self.lat - y0) / (y1 - y0) * (x1 - x0))
        return found

    def write_degrees(self, name, *geometries):
        features = [{"type": "Feature", "properties": {"name": f"place {k + 1}"}, "geometry": {"type": kind, "coordinates": points}}
                    for k, (kind, points) in enumerate(geometries)]
        return case.write_json(self.path(name), {"type": "FeatureCollection", "features": features})

    def around(self, *offsets):
        """Points about the middle of the DEM, in degrees from it."""
        return [(self.middle[0] + x, self.middle[1] + y) for x, y in offsets]

    @staticmethod
    def closed(*rings):
        return [[list(point) for point in ring + ring[:1]] for ring in rings]

    def check_sea(self, expected, *polygons, name=None):
        """The cells that are sea in polygons, each a list of rings; the vent lies in the middle of some land."""
        self.write_degrees("p.geojson", *(("Polygon", self.closed(*rings)) for rings in polygons))
        land = [(r, c) for r in range(2, ROWS - 2) for c in range(2, COLS - 2) if not expected[r - 1:r + 2, c - 1:c + 2].any()]
        row, col = land[len(land) // 2]
        vent = {"row": row, "col": col, "effusion": {"slot": "10 min", "rates_m3_s": [4]}}
        case.write_json(self.path("s.json"), case.scenario(dem={"path": "dem.tif", "sea": "p.geojson"}, vents=[vent]))
        folder = self.run_scenario("g.out", "--steps", "1", "--overwrite")
        found = bands(os.path.join(folder, "dem.tif")).get("sea", numpy.zeros((ROWS, COLS))) == 1
        self.assertTrue((found == expected).all(), f"{name}: {(found != expected).sum()} cells of {expected.sum()}")

    def check_shapes(self):
        a = self.around
        wide = 1e-3 / numpy.cos(numpy.radians(self.middle[1]))  # degrees of about 100 m
        island = a((-wide, -5e-4), (wide, -8e-4), (wide / 2, 9e-4), (-2 * wide, 1e-3))
        half = a((-50, -15.00003), (50, 15), (50, 30), (-50, 35))  # its southern edge crosses the DEM, straight in degrees
        shapes = {"with an island": [self.globe, island], "an island": [island],
                  "a long edge": [half], "a hemisphere": [a((-100, -30), (1e-4, -30), (1e-4, 30), (-100, 30))],
                  "a triangle": [a((-8, 3), (9, 4), (2e-4, -1e-3))]}
        for name, rings in shapes.items():
            rings = [[(x, max(-90, min(90, y))) for x, y in ring] for ring in rings]
            expected = ~self.inside(island) if name == "with an island" else self.inside(*rings)
            self.assertTrue(0 < expected.sum() < expected.size, name)
            self.check_sea(expected, rings, name=name)
        self.write_degrees("all.geojson", ("Polygon", self.closed(self.globe)))
        self.assertIn(f"found sea in all {ROWS * COLS} cells", self.messages(path="dem.tif", crs=None, sea="all.geojson", code=3))

    def test_shapes(self):
        self.check_shapes()

    def test_at_the_antimeridian(self):
        """Taveuni, Fiji, in UTM 1S: its western half lies at 180 degrees east, in files that count to 180 or to 360."""
        self.place(32701, 180010, 8140300)
        self.assertTrue(((self.lon % 360 < 180).any() and (self.lon % 360 > 180).any()), (self.lon.min(), self.lon.max()))
        self.check_shapes()
        near = self.middle[0] % 360
        ring = [(near - 0.5, -17), (near + 0.0002, -17), (near + 0.0002, -16), (near - 0.5, -16)]
        self.check_sea(self.inside(ring), [ring])
        west = [(x - 360, y) for x, y in ring]
        self.check_sea(self.inside(west), [west])
        for east in (-80, -179.5):  # once around, or across
            self.write_degrees("p.geojson", ("Polygon", self.closed([(179.5, -17), (east, -17), (east, -16), (179.5, -16)])))
            found = self.messages(path="dem.tif", crs=None, sea="p.geojson", code=3)
            self.assertIn(f"p.geojson: feature 1: an edge leads from longitude 179.5 to {east}: expected geometry that is cut at the antimeridian", found)
        subprocess.run(["bash", "-c", found.split("antimeridian: ")[1].splitlines()[0]], cwd=self.work, check=True, stderr=subprocess.DEVNULL)
        self.assertIn(f"found sea in all {ROWS * COLS} cells", self.messages(path="dem.tif", crs=None, sea="p-cut.gpkg", code=3))

    def test_not_finite(self):
        geo.write_features(self.path("nan.gpkg"), ["LINESTRING(500010 4177010, 500100 4177100)"] * 2)
        with sqlite3.connect(self.path("nan.gpkg")) as db:
            geometry = db.execute("SELECT geom FROM works WHERE fid = 2").fetchone()[0]
            db.create_function("ST_IsEmpty", 1, lambda g: 0)  # the triggers of the index call them
            for k, name in enumerate(("ST_MinX", "ST_MaxX", "ST_MinY", "ST_MaxY")):
                db.create_function(name, 1, lambda g, k=k: (500010, 500100, 4177010, 4177100)[k])
            db.execute("UPDATE works SET geom = ? WHERE fid = 2", (geometry[:-8] + struct.pack("<d", float("inf")),))
        self.assertIn("feature 2 has coordinates that are not finite",
                      self.messages(edits=[{"file": "nan.gpkg", "width_m": 9, "height_m": 5}], code=3))


class Windows(Ground):
    def test_boxes(self):
        box = [WEST + 100, NORTH - 250, WEST + 300, NORTH - 50]
        self.write(window_xy=box)
        z, t = read(os.path.join(self.run_scenario("a", "--steps", "1", "--set", 'vents.0={"x":500205,"y":4177215,"effusion":{"slot":"1 h","rates_m3_s":[1]}}'), "dem.tif"))
        self.assertEqual((t[0], t[3], z.shape), (WEST + 100, NORTH - 50, (20, 20)))
        self.assertTrue((z == base()[5:25, 10:30]).all())
        vents = [{"x": x, "y": y, "effusion": {"slot": "1 h", "rates_m3_s": [1]}} for x, y in ((500205, 4177215), (500245, 4177155), (500225, 4177185))]
        case.write_json(self.path("m.json"), case.scenario(dem={**DEM, "window_margin_m": 45}, vents=vents))
        z, t = read(os.path.join(self.run_scenario("m", "--steps", "1", name="m.json"), "dem.tif"))
        self.assertEqual((t[0], t[3], z.shape), (WEST + 160, NORTH - 40, (15, 13)))
        lonlat = [15.0012, 37.7405, 15.0030, 37.7418]
        self.write(window_lonlat=lonlat)
        x, y, _ = geo.transformation(4326, 32633).TransformPoint(lonlat[0], lonlat[3])
        z, t = read(os.path.join(self.run_scenario("d", "--steps", "1", "--set", 'vents.0={"lon":15.002,"lat":37.741,"effusion":{"slot":"1 h","rates_m3_s":[1]}}'), "dem.tif"))
        self.assertLessEqual(abs(t[0] - x), 10)
        self.assertLessEqual(abs(t[3] - y), 10)
        self.assertLess(z.shape[0] * z.shape[1], 500)

    def test_margin_that_is_too_small(self):
        """Lava at the rim of the window: the margin that the warning names is taken until the lava stays inside."""
        vents = [{"x": 500205, "y": 4177215, "effusion": {"slot": "1 h", "rates_m3_s": [3]}}]
        case.write_json(self.path("m.json"), case.scenario(dem={**DEM, "window_margin_m": 25}, vents=vents, run={"max_steps": 600}))
        margins = [25]
        while len(margins) < 5:
            said = self.sciara("run", "m.json", "-o", "m", "--overwrite", "--set", f"dem.window_margin_m={margins[-1]}").stderr
            lost = record(self.path("m"))["ledger"]["lost_m3"]
            found = re.search(r"it is counted as lost; with --set dem.window_margin_m=(\d+) it stays inside if it runs no farther\n", said)
            self.assertEqual(lost > 0, found is not None, said)
            if not found:
                break
            margins.append(int(found[1]))
        self.assertEqual(lost, 0)
        self.assertEqual(margins, [25 * 2 ** k for k in range(len(margins))])
        self.assertGreater(len(margins), 1)

    def test_hole_in_the_path(self):
        """No margin helps where lava leaves through a hole: the message names the place, and either cure is run."""
        z = numpy.array([[1000 - 3.0 * r for c in range(60)] for r in range(80)])
        z[30:34, 28:33] = NODATA
        write_tif(self.path("hole.tif"), z, 500000, 4177800, 10, 10, 32633, NODATA)
        case.write_json(self.path("h.json"), case.scenario(
            dem={"path": "hole.tif", "window_margin_m": 250}, vents=[{"x": 500305, "y": 4177555, "effusion": {"slot": "1 h", "rates_m3_s": [3]}}],
            run={"max_steps": 900}))
        def run(*args):
            said = self.sciara("run", "h.json", "-o", "h", "--overwrite", *args).stderr
            return said, record(self.path("h"))["ledger"]
        said, ledger = run()
        self.assertGreater(ledger["lost_m3"], 0)
        self.assertNotIn("window_margin_m", said)
        x, y, time = (float(v) for v in re.search(r"cells of the DEM without an altitude \(NODATA\) at x (\S+), y (\S+), and leaves the domain "
                                                  r"\(simulated time (\d+) s\)", said).groups())
        row, col = (4177800 - y) / 10 - 0.5, (x - 500000) / 10 - 0.5
        around = z[int(row) - 1:int(row) + 2, int(col) - 1:int(col) + 2]
        self.assertTrue((around == NODATA).any() and z[int(row), int(col)] != NODATA, (row, col))
        self.assertAlmostEqual(ledger["lost_from_s"], time, delta=0.5)
        said, as_sea = run("--set", "dem.sea=nodata")
        self.assertNotIn("leaves the domain", said)
        self.assertEqual((as_sea["lost_m3"], as_sea["sea_m3"] > 0), (0, True))
        subprocess.run(["gdal_fillnodata.py", "-q", self.path("hole.tif"), self.path("filled.tif")], check=True, stdout=subprocess.DEVNULL)
        said, filled = run("--set", "dem.path=filled.tif")
        self.assertNotIn("leaves the domain", said)
        self.assertEqual(filled["lost_m3"], 0)

    def test_refused(self):
        self.assertIn("overlaps", self.messages(window_xy=[0, 0, 10, 10], code=3))
        self.assertIn("at most one of window", self.messages(window_xy=[0, 0, 10, 10], window_margin_m=5, code=3))
        self.assertIn("west below east", self.messages(window_xy=[10, 0, 0, 10], code=3))
        self.assertIn("depend on the window", self.messages(window_margin_m=50, code=3))

    def test_a_window_of_a_warped_raster(self):
        """The window alone is as that part of the whole."""
        lon, lat = numpy.meshgrid(15 + (numpy.arange(300) + 0.5) / 3600, 37.8 - (numpy.arange(300) + 0.5) / 3600)
        values = 900 + 200 * numpy.sin(300 * (lon - 15)) + 150 * numpy.cos(250 * (lat - 37.75))
        write_tif(self.path("geo.tif"), values, 15, 37.8, 1 / 3600, 1 / 3600, 4326)
        vents = [{"lon": 15.04, "lat": 37.76, "effusion": {"slot": "1 h", "rates_m3_s": [1]}}]
        for cell in (10, 30, 60):  # a cubic spline, bilinear, averages
            dem = {"path": "geo.tif", "crs": "EPSG:32633", "cell_size_m": cell}
            case.write_json(self.path("w.json"), case.scenario(dem=dem, vents=vents))
            case.write_json(self.path("v.json"), case.scenario(dem={**dem, "window_margin_m": 800}, vents=vents))
            whole, t = read(os.path.join(self.run_scenario(f"w{cell}", "--steps", "1", name="w.json"), "dem.tif"))
            part, u = read(os.path.join(self.run_scenario(f"v{cell}", "--steps", "1", name="v.json"), "dem.tif"))
            row, col = round((t[3] - u[3]) / cell), round((u[0] - t[0]) / cell)
            self.assertLess(part.size, whole.size)
            same = numpy.abs(whole[row:row + part.shape[0], col:col + part.shape[1]] - part).max()
            self.assertLess(same, 1e-9, cell)


class Turns(Ground):
    """Windows of rasters that cross 180 degrees or count longitudes from 0 are those parts of the whole."""
    CELL = 60

    def dem(self, name, epsg, vent, **dem):
        case.write_json(self.path("w.json"), case.scenario(
            dem={"path": name, "crs": f"EPSG:{epsg}", "cell_size_m": self.CELL, **dem},
            vents=[{"lon": vent[0], "lat": vent[1], "effusion": {"slot": "1 h", "rates_m3_s": [1]}}]))
        return read(os.path.join(self.run_scenario("w.out", "--steps", "1", "--overwrite", name="w.json"), "dem.tif"))

    def write_degrees(self, name, west, north, n=120, step=0.001):
        row, col = numpy.mgrid[0:n, 0:n]
        write_tif(self.path(name), 500 + 3.0 * row + 2.0 * col + 20 * numpy.sin(row / 7) * numpy.cos(col / 9),
                  west, north, step, step, 4326)

    def place(self, epsg, lon, lat):
        return geo.transformation(4326, epsg).TransformPoint(lon, lat)[:2]

    def assert_part(self, name, epsg, vent, box, whole, **dem):
        """Cells from the west, south, east and north of `box`, with the values of the whole raster."""
        z, t = self.dem(name, epsg, vent, **dem)
        w, u = whole
        edges = [t[0], t[3] - z.shape[0] * self.CELL, t[0] + z.shape[1] * self.CELL, t[3]]
        numpy.testing.assert_allclose(edges, box, atol=1.01 * self.CELL, err_msg=f"{name} {dem}")
        row, col = round((u[3] - t[3]) / self.CELL), round((t[0] - u[0]) / self.CELL)
        numpy.testing.assert_allclose(z, w[row:row + z.shape[0], col:col + z.shape[1]], atol=1e-6, err_msg=f"{name} {dem}")

    def test_parts(self):
        for epsg, north, wests, vent in ((32760, -16.74, (179.94, -180.06), (-179.98, -16.8)),
                                         (32760, -16.74, (179.94,), (179.97, -16.8)),
                                         (32605, 19.46, (204.64, -155.36), (-155.3, 19.4))):
            x, y = self.place(epsg, *vent)
            near = [x - 1000, y - 1000, x + 1000, y + 1000]
            lon = vent[0] % 360
            for west in wests:
                self.write_degrees("a.tif", west, north)
                whole = self.dem("a.tif", epsg, vent)
                if west == wests[0]:
                    first = whole
                self.assertEqual((whole[1], whole[0].shape), (first[1], first[0].shape))
                numpy.testing.assert_allclose(whole[0], first[0], atol=1e-6)
                self.assert_part("a.tif", epsg, vent, near, whole, window_margin_m=1000)
                self.assert_part("a.tif", epsg, vent, near, whole, window_xy=near)
                corners = [self.place(epsg, lon + i, vent[1] + j) for i in (-0.01, 0.01) for j in (-0.008, 0.008)]
                box = [f(c[k] for c in corners) for f in (min, max) for k in (0, 1)]
                for turn in (0, 360):
                    ends = [lon - 0.01 - turn, lon + 0.01 - turn]
                    if -180 <= ends[0]:
                        self.assert_part("a.tif", epsg, vent, box, whole,
                                         window_lonlat=[ends[0], vent[1] - 0.008, ends[1], vent[1] + 0.008])
        corners = [self.place(32760, 180 + i, -16.8 + j) for i in (-0.05, 0.05) for j in (-0.05, 0.05)]
        box = [f(c[k] for c in corners) for f in (min, max) for k in (0, 1)]
        self.write_degrees("a.tif", 179.94, -16.74)
        whole = self.dem("a.tif", 32760, (179.97, -16.8))
        for east in (-179.95, 180.05):
            self.assert_part("a.tif", 32760, (179.97, -16.8), box, whole, window_lonlat=[179.95, -16.85, east, -16.75])
        self.assertIn("west below east (above it only across 180 degrees)", self.messages(window_lonlat=[15.1, 37, 15, 38], code=3))
        self.assertIn("west below east (above it only across 180 degrees)", self.messages(window_lonlat=[180, 37, -180, 38], code=3))


class CellSize(Ground):
    def surface(self, x, y):
        return 800 + 60 * numpy.sin(x / 400) * numpy.cos(y / 300) + 0.05 * x

    def sampled(self, cell, side):
        n = side // cell
        x, y = numpy.meshgrid((numpy.arange(n) + 0.5) * cell, side - (numpy.arange(n) + 0.5) * cell)
        return self.surface(x, y)

    def resampled(self, name, cell):
        vents = [{"row": 20, "col": 20, "effusion": {"slot": "1 h", "rates_m3_s": [1]}}]
        case.write_json(self.path("c.json"), case.scenario(dem={"path": name, "cell_size_m": cell}, vents=vents))
        return read(os.path.join(self.run_scenario("c.out", "--steps", "1", "--overwrite", name="c.json"), "dem.tif"))

    def test_averages_are_block_means(self):
        rng = numpy.random.default_rng(7)
        fine = 500 + 100 * rng.random((300, 300))
        fine[100:110, 200:205] = NODATA
        write_tif(self.path("fine.tif"), fine, WEST, NORTH, 1, 1, 32633, NODATA)
        z, t = self.resampled("fine.tif", 10)
        self.assertEqual((t[0], t[3], z.shape), (WEST, NORTH, (30, 30)))
        blocks = numpy.where(fine == NODATA, numpy.nan, fine).reshape(30, 10, 30, 10)
        self.assertLess(numpy.abs(z - numpy.nanmean(blocks, axis=(1, 3))).max(), 1e-9)

    def test_no_terraces_from_30_m(self):
        side = 1800
        coarse = self.sampled(30, side)
        write_tif(self.path("coarse.tif"), coarse, WEST, NORTH, 30, 30, 32633)
        z, _ = self.resampled("coarse.tif", 10)
        exact = self.sampled(10, side)
        inner = slice(9, -9)
        # a cubic B-spline through cells of h m differs from the surface by h2/6 of the sum of its second derivatives
        bound = 30 ** 2 / 6 * (60 / 400 ** 2 + 60 / 300 ** 2)
        self.assertLess(numpy.abs(z - exact)[inner, inner].max(), 1.02 * bound)
        # second differences are those of the surface; bilinear ones have edges of about 3 times that along coarse cells
        second = numpy.abs(numpy.diff(z[inner, inner], 2, axis=0)).max()
        true = numpy.abs(numpy.diff(exact[inner, inner], 2, axis=0)).max()
        self.assertLess(second, 1.1 * true)
        bilinear = gdal.Warp("", self.path("coarse.tif"), format="MEM", xRes=10, yRes=10, resampleAlg="bilinear").ReadAsArray()
        self.assertGreater(numpy.abs(numpy.diff(bilinear[inner, inner], 2, axis=0)).max(), 2 * true)

    def test_warning_and_reference(self):
        side = 1800
        write_tif(self.path("coarse.tif"), self.sampled(30, side), WEST, NORTH, 30, 30, 32633)
        vents = [{"row": 20, "col": 20, "effusion": {"slot": "1 h", "rates_m3_s": [1]}}]

        def check(**changes):
            case.write_json(self.path("c.json"), {**case.scenario(dem={"path": "coarse.tif"}, vents=vents, model={}), **changes})
            return self.sciara("check", "c.json").stderr
        self.assertIn("warning: cells of 30 m: the default parameters of rule fv3 belong to cells of 8 to 12.5 m, and lava runs out "
                      "differently on others (docs/validation.md). The parameters of rule bingham were fitted on cells of 20 m: give "
                      "'sciara init' --set dem.cell_size_m=20 --set model.rule=bingham\n", check())
        self.assertNotIn("belong to cells", check(model={"cooling": 3}))
        self.assertNotIn("belong to cells", check(model={"rule": "bingham"}))
        self.assertNotIn("belong to cells", self.messages())
        # with the reference of the same cells nothing changes, not even a bit; with another the cooling is that of delta w2/w_r2
        for name, model in (("a", {}), ("b", {"cooling_reference_cell_m": 30}), ("c", {"cooling_reference_cell_m": 10}), ("d", {"cooling": 1.507 * 9})):
            check(model=model)
            self.run_scenario(name, "--steps", "400", name="c.json")
        state = {name: record(self.path(name))["snapshots"][-1]["checksum"] for name in "abcd"}
        self.assertEqual(state["a"], state["b"])
        self.assertEqual(state["c"], state["d"])
        self.assertNotEqual(state["a"], state["c"])

    def write_coarse(self, coarse):
        vents = [{"x": WEST + 600, "y": NORTH - 600, "effusion": {"slot": "1 h", "rates_m3_s": [1]}}]
        write_tif(self.path("coarse.tif"), self.sampled(coarse, 1800), WEST, NORTH, coarse, coarse, 32633)
        case.write_json(self.path("c.json"), case.scenario(dem={"path": "coarse.tif", "cell_size_m": 10}, vents=vents, model={}))

    def page_data(self, name):
        return json.loads(re.search(r'id="data">(.*?)</script>', case.read_text(self.path(name)), re.S)[1])

    def test_the_run_keeps_the_warning_about_coarse_cells(self):
        """In run.json, info, the picture and the page; after a resume, on a branch and in a run on its dem.tif; on the
        page of an ensemble; not of 30 m."""
        self.write_coarse(90)
        self.run_scenario("a", "--steps", "40", "--set", "output.maps=[\"deposit\"]", name="c.json")
        warning, = record(self.path("a"))["warnings"]
        text = ("its cells of 90 m are resampled to 10 m: they have the relief of a DEM of 90 m, without its gullies, levees and "
                "roads, and lava runs out differently than on a DEM of 10 m")
        self.assertEqual(warning, {"kind": "dem", "coarse_m": 90, "text": "./coarse.tif: " + text})
        self.assertIn(f"warning:       ./coarse.tif: {text}\n", self.sciara("info", "a").stdout)
        self.sciara("export", "a", "-q", "-f", "html", "-o", "a.html", "--language", "it")
        data = self.page_data("a.html")
        self.assertEqual((data["warnings"], data["ground_warning"]), ([], "Attenzione: celle di 10 m ricavate da un DEM di 90 m. Senza canaloni, "
                                                                      "argini e strade la lava scorre diversamente"))
        # one line more on the pictures than without the warning: those of export, and the map that the run writes
        self.sciara("export", "a", "-q", "-f", "png", "-o", "with.png")
        sized = gdal.Open(self.path("with.png")).RasterYSize
        self.assertEqual(gdal.Open(self.path("a", "maps", "deposit.png")).RasterYSize, sized)
        kept = case.read_json(self.path("a", "run.json"))
        case.write_json(self.path("a", "run.json"), {key: value for key, value in kept.items() if key != "warnings"})
        self.sciara("export", "a", "-q", "-f", "png", "-o", "without.png")
        self.assertGreater(sized, gdal.Open(self.path("without.png")).RasterYSize + 10)
        case.write_json(self.path("a", "run.json"), kept)
        self.run_scenario("whole", "--checkpoint-every", "2 min", "--until", "4 min", name="c.json")
        self.sciara("resume", "whole", "-q", "--until", "6 min", "-o", "branch")
        self.sciara("resume", "whole", "-q")
        scenario = case.read_json(self.path("c.json"))
        case.write_json(self.path("again.json"), {**scenario, "dem": {"path": "whole/dem.tif"}})
        self.assertIn(text, self.sciara("run", "again.json", "--steps", "1", "-o", "again").stderr)
        for name in ("whole", "branch", "again"):
            self.assertEqual([(w["kind"], w["coarse_m"]) for w in record(self.path(name))["warnings"]], [("dem", 90)], name)
        case.write_json(self.path("e.json"), {"base": "c.json", "result": {"thickness_m": [0]}, "sample": {"method": "full"}, "vary": [
            {"key": "run.max_steps", "values": [10, 20]}]})
        self.sciara("ensemble", "plan", "e.json", "-q", "-o", "e")
        self.sciara("ensemble", "run", "e", "-q")
        self.sciara("ensemble", "export", "e", "-q", "-f", "html", "-o", "e.html")
        self.assertIn("Warning: cells of 10 m made of a DEM of 90 m. ", self.page_data("e.html")["ground_warning"])
        self.write_coarse(30)
        self.assertNotIn("warnings", record(self.run_scenario("fine", "--steps", "1", name="c.json")))

    def test_cure_of_fine_cells(self):
        """The warning's own keys, run to the end: no warning is left, and lava runs out farther, as on cells of 10 m."""
        rows, cols, fine = 40, 240, 2.5
        write_tif(self.path("fine.tif"), 500 - numpy.tan(numpy.radians(8)) * fine * numpy.ones((4 * rows, 1)) * numpy.arange(4 * cols) / 4,
                  WEST, NORTH, fine, fine, 32633)
        x, y = WEST + 50, NORTH - 2 * rows * fine
        scenario = case.scenario(dem={"path": "fine.tif", "cell_size_m": 5}, model={}, run={"until": "3 h"},
                                 vents=[{"x": x, "y": y, "effusion": {"slot": "2 h", "rates_m3_s": [5]}}])
        case.write_json(self.path("c.json"), scenario)
        found = self.sciara("check", "c.json", "--no-estimate").stderr
        cure = dict(re.findall(r'"model\.(\w+)": (\d+)', found))
        self.assertEqual(cure, {"cooling_reference_cell_m": "10", "critical_height_reference_cell_m": "10"})
        words = [f"--set=model.{key}={value}" for key, value in cure.items()]
        out = {}
        for name, more in (("plain", []), ("cured", words), ("coarse", ["--set=dem.cell_size_m=10"])):
            done = self.sciara("run", "c.json", "-o", name, *more)
            self.assertEqual("belong to cells" in done.stderr, name == "plain", done.stderr)
            with open_snapshot(self.path(name, record(self.path(name))["snapshots"][-1]["name"])) as f:
                reached = (f["arrival_time"].values >= 0).any(axis=0).nonzero()[0]
            out[name] = int(reached.max()) * (10 if name == "coarse" else 5)
        self.assertLess(out["plain"], out["coarse"] - 10, out)
        self.assertLessEqual(abs(out["cured"] - out["coarse"]), 10, out)


class Drivers(Ground):
    """--allow-driver works where a message promises it: the DEM, initial lava, vector files of sea and edits."""

    def promised(self, name, **changes):
        case.write_json(self.path("p.json"), case.scenario(**changes))
        for command, more in (("check", []), ("run", ["--steps", "1", "-o", "p.out", "--overwrite"])):
            self.assertIn(f"--allow-driver {name} would allow it", self.sciara(command, "p.json", *more, code=3).stderr)
            self.sciara(command, "p.json", *more, "--allow-driver", name)

    def test_all(self):
        write_tif(self.path("a.tif"), base(), WEST, NORTH, CELL, CELL, 32633, NODATA)
        gdal.Translate(self.path("a.img"), self.path("a.tif"), format="ENVI")
        gdal.Translate(self.path("lava.img"), self.path("a.tif"), format="ENVI", scaleParams=[[-1e9, 1e9, 0, 0]], noData="none")
        self.promised("ENVI", dem={"path": "a.img"})
        self.sciara("init", "a.img", "-o", "i.json", "--vent", "500205,4177215", "--rate", "3", "--duration", "1 h",
                    "--allow-driver", "ENVI")
        self.promised("ENVI", initial={"thickness": "lava.img"})
        (x0, y0), (x1, y1) = centre(10, 5), centre(10, 35)
        geo.write_features(self.path("w.gml"), [f"LINESTRING({x0} {y0}, {x1} {y1})"], driver="GML")
        self.promised("GML", dem={**DEM, "edits": [{"file": "w.gml", "width_m": 5, "height_m": 3}]})
