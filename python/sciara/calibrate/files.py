# SPDX-License-Identifier: Apache-2.0
"""Folders and files that are whole or as they were."""
from __future__ import annotations

import errno
import json
import math
import os
import stat
from typing import Any

from .._errors import FileError


def number_text(value: float) -> str:
    """A number with all its digits; nothing for NaN."""
    if math.isnan(value):
        return ""
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def sync_folder(folder: str) -> None:
    """The names in it are permanent."""
    handle = os.open(folder or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that cannot
            raise FileError(f"{folder}: cannot sync to disk: {error.strerror}") from None
    finally:
        os.close(handle)


def make_folder(path: str) -> None:
    """A folder, and those in which it lies."""
    try:
        os.makedirs(path, exist_ok=True)
        sync_folder(os.path.dirname(os.path.abspath(path)))
    except FileExistsError:
        raise FileError(f"{path}: cannot make this folder: a file of that name exists") from None
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path}: cannot make this folder: {error.strerror}") from None


def replace(path: str, text: str) -> None:
    """Writes a file that is whole or as it was, whenever the machine ends. Nothing is written through a link."""
    part = path + ".part"
    try:
        if os.path.lexists(path) and not stat.S_ISLNK(os.lstat(path).st_mode) and not stat.S_ISREG(os.lstat(path).st_mode):
            raise FileError(f"{path}: is no file, and is not replaced by one")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
        with open(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
            file.flush()
            os.fsync(handle)
        os.replace(part, path)
    except OSError as error:
        if isinstance(error, FileError):
            raise
        why = "this is a symbolic link; remove it" if error.errno == errno.ELOOP else f"cannot be written: {error.strerror}"
        raise FileError(f"{part}: {why}") from None
    sync_folder(os.path.dirname(path))


def write_json(path: str, value: dict[str, Any]) -> None:
    """A file of JSON."""
    replace(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
