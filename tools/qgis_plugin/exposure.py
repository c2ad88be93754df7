# SPDX-License-Identifier: Apache-2.0
"""Says when lava reaches the places of a layer, and loads them with their styles."""
from qgis.core import (QgsProcessing, QgsProcessingOutputMultipleLayers, QgsProcessingOutputString, QgsProcessingParameterBoolean,
                       QgsProcessingParameterFeatureSource, QgsProcessingParameterField, QgsProcessingParameterFile,
                       QgsProcessingParameterString, QgsVectorLayer)

from .common import Algorithm
from .sciara_run import execute


class Exposure(Algorithm):
    NAME = "exposure"
    TITLE = "Exposure of places"
    HELP = ("When lava reaches roads, houses and zones, and how much of them it covers; of an ensemble with which probability. "
            "Writes exposure.csv and exposure.gpkg into the folder, and loads the places with their styles.")

    def initAlgorithm(self, config=None):
        self.addParameter(QgsProcessingParameterFile("FOLDER", "Folder of the run or ensemble", QgsProcessingParameterFile.Folder))
        self.addParameter(QgsProcessingParameterFeatureSource("ASSETS", "Places (points, lines or polygons)",
                                                              [QgsProcessing.TypeVectorAnyGeometry]))
        self.addParameter(QgsProcessingParameterField("NAME_FIELD", "Field with the names (empty: name, nome, nom, nombre, nafn, label or id)", None, "ASSETS",
                                                      QgsProcessingParameterField.Any, optional=True))
        self.addParameter(QgsProcessingParameterString("WITHIN", "Times by which what a run covers is reported (6 h,1 d)",
                                                       optional=True))
        self.addParameter(QgsProcessingParameterBoolean("OVERWRITE", "Replace exposure.csv and exposure.gpkg", False))
        self.add_program()
        self.addOutput(QgsProcessingOutputMultipleLayers("LAYERS", "Layers"))
        self.addOutput(QgsProcessingOutputString("REPORT", "Report"))

    def processAlgorithm(self, parameters, context, feedback):
        # A copy has what the layer shows: its filter, the selection, the CRS that it was given.
        assets = self.parameterAsCompatibleSourceLayerPath(parameters, "ASSETS", context, [], "gpkg", feedback)
        words = [self.program(parameters, context), "exposure", self.parameterAsFile(parameters, "FOLDER", context),
                 "--assets", assets, "--log-json"]
        for option, name in (("--names", "NAME_FIELD"), ("--within", "WITHIN")):
            given = self.parameterAsString(parameters, name, context).strip()
            if given:
                words += [option, given]
        if self.parameterAsBool(parameters, "OVERWRITE", context):
            words.append("--overwrite")
        report = execute(words, feedback)
        for line in report:
            feedback.pushInfo(line)
        layers = [QgsVectorLayer(f"{line}|layername={kind}", f"exposure {kind}", "ogr")
                  for line in report if line.endswith("exposure.gpkg") for kind in ("zones", "lines", "points")]
        return {"LAYERS": [self.load(layer, context) for layer in layers if layer.isValid()], "REPORT": "\n".join(report)}
