# SPDX-License-Identifier: Apache-2.0
"""A run on the scale of a laboratory: wax on cells of 1 mm, its files, maps, page, ensemble and continuation."""
import re

import case
import geo
from case import Case, record
from geo import gdal, ogr


N, CELL, SLOPE = 40, 0.001, 0.1
WAX = {"rule": "bingham", "viscosity_vent_Pa_s": 0.5, "viscosity_sol_Pa_s": 5, "yield_strength_vent_Pa": 0.5,
       "yield_strength_sol_Pa": 2, "density_kg_m3": 900, "specific_heat_J_kgK": 2000, "emissivity": 0.9,
       "radiating_share": 1, "T_vent_K": 298, "T_sol_K": 290, "clock_first_s": 0.001, "clock_max_s": 1}


def altitude(col):
    return 0.2 + SLOPE * CELL * (N - col)


class Laboratory(Case):
    def write_all(self, **changes):
        row = " ".join(f"{altitude(col):.6f}" for col in range(N))
        case.write_text(self.path("lab.asc"), f"ncols {N}\nnrows {N}\nxllcorner -0.01\nyllcorner -0.02\ncellsize {CELL}\n" + (row + "\n") * N)
        scenario = {"title": "wax", "dem": {"path": "lab.asc", "crs": "local"}, "model": WAX,
                    "vents": [{"x": 0.0005, "y": 0.0005, "effusion": {"slot": "4 s", "rates_m3_s": [2e-8]}}],
                    "run": {"until": "6 s"}, "output": {"every": "0.5 s", "dtype": "float64"}}
        case.write_json(self.path("lab.json"), {**scenario, **changes})

    def test_run_and_products(self):
        self.write_all()
        checked = self.sciara("check", "lab.json").stdout
        self.assertIn("one every 0.5 s", checked)
        self.sciara("run", "lab.json", "-q", "-o", "run")
        path = self.sciara("export", "run", "-q", "-f", "cog").stdout.strip()
        raster = gdal.Open(self.path(path))
        self.assertAlmostEqual(raster.GetGeoTransform()[1], CELL)
        thickness = raster.ReadAsArray()
        covered = thickness > 0
        self.assertAlmostEqual(thickness[covered].sum() * CELL**2, 8e-8, delta=1e-12)
        away = [((row - 19) ** 2 + (col - 10) ** 2) ** 0.5 * CELL for row, col in zip(*covered.nonzero())]
        self.assertGreater(max(away), 0.005)
        for name, more in (("png", ()), ("html", ()), ("gpkg", ("--classes", "0.0005,0.001")), ("ground", ())):
            done = self.sciara("export", "run", "-f", name, *more)
            self.assertNotIn("degrees", done.stderr)
        vectors = ogr.Open(self.path("run", "maps", "deposit.gpkg"))
        self.assertAlmostEqual(max(one["run_out_m"] for one in vectors.GetLayerByName("run_out")), max(away), delta=1e-9)
        page = case.read_text(self.path("run", "maps", "page.html"))
        self.assertIn('"decimals":3', page)
        self.assertLessEqual(float(re.search(r'"altitude":\{.*?"step":([0-9.e-]+)', page).group(1)), 0.1 * CELL)

    def test_continued(self):
        """A checkpoint is continued on the dem.tif of its run; parts are the whole."""
        self.write_all()
        self.sciara("run", "lab.json", "-q", "-o", "whole")
        self.sciara("run", "lab.json", "-q", "-o", "part", "-n", 100, "--checkpoint-every", "1000 d")
        self.sciara("resume", "part", "-q", "-o", "rest", "--set", "run.max_steps=null")
        checksums = [record(self.path(name))["snapshots"][-1]["checksum"] for name in ("whole", "rest")]
        self.assertEqual(*checksums)

    def test_ensemble(self):
        """Two vents, of which one reaches the site: members read the dem.tif of the ensemble."""
        self.write_all()
        case.write_text(self.path("vents.csv"), "x,y\n0.0005,0.0005\n0.0005,0.0125\n")
        result = {"thickness_m": [0, 0.0002], "sites": [{"name": "beaker", "x": 0.0035, "y": 0.0005}]}
        case.write_json(self.path("e.json"), {"base": "lab.json", "vents": {"table": "vents.csv"},
                                                "sample": {"method": "full"}, "result": result})
        self.sciara("ensemble", "plan", "e.json", "-q", "-o", "e")
        self.sciara("ensemble", "run", "e", "-q")
        self.sciara("ensemble", "reduce", "e", "-q")
        probability = geo.read(self.path("e", "maps", "probability_0m.tif"))
        self.assertAlmostEqual(float(probability[19, 13]), 0.5)
        self.sciara("ensemble", "export", "e", "-q", "-f", "html")
        self.sciara("ensemble", "member", "e", 1, "-o", "m.json")
        self.assertEqual(case.read_json(self.path("m.json"))["dem"]["crs"], "local")
        self.assertIn("found x 0.030400", self.sciara("ensemble", "query", "e", "--at", "0.0304,0", code=3).stderr)

    def test_vent_beside_the_map(self):
        self.write_all()
        said = self.sciara("check", "lab.json", "--set", "vents.0.x=0.0304", code=3).stderr
        self.assert_parts(said, "expected x from -0.010000 to below 0.030000", "found x 0.030400")
        said = self.sciara("check", "lab.json", "--set", 'model={"rule":"fv3"}').stderr
        self.assertNotIn("resamples the DEM", said)

    def test_level_ground_at_0_m(self):
        """Films become thinner than any number of their speed; every engine computes the same."""
        self.write_all(model={**WAX, "yield_strength_vent_Pa": 0, "yield_strength_sol_Pa": 0, "radiating_share": 0,
                              "clock_first_s": 0.01})
        case.write_text(self.path("lab.asc"), f"ncols {N}\nnrows {N}\nxllcorner -0.01\nyllcorner -0.02\ncellsize {CELL}\n" + ("0 " * N + "\n") * N)
        found = set()
        for engine in case.exact_engines():
            self.sciara("run", "lab.json", "-q", "-e", engine, "-o", engine)
            found.add(record(self.path(engine))["snapshots"][-1]["checksum"])
        self.assertEqual(len(found), 1, found)

    def test_crs_that_says_otherwise(self):
        self.write_all()
        with open(self.path("lab.prj"), "w", encoding="ascii") as f:
            f.write('PROJCS["feet",GEOGCS["g",DATUM["d",SPHEROID["s",6378137,298.257]],PRIMEM["p",0],UNIT["degree",'
                    '0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["central_meridian",15],'
                    'PARAMETER["latitude_of_origin",0],PARAMETER["scale_factor",1],PARAMETER["false_easting",0],'
                    'PARAMETER["false_northing",0],UNIT["foot",0.3048]]')
        said = self.sciara("check", "lab.json", code=3).stderr
        self.assertIn('dem.crs: "local" is for a raster that names no CRS; lab.asc names "feet"'.replace("lab", "./lab"), said)
