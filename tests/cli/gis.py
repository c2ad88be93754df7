#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The products of a run in QGIS (maps with their styles, polygons, the series as a temporal mesh) and in ParaView, each
if it is installed; tools/setup does not install them because they are large."""
import json
import os
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
import case
import qgis_case
from case import SharedCase
from qgis_case import core

PARAVIEW = shutil.which("pvpython")
START = "2026-05-10T04:00:00Z"
FIELDS = [name for name in case.all_fields() if not name.startswith("momentum_")]
# The data that ParaView finds: the fields, the time steps, and for the last one the range of the deposit.
READ = """
import json, sys
from paraview import simple
reader = simple.NetCDFReader(FileName=[sys.argv[1]])
reader.Dimensions = "(y, x)"
times = list(reader.TimestepValues)
reader.UpdatePipeline(times[-1])
print(json.dumps({"fields": sorted(reader.PointData.keys()), "times": times,
                  "deposit": reader.PointData["deposit"].GetRange(),
                  "bounds": reader.GetDataInformation().GetBounds(),
                  "kind": reader.GetDataInformation().GetDataSetTypeAsString()}))
"""


class Products(SharedCase):
    @classmethod
    def prepare(cls):
        case.write_scenario(cls.work, run={"until": "1 h", "start": START},
                            output={"fields": FIELDS, "every": "10 min", "maps": FIELDS})
        case.run_program("run", "s.json", "-q", "-o", "run", cwd=cls.work)
        case.run_program("export", "run", "-q", "--format", "gpkg", cwd=cls.work)
        case.run_program("export", "run", "-q", "--format", "nc", "-o", "merged.nc", cwd=cls.work)
        cls.run_folder = os.path.join(cls.work, "run")
        cls.times = [s["time_s"] for s in case.record(cls.run_folder)["snapshots"]]
        last = case.record(cls.run_folder)["snapshots"][-1]["name"]
        cls.last = case.open_snapshot(os.path.join(cls.run_folder, last))
        cls.series = [os.path.join(cls.run_folder, "series.nc"), os.path.join(cls.work, "merged.nc")]

    def value_at(self, field, row, col):
        return float(self.last[field].values.reshape(case.ROWS, case.COLS)[row, col])

    def covered(self):
        """Cells that hold lava at the end."""
        return [(r, c) for r in range(case.ROWS) for c in range(case.COLS) if self.value_at("deposit", r, c) > 0]


@unittest.skipUnless(core, "QGIS with Python is not installed")
class InQgis(Products):
    def test_maps_come_with_their_styles(self):
        for field in FIELDS:
            row, col = next(cell for cell in self.covered() if self.value_at(field, *cell) > 0)
            point = core.QgsPointXY(case.WEST + (col + 0.5) * case.CELL, case.NORTH - (row + 0.5) * case.CELL)
            layer = core.QgsRasterLayer(os.path.join(self.run_folder, "maps", field + ".tif"), field)
            self.assertTrue(layer.isValid(), field)
            self.assertEqual(layer.renderer().type(), "singlebandpseudocolor", field)
            self.assertEqual(layer.crs().authid(), "EPSG:32633", field)
            held, good = layer.dataProvider().sample(point, 1)
            self.assertTrue(good, field)
            self.assertAlmostEqual(held, self.value_at(field, row, col), delta=1e-6 * max(1, abs(held)), msg=field)
            sea = core.QgsPointXY(case.WEST + case.CELL / 2, case.NORTH - case.CELL / 2)
            self.assertFalse(layer.dataProvider().sample(sea, 1)[1], field + " outside the DEM")

    def test_polygons(self):
        path = os.path.join(self.run_folder, "maps", "deposit.gpkg")
        for name in ("outline", "thickness_classes", "arrival"):
            layer = core.QgsVectorLayer(f"{path}|layername={name}", name)
            self.assertTrue(layer.isValid(), name)
            self.assertEqual(layer.crs().authid(), "EPSG:32633", name)
        outline = core.QgsVectorLayer(path + "|layername=outline", "outline")
        area = sum(f.geometry().area() for f in outline.getFeatures())
        self.assertAlmostEqual(area, len(self.covered()) * case.CELL ** 2, delta=1e-6)

    def drawn_names(self, *sources):
        """What QGIS writes on a map of these layers of GeoPackages, with the middle of each text."""
        from qgis.PyQt.QtCore import QSize
        layers = [core.QgsVectorLayer(source, source.rpartition("=")[2]) for source in sources]
        settings = core.QgsMapSettings()
        settings.setLayers(layers)
        settings.setDestinationCrs(layers[0].crs())
        settings.setOutputSize(QSize(900, 700))
        settings.setExtent(core.QgsRectangle(case.WEST, case.SOUTH, case.WEST + case.COLS * case.CELL, case.NORTH))
        job = core.QgsMapRendererSequentialJob(settings)
        job.start()
        job.waitForFinished()
        return {found.labelText: found.labelRect.center()
                for found in job.takeLabelingResults().labelsWithinRect(settings.visibleExtent())}

    def test_vents_and_barriers_have_their_names(self):
        x, y = case.WEST + 205, case.NORTH - 85
        case.write_scenario(self.work, "named.json", run={"max_steps": 20}, dem={
            "path": "dem.asc", "crs": "EPSG:32633", "edits": [
                {"name": "upper <dam>", "line": [[x - 60, y - 60], [x + 60, y - 60]], "width_m": 12, "height_m": 4},
                {"polygon": [[x + 30, y - 190], [x + 130, y - 190], [x + 130, y - 120], [x + 30, y - 120]], "raise_m": 3}]},
            vents=[{"name": "Bocca & co", "x": x, "y": y, "effusion": {"slot": "10 min", "rates_m3_s": [4]}},
                   {"name": "rift", "line": [[x - 170, y + 20], [x - 60, y + 5]], "effusion": {"slot": "10 min", "rates_m3_s": [2]}}])
        self.sciara("run", "named.json", "-q", "-o", "named")
        self.sciara("export", "named", "-q", "-f", "gpkg", "-o", "named.gpkg")
        found = self.drawn_names(*(f"{self.path('named.gpkg')}|layername={name}" for name in ("vents", "fissures", "edits")))
        places = {"Bocca & co": (x, y), "rift": (x - 115, y + 12), "upper <dam>": (x, y - 60), "edit 2": (x + 80, y - 155)}
        self.assertEqual(sorted(found), sorted(places))
        for name, (east, north) in places.items():
            self.assertLess(abs(found[name].x() - east) + abs(found[name].y() - north), 80, name)
        outline = core.QgsVectorLayer(f"{self.path('named.gpkg')}|layername=outline", "outline")
        self.assertIsNone(outline.labeling())
        # As in the pictures: vents cyan, barriers purple.
        vents, edits = (core.QgsVectorLayer(f"{self.path('named.gpkg')}|layername={name}", name) for name in ("vents", "edits"))
        self.assertEqual(vents.renderer().symbol().symbolLayer(0).color().getRgb()[:3], (0, 200, 215))
        self.assertEqual([category.symbol().symbolLayer(0).strokeColor().getRgb()[:3] for category in edits.renderer().categories()],
                         [(140, 0, 160)] * 2)

    def test_exposed_places_have_their_names(self):
        middle, x = case.NORTH - 95, case.WEST + 205
        case.write_features(self.path("places.geojson"), ({"name": "hut"}, "Point", [x, middle]), ({"name": "quiet"}, "Point", [case.WEST + 25, case.SOUTH + 25]),
                            ({"name": "road"}, "LineString", [[x - 150, middle - 60], [x + 70, middle - 60]]),
                            ({"name": "farm & co"}, "Polygon", [[[x + 40, middle + 60], [x + 120, middle + 60], [x + 120, middle], [x + 40, middle + 60]]]))
        self.sciara("exposure", "run", "--assets", "places.geojson", "-q", "-o", "places.gpkg")
        self.assertEqual(sorted(self.drawn_names(*(f"{self.path('places.gpkg')}|layername={kind}" for kind in ("points", "lines", "zones")))),
                         ["farm & co", "hut", "quiet", "road"])

    def test_series_is_a_temporal_mesh(self):
        for path in self.series:
            layer = core.QgsMeshLayer(path, "series", "mdal")
            self.assertTrue(layer.isValid(), path)
            self.assertEqual(layer.crs().authid(), "EPSG:32633")
            self.assertEqual(layer.datasetGroupCount(), len(FIELDS))
            properties = layer.temporalProperties()
            self.assertTrue(properties.isActive())
            self.assertEqual(properties.referenceTime().toString("yyyy-MM-ddTHH:mm:ss") + "Z", START)
            for group in layer.datasetGroupsIndexes():
                index = core.QgsMeshDatasetIndex(group, 0)
                self.assertEqual(layer.datasetCount(index), len(self.times))
                meant = [layer.datasetRelativeTimeInMilliseconds(core.QgsMeshDatasetIndex(group, k)) / 1000
                         for k in range(len(self.times))]
                for a, b in zip(meant, self.times):
                    self.assertAlmostEqual(a, b, delta=0.01)
            deposit = next(g for g in layer.datasetGroupsIndexes() if layer.datasetGroupMetadata(
                core.QgsMeshDatasetIndex(g, 0)).name() == "thickness of liquid and solidified lava")
            row, col = self.covered()[0]
            point = core.QgsPointXY(case.WEST + (col + 0.5) * case.CELL, case.NORTH - (row + 0.5) * case.CELL)
            layer.updateTriangularMesh()
            held = layer.datasetValue(core.QgsMeshDatasetIndex(deposit, len(self.times) - 1), point).scalar()
            self.assertAlmostEqual(held, self.value_at("deposit", row, col), delta=1e-6)


@unittest.skipUnless(PARAVIEW, "ParaView with Python is not installed")
class InParaView(Products):
    def test_series(self):
        for path in self.series:
            done = subprocess.run([PARAVIEW, "-c", READ.replace("sys.argv[1]", repr(path))], cwd=self.work,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False)
            self.assertEqual(done.returncode, 0, done.stdout)
            found = json.loads(done.stdout.splitlines()[-1])
            self.assertEqual(found["fields"], sorted(FIELDS))
            self.assertEqual(len(found["times"]), len(self.times))
            for a, b in zip(found["times"], self.times):
                self.assertAlmostEqual(a, b, delta=1e-6)
            self.assertAlmostEqual(found["deposit"][1], float(self.last.deposit.max()), delta=1e-6)
            self.assertEqual(found["kind"], "vtkRectilinearGrid", "not wrapped on a sphere")
            half = case.CELL / 2
            self.assertEqual(found["bounds"][:4], [case.WEST + half, case.WEST + case.COLS * case.CELL - half,
                                                   case.SOUTH + half, case.NORTH - half])


if __name__ == "__main__":
    qgis_case.main(core or PARAVIEW, "neither QGIS nor ParaView is")
