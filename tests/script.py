#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a script of tests, or some of them: tests/script.py tests/cli/export.py [CLASS[.TEST]...]

The modules in the folder lib next to the script can be imported. ctest sets the environment (tests/CMakeLists.txt)."""
import importlib.util
import os
import runpy
import sys
import unittest


def main(path, *names):
    sys.dont_write_bytecode = True
    path = os.path.abspath(path)
    sys.argv = [path, *names]
    sys.path[0] = os.path.join(os.path.dirname(path), "lib")
    with open(path, encoding="utf-8") as f:
        if '\nif __name__ == "__main__":' in f.read():  # it has a main function of its own
            runpy.run_path(path, run_name="__main__")
            return
    spec = importlib.util.spec_from_file_location("tests", path)
    sys.modules["tests"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    unittest.main(module=module, verbosity=2)


if __name__ == "__main__":
    main(*sys.argv[1:])
