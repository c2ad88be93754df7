# SPDX-License-Identifier: Apache-2.0
"""sciara compare --observed: scores against polygons and rasters, as text and as JSON, the picture, diagnostics; the picture of two
runs."""
import json
import math
import os
import subprocess

import case
import geo
from case import SharedCase, open_snapshot
from geo import gdal
from extents import expected_scores

import numpy

HITS, MISSES, EXCESS = (240, 228, 66), (0, 114, 178), (213, 94, 0)


def kinds(path):
    """What a picture of the whole DEM shows at the centre of each cell: 0 ground, 1 hits, 2 misses, 3 excess; pixels of each in the key."""
    pixels = geo.read(path)
    dark = (pixels == 30).all(axis=0)  # the frame of the map
    rows, columns = numpy.flatnonzero(dark.mean(axis=1) > 0.8), numpy.flatnonzero(dark.mean(axis=0) > 0.6)
    zoom = -(-1000 // max(case.COLS, case.ROWS))
    ground = pixels[:, rows[0] + 1:rows[-1], columns[0] + 1:columns[-1]]
    assert ground.shape == (3, case.ROWS * zoom, case.COLS * zoom), ground.shape
    centres = ground[:, zoom // 2::zoom, zoom // 2::zoom].astype(float)
    nearest = numpy.argmin([numpy.abs(centres / numpy.maximum(centres.sum(axis=0), 1) -
                                      (numpy.array(c) / sum(c))[:, None, None]).sum(axis=0)
                            for c in ((1, 1, 1), HITS, MISSES, EXCESS)], axis=0)
    key = pixels[:, rows[-1] + 1:, :].reshape(3, -1).T
    return nearest, [(key == colour).all(axis=1).sum() for colour in (HITS, MISSES, EXCESS)]


def unmarked(run, vent):
    """The cells of the DEM on which neither the vent nor the run-out is marked."""
    there = numpy.array([[not case.is_sea(r, c) for c in range(case.COLS)] for r in range(case.ROWS)])
    there[vent] = False
    distance = numpy.hypot(*(numpy.indices(there.shape) - numpy.array(vent)[:, None, None]))
    there[numpy.unravel_index(numpy.argmax(numpy.where(run, distance, -1)), there.shape)] = False
    return there


class CompareObserved(SharedCase):
    @classmethod
    def prepare(cls):
        case.write_scenario(cls.work, run={"max_steps": 300})
        case.run_program("run", "s.json", "-q", "-o", "run", cwd=cls.work)
        deposit = open_snapshot(os.path.join(cls.work, "run", "snapshots", "00000300.nc")).deposit.values[0]
        cls.deposit = numpy.maximum(deposit, 0)
        cls.run_mask = cls.deposit > 0
        cls.observed = numpy.roll(cls.run_mask, (2, 3), axis=(0, 1))  # the same lava, farther to the south-east
        cls.thickness = numpy.where(cls.observed, 1.5 + 0.25 * numpy.arange(case.COLS), 0)
        geo.write_raster(os.path.join(cls.work, "mask.tif"), cls.observed)
        geo.write_raster(os.path.join(cls.work, "thickness.tif"), cls.thickness, gdal.GDT_Float64)
        subprocess.run(["/usr/bin/env", "gdal_polygonize.py", "-q", "mask.tif", "-mask", "mask.tif", "-f", "GPKG",
                        "outline.gpkg"], cwd=cls.work, check=True, stdout=subprocess.DEVNULL)

    def compare(self, *args, code=0):
        return self.sciara("compare", "run", *args, code=code)

    def scores(self, *args):
        return json.loads(self.compare(*args, "--json").stdout)

    def check(self, found, run, observed):
        hits, misses, excess = (run & observed).sum(), (~run & observed).sum(), (run & ~observed).sum()
        self.assertGreater(min(hits, misses, excess), 10, "cells of each kind")
        self.assertEqual([found[f"{name}_cells"] for name in ("hits", "misses", "excess", "run", "observed")],
                         [hits, misses, excess, hits + excess, hits + misses])
        self.assertEqual(found["misses_m2"], misses * case.CELL ** 2)
        for name, value in expected_scores(run, observed, case.VENT).items():
            self.assertAlmostEqual(found[name], value, delta=1e-12 * value, msg=name)

    def test_polygons_and_rasters(self):
        for name, kind in (("mask.tif", "extent"), ("outline.gpkg", "polygons")):
            with self.subTest(name=name):
                found = self.scores("--observed", name)
                self.check(found, self.run_mask, self.observed)
                self.assertEqual((found["observed_kind"], found["field"], found["step"]), (kind, "deposit", 300))
                self.assertIsNone(found["thickness_rmse_m"])
                self.assertIsNone(found["picture"])

    def test_thickness(self):
        found = self.scores("--observed", "thickness.tif")
        self.check(found, self.run_mask, self.observed)
        error = self.deposit - self.thickness
        both, either = self.run_mask & self.observed, self.run_mask | self.observed
        for name, value in (("thickness_mean_error_hits_m", error[both].mean()),
                            ("thickness_rmse_hits_m", math.sqrt((error[both] ** 2).mean())),
                            ("thickness_mean_error_m", error[either].mean()),
                            ("thickness_rmse_m", math.sqrt((error[either] ** 2).mean()))):
            self.assertAlmostEqual(found[name], value, places=12, msg=name)

    def test_doubtful_thickness(self):
        """Counts of paths and numbers that no lava reaches are scored with a warning, thickness without."""
        tall = self.thickness
        counts = numpy.where(self.observed, 1 + numpy.arange(case.COLS) % 7, 0)
        for name, values, words in (
                ("counts", counts, "whole numbers up to 7, such as counts of flow paths or classes, and are scored as thickness in m"),
                ("cm", tall * 100 + 0.5, f"its values reach {tall.max() * 100 + 0.5:g} and are scored as thickness in m; no lava flow is thicker than 300 m"),
                ("tall", tall * 30, None), ("whole", numpy.where(self.observed, 4, 0), None)):
            geo.write_raster(self.path(name + ".tif"), numpy.where(self.observed, values, 0), gdal.GDT_Float32)
            done = self.compare("--observed", name + ".tif")
            self.assert_parts(done.stderr, f"warning: {name}.tif: " if words else "", words or "")
            self.assertEqual("warning" in done.stderr, words is not None, done.stderr)

    def test_thickness_in_whole_numbers(self):
        """Whole numbers with a scale are thickness as fractions are."""
        geo.write_raster(self.path("cm.tif"), numpy.round(self.thickness * 100), gdal.GDT_UInt16)
        dataset = gdal.Open(self.path("cm.tif"), gdal.GA_Update)
        dataset.GetRasterBand(1).SetScale(0.01)
        del dataset
        found = self.scores("--observed", "cm.tif", "--min-thickness", "7")
        self.assertEqual((found["observed_kind"], found["observed_cells"]), ("thickness", (numpy.round(self.thickness * 100) > 700).sum()))
        self.assertAlmostEqual(found["thickness_rmse_m"], self.scores("--observed", "thickness.tif", "--min-thickness", "7")["thickness_rmse_m"], delta=0.01)

    def test_marks_everywhere(self):
        """NODATA that is not declared, or classes one of which is no lava."""
        for name, other, warned in (("255", 255, True), ("0", 0, False), ("1", 1, False)):
            geo.write_raster(self.path(name + ".tif"), numpy.where(self.observed, 1, other), gdal.GDT_Byte)
            done = self.compare("--observed", name + ".tif")
            self.assertEqual("255.tif: its values are above 0, up to 255, in every cell of the run, so all count as covered" in done.stderr, warned, done.stderr)

    def test_min_thickness(self):
        least = float(numpy.percentile(self.deposit[self.run_mask], 25))
        found = self.scores("--observed", "mask.tif", "--min-thickness", repr(least))
        self.check(found, self.deposit > least, self.observed)
        found = self.scores("--observed", "thickness.tif", "--min-thickness", "7")
        self.assertEqual(found["observed_cells"], (self.thickness > 7).sum())

    def test_text(self):
        text = self.compare("--observed", "outline.gpkg").stdout
        hits = (self.run_mask & self.observed).sum()
        self.assertRegex(text, rf"(?m)^hits +{hits} cells +{hits * 100} m2  run and observed$")
        self.assertIn("observed: outline.gpkg (GPKG, ", text)
        self.assertNotIn("thickness", text)

    def test_nothing_observed(self):
        geo.write_raster(self.path("none.tif"), numpy.zeros((case.ROWS, case.COLS)))
        text = self.compare("--observed", "none.tif").stdout
        self.assertRegex(text, "(?m)^TPR, hits / observed +undefined$")
        self.assertRegex(text, "(?m)^Jaccard index J +0.0000$")
        found = self.scores("--observed", "none.tif")
        self.assertIsNone(found["tpr"])
        self.assertIsNone(found["hausdorff_m"])
        text = self.compare("--observed", "none.tif", "--min-thickness", "1000").stdout
        self.assertRegex(text, "(?m)^Jaccard index J +undefined$")

    def test_outline_between_the_centres(self):
        """An outline that is smaller than a cell covers none."""
        west, top = geo.PLACE[0] + 10 * geo.PLACE[1], geo.PLACE[3] + 10 * geo.PLACE[5]
        corners = ", ".join(f"{west + x} {top - y}" for x, y in ((1, 1), (3, 1), (3, 3), (1, 3), (1, 1)))
        geo.write_features(self.path("small.gpkg"), [f"POLYGON (({corners}))"])
        done = self.compare("--observed", "small.gpkg")
        self.assertIn("warning: small.gpkg: no cell has its centre in its polygons, so nothing counts as observed\n", done.stderr)
        self.assertRegex(done.stdout, "(?m)^observed +0 cells")

    def test_picture(self):
        done = self.compare("--observed", "mask.tif", "--png", "deep/er/p.png", "--extent", "dem")
        self.assertEqual(done.stdout.splitlines()[-1], "deep/er/p.png")
        nearest, areas = kinds(self.path("deep/er/p.png"))
        expected = numpy.where(self.run_mask, numpy.where(self.observed, 1, 3), numpy.where(self.observed, 2, 0))
        there = unmarked(self.run_mask, case.VENT)
        numpy.testing.assert_array_equal(nearest[there], expected[there])
        self.assertEqual(len(set(areas)), 1, "three squares of one size")
        self.assertGreater(areas[0], 50)

    def test_diagnostics(self):
        case.write_text(self.path("kept.png"), "a picture")
        case.write_text(self.path("outline.zip"), "PK\3\4")
        for code, message, args in (
                (3, "kept.png: already exists; --overwrite", ["--observed", "mask.tif", "--png", "kept.png"]),
                (4, "none.gpkg: No such file", ["--observed", "none.gpkg", "--png", "no/p.png"]),
                (4, "URLs and /vsi", ["--observed", "http://localhost/x.geojson"]),
                (3, "neither a raster nor a file of polygons", ["--observed", "s.json"]),
                (3, "): it is a ZIP archive; unpack it", ["--observed", "outline.zip"]),
                (2, "--min-thickness", ["--observed", "mask.tif", "--min-thickness", "-1"]),
                (2, "--min-thickness", ["--observed", "mask.tif", "--min-thickness", "thick"]),
                (2, "--observed-layer: mask.tif is a raster", ["--observed", "mask.tif", "--observed-layer", "x"]),
                (2, 'unexpected "run"', ["run", "--observed", "mask.tif"]),
                (2, "--tolerance: not allowed with --observed", ["--observed", "mask.tif", "--tolerance", "0"]),
                (2, "--json: allowed with --observed FILE or --assets FILE only", ["run", "--json"]),
                (2, "too few arguments; usage: sciara compare [OPTION]... A B | RUN --observed FILE", [])):
            with self.subTest(args=args):
                done = self.compare(*args, code=code)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stdout, "")
        self.assertFalse(os.path.exists(self.path("no")))
        self.compare("--observed", "mask.tif", "--png", "kept.png", "--overwrite")
        with open(self.path("kept.png"), "rb") as f:
            self.assertEqual(f.read(4), b"\x89PNG")

    def test_a_run_without_deposit(self):
        self.sciara("run", "s.json", "-q", "-n", 30, "-o", "liquid", "--set", 'output.fields=["thickness"]')
        done = self.sciara("compare", "liquid", "--observed", "mask.tif")
        self.assertIn("only what is still liquid counts", done.stderr)
        self.assertIn("thickness above 0 m", done.stdout)

    def test_picture_of_two_runs(self):
        """What both cover and what one alone, also of thick lava only; the same areas are printed."""
        vent = case.VENT[0], case.VENT[1] + 4
        self.sciara("run", "s.json", "-q", "-o", "other", "--set", f"vents.0.col={vent[1]}")
        deposit = numpy.maximum(open_snapshot(self.path("other", "snapshots", "00000300.nc")).deposit.values[0], 0)
        for least in (0, 1):
            first, second = self.deposit > least, deposit > least
            areas = [100 * part.sum() for part in (first, second, first & second, first & ~second, second & ~first)]
            self.assertGreater(min(areas), 400)
            said = self.sciara("compare", "run", "other", "--min-thickness", least, "--png", f"two{least}.png", "--extent", "dem",
                               code=1).stdout
            self.assertIn("lava covers {} m2 in a, {} m2 in b: {} m2 in both, {} m2 in a alone, {} m2 in b alone".format(*areas), said)
            nearest, key = kinds(self.path(f"two{least}.png"))
            expected = numpy.where(first, numpy.where(second, 1, 2), numpy.where(second, 3, 0))
            there = unmarked(second, vent)
            numpy.testing.assert_array_equal(nearest[there], expected[there])
            self.assertEqual(len(set(key)), 1, "three squares of one size")
            self.assertGreater(key[0], 50)

    def test_what_the_picture_of_two_runs_says(self):
        """Names of both in title, legend and run-out; areas; what both assume, and what one alone; the places of --assets."""
        line = [[case.WEST + 180, case.NORTH - 150], [case.WEST + 260, case.NORTH - 150]]
        edits = json.dumps([{"name": "dam", "line": line, "width_m": 10, "height_m": 3}])
        self.sciara("run", "s.json", "-q", "-o", "dammed", "--set", f"dem.edits={edits}")
        case.write_features(self.path("school.geojson"), ({"name": "School"}, "Point", [case.WEST + 200, case.NORTH - 200]))
        other = numpy.maximum(open_snapshot(self.path("dammed", case.record(self.path("dammed"))["snapshots"][-1]["name"])).deposit.values[0], 0)
        first, second = self.deposit > 0, other > 0
        areas = [100 * part.sum() for part in (first & second, first & ~second, second & ~first)]
        area = lambda m2: f"{m2 / 1e6:.4g} km²" if m2 >= 1e5 else f"{m2:,} m²" if m2 >= 1000 else f"{m2} m²"
        plain = self.sciara("compare", "run", "dammed", "--png", "ab.png", code=1)
        done = self.sciara("compare", "run", "dammed", "--assets", "school.geojson", "--png", "abs.png", "--labels", "before,with dam")
        self.assertIn("School", done.stdout)
        self.assertEqual((plain.stdout.splitlines()[-1], done.stdout.splitlines()[-1]), ("ab.png", "abs.png"))
        for name, a, b in (("ab.png", "run", "dammed"), ("abs.png", "before", "with dam")):
            facts = gdal.Open(self.path(name)).GetMetadata()
            said = facts["compared"].replace("\u00a0", " ")
            self.assertTrue(facts["Title"].endswith(f"{a} / {b}"), facts["Title"])
            self.assertTrue(said.startswith(f"Both runs: {area(areas[0])}; Only {a}: {area(areas[1])}; Only {b}: {area(areas[2])} Assumed eruption: "), said)
            self.assertEqual((said.count("Assumed eruption"), said.count("Model: ")), (1, 1), said)
            self.assertIn(f" {b}: dam: 3 m above the ground; ", said)
        images = [geo.read(self.path(name)) for name in ("ab.png", "abs.png")]
        blue = [((image[0] == 11) & (image[1] == 87) & (image[2] == 208)).sum() for image in images]
        self.assertTrue(blue[0] == 0 and blue[1] > 10, blue)
        for labels in ("one", "a,b,c", ",b"):
            self.assertIn("--labels: expected two names such as without,with", self.sciara(
                "compare", "run", "dammed", "--png", "no.png", "--labels", labels, code=2).stderr)
        self.assertIn("--labels: allowed only with --png FILE", self.sciara("compare", "run", "dammed", "--labels", "a,b", code=2).stderr)
        self.assertFalse(os.path.exists(self.path("no.png")))
