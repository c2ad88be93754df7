# SPDX-License-Identifier: Apache-2.0
"""A run is never lost because nobody reads its output; a command that prints its result reports when it could not."""
import os
import signal
import subprocess

import case
from case import SharedCase, record

OUTPUT, ERROR = "standard output cannot be written", "standard error cannot be written"
RUN = ["run", "s.json", "-n", "40", "--set", "output.every=15", "--set", 'output.maps=["deposit"]', "--checkpoint-every",
       "20 s"]


class ClosedOutput(SharedCase):
    @classmethod
    def prepare(cls):
        case.write_scenario(cls.work)
        case.run_program(*RUN, "-q", "-o", "whole", cwd=cls.work)
        case.run_program("run", "s.json", "-q", "-n", 50, "-o", "other", cwd=cls.work)
        cls.files = [name for name in case.files(os.path.join(cls.work, "whole")) if "checkpoints" not in name]

    def shell(self, script, code=0):
        """Runs a bash script in which "$sciara" is the program; returns standard error of the script."""
        return self.tool("bash", "-c", "set -o pipefail\n" + script, code=code, env={**os.environ, "sciara": case.PROGRAM}).stderr

    def run_so(self, name, redirection, said, quiet=False):
        """A run with its streams redirected is complete, and `said` is in run.log, each text once."""
        words = " ".join(f"'{word}'" for word in [*RUN, "-o", name, *(["-q"] if quiet else [])])
        err = self.shell(f'"$sciara" {words} {redirection}')
        log = self.log_of(name)
        for sentence in (OUTPUT, ERROR):
            self.assertEqual(log.count(sentence), int(sentence in said), f"{redirection}: {log}")
        self.assertIn("info: end (steps): step 40", log)
        whole, found = record(self.path("whole")), record(self.path(name))
        for key in ("status", "stop_reason", "state", "snapshots", "ledger"):
            self.assertEqual(found[key], whole[key], redirection)
        self.assertEqual([f for f in case.files(self.path(name)) if "checkpoints" not in f], self.files)
        self.sciara("info", name)  # reads every snapshot
        return err

    def log_of(self, name):
        return case.read_text(self.path(name, "run.log"))

    def test_pipe_that_is_closed(self):
        err = self.run_so("head", "| head -n 1", [OUTPUT])
        self.assertNotIn(OUTPUT, err, "nobody asked")
        self.run_so("gone", "| exec sleep 0", [OUTPUT])
        self.run_so("both", "2>&1 | exec sleep 0", [OUTPUT, ERROR])

    def test_streams_that_are_closed(self):
        self.run_so("out closed", ">&-", [OUTPUT])
        self.run_so("err closed", "2>&- > /dev/null", [ERROR])
        self.run_so("both closed", ">&- 2>&-", [OUTPUT, ERROR])
        self.run_so("all closed", "<&- >&- 2>&-", [OUTPUT, ERROR])
        self.run_so("quiet", ">&- 2>&-", [OUTPUT], quiet=True)

    def test_full_disk(self):
        err = self.run_so("out full", "> /dev/full", [OUTPUT])
        self.assertEqual(err.count(f"sciara: warning: {OUTPUT} (No space left on device)"), 1, err)
        self.run_so("err full", "2> /dev/full > /dev/null", [ERROR])
        self.run_so("both full", "&> /dev/full", [OUTPUT, ERROR])

    def test_resume(self):
        self.sciara(*RUN[:2], "-q", "-n", 20, *RUN[4:], "-o", "first")
        for name, redirection in (("more", "| exec sleep 0"), ("again", ">&- 2>&-"), ("full", "&> /dev/full")):
            self.shell(f'"$sciara" resume first -o {name} -n 40 {redirection}')
            self.assert_identical(name, "whole")
            self.assertEqual(self.log_of(name).count(OUTPUT), 1)

    def test_a_signal_still_stops(self):
        case.write_scenario(self.work, "endless.json", **case.ENDLESS)
        read, write = os.pipe()
        os.close(read)
        process = subprocess.Popen([case.PROGRAM, "run", "endless.json", "-o", "endless", "--set", "output.every=60"],
                                   cwd=self.work, stdin=subprocess.DEVNULL, stdout=write, stderr=write)
        os.close(write)
        self.wait_for("output", process, lambda: os.path.exists(self.path("endless", "run.log")) and OUTPUT in self.log_of("endless"))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)
        self.assertEqual(record(self.path("endless"))["status"], "stopped")

    RESULTS = (["schema"], ["--help"], ["run", "--help"], ["info", "whole"], ["export", "whole", "-f", "csv", "--overwrite"],
               ["schema", "--manual"], ["--version"], ["doc", "bash"], ["doc", "man"], ["engines"], ["check", "s.json"], ["compare", "whole", "whole"],
               ["compare", "whole", "whole", "--tolerance", "0"], ["validate", "s.json", "-n", "3", "--engines", "openmp"])

    def result_to(self, words, stdout):
        done = subprocess.run([case.PROGRAM, *words], cwd=self.work, stdin=subprocess.DEVNULL, stdout=stdout,
                              stderr=subprocess.PIPE, encoding="utf-8", check=False)
        return done.returncode, [line for line in done.stderr.splitlines() if "error" in line or "warning" in line]

    def test_results_on_a_full_disk(self):
        for words in self.RESULTS:
            with open("/dev/full", "wb") as full:
                self.assertEqual(self.result_to(words, full),
                                 (4, [f"sciara: error: {OUTPUT}: No space left on device"]), words)

    def test_results_that_nobody_reads(self):
        """A reader that closes the pipe early has read enough: no message, and the exit code of the result."""
        for words in self.RESULTS:
            read, write = os.pipe()
            os.close(read)
            self.assertEqual(self.result_to(words, write), (0, []), words)
            if words[:2] == ["compare", "whole"]:
                self.assertEqual(self.result_to([*words[:2], "other", *words[3:]], write), (1, []), "different")
            os.close(write)
        self.assertEqual(self.shell('"$sciara" doc zsh | head -n 1'), "")

    def test_results_to_a_closed_stream(self):
        for words in self.RESULTS[:5]:
            error = self.shell(" ".join(['"$sciara"', *words, "-q" if not words[0].startswith("--") else "", ">&-"]), code=4)
            self.assertEqual(error, f"sciara: error: {OUTPUT}: Bad file descriptor\n", words)

    def test_files_made_with_closed_streams(self):
        """A file must not get the number of a stream: the output would be written into it."""
        for kind, suffix in (("nc", "nc"), ("cog", "tif"), ("gpkg", "gpkg"), ("kml", "kml"), ("csv", "csv")):
            self.sciara("export", "whole", "-f", kind, "-o", f"open.{suffix}")
            self.shell(f'"$sciara" export whole -f {kind} -o closed.{suffix} <&- >&- 2>&-', code=4)
            sizes = [os.path.getsize(self.path(f"{name}.{suffix}")) for name in ("open", "closed")]
            self.assertEqual(*sizes, kind)
        self.sciara("compare", "whole", "--observed", "closed.tif")
