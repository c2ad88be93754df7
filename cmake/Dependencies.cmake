# SPDX-License-Identifier: Apache-2.0
# The libraries, each as one target of the project, however it was found. tools/setup installs them.

set(CMAKE_THREAD_PREFER_PTHREAD ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(OpenMP COMPONENTS C)

# GDAL: without a version, because its version file refuses every other minor version.
add_library(sciara_gdal INTERFACE)
find_package(GDAL CONFIG QUIET)
if(GDAL_FOUND)
  target_link_libraries(sciara_gdal INTERFACE GDAL::GDAL)
else()
  pkg_check_modules(GDAL REQUIRED IMPORTED_TARGET gdal)
  target_link_libraries(sciara_gdal INTERFACE PkgConfig::GDAL)
endif()
message(STATUS "GDAL: ${GDAL_VERSION}")

find_package(HDF5 1.10.8 REQUIRED COMPONENTS C HL) # PRIuHSIZE
if(HDF5_IS_PARALLEL)
  message(FATAL_ERROR "The HDF5 found is the MPI build (${HDF5_C_LIBRARIES}); the serial one is needed (libhdf5-dev)")
endif()
add_library(sciara_hdf5 INTERFACE)
target_link_libraries(sciara_hdf5 INTERFACE hdf5::hdf5_hl hdf5::hdf5)

pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson)
add_library(sciara_cjson INTERFACE)
target_link_libraries(sciara_cjson INTERFACE PkgConfig::CJSON)

# The chunks of snapshots are deflated by the program, not by HDF5, which needs zlib too.
find_package(ZLIB REQUIRED)
add_library(sciara_zlib INTERFACE)
target_link_libraries(sciara_zlib INTERFACE ZLIB::ZLIB)

# Pictures: text and lines. Fontconfig is queried first for any installed font.
pkg_check_modules(PANGO REQUIRED IMPORTED_TARGET pangocairo>=1.44 cairo fontconfig)
add_library(sciara_pango INTERFACE)
target_link_libraries(sciara_pango INTERFACE PkgConfig::PANGO)
