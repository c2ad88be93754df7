# SPDX-License-Identifier: Apache-2.0
"""Finds and loads libsciara. `ffi` and `lib` are those of cffi: every function of sciara.h is `lib.NAME`."""
from __future__ import annotations

import ctypes.util
import os
import sys
from pathlib import Path
from typing import Any

from ._version import __version__

SONAME = "libsciara.so.1"
_HERE = Path(__file__).resolve().parent
_ADVICE = (f"Install the package libsciara1, or set the environment variable SCIARA_LIBRARY to the path of {SONAME}, "
           f"version {__version__.rsplit('.', 1)[0]}.x")


def _make_ffi() -> Any:
    try:
        from ._ffi import ffi  # made when the package is built
        return ffi
    except ImportError:
        pass
    import cffi

    from . import _header
    try:
        header = _header.find(_HERE.parent.parent / "src")
    except FileNotFoundError as e:
        raise ImportError(f"sciara: this package was not built: {e}. Install it with pip") from None
    ffi = cffi.FFI()
    ffi.cdef(_header.declarations(header.read_text(encoding="utf-8")))
    return ffi


def _candidates() -> list[str]:
    """Where the library may be, the first choice first."""
    named = os.environ.get("SCIARA_LIBRARY")
    if named:
        return [named]
    released = [_HERE / "portable" / "lib" / SONAME, _HERE.parents[1] / SONAME,  # of a wheel, of a portable archive
                Path(sys.prefix) / "lib" / SONAME]  # of the environment of this Python, as conda makes it
    found = ctypes.util.find_library("sciara")
    return ([str(path) for path in [*sorted(_HERE.glob("libsciara.so*")), *released] if path.exists()]
            + ([found] if found else []) + [SONAME])


def _load() -> Any:
    reasons = []
    for name in dict.fromkeys(_candidates()):
        try:
            return _checked(ffi.dlopen(name), name)
        except OSError as e:
            reasons.append(str(e))
    raise ImportError(f"sciara: libsciara cannot be loaded ({'; '.join(reasons)}). {_ADVICE}")


def _checked(loaded: Any, name: str) -> Any:
    """The library, if it is one of this version with all functions that the header declares."""
    try:
        found = ffi.string(loaded.sciara_version()).decode()
    except AttributeError:
        raise ImportError(f"sciara: {name} is not libsciara. {_ADVICE}") from None
    if found.split(".")[:2] != __version__.split(".")[:2]:
        raise ImportError(f"sciara: {name} is version {found}, this package is version {__version__}. {_ADVICE}")
    missing = [function for function in FUNCTIONS if not hasattr(loaded, function)]
    if missing:
        raise ImportError(f"sciara: {name} lacks {', '.join(missing)}. {_ADVICE}")
    return loaded


ffi = _make_ffi()
#: Names of all functions that the bindings have.
FUNCTIONS = [name for name in dir(ffi.dlopen(None)) if name.startswith("sciara_")]
lib = _load()


def name_of(text: Any) -> str:
    """A name that the library returns, which may come from a file in any encoding."""
    return ffi.string(text).decode("utf-8", "surrogateescape")
