# SPDX-License-Identifier: Apache-2.0
"""Runs built from what is in memory: the same as from files, DEMs as arrays, vents, sites, wrong shapes and values."""
import datetime
import os
import pathlib

import setup
import case
from geo import osr

import numpy
import xarray

import sciara

STEPS = 300
KEYS = {"vents": [{"rowcol": case.VENT, **setup.RATES}], "params": {"cooling": 150}}
X = case.WEST + (numpy.arange(case.COLS) + 0.5) * case.CELL
Y = case.NORTH - (numpy.arange(case.ROWS) + 0.5) * case.CELL


def data_array(crs=None, values=None, **options):
    coords = {"y": Y, "x": X}
    if crs:
        coords["spatial_ref"] = xarray.Variable((), 0, {"crs_wkt": crs})
    return xarray.DataArray(setup.dem_array() if values is None else values, coords=coords, dims=("y", "x"), **options)


class FromMemory(case.SharedCase):
    @classmethod
    def prepare(cls):
        case.write_scenario(cls.work)
        with sciara.open(os.path.join(cls.work, "s.json")) as run:
            run.advance(steps=STEPS)
            cls.checksum, cls.grid, cls.wkt = run.checksum, run.grid, run.crs
        with sciara.open(os.path.join(cls.work, "s.json"), {"engine.precision": "single"}) as run:
            run.advance(steps=STEPS)
            cls.single = run.checksum

    def assert_same(self, *args, expected=None, **options):
        with sciara.Run(*args, **{**KEYS, **options}) as run:
            self.assertEqual(run.grid, self.grid)
            run.advance(steps=STEPS)
            self.assertEqual(run.checksum, expected or self.checksum)

    def test_path(self):
        self.assert_same(self.path("dem.asc"), crs="EPSG:32633")
        self.assert_same(pathlib.Path(self.path("dem.asc")), crs="EPSG:32633")

    def test_array(self):
        self.assert_same(setup.dem_array(), **setup.PLACE)

    def test_array_of_every_kind(self):
        dem = setup.dem_array()
        filled = numpy.where(numpy.isnan(dem), -9999, dem)
        masked = numpy.ma.array(numpy.nan_to_num(dem, nan=500), mask=numpy.isnan(dem))
        wide = numpy.zeros((2 * case.ROWS, 2 * case.COLS))
        wide[::2, ::2] = dem
        for other in (filled, masked, numpy.asfortranarray(dem), wide[::2, ::2],
                      dem.astype(">f8"), filled.tolist()):
            self.assert_same(other, **setup.PLACE)

    def test_data_array(self):
        self.assert_same(data_array(), crs="EPSG:32633")
        self.assert_same(data_array(self.wkt))
        self.assert_same(data_array(attrs={"crs": "EPSG:32633"}))
        self.assert_same(data_array(self.wkt)[::-1])
        self.assert_same(data_array(self.wkt)[:, ::-1])
        self.assert_same(data_array(self.wkt).transpose("x", "y"))
        self.assert_same(data_array(self.wkt).expand_dims("band"))
        filled = numpy.nan_to_num(setup.dem_array(), nan=-32768)
        self.assert_same(data_array(self.wkt, filled, attrs={"_FillValue": -32768.0}))

    def test_attributes_of_a_data_array(self):
        """Scale, offset, several values for missing data and units are read as those of a file are; what is refused names a cure, which
        gives the same run."""
        dem = setup.dem_array()
        stored = numpy.nan_to_num((dem - 500) / 0.25, nan=-32768).astype(numpy.int16)
        stored[0, 0] = -1  # of the corner without altitudes
        packed = {"scale_factor": 0.25, "add_offset": numpy.float32(500), "_FillValue": numpy.int16(-32768), "missing_value": numpy.array([-1, -2], numpy.int16)}
        self.assert_same(data_array(self.wkt, stored, attrs=packed))
        self.assert_same(data_array(self.wkt, stored, attrs=packed | {"units": "m"}))
        whole = data_array(self.wkt, stored, attrs=packed, name="z")
        whole.to_netcdf(self.path("packed.nc"))  # the same numbers from a file, read in two ways
        for options in ({}, {"mask_and_scale": False}):
            with xarray.open_dataset(self.path("packed.nc"), **options) as data:
                self.assert_same(data["z"].load(), crs=self.wkt)
        for unit, metres in (("US survey foot", 1200 / 3937), ("ft", 0.3048), ("km", 1000), ("cm", 0.01)):
            data = data_array(self.wkt, dem / metres, attrs={"units": unit})
            with self.assertRaisesRegex(sciara.UsageError, f'dem: its values .* are in "{unit}" by its attribute units') as refused:
                sciara.Run(data, **KEYS)
            cure = str(refused.exception).split("If they are: ")[1].split("; if they")[0]
            with sciara.Run(eval(cure, {"data": data}), **KEYS) as run:
                numpy.testing.assert_allclose(run.altitude.values, dem, rtol=1e-6)
            cure = str(refused.exception).rsplit(": ", 1)[1]
            self.assert_same(eval(cure, {"data": data_array(self.wkt, attrs={"units": unit})}))
        near = data_array(self.wkt).assign_coords({name: (name, values / 1000, {"units": "km"}) for name, values in (("x", X), ("y", Y))})
        with self.assertRaisesRegex(sciara.UsageError, 'the coordinate x: expected metres, found "km"') as refused:
            sciara.Run(near, **KEYS)
        cure = str(refused.exception).split("change both with ")[1]
        self.assert_same(eval("data" + cure, {"data": near}))
        for of in (near.sciara.area, near.sciara.volume):
            with self.assertRaisesRegex(sciara.UsageError, 'the coordinate x: expected metres, found "km"'):
                of()
        with self.assertLogs("sciara", "WARNING") as heard:
            self.assert_same(data_array(self.wkt, attrs={"units": "gpm"}))
        self.assertIn('the unit of its values is "gpm"; they are taken to be metres', heard.output[0])

    def test_crs_object(self):
        """As of pyproj and rasterio."""
        class Crs:
            @staticmethod
            def to_wkt():
                return self.wkt
        place = {**setup.PLACE, "crs": Crs()}
        self.assert_same(setup.dem_array(), **place)
        self.assert_same(self.path("dem.asc"), crs=Crs())

    def test_field_of_a_run_as_dem(self):
        """What the package gives it takes."""
        with sciara.Run(setup.dem_array(), **setup.PLACE, **KEYS) as run:
            self.assert_same(run.altitude)

    def test_single_precision(self):
        self.assert_same(setup.dem_array(), **setup.PLACE, precision="single", expected=self.single)
        site = sciara.Site(setup.dem_array(), **setup.PLACE, precision="single")
        self.assert_same(site=site, expected=self.single)

    def test_vents(self):
        x, y = setup.VENT_XY
        rates = setup.RATES
        ten = datetime.timedelta(minutes=10)
        for vent in (sciara.Vent(x=x, y=y, **rates), {"x": x, "y": y, "times": [0, ten, 1200], "rates": (4, 6.0)},
                     sciara.Vent(rowcol=numpy.array(case.VENT), **rates),
                     sciara.Vent(x=x, y=y, times=numpy.array([0, 600, 1200]), rates=numpy.array([4.0, 6.0])),
                     {"x": x, "y": y, "times": numpy.array([0, 10, 20], "m8[m]"), "rates": numpy.array([4, 6], "i2")},
                     {"x": x, "y": y, "times": xarray.DataArray([0, 600, 1200]), "rates": xarray.DataArray([4, 6])},
                     {"rowcol": case.VENT, **rates}):
            self.assert_same(setup.dem_array(), **setup.PLACE, vents=[vent])

    def test_rate_and_duration(self):
        """Two vents at the same place, one after the other."""
        vents = [sciara.Vent(rowcol=case.VENT, rate=4, duration="10 min"),
                 sciara.Vent(rowcol=case.VENT, rate=6, duration="9 min 60 s", start="10 min", name="later")]
        with sciara.Run(setup.dem_array(), **setup.PLACE, vents=vents, params=KEYS["params"]) as run:
            self.assertEqual(run.vents, (sciara.VentInfo("vent 1", 600, 4), sciara.VentInfo("later", 1200, 0)))
            run.advance(minutes=30)
            self.assertAlmostEqual(run.ledger.emitted, 6000, places=6)
            self.assertEqual([vent.rate for vent in run.vents], [0, 0])

    def test_line_and_lonlat(self):
        (x, y), place = setup.VENT_XY, dict(setup.PLACE)
        fissure = {"line": [(x, y), (x + 40, y)], "rate": 5, "duration": "1 h"}
        with sciara.Run(setup.dem_array(), **place, vents=[fissure]) as run:
            run.advance(steps=1)
            self.assertEqual((run.thickness > 0).values.sum(), 5)
        utm, wgs = osr.SpatialReference(), osr.SpatialReference()
        utm.ImportFromEPSG(32633)
        wgs.ImportFromEPSG(4326)
        lat, lon, _ = osr.CoordinateTransformation(utm, wgs).TransformPoint(x, y)
        self.assert_same(setup.dem_array(), **place, vents=[{"lonlat": (lon, lat), **setup.RATES}])

    def test_keys(self):
        with sciara.Run(setup.dem_array(), **setup.PLACE, **KEYS, until="10 min", engine="serial", threads=1,
                        fields=["thickness", "max_speed"], boundary="closed", title="t",
                        overrides={"run.max_steps": 5}) as run:
            self.assertEqual((run.run().step, run.engine), (5, "serial"))
            self.assertGreater(float(run.max_speed.max()), 0)
        with sciara.Run(setup.dem_array(), **setup.PLACE, **KEYS, until=datetime.timedelta(minutes=10)) as run:
            self.assertGreaterEqual(run.run().time, 600)
        rest = {"overrides": {"run.front_at_rest": "5 min", "run.max_time": "2 d"}}
        with sciara.Run(setup.dem_array(), **setup.PLACE, **KEYS, until="front at rest", **rest) as run:
            end, covered = run.run(), run.arrival_time.values
            self.assertLess(300, end.time)
            self.assertLess(end.time, 86400)
            self.assertAlmostEqual(end.time - numpy.nanmax(covered), 300, delta=2 * end.clock)

    def test_scenarios(self):
        with sciara.Scenario({"model.cooling": 150}) as scenario:
            scenario.add_vent(rowcol=case.VENT, **setup.RATES)
            scenario.set("output.fields", ["thickness"])
            self.assertEqual(scenario.to_dict()["model"], {"cooling": 150})
            with sciara.Run(setup.dem_array(), **setup.PLACE, scenario=scenario) as run:
                run.advance(steps=STEPS)
                self.assertEqual(run.checksum, self.checksum)
            with self.assertRaisesRegex(sciara.UsageError, "in the scenario, not next to it"):
                sciara.Run(setup.dem_array(), **setup.PLACE, scenario=scenario, until=5)
            text = scenario.json()
        with self.assertRaisesRegex(sciara.UsageError, "expected an open scenario, found a closed one"):
            scenario.set("title", "x")
        again = sciara.Scenario.from_json(text, self.work)
        again.set("dem", {"path": "dem.asc", "crs": "EPSG:32633"})
        with sciara.Run(scenario=again) as run:
            run.advance(steps=STEPS)
            self.assertEqual(run.checksum, self.checksum)
        opened = sciara.Scenario.open(self.path("s.json"), {"title": "other"})
        self.assertEqual(opened.to_dict()["title"], "other")
        with sciara.Run(scenario=opened) as run:
            run.advance(steps=STEPS)
            self.assertEqual(run.checksum, self.checksum)

    def test_sites(self):
        for site in (sciara.Site(setup.dem_array(), **setup.PLACE),
                     sciara.Site(self.path("dem.asc"), crs="EPSG:32633"), sciara.Site(data_array(self.wkt))):
            self.assertEqual(site.grid, self.grid)
            self.assertIn("UTM zone 33N", site.crs_name)
            with sciara.Run(site=site, **KEYS) as run:
                self.assertEqual((site.crs, site.crs_name), (run.crs, run.crs_name))
            self.assertNotEqual(site.crs, site.crs_name)
            self.assert_same(site=site)
            self.assert_same(site=site)
        site = sciara.Site.open(self.path("s.json"))
        with sciara.open(self.path("s.json"), site=site) as run:
            run.advance(steps=STEPS)
            self.assertEqual(run.checksum, self.checksum)

    def test_site_may_go_first(self):
        site = sciara.Site(setup.dem_array(), **setup.PLACE)
        run = sciara.Run(site=site, **KEYS)
        del site
        run.advance(steps=STEPS)
        self.assertEqual(run.checksum, self.checksum)

    def test_checkpoints(self):
        """With changed rates, on the same site; another one is an error."""
        site = sciara.Site(setup.dem_array(), **setup.PLACE)
        run = sciara.Run(site=site, **KEYS)
        run.advance(steps=40)
        run.set_rate("vent 1", 9, until="1 h")
        run.advance(steps=5)
        run.write_checkpoint(self.path("a.h5"))
        with sciara.open_checkpoint(self.path("a.h5"), site) as same:
            self.assertEqual((same.vents, same.checksum), (run.vents, run.checksum))
            self.assertEqual((same.advance(steps=90), same.checksum), (run.advance(steps=90), run.checksum))
        with self.assertRaisesRegex(sciara.InputError, "another DEM"):
            sciara.open_checkpoint(self.path("a.h5"), sciara.Site(setup.dem_array() + 1, **setup.PLACE))

    def lava(self):
        """Thickness and temperature of initial lava, NaN elsewhere."""
        h, T = numpy.full((2, case.ROWS, case.COLS), numpy.nan)
        h[10:14, 12:20] = 2 + 0.1 * numpy.arange(8)
        T[10:14, 12:20] = 1250
        return h, T

    def test_initial_lava(self):
        h, T = self.lava()
        checksums = []
        for options in ({"initial_thickness": h, "initial_temperature": T},
                        {"initial_thickness": h, "initial_temperature": 1250},
                        {"initial_thickness": numpy.nan_to_num(h), "initial_temperature": T.astype("f4")},
                        {"initial_thickness": data_array(self.wkt, h)[::-1], "initial_temperature": T},
                        {"initial_thickness": h.tolist(), "initial_temperature": numpy.int32(1250)}):
            with sciara.Run(setup.dem_array(), **setup.PLACE, **KEYS, **options) as run:
                self.assertAlmostEqual(run.ledger.initial, numpy.nansum(h) * case.CELL ** 2, places=6)
                self.assertEqual(float(run.temperature.max()), 1250)
                run.advance(steps=50)
                checksums.append(run.checksum)
        self.assertEqual(len(set(checksums)), 1, checksums)
        with sciara.Run(setup.dem_array(), **setup.PLACE, initial_thickness=h) as run:  # no vent; T_vent_K
            self.assertGreater(float(run.temperature.max()), 1300)
            again = run.thickness
        scenario = sciara.Scenario({"model.cooling": 150})
        scenario.add_vent(rowcol=case.VENT, **setup.RATES)
        scenario.set_initial_lava(again, T)
        self.assertEqual(scenario.to_dict()["initial"], {"thickness": "memory", "temperature": "memory"})
        with sciara.Run(setup.dem_array(), **setup.PLACE, scenario=scenario) as run:
            run.advance(steps=50)
            self.assertEqual(run.checksum, checksums[0])

    def test_initial_lava_that_is_wrong(self):
        h, T = self.lava()
        for options, pattern in (({"initial_thickness": h[:-1]}, "expected 30 rows and 40 columns.*found 29"),
                                 ({"initial_thickness": h, "initial_temperature": 3}, "expected .*K; found 3"),
                                 ({"initial_thickness": h + 2000}, "expected 0 to 1000 m, found 2002"),
                                 ({"initial_thickness": h[0]}, "initial_thickness: expected 2 dimensions"),
                                 ({"initial_thickness": h, "initial_temperature": T[:, 1:]},
                                  r"initial_temperature: expected the shape of initial_thickness, \(30, 40\); found"),
                                 ({"initial_thickness": h, "initial_temperature": "hot"}, "expected a number"),
                                 ({"initial_temperature": T}, "expected initial_thickness too, found None"),
                                 ({"initial_thickness": data_array(values=h).assign_coords(x=X + 10)},
                                  "initial_thickness: expected the place of the DEM"),
                                 ({"initial_thickness": data_array(values=h).to_dataset(name="h")},
                                  "initial_thickness: expected an array, found an xarray.Dataset")):
            with self.subTest(pattern), self.assertRaisesRegex((sciara.UsageError, sciara.InputError), pattern):
                sciara.Run(setup.dem_array(), **setup.PLACE, **{**KEYS, **options})
        with self.assertRaisesRegex(sciara.UsageError, "in the scenario, not next to it"):
            sciara.Run(setup.dem_array(), **setup.PLACE, scenario=sciara.Scenario(), initial_thickness=h)

    def test_arrays_are_copied(self):
        dem = setup.dem_array()
        run = sciara.Run(dem, **setup.PLACE, **KEYS)
        dem[:] = 0
        run.advance(steps=STEPS)
        self.assertEqual(run.checksum, self.checksum)


class Wrong(case.Case):
    def assert_usage(self, pattern, *args, **options):
        for make in (sciara.Run, sciara.Site):
            with self.assertRaisesRegex(sciara.UsageError, pattern):
                make(*args, **options)

    def test_arrays(self):
        dem = setup.dem_array()
        for wrong, pattern in ((dem[0], "expected 2 dimensions .* found 1: shape"), (dem[None], "found 3"),
                               (dem.astype(complex), "dtype complex128"), (dem.astype(object), "dtype object"),
                               (dem.astype(str), "real numbers"), (dem > 0, "dtype bool"),
                               (dem[:0], "at least one cell"), (dem * numpy.nan, "no finite number"),
                               (None, "dem: expected a path or an array"), (7, "expected 2 dimensions")):
            with self.subTest(pattern):
                self.assert_usage(pattern, wrong, **setup.PLACE)
        with self.assertRaisesRegex(sciara.InputError, "inf"):
            sciara.Run(numpy.where(dem > 1050, numpy.inf, dem), **setup.PLACE, **KEYS)

    def test_place(self):
        dem = setup.dem_array()
        self.assert_usage("pass cell_size, west, north too", dem)
        self.assert_usage("pass north too", dem, cell_size=10, west=0)
        for name in ("cell_size", "west", "north"):
            for value in (float("nan"), float("inf"), "10", True):
                self.assert_usage(f"^{name}: expected a", dem, **{**setup.PLACE, name: value})
        self.assert_usage("cells are square", dem, **{**setup.PLACE, "cell_size": (10, 20)})
        for value in (0, -10):
            with self.assertRaises(sciara.SciaraError):
                sciara.Run(dem, **{**setup.PLACE, "cell_size": value}, **KEYS)
        place = {name: value for name, value in setup.PLACE.items() if name != "crs"}
        self.assert_usage('expected a CRS, found none: pass crs="EPSG:32633"', dem, **place)
        with sciara.Run(dem, **place, crs=None, **KEYS) as run:
            self.assertIsNone(run.crs)
            self.assertNotIn("grid_mapping", run.thickness.attrs)
        with self.assertRaises(sciara.InputError):
            sciara.Run(dem, **place, crs="EPSG:4326", **KEYS)
        with self.assertRaises(sciara.InputError):
            sciara.Run(dem, **place, crs="no CRS", **KEYS)
        self.assert_usage('crs: expected a text such as "EPSG:32633", found int', dem, **place, crs=32633)
        self.assert_usage("crs: expected a text such as", "dem.tif", crs=32633)
        self.assert_usage("a raster has its own place", "dem.tif", west=0)

    def test_data_arrays(self):
        def with_coords(**coords):
            return data_array().assign_coords(**coords)
        for wrong, pattern in ((data_array(), "expected a CRS, found none in the DataArray: pass crs"),
                               (with_coords(x=X * 2), "expected square cells"),
                               (with_coords(x=X ** 2), "equal distances"), (with_coords(x=X * numpy.nan), "finite"),
                               (data_array().drop_vars("x"), "expected the coordinate x, found none"),
                               (data_array().rename(x="lon", y="lat"), "dimensions y and x, found lat, lon.*project"),
                               (data_array().to_dataset(name="z"), "xarray.Dataset: take one of its variables, z"),
                               (data_array()[:, 0], "found y"), (data_array()[:, :1], "2 cells"),
                               (data_array().expand_dims(time=2), "found time, y, x"),
                               (data_array().astype(complex), "complex")):
            with self.subTest(pattern):
                self.assert_usage(pattern, wrong)
        self.assert_usage("has its own coordinates", data_array(), cell_size=10)

    def test_vents(self):
        def assert_vents(pattern, vents):
            with self.subTest(pattern), self.assertRaisesRegex(sciara.UsageError, pattern):
                sciara.Run(setup.dem_array(), **setup.PLACE, vents=vents)
        x, y = setup.VENT_XY
        good = {"x": x, "y": y, "rate": 5, "duration": "1 h"}
        assert_vents("vents: expected a list", good)
        assert_vents("vents: expected a list", None)
        assert_vents("expected a sciara.Vent or a dict", [7])
        assert_vents("expected members among x, y, rate.*; found 'rat'", [{**good, "rat": 5}])
        for changes, pattern in (({"x": None}, "vent: x: expected a number, found None"),
                                 ({"x": None, "y": None}, "exactly one of x and y, lonlat, rowcol or line, found none"),
                                 ({"lonlat": (1, 2)}, "found x and y, lonlat"), ({"duration": None}, "found rate"),
                                 ({"rate": None}, "found duration"), ({"duration": "1 week"}, "duration: expected"),
                                 ({"duration": 0}, "more than 0 s"), ({"rate": float("nan")}, "finite number"),
                                 ({"rates": [3]}, "either rate and duration"),
                                 ({"name": "\ud800"}, r"name: expected a text of whole characters, .*'\\ud800'"),
                                 ({"rate": None, "duration": None, "times": [0, 1], "rates": [1, 2]}, "one time more"),
                                 ({"rate": None, "duration": None, "times": [5, 1], "rates": [1]}, "ascending"),
                                 ({"name": 3}, "name: expected a text")):
            assert_vents(pattern, [{**good, **changes}])
        assert_vents("at least 2 points", [{"line": [(x, y)], "rate": 1, "duration": 1}])
        assert_vents("expected 2 numbers", [{"lonlat": 3 * [1], "rate": 1, "duration": 1}])
        for changes in ({"x": 0}, {"rate": -5}):
            with self.assertRaises(sciara.InputError):
                sciara.Run(setup.dem_array(), **setup.PLACE, vents=[{**good, **changes}])

    def test_rest(self):
        def assert_raises(error, pattern, **options):
            with self.subTest(pattern), self.assertRaisesRegex(error, pattern):
                sciara.Run(setup.dem_array(), **setup.PLACE, **{**KEYS, **options})
        assert_raises(sciara.InputError, "T_soll_K", params={"T_soll_K": 1000})
        assert_raises(sciara.InputError, "model.T_sol_K", params={"T_sol_K": -5})
        assert_raises(sciara.UsageError, "params: T_sol_K: expected a number", params={"T_sol_K": "hot"})
        assert_raises(sciara.UsageError, "params: expected a dict", params=[3])
        assert_raises(sciara.UsageError, "until: expected", until="later")
        assert_raises(sciara.UsageError, "until: expected", until=numpy.arange(2))
        assert_raises(sciara.UsageError, r"title: expected a text of whole characters, .*'\\udfff'", title="a\udfff")
        assert_raises(sciara.InputError, "title|UTF-8", title="a\udcff")
        assert_raises(sciara.InputError, "no_such", engine="no_such")
        assert_raises(sciara.InputError, "depth", fields=["depth"])
        assert_raises(sciara.UsageError, "overrides: expected a dict", overrides="run.until=5")
        assert_raises(sciara.UsageError, "expected dem or site, found both", site=sciara.Site(setup.dem_array(),
                                                                                             **setup.PLACE))
        with self.assertRaisesRegex(sciara.UsageError, "expected a path or an array, or a site, found None"):
            sciara.Run(**KEYS)
        with self.assertRaisesRegex(sciara.UsageError, "site: expected a sciara.Site"):
            sciara.Run(site="dem.asc", **KEYS)
        with self.assertRaisesRegex(sciara.UsageError, 'precision: expected "double" or "single"'):
            sciara.Site(setup.dem_array(), **setup.PLACE, precision="half")
