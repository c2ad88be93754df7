# SPDX-License-Identifier: Apache-2.0
"""Commands that messages print: each is run literally, until the file is accepted, with altitudes where they belong, and
until what was interrupted has the results of what was not."""
import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess

import case
import geo
from case import Case
from geo import crs, gdal, ogr, osr

import numpy

TOOLS = "gdalwarp|gdal_translate|gdal_calc.py|gdal_edit.py|ogr2ogr"
N = 50
UTM = (32633, [500003, 10, 0, 4177503, 0, -10])  # off the multiples of 10
DEGREES = (4326, [15.0005, 1e-4, 0, 37.705, 0, -1e-4])


def centres(t, rows, cols):
    col, row = numpy.meshgrid(numpy.arange(cols) + 0.5, numpy.arange(rows) + 0.5)
    return t[0] + col * t[1] + row * t[2], t[3] + col * t[4] + row * t[5]


def lonlat(srs, x, y):
    """Degrees of points, or the points of a plane without a CRS on a scale like that of degrees."""
    if srs is None:
        return x * 1e-5, y * 1e-5
    flat = srs.Clone()
    flat.StripVertical()
    change = osr.CoordinateTransformation(flat, crs(4326))
    points = numpy.array(change.TransformPoints(numpy.column_stack([x.ravel(), y.ravel()])))
    return points[:, 0].reshape(x.shape), points[:, 1].reshape(x.shape)


class Cures(Case):
    def ground(self, srs, x, y):
        """A plane that rises to the north and east, in metres."""
        lon, lat = lonlat(srs, x, y)
        return 1000 + 9000 * ((lon - self.middle[0] + 180) % 360 - 180) + 7000 * (lat - self.middle[1])

    def write(self, name, epsg, t, unit=None, feet=1, driver="GTiff", change=None, rows=N, gcps=False, stored=None):
        """A raster of the ground; `change` may alter its values; `stored`: scale and offset of whole numbers."""
        srs = crs(epsg) if epsg else None
        x, y = centres(t, rows, N)
        self.middle = [v[rows // 2, N // 2] for v in lonlat(srs, x, y)]
        z = self.ground(srs, x, y) / feet
        if change:
            change(z)
        data = gdal.GetDriverByName("GTiff").Create(self.path("raw.tif"), N, rows, 1, gdal.GDT_Int16 if stored else gdal.GDT_Float64)
        if stored:
            z = numpy.round((z - stored[1]) / stored[0])
            data.GetRasterBand(1).SetScale(stored[0])
            data.GetRasterBand(1).SetOffset(stored[1])
        if gcps:
            data.SetGCPs([gdal.GCP(t[0] + c * t[1], t[3] + r * t[5], 0, c, r) for c in (0, N) for r in (0, rows)], srs)
        else:
            data.SetGeoTransform(t)
            if srs:
                data.SetSpatialRef(srs)
        data.GetRasterBand(1).WriteArray(z)
        if unit:
            data.GetRasterBand(1).SetUnitType(unit)
        data = None
        gdal.Translate(self.path(name), self.path("raw.tif"), format=driver,
                       creationOptions=["FORMAT=NC4"] if driver == "netCDF" else [])
        return name

    def printed(self, text):
        """The commands of a message."""
        return re.findall(rf"\b(?:{TOOLS}) (?=[-']).*?(?=; if|; or, if|\n|$)", text)

    def execute(self, command):
        """Runs it literally; returns the file that it makes."""
        self.tool("bash", "-c", command, env={**os.environ, "PATH": f"{os.path.dirname(case.PROGRAM)}:{os.environ['PATH']}"})
        return shlex.split(command)[-1]

    def accepted(self, dem, choose=(0,), **more):
        """Follows the commands until the DEM is accepted, and compares the altitudes that the run has."""
        for step in range(len(choose) + 1):
            case.write_json(self.path("c.json"), case.scenario(dem=dem, **more))
            done = self.sciara("run", "c.json", "-q", "-n", 1, "-o", "c.out", "--overwrite", code=3 if step < len(choose) else 0)
            keys = dict(re.findall(r"--set dem\.(\w+)=(\S+)", done.stderr))
            if keys:
                dem |= {"crs": keys["crs"], "cell_size_m": float(keys["cell_size_m"])}
            elif step < len(choose):
                dem = {**dem, "path": self.execute(self.printed(done.stderr)[choose[step]])}
                if "-s_srs" in done.stderr or "-t_srs" in done.stderr:
                    dem.pop("crs", None)
        data = gdal.Open(self.path("c.out", "dem.tif"))
        z, srs = data.GetRasterBand(1).ReadAsArray(), data.GetSpatialRef()
        expected = self.ground(srs, *centres(data.GetGeoTransform(), *z.shape))
        valid = z != case.NODATA
        valid[[0, 1, 2, -3, -2, -1]] = valid[:, [0, 1, 2, -3, -2, -1]] = False
        for axis in (0, 1):  # at its edge a raster is not interpolated, but continued
            valid &= numpy.roll(valid, 2, axis) & numpy.roll(valid, -2, axis)
        self.assertGreater(valid.mean(), 0.5)
        self.assertLess(numpy.abs(z - expected)[valid].max(), 0.2, dem)  # half a cell is 0.45
        return data.GetGeoTransform()

    def test_coordinates(self):
        """Degrees, no CRS, Web Mercator, feet, rectangles, rotated, mirrored, ground control points."""
        self.accepted({"path": self.write("a.tif", *DEGREES)})
        self.accepted({"path": self.write("it's b.tif", 3857, [1669800, 12.6, 0, 4547600, 0, -12.6])})
        self.accepted({"path": self.write("c.tif", 2263, [980000, 30, 0, 200000, 0, -30])})
        t = self.accepted({"path": self.write("d.tif", 32633, [500003, 9.9985, 0, 4177503, 0, -9.9995])})
        self.assertEqual(t[1], 10, "not 9")
        self.accepted({"path": self.write("e.tif", 32633, [500003, 10, 1, 4177503, 1, -10])})
        for name, driver in (("f.tif", "GTiff"), ("m.nc", "netCDF")):
            t = self.accepted({"path": self.write(name, 32633, [500503, -10, 0, 4177503, 0, -10], driver=driver)})
            self.assertEqual(t[:2] + t[3:4], (500003, 10, 4177503), "the cells stay where they were")
        self.accepted({"path": self.write("g.tif", *UTM, gcps=True)})
        self.accepted({"path": self.write("h.tif", 4326, [15.0055, -1e-4, 0, 37.705, 0, -1e-4])}, choose=(0, 0))

    def test_no_crs(self):
        self.write("a.tif", *DEGREES)
        gdal.Translate(self.path("a.asc"), self.path("a.tif"), format="AAIGrid")
        os.remove(self.path("a.prj"))
        self.accepted({"path": "a.asc"})
        self.write("b.tif", 3857, [1669800, 12.6, 0, 4547600, 0, -12.6])
        gdal.Translate(self.path("b.asc"), self.path("b.tif"), format="AAIGrid")
        os.remove(self.path("b.prj"))
        self.accepted({"path": "b.asc", "crs": "EPSG:3857"})

    def test_feet(self):
        """By the unit of the band or the CRS; metres whose unit kept its name; undeclared NODATA; feet everywhere."""
        us = 1200 / 3937
        self.accepted({"path": self.write("a.tif", *UTM, unit="ft", feet=0.3048)})
        self.accepted({"path": self.write("b.tif", "26910+6360", UTM[1], feet=us)})
        subprocess.run(["gdalwarp", "-q", "-t_srs", "EPSG:26910", "-tr", "10", "10", self.path("b.tif"), self.path("w.tif")], check=True)
        self.accepted({"path": "w.tif"}, choose=(1,))
        self.accepted({"path": self.write("c.tif", "2263+6360", [980000, 30, 0, 200000, 0, -30], feet=us)}, choose=(0, 0))

        def hole(z):
            z[3, 4] = case.NODATA
        self.accepted({"path": self.write("d.tif", *UTM, unit="US survey foot", feet=us, change=hole)}, choose=(0, 0))
        self.accepted({"path": self.write("e.tif", "26910+6360", UTM[1], feet=us, unit="m")})

    def test_other_units(self):
        """Units of length by name; others are a warning; none, with altitudes that no mountain has, or beside coordinates in feet."""
        for unit, metres in (("dm", 0.1), ("Centimeters", 0.01), ("mm", 0.001), ("km", 1000), ("Fuss", 0.3048), ("Fu\u00df", 0.3048), ("yard", 0.9144)):
            name = self.write("u.tif", *UTM, unit=unit, feet=metres)
            case.write_json(self.path("u.json"), case.scenario(dem={"path": name}))
            self.assertIn(f'are in "{unit}" by its metadata; metres are needed', self.sciara("check", "u.json", code=3).stderr)
            self.accepted({"path": name})
        self.write("u.tif", *UTM, unit="m above the ellipsoid")
        self.assertIn('the unit of its altitudes is "m above the ellipsoid"; they are taken to be metres', self.sciara("check", "u.json").stderr)

        def hole(z):
            z[3, 4] = -32768
        for metres, other, code, choose in ((0.01, "millimetres", 3, 0), (0.001, None, 3, 0), (0.1, "centimetres", 0, 1)):
            name = self.write("n.tif", *UTM, feet=metres)
            case.write_json(self.path("n.json"), case.scenario(dem={"path": name}))
            z = geo.read(self.path(name))
            limit = 100000 if code else 9000
            said = self.sciara("check", "n.json", code=code).stderr
            self.assertIn(f"n.tif: {(z > limit).sum()} cells have altitudes above {limit} m, up to {z.max():.9g} m: they are "
                          "probably not in metres. If they are ", said)
            self.assertEqual(other is not None, bool(other) and f"; if they are {other}: " in said, said)
            self.assertNotIn("probably not in metres", self.sciara("check", "n.json", "--set", f"dem.path={self.execute(self.printed(said)[choose])}").stderr)
            if code:
                self.accepted({"path": name}, choose=(choose,))
                self.accepted({"path": self.write("n.tif", *UTM, feet=metres, change=hole)}, choose=(0, choose))
        for feet, choose in ((1, 0), (1200 / 3937, 1)):
            name = self.write("c.tif", 2263, [980000, 30, 0, 200000, 0, -30], feet=feet)
            dem = {"path": name, "crs": "EPSG:32618", "cell_size_m": 10}
            for keys, code in (({"path": name}, 3), (dem, 0)):  # refused, and warped
                case.write_json(self.path("c.json"), case.scenario(dem=keys))
                said = self.sciara("check", "c.json", code=code).stderr
                self.assertIn('c.tif: its altitudes have no unit, and its coordinates are in "US survey foot"; they are taken to be metres. If they are: ', said)
            self.assertEqual(len(self.printed(said)), 2)
            dem["path"] = self.execute(self.printed(said)[choose])
            self.accepted(dem, choose=())
            self.assertNotIn("warning", self.sciara("check", "c.json").stderr)

    def test_values(self):
        def hole(z):
            z[3, 4] = -32768
        self.accepted({"path": self.write("a.tif", *UTM, change=hole)})
        self.write("one.nc", *UTM, driver="netCDF")
        import h5py
        with h5py.File(self.path("one.nc"), "r+") as f:
            f.copy("Band1", f, "other")
            for k, axis in enumerate(("y", "x")):
                f["other"].dims[k].attach_scale(f[axis])
        self.accepted({"path": "one.nc"})

    def test_on_the_grid(self):
        """Initial lava on other cells, or in another CRS."""
        self.write("dem.tif", *UTM)
        vents = [{"row": 20, "col": 20, "effusion": {"slot": "1 h", "rates_m3_s": [1]}}]

        def lava(z):
            z.fill(0)
            z[55:65, 15:25] = 2
        self.write("lava.tif", 32633, [499803, 20, 0, 4178503, 0, -20], change=lava, rows=100)

        def run(name, code):
            case.write_json(self.path("l.json"), case.scenario(dem={"path": "dem.tif"}, vents=vents, initial={"thickness": name, "temperature": 1300}))
            return self.sciara("run", "l.json", "-q", "-n", 1, "-o", "l.out", "--overwrite", code=code).stderr

        def assert_lava(made):
            run(made, 0)
            numpy.testing.assert_allclose(geo.read(self.path(made))[14:26, 14:26], 2, atol=1e-3)
            os.rename(self.path(made), self.path("made.tif"))
        assert_lava(self.execute(self.printed(run("lava.tif", 3))[0]))
        gdal.Warp(self.path("far.tif"), self.path("made.tif"), dstSRS="EPSG:32634")
        gdal.Translate(self.path("named.tif"), self.path("made.tif"), outputSRS="EPSG:32632")
        assert_lava(self.execute(self.printed(run("far.tif", 3))[0]))
        assert_lava(self.execute(self.printed(run("named.tif", 3))[1]))

    def test_counts(self):
        """An observed raster of counts becomes one of the extent."""
        self.write_scenario(run={"max_steps": 100})
        self.run_scenario("run")
        counts = numpy.zeros((case.ROWS, case.COLS))
        counts[5:15, 15:30] = numpy.arange(15) + 1
        counts[0, 0] = numpy.nan
        data = gdal.GetDriverByName("GTiff").Create(self.path("n.tif"), case.COLS, case.ROWS, 1, gdal.GDT_Float32)
        data.SetGeoTransform([case.WEST, case.CELL, 0, case.NORTH, 0, -case.CELL])
        data.GetRasterBand(1).WriteArray(counts)
        data = None
        made = self.execute(self.printed(self.sciara("compare", "run", "--observed", "n.tif").stderr)[0])
        done = self.sciara("compare", "run", "--observed", made, "--json")
        found = json.loads(done.stdout)
        self.assertEqual((found["observed_kind"], found["observed_cells"], done.stderr.count("warning")), ("extent", 150, 0))

    def test_vectors(self):
        """GeoJSON in metres without "crs", or with latitude first: as an observation and as sea."""
        self.write_scenario()
        self.run_scenario("run", "-n", 100)
        ring = [[case.WEST + x, case.SOUTH + y] for x, y in ((50, 50), (150, 50), (150, 90), (50, 90), (50, 50))]
        lon, lat = lonlat(crs(), *numpy.array(ring).T)
        for name, points in (("metres", ring), ("swapped", numpy.column_stack([lat, lon]).tolist())):
            case.write_json(self.path(name + ".geojson"), {"type": "FeatureCollection", "features": [
                {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [points]}}]})
            said = self.sciara("compare", "run", "--observed", name + ".geojson", code=3).stderr
            case.write_json(self.path("v.json"), case.scenario(dem={"path": "dem.asc", "crs": "EPSG:32633", "sea": name + ".geojson"}))
            made = self.execute(self.printed(said)[0])
            self.assertEqual(made, name + ".geojson")
            done = self.sciara("compare", "run", "--observed", name + "-placed.gpkg", "--json")
            self.assertEqual(json.loads(done.stdout)["observed_cells"], 10 * 4)
            self.assertIn("v.json: dem.sea: ", self.sciara("check", "v.json", code=3).stderr)
            said = self.sciara("check", "v.json", "--set", f"dem.sea={name}-placed.gpkg").stderr
            self.assertIn("dem.sea: 40 cells are sea", said)

    def test_changes_that_are_not_in_the_file(self):
        """A GeoPackage that is open elsewhere, with a place, an outline or an altitude in the log beside it: the copy has them. What lies beside
        it stays as it is."""
        self.write_scenario()
        self.run_scenario("run", "-n", 100)
        x, y = case.WEST, case.SOUTH
        box = lambda a, b: f"POLYGON(({x + a} {y + 50},{x + b} {y + 50},{x + b} {y + 90},{x + a} {y + 90},{x + a} {y + 50}))"
        made = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("front.gpkg"))
        layer = made.CreateLayer("front", crs(), ogr.wkbPolygon)
        layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
        made = layer = None
        os.environ["OGR_SQLITE_JOURNAL"] = "WAL"
        self.addCleanup(os.environ.pop, "OGR_SQLITE_JOURNAL")
        for k, name in enumerate(("old", "new")):
            source = ogr.Open(self.path("front.gpkg"), 1)
            layer = source.GetLayer(0)
            feature = ogr.Feature(layer.GetLayerDefn())
            feature.SetField("name", name)
            feature.SetGeometry(ogr.CreateGeometryFromWkt(box(50 + 100 * k, 150 + 100 * k)))
            layer.CreateFeature(feature)
            source.FlushCache()
            if name == "new":  # copied while it is open
                for suffix in ("", "-wal"):
                    shutil.copy(self.path("front.gpkg" + suffix), self.path("open.gpkg" + suffix))
            feature = layer = source = None
        self.assertGreater(os.path.getsize(self.path("open.gpkg-wal")), 32)
        before = case.tree(self.work)
        edit = case.write_json(self.path("v.json"), case.scenario(dem={"path": "dem.asc", "crs": "EPSG:32633", "sea": "open.gpkg"}))
        said = [self.sciara("compare", "run", "--observed", "open.gpkg", code=3).stderr,
                self.sciara("exposure", "run", "--assets", "open.gpkg", "-o", "e.csv", code=3).stderr, self.sciara("check", edit, code=3).stderr]
        os.remove(edit)
        self.assertEqual(case.tree(self.work), before, "something was written beside it")
        for text in said:
            self.assertIn("open.gpkg: its latest changes are in open.gpkg-wal", text)
        command = re.search(r"a copy with them: (ogr2ogr .*?);", said[0])[1]
        subprocess.run(command, shell=True, check=True, cwd=self.work, env={**os.environ, "OGR_SQLITE_JOURNAL": ""})
        found = json.loads(self.sciara("compare", "run", "--observed", "open-whole.gpkg", "--json").stdout)
        self.assertEqual(found["observed_cells"], 2 * 40)
        # a raster: gdal_translate
        gdal.Translate(self.path("ground.tif"), self.path("dem.asc"), outputSRS="EPSG:32633")
        gdal.Translate(self.path("ground.gpkg"), self.path("ground.tif"), format="GPKG", outputType=gdal.GDT_Float32)
        db = sqlite3.connect(self.path("ground.gpkg"))
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("UPDATE gpkg_contents SET description = 'changed'")
        db.commit()
        for suffix in ("", "-wal"):
            shutil.copy(self.path("ground.gpkg" + suffix), self.path("held.gpkg" + suffix))
        db.close()
        case.write_json(self.path("g.json"), case.scenario(dem={"path": "held.gpkg"}))
        command = re.search(r"of a raster: (gdal_translate .*)", self.sciara("check", "g.json", code=3).stderr)[1]
        subprocess.run(command, shell=True, check=True, cwd=self.work, stdout=subprocess.DEVNULL)
        self.assertTrue((geo.read(self.path("held-whole.tif")) == geo.read(self.path("ground.tif"))).all())
        # a journal of SQLite itself, of a program that was killed
        shutil.copy(self.path("front.gpkg"), self.path("killed.gpkg"))
        case.write_bytes(self.path("killed.gpkg-journal"), bytes.fromhex("d9d505f920a163d7") + bytes(504))
        self.assertIn("killed.gpkg-journal", self.sciara("compare", "run", "--observed", "killed.gpkg", code=3).stderr)

    def write_layer(self, path, geometries, driver="GPKG", srs=crs(), layer="places", kind=ogr.wkbUnknown):
        """Named features of WKT geometries, added to a file that may exist."""
        exists = os.path.exists(self.path(path))
        source = ogr.Open(self.path(path), 1) if exists else ogr.GetDriverByName(driver).CreateDataSource(self.path(path))
        made = source.CreateLayer(layer, srs, kind)
        made.CreateField(ogr.FieldDefn("name", ogr.OFTString))
        for name, wkt in geometries.items():
            feature = ogr.Feature(made.GetLayerDefn())
            feature.SetField("name", name)
            feature.SetGeometry(ogr.CreateGeometryFromWkt(wkt))
            made.CreateFeature(feature)

    def exposed(self, path, *more, code=0):
        """What sciara exposure says of a file; the rows of its table."""
        done = self.sciara("exposure", "run", "--assets", path, "-o", "e.csv", "--overwrite", *more, code=code)
        if code:
            return done.stderr, None
        return done.stderr, case.read_rows(self.path("e.csv"))

    def test_layers_of_others(self):
        """Layers without geometry (styles of QGIS), empty ones, several, geodatabases, collections of several kinds, surfaces of triangles, and
        a CRS that lies nowhere."""
        self.write_scenario()
        self.run_scenario("run", "-n", 100)
        x, y = case.WEST, case.SOUTH
        point, box = f"POINT({x + 205} {y + 205})", f"POLYGON(({x + 150} {y + 150},{x + 250} {y + 150},{x + 250} {y + 250},{x + 150} {y + 150}))"
        scenario = lambda **dem: case.write_json(self.path("v.json"), case.scenario(dem={"path": "dem.asc", "crs": "EPSG:32633", **dem}))
        self.write_layer("styled.gpkg", {"zone": box}, kind=ogr.wkbPolygon)
        self.write_layer("styled.gpkg", {}, layer="layer_styles", srs=None, kind=ogr.wkbNone)
        self.exposed("styled.gpkg")
        self.sciara("exposure", "run", "--assets", "styled.gpkg", "-o", "own.gpkg", "-q")
        for name in ("styled.gpkg", "own.gpkg"):
            self.assertEqual([row["place"] for row in self.exposed(name)[1]], ["zone"], name)
            self.sciara("compare", "run", "--observed", name, "-q")
            self.assertIn("cells are sea", self.sciara("check", scenario(sea=name), "--no-estimate", "--set", "vents.0.row=3").stderr)
            self.assertIn("cells are changed", self.sciara("check", scenario(edits=[{"file": name, "raise_m": 1}]), "--no-estimate").stderr)
        self.write_layer("several.gpkg", {"a": point}, layer="first", kind=ogr.wkbPoint)
        self.write_layer("several.gpkg", {"b": box}, layer="second", kind=ogr.wkbPolygon)
        self.write_layer("several.gpkg", {}, layer="layer_styles", srs=None, kind=ogr.wkbNone)
        self.assertIn('several.gpkg: expected the name of one of its 2 layers ("first", "second")', self.exposed("several.gpkg", code=3)[0])
        self.assertIn("cells are changed", self.sciara("check", scenario(edits=[{"file": "several.gpkg", "raise_m": 1}]), "--no-estimate").stderr)
        self.write_layer("empty.gpkg", {}, kind=ogr.wkbPolygon)
        for args in (("exposure", "run", "--assets", "empty.gpkg", "-o", "n.csv"), ("compare", "run", "--observed", "empty.gpkg"),
                     ("check", scenario(), "--set", "dem.sea=empty.gpkg"), ("check", scenario(), "--set", 'dem.edits=[{"file":"empty.gpkg","raise_m":1}]')):
            self.assertIn('empty.gpkg: layer "places" has no features', self.sciara(*args, code=3).stderr, args)
        if ogr.GetDriverByName("OpenFileGDB").TestCapability(ogr.ODrCCreateDataSource):
            self.write_layer("roads.gdb", {"hut": point}, driver="OpenFileGDB", kind=ogr.wkbPoint)
            for given in ("roads.gdb", "roads.gdb/"):
                command = re.search(r"layers with: (ogr2ogr '\S+' '\S+')", self.exposed(given, code=3)[0])[1]
            subprocess.run(command, shell=True, check=True, cwd=self.work)
            self.assertEqual([row["place"] for row in self.exposed("roads.gpkg")[1]], ["hut"])
        case.write_json(self.path("mixed.geojson"), {"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32633"}},
                        "features": [{"type": "Feature", "properties": {"name": name}, "geometry": json.loads(ogr.CreateGeometryFromWkt(wkt).ExportToJson())}
                                     for name, wkt in (("hut", point), ("incident", f"GEOMETRYCOLLECTION({point},{box})"))]})
        said = self.exposed("mixed.geojson", code=3)[0]
        self.assertIn('mixed.geojson: feature 2 ("incident"): expected points, lines or polygons, found several of them: a point and a zone', said)
        subprocess.run(re.search("part with: (ogr2ogr .*)", said)[1], shell=True, check=True, cwd=self.work, stderr=subprocess.DEVNULL)
        self.assertEqual([row["kind"] for row in self.exposed("mixed-parts.gpkg")[1]], ["point", "point", "zone"])
        corners = [f"{x + a} {y + b} {z}" for a, b, z in ((150, 150, 9), (250, 150, 9), (250, 250, 9), (150, 250, 9))]
        a, b, c, d = corners
        for name, surface in (("tin", f"TIN Z((({a},{b},{c},{a})),(({a},{c},{d},{a})))"),
                              ("walls", f"POLYHEDRALSURFACE Z((({a},{b},{c},{d},{a})),(({a},{b},{c},{a})),(({a},{b},{b[:-1]}0,{a[:-1]}0,{a})))")):
            self.write_layer(name + ".gpkg", {"hut": point, name: surface})
            row = self.exposed(name + ".gpkg")[1][1]
            self.assertEqual((row["kind"], float(row["all"])), ("zone", 100 * 100), name)
        self.write_layer("plane.gpkg", {"hut": point}, srs=None, kind=ogr.wkbPoint)
        shutil.copy(self.path("plane.gpkg"), self.path("cartesian.gpkg"))
        with sqlite3.connect(self.path("cartesian.gpkg")) as db:  # as R and others write it
            for table in ("gpkg_contents", "gpkg_geometry_columns"):
                db.execute(f"UPDATE {table} SET srs_id = -1")
        for name in ("plane.gpkg", "cartesian.gpkg"):
            said, rows = self.exposed(name)
            self.assertIn(name + ": names no CRS, so its coordinates are taken to be those of the DEM", said)
            self.assertEqual((float(rows[0]["x"]), float(rows[0]["y"])), (x + 205, y + 205))
        local = osr.SpatialReference()
        local.SetFromUserInput('LOCAL_CS["works of 1950",LOCAL_DATUM["hut",0],UNIT["metre",1],AXIS["x",EAST],AXIS["y",NORTH]]')
        self.write_layer("local.gpkg", {"hut": point}, srs=local, kind=ogr.wkbPoint)
        said = self.exposed("local.gpkg", code=3)[0]
        self.assertIn('local.gpkg: its CRS "works of 1950" is a local one', said)
        subprocess.run(re.search("so with: (ogr2ogr .*)", said)[1], shell=True, check=True, cwd=self.work)
        self.assertEqual(self.exposed("local-placed.gpkg")[1], rows)

    def test_words_of_files(self):
        """A CRS whose authority would be a command of the shell: it is one word of the printed one."""
        self.write_scenario()
        wkt = crs().ExportToWkt()
        case.write_text(self.path("dem.prj"), wkt[:wkt.rindex("AUTHORITY[")] + 'AUTHORITY["$(touch taken)","1"]]')
        case.write_json(self.path("sea.geojson"), {"type": "Polygon", "coordinates": [
            [[case.WEST + x, case.SOUTH + y] for x, y in ((50, 50), (150, 50), (150, 90), (50, 90), (50, 50))]]})
        case.write_json(self.path("w.json"), case.scenario(dem={"path": "dem.asc", "sea": "sea.geojson"}))
        said = self.sciara("check", "w.json", code=3).stderr
        self.assertIn("ogr2ogr -a_srs 'PROJCS[", said)
        self.execute(self.printed(said)[0])
        self.assertFalse(os.path.exists(self.path("taken")))

    def test_metres_from_nowhere(self):
        """Cells of 1 mm, whose message offers a key."""
        case.write_text(self.path("lab.asc"), "ncols 9\nnrows 9\nxllcorner 0\nyllcorner 0\ncellsize 0.001\n" + "0.1 0.1 0.1 0.1 0.1 0.1 0.1 0.1 0.1\n" * 9)
        vents = [{"row": 4, "col": 4, "effusion": {"slot": "1 min", "rates_m3_s": [1e-9]}}]
        case.write_json(self.path("l.json"), case.scenario(dem={"path": "lab.asc"}, vents=vents))
        said = self.sciara("run", "l.json", "-q", code=3).stderr
        self.assertIn('(if they are metres: "dem.crs": "local")', said)
        done = self.sciara("run", "l.json", "-n", 1, "-q", "-o", "l.out", "--set", "dem.crs=local")
        self.assertNotIn("CRS", done.stderr)
        self.assertAlmostEqual(gdal.Open(self.path("l.out", "dem.tif")).GetGeoTransform()[1], 0.001)
        self.write("utm.tif", *UTM)
        said = self.sciara("check", "l.json", "--set", "dem.crs=local", "--set", "dem.path=utm.tif", code=3).stderr
        self.assertIn('dem.crs: "local" is for a raster that names no CRS', said)

    def test_next_commands(self):
        """Commands of the program itself, which name a path with blanks and signs of the shell: the messages of init and run."""
        def follow(said, count):
            commands = re.findall(r"'(sciara [^']*)'", said)
            self.assertEqual(len(commands), count, said)
            for command in commands:
                self.execute(command)

        self.write_scenario()
        name = 'a $(b) "c`.json'
        said = self.sciara("init", "dem.asc", "--vent", f"{case.WEST + 200},{case.SOUTH + 150}", "--rate", 1, "--duration", "1 min",
                           "-u", "1 min", "-o", name, "--set", "dem.crs=EPSG:32633").stderr
        follow(said, 2)
        said = self.sciara("run", name, "-o", "x y", "-n", 10).stderr
        follow(said, 1)
        follow(self.sciara("ensemble", "init", name, "--members", 2, "-o", "e " + name).stderr, 1)

    def interrupt(self, *command, begun):
        """The messages of a program that SIGINT ends as soon as a file exists."""
        process = subprocess.Popen([case.PROGRAM, *command], cwd=self.work, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.wait_for(begun, process, lambda: os.path.exists(begun))
        process.send_signal(signal.SIGINT)
        said = process.communicate()[1]
        self.assertEqual(process.returncode, 128 + signal.SIGINT, said)
        return said

    def test_resume(self):
        """An interrupted run; its folder has a blank, quotes and signs of the shell in its name."""
        vents = [{"row": case.VENT[0], "col": case.VENT[1], "effusion": {"slot": "2 h", "rates_m3_s": [2, 5, 1]}}]
        self.write_scenario(vents=vents, model={"cooling": 6})
        name = """a run's "$HOME" `b`\\c"""
        said = self.interrupt("run", "s.json", "-o", name, begun=self.path(name, "run.json"))
        self.assertEqual(case.record(self.path(name))["status"], "stopped")
        self.execute(re.search("(?m)'(sciara resume .*)' continues the run$", said)[1])
        self.run_scenario("whole")
        os.rename(self.path(name), self.path("out"))  # netCDF4 cannot open such a path
        self.assert_same_run("whole", "out", but=("history", "scenario_json"))

    def test_continue_an_ensemble(self):
        """The same with members that are left."""
        self.write_scenario("base.json", model={"cooling": 3}, run={"until": "4 h"})
        case.write_json(self.path("e.json"), {"base": "base.json", "sample": {"method": "full"}, "vary": [
            {"key": "model.relaxation", "values": [0.3 + 0.01 * k for k in range(8)]}]})
        name = """an ensemble's "$HOME" `b`\\c"""
        for folder in ("whole", name):
            self.sciara("ensemble", "plan", "e.json", "-o", folder, "--no-estimate")
        said = self.interrupt("ensemble", "run", name, "-j", "1", begun=self.path(name, "log.csv"))
        finished = int(re.search(r"(\d+) of 8 members are finished", said)[1])
        self.assertLess(finished, 8)
        self.execute(re.search("(?m)'(sciara ensemble run .*)' continues; ", said)[1])
        self.sciara("ensemble", "run", "whole")
        found = []
        for folder in ("whole", name):
            self.sciara("ensemble", "reduce", folder, "--no-pictures")
            found.append(case.tree(self.path(folder, "maps")))
        self.assertIn("probability_0m.tif", found[0])
        self.assertEqual(*found)

    def printing(self, pattern):
        """{file: how often the pattern is in its source}"""
        found, top = {}, os.path.join(case.SOURCE, "src")
        for folder, _, names in os.walk(top):
            for name in names:
                text = re.sub(r"//[^\n]*|/\*.*?\*/", "", case.read_text(os.path.join(folder, name)), flags=re.DOTALL)
                count = len(re.findall(pattern, text))
                if count:
                    found[os.path.relpath(os.path.join(folder, name), top)] = count
        return found

    def test_no_other_command_is_printed(self):
        """Every source that prints a command is one whose commands are run: above, in terrain.py (NetCDF, first bytes, numbers
        of ASCII grids; jumps of longitudes), in evaluate.py (outlines of several dates) or in exposure.py (places without a CRS, rings that cross themselves). Of the program itself those count that name a path."""
        self.assertEqual(self.printing(rf'"[^"\n]*\b(?:{TOOLS})(?: -| "|")'), {
            "file/gdal_files.c": 2, "file/vector_open.c": 5, "file/vector_place.c": 2, "terrain/dem_altitudes.c": 1, "terrain/dem_gdal.c": 4,
            "terrain/dem_source.c": 5, "terrain/poi_file.c": 1, "terrain/dem_suggest.c": 2, "terrain/raster_on_grid.c": 2, "terrain/vector_shapes.c": 1, "analysis/observation.c": 1})
        self.assertEqual(self.printing("gdalmdimtranslate -"), {"terrain/dem_source.c": 1})
        self.assertEqual(self.printing(r'"(?:gzip|bzip2|xz|zstd|tail|iconv) -|\bsed \''),
                         {"terrain/dem_suggest.c": 10, "terrain/dem_source.c": 2})
        self.assertEqual(self.printing(r"'sciara (?:[a-z]+ )+%s(?! --help)"),
                         {"app/cmd_init.c": 3, "app/session.c": 2, "app/ensemble_run.c": 1})
