# SPDX-License-Identifier: Apache-2.0
"""The bindings have all of sciara.h, the Python layer uses all of it; finding the library; building the package."""
import glob
import importlib.util
import os
import re
import shutil
import subprocess
import sys

import setup
import case

import sciara
from sciara import _header, _library

HEADER = os.path.join(setup.SOURCE, "src", "sciara.h")


class Bindings(case.Case):
    def test_all_functions_of_the_header(self):
        header = case.read_text(HEADER)
        declared = set(re.findall(r"\b(sciara_\w+)\(", re.sub(r"(?s)/\*.*?\*/|//[^\n]*", "", header)))
        self.assertGreater(len(declared), 40)
        self.assertEqual(declared, set(_library.FUNCTIONS), "in the bindings")
        self.assertEqual(declared, set(_header.functions(header)))
        used = set()
        for path in glob.glob(os.path.join(setup.PACKAGE, "sciara", "**", "*.py"), recursive=True):
            used |= set(re.findall(r"\b(?:lib|loaded)\.(sciara_\w+)", case.read_text(path)))
        self.assertEqual(declared, used, "called by the Python layer")

    def test_all_constants_and_structures(self):
        header = case.read_text(HEADER)
        for name in re.findall(r"(?m)^  (SCIARA_\w+)[, ]", header):
            self.assertIsInstance(getattr(_library.lib, name), int, name)
        for name in re.findall(r"(?m)^struct (sciara_\w+) \{", header):
            self.assertGreater(_library.ffi.sizeof(f"struct {name}"), 0, name)

    def test_fields_are_properties(self):
        for name in sciara._fields.NAMES:
            self.assertIn(name, dir(sciara.Run))
            self.assertIn(sciara._fields.DESCRIPTIONS[name], getattr(sciara.Run, name).__doc__)

    def test_everything_public_has_a_docstring(self):
        for name in sciara.__all__:
            self.assertTrue(name == "__version__" or getattr(sciara, name).__doc__, name)

    def test_exception_of_each_status(self):
        lib = _library.lib
        expected = {lib.SCIARA_ERR_USAGE: (ValueError, TypeError), lib.SCIARA_ERR_INPUT: (ValueError,),
                    lib.SCIARA_ERR_IO: (OSError,), lib.SCIARA_ERR_NUMERIC: (ArithmeticError,),
                    lib.SCIARA_ERR_MEMORY: (MemoryError,), lib.SCIARA_ERR_DEVICE: (RuntimeError,),
                    lib.SCIARA_ERR_INTERNAL: (RuntimeError,)}
        names = [name for name in dir(lib) if name.startswith("SCIARA_ERR_")]
        self.assertEqual({getattr(lib, name) for name in names}, set(expected))
        for status, bases in expected.items():
            with self.assertRaises(sciara.SciaraError) as raised:
                sciara._errors.check(status)
            self.assertEqual(raised.exception.status, status)
            for base in bases:
                self.assertIsInstance(raised.exception, base)


class Library(case.Case):
    def message(self, **env):
        return setup.run_python("try:\n import sciara\nexcept ImportError as e:\n print(e)\nelse:\n print('imported')",
                                env=env)

    def compile(self, source):
        case.write_text(self.path("fake.c"), source)
        compiler = shutil.which("cc") or shutil.which("gcc")
        if not compiler:
            self.skipTest("no C compiler")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", self.path("fake.so"), self.path("fake.c")], check=True)
        return self.path("fake.so")

    def test_missing(self):
        text = self.message(SCIARA_LIBRARY=self.path("none.so"))
        self.assert_parts(text, "libsciara cannot be loaded", "none.so", "set the environment variable SCIARA_LIBRARY")

    def test_wrong_version(self):
        path = self.compile('const char *sciara_version(void) { return "99.1.0"; }\n')
        text = self.message(SCIARA_LIBRARY=path)
        self.assert_parts(text, f"is version 99.1.0, this package is version {sciara.__version__}", "Install the package")

    def test_missing_functions(self):
        path = self.compile(f'const char *sciara_version(void) {{ return "{sciara.__version__}"; }}\n')
        self.assertRegex(self.message(SCIARA_LIBRARY=path), "lacks .*sciara_advance")

    def test_next_to_the_package(self):
        """And no environment variable: the third choice, the system, has none of this version where tests run."""
        shutil.copytree(os.path.join(setup.PACKAGE, "sciara"), self.path("python", "sciara"))
        os.mkdir(self.path("src"))
        shutil.copy(HEADER, self.path("src"))
        os.symlink(os.path.realpath(os.environ["SCIARA_LIBRARY"]), self.path("python", "sciara", "libsciara.so.1"))
        text = setup.run_python("import sciara; print(sciara.__file__, sciara.engines()[0].name)",
                                env={"PYTHONPATH": self.path("python"), "SCIARA_LIBRARY": ""})
        self.assert_parts(text, self.work, "serial")

    def test_in_the_environment(self):
        """As conda installs it: in lib of the prefix of Python."""
        os.mkdir(self.path("lib"))
        os.symlink(os.path.realpath(os.environ["SCIARA_LIBRARY"]), self.path("lib", "libsciara.so.1"))
        text = setup.run_python(f"import sys; sys.prefix = {self.work!r}; import sciara._library as found; print(found._candidates()[0])",
                                env={"SCIARA_LIBRARY": ""})
        self.assertIn(self.path("lib", "libsciara.so.1"), text)

    def test_without_the_header(self):
        shutil.copytree(os.path.join(setup.PACKAGE, "sciara"), self.path("python", "sciara"))
        text = self.message(PYTHONPATH=self.path("python"))
        self.assertIn("this package was not built", text)


class Build(case.Case):
    def test_wheel(self):
        """Built offline, with the declarations in it: neither header nor parser are needed."""
        for module in ("setuptools", "wheel"):
            if importlib.util.find_spec(module) is None:
                self.skipTest(f"python3-{module} is not installed (tools/setup --tests)")
        tree = self.path("tree")
        os.makedirs(os.path.join(tree, "src"))
        shutil.copy(HEADER, os.path.join(tree, "src"))
        shutil.copytree(setup.PACKAGE, os.path.join(tree, "python"),
                        ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
        subprocess.run([sys.executable, "setup.py", "-q", "bdist_wheel", "-d", self.path("dist")],
                       cwd=os.path.join(tree, "python"), check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        wheel, = os.listdir(self.path("dist"))
        self.assertEqual(wheel, f"sciara-{sciara.__version__}-py3-none-any.whl")
        shutil.unpack_archive(self.path("dist", wheel), self.path("installed"), "zip")
        self.assertTrue(os.path.exists(self.path("installed", "sciara", "py.typed")))
        text = setup.run_python("import sys; sys.modules['pycparser'] = None\nimport sciara, sciara._ffi\n"
                                "print(sciara.__file__, len(sciara._library.FUNCTIONS), len(sciara.engines()) > 0)",
                                env={"PYTHONPATH": self.path("installed")})
        self.assertEqual(text.split(), [self.path("installed", "sciara", "__init__.py"), str(len(_library.FUNCTIONS)),
                                        "True"])


class Types(case.Case):
    def test_mypy(self):
        if importlib.util.find_spec("mypy") is None:
            self.skipTest("mypy is not installed")
        done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", self.path("cache"), "-p", "sciara"],
                              cwd=setup.PACKAGE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
