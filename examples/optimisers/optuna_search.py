# SPDX-License-Identifier: Apache-2.0
"""Optuna (3.1): as many trials as a generation has. In the folder of mapped.tif (docs/calibration.md)."""
import optuna

from scores import Scores

BOUNDS = {"model.critical_height_vent_m": (0.3, 3), "model.dissipation_vent": (0.1, 0.6)}
# The default sampler proposes one trial at a time; constant_liar keeps those of a generation apart.
optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1, constant_liar=True))

with Scores("config/volcano.json", "--observed", "mapped.tif") as scores:
    for generation in range(10):
        trials = [study.ask() for _ in range(8)]
        sets = [{key: trial.suggest_float(key, *bounds) for key, bounds in BOUNDS.items()} for trial in trials]
        for trial, result in zip(trials, scores.of([{**values, "run.max_steps": 300} for values in sets])):
            if result["status"] == "ok":
                study.tell(trial, result["jaccard"])
            else:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
print(study.best_params, study.best_value)
assert study.best_value > 0.94 and abs(study.best_params["model.critical_height_vent_m"] - 1.014) < 0.2
