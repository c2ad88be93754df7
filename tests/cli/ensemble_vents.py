# SPDX-License-Identifier: Apache-2.0
"""Vents of an ensemble and their weights, compared with sums written independently: rasters, kernels, grids, lines, fissures."""
import json
import math
import os
import re
import subprocess

import case
from case import CELL, COLS, NORTH, ROWS, SOUTH, WEST, Case

EXTENT = [WEST + 100, SOUTH + 50, WEST + 350, SOUTH + 250]


def density(row, col):
    """Of vent openings: rough, and 0 in places, so that a neighbour's value is another one."""
    return ((row * 13 + col * 7) % 11) ** 2 * (1 + col // 8)


def centre(row, col):
    return WEST + (col + 0.5) * CELL, NORTH - (row + 0.5) * CELL


def cells():
    return [(row, col) for row in range(ROWS) for col in range(COLS)]


def length_inside(a, b, row, col):
    """The length of the segment from a to b in a cell: what remains of it between the four sides."""
    first, last = 0.0, 1.0
    for k, low in ((0, WEST + col * CELL), (1, NORTH - (row + 1) * CELL)):
        d = b[k] - a[k]
        if d == 0:
            if not low <= a[k] < low + CELL:
                return 0
            continue
        ends = sorted(((low - a[k]) / d, (low + CELL - a[k]) / d))
        first, last = max(first, ends[0]), min(last, ends[1])
    return max(0, last - first) * math.dist(a, b)


def along(line, of):
    """A density integrated over a line: its value in each cell times the length there."""
    return sum(of(*cell) * length_inside(a, b, *cell) for a, b in zip(line, line[1:]) for cell in cells())


def in_square(x, y, side, of):
    """A density integrated over a square, in areas of cells: each value times the part of its cell in the square."""
    def part(low, middle):
        return max(0, min(low + CELL, middle + side / 2) - max(low, middle - side / 2)) / CELL
    return sum(of(*cell) * part(centre(*cell)[0] - CELL / 2, x) * part(centre(*cell)[1] - CELL / 2, y) for cell in cells())


def simpson(f, low, high, count=400):
    h = (high - low) / count
    return h / 3 * math.fsum(f(low + k * h) * (1 if k in (0, count) else 2 + 2 * (k % 2)) for k in range(count + 1))


class Kernel:
    """Gaussian kernels around past vents, round or stretched along an azimuth."""

    def __init__(self, past, along, across, azimuth):
        self.past = past
        sine, cosine = math.sin(math.radians(azimuth)), math.cos(math.radians(azimuth))
        # The exponent is -(a x^2 + 2 b x y + c y^2) / 2.
        self.a = (sine / along) ** 2 + (cosine / across) ** 2
        self.c = (cosine / along) ** 2 + (sine / across) ** 2
        self.b = sine * cosine * (along ** -2 - across ** -2)
        self.total = len(past) * 2 * math.pi * along * across

    def at(self, x, y):
        return sum(math.exp(-0.5 * (self.a * (x - u) ** 2 + 2 * self.b * (x - u) * (y - v) + self.c * (y - v) ** 2)) for u, v in self.past)

    def in_box(self, west, south, east, north):
        """Over y with the error function, over x with Simpson's rule; the half of it, erfc, where it is precise far out too."""
        a, b, c = self.a, self.b, self.c

        def strip(x, low, high):
            low, high = ((y + b * x / c) * math.sqrt(c / 2) for y in (low, high))
            if low > 0:
                low, high = -high, -low
            upper = math.erf(high) - math.erf(low) if high > 0 else math.erfc(-high) - math.erfc(-low)
            return math.exp(-0.5 * (a - b * b / c) * x * x) * math.sqrt(math.pi / (2 * c)) * upper
        far = 10 / math.sqrt(a - b * b / c)
        ends = [(max(west - u, -far), min(east - u, far)) for u, _ in self.past]
        return sum(simpson(lambda x, v=v: strip(x, south - v, north - v), *x) for x, (_, v) in zip(ends, self.past) if x[0] < x[1])

    def along(self, line):
        return sum(simpson(lambda t, p=p, q=q: self.at(p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])), 0, 1) * math.dist(p, q)
                   for p, q in zip(line, line[1:]))


class Vents(Case):
    def prepare_test(self):
        self.write_scenario("base.json", vents=[{"x": WEST + 205, "y": SOUTH + 225, "effusion": {"slot": "10 min", "rates_m3_s": [4]}}])
        case.write_grid(self.path("density.asc"), density)

    def plan(self, vents, code=0, **parts):
        """The rows of members.csv; the message, with another exit code."""
        case.write_json(self.path("e.json"), {"base": "base.json", "vents": vents, "sample": {"method": "full"}, **parts})
        folder = self.folder = f"out{len(os.listdir(self.work))}"
        done = self.sciara("ensemble", "plan", "e.json", "-o", folder, "--no-estimate", code=code)
        self.said = done.stderr
        if code:
            return done.stderr
        return case.read_rows(self.path(folder, "members.csv"))

    def places(self, rows):
        return [(float(r["vents.0.x"]), float(r["vents.0.y"])) for r in rows]

    def lines(self, rows):
        return [[tuple(p) for p in json.loads(r["vents.0.line"])] for r in rows]

    def assert_weights(self, rows, expected):
        """The weights are `expected` divided by its sum; vents without one are left out."""
        expected = [w / sum(expected) for w in expected if w > 0]
        self.assertEqual(len(rows), len(expected))
        self.assertGreater(max(expected), 1.1 * min(expected), "a test in which all weights are equal")
        for row, weight in zip(rows, expected):
            self.assertAlmostEqual(float(row["weight"]) / weight, 1, delta=1e-10, msg=row)  # sines are rounded to 2^-40

    def squares(self, step):
        """The centres inside EXTENT, and how far the last squares extend beyond its east and its south."""
        count = [round((EXTENT[k + 2] - EXTENT[k]) / step) for k in (0, 1)]
        return ([(EXTENT[0] + (j + 0.5) * step, EXTENT[3] - (i + 0.5) * step) for i in range(count[1]) for j in range(count[0])],
                [count[k] * step - (EXTENT[k + 2] - EXTENT[k]) for k in (0, 1)])

    def test_raster_in_squares(self):
        """Sides that are a multiple of the cells, and others, which contain parts of cells."""
        for step in (50, 35, 15, 7):
            with self.subTest(step):
                rows = self.plan({"grid": {"extent": EXTENT, "step_m": step}, "weights": {"raster": "density.asc"}})
                weights = [in_square(x, y, step, density) for x, y in self.squares(step)[0]]
                self.assertEqual(self.places(rows), [p for p, w in zip(self.squares(step)[0], weights) if w > 0])
                self.assert_weights(rows, weights)

    def test_extent(self):
        """It has the squares of the polygon of its corners; what they leave of it, or what they extend beyond it, is said."""
        west, south, east, north = EXTENT
        for step in (50, 30, 35, 60):
            with self.subTest(step):
                centres, over = self.squares(step)
                rows = self.plan({"grid": {"polygon": [[west, south], [east, south], [east, north], [west, north]], "step_m": step}})
                self.assertNotIn("step_m", self.said)
                self.assertEqual(self.places(rows), centres)
                self.assertEqual(self.places(self.plan({"grid": {"extent": EXTENT, "step_m": step}})), centres)
                for side, size in zip(("eastern", "southern"), over):
                    expected = (f"squares extend {size} m beyond its {side} side" if size > 0 else
                                f"a strip of {-size} m along its {side} side has no vents" if size < 0 else None)
                    self.assertEqual(f"{side} side" in self.said, bool(expected))
                    if expected:
                        self.assertIn(f"vents.grid.extent: is no multiple of step_m ({step} m): {expected}\n", self.said)

    def test_raster_at_points(self):
        """The value of the cell: two vents in one cell have the same weight; without a density there is no vent."""
        at = [(row, col) for row, col in cells() if row > 3 and row % 5 == 1 and 1 < col < COLS - 1 and col % 6 == 1]
        at += [cell for cell in cells() if density(*cell) == 0 and 5 < cell[0] < 9 and 5 < cell[1] < 30]
        shifts = [(-4.9, 4.9), (4.9, -4.9)]
        table = [(x + dx, y + dy) for x, y in (centre(*cell) for cell in at) for dx, dy in shifts]
        self.write("vents.csv", "y,x\n" + "".join(f"{y!r},{x!r}\n" for x, y in table))
        weights = [density(*cell) for cell in at for _ in shifts]
        self.assertIn(0, weights)
        rows = self.plan({"table": "vents.csv", "weights": {"raster": "density.asc"}})
        self.assert_weights(rows, weights)
        self.assertEqual(self.places(rows), [p for p, w in zip(table, weights) if w > 0])

    def test_forms_of_tables(self):
        """Tables of spreadsheets and other programs are the plain one: the same places and weights; points of kernels too."""
        at = [(500150.5, 4177180, 1), (500203.5, 4177141.25, 2.5), (500290, 4177102, 0.5)]
        plain = "x,y,p\n" + "".join(f"{x},{y},{p}\n" for x, y, p in at)
        commas = plain.replace(",", ";").replace(".", ",")
        forms = {"semicolons": plain.replace(",", ";"), "decimal commas": commas, "crlf": "sep=;\n" + commas.replace("\n", "\r\n") + ";;\r\n",
                 "tabs": plain.replace(",", "\t"), "blanks": plain.replace(",", "  "), "blanks after commas": plain.replace(",", ", "),
                 "capitals": plain.replace("x,y,p", "X,Y,P"), "units": plain.replace("x,y", "Easting (m),Northing [m]"),
                 "quotes": "# a\n" + plain.replace("x,y,p", '"x" , "y","p"'), "mark": "\ufeff" + plain,
                 "others": "id;" + commas.replace("\n", "\n7;", 3)}
        kernel = {"points": "vents.csv", "bandwidth_m": 40}
        grid = {"extent": EXTENT, "step_m": 50}
        self.write("vents.csv", plain)
        expected = self.plan({"grid": grid, "weights": {"kernel": kernel}})
        for name, text in forms.items():
            with self.subTest(name):
                self.write("vents.csv", text)
                rows = self.plan({"table": "vents.csv", "weights": {"column": "p"}})
                self.assertEqual(self.places(rows), [(x, y) for x, y, _ in at])
                self.assert_weights(rows, [p for _, _, p in at])
        self.assertEqual(self.plan({"grid": grid, "weights": {"kernel": kernel}}), expected)
        for text, message in (("lon;lat\n15;37\n", "./vents.csv:2: expected longitude and latitude on the DEM (lon 15 to 15.0045, lat 37.7403 to 37.743), found lon 15, lat 37"),
                              ("x;y\n500150,5;4177180.5\n", './vents.csv:2: y: expected a decimal comma, as before, found "4177180.5"'),
                              ("x,y\n15.0023,37.7415\n", "./vents.csv:2: expected metres in the CRS of the DEM, found 15.0023, 37.7415, which are longitude and latitude"),
                              ("x,X,y\n1,2,3\n", './vents.csv:1: expected one column of x, found "x" and "X"'),
                              ("x,y\n4,177,180\n", "./vents.csv:2: expected 2 values separated by commas, found 3")):
            with self.subTest(text):
                self.write("vents.csv", text)
                self.assertIn(message, self.plan({"table": "vents.csv"}, code=3))

    def test_raster_along_fissures(self):
        """Points become the middles of fissures; azimuths are clockwise from north."""
        self.write("vents.csv", "x,y\n500150,4177183\n500203.5,4177141\n500290,4177102\n")
        for azimuth in (0, 30, 90, 145):
            with self.subTest(azimuth):
                rows = self.plan({"table": "vents.csv", "fissures": {"length_m": 73, "azimuth_deg": azimuth},
                                  "weights": {"raster": "density.asc"}})
                d = [36.5 * f(math.radians(azimuth)) for f in (math.sin, math.cos)]
                expected = [[(x - d[0], y - d[1]), (x + d[0], y + d[1])]
                            for x, y in ((500150, 4177183), (500203.5, 4177141), (500290, 4177102))]
                found = self.lines(rows)
                for a, b in zip(found, expected):
                    for p, q in zip(a, b):
                        self.assertLess(math.dist(p, q), 1.5e-6)
                self.assert_weights(rows, [along(line, density) for line in found])

    def test_kernels(self):
        """In squares, at points and along fissures; also kernels that are much narrower than a cell, and squares much larger."""
        past = [(500180, 4177200), (500230, 4177120), (500301, 4177152)]
        self.write("past.csv", "x,y\n" + "".join(f"{x},{y}\n" for x, y in past))
        at = [(500150, 4177180), (500203.5, 4177141), (500290, 4177100)]
        self.write("vents.csv", "x,y\n" + "".join(f"{x},{y}\n" for x, y in at))
        self.write("near.csv", "x,y\n" + "".join(f"{x + 8 * k},{y - 2}\n" for k, (x, y) in enumerate(past)))
        for part, *shape in (({"bandwidth_m": 40}, 40, 40, 0), ({"bandwidth_m": 3}, 3, 3, 0),
                             ({"bandwidths_m": [60, 15], "azimuth_deg": 35}, 60, 15, 35),
                             ({"bandwidths_m": [9, 30], "azimuth_deg": 160}, 9, 30, 160)):
            kernel, weights = Kernel(past, *shape), {"kernel": {"points": "past.csv", **part}}
            with self.subTest(part):
                for step in (50, 24) if shape[2] == 35 else (50,):
                    boxes = [(x - step / 2, y - step / 2, x + step / 2, y + step / 2) for x, y in self.squares(step)[0]]
                    expected = [kernel.in_box(*box) for box in boxes]
                    rows = self.plan({"grid": {"extent": EXTENT, "step_m": step}, "weights": weights})
                    self.assert_weights_of(rows, self.squares(step)[0], expected, 4e-9)
                    outside = 1 - sum(expected) / kernel.total
                    self.assert_share("outside the squares of vents.grid", outside)
                    self.assert_share("outside the DEM", 1 - kernel.in_box(WEST, SOUTH, WEST + COLS * CELL, NORTH) / kernel.total)
                    declared = case.read_json(self.path(self.folder, "ensemble.json"))["declared"]
                    self.assertAlmostEqual(declared.get("density_outside", 0), outside, delta=2e-6)
                table = "near.csv" if min(shape[:2]) < 10 else "vents.csv"
                rows = self.plan({"table": table, "weights": weights})
                self.assert_weights(rows, [kernel.at(*p) for p in self.places(rows)])
                rows = self.plan({"table": table, "weights": weights, "fissures": {"length_m": 60, "azimuth_deg": 70}})
                self.assert_weights(rows, [kernel.along(line) for line in self.lines(rows)])

    def test_past_vents_off_the_dem(self):
        """They are kernels as others, in degrees too."""
        kernel = Kernel([(500180, 4177200), (500430, 4177120)], 60, 60, 0)
        for text in ("x,y\n500180,4177200\n500430,4177120\n", "lon,lat\n15.00204304193,37.74208999924\n15.00488055281,37.74136885218\n"):
            self.write("past.csv", text)
            rows = self.plan({"grid": {"extent": EXTENT, "step_m": 50}, "weights": {"kernel": {"points": "past.csv", "bandwidth_m": 60}}})
            boxes = [(x - 25, y - 25, x + 25, y + 25) for x, y in self.squares(50)[0]]
            self.assert_weights_of(rows, self.squares(50)[0], [kernel.in_box(*box) for box in boxes], 1e-6)
        self.write("past.csv", "lon,lat\n37.74208999924,15.00204304193\n")
        self.assertIn("the other way round it lies there", self.plan({"grid": {"extent": EXTENT, "step_m": 50}, "weights": {
            "kernel": {"points": "past.csv", "bandwidth_m": 60}}}, code=3))

    def assert_weights_of(self, rows, places, expected, least):
        """Weights of vents at these places; those with less than the part `least` may be missing."""
        found = {p: float(r["weight"]) for p, r in zip(self.places(rows), rows)}
        for place, weight in zip(places, expected):
            self.assertAlmostEqual(found.pop(place, 0), weight / sum(expected), delta=least * max(expected) / sum(expected), msg=place)
        self.assertEqual(found, {})

    def assert_share(self, where, share):
        """The part of the density without vents, in percent with 3 digits; nothing is said of less than 0.0001 %."""
        line = next((line for line in self.said.splitlines() if line.endswith(where)), None)
        self.assertEqual(line is not None, share > 1e-6, (line, share))
        if line:
            self.assertAlmostEqual(float(line.split("vents.weights: ")[1].split()[0]) / (100 * share), 1, delta=6e-3)

    def test_polygon(self):
        """Squares of the box around a polygon, from its north-west corner, whose centres lie inside."""
        west, north, step = 500095, 4177255, 20

        def is_inside(x, y):  # a triangle with its right angle in the north-west
            return x > west and y < north and (x - west) / 240 + (north - y) / 180 < 1
        rows = self.plan({"grid": {"polygon": [[west, north], [west + 240, north], [west, north - 180]], "step_m": step}})
        every = [(west + (j + 0.5) * step, north - (i + 0.5) * step) for i in range(9) for j in range(12)]
        self.assertEqual(self.places(rows), [p for p in every if is_inside(*p)])
        self.assertEqual(len({r["weight"] for r in rows}), 1)

    def test_line(self):
        """Points in equal distances along a line with a corner."""
        for every in (30, 20):  # not at the corner and the end, and there
            rows = self.plan({"line": {"coordinates": [[500100, 4177100], [500100, 4177200], [500220, 4177200]], "every_m": every}})
            expected = [(500100, 4177100 + d) if d <= 100 else (500000 + d, 4177200) for d in range(0, 221, every)]
            self.assertEqual(len(rows), len(expected))
            for found, place in zip(self.places(rows), expected):
                self.assertLess(math.dist(found, place), 1e-6)

    def test_vents_of_scenarios(self):
        """On the page one that both members have weighs as much as the two places of the other."""
        base = case.read_json(self.path("base.json"))
        case.write_json(self.path("two.json"), base | {"vents": base["vents"] * 2, "run": {"until": "15 min"}})
        case.write_json(self.path("e.json"), {"base": "two.json", "sample": {"method": "full"},
                                              "vary": [{"key": "vents.1.x", "values": [WEST + 105, WEST + 155]}]})
        self.sciara("ensemble", "run", "e.json", "-q", "-o", "e")
        self.sciara("ensemble", "export", "e", "-q", "--format", "html", "-o", "e.html")
        found = re.findall(r'"weight":(\S+),"points":\[\[([\d.]+)', case.read_text(self.path("e.html")))
        self.assertEqual(sorted((float(column), float(weight)) for weight, column in found), [(10.5, 0.5), (15.5, 0.5), (20.5, 1)])

    def test_lines_of_a_file(self):
        """Each line is a fissure; its weight is 1, or the density times the length."""
        shapes = [[[500120, 4177100], [500180, 4177180], [500260, 4177200]], [[500150, 4177080.5], [500250, 4177080.5]]]
        case.write_features(self.path("f.geojson"), *(({}, "LineString", shape) for shape in shapes))
        rows = self.plan({"fissures": {"file": "f.geojson"}})
        self.assertEqual([[list(p) for p in line] for line in self.lines(rows)], shapes)
        self.assertEqual([r["weight"] for r in rows], ["0.5", "0.5"])
        rows = self.plan({"fissures": {"file": "f.geojson"}, "weights": {"raster": "density.asc"}})
        self.assert_weights(rows, [along(line, density) for line in self.lines(rows)])
        self.write("past.csv", "x,y\n500180,4177170\n")
        rows = self.plan({"fissures": {"file": "f.geojson"}, "weights": {"kernel": {
            "points": "past.csv", "bandwidths_m": [60, 25], "azimuth_deg": 35}}})
        self.assert_weights(rows, [Kernel([(500180, 4177170)], 60, 25, 35).along(line) for line in self.lines(rows)])
        refused = self.plan({"fissures": {"file": "f.geojson"}, "weights": {"column": "p"}}, code=3)
        self.assertIn("a column only with vents.table", refused)

    def test_fissures_as_published(self):
        """Those of a file have its names; a warning tells of features without geometry, and of those that are several vents."""
        west, east, south = ([[500120 + x, 4177100 - x], [500180 + x, 4177180 - x]] for x in (0, 20, 40))
        case.write_features(self.path("f.geojson"), ({"Name": "F8"}, "LineString", west), ({"Name": "F9"}, "MultiLineString", [east, south]),
                            ({"Name": "F10"}, "LineString", []), ({"Name": ""}, "LineString", south))
        case.write_json(self.path("f.geojson"), case.read_json(self.path("f.geojson")) | {"features": [
            *case.read_json(self.path("f.geojson"))["features"], {"type": "Feature", "properties": {"Name": "F11"}, "geometry": None}]})
        case.write_json(self.path("e.json"), {"base": "base.json", "vents": {"fissures": {"file": "f.geojson"}}, "sample": {"method": "full"}})
        said = self.sciara("ensemble", "plan", "e.json", "-o", "named", "--no-estimate").stderr
        vents = case.read_json(self.path("named", "ensemble.json"))["vents"]
        self.assertEqual([vent["name"] for vent in vents], ["F8", "F9", "F9", "vent 4"])
        self.assertEqual([vent["points"] for vent in vents], [west, east, south, south])
        self.assertIn("warning: ./f.geojson: 2 features have no geometry and are left out\n", said)
        self.assertIn("warning: e.json: vents.fissures.file: ./f.geojson has features of several lines: each line is a vent of its own", said)
        case.write_features(self.path("f.geojson"), ({}, "LineString", west), ({}, "MultiLineString", [south]))
        self.assertNotIn("warning", self.sciara("ensemble", "check", "e.json", "--no-estimate").stderr)

    def test_points_of_a_file(self):
        """Each point of a vector file is a vent, in any CRS and without names, all with one weight; lines and columns are refused."""
        places = [[500150.25, 4177100], [500180, 4177180]]
        case.write_features(self.path("p.geojson"), *(({}, "Point", place) for place in places))
        rows = self.plan({"table": "p.geojson"})
        self.assertEqual([([float(r["vents.0.x"]), float(r["vents.0.y"])], r["weight"]) for r in rows], [(place, "0.5") for place in places])
        self.assertIn("expected a CSV file with the column of weights", self.plan({"table": "p.geojson", "weights": {"column": "p"}}, code=3))
        case.write_features(self.path("l.geojson"), ({}, "LineString", places))
        self.assertIn("lines are fissures.file", self.plan({"table": "l.geojson"}, code=3))

    def test_jitter(self):
        """At most jitter_m in x and in y, over the whole square; both ends of a fissure move alike."""
        self.write("vents.csv", "x,y\n500200,4177150\n")
        draw = {"sample": {"method": "lhs", "count": 64, "replicates": 8, "seed": 5}}
        points = self.places(self.plan({"table": "vents.csv", "jitter_m": 7}, **draw))
        lines = self.lines(self.plan({"table": "vents.csv", "jitter_m": 7, "fissures": {"length_m": 40, "azimuth_deg": 90}}, **draw))
        shifts = [(x - 500200, y - 4177150) for x, y in points]
        self.assertEqual(len(shifts), 512)
        for k in (0, 1):  # a Latin hypercube has one point in each of 64 strips
            for first in range(0, 512, 64):
                strips = sorted(int((s[k] / 7 + 1) / 2 * 64) for s in shifts[first:first + 64])
                self.assertEqual(strips, list(range(64)))
        self.assertLess(abs(sum(x * y for x, y in shifts)) / 512, 0.1 * 49 / 3, "x and y depend on each other")
        for line, (x, y) in zip(lines, points):
            for (u, v), dx in zip(line, (-20, 20)):
                self.assertLess(math.dist((u, v), (x + dx, y)), 1e-5)

    def test_bad_densities(self):
        """Messages name the file and the cell; a density of another grid, or none where all vents are, is refused."""
        text = case.read_text(self.path("density.asc")).splitlines()
        grid = {"extent": EXTENT, "step_m": 50}
        row = text[10].split()
        row[6] = "-2"
        for name, lines, expected in (("negative", text[:10] + [" ".join(row)] + text[11:], "of 0 or more, found -2 in row 4, column 6"),
                                      ("zero", text[:6] + [" ".join(["0"] * COLS)] * ROWS, "found the sum 0 of 20 vents"),
                                      ("other", [text[0], text[1], f"xllcorner {WEST + 5}", *text[3:]], "grid")):
            with self.subTest(name):
                self.write(f"{name}.asc", "\n".join(lines) + "\n")
                self.assertIn(expected, self.plan({"grid": grid, "weights": {"raster": f"{name}.asc"}}, code=3))
        subprocess.run(["gdal_translate", "-q", "-a_srs", "EPSG:32632", self.path("density.asc"), self.path("other.tif")], check=True)
        grids = "expected the CRS of the DEM, WGS 84 / UTM zone 33N (EPSG:32633); found WGS 84 / UTM zone 32N (EPSG:32632)"
        self.assertIn(f"vents.weights.raster: ./other.tif: {grids}",
                      self.plan({"grid": grid, "weights": {"raster": "other.tif"}}, code=3))
        self.write_scenario("lava.json", initial={"thickness": "other.tif"})
        self.assertIn(f"initial.thickness: ./other.tif: {grids}", self.sciara("check", "lava.json", code=3).stderr)
        self.assertIn("missing.asc", self.plan({"grid": grid, "weights": {"raster": "missing.asc"}}, code=4))
        self.write("past.csv", "x,y\n")
        self.assertIn("bandwidths_m: expected one that is at most 1000 times the other, found 9000 and 4 m", self.plan(
            {"grid": grid, "weights": {"kernel": {"points": "past.csv", "bandwidths_m": [9000, 4], "azimuth_deg": 1}}}, code=3))
        self.assertIn("expected at least one point", self.plan({"grid": grid, "weights": {"kernel": {"points": "past.csv", "bandwidth_m": 9}}}, code=3))
