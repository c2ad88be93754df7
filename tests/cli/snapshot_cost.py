# SPDX-License-Identifier: Apache-2.0
"""bench/snapshot-cost and sciara_scene_files measure what they claim to measure."""
import json
import os
import sys

import case
import geo
from case import Case, record

import numpy

BUILD = os.environ["SCIARA_BUILD_DIR"]
TOOL = os.path.join(case.SOURCE, "bench/snapshot-cost")
HERE = {key: value for key, value in os.environ.items() if key not in ("SCIARA_ETNA2006", "SCIARA_RUN")}
HERE["SCIARA_BUILD"] = BUILD


class SceneFiles(Case):
    def make(self, *args, code=0):
        return self.tool(os.path.join(BUILD, "sciara_scene_files"), *args, code=code)

    def test_the_files_are_the_scene(self):
        for scene, size in ("dense", 64), ("sparse", 1024):
            checksum = self.make(scene, size, scene).stdout.strip()
            for precision in "double", "single":
                trace = f"{scene}-{precision}.csv"
                self.sciara("validate", f"{scene}/scenario.json", "--engines", "serial", "--steps", 2, "--every", 1,
                            "--precision", precision, "--record", trace)
                self.assertEqual(case.read_rows(self.path(trace))[0]["start"], checksum, f"{scene}, {precision}")
            thickness = geo.read(self.path(scene, "thickness.tif"))
            liquid = numpy.count_nonzero(thickness > 0)
            self.assertEqual(liquid, 62 * 62 if scene == "dense" else 4 * 16 * 16, f"{scene}: cells with lava")


class Cost(Case):
    def measure(self, *args, code=0, **env):
        done = self.tool(sys.executable, TOOL, *args, code=code, env={**HERE, **env})
        self.assertEqual([f for f in os.listdir(self.work) if f.startswith("snapshot-cost-")], [], "left behind")
        return done

    def test_of_a_scenario(self):
        self.write_scenario()
        done = self.measure("--every", "10 min", "--repeats", 2, "--json", "cost.json", "s.json", "serial",
                            "--set", "model.cooling=100")
        cost = case.read_json(self.work, "cost.json")
        self.assertEqual((len(cost["with"]), len(cost["without"]), len(cost["disk_alone"])), (2, 2, 2))
        plain = record(self.run_scenario("plain", "--engine", "serial", "--set", "output.every=10 min", "--set",
                                         "model.cooling=100"))
        for run in cost["with"]:
            self.assertEqual(run["snapshots"], plain["snapshots"], "the snapshots of the run that was measured")
            self.assertGreater(run["output_wait_s"], 0)
            self.assertGreater(run["process_s"], run["wall_s"])
        for run in cost["without"]:
            self.assertEqual(run["snapshots"], plain["snapshots"][-1:], "the state at the end alone")
            self.assertEqual(run["output_wait_s"], 0)
        files = [os.path.join(self.work, "plain", s["name"]) for s in plain["snapshots"][:-1]]
        for alone in cost["disk_alone"]:
            self.assertEqual(alone["files"], len(files))
            # The history of a run names its folder, so the sizes differ slightly.
            self.assertAlmostEqual(alone["bytes"], sum(map(os.path.getsize, files)), delta=1000 * len(files))
            self.assertGreater(alone["fsync_s"], 0)
        a, b = (sorted(r["process_s"] for r in cost[kind]) for kind in ("without", "with"))
        self.assertAlmostEqual(cost["share"]["process_s"], (sum(b) - sum(a)) / sum(a), 9)
        self.assert_parts(done.stdout, f"{100 * cost['share']['process_s']:8.2f}%", "disk alone: fsync, s")

    def test_of_a_scene_every_so_many_steps(self):
        self.measure("--every-steps", 10, "--steps", 40, "--repeats", 1, "--json", "cost.json", "dense:64", "checked")
        cost = case.read_json(self.work, "cost.json")
        run, = cost["with"]
        steps = [0] + [s["step"] for s in run["snapshots"]]
        self.assertEqual((run["step"], steps[-1]), (40, 40))
        self.assertIn(len(steps) - 1, (4, 5), steps)
        self.assertLessEqual(max(b - a for a, b in zip(steps, steps[1:])), 30, steps)
        self.assertEqual(json.dumps(cost["without"][0]["time_s"]), json.dumps(run["time_s"]))
