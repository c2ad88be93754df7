# SPDX-License-Identifier: Apache-2.0
# Program, library, header, pkg-config file, man pages, completions, schema, scenarios with their terrain, styles and
# the script for QGIS. Two components, which are two Debian packages (Package.cmake): runtime and development.

install(TARGETS libsciara ARCHIVE COMPONENT development PUBLIC_HEADER COMPONENT development)
install(TARGETS sciara RUNTIME COMPONENT runtime)
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
set(data ${CMAKE_INSTALL_DATADIR}/sciara)
install(DIRECTORY config DESTINATION ${data} COMPONENT runtime FILES_MATCHING PATTERN "*.json" PATTERN "*.csv")
install(DIRECTORY datasets DESTINATION ${data} COMPONENT runtime FILES_MATCHING PATTERN "*.tif" PATTERN "README.md")
install(DIRECTORY tools/qgis DESTINATION ${data} COMPONENT runtime FILES_MATCHING PATTERN "*.py")
install(FILES examples/minimal.c DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT development)

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
set(private ${HDF5_C_HL_LIBRARIES} ${HDF5_C_LIBRARIES} gdal ${CJSON_LINK_LIBRARIES} z ${PANGO_LINK_LIBRARIES} ${OpenMP_C_LIBRARIES})
set(SCIARA_PC_CUDA "")
if(SCIARA_HAVE_CUDA)
  set(SCIARA_PC_CUDA "cuda_libdir=${CUDAToolkit_LIBRARY_DIR}\n") # elsewhere: pkg-config --define-variable=cuda_libdir=...
  list(APPEND private "-L\${cuda_libdir}" cudart_static stdc++ rt dl)
endif()
list(APPEND private pthread m)
sciara_link_flags(SCIARA_LIBS_PRIVATE ${private})

# The prefix is relative to the file itself: the tree may be moved, or installed with another --prefix.
file(RELATIVE_PATH SCIARA_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/sciara.pc.in ${PROJECT_BINARY_DIR}/sciara.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sciara.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
