# SPDX-License-Identifier: Apache-2.0
"""What is shown while a run advances: a bar of tqdm, a line on a terminal, or nothing."""
from __future__ import annotations

import importlib.util
import sys
import time
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

from ._errors import UsageError
from ._values import describe

if TYPE_CHECKING:
    from ._run import Progress

#: None: a bar if somebody sees it; True, False: a bar or none; a function: called with each sciara.Progress.
ProgressLike = Union[None, bool, Callable[["Progress"], Any]]

_DELAY_S = 0.5  # calls that take less show nothing


def duration_text(seconds: float) -> str:
    """ "1 d 2 h 30 min", as the program prints it: from an hour on rounded to minutes. """
    whole = int(seconds)
    minutes = whole // 60 if seconds < 3600 else int(seconds / 60 + 0.5)
    parts = ((minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min"), (whole % 60 if seconds < 3600 else 0, "s"))
    return " ".join(f"{count} {unit}" for count, unit in parts if count) or "0 s"


def _text(now: Progress) -> str:
    return f"sciara: {duration_text(now.time)}, step {now.step}, {now.liquid_cells} liquid cells"


class Reporter:
    """Receives each Progress, and is closed at the end."""

    def __call__(self, now: Progress) -> None:
        raise NotImplementedError

    def close(self) -> None:
        pass


class _Function(Reporter):
    def __init__(self, function: Callable[[Progress], Any]) -> None:
        self.function = function

    def __call__(self, now: Progress) -> None:
        self.function(now)


class _Bar(Reporter):
    """tqdm, over simulated time or steps; without a known end it only counts simulated time."""

    def __init__(self, start: Progress, time_s: Optional[float], step: Optional[int]) -> None:
        from tqdm import tqdm
        self.by_steps = time_s is None and step is not None
        self.start = start
        total = (step or 0) - start.step if self.by_steps else None if time_s is None else time_s - start.time
        shape = "{desc} |{bar}| {percentage:3.0f} % [{elapsed}<{remaining}]" if total else "{desc} [{elapsed}]"
        # A notebook stores every line that a bar writes.
        self.bar = tqdm(total=total, delay=_DELAY_S, bar_format=shape, file=sys.stderr,
                        mininterval=0.1 if _is_terminal() else 1.0)

    def __call__(self, now: Progress) -> None:
        done = now.step - self.start.step if self.by_steps else now.time - self.start.time
        total = self.bar.total
        self.bar.set_description_str(_text(now), refresh=False)
        self.bar.update((min(done, total) if total else done) - self.bar.n)

    def close(self) -> None:
        self.bar.close()


class _Line(Reporter):
    """One line of a terminal, written again and again."""

    def __init__(self) -> None:
        self.begin = time.monotonic()
        self.width = 0

    def __call__(self, now: Progress) -> None:
        if time.monotonic() - self.begin < _DELAY_S:
            return
        text = _text(now)
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def close(self) -> None:
        if self.width:
            sys.stderr.write("\n")


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


def _is_seen() -> bool:
    """Whether a person reads stderr: on a terminal, or in a notebook."""
    if _is_terminal():
        return True
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


def make_reporter(progress: ProgressLike, start: Progress, time_s: Optional[float],
                  step: Optional[int]) -> Optional[Reporter]:
    if progress is None:
        progress = _is_seen()
    if progress is False:
        return None
    if progress is True:
        return _Bar(start, time_s, step) if importlib.util.find_spec("tqdm") else _Line()
    if not callable(progress):
        raise UsageError(f"progress: expected True, False or a function, found {describe(progress)}")
    return _Function(progress)
