# SPDX-License-Identifier: Apache-2.0
"""What the algorithms share: their group, the parameter with the path of the program, and how layers are loaded."""
from qgis.core import (QgsProcessingAlgorithm, QgsProcessingContext, QgsProcessingException, QgsProcessingParameterDefinition,
                       QgsProcessingParameterString)

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

    def load(self, layer, context):
        """Adds a layer to the project; its style is that of its file."""
        if not layer.isValid():
            raise QgsProcessingException(f"{layer.source()}: cannot be opened")
        context.temporaryLayerStore().addMapLayer(layer)
        context.addLayerToLoadOnCompletion(
            layer.id(), QgsProcessingContext.LayerDetails(layer.name(), context.project(), layer.name()))
        return layer.id()
