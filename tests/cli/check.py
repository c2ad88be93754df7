# SPDX-License-Identifier: Apache-2.0
"""sciara check: every problem at once, an estimate of the run, nothing written; run refuses what check refuses."""
import os
import re

import case
from case import ScenarioCase, SharedCase


def lines_of(report):
    """The lines of a report by the words before the colon; indented lines unchanged."""
    return {line.split(":")[0]: line.split(":", 1)[1].strip() for line in report.splitlines() if ":" in line}


class Problems(ScenarioCase):
    def problems(self, *args, command="check", code=3):
        """The errors on stderr; the folder is unchanged."""
        before = case.tree(self.work)
        done = self.sciara(command, *args, code=code)
        self.assertEqual(case.tree(self.work), before, "files of the folder")
        start = "sciara: error: "
        return [line.removeprefix(start) for line in done.stderr.splitlines() if line.startswith(start)], done.stdout

    BROKEN = {
        "tilte": "x",
        "vents": [
            {"row": 0, "col": 20, "effusion": {"slot": "1 h", "rates_m3_s": [1]}},
            {"row": 8, "col": 20, "effusion": {"slot": "1 h", "rates_m3_s": [1, -1]}},
            {"name": "far", "x": 1, "y": 2, "effusion": {"csv": "none.csv"}},
            {"row": 1, "col": 1, "effusion": {"slot": "1 h", "rates_m3_s": [1]}},
        ],
        "output": {"evry": 5},
    }
    EXPECTED = [
        "vents[1].effusion.rates_m3_s[1]: expected 0 to 1e6 m3/s; found -1",
        'output.evry: unknown key, expected folder, every, '
        'checkpoint_every, checkpoint_wall, keep_checkpoints, fields, dtype, maps (did you mean "every"?)',
        'tilte: unknown key, expected $schema, title, dem, vents, initial, model, boundary, run, output, engine '
        '(did you mean "title"?)',
        "vents[2].effusion.csv: ./none.csv: cannot open: No such file or directory",
        "vents[0] (vent 1): expected a cell whose 8 neighbours are valid, found a cell on the rim of the "
        "domain in row 0, column 20",
        "vents[2] (far): expected x from 500000.000 to below 500400.000 and y from above 4177000.000 to 4177300.000 (the DEM), found "
        "x 1.000, y 2.000",
        "vents[3] (vent 4): expected a cell whose 8 neighbours are valid, found a NODATA cell in row 1, "
        "column 1",
        'engine.name: there is no engine "seral"; did you mean "serial"?',
    ]

    def test_all_at_once(self):
        case.write_json(self.path("s.json"), case.scenario(title=None, **self.BROKEN))
        found, report = self.problems("s.json", "--engine", "seral")
        self.assertEqual(found, [f"s.json: {text}" for text in self.EXPECTED])
        self.assertEqual(report, "", "a report on a scenario that was refused")

    def test_run_reports_the_same(self):
        case.write_json(self.path("s.json"), case.scenario(title=None, **self.BROKEN))
        found, _ = self.problems("s.json", "--engine", "seral", "-o", "out", command="run")
        self.assertEqual(found, [f"s.json: {text}" for text in self.EXPECTED])

    def warnings(self, command, name):
        lines = self.sciara(*command, name).stderr.replace("\n  ", " ").splitlines()
        return [line.removeprefix("sciara: warning: ") for line in lines if line.startswith("sciara: warning: ")]

    def test_a_vent_that_emits_nothing(self):
        """Of two vents the one of whose rates none is above 0, or in the run, is named, and the mass balance has the other alone. A later
        end of the run, or of the vent, gets its lava too."""
        good = {"name": "good", "row": 8, "col": 20, "effusion": {"slot": "10 min", "rates_m3_s": [4]}}
        dry = {"name": "dry", "row": 12, "col": 20}
        none = ('vents[1] (dry) emits nothing: expected a rate above 0, after "from" and before "until" of the vent where it has them; '
                "found none")
        for number, (vent, run, said) in enumerate((
                ({"effusion": {"slot": "10 min", "rates_m3_s": [0, 0]}}, {"until": "20 min"}, none),
                ({"effusion": {"slot": "10 min", "rates_m3_s": [2]}, "start": "10 min", "until": "5 min"}, {"until": "20 min"}, none),
                ({"effusion": {"slot": "10 min", "rates_m3_s": [2]}, "start": "10 min", "until": "15 min"}, {"until": "20 min"}, None),
                ({"effusion": {"table": [["0 s", 0], ["30 min", 2], ["40 min", 0]]}}, {"until": "20 min", "start": "2026-05-10T04:00Z"},
                 "vents[1] (dry) emits nothing in the run, which ends at 20 min (2026-05-10 04:20 UTC): expected rates that begin before, "
                 "found the first one above 0 at 30 min (2026-05-10 04:30 UTC)"),
                ({"effusion": {"table": [["0 s", 0], ["30 min", 2], ["40 min", 0]]}}, {"until": "31 min"}, None))):
            with self.subTest(number):
                self.write_scenario(vents=[good, dry | vent], run=run)
                folder = f"run{number}"
                for command in (["check", "--no-estimate"], ["run", "-o", folder]):
                    self.assertEqual(self.warnings(command, "s.json"), [said] if said else [])
                emitted = case.record(self.path(folder))["ledger"]["emitted_m3"]
                self.assertEqual(emitted > 2400 + 1e-6, said is None, emitted)
                self.assertGreaterEqual(emitted, 2400 - 1e-6)

    def test_more_snapshots_than_the_disk_holds(self):
        """One at each nanosecond of two hours; twice what is free, and half."""
        run = {"until": "2 h"}
        self.write_scenario(run=run, output={"every": 1e-9})
        said, = self.warnings(["check", "--no-estimate"], "s.json")
        disk = os.statvfs(self.work)
        found = re.fullmatch(r"s\.json: output\.every: the snapshots do not fit on the disk: with one at each interval they take about ([\d.]+) TB, "
                             r"and ([\d.]+) ([MG])B are free; expected a longer interval, or fewer output\.fields", said)
        self.assertTrue(found, said)
        self.assertAlmostEqual(float(found[2]) * (1e9 if found[3] == "G" else 1e6) / (disk.f_bavail * disk.f_frsize), 1, delta=0.2)
        size = re.search(r"\n  size +about ([\d.]+) MB each", self.sciara("check", "s.json", "--no-estimate").stdout)
        self.assertAlmostEqual(float(found[1]) * 1e12 / (7200e9 * float(size[1]) * 1e6), 1, delta=0.5)
        for share, warnings in ((0.5, 0), (2, 1)):  # of the disk
            self.write_scenario(run=run, output={"every": float(found[1]) * 1e12 * 1e-9 / (share * disk.f_bavail * disk.f_frsize)})
            self.assertEqual(len(self.warnings(["check", "--no-estimate"], "s.json")), warnings)

    def test_what_a_precision_cannot_hold(self):
        """Each is refused by name, by check and run alike; in the other precision, or larger, it is taken."""
        rate, start = "vents.0.effusion.rates_m3_s.0", "vents[0].effusion: expected 0 or at least "
        single, double = ("-p", "single"), ("-p", "double")
        late = "expected at most 4.5036e+11 s unless run.max_steps is given, found"
        for settings, how, message in (
                (["model.relaxation=1e-50"], single, "model.relaxation: found 1e-50, expected at least 0.000244141 in s"),
                (["model.relaxation=1e-6"], double, None),
                (["model.relaxation=1e-9"], double, "model.relaxation: found 1e-09, expected at least 1.49012e-08 in do"),
                (["model.clock_max_s=1e-300"], double, "model.clock_max_s: found 1e-300, expected at least 7.88861e-31 s"),
                (["model.clock_max_s=1e-20"], double, "model.clock_max_s: found 1e-20, expected a clock that lets the t"),
                (["model.clock_max_s=1e-20", "model.clock_first_s=1e-20", "run.max_steps=9"], double, None),
                (["model.dissipation_vent=1e-40"], single, "model.dissipation_vent: found 1e-40, expected at least 1.17"),
                (["model.dissipation_vent=1e-40"], double, None),
                (["model.T_sol_K=1359.99999"], single, "model.T_sol_K: found 1359.99999, expected below model.T_vent_K "),
                (["model.T_sol_K=1359.99999"], double, None),
                (["model.critical_height_vent_m=1e-6"], single, "model.critical_height_vent_m: found 1e-06, expected at le"),
                (["model.critical_height_vent_m=1e-6"], double, None),
                (["model.cooling=1e-30"], single, "model.cooling: found 1e-30, which makes the constant of cooling 5.1"),
                (["model.cooling=1e-30"], double, None),
                ([f"{rate}=1e-300"], single, f"{start}4.24e-20 m3/s, found 1e-300 m3/s from 0 to 600 s in row 8"),
                ([f"{rate}=1e-21"], single, f"{start}4.24e-20 m3/s, found 1e-21 m3/s from 0 to 600 s in row 8"),
                ([f"{rate}=1e-19"], single, None),
                ([f"{rate}=1e-300"], double, f"{start}8.02e-290 m3/s, found 1e-300 m3/s"),
                ([f"{rate}=5e-324"], double, f"{start}8.02e-290 m3/s, found 4.94"),
                ([f"{rate}=1e-280"], double, None), ([f"{rate}=0"], single, None),
                (["vents.0.effusion.slot=1e-300"], double, f"{start}8.02e+10 m3/s, found 4 m3/s from 0 to 1e-300 s"),
                (["run.until=1e12", "model.clock_max_s=1e-4"], double, f"run.until: {late} 1000000000000 s"),
                (["run.max_time=1e12", "model.clock_max_s=1e-4"], double, f"run.max_time: {late} 1000000000000 s"),
                (["vents.0.start=1e12", "model.clock_max_s=1e-4"], double, f"end of the effusion: {late} "
                                                                                  "1000000001200 s"),
                (["run.until=1e12", "model.clock_max_s=1e-4", "run.max_steps=3"], double, None),
                (["initial.thickness=1e-40"], single, "initial.thickness: row 1, column 5: expected 0 or at l"),
                (["vents.0.effusion.rates_m3_s=[1e6]", "vents.0.effusion.slot=1e12"], double, "vents: found 1e+18 m3 of la"),
        ):
            args = [*how, *(word for setting in settings for word in ("--set", setting))]
            with self.subTest(settings=settings, how=how):
                if message is None:
                    self.problems("s.json", *args, code=0)
                    continue
                found, _ = self.problems("s.json", *args)
                self.assertEqual(len(found), 1, found)
                self.assertIn(message, found[0])
                self.assertRegex(found[0], r"^s\.json: ")
        for setting in "model.relaxation=1e-50", f"{rate}=1e-300", "run.until=1e12":
            args = (*single, "--set", setting, "--set", "model.clock_max_s=1e-4")
            found, _ = self.problems("s.json", *args)
            self.assertEqual(self.problems("s.json", *args, "-o", "out", command="run")[0], found)

    def test_cells_that_are_too_small(self):
        """Of 1e-14 m: no length that a float can divide by."""
        text = case.read_text(self.path("dem.asc"))
        case.write_text(self.path("dem.asc"), text.replace(f"cellsize {case.CELL}", "cellsize 1e-14"))
        found, _ = self.problems("s.json", "-p", "single", "--set", "dem.crs=null")
        self.assertIn("found cells of 1e-14 m, expected 9.09495e-13 to 1.09951e+12 m in single precision", found[0])

    def test_more_than_a_hundred(self):
        rates = [-k for k in range(1, 151)]
        self.write_scenario(vents=[{"row": 8, "col": 20, "effusion": {"slot": 1, "rates_m3_s": rates}}])
        found, _ = self.problems("s.json")
        self.assertEqual(len(found), 101)
        self.assertEqual(found[99], "s.json: vents[0].effusion.rates_m3_s[99]: expected 0 to 1e6 m3/s; found -100")
        self.assertEqual(found[100], "... and 50 more")

    def test_exit_code_is_that_of_the_first(self):
        self.assertEqual(self.problems("none.json", code=4)[0],
                         ["none.json: cannot open: No such file or directory"])
        self.problems("s.json", "--engine", "seral", code=2)
        self.problems("s.json", "--set", "output.every=-1", "--engine", "seral", code=3)
        self.problems("s.json", "--steps", "0", code=2)
        vents = [{"row": 8, "col": 20, "effusion": {"csv": "none.csv"}}]
        self.write_scenario(vents=vents, boundary="ajar")
        self.problems("s.json", code=3)
        self.write_scenario(vents=vents)
        self.problems("s.json", code=4)

    def test_one_dem_problem(self):
        found, _ = self.problems("s.json", "--set", "dem.path=none.tif", "--set", "output.every=-1")
        self.assertEqual(found, ["s.json: output.every: expected above 0 to 1e12 s; found -1",
                                 "s.json: ./none.tif: No such file or directory"])

    def test_more_than_the_memory_of_any_machine(self):
        from osgeo import gdal
        gdal.UseExceptions()
        driver = gdal.GetDriverByName("GTiff")
        big = driver.Create(self.path("big.tif"), 2000000, 2000000, 1, gdal.GDT_Float32,
                            ["SPARSE_OK=TRUE", "TILED=YES", "BLOCKXSIZE=65536", "BLOCKYSIZE=65536", "BIGTIFF=YES"])
        big.SetGeoTransform((500000, 0.05, 0, 4180000, 0, -0.05))
        big = None
        for command in ("check", "run"):
            found, _ = self.problems("s.json", "--set", "dem.path=big.tif", command=command, code=6)
            self.assertRegex(found[0], r"^s\.json: \./big\.tif: 2000000 x 2000000 cells take about 480 TB")

    def test_json_lines(self):
        done = self.sciara("check", "s.json", "--log-json", "--set", "output.evry=1", "--set", "boundary=ajar", code=3)
        self.assertEqual([line.count('"level":"error"') for line in done.stderr.splitlines() if "error" in line], [1, 1])


class Report(SharedCase):
    """Of a good scenario."""

    @classmethod
    def prepare(cls):
        vents = [{"name": "east", "row": 8, "col": 20, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}},
                 {"name": "fissure", "line": [[500105, 4177105], [500145, 4177105]],
                  "effusion": {"slot": "1 h", "rates_m3_s": [2]}}]
        output = {"every": "10 min", "fields": ["thickness", "deposit"], "maps": ["deposit"]}
        case.write_scenario(cls.work, vents=vents, output=output, run={"max_time": "6 h"})
        before = case.tree(cls.work)
        cls.report = case.run_program("check", "s.json", "-e", "serial", cwd=cls.work).stdout
        cls.unchanged = case.tree(cls.work) == before

    def test_nothing_written(self):
        self.assertTrue(self.unchanged)

    def test_map(self):
        lines = lines_of(self.report)
        self.assertEqual(lines["title"], "slope")
        self.assertEqual(lines["grid"], "30 rows x 40 columns of 10 m, x 500000 to 500400, y 4177000 to 4177300")
        self.assertEqual(lines["CRS"], "WGS 84 / UTM zone 33N (EPSG:32633)")
        self.assertEqual(lines["vents"], "2, 13200 m3 in all, until 1 h")

    def test_a_probe_of_the_whole_run(self):
        """It has the steps and the end of the run, by any stop rule, and says how long it took."""
        for name, sets in (("forty", ["run.max_steps=40"]), ("rest", ['run.until="front at rest"', 'run.front_at_rest="20 min"'])):
            changes = ["-e", "serial", *(word for each in sets for word in ("--set", each))]
            said = lines_of(self.sciara("check", "s.json", *changes).stdout)["estimate"]
            self.sciara("run", "s.json", "-q", "-o", name, *changes)
            state = case.record(self.path(name))["state"]
            found = re.match(r"(\d+) steps, simulated (\S+) (min|h); a probe computed all of it in \S+ s with up to 1 thread$", said)
            self.assertEqual(found and int(found[1]), state["step"], said)
            self.assertAlmostEqual(float(found[2]) * {"min": 60, "h": 3600}[found[3]] / state["time_s"], 1, delta=0.05)

    def test_volume_within_the_run(self):
        """A run that ends before its rates says how much comes out in it, and from when, as `run` does."""
        rates = [(0, 3600, 2), (3600, 10800, 0.5)]
        for name, until, observed, span in (("short", 5400, None, (0, 5400)), ("late", 7200, 1800, (1800, 7200)), ("long", 10800, None, None)):
            run = {"until": until}
            initial = {"initial": {"observed": {"outline": "o.geojson", "volume_m3": 500, "time": observed}}} if observed else {}
            x, y = case.WEST + 200, case.NORTH - 90
            case.write_json(self.path("o.geojson"), {"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "EPSG:32633"}}, "features": [
                {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [[[x - 30, y - 30], [x + 30, y - 30], [x + 30, y + 30], [x - 30, y + 30], [x - 30, y - 30]]]}}]})
            effusion = {"slot": "1 h", "rates_m3_s": [2, 0.5, 0.5]}
            case.write_scenario(self.work, f"{name}.json", vents=[{"row": 8, "col": 20, "effusion": effusion}], run=run, **initial)
            within = span and sum(rate * max(0, min(end, span[1]) - max(begin, span[0])) for begin, end, rate in rates)
            hours = {0: "0 s", 1800: "30 min", 5400: "1 h 30 min", 7200: "2 h"}
            said = f"; of it {within:.6g} m3 in the run ({hours[span[0]]} to {hours[span[1]]})" if span else ""
            self.assertEqual(lines_of(self.sciara("check", f"{name}.json").stdout)["vents"], "1, 10800 m3 in all, until 3 h" + said)
            self.assertIn(f"vents: 1 cell, 10800 m3 in all, until 10800 s{said}\n", self.sciara("run", f"{name}.json", "-o", f"{name}-run", "--steps", 2).stderr)

    def test_vents(self):
        x, y = case.WEST + 205, case.NORTH - 85
        self.assertRegex(self.report, rf"\n  east +row +8, column +20, x {x}, y {y}, "
                                      rf"altitude {case.altitude(8, 20):.7g} m, 6000 m3\n")
        self.assertRegex(self.report, rf"\n  fissure +row +19, column +10, .*, altitude {case.altitude(19, 10):.7g} m, "
                                      r"7200 m3 from 5 cells, of which this is the first\n")

    def test_outputs(self):
        lines = lines_of(self.report)
        self.assertEqual(lines["end"], "when all lava is solid and no vent emits, at the latest after 6 h")
        self.assertEqual(lines["snapshots"], "at most 36, one every 10 min and one at the end")
        self.assertRegex(lines["checkpoints"], "^when a signal stops the run or requests one; about ")
        self.assertEqual(lines["maps"], "deposit")
        self.assertTrue(lines["output folder"].endswith("s.out"), lines["output folder"])
        self.assertEqual(self.report.splitlines()[-1], "no problem found")

    def test_run_has_what_was_predicted(self):
        folder = self.run_scenario("out", "-e", "serial")
        snapshots = case.record(folder)["snapshots"]
        self.assertLessEqual(len(snapshots), 36)
        most = float(re.search(r"emitted, at most ([\d.]+) MB", self.report)[1]) * 1e6
        for entry in snapshots:
            self.assertLessEqual(os.path.getsize(os.path.join(folder, entry["name"])), most + 5000)
        self.assertIn("(not empty: run will require --overwrite)", self.sciara("check", "s.json", "-o", "out").stdout)
        self.sciara("run", "s.json", "-o", "out", code=3)

    def test_run_reports_no_more_than_before(self):
        done = self.sciara("run", "s.json", "-e", "serial", "-n", 2, "-o", "short")
        self.assertEqual(len(done.stdout.splitlines()), 3, "a snapshot, a map and its picture")
        for word in ("memory", "predicted", "no problem"):
            self.assertNotIn(word, done.stdout + done.stderr)


class Memory(SharedCase):
    """The estimate compared with the peak of a run on 1000 x 1000 cells."""

    SIDE = 1000

    @classmethod
    def prepare(cls):
        import numpy
        from osgeo import gdal
        gdal.UseExceptions()
        dem = gdal.GetDriverByName("GTiff").Create(os.path.join(cls.work, "dem.tif"), cls.SIDE, cls.SIDE, 1,
                                                   gdal.GDT_Float32, ["COMPRESS=DEFLATE", "TILED=YES"])
        dem.SetGeoTransform((500000, 10, 0, 4180000, 0, -10))
        row, col = numpy.mgrid[0:cls.SIDE, 0:cls.SIDE]
        dem.GetRasterBand(1).WriteArray((2000 - 0.5 * col + ((row * 7 + col * 3) % 5) * 0.25).astype("float32"))
        dem = None
        case.write_json(os.path.join(cls.work, "s.json"), {
            "dem": {"path": "dem.tif", "crs": "EPSG:32633"},
            "vents": [{"row": 500, "col": 500, "effusion": {"slot": "1 d", "rates_m3_s": [5]}}]})

    def peak(self, *args):
        """The peak of the resident memory of a run, in bytes."""
        pid = os.posix_spawn(case.PROGRAM, [case.PROGRAM, "run", "s.json", "-q", "-n", "20", "--overwrite", "-o", "out",
                                            *args],
                             {**os.environ, "OMP_NUM_THREADS": "2"},
                             file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
        _, status, usage = os.wait4(pid, 0)
        self.assertEqual(status, 0, f"sciara run {args}")
        return usage.ru_maxrss * 1024

    def test_prediction(self):
        if case.SANITIZED:
            self.skipTest("sanitizers take memory of their own")
        os.chdir(self.work)
        for args in (["-e", "serial"], ["-e", "openmp"], ["-e", "serial", "-p", "single"],
                     ["-e", "serial", "--set", 'output.maps=["deposit"]'],
                     ["-e", "serial", "--checkpoint-every", "1 s"]):
            report = self.sciara("check", "s.json", "-q", "--no-estimate", *args).stdout
            predicted = float(re.search(r"\nhost memory: +([\d.]+) MB", report)[1]) * 1e6
            parts = [float(n) for n in re.findall(r"\n  (?:program|ground|state|engine|files) +([\d.]+) MB", report)]
            self.assertEqual(len(parts), 5, report)
            self.assertAlmostEqual(sum(parts) * 1e6, predicted, delta=3e5, msg="the parts make the sum")
            peak = self.peak(*args)
            print(f"{' '.join(args)}: predicted {predicted / 1e6:.1f} MB, taken {peak / 1e6:.1f} MB")
            self.assertLess(abs(predicted - peak), 0.15 * peak, " ".join(args))
