# SPDX-License-Identifier: Apache-2.0
# An engine is compiled once per variant, RULE_PRECISION: for each rule of src/rules/rules.def, with SCIARA_RULE_NAME; f64 for
# double, f32 with SCIARA_SINGLE for float (src/base/real.h); device code of rule fv3 also as fast, with SCIARA_SINGLE and
# SCIARA_FAST, for float with the GPU's approximate functions.
# The names, as a user types them, are collected in SCIARA_ENGINES: the tests run over all of them.

set_property(GLOBAL PROPERTY SCIARA_ENGINES "")
set_property(GLOBAL PROPERTY SCIARA_ENGINE_OBJECTS "")
set_property(GLOBAL PROPERTY SCIARA_PRECISION_SOURCES "")

# If CUDA code is compiled only as a check: an old GPU, a new one and one in between.
set(SCIARA_CUDA_CHECKED_f64 75-real)
set(SCIARA_CUDA_CHECKED_f32 90-real)
set(SCIARA_CUDA_CHECKED_fast 86-real)

# sciara_compile_variants(NAME VARIANTS SOURCES...): one object library per variant.
function(sciara_compile_variants name variants)
  foreach(variant IN LISTS variants)
    set(target sciara_${name}_${variant})
    string(REGEX REPLACE "_.*" "" rule ${variant})
    string(REGEX REPLACE ".*_" "" precision ${variant})
    add_library(${target} OBJECT ${ARGN})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/cuda)
    target_link_libraries(${target} PRIVATE sciara_build sciara_strict)
    # A double in the single-precision rule changes its results; only a warning, because some are intended.
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C>:-Wdouble-promotion;-Wno-error=double-promotion>")
    target_compile_definitions(${target} PRIVATE SCIARA_RULE_NAME=${rule})
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
function(sciara_add_variants name variants)
  sciara_compile_variants(${name} "${variants}" ${ARGN})
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ REGEX "^[^/]" OUTPUT_VARIABLE sources)
  set_property(GLOBAL APPEND PROPERTY SCIARA_PRECISION_SOURCES ${sources})
  foreach(variant IN LISTS variants)
    target_sources(libsciara PRIVATE $<TARGET_OBJECTS:sciara_${name}_${variant}>)
    set_property(GLOBAL APPEND PROPERTY SCIARA_ENGINE_OBJECTS sciara_${name}_${variant})
  endforeach()
endfunction()

# The rules of each kind, and of all, and their variants.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/rules/rules.def)
file(READ ${PROJECT_SOURCE_DIR}/src/rules/rules.def rules)
string(REGEX MATCHALL "  X\\([A-Z0-9_]+, [a-z0-9]+, [0-9]+, [A-Z]+," rules "${rules}")
foreach(rule IN LISTS rules)
  string(REGEX MATCH ", ([a-z0-9]+), [0-9]+, ([A-Z]+)," rule "${rule}")
  foreach(of IN ITEMS ALL ${CMAKE_MATCH_2})
    list(APPEND SCIARA_RULES_${of} ${CMAKE_MATCH_1})
    list(APPEND SCIARA_VARIANTS_${of} ${CMAKE_MATCH_1}_f64 ${CMAKE_MATCH_1}_f32)
  endforeach()
endforeach()

# Notes the name of an engine for the tests.
function(sciara_list_engine name rules)
  set_property(GLOBAL APPEND PROPERTY SCIARA_ENGINES ${name})
  foreach(rule IN LISTS SCIARA_RULES_${rules})
    set_property(GLOBAL APPEND PROPERTY SCIARA_ENGINES_OF_${rule} ${name})
  endforeach()
endfunction()

# sciara_add_engine(NAME RULES SOURCES... [OPENMP]): RULES is SLOPES or ALL, as in src/engine/engine_list.def.
function(sciara_add_engine name rules)
  cmake_parse_arguments(PARSE_ARGV 2 engine "OPENMP" "" "")
  sciara_add_variants(engine_${name} "${SCIARA_VARIANTS_${rules}}" ${engine_UNPARSED_ARGUMENTS})
  if(engine_OPENMP)
    foreach(variant IN LISTS SCIARA_VARIANTS_${rules})
      set(target sciara_engine_${name}_${variant})
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
  sciara_list_engine(${name} ${rules})
endfunction()

# sciara_add_cuda(NAME RULES SOURCES...): device code that is not an engine of its own.
function(sciara_add_cuda name rules)
  if(ARGN)
    sciara_add_variants(cuda_${name} "${SCIARA_VARIANTS_${rules}};fv3_fast" ${ARGN})
  endif()
endfunction()

# sciara_add_cuda_engine(cuda_NAME RULES SOURCES...): the engine cuda-NAME; nothing if CUDA is not built.
function(sciara_add_cuda_engine name rules)
  if(SCIARA_HAVE_CUDA)
    sciara_add_cuda(engine_${name} ${rules} ${ARGN})
    string(REPLACE "_" "-" name ${name})
    sciara_list_engine(${name} ${rules})
  endif()
endfunction()

# sciara_add_levels(NAME RULES SOURCES...): code of an engine that is compiled for several kinds of processors, from which the
# program chooses at run time (src/base/isa.h). The sources get the kind as SCIARA_LEVEL and use it in the names that they
# export. The floating point stays that of NumericPolicy: no level contracts. With sanitizers one kind: the sources are the same.
function(sciara_add_levels name rules)
  set(levels generic)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND NOT SCIARA_SANITIZE)
    list(APPEND levels v2 v3 v4)
    set_property(GLOBAL PROPERTY SCIARA_LEVELS TRUE)
    foreach(variant IN LISTS SCIARA_VARIANTS_${rules})
      target_compile_definitions(sciara_engine_${name}_${variant} PRIVATE SCIARA_HAVE_LEVELS)
    endforeach()
  endif()
  foreach(level IN LISTS levels)
    sciara_add_variants(${name}_${level} "${SCIARA_VARIANTS_${rules}}" ${ARGN})
    foreach(variant IN LISTS SCIARA_VARIANTS_${rules})
      set(target sciara_${name}_${level}_${variant})
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
