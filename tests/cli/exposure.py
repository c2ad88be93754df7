# SPDX-License-Identifier: Apache-2.0
"""sciara exposure of a run: arrivals, deposits, lengths and areas by time, compared with what GEOS finds cell by cell; states;
names; files of others."""
import csv
import functools
import json
import os
import re
import subprocess
import unittest

import case
import fixtures
from case import CELL, COLS, NORTH, ROWS, WEST, SharedCase, open_snapshot

import numpy
from osgeo import gdal, ogr, osr

gdal.UseExceptions()
ogr.UseExceptions()
HOURS = (0.1, 0.2, 0.5, 1)


def srs_of(code):
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(code)
    srs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return srs


def at(x, y):
    """A place in m from the north-western corner."""
    return f"{WEST + x} {NORTH - y}"


def points_of(*places):
    return ",".join(at(x, y) for x, y in places)


PLACES = {
    "hut": f"POINT({at(205, 95)})",
    "huts": f"MULTIPOINT({points_of((205, 95), (212, 105), (395, 5), (500, 5))})",
    "road": f"LINESTRING({points_of((120, 93.3), (205.5, 101), (333, 188.8), (260, 340))})",
    "tracks": f"MULTILINESTRING(({points_of((150, 131), (280, 131))}),({points_of((-50, 60), (450, 260))}))",
    "town": f"POLYGON(({points_of((150, 60), (300, 95), (260, 230), (140, 180), (150, 60))}),"
            f"({points_of((190, 100), (230, 110), (205, 140), (190, 100))}))",
    "farms": f"MULTIPOLYGON((({points_of((203, 97), (206, 97), (206, 99), (203, 97))})),"
             f"(({points_of((330, 250), (460, 250), (460, 350), (330, 350), (330, 250))})))",
    "quiet": f"POINT({at(15, 285)})",
    "gap": f"POLYGON(({points_of((2, 2), (30, 2), (30, 20), (2, 20), (2, 2))}))",
    "away": f"POINT({at(4000, 95)})",
    "nothing": None,
}


def write_places(path, driver="GPKG", srs=srs_of(32633), places=None, column="name"):
    """A file of these places, brought to a CRS."""
    source = ogr.GetDriverByName(driver).CreateDataSource(path)
    layer = source.CreateLayer("places", srs, ogr.wkbUnknown)
    layer.CreateField(ogr.FieldDefn("height", ogr.OFTReal))
    if column:
        layer.CreateField(ogr.FieldDefn(column, ogr.OFTString))
    for name, wkt in (places or PLACES).items():
        feature = ogr.Feature(layer.GetLayerDefn())
        if column and name is not None:
            feature.SetField(column, name)
        geometry = wkt and ogr.CreateGeometryFromWkt(wkt)
        if geometry and srs:
            geometry.AssignSpatialReference(srs_of(32633))
            geometry.TransformTo(srs)
        if geometry:
            feature.SetGeometry(geometry)
        layer.CreateFeature(feature)
    return path


def square(row, col):
    x, y = WEST + col * CELL, NORTH - row * CELL
    return ogr.CreateGeometryFromWkt(f"POLYGON(({x} {y},{x + CELL} {y},{x + CELL} {y - CELL},{x} {y - CELL},{x} {y}))")


def measure(geometry):
    """What there is of it: points, m or m2."""
    if geometry.GetDimension() == 0:
        return max(1, geometry.GetGeometryCount()) if not geometry.IsEmpty() else 0
    return geometry.Length() if geometry.GetDimension() == 1 else geometry.Area()


@functools.cache
def amounts_of(wkt):
    """rows x cols: how much of it lies in each cell; of a point on the edge of cells nothing is asked."""
    found = numpy.zeros((ROWS, COLS))
    geometry = ogr.CreateGeometryFromWkt(wkt)
    west, east, south, north = geometry.GetEnvelope()
    for row in range(max(0, int((NORTH - north) // CELL)), min(ROWS, int((NORTH - south) // CELL) + 1)):
        for col in range(max(0, int((west - WEST) // CELL)), min(COLS, int((east - WEST) // CELL) + 1)):
            part = geometry.Intersection(square(row, col))
            if part.GetDimension() == geometry.GetDimension() or geometry.GetDimension() == 0:
                found[row, col] = measure(part)
    return found


GPX = ('<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><wpt lat="37.74150" lon="15.00233"><name>hut</name></wpt>'
       "</gpx>")


class Exposure(SharedCase):
    @classmethod
    def prepare(cls):
        data = open_snapshot(fixtures.run(cls.work))
        write_places(os.path.join(cls.work, "places.gpkg"))
        cls.arrival, cls.deposit, cls.most = (data[name].values[0] for name in ("arrival_time", "deposit", "max_deposit"))
        cls.land = cls.deposit != case.NODATA

    def rows(self, path):
        return {row["place"]: row for row in case.read_rows(self.path(path))}

    def assert_numbers(self, row, expected):
        for name, value in expected.items():
            found = row[name]
            self.assertEqual(found == "", numpy.isnan(value), (row["place"], name, found, value))
            if found:
                self.assertAlmostEqual(float(found), value, delta=1e-6 * max(1, abs(value)), msg=(row["place"], name))

    def expected(self, wkt):
        """State and numbers of a place."""
        if wkt is None:
            return "empty", {"all": 0, "land": 0, "covered": numpy.nan, "arrival_s": numpy.nan}
        amounts = amounts_of(wkt)
        land = amounts * self.land
        reached = (land > 1e-9) & (self.arrival >= 0)
        numbers = {"all": measure(ogr.CreateGeometryFromWkt(wkt)), "land": land.sum(), "nodata": (amounts * ~self.land).sum(), "sea": 0}
        if not land.any():
            return "outside" if not amounts.any() else "NODATA", numbers | {"covered": numpy.nan, "share": numpy.nan, "arrival_s": numpy.nan}
        numbers |= {"covered": land[reached].sum(), "share": land[reached].sum() / land.sum()}
        for hours in HOURS:
            numbers[f"covered_{60 * hours:g}min" if hours < 1 else f"covered_{hours:g}h"] = land[reached & (self.arrival <= 3600 * hours)].sum()
        for name, values in (("deposit_m", self.deposit), ("max_deposit_m", self.most)):
            numbers[name] = values[reached].max(initial=-1) if reached.any() else numpy.nan
        numbers["arrival_s"] = self.arrival[reached].min(initial=numpy.inf) if reached.any() else numpy.nan
        return "reached" if reached.any() else "not reached", numbers

    def check(self, rows, places=None, but=()):
        states = set()
        for name, wkt in (places or PLACES).items():
            if name in but:
                continue
            state, numbers = self.expected(wkt)
            self.assertEqual(rows[name]["state"], state, name)
            self.assert_numbers(rows[name], numbers)
            states.add(state)
        return states

    def test_a_run(self):
        done = self.sciara("exposure", "run", "--assets", "places.gpkg", "--within", "6 min,720,30 min,360,1 h", "--overwrite")
        self.assertEqual(done.stdout.splitlines()[-2:], ["run/maps/exposure.csv", "run/maps/exposure.gpkg"])
        self.assertIn("10 places: 6 reached, 1 not reached, 1 on NODATA, 1 outside the DEM, 1 without geometry\n", done.stdout)
        self.assertIn('\nnot reached: "quiet"\non NODATA: "gap"\noutside the DEM: "away"\nwithout geometry: "nothing"\n', done.stdout)
        ledger, state = (case.record(self.path("run"))[key] for key in ("ledger", "state"))
        share = 100 * ledger["liquid_m3"] / (ledger["liquid_m3"] + ledger["solid_m3"])
        minutes, seconds = divmod(int(state["time_s"]), 60)
        date = case.minute_after("2026-05-01T00:00:00Z", state["time_s"])
        self.assertIn(f"until {minutes} min {seconds} s ({date}), when {share:.3g} % of the lava is still liquid\n", done.stdout)
        self.assertEqual("left the map" in done.stderr, ledger["lost_m3"] > 0)
        rows = self.rows("run/maps/exposure.csv")
        self.assertEqual(list(rows), list(PLACES))
        self.assertEqual(case.read_text(self.path("run/maps/exposure.csv")).count(",covered_"), len(HOURS), "each time once")
        self.assertEqual(self.check(rows), {"reached", "not reached", "NODATA", "outside", "empty"})
        shares = [float(row["share"]) for row in rows.values() if row["share"]]
        self.assertTrue(any(0.05 < share < 0.95 for share in shares), shares)
        printed = re.findall(r"(?m)^(?:\d+ (?:h|min|s) )+\((.* UTC)\) +(\w+) ", done.stdout)
        reached = [name for name, row in rows.items() if row["state"] == "reached"]
        arrivals = sorted((float(rows[name]["arrival_s"]), list(rows).index(name), name) for name in reached)
        self.assertEqual(printed, [(case.minute_after("2026-05-01T00:00:00Z", arrival), name) for arrival, _, name in arrivals])
        self.sciara("exposure", "run", "--assets", "places.gpkg", "--time-zone", "+01:00", "-o", "local.csv", "-q")
        for name, local in self.rows("local.csv").items():
            seconds = int(float(local["arrival_s"] or 0))
            for hour, zone, row in ((0, "Z", rows[name]), (1, "+01:00", local)) if name in reached else ():
                self.assertEqual(row["arrival_date"], f"2026-05-01T{hour + seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{zone}")

    def test_lava_that_arrives_at_a_time_counts(self):
        town = amounts_of(PLACES["town"]) * self.land
        when = float(sorted(self.arrival[(town > 0) & (self.arrival > 0)])[5])
        self.sciara("exposure", "run", "--assets", "places.gpkg", "--within", repr(when), "-o", "at-once.csv", "-q")
        (found,) = (value for name, value in self.rows("at-once.csv")["town"].items() if name.startswith("covered_"))
        self.assertAlmostEqual(float(found), town[(self.arrival >= 0) & (self.arrival <= when)].sum(), places=4)

    def test_dates_in_place_of_times(self):
        """--within and --at take the date of a simulated time where the run has one."""
        for name in ("by.csv", "at.csv"):
            times = {"by.csv": "6 min,0.5 h", "at.csv": "2026-05-01T00:06Z,2026-05-01T02:30:00+02:00"}[name]
            self.sciara("exposure", "run", "--assets", "places.gpkg", "--within", times, "-o", name, "-q")
        self.assertEqual(case.read_bytes(self.path("by.csv")), case.read_bytes(self.path("at.csv")))
        late = ["exposure", "run", "--assets", "places.gpkg", "--overwrite", "-o", "late.csv", "--within"]
        self.assertRegex(self.sciara(*late, "6 min, 1 d").stderr, r"warning: --within: 1 d is after the end of run/snapshots/\d+.nc at \d+ min.*: what its liquid lava covers then is missing\n")
        self.assertNotIn("warning", self.sciara(*late, repr(case.record(self.path("run"))["state"]["time_s"])).stderr)
        self.assertIn("--within: expected a date after 2026-05-01T00:00:00Z, from which times of run",
                      self.sciara("exposure", "run", "--assets", "places.gpkg", "--within", "2026-04-30", "-o", "no.csv", code=2).stderr)
        by = [self.sciara("compare", "run", "run", "--at", at).stdout for at in ("6 min", "2026-05-01T00:06Z")]
        self.assertEqual(by[0], by[1])
        case.write_scenario(self.work, "undated.json", run={"max_steps": 20})
        self.sciara("run", "undated.json", "-q", "-o", "undated")
        self.assertIn("--at: expected a simulated time such as", self.sciara("compare", "undated", "undated", "--at", "2026-05-01T00:06Z", code=2).stderr)

    def test_with_and_without(self):
        """Two runs at the places: arrivals, delay, what is spared and newly reached, cell by cell; "unknown" beyond the end of a run."""
        wall = {"name": "wall", "line": [[WEST + 165, NORTH - 115], [WEST + 255, NORTH - 115]], "width_m": 5, "height_m": 20}
        self.write_scenario("wall.json", dem={"path": "dem.asc", "crs": "EPSG:32633", "edits": [wall]},
                            run={"max_steps": 400, "start": "2026-05-01T00:00:00Z"},
                            output={"fields": case.FIELDS, "dtype": "float64"})
        self.run_scenario("wall", name="wall.json")
        self.run_scenario("short", "--steps", "200")
        places = {k: v for k, v in PLACES.items() if k not in ("nothing", "gap", "away")}
        places |= {f"p{x} {y}": f"POINT({at(x, y)})" for x in range(105, 345, 20) for y in range(85, 300, 20)}
        places |= {f"l{x} {y}": f"LINESTRING({points_of((x, y), (x + 13, y + 31))})" for x in range(152, 280, 18) for y in range(101, 240, 27)}
        write_places(self.path("many.gpkg"), places=places)
        for other in ("wall", "short"):
            *_, last = case.record(self.path(other))["snapshots"]
            data = open_snapshot(self.path(other, last["name"]))
            arrival, deposit = (data[name].values[0] for name in ("arrival_time", "deposit"))
            text = self.sciara("compare", "run", other, "--assets", "many.gpkg", "--csv", "pairs.csv", "--overwrite").stdout
            table = json.loads(self.sciara("compare", "run", other, "--assets", "many.gpkg", "--json").stdout)
            self.assertEqual(table["b"], {"snapshot": f"{other}/{last['name']}", "time_s": last["time_s"], "flows": True})
            rows, found, count = self.rows("pairs.csv"), {item["place"]: item for item in table["places"]}, {}
            self.assertEqual(list(rows), list(places))
            for name, wkt in places.items():
                land = amounts_of(wkt) * self.land
                in_a, in_b = ((land > 1e-9) & (of >= 0) for of in (self.arrival, arrival))
                a, b = (of[hit].min(initial=numpy.inf) for of, hit in ((self.arrival, in_a), (arrival, in_b)))
                state = ("reached in both" if max(a, b) < numpy.inf else "not reached" if min(a, b) == numpy.inf else
                         "unknown" if b == numpy.inf and a > last["time_s"] else "spared" if b == numpy.inf else "newly reached")
                count[state] = count.get(state, 0) + 1
                self.assertEqual((rows[name]["state"], found[name]["state"]), (state, state), (name, a, b))
                a, b = (numpy.nan if v == numpy.inf else v for v in (a, b))
                expected = {"arrival_a_s": a, "arrival_b_s": b, "delay_s": b - a, "land": land.sum(), "covered_a": land[in_a].sum(), "covered_b": land[in_b].sum(),
                            "deposit_b_m": deposit[in_b].max() if in_b.any() else numpy.nan}
                self.assert_numbers(rows[name], expected)
                for key, value in expected.items():
                    self.assertEqual(found[name][key] is None, numpy.isnan(value))
                    if not numpy.isnan(value):
                        self.assertAlmostEqual(found[name][key], value, delta=1e-6 * max(1, abs(value)))
                if a < b or a > b:
                    minutes, seconds = divmod(int(abs(b - a)), 60)
                    span = " ".join(f"{n} {unit}" for n, unit in ((minutes, "min"), (seconds, "s")) if n)
                    if abs(b - a) >= 1 and f"\n{name} " in text:
                        dates = (re.escape(case.minute_after("2026-05-01T00:00:00Z", at)) for at in (a, b))
                        middle = r"\) .*\("
                        depths = (f"{of[hit].max():.2f} m" for of, hit in ((self.deposit, in_a), (deposit, in_b)))
                        self.assertRegex(text, rf"\n{name} .*\({middle.join(dates)}\).* {span} {'later' if b > a else 'earlier'}; "
                                               rf"deposit {' and '.join(depths)}(; |\n)")
            missed = [name for name in places if rows[name]["state"] == "not reached"][:100]
            self.assertIn(f"\nnot reached: {', '.join(missed)}", text)
            self.assertIn(f"{len(places)} places: {count.get('reached in both', 0)} reached in both, {count.get('spared', 0)} spared, "
                          f"{count.get('newly reached', 0)} newly reached, {count['not reached']} not reached", text)
            self.assertGreater(min(count[state] for state in (("reached in both", "spared", "newly reached") if other == "wall" else ("unknown", "reached in both"))), 3)
        at_rest = {"model": {"cooling": 1500}, "run": {}}
        self.write_scenario("cold.json", **at_rest)
        self.run_scenario("cold", name="cold.json")
        table = json.loads(self.sciara("compare", "run", "cold", "--assets", "many.gpkg", "--json").stdout)
        self.assertIs(table["b"]["flows"], False)
        self.assertIn("spared", {item["state"] for item in table["places"]})
        self.assertNotIn("unknown", {item["state"] for item in table["places"]})
        for code, said, *words in ((2, "--tolerance: not allowed with --assets", "--assets", "many.gpkg", "--tolerance", "1"),
                                   (2, "--csv: allowed with --assets FILE only", "--csv", "x.csv"), (2, "--json: allowed with --observed FILE or --assets FILE only", "--json"),
                                   (2, "--csv: expected a name that ends in .csv", "--assets", "many.gpkg", "--csv", "x.txt"),
                                   (3, "pairs.csv", "--assets", "many.gpkg", "--csv", "pairs.csv")):
            self.assertIn(said, self.sciara("compare", "run", "wall", *words, code=code).stderr)
        self.assertIn("found the last one at", self.sciara("compare", "run", "wall", "--assets", "many.gpkg", "--at", "9 h", code=3).stderr)

    @unittest.skipIf(case.SANITIZED, "a measurement")
    def test_very_many(self):
        """100,000 features take at most 10 s of processor time: points, and squares of 2 m inside of a cell, cell by cell."""
        count, random = 100000, numpy.random.default_rng(1)
        rows, cols = random.integers(0, ROWS, count), random.integers(0, COLS, count)
        x, y = (WEST + CELL * (cols + random.uniform(0.3, 0.7, count)), NORTH - CELL * (rows + random.uniform(0.3, 0.7, count)))
        features = []
        for k in range(count):
            a, b = float(x[k]), float(y[k])
            corners = [[a, b], [a + 2, b], [a + 2, b + 2], [a, b + 2], [a, b]]
            features.append(({"name": f"f{k}"}, *(("Polygon", [corners]) if k % 2 else ("Point", [a, b]))))
        case.write_features(self.path("many.geojson"), *features)
        before = os.times()
        self.sciara("exposure", "run", "--assets", "many.geojson", "-o", "many.csv", "-q")
        after = os.times()
        self.assertLess(after.children_user + after.children_system - before.children_user - before.children_system, 10)
        found = self.rows("many.csv")
        arrival, land = self.arrival[rows, cols], self.land[rows, cols]
        for k in range(count):
            row = found[f"f{k}"]
            self.assertEqual(row["state"], "NODATA" if not land[k] else "reached" if arrival[k] >= 0 else "not reached")
            if row["state"] == "reached":
                self.assertAlmostEqual(float(row["arrival_s"]), arrival[k], delta=1e-6 * max(1, arrival[k]))
                self.assertAlmostEqual(float(row["covered"]), 4 if k % 2 else 1, delta=1e-6)

    def test_geopackage(self):
        """The columns of the table, and the places as they were."""
        self.sciara("exposure", "run", "--assets", "places.gpkg", "-o", "e.csv", "--overwrite", "-q")
        self.assertEqual(self.sciara("exposure", "run", "--assets", "places.gpkg", "-o", "e.gpkg", "-q").stdout.splitlines()[-1], "e.gpkg")
        rows, source, seen = self.rows("e.csv"), ogr.Open(self.path("e.gpkg")), []
        for layer, kind in (("points", "point"), ("lines", "line"), ("zones", "zone")):
            for feature in source.GetLayerByName(layer):
                items = feature.items()
                name = items.pop("name")
                seen.append(name)
                self.assertEqual(items["kind"], kind)
                for column, value in items.items():
                    if isinstance(value, float):
                        self.assertAlmostEqual(value, float(rows[name][column]), delta=1e-8 * max(1, abs(value)), msg=(name, column))
                    else:
                        self.assertEqual(value or "", rows[name][column], (name, column))
                geometry, given = feature.GetGeometryRef(), PLACES[name] and ogr.CreateGeometryFromWkt(PLACES[name])
                self.assertEqual(geometry is None, given is None, name)
                if geometry:
                    self.assertTrue(geometry.IsValid() and geometry.Buffer(1e-6).Contains(given) and given.Buffer(1e-6).Contains(geometry), name)
                    self.assertAlmostEqual(measure(geometry), measure(given), places=6)
        self.assertEqual(sorted(seen), sorted(PLACES))

    def test_degrees_and_formats(self):
        """In degrees, and in another zone, a place is where it is; a vertex moves by far less than a cell."""
        places = {name: PLACES[name] for name in ("hut", "road", "town", "away")}
        for driver, code, end in (("GeoJSON", 4326, "geojson"), ("GPKG", 32632, "gpkg"), ("FlatGeobuf", 4258, "fgb"), ("KML", 4326, "kml")):
            write_places(self.path(f"p.{end}"), driver, srs_of(code), places)
            self.sciara("exposure", "run", "--assets", f"p.{end}", "--names", "Name" if end == "kml" else "name", "--within",
                        "6 min,720,30 min,1 h", "-o", f"{end}.csv", "-q")
            for name, row in self.rows(f"{end}.csv").items():
                state, numbers = self.expected(PLACES[name])
                self.assertEqual(row["state"], state, (driver, name))
                for column in ("all", "covered", "arrival_s", "covered_12min"):
                    if column in numbers and numbers[column] == numbers[column]:
                        self.assertAlmostEqual(float(row[column]), numbers[column], delta=2e-3 * max(1, numbers[column]), msg=(driver, name, column))

    def test_far_away(self):
        """Places on the other side of the Earth, where projections repeat themselves, lie outside, in files and tables; a country that
        holds the DEM reaches all of it, and a road of thousands of kilometres takes its course in degrees."""
        lon, lat = 15.0023, 37.7415
        ring = lambda west, south, east, north: [[[west, south], [east, south], [east, north], [west, north], [west, south]]]
        shapes = {"Pacific": ("Polygon", ring(-170, -5, -160, 5)), "atoll": ("Point", [lon - 180, 0.0001]), "antipode": ("Point", [lon - 180, -lat]),
                  "reef": ("LineString", [[lon - 180, -0.001], [lon - 180, 0.001]]), "country": ("Polygon", ring(6, 36, 19, 47)),
                  "road": ("LineString", [[lon - 60, lat - 20], [lon + 60, lat + 20]]),
                  "fjords": ("Polygon", [[[lon + 60, lat + 21], *([lon + (2 if k % 4 in (1, 2) else 50), lat + 20 - k // 2] for k in range(80)), [lon + 60, lat - 20], [lon + 60, lat + 21]]])}
        case.write_json(self.path("far.geojson"), {"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"name": name}, "geometry": {"type": kind, "coordinates": points}}
            for name, (kind, points) in shapes.items()]})
        done = self.sciara("exposure", "run", "--assets", "far.geojson", "-o", "far.csv")
        self.assertNotIn("crosses", done.stderr, "no place does, before what is far from the DEM is cut off")
        rows = self.rows("far.csv")
        for name in ("Pacific", "atoll", "antipode", "reef"):
            self.assertEqual((rows[name]["state"], rows[name]["covered"]), ("outside", ""), name)
        self.assertAlmostEqual(float(rows["country"]["land"]), self.land.sum() * CELL ** 2, delta=1)
        degrees = srs_of(4326)
        country = ogr.CreateGeometryFromWkt("POLYGON((6 36,19 36,19 47,6 47,6 36))")
        country.AssignSpatialReference(degrees)
        country.Segmentize(0.05)
        country.TransformTo(srs_of(32633))
        self.assertAlmostEqual(float(rows["country"]["all"]) / country.Area(), 1, delta=1e-4)
        near = ogr.CreateGeometryFromWkt(f"LINESTRING({lon - 0.06} {lat - 0.02},{lon + 0.06} {lat + 0.02})")
        near.AssignSpatialReference(degrees)
        near.Segmentize(1e-4)
        near.TransformTo(srs_of(32633))
        amounts = amounts_of(near.ExportToWkt())
        self.assertAlmostEqual(float(rows["road"]["covered"]), amounts[(self.arrival >= 0) & self.land].sum(), delta=0.05)
        case.write_text(self.path("far_table.csv"), f"name,lon,lat\natoll,{lon - 180},0.0001\nantipode,{lon - 180},{-lat}\nhut,{lon},{lat}\n")
        self.sciara("exposure", "run", "--assets", "far_table.csv", "-o", "t.csv", "-q")
        self.assertEqual([row["state"] for row in self.rows("t.csv").values()][:2], ["outside", "outside"])
        self.assertNotEqual(self.rows("t.csv")["hut"]["state"], "outside")

    def test_parts_that_overlap(self):
        """The area of a zone is that of the union of its polygons, as GEOS finds it: in rings, in a hole of another part, twice the same."""
        shapes = {"two": f"MULTIPOLYGON((({points_of((150, 60), (260, 60), (260, 150), (150, 60))})),(({points_of((200, 55), (330, 55), (330, 133), (200, 55))})))",
                  "same": f"MULTIPOLYGON((({points_of((150, 60), (260, 60), (260, 150), (150, 60))})),(({points_of((150, 60), (260, 60), (260, 150), (150, 60))})))",
                  "holed": f"MULTIPOLYGON({PLACES['town'][7:]},(({points_of((195, 100), (260, 113), (210, 160), (195, 100))})))",
                  "apart": f"MULTIPOLYGON((({points_of((150, 60), (155, 60), (155, 70), (150, 60))})),(({points_of((200, 55), (330, 55), (330, 133), (200, 55))})))",
                  "half outside": f"MULTIPOLYGON((({points_of((350, 60), (450, 60), (450, 155), (350, 60))})),(({points_of((390, 55), (460, 55), (460, 133), (390, 55))})))"}
        write_places(self.path("overlap.gpkg"), places=shapes)
        self.sciara("exposure", "run", "--assets", "overlap.gpkg", "-o", "o.csv", "-q")
        for name, row in self.rows("o.csv").items():
            union = ogr.CreateGeometryFromWkt(shapes[name]).UnionCascaded()
            self.assertAlmostEqual(float(row["all"]), union.Area(), delta=1e-6 * union.Area(), msg=name)
            amounts = amounts_of(union.ExportToWkt())
            self.assertAlmostEqual(float(row["land"]), amounts[self.land].sum(), delta=1e-3, msg=name)
            self.assertAlmostEqual(float(row["covered"]), amounts[(self.arrival >= 0) & self.land].sum(), delta=1e-3, msg=name)

    def test_rings_that_cross_themselves(self):
        """The area is that of all loops: two equal ones, of a house within one cell or of a large zone, do not cancel."""
        x, y = (int(v) for v in numpy.argwhere((self.arrival >= 0) & self.land)[0][::-1] * 10)
        shapes = {"house": [(x + 2, y + 2), (x + 8, y + 8), (x + 8, y + 2), (x + 2, y + 8), (x + 2, y + 2)],
                  "zone": [(150, 60), (261, 153), (261, 60), (150, 153), (150, 60)], "flat": [(x + 2, y + 2), (x + 8, y + 2), (x + 4, y + 2), (x + 2, y + 2)]}
        write_places(self.path("crossed.gpkg"), places={name: f"POLYGON(({points_of(*ring)}))" for name, ring in shapes.items()})
        self.sciara("exposure", "run", "--assets", "crossed.gpkg", "-o", "crossed.csv", "-q")
        rows = self.rows("crossed.csv")
        self.assertEqual([rows[name]["state"] for name in shapes], ["reached", "reached", "empty"])
        for name, area in (("house", 18), ("zone", 111 * 93 / 2)):
            valid = ogr.CreateGeometryFromWkt(f"POLYGON(({points_of(*shapes[name])}))").MakeValid()
            self.assertAlmostEqual(valid.Area(), area, delta=1e-6, msg=name)
            self.assertAlmostEqual(float(rows[name]["all"]), area, delta=1e-6 * area, msg=name)
            amounts = amounts_of(valid.ExportToWkt())
            self.assertAlmostEqual(float(rows[name]["covered"]), amounts[(self.arrival >= 0) & self.land].sum(), delta=1e-3, msg=name)

    def test_rings_of_many_points_that_cross_themselves(self):
        """The first one is pointed out, with a command that repairs all."""
        corners = [(150, 60), (261, 153), (261, 60), (150, 153), (150, 60)]
        ring = [(a[0] + k / 11 * (b[0] - a[0]), a[1] + k / 11 * (b[1] - a[1])) for a, b in zip(corners, corners[1:]) for k in range(11)] + corners[:1]
        good = [(150 + k % 2, 60 + k) for k in range(40)] + [(260, 150), (260, 60), (150, 60)]
        write_places(self.path("crossing.gpkg"), places={name: f"POLYGON(({points_of(*points)}))" for name, points in (("good", good), ("bow", ring), ("tie", ring))})
        done = self.sciara("exposure", "run", "--assets", "crossing.gpkg", "-o", "crossing.csv")
        said = re.findall('crossing.gpkg: feature 2 \\("bow"\\) crosses or touches itself: .* Repair them with: (.*)', done.stderr)
        self.assertEqual((len(said), done.stderr.count("crosses or touches")), (1, 1), done.stderr)
        subprocess.run(said[0], shell=True, check=True, cwd=self.work)
        done = self.sciara("exposure", "run", "--assets", "crossing-valid.gpkg", "-o", "valid.csv")
        self.assertNotIn("crosses or touches", done.stderr)
        for name in ("bow", "tie"):
            self.assertAlmostEqual(float(self.rows("valid.csv")[name]["all"]), 111 * 93 / 2, delta=1e-3)

    def test_tables(self):
        """Points of a table, in degrees or metres and as spreadsheets write them, have the rows of the same points of a GeoPackage: of runs, of
        two, on maps, and of ensembles."""
        points = {name: PLACES[name] for name in ("hut", "quiet", "away")} | {None: f"POINT({at(212, 105)})"}
        write_places(self.path("points.gpkg"), places=points)
        metres = {name: [float(v) for v in wkt[6:-1].split()] for name, wkt in points.items()}
        to = osr.CoordinateTransformation(srs_of(32633), srs_of(4326))
        degrees = {name: to.TransformPoint(*place)[:2] for name, place in metres.items()}
        comma = lambda value: f"{value:.12f}".replace(".", ",")
        tables = {"metres.csv": "name,x,y\n" + "".join(f"{name or ''},{x},{y}\n" for name, (x, y) in metres.items()),
                  "degrees.csv": "lon,name,lat\n" + "".join(f"{x:.12f},{name or ''},{y:.12f}\n" for name, (x, y) in degrees.items()),
                  "foglio.CSV": "Nome;Altro;Longitude;LATITUDE\r\n" + "".join(f"{name or ''};7;{comma(x)};{comma(y)}\r\n" for name, (x, y) in degrees.items()),
                  "tabs.tsv": "code\tx\ty\n" + "".join(f"{name or ''}\t{x}\t{y}\n" for name, (x, y) in metres.items())}
        self.sciara("exposure", "run", "--assets", "points.gpkg", "-o", "points.csv", "-q")
        expected = self.rows("points.csv")
        self.assertEqual({name: row["state"] for name, row in expected.items()},
                         {"hut": "reached", "quiet": "not reached", "away": "outside", "feature 4": "reached"})
        for name, text in tables.items():
            with open(self.path(name), "w", encoding="utf-8", newline="") as f:
                f.write(text)
            out = name.split(".")[0] + "-rows.csv"
            self.sciara("exposure", "run", "--assets", name, "-o", out, *(["--names", "code"] if name == "tabs.tsv" else []))
            for place, row in self.rows(out).items():
                found, right = dict(row), dict(expected[place])
                for axis in "xy":
                    self.assertAlmostEqual(float(found.pop(axis)), float(right.pop(axis)), places=3)
                self.assertEqual(found, right, name)
        self.assertIn('1 of 4 places is not on the map, outside the DEM: "away"',
                      self.sciara("export", "run", "-f", "png", "--assets", "degrees.csv", "-o", "table.png").stderr)
        self.assertIn("4 places: 2 reached in both", self.sciara("compare", "run", "run", "--assets", "metres.csv").stdout)
        case.write_json(self.path("t.json"), {"base": "s.json", "sample": {"method": "full"}, "vary": [{"key": "run.max_steps", "values": [90, 100]}],
                                              "result": {"thickness_m": [0], "sites": [{"file": "degrees.csv"}]}})
        self.sciara("ensemble", "run", "t.json", "-o", "t", "-q", "--no-estimate")
        self.assertIn("hut (1 cell)\n", self.sciara("ensemble", "query", "t", "--at", "hut").stdout)
        self.assertIn("away: lies outside the DEM", self.sciara("ensemble", "query", "t", "--zone", "metres.csv", "--at", "away").stdout)
        self.assertIn('expected the name of a row, found "mill"', self.sciara("ensemble", "query", "t", "--zone", "metres.csv", "--at", "mill", code=3).stderr)

    def test_resumed_and_other_rules(self):
        """A run that goes on from a checkpoint, and one by the other rule, whose numbers are those of its own fields."""
        case.write_scenario(self.work, "bingham.json", model=case.SHEET, run={"max_time": "20 min"})
        self.sciara("run", "s.json", "-q", "-o", "part", "--steps", "200", "--checkpoint-every", "1 d")
        self.sciara("resume", "part", "-q", "--steps", "400", "-o", "whole")
        self.sciara("run", "bingham.json", "-q", "-o", "sheet")
        for folder in ("run", "whole", "sheet"):
            self.sciara("exposure", folder, "--assets", "places.gpkg", "-q", "-o", f"{folder}.csv", "--within", "10 min")
        self.assertEqual(case.read_bytes(self.path("run.csv")), case.read_bytes(self.path("whole.csv")))
        snapshot = open_snapshot(self.path("sheet", case.record(self.path("sheet"))["snapshots"][-1]["name"]))
        arrival = snapshot.arrival_time.values[0]
        town = self.rows("sheet.csv")["town"]
        amounts = amounts_of(PLACES["town"])
        self.assertAlmostEqual(float(town["covered"]), amounts[arrival >= 0].sum(), places=4)
        self.assertAlmostEqual(float(town["covered_10min"]), amounts[(arrival >= 0) & (arrival <= 600)].sum(), places=4)

    def test_without_arrival_times(self):
        """A run that recorded only the lava at the end: what is covered is known, when is not."""
        case.write_scenario(self.work, "bare.json", run={"max_steps": 400}, output={"fields": ["thickness", "deposit"], "dtype": "float64"})
        self.sciara("run", "bare.json", "-q", "-o", "bare")
        done = self.sciara("exposure", "bare", "--assets", "places.gpkg")
        self.assertIn("holds no field \"arrival_time\"", done.stderr)
        for name, row in self.rows("bare/maps/exposure.csv").items():
            state, numbers = self.expected(PLACES[name])
            self.assertEqual((row["state"], row["arrival_s"]), (state, ""), name)
            self.assert_numbers(row, {"covered": numbers["covered"]})

    def test_sea(self):
        """What lies in the sea cannot be reached; of a road the part on land counts."""
        case.write_scenario(self.work, "sea.json", dem={"path": "dem.asc", "crs": "EPSG:32633", "sea": "nodata"}, run={"max_steps": 50})
        self.sciara("run", "sea.json", "-q", "-o", "coast")
        places = {"boat": PLACES["gap"], "coast": f"LINESTRING({points_of((5, 15), (205, 95))})"}
        write_places(self.path("coast.gpkg"), places=places)
        done = self.sciara("exposure", "coast", "--assets", "coast.gpkg", "-o", "coast.csv")
        self.assertIn("2 places: 1 reached, 0 not reached, 1 in the sea\n", done.stdout)
        rows = self.rows("coast.csv")
        self.assertEqual((rows["boat"]["state"], rows["boat"]["covered"], rows["boat"]["sea"]), ("sea", "", "504"))
        line = amounts_of(places["coast"])
        self.assert_numbers(rows["coast"], {"sea": line[~self.land].sum(), "land": line[self.land].sum(), "nodata": 0})

    def test_outside_the_window(self):
        """A place on the DEM beyond dem.window_margin_m is said to lie outside the window, in tables, on maps, pages and in ensembles."""
        row, col = case.VENT
        vent = {"x": WEST + (col + 0.5) * CELL, "y": NORTH - (row + 0.5) * CELL, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}}
        dem = {"path": "dem.asc", "crs": "EPSG:32633"}
        places = {name: PLACES[name] for name in ("hut", "quiet", "nothing")} | {"path": f"LINESTRING({points_of((300, 200), (380, 280))})"}
        write_places(self.path("four.gpkg"), places=places)
        north = f"[{WEST}, {NORTH - 150}, {WEST + COLS * CELL}, {NORTH}]"
        for name, key, outside in (("around", "window_margin_m=60", "the window of 60 m around the vents (dem.window_margin_m): lava is not computed there"),
                                   ("box", f"window_xy={north}", "the window of the DEM (dem.window_xy): lava is not computed there"),
                                   ("wide", "window_margin_m=1000", "the DEM")):
            case.write_scenario(self.work, "cut.json", dem=dem, vents=[vent], run={"max_steps": 100})
            self.sciara("run", "cut.json", "-q", "-o", name, "--set", f"dem.{key}", "--checkpoint-every", "1 min")
            self.sciara("resume", name, "-q", "-o", f"{name}-more", "--steps", "120")
            four = "four.gpkg"
            if name == "wide":
                four = write_places(self.path("away.gpkg"), places=places | {"quiet": PLACES["away"], "path": PLACES["away"]})
            for folder in (name, f"{name}-more"):
                said = self.sciara("exposure", folder, "--assets", four).stdout
                self.assertIn(f"4 places: 1 reached, 0 not reached, 2 outside {outside}, 1 without geometry\n", said)
                self.assertEqual({k: row["state"] for k, row in self.rows(f"{folder}/maps/exposure.csv").items()},
                                 {"hut": "reached", "quiet": "outside", "nothing": "empty", "path": "outside"})
            said = self.sciara("compare", name, f"{name}-more", "--assets", four).stdout
            self.assertIn(f"\na: 2 outside {outside}\nb: 2 outside {outside}\n", said)
            for kind in ("png", "html"):
                said = self.sciara("export", name, "-f", kind, "--assets", four, "-o", f"{name}.{kind}").stderr
                self.assertEqual(said.count("not on the map"), 1, said)
                self.assertIn(f'warning: 2 of 4 places are not on the map, outside {outside}: "quiet", "path"\n', said)
            data = json.loads(re.search(r'id="data">(.*?)</script>', case.read_text(self.path(f"{name}.html")), re.S)[1])
            self.assertEqual(data["outside"], "outside " + outside.replace(" (dem.window_margin_m)", "").replace(" (dem.window_xy)", ""))
        # cells beyond the window are read to resample its rim: here all of the DEM
        self.sciara("run", "cut.json", "-q", "-o", "warped", "--steps", 5, "--set", "dem.window_margin_m=180", "--set", "dem.cell_size_m=5")
        said = self.sciara("exposure", "warped", "--assets", "four.gpkg").stdout
        self.assertIn(", 1 outside the window of 180 m around the vents (dem.window_margin_m): lava is not computed there, ", said)
        gdal.Warp(self.path("degrees.tif"), self.path("dem.asc"), srcSRS="EPSG:32633", dstSRS="EPSG:4326", dstNodata=case.NODATA).FlushCache()
        self.sciara("run", "cut.json", "-q", "-o", "geographic", "--steps", 5, "--set", "dem.path=degrees.tif", "--set", "dem.cell_size_m=10",
                    "--set", "dem.window_margin_m=60")
        write_places(self.path("both.gpkg"), places={name: PLACES[name] for name in ("hut", "quiet", "away")})
        said = self.sciara("exposure", "geographic", "--assets", "both.gpkg").stdout
        self.assertIn('\noutside the window of 60 m around the vents (dem.window_margin_m): lava is not computed there: "quiet"\n'
                      'outside the DEM: "away"\n', said)
        said = self.sciara("export", "run", "-f", "png", "--assets", "places.gpkg", "--extent", f"{WEST + 150},{NORTH - 120},{WEST + 260},{NORTH - 80}",
                           "-o", "part.png").stderr
        self.assertIn('1 of 10 places is not on the map, outside the DEM: "away"\n', said)
        self.assertIn('2 of 10 places are not on the map, beyond what it shows (--extent dem shows all): "quiet", "gap"\n', said)

    def test_outside_the_window_of_an_ensemble(self):
        """Its sites of a file are left out by name; other places are refused, or cannot be reached, for that reason."""
        row, col = case.VENT
        vent = {"x": WEST + (col + 0.5) * CELL, "y": NORTH - (row + 0.5) * CELL, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}}
        case.write_scenario(self.work, "cut.json", dem={"path": "dem.asc", "crs": "EPSG:32633", "window_margin_m": 60}, vents=[vent], run={"max_steps": 100})
        few = {name: PLACES[name] for name in ("hut", "quiet", "away", "nothing")} | {"pole": "POINT(500000 9000000000)"}
        write_places(self.path("few.gpkg"), places=few)
        plan = {"base": "cut.json", "sample": {"method": "full"}, "vary": [{"key": "run.max_steps", "values": [90, 100]}]}
        outside = "lies outside the window of 60 m around the vents (dem.window_margin_m): lava is not computed there"
        case.write_json(self.path("one.json"), plan | {"result": {"thickness_m": [0], "sites": [{"name": "hut", "x": WEST + 15, "y": NORTH - 285}]}})
        self.assertIn(f'one.json: result.sites[0]: site "hut" {outside}: expected a place in the window (x from 500140.000 to 500270.000',
                      self.sciara("ensemble", "check", "one.json", code=3).stderr)
        case.write_json(self.path("e.json"), plan | {"result": {"thickness_m": [0], "sites": [{"file": "few.gpkg"}]}})
        said = self.sciara("ensemble", "plan", "e.json", "-o", "e").stderr
        self.assertIn(f'few.gpkg: 1 of its 5 places is left out, {outside[5:]}: "quiet"\n', said)
        self.assertIn('few.gpkg: 1 of its 5 places is left out, without geometry: "nothing"\n', said)
        self.assertIn('few.gpkg: 2 of its 5 places are left out, outside the DEM: "away", "pole"\n', said)
        self.sciara("ensemble", "run", "e", "-q")
        self.sciara("ensemble", "reduce", "e", "-q")
        gone = {"quiet": ("outside", outside), "away": ("outside", "lies outside the DEM"), "pole": ("outside", "lies outside the DEM"),
                "nothing": ("empty", "has no geometry, or no length or area")}
        rows = {row["site"]: row for row in csv.DictReader(open(self.path("e/sites.csv"), encoding="utf-8", newline=""))}
        self.assertEqual({name: row["state"] for name, row in rows.items() if row["kind"] != "map"},
                         {"hut": "land"} | {name: state for name, (state, _) in gone.items()})
        for name, (_, reason) in gone.items():
            self.assertEqual((rows[name]["cells"], rows[name]["probability_0m"]), ("0", ""))
            self.assertEqual(self.sciara("ensemble", "query", "e", "--at", name).stdout, f"{name}: {reason}: no member can reach it\n")
        said = self.sciara("exposure", "e", "--assets", "few.gpkg").stdout
        self.assertIn(f"1 of 5 places are reached by at least one member, 1 {outside[5:]}, 2 outside the DEM, 1 without geometry\n", said)
        self.assertIn(f'\n{outside[5:]}: "quiet"\noutside the DEM: "away", "pole"\nwithout geometry: "nothing"\n', said)
        said = self.sciara("ensemble", "query", "e", "--at", "hut").stdout  # the plan has neither vents nor classes of its own
        self.assertIn("hut (1 cell)\n  lava arrives", said)
        self.assertNotIn("members, hits, weight", said)
        many = {f"mill {k}": f"POINT({at(15, 285 - k / 10)})" for k in range(23)}
        write_places(self.path("many.gpkg"), places={"hut": PLACES["hut"], **many})
        said = self.sciara("exposure", "run", "--assets", "many.gpkg", "--overwrite").stdout
        self.assertIn("\nnot reached: " + ", ".join(f'"mill {k}"' for k in range(20)) + " and 3 more\n", said)
        self.assertIn(f'"{WEST + 15},{NORTH - 285}" {outside}: expected a place in the window',
                      self.sciara("ensemble", "query", "e", "--at", f"{WEST + 15},{NORTH - 285}", code=3).stderr)
        self.assertIn(f"quiet: {outside}: no member can reach it\n", self.sciara("ensemble", "query", "e", "--zone", "few.gpkg").stdout)
        self.assertIn(f"quiet: {outside}: no member can reach it\n", self.sciara("compare", "e", "e", "--assets", "few.gpkg").stdout)

    def test_names(self):
        """Columns called otherwise, names that occur again, features without a name or without columns."""
        places = {"a": PLACES["hut"], "b": PLACES["road"]}
        for column, options, said, names in (
                ("Nome", [], "names are those of the column \"Nome\"", ["a", "b"]), ("code", ["--names", "code"], "", ["a", "b"]),
                ("code", [], "has no column of names (columns: \"height\", \"code\")", ["feature 1", "feature 2"]),
                (None, [], "has no column of names", ["feature 1", "feature 2"])):
            write_places(self.path("n.gpkg"), places=places, column=column)
            done = self.sciara("exposure", "run", "--assets", "n.gpkg", *options, "-o", "n.csv", "--overwrite")
            self.assertIn(said, done.stderr)
            self.assertEqual(list(self.rows("n.csv")), names)
            os.unlink(self.path("n.gpkg"))
        twice = {"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"name": name}, "geometry": {"type": "Point", "coordinates": [15, 37.7]}}
            for name in ("x", "x, \"y\"\n", "x", None, "x")]}
        case.write_json(self.path("twice.geojson"), twice)
        done = self.sciara("exposure", "run", "--assets", "twice.geojson", "-o", "twice.csv")
        self.assert_parts(done.stderr, "2 names occur again", "1 of 5 features have no name")
        self.assertEqual(list(self.rows("twice.csv")), ["x", "x, \"y\"\n", "x (2)", "feature 4", "x (3)"])

    def pixels(self, name):
        return gdal.Open(self.path(name)).ReadAsArray().astype(int)[:3]

    def test_encodings(self):
        """Names of a shapefile that does not say how they are encoded: UTF-8, or else Latin-1 with a message, whose cure works; and of a
        long name whole characters, in tables, JSON and messages."""
        for name, encoding, text in (("latin1", "latin-1", "Þorlákshöfn"), ("utf8", "utf-8", "Grindavík"), ("cp1251", "cp1251", "Никольское")):
            write_places(self.path(name + ".shp"), "ESRI Shapefile", places={"?" * 24: f"POINT({at(205, 95)})"})
            if os.path.exists(self.path(name + ".cpg")):
                os.remove(self.path(name + ".cpg"))
            with open(self.path(name + ".dbf"), "r+b") as f:
                data = bytearray(f.read())
                data[29] = 0  # the encoding is not said
                at_name = data.index(b"?" * 24)
                data[at_name:at_name + 24] = text.encode(encoding).ljust(24)
                f.seek(0)
                f.write(data)
            done = self.sciara("exposure", "run", "--assets", name + ".shp", "-o", name + ".csv")
            found = next(iter(self.rows(name + ".csv")))
            self.assertEqual(found, text if encoding == "utf-8" else text.encode(encoding).decode("latin-1"))
            self.assertEqual(f"{name}.shp: is not in UTF-8: it is read as Latin-1" in done.stderr, encoding != "utf-8")
            if encoding == "cp1251":
                cpg, word = re.search(r"a file (\S+) with a word such as (\S+) would", done.stderr).groups()
                case.write_text(self.path(cpg), word)
                said = self.sciara("exposure", "run", "--assets", name + ".shp", "-o", name + "2.csv").stderr
                self.assertEqual(next(iter(self.rows(name + "2.csv"))), text)
                self.assertNotIn("Latin-1", said)
        long = "Ab " + "школа имени академика Павлова и ещё одного академика"
        write_places(self.path("long.gpkg"), places={long: f"POINT({at(4000, 95)})", "hut": PLACES["hut"]})
        shown = re.search(r'outside the DEM: "(.*)"', self.sciara("exposure", "run", "--assets", "long.gpkg", "-o", "l.csv").stdout)[1]
        self.assertTrue(shown.endswith("…") and long.startswith(shown[:-1]) and 58 <= len(shown[:-1].encode()) <= 60, shown)
        self.assertIn(long, self.rows("l.csv"))

    def test_pictures(self):
        """Places are drawn, with names where there is room; the extent is metres, degrees or one of the places."""
        places = {name: PLACES[name] for name in ("hut", "road", "town", "quiet")}
        write_places(self.path("few.gpkg"), places=places)
        write_places(self.path("mute.gpkg"), places={" " * k: wkt for k, wkt in enumerate(places.values(), 1)})
        base = ["export", "run", "-f", "png", "--width", "800", "-q", "--extent", "dem"]
        self.sciara(*base, "-o", "plain.png")
        self.sciara(*base, "-o", "named.png", "--assets", "few.gpkg")
        self.sciara(*base, "-o", "mute.png", "--assets", "mute.gpkg")
        plain, named, mute = (self.pixels(f"{name}.png") for name in ("plain", "named", "mute"))
        blue = [(abs(found - numpy.array([11, 87, 208])[:, None, None]).max(0) < 40).sum() for found in (plain, mute)]
        self.assertGreater(blue[1], blue[0] + 300)
        self.assertGreater((named != mute).any(0).sum(), 100)
        sides = [f"{WEST + 100}", f"{NORTH - 200}", f"{WEST + 300}", f"{NORTH - 50}"]
        to = osr.CoordinateTransformation(srs_of(32633), srs_of(4326))
        (west, south, _), (east, north, _) = (to.TransformPoint(float(sides[k]), float(sides[k + 1])) for k in (0, 2))
        self.sciara("export", "run", "-f", "png", "-q", "-o", "metres.png", "--extent", ",".join(sides))
        self.sciara("export", "run", "-f", "png", "-q", "-o", "degrees.png", "--extent", f"{north}N,{east}E,{west}E,{south}N")
        self.sciara("export", "run", "-f", "png", "-q", "-o", "place.png", "--extent", "town", "--assets", "few.gpkg")
        sizes = [subprocess.run(["gdalinfo", self.path(f"{name}.png")], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
                 for name in ("metres", "degrees", "place")]
        (a, b), (c, d) = ([int(side) for side in re.search(r"Size is (\d+), (\d+)", text).groups()] for text in sizes[:2])
        self.assertTrue(abs(a / c - 1) < 0.05 and abs(b / d - 1) < 0.05, "the box in degrees is turned: a cell more")
        for code, said, *words in ((2, "or the name of a place on the map (--assets FILE of a run, a site of an ensemble); found \"town\"", "--extent", "town"),
                                   (3, "longitude and latitude of a place on it: write 14.9E", "--extent", f"{west},{south},{east},{north}"),
                                   (2, "--assets-layer: allowed only with --assets", "--assets-layer", "x")):
            self.assertIn(said, self.sciara("export", "run", "-f", "png", "-q", "-o", "none.png", *words, code=code).stderr)

    def test_refused(self):
        collection = {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry": {
            "type": "GeometryCollection", "geometries": [{"type": "Point", "coordinates": [15, 37.7]}, {"type": "LineString", "coordinates": [[15, 37], [15, 38]]}]}}]}
        case.write_json(self.path("mixed.geojson"), collection)
        swapped = {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [37.741, 15.002]}}]}
        case.write_json(self.path("swapped.geojson"), swapped)
        write_places(self.path("bare.shp"), "ESRI Shapefile", None, {"a": "POINT(15.002 37.74)"})
        tables = {"text.csv": "x,note\n1,2\n", "bad.csv": "name,lon,lat\na,15,north\n", "none.csv": "name,x,y\n",
                  "as-metres.csv": "name,x,y\na,15.0023,37.7415\n", "exchanged.csv": "name,lon,lat\na,37.7415,15.0023\n", "track.gpx": GPX}
        for name, text in tables.items():
            case.write_text(self.path(name), text)
        write_places(self.path("empty.gpkg"), places={"a": None, "b": None})
        for code, said, *words in (
                (2, "--assets FILE is missing",), (3, "expected points, lines or polygons, found several of them", "--assets", "mixed.geojson"),
                (3, "has latitude before longitude", "--assets", "swapped.geojson"),
                (3, "names no CRS, and its coordinates .* look like degrees .* ogr2ogr -a_srs EPSG:4326", "--assets", "bare.shp"),
                (3, "is not among those allowed", "--assets", "track.gpx"),
                (3, 'text.csv:1: expected the columns x and y, in the CRS of the DEM, or lon and lat, found "x", "note"', "--assets", "text.csv"),
                (3, 'bad.csv:2: lat: expected a coordinate in degrees, found "north"', "--assets", "bad.csv"),
                (3, "exchanged.csv:2: .*the other way round it lies there", "--assets", "exchanged.csv"),
                (3, "as-metres.csv:2: expected metres in the CRS of the DEM, found 15.0023, 37.7415, .*: call the columns lon and lat", "--assets", "as-metres.csv"),
                (3, "empty.gpkg: expected features with a geometry, found none in its 2 features", "--assets", "empty.gpkg"), (4, "cannot be opened|No such file|does not exist", "--assets", "none.gpkg"),
                (2, "expected the column of names \"code\" among its columns, found \"height\", \"name\"", "--assets", "places.gpkg", "--names", "code"),
                (2, "--within: expected a time above 0", "--assets", "places.gpkg", "--within", "6 h,0"),
                (2, "a name in .csv or .gpkg", "--assets", "places.gpkg", "-o", "x.txt")):
            done = self.sciara("exposure", "run", *([] if "-o" in words else ["-o", "new.csv"]), *words, code=code)
            self.assertRegex(done.stderr, said)
        os.mkfifo(self.path("pipe.gpkg"))
        os.symlink("places.gpkg", self.path("link.gpkg"))
        case.write_text(self.path("other.vrt"), f"<OGRVRTDataSource><OGRVRTLayer name='a'><SrcDataSource>{self.path('places.gpkg')}</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>")
        case.write_text(self.path("shapes.zip"), "PK\3\4")
        for said, name in (("is a named pipe, expected a file", "pipe.gpkg"), ("is not among those allowed|is no vector file", "other.vrt"),
                           (r"\): it is a ZIP archive; unpack it", "shapes.zip"),
                           ("No such file", "/vsicurl/http://127.0.0.1/a.gpkg"), ("No such file", "WFS:http://127.0.0.1/")):
            done = self.sciara("exposure", "run", "--assets", name, "-o", "new.csv", code=4 if said == "No such file" else 3)
            self.assertRegex(done.stderr, said)
        self.sciara("exposure", "run", "--assets", "link.gpkg", "-o", "linked.csv", "-q")
        self.sciara("exposure", "run", "--assets", "places.gpkg", "-o", "kept.csv", "-q")
        self.assertIn("kept.csv", self.sciara("exposure", "run", "--assets", "places.gpkg", "-o", "kept.csv", code=3).stderr)

    def test_the_command_that_cures_it(self):
        """What the message about a missing CRS prints makes a file that is read; so does the option that a message about a format names, and
        a table of points is read without the one with which it has no geometry."""
        case.write_text(self.path("cure.gpx"), GPX)
        cure = re.search(r"(--allow-driver \w+) would allow it", self.sciara("exposure", "run", "--assets", "cure.gpx", "-o", "cure.csv", code=3).stderr)[1]
        done = self.sciara("exposure", "run", "--assets", "cure.gpx", "--layer", "waypoints", "-o", "cure.csv", *cure.split())
        self.assertIn("1 place: 1 reached", done.stdout)
        case.write_text(self.path("huts.csv"), "name,lon,lat\nhut,15.00233,37.74150\n")
        said = self.sciara("exposure", "run", "--assets", "huts.csv", "--allow-driver", "CSV", "-o", "huts-rows.csv", code=3).stderr
        self.assertIn("found none in its 1 feature (a table .csv with the columns x and y, or lon and lat, is read without --allow-driver)", said)
        self.assertIn("1 place: 1 reached", self.sciara("exposure", "run", "--assets", "huts.csv", "-o", "huts-rows.csv").stdout)
        write_places(self.path("nameless.shp"), "ESRI Shapefile", None, {"a": "POINT(15.002 37.74)"})
        said = self.sciara("exposure", "run", "--assets", "nameless.shp", "-o", "new.csv", code=3).stderr
        self.assertIn("ogr2ogr", said)
        subprocess.run(re.search(r"ogr2ogr .*", said).group(), shell=True, check=True, cwd=self.work)
        self.sciara("exposure", "run", "--assets", "nameless-placed.gpkg", "-o", "cured.csv", "-q")
        self.assertEqual(len(self.rows("cured.csv")), 1)
