# SPDX-License-Identifier: Apache-2.0
"""sciara export to GeoPackage, GeoJSON and KML: polygons that cover exactly the cells that they describe."""
import json
import re
import resource
import shutil
import xml.etree.ElementTree

import case
import fixtures
import geo
from case import CELL, COLS, NORTH, ROWS, WEST, SharedCase, open_snapshot
from geo import gdal, ogr, osr

import h5py
import numpy

LAYERS = ["outline", "thickness_classes", "arrival"]
ALL = LAYERS + ["front_lines", "run_out", "vents"]  # of a run without fissures
# Thickness in metres: a ring around a hole, cells that touch only at a corner, values at the edges of classes.
DRAWN = """
.........
.3 3 3 ..
.3 . 3 ..
.3 3 3 ..
.......1 1
......2 ..
.5 .......
"""


def burn(geometry, srs):
    """The cells whose centres lie in the geometry."""
    raster = gdal.GetDriverByName("MEM").Create("", COLS, ROWS, 1, gdal.GDT_Byte)
    raster.SetGeoTransform(geo.PLACE)
    raster.SetProjection(srs.ExportToWkt())
    source = ogr.GetDriverByName("Memory").CreateDataSource("")
    layer = source.CreateLayer("x", srs, ogr.wkbMultiPolygon)
    feature = ogr.Feature(layer.GetLayerDefn())
    feature.SetGeometry(geometry)
    layer.CreateFeature(feature)
    gdal.RasterizeLayer(raster, [1], layer, burn_values=[1])
    return raster.ReadAsArray() == 1


def features(path, layer):
    """[(attributes, geometry)] of a layer, and its CRS."""
    source = ogr.Open(path)
    found = source.GetLayerByName(layer)
    srs = found.GetSpatialRef()
    return [(f.items(), f.GetGeometryRef().Clone()) for f in found], srs.Clone() if srs else None


class ExportVector(SharedCase):
    @classmethod
    def prepare(cls):
        cls.snapshot = fixtures.run(cls.work)
        cls.data = open_snapshot(cls.snapshot)
        cls.deposit = cls.data.deposit.values[0]
        cls.arrival = cls.data.arrival_time.values[0]
        case.run_program("run", "s.json", "-q", "-n", str(fixtures.STEPS), "-o", "dated", "--set", "run.start=2006-07-14T23:30:00Z", cwd=cls.work)

    def export(self, *args, code=0, **options):
        return self.sciara("export", "--allow-missing-checksum", *args, code=code, **options)

    def redraw(self, name, **fields):
        """A copy of the snapshot with other values."""
        shutil.copy(self.snapshot, self.path(name))
        with h5py.File(self.path(name), "r+") as f:
            for field, values in fields.items():
                f[field][0] = values
                del f[field].attrs["sciara_checksum"]  # otherwise it would count as damaged
        return name

    def assert_zone(self, attributes, geometry, cells, srs):
        """Exactly these cells, and the attributes that belong to them."""
        self.assertTrue(geometry.IsValid(), attributes)
        numpy.testing.assert_array_equal(burn(geometry, srs), cells, str(attributes))
        self.assertEqual(attributes["cells"], cells.sum())
        self.assertEqual(attributes["area_m2"], cells.sum() * CELL * CELL)

    def test_geopackage(self):
        done = self.export("run", "-f", "gpkg", "-o", "all.gpkg", "--classes", "0.25,0.5,1", "--isochrones", "5 min")
        self.assertEqual(done.stdout, "all.gpkg\n")
        info = self.tool("ogrinfo", "-so", "-al", self.path("all.gpkg")).stdout
        self.assertEqual(re.findall(r"Layer name: (\w+)", info), ALL + ["layer_styles"])
        self.assertEqual(info.count('PROJCRS["WGS 84 / UTM zone 33N"'), len(ALL))
        outline, srs = features(self.path("all.gpkg"), "outline")
        self.assertEqual(len(outline), 1)
        self.assert_zone(*outline[0], self.deposit > 0, srs)
        self.assertEqual(outline[0][1].Area(), outline[0][0]["area_m2"])

    def test_front_lines(self):
        """Each is the border of what the lava covered up to its time, and encloses it."""
        self.export("run", "-f", "gpkg", "-o", "fronts.gpkg", "--isochrones", "5 min")
        fronts, srs = features(self.path("fronts.gpkg"), "front_lines")
        zones, _ = features(self.path("fronts.gpkg"), "arrival")
        self.assertEqual(len(fronts), len(zones))
        for (attributes, lines), (zone, _) in zip(fronts, zones):
            self.assertEqual(attributes["time_s"], min(zone["until_s"], float(self.data.time.values[0])))
            covered = (self.arrival >= 0) & (self.arrival < zone["until_s"])
            inside = numpy.pad(covered, 1).astype(int)
            border = abs(numpy.diff(inside, axis=0)).sum() + abs(numpy.diff(inside, axis=1)).sum()
            self.assertEqual(lines.Length(), border * CELL)
            rings = ogr.Geometry(ogr.wkbMultiLineString)
            for line in (lines if lines.GetGeometryType() != ogr.wkbLineString else [lines]):
                rings.AddGeometry(line)
            area = ogr.BuildPolygonFromEdges(rings)
            numpy.testing.assert_array_equal(burn(area, srs), covered)

    def test_run_out_and_vents(self):
        self.export("run", "-f", "gpkg", "-o", "points.gpkg", "--isochrones", "5 min")
        vents, _ = features(self.path("points.gpkg"), "vents")
        row, col = case.VENT
        at = WEST + (col + 0.5) * CELL, NORTH - (row + 0.5) * CELL
        self.assertEqual([(a["label"], g.GetX(), g.GetY()) for a, g in vents], [("vent 1", *at)])
        points, _ = features(self.path("points.gpkg"), "run_out")
        zones, _ = features(self.path("points.gpkg"), "arrival")
        self.assertEqual(len(points), len(zones))
        rows, cols = numpy.indices(self.arrival.shape)
        distance = CELL * numpy.hypot(rows - row, cols - col)
        for (attributes, point), (zone, _) in zip(points, zones):
            covered = (self.arrival >= 0) & (self.arrival < zone["until_s"])
            self.assertAlmostEqual(attributes["run_out_m"], distance[covered].max())
            self.assertAlmostEqual(numpy.hypot(point.GetX() - at[0], point.GetY() - at[1]), attributes["run_out_m"])
        self.assertEqual(json.loads(self.layer("run_out", "--isochrones", "5 min"))["features"][-1]["properties"]["run_out_m"],
                         points[-1][0]["run_out_m"])
        self.assertEqual(json.loads(self.layer("fissures"))["features"], [])
        # of another vent that opens after 10 min, and of a snapshot in which nothing is left of the lava that came in the second interval
        later = {"row": 12, "col": 22, "start": "11 min", "effusion": {"slot": "10 min", "rates_m3_s": [4]}}
        case.write_scenario(self.work, "two.json", vents=[*case.scenario()["vents"], later], run={"until": "12 min"})
        self.sciara("run", "two.json", "-q", "-o", "two")
        self.redraw("gone.nc", deposit=numpy.where((self.arrival >= 300) & (self.arrival < 600), 0, self.deposit))
        for name, expected in (("two", points[:2]), ("gone.nc", [points[0], *points[2:]])):
            self.export(name, "-f", "gpkg", "-o", f"{name}.gpkg", "--isochrones", "5 min")
            found = [a for a, _ in features(self.path(f"{name}.gpkg"), "run_out")[0]]
            self.assertEqual([(a["time_s"], a["run_out_m"]) for a in found[:len(expected)]], [(a["time_s"], a["run_out_m"]) for a, _ in expected])
            if name == "two":
                self.assertEqual(found[-1]["time_s"], case.record(self.path(name))["state"]["time_s"], "not that of its isochrone")

    def layer(self, name, *args):
        """The text of a GeoJSON file of one layer."""
        self.export("run", "-f", "geojson", "--layer", name, "-o", f"{name}.geojson", "--overwrite", *args)
        return case.read_text(self.path(f"{name}.geojson"))

    def test_fissures(self):
        """A line stays a line."""
        line = [[WEST + 105, NORTH - 85], [WEST + 165, NORTH - 95]]
        case.write_scenario(self.work, "fissure.json", run={"max_steps": 20}, vents=[
            {"line": line, "name": "fissure <1>", "effusion": {"slot": "1 h", "rates_m3_s": [5]}}])
        self.sciara("run", "fissure.json", "-q", "-o", "fissure")
        self.export("fissure", "-f", "gpkg", "-o", "fissure.gpkg")
        source = ogr.Open(self.path("fissure.gpkg"))
        self.assertIsNone(source.GetLayerByName("vents"))
        [(attributes, geometry)] = features(self.path("fissure.gpkg"), "fissures")[0]
        self.assertEqual(attributes["label"], "fissure <1>")
        self.assertEqual([list(p[:2]) for p in geometry.GetPoints()], line)

    def test_styles(self):
        """Each layer has one default style that is XML, with a category for each feature."""
        self.export("run", "-f", "gpkg", "-o", "styled.gpkg")
        styles = {a["f_table_name"]: a for a, _ in self.rows("styled.gpkg", "layer_styles")}
        self.assertEqual(sorted(styles), sorted(ALL))
        for name, style in styles.items():
            self.assertEqual((style["useAsDefault"], style["f_geometry_column"]), (1, "geom"))
            renderer = xml.etree.ElementTree.fromstring(style["styleQML"]).find("renderer-v2")
            symbols = {s.get("name"): s.get("type") for s in renderer.iter("symbol")}
            self.assertEqual(set(symbols.values()), {"fill" if name in LAYERS else "line" if name == "front_lines" else "marker"})
            filled = {prop.get("v") for prop in renderer.iter("prop") if prop.get("k") == "style"}
            self.assertEqual(filled, {"no"} if name == "outline" else {"solid"} if name in LAYERS else set(),
                             "an outline does not hide what it encloses")
            if name in ("run_out", "vents"):
                continue
            categories = {c.get("value"): c.get("symbol") for c in renderer.iter("category")}
            for attributes, _ in features(self.path("styled.gpkg"), name)[0]:
                self.assertIn(categories[attributes["label"]], symbols)

    def rows(self, path, layer):
        source = ogr.Open(self.path(path))
        return [(f.items(), None) for f in source.GetLayerByName(layer)]

    def test_times(self):
        """With a date of the run, features with a time have dates; KML shows them in their time."""
        self.export("dated", "-f", "kml", "-o", "dated.kml", "--isochrones", "5 min")
        text = case.read_text(self.path("dated.kml"))
        folders = {m[1]: m[0] for m in re.findall(r'(<Folder id="(\w+)">.*?</Folder>)', text, re.S)}
        self.assertEqual(list(folders), ALL)
        self.assertEqual(re.findall("<begin>(.*?)</begin>", folders["arrival"])[:2],
                         ["2006-07-14T23:30:00Z", "2006-07-14T23:35:00Z"])
        self.assertNotIn("<end>", folders["arrival"])
        fronts = re.findall("<TimeSpan>\\s*<begin>(.*?)</begin>(?:\\s*<end>(.*?)</end>)?", folders["front_lines"])
        self.assertEqual(fronts[0], ("2006-07-14T23:35:00Z", "2006-07-14T23:40:00Z"))
        self.assertEqual(fronts[-1][1], "")
        self.assertNotIn("TimeSpan", folders["outline"] + folders["vents"])
        self.sciara("run", "s.json", "-q", "-n", 50, "-o", "undated", "--set", "run.start=null")
        self.export("undated", "-f", "kml", "-o", "undated.kml")
        self.assertNotIn("TimeSpan", case.read_text(self.path("undated.kml")))

    def test_classes(self):
        edges = [0.25, 0.5, 1]
        self.export("run", "-f", "gpkg", "-o", "classes.gpkg", "--classes", "0.25,0.5,1")
        classes, srs = features(self.path("classes.gpkg"), "thickness_classes")
        self.assertGreater(len(classes), 2, "classes that have cells")
        for attributes, geometry in classes:
            lower, upper = attributes["lower_m"], attributes["upper_m"]
            self.assertIn((lower, upper), list(zip([0] + edges, edges + [None])))
            cells = (self.deposit > 0) & (self.deposit >= lower) & (self.deposit < (upper or numpy.inf))
            self.assert_zone(attributes, geometry, cells, srs)
        self.assertEqual(sum(a["area_m2"] for a, _ in classes), (self.deposit > 0).sum() * CELL * CELL)

    def test_arrival(self):
        """Intervals count from the midnight before the start in the zone that is shown; fronts have the names of their times."""
        for run, begin, zone, option, step in (("run", 0, 0, "UTC", 300), ("dated", 23 * 3600 + 1800, -210, "-03:30", 420)):
            start = "2026-05-01T00:00:00Z" if run == "run" else "2006-07-14T23:30:00Z"
            self.export(run, "-f", "gpkg", "-o", f"{run}.gpkg", "--isochrones", f"{step} s", "--time-zone", option)
            (zones, srs), (fronts, _) = (features(self.path(f"{run}.gpkg"), layer) for layer in ("arrival", "front_lines"))
            self.assertGreater(len(zones), 2, "isochrones that have cells")
            name = "UTC" + option.removeprefix("UTC")
            for (attributes, geometry), (line, _) in zip(zones, fronts):
                lower, upper = attributes["from_s"], attributes["until_s"]
                self.assertEqual(((begin + 60 * zone + upper) % step, lower), (0, max(0, upper - step)))
                self.assertEqual(attributes["label"], f"{case.clock_after(start, lower, zone)} to {case.clock_after(start, upper, zone)} {name}")
                self.assertEqual(line["label"], f"{case.clock_after(start, line['time_s'], zone)} {name}")
                self.assert_zone(attributes, geometry, (self.arrival >= lower) & (self.arrival < upper), srs)
            self.assertEqual(sum(a["cells"] for a, _ in zones), (self.arrival >= 0).sum())

    def test_a_drawn_case(self):
        """Holes, corners and edges of classes, point by point."""
        deposit = numpy.where(self.deposit == case.NODATA, case.NODATA, 0.0)
        for row, line in enumerate(DRAWN.strip().replace(" ", "").split("\n")):
            for col, c in enumerate(line):
                if c != ".":
                    deposit[10 + row, 20 + col] = float(c)
        name = self.redraw("drawn.nc", deposit=deposit)
        self.export(name, "-f", "gpkg", "--classes", "1,2,5", "-o", "drawn.gpkg")
        classes, srs = features(self.path("drawn.gpkg"), "thickness_classes")
        self.assertEqual([(a["label"], a["cells"]) for a, _ in classes],
                         [("1 to 2 m", (deposit == 1).sum()), ("2 to 5 m", 9), ("5 m and more", 1)])
        self.assertEqual((deposit == 1).sum(), 2)
        self.export(name, "-f", "geojson", "--layer", "thickness_classes", "-o", "usual.geojson")
        self.assertEqual([f["properties"]["label"] for f in case.read_json(self.path("usual.geojson"))["features"]],
                         ["1 to 2 m", "2 to 5 m", "5 to 10 m"])

        def at(row, col):
            return f"{WEST + (20 + col) * CELL} {NORTH - (10 + row) * CELL}"

        def ring(*corners):
            return "(" + ",".join(at(*c) for c in (*corners, corners[0])) + ")"

        hole = ring((2, 2), (2, 3), (3, 3), (3, 2))
        expected = ogr.CreateGeometryFromWkt(
            f"MULTIPOLYGON(({ring((1, 1), (1, 4), (4, 4), (4, 1))},{hole}),({ring((5, 6), (5, 7), (6, 7), (6, 6))}))")
        found = classes[1][1]
        self.assertEqual(found.SymDifference(expected).Area(), 0, found.ExportToWkt())
        self.assertEqual([[r.GetPointCount() for r in part] for part in found], [[5, 5], [5]], "no needless points")
        outline, _ = features(self.path("drawn.gpkg"), "outline")
        self.assertTrue(outline[0][1].IsValid())
        self.assertEqual(outline[0][1].GetGeometryCount(), 4, "parts; a corner joins none")
        self.assert_zone(*outline[0], deposit > 0, srs)

    def test_chequered(self):
        """Cells that touch only at corners: as many parts as cells, all valid."""
        board = (numpy.add.outer(numpy.arange(ROWS), numpy.arange(COLS)) % 2).astype(float)
        name = self.redraw("board.nc", deposit=numpy.where(self.deposit == case.NODATA, case.NODATA, board))
        self.export(name, "-f", "gpkg", "-o", "board.gpkg")
        outline, srs = features(self.path("board.gpkg"), "outline")
        cells = (board == 1) & (self.deposit != case.NODATA)
        self.assert_zone(*outline[0], cells, srs)
        self.assertEqual(outline[0][1].GetGeometryCount(), cells.sum())

    def test_geojson(self):
        for layer, cells in (("outline", self.deposit > 0), ("thickness_classes", None), ("arrival", None)):
            self.assertEqual(self.export("run", "-f", "geojson", "--layer", layer).stdout, f"run/maps/{layer}.geojson\n")
            path = self.path("run", "maps", f"{layer}.geojson")
            found, srs = features(path, layer)
            self.assertEqual(srs.GetAuthorityCode(None), "4326")
            self.assertNotIn("crs", case.read_json(path), "RFC 7946 knows WGS 84 alone")
            srs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
            back = osr.CoordinateTransformation(srs, geo.crs())
            for attributes, geometry in found:
                x, y = geometry.Centroid().GetPoint_2D()
                self.assertTrue(14.9 < x < 15.1 and 37.6 < y < 37.8, (x, y))
                geometry.Transform(back)
                self.assertAlmostEqual(geometry.Area() / attributes["area_m2"], 1, delta=2e-3)
                if cells is not None:
                    self.assert_zone(attributes, geometry, cells, geo.crs())
        outline = case.read_json(self.path("run", "maps", "outline.geojson"))["features"][0]["geometry"]
        rings = outline["coordinates"] if outline["type"] == "Polygon" else outline["coordinates"][0]
        area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(rings[0], rings[0][1:]))
        self.assertGreater(area, 0, "the outer ring runs anticlockwise")

    def test_kml(self):
        done = self.export("run", "-f", "kml", "--classes", "0.5,1")
        self.assertEqual(done.stdout, "run/maps/deposit.kml\n")
        path = self.path("run", "maps", "deposit.kml")
        tree = xml.etree.ElementTree.parse(path)
        space = {"k": "http://www.opengis.net/kml/2.2"}
        folders = tree.findall(".//k:Folder", space)
        self.assertEqual([f.find("k:name", space).text for f in folders], ALL)
        fills = [c.text for c in folders[1].findall(".//k:PolyStyle/k:color", space)]
        self.assertEqual(len(set(fills)), len(fills), "a colour for each class")
        self.assertGreater(len(fills), 1)
        for layer in LAYERS:
            self.assertGreater(len(features(path, layer)[0]), 0, layer)
        geometry = features(path, "outline")[0][0][1]
        geometry.Transform(geo.transformation(4326, 32633))
        numpy.testing.assert_array_equal(burn(geometry, geo.crs()), self.deposit > 0)
        zones = features(path, "thickness_classes")[0]
        self.assertEqual([(z["Name"], z["lower_m"], z["upper_m"]) for z, _ in zones],
                         [("below 0.5 m", 0, 0.5), ("0.5 to 1 m", 0.5, 1), ("1 m and more", 1, None)])
        self.assertEqual(sum(z["cells"] for z, _ in zones), (self.deposit > 0).sum())
        self.assertEqual(sum(z["area_m2"] for z, _ in zones), (self.deposit > 0).sum() * CELL * CELL)
        for zone, _ in features(path, "arrival")[0]:
            self.assertLess(zone["from_s"], zone["until_s"])

    def test_kml_across_180_degrees(self):
        """Lava on both sides of 180 degrees, and a fissure that crosses them: cut there, nothing lost."""
        west, north, n = 818000, 8141000, 60
        z = 500 + numpy.add.outer(numpy.zeros(n), 3.0 * numpy.abs(numpy.arange(n) - 30))
        geo.write_raster(self.path("fiji.tif"), z, gdal.GDT_Float64, [west + 1500, 10, 0, north, 0, -10], 32760)
        middle = self.meridian(north - 300)
        line = [[middle - 100, north - 300], [middle + 100, north - 300]]
        case.write_json(self.path("fiji.json"), case.scenario(
            dem={"path": "fiji.tif"}, vents=[{"line": line, "effusion": {"slot": "1 h", "rates_m3_s": [8]}}]))
        self.run_scenario("fiji", name="fiji.json")
        self.export("fiji", "-f", "kml", "-o", "fiji.kml")
        self.export("fiji", "-f", "gpkg", "-o", "fiji.gpkg")
        outline = features(self.path("fiji.kml"), "outline")[0][0][1]
        parts = [outline.GetGeometryRef(k).GetEnvelope() for k in range(outline.GetGeometryCount())]
        self.assertTrue(all(-180 <= p[0] <= p[1] <= 180 and p[1] - p[0] < 1 for p in parts), parts)
        self.assertTrue(any(p[0] > 179 for p in parts) and any(p[1] < -179 for p in parts), parts)
        outline.Transform(geo.transformation(4326, 32760))
        self.assertAlmostEqual(outline.Area() / features(self.path("fiji.gpkg"), "outline")[0][0][0]["area_m2"], 1, places=4)
        fissure = features(self.path("fiji.kml"), "fissures")[0][0][1]
        self.assertEqual(fissure.GetGeometryCount(), 2, fissure.ExportToWkt())
        self.assertAlmostEqual(sum(abs(g.GetX(0) - g.GetX(g.GetPointCount() - 1)) for g in fissure) / 0.00188, 1, places=1)

    def test_corner_of_a_cell_at_180_degrees(self):
        """Also where a corner lies within centimetres of the cut all parts are valid and none goes around the Earth."""
        north, n = 8141000, 60
        z = 500 + numpy.add.outer(-3.0 * numpy.arange(n), 2.0 * numpy.abs(numpy.arange(n) - 30))
        back = geo.transformation(4326, 32760)
        for row, shift in ((30, 0.012), (38, -0.02)):
            west = self.meridian(north - 10 * row) - 300 + shift
            geo.write_raster(self.path("corner.tif"), z, gdal.GDT_Float64, [west, 10, 0, north, 0, -10], 32760)
            case.write_json(self.path("corner.json"), case.scenario(
                dem={"path": "corner.tif"}, vents=[{"row": 30, "col": 30, "effusion": {"slot": "1 h", "rates_m3_s": [8]}}]))
            self.run_scenario("corner", "--overwrite", name="corner.json")
            self.export("corner", "-f", "kml", "-o", "corner.kml", "--overwrite")
            found = [one for layer in LAYERS for one in features(self.path("corner.kml"), layer)[0]]
            for layer in LAYERS:
                self.export("corner", "-f", "geojson", "--layer", layer, "-o", f"{layer}.geojson", "--overwrite")
                found += features(self.path(f"{layer}.geojson"), layer)[0]
            for attributes, geometry in found:
                self.assertTrue(geometry.IsValid(), (row, attributes))
                parts = geometry if geometry.GetGeometryName() == "MULTIPOLYGON" else [geometry]
                self.assertTrue(all(east - west < 1 for west, east, _, _ in (part.GetEnvelope() for part in parts)), (row, attributes))
                geometry.Transform(back)
                self.assertAlmostEqual(geometry.Area(), attributes["area_m2"], delta=1 + 5e-3 * attributes["area_m2"], msg=(row, attributes))

    @staticmethod
    def meridian(y):
        """Easting at which zone 60 south is at 180 degrees."""
        lat = geo.transformation(32760, 4326).TransformPoint(819600, y)[1]
        return geo.transformation(4326, 32760).TransformPoint(180, lat)[0]

    def assert_kml_name(self, name, source):
        self.export(source, "-f", "kml", "-o", "title.kml", "--overwrite")
        tree = xml.etree.ElementTree.parse(self.path("title.kml"))
        self.assertEqual(tree.find(".//{*}Document/{*}name").text, name)

    def test_any_title(self):
        """Markup, other scripts, control characters, bytes of a foreign file that are not UTF-8: still XML."""
        for given, name in (("flow [[draft]]>", "flow [[draft]] >"), ("<![CDATA[x]]>y", "<![CDATA[x]] >y"), ("]]>]]>", "]] >]] >"), ('a < b & \\"c\\"', 'a < b & "c"'), ("\U0001f30b Éruption 火山", "\U0001f30b Éruption 火山"),
                            ("a\\u0001b\\u001bc\\u009bd\\uffffe", "a b c d e")):
            self.sciara("run", "s.json", "-q", "-n", 50, "-o", "title", "--overwrite", "--set", f'title="{given}"')
            self.assert_kml_name(name, "title")
        snapshot = case.record(self.path("title"))["snapshots"][0]["name"]
        shutil.copy(self.path("title", snapshot), self.path("foreign.nc"))
        with h5py.File(self.path("foreign.nc"), "r+") as f:
            f.attrs["title"] = numpy.bytes_(b"of \xff bytes")
        self.assert_kml_name("of \ufffd bytes", "foreign.nc")

    def test_without_crs(self):
        self.sciara("run", "s.json", "-q", "-n", 50, "-o", "nowhere", "--set", "dem.crs=null")
        for suffix in ("gpkg", "geojson"):
            done = self.export("nowhere", "-f", suffix, "-o", f"nowhere.{suffix}")
            self.assertRegex(done.stderr, "warning: .*names no CRS: the polygons are in the coordinates of its grid")
            found, srs = features(self.path(f"nowhere.{suffix}"), "outline")
            west, east, south, north = found[0][1].GetEnvelope()
            self.assertTrue(WEST < west < east < WEST + COLS * CELL and NORTH - ROWS * CELL < south < north < NORTH)
            if suffix == "gpkg":
                self.assertTrue(srs.IsLocal(), srs.ExportToWkt())
        before = case.tree(self.work)
        done = self.export("nowhere", "-f", "kml", code=3)
        self.assertIn("the run names no CRS: name it with dem.crs, or export gpkg or geojson", done.stderr)
        self.assertEqual(case.tree(self.work), before)

    def test_without_arrival(self):
        self.sciara("run", "s.json", "-q", "-n", 50, "-o", "late", "--set", 'output.fields=["deposit"]')
        done = self.export("late", "-f", "gpkg", "-o", "late.gpkg")
        self.assertIn('holds no field "arrival_time": there is no layer "arrival"', done.stderr)
        source = ogr.Open(self.path("late.gpkg"))
        self.assertEqual([source.GetLayer(k).GetName() for k in range(source.GetLayerCount())],
                         LAYERS[:2] + ["run_out", "vents", "layer_styles"])
        for args in (("gpkg", "--isochrones", "1 h"), ("geojson", "--layer", "arrival")):
            done = self.export("late", "-o", f"none.{args[0]}", "-f", *args, code=3)
            self.assertIn('holds no field "arrival_time"; it holds deposit', done.stderr)

    def test_other_thicknesses(self):
        self.export("run", "-f", "gpkg", "--field", "liquid", "-o", "liquid.gpkg")
        outline, srs = features(self.path("liquid.gpkg"), "outline")
        self.assert_zone(*outline[0], self.data.thickness.values[0] > 0, srs)

    def test_defaults_are_reported(self):
        done = self.export("run", "-f", "kml", "-o", "defaults.kml")
        self.assert_parts(done.stderr, "no --field given: deposit", "no --classes given: 0.5,1,2,5,10 (m)")
        self.assertRegex(done.stderr, "no --isochrones given: one every 10 min")

    def assert_refused(self, code, message, *args):
        before = case.tree(self.work)
        done = self.export("run", "-o", f"none/x.{args[args.index('-f') + 1]}", *args, code=code)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(case.tree(self.work), before, "files after the diagnostic")

    def test_options(self):
        for edges, word in (("1,1", "1"), ("2,1", "1"), ("0,1", "0"), ("-1", "-1"), ("1,,2", ""), ("a", "a"),
                            ("nan", "nan"), ("1,inf", "inf")):
            self.assert_refused(2, f'--classes: expected ascending numbers above 0 (m), found "{word}" in "{edges}"',
                                "-f", "gpkg", f"--classes={edges}")
        self.assert_refused(2, "--classes: expected at most 100 edges", "-f", "gpkg", "--classes",
                            ",".join(str(k) for k in range(1, 102)))
        for time in ("0", "-1 h", "1 week", "soon"):
            self.assert_refused(2, f'--isochrones: expected a time above 0 such as "6 h"; found "{time}"', "-f", "kml", f"--isochrones={time}")
        self.assert_refused(2, "expected at most 1000 isochrones", "-f", "gpkg", "--isochrones", "0.01 s")
        self.assert_refused(2, '--layer: expected outline, thickness_classes, arrival, edits, front_lines, run_out, fissures or vents; found "lava"', "-f", "geojson",
                            "--layer", "lava")
        self.assert_refused(2, "; found temperature. Outlines and classes are made from a thickness", "-f", "gpkg",
                            "--field", "temperature")
        self.assert_refused(2, "; found altitude", "-f", "kml", "--field", "altitude")
        self.assert_refused(2, "--classes: allowed only with --layer thickness_classes", "-f", "geojson", "--classes", "1")
        self.assert_refused(2, "--isochrones: allowed only with --layer arrival", "-f", "geojson", "--isochrones", "1 h")
        self.assert_refused(2, "--format cog has no option --classes", "-f", "cog", "--classes", "1")
        self.assert_refused(2, "--format gpkg has no option --layer", "-f", "gpkg", "--layer", "outline")
        self.assert_refused(2, "--format csv has no option --field", "-f", "csv", "--field", "deposit")

    def test_overwrite(self):
        for suffix in ("gpkg", "geojson", "kml"):
            name = f"twice.{suffix}"
            case.write_text(self.path(name), "a thesis")
            self.assertIn("already exists; --overwrite replaces it",
                          self.export("run", "-f", suffix, "-o", name, code=3).stderr)
            self.assertEqual(case.read_text(self.path(name)), "a thesis")
            self.export("run", "-f", suffix, "-o", name, "--overwrite")
            self.assertGreater(ogr.Open(self.path(name)).GetLayerCount(), 0)

    def test_full_disk(self):
        """A limit on the size of files stands for a full disk."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        for suffix in ("gpkg", "geojson", "kml", "nc", "csv"):
            before = case.tree(self.work)
            done = self.export("run", "-f", suffix, "-o", f"full.{suffix}", code=4, preexec_fn=limit)
            self.assertRegex(done.stderr, f"full.{suffix}.part: cannot write: File too large")
            self.assertEqual(case.tree(self.work), before, suffix)

    def test_the_same_twice(self):
        for suffix in ("geojson", "kml"):
            for name in ("one", "two"):
                self.export("run", "-f", suffix, "-o", f"{name}.{suffix}")
            self.assertEqual(case.read_bytes(self.path(f"one.{suffix}")), case.read_bytes(self.path(f"two.{suffix}")))
