# SPDX-License-Identifier: Apache-2.0
"""The page of `sciara calibrate` in a browser, as large as a desktop and as a phone: every number on it from the tables of
the folder, with numpy."""
import base64
import csv
import json
import os
import re
import zlib

import browser
import case

import numpy as np

browser.skip_without()
UNKNOWNS = [{"key": "model.dissipation_vent", "min": 0.1, "max": 0.9},
            {"key": "model.critical_height_vent_m", "min": 0.6, "max": 3, "log": True},
            {"key": "model.cooling", "min": 20, "max": 400}]
KEYS = [unknown["key"] for unknown in UNKNOWNS]
PAIRS = [{"scenario": "s.json", "observed": "mapped.tif", "weight": 2},
         {"scenario": "s.json", "observed": "mapped.tif", "at": "15 min", "hold_out": True},
         {"scenario": "s.json", "observed": "mapped.tif", "region": "mapped.tif"}]
TITLE = 'slope </script><script>document.title = "taken over"</script>'
DESIGNS = {"cma-es": 60, "sobol": 128, "morris": 40, "saltelli": 160, "lhs": 8}
# A square of a chart that has the values: ticks of the score, and the ends of the axis.
CHART = """((picture) => {
  const ticks = [...picture.querySelectorAll('text[text-anchor=end]')].filter((one) => one.getAttribute('x') < 40);
  return { ticks: ticks.map((one) => [Number(one.textContent), Number(one.getAttribute('y')) - 4]), left: 40, right: 350,
    paths: [...picture.querySelectorAll('.curve, .dots')].map((one) => one.getAttribute('d')),
    marks: picture.querySelectorAll('.now').length,
    best: [...picture.querySelectorAll('.best')].map((one) => [Number(one.getAttribute('cx')), Number(one.getAttribute('cy'))]) }; })"""
# What the map says of each cell of a window under the pointer, row by row.
HOVER = """((rows, cols) => {
  const canvas = document.getElementById('map'), hover = document.getElementById('hover'), box = canvas.getBoundingClientRect();
  const scale = Math.min(box.width / cols, box.height / rows), found = [];
  const left = box.left + (box.width - scale * cols) / 2, top = box.top + (box.height - scale * rows) / 2;
  for (let row = 0; row < rows; row++) for (let col = 0; col < cols; col++) {
    canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: left + (col + 0.5) * scale, clientY: top + (row + 0.5) * scale }));
    found.push(hover.textContent);
  }
  return found; })"""


def unpack(text, shape):
    """A set of cells of the data of a page."""
    bits = np.unpackbits(np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8), bitorder="little")
    return bits[:shape[0] * shape[1]].reshape(shape).astype(bool)


def shape(unknown, value):
    """Where values lie between the bounds, 0 to 1."""
    of = np.log if unknown.get("log") else np.asarray
    low, high = of(unknown["min"]), of(unknown["max"])
    return (of(value) - low) / (high - low)


def shown(text):
    return float(text.replace(",", ""))


class CalibrationPage(browser.BrowserCase):
    @classmethod
    def prepare(cls):
        case.write_scenario(cls.work)
        sets = [word for key, value in zip(KEYS, (0.4, 1.5, 100)) for word in ("--set", f"{key}={value}")]
        case.run_program("run", "s.json", "-q", "-o", "mapped", *sets, cwd=cls.work)
        case.run_program("export", "mapped", "-q", "--format", "cog", "--output", "mapped.tif", cwd=cls.work)
        cls.rows, cls.stopped = {}, {}
        for design, budget in DESIGNS.items():
            case.write_json(os.path.join(cls.work, f"{design}.json"), {
                "title": TITLE, "pairs": PAIRS, "unknowns": UNKNOWNS, "budget": budget, "seed": 3, "design": design})
            case.run_program("calibrate", f"{design}.json", "-q", "-o", design, cwd=cls.work)
            rows = case.read_rows(os.path.join(cls.work, design, "evaluations.csv"))
            cls.rows[design] = {key: np.array([float(row[key] or "nan") for row in rows])
                                for key in ["number", "score", "jaccard_0", "jaccard_1", "jaccard_2", *KEYS]}
            cls.stopped[design] = np.array([row["status"] == "stopped" for row in rows])
        cls.start_browser()

    def table(self, name):
        return self.browser.evaluate(f"[...document.querySelectorAll('#{name} tr')].map((row) => "
                                     "[...row.children].map((cell) => cell.textContent))")

    def assert_shown(self, text, value):
        self.assertAlmostEqual(shown(text), value, delta=5.1e-4 * abs(value), msg=text)

    def chart(self, selector):
        """Its paths as points: x from 0 to 1, and the score."""
        found = self.browser.evaluate(f"{CHART}(document.querySelector({json.dumps(selector)}))")
        (low, bottom), (high, top) = found["ticks"][0], found["ticks"][-1]
        place = lambda x, y: ((x - found["left"]) / (found["right"] - found["left"]), low + (high - low) * (bottom - y) / (bottom - top))
        numbers = lambda path: [float(word) for word in re.findall(r"-?[\d.]+", path)]
        return found, place, numbers

    def map_of(self, index):
        """The data of a map, with what it has in common with an earlier one."""
        data = json.loads(self.text("data"))
        maps = [data, *data["calibration"]["maps"]]
        own = maps[index]
        return own if index == 0 else {**self.map_of(own["like"]), **own}

    def assert_map(self, index, jaccard):
        """J of the shown map, from what it says of each cell; returns these texts, and the cells with lava."""
        data = self.map_of(index)
        shape = data["window"][2:]
        texts = np.array(self.browser.evaluate(f"{HOVER}({shape[0]}, {shape[1]})")).reshape(shape)
        top, left = data["window"][:2]
        self.assertIn(f"row {top + 1}, column {left + 2}", texts[1, 2])
        lava, observed = np.char.find(texts, "no lava") != 0, unpack(data["observed"], shape)
        within = unpack(data["region"], shape) if data.get("region") else np.ones(shape, bool)
        self.assertAlmostEqual((lava & observed).sum() / ((lava & within) | observed).sum(), jaccard, delta=1e-12)
        return texts, lava

    def assert_page(self, design):
        rows = self.rows[design]
        best = int(np.argmax(rows["score"]))
        found = self.text("found")
        match = re.fullmatch(rf"Best score ([\d.]+), evaluation (\d+)\. (\d+) of (\d+) evaluations \({design}\), 0 without a score\.", found)
        self.assertTrue(match, found)
        self.assert_shown(match[1], rows["score"][best])
        self.assertEqual([int(match[k]) for k in (2, 3, 4)], [best + 1, DESIGNS[design], DESIGNS[design]])
        self.assertEqual((self.text("title"), self.browser.evaluate("document.title")), (TITLE, TITLE))
        pairs = self.table("pairs")[1:]
        self.assertEqual([pair[0] for pair in pairs], ["s.json, mapped.tif", "s.json, mapped.tif, 15 min",
                                                       "s.json, mapped.tif, within mapped.tif"])
        for k, pair in enumerate(pairs):
            self.assert_shown(pair[1], rows[f"jaccard_{k}"][best])
        self.assertEqual([pair[2] for pair in pairs], ["2", "held out", "1"])
        self.assert_progress(design)
        self.assert_scatter(design, best)
        self.assert_map(0, rows["jaccard_0"][best])
        support = self.table("support")
        for unknown, row in zip(UNKNOWNS, support[1:]):
            place = shape(unknown, rows[unknown["key"]][best])
            self.assertEqual(f"{unknown['key']}: the best value lies at a bound" in self.text("unknowns"), min(place, 1 - place) < 0.01)
            self.assertEqual(row[0], unknown["key"])
            self.assert_shown(row[1], rows[unknown["key"]][best])
        return support

    def assert_progress(self, design):
        """The curve of the best score so far, at every evaluation."""
        found, place, _ = self.chart("#search svg")
        x = y = None
        steps = []  # (evaluation, score from there on)
        for kind, numbers in re.findall(r"([MHV])([-\d.,]+)", found["paths"][0]):
            values = [float(word) for word in numbers.split(",")]
            x, y = (values[0], y) if kind == "H" else (x, values[-1]) if kind == "V" else values
            steps.append((place(x, y)[0] * DESIGNS[design], place(x, y)[1]))
        running = np.maximum.accumulate(np.where(self.stopped[design], 0, self.rows[design]["score"]))
        for evaluation, score in zip(self.rows[design]["number"], running):
            curve = [at for number, at in steps if number <= evaluation + 0.3][-1]
            self.assertAlmostEqual(curve, score, delta=1e-3)
        self.assertAlmostEqual(steps[-1][0], DESIGNS[design], delta=0.1)
        restarts = case.read_json(self.path(design, "calibration.json"))["restarts"]
        self.assertEqual(found["marks"], len(restarts))

    def assert_scatter(self, design, best):
        rows = self.rows[design]
        stopped = self.stopped[design]
        accepted = ~stopped & (rows["score"] >= 0.9 * rows["score"][best]) & (design in ("sobol", "lhs"))
        self.assertEqual(f"Pale: upper bounds of {stopped.sum()} evaluations" in self.text("unknowns"), stopped.any())
        self.browser.evaluate("[...document.querySelectorAll('#unknowns .charts svg')].forEach((one, i) => one.id = `chart-${i}`)")
        for k, unknown in enumerate(UNKNOWNS):
            found, place, numbers = self.chart(f"#chart-{k}")
            for path, those in zip(found["paths"], (stopped, ~accepted & ~stopped, accepted)):
                words = np.array(numbers(path)).reshape(-1, 3)[:, :2]
                points = np.array([place(*point) for point in words]).reshape(-1, 2)
                expected = np.column_stack([shape(unknown, rows[unknown["key"]][those]), rows["score"][those]])
                self.assertEqual(points.shape, expected.shape)
                self.assertLess(np.abs(points - expected).max(initial=0), 1e-3)
            x, y = place(*found["best"][0])
            self.assertAlmostEqual(x, shape(unknown, rows[unknown["key"]][best]), delta=1e-3)
            self.assertAlmostEqual(y, rows["score"][best], delta=1e-3)

    def test_even_points(self):
        """Median, percentiles, spread and correlations of the accepted sets, and what follows from them in words."""
        self.open("sobol", "page.html")
        support = self.assert_page("sobol")
        rows = self.rows["sobol"]
        accepted = rows["score"] >= 0.9 * rows["score"].max()
        self.assertGreaterEqual(accepted.sum(), 10)
        page = self.text("unknowns")
        self.assertIn(f"{accepted.sum()} sets have a score of at least 0.9 of the best.", page)
        self.assertNotIn("Nothing is said", page)
        at = [shape(unknown, rows[unknown["key"]][accepted]) for unknown in UNKNOWNS]
        verdicts = set()
        for unknown, x, row in zip(UNKNOWNS, at, support[1:]):
            back = lambda place: np.exp(np.interp(place, [0, 1], np.log([unknown["min"], unknown["max"]]))) if unknown.get("log") \
                else np.interp(place, [0, 1], [unknown["min"], unknown["max"]])
            low, median, high = (back(np.percentile(x, q)) for q in (5, 50, 95))
            spread = np.std(x, ddof=1) / np.sqrt(1 / 12)
            self.assert_shown(row[2], median)
            for text, value in zip(row[3].split(" \u2013 "), (low, high)):
                self.assert_shown(text, value)
            self.assertAlmostEqual(float(row[4]), spread, delta=0.0051)
            self.assertEqual(row[5], "identifiable" if spread < 0.5 else "weakly identifiable" if spread < 0.9 else "not identifiable")
            verdicts.add(row[5])
        self.assertGreater(len(verdicts), 1)
        matrix = np.array([[float(text) for text in row[1:]] for row in self.table("correlation")[1:]])
        self.assertLess(np.abs(matrix - np.corrcoef(at)).max(), 0.0051)
        for i, a in enumerate(KEYS):
            for k, b in enumerate(KEYS[:i]):
                self.assertEqual(f"{b} and {a}: correlation {matrix[i][k]:.2f} in the accepted sets" in page, abs(np.corrcoef(at)[i][k]) >= 0.7)

    def test_other_designs(self):
        for design in ("cma-es", "morris", "saltelli", "lhs"):
            self.open(design, "page.html")
            self.assert_page(design)
            page = self.text("unknowns")
            self.assertEqual("The path of a search does not say" in page, design == "cma-es")
            self.assertEqual("With fewer than 10 accepted sets nothing is said" in page, design == "lhs")
            self.assertEqual(len(self.table("support")[0]), 2)
            if design in ("cma-es", "lhs"):
                self.assertEqual(self.table("effects"), [])
                continue
            with open(self.path(design, "sensitivity.csv"), encoding="ascii", newline="") as f:
                head, *lines = csv.reader(f)
            self.assertIn(f"Effects on the score, as in sensitivity.csv ({lines[0][1]} of {lines[0][1]} groups)", page)
            self.assertEqual(self.table("effects")[0], ["Unknown", *head[2:]])
            for row, line in zip(self.table("effects")[1:], lines):
                self.assertEqual(row[0], line[0])
                for text, value in zip(row[1:], line[2:]):
                    self.assert_shown(text, float(value))
        self.assertGreater(self.stopped["cma-es"].sum(), 0)
        self.open("morris", "page.html")
        self.assertIn("the best value lies at a bound", self.text("unknowns"), "the levels of the design include the bounds")

    def test_map_at_the_time_of_the_extent(self):
        case.write_json(self.path("early.json"), {"pairs": [{**PAIRS[1], "hold_out": False}], "unknowns": UNKNOWNS, "budget": 14})
        self.sciara("calibrate", "early.json", "-q", "-o", "early")
        self.open("early", "page.html")
        self.assert_map(0, case.read_json(self.path("early", "calibration.json"))["best"]["pairs"][0]["jaccard"])
