# SPDX-License-Identifier: Apache-2.0
"""sciara export --format html: the page contains the values of the snapshots, and no text of a user gets out of
its place. Appearance and behaviour are tested in page.py, in a browser."""
import base64
import hashlib
import html.parser
import json
import os
import re
import shutil
import zlib

import case
from case import SharedCase, open_snapshot, record

import h5py
import numpy

TITLE = 'slope </script><script>document.title = "taken over"</script> <!-- & \u2028 "q"'
USUAL = ["deposit", "thickness", "temperature", "arrival_time"]
MASK = [[500150, 4177050], [500300, 4177050], [500300, 4177250], [500150, 4177250], [500150, 4177050]]


class Page(html.parser.HTMLParser):
    """The elements of a page, and its parts."""

    def __init__(self, path):
        super().__init__()
        self.elements, self.inside = [], None
        self.scripts, self.style = [], ""
        self.text = case.read_text(path)
        self.feed(self.text)
        self.data = json.loads(self.scripts[0])

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts[-1] += data
        elif self.inside == "style":
            self.style += data


def unpack(text, dtype="uint8"):
    return numpy.frombuffer(zlib.decompress(base64.b64decode(text)), dtype)


def bits(text, rows, cols):
    return numpy.unpackbits(unpack(text), bitorder="little")[:rows * cols].reshape(rows, cols).astype(bool)


def levels(data):
    """{field: frames x rows x cols of levels}, by the rules of src/page/README.md."""
    top, left, rows, cols = data["box"]
    covered = bits(data["covered"], rows, cols)
    unfolded = []
    for field in data["fields"]:
        frames = 1 if field["once"] else len(data["frames"])
        low, high = unpack(field["data"]).reshape(2, frames, covered.sum()).astype(int)
        folded = low + 256 * high
        unfolded.append(numpy.cumsum((folded >> 1) ^ -(folded & 1), axis=0))
    found = {}
    for field, numbers in zip(data["fields"], unfolded):
        if field["like"] >= 0:
            numbers = numbers + unfolded[field["like"]]
        whole = numpy.zeros((len(numbers), case.ROWS, case.COLS), int)
        whole[:, top:top + rows, left:left + cols][:, covered] = numbers % 65536
        found[field["name"]] = whole
    return found


class ExportHtml(SharedCase):
    @classmethod
    def prepare(cls):
        case.write_scenario(cls.work, title=TITLE, run={"max_time": "90 min", "start": "2026-11-21T06:00:00Z"},
                            output={"fields": case.FIELDS + ["speed"], "dtype": "float64", "every": "10 min"})
        case.run_program("run", "s.json", "-q", "-o", "run", cwd=cls.work)
        cls.snapshots = [os.path.join(cls.work, "run", one["name"]) for one in record(cls.work + "/run")["snapshots"]]
        cls.stored = [open_snapshot(path) for path in cls.snapshots]
        done = case.run_program("export", "run", "--format", "html", cwd=cls.work)
        assert done.stdout == "run/maps/page.html\n", done.stdout
        cls.page = Page(os.path.join(cls.work, "run", "maps", "page.html"))

    def export(self, *args, code=0):
        return self.sciara("export", *args, code=code)

    def make(self, name, *args):
        self.export("run", "-f", "html", "-o", name, *args)
        return Page(self.path(name))

    def assert_values(self, page, stored):
        """Every value is within half a step of that in the snapshot, and cells without lava are the same."""
        for field in page.data["fields"]:
            name, found = field["name"], levels(page.data)[field["name"]]
            for frame, snapshot in zip(found, stored[-1:] if field["once"] else stored):
                with self.subTest(field=name):
                    truth = snapshot[name].values[0]
                    empty = truth < 0 if name == "arrival_time" else snapshot.thickness.values[0] <= 0
                    if name == "deposit":
                        empty = truth <= 0
                    numpy.testing.assert_array_equal(frame == 0, empty, "cells without lava")
                    decoded = field["base"] + (frame - 1) * field["step"]
                    off = numpy.abs(decoded - truth)[~empty]
                    self.assertLessEqual(off.max(), field["step"] * 0.5000001)

    def test_fronts(self):
        """At round times of the zone, up to the last snapshot; a field that is no time has none."""
        (half_past,) = (f for f in self.make("zone.html", "--time-zone", "+05:45").data["fields"] if f["name"] == "arrival_time")
        last, start = self.stored[-1].time.values[0], "2026-11-21T06:00:00Z"
        ends = [t for t in range(0, 12 * 3600, 60) if (6 * 60 + 5 * 60 + 45 + t // 60) % 10 == 0 and 0 < t < half_past["high"] + 600]
        self.assertEqual(half_past["fronts"], [[min(t, last), case.clock_after(start, min(t, last), 345)] for t in ends])
        self.assertEqual([f["fronts"] for f in self.page.data["fields"] if f["name"] != "arrival_time"], [[]] * 3)

    def test_one_scale_for_several_pages(self):
        """--scale-to is the end of the colours of thicknesses, and of nothing else; the values stay."""
        most = {field["name"]: field["high"] for field in self.page.data["fields"]}
        self.assertGreater(most["deposit"], 1)
        page = self.make("scaled.html", "--scale-to", 1)
        for field in page.data["fields"]:
            thick = field["name"] in ("deposit", "thickness")
            self.assertEqual((field["high"], field["beyond"]), (1, most[field["name"]] > 1) if thick else (most[field["name"]], False))
        self.assert_values(page, self.stored)
        self.assertFalse(any(field["beyond"] for field in self.make("scaled2.html", "--scale-to", 9000).data["fields"]))

    def test_a_page_is_valid_after_the_start(self):
        done = self.export("run", "-f", "html", "-o", "late.html", "--valid-until", "2026-11-20", code=2)
        self.assertIn("--valid-until: expected a date after the start of the forecast, 2026-11-21T06:00:00Z, found 2026-11-20", done.stderr)
        self.assertFalse(os.path.exists(self.path("late.html")))

    def test_the_values_are_those_of_the_snapshots(self):
        self.assertEqual([field["name"] for field in self.page.data["fields"]], USUAL)
        self.assertGreater(len(self.stored), 8)
        self.assertGreater((levels(self.page.data)["thickness"] > 0).sum(), 200, "cells with lava")
        self.assert_values(self.page, self.stored)

    def test_thickness_alone(self):
        """Lava of an earlier snapshot that is gone in the last is in the page; what is not known is null."""
        self.sciara("run", "s.json", "-q", "-o", "thin", "--set", 'output.fields=["thickness"]')
        self.export("thin", "-f", "html")
        page = Page(self.path("thin", "maps", "page.html"))
        stored = [open_snapshot(self.path("thin", one["name"])) for one in record(self.path("thin"))["snapshots"]]
        gone = (stored[2].thickness.values > 0) & (stored[-1].thickness.values == 0)
        self.assertGreater(gone.sum(), 5, "cells that have lava in between alone")
        self.assertEqual([field["name"] for field in page.data["fields"]], ["thickness"])
        self.assert_values(page, stored)
        self.assertEqual({frame["covered_cells"] for frame in page.data["frames"]}, {None})

    def test_metadata_of_the_snapshots(self):
        data = self.page.data
        self.assertEqual([frame["step"] for frame in data["frames"]], [one.attrs["step"] for one in self.stored])
        for frame, one in zip(data["frames"], self.stored):
            self.assertAlmostEqual(frame["time_s"], float(one.time[0]), delta=1e-9)
            for key in ("initial", "emitted", "liquid", "solid", "lost", "residual", "bound"):
                self.assertAlmostEqual(frame[f"{key}_m3"], one.attrs[f"ledger_{key}_m3"], delta=1e-9)
            self.assertEqual(frame["liquid_cells"], one.attrs["liquid_cells"])
            self.assertEqual(frame["covered_cells"], (one.deposit.values > 0).sum())
        self.assertEqual(data["grid"], {"rows": case.ROWS, "cols": case.COLS, "cell_m": case.CELL, "decimals": 0,
                                        "west_m": case.WEST, "north_m": case.NORTH})
        self.assertEqual((data["start"], data["crs"]), ("2026-11-21T06:00:00Z", "WGS 84 / UTM zone 33N (EPSG:32633)"))
        self.assertEqual(json.loads(data["scenario"])["title"], TITLE)

    def test_the_ground(self):
        """Shades of the window in 1..127, the sea 0; light from the north-west as on other maps."""
        data = self.page.data
        shade = data["shade"]
        self.assertEqual((data["window"], shade["scale"]), ([0, 0, case.ROWS, case.COLS], 1))
        pixels = unpack(shade["data"]).reshape(shade["rows"], shade["cols"]).astype(int)
        pixels = (pixels.cumsum(axis=0).cumsum(axis=1)) % 256
        sea = numpy.array([[case.is_sea(r, c) for c in range(case.COLS)] for r in range(case.ROWS)])
        numpy.testing.assert_array_equal(pixels == 0, sea)
        self.assertLessEqual(pixels.max(), 127)
        z = numpy.array([[case.altitude(r, c) for c in range(case.COLS)] for r in range(case.ROWS)])
        for r, c in ((10, 10), (20, 31), (15, 22)):
            a = z[r - 1:r + 2, c - 1:c + 2]
            east = ((a[:, 2] - a[:, 0]) * [1, 2, 1]).sum() / (8 * case.CELL)
            north = ((a[0] - a[2]) * [1, 2, 1]).sum() / (8 * case.CELL)
            light = (0.70710678 + 0.5 * east - 0.5 * north) / numpy.sqrt(1 + east ** 2 + north ** 2)
            self.assertAlmostEqual(pixels[r, c], 1 + 126 * light, delta=0.51)

    def test_no_text_gets_out(self):
        """Title and scenario contain text that would end a script: the elements are those of a harmless title."""
        shutil.copytree(self.path("run"), self.path("harmless"))
        for name in os.listdir(self.path("harmless", "snapshots")):
            with h5py.File(self.path("harmless", "snapshots", name), "r+") as f:
                for key in ("title", "scenario_json"):
                    del f.attrs[key]
                    f.attrs[key] = numpy.bytes_("harmless")
        self.export("harmless", "-f", "html", "-o", "harmless.html")
        harmless = Page(self.path("harmless.html"))
        self.assertEqual((self.page.data["title"], harmless.data["title"]), (TITLE, "harmless"))
        self.assertEqual(self.page.elements, harmless.elements)
        self.assertNotIn("taken over\"</script>", self.page.text)
        self.assertEqual(len(self.page.scripts), 2)

    def test_nothing_is_fetched(self):
        """Neither an element nor the policy of the page allows anything to be loaded from elsewhere, or to run."""
        for tag, attributes in self.page.elements:
            self.assertFalse({"src", "href", "action", "style"} & set(attributes), f"{tag} {attributes}")
            self.assertFalse([key for key in attributes if key.startswith("on")], f"{tag} {attributes}")
        policy = next(a["content"] for tag, a in self.page.elements if "http-equiv" in a)
        hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
                  for text in (self.page.scripts[1], self.page.style)]
        self.assertEqual(policy.split(), f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src "
                                         f"'sha256-{hashes[1]}'; base-uri 'none'; form-action 'none'".split())
        self.assertIsNone(re.search(r"https?://(?!www\.w3\.org/2000/svg)|\bfetch\(|XMLHttpRequest|innerHTML|\beval\b",
                                    self.page.scripts[1]))
        self.assertLess(len(self.page.text) - len(self.page.scripts[0]), 60000, "bytes of the page without its data")

    def test_every_text_is_in_the_table(self):
        """What the script says is in the page, nothing of the page's own words is unused, and HTML has no hole."""
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "page")
        said = set(re.findall(r'"([A-Z]+(?:_[A-Z]+)+|COLON|WARNING)"', self.page.scripts[1]))
        holes = set(re.findall(r"@([A-Z_]+)@", case.read_text(os.path.join(source, "page.html")))) - {"DATA", "SCRIPT", "STYLE", "SCRIPT_HASH", "STYLE_HASH", "LANGUAGE"}
        words = set(self.page.data["words"])
        self.assertGreater(len(said), 20)
        self.assertEqual((said | holes) - words, set())
        self.assertEqual({word for word in words if word.startswith("PAGE_")} - said - holes, set())
        self.assertNotRegex(self.page.text.replace(self.page.scripts[1], ""), "@[A-Z_]+@")

    def test_frames_are_thinned_evenly(self):
        done = self.export("run", "-f", "html", "-o", "thin.html", "--frames", 4)
        all_steps = [one.attrs["step"] for one in self.stored]
        self.assertIn(f"4 evenly spaced ones of {len(all_steps)} snapshots are used (--frames)", done.stderr)
        page = Page(self.path("thin.html"))
        self.assertEqual(page.data["snapshots"], len(all_steps))
        places = [all_steps.index(frame["step"]) for frame in page.data["frames"]]
        self.assertEqual((len(places), places[0], places[-1]), (4, 0, len(all_steps) - 1))
        gaps = numpy.diff(places)
        self.assertLessEqual(gaps.max() - gaps.min(), 1)
        self.assert_values(page, [self.stored[place] for place in places])
        last = self.make("last.html", "--frames", 1)
        self.assertEqual([frame["step"] for frame in last.data["frames"]], all_steps[-1:])
        done = self.export("run", "-f", "html", "-o", "all.html", "--frames", len(all_steps))
        self.assertNotIn("evenly spaced", done.stderr)
        self.make("most.html", "--frames", 1000)
        for wrong in ("0", "1001", "2.5", "many", ""):
            done = self.export("run", "-f", "html", "-o", "none.html", "--frames", wrong, code=2)
            self.assertRegex(done.stderr, "--frames")
        self.assertFalse(os.path.exists(self.path("none.html")))

    def test_a_snapshot_alone(self):
        shutil.copy(self.snapshots[3], self.path("mine.nc"))
        done = self.export("mine.nc", "-f", "html", "--field", "thickness")
        self.assertEqual(done.stdout, "mine.page.html\n")
        page = Page(self.path("mine.page.html"))
        self.assertEqual((len(page.data["frames"]), page.data["snapshots"]), (1, 1))
        self.assert_values(page, self.stored[3:4])
        done = self.export(self.snapshots[3], "-f", "html", "-o", "of_run.html")
        self.assertEqual(len(Page(self.path("of_run.html")).data["frames"]), 1)

    def test_observed(self):
        case.write_json(self.path("seen.geojson"), {
            "type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "EPSG:32633"}}, "features": [
                {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [MASK]}}]})
        page = self.make("seen.html", "--observed", "seen.geojson")
        self.assertEqual(page.data["observed_name"], "seen.geojson")
        expected = numpy.zeros((case.ROWS, case.COLS), bool)
        expected[5:25, 15:30] = True  # MASK, in cells
        numpy.testing.assert_array_equal(bits(page.data["observed"], case.ROWS, case.COLS), expected)
        self.assertIsNone(self.page.data["observed"])
        done = self.export("run", "-f", "html", "-o", "none.html", "--observed", "absent.gpkg", code=4)
        self.assertIn("absent.gpkg", done.stderr)
        self.assertFalse(os.path.exists(self.path("none.html")))

    def test_a_run_without_lava(self):
        """Nothing to show is not an error."""
        later = [{"row": 8, "col": 20, "start": "2 h", "effusion": {"slot": "10 min", "rates_m3_s": [4]}}]
        case.write_json(self.path("later.json"), case.scenario(vents=later))
        self.sciara("run", "later.json", "-q", "-n", 2, "-o", "dry")
        done = self.export("dry", "-f", "html")
        page = Page(self.path(done.stdout.strip()))
        self.assertEqual(page.data["box"], [0, 0, 0, 0])
        self.assertEqual([unpack(field["data"]).size for field in page.data["fields"]], [0] * 4)

    def test_diagnostics(self):
        before = case.tree(self.work)
        for code, message, args in (
                (2, "--field: expected a field other than the altitude", ["--field", "altitude", "-o", "none.html"]),
                (3, 'holds no field "max_speed"; it holds thickness, ', ["--field", "max_speed", "-o", "none.html"]),
                (3, "page.html: already exists; --overwrite replaces it", [])):
            done = self.export("run", "-f", "html", *args, code=code)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertIn("has no option --frames", self.export("run", "-f", "cog", "--frames", "3", code=2).stderr)
        self.assertEqual(case.tree(self.work), before, "files after the diagnostics")
        self.export("run", "-f", "html", "--overwrite")

    def test_a_new_run_removes_the_page(self):
        shutil.copytree(self.path("run"), self.path("again"))
        self.sciara("run", "s.json", "-q", "-n", 2, "-o", "again", "--overwrite")
        self.assertFalse(os.path.exists(self.path("again", "maps", "page.html")))
