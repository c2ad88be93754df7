# SPDX-License-Identifier: Apache-2.0
"""Registers the algorithms with Processing."""
import os

from qgis.core import QgsApplication, QgsProcessingProvider
from qgis.PyQt.QtGui import QIcon

from .check import CheckScenario
from .ensemble import LoadEnsemble, RunEnsemble
from .exposure import Exposure
from .new_scenario import NewScenario
from .results import LoadResults
from .sciara_run import RunScenario


class Provider(QgsProcessingProvider):
    def id(self):
        return "sciara"

    def name(self):
        return "SCIARA lava flows"

    def icon(self):
        return QIcon(os.path.join(os.path.dirname(__file__), "icon.svg"))

    def loadAlgorithms(self):
        for algorithm in (NewScenario, CheckScenario, RunScenario, LoadResults, RunEnsemble, LoadEnsemble, Exposure):
            self.addAlgorithm(algorithm())


class Plugin:
    """What QGIS loads; Processing without a window calls initProcessing alone."""

    def __init__(self):
        self.provider = None

    def initProcessing(self):
        self.provider = Provider()
        QgsApplication.processingRegistry().addProvider(self.provider)

    def initGui(self):
        self.initProcessing()

    def unload(self):
        if self.provider:
            QgsApplication.processingRegistry().removeProvider(self.provider)
            self.provider = None
