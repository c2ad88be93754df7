# SPDX-License-Identifier: Apache-2.0
# libsciara.so: all of the static library. What sciara.h declares with SCIARA_API has the version LIBSCIARA_${PROJECT_VERSION_MAJOR}; other
# programs may rely on it. The rest of sciara_* has a version that names this release: the program `sciara` uses it, and
# must come from the same build. Nothing else is exported.

set(interface_header ${PROJECT_SOURCE_DIR}/src/sciara.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${interface_header})
file(READ ${interface_header} text)
string(REGEX MATCHALL "SCIARA_API[^(;]*[ *]sciara_[a-z_]+\\(" declarations "${text}")
set(names "")
foreach(declaration IN LISTS declarations)
  string(REGEX REPLACE ".*[ *](sciara_[a-z_]+)\\($" "\\1" name "${declaration}")
  string(APPEND names "    ${name};\n")
endforeach()
string(REPLACE - . release ${SCIARA_VERSION}) # a name for the linker
set(SCIARA_SYMBOLS ${PROJECT_BINARY_DIR}/generated/libsciara.map)
file(CONFIGURE OUTPUT ${SCIARA_SYMBOLS} @ONLY CONTENT
"LIBSCIARA_${PROJECT_VERSION_MAJOR} {
  global:
${names}  local:
    *;
};

LIBSCIARA_PRIVATE_${release} {
  global:
    sciara_*;
};
")

set(empty ${PROJECT_BINARY_DIR}/generated/shared.c)
file(CONFIGURE OUTPUT ${empty} CONTENT "typedef int sciara_shared; // CMake needs a source\n")
add_library(libsciara_shared SHARED ${empty})
set_target_properties(
  libsciara_shared
  PROPERTIES OUTPUT_NAME sciara
             VERSION ${PROJECT_VERSION}
             SOVERSION ${PROJECT_VERSION_MAJOR}
             LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
             LINK_DEPENDS ${SCIARA_SYMBOLS})
target_include_directories(libsciara_shared PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
target_link_libraries(libsciara_shared PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,libsciara> sciara_build)
# Calls within the library go straight to their function.
target_link_options(libsciara_shared PRIVATE -Wl,--version-script=${SCIARA_SYMBOLS} -Wl,-Bsymbolic-functions)
add_dependencies(libsciara_shared libsciara)
