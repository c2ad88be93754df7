# SPDX-License-Identifier: Apache-2.0
"""sciara calibrate: the position of a vent within a radius. A known vent is found, the disc is filled evenly, in every design and
however the scenario gives the place; what is written; bad input."""
import json
import math
import os
import shutil

import case
import geo
from calibration import CalibrationCase

import numpy

X, Y = case.WEST + 176.5, case.NORTH - 128.25  # where the scenarios have the vent; the truth has it in case.VENT
RADIUS = 60
POSITION = {"key": "vents.0.position", "radius_m": RADIUS}
COOLING = {"key": "model.cooling", "min": 50, "max": 250}
BUDGETS = {"cma-es": 60, "lhs": 60, "sobol": 64, "morris": 32, "saltelli": 160}


def to_degrees(x, y):
    """Longitude and latitude of a point of the DEM, by PROJ."""
    return geo.transformation(32633, 4326).TransformPoint(x, y)[:2]


LON, LAT = to_degrees(X, Y)
PLACES = {"xy": {"x": X, "y": Y}, "lonlat": {"lon": LON, "lat": LAT}, "rowcol": {"row": 12, "col": 17}}
COLUMNS = {"xy": ("x", "y"), "lonlat": ("lon", "lat"), "rowcol": ("x", "y")}


class CalibratePositions(CalibrationCase):
    @classmethod
    def prepare(cls):
        effusion = {"slot": "10 min", "rates_m3_s": [4, 6]}
        for name, place in PLACES.items():
            case.write_scenario(cls.work, f"{name}.json", vents=[{**place, "effusion": effusion}])
        case.write_scenario(cls.work)
        case.run_program("run", "s.json", "-q", "-o", "mapped", cwd=cls.work)
        case.run_program("export", "mapped", "-q", "--format", "cog", "--output", "mapped.tif", cwd=cls.work)

    @classmethod
    def write(cls, name, **changes):
        super().write(name, **{"pairs": [{"scenario": "xy.json", "observed": "mapped.tif"}], "unknowns": [POSITION], **changes})

    def cells(self, rows, place="xy"):
        """Row and column of each position, which must be the centre of a cell."""
        names, found = [f"vents.0.{axis}" for axis in COLUMNS[place]], []
        for row in rows:
            x, y = row[names[0]], row[names[1]]
            cell = (math.floor((case.NORTH - y) / case.CELL), math.floor((x - case.WEST) / case.CELL))
            if place == "lonlat":
                cell = self.cell_of_degrees[round(x, 7), round(y, 7)]  # 1 cm
            else:
                self.assertEqual((x, y), (case.WEST + (cell[1] + 0.5) * case.CELL, case.NORTH - (cell[0] + 0.5) * case.CELL))
            found.append(cell)
        return found

    @property
    def cell_of_degrees(self):
        centres = {(row, col): to_degrees(case.WEST + (col + 0.5) * case.CELL, case.NORTH - (row + 0.5) * case.CELL)
                   for row in range(case.ROWS) for col in range(case.COLS)}
        return {(round(lon, 7), round(lat, 7)): cell for cell, (lon, lat) in centres.items()}

    def test_vent_is_found(self):
        """However the scenario gives its place; best.json gives it in the same way, and has the score."""
        lava = {"effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}}
        for place in PLACES:
            self.write(f"{place}-fit.json", pairs=[{"scenario": f"{place}.json", "observed": "mapped.tif"}], budget=90)
            self.sciara("calibrate", f"{place}-fit.json", "-q", "-o", f"{place}-fit")
            rows, best = self.rows(f"{place}-fit"), self.record(f"{place}-fit")["best"]
            names = [f"vents.0.{axis}" for axis in COLUMNS[place]]
            self.assertEqual(list(rows[0]), ["number", *names, "score", "jaccard_0", "status", "runout_ratio_0"])
            cells = self.cells(rows, place)
            self.assertEqual((best["score"], cells[best["number"] - 1]), (1, case.VENT), place)
            self.assertLess(max(row["score"] for row in rows[:6]), 1, "not in the first generation")
            (vent,) = case.read_json(self.path(f"{place}-fit", "best.json"))["vents"]
            if place == "rowcol":
                self.assertEqual(vent, {"row": case.VENT[0], "col": case.VENT[1], **lava})
            else:
                self.assertEqual(vent, {**{axis: best["values"][f"vents.0.{axis}"] for axis in COLUMNS[place]}, **lava})
            self.sciara("run", f"{place}-fit/best.json", "-q", "--output", f"{place}-best")
            scores = json.loads(self.sciara("compare", f"{place}-best", "--observed", "mapped.tif", "--json").stdout)
            self.assertEqual((scores["jaccard"], scores["run_out_ratio"]), (1, 1))
            sets = [dict(zip(("vents.0.row", "vents.0.col"), cell)) for cell in cells]
            scores = [self.evaluate(sets, "s.json", "--observed", "mapped.tif", score=score) for score in ("jaccard", "runout_ratio")]
            for row, (j,), (ratio,) in zip(rows, *scores):
                if row["status"] != "stopped":
                    self.assertEqual((row["jaccard_0"], row["runout_ratio_0"]), (j, ratio))

    def test_disc_is_filled_evenly(self):
        """Cells have points in proportion to their part of the disc, which is found on a raster of 0.1 m: chi-square."""
        self.write_scenario("short.json", vents=[{"x": X, "y": Y, "effusion": {"slot": "1 min", "rates_m3_s": [4]}}], run={"max_steps": 2})
        side = 100
        place = (numpy.arange(side) + 0.5) / side * case.CELL
        share = numpy.zeros((case.ROWS, case.COLS))
        for row in range(case.ROWS):
            for col in range(case.COLS):
                x, y = case.WEST + col * case.CELL + place, case.NORTH - row * case.CELL - place
                share[row, col] = (numpy.hypot(x[None, :] - X, y[:, None] - Y) <= RADIUS).mean()
        share /= share.sum()
        self.assertGreater((share > 0).sum(), 110)
        for design in ("sobol", "lhs"):
            self.write("even.json", pairs=[{"scenario": "short.json", "observed": "mapped.tif"}], design=design, budget=2048, early_stop=False)
            self.sciara("calibrate", "even.json", "-q", "-o", f"even-{design}")
            count = numpy.zeros(share.shape)
            for cell in self.cells(self.rows(f"even-{design}")):
                count[cell] += 1
            self.assertEqual(count[share == 0].sum(), 0, "none outside the disc")
            large = share * 2048 >= 5  # for chi-square; the others together
            expected = numpy.append(share[large], share[~large].sum()) * 2048
            chi = ((numpy.append(count[large], count[~large].sum()) - expected) ** 2 / expected).sum()
            freedom = len(expected) - 1
            self.assertLess(chi, freedom + 4 * math.sqrt(2 * freedom))

    def test_every_design(self):
        """Beside another unknown; ended anywhere and resumed, one evaluation at a time: the same bytes."""
        for design, budget in BUDGETS.items():
            place = {"lhs": "lonlat", "morris": "rowcol"}.get(design, "xy")
            self.write(f"{design}.json", pairs=[{"scenario": f"{place}.json", "observed": "mapped.tif"}], unknowns=[POSITION, COOLING],
                       design=design, budget=budget)
            self.sciara("calibrate", f"{design}.json", "-q", "-o", design)
            rows = self.rows(design)
            cells = self.cells(rows, place)
            self.assertEqual((len(rows), {row["status"] for row in rows} - {"ok", "stopped"}), (budget, set()))
            self.assertGreater(len(set(cells)), 8 if design == "morris" else 25)
            lines = case.read_bytes(self.path(design, "evaluations.csv")).splitlines(True)
            folder = f"{design}-cut"
            os.makedirs(self.path(folder))
            shutil.copy(self.path(design, "calibration.json"), self.path(folder))
            case.write_bytes(self.path(folder, "evaluations.csv"), b"".join(lines[:budget // 3]) + lines[budget // 3][:7])
            self.sciara("calibrate", f"{design}.json", "-q", "-o", folder, "--resume", "-j", "1")
            self.assertEqual(case.tree(self.path(folder)), case.tree(self.path(design)))
        for start in range(0, BUDGETS["morris"], 4):  # a position moves in two of the steps of a trajectory
            steps = zip(self.rows("morris")[start:start + 3], self.rows("morris")[start + 1:start + 4])
            self.assertEqual(sum(a["model.cooling"] != b["model.cooling"] for a, b in steps), 1)
        for name, columns in (("morris", ["mu", "mu_star", "sigma"]), ("saltelli", ["first_order", "total"])):
            found = case.read_rows(self.path(name, "sensitivity.csv"))
            self.assertEqual([row["unknown"] for row in found], ["vents.0.x", "vents.0.y", "model.cooling"])
            self.assertTrue(all(row[column] for row in found for column in columns))
        rows = self.rows("saltelli")
        for start in range(0, len(rows), 5):  # A, B, then A with one coordinate of B each
            a, b, _, _, cooled = rows[start:start + 5]
            self.assertEqual([cooled[key] for key in ("vents.0.x", "vents.0.y", "model.cooling")],
                             [a["vents.0.x"], a["vents.0.y"], b["model.cooling"]])

    def test_accepted_sets(self):
        """Members of an ensemble have their vents; spreads are those of the whole disc, not of a square around it."""
        geo.write_raster(self.path("all.tif"), numpy.ones((case.ROWS, case.COLS)))
        for name, observed, radius in (("near", "mapped.tif", 16), ("any", "all.tif", 60)):
            self.write("accept.json", pairs=[{"scenario": "rowcol.json" if name == "any" else "s.json", "observed": observed}], design="sobol", budget=128,
                       unknowns=[{**POSITION, "radius_m": radius}])
            err = self.sciara("calibrate", "accept.json", "-o", name).stderr
            rows = self.rows(name)
            best = max(row["score"] for row in rows)
            accepted = [row for row in rows if row["status"] != "stopped" and row["score"] >= 0.9 * best]
            self.assertGreaterEqual(len(accepted), 10)
            members = case.read_rows(self.path(name, "accepted.csv"))
            self.assertEqual([(int(one["id"]), (int(one["vents.0.row"]), int(one["vents.0.col"]))) for one in members],
                             [(row["number"], cell) for row, cell in zip(accepted, self.cells(accepted))])
            said = {"identifiable": [], "weakly identifiable": [], "not identifiable": []}
            for key in ("vents.0.x", "vents.0.y"):
                spread = numpy.std([row[key] for row in accepted], ddof=1) / numpy.std([row[key] for row in rows], ddof=1)
                said["identifiable" if spread < 0.5 else "weakly identifiable" if spread < 0.9 else "not identifiable"].append(key)
            words = "; ".join(f"{word}: {', '.join(keys)}" for word, keys in said.items() if keys)
            self.assertIn(f"{name}: {len(accepted)} accepted sets; {words}", err)
            self.assertEqual(len(said["not identifiable"]), 2 if name == "any" else 0)
        case.write_json(self.path("members.json"), {"base": "s.json", "members": "near/accepted.csv"})
        self.sciara("ensemble", "plan", "members.json", "-q", "--no-estimate", "-o", "members")

    def test_several_scenarios(self):
        """One place in all of them; so each search and each scenario is checked before anything is written."""
        self.write_scenario("more.json", vents=[{"x": X, "y": Y, "effusion": {"slot": "10 min", "rates_m3_s": [8, 12]}}])
        pairs = [{"scenario": name, "observed": "mapped.tif"} for name in ("xy.json", "more.json")]
        self.write("both.json", pairs=pairs, design="lhs", budget=12, early_stop=False)
        self.sciara("calibrate", "both.json", "-q", "-o", "both")
        rows = self.rows("both")
        sets = [{key: row[key] for key in ("vents.0.x", "vents.0.y")} for row in rows]
        for k, pair in enumerate(pairs):
            self.assertEqual([[row[f"jaccard_{k}"]] for row in rows], self.evaluate(sets, pair["scenario"], "--observed", "mapped.tif"))
        self.write_scenario("moved.json", vents=[{"x": X + 1, "y": Y, "effusion": {"slot": "10 min", "rates_m3_s": [8, 12]}}])
        self.refused({"pairs": [pairs[0], {**pairs[1], "scenario": "moved.json"}]},
                     f"unknowns[0].key: expected the same position in ./moved.json as in the first scenario, x {X:.12g}, y {Y:.12g}; found x {X + 1:.12g}")
        searches = [{"name": "good", "unknowns": [POSITION]}, {"name": "bad", "unknowns": [COOLING, {**POSITION, "radius_m": 400}]}]
        self.refused({"unknowns": None, "searches": searches}, "bad.json: searches[1].unknowns[1].radius_m: expected less than 118.250 m, found 400")

    def refused(self, changes, message):
        self.write("bad.json", **changes)
        self.assertIn(message, self.sciara("calibrate", "bad.json", "-o", "bad", code=3).stderr)
        self.assertFalse(os.path.exists(self.path("bad")), message)

    def test_bad_input(self):
        effusion = {"slot": "10 min", "rates_m3_s": [4]}
        self.write_scenario("corner.json", vents=[{"row": 5, "col": 6, "effusion": effusion}])
        self.write_scenario("sea.json", vents=[{"row": 5, "col": 6, "effusion": effusion}],
                            dem={"path": "dem.asc", "crs": "EPSG:32633", "sea": "nodata"})
        other = {"key": "vents.0.x", "min": X - 10, "max": X + 10}
        twice = "expected each key once, and no coordinate of a vent beside its position; found "
        cases = [
            ({"unknowns": [{**POSITION, "radius_m": 0}]}, "bad.json: unknowns[0].radius_m: expected above 0 to 1e6 m; found 0"),
            ({"unknowns": [{**POSITION, "radius_m": 1}]},
             "bad.json: unknowns[0].radius_m: expected more than 1.75 m, which reaches another cell of ./xy.json; found 1"),
            ({"unknowns": [{**POSITION, "key": "vents.0.positon"}]},
             'bad.json: unknowns[0].key: expected a key of vents, model or run (did you mean "vents.0.position"?); found vents.0.positon'),
            ({"unknowns": [POSITION, other]}, f"bad.json: unknowns[1].key: {twice}vents.0.x"),
            ({"unknowns": [{**POSITION, "key": "vents.1.position"}]},
             "bad.json: unknowns[0].key: expected a vent of ./xy.json with x and y, lon and lat, or row and col; found vent 1, of 1 counted from 0"),
            ({"unknowns": [{**POSITION, "radius_m": 500}]},
             "bad.json: unknowns[0].radius_m: expected less than 118.250 m, found 500: ./xy.json: expected a cell whose 8 neighbours are valid, "
             "found a cell on the rim of the domain in row 0, column 17"),
            ({"pairs": [{"scenario": "sea.json", "observed": "mapped.tif"}]},
             "bad.json: unknowns[0].radius_m: expected less than 35.355 m, found 60: ./sea.json: expected a cell whose 8 neighbours are valid, "
             "found a cell of the sea in row 2, column 3"),
        ]
        for side, vent, rim in (("east", (12, case.COLS - 4), (12, case.COLS - 1)), ("south", (case.ROWS - 4, 17), (case.ROWS - 1, 17))):
            self.write_scenario(f"{side}.json", vents=[{"row": vent[0], "col": vent[1], "effusion": effusion}])
            cases.append(({"pairs": [{"scenario": f"{side}.json", "observed": "mapped.tif"}]}, f"expected less than 25.000 m, found 60: ./{side}.json: "
                          f"expected a cell whose 8 neighbours are valid, found a cell on the rim of the domain in row {rim[0]}, column {rim[1]}"))
        for changes, message in cases:
            self.refused(changes, message)
        for scenario, radius in (("corner.json", 21.212), ("sea.json", 35.354), ("xy.json", 118.249), ("xy.json", 1.76)):  # what the messages allow
            self.write("good.json", pairs=[{"scenario": scenario, "observed": "mapped.tif"}], unknowns=[{**POSITION, "radius_m": radius}],
                       design="lhs", budget=8)
            self.sciara("calibrate", "good.json", "-q", "-o", "good")
            self.assertEqual({row["status"] for row in self.rows("good")} - {"ok", "stopped"}, set())
            shutil.rmtree(self.path("good"))
