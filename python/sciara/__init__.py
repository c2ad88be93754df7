# SPDX-License-Identifier: Apache-2.0
"""sciara: lava flows on digital elevation models, with the cellular automaton SCIARA.

    import sciara
    run = sciara.open("etna.json", {"run.until": "2 d"})
    run.advance(hours=6)
    run.thickness.plot()

Units are SI; times are simulated seconds since the start of the run; durations are seconds or text such as "6 h".
Fields are arrays of rows x cols, the northern row first.
"""
from . import ensemble
from ._dem import Grid
from ._errors import (DeviceError, FileError, InputError, InternalError, NumericError, OutOfMemory, SciaraError,
                      UsageError)
from ._evaluate import Evaluator, Observed, evaluate
from ._process import Engine, engines, log
from ._run import (Asset, Ledger, Progress, Run, Score, VentInfo, expose, open,  # pylint: disable=redefined-builtin
                   open_checkpoint, open_run, score)
from ._scenario import Scenario, Site, Vent
from ._version import __version__
from .accessor import LavaAccessor
from .bmi import Bmi

__all__ = ["Asset", "Bmi", "DeviceError", "Engine", "Evaluator", "FileError", "Grid", "InputError", "InternalError", "LavaAccessor",
           "Ledger", "NumericError", "Observed", "OutOfMemory", "Progress", "Run", "Scenario", "SciaraError", "Score", "Site",
           "UsageError", "Vent", "VentInfo", "__version__", "engines", "ensemble", "evaluate", "expose", "log", "open", "open_checkpoint",
           "open_run", "score"]
