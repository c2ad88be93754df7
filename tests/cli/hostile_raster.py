# SPDX-License-Identifier: Apache-2.0
"""NetCDF files of unknown origin that GDAL reads: none of them makes it open another file (docs/security.md)."""
import os

import case
import hostile
from hostile import Hostile

import h5py
import netCDF4
import numpy as np


class Rasters(Hostile):
    """NetCDF files that GDAL reads: DEM, initial lava, observed extent."""

    def dem(self, **how):
        """A DEM as NetCDF-4, simple enough for GDAL to georeference it."""
        path = self.path("dem.nc")
        with h5py.File(path, "w", **how) as f:
            for name, values in (("y", np.arange(5, 305, 10.0)[::-1] + 4177000), ("x", np.arange(5, 405, 10.0) + 500000)):
                axis = f.create_dataset(name, data=values)
                axis.make_scale(name)
                axis.attrs["standard_name"] = np.bytes_(f"projection_{name}_coordinate")
                axis.attrs["units"] = np.bytes_("m")
            values = np.array([[case.altitude(r, c) for c in range(40)] for r in range(30)])
            band = f.create_dataset("z", data=values, chunks=(30, 40), **hostile.USUAL)
            band.dims[0].attach_scale(f["y"])
            band.dims[1].attach_scale(f["x"])
        return path

    def commands(self, path):
        case.write_scenario(self.work, "d.json", dem={"path": "dem.nc", "crs": "EPSG:32633"})
        case.write_scenario(self.work, "i.json", initial={"thickness": "dem.nc"})
        return [("check", "d.json"), ("run", "d.json", "-q", "-o", "out", "-n", "2"),
                ("init", path, "--vent", "500205,4177215", "--rate", "5", "--duration", "1 h", "-o", "new.json"),
                ("check", "i.json"), ("run", "i.json", "-q", "-o", "out", "-n", "2"),
                ("compare", "good", "--observed", path), ("export", "good", "-q", "-f", "png", "--observed", path,
                                                          "-o", "made.png")]

    def test_a_good_one(self):
        case.write_scenario(self.work, "d.json", dem={"path": "dem.nc", "crs": "EPSG:32633"})
        for size in (0, 512):  # the signature of HDF5 may be at either offset
            self.dem(userblock_size=size)
            self.assertIn("netCDF, 30 rows x 40 columns", self.sciara("check", "d.json").stderr)

    def test_each(self):
        for block in (0, 512, 4096):
            hows = hostile.LEADS_AWAY if block == 0 else [hostile.external_storage, hostile.link_next_to_it]
            for how in hows:
                with self.subTest(how=how.__name__, block=block):
                    self.setUp()
                    path = self.dem(userblock_size=block)
                    self.spoil(path, how, "z")
                    self.fifos()
                    for command in self.commands(path):
                        self.refused(*command, says=("dem.nc", hostile.named(how, "z")))

    def test_a_cut_one(self):
        path = self.dem()
        os.truncate(path, os.path.getsize(path) // 2)
        for command in self.commands(path):
            self.refused(*command, says=("dem.nc",))

    def classic(self, form):
        """The same DEM in a classic format."""
        with netCDF4.Dataset(self.path("dem.nc"), "w", format=form) as f:
            for name, values in (("y", np.arange(5, 305, 10.0)[::-1] + 4177000), ("x", np.arange(5, 405, 10.0) + 500000)):
                f.createDimension(name, len(values))
                axis = f.createVariable(name, "f8", (name,))
                axis[:] = values
                axis.standard_name, axis.units = f"projection_{name}_coordinate", "m"
            f.createVariable("z", "f8", ("y", "x"))[:] = [[case.altitude(r, c) for c in range(40)] for r in range(30)]
        return self.path("dem.nc")

    def patch(self, at, new):
        with open(self.path("dem.nc"), "r+b") as f:
            f.seek(at)
            f.write(new)

    def test_classic_headers(self):
        """libnetcdf crashes on the first two; of the third it reads 0 where bytes are missing."""
        case.write_scenario(self.work, "base.json")
        case.write_json(self.path("e.json"), {"base": "base.json", "sample": {"method": "full"}, "vents": {
            "grid": {"extent": [500100, 4177100, 500300, 4177200], "step_m": 50}, "weights": {"raster": "dem.nc"}}})
        commands = [*self.commands(self.path("dem.nc")), ("ensemble", "check", "e.json"),
                    ("export", "good", "-q", "-f", "png", "--background", "dem.nc", "-o", "made.png")]
        self.classic("NETCDF3_64BIT_OFFSET")
        self.assertIn("netCDF, 30 rows x 40 columns", self.sciara("check", "d.json").stderr)
        path = self.classic("NETCDF3_CLASSIC")
        self.assertIn("netCDF, 30 rows x 40 columns", self.sciara("check", "d.json").stderr)
        size = os.path.getsize(path)
        for damage, says in ((lambda: self.patch(12, b"\0\1\0\0"), "byte 12, dimensions: expected a number of elements"),
                             (lambda: self.patch(16, b"\0\0\4\0"), "dimension 1: expected a name of 1 to 256 bytes"),
                             (lambda: os.truncate(path, size - 4), f"found a file of {size - 4} bytes")):
            self.classic("NETCDF3_CLASSIC")
            damage()
            for command in commands:
                with self.subTest(says=says, command=command):
                    self.refused(*command, says=("dem.nc", "header of a NetCDF file", says))
