# SPDX-License-Identifier: Apache-2.0
"""The declarations of sciara.h, as cffi reads them. Used when the package is built, and in the source tree."""
from __future__ import annotations

import re
from pathlib import Path


def declarations(header: str) -> str:
    """The text of sciara.h without comments, the preprocessor, extern "C" and SCIARA_API."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", header, flags=re.S)
    text = re.sub(r"(?ms)^#ifdef __cplusplus\n.*?^#endif$", "", text)
    text = re.sub(r"(?m)^#.*$", "", text)
    return re.sub(r"\bSCIARA_API\b", "", text)


def functions(header: str) -> list[str]:
    """Names of the functions of sciara.h, as they are declared."""
    return re.findall(r"(?m)^SCIARA_API\b[^;]*?\b(sciara_\w+)\(", header)


def find(*folders: Path) -> Path:
    """The first of sciara.h in `folders`."""
    for folder in folders:
        if (folder / "sciara.h").is_file():
            return folder / "sciara.h"
    raise FileNotFoundError("found no sciara.h in " + ", ".join(map(str, folders)))
