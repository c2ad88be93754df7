#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recipes of docs/cluster.md with the real tools: each gives the maps of one local run. Slurm runs with its own daemons
on this machine, in a folder of the test."""
import glob
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
SOURCE = os.environ["SCIARA_SOURCE_DIR"]
sys.path[0] = os.path.join(SOURCE, "tests", "cli", "lib")
import case

JOB = os.path.join(SOURCE, "examples", "cluster", "ensemble.sbatch")
PATIENCE = 120  # s
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmctldPort={controller}
SlurmdPort={node}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def read(path):
    with open(path, "rb") as f:
        return f.read()


def processes_with(word):
    """The processes of the program that have this argument."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            words = read(path).decode(errors="replace").split("\0")
        except OSError:  # it has ended
            continue
        if os.path.basename(words[0]) == "sciara" and word in words:
            found.append(int(path.split("/")[2]))
    return found


class Cluster(case.Case):
    def prepare_test(self):
        self.environment = {**os.environ, "PATH": os.path.dirname(case.PROGRAM) + os.pathsep + os.environ["PATH"]}

    def call(self, *command, **options):
        done = subprocess.run(command, cwd=self.work, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              encoding="utf-8", timeout=PATIENCE, check=False, **options)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}")
        return done.stdout

    def stop(self, name):
        try:
            os.kill(int(read(self.path("slurm", name))), 15)
        except (OSError, ValueError):
            pass

    def begin_slurm(self):
        if not shutil.which("slurmctld") or not shutil.which("slurmd") or os.geteuid() != 0:
            self.skipTest("Slurm is not installed (tools/setup --cluster), or the user is not root")
        folder = self.path("slurm")
        for name in ("state", "spool"):
            os.makedirs(os.path.join(folder, name))
        controller, node = free_ports(2)
        host = socket.gethostname().split(".")[0]
        with open(os.path.join(folder, "slurm.conf"), "w", encoding="utf-8") as f:
            f.write(CONFIGURATION.format(host=host, user="root", folder=folder, controller=controller, node=node))
        self.environment["SLURM_CONF"] = os.path.join(folder, "slurm.conf")
        self.call("slurmctld")
        self.addCleanup(self.stop, "slurmctld.pid")
        self.call("slurmd", "-N", host)
        self.addCleanup(self.stop, "slurmd.pid")
        self.wait_for(lambda: "idle" in self.call("sinfo", "--noheader"))

    def wait_for(self, holds):
        end = time.monotonic() + PATIENCE
        while not holds():
            self.assertLess(time.monotonic(), end, self.call("squeue"))
            time.sleep(0.5)


class Recipes(Cluster):
    def setUp(self):
        super().setUp()
        vents = [{"name": "v", "x": 500200, "y": 4177220, "effusion": {"slot": "10 min", "rates_m3_s": [4]}}]
        self.write_scenario("base.json", vents=vents)
        case.write_json(self.path("e.json"), {
            "base": "base.json", "sample": {"method": "full"},
            "vary": [{"key": "model.relaxation", "values": [0.3 + 0.002 * k for k in range(200)]}],
            "result": {"thickness_m": [0, 0.5], "quantiles": [0.5]}})
        self.sciara("ensemble", "plan", "e.json", "-o", "alone", "--no-estimate")
        shutil.copytree(self.path("alone"), self.path("shared"))
        self.sciara("ensemble", "run", "alone")
        self.sciara("ensemble", "reduce", "alone", "--no-pictures")
    def assert_same_maps(self):
        names = sorted(os.listdir(self.path("alone", "maps")))
        self.assertEqual(sorted(os.listdir(self.path("shared", "maps"))), names)
        self.assertGreater(len(names), 4)
        for name in names:
            self.assertEqual(read(self.path("shared", "maps", name)), read(self.path("alone", "maps", name)), name)

    def test_parts_in_any_order_and_twice(self):
        parts = [subprocess.Popen([case.PROGRAM, "ensemble", "run", "shared", "--part", part, "--workers", "1", "-q"],
                                  cwd=self.work) for part in ("3/3", "2/3", "3/3")]
        self.assertEqual([process.wait(PATIENCE) for process in parts], [0, 0, 0])
        self.assertIn("3 of 4 written", self.call("sciara", "ensemble", "status", "shared"))
        self.call("sciara", "ensemble", "run", "shared", "--part", "1/3")
        self.call("sciara", "ensemble", "reduce", "shared", "--no-pictures")
        self.assert_same_maps()

    def test_gnu_parallel(self):
        if not shutil.which("parallel"):
            self.skipTest("GNU parallel is not installed (tools/setup --cluster)")
        self.call("parallel", "--will-cite", "-j", "2", "sciara ensemble run shared --workers 1 --part {}/4", ":::",
                  "1", "2", "3", "4")
        self.call("sciara", "ensemble", "reduce", "shared", "--no-pictures")
        self.assert_same_maps()

    def test_slurm_array(self):
        self.begin_slurm()
        job = self.call("sbatch", "--parsable", "--array=1-4", "--cpus-per-task=1", JOB, "shared").strip()
        self.call("sbatch", f"--dependency=afterok:{job}", "--wrap", "sciara ensemble reduce shared --no-pictures")
        self.wait_for(lambda: not self.call("squeue", "--noheader").strip())
        said = "".join(read(self.path(name)).decode() for name in sorted(os.listdir(self.work)) if name.startswith("slurm-"))
        self.assertEqual(said.count(" members are finished"), 4, said)
        self.assert_same_maps()


class Bands(Cluster):
    def test_srun(self):
        """One eruption on three processes that Slurm starts: the fields of `serial`. One that dies ends all, the checkpoint stays."""
        if "no MPI" in self.call("sciara", "engines"):
            self.skipTest("this build has no MPI (tools/setup --mpi, then build again)")
        self.begin_slurm()
        self.write_scenario(output={"fields": case.all_fields(), "dtype": "float64", "every": "20 min"})
        self.run_scenario("alone", "-e", "serial")
        srun = ["srun", "--mpi=pmix", "--overcommit", "--kill-on-bad-exit=1", "-n"]
        self.call(*srun, "3", "sciara", "run", "s.json", "-e", "openmp", "-o", "shared")
        self.call("sciara", "compare", "alone", "shared")  # 0: no field differs
        self.assertIn("1 thread in each of 3 bands", read(self.path("shared", "run.log")).decode())
        self.write_scenario("endless.json", **case.ENDLESS, output={"fields": ["thickness"], "every": "100 d", "checkpoint_every": 100})
        process = subprocess.Popen([*srun, "2", "sciara", "run", "endless.json", "-q", "-e", "openmp", "-o", "endless"], cwd=self.work,
                                   env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for(lambda: glob.glob(self.path("endless", "checkpoints", "*.h5")))
        os.kill(max(processes_with("endless.json")), signal.SIGKILL)
        self.assertNotEqual(process.wait(PATIENCE), 0)
        last = sorted(glob.glob(self.path("endless", "checkpoints", "*.h5")))[-1]
        steps = int(os.path.splitext(os.path.basename(last))[0]) + 200
        self.call(*srun, "3", "sciara", "resume", "endless", "-q", "-e", "openmp", "--steps", str(steps), "-o", "after")
        self.assertEqual(case.record(self.path("after"))["state"]["step"], steps)


if __name__ == "__main__":
    unittest.main(verbosity=2)
