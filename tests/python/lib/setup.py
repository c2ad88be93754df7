# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share: the package of this tree, and scenes of the tests of the command line."""
import os
import signal
import subprocess
import sys
import warnings

sys.dont_write_bytecode = True
os.environ.pop("SCIARA_SERVER", None)  # the few command lines of these tests start the program itself
SOURCE = os.environ.get("SCIARA_SOURCE_DIR") or os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
PACKAGE = os.path.join(SOURCE, "python")
sys.path[:0] = [PACKAGE, os.path.join(SOURCE, "tests", "cli", "lib")]
warnings.filterwarnings("ignore", message="numpy.ndarray size changed")  # harmless, says NumPy


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)

if os.environ.get("SCIARA_SANITIZE"):
    skip("Python is not built with the sanitizer")
if not os.path.exists(os.environ.get("SCIARA_LIBRARY", "")):
    skip("no shared library: SCIARA_LIBRARY is not the path of one")
for module in ("cffi", "numpy", "xarray"):
    try:
        __import__(module)
    except ImportError:
        skip(f"python3-{module} is not installed (tools/setup --tests)")

import numpy  # noqa: E402

import case  # noqa: E402

VENT_XY = (case.WEST + (case.VENT[1] + 0.5) * case.CELL, case.NORTH - (case.VENT[0] + 0.5) * case.CELL)
RATES = {"times": [0, "10 min", "20 min"], "rates": [4, 6]}  # as in case.scenario
PLACE = {"cell_size": case.CELL, "west": case.WEST, "north": case.NORTH, "crs": "EPSG:32633"}


def dem_array():
    """The DEM of case.write_dem, with NaN outside."""
    return numpy.array([[numpy.nan if case.is_sea(row, col) else case.altitude(row, col) for col in range(case.COLS)]
                        for row in range(case.ROWS)])


def run_python(script, env=None, code=0, timeout=120):
    """Standard output and error of a script in a process of its own."""
    done = subprocess.run([sys.executable, "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=timeout,
                          env={**os.environ, "PYTHONPATH": PACKAGE, "PYTHONDONTWRITEBYTECODE": "1", **(env or {})})
    text = done.stdout.decode("utf-8")  # "\\r" stays
    if done.returncode != code:
        raise AssertionError(f"expected exit code {code}, found {done.returncode}:\n{text}")
    return text


def interrupt_after(seconds):
    """Ctrl-C, sent to this process."""
    signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, seconds)
