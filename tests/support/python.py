# SPDX-License-Identifier: Apache-2.0
"""Runs scripts for test programs (support/python.h). A request is a line "BYTES FOLDER" and the script; the reply is a line
with 0, or 1 after an exception. Each script runs in a separate process, which starts with the modules imported here."""
import os
import sys
import traceback

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a process with threads cannot be forked safely
import h5py
import numpy
import xarray

assert h5py and numpy and xarray
REPLIES = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def run(folder, script):
    os.chdir(folder)
    try:
        exec(compile(script, "script", "exec"), {"__name__": "__main__", "__file__": os.path.join(folder, "check.py")})
    except BaseException:
        traceback.print_exc()
        return 1
    return 0

while True:
    request = sys.stdin.buffer.readline()
    if not request:
        break
    count, place = request.decode().rstrip("\n").split(" ", 1)
    text = sys.stdin.buffer.read(int(count)).decode()
    child = os.fork()
    if child == 0:
        status = run(place, text)
        sys.stdout.flush()
        os._exit(status)
    REPLIES.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
    REPLIES.flush()
