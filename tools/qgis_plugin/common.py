# SPDX-License-Identifier: Apache-2.0
"""What the algorithms share: their group, and the parameter with the path of the program."""
from qgis.core import QgsProcessingAlgorithm, QgsProcessingParameterDefinition, QgsProcessingParameterString

from .sciara_run import find_program


class Algorithm(QgsProcessingAlgorithm):
    """An algorithm with the parameter PROGRAM. NAME, TITLE and HELP are its texts."""

    NAME = TITLE = HELP = ""

    def name(self):
        return self.NAME

    def displayName(self):
        return self.TITLE

    def group(self):
        return "Lava flows"

    def groupId(self):
        return "lava_flows"

    def shortHelpString(self):
        return self.HELP

    def createInstance(self):
        return type(self)()

    def add_program(self):
        given = QgsProcessingParameterString("PROGRAM", "Program (empty: sciara on PATH)", optional=True)
        given.setFlags(given.flags() | QgsProcessingParameterDefinition.FlagAdvanced)
        self.addParameter(given)

    def program(self, parameters, context):
        return find_program(self.parameterAsString(parameters, "PROGRAM", context))
