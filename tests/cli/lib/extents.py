# SPDX-License-Identifier: Apache-2.0
"""Observed extents on the grid of case.write_dem, and distances between cells."""
import case
import numpy
from osgeo import gdal, osr

gdal.UseExceptions()


def write_raster(path, values, kind=gdal.GDT_Byte):
    raster = gdal.GetDriverByName("GTiff").Create(path, case.COLS, case.ROWS, 1, kind)
    raster.SetGeoTransform([case.WEST, case.CELL, 0, case.NORTH, 0, -case.CELL])
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(32633)
    raster.SetProjection(crs.ExportToWkt())
    raster.GetRasterBand(1).WriteArray(values)


def greatest_distance(a, b):
    """The distance of a cell of a from the nearest cell of b, by trying all pairs, m."""
    a, b = numpy.argwhere(a).astype(float), numpy.argwhere(b).astype(float)
    return case.CELL * numpy.sqrt(((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2)).min(axis=1).max()
