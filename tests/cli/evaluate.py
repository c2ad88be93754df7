# SPDX-License-Identifier: Apache-2.0
"""sciara evaluate: every number against runs of the same keys, order, errors, workers, both rules, hostile input."""
import json
import os
import re
import signal
import subprocess
import time

import case
from case import SharedCase, open_snapshot
from extents import expected_scores
from geo import write_raster

import numpy

BINGHAM = {**case.SHEET, "viscosity_vent_Pa_s": 20000}
NAMES = ("jaccard", "e1", "tpr", "ppv", "area_ratio", "runout_ratio", "hausdorff_m")
CHANGES = [  # of s.json
    {},
    {"model.relaxation": 0.4, "model.cooling": 400},
    {"vents.0.effusion.rates_m3_s": [2, 3], "run.until": "30 min"},
    {"vents.0.row": 6, "vents.0.col": 24, "model.dissipation_vent": 0.5},
    {"model": BINGHAM, "model.relaxation": 0.3},
    {"dem.error": {"sd_m": 0.5, "correlation_m": 40, "seed": 3}},
]


def as_options(changes):
    return [word for key, value in changes.items() for word in ("--set", f"{key}={json.dumps(value)}")]


class Evaluate(SharedCase):
    @classmethod
    def prepare(cls):
        case.write_scenario(cls.work)
        case.write_scenario(cls.work, "b.json", model=BINGHAM)
        case.run_program("run", "s.json", "-q", "-o", "truth", "-n", "250", cwd=cls.work)
        truth = open_snapshot(os.path.join(cls.work, "truth", "snapshots", "00000250.nc")).deposit.values[0] > 0
        cls.observed = numpy.roll(truth, (1, 2), axis=(0, 1))
        write_raster(os.path.join(cls.work, "mask.tif"), cls.observed)
        case.write_cells(os.path.join(cls.work, "outline.geojson"), cls.observed)

    def run_lines(self, lines, *args, code=0):
        """Lines (texts, or values of JSON) in; the lines that come out, and stderr."""
        text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
        done = self.sciara("evaluate", *args, code=code, input=text)
        return done.stdout, done.stderr

    def start(self, scenario, *args):
        return subprocess.Popen([case.PROGRAM, "evaluate", scenario, "--observed", "mask.tif", "-q", *args], cwd=self.work, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")

    def evaluate(self, changes, *args, code=0):
        lines = [{"id": k, "set": change} for k, change in enumerate(changes)]
        found = [json.loads(line) for line in self.run_lines(lines, *args, code=code)[0].splitlines()]
        self.assertEqual([line["id"] for line in found], list(range(len(changes))))
        return found

    def run_of(self, changes, scenario="s.json"):
        """A run of the same keys: its record, and its last snapshot."""
        folder = f"run-{scenario}-{abs(hash(json.dumps(changes)))}"
        if not os.path.exists(self.path(folder)):
            self.sciara("run", scenario, "-q", "-o", folder, *as_options(changes))
        record = case.record(self.path(folder))
        return folder, record, open_snapshot(self.path(folder, record["snapshots"][-1]["name"]))

    def check(self, found, expected):
        for name in NAMES:
            value = expected[name.replace("runout", "run_out")]
            self.assertAlmostEqual(found[name], value, delta=1e-12 * max(1, abs(value)), msg=name)

    def test_every_number_is_that_of_a_run(self):
        found = self.evaluate(CHANGES, "s.json", "--observed", "outline.geojson", "-q")
        self.assertEqual(len({line["jaccard"] for line in found}), len(CHANGES), "different runs")
        for changes, line in zip(CHANGES, found):
            folder, record, snapshot = self.run_of(changes)
            deposit = numpy.maximum(snapshot.deposit.values[0], 0)
            vent = (changes.get("vents.0.row", case.VENT[0]), changes.get("vents.0.col", case.VENT[1]))
            self.check(line, expected_scores(deposit > 0, self.observed, vent))
            if "dem.error" not in changes:  # where the deposit is above the ground of the run
                self.assertAlmostEqual(line["volume_m3"], deposit.sum() * case.CELL ** 2, delta=1e-6)
            self.assertEqual((line["status"], line["steps"], line["end"], line["end_s"]),
                             ("ok", record["state"]["step"], record["stop_reason"], record["state"]["time_s"]))
            scores = json.loads(self.sciara("compare", folder, "--observed", "outline.geojson", "--json").stdout)
            self.assertEqual([line[name] for name in NAMES], [scores[name.replace("runout", "run_out")] for name in NAMES])

    def test_least_thickness(self):
        found = self.evaluate([{}], "s.json", "--observed", "mask.tif", "--min-thickness", "1.5", "-q")[0]
        deposit = self.run_of({})[2].deposit.values[0]
        self.assertLess((deposit > 1.5).sum(), 0.9 * (deposit > 0).sum())
        self.check(found, expected_scores(deposit > 1.5, self.observed, case.VENT))

    def test_any_number_of_workers_gives_the_same_bytes(self):
        lines = [{"id": f"é{k}", "set": changes} for k, changes in enumerate(4 * CHANGES)] + ["{", {"id": 1.5}]
        outputs = {self.run_lines(lines, "s.json", "--observed", "mask.tif", "-q", "-j", str(n), code=3)[0]
                   for n in (1, 2, 3, 50)}
        self.assertEqual(len(outputs), 1)
        found = [json.loads(line) for line in outputs.pop().splitlines()]
        self.assertEqual([line["id"] for line in found], [f"é{k}" for k in range(4 * len(CHANGES))] + [None, 1.5])
        self.assertEqual(found[:len(CHANGES)],
                         [{**line, "id": f"é{k}"} for k, line in enumerate(found[len(CHANGES):2 * len(CHANGES)])])

    def test_engines_agree(self):
        outputs = {self.run_lines([{"id": 1, "set": c} for c in CHANGES[:3]], "s.json", "--observed", "mask.tif", "-q",
                                  "--engine", engine)[0] for engine in ("serial", "openmp")}
        self.assertEqual(len(outputs), 1)

    def test_runs_that_end_early(self):
        """Lines that ask for more than their run reaches get a bound, the others what they get without."""
        viscosities = 2e3, 1e4, 2e4, 4e4, 2e5, 1e6, 1e9
        case.write_scenario(self.work, "fine.json", model=BINGHAM, vents=[{"x": 500205, "y": 4177215, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}}],
                            dem={"path": "dem.asc", "crs": "EPSG:32633", "cell_size_m": 10})
        def lines_of(least, *options):
            lines = [{"id": v, "set": {"model.viscosity_vent_Pa_s": v, "model.viscosity_sol_Pa_s": 100 * v}, "least": least} for v in viscosities]
            return [json.loads(line) for line in self.run_lines(lines, "fine.json", "--observed", "mask.tif", "-q", *options)[0].splitlines()]
        whole = lines_of(0)
        for least, stopped in (0.31, 3), (0.36, 5):
            plain = lines_of(least)
            self.assertEqual(plain, lines_of(least, "-j", "1"))
            for line, end in zip(plain, whole):
                self.assertTrue({"ok": line == end, "rested": line["jaccard"] == end["jaccard"] and line["end_s"] < end["end_s"] and "end" not in line,
                                 "stopped": end["jaccard"] <= line["jaccard"] < least and "e1" not in line}[line["status"]], line)
            self.assertEqual([line["status"] for line in plain], ["stopped"] * stopped + ["ok"] * (6 - stopped) + ["rested"])

    def test_a_result_comes_as_soon_as_it_is_there(self):
        with self.start("s.json") as program:
            relaxation = 0.3
            for k in range(4):  # each line is made of the answer to the one before: ask and tell
                program.stdin.write(json.dumps({"id": k, "set": {"model.relaxation": relaxation}}) + "\n")
                program.stdin.flush()
                line = json.loads(program.stdout.readline())
                self.assertEqual((line["id"], line["status"]), (k, "ok"))
                relaxation = 0.3 + 0.1 * line["jaccard"]
            program.stdin.close()
            self.assertEqual((program.stdout.read(), program.wait()), ("", 0))

    def test_a_file_of_the_scenario_that_goes_away_ends_the_work(self):
        case.write_text(self.path("rates.csv"), "time,rate\n0,3\n3600,0\n")
        case.write_scenario(self.work, "c.json", vents=[{"row": 8, "col": 10, "effusion": {"csv": "rates.csv"}}])
        with self.start("c.json") as program:
            line = '{"id": 1, "set": {"model.relaxation": 0.4}}\n'
            program.stdin.write(line)
            program.stdin.flush()
            self.assertEqual(json.loads(program.stdout.readline())["status"], "ok")
            os.remove(self.path("rates.csv"))
            out, err = program.communicate(line)  # no answer: nothing is wrong with these values
        self.assertEqual((out, program.returncode), ("", 4), err)
        self.assertIn("rates.csv", err)

    def test_date_and_region(self):
        deposit, arrival = (self.run_of({})[2][name].values[0] for name in ("deposit", "arrival_time"))
        region = numpy.zeros_like(self.observed)
        region[:, :22] = True
        write_raster(self.path("region.tif"), region)
        at = 900
        reached = (arrival >= 0) & (arrival <= at)
        self.assertLess(reached.sum(), (deposit > 0).sum())
        found = self.evaluate([{}], "s.json", "-q", "--observed", "mask.tif", "--at", "15 min", "--weight", "3",
                              "--observed", "mask.tif", "--region", "region.tif")[0]
        first, second = found["parts"]
        self.check(first, expected_scores(reached, self.observed, case.VENT))
        self.check(second, expected_scores((deposit > 0) & region, self.observed & region, case.VENT))
        self.assertAlmostEqual(found["jaccard"], (3 * first["jaccard"] + second["jaccard"]) / 4, delta=1e-15)
        self.assertEqual([first["weight"], second["weight"], first["steps"]], [3, 1, second["steps"]])
        later = {"row": 12, "col": 22, "start": "20 min", "effusion": {"slot": "10 min", "rates_m3_s": [4]}}  # no lava has come from it by then
        case.write_scenario(self.work, "two.json", vents=[*case.scenario()["vents"], later])
        self.check(self.evaluate([{}], "two.json", "-q", "--observed", "mask.tif", "--at", "15 min")[0], expected_scores(reached, self.observed, case.VENT))
        self.sciara("run", "two.json", "-q", "-o", "two", "--until", "15 min")
        last = open_snapshot(self.path("two", case.record(self.path("two"))["snapshots"][-1]["name"])).deposit.values[0] > 0
        self.assertAlmostEqual(json.loads(self.sciara("compare", "two", "--observed", "mask.tif", "--json").stdout)["run_out_ratio"],
                               expected_scores(last, self.observed, case.VENT)["run_out_ratio"], delta=1e-12)

    def write_fronts(self, name, minutes, value="{}", field_type="text"):
        """Squares that grow, one for each time after 08:00 UTC; cells of each."""
        features, cells = [], []
        for k, minute in enumerate(minutes):
            x, y, side = case.WEST + 150, case.NORTH - 150, 10 * (4 + k)
            ring = [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]
            features.append(({"mapped": value.format(f"2006-07-14T{8 + minute // 60:02d}:{minute % 60:02d}:00Z"), "area": k}, "Polygon", [ring]))
            cells.append((4 + k) ** 2)
        case.write_features(self.path(name), *features)
        return cells

    def test_outlines_of_several_dates_are_not_one(self):
        """In every command that reads an outline: those of the time are taken with a message, or the file is refused with cures that work."""
        case.write_scenario(self.work, "dated.json", run={"start": "2006-07-14T08:00Z", "until": "30 min"})
        case.write_scenario(self.work, "undated.json", run={"until": "30 min"})
        self.sciara("run", "dated.json", "-q", "-o", "dated.out")
        self.sciara("run", "undated.json", "-q", "-o", "undated.out")
        cells = self.write_fronts("fronts.geojson", (10, 11, 30, 300))
        compare = lambda run, file: self.sciara("compare", run, "--observed", file, "--json")
        done = compare("dated.out", "fronts.geojson")
        self.assertEqual(json.loads(done.stdout)["observed_cells"], cells[2])
        self.assertIn('fronts.geojson: has outlines of several dates: those of 2006-07-14T08:30:00Z in its field "mapped" are taken', done.stderr)
        said = self.sciara("compare", "undated.out", "--observed", "fronts.geojson", code=3).stderr
        self.assertIn('fronts.geojson: has outlines of several dates in its field "mapped", 2006-07-14T08:10:00Z to 2006-07-14T13:00:00Z: '
                      "expected those of one time", said)
        for pattern, count in (("one outline: (ogr2ogr .*?);", cells[-1]), ("the last one alone: (ogr2ogr .*)", cells[-1])):
            command = re.search(pattern, said)[1]
            subprocess.run(command, shell=True, check=True, cwd=self.work)
            made = re.search(r"'(fronts-\w+\.gpkg)'", command)[1]
            self.assertEqual(json.loads(compare("undated.out", made).stdout)["observed_cells"], count)
        self.write_fronts("late.geojson", (300, 200))
        self.assertRegex(self.sciara("compare", "dated.out", "--observed", "late.geojson", code=3).stderr,
                         "expected those of 2006-07-14T08:.*; the last one alone: ogr2ogr -fid 0 ")
        self.write_fronts("late.geojson", (300, 200, 300))
        self.assertNotIn("the last one alone", self.sciara("compare", "dated.out", "--observed", "late.geojson", code=3).stderr)
        for at, k in (("11 min", 1), ("2006-07-14T08:10Z", 0)):
            found = self.evaluate([{}], "dated.json", "-q", "--observed", "fronts.geojson", "--at", at)
            alone = case.read_json(self.path("fronts.geojson"))
            case.write_json(self.path("alone.geojson"), alone | {"features": alone["features"][k:k + 1]})
            self.assertEqual(found, self.evaluate([{}], "dated.json", "-q", "--observed", "alone.geojson", "--at", at))
        self.assertIn("--dates auto takes each at its date", self.run_lines([{}], "undated.json", "--observed", "fronts.geojson", code=3)[1])
        case.write_scenario(self.work, "from.json", run={"start": "2006-07-14T08:00Z", "until": "30 min"}, vents=[
            {"row": 14, "col": 16, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}}])
        observed = {"outline": "fronts.geojson", "thickness": 1, "time": "11 min"}
        said = self.sciara("check", "from.json", "--no-estimate", "--set", "initial.observed=" + json.dumps(observed)).stderr
        self.assertIn(f"fronts.geojson: {cells[1]} cells", said)
        said = self.sciara("check", "from.json", "--no-estimate", "--set", "initial.observed=" + json.dumps(observed | {"time": "25 min"}), code=3).stderr
        self.assertIn("expected those of 2006-07-14T08:25:00Z; initial.observed.time chooses them if run.start is given", said)
        days = [("2006-07-13", 0), ("2006-07-14", 1)]
        fronts = case.read_json(self.path("fronts.geojson"))
        for day, k in days:
            fronts["features"][k]["properties"]["mapped"] = day
        case.write_json(self.path("days.geojson"), fronts | {"features": fronts["features"][1::-1]})
        self.assertEqual(json.loads(compare("dated.out", "days.geojson").stdout)["observed_cells"], cells[1], "the day of the run")
        said = self.sciara("check", "from.json", "--no-estimate", "--set", "run.start=2006-07-14", "--set",  # a day begins at midnight
                           "initial.observed=" + json.dumps(observed | {"outline": "days.geojson", "time": 0})).stderr
        self.assertIn(f"days.geojson: {cells[1]} cells", said)
        same = case.read_json(self.path("fronts.geojson"))
        for feature in same["features"]:
            feature["properties"]["mapped"] = "2006-07-14"
        case.write_json(self.path("same.geojson"), same)
        self.assertEqual(json.loads(compare("undated.out", "same.geojson").stdout)["observed_cells"], cells[-1], "one date is one outline")
        self.run_lines([{}], "dated.json", "-q", "--observed", "alone.geojson", "--region", "fronts.geojson")

    def test_dates_in_other_forms(self):
        """Those that GDAL prints are dates; of others that may be, a warning says that all outlines are taken."""
        case.write_scenario(self.work, "forms.json", run={"start": "2006-07-14T08:00Z", "until": "30 min"})
        self.sciara("run", "forms.json", "-q", "-o", "forms.out")
        forms, cells = self.path("forms.geojson"), self.write_fronts("forms.geojson", (10, 30, 300))
        features = case.read_json(forms)["features"]

        def compare(name, *values):
            for feature, value in zip(features, values):
                feature["properties"] = {name: value}
            case.write_json(forms, case.read_json(forms) | {"features": features})
            done = self.sciara("compare", "forms.out", "--observed", "forms.geojson", "--json")
            return json.loads(done.stdout)["observed_cells"], done.stderr

        compare("mapped", *(f"2006/07/14 {time}:00+00" for time in ("08:10", "08:30", "13:00")))
        subprocess.run(["ogr2ogr", "-sql", "SELECT CAST(mapped AS character(40)) AS mapped FROM forms", self.path("text.gpkg"), forms], check=True)
        done = self.sciara("compare", "forms.out", "--observed", "text.gpkg", "--json")
        self.assertEqual(json.loads(done.stdout)["observed_cells"], cells[1])
        self.assertIn('those of 2006-07-14T08:30:00Z in its field "mapped" are taken', done.stderr)
        for name, first, last in (("Date", "13/07/2006", "14/07/2006"), ("date", 20060713, 20060714), ("data", "2006-07-13", "14 luglio"), ("date", "2006-07-13", ""),
                                  ("t_h", 6, 12), ("time", 0.5, 1), ("FlowDate", "13 July", "14 July"), ("flown", 1152777600000, 1152864000000),
                                  ("acq", "2006-07-14 08:10 HST", "2006-07-14 13:00 HST"), ("Data_volo", "domani", "ieri"), ("acq", "13.07.2006", "14.07.2006"), ("survey", "2006-07-13", "14 luglio")):
            count, said = compare(name, first, first, last)
            self.assertEqual(count, cells[-1])
            self.assertRegex(said, f'warning: .*all values of its field "{name}" are taken together: expected dates .* found "{last if first == "2006-07-13" else first}" and 1 other value')
        for name, values in (("date", ("today",) * 3), ("name", ("13/07/2006", "14/07/2006", "x")), ("date", ("2006-07-14", None, None)), ("updated_by", (1, 2, 3))):
            self.assertNotIn("taken together", compare(name, *values)[1])
        for empty in (None, "", "  "):
            count, said = compare("survey", empty, "2006-07-14T08:30:00Z", "2006-07-14T13:00:00Z")
            self.assertEqual(count, cells[1])
            self.assertIn('warning: forms.geojson: 1 outline has no date in its field "survey" and is left out\n', said)

    def test_times_of_day_beside_dates(self):
        """Those of one day are together; a warning says that a time of day is not read."""
        case.write_scenario(self.work, "days.json", run={"start": "2006-07-14T08:00Z", "until": "30 min"})
        self.sciara("run", "days.json", "-q", "-o", "days.out")
        cells = self.write_fronts("days.geojson", (10, 30, 300))
        features = case.read_json(self.path("days.geojson"))["features"]
        for times, warned in ((("06:00", "18:00", "06:00"), True), (("06:00", "06:00", "18:00"), False)):
            for feature, day, time in zip(features, ("2006-07-14", "2006-07-14", "2006-07-15"), times):
                feature["properties"] = {"day": day, "time": time}
            case.write_json(self.path("days.geojson"), case.read_json(self.path("days.geojson")) | {"features": features})
            done = self.sciara("compare", "days.out", "--observed", "days.geojson", "--json")
            self.assertEqual(json.loads(done.stdout)["observed_cells"], cells[1])
            self.assertIn('those of 2006-07-14T00:00:00Z in its field "day" are taken', done.stderr)
            self.assertEqual('warning: days.geojson: outlines of all values of its field "time" are taken together' in done.stderr, warned)

    def test_times_of_kml(self):
        """Their reader has none: a warning names the command that makes a file with them, of which those of the time are taken."""
        case.write_scenario(self.work, "kml.json", run={"start": "2006-07-14T08:00Z", "until": "30 min"})
        self.sciara("run", "kml.json", "-q", "-o", "kml.out")
        cells = self.write_fronts("fronts.geojson", (10, 30))
        ogr2ogr = ["ogr2ogr", "-f", "KML", "-t_srs", "EPSG:4326"]
        subprocess.run([*ogr2ogr, self.path("plain.kml"), self.path("fronts.geojson")], check=True)
        text = case.read_text(self.path("plain.kml"))
        compare = lambda name: self.sciara("compare", "kml.out", "--observed", name, "--json")
        self.assertNotIn("warning", compare("plain.kml").stderr)
        for form in ("<TimeStamp><when>2006-07-14T{}:00Z</when></TimeStamp>",
                     '<ExtendedData><Data name="survey_date"><value>2006-07-14T{}:00Z</value></Data></ExtendedData>'):
            times = iter(("08:10", "08:30"))
            case.write_text(self.path("a b.kml"), re.sub("<Placemark[^>]*>", lambda found: found[0] + form.format(next(times)), text))
            done = compare("a b.kml")
            self.assertEqual(json.loads(done.stdout)["observed_cells"], cells[-1])
            command = re.search(r"warning: a b.kml: outlines of all times are taken together: .* by: (ogr2ogr 'a b-dated.gpkg' 'a b.kml')\n", done.stderr)[1]
            subprocess.run(command, shell=True, check=True, cwd=self.work)
            done = compare("a b-dated.gpkg")
            self.assertEqual(json.loads(done.stdout)["observed_cells"], cells[1])
            self.assertIn("those of 2006-07-14T08:30:00Z in its field", done.stderr)
            os.remove(self.path("a b-dated.gpkg"))

    def test_run_that_ends_before_a_date(self):
        found = self.evaluate([{"run.until": "10 min"}, {"run.max_steps": 40}, {}], "s.json", "-q", "--observed", "mask.tif",
                              "--at", "15 min")
        for line, end in zip(found, ("time", "steps")):
            self.assertEqual((line["end"], line["warnings"]), (end, [f"the run ended at {line['end_s']:.15g} s, before the "
                                                                     "observation at 900 s"]))
        self.assertEqual(found[2]["warnings"], [])
        case.write_scenario(self.work, "short.json", run={"until": "10 min"})
        err = self.run_lines([{}], "short.json", "--observed", "mask.tif", "--at", "15 min", code=3)[1]
        self.assertIn("mask.tif: expected a time up to the end of the run of short.json, 600 s; found 900 s", err)

    def test_warnings_are_those_of_the_run(self):
        """The lava that leaves the map through its rim, which a run says too."""
        changes = {"vents.0.row": case.ROWS - 3, "vents.0.col": 20}
        line = self.evaluate([changes], "s.json", "-q", "--observed", "mask.tif")[0]
        lost = self.run_of(changes)[1]["ledger"]["lost_m3"]
        self.assertGreater(lost, 100)
        self.assertIn(f"{lost:.6g} m3 of lava left the map through its rim", line["warnings"])
        self.assertAlmostEqual(line["volume_m3"] + lost, 6000, delta=1e-6)

    def test_slots_of_a_gpu_give_the_same_bytes(self):
        if "cuda-batch" not in case.gpu_engines():
            self.skipTest("engine cuda-batch is not here")
        lines = [{"id": k, "set": changes} for k, changes in enumerate(8 * CHANGES)]
        outputs = [self.run_lines(lines, "s.json", "--observed", "mask.tif", "-q", *args)[0]
                   for args in ((), ("--engine", "cuda-batch"), ("--engine", "cuda-batch", "-j", "3"))]
        self.assertEqual(outputs[1:], 2 * outputs[:1])

    def test_two_scenarios(self):
        changes = {"model.relaxation": 0.4}
        found = self.evaluate([changes, {"model.viscosity_vent_Pa_s": 10000}, {}, {"model.relaxation": 9}], "s.json", "b.json", "-q", "--observed",
                              "mask.tif", "--observed", "outline.geojson", "--weight", "0.5", code=3)
        self.assertEqual([(part["scenario"], part["observed"]) for part in found[0]["parts"]],
                         [("s.json", "mask.tif"), ("b.json", "outline.geojson")])
        for part in found[0]["parts"]:
            deposit = self.run_of(changes, part["scenario"])[2].deposit.values[0]
            self.check(part, expected_scores(deposit > 0, self.observed, case.VENT))
        j = [part["jaccard"] for part in found[0]["parts"]]
        self.assertAlmostEqual(found[0]["jaccard"], (j[0] + 0.5 * j[1]) / 1.5, delta=1e-15)
        self.assertIn("line 2: s.json: model.viscosity_vent_Pa_s: expected a key of rule", found[1]["error"])
        self.assertEqual(found[2]["status"], "ok")
        self.assertIn("line 4: s.json: model.relaxation", found[3]["error"])  # of both the first

    def test_errors_in_lines(self):
        lines = [
            ('{"id":1,"set":{"model.relaxation":7}}', 1, "line 1: s.json: model.relaxation: expected above 0 to 1; found 7"),
            ('{"id":"x","set":{"model.relaxaton":1}}', "x", 'line 2: expected a key of vents, model or run, found '
             '"model.relaxaton" (did you mean "model.relaxation"?)'),
            ("", None, None),
            ('{"id":2', None, "line 4: JSON:1:8: expected ',' or '}', found the end of the text"),
            ("[1]", None, 'line 5: top level: expected an object with "id" and "set"; found an array of 1'),
            ('{"id":[],"set":{}}', None, "line 6: id: expected a number or a text; found an array of 0"),
            ('{"id":3,"sets":{}}', 3, 'line 7: expected the keys "id", "set" and "least", found "sets"'),
            ('{"id":4,"set":7}', 4, 'line 8: set: expected an object of keys such as "model.relaxation" and values; found 7'),
            ('{"id":5,"set":{"vents.0.x":1}}', 5, 'line 9: s.json: vents[0].x: expected the key only together with "y"; '
             'found it alone'),
            ('{"id":6,"set":{"vents.1.row":1}}', 6, 'line 10: s.json: vents: expected an index from 0 to 0; found the index "1"'
             ' in an override'),
            ('{"id":7,"set":{"engine.name":"serial"}}', 7, 'line 11: expected a key of vents, model or run, found "engine.name":'
             ' all simulations are computed in the same way'),
            ('{"id":8,"set":{"vents.0.effusion":{"csv":"gone.csv"}}}', 8, "gone.csv"),
            ('{"id":9,"set":{"vents.0.row":999}}', 9, "line 13: s.json: vents[0]"),
            ('{"id":10,"set":{"model.relaxation":0.5,"model.relaxation":0.6}}', None, "line 14: JSON: set.model.relaxation: expected each "
             "key once in an object, found it twice"),
            ('{"id":11,"set":{"model.viscosity_vent_Pa_s":0.5}}', 11, "line 15: s.json: model.viscosity_vent_Pa_s: expected"),
            ('{"id":12,"set":{"run.max_steps":20}}', 12, None),
            ('{"id":9007199254740993}', None, "line 17: id: expected a number up to 9007199254740991, which comes back unchanged, "
             "or a text; found 9007199254740992"),
        ]
        out, err = self.run_lines([line for line, _, _ in lines], "s.json", "--observed", "mask.tif", code=3)
        found = [json.loads(line) for line in out.splitlines()]
        asked = [line for line in lines if line[0]]
        self.assertEqual([line["id"] for line in found], [line[1] for line in asked])
        for line, (_, _, message) in zip(found, asked):
            self.assertEqual(line["status"], "error" if message else "ok", line)
            if message:
                self.assertIn(message, line["error"])
                self.assertEqual(set(line), {"id", "status", "jaccard", "error"})
        self.assertIn("15 lines are invalid: the results say why", err)

    def test_ids_come_back(self):
        ids = ["\u202e\x1b[2J\n\"\\é", "", 0.1, -7, 9007199254740991, 1e-300, None]
        out = self.run_lines([{"id": k, "set": {"run.max_steps": 3}} for k in ids], "s.json", "--observed", "mask.tif", "-q")[0]
        self.assertEqual([json.loads(line)["id"] for line in out.splitlines()], ids)
        self.assertNotIn("\x1b", out)
        self.assertNotIn("\u202e", out)

    def test_hostile_input(self):
        """A line of 100 MB and ten thousand others take little memory; the last one is still answered."""
        command = [case.PROGRAM, "evaluate", "s.json", "--observed", "mask.tif", "-q"]
        with open(self.path("found.jsonl"), "wb") as out, subprocess.Popen(
                command, cwd=self.work, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.PIPE) as program:
            program.stdin.write(b'{"id": "')
            for _ in range(100):
                program.stdin.write(1_000_000 * b"x")
            program.stdin.write(b'"}\n')
            for k in range(10000):
                program.stdin.write(b'{"id": %d, "set": {"model.relaxation": 7}}\n' % k)
            program.stdin.write(b"\0\n\xff\n" + 30 * b"[" + b'\n{"id": -1, "set": {"run.max_steps": 9}}')
            program.stdin.flush()
            most_kb = int(re.search(r"VmHWM:\s+(\d+)", case.read_text(f"/proc/{program.pid}/status")).group(1))
            program.stdin.close()
            self.assertEqual(program.wait(), 3, program.stderr.read())
        with open(self.path("found.jsonl"), encoding="utf-8") as f:
            found = [json.loads(line) for line in f]
        self.assertIn("line 1: expected at most 1048576 bytes, found more", found[0]["error"])
        self.assertEqual([line["id"] for line in found], [None] + list(range(10000)) + 3 * [None] + [-1])
        self.assertEqual((found[-1]["status"], found[-1]["steps"]), ("ok", 9))
        if not case.SANITIZED:
            self.assertLess(most_kb, 100_000, "kB; the longest line alone has 100 MB")

    def test_signal_keeps_what_is_printed(self):
        case.write_scenario(self.work, "endless.json", **case.ENDLESS)
        for stop, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.start("endless.json", "-j", "2") as program:
                program.stdin.write('{"id":1,"set":{"run.max_steps":20}}\n{"id":2}\n{"id":3,"set":{"run.max_steps":30}}\n{"id":4')
                program.stdin.flush()
                self.assertEqual(json.loads(program.stdout.readline())["steps"], 20)
                time.sleep(0.3)
                program.send_signal(stop)
                self.assertEqual(program.stdout.read(), "", "the third result waits for the second")
                self.assertEqual(program.wait(timeout=60), code, program.stderr.read())

    def test_reader_that_goes_away(self):
        with self.start("s.json") as program:
            program.stdin.write('{"id":1}\n')
            program.stdin.flush()
            program.stdout.readline()
            program.stdout.close()
            program.stdin.write('{"id":2}\n')  # and no end of the input
            program.stdin.flush()
            self.assertEqual(program.wait(timeout=60), 0, program.stderr.read())

    def test_what_cannot_begin(self):
        write_raster(self.path("empty.tif"), numpy.zeros_like(self.observed))
        corner = numpy.zeros_like(self.observed)
        corner[-1, -1] = True
        write_raster(self.path("corner.tif"), corner)
        case.write_scenario(self.work, "dated.json", run={"start": "2006-07-14", "until": "1 h"})
        cases = [
            (["s.json"], 2, "--observed is missing: the observed extent"),
            (["s.json", "b.json", "--observed", "mask.tif"], 2,
             "expected an option --observed for each of the 2 scenarios, found 1 of them"),
            (["s.json", "--observed", "mask.tif", "--at", "2006-07-14"], 3,
             "mask.tif: expected run.start in s.json, for it has the date 2006-07-14; found none"),
            (["dated.json", "--observed", "mask.tif", "--at", "2006-07-15"], 3,
             "mask.tif: expected a time up to the end of the run of dated.json, 3600 s; found 86400 s"),
            (["s.json", "--observed", "mask.tif", "--weight", "0"], 2, '--weight: expected a number above 0 to 1e6, found "0"'),
            (["s.json", "--observed", "gone.tif"], 4, "gone.tif"),
            (["s.json", "--observed", "empty.tif"], 3, "empty.tif"),
            (["s.json", "--observed", "mask.tif", "--region", "corner.tif"], 3,
             "mask.tif: expected an extent that overlaps the region corner.tif, found none"),
        ]
        for args, code, message in cases:
            out, err = self.run_lines([{"id": 1}], *args, code=code)
            self.assertEqual(out, "")
            self.assertIn(message, err)
