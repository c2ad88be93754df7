# SPDX-License-Identifier: Apache-2.0
# Compiler options of every target of the project: language, warnings, sanitizers, coverage. Floating point: NumericPolicy.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

# Those that only the code of src must satisfy are in sciara_strict.
set(SCIARA_C_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef)
set(SCIARA_CUDA_WARNINGS -Xcompiler=-Wall,-Wextra,-Wshadow)
set(SCIARA_CUDA_OPTIMISATION "")
if(SCIARA_CUDA_CHECKED_ONLY AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  set(SCIARA_CUDA_OPTIMISATION -Ofc=max) # device code is compiled fast
endif()
if(SCIARA_WARNINGS_AS_ERRORS)
  list(APPEND SCIARA_C_WARNINGS -Werror)
  list(APPEND SCIARA_CUDA_WARNINGS -Werror=all-warnings)
endif()

# sciara_build: everything except floating point, which differs in one place (fast math). All others use sciara_options.
add_library(sciara_build INTERFACE)
add_library(sciara_options INTERFACE)
target_link_libraries(sciara_options INTERFACE sciara_build sciara_numeric)
target_compile_definitions(sciara_build INTERFACE _GNU_SOURCE)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU") # the functions of a shared library may be inlined in it: nothing replaces them
  target_compile_options(sciara_build INTERFACE $<$<COMPILE_LANGUAGE:C>:-fno-semantic-interposition>)
endif()
if(SCIARA_BRANCHLESS)
  target_compile_definitions(sciara_build INTERFACE SCIARA_BRANCHLESS)
endif()
target_compile_options(
  sciara_build INTERFACE "$<$<COMPILE_LANGUAGE:C>:${SCIARA_C_WARNINGS}>"
                         "$<$<COMPILE_LANGUAGE:CUDA>:${SCIARA_CUDA_WARNINGS};${SCIARA_CUDA_OPTIMISATION}>")

add_library(sciara_strict INTERFACE)
target_compile_options(sciara_strict INTERFACE "$<$<COMPILE_LANGUAGE:C>:-Wconversion>")

set(instrumentation "")
if(SCIARA_SANITIZE)
  if(NOT SCIARA_SANITIZE MATCHES "^[a-z,]+$")
    message(FATAL_ERROR "SCIARA_SANITIZE is \"${SCIARA_SANITIZE}\"; allowed: a list such as address,undefined or thread")
  endif()
  list(APPEND instrumentation -fsanitize=${SCIARA_SANITIZE} -fno-omit-frame-pointer -g1) # lines for the reports
  if(SCIARA_SANITIZE MATCHES "undefined")
    # Neither gcc nor clang includes the conversion of a double that does not fit its integer in "undefined".
    list(APPEND instrumentation -fsanitize=float-cast-overflow -fno-sanitize-recover=all)
  endif()
endif()
if(SCIARA_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "SCIARA_FUZZ needs clang, which has libFuzzer; the compiler is ${CMAKE_C_COMPILER_ID}")
  endif()
  list(APPEND instrumentation -fsanitize=fuzzer-no-link)
endif()
if(SCIARA_COVERAGE)
  list(APPEND instrumentation --coverage)
endif()
if(instrumentation)
  if(SCIARA_HAVE_CUDA)
    message(FATAL_ERROR "Sanitizers and coverage are for the CPU code: set SCIARA_CUDA=OFF")
  endif()
  target_compile_options(sciara_build INTERFACE ${instrumentation})
  target_link_options(sciara_build INTERFACE ${instrumentation})
endif()
