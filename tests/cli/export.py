# SPDX-License-Identifier: Apache-2.0
"""sciara export: georeferenced maps with the values of the snapshot; diagnostics that leave files unchanged."""
import json
import os
import re
import shutil
import subprocess

import case
import geo
import fixtures
from case import SharedCase, open_snapshot
from geo import gdal

import numpy

UNITS = {"thickness": "m", "deposit": "m", "temperature": "K", "arrival_time": "s", "altitude": "m"}


def gdalinfo(path):
    return json.loads(subprocess.run(["gdalinfo", "-json", path], stdout=subprocess.PIPE, check=True).stdout)


class Export(SharedCase):
    @classmethod
    def prepare(cls):
        cls.snapshot = fixtures.run(cls.work)
        cls.data = open_snapshot(cls.snapshot)

    def export(self, *args, code=0):
        return self.sciara("export", *args, code=code)

    def test_cog(self):
        for field, unit in UNITS.items():
            with self.subTest(field=field):
                done = self.export("run", "--format", "cog", "--field", field)
                self.assertEqual(done.stdout, f"run/maps/{field}.tif\n")
                info = gdalinfo(self.path("run", "maps", f"{field}.tif"))
                self.assertEqual(info["metadata"]["IMAGE_STRUCTURE"]["LAYOUT"], "COG")
                self.assertEqual((info["driverShortName"], info["size"]), ("GTiff", [case.COLS, case.ROWS]))
                self.assertEqual(info["geoTransform"], [case.WEST, case.CELL, 0, case.NORTH, 0, -case.CELL])
                self.assertRegex(info["coordinateSystem"]["wkt"], r'^PROJCRS\["WGS 84 / UTM zone 33N"(.|\n)*'
                                                                  r'ID\["EPSG",32633\]\]$')
                band = info["bands"][0]
                self.assertEqual(len(info["bands"]), 1, "bands")
                self.assertEqual((band["noDataValue"], band["description"], band["unit"], band["type"]),
                                 (case.NODATA, field, unit, "Float32"))
                self.assertIn("<qgis", case.read_text(self.path("run", "maps", f"{field}.qml")))

    def test_values_are_those_of_the_snapshot(self):
        for field in UNITS:
            with self.subTest(field=field):
                self.export("run", "-f", "cog", "--field", field, "-o", f"values/{field}.tif")
                found = geo.read(self.path("values", f"{field}.tif"))
                stored = self.data[field].values[0]
                bare = (stored == 0) & (field not in ("altitude", "arrival_time"))
                numpy.testing.assert_array_equal(found, numpy.where(bare, case.NODATA, stored).astype("float32"))
                self.assertGreater((found != case.NODATA).sum(), 20, "cells with a value")

    def test_deposit_is_mapped_without_field(self):
        done = self.export("run", "-f", "cog", "-o", "default.tif")
        self.assertEqual(gdalinfo(self.path("default.tif"))["bands"][0]["description"], "deposit")
        self.assertIn("no --field given: deposit", done.stderr)

    def test_png(self):
        self.assertEqual(self.export("run", "-f", "png", "--extent", "dem").stdout, "run/maps/deposit.png\n")
        info = gdalinfo(self.path("run", "maps", "deposit.png"))
        self.assertEqual((info["driverShortName"], len(info["bands"])), ("PNG", 3))
        pixels = geo.read(self.path("run", "maps", "deposit.png")).astype(int)
        zoom = 1000 // case.COLS  # small grids are drawn with larger cells, in a dark frame
        dark = (pixels.max(axis=0) < 40).sum(axis=1)
        top = int(numpy.argmax(dark > case.COLS * zoom)) + 1
        left = (pixels.shape[2] - case.COLS * zoom) // 2
        cells = pixels[:, top:top + case.ROWS * zoom, left:left + case.COLS * zoom]
        centres = cells[:, zoom // 2::zoom, zoom // 2::zoom]
        grey = (centres.max(axis=0) == centres.min(axis=0))
        deposit = self.data.deposit.values[0]
        sea = deposit == case.NODATA
        marked = numpy.zeros(deposit.shape, bool)  # vent and run-out
        marked[case.VENT] = True
        distance = numpy.hypot(*(numpy.indices(deposit.shape) - numpy.array(case.VENT)[:, None, None]))
        marked[numpy.unravel_index(numpy.argmax(numpy.where(deposit > 0, distance, -1)), deposit.shape)] = True
        numpy.testing.assert_array_equal(grey[~marked], (deposit == 0)[~marked], "bare ground, and nothing else, is grey")
        self.assertEqual({tuple(colour) for colour in centres[:, sea].T}, {(238, 238, 234)}, "colours where there are no data")
        self.assertGreater(len({tuple(colour) for colour in centres[:, grey].T}), 3, "shades of the ground")

    def test_a_lone_snapshot(self):
        os.makedirs(self.path("lone", "deep"))
        shutil.copy(self.snapshot, self.path("lone", "deep", "mine.nc"))
        # In the folder above is the run.json of another program, which has nothing to do with it.
        case.write_json(self.path("lone", "run.json"), {"speed": "10 km/h"})
        done = self.export("lone/deep/mine.nc", "-f", "cog", "--field", "thickness")
        self.assertEqual(done.stdout, "lone/deep/mine.thickness.tif\n")
        info = gdalinfo(self.path("lone/deep/mine.thickness.tif"))
        self.assertEqual(info["metadata"]["IMAGE_STRUCTURE"]["LAYOUT"], "COG")
        done = self.export("lone/deep/mine.nc", "-f", "png")
        self.assertEqual(done.stdout, "lone/deep/mine.deposit.png\n")

    def test_a_lone_snapshot_without_altitude(self):
        self.sciara("run", "s.json", "-q", "-n", 3, "-o", "flat", "--set", 'output.fields=["thickness"]')
        shutil.copy(self.path("flat", "snapshots", "00000003.nc"), self.path("flat.nc"))
        done = self.export("flat.nc", "-f", "png")
        self.assertIn("warning: flat.nc: no altitude is at hand", done.stderr)
        self.assertEqual(gdalinfo(self.path("flat.thickness.png"))["driverShortName"], "PNG")

    def assert_refused(self, code, message, *args):
        before = case.tree(self.work)
        done = self.export(*args, code=code)
        self.assertRegex(done.stderr, message)
        self.assertEqual(done.stdout, "")
        self.assertEqual(case.tree(self.work), before, "files after the diagnostic")

    def test_a_field_that_does_not_exist(self):
        self.assert_refused(2, r'there is no field "depositt"; did you mean "deposit"\?', "run", "-f", "cog", "--field",
                            "depositt", "-o", "none/x.tif")
        self.assert_refused(2, r'there is no field "zzzzzzz"; the fields are thickness, altitude, ', "run", "-f", "cog",
                            "--field", "zzzzzzz", "-o", "none/x.tif")

    def test_a_field_that_is_not_stored(self):
        self.assert_refused(3, 'holds no field "speed"; it holds ' + ", ".join(case.FIELDS), "run", "-f", "png",
                            "--field", "speed", "-o", "none/x.png")

    def test_formats(self):
        self.assert_refused(2, "--format is missing, expected cog, png, ", "run", "-o", "none/x.tif")
        self.assert_refused(2, '--format: expected cog, png, .*found "gif"', "run", "-f", "gif", "-o", "none/x.gif")

    def test_formats_are_listed_alike(self):
        """By the option, by the help below it, and by the error message."""
        for command, least in ((["export"], 7), (["ensemble", "export"], 3)):
            help_text = self.sciara(*command, "--help").stdout
            named = re.search(r"--format (\S+)", help_text)[1].split("|")
            described = re.findall(r"^  ([a-z]+) ", help_text.split("formats:\n")[1], re.M)
            refused = re.search("expected (.*)", self.sciara(*command, "run", code=2).stderr)[1]
            self.assertEqual(named, described)
            self.assertEqual(named, re.split(", | or ", refused))
            self.assertGreaterEqual(len(named), least)

    def test_every_field(self):
        """Every field of a snapshot, by its own name and by the short ones, each with a style."""
        names = case.all_fields()
        self.sciara("run", "s.json", "-q", "-o", "full", "--set", f"output.fields={json.dumps(names)}")
        last = sorted(os.listdir(self.path("full", "snapshots")))[-1]
        data = open_snapshot(self.path("full", "snapshots", last))
        for name in names:
            with self.subTest(field=name):
                self.export("full", "-f", "cog", "--field", name)
                source = gdal.Open(self.path("full", "maps", f"{name}.tif"))
                found, stored = source.ReadAsArray(), data[name].values[0].astype("float32")
                there = found != case.NODATA
                numpy.testing.assert_array_equal(found[there], stored[there])
                self.assertTrue(os.path.exists(self.path("full", "maps", f"{name}.qml")))
                self.assertEqual(source.GetRasterBand(1).GetUnitType(), data[name].attrs["units"])
        for short, name in (("liquid", "thickness"), ("solid", "solid_thickness"), ("arrival", "arrival_time")):
            self.export("full", "-f", "cog", "--field", short, "-o", f"{short}.tif")
            numpy.testing.assert_array_equal(geo.read(self.path(f"{short}.tif")),
                                             geo.read(self.path("full", "maps", f"{name}.tif")))

    def test_fields_that_follow_from_others(self):
        """Deposit and solid lava from each other and the liquid; speed from momentum."""
        names = ["thickness", "momentum_x", "momentum_y", "solid_thickness", "deposit", "speed"]
        folders = {"held": names, "no_solid": ["thickness", "deposit", "momentum_x", "momentum_y"],
                   "no_deposit": ["thickness", "solid_thickness"]}
        for folder, fields in folders.items():
            self.sciara("run", "s.json", "-q", "-n", 420, "-o", folder, "--set", f"output.fields={json.dumps(fields)}")
        for folder, field in (("no_solid", "solid_thickness"), ("no_deposit", "deposit"), ("no_solid", "speed")):
            with self.subTest(field=field):
                self.export("held", "-f", "cog", "--field", field, "-o", f"held/{field}.tif")
                done = self.export(folder, "-f", "cog", "--field", field, "-o", f"{folder}/{field}.tif")
                self.assertIn(f'has no field "{field}"; it is computed from other fields', done.stderr)
                held, formed = (geo.read(self.path(f, f"{field}.tif")) for f in ("held", folder))
                numpy.testing.assert_array_equal(formed == case.NODATA, held == case.NODATA)
                numpy.testing.assert_allclose(formed, held, rtol=1e-6, atol=1e-9)
                self.assertGreater((held != case.NODATA).sum(), 5, "cells")
        self.assertEqual(self.export("no_deposit", "-f", "cog").stdout, "no_deposit/maps/deposit.tif\n")

    def test_lava_that_stands_still(self):
        """Momentum and speed are 0 there, which is a value; where there is no lava they have none."""
        fields = ["momentum_x", "momentum_y", "speed", "thickness"]
        self.sciara("run", "s.json", "-q", "-n", 1, "-o", "still", "--set", f"output.fields={json.dumps(fields)}")
        for field in fields[:3]:
            self.export("still", "-f", "cog", "--field", field)
            found = geo.read(self.path("still", "maps", f"{field}.tif"))
            self.assertEqual([tuple(cell) for cell in numpy.argwhere(found != case.NODATA)], [case.VENT])
            self.assertEqual(found[case.VENT], 0)

    def test_formats_of_options(self):
        """The help names the formats that have an option; the others refuse it."""
        help_text = self.sciara("export", "--help").stdout
        formats = set(re.search(r"--format (\S+)", help_text)[1].split("|"))
        rows = re.findall(rf"(?m)^ +--([a-z-]+)((?: [A-Zl]\S*)?) +((?:(?:{'|'.join(formats)})(?:, )?)+): ", help_text)
        self.assertGreater(len(rows), 15)
        for option, argument, named in rows:
            others = sorted(formats - set(named.split(", ")))
            refuses = others[len(option) % len(others)]
            self.assert_refused(2, f"--format {refuses} has no option --{option}$", "run", "-f", refuses, f"--{option}", *(["1"] if argument else []))

    def test_texts_in_other_encodings(self):
        for option in ("--title", "--stamp", "--credits"):
            self.assert_refused(2, f"{option}: expected UTF-8, found", "run", "-f", "png", "-o", "none/x.png", option, "Etn\udce0")

    def test_existing_files_stay(self):
        case.write_text(self.path("kept.tif"), "a thesis")
        self.assert_refused(3, "kept.tif: already exists; --overwrite replaces it", "run", "-f", "cog", "-o",
                            "kept.tif")
        self.export("run", "-f", "cog", "-o", "kept.tif", "--overwrite")
        self.assertEqual(gdalinfo(self.path("kept.tif"))["driverShortName"], "GTiff")

    def test_an_existing_style_stays(self):
        """Without --overwrite a hand-made style, of the name that QGIS takes for the map, refuses it and is kept."""
        for name, style in (("style.tif", "style.qml"), ("a.b.TIFF", "a.b.qml"), (".map.tif", ".map.qml")):
            with self.subTest(name=name):
                case.write_text(self.path(style), "my colours")
                self.assert_refused(3, rf"(^| ){re.escape(style)}: already exists; --overwrite replaces it", "run",
                                    "-f", "cog", "-o", name)
                self.export("run", "-f", "cog", "-o", name, "--overwrite")
                self.assertIn("<qgis", case.read_text(self.path(style)))

    def test_impossible_paths(self):
        self.assert_refused(4, r"s\.json: cannot make this folder", "run", "-f", "cog", "-o", "s.json/x.tif")
        self.assert_refused(2, "--output", "run", "-f", "cog", "-o", "")
        self.assert_refused(4, "none: cannot open", "none", "-f", "cog")
        self.assert_refused(3, r"s\.json: .*HDF5", "s.json", "-f", "cog")
