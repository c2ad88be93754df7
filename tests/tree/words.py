# SPDX-License-Identifier: Apache-2.0
"""No file below the places that tests/tree/words.txt lists as checked uses a word that the list replaces.

For each hit: file, line, the word, and what to write instead. First every row of the list must find its own example, and
prose must be distinguished from code in a sample.

usage: words.py [FILE]...       these files instead of those that are checked"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ.get("SCIARA_SOURCE_DIR", Path(__file__).resolve().parents[2]))
LIST = Path(__file__).with_name("words.txt")
TEXT = {".md", ".txt", ".c", ".h", ".cu", ".cuh", ".def", ".py", ".sh", ".cmake", ".js", ".css", ".html", ".json", ""}


SAMPLE = """Memory is foretold.
```
foretold
```
`foretold`: 3 s of machine
time [foretold](foretold.md)

    foretold

- foretold
"""
SAMPLE_HITS = [1, 5, 6, 10]


class Word:
    """A row: what is searched for, what to write instead, and contexts in which the word is right."""

    def __init__(self, row):
        cells = [cell.strip() for cell in re.split(r"\s\|\s", row)]
        if not 3 <= len(cells) <= 4:
            raise ValueError(f"words.txt: expected 3 or 4 cells, found {len(cells)}: {row}")
        lines_apart = [cell.replace(" ", r"\s+") for cell in cells]
        self.pattern = re.compile(rf"\b(?:{lines_apart[0]})(?!\w)", re.I)
        self.instead, self.example = cells[1:3]
        self.allowed = re.compile(lines_apart[3], re.I) if len(cells) == 4 else None

    def hits(self, text):
        """(line, what was found), from line 1."""
        if self.allowed:
            text = self.allowed.sub(lambda match: blank(match[0], "\0"), text)
        for match in self.pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, re.sub(r"\s+", " ", match[0])


def blank(text, filler):
    """As many lines, without words."""
    return re.sub(r"[^\n]", filler, text)


def read_list():
    """(checked, left out, words)."""
    sections = {}
    rows = None
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            rows = sections.setdefault(line.strip("[]"), [])
        elif line.strip() and not line.startswith("#"):
            rows.append(line)
    left_out = [row.split(None, 1)[0] for row in sections["left out"]]
    return [row.strip() for row in sections["checked"]], left_out, [Word(row) for row in sections["words"]]


def files_below(places, left_out):
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "--", *places], stdout=subprocess.PIPE, encoding="utf-8",
                            check=True).stdout.split("\n")
    for name in filter(None, listed):
        if name not in left_out and Path(name).suffix in TEXT and (ROOT / name).is_file():
            yield name


def prose_of_markdown(text):
    """Without code, targets of links and comments; line numbers stay."""
    text = re.sub(r"(?ms)^( *)```.*?^ *```$|<!--.*?-->", lambda match: blank(match[0], ""), text)
    lines = []
    code = False
    for line in text.split("\n"):
        if line.strip():
            code = line.startswith("    ") and (code or not (lines and lines[-1].strip()))
        lines.append("" if code else line)
    text = re.sub(r"`[^`\n]*(?:\n[^`\n]+)?`", lambda match: "code" + "\n" * match[0].count("\n"), "\n".join(lines))
    return re.sub(r"\]\([^)\n]*\)", "]", text)


def hits_of(name, text, words):
    # In sources a name such as sciara_parcel_add is words too.
    text = prose_of_markdown(text) if name.endswith(".md") else text.replace("_", " ")
    return sorted((line, hit, word.instead) for word in words for line, hit in word.hits(text))


def check(name, words):
    try:
        text = (ROOT / name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return 0
    hits = hits_of(name, text, words)
    for line, hit, instead in hits:
        print(f'{name}:{line}: "{hit}": write {instead}')
    return len(hits)


def main():
    places, left_out, words = read_list()
    blind = [word for word in words if not list(word.hits(word.example))]
    for word in blind:
        print(f'words.txt: "{word.example}" is not found by its own row')
    sample = [line for line, _, _ in hits_of("sample.md", SAMPLE, words)]
    if sample != SAMPLE_HITS:
        print(f"words.py: in the sample lines {SAMPLE_HITS} were expected, {sample} were found")
    names = sys.argv[1:] or list(files_below(places, left_out))
    if not names:
        print("words.txt: no file is checked")
        return 1
    found = sum(check(name, words) for name in names)
    print(f"{len(names)} files, {len(words)} words, {found} hits")
    return 1 if found or blind or sample != SAMPLE_HITS else 0


if __name__ == "__main__":
    sys.exit(main())
