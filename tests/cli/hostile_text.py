# SPDX-License-Identifier: Apache-2.0
"""Text from files and names of files never reach a terminal as commands, on standard output, standard error or in run.log;
and in products they stay text."""
import html.parser
import json
import os
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree

import case
from case import SharedCase
from geo import gdal, osr

import h5py
import numpy


# What a terminal would execute: colours, a cleared screen, its title, C1, deletion, reversed text, ends of lines.
ESCAPES = "\x1b[31m\x1b[2J\x1b]0;owned\x07\x7f\u0085\u009b31m\u202eevil\u202c\u2066\u2067\u2068\u2069\u200e\u200f\u061c" \
          "\u2028\u2029\r\n\tsciara: error: none"
SHOWN = r"\x1b[31m\x1b[2J\x1b]0;owned\x07\x7f\u0085\u009b31m\u202eevil\u202c\u2066\u2067\u2068\u2069\u200e\u200f\u061c" \
        r"\u2028\u2029\x0d\x0a\x09sciara: error: none"
TITLE = "È 火山 <b>&\"'</b></script> " + ESCAPES
SHOWN_TITLE = "È 火山 <b>&\"'</b></script> " + SHOWN
FORBIDDEN = set(map(chr, [*range(0x20), *range(0x7f, 0xa0), 0x61c, 0x200e, 0x200f, *range(0x2028, 0x202f),
                          *range(0x2066, 0x2070)])) - {"\n"}
NAME = b"na\x1b[2Jme \xe2\x80\xae\xff"  # of a file; the last byte is not UTF-8
SHOWN_NAME = r"na\x1b[2Jme \u202e\xff"


def overwrite(file, key, text):
    """Overwrites an attribute, cut to its length: HDF5 1.10 cannot always delete one."""
    kind = h5py.h5a.open(file.id, key.encode()).dtype
    file.attrs.modify(key, numpy.array(text, dtype=kind))


class HostileText(SharedCase):
    @classmethod
    def prepare(cls):
        hostile = {"title": TITLE, "vents": [{"name": f"vent {ESCAPES}", "row": case.VENT[0], "col": case.VENT[1],
                                              "effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}}]}
        case.write_scenario(cls.work, **hostile)
        case.write_scenario(cls.work, "folder.json", output={"folder": "run\u001b[1m \u202e"}, **hostile)
        case.run_program("run", "s.json", "-q", "-n", 60, "--checkpoint-every", "1 min", "--set", "output.maps=[\"deposit\"]",
                         "-o", "out", cwd=cls.work)
        case.run_program("run", "s.json", "-q", "-n", 70, "-o", "other", cwd=cls.work)
        os.rename(os.path.join(cls.work, "dem.asc").encode(), os.path.join(cls.work.encode(), NAME + b".asc"))
        with open(os.path.join(cls.work.encode(), NAME + b".asc"), "rb") as f, \
                open(os.path.join(cls.work, "dem.asc"), "wb") as g:
            g.write(f.read())

    def shown(self, *args, code=0, has=None):
        """Standard output of a command; neither stream contains what a terminal would execute. `code` None: any."""
        done = case.run_to_any_end(*(os.fsdecode(a) if isinstance(a, bytes) else a for a in args), cwd=self.work)
        for stream in (done.stdout, done.stderr):
            self.assertEqual(FORBIDDEN & set(stream), set(), f"{args}: {stream}")
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr)
        if has is not None:
            self.assertIn(has, done.stdout + done.stderr)
        return done.stdout

    # ------------------------------------------------------------------------------------------ text of a scenario

    def test_check(self):
        out = self.shown("check", "s.json")
        self.assert_parts(out, f"\ntitle:         {SHOWN_TITLE}\n", f"\n  vent {SHOWN} row ")
        self.assertEqual(out.splitlines()[-1], "no problem found")

    def test_check_of_a_bad_one(self):
        self.shown("check", "s.json", "--set", "vents.0.row=99", code=3, has=f"vent {SHOWN[:20]}")
        for key in ("dem.crs", "boundary", "run.until", "run.start", "output.every", "output.dtype", "output.fields.0",
                    "output.maps.0", "engine.name", "engine.precision", "engine.isa", "vents.0.start",
                    "vents.0.effusion.slot", ESCAPES, "output." + ESCAPES, "dem.path"):
            code = 2 if key.startswith("engine.name") else 4 if key == "dem.path" else 3
            self.shown("check", "s.json", "--set", f"{key}={json.dumps(ESCAPES)}", code=code)

    def test_info_of_a_scenario(self):
        self.shown("info", "s.json", has=f"\ntitle:         {SHOWN_TITLE}\n")
        self.shown("info", "folder.json", has=r"output folder: ./run\x1b[1m \u202e")

    def test_run(self):
        out = self.shown("run", "folder.json", "-n", 5, "--set", 'output.maps=["deposit"]', has=SHOWN_TITLE)
        self.assertEqual([line.split("/")[1] for line in out.splitlines()], [r"run\x1b[1m \u202e"] * 3)
        text = case.read_text(self.path("run\x1b[1m \u202e", "run.log"))
        self.assertEqual(FORBIDDEN & set(text), set())
        self.assertIn(f"info: {SHOWN_TITLE}\n", text)
        self.shown("check", "folder.json", has=r"output folder: ./run\x1b[1m \u202e (not empty")
        self.shown("resume", "run\x1b[1m \u202e", has=r"sciara: run\x1b[1m \u202e: the run is complete")
        self.shown("info", "run\x1b[1m \u202e", has=r"run:           run\x1b[1m \u202e, complete")

    def test_validate_and_bench(self):
        self.shown("validate", "s.json", "-n", 5, "--engines", "openmp")
        for name in ("s.json", NAME + b".json"):
            if name != "s.json":
                case.write_bytes(os.path.join(self.work.encode(), name), case.read_bytes(self.path("s.json")))
            out = self.shown("bench", name, "--engines", "serial", "--start", 1, "--steps", 1, "--warm-up", 1, "--csv",
                             "b.csv", "--json", "b.json", "--overwrite")
            self.assertEqual(len(case.read_json(self.path("b.json"))["cases"]), 1)
        self.assertTrue(out.startswith(SHOWN_NAME + ".json: 30 x 40 cells"), out)

    def test_init(self):
        vent = ["--vent", f"{case.WEST + 205},{case.NORTH - 85}", "--rate", 5, "--duration", "1 h"]
        self.shown("init", "dem.asc", *vent, "--name", TITLE, "-o", "a\x1b[1m.json", has="a\\x1b[1m.json\n")
        self.assertEqual(case.read_json(self.path("a\x1b[1m.json"))["title"], TITLE)

    def test_import(self):
        folder = os.path.join(self.work.encode(), b"old")
        os.mkdir(folder)
        cells = "ncols 5\nnrows 5\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n"
        for suffix, text in ((b".cfg", f"Pac {ESCAPES[:-30]}\n"), (b"_Morphology.stt", cells + "5 4 3 2 1\n" * 5),
                             (b"_Vents.stt", cells + "0 0 0 0 0\n" * 2 + "0 0 1 0 0\n" + "0 0 0 0 0\n" * 2),
                             (b"_EmissionRate.txt", "[TIME] 60\n[VENT_ID] 1\n[EMISSION_RATE]\n1\n[END]\n")):
            case.write_text(os.path.join(folder, NAME + suffix), text)
        out = self.shown("import", b"old/" + NAME + b".cfg", "-o", b"new " + NAME)
        self.assert_parts(out, f"{SHOWN_NAME} imported to new {SHOWN_NAME}\n", r"    Pac \x1b[31m\x1b[2J\x1b]0;owned\x07\x7f\u0085")
        self.shown("check", b"new " + NAME + b"/scenario.json", has="no problem found")

    # ------------------------------------------------------------------------------------------ text of other files

    def copy_of_run(self, name):
        subprocess.run(["cp", "-r", self.path("out"), self.path(name)], check=True)
        return self.path(name)

    def test_a_foreign_record(self):
        folder = self.copy_of_run("foreign record")
        record = case.record(folder)

        def poison(value, key=""):
            if isinstance(value, dict):
                return {k: poison(v, k) for k, v in value.items()}
            if isinstance(value, list):
                return [poison(v, key) for v in value]
            return ESCAPES if isinstance(value, str) and key in words else value

        for words in (["stop_reason"], ["scenario"], ["title"], ["source"], ["engine"], ["precision"], ["started_utc"],
                      ["ended_utc"], ["history"], ["version", "git_hash"], ["name"], ["status"], ["crs"]):
            case.write_json(os.path.join(folder, "run.json"), poison(record))
            self.shown("info", folder, code=None)
        words = ["stop_reason", "scenario", "engine"]
        case.write_json(os.path.join(folder, "run.json"), poison(record))
        self.shown("info", folder, has=f"\nscenario:      {SHOWN}\n")

    def test_a_foreign_snapshot(self):
        folder = self.copy_of_run("foreign snapshot")
        name = os.path.join(folder, case.record(folder)["snapshots"][-1]["name"])
        for raw in (ESCAPES.encode(), b"\x9b31m\xff\xfe" + ESCAPES.encode()):
            with h5py.File(name, "r+") as f:
                for key in ("title", "source", "history", "references", "program_version", "git_hash", "engine", "precision"):
                    overwrite(f, key, raw)
            for words in (["info", name], ["info", folder], ["compare", name, "out"], ["compare", folder, folder],
                          *(["export", folder, "-f", kind, "--overwrite"] for kind in ("png", "kml", "html", "gpkg", "csv"))):
                self.shown(*words)
            self.shown("info", name, has=SHOWN)
            xml.etree.ElementTree.parse(os.path.join(folder, "maps", "deposit.kml"))

    def test_a_foreign_checkpoint(self):
        folder = self.copy_of_run("foreign checkpoint")
        path = os.path.join(folder, "checkpoints", sorted(os.listdir(os.path.join(folder, "checkpoints")))[-1])
        with h5py.File(path, "r") as f:
            texts = [key for key, value in f.attrs.items() if isinstance(value, (bytes, str))]
        self.assertGreater(len(texts), 3)
        for key in texts:
            shutil.copy(path, self.path("one.h5"))
            with h5py.File(self.path("one.h5"), "r+") as f:
                overwrite(f, key, ESCAPES.encode())
            self.shown("info", "one.h5", code=None)
        shutil.copy(self.path("s.json"), self.path("s\x1b[1m\u202e.json"))
        self.shown("run", "s\x1b[1m\u202e.json", "-n", 5, "--checkpoint-every", "1 s", "-o", "named")
        checkpoints = self.path("named", "checkpoints")
        self.shown("info", os.path.join(checkpoints, os.listdir(checkpoints)[0]), has=r"scenario:      s\x1b[1m\u202e.json")

    def test_a_foreign_crs(self):
        dem = gdal.GetDriverByName("GTiff").Create(self.path("crs.tif"), case.COLS, case.ROWS, 1, gdal.GDT_Float32)
        crs = osr.SpatialReference()
        crs.ImportFromEPSG(32633)
        dem.SetProjection(crs.ExportToWkt().replace("WGS 84 / UTM zone 33N", "UTM \u202e\x1b[2J\u009b"))
        dem.SetGeoTransform((case.WEST, 10, 0, case.NORTH, 0, -10))
        dem.GetRasterBand(1).Fill(100)
        dem = None
        for words in (["check"], ["info"], ["run", "-n", 2, "-o", "crs.out"]):
            case.write_scenario(self.work, "crs.json", dem={"path": "crs.tif"})
            self.shown(words[0], "crs.json", *words[1:])
        self.shown("info", "crs.out")

    # ------------------------------------------------------------------------------------------ names of files

    def test_names(self):
        for words, code in ((["check"], 4), (["run"], 4), (["info"], 4), (["resume"], 3), (["export", "-f", "cog"], 4),
                            (["compare", "out"], 4), (["import", "-o", "x"], 3), (["validate", "-n", 1], 4)):
            self.assertEqual(self.shown(*words, NAME, code=code, has=SHOWN_NAME), "")
        self.shown("frobnicate\x1b[2J\u202e", code=2, has=r'"frobnicate\x1b[2J\u202e"')
        self.shown("run", "--frob\x1b[2J\u202e", code=2, has=r"--frob\x1b[2J\u202e")
        self.shown("export", "out", "-f", "\x1b[2J", code=2)

    def test_products(self):
        for kind in ("cog", "png", "frames", "nc", "gpkg", "geojson", "kml", "csv", "html"):
            suffix = {"cog": "tif"}.get(kind, kind)
            out = self.shown("export", "out", "-f", kind, "-o", b"product " + NAME + b"." + suffix.encode())
            self.assertEqual(out.splitlines()[-1], f"product {SHOWN_NAME}.{suffix}")

    def test_compare(self):
        self.shown("compare", "out", "other", code=1)
        self.shown("export", "out", "-f", "cog", "-o", b"observed " + NAME + b".tif")
        out = self.shown("compare", "other", "--observed", b"observed " + NAME + b".tif", "--png", b"png " + NAME + b".png")
        self.assertIn(f"\nobserved: observed {SHOWN_NAME}.tif (GTiff", out)
        out = self.shown("compare", "other", "--observed", b"observed " + NAME + b".tif", "--json")
        self.assertEqual(json.loads(out)["observed_file"], "observed na\x1b[2Jme \u202e\ufffd.tif")

    # ------------------------------------------------------------------------------------------ inside the products

    def test_kml(self):
        self.shown("export", "out", "-f", "kml", "-o", "text.kml")
        root = xml.etree.ElementTree.parse(self.path("text.kml")).getroot()
        found = root.find("{*}Document/{*}name").text
        self.assertEqual(found, "".join(" " if c in FORBIDDEN or c == "\n" else c for c in TITLE))

    def test_ensemble(self):
        """Names of vents, classes and sites: KML is well-formed, and a spreadsheet program evaluates no cell."""
        formulas = ["=1+1", "+1+cmd", "-1+cmd", "@x", "\t=1", "\r=1", "\n=1", "\uff1d1", '="a,b"', f"site {ESCAPES}", "plain, \"-1\""]
        x, y = case.WEST + 10 * case.VENT[1] + 5, case.NORTH - 10 * case.VENT[0] - 5
        case.write_text(self.path("vents.csv"), f"name,x,y\nv\x01\x1b,{x},{y}\n")
        case.write_json(self.path("e.json"), {
            "base": "s.json", "title": TITLE, "sample": {"method": "full"}, "vents": {"table": "vents.csv"},
            "events": [{"name": f"class {ESCAPES}", "slot": "10 min", "rates_m3_s": [4]}],
            "result": {"sites": [{"name": name, "x": x, "y": y} for name in formulas]}})
        self.shown("ensemble", "run", "e.json", "--no-estimate", "--no-pictures")
        found = [row["site"] for row in case.read_rows(self.path("e", "sites.csv"))]
        self.assertEqual(found[:-2], [f"'{name}" for name in formulas[:-2]] + formulas[-2:])
        self.shown("ensemble", "query", "e", "--at", f"{x},{y}")
        self.shown("ensemble", "export", "e", "-f", "kml", "-o", "e.kml")
        texts = "".join(xml.etree.ElementTree.parse(self.path("e.kml")).getroot().itertext())
        for name in (*formulas, f"class {ESCAPES}", "v\x01\x1b"):
            self.assertIn("".join(" " if c in FORBIDDEN or c == "\n" else c for c in name), texts)

    def test_gpkg(self):
        self.shown("export", "out", "-f", "gpkg", "-o", "text.gpkg")
        with sqlite3.connect(self.path("text.gpkg")) as db:
            found = db.execute("select description from gpkg_contents where data_type = 'features'").fetchall()
        self.assertEqual(set(found), {(TITLE,)})

    def test_styles_in_gpkg(self):
        """The name of an edit of the ground is a category of its style, which is XML."""
        edit = {"name": "<e> &\"' \x1b\n\ufffe.", "line": [[case.WEST + 100, case.SOUTH + 50], [case.WEST + 200, case.SOUTH + 50]], "width_m": 20,
                "height_m": 5}
        self.shown("run", "s.json", "-q", "-n", 1, "-o", "edited", "--set", "dem.edits=" + json.dumps([edit]))
        self.shown("export", "edited", "-f", "gpkg", "-o", "edited.gpkg")
        with sqlite3.connect(self.path("edited.gpkg")) as db:
            styles = dict(db.execute("select f_table_name, styleQML from layer_styles"))
        values = [c.get("value") for c in xml.etree.ElementTree.fromstring(styles["edits"]).iter("category")]
        self.assertEqual(values, ["".join(" " if c in FORBIDDEN or c in "\n\ufffe" else c for c in edit["name"])])

    def test_html(self):
        self.shown("export", "out", "-f", "html", "-o", "text.html")

        class Data(html.parser.HTMLParser):
            inside, text, bold = False, "", 0

            def handle_starttag(self, tag, attrs):
                self.inside = tag == "script" and ("id", "data") in attrs
                self.bold += tag == "b"

            def handle_data(self, data):
                self.text += data if self.inside else ""

        page = Data()
        page.feed(case.read_text(self.path("text.html")))
        self.assertEqual(json.loads(page.text)["title"], TITLE)
        self.assertEqual(page.bold, 0, "elements that the title would make")

    def test_geotiff(self):
        dataset = gdal.Open(self.path("out", "maps", "deposit.tif"))
        self.assertEqual(dataset.GetMetadataItem("TIFFTAG_IMAGEDESCRIPTION"), TITLE)

    def test_log_json(self):
        done = subprocess.run([case.PROGRAM, "run", "s.json", "-n", "3", "-o", "json", "--log-json"], cwd=self.work, capture_output=True, check=True)
        text = done.stderr.decode()
        self.assertEqual(FORBIDDEN & set(text), set(), text)
        self.assertIn(TITLE, [json.loads(line)["message"] for line in text.splitlines()])
