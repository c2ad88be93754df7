#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does ThreadSanitizer see the library in threads of Python? Two threads step one run, past the lock of the Python layer,
which must be reported. The first report ends it, because what follows may be anything."""
import os
import sys
import threading

sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "python", "lib")
import setup
import case

import sciara
from sciara import _library

run = sciara.Run(setup.dem_array(), **setup.PLACE, vents=[{"rowcol": case.VENT, **setup.RATES}], threads=1,
                 engine="serial")

begin = threading.Barrier(2)


def step():
    begin.wait()
    for _ in range(100):
        _library.lib.sciara_step(run._handle, 20)  # long enough for the other thread to be in it too

threads = [threading.Thread(target=step) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("step", run.step)
