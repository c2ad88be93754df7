# SPDX-License-Identifier: Apache-2.0
"""The possible contents of a disk after a loss of power, from the log of the shim.

A file system guarantees only what was synced: the bytes of a file for which fsync returned, the entries of a
folder for which fsync returned. Later changes may be on the disk, or not, or in part, in any order. `Disk` keeps for each
file the synced bytes and the writes since, for each folder the synced entries and the changes since; `states` generates the
disks that may be found after the loss of power.
"""
import os
import random
from dataclasses import dataclass, field

O_TRUNC, O_CREAT = os.O_TRUNC, os.O_CREAT
MOST_SINGLE = 6  # changes of folders that are tried one by one


@dataclass
class File:
    synced: bytes = b""
    live: bytearray = field(default_factory=bytearray)
    pending: list = field(default_factory=list)  # (offset, data), or (size, None) of a truncation

    def write(self, offset, data):
        if len(self.live) < offset:
            self.live.extend(bytes(offset - len(self.live)))
        self.live[offset:offset + len(data)] = data
        self.pending.append((offset, data))

    def truncate(self, size):
        if size < len(self.live):
            del self.live[size:]
        else:
            self.live.extend(bytes(size - len(self.live)))
        self.pending.append((size, None))

    def sync(self):
        self.synced = bytes(self.live)
        self.pending = []


def resized(data, size):
    return data[:size] if size <= len(data) else data + bytes(size - len(data))


def nothing(file):
    return file.synced


def everything(file):
    return bytes(file.live) if file.pending else file.synced


def only_the_size(file):
    """The length reached the disk, but the bytes did not."""
    if not file.pending:
        return file.synced
    kept = resized(file.synced, len(file.live))
    return kept if len(file.synced) >= len(file.live) else file.synced + bytes(len(file.live) - len(file.synced))


def only_the_last(file):
    """A later write overtook the earlier ones."""
    if not file.pending:
        return file.synced
    return apply(file.synced, file.pending[-1:])


def apply(data, changes):
    out = bytearray(data)
    for offset, piece in changes:
        if piece is None:
            out = bytearray(resized(bytes(out), offset))
            continue
        if len(out) < offset:
            out.extend(bytes(offset - len(out)))
        out[offset:offset + len(piece)] = piece
    return bytes(out)


def some_blocks(chance, size):
    """Each block that was written either reached the disk or did not."""
    def content(file):
        if not file.pending:
            return file.synced
        changes = []
        for offset, piece in file.pending:
            if piece is None:
                if chance.random() < 0.5:
                    changes.append((offset, None))
                continue
            at = offset
            while at < offset + len(piece):
                end = min((at // size + 1) * size, offset + len(piece))
                if chance.random() < 0.5:
                    changes.append((at, piece[at - offset:end - offset]))
                at = end
        return apply(file.synced, changes)
    return content


class Disk:
    """Follows the log. Paths are absolute; `root` exists from the start and is never removed."""

    def __init__(self, root, start):
        self.root = root
        self.live = {}  # path -> File, or None for a folder
        for name, data in start.items():
            path = os.path.join(root, name)
            self.live[path] = File(data, bytearray(data))
            while (path := os.path.dirname(path)) != root:
                self.live[path] = None
        self.synced = dict(self.live)
        self.pending = []  # (folder, {path: File, None, or GONE}): one change of entries
        self.open = {}  # descriptor -> path at opening, File
        self.published = {}  # relative path -> contents that were ever given that name by a rename
        for name, data in start.items():
            self.published[name] = {data}

    def take(self, record):
        """Processes one call. Returns whether it can change the contents of the disk."""
        kind = record.kind
        if kind.islower():  # it failed
            return False
        if kind == "O":
            return self.take_open(record)
        if kind == "W":
            self.open[record.fd][1].write(record.offset, record.data)
        elif kind == "T":
            self.open[record.fd][1].truncate(record.offset)
        elif kind == "S":
            self.take_sync(*self.open[record.fd])
        elif kind == "R":
            moved = self.live.pop(record.path)
            self.live[record.path2] = moved
            self.change({record.path: GONE, record.path2: moved})
            if moved is not None:
                self.published.setdefault(os.path.relpath(record.path2, self.root), set()).add(bytes(moved.live))
        elif kind in "UD":
            self.live.pop(record.path, None)
            self.change({record.path: GONE})
        elif kind == "M":
            self.live[record.path] = None
            self.change({record.path: None})
        elif kind == "C":
            self.open.pop(record.fd, None)
            return False
        return True

    def take_open(self, record):
        path = record.path
        if path not in self.live and record.offset & O_CREAT:
            self.live[path] = File()
            self.change({path: self.live[path]})
        file = self.live.get(path)
        self.open[record.fd] = (path, file)
        if file and record.offset & O_TRUNC and file.live:
            file.truncate(0)
        return bool(record.offset & (O_CREAT | O_TRUNC))

    def take_sync(self, path, file):
        if file is not None:
            file.sync()
            return
        rest = []
        for change in self.pending:
            inside = {p: what for p, what in change.items() if os.path.dirname(p) == path}
            outside = {p: what for p, what in change.items() if p not in inside}
            enter(self.synced, inside)
            if outside:
                rest.append(outside)
        self.pending = rest

    def change(self, entries):
        self.pending.append(entries)

    def state(self, entries, content):
        """The files below the root, by relative path, if these changes of entries reached the disk."""
        names = dict(self.synced)
        for change in entries:
            enter(names, change)
        found = {}
        for path, file in names.items():
            if file is not None and self.is_reachable(path, names):
                found[os.path.relpath(path, self.root)] = content(file)
        return found

    def is_reachable(self, path, names):
        folder = os.path.dirname(path)
        while folder != self.root:
            if folder not in names:
                return False
            folder = os.path.dirname(folder)
        return True

    def states(self, chance, rounds):
        """(description, files) of the disks that may be found if the power fails now."""
        everywhere = self.pending
        contents = [("no data", nothing), ("all data", everything), ("sizes alone", only_the_size),
                    ("the last write alone", only_the_last)]
        for name, content in contents:
            yield f"all entries, {name}", self.state(everywhere, content)
            yield f"no entries, {name}", self.state([], content)
        for k, change in enumerate(everywhere[-MOST_SINGLE:]):
            yield f"entry {k} alone", self.state([change], nothing)
            yield f"all entries but {k}", self.state([c for c in everywhere if c is not change], nothing)
        for k in range(rounds):
            size = (512, 4096)[k % 2]
            some = [change for change in everywhere if chance.random() < 0.7]
            yield f"blocks of {size} bytes, round {k}", self.state(some, some_blocks(chance, size))


GONE = object()


def enter(names, change):
    for path, what in change.items():
        if what is GONE:
            names.pop(path, None)
        else:
            names[path] = what


def replay(records, root, check, rounds=4, seed=1, start=None):
    """Calls `check(number, description, files, announced, published)` for every disk that may be found after each call of
    the log; published: name -> contents that had this name.

    start: files below the root, by relative path, that are on the disk before the first call and stay. Returns the
    numbers of calls and of disks.
    """
    chance = random.Random(seed)
    disk = Disk(root, start or {})
    said, calls, disks = "", 0, 0
    for number, record in enumerate(records):
        if record.kind == "A":
            said += record.data.decode("utf-8", "replace")
        elif not disk.take(record):
            continue
        calls += 1
        for description, files in disk.states(chance, rounds):
            disks += 1
            check(number, description, files, said.split("\n")[:-1], disk.published)
    return calls, disks
