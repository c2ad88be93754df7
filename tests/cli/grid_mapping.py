# SPDX-License-Identifier: Apache-2.0
"""The CRS of a snapshot without its WKT: from the CF attributes alone GDAL and pyproj make the same projection."""
import os
import shutil

import case
import geo
from case import SharedCase
from geo import gdal, osr

import h5py

try:
    import pyproj
except ImportError:
    pyproj = None

# Transverse Mercator of both hemispheres, Lambert (Iceland, France), Albers, Lambert azimuthal, polar stereographic with a
# parallel and with a scale, Mercator with a scale and with a parallel.
PLACES = {32633: (15, 37.7), 32740: (55.7, -21.2), 3057: (-19, 64.9), 2154: (3, 45), 3577: (135, -18.2), 3035: (10, 52),
          3031: (20, -71), 32661: (30, 81.1), 32761: (30, -81.1), 3395: (20, 2), 3832: (160, 3)}  # longitude and latitude of the DEM
UNKNOWN = {2056: (7.5, 46.9)}  # Swiss oblique Mercator, which CF does not describe


def of_proj(text):
    out = osr.SpatialReference()
    out.ImportFromProj4(text)
    out.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return out


def geographic(srs):
    """Longitude and latitude on the ellipsoid of a CRS, so that nothing but the projection is compared."""
    return of_proj(f"+proj=longlat +a={srs.GetSemiMajor()!r} +b={srs.GetSemiMinor()!r} +no_defs")


def bare(srs):
    """The projection and the ellipsoid without datum."""
    text = " ".join(word for word in srs.ExportToProj4().split() if not word.startswith(("+datum", "+towgs84", "+ellps", "+type")))
    return of_proj(f"{text} +a={srs.GetSemiMajor()!r} +b={srs.GetSemiMinor()!r}")


class GridMapping(SharedCase):
    @classmethod
    def prepare(cls):
        case.write_dem(os.path.join(cls.work, "dem.asc"))
        for code, place in {**PLACES, **UNKNOWN}.items():
            west, south, _ = osr.CoordinateTransformation(geographic(geo.crs(code)), bare(geo.crs(code))).TransformPoint(*place)
            lines = case.read_text(os.path.join(cls.work, "dem.asc")).splitlines()
            lines[2:4] = [f"xllcorner {west:.3f}", f"yllcorner {south:.3f}"]
            case.write_text(os.path.join(cls.work, f"{code}.asc"), "\n".join(lines) + "\n")
            case.write_scenario(cls.work, f"{code}.json", dem={"path": f"{code}.asc", "crs": f"EPSG:{code}"}, run={"max_steps": 2})
            case.run_program("run", f"{code}.json", "-q", "-o", str(code), cwd=cls.work)

    def without_wkt(self, code):
        """A copy of the last snapshot without the attributes that hold WKT."""
        name = self.path(f"{code}-bare.nc")
        shutil.copy(self.path(str(code), case.record(self.path(str(code)))["snapshots"][-1]["name"]), name)
        with h5py.File(name, "r+") as f:
            for attribute in ("crs_wkt", "spatial_ref"):
                del f["crs"].attrs[attribute]
            attributes = {k: v.decode() if isinstance(v, bytes) else v.tolist() for k, v in f["crs"].attrs.items()}
        return name, {k: v[0] if isinstance(v, list) and len(v) == 1 else v for k, v in attributes.items()}

    def assert_same(self, code, found, by):
        """The same point of the ellipsoid lies at the same coordinates, and at others in another CRS."""
        expected = geo.crs(code)
        lon, lat = PLACES[code]
        there = osr.CoordinateTransformation(geographic(expected), bare(expected)).TransformPoint(lon, lat)
        here = osr.CoordinateTransformation(geographic(found), bare(found)).TransformPoint(lon, lat)
        for a, b in zip(there[:2], here[:2]):
            self.assertAlmostEqual(a, b, delta=1e-3, msg=f"EPSG:{code} by {by}")
        self.assertAlmostEqual(found.GetSemiMajor(), expected.GetSemiMajor())
        self.assertAlmostEqual(found.GetInvFlattening(), expected.GetInvFlattening(), places=6)

    def test_gdal(self):
        for code in PLACES:
            with self.subTest(code=code):
                name, _ = self.without_wkt(code)
                found = gdal.Open(f'NETCDF:"{name}":thickness').GetSpatialRef()
                self.assertIsNotNone(found)
                self.assert_same(code, found, "GDAL")

    def test_pyproj(self):
        if pyproj is None:
            self.skipTest("pyproj is not installed")
        for code in PLACES:
            with self.subTest(code=code):
                _, attributes = self.without_wkt(code)
                found = osr.SpatialReference()
                found.ImportFromWkt(pyproj.CRS.from_cf(attributes).to_wkt("WKT1_GDAL"))
                found.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
                self.assert_same(code, found, "pyproj")

    def test_the_comparison_can_fail(self):
        with self.assertRaises(AssertionError):
            self.assert_same(32633, geo.crs(32634), "hand")

    def test_what_cf_does_not_describe(self):
        for code in UNKNOWN:
            _, attributes = self.without_wkt(code)
            self.assertEqual(sorted(attributes), ["GeoTransform", "crs_name", "long_name"])
