# SPDX-License-Identifier: Apache-2.0
"""Makes a scenario from a DEM and a layer of vents."""
import json
import os

from qgis.core import (QgsCoordinateTransform, QgsProcessing, QgsProcessingException, QgsProcessingParameterFeatureSource,
                       QgsProcessingParameterField, QgsProcessingParameterFile, QgsProcessingParameterFileDestination,
                       QgsProcessingParameterNumber, QgsProcessingParameterRasterLayer, QgsProcessingParameterString,
                       QgsWkbTypes)

from .common import Algorithm
from .sciara_run import execute


class NewScenario(Algorithm):
    NAME = "new_scenario"
    TITLE = "New scenario from a DEM and vents"
    HELP = ("Each point of the layer is a vent, each line a fissure. Effusion rates are constant (for all vents, or from a field "
            "of the layer, in m³/s for each), or from a CSV file. The scenario is checked before it is written. With dates in "
            "the CSV file the start of the run is needed.")

    def initAlgorithm(self, config=None):
        self.addParameter(QgsProcessingParameterRasterLayer("DEM", "Digital elevation model (a file)"))
        self.addParameter(QgsProcessingParameterFeatureSource(
            "VENTS", "Vents (points or lines)", [QgsProcessing.TypeVectorPoint, QgsProcessing.TypeVectorLine]))
        self.addParameter(QgsProcessingParameterNumber("RATE", "Effusion rate of each vent, m³/s",
                                                       QgsProcessingParameterNumber.Double, 5, minValue=0, maxValue=1e6))
        self.addParameter(QgsProcessingParameterField("RATE_FIELD", "or field with the rate of each vent", None, "VENTS",
                                                      QgsProcessingParameterField.Numeric, optional=True))
        self.addParameter(QgsProcessingParameterString("DURATION", "How long the vents emit (6 h, 3 d)", "1 d"))
        self.addParameter(QgsProcessingParameterFile("RATES", "or CSV file with the rates of each vent", optional=True))
        self.addParameter(QgsProcessingParameterField("NAME_FIELD", "Field with the names of the vents", None, "VENTS",
                                                      QgsProcessingParameterField.Any, optional=True))
        self.addParameter(QgsProcessingParameterString("START", "Start of the run, UTC (2006-07-14 or 2006-07-14T23:30:00Z)",
                                                       optional=True))
        self.addParameter(QgsProcessingParameterString("UNTIL", "End of the run (3 d; empty: when all lava is solid)",
                                                       optional=True))
        self.addParameter(QgsProcessingParameterString("EVERY", "Time between snapshots (6 h; empty: only the last state)",
                                                       optional=True))
        self.addParameter(QgsProcessingParameterString("TITLE", "Title", optional=True))
        self.addParameter(QgsProcessingParameterFileDestination("SCENARIO", "Scenario", "JSON (*.json)"))
        self.add_program()

    def processAlgorithm(self, parameters, context, feedback):
        program = self.program(parameters, context)
        path = self.parameterAsFileOutput(parameters, "SCENARIO", context)
        scenario = self.scenario(parameters, context)
        written = path + ".checked.json"
        try:
            with open(written, "x", encoding="utf-8") as f:
                json.dump(scenario, f, ensure_ascii=False, indent=2)
            for line in execute([program, "check", written, "--log-json"], feedback):
                feedback.pushInfo(line)
            os.replace(written, path)
        except FileExistsError as e:
            raise QgsProcessingException(f"{written}: already exists") from e
        except BaseException:
            if os.path.exists(written):
                os.remove(written)
            raise
        return {"SCENARIO": path}

    def scenario(self, parameters, context):
        """The keys that have no default, and those that are given."""
        text = {name: self.parameterAsString(parameters, name, context).strip() for name in
                ("START", "UNTIL", "EVERY", "TITLE")}
        run = {key: text[name] for key, name in (("start", "START"), ("until", "UNTIL")) if text[name]}
        dem, crs = self.dem(parameters, context)
        return {**({"title": text["TITLE"]} if text["TITLE"] else {}), "dem": {"path": dem},
                "vents": self.vents(parameters, context, crs), **({"run": run} if run else {}),
                **({"output": {"every": text["EVERY"]}} if text["EVERY"] else {})}

    def dem(self, parameters, context):
        """Path and CRS of the DEM, which must be a file."""
        layer = self.parameterAsRasterLayer(parameters, "DEM", context)
        path = os.path.abspath(layer.source()) if layer else ""
        if not os.path.isfile(path):
            raise QgsProcessingException("DEM: expected a layer that is a raster file, such as a GeoTIFF")
        return path, layer.crs()

    def vents(self, parameters, context, crs):
        source = self.parameterAsSource(parameters, "VENTS", context)
        if source is None:
            raise QgsProcessingException(self.invalidSourceError(parameters, "VENTS"))
        transform = QgsCoordinateTransform(source.sourceCrs(), crs, context.transformContext())
        names, rates = (self.parameterAsString(parameters, key, context) for key in ("NAME_FIELD", "RATE_FIELD"))
        found = []
        for feature in source.getFeatures():
            geometry = feature.geometry()
            if geometry.isEmpty():
                continue
            if source.sourceCrs().isValid() and crs.isValid():
                geometry.transform(transform)
            rate = feature[rates] if rates else self.parameterAsDouble(parameters, "RATE", context)
            for part in geometry.asGeometryCollection():
                name = {"name": str(feature[names])} if names and feature[names] else {}
                found.append({**name, **self.place(part), "effusion": self.effusion(parameters, context, rate)})
        if not found:
            raise QgsProcessingException("VENTS: expected at least one point or line, found none")
        return found

    def place(self, part):
        if part.type() == QgsWkbTypes.PointGeometry:
            return {"x": part.asPoint().x(), "y": part.asPoint().y()}
        return {"line": [[p.x(), p.y()] for p in part.asPolyline()]}

    def effusion(self, parameters, context, rate):
        path = self.parameterAsFile(parameters, "RATES", context)
        if path:
            return {"csv": os.path.abspath(path)}
        try:
            rates = [float(rate)]
        except (TypeError, ValueError) as e:
            raise QgsProcessingException(f"RATE_FIELD: expected a rate in m³/s for each vent, found \"{rate}\"") from e
        return {"slot": self.parameterAsString(parameters, "DURATION", context), "rates_m3_s": rates}
