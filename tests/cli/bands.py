# SPDX-License-Identifier: Apache-2.0
"""One eruption on several processes through MPI: the files of one process, to the bit; kills, silence, and what is refused."""
import errno
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest

import case
from case import Case, SharedCase, record

PATIENCE = 120  # s
PLUGIN = os.path.join(os.environ["SCIARA_BUILD_DIR"], "sciara-comm", "mpi.so")
DEVICE = 7  # exit code
ETNA = os.environ.get("SCIARA_ETNA2006") or os.path.join(case.SOURCE, "shared", "data", "etna2006")
OUTPUT = {"fields": case.all_fields(), "dtype": "float64", "every": "20 min", "maps": ["deposit"]}
BINGHAM = {**case.SHEET, "viscosity_vent_Pa_s": 2e4, "viscosity_sol_Pa_s": 2e6}
ENDLESS = {**case.ENDLESS, "output": {"fields": ["thickness"], "every": "100 d", "checkpoint_every": "1 h"}}


def why_not():
    if not os.path.exists(PLUGIN):
        return "this build has no MPI (tools/setup --mpi, then build again)"
    return None if shutil.which("mpirun") else "there is no mpirun (tools/setup --mpi)"


def command(ranks, *args, options=()):
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["mpirun", *root, "--oversubscribe", *options, "-n", str(ranks), case.PROGRAM, *map(str, args)]


class Ranks:
    """For a test case: processes in its folder."""

    def mpirun(self, ranks, *args, code=0, **more):
        return self.tool(*command(ranks, *args), code=code, timeout=PATIENCE, **more)

    def start(self, ranks, *args, options=(), **environment):
        process = subprocess.Popen(command(ranks, *args, options=options), cwd=self.work, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                                   env={**os.environ, **environment})
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        for pid in ranks_of(process):
            os.kill(pid, signal.SIGKILL)
        if process.poll() is None:
            process.kill()
        process.communicate()

    def wait_for_checkpoint(self, process, folder):
        self.wait_for("a checkpoint", process, lambda: glob.glob(self.path(folder, "checkpoints", "*.h5")), PATIENCE)


def ranks_of(mpirun):
    """The processes of the program below mpirun, by rank."""
    found = {}
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            parent = int(case.read_text(f"{folder}/stat").rsplit(")", 1)[1].split()[1])
            if parent != mpirun.pid:
                continue
            rank = re.search(rb"OMPI_COMM_WORLD_RANK=(\d+)", case.read_bytes(f"{folder}/environ"))
        except OSError:
            continue
        if rank:
            found[int(rank.group(1))] = int(os.path.basename(folder))
    return [found[rank] for rank in sorted(found)]


@unittest.skipIf(why_not(), why_not())
class Same(SharedCase, Ranks):
    """Whole runs of both rules by one process; every number of processes leaves the same."""

    @classmethod
    def prepare(cls):
        vents = [{"row": 12, "col": 20, "effusion": {"slot": "10 min", "rates_m3_s": [4, 6]}},
                 {"line": [[500105, 4177205], [500145, 4177115]], "effusion": {"slot": 200, "rates_m3_s": [9]}}]
        output = {**OUTPUT, "checkpoint_every": "30 min"}
        case.write_scenario(cls.work, "fv3.json", vents=vents, output=output, run={"max_steps": 300})
        case.write_scenario(cls.work, "bingham.json", vents=vents, output=output, model=BINGHAM, run={"max_steps": 300})
        for rule in ("fv3", "bingham"):
            case.run_program("run", f"{rule}.json", "-q", "-e", "openmp", "-o", rule, cwd=cls.work)

    def test_any_number_of_processes(self):
        for rule, ranks, engine, more in (("fv3", 1, "openmp", ()), ("fv3", 2, "openmp", ("-t", 2)), ("fv3", 3, "serial", ()),
                                          ("fv3", 5, "openmp", ()), ("bingham", 2, "serial", ()), ("bingham", 3, "openmp", ())):
            with self.subTest(rule=rule, ranks=ranks):
                out = f"{rule}-{ranks}"
                done = self.mpirun(ranks, "run", f"{rule}.json", "-e", engine, "-o", out, *more)
                self.assertEqual("bands" in done.stderr, ranks > 1, done.stderr)
                self.assert_same_run(rule, out, ("history", "engine", "scenario_json"))
                self.assertEqual(case.files(self.path(rule)), case.files(self.path(out)))

    def test_a_profile_has_no_times(self):
        self.mpirun(2, "run", "fv3.json", "-q", "-e", "openmp", "-o", "profiled", "--steps", 40, "--profile", "p.csv",
                    "--profile-every", 20)
        with open(self.path("p.csv"), encoding="utf-8") as f:
            rows = [line.strip().split(",") for line in f]
        self.assertEqual([row[0] for row in rows], ["step", "20", "40"])
        self.assertEqual([row[-1] for row in rows[1:]], ["0", "0"], "timed steps")

    def test_precision(self):
        for out, ranks in (("single", 1), ("single-3", 3)):
            self.mpirun(ranks, "run", "fv3.json", "-q", "-e", "openmp", "-p", "single", "-o", out, "--steps", 200)
        self.assert_same_run("single", "single-3", ("history", "scenario_json"))


@unittest.skipIf(why_not(), why_not())
class Ends(Case, Ranks):
    """Processes that end early, and what is refused."""

    def test_killed_and_resumed_with_another_number(self):
        self.write_scenario(run={"max_steps": 4000}, vents=case.ENDLESS["vents"], output={**OUTPUT, "checkpoint_every": 200})
        self.run_scenario("whole", "-e", "serial")
        for ranks, then in ((3, 2), (1, 5)):
            with self.subTest(ranks=ranks, then=then):
                shutil.rmtree(self.path("out"), True)
                process = self.start(ranks, "run", "s.json", "-q", "-e", "openmp", "-o", "out")
                self.wait_for_checkpoint(process, "out")
                self.end(process)
                self.assertEqual(record(self.path("out"))["status"], "running")
                self.mpirun(then, "resume", "out", "-q", "-e", "openmp")
                self.assert_same_run("whole", "out", ("history", "engine", "scenario_json"))

    def log(self):
        return case.read_text(self.path("out", "run.log"))

    def test_signals_are_for_rank_0(self):
        self.write_scenario(**ENDLESS)
        process = self.start(3, "run", "s.json", "-e", "openmp", "-o", "out", options=("--mca", "odls_base_sigkill_timeout", "4"))
        self.wait_for_checkpoint(process, "out")
        before = record(self.path("out"))["state"]["step"]
        os.kill(ranks_of(process)[0], signal.SIGUSR1)
        self.wait_for("a requested checkpoint", process, lambda: "checkpoint of step" in self.log())
        process.terminate()
        process.communicate(timeout=PATIENCE)
        found = record(self.path("out"))
        self.assertEqual(found["status"], "stopped")
        self.assertGreater(found["state"]["step"], before)
        self.sciara("resume", "out", "-q", "-o", "more", "--steps", found["state"]["step"] + 10)

    def lose(self, how, expected, options=(), **environment):
        """A rank is lost while the run computes: the run fails and says why, and continues from its checkpoint."""
        self.write_scenario(**ENDLESS)
        process = self.start(3, "run", "s.json", "-q", "-e", "openmp", "-o", "out", options=options, **environment)
        self.wait_for_checkpoint(process, "out")
        victim = ranks_of(process)[1]
        how(victim)
        output, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(ranks_of(process), [], output)
        found = record(self.path("out"))
        self.assertEqual(found["status"], "failed", errors)
        self.assertRegex(found["stop_reason"], expected.format(victim=victim))
        self.assertRegex(errors, expected.format(victim=victim))
        self.assertIn("the last valid checkpoint is", found["stop_reason"])
        self.sciara("resume", "out", "-q", "-o", "more", "--steps", found["state"]["step"] + 10)
        return process.returncode

    def test_a_rank_dies(self):
        # Without this option, with which its own exit code is 0, mpirun ends all others at once; here they find out by themselves.
        self.lose(lambda pid: os.kill(pid, signal.SIGKILL), r"rank 1 of 3 \(process {victim} on .*\) has ended",
                  options=("--enable-recovery",))

    def test_a_rank_is_silent(self):
        code = self.lose(lambda pid: os.kill(pid, signal.SIGSTOP), "rank 0 of 3: no answer from another rank for 2 s",
                         SCIARA_COMM_TIMEOUT="2")
        self.assertEqual(code, DEVICE)

    def test_a_file_cannot_be_written(self):
        """The disk is the business of rank 0: its error ends all."""
        self.write_scenario(vents=case.ENDLESS["vents"], output={**OUTPUT, "every": 600, "checkpoint_every": 300})
        process = self.start(3, "run", "s.json", "-q", "-e", "openmp", "-o", "out")
        self.wait_for_checkpoint(process, "out")
        shutil.rmtree(self.path("out", "snapshots"))
        output, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 4, output + errors)
        self.assertIn(os.path.join("out", "snapshots"), errors)
        self.assertEqual(errors.count("sciara: error"), 1, errors)

    def test_a_full_disk(self):
        """Rank 0 says so, all end, and the last checkpoint is whole."""
        os.mkdir(self.path("small"))
        os.mkdir(self.path("kept"))
        mount = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=600k none small || exit 77; "$@"; code=$?; cp -r small/. kept; exit $code',
                 "sh"]
        allowed = subprocess.run([*mount, "true"], cwd=self.work, stderr=subprocess.PIPE, encoding="utf-8", check=False)
        if allowed.returncode == 77:
            self.skipTest(f"no file system may be mounted here: {allowed.stderr.strip()}")
        self.write_scenario(vents=case.ENDLESS["vents"], output={**OUTPUT, "every": 600, "checkpoint_every": 300})
        done = self.tool(*mount, *command(2, "run", "s.json", "-q", "-e", "openmp", "-o", "small/out"), code=4, timeout=PATIENCE)
        self.assert_parts(done.stderr, os.strerror(errno.ENOSPC), "small/out")
        self.assertEqual(done.stderr.count("sciara: error"), 1, done.stderr)
        checkpoints = glob.glob(self.path("kept", "out", "checkpoints", "*.h5"))
        self.assertTrue(checkpoints, done.stderr)
        found = record(self.path("kept", "out"))
        self.assertIn(found["status"], ("failed", "running"), "there may be no space for another run.json")
        self.sciara("resume", "kept/out", "-q", "-o", "more", "--steps", found["state"]["step"] + 500)

    def test_errors_are_said_once(self):
        self.write_scenario()
        for args, code, words in (
                (("run", "nowhere.json"), 4, "nowhere.json"),
                (("run", "s.json", "--steps", "x"), 2, "--steps"),
                (("run", "s.json", "-e", "scatter", "-o", "o"), 2, 'engine "scatter" cannot compute bands on 3 ranks; \'sciara engines\' lists those that can'),
                (("ensemble", "run", "s.json"), 2, "'sciara ensemble' is one process, and was started as 3"),
                (("evaluate", "s.json"), 2, "'sciara evaluate' is one process, and was started as 3"),
                (("calibrate", "s.json"), 2, "'sciara calibrate' is one process, and was started as 3")):
            with self.subTest(args=args):
                done = self.mpirun(3, *args, code=code)
                self.assertEqual(done.stderr.count("sciara: error"), 1, done.stderr)
                self.assertIn(words, done.stderr)

    def test_bench(self):
        """A row for each size; a vote takes less than a command to all."""
        rows = [line.split() for line in self.mpirun(2, "bench", "--suite", "comm").stdout.splitlines()]
        self.assertEqual(rows[0][:2], ["2", "ranks"])
        self.assertEqual([(row[0], int(row[1])) for row in rows[2:]],
                         [("command", 0), ("vote", 8)] + [("halo", 8192 << k) for k in range(8)])
        for row in rows[2:]:
            median, least, most = map(float, row[2:])
            self.assertTrue(0 < least <= median <= most, row)
        self.assertIn("mpirun -n 2", self.sciara("bench", "--suite", "comm", code=2).stderr)
        self.assertIn("--suite comm", self.mpirun(2, "bench", "--suite", "quick", code=2).stderr)

    def test_validate(self):
        self.write_scenario()
        found = json.loads(self.mpirun(3, "validate", "s.json", "--engines", "openmp", "--steps", 60, "--json").stdout)
        self.assertEqual([(e["engine"], e["result"], e["cells_differing"]) for e in found["engines"]], [("openmp", "passed", 0)])
        for engines in ("all", "openmp,serial", "scatter"):
            done = self.mpirun(2, "validate", "s.json", "--engines", engines, "--steps", 60, code=2)
            self.assertIn("expected --engines with one engine that computes bands", done.stderr)

    def test_check(self):
        """The bands that a run will have; with the option also where nothing was started. What run refuses is refused."""
        self.write_scenario(**ENDLESS)
        started = self.mpirun(3, "check", "s.json", "-e", "openmp", "--no-estimate").stdout
        planned = self.sciara("check", "s.json", "-e", "openmp", "--no-estimate", "--ranks", 3).stdout
        lines = [re.search(r"\nbands:.*\n(?: .*\n)*", said)[0] for said in (started, planned)]
        self.assertEqual(*lines)
        self.assertRegex(lines[0], r"^\nbands: +3 on 3 processes, of 10 rows at the start\n")
        first, other, all_ = map(float, re.findall(r"([\d.]+) MB", lines[0]))
        self.assertAlmostEqual(all_, first + 2 * other, delta=0.2)
        self.assertIn(", of 7 to 8 rows", self.sciara("check", "s.json", "-e", "openmp", "--no-estimate", "--ranks", 4).stdout)
        self.assertNotIn("bands:", self.sciara("check", "s.json", "-e", "openmp", "--no-estimate").stdout)
        self.assertIn("bands:         none: engine auto computes in one of the 3 processes",
                      self.sciara("check", "s.json", "--no-estimate", "--ranks", 3).stdout)
        self.assertIn("estimate: ", self.mpirun(2, "check", "s.json", "-e", "openmp").stdout)
        for args, words in ((("-e", "scatter", "--ranks", 3), 'engine "scatter" cannot compute bands on 3 ranks'),
                            (("--ranks", "0"), '--ranks: expected a whole number, 1 to 1024, found "0"'),
                            (("--ranks", "two"), '--ranks: expected a whole number, 1 to 1024, found "two"')):
            self.assertIn(words, self.sciara("check", "s.json", *args, code=2).stderr)

    @unittest.skipIf(case.SANITIZED, "sanitizers take memory of their own")
    def test_memory(self):
        """No process takes much more than check says; the estimate includes another cut, which this run does not have."""
        self.write_scenario(vents=[{"row": 350, "col": 350, "effusion": {"slot": "1 d", "rates_m3_s": [5]}}])
        case.write_grid(self.path("dem.asc"), lambda row, col: 2000 - row + row % 3, 700, 700)
        said = self.sciara("check", "s.json", "-e", "openmp", "--no-estimate", "--ranks", 2).stdout
        predicted = [float(re.search(rf"\n  {who} +([\d.]+) MB", said)[1]) * 1e6 for who in ("process 0", "each other")]
        with open(self.path("peak.py"), "w", encoding="utf-8") as f:
            f.write("import os, resource, subprocess, sys\n"
                    "code = subprocess.call(sys.argv[1:])\n"
                    "with open('peak.' + os.environ['OMPI_COMM_WORLD_RANK'], 'w', encoding='utf-8') as f:\n"
                    "    f.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024))\n"
                    "sys.exit(code)\n")
        run = command(2, "run", "s.json", "-q", "-e", "openmp", "-n", 20, "-o", "out")
        at = run.index(case.PROGRAM)
        subprocess.run(run[:at] + [sys.executable, "peak.py"] + run[at:], cwd=self.work, check=True, stdout=subprocess.DEVNULL,
                       timeout=PATIENCE)
        for rank, most in enumerate(predicted):
            taken = float(case.read_text(self.path(f"peak.{rank}")))
            print(f"rank {rank}: at most {most / 1e6:.1f} MB, taken {taken / 1e6:.1f} MB")
            self.assertTrue(0.6 * most < taken < 1.15 * most, (rank, taken, most))

    def test_one_is_enough(self):
        self.write_scenario()
        self.assertEqual(self.mpirun(3, "presets").stdout, self.sciara("presets").stdout)
        done = self.mpirun(3, "run", "s.json", "-o", "auto", "--steps", 5)
        self.assertIn("engine auto computes in one of the 3 processes; --engine openmp divides the map", done.stderr)
        self.run_scenario("alone", "--steps", 5)
        self.assert_same_run("alone", "auto", ("history", "scenario_json"))

    def test_bad_timeout(self):
        self.write_scenario()
        done = self.mpirun(3, "run", "s.json", "-e", "openmp", "-o", "o", code=2, env={**os.environ, "SCIARA_COMM_TIMEOUT": "soon"})
        self.assertEqual(done.stderr.count("sciara: error"), 1, done.stderr)
        self.assertIn('SCIARA_COMM_TIMEOUT: found "soon", expected 1 to 1e6 seconds', done.stderr)

    @unittest.skipUnless(os.path.isdir(ETNA), "the files of the 2006 eruption are not here (docs/data.md)")
    def test_etna(self):
        steps = 5000 if case.LONG else 300
        self.sciara("import", os.path.join(ETNA, "2006_000000000000.cfg"), "-o", "etna", "--crs", "EPSG:32633")
        how = ("-q", "--steps", steps, "--set", "output.dtype=float64", "--set", f"output.fields={json.dumps(case.FIELDS)}")
        self.sciara("run", "etna/scenario.json", "-e", "openmp", "-o", "one", *how)
        for ranks in (2, 3, 5) if case.LONG else (3,):
            self.mpirun(ranks, "run", "etna/scenario.json", "-e", "openmp", "-o", f"bands-{ranks}", *how)
            self.assert_same_run("one", f"bands-{ranks}", ("history", "scenario_json"))


def gpus():
    """The number of GPUs, if the program can use them."""
    said = subprocess.run([case.PROGRAM, "engines"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    return len(re.findall("^device ", said, re.M))


@unittest.skipIf(why_not(), why_not())
class Gpus(Case, Ranks):
    """One process a GPU."""

    def setUp(self):
        super().setUp()
        self.gpus = gpus()
        if self.gpus == 0:
            self.skipTest("there is no GPU")
        self.write_scenario(run={"max_steps": 300}, output=OUTPUT)

    def test_same_bits(self):
        for rule in ("fv3", "bingham"):
            self.write_scenario(run={"max_steps": 300}, output=OUTPUT, **({"model": BINGHAM} if rule == "bingham" else {}))
            self.run_scenario(rule, "-e", "serial")
            for engine in ("cuda-rbb", "cuda-bands"):
                with self.subTest(rule=rule, engine=engine):
                    self.mpirun(self.gpus, "run", "s.json", "-q", "-e", engine, "-o", f"{rule}-{engine}")
                    self.assert_same_run(rule, f"{rule}-{engine}", ("history", "engine", "scenario_json"))
                    self.mpirun(self.gpus, "validate", "s.json", "--engines", engine, "--steps", 60)

    def test_more_processes_than_gpus(self):
        done = self.mpirun(self.gpus + 1, "run", "s.json", "-e", "cuda-rbb", "-o", "out", code=DEVICE)
        self.assertRegex(done.stderr, f"rank {self.gpus}: {self.gpus + 1} processes with 1 GPU each share {self.gpus} GPUs? of .*, "
                                      f"from number 0 on; expected at most {self.gpus}")
        self.assertEqual(done.stderr.count("sciara: error"), 1, done.stderr)


class Model(Case):
    """studies/scaling/model.py finds the constants from which times were made, and sees a state that differs."""

    COST, LAUNCH, VOTE = {"fv3": 50, "bingham": 80}, {"fv3": 7, "bingham": 11}, 4  # ns, us, us

    @staticmethod
    def halo(size):
        return 5 + max(size, 8192) / 1e4

    def exchange(self, name, ranks, size):
        """us: MPI as it was measured alone, the others from a latency and a bandwidth."""
        rounds = {1: 0, 2: 1, 4: 2}[ranks]
        return {"mpi": rounds * self.VOTE + self.halo(size), "peer": 6 + size / 50e3, "nccl": 20 * rounds + size / 20e3,
                "-": 0}[name if ranks > 1 else "-"]

    def write(self, checksum="-"):
        with open(self.path("exchange.txt"), "w", encoding="utf-8") as f:
            f.write(f"2 ranks\n  what bytes us least most\n  vote 8 {self.VOTE} 1 1\n")
            f.writelines(f"  halo {8192 << k} {self.halo(8192 << k):.12g} 1 1\n" for k in range(8))
        head = "scene,size,rule,engine,precision,ranks,exchange,cols,cells,steps,us_median,us_least,step,checksum\n"
        with open(self.path("measured.csv"), "w", encoding="utf-8") as f:
            for rule, cost in self.COST.items():
                f.write(head)
                for size in (256, 512, 1024):
                    for ranks, name in ((1, "-"), *((p, x) for p in (2, 4) for x in ("mpi", "peer", "nccl"))):
                        us = 1e-3 * cost * size ** 2 / ranks + self.LAUNCH[rule] + self.exchange(name, ranks, 80 * size)
                        f.write(f"dense,{size},{rule},openmp,double,{ranks},{name},{size},{size ** 2},8,{us:.12g},{us / 2:.12g},16,"
                                f"{checksum if ranks > 2 or checksum == '-' else 'abcd'}\n")

    def model(self, *args, code=0):
        return self.tool(sys.executable, os.path.join(case.SOURCE, "studies", "scaling", "model.py"), *args, code=code)

    def test_constants(self):
        self.write()
        said = self.model("measured.csv", "exchange.txt").stdout
        for line in ("dense/fv3/openmp/double: 50 ns a cell, launch 7 us", "dense/bingham/openmp/double: 80 ns a cell, launch 11 us",
                     "exchange mpi: vote 4 us, rows of 8192 bytes 5.82 us", "exchange nccl: 20 us and 20 GB/s",
                     "exchange peer: 6 us and 50 GB/s", *(f"held out, {name}: {count} cases, median error 0.00 %, largest 0.00 %"
                                                          for name, count in (("alone", 2), ("mpi", 10), ("peer", 10), ("nccl", 10),
                                                                              ("all", 32)))):
            self.assertIn(line + "\n", said)
        self.assertIn("25 ns a cell, launch 3.5 us", self.model("measured.csv", "--least").stdout)

    def test_newer(self):
        """Kernels twice as fast, measured on one rank: their cost, the exchanges of the others."""
        self.write()
        rows = case.read_text(self.path("measured.csv")).splitlines()
        with open(self.path("newer.csv"), "w", encoding="utf-8") as f:
            f.write(rows[0] + "\n")
            for size in (256, 512, 1024):
                us = 0.5 * (1e-3 * self.COST["fv3"] * size ** 2 + self.LAUNCH["fv3"])
                f.write(f"dense,{size},fv3,openmp,double,1,-,{size},{size ** 2},8,{us:.12g},{us:.12g},16,-\n")
        said = self.model("measured.csv", "--newer", "newer.csv", "--predict", "2").stdout
        self.assertIn("newer dense/fv3/openmp/double: 25 ns a cell, launch 3.5 us\n", said)
        self.assertIn("held out, alone: 1 case, median error 0.00 %, largest 0.00 %\n", said)
        strong = us / (12.5e-3 * 1024 ** 2 + 3.5 + self.exchange("peer", 2, 80 * 1024))
        self.assertRegex(said, rf"\n +peer +2 +1 +7\.638 +{strong:.2f} ")
        rows = case.read_text(self.path("newer.csv")).splitlines()
        with open(self.path("newer.csv"), "w", encoding="utf-8") as f:
            f.write("\n".join(rows[:2]) + "\n")
        done = self.model("measured.csv", "--newer", "newer.csv", code=1)
        self.assertIn("newer.csv: dense/fv3/openmp/double: expected two sizes, found one", done.stderr)

    def test_docs(self):
        """The page of the study has what the model predicts from the measurements of the study."""
        shown = re.search(r"\n\$ studies/scaling/model\.py (studies/scaling/\S+) (.*)\n((?:.*\n)*?)```", case.read_text(os.path.join(case.SOURCE, "studies", "scaling", "README.md")))
        said = self.model(os.path.join(case.SOURCE, shown[1]), *shown[2].split()).stdout
        self.assertIn("\n" + shown[3], said)
        self.assertEqual(len(shown[3].splitlines()), 14)


class Without(Case):
    def test_no_plugin(self):
        """A program without the plugin says so; alone it needs none."""
        self.write_scenario()
        name = "libsciara.so.1"
        shutil.copy(os.path.join(os.environ["SCIARA_BUILD_DIR"], name), self.path(name))
        environment = {**os.environ, "LD_LIBRARY_PATH": self.work}
        self.sciara("run", "s.json", "-q", "-o", "alone", "--steps", 5, env=environment)
        environment.update({"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"})
        done = self.sciara("run", "s.json", "-e", "openmp", "-o", "two", code=DEVICE, env=environment)
        self.assertIn("MPI: this program was built without MPI", done.stderr)
