# SPDX-License-Identifier: Apache-2.0
"""Dates in place of simulated times: they are counted from run.start, with the bits of the same scenario in seconds; what is refused,
and that a refused key of "run" makes no second error."""
import csv
import json

import case
import geo
from case import SOUTH, WEST, Case, open_snapshot, record

import numpy

START = "2026-05-10T06:00+02:00"  # 04:00 UTC
DEM = {"path": "dem.asc", "crs": "EPSG:32633"}
DAM = {"name": "dam", "line": [[WEST + 145, SOUTH + 155], [WEST + 285, SOUTH + 155]], "width_m": 5, "height_m": 6}
PLACE = {"x": WEST + 205, "y": SOUTH + 215}
EFFUSION = {"effusion": {"slot": "10 min", "rates_m3_s": [4, 6, 3]}}
# the times of a scenario: from the start, and as dates
TIMES = {
    "seconds": {"from": 720, "start": "3 min", "opens": 240, "closes": "26 min", "until": 2160, "max_time": 2400},
    "spaced": {"from": "2026-05-10 04:12", "start": "2026-05-10 04:03:00", "opens": "2026-05-10 05:04+01", "closes": "2026-05-10 04:26 UTC",
               "until": "2026-05-10 04:36", "max_time": "2026-05-10T04:40"},
    "dates": {"from": "2026-05-10T04:12Z", "start": "2026-05-10T04:03:00Z", "opens": "2026-05-10T05:04+01:00",
              "closes": "2026-05-09T16:26-12:00", "until": "2026-05-10T04:36:00Z", "max_time": "2026-05-10T04:40Z"},
}


def scenario(times, **run):
    vent = PLACE | EFFUSION | {"start": times["start"], "from": times["opens"], "until": times["closes"]}
    return {"dem": DEM | {"edits": [DAM | {"from": times["from"]}]}, "vents": [vent],
            "run": {"until": times["until"], "max_time": times["max_time"], "start": START} | run,
            "output": {"fields": case.FIELDS, "dtype": "float64", "checkpoint_every": "12 min"}}


def write_polygon(path, west, south, east, north):
    case.write_features(path, ({}, "Polygon", [[[west, south], [east, south], [east, north], [west, north], [west, south]]]))


class DatedTimes(Case):
    def prepare_test(self):
        self.write_scenario()
        for name, times in TIMES.items():
            case.write_json(self.path(f"{name}.json"), scenario(times))

    def last(self, folder):
        return record(self.path(folder))["snapshots"][-1]["checksum"]

    def errors(self, *words):
        return [line.removeprefix("sciara: error: ") for line in self.sciara(*words, code=3).stderr.splitlines() if "error" in line]

    def test_the_same_run(self):
        """Also from a checkpoint, on a branch to another date, and for the members of an ensemble."""
        for name in TIMES:
            self.run_scenario(name, name=f"{name}.json")
            self.sciara("resume", name, "-q", "-o", f"{name}-on", "--until", {"seconds": "45 min", "spaced": "2026-05-10 04:45", "dates": "2026-05-10T04:45Z"}[name],
                        "--set", "run.max_time=null")
            case.write_json(self.path(f"{name}-plan.json"), {
                "base": f"{name}.json", "vary": [{"key": "model.cooling", "values": [100, 150]}], "sample": {"method": "full"}, "result": {"thickness_m": [0]}})
            self.sciara("ensemble", "run", f"{name}-plan.json", "-q", "-o", f"{name}-plan")
        for folder in ("", "-on"):
            self.assertEqual({self.last(f"{name}{folder}") for name in TIMES}, {self.last(f"seconds{folder}")})
        self.assertNotEqual(self.last("dates"), self.last("dates-on"))
        self.assertGreaterEqual(record(self.path("dates"))["state"]["time_s"], 2160)
        maps = [geo.read(self.path(f"{name}-plan", "maps", "probability_0m.tif")) for name in TIMES]
        for other in maps[1:]:
            numpy.testing.assert_array_equal(maps[0], other)
        self.assertGreater(numpy.nanmax(maps[0]), 0)
        kept = json.loads(open_snapshot(self.path("dates", record(self.path("dates"))["snapshots"][-1]["name"])).attrs["scenario_json"])
        self.assertEqual((kept["run"]["start"], kept["run"]["until"], kept["dem"]["edits"][0]["from"], kept["vents"][0]["from"]), (START, 2160, 720, 240))

    def test_options(self):
        """--until and --set take dates; init keeps them as they are, and the first date of rates becomes run.start."""
        expected = self.last(self.run_scenario("a", "--until", "25 min", name="seconds.json"))
        self.assertEqual(self.last(self.run_scenario("b", "--until", "2026-05-10T04:25Z", name="seconds.json")), expected)
        self.assertEqual(self.last(self.run_scenario("c", "--set", "run.until=2026-05-10T04:25Z", name="seconds.json")), expected)
        case.write_text(self.path("rates.csv"), "time,rate\n2026-05-10T04:00Z,4\n2026-05-10T04:30Z,0\n")
        self.sciara("init", "dem.asc", "--vent", f"{WEST + 205},{SOUTH + 215}", "--rates", "rates.csv", "--until", "2026-05-10T05:00Z",
                    "--set", "dem.crs=EPSG:32633", "--set", f"dem.edits={json.dumps([DAM | {'from': '2026-05-10T04:12Z'}])}", "-o", "new.json", "-q")
        written = case.read_json(self.path("new.json"))
        self.assertEqual((written["run"]["start"], written["run"]["until"], written["dem"]["edits"][0]["from"]),
                         ("2026-05-10T04:00:00Z", "2026-05-10T05:00Z", "2026-05-10T04:12Z"))
        self.assertIn("end:           1 h\n", self.sciara("check", "new.json").stdout)

    def test_observed(self):
        """The outline of a date is that of its time."""
        write_polygon(self.path("front.geojson"), WEST + 155, SOUTH + 165, WEST + 245, SOUTH + 225)
        for name, time in (("seconds", "20 min"), ("dates", "2026-05-10T04:20Z")):
            self.run_scenario(name, "--set", f'initial.observed={{"outline": "front.geojson", "volume_m3": 4000, "time": "{time}"}}', name=f"{name}.json")
        self.assertEqual(self.last("seconds"), self.last("dates"))

    def test_refused(self):
        """Each with one error that names key, found and expected."""
        edits = json.dumps([DAM | {"from": "2026-05-10T03:59:59Z"}])
        form = 'expected a date "YYYY-MM-DDThh:mmZ", perhaps with seconds, a space for T, +02:00 for Z or no zone (UTC), or "YYYY-MM-DD"; found '
        from_start = "run.start, 2026-05-10T04:00:00Z; found "
        for setting, said in (
                ("run.start=null", [f"{key}: expected a duration, or run.start as well, from which a date is counted; found \"{found}\"" for key, found in (
                    ("dem.edits[0].from", TIMES["dates"]["from"]), ("vents[0].start", TIMES["dates"]["start"]), ("vents[0].from", TIMES["dates"]["opens"]),
                    ("vents[0].until", TIMES["dates"]["closes"]), ("run.until", TIMES["dates"]["until"]), ("run.max_time", TIMES["dates"]["max_time"]))]),
                ("run.start=10 May", ['run.start: expected a date "YYYY-MM-DDThh:mmZ", perhaps with seconds, a space for T, +02:00 for Z or no zone (UTC), or "YYYY-MM-DD", or null; found "10 May"']),
                ("run.until=2026-05-10T04:00Z", [f'run.until: expected a date after {from_start}"2026-05-10T04:00Z"']),
                ("run.until=2026-05-32", [f'run.until: {form}"2026-05-32"']),
                ("run.until=1778391240", ['run.until: expected a time after run.start, or the date "2026-05-10T05:34:00Z" in place of this Unix time; found 1.77839124e9']),
                ("run.until=2026-05-11T10", [f'run.until: {form}"2026-05-11T10"']),
                (f"dem.edits={edits}", [f'dem.edits[0].from: expected a date not before {from_start}"2026-05-10T03:59:59Z"']),
                ("vents.0.from=2026-05-10T04:30Z", ["vents[0].until: expected a time after from, 1800 s; found 1560 s"]),
                ('initial.observed={"outline": "x.geojson", "time": "2026-05-09"}', [f'initial.observed.time: expected a date not before {from_start}"2026-05-09"']),
                ("output.every=2026-05-11", ['output.every: expected a duration (seconds, or text such as "6 h" or "3 d"), above 0 to 1e12 s, or null; found "2026-05-11"'])):
            with self.subTest(setting):
                self.assertEqual(self.errors("check", "dates.json", "--no-estimate", "--set", setting), [f"dates.json: {line}" for line in said])
        self.assertIn("--until: expected a time above 0", self.sciara("run", "dates.json", "--until", "2026-05-32", code=2).stderr)
        self.assertIn("run.until: expected a date after run.start", self.sciara("run", "dates.json", "--until", "2026-05-10", code=3).stderr)
        self.assertIn('in place of this Unix time; found "1778391240"', self.sciara("run", "dates.json", "--until", "1778391240", code=3).stderr)
        case.write_json(self.path("plan.json"), {"base": "dates.json", "vary": [{"key": "run.until", "values": ["2026-05-10T04:36Z"]}], "sample": {"method": "full"},
                                                 "result": {"thickness_m": [0]}})
        self.assertIn('above 0 to 1e12 s; found "2026-05-10T04:36Z"', self.errors("ensemble", "check", "plan.json")[0])

    def test_one_error_for_one_key(self):
        """A key of "run" that is refused takes no other along: dates of rates still have their start."""
        case.write_text(self.path("rates.csv"), "time,rate\n2026-05-10T04:00Z,4\n2026-05-10T04:30Z,0\n")
        dated = PLACE | {"effusion": {"csv": "rates.csv"}}
        case.write_json(self.path("csv.json"), scenario(TIMES["dates"]) | {"vents": [dated]})
        for setting in ("run.until=tomorrow", "run.until=2026-05-32", "run.max_time=-5", "run.max_steps=0", "run.start=10 May", "run.unti=5"):
            with self.subTest(setting):
                found = self.errors("check", "csv.json", "--no-estimate", "--set", setting)
                self.assertEqual(len(found), 1, found)
                self.assertIn(f"csv.json: {setting.split('=')[0]}: ", found[0])
        found = self.errors("check", "csv.json", "--set", 'run={"until": "1 h"}')
        self.assertEqual(len(found), 2, found)
        self.assertIn("dem.edits[0].from: expected a duration, or run.start as well", found[0])
        self.assertIn("vents[0].effusion.csv: ", found[1])


class FromAnOutline(Case):
    """Lava from an outline of minute 20. Options "at" count from the start of the eruption, "within" from the outline, in all commands;
    what lava has reached by then is taken from the arrival times of a run."""

    ZERO, AT = 1200, 1500

    def prepare_test(self):
        self.write_scenario()
        write_polygon(self.path("front.geojson"), WEST + 155, SOUTH + 165, WEST + 245, SOUTH + 225)
        case.write_json(self.path("s.json"), scenario(TIMES["seconds"]) | {
            "dem": DEM, "initial": {"observed": {"outline": "front.geojson", "volume_m3": 4000, "time": "20 min"}}})
        self.run_scenario("run", "--set", "output.dtype=float64")
        data = open_snapshot(self.path("run", record(self.path("run"))["snapshots"][-1]["name"]))
        self.arrival = numpy.array(data["arrival_time"].values).reshape(case.ROWS, case.COLS)
        self.mapped = self.arrival >= 0
        geo.write_raster(self.path("all.tif"), self.mapped.astype(numpy.uint8))

    def jaccard(self, seconds):
        a, b = self.mapped, (self.arrival >= 0) & (self.arrival <= seconds)
        return (a & b).sum() / (a | b).sum()

    def test_evaluate(self):
        for at in ("25 min", "2026-05-10T04:25Z"):
            found = json.loads(self.sciara("evaluate", "s.json", "--observed", "all.tif", "--at", at, "-q", input="{}\n").stdout)
            self.assertEqual(found["jaccard"], self.jaccard(self.AT), at)
        self.assertNotEqual(self.jaccard(self.AT), self.jaccard(self.ZERO + self.AT))
        self.assertGreaterEqual(found["end_s"], 2160)
        for at, said in (("20 min", "20 min (2026-05-10 04:20 UTC)"), ("2026-05-10T04:10Z", "10 min (2026-05-10 04:10 UTC)")):
            err = self.sciara("evaluate", "s.json", "--observed", "all.tif", "--at", at, "-q", input="{}\n", code=3).stderr
            self.assertIn('all.tif: expected a simulated time after 20 min (2026-05-10 04:20 UTC), when s.json begins with the lava of its "initial"; '
                          f"found {said}", err)
        dated = case.read_json(self.path("front.geojson"))
        feature, = dated["features"]
        dated["features"] = [feature | {"properties": {"day": f"2026-05-10T04:{minute}:00Z"}} for minute in (20, 25, 36, 37, 38)]
        case.write_json(self.path("dated.geojson"), dated)
        done = self.sciara("evaluate", "s.json", "--observed", "dated.geojson", "--dates", "day", input="{}\n")
        self.assertEqual(len(json.loads(done.stdout)["parts"]), 2)
        for said in ("1 of its 5 dates are not after 2026-05-10T04:20:00Z, when the run of s.json begins", "2 of its 5 dates are later than 2026-05-10T04:36:00Z, when the run of s.json ends"):
            self.assertIn(f"{said}: they are left out", " ".join(done.stderr.split()))

    def test_exposure(self):
        """`within` after the outline, for a run and for an ensemble; dates are those of the simulated times."""
        write_polygon(self.path("places.geojson"), WEST + 40, SOUTH + 10, WEST + 390, SOUTH + 260)
        inside = numpy.zeros_like(self.mapped)
        inside[4:29, 4:39] = True
        by = {seconds: 100 * (inside & self.mapped & (self.arrival <= self.ZERO + seconds)).sum() for seconds in (300, 600)}
        self.assertTrue(0 < by[300] < by[600], by)
        for within in ("5 min,10 min", "2026-05-10 04:30,2026-05-10T04:25Z"):
            self.sciara("exposure", "run", "--assets", "places.geojson", "--within", within, "-o", "e.csv", "--overwrite", "-q")
            row, = case.read_rows(self.path("e.csv"))
            self.assertEqual({key: float(value) for key, value in row.items() if key.startswith("covered_")},
                             {"covered_5min": by[300], "covered_10min": by[600]})
            self.assertEqual(row["mapped"], "1", "some of its lava, not that of its last cell")
        self.sciara("exposure", "run", "--assets", "places.geojson", "-o", "made.csv", "-q")
        self.assertEqual([name for name in self.table("made.csv")[0] if name.startswith("covered_")], [f"covered_{k}min" for k in range(1, 7)])
        self.assertIn("--within: expected a date after 2026-05-10T04:20:00Z",
                      self.sciara("exposure", "run", "--assets", "places.geojson", "--within", "2026-05-10T04:20Z", "-o", "no.csv", code=2).stderr)

    def test_ensemble(self):
        plan = {"base": "s.json", "vary": [{"key": "rate_scale", "values": [1]}], "sample": {"method": "full"}}
        case.write_json(self.path("e.json"), plan | {"result": {"thickness_m": [0], "within": ["5 min", "2026-05-10T04:30Z"]}})
        self.sciara("ensemble", "run", "e.json", "-q", "-o", "e")
        for name, seconds in (("5min", 300), ("10min", 600)):
            found = geo.read(self.path("e", "maps", f"reached_within_{name}.tif"))
            numpy.testing.assert_array_equal(found > 0, self.mapped & (self.arrival <= self.ZERO + seconds))
        for at in ("25 min", "2026-05-10T04:25Z"):
            self.sciara("ensemble", "reweight", "e", "--observed", "all.tif", "--at", at, "-q")
            with open(self.path("e", "weights-observed.csv"), encoding="utf-8") as f:
                self.assertIn("observed at 1500 s", f.readline())
                row, = csv.DictReader(f)
            self.assertAlmostEqual(float(row["jaccard"]), self.jaccard(self.AT), delta=1e-12)
        self.assertIn('--at: expected a simulated time after 20 min (2026-05-10 04:20 UTC), when the members of e begin; found "20 min"',
                      self.sciara("ensemble", "reweight", "e", "--observed", "all.tif", "--at", "20 min", code=2).stderr)
        case.write_json(self.path("e.json"), plan | {"result": {"within": ["2026-05-10T04:20Z"]}})
        self.assertIn("e.json: result.within[0]: expected a date after the start of the members; found 2026-05-10T04:20Z, not after 2026-05-10T04:20:00Z",
                      self.sciara("ensemble", "check", "e.json", code=3).stderr)
