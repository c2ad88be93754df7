# SPDX-License-Identifier: Apache-2.0
"""Searches and sets of points for the parameters with which scenarios fit observed extents: the command `sciara calibrate`.

The library reads the calibration file, computes and compares (file.py). Here is what proposes points (designs.py), what is
recorded of them (table.py, record.py), and what they say (sensitivity.py, support.py, page.py). docs/calibration.md.
"""
