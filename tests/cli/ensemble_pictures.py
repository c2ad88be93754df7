# SPDX-License-Identifier: Apache-2.0
"""Pictures of an ensemble: classes of values, vents by their weight, sites, sea, lines of degrees, and what is assumed, in words."""
import json
import math
import os
import re
import subprocess
from pathlib import Path

import case
import geo
from case import SharedCase
from geo import gdal

import numpy

SOURCE, BUILD = Path(os.environ["SCIARA_SOURCE_DIR"]), Path(os.environ["SCIARA_BUILD_DIR"])
INK, VENT, SEA = (30, 30, 30), (0, 200, 215), (170, 205, 230)
# The colours of 7 classes: the middle of each seventh of this ramp.
RAMP = numpy.array([(255, 237, 160), (254, 178, 76), (240, 80, 35), (177, 0, 38), (92, 0, 48)], float)
EDGES = (1, 5, 10, 25, 50, 75)
BOX = (447500, 4346800, 449400, 4348100)


class Pictures(SharedCase):
    @classmethod
    def prepare(cls):
        work = Path(cls.work)
        (work / "vents.csv").write_text("name,x,y,p\nlow,447800,4347400,1\nhigh,448400,4347700,4\nnever,448000,4347900,0\n")
        base = json.loads((SOURCE / "config/hazard-base.json").read_text())
        base["dem"] = {"path": str(SOURCE / "datasets/volcano.tif"), "sea": "nodata"}
        case.write_json(work / "base.json", base)
        ensemble = json.loads((SOURCE / "config/hazard.json").read_text())
        ensemble |= {"base": "base.json", "vents": {"table": "vents.csv", "weights": {"column": "p"}},
                     "sample": {"method": "random", "count": 20, "seed": 1},
                     "vary": [{"key": "model.relaxation", "uniform": [0.4, 0.5]}, {"key": "rate_scale", "uniform": [0.9, 1.1]}]}
        ensemble["result"]["sites"][0] = {"name": "quarry", "x": 448905, "y": 4347005}
        case.write_json(work / "e.json", ensemble)
        case.run_program("ensemble", "plan", "e.json", "-o", "e", "--no-estimate", cwd=cls.work)
        subprocess.run([BUILD / "sciara_ensemble_synthetic", work / "e", "600"], check=True, stdout=subprocess.DEVNULL)
        case.run_program("ensemble", "reduce", "e", "--no-pictures", cwd=cls.work)
        cls.plain = cls.picture("plain.png")

    @classmethod
    def parts(cls, name, *args, folder="e", layer="probability_0m", extent=BOX):
        """What stands above the map of a picture, the map, and what stands below it: rows, columns, red, green, blue."""
        case.run_program("ensemble", "export", folder, "-q", "-f", "png", "--layer", layer, "-o", name, "--extent",
                         ",".join(map(str, extent)), "--width", "800", *args, cwd=cls.work)
        image = numpy.moveaxis(geo.read(os.path.join(cls.work, name))[:3], 0, 2).astype(int)
        dark = (image == INK).all(axis=2)
        cols = (extent[2] - extent[0]) // 10
        wide = next(w for w in range(dark.shape[1] - 1, 0, -1) if dark[:, :].sum(axis=1).max() >= w)
        rows = [r for r in range(len(dark)) if dark[r].sum() > 0.95 * wide]
        columns = numpy.flatnonzero(dark[rows[0]])
        end = next(r for r in rows if r > rows[0] + 50)
        inside = image[rows[0] + 1:end, columns[0] + 1:columns[-1]]
        assert abs(inside.shape[1] / inside.shape[0] - cols * 10 / (extent[3] - extent[1])) < 0.02, inside.shape
        return image[:rows[0]], inside, image[end:]

    @classmethod
    def picture(cls, name, *args, **more):
        """The map of a picture."""
        return cls.parts(name, *args, **more)[1]

    def values(self, layer):
        data = gdal.Open(self.path("e", "maps", layer + ".tif"))
        return data.GetRasterBand(1).ReadAsArray(), data.GetGeoTransform()

    def facts(self, name):
        return gdal.Open(self.path(name)).GetMetadata()

    def pixel(self, image, x, y, extent=BOX):
        return (int((extent[3] - y) / (extent[3] - extent[1]) * image.shape[0]),
                int((x - extent[0]) / (extent[2] - extent[0]) * image.shape[1]))

    def test_classes(self):
        """Each cell has the colour of its class, darker or lighter by the shade of the ground."""
        values, t = self.values("probability_0m")
        seen = set()
        place = numpy.arange(7) / 7 + 1 / 14
        colours = numpy.stack([numpy.interp(place * 4, range(5), RAMP[:, k]) for k in range(3)], axis=1)
        for row in range(0, values.shape[0], 3):
            for col in range(0, values.shape[1], 3):
                x, y = t[0] + 10 * (col + 0.5), t[3] - 10 * (row + 0.5)
                around = values[max(row - 1, 0):row + 2, max(col - 1, 0):col + 2]
                marks = [(447800, 4347400), (448400, 4347700), (448905, 4347005)]
                if not (BOX[0] < x < BOX[2] and BOX[1] < y < BOX[3]) or around.min() != around.max() or values[row, col] <= 0 \
                        or min(abs(x - a) + abs(y - b) for a, b in marks) < 60 or 4346880 < y < 4347220 and x > 448850:
                    continue
                expected = numpy.searchsorted(EDGES, 100 * values[row, col], side="right")
                found = self.plain[self.pixel(self.plain, x, y)]
                apart = [numpy.abs(found / max(found.max(), 1) - colour / colour.max()).max() for colour in colours]
                self.assertEqual(int(numpy.argmin(apart)), expected, (x, y, values[row, col], found))
                seen.add(expected)
        self.assertGreaterEqual(len(seen), 2, seen)

    def test_a_number_of_years(self):
        """Rates without a zone count as far as the density has vents; classes and words are those of a number of years."""
        case.write_scenario(self.work, "base-years.json", run={"until": "3 min"}, vents=[
            {"x": case.WEST + 200, "y": case.SOUTH + 200, "effusion": {"slot": "10 min", "rates_m3_s": [4]}}])
        box, sd, rate = (case.WEST + 100, case.SOUTH + 100, case.WEST + 300, case.SOUTH + 200), 60, 0.02
        past = case.WEST + 330, case.SOUTH + 140
        Path(self.work, "past.csv").write_text(f"x,y\n{past[0]},{past[1]}\n")
        along = [math.erf((box[k + 2] - past[k]) / sd / 2 ** 0.5) / 2 - math.erf((box[k] - past[k]) / sd / 2 ** 0.5) / 2 for k in range(2)]
        share = along[0] * along[1]  # about 0.18
        plan = {"base": "base-years.json", "sample": {"method": "full"}, "vents": {"grid": {"extent": box, "step_m": 50}, "weights": {
            "kernel": {"points": "past.csv", "bandwidth_m": sd}}}, "vary": [{"key": "model.cooling", "values": [150]}],
            "result": {"thickness_m": [0], "years": [1, 1000], "eruptions_per_year": [{"name": "all", "rate": rate}]}}
        case.write_json(Path(self.work, "years.json"), plan)
        said = self.sciara("ensemble", "run", "years.json", "--no-estimate", "--no-pictures").stderr
        self.assertIn(f'"all": {100 * share:.3g} % of the eruptions count', said)
        chance, *maps = (gdal.Open(self.path("years", "maps", f"probability_{name}0m.tif")).ReadAsArray() for name in ("", "1years_", "1000years_"))
        reached = chance > 0
        self.assertGreater(reached.sum(), 20)
        for years, found in zip((1, 1000), maps):
            numpy.testing.assert_allclose(found[reached], -numpy.expm1(-years * rate * share * chance[reached]), rtol=1e-5)
        self.sciara("ensemble", "export", "years", "-q", "-f", "html", "-o", "years.html")
        page = json.loads(re.search(r'<script[^>]*application/json[^>]*>(.*?)</script>', Path(self.work, "years.html").read_text(), re.S)[1])
        layers = {layer["name"]: layer for layer in page["fields"]}
        for name, found, word in (("1years", maps[0], "HAZARD_YEAR_REACHED"), ("1000years", maps[1], "HAZARD_YEARS_REACHED")):
            layer = layers[f"probability_{name}_0m"]
            self.assertEqual(layer["word"], word)
            classes = set(numpy.searchsorted(layer["edges"], 100 * found[reached], side="right"))
            self.assertTrue(len(classes) >= 3 and max(classes) >= 3, (layer["edges"], 100 * found.max()))
            self.picture(f"{name}.png", folder="years", layer=f"probability_{name}_0m", extent=(case.WEST, case.SOUTH, case.WEST + 400, case.NORTH))
            facts = self.facts(f"{name}.png")
            self.assertNotIn("if such an eruption", str(facts))
            self.assertIn("their number a year", facts["condition"])
            self.assertIn(f"{100 * share:.3g} % count", facts["assumptions"])

    def test_vents_by_weight(self):
        """Areas are as the weights; a vent that no member has used is not drawn."""
        blue = (self.plain == VENT).all(axis=2)
        area = []
        for x, y in ((448400, 4347700), (447800, 4347400), (448000, 4347900)):
            row, col = self.pixel(self.plain, x, y)
            area.append(blue[max(row - 20, 0):row + 20, col - 20:col + 20].sum())
        self.assertEqual(area[2], 0)
        self.assertTrue(3 < area[0] / area[1] < 8, area)  # 4, but the edge of each circle is a line of its own
        self.assertEqual(blue.sum(), area[0] + area[1])

    def test_vents_that_no_list_has(self):
        """Those of the base are triangles; those of the members of a table are circles whose area is the weight of their members."""
        work, extent = Path(self.work), (case.WEST, case.SOUTH, case.WEST + 10 * case.COLS, case.NORTH)
        case.write_scenario(self.work, "brief.json", run={"until": "1 min", "start": "2026-05-10T06:00Z"})
        (work / "places.csv").write_text("id,weight,vents.0.row,vents.0.col\n0,1,8,20\n1,2,8,20\n2,6,18,10\n3,0,14,30\n4,1,22,32\n")
        for name, plan in (("shared", {"sample": {"method": "full"}, "vary": [{"key": "model.cooling", "values": [100, 150]}]}),
                           ("places", {"members": "places.csv"})):
            case.write_json(work / f"{name}.json", {"base": "brief.json", "result": {"thickness_m": [0]}, **plan})
            self.sciara("ensemble", "run", f"{name}.json", "-q", "--no-estimate", "--no-pictures")
        blue = (self.picture("shared.png", folder="shared", extent=extent) == VENT).all(axis=2)
        done = self.sciara("ensemble", "export", "shared", "-f", "png", "--layer", "probability_0m", "--valid-until", "2026-05-10T05:59Z", "-o", "early.png", code=2)
        self.assertIn("--valid-until: expected a date after the start of the forecast, 2026-05-10T06:00:00Z, found 2026-05-10 05:59 UTC", done.stderr)
        self.picture("last.png", "--valid-until", "2026-05-10", folder="shared", extent=extent)  # until the end of the day
        rows = numpy.flatnonzero(blue.any(axis=1))
        self.assertLess(blue[rows[1]].sum(), 0.5 * blue[rows[-2]].sum(), "a triangle stands on its base")
        image = self.picture("places.png", folder="places", extent=extent)
        blue, areas = (image == VENT).all(axis=2), {}
        for row, col in ((8, 20), (18, 10), (22, 32)):
            r, c = self.pixel(image, case.WEST + 10 * col + 5, case.NORTH - 10 * row - 5, extent)
            areas[row, col] = blue[r - 12:r + 13, c - 12:c + 13].sum()
        self.assertEqual(sum(areas.values()), blue.sum(), "a member of weight 0 has no vent on the map")
        self.assertAlmostEqual(areas[8, 20] / areas[18, 10], 3 / 6, delta=0.15)  # the edge of a circle is a line of its own
        self.assertAlmostEqual(areas[22, 32] / areas[18, 10], 1 / 6, delta=0.12)

    def test_sites_sea_and_degrees(self):
        row, col = self.pixel(self.plain, 448905, 4347005)
        mark, beside = self.plain[row - 9:row + 10, col - 9:col + 10], self.plain[row - 9:row + 10, col - 39:col - 20]
        self.assertGreater(mark.std(), 2 * beside.std(), "the mark of a site")
        whole = self.picture("whole.png", extent=(446000, 4346220, 451170, 4350000))
        self.assertGreater((whole == SEA).all(axis=2).sum(), 1000)
        with_lines = self.picture("lines.png", "--graticule")
        changed = (with_lines != self.plain).any(axis=2)
        change = geo.transformation(4326, 32633)
        for minutes, drawn in ((24, True), (24.25, False)):
            hits = []
            for lat in numpy.linspace(39.2705, 39.2755, 30):
                row, col = self.pixel(self.plain, *change.TransformPoint(14 + minutes / 60, lat)[:2])
                hits.append(changed[row, col - 2:col + 3].any())
            self.assertEqual(numpy.mean(hits) > 0.9, drawn, (minutes, hits))

    def test_assumptions_in_words(self):
        """Members, condition, classes, vents, rates and model stand on the picture, in its language."""
        said = self.facts("plain.png")["assumptions"]
        for text in ("120 of 120 members are finished. Valid only for the assumed vents, eruptions and model", "short 50\u00a0% (0.1\u00a0×\u00a010⁶\u00a0m³, 6 h)",
                     "long 15\u00a0% (0.5\u00a0×\u00a010⁶\u00a0m³, 1 d)", "Vents: 3.", "Eruptions a year: flank 0.02 (0.01–0.04)",
                     f"Varied: factor of the rates 0.9–1.1; relaxation of the clock 0.4–0.5. Model: fv3 (thesis-etna-2006). DEM: volcano.tif, 378\u00a0×\u00a0517."):
            self.assertIn(text, said)
        self.assertNotIn("10 members", said)
        self.picture("it.png", "--language", "it", "--issued", "2026-05-10", "--stamp", "ESERCITAZIONE", "--credits", "me", layer="arrival_q05")
        said = self.facts("it.png")["assumptions"]
        for text in ("Valido solo per le bocche", "Eruzioni ipotizzate: short", "0,02 (0,01–0,04)", "In ogni cella il valore è dei membri che la raggiungono. Solo le celle raggiunte da almeno 10 membri hanno un valore"):
            self.assertIn(text, said)
        self.assertNotIn("{", said)
        for language, words in (("it", ("fattore dei tassi di effusione 0,9", "rilassamento del passo di tempo 0,4")),
                                ("fr", ("Varié", "short 50\u00a0%", "0,1\u00a0×\u00a010⁶\u00a0m³, 6 h", "0,5\u00a0×\u00a010⁶\u00a0m³, 1 j)", "MNT\u00a0: volcano.tif, 378"))):
            self.picture(f"{language}2.png", "--language", language)
            for text in words:
                self.assertIn(text, self.facts(f"{language}2.png")["assumptions"])

    def test_what_varies(self):
        """Volumes and durations of classes, errors of altitudes, texts: the declared ranges, and without one that of the members that count."""
        case.write_scenario(self.work, "plain.json", run={"until": "2 min"}, model={"cooling": 120})
        case.write_json(self.path("v.json"), {
            "base": "plain.json", "events": [{"name": "a", "volume_m3": 9000, "duration": "2 h", "curve": "waning"},
                                             {"volume_m3": 2e5, "duration": "3 d", "curve": "waning"}],
            "vary": [{"key": "events.0.volume_m3", "uniform": [5000, 20000]}, {"key": "events.0.duration", "normal": {"mean": 6500, "sd": 800}},
                     {"key": "elevation_error", "uniform": [1, 3], "correlation_m": 30}, {"key": "run.until", "values": ["1 min", "2 min"]}],
            "sample": {"method": "random", "count": 4, "seed": 1}, "result": {"thickness_m": [0]}})
        self.sciara("ensemble", "run", "v.json", "-q", "--no-estimate", "--no-pictures")
        self.sciara("ensemble", "export", "v", "-q", "-f", "png", "--layer", "probability_0m", "-o", "v.png")
        rows = case.read_rows(self.path("v", "members.csv"))
        first = [row for row in rows if row["event"] == "0"]
        times = [f"{s // 3600} h" + (f" {s % 3600 // 60} min" if s % 3600 else "") for s in
                 (60 * round(end(float(row["duration_s"]) for row in first) / 60) for end in (min, max))]
        self.assertTrue(len({row["run.until"] for row in rows}) == 2 and times[0] != times[1])
        self.assertTrue(all(5000 < float(row["volume_m3"]) < 20000 for row in first), "others than what is said")
        said = self.facts("v.png")["assumptions"].replace("\u00a0", " ")
        self.assertIn(f"Assumed eruptions: a 50 % (5000 m³–20000 m³, {'–'.join(times)}); event 2 50 % (0.2 × 10⁶ m³, 3 d).", said)
        self.assertIn("standard deviation of the altitudes 1–3 m", said)
        self.assertRegex(said, r"run\.until ([12] min), (?!\1)[12] min\.")
        self.assertIn("Model: fv3 (thesis-etna-2006; cooling parameter 120 m²). DEM: dem.asc, 30 × 40.", said)
        plan = json.loads(Path(self.path("v", "ensemble.json")).read_text(encoding="utf-8"))
        plan["declared"]["ranges"][0]["low"] = "x"
        case.write_json(self.path("v", "ensemble.json"), plan)
        done = self.sciara("ensemble", "export", "v", "-q", "-f", "png", "--layer", "probability_0m", "-o", "w.png", code=3)
        self.assertIn("v/ensemble.json: declared: expected ranges with a key, low and high, found something else", done.stderr)
        self.assertFalse(os.path.exists(self.path("w.png")))

    def test_the_eruption_of_the_base(self):
        """Without classes it is told with its rate; a mapped outline from which members begin is named with its time."""
        case.write_scenario(self.work, "steady.json", title="East side", run={"until": "12 min", "start": "2026-11-27T22:00:00Z"}, initial={
            "observed": {"outline": "front.geojson", "volume_m3": 500, "time": "10 min"}})
        x, y = case.WEST + 10 * case.VENT[1], case.NORTH - 10 * case.VENT[0] - 10
        ring = [[x, y], [x + 30, y], [x + 30, y - 40], [x, y - 40], [x, y]]
        case.write_features(self.path("front.geojson"), ({}, "Polygon", [ring]))
        case.write_json(self.path("b.json"), {"base": "steady.json", "sample": {"method": "full"}, "result": {"thickness_m": [0]},
                                              "vary": [{"key": "rate_scale", "values": [0.5, 1.5]}, {"key": "initial.observed.temperature", "values": [1200, 1350]}]})
        self.sciara("ensemble", "run", "b.json", "-q", "--no-estimate", "--no-pictures")
        self.sciara("ensemble", "export", "b", "-q", "-f", "png", "--layer", "probability_0m", "-o", "b.png")
        said = self.facts("b.png")["assumptions"].replace("\u00a0", " ")
        for text in ("Assumed eruption: 6000 m³ in 20 min, at most 6 m³/s. Varied: factor of the rates 0.5–1.5; temperature of the mapped lava 1200–1350 K. Model",
                     "Begins with the lava mapped in front.geojson, simulated time 10 min (2026-11-27 22:10 UTC).", "Start: 2026-11-27 22:00 UTC.",
                     "Forecast, valid only for the assumed vents, effusion and model. Times count from the mapped outline, simulated "
                     "time 10 min (2026-11-27 22:10 UTC).", "At 2 min after the outline (2026-11-27 22:12 UTC) the lava of 4 of 4"):
            self.assertIn(text, said)
        self.assertNotIn("if such an eruption happens", said)
        self.assertIn("until 2 min after the outline (2026-11-27 22:12 UTC)", self.facts("b/maps/probability_0m.tif")["meaning"])
        self.assertTrue(self.table("b", "sites.csv")[0]["condition"].startswith("forecast, valid only for the assumed vents, effusion and model; until 2 min after the outline (2026"))
        self.sciara("ensemble", "export", "b", "-q", "-f", "html", "-o", "b.html", "--language", "it")
        page = Path(self.path("b.html")).read_text(encoding="utf-8")
        data = json.loads(page.split('<script type="application/json" id="data">')[1].split("</script>")[0])
        self.assertEqual((data["title"], data["hazard"]["condition"], data["hazard"]["after"]), ("East side", "FORECAST_CONDITION", "AFTER_OUTLINE"))

    def test_censored_members_in_words(self):
        """A plan that some members do not finish says so, with the bound of the map; independent sums."""
        work = Path(self.work)
        vents = [{"name": "v", "x": 500200, "y": 4177220, "effusion": {"slot": "10 min", "rates_m3_s": [4]}}]
        case.write_scenario(self.work, "small.json", vents=vents)
        case.write_json(work / "c.json", {"base": "small.json", "sample": {"method": "full"},
                                          "vary": [{"key": "run.max_steps", "values": [50, 100000], "weights": [3, 1]}],
                                          "result": {"thickness_m": [0], "within": ["1 s", "1 d"], "eruptions_per_year": [{"rate": 0.1}], "years": [50]}})
        self.sciara("ensemble", "run", "c.json", "-q", "--no-estimate")
        said = self.facts("c/maps/probability_0m.png")["assumptions"]
        self.assertIn("1 of 2 members ended at a limit, before their lava came to rest: probabilities are lower bounds. Where none "
                      "arrived lava may still, and the upper bound is up to 100 %.", said)  # at the vent; elsewhere 75 %
        years = self.facts("c/maps/probability_50years_0m.png")["assumptions"]
        self.assertIn(f"up to {100 * (1 - numpy.exp(-50 * 0.1)):.3g} %", years)
        self.assertIn("; lower bounds, because 1 of 2 members ended at a limit", case.read_rows(self.path("c", "sites.csv"))[0]["condition"])
        for within, bounded in (("1s", False), ("24h", True)):  # the steps of the member that ends early take longer than 1 s
            self.assertEqual("lower bounds" in self.facts(f"c/maps/reached_within_{within}.png")["assumptions"], bounded, within)

    def test_times_before_the_end(self):
        """What lava does after the end of members does not matter to a map of what it reaches before them."""
        case.write_scenario(self.work, "late.json", run={"until": "30 min"})
        minutes = (10, 20, 25, 30)
        case.write_json(self.path("l.json"), {"base": "late.json", "sample": {"method": "full"}, "vary": [{"key": "run.until", "values": ["20 min", "30 min"]}],
                                              "result": {"thickness_m": [0], "within": [f"{k} min" for k in minutes]}})
        self.sciara("ensemble", "run", "l.json", "-q", "--no-estimate", "--no-pictures")
        for layer, later in {"probability_0m": True, **{f"reached_within_{k}min": k > 20 for k in minutes}}.items():
            self.sciara("ensemble", "export", "l", "-q", "-f", "png", "--layer", layer, "-o", f"{layer}.png")
            said = self.facts(f"{layer}.png")["assumptions"].replace("\u00a0", " ")
            self.assertEqual("the lava of 2 of 2 members is still liquid: what it reaches later does not count" in said, later, layer)

    def test_refused(self):
        done = self.sciara("ensemble", "export", "e", "-f", "png", "--layer", "lava", code=2)
        self.assertIn("--layer: expected probability_0m, ", done.stderr)
        self.assertIn("--layer is missing", self.sciara("ensemble", "export", "e", "-f", "png", code=2).stderr)
        self.assertEqual([n for n in os.listdir(self.path("e", "maps")) if n.endswith(".png")], [])
