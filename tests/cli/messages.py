#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripts can rely on it: results on stdout, messages on stderr, progress only on a terminal, JSON lines on request."""
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
import case
from case import Case


class Messages(Case):
    def setUp(self):
        super().setUp()
        self.write_scenario()

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

    def test_quiet(self):
        done = self.sciara("run", "s.json", "-q", "-n", 5, "-o", "out")
        self.assertEqual((done.stdout, done.stderr), (self.path("out", "snapshots", "00000005.nc") + "\n", ""))
        self.assertGreater(os.path.getsize(self.path("out", "run.log")), 0, "run.log is kept all the same")
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

    def test_log_json_of_a_name_that_is_not_utf8(self):
        done = subprocess.run([os.fsencode(case.PROGRAM), b"info", b"\xe8\xff.nc", b"--log-json"], cwd=self.work,
                              stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 4)
        self.assert_json_lines(done.stderr.decode("utf-8"))

    def test_log_json_of_a_usage_error(self):
        done = self.sciara("run", "--log-json", "s.json", "--engine", "seril", "-o", "out", code=2)
        self.assertEqual(self.assert_json_lines(done.stderr)[-1]["level"], "error")

    def on_terminal(self, *args, seconds=None, **environment):
        """(stdout, what a terminal at stderr got); ends the run with SIGINT after `seconds`."""
        main, side = pty.openpty()
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
        progress = r"simulated \S+ +\d+ % +\d+ steps/s +\d+ liquid cells +\S+ m3 emitted +ETA "
        self.assertRegex(seen, progress)
        self.assertGreater(seen.count("\r\x1b[K"), 0, "the progress line is taken away again")
        for line in out.splitlines():
            self.assertRegex(line, f"^{re.escape(self.work)}/out/snapshots/\\d{{8}}\\.nc$")
        shown = [line.split("\r\x1b[K")[-1] for line in seen.replace("\r\n", "\n").split("\n")]
        self.assertEqual([line for line in shown if line and not line.startswith("sciara: ")], [],
                         "what is left on the terminal besides messages")

    def test_quiet_has_no_progress(self):
        self.write_scenario(**case.ENDLESS)
        _, seen = self.on_terminal("run", "s.json", "-q", "-o", "out", seconds=0.5)
        self.assertEqual(seen, "")

    def test_colour_on_a_terminal_unless_no_color(self):
        environment = {"NO_COLOR": ""}  # empty: as if it were unset
        _, seen = self.on_terminal("run", "none.json", **environment)
        self.assertIn("\x1b[", seen)
        _, seen = self.on_terminal("run", "none.json", NO_COLOR="1")
        self.assertNotIn("\x1b", seen)
        self.assertIn("sciara: error: none.json: ", seen)


if __name__ == "__main__":
    case.main()
