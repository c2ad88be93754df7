# SPDX-License-Identifier: Apache-2.0
"""sciara doc: every command and option is in the man pages and in the completions of bash, zsh and fish; man and the
shells report no error; and completion works in a real shell."""
import os
import re
import shutil
import subprocess
import unittest

import case
from case import SharedCase, run_program

SHELL = """
try() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); COMPREPLY=(); _sciara; printf '%s\\n' "${COMPREPLY[@]}"; }
"""


def missing(program):
    return shutil.which(program) is None


def listed(*words, cwd="/"):
    return run_program(*words, cwd=cwd).stdout


class Doc(SharedCase):
    @classmethod
    def prepare(cls):
        run_program("doc", "all", "--output", "share", cwd=cls.work)
        cls.commands = re.findall(r"(?m)^  ([a-z]+) +[a-z]", listed("--help").split("'sciara")[0])
        cls.subcommands = {c: re.findall(r"(?m)^  ([a-z]+) +[a-z]", re.split("(?m)^ +-", listed(c, "--help"))[0]) for c in cls.commands}
        cls.commands += [f"{c} {s}" for c in cls.subcommands for s in cls.subcommands[c]]
        # as printed by --help, from the tables themselves: {command: {(letter or "", long name, argument or "")}}
        cls.options = {c: set(re.findall(r"(?m)^  (?:-(\w), |    )--([a-z-]+)(?: (\S+))?", listed(*c.split(), "--help")))
                       for c in cls.commands}
        cls.pages = [f"share/man/man1/sciara{suffix}.1" for suffix in ["", *("-" + c.replace(" ", "-") for c in cls.commands)]]

    def check_with(self, *words):
        """A checker reports nothing."""
        done = subprocess.run(words, cwd=self.work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                              check=False)
        said = [line for line in done.stdout.splitlines() if "missing date" not in line]  # the pages of a release have none
        self.assertEqual(said, [], " ".join(words))

    def complete(self, *words):
        """What bash offers for the last word; the file is loaded as by bash-completion."""
        quoted = " ".join("'" + w + "'" for w in words)
        done = self.tool("bash", "-c", f"source share/bash-completion/completions/sciara\n{SHELL}try {quoted}")
        self.assertEqual(done.stderr, "")
        return sorted(done.stdout.split())

    def test_there_are_commands_and_options(self):
        self.assertIn("doc", self.commands)
        self.assertGreater(len(self.commands), 10)
        self.assertIn(("e", "engine", "NAME"), self.options["run"])
        self.assertIn(("q", "quiet", ""), self.options["info"])
        styles = [f for f in case.files(self.path("share")) if f.startswith("sciara/styles/")]
        self.assertIn("sciara/styles/deposit.qml", styles)
        self.assertEqual(case.files(self.path("share")),
                         sorted([*(page[len("share/"):] for page in self.pages), "bash-completion/completions/sciara",
                                 "zsh/site-functions/_sciara", "fish/vendor_completions.d/sciara.fish", *styles]))

    @unittest.skipIf(missing("groff"), "groff is not installed")
    def test_pages_hold_every_option(self):
        for command in self.commands:
            path = f"share/man/man1/sciara-{command.replace(' ', '-')}.1"
            page = self.tool("groff", "-Tutf8", "-man", "-P-c", "-P-b", "-P-u", "-rLL=200n", path).stdout
            shown = set(re.findall(r"(?m)^ {7}(?:-(\w), )?--([a-z-]+)(?: (\S+))?(?:  .*)?$", page))
            self.assertEqual(shown, self.options[command], command)
            self.assertIn(re.search(r"usage: (.*)", listed(*command.split(), "--help"))[1].strip(), page)
            self.assertRegex(page, r"(?m)^ +129, 130, 143\n")

    @unittest.skipIf(missing("groff"), "groff is not installed")
    def test_groff_has_no_complaint(self):
        for page in self.pages:
            self.check_with("sh", "-c", f"groff -Tutf8 -man -ww {page} > /dev/null")

    @unittest.skipIf(missing("mandoc"), "mandoc is not installed")
    def test_mandoc_has_no_complaint(self):
        self.check_with("mandoc", "-T", "lint", "-W", "warning", *self.pages)

    def test_page_of_one_command(self):
        self.assertEqual(case.read_text(self.path("share/man/man1/sciara-run.1")), listed("doc", "man", "run"))
        self.assertEqual(case.read_text(self.path("share/man/man1/sciara.1")), listed("doc", "man"))
        self.assertRegex(self.sciara("doc", "man", "rnu", code=2).stderr, 'did you mean "run"')
        self.assertRegex(self.sciara("doc", "bsh", code=2).stderr, 'did you mean "bash"')
        self.assertRegex(self.sciara("doc", "all", code=2).stderr, "--output is missing")
        self.assertRegex(self.sciara("doc", "bash", "-o", "x", code=2).stderr, "--output: allowed only with all")
        self.assertRegex(self.sciara("doc", "bash", "run", code=2).stderr, 'unexpected "run"')

    def test_a_full_disk_is_reported(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([case.PROGRAM, "doc", "man", "run"], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 4)

    # ---------------------------------------------------------------------------------------------------- the shells

    def test_bash_completes_commands_and_options(self):
        self.assertEqual(self.complete("sciara", ""), sorted([*self.subcommands, "help", "--help", "--version"]))
        self.assertEqual(self.complete("sciara", "eng"), ["engines"])
        for command, words in self.subcommands.items():
            if words:
                self.assertEqual(self.complete("sciara", command, ""), sorted(words))
        self.assertEqual(self.complete("sciara", "ensemble", "member", "--overw"), ["--overwrite"])
        self.assertEqual(self.complete("sciara", "help", "in"), ["info", "init"])
        for command in self.commands:
            forms = {"--" + name for _, name, _ in self.options[command]}
            forms |= {"-" + letter for letter, _, _ in self.options[command] if letter}
            self.assertEqual(set(self.complete("sciara", *command.split(), "-")), forms, command)

    def test_bash_completes_values(self):
        engines = re.findall(r"(?m)^([a-z][a-z0-9-]+) +(?:yes|no) ", listed("engines"))
        self.assertEqual(self.complete("sciara", "run", "--engine", ""), sorted(["auto", *engines]))
        self.assertEqual(self.complete("sciara", "run", "-e", "ser"), ["serial"])
        self.assertEqual(self.complete("sciara", "run", "--engine", "=", "ser"), ["serial"])
        self.assertEqual(self.complete("sciara", "run", "--engine", "="), sorted(["auto", *engines]))
        self.assertEqual(self.complete("sciara", "validate", "--engines", "serial,o"), ["serial,openmp"])
        self.assertNotIn("serial,serial", self.complete("sciara", "validate", "--engines", "serial,"))
        self.assertEqual(self.complete("sciara", "run", "--precision", ""), ["double", "single"])
        self.assertEqual(self.complete("sciara", "export", "--field", "max"), 
                         sorted(name for name in case.all_fields() if name.startswith("max")))
        self.assertEqual(self.complete("sciara", "run", "--set", "run.max"), ["run.max_steps=", "run.max_thickness_m=", "run.max_time="])
        keys = self.complete("sciara", "run", "--set", "")
        self.assertIn("engine.name=", keys)
        self.assertEqual([key for key in keys if not re.fullmatch(r"[A-Za-z_.0-9]+=", key)], [], "--set takes them")
        self.assertEqual(self.complete("sciara", "doc", "z"), ["zsh"])
        self.assertEqual(self.complete("sciara", "run", "--steps", ""), [])
        # Every format that export knows: what it lists when it is given none of them.
        expected = re.search(r"expected (.*); found", self.sciara("export", "x", "--format", "nonsense", code=2).stderr)[1]
        self.assertEqual(self.complete("sciara", "export", "--format", ""), sorted(re.findall(r"[a-z0-9-]{2,}", re.sub(
            r"\bor\b|\band\b", "", expected))))

    def test_bash_completes_files(self):
        os.makedirs(self.path("share", "with blank"), exist_ok=True)
        self.assertEqual(self.complete("sciara", "run", "sh"), ["share"])
        self.assertEqual(self.complete("sciara", "run", "--output", "sh"), ["share"])
        page = "share/man/man1/sciara.1"
        self.assertEqual(self.complete("sciara", "run", "--output", page), [], "a file is no folder")
        self.assertEqual(self.complete("sciara", "run", "--profile", page), [page])

    @unittest.skipIf(missing("shellcheck"), "shellcheck is not installed")
    def test_shellcheck_has_no_complaint(self):
        self.check_with("shellcheck", "-s", "bash", "share/bash-completion/completions/sciara")

    @unittest.skipIf(missing("fish"), "fish is not installed")
    def test_fish(self):
        script = "share/fish/vendor_completions.d/sciara.fish"
        self.check_with("fish", "-n", script)
        os.makedirs(self.path("home"), exist_ok=True)

        def offered(line):
            done = self.tool("fish", "-c", f"source {script}; complete -C '{line}'", env={**os.environ, "HOME": self.path("home")})
            return sorted(row.split("\t")[0] for row in done.stdout.splitlines())

        self.assertEqual(offered("sciara eng"), ["engines"])
        self.assertEqual(offered("sciara run -e ser"), ["serial"])
        self.assertEqual(offered("sciara validate --engines serial,o"), ["serial,openmp"])
        self.assertEqual(offered("sciara run --set run.max"), ["run.max_steps=", "run.max_thickness_m=", "run.max_time="])
        for command in self.commands:
            forms = {"--" + name for _, name, _ in self.options[command]}
            self.assertEqual(set(offered(f"sciara {command} --")), forms, command)

    @unittest.skipIf(missing("zsh"), "zsh is not installed")
    def test_zsh(self):
        self.check_with("zsh", "-n", "share/zsh/site-functions/_sciara")
