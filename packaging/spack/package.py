# SPDX-License-Identifier: Apache-2.0
# For Spack: in a repository of packages, as packages/sciara/package.py. SCIARA_SOURCE names a clone of the sources.
import os

from spack.package import *


class Sciara(CMakePackage, CudaPackage):
    """Lava flows on digital elevation models, with bit-identical results on CPU and GPU."""

    git = os.environ.get("SCIARA_SOURCE", "")
    license("Apache-2.0")

    version("1.0.0-rc1", tag="v1.0.0-rc1")
    version("main", branch="main")

    variant("mpi", default=False, description="One eruption on several processes")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("gdal@3.6: +hdf5 +netcdf +libkml +geos +sqlite3 +expat")
    depends_on("hdf5@1.10.8: +hl ~mpi")
    depends_on("pango@1.44:")
    depends_on("cairo +fc")
    depends_on("fontconfig")
    depends_on("cjson")
    depends_on("zlib-api")
    depends_on("mpi", when="+mpi")

    generator("ninja")

    def cmake_args(self):
        def switch(name):
            return "ON" if self.spec.satisfies(f"+{name}") else "OFF"

        arguments = [
            self.define("SCIARA_TESTS", "OFF"),
            self.define("SCIARA_CUDA", switch("cuda")),
            self.define("SCIARA_MPI", switch("mpi")),
        ]
        architectures = self.spec.variants["cuda_arch"].value if self.spec.satisfies("+cuda") else ("none",)
        if "none" not in architectures:
            arguments.append(self.define("CMAKE_CUDA_ARCHITECTURES", ";".join(architectures)))
        return arguments
