# SPDX-License-Identifier: Apache-2.0
"""Python values as the library takes them: texts, paths, numbers, durations, values of keys."""
from __future__ import annotations

import datetime
import json
import math
import numbers
import os
import re
import weakref
from collections.abc import Mapping
from typing import Any, Optional, Union

import numpy

from ._errors import UsageError
from ._library import ffi

#: A path of a file or folder.
PathLike = Union[str, "os.PathLike[str]"]
#: A duration: seconds, or text such as "90 s", "6 h", "13 d 18 h", or a timedelta.
Duration = Union[float, str, datetime.timedelta, numpy.timedelta64]
#: Keys of a scenario, as in docs/scenario.md, and their values.
Overrides = Optional[Mapping[str, Any]]

#: What run.until may name instead of a time.
STOP_RULES = ("solidified", "front at rest")

_ALIVE: Any = weakref.WeakKeyDictionary()  # texts that an array of pointers points to
_UNITS = {"d": 86400, "h": 3600, "min": 60, "s": 1}
_NUMBER = r" *([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?) *"
_DURATION = re.compile("(?=.*[a-z])" + "".join(f"(?:{_NUMBER}{unit})?" for unit in _UNITS) + f"|{_NUMBER}")  # "13 d 18 h"


def text_of(value: Any, what: str) -> bytes:
    """A text as UTF-8."""
    if not isinstance(value, str):
        raise UsageError(f"{what}: expected a text, found {describe(value)}")
    return _without_nul(utf8_of(value, what), what)


def utf8_of(text: str, what: str) -> bytes:
    """UTF-8; bytes of file names that are no UTF-8, which Python writes as surrogates, stay as they are."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as e:
        raise UsageError(f"{what}: expected a text of whole characters, found half of a pair of surrogates, "
                         f"{text[e.start]!a}") from None


def crs_of(value: Any) -> bytes:
    """A CRS as text; of an object of pyproj or rasterio its WKT."""
    if hasattr(value, "to_wkt"):
        value = value.to_wkt()
    if not isinstance(value, str):
        raise UsageError(f'crs: expected a text such as "EPSG:32633", found {describe(value)}')
    return text_of(value, "crs")


def path_of(value: Any, what: str = "the path") -> bytes:
    """A path as the bytes that the system takes."""
    if not isinstance(value, (str, os.PathLike)):
        raise UsageError(f"{what}: expected a path, found {describe(value)}")
    path = os.fspath(value)
    return _without_nul(utf8_of(path, what) if isinstance(path, str) else path, what)


def _without_nul(data: bytes, what: str) -> bytes:
    if b"\0" in data:
        raise UsageError(f"{what}: expected a text without NUL characters, found {data!r}")
    return data


def _scalar_of(value: Any) -> Any:
    """The element of an array without dimensions, such as one of a DataArray; anything else as it is."""
    return numpy.asarray(value)[()] if getattr(value, "ndim", None) == 0 else value


def number_of(value: Any, what: str) -> float:
    """A real, finite number."""
    value = _scalar_of(value)
    if isinstance(value, (bool, numpy.bool_)) or not isinstance(value, numbers.Real):
        raise UsageError(f"{what}: expected a number, found {describe(value)}")
    try:
        number = float(value)
    except OverflowError:  # a whole number of more than 308 digits
        number = math.inf
    if not math.isfinite(number):
        raise UsageError(f"{what}: expected a finite number, found {describe(value)}")
    return number


def whole_of(value: Any, what: str) -> int:
    """A whole number from 0 to 2^63 - 1."""
    number = number_of(value, what)
    if number != math.floor(number) or not 0 <= number < 2 ** 63:
        raise UsageError(f"{what}: expected a whole number, 0 or more, found {value}")
    return int(value)


def until_of(value: Any, what: str) -> Union[str, float]:
    """A value of run.until: the name of a stop rule, or seconds."""
    return str(value) if isinstance(value, str) and value in STOP_RULES else seconds_of(value, what)


def seconds_of(value: Any, what: str) -> float:
    """A duration in seconds."""
    value = _scalar_of(value)
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, numpy.timedelta64):
        return number_of(value / numpy.timedelta64(1, "s"), what)
    if isinstance(value, str):
        match = _DURATION.fullmatch(value)
        if not match:
            raise UsageError(f'{what}: expected seconds or a duration such as "90 s", "30 min", "6 h" or "3 d", '
                             f"found {value!r}")
        return number_of(sum(float(part) * size for part, size in zip(match.groups(), (*_UNITS.values(), 1)) if part), what)
    return number_of(value, what)


def describe(value: Any) -> str:
    """A value in a message: one short line."""
    shape = getattr(value, "shape", ())
    text = "None" if value is None else f"{type(value).__name__} of shape {shape}" if shape else \
        " ".join(f"{type(value).__name__} {value!r}".split())
    return text if len(text) <= 80 else text[:77] + "..."


def json_of(value: Any, what: str) -> str:
    """A value of a key of a scenario as JSON."""
    def convert(other: Any) -> Any:
        if isinstance(other, (numpy.generic, numpy.ndarray)):
            return other.tolist()
        if isinstance(other, datetime.timedelta):
            return other.total_seconds()
        if isinstance(other, os.PathLike):
            return os.fspath(other)
        raise TypeError
    try:
        return json.dumps(value, default=convert, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        raise UsageError(f"{what}: expected a value that JSON can hold, found {describe(value)}") from None


def overrides_of(overrides: Overrides) -> tuple[Any, int]:
    """Strings "key=value" for the library, and how many."""
    if overrides is None:
        return ffi.NULL, 0
    if not isinstance(overrides, Mapping):
        raise UsageError('the overrides: expected a dict such as {"run.until": "2 d"}, found ' + describe(overrides))
    texts = []
    for key, value in overrides.items():
        name = text_of(key, "a key of the overrides")
        texts.append(ffi.new("char[]", name + b"=" + utf8_of(json_of(value, str(key)), str(key))))
    array = ffi.new("const char *[]", texts)
    _ALIVE[array] = texts  # as long as the array
    return array, len(texts)


