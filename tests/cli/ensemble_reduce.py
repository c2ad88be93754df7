# SPDX-License-Identifier: Apache-2.0
"""The maps of `sciara ensemble reduce`, cell by cell, every column of sites.csv and the lines of `compare`, compared with
formulas written independently with numpy."""
import contextlib
import csv
import functools
import json
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import batches
import case
from quantile import student

import h5py
import numpy as np

SOURCE, BUILD = Path(os.environ["SCIARA_SOURCE_DIR"]), Path(os.environ["SCIARA_BUILD_DIR"])
PROGRAM, SYNTHETIC = os.environ["SCIARA_PROGRAM"], BUILD / "sciara_ensemble_synthetic"
NODATA = -9999.0


def run(*command, code=0):
    if command[0] == PROGRAM:
        done = case.run_program(*command[1:], cwd=os.getcwd(), code=code)
        return done.stdout + done.stderr
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    assert result.returncode == code, f"{command}: {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout + result.stderr


def base_of(work):
    """A part of the volcano: its harbour, cells without ground, and all that lava of the synthetic members reaches."""
    base = json.loads((SOURCE / "config/hazard-base.json").read_text())
    base["dem"] = {"path": str(SOURCE / "datasets/volcano.tif"), "window_xy": [447300, 4346900, 450400, 4348300]}
    return case.write_json(work / "hazard-base.json", base)


def plan(work, name, sample, vents=None, base=None, parts=None, **result):
    ensemble = json.loads((SOURCE / "config/hazard.json").read_text())
    ensemble["base"] = str(base or base_of(work))
    ensemble["vents"] = vents or {"grid": {"extent": [447600, 4347200, 448800, 4348000], "step_m": 200}}
    ensemble["sample"] = sample
    ensemble.update(parts or {})
    ensemble["result"].update(result)
    (work / f"{name}.json").write_text(json.dumps({key: part for key, part in ensemble.items() if part is not None}))
    run(PROGRAM, "ensemble", "plan", work / f"{name}.json", "-o", work / name, "--no-estimate")
    return work / name


TO_RAW = """
import glob, sys
from osgeo import gdal
gdal.UseExceptions()
for line in sys.stdin:
    for path in glob.glob(line.rstrip("\\n") + "/*.tif"):
        dataset = gdal.Open(path)
        dataset.GetRasterBand(1).ReadAsArray().astype("float64").tofile(path + ".raw")
    print("done", flush=True)
"""


@functools.cache
def reader():
    """A process of its own: the HDF5 of GDAL and that of h5py may differ."""
    return subprocess.Popen([sys.executable, "-c", TO_RAW], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def raster(path):
    raw = path.with_suffix(".tif.raw")
    if not raw.exists() or raw.stat().st_mtime_ns < path.stat().st_mtime_ns:
        reader().stdin.write(f"{path.parent}\n")
        reader().stdin.flush()
        assert reader().stdout.readline() == "done\n", path
    return np.fromfile(raw)


def columns_of(folder):
    """The cells that lava of a member reaches, and the first valid one of the others, which have the same value in each map."""
    valid = raster(folder / "dem.tif") != NODATA
    reached = np.zeros(valid.size, bool)
    for f in batches.members(folder):
        reached[f["cell"]] = True
    dry = valid & ~reached
    assert dry.any() and (reached & valid).any()
    return np.append(np.flatnonzero(reached), np.flatnonzero(dry)[0]), dry, valid


def read(folder, name, columns, dry, valid):
    """The map in these columns, after a comparison of the others: dry cells have one value, those without ground have none."""
    found = raster(folder / f"maps/{name}.tif")
    assert (found[dry] == found[columns[-1]]).all(), f"{name}: cells that no lava reaches differ"
    assert (found[~valid] == NODATA).all(), f"{name}: a value where there is no ground"
    return found[columns]


def members(folder, columns):
    """Weights, strata, state (0 open, 1 complete, 2 censored), ends, arrival and deposits per member and column."""
    rows = list(csv.DictReader((folder / "members.csv").open()))
    weight = {r["id"]: float(r["weight"]) for r in csv.DictReader((folder / "weights.csv").open())}
    w, s = np.array([weight[r["id"]] for r in rows]), np.array([int(r["stratum"]) for r in rows])
    at = {int(r["id"]): k for k, r in enumerate(rows)}
    state, end = np.zeros(len(w), int), np.zeros(len(w))
    column = np.zeros(columns.max() + 1, int)
    column[columns] = np.arange(columns.size)
    shape = len(w), columns.size
    arrival, most, last = np.full(shape, np.inf), np.zeros(shape), np.zeros(shape)
    for f in batches.members(folder):
        k, c = at[int(f["id"])], column[f["cell"]]
        if not f["failed"]:
            state[k], end[k] = 1 + bool(f["censored"]), f["end_s"]
            arrival[k, c], most[k, c], last[k, c] = f["arrival"], f["max_deposit"], f["deposit"]
    return w, s, state, end, arrival, most, last


def restored(w, s, done):
    """Weights with which the finished members of a stratum have all of its weight; 0 for the others."""
    out = np.zeros(w.size)
    for g in np.unique(s[done]):
        m = done & (s == g)
        out[m] = w[m] * w[s == g].sum() / w[m].sum()
    return out


def variance_of(values, r, s):
    """Of the mean of values of members with the weights r, drawn in strata, none of which has a single one here."""
    variance = np.zeros(values.shape[1])
    for g in np.unique(s[r > 0]):
        m = (r > 0) & (s == g)
        p = r[m] @ values[m] / r[m].sum()
        variance += m.sum() / (m.sum() - 1) * ((r[m] / r.sum()) ** 2 @ (values[m] - p) ** 2)
    return variance


def halved_difference(values, r, colour):
    """Of the means of the members of the two colours of vents: the grid difference."""
    one, two = (r[colour == c] @ values[colour == c] / r[colour == c].sum() for c in (0, 1))
    return abs(one - two) / 2


def estimate(hit, w, s, state, end, until, colour=None):
    """H with bounds, and the error, or in a full plan the difference of the colours of its vents."""
    done = state > 0
    cut = ((state == 2) & (end < until))[:, None] & ~hit
    r = restored(w, s, done)
    value = r @ hit / r.sum()
    high = (w[done] @ hit[done] + w[~done].sum() + w @ cut) / w.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(variance_of(hit, r, s)) if colour is None else halved_difference(hit, r, colour)
    return value, w[done] @ hit[done] / w.sum(), high, np.where(hit[done & (w > 0)].any(0), error, NODATA)


def halves(hit, w, s, state):
    """H at a place from every other member of each stratum, which have its whole weight; strata of one member are in neither."""
    sums, whole = [0, 0], 0
    for g in np.unique(s[state > 0]):
        turns = np.flatnonzero((state > 0) & (w > 0) & (s == g))
        if turns.size > 1:
            whole += w[s == g].sum()
            for k in (0, 1):
                sums[k] += w[s == g].sum() * (w[turns[k::2]] @ hit[turns[k::2]]) / w[turns[k::2]].sum()
    return sums[0] / whole, sums[1] / whole


def quantiles(values, reached, w, shares):
    """For each share those of all columns."""
    out = np.full((len(shares), values.shape[1]), NODATA)
    for c in np.flatnonzero(reached.sum(0) >= 10):
        m = np.flatnonzero(reached[:, c])
        m = m[np.argsort(values[m, c], kind="stable")]
        sums = np.cumsum(w[m])
        out[:, c] = values[m[np.searchsorted(sums, np.array(shares) * sums[-1] * (1 - 1e-12))], c]
    return out


def check(name, found, expected, valid):
    expected = np.where(valid, expected, NODATA)
    wrong = np.flatnonzero(~np.isclose(found, expected, rtol=3e-7, atol=1e-12))
    assert wrong.size == 0, f"{name}: {wrong.size} cells, first {wrong[0]}: {found[wrong[0]]}, expected {expected[wrong[0]]}"


def compare(folder, rate=None):
    look = columns, _, ground = columns_of(folder)
    valid = ground[columns]
    w, s, state, end, arrival, most, last = members(folder, columns)
    parts = ("", "_low", "_high", "_error")
    for thickness in (0, 0.5, 2):
        hit = np.isfinite(arrival) if thickness == 0 else most > thickness
        for part, expected in zip(parts, estimate(hit, w, s, state, end, np.inf)):
            check(f"probability_{thickness:g}m{part}", read(folder, f"probability_{thickness:g}m{part}", *look), expected, valid)
    for hours in (3, 6, 12, 24):
        for part, expected in zip(parts, estimate(arrival <= hours * 3600, w, s, state, end, hours * 3600)):
            check(f"reached_within_{hours}h{part}", read(folder, f"reached_within_{hours}h{part}", *look), expected, valid)
    reached = np.isfinite(arrival) & ((state > 0) & (w > 0))[:, None]
    r = restored(w, s, state > 0)
    shares = (0.05, 0.5, 0.95)
    for name, values in (("arrival", arrival), ("deposit", last)):
        for q, expected in zip(shares, quantiles(values, reached, r, shares)):
            check(name, read(folder, f"{name}_q{100 * q:02g}", *look), expected, valid)
    enough = reached.sum(0) >= 10
    with np.errstate(divide="ignore", invalid="ignore"):
        for name, values in (("arrival_mean", np.where(reached, arrival, 0)), ("deposit_mean", last)):
            check(name, read(folder, name, *look), np.where(enough, r @ (values * reached) / (r @ reached), NODATA), valid)
    for name, values in (("arrival_first", np.where(reached, arrival, np.inf).min(0)), ("deposit_max", (most * reached).max(0))):
        check(name, read(folder, name, *look), np.where(reached.any(0), values, NODATA), valid)
    check("hits", read(folder, "hits", *look), reached.sum(0), valid)
    assert (enough & (np.where(reached, arrival, np.inf).min(0) > arrival.min(0))).any() or (w > 0).all(), "weight 0 is never first"
    if rate:
        years = 1 - np.exp(-50 * rate * estimate(most > 0.5, w, s, state, end, np.inf)[0])
        check("years", read(folder, "probability_50years_0.5m", *look), years, valid)
    assert (read(folder, "hits", *look) >= 10).any() and (read(folder, "arrival_q50", *look) != NODATA).any(), "nothing to compare"


SITES = [{"name": "near", "x": 448000, "y": 4347450}, {"name": "middle", "x": 448250, "y": 4347650}]
WEST_ZONE = [[447500, 4347100], [448200, 4347100], [448200, 4348100], [447500, 4348100]]
ZONES = [{"name": "west", "polygon": WEST_ZONE, "rate": 0.03, "interval": [0.01, 0.2]}, {"name": "all", "rate": 0.004},
         {"name": "south", "polygon": [[447500, 4347100], [448900, 4347100], [448900, 4347500], [447500, 4347500]], "rate": 0.5}]


def query_zones(folder, work):
    """Each feature is a place with its name: a zone without its holes and with all its parts, a line, a point; columns may
    have any type. A place that no lava can reach is no probability."""
    def square(x, y, side):
        return [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]

    features = [[[square(447600, 4347200, 50), square(447620, 4347220, 10)]],
                [[square(447600, 4347200, 30)], [square(447700, 4347200, 20)]]]
    zones = work / "asked.geojson"
    case.write_features(zones, *(({"height_m": "three floors"}, "MultiPolygon", parts) for parts in features))
    said = run(PROGRAM, "ensemble", "query", folder, "--zone", zones)
    assert re.findall(r"^feature .*", said, re.MULTILINE) == ["feature 1 (24 cells)", "feature 2 (13 cells)"], said
    places = work / "places.geojson"  # in degrees
    lonlat = subprocess.run(["gdaltransform", "-s_srs", "EPSG:32633", "-t_srs", "EPSG:4326", "-output_xy"], check=True,
                            input="447605 4347205\n447655 4347205\n", stdout=subprocess.PIPE, encoding="ascii").stdout
    lonlat = [[float(value) for value in line.split()] for line in lonlat.splitlines()]
    places.write_text(json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"NAME": name}, "geometry": geometry} for name, geometry in (
            ("house", {"type": "Point", "coordinates": lonlat[0]}), ("road", {"type": "LineString", "coordinates": lonlat}),
            ("house", {"type": "Point", "coordinates": [0, 0]}), (None, None))]}), encoding="utf-8")
    said = run(PROGRAM, "ensemble", "query", folder, "--zone", places)
    found = re.findall(r"^(?:house|road|feature).*", said, re.MULTILINE)
    assert found == ["house (1 cell)", "road (6 cells)", "house (2): lies outside the DEM: no member can reach it",
                     "feature 4: has no geometry, or no length or area: no member can reach it"], said


def compare_zones(folder):
    """P_T = 1 - exp(-T sum of rate x H over zones), H of a zone from its members alone; their vents lie in it."""
    look = columns, _, ground = columns_of(folder)
    valid = ground[columns]
    w, s, state, end, arrival, most, _ = members(folder, columns)
    rows = list(csv.DictReader((folder / "members.csv").open()))
    x, y = (np.array([float(r[f"vents.0.{c}"]) for r in rows]) for c in "xy")
    inside = (x < 448200, x < np.inf, y < 4347500)
    assert 0 < inside[0].sum() < len(rows) and 0 < inside[2].sum() < len(rows) and (inside[0] & inside[2]).any()
    for thickness in (0, 0.5, 2):
        hit = np.isfinite(arrival) if thickness == 0 else most > thickness
        each = [estimate(hit[z], w[z], s[z], state[z], end[z], np.inf) for z in inside]
        for k, (part, rates) in enumerate((("", (0.03, 0.004, 0.5)), ("_low", (0.01, 0.004, 0.5)), ("_high", (0.2, 0.004, 0.5)))):
            for years in (1, 50):
                expected = 1 - np.exp(-years * sum(rate * h[k] for rate, h in zip(rates, each)))
                name = f"probability_{years}years_{thickness:g}m{part}"
                check(name, read(folder, name, *look), expected, valid)
                assert (part, years) == ("_high", 50) or ((expected > 0.01) & (expected < 0.99)).any(), "nothing to compare"


def rate_bound(folder, years):
    """The bound of P_T where no member comes: three times the largest rate of a member, with the highest rates."""
    columns, _, _ = columns_of(folder)
    w, s, state, _, _, _, _ = members(folder, columns)
    rows = list(csv.DictReader((folder / "members.csv").open()))
    x, y = (np.array([float(r[f"vents.0.{c}"]) for r in rows]) for c in "xy")
    r = restored(w, s, state > 0)
    rate = sum(high * r * z / (r * z).sum() for high, z in ((0.2, x < 448200), (0.004, x < np.inf), (0.5, y < 4347500)))
    expected = 1 - np.exp(-years * min(0.704, 3 * rate.max()))
    row = next(csv.DictReader((folder / "sites.csv").open()))
    assert np.isclose(float(row[f"upper_95_without_hits_{years}years"]), expected, rtol=1e-8), (row, expected)
    tags = subprocess.run([sys.executable, "-c", "import sys\nfrom osgeo import gdal\ngdal.UseExceptions()\nfor p in sys.argv[1:]:"
                           " print(gdal.Open(p).GetMetadataItem('upper_95_percent_bound_without_hits'))",
                           str(folder / f"maps/probability_{years}years_0m.tif"), str(folder / "maps/probability_0m.tif")],
                          capture_output=True, text=True, check=True).stdout.split()
    assert np.isclose(float(tags[0]), expected, rtol=1e-8) and np.isclose(float(tags[1]), 3 * (r / r.sum()).max(), rtol=1e-8), tags


def unfinished(work, folder):
    """Of one batch alone: strata without a member are in the bounds only; halves have the weights of the same strata."""
    part = work / "part"
    shutil.copytree(folder, part, ignore=shutil.ignore_patterns("maps", "*.raw"))
    for path in (part / "batches").glob("*.h5"):
        if path.name not in ("000000.h5", "000001.h5"):
            path.unlink()
    with h5py.File(part / "batches/000001.h5") as f:
        assert len(f["id"]) == 64
    said = run(PROGRAM, "ensemble", "reduce", part, "--no-pictures")
    look = columns, _, ground = columns_of(part)
    w, s, state, end, arrival, most, _ = members(part, columns)
    lost = ~np.isin(s, s[state > 0])
    count = np.unique(s[lost]).size
    if count:
        assert f"{count} strata, with {100 * w[lost].sum() / w.sum():.3g} % of the weight, have no finished member" in said, said
    for part_, expected in zip(("", "_low", "_high"), estimate(most > 0.5, w, s, state, end, np.inf)):
        name = f"probability_0.5m{part_}"
        check(name, read(part, name, *look), expected, ground[columns])
    for row in list(csv.DictReader((part / "sites.csv").open()))[:2]:
        dem = json.loads(subprocess.run(["gdalinfo", "-json", str(part / "dem.tif")], capture_output=True, text=True, check=True).stdout)
        west, cell, _, north = dem["geoTransform"][:4]
        at = int((north - float(row["y"])) / cell) * dem["size"][0] + int((float(row["x"]) - west) / cell)
        hit = np.isfinite(arrival[:, np.flatnonzero(columns == at)[0]])
        half = halves(hit, w, s, state)
        for k in (0, 1):
            assert np.isclose(float(row[f"probability_0m_half_{k + 1}"]), half[k], rtol=1e-8), (row, half)
    return count


def differences(work, folder):
    """The maps of `compare`: pairs of members that are finished in both, bounds and errors from their differences."""
    other = work / "others"
    shutil.copytree(folder, other, ignore=shutil.ignore_patterns("maps", "batches", "*.raw"))
    run(SYNTHETIC, other, 250, "--censored", 7, "--failed", 17)
    out = work / "changed"
    said = run(PROGRAM, "ensemble", "compare", folder, other, "-o", out)
    a_columns, _, valid = columns_of(folder)
    columns = np.union1d(a_columns, columns_of(other)[0])
    w, s, *a = members(folder, columns)
    b = members(other, columns)[2:]
    pair = (a[0] > 0) & (b[0] > 0)
    assert f"{pair.sum()} pairs" in said and f"{(~pair).sum()} of {pair.size} members are not finished in both" in said, said
    r = restored(w, s, pair)
    for name, until, hit in (("probability_0m", np.inf, lambda of: np.isfinite(of[2])), ("probability_2m", np.inf, lambda of: of[3] > 2),
                             ("reached_within_12h", 43200, lambda of: of[2] <= 43200)):
        one, two = hit(a) & pair[:, None], hit(b) & pair[:, None]
        d = two.astype(float) - one
        least, most = ((of[0] == 2) & (of[1] < until) & pair for of in (a, b))
        known, open_ = w @ d, w[~pair].sum()
        low, high = (known - open_ - w @ (least[:, None] & ~one)) / w.sum(), (known + open_ + w @ (most[:, None] & ~two)) / w.sum()
        error = np.where(d.any(0), np.sqrt(variance_of(d, r, s)), NODATA)
        assert d.any() and (low < high).all()
        for part, expected in (("", r @ d / r.sum()), ("_low", low), ("_high", high), ("_error", error)):
            check(f"difference_{name}{part}", raster(out / f"difference_{name}{part}.tif")[columns], expected, valid[columns])


# ------------------------------------------------------------------------------------- a small ensemble with unequal weights

WEST, NORTH, CELL = case.WEST, case.NORTH, case.CELL
TRIANGLE = [[WEST + 95, NORTH - 60], [WEST + 275, NORTH - 75], [WEST + 150, NORTH - 215]]
PLACES = [{"name": "middle", "x": WEST + 178, "y": NORTH - 152}, {"name": "edge", "x": WEST + 272, "y": NORTH - 202},
          {"name": "never", "x": WEST + 395, "y": NORTH - 5}, {"name": "triangle, slope", "polygon": TRIANGLE},
          {"name": "always", "polygon": [[WEST + x, NORTH - y] for x, y in ((0, 35), (400, 35), (400, 300), (0, 300))]}]
SMALL_ZONES = [{"name": "west", "rate": 0.03, "interval": [0.01, 0.2],
                "polygon": [[WEST, NORTH - 300], [WEST + 160, NORTH - 300], [WEST + 160, NORTH], [WEST, NORTH]]},
               {"name": "all", "rate": 0.004}]
YEARS = 10, 50


def small_plan(work, name, sample, step=50, base=None, parts=None):
    """@param parts in place of those of a plan; None: without it"""
    case.write_scenario(work, "small.json", **base or {})
    vents = {"grid": {"extent": [WEST + 100, NORTH - 200, WEST + 250, NORTH - 75], "step_m": step}}
    return plan(work, name, sample, vents, work / "small.json", parts, sites=PLACES,
                eruptions_per_year=SMALL_ZONES, years=YEARS)


def reweight(folder):
    """Weights of one stratum that differ by up to a factor of 8; some are 0."""
    ids = [int(r["id"]) for r in csv.DictReader((folder / "weights.csv").open())]
    (folder / "weights.csv").write_text("id,weight\n" + "".join(f"{i},{0 if i % 13 == 0 else 2.0 ** (i * 7 % 4)}\n" for i in ids))


def shares_of(site):
    """How much of a site lies in each cell: of a point 1, of a polygon the area of the overlap as GEOS finds it."""
    if "polygon" not in site:
        return {int((NORTH - site["y"]) // CELL) * case.COLS + int((site["x"] - WEST) // CELL): 1}
    return overlaps_of(tuple(map(tuple, site["polygon"])))


OVERLAPS = """
import sys
from osgeo import ogr
ogr.UseExceptions()
west, north, side, rows, cols, *corners = map(float, sys.argv[1:])
def shape(corners):
    return ogr.CreateGeometryFromWkt("POLYGON((" + ",".join("%.17g %.17g" % tuple(at) for at in corners + corners[:1]) + "))")
polygon = shape(list(zip(corners[::2], corners[1::2])))
for r in range(int(rows)):
    for c in range(int(cols)):
        x, y = west + c * side, north - r * side
        print(polygon.Intersection(shape([(x, y), (x + side, y), (x + side, y - side), (x, y - side)])).Area())
"""


@functools.lru_cache(None)
def overlaps_of(corners):
    """In a process of its own, as the rasters."""
    numbers = [WEST, NORTH, CELL, case.ROWS, case.COLS, *(value for corner in corners for value in corner)]
    areas = subprocess.run([sys.executable, "-c", OVERLAPS, *map(str, numbers)], check=True, stdout=subprocess.PIPE).stdout
    return {cell: area for cell, area in enumerate(map(float, areas.split())) if area > 1e-6}


def cells_of(site):
    """Numbers of the cells in which a point lies, or that a polygon overlaps."""
    return np.array(sorted(shares_of(site)))


def ledger(folder, name):
    """A column of the batches, in the order of members.csv."""
    at = {int(r["id"]): k for k, r in enumerate(csv.DictReader((folder / "members.csv").open()))}
    out = np.zeros(len(at))
    for f in batches.members(folder):
        out[at[int(f["id"])]] = f[name]
    return out


class Sites:
    """sites.csv of a folder, computed from its batches and weights."""

    def __init__(self, folder, full=False):
        columns = columns_of(folder)[0]
        self.folder, self.columns = folder, columns
        self.w, self.s, self.state, self.end, self.arrival, self.most, self.last = members(folder, columns)
        self.used = (self.state > 0) & (self.w > 0)
        self.r = restored(self.w, self.s, self.state > 0)
        rows = list(csv.DictReader((folder / "members.csv").open()))
        vent = json.loads((folder / "ensemble.json").read_text())["base"]["vents"][0]
        vent = {"x": WEST + CELL * (vent.get("col", case.VENT[1]) + 0.5), "y": NORTH - CELL * (vent.get("row", 0) + 0.5)} | vent
        self.x, self.y = (np.array([float(r.get(f"vents.0.{c}") or vent[c]) for r in rows]) for c in "xy")
        self.colour = np.rint((self.x - self.x.min()) / 25 + (self.y - self.y.min()) / 25).astype(int) % 2 if full else None
        even = all(np.ptp(self.r[self.used & (self.s == g)]) < 1e-9 * self.r.max() for g in np.unique(self.s[self.used]))
        self.largest = self.r.max() / self.r.sum()
        self.bound = min(1, 3 * self.largest) if even and not full else np.nan
        self.error = "_grid_difference" if full else "_error"

    def error_of(self, values):
        column = values.astype(float)[:, None]
        return (np.sqrt(variance_of(column, self.r, self.s)) if self.colour is None else halved_difference(column, self.r, self.colour))[0]

    def interval(self, value, error, hits):
        if hits in (0, self.used.sum()):
            return (0 if hits == 0 and self.bound == self.bound else 1 - self.bound if hits else np.nan,
                    self.bound if hits == 0 else 1 if self.bound == self.bound else np.nan)
        if self.colour is not None:
            return np.nan, np.nan
        t = student(self.used.sum() - np.unique(self.s[self.used]).size)
        n = value * (1 - value) / (error ** 2 + self.largest ** 2)
        middle = (value + t * t / (2 * n)) / (1 + t * t / n)
        half = t * (value * (1 - value) / n + t * t / (4 * n * n)) ** 0.5 / (1 + t * t / n)
        return max(0, middle - half), min(1, middle + half)

    def probability(self, name, hit, until=np.inf, divided=True):
        hit = hit & self.used
        value, low, high, error = (v[0] for v in estimate(hit[:, None], self.w, self.s, self.state, self.end, until, self.colour))
        error = np.nan if error == NODATA else error
        half = halves(hit, self.w, self.s, self.state) if divided and self.colour is None else (np.nan, np.nan)
        interval = self.interval(value, error, hit.sum())
        return {name: value, f"{name}_low": low, f"{name}_high": high, f"{name}{self.error}": error, f"{name}_hits": hit.sum(),
                f"{name}_half_1": half[0], f"{name}_half_2": half[1], f"{name}_interval_95_low": interval[0],
                f"{name}_interval_95_high": interval[1]}

    def rates(self, hit):
        """The sum over zones of rate times H: middle, lower and upper. A stratum can have members in several zones: they have the
        weight that the stratum gives them."""
        zones = ((0.03, 0.01, 0.2), self.x < WEST + 160), ((0.004,) * 3, self.x < np.inf)
        each = [([self.r[z] @ (hit & self.used)[z] / self.r[z].sum()],
                 *estimate((hit & self.used)[z, None], self.w[z], self.s[z], self.state[z], self.end[z], np.inf)[1:3]) for _, z in zones]
        return [sum(rate[k] * h[k][0] for (rate, _), h in zip(zones, each)) for k in range(3)]

    def rate_bound(self):
        parts = [high * self.r * z / (self.r * z).sum() for high, z in ((0.2, self.x < WEST + 160), (0.004, self.x < np.inf))]
        return np.nan if np.isnan(self.bound) else min(0.204, 3 * sum(parts).max())

    def first(self, name, kind, x, y, cells):
        early = ((self.state == 2) & self.used).sum()
        condition = "valid only for the assumed vents, eruptions and model, if such an eruption happens"
        if early:
            condition += f"; lower bounds, because {early} of {self.used.sum()} members ended at a limit before their lava came to rest"
        return {"site": name, "kind": kind, "x": x, "y": y, "cells": cells, "state": "" if kind == "map" else "land", "members": (self.w > 0).sum(), "finished": self.used.sum(),
                "upper_95_without_hits": self.bound, "condition": condition}

    def row(self, site):
        cells = cells_of(site)
        at = np.flatnonzero(np.isin(self.columns[:-1], cells))
        arrival = self.arrival[:, at].min(1, initial=np.inf)
        most, last = (values[:, at].max(1, initial=0) for values in (self.most, self.last))
        reached = np.isfinite(arrival) & self.used
        x, y = np.mean(site.get("polygon", [[site.get("x"), site.get("y")]]), axis=0)
        row = self.first(site["name"], "zone" if "polygon" in site else "point", x, y, cells.size)
        for thickness in (0, 0.5, 2):
            hit = reached & ((thickness == 0) | (most > thickness))
            row |= self.probability(f"probability_{thickness:g}m", hit)
            for years in YEARS:
                for part, rate in zip(("", "_low", "_high"), self.rates(hit)):
                    row[f"probability_{years}years_{thickness:g}m{part}"] = 1 - np.exp(-years * rate)
        for years in YEARS:
            row[f"upper_95_without_hits_{years}years"] = 1 - np.exp(-years * self.rate_bound())
        for hours in (3, 6, 12, 24):
            row |= self.probability(f"reached_within_{hours}h", reached & (arrival <= hours * 3600), hours * 3600)
        for q in (0.05, 0.5, 0.95):
            for name, unit, values in (("arrival", "s", arrival), ("deposit", "m", last)):
                found = quantiles(values[:, None], reached[:, None], self.r, [q])[0, 0]
                row[f"{name}_q{100 * q:02g}_{unit}"] = np.nan if found == NODATA else found
        shares = shares_of(site)
        parts = np.array([shares.get(int(cell), 0) for cell in self.columns[:-1][at]])
        share = np.isfinite(self.arrival[:, at]) @ parts / sum(shares.values())
        row["covered_share"] = self.r @ share / self.r.sum()
        row[f"covered_share{self.error}"] = self.error_of(share) if share[self.used].any() else np.nan
        return row

    def check(self):
        """Every column of every row; those of the last two are empty where a place or a time is needed."""
        found = list(csv.DictReader((self.folder / "sites.csv").open()))
        expected = [self.row(site) for site in PLACES]
        for name, column in (("lava leaves the map", "lost_m3"), ("lava enters the sea", "sea_m3")):
            expected.append(self.first(name, "map", np.nan, np.nan, case.ROWS * case.COLS)
                            | self.probability("probability_0m", ledger(self.folder, column) > 0, divided=False))
        assert len(found) == len(expected) and set(found[0]) == set(expected[0]), set(found[0]) ^ set(expected[0])
        for row, right in zip(found, expected):
            for name, text in row.items():
                value = right.get(name, np.nan)
                same = text == value if isinstance(value, str) else text == "" if np.isnan(value) else (
                    text != "" and np.isclose(float(text), value, rtol=1e-6, atol=1e-9))
                assert same, f"{self.folder.name}, {row['site']}, {name}: {text!r}, expected {value}"
        return expected


def span(seconds):
    """A duration from a second on, as the program prints it."""
    minutes, rest = (round(seconds / 60), 0) if seconds >= 3600 else divmod(int(seconds), 60)
    parts = [(minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min"), (rest, "s")]
    return " ".join(f"{n} {unit}" for n, unit in parts if n)


def difference_lines(folder, other):
    """The lines and tables of `compare`, from the pairs alone: shares, difference, bounds, error and interval, which member spares the
    place or burdens it, and the mean delay where both hit. The same places from a file give the same."""
    places = folder / "places.geojson"
    case.write_features(places, *(
        ({"name": s["name"]}, *(("LineString", s["line"]) if "line" in s else ("Polygon", [s["polygon"] + s["polygon"][:1]]) if "polygon" in s
                                else ("Point", [s["x"], s["y"]]))) for s in PLACES))
    said = run(PROGRAM, "ensemble", "compare", folder, other)
    by_file = run(PROGRAM, "compare", folder, other, "--assets", places, "--csv", folder / "pairs.csv")
    table = json.loads(re.search(r"(?s)^\{\n.*^\}\n", run(PROGRAM, "compare", folder, other, "--json"), re.M).group())
    rows = list(csv.DictReader((folder / "pairs.csv").open()))
    assert site_lines(by_file) == site_lines(said) and len(rows) == len(PLACES) == len(table["places"])
    a, b = Sites(folder), Sites(other)
    pair = (a.state > 0) & (b.state > 0) & (a.w > 0)
    r = restored(a.w, a.s, pair)
    t = student(pair.sum() - np.unique(a.s[pair]).size)
    assert (table["pairs"], table["members"]) == (pair.sum(), (a.w > 0).sum())
    misses = equal = 0
    for site, row, item in zip(PLACES, rows, table["places"]):
        first, second = (of.arrival[:, np.flatnonzero(np.isin(of.columns[:-1], cells_of(site)))].min(1, initial=np.inf) for of in (a, b))
        one, two = (np.isfinite(v) & pair for v in (first, second))
        d, both = two.astype(float) - one, one & two
        unsure = a.w[~pair].sum()
        expected = {"probability_a": r @ one / r.sum(), "probability_b": r @ two / r.sum(), "difference": r @ d / r.sum(),
                    "bound_low": (a.w @ d - unsure - a.w @ (pair & (a.state == 2) & ~one)) / a.w.sum(),
                    "bound_high": (a.w @ d + unsure + a.w @ (pair & (b.state == 2) & ~two)) / a.w.sum(),
                    "spared_members": (d < 0).sum(), "added_members": (d > 0).sum(), "both_members": both.sum(),
                    "spared_share": r @ (d < 0) / r.sum(), "added_share": r @ (d > 0) / r.sum()}
        e = {k: 100 * v for k, v in expected.items()}
        line = (f"{e['probability_a']:.2f} % and {e['probability_b']:.2f} %, difference {e['difference']:+.2f} %"
                f" ({e['bound_low']:+.2f} to {e['bound_high']:+.2f} %)")
        if d.any():
            expected["error"] = np.sqrt(variance_of(d[:, None], r, a.s))[0]
            half = t * np.hypot(expected["error"], r[pair].max() / r.sum())
            expected["interval_low"], expected["interval_high"] = (np.clip(expected["difference"] + k * half, -1, 1) for k in (-1, 1))
            line += (f", error {100 * expected['error']:.2f} %, 95 %: {100 * expected['interval_low']:+.2f} to {100 * expected['interval_high']:+.2f} %"
                     f"; spared in {(d < 0).sum()} {'member' if (d < 0).sum() == 1 else 'members'}, newly reached in {(d > 0).sum()}")
        else:
            line += ", no pair differs"
        if both.any():
            expected["delay_s"] = delay = r[both] @ (second[both] - first[both]) / r[both].sum()
            line += (f"; arrival {span(abs(delay))} {'later' if delay > 0 else 'earlier'} on average in {both.sum()} "
                     f"{'member' if both.sum() == 1 else 'members'} that reach it in both")
        assert f"{site['name']:<20} {line}\n" in said, f"expected {site['name']}: {line}, found {said}"
        for name, value in expected.items():
            for found in (float(row[name]), item[name]):
                assert np.isclose(found, value, rtol=1e-5, atol=1e-9), (site["name"], name, found, value)
        assert item["place"] == row["place"] == site["name"] and (row["delay_s"] == "") == (item["delay_s"] is None) == (not both.any())
        assert (row["error"] == "") == (item["error"] is None) == (not d.any()), (site["name"], row, item)
        equal += not d.any()
        misses += 0 < both.sum() < (one | two).sum()
    assert misses > 1 and equal > 0


def unequal(work):
    """Maps, sites and pairs with unequal weights, failed, censored and skipped members; and a full plan with its chessboard."""
    folder, full = small_plan(work, "even", {"method": "random", "count": 6, "seed": 1}), small_plan(work, "chess", {"method": "full"}, 25)
    run(SYNTHETIC, folder, 60, "--censored", 5, "--failed", 31)
    run(SYNTHETIC, full, 60, "--censored", 5)
    weighted, other = work / "weighted", work / "pairs"
    for each in (folder, weighted, full):
        if each == weighted:
            shutil.copytree(folder, weighted)
            reweight(weighted)
        run(PROGRAM, "ensemble", "reduce", each, "--no-pictures")
        rows = Sites(each, each == full).check()
        assert 0 < rows[3]["covered_share"] < 1 and rows[2]["probability_0m"] == 0 and rows[4]["probability_0m_hits"] == rows[4]["finished"]
        assert rows[5]["probability_0m"] != rows[6]["probability_0m"] and rows[0]["probability_0m"] > 0.05
    shutil.copytree(folder, other, ignore=shutil.ignore_patterns("maps"))
    run(SYNTHETIC, other, 30, "--censored", 7, "--failed", 17)
    compare(weighted)
    difference_lines(weighted, other)


def vents_of_members(work):
    """Without a list of vents, the zones of a member are those of its own vents, or of the vent of the base."""
    effusion = {"slot": "10 min", "rates_m3_s": [4, 6]}
    table = work / "own.csv"
    table.write_text("id,weight,vents.0.x,vents.1.x\n" + "".join(
        f"{i},{1 + i % 3},{WEST + 102 + 7 * i},{WEST + (310 if i > 8 else 150)}\n" for i in range(30)))
    pair = {"vents": [{"x": WEST + 165, "y": NORTH - 85, "effusion": effusion}, {"x": WEST + 15, "y": NORTH - 155, "effusion": effusion}]}
    west = {"vents": [{"row": 8, "col": 12, "effusion": effusion}]}
    fissure = {"vents": [{"line": [[WEST + 155, NORTH - 85], [WEST + 255, NORTH - 85]], "effusion": effusion}]}  # its middle is not in the west
    drawn = {"method": "random", "count": 12, "seed": 3}
    vary = [{"key": "vents.0.x", "uniform": [WEST + 100, WEST + 250]}]
    in_west = []
    for name, sample, base, parts in (("own_table", None, pair, {"members": str(table), "events": None}),
                                      ("own_range", drawn, {"vents": pair["vents"][:1]}, {"vary": vary}),
                                      ("own_west", drawn, west, {}), ("own_east", drawn, fissure, {})):
        folder = small_plan(work, name, sample, base=base, parts={"vents": None, **parts})
        run(SYNTHETIC, folder, 60, "--censored", 5, "--failed", 31)
        said = run(PROGRAM, "ensemble", "reduce", folder, "--no-pictures")
        sites = Sites(folder)
        rows = sites.check() if (sites.x < WEST + 160).any() else []
        in_west.append((sites.x < WEST + 160).mean())
        assert ('zone "west" has no finished member' in said) == (name == "own_east") and "lie in no zone" not in said, said
        assert all(0 < row["probability_50years_0m"] < 1 for row in rows[:1]), rows[:1]
    assert 0 < in_west[0] < 1 and 0 < in_west[1] < 1 and in_west[2:] == [1, 0], in_west
    case.write_scenario(work, "small.json", **pair)
    undecided_zones(work, table)
    no_zone(work / "own_range")


def undecided_zones(work, table):
    """A zone that holds one of two vents of a member, zones that hold no vent of any member, and members without vents."""
    ensemble = json.loads((work / "own_table.json").read_text())
    text = table.read_text()
    table.write_text(text.replace(f"\n3,1,{WEST + 123},{WEST + 150}\n", f"\n3,1,{WEST + 123},{WEST + 161}\n"))
    far = [[x + 1000, y] for x, y in SMALL_ZONES[0]["polygon"]]
    for zones, said in ((SMALL_ZONES, 'expected zones that hold all vents of a member or none of them, found 1 of the 2 vents of member 3 in '
                                      'zone "west"; change its polygon, or leave it out: then its rate counts for all members'),
                        ([SMALL_ZONES[0] | {"polygon": far}], "expected a zone with the vents of members, found no member whose vents lie in any")):
        ensemble["result"]["eruptions_per_year"] = zones
        case.write_json(work / "undecided.json", ensemble)
        for command in ("check", "plan"):
            found = run(PROGRAM, "ensemble", command, work / "undecided.json", *(["-o", work / "undecided"] if command == "plan" else []),
                        "--no-estimate", code=3)
            assert f"undecided.json: result.eruptions_per_year: {said}" in found and not (work / "undecided").exists(), found
        table.write_text(text)
    header = (work / "dem.asc").read_text().split("\n")[:6]
    rows = [" ".join("1" if (row, col) == case.VENT else "0" for col in range(case.COLS)) for row in range(case.ROWS)]
    (work / "lava.asc").write_text("\n".join(header + rows) + "\n")
    case.write_scenario(work, "small.json", vents=[], initial={"thickness": "lava.asc", "temperature": 1360})
    ensemble.pop("members")
    ensemble.update(vary=[{"key": "model.cooling", "uniform": [140, 150]}], sample={"method": "random", "count": 12, "seed": 3})
    case.write_json(work / "undecided.json", ensemble)
    assert ("undecided.json: result.eruptions_per_year: expected a vent in each member, by which its zone is known, found none in member 0; "
            'without "polygon" a rate counts for all members') in run(PROGRAM, "ensemble", "check", work / "undecided.json", "--no-estimate", code=3)


def no_zone(folder):
    """If no finished member lies in a zone, no product has a probability in years, or a bound of it."""
    rates = json.loads((folder / "ensemble.json").read_text())
    rates["result"]["eruptions_per_year"] = [SMALL_ZONES[0] | {"polygon": [[x - 5000, y] for x, y in SMALL_ZONES[0]["polygon"]]}]
    (folder / "ensemble.json").write_text(json.dumps(rates))
    said = run(PROGRAM, "ensemble", "reduce", folder)
    assert "the vent of no finished member lies in a zone; no probability in a number of years is known" in said, said
    assert said.count("in 50 years                  not known: no finished member erupts in a zone of eruptions_per_year\n") == len(PLACES), said
    for row in csv.DictReader((folder / "sites.csv").open()):
        found = {name: value for name, value in row.items() if re.search(r"_\d+years", name)}
        assert len(found) == len(YEARS) * (3 * 3 + 1) and set(found.values()) == {""} and row["probability_0m"], found
    assert list((folder / "maps").glob("*0m.png")) and not list((folder / "maps").glob("*years*"))
    assert (raster(folder / "maps/probability_0m.tif") > 0).any()
    asked = run(PROGRAM, "ensemble", "query", folder, "--at", f"{WEST + 178},{NORTH - 152}")
    assert asked.count("not known: no finished member") == len(YEARS) * 3 and "lava arrives" in asked, asked
    run(PROGRAM, "ensemble", "export", folder, "--format", "html", "-o", folder / "page.html")
    layers = re.findall('\\{"name":"(probability_[^"]*)"', (folder / "page.html").read_text())
    assert "probability_0m" in layers and not any("years" in name for name in layers), layers


def computed_members(work):
    """Batches and sites.csv have what `sciara run` of each member has: one enters the sea, one leaves the map, one neither."""
    case.write_scenario(work, "sea.json", dem={"path": "dem.asc", "crs": "EPSG:32633", "sea": 1004})
    vents = work / "three.csv"
    vents.write_text(f"name,x,y\nlow,{WEST + 205},{NORTH - 235}\nrim,{WEST + 375},{NORTH - 85}\ninner,{WEST + 105},{NORTH - 85}\n")
    folder = plan(work, "three", {"method": "full"}, {"table": str(vents)}, work / "sea.json",
                  {"events": [{"name": "small", "volume_m3": 3000, "duration": "10 min"}]}, sites=[QUAY])
    run(PROGRAM, "ensemble", "run", folder)
    said = run(PROGRAM, "ensemble", "reduce", folder, "--no-pictures")
    chance, reached = {"sea_m3": 0, "lost_m3": 0}, []
    for of in batches.members(folder):
        member, cells = of["id"], of["cell"]
        run(PROGRAM, "ensemble", "member", folder, member, "-o", work / "member.json", "--overwrite")
        output = {"fields": ["arrival_time", "deposit", "max_deposit"], "dtype": "float64"}
        case.write_json(work / "member.json", case.read_json(work / "member.json") | {"output": output})
        run(PROGRAM, "run", work / "member.json", "-q", "-o", work / f"member{member}")
        record = case.record(work / f"member{member}")
        with h5py.File(work / f"member{member}" / record["snapshots"][-1]["name"]) as f:
            fields = {name: np.squeeze(f[field][:]).ravel() for name, field in
                      (("arrival", "arrival_time"), ("deposit", "deposit"), ("max_deposit", "max_deposit"))}
        assert np.array_equal(cells, np.flatnonzero(fields["arrival"] >= 0)), f"member {member}: other cells"
        for name, field in fields.items():
            assert np.array_equal(of[name], field[cells].astype("f4")), f"member {member}: {name}"
        assert (fields["max_deposit"] > fields["deposit"]).any()
        reached.append(fields["arrival"] >= 0)
        for name in chance:
            assert of[name] == record["ledger"][name], (member, name, of[name], record["ledger"])
            chance[name] += (record["ledger"][name] > 0) / 3
    rows = {r["site"]: float(r["probability_0m"]) for r in csv.DictReader((folder / "sites.csv").open())}
    assert np.isclose(rows["lava enters the sea"], chance["sea_m3"]) and np.isclose(rows["lava leaves the map"], chance["lost_m3"]), rows
    assert chance == {"sea_m3": 1 / 3, "lost_m3": 1 / 3}, chance
    cells_of_the_sea(folder, np.array(reached), said)


QUAY = {"name": "quay", "line": [[WEST + 201, NORTH - 231], [WEST + 201, NORTH - 299]]}  # down one column, into the sea


def cells_of_the_sea(folder, reached, said):
    """Lava that enters a cell of the sea does not reach it: no product has a value there, or counts the cell."""
    altitude = raster(folder / "dem.tif")
    sea = (altitude <= 1004) & (altitude != NODATA)
    assert (reached & sea).any() and np.array_equal((reached & sea).any(1), [True, False, False])
    land = reached & ~sea
    probability = np.where(sea | (altitude == NODATA), NODATA, land.mean(0))
    np.testing.assert_allclose(raster(folder / "maps/probability_0m.tif"), probability, rtol=1e-6)
    for path in (folder / "maps").glob("*.tif"):
        assert (raster(path)[sea] == NODATA).all(), path
    assert f"\n{land.any(0).sum()} cells are reached by at least one member\n" in said, said
    for table, layer, areas in (("vents", "mean_area_m2", land.sum(1)), ("vents", "left_map_members", [0, 0.01, 0]),
                                ("outlines", "area_m2", [land.any(0).sum()])):
        with contextlib.closing(sqlite3.connect(folder / f"{table}.gpkg")) as file:
            name = {"vents": "vents", "outlines": "probability_0m"}[table]
            found = [row[0] for row in file.execute(f"SELECT {layer} FROM {name} ORDER BY fid")]
        assert np.isclose(found if table == "vents" else max(found), np.array(areas) * 100.0).all(), (table, found, areas)
    column = np.flatnonzero(np.arange(sea.size) % case.COLS == 20)
    quay = [cell for cell in column if 23 <= cell // case.COLS < 30]
    parts = np.array([9.0] + 5 * [10] + [9])  # of its length, m
    row = next(r for r in csv.DictReader((folder / "sites.csv").open()) if r["site"] == "quay")
    on_land = ~sea[quay]
    assert 0 < on_land.sum() < len(quay) and (reached & sea)[0, quay].any()
    share = (land[:, quay] @ parts).mean() / parts[on_land].sum()
    assert np.isclose(float(row["covered_share"]), share) and np.isclose(float(row["probability_0m"]), land[:, quay].any(1).mean()), (row, share)
    cell = int(np.flatnonzero(reached[0] & sea)[0])
    x, y = WEST + 10 * (cell % case.COLS) + 5, NORTH - 10 * (cell // case.COLS) - 5
    assert "lies in the sea, on which no lava stays: no member can reach it" in run(PROGRAM, "ensemble", "query", folder, "--at", f"{x},{y}")
    case.write_features(folder / "cell.geojson", ({}, "Point", [x, y]))
    told = run(PROGRAM, "exposure", folder, "--assets", folder / "cell.geojson")
    assert "\n0 of 1 places are reached by at least one member, 1 in the sea\n" in told, told


def same_for_any_threads(folder):
    found = []
    for threads in "1", "7":
        run(PROGRAM, "ensemble", "reduce", folder, "--threads", threads)
        found.append({p.name: p.read_bytes() for p in [*(folder / "maps").iterdir(), folder / "sites.csv"]})
    assert any(name.endswith(".png") for name in found[0])
    assert found[0] == found[1], "7 threads differ from 1"
    run(PROGRAM, "ensemble", "reduce", folder, "--no-pictures")


def site_lines(text):
    return [line for line in text.splitlines() if "%, difference" in line]


def intervals(folder):
    """The interval of a site is that of Wilson, of n draws whose error is that of the site and the largest weight together."""
    w, s, state, *_ = members(folder, columns_of(folder)[0])
    weight = restored(w, s, state > 0)[state > 0]
    largest = weight.max() / weight.sum()
    rows = [r for r in csv.DictReader((folder / "sites.csv").open()) if r["probability_0m_error"]]
    draws = (state > 0).sum() - np.unique(s[state > 0]).size
    t = 1.959964 * (1 + (1.959964 ** 2 + 1) / (4 * draws))
    some = 0
    for row in rows:
        p, error = float(row["probability_0m"]), float(row["probability_0m_error"])
        if p == 1:
            continue
        n = p * (1 - p) / (error ** 2 + largest ** 2)
        middle = (p + t * t / (2 * n)) / (1 + t * t / n)
        half = t * (p * (1 - p) / n + t * t / (4 * n * n)) ** 0.5 / (1 + t * t / n)
        found = [float(row[f"probability_0m_interval_95_{end}"]) for end in ("low", "high")]
        assert np.allclose(found, [middle - half, middle + half], atol=2e-4), (row["site"], found, middle, half)
        some += 1
    assert some > 0


def weights_of_the_first(work, folder):
    """`compare` uses the weights of its first ensemble for both: the same members differ by nothing, whatever the second says."""
    other = work / "reweighted"
    shutil.copytree(folder, other)
    rows = list(csv.DictReader((folder / "weights.csv").open()))
    with (other / "weights.csv").open("w", newline="") as f:
        f.write("id,weight\n" + "".join(f"{r['id']},{float(r['weight']) * (50 if int(r['id']) % 3 else 1)}\n" for r in rows))
    both = []
    for first, second in ((folder, other), (other, folder)):
        lines = site_lines(run(PROGRAM, "ensemble", "compare", first, second))
        assert lines and all("difference +0.00 %" in line for line in lines), lines
        assert lines == site_lines(run(PROGRAM, "ensemble", "compare", first, first)), lines
        both.append(lines)
    assert both[0] != both[1], both


def one_vent(work):
    """Without draws and without a grid of vents there is no error, and yet every finished member counts."""
    folder = plan(work, "one", {"method": "full"}, vents={"grid": {"extent": [447700, 4347200, 447800, 4347300], "step_m": 100}},
                  eruptions_per_year=[{"name": "all", "rate": 0.02}], years=[50], sites=[{"name": "vent", "x": 447750, "y": 4347250}])
    run(SYNTHETIC, folder, 600)
    said = run(PROGRAM, "ensemble", "reduce", folder, "--no-pictures")
    assert "has no finished member" not in said, said
    chance = next(float(r["probability_0m"]) for r in csv.DictReader((folder / "sites.csv").open()) if r["site"] == "vent")
    lines = site_lines(run(PROGRAM, "ensemble", "compare", folder, folder))
    assert chance == 1 and len(lines) == 1 and "100.00 % and 100.00 %" in lines[0], (chance, lines)


def oblique_line(work):
    """The vents of a full plan on a line that is no row of a grid have two colours: H of each alone, by their turns."""
    vents = work / "line.csv"
    place = [(447700 + 100 * k, 4347300 + 100 * k) for k in range(6)]
    vents.write_text("name,x,y\n" + "".join(f"v{k},{x},{y}\n" for k, (x, y) in enumerate(place)))
    folder = plan(work, "line", {"method": "full"}, vents={"table": str(vents)}, sites=SITES)
    run(SYNTHETIC, folder, 600)
    said = run(PROGRAM, "ensemble", "reduce", folder, "--no-pictures")
    assert "no sampling error, and no bound where no member reaches" in said and "from half" not in said, said
    assert "grid difference" in said and ", error" not in said and "95 %" not in said, said
    row = next(csv.DictReader((folder / "sites.csv").open()))
    assert row["probability_0m_grid_difference"] and "probability_0m_error" not in row, row
    assert row["probability_0m_half_1"] == row["probability_0m_interval_95_low"] == row["upper_95_without_hits"] == "", row
    look = columns, _, ground = columns_of(folder)
    w, _, state, _, arrival, _, _ = members(folder, columns)
    turn = np.array([int(r["vent"]) % 2 for r in csv.DictReader((folder / "members.csv").open())])
    hit = np.isfinite(arrival)
    half = [w[turn == t] @ hit[turn == t] / w[turn == t].sum() for t in (0, 1)]
    expected = np.where(hit.any(0), abs(half[0] - half[1]) / 2, NODATA)
    check("line", read(folder, "probability_0m_error", *look), expected, ground[columns])
    assert (expected > 0).any()


def planned_errors(work):
    """One draw in strata of unequal weight has no error, which `check` says; a stop rule is refused."""
    vents = work / "unequal.csv"
    vents.write_text("name,x,y,weight\n" + "".join(f"v{k},{447700 + 100 * k},4347300,{w}\n" for k, w in enumerate((40, 1, 25))))
    ensemble = json.loads((SOURCE / "config/hazard.json").read_text())
    ensemble.update(base=str(SOURCE / "config/hazard-base.json"), vents={"table": str(vents), "weights": {"column": "weight"}})
    ensemble.pop("stop", None)
    for count, method, stop, code, said in (
            (1, "random", None, 0, "there will be no errors: [0-9]+ strata have one draw .* a count of 2 is enough"),
            (1, "random", 0.05, 3, "stop: .*a count of 2 is enough.* strata with one draw"), (2, "random", 0.05, 0, ""),
            (None, "full", 0.05, 3, "stop: .*a method that draws.* members that are not drawn")):
        ensemble["sample"] = {"method": method, **({"count": count, "seed": 1} if count else {})}
        ensemble["vary"] = [] if method == "full" else ensemble.get("vary", [])
        ensemble["stop"] = {"standard_error": stop, "thickness_m": 0} if stop else None
        if not stop:
            del ensemble["stop"]
        (work / "errors.json").write_text(json.dumps({k: v for k, v in ensemble.items() if v != []}))
        found = run(PROGRAM, "ensemble", "check", work / "errors.json", "--no-estimate", code=code)
        assert re.search(said, found) and ("no errors" in found) == (code == 0 and count == 1), (count, stop, found)


def earlier_maps(folder):
    """Maps stay until there are new ones, and those that the new reduction does not have go at its end."""
    maps = folder / "maps"
    before = sorted(p.name for p in maps.iterdir() if p.suffix == ".tif")
    for name in ("probability_7m.tif", "probability_7m.qml", "probability_0m.png", "own.tif"):
        (maps / name).write_bytes(b"earlier")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))  # as a full disk
    done = subprocess.run([PROGRAM, "ensemble", "reduce", folder, "--no-pictures"], capture_output=True, text=True, check=False, preexec_fn=limit)
    assert done.returncode == 4, done
    assert set(before) <= {p.name for p in maps.iterdir()}, "a map is gone"
    run(PROGRAM, "ensemble", "reduce", folder, "--no-pictures")
    assert sorted(p.name for p in maps.iterdir() if p.suffix == ".tif") == sorted([*before, "own.tif"])
    assert not (maps / "probability_7m.qml").exists() and not (maps / "probability_0m.png").exists()
    (maps / "own.tif").unlink()


def main():
    work = Path(tempfile.mkdtemp())
    try:
        folder = plan(work, "drawn", {"method": "random", "count": 6, "seed": 1}, sites=SITES)
        refused = run(PROGRAM, "ensemble", "reduce", folder, code=3)
        assert "expected at least one finished member" in refused, refused
        assert not (folder / "maps").exists() and not (folder / "sites.csv").exists()
        run(SYNTHETIC, folder, 600, "--censored", 5, "--failed", 31)
        said = run(PROGRAM, "ensemble", "reduce", folder, "--threads", "1", "--no-pictures")
        assert "valid only for the assumed vents, eruptions and model, if such an eruption happens" in said, said
        compare(folder, 0.02)
        intervals(folder)
        same_for_any_threads(folder)
        assert "short" in run(PROGRAM, "ensemble", "query", folder, "--at", "447700,4347300")
        query_zones(folder, work)
        zones = plan(work, "zones", {"method": "random", "count": 6, "seed": 1}, eruptions_per_year=ZONES, years=[1, 50])
        shutil.copytree(folder / "batches", zones / "batches")
        assert "lie in no zone" not in run(PROGRAM, "ensemble", "reduce", zones, "--no-pictures")
        compare_zones(zones)
        rate_bound(zones, 50)
        rates = json.loads((zones / "ensemble.json").read_text())
        rates["result"]["eruptions_per_year"] = rates["result"]["eruptions_per_year"][:1]
        (zones / "ensemble.json").write_text(json.dumps(rates))
        assert re.search("the vents of [0-9]+ of the [0-9]+ finished members lie in no zone",
                         run(PROGRAM, "ensemble", "reduce", zones, "--no-pictures"))
        other = plan(work, "other", {"method": "random", "count": 7, "seed": 1})
        shutil.copytree(folder / "batches", other / "batches")
        refused = run(PROGRAM, "ensemble", "reduce", other, code=3)
        assert "000000.h5: expected a batch of ensemble" in refused, refused
        pairs = run(PROGRAM, "ensemble", "compare", folder, folder, "-o", work / "difference")
        assert "no pair differs (95 % bound:" in pairs and ", error" not in pairs and (work / "difference/difference_probability_0m.tif").exists(), pairs
        differences(work, folder)
        unfinished(work, folder)
        earlier_maps(folder)
        weights_of_the_first(work, folder)
        one_vent(work)
        oblique_line(work)
        planned_errors(work)
        unequal(work)
        vents_of_members(work)
        computed_members(work)
    finally:
        reader().communicate()
        shutil.rmtree(work)

main()
