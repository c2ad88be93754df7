# SPDX-License-Identifier: Apache-2.0
"""Snapshots, series and checkpoints compared with docs/formats.md: every attribute that the page names exists, with the
type and the value given there, and no other. The tables and the listing of that page are read, so there is only one list."""
import json
import math
import os
import re

import h5py
from h5py import h5a, h5p, h5s, h5t

import case
from case import SharedCase, record

PAGE = "".join(case.read_text(os.path.join(case.SOURCE, *name)) for name in (("src", "store", "README.md"), ("docs", "formats.md")))
MACHINERY = {"CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST"}  # of dimension scales, by HDF5 itself
NUMBERS = {"int64": h5t.STD_I64LE, "float64": h5t.IEEE_F64LE, "float32": h5t.IEEE_F32LE}
HEX = r"[0-9a-f]{16}"
LONG_NAMES = {
    "thickness": "thickness of liquid lava",
    "altitude": "altitude of the ground, solidified lava included",
    "temperature": "temperature of liquid lava",
    "momentum_x": "eastward momentum per unit area and density",
    "momentum_y": "northward momentum per unit area and density",
    "solid_thickness": "thickness of solidified lava",
    "deposit": "thickness of liquid and solidified lava",
    "speed": "speed of liquid lava",
}  # of the others: the page


def rows_of(heading, first):
    """Rows of the table with that first line below a heading of the page: for each name in the first column the others."""
    section = re.search(rf"(?ms)^#+ {heading}\n(.*?)(?=^#)", PAGE)[1]
    lines = section[section.index(first):].splitlines()[2:]
    found = {}
    for line in lines:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        for name in re.findall(r"`([^`]+)`", cells[0]):
            assert name not in found, name
            found[name] = cells[1:]
    assert found, heading
    return found


def listing():
    """Attributes by variable of the CDL listing, as they are written there; "" are the global ones."""
    found = {}
    for variable, name, value in re.findall(r"(?m)^\t\t(\w*):(\w+) = (.*) ;$", PAGE):
        found.setdefault(variable, {})[name] = value
    return found


TYPES = {name: cells[0] for name, cells in rows_of("Global attributes", "| name | type | meaning |").items()}
FIELDS = rows_of("Fields", "| name | unit | content |")
CHECKPOINT = {name: cells[0] for name, cells in rows_of("Checkpoints", "| name | type | meaning |").items()}
STORED = list(rows_of("Checkpoints", "| dataset | content |"))
LISTING = listing()
OF_A_MOMENT = {"sciara_snapshot_format", "step", "liquid_cells", "time_s", "clock_s", "checksum"} | {
    name for name in TYPES if name.startswith("ledger_")}
EVERY = 60  # s
START = "2006-07-14T23:30:00Z"


class Attributes(SharedCase):
    @classmethod
    def prepare(cls):
        """`whole`: every attribute. `bare`: no date, no CRS, no title; other types and fields."""
        case.write_scenario(cls.work, run={"start": START, "max_steps": 80}, initial={"thickness": 5},
                            output={"fields": list(FIELDS), "dtype": "float64", "every": EVERY})
        bare = case.scenario(dem={"path": "dem.asc"}, boundary="closed",
                             output={"fields": ["thickness", "max_thickness", "arrival_time"]})
        del bare["title"]
        case.write_json(os.path.join(cls.work, "bare.json"), bare)
        for name, scenario, more in (("whole", "s.json", ["-p", "single"]), ("bare", "bare.json", ["--steps", 40])):
            case.run_program("run", scenario, "-q", "-o", name, "-e", "serial", "--checkpoint-every", "1000 d", *more,
                             cwd=cls.work)
        case.run_program("export", "whole", "-f", "nc", "-q", "-o", "merged.nc", cwd=cls.work)

    def open(self, *names):
        f = h5py.File(self.path(*names), "r")
        self.addCleanup(f.close)
        return f

    def last_snapshot(self, run):
        return self.open(run, record(self.path(run))["snapshots"][-1]["name"])

    def type_of(self, thing, name):
        """The type in the words of the page; fails if an attribute is stored in another way than described there."""
        attribute = h5a.open(thing.id, name.encode())
        its, space = attribute.get_type(), attribute.get_space()
        if isinstance(its, h5t.TypeStringID):
            self.assertEqual((its.is_variable_str(), its.get_cset(), its.get_strpad(), space.get_simple_extent_type()),
                             (False, h5t.CSET_UTF8, h5t.STR_NULLTERM, h5s.SCALAR), name)
            return "text"
        self.assertEqual((space.get_simple_extent_type(), space.get_simple_extent_dims()), (h5s.SIMPLE, (1,)), name)
        return next(kind for kind, number in NUMBERS.items() if its.equal(number))

    def values_of(self, thing):
        values = {}
        for name in set(thing.attrs) - MACHINERY:
            value = thing.attrs[name]
            values[name] = value.decode() if isinstance(value, bytes) else value if isinstance(value, str) else value[0]
        return values

    def expect(self, thing, expected, types):
        """Exactly these attributes; a pattern is matched, a function is called with the value."""
        found = self.values_of(thing)
        self.assertEqual(sorted(found), sorted(expected), thing.name)
        for name, value in expected.items():
            self.assertEqual(self.type_of(thing, name), types[name], f"{thing.name}: {name}")
            if isinstance(value, re.Pattern):
                self.assertRegex(found[name], value, f"{thing.name}: {name}")
            elif callable(value):
                self.assertTrue(value(found[name]), f"{thing.name}: {name} is {found[name]}")
            else:
                self.assertEqual(found[name], value, f"{thing.name}: {name}")

    def globals_of(self, run, scenario):
        """The expected global attributes of the last snapshot, by name."""
        r = record(self.path(run))
        version, commit, last = r["versions"]["sciara"], r["versions"]["git"], r["snapshots"][-1]
        expected = {
            "Conventions": "CF-1.8",
            "title": scenario.get("title", "Lava flow simulation"),
            "source": f"sciara {version} (git {commit}), cellular automaton SCIARA-fv3",
            "history": re.compile(rf"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ: sciara.* run .*-o {run} -e serial"),
            "references": re.compile("^Spataro: .*SCIARA-fv3; Spataro et al., PDP 2014$"),
            "program_version": version,
            "git_hash": commit,
            "engine": "serial",
            "precision": "single" if run == "whole" else "double",
            "start": scenario.get("run", {}).get("start"),
            "scenario_json": lambda text: json.loads(text)["vents"] == scenario["vents"] and
            json.loads(text)["output"]["folder"] == self.path(run),
            "model_rule": "fv3",
            "model_preset": "thesis-etna-2006; changed: cooling",
            "dem_hash": r["dem_hash"],
            "cell_size_m": case.CELL,
            "west_m": case.WEST,
            "north_m": case.NORTH,
            "sciara_snapshot_format": 1,
            "step": last["step"],
            "liquid_cells": r["state"]["liquid_cells"],
            "time_s": last["time_s"],
            "clock_s": r["state"]["clock_s"],
            "checksum": last["checksum"],
        }
        expected["ledger_sea_m3"] = None  # these scenarios declare none
        expected["ledger_added_m3"] = expected["ledger_removed_m3"] = None  # nor have they observed lava
        expected["model_rule_edition"] = None  # fv3 has one
        expected["emission_from_s"] = None  # nor that of an earlier run
        expected.update({f"ledger_{name}": value for name, value in r["ledger"].items() if name != "lost_from_s"})  # of the run alone
        self.assertEqual(sorted(expected), sorted(TYPES), "the table of the page, and what is tested")
        return {name: value for name, value in expected.items() if value is not None}

    def scenarios(self):
        return (("whole", case.read_json(self.path("s.json"))), ("bare", case.read_json(self.path("bare.json"))))

    def test_global_attributes(self):
        for run, scenario in self.scenarios():
            with self.subTest(run=run):
                self.expect(self.last_snapshot(run), self.globals_of(run, scenario), TYPES)
        self.assertLess(set(LISTING[""]), set(TYPES), "the listing shows no other attribute than the table")
        r = record(self.path("whole"))
        self.assertGreater(min(r["ledger"][name] for name in ("initial_m3", "emitted_m3", "liquid_m3", "bound_m3")), 0)

    def test_one_file_of_all(self):
        """series.nc and the merged file: attributes of a single moment are not in them."""
        expected = {name: value for name, value in self.globals_of("whole", self.scenarios()[0][1]).items()
                    if name not in OF_A_MOMENT}
        self.expect(self.open("whole", "series.nc"), expected, TYPES)
        count = len(record(self.path("whole"))["snapshots"])
        self.assertGreater(count, 1)
        expected["history"] = f"sciara export --format nc: {count} snapshots merged"
        self.expect(self.open("merged.nc"), expected, TYPES)

    def check_axes(self, f, dated, placed, times):
        text = {name: "text" if '"' in value else "float64" for variable in ("time", "y", "x", "crs")
                for name, value in LISTING[variable].items()}
        for name in ("time", "y", "x", "crs"):
            expected = {key: value.strip('"') if '"' in value else float(value) for key, value in LISTING[name].items()}
            if name == "time" and not dated:
                expected["units"] = "s"
                del expected["calendar"]
            if name == "crs":
                transform = f"{case.WEST} {case.CELL} 0 {case.NORTH} 0 {-case.CELL}"
                expected["GeoTransform"] = transform
                wkt = re.compile(r'^PROJCS\["WGS 84 / UTM zone 33N",.*AUTHORITY\["EPSG","32633"\]\]$', re.S)
                expected.update({"crs_wkt": wkt, "spatial_ref": wkt} if placed else {})
                if not placed:
                    expected = {key: expected[key] for key in ("long_name", "GeoTransform")}
            self.expect(f[name], expected, text)
        half = case.CELL / 2
        self.assertEqual(list(f["time"]), times)
        self.assertEqual(list(f["x"]), [case.WEST + half + case.CELL * k for k in range(case.COLS)])
        self.assertEqual(list(f["y"]), [case.NORTH - half - case.CELL * k for k in range(case.ROWS)])
        self.assertEqual((f["crs"].shape, int(f["crs"][()])), ((), 0))
        self.assertEqual([f[name].dtype.str for name in ("time", "y", "x", "crs")], ["<f8", "<f8", "<f8", "<i4"])
        if placed:
            self.assertEqual(f["crs"].attrs["crs_wkt"], f["crs"].attrs["spatial_ref"])

    def check_fields(self, f, fields, kind, times, summed):
        types = {"_FillValue": kind, "standard_name": "text", "long_name": "text", "units": "text", "grid_mapping": "text",
                 "sciara_checksum": "text"}
        for name in fields:
            unit, content = FIELDS[name]
            standard = re.search(r"`standard_name` (\w+)", content)
            expected = {"_FillValue": -9999, "long_name": LONG_NAMES.get(name, content), "units": unit, "grid_mapping": "crs"}
            expected.update({"standard_name": standard[1]} if standard else {})
            expected.update({"sciara_checksum": re.compile(f"^{HEX}$")} if summed else {})
            self.expect(f[name], expected, types)
            self.assertEqual(f[name].shape, (times, case.ROWS, case.COLS))
            self.assertEqual([f[name].dims[k][0].name for k in range(3)], ["/time", "/y", "/x"])
        found = [name for name in h5_names(f) if name not in ("time", "y", "x", "crs")]
        self.assertEqual(found, [name for name in FIELDS if name in fields], "fields in the order of the table")
        shown = {key: value.strip('"') for key, value in LISTING["thickness"].items()}
        self.assertEqual(shown, {"_FillValue": "-9999.f", "long_name": LONG_NAMES["thickness"], "units": "m",
                                 "grid_mapping": "crs"})

    def test_axes_and_fields(self):
        whole, bare = record(self.path("whole"))["snapshots"], record(self.path("bare"))["snapshots"]
        times = [entry["time_s"] for entry in whole]
        some = ["thickness", "arrival_time", "max_thickness"]
        for f, fields, kind, dated, when, summed in ((self.last_snapshot("whole"), FIELDS, "float64", True, times[-1:], True),
                                                     (self.open("whole", "series.nc"), FIELDS, "float64", True, times, False),
                                                     (self.open("merged.nc"), FIELDS, "float64", True, times, False),
                                                     (self.last_snapshot("bare"), some, "float32", False,
                                                      [bare[-1]["time_s"]], True)):
            with self.subTest(file=f.filename):
                self.check_axes(f, dated, dated, when)
                self.check_fields(f, fields, kind, len(when), summed)

    def test_storage(self):
        """Of snapshots and the merged file: chunks, filters, what is not stored; no time stamps, creation order, HDF5 1.8."""
        order = h5p.CRT_ORDER_TRACKED | h5p.CRT_ORDER_INDEXED
        for f in (self.last_snapshot("whole"), self.last_snapshot("bare"), self.open("merged.nc")):
            self.assertEqual(f.id.get_create_plist().get_version()[0], 2, "superblock")
            self.assertTrue(all(h5a.get_info(f.id, name.encode()).corder_valid for name in f.attrs), "order of attributes")
            for name in h5_names(f):
                plist, data = f[name].id.get_create_plist(), f[name]
                self.assertEqual((plist.get_attr_creation_order(), plist.get_obj_track_times()), (order, False), name)
                if name in FIELDS:
                    self.assertEqual((data.chunks, data.shuffle, data.compression, data.compression_opts, data.fletcher32),
                                     ((1, case.ROWS, case.COLS), True, "gzip", 1, True), name)
                    self.assertEqual(data.fillvalue, -9999 if name == "arrival_time" else 0, name)

    def checkpoint_of(self, run, scenario):
        """The attributes of the checkpoint at the end of a run, except for those of the model."""
        r, snapshot = record(self.path(run)), self.values_of(self.last_snapshot(run))
        whole, state, ledger, timing = run == "whole", r["state"], r["ledger"], r["timing"]
        hexadecimal = re.compile(f"^{HEX}$")
        crs = self.values_of(self.last_snapshot(run)["crs"])
        return {
            "sciara_checkpoint_format": 1,
            **{name: snapshot[name] for name in ("program_version", "git_hash", "engine", "precision", "history", "dem_hash",
                                                 "scenario_json", "checksum", "step", "time_s", "clock_s")},
            "scenario_path": "s.json" if whole else "bare.json",
            "scenario_folder": self.work,
            "started_utc": timing["started_utc"],
            "crs_wkt": crs.get("crs_wkt"),
            "crs_name": crs.get("crs_name"),
            "rows": case.ROWS,
            "cols": case.COLS,
            "cell_size_m": case.CELL,
            "west_m": case.WEST,
            "north_m": case.NORTH,
            "boundary": 1 if scenario.get("boundary") == "closed" else 0,
            "record": 2 ** sum(name.startswith("max_") for name in FIELDS) - 1 if whole else 1,
            "initial_m3": ledger["initial_m3"],
            "emitted_m3": ledger["emitted_m3"],
            "added_m3": None,  # there is no observed lava
            "removed_m3": None,
            "emission_from_s": None,  # nor that of an earlier run
            "ground_changes": None,
            "solidifications": lambda count: count >= 0,
            "losses": (lambda count: count > 0) if whole else 0,  # lava all over the map; a closed rim
            "snapshots": len(r["snapshots"]) - (r["snapshots"][-1]["time_s"] % EVERY != 0 if whole else 1),
            "next_snapshot_s": (math.floor(state["time_s"] / EVERY) + 1) * EVERY if whole else math.inf,
            "wall_s": lambda s: 0 < s <= timing["wall_s"],
            "compute_s": timing["compute_s"],
            "output_wait_s": timing["output_wait_s"],
            **{name: hexadecimal for name in ("ground_checksum", "cells_hash", "vents_hash", "words", "header_checksum")},
        }

    def model_of(self, scenario):
        schema = case.read_json(case.SOURCE, "config", "scenario.schema.json")["properties"]["model"]["properties"]
        return {f"model.{key}": scenario["model"].get(key, about["default"]) for key, about in schema.items()
                if key not in ("preset", "rule") and about["default"] is not None and about.get("$comment") != "rule bingham"}  # references: absent unless given

    def test_checkpoints(self):
        for run, scenario in self.scenarios():
            with self.subTest(run=run):
                name, = os.listdir(self.path(run, "checkpoints"))
                f = self.open(run, "checkpoints", name)
                expected, model = self.checkpoint_of(run, scenario), self.model_of(scenario)
                self.assertEqual(sorted([*expected, "model.KEY"]), sorted(CHECKPOINT), "the table, and what is tested")
                expected = {key: value for key, value in expected.items() if value is not None}
                self.expect(f, {**expected, **model}, {**CHECKPOINT, **{key: CHECKPOINT["model.KEY"] for key in model}})
                absent = set() if run == "whole" else {name for name in STORED if name.startswith("max_")} - {"max_h"}
                self.assertEqual(sorted(f), sorted(set(STORED) - absent))
                for data in f.values():
                    self.assertEqual((data.shape, data.dtype.str, data.chunks, data.shuffle, data.compression_opts,
                                      data.fletcher32, data.fillvalue), ((case.ROWS, case.COLS), "<u8", (case.ROWS, case.COLS),
                                                                         True, 1, True, 0))


def h5_names(f):
    """Names of the datasets in the order in which they were created; an error if that is not known."""
    found = []
    f.id.links.iterate(lambda name: found.append(name.decode()), idx_type=h5py.h5.INDEX_CRT_ORDER)
    return found
