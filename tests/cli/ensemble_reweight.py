# SPDX-License-Identifier: Apache-2.0
"""`sciara ensemble reweight`: synthetic truths, whose early outlines must improve the map of probability, of both rules and two
designs; weights, scores, exponent and errors recomputed with numpy; what products say; refusals; an interrupted writer."""
import csv
import fcntl
import json
import os
import re
import shutil
import subprocess
import time
import unittest

import case
from case import COLS, PROGRAM, ROWS, SOUTH, WEST, SharedCase, open_snapshot

import batches
import geo
import numpy as np
from osgeo import gdal

MEMBERS, TRUTHS, AT = 80, 2, 2160  # outlines at 30 % of eruptions of 2 h
GOAL_TRUTHS = 6 if case.LONG else 3
VARY = [{"key": "rate_scale", "log_uniform": [0.2, 3]}, {"key": "model.cooling", "log_uniform": [40, 600]}]
SHEET = [VARY[0], {"key": "model.viscosity_vent_Pa_s", "log_uniform": [5e3, 5e4]}, {"key": "model.radiating_share", "log_uniform": [0.1, 1]}]
FILE = "weights-observed.csv"


def plan(work, name, count, seed, base="base.json", vary=None, **sample):
    case.write_json(os.path.join(work, f"{name}.json"), {
        "base": base, "vents": {"table": "two.csv", "jitter_m": 20, "weights": {"column": "w"}},
        "events": [{"volume_m3": 9000, "duration": "2 h", "curve": "waning", "slots": 8}], "vary": vary or VARY,
        "sample": {"method": "random", "count": count, "seed": seed, **sample},
        "result": {"thickness_m": [0], "within": ["2 h"],
                   "sites": [{"name": "below", "x": WEST + 225, "y": SOUTH + 185}, {"name": "never", "x": WEST + 15, "y": SOUTH + 15}]}})
    case.run_program("ensemble", "plan", f"{name}.json", "-o", name, "--no-estimate", "-q", cwd=work)


def arrivals(work, folder, member):
    """Arrival times of one member, which is computed as a run of its own; infinite where it does not arrive."""
    name = f"{folder}-{member}"
    case.run_program("ensemble", "member", folder, member, "-o", f"{name}.json", cwd=work)
    case.run_program("run", f"{name}.json", "-q", "-o", name, cwd=work)
    last = case.record(os.path.join(work, name))["snapshots"][-1]["name"]
    values = open_snapshot(os.path.join(work, name, last))["arrival_time"].values.reshape(ROWS, COLS).astype(float)
    return np.where(np.isfinite(values) & (values >= 0), values, np.inf)


def jaccard(run, observed):
    return (run & observed).sum() / (run | observed).sum()


def effective(w):
    return w.sum() ** 2 / (w ** 2).sum()


def write_bases(work):
    """base.json with rule fv3, sheet.json with rule bingham, and the vents."""
    for name, model in (("base.json", {"cooling": 150}), ("sheet.json", {**case.SHEET, "yield_strength_vent_Pa": 2000, "yield_strength_sol_Pa": 2e4})):
        case.write_scenario(work, name, model=model, run={"until": "3 h"},
                            vents=[{"x": WEST + 205, "y": SOUTH + 225, "effusion": {"slot": "30 min", "rates_m3_s": [1]}}],
                            output={"fields": case.FIELDS, "dtype": "float64"})
    case.write_text(os.path.join(work, "two.csv"), f"x,y,w\n{WEST + 175},{SOUTH + 225},3\n{WEST + 225},{SOUTH + 215},1\n")


@unittest.skipIf(case.SANITIZED, "a thousand members: Reweight runs the same code")
class Goal(SharedCase):
    """500 members and more: of rule fv3 drawn at random, of rule bingham Sobol' points; each truth is no member. The Brier score over all
    cells, against the final extent of the truth, falls by 25 % or more; the probability rises where lava comes later, and falls
    where none comes."""

    @classmethod
    def prepare(cls):
        write_bases(cls.work)

    def probability(self, name):
        self.sciara("ensemble", "reduce", name, "--no-pictures", "-q")
        values = geo.read(self.path(name, "maps", "probability_0m.tif"))
        return np.where(values == case.NODATA, 0, values)

    def check(self, name, base, vary, count, **sample):
        plan(self.work, name, count, 5, base, vary, vents="drawn", **sample)
        self.sciara("ensemble", "run", name, "-q")
        plan(self.work, f"{name}-truth", GOAL_TRUTHS, 92, base, vary, vents="drawn")
        before = self.probability(name)
        for k in range(GOAL_TRUTHS):
            with self.subTest(truth=k):
                arrival = arrivals(self.work, f"{name}-truth", k)
                final, later = np.isfinite(arrival), np.isfinite(arrival) & (arrival > AT)
                self.assertGreater(later.sum(), 0)
                case.write_cells(self.path("outline.json"), arrival <= AT)
                self.sciara("ensemble", "reweight", name, "--observed", "outline.json", "--at", AT)
                after = self.probability(name)
                os.remove(self.path(name, FILE))
                scores = [((p - final) ** 2).mean() for p in (before, after)]
                print(f"{name}, truth {k}: {later.sum()} of {final.sum()} cells come later; Brier score {scores[0]:.5f}, reweighted "
                      f"{scores[1]:.5f}, {100 * (1 - scores[1] / scores[0]):.0f} % better")
                self.assertLessEqual(scores[1], 0.75 * scores[0])
                self.assertGreater(after[later].mean(), before[later].mean())
                self.assertLess(after[~final].mean(), before[~final].mean())

    def test_random_draws_of_fv3(self):
        self.check("fv3", "base.json", VARY, 500)

    def test_sobol_points_of_bingham(self):
        self.check("bingham", "sheet.json", SHEET, 64, method="sobol", replicates=8)


class Reweight(SharedCase):
    @classmethod
    def prepare(cls):
        write_bases(cls.work)
        plan(cls.work, "e", MEMBERS // 2, 5)
        case.run_program("ensemble", "run", "e", "-q", cwd=cls.work)
        plan(cls.work, "truth", TRUTHS // 2, 91)
        cls.truth = [arrivals(cls.work, "truth", k) for k in range(TRUTHS)]
        for k, arrival in enumerate(cls.truth):
            case.write_cells(os.path.join(cls.work, f"truth{k}.json"), arrival <= AT)

    def setUp(self):
        for name in (FILE, f"{FILE}.part"):
            if os.path.lexists(self.path("e", name)):
                os.remove(self.path("e", name))

    def reweight(self, observed="truth0.json", folder="e", at=AT, *more, **options):
        return self.sciara("ensemble", "reweight", folder, "--observed", observed, "--at", at, *more, **options)

    def table(self, folder="e"):
        """Comment, weights, planned weights, J."""
        with open(self.path(folder, FILE), encoding="utf-8", newline="") as f:
            comment = f.readline()
            rows = list(csv.DictReader(f))
        self.assertEqual([int(r["id"]) for r in rows], list(range(MEMBERS)))
        columns = (np.array([float(r[name] or "nan") for r in rows]) for name in ("weight", "planned_weight", "jaccard"))
        return (comment, *columns)

    def reduce(self):
        done = self.sciara("ensemble", "reduce", "e", "--no-pictures")
        values = geo.read(self.path("e", "maps", "probability_0m.tif"))
        return done, np.where(values == case.NODATA, 0, values)

    def check_exponent(self, printed, planned, j, share):
        """The largest thousandth up to 50 with enough n_eff, by trying all of them."""
        steps = np.arange(1, 50001) / 1000
        n = np.array([effective(planned * (j / j.max()) ** b) for b in steps])
        allowed = steps[n >= share * effective(planned)]
        found = re.search(r"^beta (\S+); n_eff (\S+) before, (\S+) after$", printed, re.M)
        self.assertEqual(float(found[1]), allowed.max())
        self.assertAlmostEqual(float(found[2]), effective(planned), 2)
        self.assertAlmostEqual(float(found[3]), effective(planned * j ** allowed.max()), delta=0.006)
        return allowed.max()

    def test_weights(self):
        """J of three members, computed alone; exponent, n_eff, weights and what is printed, from J."""
        for share in (0.2, 0.4, 0.05, 0.0126):
            with self.subTest(share=share):
                more = () if share == 0.2 else ("--min-effective", share)
                printed = self.reweight("truth1.json", "e", "36 min", *more).stdout
                comment, weight, planned, j = self.table()
                b = self.check_exponent(printed, planned, j, share)
                expected = planned * j ** b
                np.testing.assert_allclose(weight, expected / expected.sum(), rtol=1e-12, atol=0)
                self.assertEqual(comment, f"# members weighted by J^{b:g} with the extent observed at 2160 s (truth1.json)\n")
        np.testing.assert_array_equal(planned, [float(r["weight"]) for r in case.read_rows(self.path("e", "weights.csv"))])
        self.assertEqual(len(set(planned)), 2)
        best = int(np.argmax(j))
        self.assertIn(f"J of {MEMBERS} finished members: best {j[best]:.4f} (member {best}), median {np.median(j):.4f}, {(j == 0).sum()} with J = 0\n",
                      printed)
        observed = self.truth[1] <= AT
        self.assertIn(f"observed: {observed.sum()} cells at 36 min\n", printed)
        for member in (best, 3, int(np.argsort(j)[MEMBERS // 2])):
            self.assertEqual(j[member], jaccard(arrivals(self.work, "e", member) <= AT, observed))
        with subprocess.Popen([PROGRAM, "evaluate", f"e-{best}.json", "--observed", "truth1.json", "--at", str(AT), "-q"], cwd=self.work,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            scores = json.loads(process.communicate(b'{"id": 1, "set": {}}\n')[0])
        self.assertAlmostEqual(scores["jaccard"], j[best], 12)

    def test_thin_lava(self):
        """--min-thickness is a limit of the largest deposit, as in evaluate."""
        self.reweight()
        _, _, _, all_lava = self.table()
        self.reweight("truth0.json", "e", AT, "--min-thickness", 3)
        _, _, _, thick = self.table()
        self.assertTrue((thick != all_lava).any())
        self.reweight("truth0.json", "e", AT, "--min-thickness", 0)
        np.testing.assert_array_equal(self.table()[3], all_lava)

    def test_products(self):
        """Maps, tables and messages say it; errors are those of one stratum; without the file all is as before."""
        first, before = self.reduce()
        self.assertNotIn("observed", first.stdout + first.stderr)
        earlier = case.tree(self.path("e", "maps"))
        self.reweight()
        comment, weight, _, _ = self.table()
        said = comment[2:].strip()
        self.assertEqual({row["stop"] for row in case.read_rows(self.path("e", "log.csv"))} - {"solidified"}, {"time"})
        condition = (rf"valid only for the assumed vents, eruptions and model, if such an eruption happens; {re.escape(said)}; until 3 h "
                     rf"after the start, when the lava of \d+ of \d+ members is still liquid")
        done, after = self.reduce()
        self.assertIn(f"valid only for the assumed vents, eruptions and model, if such an eruption happens; {said}", done.stdout)
        self.assertIn(said, done.stderr)
        self.assertIn(said, self.sciara("ensemble", "query", "e", "--at", f"{WEST + 225},{SOUTH + 185}").stdout)
        self.assertIn(said, self.sciara("ensemble", "compare", "e", "e", "-o", "pairs").stdout)
        for path in (self.path("e", "maps", "probability_0m.tif"), self.path("pairs", "difference_probability_0m.tif")):
            tags = gdal.Open(path).GetMetadata()
            self.assertRegex(tags["condition"], f"^{condition}$")
            self.assertNotIn("upper_95_percent_bound_without_hits", tags)
        rows = case.read_rows(self.path("e", "sites.csv"))
        for row in rows:
            self.assertRegex(row["condition"], f"^{condition}$")
        self.assertEqual({r["upper_95_without_hits"] for r in rows}, {""})
        self.sciara("ensemble", "export", "e", "-q", "-f", "png", "--layer", "probability_0m", "-o", "weighted.png")
        self.assertIn("Members are weighted by how well they agree with truth0.json, mapped 36 min after their start.",
                      gdal.Open(self.path("weighted.png")).GetMetadata()["assumptions"])
        reached = np.isfinite(batches.arrivals(self.path("e"), ROWS * COLS))
        share = weight / weight.sum()
        p = share @ reached
        n = (weight > 0).sum()
        error = np.sqrt(n / (n - 1) * (share ** 2 @ (reached - p) ** 2))
        np.testing.assert_allclose(after.ravel(), p, atol=1e-6)
        found = geo.read(self.path("e", "maps", "probability_0m_error.tif")).ravel()
        np.testing.assert_allclose(found[p > 0], error[p > 0], rtol=1e-5, atol=1e-7)
        self.sciara("ensemble", "export", "e", "--format", "html")
        self.assertIn('"observed":true', case.read_text(self.path("e", "maps", "page.html")))
        os.remove(self.path("e", "maps", "page.html"))
        os.remove(self.path("e", FILE))
        self.reduce()
        self.assertEqual(case.tree(self.path("e", "maps")), earlier)
        self.assertGreater(np.abs(after - before).max(), 0.1)

    def test_unfinished(self):
        """Members without a result have the mean factor of their stratum, so the others have the weights that they would have
        alone; when they are finished it is said that they have no score."""
        last = self.path("e", "batches", "000001.h5")
        os.rename(last, last + "-")
        try:
            said = self.reweight().stderr
            _, weight, planned, j = self.table()
            self.assertIn(f"{MEMBERS - 64} of {MEMBERS} members are not finished", said)
            self.assertEqual(list(np.isnan(j)), [k >= 64 for k in range(MEMBERS)])
            b = float(re.search(r"J\^(\S+)", self.table()[0])[1])
            stratum = np.array([int(r["stratum"]) for r in case.read_rows(self.path("e", "members.csv"))])
            done, expected = ~np.isnan(j), planned.copy()
            expected[done] *= j[done] ** b
            for s in (0, 1):
                own = stratum == s
                expected[own & ~done] *= expected[own & done].sum() / planned[own & done].sum()
            np.testing.assert_allclose(weight, expected / expected.sum(), rtol=1e-12)
            self.assertNotIn("repeat 'sciara ensemble reweight'", self.reduce()[0].stderr)
        finally:
            os.rename(last + "-", last)
        self.assertIn(f"{MEMBERS - 64} members have been finished since the weights were made", self.reduce()[0].stderr)

    def refused(self, words, *args, code=3, **more):
        before = case.tree(self.path("e"))
        done = self.reweight(*args, code=code, **more)
        for word in words if isinstance(words, tuple) else (words,):
            self.assertIn(word, done.stderr)
        self.assertEqual(case.tree(self.path("e")), before)

    def test_refusals(self):
        self.assertIn("--observed is missing", self.sciara("ensemble", "reweight", "e", "--at", AT, code=2).stderr)
        self.assertIn("--at is missing", self.sciara("ensemble", "reweight", "e", "--observed", "truth0.json", code=2).stderr)
        self.refused("--at: expected a time above 0", "truth0.json", "e", 0, code=2)
        for text in ("0", "1.1", "x"):
            self.refused("--min-effective: expected a number above 0 and up to 1", "truth0.json", "e", AT, "--min-effective", text, code=2)
        self.refused(("member 0 ends at", "found 1 d"), "truth0.json", "e", "1 d")
        far = np.zeros((ROWS, COLS), bool)
        far[25:28, 1:4] = True
        case.write_cells(self.path("far.json"), far)
        self.refused(("expected a member that reaches what was observed", "all have J = 0"), "far.json")
        self.assertGreater((self.scores() == 0).sum(), 0)
        self.refused(("have J = 0: without them n_eff is at most", "--min-effective"), "truth0.json", "e", AT, "--min-effective", 1)
        os.makedirs(self.path("none"), exist_ok=True)
        self.reweight("truth0.json", "none", code=4)
        self.assertEqual(os.listdir(self.path("none")), [])

    def scores(self):
        self.reweight()
        j = self.table()[3]
        os.remove(self.path("e", FILE))
        return j

    def test_one_draw_a_stratum(self):
        """Weights that depend on the draws give no bound, also where each stratum has a single one; and all are draws of one
        stratum, so there is an error."""
        plan(self.work, "single", 1, 8)
        self.sciara("ensemble", "run", "single", "-q")
        found = []
        for weighted in (False, True):
            if weighted:
                both = np.minimum(arrivals(self.work, "single", 0), arrivals(self.work, "single", 1))
                case.write_cells(self.path("both.json"), both <= AT)
                self.reweight("both.json", "single", AT, "--min-effective", 0.9)
            self.sciara("ensemble", "reduce", "single", "--no-pictures", "-q")
            rows = {r["site"]: r for r in case.read_rows(self.path("single", "sites.csv"))}
            maps = os.listdir(self.path("single", "maps"))
            found.append((rows["never"]["upper_95_without_hits"] != "", "probability_0m_error.tif" in maps))
        self.assertEqual(found, [(True, False), (False, True)])

    def test_no_result(self):
        self.assertIn("expected at least one finished member", self.reweight("truth0.json", "truth", code=3).stderr)
        self.assertFalse(os.path.exists(self.path("truth", FILE)))

    def test_folder_in_use(self):
        with open(self.path("e", "run.lock"), "a", encoding="ascii") as f:
            fcntl.flock(f, fcntl.LOCK_SH)
            self.refused("a process computes members of the ensemble")

    def test_changed_weights_and_damage(self):
        """The table belongs to the planned weights; every command refuses another one, and names the cure."""
        self.reweight()
        path, planned = self.path("e", FILE), self.path("e", "weights.csv")
        shutil.copy(planned, self.path("weights"))
        good = case.read_text(path)
        try:
            lines = case.read_text(planned).splitlines()
            lines[3] = "2,0.5"
            case.write_text(planned, "\n".join(lines) + "\n")
            said = self.sciara("ensemble", "query", "e", "--at", f"{WEST + 225},{SOUTH + 185}", code=3).stderr
            self.assertIn(f"{FILE}:5: expected 0.5, the planned weight now, found ", said)
            self.assertIn("make the file again with 'sciara ensemble reweight', or remove it", said)
            self.reweight()
            self.assertEqual(self.table()[2][2], 0.5)
            case.write_text(planned, "\n".join([*lines[:3], "2,0", *lines[4:]]) + "\n")
            self.assertNotIn("not finished", self.reweight().stderr)  # a member of weight 0 is missed by nobody
        finally:
            shutil.copy(self.path("weights"), planned)
        rows = good.splitlines()
        for line, text, words in ((0, "id", f"{FILE}:1: expected a line that begins with #"), (1, "id,weight", f"{FILE}:2: expected the line"),
                                  (4, "2,-1,0,0", f"{FILE}:5: expected a weight"), (4, "7,0,0,0", f"{FILE}:5: expected the id 2"),
                                  (2, rows[2].rpartition(",")[0] + ",2", f"{FILE}:3: expected a Jaccard index"),
                                  (len(rows) - 1, "", "expected a row for each member"), (len(rows) - 1, rows[-1] + "\n9,0,0,0", "expected one row")):
            case.write_text(path, "\n".join([*rows[:line], text, *rows[line + 1:]]) + "\n")
            self.assertIn(words, self.sciara("ensemble", "status", "e", code=3).stderr)
        self.reweight()
        self.assertEqual(case.read_text(path), good)
        os.rename(path, self.path("elsewhere"))
        os.symlink(self.path("elsewhere"), path)
        self.assertIn("found a symbolic link", self.reweight(code=3).stderr)

    def test_killed(self):
        """After SIGKILL at any moment the table is the earlier or the new one, whole."""
        whole = []
        for k in (0, 1):
            self.reweight(f"truth{k}.json")
            whole.append(case.read_bytes(self.path("e", FILE)))
        self.assertNotEqual(*whole)
        began = time.monotonic()
        self.reweight("truth0.json")
        took = time.monotonic() - began
        for k in range(12):
            with subprocess.Popen([PROGRAM, "ensemble", "reweight", "e", "--observed", f"truth{k % 2}.json", "--at", str(AT)], cwd=self.work,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                time.sleep(took * (0.3 + 0.07 * k))
                process.kill()
            self.assertIn(case.read_bytes(self.path("e", FILE)), whole)
        case.write_bytes(self.path("e", f"{FILE}.part"), whole[0][:100])
        self.reweight("truth1.json")
        self.assertEqual(case.read_bytes(self.path("e", FILE)), whole[1])
