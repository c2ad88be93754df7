# SPDX-License-Identifier: Apache-2.0
"""A Processing script for QGIS: runs a SCIARA scenario and loads the maps that it makes, with their styles.

To install it: Processing toolbox, Python button, "Add Script to Toolbox". Without a window:
    qgis_process run script:sciara_run -- SCENARIO=volcano.json FOLDER=volcano.out"""
import json
import os
import queue
import re
import shutil
import subprocess
import threading

from qgis.core import (QgsProcessingAlgorithm, QgsProcessingContext, QgsProcessingException,
                       QgsProcessingOutputMultipleLayers, QgsProcessingOutputString, QgsProcessingParameterBoolean,
                       QgsProcessingParameterDefinition, QgsProcessingParameterEnum, QgsProcessingParameterFile,
                       QgsProcessingParameterFolderDestination, QgsProcessingParameterNumber,
                       QgsProcessingParameterString, QgsRasterLayer)

POLL_SECONDS = 0.2


def find_program(given):
    """The program: the given one, or from SCIARA_PROGRAM, or on PATH."""
    program = given or os.environ.get("SCIARA_PROGRAM") or "sciara"
    found = shutil.which(program)
    if not found:
        raise QgsProcessingException(f'"{program}" is not to be found: install sciara, or give the path of the program')
    return found


def start_program(words):
    """Without a window, and without the settings of QGIS for its own Python."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONHOME", "PYTHONPATH")}
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            encoding="utf-8", errors="replace", env=environment)


def report_line(line, feedback):
    """One line of --log-json: a message, or the progress of the run."""
    try:
        said = json.loads(line)
    except ValueError:
        feedback.pushInfo(line.rstrip("\n"))
        return None
    if "progress" in said:
        done = said["progress"]  # of a run, or of an ensemble
        feedback.setProgress(100 * done["share"] if "share" in done else 100 * done["finished"] / max(done["members"], 1))
        feedback.setProgressText(said["message"])
    elif said["level"] == "error":
        feedback.reportError(said["message"])
        return said["message"]
    elif said["level"] == "warning":
        feedback.pushWarning(said["message"])
    else:
        feedback.pushInfo(said["message"])
    return None


def execute(words, feedback):
    """Runs the program to its end, or stops it when the user cancels; yields its standard output, line by line."""
    feedback.pushCommandInfo(" ".join(words))
    printed, errors, said = [], [], queue.Queue()
    with start_program(words) as process:

        def read_messages():
            for line in process.stderr:
                said.put(line)

        readers = [threading.Thread(target=read_messages),
                   threading.Thread(target=lambda: printed.extend(process.stdout))]
        stop_sent = False
        for reader in readers:
            reader.start()
        # Only this thread reports to QGIS.
        while any(reader.is_alive() for reader in readers) or not said.empty():
            if feedback.isCanceled() and not stop_sent:
                process.terminate()  # it completes the step and writes its state, unless a second signal comes
                stop_sent = True
            try:
                error = report_line(said.get(timeout=POLL_SECONDS), feedback)
            except queue.Empty:
                continue
            if error:
                errors.append(error)
    if process.returncode != 0 and not feedback.isCanceled():
        raise QgsProcessingException("\n".join(errors) or f"{words[0]} ended with exit code {process.returncode}")
    return [line.rstrip("\n") for line in printed]


def engines_of(program):
    """The engines available here, "auto" first."""
    try:
        listed = subprocess.run([program, "engines"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ["auto"]
    return ["auto", *re.findall(r"(?m)^(\S+) +yes ", listed)]


def fields_of(program):
    """The fields that it can map, "deposit" first."""
    try:
        schema = json.loads(subprocess.run([program, "schema"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout)
        names = schema["properties"]["output"]["properties"]["maps"]["items"]["enum"]
    except (OSError, subprocess.CalledProcessError, ValueError, KeyError):
        return ["deposit"]
    return ["deposit", *(name for name in names if name != "deposit")]


class RunScenario(QgsProcessingAlgorithm):
    """Parameters: scenario, engine, steps, fields to map, folder, program."""

    def name(self):
        return "sciara_run"

    def displayName(self):
        return "Run a SCIARA scenario"

    def group(self):
        return "Lava flows"

    def groupId(self):
        return "lava_flows"

    def shortHelpString(self):
        return ("Runs a scenario of sciara, the lava-flow simulator, and loads the maps of its last state with their "
                "styles. The last state of a cancelled run is kept in the folder.")

    def createInstance(self):
        return RunScenario()

    def initAlgorithm(self, config=None):
        program = shutil.which(os.environ.get("SCIARA_PROGRAM") or "sciara")
        self.engines = engines_of(program) if program else ["auto"]
        self.addParameter(QgsProcessingParameterFile("SCENARIO", "Scenario", extension="json"))
        self.addParameter(QgsProcessingParameterEnum("ENGINE", "Engine", self.engines, defaultValue="auto",
                                                     usesStaticStrings=True))
        self.addParameter(QgsProcessingParameterNumber("STEPS", "Stop after so many steps (or as the scenario says)",
                                                       minValue=1, optional=True))
        fields = fields_of(program) if program else ["deposit"]
        self.addParameter(QgsProcessingParameterEnum("FIELDS", "Maps", fields, allowMultiple=True,
                                                     defaultValue=["deposit"], usesStaticStrings=True))
        self.addParameter(QgsProcessingParameterBoolean("OVERWRITE", "Replace the run in the folder", False))
        self.addParameter(QgsProcessingParameterFolderDestination("FOLDER", "Folder of the run"))
        given = QgsProcessingParameterString("PROGRAM", "Program (empty: sciara on PATH)", optional=True)
        given.setFlags(given.flags() | QgsProcessingParameterDefinition.FlagAdvanced)
        self.addParameter(given)
        self.addOutput(QgsProcessingOutputMultipleLayers("LAYERS", "Maps"))
        self.addOutput(QgsProcessingOutputString("SERIES", "All snapshots as one series (NetCDF)"))

    def processAlgorithm(self, parameters, context, feedback):
        program = find_program(self.parameterAsString(parameters, "PROGRAM", context))
        scenario = self.parameterAsFile(parameters, "SCENARIO", context)
        folder = self.parameterAsString(parameters, "FOLDER", context)
        fields = self.parameterAsEnumStrings(parameters, "FIELDS", context)
        words = [program, "run", scenario, "--output", folder, "--log-json", "--progress-every", "1",
                 "--engine", self.parameterAsEnumString(parameters, "ENGINE", context),
                 "--set", f"output.maps={json.dumps(fields)}"]
        if parameters.get("STEPS") is not None:
            words += ["--steps", str(self.parameterAsInt(parameters, "STEPS", context))]
        if self.parameterAsBool(parameters, "OVERWRITE", context):
            words.append("--overwrite")
        written = execute(words, feedback)
        # A cancelled run has written the maps of its last state: they are loaded too.
        layers = []
        for field in fields:
            path = next((p for p in written if p.endswith(f"/maps/{field}.tif")), None)
            if path:
                layers.append(self.load(path, field, context))
        feedback.setProgress(100)
        return {"FOLDER": folder, "LAYERS": layers, "SERIES": os.path.join(folder, "series.nc")}

    def load(self, path, field, context):
        """Adds the map to the project; its style is the .qml file next to it, which QGIS reads with the map."""
        layer = QgsRasterLayer(path, field)
        if not layer.isValid():
            raise QgsProcessingException(f"{path}: is no raster that QGIS can open")
        context.temporaryLayerStore().addMapLayer(layer)
        context.addLayerToLoadOnCompletion(layer.id(),
                                           QgsProcessingContext.LayerDetails(field, context.project(), field))
        return layer.id()
