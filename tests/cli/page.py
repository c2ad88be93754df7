# SPDX-License-Identifier: Apache-2.0
"""The page of sciara export --format html in a browser, opened from its file: slider, play, click, hover, keys."""
import os
import re

import browser
import case
import geo
from browser import BrowserCase
from case import open_snapshot, record

import numpy
from osgeo import gdal

browser.skip_without()
TITLE = 'slope </script><script>document.title = "taken over"</script>'
PIXELS = f"""(() => {{ {browser.COPY}
  const pixels = copy.getImageData(0, 0, map.width, map.height).data;
  let lava = 0;
  for (let i = 0; i < pixels.length; i += 4) lava += pixels[i] > pixels[i + 2] + 40;
  return lava; }})()"""


class BrowserPage(BrowserCase):
    @classmethod
    def prepare(cls):
        case.write_scenario(cls.work, title=TITLE, run={"max_time": "60 min"},
                            output={"fields": case.FIELDS, "dtype": "float64", "every": "10 min"})
        case.run_program("run", "s.json", "-q", "-o", "run", cwd=cls.work)
        case.write_json(os.path.join(cls.work, "seen.geojson"), {"type": "Polygon", "coordinates": [
            [[15.001, 37.74], [15.004, 37.74], [15.004, 37.742], [15.001, 37.74]]]})
        case.run_program("export", "run", "-q", "-f", "html", "-o", "page.html", "--observed", "seen.geojson",
                         cwd=cls.work)
        cls.stored = [open_snapshot(os.path.join(cls.work, "run", one["name"]))
                      for one in record(cls.work + "/run")["snapshots"]]
        cls.start_browser()

    def setUp(self):
        self.open("page.html")

    def tearDown(self):
        self.assertEqual(self.browser.complaints, [], "errors in the browser")
        self.assertEqual(self.browser.requests, [f"file://{self.path('page.html')}"], "what was loaded")

    def on(self, name, script):
        return self.browser.evaluate(f"document.getElementById('{name}').{script}")

    def go_to(self, frame):
        self.on("slider", "focus()")
        self.browser.key("Home")
        for _ in range(frame):
            self.browser.key("ArrowRight")
        self.assertEqual(self.on("slider", "value"), str(frame))

    def place_of(self, row, col):
        """The position of the centre of a cell on the screen, the map not zoomed."""
        box = self.browser.evaluate("(({x, y, width, height}) => [x, y, width, height])"
                                    "(document.getElementById('map').getBoundingClientRect())")
        scale = min(box[2] / case.COLS, box[3] / case.ROWS)
        left, top = box[0] + (box[2] - scale * case.COLS) / 2, box[1] + (box[3] - scale * case.ROWS) / 2
        return left + (col + 0.5) * scale, top + (row + 0.5) * scale

    def colour_of(self, row, col):
        return self.browser.evaluate(f"{browser.COLOURS}([{list(self.place_of(row, col))}])")[0]

    def data(self, part):
        return self.browser.evaluate(f"JSON.parse(document.getElementById('data').textContent).{part}")

    def cells(self, frame):
        """A few cells with lava and one without, of a snapshot."""
        deposit = self.stored[frame].deposit.values[0]
        wet = [(r, c) for r in range(case.ROWS) for c in range(case.COLS) if deposit[r, c] > 0]
        return [wet[0], wet[len(wet) // 2], wet[-1], (case.ROWS - 1, 0)]

    def assert_shown(self, field, shown, frame, row, col):
        """The page shows the value of the snapshot for a cell, within one step."""
        value = float(self.stored[frame][field].values[0, row, col])
        if value <= 0 and not (field == "arrival_time" and value == 0):
            self.assertEqual(shown, "no lava", f"{field} of {value}")
            return
        self.assertRegex(shown, r"^\S+ (m|K|s|h|d)$", f"{field} of {value} in row {row}, column {col} of frame {frame}")
        number, unit = shown.split(" ")
        size = {"h": 3600, "d": 86400}.get(unit, 1)
        digits = len(number.partition(".")[2])
        step = self.browser.evaluate(f"JSON.parse(document.getElementById('data').textContent).fields"
                                     f".find((one) => one.name === '{field}').step")
        self.assertLessEqual(abs(float(number) * size - value), max(step, 0.5 * size * 10 ** -digits),
                             f"{field} of {value}: {shown}")

    def test_it_starts_with_the_last_frame(self):
        self.assertEqual(self.on("slider", "value"), str(len(self.stored) - 1))
        self.assertIn(f"step {self.stored[-1].attrs['step']}", self.text("when"))
        self.assertEqual((self.text("title"), self.browser.evaluate("document.title")), (TITLE, TITLE))
        self.assertIn("Values are stored in steps of ", self.text("quantisation"))
        self.assertIn('"cooling": 150', self.text("scenario"))
        self.assertEqual(self.text("assumed").replace("\u00a0", " "), "Assumed eruption: 6000 m³ in 20 min, at most 6 m³/s. Vents: 1.\n"
                         "Model: fv3 (thesis-etna-2006; cooling parameter 150 m²). DEM: dem.asc, 30 × 40.")
        self.assertGreater(self.on("assumed", "getBoundingClientRect().height"), 20)

    def test_the_slider_moves_the_frame(self):
        found = []
        for frame in range(len(self.stored)):
            self.go_to(frame)
            minutes, seconds = divmod(int(self.stored[frame].time.values[0]), 60)
            time = f"{minutes} min" + (f" {seconds} s" if seconds else "")
            if minutes >= 60:  # rounded to minutes
                hours, minutes = divmod(minutes + (seconds >= 30), 60)
                time = f"{hours} h" + (f" {minutes} min" if minutes else "")
            self.assertTrue(self.text("when").startswith(time + " "), (self.text("when"), time))
            self.assertIn(f"step {self.stored[frame].attrs['step']}", self.text("when"))
            shown = re.search(r"Emitted(\S+) m", self.text("ledger"))[1].replace(",", "")
            self.assertAlmostEqual(float(shown) / self.stored[frame].attrs["ledger_emitted_m3"], 1, delta=1e-9)
            found.append(self.browser.evaluate(PIXELS))
        self.assertGreater(found[0], 100, "pixels with lava")
        self.assertGreater(found[-1], 1.2 * found[0], "pixels with lava, in the end and at first")

    def test_a_click_shows_the_value(self):
        for frame in (0, len(self.stored) // 2, len(self.stored) - 1):
            self.go_to(frame)
            for row, col in self.cells(frame):
                self.browser.click(*self.place_of(row, col))
                x, y = case.WEST + (col + 0.5) * case.CELL, case.NORTH - (row + 0.5) * case.CELL
                self.assertIn(f"row {row}, column {col}; x {x:.0f} m, y {y:.0f} m; ", self.text("cell"))
                for field in ("deposit", "thickness", "temperature", "arrival_time"):
                    self.assert_shown(field, self.text(f"value-{field}"), frame, row, col)
        self.go_to(0)
        late = next(cell for cell in self.cells(len(self.stored) - 1) if not self.stored[0].arrival_time.values[0][cell] >= 0)
        self.browser.click(*self.place_of(*late))
        for field in ("deposit", "arrival_time"):
            self.assertEqual(self.text(f"value-{field}"), "no lava", "not yet")

    def test_colours_of_the_scale(self):
        """The hue of a cell is that of its value on the ramp; the light of the ground changes the brightness alone."""
        self.on("vents", "click()")
        field = self.data("fields.find((one) => one.name === 'deposit')")
        deposit = self.stored[-1].deposit.values[0]
        last, wet = len(field["ramp"]) - 1, [cell for cell in zip(*(deposit > 0).nonzero())]
        found = set()
        for row, col in sorted(wet, key=lambda cell: deposit[cell])[::len(wet) // 8]:
            place = last * min(1, (deposit[row, col] - field["base"]) / (field["high"] - field["base"]))
            low = min(int(place), last - 1)
            ramp = [a + (b - a) * (place - low) for a, b in zip(field["ramp"][low], field["ramp"][low + 1])]
            shown = self.colour_of(int(row), int(col))
            found.add(tuple(shown))
            for a, b in zip(shown, ramp):
                self.assertAlmostEqual(a / sum(shown), b / sum(ramp), delta=0.02, msg=f"{shown} for {ramp}")
        self.assertGreater(len(found), 5)

    def test_scale_and_zoom(self):
        """The bar of the scale is as long as it says; a click finds its cell on a part of the map too."""
        (x0, y0), (x1, _) = self.place_of(14, 19), self.place_of(14, 20)
        for zoom in (1, 1.5):
            length, unit = self.text("length").split(",")[0].split(" ")
            metres = float(length) * {"m": 1, "km": 1000}[unit]
            width = self.browser.evaluate("document.getElementById('rule').getBoundingClientRect().width")
            self.assertAlmostEqual(width, zoom * metres / case.CELL * (x1 - x0), delta=0.02 * width)
            for down, right in ((0, 0), (-6, -7), (5, 8), (-4, 6)):
                # The middle of the map is the corner of four cells, and stays where it is.
                middle = x0 + 0.5 * (x1 - x0), y0 + 0.5 * (x1 - x0)
                self.browser.click(middle[0] + zoom * (right + 0.5) * (x1 - x0), middle[1] + zoom * (down + 0.5) * (x1 - x0))
                self.assertIn(f"row {15 + down}, column {20 + right};", self.text("cell"))
            self.on("nearer", "click()")
        self.on("whole", "click()")

    def test_the_observed_outline(self):
        """It lies around the polygon, which covers the cells that its outline on the map encloses."""
        keep = f"""(() => {{ {browser.COPY}
          window.kept = window.now;
          window.now = copy.getImageData(0, 0, map.width, map.height).data;
          return map.width; }})()"""
        width = self.browser.evaluate(keep)
        self.on("observed", "click()")
        self.browser.evaluate(keep)
        changed = self.browser.evaluate("(() => { const found = []; for (let i = 0; i < window.now.length; i += 4) "
                                        "if (window.now[i] !== window.kept[i]) found.push(i / 4); return found; })()")
        a, b, c = (geo.transformation(4326, 32633).TransformPoint(*corner)[:2]
                   for corner in ((15.001, 37.74), (15.004, 37.74), (15.004, 37.742)))
        left = lambda p, q, x, y: (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) > 0
        cells = []
        for row in range(case.ROWS):
            for col in range(case.COLS):
                at = case.WEST + (col + 0.5) * case.CELL, case.NORTH - (row + 0.5) * case.CELL
                if left(a, b, *at) and left(b, c, *at) and left(c, a, *at):
                    cells.append((row, col))
        self.assertGreater(len(cells), 30)
        size = width / case.COLS
        columns, rows = [one % width / size for one in changed], [one // width / size for one in changed]
        for found, expected in ((min(columns), min(c for _, c in cells)), (max(columns), max(c for _, c in cells) + 1),
                                (min(rows), min(r for r, _ in cells)), (max(rows), max(r for r, _ in cells) + 1)):
            self.assertAlmostEqual(found, expected, delta=0.4)

    def test_fronts(self):
        """Green lines between cells that lava reached before a round time and the others; elsewhere names at most."""
        self.sciara("run", "s.json", "-q", "-o", "dated", "--set", 'run.start="2026-11-21T06:00:00Z"')
        self.sciara("export", "dated", "-q", "-f", "html", "-o", "fronts.html", "--field", "arrival")
        self.browser.open(f"file://{self.path('fronts.html')}")
        self.browser.wait_until(self.READY)
        arrival = self.stored[-1].arrival_time.values[0]
        part = [[int(t // 600) if t >= 0 else 99 for t in row] for row in arrival]
        green = {True: [], False: []}
        for r, c, d in ((r, c, d) for r in range(case.ROWS - 1) for c in range(case.COLS - 1) for d in (0, 1)):
            (x, y), (v, w) = self.place_of(r, c), self.place_of(r + d, c + 1 - d)
            green[part[r][c] != part[r + d][c + 1 - d]].append([(x + v) / 2, (y + w) / 2])
        on, off = ([g > r + 5 for r, g, _ in self.browser.evaluate(f"{browser.COLOURS}({green[line]})")] for line in (True, False))
        self.assertGreater(sum(on), max(40, 0.95 * len(on)))
        self.assertLess(sum(off), 0.01 * len(off))
        self.browser.requests = [f"file://{self.path('page.html')}"]

    def test_the_history_of_a_cell(self):
        frame = len(self.stored) - 1
        row, col = self.cells(frame)[1]
        self.browser.click(*self.place_of(row, col))
        points = self.browser.evaluate("document.querySelector('#history .curve').getAttribute('d')"
                                       ".match(/[ML]/g).length")
        wet = sum(float(one.deposit.values[0, row, col]) > 0 for one in self.stored)
        self.assertEqual(points, wet)
        self.go_to(0)
        shown = self.text("history").rsplit("Deposit: ", 1)[1]
        self.assert_shown("deposit", shown, 0, row, col)

    def test_hover(self):
        row, col = self.cells(len(self.stored) - 1)[0]
        self.browser.mouse("mouseMoved", *self.place_of(row, col))
        shown, position, where = self.text("hover").split(" \u00b7 ")
        self.assertEqual(where, f"row {row}, column {col}")
        found = re.match(r"^(\d+\.\d{5})\u00b0 N, (\d+\.\d{5})\u00b0 E, altitude (\d+) m$", position)
        self.assertIsNotNone(found, position)
        lat, lon, altitude = map(float, found.groups())
        x, y, _ = geo.transformation(4326, 32633).TransformPoint(lon, lat)
        self.assertAlmostEqual(x, case.WEST + (col + 0.5) * case.CELL, delta=1.2)
        self.assertAlmostEqual(y, case.NORTH - (row + 0.5) * case.CELL, delta=1.2)
        self.assertAlmostEqual(altitude, case.altitude(row, col), delta=0.61)
        self.assert_shown("deposit", shown, len(self.stored) - 1, row, col)

    def test_longitudes_across_180_degrees(self):
        to_grid, middle = geo.transformation(4326, 32760), 819789
        slope = numpy.fromfunction(lambda row, col: 1000 - 3 * row + abs(col - 20) / 2, (case.ROWS, case.COLS))
        geo.write_raster(self.path("fiji.tif"), slope, gdal.GDT_Float64, [middle - 203, 10, 0, 8140500, 0, -10], 32760)
        case.write_json(self.path("fiji.json"), case.scenario(dem={"path": "fiji.tif"}, run={"max_steps": 20}))
        self.sciara("run", "fiji.json", "-q", "-o", "fiji")
        self.sciara("export", "fiji", "-q", "-f", "html", "-o", "fiji.html")
        self.browser.open(f"file://{self.path('fiji.html')}")
        self.browser.wait_until(self.READY)
        sides = set()
        for col in range(case.COLS):
            self.browser.mouse("mouseMoved", *self.place_of(4, col))
            lat, lon, side, found = re.search(r"(\S+)\u00b0 S, (\S+)\u00b0 ([EW]), .*row 4, column (\d+)$", self.text("hover")).groups()
            x, y, _ = to_grid.TransformPoint(float(lon) if side == "E" else -float(lon), -float(lat))
            self.assertLess(max(abs(x - (middle - 198 + 10 * int(found))), abs(y - (8140500 - 45))), 1.2, self.text("hover"))
            sides.add(side)
        self.assertEqual(sides, {"E", "W"})
        self.browser.requests = [f"file://{self.path('page.html')}"]

    def test_vents_stamp_and_key(self):
        """A vent has its colour at its place; what is not in the DEM is named, and no sea is where none was declared."""
        at = self.colour_of
        self.assertEqual(at(*case.VENT), [0, 200, 215])
        self.assertEqual(at(1, 1), [238, 238, 234])
        self.assertEqual((self.on("key_sea", "hidden"), self.on("key_no_data", "hidden"), self.on("vents_label", "hidden")),
                         (True, False, False))
        self.on("vents", "click()")
        self.assertNotEqual(at(*case.VENT), [0, 200, 215])
        self.assertTrue(self.on("stamp", "hidden"))
        self.sciara("export", "run", "-q", "-f", "html", "-o", "stamped.html", "--stamp", "<b>EXERCISE", "--title", "Other")
        self.browser.open(f"file://{self.path('stamped.html')}")
        self.browser.wait_until(self.READY)
        self.browser.wait_for_layout()
        self.assertEqual((self.text("stamp"), self.on("stamp", "hidden"), self.text("title")), ("<b>EXERCISE", False, "Other"))
        self.browser.requests = [f"file://{self.path('page.html')}"]

    def test_credits_and_dates(self):
        """As on pictures, in the language of the page; hidden where none is given."""
        self.assertTrue(self.on("validity", "hidden") and self.on("credits", "hidden"))
        options = ("--credits", "<i>Observatory", "--issued", "2026-12-01T01:30+02:00", "--valid-until", "2026-12-02", "--language", "it")
        self.sciara("export", "run", "-q", "-f", "html", "-o", "dated.html", *options)
        self.browser.open(f"file://{self.path('dated.html')}")
        self.browser.wait_until(self.READY)
        self.assertEqual((self.text("validity"), self.text("credits")), ("Emessa il 2026-11-30 23:30 UTC. Valida fino al 2026-12-02", "<i>Observatory"))
        self.assertEqual(self.browser.evaluate("durationText(108000)"), "1 g 6 h")
        self.assertGreater(self.on("validity", "getClientRects().length") * self.on("credits", "getClientRects().length"), 0)
        self.browser.requests = [f"file://{self.path('page.html')}"]

    def key(self):
        """What the key of the map has."""
        return {name for name in ("vents_label", "vents_key", "fissures_key", "edits_label", "key_point", "key_line", "key_zone", "observed_label")
                if self.on(name, "getClientRects().length") > 0}

    def assert_name_is_whole(self, row, col):
        """At a place near the eastern edge: its name stands left of it, and does not reach the edge of the map."""
        x, y = self.place_of(row, col)
        blue = lambda left, right: self.browser.evaluate(f"""(() => {{ {browser.COPY}
          const {{ data }} = copy.getImageData(({left} - box.x) * ratio, ({y} - box.y - 7) * ratio, ({right} - {left}) * ratio, 14 * ratio);
          let count = 0;
          for (let i = 0; i < data.length; i += 4) count += data[i] < 90 && data[i + 1] < 150 && data[i + 2] > 180;
          return count; }})()""")
        self.assertGreater(blue(x - 100, x - 12), 50)
        self.assertEqual(blue(x + 12, x + 20), 0)

    def test_key_of_what_is_drawn(self):
        """Barrier, fissure and places are on the map in the colours of the key; what is not there is not in the key."""
        self.assertEqual(self.key(), {"vents_label", "vents_key", "observed_label"})
        x, y = case.WEST + 205, case.NORTH - 85
        wall = {"polygon": [[x - 60, y - 35], [x + 60, y - 35], [x + 60, y - 55], [x - 60, y - 55]], "raise_m": 4}
        case.write_scenario(self.work, "wall.json", run={"max_steps": 60}, dem={"path": "dem.asc", "crs": "EPSG:32633", "edits": [wall]},
                            vents=[{"line": [[x - 40, y + 5], [x + 40, y + 5]], "effusion": {"slot": "10 min", "rates_m3_s": [4]}}])
        case.write_features(self.path("assets.geojson"), *(({"name": f"{kind} with a long name"}, kind, at) for kind, at in (
            ("Point", [case.WEST + 10 * case.COLS - 35, y - 100]), ("LineString", [[x - 90, y + 25], [x + 90, y + 25]]),
            ("Polygon", [[[x + 70, y], [x + 90, y], [x + 90, y - 20], [x + 70, y]]]))))
        self.sciara("run", "wall.json", "-q", "-o", "wall")
        self.sciara("export", "wall", "-q", "-f", "html", "-o", "wall.html", "--assets", "assets.geojson")
        for width, height in ((390, 844), (1400, 900)):
            self.browser.open(f"file://{self.path('wall.html')}", width=width, height=height)
            self.browser.wait_until(self.READY)
            self.browser.wait_for_layout()
            self.assertEqual(self.key(), {"vents_label", "fissures_key", "edits_label", "key_point", "key_line", "key_zone"})
            self.assert_name_is_whole((case.NORTH - y + 100) / case.CELL - 0.5, case.COLS - 4)
            self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)
            boxes = self.browser.evaluate("[...document.querySelectorAll('.options > *')].map((one) => one.getBoundingClientRect())"
                                          ".filter(({width}) => width > 0).map(({left, top, right, bottom}) => [left, top, right, bottom])")
            self.assertFalse([(a, b) for k, a in enumerate(boxes) for b in boxes[:k]
                              if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]], "nothing in the key overlaps")
        colours = {name: [int(part) for part in re.findall(r"\d+", self.browser.evaluate(
            f"getComputedStyle(document.querySelector('{name}')).{style}"))[:3]]
            for name, style in ((".key.edits", "borderTopColor"), (".key.line", "backgroundColor"), (".key.fissure", "backgroundColor"))}
        for name, (east, north) in ((".key.edits", (x, y - 35)), (".key.line", (x + 60, y + 25)), (".key.fissure", (x, y + 5))):
            row, col = (case.NORTH - north) / case.CELL - 0.5, (east - case.WEST) / case.CELL - 0.5
            self.assertEqual(self.colour_of(row, col), colours[name], name)
        self.on("edits", "click()")
        self.assertNotEqual(self.colour_of((case.NORTH - y + 35) / case.CELL - 0.5, (x - case.WEST) / case.CELL - 0.5), colours[".key.edits"])
        self.browser.requests = [f"file://{self.path('page.html')}"]

    def test_sea_and_area(self):
        """Frame by frame: what entered the sea, in the ledger and under the curve of volumes, and areas in square kilometres."""
        page = f"file://{self.path('coast.html')}"
        dem = {"path": "dem.asc", "crs": "EPSG:32633", "sea": 1040}
        case.write_scenario(self.work, "coast.json", dem=dem, run={"max_time": "24 min", "start": "2026-11-21T23:50:30Z"},
                            model={"cooling": 600},
                            output={"fields": case.FIELDS, "dtype": "float64", "every": "4 min"})
        self.sciara("run", "coast.json", "-q", "-o", "coast")
        self.sciara("export", "coast", "-q", "-f", "html", "-o", "coast.html")
        self.browser.open(page)
        self.browser.wait_until(self.READY)
        stored = [open_snapshot(self.path("coast", one["name"])) for one in record(self.path("coast"))["snapshots"]]
        entered = [float(one.attrs["ledger_sea_m3"]) for one in stored]
        self.assertTrue(entered[0] == 0 and 0 < entered[-3] < entered[-1], entered)
        value = lambda name, text: float(re.search(rf"{name}:? ?([\d,.]+)", text)[1].replace(",", ""))
        for frame, one in enumerate(stored):
            self.go_to(frame)
            ledger = self.text("ledger")
            date = case.minute_after("2026-11-21T23:50:30Z", float(one.time.values[0]))
            self.assertTrue(self.text("when").endswith(f" ({date})"), self.text("when"))
            liquid, solid = (float(one.attrs[f"ledger_{part}_m3"]) for part in ("liquid", "solid"))
            share = f"{float(f'{100 * liquid / (liquid + solid):.3g}'):g}" if liquid + solid > 0 else None
            self.assertEqual(self.text("liquid"), f"Still liquid, and able to advance: {share} %" if share else "")
            self.assertEqual("Entered the sea" in ledger, entered[frame] > 0)
            if entered[frame] > 0:
                self.assertAlmostEqual(value("Entered the sea", ledger) / entered[frame], 1, delta=1e-9)
            for name, cells in (("Covered", one.deposit.values > 0), ("Liquid", one.thickness.values > 0)):
                area = cells.sum() * case.CELL ** 2 / 1e6
                self.assertAlmostEqual(value(name, self.text("area")), area, delta=5e-4 * area, msg=name)
            for name, key in (("Emitted", "emitted"), ("Liquid", "liquid"), ("Solid", "solid"), ("Entered the sea", "sea")):
                volume = float(one.attrs[f"ledger_{key}_m3"])
                self.assertAlmostEqual(value(name, self.text("volume")), volume, delta=5e-3 * volume, msg=name)
        self.assertGreater(value("Covered", self.text("area")), value("Liquid", self.text("area")), "some lava is solid")
        self.assertEqual((self.on("key_sea", "hidden"), self.on("key_no_data", "hidden")), (False, False))
        self.assertEqual((self.colour_of(27, 30), self.colour_of(1, 1)), ([170, 205, 230], [238, 238, 234]))
        self.assertNotEqual(self.colour_of(8, 30), [170, 205, 230], "land")
        curve = self.browser.evaluate("""(() => {
          const chart = document.querySelector('#volume svg'), box = chart.getBoundingClientRect();
          const scale = box.width / chart.viewBox.baseVal.width;
          const ticks = [...chart.querySelectorAll('text[text-anchor=end]')].map((one) => [Number(one.textContent), Number(one.getAttribute('y')) - 4]);
          const points = chart.querySelector('.curve.series-1').getAttribute('d').slice(1).split('L').map((pair) => pair.split(',').map(Number));
          return { ticks, points, places: points.map(([x, y]) => [box.x + scale * x, box.y + scale * y]) }; })()""")
        (low, bottom), (high, top) = curve["ticks"][0], curve["ticks"][-1]
        for frame, one in enumerate(stored):
            shown = 1e3 * (low + (high - low) * (bottom - curve["points"][frame][1]) / (bottom - top))  # the axis is in 10^3 m3
            self.assertAlmostEqual(shown, float(one.attrs["ledger_emitted_m3"]), delta=1e3 * (high - low) / 500)
            self.browser.click(*curve["places"][frame])
            self.assertEqual(self.on("slider", "value"), str(frame), "the frame that was clicked")
        self.browser.requests = [f"file://{self.path('page.html')}"]

    def test_places(self):
        """What lava does to places, in the words of the page with the numbers of `sciara exposure`; the earliest first. A click goes there."""
        def at(*cells):
            return [[case.WEST + case.CELL * (col + 0.5), case.NORTH - case.CELL * (row + 0.5)] for row, col in cells]
        shapes = {"hut": ("Point", at((9, 20))[0]), "road": ("LineString", at((14, 2), (14, 36))),
                  "town": ("Polygon", [at((9, 18), (9, 30), (15, 30), (9, 18))]),
                  "late": ("Point", at((13, 21))[0]), "quiet": ("Point", at((5, 35))[0]), "pier": ("Point", at((27, 30))[0]),
                  "gap": ("Point", at((1, 1))[0]), "away": ("Point", at((10, 400))[0])}
        case.write_features(self.path("places.json"), *(({"name": name}, *shape) for name, shape in shapes.items()))
        start = "2026-11-21T23:50:30Z"
        self.sciara("run", "s.json", "-q", "-o", "shore", "--set", "dem.sea=1020", "--set", f'run.start="{start}"')
        self.sciara("exposure", "shore", "--assets", "places.json", "-o", "places.csv", "-q")
        self.sciara("export", "shore", "-q", "-f", "html", "-o", "places.html", "--assets", "places.json")
        rows = {row["place"]: row for row in case.read_rows(self.path("places.csv"))}
        self.open_other("places.html")
        shown = self.browser.evaluate("""[...document.querySelectorAll('#places tr')].map((row) =>
          [row.querySelector('th').textContent, row.querySelector('td').textContent, row.querySelector('button').disabled])""")
        arrival = {name: float(row["arrival_s"]) for name, row in rows.items() if row["state"] == "reached"}
        self.assertGreater(len(set(arrival.values())), 2)
        self.assertEqual([name for name, _, _ in shown][:len(arrival)], sorted(arrival, key=arrival.get))
        self.assertEqual(sorted(name for name, _, _ in shown), sorted(shapes))
        words = {"not reached": "not reached", "sea": "in the sea", "NODATA": "no altitude there (NODATA)", "outside": "outside the DEM"}
        self.assertEqual({row["state"] for row in rows.values()}, {"reached", *words})
        for name, text, disabled in shown:
            row = rows[name]
            self.assertEqual(disabled, row["state"] == "outside", name)
            if row["state"] != "reached":
                self.assertEqual(text, words[row["state"]], name)
                continue
            time, deposit, *covered = text.split("; ")
            seconds = sum(int(count) * {"h": 3600, "min": 60, "s": 1}[unit] for count, unit in re.findall(r"(\d+) (h|min|s)\b", time))
            self.assertTrue(0 <= arrival[name] - seconds < 1, text)
            self.assertTrue(time.endswith(f" ({case.minute_after(start, arrival[name])})"), text)
            value, unit = deposit.split(" ")
            self.assertEqual((f"{float(row['deposit_m']):.3g}", "m"), (f"{float(value):.3g}", unit), text)
            self.assertEqual(len(covered), row["kind"] != "point", text)
            if covered:
                amount, unit, share = re.fullmatch(r"([\d,]+) (m²?) \(([\d.]+) %\)", covered[0]).groups()
                self.assertEqual((int(amount.replace(",", "")), unit), (round(float(row["covered"])), {"line": "m", "zone": "m²"}[row["kind"]]))
                self.assertAlmostEqual(float(share), 100 * float(row["share"]), delta=0.005 * 100 * float(row["share"]))
        self.browser.evaluate("[...document.querySelectorAll('#places button')].find((one) => one.textContent === 'late').click()")
        self.assertIn("row 13, column 21; ", self.text("cell"))

    def test_the_keyboard_alone(self):
        self.on("map", "focus()")
        self.browser.key("ArrowUp")
        row, col = map(int, re.search(r"row (\d+), column (\d+)", self.text("cell")).groups())
        steps = (("ArrowDown", False, (1, 0)), ("ArrowRight", True, (0, 10)), ("ArrowLeft", False, (0, -1)))
        for key, shift, step in steps:
            self.browser.key(key, shift=shift)
            row, col = min(row + step[0], case.ROWS - 1), min(col + step[1], case.COLS - 1)
            self.assertIn(f"row {row}, column {col}; ", self.text("cell"))
        self.assert_shown("deposit", self.text("value-deposit"), len(self.stored) - 1, row, col)
        scale = self.text("length"), self.on("rule", "style.width")
        self.browser.key("+")
        self.assertNotEqual((self.text("length"), self.on("rule", "style.width")), scale, "zoomed")
        self.browser.key("0")
        self.assertEqual((self.text("length"), self.on("rule", "style.width")), scale, "shows all again")
        reached = set()
        for _ in range(20):
            self.browser.key("Tab")
            reached.add(self.browser.evaluate("document.activeElement.id || document.activeElement.name"))
        self.assertLessEqual({"field", "map", "nearer", "play", "slider", "extent", "observed"}, reached)

    LANGUAGES = ("en", "it", "fr", "es", "is")
    TEXTS = """(() => {
      const said = [document.title];
      const walk = (node) => {
        if (node.nodeType === 3 && node.textContent.trim()) said.push(node.textContent.trim());
        if (node.nodeType !== 1 || ['SCRIPT', 'STYLE', 'PRE', 'NOSCRIPT'].includes(node.tagName)) return;
        for (const name of ['aria-label', 'aria-valuetext', 'title', 'data-old', 'data-damaged'])
          if (node.hasAttribute(name)) said.push(node.getAttribute(name));
        node.childNodes.forEach(walk);
      };
      walk(document.body);
      return said;
    })()"""

    def open_other(self, name):
        """Another page, which loads nothing but itself either."""
        self.browser.open(f"file://{self.path(name)}")
        self.browser.wait_until(self.READY)
        self.browser.wait_for_layout()
        self.assertEqual((self.text("failure"), self.browser.requests), ("", [f"file://{self.path(name)}"]))
        self.browser.requests = [f"file://{self.path('page.html')}"]

    def open_language(self, language):
        """All texts of the page in a language, a cell with lava chosen, and the number that it shows for its deposit."""
        self.sciara("export", "run", "-q", "-f", "html", "-o", f"{language}.html", "--observed", "seen.geojson",
                    "--language", language, "--title", "37", "--overwrite")
        self.open_other(f"{language}.html")
        self.browser.click(*self.place_of(*self.cells(len(self.stored) - 1)[1]))
        return self.browser.evaluate(self.TEXTS)

    def test_languages(self):
        """Every text differs from the English one, unless it is of a file, a unit, a symbol or a word of both languages."""
        said = {language: self.open_language(language) for language in self.LANGUAGES}
        common = {"Volume", "Area", "Scenario", "Pause", "Temperature", "Altitude", "Surface", "Residual", "Liquide"}
        for language, texts in said.items():
            with self.subTest(language=language):
                self.assertEqual(len(texts), len(said["en"]))
                for text in texts:
                    self.assertNotRegex(text, r"[{}@]|undefined|null|NaN|[A-Z]+_[A-Z]+")
                if language == "en":
                    continue
                for text, english in zip(texts, said["en"]):
                    if re.search("[A-Za-z]{4}", english.replace("seen.geojson", "").replace("openmp", "")) and \
                            english not in common and not english.startswith(("WGS 84", "Pango")):
                        self.assertNotEqual(text, english)
                self.assertFalse([text for text in texts if re.search(r"\d\.\d", text) and "sciara" not in text and
                                  "Firefox" not in text], "numbers with a point")

    def test_warnings(self):
        """In the language of the page, with cell, time and height; a kind of a later version in the words of its run."""
        run = {"max_time": "3 min"}
        case.write_json(self.path("tower.json"), case.scenario(run=run))
        self.sciara("run", "tower.json", "-q", "-o", "tower")
        text = case.read_json(self.path("tower", "run.json"))
        text["warnings"] = [
            {"kind": "vent", "cell": [3, 4], "x": 0, "y": 0, "time_s": 90061, "height_m": 1234.5, "text": "old"},
            {"kind": "dem", "coarse_m": 92.66, "text": "oldest"},
            {"kind": "tower", "cell": [5, 6], "x": 0, "y": 0, "time_s": 60, "text": "older"},
            {"kind": "flood", "cell": [7, 8], "x": 0, "y": 0, "time_s": 60, "text": "a <b>flood"}]
        case.write_json(self.path("tower", "run.json"), text)
        expected = {
            "en": ["Warning: lava piles up in a way that the model cannot represent.",
                   "A vent stands 1230 m above the cells around it (row 3, column 4, after 1 d 1 h 1 min): it emits more than they "
                   "take.", "Lava stands ? m above all neighbouring cells (row 5, column 6, after 1 min).", "a <b>flood.",
                   "Give the vent an area (radius_m, or width_m of a line) or use larger cells.",
                   "Warning: cells of 10 m made of a DEM of 92.7 m. Without gullies, levees and roads lava runs out differently."],
            "es": ["Atención: la lava se acumula de un modo que el modelo no puede representar.",
                   "Una boca está 1230 m por encima de las celdas que la rodean (fila 3, columna 4, tras 1 d 1 h 1 min): emite más "
                   "de lo que ellas reciben.",
                   "La lava está ? m por encima de todas las celdas vecinas (fila 5, columna 6, tras 1 min).", "a <b>flood.",
                   "Dé un área a la boca (radius_m, o width_m para una línea) o use celdas más grandes.",
                   "Atención: celdas de 10 m hechas a partir de un MDT de 92,7 m. Sin barrancos, diques ni caminos la lava corre de "
                   "otro modo."]}
        for language, lines in expected.items():
            self.sciara("export", "tower", "-q", "-f", "html", "-o", f"w{language}.html", "--language", language)
            self.open_other(f"w{language}.html")
            self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('#warning p')].map((p) => p.textContent)"),
                             lines)
            self.assertFalse(self.on("warning", "hidden"))
        self.open("page.html")
        self.assertTrue(self.on("warning", "hidden"))

    def test_play(self):
        self.go_to(0)
        self.on("play", "focus()")
        self.browser.key(" ", code="Space")
        self.assertEqual((self.text("play"), self.on("play", "getAttribute('aria-pressed')")), ("Pause", "true"))
        self.browser.wait_until("document.getElementById('play').textContent === 'Play'")
        self.assertEqual(self.on("slider", "value"), str(len(self.stored) - 1))

    def test_a_phone(self):
        """Nothing is wider than the screen; a tap chooses a cell."""
        self.open("page.html", width=360, height=740, touch=True, ratio=3)
        self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 360)
        self.assertGreaterEqual(self.on("play", "getBoundingClientRect().height"), 40)
        row, col = self.cells(len(self.stored) - 1)[1]
        x, y = self.place_of(row, col)
        self.browser.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.assertIn(f"row {row}, column {col}; ", self.text("cell"))
