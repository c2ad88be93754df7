# SPDX-License-Identifier: Apache-2.0
"""The command `sciara calibrate`: its messages, its progress and its folders. src/app/cmd_calibrate.c has the options and their
help, and starts this with words that are valid."""
from __future__ import annotations

import argparse
import datetime
import json
import logging
import os
import re
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from typing import Any, Optional

from .._errors import FileError, InputError, InternalError, OutOfMemory, SciaraError
from .._process import logger
from . import page, record
from .file import Calibration
from .search import Search

_CONTROL = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


class Messages(logging.Handler):
    """The messages of the program on stderr, as lines or as JSON; a progress line on a terminal."""

    def __init__(self, quiet: bool, as_json: bool) -> None:
        super().__init__()
        self.quiet, self._json = quiet, as_json
        self.has_line = not as_json and sys.stderr.isatty()
        self._line_shown = False

    def emit(self, record: logging.LogRecord) -> None:  # pylint: disable=redefined-outer-name
        if self.quiet and record.levelno < logging.ERROR:
            return
        self.line(None)
        text, level = record.getMessage(), record.levelname.lower()
        if self._json:
            now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            plain = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            progress = getattr(record, "progress", None)
            text = json.dumps({"time": now, "level": level, "message": plain, **({"progress": progress} if progress else {})},
                              ensure_ascii=False, separators=(",", ":"))
        else:
            colour = {"error": "1;31", "warning": "1;33"}.get(level) if sys.stderr.isatty() and not os.environ.get("NO_COLOR") else None
            word = f"\033[{colour}m{level}\033[0m: " if colour else f"{level}: " if record.levelno >= logging.WARNING else ""
            text = f"sciara: {word}{_shown(text)}"
        self._put(text + "\n")

    def _put(self, text: str) -> None:
        try:
            sys.stderr.buffer.write(text.encode("utf-8", "backslashreplace"))
            sys.stderr.buffer.flush()
        except OSError:
            pass  # nobody reads it

    def line(self, text: Optional[str]) -> None:
        """Shows the progress line, cut to the terminal; None removes it."""
        if text is None and not self._line_shown:
            return
        width = shutil.get_terminal_size().columns - 1
        self._put(("\r\033[K" if self._line_shown else "") + (text or "")[:width])
        self._line_shown = text is not None


def _shown(text: str) -> str:
    """On one line, without control sequences for the terminal."""
    plain = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}" if ord(found[0]) < 0x80 else f"\\u{ord(found[0]):04x}", plain)


def _duration(seconds: float) -> str:
    """As other commands print it: "3 d 4 h", "12 min 30 s"."""
    left = round(seconds / 60) * 60 if seconds >= 3600 else round(seconds)
    parts = []
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        if left >= size:
            parts.append(f"{left // size} {unit}")
            left %= size
    return " ".join(parts) or "0 s"


class Work:
    """The searches of a file, one after the other, and their folders. That of several searches has one for each of them, as a
    single search has it."""

    def __init__(self, options: argparse.Namespace, messages: Messages) -> None:
        self.options, self.messages = options, messages
        self.folder: str = options.output
        self.stopped_by = 0
        self._shown_at = time.monotonic()
        self._began: Optional[float] = None
        self.calibration = Calibration(options.file, engine=options.engine, workers=options.workers, drivers=options.allow_driver)
        self.several = self.calibration.searches[0].name is not None
        self.searches = [Search(self.calibration, asked, os.path.join(self.folder, asked.name) if asked.name else self.folder)
                         for asked in self.calibration.searches]
        self._at = self.searches[0]

    # ------------------------------------------------------------------------------------------------------- progress

    def stop(self, number: int, _frame: Any) -> None:
        """Takes a signal: the work ends; a second one ends the program at once."""
        self.stopped_by = number
        signal.signal(number, signal.SIG_DFL)

    def best(self) -> Optional[Search]:
        """The search with the best score, the first of equal ones."""
        found: Optional[Search] = None
        for search in self.searches:
            if search.best is not None and (found is None or search.score > found.score):
                found = search
        return found

    def _counts(self) -> tuple[int, int, int]:
        """Finished evaluations, those of this process, those without a score."""
        return (sum(s.table.count for s in self.searches), sum(s.table.count - s.earlier for s in self.searches),
                sum(s.failed for s in self.searches))

    def go_on(self) -> bool:
        """Shows the progress; whether no signal has come."""
        every = 0.2 if self.messages.has_line else self.options.progress_every
        if not self.messages.quiet and time.monotonic() - self._shown_at >= every:
            self._shown_at = time.monotonic()
            self._show()
        return self.stopped_by == 0

    def _show(self) -> None:
        done, now, failed = self._counts()
        total, best = self.calibration.budget, self.best()
        to_go = self._seconds() / now * (total - done) if now > 0 else None
        at, of = self._at.asked.name or "", best.asked.name if best else None
        shown = "-" if best is None else f"{best.score:.6f}"
        line = (f"{at}{'  ' if at else ''}{done}/{total} evaluations  best score {shown}{f' of {of}' if of else ''}  "
                f"ETA {'-' if to_go is None else _duration(to_go)}")
        if self.messages.has_line:
            self.messages.line(line)
            return
        values: dict[str, Any] = {**({"search": at, "best_search": of or ""} if at else {}), "evaluations": total, "finished": done,
                  "without_score": failed, "best": None if best is None else round(best.score, 6),
                  "eta_s": None if to_go is None else round(to_go, 1)}
        logger.info("%s", line, extra={"progress": values})

    def _seconds(self) -> float:
        return 0.0 if self._began is None else time.monotonic() - self._began

    def describe(self) -> None:
        """What is finished, when a search has begun."""
        if self._began is None:
            return
        done, now, failed = self._counts()
        best = self.best()
        logger.info("%d of %d evaluations are finished (%d by this run, in %.1f s)", done, self.calibration.budget, now, self._seconds())
        if best is not None and best.best is not None:
            logger.info("best score %.6f, evaluation %d%s", best.score, best.best + 1, f" of search {best.asked.name}" if best.asked.name else "")
        if failed > 0:
            logger.warning("%d %s no score: failed or invalid", failed, "evaluation has" if failed == 1 else "evaluations have")
        if done < self.calibration.budget:
            logger.info("the same command with --resume continues %s", shlex.quote(self.folder))

    # -------------------------------------------------------------------------------------------------------- folders

    def _check_folder(self) -> bool:
        """Whether the folder is a new one, which a start needs; a start that was killed at once is started again by --resume."""
        is_new = record.is_new(self.folder, self.searches[0].asked.name)
        if not self.options.resume and not is_new:
            raise InputError(f"{self.folder}: expected a new or empty folder, or --resume; found one with files")
        if self.options.resume and not os.path.exists(self.folder):
            raise InputError(f"{self.folder}: expected the folder of a calibration to resume, found none")
        if not is_new and self.several:
            record.warn_of_versions(self.folder, record.check(self.calibration, self.folder))
        return is_new

    def _status(self, search: Search) -> str:
        return "finished" if search.is_whole else "interrupted" if self.stopped_by else "running"

    def _write_common(self) -> None:
        """The record that several searches have in common."""
        statuses = [self._status(search) for search in self.searches]
        best = self.best()
        record.write(self.folder, {
            **record.begin(self.calibration, next((status for status in statuses[::-1] if status != "finished"), "finished")),
            "searches": [{"name": s.asked.name, "rule": s.asked.rule, "status": status, "budget": s.asked.budget,
                          "evaluations": s.table.count, "score": None if s.best is None else s.score}
                         for s, status in zip(self.searches, statuses)],
            "best": None if best is None else {**(best.best_record() or {}), "search": best.asked.name}})

    def _begin_common(self) -> None:
        if not record.is_new(self.folder, self._at.asked.name):
            raise InputError(f"{self.folder}: expected a new or empty folder, or --resume; found one with evaluations")
        self._write_common()

    def _write_page(self, searches: Sequence[Search], folder: str) -> None:
        if all(search.has_maps for search in searches):
            self.calibration.write_page([s.asked for s in searches], [page.describe(s) for s in searches], self.options.language, folder)

    # ----------------------------------------------------------------------------------------------------------- work

    def run(self) -> None:
        """All searches."""
        is_new = self._check_folder()
        for search in self.searches:
            if search is self.searches[0] or not self.stopped_by:
                self._run(search, is_new)
        for search in self.searches:
            if search.is_whole and search.best is None:
                raise InputError(f"{search.table.path}: no evaluation has a score: all are failed or invalid")

    def _run(self, search: Search, is_new: bool) -> None:
        first = search is self.searches[0]
        self._at = search
        begins = is_new and self.several and first
        if self.several:
            is_new = is_new or record.is_new(search.folder)
            logger.info("search %s: %d evaluations of rule %s", search.asked.name, search.asked.budget, search.asked.rule)
        inputs = self.calibration.begin(search.asked)
        if self.several:
            record.check_is_folder(search.folder)
        search.open(inputs, is_new, self._begin_common if begins else lambda: None)
        if self._began is None:
            self._began = time.monotonic()
        search.run(self.go_on)
        search.make_maps(self.go_on)
        search.write_results()
        self._write_page([search], search.folder)
        search.write_record(self._status(search))
        if self.several:
            self._write_all()

    def _write_all(self) -> None:
        """What several searches have found: the best set of all, and their pages side by side, the best first."""
        best = self.best()
        if best is not None and best.best is not None:
            self.calibration.write_best(best.asked, best.table.values[best.best], self.folder)
        if all(search.is_whole and search.best is not None for search in self.searches):
            self._write_page(sorted(self.searches, key=lambda search: -search.score), self.folder)
        self._write_common()


def _options(words: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="sciara calibrate", description="'sciara calibrate --help' says what each option means.")
    parser.add_argument("file")
    parser.add_argument("--output", required=True)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--engine")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--progress-every", type=float, default=30.0)
    parser.add_argument("--language", default="en")
    parser.add_argument("--allow-driver", action="append", default=[])
    parser.add_argument("--time-zone")  # no message has a time of day
    for flag in ("quiet", "verbose", "log-json"):
        parser.add_argument(f"--{flag}", action="store_true")
    return parser.parse_args(words)


def _report(error: BaseException) -> int:
    """Reports an error; the exit code."""
    if isinstance(error, SciaraError):
        for text in getattr(error, "problems", None) or [str(error)]:
            logger.error("%s", text)
        return int(error.status)
    if isinstance(error, MemoryError):
        logger.error("not enough memory for the evaluations")
        return int(OutOfMemory.status)
    if isinstance(error, OSError):
        logger.error("%s", error)
        return int(FileError.status)
    logger.error("a defect of this program: %s: %s", type(error).__name__, error)
    logger.debug("where it was", exc_info=error)
    return int(InternalError.status)


def main(words: Optional[Sequence[str]] = None) -> int:
    """Runs the command; returns its exit code."""
    options = _options(words)
    messages = Messages(options.quiet, options.log_json)
    logger.addHandler(messages)
    logger.propagate = False
    logger.setLevel(logging.DEBUG if options.verbose else logging.INFO)
    work, code = None, 0
    try:
        work = Work(options, messages)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, work.stop)
        work.run()
    except Exception as error:  # pylint: disable=broad-except
        messages.line(None)
        code = _report(error)
    messages.line(None)
    if work is not None:
        work.calibration.close()
        work.describe()
        if code == 0 and work.stopped_by:
            code = 128 + work.stopped_by
    return code
