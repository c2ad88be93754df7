# SPDX-License-Identifier: Apache-2.0
# The library is built in storeys, from the lowest to the highest; each has some of the folders of src (docs/architecture.md).
# A storey uses what stands below it: where tests are built, each is linked with the lower ones alone.

set_property(GLOBAL PROPERTY SCIARA_STOREYS "")

# sciara_add_storey(NAME FOLDERS...): the object library sciara_NAME, with its objects in libsciara: all sources but those
# that Engines.cmake compiles once per precision. After the engines.
function(sciara_add_storey name)
  set(sources "")
  foreach(folder IN LISTS ARGN)
    file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.c)
    list(APPEND sources ${found})
  endforeach()
  get_property(per_precision GLOBAL PROPERTY SCIARA_PRECISION_SOURCES) # Engines.cmake
  list(REMOVE_ITEM sources ${per_precision})
  add_library(sciara_${name} OBJECT ${sources})
  target_include_directories(sciara_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(sciara_${name} PRIVATE sciara_options sciara_strict ${SCIARA_LIBRARIES})
  get_property(levels GLOBAL PROPERTY SCIARA_LEVELS)
  if(levels)
    target_compile_definitions(sciara_${name} PRIVATE SCIARA_HAVE_LEVELS)
  endif()
  sciara_use_build_info(sciara_${name})
  target_sources(libsciara PRIVATE $<TARGET_OBJECTS:sciara_${name}>)
  set_property(GLOBAL APPEND PROPERTY SCIARA_STOREYS ${name})
endfunction()

# Links each storey with those below it; the engines belong to the lowest.
function(sciara_check_storeys)
  get_property(storeys GLOBAL PROPERTY SCIARA_STOREYS)
  get_property(engines GLOBAL PROPERTY SCIARA_ENGINE_OBJECTS)
  set(below "")
  foreach(name IN LISTS storeys)
    set(target sciara_storey_${name})
    add_library(${target} SHARED $<TARGET_OBJECTS:sciara_${name}>)
    if(NOT below)
      foreach(engine IN LISTS engines)
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${engine}>)
      endforeach()
    endif()
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/storeys LINKER_LANGUAGE C)
    target_link_libraries(${target} PRIVATE ${below} sciara_build ${SCIARA_LIBRARIES})
    if(OpenMP_C_FOUND)
      target_link_libraries(${target} PRIVATE OpenMP::OpenMP_C)
    endif()
    target_link_options(${target} PRIVATE -Wl,-z,defs)
    list(APPEND below ${target})
  endforeach()
endfunction()
