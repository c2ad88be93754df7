# SPDX-License-Identifier: Apache-2.0
# The Python package and the program of `sciara calibrate`, which is part of it, for the Debian package python3-sciara: the
# component python. It takes the declarations of sciara.h, which python3-cffi writes as the module sciara._ffi. Elsewhere pip
# installs the package (docs/python.md).

set(SCIARA_HAVE_PYTHON FALSE)
find_program(SCIARA_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH) # that of the system, for which its packages are
if(SCIARA_PYTHON)
  execute_process(COMMAND ${SCIARA_PYTHON} -c "import cffi, pycparser" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed EQUAL 0)
    set(SCIARA_HAVE_PYTHON TRUE)
  endif()
endif()
set(interpreter ${SCIARA_PYTHON})
if(NOT SCIARA_HAVE_PYTHON)
  set(interpreter "/usr/bin/env python3") # for which pip installs the package
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/sciara-calibrate.in ${PROJECT_BINARY_DIR}/libexec/sciara/sciara-calibrate @ONLY
               FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
install(PROGRAMS ${PROJECT_BINARY_DIR}/libexec/sciara/sciara-calibrate DESTINATION libexec/sciara COMPONENT python)
if(NOT SCIARA_HAVE_PYTHON)
  message(STATUS "python3-cffi is not installed: no component python")
  return()
endif()

set(source ${PROJECT_SOURCE_DIR}/python)
set(made ${PROJECT_BINARY_DIR}/python)
set(packages lib/python3/dist-packages) # of Debian, in /usr; the build has it at the same place, as links
set(linked ${PROJECT_BINARY_DIR}/${packages}/sciara)
file(MAKE_DIRECTORY ${linked})
file(GLOB modules CONFIGURE_DEPENDS ${source}/sciara/*.py)
foreach(path IN LISTS modules ITEMS ${source}/sciara/calibrate ${made}/_ffi.py)
  cmake_path(GET path FILENAME name)
  file(CREATE_LINK ${path} ${linked}/${name} SYMBOLIC)
endforeach()
file(MAKE_DIRECTORY ${made})
add_custom_command(
  OUTPUT ${made}/_ffi.py
  COMMAND ${CMAKE_COMMAND} -E env SCIARA_INCLUDE_DIR=${PROJECT_SOURCE_DIR}/src PYTHONDONTWRITEBYTECODE=1 ${SCIARA_PYTHON}
          ${source}/build_ffi.py ${made}/_ffi.py
  DEPENDS ${source}/build_ffi.py ${source}/sciara/_header.py ${PROJECT_SOURCE_DIR}/src/sciara.h
  COMMENT "Declarations for Python"
  VERBATIM)
add_custom_target(sciara_python ALL DEPENDS ${made}/_ffi.py)

string(REPLACE - "" version ${SCIARA_VERSION}) # as Python writes it: 1.0.0rc1
file(CONFIGURE OUTPUT ${made}/METADATA @ONLY CONTENT
"Metadata-Version: 2.1
Name: sciara
Version: @version@
Summary: Lava flows on digital elevation models: the cellular automaton SCIARA-fv3
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: cffi >=1.15
Requires-Dist: numpy >=1.21
Requires-Dist: xarray >=2022.3
Provides-Extra: calibrate
Requires-Dist: cmaes >=0.9 ; extra == 'calibrate'
Requires-Dist: scipy >=1.10 ; extra == 'calibrate'
")

install(
  DIRECTORY python/sciara
  DESTINATION ${packages}
  COMPONENT python
  FILES_MATCHING
  PATTERN "*.py"
  PATTERN "py.typed"
  PATTERN "_ffi.py" EXCLUDE
  PATTERN "__pycache__" EXCLUDE)
install(FILES ${made}/_ffi.py DESTINATION ${packages}/sciara COMPONENT python)
install(FILES ${made}/METADATA DESTINATION ${packages}/sciara-${version}.dist-info COMPONENT python)
