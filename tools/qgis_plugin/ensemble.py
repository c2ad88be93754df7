# SPDX-License-Identifier: Apache-2.0
"""Computes an ensemble, and loads its maps with their styles."""
import os

from qgis.core import (QgsProcessingException, QgsProcessingOutputMultipleLayers, QgsProcessingParameterFile,
                       QgsProcessingParameterFolderDestination, QgsRasterLayer, QgsVectorLayer)

from .common import Algorithm
from .sciara_run import execute

PARTS = ("_low", "_high", "_error")


def maps_of(folder):
    """The maps without their bounds and errors, those of probabilities first."""
    names = [name[:-4] for name in os.listdir(os.path.join(folder, "maps")) if name.endswith(".tif")]
    shown = [name for name in names if not name.endswith(PARTS) and name.startswith(("probability_", "reached_within_", "arrival_q"))]
    return sorted(shown, key=lambda name: (not name.startswith("probability_"), name))


class LoadEnsemble(Algorithm):
    NAME = "ensemble_results"
    TITLE = "Load the results of an ensemble"
    HELP = ("Maps of probabilities and of arrival times with their styles, the vents with the weight of their members, the sites "
            "coloured by probability, and the outlines of probabilities, from a folder in which 'sciara ensemble reduce' has made them.")

    def initAlgorithm(self, config=None):
        self.addParameter(QgsProcessingParameterFile("FOLDER", "Folder of the ensemble", QgsProcessingParameterFile.Folder))
        self.addOutput(QgsProcessingOutputMultipleLayers("LAYERS", "Layers"))

    def processAlgorithm(self, parameters, context, feedback):
        return {"LAYERS": self.load_all(self.parameterAsFile(parameters, "FOLDER", context), context)}

    def load_all(self, folder, context):
        if not os.path.isdir(os.path.join(folder, "maps")):
            raise QgsProcessingException(f"{folder}: has no maps; 'sciara ensemble reduce' makes them")
        layers = [QgsRasterLayer(os.path.join(folder, "maps", f"{name}.tif"), name) for name in maps_of(folder)]
        for file, layer in (("outlines.gpkg", "probability_0m"), ("vents.gpkg", "vents"), ("sites.gpkg", "zones"),
                            ("sites.gpkg", "lines"), ("sites.gpkg", "points")):
            path = os.path.join(folder, file)
            if os.path.exists(path):
                layers.append(QgsVectorLayer(f"{path}|layername={layer}", f"{layer} ({file})", "ogr"))
        return [self.load(layer, context) for layer in layers if layer.isValid()]


class RunEnsemble(LoadEnsemble):
    NAME = "ensemble_run"
    TITLE = "Compute an ensemble"
    HELP = "Plans an ensemble file, computes its members, makes the maps and loads them. A cancelled ensemble continues when it is run again."

    def initAlgorithm(self, config=None):
        self.addParameter(QgsProcessingParameterFile("FILE", "Ensemble file", extension="json"))
        self.addParameter(QgsProcessingParameterFolderDestination("FOLDER", "Folder of the ensemble"))
        self.add_program()
        self.addOutput(QgsProcessingOutputMultipleLayers("LAYERS", "Layers"))

    def processAlgorithm(self, parameters, context, feedback):
        folder = self.parameterAsString(parameters, "FOLDER", context)
        execute([self.program(parameters, context), "ensemble", "run", self.parameterAsFile(parameters, "FILE", context), "--output",
                 folder, "--log-json", "--progress-every", "1", "--no-estimate"], feedback)
        return {"FOLDER": folder, "LAYERS": self.load_all(folder, context)}
