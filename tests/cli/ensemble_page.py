# SPDX-License-Identifier: Apache-2.0
"""The page of `sciara ensemble export` in a browser, as large as a desktop and as a phone: what a click on a place says is
what the batches say."""
import json
import math
import os
import re
import subprocess
from pathlib import Path

import browser
import case
from quantile import student

import batches
import h5py
import numpy as np

browser.skip_without()
SOURCE, BUILD = Path(os.environ["SCIARA_SOURCE_DIR"]), Path(os.environ["SCIARA_BUILD_DIR"])
NODATA = -9999.0


HALF_STEP = 0.0051  # percent: what the page shows has steps of 0.01 %
FULL_WORDS = {"en": ("grid difference", "no bound", "no sampling error, and no bound where no member reaches"),
              "it": ("differenza di griglia", "nessun limite", "nessun errore di campionamento"),
              "fr": ("écart de grille", "aucune borne", "aucune erreur d’échantillonnage"),
              "es": ("diferencia de cuadrícula", "sin cota", "no hay error de muestreo"),
              "is": ("netmismunur", "engin mörk", "engin úrtaksskekkja")}


def gdal_info(path):
    """What a map says of itself; in a process of its own, as HazardPage.raster."""
    done = subprocess.run(["gdalinfo", "-json", path], check=True, stdout=subprocess.PIPE, encoding="utf-8")
    return json.loads(done.stdout)["metadata"][""]


class HazardPage(browser.BrowserCase):
    page = "page.html"

    @classmethod
    def prepare(cls):
        work = Path(cls.work)
        ensemble = json.loads((SOURCE / "config/hazard.json").read_text())
        ensemble["base"] = str(SOURCE / "config/hazard-base.json")
        ensemble["vents"] = {"grid": {"extent": [447600, 4347200, 448800, 4348000], "step_m": 200}}
        ensemble["sample"] = {"method": "random", "count": 3, "seed": 1}
        ensemble["result"]["sites"].append({"name": "quarry", "x": 448253, "y": 4347553})
        (work / "e.json").write_text(json.dumps(ensemble))
        case.run_program("ensemble", "plan", "e.json", "-o", "e", "--no-estimate", cwd=cls.work)
        subprocess.run([BUILD / "sciara_ensemble_synthetic", work / "e", "600", "--failed", "31"], check=True,
                       stdout=subprocess.DEVNULL)
        case.run_program("ensemble", "reduce", "e", "--no-pictures", cwd=cls.work)
        case.run_program("ensemble", "export", "e", "-f", "html", "-o", "page.html", "--title", "</script><b>", cwd=cls.work)
        one = {**ensemble, "vents": {"grid": {"extent": [447700, 4347200, 447800, 4347300], "step_m": 100}},
               "sample": {"method": "random", "count": 8, "seed": 1}}
        ensemble["sample"] = {"method": "full"}
        (work / "one.json").write_text(json.dumps(one))
        case.run_program("ensemble", "plan", "one.json", "-o", "one", "--no-estimate", cwd=cls.work)
        subprocess.run([BUILD / "sciara_ensemble_synthetic", work / "one", "600"], check=True, stdout=subprocess.DEVNULL)
        (work / "full.json").write_text(json.dumps(ensemble))
        case.run_program("ensemble", "plan", "full.json", "-o", "full", "--no-estimate", cwd=cls.work)
        subprocess.run([BUILD / "sciara_ensemble_synthetic", work / "full", "600"], check=True, stdout=subprocess.DEVNULL)
        cls.read_batches(work / "e")
        cls.start_browser()

    @classmethod
    def read_batches(cls, folder):
        cls.plan = json.loads((folder / "ensemble.json").read_text())
        cls.rows = case.read_rows(folder / "members.csv")
        weight = {row["id"]: float(row["weight"]) for row in case.read_rows(folder / "weights.csv")}
        strata = {}  # finished members
        cls.members = []  # (weight, vent, event, cells)
        for f in batches.members(folder):
            row = cls.rows[int(f["id"])]
            if not f["failed"]:
                cls.members.append((weight[row["id"]], int(row["vent"]), int(row["event"]), f["cell"]))
                strata[row["stratum"]] = strata.get(row["stratum"], 0) + 1
        assert min(strata.values()) > 1, "strata of one draw would be joined"
        assert len(strata) == len({(vent, event) for _, vent, event, _ in cls.members}), "a stratum is a vent and a class"
        cls.degrees = sum(strata.values()) - len(strata)
        whole, done = {}, {}  # finished members stand for the others of their vent and class
        for row in cls.rows.values() if isinstance(cls.rows, dict) else cls.rows:
            key = int(row["vent"]), int(row["event"])
            whole[key] = whole.get(key, 0) + weight[row["id"]]
        for w, *key, _ in cls.members:
            done[tuple(key)] = done.get(tuple(key), 0) + w
        cls.members = [(w * whole[vent, event] / done[vent, event], vent, event, cells) for w, vent, event, cells in cls.members]
        assert abs(sum(w for w, *_ in cls.members) - 1) < 1e-12
        cls.largest = max(w for w, *_ in cls.members)
        cls.maps = {name: cls.raster(folder / f"maps/{name}.tif")
                    for name in ("probability_0m", "probability_2m", "reached_within_6h", "arrival_q50")}

    @classmethod
    def raster(cls, path):
        """In a process of its own: the HDF5 of GDAL and that of h5py may differ."""
        raw = Path(cls.work) / (path.stem + ".raw")
        subprocess.run(["gdal_translate", "-q", "-of", "ENVI", "-ot", "Float64", "-b", "1", path, raw], check=True)
        return np.fromfile(raw)

    def tearDown(self):
        self.assertEqual(self.browser.complaints, [], "errors in the browser")
        self.assertEqual(self.browser.requests, [f"file://{self.path(self.page)}"], "what was loaded")

    def open(self, **how):
        super().open(self.page, **how)
        self.data = self.browser.evaluate("(({grid, window, box, hazard}) => ({grid, window, box, block: hazard.block}))"
                                          "(JSON.parse(document.getElementById('data').textContent))")

    def table(self, name):
        return self.browser.evaluate(f"[...document.querySelectorAll('#{name} tr')].map((row) => "
                                     "[row.children[0].textContent, row.children[1].textContent])")

    def place_of(self, cell):
        """The centre of a cell of the grid on the screen, the map not zoomed."""
        row, col = divmod(cell, self.data["grid"]["cols"])
        top, left, rows, cols = self.data["window"]
        self.browser.evaluate("document.getElementById('map').scrollIntoView({block: 'nearest'})")
        box = self.browser.evaluate("(({x, y, width, height}) => [x, y, width, height])"
                                    "(document.getElementById('map').getBoundingClientRect())")
        scale = min(box[2] / cols, box[3] / rows)
        x = box[0] + (box[2] - scale * cols) / 2 + (col - left + 0.5) * scale
        y = box[1] + (box[3] - scale * rows) / 2 + (row - top + 0.5) * scale
        return x, y

    def colour_of(self, cell):
        return self.browser.evaluate(f"{browser.COLOURS}([{list(self.place_of(cell))}])")[0]

    def choose(self, cell, tap=False):
        """Clicks on a cell."""
        x, y = self.place_of(cell)
        if tap:
            self.browser.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
            self.browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        else:
            self.browser.click(x, y)
        found = self.browser.evaluate("document.getElementById('cell').textContent.match(/(\\d+)\\D+(\\d+)/).slice(1)")
        return int(found[0]) * self.data["grid"]["cols"] + int(found[1])

    def shares(self, cell, of):
        """Shares in percent of what reaches the block of a cell, by vent (1) or class (2), the largest first."""
        cols, block = self.data["grid"]["cols"], self.data["block"]
        place = lambda c: ((c // cols - self.data["box"][0]) // block, (c % cols - self.data["box"][1]) // block)
        mine, sums = place(cell), {}
        for member in self.members:
            rows, columns = place(member[3])
            if ((rows == mine[0]) & (columns == mine[1])).any():
                sums[member[of]] = sums.get(member[of], 0) + member[0]
        return sorted((100 * w / sum(sums.values()) for w in sums.values()), reverse=True)[:8]

    def ends(self, cell):
        """The 95 % interval that lava arrives, percent: p with error and t from the members, the ends x of Wilson."""
        p, variance, strata = 0, 0, {}
        for w, vent, event, cells in self.members:
            strata.setdefault((vent, event), []).append((w, bool(np.any(cells == cell))))
        for draws in strata.values():
            hits = sum(hit for _, hit in draws)
            p += sum(w * hit for w, hit in draws)
            variance += len(draws) / (len(draws) - 1) * sum(w * w * (hit - hits / len(draws)) ** 2 for w, hit in draws)
        if p > 1 - 1e-12:
            return 100 * (1 - 3 * self.largest), 100
        v = student(self.degrees) ** 2 * (variance + self.largest ** 2) / (p * (1 - p))  # (x - p)^2 = v x (1 - x)
        return tuple(100 * x for x in sorted(np.roots([1 + v, -(2 * p + v), p * p]).real))

    def assert_shown(self, cell):
        percent = {name: 100 * float(values[cell]) for name, values in self.maps.items()}
        shown = self.text("value-probability_0m")
        match = re.fullmatch(r"([0-9.]+) %(?: \[95 %: ([0-9.]+) to ([0-9.]+) %\])? \([0-9.]+ to [0-9.]+ %\)", shown)
        self.assertTrue(match, shown)
        value, *ends = (float(number) for number in match.groups() if number)
        self.assertAlmostEqual(value, percent["probability_0m"], delta=HALF_STEP)
        self.assertEqual(len(ends), 2, shown)
        for found, right in zip(ends, self.ends(cell)):
            self.assertAlmostEqual(found, right, delta=HALF_STEP, msg=f"an end of the interval of {shown}")
        self.assertAlmostEqual(float(self.text("value-reached_within_6h").split(" ")[0]), percent["reached_within_6h"],
                               delta=HALF_STEP)
        median, shown = self.maps["arrival_q50"][cell], self.text("value-arrival_q50")
        if median == NODATA:
            self.assertEqual(shown, "too few members")
        else:
            number, unit = shown.split(" ")
            size = {"s": 1, "h": 3600, "d": 86400}[unit]
            self.assertAlmostEqual(float(number) * size, median, delta=max(60, 0.006 * size))
        for kind, of in (("vents", 1), ("events", 2)):
            table = [(name, float(share.split(" ")[0])) for name, share in self.table(f"threat-{kind}") if name != "others"]
            expected = self.shares(cell, of)
            self.assertEqual(len(table), len(expected), f"{kind}: {table}, {expected}")
            for (name, share), right in zip(table, expected):
                self.assertAlmostEqual(share, right, delta=HALF_STEP, msg=f"{kind} {name}")
        names = [event["name"] for event in self.plan["events"]]
        self.assertLessEqual({name for name, _ in self.table("threat-events")}, set(names))

    def places(self):
        """The cell that most members reach, one that few reach, one that none does."""
        chance = self.maps["probability_0m"]
        wet = np.flatnonzero(chance > 0)
        order = wet[np.argsort(chance[wet], kind="stable")]
        return int(order[-1]), int(order[len(order) // 2]), int(order[0])

    def keep(self, name):
        if os.environ.get("SCIARA_TEST_PICTURES"):
            self.browser.screenshot(os.path.join(os.environ["SCIARA_TEST_PICTURES"], name))

    def test_desktop(self):
        self.open(width=1280, height=1000)
        self.assertRegex(self.text("members"), r"^\d+ of \d+ members are finished\.$")
        whole = self.browser.evaluate("document.body.innerText")
        self.assertEqual(whole.count("Valid only for the assumed vents, eruptions and model"), 1)
        self.assertEqual(self.text("title"), "</script><b>")
        self.assertRegex(self.text("assumed"), r"^Assumed eruptions: short 50\u00a0% .*\. Vents: 24\. Eruptions a year: flank 0\.02 .*\. Model: fv3")
        for cell in self.places():
            self.assert_shown(self.choose(cell))
        self.keep("hazard-desktop.jpg")
        labels = self.browser.evaluate("Object.fromEntries([...document.querySelectorAll('[id^=value-]')].map((cell) => "
                                       "[cell.id.slice(6), cell.closest('tr').children[0].textContent]))")
        self.assertEqual(labels["probability_0m"], "Lava arrives")
        found = {name: re.fullmatch(r"(?:probability_(?:(.+)years_)?|reached_within_)([0-9.]+)(m|h)", name) for name in labels}
        self.assertGreaterEqual(sum(bool(match and match[1]) for match in found.values()), 4)
        for name, match in found.items():
            if match and name != "probability_0m":
                self.assertEqual(labels[name], "Lava arrives within " + {"24": "1 d"}.get(match[2], f"{match[2]} h") if match[3] == "h" else
                                 f"Lava arrives within {match[1]} years" if match[2] == "0" else
                                 f"Max deposit above {match[2]} m" + (f" in {match[1]} years" if match[1] else ""))
        self.assertIn(f"{self.data['block'] * self.data['grid']['cell_m']:g} m", self.text("threats"))
        dry = int(np.flatnonzero(self.maps["probability_0m"] == 0)[0])
        window, cols = self.data["window"], self.data["grid"]["cols"]
        dry = next(c for c in np.flatnonzero(self.maps["probability_0m"] == 0)
                   if window[0] < c // cols < window[0] + window[2] - 1 and window[1] < c % cols < window[1] + window[3] - 1)
        self.choose(int(dry))
        self.assertEqual(self.text("threats"), "No finished member reaches this place.")
        self.assert_bounds(set(labels), found)

    def assert_bounds(self, labels, matches):
        """The chosen place has no hits: each probability has its own bound, that of P_T by its years and the highest rate."""
        bounds = {None: min(1, 3 * self.largest)}
        for years in (10, 50):
            bounds[str(years)] = 1 - math.exp(-years * min(0.04, 3 * 0.04 * self.largest))
        seen = set()
        for name in labels:
            if matches[name]:
                shown = re.fullmatch(r"0\.00 % \(0\.00 to [0-9.]+ %\); upper 95 % bound ([0-9.]+) %", self.text(f"value-{name}"))
                self.assertTrue(shown, self.text(f"value-{name}"))
                self.assertAlmostEqual(float(shown[1]), 100 * bounds[matches[name][1]], delta=HALF_STEP, msg=name)
                seen.add(shown[1])
                self.browser.evaluate("{ const list = document.querySelector('#fields select'); list.value = '" + name + "'; "
                                      "list.dispatchEvent(new Event('change')); }")
                self.assertIn(shown[0], self.text("hover"), "the layer on the map")
        self.assertEqual(len(seen), 3, "bounds that differ")

    def test_a_place_that_all_members_reach(self):
        """Of three classes with eight draws each the largest weight is 0.5 / 8: the interval begins at 1 - 3 / 16."""
        self.page = "one.html"
        self.sciara("ensemble", "export", "one", "-f", "html", "-o", self.page)
        self.browser.requests.clear()
        self.open()
        grid = self.data["grid"]
        row, col = int((grid["north_m"] - 4347250) / grid["cell_m"]), int((447750 - grid["west_m"]) / grid["cell_m"])
        self.choose(row * grid["cols"] + col)
        self.assertEqual(self.text("value-probability_0m"), "100.00 % [95 %: 81.25 to 100.00 %]")

    def full_hits(self):
        """Of the full plan: weights of the members, the colours of their vents on a chessboard, and the cells of each."""
        folder = Path(self.path("full"))
        rows = case.read_rows(folder / "members.csv")
        weight = np.array([float(row["weight"]) for row in case.read_rows(folder / "weights.csv")])
        x, y = (np.array([float(row[f"vents.0.{axis}"]) for row in rows]) for axis in "xy")
        colour = np.rint((x - x.min()) / 200 + (y - y.min()) / 200).astype(int) % 2
        cells = {int(f["id"]): f["cell"] for f in batches.members(folder)}
        return weight / weight.sum(), colour, [cells[int(row["id"])] for row in rows]

    def test_full_plan(self):
        """No error and no bound, in each language: the difference of two halves of the vents, and its name."""
        weight, colour, cells = self.full_hits()
        wet = np.unique(np.concatenate(cells))
        hit = lambda cell: np.array([np.any(member == cell) for member in cells])
        place = int(wet[len(wet) // 3])
        halves = [weight[colour == c] @ hit(place)[colour == c] / weight[colour == c].sum() for c in (0, 1)]
        value, difference = 100 * weight @ hit(place), 50 * abs(halves[0] - halves[1])
        self.assertTrue(difference > 0.1 and np.ptp([weight[colour == c].sum() for c in (0, 1)]) < 0.5)
        for language, (name, nothing, header) in FULL_WORDS.items():
            self.page = f"full-{language}.html"
            self.sciara("ensemble", "export", "full", "-f", "html", "-o", self.page, "--language", language)
            self.browser.requests.clear()
            self.open(width=1280, height=1000)
            self.assertIn(header, self.text("members"))
            decimal = "." if language == "en" else ","
            self.assertEqual(self.choose(place), place)
            shown = re.fullmatch(rf"(\d+{re.escape(decimal)}\d\d) %; {name} (\d+{re.escape(decimal)}\d\d) %", self.text("value-probability_0m"))
            self.assertTrue(shown, self.text("value-probability_0m"))
            for found, right in zip(shown.groups(), (value, difference)):
                self.assertAlmostEqual(float(found.replace(",", ".")), right, delta=HALF_STEP)
            window, cols = self.data["window"], self.data["grid"]["cols"]
            dry = next(c for c in range(window[0] * cols, (window[0] + window[2]) * cols) if c not in wet and
                       window[0] < c // cols < window[0] + window[2] - 1 and window[1] < c % cols < window[1] + window[3] - 1)
            self.choose(int(dry))
            for layer in ("probability_0m", "reached_within_6h", "probability_50years_2m"):
                self.assertEqual(self.text(f"value-{layer}"), f"0{decimal}00 %; {nothing}")
            self.assertIn(f"; {name} ", dict(self.table("sites"))["quarry"])
            self.assertNotIn("[95 %", self.browser.evaluate("document.body.innerText"))

    def hidden_by_vents(self):
        """The part of the map between the vents that has their colour; the whole map is shown."""
        return self.browser.evaluate("""(() => {
            const data = JSON.parse(document.getElementById("data").textContent), canvas = document.getElementById("map");
            const scale = canvas.width / data.window[3], at = (axis) => data.vents.map(({points}) => points[0][axis] * scale);
            const [left, top] = [0, 1].map((axis) => Math.floor(Math.min(...at(axis))));
            const [width, height] = [0, 1].map((axis) => Math.ceil(Math.max(...at(axis))) - [left, top][axis]);
            const {data: rgba} = canvas.getContext("2d").getImageData(left, top, width, height);
            let count = 0;
            for (let i = 0; i < rgba.length; i += 4) count += rgba[i] < 40 && rgba[i + 1] > 160 && rgba[i + 2] > 170;
            return count / (width * height);
        })()""")

    def test_phone(self):
        self.open(width=360, height=740, touch=True, ratio=2, dark=True)
        self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 360)
        self.keep("hazard-phone-map.jpg")
        hidden = self.hidden_by_vents()
        self.assertTrue(0.01 < hidden < 0.12, hidden)
        self.assert_shown(self.choose(self.places()[0], tap=True))
        self.browser.evaluate("document.getElementById('cell').scrollIntoView()")
        self.keep("hazard-phone.jpg")

    def assert_site(self, said, row, layer):
        """Every number of a site for a map is that of sites.csv."""
        percent = lambda column: 100 * float(row[column])
        self.assertAlmostEqual(float(said.split(" ")[0]), percent(layer), delta=HALF_STEP)
        ends = re.search(r"\[95 %: ([0-9.]+) to ([0-9.]+) %\]", said)
        years = re.fullmatch(r"probability_(\d+years)_[0-9.]+m", layer)
        hit = row[f"{layer}_hits"] != "0" if not years else float(row[layer]) > 0
        self.assertEqual(bool(ends), hit and not years, said)
        for at, end in zip(ends.groups() if ends else (), ("low", "high")):
            self.assertAlmostEqual(float(at), percent(f"{layer}_interval_95_{end}"), delta=HALF_STEP)
        self.assertEqual("upper 95 % bound" in said, not hit, said)
        if not hit:
            bound = float(re.search(r"; upper 95 % bound ([0-9.]+) %", said)[1])
            self.assertAlmostEqual(bound, percent(f"upper_95_without_hits_{years[1]}" if years else "upper_95_without_hits"), delta=HALF_STEP)
        bounds = [percent(f"{layer}_{end}") for end in ("low", "high")]
        found = re.search(r"\(([0-9.]+) to ([0-9.]+) %\)", said)
        self.assertLess(*bounds, "a failed member, or the interval of the rates")
        for at, value in zip(found.groups(), bounds):
            self.assertAlmostEqual(float(at), value, delta=HALF_STEP)
        median = row["arrival_q50_s"]
        later = re.search(r"; ((?:\d+ (?:d|h|min|s) ?)+)$", said)
        self.assertEqual(bool(later), median != "", said)
        if later:
            parts = re.findall(r"(\d+) (d|h|min|s)", later[1])
            time = sum(int(count) * {"d": 86400, "h": 3600, "min": 60, "s": 1}[unit] for count, unit in parts)
            self.assertAlmostEqual(time, float(median), delta=30 if time >= 3600 else 1)

    def test_another_map_and_a_site(self):
        self.open()
        before = self.browser.evaluate("document.getElementById('map').toDataURL()")
        choices = self.browser.evaluate("[...document.querySelectorAll('#fields option')].map((o) => o.textContent).join('|')").split("|")
        self.assertGreater(len(choices), 6)
        self.browser.evaluate("{ const list = document.querySelector('#fields select'); list.selectedIndex = 3; "
                              "list.dispatchEvent(new Event('change')); }")
        self.assertNotEqual(self.browser.evaluate("document.getElementById('map').toDataURL()"), before)
        sites = {row["site"]: row for row in case.read_rows(self.path("e/sites.csv")) if row["site"]}
        maps = self.browser.evaluate("[...document.querySelectorAll('#fields option')].map((o) => [o.value, o.textContent])")
        self.assertGreaterEqual(sum("years" in name for name, _ in maps), 4)
        for layer, label in maps:
            self.browser.evaluate(f"{{ const list = document.querySelector('#fields select'); list.value = '{layer}'; "
                                  "list.dispatchEvent(new Event('change')); }")
            chance = layer.startswith(("probability", "reached"))
            said = f"Probability: {label if chance else 'Lava arrives'}; 50 % quantile of the arrival, of the members that reach it"
            years = ". In brackets: with the interval of the eruptions a year." if "years" in layer else ""
            self.assertEqual(self.browser.evaluate("document.querySelector('#sites p').textContent"), said + years)
            self.assertEqual("In each cell the value is of the members that reach it." in self.text("quantisation"),
                             "_q" in layer or layer.endswith("_mean"), layer)
            shown = dict(self.table("sites"))
            self.assertGreater(len(shown), 0)
            self.assertLessEqual(set(shown), set(sites))
            for name, text in shown.items():
                self.assert_site(text, sites[name], layer if chance else "probability_0m")
        dated = next(name for name in shown if sites[name]["arrival_q50_s"])
        said = self.sciara("ensemble", "query", "e", "--at", dated).stdout
        self.assertRegex(said, r"(?m)^  arrival q50 if reached +\d")
        self.assertIn("P(it | reached), median arrival of the hits (10 or more)\n", said)
        grid = self.data["grid"]
        for k, site in enumerate(self.plan["result"]["sites"]):
            self.browser.evaluate(f"document.querySelectorAll('#sites button')[{k}].click()")
            row, col = map(int, re.search(r"row (\d+), column (\d+)", self.text("cell")).groups())
            points = site.get("polygon") or [[site["x"], site["y"]]]
            for at, of in ((grid["west_m"] + (col + 0.5) * grid["cell_m"], [x for x, _ in points]),
                           (grid["north_m"] - (row + 0.5) * grid["cell_m"], [y for _, y in points])):
                self.assertTrue(min(of) - grid["cell_m"] / 2 <= at <= max(of) + grid["cell_m"] / 2, (site["name"], at))

    def test_no_colour_for_nothing(self):
        """Where a probability is 0 the ground is seen, which is grey, also where other maps have a value."""
        self.open()
        self.browser.evaluate("document.getElementById('vents').click()")
        lava, thick = (self.maps["probability_0m"], self.raster(Path(self.path("e/maps/probability_2m.tif"))))
        self.browser.evaluate("{ const list = document.querySelector('#fields select'); list.value = 'probability_2m'; "
                              "list.dispatchEvent(new Event('change')); }")
        dry, wet = np.flatnonzero((lava > 0) & (thick == 0)), np.flatnonzero(thick > 0)
        self.assertTrue(len(dry) > 10 and len(wet) > 10)
        for cells, grey in ((dry, True), (wet, False)):
            for cell in cells[::len(cells) // 6]:
                self.assertEqual(len(set(self.colour_of(int(cell)))) == 1, grey, (cell, self.colour_of(int(cell))))

    def test_members_that_end_with_liquid_lava(self):
        """A plan until a time: labels of maps say until when, and how many members still had liquid lava stands on page, picture,
        table and maps. Arrivals before that time are final."""
        start = "2026-11-21T23:50:30Z"
        case.write_scenario(self.work, "short.json", run={"until": "30 min", "start": start})
        case.write_json(self.path("u.json"), {
            "base": "short.json", "sample": {"method": "full"}, "vary": [{"key": "model.cooling", "values": [150, 1e5]}],
            "result": {"thickness_m": [0, 1], "within": ["10 min"], "sites": [{"name": "vent", "x": 500205, "y": 4177215}]}})
        self.sciara("ensemble", "run", "u.json", "-q", "--no-estimate", "-o", "u")
        liquid = 0
        for path in Path(self.path("u", "batches")).glob("*.h5"):
            with h5py.File(path) as f:
                liquid += int(((f["liquid_m3"][:] > 0) & (f["stop"][:] == 2)).sum())  # ended at its time
        self.assertEqual(liquid, 1, "the other one is solid")
        date = case.minute_after(start, 1800)
        until = f"until 30 min after the start ({date})"
        self.assertIn(f"; {until}, when the lava of 1 of 2 members is still liquid", case.read_rows(self.path("u", "sites.csv"))[0]["condition"])
        pictures = {name: gdal_info(self.path("u", "maps", f"{name}.png")) for name in ("probability_0m", "reached_within_10min")}
        self.assertIn(f"At 30 min after the start ({date}) the lava of 1 of 2 members is still liquid", pictures["probability_0m"]["assumptions"])
        self.assertIn("Times count from 2026-11-21 23:50 UTC.", pictures["reached_within_10min"]["assumptions"])
        query = self.sciara("ensemble", "query", "u", "--at", "500205,4177215").stdout
        self.assertIn(f"\n  lava arrives within 10 min ({case.minute_after(start, 600)}) ", query)
        for name, of_end in (("probability_0m", True), ("probability_1m", True), ("deposit_q50", True), ("deposit_max", True),
                             ("reached_within_10min", False), ("arrival_q50", False), ("arrival_first", False)):
            self.assertEqual(until in gdal_info(self.path("u", "maps", f"{name}.tif"))["meaning"], of_end, name)
        for language, label in (("en", f"Lava arrives, {until}"), ("fr", f"Arrivée de la lave, jusqu’à 30 min après le début ({date})")):
            self.page = f"until-{language}.html"
            self.sciara("ensemble", "export", "u", "-f", "html", "-o", self.page, "--language", language)
            self.browser.requests.clear()
            self.open(width=360, height=740, touch=True)
            self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 360)
            labels = self.browser.evaluate("Object.fromEntries([...document.querySelectorAll('#fields option')].map((one) => "
                                           "[one.value, one.textContent]))")
            self.assertEqual(labels["probability_0m"], label)
            for name, text in labels.items():
                self.assertEqual("30 min" in text, not name.startswith(("reached_within", "arrival")), text)
            self.assertIn(f"At 30 min after the start ({date}) the lava of 1 of 2" if language == "en" else f"À 30 min après le début ({date})",
                          self.text("members"))
            self.assertEqual(labels["reached_within_10min"].endswith(f" 10 min ({case.minute_after(start, 600)})"), True, labels)
            self.assertIn({"en": "Times count from", "fr": "à partir du"}[language] + " 2026-11-21 23:50 UTC", self.text("members"))
            for seconds in (0, 29.9, 30, 3599.9, 3600, 3629, 3630, 1e5):
                self.assertEqual(self.browser.evaluate(f"dateText('{start}', {seconds})"), f" ({case.minute_after(start, seconds)})")

    def test_members_that_end_at_different_times(self):
        case.write_scenario(self.work, "short.json")
        case.write_json(self.path("v.json"), {"base": "short.json", "sample": {"method": "full"}, "vary": [{"key": "run.until", "values": [1200, 2400]}]})
        self.sciara("ensemble", "run", "v.json", "-q", "--no-estimate", "--no-pictures", "-o", "v")
        self.sciara("ensemble", "export", "v", "-f", "html", "-o", "v.html")
        self.assertRegex(case.read_text(self.path("v.html")), r'"liquid":{"members":2,"from_s":12[0-4]\d\.\d+,"to_s":24[0-4]\d\.')
        self.browser.requests = [f"file://{self.path('page.html')}"]

    def test_verification(self):
        """What came true of each class of probabilities, in a diagram and a table; that of other conditions is left out."""
        found = json.loads(self.sciara("verify", "e", "--observed", "e/maps/deposit_max.tif", "--json", "-q").stdout)
        for self.page, condition in (("judged.html", found["condition"]), ("unjudged.html", "another")):
            said = [one for one in found["all"]["said"] if one["cells"] and condition != "another"]
            case.write_json(self.path("e", "verification.json"), found | {"condition": condition})
            self.assertEqual("repeat 'sciara verify'" in self.sciara("ensemble", "export", "e", "-f", "html", "-o", self.page).stderr, not said)
            self.open()
            shown = self.browser.evaluate("['td', 'circle'].map((kind) => [...document.querySelectorAll(`#verified ${kind}`)].map("
                                          "(one) => kind === 'td' ? one.textContent : ['cx', 'cy'].map((key) => Number(one.getAttribute(key)))))")
            self.assertEqual(shown[0], [f"{100 * s['observed']:.1f} % of {s['cells']:,} cells were covered" + s["off"] * "; off by more than 20 points" for s in said])
            np.testing.assert_allclose(shown[1], [[40 + 180 * s["mean"], 20 + 180 * (1 - s["observed"])] for s in said], atol=0.051)

    def test_languages(self):
        self.sciara("ensemble", "export", "e", "-f", "html", "-o", "it.html", "--language", "it", "--issued", "2026-05-10", "--credits", "Oss.")
        self.browser.open(f"file://{self.path('it.html')}")
        self.browser.wait_until(self.READY)
        self.assertEqual((self.text("validity"), self.text("credits")), ("Emessa il 2026-05-10", "Oss."))
        self.assertIn("Valido solo per le bocche", self.browser.evaluate("document.body.innerText"))
        self.assertNotRegex(self.browser.evaluate("document.body.innerText"), r"\b(Lava arrives|Sites|Vents|members)\b")
        self.browser.requests = [f"file://{self.path('page.html')}"]
