# SPDX-License-Identifier: Apache-2.0
"""Runs in ParaView's Python (pvpython): lava on the relief, as a picture of the last snapshot.

usage: pvpython relief.py series.nc PICTURE.png     the snapshots hold deposit and altitude"""
import sys

from paraview import simple as pv

GREY = [0.8, 0.8, 0.78]


def main(series, picture):
    reader = pv.NetCDFReader(FileName=[series])  # "NetCDF with CF conventions" in the window
    reader.Dimensions = "(y, x)"
    reader.ReplaceFillValueWithNan = 0
    reader.UpdatePipeline()
    land = pv.Threshold(Input=reader, Scalars=["POINTS", "altitude"], LowerThreshold=-1000, UpperThreshold=9000)
    relief = pv.WarpByScalar(Input=pv.ExtractSurface(Input=land), Scalars=["POINTS", "altitude"])
    relief = pv.GenerateSurfaceNormals(Input=relief)

    view = pv.CreateRenderView(ViewSize=[1200, 700])
    view.UseColorPaletteForBackground = 0
    view.Background = [1, 1, 1]
    view.OrientationAxesVisibility = 0
    view.ViewTime = reader.TimestepValues[-1]
    shown = pv.Show(relief, view)
    pv.ColorBy(shown, ("POINTS", "deposit"))
    colours = pv.GetColorTransferFunction("deposit")
    top = relief.PointData["deposit"].GetRange()[1]
    colours.RGBPoints = [0.01, 1.0, 0.93, 0.63, top / 3, 0.99, 0.6, 0.2,
                         top / 1.5, 0.75, 0.0, 0.15, top, 0.33, 0.0, 0.19]
    colours.ColorSpace = "RGB"
    colours.UseBelowRangeColor = 1
    colours.BelowRangeColor = GREY
    bar = pv.GetScalarBar(colours, view)
    bar.Title, bar.ComponentTitle = "deposit (m)", ""
    bar.TitleColor = bar.LabelColor = [0, 0, 0]
    bar.AddRangeLabels, bar.LabelFormat = 0, "%.0f"
    bar.HorizontalTitle = 1
    bar.WindowLocation, bar.Position, bar.ScalarBarLength = "Any Location", [0.88, 0.52], 0.36
    shown.SetScalarBarVisibility(view, True)

    west, east, south, north, low, _ = relief.GetDataInformation().GetBounds()
    view.CameraFocalPoint = [(west + east) / 2 + 250, (south + north) / 2 - 250, low - 50]
    view.CameraPosition = [east + 2300, south - 2500, low + 4700]
    view.CameraViewUp = [0, 0, 1]
    pv.SaveScreenshot(picture, view, ImageResolution=[1200, 700])


if __name__ == "__main__":
    main(*sys.argv[1:])
