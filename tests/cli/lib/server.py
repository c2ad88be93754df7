# SPDX-License-Identifier: Apache-2.0
"""Command lines in forks of a program that was started once (tests/cli/lib/server.c)."""
import atexit
import os
import signal
import socket
import subprocess

PATH = os.environ.get("SCIARA_SERVER", "")  # unset: this build has no server
MOST_BYTES, MOST_WORDS = 1 << 16, 256
# Large pages, and memory that a process keeps: on a virtual machine page faults take up to a half of the time of short commands. A
# large page needs its whole range at once, so the heap grows by many. Tests that limit or measure memory start processes of their own.
PAGES = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:glibc.malloc.mmap_threshold=268435456:glibc.malloc.trim_threshold=268435456"


class Server:
    """A process that forks for each command line, with an environment of its own."""

    def __init__(self, **environment):
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen([PATH, str(theirs.fileno())], pass_fds=[theirs.fileno()],
                                             stdin=subprocess.DEVNULL, start_new_session=True,
                                             env={**os.environ, "LD_BIND_NOW": "1", "GLIBC_TUNABLES": PAGES, **environment})
        atexit.register(self._process.wait)
        atexit.register(self._ours.close)  # called first: it ends the process

    def run(self, command, cwd, assignments=(), patience=None, text=b""):
        """Exit code (that of subprocess), standard output and standard error as bytes.

        assignments: "NAME=VALUE", for the environment of this command. patience: s; TimeoutError after that time, and
        then the server is gone. text: standard input.
        """
        request = b"".join(os.fsencode(word) + b"\0" for word in [*assignments, "", cwd, *command])
        with open(os.memfd_create("stdout"), "r+b") as out, open(os.memfd_create("stderr"), "r+b") as err, \
                open(os.memfd_create("stdin"), "r+b", buffering=0) as given:
            given.write(text)
            given.seek(0)
            socket.send_fds(self._ours, [request], [file.fileno() for file in (out, err, given)[:3 if text else 2]])
            self._ours.settimeout(patience)
            try:
                reply = self._ours.recv(4)
            except TimeoutError:
                os.killpg(self._process.pid, signal.SIGKILL)
                raise
            if len(reply) != 4:
                raise OSError("sciara_server ended")
            for file in (out, err):
                file.seek(0)
            return os.waitstatus_to_exitcode(int.from_bytes(reply, "little")), out.read(), err.read()


_server = None


def can_run(command, options):
    """Whether the command line can run without a process of its own; `options` are those of subprocess.run."""
    env = options.get("env")
    text = "".join(f"{word}\0" for word in command)
    return bool(PATH) and not set(options) - {"env", "timeout", "input"} and (env is None or env == dict(os.environ)) \
        and len(text.encode("utf-8", "surrogateescape")) < MOST_BYTES // 2 and len(command) < MOST_WORDS \
        and not any("\0" in word for word in command)


def run(command, cwd, timeout=None, text=b""):
    """As Server.run, in one server for all; subprocess.TimeoutExpired after `timeout` seconds."""
    global _server
    if _server is None:
        _server = Server()
    try:
        return _server.run(command, cwd, patience=timeout, text=text)
    except TimeoutError as error:
        _server = None
        raise subprocess.TimeoutExpired(command, timeout) from error
