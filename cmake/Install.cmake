# SPDX-License-Identifier: Apache-2.0
# Program, libraries, header, pkg-config file, CMake package, man pages, completions, schema, scenarios with their terrain,
# styles and the script for QGIS. Components, each of which is a Debian package (Package.cmake): runtime, library, development,
# and python (Python.cmake).

install(TARGETS libsciara ARCHIVE COMPONENT development PUBLIC_HEADER COMPONENT development)
install(TARGETS libsciara_shared LIBRARY COMPONENT library NAMELINK_COMPONENT development)
# A program finds the library relative to itself, wherever the tree is moved; in /usr the system finds it. Those beside
# `sciara` are in libexec/sciara (src/app/program.h).
foreach(program IN ITEMS sciara sciara-bench)
  set(folder libexec/sciara)
  if(program STREQUAL "sciara")
    set(folder ${CMAKE_INSTALL_BINDIR})
  endif()
  file(RELATIVE_PATH to_library /${folder} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(${program} PROPERTIES INSTALL_RPATH "\$ORIGIN/${to_library}")
  install(TARGETS ${program} RUNTIME DESTINATION ${folder} COMPONENT runtime)
  install(
    CODE "if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
  file(RPATH_REMOVE FILE \"\$ENV{DESTDIR}/usr/${folder}/${program}\")
endif()"
    COMPONENT runtime)
endforeach()
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
# What the pages link to: tools/check-docs --links checks it (tree.install).
foreach(file IN ITEMS bench/README.md datasets/README.md src/page/README.md src/store/README.md studies/scaling/README.md tests/faults/README.md tests/fuzz/README.md
                      tests/golden/README.md tests/mutation/README.md)
  get_filename_component(folder ${file} DIRECTORY)
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder} COMPONENT runtime)
endforeach()
install(DIRECTORY packaging DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime PATTERN portable EXCLUDE)
install(DIRECTORY examples/cluster examples/optimisers DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT runtime)
set(data ${CMAKE_INSTALL_DATADIR}/sciara)
install(DIRECTORY config DESTINATION ${data} COMPONENT runtime FILES_MATCHING PATTERN "*.json" PATTERN "*.csv")
install(DIRECTORY datasets DESTINATION ${data} COMPONENT runtime FILES_MATCHING PATTERN "*.tif" PATTERN "README.md")
install(DIRECTORY tools/qgis DESTINATION ${data} COMPONENT runtime FILES_MATCHING PATTERN "*.py")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development FILES_MATCHING PATTERN "*.c" PATTERN "*.md" PATTERN cluster EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT python FILES_MATCHING PATTERN "*.ipynb" PATTERN cluster EXCLUDE)

# Files that the program itself writes: man pages and completions from its tables of options, styles from its colours. They
# are made when the program is linked, so that `cmake --install` works after every build of it, also one with
# `--target sciara`.
set(made ${PROJECT_BINARY_DIR}/share)
add_custom_command(
  TARGET sciara
  POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${made}
  COMMAND sciara doc all --output ${made}
  COMMENT "Man pages, completions and styles"
  VERBATIM)
find_program(SCIARA_PYTHON3 python3)
if(SCIARA_PYTHON3) # the plugin for QGIS, as a zip file that QGIS installs
  add_custom_command(
    TARGET sciara
    POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E make_directory ${made}/sciara/qgis
    COMMAND ${SCIARA_PYTHON3} ${PROJECT_SOURCE_DIR}/tools/qgis-plugin ${made}/sciara/qgis/sciara_lava_flows.zip
    VERBATIM)
endif()
install(DIRECTORY ${made}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT runtime)
foreach(folder IN ITEMS bash-completion zsh fish sciara)
  install(DIRECTORY ${made}/${folder} DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT runtime)
endforeach()

# The linker flags of the static library, as ld expects them. The libraries are shared ones: their own dependencies
# need not be listed.
function(sciara_link_flags out)
  set(flags "")
  foreach(library IN LISTS ARGN)
    if(library MATCHES "^-")
      list(APPEND flags ${library})
    elseif(library MATCHES "^(/.*)/lib([^/]+)\\.(so|a|dylib)$")
      set(folder ${CMAKE_MATCH_1})
      set(name ${CMAKE_MATCH_2})
      cmake_path(NORMAL_PATH folder)
      if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
        list(APPEND flags -L${folder})
      endif()
      list(APPEND flags -l${name})
    elseif(library)
      list(APPEND flags -l${library})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES flags)
  list(JOIN flags " " flags)
  set(${out} ${flags} PARENT_SCOPE)
endfunction()

# FindHDF5 also lists the dependencies of libhdf5.
list(FILTER HDF5_C_HL_LIBRARIES INCLUDE REGEX "hdf5")
list(FILTER HDF5_C_LIBRARIES INCLUDE REGEX "hdf5")

# What the static library needs: modules of pkg-config where there are such, else the libraries by their names.
set(requires libcjson pangocairo cairo fontconfig)
set(private ${HDF5_C_HL_LIBRARIES} ${HDF5_C_LIBRARIES})
set(all ${private} gdal ${CJSON_LINK_LIBRARIES} z ${PANGO_LINK_LIBRARIES} ${OpenMP_C_LIBRARIES})
foreach(module IN ITEMS gdal zlib)
  pkg_check_modules(SCIARA_${module} QUIET ${module})
  if(SCIARA_${module}_FOUND)
    list(APPEND requires ${module})
  else()
    string(REPLACE zlib z library ${module})
    list(APPEND private ${library})
  endif()
endforeach()
list(APPEND private ${OpenMP_C_LIBRARIES})
set(system pthread m)
set(SCIARA_PC_CUDA "")
if(SCIARA_HAVE_CUDA)
  set(SCIARA_PC_CUDA "cuda_libdir=${CUDAToolkit_LIBRARY_DIR}\n") # elsewhere: pkg-config --define-variable=cuda_libdir=...
  list(APPEND private "-L\${cuda_libdir}" cudart_static stdc++ rt dl)
  list(APPEND all "-L${CUDAToolkit_LIBRARY_DIR}" cudart_static stdc++ rt dl)
endif()
sciara_link_flags(SCIARA_LIBS_PRIVATE ${private} ${system})
sciara_link_flags(SCIARA_STATIC_FLAGS ${all} ${system})
string(REPLACE " " ";" SCIARA_STATIC_FLAGS "${SCIARA_STATIC_FLAGS}")
list(JOIN requires " " SCIARA_REQUIRES_PRIVATE)

# The prefix is relative to the file itself: the tree may be moved, or installed with another --prefix.
file(RELATIVE_PATH SCIARA_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/sciara.pc.in ${PROJECT_BINARY_DIR}/sciara.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sciara.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/sciara)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/sciaraConfig.cmake.in ${PROJECT_BINARY_DIR}/sciaraConfig.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sciaraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sciaraConfig.cmake ${PROJECT_BINARY_DIR}/sciaraConfigVersion.cmake
        DESTINATION ${package} COMPONENT development)
