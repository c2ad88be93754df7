# SPDX-License-Identifier: Apache-2.0
"""Declarations of sciara.h for the module sciara._ffi (cffi, ABI mode: nothing is compiled).

usage: build_ffi.py FILE      writes the module; setup.py calls cffi instead"""
import importlib.util
import os
import sys
from pathlib import Path

import cffi

HERE = Path(__file__).resolve().parent


def _module(name):
    """A module of the package, without the package, which needs the library."""
    spec = importlib.util.spec_from_file_location(name, HERE / "sciara" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_header = _module("_header")
_named = os.environ.get("SCIARA_INCLUDE_DIR")  # where sciara.h is, if it is neither in this tree nor installed
_folders = [Path(_named)] if _named else [HERE.parent / "src", Path("/usr/include"), Path("/usr/local/include")]
ffi = cffi.FFI()
ffi.set_source("sciara._ffi", None)
ffi.cdef(_header.declarations(_header.find(*_folders).read_text(encoding="utf-8")))
if __name__ == "__main__":
    ffi.emit_python_code(sys.argv[1])
