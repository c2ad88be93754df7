# SPDX-License-Identifier: Apache-2.0
"""evaluations.csv: a row for each evaluation, written when it ends and checked when the search is resumed."""
from __future__ import annotations

import fcntl
import os
import re
import stat
import struct
from collections.abc import Sequence
from typing import Optional

import numpy as np

from .._errors import FileError, InputError
from .file import Score
from .files import number_text, sync_folder

NAME = "evaluations.csv"
SCORED = ("ok", "rested")
WORDS = (*SCORED, "stopped", "failed", "invalid")
SYNC_EVERY = 64  # rows
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


class Table:
    """The rows of a search. Arrays have a row for each evaluation of the budget, of which `count` are set; NaN: there is none.

    jaccard, runout: of each pair; score: of a run that was stopped a bound
    """

    def __init__(self, path: str, keys: Sequence[str], pairs: int, budget: int) -> None:
        self.path, self.count, self.budget = path, 0, budget
        self.values = np.full((budget, len(keys)), np.nan)
        self.score = np.full(budget, np.nan)
        self.jaccard, self.runout = (np.full((budget, pairs), np.nan) for _ in range(2))
        self.status = np.zeros(budget, dtype="U7")
        self._file: Optional[int] = None
        self._sum = 0
        numbers = range(pairs)
        self._columns = ["number", *keys, "score", *(f"jaccard_{k}" for k in numbers), "status", *(f"runout_ratio_{k}" for k in numbers),
                         "checksum"]
        self._left_out = 0  # columns at the end, in a table that an earlier version began

    # -------------------------------------------------------------------------------------------------------- writing

    def _write(self, line: str) -> None:
        assert self._file is not None
        data = line.encode("utf-8")
        try:
            while data:
                data = data[os.write(self._file, data):]
        except OSError as error:
            raise FileError(f"{self.path}: cannot write: {error.strerror}") from None

    def sync(self) -> None:
        """The rows survive the end of the machine."""
        assert self._file is not None
        try:
            os.fsync(self._file)
        except OSError as error:
            raise FileError(f"{self.path}: cannot sync to disk: {error.strerror}") from None

    def _checksum(self) -> int:
        """Of row `count`, over what it says and the rows before: FNV-1a."""
        row = self.count
        numbers = np.concatenate([self.values[row], self.score[row:row + 1], self.jaccard[row], self.runout[row]]) + 0.0  # one zero
        numbers[np.isnan(numbers)] = np.nan  # one NaN
        data = struct.pack("<Q", self._sum) + numbers.astype("<f8").tobytes() + str(self.status[row]).encode("ascii")
        found = 0xcbf29ce484222325
        for byte in data:
            found = (found ^ byte) * 0x100000001b3 & 0xffffffffffffffff
        return found

    def add(self, score: Score, value: float) -> None:
        """Appends the row whose values are set: it survives the end of the process. value: its score"""
        row = self.count
        self.status[row], self.score[row] = score.status, value
        if score.pairs:
            self.jaccard[row], self.runout[row] = score.pairs, score.runout
        sum_ = self._checksum()
        cells = [str(row + 1), *map(number_text, self.values[row]), number_text(value), *map(number_text, self.jaccard[row]), score.status,
                 *map(number_text, self.runout[row]), f"{sum_:016x}"]
        self._write(",".join(cells[:len(cells) - self._left_out]) + "\n")
        self._sum = sum_
        self.count += 1
        if self.count % SYNC_EVERY == 0:
            self.sync()

    # -------------------------------------------------------------------------------------------------------- reading

    def open(self) -> None:
        """Opens or makes the file, reads its whole rows and cuts off half a row at its end."""
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
            if not stat.S_ISREG(os.fstat(self._file).st_mode):
                raise InputError(f"{self.path}: expected a file, found something else")
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(f"{self.path}: another process writes it; end that first") from None
            except OSError:
                pass  # a file system without locks
            with open(self._file, "rb", closefd=False) as file:
                data = file.read()
        except OSError as error:
            if isinstance(error, FileError):
                raise
            raise FileError(f"{self.path}: cannot open: {error.strerror}") from None
        whole = data[:data.rfind(b"\n") + 1]
        head = ",".join(self._columns) + "\n"
        begins = not whole and len(data) < len(head) and head.encode().startswith(data)
        if not begins:
            self._read((whole or data).decode("utf-8", "surrogateescape"))
        try:
            os.ftruncate(self._file, len(whole))
        except OSError as error:
            raise FileError(f"{self.path}: cannot cut: {error.strerror}") from None
        if begins:
            self._write(head)
            self.sync()
            sync_folder(os.path.dirname(self.path))

    def close(self) -> None:
        """Another process may then write it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _refuse(self, line: int, expected: str, found: str) -> InputError:
        return InputError(f'{self.path}:{line}: expected {expected}, found "{found[:80]}"')

    def _read(self, text: str) -> None:
        head, *rows = text.split("\n")
        pairs = self.jaccard.shape[1]
        heads = {",".join(self._columns[:len(self._columns) - n]): n for n in (1 + pairs, 1, 0)}
        if head not in heads:
            raise InputError(f'{self.path}:1: expected the line "{",".join(self._columns)}", found "{head[:400]}"')
        self._left_out = heads[head]
        for number, row in enumerate(rows[:-1], 2):
            cells = row.split(",")
            if self.count == self.budget:
                raise self._refuse(number, "no row after the budget", cells[0])
            if len(cells) != len(self._columns) - self._left_out:
                raise self._refuse(number, "a value for each column", cells[0])
            self._read_row(number, cells)

    def _read_row(self, line: int, cells: list[str]) -> None:
        row, n, p = self.count, self.values.shape[1], self.jaccard.shape[1]
        status = cells[n + p + 2]
        if status not in WORDS:
            raise self._refuse(line, "ok, rested, stopped, failed or invalid", status)
        if cells[0] != str(row + 1):
            raise self._refuse(line, "the number of the evaluation", cells[0])
        self.status[row] = status

        def number(cell: str, there: bool, what: str, highest: float = np.inf) -> float:
            if not there and not cell:
                return np.nan
            if not there or not _NUMBER.fullmatch(cell) or (highest < np.inf and not 0 <= float(cell) <= highest):
                raise self._refuse(line, what, cell)
            return float(cell)

        ok = status in SCORED
        self.values[row] = [number(cell, True, "a number") for cell in cells[1:n + 1]]
        self.score[row] = number(cells[n + 1], ok or status == "stopped", "a score, 0 to 1", 1)
        self.jaccard[row] = [number(cell, ok, "a score, 0 to 1", 1) for cell in cells[n + 2:n + 2 + p]]
        if self._left_out < 1 + p:
            self.runout[row] = [number(cell, ok and bool(cell), "a run-out ratio") for cell in cells[n + p + 3:n + 2 * p + 3]]
        self._sum = self._checksum()
        if self._left_out == 0 and cells[-1] != f"{self._sum:016x}":
            raise self._refuse(line, "a row with its checksum, as it was written and after the rows that were before it", cells[-1])
        self.count += 1
