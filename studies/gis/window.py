# SPDX-License-Identifier: Apache-2.0
"""Runs inside QGIS (qgis --code): a run as it looks in its window, as a picture. studies/gis-figures starts it.

In the environment: GIS_RUN the run folder, GIS_SHOW what to show (raster or mesh), GIS_PICTURE the file to write."""
import os
import sys
import traceback

from osgeo import gdal
from qgis.core import (QgsBilinearRasterResampler, QgsColorRampShader, QgsDateTimeRange, QgsFillSymbol,
                       QgsInterval, QgsMeshDatasetIndex, QgsMeshLayer, QgsProject, QgsRasterLayer,
                       QgsSingleSymbolRenderer, QgsTemporalNavigationObject, QgsUnitTypes, QgsVectorLayer)
from qgis.PyQt.QtCore import QTimer, Qt
from qgis.PyQt.QtGui import QColor
from qgis.PyQt.QtWidgets import QDockWidget
from qgis.utils import iface

RUN, SHOW, PICTURE = (os.environ["GIS_" + name] for name in ("RUN", "SHOW", "PICTURE"))
REST_MS, LEAST_CHECKS, MOST_CHECKS = 500, 6, 120  # how often it is checked whether everything is drawn


def add(layer):
    if not layer.isValid():
        raise RuntimeError(f"{layer.source()}: QGIS does not open it")
    return QgsProject.instance().addMapLayer(layer)


def ground():
    """The terrain of the run, shaded as by Raster, Analysis, Hillshade."""
    shade = os.path.join(RUN, "shade.tif")
    gdal.DEMProcessing(shade, os.path.join(RUN, "dem.tif"), "hillshade", zFactor=0.7)
    layer = add(QgsRasterLayer(shade, "terrain"))
    layer.resampleFilter().setZoomedInResampler(QgsBilinearRasterResampler())
    tree = QgsProject.instance().layerTreeRoot().findLayer(layer)
    tree.setExpanded(False)


def raster():
    """A map with its style, and the outline as a polygon."""
    ground()
    lava = add(QgsRasterLayer(os.path.join(RUN, "maps", "deposit.tif"), "deposit"))
    outline = add(QgsVectorLayer(os.path.join(RUN, "maps", "deposit.gpkg") + "|layername=outline", "outline"))
    outline.setRenderer(QgsSingleSymbolRenderer(QgsFillSymbol.createSimple(
        {"style": "no", "outline_color": "black", "outline_width": "0.3"})))
    iface.setActiveLayer(lava)
    return outline.extent()


def colour(layer, group):
    """The colours of the map styles, and none where there is no lava."""
    settings = layer.rendererSettings()
    settings.setActiveScalarDatasetGroup(group)
    scalar = settings.scalarSettings(group)
    top = layer.datasetGroupMetadata(QgsMeshDatasetIndex(group, 0)).maximum()
    stops = [(0, "#00ffeda0"), (0.01, "#ffffeda0"), (0.25 * top, "#fffeb24c"), (0.5 * top, "#fff03b20"),
             (0.75 * top, "#ffb10026"), (top, "#ff540030")]
    shader = QgsColorRampShader(0, top)
    shader.setColorRampItemList([QgsColorRampShader.ColorRampItem(v, QColor(c), f"{v:.2f}") for v, c in stops])
    scalar.setColorRampShader(shader)
    scalar.setClassificationMinimumMaximum(0, top)
    settings.setScalarSettings(group, scalar)
    layer.setRendererSettings(settings)


def mesh():
    """All snapshots as a mesh layer with the temporal controller, eight hours after the start."""
    ground()
    layer = add(QgsMeshLayer(os.path.join(RUN, "series.nc"), "series", "mdal"))
    deposit = next(g for g in layer.datasetGroupsIndexes()
                   if "liquid and solidified" in layer.datasetGroupMetadata(QgsMeshDatasetIndex(g, 0)).name())
    colour(layer, deposit)
    iface.setActiveLayer(layer)
    iface.mainWindow().findChild(QDockWidget, "Temporal Controller").show()
    start = layer.temporalProperties().referenceTime()
    time = iface.mapCanvas().temporalController()
    time.setTemporalExtents(QgsDateTimeRange(start, start.addSecs(24 * 3600)))
    time.setFrameDuration(QgsInterval(1, QgsUnitTypes.TemporalHours))
    time.setNavigationMode(QgsTemporalNavigationObject.Animated)
    time.setCurrentFrameNumber(8)
    return QgsVectorLayer(os.path.join(RUN, "maps", "deposit.gpkg") + "|layername=outline", "outline").extent()


def arrange(extent):
    """Only layers and map, with the lava in the middle."""
    window = iface.mainWindow()
    window.setGeometry(0, 0, 1200, 800)
    for dock in window.findChildren(QDockWidget):
        if dock.objectName() == "Temporal Controller":
            window.resizeDocks([dock], [90], Qt.Vertical)
        elif dock.objectName() == "Layers":
            window.resizeDocks([dock], [330], Qt.Horizontal)
        else:
            dock.hide()
    iface.messageBar().clearWidgets()
    extent.scale(1.7)
    iface.mapCanvas().setExtent(extent)
    iface.mapCanvas().refresh()


def finish(looks=0):
    if looks < LEAST_CHECKS or (iface.mapCanvas().isDrawing() and looks < MOST_CHECKS):
        QTimer.singleShot(REST_MS, lambda: finish(looks + 1))
        return
    good = iface.mainWindow().grab().save(PICTURE)
    os._exit(0 if good else 1)  # without the question whether to save the project


def careful(what):
    """QGIS would show an exception in a window and wait."""
    try:
        what()
    except Exception:  # pylint: disable=broad-except
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)


def begin():
    extent = {"raster": raster, "mesh": mesh}[SHOW]()
    # After QGIS has zoomed to the first layer.
    QTimer.singleShot(2000, lambda: careful(lambda: (arrange(extent), finish())))


QTimer.singleShot(1000, lambda: careful(begin))
