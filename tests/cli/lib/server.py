# SPDX-License-Identifier: Apache-2.0
"""Command lines in forks of a program that was started once (tests/cli/lib/server.c)."""
import atexit
import os
import socket
import subprocess

PATH = os.environ.get("SCIARA_SERVER", "")  # unset: this build has no server
MOST_BYTES, MOST_WORDS = 1 << 16, 256
_ours = None


def _start():
    global _ours
    _ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen([PATH, str(theirs.fileno())], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                                   env={**os.environ, "LD_BIND_NOW": "1"})
    atexit.register(process.wait)
    atexit.register(_ours.close)  # called first: it ends the process


def can_run(command, options):
    """Whether the command line can run without a process of its own."""
    env = options.get("env")
    text = "".join(f"{word}\0" for word in command)
    return bool(PATH) and not set(options) - {"env"} and (env is None or env == dict(os.environ)) \
        and len(text.encode("utf-8", "surrogateescape")) < MOST_BYTES // 2 and len(command) < MOST_WORDS \
        and not any("\0" in word for word in command)


def run(command, cwd):
    """Exit code (that of subprocess), standard output and standard error as bytes."""
    if _ours is None:
        _start()
    request = b"".join(os.fsencode(word) + b"\0" for word in [cwd, *command])
    with open(os.memfd_create("stdout"), "r+b") as out, open(os.memfd_create("stderr"), "r+b") as err:
        socket.send_fds(_ours, [request], [out.fileno(), err.fileno()])
        reply = _ours.recv(4)
        if len(reply) != 4:
            raise OSError("sciara_server ended")
        for file in (out, err):
            file.seek(0)
        return os.waitstatus_to_exitcode(int.from_bytes(reply, "little")), out.read(), err.read()
