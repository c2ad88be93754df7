# SPDX-License-Identifier: Apache-2.0
"""DataArray.sciara: areas, volumes and outlines, compared with counted cells; the Basic Model Interface."""
import math

import setup
import case

import numpy
import xarray

import sciara

SIDE = 10.0


def field(values, descending=True, **attrs):
    rows, cols = values.shape
    y = 4000 + SIDE * numpy.arange(rows)
    return xarray.DataArray(values, coords={"y": y[::-1] if descending else y, "x": 500 + SIDE * numpy.arange(cols)},
                            dims=("y", "x"), attrs={"units": "m", **attrs})


def area(ring):
    """Positive if it runs counter-clockwise."""
    x, y = numpy.array(ring).T
    return numpy.sum(x[:-1] * y[1:] - x[1:] * y[:-1]) / 2


def components(mask):
    """Cells of each set of cells that are connected through edges, descending."""
    rest, sizes = {tuple(cell) for cell in numpy.argwhere(mask)}, []
    while rest:
        reached, size = [rest.pop()], 0
        while reached:
            row, col = reached.pop()
            size += 1
            for cell in ((row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)):
                if cell in rest:
                    rest.remove(cell)
                    reached.append(cell)
        sizes.append(size)
    return sorted(sizes)


class Accessor(case.Case):
    def test_area_and_volume(self):
        h = field(numpy.array([[0, 1, 2], [numpy.nan, 0.5, 3]]))
        self.assertEqual((h.sciara.area(), h.sciara.area(0.5), h.sciara.volume()), (400, 300, 650))
        self.assertEqual(h.T.sciara.area(), 400)
        self.assertEqual(h.expand_dims("time").sciara.volume(), 650)

    def test_missing_values(self):
        """A value that stands for missing data, which xarray has not decoded, is no lava."""
        for name in ("_FillValue", "missing_value"):
            h = field(numpy.array([[-9999, 1, 2], [-9999, 0, 3.0]]), **{name: -9999.0})
            self.assertEqual((h.sciara.area(-1), h.sciara.volume()), (400, 600))
        packed = field(numpy.array([[0, 10], [-1, 25]], "i2"), scale_factor=0.1, _FillValue=numpy.int16(-1))
        self.assertEqual((packed.sciara.area(1.5), packed.sciara.volume()), (100, 350))

    def test_outline_of_a_ring_with_an_island(self):
        mask = numpy.ones((5, 6))
        mask[1:4, 1:5] = 0
        mask[2, 2] = 1
        outline = field(mask).sciara.outline()
        self.assertEqual(outline["type"], "MultiPolygon")
        island, ring = outline["coordinates"]
        self.assertEqual((len(island), len(ring)), (1, 2))
        self.assertEqual({tuple(corner) for corner in ring[0]}, {(495, 3995), (555, 3995), (555, 4045), (495, 4045)})
        self.assertEqual([area(ring) for ring in (*island, *ring)], [100, 3000, -1200])

    def test_outlines_of_random_cells(self):
        random = numpy.random.default_rng(1)
        for _ in range(400):
            mask = random.random(random.integers(2, 9, 2)) < random.choice([0.3, 0.5, 0.7, 0.9])
            h = field(numpy.where(mask, 2.0, random.choice([0, numpy.nan])))
            polygons = h.sciara.outline(1)["coordinates"]
            for polygon in polygons:
                self.assertGreater(area(polygon[0]), 0)
                for ring in polygon:
                    self.assertEqual(ring[0], ring[-1])
                    steps = numpy.diff(numpy.array(ring), axis=0)
                    self.assertTrue(((steps != 0).sum(axis=1) == 1).all(), "along edges of cells")
                    self.assertTrue((steps * numpy.roll(steps, -1, axis=0) == 0).all(), "corners only")
                for hole in polygon[1:]:
                    self.assertLess(area(hole), 0)
            sizes = sorted(round(sum(map(area, polygon)) / SIDE ** 2) for polygon in polygons)
            self.assertEqual(sizes, components(mask), mask)
            self.assertEqual(sorted(map(str, field(h.values[::-1], False).sciara.outline(1)["coordinates"])),
                             sorted(map(str, polygons)), "whichever way y runs")

    def test_wrong(self):
        h = field(numpy.ones((3, 3)))
        for use, pattern in ((lambda: h[0].sciara.area(), "dimensions y and x, found x"),
                             (lambda: xarray.concat([h, h], "time").sciara.outline(), "select one time"),
                             (lambda: h[:1, :].sciara.area(), "at least 2 cells"),
                             (lambda: h.sciara.area(None), "threshold"),
                             (lambda: xarray.DataArray(numpy.ones((3, 3)), dims=("y", "x")).sciara.area(), "the coordinate x, found none"),
                             (lambda: field(h.values, units="s").sciara.volume(), "in m, found a field in s")):
            with self.subTest(pattern), self.assertRaisesRegex(sciara.UsageError, pattern):
                use()

    def test_dropped_columns(self):
        """Without the columns between two flows the cells would be taken to be larger."""
        apart = field(numpy.array([[1, 1, 0, 0, 2.0]] * 3))
        part = apart.where(apart > 0, drop=True)
        for use in (part.sciara.area, part.sciara.volume, part.sciara.outline):
            with self.assertRaisesRegex(sciara.UsageError, "coordinate x: expected equal distances, found 10 to 30: keep all"):
                use()
        self.assertEqual(apart.where(apart > 0).sciara.area(), 900)
        far = field(numpy.ones((8, 9))).assign_coords(y=(4e6 + SIDE * numpy.arange(8) + 0.3).astype("f4"))
        self.assertAlmostEqual(far.sciara.area(), 7200, delta=72 * SIDE)


class Interface(case.Case):
    def model(self, **changes):
        self.write_scenario(**changes)
        model = sciara.Bmi()
        model.initialize(self.path("s.json"))
        self.addCleanup(model.finalize)
        return model

    def test_same_as_a_run(self):
        model = self.model(run={"until": "20 min", "max_time": 600})
        run = sciara.open(self.path("s.json"))
        self.assertEqual((model.get_start_time(), model.get_end_time(), model.get_time_units()), (0, 600, "s"))
        pointer = model.get_value_ptr("thickness")
        model.update()
        run.advance(steps=1)
        self.assertEqual((model.get_current_time(), model.get_time_step()), (run.time, run.progress.clock))
        model.update_until(300)
        run.advance(to=300)
        self.assertEqual(model.run.checksum, run.checksum)
        thickness = run.thickness.values[::-1].ravel()
        numpy.testing.assert_array_equal(pointer, thickness)
        dest = numpy.empty(model.get_grid_size(0))
        self.assertIs(model.get_value("thickness", dest), dest)
        numpy.testing.assert_array_equal(dest, thickness)
        some = numpy.array([3, 600, 700])
        numpy.testing.assert_array_equal(model.get_value_at_indices("thickness", numpy.empty(3), some), thickness[some])

    def test_grids_and_variables(self):
        model = self.model()
        self.assertEqual(model.get_end_time(), math.inf)
        shape = model.get_grid_shape(0, numpy.empty(2, int))
        self.assertEqual((model.get_grid_rank(0), model.get_grid_type(0), list(shape)),
                         (2, "uniform_rectilinear", [case.ROWS, case.COLS]))
        self.assertEqual(list(model.get_grid_origin(0, numpy.empty(2))), [case.SOUTH + 5, case.WEST + 5])
        self.assertEqual(list(model.get_grid_spacing(0, numpy.empty(2))), [10, 10])
        y, x = model.get_grid_y(0, numpy.empty(case.ROWS)), model.get_grid_x(0, numpy.empty(case.COLS))
        altitude = model.get_value_ptr("altitude").reshape(shape)
        row = case.ROWS - 1 - case.VENT[0]
        self.assertEqual(altitude[row, case.VENT[1]], case.altitude(*case.VENT))
        self.assertEqual((x[case.VENT[1]], y[row]), setup.VENT_XY)
        self.assertEqual(model.get_output_item_count(), len(model.get_output_var_names()))
        for name in (*model.get_output_var_names(), *model.get_input_var_names()):
            size = model.get_grid_size(model.get_var_grid(name))
            self.assertEqual((model.get_var_type(name), model.get_var_itemsize(name), model.get_var_nbytes(name)),
                             ("float64", 8, 8 * size))
            self.assertTrue(model.get_var_units(name) and model.get_var_location(name) == "node")
        self.assertEqual((model.get_var_grid("effusion_rate"), model.get_grid_type(1), model.get_grid_size(1)),
                         (1, "points", 1))
        self.assertEqual(model.get_component_name(), "SCIARA-fv3")
        for run, end in (({"until": "front at rest"}, math.inf), ({"until": "solidified", "max_time": "1 h"}, 3600),
                         ({"until": "front at rest", "max_time": 90}, 90)):
            self.assertEqual(self.model(run=run).get_end_time(), end)

    def test_rates(self):
        model = self.model()
        model.update_until(60)
        rates = model.get_value_ptr("effusion_rate")
        self.assertEqual(list(rates), [4], "that of the scenario")
        model.set_value("effusion_rate", numpy.array([12.0]))
        self.assertEqual(list(rates), [12])
        at, before = model.get_current_time(), model.run.ledger.emitted
        model.update_until(3600)
        self.assertAlmostEqual(model.run.ledger.emitted - before, 12 * (model.get_current_time() - at), places=5)
        self.assertEqual(model.get_value_ptr("effusion_rate")[0], 12)

    def test_dates(self):
        """The end is a simulated time, also where the scenario has its date."""
        for until in ("2024-02-29T00:05Z", "2024-02-29 05:50:00.0 +05:45", "2024-02-28T22:05 UTC-02", "2024-02-29T00:05", 900):
            model = self.model(run={"start": "2024-02-29 02:50:00+03:00", "until": until, "max_time": "2024-03-01"})
            self.assertEqual(model.get_end_time(), 900)
            model.update_until(1e9)
            self.assertTrue(900 <= model.get_current_time() < 1020)
        model.run.write_checkpoint(self.path("c.h5"))
        later = self.model(initial={"checkpoint": "c.h5"}, run={"until": "1 h"})
        self.assertEqual((later.get_start_time(), later.get_current_time()), (model.run.time, model.run.time))

    def test_wrong(self):
        model = sciara.Bmi()
        with self.assertRaisesRegex(sciara.UsageError, "call initialize"):
            model.update()
        model = self.model()
        for use, pattern in ((lambda: model.get_value_ptr("depth"), "expected a variable, one of eff.*depth'"),
                             (lambda: model.get_value("thickness", numpy.empty(3)), "1200 values"),
                             (lambda: model.set_value("thickness", numpy.empty(3)), "1 rates|effusion_rate"),
                             (lambda: model.set_value("effusion_rate", [1, 2]), "expected 1 rates"),
                             (lambda: model.get_grid_rank(2), "expected grid 0 .* or 1 .*, found int 2")):
            with self.subTest(pattern), self.assertRaisesRegex(sciara.UsageError, pattern):
                use()
        with self.assertRaises(NotImplementedError):
            model.get_grid_edge_count(0)
        model.finalize()
        with self.assertRaisesRegex(sciara.UsageError, "expected an initialised model, found none"):
            model.update()
