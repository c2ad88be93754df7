# SPDX-License-Identifier: Apache-2.0
"""Makes a scenario from a DEM and a layer of vents."""
import json
import os

from qgis.core import (QgsCoordinateTransform, QgsProcessing, QgsProcessingException, QgsProcessingParameterCrs,
                       QgsProcessingParameterFeatureSource, QgsProcessingParameterField, QgsProcessingParameterFile,
                       QgsProcessingParameterFileDestination,
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
        self.addParameter(QgsProcessingParameterCrs("CRS", "Metric CRS to warp it to (empty: its own; a DEM in degrees needs one)",
                                                    optional=True))
        self.addParameter(QgsProcessingParameterNumber("CELL", "Side of the cells to resample to, m (0: those of the DEM)",
                                                       QgsProcessingParameterNumber.Double, 0, minValue=0, maxValue=1e6))
        self.addParameter(QgsProcessingParameterString("SEA", "Sea: a level in m, nodata, or a file of polygons (empty: none)",
                                                       optional=True))
        self.addParameter(QgsProcessingParameterFeatureSource(
            "BARRIERS", "Barriers (lines, or polygons that are raised)", [QgsProcessing.TypeVectorLine, QgsProcessing.TypeVectorPolygon],
            optional=True))
        self.addParameter(QgsProcessingParameterNumber("BARRIER_HEIGHT", "Height of the barriers, m",
                                                       QgsProcessingParameterNumber.Double, 5, minValue=0.01, maxValue=1e4))
        self.addParameter(QgsProcessingParameterNumber("BARRIER_WIDTH", "Width of barriers that are lines, m",
                                                       QgsProcessingParameterNumber.Double, 10, minValue=0.01, maxValue=1e5))
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
        return {**({"title": text["TITLE"]} if text["TITLE"] else {}), "dem": dem,
                "vents": self.vents(parameters, context, crs), **({"run": run} if run else {}),
                **({"output": {"every": text["EVERY"]}} if text["EVERY"] else {})}

    def dem(self, parameters, context):
        """The key "dem", and the CRS of the run. The DEM must be a file."""
        layer = self.parameterAsRasterLayer(parameters, "DEM", context)
        path = os.path.abspath(layer.source()) if layer else ""
        if not os.path.isfile(path):
            raise QgsProcessingException("DEM: expected a layer that is a raster file, such as a GeoTIFF")
        crs = self.parameterAsCrs(parameters, "CRS", context)
        cell, sea = self.parameterAsDouble(parameters, "CELL", context), self.parameterAsString(parameters, "SEA", context).strip()
        dem = {"path": path}
        if crs.isValid():
            dem["crs"] = crs.authid() or crs.toWkt()
        if cell > 0:
            dem["cell_size_m"] = cell
        if sea:
            dem["sea"] = self.sea(sea)
        edits = self.barriers(parameters, context, crs if crs.isValid() else layer.crs())
        if edits:
            dem["edits"] = edits
        return dem, crs if crs.isValid() else layer.crs()

    def sea(self, text):
        if text == "nodata":
            return text
        try:
            return float(text)
        except ValueError:
            return os.path.abspath(text)

    def features(self, source, crs, context):
        """The features that have a geometry, in this CRS."""
        transform = QgsCoordinateTransform(source.sourceCrs(), crs, context.transformContext())
        for feature in source.getFeatures():
            geometry = feature.geometry()
            if geometry.isEmpty():
                continue
            if source.sourceCrs().isValid() and crs.isValid():
                geometry.transform(transform)
            yield feature, geometry

    def barriers(self, parameters, context, crs):
        """The key "dem.edits"."""
        source = self.parameterAsSource(parameters, "BARRIERS", context)
        height, width = (self.parameterAsDouble(parameters, f"BARRIER_{what}", context) for what in ("HEIGHT", "WIDTH"))
        found = []
        for _, geometry in self.features(source, crs, context) if source else ():
            for part in geometry.asGeometryCollection():
                if part.type() == QgsWkbTypes.LineGeometry:
                    found.append({"line": [[p.x(), p.y()] for p in part.asPolyline()], "width_m": width, "height_m": height})
                else:
                    found.append({"polygon": [[p.x(), p.y()] for p in part.asPolygon()[0]], "raise_m": height})
        return found

    def vents(self, parameters, context, crs):
        source = self.parameterAsSource(parameters, "VENTS", context)
        if source is None:
            raise QgsProcessingException(self.invalidSourceError(parameters, "VENTS"))
        names, rates = (self.parameterAsString(parameters, key, context) for key in ("NAME_FIELD", "RATE_FIELD"))
        found = []
        for feature, geometry in self.features(source, crs, context):
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
