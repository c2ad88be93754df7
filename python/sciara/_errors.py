# SPDX-License-Identifier: Apache-2.0
"""Exceptions by status of the library. The text is the sentence of the library."""
from __future__ import annotations

from ._library import ffi, lib


class SciaraError(Exception):
    """A call failed. `status` is the enum sciara_status of sciara.h, which is also the exit code of the program."""

    status = lib.SCIARA_ERR_INTERNAL


class UsageError(SciaraError, ValueError, TypeError):
    """A wrong argument, or a wrong call: a closed run, an array of the wrong shape."""

    status = lib.SCIARA_ERR_USAGE


class InputError(SciaraError, ValueError):
    """A scenario, a DEM or another input is invalid."""

    status = lib.SCIARA_ERR_INPUT


class FileError(SciaraError, OSError):
    """Reading or writing failed."""

    status = lib.SCIARA_ERR_IO


class NumericError(SciaraError, ArithmeticError):
    """A number that is not finite, or an invariant of the model is broken."""

    status = lib.SCIARA_ERR_NUMERIC


class OutOfMemory(SciaraError, MemoryError):
    """Not enough memory."""

    status = lib.SCIARA_ERR_MEMORY


class DeviceError(SciaraError, RuntimeError):
    """The engine or its device is not available here."""

    status = lib.SCIARA_ERR_DEVICE


class InternalError(SciaraError, RuntimeError):
    """A defect of the library: please report it."""

    status = lib.SCIARA_ERR_INTERNAL


_BY_STATUS = {e.status: e for e in (UsageError, InputError, FileError, NumericError, OutOfMemory, DeviceError,
                                    InternalError)}


def check(status: int) -> None:
    """Raises the exception of a status other than SCIARA_OK."""
    if status != lib.SCIARA_OK:
        text = ffi.string(lib.sciara_last_error()).decode("utf-8", "backslashreplace")
        raise _BY_STATUS.get(status, InternalError)(text)
