# SPDX-License-Identifier: Apache-2.0
"""Rasters and outlines of unknown origin: neither they nor the files next to them make the program open another file or
contact a server. A server on this machine records every connection; with strace, every opened file is checked."""
import http.server
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading

import case
from geo import gdal, ogr, osr

import h5py
import netCDF4
import numpy

STRACE = shutil.which("strace") if not case.SANITIZED else None
UTM = ('PROJCS["x",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],'
       'UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],'
       'PARAMETER["central_meridian",15],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],'
       'PARAMETER["false_northing",0],UNIT["metre",1]%s]')


def set_item(path, key, value, domain=""):
    """Changes the metadata in a file."""
    raster = gdal.Open(path, gdal.GA_Update)
    raster.SetMetadataItem(key, value, domain)
    del raster


class Server:
    """Records the requests that it gets; serves nothing."""

    def __init__(self):
        self.asked = asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_error(404)

            do_HEAD = do_PUT = do_POST = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Hostile(case.Case):
    """A DEM, a run on it, an outline, and in the same folder a file that nobody may open."""

    forbidden = "canary.bin"  # part of the path of what may not be opened

    def prepare_test(self):
        self.server = Server()
        self.addCleanup(self.server.close)
        self.url = self.server.url
        self.write_scenario()
        self.write(self.canary, "nobody reads this\n" * 100)
        gdal.Translate(self.path("dem.tif"), self.path("dem.asc"), outputSRS="EPSG:32633")

    @property
    def canary(self):
        return self.path("canary.bin")

    def vrt(self, source):
        """A VRT of the shape of the DEM, of one band of bytes."""
        return (f'<VRTDataset rasterXSize="{case.COLS}" rasterYSize="{case.ROWS}"><Metadata>'
                '<MDI key="INTERNAL_MASK_FLAGS_1">2</MDI></Metadata><VRTRasterBand dataType="Byte" band="1">'
                f'<SimpleSource><SourceFilename>{source}</SourceFilename><SourceBand>1</SourceBand></SimpleSource>'
                f'</VRTRasterBand></VRTDataset>')

    def scenario_on(self, dem, **changes):
        self.write_scenario(dem={"path": dem, **changes}, vents=[{"lon": 15.0023, "lat": 37.7425, "effusion": {
            "slot": "1 h", "rates_m3_s": [1]}}])

    def harmless(self, *args, codes, said=None):
        """Runs the program: it contacts no server, does not open the canary, and shows no byte of it."""
        log = self.path("strace.log")
        trace = [STRACE, "-f", "--seccomp-bpf", "-o", log, "-e", "trace=openat,open,connect,socket"] if STRACE else []
        done = subprocess.run([*trace, case.PROGRAM, *args], cwd=self.work, stdin=subprocess.DEVNULL,
                              capture_output=True, encoding="utf-8", timeout=150, check=False)
        self.assertIn(done.returncode, codes, done.stderr)
        self.assertEqual(self.server.asked, [], "it contacted a server")
        self.assertNotIn("nobody reads this", done.stdout + done.stderr)
        if STRACE:
            with open(log, encoding="utf-8", errors="replace") as f:
                calls = f.read()
            os.remove(log)
            self.assertNotIn("AF_INET", calls, "it opened a connection")
            opened = [line for line in calls.splitlines() if self.forbidden in line]
            self.assertEqual(opened, [], "it opened the canary")
        if said:
            self.assertRegex(done.stderr, said)
        return done

    def check_and_run(self, dem, said=None, codes=(0,)):
        self.scenario_on(dem)
        self.harmless("check", "s.json", codes=codes, said=said)
        shutil.rmtree(self.path("s.out"), True)
        self.harmless("run", "s.json", "-n", "2", codes=codes, said=said)

    def targets(self):
        """Names that a hostile file would contain: a server in several ways, and a file."""
        return [f"/vsicurl/{self.url}/x.tif", f"/vsicurl_streaming/{self.url}/x.tif", f"{self.url}/x.tif",
                f"WMS:{self.url}/x", self.canary]


class Rasters(Hostile):
    def test_the_server_and_the_canary_detect_access(self):
        """The basis of the other tests: GDAL alone does follow these files."""
        self.write("dem.tif.msk", self.vrt(f"/vsicurl/{self.url}/mask.tif"))
        code = ("from osgeo import gdal; d = gdal.Open('dem.tif'); m = d.GetRasterBand(1).GetMaskBand();"
                "print(m.ReadAsArray() is None)")
        subprocess.run([sys.executable, "-c", code], cwd=self.work, check=False, capture_output=True)
        self.assertTrue(self.server.asked)

    def test_masks(self):
        for dem in ("dem.tif", "dem.asc"):
            for target in self.targets():
                with self.subTest(dem=dem, target=target):
                    self.write(dem + ".msk", self.vrt(target))
                    self.check_and_run(dem, codes=(3,), said=rf"{dem}\.msk: expected a TIFF")
                    os.remove(self.path(dem + ".msk"))

    def test_the_mask_of_a_netcdf_file(self):
        gdal.Translate(self.path("dem.nc"), self.path("dem.tif"), format="netCDF")
        self.check_and_run("dem.nc")
        self.write("dem.nc.msk", self.vrt(f"/vsicurl/{self.url}/mask.tif"))
        self.check_and_run("dem.nc", codes=(3,), said=r"dem\.nc\.msk: expected a TIFF")

    def test_masks_of_an_allowed_driver(self):
        """--allow-driver allows the raster, not the files next to it."""
        gdal.Translate(self.path("dem.rst"), self.path("dem.tif"), format="RST", outputType=gdal.GDT_Float32)
        self.scenario_on("dem.rst", crs="EPSG:32633")
        self.harmless("check", "s.json", "--allow-driver", "RST", codes=(0,))
        self.write("dem.rst.msk", self.vrt(f"/vsicurl/{self.url}/mask.tif"))
        self.harmless("check", "s.json", "--allow-driver", "RST", codes=(3,), said=r"dem\.rst\.msk: expected a TIFF")

    def test_a_mask_that_is_a_geotiff(self):
        """What gdal_translate -mask writes is read, with no file next to it."""
        mask = gdal.GetDriverByName("MEM").Create("", case.COLS, case.ROWS, 1, gdal.GDT_Byte)
        mask.GetRasterBand(1).Fill(255)
        mask.GetRasterBand(1).WriteRaster(0, 0, 5, 5, b"\0" * 25)
        gdal.GetDriverByName("GTiff").CreateCopy(self.path("dem.tif.msk"), mask).FlushCache()
        set_item(self.path("dem.tif.msk"), "INTERNAL_MASK_FLAGS_1", "2")
        self.write("dem.tif.msk.aux.xml", '<PAMDataset><Metadata domain="OVERVIEWS"><MDI key="OVERVIEW_FILE">'
                   f"{self.canary}</MDI></Metadata></PAMDataset>")
        self.write("dem.tif.msk.ovr", self.vrt(self.canary))
        self.check_and_run("dem.tif", said="25 cells NODATA")

    def test_overviews(self):
        for target in self.targets():
            for name in ("dem.tif.ovr", "dem.ovr", "dem.tif.aux", "dem.aux"):
                with self.subTest(name=name, target=target):
                    self.write(name, self.vrt(target))
                    self.scenario_on("dem.tif")
                    self.harmless("check", "s.json", codes=(0,))
                    os.remove(self.path(name))

    def test_overviews_named_in_the_file(self):
        for target in self.targets():
            with self.subTest(target=target):
                set_item(self.path("dem.tif"), "OVERVIEW_FILE", target, "OVERVIEWS")
                self.check_and_run("dem.tif")
                self.write("dem.asc.aux.xml", '<PAMDataset><Metadata domain="OVERVIEWS"><MDI key="OVERVIEW_FILE">'
                           f"{target}</MDI></Metadata></PAMDataset>")
                self.scenario_on("dem.asc", crs="EPSG:32633")
                self.harmless("check", "s.json", codes=(0,))

    def test_crs_that_names_a_file_or_a_server(self):
        """PROJ would open the grids and init files of a CRS."""
        proj4 = ',EXTENSION["PROJ4","+proj=utm +zone=33 +datum=WGS84 %s"]'
        for text in (UTM % proj4 % f"+nadgrids={self.canary}", UTM % proj4 % f"+nadgrids=us_x.tif,@{self.canary}",
                     UTM % f',EXTENSION["PROJ4","+init={self.canary}:x"]', UTM % proj4 % f"+geoidgrids={self.canary}",
                     UTM.replace('298.257223563]', f'298.257223563],EXTENSION["PROJ4_GRIDS","{self.canary}"]') % "",
                     f"+init={self.canary}:x", f"+proj=utm +zone=33 +nadgrids={self.canary}",
                     UTM % proj4 % f"+nadgrids={self.url}/x.tif"):
            with self.subTest(text=text):
                self.write("dem.prj", text)
                self.scenario_on("dem.asc")
                self.harmless("check", "s.json", codes=(3,), said=r"dem\.prj: its CRS names a file by a path")
                os.remove(self.path("dem.prj"))
                escaped = text.replace("init", "in&#105;t").replace("grids", "gr&#105;ds").replace('"', "&quot;")
                self.write("dem.asc.aux.xml", f"<PAMDataset><SRS>{escaped}</SRS></PAMDataset>")
                self.harmless("check", "s.json", codes=(3,), said=r"dem\.asc\.aux\.xml: its CRS names a file by a path")
                os.remove(self.path("dem.asc.aux.xml"))
                self.scenario_on("dem.asc", crs=text)
                self.harmless("check", "s.json", codes=(3,), said="dem.crs: .*names a file by a path")

    def test_crs_that_names_a_file_of_proj(self):
        for grids in ("@null", "@x.gsb"):
            self.scenario_on("dem.asc", crs=f"+proj=utm +zone=33 +ellps=WGS84 +nadgrids={grids}")
            self.harmless("check", "s.json", codes=(0,))

    def test_an_image_with_its_pixels_elsewhere(self):
        """HFA stores large rasters in a second file, whose name is in the first."""
        gdal.SetConfigOption("HFA_USE_RRD", "YES")
        gdal.Translate(self.path("dem.img"), self.path("dem.tif"), format="HFA", creationOptions=["USE_SPILL=YES"])
        self.check_and_run("dem.img")  # next to it: read
        self.forbidden = "x.i"
        os.mkdir(self.path("sub"))
        os.rename(self.path("dem.ige"), self.path("x.i"))
        data = case.read_bytes(self.path("dem.img"))
        self.assertIn(b"dem.ige\0", data)
        case.write_bytes(self.path("sub", "dem.img"), data.replace(b"dem.ige\0", b"../x.i\0\0"))
        self.scenario_on("sub/dem.img")
        self.harmless("check", "s.json", codes=(3, 4))

    def test_addresses_and_names_of_gdal_are_no_paths(self):
        for dem in (*self.targets()[:4], f"/vsizip/{self.url}", 'NETCDF:"dem.nc":z', "GPKG:dem.gpkg:t", "/vsistdin/",
                    f"<VRTDataset><x>{self.url}</x></VRTDataset>", f"HDF5:{self.canary}://x", "/vsimem/x"):
            with self.subTest(dem=dem):
                self.scenario_on(dem)
                self.harmless("check", "s.json", codes=(4,), said=re.escape(dem))

    def test_crs_inside_a_file(self):
        """PROJ may search for the grid before the program sees its name; the raster is refused."""
        text = UTM.replace('298.257223563]', f'298.257223563],EXTENSION["PROJ4_GRIDS","{self.canary}"]') % ""
        self.forbidden = "nothing is forbidden here"
        gdal.Translate(self.path("inside.nc"), self.path("dem.tif"), format="netCDF")
        with netCDF4.Dataset(self.path("inside.nc"), "r+") as f:
            crs = next(f[name] for name in f.variables if "mercator" in name)
            crs.spatial_ref = crs.crs_wkt = text
        self.scenario_on("inside.nc")
        self.harmless("check", "s.json", codes=(3,), said=r"inside\.nc: its CRS names a file by a path")

    def test_sidecar_files_of_a_dem(self):
        """CRS, world file, header and metadata of the DEM are read."""
        self.write("dem.prj", osr.SpatialReference(UTM % "").ExportToWkt())
        self.scenario_on("dem.asc")
        self.assertIn("CRS:           x", self.harmless("check", "s.json", codes=(0,)).stdout)
        gdal.Translate(self.path("world.tif"), self.path("dem.tif"), creationOptions=["TFW=YES", "PROFILE=BASELINE"],
                       srcWin=[2, 4, 30, 20])
        os.remove(self.path("world.tif.aux.xml"))
        self.scenario_on("world.tif", crs="EPSG:32633")
        self.assertIn("x 500020 to 500320", self.harmless("check", "s.json", codes=(0,)).stdout)
        os.rename(self.path("world.tfw"), self.path("world.TFW"))
        self.harmless("check", "s.json", codes=(0,))
        gdal.Translate(self.path("flat.flt"), self.path("dem.tif"), format="EHdr")
        self.assertTrue(os.path.exists(self.path("flat.hdr")))
        self.scenario_on("flat.flt")
        self.assertIn("32633", self.harmless("check", "s.json", codes=(0,)).stdout)
        os.remove(self.path("dem.prj"))
        gdal.Translate(self.path("plain.tif"), self.path("dem.asc"))
        self.write("plain.tif.aux.xml", "<PAMDataset><SRS>EPSG:32633</SRS></PAMDataset>")
        self.scenario_on("plain.tif")
        self.assertIn("32633", self.harmless("check", "s.json", codes=(0,)).stdout)


class Snapshots(Hostile):
    def test_crs_that_is_a_file_or_an_address(self):
        """The CRS of a snapshot goes into maps and outlines."""
        self.run_scenario("out", "-n", 3)
        (name,) = os.listdir(self.path("out", "snapshots"))
        for text in (self.canary, self.url + "/crs", UTM % f',EXTENSION["PROJ4","+init={self.canary}:x"]',
                     UTM.replace('298.257223563]', f'298.257223563],EXTENSION["PROJ4_GRIDS","{self.canary}"]') % ""):
            with h5py.File(self.path("out", "snapshots", name), "r+") as snapshot:
                for key in ("crs_wkt", "spatial_ref"):
                    snapshot["crs"].attrs[key] = numpy.bytes_(text)
            for kind, product in (("cog", "x.tif"), ("gpkg", "x.gpkg"), ("geojson", "x.geojson"), ("kml", "x.kml")):
                with self.subTest(text=text, kind=kind):
                    self.harmless("export", "out", "-q", "-f", kind, "--field", "thickness", "-o", product, codes=(2, 3, 4))


class Outlines(Hostile):
    def setUp(self):
        super().setUp()
        self.run_scenario("out", "-n", 3)
        ring = ogr.CreateGeometryFromWkt("POLYGON((500100 4177100,500300 4177100,500300 4177250,500100 4177250,"
                                         "500100 4177100))")
        for driver, name in (("GPKG", "seen.gpkg"), ("ESRI Shapefile", "seen.shp"), ("GeoJSON", "seen.geojson"),
                             ("MapInfo File", "seen.tab"), ("FlatGeobuf", "seen.fgb")):
            source = ogr.GetDriverByName(driver).CreateDataSource(self.path(name))
            srs = osr.SpatialReference()
            srs.ImportFromEPSG(32633)
            layer = source.CreateLayer("seen", srs, ogr.wkbPolygon)
            layer.CreateField(ogr.FieldDefn("label", ogr.OFTString))
            feature = ogr.Feature(layer.GetLayerDefn())
            feature.SetGeometry(ring)
            layer.CreateFeature(feature)
            del feature, layer, source

    def compare(self, name, codes=(0,), said=None):
        self.harmless("compare", "out", "--observed", name, codes=codes, said=said)

    def test_what_is_sound(self):
        for name in ("seen.gpkg", "seen.shp", "seen.geojson", "seen.tab", "seen.fgb"):
            with self.subTest(name=name):
                self.compare(name)

    def test_a_raster_with_a_mask(self):
        self.write("dem.tif.msk", self.vrt(f"/vsicurl/{self.url}/mask.tif"))
        self.compare("dem.tif", codes=(3,), said=r"dem\.tif\.msk: expected a TIFF")
        self.harmless("export", "out", "-f", "png", "-o", "x.png", "--field", "thickness", "--observed", "dem.tif",
                      codes=(3,))

    def test_geojson_whose_crs_is_an_address(self):
        text = case.read_text(self.path("seen.geojson"))
        for kind in ("link", "url"):
            for target in (f"{self.url}/crs", self.canary, "file://" + self.canary):
                with self.subTest(kind=kind, target=target):
                    crs = f'"crs": {{"type": "{kind}", "properties": {{"href": "{target}", "url": "{target}"}}}}'
                    bad = re.sub(r'"crs": \{.*?\} \}', crs, text)
                    self.assertIn(target, bad)
                    self.write("bad.geojson", bad)
                    self.compare("bad.geojson", codes=(0, 3))

    def test_geopackage_with_tables_that_are_other_files(self):
        """SpatiaLite has tables that are files: VirtualText, VirtualShape."""
        case.write_text(self.canary, "fid,geom\n1,POLYGON((0 0,0 1,1 1,0 0))\n")
        for table in ("seen", "gpkg_metadata", "gpkg_extensions"):
            with self.subTest(table=table):
                shutil.copy(self.path("seen.gpkg"), self.path("bad.gpkg"))
                db = sqlite3.connect(self.path("bad.gpkg"))
                db.execute(f"DROP TABLE IF EXISTS {table}")
                db.execute("PRAGMA writable_schema=ON")
                db.execute("INSERT INTO sqlite_master(type,name,tbl_name,rootpage,sql) VALUES('table',?,?,0,?)",
                           (table, table, f"CREATE VIRTUAL TABLE {table} USING VirtualText('{self.canary}', 'UTF-8', 1, "
                                          "POINT, DOUBLEQUOTE, ',')"))
                db.commit()
                db.close()
                self.compare("bad.gpkg", codes=(0, 3))

    def test_geopackage_with_views_that_call_functions(self):
        for call in (f"ogr_geocode('{self.url}')", f"BlobFromFile('{self.canary}')", f"XB_LoadXML('{self.url}/x')",
                     "ST_MakePoint(1,2)", f"load_extension('{self.canary}')"):
            with self.subTest(call=call):
                shutil.copy(self.path("seen.gpkg"), self.path("bad.gpkg"))
                db = sqlite3.connect(self.path("bad.gpkg"))
                for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='trigger'").fetchall():
                    db.execute(f"DROP TRIGGER {name}")
                db.execute("ALTER TABLE seen RENAME TO held")
                db.execute("DELETE FROM gpkg_ogr_contents")
                db.execute(f"CREATE VIEW seen AS SELECT fid, {call} AS geom, 'x' AS label FROM held")
                db.commit()
                db.close()
                self.harmless("compare", "out", "--observed", "bad.gpkg", "--observed-layer", "seen", codes=(0, 2, 3))

    def test_geopackage_with_a_journal(self):
        """What SQLite would write into the file, or next to it, is not written."""
        shutil.copy(self.path("seen.gpkg"), self.path("wal.gpkg"))
        db = sqlite3.connect(self.path("wal.gpkg"))
        db.execute("PRAGMA journal_mode=WAL")
        db.close()
        before = case.tree(self.work)
        self.compare("wal.gpkg")
        self.assertEqual(case.tree(self.work), before, "something was written")
        self.write("seen.gpkg-journal", "x" * 4096)
        self.write("seen.gpkg-wal", "x" * 4096)
        before = case.tree(self.work)
        self.compare("seen.gpkg")
        self.assertEqual(case.tree(self.work), before, "something was written")

    def test_tables_that_are_made_of_other_tables(self):
        """A seamless table and a view of MapInfo name the tables that they consist of."""
        os.mkdir(self.path("other"))
        self.forbidden = "other/canary"
        for suffix in ("tab", "dat", "map", "id"):
            shutil.copy(self.path("seen." + suffix), self.path("other", "canary." + suffix))
        self.write("bad.tab", '!table\n!version 100\n\nOpen Table "other/canary.tab" Hide\nOpen Table "seen.tab" Hide\n\n'
                   'Create View bad As\nSelect label\nFrom canary, seen\nWhere canary.label=seen.label\n')
        self.compare("bad.tab", codes=(3, 4))
