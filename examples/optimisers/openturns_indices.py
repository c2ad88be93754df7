# SPDX-License-Identifier: Apache-2.0
"""OpenTURNS (1.20): designs and estimators of Sobol' indices. In the folder of mapped.tif (docs/calibration.md)."""
import openturns

from scores import Scores

KEYS = ["model.critical_height_vent_m", "model.dissipation_vent"]
openturns.RandomGenerator.SetSeed(1)
inputs = openturns.ComposedDistribution([openturns.LogUniform(-1.2, 1.1), openturns.Uniform(0.1, 0.6)])

with Scores("config/volcano.json", "--observed", "mapped.tif") as scores:
    def jaccard(sample):
        sets = [{**dict(zip(KEYS, map(float, point))), "run.max_steps": 300} for point in sample]
        return [[result["jaccard"] or 0] for result in scores.of(sets)]

    # A function of a whole sample hands over all points at once; every algorithm of OpenTURNS takes it.
    function = openturns.PythonFunction(len(KEYS), 1, func_sample=jaccard)
    design = openturns.SobolIndicesExperiment(inputs, 32).generate()
    indices = openturns.JansenSensitivityAlgorithm(design, function(design), 32)
for key, first, total in zip(KEYS, indices.getFirstOrderIndices(), indices.getTotalOrderIndices()):
    print(f"{key}: first order {first:.2f}, total {total:.2f}")
assert indices.getTotalOrderIndices()[0] > 0.8 > 0.2 > indices.getTotalOrderIndices()[1]
