# SPDX-License-Identifier: Apache-2.0
"""Checks a scenario, and shows what its run will be."""
from qgis.core import QgsProcessingOutputString, QgsProcessingParameterFile

from .common import Algorithm
from .sciara_run import execute


class CheckScenario(Algorithm):
    NAME = "check"
    TITLE = "Check a scenario"
    HELP = ("Reports every problem of a scenario, or what its run will be: grid, vents with their volumes, memory, end, outputs "
            "and their size. Writes nothing.")

    def initAlgorithm(self, config=None):
        self.addParameter(QgsProcessingParameterFile("SCENARIO", "Scenario", extension="json"))
        self.add_program()
        self.addOutput(QgsProcessingOutputString("REPORT", "Report"))

    def processAlgorithm(self, parameters, context, feedback):
        words = [self.program(parameters, context), "check", self.parameterAsFile(parameters, "SCENARIO", context),
                 "--log-json"]
        report = execute(words, feedback)
        for line in report:
            feedback.pushInfo(line)
        return {"REPORT": "\n".join(report)}
