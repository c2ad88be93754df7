#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The QGIS plugin, installed from its zip file in a fresh profile: the way from a DEM and a layer of vents to layers with
style and time, by qgis_process. Needs QGIS with Python (tools/setup --qgis)."""
import configparser
import datetime
import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
import case
import qgis_case
from qgis_case import PLUGINS, QGIS_PROCESS, core

X, Y = case.WEST + 205, case.NORTH - 85
FOLDER = "sciara_lava_flows"


def feature(kind, coordinates, **properties):
    return {"type": "Feature", "properties": properties, "geometry": {"type": kind, "coordinates": coordinates}}


class Plugin(qgis_case.QgisCase):
    @classmethod
    def setUpClass(cls):
        """One profile with the plugin, for all tests: each start of QGIS takes seconds."""
        cls.home = os.path.realpath(tempfile.mkdtemp(prefix="sciara-qgis-"))
        cls.addClassCleanup(shutil.rmtree, cls.home, True)
        os.environ["HOME"] = os.environ["XDG_RUNTIME_DIR"] = cls.home
        os.environ["SCIARA_PROGRAM"] = case.PROGRAM
        cls.zip = os.path.join(cls.home, "plugin.zip")
        subprocess.run([os.path.join(case.SOURCE, "tools", "qgis-plugin"), cls.zip], check=True)
        plugins = os.path.join(cls.home, ".local", "share", "QGIS", "QGIS3", "profiles", "default", "python", "plugins")
        with zipfile.ZipFile(cls.zip) as archive:
            archive.extractall(plugins)
        sys.path[:0] = [PLUGINS, plugins]
        for name in ("processing", FOLDER):
            subprocess.run([QGIS_PROCESS, "plugins", "enable", name], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True)

    def setUp(self):
        super().setUp()
        case.write_dem(self.path("dem.asc"))
        subprocess.run(["gdal_translate", "-q", "-a_srs", "EPSG:32633", self.path("dem.asc"), self.path("dem.tif")], check=True)

    def write_vents(self, *features):
        self.vents = case.write_json(self.path("vents.geojson"), {
            "type": "FeatureCollection", "features": features,
            "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32633"}}})

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
        self.assertEqual(case.read_bytes(self.zip), case.read_bytes(again), "the same tree gives the same file")

    def test_from_dem_to_layers(self):
        listed = self.process("list")
        for title in ("New scenario from a DEM and vents", "Check a scenario", "Run a SCIARA scenario",
                      "Load the results of a run", "Exposure of places"):
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
        self.assertRegex(said, r"LAYERS:\tdeposit_\w+, thickness_\w+, vents_\w+, snapshots_\w+")
        self.assertTrue(os.path.exists(self.path("out", "maps", "thickness.qml")))

    def test_fissures_in_another_crs(self):
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
        self.write_scenario("base.json", vents=[{"name": "v", "x": X, "y": Y, "effusion": {"slot": "10 min", "rates_m3_s": [4]}}])
        case.write_json(self.path("e.json"), {"base": "base.json", "sample": {"method": "full"}, "result": {"thickness_m": [0]},
                                              "vary": [{"key": "model.relaxation", "values": [0.4, 0.5]}]})
        said = self.algorithm("ensemble_run", f"FILE={self.path('e.json')}", f"FOLDER={self.path('e')}")
        self.assertIn("probability_0m_", said)
        self.assertIn("probability_0m_", self.algorithm("ensemble_results", f"FOLDER={self.path('e')}"))

    def test_refused(self):
        """What the program refuses is shown, and leaves no file."""
        self.write_vents(feature("Point", [0, 0]))
        said = self.new("RATE=7", code=1)
        self.assertRegex(said, r"vents\[0\].*expected x from")
        self.assertEqual([name for name in os.listdir(self.work) if name.startswith("s.json")], [])

    def run_here(self, module, algorithm, good=True, **parameters):
        """Runs an algorithm in this process; its layers, and what its log says."""
        made = getattr(importlib.import_module(f"{FOLDER}.{module}"), algorithm)().create()
        context, feedback = core.QgsProcessingContext(), core.QgsProcessingFeedback(False)
        context.setProject(core.QgsProject.instance())
        results, done = made.run(parameters, context, feedback)
        self.assertEqual(done, good, feedback.textLog())
        self.context = context  # which owns the layers
        return [context.getMapLayer(name) for name in results.get("LAYERS", ())], feedback.textLog()

    def test_layers_have_style_and_time(self):
        emitted = {"slot": "10 min", "rates_m3_s": [4]}
        self.write_scenario(run={"max_steps": 60, "start": "2006-07-14"}, output={"every": 20},
                            vents=[{"name": "bocca", "x": X, "y": Y, "effusion": emitted},
                                   {"name": "rift", "line": [[X - 60, Y], [X - 20, Y]], "effusion": emitted}],
                            dem={"path": "dem.asc", "crs": "EPSG:32633", "edits": [
                                {"name": "dam", "line": [[X - 30, Y - 60], [X + 30, Y - 60]], "width_m": 12, "height_m": 4}]})
        self.sciara("run", "s.json", "-q", "-o", "out")
        layers, _ = self.run_here("results", "LoadResults", FOLDER=self.path("out"), FIELDS=["deposit"])
        self.assertEqual([layer.name() for layer in layers], ["deposit", "edits", "fissures", "vents", "snapshots"])
        self.assertEqual(layers[0].renderer().type(), "singlebandpseudocolor")
        self.assertEqual([[place["label"] for place in layer.getFeatures()] for layer in layers[1:4]], [["dam"], ["rift"], ["bocca"]])
        self.assertEqual([layer.labeling().settings().fieldName for layer in layers[1:4]], ["label"] * 3)
        self.assertTrue(layers[-1].temporalProperties().isActive())
        begin = layers[-1].temporalProperties().timeExtent().begin().toUTC().toString("yyyy-MM-ddTHH:mm:ss")
        first = datetime.timedelta(seconds=int(case.record(self.path("out"))["snapshots"][0]["time_s"]))
        self.assertEqual(begin, (datetime.datetime(2006, 7, 14) + first).isoformat())

    def write_places(self):
        """A hut, a quiet place, a road along the middle of row 9 and a farm, in degrees, with names in the column "who"."""
        middle = case.NORTH - 95
        case.write_json(self.path("metres.geojson"), {"type": "FeatureCollection", "features": [
            feature("Point", [X, middle], who="hut", open=1), feature("Point", [case.WEST + 15, case.SOUTH + 15], who="quiet", open=1),
            feature("LineString", [[X - 64, middle], [X + 70, middle]], who="road", open=1),
            feature("Polygon", [[[X - 25, middle - 25], [X + 5, middle - 25], [X + 5, middle + 15], [X - 25, middle - 25]]], who="farm & co",
                    open=1),
            feature("Point", [X, middle], who="ruin", open=0)]})
        subprocess.run(["ogr2ogr", "-s_srs", "EPSG:32633", "-t_srs", "EPSG:4326", "-nlt", "GEOMETRY", self.path("places.gpkg"),
                        self.path("metres.geojson"), "-nln", "places"], check=True)
        return f"{self.path('places.gpkg')}|layername=places|subset=open = 1"

    def table(self, name, key):
        return {row[key]: row for row in case.read_rows(self.path(name))}

    def assert_attributes(self, layers, table, names):
        """The features are those of a table, in layers by their kind."""
        kinds = {"point": "points", "line": "lines", "zone": "zones"}
        found = {f["name"]: (layer.name(), f) for layer in layers for f in layer.getFeatures()}
        self.assertEqual(sorted(found), sorted(table))
        for name, (layer, attributes) in found.items():
            self.assertEqual(layer, f"exposure {kinds[table[name]['kind']]}")
            for column in names:
                given, text = attributes[column], table[name][column]
                self.assertEqual(given == core.NULL, text == "", (name, column))
                if text:
                    self.assertAlmostEqual(float(given), float(text), delta=1e-6 * max(1, abs(float(text))), msg=(name, column))

    def test_exposure_of_a_run(self):
        """The table is that of the command line for what the layer shows; some numbers are those of the cells of the snapshot."""
        self.write_scenario(run={"max_steps": 400})
        self.sciara("run", "s.json", "-q", "-o", "out")
        given = {"FOLDER": self.path("out"), "ASSETS": self.write_places(), "NAME_FIELD": "who", "WITHIN": "6 min,30 min"}
        layers, said = self.run_here("exposure", "Exposure", **given)
        self.assertIn("4 places: 3 reached, 1 not reached", said)
        self.assertEqual([layer.renderer().type() for layer in layers], ["categorizedSymbol"] * 3)
        self.assertEqual({layer.crs().authid() for layer in layers}, {"EPSG:32633"})
        table = self.table("out/maps/exposure.csv", "place")
        subprocess.run(["ogr2ogr", "-a_srs", "EPSG:32633", "-where", "open = 1", self.path("open.gpkg"), self.path("metres.geojson"),
                        "-nlt", "GEOMETRY"], check=True)
        self.sciara("exposure", "out", "--assets", "open.gpkg", "--names", "who", "--within", "6 min,30 min", "-o", "all.csv", "-q")
        columns = ["arrival_s", "deposit_m", "covered", "share", "all", "land", "covered_6min", "covered_30min"]
        self.assert_attributes(layers, self.table("all.csv", "place"), columns)
        self.assert_attributes(layers, table, columns)
        data = case.open_snapshot(self.path("out", case.record(self.path("out"))["snapshots"][-1]["name"]))
        arrival, deposit = data.arrival_time.values[0], data.deposit.values[0]
        self.assertAlmostEqual(float(table["hut"]["arrival_s"]), arrival[9, 20], delta=1e-3)
        self.assertAlmostEqual(float(table["hut"]["deposit_m"]), deposit[9, 20], delta=1e-6)
        lengths = [9] + 12 * [10] + [5]  # of the road in columns 14 to 27
        self.assertAlmostEqual(float(table["road"]["all"]), sum(lengths), delta=1e-3)
        covered = sum(length for length, lava in zip(lengths, deposit[9, 14:28], strict=True) if lava > 0)
        self.assertTrue(0 < covered < sum(lengths))
        self.assertAlmostEqual(float(table["road"]["covered"]), covered, delta=1e-3)
        # What the program refuses stands in the log.
        self.assertIn("--overwrite", self.run_here("exposure", "Exposure", good=False, **given)[1])
        wrong = {**given, "OVERWRITE": True, "WITHIN": "soon"}
        self.assertIn('expected a time above 0 such as "6 h", or a date such as 2006-07-14T12:00Z, found "soon"', self.run_here("exposure", "Exposure", good=False, **wrong)[1])
        self.assertEqual(len(self.run_here("exposure", "Exposure", **given, OVERWRITE=True)[0]), 3)


if __name__ == "__main__":
    qgis_case.main()
