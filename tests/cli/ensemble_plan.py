# SPDX-License-Identifier: Apache-2.0
"""sciara ensemble check, plan, member: members and weights, messages for bad input, edited tables, the scenario of a member."""
import csv
import glob
import json
import os
import re
import shutil
import unittest

import case
from case import Case

X, Y = 500200, 4177220  # an interior cell
EVENTS = [{"name": "a", "weight": 3, "volume_m3": 3000, "duration": "10 min"},
          {"name": "b", "weight": 1, "slot": "5 min", "rates_m3_s": [4, 6]}]
TABLE = "name,x,y,p\none,500200,4177220,1\ntwo,500220,4177200,0\nthree,500100.5,4177150,3\n"


class Ensemble(Case):
    def prepare_test(self):
        self.write_scenario("base.json", vents=[{"name": "v", "x": X, "y": Y, "effusion": {"slot": "10 min", "rates_m3_s": [4]}}])
        self.write("vents.csv", TABLE)

    def ensemble(self, **parts):
        case.write_json(self.path("e.json"), {"base": "base.json", "sample": {"method": "full"}, **parts})

    def plan(self, folder="out", *args, code=0):
        done = self.sciara("ensemble", "plan", "e.json", "-o", folder, "--no-estimate", *args, code=code)
        return done if code else case.read_rows(self.path(folder, "members.csv"))

    def problems(self, **parts):
        """The errors of check, without their beginning; plan has the same ones and writes nothing."""
        self.ensemble(**parts)
        before = case.tree(self.work)
        start = "sciara: error: "
        found = [[line.removeprefix(start) for line in done.stderr.splitlines() if line.startswith(start)]
                 for done in (self.sciara("ensemble", "check", "e.json", code=3), self.plan("out", code=3))]
        self.assertEqual(case.tree(self.work), before)
        self.assertEqual(*found)
        return found[0]

    def assert_problem(self, text, **parts):
        found = self.problems(**parts)
        self.assertTrue(any(text in line for line in found), f"{text!r} is not in {found}")

    def test_rates_of_a_table(self):
        """rate_scale multiplies the rates of the base; it does not where the table has rates, which is said or refused."""
        case.write_json(self.path("e.json"), {"base": "base.json", "members": "t.csv"})
        self.write("t.csv", "id,rate_scale\n3,0.5\n4,\n7,2\n")
        self.assertEqual([row["vents.0.effusion"] and json.loads(row["vents.0.effusion"])["table"][0][1] for row in self.plan()], [2, "", 8])
        self.write("t.csv", 'id,rate_scale,vents.0.effusion\n3,0.5,"{""slot"": 60, ""rates_m3_s"": [1]}"\n')
        self.assertIn('the column "vents.0.effusion" replaces the rates of the base', " ".join(self.sciara("ensemble", "check", "e.json", "--no-estimate").stderr.split()))
        for text, said in (("id,rate_scale,vents.0.start\n3,0.5,60\n", 'members: the column "rate_scale": expected no other key of rates; found vents.0.start'),
                           ("id,rate_scale\n3,1e7\n", "member 3: rate_scale: expected a number, 0 to 1e6; found 1e7")):
            self.write("t.csv", text)
            self.assertIn(said, self.sciara("ensemble", "check", "e.json", code=3).stderr)
        self.write_scenario("base.json", vents=[{"x": X, "y": Y, "effusion": {"table": [[0, 4], [600, 6], [2400, 2], [3000, 0]]}}])
        self.write("t.csv", "id,rate_shape\n1,4\n")
        rates = [rate for _, rate in json.loads(self.plan("shape")[0]["vents.0.effusion"])["table"]]
        self.assertAlmostEqual(rates[1] / rates[0], 6 / 4 * 4 ** (1500 / 3000 - 300 / 3000), places=12)
        self.assertAlmostEqual(600 * rates[0] + 1800 * rates[1] + 600 * rates[2], 600 * 4 + 1800 * 6 + 600 * 2, places=9)

    def test_events_that_the_base_cuts(self):
        """6000 m3 in 10 minutes, of which the vent of the base emits 4; the other event fits."""
        self.write_scenario("base.json", vents=[{"x": X, "y": Y, "until": "4 min", "effusion": {"slot": "10 min", "rates_m3_s": [4]}}])
        self.ensemble(events=[{"volume_m3": 6000, "duration": "10 min"}, {"volume_m3": 6000, "duration": "4 min"}])
        said = " ".join(self.sciara("ensemble", "check", "e.json", "--no-estimate").stderr.split())
        self.assertIn("e.json: events: 1 of 2 members emit less than their event, at least 40 % of it", said)

    def test_full_plan(self):
        """w = a_v p_k / n_vk; a vent of weight 0 is left out; the sum is 1."""
        self.ensemble(vents={"table": "vents.csv", "weights": {"column": "p"}}, events=EVENTS,
                      vary=[{"key": "model.relaxation", "values": [0.4, 0.5], "weights": [1, 3]}])
        found = self.plan()
        self.assertEqual(len(found), 2 * 2 * 2)
        shares = [a * p * q for a in (0.25, 0.75) for p in (0.75, 0.25) for q in (0.25, 0.75)]
        self.assertEqual([float(r["weight"]) for r in found], shares)
        self.assertEqual([r["weight"] for r in case.read_rows(self.path("out/weights.csv"))], [r["weight"] for r in found])
        self.assertEqual([(r["vent"], r["event"], r["model.relaxation"]) for r in found[:3]],
                         [("0", "0", "0.4"), ("0", "0", "0.5"), ("0", "1", "0.4")])
        self.assertEqual({r["stratum"] for r in found}, {"0", "1", "4", "5"})
        self.assertEqual(float(found[4]["vents.0.x"]), 500100.5)
        for row in found:  # the volume of each event is exact
            e = json.loads(row["vents.0.effusion"])
            if row["event"] == "0":
                self.assertEqual(e["slot"] * sum(e["rates_m3_s"]), 3000)

    def test_members_of_weight_0_are_counted(self):
        self.ensemble(vents={"table": "vents.csv", "weights": {"column": "p"}}, events=EVENTS,
                      vary=[{"key": "model.relaxation", "values": [0.4, 0.5, 0.6], "weights": [1, 0, 3]}])
        done = self.sciara("ensemble", "check", "e.json", "--no-estimate")
        self.assertIn("10 members are left out, their weight is 0", done.stderr)  # 6 of vent two, 1 of 3 of the others

    def test_what_was_planned_is_what_is_opened(self):
        """A table without one of the weights, with another key, or with another base is refused."""
        self.ensemble(vents={"table": "vents.csv"}, vary=[{"key": "model.relaxation", "values": [0.7, 0.8]}])
        self.plan()

        def change(name, old, new, text):
            whole = case.read_text(self.path("out", name))
            self.assertIn(old, whole)
            self.write(os.path.join("out", name), whole.replace(old, new))
            self.assertIn(text, self.sciara("ensemble", "status", "out", code=3).stderr)
            self.write(os.path.join("out", name), whole)
        last = case.read_rows(self.path("out/weights.csv"))[-1]
        change("weights.csv", f"{last['id']},{last['weight']}\n", "", f"none for id {last['id']}")
        change("weights.csv", "id,weight\n", "weight,id\n", "1: expected the line \"id,weight\", found \"weight,id\"")
        change("weights.csv", f"{last['id']},{last['weight']}\n", f"{last['id']},{last['weight']},1\n", "expected two values, found more")
        text = case.read_text(self.path("out/weights.csv"))
        self.write("out/weights.csv", "\ufeff" + text.replace(",", ',"').replace("\n", '"\r\n'))  # as spreadsheet programs write it
        self.sciara("ensemble", "status", "out")
        self.write("out/weights.csv", text)
        change("members.csv", "model.relaxation", "model.emissivity", "found 6 rows that differ: id 0, id 1")
        change("ensemble.json", "\"cooling\": 150", "\"cooling\": 151", "found a changed base or batch size")
        self.sciara("ensemble", "status", "out")

    def test_edited_lists(self):
        """Vents, events and the sample decide weights, zones and errors: changed ones are refused, and a repeated plan restores them.
        Of an earlier version, without their hash, a list that is too short for members.csv is refused."""
        self.ensemble(vents={"table": "vents.csv"}, events=EVENTS)
        self.plan()
        path = self.path("out/ensemble.json")

        def refused(change, text, earlier=False):
            record = case.read_json(path)
            change(record)
            if earlier:
                del record["lists_hash"]
            case.write_json(path, record)
            for command in ("status", "run", "reduce"):
                self.assertIn(f"out/ensemble.json: {text}", self.sciara("ensemble", command, "out", code=3).stderr)
            self.plan()
            self.sciara("ensemble", "status", "out")
        changed = "expected vents, events and sample as they were planned, found changed ones; 'sciara ensemble plan' with the same"
        refused(lambda r: r["vents"].pop(), changed)
        refused(lambda r: r["vents"][1]["points"][0].__setitem__(0, X), changed)
        refused(lambda r: r["events"][1].update(volume_m3=4001), changed)
        refused(lambda r: r["sample"].update(method="random"), changed)
        refused(lambda r: r["vents"].pop(), "vents: expected the list to which members.csv refers, found 2 items, but 2 for member 4, "
                                            "counted from 0", earlier=True)

    def edit_column(self, column):
        """Another value in one cell of out/members.csv."""
        lines = open(self.path("out/members.csv"), encoding="utf-8").read().splitlines()
        cells, k = lines[3].split(",", 8), lines[0].split(",").index(column)
        lines[3] = ",".join([*cells[:k], str(int(cells[k]) + 1), *cells[k + 1:]])
        self.write("out/members.csv", "\n".join(lines) + "\n")

    def test_edited_columns(self):
        """Vent, event, stratum and replicate say where a member counts: with another value every command refuses the folder."""
        self.ensemble(vents={"table": "vents.csv"}, events=EVENTS)
        self.plan()
        self.sciara("ensemble", "run", "out", "-j", 1)
        at = ["--at", f"{X},{Y}"]
        commands = (["status", "out"], ["run", "out"], ["reduce", "out"], ["query", "out", *at], ["member", "out", 0, "-o", "m.json"],
                    ["export", "out", "-f", "html"], ["export", "out", "-f", "kml"], ["compare", "out", "copy"], ["compare", "copy", "out"],
                    ["plan", "e.json", "-o", "out", "--no-estimate"])
        shutil.copytree(self.path("out"), self.path("copy"))
        whole = open(self.path("out/members.csv"), encoding="utf-8").read()
        for column in ("stratum", "replicate", "vent", "event", "volume_m3", "duration_s"):
            self.write("out/members.csv", whole)
            self.edit_column(column)
            before = case.tree(self.work)
            for command in commands if column == "vent" else commands[:1]:
                with self.subTest(column=column, command=command):
                    self.assertIn(f'found other values in the column "{column}"; if you remove the table,',
                                  self.sciara("ensemble", *command, code=3).stderr)
                    self.assertEqual(case.tree(self.work), before)
        os.remove(self.path("out/members.csv"))  # as the message says
        self.plan()
        self.assertEqual(open(self.path("out/members.csv"), encoding="utf-8").read(), whole)
        self.assertIn("6 of 6 finished", self.sciara("ensemble", "status", "out").stdout)

    def test_folder_without_what_was_drawn(self):
        """An earlier version neither wrote nor hashed these columns; the same plan once more adds them."""
        self.ensemble(vents={"table": "vents.csv"}, events=EVENTS)
        whole = self.plan()
        self.assertEqual([(r["volume_m3"], r["duration_s"]) for r in whole[:2]], [("3000", "600"), ("3000", "600")])
        record = case.read_json(self.path("out/ensemble.json"))
        for name in ("volume_m3", "duration_s", "rate_scale"):
            del record["columns"][name]
        case.write_json(self.path("out/ensemble.json"), record)
        with open(self.path("out/members.csv"), "w", encoding="utf-8", newline="") as f:
            writer = csv.DictWriter(f, [c for c in whole[0] if c not in ("volume_m3", "duration_s")], extrasaction="ignore")
            writer.writeheader()
            writer.writerows(whole)
        self.sciara("ensemble", "member", "out", 3, "-o", "m.json")
        self.assertEqual(self.plan(), whole)

    def test_folder_without_hashes_of_columns(self):
        """That of an earlier version is read as before, which is said; the same plan once more adds the hashes."""
        self.ensemble(vents={"table": "vents.csv"}, events=EVENTS)
        self.plan()
        record = case.read_json(self.path("out/ensemble.json"))
        self.assertEqual(set(record.pop("columns")), {"stratum", "replicate", "vent", "event", "volume_m3", "duration_s", "rate_scale", "rate_shape"})
        case.write_json(self.path("out/ensemble.json"), record)
        self.edit_column("vent")
        said = "an earlier version planned it: changes of stratum, replicate, vent and event are not noticed"
        self.assertIn(said, self.sciara("ensemble", "status", "out").stderr)
        self.plan()
        self.assertNotIn(said, self.sciara("ensemble", "status", "out").stderr)
        self.edit_column("vent")
        self.sciara("ensemble", "status", "out", code=3)

    def test_member_is_a_scenario(self):
        self.ensemble(vents={"table": "vents.csv"}, events=EVENTS)
        self.plan()
        self.sciara("ensemble", "member", "out", 3, "-o", "m.json")
        found = case.read_json(self.path("m.json"))
        self.assertEqual((found["vents"][0]["x"], found["vents"][0]["name"]), (500220, "v"))
        self.sciara("run", "m.json", "-q", "-o", "run")
        # the same as a scenario written by hand on the original DEM
        self.write_scenario("hand.json", vents=[{"x": 500220, "y": 4177200, "effusion": EVENTS[1] | {}}])
        hand = case.read_json(self.path("hand.json"))
        hand["vents"][0]["effusion"] = {"slot": "5 min", "rates_m3_s": [4, 6]}
        case.write_json(self.path("hand.json"), hand)
        self.run_scenario("by-hand", name="hand.json")
        self.sciara("compare", "run", "by-hand")

    def test_plan_again(self):
        """New weights need no new runs; other members are refused, by row; an edited table is noticed."""
        self.ensemble(vents={"table": "vents.csv"}, events=EVENTS)
        self.plan()
        before = case.read_json(self.path("out/ensemble.json"))["hash"]
        self.ensemble(vents={"table": "vents.csv"}, events=[EVENTS[0] | {"weight": 1}, EVENTS[1]])
        self.plan()
        self.assertEqual(case.read_json(self.path("out/ensemble.json"))["hash"], before)
        self.assertAlmostEqual(float(case.read_rows(self.path("out/weights.csv"))[0]["weight"]), 1 / 6)
        self.ensemble(vents={"table": "vents.csv"}, events=[EVENTS[0] | {"weight": 0}, EVENTS[1]])
        done = self.plan(code=3)
        self.assertIn("rows that differ: id 0", done.stderr)
        self.assertRegex(done.stderr, r"no members of weight 0; to retain them, write 0 in \S*out/weights\.csv instead")
        self.ensemble(vents={"table": "vents.csv"}, events=[EVENTS[0] | {"weight": 1}, EVENTS[1]])
        self.write("vents.csv", TABLE.replace("500220", "500230"))
        done = self.plan(code=3)
        self.assertNotIn("weight 0", done.stderr)
        self.assertIn("2 rows that differ: id 2, id 3", done.stderr)
        table = self.path("out/members.csv")
        text = open(table, encoding="utf-8").read()
        self.write("out/members.csv", text.replace("500100.5", "500101.5", 1))
        done = self.sciara("ensemble", "member", "out", 0, "-o", "m.json", code=3)
        self.assertIn("1 row that differs: id 4", done.stderr)
        self.write("out/members.csv", "\n".join(text.splitlines()[:-1]) + "\n")
        os.remove(self.path("out/weights.csv"))
        self.assertIn("id 5 (missing)", self.sciara("ensemble", "member", "out", 0, "-o", "m.json", code=3).stderr)
        self.assertFalse(os.path.exists(self.path("m.json")))

    def test_plan_again_on_other_ground(self):
        """In single precision too, in which altitudes are rounded."""
        ground = case.read_text(self.path("dem.asc")).replace("1053.0 ", "1053.1 ")
        self.ensemble()
        for precision in ("double", "single"):
            for sea in (None, "nodata", 1005):
                with self.subTest(precision=precision, sea=sea):
                    folder = f"{precision}-{sea}"
                    self.write_scenario("base.json", dem={"path": "dem.asc", "crs": "EPSG:32633", "sea": sea}, engine={"precision": precision})
                    self.write("dem.asc", ground)
                    self.plan(folder)
                    said = self.sciara("ensemble", "plan", "e.json", "-o", folder, "--no-estimate").stderr
                    self.assertIn("holds the same members", said)
                    self.write("dem.asc", ground.replace("1053.1 ", "1053.2 ", 1))
                    self.assertIn("found another base, DEM", self.plan(folder, code=3).stderr)

    def test_samples(self):
        """Numbers of members, weights, ranges, strata; a plan is the same each time, another seed differs."""
        vary = [{"key": "model.cooling", "normal": {"mean": 1.5, "sd": 1}, "truncate": [1, 2]}, {"key": "rate_scale", "log_uniform": [0.5, 2]}]
        for sample, count in (({"method": "random", "count": 10, "seed": 3}, 40), ({"method": "lhs", "count": 4, "seed": 3}, 4 * 4 * 8),
                              ({"method": "sobol", "count": 4, "vents": "drawn", "seed": 3}, 32)):
            self.ensemble(vents={"table": "vents.csv", "weights": {"column": "p"}, "jitter_m": 4}, events=EVENTS, vary=vary, sample=sample)
            name = sample["method"]
            found = self.plan(name)
            self.assertEqual(len(found), count)
            self.assertAlmostEqual(sum(float(r["weight"]) for r in found), 1, places=12)
            self.assertTrue(all(1 <= float(r["model.cooling"]) <= 2 for r in found))
            self.assertEqual(found, self.plan(name + "2"))
            self.ensemble(vents={"table": "vents.csv", "weights": {"column": "p"}, "jitter_m": 4}, events=EVENTS, vary=vary, sample=sample | {"seed": 4})
            self.assertNotEqual(found, self.plan(name + "3"))
        self.assertEqual({r["vent"] for r in found}, {"0", "2"})

    def test_correlation(self):
        vary = [{"key": "model.cooling", "uniform": [1, 2]}, {"key": "model.relaxation", "uniform": [0.4, 0.6]}]
        self.ensemble(vary=vary, sample={"method": "random", "count": 2000, "seed": 1},
                      correlation=[{"first": "model.cooling", "second": "model.relaxation", "coefficient": -0.8}])
        pairs = [(float(r["model.cooling"]) - 1.5, float(r["model.relaxation"]) - 0.5) for r in self.plan()]
        xy, xx, yy = (sum(a[i] * a[j] for a in pairs) for i, j in ((0, 1), (0, 0), (1, 1)))
        self.assertAlmostEqual(xy / (xx * yy) ** 0.5, -0.786, delta=0.03)  # 6/pi asin(-0.8/2)

    def test_foreign_table(self):
        self.write("t.csv", 'id,model.relaxation,vents\r\n5,0.4,\r\n9,,"[{""x"": 500210, ""y"": 4177210, ""effusion"": {""slot"": 60, ""rates_m3_s"": [1]}}]"\r\n')
        case.write_json(self.path("e.json"), {"base": "base.json", "members": "t.csv"})
        self.assertEqual([(r["id"], r["weight"], r["stratum"]) for r in self.plan()], [("5", "1", "-1"), ("9", "1", "-1")])
        self.sciara("ensemble", "member", "out", 9, "-o", "m.json")
        self.assertEqual(case.read_json(self.path("m.json"))["vents"][0]["x"], 500210)

    def test_all_problems_at_once(self):
        self.write("vents.csv", "x,y,w\n500200,4177220,1\n1,2,1\n500200,4177220,-3\nabc,2,1\n500395,4177220,1\n")
        found = self.problems(vents={"table": "vents.csv", "weights": {"column": "w"}}, tilte="x",
                              events=[{"volume_m3": -1, "duration": "1 h"}],
                              vary=[{"key": "dem.cell_size_m", "values": [5]}, {"key": "model.relaxaton", "values": [0.5]}])
        for text in ("tilte: unknown key", "events[0].volume_m3: expected above 0 to 1e12 m3; found -1",
                     "vary[0].key: expected a key of vents, model or run, found \"dem.cell_size_m\": the ground is the same in all simulations",
                     "did you mean \"model.relaxation\"?", "vents.csv:3: expected x from 500000",
                     "vents.csv:4: w: expected a weight, 0 or more, found \"-3\"", "vents.csv:5: x: expected a coordinate in m, found \"abc\"",
                     "vents.csv:6: expected a cell whose 8 neighbours are valid, found a cell on the rim"):
            self.assertTrue(any(text in line for line in found), f"{text!r} is not in {found}")

    def test_keys_of_a_rule(self):
        """Keys of the rule of the base vary; those of the other one are refused in vary and in a table of members."""
        self.write_scenario("base.json", model={"rule": "bingham"},
                            vents=[{"name": "v", "x": X, "y": Y, "effusion": {"slot": "10 min", "rates_m3_s": [4]}}])
        self.ensemble(vary=[{"key": "model.radiating_share", "values": [0.02, 0.04]}])
        self.assertEqual([row["model.radiating_share"] for row in self.plan()], ["0.02", "0.04"])
        self.sciara("ensemble", "run", "out")
        self.sciara("ensemble", "plan", "e.json", "-o", "estimated")
        refused = 'model.cooling: expected a key of rule "bingham", or "rule": "fv3"; found a key of rule "fv3"'
        shutil.rmtree(self.path("out"))
        self.assert_problem('vary[0].key: expected a key of rule bingham, which the base has, or a base of the other rule; found "model.cooling", '
                            "a key of rule fv3", vary=[{"key": "model.cooling", "values": [1, 2]}])
        self.write("m.csv", "id,model.cooling\n0,1\n1,2\n")
        case.write_json(self.path("e.json"), {"base": "base.json", "members": "m.csv"})
        self.assertIn(refused, self.plan(code=3).stderr)

    def test_bad_weights(self):
        self.assert_problem('expected a column "pp" (vents.weights.column) (did you mean "p"?), found "name", "x"', vents={"table": "vents.csv", "weights": {"column": "pp"}})
        self.write("zero.csv", "x,y,w\n500200,4177220,0\n")
        self.assert_problem("found the sum 0 of 1 vents", vents={"table": "zero.csv", "weights": {"column": "w"}})
        self.assert_problem("a column only with vents.table", vents={"grid": {"extent": [500100, 4177100, 500300, 4177200], "step_m": 50}, "weights": {"column": "w"}})
        self.assert_problem("weights have a finite sum above 0", events=[EVENTS[0] | {"weight": 0}])

    def test_bad_parts(self):
        uniform = {"key": "model.relaxation", "uniform": [0.4, 0.6]}
        draw = {"method": "random", "count": 5}
        for text, parts in (
                ("values with the method full", {"vary": [uniform]}),
                ("8 or more, from which", {"sample": {"method": "lhs", "count": 5, "replicates": 2}}),
                ("the key is required", {"sample": {"method": "random"}}),
                ("exactly one of: table, grid, line, fissures.file", {"vents": {"jitter_m": 1}}),
                ("of the distribution there", {"vary": [{"key": "model.relaxation", "uniform": [5, 6]}], "sample": draw}),
                ('(durations here are in seconds: 21600 for "6 h"); found an array of 2',
                 {"events": EVENTS[:1], "vary": [{"key": "events.0.duration", "uniform": ["6 h", "1 d"]}], "sample": draw}),
                ("each key once", {"vary": [uniform, uniform], "sample": draw}),
                ("each key once", {"vary": [{"key": "vents.0.x", "uniform": [1, 2]}, {"key": "vents[0].x", "uniform": [1, 2]}], "sample": draw}),
                ("result.thickness_m: expected numbers that differ in their first 8 digits, found 0.5 and 0.50000000",
                 {"result": {"thickness_m": [1, 0.500000001, 0.5]}}),
                ("a positive semidefinite matrix", {"vary": [uniform, {"key": "model.cooling", "uniform": [1, 2]}, {"key": "rate_scale", "uniform": [1, 2]}],
                                                    "sample": draw, "correlation": [
                    {"first": "model.relaxation", "second": "model.cooling", "coefficient": 1},
                    {"first": "model.relaxation", "second": "rate_scale", "coefficient": 0.5},
                    {"first": "rate_scale", "second": "model.cooling", "coefficient": -0.5}]}),
                ("events counted from 0 to 0", {"events": EVENTS[:1], "vary": [{"key": "events.1.duration", "uniform": [1, 2]}], "sample": draw}),
                ("a key that vents, events and rate_scale do not set", {"vents": {"table": "vents.csv"}, "vary": [{"key": "vents.0.x", "uniform": [1, 2]}], "sample": draw}),
                ("member 0", {"vary": [{"key": "model.T_vent_K", "values": [1143]}]}),
                ("only together with \"eruptions_per_year\"", {"result": {"years": [10]}}),
                ("expected a place on the DEM", {"result": {"sites": [{"name": "s", "x": 0, "y": 0}]}}),
                ("result.sites[0]: site \"z\": expected a place on the DEM",
                 {"result": {"sites": [{"name": "z", "polygon": [[0, 0], [9, 0], [9, 9]]}]}}),
                ("effusion rates of 0 to 1e+06", {"events": [{"volume_m3": 1e12, "duration": "1 s"}]}),
                ("either members or the parts of a plan", {"members": "t.csv"})):
            with self.subTest(text):
                self.assert_problem(text, **parts)

    def test_bad_tables(self):
        case.write_json(self.path("e.json"), {"base": "base.json", "members": "t.csv"})
        for text, table in (("expected a column \"id\"", "model.relaxation\n1\n"), ("an id above 3", "id\n3\n3\n"),
                            ("the ground is the same in all simulations", "id,dem.path\n1,x\n"), ("found fewer", "id,weight\n1\n"),
                            ("a weight, 0 or more", "id,weight\n1,-1\n"), ("2: expected a number, 0 or more, or nothing, found \"x\"", "id,duration_s\n1,x\n"), ("sum above 0", "id,weight\n1,0\n"),
                            ("each column once, found \"vents.0.x\" and \"vents[0].x\"", "id,vents.0.x,vents[0].x\n1,5,6\n"),
                            ("each column once, found \"vents.0.x\" and \"vents.00.x\"", "id,vents.0.x,vents.00.x\n1,5,6\n"),
                            ("t.csv:2: expected a whole number of at most 18 digits, found \"1000000000000000000\"", "id\n1000000000000000000\n"),
                            ("a value without an end", 'id,model.cooling\n1,"2\n'), ("at least one member", "id\n"),
                            ("did you mean", "id,model.relaxtion\n1,0.5\n"), ("0 to 1", "id,model.relaxation\n1,7\n"),
                            ("expected text in UTF-8", b"id\n1\n\x80")):
            with self.subTest(text):
                case.write_bytes(self.path("t.csv"), table if isinstance(table, bytes) else table.encode())
                self.assertIn(text, self.plan(code=3).stderr)
                self.assertFalse(os.path.exists(self.path("out")))

    def test_tables_of_a_spreadsheet(self):
        """Semicolons and decimal commas in a table of members and in weights.csv; the plan itself has commas and points."""
        case.write_json(self.path("e.json"), {"base": "base.json", "members": "t.csv"})
        self.write("t.csv", "sep=;\nid ; weight;model.relaxation;vents.0.name\n3;0,5;0,45;a, b\n4;1,5;0,55;c\n;;;\n".replace(";;;\n", ""))
        rows = self.plan()
        self.assertEqual([(r["id"], r["model.relaxation"], r["vents.0.name"], float(r["weight"])) for r in rows],
                         [("3", "0.45", "a, b", 0.5), ("4", "0.55", "c", 1.5)])
        self.write("out/weights.csv", "id;weight\n3;0,25\n4;0,75\n")
        self.sciara("ensemble", "status", "out")
        self.write("out/weights.csv", "id;weight\n3;0,25\n4;0.75\n")
        self.assertIn("weights.csv:3: expected a weight, 0 or more, found \"0.75\"", self.sciara("ensemble", "status", "out", code=3).stderr)

    def test_parts_of_the_effusion(self):
        """A member may change the rates or the slot alone, as --set does; the other one is that of the base, and its start."""
        base = case.read_json(self.path("base.json"))
        base["vents"][0].update(start="1 min", effusion={"slot": "10 min", "rates_m3_s": [4, 2]})
        case.write_json(self.path("base.json"), base)
        case.write_json(self.path("e.json"), {"base": "base.json", "members": "t.csv"})
        for key, value in (("rates_m3_s", [1.5, 3]), ("slot", "5 min")):
            with self.subTest(key):
                self.write("t.csv", f'id,vents.0.effusion.{key}\n7,"{json.dumps(value).replace(chr(34), chr(34) * 2)}"\n')
                self.plan(key)
                self.sciara("ensemble", "member", key, 7, "-o", "m.json", "--overwrite")
                vent = case.read_json(self.path("m.json"))["vents"][0]
                self.assertEqual(vent["effusion"], {**base["vents"][0]["effusion"], key: value})
                self.assertEqual(vent["start"], "1 min")

    def test_a_word_that_a_spreadsheet_would_evaluate(self):
        """A name that varies is a cell of members.csv; in quotation marks, as a plan writes it, it is no formula."""
        case.write_json(self.path("e.json"), {"base": "base.json", "members": "t.csv"})
        for name in ("=1+1", "+cmd", "-cmd", "@x", "\t=1", "\uff1d1"):
            with self.subTest(name):
                self.write("t.csv", f"id,vents.0.name\n7,{name}\n")
                self.assertIn("member 7: vents.0.name: expected a text that is no formula of a spreadsheet program, or one in "
                              "quotation marks, found", self.plan(code=3).stderr)
        self.write("t.csv", 'id,vents.0.name\n7,"""=1+1"""\n')
        self.assertEqual(self.plan()[0]["vents.0.name"], '"=1+1"')
        self.ensemble(vary=[{"key": "vents.0.name", "values": ["=1+1"]}])
        self.assertEqual(self.plan("varied")[0]["vents.0.name"], '"=1+1"')
        for folder, member in (("out", 7), ("varied", 0)):
            self.sciara("ensemble", "member", folder, member, "-o", "m.json", "--overwrite")
            self.assertEqual(case.read_json(self.path("m.json"))["vents"][0]["name"], "=1+1")

    def test_lists_of_results_end(self):
        """As many maps as anyone reads: said by check and by the schema."""
        limits = {"thickness_m": 200, "within": 200, "quantiles": 200, "years": 200, "sites": 10000, "eruptions_per_year": 1000}
        schema = json.loads(self.sciara("ensemble", "schema").stdout)["properties"]["result"]["properties"]
        for key, most in limits.items():
            with self.subTest(key):
                self.assertEqual(schema[key]["maxItems"], most)
                item = {"sites": {"name": "s", "x": X, "y": Y}, "eruptions_per_year": {"rate": 1}}.get(key, 0.5)
                self.assert_problem(f"result.{key}: expected an array of ", result={key: [item] * (most + 1)})
        self.ensemble(result={"thickness_m": [k / 1000 for k in range(200)]})
        self.plan()
        record = case.read_json(self.path("out/ensemble.json"))  # what an earlier version planned is read whatever its length
        record["result"] |= {"thickness_m": [k / 1000 for k in range(300)], "within": list(range(1, 301))}
        case.write_json(self.path("out/ensemble.json"), record)
        self.sciara("ensemble", "status", "out")

    def test_vents_of_members(self):
        """Vents by row and column, and vents with an area, are checked before a run too."""
        case.write_json(self.path("e.json"), {"base": "base.json", "members": "t.csv"})
        effusion = {"slot": "10 min", "rates_m3_s": [4]}
        for vent, key, good, bad, text in (({"row": 20, "col": 20}, "vents.0.row", 21, 100000, "expected row 0 to "),
                                           ({"x": X, "y": Y, "radius_m": 20}, "vents.0.x", X + 10, 5, "expected x from ")):
            self.write_scenario("base.json", vents=[{"name": "v", **vent, "effusion": effusion}])
            self.write("t.csv", f"id,{key}\n1,{good}\n2,{bad}\n")
            found = self.plan(code=3).stderr
            self.assertIn("member 2: vents[0]: " + text, found)
            self.assertNotIn("member 1:", found)
            self.assertFalse(os.path.exists(self.path("out")))

    def test_sites_on_land(self):
        """Lava covers neither the sea nor cells without an altitude: check names the sites that no member can reach."""
        sea = [[case.WEST, case.NORTH], [case.WEST + 35, case.NORTH], [case.WEST + 35, case.NORTH - 25], [case.WEST, case.NORTH - 25]]
        sites = [{"name": "off", "x": case.WEST + 5, "y": case.NORTH - 5}, {"name": "land", "x": case.WEST + 55, "y": case.NORTH - 5},
                 {"name": "bay", "polygon": sea}]
        for dem, text in (({}, "lies where the DEM has no altitude (NODATA)"), ({"sea": "nodata"}, "lies in the sea, on which no lava stays")):
            self.write_scenario("base.json", dem={**case.scenario()["dem"], **dem},
                                vents=[{"name": "v", "x": X, "y": Y, "effusion": {"slot": "10 min", "rates_m3_s": [4]}}])
            self.ensemble(result={"sites": sites})
            said = self.sciara("ensemble", "check", "e.json", "--no-estimate").stderr.splitlines()
            self.assertEqual([line for line in said if "result.sites" in line],
                             [f"sciara: warning: e.json: result.sites[{k}] ({sites[k]['name']}): {text}: no member can reach it" for k in (0, 2)])

    def test_times_after_the_end(self):
        """Times of results count from the start of the members; one after the end of all is named, also after a checkpoint."""
        def late(**result):
            self.ensemble(result={"sites": [], **result})
            said = self.sciara("ensemble", "check", "e.json", "--no-estimate").stderr
            return [line.split(" counts ")[0].rpartition(" result.within: ")[2] for line in said.splitlines() if "result.within" in line]
        vents = [{"name": "v", "x": X, "y": Y, "effusion": {"slot": "10 min", "rates_m3_s": [4, 4]}}]
        self.write_scenario("base.json", run={"until": "2 h"}, vents=vents)
        self.assertEqual(late(within=["3 h", "2 h", "121 min"]), ["2 h 1 min", "3 h"])
        self.assertEqual((late(within=["2 h"]), late()), ([], []))
        for until, usual in (("2 h", [7200]), ("3 d", [86400, 259200]), ("100 h", [86400, 259200, 360000])):
            self.write_scenario("base.json", run={"until": until}, vents=vents)
            self.ensemble(result={"sites": []})
            self.sciara("ensemble", "plan", "e.json", "-o", until, "--no-estimate")
            self.assertEqual(case.read_json(self.path(until, "ensemble.json"))["result"]["within"], usual)
        self.write_scenario("base.json", run={"until": "solidified"}, vents=vents)
        self.assertEqual(late(within=["3 d"]), [])
        self.write_scenario("base.json", run={"until": "2 h"}, vents=vents)
        self.sciara("run", "base.json", "-q", "--until", "30 min", "--checkpoint-every", "1 d", "-o", "out")
        now = sorted(glob.glob(self.path("out", "checkpoints", "*.h5")))[-1]
        self.write_scenario("base.json", run={"until": "2 h"}, vents=vents, initial={"checkpoint": now})
        self.assertEqual(late(within=["1 h", "100 min"]), ["1 h 40 min"])

    def test_members_that_max_time_cuts(self):
        """A plan whose every member is censored before it is computed is an error; some of them are a warning."""
        rates = {"effusion": {"slot": "10 min", "rates_m3_s": [0, 4]}}  # lava from 600 to 1200 s

        def run(**keys):
            self.write_scenario("base.json", run=keys, vents=[{"name": "v", "x": X, "y": Y, **rates}])
            self.ensemble()
        rest = {"until": "front at rest", "front_at_rest": "1 h"}
        for keys, cut in (({"until": "solidified", "max_time": 1200}, True), ({"until": "solidified", "max_time": 1201}, False),
                          ({**rest, "max_time": 4200}, True), ({**rest, "max_time": 4201}, False), (rest, False),
                          ({"until": "1 h", "max_time": 3599}, True), ({"until": "1 h", "max_time": "1 h"}, False)):
            with self.subTest(keys):
                run(**keys)
                done = self.sciara("ensemble", "check", "e.json", "--no-estimate", code=3 if cut else 0)
                self.assertEqual("all 1 members end at run.max_time before their stop rule can hold" in done.stderr, cut)
        run(**rest, max_time=4200)
        late = {"name": "late", "slot": "50 min", "rates_m3_s": [0, 4]}
        self.ensemble(events=[EVENTS[0], late])
        self.assertIn("warning: e.json: 1 of 2 members end at run.max_time",
                      self.sciara("ensemble", "check", "e.json", "--no-estimate").stderr)
        self.ensemble(events=[late])
        self.sciara("ensemble", "check", "e.json", "--no-estimate", code=3)
        done = self.run_scenario("cut", "--set", "run.max_time=4200", name="base.json")
        self.assertEqual(case.record(done)["stop_reason"], "time")

    def test_many_members_are_asked_for(self):
        """A count for each of many pairs is seldom what is meant: the file must say so."""
        self.write("many.csv", "x,y\n" + "".join(f"{X + k / 100},{Y}\n" for k in range(300)))
        sample = {"method": "random", "count": 100, "seed": 1}
        parts = {"vents": {"table": "many.csv"}, "events": EVENTS}
        self.assertEqual(self.problems(sample=sample, **parts),
                         ['e.json: sample.vents: expected "drawn", with which there are 100 members in all, or "all", with 100 '
                          'members of each of 600 pairs of vent and event: 60000 in all. Found neither'])
        self.ensemble(sample={**sample, "vents": "drawn"}, **parts)
        self.assertEqual(len(self.plan()), 100)
        self.ensemble(sample={**sample, "count": 1}, **parts)
        self.assertIn("sample: 1 members of each of 600 pairs of vent and event, 600 in all",
                      self.sciara("ensemble", "check", "e.json", "--no-estimate").stderr)

    def test_time_and_memory_around_vents(self):
        """With dem.window_margin_m there is an estimate too, whatever the form of the vents and whether the plan has its own: each probed member
        is one of the plan, and comes to its end. Without one the reason is said."""
        effusion = {"slot": "10 min", "rates_m3_s": [4]}
        dem = {"path": "dem.asc", "crs": "EPSG:32633", "window_margin_m": 100}
        line = {"name": "f", "lonlat": True, "line": [[15.0022, 37.7421], [15.0026, 37.7422]], "effusion": effusion}
        vary = {"vary": [{"key": "model.relaxation", "values": [0.4, 0.5, 0.6]}]}
        for vents, parts in ((line, vary), ({"name": "v", "x": X, "y": Y, "effusion": effusion}, vary),
                             (line, {"vents": {"line": {"coordinates": [[X, Y], [X + 40, Y - 40]], "every_m": 25}}, "events": EVENTS[:1]})):
            self.write_scenario("base.json", vents=[vents], dem=dem, run={"until": "20 min"})
            self.ensemble(**parts)
            said = self.sciara("ensemble", "check", "e.json").stdout
            members = int(re.search(r"members: +(\d+) in", said)[1])
            found = re.search(r"\ntime: +about .* on one core, .*; from (\d+) members, (\d+) of them to the end\)\nmemory: +at most about \S+ .B for", said)
            self.assertIsNotNone(found, said)
            self.assertEqual((int(found[1]), int(found[2])), (min(members, 8),) * 2, said)
            self.assertIn("\ntime:     no estimate\nmemory:   at most about", self.sciara("ensemble", "check", "e.json", "--no-estimate").stdout)
        self.write_scenario("base.json", vents=[vents], dem=dem, run={"until": "20 min"})
        self.ensemble(vary=[{"key": "model.clock_max_s", "values": [10, 1e-6]}])  # of the second 1e9 steps, which no probe can tell
        said = self.sciara("ensemble", "check", "e.json").stdout
        self.assertRegex(said, r"\ntime: +no estimate: 1 of 2 members ended in 6 s; all take more than \S+ s on one core; 'run' shows the time left when some have ended\n")

    @unittest.skipIf(case.SANITIZED, "sanitizers take time of their own")
    def test_time_of_small_members(self):
        """Their files take longer than their lava: the estimate for one core is at least half of the processor time, and at most twice."""
        self.ensemble(vary=[{"key": "model.relaxation", "values": [0.3 + 0.0004 * k for k in range(1000)]}])
        said = float(re.search(r"about (\S+) s on one core", self.sciara("ensemble", "check", "e.json").stdout)[1])
        before = os.times()
        self.tool(case.PROGRAM, "ensemble", "run", "e.json", "-o", "out", "-q", "--no-pictures")
        took = os.times().children_user + os.times().children_system - before.children_user - before.children_system
        self.assertTrue(said / 2 < took < said * 2, (said, took))

    def test_disk_estimate(self):
        """Varied volumes count, and no member is without its own bytes."""
        def megabytes(volume, count):
            self.ensemble(events=EVENTS[:1], vary=[{"key": "events.0.volume_m3", "values": [volume]},
                                                   {"key": "model.relaxation", "values": [0.3 + 0.4 * k / count for k in range(count)]}])
            said = self.sciara("ensemble", "check", "e.json", "--no-estimate").stdout
            return float(re.search(r"at most about (\S+) MB,", said[said.index("disk"):]).group(1))
        self.assertGreater(megabytes(30000, 2) - megabytes(300, 2), 0.005)
        self.assertGreater(megabytes(300, 50) - megabytes(300, 2), 48 * 0.006)

    def test_folder_of_something_else(self):
        self.ensemble()
        os.mkdir(self.path("out"))
        self.write("out/notes.txt", "mine")
        self.assertIn("found other files", self.plan(code=3).stderr)
        self.assertEqual(os.listdir(self.path("out")), ["notes.txt"])
