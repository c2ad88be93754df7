# SPDX-License-Identifier: Apache-2.0
# Decides whether CUDA is built and enables the language. If nvcc is found CUDA is built, and a failure to build it
# is an error; otherwise everything else is built. Result: SCIARA_HAVE_CUDA.

set(SCIARA_HAVE_CUDA OFF)
if(NOT SCIARA_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "SCIARA_CUDA is \"${SCIARA_CUDA}\"; allowed: AUTO, ON, OFF")
endif()

if(SCIARA_CUDA STREQUAL "OFF")
  message(STATUS "CUDA: off")
  return()
endif()

# CMAKE_CUDA_COMPILER and CUDACXX, if given, take precedence over what is found.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(SCIARA_NVCC nvcc PATHS /usr/local/cuda/bin /opt/cuda/bin ENV CUDA_PATH ENV CUDA_HOME PATH_SUFFIXES bin)
  mark_as_advanced(SCIARA_NVCC)
  if(NOT SCIARA_NVCC)
    if(SCIARA_CUDA STREQUAL "ON")
      message(FATAL_ERROR "SCIARA_CUDA is ON but nvcc was not found; give its path with -DCMAKE_CUDA_COMPILER=...")
    endif()
    message(STATUS "CUDA: nvcc not found, the CUDA engines are left out")
    return()
  endif()
  set(CMAKE_CUDA_COMPILER ${SCIARA_NVCC})
endif()

set(SCIARA_CUDA_FOR ALL CACHE STRING "GPUs to build for: ALL (since Turing), HERE (the one that is here; without one no CUDA), or TEST (the one that is here; where none is, compiled to be checked, not to be run fast)")
set_property(CACHE SCIARA_CUDA_FOR PROPERTY STRINGS ALL HERE TEST)
if(NOT SCIARA_CUDA_FOR MATCHES "^(ALL|HERE|TEST)$")
  message(FATAL_ERROR "SCIARA_CUDA_FOR is \"${SCIARA_CUDA_FOR}\"; allowed: ALL, HERE, TEST")
endif()
set(SCIARA_CUDA_CHECKED_ONLY OFF) # engines that are compiled but not run on a GPU
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  if(SCIARA_CUDA_FOR STREQUAL "ALL")
    # One binary for every GPU since Turing; the last one also as PTX for newer GPUs.
    set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 90-virtual)
  else()
    execute_process(COMMAND nvidia-smi --list-gpus OUTPUT_VARIABLE gpus ERROR_QUIET)
    if(gpus MATCHES "GPU 0:")
      set(CMAKE_CUDA_ARCHITECTURES native)
    elseif(SCIARA_CUDA_FOR STREQUAL "TEST")
      set(CMAKE_CUDA_ARCHITECTURES 90-real)
      set(SCIARA_CUDA_CHECKED_ONLY ON)
    else()
      message(STATUS "CUDA: no GPU on this machine, the CUDA engines are left out; for GPUs of other machines: "
                     "cmake --preset release && cmake --build --preset release")
      return()
    endif()
  endif()
endif()
# Static, so that the program starts on machines without a driver.
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
enable_language(CUDA)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
find_package(CUDAToolkit REQUIRED)
set(SCIARA_HAVE_CUDA ON)
message(STATUS "CUDA: ${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
if(SCIARA_CUDA_CHECKED_ONLY)
  message(STATUS "CUDA: no GPU found; the engines are only compiled as a check, hardly optimised, each precision for another GPU")
endif()
