# SPDX-License-Identifier: Apache-2.0
"""sciara init: a scenario with every default, which check accepts and run can run."""
import json
import os
import shutil
import urllib.parse
import urllib.request

import case
from case import Case

X, Y = case.WEST + 205, case.NORTH - 85  # the middle of row 8, column 20
USUAL = ["--vent", f"{X},{Y}", "--rate", "5", "--duration", "10 min"]


class Init(Case):
    def prepare_test(self):
        case.write_dem(self.path("dem.asc"))

    def refused(self, message, *args, code):
        before = case.tree(self.work)
        done = self.sciara("init", *args, code=code)
        errors = [line for line in done.stderr.splitlines() if line.startswith("sciara: error: ")]
        self.assertEqual(len(errors), 1, done.stderr)
        self.assertIn(message, errors[0])
        self.assertEqual(done.stdout, "")
        self.assertNotRegex(done.stderr, "run.start is set|one cell wide")
        self.assertEqual(case.tree(self.work), before, "files of the folder")

    def test_runs_at_once(self):
        done = self.sciara("init", "dem.asc", *USUAL)
        self.assertEqual(done.stdout, "dem.json\n")
        self.assertEqual(self.sciara("check", "dem.json").stdout.splitlines()[-1], "no problem found")
        self.sciara("run", "dem.json", "-q", "-n", 3)
        ledger = case.record(self.path("dem.out"))["ledger"]
        self.assertGreater(ledger["emitted_m3"], 0)

    def test_every_default(self):
        """Every key with a default in the schema is in the file, with that value."""
        self.sciara("init", "dem.asc", *USUAL)
        written = case.read_json(self.path("dem.json"))
        schema = json.loads(self.sciara("schema").stdout)
        count = 0

        def compare(value, node, path):
            nonlocal count
            for name, child in node["properties"].items():
                if child.get("$comment", "rule bingham") != "rule bingham":
                    self.assertNotIn(name, value, "a key of another rule")
                elif "default" in child:
                    self.assertIn(name, value, path)
                    found = 0 if name == "start" and value[name] == "0 s" else value[name]
                    recommended = {"model.rule": "bingham", "model.preset": "aa", "run.until": "front at rest"}
                    self.assertEqual(found, recommended.get(f"{path}{name}", child["default"]), f"{path}{name}")
                    count += 1
                elif "properties" in child and name in value:
                    compare(value[name], child, f"{path}{name}.")
                elif name == "vents":
                    compare(value[name][0], child["items"], "vents[0].")

        compare(written, schema, "")
        self.assertGreater(count, 30, "keys with a default")
        self.assertEqual(list(written), ["title", "dem", "vents", "model", "boundary", "run", "output", "engine"],
                         "keys in the order of the manual")
        self.assertEqual(written["vents"], [{"name": "vent 1", "x": X, "y": Y, "start": "0 s",
                                             "effusion": {"slot": "10 min", "rates_m3_s": [5]}}])
        self.assertEqual(written["dem"]["path"], "dem.asc")

    def test_options(self):
        self.sciara("init", "dem.asc", *USUAL, "--vent", f"{X + 10}, {Y}", "--name", 'the "best" è 日本',
                    "--set", "run.max_time=2 h", "--set", "dem.crs=EPSG:32633", "-o", "my scenario.json")
        written = case.read_json(self.path("my scenario.json"))
        self.assertEqual(written["title"], 'the "best" è 日本')
        self.assertEqual([v["x"] for v in written["vents"]], [X, X + 10])
        self.assertEqual((written["run"]["max_time"], written["dem"]["crs"]), ("2 h", "EPSG:32633"))
        report = self.sciara("check", "my scenario.json").stdout
        self.assertIn("\nvents:         2, 6000 m3 in all, until 10 min\n", report)

    def test_rates_of_a_file(self):
        os.mkdir(self.path("data"))
        case.write_text(self.path("data", "tadr.csv"), "date;TADR (m\u00b3/s)\n2006-07-14 23:30;1,5\n2006-07-15;3\n2006-07-15 06:00;0\n")
        vent = ["--vent", f"{X},{Y}"]
        done = self.sciara("init", "dem.asc", *vent, "--rates", "data/tadr.csv", "--until", "6 h", "-o", "data/s.json")
        self.assertEqual(done.stdout, "data/s.json\n")
        self.assertIn("sciara: run.start is set to 2006-07-14T23:30:00Z, the first date in data/tadr.csv", done.stderr)
        self.assertIn("sciara: next: 'sciara check data/s.json' shows what the run will be, 'sciara run data/s.json' runs it\n",
                      done.stderr)
        written = case.read_json(self.path("data", "s.json"))
        self.assertEqual(written["vents"][0]["effusion"], {"csv": "tadr.csv"})
        self.assertEqual((written["run"]["start"], written["run"]["until"]), ("2006-07-14T23:30:00Z", "6 h"))
        report = self.sciara("check", "data/s.json").stdout
        self.assertIn("\nvents:         1, 67500 m3 in all, until 6 h 30 min; of it 62100 m3 in the run (0 s to 6 h)\n", report)  # 1.5 x 1800 + 3 x 21600 or 19800
        self.assertIn("\nend:           6 h\n", report)
        done = self.sciara("init", "dem.asc", *vent, "--rates", "data/tadr.csv", "--set", "run.start=2006-07-14")
        self.assertNotIn("run.start is set", done.stderr)
        self.assertIn('dem.json: run.start: "2006-07-14" is taken as 2006-07-14T00:00:00Z', done.stderr)
        self.assertIn("until 1 d 6 h", self.sciara("check", "dem.json").stdout)
        case.write_text(self.path("late.csv"), "date;rate\n2006-07-15;3\n2006-07-14;0\n")
        self.refused("./late.csv:3: expected a date after", "dem.asc", "--fissure", f"{X},{Y},{X + 40},{Y}", "--rates", "late.csv", "--overwrite", code=3)
        self.refused("exclude each other", "dem.asc", *vent, "--rates", "data/tadr.csv", "--rate", "5", "--overwrite", code=2)
        self.refused("--rates and --duration", "dem.asc", *vent, "--rates", "data/tadr.csv", "--duration", "5", "--overwrite", code=2)
        self.refused("--until: expected a time above 0", "dem.asc", *USUAL, "--until", "soon", "--overwrite", code=2)
        self.refused("vents[0].effusion.csv: ./none.csv: cannot open", "dem.asc", *vent, "--rates", "none.csv", "--overwrite",
                     code=4)

    def test_front(self):
        """A mapped outline and its time; an ensemble of it, with what each rule varies."""
        case.write_text(self.path("tadr.csv"), "date;rate\n2026-05-10T00:00Z;2\n2026-05-12T00:00Z;0\n")
        os.mkdir(self.path("files"))
        square = [[[X - 5, Y + 5], [X + 15, Y + 5], [X + 15, Y - 15], [X - 5, Y - 15], [X - 5, Y + 5]]]
        case.write_features(self.path("front.geojson"), ({}, "Polygon", square))
        case.write_features(self.path("places.geojson"), ({"name": "a"}, "Point", [X, Y - 30]))
        order = ["dem.asc", "--vent", f"{X},{Y}", "--rates", "tadr.csv", "--set", "dem.crs=EPSG:32633"]
        front = ["--front", "front.geojson", "--at", "2026-05-10T01:00Z"]
        for rule, lava, end, within in (  # 48 h after the front, and a minute less
                ("fv3", {"key": "model.cooling", "log_uniform": [0.7535, 3.014]}, "2026-05-12T01:00Z", ["12 h", "24 h", "2 d"]),
                ("bingham", {"prior": "basalt"}, "2026-05-12T00:59Z", ["6 h", "12 h", "24 h"])):
            self.sciara("init", *order, *front, "--until", end, "--rule", rule, "-o", "files/s.json", "--overwrite")
            self.assertEqual(case.read_json(self.path("files", "s.json"))["initial"],
                             {"observed": {"outline": "../front.geojson", "time": "2026-05-10T01:00Z"}})
            self.assertIn("7200 m3 of lava", self.sciara("check", "files/s.json", "--no-estimate").stderr)  # 2 m3/s for an hour
            done = self.sciara("ensemble", "init", "files/s.json", "--members", 5, "--assets", "places.geojson", "-o", "e.json", "--overwrite")
            self.assertIn("elevation_error is 2.5 m with a correlation length of 50 m", done.stderr)
            made = case.read_json(self.path("e.json"))
            self.assertEqual(made["vary"], [{"key": "rate_scale", "log_uniform": [0.5, 2]}, {"key": "initial.observed.temperature", "log_uniform": [(1143 + 1360) / 2, 1360]}, lava,
                                            {"key": "elevation_error", "values": [2.5], "correlation_m": 50}])
            self.assertEqual((made["base"], made["sample"]["count"], made["result"]), (
                "files/s.json", 5, {"thickness_m": [0], "within": within, "sites": [{"file": "places.geojson"}]}))
            self.assertIn("members:  5 in", self.sciara("ensemble", "check", "e.json", "--no-estimate").stdout)
        case.write_text(self.path("files", "sets.csv"), "id,model.cooling,rate_scale\n0,1,1\n")
        self.assertIn("one of its 1 sets", self.sciara("ensemble", "init", "files/s.json", "--sets", "files/sets.csv", "-o", "e.json", "--overwrite").stderr)
        self.assertEqual([v.get("key", v) for v in case.read_json(self.path("e.json"))["vary"]],
                         [{"sets": "files/sets.csv"}, "initial.observed.temperature", "elevation_error"])
        for key, value in (("volume_m3", 900), ("thickness", 3)):
            self.sciara("init", *order, *front, "--set", f"initial.observed.{key}={value}", "--set", "initial.observed.temperature=1300", "-o", "files/s.json", "--overwrite")
            self.assertIn({900: "; 900 m3 of lava", 3: ", 3 m thick on average"}[value], self.sciara("check", "files/s.json", "--no-estimate").stderr)
            self.sciara("ensemble", "init", "files/s.json", "-o", "e.json", "--overwrite")
            self.assertEqual(case.read_json(self.path("e.json"))["vary"][1], {"key": f"initial.observed.{key}", "log_uniform": [value * 2 / 3, 1.5 * value]})
        self.refused("--at is missing", *order, *front[:2], code=2)
        self.refused("--at: allowed with --front", *order, *front[2:4], code=2)
        self.refused("exclude each other", *order, *front, "--set", "initial.observed={}", code=2)
        self.refused("none.geojson: No such file", *order, "--front", "none.geojson", *front[2:], code=4)

    def test_lonlat(self):
        self.sciara("init", "dem.asc", "--vent-lonlat", "15.0023,37.7422", "--rate", 1, "--duration", "1 h",
                    "--set", "dem.crs=EPSG:32633")
        vent = case.read_json(self.path("dem.json"))["vents"][0]
        self.assertEqual((vent["lon"], vent["lat"]), (15.0023, 37.7422))
        self.sciara("check", "dem.json")
        os.remove(self.path("dem.json"))
        self.refused("vents[0] (vent 1): longitude and latitude require a DEM with a CRS", "dem.asc", "--vent-lonlat",
                     "15.0023,37.7422", "--rate", 1, "--duration", "1 h", code=3)

    def test_fissures(self):
        """Lines in metres, in degrees and with letters: the file has them as given, one cell wide; the report has the length of cells."""
        rest = ["--rate", "3", "--duration", "1 h", "--overwrite"]
        done = self.sciara("init", "dem.asc", "--vent", f"{X},{Y - 50}", "--fissure", f"{X},{Y},{X + 40},{Y},{X + 40},{Y - 20}", *rest)
        self.assertIn("sciara: a fissure is one cell wide, 10 m; --set vents.1.width_m=W gives another width\n", done.stderr)
        self.assertEqual(case.read_json(self.path("dem.json"))["vents"][1], {
            "name": "fissure 2", "line": [[X, Y], [X + 40, Y], [X + 40, Y - 20]], "width_m": case.CELL, "start": "0 s",
            "effusion": {"slot": "1 h", "rates_m3_s": [3]}})
        self.assertIn("vents:         2, 21600 m3 in all", self.sciara("check", "dem.json", "--no-estimate").stdout)
        self.sciara("run", "dem.json", "-q", "-n", 2, "-o", "wide.out")
        self.assertGreater(case.record(self.path("wide.out"))["ledger"]["emitted_m3"], 0)
        done = self.sciara("init", "dem.asc", "--fissure", f"{X},{Y},{X + 40},{Y}", *rest, "--set", "vents.0.width_m=25")
        self.assertNotIn("one cell wide", done.stderr)
        self.assertEqual(case.read_json(self.path("dem.json"))["vents"][0]["width_m"], 25)
        crs = ["--set", "dem.crs=EPSG:32633"]
        for option, text in (("--fissure-lonlat", "15.0023,37.7422,15.0026,37.7421"), ("--fissure", "15.0023E,37.7422N,37.7421N,15.0026E")):
            self.sciara("init", "dem.asc", option, text, *rest, *crs)
            vent = case.read_json(self.path("dem.json"))["vents"][0]
            self.assertEqual((vent["line"], vent["lonlat"]), ([[15.0023, 37.7422], [15.0026, 37.7421]], True))
            self.sciara("check", "dem.json", "--no-estimate")
        os.remove(self.path("dem.json"))
        for text in ("1,2", "1,2,3", "1,2,3,4,5", "1,2,3,x", ",".join(["1"] * 66)):
            self.refused("--fissure: expected 2 to 32 points, two numbers each", "dem.asc", "--fissure", text, *rest, code=2)

    def test_vents_by_set(self):
        """--set vents=... replaces --vent, and takes the rates of the options where it has none."""
        line = [[X, Y], [X + 40, Y]]
        own = json.dumps([{"line": line, "effusion": {"slot": "1 h", "rates_m3_s": [2]}}])
        self.sciara("init", "dem.asc", "--set", f"vents={own}")
        self.assertIn(", 7200 m3 in all", self.sciara("check", "dem.json", "--no-estimate").stdout)
        self.sciara("init", "dem.asc", "--set", "vents=" + json.dumps([{"line": line}]), "--rate", 4, "--duration", "1 h", "--overwrite")
        self.assertIn(", 14400 m3 in all", self.sciara("check", "dem.json", "--no-estimate").stdout)
        os.remove(self.path("dem.json"))
        self.refused("exclude each other", "dem.asc", *USUAL, "--set", f"vents={own}", code=2)
        self.refused("for a fissure --fissure X,Y,X,Y or --fissure-lonlat LON,LAT,LON,LAT", "dem.asc", "--set", f"vents.0.line={line}",
                     "--rate", 4, "--duration", "1 h", code=2)
        self.refused("'sciara init' makes a line with --fissure X,Y,X,Y or --fissure-lonlat LON,LAT,LON,LAT in place of --vent); "
                     "found x together with line", "dem.asc", *USUAL, "--set", f"vents.0.line={line}", code=3)

    def test_degrees_as_metres(self):
        """Degrees without a letter lead to the option that takes them, which is then accepted."""
        rest = ["--rate", 1, "--duration", "1 h", "--set", "dem.crs=EPSG:32633"]
        for option, text in (("vent", "15.0023,37.7422"), ("fissure", "15.0023,37.7422,15.0026,37.7421")):
            self.refused(f"('sciara init': --{option}-lonlat)", "dem.asc", f"--{option}", text, *rest, code=3)
            self.sciara("init", "dem.asc", f"--{option}-lonlat", text, *rest)
            os.remove(self.path("dem.json"))

    def test_paths_are_relative_to_the_scenario(self):
        os.makedirs(self.path("data", "deep"))
        os.makedirs(self.path("runs", "a"))
        os.symlink(self.path("runs", "a"), self.path("link"))
        os.rename(self.path("dem.asc"), self.path("data", "deep", "my dem.v2.asc"))
        dem = "data/deep/my dem.v2.asc"
        for output, expected in [(None, dem), ("runs/a/s.json", f"../../{dem}"), ("link/t.json", f"../../{dem}"),
                                 ("data/s.json", "deep/my dem.v2.asc"), ("data/deep/s.json", "my dem.v2.asc"),
                                 (self.path("data/d.json"), "deep/my dem.v2.asc")]:
            options = ["-o", output] if output else []
            done = self.sciara("init", dem, *USUAL, *options)
            name = output or "my dem.v2.json"
            self.assertEqual(done.stdout, name + "\n")
            self.assertEqual(case.read_json(self.path(name))["dem"]["path"], expected, name)
            self.sciara("check", name)
            self.sciara("check", self.path(name), cwd="/")
        absolute = self.path(dem)
        self.sciara("init", absolute, *USUAL, "-o", "abs.json")
        self.assertEqual(case.read_json(self.path("abs.json"))["dem"]["path"], absolute)

    def test_never_replaces_a_file_without_the_option(self):
        case.write_text(self.path("dem.json"), "precious")
        self.refused("dem.json: already exists; --overwrite replaces it", "dem.asc", *USUAL, code=3)
        self.refused("vents[0] (vent 1): expected x from 500000.000", "dem.asc", "--vent", "0,0", "--rate", "5", "--duration", "1 h",
                     "--overwrite", code=3)  # what would not run replaces nothing
        self.sciara("init", "dem.asc", *USUAL, "--overwrite")
        self.sciara("check", "dem.json")
        self.assertEqual(case.files(self.work), ["dem.asc", "dem.json"])

    def test_vents_must_be_able_to_emit(self):
        rim, sea = f"{case.WEST + 5},{case.NORTH - 155}", f"{case.WEST + 15},{case.NORTH - 15}"
        rest = ["--rate", "5", "--duration", "1 h"]
        self.refused("found a cell on the rim of the domain in row 15, column 0", "dem.asc", "--vent", rim, *rest, code=3)
        self.refused("found a NODATA cell in row 1, column 1", "dem.asc", "--vent", sea, *rest, code=3)
        done = self.sciara("init", "dem.asc", "--vent", rim, "--vent", sea, *rest, code=3)
        self.assertEqual(done.stderr.count("sciara: error: the new scenario: vents["), 2, "both are reported")
        self.assertEqual(done.stderr.splitlines()[-1], "sciara: dem.json is not written")

    def test_diagnostics_of_the_dem(self):
        case.write_text(self.path("degrees.asc"), "ncols 4\nnrows 4\nxllcorner 15\nyllcorner 37\ncellsize 0.001\n" + "1 2 3 4\n" * 4)
        self.refused("these look like degrees", "degrees.asc", *USUAL, code=3)
        self.refused("none.tif: No such file or directory", "none.tif", *USUAL, code=4)
        self.refused("dem.json/sub: ", "dem.asc", *USUAL, "-o", "dem.json/sub/s.json", code=4)

    def test_usage(self):
        self.refused("--vent is missing", "dem.asc", "--rate", "5", "--duration", "1 h", code=2)
        self.refused("--rate is missing", "dem.asc", "--vent", "1,2", "--duration", "1 h", code=2)
        self.refused("--duration is missing", "dem.asc", "--vent", "1,2", "--rate", "5", code=2)
        for vent in ("1", "1,", ",2", "1,2,3", "a,b", "1;2", "nan,1", "1e999,1"):
            self.refused(f'--vent: expected two numbers separated by a comma, or degrees such as 14.99E,37.75N; found "{vent}"', "dem.asc", "--vent", vent,
                         "--rate", "5", "--duration", "1 h", code=2)
        for rate in ("-1", "x", "1e7", "1000000.1", "5 m3/s"):
            self.refused(f'--rate: expected 0 to 1e6 m3/s, found "{rate}"', "dem.asc", "--vent", "1,2", "--rate", rate,
                         "--duration", "1 h", code=2)
        for duration in ("0", "-1 d", "3 weeks"):
            self.refused(f'; found "{duration}"', "dem.asc", "--vent", "1,2", "--rate", "5", "--duration",
                         duration, code=2)
        self.refused("output.evry: unknown key", "dem.asc", *USUAL, "--set", "output.evry=5", code=3)
        self.refused("output.every: expected above 0 to 1e12 s; found -5", "dem.asc", *USUAL, "--set",
                     "output.every=-5", code=3)
        self.refused('--set: expected KEY=VALUE, found "x"', "dem.asc", *USUAL, "--set", "x", code=2)

    def test_schema_for_editors(self):
        """The key $schema names an existing file, or is left out (test_every_default)."""
        os.makedirs(self.path("a è %", "config"))
        shutil.copy(os.path.join(case.SOURCE, "config", "scenario.schema.json"), self.path("a è %", "config"))
        self.sciara("init", "../dem.asc", *USUAL, cwd=self.path("a è %"))
        written = case.read_json(self.path("a è %", "dem.json"))
        self.assertEqual(list(written)[0], "$schema")
        url = urllib.parse.urlsplit(written["$schema"])
        self.assertEqual((url.scheme, url.netloc), ("file", ""))
        self.assertTrue(written["$schema"].isascii())
        with urllib.request.urlopen(written["$schema"]) as f:
            schema = json.load(f)
        self.assertEqual(schema["$id"], "urn:sciara:scenario-schema")
        self.assertEqual(schema, json.loads(self.sciara("schema").stdout))
        self.sciara("check", "dem.json", cwd=self.path("a è %"))

    def test_allow_driver(self):
        """What the message about the format of a DEM says, in every command that reads one."""
        from osgeo import gdal
        gdal.UseExceptions()
        dem = gdal.Open(self.path("dem.asc"))
        gdal.GetDriverByName("GSAG").CreateCopy(self.path("dem.grd"), dem)
        dem = None
        promised = "--allow-driver GSAG would allow it"
        self.assertIn(promised, self.sciara("init", "dem.grd", *USUAL, code=3).stderr)
        self.sciara("init", "dem.grd", *USUAL, "--allow-driver", "GSAG")
        for words in (["check"], ["info"], ["validate", "-n", 2, "--engines", "serial"], ["run", "-n", 2],
                      ["bench", "--engines", "serial", "--start", 0, "--warm-up", 0, "--steps", 1]):
            self.assertIn(promised, self.sciara(words[0], "dem.json", *words[1:], code=3).stderr)
            self.sciara(words[0], "dem.json", *words[1:], "--allow-driver", "GSAG")

    def test_a_folder_that_cannot_be_written(self):
        if os.geteuid() == 0:
            self.skipTest("root may write anywhere")
        os.mkdir(self.path("fixed"), 0o555)
        self.refused("fixed/s.json", "dem.asc", *USUAL, "-o", "fixed/s.json", code=4)
