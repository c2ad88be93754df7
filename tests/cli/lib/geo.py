# SPDX-License-Identifier: Apache-2.0
"""Rasters, features and coordinate systems, by GDAL; the usual ones are those of case.write_dem."""
import case
from osgeo import gdal, ogr, osr

for library in (gdal, ogr, osr):
    library.UseExceptions()

PLACE = [case.WEST, case.CELL, 0, case.NORTH, 0, -case.CELL]


def crs(code=32633):
    """That of a code of EPSG; x or longitude comes first."""
    made = osr.SpatialReference()
    made.SetFromUserInput(f"EPSG:{code}")
    made.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return made


def transformation(start, end):
    """Between two codes of EPSG."""
    return osr.CoordinateTransformation(crs(start), crs(end))


def read(path):
    return gdal.Open(path).ReadAsArray()


def write_raster(path, values, kind=gdal.GDT_Byte, place=PLACE, epsg=32633, nodata=None):
    """A GeoTIFF of one band, or of several (band, row, column)."""
    bands = values[None] if values.ndim == 2 else values
    raster = gdal.GetDriverByName("GTiff").Create(path, bands.shape[2], bands.shape[1], bands.shape[0], kind)
    raster.SetGeoTransform(place)
    raster.SetProjection(crs(epsg).ExportToWkt())
    if nodata is not None:
        raster.GetRasterBand(1).SetNoDataValue(nodata)
    for k, band in enumerate(bands):
        raster.GetRasterBand(k + 1).WriteArray(band)


def write_features(path, geometries, values=(), epsg=32633, driver="GPKG"):
    """The layer "works" of WKT geometries, with columns of numbers or texts: a dict for each geometry."""
    source = ogr.GetDriverByName(driver).CreateDataSource(path)
    layer = source.CreateLayer("works", crs(epsg), ogr.wkbUnknown)
    for name, value in sorted({name: value for one in values for name, value in one.items()}.items()):
        layer.CreateField(ogr.FieldDefn(name, ogr.OFTString if isinstance(value, str) else ogr.OFTReal))
    for k, wkt in enumerate(geometries):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(wkt))
        for name, value in (values[k] if values else {}).items():
            feature.SetField(name, value)
        layer.CreateFeature(feature)
