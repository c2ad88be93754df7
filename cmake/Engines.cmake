# SPDX-License-Identifier: Apache-2.0
# An engine is compiled twice: without a macro for double, with SCIARA_SINGLE for float (src/model/real.h).
# Device code a third time, with SCIARA_SINGLE and SCIARA_FAST, for float with the GPU's approximate functions.
# The names, as a user types them, are collected in SCIARA_ENGINES: the tests run over all of them.

set_property(GLOBAL PROPERTY SCIARA_ENGINES "")
set_property(GLOBAL PROPERTY SCIARA_ENGINE_OBJECTS "")
set_property(GLOBAL PROPERTY SCIARA_PRECISION_SOURCES "")

# If CUDA code is compiled only as a check: an old GPU, a new one and one in between.
set(SCIARA_CUDA_CHECKED_f64 75-real)
set(SCIARA_CUDA_CHECKED_f32 90-real)
set(SCIARA_CUDA_CHECKED_fast 86-real)

# sciara_compile_precisions(NAME PRECISIONS SOURCES...): one object library per precision (f64, f32, fast).
function(sciara_compile_precisions name precisions)
  foreach(precision IN LISTS precisions)
    set(target sciara_${name}_${precision})
    add_library(${target} OBJECT ${ARGN})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/cuda)
    target_link_libraries(${target} PRIVATE sciara_build sciara_strict)
    # A double in the single-precision rule changes its results; only a warning, because some are intended.
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C>:-Wdouble-promotion;-Wno-error=double-promotion>")
    if(NOT precision STREQUAL "f64")
      target_compile_definitions(${target} PRIVATE SCIARA_SINGLE)
    endif()
    if(SCIARA_CUDA_CHECKED_ONLY)
      set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES ${SCIARA_CUDA_CHECKED_${precision}})
    endif()
    if(precision STREQUAL "fast")
      target_compile_definitions(${target} PRIVATE SCIARA_FAST)
      target_link_libraries(${target} PRIVATE sciara_fast_math)
    else()
      target_link_libraries(${target} PRIVATE sciara_numeric)
    endif()
  endforeach()
endfunction()

# The same, with the objects in libsciara.
function(sciara_add_precisions name precisions)
  sciara_compile_precisions(${name} "${precisions}" ${ARGN})
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ REGEX "^[^/]" OUTPUT_VARIABLE sources)
  set_property(GLOBAL APPEND PROPERTY SCIARA_PRECISION_SOURCES ${sources})
  foreach(precision IN LISTS precisions)
    target_sources(libsciara PRIVATE $<TARGET_OBJECTS:sciara_${name}_${precision}>)
    set_property(GLOBAL APPEND PROPERTY SCIARA_ENGINE_OBJECTS sciara_${name}_${precision})
  endforeach()
endfunction()

# sciara_add_engine(NAME SOURCES... [OPENMP])
function(sciara_add_engine name)
  cmake_parse_arguments(PARSE_ARGV 1 engine "OPENMP" "" "")
  sciara_add_precisions(engine_${name} "f64;f32" ${engine_UNPARSED_ARGUMENTS})
  if(engine_OPENMP)
    foreach(target IN ITEMS sciara_engine_${name}_f64 sciara_engine_${name}_f32)
      if(OpenMP_C_FOUND)
        target_link_libraries(${target} PRIVATE OpenMP::OpenMP_C)
      else()
        target_compile_options(${target} PRIVATE -Wno-unknown-pragmas)
      endif()
    endforeach()
    if(OpenMP_C_FOUND)
      target_link_libraries(libsciara PRIVATE $<LINK_ONLY:OpenMP::OpenMP_C>)
    else()
      message(WARNING "OpenMP was not found: the engine ${name} is built for one thread")
    endif()
  endif()
  set_property(GLOBAL APPEND PROPERTY SCIARA_ENGINES ${name})
endfunction()

# sciara_add_cuda(NAME SOURCES...): device code that is not an engine of its own.
function(sciara_add_cuda name)
  if(ARGN)
    sciara_add_precisions(cuda_${name} "f64;f32;fast" ${ARGN})
  endif()
endfunction()

# sciara_add_cuda_engine(cuda_NAME SOURCES...): the engine cuda-NAME; nothing if CUDA is not built.
function(sciara_add_cuda_engine name)
  if(SCIARA_HAVE_CUDA)
    sciara_add_cuda(engine_${name} ${ARGN})
    string(REPLACE "_" "-" name ${name})
    set_property(GLOBAL APPEND PROPERTY SCIARA_ENGINES ${name})
  endif()
endfunction()

# sciara_add_levels(NAME SOURCES...): code of an engine that is compiled for several kinds of processors, from which the
# program chooses at run time (src/base/isa.h). The sources get the kind as SCIARA_LEVEL and use it in the names that they
# export. The floating point stays that of NumericPolicy: no level contracts.
function(sciara_add_levels name)
  set(levels generic)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    list(APPEND levels v2 v3 v4)
    set_property(GLOBAL PROPERTY SCIARA_LEVELS TRUE)
    foreach(precision IN ITEMS f64 f32)
      target_compile_definitions(sciara_engine_${name}_${precision} PRIVATE SCIARA_HAVE_LEVELS)
    endforeach()
  endif()
  foreach(level IN LISTS levels)
    sciara_add_precisions(${name}_${level} "f64;f32" ${ARGN})
    foreach(precision IN ITEMS f64 f32)
      set(target sciara_${name}_${level}_${precision})
      target_compile_definitions(${target} PRIVATE SCIARA_LEVEL=${level})
      # clang warns about a loop that it does not vectorise, for example with sanitizers: slower, but not wrong.
      target_compile_options(${target} PRIVATE $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
      if(NOT level STREQUAL "generic")
        target_compile_options(${target} PRIVATE -march=x86-64-${level})
      endif()
      if(level STREQUAL "v4") # by default compilers use half of a register
        target_compile_options(${target} PRIVATE -mprefer-vector-width=512)
      endif()
    endforeach()
  endforeach()
endfunction()
