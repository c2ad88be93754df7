# SPDX-License-Identifier: Apache-2.0
# The plugin through which one eruption is computed by several processes (src/comm/mpi_plugin.h). The program does not need it.

if(SCIARA_MPI STREQUAL "AUTO")
  find_package(MPI QUIET COMPONENTS C)
elseif(SCIARA_MPI)
  find_package(MPI REQUIRED COMPONENTS C)
endif()
if(SCIARA_MPI AND MPI_C_FOUND)
  add_library(sciara_mpi MODULE src/comm/plugin/mpi.c)
  target_include_directories(sciara_mpi PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(sciara_mpi PRIVATE sciara_options sciara_strict MPI::MPI_C)
  set_target_properties(sciara_mpi PROPERTIES OUTPUT_NAME mpi PREFIX "" C_VISIBILITY_PRESET hidden
                                              LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/sciara-comm)
  sciara_use_build_info(sciara_mpi)
  install(TARGETS sciara_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sciara-comm COMPONENT mpi)
  message(STATUS "MPI: ${MPI_C_VERSION} (${MPI_C_COMPILER})")
else()
  message(STATUS "MPI: not built")
endif()
