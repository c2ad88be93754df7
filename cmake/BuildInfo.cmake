# SPDX-License-Identifier: Apache-2.0
# SCIARA_VERSION and SCIARA_GIT_HASH for the few sources that use them. The hash is determined at every build, in a header
# that changes only when the hash does: a commit recompiles only these sources.

set(SCIARA_BUILD_INFO ${PROJECT_BINARY_DIR}/generated/sciara_build_info.h)
add_custom_target(
  sciara_build_info
  COMMAND ${CMAKE_COMMAND} -D OUTPUT=${SCIARA_BUILD_INFO} -D VERSION=${SCIARA_VERSION} -D SOURCE=${PROJECT_SOURCE_DIR} -P
          ${PROJECT_SOURCE_DIR}/cmake/WriteBuildInfo.cmake
  BYPRODUCTS ${SCIARA_BUILD_INFO}
  COMMENT ""
  VERBATIM)

# sciara_use_build_info(TARGET): gives both macros to those sources of the target that use one of them.
function(sciara_use_build_info target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    file(STRINGS ${source} uses REGEX "SCIARA_(VERSION|GIT_HASH)" LIMIT_COUNT 1)
    if(uses)
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -include ${SCIARA_BUILD_INFO})
    endif()
  endforeach()
  add_dependencies(${target} sciara_build_info)
endfunction()
