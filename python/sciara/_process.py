# SPDX-License-Identifier: Apache-2.0
"""What belongs to the whole process: the engines, and the messages of the library."""
from __future__ import annotations

import atexit
import dataclasses
import logging
from typing import Any, Union

from ._library import ffi, lib


@dataclasses.dataclass(frozen=True)
class Engine:
    """One way to compute the steps.

    name: value of the key engine.name
    exact: bit-identical to the engine "serial" of the same precision
    available: here, with this hardware and this build; else `why_not` gives the reason
    rules: values of the key model.rule that it computes, ("fv3", "bingham")
    """

    name: str
    summary: str
    exact: bool
    available: bool
    why_not: str
    rules: tuple[str, ...]


def engines() -> list[Engine]:
    """All engines, those that are not available here too."""
    found: list[Engine] = []
    info = ffi.new("struct sciara_engine_info *")
    while lib.sciara_read_engine(len(found), info) == lib.SCIARA_OK:
        name, summary, why_not = (ffi.string(text).decode("utf-8", "replace")
                                  for text in (info.name, info.summary, info.why_not))
        rules = tuple(ffi.string(rule).decode() for rule in info.rules if rule != ffi.NULL)
        found.append(Engine(name, summary, info.exact, info.available, why_not, rules))
    return found


logger = logging.getLogger("sciara")
_LEVELS = {lib.SCIARA_MESSAGE_DETAIL: logging.DEBUG, lib.SCIARA_MESSAGE_INFO: logging.INFO,
           lib.SCIARA_MESSAGE_WARNING: logging.WARNING, lib.SCIARA_MESSAGE_ERROR: logging.ERROR}


@ffi.callback("void(void *, enum sciara_message, const char *)")
def _receive(_context: Any, kind: int, text: Any) -> None:
    level = _LEVELS.get(kind, logging.ERROR)
    if logger.isEnabledFor(level):
        logger.log(level, "%s", ffi.string(text).decode("utf-8", "backslashreplace"))


def log(level: Union[int, str] = "INFO") -> None:
    """Shows the messages of the library from a level on ("DEBUG", "INFO", "WARNING", "ERROR").

    They go to the logger "sciara" of Python's logging, whose level this sets. If no logger has a handler yet, they are
    written to stderr.
    """
    logger.setLevel(level)
    if not logger.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(name)s: %(levelname)s: %(message)s"))
        logger.addHandler(handler)


lib.sciara_set_log(_receive, ffi.NULL)
atexit.register(lib.sciara_set_log, ffi.NULL, ffi.NULL)
