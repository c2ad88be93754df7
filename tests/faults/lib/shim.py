# SPDX-License-Identifier: Apache-2.0
"""Runs the program under the shim (shim.h), and reads the output of the shim."""
import functools
import os
import re
import struct
import subprocess
from dataclasses import dataclass, field

import server

PROGRAM = os.environ["SCIARA_PROGRAM"]
LIBRARY = os.environ.get("SCIARA_SHIM", "")
PATIENCE = 60  # s: everything here takes less than a second, unless it hangs

COUNTS = struct.Struct("<7Q")
SITE = struct.Struct("<3Q")
RECORD = struct.Struct("<IiqIIQ")


@dataclass
class Outcome:
    """How a process ended. code < 0: by that signal; None: it hung and was killed."""
    code: int
    stdout: str
    stderr: str
    calls: int = 0
    mallocs: int = 0
    peak: int = 0
    done: int = 0
    resident: int = 0  # peak in bytes, of a process that was not killed
    sites: list = field(default_factory=list)  # (address, first, last) of its requests for memory

    @property
    def announced(self):
        """Whole lines on standard output: paths that the program has acknowledged."""
        return self.stdout.split("\n")[:-1]


@dataclass(frozen=True)
class Record:
    kind: str
    fd: int
    offset: int
    path: str
    path2: str
    data: bytes


def read_counts(path, code):
    """The counts of the shim; nothing if the program ended, or was killed, before the shim had begun."""
    data = b""
    if code == 0 or os.path.exists(path):
        with open(path, "rb") as f:
            data = f.read()
    if code != 0 and len(data) < COUNTS.size:
        data = bytes(COUNTS.size)
    calls, mallocs, _, peak, done, resident, sites = COUNTS.unpack_from(data)
    return {"calls": calls, "mallocs": mallocs, "peak": peak, "done": done, "resident": resident,
            "sites": [SITE.unpack_from(data, COUNTS.size + k * SITE.size) for k in range(sites)]}


def read_log(path):
    with open(path, "rb") as f:
        data = f.read()
    records, at = [], 0
    while at + RECORD.size <= len(data):
        kind, fd, offset, n, n2, count = RECORD.unpack_from(data, at)
        at += RECORD.size
        a, b, c = at + n, at + n + n2, at + n + n2 + count
        records.append(Record(chr(kind), fd, offset, os.fsdecode(data[at:a]), os.fsdecode(data[a:b]), data[b:c]))
        at = c
    return records


def numbered(records):
    """(number, record, path) of the calls that the shim counts, with its numbers."""
    opened, number = {}, 0
    for r in records:
        counted = r.kind != "A"
        if r.kind in "Oo":
            opened[r.fd] = (r.path, bool(r.offset & os.O_ACCMODE))
            counted = bool(r.offset & (os.O_CREAT | os.O_TRUNC))
        elif r.kind == "C":
            counted = opened[r.fd][1]
        if counted:
            number += 1
            yield number, r, r.path or opened[r.fd][0]


@functools.cache
def foreign_code(path):
    """Where the CUDA runtime, linked statically, is in a file: its behaviour without memory is not tested."""
    listed = subprocess.run(["nm", "-n", "--defined-only", path], stdout=subprocess.PIPE,
                            encoding="utf-8", check=True)
    code = [(int(address, 16), name) for address, kind, name in
            (line.split(maxsplit=2) for line in listed.stdout.splitlines()) if kind in "tTwW"]
    ranges = []
    for (begin, name), (end, _) in zip(code, code[1:]):
        if not re.match(r"(__)?cudart|(__)?cuda[A-Z]|libcudart", name):
            continue
        if ranges and ranges[-1][1] == begin:
            ranges[-1][1] = end
        else:
            ranges.append([begin, end])
    return ",".join(f"{begin:x}-{end:x}" for begin, end in ranges)


def shim_environment(code, work, root, plan, log):
    """code: the file with the code of libsciara."""
    names = {"ROOT": root, "COUNT": os.path.join(work, "shim.counts"), "FOREIGN": foreign_code(code), "PLAN": plan,
             "LOG": log}
    return {f"SCIARA_SHIM_{name}": value for name, value in names.items() if value}


_servers = {}  # by their environments


def run_in_fork(args, work, root, plan=None, log=None):
    """The same as `run`, in a fork of a program that was loaded once. Its peak of memory is that of the fork."""
    if not server.PATH:
        return run(args, work, root, plan, log)
    key = tuple(sorted(os.environ.items()))
    if key not in _servers:
        _servers[key] = server.Server(LD_PRELOAD=LIBRARY, SCIARA_SHIM_LATE="1")
    environment = shim_environment(server.PATH, work, root, plan, log)
    counts = environment["SCIARA_SHIM_COUNT"]
    if os.path.exists(counts):
        os.remove(counts)
    assignments = [f"{name}={value}" for name, value in environment.items()]
    try:
        code, *texts = _servers[key].run([PROGRAM, *map(str, args)], work, assignments, PATIENCE)
    except TimeoutError:
        del _servers[key]
        code, texts = None, (b"", b"")
    return Outcome(code, *(text.decode("utf-8", "replace") for text in texts), **read_counts(counts, code))


def run(args, work, root, plan=None, log=None, limit=None, before=(), after=None):
    """`sciara ARGS` in the folder `work`; the shim watches everything below `root`.

    limit: called in the child before it starts. before: words in front of the program. after(process): called while the
    program runs, to disturb it.
    """
    environment = {**os.environ, "LD_PRELOAD": LIBRARY,
                   **shim_environment(os.environ["SCIARA_LIBRARY"], work, root, plan, log)}
    counts = environment["SCIARA_SHIM_COUNT"]
    if os.path.exists(counts):
        os.remove(counts)
    with subprocess.Popen([*before, PROGRAM, *map(str, args)], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
                          preexec_fn=limit) as process:
        try:
            if after:
                after(process)
            out, err = process.communicate(timeout=PATIENCE)
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            code = None
    return Outcome(code, out, err, **read_counts(counts, code))
