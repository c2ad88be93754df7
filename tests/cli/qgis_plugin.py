#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The QGIS plugin, installed from its zip file in a fresh profile: the way from a DEM and a layer of vents to layers with
style and time, by qgis_process. Needs QGIS with Python (tools/setup --qgis)."""
import configparser
import datetime
import os
import shutil
import subprocess
import sys
import zipfile

sys.dont_write_bytecode = True
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
import case
from case import Case

QGIS_PROCESS = shutil.which("qgis_process.bin") or shutil.which("qgis_process")
os.environ["QT_QPA_PLATFORM"] = "offscreen"
try:
    import qgis.core as core
except ImportError:
    core = None

X, Y = case.WEST + 205, case.NORTH - 85
FOLDER = "sciara_lava_flows"


def feature(kind, coordinates, **properties):
    return {"type": "Feature", "properties": properties, "geometry": {"type": kind, "coordinates": coordinates}}


class Plugin(Case):
    def setUp(self):
        super().setUp()
        os.environ["HOME"] = os.environ["XDG_RUNTIME_DIR"] = self.path("home")
        os.mkdir(self.path("home"), 0o700)
        os.environ["SCIARA_PROGRAM"] = case.PROGRAM
        case.write_dem(self.path("dem.asc"))
        subprocess.run(["gdal_translate", "-q", "-a_srs", "EPSG:32633", self.path("dem.asc"), self.path("dem.tif")], check=True)
        self.zip = self.path("plugin.zip")
        subprocess.run([os.path.join(case.SOURCE, "tools", "qgis-plugin"), self.zip], check=True)
        self.plugins = self.path("home", ".local", "share", "QGIS", "QGIS3", "profiles", "default", "python", "plugins")
        with zipfile.ZipFile(self.zip) as archive:
            archive.extractall(self.plugins)

    def write_vents(self, *features):
        self.vents = case.write_json(self.path("vents.geojson"), {
            "type": "FeatureCollection", "features": features,
            "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32633"}}})

    def process(self, *words, code=0):
        done = subprocess.run([QGIS_PROCESS, *words], cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", check=False)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def enable(self):
        self.process("plugins", "enable", "processing")
        self.process("plugins", "enable", FOLDER)

    def algorithm(self, name, *parameters, code=0):
        return self.process("run", f"sciara:{name}", "--", *parameters, code=code)

    def new(self, *parameters, code=0):
        return self.algorithm("new_scenario", f"DEM={self.path('dem.tif')}", f"VENTS={self.vents}",
                              f"SCENARIO={self.path('s.json')}", *parameters, code=code)

    def test_zip(self):
        with zipfile.ZipFile(self.zip) as archive:
            names = set(archive.namelist())
            metadata = configparser.ConfigParser()
            metadata.read_string(archive.read(f"{FOLDER}/metadata.txt").decode())
        self.assertTrue({f"{FOLDER}/{n}" for n in ("__init__.py", "metadata.txt", "icon.svg", "LICENSE", "sciara_run.py")} <= names)
        version = subprocess.run([os.path.join(case.SOURCE, "tools", "version")], stdout=subprocess.PIPE, encoding="ascii",
                                 check=True).stdout.strip()
        self.assertEqual(metadata["general"]["version"], version)
        self.assertEqual(metadata["general"]["hasProcessingProvider"], "yes")
        again = self.path("again.zip")
        subprocess.run([os.path.join(case.SOURCE, "tools", "qgis-plugin"), again], check=True)
        with open(self.zip, "rb") as a, open(again, "rb") as b:
            self.assertEqual(a.read(), b.read(), "the same tree gives the same file")

    def test_from_dem_to_layers(self):
        self.enable()
        listed = self.process("list")
        for title in ("New scenario from a DEM and vents", "Check a scenario", "Run a SCIARA scenario",
                      "Load the results of a run"):
            self.assertIn(title, listed)
        self.write_vents(feature("Point", [X, Y], rate=3, label="north"), feature("Point", [X + 40, Y], rate=2, label=None))
        self.new("RATE_FIELD=rate", "NAME_FIELD=label", "DURATION=10 min", "START=2006-07-14", "UNTIL=4 min", "EVERY=1 min",
                 "TITLE=from QGIS")
        written = case.read_json(self.path("s.json"))
        self.assertEqual(written, {
            "title": "from QGIS", "dem": {"path": self.path("dem.tif")},
            "vents": [{"name": "north", "x": X, "y": Y, "effusion": {"slot": "10 min", "rates_m3_s": [3]}},
                      {"x": X + 40, "y": Y, "effusion": {"slot": "10 min", "rates_m3_s": [2]}}],
            "run": {"start": "2006-07-14", "until": "4 min"}, "output": {"every": "1 min"}})
        self.assertIn("no problem found", self.algorithm("check", f"SCENARIO={self.path('s.json')}"))
        self.algorithm("sciara_run", f"SCENARIO={self.path('s.json')}", f"FOLDER={self.path('out')}", "ENGINE=serial")
        said = self.algorithm("results", f"FOLDER={self.path('out')}", "FIELDS=deposit", "FIELDS=thickness")
        self.assertRegex(said, r"LAYERS:\tdeposit_\w+, thickness_\w+, snapshots_\w+")
        self.assertTrue(os.path.exists(self.path("out", "maps", "thickness.qml")))

    def test_fissures_in_another_crs(self):
        self.enable()
        self.write_vents(feature("LineString", [[X, Y], [X + 60, Y - 20]]))
        subprocess.run(["ogr2ogr", "-t_srs", "EPSG:4326", self.path("lonlat.gpkg"), self.vents], check=True)
        self.vents = self.path("lonlat.gpkg")
        self.new("RATE=7")
        line = case.read_json(self.path("s.json"))["vents"][0]["line"]
        for found, expected in zip(line, [[X, Y], [X + 60, Y - 20]], strict=True):
            self.assertAlmostEqual(found[0], expected[0], delta=0.01)
            self.assertAlmostEqual(found[1], expected[1], delta=0.01)

    def test_degrees_sea_and_barriers(self):
        """A DEM in degrees is warped; vents and barriers come in the CRS of the run."""
        self.enable()
        subprocess.run(["gdalwarp", "-q", "-overwrite", "-t_srs", "EPSG:4326", self.path("dem.tif"), self.path("lonlat.tif")], check=True)
        os.replace(self.path("lonlat.tif"), self.path("dem.tif"))
        self.write_vents(feature("Point", [X, Y]))
        barriers = case.write_json(self.path("barriers.geojson"), {
            "type": "FeatureCollection", "features": [feature("LineString", [[X - 30, Y - 40], [X + 30, Y - 40]])],
            "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32633"}}})
        self.new("RATE=7", "CRS=EPSG:32633", "CELL=10", "SEA=nodata", f"BARRIERS={barriers}", "BARRIER_HEIGHT=4", "BARRIER_WIDTH=12")
        written = case.read_json(self.path("s.json"))
        self.assertEqual(written["dem"], {"path": self.path("dem.tif"), "crs": "EPSG:32633", "cell_size_m": 10, "sea": "nodata",
                                          "edits": [{"line": [[X - 30, Y - 40], [X + 30, Y - 40]], "width_m": 12, "height_m": 4}]})
        self.assertEqual((written["vents"][0]["x"], written["vents"][0]["y"]), (X, Y))

    def test_ensemble(self):
        """Plan, run, reduce and load: the maps have their styles."""
        self.enable()
        self.write_scenario("base.json", vents=[{"name": "v", "x": X, "y": Y, "effusion": {"slot": "10 min", "rates_m3_s": [4]}}])
        case.write_json(self.path("e.json"), {"base": "base.json", "sample": {"method": "full"}, "result": {"thickness_m": [0]},
                                              "vary": [{"key": "model.relaxation", "values": [0.4, 0.5]}]})
        said = self.algorithm("ensemble_run", f"FILE={self.path('e.json')}", f"FOLDER={self.path('e')}")
        self.assertIn("probability_0m_", said)
        self.assertIn("probability_0m_", self.algorithm("ensemble_results", f"FOLDER={self.path('e')}"))

    def test_refused(self):
        """What the program refuses is shown, and leaves no file."""
        self.enable()
        self.write_vents(feature("Point", [0, 0]))
        said = self.new("RATE=7", code=1)
        self.assertRegex(said, r"vents\[0\].*expected x from")
        self.assertEqual([name for name in os.listdir(self.work) if name.startswith("s.json")], [])

    def test_layers_have_style_and_time(self):
        sys.path[:0] = ["/usr/share/qgis/python/plugins", self.plugins]
        import importlib
        LoadResults = importlib.import_module(f"{FOLDER}.results").LoadResults
        self.write_scenario(run={"max_steps": 60, "start": "2006-07-14"}, output={"every": 20})
        self.sciara("run", "s.json", "-q", "-o", "out")
        context, feedback = core.QgsProcessingContext(), core.QgsProcessingFeedback(False)
        context.setProject(core.QgsProject.instance())
        results, good = LoadResults().create().run({"FOLDER": self.path("out"), "FIELDS": ["deposit"]}, context, feedback)
        self.assertTrue(good, feedback.textLog())
        layers = [context.getMapLayer(name) for name in results["LAYERS"]]
        self.assertEqual([layer.name() for layer in layers], ["deposit", "snapshots"])
        self.assertEqual(layers[0].renderer().type(), "singlebandpseudocolor")
        self.assertTrue(layers[1].temporalProperties().isActive())
        begin = layers[1].temporalProperties().timeExtent().begin().toUTC().toString("yyyy-MM-ddTHH:mm:ss")
        first = datetime.timedelta(seconds=int(case.record(self.path("out"))["snapshots"][0]["time_s"]))
        self.assertEqual(begin, (datetime.datetime(2006, 7, 14) + first).isoformat())


if __name__ == "__main__":
    if not QGIS_PROCESS or not core:
        print("skipped: QGIS with Python is not installed")
        sys.exit(77)
    application = core.QgsApplication([], False)
    application.initQgis()
    try:
        case.main()
    finally:
        application.exitQgis()
