# SPDX-License-Identifier: Apache-2.0
"""sciara export --format png and frames, and the maps that a run writes: compared with inspected pictures, and part by part.

Of tests/golden/pictures the maps are compared; the text around them differs with other versions of a font.
SCIARA_UPDATE_GOLDEN=1 writes them again; inspect them before they are committed."""
import datetime
import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import zlib

import case
import geo
from case import SharedCase, open_snapshot
from geo import gdal

import numpy

GOLDEN = os.path.join(case.SOURCE, "tests", "golden", "pictures")
TITLE = "Éruption du Piton – Ñuñoa, Ætna"


def pixels(path):
    """Rows, columns, and red, green, blue."""
    return numpy.moveaxis(geo.read(path), 0, 2).astype(int)


INK = (30, 30, 30)


def map_of(image):
    """The part of a picture inside the thin frame of the map."""
    dark = (image == INK).all(axis=2)
    rows = [r for r in range(len(dark)) if longest_run(dark[r]) > 0.8 * dark.shape[1]]
    columns = [c for c in range(dark.shape[1]) if longest_run(dark[rows[0]:rows[-1] + 1, c]) > 0.99 * (rows[-1] - rows[0])]
    return image[rows[0] + 1:rows[-1], columns[0] + 1:columns[-1]]


def longest_run(line):
    edges = numpy.flatnonzero(numpy.diff(numpy.concatenate(([0], line.astype(int), [0]))))
    return max(edges[1::2] - edges[::2], default=0)


def difference(a, b):
    """Mean difference of the pixels in levels, and the fraction of those that differ clearly."""
    if a.shape != b.shape:
        return 255, 1
    apart = abs(a - b).max(axis=2)
    return apart.mean(), (apart > 40).mean()


def is_the_same(a, b):
    mean, clearly = difference(a, b)
    return mean < 0.1 and clearly < 0.0005  # mathematics libraries may round differently


def write_outline(path, driver, crs, points):
    corners = ", ".join(f"{x!r} {y!r}" for x, y in points + points[:1])
    geo.write_features(path, [f"POLYGON(({corners}))"], driver=driver, epsg=crs)


def write_mask(path):
    """The same rectangle as a raster on the grid."""
    cells = numpy.zeros((case.ROWS, case.COLS), "uint8")
    cells[5:20, 15:30] = 1
    geo.write_raster(path, cells)


def box(west, north, east, south):
    return [(west, north), (east, north), (east, south), (west, south)]


class Pictures(SharedCase):
    @classmethod
    def prepare(cls):
        case.write_scenario(cls.work, title=TITLE, run={"max_steps": 300, "start": "2006-07-14T23:30:00Z"},
                            output={"fields": case.FIELDS, "every": "1 min", "maps": ["deposit", "arrival_time"]})
        done = case.run_program("run", "s.json", "-q", "-o", "run", cwd=cls.work)
        cls.printed = done.stdout
        cls.count = len(case.record(os.path.join(cls.work, "run"))["snapshots"])
        place = case.WEST + 150, case.NORTH - 50, case.WEST + 300, case.NORTH - 200
        write_outline(os.path.join(cls.work, "outline.gpkg"), "GPKG", 32633, box(*place))
        write_mask(os.path.join(cls.work, "mask.tif"))

    def export(self, name, *args, **options):
        """The picture as an array; --output avoids the pictures of the run."""
        self.sciara("export", "run", "-q", "-f", "png", "-o", name, *args, **options)
        return pixels(self.path(name))

    def assert_golden(self, name, *args):
        found = self.export(name, *args)
        golden = os.path.join(GOLDEN, name)
        if os.environ.get("SCIARA_UPDATE_GOLDEN"):
            os.makedirs(GOLDEN, exist_ok=True)
            shutil.copyfile(self.path(name), golden)
        a, b = map_of(found), map_of(pixels(golden))
        mean, clearly = difference(a, b)
        self.assertTrue(is_the_same(a, b), f"the map of {name} differs from that of {golden}: by {mean:.3f} levels, "
                                           f"{100 * clearly:.2f} % of the pixels clearly; {a.shape}, {b.shape}")
        for part, rows in (("title", found[:100]), ("legend", found[-100:])):
            share = ((rows != 255).any(axis=2)).mean()
            self.assertTrue(0.02 < share < 0.6, f"{part} of {name}: {100 * share:.1f} % are not white")
        rim = numpy.concatenate((found[0], found[-1], found[:, 0], found[:, -1]))
        self.assertTrue((rim == 255).all(), f"something touches the rim of {name}")

    def test_deposit_with_outline(self):
        self.assert_golden("deposit.png", "--width", 480, "--observed", "outline.gpkg")

    def test_arrival(self):
        self.assert_golden("arrival.png", "--width", 480, "--field", "arrival_time")

    def test_stamp(self):
        """In a frame above the map, which stays as it is."""
        plain, stamped = self.export("unstamped.png", "--width", 480), self.export("stamped.png", "--width", 480, "--stamp", "UNVERIFIED")
        numpy.testing.assert_array_equal(map_of(plain), map_of(stamped))
        red = (stamped == (150, 0, 30)).all(axis=2)
        self.assertGreater(red.sum(), 200)
        self.assertEqual(red[int((stamped == INK).all(axis=2).sum(axis=1).argmax()):].sum(), 0, "below the frame of the map")

    def test_fronts(self):
        """Where lava had come by each time, whose intervals count from midnight; the pixels in the middle of the sides of cells."""
        image, step = map_of(self.export("fronts.png", "--extent", "dem", "--isochrones", "290 s", "--width", 1200)), 290
        arrival = open_snapshot(self.path("run", case.record(self.path("run"))["snapshots"][-1]["name"])).arrival_time.values[0]
        green, ink = (abs(image - colour).max(axis=2) < 12 for colour in ((0, 90, 60), (0, 60, 40)))
        size, sides = green.shape[1] / case.COLS, numpy.zeros(green.shape, bool)
        spread = lambda mask: functools.reduce(numpy.logical_or, (numpy.roll(mask, (down, right), (0, 1)) for down in (-1, 0, 1) for right in (-1, 0, 1)))
        for until in numpy.arange(-84600 % step, arrival.max() + step, step):
            inside = numpy.pad((arrival >= 0) & (arrival < until), 1)
            for row, col in numpy.argwhere(inside[1:, 1:-1] != inside[:-1, 1:-1]):
                sides[min(round(row * size), len(sides) - 1), int((col + 0.5) * size)] = True
            for row, col in numpy.argwhere(inside[1:-1, 1:] != inside[1:-1, :-1]):
                sides[int((row + 0.5) * size), min(round(col * size), sides.shape[1] - 1)] = True
        blocks = numpy.pad(ink, ((0, -len(ink) % 16), (0, -ink.shape[1] % 16))).reshape(-(-len(ink) // 16), 16, -1, 16).any(axis=(1, 3))
        sides &= ~numpy.kron(spread(blocks), numpy.ones((16, 16), bool))[:len(ink), :ink.shape[1]]  # what no name may hide
        self.assertGreater(sides.sum(), 25)
        self.assertGreater(spread(green)[sides].mean(), 0.97)

    def test_names_and_key(self):
        """A fissure is a line in the key, and what is not in sight is not there."""
        x, y = case.WEST + 205, case.NORTH - 85
        case.write_scenario(self.work, "line.json", run={"max_steps": 60}, output={"fields": case.FIELDS, "maps": []},
                            vents=[{"line": [[x - 40, y + 5], [x + 40, y + 5]], "effusion": {"slot": "10 min", "rates_m3_s": [4]}}])
        case.write_features(self.path("many.geojson"), *(({"name": f"School {k}"}, "Point", [x - 60 + 30 * k, y - 20 * k]) for k in range(4)))
        self.sciara("run", "line.json", "-q", "-o", "line")
        def export(name, *args):
            self.sciara("export", "line", "-q", "-f", "png", "-o", name, "--width", 1000, "--assets", "many.geojson", *args)
            image = pixels(self.path(name))
            bottom = [r for r in range(len(image)) if longest_run((image[r] == INK).all(axis=1)) > 0.8 * image.shape[1]][-1]
            return map_of(image), image[bottom + 1:]
        box = f"{x - 100},{y - 100},{x + 100},{y + 60}"
        blue, cyan = (functools.partial(lambda colour, part: abs(part - colour).max(axis=2) < 50, colour) for colour in ((11, 87, 208), (0, 200, 215)))
        plain = export("names.png", "--extent", box)
        self.assertGreater(blue(plain[0]).sum(), 60)
        rows, cols = (numpy.flatnonzero(cyan(plain[1]).any(axis=axis)) for axis in (1, 0))
        self.assertGreater(numpy.ptp(cols), 2 * numpy.ptp(rows), "a line")
        self.assertGreater(blue(plain[1]).sum(), 5)
        edge = blue(export("edge.png", "--extent", f"{x - 100},{y - 100},{x + 35},{y + 60}")[0])
        row = int(numpy.flatnonzero(edge[:, -60:].any(axis=1)).mean())  # of School 3, right of which a name has no room
        self.assertGreater(edge[row - 8:row + 8, -120:-45].sum(), 30)
        away = export("sight.png", "--extent", f"{case.WEST},{case.SOUTH},{x - 100},{case.SOUTH + 100}")
        self.assertEqual((blue(away[1]).sum(), cyan(away[1]).sum()), (0, 0))

    def test_degrees_on_both_sides_of_180(self):
        """The meridian of 180 degrees is a line of the graticule, which goes on east of it."""
        to, back = geo.transformation(4326, 32601), geo.transformation(32601, 4326)
        middle = to.TransformPoint(180, 37.73)
        west, south = round(middle[0]) - 5 * case.COLS, round(middle[1]) - 5 * case.ROWS
        grid = case.read_text(self.path("dem.asc")).replace(f"xllcorner {case.WEST}", f"xllcorner {west}")
        case.write_text(self.path("turn.asc"), grid.replace(f"yllcorner {case.SOUTH}", f"yllcorner {south}"))
        case.write_scenario(self.work, "turn.json", run={"max_steps": 60}, dem={"path": "turn.asc", "crs": "EPSG:32601"}, output={"fields": case.FIELDS, "maps": []})
        self.sciara("run", "turn.json", "-q", "-o", "turn")
        for name, *args in (("turn.png",), ("lines.png", "--graticule")):
            self.sciara("export", "turn", "-q", "-f", "png", "--overwrite", "-o", name, "--extent", "dem", "--width", 900, *args)
        changed = (map_of(pixels(self.path("turn.png"))) != map_of(pixels(self.path("lines.png")))).any(axis=2)
        rows, cols = changed.shape
        for longitude, drawn in ((180, True), (180.00042, False), (-179.99833, True), (179.99833, True)):
            hits = []
            for n in range(40):
                y = south + 10 * case.ROWS * (0.2 + 0.6 * n / 39)
                lat = back.TransformPoint(middle[0], y)[1]
                x, y = to.TransformPoint(longitude, lat)[:2]
                row, col = int((south + 10 * case.ROWS - y) / (10 * case.ROWS) * rows), int((x - west) / (10 * case.COLS) * cols)
                hits.append(changed[row, max(col - 2, 0):col + 3].any())
            self.assertEqual(numpy.mean(hits) > 0.9, drawn, (longitude, numpy.mean(hits)))

    def test_temperature_in_the_least_width(self):
        self.assert_golden("temperature.png", "--width", 320, "--field", "temperature")

    def test_the_comparison_can_fail(self):
        a = map_of(pixels(os.path.join(GOLDEN, "deposit.png")))
        self.assertFalse(is_the_same(a, map_of(pixels(os.path.join(GOLDEN, "arrival.png")))))
        self.assertFalse(is_the_same(a, numpy.roll(a, 1, axis=1)), "a map one pixel aside")
        self.assertFalse(is_the_same(a, map_of(self.export("plain.png", "--width", 480))), "a map without the outline")

    def test_outlines_of_any_kind_are_the_same(self):
        """A GeoPackage, GeoJSON in degrees, and a raster."""
        to = geo.transformation(32633, 4326)
        corners = box(case.WEST + 150, case.NORTH - 50, case.WEST + 300, case.NORTH - 200)
        degrees = [to.TransformPoint(x, y)[:2] for x, y in corners]
        write_outline(self.path("outline.geojson"), "GeoJSON", 4326, degrees)
        first = self.export("a.png", "--width", 480, "--observed", "outline.gpkg")
        for k, name in enumerate(("outline.geojson", "mask.tif")):
            numpy.testing.assert_array_equal(first, self.export(f"b{k}.png", "--width", 480, "--observed", name))

    def test_a_run_writes_its_maps(self):
        names = [f"maps/{field}.{end}" for field in ("deposit", "arrival_time") for end in ("tif", "png")]
        found = [line for line in self.printed.splitlines() if "/maps/" in line]
        self.assertEqual(sorted(found), sorted(self.path("run", name) for name in names))
        for field in ("deposit", "arrival_time"):
            self.assertTrue(os.path.exists(self.path("run", "maps", field + ".qml")), field)
            made = pixels(self.path("run", "maps", field + ".png"))
            same = self.export(field + "-again.png", "--field", field)
            self.assertTrue(is_the_same(made, same), field)  # the snapshot is float32
        made = pixels(self.path("run", "maps", "deposit.png"))
        line = [[case.WEST + 180, case.NORTH - 150], [case.WEST + 260, case.NORTH - 150]]
        edits = json.dumps([{"name": "dam", "line": line, "width_m": 10, "height_m": 0.001}])
        self.sciara("run", "s.json", "-q", "-o", "dam", "--set", f"dem.edits={edits}", "--set", 'output.maps=["deposit"]')
        self.sciara("export", "dam", "-q", "-f", "png", "-o", "dam.png")
        with_dam = pixels(self.path("dam", "maps", "deposit.png"))
        self.assertTrue(is_the_same(with_dam, pixels(self.path("dam.png"))))
        self.assertTrue((with_dam == (140, 0, 160)).all(axis=2).any() and not (made == (140, 0, 160)).all(axis=2).any())

    def test_frames(self):
        done = self.sciara("export", "run", "-q", "-f", "frames", "--field", "thickness", "--width", 400, "-o", "a 50%.frames")
        command, folder = done.stdout.splitlines()
        self.assertEqual(folder, "a 50%.frames")
        self.assertGreater(self.count, 5)
        names = sorted(os.listdir(self.path(folder)))
        self.assertEqual(names, [f"frame_{k + 1:05d}.png" for k in range(self.count)])
        shapes = {pixels(self.path(folder, name)).shape for name in names}
        self.assertEqual(len(shapes), 1, "sizes of the frames")
        rows, cols, _ = shapes.pop()
        self.assertEqual((rows % 2, cols % 2), (0, 0))
        words = shlex.split(command)
        self.assertEqual(words, ["ffmpeg", "-framerate", "10", "-i", "./a 50%%.frames/frame_%05d.png", "-c:v", "libx264",
                                 "-pix_fmt", "yuv420p", "./a 50%.mp4"])
        for width in (460, 500, 540, 580):
            self.sciara("export", "run", "-q", "-f", "frames", "--width", width, "-o", f"{width}.frames")
            shapes = {pixels(self.path(f"{width}.frames", name)).shape for name in os.listdir(self.path(f"{width}.frames"))}
            self.assertEqual(len(shapes), 1, width)
        if shutil.which("ffmpeg"):
            subprocess.run([words[0], "-loglevel", "error", *words[1:]], cwd=self.work, check=True)
            self.assertGreater(os.path.getsize(self.path("a 50%.mp4")), 1000)

    def legend(self, path):
        """The colour bar, 8 pixels being the height of a capital in the narrowest pictures."""
        image = pixels(path)
        dark = (image == INK).all(axis=2)
        bottom = [r for r in range(len(dark)) if longest_run(dark[r]) > 0.8 * dark.shape[1]][-1]
        return image[bottom + 1:bottom + 9 * 8]

    def test_frames_of_lava_that_enters_the_sea_later(self):
        """Each has the line about it, so all are of one size."""
        case.write_scenario(self.work, "coast.json", dem={"path": "dem.asc", "crs": "EPSG:32633", "sea": 1040}, run={"max_steps": 300},
                            output={"fields": case.FIELDS, "every": "5 min"})
        self.sciara("run", "coast.json", "-q", "-o", "coast")
        self.assertEqual([case.record(self.path("coast"))["ledger"][key] > 0 for key in ("sea_m3", "lost_m3")], [True, False])
        self.sciara("export", "coast", "-q", "-f", "frames", "--width", 400, "-o", "coast.frames")
        self.assertEqual(len({pixels(self.path("coast.frames", name)).shape for name in os.listdir(self.path("coast.frames"))}), 1)

    def test_frames_have_one_range(self):
        self.sciara("export", "run", "-q", "-f", "frames", "--field", "deposit", "--width", 400, "-o", "range.frames",
                    "--extent", "dem")
        names = sorted(os.listdir(self.path("range.frames")))
        first, last = self.path("range.frames", names[0]), self.path("range.frames", names[-1])
        numpy.testing.assert_array_equal(self.legend(first), self.legend(last))
        self.assertGreater(difference(pixels(first), pixels(last))[1], 0.005, "the lava grows")
        alone = self.path("alone.png")
        snapshot = case.record(self.path("run"))["snapshots"][0]["name"]
        self.sciara("export", f"run/{snapshot}", "-q", "-f", "png", "--field", "deposit", "--width", 400, "-o", alone,
                    "--extent", "dem")
        self.assertFalse((self.legend(first) == self.legend(alone)).all(), "the first alone has a range of its own")
        stored = [one["name"] for one in case.record(self.path("run"))["snapshots"]]
        highest = max(stored, key=lambda name: open_snapshot(self.path("run", name)).deposit.values.max())
        self.sciara("export", f"run/{highest}", "-q", "-f", "png", "--field", "deposit", "--width", 400, "-o", alone, "--overwrite",
                    "--extent", "dem")
        numpy.testing.assert_array_equal(self.legend(first), self.legend(alone), "the range reaches the highest value of all")

    def test_one_scale_for_several_maps(self):
        """--scale-to ends the colours of thicknesses at the same value for every snapshot, which the legend says; larger ones have the
        last colour, and "≥" before the last label."""
        self.sciara("run", "s.json", "-q", "-n", 3, "-o", "thin", "--set", "output.maps=[]")
        most = [open_snapshot(self.path(run, case.record(self.path(run))["snapshots"][-1]["name"])).deposit.values.max() for run in ("thin", "run")]
        self.assertTrue(most[0] < 1.5 and 1.6 < most[1] < 50, most)  # the scale ends at 1.6
        def legend(run, to):
            self.sciara("export", run, "-q", "-f", "png", "--field", "deposit", "--width", 400, "--scale-to", to, "--extent", "dem",
                        "-o", "scaled.png", "--overwrite")
            return self.legend(self.path("scaled.png"))
        numpy.testing.assert_array_equal(legend("thin", 50), legend("run", 50))
        thin, thick = legend("thin", 1.5), legend("run", 1.5)
        changed = numpy.flatnonzero((thin != thick).any(axis=(0, 2)))
        self.assertTrue(0.4 * thin.shape[1] < changed.min() and changed.max() < 0.7 * thin.shape[1], "the last label alone")
        for code, said, args in ((2, "--scale-to: expected a field of thickness such as deposit (--field); found temperature", ("--field", "temperature", "--scale-to", 3)),
                                 (2, '--scale-to: expected a thickness above 0 to 10000 m, found "0"', ("--scale-to", 0))):
            self.assertIn(said, self.sciara("export", "run", "-q", "-f", "png", "-o", "refused.png", *args, code=code).stderr)
        self.assertFalse(os.path.exists(self.path("refused.png")))

    def test_frames_are_replaced_when_asked(self):
        command = ["export", "run", "-q", "-f", "frames", "--width", 320, "-o", "again.frames"]
        self.sciara(*command)
        case.write_text(self.path("again.frames", "frame_99999.png"), "of a longer film")
        case.write_text(self.path("again.frames", "notes.txt"), "mine")
        before = case.tree(self.path("again.frames"))
        done = self.sciara(*command, code=3)
        self.assertIn("again.frames: already exists; --overwrite replaces it", done.stderr)
        self.assertEqual(case.tree(self.path("again.frames")), before)
        self.sciara(*command, "--overwrite")
        del before["frame_99999.png"]
        self.assertEqual(case.tree(self.path("again.frames")), before)

    def test_the_frames_of_a_replaced_run_are_removed(self):
        self.sciara("run", "s.json", "-q", "-n", 5, "-o", "twice")
        self.sciara("export", "twice", "-q", "-f", "frames", "--width", 320)
        self.assertTrue(os.path.exists(self.path("twice", "maps", "deposit.frames", "frame_00001.png")))
        self.sciara("run", "s.json", "-q", "-n", 3, "-o", "twice", "--overwrite")
        self.assertFalse(os.path.exists(self.path("twice", "maps", "deposit.frames")))

    def test_extent(self):
        """The lava with a margin unless asked otherwise, which a message states; a box in the units of the CRS."""
        done = self.sciara("export", "run", "-f", "png", "--width", 480, "-o", "lava.png")
        self.assertRegex(done.stderr, r"the picture shows the lava with a margin, x 500\d{3} to 500\d{3}, y 4177\d{3} to "
                                      r"4177\d{3}; --extent dem shows the whole DEM")
        lava, dem = map_of(pixels(self.path("lava.png"))), map_of(self.export("dem.png", "--width", 480, "--extent", "dem"))
        self.assertAlmostEqual(dem.shape[1] / dem.shape[0], case.COLS / case.ROWS, delta=0.01)
        self.assertNotAlmostEqual(lava.shape[1] / lava.shape[0], case.COLS / case.ROWS, delta=0.1)
        part = map_of(self.export("box.png", "--width", 480, "--extent", f"{case.WEST + 100},{case.SOUTH},{case.WEST + 300},{case.NORTH}"))
        self.assertAlmostEqual(part.shape[1] / part.shape[0], 20 / 30, delta=0.01)

    def test_language(self):
        """The words differ, and the date of issue from none; the map does not."""
        seen = [self.export("undated.png", "--width", 480)]
        for language in ("en", "it", "fr", "es", "is"):
            image = self.export(f"{language}.png", "--width", 480, "--language", language, "--issued", "2026-05-10")
            numpy.testing.assert_array_equal(map_of(image), map_of(seen[0]))
            self.assertFalse(any(numpy.array_equal(image, other) for other in seen), language)
            seen.append(image)

    def test_background_and_logo(self):
        """An orthophoto in degrees takes the place of the ground, not of the lava; a logo stands next to the title."""
        west, south, _ = geo.transformation(32633, 4326).TransformPoint(case.WEST, case.SOUTH)
        photo = numpy.repeat([10, 60, 200], 40 * 50).reshape(3, 40, 50)
        geo.write_raster(self.path("photo.tif"), photo, place=[west - 0.001, 0.0002, 0, south + 0.005, 0, -0.0002], epsg=4326)
        mem = gdal.GetDriverByName("MEM").Create("", 30, 20, 3)
        mem.GetRasterBand(2).Fill(220)
        gdal.GetDriverByName("PNG").CreateCopy(self.path("logo.png"), mem)
        plain = self.export("shaded.png", "--width", 480)
        found = self.export("photo.png", "--width", 480, "--background", "photo.tif", "--logo", "logo.png")
        blue = (map_of(found) == (10, 60, 200)).all(axis=2)
        self.assertTrue(0.3 < blue.mean() < 0.99, f"{100 * blue.mean():.1f} % of the map are the photo")
        warm = map_of(plain)[..., 0] > map_of(plain)[..., 2] + 50
        self.assertFalse(blue[warm[:len(blue)]].any() if warm.shape == blue.shape else True, "lava under the photo")
        logo = (found == (0, 220, 0)).all(axis=2)
        self.assertGreater(logo.sum(), 500)
        self.assertGreater(numpy.argwhere(logo)[:, 1].min(), 300)

    def test_a_background_lies_where_its_coordinates_say(self):
        """Red in the west and blue in the east of an easting, on the whole DEM and on a part of it."""
        border = case.WEST + 250
        halves = numpy.array([[[west] * 50 + [east] * 50] * 100 for west, east in ((200, 20), (40, 40), (20, 200))])
        geo.write_raster(self.path("halves.tif"), halves, place=[border - 500, 10, 0, case.SOUTH + 700, 0, -10])
        for west, east in ((case.WEST, case.WEST + 400), (case.WEST + 200, case.WEST + 400)):
            found = map_of(self.export("halves.png", "--overwrite", "--width", 480, "--background", "halves.tif", "--extent",
                                       f"{west},{case.SOUTH},{east},{case.NORTH}"))
            red, blue = ((found == colour).all(axis=2).any(axis=0).nonzero()[0] for colour in ((200, 40, 20), (20, 40, 200)))
            place = (border - west) / (east - west) * found.shape[1]
            self.assertAlmostEqual((red.max() + 1 + blue.min()) / 2, place, delta=3)
            self.assertLess(blue.min() - red.max(), found.shape[1] / 8, "the border is blurred a little")
            self.assertEqual((red.min(), blue.max()), (0, found.shape[1] - 1))

    @staticmethod
    def text_chunks(path):
        """Name and text of the chunks of a PNG file, whose checksums are compared."""
        data = case.read_bytes(path)
        found, at = {}, 8
        while at < len(data):
            length, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
            body = data[at + 8:at + 8 + length]
            assert zlib.crc32(kind + body) == int.from_bytes(data[at + 8 + length:at + 12 + length], "big"), kind
            at += 12 + length
            name, _, text = body.partition(b"\0")
            if kind == b"tEXt":
                found[name.decode()] = text.decode("ascii")
            if kind == b"iTXt":
                assert text[:4] == b"\0\0\0\0"
                found[name.decode()] = text[4:].decode("utf-8")
        return found

    def test_files_say_what_they_are(self):
        """Title, time, start, version and parameters in GeoTIFF and PNG, of the run and of exports."""
        self.sciara("export", "run", "-q", "-f", "cog", "-o", "said.tif")
        self.export("said.png", "--width", 320)
        snapshot = case.record(self.path("run"))["snapshots"][-1]
        for path in ("said.tif", "said.png", "run/maps/deposit.tif", "run/maps/deposit.png"):
            path = self.path(path)
            found = self.text_chunks(path) if path.endswith("png") else gdal.Open(path).GetMetadata()
            self.assertEqual(found["Title"], TITLE, path)
            self.assertEqual((found["Field"], found["Unit"], found["Start"]), ("deposit", "m", "2006-07-14T23:30:00Z"))
            self.assertEqual((float(found["SimulatedTime_s"]), int(found["Step"])), (snapshot["time_s"], snapshot["step"]))
            moment = datetime.datetime(2006, 7, 14, 23, 30) + datetime.timedelta(seconds=int(snapshot["time_s"]))
            self.assertEqual(found["Date"], moment.strftime("%Y-%m-%dT%H:%M:%SZ"))
            self.assertRegex(found["Software"], r"^sciara \d+\.\d+\.\d+(-rc\d+)? \(git .*\), cellular automaton SCIARA-fv3$")
            words = dict(word.split("=") for word in found["Parameters"].split())
            self.assertEqual((len(words), words["cooling"], words["T_vent_K"], words["emissivity"]), (13, "150", "1360", "0.9"))

    def test_title(self):
        """Of a run, and of a picture."""
        self.sciara("run", "s.json", "-q", "-n", 3, "-o", "named", "--title", 'A "new" one')
        self.assertRegex(self.sciara("info", "named").stdout, r'(?m)^title: +A "new" one$')
        first = self.export("own.png", "--width", 480)
        other = self.export("other.png", "--width", 480, "--title", "Another title")
        self.assertFalse(numpy.array_equal(first[:60], other[:60]))
        numpy.testing.assert_array_equal(map_of(first), map_of(other))

    def test_what_is_assumed(self):
        """Volume, duration and largest rate of all vents, vents, rule and changed parameters, DEM and start stand below the map: the
        same on the map of the run, on exports and on frames, also where the rates are in a table of their own."""
        case.write_text(self.path("rates.csv"), "time_s,rate_m3_s\n600,20\n1200,1\n4200,0\n")
        vents = [{"row": 8, "col": 20, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6, 150]}},
                 {"row": 18, "col": 20, "start": "10 min", "effusion": {"csv": "rates.csv"}}]
        # from 10 min on 6 and from 20 min on 150 m3/s; the table, its first rate 20 min after the start, 20 from then on
        volume = 600 * (4 + 6 + 150) + 600 * 20 + 3000 * 1
        case.write_scenario(self.work, "two.json", vents=vents, run={"max_steps": 5, "start": "2026-05-01T06:30:00Z"},
                            output={"fields": case.FIELDS, "maps": ["deposit"]})
        self.sciara("run", "two.json", "-q", "-o", "two")
        emission = case.record(self.path("two"))["emission"]
        self.assertEqual(emission, {"volume_m3": volume, "begin_s": 0, "end_s": 4800, "peak_m3_s": 170})
        self.sciara("export", "two", "-q", "-f", "png", "-o", "two.png")
        self.sciara("export", "two", "-q", "-f", "frames", "-o", "two.frames")
        said = (f"Assumed eruption: 0.111 × 10⁶ m³ in 1 h 20 min, at most 170 m³/s. Vents: 2. Model: fv3 (thesis-etna-2006; "
                "cooling parameter 150 m²). DEM: dem.asc, 30 × 40. Start: 2026-05-01 06:30 UTC.")
        self.assertEqual(volume, 111000)
        ledger = case.record(self.path("two"))["ledger"]
        liquid = 100 * ledger["liquid_m3"] / (ledger["liquid_m3"] + ledger["solid_m3"])
        lava = f"Lava up to this time: {ledger['emitted_m3']:.4g} m³. Still liquid, and able to advance: {liquid:.3g} %"
        for name in ("two/maps/deposit.png", "two.png", "two.frames/frame_00001.png"):
            self.assertEqual(self.text_chunks(self.path(name))["lava"].replace("\u00a0", " "), lava, name)
            self.assertEqual(self.text_chunks(self.path(name))["assumptions"].replace("\u00a0", " "), said, name)
        numpy.testing.assert_array_equal(pixels(self.path("two.png")), pixels(self.path("two/maps/deposit.png")))
        self.sciara("export", "two", "-q", "-f", "png", "-o", "deux.png", "--language", "fr", "--observed", "mask.tif")
        self.assertIn("Éruption supposée : 0,111 × 10⁶ m³ en 1 h 20 min, au plus 170 m³/s. Bouches : 2. Modèle : fv3 (thesis-etna-2006; "
                      "paramètre de refroidissement 150 m²). MNT : dem.asc",
                      self.text_chunks(self.path("deux.png"))["assumptions"].replace("\u00a0", " "))
        shutil.copy(self.path("two", case.record(self.path("two"))["snapshots"][0]["name"]), self.path("away.nc"))
        self.sciara("export", "away.nc", "-q", "-f", "png", "-o", "away.png")
        self.assertIn("Assumed eruption: unknown. Vents: 2.", self.text_chunks(self.path("away.png"))["assumptions"])

    def test_what_is_assumed_after_an_earlier_run(self):
        """A branch with other rates, one of it, and a run from its checkpoint: from when on, and what from then on to their end, as the
        mass balance has it. A branch with the same rates is the eruption as it was planned."""
        maps = {"fields": case.FIELDS, "maps": ["deposit"]}
        case.write_scenario(self.work, "early.json", output=maps, run={"until": "15 min"})
        self.sciara("run", "early.json", "-q", "-o", "early", "--checkpoint-every", "1000 d")
        before = case.record(self.path("early"))
        start = before["state"]["time_s"]
        self.assertTrue(900 <= start < 960)
        vents = [{"row": 12, "col": 20, "effusion": {"slot": "30 min", "rates_m3_s": [3, 7]}}]
        checkpoint, = os.listdir(self.path("early", "checkpoints"))
        case.write_scenario(self.work, "later.json", vents=vents, output=maps, run={"until": "40 min"},
                            initial={"checkpoint": f"early/checkpoints/{checkpoint}"})
        self.sciara("resume", "early", "-q", "-o", "other", "--until", "40 min", "--set", f"vents={json.dumps(vents)}",
                    "--set", "output.checkpoint_every=\"1000 d\"")
        self.sciara("run", "later.json", "-q", "-o", "later", "--checkpoint-every", "1000 d")
        for number, parent in enumerate(("other", "later")):
            self.sciara("resume", parent, "-q", "-o", f"again{number}", "--until", "50 min")
        for name, end in (("other", 2400), ("later", 2400), ("again0", 3000), ("again1", 3000)):
            with self.subTest(name):
                run = case.record(self.path(name))
                volume, (minutes, seconds) = 3 * (1800 - start) + 7 * (end - 1800), divmod(int(end - start), 60)
                of_ledger = run["ledger"]["emitted_m3"] - before["ledger"]["emitted_m3"]
                self.assertAlmostEqual(of_ledger, volume + 7 * (run["state"]["time_s"] - end), delta=1e-6)
                self.assertAlmostEqual(run["emission"].pop("volume_m3"), volume, delta=1e-6)
                self.assertEqual(run["emission"], {"begin_s": start, "end_s": end, "peak_m3_s": 7, "from_s": start})
                self.sciara("export", name, "-q", "-f", "png", "-o", "later.png", "--overwrite")
                self.sciara("export", name, "-q", "-f", "html", "-o", "later.html", "--overwrite")
                shutil.copy(self.path(name, run["snapshots"][-1]["name"]), self.path("alone.nc"))
                self.sciara("export", "alone.nc", "-q", "-f", "png", "-o", "alone.png", "--overwrite")
                said = (f"Assumed eruption from 15 min on: {volume:.0f} m³ in {minutes} min {seconds} s, at most 7 m³/s. Vents: 1. "
                        "Begins with the lava of an earlier run, simulated time 15 min. Model: fv3")
                for path in (f"{name}/maps/deposit.png", "later.png", "alone.png"):
                    self.assertIn(said, self.text_chunks(self.path(path))["assumptions"].replace("\u00a0", " "), path)
                page = json.loads(re.search(r'\n"assumed":(".*"),\n', case.read_text(self.path("later.html")))[1])
                self.assertIn(said, page.replace("\u00a0", " ").replace("\n", " "))
        self.sciara("resume", "early", "-q", "-o", "same", "--until", "40 min")
        self.assertEqual(case.record(self.path("same"))["emission"], {"volume_m3": 6000, "begin_s": 0, "end_s": 1200, "peak_m3_s": 6})
        self.assertIn("Assumed eruption: 6000 m³ in 20 min, at most 6 m³/s. Vents: 1. Model",
                      self.text_chunks(self.path("same/maps/deposit.png"))["assumptions"].replace("\u00a0", " "))

    def test_diagnostics(self):
        for code, message, args in (
                (2, "--language: expected a language of en|it|fr|es|is, found \"de\"".replace("|", r"\|"), ("-f", "png", "--language", "de")),
                (2, '--extent: expected lava, dem, X0,Y0,X1,Y1, degrees such as 14.9E,37.6N,15.1E,37.8N, or the name of a place on the map \\(--assets FILE of a run, a site of an ensemble\\); found "1,2,3"', ("-f", "png", "--extent", "1,2,3")),
                (2, "extent: 0,0,1,1 lies outside the map", ("-f", "png", "--extent", "0,0,1,1")),
                (2, '--issued: expected a date such as 2026-05-10, .*found "2026-06-31"', ("-f", "png", "--issued", "2026-06-31")),
                (2, "--valid-until: expected a date after --issued 2026-05-10, found 2026-05-09",
                 ("-f", "png", "--issued", "2026-05-10", "--valid-until", "2026-05-09")),
                (2, "--valid-until: expected a date after the start of the forecast, 2006-07-14T23:30:00Z, found 2006-07-13", ("-f", "png", "--valid-until", "2006-07-13")),
                (3, "s.json: expected a PNG file as logo", ("-f", "png", "--logo", "s.json")),
                (3, "run/dem.tif: expected a picture with 8 bits per channel, found Float64", ("-f", "png", "--background", "run/dem.tif")),
                (4, "URLs and /vsi file systems", ("-f", "png", "--background", "/vsicurl/http://localhost/x.tif")),
                (2, "--format cog has no option --logo", ("-f", "cog", "--logo", "x.png")),
                (2, r'--width: expected a whole number of pixels from 320 to 10000, found "12"', ("-f", "png", "--width", 12)),
                (2, r'--width: expected .*found "400.5"', ("-f", "png", "--width", 400.5)),
                (2, "--format cog has no option --stamp", ("-f", "cog", "--stamp", "X")),
                (4, "none.gpkg: ", ("-f", "png", "--observed", "none.gpkg")),
                (3, r"s\.json: ", ("-f", "png", "--observed", "s.json"))):
            done = self.sciara("export", "run", "-q", "-o", "refused.png", *args, code=code)
            self.assertRegex(done.stderr, message)
            self.assertFalse(os.path.exists(self.path("refused.png")), args)
        shutil.copy(self.path("run", case.record(self.path("run"))["snapshots"][0]["name"]), self.path("lone.nc"))
        done = self.sciara("export", "lone.nc", "-f", "frames", code=3)
        self.assertRegex(done.stderr, r"lone\.nc: expected a run, found a single snapshot: --format frames is made from the folder of a run")
        self.assertFalse(os.path.exists(self.path("lone.deposit.frames")))

    def titled(self, title, **options):
        """Exports a run with that title; returns the messages and the picture."""
        self.sciara("run", "s.json", "-q", "-n", 3, "-o", "titled", "--overwrite", "--set", f"title={title}")
        done = self.sciara("export", "titled", "-f", "png", "--width", 320, "-o", "titled.png", "--overwrite", **options)
        return done.stderr, pixels(self.path("titled.png"))

    def test_titles_of_other_scripts(self):
        seen = []
        for title in ("Извержение Этны", "Έκρηξη της Αίτνας", "桜島の噴火", "ثوران بركان إتنا", "<i>Etna</i> & Ætna"):
            said, image = self.titled(title)
            self.assertNotIn("characters of the title", said, title)
            head = image[:45]
            self.assertGreater((head < 128).all(axis=2).sum(), 300, title)
            self.assertFalse(any(numpy.array_equal(head, other) for other in seen), title)
            seen.append(head)

    def test_characters_without_a_font(self):
        said, _ = self.titled("Etna \ue123\ue124")  # for private use
        self.assertIn("titled.png: no installed font has 2 of the characters of the title", said)

    def test_names_without_a_font(self):
        """Of places; those of title, credits and stamp are counted for themselves."""
        case.write_json(self.path("private.geojson"), {"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"name": "a\ue123"}, "geometry": {"type": "Point", "coordinates": [15.0023, 37.7415]}},
            {"type": "Feature", "properties": {"name": "b"}, "geometry": {"type": "Point", "coordinates": [15.0013, 37.7405]}}]})
        export = lambda *args: self.sciara("export", "run", "-f", "png", "-o", "names.png", "--overwrite", *args).stderr
        said = export("--assets", "private.geojson", "--title", "Etna \ue123\ue124", "--credits", "\ue123\ue124\ue125", "--stamp", "x\ue123")
        self.assertEqual(re.findall(r"has (\d+) of the characters of the (\w+)", said),
                         [("2", "title"), ("1", "stamp"), ("3", "credits"), ("1", "names")])
        self.assertNotIn("of the names", export("--title", "Etna \ue123\ue124", "--credits", "\ue123\ue124\ue125", "--stamp", "x\ue123"))

    def test_without_fonts(self):
        said, image = self.titled("Etna", env={**os.environ, "FONTCONFIG_FILE": self.path("none.conf")})
        self.assertIn("titled.png: has no text, because no font is installed", said)
        self.assertNotIn("Fontconfig", said)
        self.assertGreater(map_of(image).shape[0], 100)
        self.assertTrue((image[:30] == 255).all())

    def test_fonts_are_for_pictures_alone(self):
        """Fontconfig reports an invalid configuration when it is initialised: only pictures initialise it."""
        case.write_text(self.path("bad.conf"), "no XML")
        env = {**os.environ, "FONTCONFIG_FILE": self.path("bad.conf")}
        self.assertIn("Fontconfig", self.titled("Etna", env=env)[0])
        for args in (("--version",), ("info", "run"), ("check", "s.json"), ("run", "s.json", "-n", 2, "-o", "no-text", "--set",
                     "output.maps=[]"), ("export", "run", "-f", "cog", "-o", "x.tif"), ("engines",)):
            self.assertNotIn("Fontconfig", self.sciara(*args, env=env).stderr, args)
