# SPDX-License-Identifier: Apache-2.0
# Debian packages by CPack: sciara (program, man pages, completions, scenarios), libsciara1 (the shared library),
# libsciara-dev (static library, header) and, where python3-cffi is installed, python3-sciara.
# tools/package makes them.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sciara)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "lava-flow simulator, the SCIARA-fv3 cellular automaton")
string(REPLACE - ~ version ${SCIARA_VERSION}) # 1.0.0~rc1 is before 1.0.0
set(CPACK_PACKAGE_VERSION ${version})
set(CPACK_SCIARA_SOURCE ${PROJECT_SOURCE_DIR}) # for DebianTree.cmake
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
# The maintainer of the packages is the person who makes them; Debian's own tools use the same two variables.
set(name "The sciara developers")
set(address "sciara@localhost")
if(DEFINED ENV{DEBFULLNAME})
  set(name $ENV{DEBFULLNAME})
endif()
if(DEFINED ENV{DEBEMAIL})
  set(address $ENV{DEBEMAIL})
endif()
set(CPACK_PACKAGE_CONTACT "${name} <${address}>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)
# Compresses man pages and similar files between installation and packing, as Debian requires.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/DebianTree.cmake)

set(CPACK_COMPONENTS_ALL runtime library development)
if(SCIARA_HAVE_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME sciara)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}) # where libsciara.so is before it is installed
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS python3-sciara) # sciara calibrate
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "gdal-bin, qgis")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION
    "Input: a digital elevation model and a short JSON file that says where lava
comes out, and how much. Output: maps of thickness, arrival time and deposit,
as GeoTIFF and CF NetCDF files.
.
Exact engines give bit-identical results with any number of threads, and the
mass balance accounts for all lava in each step.")

set(soname ${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libsciara${soname})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY "=") # the program uses what only its own release has
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
    "Simulations of lava flows for programs in C, C++ and Python: from a scenario
file, or from a terrain and vents in memory.
.
This package holds the shared library.")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/triggers CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)
set(release ${version}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "libsciara${soname} (= ${release})")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsciara-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libsciara${soname} (= ${release}), libgdal-dev, libhdf5-dev, libcjson-dev, zlib1g-dev, libpango1.0-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
    "Programs that link libsciara open a scenario, step it, and read fields and
mass balance.
.
This package holds the static library, the header, the files for pkg-config and
CMake, and a tutorial of examples.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-sciara)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.9), python3-cffi-backend, python3-numpy, python3-xarray, libsciara${soname} (= ${release})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-scipy, python3-cmaes") # sciara calibrate
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "sciara, python3-matplotlib, python3-netcdf4, python3-tqdm, python3-gdal")
set(scripts ${PROJECT_SOURCE_DIR}/cmake/python3-sciara)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${scripts}/postinst ${scripts}/prerm)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION
    "Opens a scenario, or builds a run from a terrain in an array, computes, and
returns fields as xarray objects with coordinates, units and CRS.
.
This package holds the Python package sciara, the program of `sciara calibrate`
and notebooks.")

include(CPack)
