# SPDX-License-Identifier: Apache-2.0
"""Tests with QGIS, which has Python only if it is installed (tools/setup --qgis)."""
import os
import shutil
import subprocess
import sys

import case

# Debian's wrapper passes an option of the window to qgis_process, which refuses it; the program is in the same folder.
QGIS_PROCESS = shutil.which("qgis_process.bin") or shutil.which("qgis_process")
PLUGINS = "/usr/share/qgis/python/plugins"
os.environ["QT_QPA_PLATFORM"] = "offscreen"
try:
    import qgis.core as core
except ImportError:
    core = None


class QgisCase(case.Case):
    def process(self, *words, code=0):
        done = subprocess.run([QGIS_PROCESS, *words], cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", check=False)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout


def main(there=QGIS_PROCESS and core, missing="QGIS with Python is not"):
    if not there:
        print(f"skipped: {missing} installed")
        sys.exit(77)
    if core:
        application = core.QgsApplication([], False)
        application.initQgis()
    try:
        case.main()
    finally:
        if core:
            application.exitQgis()
