# SPDX-License-Identifier: Apache-2.0
"""The QGIS plugin of sciara, the lava-flow simulator: algorithms in the Processing toolbox."""


def classFactory(iface):  # the name that QGIS calls
    from .provider import Plugin
    return Plugin()
