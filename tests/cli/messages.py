# SPDX-License-Identifier: Apache-2.0
"""For scripts: results on stdout, messages on stderr, progress only on a terminal, JSON lines on request."""
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time

import case
from case import ScenarioCase


class Messages(ScenarioCase):
    def assert_json_lines(self, text):
        lines = [json.loads(line) for line in text.splitlines()]
        for line in lines:
            self.assertEqual(sorted(line), ["level", "message", "time"], line)
            self.assertIn(line["level"], ("debug", "info", "warning", "error"))
            self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        return lines

    def test_plain(self):
        done = self.sciara("run", "s.json", "-n", 5, "-o", "out")
        self.assertEqual(done.stdout, self.path("out", "snapshots", "00000005.nc") + "\n")
        for line in done.stderr.splitlines():
            self.assertRegex(line, "^sciara: ")
        self.assertNotRegex(done.stderr, r"[\x00-\x09\x0b-\x1f]", "control characters on stderr")
        packets, into = os.pipe2(os.O_DIRECT | os.O_NONBLOCK)  # one for each write
        subprocess.run([case.PROGRAM, *"run s.json -n 5 -o packets".split()], cwd=self.work, stdout=subprocess.DEVNULL, stderr=into, check=True)
        for _ in done.stderr.splitlines():
            self.assertRegex(os.read(packets, 65536), rb"^sciara: .*\n$", "one write for a line")

    def test_quiet(self):
        done = self.sciara("run", "s.json", "-q", "-n", 5, "-o", "out")
        self.assertEqual((done.stdout, done.stderr), (self.path("out", "snapshots", "00000005.nc") + "\n", ""))
        self.assertGreater(os.path.getsize(self.path("out", "run.log")), 0, "run.log is still written")
        self.assertRegex(self.sciara("run", "none.json", "-q", code=4).stderr, "^sciara: error: none.json: ")

    def test_log_json(self):
        plain = self.sciara("run", "s.json", "-n", 5, "-o", "plain").stderr.splitlines()
        done = self.sciara("run", "s.json", "-n", 5, "-o", "json", "--log-json")
        lines = self.assert_json_lines(done.stderr)
        self.assertEqual(len(lines), len(plain), "as many messages as without --log-json")
        self.assertEqual(done.stdout, self.path("json", "snapshots", "00000005.nc") + "\n")

    def test_log_json_of_an_error_with_odd_characters(self):
        name = 'no "such" \\ file\t\n\x01 è 日本.json'
        done = self.sciara("run", name, "--log-json", code=4)
        lines = self.assert_json_lines(done.stderr)
        self.assertEqual([line["level"] for line in lines], ["error"])
        self.assertIn(name, lines[0]["message"])

    def test_log_json_of_a_usage_error(self):
        done = self.sciara("run", "--log-json", "s.json", "--engine", "seril", "-o", "out", code=2)
        self.assertEqual(self.assert_json_lines(done.stderr)[-1]["level"], "error")

    def on_terminal(self, *args, seconds=None, columns=0, **environment):
        """(stdout, the output on a terminal at stderr); ends the run with SIGINT after `seconds`."""
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen([case.PROGRAM, *map(str, args)], cwd=self.work, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=side, env={**os.environ, **environment})
        os.close(side)
        self.addCleanup(os.close, main)
        if seconds:
            while not os.path.exists(self.path("out", "run.json")) and process.poll() is None:
                time.sleep(0.01)
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
        seen = b""
        while True:
            try:
                part = os.read(main, 65536)
            except OSError:  # the program has closed its side
                break
            if not part:
                break
            seen += part
        out = process.communicate()[0].decode()
        return out, seen.decode()

    def test_progress_on_a_terminal_only(self):
        self.write_scenario(**case.ENDLESS)
        out, seen = self.on_terminal("run", "s.json", "-o", "out", "--set", "output.every=500", seconds=1)
        progress = r"simulated \S.*? +\d+ %  ETA .*?  \S+ x real time +\d+ steps/s +\d+ liquid cells +\S+ m3 emitted"
        self.assertRegex(seen, progress)
        self.assertGreater(seen.count("\r\x1b[K"), 0, "the progress line is removed again")
        for line in out.splitlines():
            self.assertRegex(line, f"^{re.escape(self.work)}/out/snapshots/\\d{{8}}\\.nc$")
        shown = [line.split("\r\x1b[K")[-1] for line in seen.replace("\r\n", "\n").split("\n")]
        self.assertEqual([line for line in shown if line and not line.startswith("sciara: ")], [],
                         "what is left on the terminal besides messages")

    def test_progress_line_is_cut_to_the_terminal(self):
        self.write_scenario(**case.ENDLESS)
        _, seen = self.on_terminal("run", "s.json", "-o", "out", seconds=1, columns=60)
        shown = [part for part in re.split(r"\r\x1b\[K|\r\n", seen) if part.startswith("simulated")]
        self.assertGreater(len(shown), 2)
        self.assertEqual({len(line) for line in shown}, {59}, "one column less than the terminal has")

    def progress_of(self, *words, count):
        """The first `count` lines with progress of a run without a terminal, which SIGINT then ends; and run.log."""
        self.write_scenario(**case.ENDLESS)
        process = subprocess.Popen([case.PROGRAM, "run", "s.json", "-o", "out", "-e", "serial", *words], cwd=self.work,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   encoding="utf-8")
        lines_read = []
        late = threading.Timer(25, process.send_signal, [signal.SIGINT])
        late.start()
        for line in process.stderr:
            if "simulated" in line and "x real time" in line:
                lines_read.append(line)
            if len(lines_read) == count:
                break
        late.cancel()
        process.send_signal(signal.SIGINT)
        process.communicate()
        return lines_read, case.read_text(self.path("out", "run.log"))

    def test_progress_at_the_given_interval(self):
        begun = time.monotonic()
        lines, log = self.progress_of("--progress-every", "0.2", count=5)
        self.assertGreater(time.monotonic() - begun, 1)
        self.assertLess(time.monotonic() - begun, 25, "one in 30 s without the option")
        self.assertEqual(len(lines), 5)
        for line in lines:
            self.assertRegex(line, r"^sciara: simulated [\d a-z]+ +\d+ % ")
        self.assertNotIn("x real time", log, "run.log has one in 30 s")
        for bad in ("0", "-1", "nan", "soon", "1e7"):
            self.assertRegex(self.sciara("run", "s.json", "--progress-every", bad, code=2).stderr,
                             f'--progress-every: expected 0.1 to 1e6 seconds, found "{bad}"')

    def test_progress_as_json(self):
        begun = time.monotonic()
        lines, _ = self.progress_of("--progress-every", "0.2", "--log-json", "-n", str(2 * 10**6), count=6)
        elapsed = time.monotonic() - begun
        lines_read = [json.loads(line) for line in lines]
        self.assertEqual(len(lines_read), 6)
        for line in lines_read:
            p = line["progress"]
            self.assertEqual(list(p), ["step", "simulated_s", "share", "eta_s", "times_real_time", "steps_per_s",
                                       "liquid_cells", "emitted_m3"])
            self.assertGreater(p["times_real_time"], 1)
            self.assertGreater(p["liquid_cells"], 0)
            self.assertAlmostEqual(p["emitted_m3"], 5 * p["simulated_s"], delta=1e-6 * p["emitted_m3"])
        steps = [line["progress"]["step"] for line in lines_read]
        self.assertEqual(steps, sorted(set(steps)), "it increases")
        fractions = [line["progress"]["share"] for line in lines_read]
        self.assertEqual(fractions, sorted(fractions))
        # eta_s extrapolates the time of the finished fraction: since the start, and at least the second that it waits.
        self.assertIsNotNone(lines_read[-1]["progress"]["eta_s"])
        for share, to_go in ((line["progress"]["share"], line["progress"]["eta_s"]) for line in lines_read):
            if to_go is not None:
                self.assertGreater(to_go * share / (1 - share), 0.9)
                self.assertLess(to_go * share / (1 - share), elapsed + 0.1)
        # The two smoothed speeds agree with each other and with the wall clock.
        first, last = lines_read[0]["progress"], lines_read[-1]["progress"]
        clock = (last["simulated_s"] - first["simulated_s"]) / (last["step"] - first["step"])
        self.assertLess(abs(last["times_real_time"] / last["steps_per_s"] / clock - 1), 0.3)
        speed = last["step"] / elapsed
        self.assertLess(max(speed / last["steps_per_s"], last["steps_per_s"] / speed), 4)

    def test_every_error_is_json(self):
        for words in (["rnu"], ["run", "--bogus"], ["run", "s.json", "more"], ["run"]):
            line, = self.sciara(*words, "--log-json", code=2).stderr.splitlines()
            self.assertEqual(json.loads(line)["level"], "error", words)
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([case.PROGRAM, "schema", "--log-json"], stdout=full, stderr=subprocess.PIPE,
                                  encoding="utf-8", check=False)
        self.assertEqual((done.returncode, json.loads(done.stderr)["message"]), (4, "standard output cannot be written: No space left on device"))

    def test_quiet_has_no_progress(self):
        self.write_scenario(**case.ENDLESS)
        _, seen = self.on_terminal("run", "s.json", "-q", "-o", "out", seconds=0.5)
        self.assertEqual(seen, "")

    def test_colour_on_a_terminal_unless_switched_off(self):
        environment = {"NO_COLOR": ""}  # empty: as if it were unset
        _, seen = self.on_terminal("run", "none.json", **environment)
        self.assertIn("\x1b[", seen)
        _, seen = self.on_terminal("run", "none.json", NO_COLOR="1")
        self.assertNotIn("\x1b", seen)
        self.assertIn("sciara: error: none.json: ", seen)
