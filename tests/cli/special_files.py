# SPDX-License-Identifier: Apache-2.0
"""A named pipe, a device, a socket or a folder instead of any input: an error at once, and no program that waits."""
import os
import shutil
import socket
import stat
import subprocess
import threading
import time

import case

SECONDS = 20 if not case.SANITIZED else 120  # far longer than any of these commands takes
RATES = "time_s,rate_m3_s\n0,4\n600,0\n"


def legacy_grid(value):
    rows = "\n".join(" ".join([str(value)] * 5) for _ in range(5))
    return f"ncols 5\nnrows 5\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n{rows}\n"


ZEROS, ONE = "0 0 0 0 0\n", "0 0 1 0 0\n"
LEGACY = {
    ".cfg": "Ptsol\t1143\n",
    "_Morphology.stt": legacy_grid(7),
    "_Vents.stt": legacy_grid(0).replace(5 * ZEROS, 2 * ZEROS + ONE + 2 * ZEROS),
    "_EmissionRate.txt": "[TIME]\t60\n[VENT_ID]\t1\n[EMISSION_RATE]\n1\n[END]\n",
    "_RealEvent.stt": legacy_grid(1),
}


def make_pipe(path):
    os.mkfifo(path)


def make_folder(path):
    os.mkdir(path)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as s:  # the name stays when it is closed
        folder = os.open(os.path.dirname(path), os.O_RDONLY)
        here = os.getcwd()
        os.fchdir(folder)  # names of sockets are short
        s.bind(os.path.basename(path))
        os.chdir(here)
        os.close(folder)


def link_to(device):
    return lambda path: os.symlink(device, path)


# A symbolic link to a device: in a run folder that it leads out of it is seen first.
REFUSED = {"device": "is a device, expected a file|expected a file of the run, found a symbolic link"}
KINDS = {"named pipe": make_pipe, "folder": make_folder, "socket": make_socket, "device": link_to("/dev/zero")}


class SpecialFiles(case.Case):
    def make_run(self):
        self.write_scenario(output={"fields": case.FIELDS})
        self.run_scenario("out", "-n", 4)
        self.sciara("run", "s.json", "-q", "-o", "held", "-n", 4, "--checkpoint-every", "1 s")

    def names(self):
        """Everything in the folder; nothing is opened."""
        return sorted(os.path.join(place, name) for place, folders, files in os.walk(self.work)
                      for name in folders + files)

    def replace(self, name, make):
        path = self.path(name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.remove(path)
        make(path)

    def try_all(self, name, *commands, kinds=KINDS, named=None, codes=(3, 4)):
        """Each command is refused with the file's name and kind if something else is in place of `name`."""
        whole = {}
        path = self.path(name)
        if os.path.isfile(path):
            whole[name] = case.read_bytes(path)
        for kind in kinds:
            self.replace(name, KINDS[kind])
            for command in commands:
                with self.subTest(name=name, kind=kind, command=" ".join(command)):
                    before = self.names()
                    done = case.run_to_any_end(*command, cwd=self.work, timeout=SECONDS)
                    self.assertIn(done.returncode, codes, done.stderr)
                    self.assertIn(os.path.basename(named or name), done.stderr)
                    self.assertRegex(done.stderr, REFUSED.get(kind, f"is a {kind}, expected a file"))
                    self.assertEqual(self.names(), before, "something was written")
        if os.path.isdir(path):
            os.rmdir(path)
        else:
            os.remove(path)
        for place, data in whole.items():
            case.write_bytes(self.path(place), data)

    def test_scenario(self):
        self.write_scenario()
        self.try_all("s.json", ["check", "s.json"], ["run", "s.json"], ["info", "s.json"], ["validate", "s.json"],
                     ["bench", "s.json", "--no-records"], kinds=["named pipe", "socket", "device"])
        self.try_all("s.json", ["check", "s.json"], ["run", "s.json"], kinds=["folder"])

    def test_standard_input(self):
        """/dev/stdin is read when it is a file, refused when it is a pipe or a terminal."""
        self.write_scenario()
        with open(self.path("s.json"), "rb") as f:
            done = subprocess.run([case.PROGRAM, "check", "/dev/stdin", "--set", f"dem.path={self.path('dem.asc')}"],
                                  cwd=self.work, stdin=f, capture_output=True, timeout=SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run([case.PROGRAM, "check", "/dev/stdin"], input=b"{}", capture_output=True, timeout=SECONDS, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (3, b"sciara: error: /dev/stdin: is a named pipe, expected a file\n"))
        done = subprocess.run([case.PROGRAM, "check", "/dev/stdin"], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (3, b"sciara: error: /dev/stdin: is a device, expected a file\n"))

    def test_what_a_scenario_names(self):
        case.write_text(self.path("rates.csv"), RATES)
        self.write_scenario(vents=[{"row": 8, "col": 20, "effusion": {"csv": "rates.csv"}}],
                            initial={"thickness": "lava.asc", "temperature": "warm.asc"})
        for name, value in (("lava.asc", 0), ("warm.asc", 1300)):
            case.write_dem(self.path(name))
            lines = case.read_text(self.path(name)).splitlines(True)
            lines[6:] = [" ".join([str(value)] * case.COLS) + "\n"] * case.ROWS
            case.write_text(self.path(name), "".join(lines))
        self.sciara("check", "s.json")
        for name in ("rates.csv", "dem.asc", "lava.asc", "warm.asc"):
            self.try_all(name, ["check", "s.json"], ["run", "s.json", "-q"])
        self.try_all("dem.asc", ["init", "dem.asc", "-o", "new.json", "--vent", "500200,4177200",
                                 "--rate", "1", "--duration", "1 h"])

    def test_sidecars(self):
        self.write_scenario()
        for name in ("dem.prj", "dem.asc.aux.xml", "dem.PRJ"):
            self.try_all(name, ["check", "s.json"], ["run", "s.json", "-q"])

    def test_snapshot(self):
        self.make_run()
        snapshot = "out/snapshots/00000004.nc"
        self.try_all(snapshot, ["info", snapshot], ["info", "out"], ["compare", snapshot, "held"],
                     ["compare", "held", snapshot], ["compare", "out", "held"],
                     ["export", snapshot, "-f", "csv", "-o", "x.csv"], ["export", "out", "-f", "nc", "-o", "x.nc"],
                     ["export", "out", "-f", "html", "-o", "x.html"], kinds=["named pipe", "socket", "device"])
        self.try_all("s.json", ["compare", "s.json", "out"], kinds=["named pipe", "socket", "device"])

    def test_run_folder(self):
        self.make_run()
        self.try_all("out/run.json", ["info", "out"], ["resume", "out", "-q"], ["export", "out", "-f", "csv"])
        self.try_all("out/dem.tif", ["export", "out", "-f", "png", "-o", "x.png", "--field", "thickness"])
        self.try_all("held/dem.tif", ["resume", "held", "-n", "6", "-o", "branch"])
        newest = sorted(os.listdir(self.path("held/checkpoints")))
        for name in newest[:-1]:  # the one before the newest could be used instead
            os.remove(self.path("held/checkpoints", name))
        self.try_all(f"held/checkpoints/{newest[-1]}", ["resume", "held", "-n", "6", "-o", "branch"],
                     ["info", f"held/checkpoints/{newest[-1]}"], kinds=["named pipe", "socket", "device"])

    def stopped_run(self, folder):
        """A run that a signal has stopped, and that could continue for ever."""
        self.write_scenario("endless.json", **case.ENDLESS)
        with subprocess.Popen([case.PROGRAM, "run", "endless.json", "-o", folder, "--checkpoint-every", "1 s"],
                              cwd=self.work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
            while not os.path.isdir(self.path(folder, "checkpoints")):
                time.sleep(0.05)
            run.terminate()
            run.communicate(timeout=SECONDS)

    def test_what_a_run_would_write_to(self):
        """A run folder of unknown origin: nothing in it makes a run wait, or is written through."""
        self.stopped_run("stopped")
        for name in ("run.log", "run.json.part"):
            for kind in ("named pipe", "socket"):
                with self.subTest(name=name, kind=kind):
                    shutil.rmtree(self.path("again"), True)
                    shutil.copytree(self.path("stopped"), self.path("again"))
                    self.replace("again/" + name, KINDS[kind])
                    with subprocess.Popen([case.PROGRAM, "resume", "again"], cwd=self.work, encoding="utf-8",
                                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
                        timer = threading.Timer(SECONDS, run.kill)
                        timer.start()
                        self.assertTrue(any(f"again/{name}: " in line for line in run.stderr), "it waits, or is silent")
                        run.terminate()
                        run.stderr.read()
                        timer.cancel()
                    self.assertFalse(stat.S_ISREG(os.lstat(self.path("again", name)).st_mode))

    def test_observed(self):
        self.make_run()
        shutil.copy(self.path("dem.asc"), self.path("seen.asc"))
        shutil.copy(self.path("dem.asc"), self.path("seen.geojson"))
        for name in ("seen.asc", "seen.geojson", "seen.prj", "seen.shx"):
            first = "seen.asc" if name == "seen.prj" else "seen.geojson" if name == "seen.shx" else name
            self.try_all(name, ["compare", "out", "--observed", first],
                         ["export", "out", "-f", "png", "-o", "x.png", "--field", "thickness", "--observed", first])

    def test_legacy_files(self):
        os.mkdir(self.path("old"))
        for suffix, text in LEGACY.items():
            case.write_text(self.path("old", "lava" + suffix), text)
        self.sciara("import", "old/lava.cfg", "-o", "new")
        shutil.rmtree(self.path("new"))
        for suffix in LEGACY:
            self.try_all("old/lava" + suffix, ["import", "old/lava.cfg", "-o", "new"])

    def test_bench_records(self):
        self.write_scenario()
        open(self.path("records.csv"), "w", encoding="ascii").close()
        self.try_all("records.csv", ["bench", "s.json", "--records", "records.csv", "-n", "1"])
