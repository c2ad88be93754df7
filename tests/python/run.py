# SPDX-License-Identifier: Apache-2.0
"""Runs from files: steps, fields as arrays with coordinates, changed rates, Ctrl-C, views, files, scores, wrong use."""
import json
import os
import pathlib
import signal
import threading
import time

import setup
import case

import numpy
import xarray

import sciara

EVERYTHING = {"output.fields": list(sciara._fields.NAMES)}


class RunCase(case.ScenarioCase):
    def open(self, overrides=None, **options):
        run = sciara.open(self.path("s.json"), overrides, **options)
        self.addCleanup(run.close)
        return run

    def assert_usage(self, pattern, function, *args, **options):
        with self.assertRaisesRegex(sciara.UsageError, pattern):
            function(*args, **options)


class Steps(RunCase):
    def test_advance(self):
        run = self.open()
        self.assertEqual((run.step, run.time, run.finished), (0, 0, False))
        progress = run.advance(minutes=1, seconds=30)
        self.assertGreaterEqual(progress.time, 90)
        self.assertLess(progress.time, 90 + 120, "the largest clock")
        self.assertEqual(progress, run.progress)
        self.assertEqual((run.step, run.time), (progress.step, progress.time))
        self.assertEqual(run.advance(steps=7).step, progress.step + 7)
        self.assertGreaterEqual(run.advance("2 min").time, progress.time + 120)
        self.assertGreaterEqual(run.advance(to="10 min").time, 600)
        at = run.progress
        with self.assertLogs("sciara", "INFO") as heard:
            self.assertEqual(run.advance(to=60), at, "earlier than now")
        self.assertIn("found the limit 60 s", heard.output[0])
        self.assertEqual(run.advance(steps=0), at)
        self.assertEqual(run.advance(hours=1, steps=3).step, at.step + 3, "whichever is first")
        now = run.time
        self.assertLess(run.advance(hours=9, to=now + 60).time, now + 60 + 120, "the earlier of two times")
        now = run.time
        self.assertLess(run.advance(minutes=1, to="9 h").time, now + 60 + 120)
        self.assertLess(run.advance(steps=10 ** 6, seconds=60).step, 10 ** 6)

    def test_same_as_the_program(self):
        folder = self.run_scenario("run")
        run = self.open()
        run.run()
        self.assertTrue(run.finished and run.progress.solidified)
        last = case.record(folder)["snapshots"][-1]
        self.assertEqual((run.checksum, run.step, run.time), (last["checksum"], last["step"], last["time_s"]))
        self.assertLessEqual(abs(run.ledger.residual), run.ledger.bound)

    def test_how_it_is_divided_changes_nothing(self):
        whole, parts = self.open({"run.max_steps": 200}), self.open({"run.max_steps": 200})
        whole.run()
        while not parts.finished:
            parts.advance(steps=17)
        self.assertEqual(whole.checksum, parts.checksum)

    def test_progress_function(self):
        self.write_scenario(**case.ENDLESS)
        run, seen = self.open(), []

        def stop(progress):
            seen.append(progress)
            self.assert_usage("the run is advancing", lambda: run.step)
            if len(seen) == 3:
                raise StopIteration("enough")
        with self.assertRaisesRegex(StopIteration, "enough"):
            run.run(progress=stop)
        self.assertIsInstance(seen[0], sciara.Progress)
        self.assertLess(seen[0].step, seen[2].step)
        at = run.step
        self.assertEqual(run.advance(steps=5).step, at + 5, "it can continue")

    def test_cancel_from_another_thread(self):
        self.write_scenario(**case.ENDLESS)
        run = self.open()
        timer = threading.Timer(0.3, run.cancel)
        timer.start()
        self.assertFalse(run.run().finished)
        timer.join()

    def test_rates(self):
        run = self.open()
        self.assertEqual(run.vents, (sciara.VentInfo("vent 1", 1200.0, 4.0),))
        run.advance(minutes=5)
        run.set_rate("vent 1", 12.0)
        at, before = run.time, run.ledger.emitted
        run.advance(minutes=5)
        self.assertAlmostEqual(run.ledger.emitted - before, 12 * (run.time - at), places=5)
        run.set_rate("vent 1", 1, until="1 h")
        self.assertEqual(run.vents[0].end, 3600)
        run.advance(to="2 h")
        with self.assertRaisesRegex(sciara.UsageError, 'ended at 1 h .* until="3 d"'):
            run.set_rate("vent 1", 3)
        self.assert_usage('found "x"', run.set_rate, "x", 3)
        self.assert_usage("until: expected", run.set_rate, "vent 1", 3, until="tomorrow")
        self.assert_usage("rate: expected a number, found None", run.set_rate, "vent 1", None)
        with self.assertRaises(sciara.SciaraError):
            run.set_rate("vent 1", -1, until="3 h")

    def test_overrides(self):
        self.assertEqual(self.open({"run.max_steps": 4}).run().step, 4)
        self.assertEqual(self.open({"vents.0.name": "north"}).vents[0].name, "north")
        self.assertEqual(self.open({"title": "1"}).step, 0, "a text stays a text")
        self.assertEqual(self.open({"engine": {"name": "serial"}}).engine, "serial")
        with self.assertRaisesRegex(sciara.InputError, "run.untill"):
            self.open({"run.untill": "2 d"})
        self.assert_usage("expected a dict", self.open, ["run.until=2 d"])
        self.assert_usage("JSON", self.open, {"run.until": {1, 2}})
        self.assert_usage("JSON", self.open, {"run.until": float("nan")})


class CtrlC(RunCase):
    def interrupt(self, **options):
        previous = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, previous)
        self.write_scenario(**case.ENDLESS)
        run = self.open()
        setup.interrupt_after(0.5)
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            run.run(**options)
        self.assertLess(time.monotonic() - begin, 60)
        return run

    def test_ends_after_a_step(self):
        run = self.interrupt()
        at = run.step
        self.assertGreater(at, 0)
        self.assertLessEqual(abs(run.ledger.residual), run.ledger.bound)
        same = self.open()
        same.advance(steps=at)
        self.assertEqual(same.checksum, run.checksum, "a whole number of steps")
        same.advance(steps=20)
        run.advance(steps=20)
        self.assertEqual(same.checksum, run.checksum, "after it has continued")


class Fields(RunCase):
    def test_arrays(self):
        run = self.open(EVERYTHING)
        run.advance(minutes=15)
        self.assertEqual(run.fields, sciara._fields.NAMES)
        h = run.thickness
        self.assertEqual((h.dims, h.shape, h.name, h.dtype), (("y", "x"), (case.ROWS, case.COLS), "thickness", float))
        self.assertEqual((h.attrs["units"], h.attrs["long_name"]), ("m", "thickness of liquid lava"))
        self.assertEqual((float(h.x[0]), float(h.y[0])), (case.WEST + 5, case.NORTH - 5))
        self.assertEqual((float(h.x[-1]), float(h.y[-1])), (case.WEST + 10 * case.COLS - 5, case.SOUTH + 5))
        self.assertEqual((h.x.attrs["units"], h.y.attrs["standard_name"]), ("m", "projection_y_coordinate"))
        self.assertEqual(float(h.time), run.time)
        mapping = h.coords[h.attrs["grid_mapping"]].attrs
        self.assertEqual(mapping["crs_wkt"], run.crs)
        self.assertIn("UTM zone 33N", run.crs)
        self.assertEqual(run.crs_name, "WGS 84 / UTM zone 33N (EPSG:32633)")
        self.assertEqual([float(n) for n in mapping["GeoTransform"].split()], [case.WEST, 10, 0, case.NORTH, 0, -10])
        sea = numpy.array([[case.is_sea(row, col) for col in range(case.COLS)] for row in range(case.ROWS)])
        for name in run.fields:
            self.assertTrue(numpy.isnan(run.field(name).values[sea]).all(), name)
        land = ~sea
        self.assertFalse(numpy.isnan(h.values[land]).any())
        self.assertGreater(h.values[case.VENT], 0)
        liquid = h.values > 0
        self.assertTrue(numpy.isnan(run.temperature.values[land & ~liquid]).all())
        self.assertGreater(numpy.nanmin(run.temperature.values), 1000)
        self.assertTrue(numpy.isnan(run.arrival_time.values).sum() > sea.sum())
        self.assertEqual((run.arrival_time >= 0).values.sum(), (run.deposit > 0).values.sum())
        self.assertTrue((run.max_thickness >= h).values[land].all())
        self.assertEqual(run.max_speed.attrs["units"], "m s-1")
        self.assertGreater(float(run.speed.max()), 0)
        numpy.testing.assert_array_equal((run.thickness + run.solid_thickness).values, run.deposit.values)
        self.assertAlmostEqual(run.deposit.sciara.volume(), run.ledger.liquid + run.ledger.solid, places=6)

    def test_same_as_the_snapshot(self):
        run = self.open()
        run.advance(minutes=15)
        run.write_snapshot(self.path("a.nc"))
        with xarray.open_dataset(self.path("a.nc"), decode_times=False) as stored:
            for name in ("thickness", "deposit", "altitude", "arrival_time"):
                numpy.testing.assert_array_equal(stored[name].values[0], run.field(name).values, name)
            numpy.testing.assert_array_equal(stored.x, run.thickness.x)
            numpy.testing.assert_array_equal(stored.y, run.thickness.y)
            self.assertEqual(stored.attrs["checksum"], run.checksum)

    def test_dataset(self):
        run = self.open()
        run.advance(steps=50)
        data = run.dataset(["thickness", "altitude"])
        self.assertEqual(sorted(data.data_vars), ["altitude", "thickness"])
        self.assertEqual((float(data.time), data.attrs["step"], data.attrs["engine"]), (run.time, 50, run.engine))
        self.assertEqual(set(run.dataset().data_vars), set(run.fields))
        data.to_netcdf(self.path("b.nc"))
        with xarray.open_dataset(self.path("b.nc"), decode_timedelta=False) as stored:
            numpy.testing.assert_array_equal(stored.thickness, data.thickness)
        self.assert_usage("expected a list of names", run.dataset, "thickness")

    def test_fields_are_copies(self):
        run = self.open()
        run.advance(steps=30)
        h, checksum = run.thickness, run.checksum
        before = h.values.copy()
        run.advance(steps=30)
        numpy.testing.assert_array_equal(h.values, before)
        h.values[:] = 7
        with self.assertRaisesRegex(AttributeError, "thickness: expected no assignment"):
            run.thickness = h
        self.assertNotEqual(run.checksum, checksum)
        self.assertLess(float(run.thickness.min()), 7)

    def test_not_recorded_and_unknown(self):
        run = self.open()
        self.assertNotIn("max_speed", run.fields)
        self.assert_usage("expected a recorded field, found max_speed: add it to output.fields", lambda: run.max_speed)
        self.assert_usage("expected a field, one of thickness.*; found str 'depth'", run.field, "depth")
        self.assert_usage("; found None", run.field, None)

    def test_plot_is_the_right_way_up(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("python3-matplotlib is not installed (tools/setup --tests)")
        matplotlib.use("Agg")
        import matplotlib.pyplot
        run = self.open()
        run.advance(steps=50)
        drawn = run.altitude.plot()
        low, high = drawn.axes.get_ylim()
        self.assertLess(low, high, "north is at the top")
        self.assertAlmostEqual(high, case.NORTH)
        matplotlib.pyplot.close("all")
        # The title: the time alone, not the 0 that carries the CRS. So also of a snapshot.
        run.thickness.sciara.plot()
        self.assertEqual(matplotlib.pyplot.gca().get_title(), f"time = {run.time:.4g} [s]")
        matplotlib.pyplot.close("all")
        run.write_snapshot(self.path("titled.nc"))
        with xarray.open_dataset(self.path("titled.nc"), decode_times=False, decode_coords="all") as stored:
            self.assertIn("crs", stored.thickness.coords)
            stored.thickness[0].sciara.plot()
            self.assertNotIn("crs", matplotlib.pyplot.gca().get_title())
            matplotlib.pyplot.close("all")

    def test_view(self):
        run = self.open()
        run.advance(steps=60)
        with run.view("thickness") as h:
            self.assertEqual(h.shape, run.grid.shape)
            self.assertEqual(h[0, 0], -9999)
            numpy.testing.assert_array_equal(h[h >= 0], run.thickness.values[h >= 0])
            with self.assertRaises(ValueError):
                h[0, 0] = 1
            with self.assertRaises(ValueError):
                h.flags.writeable = True
            self.assert_usage("advance: a view of the run is in use", run.advance, steps=1)
            self.assert_usage("close: a view", run.close)
            with run.view("thickness") as other:
                self.assertEqual(h.ctypes.data, other.ctypes.data, "no copy")
            self.assert_usage("set_rate: a view", run.set_rate, "vent 1", 3) if run.time < 1200 else None
        run.advance(steps=1)
        run.close()
        self.assertEqual(h[0, 0], -9999, "its memory lives as long as the array")


class Files(RunCase):
    def test_maps_and_checkpoints(self):
        run = self.open()
        run.advance(steps=80)
        self.assertEqual(run.write_map("deposit", self.path("a.tif")), pathlib.Path(self.path("a.tif")))
        try:
            from osgeo import gdal
        except ImportError:
            gdal = None
        if gdal:  # only cells with lava have values
            gdal.UseExceptions()
            written = gdal.Open(self.path("a.tif"))
            covered = written.ReadAsArray() != written.GetRasterBand(1).GetNoDataValue()
            numpy.testing.assert_array_equal(covered, run.deposit.values > 0)
        run.write_map("thickness", self.path("a.png"))
        run.write_checkpoint(self.path("a.h5"))
        self.assertLessEqual({"a.tif", "a.qml", "a.png", "a.h5"}, set(os.listdir(self.work)))
        checksum = run.checksum
        same = sciara.open_checkpoint(self.path("a.h5"))
        self.assertEqual((same.checksum, same.step), (checksum, 80))
        site = sciara.Site.open(self.path("s.json"))
        with sciara.open_checkpoint(self.path("a.h5"), site, {"run.max_steps": 90}) as other:
            other.run()
            self.assertEqual(other.checksum, (run.advance(steps=10), run.checksum)[1])
        self.assert_usage("NAME.tif or NAME.png, found .*jpg", run.write_map, "deposit", self.path("a.jpg"))
        self.assert_usage("NAME.tif or NAME.png", run.write_map, "deposit", self.path(".tif"))
        self.assert_usage("expected a field", run.write_map, "depth", self.path("a.tif"))
        self.assert_usage("NAME.nc, found", run.write_snapshot, self.path("a.hdf"))
        with self.assertRaises(OSError):
            run.write_snapshot(self.path("none", "a.nc"))

    def test_open_run(self):
        folder = self.run_scenario("run", "--steps", "60", "--set", "output.checkpoint_every=1")
        run = sciara.open_run(folder, {"run.max_steps": 200})
        self.assertGreater(run.step, 0)
        run.run()
        whole = self.open({"run.max_steps": 200})
        whole.run()
        self.assertEqual(run.checksum, whole.checksum)

    def test_score(self):
        run = self.open()
        run.advance(steps=200)
        run.write_map("deposit", self.path("observed.tif"))
        self.assertEqual(sciara.score(run, self.path("observed.tif")).jaccard, 1)
        early = self.open()
        early.advance(steps=100)
        found = sciara.score(early, self.path("observed.tif"), min_thickness=0.01)
        ours, theirs = early.deposit.values > 0.01, run.deposit.values > 0.01
        self.assertEqual((found.hits, found.misses, found.excess),
                         ((ours & theirs).sum(), (theirs & ~ours).sum(), (ours & ~theirs).sum()))
        self.assertEqual(found.jaccard, found.hits / (found.hits + found.misses + found.excess))
        self.assertGreater(found.misses, 0)
        self.assert_usage("min_thickness", sciara.score, early, self.path("observed.tif"), min_thickness=-1)
        self.assert_usage("observed: expected a path, found DataArray of shape .30, 40.$", sciara.score, early,
                          run.deposit)
        self.assert_usage("expected a sciara.Run", sciara.score, None, self.path("observed.tif"))
        with self.assertRaises(sciara.SciaraError):
            sciara.score(early, self.path("none.tif"))

    def test_expose(self):
        """What lava does to places, as the fields have it."""
        run = self.open()
        run.advance(steps=200)
        west, east, row = case.WEST + 155, case.WEST + 265, 9
        y = case.NORTH - (row + 0.5) * case.CELL
        case.write_features(self.path("places.geojson"), ({"name": "road"}, "LineString", [[west, y], [east, y]]), ({"name": "far"}, "Point", [0, 0]),
                            ({"name": "calm"}, "Point", [case.WEST + 5, case.SOUTH + 5]))
        found = sciara.expose(run, self.path("places.geojson"), times=["5 min", 600])
        self.assertEqual([(a.name, a.kind, a.state) for a in found],
                         [("road", "line", "reached"), ("far", "point", "outside"), ("calm", "point", "not reached")])
        arrival, deposit = run.arrival_time.values[row], run.deposit.values[row]
        lengths = numpy.array([max(0, min(east, case.WEST + (c + 1) * case.CELL) - max(west, case.WEST + c * case.CELL)) for c in range(case.COLS)])
        reached = (lengths > 0) & (arrival >= 0)
        road = found[0]
        self.assertEqual((road.arrival, road.deposit), (arrival[reached].min(), deposit[reached].max()))
        for value, expected in ((road.total, 110), (road.land, 110), (road.covered, lengths[reached].sum()),
                                (road.covered_by[0], lengths[reached & (arrival <= 300)].sum()), (road.covered_by[1], lengths[reached & (arrival <= 600)].sum())):
            self.assertAlmostEqual(value, expected, places=6)
        self.assertTrue(numpy.isnan([found[1].covered, found[1].arrival, found[2].arrival, road.max_deposit]).all())
        self.assertEqual(found[2].covered_by, (0, 0))
        self.assertTrue(numpy.isnan(found[1].covered_by).all())  # no lava can come there: none, not 0
        self.assert_usage("ascending times", sciara.expose, run, self.path("places.geojson"), times=[60, 30])
        self.assert_usage("expected a sciara.Run", sciara.expose, None, self.path("places.geojson"))
        with self.assertRaises(sciara.FileError):
            sciara.expose(run, self.path("none.gpkg"))


class WrongUse(RunCase):
    def test_closed(self):
        run = self.open()
        with run:
            run.advance(steps=3)
        self.assertEqual(repr(run), "<sciara.Run: closed>")
        uses = [lambda: run.advance(steps=1), run.run, lambda: run.thickness, lambda: run.step, lambda: run.time,
                lambda: run.checksum, lambda: run.ledger, lambda: run.grid, lambda: run.crs, lambda: run.engine,
                lambda: run.vents, lambda: run.fields, run.dataset, lambda: run.set_rate("vent 1", 1), run.cancel,
                lambda: run.write_map("deposit", self.path("a.tif")), lambda: run.write_snapshot(self.path("a.nc")),
                lambda: run.write_checkpoint(self.path("a.h5")), lambda: sciara.score(run, self.path("a.tif")),
                lambda: run.view("thickness").__enter__(), lambda: run.progress]
        for use in uses:
            self.assert_usage("^expected an open run, found a closed one$", use)
        run.close()

    def test_advance(self):
        run = self.open()
        self.assert_usage("expected how far", run.advance)
        for nothing in ({"duration": "0 s"}, {"duration": 0}, {"steps": 0}, {"to": 0}, {"days": 0}, {"hours": 0}, {"minutes": 0.0},
                        {"seconds": 0, "steps": 5}):
            with self.subTest(nothing):
                self.assertEqual(run.advance(**nothing).step, 0, "no step is wanted")
        for wrong in ({"hours": -1}, {"hours": 1, "minutes": -10}, {"duration": "soon"}, {"duration": "3 weeks"},
                      {"steps": -1}, {"steps": 1.5},
                      {"steps": "3"}, {"hours": None}, {"hours": float("nan")}, {"to": float("inf")}, {"to": True},
                      {"steps": 1, "progress": 7}):
            with self.subTest(wrong):
                self.assert_usage("expected", run.advance, **wrong)
        self.assertEqual(run.step, 0)

    def test_paths(self):
        for function in (sciara.open, sciara.open_run, sciara.open_checkpoint, sciara.Site.open, sciara.Scenario.open):
            for wrong in (None, 3, b"s.json", "a\0b", "\ud800.json"):
                with self.subTest(function=function.__name__, path=wrong):
                    self.assert_usage("expected a", function, wrong)
            with self.assertRaises((sciara.FileError, sciara.InputError)) as raised:
                function(self.path("none.json"))
            self.assertIn("none.json", str(raised.exception))
        self.assert_usage("site: expected a sciara.Site", self.open, site="dem.asc")
        case.write_text(self.path("bad.json"), "{]")
        with self.assertRaises(sciara.InputError) as raised:
            sciara.open(self.path("bad.json"))
        self.assertIn("bad.json", str(raised.exception))
        self.assertEqual(raised.exception.status, 3)

    def test_engines(self):
        names = {engine.name: engine for engine in sciara.engines()}
        self.assertTrue(names["serial"].exact and names["serial"].available)
        self.assertTrue(all(bool(engine.why_not) != engine.available for engine in names.values()))
        self.assertEqual(self.open({"engine.name": "serial"}).engine, "serial")
        missing = [engine.name for engine in names.values() if not engine.available]
        if missing:
            with self.assertRaises(sciara.DeviceError):
                self.open({"engine.name": missing[0]})


class Rules(RunCase):
    def test_rule(self):
        """A run of a file and one from memory are those of the program, and name their rule."""
        self.assertEqual(self.open().rule, "fv3")
        self.assertEqual(self.open().dataset(["thickness"]).attrs["model_rule"], "fv3")
        self.write_scenario(model={"rule": "bingham", "friction": 0.1}, run={"max_steps": 60})
        end = case.record(self.run_scenario("run"))["snapshots"][-1]
        vent = sciara.Vent(rowcol=case.VENT, rates=[4, 6], times=[0, 600, 1200])
        memory = sciara.Run(self.path("dem.asc"), crs="EPSG:32633", vents=[vent], rule="bingham", params={"friction": 0.1},
                            overrides={"run.max_steps": 60})
        self.addCleanup(memory.close)
        for run in (self.open(), memory):
            run.run()
            self.assertEqual((run.rule, run.step, run.checksum), ("bingham", end["step"], end["checksum"]))
            attributes = run.dataset(["thickness"]).attrs
            self.assertEqual(attributes["model_rule"], "bingham")
            self.assertTrue(attributes["source"].endswith("SCIARA, rule bingham"), attributes)
        run.write_checkpoint(self.path("c.h5"))
        with sciara.open_checkpoint(self.path("c.h5"), overrides={"run.max_steps": 61}) as later:
            self.assertEqual(later.rule, "bingham")
        model = sciara.Bmi()
        model.initialize(self.path("s.json"))
        self.assertEqual((model.get_component_name(), model.run.rule), ("SCIARA, rule bingham", "bingham"))
        model.finalize()

    def test_engines_of_a_rule(self):
        listed = json.loads(self.sciara("engines", "--json").stdout)["engines"]
        self.assertEqual({e["name"]: tuple(e["rules"]) for e in listed}, {e.name: e.rules for e in sciara.engines()})
        self.assertEqual({e["name"]: e["available"] for e in listed}, {e.name: e.available for e in sciara.engines()})

    def test_wrong_use(self):
        vents = {"vents": [{"rowcol": case.VENT, "rate": 1, "duration": "1 h"}], "crs": "EPSG:32633"}
        for error, message, options in (
                (sciara.InputError, 'model.rule: expected "fv3" or "bingham"; found "magflow"', {"rule": "magflow"}),
                (sciara.InputError, 'model.friction: expected a key of rule "fv3", or "rule": "bingham"', {"params": {"friction": 1}}),
                (sciara.InputError, "model.viscosity_sol_Pa_s: found 1, expected at least model.viscosity_vent_Pa_s",
                 {"rule": "bingham", "params": {"viscosity_sol_Pa_s": 1}, **vents}),
                (sciara.InputError, '"cuda-atomic" does not have rule "bingham"; these engines have it: serial, openmp',
                 {"rule": "bingham", "engine": "cuda-atomic", **vents}),
                (sciara.UsageError, "scenario: expected no other argument", {"rule": "bingham", "scenario": sciara.Scenario()})):
            with self.assertRaises(error) as raised:
                sciara.Run(self.path("dem.asc"), **options)
            self.assertIn(message, str(raised.exception))


class Messages(RunCase):
    def test_logger(self):
        with self.assertLogs("sciara", "INFO") as caught:
            self.open({"engine.name": "serial"})
        self.assertTrue(any("engine: serial" in line for line in caught.output), caught.output)

    def test_silent_by_default_and_shown(self):
        script = f"import sciara\n{{}}\nsciara.open({self.path('s.json')!r}).advance(steps=3)"
        self.assertEqual(setup.run_python(script.format("")), "")
        self.assertIn("sciara: INFO: engine:", setup.run_python(script.format("sciara.log()")))
        self.assertEqual(setup.run_python(script.format("sciara.log('ERROR')")), "")

    def test_progress_is_shown(self):
        self.write_scenario(**case.ENDLESS)
        script = (f"import sciara, sys, threading\n{{}}\nrun = sciara.open({self.path('s.json')!r})\n"
                  "threading.Timer(1.5, run.cancel).start()\nrun.run(progress=True)")
        self.assertRegex(setup.run_python(script.format("")), r"sciara.*step \d+, \d+ liquid cells")
        without = "sys.modules['tqdm'] = None; import importlib.util as u; find = u.find_spec\n" \
                  "u.find_spec = lambda name, *a: None if name == 'tqdm' else find(name, *a)"
        self.assertRegex(setup.run_python(script.format(without)), r"\rsciara: .*step \d+, \d+ liquid cells")
        quiet = script.format("sciara.log('ERROR')").replace("progress=True", "")
        self.assertEqual(setup.run_python(quiet), "", "no terminal")
