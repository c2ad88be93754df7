# SPDX-License-Identifier: Apache-2.0
"""An ensemble from its file to its maps, with members that are computed: plan, run, status, reduce, query, compare; all in one
go; any number of workers; the stop rule; edited tables; an end by a signal; members that are censored."""
import fcntl
import os
import re
import shutil
import signal
import subprocess
import time

import case
import fixtures
from case import Case
from fixtures import EVENTS, SITES
from geo import gdal


def table(*names):
    return {row["id"]: row for row in case.read_rows(os.path.join(*names))}


class Chain(Case):
    def prepare_test(self):
        fixtures.write_plan(self.work)

    def write_base(self, name, **parts):
        fixtures.write_base(self.work, name, **parts)

    def write_ensemble(self, name="e.json", **parts):
        fixtures.write_ensemble(self.work, name, **parts)

    def ensemble(self, *args, **options):
        return self.sciara("ensemble", *args, **options)

    def computed(self, name):
        """Plans and computes NAME.json in the folder NAME; makes no maps."""
        self.ensemble("plan", f"{name}.json", "-o", name, "--no-estimate")
        return self.ensemble("run", name)

    def maps(self, folder):
        """The bytes of all maps and of the table of sites."""
        found = {name: case.read_bytes(self.path(folder, "maps", name)) for name in sorted(os.listdir(self.path(folder, "maps")))}
        return found | {"sites.csv": case.read_bytes(self.path(folder, "sites.csv"))}

    def assert_checksum(self, folder, member):
        """`sciara run` of a member has its checksum."""
        self.ensemble("member", folder, member, "-o", f"m{member}.json", "--overwrite")
        run = case.record(self.run_scenario(f"run-{folder}-{member}", name=f"m{member}.json"))
        self.assertEqual(run["snapshots"][-1]["checksum"], table(self.path(folder, "log.csv"))[str(member)]["checksum"])

    def test_exports(self):
        """KML has all zones and vents, GeoJSON one layer, in degrees; their areas are those of the map."""
        fixtures.ensemble(self.work)
        self.ensemble("export", "e", "-f", "kml")
        self.ensemble("export", "e", "-f", "geojson", "--layer", "probability_0m", "-o", "p.geojson")
        self.ensemble("export", "e", "-f", "geojson", "--layer", "reached_05")
        kml = case.read_bytes(self.path("e/maps/hazard.kml")).decode()
        for name in ("probability_0m", "probability_0.5m", "reached_within_30min", "reached_05", "vents", "threats", "one", "small"):
            self.assertIn(name, kml)
        zones = case.read_json(self.path("p.geojson"))["features"]
        cells = {z["properties"]["probability"]: z["properties"]["cells"] for z in zones}
        done = self.ensemble("query", "e", "--at", "500200,4177220").stdout
        self.assertIn("100", done)
        self.assertEqual(sorted(cells, reverse=True), sorted(cells, key=lambda edge: cells[edge]), "zones are nested")
        place = zones[0]["geometry"]["coordinates"]
        while not isinstance(place[0], float):
            place = place[0]
        self.assertTrue(14.9 < place[0] < 15.1 and 37.7 < place[1] < 37.8, place)
        self.assertTrue(case.read_json(self.path("e/maps/reached_05.geojson"))["features"])
        for said, *options in (("expected probability_0m, probability_0.5m, reached_within_30min, reached_05 or reached_50",
                                "-f", "geojson", "--layer", "x", "-o", "x.geojson"),
                               ("--layer is missing", "-f", "geojson"), ("--format kml has no option --layer", "-f", "kml", "--layer", "x"),
                               ("--format kml has no option --title", "-f", "kml", "--title", "x"), ("--output", "-f", "kml", "-o", "x.html")):
            self.assertIn(said, self.ensemble("export", "e", *options, code=2).stderr)
        self.assertFalse(os.path.exists(self.path("x.geojson")))
        self.write_ensemble("one.json", vents={"grid": {"extent": [500195, 4177215, 500205, 4177225], "step_m": 10}}, vary=None,
                            events=[EVENTS[0], EVENTS[1] | {"volume_m3": 9000, "duration": "5 h"}])
        self.ensemble("run", "one.json", "-q", "--no-estimate", "--no-pictures")
        for layer in ("reached_05", "reached_50"):  # one step for both, though the lava of the rarer event comes hours later
            self.ensemble("export", "one", "-f", "geojson", "--layer", layer)
            ends = [zone["properties"]["until_s"] for zone in case.read_json(self.path("one/maps", f"{layer}.geojson"))["features"]]
            self.assertEqual(ends, [1800 * k for k in range(1, 10 if layer == "reached_05" else 2)])

    def test_zones_end_with_the_members(self):
        """No label and no time of isochrones, in any product, is later than the end of the last member."""
        long = [{"name": "long", "volume_m3": 12000, "duration": "1 h"}]
        for name, run in (("plain", {}), ("dated", {"start": "2026-05-01T00:00:00Z"})):
            self.write_base(f"{name}-base.json", run=run)
            self.write_ensemble(f"{name}.json", base=f"{name}-base.json", events=long, vary=[{"key": "run.until", "values": [1300, 1500]}])
            self.ensemble("run", f"{name}.json", "-q", "--no-estimate", "--no-pictures")
            end = max(float(row["end_s"]) for row in table(self.path(name, "log.csv")).values())
            self.assertTrue(1500 <= end < 1600, end)
            for args in (("kml",), ("html", "-o", f"{name}.html"), ("geojson", "--layer", "reached_05")):
                self.ensemble("export", name, "-f", *args)
            zones = [one["properties"] for one in case.read_json(self.path(name, "maps/reached_05.geojson"))["features"]]
            self.assertEqual([zone["until_s"] for zone in zones], [600, 1200, end])
            last = f"{case.clock_after(run['start'], end)} UTC" if run else f"25 min {round(end - 1500)} s"
            self.assertEqual(zones[-1]["label"], f"by {last}")
            self.assertIn(f"<name>by {last}</name>", case.read_text(self.path(name, "maps/hazard.kml")))
            package = gdal.OpenEx(self.path(name, "isochrones.gpkg"))
            self.assertEqual([zone["until_s"] for zone in package.GetLayerByName("reached_05")], [600, 1200, end])
            if run:
                self.assertIn(f',"{case.clock_after(run["start"], end)}"]]', case.read_text(self.path(f"{name}.html")))

    def test_chain(self):
        self.ensemble("plan", "e.json", "-o", "steps", "--no-estimate")
        self.ensemble("run", "steps", "-j", "1")
        self.assertIn("12 of 12 finished, 0 failed, 0 censored", self.ensemble("status", "steps").stdout)
        for member in (0, 11):
            self.assert_checksum("steps", member)
        self.ensemble("reduce", "steps", "--threads", "1")
        asked = self.ensemble("query", "steps", "--at", "500200,4177220").stdout
        for word in ("small", "large", "one", "12 of 12 members"):
            self.assertIn(word, asked)
        done = self.ensemble("run", "e.json", "-j", "2", "--no-estimate")
        self.assertIn("12 of 12 members", done.stdout)
        self.assertEqual(self.maps("steps"), self.maps("e"))
        for product in ("hazard.nc", "outlines.gpkg", "isochrones.gpkg", "vents.gpkg"):
            self.assertTrue(os.path.exists(self.path("e", product)), product)
        same = self.ensemble("compare", "steps", "e")
        self.assert_parts(same.stdout, "12 pairs", "difference +0.00 %")
        self.assertEqual(re.findall(r"(\w+)/dem\.tif: ", same.stderr), ["steps", "e"], "each is described once")
        before = self.maps("e")
        again = self.ensemble("run", "e.json", "--no-estimate").stderr
        self.assertIn("0 by this run", again)
        for said in (done.stderr, again):
            self.assertEqual(said.count("e/dem.tif: "), 1, said)
        self.assertEqual(self.maps("e"), before)

    def test_with_a_barrier(self):
        """Pairs with and without an edit of the DEM."""
        corners = [[500150, 4177180], [500260, 4177180]]
        edits = [{"line": corners, "width_m": 15, "height_m": 20}]
        self.write_base("base2.json", dem={"path": "dem.asc", "crs": "EPSG:32633", "edits": edits})
        fixtures.ensemble(self.work)
        self.write_ensemble("barrier.json", base="base2.json")
        self.ensemble("run", "barrier.json", "--no-estimate", "--no-pictures")
        self.assert_checksum("barrier", 3)
        self.assertIn("12 pairs", self.ensemble("compare", "e", "barrier", "-o", "difference").stdout)
        self.assertNotEqual(case.read_bytes(self.path("e", "maps", "hits.tif")), case.read_bytes(self.path("barrier", "maps", "hits.tif")))

    def test_stop_rule(self):
        """The run ends after the batches that the rule needs, and the maps are those of the whole ensemble with the rule."""
        self.write_ensemble(sample={"method": "random", "vents": "drawn", "count": 240, "seed": 1}, stop={"standard_error": 0.2, "thickness_m": 0},
                            result={"thickness_m": [0], "sites": SITES[:1]}, vary=[{"key": "model.relaxation", "uniform": [0.4, 0.5]}],
                            events=[e | {"volume_m3": 600, "duration": "5 min"} for e in EVENTS])
        self.ensemble("plan", "e.json", "-o", "whole", "--no-estimate")
        self.ensemble("run", "whole", "--all")
        self.ensemble("reduce", "whole")
        for workers in ("1", "2"):
            done = self.ensemble("run", "e.json", "-o", workers, "-j", workers, "--no-estimate")
            self.assertIn("the stop rule holds after 1 batch", done.stderr)
            self.assertEqual(self.maps(workers), self.maps("whole"))
            log = table(self.path(workers, "log.csv"))
            self.assertLess(len(log), len(table(self.path("whole", "log.csv"))))
        self.assertIn("0 by this run", self.ensemble("run", "1").stderr)
        self.ensemble("run", "1", "--all")
        self.assertEqual(len(table(self.path("1", "log.csv"))), 240)

    def test_stop_rule_with_strata(self):
        """A prefix holds the first draws of every vent, so the rule can hold before all of them are computed; each vent keeps its
        weight, although one of them has a member more in the prefix. A vent whose weight is 0 has no place in the table.

        All members of a vent do the same at the site, so there is no spread; the bound is 3 x 0.5/21 after one batch."""
        case.write_text(self.path("vents.csv"), "name,x,y,p\none,500200,4177220,1\nnone,500160,4177210,0\ntwo,500150,4177200,3\nthree,500255,4177235,4\n")
        self.write_ensemble(sample={"method": "random", "count": 60, "seed": 1}, stop={"standard_error": 0.072, "thickness_m": 0},
                            vents={"table": "vents.csv", "weights": {"column": "p"}}, result={"thickness_m": [0], "sites": SITES[:1]},
                            vary=[{"key": "model.relaxation", "uniform": [0.4, 0.5]}],
                            events=[EVENTS[0] | {"volume_m3": 300, "duration": "5 min"}])
        done = self.ensemble("run", "e.json", "-j", "2", "--no-estimate", "--no-pictures")
        self.assertIn("the stop rule holds after 1 batch", done.stderr)
        rows = list(table(self.path("e", "members.csv")).values())
        self.assertEqual([int(r["stratum"]) for r in rows], [0, 2, 3] * 60)
        self.assertEqual([int(r["id"]) for r in rows], list(range(180)))
        site = next(row for row in case.read_rows(self.path("e", "sites.csv")) if row["site"] == "vent")
        self.assertAlmostEqual(float(site["probability_0m"]), 1 / 8, delta=1e-12)  # lava of the first vent alone reaches it
        values = [r["model.relaxation"] for r in rows]
        self.assertEqual(len(set(values)), 180)
        # The draws of a pair are those of a plan with this pair alone.
        self.write_ensemble("one.json", sample={"method": "random", "count": 60, "seed": 1}, events=EVENTS[:1],
                            vents={"table": "one.csv"}, vary=[{"key": "model.relaxation", "uniform": [0.4, 0.5]}])
        case.write_text(self.path("one.csv"), "name,x,y\none,500200,4177220\n")
        self.ensemble("plan", "one.json", "-o", "alone", "--no-estimate")
        self.assertEqual([r["model.relaxation"] for r in table(self.path("alone", "members.csv")).values()], values[::3])

    def test_stop_rule_at_every_site(self):
        """A site without any hit has the error of its upper bound, 3/64 after one batch: too large. A part is computed to its end."""
        self.write_ensemble(sample={"method": "random", "vents": "drawn", "count": 192, "seed": 1}, stop={"standard_error": 0.04, "thickness_m": 0},
                            result={"thickness_m": [0], "sites": [SITES[1], SITES[0]]}, vents=None,
                            vary=[{"key": "model.relaxation", "uniform": [0.4, 0.5]}],
                            events=[e | {"volume_m3": 100, "duration": "2 min"} for e in EVENTS])
        self.ensemble("plan", "e.json", "-o", "part", "--no-estimate")
        self.assertIn("the stop rule holds after 2 batches", self.computed("e").stderr)
        said = self.ensemble("status", "e").stdout
        self.assertIn("stop:     the stop rule holds after 2 batches: the other members are not computed (run --all: they are)\n", said)
        self.assertNotIn("ETA", said)
        for first, last, finished in ((0, 0, 64), (128, 191, 128)):  # the last batch does not follow on the first
            self.ensemble("run", "part", "--members", f"{first}-{last}")
            said = self.ensemble("status", "part").stdout
            self.assertIn(f"members:  {finished} of 192 finished", said)
            self.assertRegex(said, "(?s)^(?!.*stop:).*ETA:")
        self.assertIn("192 of 192 members are finished", self.ensemble("run", "part", "--part", "1/1").stderr)
        self.assertNotIn("stop:", self.ensemble("status", "part").stdout)  # nothing is left to compute

    def test_changed_ground(self):
        """Nothing is made of a dem.tif that was moved, raised in one cell, or has a cell less; that of another plan puts it right."""
        def moved(dem):
            west, *others = dem.GetGeoTransform()
            dem.SetGeoTransform((west + 100, *others))

        def changed(value):
            def change(dem):
                band = dem.GetRasterBand(1)
                values = band.ReadAsArray()
                values[3, 4] = band.GetNoDataValue() if value is None else values[3, 4] + value
                band.WriteArray(values)
            return change

        for name, dem in (("plain", {}), ("sea", {"sea": "nodata"})):
            self.write_base("base.json", dem={**case.scenario()["dem"], **dem})
            self.write_ensemble(vary=None)
            self.ensemble("plan", "e.json", "-o", name, "--no-estimate")
            self.ensemble("plan", "e.json", "-o", "again", "--no-estimate")
            self.ensemble("run", name, "-j", "2")
            self.ensemble("reduce", name, "--no-pictures")
            before, own = self.maps(name), self.path(name, "dem.tif")
            for change in (moved, changed(1), changed(None)):
                shutil.copyfile(self.path("again", "dem.tif"), own)
                dem = gdal.Open(own, gdal.GA_Update)
                change(dem)
                dem = None  # written
                for args in (("run", name), ("reduce", name), ("query", name, "--at", "500200,4177220"), ("query", name, "--at", "vent"),
                             ("export", name, "-f", "kml", "-o", "x.kml"), ("compare", name, name)):
                    self.assertRegex(self.ensemble(*args, code=3).stderr,
                                     name + r"/dem\.tif: expected the ground [0-9a-f]{16} of the plan, found [0-9a-f]{16}; put back")
            self.assertEqual(self.maps(name), before)
            shutil.copyfile(self.path("again", "dem.tif"), own)
            self.ensemble("reduce", name, "--no-pictures")
            self.assertEqual(self.maps(name), before)
            shutil.rmtree(self.path("again"))

    def test_damaged_cells(self):
        """A flipped bit, or values that no footprint has: the error names the batch and its cure, and that brings the maps back."""
        import h5py
        fixtures.ensemble(self.work)
        maps, batch = self.maps("e"), self.path("e", "batches", "000000.h5")

        def flip():
            with h5py.File(batch) as f:
                chunk = f["arrival"].id.get_chunk_info(0)
            with open(batch, "r+b") as f:
                f.seek(chunk.byte_offset + chunk.size // 2)
                byte = f.read(1)[0] ^ 4
                f.seek(-1, os.SEEK_CUR)
                f.write(bytes([byte]))

        def write(name, value):
            with h5py.File(batch, "r+") as f:
                f[name][5] = value
        good = case.read_bytes(batch)
        cure = r"error: (e/batches/000000\.h5): damaged: .*; remove \1, and 'sciara ensemble run' computes its members again\n"
        for damage in (flip, lambda: write("arrival", float("nan")), lambda: write("max_deposit", -1),
                       lambda: write("deposit", float("inf")), lambda: write("cell", 0)):
            case.write_bytes(batch, good)
            damage()
            for args in (("reduce", "e", "--no-pictures"), ("query", "e", "--at", "500200,4177220")):
                self.assertRegex(self.ensemble(*args, code=3).stderr, cure)
        self.assertIn("batches:  1 of 1 written, ", self.ensemble("status", "e").stdout)
        self.assertEqual(self.maps("e"), maps)
        os.remove(batch)
        self.ensemble("run", "e")
        self.ensemble("reduce", "e", "--no-pictures")
        self.assertEqual(self.maps("e"), maps)

    def test_one_reduction_at_a_time(self):
        """A second one waits, says so, and gives the same maps."""
        fixtures.ensemble(self.work)
        maps = self.maps("e")
        folder = os.open(self.path("e"), os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        command = [case.PROGRAM, "ensemble", "reduce", "e", "--no-pictures"]
        with subprocess.Popen(command, cwd=self.work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            self.assertIn("e: another process writes its maps; waiting", process.stderr.readline())
            self.assertEqual(self.maps("e"), maps)
            os.close(folder)
            self.assertEqual(process.wait(60), 0)
        self.assertEqual(self.maps("e"), maps)

    def test_ended_by_a_signal(self):
        """Finished members stay; the same command continues, and the maps are the same."""
        self.write_ensemble(vary=[{"key": "model.relaxation", "values": [0.4 + 0.01 * k for k in range(10)]}])
        self.ensemble("run", "e.json", "-o", "whole", "--no-estimate", "--no-pictures")
        command = [case.PROGRAM, "ensemble", "run", "e.json", "--no-estimate", "--no-pictures", "-j", "2"]
        process = subprocess.Popen(command, cwd=self.work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for("a log", process, lambda: os.path.exists(self.path("e", "log.csv")))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 128 + signal.SIGINT)
        self.assertFalse(os.path.exists(self.path("e", "maps")))
        finished = len(table(self.path("e", "log.csv")))
        self.assertIn(f"{60 - finished} by this run", self.ensemble("run", "e.json", "--no-estimate", "--no-pictures").stderr)
        self.assertEqual(self.maps("e"), self.maps("whole"))

    def test_censored_members(self):
        """Members that end before their stop rule are censored, and keep the checksum of `sciara run` where it ends well."""
        self.write_ensemble(vary=[{"key": "run.max_steps", "values": [50, 100000]}])
        self.ensemble("run", "e.json", "--no-estimate", "--no-pictures")
        log = table(self.path("e", "log.csv"))
        self.assertEqual({(row["stop"], row["censored"]) for k, row in log.items() if int(k) % 2 == 0}, {("steps", "1")})
        self.assertEqual({(row["stop"], row["censored"]) for k, row in log.items() if int(k) % 2}, {("solidified", "0")})
        self.assert_checksum("e", 0)
        self.assertIn("12 finished, 0 failed, 6 censored", self.ensemble("status", "e").stdout)
        self.assertNotEqual(case.read_bytes(self.path("e", "maps", "probability_0m_low.tif")), case.read_bytes(self.path("e", "maps", "probability_0m_high.tif")))
        self.write_ensemble("thick.json", vary=[{"key": "run.max_thickness_m", "values": [0.5]}])
        self.computed("thick")
        log = table(self.path("thick", "log.csv"))
        self.assertEqual({(row["stop"], row["censored"], row["failed"]) for row in log.values()}, {("thickness", "1", "0")})

    def test_lines_of_the_log(self):
        """Who writes to the log waits until another has written its head: there is one, and a line for each member."""
        self.ensemble("plan", "e.json", "-o", "e", "--no-estimate")
        with open(self.path("e", "log.csv"), "w", encoding="ascii") as log:
            fcntl.flock(log, fcntl.LOCK_EX)
            with subprocess.Popen([case.PROGRAM, "ensemble", "run", "e", "-j", "4"], cwd=self.work, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                time.sleep(0.5)
                self.assertEqual(os.path.getsize(self.path("e", "log.csv")), 0)
                self.assertIsNone(process.poll())
                fcntl.flock(log, fcntl.LOCK_UN)
                self.assertEqual(process.wait(60), 0)
        lines = case.read_bytes(self.path("e", "log.csv")).decode().splitlines()
        self.assertEqual([k for k, line in enumerate(lines) if line.startswith("ended_utc")], [0])
        self.assertEqual(len(lines), 13)

    def test_options(self):
        self.write_ensemble()
        for args, text in ((("e.json", "--part", "1/2"), "--part: allowed with the folder"), (("vents.csv",), "--output is missing"),
                           (("e.json", "-j", "0"), "1 to 4096")):
            self.assertIn(text, self.ensemble("run", *args, code=2).stderr)
        self.ensemble("plan", "e.json", "-o", "e", "--no-estimate")
        self.assertIn("--no-pictures: allowed with an ensemble file", self.ensemble("run", "e", "--no-pictures", code=2).stderr)
