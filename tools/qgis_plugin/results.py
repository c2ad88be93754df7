# SPDX-License-Identifier: Apache-2.0
"""Loads the results of a run: maps of its last state with their styles, vents and barriers, all snapshots on the time slider."""
import os

from qgis.core import (QgsMeshLayer, QgsProcessingException, QgsProcessingOutputMultipleLayers,
                       QgsProcessingParameterEnum, QgsProcessingParameterFile, QgsRasterLayer, QgsVectorLayer)

from .common import Algorithm
from .sciara_run import execute, fields_of, find_program


class LoadResults(Algorithm):
    NAME = "results"
    TITLE = "Load the results of a run"
    HELP = ("Maps of the last state with their styles (those that do not exist yet are made), vents, fissures and edits of the "
            "ground with their names, and, if the run has several snapshots, all of them as one layer with time, for the temporal "
            "controller.")

    def initAlgorithm(self, config=None):
        try:
            fields = fields_of(find_program(""))
        except QgsProcessingException:
            fields = ["deposit"]
        self.addParameter(QgsProcessingParameterFile("FOLDER", "Folder of the run", QgsProcessingParameterFile.Folder))
        self.addParameter(QgsProcessingParameterEnum("FIELDS", "Maps", fields, allowMultiple=True, defaultValue=["deposit"],
                                                     usesStaticStrings=True))
        self.add_program()
        self.addOutput(QgsProcessingOutputMultipleLayers("LAYERS", "Layers"))

    def processAlgorithm(self, parameters, context, feedback):
        program = self.program(parameters, context)
        folder = self.parameterAsFile(parameters, "FOLDER", context)
        layers = [self.load(QgsRasterLayer(self.map_of(program, folder, field, feedback), field), context)
                  for field in self.parameterAsEnumStrings(parameters, "FIELDS", context)]
        layers += [self.load(layer, context) for layer in self.marks_of(program, folder, feedback)]
        # A series must name only snapshots in its folder before a library that follows its links opens it.
        execute([program, "info", folder, "--log-json"], feedback)
        series = os.path.join(folder, "series.nc")
        if os.path.exists(series):
            mesh = QgsMeshLayer(series, "snapshots", "mdal")
            if mesh.isValid() and mesh.dataProvider().temporalCapabilities().hasTemporalCapabilities():
                mesh.temporalProperties().setIsActive(True)
                layers.append(self.load(mesh, context))
        return {"LAYERS": layers}

    def map_of(self, program, folder, field, feedback):
        path = os.path.join(folder, "maps", f"{field}.tif")
        if not os.path.exists(path):
            execute([program, "export", folder, "--format", "cog", "--field", field, "--output", path, "--log-json"], feedback)
        return path

    def marks_of(self, program, folder, feedback):
        """Layers of the run's polygons, those that there are."""
        found = [path for path in (os.path.join(folder, "maps", f"{field}.gpkg") for field in ("deposit", "thickness")) if os.path.exists(path)]
        path = found[0] if found else execute([program, "export", folder, "--format", "gpkg", "--log-json"], feedback)[-1]
        layers = [QgsVectorLayer(f"{path}|layername={name}", name, "ogr") for name in ("edits", "fissures", "vents")]
        return [layer for layer in layers if layer.isValid()]
