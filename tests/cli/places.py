# SPDX-License-Identifier: Apache-2.0
"""Places in degrees, and places of vector files, wherever coordinates are given: sites, query --at, grids, lines and tables of
vents, rates, edits of the ground; sciara exposure of an ensemble, whose numbers are those of sites.csv."""
import functools
import json
import os
import re
import shutil
import subprocess

import case
from case import NORTH, WEST, SharedCase

BUILD = os.environ["SCIARA_BUILD_DIR"]
ROAD = [[WEST + 61.3, NORTH - 82.7], [WEST + 222.1, NORTH - 123.9], [WEST + 391.7, NORTH - 251.2]]
TOWN = [[WEST + 195, NORTH - 85], [WEST + 290, NORTH - 95], [WEST + 240, NORTH - 195]]
HOLED = [[[WEST + 100, NORTH - 60], [WEST + 300, NORTH - 60], [WEST + 300, NORTH - 250], [WEST + 100, NORTH - 250]],
         [[WEST + 180, NORTH - 80], [WEST + 180, NORTH - 180], [WEST + 260, NORTH - 180], [WEST + 260, NORTH - 80]]]
HUT = [WEST + 205, NORTH - 95]


def lonlat(points):
    """The points in degrees, by PROJ."""
    return [list(point) for point in degrees_of(tuple(map(tuple, points)))]


@functools.cache
def degrees_of(points):
    lines = "".join(f"{x} {y}\n" for x, y in points)
    done = subprocess.run(["gdaltransform", "-s_srs", "EPSG:32633", "-t_srs", "EPSG:4326", "-output_xy"], input=lines,
                          stdout=subprocess.PIPE, check=True, encoding="ascii")
    return [[float(value) for value in line.split()] for line in done.stdout.splitlines()]


def collection(features):
    """GeoJSON in degrees of {name: (type, coordinates in the CRS of the DEM)}; a polygon is a list of rings."""
    def degrees(kind, at):
        if kind == "Polygon":
            return [lonlat(ring + ring[:1]) for ring in at]
        return lonlat([at])[0] if kind == "Point" else lonlat(at)
    return {"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"name": name}, "geometry": {"type": kind, "coordinates": degrees(kind, at)}}
        for name, (kind, at) in features.items()]}


FEATURES = {"hut": ("Point", HUT), "road": ("LineString", ROAD), "town": ("Polygon", [TOWN]), "park": ("Polygon", HOLED),
            "far": ("Point", [WEST + 9000, NORTH])}


class Places(SharedCase):
    @classmethod
    def prepare(cls):
        case.write_scenario(cls.work, "base.json")
        case.write_json(os.path.join(cls.work, "places.geojson"), collection(FEATURES))
        cls.write_plan("e.json", result={"sites": [{"file": "places.geojson"}], "quantiles": [0.5], "thickness_m": [0, 0.5]})
        cls.said = case.run_program("ensemble", "plan", "e.json", "-o", "e", "--no-estimate", cwd=cls.work).stderr
        subprocess.run([os.path.join(BUILD, "sciara_ensemble_synthetic"), os.path.join(cls.work, "e"), "120"], check=True,
                       stdout=subprocess.DEVNULL)
        case.run_program("ensemble", "reduce", "e", "--no-pictures", cwd=cls.work)

    @classmethod
    def write_plan(cls, name, **parts):
        plan = {"base": "base.json", "vents": {"grid": {"extent": [WEST + 150, NORTH - 150, WEST + 250, NORTH - 50], "step_m": 50}},
                "sample": {"method": "random", "count": 20, "seed": 3}, "vary": [{"key": "rate_scale", "uniform": [0.5, 2]}]}
        plan.update(parts)
        case.write_json(os.path.join(cls.work, name), plan)

    def plan(self, name, code=0, **parts):
        self.write_plan(f"{name}.json", **parts)
        return self.sciara("ensemble", "plan", f"{name}.json", "-o", name, "--no-estimate", code=code)

    def sites(self, name):
        return case.read_json(self.path(name), "ensemble.json")["result"]["sites"]

    def vents(self, name):
        return case.read_json(self.path(name), "ensemble.json")["vents"]

    def assert_close(self, found, expected, delta=0.01):
        self.assertEqual(len(found), len(expected), (found, expected))
        for a, b in zip(found, expected):
            self.assertAlmostEqual(a[0], b[0], delta=delta)
            self.assertAlmostEqual(a[1], b[1], delta=delta)

    def test_sites_of_a_file(self):
        """They are in the folder, in the CRS of the DEM, so that the file may go; what is not on the DEM is left out."""
        self.assertIn('places.geojson: 1 of its 5 places is left out, outside the DEM: "far"\n', self.said)
        sites = {site["name"]: site for site in self.sites("e")}
        self.assertEqual(list(sites), ["hut", "road", "town", "park"])
        self.assert_close([[sites["hut"]["x"], sites["hut"]["y"]]], [HUT])
        self.assert_close(sites["road"]["line"], ROAD)
        self.assertEqual(sites["park"]["ends"], [5, 10])
        rows = {row["site"]: row for row in self.table("e/sites.csv")}
        self.assertEqual([rows[name]["kind"] for name in sites], ["point", "line", "zone", "zone"])
        self.assertTrue(all(rows[name]["probability_0m"] for name in sites))
        self.assertGreater(int(rows["park"]["cells"]), 100)

    def test_the_same_sites_by_hand(self):
        """A site at lon and lat, and coordinates in degrees, give the numbers of the file, whatever the way."""
        at = lonlat([HUT])[0]
        self.plan("hand", result={"quantiles": [0.5], "thickness_m": [0, 0.5], "sites": [
            {"name": "hut", "lon": at[0], "lat": at[1]}, {"name": "road", "line": lonlat(ROAD), "lonlat": True},
            {"name": "town", "polygon": TOWN}, {"file": "places.geojson", "place": "park"}]})
        for name in ("batches",):
            shutil.rmtree(self.path("hand", name), ignore_errors=True)
            shutil.copytree(self.path("e", name), self.path("hand", name))
        self.sciara("ensemble", "reduce", "hand", "--no-pictures")
        a, b = ({row["site"]: row for row in self.table(f"{name}/sites.csv")} for name in ("e", "hand"))
        for name in ("hut", "road", "town", "park"):
            for column, value in a[name].items():
                same = value == b[name][column] or abs(float(value) - float(b[name][column])) < 1e-4 * max(1, abs(float(value)))
                self.assertTrue(same, (name, column, value, b[name][column]))

    def test_exposure(self):
        """The table of an ensemble has the numbers of its sites, and the states of places that no lava can reach."""
        done = self.sciara("exposure", "e", "--assets", "places.geojson")
        self.assertIn("\n4 of 5 places are reached by at least one member, 1 outside the DEM\n", done.stdout)
        self.assertTrue(done.stdout.endswith("\ne/exposure.csv\ne/exposure.gpkg\n"), done.stdout)
        rows, sites = ({row[key]: row for row in self.table(path)} for path, key in (("e/exposure.csv", "place"), ("e/sites.csv", "site")))
        self.assertEqual(list(rows), list(FEATURES))
        for name in ("hut", "road", "town", "park"):
            for column, value in sites[name].items():
                if column not in ("site", "x", "y"):
                    self.assertEqual(rows[name][column], value, (name, column))
        printed = re.findall(r"(?m)^(\d+\.\d\d) %.*, 95 %: (\d+\.\d\d) to (\d+\.\d\d) % +(\w+) +(\w+)$", done.stdout)
        columns = [f"probability_0m{part}" for part in ("", "_interval_95_low", "_interval_95_high")]
        by_chance = sorted(("hut", "road", "town", "park"), key=lambda name: -float(sites[name][columns[0]]))
        self.assertEqual(printed, [(*(f"{100 * float(sites[name][column]):.2f}" for column in columns), name, sites[name]["kind"])
                                   for name in by_chance])
        self.assertNotIn("that no member reaches", done.stdout, "no lava can reach the other one")
        case.write_json(self.path("all.geojson"), collection({f"p{row} {col}": ("Point", [WEST + 10 * col + 5, NORTH - 10 * row - 5])
                                                              for row in range(0, case.ROWS, 4) for col in range(0, case.COLS, 4)}))
        said = self.sciara("exposure", "e", "--assets", "all.geojson", "-o", "all.csv").stdout
        missed = [row for row in self.table("all.csv") if row["probability_0m"] and float(row["probability_0m_hits"]) == 0]
        self.assertGreater(len(missed), 3)
        most = max(float(row["probability_0m_high"]) for row in missed)
        self.assertIn(f"\n{len(missed)} places that no member reaches, 95 % bound {100 * float(missed[0]['upper_95_without_hits']):.2f} %"
                      + (f", with open and censored members up to {100 * most:.2f} %\n" if most > 0 else "\n"), said)
        self.assertEqual((rows["far"]["state"], rows["far"]["probability_0m"], rows["far"]["cells"]), ("outside", "", "0"))
        info = self.tool("ogrinfo", "-q", self.path("e/exposure.gpkg"), "-sql", "SELECT name, state, probability_0m FROM zones").stdout
        for name in ("town", "park"):
            self.assertRegex(info, rf"name \(String\) = {name}\n +state \(String\) = land\n +probability_0m \(Real\) = {float(rows[name]['probability_0m']):.9g}")
        self.assertIn("--within: allowed with a run only", self.sciara("exposure", "e", "--assets", "places.geojson", "--within", "1 h", code=2).stderr)

    def test_columns_of_names(self):
        """Each column that the help names gives the names, before those that follow it; no other one does."""
        listed = re.search(r"the first called (.*?)\)", self.sciara("exposure", "--help").stdout, re.S)[1]
        columns = re.findall(r"\w+", listed.replace(" or ", " "))
        self.assertEqual(columns[0], "name")
        for text in (self.sciara(*words, "--help").stdout for words in (["compare"], ["ensemble", "query"])):
            self.assertIn(", ".join(columns[:-1]) + f" or {columns[-1]}", " ".join(text.split()))
        for k, column in enumerate([*columns, "road"]):
            features = collection({"x": ("Point", HUT)})
            features["features"][0]["properties"] = {other: f"by {other}" for other in reversed(columns[k:] or [column])}
            case.write_json(self.path("named.geojson"), features)
            self.sciara("exposure", "e", "--assets", "named.geojson", "-o", "named.csv", "--overwrite")
            self.assertEqual(self.table("named.csv")[0]["place"] == f"by {column}", column in columns, column)

    def test_query_at(self):
        """Metres, degrees in either order, the name of a site, the name of a place of a file: the same answer, and one line on the DEM."""
        lon, lat = lonlat([HUT])[0]
        answers = set()
        for words in (["--at", f"{HUT[0]},{HUT[1]}"], ["--at", f"{lon}E,{lat}N"], ["--at", f"{lat:.8f}N, {lon:.8f}E"], ["--at", "hut"],
                      ["--at", "hut", "--zone", "places.geojson"]):
            done = self.sciara("ensemble", "query", "e", *words)
            answers.add(re.sub(r"(?m)^.+ \(1 cell\)$", "", done.stdout))
            self.assertEqual(done.stderr.count("e/dem.tif: "), 1, done.stderr)
        self.assertEqual(len(answers), 1, answers)
        names = ("San-Giovanni la Punta", "-hut", "1-2,3-4")
        case.write_json(self.path("hyphens.geojson"), collection({name: ("Point", HUT) for name in names}))
        for name in names:
            found = self.sciara("ensemble", "query", "e", f"--at={name}", "--zone", "hyphens.geojson").stdout
            self.assertIn(name, found)
            self.assertIn(re.sub(r"(?m)^.+ \(1 cell\)$", "", found), answers)
        for code, said, *words in (
                (3, "are longitude and latitude of a place on it: write", "--at", f"{lon},{lat}"),
                (3, "are latitude and longitude of a place on it", "--at", f"{lat},{lon}"),
                (3, "the other way round it lies there: longitude comes first", "--at", f"{lon}N,{lat}E"),
                (3, "expected longitude and latitude on the DEM", "--at", f"{lon + 1}E,{lat}N"),
                (2, "or the name of a site (\"hut\", \"road\", \"town\", \"park\"); found \"hat\"", "--at", "hat"),
                (2, "or the name of a site", "--at", f"{lon}E,{lat}E"), (2, "or the name of a site", "--at", f"{lon}E,{lat}"),
                (3, "did you mean \"hut\"?", "--at", "hat", "--zone", "places.geojson"),
                (2, "expected the name of a place of places.geojson", "--at", "1,2", "--zone", "places.geojson")):
            self.assertIn(said, self.sciara("ensemble", "query", "e", *words, code=code).stderr)

    def test_vents(self):
        """Tables, grids and lines in degrees, or of a file, have the vents of those in metres."""
        places = [[WEST + 155.5, NORTH - 104.25], [WEST + 244, NORTH - 97]]
        case.write_text(self.path("m.csv"), "name,x,y\n" + "".join(f"v{k},{x},{y}\n" for k, (x, y) in enumerate(places)))
        case.write_text(self.path("d.csv"), "Longitude;Latitude;name\n" + "".join(f"{x:.9f};{y:.9f};v{k}\n" for k, (x, y) in enumerate(lonlat(places))))
        (west, south), (east, north) = lonlat([[WEST + 150, NORTH - 150], [WEST + 250, NORTH - 50]])
        for name, metres, degrees in (
                ("table", {"table": "m.csv"}, {"table": "d.csv"}),
                ("polygon", {"grid": {"polygon": TOWN, "step_m": 20}}, {"grid": {"polygon": lonlat(TOWN), "lonlat": True, "step_m": 20}}),
                ("place", {"grid": {"polygon": TOWN, "step_m": 20}}, {"grid": {"file": "places.geojson", "place": "town", "step_m": 20}}),
                ("line", {"line": {"coordinates": ROAD, "every_m": 30}}, {"line": {"file": "places.geojson", "place": "road", "every_m": 30}}),
                ("way", {"line": {"coordinates": ROAD, "every_m": 30}}, {"line": {"coordinates": lonlat(ROAD), "lonlat": True, "every_m": 30}})):
            self.plan(f"{name}-m", vents=metres)
            self.plan(f"{name}-d", vents=degrees)
            a, b = self.vents(f"{name}-m"), self.vents(f"{name}-d")
            self.assertEqual([v["name"] for v in a], [v["name"] for v in b])
            self.assert_close([v["points"][0] for v in b], [v["points"][0] for v in a])
        self.plan("box", vents={"grid": {"extent": [west, south, east, north], "lonlat": True, "step_m": 50}})
        self.assertLess(abs(self.vents("box")[0]["points"][0][0] - (WEST + 175)), 1)
        for said, vents in (("d.csv:3: expected longitude and latitude on the DEM", {"table": "d.csv"}),
                            ("longitude comes first", {"grid": {"polygon": [at[::-1] for at in lonlat(TOWN)], "lonlat": True, "step_m": 20}}),
                            ("place \"park\": expected a zone of one part, found a zone of 2", {"grid": {"file": "places.geojson", "place": "park", "step_m": 20}}),
                            ("did you mean \"town\"?", {"grid": {"file": "places.geojson", "place": "twn", "step_m": 20}}),
                            ("expected the columns x and y, in the CRS of the DEM, or lon and lat", {"table": "n.csv"})):
            case.write_text(self.path("d.csv"), "lon,lat\n" + "\n".join(f"{x},{y}" for x, y in [lonlat(places)[0], [16, 37.7]]) + "\n")
            case.write_text(self.path("n.csv"), "lon,y\n1,2\n")
            self.assertIn(said, self.plan("bad", code=3, vents=vents).stderr)

    def test_vents_of_a_scenario(self):
        """Points and fissures in degrees, or by the name of a place of a file, are those in metres; what a run keeps needs no file."""
        rift = [[WEST + 155.5, NORTH - 84.25], [WEST + 203, NORTH - 101], [WEST + 244, NORTH - 97]]
        case.write_json(self.path("mouths.geojson"), collection({
            "hut": ("Point", HUT), "rift": ("LineString", rift), "town": ("Polygon", [TOWN]), "off": ("Point", [WEST + 9000, NORTH])}))
        effusion = {"effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}}
        in_metres = [{"name": "hut", "x": HUT[0], "y": HUT[1]} | effusion, {"name": "rift", "line": rift, "width_m": 25} | effusion]
        by_name = [{"file": "mouths.geojson", "place": "hut"} | effusion, {"file": "mouths.geojson", "place": "rift", "width_m": 25} | effusion]
        case.write_text(self.path("nameless.geojson"), case.read_text(self.path("mouths.geojson")).replace('"name": "', '"source": "'))
        by_number = [vent | {"file": "nameless.geojson", "place": f"feature {k + 1}"} for k, vent in enumerate(by_name)]
        in_degrees = [{"name": "hut", "lon": lonlat([HUT])[0][0], "lat": lonlat([HUT])[0][1]} | effusion,
                      {"name": "rift", "line": lonlat(rift), "lonlat": True, "width_m": 25} | effusion]
        for cut in ({}, {"window_margin_m": 120}):
            sums = {}
            for name, vents in (("metres", in_metres), ("degrees", in_degrees), ("numbers", by_number), ("names", by_name)):
                case.write_scenario(self.work, f"{name}.json", vents=vents, dem={"path": "dem.asc", "crs": "EPSG:32633"} | cut, run={"max_steps": 60},
                                    output={"fields": case.FIELDS, "every": "2 min", "checkpoint_every": "2 min"})
                self.run_scenario(name, "--overwrite", name=f"{name}.json")
                sums[name] = case.record(self.path(name))["snapshots"][-1]["checksum"]
            self.assertEqual(len(set(sums.values())), 1, sums)
        os.rename(self.path("mouths.geojson"), self.path("away.geojson"))
        kept = json.loads(case.open_snapshot(self.path("names", case.record(self.path("names"))["snapshots"][0]["name"])).attrs["scenario_json"])["vents"]
        self.assertEqual([sorted(v) for v in kept], [["effusion", "lat", "lon", "name"], ["effusion", "line", "name", "width_m"]])
        self.assert_close([[kept[0]["lon"], kept[0]["lat"]]], lonlat([HUT]), 1e-8)
        self.assert_close(kept[1]["line"], rift)
        self.sciara("resume", "names", "-q", "-o", "rest", "--steps", "80")
        self.run_scenario("whole", "--steps", "80", name="metres.json")
        self.assertEqual(case.record(self.path("rest"))["snapshots"][-1]["checksum"], case.record(self.path("whole"))["snapshots"][-1]["checksum"])
        self.sciara("export", "names", "-q", "-f", "geojson", "--layer", "fissures")
        self.assertIn("No such file", self.sciara("check", "names.json", code=4).stderr)
        os.rename(self.path("away.geojson"), self.path("mouths.geojson"))
        for name, base in (("own", "names"), ("own-m", "metres")):
            case.write_json(self.path(f"{name}.json"), {"base": f"{base}.json", "sample": {"method": "random", "count": 4, "seed": 3},
                                                        "vary": [{"key": "rate_scale", "uniform": [0.5, 2]}]})
            self.sciara("ensemble", "plan", f"{name}.json", "-o", name, "--no-estimate")
            self.sciara("ensemble", "member", name, "3", "-o", f"{name}3.json")
        a, b = (case.read_json(self.path(f"{name}3.json"))["vents"] for name in ("own", "own-m"))
        self.assertEqual(a[0]["effusion"], b[0]["effusion"])
        self.assert_close(a[1]["line"], b[1]["line"])
        case.write_features(self.path("twins.geojson"), *(({"name": "twin"}, "LineString", [[x, y], [x + 50, y]]) for x, y in rift))
        self.assertIn('place "twin": expected one feature of this name, found 3', self.plan("bad", code=3, vents={
            "line": {"file": "twins.geojson", "place": "twin", "every_m": 20}}).stderr)
        for said, vent in (("./twins.geojson: place \"twin\": expected one feature of this name, found 3", {"file": "twins.geojson", "place": "twin"}),
                           ("vents[0] (hat): ./mouths.geojson: expected the name of a feature, found \"hat\"; did you mean \"hut\"?", {"file": "mouths.geojson", "place": "hat"}),
                           ("vents[0] (town): ./mouths.geojson: place \"town\": expected a point or a line of one part, found a zone of 1 part", {"file": "mouths.geojson", "place": "town"}),
                           ("vents[0] (off): expected x from", {"file": "mouths.geojson", "place": "off"}),
                           ("vents[0].width_m: expected it only for a line", {"file": "mouths.geojson", "place": "hut", "width_m": 5}),
                           ("vents[0].radius_m: expected it only for a vent at a point", {"file": "mouths.geojson", "place": "rift", "radius_m": 5}),
                           ("vents[0].file: expected the key only together with \"place\"", {"file": "mouths.geojson"}),
                           ("vents[0].lonlat: expected the key only together with \"line\"", {"lon": 15, "lat": 37, "lonlat": True}),
                           ("longitude comes first", {"line": [at[::-1] for at in lonlat(rift)], "lonlat": True})):
            case.write_scenario(self.work, "bad.json", vents=[vent | effusion])
            self.assertIn(said, self.sciara("check", "bad.json", code=3).stderr)

    def test_bad_sites(self):
        lon, lat = lonlat([HUT])[0]
        for said, site in (("name: expected a text", {"x": 1, "y": 2}), ("longitude comes first", {"name": "s", "lon": lat, "lat": lon}),
                           ("expected a place on the DEM", {"name": "s", "line": [[0, 0], [9, 9]]}),
                           ("expected places on the DEM, found none", {"file": "places.geojson", "place": "far"}),
                           ("x together with file", {"file": "places.geojson", "x": 1, "y": 2}),
                           ("sites[0].ends: expected ascending whole numbers up to that of its points, 3", {"name": "s", "line": ROAD, "ends": [2, 4]}),
                           ("sites[0].ends: expected the number of its points, 3", {"name": "s", "line": ROAD, "ends": [2]})):
            self.assertIn(said, self.plan("bad", code=3, result={"sites": [site]}).stderr)

    def test_too_many_sites(self):
        many = {"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [15.002, 37.742]}}] * 10001}
        case.write_json(self.path("many.geojson"), many)
        self.assertIn("expected at most 10000 features, found more", self.plan("many", code=3, result={"sites": [{"file": "many.geojson"}]}).stderr)
        self.assertFalse(os.path.exists(self.path("many")))

    def test_rates_in_degrees(self):
        zones = [{"polygon": TOWN, "rate": 0.1}, {"polygon": lonlat(TOWN), "lonlat": True, "rate": 0.1},
                 {"file": "places.geojson", "place": "town", "rate": 0.1}]
        self.plan("zones", result={"years": [10], "eruptions_per_year": zones})
        for zone in case.read_json(self.path("zones"), "ensemble.json")["result"]["eruptions_per_year"]:
            self.assert_close(sorted(zone["polygon"]), sorted(TOWN))

    def test_edits(self):
        """A barrier in degrees, and one feature of a file, are the barrier in metres, cell by cell."""
        grounds = []
        barrier = {"width_m": 5, "height_m": 4}
        for name, edit in (("m", {"line": ROAD, **barrier}), ("d", {"line": lonlat(ROAD), "lonlat": True, **barrier}),
                           ("f", {"file": "places.geojson", "place": "road", **barrier})):
            case.write_scenario(self.work, f"{name}.json", dem={"path": "dem.asc", "crs": "EPSG:32633", "edits": [edit]})
            self.sciara("run", f"{name}.json", "-q", "--steps", "1", "-o", f"{name}.out")
            grounds.append(case.record(self.path(f"{name}.out"))["dem_hash"])
        self.assertEqual(len(set(grounds)), 1, grounds)
        for said, edit in (("\"lonlat\": true says that they are degrees", {"line": lonlat(ROAD), **barrier}),
                           ("longitude comes first", {"line": [at[::-1] for at in lonlat(ROAD)], "lonlat": True, **barrier}),
                           ("did you mean \"road\"?", {"file": "places.geojson", "place": "rod", **barrier})):
            case.write_scenario(self.work, "x.json", dem={"path": "dem.asc", "crs": "EPSG:32633", "edits": [edit]})
            self.assertIn(said, self.sciara("check", "x.json", "--no-estimate", code=3).stderr)

    def test_init(self):
        """A vent in degrees, with letters, is that of --vent-lonlat."""
        lon, lat = lonlat([HUT])[0]
        vents = []
        for name, words in (("a", ["--vent-lonlat", f"{lon},{lat}"]), ("b", ["--vent", f"{lat}N,{lon}E"])):
            self.sciara("init", "dem.asc", *words, "--rate", "5", "--duration", "1 d", "--set", "dem.crs=EPSG:32633", "-o", f"{name}.json", "-q")
            vents.append(case.read_json(self.path(f"{name}.json"))["vents"][0])
        self.assertEqual(vents[0], vents[1])
        for said, words in (("; the other way round it lies there: longitude comes first", ["--vent-lonlat", f"{lat},{lon}"]),
                            ("expected longitude and latitude on the DEM", ["--vent-lonlat", f"{lon + 1},{lat}"])):
            done = self.sciara("init", "dem.asc", *words, "--rate", "5", "--duration", "1 d", "--set", "dem.crs=EPSG:32633", "-o", "c.json", "-q", code=3)
            self.assertIn(said, done.stderr)
            self.assertEqual(said.startswith(";"), "other way" in done.stderr)
            self.assertFalse(os.path.exists(self.path("c.json")))
